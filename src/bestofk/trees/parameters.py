"""Parameters of tree learners: defaults, rules, descriptions, and costs."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache, partial
from typing import Any, Final, TypeVar

import numpy as np

from bestofk.array_types import Floats
from bestofk.checks import check_flag, check_known, check_number
from bestofk.errors import InvalidArgumentError
from bestofk.trees.discretization import METHODS
from bestofk.trees.growth_rules import GrowthRules

NO_PRUNING: Final = (None, "none")
ORDINAL_SPLITS: Final = ("cut", "multiway")
PRUNINGS: Final = ("reduced-error", "pessimistic", "cost-complexity", "mdl", *NO_PRUNING)
_ZERO_COST: Final = "The rule divides by the cost: use a small cost, or cost_rule='nunez'."


def cost_array(*, what: str, value: Any, names: Sequence[str], may_be_zero: bool) -> Floats | None:
    """Return the cost of measuring each attribute.

    Parameters
    ----------
    what : str
        Name of the parameter in messages.
    value : mapping of str to float, sequence of float, or None
        Costs by name, or in the order of the columns; None for no costs.
    names : sequence of str
        Names of the columns.
    may_be_zero : bool
        Whether the cost rule allows costs of 0.

    Returns
    -------
    ndarray of shape (n_attributes,), float64, or None

    Raises
    ------
    InvalidArgumentError
        If a cost is missing, not a number, negative, infinite, 0 although not allowed, or for an
        unknown column.
    """
    if value is None:
        return None
    costs = _costs_by_name(what, value, names)
    for name, cost in costs.items():
        check_number(
            cost,
            f"{what} for column {name!r}",
            low=0,
            is_open="" if may_be_zero else "low",
            way_out="Costs are finite numbers." if may_be_zero else _ZERO_COST,
        )
    return np.array([float(costs[name]) for name in names])


def _costs_by_name(what: str, value: Any, names: Sequence[str]) -> dict[str, Any]:
    if isinstance(value, Mapping):
        for name in value:
            check_known(name, f"name in {what}", names, rule="a column of X")
        missing = [name for name in names if name not in value]
        if missing:
            raise InvalidArgumentError(
                f"{what} must have a cost for every column; got none for {', '.join(missing)}. "
                "Add them; free columns can have the lowest of all costs."
            )
        return {name: value[name] for name in names}
    costs = [] if isinstance(value, str) or not np.iterable(value) else list(value)
    if len(costs) != len(names):
        raise InvalidArgumentError(
            f"{what} must be a mapping or one cost for each of {len(names)} columns; got "
            f"{value!r}. Give costs by name: a mapping."
        )
    return dict(zip(names, costs, strict=True))


def choice(default: str | None, allowed: Sequence[str | None], **rule: str) -> Any:
    """Return a field of a learner for one of some words; `rule` may explain the restriction."""
    check = partial(check_known, known=allowed, **rule)
    return field(default=default, metadata={"check": check})


def flag(default: bool) -> Any:
    """Return a field of a learner for True or False."""
    return field(default=default, metadata={"check": check_flag})


def number(default: float | None, **limits: Any) -> Any:
    """Return a field of a learner for a number; limits are those of `check_number`."""
    return field(default=default, metadata={"check": partial(check_number, **limits)})


def share(default: float | None, is_open: str, way_out: str) -> Any:
    """Return a field for a number from 0 to 1, and None if that is its default."""
    return number(default, low=0, high=1, is_open=is_open, or_none=default is None, way_out=way_out)


def depth_limit() -> Any:
    """Return a field for the largest number of tests above a leaf; None for no limit."""
    way_out = "Use None for no limit."
    return number(None, low=1, whole=True, or_none=True, way_out=way_out)


def least_weight(default: float) -> Any:
    """Return the field of the minimum weight of a branch."""
    way_out = "It is the minimum weight of the rows of a branch, not a share: use 1 for no minimum."
    return number(default, low=0, is_open="both", way_out=way_out)


def most_levels() -> Any:
    """Return the field of the maximum number of levels of a column."""
    way_out = "It is the maximum number of levels of a column."
    return number(1000, low=1, whole=True, way_out=way_out)


def check_fields(learner: Any) -> None:
    """Check the parameters of a learner by the rules of its fields.

    Parameters
    ----------
    learner : object
        A dataclass whose fields are made by `choice`, `flag`, `number` and the like.

    Raises
    ------
    InvalidArgumentError
        If one breaks its rule.
    """
    kind: Any = type(learner)
    for name, check in _checks(kind):
        check(value=getattr(learner, name))


@cache
def _checks(kind: Any) -> list[tuple[str, Callable[..., None]]]:
    """Return the fields of a learner that have a rule, each with its check."""
    return [
        (item.name, partial(item.metadata["check"], what=f"{item.name} of {kind.__name__}"))
        for item in fields(kind)
        if "check" in item.metadata
    ]


def _check_splits(value: Any, what: str) -> None:
    if isinstance(value, str) or not (hasattr(value, "split") or np.iterable(value)):
        way_out = "It is the number of folds, a splitter, or pairs of row numbers."
        check_number(value, what, low=2, whole=True, way_out=way_out)


@dataclass(kw_only=True, eq=False, repr=False)
class TreeParameters:
    """Parameters of all tree learners, with defaults, rules and descriptions.

    Learners inherit them, add others, and override defaults; `documented` adds the descriptions.
    They can be set, as scikit-learn requires, and are checked when a tree grows.

    Parameters
    ----------
    pruning : {"reduced-error", "pessimistic", "cost-complexity", "mdl", None}, default=None
        Pruning by the errors on held-out rows; by half an error more for each leaf; by errors and
        leaves; by description length; or no pruning ("none" is the same).
    pruning_folds : int, default=3
        Number of stratified folds for reduced-error pruning: the last fold prunes, the others grow.
        The folds are not random: they depend on the order of the rows, as in J48.
    pruning_fraction : float or None, default=None
        Share of the rows for reduced-error pruning, drawn at random in each class, instead of
        folds.
    ccp_alpha : float or None, default=None
        Cost of a leaf for cost-complexity pruning, as a share of errors on training rows (in
        scikit-learn, of impurity); None to choose it by cross-validation.
    cv : int, splitter of scikit-learn, or iterable of pairs of ndarray of int, default=5
        Stratified folds of this cross-validation, or the growing and test rows.
    one_standard_error : bool, default=True
        Whether to choose the smallest tree within one standard error of the smallest error, instead
        of the tree with the smallest error.
    min_samples_leaf : float, default=1
        Minimum weight of the rows of a branch; for a multiway test, of two branches. Small weights,
        such as those of boosting, need a smaller minimum.
    max_depth : int or None, default=None
        Most tests above a leaf; None for any number.
    min_samples_split : float or None, default=None
        Minimum weight of the rows of a node to split; None for twice `min_samples_leaf`.
    min_impurity_decrease : float, default=0.0
        Minimum gain in bits, times the node's share of all weight.
    missing_values : {"fractional", "most-frequent", "most-frequent-in-class"}, \
default="fractional"
        Rows with a missing value go down all branches, in parts; or the value is replaced by the
        node's most frequent one, among all its rows or those of the same class.
    chi_squared_alpha : float or None, default=None
        Level of the chi-squared test of independence that a split must pass; None for no such test.
    chi_squared_bonferroni : bool, default=False
        Whether the p value of a numeric test is multiplied by the number of possible cuts: the
        best of many cuts looks significant too easily.
    costs : mapping of str to float, sequence of float, or None, default=None
        Cost of measuring each column, by name or in order, above 0 (0 is valid with "nunez").
    cost_rule : {"tan-schlimmer", "nunez", "idx"}, default="tan-schlimmer"
        Squared worth divided by cost; (2 ** worth - 1) / (cost + 1) ** cost_weight; worth divided
        by cost.
    cost_weight : float in [0, 1], default=1.0
        Exponent of the cost in the rule "nunez".
    costs_paid_once : bool, default=False
        Whether an attribute tested above is free.
    discretization : {"equal-width", "equal-frequency", "kmeans", "mdl"} or None, default=None
        Intervals of numeric columns: of equal width, of nearly equal weight, clusters, or those
        that shorten the description of the classes (Fayyad & Irani 1993); None for thresholds.
    n_bins : int, default=5
        Maximum number of intervals of a column; "mdl" finds the number itself.
    discretize_at : {"table", "node"}, default="table"
        Once, on the training table: intervals are levels, with a branch each if nominal levels have
        that, else in order. Or again at each node, from up to 256 fine intervals of the table, with
        a branch each.
    oblique : {"lda", "logistic"} or None, default=None
        Direction of the numeric columns that competes at every node with the best test of one
        column: that of linear discriminant analysis or logistic regression or, if few rows are on
        its wrong side, one without errors. Missing values count as the mean of the node. Not with
        `costs` or `discretization`.
    classes : sequence or None, default=None
        All labels in the order that decides ties; None for those in y, sorted.
    categorical_features : "from_dtype", sequence of str, int or bool, or None, \
default="from_dtype"
        Columns without an order: names, numbers or a mask.
    ordinal_features : mapping, sequence or None, default=None
        Columns with an order: names or numbers, optionally with their levels from the lowest.
        Ordered categories have one by their type, with `categorical_features="from_dtype"`.
    max_categories : int, default=1000
        Maximum number of levels of a column.
    random_state : int, RandomState or None, default=None
        Seed of `pruning_fraction`, and of the folds of cost-complexity pruning.
    """

    pruning: str | None = choice(None, PRUNINGS)
    pruning_folds: int = number(3, low=2, whole=True, way_out="One fold prunes, the others grow.")
    pruning_fraction: float | None = share(
        None, "both", "It is the share of the pruning rows; use None for folds."
    )
    ccp_alpha: float | None = number(
        None,
        low=0,
        or_none=True,
        way_out="It is the cost of a leaf, as a share of errors; use None to choose it by "
        "cross-validation.",
    )
    cv: Any = field(default=5, metadata={"check": _check_splits})
    one_standard_error: bool = flag(True)
    min_samples_leaf: float = least_weight(1)
    max_depth: int | None = depth_limit()
    min_samples_split: float | None = number(
        None,
        low=0,
        is_open="both",
        or_none=True,
        way_out="It is the minimum weight of the rows of a node, not a share: use None for twice "
        "that of a branch.",
    )
    min_impurity_decrease: float = number(0.0, low=0, way_out="Use 0 for no limit.")
    missing_values: str = choice(
        "fractional", ("fractional", "most-frequent", "most-frequent-in-class")
    )
    chi_squared_alpha: float | None = share(
        None, "low", "Use a level such as 0.01, or None for no test."
    )
    chi_squared_bonferroni: bool = flag(False)
    costs: Any = None
    cost_rule: str = choice("tan-schlimmer", ("tan-schlimmer", "nunez", "idx"))
    cost_weight: float = share(1.0, "", "0 ignores costs, 1 counts them in full.")
    costs_paid_once: bool = flag(False)
    discretization: str | None = choice(None, (None, *METHODS))
    n_bins: int = number(5, low=2, whole=True, way_out="A single interval carries no information.")
    discretize_at: str = choice("table", ("table", "node"))
    oblique: str | None = choice(None, (None, "lda", "logistic"))
    classes: Any = None
    categorical_features: Any = "from_dtype"
    ordinal_features: Any = None
    max_categories: int = most_levels()
    random_state: Any = None

    def rules_with(self, **own: Any) -> GrowthRules:
        """Return the rules of growth from the parameters and from the learner.

        Parameters
        ----------
        **own : object
            Rules of the learner: fields of `GrowthRules`.

        Returns
        -------
        GrowthRules
        """
        least = self.min_samples_split
        rules: dict[str, Any] = {
            "min_branch": self.min_samples_leaf,
            "min_split": 2 * self.min_samples_leaf if least is None else least,
            "max_depth": np.inf if self.max_depth is None else self.max_depth,
            "min_decrease": self.min_impurity_decrease,
            "missing": self.missing_values,
            "alpha": self.chi_squared_alpha,
            "bonferroni": self.chi_squared_bonferroni,
            "cost_rule": self.cost_rule,
            "cost_weight": self.cost_weight,
            "costs_paid_once": self.costs_paid_once,
            "intervals": self.discretization if self.discretize_at == "node" else None,
            "n_bins": self.n_bins,
            "oblique": self.oblique,
            "counts_weight": True,
            "takes_zero": True,
        }
        return GrowthRules(**{**rules, **own})


Learner = TypeVar("Learner")


def documented(learner: type[Learner]) -> type[Learner]:
    """Add the parameters and attributes of the base classes to the docstring of a learner.

    Parameters
    ----------
    learner : type
        A dataclass; descriptions in its own docstring come first, and are kept.

    Returns
    -------
    type
        The learner.
    """
    text = inspect.cleandoc(learner.__doc__ or "")
    for title in ("Parameters", "Attributes"):
        described: dict[str, str] = {}
        for base in filter(is_dataclass, learner.__mro__):
            described = {**_described(base, title), **described}
        own = _described(learner, title)
        rest = [entry for name, entry in described.items() if name not in own]
        last = list(own.values())[-1]
        text = text.replace(last, "\n".join([last, *rest]), 1)
    learner.__doc__ = text
    return learner


def _described(kind: type, title: str) -> dict[str, str]:
    """Return the descriptions of each name in a section of the docstring of a class."""
    section = re.search(
        rf"^{title}\n-+\n(.*?)(?=\n\n|\Z)", inspect.cleandoc(kind.__doc__ or ""), re.M | re.S
    )
    entries = re.split(r"\n(?=\S)", section[1]) if section else []
    return {entry.split(" :")[0]: entry for entry in entries}

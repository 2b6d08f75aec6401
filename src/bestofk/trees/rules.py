"""If-then rules made from a tree, each pruned separately."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any, Final

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d

from bestofk.array_types import Floats, Positions
from bestofk.checks import check_known, check_number
from bestofk.errors import InvalidArgumentError
from bestofk.trees.attributes import Attribute, encode_table
from bestofk.trees.rule import Condition, Rule, first_met, row_counts, rows_met
from bestofk.trees.rule_making import error_bound, rules_as_grown, rules_of_training
from bestofk.trees.tree import Tree
from bestofk.words import printable

__all__ = ["Condition", "Rule", "RuleSet"]

_PRUNINGS: Final = ("pessimistic", None)
_ORDERS: Final = ("class", "accuracy")
_SELECTIONS: Final = ("mdl", None)


@dataclass(frozen=True, eq=False)
class RuleSet:
    """Ordered rules: the first one that a row meets decides its class.

    Attributes
    ----------
    rules : tuple of Rule
        The rules in order.
    default : int
        Position of the class of rows that meet no rule.
    attributes : tuple of Attribute
        What the columns are.
    classes : ndarray of shape (n_classes,)
        The labels.
    decided : ndarray of shape (n_rules + 1, n_classes), float64
        Training weight of each class decided by each rule (no earlier rule applies); last: by the
        default.

    References
    ----------
    .. [1] Quinlan (1993), C4.5: Programs for Machine Learning, chapter 5.
    .. [2] Quinlan (1995), MDL and categorical theories (continued), ICML.
    .. [3] Mitchell (1997), Machine Learning, section 3.7.1.2.

    Examples
    --------
    >>> import numpy as np
    >>> from bestofk.trees import C45Classifier
    >>> X, y = np.arange(12.0)[:, None], np.repeat(["low", "high"], 6)
    >>> tree = C45Classifier(pruning=None).fit(X, y)
    >>> print(RuleSet.from_tree(tree, X, y))
    1. if x0 > 5
       then high  (6 rows, 0 wrong; accuracy at least 79.4%)
    <BLANKLINE>
    2. if x0 <= 5
       then low  (6 rows, 0 wrong; accuracy at least 79.4%)
    <BLANKLINE>
    Otherwise high  (0 rows, 0 wrong)
    """

    rules: tuple[Rule, ...]
    default: int
    attributes: tuple[Attribute, ...]
    classes: np.ndarray
    decided: Floats

    @classmethod
    def from_tree(
        cls,
        tree: Any,
        X: Any = None,
        y: Any = None,
        *,
        sample_weight: Any = None,
        prune: str | None = "pessimistic",
        order: str = "class",
        select: str | None = "mdl",
        confidence: float = 0.25,
        fisher_alpha: float | None = None,
        random_state: Any = None,
    ) -> RuleSet:
        """Turn a tree into rules, by default like the program C4.5rules with an unpruned tree.

        Parameters
        ----------
        tree : Tree or fitted tree classifier
            The tree. For a classifier with `flavor="r8"`, the bound of errors is that of Release 8.
        X : ndarray or DataFrame of shape (n_samples, n_features), or None
            The training rows; None only with `prune=None` and `select=None`: then the counts
            are those of the leaves.
        y : array-like of shape (n_samples,), or None
            Their labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the rows; rows of weight 0 are left out.
        prune : {"pessimistic", None}, default="pessimistic"
            Drop conditions of each rule as long as the upper bound of its error does not increase,
            then rules that are no better than the share of their class.
        order : {"class", "accuracy"}, default="class"
            Class by class, those with the fewest false alarms first, or all rules together; by
            the bound of the error in both cases.
        select : {"mdl", None}, default="mdl"
            Keep the rules of each class that describe it in the fewest bits, then drop those that
            reduce training accuracy; or keep all.
        confidence : float, default=0.25
            Confidence of the bound, above 0 to 1: smaller values drop more conditions.
        fisher_alpha : float or None, default=None
            Drop conditions also if Fisher's exact test has a larger p value.
        random_state : int, RandomState or None, default=None
            Seed of the start of the search for rules, if a class has more than 10.

        Returns
        -------
        RuleSet
            Without any rule, if the tree has no test.

        Raises
        ------
        InvalidArgumentError
            If a parameter is not valid, the tree has oblique tests, rows are needed but not given,
            or a label is not one of the tree's.
        """
        _check_options(prune, order, select, confidence, fisher_alpha)
        bound = error_bound(confidence, getattr(tree, "flavor", "j48"))
        tree = getattr(tree, "tree_", tree)
        if not isinstance(tree, Tree):
            raise InvalidArgumentError(
                f"tree of RuleSet.from_tree must be a Tree or a fitted tree classifier; got "
                f"{type(tree).__name__}. Fit the classifier first."
            )
        if X is None and y is None and prune is None and select is None:
            result = rules_as_grown(tree, bound, order=order)
        elif X is None or y is None:
            raise InvalidArgumentError(
                "X and y of RuleSet.from_tree must be the training rows to prune or to "
                "select; got None. Pass both, or neither with prune=None and select=None."
            )
        else:
            result = rules_of_training(
                tree,
                *_read_rows(tree, X, y, sample_weight),
                bound,
                prunes=prune is not None,
                order=order,
                selects=select is not None,
                fisher_alpha=fisher_alpha,
                random_state=random_state,
            )
        rules, default, decided = result
        return cls(tuple(rules), default, tree.attributes, tree.classes, decided)

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __getitem__(self, index: int) -> Rule:
        return self.rules[index]

    def __repr__(self) -> str:
        n_conditions = sum(len(rule.conditions) for rule in self.rules)
        default = printable(str(self.classes[self.default]))
        return f"RuleSet({len(self)} rules, {n_conditions} conditions, default {default})"

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.to_text())}</pre>"

    def apply(self, X: Any) -> Positions:
        """Return which rule decides each row.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_samples, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        ndarray of shape (n_samples,), intp
            Position of the first rule whose conditions hold; the number of rules for the default.
        """
        return first_met(rows_met(self.rules, _encoded(X, self.attributes)))

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of the first rule that a row meets, else the default.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_samples, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        return np.asarray(self.classes[self._named()[self.apply(X)]])

    def predict_proba(self, X: Any) -> Floats:
        """Return the class shares of the training rows that the same rule decides.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_samples, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), float64
            One row of each class is added to the counts (Laplace). The class of the rule counts at
            least one row more than any other, so that it is the most probable.
        """
        counts, rows = self.decided.copy(), np.arange(len(self) + 1)
        named = self._named()
        counts[rows, named] = -np.inf
        counts[rows, named] = np.maximum(self.decided[rows, named], counts.max(axis=1) + 1.0)
        counts += 1.0
        return np.asarray((counts / counts.sum(axis=1, keepdims=True))[self.apply(X)])

    def to_text(self) -> str:
        """Return the rules as readable text.

        Returns
        -------
        str
            For each rule its conditions, its class, the number of training rows that meet them, the
            number of these of another class, and the lower bound of its accuracy; then the default,
            with its rows.
        """
        texts = []
        for index, rule in enumerate(self.rules, start=1):
            head = f"{index}. "
            texts.append(head + str(rule).replace("\n", "\n" + " " * len(head)))
        left = self.decided[-1]
        counts = row_counts(left.sum(), left.sum() - left[self.default])
        word = "Otherwise" if self.rules else "Always"
        return "\n\n".join([*texts, printable(f"{word} {self.classes[self.default]}  ({counts})")])

    def _named(self) -> Positions:
        """Return the class of each rule, last the default."""
        return np.array([*(rule.class_number for rule in self.rules), self.default], dtype=np.intp)


def _check_options(prune: Any, order: Any, select: Any, confidence: Any, fisher_alpha: Any) -> None:
    where = "of RuleSet.from_tree"
    check_known(prune, f"prune {where}", _PRUNINGS)
    check_known(order, f"order {where}", _ORDERS)
    check_known(select, f"select {where}", _SELECTIONS)
    way_out = "Smaller values drop more conditions; use prune=None to drop none."
    share: Any = {"low": 0, "high": 1, "is_open": "low"}
    check_number(confidence, f"confidence {where}", **share, way_out=way_out)
    way_out = "Use a level such as 0.05, or None for no test."
    check_number(fisher_alpha, f"fisher_alpha {where}", **share, or_none=True, way_out=way_out)


def _read_rows(tree: Tree, X: Any, y: Any, sample_weight: Any) -> tuple[Floats, Positions, Floats]:
    """Return rows, classes and weights of the rows that count."""
    matrix = _encoded(X, tree.attributes)
    labels = column_or_1d(y)
    weight = np.ones(len(labels)) if sample_weight is None else column_or_1d(sample_weight)
    check_consistent_length(matrix, labels, weight)
    counts = np.flatnonzero(weight > 0)
    index = {label: c for c, label in enumerate(tree.classes.tolist())}
    unknown = [label for label in labels[counts].tolist() if label not in index]
    if unknown:
        raise InvalidArgumentError(
            f"y of RuleSet.from_tree must be labels of the tree ({tree.classes.tolist()}); got "
            f"{unknown[0]!r}. Pass the training rows of the tree."
        )
    codes = np.array([index[label] for label in labels[counts].tolist()], dtype=np.intp)
    return matrix[counts], codes, weight[counts].astype(np.float64)


def _encoded(X: Any, attributes: tuple[Attribute, ...]) -> Floats:
    X = X if hasattr(X, "shape") else np.asarray(X)
    if len(X.shape) != 2 or X.shape[1] != len(attributes):
        raise InvalidArgumentError(
            f"X must be a table with the {len(attributes)} columns of the tree; got shape "
            f"{tuple(X.shape)}. Pass the columns of the training table."
        )
    return encode_table(X, attributes)

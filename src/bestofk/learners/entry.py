"""Entry of one learner in the catalogue, and the traits of its family."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from bestofk.checks import check_known
from bestofk.errors import InvalidArgumentError
from bestofk.registry import Registry, loaded
from bestofk.scikit_internals import class_in_memory

if TYPE_CHECKING:
    from bestofk.learners.operations import TableShape

T = TypeVar("T")
# Numbers of rows, of features and of classes -> number of parameters.
ParameterCount = Callable[[int, int, int], float]
Task = Literal["classification", "regression"]

CLASSIFICATION: Final = "classification"
REGRESSION: Final = "regression"
TASKS: Final = (CLASSIFICATION, REGRESSION)


@dataclass(frozen=True)
class Traits:
    """Facts about a family of estimators that do not depend on data.

    Parameters
    ----------
    classes : tuple of str
        Paths of the classes, such as ``"sklearn.svm.SVC"``. Subclasses share all traits.
    n_parameters : callable or None
        Number of parameters for a number of rows, of features and of classes, before fitting;
        None if there is no formula.
    is_unstable : callable or None
        Takes an estimator and returns whether it changes much with its training rows; None if no
        settings of the family do.
    is_baseline : bool
        Whether the family ignores the features.

    Raises
    ------
    AttributeError
        From `includes`, if a path does not name a class of its module.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> Traits(("sklearn.svm.SVC",)).includes(SVC())
    True
    """

    classes: tuple[str, ...]
    n_parameters: ParameterCount | None = None
    is_unstable: Callable[[Any], bool] | None = None
    is_baseline: bool = False

    def includes(self, estimator: Any) -> bool:
        """Return whether an estimator belongs to the family."""
        known = map(class_in_memory, self.classes)
        return isinstance(estimator, tuple(cls for cls in known if cls is not None))


def entry_of_class(entries: Registry[T], cls: type) -> T | None:
    """Return the entry of exactly this class, not of a parent class; None if there is none.

    Parameters
    ----------
    entries : Registry
        Entries by path of the class.
    cls : type
        The class of a learner.
    """
    same = (path for path in entries if class_in_memory(path) is cls)
    path = next(same, None)
    return None if path is None else entries[path]


NO_TRAITS: Final = Traits(())


def linear_count(n_rows: int, n_features: int, n_classes: int) -> float:
    """Return the number of coefficients and intercepts of a linear model."""
    return n_classes * (n_features + 1)


def stored_rows_count(n_rows: int, n_features: int, n_classes: int) -> float:
    """Return the number of values in the training rows that the model keeps."""
    return n_rows * n_features


def tree_count(n_rows: int, n_features: int, n_classes: int) -> float:
    """Return the geometric mean of the counts of linear and row-keeping learners."""
    return math.sqrt(
        linear_count(n_rows, n_features, n_classes)
        * stored_rows_count(n_rows, n_features, n_classes)
    )


@dataclass(frozen=True)
class LearnerEntry:
    """One learner of the catalogue.

    Parameters
    ----------
    name : str
        The name that users type.
    task : {"classification", "regression"}
        What it predicts.
    title : str
        A few words on the method.
    description : str
        Method, settings and preparation of the columns.
    estimator : str
        Path of the class, imported when the learner is made.
    settings : mapping of str to value
        Parameters that differ from the defaults of the class.
    columns : {"one-hot", "standardized", "as-is"}
        The step `prepare`: nominal columns 1-of-n; in addition numeric columns standardized; or
        only empty columns dropped, for learners that read tables.
    traits : Traits
        Facts about the family.
    takes_weights, gives_probabilities : bool
        Whether `fit` takes weights of rows, and whether there is `predict_proba`.
    space : mapping of str to list, or sequence of such mappings
        Values that tuning tries, in every combination; empty if there is nothing to tune.
    tuned_name : str
        Name of the tuned learner, if several entries share a space; empty for the entry's own name.
    tuned_level : float or None
        Measured share of false rejections by the corrected t test, at a level of 5%, if the tuned
        learner is compared with itself on other rows: the mean over all kinds of data tried
        (``docs/tuning.md``); None if not measured.
    extra : str
        The extra of this package that installs its requirements; empty if there is none.
    n_operations : callable or None
        Takes a `TableShape` and returns the approximate number of operations of a fit; None if no
        table that fits into memory takes too many.
    fewest_rows : int
        Rows from which on it is worth its time where groups are raced; 0 for any.
    on_few_rows : str
        Name of the learner that takes its place in groups where rows are few; empty for none.

    Examples
    --------
    >>> from bestofk.learners import learner_catalogue
    >>> entry = learner_catalogue()["cart"]
    >>> entry.task, entry.title, entry.is_baseline
    ('classification', 'CART tree', False)
    >>> entry.handles
    ('gaps', 'categories', 'weights', 'probabilities')
    """

    name: str
    task: Task
    title: str
    description: str
    estimator: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    columns: Literal["one-hot", "standardized", "as-is"] = "one-hot"
    traits: Traits = NO_TRAITS
    takes_weights: bool = True
    gives_probabilities: bool = True
    space: Mapping[str, Any] | Sequence[Mapping[str, Any]] = ()
    tuned_name: str = ""
    tuned_level: float | None = None
    extra: str = ""
    n_operations: Callable[[TableShape], float] | None = None
    fewest_rows: int = 0
    on_few_rows: str = ""

    @property
    def is_baseline(self) -> bool:
        """Whether it is a baseline for the other learners of the default set."""
        return self.traits.is_baseline

    @property
    def is_tree(self) -> bool:
        """Whether it grows a single tree, which `bestofk tree` shows."""
        return ".tree" in self.estimator and "forest" not in self.estimator

    @property
    def handles(self) -> tuple[str, ...]:
        """Names of what the learner handles by itself, without preparation."""
        reads_table = self.columns == "as-is"
        facts = {
            "gaps": reads_table,
            "categories": reads_table,
            "weights": self.takes_weights,
            "probabilities": self.gives_probabilities and self.task == CLASSIFICATION,
        }
        return tuple(word for word, is_handled in facts.items() if is_handled)

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names of the learner."""
        return (self.tuned_name,) if self.tuned_name else ()

    def make(self, settings: Mapping[str, Any] | None = None) -> Any:
        """Return a new unfitted pipeline of the steps `prepare` and `learner`.

        Parameters
        ----------
        settings : mapping of str to value, optional
            Parameters of the learner that replace those of the entry.

        Raises
        ------
        InvalidArgumentError
            If the learner has no such parameter, or its package is not installed.
        """
        try:
            estimator = loaded(self.estimator)(**self.settings)
        except ModuleNotFoundError as error:
            if not self.extra:
                raise
            raise InvalidArgumentError(
                f"{error.name} must be installed for the learner {self.name!r}; it is not. "
                f"Run: pip install 'bestofk[{self.extra}]'."
            ) from error
        set_parameters(estimator, settings or {}, self.name)
        from bestofk.learners.pipeline import LearnerPipeline, learner_pipeline

        if self.columns != "as-is":
            return learner_pipeline(estimator, standardize=self.columns == "standardized")
        from bestofk.trees.known_columns import KnownColumns

        return LearnerPipeline([("prepare", KnownColumns()), ("learner", estimator)])


def set_parameters(estimator: Any, settings: Mapping[str, Any], name: str) -> None:
    """Set parameters of an estimator, called `name` in messages.

    Raises
    ------
    InvalidArgumentError
        If it has no such parameter.
    """
    known = estimator.get_params() if hasattr(estimator, "get_params") else {}
    rule = f"those of {type(estimator).__name__}"
    for parameter in settings:
        check_known(parameter, f"parameters of learner {name!r}", known, rule=rule)
    if settings:
        estimator.set_params(**settings)

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
        None where there is no formula.
    is_unstable : callable or None
        Takes an estimator and returns whether it changes much with its training rows; None
        where no settings of the family do.
    is_baseline : bool
        Whether the family ignores the features.

    Raises
    ------
    AttributeError
        Of `includes`, if a path names no class of its module.

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
    """Return the entry for a class itself, not one that it inherits from; None where none is.

    Parameters
    ----------
    entries : Registry
        By paths of classes.
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
    """Return the number of values in the training rows, which the model keeps."""
    return n_rows * n_features


def tree_count(n_rows: int, n_features: int, n_classes: int) -> float:
    """Return the geometric mean of linear and row-keeping learners, between which trees are."""
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
        What users type.
    task : {"classification", "regression"}
        What it predicts.
    title : str
        What it is, in a few words.
    description : str
        How it predicts, its settings and what it does to the columns first.
    estimator : str
        Path of the class, which is imported when the learner is made.
    settings : mapping of str to value
        Parameters that differ from the defaults of the class.
    columns : {"one-hot", "standardized", "as-is"}
        What the step `prepare` does: nominal columns 1-of-n; the same, and numeric columns
        standardized; or columns without any value dropped, for learners that read tables.
    traits : Traits
        Facts about the family.
    takes_weights, gives_probabilities : bool
        Whether `fit` takes weights of rows, and `predict_proba` is there.
    space : mapping of str to list, or sequence of such mappings
        Values that tuning tries, every combination; empty where there is nothing to tune.
    tuned_name : str
        The name under which it is tuned, where others have the same space; empty for its own.
    tuned_level : float or None
        Share of data sets in which the corrected t test rejects, at a level of 5 %, that the tuned
        learner is as good as itself on other rows: the mean over all kinds of data that were
        tried (``docs/tuning.md``); None if not measured.
    extra : str
        The extra of this package that installs what it needs; empty where nothing is missing.
    n_operations : callable or None
        Takes a `TableShape`, and returns about how many operations a fit takes; None where no
        table that fits into memory takes too many.

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

    @property
    def is_baseline(self) -> bool:
        """Whether the default set compares the other learners with it."""
        return self.traits.is_baseline

    @property
    def is_tree(self) -> bool:
        """Whether it grows one tree, which `bestofk tree` shows."""
        return ".tree" in self.estimator and "forest" not in self.estimator

    @property
    def handles(self) -> tuple[str, ...]:
        """Words for what the learner itself handles, without preparation in front of it."""
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
        """Other names by which it is asked for."""
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
    """Set parameters of an estimator, which `name` stands for in messages.

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

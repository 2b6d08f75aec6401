"""Interface of measures: predictions of many runs in, one value per run out.

A measure has its direction, range and required input as attributes, so callers need not pass them.
"""

from __future__ import annotations

import copy
import reprlib
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Bools, Floats, Ints
from bestofk.errors import InvalidArgumentError
from bestofk.words import printable

CLASSIFICATION = "classification"
REGRESSION = "regression"
# Rows processed together, few enough for the cache.
CACHED_ROWS = 32_768
Needs = Literal["labels", "scores", "probabilities", "values"]


@dataclass(frozen=True, eq=False)
class PredictionBatch:
    """Predictions of many runs, laid end to end.

    Run `i` holds the rows `starts[i]` to `starts[i + 1]`; no run is empty.

    Parameters
    ----------
    y_true : ndarray of shape (n,), int64 or float64
        Positions of the true classes in `classes`; for regression the true values.
    labels : ndarray of shape (n,), int64 or float64
        Positions of the predicted classes; for regression the predicted values.
    starts : ndarray of shape (n_runs + 1,), int64
        Where each run begins; the last entry is `n`.
    classes : ndarray of shape (n_classes,)
        Class labels in sorted order; empty for regression.
    probabilities : ndarray of shape (n, n_classes), float64, or None
        Predicted probabilities (0-1), columns in the order of `classes`.
    decision : ndarray of shape (n,) or (n, n_classes), float64, or None
        Decision values, for learners that give no probabilities. Two classes: one
        value per row, large means `classes[1]`. More classes: one column per class.
    positive : int or None
        Position of the positive class where there are two; None means 1.

    Attributes
    ----------
    is_hit : ndarray of shape (n,), bool
        Whether the class of each row is predicted correctly; empty for regression.

    Raises
    ------
    InvalidArgumentError
        If shapes do not fit, a run is empty, a position is not one of a class, or a
        prediction is nan.

    Examples
    --------
    >>> import numpy as np
    >>> batch = PredictionBatch(
    ...     y_true=np.array([0, 1, 1, 0, 1]),
    ...     labels=np.array([0, 1, 0, 0, 1]),
    ...     starts=np.array([0, 3, 5]),
    ...     classes=np.array(["no", "yes"]),
    ... )
    >>> batch.n_runs, batch.lengths.tolist()
    (2, [3, 2])
    """

    y_true: np.ndarray
    labels: np.ndarray
    starts: Ints
    classes: np.ndarray
    probabilities: Floats | None = None
    decision: Floats | None = None
    positive: int | None = None
    is_hit: Bools = field(init=False, repr=False)

    def __post_init__(self) -> None:
        n_rows, n_classes = len(self.y_true), len(self.classes)
        ends = (self.starts[:1].sum(), self.starts[-1:].sum())
        if len(self.starts) < 1 or ends != (0, n_rows) or np.any(self.lengths < 1):
            _refuse("starts", f"rising from 0 to the number of rows ({n_rows})", self.starts)
        _check_shape("labels", self.labels, self.y_true.shape)
        hits = np.empty(n_rows if self.is_classification else 0, dtype=bool)
        object.__setattr__(self, "is_hit", hits)
        # compared while they are in the cache
        for start in range(0, len(hits), CACHED_ROWS):
            some = slice(start, start + CACHED_ROWS)
            np.equal(self.y_true[some], self.labels[some], out=hits[some])
            _check_positions("y_true", self.y_true[some], n_classes)
            _check_positions("labels", self.labels[some], n_classes)
        if not self.is_classification:
            _check_no_nan("labels", self.labels)
        table = (n_rows, n_classes)
        decision_shape = (n_rows,) if n_classes == 2 else table
        optional = (
            ("probabilities", self.probabilities, table),
            ("decision", self.decision, decision_shape),
        )
        for what, scores, shape in optional:
            if scores is not None:
                _check_shape(what, scores, shape)
                _check_no_nan(what, scores)

    @property
    def is_classification(self) -> bool:
        """Return whether classes were predicted, not values."""
        return len(self.classes) > 0

    @property
    def n_runs(self) -> int:
        """Number of runs."""
        return len(self.starts) - 1

    @cached_property
    def lengths(self) -> Ints:
        """Rows of each run, shape (n_runs,)."""
        return np.diff(self.starts)

    @cached_property
    def run_of_row(self) -> Ints:
        """The run of each row, shape (n,)."""
        return np.repeat(np.arange(self.n_runs), self.lengths)

    def class_scores(self, class_index: int) -> Floats | None:
        """Return the scores of a class for each row; None if only labels are known.

        Parameters
        ----------
        class_index : int
            Position of the class.

        Returns
        -------
        ndarray of shape (n,) or None
            Its probability (0-1), else its decision value.
        """
        scores = self.decision if self.probabilities is None else self.probabilities
        if scores is None or scores.ndim == 2:
            return None if scores is None else scores[:, class_index]
        return scores if class_index == 1 else -scores

    def of_rows(self, rows: Ints | slice, starts: Ints) -> PredictionBatch:
        """Return a batch of some rows, in any order, divided into new runs."""
        return replace(
            self,
            y_true=self.y_true[rows],
            labels=self.labels[rows],
            starts=starts,
            probabilities=None if self.probabilities is None else self.probabilities[rows],
            decision=None if self.decision is None else self.decision[rows],
        )

    @property
    def positive_class(self) -> int:
        """Position of the positive class, where there are two classes."""
        return 1 if self.positive is None else self.positive


class Measure(ABC):
    """Measure of predictions: one value per run, with direction, range and needs.

    Attributes
    ----------
    name : str
        The name to ask for it by.
    title : str
        The name to print.
    task : {"classification", "regression"} or None
        Its task; None for both.
    greater_is_better : bool
        The direction.
    minimum, maximum : float
        The range; -inf or inf if unbounded.
    needs : {"labels", "scores", "probabilities", "values"}
        The predictions it requires; scores are probabilities or decision values.
    is_row_mean : bool
        Whether the value of a run is the mean of the values of its rows, each measured alone.
    is_root_mean : bool
        Whether the value of a run is the root of the mean of the squared values of its rows.
    is_of_hits : bool
        Whether the value of each row is 0 or 1: right or wrong.
    undefined : str
        Reason for nan in `compute`; empty if it is never nan.
    has_positive : bool
        Whether the value depends on which of two classes is the positive one.
    positive : int or None
        Position of the positive class; None takes that of the predictions.
    pos_label : label or None
        The positive class, if the title names it.
    whose : str
        Words for the class in the title; empty if it names none.
    """

    name: str
    title: str
    task: str | None = CLASSIFICATION
    greater_is_better: bool = True
    minimum: float = 0.0
    maximum: float = 1.0
    needs: Needs = "labels"
    is_row_mean: bool = False
    is_root_mean: bool = False
    is_of_hits: bool = False
    undefined: str = ""
    has_positive: bool = False
    positive: int | None = None
    pos_label: Any = None
    whose: str = ""

    def __repr__(self) -> str:
        direction = "higher" if self.greater_is_better else "lower"
        bounds = f"{self.minimum:g} to {self.maximum:g}"
        return printable(
            f"<measure {self.name}: {direction} is better, {bounds}, needs {self.needs}>"
        )

    def compute(self, batch: PredictionBatch) -> Floats:
        """Measure every run of a batch.

        The value of a run does not depend on the other runs, to the last bit.

        Parameters
        ----------
        batch : PredictionBatch
            Predictions of any number of runs.

        Returns
        -------
        ndarray of shape (n_runs,), float64
            In the unit of the measure (proportions are 0-1); nan where the measure is
            undefined for the test rows of a run, for the reason in `undefined`.

        Raises
        ------
        InvalidArgumentError
            If the batch belongs to the other task, or lacks the predictions that the measure needs.

        Examples
        --------
        >>> import numpy as np
        >>> from bestofk.measures import PredictionBatch, get_measure
        >>> batch = PredictionBatch(
        ...     y_true=np.array([0, 1, 1, 0, 1]),
        ...     labels=np.array([0, 1, 0, 0, 1]),
        ...     starts=np.array([0, 3, 5]),
        ...     classes=np.array(["no", "yes"]),
        ... )
        >>> error = get_measure("error", task="classification", classes=batch.classes)
        >>> error.compute(batch).round(3).tolist()
        [0.333, 0.0]
        """
        task = CLASSIFICATION if batch.is_classification else REGRESSION
        if self.task not in (None, task):
            _refuse(f"task of measure {self.name!r}", f"that of the predictions, {task}", self.task)
        reason = self.missing_reason(
            has_probabilities=batch.probabilities is not None,
            has_decision=batch.decision is not None,
        )
        if reason is not None:
            raise InvalidArgumentError(reason)
        return self._values(batch) if batch.n_runs else np.empty(0)

    @classmethod
    def of_data(cls, n_classes: int, cost_matrix: ArrayLike | None = None) -> Measure:
        """Return the measure for data with the given number of classes, and costs if needed."""
        return cls()

    @abstractmethod
    def _values(self, batch: PredictionBatch) -> Floats:
        """Return one value per run of a checked batch that is not empty."""

    def loss(self, values: Floats) -> Floats:
        """Return values as losses, where smaller is better: negated if greater is better."""
        return -values if self.greater_is_better else values

    @property
    def has_row_losses(self) -> bool:
        """Whether single rows have losses, so that a test on one test set is possible."""
        return self.is_row_mean or self.is_root_mean

    def row_losses(self, batch: PredictionBatch) -> Floats:
        """Return losses of single rows, whose mean is the loss of all rows as one run.

        For a root r of mean squared errors e^2, each row has the loss (r^2 + e^2) / (2 r). Their
        mean is r, and the mean difference of two learners varies like the difference of their roots
        (delta method).

        Parameters
        ----------
        batch : PredictionBatch
            Its division into runs is ignored.

        Returns
        -------
        ndarray of shape (n,), float64

        Raises
        ------
        InvalidArgumentError
            If rows have no losses by this measure.

        Examples
        --------
        >>> from bestofk.measures import get_measure
        >>> true, predicted = np.array([1.0, 9.0]), np.array([2.0, 2.0])
        >>> batch = PredictionBatch(true, predicted, np.array([0, 2]), np.array([]))
        >>> rmse = get_measure("rmse", task="regression", classes=[])
        >>> rmse.row_losses(batch).tolist(), rmse.compute(batch).tolist()
        ([2.6, 7.4], [5.0])
        """
        if not self.has_row_losses:
            _refuse("measure of row losses", "a mean over rows, or the root of one", self.name)
        losses = self.loss(self.compute(replace(batch, starts=np.arange(len(batch.y_true) + 1))))
        if self.is_row_mean:
            return losses
        squares = np.square(losses)
        root = float(np.sqrt(squares.mean()))
        return (root**2 + squares) / (2 * root) if root else squares

    def of_class(self, positive: int | None, label: object = None) -> Measure:
        """Return the measure for a positive class, with the class in its title.

        Parameters
        ----------
        positive : int or None
            Position of the class; None for data sets whose positive classes differ.
        label : label, optional
            The class.

        Returns
        -------
        Measure
            The measure itself if its value is the same for both classes.

        Examples
        --------
        >>> from bestofk.measures import get_measure
        >>> f1 = get_measure("f1", task="classification", classes=["no", "yes"])
        >>> f1.of_class(0, "no").title, f1.of_class(None).title
        ("F1 of class 'no'", 'F1 of the positive class')
        """
        if not self.has_positive:
            return self
        bound = copy.copy(self)
        bound.positive, bound.pos_label = positive, label
        bound.whose = "the positive class" if positive is None else class_in_words(label)
        bound.title = f"{self.title.removesuffix(f' of {self.whose}')} of {bound.whose}"
        return bound

    def _positive_in(self, batch: PredictionBatch) -> int:
        return batch.positive_class if self.positive is None else self.positive

    def missing_reason(self, *, has_probabilities: bool, has_decision: bool) -> str | None:
        """Return the reason why the measure cannot be computed for a learner.

        Parameters
        ----------
        has_probabilities, has_decision : bool
            Whether the learner gives these in addition to labels.

        Returns
        -------
        str or None
            The reason; None if the measure can be computed.

        Examples
        --------
        >>> from bestofk.measures import get_measure
        >>> log_loss = get_measure("log_loss", task="classification", classes=["a", "b"])
        >>> log_loss.missing_reason(has_probabilities=False, has_decision=True)
        'log_loss needs probabilities; this learner gives none'
        """
        if self.needs == "probabilities" and not has_probabilities:
            return f"{self.name} needs probabilities; this learner gives none"
        if self.needs == "scores" and not (has_probabilities or has_decision):
            return f"{self.name} needs probabilities or decision values; this learner gives neither"
        return None


class MeasureOfClasses(Measure):
    """A measure whose range or title depends on the number of classes.

    Parameters
    ----------
    n_classes : int
        Number of classes of the data.
    """

    @abstractmethod
    def __init__(self, n_classes: int) -> None: ...

    @classmethod
    def of_data(cls, n_classes: int, cost_matrix: ArrayLike | None = None) -> Measure:
        """Return the measure for a number of classes; see `Measure.of_data`."""
        return cls(n_classes)


class RankingMeasure(MeasureOfClasses):
    """A measure of rankings; for several classes, the mean over all of them.

    Parameters
    ----------
    n_classes : int
        Number of classes of the data.
    """

    needs = "scores"

    def __init__(self, n_classes: int) -> None:
        if n_classes > 2:
            self.title = f"{self.title}, each class against the rest"
            self.undefined = "a class is absent from the test rows, but the mean needs all classes"


def class_in_words(label: object) -> str:
    """Return a class as in titles: a text in quotation marks, shortened if long.

    Examples
    --------
    >>> class_in_words("yes"), class_in_words(1)
    ("class 'yes'", 'class 1')
    """
    return f"class {reprlib.repr(label)}"


def measure_of_all(measures: Iterable[Measure]) -> Measure:
    """Return the measure of several data sets, which may have different positive classes.

    Examples
    --------
    >>> from bestofk.measures import get_measure
    >>> f1 = get_measure("f1", task="classification", classes=["no", "yes"])
    >>> measure_of_all([f1.of_class(1, "yes"), f1.of_class(0, "ill")]).title
    'F1 of the positive class'
    """
    first, *others = measures
    return first if all(first.whose == other.whose for other in others) else first.of_class(None)


def _check_positions(what: str, positions: np.ndarray, n_classes: int) -> None:
    # As unsigned integers, negative numbers are the largest, so one pass checks both bounds.
    unsigned = np.asarray(positions, dtype=np.int64).view(np.uint64)
    if unsigned.size and unsigned.max() >= n_classes:
        _refuse(what, f"positions from 0 to {n_classes - 1}", np.unique(positions))


def _check_shape(what: str, values: np.ndarray, shape: tuple[int, ...]) -> None:
    if values.shape != shape:
        _refuse(what, f"of shape {shape}", values.shape)


def _check_no_nan(what: str, values: np.ndarray) -> None:
    if values.size and np.isnan(values.min()):
        _refuse(what, "free of nan", f"{np.count_nonzero(np.isnan(values))} nan")


def _refuse(what: str, rule: str, value: object) -> None:
    raise InvalidArgumentError(f"{what} must be {rule}; got {value}.")

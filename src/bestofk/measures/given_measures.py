"""Measures defined elsewhere: functions of users, and scorers of scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from bestofk.array_types import Floats, Ints
from bestofk.errors import InvalidArgumentError
from bestofk.measures.measure import CLASSIFICATION, REGRESSION, Measure, Needs, PredictionBatch

# Direction by the last word of a function's name, as in scikit-learn.
_GREATER_IS_BETTER_BY_ENDING = {"score": True, "loss": False, "error": False}


class FunctionMeasure(Measure):
    """A function `(y_true, y_pred) -> float`, called once per run.

    Made by `make_measure`. The function receives real labels or values, not positions.
    """

    task = None
    minimum = -np.inf
    maximum = np.inf
    undefined = "the function gave nan for the test rows"

    def __init__(self, function: Callable[..., Any], greater_is_better: bool) -> None:
        self.name = self.title = _name_of(function)
        self.greater_is_better = greater_is_better
        self._function = function

    def _values(self, batch: PredictionBatch) -> Floats:
        y_true, y_pred = batch.y_true, batch.labels
        if batch.is_classification:
            y_true, y_pred = batch.classes[y_true], batch.classes[y_pred]
        bounds = zip(batch.starts[:-1], batch.starts[1:], strict=True)
        return np.array([self._call(y_true[i:j], y_pred[i:j]) for i, j in bounds])

    def _call(self, y_true: np.ndarray, y_pred: np.ndarray) -> float:
        try:
            value = self._function(y_true, y_pred)
        except Exception as error:
            raise InvalidArgumentError(
                f"measure {self.name!r} must be computable for every run; got "
                f"{type(error).__name__}: {error}. Return nan where it is undefined."
            ) from error
        try:
            return float(value)
        except (TypeError, ValueError):
            raise InvalidArgumentError(
                f"value of measure {self.name!r} must be one number; got {value!r}."
            ) from None


def make_measure(function: Callable[..., Any], *, greater_is_better: bool) -> Measure:
    """Make a measure from a function of true and predicted labels or values.

    Parameters
    ----------
    function : callable
        `(y_true, y_pred) -> float`, called once per run with two ndarrays of shape
        (n_test_rows,): class labels, or values for regression. It may return nan.
    greater_is_better : bool
        The direction.

    Returns
    -------
    Measure
        Named as the function; its range is not bounded.

    Raises
    ------
    InvalidArgumentError
        When computed, if the function raises or does not return one number.

    Examples
    --------
    >>> import numpy as np
    >>> def worst_miss(y_true, y_pred):
    ...     return np.max(np.abs(y_true - y_pred))
    >>> make_measure(worst_miss, greater_is_better=False)
    <measure worst_miss: lower is better, -inf to inf, needs labels>
    """
    return FunctionMeasure(function, greater_is_better)


def measure_of_function(function: Callable[..., Any]) -> Measure:
    """Make a measure from a function that shows its direction.

    Parameters
    ----------
    function : callable
        `(y_true, y_pred) -> float`, with an attribute `greater_is_better`, or a name
        that ends in "score" (higher is better), "loss" or "error" (lower is better).

    Returns
    -------
    Measure
        Named as the function.

    Raises
    ------
    InvalidArgumentError
        If the function does not say its direction.

    Examples
    --------
    >>> from sklearn.metrics import median_absolute_error
    >>> measure_of_function(median_absolute_error).greater_is_better
    False
    """
    name = _name_of(function)
    declared = getattr(function, "greater_is_better", None)
    by_ending = (
        greater for ending, greater in _GREATER_IS_BETTER_BY_ENDING.items() if name.endswith(ending)
    )
    direction = next(by_ending, None) if declared is None else bool(declared)
    if direction is None:
        raise InvalidArgumentError(
            f"direction of the measure {name!r} must be known; got a function whose name ends "
            "neither in score nor in loss or error. "
            "Pass make_measure(function, greater_is_better=...), function(y_true, y_pred)."
        )
    return make_measure(function, greater_is_better=direction)


def _name_of(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


class ScorerFacts(NamedTuple):
    """Facts about a scorer that scikit-learn does not expose."""

    task: str
    needs: Needs
    minimum: float
    maximum: float
    is_binary: bool = False


_LABELS = ScorerFacts(CLASSIFICATION, "labels", 0.0, 1.0)
_BINARY_LABELS = ScorerFacts(CLASSIFICATION, "labels", 0.0, 1.0, is_binary=True)
_PROBABILITIES = ScorerFacts(CLASSIFICATION, "probabilities", 0.0, 1.0)
_NEGATED_VALUES = ScorerFacts(REGRESSION, "values", -np.inf, 0.0)
_EXPLAINED_VALUES = ScorerFacts(REGRESSION, "values", -np.inf, 1.0)

SCORERS: dict[str, ScorerFacts] = {
    "f1_micro": _LABELS,
    "f1_weighted": _LABELS,
    "jaccard": _BINARY_LABELS,
    "jaccard_macro": _LABELS,
    "jaccard_micro": _LABELS,
    "jaccard_weighted": _LABELS,
    "precision_macro": _LABELS,
    "precision_micro": _LABELS,
    "precision_weighted": _LABELS,
    "recall_macro": _LABELS,
    "recall_micro": _LABELS,
    "recall_weighted": _LABELS,
    "positive_likelihood_ratio": _BINARY_LABELS._replace(maximum=np.inf),
    "neg_negative_likelihood_ratio": _BINARY_LABELS._replace(minimum=-np.inf, maximum=0.0),
    "roc_auc_ovo": _PROBABILITIES,
    "roc_auc_ovo_weighted": _PROBABILITIES,
    "d2_brier_score": _PROBABILITIES._replace(minimum=-np.inf),
    "d2_log_loss_score": _PROBABILITIES._replace(minimum=-np.inf),
    "d2_absolute_error_score": _EXPLAINED_VALUES,
    "explained_variance": _EXPLAINED_VALUES,
    "neg_mean_gamma_deviance": _NEGATED_VALUES,
    "neg_mean_poisson_deviance": _NEGATED_VALUES,
    "neg_mean_squared_log_error": _NEGATED_VALUES,
}

_CLUSTERING = "it compares two clusterings, not predictions with the truth"
_MULTILABEL = "it needs several labels per row"
REFUSED: dict[str, str] = {
    "adjusted_mutual_info_score": _CLUSTERING,
    "adjusted_rand_score": _CLUSTERING,
    "completeness_score": _CLUSTERING,
    "fowlkes_mallows_score": _CLUSTERING,
    "homogeneity_score": _CLUSTERING,
    "mutual_info_score": _CLUSTERING,
    "normalized_mutual_info_score": _CLUSTERING,
    "rand_score": _CLUSTERING,
    "v_measure_score": _CLUSTERING,
    "f1_samples": _MULTILABEL,
    "jaccard_samples": _MULTILABEL,
    "precision_samples": _MULTILABEL,
    "recall_samples": _MULTILABEL,
}


class ScorerMeasure(Measure):
    """A scikit-learn scorer, called once per run on stored predictions.

    It keeps scikit-learn's name and sign: always higher is better.

    Parameters
    ----------
    name : str
        A key of `SCORERS`.

    Raises
    ------
    InvalidArgumentError
        If the installed scikit-learn has no such scorer.
    """

    undefined = "scikit-learn gives no value for the test rows, often because a class is absent"

    def __init__(self, name: str) -> None:
        from sklearn.metrics import get_scorer, get_scorer_names

        if name not in get_scorer_names():
            raise InvalidArgumentError(
                f"scorer {name!r} must be one of the installed scikit-learn; it does not exist "
                "there. Update scikit-learn or choose another measure."
            )
        facts = SCORERS[name]
        self.name = name
        self.title = name.replace("_", " ")
        self.task = facts.task
        self.needs = facts.needs
        self.minimum, self.maximum = facts.minimum, facts.maximum
        self._scorer = get_scorer(name)
        self.has_positive = facts.is_binary

    def _values(self, batch: PredictionBatch) -> Floats:
        learner = _StoredPredictions(batch, self._positive_in(batch))
        rows = np.arange(len(batch.y_true))
        bounds = zip(batch.starts[:-1], batch.starts[1:], strict=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # undefined values are returned as nan or 0
            return np.array([self._call(learner, rows[i:j]) for i, j in bounds])

    def _call(self, learner: _StoredPredictions, rows: Ints) -> float:
        try:
            return float(self._scorer(learner, rows, learner.y_true[rows]))
        except ValueError:
            return float("nan")


class _StoredPredictions:
    """A fitted learner for scorers: its "features" are the numbers of stored rows.

    Classes are numbered, the positive one of two last, so that scorers need no
    `pos_label`.
    """

    def __init__(self, batch: PredictionBatch, positive: int) -> None:
        self._is_classification = batch.is_classification
        self.y_true, self._labels = batch.y_true, batch.labels
        if not batch.is_classification:
            return
        n_classes = len(batch.classes)
        self.classes_ = np.arange(n_classes)
        flips = n_classes == 2 and positive == 0
        if flips:
            self.y_true, self._labels = 1 - batch.y_true, 1 - batch.labels
        if batch.probabilities is not None:
            table = batch.probabilities[:, ::-1] if flips else batch.probabilities
            self.predict_proba = _reader("predict_proba", table)
        elif batch.decision is not None:
            values = -batch.decision if flips else batch.decision
            self.decision_function = _reader("decision_function", values)

    @cached_property
    def _tags(self) -> Any:
        from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

        kind = ClassifierMixin if self._is_classification else RegressorMixin
        return type("Learner", (kind, BaseEstimator), {})().__sklearn_tags__()

    def __sklearn_tags__(self) -> Any:
        return self._tags

    @property
    def _estimator_type(self) -> str:
        return "classifier" if self._is_classification else "regressor"

    def predict(self, rows: Ints) -> np.ndarray:
        """Return the stored predictions of the rows."""
        return self._labels[rows]


def _reader(name: str, values: Floats) -> Callable[[Ints], Any]:
    """Return a method that looks up rows, with a name for scikit-learn."""

    def read(rows: Ints) -> Any:
        return values[rows]

    read.__name__ = name
    return read

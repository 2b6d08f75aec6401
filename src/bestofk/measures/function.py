"""Measures made from user-defined functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bestofk.array_types import Floats
from bestofk.errors import InvalidArgumentError
from bestofk.measures.measure import Measure, PredictionBatch

# What the last word of a function's name says about its direction, as in scikit-learn.
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
    """Make a measure of a function of true and predicted labels or values.

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
    """Make a measure of a function that says its direction itself.

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

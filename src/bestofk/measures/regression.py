"""Measures of predicted values: squared, absolute, relative and largest errors, and R squared."""

import numpy as np

from bestofk.array_types import Floats
from bestofk.checks import check_number
from bestofk.measures.measure import REGRESSION, Measure, PredictionBatch
from bestofk.measures.predicted_classes import run_means


class _RegressionError(Measure):
    """Base of the errors of predicted values."""

    task = REGRESSION
    greater_is_better = False
    maximum = np.inf
    needs = "values"


class MeanSquaredError(_RegressionError):
    """Mean squared difference, in the squared unit of the target."""

    name = "mse"
    title = "mean squared error"
    is_row_mean = True

    def _values(self, batch: PredictionBatch) -> Floats:
        return run_means(batch, np.square(batch.y_true - batch.labels))


class MeanAbsoluteError(_RegressionError):
    """Mean absolute difference, in the unit of the target."""

    name = "mae"
    title = "mean absolute error"
    is_row_mean = True

    def _values(self, batch: PredictionBatch) -> Floats:
        return run_means(batch, np.abs(batch.y_true - batch.labels))


class RootMeanSquaredError(_RegressionError):
    """Square root of the mean squared error of a run, in the unit of the target.

    Over splits, the mean of the roots is taken, not the root of the mean.
    """

    name = "rmse"
    title = "root mean squared error"
    is_root_mean = True

    def _values(self, batch: PredictionBatch) -> Floats:
        return np.sqrt(run_means(batch, np.square(batch.y_true - batch.labels)))


class RootMeanSquaredLogError(_RegressionError):
    """Root mean squared difference of logarithms, each of 1 plus the value; for positive targets.

    An error of 0.1 is about ten percent of a large target. Undefined (nan) if a target of the test
    rows is below 0; predictions below 0 count as 0.
    """

    name = "rmsle"
    title = "root mean squared logarithmic error"
    is_root_mean = True
    undefined = "a target is below 0"

    def _values(self, batch: PredictionBatch) -> Floats:
        true = np.log1p(np.where(batch.y_true < 0, np.nan, batch.y_true))
        return np.sqrt(run_means(batch, np.square(true - np.log1p(np.maximum(batch.labels, 0.0)))))


class MedianAbsoluteError(_RegressionError):
    """Median absolute difference of a run, in the unit of the target."""

    name = "median_absolute_error"
    title = "median absolute error"

    def _values(self, batch: PredictionBatch) -> Floats:
        errors = np.abs(batch.y_true - batch.labels)
        return np.array([np.median(part) for part in np.split(errors, batch.starts[1:-1])])


class MeanAbsolutePercentageError(_RegressionError):
    """Mean of the absolute differences, each divided by the size of the target.

    A proportion, not percent: 0.1 is ten percent. Undefined (nan) if a target of the test rows is
    0; scikit-learn divides by 2.2e-16 there.
    """

    name = "mape"
    title = "mean absolute percentage error"
    is_row_mean = True
    undefined = "a target is 0"

    def _values(self, batch: PredictionBatch) -> Floats:
        sizes = np.abs(batch.y_true)
        shares = np.full(len(sizes), np.nan)
        np.divide(np.abs(batch.y_true - batch.labels), sizes, out=shares, where=sizes > 0)
        return run_means(batch, shares)


class PinballLoss(_RegressionError):
    """Loss that is smallest, on average, for the prediction of a quantile.

    Each unit of a target above the prediction costs the quantile, each unit below it one minus the
    quantile: at 0.5, half of the absolute error. In the unit of the target.

    Parameters
    ----------
    quantile : float, default=0.5
        Between 0 and 1.
    name : str
        The name by which it was asked for.

    Raises
    ------
    InvalidArgumentError
        If the quantile is not between 0 and 1.

    References
    ----------
    .. [1] Koenker & Bassett (1978), Regression quantiles, Econometrica 46.
    """

    is_row_mean = True

    def __init__(self, quantile: float = 0.5, name: str = "pinball") -> None:
        check_number(
            quantile,
            "quantile of the pinball loss",
            low=0,
            high=1,
            is_open="both",
            way_out="0.5 is the median.",
        )
        self.name, self.title = name, f"pinball loss of the {quantile:g} quantile"
        self.quantile = quantile

    def _values(self, batch: PredictionBatch) -> Floats:
        above = batch.y_true - batch.labels
        return run_means(batch, np.maximum(self.quantile * above, (self.quantile - 1) * above))


class MaximumError(_RegressionError):
    """Largest absolute difference of a run, in the unit of the target."""

    name = "max_error"
    title = "largest absolute error"

    def _values(self, batch: PredictionBatch) -> Floats:
        errors = np.abs(batch.y_true - batch.labels)
        return np.asarray(np.maximum.reduceat(errors, batch.starts[:-1]))


class R2(Measure):
    """One minus the squared error divided by that of the mean of the test rows.

    1 is perfect, 0 is no better than that mean, below 0 is worse. Undefined (nan) where
    the target is constant in the test rows, a single row included; scikit-learn's
    `r2_score` gives 0 or 1 there by default.
    """

    name = "r2"
    title = "R squared"
    task = REGRESSION
    minimum = -np.inf
    needs = "values"
    undefined = "the target is constant in the test rows"

    def _values(self, batch: PredictionBatch) -> Floats:
        starts = batch.starts[:-1]
        lowest = np.minimum.reduceat(batch.y_true, starts)
        varies = np.maximum.reduceat(batch.y_true, starts) > lowest
        # Subtracting a value of the run first keeps the digits of the mean.
        centered = batch.y_true - lowest[batch.run_of_row]
        centered = centered - run_means(batch, centered)[batch.run_of_row]
        spread = run_means(batch, np.square(centered))
        unexplained = run_means(batch, np.square(batch.y_true - batch.labels))
        return np.where(varies, 1.0 - unexplained / np.where(varies, spread, 1.0), np.nan)

"""Curves of predicted classes: ROC, precision and recall, calibration; one class at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bestofk.errors import InvalidArgumentError
from bestofk.inference.one_test_set.roc import roc_curve_points
from bestofk.measures import PredictionBatch

Floats = NDArray[np.float64]
# Where curves of runs are averaged: rates from 0 to 1.
GRID: Floats = np.linspace(0, 1, 51)


def mean_roc(batch: PredictionBatch, class_index: int) -> Floats | None:
    """Return the mean ROC curve of all runs for a class against the rest.

    Curves of runs are averaged vertically [1]_: scores of different models are on different
    scales, so that their rows are not pooled.

    Parameters
    ----------
    batch : PredictionBatch
        Predictions of classes.
    class_index : int
        Position of the class.

    Returns
    -------
    ndarray of shape (52,) or None
        True-positive rates, first 0 and then those at the false-positive rates of `GRID`. None
        where only labels are known, or no run has rows of the class and rows of others.

    References
    ----------
    .. [1] Fawcett (2006), An introduction to ROC analysis, Pattern Recognition Letters 27(8).

    Examples
    --------
    >>> import numpy as np
    >>> batch = PredictionBatch(
    ...     np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0]), np.array([0, 4]), np.array(["a", "b"]),
    ...     decision=np.array([-2.0, 3.0, -1.0, 0.5]),
    ... )
    >>> mean_roc(batch, 1)[[0, 1, 25, 26, 51]].tolist()
    [0.0, 0.5, 0.5, 1.0, 1.0]
    """
    rates = _mean_of_runs(batch, class_index, lambda fpr, tpr, _: np.interp(GRID, fpr, tpr))
    return None if rates is None else np.append(0.0, rates)


def mean_precision(batch: PredictionBatch, class_index: int) -> Floats | None:
    """Return the mean precision of all runs for a class, at each recall of `GRID` above 0.

    Between two thresholds it follows the line of the ROC curve, which is a hyperbola here [1]_.

    Parameters
    ----------
    batch : PredictionBatch
        Predictions of classes.
    class_index : int
        Position of the class.

    Returns
    -------
    ndarray of shape (50,) or None
        Share of right ones (0-1) among the rows taken for the class; None as for `mean_roc`.

    References
    ----------
    .. [1] Davis & Goadrich (2006), The relationship between precision-recall and ROC curves,
       ICML.

    Examples
    --------
    >>> import numpy as np
    >>> batch = PredictionBatch(
    ...     np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0]), np.array([0, 4]), np.array(["a", "b"]),
    ...     decision=np.array([-2.0, 3.0, -1.0, 0.5]),
    ... )
    >>> mean_precision(batch, 1)[[0, 24, 49]].round(3).tolist()
    [1.0, 1.0, 0.667]
    """

    def of_run(fpr: Floats, tpr: Floats, share: float) -> Floats:
        recall = GRID[1:]
        # reversed, so that of several thresholds with one recall the best counts
        wrong = np.interp(1 - recall, 1 - tpr[::-1], fpr[::-1]) * (1 - share)
        return np.asarray(recall * share / (recall * share + wrong))

    return _mean_of_runs(batch, class_index, of_run)


def _mean_of_runs(
    batch: PredictionBatch,
    class_index: int,
    of_run: Callable[[Floats, Floats, float], Floats],
) -> Floats | None:
    """Average what each run gives from its rates and the share of rows of the class."""
    scores = batch.class_scores(class_index)
    if scores is None:
        return None
    is_class = batch.y_true == class_index
    curves = []
    for start, end in zip(batch.starts[:-1], batch.starts[1:], strict=True):
        share = float(is_class[start:end].mean())
        if 0 < share < 1:
            fpr, tpr, _ = roc_curve_points(is_class[start:end], scores[start:end])
            curves.append(of_run(fpr, tpr, share))
    return np.mean(curves, axis=0) if curves else None


def calibration(
    batch: PredictionBatch, class_index: int, n_bins: int = 10
) -> tuple[Floats, Floats, NDArray[np.int64]] | None:
    """Return how often a class came true, by its predicted probability.

    Parameters
    ----------
    batch : PredictionBatch
        Predictions of classes.
    class_index : int
        Position of the class.
    n_bins : int, default=10
        Bins of equal width.

    Returns
    -------
    stated, observed : ndarray of shape (n_used_bins,), float64
        Mean predicted probability, and share of rows of the class.
    counts : ndarray of shape (n_used_bins,), int64
        Predictions in each bin; bins without any are left out.
    None
        In place of all where there are no probabilities.

    Raises
    ------
    InvalidArgumentError
        If there is no bin.

    Examples
    --------
    >>> import numpy as np
    >>> batch = PredictionBatch(
    ...     np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0]), np.array([0, 4]), np.array(["a", "b"]),
    ...     probabilities=np.array([[0.9, 0.1], [0.1, 0.9], [0.8, 0.2], [0.85, 0.15]]),
    ... )
    >>> stated, observed, counts = calibration(batch, 1, n_bins=2)
    >>> stated.round(2).tolist(), observed.round(2).tolist(), counts.tolist()
    ([0.15, 0.9], [0.33, 1.0], [3, 1])
    """
    if n_bins < 1:
        raise InvalidArgumentError(f"n_bins must be at least 1; got {n_bins}. The usual is 10.")
    if batch.probabilities is None:
        return None
    stated = batch.probabilities[:, class_index]
    bins = np.clip((stated * n_bins).astype(np.int64), 0, n_bins - 1)
    counts = np.bincount(bins, minlength=n_bins)
    used = counts > 0
    sums = [
        np.bincount(bins, weights=values, minlength=n_bins)[used] / counts[used]
        for values in (stated, batch.y_true == class_index)
    ]
    return sums[0], sums[1], counts[used]

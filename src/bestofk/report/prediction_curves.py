"""Curves of predictions: ROC, precision and recall, calibration; errors along the target."""

from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np

from bestofk.array_types import Floats
from bestofk.checks import check_number
from bestofk.inference.one_test_set.roc import roc_curve_points
from bestofk.measures import PredictionBatch

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
    ndarray of shape (52, 2) or None
        False- and true-positive rates: first both 0, then those at the false-positive rates of
        `GRID`. None where only labels are known, or no run has rows of the class and of others.

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
    >>> mean_roc(batch, 1)[[0, 1, 25, 26, 51], 1].tolist()
    [0.0, 0.5, 0.5, 1.0, 1.0]
    """

    def of_run(fpr: Floats, tpr: Floats, share: float) -> Floats:
        return np.append(0.0, np.interp(GRID, fpr, tpr))

    return _mean_of_runs(batch, class_index, np.append(0.0, GRID), of_run)


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
    ndarray of shape (50, 2) or None
        Recall, and the share of right ones (0-1) among the rows taken for the class; None as for
        `mean_roc`.

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
    >>> mean_precision(batch, 1)[[0, 24, 49], 1].round(3).tolist()
    [1.0, 1.0, 0.667]
    """
    recall = GRID[1:]

    def of_run(fpr: Floats, tpr: Floats, share: float) -> Floats:
        # reversed, so that of several thresholds with one recall the best counts
        wrong = np.interp(1 - recall, 1 - tpr[::-1], fpr[::-1]) * (1 - share)
        return np.asarray(recall * share / (recall * share + wrong))

    return _mean_of_runs(batch, class_index, recall, of_run)


def _mean_of_runs(
    batch: PredictionBatch,
    class_index: int,
    x: Floats,
    of_run: Callable[[Floats, Floats, float], Floats],
) -> Floats | None:
    """Return x and the mean of what each run gives there, from its rates and the class's share."""
    curves = [of_run(*rates) for rates in _rates_of_runs(batch, class_index)]
    return np.column_stack([x, np.mean(curves, axis=0)]) if curves else None


@lru_cache(maxsize=4)  # several curves of the same few learners are drawn
def _rates_of_runs(batch: PredictionBatch, class_index: int) -> list[tuple[Floats, Floats, float]]:
    """Return false- and true-positive rates of each run with both classes, and the share."""
    scores = batch.class_scores(class_index)
    is_class = batch.y_true == class_index
    rates = []
    for start, end in zip(batch.starts[:-1], batch.starts[1:], strict=True):
        share = float(is_class[start:end].mean())
        if scores is not None and 0 < share < 1:
            fpr, tpr, _ = roc_curve_points(is_class[start:end], scores[start:end])
            rates.append((fpr, tpr, share))
    return rates


def curves_of(
    batches: Mapping[str, PredictionBatch],
    curve: Callable[[PredictionBatch, int], Floats | None],
    class_index: int,
) -> dict[str, Floats]:
    """Return a curve of a class for every learner that has one.

    Parameters
    ----------
    batches : mapping of str to PredictionBatch
        Predictions of every learner.
    curve : callable
        Such as `mean_roc`.
    class_index : int
        Position of the class.

    Returns
    -------
    dict of str to ndarray of shape (n_points, 2 or more)
    """
    curves = {name: curve(batch, class_index) for name, batch in batches.items()}
    return {name: points for name, points in curves.items() if points is not None}


def calibration(batch: PredictionBatch, class_index: int, n_bins: int = 10) -> Floats | None:
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
    ndarray of shape (n_used_bins, 3) or None
        Mean predicted probability, share of rows of the class, and number of predictions of each
        bin; bins without any are left out. None where there are no probabilities.

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
    >>> calibration(batch, 1, n_bins=2).round(2).tolist()
    [[0.15, 0.33, 3.0], [0.9, 1.0, 1.0]]
    """
    check_number(n_bins, "n_bins", low=1, whole=True, way_out="The usual is 10.")
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
    return np.column_stack([*sums, counts[used]])


def error_by_tenth(true: Floats, predicted: Floats) -> Floats:
    """Return the root mean squared error of every tenth of the rows, sorted by their true value.

    Parameters
    ----------
    true, predicted : ndarray of shape (n_rows,), float
        Of test rows.

    Returns
    -------
    ndarray of shape (n_parts, 3)
        Lowest and highest true value, and the error; ten parts, or one per row where rows are
        fewer.

    Examples
    --------
    >>> true = np.arange(20.0)
    >>> error_by_tenth(true, true + np.where(true < 18, 1, 7))[[0, 9]].tolist()
    [[0.0, 1.0, 1.0], [18.0, 19.0, 7.0]]
    """
    order = np.argsort(true, kind="stable")
    parts = np.array_split(order, min(10, len(order)))
    squares = np.square(true - predicted)
    return np.array([[*true[part[[0, -1]]], squares[part].mean() ** 0.5] for part in parts])

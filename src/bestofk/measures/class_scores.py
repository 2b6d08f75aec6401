"""Measures of scores and probabilities of classes: rankings, the k best, Brier score, log loss."""

import numpy as np
from numpy.typing import NDArray

from bestofk.array_types import Bools, Floats, Ints
from bestofk.errors import InvalidArgumentError
from bestofk.measures.measure import (
    CACHED_ROWS,
    Measure,
    MeasureOfClasses,
    PredictionBatch,
    RankingMeasure,
)
from bestofk.measures.predicted_classes import row_means, run_means


class Auroc(RankingMeasure):
    """Area under the ROC curve: chance that a positive row scores above a negative one.

    Ties count one half. With two classes, rows are ranked by the probability or
    decision value of the second class, as scikit-learn's scorer does; the area is the
    same whichever class is called positive. With more classes it is the plain mean over
    the classes, each against the rest. A run is undefined (nan) where any class has no
    test row: its area does not exist, and a mean over the others would be another
    measure.

    Parameters
    ----------
    n_classes : int
        Number of classes of the data.

    References
    ----------
    .. [1] Hanley & McNeil (1982), The meaning and use of the area under a receiver
       operating characteristic (ROC) curve, Radiology 143.
    .. [2] Provost & Domingos (2003), Tree induction for probability-based ranking,
       Machine Learning 52 (one class against the rest).
    """

    name = "auroc"
    title = "AUROC"
    undefined = "only one class in the test rows"

    def _values(self, batch: PredictionBatch) -> Floats:
        if len(batch.classes) == 2:
            return _two_class_areas(batch)
        areas, counts = _one_against_rest_areas(batch)
        return self._mean_over_classes(areas, counts)

    def _mean_over_classes(self, areas: Floats, counts: Ints) -> Floats:
        """Average tables of shape (n_runs, n_classes): areas, and rows of each class."""
        return row_means(areas, areas.shape[1])


class AurocWeighted(Auroc):
    """Mean of the areas of each class against the rest, weighted by its test rows.

    With two classes both areas are the same, so it equals `auroc`. Undefined where a
    class has no test row, like `auroc`.

    Parameters
    ----------
    n_classes : int
        Number of classes of the data.

    References
    ----------
    .. [1] Provost & Domingos (2003), Tree induction for probability-based ranking,
       Machine Learning 52.
    """

    name = "auroc_weighted"
    title = "AUROC weighted by class size"

    def _mean_over_classes(self, areas: Floats, counts: Ints) -> Floats:
        return row_means(areas * counts, counts.sum(axis=1))


def pooled_auroc(batch: PredictionBatch, groups: Ints) -> Floats:
    """Compute one AUROC from the pooled rows of several runs.

    Warning: not for comparing learners. The runs of different folds are different
    models whose scores are on different scales, and ranking their rows against each
    other lets badly matched scales pass for bad ranking; stratification makes it worse.
    The mean of the folds' own areas does not have this fault. [1]_

    Parameters
    ----------
    batch : PredictionBatch
        Predictions with probabilities or decision values.
    groups : ndarray of shape (n_runs,)
        The pool of each run, for example its learner and repeat as one number.

    Returns
    -------
    ndarray of shape (n_pools,), float64
        Areas (0-1) in the sorted order of the pools; nan where a class is absent.

    Raises
    ------
    InvalidArgumentError
        If there is not one group per run, or the batch has no scores of classes.

    References
    ----------
    .. [1] Forman & Scholz (2010), Apples-to-apples in cross-validation studies, SIGKDD
       Explorations 12(1).

    Examples
    --------
    >>> import numpy as np
    >>> score = np.array([0.1, 0.4, 0.6, 0.9])
    >>> batch = PredictionBatch(
    ...     y_true=np.array([0, 1, 0, 1]),
    ...     labels=np.array([0, 0, 1, 1]),
    ...     starts=np.array([0, 2, 4]),
    ...     classes=np.array([0, 1]),
    ...     decision=score,
    ... )
    >>> Auroc(2).compute(batch).tolist(), pooled_auroc(batch, np.array([0, 0])).tolist()
    ([1.0, 1.0], [0.75])
    """
    if np.shape(groups) != (batch.n_runs,):
        raise InvalidArgumentError(
            f"groups must be one pool per run, shape ({batch.n_runs},); got {np.shape(groups)}."
        )
    _, pool_of_run = np.unique(groups, return_inverse=True)
    pool_of_row = pool_of_run[batch.run_of_row]
    rows = np.argsort(pool_of_row, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(pool_of_row))))
    return Auroc(len(batch.classes)).compute(batch.of_rows(rows, starts))


def _two_class_areas(batch: PredictionBatch) -> Floats:
    scores = batch.class_scores(1)
    assert scores is not None  # the measure needs one of the two
    return _areas(scores, batch.y_true == 1, batch.starts)


def _one_against_rest_areas(batch: PredictionBatch) -> tuple[Floats, Ints]:
    """Return areas and class counts, each of shape (n_runs, n_classes)."""
    n_rows, n_classes = len(batch.y_true), len(batch.classes)
    scores = batch.probabilities if batch.probabilities is not None else batch.decision
    assert scores is not None  # the measure needs one of the two
    # The columns lie end to end: class c of run i is segment c * n_runs + i.
    is_positive = np.arange(n_classes)[:, None] == batch.y_true
    starts = (np.arange(n_classes)[:, None] * n_rows + batch.starts[:-1]).ravel()
    starts = np.append(starts, n_rows * n_classes)
    areas = _areas(scores.T.ravel(), is_positive.ravel(), starts)
    cells = batch.run_of_row * n_classes + batch.y_true
    counts = np.bincount(cells, minlength=batch.n_runs * n_classes)
    return areas.reshape(n_classes, -1).T, counts.reshape(-1, n_classes)


def _areas(scores: Floats, is_positive: Bools, starts: Ints) -> Floats:
    """Return the area of each segment, for several segments of equal length at once."""
    lengths = np.diff(starts)
    if scores.min() < 0:  # ranks are used instead: see `_keys`
        scores = np.unique(scores, return_inverse=True)[1].astype(np.float64)
    areas = np.empty(len(lengths))
    for length in np.unique(lengths).tolist():
        alike = np.flatnonzero(lengths == length)
        size = max(1, CACHED_ROWS // length)
        for some in (alike[i : i + size] for i in range(0, len(alike), size)):
            rows = starts[some, None] + np.arange(length)
            areas[some] = _row_areas(_keys(scores[rows], is_positive[rows]))
    return areas


def _keys(scores: Floats, is_positive: Bools) -> NDArray[np.uint64]:
    """Return whole numbers in the order of scores of at least 0, ties in the order of labels.

    The bits of floats that are not negative, read as whole numbers, have the order of the
    floats, and the highest is 0, so there is room for the label below the lowest.
    """
    scores += 0.0  # -0.0 becomes 0.0
    keys = scores.view(np.uint64)
    keys <<= np.uint64(1)
    keys |= is_positive
    return keys


def _row_areas(keys: NDArray[np.uint64]) -> Floats:
    """Return the area of each row of a table of keys, which is sorted in place.

    It comes from the rank sum of the positives.  All sums are of whole numbers or halves, so
    they are exact.
    """
    keys.sort(axis=1)
    n = keys.shape[1]
    is_positive = (keys & np.uint64(1)).view(np.int64).astype(np.float64)
    n_positive = is_positive.sum(axis=1)
    n_pairs = n_positive * (n - n_positive)
    wins = is_positive @ np.arange(1.0, n + 1) - n_positive * (n_positive + 1) / 2
    wins -= _tied_pairs(keys) / 2
    return np.where(n_pairs > 0, wins / np.maximum(n_pairs, 1), np.nan)


def _tied_pairs(keys: NDArray[np.uint64]) -> Floats:
    """Return how many pairs of a negative and a positive tie in each row of sorted keys."""
    n_rows, n = keys.shape
    flat = keys.ravel()
    steps = flat[1:] ^ flat[:-1]  # 1 from the last negative of a score to its first positive
    steps[n - 1 :: n] = 2  # from row to row
    result = np.zeros(n_rows)
    if not (steps == 1).any():
        return result
    ends = np.flatnonzero(steps)  # of groups of equal keys
    sizes = np.diff(ends, prepend=-1, append=len(steps))
    ties = np.flatnonzero(steps[ends] == 1)
    np.add.at(result, ends[ties] // n, sizes[ties] * sizes[ties + 1])
    return result


class AveragePrecision(RankingMeasure):
    """Mean over the positive rows of the precision among all rows scored at least as high.

    Rows of equal score are taken together, as in scikit-learn. With more than two classes it
    is the plain mean over the classes, each against the rest. Undefined (nan) where the
    positive class, or any class of more than two, has no test row.

    Parameters
    ----------
    n_classes : int
        Number of classes of the data.

    References
    ----------
    .. [1] Buckley & Voorhees (2000), Evaluating evaluation measure stability, SIGIR.
    """

    name = "average_precision"
    title = "average precision"
    has_positive = True
    undefined = "no test row is of the positive class"

    def _values(self, batch: PredictionBatch) -> Floats:
        if len(batch.classes) == 2:
            return _precisions(batch, self._positive_in(batch))
        table = [_precisions(batch, index) for index in range(len(batch.classes))]
        return row_means(np.column_stack(table), len(batch.classes))


def _precisions(batch: PredictionBatch, positive: int) -> Floats:
    """Return the average precision of a class in each run; nan where it has no row of it."""
    scores = batch.class_scores(positive)
    assert scores is not None  # the measure needs probabilities or decision values
    order = np.lexsort((-scores, batch.run_of_row))
    scores, is_positive = scores[order], batch.y_true[order] == positive
    starts = batch.starts[:-1]
    counts = np.cumsum(is_positive)
    before = np.concatenate(([0], counts))[starts]  # positives of earlier runs
    n_found: Ints = counts - before[batch.run_of_row]
    places = np.arange(1, len(scores) + 1) - starts[batch.run_of_row]
    # all rows of a run with equal scores get the precision after the last of them
    is_last = np.append((scores[1:] != scores[:-1]) | np.diff(batch.run_of_row).astype(bool), True)
    last = np.flatnonzero(is_last)
    last_of_row = np.repeat(last, np.diff(last, prepend=-1))
    precisions = np.where(is_positive, n_found[last_of_row] / places[last_of_row], 0.0)
    n_positive = np.add.reduceat(is_positive.astype(np.int64), starts)
    sums = np.add.reduceat(precisions, starts)
    return np.where(n_positive > 0, sums / np.maximum(n_positive, 1), np.nan)


class TopKAccuracy(MeasureOfClasses):
    """Share of rows whose true class is among the k classes scored highest.

    If classes tie for the last of the k places, a row counts as the share of them that fit;
    scikit-learn takes the later classes. Undefined (nan) where there are no more than k classes:
    every row would be right.

    Parameters
    ----------
    n_classes : int
        Number of classes of the data.
    k : int, default=2
        Number of classes that are named (k).
    name : str
        The name by which it was asked for.

    References
    ----------
    .. [1] Russakovsky et al. (2015), ImageNet large scale visual recognition challenge,
       International Journal of Computer Vision 115.
    """

    needs = "scores"
    is_row_mean = True
    is_of_hits = True

    def __init__(self, n_classes: int, k: int = 2, name: str = "top_k_accuracy") -> None:
        self.name, self.title, self.k = name, f"top-{k} accuracy", k
        if k >= n_classes:
            self.undefined = f"{k} of {n_classes} classes are named, so every row is right"

    def _values(self, batch: PredictionBatch) -> Floats:
        scores = batch.probabilities if batch.probabilities is not None else batch.decision
        assert scores is not None  # the measure needs one of the two
        if self.undefined:
            return np.full(batch.n_runs, np.nan)
        if scores.ndim == 1:  # two classes and k = 1
            scores = np.column_stack([-scores, scores])
        own = scores[np.arange(len(scores)), batch.y_true][:, None]
        n_above = np.count_nonzero(scores > own, axis=1)
        n_tied = np.count_nonzero(scores == own, axis=1)
        return run_means(batch, np.clip((self.k - n_above) / n_tied, 0.0, 1.0))


class Brier(MeasureOfClasses):
    """Mean squared distance between the probabilities and the truth as 0 and 1.

    Two classes: the squared error of the positive class's probability, 0 to 1. More
    classes: the sum of the squared errors over the classes, 0 to 2. These are the
    scales of scikit-learn's `brier_score_loss`.

    Parameters
    ----------
    n_classes : int
        Number of classes of the data.

    References
    ----------
    .. [1] Brier (1950), Verification of forecasts expressed in terms of probability,
       Monthly Weather Review 78.
    """

    name = "brier"
    title = "Brier score"
    greater_is_better = False
    needs = "probabilities"
    is_row_mean = True

    def __init__(self, n_classes: int) -> None:
        self.maximum = 1.0 if n_classes == 2 else 2.0

    def _values(self, batch: PredictionBatch) -> Floats:
        assert batch.probabilities is not None  # the measure needs them
        n_classes = len(batch.classes)
        errors = batch.probabilities.copy(order="C")
        errors[np.arange(len(errors)), batch.y_true] -= 1.0
        sums = np.add.reduceat(np.square(errors).ravel(), batch.starts[:-1] * n_classes)
        # With two classes, both have the same squared error.
        return np.asarray(sums / batch.lengths * (0.5 if n_classes == 2 else 1.0))


# Probabilities are kept this far from 0 and 1, as scikit-learn's log_loss does.
PROBABILITY_MARGIN = float(np.finfo(np.float64).eps)


class LogLoss(Measure):
    """Mean of minus the natural logarithm of the probability given to the true class.

    Probabilities are first clipped to the machine precision of float64, so that one row
    costs at most 36.04 and no value is infinite.

    References
    ----------
    .. [1] Good (1952), Rational decisions, Journal of the Royal Statistical Society B 14.
    """

    name = "log_loss"
    title = "log loss"
    greater_is_better = False
    maximum = np.inf
    needs = "probabilities"
    is_row_mean = True

    def _values(self, batch: PredictionBatch) -> Floats:
        assert batch.probabilities is not None  # the measure needs them
        n_classes, starts = len(batch.classes), batch.starts
        sums = np.empty(batch.n_runs)
        cells = np.arange(0, n_classes * max(CACHED_ROWS, batch.lengths.max()), n_classes)
        first = 0
        while first < batch.n_runs:  # several whole runs at once, at least one
            stop = max(
                first + 1, int(starts.searchsorted(starts[first] + CACHED_ROWS, "right")) - 1
            )
            rows = slice(starts[first], starts[stop])
            true = batch.y_true[rows]
            values = batch.probabilities[rows].ravel().take(cells[: len(true)] + true)
            values.clip(PROBABILITY_MARGIN, 1 - PROBABILITY_MARGIN, out=values)
            np.log(values, out=values)
            np.add.reduceat(values, starts[first:stop] - starts[first], out=sums[first:stop])
            first = stop
        return -sums / batch.lengths

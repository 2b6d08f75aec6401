"""Area under the ROC curve: binary, weighted over classes, and pooled over runs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestofk.array_types import Bools, Floats, Ints
from bestofk.errors import InvalidArgumentError
from bestofk.measures._segments import row_means
from bestofk.measures.measure import CACHED_ROWS, PredictionBatch, RankingMeasure


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
    class has no test row, as `auroc`.

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
    """Compute one AUROC from the rows of several runs together.

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
        If there is not one group per run, or the batch holds no scores of classes.

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
    """Return the area of each segment; some segments of one length are worked on together."""
    lengths = np.diff(starts)
    if scores.min() < 0:  # their places do instead: see `_keys`
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

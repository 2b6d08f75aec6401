"""How well do the scores put rows of a class above the other rows (area under the ROC curve)."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from bestofk.errors import InvalidArgumentError
from bestofk.measures._segments import row_means
from bestofk.measures.measure import Measure, PredictionBatch


class Auroc(Measure):
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
    needs = "scores"
    undefined = "only one class in the test rows"

    def __init__(self, n_classes: int) -> None:
        if n_classes > 2:
            self.title = f"{self.title}, each class against the rest"
            self.undefined = (
                "a class is absent from the test rows, and the mean is over all classes"
            )

    def _values(self, batch: PredictionBatch) -> NDArray[np.float64]:
        if len(batch.classes) == 2:
            return _two_class_areas(batch)
        areas, counts = _one_against_rest_areas(batch)
        return self._mean_over_classes(areas, counts)

    def _mean_over_classes(
        self, areas: NDArray[np.float64], counts: NDArray[np.int64]
    ) -> NDArray[np.float64]:
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

    def _mean_over_classes(
        self, areas: NDArray[np.float64], counts: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        return row_means(areas * counts, counts.sum(axis=1))


def pooled_auroc(batch: PredictionBatch, groups: NDArray[np.int64]) -> NDArray[np.float64]:
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
    pooled = dataclasses.replace(
        batch,
        y_true=batch.y_true[rows],
        labels=batch.labels[rows],
        starts=np.concatenate(([0], np.cumsum(np.bincount(pool_of_row)))),
        probabilities=None if batch.probabilities is None else batch.probabilities[rows],
        decision=None if batch.decision is None else batch.decision[rows],
    )
    return Auroc(len(batch.classes)).compute(pooled)


def _two_class_areas(batch: PredictionBatch) -> NDArray[np.float64]:
    scores = batch.decision if batch.probabilities is None else batch.probabilities[:, 1]
    assert scores is not None  # the measure needs one of the two
    return _areas(scores, batch.y_true == 1, batch.starts)


def _one_against_rest_areas(
    batch: PredictionBatch,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
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


def _areas(
    scores: NDArray[np.float64], is_positive: NDArray[np.bool_], starts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the area of each segment by the rank sum of its positives, with midranks.

    All sums are of whole numbers, so they are exact. Cost O(n log n).
    """
    lengths = np.diff(starts)
    n_segments = len(lengths)
    # The smallest type that holds the numbers: 16 bits are sorted by radix.
    number_type = np.uint16 if n_segments <= np.iinfo(np.uint16).max else np.int64
    segment = np.repeat(np.arange(n_segments, dtype=number_type), lengths)
    order = np.lexsort((scores, segment))  # segments stay where they are
    sorted_scores = scores[order]
    is_new = np.empty(len(scores), dtype=np.bool_)
    is_new[1:] = sorted_scores[1:] != sorted_scores[:-1]
    is_new[starts[:-1]] = True
    first = np.flatnonzero(is_new)  # where each group of tied scores begins
    segment_of_tie = segment[first]
    doubled_midrank = 2 * (first - starts[segment_of_tie]) + np.diff(first, append=len(scores)) + 1
    positives = is_positive[order].astype(np.int64)
    rank_sums = np.bincount(
        segment_of_tie, weights=np.add.reduceat(positives, first) * doubled_midrank
    )
    n_positive = np.add.reduceat(positives, starts[:-1])
    n_pairs = n_positive * (lengths - n_positive)
    doubled_wins = rank_sums - n_positive * (n_positive + 1)
    return np.where(n_pairs > 0, doubled_wins / np.maximum(2 * n_pairs, 1), np.nan)

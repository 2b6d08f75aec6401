"""Similarity of the final estimates of a learner over repetitions of an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bestofk.inference.checks import learner_table
from bestofk.inference.student import Floats


@dataclass(frozen=True, eq=False)
class EstimateSimilarity:
    """Closeness of the final estimates of each learner, in the unit of the measure.

    Parameters
    ----------
    mean, sd : ndarray of shape (n_learners,), float
        Mean and standard deviation (n - 1) over repetitions.
    mean_distance : ndarray of shape (n_learners,), float
        Mean absolute difference of two different repetitions (Gini); 0 where all agree.
    largest_distance : ndarray of shape (n_learners,), float
        Largest difference of two repetitions.
    """

    mean: Floats
    sd: Floats
    mean_distance: Floats
    largest_distance: Floats


def estimate_similarity(
    estimates: ArrayLike, *, names: Sequence[str] | None = None
) -> EstimateSimilarity:
    """Measure how close the final estimates of repetitions of an experiment are.

    Parameters
    ----------
    estimates : array-like of shape (n_runs, n_learners), float
        Final estimate of each learner in each repetition: another seed, or the stored repeats in
        another random order until a stopping rule ends them. At least two runs.
    names : sequence of str, optional
        Learners; needed where they are more than the runs.

    Returns
    -------
    EstimateSimilarity

    Raises
    ------
    DesignError
        If the estimates are no table of finite numbers, of fewer than two runs, or the table
        lies on its side.

    See Also
    --------
    bestofk.inference.many_learners.reproducibility_matrix : Whether their order is preserved.

    Notes
    -----
    Raeder, Hoens & Chawla (2010) ask that final estimates be "close" and that their order be
    preserved; they print R, which measures the second, and no figure of the first [1]_. The
    mean distance of two repetitions is the choice of this package. Two learners may have close
    estimates and no stable order, or the reverse. Random orders of the same repeats have repeats
    in common, so distances are too small where a rule uses a large part of them.

    References
    ----------
    .. [1] Raeder, Hoens & Chawla (2010), Consequences of variability in classifier performance
       estimates, IEEE International Conference on Data Mining, section V.

    Examples
    --------
    >>> similarity = estimate_similarity([[0.10, 0.3], [0.12, 0.3], [0.16, 0.3]])
    >>> similarity.mean_distance.round(3).tolist(), similarity.largest_distance.round(3).tolist()
    ([0.04, 0.0], [0.06, 0.0])
    """
    what = "estimates of estimate_similarity"
    table, _ = learner_table(estimates, what, row="run", names=names, min_columns=1)
    table = np.ascontiguousarray(table.T)  # sums over the runs of a learner
    ordered = np.sort(table - table[:, :1], axis=1)  # from the first, so that equal ones give 0
    n_runs = ordered.shape[1]
    # the k-th smallest is above k and below n - 1 - k others
    weights = 2 * np.arange(n_runs) - (n_runs - 1)
    return EstimateSimilarity(
        table[:, 0] + ordered.mean(axis=1),
        ordered.std(axis=1, ddof=1),
        ordered @ weights / (n_runs * (n_runs - 1) / 2),
        ordered[:, -1] - ordered[:, 0],
    )

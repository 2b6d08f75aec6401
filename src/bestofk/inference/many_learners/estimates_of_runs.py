"""Estimates of several runs, such as those of other seeds: how alike, how reproducible."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.inference.checks import Names, learner_table
from bestofk.measures.ties import tied_differences


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


def estimate_similarity(estimates: ArrayLike, *, names: Names = None) -> EstimateSimilarity:
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
    bestofk.inference.many_learners.estimates_of_runs : Whether their order is preserved.

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


def reproducibility_matrix(estimates: ArrayLike, *, names: Names = None) -> Floats:
    """Return the reproducibility R of every pair of learners.

    Parameters
    ----------
    estimates : array-like of shape (n_runs, n_learners), float
        Final estimate of each learner in each repetition of the experiment: another seed, or
        the stored repeats in another random order until a stopping rule ends them. At least two
        of both. What agrees in 12 significant digits is a tie.
    names : sequence of str, optional
        Learners; needed where they are more than the runs.

    Returns
    -------
    ndarray of shape (n_learners, n_learners), float
        [i, j]: `reproducibility_r` of i and j, from 0 (either wins as often as the other) to 1
        (one always wins). Symmetric; 0 on the diagonal, where all tie.

    Raises
    ------
    DesignError
        If the estimates are no table of finite numbers, too few, or the table lies on its side.

    See Also
    --------
    bestofk.inference.many_data_sets.reproducibility_r : The same for one pair.

    Notes
    -----
    R does not depend on the direction of the measure, and does not say which learner wins [1]_.
    Random orders of the same stored repeats have repeats in common, so R is too high where a
    rule uses a large part of them.

    References
    ----------
    .. [1] Raeder, Hoens & Chawla (2010), Consequences of variability in classifier performance
       estimates, IEEE International Conference on Data Mining, equations 1 and 2.

    Examples
    --------
    >>> reproducibility_matrix([[0.1, 0.2], [0.2, 0.3], [0.3, 0.4], [0.2, 0.1]]).tolist()
    [[0.0, 0.5], [0.5, 0.0]]
    """
    what = "estimates of reproducibility_matrix"
    table = learner_table(estimates, what, row="run", names=names)[0].T
    first, second = np.triu_indices(len(table), k=1)
    scale = np.maximum(np.abs(table[first]), np.abs(table[second]))
    differences = tied_differences(table[first] - table[second], scale)
    matrix = np.zeros((len(table), len(table)))
    matrix[first, second] = np.abs(np.sign(differences).mean(axis=1))
    return matrix + matrix.T

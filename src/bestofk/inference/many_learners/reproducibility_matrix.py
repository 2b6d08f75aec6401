"""Reproducibility of the order of every two learners over repetitions of an experiment."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from bestofk.inference.checks import learner_table
from bestofk.inference.student import Floats
from bestofk.measures.ties import tied_differences


def reproducibility_matrix(estimates: ArrayLike, *, names: Sequence[str] | None = None) -> Floats:
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

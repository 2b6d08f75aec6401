"""Reproducibility of an experiment: how consistently repetitions name the same winner."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bestofk.inference.many_data_sets.ranks import paired_differences


def reproducibility_r(a: ArrayLike, b: ArrayLike) -> float:
    """Return the reproducibility R of "the first is better" over repetitions of an experiment.

    Parameters
    ----------
    a, b : array-like of shape (n_runs,), float
        Score of the first and of the second learner in each repetition, on the same splits.
        What agrees in 12 significant digits is a tie.

    Returns
    -------
    float
        From 0 (either wins as often as the other, or all tie) to 1 (one always wins).

    Raises
    ------
    DesignError
        If the scores do not pair, are not finite, or of fewer than two runs.

    Notes
    -----
    max(2 R' - 1, 2 R'' - 1) with R' and R'' the shares of runs that each learner wins, ties half
    [1]_: the absolute mean sign of a - b. It says how stable a verdict is, not which one is right.

    References
    ----------
    .. [1] Raeder, Hoens & Chawla (2010), Consequences of variability in classifier performance
       estimates, IEEE International Conference on Data Mining.

    Examples
    --------
    >>> reproducibility_r([0.1, 0.2, 0.3, 0.2], [0.2, 0.3, 0.4, 0.1])
    0.5
    """
    return float(abs(np.sign(paired_differences(a, b, "reproducibility_r")).mean()))

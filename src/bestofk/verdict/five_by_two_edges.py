"""Edges of MultiTest for thousands of 5x2 cross-validations at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from bestofk.array_types import Bools, Floats
from bestofk.checks import check_known
from bestofk.errors import DesignError
from bestofk.inference.checks import check_share
from bestofk.measures.ties import is_noise

N_SCORES, DF = 10, 5
CORRECTIONS = ("bonferroni", "holm")
# Runs worked off together, few enough for the cache; rows of a power of two would collide in it.
_BLOCK = 2000
# A denominator below this share of the largest loss is rounding noise, as in the single test.


def five_by_two_edges(
    losses: ArrayLike, *, alpha: float = 0.05, correction: str = "bonferroni"
) -> Bools:
    """Return the edges of MultiTest by one-sided 5x2cv t tests, of many runs at once.

    The same edges as from the p values of the single tests by `multitest_edges`; instead of p
    values, statistics are held against the quantiles of Student's t.

    Parameters
    ----------
    losses : array-like of shape (..., 10, n_learners), float
        Learners in decreasing preference; rows are both folds of the first repeat, then of
        the second, and so on. Lower is better. Leading axes are runs.
    alpha : float in (0, 1), default=0.05
        Probability of wrongly overriding the preference at least once, in each run.
    correction : {"bonferroni", "holm"}, default="bonferroni"
        The family is always all n_learners (n_learners - 1) / 2 pairs of one run.

    Returns
    -------
    ndarray of shape (..., n_learners, n_learners), bool
        [i, j] is True where learner i is shown to have a greater loss than learner j, i < j;
        to be handed to `multitest_best` or `multitest_orders`. A pair whose folds do not
        differ within the repeats has an edge if its first difference is above 0.

    Raises
    ------
    DesignError
        If losses are not ten per learner or not finite.
    InvalidArgumentError
        If `alpha` or `correction` is not allowed.

    References
    ----------
    .. [1] Yildiz & Alpaydin (2006), Ordering and finding the best of K > 2 supervised learning
       algorithms, IEEE Transactions on Pattern Analysis and Machine Intelligence 28(3).

    Examples
    --------
    >>> worse = [0.30, 0.29, 0.31, 0.30, 0.30, 0.31, 0.29, 0.30, 0.30, 0.31]
    >>> better = [0.10, 0.12, 0.11, 0.10, 0.09, 0.10, 0.10, 0.11, 0.10, 0.10]
    >>> runs = [np.column_stack([worse, better]), np.column_stack([better, worse])]
    >>> five_by_two_edges(runs)[:, 0, 1].tolist()
    [True, False]
    """
    (values, largest), alpha = _checked(losses), check_share(alpha, "alpha")
    k = values.shape[-2]
    edges = np.zeros((*values.shape[:-2], k, k), dtype=bool)
    first, second = np.triu_indices(k, k=1)
    runs, flat = values.reshape(-1, k, N_SCORES), edges.reshape(-1, k, k)
    for start in range(0, len(runs), _BLOCK):
        block = slice(start, start + _BLOCK)
        rejected = _rejected(_statistics(runs[block], largest), alpha, correction)
        flat[block, first, second] = rejected.T
    return edges


def _statistics(runs: Floats, largest: float) -> Floats:
    """Return t of every pair (rows) in every run (columns)."""
    # Runs last: sums over five repeats are then sums of long rows.
    steps = np.ascontiguousarray((runs[..., 0::2] - runs[..., 1::2]).transpose(1, 2, 0))
    first_fold = np.ascontiguousarray(runs[..., 0].T)
    first, second = np.triu_indices(runs.shape[1], k=1)
    numerator, within = np.empty((2, len(first), len(runs)))
    squares = np.empty((DF, len(runs)))
    for pair, (i, j) in enumerate(zip(first, second, strict=True)):
        np.subtract(first_fold[i], first_fold[j], out=numerator[pair])
        np.subtract(steps[i], steps[j], out=squares)
        squares *= squares
        np.add.reduce(squares, axis=0, out=within[pair])
    # s_i^2 = (p_i1 - p_i2)^2 / 2, and the denominator is the root of their mean
    denominator = np.sqrt(within / (2 * DF))
    is_small = is_noise(denominator, largest)
    t = np.divide(numerator, denominator, out=np.empty_like(within), where=~is_small)
    if is_small.any():
        pairs, at = np.nonzero(is_small)
        scale = np.abs(runs[at[:, None], np.column_stack([first, second])[pairs]]).max(axis=(1, 2))
        t[is_small] = _limits(numerator[is_small], within[is_small], scale)
    return t


def _limits(numerator: Floats, within: Floats, scale: Floats) -> Floats:
    """Return t where the denominator may be noise: infinite if it is, and never an edge at 0."""
    denominator = np.sqrt(within / (2 * DF))
    is_zero = is_noise(denominator, scale)
    t = np.divide(numerator, denominator, out=np.zeros_like(numerator), where=~is_zero)
    unlike = np.where(is_noise(numerator, scale), -np.inf, np.copysign(np.inf, numerator))
    return np.where(is_zero, unlike, t)


def _rejected(t: Floats, alpha: float, correction: str) -> Bools:
    """Return which pairs (rows) are rejected in their run (columns)."""
    check_known(correction, "correction", CORRECTIONS)
    m = len(t)
    if correction == "bonferroni" or m == 0:
        return np.asarray(t >= stdtrit(DF, 1 - alpha / max(m, 1)))
    # Holm holds the next hypothesis against a lower limit as long as one more is rejected.
    limits = stdtrit(DF, 1 - alpha / np.arange(m, 0, -1))
    rejected = np.asarray(t >= limits[0])
    n_rejected = rejected.sum(axis=0)
    runs = np.flatnonzero(n_rejected)
    while len(runs):
        rejected[:, runs] = t[:, runs] >= limits[np.minimum(n_rejected[runs], m - 1)]
        n_before, n_rejected[runs] = n_rejected[runs], rejected[:, runs].sum(axis=0)
        runs = runs[n_rejected[runs] > n_before]
    return rejected


def _checked(losses: ArrayLike) -> tuple[Floats, float]:
    """Return losses, a row per learner, and the largest of their absolute values, or raise."""
    table = np.asarray(losses, dtype=float)
    if table.ndim < 2 or table.shape[-2] != N_SCORES:
        raise DesignError(
            "losses of five_by_two_edges must have ten rows, 5 repeats of 2 folds, and a "
            f"column per learner; got shape {table.shape}. Transpose it if learners are in rows, "
            "or use multitest_edges with the p values of another test."
        )
    values = np.ascontiguousarray(np.swapaxes(table, -1, -2))
    largest = float(np.maximum(values.max(initial=0.0), -values.min(initial=0.0)))  # keeps nan
    if not np.isfinite(largest):
        raise DesignError(
            f"losses of five_by_two_edges must be finite; got {np.sum(~np.isfinite(values))} that "
            "are not. Leave the run out, or the learner."
        )
    return values, largest

"""Learners selected by each procedure of the paper in each run."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from bestofk.inference import studentized_range_quantile
from bestofk.verdict.classical_rules import newman_keuls_best
from bestofk.verdict.rules import five_by_two_edges, multitest_best

NONE = -1  # no best was found
ALPHA = 0.05
N_PAIRS = 10
# Level of the family that each pair is tested at by Bonferroni: alpha in all, or alpha each.
LEVELS = {"0.05 in all": ALPHA, "0.05 each": ALPHA * N_PAIRS}


def select(
    losses: NDArray[np.float64],
    *,
    level: float = ALPHA,
    alpha: float = ALPHA,
    last_of_ties: bool = False,
) -> dict[str, NDArray[np.int64]]:
    """Return the learner that each procedure names in each run.

    Parameters
    ----------
    losses : ndarray of shape (n_runs, n_learners, 10), float
        Learners in decreasing preference.
    level : float, default=0.05
        Of the family of pairwise tests of MultiTest and TestFirst.
    alpha : float, default=0.05
        Level of Newman-Keuls.
    last_of_ties : bool, default=False
        Whether TestFirst starts from the least preferred of learners with the same lowest mean.

    Returns
    -------
    dict of str to ndarray of shape (n_runs,), int
        By procedure: learners from 0, -1 where none is named.
    """
    edges = five_by_two_edges(losses.transpose(0, 2, 1), alpha=level, correction="bonferroni")
    return {
        "Anova": np.where(anova_rejects(losses), NONE, 0),
        "TestFirst": _first_tests(losses, edges, last_of_ties),
        "Newman-Keuls": _newman_keuls(losses, alpha),
        "MultiTest": multitest_best(edges).astype(np.int64),
    }


def anova_rejects(losses: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return in which runs one-way analysis of variance finds a difference, shape (n_runs,)."""
    n_learners, n_splits = losses.shape[1:]
    means, error = _means_and_error(losses)
    between = n_splits * means.var(axis=1, ddof=1)
    limit = stats.f.isf(ALPHA, n_learners - 1, n_learners * (n_splits - 1))
    return np.asarray(between >= limit * error)


def _first_tests(
    losses: NDArray[np.float64], edges: NDArray[np.bool_], last_of_ties: bool
) -> NDArray[np.int64]:
    """Return the learner of the lowest mean where all that are preferred to it are worse."""
    means = losses.mean(axis=2)
    is_lowest = means <= means.min(axis=1, keepdims=True) * (1 + 1e-12)
    first = is_lowest.argmax(axis=1)
    if last_of_ties:
        first = losses.shape[1] - 1 - is_lowest[:, ::-1].argmax(axis=1)
    beaten = np.take_along_axis(edges, first[:, None, None], axis=2)[:, :, 0]
    is_preferred = np.arange(losses.shape[1]) < first[:, None]
    return np.where((beaten | ~is_preferred).all(axis=1), first, NONE)


def _newman_keuls(losses: NDArray[np.float64], alpha: float) -> NDArray[np.int64]:
    n_runs, n_learners, n_splits = losses.shape
    means, error = _means_and_error(losses)
    order = np.argsort(means, axis=1, kind="stable")
    ascending = np.take_along_axis(means, order, axis=1)
    scale = np.sqrt(error / n_splits)
    is_equal = np.zeros((n_runs, n_learners, n_learners), dtype=bool)
    for n_means in range(2, n_learners + 1):
        limit = studentized_range_quantile(n_means, n_learners * (n_splits - 1), alpha=alpha)
        for start in range(n_learners - n_means + 1):
            end = start + n_means - 1
            gap = ascending[:, end] - ascending[:, start]
            is_equal[:, start, end] = gap < limit * scale
    result = np.empty(n_runs, dtype=np.int64)
    for run in range(n_runs):
        best = _best_of_pattern(tuple(order[run].tolist()), is_equal[run].tobytes())
        result[run] = NONE if best is None else best
    return result


@cache
def _best_of_pattern(order: tuple[int, ...], equal: bytes) -> int | None:
    """Return the best by the underlines: runs that are equal and lie in no longer one."""
    k = len(order)
    is_equal = np.frombuffer(equal, dtype=bool).reshape(k, k)
    runs = [tuple(index) for index in np.argwhere(is_equal).tolist()]
    longest = [
        (i, j) for i, j in runs if not any(a <= i and j <= b for a, b in runs if (a, b) != (i, j))
    ]
    return newman_keuls_best(order, [order[i : j + 1] for i, j in longest])


def _means_and_error(
    losses: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean of each learner, and the mean square within learners, of each run."""
    means = losses.mean(axis=2)
    n_learners, n_splits = losses.shape[1:]
    within = ((losses - means[:, :, None]) ** 2).sum(axis=(1, 2))
    return means, within / (n_learners * (n_splits - 1))

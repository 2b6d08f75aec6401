"""P values of signed ranks, exact with ties or by the normal distribution, for many pairs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ndtr

from bestofk.checks import check_known
from bestofk.errors import DesignError
from bestofk.inference.many_data_sets.ranks import mid_ranks
from bestofk.inference.student import Floats
from bestofk.measures.ties import at_most

METHODS = ("auto", "exact", "normal")
ZEROS = ("wilcox", "pratt", "zsplit")
# Differences up to which "auto" is exact: beyond, the normal distribution is as good.
AUTO_EXACT = 50
MOST_EXACT = 1000  # the exact distribution takes n^3 steps


@dataclass(frozen=True, eq=False)
class SignedRanks:
    """Signed-rank sums of an array of pairs with their p values; fields of its shape.

    Parameters
    ----------
    w_plus, w_minus : ndarray of float
        Sum of the ranks of positive and of negative differences.
    n_nonzero : ndarray of int
        Differences that are not zero.
    p_greater, p_less, p_two_sided : ndarray of float
        1 where no difference is left.
    """

    w_plus: Floats
    w_minus: Floats
    n_nonzero: Floats
    p_greater: Floats
    p_less: Floats
    p_two_sided: Floats

    def p_value(self, alternative: str) -> Floats:
        """Return the p values of one side.

        Parameters
        ----------
        alternative : {"two-sided", "greater", "less"}
            Side, of the first minus the second.

        Returns
        -------
        ndarray of float
            p values.
        """
        return np.asarray(getattr(self, f"p_{alternative.replace('-', '_')}"))


def signed_ranks(
    differences: Floats, *, method: str = "auto", continuity: bool = False, zeros: str = "wilcox"
) -> SignedRanks:
    """Return the signed-rank statistics and p values of every pair.

    Parameters
    ----------
    differences : ndarray of shape (..., n_data_sets), float
        First minus second, ties joined; finite.
    method : {"auto", "exact", "normal"}
        As in `wilcoxon_test`.
    continuity : bool
        As in `wilcoxon_test`.
    zeros : {"wilcox", "pratt", "zsplit"}
        As in `wilcoxon_test`.

    Returns
    -------
    SignedRanks
        Fields of shape (...).

    Raises
    ------
    InvalidArgumentError
        If `method` or `zeros` is unknown.
    DesignError
        If "exact" is asked for with more than 1000 differences.
    """
    for value, what, known in ((method, "method", METHODS), (zeros, "zeros", ZEROS)):
        check_known(value, f"{what} of wilcoxon_test", known)
    nonzero = differences != 0
    size = np.abs(differences)
    ranks = mid_ranks(size)
    if zeros == "wilcox":  # zeros have the least ranks, so the others just move down
        ranks = np.where(nonzero, ranks - (~nonzero).sum(axis=-1, keepdims=True), 0.0)
    halves = (ranks * ~nonzero).sum(axis=-1) / 2 if zeros == "zsplit" else 0.0
    w_plus = (ranks * (differences > 0)).sum(axis=-1) + halves
    w_minus = (ranks * (differences < 0)).sum(axis=-1) + halves
    n_nonzero = nonzero.sum(axis=-1)
    most = int(n_nonzero.max(initial=0))
    if method == "exact" and most > MOST_EXACT:
        raise DesignError(
            f"method of wilcoxon_test must be normal beyond {MOST_EXACT} differences; got exact "
            f"for {most}. Leave it at auto."
        )
    if method == "exact" or (method == "auto" and most <= AUTO_EXACT):
        p_greater, p_less = _exact(ranks * nonzero, w_plus - halves)
        p_two_sided = np.minimum(1.0, 2 * np.minimum(p_greater, p_less))
    else:
        free = ranks if zeros == "zsplit" else ranks * nonzero
        p_greater, p_less, p_two_sided = _normal(free, w_plus, 0.5 if continuity else 0.0)
    empty = n_nonzero == 0
    return SignedRanks(
        w_plus,
        w_minus,
        n_nonzero,
        *(np.where(empty, 1.0, p) for p in (p_greater, p_less, p_two_sided)),
    )


def _normal(ranks: Floats, w_plus: Floats, correction: float) -> tuple[Floats, Floats, Floats]:
    """Return p values by the normal distribution; each rank has a random sign."""
    deviation = w_plus - ranks.sum(axis=-1) / 2
    spread = np.sqrt((ranks**2).sum(axis=-1) / 4)
    spread = np.where(spread > 0, spread, 1.0)
    toward_zero = np.maximum(np.abs(deviation) - correction, 0.0)
    return (
        np.asarray(ndtr(-(deviation - correction) / spread)),
        np.asarray(ndtr((deviation + correction) / spread)),
        np.asarray(2 * ndtr(-toward_zero / spread)),
    )


def _exact(ranks: Floats, w_plus: Floats) -> tuple[Floats, Floats]:
    """Return exact one-sided p values; ranks of zeros are 0."""
    doubled = np.rint(2 * np.sort(ranks, axis=-1)).astype(np.int64)
    at = np.rint(2 * np.asarray(w_plus)).astype(np.int64)
    p_greater, p_less = np.empty(at.shape), np.empty(at.shape)
    for where in np.ndindex(at.shape):
        row = doubled[where]
        distribution = _distribution_of_sum(tuple(row[row > 0].tolist()))
        p_less[where] = distribution[: at[where] + 1].sum()
        p_greater[where] = distribution[at[where] :].sum()
    return np.minimum(p_greater, 1.0), np.minimum(p_less, 1.0)


@lru_cache(maxsize=64)
def _distribution_of_sum(weights: tuple[int, ...]) -> Floats:
    """Return the probability of every sum of weights that count with probability 1/2 each."""
    distribution = np.zeros(sum(weights) + 1)
    distribution[0] = 1.0
    reach = 0
    for weight in weights:
        # Invariant: distribution[: reach + 1] is the distribution of the sum of the weights so far.
        distribution[weight : reach + weight + 1] += distribution[: reach + 1].copy()
        distribution[: reach + weight + 1] /= 2
        reach += weight
    distribution.flags.writeable = False
    return distribution


def walsh_limits(n: int, tail: float) -> int:
    """Return how many Walsh averages are cut off at an end for limits of a confidence.

    Parameters
    ----------
    n : int
        Number of differences.
    tail : float in (0, 1)
        Probability beyond a limit.

    Returns
    -------
    int
        c: the c-th smallest and the c-th largest are the limits (c = 1: the least and the
        greatest); 0 where so few differences cannot bound with that confidence.
    """
    if n > AUTO_EXACT:
        from scipy.special import ndtri

        spread = np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        return max(0, int(np.floor(n * (n + 1) / 4 + ndtri(tail) * spread)) + 1)
    below = np.cumsum(_distribution_of_sum(tuple(range(1, n + 1))))
    return int(at_most(below, tail).sum())

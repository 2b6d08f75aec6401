"""Permutation test of the losses of two fitted learners on one test set."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from bestofk.inference.catalogue_entry import Procedure
from bestofk.inference.cautions import Caution
from bestofk.inference.one_test_set.rows import (
    FIXED_MODELS,
    OWN_ROWS,
    check_draws,
    few_rows,
    paired_rows,
)
from bestofk.inference.results import HypothesisTestResult
from bestofk.inference.student import Floats, check_alternative
from bestofk.inference.two_learners.single_result import not_equal
from bestofk.measures.ties import at_most, tied_differences

# So many sums are enumerated at most; beyond, signs are drawn.
_MOST_SUMS = 2**18
# So many signs are held in memory at once.
_CELLS = 2**20
_ALL_TIES = Caution(
    "degenerate", "Both learners have the same loss on every row, so the p value is 1."
)


def permutation_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    alternative: str = "two-sided",
    n_draws: int = 9999,
    random_state: int = 0,
) -> HypothesisTestResult:
    """Compare the mean losses of two fitted learners by exchanging them row by row.

    Null hypothesis: on every row the two losses could be exchanged. Design: paired, both
    models predict the same rows, which neither has seen.

    Parameters
    ----------
    a, b : array-like of shape (n_rows,), float
        Loss of the first and of the second model on every row, in any unit.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What is to be shown about a - b.
    n_draws : int, default=9999
        Random exchanges, where there are too many to list them all.
    random_state : int, default=0
        The same number gives the same draws.

    Returns
    -------
    HypothesisTestResult
        The statistic is the mean difference. The p value is exact where the differences take
        few values (so always for losses of 0 and 1) or few rows; otherwise drawn, and
        two-sided at least 1/(n_draws + 1). Equal losses on every row: p value 1, flagged
        ``"all_ties"``.

    Raises
    ------
    DesignError
        If the losses do not pair, are not finite or fewer than two.
    InvalidArgumentError
        If `alternative`, `n_draws` or `random_state` is not allowed.

    See Also
    --------
    mcnemar_test : The same test for losses of 0 and 1, by default less conservative.
    bootstrap_test : For an interval of the mean difference.

    Notes
    -----
    Exchanging the losses of a row changes the sign of its difference; all signs are equally
    likely [1]_. Each draw counts with its opposite, and the exchange of none as one of them
    [2]_. When not to trust it: if the losses of one model are the more spread, their means
    may be equal though they cannot be exchanged; predictions pooled over folds depend on
    each other.

    References
    ----------
    .. [1] Fisher (1935), The Design of Experiments, section 21.
    .. [2] Phipson & Smyth (2010), Permutation p-values should never be zero, Statistical
       Applications in Genetics and Molecular Biology 9(1).

    Examples
    --------
    >>> a, b = [0.9, 0.8, 0.7, 0.9, 0.6, 0.8], [0.4, 0.7, 0.5, 0.5, 0.7, 0.5]
    >>> round(permutation_test(a, b).p_value, 4)
    0.0938
    """
    side = check_alternative(alternative)
    rng = check_draws(n_draws, random_state, "permutation_test")
    first, second = paired_rows(a, b, "losses of permutation_test")
    scale = np.abs([first, second]).max()
    differences = tied_differences(first - second, scale)
    total = float(differences.sum())
    sizes, counts = np.unique(np.abs(differences[differences != 0]), return_counts=True)
    is_exact = float(np.log2(counts + 1.0).sum()) <= math.log2(_MOST_SUMS)
    if is_exact:
        sums, weights = _all_sums(sizes, counts)
    else:
        sums = _drawn_sums(sizes, counts, total, n_draws, rng)
        weights = np.full(len(sums), 1 / len(sums))
    p_value = _share(sums, weights, total, side, scale=len(first) * scale)
    n_telling = int(counts.sum())
    return HypothesisTestResult(
        procedure="permutation test of the mean difference",
        statistic=total / len(differences),
        p_value=p_value,
        alternative=side,
        estimate=total / len(differences),
        n=len(differences),
        n_draws=0 if is_exact else n_draws,
        symbol="mean difference",
        n_of="rows",
        distribution="all signs" if is_exact else f"{n_draws} drawn signs and their opposites",
        assumptions=(FIXED_MODELS, OWN_ROWS),
        flags=() if n_telling else ("all_ties",),
        warnings=(
            *(() if n_telling else (_ALL_TIES,)),
            *few_rows(n_telling, 2.0 ** (-n_telling + (side == "two-sided"))),
            *not_equal(p_value, side),
        ),
    )


PROCEDURE = Procedure(
    name="permutation",
    title="permutation test",
    question="Do the losses of two fitted learners on one test set differ by more than exchanging "
    "them row by row can do?",
    takes="two-on-rows",
    run=permutation_test,
)


def _all_sums(sizes: Floats, counts: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return every sum that signs can give and its probability.

    Of c differences of one size, k have a plus with the probability of the binomial distribution
    (c, 1/2).
    """
    sums, weights = np.zeros(1), np.ones(1)
    for size, count in zip(sizes, counts, strict=True):
        k = np.arange(count + 1)
        ways = gammaln(count + 1) - gammaln(k + 1) - gammaln(count - k + 1)
        sums = np.add.outer(sums, size * (2 * k - count)).ravel()
        weights = np.multiply.outer(weights, np.exp(ways - count * np.log(2))).ravel()
    return sums, weights


def _drawn_sums(
    sizes: Floats, counts: NDArray[np.int64], total: float, n_draws: int, rng: np.random.Generator
) -> Floats:
    """Return the sum found, random ones, and the opposite of each."""
    drawn = _sums_of_single_rows(sizes[counts == 1], n_draws, rng)
    for size, count in zip(sizes[counts > 1], counts[counts > 1], strict=True):
        drawn += size * (2 * rng.binomial(count, 0.5, size=n_draws) - count)
    one_way = np.append(drawn, total)
    return np.concatenate([one_way, -one_way])


def _sums_of_single_rows(sizes: Floats, n_draws: int, rng: np.random.Generator) -> Floats:
    """Return sums of sizes with random signs: one random bit each, some draws at a time."""
    n_bytes = -(-len(sizes) // 8)
    step = max(1, _CELLS // max(1, len(sizes)))
    sums = [np.zeros(0)]
    for start in range(0, n_draws, step):
        n = min(step, n_draws - start)
        octets = np.frombuffer(rng.bytes(n * n_bytes), dtype=np.uint8).reshape(n, n_bytes)
        bits = np.unpackbits(octets, axis=1, count=len(sizes))
        sums.append(2 * (bits.astype(float) @ sizes) - sizes.sum())
    return np.concatenate(sums)


def _share(sums: Floats, weights: Floats, total: float, side: str, *, scale: float) -> float:
    """Return the probability of a sum at least as extreme as the one found."""
    if side == "two-sided":
        extreme = at_most(abs(total), np.abs(sums), scale)
    elif side == "greater":
        extreme = at_most(total, sums, scale)
    else:
        extreme = at_most(sums, total, scale)
    return min(1.0, float(weights[extreme].sum()))

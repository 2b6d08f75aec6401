"""Tests of the mean difference on one test set: signs exchanged at random, rows drawn again."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from bestofk.array_types import Floats, Ints
from bestofk.inference._draws import draw_values
from bestofk.inference.catalogue import Procedure
from bestofk.inference.cautions import Caution, caution_if
from bestofk.inference.checks import check_alternative
from bestofk.inference.one_test_set.rows import check_draws, few_rows, paired_rows, row_fields
from bestofk.inference.results import HypothesisTestResult
from bestofk.inference.student import one_sided_limits, tail
from bestofk.measures.ties import at_most, tied_differences
from bestofk.words import QUANTILE_ERROR, drawn_mean

# So many sums are enumerated at most; beyond, signs are drawn.
_MOST_SUMS = 2**18
# So many signs are held in memory at once.
_SIGN_CELLS = 2**20
_ALL_TIES = "Both learners have the same loss on every row, so the p value is 1."


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
    [2]_. When not to trust it: if the losses of one model are more spread out, their means may be
    equal although they cannot be exchanged; predictions pooled over folds depend on each other.

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
    differences, scale = _differences(a, b, "losses of permutation_test")
    total = float(differences.sum())
    sizes, counts = np.unique(np.abs(differences[differences != 0]), return_counts=True)
    is_exact = float(np.log2(counts + 1.0).sum()) <= math.log2(_MOST_SUMS)
    if is_exact:
        sums, weights = _all_sums(sizes, counts)
    else:
        sums = _drawn_sums(sizes, counts, total, n_draws, rng)
        weights = np.full(len(sums), 1 / len(sums))
    p_value = _share(sums, weights, total, side, scale=len(differences) * scale)
    n_telling = int(counts.sum())
    doubts = caution_if(n_telling == 0, "degenerate", _ALL_TIES)
    doubts += few_rows(n_telling, 2.0 ** (-n_telling + (side == "two-sided")))
    return HypothesisTestResult(
        procedure="permutation test of the mean difference",
        statistic=total / len(differences),
        estimate=total / len(differences),
        n=len(differences),
        n_draws=0 if is_exact else n_draws,
        symbol="mean difference",
        distribution="all signs" if is_exact else f"{n_draws} drawn signs and their opposites",
        flags=() if n_telling else ("all_ties",),
        **row_fields(p_value, side, doubts),
    )


PERMUTATION = Procedure(
    name="permutation",
    title="permutation test",
    question="Do the losses of two fitted learners on one test set differ by more than random "
    "exchanges row by row explain?",
    takes="two-on-rows",
    run=permutation_test,
)


def _differences(a: ArrayLike, b: ArrayLike, what: str) -> tuple[Floats, float]:
    """Return the differences of two learners on each row, and the largest absolute loss."""
    first, second = paired_rows(a, b, what)
    scale = float(np.abs([first, second]).max())
    return tied_differences(first - second, scale), scale


def _all_sums(sizes: Floats, counts: Ints) -> tuple[Floats, Floats]:
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
    sizes: Floats, counts: Ints, total: float, n_draws: int, rng: np.random.Generator
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
    step = max(1, _SIGN_CELLS // max(1, len(sizes)))
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


_FEW_ROWS = 10
# A count of a value costs about as much as so many rows.
_ROWS_PER_VALUE = 16
# So many rows are held in memory at once: few, so that they stay in the cache.
_CELLS = 2**14


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BootstrapResult(HypothesisTestResult):
    """The outcome of the bootstrap test.

    Parameters
    ----------
    means : ndarray of shape (n_draws,), float
        Mean difference of each draw, ascending.
    """

    not_in_frame = ("means",)
    means: Floats

    def confidence_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the limits of the mean difference: quantiles of the drawn means.

        Parameters
        ----------
        level : float in (0, 1), default=0.95
            Confidence.

        Returns
        -------
        low, high : float
            One-sided tests have one-sided intervals.

        Raises
        ------
        InvalidArgumentError
            If `level` is not inside (0, 1).
        """
        outside = tail(level, self.alternative)
        low, high = np.quantile(self.means, [outside, 1 - outside])
        return one_sided_limits(low, high, self.alternative)

    def _limit(self, value: float) -> str:
        error = self.standard_error / self.n_draws**0.5  # of the mean of all draws
        return drawn_mean(value, QUANTILE_ERROR * error)


def bootstrap_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    alternative: str = "two-sided",
    n_draws: int = 9999,
    random_state: int = 0,
) -> BootstrapResult:
    """Compare the mean losses of two fitted learners by drawing test rows with replacement.

    Null hypothesis: both have the same expected loss (two-sided), or the first has no
    greater ("greater") or no smaller ("less") one. Design: paired, both models predict the
    same rows, which neither has seen.

    Parameters
    ----------
    a, b : array-like of shape (n_rows,), float
        Loss of the first and of the second model on every row, in any unit.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What is to be shown about a - b.
    n_draws : int, default=9999
        Random test sets of n_rows rows.
    random_state : int, default=0
        The same number gives the same draws, whatever the order of the rows.

    Returns
    -------
    BootstrapResult
        The statistic is the mean difference; its interval is made of quantiles of the drawn
        means. The p value is at least 1/(n_draws + 1), two-sided twice that. Equal losses on
        every row: p value 1, flagged ``"all_ties"``. Differences that are all the same but
        not 0: flagged ``"zero_variance"``, and the interval has no width.

    Raises
    ------
    DesignError
        If the losses do not pair, are not finite or fewer than two.
    InvalidArgumentError
        If `alternative`, `n_draws` or `random_state` is not allowed.

    See Also
    --------
    permutation_test : Holds its level with few rows too.

    Notes
    -----
    Percentile method [1]_; the p value is that of the interval which just reaches 0, from
    (1 + number of means on the other side of 0) / (n_draws + 1). When not to trust it: few
    rows, or a loss that a few rows decide: the interval is then too short.

    References
    ----------
    .. [1] Efron & Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.

    Examples
    --------
    >>> a, b = [1] * 9 + [0] * 91, [0] * 98 + [1] * 2
    >>> result = bootstrap_test(a, b)
    >>> low, high = result.confidence_interval()
    >>> print(round(result.estimate, 2), round(low, 2), round(high, 2), result.reject(0.05))
    0.07 0.01 0.14 True
    """
    side = check_alternative(alternative)
    rng = check_draws(n_draws, random_state, "bootstrap_test")
    differences, scale = _differences(a, b, "losses of bootstrap_test")
    means = _drawn_means(differences, n_draws, rng)
    p_greater = (1 + int(at_most(means, 0, scale).sum())) / (n_draws + 1)
    p_less = (1 + int(at_most(0, means, scale).sum())) / (n_draws + 1)
    sides = {"greater": p_greater, "less": p_less, "two-sided": 2 * min(p_greater, p_less)}
    p_value = min(1.0, sides[side])
    estimate = float(differences.mean())
    flags, doubts = _distrust(differences)
    return BootstrapResult(
        procedure="bootstrap test of the mean difference",
        statistic=estimate,
        estimate=estimate,
        standard_error=float(means.std()),
        n=len(differences),
        n_draws=n_draws,
        symbol="mean difference",
        distribution=f"{n_draws} draws",
        flags=flags,
        means=means,
        **row_fields(p_value, side, doubts),
    )


BOOTSTRAP = Procedure(
    name="bootstrap",
    title="bootstrap test",
    question="How large is the difference of the mean losses of two fitted learners?",
    takes="two-on-rows",
    run=bootstrap_test,
)


def _drawn_means(differences: Floats, n_draws: int, rng: np.random.Generator) -> Floats:
    """Return the means of random rows, ascending.

    Where there are few values (three for losses of 0 and 1), drawn is how often each comes.
    """
    n_rows = len(differences)
    # Learners exchanged must give the opposite means: draw for the same one of both signs.
    ascending = np.sort(differences)
    asymmetry = ascending + ascending[::-1]
    leading = asymmetry[asymmetry != 0]
    sign = -1.0 if leading.size and leading[0] < 0 else 1.0
    n_opposite = 0 if leading.size else n_draws // 2
    values, counts = np.unique(sign * differences, return_counts=True)
    n_new = n_draws - n_opposite
    if len(values) * _ROWS_PER_VALUE <= n_rows:
        means = sign * (rng.multinomial(n_rows, counts / n_rows, size=n_new) @ values) / n_rows
    else:
        means = sign * _means_of_rows(np.repeat(values, counts), n_new, rng)
    if leading.size == 0:
        # Symmetric differences: each mean and its opposite, which leaves one in the middle.
        means[n_opposite:] = 0.0
        means = np.append(means, -means[:n_opposite])
    return np.sort(means)


def _means_of_rows(differences: Floats, n_draws: int, rng: np.random.Generator) -> Floats:
    """Return means of rows drawn with replacement, some draws at a time."""
    means, n_rows, n_left = np.empty(n_draws), len(differences), 0
    step = max(1, _CELLS // n_rows)
    drawn = np.empty(step * n_rows + 1)
    for start in range(0, n_draws, step):
        part = drawn[: min(step, n_draws - start) * n_rows + 1]
        n_left = draw_values(rng.bit_generator.capsule, differences, part, n_left)
        means[start : start + step] = part[:-1].reshape(-1, n_rows).mean(axis=1)
        part[0] = part[-1]
    return means


def _distrust(differences: Floats) -> tuple[tuple[str, ...], tuple[Caution, ...]]:
    if not differences.any():
        return ("all_ties",), (Caution("degenerate", _ALL_TIES),)
    if (differences == differences[0]).all():
        text = "The differences do not vary, so p value and interval are limits, not evidence."
        return ("zero_variance",), (Caution("degenerate", text),)
    if len(differences) < _FEW_ROWS:
        text = (
            f"Only {len(differences)} rows: resampling them understates how much they vary, so the "
            "interval is too short. permutation_test holds its level."
        )
        return (), (Caution("few-scores", text),)
    return (), ()

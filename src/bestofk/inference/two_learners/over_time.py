"""Tests of two learners by their losses in successive periods, which depend on each other."""

from abc import abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, ndtri

from bestofk.array_types import Bools, Floats
from bestofk.inference.catalogue import TWO_SIDED
from bestofk.inference.results import HypothesisTestResult
from bestofk.inference.sampling import Sampling, refuse_order
from bestofk.inference.two_learners.paired_test import (
    PairedComparison,
    PairedTest,
    check_differences,
    compare_by_t,
    few_scores,
    paired_scores,
    score_scale,
)
from bestofk.measures.ties import is_noise

OVER_TIME = "diebold-mariano"  # the usual test of periods
LEAST_PERIODS = 8
SAME_PERIODS = "Both learners were trained and tested on the same periods, none of them left out."
STEADY = "The difference of the learners has one mean and one spread in all periods."
UNSETTLED = "the losses of successive periods depend on each other too strongly for {} periods"
# The upper bound of an autocorrelation is exceeded in so many of 100 samples that have it.
_BOUND = 0.6
# Periods -> the largest bound with which p values of diebold-mariano decide. Simulated by
# benchmarks/levels_over_time.py: with such an autocorrelation the level is at most 7.5%, and with
# any other so is that of p values which the bound lets pass. Fewer degrees of freedom at 27 and 64.
_LARGEST_BOUNDS = {8: 0.11, 9: 0.20, 10: 0.26, 12: 0.32, 16: 0.40, 20: 0.47, 26: 0.55, 27: 0.44,
                   30: 0.46, 40: 0.56, 50: 0.62, 63: 0.69, 64: 0.62, 100: 0.73}  # fmt: skip


def autocorrelation_bound(differences: ArrayLike) -> Floats:
    """Return an upper bound of the correlation of differences in successive periods.

    Parameters
    ----------
    differences : array-like of shape (..., n_periods)
        First minus second, in order of time; at least 4 periods.

    Returns
    -------
    ndarray of shape (...)
        One-sided 60% bound around the estimate at lag 1, which is corrected for its bias; at most
        1 and a little more. Of differences that do not vary: the bound around 0.

    Notes
    -----
    The estimate r from n periods is too low by about (1 + 3 r) / n [1]_; its standard error is
    taken to be sqrt((1 - r^2) / n).

    References
    ----------
    .. [1] Kendall (1954), Note on bias in the estimation of autocorrelation, Biometrika 41.

    Examples
    --------
    >>> alternating, drifting = [1, -1, 1, -1, 1, -1, 1, -1], [1, 2, 3, 4, 5, 6, 7, 8]
    >>> autocorrelation_bound([alternating, drifting]).round(2).tolist()
    [-1.0, 1.0]
    """
    values = np.asarray(differences, dtype=float)
    n_periods = values.shape[-1]
    apart = values - values.mean(axis=-1, keepdims=True)
    squares = (apart**2).sum(axis=-1)
    products = (apart[..., 1:] * apart[..., :-1]).sum(axis=-1)
    varies = ~is_noise(np.sqrt(squares), score_scale(values, None))
    raw = np.divide(products, squares, out=np.zeros_like(squares), where=varies)
    estimate = np.clip((n_periods * raw + 1) / (n_periods - 3), -1, 1)
    return np.asarray(estimate + ndtri(_BOUND) * np.sqrt((1 - estimate**2) / n_periods))


def largest_autocorrelation(n_periods: int) -> float:
    """Return the largest `autocorrelation_bound` with which a p value of so many periods decides.

    Parameters
    ----------
    n_periods : int
        Periods that are tested on, at least 8.

    Returns
    -------
    float
        Interpolated between the numbers of periods that were simulated; from 100 on it is that
        of 100.

    Examples
    --------
    >>> [largest_autocorrelation(n) for n in (10, 20)]
    [0.26, 0.47]
    """
    return float(np.interp(n_periods, list(_LARGEST_BOUNDS), list(_LARGEST_BOUNDS.values())))


def refuse_periods(name: str, sampling: Sampling) -> str | None:
    """Return why periods are too few or not in order of time, or None.

    Parameters
    ----------
    name : str
        Of the test.
    sampling : Sampling
        How the losses were made.

    Returns
    -------
    str or None
        A sentence where there are fewer than 8 periods, or than two horizons.
    """
    least = max(LEAST_PERIODS, 2 * sampling.horizon)
    few = f"{name} needs at least {least} periods, and there are {sampling.n_scores}."
    return refuse_order(name, sampling.scheme, is_over_time=True) or (
        few if sampling.n_scores < least else None
    )


class OverTime(PairedTest):
    """A test of two learners over periods; base of those that allow for order in time."""

    assumptions: tuple[str, ...] = (SAME_PERIODS, STEADY)
    needs_all_splits = True
    is_over_time = True

    def refuse(self, sampling: Sampling) -> str | None:
        """Refuse fewer than 8 periods, or than two horizons."""
        return refuse_periods(self.name, sampling)

    def warnings(self, sampling: Sampling) -> tuple[str, ...]:
        """Warn of few periods."""
        return few_scores(sampling.n_scores)

    @abstractmethod
    def error_of_mean(self, differences: Floats, horizon: int) -> tuple[Floats, int]:
        """Return the standard error of the means, and its degrees of freedom."""

    def compare(
        self, differences: ArrayLike, sampling: Sampling, *, scale: ArrayLike | None = None
    ) -> PairedComparison:
        """Apply the test to every pair of an array of differences in order of time."""
        values = check_differences(differences, self.name)
        error, df = self.error_of_mean(values, sampling.horizon)
        scale = score_scale(values, scale)
        return compare_by_t(values.mean(axis=-1), error, values.shape[-1], scale=scale, df=df)

    def test_scores(
        self, a: ArrayLike, b: ArrayLike, horizon: int, alternative: str
    ) -> HypothesisTestResult:
        """Return the test of the scores of two learners in order of time."""
        n_periods = paired_scores(a, b, self.name)[0].size
        sampling = Sampling("forward", n_periods, 1, horizon=horizon, is_sliding=True)
        return self.result(a, b, sampling=sampling, alternative=alternative)


class DieboldMariano(OverTime):
    """The test of Diebold and Mariano as verdicts use it; see `diebold_mariano_test`."""

    name = OVER_TIME
    title = "Diebold-Mariano test"
    question = "Do two learners differ over periods that come one after the other?"
    aliases = ("dm", "dm-test", "diebold-mariano-ewc")

    def error_of_mean(self, differences: Floats, horizon: int) -> tuple[Floats, int]:
        """Return the error by the first cosines, which are as many as the degrees of freedom."""
        n_periods = differences.shape[-1]
        df = cosine_df(n_periods, horizon)
        places = (np.arange(n_periods) + 0.5) / n_periods
        waves = np.cos(np.pi * places[:, None] * np.arange(1, df + 1))
        apart = differences - differences.mean(axis=-1, keepdims=True)
        heights = (apart[..., None, :] * waves.T).sum(axis=-1)  # as for one pair, unlike by BLAS
        return np.asarray(np.sqrt(2 * (heights**2).mean(axis=-1)) / n_periods), df

    def unsettled(self, differences: ArrayLike, sampling: Sampling) -> Bools:
        """Return which pairs have losses that depend on each other too strongly for a p value.

        A pair is judged by its own bound and by the median of all pairs, since of many pairs with
        strong dependence some show little by chance.
        """
        bounds = autocorrelation_bound(differences)
        usual = np.median(bounds) if bounds.size else 0.0
        limit = largest_autocorrelation(np.shape(differences)[-1])
        return np.asarray(np.maximum(bounds, usual) > limit)

    def doubts(self, differences: Floats, sampling: Sampling) -> tuple[str, ...]:
        """Say so where a p value decides nothing."""
        text = f"This p value decides nothing: {UNSETTLED.format(differences.size)}."
        return (text,) if self.unsettled(differences, sampling) else ()


def cosine_df(n_periods: int, horizon: int = 1) -> int:
    """Return how many cosines estimate the long-run variance, the degrees of freedom.

    Parameters
    ----------
    n_periods : int
        Periods that are tested on.
    horizon : int, default=1
        As in `Sampling`.

    Returns
    -------
    int
        Twice the cube root, rounded down, but at most one for each horizon.

    Examples
    --------
    >>> [cosine_df(n) for n in (8, 20, 27, 64)], cosine_df(20, horizon=6)
    ([4, 4, 6, 8], 3)
    """
    root = int(np.cbrt(n_periods) + 1e-9)
    return min(2 * root, n_periods // horizon)


def diebold_mariano_test(
    a: ArrayLike, b: ArrayLike, *, horizon: int = 1, alternative: str = "two-sided"
) -> HypothesisTestResult:
    """Compare two learners by their losses in successive periods, by fixed smoothing.

    Null hypothesis: over all periods, both learners have the same expected loss (two-sided), or
    the first has no greater ("greater") or no smaller ("less") one. Design: paired, one loss of
    each learner per period, in order of time.

    Parameters
    ----------
    a, b : array-like of shape (n_periods,), float
        Losses of the first and of the second learner, in any unit, in order of time.
    horizon : int, at least 1, default=1
        Periods from the end of training to the end of a test period.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What is to be shown about a - b.

    Returns
    -------
    HypothesisTestResult
        With `cosine_df` degrees of freedom. If the differences do not vary: statistic 0 and
        p value 1 if they are 0, else statistic inf or -inf and p value 0 (1 on the wrong side);
        flagged ``"zero_variance"`` (convention of this package).

    Raises
    ------
    DesignError
        If the losses do not pair, are not finite, or are of fewer than 8 periods or two horizons.
    InvalidArgumentError
        If `horizon` or `alternative` is not allowed.

    See Also
    --------
    harvey_leybourne_newbold_test : The usual version, whose level is exceeded more.
    autocorrelation_bound : Says whether the p value decides.

    Notes
    -----
    t = mean(d) / sqrt(v / n), v the mean square of the first cosine weights of d = a - b:
    sqrt(2 / n) sum_t d_t cos(pi j (t - 1/2) / n), j = 1 to the df [1]_ [2]_. The band of
    frequencies is that of Coroneo and Iacone's periodogram [3]_. When not to trust it: where a
    warning says that the losses of successive periods depend on each other too strongly.

    References
    ----------
    .. [1] Diebold & Mariano (1995), Comparing predictive accuracy, Journal of Business and
       Economic Statistics 13(3).
    .. [2] Lazarus, Lewis, Stock & Watson (2018), HAR inference: recommendations for practice,
       Journal of Business and Economic Statistics 36(4).
    .. [3] Coroneo & Iacone (2020), Comparing predictive accuracy in small samples using
       fixed-smoothing asymptotics, Journal of Applied Econometrics 35(4).

    Examples
    --------
    >>> a, b = [5, 6, 4, 7, 5, 6, 5, 4], [6, 6, 6, 8, 5, 8, 6, 4]
    >>> result = diebold_mariano_test(a, b)
    >>> round(result.statistic, 3), result.df, round(result.p_value, 4)
    (-3.989, 4.0, 0.0163)
    """
    return DieboldMariano().test_scores(a, b, horizon, alternative)


DIEBOLD_MARIANO = DieboldMariano().procedure


class HarveyLeybourneNewbold(OverTime):
    """The version of Harvey, Leybourne and Newbold; see `harvey_leybourne_newbold_test`."""

    name = "harvey-leybourne-newbold"
    title = "Harvey-Leybourne-Newbold test"
    question = "Do two learners differ over periods, if losses a horizon apart are independent?"
    assumptions = (*OverTime.assumptions, "Losses of periods a horizon apart are independent.")
    aliases = ("hln", "dm-hln", "modified-diebold-mariano")

    def warnings(self, sampling: Sampling) -> tuple[str, ...]:
        """Warn of the level that was measured, and of few periods."""
        return (LEVEL, *super().warnings(sampling))

    def error_of_mean(self, differences: Floats, horizon: int) -> tuple[Floats, int]:
        """Return the error by the autocovariances, by Bartlett where they are not positive."""
        n = differences.shape[-1]
        full, bartlett = _long_run_variances(differences, horizon)
        correction = n + 1 - 2 * horizon + horizon * (horizon - 1) / n
        return np.asarray(np.sqrt(np.where(full > 0, full, bartlett) / correction)), n - 1

    def doubts(self, differences: Floats, sampling: Sampling) -> tuple[str, ...]:
        """Say so where another variance was taken, because the usual one is not positive."""
        full, bartlett = _long_run_variances(differences, sampling.horizon)
        return (BARTLETT,) if bartlett > 0 >= full else ()


LEVEL = (
    "Measured at a nominal 5%, this test rejects 13 to 15% of true hypotheses if successive "
    "differences correlate by 0.3, and 31 to 33% if by 0.6: diebold-mariano holds its level better."
)
BARTLETT = "The variance was not positive, so Bartlett's estimate was used instead."


def _long_run_variances(differences: Floats, horizon: int) -> tuple[Floats, Floats]:
    """Return sums of autocovariances at lags below the horizon: unweighted, and by Bartlett."""
    n_periods = differences.shape[-1]
    apart = differences - differences.mean(axis=-1, keepdims=True)
    full = bartlett = (apart**2).mean(axis=-1)
    for lag in range(1, horizon):
        twice = 2 * (apart[..., lag:] * apart[..., :-lag]).sum(axis=-1) / n_periods
        full, bartlett = full + twice, bartlett + (1 - lag / horizon) * twice
    return full, bartlett


def harvey_leybourne_newbold_test(
    a: ArrayLike, b: ArrayLike, *, horizon: int = 1, alternative: str = "two-sided"
) -> HypothesisTestResult:
    """Compare two learners over successive periods by the modified Diebold-Mariano test.

    Null hypothesis: over all periods, both learners have the same expected loss (two-sided), or
    the first has no greater ("greater") or no smaller ("less") one. Design: paired, one loss of
    each learner per period, in order of time. No verdict is made by it.

    Parameters
    ----------
    a, b : array-like of shape (n_periods,), float
        Losses of the first and of the second learner, in any unit, in order of time.
    horizon : int, at least 1, default=1
        Periods from the end of training to the end of a test period.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What is to be shown about a - b.

    Returns
    -------
    HypothesisTestResult
        With df = n_periods - 1. If the differences do not vary: statistic 0 and p value 1 if they
        are 0, else statistic inf or -inf and p value 0 (1 on the wrong side); flagged
        ``"zero_variance"`` (convention of this package).

    Raises
    ------
    DesignError
        If the losses do not pair, are not finite, or are of fewer than 8 periods or two horizons.
    InvalidArgumentError
        If `horizon` or `alternative` is not allowed.

    See Also
    --------
    diebold_mariano_test : Holds its level better.

    Notes
    -----
    t = mean(d) / sqrt(v / (n + 1 - 2h + h (h - 1) / n)), v the sum of the autocovariances of
    d = a - b at lags below the horizon h [1]_. Where v is not positive, Bartlett's weights
    1 - lag / h are applied, and a warning says so. When not to trust it: losses of periods that
    lie a horizon or more apart are correlated.

    References
    ----------
    .. [1] Harvey, Leybourne & Newbold (1997), Testing the equality of prediction mean squared
       errors, International Journal of Forecasting 13(2).

    Examples
    --------
    >>> a, b = [5, 6, 4, 7, 5, 6, 5, 4], [6, 6, 6, 8, 5, 8, 6, 4]
    >>> result = harvey_leybourne_newbold_test(a, b)
    >>> round(result.statistic, 3), result.df, round(result.p_value, 4)
    (-2.966, 7.0, 0.0209)
    """
    return HarveyLeybourneNewbold().test_scores(a, b, horizon, alternative)


HARVEY_LEYBOURNE_NEWBOLD = HarveyLeybourneNewbold().procedure


class GiacominiWhite(OverTime):
    """The two-sided test of Giacomini and White; see `giacomini_white_test`."""

    name = "giacomini-white"
    title = "Giacomini-White test"
    question = "Can you predict which of two learners has the lower loss in the next period?"
    assumptions = (SAME_PERIODS, "All training parts are of one length.")
    aliases = ("gw", "conditional-predictive-ability")

    def refuse(self, sampling: Sampling) -> str | None:
        """Refuse training parts that grow, and few periods."""
        grow = f"{self.name} needs training parts of one length, and these grow: slide the window."
        return super().refuse(sampling) if sampling.is_sliding else grow

    def error_of_mean(self, differences: Floats, horizon: int) -> tuple[Floats, int]:
        """Return no error, and the number of moments."""
        return np.full(differences.shape[:-1], np.nan), 2

    def compare(
        self, differences: ArrayLike, sampling: Sampling, *, scale: ArrayLike | None = None
    ) -> PairedComparison:
        """Apply the test to every pair; the statistic is chi squared with 2 degrees of freedom."""
        values = check_differences(differences, self.name)
        error, df = self.error_of_mean(values, sampling.horizon)
        mean, spread = np.abs(values.mean(axis=-1)), values.std(axis=-1)
        scale = score_scale(values, scale)
        statistic = np.apply_along_axis(_conditional_statistic, -1, values, sampling.horizon)
        numerator = np.where(is_noise(spread, scale), mean, statistic * spread)
        return compare_by_t(
            values.mean(axis=-1), error, values.shape[-1], scale=scale, df=df, numerator=numerator,
            denominator=spread, tail=lambda chi2, df: np.asarray(chdtrc(df, chi2) / 2),
        )  # fmt: skip

    def single(self, *given: Any, **more: Any) -> HypothesisTestResult:
        """Return the test of one pair whose scores have been checked."""
        return replace(super().single(*given, **more), symbol="chi2", distribution="chi squared")


def _conditional_statistic(differences: Floats, horizon: int) -> float:
    unit = np.sqrt((differences**2).mean())
    values = differences / unit if unit > 0 else differences
    now, known = values[horizon:], values[:-horizon]
    products = np.column_stack([now, now * known])
    mean, n = products.mean(axis=0), len(products)
    variance = products.T @ products / n
    for lag in range(1, horizon):
        shared = products[lag:].T @ products[:-lag] / n
        variance += (1 - lag / horizon) * (shared + shared.T)
    return float(n * mean @ np.linalg.pinv(variance, rcond=1e-10, hermitian=True) @ mean)


def giacomini_white_test(a: ArrayLike, b: ArrayLike, *, horizon: int = 1) -> HypothesisTestResult:
    """Test whether it can be foretold which of two learners has the lower loss in a period.

    Null hypothesis: whatever the last known difference, both learners have the same expected loss
    in the next period (two-sided). Design: paired, one loss of each learner per period, in order
    of time, all training parts of one length.

    Parameters
    ----------
    a, b : array-like of shape (n_periods,), float
        Losses of the first and of the second learner, in any unit, in order of time.
    horizon : int, at least 1, default=1
        Periods from the end of training to the end of a test period.

    Returns
    -------
    HypothesisTestResult
        With 2 degrees of freedom and the mean difference, without an interval. If the differences
        do not vary: statistic 0 and p value 1 if they are 0, else statistic inf and p value 0;
        flagged ``"zero_variance"`` (convention of this package).

    Raises
    ------
    DesignError
        If the losses do not pair, are not finite, or are of fewer than 8 periods or two horizons.
    InvalidArgumentError
        If `horizon` is not allowed.

    See Also
    --------
    diebold_mariano_test : Asks about the mean over all periods, and names the better learner.

    Notes
    -----
    Z_t = d_t (1, d_{t-h}), d = a - b, h the horizon; the statistic is n m' W^-1 m on the n
    periods that have an earlier one, m the mean of Z. W is the mean of Z Z' for a horizon of 1,
    which makes it n R^2 of a regression of 1 on Z, else Newey's and West's variance with h - 1
    lags [1]_. DEVIATION: Z is not centered in W, since its mean is 0 under the hypothesis; the
    centered one rejects 14 to 46% of true hypotheses at a horizon of 2. When not to trust it: with
    training parts that grow the hypothesis has no meaning. With fewer than 16 periods, or 30 and a
    longer horizon, it hardly ever rejects.

    References
    ----------
    .. [1] Giacomini & White (2006), Tests of conditional predictive ability, Econometrica 74(6).

    Examples
    --------
    >>> a, b = [5, 6, 4, 7, 5, 6, 5, 4], [6, 6, 6, 8, 5, 8, 6, 4]
    >>> result = giacomini_white_test(a, b)
    >>> round(result.statistic, 3), result.df, round(result.p_value, 4)
    (4.0, 2.0, 0.1353)
    """
    return GiacominiWhite().test_scores(a, b, horizon, "two-sided")


GIACOMINI_WHITE = replace(GiacominiWhite().procedure, sides=TWO_SIDED)

"""Error rates of one test set or two: intervals, and the z test."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv

from bestofk.array_types import Floats
from bestofk.checks import check_known
from bestofk.errors import InvalidArgumentError
from bestofk.inference.catalogue import Procedure
from bestofk.inference.cautions import Caution, caution_if
from bestofk.inference.checks import as_number, check_alternative, check_share
from bestofk.inference.one_test_set.rows import FIXED_MODELS, OWN_ROWS, check_zero_one, row_values
from bestofk.inference.results import HypothesisTestResult, IntervalResult
from bestofk.inference.student import normal_p_value, normal_quantile, one_sided_limits, z_statistic
from bestofk.inference.two_learners.paired_test import not_equal

_INTERVALS = ("wilson", "clopper-pearson", "normal")


def wilson_limits(share: Any, n: Any, z: float) -> tuple[Floats, Floats]:
    """Return the shares from which the one found is at most z standard errors away.

    Parameters
    ----------
    share : array-like of float in [0, 1]
        Share of successes found.
    n : array-like of float above 0
        Number of rows.
    z : float
        How many standard errors.

    Returns
    -------
    low, high : ndarray of float
        Inside [0, 1].

    Examples
    --------
    >>> low, high = wilson_limits(0.8, 100, 1.959964)
    >>> print(low.round(4), high.round(4))
    0.7112 0.8666
    """
    share, n = np.asarray(share, dtype=float), np.asarray(n, dtype=float)
    center = share + z**2 / (2 * n)
    margin = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    scale = 1 + z**2 / n
    low = np.where(share == 0, 0.0, (center - margin) / scale)
    high = np.where(share == 1, 1.0, (center + margin) / scale)
    return low, high


def newcombe_limits(
    rates: Floats, n: ArrayLike, z: float, correlation: float = 0.0
) -> tuple[float, float]:
    """Return Newcombe's limits of the first of two rates minus the second.

    Parameters
    ----------
    rates : ndarray of shape (2,), float
        From 0 to 1.
    n : array-like that broadcasts to (2,), int
        Rows of each rate.
    z : float
        Quantile of the normal distribution.
    correlation : float
        Of the rows of both rates; 0 for independent test sets.

    Returns
    -------
    low, high : float
        Limits of the difference.
    """
    low, high = wilson_limits(rates, n, z)
    below, above = rates - low, high - rates
    down = below[0] ** 2 - 2 * correlation * below[0] * above[1] + above[1] ** 2
    up = above[0] ** 2 - 2 * correlation * above[0] * below[1] + below[1] ** 2
    difference = float(rates[0] - rates[1])
    return difference - math.sqrt(max(down, 0.0)), difference + math.sqrt(max(up, 0.0))


def clopper_pearson_limits(n_successes: float, n: float, outside: float) -> tuple[float, float]:
    """Return the shares for which the count found is not too large or too small.

    Parameters
    ----------
    n_successes, n : float
        Successes among n rows.
    outside : float in (0, 1)
        Probability left out beyond each limit.

    Returns
    -------
    low, high : float
        0 without successes, 1 without failures.
    """
    n_failures = n - n_successes
    low = betaincinv(n_successes, n_failures + 1, outside) if n_successes > 0 else 0.0
    high = betaincinv(n_successes + 1, n_failures, 1 - outside) if n_failures > 0 else 1.0
    return float(low), float(high)


def proportion_interval(
    n_successes: int, n: int, *, method: str = "wilson", level: float = 0.95
) -> IntervalResult:
    """Return the confidence interval of an accuracy (or error rate) on one test set.

    Parameters
    ----------
    n_successes : int from 0 to n
        Rows that were classified rightly (wrongly, for an error rate).
    n : int, at least 1
        Rows of the test set.
    method : {"wilson", "clopper-pearson", "normal"}, default="wilson"
        Wilson [1]_ inverts the normal test, Clopper-Pearson [2]_ the binomial one and is
        never too short; "normal" adds and subtracts standard errors and is cut to [0, 1].
    level : float in (0, 1), default=0.95
        Confidence.

    Returns
    -------
    IntervalResult
        Limits as proportions. By "normal" without a success or without a failure the
        interval has no width: flagged ``"zero_variance"``.

    Raises
    ------
    InvalidArgumentError
        If a count is negative, no whole number or nan, there are no rows, there are more
        successes than rows, or `method` or `level` is not allowed.

    Notes
    -----
    When not to trust it: rows pooled over the folds of cross-validation. Their models differ
    and share training rows, which no binomial distribution knows.

    References
    ----------
    .. [1] Wilson (1927), Probable inference, the law of succession, and statistical
       inference, Journal of the American Statistical Association 22.
    .. [2] Clopper & Pearson (1934), The use of confidence or fiducial limits illustrated in
       the case of the binomial, Biometrika 26.

    Examples
    --------
    >>> result = proportion_interval(80, 100)
    >>> print(round(result.low, 4), round(result.high, 4))
    0.7112 0.8666
    """
    check_known(method, "method of proportion_interval", _INTERVALS)
    n = whole_count(n, "n of proportion_interval", least=1)
    n_successes = whole_count(n_successes, "n_successes of proportion_interval", most=n)
    check_share(level, "level")
    share, z = n_successes / n, normal_quantile(level)
    standard_error = float(np.sqrt(share * (1 - share) / n))
    if method == "wilson":
        low, high = map(float, wilson_limits(share, n, z))
    elif method == "clopper-pearson":
        low, high = clopper_pearson_limits(n_successes, n, (1 - level) / 2)
    else:
        low, high = max(0.0, share - z * standard_error), min(1.0, share + z * standard_error)
    no_width = method == "normal" and standard_error == 0
    return IntervalResult(
        procedure=f"interval of a proportion ({method})",
        n=n,
        estimate=share,
        low=low,
        high=high,
        level=float(level),
        standard_error=standard_error,
        estimate_of="proportion",
        n_of=f"rows, {n_successes} of them counted",
        assumptions=(OWN_ROWS,),
        flags=("zero_variance",) if no_width else (),
        warnings=caution_if(no_width, "degenerate", _NO_WIDTH),
    )


_NO_WIDTH = (
    "All rows agree, so the normal interval has no width and says nothing; Wilson's and "
    "Clopper-Pearson's have one."
)


def whole_count(value: Any, what: str, *, least: int = 0, most: int | None = None) -> int:
    """Return a number of rows as an int, or raise if it is none.

    Parameters
    ----------
    value : int, or a float without a fraction
        The count.
    what : str
        Its name in the error message.
    least, most : int
        Its limits; None for no upper one.

    Returns
    -------
    int
        The count.

    Raises
    ------
    InvalidArgumentError
        If it is no whole number or outside its limits.

    Examples
    --------
    >>> whole_count(3.0, "n")
    3
    """
    number = as_number(value)
    top = float("inf") if most is None else most
    if not (least <= number <= top) or number % 1 != 0:
        rule = f"from {least} to {most}" if most is not None else f"of at least {least}"
        raise InvalidArgumentError(
            f"{what} must be a whole number {rule}; got {value!r}. Count the rows of one test set."
        )
    return int(number)


VARIANCES = ("unpooled", "pooled")
_Z_INTERVALS = ("wald", "newcombe")
_INDEPENDENT = Caution(
    "different-test-sets",
    "The z test assumes independent test sets: on shared rows it is wrong; use McNemar's test.",
)
_NO_VARIANCE = "Neither error rate varies, so statistic and p value are limits, not evidence."


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TwoProportionResult(HypothesisTestResult):
    """The outcome of the z test of two error rates.

    Parameters
    ----------
    rates : tuple of two floats
        Error rate of each learner.
    sizes : tuple of two ints
        Rows of each test set.
    interval : {"wald", "newcombe"}
        How limits are made.
    """

    pictures = (
        ("accuracies", "TwoAccuraciesDisplay"),
        ("difference", "DifferenceDisplay"),
        ("confidences", "ConfidenceTableDisplay"),
    )

    rates: tuple[float, float]
    sizes: tuple[int, int]
    interval: str

    def confidence_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the limits of the difference of the error rates.

        Parameters
        ----------
        level : float in (0, 1), default=0.95
            Confidence.

        Returns
        -------
        low, high : float
            "wald" adds and subtracts unpooled standard errors; "newcombe" combines Wilson's
            limits of both rates. One-sided tests have one-sided intervals.

        Raises
        ------
        InvalidArgumentError
            If `level` is not inside (0, 1).
        """
        if self.interval == "wald":
            return super().confidence_interval(level)
        z = normal_quantile(level, self.alternative)
        low, high = newcombe_limits(np.array(self.rates), self.sizes, z)
        return one_sided_limits(low, high, self.alternative)


def two_proportion_z_test(
    e1: float,
    n1: int,
    e2: float,
    n2: int,
    *,
    variance: str = "unpooled",
    interval: str = "wald",
    alternative: str = "two-sided",
) -> TwoProportionResult:
    """Compare two error rates that were measured on independent test sets.

    Null hypothesis: both models have the same probability of error (two-sided), or the
    first has no greater ("greater") or no smaller ("less") one. Design: unpaired.

    Parameters
    ----------
    e1, e2 : float in [0, 1]
        Error rate of the first and of the second model.
    n1, n2 : int, at least 1
        Rows of their test sets.
    variance : {"unpooled", "pooled"}, default="unpooled"
        Standard error of the statistic: from each rate alone, or from the rate of all rows.
    interval : {"wald", "newcombe"}, default="wald"
        Limits of the difference [1]_; Newcombe's hold with few rows too.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What is to be shown about e1 - e2.

    Returns
    -------
    TwoProportionResult
        Statistic z = (e1 - e2) / standard error, standard normal. Where that error is 0: statistic
        0 and p value 1 if the rates are the same, else inf or -inf and 0 (1 on the wrong
        side); flagged ``"zero_variance"``.

    Raises
    ------
    InvalidArgumentError
        If a rate is no number in [0, 1], a size is no whole number of at least 1, or an
        option is unknown.

    See Also
    --------
    mcnemar_test : For two models on the same test set.

    References
    ----------
    .. [1] Newcombe (1998), Interval estimation for the difference between independent
       proportions: comparison of eleven methods, Statistics in Medicine 17 (methods 1, 10).

    Examples
    --------
    >>> result = two_proportion_z_test(0.15, 30, 0.25, 5000)
    >>> low, high = result.confidence_interval()
    >>> print(f"{result.statistic:.3f}, {result.p_value:.3f}, {low:.3f} to {high:.3f}")
    -1.527, 0.127, -0.228 to 0.028
    """
    check_known(variance, "variance of two_proportion_z_test", VARIANCES)
    check_known(interval, "interval of two_proportion_z_test", _Z_INTERVALS)
    side = check_alternative(alternative)
    e1, e2 = _rate(e1, "e1"), _rate(e2, "e2")
    n1 = whole_count(n1, "n1 of two_proportion_z_test", least=1)
    n2 = whole_count(n2, "n2 of two_proportion_z_test", least=1)
    unpooled = math.sqrt(e1 * (1 - e1) / n1 + e2 * (1 - e2) / n2)
    all_rows = (e1 * n1 + e2 * n2) / (n1 + n2)
    pooled = math.sqrt(max(all_rows * (1 - all_rows), 0.0) * (1 / n1 + 1 / n2))
    standard_error = unpooled if variance == "unpooled" else pooled
    z = z_statistic(e1 - e2, standard_error)
    p_value = 1.0 if standard_error == 0 and e1 == e2 else normal_p_value(z, side)
    return TwoProportionResult(
        procedure=f"z test of two error rates ({variance})",
        statistic=z,
        p_value=p_value,
        alternative=side,
        estimate=e1 - e2,
        standard_error=unpooled,
        n=n1 + n2,
        symbol="z",
        estimate_of="difference of error rates",
        n_of=f"rows of both test sets; error rates {_counted(e1, n1)} and {_counted(e2, n2)}",
        distribution="normal",
        assumptions=(FIXED_MODELS, OWN_ROWS, "The two test sets share no row."),
        flags=("zero_variance",) if standard_error == 0 else (),
        warnings=(
            *caution_if(standard_error == 0, "degenerate", _NO_VARIANCE),
            _INDEPENDENT,
            *not_equal(p_value, side),
        ),
        rates=(e1, e2),
        sizes=(n1, n2),
        interval=interval,
    )


def run_on_rows(
    a: ArrayLike,
    b: ArrayLike,
    *,
    variance: str = "unpooled",
    interval: str = "wald",
    alternative: str = "two-sided",
) -> TwoProportionResult:
    """Compare two models by their losses on two test sets; see `two_proportion_z_test`.

    Parameters
    ----------
    a, b : array-like of shape (n_rows,), 0 or 1
        Loss on every row; the two test sets may differ in size.
    variance, interval, alternative : str
        As in `two_proportion_z_test`.

    Returns
    -------
    TwoProportionResult
        As from `two_proportion_z_test`.

    Raises
    ------
    DesignError
        If there are no rows or a loss is neither 0 nor 1.
    InvalidArgumentError
        If an option is unknown.
    """
    what = "losses of two-proportion-z"
    first, second = row_values(a, what, n_least=1), row_values(b, what, n_least=1)
    for losses in (first, second):
        check_zero_one(losses, what, meaning="right, wrong")
    return two_proportion_z_test(
        float(first.mean()),
        first.size,
        float(second.mean()),
        second.size,
        variance=variance,
        interval=interval,
        alternative=alternative,
    )


PROCEDURE = Procedure(
    name="two-proportion-z",
    title="z test of two error rates",
    question="Do two error rates measured on independent test sets differ?",
    takes="two-on-rows",
    run=run_on_rows,
    aliases=("z", "two-proportion", "two-proportions", "proportions-z"),
)


def _rate(value: Any, what: str) -> float:
    number = as_number(value)
    if not 0 <= number <= 1:
        raise InvalidArgumentError(
            f"{what} of two_proportion_z_test must be an error rate from 0 to 1; got {value!r}. "
            "Divide the number of errors by the number of rows."
        )
    return number


def _counted(rate: float, n_rows: int) -> str:
    """Return an error rate as text, with the number of errors where the rate tells it."""
    n_errors = rate * n_rows
    is_whole = abs(n_errors - round(n_errors)) <= 1e-9 * n_rows
    return f"{100 * rate:.3g}% ({f'{round(n_errors)} of ' if is_whole else ''}{n_rows} rows)"

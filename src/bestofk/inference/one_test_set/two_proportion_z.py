"""Two-proportion z test of error rates measured on two independent test sets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bestofk.checks import check_known
from bestofk.errors import InvalidArgumentError
from bestofk.inference.catalogue_entry import Procedure
from bestofk.inference.cautions import Caution
from bestofk.inference.checks import as_number, check_alternative
from bestofk.inference.one_test_set.proportion import newcombe_limits, whole_count
from bestofk.inference.one_test_set.rows import FIXED_MODELS, OWN_ROWS, check_zero_one, row_values
from bestofk.inference.results import HypothesisTestResult
from bestofk.inference.student import normal_p_value, normal_quantile, one_sided_limits, z_statistic
from bestofk.inference.two_learners.paired_test import not_equal

VARIANCES = ("unpooled", "pooled")
INTERVALS = ("wald", "newcombe")
_INDEPENDENT = Caution(
    "different-test-sets",
    "The z test takes the two test sets as independent: on shared rows it is wrong, and McNemar's "
    "test is right.",
)
_NO_VARIANCE = Caution(
    "degenerate", "Neither error rate varies, so statistic and p value are limits and no evidence."
)


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
    for value, what, known in (
        (variance, "variance", VARIANCES),
        (interval, "interval", INTERVALS),
    ):
        check_known(value, f"{what} of two_proportion_z_test", known)
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
            *((_NO_VARIANCE,) if standard_error == 0 else ()),
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
    question="Do two error rates differ that were measured on independent test sets?",
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

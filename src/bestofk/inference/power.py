"""Power analysis: differences that a design can detect, and the cost of smaller ones."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.planned_test import checked_size, planned_test
from bestofk.inference.sampling import Sampling
from bestofk.inference.student import Floats, check_share

_MOST_REPEATS = 1_000_000


def power_at(
    difference: float,
    sampling: Sampling,
    sd: float,
    *,
    alpha: float = 0.05,
    n_hypotheses: int = 1,
    test: str = "corrected-t",
    alternative: str = "two-sided",
) -> float:
    """Return the probability with which a design shows a true mean difference.

    Parameters
    ----------
    difference : float, at least 0
        True mean difference, in the unit of the scores.
    sampling : Sampling
        The planned splits; the corrected t test needs n_train and n_test.
    sd : float, at least 0
        Standard deviation of the differences over such splits.
    alpha : float in (0, 1), default=0.05
        Level of the family.
    n_hypotheses : int, default=1
        Size of the family; each test is made at ``alpha / n_hypotheses`` (Bonferroni: with
        Holm the power is at least this).
    test : {"corrected-t", "paired-t", "5x2cv-t"}, default="corrected-t"
        The test that is planned.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Its side; a one-sided test looks in the direction of the difference.

    Returns
    -------
    float
        In [0, 1]. Without scatter: 1, or `alpha` of the pair for no difference.

    Raises
    ------
    InvalidArgumentError
        If a number or a name is not allowed.
    DesignError
        If the plan cannot carry the test.

    See Also
    --------
    smallest_difference : The other way round.

    Notes
    -----
    t follows the noncentral distribution with the degrees of freedom of the test and noncentrality
    difference / (sd sqrt(factor)) [1]_: factor 1/n + n_test/n_train for corrected-t (exact if
    the differences are normal with equal variances and correlation
    n_test / (n_train + n_test)), 1/n for paired-t, 1 with 5 degrees of freedom for 5x2cv-t.
    When not to trust it: the scatter of a small pilot is itself uncertain.

    References
    ----------
    .. [1] Cohen (1988), Statistical power analysis for the behavioral sciences, 2nd ed.

    Examples
    --------
    >>> plan = Sampling("k-fold", 10, 10, n_train=270, n_test=30)
    >>> round(power_at(0.05, plan, 0.1), 3)
    0.296
    """
    distribution = planned_test(sampling, test, alpha, n_hypotheses, alternative)
    difference = checked_size(difference, "difference")
    sd = checked_size(sd, "sd")
    return distribution.power(difference, sd)


def smallest_difference(
    sampling: Sampling,
    sd: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    n_hypotheses: int = 1,
    test: str = "corrected-t",
    alternative: str = "two-sided",
) -> float:
    """Return the smallest true mean difference that a design shows with a given power.

    Parameters
    ----------
    sampling, sd, alpha, n_hypotheses, test, alternative
        As for `power_at`.
    power : float in (alpha, 1), default=0.8
        Probability with which it is to be shown.

    Returns
    -------
    float
        In the unit of `sd`; 0 without scatter.

    Raises
    ------
    InvalidArgumentError
        If a number or a name is not allowed.
    DesignError
        If the plan cannot carry the test.

    Examples
    --------
    >>> plan = Sampling("k-fold", 10, 10, n_train=270, n_test=30)
    >>> round(smallest_difference(plan, 0.1), 4)
    0.0985
    """
    distribution = planned_test(sampling, test, alpha, n_hypotheses, alternative)
    return (
        distribution.noncentrality(power) * math.sqrt(distribution.factor) * checked_size(sd, "sd")
    )


def difference_floor(
    sampling: Sampling,
    sd: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    n_hypotheses: int = 1,
    test: str = "corrected-t",
    alternative: str = "two-sided",
) -> float:
    """Return what `smallest_difference` tends to with more and more repeats of a plan.

    Parameters
    ----------
    sampling, sd, alpha, power, n_hypotheses, test, alternative
        As for `smallest_difference`.

    Returns
    -------
    float
        (z(1 - alpha/2) + z(power)) sd sqrt(n_test / n_train) for the two-sided corrected t
        test; 0 for paired-t, which takes repeats for new data; for 5x2cv-t, which cannot be
        repeated, what the design itself shows.

    Raises
    ------
    InvalidArgumentError
        If a number or a name is not allowed.
    DesignError
        If the plan cannot carry the test.

    Examples
    --------
    >>> plan = Sampling("k-fold", 10, 10, n_train=270, n_test=30)
    >>> round(difference_floor(plan, 0.1), 4)
    0.0934
    """
    distribution = planned_test(sampling, test, alpha, n_hypotheses, alternative)
    if test == "5x2cv-t":
        return distribution.noncentrality(power) * checked_size(sd, "sd")
    endless = replace(distribution, df=math.inf)
    return endless.noncentrality(power) * math.sqrt(distribution.lasting) * checked_size(sd, "sd")


def repeats_needed(
    difference: float,
    sampling: Sampling,
    sd: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    n_hypotheses: int = 1,
    test: str = "corrected-t",
    alternative: str = "two-sided",
) -> float:
    """Return how many repeats of a plan show a true mean difference with a given power.

    Parameters
    ----------
    difference : float above 0
        True mean difference, in the unit of `sd`.
    sampling, sd, alpha, power, n_hypotheses, test, alternative
        As for `smallest_difference`; the repeats of `sampling` do not matter.

    Returns
    -------
    float
        A whole number, or inf: more repeats never bring the smallest difference to
        `difference_floor` or below. At least enough for two scores.

    Raises
    ------
    InvalidArgumentError
        If a number or a name is not allowed.
    DesignError
        If the plan cannot carry the test, or the test has a fixed number of repeats.

    Examples
    --------
    >>> plan = Sampling("k-fold", 1, 10, n_train=270, n_test=30)
    >>> repeats_needed(0.1, plan, 0.1), repeats_needed(0.05, plan, 0.1)
    (8.0, inf)
    """
    if test == "5x2cv-t":
        raise DesignError(
            "test of repeats_needed must be one that can be repeated; got '5x2cv-t', which has 5 "
            "repeats. Take corrected-t, or ask for the rows that are needed."
        )
    asked = checked_size(difference, "difference", above_zero=True)
    given = (alpha, n_hypotheses, alternative)
    least = 2 if sampling.n_folds == 1 else 1

    def is_enough(repeats: int) -> bool:
        distribution = planned_test(replace(sampling, n_repeats=repeats), test, *given)
        return distribution.noncentrality(power) * math.sqrt(distribution.factor) * sd <= asked

    sd = checked_size(sd, "sd")
    if is_enough(least):
        return float(least)
    if not is_enough(_MOST_REPEATS):
        return math.inf
    low, high = least, _MOST_REPEATS
    while high - low > 1:  # not enough at low, enough at high
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return float(high)


def rows_needed(
    difference: float,
    sampling: Sampling,
    sd: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    n_hypotheses: int = 1,
    test: str = "corrected-t",
    alternative: str = "two-sided",
) -> float:
    """Return how many rows of data show a true mean difference by the same plan.

    Parameters
    ----------
    difference : float above 0
        True mean difference, in the unit of `sd`.
    sampling : Sampling
        The plan, with n_train and n_test of the data that `sd` comes from.
    sd, alpha, power, n_hypotheses, test, alternative
        As for `smallest_difference`.

    Returns
    -------
    float
        A whole number of rows; may be fewer than there are.

    Raises
    ------
    InvalidArgumentError
        If a number or a name is not allowed.
    DesignError
        If the plan cannot carry the test, or its sizes are not known.

    Notes
    -----
    The variance of a difference is taken to be inversely proportional to the rows, and the
    true difference to be the same on more rows. Learners that are still learning break the
    second rule: look at a learning curve.

    Examples
    --------
    >>> plan = Sampling("k-fold", 10, 10, n_train=270, n_test=30)
    >>> rows_needed(0.05, plan, 0.1)
    1164.0
    """
    asked = checked_size(difference, "difference", above_zero=True)
    if sampling.n_train is None or sampling.n_test is None:
        raise DesignError(
            "n_train and n_test of rows_needed must be known; got "
            f"{sampling.n_train} and {sampling.n_test}. Say how many rows trained and tested."
        )
    options = {"alpha": alpha, "n_hypotheses": n_hypotheses, "alternative": alternative}
    result = smallest_difference(sampling, sd, power=power, test=test, **options)  # type: ignore[arg-type]
    return float(math.ceil((sampling.n_train + sampling.n_test) * (result / asked) ** 2))


def smallest_detectable_difference(
    standard_error: ArrayLike, df: ArrayLike, *, n_hypotheses: int, alpha: float = 0.05
) -> Floats:
    """Return the mean difference that a pair needs to be shown first among many hypotheses.

    Parameters
    ----------
    standard_error : array-like of float, at least 0
        Of the mean difference of each pair.
    df : array-like of float that broadcasts
        Degrees of freedom of its t test.
    n_hypotheses : int, at least 1
        One-sided tests that are corrected together: K (K - 1) for all ordered pairs, half of
        that for those of MultiTest.
    alpha : float in (0, 1), default=0.05
        Level of the family.

    Returns
    -------
    ndarray of float
        In the unit of the scores, one for each pair: the maximum is what the weakest pair
        needs, the median what a usual one does. By Holm's correction later pairs need less.

    Raises
    ------
    InvalidArgumentError
        If a standard error is negative or nan, `n_hypotheses` is below 1, or `alpha` is not
        inside (0, 1).

    Examples
    --------
    >>> smallest_detectable_difference([0.01, 0.02], 9, n_hypotheses=1).round(4).tolist()
    [0.0183, 0.0367]
    >>> smallest_detectable_difference([0.01, 0.02], 9, n_hypotheses=190).round(4).tolist()
    [0.0525, 0.105]
    """
    errors = np.asarray(standard_error, dtype=float)
    if not (errors >= 0).all():
        raise InvalidArgumentError(
            f"standard_error of smallest_detectable_difference must not be negative or nan; got "
            f"{errors[~(errors >= 0)][0]}. Leave out pairs that were not tested."
        )
    if not n_hypotheses >= 1:
        raise InvalidArgumentError(
            f"n_hypotheses of smallest_detectable_difference must be at least 1; got "
            f"{n_hypotheses}. Count the tests that are corrected together."
        )
    level = check_share(alpha, "alpha") / n_hypotheses
    return np.asarray(stdtrit(df, 1 - level) * errors)

"""Power analysis: differences that a design can detect, and the cost of smaller ones."""

import math
from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaincinv, ndtr, ndtri, stdtrit

from bestofk.array_types import Floats
from bestofk.checks import check_known, check_number
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.cautions import caution_if
from bestofk.inference.checks import check_alternative, check_share
from bestofk.inference.results import Result, number
from bestofk.inference.sampling import Sampling
from bestofk.inference.two_learners.paired_test import check_differences
from bestofk.options import declared_options, option, with_options

TESTS = ("corrected-t", "paired-t", "5x2cv-t")
_N_NODES = 400  # probabilities are right to six decimals


@dataclass(frozen=True)
class PlannedTest:
    """The distribution of t = estimate / (sd sqrt(factor)) when there is a difference.

    Parameters
    ----------
    factor : float
        Variance of the estimate over that of a single difference.
    lasting : float
        What is left of the factor with endless repeats.
    df : float
        Degrees of freedom; inf for the normal distribution.
    level : float
        Level of the test of one pair.
    is_two_sided : bool
        Whether both tails reject.
    """

    factor: float
    lasting: float
    df: float
    level: float
    is_two_sided: bool

    @property
    def critical(self) -> float:
        """The statistic from which the test rejects."""
        outside = self.level / 2 if self.is_two_sided else self.level
        return float(-ndtri(outside) if math.isinf(self.df) else -stdtrit(self.df, outside))

    def power(self, difference: float, sd: float) -> float:
        """Return the probability of rejection at a true difference in the right direction."""
        if difference == 0:
            return self.level
        if sd == 0:
            return 1.0
        return self._power(difference / (sd * math.sqrt(self.factor)))

    def _power(self, noncentrality: float) -> float:
        """Return P(|Z + noncentrality| > critical s), averaged over the quantiles of s.

        The noncentral t of scipy 1.17 is nan for many noncentralities above 5.
        """
        quantiles, weights = _nodes()
        s = 1.0
        if not math.isinf(self.df):
            s = np.sqrt(2 * gammaincinv(self.df / 2, quantiles) / self.df)
        beyond = ndtr(noncentrality - self.critical * s)
        if self.is_two_sided:
            beyond = beyond + ndtr(-noncentrality - self.critical * s)
        return float(np.clip((weights * beyond).sum(), 0.0, 1.0))

    def smallest(self, power: float, sd: float) -> float:
        """Return the smallest difference that the test shows with a power, in the unit of `sd`."""
        return self._noncentrality(power) * math.sqrt(self.factor) * checked_size(sd, "sd")

    def _noncentrality(self, power: float) -> float:
        """Return the noncentrality at which the power is reached."""
        from scipy.optimize import brentq

        wanted = check_share(power, "power")
        if wanted <= self.level:
            raise InvalidArgumentError(
                f"power must be above the level of one test ({self.level:g}); got {wanted:g}. "
                "The usual is 0.8."
            )
        high = 1.0
        while self._power(high) < wanted:
            high *= 2
        return float(brentq(lambda value: self._power(value) - wanted, 0.0, high))


@lru_cache(maxsize=1)
def _nodes() -> tuple[Floats, Floats]:
    """Return nodes in (0, 1) and weights of Gauss and Legendre."""
    indices, weights = np.polynomial.legendre.leggauss(_N_NODES)
    return (indices + 1) / 2, weights / 2


@dataclass(frozen=True, kw_only=True)
class PowerOptions:
    """Options of a power analysis.

    Parameters
    ----------
    alpha : float in (0, 1), default=0.05
        Level of the family.
    power : float in (alpha, 1), default=0.8
        Probability of detecting a true difference.
    n_hypotheses : int, default=1
        Size of the family; each test is made at ``alpha / n_hypotheses`` (Bonferroni: with
        Holm the power is at least this).
    test : {"corrected-t", "paired-t", "5x2cv-t"}, default="corrected-t"
        The test that is planned.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Its side; a one-sided test looks in the direction of the difference.
    """

    alpha: float = option(0.05)
    power: float = option(0.8)
    n_hypotheses: int = option(1)
    test: str = option("corrected-t")
    alternative: str = option("two-sided")

    def planned_test(self, sampling: Sampling) -> PlannedTest:
        """Return the distribution of the test on a plan.

        Raises
        ------
        InvalidArgumentError
            If a number or a name is not allowed.
        DesignError
            If the plan cannot carry the test.
        """
        check_known(self.test, "test of a power analysis", TESTS)
        n_hypotheses, n = self.n_hypotheses, sampling.n_scores
        way_out = "All pairs of K learners are K (K - 1) / 2."
        check_number(n_hypotheses, "n_hypotheses", low=1, whole=True, way_out=way_out)
        level = check_share(self.alpha, "alpha") / n_hypotheses
        is_two_sided = check_alternative(self.alternative) == "two-sided"
        if self.test == "5x2cv-t":
            if (sampling.n_repeats, sampling.n_folds) != (5, 2):
                raise DesignError(
                    "plan of 5x2cv-t must be 5 repeats of 2 folds; got "
                    f"{sampling.n_repeats} of {sampling.n_folds}. Take corrected-t."
                )
            return PlannedTest(1.0, 1.0, 5, level, is_two_sided)
        if n < 2:
            raise DesignError(
                f"scores of {self.test} must be at least 2; got a plan of {n}. Use more folds or "
                "repeats."
            )
        if self.test == "paired-t":
            return PlannedTest(1 / n, 0.0, n - 1, level, is_two_sided)
        shared = sampling.size_ratio("corrected-t")
        return PlannedTest(1 / n + shared, shared, n - 1, level, is_two_sided)


class PlanArguments(TypedDict, total=False):
    """Options of the test that is planned."""

    alpha: float
    n_hypotheses: int
    test: str
    alternative: str


class PowerArguments(PlanArguments, total=False):
    """Options of the test that is planned, and its power."""

    power: float


_OPTIONS = declared_options(PowerOptions)


def checked_size(value: float, what: str, *, above_zero: bool = False) -> float:
    """Return a difference or a scatter as a float, or raise if it is negative or not finite."""
    way_out = "Write 5 points of an error rate as 0.05."
    check_number(value, what, low=0, is_open="low" if above_zero else "", way_out=way_out)
    return float(value)


_MOST_REPEATS = 1_000_000


@with_options(PlanArguments, _OPTIONS)
def power_at(
    difference: float, sampling: Sampling, sd: float, **options: Unpack[PlanArguments]
) -> float:
    """Return the probability that a design detects a true mean difference.

    Parameters
    ----------
    difference : float, at least 0
        True mean difference, in the unit of the scores.
    sampling : Sampling
        The planned splits; the corrected t test needs n_train and n_test.
    sd : float, at least 0
        Standard deviation of the differences over such splits.
    **options
        As for `smallest_difference`, but for `power`.

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
    smallest_difference : The inverse.

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
    planned = PowerOptions(**options).planned_test(sampling)
    return planned.power(checked_size(difference, "difference"), checked_size(sd, "sd"))


@with_options(PowerArguments, _OPTIONS)
def smallest_difference(sampling: Sampling, sd: float, **options: Unpack[PowerArguments]) -> float:
    """Return the smallest true mean difference that a design detects with a given power.

    Parameters
    ----------
    sampling, sd
        As for `power_at`.
    **options
        As for `power_at`, and `power`.

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
    asked = PowerOptions(**options)
    return asked.planned_test(sampling).smallest(asked.power, sd)


@with_options(PowerArguments, _OPTIONS)
def difference_floor(sampling: Sampling, sd: float, **options: Unpack[PowerArguments]) -> float:
    """Return what `smallest_difference` tends to with more and more repeats of a plan.

    Parameters
    ----------
    sampling, sd
        As for `power_at`.
    **options
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
    asked = PowerOptions(**options)
    planned = asked.planned_test(sampling)
    if asked.test != "5x2cv-t":
        planned = replace(planned, df=math.inf, factor=planned.lasting)
    return planned.smallest(asked.power, sd)


@with_options(PowerArguments, _OPTIONS)
def repeats_needed(
    difference: float, sampling: Sampling, sd: float, **options: Unpack[PowerArguments]
) -> float:
    """Return how many repeats of a plan detect a true mean difference with a given power.

    Parameters
    ----------
    difference : float above 0
        True mean difference, in the unit of `sd`.
    sampling, sd
        As for `power_at`; the repeats of `sampling` do not matter.
    **options
        As for `smallest_difference`.

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
    asked = PowerOptions(**options)
    if asked.test == "5x2cv-t":
        raise DesignError(
            "test of repeats_needed must be one that can be repeated; got '5x2cv-t', which has 5 "
            "repeats. Take corrected-t, or ask for the rows that are needed."
        )
    wanted = checked_size(difference, "difference", above_zero=True)
    least = 2 if sampling.n_folds == 1 else 1

    def is_enough(repeats: int) -> bool:
        planned = asked.planned_test(replace(sampling, n_repeats=repeats))
        return planned.smallest(asked.power, sd) <= wanted

    checked_size(sd, "sd")
    if not is_enough(_MOST_REPEATS):
        return math.inf
    counts = range(least, _MOST_REPEATS)
    return float(least + bisect_left(counts, True, key=is_enough))


@with_options(PowerArguments, _OPTIONS)
def rows_needed(
    difference: float, sampling: Sampling, sd: float, **options: Unpack[PowerArguments]
) -> float:
    """Return how many rows of data the same plan needs to detect a true mean difference.

    Parameters
    ----------
    difference : float above 0
        True mean difference, in the unit of `sd`.
    sampling : Sampling
        The plan, with n_train and n_test of the data that `sd` comes from.
    sd : float, at least 0
        As for `power_at`.
    **options
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
    asked, wanted = PowerOptions(**options), checked_size(difference, "difference", above_zero=True)
    if sampling.n_train is None or sampling.n_test is None:
        raise DesignError(
            "n_train and n_test of rows_needed must be known; got "
            f"{sampling.n_train} and {sampling.n_test}. Say how many rows trained and tested."
        )
    smallest = asked.planned_test(sampling).smallest(asked.power, sd)
    return float(math.ceil((sampling.n_train + sampling.n_test) * (smallest / wanted) ** 2))


def smallest_detectable_difference(
    standard_error: ArrayLike, df: ArrayLike, *, n_hypotheses: int, alpha: float = 0.05
) -> Floats:
    """Return the mean difference that makes a pair significant among many hypotheses.

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
    what = "n_hypotheses of smallest_detectable_difference"
    check_number(n_hypotheses, what, low=1, way_out="Count the tests that are corrected together.")
    level = check_share(alpha, "alpha") / n_hypotheses
    return np.asarray(stdtrit(df, 1 - level) * errors)


FEW_SCORES = 10
_MODEL = (
    "All differences have the same variance, and the correlation that the test allows for is the "
    "true one."
)
_MORE_ROWS = (
    "With more rows the variance of a difference falls in proportion, and the true difference "
    "stays as it is."
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PowerResult(Result):
    """Power of a design, estimated from the scatter of the differences of a pilot.

    Parameters
    ----------
    test : str
        Name of the test that is planned.
    sd : float
        Standard deviation of the differences over splits, in the unit of the scores.
    alpha : float
        Level of the test of one pair: the level of the family over its number of hypotheses.
    power : float
        Probability of detecting a true difference.
    smallest : float
        Smallest true mean difference that the design detects with that probability.
    floor : float
        What `smallest` tends to with more and more repeats.
    difference : float
        The difference that matters.
    power_there : float
        Probability that the design detects it.
    repeats_needed, rows_needed : float
        Repeats of the plan, or rows of the data, with which `power` is reached there; inf
        where no number of them would do.
    """

    test: str
    sd: float
    alpha: float
    power: float
    smallest: float
    floor: float
    difference: float
    power_there: float
    repeats_needed: float
    rows_needed: float

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        there = number(self.difference)
        return [
            ("smallest difference", f"{number(self.smallest)} with power {self.power:g}"),
            ("with endless repeats", number(self.floor)),
            (f"power at {there}", number(self.power_there)),
            (f"repeats for {there}", _count(self.repeats_needed)),
            (f"rows for {there}", _count(self.rows_needed)),
            ("level of one pair", number(self.alpha)),
        ]

    def __repr__(self) -> str:
        return f"PowerResult({self.test}: smallest difference {number(self.smallest)})"


@with_options(PowerArguments, _OPTIONS)
def power_of_comparison(
    differences: ArrayLike,
    sampling: Sampling,
    *,
    difference: float,
    **options: Unpack[PowerArguments],
) -> PowerResult:
    """Return what a design can detect, from the differences of two learners in a pilot.

    Parameters
    ----------
    differences : array-like of shape (n_scores,)
        First minus second on the splits of the pilot.
    sampling : Sampling
        How the splits of the pilot were made.
    difference : float above 0
        The difference that matters; not the one that was found, whose power says nothing
        beyond its p value.
    **options
        As for `smallest_difference`.

    Returns
    -------
    PowerResult
        Flagged ``"zero_variance"`` where the differences do not vary.

    Raises
    ------
    InvalidArgumentError
        If a number or a name is not allowed.
    DesignError
        If the differences are not finite or fewer than two, or the plan cannot carry the
        test.

    Examples
    --------
    >>> plan = Sampling("k-fold", 1, 5, n_train=120, n_test=30)
    >>> result = power_of_comparison([0.1, -0.1, 0.0, 0.1, -0.1], plan, difference=0.05)
    >>> print(result)
    power of corrected-t
      smallest difference   0.2523 with power 0.8
      with endless repeats  0.1401
      power at 0.05         0.0899
      repeats for 0.05      no number is enough
      rows for 0.05         3,820
      level of one pair     0.05
      ! Only 5 scores: true differences below 0.2523 are detected less often than 80% of the time.
    """
    values = check_differences(differences, "power_of_comparison").ravel()
    if values.size != sampling.n_scores:
        raise DesignError(
            f"differences of power_of_comparison must be one per split ({sampling.n_scores}); got "
            f"{values.size}. Give those of the pilot, without a gap."
        )
    sd = float(np.std(values, ddof=1))
    asked = PowerOptions(**options)
    smallest = smallest_difference(sampling, sd, **options)
    more_repeats, more_rows = math.inf, math.nan
    if asked.test != "5x2cv-t":
        more_repeats = repeats_needed(difference, sampling, sd, **options)
    if sampling.n_train is not None and sampling.n_test is not None:
        more_rows = rows_needed(difference, sampling, sd, **options)
    wanted = checked_size(difference, "difference", above_zero=True)
    flat = "The differences of the pilot do not vary, so it cannot say what can be detected."
    few = (
        f"Only {values.size} scores: true differences below {number(smallest)} are detected less "
        f"often than {100 * asked.power:g}% of the time."
    )
    return PowerResult(
        procedure=f"power of {asked.test}",
        n=values.size,
        assumptions=(_MODEL, _MORE_ROWS),
        flags=("zero_variance",) if sd == 0 else (),
        warnings=(
            *caution_if(sd == 0, "degenerate", flat),
            *caution_if(sd > 0 and values.size < FEW_SCORES, "few-scores", few),
        ),
        test=asked.test,
        sd=sd,
        alpha=asked.alpha / asked.n_hypotheses,
        power=asked.power,
        smallest=smallest,
        floor=difference_floor(sampling, sd, **options),
        difference=wanted,
        power_there=asked.planned_test(sampling).power(wanted, sd),
        repeats_needed=more_repeats,
        rows_needed=more_rows,
    )


def _count(value: float) -> str:
    if math.isnan(value):
        return "unknown: the sizes are not known"
    return "no number is enough" if math.isinf(value) else f"{value:,.0f}"

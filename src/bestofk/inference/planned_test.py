"""Distribution of the statistic of a planned test when there is a difference."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import gammaincinv, ndtr, ndtri, stdtrit

from bestofk.checks import check_known
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.sampling import Sampling
from bestofk.inference.student import Floats, check_alternative, check_share

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

    def noncentrality(self, power: float) -> float:
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


def planned_test(
    sampling: Sampling, test: str, alpha: float, n_hypotheses: int, alternative: str
) -> PlannedTest:
    """Return the distribution of a test on a plan; arguments as for `power_at`.

    Raises
    ------
    InvalidArgumentError
        If a number or a name is not allowed.
    DesignError
        If the plan cannot carry the test.
    """
    check_known(test, "test of a power analysis", TESTS)
    if isinstance(n_hypotheses, bool) or n_hypotheses != int(n_hypotheses) or n_hypotheses < 1:
        raise InvalidArgumentError(
            f"n_hypotheses must be a whole number from 1 up; got {n_hypotheses!r}. "
            "All pairs of K learners are K (K - 1) / 2."
        )
    level = check_share(alpha, "alpha") / n_hypotheses
    is_two_sided = check_alternative(alternative) == "two-sided"
    n = sampling.n_scores
    if test == "5x2cv-t":
        if (sampling.n_repeats, sampling.n_folds) != (5, 2):
            raise DesignError(
                "plan of 5x2cv-t must be 5 repeats of 2 folds; got "
                f"{sampling.n_repeats} of {sampling.n_folds}. Take corrected-t."
            )
        return PlannedTest(1.0, 1.0, 5, level, is_two_sided)
    if n < 2:
        raise DesignError(
            f"scores of {test} must be at least 2; got a plan of {n}. Use more folds or repeats."
        )
    if test == "paired-t":
        return PlannedTest(1 / n, 0.0, n - 1, level, is_two_sided)
    shared = sampling.size_ratio("corrected-t")
    return PlannedTest(1 / n + shared, shared, n - 1, level, is_two_sided)


def checked_size(value: float, what: str, *, above_zero: bool = False) -> float:
    """Return a difference or a scatter as a float, or raise if it is negative or not finite."""
    if not (0 < value < math.inf or (value == 0 and not above_zero)):
        least = "above 0" if above_zero else "at least 0"
        raise InvalidArgumentError(
            f"{what} must be a finite number {least}; got {value!r}. "
            "Write 5 points of an error rate as 0.05."
        )
    return float(value)

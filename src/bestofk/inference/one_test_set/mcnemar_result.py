"""Result of McNemar's test, with its intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bestofk.inference.one_test_set.proportion import clopper_pearson_limits, newcombe_limits
from bestofk.inference.one_test_set.rows import normal_quantile, one_sided_limits, tail
from bestofk.inference.results import HypothesisTestResult
from bestofk.inference.student import Floats


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class McNemarResult(HypothesisTestResult):
    """The outcome of McNemar's test.

    Parameters
    ----------
    n01, n10 : int
        Rows that only the first learner got wrong, and only the second.
    n_both_wrong : float
        Rows that both got wrong; nan where not given.
    has_rows : bool
        Whether the number of all rows is known. If so, `n` is that number and `estimate` the
        difference of the error rates; if not, `n` is n01 + n10 and `estimate` the odds
        n01/n10.
    """

    n01: int
    n10: int
    n_both_wrong: float
    has_rows: bool

    def confidence_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the limits of what is estimated.

        Parameters
        ----------
        level : float in (0, 1), default=0.95
            Confidence.

        Returns
        -------
        low, high : float
            Newcombe's paired interval of the difference of the error rates [1]_; (nan, nan)
            if the rows that both got wrong are not known; the interval of the odds if the
            number of all rows is not known. One-sided tests have one-sided intervals.

        Raises
        ------
        InvalidArgumentError
            If `level` is not inside (0, 1).

        References
        ----------
        .. [1] Newcombe (1998), Improved confidence intervals for the difference between
           binomial proportions based on paired data, Statistics in Medicine 17 (method 10).
        """
        if not self.has_rows:
            return self.odds_interval(level)
        z = normal_quantile(level, self.alternative)
        if math.isnan(self.n_both_wrong):
            return math.nan, math.nan
        wrong = self.n_both_wrong + np.array([self.n01, self.n10], dtype=float)
        correlation = self._correlation(wrong)
        low, high = newcombe_limits(wrong / self.n, self.n, z, correlation)
        return one_sided_limits(low, high, self.alternative)

    def _correlation(self, wrong: Floats) -> float:
        """Return the correlation of both learners' errors as Newcombe's method 10 takes it."""
        product = float(np.prod(wrong) * np.prod(self.n - wrong))
        both_right = self.n - self.n_both_wrong - self.n01 - self.n10
        agreement = self.n_both_wrong * both_right - self.n01 * self.n10
        if agreement > 0:
            agreement = max(agreement - self.n / 2, 0.0)
        return agreement / math.sqrt(product) if product > 0 else 0.0

    def odds_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the limits of the odds n01/n10, from the Clopper-Pearson limits of n01/n.

        Parameters
        ----------
        level : float in (0, 1), default=0.95
            Confidence.

        Returns
        -------
        low, high : float
            From 0 to inf. Odds above 1 say that the first learner errs more often.

        Raises
        ------
        InvalidArgumentError
            If `level` is not inside (0, 1).
        """
        n, outside = self.n01 + self.n10, tail(level, self.alternative)
        if n == 0:
            return 0.0, math.inf
        low, high = (_odds(p) for p in clopper_pearson_limits(self.n01, n, outside))
        return one_sided_limits(low, high, self.alternative, least=0.0)


def _odds(share: float) -> float:
    return share / (1 - share) if share < 1 else math.inf

"""McNemar test of two fitted classifiers on one test set."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, ndtr

from bestofk.array_types import Floats
from bestofk.checks import check_known
from bestofk.errors import DesignError
from bestofk.inference.catalogue import Procedure
from bestofk.inference.cautions import caution_if
from bestofk.inference.checks import check_alternative
from bestofk.inference.one_test_set.proportions import (
    clopper_pearson_limits,
    newcombe_limits,
    whole_count,
)
from bestofk.inference.one_test_set.rows import (
    FIXED_MODELS,
    OWN_ROWS,
    check_zero_one,
    few_rows,
    paired_rows,
    row_fields,
)
from bestofk.inference.results import HypothesisTestResult
from bestofk.inference.sampling import Sampling
from bestofk.inference.student import normal_quantile, one_sided_limits, tail
from bestofk.inference.two_learners.paired_test import (
    PairedComparison,
    PairedTest,
    check_differences,
    check_refusal,
)


def p_values(n01: Any, n10: Any, method: str) -> dict[str, Floats]:
    """Return the p values of all three sides.

    Parameters
    ----------
    n01, n10 : array-like of int
        Rows that only the first learner got wrong, and only the second.
    method : {"mid-p", "exact", "chi2", "chi2-corrected"}
        See `mcnemar_test`.

    Returns
    -------
    dict of str to ndarray
        By side; 1 where no row is discordant.
    """
    n01, n10 = np.asarray(n01), np.asarray(n10)
    n = n01 + n10
    if method.startswith("chi2"):
        root = signed_root(n01, n10, method)
        greater, less, both = ndtr(-root), ndtr(root), 2 * ndtr(-np.abs(root))
    else:
        # By symmetry of the distribution, P(X >= n01) is P(X <= n10).
        greater, less = (_binomial_tail(count, n, method) for count in (n10, n01))
        both = np.minimum(1.0, 2 * np.minimum(greater, less))
    sides = {"greater": greater, "less": less, "two-sided": both}
    return {side: np.where(n == 0, 1.0, p) for side, p in sides.items()}


def _binomial_tail(count: Any, n: Any, method: str) -> Floats:
    """Return P(X <= count) of the binomial distribution (n, 1/2); mid-p: P(X = count) by half."""
    at_most = bdtr(count.astype(float), n, 0.5)
    if method == "exact":
        return np.asarray(at_most)
    below = np.where(count > 0, bdtr(np.maximum(count - 1, 0).astype(float), n, 0.5), 0.0)
    return np.asarray((at_most + below) / 2)


def signed_root(n01: Any, n10: Any, method: str) -> Floats:
    """Return the root of chi2 with the sign of n01 - n10.

    Parameters
    ----------
    n01, n10 : array-like of int
        Rows that only the first learner got wrong, and only the second.
    method : {"chi2", "chi2-corrected"}
        See `mcnemar_test`.

    Returns
    -------
    ndarray of float
        0 where no row is discordant.
    """
    difference, n = np.subtract(n01, n10), np.add(n01, n10)
    size = np.abs(difference)
    if method == "chi2-corrected":
        size = np.maximum(size - 1, 0)
    return np.asarray(np.sign(difference) * size / np.sqrt(np.maximum(n, 1)))


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
        limits = clopper_pearson_limits(self.n01, n, outside)
        low, high = (p / (1 - p) if p < 1 else math.inf for p in limits)
        return one_sided_limits(low, high, self.alternative, least=0.0)


METHODS = ("mid-p", "exact", "chi2", "chi2-corrected")
_NO_DISCORDANT = "No row tells the learners apart, so the p value is 1 by convention."


def mcnemar_test(
    a: ArrayLike, b: ArrayLike, *, method: str = "mid-p", alternative: str = "two-sided"
) -> McNemarResult:
    """Compare two fitted classifiers by the rows of one test set that only one gets wrong.

    Null hypothesis: both models have the same probability of error (two-sided), or the
    first has no greater ("greater") or no smaller ("less") one. Design: paired, both models
    predict the same rows, which neither has seen.

    Parameters
    ----------
    a, b : array-like of shape (n_rows,), 0 or 1 (or bool)
        Loss of the first and of the second model on every row: 1 is wrong.
    method : {"mid-p", "exact", "chi2", "chi2-corrected"}, default="mid-p"
        How the p value is made from n01 and n10; see Notes.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What is to be shown about the error of a minus that of b.

    Returns
    -------
    McNemarResult
        The statistic is n01 for "mid-p" and "exact", chi2 with 1 degree of freedom for the
        others. Without discordant rows: p value 1, chi2 0, flagged ``"no_discordant"``.

    Raises
    ------
    DesignError
        If the losses do not pair, are not 0 or 1, not finite or fewer than two.
    InvalidArgumentError
        If `method` or `alternative` is unknown.

    See Also
    --------
    permutation_test : For losses of other sizes.
    cochran_q_test : For more than two learners.

    Notes
    -----
    n01 rows are wrong for the first model only, n10 for the second only, n = n01 + n10 [1]_.
    "exact": twice the smaller tail of the binomial distribution (n, 1/2), at most 1; one-sided
    P(X >= n01). "mid-p" counts the probability of the value found by half [2]_. "chi2":
    (n01 - n10)^2 / n; "chi2-corrected": max(abs(n01 - n10) - 1, 0)^2 / n; one-sided by the
    normal distribution of the signed root. When not to trust it: predictions pooled over the
    folds of cross-validation come from models that share training rows.

    References
    ----------
    .. [1] McNemar (1947), Note on the sampling error of the difference between correlated
       proportions or percentages, Psychometrika 12.
    .. [2] Fagerland, Lydersen & Laake (2013), The McNemar test for binary matched-pairs
       data: mid-p and asymptotic are better than exact conditional, BMC Medical Research
       Methodology 13.

    Examples
    --------
    >>> a, b = [1] * 9 + [0] * 2 + [0] * 89, [0] * 9 + [1] * 2 + [0] * 89
    >>> result = mcnemar_test(a, b)
    >>> result.n01, result.n10, round(result.p_value, 4)
    (9, 2, 0.0386)
    """
    first, second = paired_rows(a, b, "losses of mcnemar_test")
    for losses in (first, second):
        check_zero_one(losses, "losses of mcnemar_test", meaning="right, wrong")
    return mcnemar_from_counts(
        int((first > second).sum()),
        int((first < second).sum()),
        n=first.size,
        n_both_wrong=int((first * second).sum()),
        method=method,
        alternative=alternative,
    )


def mcnemar_from_counts(
    n01: int,
    n10: int,
    *,
    n: int | None = None,
    n_both_wrong: int | None = None,
    method: str = "mid-p",
    alternative: str = "two-sided",
) -> McNemarResult:
    """Compare two fitted classifiers by counts of rows; see `mcnemar_test`.

    Parameters
    ----------
    n01, n10 : int, at least 0
        Rows that only the first got wrong, and only the second.
    n : int or None, default=None
        All rows of the test set; needed for the difference of the error rates.
    n_both_wrong : int or None, default=None
        Rows that both got wrong; needed for the interval of that difference.
    method : {"mid-p", "exact", "chi2", "chi2-corrected"}, default="mid-p"
        As in `mcnemar_test`.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        As in `mcnemar_test`.

    Returns
    -------
    McNemarResult
        As from `mcnemar_test`.

    Raises
    ------
    InvalidArgumentError
        If a count is negative or no whole number, they do not add up, or `method` or
        `alternative` is unknown.

    Examples
    --------
    >>> round(mcnemar_from_counts(9, 2, method="chi2-corrected").statistic, 3)
    3.273
    """
    check_known(method, "method of mcnemar_test", METHODS)
    n01, n10 = whole_count(n01, "n01 of mcnemar_test"), whole_count(n10, "n10 of mcnemar_test")
    discordant = n01 + n10
    both_wrong = math.nan
    if n is not None:
        n = whole_count(n, "n of mcnemar_test", least=max(1, discordant))
        if n_both_wrong is not None:
            most = n - discordant
            both_wrong = whole_count(n_both_wrong, "n_both_wrong of mcnemar_test", most=most)
    side = check_alternative(alternative)
    p_value = float(p_values(n01, n10, method)[side])
    least = p_values(discordant, 0, method)[side if side == "two-sided" else "greater"]
    doubts = caution_if(discordant == 0, "degenerate", _NO_DISCORDANT)
    doubts += few_rows(discordant, float(least))
    chi2 = method.startswith("chi2")
    return McNemarResult(
        procedure=f"McNemar test ({method})",
        statistic=float(signed_root(n01, n10, method) ** 2) if chi2 else float(n01),
        df=1.0 if chi2 else math.nan,
        estimate=_ratio(n01, n10) if n is None else (n01 - n10) / n,
        n=discordant if n is None else n,
        effect_size=_ratio(n01, n10),
        effect_size_of="odds n01/n10",
        symbol="chi2" if chi2 else "n01",
        estimate_of="odds n01/n10" if n is None else "difference of error rates",
        distribution="chi2" if chi2 else "binomial",
        flags=() if discordant else ("no_discordant",),
        n01=n01,
        n10=n10,
        n_both_wrong=both_wrong,
        has_rows=n is not None,
        **row_fields(p_value, side, doubts) | {"n_of": "discordant rows" if n is None else "rows"},
    )


class McNemar(PairedTest):
    """McNemar's mid-p test as orderings use it, on a single test set; see `mcnemar_test`."""

    name = "mcnemar"
    title = "McNemar test (mid-p)"
    question = "Does one of two fitted classifiers err on more rows of one test set?"
    assumptions = (FIXED_MODELS, OWN_ROWS)

    def refuse(self, sampling: Sampling) -> str | None:
        """Return why losses made this way cannot carry the test, or None.

        Parameters
        ----------
        sampling : Sampling
            How the losses were made.

        Returns
        -------
        str or None
            A sentence, unless there is a single test set.
        """
        if sampling.scheme not in ("test-set", "hold-out") or sampling.n_scores != 1:
            return (
                f"mcnemar needs the rows of a single test set, and this is {sampling.scheme} with "
                f"{sampling.n_scores} of them."
            )
        return None

    def warnings(self, sampling: Sampling) -> tuple[str, ...]:
        """Return what to distrust, one sentence each.

        Parameters
        ----------
        sampling : Sampling
            How the losses were made.

        Returns
        -------
        tuple of str
            Empty: `assumptions` lists what to distrust.
        """
        return ()

    def compare(
        self, differences: ArrayLike, sampling: Sampling, *, scale: ArrayLike | None = None
    ) -> PairedComparison:
        """Apply the test to every pair of an array.

        Parameters
        ----------
        differences : array-like of shape (..., n_rows), of -1, 0 and 1
            Loss of the first minus loss of the second on every row.
        sampling : Sampling
            How the losses were made; not used by this test.
        scale : array-like, optional
            Not used by this test: counts know no rounding noise.

        Returns
        -------
        PairedComparison
            Fields of shape (...): mid-p values; the statistic is (n01 - n10)/sqrt(n01 + n10);
            the interval is normal, with the standard error of the counts plus
            one half each [1]_. `zero_variance` where no row is discordant.

        Raises
        ------
        DesignError
            If there are other values or fewer than two rows.

        References
        ----------
        .. [1] Agresti & Min (2005), Simple improved confidence intervals for comparing matched
           proportions, Statistics in Medicine 24(5).
        """
        values = check_differences(differences, self.name)
        n01, n10, n = (values == 1).sum(axis=-1), (values == -1).sum(axis=-1), values.shape[-1]
        if (n01 + n10 + (values == 0).sum(axis=-1) < n).any():
            raise DesignError(
                "differences of mcnemar must be -1, 0 or 1 (losses are right or wrong); got "
                f"{values[~np.isin(values, (-1, 0, 1))][0]:g}. Use permutation_test for losses "
                "of other sizes."
            )
        sides = p_values(n01, n10, "mid-p")
        return PairedComparison(
            mean=np.asarray((n01 - n10) / n),
            statistic=signed_root(n01, n10, "chi2"),
            df=np.full(n01.shape, np.inf),
            # half a row added to each of the four cells: no discordant row in a small test set
            # does not make the difference certain
            standard_error=np.asarray(
                np.sqrt(n01 + n10 + 1 - (n01 - n10) ** 2 / (n + 2)) / (n + 2)
            ),
            p_greater=sides["greater"],
            p_less=sides["less"],
            p_two_sided=sides["two-sided"],
            zero_variance=np.asarray(n01 + n10 == 0),
            n_scores=n,
            interval_df=np.inf,
        )

    def result(
        self,
        a: ArrayLike,
        b: ArrayLike,
        *,
        sampling: Sampling,
        alternative: str = "two-sided",
        is_unstable: bool | None = None,
    ) -> McNemarResult:
        """Return the test of one pair of models; see `mcnemar_test`.

        Parameters
        ----------
        a, b : array-like of shape (n_rows,), 0 or 1
            Losses on the rows of one test set.
        sampling : Sampling
            How they were made.
        alternative : {"two-sided", "greater", "less"}
            What is to be shown about a - b.
        is_unstable : bool or None, default=None
            Not used: the models are fixed.

        Returns
        -------
        McNemarResult
            By mid-p.

        Raises
        ------
        DesignError
            If there is more than one test set, or the losses do not pair or are not 0 or 1.
        InvalidArgumentError
            If `alternative` is unknown.
        """
        check_refusal(self.name, self.refusal(sampling))
        return mcnemar_test(a, b, alternative=alternative)


PROCEDURE = Procedure(
    name=McNemar.name,
    title="McNemar test",
    question=McNemar.question,
    takes="two-on-rows",
    run=mcnemar_test,
)


def _ratio(n01: int, n10: int) -> float:
    if n10 > 0:
        return n01 / n10
    return math.inf if n01 > 0 else math.nan

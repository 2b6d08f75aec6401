"""Paired t test of two learners on one run of k-fold cross-validation."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bestofk.errors import DesignError
from bestofk.inference.cautions import Caution
from bestofk.inference.results import HypothesisTestResult
from bestofk.inference.sampling import Sampling
from bestofk.inference.two_learners.paired_comparison import (
    PairedComparison,
    check_differences,
    compare_by_t,
    paired_scores,
    score_scale,
)
from bestofk.inference.two_learners.paired_test import (
    NEARLY_NORMAL,
    SHARED_SPLITS,
    PairedTest,
    few_scores,
)

OVERLAP = Caution(
    "overlap",
    "The training sets of k-fold overlap, so the variance is underestimated and the paired t test "
    "rejects too often; corrected-t allows for the overlap.",
)


class PairedT(PairedTest):
    """The paired t test as orderings use it; see `paired_t_test`."""

    name = "paired-t"
    title = "paired t test"
    aliases = ("t-test", "ttest", "t", "paired-ttest", "ttest-rel", "students-t")
    question = "Do two learners differ on one run of k-fold, as if its folds were independent?"
    assumptions = (SHARED_SPLITS, NEARLY_NORMAL, "Folds are independent, which they are not.")

    def refuse(self, sampling: Sampling) -> str | None:
        """Refuse all but one run of k-fold: about half of true nulls fall with repeats."""
        if sampling.scheme != "k-fold" or sampling.n_folds < 2:
            return f"paired-t needs one run of k-fold, and this is {sampling.scheme}."
        if sampling.n_repeats > 1:
            return (
                f"paired-t needs one run of k-fold, and these are {sampling.n_repeats} repeats, "
                "whose scores depend on each other."
            )
        return None

    def warnings(self, sampling: Sampling) -> tuple[str, ...]:
        """Warn of overlap but for two folds, whose training sets share nothing."""
        overlap = (OVERLAP,) if sampling.n_folds > 2 else ()
        return (*few_scores(sampling.n_scores), *overlap)

    def compare(
        self, differences: ArrayLike, sampling: Sampling, *, scale: ArrayLike | None = None
    ) -> PairedComparison:
        """Apply the test to every pair of an array; the sampling is not used."""
        values = check_differences(differences, self.name)
        n_scores = values.shape[-1]
        standard_error = values.std(axis=-1, ddof=1) / np.sqrt(n_scores)
        scale = score_scale(values, scale)
        return compare_by_t(values.mean(axis=-1), standard_error, n_scores, scale=scale)


def paired_t_test(
    a: ArrayLike, b: ArrayLike, *, alternative: str = "two-sided"
) -> HypothesisTestResult:
    """Compare two learners by the paired t test on one run of k-fold cross-validation.

    Null hypothesis: both learners have the same expected score (two-sided), or the first
    has no greater ("greater") or no smaller ("less") one. Design: paired, one score of
    each learner per fold.

    Parameters
    ----------
    a, b : array-like of shape (n_folds,), float
        Scores of the first and of the second learner on the same folds, in any unit.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What is to be shown about a - b.

    Returns
    -------
    HypothesisTestResult
        With df = n_folds - 1. If all differences are 0: statistic 0, p value 1. If they are
        all the same but not 0: statistic inf or -inf, p value 0 (1 on the wrong side). Both
        are flagged ``"zero_variance"`` (convention of this package).

    Raises
    ------
    DesignError
        If the scores do not pair, are not one-dimensional, not finite or fewer than two.
    InvalidArgumentError
        If `alternative` is unknown.

    See Also
    --------
    corrected_resampled_t_test : For repeats, and for a level that holds.

    Notes
    -----
    t = mean(d) / (sd(d) / sqrt(n)) with d = a - b [1]_. The effect size d_z = mean(d) / sd(d) is
    inflated where scores are averages: do not compare it across plans. When not to trust it: the
    folds share training rows, so the variance is underestimated; with unstable learners the test
    rejects more than twice as often as its level says.

    References
    ----------
    .. [1] Dietterich (1998), Approximate statistical tests for comparing supervised
       classification learning algorithms, Neural Computation 10(7).

    Examples
    --------
    >>> result = paired_t_test([0.16, 0.18, 0.20, 0.18], [0.20, 0.21, 0.25, 0.18])
    >>> round(result.statistic, 4), result.df, round(result.p_value, 4)
    (-2.7775, 3.0, 0.0691)
    """
    differences, scale = paired_scores(a, b, "paired_t_test")
    if differences.ndim != 1:
        raise DesignError(
            "scores of paired_t_test must be one number per fold of a single run; got shape "
            f"{differences.shape}. Use corrected_resampled_t_test for repeats."
        )
    sampling = Sampling("k-fold", 1, differences.size)
    return PairedT().single(differences, scale, sampling, alternative)


PROCEDURE = PairedT().procedure

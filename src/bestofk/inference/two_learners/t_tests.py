"""Student's t tests of two learners on shared splits, corrected for shared rows and plain."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.errors import DesignError
from bestofk.inference.cautions import Caution
from bestofk.inference.results import HypothesisTestResult
from bestofk.inference.sampling import Sampling
from bestofk.inference.two_learners.paired_test import (
    NEARLY_NORMAL,
    SHARED_SPLITS,
    PairedComparison,
    PairedTest,
    check_differences,
    compare_by_t,
    few_scores,
    paired_scores,
    score_scale,
    unstable,
)

OVERLAP = "Training sets share rows between splits; the correction for that is a rule of thumb."
UNSTABLE = unstable("corrected-t")
ONE_RUN = (
    "On a single run of cross-validation corrected-t is conservative: real differences are easily "
    "missed."
)
BOOTSTRAP = (
    "Bootstrap training sets hold rows more than once, which the correction does not know: read "
    "these p values as rough."
)
TRAINED_ON = (
    "Each model was tested on rows that it trained on, 63% of all on average: errors are too low, "
    "most of all for learners that remember rows, and their order may be wrong. "
    "100xbootstrap tests the other rows alone."
)


class CorrectedT(PairedTest):
    """The corrected resampled t test as orderings use it; see `corrected_resampled_t_test`."""

    name = "corrected-t"
    title = "corrected resampled t test"
    question = "Do two learners differ on repeated splits, allowing for shared training rows?"
    assumptions = (
        SHARED_SPLITS,
        NEARLY_NORMAL,
        "Scores of two splits are correlated by n_test / (n_train + n_test).",
    )
    if_unstable = UNSTABLE
    aliases = ("corrected-resampled-t", "resampled-t", "nadeau-bengio", "corrected-ttest")

    def refuse(self, sampling: Sampling) -> str | None:
        """Refuse a single score, and sizes that are unknown."""
        if sampling.n_scores < 2:
            return "corrected-t needs at least 2 scores per learner, and there is 1."
        if sampling.n_train is None or sampling.n_test is None:
            return "corrected-t needs the sizes of training and test sets, and they are unknown."
        return None

    def warnings(self, sampling: Sampling) -> tuple[str, ...]:
        """Warn of the rule of thumb always; of one run, bootstrap and few scores in place."""
        results = [OVERLAP]
        if sampling.scheme in ("k-fold", "leave-one-out") and sampling.n_repeats == 1:
            results.append(ONE_RUN)
        if sampling.scheme.startswith("bootstrap"):
            results.append(BOOTSTRAP)
        if sampling.scheme == "bootstrap-full":
            results.append(TRAINED_ON)
        return (*results, *few_scores(sampling.n_scores))

    def compare(
        self, differences: ArrayLike, sampling: Sampling, *, scale: ArrayLike | None = None
    ) -> PairedComparison:
        """Apply the test to every pair of an array; sizes of the sampling make the correction."""
        values = check_differences(differences, self.name)
        standard_error = corrected_standard_error(values, sampling)
        scale = score_scale(values, scale)
        return compare_by_t(values.mean(axis=-1), standard_error, values.shape[-1], scale=scale)


def corrected_standard_error(differences: Floats, sampling: Sampling) -> Floats:
    """Return sqrt((1/n + n_test/n_train) s^2), n the number of scores.

    Parameters
    ----------
    differences : ndarray of shape (..., n_scores)
        First minus second.
    sampling : Sampling
        Gives n_train and n_test.

    Returns
    -------
    ndarray of shape (...)
        Standard error of the mean difference.

    Raises
    ------
    DesignError
        If a size is unknown.
    """
    factor = 1 / differences.shape[-1] + sampling.size_ratio("corrected-t")
    return np.asarray(np.sqrt(factor) * differences.std(axis=-1, ddof=1))


def corrected_resampled_t_test(
    a: ArrayLike, b: ArrayLike, *, n_train: float, n_test: float, alternative: str = "two-sided"
) -> HypothesisTestResult:
    """Compare two learners on repeated splits, allowing for overlapping training sets.

    Null hypothesis: both learners have the same expected score when trained on `n_train`
    rows (two-sided), or the first has no greater ("greater") or no smaller ("less") one.
    Design: paired; r repeats of k folds, or repeated hold-out, with shared splits.

    Parameters
    ----------
    a, b : array-like of one shape, float
        Scores of the first and of the second learner on the same splits, in any unit; the
        order of the splits does not matter.
    n_train, n_test : float
        Mean number of rows trained on and tested on; for k folds of n rows n - n/k and n/k.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What is to be shown about a - b.

    Returns
    -------
    HypothesisTestResult
        With df = number of scores - 1. If all differences are 0: statistic 0, p value 1. If
        they are all the same but not 0: statistic inf or -inf, p value 0 (1 on the wrong
        side). Both are flagged ``"zero_variance"`` (convention of this package).

    Raises
    ------
    DesignError
        If the scores do not pair, are not finite or fewer than two.
    InvalidArgumentError
        If a size is not positive or `alternative` is unknown.

    See Also
    --------
    paired_t_test : Without the correction.

    Notes
    -----
    t = mean(d) / sqrt((1/n + n_test/n_train) s^2) with d = a - b and n the number of *scores*,
    not of rows [1]_; n = r k for r runs of k folds [2]_. When not to trust it: unstable learners
    may exceed the level; a single run of k-fold makes it conservative.

    References
    ----------
    .. [1] Nadeau & Bengio (2003), Inference for the generalization error, Machine Learning 52.
    .. [2] Bouckaert & Frank (2004), Evaluating the replicability of significance tests for
       comparing learning algorithms, PAKDD.

    Examples
    --------
    >>> a, b = [0.16, 0.18, 0.20, 0.18], [0.20, 0.21, 0.25, 0.18]
    >>> result = corrected_resampled_t_test(a, b, n_train=75, n_test=25)
    >>> round(result.statistic, 4), result.df, round(result.p_value, 4)
    (-1.8183, 3.0, 0.1666)
    """
    differences, scale = paired_scores(a, b, "corrected_resampled_t_test")
    sampling = Sampling("custom", 1, differences.size, n_train, n_test)
    return CorrectedT().single(differences, scale, sampling, alternative)


CORRECTED_T = CorrectedT().procedure


K_FOLD_OVERLAP = Caution(
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
        overlap = (K_FOLD_OVERLAP,) if sampling.n_folds > 2 else ()
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


PAIRED_T = PairedT().procedure

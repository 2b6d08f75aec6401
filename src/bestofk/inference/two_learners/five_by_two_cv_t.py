"""Do two learners differ when trained on half of the data: the 5x2cv paired t test."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bestofk.errors import DesignError
from bestofk.inference.results import HypothesisTestResult
from bestofk.inference.sampling import Sampling
from bestofk.inference.two_learners.corrected_resampled_t import corrected_standard_error
from bestofk.inference.two_learners.paired_comparison import (
    PairedComparison,
    check_differences,
    compare_by_t,
    paired_scores,
    single_result,
)
from bestofk.inference.two_learners.paired_test import PairedTest

SHAPE = (5, 2)
FIRST_FOLD = (
    "The 5x2cv t statistic rests on the first of its ten differences: another order of the same "
    "folds gives another p value."
)
UNSTABLE = (
    "With unstable learners (1-nearest-neighbor, unpruned trees) 5x2cv-t may reject more often "
    "than its level says."
)


class FiveByTwoCvT(PairedTest):
    """The 5x2cv paired t test as orderings use it; see `five_by_two_cv_t_test`."""

    name = "5x2cv-t"
    title = "5x2cv paired t test"
    question = "Do two learners differ when trained on half of the data?"
    aliases = ("cv52-t",)
    if_unstable = UNSTABLE

    def refuse(self, sampling: Sampling) -> str | None:
        """Return why scores made this way cannot carry the test, or None.

        Parameters
        ----------
        sampling : Sampling
            How the scores were made.

        Returns
        -------
        str or None
            A sentence unless the scores are 5 repeats of 2-fold cross-validation.
        """
        if sampling.scheme == "k-fold" and (sampling.n_repeats, sampling.n_folds) == SHAPE:
            return None
        return (
            "5x2cv-t needs exactly 5 repeats of 2 folds, and this is "
            f"{sampling.scheme} with {sampling.n_repeats} repeats of {sampling.n_folds}."
        )

    def warnings(self, sampling: Sampling) -> tuple[str, ...]:
        """Return what to distrust, one sentence each.

        Parameters
        ----------
        sampling : Sampling
            How the scores were made; this test always has the same two.

        Returns
        -------
        tuple of str
            The single difference in the numerator.
        """
        return (FIRST_FOLD,)

    def compare(
        self, differences: ArrayLike, sampling: Sampling, *, scale: ArrayLike | None = None
    ) -> PairedComparison:
        """Apply the test to every pair of an array.

        Parameters
        ----------
        differences : array-like of shape (..., 10)
            First minus second; both folds of the first repeat, then of the second, and so on.
        sampling : Sampling
            How the scores were made; not used, both halves are the same size.
        scale : array-like that broadcasts to (...), optional
            Largest absolute score of each pair, to tell variance from rounding noise.

        Returns
        -------
        PairedComparison
            Fields of shape (...); `standard_error` belongs to the mean of the ten
            (corrected resampled t), not to the statistic.

        Raises
        ------
        DesignError
            If differences are not finite or not ten per pair.
        """
        values = check_differences(differences, self.name)
        if values.shape[-1] != SHAPE[0] * SHAPE[1]:
            raise DesignError(
                "differences of 5x2cv-t must be ten per pair, 5 repeats of 2 folds without a gap; "
                f"got {values.shape[-1]}. Resume the run, or use corrected-t."
            )
        # s_i^2 = (p_i1 - pbar_i)^2 + (p_i2 - pbar_i)^2 = (p_i1 - p_i2)^2 / 2
        folds = values.reshape(*values.shape[:-1], *SHAPE)
        variances = (folds[..., 0] - folds[..., 1]) ** 2 / 2
        halves = Sampling("k-fold", *SHAPE, n_train=1, n_test=1)
        return compare_by_t(
            values,
            numerator=folds[..., 0, 0],
            denominator=np.sqrt(variances.mean(axis=-1)),
            df=SHAPE[0],
            standard_error=corrected_standard_error(values, halves),
            scale=scale,
        )


def five_by_two_cv_t_test(
    a: ArrayLike, b: ArrayLike, *, alternative: str = "two-sided"
) -> HypothesisTestResult:
    """Compare two learners by the t test on 5 repeats of 2-fold cross-validation.

    Null hypothesis: both learners have the same expected score when trained on half of the
    data (two-sided), or the first has no greater ("greater") or no smaller ("less") one.
    Design: paired, 5 repeats of 2 folds.

    Parameters
    ----------
    a, b : array-like of shape (5, 2), float
        Scores of the first and of the second learner, row = repeat, column = fold, in any
        unit. The statistic's numerator is the difference at [0, 0].
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What is to be shown about a - b.

    Returns
    -------
    HypothesisTestResult
        With df = 5. The test has no natural interval: `estimate` is the mean of the ten
        differences, and `confidence_interval` that of the corrected resampled t test with
        n_train = n_test and 9 df, so interval and p value may disagree. If the folds of each
        repeat do not differ from each other: statistic 0 and p value 1 if the first
        difference is 0, else statistic inf or -inf and p value 0 (1 on the wrong side);
        flagged ``"zero_variance"`` (convention of this package).

    Raises
    ------
    DesignError
        If the shape is not (5, 2), or a score is nan or infinite.
    InvalidArgumentError
        If `alternative` is unknown.

    See Also
    --------
    corrected_resampled_t_test : Uses all ten differences in the numerator.

    Notes
    -----
    t = p_1^(1) / sqrt(sum_i s_i^2 / 5), with p_i^(j) the difference on fold j of repeat i and
    s_i^2 the sum of squares within repeat i [1]_. When not to trust it: the result depends on
    the order of the folds; with unstable learners the level is exceeded.

    References
    ----------
    .. [1] Dietterich (1998), Approximate statistical tests for comparing supervised
       classification learning algorithms, Neural Computation 10(7).

    Examples
    --------
    >>> a = [[0.30, 0.28], [0.29, 0.31], [0.27, 0.30], [0.31, 0.29], [0.30, 0.30]]
    >>> b = [[0.25, 0.26], [0.26, 0.27], [0.25, 0.24], [0.26, 0.27], [0.27, 0.25]]
    >>> result = five_by_two_cv_t_test(a, b, alternative="greater")
    >>> round(result.statistic, 3), result.df, round(result.p_value, 4)
    (2.532, 5.0, 0.0262)
    """
    differences, scale = paired_scores(a, b, "five_by_two_cv_t_test")
    if differences.shape != SHAPE:
        raise DesignError(
            "scores of five_by_two_cv_t_test must be 5 repeats (rows) of 2 folds (columns); got "
            f"shape {differences.shape}. Use corrected_resampled_t_test for other plans."
        )
    test, sampling = FiveByTwoCvT(), Sampling("k-fold", *SHAPE)
    return single_result(
        test.compare(differences.ravel(), sampling, scale=scale),
        procedure=test.title,
        alternative=alternative,
        warnings=(*test.warnings(sampling), test.if_unstable),
    )

"""Paired 5x2cv t test of two learners trained on half of the data."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
from numpy.typing import ArrayLike

from bestofk.errors import DesignError
from bestofk.inference.results import HypothesisTestResult
from bestofk.inference.sampling import Sampling
from bestofk.inference.student import Floats
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
    unstable,
)

SHAPE = (5, 2)
N_SCORES = 10
FIRST_FOLD = (
    "The 5x2cv t statistic rests on the first of its ten differences: another order of the same "
    "folds gives another p value."
)
UNSTABLE = unstable("5x2cv-t")
HALVES = "Differences of the two halves of a repeat are independent, and so are the repeats."
# Pairs that are worked on together: their numbers stay in the cache of one core.
BLOCK = 8192
SCALARS = ("n_scores", "interval_df")
# Beyond it the closed form of the tail cancels, and a series in 5 / (5 + t^2) takes over.
FAR = 8.0
# Integral of x^4 / sqrt(1 - x^2): binomial(2k, k) / 4^k / (2k + 5) for k = 0, 1, ...
SERIES = np.cumprod([1.0, *((2 * k - 1) / (2 * k) for k in range(1, 11))]) / (2 * np.arange(11) + 5)


class FiveByTwoCvT(PairedTest):
    """The 5x2cv paired t test as orderings use it; see `five_by_two_cv_t_test`."""

    name = "5x2cv-t"
    title = "5x2cv paired t test"
    needs_all_splits = True
    question = "Do two learners differ when trained on half of the data?"
    assumptions = (SHARED_SPLITS, NEARLY_NORMAL, HALVES)
    if_unstable = UNSTABLE
    aliases = ("cv52-t", "5x2cv", "5x2t", "dietterich")

    def refuse(self, sampling: Sampling) -> str | None:
        """Refuse all but 5 repeats of 2-fold cross-validation."""
        return refuse_shape(self.name, sampling)

    def warnings(self, sampling: Sampling) -> tuple[str, ...]:
        """Warn of the single difference in the numerator."""
        return (FIRST_FOLD,)

    def compare(
        self, differences: ArrayLike, sampling: Sampling, *, scale: ArrayLike | None = None
    ) -> PairedComparison:
        """Apply the test to every pair; both folds of the first repeat come first, and so on.

        `standard_error` belongs to the mean of the ten (corrected resampled t), not to the
        statistic; the sampling is not used, both halves are the same size.
        """
        values = check_differences(differences, self.name)
        if values.shape[-1] != N_SCORES:
            raise DesignError(
                "differences of 5x2cv-t must be ten per pair, 5 repeats of 2 folds without a gap; "
                f"got {values.shape[-1]}. Resume the run, or use corrected-t."
            )
        if values.size <= N_SCORES * BLOCK:
            return _compare_ten(values, scale)
        return _compare_in_blocks(values, scale)


def _compare_ten(values: Floats, scale: ArrayLike | None) -> PairedComparison:
    mean, denominator, standard_error = parts_of_ten(values)
    return compare_by_t(
        mean,
        standard_error,
        N_SCORES,
        scale=score_scale(values, scale),
        df=SHAPE[0],
        numerator=values[..., 0].copy(),
        denominator=denominator,
        interval_df=N_SCORES - 1,
        tail=_tail_of_five,
    )


def _compare_in_blocks(values: Floats, scale: ArrayLike | None) -> PairedComparison:
    """Compare some pairs after the other, which is faster for large arrays."""
    shape = values.shape[:-1]
    rows = values.reshape(-1, N_SCORES)
    scales = None
    if scale is not None:
        scales = np.broadcast_to(np.asarray(scale, dtype=float), shape).ravel()
    names = [field.name for field in fields(PairedComparison) if field.name not in SCALARS]
    result = np.empty((len(names), len(rows)))
    for start in range(0, len(rows), BLOCK):
        block = slice(start, start + BLOCK)
        part = _compare_ten(rows[block], None if scales is None else scales[block])
        for index, name in enumerate(names):
            result[index, block] = getattr(part, name)
    joined = dict(zip(names, result.reshape(len(names), *shape), strict=True))
    return replace(part, **joined | {"zero_variance": joined["zero_variance"].astype(bool)})


def refuse_shape(name: str, sampling: Sampling) -> str | None:
    """Return why scores are not those of 5 repeats of 2 folds, or None.

    Parameters
    ----------
    name : str
        Of the procedure.
    sampling : Sampling
        How the scores were made.

    Returns
    -------
    str or None
        A sentence.
    """
    if sampling.scheme == "k-fold" and (sampling.n_repeats, sampling.n_folds) == SHAPE:
        return None
    return (
        f"{name} needs exactly 5 repeats of 2 folds, and this is "
        f"{sampling.scheme} with {sampling.n_repeats} repeats of {sampling.n_folds}."
    )


def parts_of_ten(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the means, the denominators of t, and the standard errors of the means.

    Parameters
    ----------
    values : ndarray of shape (..., 10)
        Differences; both folds of the first repeat, then of the second, and so on.

    Returns
    -------
    mean, denominator, standard_error : ndarray of shape (...)
        Mean of the ten; sqrt(sum_i s_i^2 / 5); standard error of the mean by the corrected
        resampled t test with n_train = n_test.
    """
    folds = np.ascontiguousarray(np.moveaxis(values, -1, 0))
    means, steps = (folds[0::2] + folds[1::2]) / 2, folds[0::2] - folds[1::2]
    mean = means.sum(axis=0) / SHAPE[0]
    # s_i^2 = (p_i1 - pbar_i)^2 + (p_i2 - pbar_i)^2 = (p_i1 - p_i2)^2 / 2
    steps *= steps
    within = steps.sum(axis=0) / 2
    means -= mean
    means *= means
    variance = (within + 2 * means.sum(axis=0)) / (N_SCORES - 1)
    return mean, np.sqrt(within / SHAPE[0]), np.sqrt((1 / N_SCORES + 1) * variance)


def _tail_of_five(statistic: Floats, df: float) -> Floats:
    """Return P(T > statistic) for 5 degrees of freedom and statistics of at least 0.

    The closed form takes a tenth of the time of `stdtr`, for tables of many thousand runs.
    """
    t = np.minimum(statistic, 1e100)
    share = 5 / (5 + t * t)  # squared sine of the angle arctan(sqrt(5) / t)
    angle = np.arctan2(np.sqrt(5.0), t)
    tail = np.asarray((angle - share * t / np.sqrt(5.0) * (1 + 2 / 3 * share)) / np.pi)
    is_far = t > FAR
    if np.any(is_far):
        far = share[is_far]
        power = far * far * np.sqrt(far)
        tail[is_far] = 8 / (3 * np.pi) * power * np.polynomial.polynomial.polyval(far, SERIES)
    return tail


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
    differences, scale = five_by_two(a, b, "five_by_two_cv_t_test")
    return FiveByTwoCvT().single(differences, scale, Sampling("k-fold", *SHAPE), alternative)


def five_by_two(a: ArrayLike, b: ArrayLike, what: str) -> tuple[Floats, float]:
    """Return the differences of 5 repeats of 2 folds and the largest absolute score, or raise.

    Parameters
    ----------
    a, b : array-like of shape (5, 2), float
        Scores of the first and of the second learner.
    what : str
        Name of the caller, for the error message.

    Returns
    -------
    differences : ndarray of shape (5, 2)
        First minus second.
    scale : float
        Largest absolute score.

    Raises
    ------
    DesignError
        If the shape is not (5, 2), or a score is nan or infinite.
    """
    differences, scale = paired_scores(a, b, what)
    if differences.shape != SHAPE:
        raise DesignError(
            f"scores of {what} must be 5 repeats (rows) of 2 folds (columns); got "
            f"shape {differences.shape}. Use corrected_resampled_t_test for other plans."
        )
    return differences, scale


PROCEDURE = FiveByTwoCvT().procedure

"""Tests of two learners on five repeats of two folds: t, F, and t with all ten numerators."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import fdtrc

from bestofk.array_types import Floats
from bestofk.errors import DesignError
from bestofk.inference.catalogue import TWO_SIDED, Procedure
from bestofk.inference.cautions import Caution, caution_if
from bestofk.inference.checks import check_alternative, check_share
from bestofk.inference.results import HypothesisTestResult, Result, number
from bestofk.inference.sampling import Sampling, refuse_order
from bestofk.inference.two_learners.paired_test import (
    NEARLY_NORMAL,
    SHARED_SPLITS,
    USUAL_LEVEL,
    PairedComparison,
    PairedTest,
    check_differences,
    check_refusal,
    compare_by_t,
    effect_size,
    not_equal,
    paired_scores,
    score_scale,
    unstable,
)
from bestofk.measures.ties import is_noise
from bestofk.words import p_text

if TYPE_CHECKING:
    import pandas as pd


SHAPE = (5, 2)
N_SCORES = 10
FIRST_FOLD = (
    "The 5x2cv t statistic rests on the first of its ten differences: another order of the same "
    "folds gives another p value."
)
T_UNSTABLE = unstable("5x2cv-t")
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
    if_unstable = T_UNSTABLE
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
    scales = None if scale is None else np.broadcast_to(scale, shape).ravel()
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


T_PROCEDURE = FiveByTwoCvT().procedure


F_TITLE = "combined 5x2cv F test"
F_DF = (10.0, 5.0)
F_UNSTABLE = unstable("5x2cv-f")
_NO_VARIANCE = "The folds of no repeat differ, so statistic and p value are limits, not evidence."


def five_by_two_cv_f_test(
    a: ArrayLike, b: ArrayLike, *, alternative: str = "two-sided"
) -> HypothesisTestResult:
    """Compare two learners by the F test on 5 repeats of 2-fold cross-validation.

    Null hypothesis: both learners have the same expected score when trained on half of the
    data. The test has no side. Design: paired, 5 repeats of 2 folds.

    Parameters
    ----------
    a, b : array-like of shape (5, 2), float
        Scores of the first and of the second learner, row = repeat, column = fold, in any
        unit. The order of repeats and of folds does not matter.
    alternative : {"two-sided"}
        Only this one: squares forget which learner was better.

    Returns
    -------
    HypothesisTestResult
        With df = (10, 5). `estimate` is the mean of the ten differences, and
        `confidence_interval` that of the corrected resampled t test with n_train = n_test and
        9 df. If the folds of each repeat do not differ: statistic 0 and p value 1 if all
        differences are 0, else statistic inf and p value 0; flagged ``"zero_variance"``
        (convention of this package).

    Raises
    ------
    DesignError
        If the shape is not (5, 2), a score is nan or infinite, or a side is asked for.
    InvalidArgumentError
        If `alternative` is unknown.

    See Also
    --------
    five_by_two_cv_t_test : Has sides, and rests on one of the ten differences.
    corrected_resampled_t_test : Has sides, and uses all ten.

    Notes
    -----
    f = sum_ij d_ij^2 / (2 sum_i s_i^2), with d_ij the difference on fold j of repeat i and
    s_i^2 the sum of squares within repeat i [1]_. When not to trust it: unstable learners; test
    folds so small that few distinct scores can occur.

    References
    ----------
    .. [1] Alpaydin (1999), Combined 5x2 cv F test for comparing supervised classification
       learning algorithms, Neural Computation 11(8).

    Examples
    --------
    >>> a = [[0.02, 0.03], [0.01, 0.04], [0.03, 0.02], [0.02, 0.02], [0.00, 0.03]]
    >>> result = five_by_two_cv_f_test(a, [[0.0, 0.0]] * 5)
    >>> result.df, round(result.statistic, 3), round(result.p_value, 3)
    ((10.0, 5.0), 3.0, 0.118)
    """
    return _f_test(a, b, "five_by_two_cv_f_test", alternative, None)


def _f_test(
    a: ArrayLike, b: ArrayLike, what: str, alternative: str, is_unstable: bool | None
) -> HypothesisTestResult:
    if check_alternative(alternative) != "two-sided":
        raise DesignError(
            f"alternative of {what} must be two-sided, because squares have no sign; got "
            f"{alternative!r}. Use 5x2cv-t or corrected-t."
        )
    differences, scale = five_by_two(a, b, what)
    mean, denominator, standard_error = (float(x) for x in parts_of_ten(differences.ravel()))
    zero = bool(is_noise(denominator, scale))
    same = zero and bool(is_noise(differences, scale).all())
    statistic = 0.0 if same else math.inf
    if not zero:
        statistic = float((differences**2).sum() / (2 * SHAPE[0] * denominator**2))
    p_value = 1.0 if same else float(fdtrc(*F_DF, statistic))
    return HypothesisTestResult(
        procedure=F_TITLE,
        statistic=statistic,
        symbol="F",
        distribution="F",
        df=F_DF,
        p_value=p_value,
        alternative="two-sided",
        estimate=mean,
        standard_error=0.0 if is_noise(standard_error, scale) else standard_error,
        interval_df=N_SCORES - 1,
        effect_size=effect_size(differences, scale),
        effect_size_of="d_z (mean / sd)",
        n=N_SCORES,
        assumptions=(SHARED_SPLITS, NEARLY_NORMAL, HALVES),
        flags=("zero_variance",) if zero else (),
        warnings=(
            *caution_if(zero, "degenerate", _NO_VARIANCE),
            *not_equal(p_value, "two-sided"),
            *((F_UNSTABLE,) if is_unstable is not False else ()),
        ),
    )


def _run_f(
    a: ArrayLike,
    b: ArrayLike,
    *,
    sampling: Sampling,
    alternative: str = "two-sided",
    is_unstable: bool | None = None,
) -> HypothesisTestResult:
    a, b = scores_of_five_by_two("5x2cv-f", a, b, sampling)
    return _f_test(a, b, "5x2cv-f", alternative, is_unstable)


def scores_of_five_by_two(
    name: str, a: ArrayLike, b: ArrayLike, sampling: Sampling
) -> tuple[ArrayLike, ArrayLike]:
    """Return scores of 5 repeats of 2 folds in the shape (5, 2), or raise.

    Parameters
    ----------
    name : str
        Of the procedure.
    a, b : array-like of shape (10,) or (5, 2)
        Scores, repeat by repeat.
    sampling : Sampling
        How the scores were made.

    Returns
    -------
    a, b : array-like of shape (5, 2)
        The same scores; as they are where they are not ten.

    Raises
    ------
    DesignError
        If the plan is another, or the scores do not pair or are not finite.
    """
    check_refusal(name, refuse_order(name, sampling.scheme) or refuse_shape(name, sampling))
    differences, _ = paired_scores(a, b, name)
    if differences.size == N_SCORES:
        return np.reshape(a, SHAPE), np.reshape(b, SHAPE)
    return a, b


F_PROCEDURE = Procedure(
    name="5x2cv-f",
    title=F_TITLE,
    question="Do two learners differ when trained on half of the data, whichever is better?",
    takes="two-on-splits",
    run=_run_f,
    sides=TWO_SIDED,
    aliases=("cv52-f", "5x2f", "combined-5x2cv-f", "alpaydin"),
    needs_all_splits=True,
)


FAMILY = (
    "All ten statistics test one hypothesis (family of m = 10, no correction): choose one before "
    "you look, or take 5x2cv-f or corrected-t, which use all ten."
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FiveByTwoCvNumerators(Result):
    """The ten statistics that 5x2cv t could have had.

    Parameters
    ----------
    difference, statistic, p_value : ndarray of shape (5, 2)
        Of every fold (column) of every repeat (row), had it stood in the numerator; the test
        as it was published uses the first.
    alternative : {"two-sided", "greater", "less"}
        Side of the p values, for the first minus the second.
    """

    pictures = (("numerators", "TenNumeratorsDisplay"),)

    difference: Floats
    statistic: Floats
    p_value: Floats
    alternative: str

    def n_rejected(self, alpha: float) -> int:
        """Return how many of the ten p values are at most `alpha`.

        Parameters
        ----------
        alpha : float in (0, 1)
            Level of the test.

        Returns
        -------
        int
            From 0 to 10; in between, the order of the folds decides.

        Raises
        ------
        InvalidArgumentError
            If `alpha` is not inside (0, 1).
        """
        return int((self.p_value <= check_share(alpha, "alpha")).sum())

    def to_frame(self) -> pd.DataFrame:
        """Return one row per difference.

        Returns
        -------
        DataFrame
            Columns repeat and fold (from 0), difference, statistic, p_value (side as
            `alternative`).
        """
        import pandas as pd

        repeat, fold = np.indices(SHAPE)
        columns = {"repeat": repeat, "fold": fold, "difference": self.difference}
        columns |= {"statistic": self.statistic, "p_value": self.p_value}
        return pd.DataFrame({name: values.ravel() for name, values in columns.items()})

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        rows = []
        for i, j in np.ndindex(SHAPE):
            t, p = float(self.statistic[i, j]), float(self.p_value[i, j])
            text = f"t = {number(t)}, p = {p_text(p)}"
            rows.append((f"repeat {i + 1}, fold {j + 1}", text))
        return [*rows, (f"p at most {USUAL_LEVEL:g}", f"{self.n_rejected(USUAL_LEVEL)} of 10")]

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(t from {number(self.statistic.min())} to "
            f"{number(self.statistic.max())}, {self.n_rejected(USUAL_LEVEL)} of 10 with p at most "
            f"{USUAL_LEVEL:g} {self.alternative})"
        )


def five_by_two_cv_t_numerators(
    a: ArrayLike, b: ArrayLike, *, alternative: str = "two-sided"
) -> FiveByTwoCvNumerators:
    """Return the 5x2cv t test with each of the ten differences in the numerator.

    Shows how much of a verdict of `five_by_two_cv_t_test` hangs on the order of the folds.

    Parameters
    ----------
    a, b : array-like of shape (5, 2), float
        Scores of the first and of the second learner, row = repeat, column = fold, in any
        unit.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What is to be shown about a - b.

    Returns
    -------
    FiveByTwoCvNumerators
        [0, 0] is what `five_by_two_cv_t_test` returns; flagged ``"zero_variance"`` where the
        folds of no repeat differ.

    Raises
    ------
    DesignError
        If the shape is not (5, 2), or a score is nan or infinite.
    InvalidArgumentError
        If `alternative` is unknown.

    Notes
    -----
    The denominator is the same for all ten. The F test was made to combine them [1]_.

    References
    ----------
    .. [1] Alpaydin (1999), Combined 5x2 cv F test for comparing supervised classification
       learning algorithms, Neural Computation 11(8).

    Examples
    --------
    >>> a = [[0.30, 0.28], [0.29, 0.31], [0.27, 0.30], [0.31, 0.29], [0.30, 0.30]]
    >>> b = [[0.25, 0.26], [0.26, 0.27], [0.25, 0.24], [0.26, 0.27], [0.27, 0.25]]
    >>> ten = five_by_two_cv_t_numerators(a, b, alternative="greater")
    >>> ten.n_rejected(0.05), ten.statistic.round(1).tolist()[0]
    (5, [2.5, 1.0])
    """
    check_alternative(alternative)
    differences, scale = five_by_two(a, b, "five_by_two_cv_t_numerators")
    # Each of the ten goes first once; its partner stays in its repeat, for the denominator.
    turned = np.array([_with_first(differences, i, j) for i in range(5) for j in range(2)])
    result = FiveByTwoCvT().compare(turned, Sampling("k-fold", *SHAPE), scale=scale)
    p_value = result.p_value(alternative).reshape(SHAPE)
    n_rejected = int((p_value <= USUAL_LEVEL).sum())
    zero = bool(result.zero_variance[0])
    return FiveByTwoCvNumerators(
        procedure="5x2cv paired t test, all ten numerators",
        n=N_SCORES,
        difference=differences,
        statistic=result.statistic.reshape(SHAPE),
        p_value=p_value,
        alternative=alternative,
        assumptions=(SHARED_SPLITS, NEARLY_NORMAL, HALVES),
        flags=("zero_variance",) if zero else (),
        warnings=_numerators_warnings(n_rejected, zero),
    )


def _with_first(differences: Floats, repeat: int, fold: int) -> Floats:
    order = [repeat, *(i for i in range(SHAPE[0]) if i != repeat)]
    turned = differences[order]
    return turned[:, ::-1].ravel() if fold else turned.ravel()


def _numerators_warnings(n_rejected: int, zero: bool) -> tuple[Caution, ...]:
    limits = "The folds of no repeat differ, so the p values are limits, not evidence."
    by_order = (
        f"{n_rejected} of the ten numerators have p at most {USUAL_LEVEL:g}: the order of the "
        "folds decides the verdict of 5x2cv-t."
    )
    return (
        Caution("multiplicity", FAMILY),
        *caution_if(zero, "degenerate", limits),
        *caution_if(0 < n_rejected < N_SCORES, "split-seed", by_order),
    )


def _run_numerators(
    a: ArrayLike, b: ArrayLike, *, sampling: Sampling, alternative: str = "two-sided"
) -> FiveByTwoCvNumerators:
    a, b = scores_of_five_by_two("5x2cv-t-numerators", a, b, sampling)
    return five_by_two_cv_t_numerators(a, b, alternative=alternative)


NUMERATORS = Procedure(
    name="5x2cv-t-numerators",
    title="5x2cv paired t test, all ten numerators",
    question="Would 5x2cv t have said the same with its folds in another order?",
    takes="two-on-splits",
    run=_run_numerators,
    needs_all_splits=True,
)

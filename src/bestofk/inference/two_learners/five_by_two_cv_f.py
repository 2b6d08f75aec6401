"""Combined 5x2cv F test of two learners trained on half of the data."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import fdtrc

from bestofk.errors import DesignError
from bestofk.inference.catalogue_entry import TWO_SIDED, Procedure
from bestofk.inference.cautions import Caution
from bestofk.inference.results import HypothesisTestResult
from bestofk.inference.sampling import Sampling
from bestofk.inference.student import check_alternative
from bestofk.inference.two_learners.five_by_two_cv_t import (
    HALVES,
    N_SCORES,
    SHAPE,
    five_by_two,
    parts_of_ten,
    refuse_shape,
)
from bestofk.inference.two_learners.paired_comparison import paired_scores
from bestofk.inference.two_learners.paired_test import (
    NEARLY_NORMAL,
    SHARED_SPLITS,
    check_refusal,
    unstable,
)
from bestofk.inference.two_learners.single_result import effect_size, not_equal
from bestofk.measures.ties import is_noise

TITLE = "combined 5x2cv F test"
DF = (10.0, 5.0)
UNSTABLE = unstable("5x2cv-f")
NO_VARIANCE = Caution(
    "degenerate",
    "The folds of no repeat differ, so statistic and p value are limits and no evidence.",
)


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
            f"alternative of {what} must be two-sided, squares have no side; got "
            f"{alternative!r}. Use 5x2cv-t or corrected-t."
        )
    differences, scale = five_by_two(a, b, what)
    mean, denominator, standard_error = (float(x) for x in parts_of_ten(differences.ravel()))
    zero = bool(is_noise(denominator, scale))
    same = zero and bool(is_noise(differences, scale).all())
    if zero:
        statistic = 0.0 if same else math.inf
    else:
        statistic = float((differences**2).sum() / (2 * SHAPE[0] * denominator**2))
    p_value = 1.0 if same else float(fdtrc(*DF, statistic))
    return HypothesisTestResult(
        procedure=TITLE,
        statistic=statistic,
        symbol="F",
        distribution="F",
        df=DF,
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
            *((NO_VARIANCE,) if zero else ()),
            *not_equal(p_value, "two-sided"),
            *((UNSTABLE,) if is_unstable is not False else ()),
        ),
    )


def _run(
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
    check_refusal(name, refuse_shape(name, sampling))
    differences, _ = paired_scores(a, b, name)
    if differences.size == N_SCORES:
        return np.reshape(a, SHAPE), np.reshape(b, SHAPE)
    return a, b


PROCEDURE = Procedure(
    name="5x2cv-f",
    title=TITLE,
    question="Do two learners differ when trained on half of the data, whichever is better?",
    takes="two-on-splits",
    run=_run,
    sides=TWO_SIDED,
    aliases=("cv52-f", "5x2f", "combined-5x2cv-f", "alpaydin"),
    needs_all_splits=True,
)

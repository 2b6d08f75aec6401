"""Results for one pair of learners: plain numbers and cautions."""

from __future__ import annotations

import math

from bestofk.inference.cautions import Caution, caution_if
from bestofk.inference.results import HypothesisTestResult
from bestofk.inference.student import Floats, student_interval
from bestofk.inference.two_learners.paired_comparison import PairedComparison
from bestofk.measures.ties import is_noise

USUAL_LEVEL = 0.05
_SHOWN = {"two-sided": "differ", "greater": "be greater", "less": "be less"}


def single_result(
    comparison: PairedComparison,
    differences: Floats,
    scale: float,
    *,
    procedure: str,
    alternative: str,
    warnings: tuple[str, ...],
    assumptions: tuple[str, ...],
) -> HypothesisTestResult:
    """Return the comparison of one pair as a result of plain numbers.

    Parameters
    ----------
    comparison : PairedComparison
        Of a single pair: fields of shape ().
    differences : ndarray of float
        First minus second, for the effect size d_z = mean / sd.
    scale : float
        Largest absolute score.
    procedure : str
        Title of the test.
    alternative : {"two-sided", "greater", "less"}
        Which p value is asked for.
    warnings : tuple of str
        What to distrust of the plan. Added are: that scores do not vary, how large a difference
        must be to be shown where there are few, and that a high p value does not say "equal".
    assumptions : tuple of str
        What must hold.

    Returns
    -------
    HypothesisTestResult
        With flag ``"zero_variance"`` where it applies.

    Raises
    ------
    InvalidArgumentError
        If `alternative` is unknown.
    """
    zero = bool(comparison.zero_variance)
    p_value = float(comparison.p_value(alternative))
    return HypothesisTestResult(
        procedure=procedure,
        statistic=float(comparison.statistic),
        df=float(comparison.df),
        p_value=p_value,
        alternative=alternative,
        estimate=float(comparison.mean),
        standard_error=float(comparison.standard_error),
        n=comparison.n_scores,
        distribution="Student t",
        interval_df=float(comparison.interval_df),
        effect_size=effect_size(differences, scale),
        effect_size_of="d_z (mean / sd)",
        assumptions=assumptions,
        flags=("zero_variance",) if zero else (),
        warnings=(
            *((_no_variance(differences),) if zero else ()),
            *not_equal(p_value, alternative),
            *(_with_what_can_be_shown(warning, comparison, alternative) for warning in warnings),
        ),
    )


def effect_size(differences: Floats, scale: float) -> float:
    """Return d_z, the mean difference over the standard deviation of the differences.

    Parameters
    ----------
    differences : ndarray of float
        First minus second, as they are: averages over repeats would inflate it.
    scale : float
        Largest absolute score, to tell variance from rounding noise.

    Returns
    -------
    float
        0 if there is no difference at all, infinite if all are the same.
    """
    mean, deviation = float(differences.mean()), float(differences.std(ddof=1))
    if not is_noise(deviation, scale):
        return mean / deviation
    return 0.0 if is_noise(mean, scale) else math.copysign(math.inf, mean)


def not_equal(p_value: float, alternative: str) -> tuple[Caution, ...]:
    """Return the caution that a high p value does not say "equal", if it is high.

    Parameters
    ----------
    p_value : float in [0, 1]
        Of a test of two learners.
    alternative : {"two-sided", "greater", "less"}
        Its side.

    Returns
    -------
    tuple of Caution
        Empty or one.
    """
    text = f"Not shown to {_SHOWN[alternative]} at {USUAL_LEVEL:g}, which does not mean equal."
    return caution_if(p_value > USUAL_LEVEL, "not-equal", text)


def _no_variance(differences: Floats) -> Caution:
    answer = "Can't tell" if differences.any() else "Same scores"
    return Caution(
        "degenerate",
        f"{answer}: the {differences.size} differences do not vary, and a test needs variance. "
        "Statistic and p value are limits, no evidence.",
    )


def _with_what_can_be_shown(text: str, comparison: PairedComparison, alternative: str) -> str:
    if getattr(text, "code", "") != "few-scores" or comparison.standard_error == 0:
        return text
    _, high = student_interval(
        0.0,
        comparison.standard_error,
        comparison.interval_df,
        level=1 - USUAL_LEVEL,
        alternative="two-sided" if alternative == "two-sided" else "less",
    )
    return Caution(
        "few-scores",
        f"{text} With their spread a mean difference must exceed {float(high):.3g} to be shown at "
        f"{USUAL_LEVEL:g}.",
    )

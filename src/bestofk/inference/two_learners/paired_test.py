"""Tests of two learners on shared splits: what they have in common."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.errors import DesignError
from bestofk.inference.catalogue_entry import Procedure
from bestofk.inference.cautions import Caution, caution_if
from bestofk.inference.results import HypothesisTestResult
from bestofk.inference.sampling import Sampling
from bestofk.inference.student import student_interval
from bestofk.inference.two_learners.paired_comparison import PairedComparison, paired_scores
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
    side = "two-sided" if alternative == "two-sided" else "less"
    spread = comparison.standard_error, comparison.interval_df
    _, high = student_interval(0.0, *spread, level=1 - USUAL_LEVEL, alternative=side)
    return Caution(
        "few-scores",
        f"{text} With their spread a mean difference must exceed {float(high):.3g} to be shown at "
        f"{USUAL_LEVEL:g}.",
    )


FEW_SCORES = 10
SHARED_SPLITS = "Both learners were trained and tested on the same splits."
NEARLY_NORMAL = "Differences of scores are roughly normal."


class PairedTest(ABC):
    """A test of two learners on shared splits, applied to many pairs at once.

    Attributes
    ----------
    name, title : str
        As users and as reports write it.
    question : str
        What it answers.
    assumptions : tuple of str
        What must hold.
    if_unstable : str
        What to distrust where a learner is unstable; empty if `warnings` says it.
    aliases : tuple of str
        Other spellings of the name.
    needs_all_splits : bool
        Whether it cannot do without any split of its plan.
    """

    name: str
    title: str
    question: str
    assumptions: tuple[str, ...] = (SHARED_SPLITS, NEARLY_NORMAL)
    if_unstable: str = ""
    aliases: tuple[str, ...] = ()
    needs_all_splits: bool = False

    @abstractmethod
    def refuse(self, sampling: Sampling) -> str | None:
        """Return why scores made this way cannot carry the test, or None.

        Parameters
        ----------
        sampling : Sampling
            How the scores were made.

        Returns
        -------
        str or None
            A sentence.
        """

    @abstractmethod
    def warnings(self, sampling: Sampling) -> tuple[str, ...]:
        """Return what to distrust, one sentence each.

        Parameters
        ----------
        sampling : Sampling
            How the scores were made.

        Returns
        -------
        tuple of str
            Each a `Caution` where it is one of those.
        """

    @abstractmethod
    def compare(
        self, differences: ArrayLike, sampling: Sampling, *, scale: ArrayLike | None = None
    ) -> PairedComparison:
        """Apply the test to every pair of an array.

        Parameters
        ----------
        differences : array-like of shape (..., n_scores)
            First minus second, repeat by repeat.
        sampling : Sampling
            How the scores were made.
        scale : array-like that broadcasts to (...), optional
            Largest absolute score of each pair, to tell variance from rounding noise.

        Returns
        -------
        PairedComparison
            Fields of shape (...).

        Raises
        ------
        DesignError
            If differences are not finite, too few, or not those of the plan.
        """

    def result(
        self,
        a: ArrayLike,
        b: ArrayLike,
        *,
        sampling: Sampling,
        alternative: str = "two-sided",
        is_unstable: bool | None = None,
    ) -> HypothesisTestResult:
        """Return the test of one pair of learners.

        Parameters
        ----------
        a, b : array-like of one shape, float
            Scores of the first and of the second learner on the same splits.
        sampling : Sampling
            How the scores were made.
        alternative : {"two-sided", "greater", "less"}
            What is to be shown about a - b.
        is_unstable : bool or None, default=None
            Whether a learner is known to be unstable; None (unknown) gives a warning.

        Returns
        -------
        HypothesisTestResult
            Flagged ``"zero_variance"`` where the figures are limits.

        Raises
        ------
        DesignError
            If the scores do not pair, are not finite, fewer than two, or their plan cannot
            carry the test.
        InvalidArgumentError
            If `alternative` is unknown.
        """
        differences, scale = paired_scores(a, b, self.name)
        check_refusal(self.name, self.refuse(sampling))
        return self.single(differences, scale, sampling, alternative, is_unstable)

    def single(
        self,
        differences: Floats,
        scale: float,
        sampling: Sampling,
        alternative: str,
        is_unstable: bool | None = None,
    ) -> HypothesisTestResult:
        """Return the test of one pair whose scores have been checked; see `result`."""
        unstable = (self.if_unstable,) if self.if_unstable and is_unstable is not False else ()
        return single_result(
            self.compare(differences.ravel(), sampling, scale=scale),
            differences,
            scale,
            procedure=self.title,
            alternative=alternative,
            warnings=(*self.warnings(sampling), *unstable),
            assumptions=self.assumptions,
        )

    @property
    def procedure(self) -> Procedure:
        """The test as a procedure that can be called by its name."""
        return Procedure(
            name=self.name,
            title=self.title,
            question=self.question,
            takes="two-on-splits",
            run=self.result,
            aliases=self.aliases,
            needs_all_splits=self.needs_all_splits,
        )


def check_refusal(name: str, reason: str | None) -> None:
    """Raise if there is a reason why a plan cannot carry the test of that name."""
    if reason is not None:
        raise DesignError(
            f"plan of {name} must be one that carries the test. {reason} Take another test or "
            "another plan."
        )


def few_scores(n_scores: int) -> tuple[Caution, ...]:
    """Return the caution that little can be shown, if there are fewer than ten scores.

    Parameters
    ----------
    n_scores : int
        Of each learner.

    Returns
    -------
    tuple of Caution
        Empty or one.
    """
    text = f"Only {n_scores} scores: small differences cannot be shown."
    return caution_if(n_scores < FEW_SCORES, "few-scores", text)


def unstable(test: str) -> Caution:
    """Return what to distrust of a test where learners are unstable."""
    text = (
        f"With unstable learners (1-nearest-neighbor, unpruned trees) {test} may reject more often "
        "than its level says."
    )
    return Caution("unstable-learner", text)

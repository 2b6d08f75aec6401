"""Tests of two learners on shared splits, one pair or many at once: what they have in common."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Bools, Floats
from bestofk.errors import DesignError
from bestofk.inference.catalogue import Procedure
from bestofk.inference.cautions import Caution, caution_if
from bestofk.inference.checks import as_numbers, check_alternative
from bestofk.inference.results import HypothesisTestResult
from bestofk.inference.sampling import Sampling, refuse_order
from bestofk.inference.student import student_interval, upper_tail
from bestofk.measures.ties import at_most, is_noise

# Where only differences are known, scores are taken to be at most so many times larger.
SCORES_PER_DIFFERENCE = 1000.0


@dataclass(frozen=True, eq=False)
class PairedComparison:
    """Student's t for an array of pairs; every field has the shape of the array of pairs.

    Parameters
    ----------
    mean : ndarray of float
        Mean difference of each pair; 0 where that is rounding noise.
    statistic, df : ndarray of float
        The test; statistics are infinite where the variance is zero and the mean is not.
    standard_error : ndarray of float
        Of the mean difference; 0 where that is below rounding noise.
    p_greater, p_less : ndarray of float
        One-sided p values: small where the expected difference is significantly above
        (below) 0.
    p_two_sided : ndarray of float
        Two-sided p values.
    zero_variance : ndarray of bool
        Where statistic and p values are limits: statistic 0 and p 1 if there is no
        difference either, else infinite and 0 (1 in the wrong direction). `without_limits`
        replaces them.
    n_scores : int
        Number of paired scores of a pair; the largest, where pairs have differently many.
    interval_df : float or ndarray of float
        Degrees of freedom of the interval of the mean difference, of all pairs or of each.
    """

    mean: Floats
    statistic: Floats
    df: Floats
    standard_error: Floats
    p_greater: Floats
    p_less: Floats
    p_two_sided: Floats
    zero_variance: Bools
    n_scores: int
    interval_df: float | Floats

    def confidence_interval(
        self, level: float = 0.95, alternative: str = "two-sided"
    ) -> tuple[Floats, Floats]:
        """Return the limits of the mean differences, by Student's t with `interval_df`.

        Parameters
        ----------
        level : float in (0, 1), default=0.95
            Confidence.
        alternative : {"two-sided", "greater", "less"}
            "greater" bounds from below only (high = inf), "less" from above only.

        Returns
        -------
        low, high : ndarray of float
            The limits of each pair.

        Raises
        ------
        InvalidArgumentError
            If `level` or `alternative` is not allowed.
        """
        return student_interval(
            self.mean, self.standard_error, self.interval_df, level=level, alternative=alternative
        )

    def p_value(self, alternative: str) -> Floats:
        """Return the p values of one of the three alternatives."""
        return np.asarray(getattr(self, f"p_{check_alternative(alternative).replace('-', '_')}"))

    def posterior(self, rope: float) -> tuple[Floats, Floats, Floats]:
        """Return how probable it is that a difference is below, inside, above the region.

        The posterior is Student's t around the mean difference with the standard error and
        `interval_df`; with the standard error of the corrected resampled t test that is the
        Bayesian correlated t test [1]_. Without variance all mass lies at the mean.

        Parameters
        ----------
        rope : float, at least 0
            Half the width of the region of practical equivalence, in the unit of the scores.
            With 0 there is no region: a mass at 0 counts half on each side.

        Returns
        -------
        p_less, p_rope, p_greater : ndarray of float
            They add up to 1; nan where the standard error is nan, so that nothing is known.

        References
        ----------
        .. [1] Corani & Benavoli (2015), A Bayesian approach for comparing cross-validated
           algorithms on multiple data sets, Machine Learning 100.
        """
        distances = (-rope - self.mean, self.mean - rope)
        unknown = np.isnan(self.standard_error)
        has_width = self.standard_error > 0
        size = np.maximum(rope, np.abs(self.mean))  # a mean on the border lies inside
        tails = []
        for distance in distances:
            scaled = np.divide(
                distance, self.standard_error, out=np.zeros_like(distance), where=has_width
            )
            inside = upper_tail(-scaled, self.interval_df)
            tails.append(np.where(has_width, inside, (~at_most(distance, 0, size)).astype(float)))
        below, above = tails
        within = np.clip(1 - below - above, 0.0, 1.0)
        if rope == 0:  # a region without width holds nothing; `within` is rounding or a mass at 0
            below, above = (tail + np.where(has_width, 0.0, within / 2) for tail in tails)
            within = np.zeros_like(within)
        below, within, above = (np.where(unknown, np.nan, part) for part in (below, within, above))
        return below, within, above

    def square(self, n_learners: int) -> PairedComparison:
        """Return all ordered pairs of learners from those above the diagonal.

        Parameters
        ----------
        n_learners : int
            The fields must have the shape (n_learners (n_learners - 1) / 2,), in the order of
            ``np.triu_indices(n_learners, k=1)``.

        Returns
        -------
        PairedComparison
            Fields of shape (n_learners, n_learners). A learner against itself: no difference,
            p values 1.
        """
        spread = partial(pair_table, np.triu_indices(n_learners, k=1), n_learners)
        df = self.df[0] if self.df.size else np.nan
        return replace(
            self,
            mean=spread(self.mean, -self.mean, 0.0),
            statistic=spread(self.statistic, -self.statistic, 0.0),
            df=spread(self.df, self.df, df),
            standard_error=spread(self.standard_error, self.standard_error, 0.0),
            p_greater=spread(self.p_greater, self.p_less, 1.0),
            p_less=spread(self.p_less, self.p_greater, 1.0),
            p_two_sided=spread(self.p_two_sided, self.p_two_sided, 1.0),
            zero_variance=spread(self.zero_variance, self.zero_variance, True),
        )

    def without_limits(self, is_flat: ArrayLike, is_same: ArrayLike) -> PairedComparison:
        """Return the same without a claim about pairs whose differences do not vary.

        Parameters
        ----------
        is_flat : array-like of bool
            Pairs whose differences vary too little for a test.
        is_same : array-like of bool
            Those of them without any difference.

        Returns
        -------
        PairedComparison
            With p values of 1 and a standard error of nan for these pairs, and a statistic of 0
            where they are the same, else nan.
        """
        flat = np.asarray(is_flat)
        statistic = np.where(flat, np.where(is_same, 0.0, np.nan), self.statistic)
        return replace(self.undecided(flat), statistic=statistic, zero_variance=flat)

    def undecided(self, unsettled: ArrayLike) -> PairedComparison:
        """Return the same with p values of 1 and no standard error for some pairs."""
        no_claim: dict[str, Any] = {name: np.where(unsettled, 1.0, getattr(self, name))
                                    for name in ("p_greater", "p_less", "p_two_sided")}  # fmt: skip
        error = np.where(unsettled, np.nan, self.standard_error)
        return replace(self, standard_error=error, **no_claim)

    @property
    def is_unsettled(self) -> Bools:
        """Pairs with a statistic that decides nothing."""
        return np.asarray(np.isnan(self.standard_error) & ~self.zero_variance)

    def tables(self, names: Iterable[str], n_learners: int) -> dict[str, Any]:
        """Return fields as new arrays of shape (n_learners, n_learners), to be written to."""
        shape = n_learners, n_learners
        return {name: np.array(np.broadcast_to(getattr(self, name), shape)) for name in names}

    def take(self, first: ArrayLike, second: ArrayLike) -> PairedComparison:
        """Return the pairs of some learners with some others.

        Parameters
        ----------
        first, second : array-like of int
            Rows and columns of an array of pairs of shape (n_learners, n_learners).

        Returns
        -------
        PairedComparison
            Fields of shape (len(first), len(second)).
        """
        where = np.ix_(np.asarray(first, dtype=int), np.asarray(second, dtype=int))
        taken = {
            field.name: value[where]
            for field in fields(self)
            if isinstance(value := getattr(self, field.name), np.ndarray)
        }
        return replace(self, **taken)


def pair_table(
    pairs: tuple[Any, Any], n_learners: int, above: Any, below: Any, diagonal: Any = np.nan
) -> Any:
    """Return a square table of values of pairs of learners.

    Parameters
    ----------
    pairs : tuple of two ndarrays of shape (n_pairs,), int
        First and second learner of each pair.
    n_learners : int
        Rows and columns of the table.
    above, below : array-like of shape (n_pairs,)
        For the first (row) against the second (column), and the other way around.
    diagonal : object
        For a learner against itself, and for pairs that are not listed.

    Returns
    -------
    ndarray of shape (n_learners, n_learners)
        Of the type of the diagonal.
    """
    table = np.full((n_learners, n_learners), diagonal)
    table[pairs] = above
    table.T[pairs] = below
    return table


def compare_by_t(
    mean: Floats,
    standard_error: Floats,
    n_scores: int,
    *,
    scale: ArrayLike,
    df: float | None = None,
    numerator: Floats | None = None,
    denominator: Floats | None = None,
    interval_df: float | None = None,
    tail: Callable[[Floats, float], Floats] = upper_tail,
) -> PairedComparison:
    """Return statistics and p values of t = numerator / denominator, limits where it is 0.

    Parameters
    ----------
    mean, standard_error : ndarray of shape (...)
        Mean difference and its standard error.
    n_scores : int
        Number of paired scores of each pair.
    scale : array-like that broadcasts to (...)
        Largest absolute score behind the differences, to tell variance from rounding noise;
        see `score_scale`.
    df : float, optional
        Degrees of freedom of the statistic, inf for the normal distribution; n_scores - 1 if
        left out.
    numerator, denominator : ndarray of shape (...), optional
        Parts of the statistic; mean and standard error if left out.
    interval_df : float, optional
        Degrees of freedom of the interval; those of the statistic if left out.
    tail : callable
        P(T > statistic) for statistics of at least 0 and the degrees of freedom.

    Returns
    -------
    PairedComparison
        Fields of shape (...).
    """
    df = n_scores - 1 if df is None else df
    numerator = mean if numerator is None else numerator
    denominator = standard_error if denominator is None else denominator
    zero = is_noise(denominator, scale)
    same = zero & is_noise(numerator, scale)
    statistic = np.divide(numerator, denominator, out=np.zeros_like(numerator), where=~zero)
    if zero.any():
        statistic = np.where(zero & ~same, np.copysign(np.inf, numerator), statistic)
    outside = tail(np.abs(statistic), df)
    inside = 1 - outside
    if same.any():  # then both one-sided p values are that of the inside
        inside = np.where(same, 1.0, inside)
    return PairedComparison(
        mean=np.where(is_noise(mean, scale), 0.0, mean),
        statistic=statistic,
        df=np.full_like(statistic, df),
        standard_error=np.where(is_noise(standard_error, scale), 0.0, standard_error),
        # exactly `outside` on one side, and without a branch, which would cost time
        p_greater=outside + (inside - outside) * (statistic <= 0),
        p_less=outside + (inside - outside) * (statistic >= 0),
        p_two_sided=np.minimum(1.0, 2 * outside),
        zero_variance=zero,
        n_scores=n_scores,
        interval_df=df if interval_df is None else interval_df,
    )


def score_scale(differences: Floats, scale: ArrayLike | None) -> Floats:
    """Return the largest absolute score behind each pair, guessed where it is unknown.

    Parameters
    ----------
    differences : ndarray of shape (..., n_scores)
        First minus second.
    scale : array-like that broadcasts to (...) or None
        The largest absolute score of each pair if it is known.

    Returns
    -------
    ndarray of float
        Shape that broadcasts to (...).
    """
    if scale is None:
        return np.asarray(SCORES_PER_DIFFERENCE * np.abs(differences).max(axis=-1))
    return np.asarray(scale, dtype=float)


def check_differences(differences: ArrayLike, test: str) -> Floats:
    """Return differences as floats of shape (..., n_scores), or raise.

    Parameters
    ----------
    differences : array-like of shape (..., n_scores)
        First minus second.
    test : str
        Name of the caller, for the error message.

    Returns
    -------
    ndarray of float
        The same numbers.

    Raises
    ------
    DesignError
        If they are no numbers, not finite, or fewer than two per pair.
    """
    values = _finite(differences, f"differences of {test}")
    if values.ndim == 0 or values.shape[-1] < 2:
        raise DesignError(
            f"differences of {test} must be at least 2 per pair; got shape {values.shape}. "
            "Use more folds or repeats."
        )
    return values


def paired_scores(a: ArrayLike, b: ArrayLike, test: str) -> tuple[Floats, float]:
    """Return the differences a - b and the largest absolute score, or raise.

    Parameters
    ----------
    a, b : array-like of float, of one shape
        Scores of two learners on the same splits.
    test : str
        Name of the caller, for the error message.

    Returns
    -------
    differences : ndarray of float
        In the shape of the input.
    scale : float
        Largest absolute score.

    Raises
    ------
    DesignError
        If the scores do not pair, are not finite, or are fewer than two.
    """
    first, second = _finite(a, f"scores of {test}"), _finite(b, f"scores of {test}")
    if first.shape != second.shape:
        raise DesignError(
            f"scores of {test} must pair, one of each learner per split; got shapes {first.shape} "
            f"and {second.shape}. Drop a split from both learners or from none."
        )
    if first.size < 2:
        raise DesignError(
            f"scores of {test} must be at least 2 per learner; got {first.size}. "
            "Use more folds or repeats."
        )
    return first - second, float(max(np.abs(first).max(), np.abs(second).max()))


def _finite(values: Any, what: str) -> Floats:
    rule = f"{what} must be numbers in a regular array"
    numbers = as_numbers(values, rule, "Use one number per split.")
    with np.errstate(all="ignore"):
        if np.isfinite(numbers.sum()):  # a sum is finite only if all its terms are
            return numbers
    bad = int(numbers.size - np.isfinite(numbers).sum())
    if bad:
        raise DesignError(
            f"{what} must be finite; got {bad} of {numbers.size} that are nan or infinite. "
            "Drop a failed split from both learners or from none."
        )
    return numbers


USUAL_LEVEL = 0.05
_ASKED = {
    "two-sided": "they differ",
    "greater": "the first is greater",
    "less": "the first is less",
}


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
    text = f"Undecided at {USUAL_LEVEL:g} whether {_ASKED[alternative]}; that does not mean equal."
    return caution_if(p_value > USUAL_LEVEL, "not-equal", text)


def _no_variance(differences: Floats) -> Caution:
    answer = "Can't tell" if differences.any() else "Same scores"
    return Caution(
        "degenerate",
        f"{answer}: the {differences.size} differences do not vary, and a test needs variance. "
        "Statistic, interval and p value are limits, not evidence.",
    )


def _with_what_can_be_shown(text: str, comparison: PairedComparison, alternative: str) -> str:
    if getattr(text, "code", "") != "few-scores" or not comparison.standard_error > 0:
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
    is_over_time : bool
        Whether it is made for test periods in order of time, and for nothing else.
    """

    name: str
    title: str
    question: str
    assumptions: tuple[str, ...] = (SHARED_SPLITS, NEARLY_NORMAL)
    if_unstable: str = ""
    aliases: tuple[str, ...] = ()
    needs_all_splits: bool = False
    is_over_time: bool = False

    def refusal(self, sampling: Sampling) -> str | None:
        """Return why scores made this way, or in this order, cannot carry the test, or None."""
        order = refuse_order(self.name, sampling.scheme, is_over_time=self.is_over_time)
        return order or self.refuse(sampling)

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

    def unsettled(self, differences: ArrayLike, sampling: Sampling) -> Bools:
        """Return pairs whose p value decides nothing, shape (...); none of them as a rule."""
        return np.zeros(np.shape(differences)[:-1], dtype=bool)

    def doubts(self, differences: Floats, sampling: Sampling) -> tuple[str, ...]:
        """Return what to distrust of the differences of one pair, one sentence each."""
        return ()

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
        check_refusal(self.name, self.refusal(sampling))
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
        doubts = self.doubts(differences.ravel(), sampling)
        return single_result(
            self.compare(differences.ravel(), sampling, scale=scale),
            differences,
            scale,
            procedure=self.title,
            alternative=alternative,
            warnings=(*doubts, *self.warnings(sampling), *unstable),
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
            is_over_time=self.is_over_time,
        )


def check_refusal(name: str, reason: str | None) -> None:
    """Raise if there is a reason why a plan cannot carry the test of that name."""
    if reason is not None:
        raise DesignError(
            f"plan of {name} must be one that allows the test. {reason} Take another test or "
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
    text = f"Only {n_scores} scores: small differences cannot be detected."
    return caution_if(n_scores < FEW_SCORES, "few-scores", text)


def unstable(test: str) -> Caution:
    """Return what to distrust of a test where learners are unstable."""
    text = (
        f"With unstable learners (1-nearest-neighbor, unpruned trees) {test} may reject more often "
        "than its level says."
    )
    return Caution("unstable-learner", text)

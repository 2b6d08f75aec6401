"""Verdict on one data set: pick, order, candidates, and the evidence.

Two statements are kept apart.  Evidence: which learners are not shown to be beaten.
Preference: which of several learners is taken as long as the evidence allows.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from numpy.typing import ArrayLike

from bestofk.array_types import Floats, Ints
from bestofk.inference import Sampling
from bestofk.inference.many_learners.pair_evidence import PairEvidence
from bestofk.words import joined_lines

# Answers about a pair. Where a preference decides, the second learner of a pair is the less
# preferred one, and all that is asked is whether it is better.
BETTER, EQUIVALENT, UNDECIDED = "better", "practically equivalent", "undecided"
NOT_BETTER, NOT_TESTED = "not better", "not tested"
# What is found about a pair without any difference; its answer is `EQUIVALENT`.
SAME = "same scores"


class AnsweredPair:
    """Answer about two learners, in a form that every sentence about them is made from."""

    first: str
    second: str
    answer: str
    finding: str

    @property
    def better(self) -> str:
        """The significantly better learner; empty where the answer is another."""
        if self.answer != BETTER:
            return ""
        return self.first if self.finding == finding_of(BETTER, self.first) else self.second

    @property
    def worse(self) -> str:
        """The significantly worse learner; empty where the answer is another."""
        return {self.first: self.second, self.second: self.first}.get(self.better, "")


def finding_of(answer: str, learner: str = "") -> str:
    """Return an answer about a pair in words.

    Parameters
    ----------
    answer : str
        One of the answers above.
    learner : str
        The learner that is better, or not better.

    Examples
    --------
    >>> finding_of(BETTER, "lda"), finding_of(NOT_BETTER, "lda"), finding_of(UNDECIDED)
    ('lda is better', 'lda is not significantly better', 'undecided')
    """
    said = {BETTER: f"{learner} is better", NOT_BETTER: f"{learner} is not significantly better"}
    return said.get(answer, answer)


@dataclass(frozen=True)
class Edge:
    """A rejected hypothesis: the first learner has a significantly greater loss.

    Parameters
    ----------
    worse, better : str
        The learner shown to be beaten, and the one that beats it.
    difference : float
        Mean loss of the worse minus mean loss of the better; above 0 wherever the test
        rests on the mean (5x2cv-t does not).
    statistic, p_value, p_adjusted : float
        One-sided test; adjusted within the family of the verdict.
    """

    worse: str
    better: str
    difference: float
    statistic: float
    p_value: float
    p_adjusted: float


def edges_of(
    pairs: Iterable[AnsweredPair],
    names: list[str],
    difference: Callable[[int, int], float],
    statistic: Floats,
    p_value: Floats,
    p_adjusted: Floats,
) -> list[Edge]:
    """Return an edge for each pair with a better learner, from tables by worse and better."""
    edges = []
    for pair in pairs:
        if pair.better:
            at = names.index(pair.worse), names.index(pair.better)
            tested = (float(table[at]) for table in (statistic, p_value, p_adjusted))
            edges.append(Edge(pair.worse, pair.better, difference(*at), *tested))
    return edges


def unbeaten(names: Iterable[str], edges: Iterable[Edge]) -> list[str]:
    """Return the learners that no edge leads away from."""
    worse = {edge.worse for edge in edges}
    return [name for name in names if name not in worse]


def counted_answers(pairs: Iterable[AnsweredPair]) -> str:
    """Return how many pairs have each answer, the most frequent first."""
    counts = Counter(pair.answer for pair in pairs)
    return ", ".join(f"{count} {answer}" for answer, count in counts.most_common()) or "none"


@dataclass(frozen=True)
class Pair(AnsweredPair):
    """Evidence about two learners.

    Parameters
    ----------
    first, second : str
        Learners, in the order given; with a preference the more preferred one first.
    difference : float
        Mean loss of the first minus mean loss of the second.
    low, high : float
        Two-sided interval of the difference at level 1 - alpha, for this pair alone.
    statistic, df, p_value : float
        Two-sided test of this pair alone; with a preference one-sided, of whether the second
        is better.
    p_adjusted : float
        One-sided p value in the direction of the difference, adjusted within the family
        of all ordered pairs; with a preference that of MultiTest.
    finding : str
        The answer in words: "... is better", "practically equivalent", "same scores",
        "undecided", or "... is not significantly better".
    zero_variance : bool
        Whether the differences do not vary over splits, or less than if one test row changed side.
    answer : {"better", "practically equivalent", "undecided", "not better", "not tested"}
        "practically equivalent" where the difference lies inside the region of practical
        equivalence with probability 1 - alpha, even if it is shown not to be 0, and where there
        is none on any split; else "better" where it is shown; else "undecided", which is not
        "equal". With a preference "better" or "not better", about the second, or "not tested".
    p_first_better, p_equivalent, p_second_better : float
        Posterior probability that the difference is below the region, inside, above it;
        nan where no test was possible.
    no_test : str
        Why this pair was not tested, or not on the splits; empty where it was.
    """

    first: str
    second: str
    difference: float
    low: float
    high: float
    statistic: float
    df: float
    p_value: float
    p_adjusted: float
    finding: str
    zero_variance: bool
    answer: str = "undecided"
    p_first_better: float = math.nan
    p_equivalent: float = math.nan
    p_second_better: float = math.nan
    no_test: str = ""


@dataclass(frozen=True)
class Alternative:
    """A candidate that is clearly cheaper than the best, and the price of taking it instead.

    Parameters
    ----------
    name : str
        The candidate of the lowest mean loss among those that are cheaper.
    difference : float
        Its mean loss minus that of the best; below 0 only for learners tied with the best.
    upper_bound : float
        One-sided upper confidence bound of the difference at level 1 - alpha.
    saves : tuple of str
        "training", "predicting" or both: what takes it less than half of the seconds.
    """

    name: str
    difference: float
    upper_bound: float
    saves: tuple[str, ...] = ("training",)


@dataclass(frozen=True)
class Verdict:
    """The answer: best, order, candidates, and what they rest on.

    Parameters
    ----------
    best : str or None
        Without preference the learner with the lowest mean loss, which is no proof; of those
        that an adaptive comparison takes as tied with it, the first in the order given. With a
        preference the pick of MultiTest, which stands because it was preferred and not shown
        worse.
    order : list of str
        All learners that take part, the best first: by mean loss, or by MultiTest.
    candidates : list of str
        Learners without an edge, in the order given: no other, or with a preference no less
        preferred one, is significantly better.
    edges : list of Edge
        The pairs with the answer "better".
    pairs : list of Pair
        Every pair of learners.
    means : dict of str to float
        Mean loss over the splits that count; of a learner that left a race, that of the best
        plus their mean difference on the splits that both have.
    has_preference : bool
        Whether a preference took part.
    preference : str
        A sentence about its source; empty without one.
    alternative : Alternative or None
        Without preference: a candidate that takes less than half of the seconds of the best
        for training and predicting, as far as the runs of both show it.
    reversed_best : str or None
        With a preference: MultiTest's pick under the reversed preference.
    first_test_best : str or None
        With a preference: the pick of TestFirst, which may name none.
    baselines : dict of str to dict
        For each baseline, whether each learner is shown to beat it.
    test, correction : str
        Names of the test and of the correction; the test is "" where none was possible.
    alpha : float
        Level of the family.
    n_splits : int
        Splits that count.
    left_out : dict of str to str
        Learners that take no part, and why.
    same_pick_share : float
        Share of the repeats in which the best has the lowest mean loss; nan for one repeat.
    warnings : tuple of str
        What to distrust.
    test_title : str
        What the test is called in a report.
    rope : float
        Half the width of the region of practical equivalence, in the unit of the loss; 0 with
        a preference, which asks no pair for equivalence.
    smallest_difference : float or None
        With more than ten learners, the mean difference that a pair of median spread must
        reach to be shown.
    indifference : float
        Mean losses up to this above the lowest were taken as tied; 0 but for an adaptive
        comparison without preference.
    center : {"mean", "median"}
        What of its repeats the pick has the lowest of, where nothing is preferred.
    """

    best: str | None = None
    order: list[str] = field(default_factory=list)
    candidates: list[str] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    means: dict[str, float] = field(default_factory=dict)
    has_preference: bool = False
    preference: str = ""
    alternative: Alternative | None = None
    reversed_best: str | None = None
    first_test_best: str | None = None
    baselines: dict[str, dict[str, bool]] = field(default_factory=dict)
    test: str = ""
    correction: str = "holm"
    alpha: float = 0.05
    n_splits: int = 0
    left_out: dict[str, str] = field(default_factory=dict)
    same_pick_share: float = float("nan")
    warnings: tuple[str, ...] = ()
    test_title: str = ""
    rope: float = 0.0
    smallest_difference: float | None = None
    indifference: float = 0.0
    center: str = "mean"

    def __repr__(self) -> str:
        test = f"{self.test_title}, {self.correction.capitalize()}, alpha {self.alpha:g}"
        return joined_lines(
            [
                f"<Verdict: {self.best or 'no learner'} is best>",
                f"  order: {', '.join(self.order) or 'none'}",
                f"  candidates: {', '.join(self.candidates) or 'none'}",
                f"  pairs: {counted_answers(self.pairs)}",
                f"  test: {test if self.test else 'none possible'}; {self.n_splits} splits",
            ]
        )


@dataclass(frozen=True, eq=False)
class Evidence:
    """Losses of the learners in a verdict, and the plan behind them.

    Parameters
    ----------
    names : sequence of str
        Learners, in the order given.
    losses : ndarray of shape (n_splits, n_learners)
        Lower is better; splits in repeat-major order. Complete, but nan from the split on at
        which a learner was repeated no further.
    sampling : Sampling
        How the splits were made.
    is_baseline : sequence of bool
        Learners that others are held against and that cannot be best.
    costs : mapping of str to array-like of shape (n_learners,)
        Measured costs by kind ("fit-time", "predict-time", "size").
    repeat_of_split : ndarray of shape (n_splits,)
        The repeat that each split belongs to.
    is_complete : bool, default=True
        Whether every split of the plan counts.
    on_rows : PairEvidence or None, default=None
        What a test on the rows of a single test set says of every pair; used where the
        splits can carry no test.
    no_row_test : str
        Why the rows of a single test set carry no test, where that is known.
    unstable : tuple of str
        Learners that are known to be unstable.
    is_beaten : sequence of bool
        Learners that left a race, so that they cannot be best; empty for none.
    indifference : float, default=0
        Mean losses up to this above the lowest are tied with it: without preference the first
        of them, in the order given, is best.
    run_seconds : sequence of ndarray of shape (n_runs, 2)
        For every learner the seconds of training and of predicting of each of its own runs;
        empty where they were not measured.
    row_losses : callable
        Takes positions of learners, and returns their losses on the rows of one repeat, shape
        (n_rows, n_learners); None where they are not known.
    """

    names: Sequence[str]
    losses: Floats
    sampling: Sampling
    is_baseline: Sequence[bool]
    costs: Mapping[str, ArrayLike]
    repeat_of_split: Ints
    is_complete: bool = True
    on_rows: PairEvidence | None = None
    no_row_test: str = ""
    unstable: tuple[str, ...] = ()
    is_beaten: Sequence[bool] = ()
    indifference: float = 0.0
    run_seconds: Sequence[Floats] = ()
    row_losses: Callable[[Sequence[int]], Floats | None] = lambda _: None

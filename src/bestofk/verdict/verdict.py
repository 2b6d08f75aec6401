"""Verdict on one data set: pick, order, candidates, the evidence, and what to distrust.

Two statements are kept apart.  Evidence: which learners are not shown to be beaten.
Preference: which of several learners is taken as long as the evidence allows.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Floats, Ints
from bestofk.inference import Caution, PairEvidence, Sampling, usable_tests
from bestofk.inference.many_learners.mean_losses import repeat_means
from bestofk.measures.ties import at_most, tied_values
from bestofk.words import grouped, joined_lines

# Answers about a pair. Where a preference decides, the second learner of a pair is the less
# preferred one, and all that is asked is whether it is better.
BETTER, EQUIVALENT, UNDECIDED = "better", "practically equivalent", "undecided"
NOT_BETTER, NOT_TESTED = "not better", "not tested"
# What is found about a pair without any difference; its answer is `EQUIVALENT`.
SAME = "same scores"
_NEEDED_OF_ROWS = {
    "mcnemar": "the predictions of every test row, which were not kept",
    "cv-central-limit": "the predictions of every test row, which were not kept",
    "delong": "two classes, and kept probabilities or decision values of every test row",
}
MANY_LEARNERS = 10  # with more, corrections leave little to be shown
ALONE = "{} is the only learner, so it was compared with none."


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


@lru_cache(maxsize=1024)
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


class Columns(Sequence[Any]):
    """Pairs or edges as columns, so that a table of many is not made of single ones.

    Parameters
    ----------
    kind : {Pair, Edge}
        The class of an item.
    **columns : sequence
        Its fields, a value per item each.
    """

    def __init__(self, kind: type[Any], **columns: Sequence[Any]) -> None:
        self.kind, self.columns = kind, columns

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not self.columns:
            raise IndexError(index)
        return self.kind(**{name: column[index] for name, column in self.columns.items()})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __repr__(self) -> str:
        return repr(list(self))


def column(items: Sequence[Any], name: str) -> Sequence[Any]:
    """Return a field of all pairs or edges."""
    if isinstance(items, Columns) and items.columns:
        return items.columns[name]
    return [getattr(item, name) for item in items]


def pairs_of(pairs: Sequence[Any], name: str) -> list[Any]:
    """Return the pairs that a learner is one of."""
    both = zip(column(pairs, "first"), column(pairs, "second"), strict=True)
    return [pairs[index] for index, names in enumerate(both) if name in names]


def edges_of(worse: Ints, better: Ints, names: Sequence[str], *tables: Floats) -> Columns:
    """Return an edge for each worse and better learner.

    Parameters
    ----------
    worse, better : ndarray of int
        Positions of the learners of each edge.
    names : sequence of str
        Learners.
    *tables : ndarray of shape (n_learners, n_learners)
        Difference, statistic, p value and adjusted p value by worse and better learner.

    Returns
    -------
    Columns of Edge
    """
    learners = ([names[i] for i in side.tolist()] for side in (worse, better))
    numbers = (table[worse, better].tolist() for table in tables)
    columns = zip(Edge.__dataclass_fields__, (*learners, *numbers), strict=True)
    return Columns(Edge, **dict(columns))


def unbeaten(names: Iterable[str], edges: Sequence[Edge]) -> list[str]:
    """Return the learners that no edge leads away from."""
    worse = set(column(edges, "worse"))
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
    edges : sequence of Edge
        The pairs with the answer "better".
    pairs : sequence of Pair
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
    edges: Sequence[Edge] = ()
    pairs: Sequence[Pair] = field(default_factory=list)
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


def verdict_warnings(
    verdict: Verdict,
    evidence: Evidence,
    tested: PairEvidence | None,
    own: Sequence[int],
    wanted: str,
) -> tuple[str, ...]:
    """Return what to distrust, one sentence each.

    Parameters
    ----------
    verdict : Verdict
        The answers, which have no warnings yet.
    evidence : Evidence
        Of all learners that take part.
    tested : PairEvidence or None
        What the test says; None where none was possible.
    own : sequence of int
        Positions of the learners that are no baselines.
    wanted : str
        Name of the test that was asked for.

    Returns
    -------
    tuple of str
        Those of the kinds of `CAUTIONS` carry their code (`Caution`).
    """
    names, best = verdict.order, str(verdict.best)
    texts: list[str] = []
    if len(names) == 1:
        texts.append(ALONE.format(names[0]))
    elif tested is None:
        texts.append(_no_test(evidence, wanted))
    else:
        texts += tested.warnings
        texts += degenerate_cautions(
            (pair.first, pair.second, pair.no_test) for pair in verdict.pairs
        )
        texts += _unstable(evidence)
        if len(names) > MANY_LEARNERS and tested.test == "5x2cv-t":
            texts.append(_five_by_two_of_many(len(names)))
        if any(pair.answer == UNDECIDED for pair in verdict.pairs):
            texts.append(
                Caution(
                    "not-equal",
                    '"Can\'t tell" does not mean "equal": more data may still show a difference.',
                )
            )
    if best not in verdict.candidates:
        texts.append(
            f"{best} has the lowest mean loss and is not among the candidates: by {wanted}, "
            "which does not use the mean, another learner is better."
        )
    texts += [
        f"{best} is not significantly better than {baseline}, which ignores the inputs."
        for baseline, beaten in verdict.baselines.items()
        if not beaten[best]
    ]
    if len(names) > 1 and not verdict.has_preference:
        texts.append(chosen_by_its_mean(best))
    if tested is not None and len(names) > 1:
        texts.append(
            family_caution(
                tested.title,
                n_tests(len(names), has_preference=verdict.has_preference),
                verdict.correction,
                verdict.alpha,
                list(verdict.baselines),
            )
        )
    if not verdict.has_preference:
        texts += _depends_on_the_seed(evidence, own)
    return tuple(texts)


def _no_test(evidence: Evidence, wanted: str) -> str:
    if wanted in _NEEDED_OF_ROWS:
        return f"{wanted} needs {_NEEDED_OF_ROWS[wanted]}: every learner stays a candidate."
    n_splits = len(evidence.losses)
    if evidence.no_row_test and evidence.sampling.n_scores == 1:
        return (
            f"No test can be made from one test set, because {evidence.no_row_test}: every learner "
            "stays a candidate."
        )
    splits = f"{n_splits} split{'s' if n_splits != 1 else ''}"
    usable = usable_tests(evidence.sampling)
    if not usable:
        return f"No test can be made from {splits}: every learner stays a candidate."
    return (
        f"{wanted} cannot be made from the {splits} that all learners have finished: "
        f"every learner stays a candidate. Usable here: {', '.join(usable)}."
    )


def degenerate_cautions(pairs: Iterable[tuple[str, str, str]]) -> Iterator[Caution]:
    """Say why pairs were not tested on the splits; takes two learners and a reason or none."""
    untested = grouped((why, f"{first} and {second}") for first, second, why in pairs)
    for why, names in untested.items():
        if why:
            yield Caution("degenerate", f"{'; '.join(names)}: {why}.")


def _unstable(evidence: Evidence) -> Iterator[Caution]:
    names = evidence.unstable
    if names:
        yield Caution(
            "unstable-learner",
            f"{', '.join(names)} depend{'s' if len(names) == 1 else ''} strongly on the training "
            "rows, so tests of such learners may be wrong more often than their level says.",
        )


def n_tests(n_learners: int, *, has_preference: bool) -> int:
    """Return the number of one-sided tests of pairs; MultiTest tests one direction only."""
    both_ways = n_learners * (n_learners - 1)
    return both_ways // 2 if has_preference else both_ways


def family_caution(
    title: str, n_tests: int, correction: str, alpha: float, baselines: Sequence[str] = ()
) -> Caution:
    """Return the caution about the number of tests made together, and their level.

    Parameters
    ----------
    title : str
        Of the test.
    n_tests : int
        One-sided tests of learners that can be best.
    correction : str
        Of their family.
    alpha : float
        Level of each family.
    baselines : sequence of str
        Learners that the others are held against.

    Returns
    -------
    Caution
    """
    tests = f"{n_tests} one-sided test{'s' if n_tests != 1 else ''}"
    apart = f"; separately against {', '.join(baselines)}, Holm" if baselines else ""
    return Caution(
        "multiplicity",
        f"{title}: {tests} at a nominal {100 * alpha:g}% family-wise level "
        f"({correction.capitalize()}{apart}).",
    )


def _five_by_two_of_many(n_learners: int) -> Caution:
    n_pairs = n_learners * (n_learners - 1) // 2
    return Caution(
        "multiplicity",
        f"5x2cv-t has 5 degrees of freedom; corrected for {n_pairs} pairs of learners it can "
        "hardly show any difference. Take corrected-t on repeated folds.",
    )


def chosen_by_its_mean(name: str) -> Caution:
    """Return the caution that the best of several means is too optimistic."""
    return Caution(
        "winners-curse",
        f"The gap to the runners-up may be chance. {name} was picked for its average, so expect "
        "somewhat worse on new data.",
    )


def _depends_on_the_seed(evidence: Evidence, own: Sequence[int]) -> Iterator[Caution]:
    own = [i for i in own if not np.isnan(evidence.losses[:, i]).any()]
    means = repeat_means(evidence.losses[:, own], evidence.repeat_of_split).T
    n_repeats = means.shape[1]
    if n_repeats < 2 or len(own) < 2:
        return
    first = int(np.argmin(tied_values(means.mean(axis=1))))
    same = int(at_most(means[first], means.min(axis=0)).sum())
    if same == n_repeats:
        return
    yield Caution(
        "split-seed",
        f"Other random splits could change the pick: {evidence.names[own[first]]} has the best "
        f"mean in {same} of {n_repeats} repeats.",
    )

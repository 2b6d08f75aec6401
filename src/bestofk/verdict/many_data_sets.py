"""Verdict over many data sets: the best learner, the candidates, and the evidence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Bools, Floats
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import Caution, OmnibusResult, reject_adjusted
from bestofk.inference.checks import learner_names
from bestofk.inference.many_data_sets.ranks import rank_rows
from bestofk.inference.many_learners.mean_losses import lowest_loss
from bestofk.verdict import complete_scores
from bestofk.verdict import verdict as answers
from bestofk.verdict.complete_scores import CompleteScores, Reasons
from bestofk.verdict.decision import USUAL
from bestofk.verdict.preference import order_by_preference, ranked_only
from bestofk.verdict.rules import multitest_by_position, order_by_mean
from bestofk.verdict.verdict import AnsweredPair, Edge
from bestofk.verdict.verdict_options import VerdictOptions
from bestofk.words import joined_lines

if TYPE_CHECKING:
    from bestofk.inference.many_data_sets.comparison_matrix import ComparisonMatrix

_OF_ALL_PAIRS = ("multiplicity", "not-equal")  # cautions about tests that a preference has not


@dataclass(frozen=True)
class AcrossPair(AnsweredPair):
    """Evidence about two learners over many data sets.

    Parameters
    ----------
    first, second : str
        Learners, in the order given; with a preference the more preferred one first.
    difference, low, high : float
        Mean loss of the first minus that of the second over the data sets, with its interval
        at level 1 - alpha for this pair alone.
    wins, ties, losses : int
        Data sets on which the first is better, both score the same, the second is better.
    p_value, p_adjusted : float
        Two-sided Wilcoxon test: alone, and within the family; nan where not in the family.
        With a preference one-sided, of whether the second is better.
    p_first_better, p_equivalent, p_second_better : float
        Bayesian signed-rank probabilities; nan where there is no region of practical
        equivalence.
    answer : {"better", "practically equivalent", "undecided", "not tested", "not better"}
        "practically equivalent" where its probability is at least 1 - alpha; else "better"
        where it is shown within the family; else "undecided", which is not "equal". With a
        preference "better" or "not better", about the second.
    finding : str
        The answer in words.
    """

    first: str
    second: str
    difference: float
    low: float
    high: float
    wins: int
    ties: int
    losses: int
    p_value: float
    p_adjusted: float
    p_first_better: float
    p_equivalent: float
    p_second_better: float
    answer: str
    finding: str


@dataclass(frozen=True)
class VerdictAcross:
    """The answer over many data sets, and what it rests on.

    Parameters
    ----------
    best : str
        Without preference the learner with the lowest mean loss, which is no proof; with one
        the pick of MultiTest on one-sided Wilcoxon tests.
    order : list of str
        All learners that take part: by mean loss, or by MultiTest.
    candidates : list of str
        Learners without an edge, in the order given: no other, or with a preference no less
        preferred one, is significantly better.
    edges : sequence of Edge
        The pairs with the answer "better".
    pairs : list of AcrossPair
        Every pair.
    means, mean_ranks : dict of str to float
        Mean loss, and mean rank (1 is best). Ranks describe; they decide nothing.
    omnibus : OmnibusResult or None
        Iman-Davenport test of all learners; None for two.
    matrix : ComparisonMatrix
        The same pairs as arrays, of losses.
    data_sets : tuple of str
        Those that count.
    has_preference : bool
        Whether a preference took part.
    preference : str
        A sentence about its source; empty without one.
    control : str
        Learner that the family holds all others against; empty for all pairs.
    correction : str
        Of the family.
    alpha, rope : float
        Level of the family; half the width of the region of practical equivalence, 0 with a
        preference.
    n_tests : int
        Tests of the family.
    left_out : dict of str to str
        Learners and data sets that do not count, and why.
    warnings : tuple of str
        What to distrust.
    """

    best: str
    order: list[str]
    candidates: list[str]
    edges: Sequence[Edge]
    pairs: list[AcrossPair]
    means: dict[str, float]
    mean_ranks: dict[str, float]
    omnibus: OmnibusResult | None
    matrix: ComparisonMatrix
    data_sets: tuple[str, ...]
    has_preference: bool
    preference: str
    control: str
    correction: str
    alpha: float
    rope: float
    n_tests: int
    left_out: dict[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def is_by_ranks(self) -> bool:
        """Return whether the test of the pairs is one of mean ranks."""
        return not math.isnan(self.matrix.critical_difference)

    @property
    def critical_difference(self) -> float:
        """Difference of mean ranks that is significant: Nemenyi's, with a control Dunn's."""
        from bestofk.inference.many_data_sets import rank_comparisons

        size = len(self.order), len(self.data_sets)
        if self.control:
            return rank_comparisons.bonferroni_dunn_critical_difference(*size, alpha=self.alpha)
        return rank_comparisons.nemenyi_critical_difference(*size, alpha=self.alpha)

    def __repr__(self) -> str:
        family = f"{self.correction.capitalize()}, alpha {self.alpha:g}"
        return joined_lines(
            [
                f"<VerdictAcross: {self.best} is best over {len(self.data_sets)} data sets>",
                f"  order: {', '.join(self.order)}",
                f"  candidates: {', '.join(self.candidates)}",
                f"  pairs: {answers.counted_answers(self.pairs)} ({family})",
            ]
        )


def decide_across(
    names: Sequence[str],
    losses: ArrayLike,
    settings: VerdictOptions = USUAL,
    *,
    data_sets: Sequence[str] | None = None,
    control: str | None = None,
    costs: Mapping[str, ArrayLike] | None = None,
    reasons: Reasons | None = None,
    by_ranks: bool = False,
) -> VerdictAcross:
    """Weigh the scores of learners on many data sets, and the preference if there is one.

    Parameters
    ----------
    names : sequence of str
        Learners, at least two.
    losses : array-like of shape (n_data_sets, n_learners), float
        Mean loss of each learner on each data set, lower is better, of one unit. nan where
        there is none: the data set is then left out for all learners alike, or the learner takes
        no part, whichever leaves the most scores (`complete_scores.most_scores`).
    settings : VerdictOptions
        Level and correction of the family of Wilcoxon tests, preference, and region; a region
        that is None is of width 0.
    data_sets : sequence of str, optional
        Their names; data set 1, data set 2, ... if left out.
    control : str, optional
        The family is this learner against every other; all pairs if left out.
    costs : mapping of str to array-like of shape (n_learners,), optional
        Measured costs by kind, for a preference by cost.
    reasons : mapping of (str, str) to str, optional
        Why a data set (first name) has no score of a learner (second), for the warnings.
    by_ranks : bool, default=False
        Whether ranks within data sets take the place of losses, which then need no common unit;
        pairs are compared by Nemenyi's test, with a control by Bonferroni-Dunn.

    Returns
    -------
    VerdictAcross

    Raises
    ------
    DesignError
        If fewer than two learners or two complete data sets are left, or a loss is infinite.
    InvalidArgumentError
        If a name or an option is not allowed.

    Examples
    --------
    >>> losses = [[0.1, 0.3], [0.2, 0.25], [0.1, 0.2], [0.3, 0.36], [0.2, 0.31], [0.1, 0.17]]
    >>> verdict = decide_across(["lda", "cart"], losses)
    >>> verdict.best, verdict.pairs[0].answer, round(verdict.pairs[0].p_adjusted, 5)
    ('lda', 'better', 0.03125)
    """
    known = learner_names(names, len(names))
    check_control(control, settings)
    table = _table(losses, known)
    indices = _named_data_sets(data_sets, len(table))
    is_missing, chosen = _complete(table, known, indices, control)
    weighed = _Weighing(known, table, chosen, settings, control, costs or {}, by_ranks)
    texts = complete_scores.gap_sentences(is_missing, chosen, known, indices, reasons or {})
    other = complete_scores.other_choice(is_missing, chosen, _position(known, control))
    if other is not None:
        plain = replace(settings, rope=None)
        pick = _Weighing(known, table, other, plain, control, costs or {}, by_ranks)
        texts += _other_pick(known, chosen, other, weighed.best, pick.best)
    return weighed.verdict(
        [indices[i] for i in chosen.data_sets],
        complete_scores.reasons_left_out(is_missing, chosen, known, indices),
        tuple(Caution("incomplete", text) for text in texts),
    )


def check_control(control: str | None, settings: VerdictOptions) -> None:
    """Raise if others are to be held against a learner where a preference decides."""
    if control is not None and settings.prefer is not None:
        raise InvalidArgumentError(
            "control must be left out where a preference decides, because that tests all pairs; "
            f"got {control!r}. Leave out one of them."
        )


def _other_pick(
    names: Sequence[str], chosen: CompleteScores, other: CompleteScores, pick: str, other_pick: str
) -> list[str]:
    """Say what would be picked if gaps were treated the other way, where that differs."""
    if other_pick == pick:
        return []
    n_sets = len(other.data_sets)
    if len(chosen.learners) < len(names):
        out = [name for i, name in enumerate(names) if i not in chosen.learners]
        shown = complete_scores.first_names(out)
        on = f"With {shown}, on the {n_sets} data sets that all learners have"
    else:
        out = [name for i, name in enumerate(names) if i not in other.learners]
        on = f"Without {complete_scores.first_names(out)}, on {n_sets} data sets"
    return [f"{on}, {other_pick} would be picked."]


def least_data_sets(alpha: float) -> int:
    """Return of how many data sets a pair may be called practically equivalent.

    The posterior gives the region all probability if all observed differences lie inside, even if
    there are only two. If half of all data sets were inside, this would happen on n data sets with
    probability 2^-n, which must not exceed the level.

    Parameters
    ----------
    alpha : float in (0, 1)
        Level.

    Returns
    -------
    int
        At least 1.

    Examples
    --------
    >>> least_data_sets(0.05), least_data_sets(0.1)
    (5, 4)
    """
    return math.ceil(-math.log2(alpha))


def _table(losses: ArrayLike, names: Sequence[str]) -> Floats:
    table = np.asarray(losses, dtype=float)
    if table.ndim != 2 or table.shape[1] != len(names):
        raise DesignError(
            "losses of decide_across must have a row per data set and a column per learner "
            f"({len(names)}); got shape {table.shape}. Use nan where there is no score."
        )
    if np.isinf(table).any():
        i, j = np.argwhere(np.isinf(table))[0]
        raise DesignError(
            f"losses of decide_across must be finite; got {table[i, j]} of {names[j]} on data set "
            f"{i + 1}. Use nan where there is no score."
        )
    return table


def _named_data_sets(given: Sequence[str] | None, n: int) -> list[str]:
    if given is None:
        return [f"data set {i + 1}" for i in range(n)]
    results = [str(name) for name in given]
    if len(results) != n or len(set(results)) < n:
        raise InvalidArgumentError(
            f"data_sets must be {n} different names, one per row of losses; got {results}. "
            "Name each data set once."
        )
    return results


def _complete(
    table: Floats, names: Sequence[str], data_sets: Sequence[str], control: str | None
) -> tuple[Bools, CompleteScores]:
    """Return where scores are missing, and the learners and data sets that count."""
    is_missing = np.isnan(table)
    chosen = complete_scores.most_scores(is_missing, _position(names, control))
    if not chosen.is_enough:
        said = complete_scores.gap_sentences(is_missing, chosen, names, data_sets, {})
        raise DesignError(
            "a verdict over data sets must have at least 2 learners with a score on each of at "
            f"least 2 data sets; got {len(chosen.learners)} and {len(chosen.data_sets)}"
            + (f" ({'; '.join(text.rstrip('.') for text in said)})" if said else "")
            + ". Complete the scores, or judge each data set by itself."
        )
    return is_missing, chosen


def _position(names: Sequence[str], control: str | None) -> int | None:
    return list(names).index(control) if control is not None and control in names else None


class _Weighing:
    """One weighing of complete losses."""

    def __init__(
        self,
        names: Sequence[str],
        table: Floats,
        chosen: CompleteScores,
        settings: VerdictOptions,
        control: str | None,
        costs: Mapping[str, ArrayLike],
        by_ranks: bool,
    ) -> None:
        from bestofk.inference.many_data_sets import comparison_matrix

        self.names, self.alpha = [names[i] for i in chosen.learners], settings.alpha
        self.prefer = ranked_only(settings.prefer, names, self.names)
        self.rope = 0.0 if by_ranks or self.prefer is not None else settings.rope or 0.0
        self.losses = table[np.ix_(chosen.data_sets, chosen.learners)]
        asked: dict[str, Any] = {"names": self.names, "control": control, "alpha": self.alpha}
        if by_ranks:
            matrix = comparison_matrix.mean_rank_matrix(self.losses, **asked)
            self.losses = rank_rows(self.losses, greater_is_better=False)
        else:
            asked |= {"correction": settings.correction, "rope": self.rope or None}
            matrix = comparison_matrix.multi_comparison_matrix(self.losses, **asked)
        self.matrix = matrix
        self.costs = {
            kind: np.asarray(cost, dtype=float)[chosen.learners] for kind, cost in costs.items()
        }
        self.correction = matrix.correction if self.prefer is None else settings.correction
        self.means = self.losses.mean(axis=0)
        self.p_values, self.adjusted = matrix.p_value, matrix.p_adjusted
        if self.prefer is None:
            self.order, self.preference = order_by_mean(self.means, lowest_loss(self.means)), ""
            # [i, j]: i is shown to have the greater loss; the sign sums say in which direction
            self.beaten = matrix.reject(matrix.alpha) & (matrix.statistic > matrix.statistic.T)
            self.listed = list(range(len(self.names)))
        else:
            self._order_by_preference()
        self.best = self.names[self.order[0]]

    def verdict(
        self, data_sets: list[str], left_out: dict[str, str], warnings: tuple[str, ...]
    ) -> VerdictAcross:
        from bestofk.inference.many_data_sets.rank_omnibus import iman_davenport_test

        matrix = self.matrix
        pairs = [self._pair(i, j) for i, j in combinations(self.listed, 2)]
        edges = self._edges(pairs)
        candidates = answers.unbeaten(self.names, edges)
        return VerdictAcross(
            best=self.best,
            order=[self.names[i] for i in self.order],
            candidates=candidates,
            edges=edges,
            pairs=pairs,
            means=dict(zip(self.names, self.means.tolist(), strict=True)),
            mean_ranks=dict(zip(self.names, matrix.levels, strict=True)),
            omnibus=iman_davenport_test(self.losses, names=self.names)
            if len(self.names) > 2
            else None,
            matrix=matrix,
            data_sets=tuple(data_sets),
            has_preference=self.prefer is not None,
            preference=self.preference,
            control=matrix.control,
            correction=self.correction,
            alpha=self.alpha,
            rope=self.rope,
            n_tests=matrix.n_hypotheses if self.prefer is None else len(pairs),
            left_out=left_out,
            warnings=(
                *warnings,
                *self._about_tests(),
                *self._about_few(pairs),
                *self._about_best(self.order[0], self.best in candidates, data_sets),
            ),
        )

    def _order_by_preference(self) -> None:
        """Take the order and the tests of MultiTest."""
        assert self.prefer is not None
        preferred, self.preference = order_by_preference(self.names, self.prefer, self.costs)
        self.order, self.adjusted = multitest_by_position(
            self.matrix.p_greater, preferred, alpha=self.alpha, correction=self.correction
        )
        self.p_values, self.listed = self.matrix.p_greater, preferred
        self.beaten = reject_adjusted(self.adjusted, self.alpha)

    def _edges(self, pairs: Sequence[AcrossPair]) -> Sequence[Edge]:
        index = self.names.index
        shown = [(index(pair.worse), index(pair.better)) for pair in pairs if pair.better]
        worse, better = np.array(shown, dtype=int).reshape(-1, 2).T
        tested = (self.matrix.estimate, self.matrix.statistic, self.p_values, self.adjusted)
        return answers.edges_of(worse, better, self.names, *tested)

    def _pair(self, i: int, j: int) -> AcrossPair:
        matrix, better = self.matrix, self.names[i if self.beaten[j, i] else j]
        answer = answers.UNDECIDED if self.prefer is None else answers.NOT_BETTER
        if self.are_enough and self._is_equivalent(float(matrix.p_equivalent[i, j])):
            answer = answers.EQUIVALENT
        elif self.beaten[i, j] or self.beaten[j, i]:
            answer = answers.BETTER
        elif math.isnan(self.adjusted[i, j]):
            answer = answers.NOT_TESTED
        return AcrossPair(
            first=self.names[i],
            second=self.names[j],
            difference=float(matrix.estimate[i, j]),
            low=float(matrix.low[i, j]),
            high=float(matrix.high[i, j]),
            wins=int(matrix.wins[i, j]),
            ties=int(matrix.ties[i, j]),
            losses=int(matrix.wins[j, i]),
            p_value=float(self.p_values[i, j]),
            p_adjusted=float(self.adjusted[i, j]),
            p_first_better=float(matrix.p_below[i, j]),
            p_equivalent=float(matrix.p_equivalent[i, j]),
            p_second_better=float(matrix.p_above[i, j]),
            answer=answer,
            finding=answers.finding_of(answer, better),
        )

    def _is_equivalent(self, p_equivalent: float) -> bool:
        return self.rope > 0 and p_equivalent >= 1 - self.alpha

    @property
    def are_enough(self) -> bool:
        """Return whether there are enough data sets to call a pair equivalent."""
        return len(self.losses) >= least_data_sets(self.alpha)

    def _about_few(self, pairs: Sequence[AcrossPair]) -> list[Caution]:
        """Say that so few data sets show nothing to be equivalent, where one seems so."""
        if self.are_enough or not any(self._is_equivalent(p.p_equivalent) for p in pairs):
            return []
        return [
            Caution(
                "few-scores",
                f"Only {len(self.losses)} data sets: no pair is called practically equivalent, "
                "whatever its posterior probability, which ignores how few they are.",
            )
        ]

    def _about_tests(self) -> Iterator[str]:
        """Return the warnings of the tests; a preference has a family of its own."""
        for warning in self.matrix.warnings:
            if self.prefer is None or getattr(warning, "code", "") not in _OF_ALL_PAIRS:
                yield warning
        if self.prefer is not None:
            count = answers.n_tests(len(self.names), has_preference=True)
            yield answers.family_caution(self.matrix.procedure, count, self.correction, self.alpha)

    def _about_best(self, best: int, is_candidate: bool, data_sets: list[str]) -> list[str]:
        name = self.names[best]
        texts: list[str] = []
        if not is_candidate:
            texts.append(
                f"{name} has the lowest mean loss and is not among the candidates: by the Wilcoxon "
                "test, which does not use the mean, another learner is better."
            )
        if self.prefer is None:
            texts.append(
                Caution(
                    "winners-curse",
                    f"The gap to the runners-up may be chance. {name} was picked for its average, "
                    "so expect somewhat worse on other data sets.",
                )
            )
            texts += self._hangs_on_one(best, data_sets)
        return texts

    def _hangs_on_one(self, best: int, data_sets: list[str]) -> list[str]:
        """Say which single data set the lowest mean hangs on, if it does on one."""
        if len(data_sets) < 3:
            return []
        without = self.losses.sum(axis=0) - self.losses
        winners = [lowest_loss(row) for row in without]
        turning = [
            f"without {name}, {self.names[winner]} has it"
            for name, winner in zip(data_sets, winners, strict=True)
            if winner != best
        ]
        if not turning:
            return []
        return [
            f"The lowest mean depends on single data sets: {complete_scores.first_of(turning)}."
        ]

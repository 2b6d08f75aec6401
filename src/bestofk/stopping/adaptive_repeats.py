"""Adaptive repetition: the interim analyses of repeated cross-validation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr, stdtr

from bestofk.array_types import Bools, Floats
from bestofk.evaluation import Evaluation, InterimAnalysis
from bestofk.evaluation.status import is_lost
from bestofk.inference import Sampling
from bestofk.measures import Measure
from bestofk.stopping.active_learners import MAX_FAILED_SHARE
from bestofk.stopping.history import Elimination, StoppingHistory
from bestofk.stopping.race import RaceAnalysis, analyse_race, tie_width
from bestofk.stopping.rule import PROBABILITIES, RuleState, StoppingRule
from bestofk.stopping.verdict_rule import InterimState, SettledPick, VerdictRule

MAX_REPEATS = 20
FOLDS = 5
_FIRST, _GROWTH = 5, 1.6
# Evidence is open between the level of a test over the first, and the level times the second.
_CLEARLY_SHOWN, _CLEARLY_NOT = 2.5, 1.25
_FEWEST_REPEATS = 3  # from which rules of all learners are asked


def interim_repeats(max_repeats: int) -> tuple[int, ...]:
    """Return the numbers of repeats after which an interim analysis is made.

    Parameters
    ----------
    max_repeats : int, at least 1
        The last analysis.

    Returns
    -------
    tuple of int
        From 5 on, each 1.6 times the one before: few, so that taking them into account costs
        little.

    Examples
    --------
    >>> interim_repeats(50)
    (5, 8, 13, 21, 34, 50)
    """
    repeats = [min(_FIRST, max_repeats)]
    while repeats[-1] < max_repeats:
        repeats.append(min(round(_GROWTH * repeats[-1]), max_repeats))
    if len(repeats) > 1 and repeats[-1] < 1.25 * repeats[-2]:
        del repeats[-2]
    return tuple(repeats)


class AdaptiveRepeats(InterimAnalysis):
    """Repeated cross-validation until all rules hold; learners that can no longer win are dropped.

    The race of `SettledPick`: in each interim analysis every learner is compared with the leader
    by Student's t over repeats, at a level of alpha / (analyses x rivals that still run). So the
    chance that a learner is ever eliminated which the long run would name in place of the leader
    is at most alpha (Bonferroni; eliminated rivals can lead no more).
    Learners that differ by half the region of equivalence or less are tied, and of those that are
    tied with the lowest mean loss the first in the order given is picked. A tie ends the race as
    a difference does, where the lowest mean would be down to chance however many repeats follow.
    The pick is settled where no rival can be picked in its place.
    A learner that is out stays while its evidence is open: the corrected t test does not clearly
    show it worse (p at most the Bonferroni level of all ordered pairs over 2.5), nor would it
    clearly fail to with endless repeats of the same mean and spread (p above 1.25 times that
    level). Elimination in the first analysis that shows it would raise the error rate of the
    verdict.

    A learner is repeated further while the race or a rule of all learners is open, or a rule of
    this learner alone does not hold for it yet.

    Parameters
    ----------
    names : sequence of str
        Learners.
    is_baseline : sequence of bool
        Learners that cannot be best.
    measure : Measure
        The deciding one.
    max_repeats : int, default=20
        The most repeats.
    alpha : float, default=0.05
        Level of the race.
    rope : float, default=0
        Half the width of the region of practical equivalence, in the unit of the measure.
    rules : sequence of StoppingRule or VerdictRule, default=(SettledPick(),)
        All must hold.
    """

    def __init__(
        self,
        names: Sequence[str],
        is_baseline: Sequence[bool],
        measure: Measure,
        *,
        max_repeats: int = MAX_REPEATS,
        alpha: float = 0.05,
        rope: float = 0.0,
        rules: Sequence[StoppingRule | VerdictRule] = (SettledPick(),),
    ) -> None:
        self.names, self.measure = list(names), measure
        self.can_win = ~np.asarray(is_baseline, dtype=bool)
        self.alpha, self.rope, self.rules = alpha, rope, tuple(rules)
        self.learner_rules = [rule for rule in rules if isinstance(rule, StoppingRule)]
        self.verdict_rules = [rule for rule in rules if isinstance(rule, VerdictRule)]
        self.is_raced = any(isinstance(rule, SettledPick) for rule in rules)
        self.indifference = tie_width(rope) if self.is_raced else 0.0
        # a rule of one learner may hold after any repeat
        every = tuple(range(1, max_repeats + 1))
        self._looks = interim_repeats(max_repeats) if self.verdict_rules else every
        n_learners = len(self.names)
        self.runs = np.ones(n_learners, dtype=bool)
        self.values = np.empty((n_learners, 0))  # per split
        self.states: list[list[RuleState]] = [
            [rule.start() for rule in self.learner_rules] for _ in self.names
        ]
        self.eliminations: list[Elimination] = []
        self.n_repeats, self.n_folds, self.ending, self.is_settled = 0, 1, "", False

    @property
    def looks(self) -> tuple[int, ...]:
        """Numbers of repeats after which an interim analysis is made."""
        return self._looks

    @property
    def level(self) -> float:
        """Level of each test of the race in the next interim analysis."""
        return self.alpha / (len(self.looks) * max(int(self.runs.sum()) - 1, 1))

    def analyse(self, part: Evaluation) -> list[bool]:
        """Take the runs since the last analysis, and return which learners are repeated further."""
        self.n_folds = part.plan.n_folds
        values = part.measured(self.measure).values
        self.values = np.hstack([self.values, values])
        self._follow(part, values)
        self.n_repeats += part.plan.n_repeats
        if is_lost(part.status[self.runs]).any():  # the next call has these runs, and decides then
            self.ending = "runs were lost"
            return [False] * len(self.names)
        self._eliminate_failures()
        race = analyse_race(
            self._repeat_losses(), self.runs, self.can_win,
            level=self.level, indifference=self.indifference,
            row_step=self._row_step(part) / self.n_folds,
        )  # fmt: skip
        if self.is_raced and race is not None:
            self._eliminate_beaten(race, part)
        others_hold = race is not None and self._all_hold(part)
        is_open = race is not None and not (self._is_settled(race) and others_hold)
        wanted = self._wanted_by_rules()
        goes_on = self.runs & (wanted | is_open)
        if self.n_repeats >= self.looks[-1]:
            is_picked = race is not None and self._is_settled(race, with_evidence=False)
            self.is_settled = is_picked and others_hold and not (self.runs & wanted).any()
            self.ending = self._settled() if self.is_settled else "the most repeats allowed"
            return [False] * len(self.names)
        for index in np.flatnonzero(self.runs & ~goes_on):
            if goes_on.any():
                self._eliminate(int(index), "the rule holds by then")
        if race is None:
            self.ending = "no learner has a score"
        elif not goes_on.any():
            self.is_settled, self.ending = True, self._settled()
        return [bool(item) for item in goes_on]

    def stopping_history(self) -> StoppingHistory:
        """Return how it went so far."""
        return StoppingHistory(
            self.n_repeats,
            self.looks[-1],
            self.n_folds,
            tuple(repeats for repeats in self.looks if repeats <= self.n_repeats),
            tuple(self.eliminations),
            self.ending,
            self.is_settled,
            self.alpha if self.is_raced else 0.0,
            tuple(
                f"{name}: {state.note}"
                for name, states in zip(self.names, self.states, strict=True)
                for state in states
                if state.note
            ),
        )

    def _settled(self) -> str:
        said = [rule.title for rule in self.verdict_rules]
        said += [f"for every learner, {rule.title}" for rule in self.learner_rules]
        return " and ".join(said)

    def _repeat_losses(self) -> Floats:
        """Return the mean loss of each whole repeat, shape (n_learners, n_repeats)."""
        losses = self.measure.loss(self.values)
        means: Floats = losses.reshape(len(losses), -1, self.n_folds).mean(axis=2)
        return means

    def _eliminate_failures(self) -> None:
        n_splits = self.values.shape[1]
        for index in np.flatnonzero(self.runs):
            if np.isnan(self.values[index]).sum() > MAX_FAILED_SHARE * n_splits:
                self._eliminate(int(index), "too many runs gave no score")

    def _eliminate_beaten(self, race: RaceAnalysis, part: Evaluation) -> None:
        name = self.names[race.leader]
        for index in np.flatnonzero(race.is_out & self.runs):
            if not self._is_evidence_open(int(index), race.leader, part):
                listed = "" if race.is_behind[index] else ", listed before,"
                tied = "" if race.is_behind[index] else " or tied"
                reason = f"{name}{listed} stays ahead{tied} in the long run"
                self._eliminate(int(index), reason, is_beaten=True)

    def _is_evidence_open(self, learner_index: int, leader: int, part: Evaluation) -> bool:
        """Return whether more repeats may decide if a learner is significantly worse."""
        losses = self.measure.loss(self.values)
        differences = losses[learner_index] - losses[leader]
        differences = differences[~np.isnan(differences)]
        n_scores, n_can_win = len(differences), int(self.can_win.sum())
        spread = float(differences.std(ddof=1)) if n_scores > 1 else 0.0
        if spread == 0 or not self.can_win[learner_index]:
            return False
        train, test = part.plan.sizes
        overlap = float(test.mean() / train.mean())  # variance that repeats cannot take away
        level = self.alpha / (n_can_win * (n_can_win - 1))
        mean = float(differences.mean()) / spread
        now = stdtr(n_scores - 1, -mean / (1 / n_scores + overlap) ** 0.5)
        endless = ndtr(-mean / overlap**0.5)
        return bool(now > level / _CLEARLY_SHOWN and endless <= level * _CLEARLY_NOT)

    def _is_settled(self, race: RaceAnalysis, *, with_evidence: bool = True) -> bool:
        """Return whether the race is over; eliminated learners may run on for more evidence."""
        is_open = ~race.is_settled | race.is_out if with_evidence else ~race.is_settled
        return not self.is_raced or not is_open[self.runs & self.can_win].any()

    def _all_hold(self, part: Evaluation) -> bool:
        """Return whether the rules of all learners hold, eliminated ones included."""
        rules = [rule for rule in self.verdict_rules if not isinstance(rule, SettledPick)]
        if not rules:
            return True
        losses = self.measure.loss(self.values)
        asked = np.where(self.runs, losses.shape[1], 0)
        for elimination in self.eliminations:
            asked[self.names.index(elimination.learner)] = elimination.n_repeats * self.n_folds
        was_asked = np.arange(losses.shape[1]) < asked[:, None]
        is_whole = ~(np.isnan(losses) & was_asked).any(axis=0)
        whole_repeats = is_whole.reshape(-1, self.n_folds).all(axis=1)
        if whole_repeats.sum() < _FEWEST_REPEATS:
            return False
        takes_part = self.can_win & ~np.isnan(losses).all(axis=1)
        train, test = part.plan.sizes
        sampling = Sampling(
            part.plan.scheme, int(whole_repeats.sum()), self.n_folds,
            n_train=float(train.mean()), n_test=float(test.mean()), row_step=self._row_step(part),
        )  # fmt: skip
        shared = losses[takes_part][:, np.repeat(whole_repeats, self.n_folds)]
        state = InterimState(shared.T, sampling, self.alpha, self.rope, self.indifference)
        return all(rule.holds(state) for rule in rules)

    def _row_step(self, part: Evaluation) -> float:
        """Return by how much one test row changes the score of a split."""
        return 1 / float(part.plan.sizes[1].max()) if self.measure.is_of_hits else 0.0

    def _eliminate(self, learner_index: int, reason: str, *, is_beaten: bool = False) -> None:
        self.runs[learner_index] = False
        elimination = Elimination(self.names[learner_index], self.n_repeats, reason, is_beaten)
        self.eliminations.append(elimination)

    def _wanted_by_rules(self) -> Bools:
        """Return the learners for which not all rules hold yet."""
        steady = [all(state.steady_at is not None for state in states) for states in self.states]
        return ~np.array(steady, dtype=bool)

    def _follow(self, part: Evaluation, values: Floats) -> None:
        if not self.learner_rules:
            return
        scores = values.reshape(len(values), -1, self.n_folds).mean(axis=2)
        needs_means = any(rule.needs == PROBABILITIES for rule in self.learner_rules)
        for index in np.flatnonzero(self.runs):
            means = part.repeat_probabilities(int(index)) if needs_means else None
            for state in self.states[index]:
                state.add(scores[index], means)

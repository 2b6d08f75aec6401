"""Adaptive repetition: interim analyses, eliminations and the stopping history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtr

from bestofk.evaluation import Evaluation, InterimAnalysis
from bestofk.inference import Sampling
from bestofk.measures import Measure
from bestofk.stopping.active_learners import MAX_FAILED_SHARE
from bestofk.stopping.race import RaceLook, look_at_race, tie_width
from bestofk.stopping.rule import PROBABILITIES, RuleState, StoppingRule
from bestofk.stopping.verdict_rule import InterimState, SettledPick, VerdictRule

MAX_REPEATS = 50
# Folds of more rows than this are large enough to be precise.
LARGE, MAX_REPEATS_OF_LARGE = 50_000, 13
FOLDS = 3
_FIRST_LOOK, _NEXT_LOOK = 5, 1.6
# Evidence is open between the level of a test over the first, and the level times the second.
_CLEARLY_SHOWN, _CLEARLY_NOT = 2.5, 1.25
_FEWEST_REPEATS = 3  # from which rules of all learners are asked


def looks_up_to(max_repeats: int) -> tuple[int, ...]:
    """Return the numbers of repeats after which is asked whether to go on.

    Parameters
    ----------
    max_repeats : int, at least 1
        The last look.

    Returns
    -------
    tuple of int
        From 5 on, each 1.6 times the one before: few, so that taking them into account costs
        little.

    Examples
    --------
    >>> looks_up_to(50)
    (5, 8, 13, 21, 34, 50)
    """
    looks = [min(_FIRST_LOOK, max_repeats)]
    while looks[-1] < max_repeats:
        looks.append(min(round(_NEXT_LOOK * looks[-1]), max_repeats))
    if len(looks) > 1 and looks[-1] < 1.25 * looks[-2]:
        del looks[-2]
    return tuple(looks)


@dataclass(frozen=True)
class Elimination:
    """A learner that was not repeated to the end.

    Parameters
    ----------
    learner : str
        Its name.
    n_repeats : int
        Repeats after which it left; its evidence rests on those.
    reason : str
        Why, in words.
    is_beaten : bool, default=False
        Whether it is out of the race, so that it cannot be best.
    """

    learner: str
    n_repeats: int
    reason: str
    is_beaten: bool = False


@dataclass(frozen=True)
class StoppingHistory:
    """Stopping history of an adaptive comparison.

    Parameters
    ----------
    n_repeats, max_repeats : int
        Repeats of the learners that stayed to the end, and the most allowed.
    n_folds : int
        Folds of each repeat.
    looks : tuple of int
        Repeats after which it was asked whether to go on.
    eliminations : tuple of Elimination
        Who left before, in that order.
    ending : str
        Why it ended, in words.
    is_settled : bool
        Whether the rule was satisfied, rather than repeats or time used up.
    level : float
        Chance that a learner leaves although the long run would name it in place of the leader,
        all looks and learners taken together.
    notes : tuple of str
        What the rules said of single learners.
    """

    n_repeats: int
    max_repeats: int
    n_folds: int
    looks: tuple[int, ...]
    eliminations: tuple[Elimination, ...]
    ending: str
    is_settled: bool
    level: float
    notes: tuple[str, ...] = ()

    def splits_asked_for(self, names: Sequence[str], n_splits: int) -> list[int]:
        """Return on how many splits, the first ones, each learner was to be run.

        Parameters
        ----------
        names : sequence of str
            Learners.
        n_splits : int
            Splits of those who stayed to the end, or were to when it was interrupted.

        Returns
        -------
        list of int
        """
        left = {
            elimination.learner: elimination.n_repeats * self.n_folds
            for elimination in self.eliminations
        }
        return [min(left.get(name, n_splits), n_splits) for name in names]


class AdaptiveRepeats(InterimAnalysis):
    """Repeated cross-validation until all rules hold; learners that can no longer win are dropped.

    The race of `SettledPick`: after each look every learner is held against the leader by
    Student's t over repeats, at a level of alpha / (looks x rivals that still run), so that the
    chance that a learner ever leaves which the long run would name in place of the leader is at
    most alpha (Bonferroni; rivals that have left can lead no more).
    Learners that differ by half the region of equivalence or less are tied, and of those that are
    tied with the lowest mean loss the first in the order given is picked. A tie ends the race as
    a difference does, where the lowest mean would be a coin that no number of repeats settles.
    The pick is settled where no rival can be picked in its place.
    A learner that is out stays while its evidence is open: the corrected t test does not clearly
    show it worse (p at most the Bonferroni level of all ordered pairs over 2.5), nor would it
    clearly fail to with endless repeats of the same mean and spread (p above 1.25 times that
    level). Leaving at the first look that shows it would raise the error rate of the verdict.

    A learner goes on while the race or a rule of all learners is open, or a rule that watches it
    alone does not hold for it yet.

    Parameters
    ----------
    names : sequence of str
        Learners.
    is_baseline : sequence of bool
        Who cannot be best.
    measure : Measure
        The deciding one.
    positive : int or None
        Position of the positive class, where there are two.
    max_repeats : int, default=50
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
        positive: int | None,
        *,
        max_repeats: int = MAX_REPEATS,
        alpha: float = 0.05,
        rope: float = 0.0,
        rules: Sequence[StoppingRule | VerdictRule] = (SettledPick(),),
    ) -> None:
        self.names, self.measure, self.positive = list(names), measure, positive
        self.can_win = ~np.asarray(is_baseline, dtype=bool)
        self.alpha, self.rope, self.rules = alpha, rope, tuple(rules)
        self.of_one = [rule for rule in rules if isinstance(rule, StoppingRule)]
        self.of_all = [rule for rule in rules if isinstance(rule, VerdictRule)]
        self.is_raced = any(isinstance(rule, SettledPick) for rule in rules)
        self.indifference = tie_width(rope) if self.is_raced else 0.0
        # a rule of one learner may hold after any repeat
        every = tuple(range(1, max_repeats + 1))
        self._looks = looks_up_to(max_repeats) if self.of_all else every
        n_learners = len(self.names)
        self.runs = np.ones(n_learners, dtype=bool)
        self.values = np.empty((n_learners, 0))  # per split
        self.watches: list[list[RuleState]] = [[r.watch() for r in self.of_one] for _ in self.names]
        self.eliminations: list[Elimination] = []
        self.n_repeats, self.n_folds, self.ending, self.is_settled = 0, 1, "", False

    @property
    def looks(self) -> tuple[int, ...]:
        """Numbers of repeats after which it is asked."""
        return self._looks

    @property
    def level(self) -> float:
        """Level of each test of the race at the next look."""
        return self.alpha / (len(self._looks) * max(int(self.runs.sum()) - 1, 1))

    def analyse(self, part: Evaluation) -> list[bool]:
        """Take the runs since the last look, and return which learners go on."""
        self.n_folds = part.plan.n_folds
        values = part.measured(self.measure, self.positive).values
        self.values = np.hstack([self.values, values])
        self._watch(part, values)
        self.n_repeats += part.plan.n_repeats
        self._leave_out_failures()
        look = self._look()
        if self.is_raced and look is not None:
            self._leave_behind(look, part)
        others_hold = look is not None and self._all_hold(part)
        is_open = look is not None and not (self._is_settled(look) and others_hold)
        wanted = self._wanted_by_rules()
        goes_on = self.runs & (wanted | is_open)
        if self.n_repeats >= self._looks[-1]:
            is_picked = look is not None and self._is_settled(look, with_evidence=False)
            self.is_settled = is_picked and others_hold and not (self.runs & wanted).any()
            self.ending = self._settled() if self.is_settled else "the most repeats allowed"
            return [False] * len(self.names)
        for index in np.flatnonzero(self.runs & ~goes_on):
            if goes_on.any():
                self._leave(int(index), "the rule holds by then")
        if look is None:
            self.ending = "no learner has a score"
        elif not goes_on.any():
            self.is_settled, self.ending = True, self._settled()
        return [bool(item) for item in goes_on]

    def stopping_history(self) -> StoppingHistory:
        """Return how it went so far."""
        return StoppingHistory(
            self.n_repeats,
            self._looks[-1],
            self.n_folds,
            tuple(look for look in self._looks if look <= self.n_repeats),
            tuple(self.eliminations),
            self.ending,
            self.is_settled,
            self.alpha if self.is_raced else 0.0,
            tuple(
                f"{name}: {watch.note}"
                for name, watches in zip(self.names, self.watches, strict=True)
                for watch in watches
                if watch.note
            ),
        )

    def _settled(self) -> str:
        said = [rule.title for rule in self.of_all]
        said += [f"for every learner, {rule.title}" for rule in self.of_one]
        return " and ".join(said)

    def _repeat_losses(self) -> NDArray[np.float64]:
        """Return the mean loss of each whole repeat, shape (n_learners, n_repeats)."""
        losses = self.measure.loss(self.values)
        means: NDArray[np.float64] = losses.reshape(len(losses), -1, self.n_folds).mean(axis=2)
        return means

    def _leave_out_failures(self) -> None:
        n_splits = self.values.shape[1]
        for index in np.flatnonzero(self.runs):
            if np.isnan(self.values[index]).sum() > MAX_FAILED_SHARE * n_splits:
                self._leave(int(index), "too many runs gave no score")

    def _look(self) -> RaceLook | None:
        return look_at_race(
            self._repeat_losses(), self.runs, self.can_win,
            level=self.level, indifference=self.indifference,
        )  # fmt: skip

    def _leave_behind(self, look: RaceLook, part: Evaluation) -> None:
        name = self.names[look.leader]
        for index in np.flatnonzero(look.is_out & self.runs):
            if not self._is_evidence_open(int(index), look.leader, part):
                stays = (
                    " stays ahead"
                    if look.is_behind[index]
                    else ", listed before, stays ahead or tied"
                )
                self._leave(int(index), f"{name}{stays} in the long run", is_beaten=True)

    def _is_evidence_open(self, place: int, leader: int, part: Evaluation) -> bool:
        """Return whether more repeats may decide if a learner is significantly worse."""
        losses = self.measure.loss(self.values)
        differences = losses[place] - losses[leader]
        differences = differences[~np.isnan(differences)]
        n_scores, n_can_win = len(differences), int(self.can_win.sum())
        spread = float(differences.std(ddof=1)) if n_scores > 1 else 0.0
        if spread == 0 or not self.can_win[place]:
            return False
        train, test = part.plan.sizes
        overlap = float(test.mean() / train.mean())  # variance that repeats cannot take away
        level = self.alpha / (n_can_win * (n_can_win - 1))
        mean = float(differences.mean()) / spread
        now = stdtr(n_scores - 1, -mean / (1 / n_scores + overlap) ** 0.5)
        endless = ndtr(-mean / overlap**0.5)
        return bool(now > level / _CLEARLY_SHOWN and endless <= level * _CLEARLY_NOT)

    def _is_settled(self, look: RaceLook, *, with_evidence: bool = True) -> bool:
        """Return whether the race is over; eliminated learners may run on for more evidence."""
        is_open = ~look.is_settled | look.is_out if with_evidence else ~look.is_settled
        return not self.is_raced or not is_open[self.runs & self.can_win].any()

    def _all_hold(self, part: Evaluation) -> bool:
        """Return whether the rules of all learners hold, those that have left included."""
        rules = [rule for rule in self.of_all if not isinstance(rule, SettledPick)]
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
            n_train=float(train.mean()), n_test=float(test.mean()),
        )  # fmt: skip
        shared = losses[takes_part][:, np.repeat(whole_repeats, self.n_folds)]
        standing = InterimState(shared, sampling, self.alpha, self.rope, self.indifference)
        return all(rule.holds(standing) for rule in rules)

    def _leave(self, place: int, reason: str, *, is_beaten: bool = False) -> None:
        self.runs[place] = False
        self.eliminations.append(Elimination(self.names[place], self.n_repeats, reason, is_beaten))

    def _wanted_by_rules(self) -> NDArray[np.bool_]:
        """Return the learners for which not all rules hold yet."""
        steady = [all(w.steady_at is not None for w in watches) for watches in self.watches]
        return ~np.array(steady, dtype=bool)

    def _watch(self, part: Evaluation, values: NDArray[np.float64]) -> None:
        if not self.of_one:
            return
        scores = values.reshape(len(values), -1, self.n_folds).mean(axis=2)
        needs_means = any(rule.needs == PROBABILITIES for rule in self.of_one)
        for index in np.flatnonzero(self.runs):
            means = part.repeat_probabilities(int(index)) if needs_means else None
            for watch in self.watches[index]:
                watch.add(scores[index], means)

"""Repeat until it is steady: which learners go on after a look, who has left, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestofk.evaluate import Evaluation, InterimAnalysis
from bestofk.measures import Measure
from bestofk.ordering.arms import MAX_FAILED_SHARE
from bestofk.ordering.stopping.race import RaceLook, look_at_race
from bestofk.ordering.stopping.rule import PROBABILITIES, StoppingRule, Watch

MAX_REPEATS = 50
FOLDS = 3
_FIRST_LOOK, _NEXT_LOOK = 5, 1.6
# A long-run difference below this share of the region of equivalence is no reason to go on.
_INDIFFERENT_SHARE = 0.25


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
class Departure:
    """A learner that was not repeated to the end.

    Parameters
    ----------
    learner : str
        Its name.
    n_repeats : int
        Repeats after which it left; its evidence rests on those.
    reason : str
        Why, in words.
    """

    learner: str
    n_repeats: int
    reason: str


@dataclass(frozen=True)
class AdaptiveCourse:
    """How an adaptive comparison went.

    Parameters
    ----------
    n_repeats, max_repeats : int
        Repeats of the learners that stayed to the end, and the most allowed.
    n_folds : int
        Folds of each repeat.
    looks : tuple of int
        Repeats after which it was asked whether to go on.
    departures : tuple of Departure
        Who left before, in that order.
    ending : str
        Why it ended, in words.
    is_settled : bool
        Whether the rule was satisfied, rather than repeats or time used up.
    level : float
        Chance that a learner leaves although it has the lowest mean loss in the long run, all
        looks and learners taken together.
    """

    n_repeats: int
    max_repeats: int
    n_folds: int
    looks: tuple[int, ...]
    departures: tuple[Departure, ...]
    ending: str
    is_settled: bool
    level: float

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
        left = {one.learner: one.n_repeats * self.n_folds for one in self.departures}
        return [min(left.get(name, n_splits), n_splits) for name in names]


class AdaptiveRepeats(InterimAnalysis):
    """Repeat cross-validation until the pick is settled; drop who cannot be the pick any more.

    After each look every learner is held against the leader by Student's t over repeats, at a
    level of alpha / (rivals x looks): so the chance that the learner with the lowest mean loss
    in the long run ever leaves is at most alpha (Bonferroni). The pick is settled where every
    rival that can be best has left or does not differ by an amount that matters. Rules that
    watch one learner alone are asked as well: a learner goes on until all of them hold for it.

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
    is_raced : bool, default=True
        Whether the race decides; False leaves it to the rules, and to `max_repeats`.
    rules : sequence of StoppingRule
        Asked for each learner by itself.
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
        is_raced: bool = True,
        rules: Sequence[StoppingRule] = (),
    ) -> None:
        self.names, self.measure, self.positive = list(names), measure, positive
        self.can_win = ~np.asarray(is_baseline, dtype=bool)
        self.alpha, self.is_raced, self.rules = alpha, is_raced, tuple(rules)
        self.indifference = _INDIFFERENT_SHARE * rope
        # a rule of one learner may hold after any repeat
        self._looks = looks_up_to(max_repeats) if is_raced else tuple(range(1, max_repeats + 1))
        n_learners = len(self.names)
        self.runs = np.ones(n_learners, dtype=bool)
        self.values = np.empty((n_learners, 0))  # per split
        self.watches: list[list[Watch]] = [[r.watch() for r in self.rules] for _ in self.names]
        self.departures: list[Departure] = []
        self.n_repeats, self.n_folds, self.ending, self.is_settled = 0, 1, "", False

    @property
    def looks(self) -> tuple[int, ...]:
        """Numbers of repeats after which it is asked."""
        return self._looks

    @property
    def level(self) -> float:
        """Level of each test of the race."""
        return self.alpha / (max(len(self.names) - 1, 1) * len(self._looks))

    def analyse(self, part: Evaluation) -> list[bool]:
        """Take the runs since the last look, and return which learners go on."""
        self.n_folds = part.plan.n_folds
        values = part.measured(self.measure, self.positive).values
        self.values = np.hstack([self.values, values])
        self._watch(part, values)
        self.n_repeats += part.plan.n_repeats
        self._leave_out_failures()
        look = self._look()
        wanted = self._wanted_by_rules()
        if self.is_raced:
            if look is not None:
                self._leave_behind(look)
            is_open = look is not None and not self._is_settled(look)
            wanted = wanted | is_open
        goes_on = self.runs & wanted
        if self.n_repeats >= self._looks[-1]:
            self.is_settled = not goes_on.any()
            self.ending = self._settled() if self.is_settled else "the most repeats allowed"
            return [False] * len(self.names)
        for place in np.flatnonzero(self.runs & ~goes_on):
            if goes_on.any():
                self._leave(int(place), "the rule holds by then")
        if look is None:
            self.ending = "no learner has a score"
        elif not goes_on.any():
            self.is_settled, self.ending = True, self._settled()
        return [bool(one) for one in goes_on]

    def course(self) -> AdaptiveCourse:
        """Return how it went so far."""
        return AdaptiveCourse(
            self.n_repeats,
            self._looks[-1],
            self.n_folds,
            tuple(look for look in self._looks if look <= self.n_repeats),
            tuple(self.departures),
            self.ending,
            self.is_settled,
            self.alpha if self.is_raced else 0.0,
        )

    def _settled(self) -> str:
        if not self.is_raced:
            return "every learner is steady by itself"
        return "the pick is settled" + (" and every learner is steady" if self.rules else "")

    def _repeat_losses(self) -> NDArray[np.float64]:
        """Return the mean loss of each whole repeat, shape (n_learners, n_repeats)."""
        losses = self.measure.loss(self.values)
        means: NDArray[np.float64] = losses.reshape(len(losses), -1, self.n_folds).mean(axis=2)
        return means

    def _leave_out_failures(self) -> None:
        n_splits = self.values.shape[1]
        for place in np.flatnonzero(self.runs):
            if np.isnan(self.values[place]).sum() > MAX_FAILED_SHARE * n_splits:
                self._leave(int(place), "too many runs gave no score")

    def _look(self) -> RaceLook | None:
        return look_at_race(
            self._repeat_losses(), self.runs, self.can_win,
            level=self.level, indifference=self.indifference,
        )  # fmt: skip

    def _leave_behind(self, look: RaceLook) -> None:
        name = self.names[look.leader]
        for place in np.flatnonzero(look.is_out & self.runs):
            self._leave(int(place), f"{name} stays ahead in the long run")

    def _is_settled(self, look: RaceLook) -> bool:
        rivals = self.runs & self.can_win
        return bool(look.is_alike[rivals].all())

    def _leave(self, place: int, reason: str) -> None:
        self.runs[place] = False
        self.departures.append(Departure(self.names[place], self.n_repeats, reason))

    def _wanted_by_rules(self) -> NDArray[np.bool_]:
        """Return the learners for which not all rules hold yet."""
        steady = [all(w.steady_at is not None for w in watches) for watches in self.watches]
        if not self.rules and not self.is_raced:
            return np.ones(len(self.names), dtype=bool)
        return ~np.array(steady, dtype=bool)

    def _watch(self, part: Evaluation, values: NDArray[np.float64]) -> None:
        if not self.rules:
            return
        scores = values.reshape(len(values), -1, self.n_folds).mean(axis=2)
        needs_means = any(rule.needs == PROBABILITIES for rule in self.rules)
        for place in np.flatnonzero(self.runs):
            means = part.repeat_probabilities(int(place)) if needs_means else None
            for watch in self.watches[place]:
                watch.add(scores[place], means)

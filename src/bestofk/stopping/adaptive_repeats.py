"""Adaptive repetition: the race of learners over repeats, and its interim analyses."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import ndtr, stdtr, stdtrit

from bestofk.array_types import Bools, Floats
from bestofk.evaluation import Evaluation, InterimAnalysis
from bestofk.evaluation.status import is_lost
from bestofk.inference import Sampling
from bestofk.inference.many_learners.mean_losses import lowest_loss
from bestofk.measures import Measure
from bestofk.measures.equivalence import usual_rope
from bestofk.measures.ties import at_most, is_noise
from bestofk.stopping.active_learners import MAX_FAILED_SHARE
from bestofk.stopping.history import Elimination, StoppingHistory
from bestofk.stopping.rule import PROBABILITIES, RuleState, StoppingRule
from bestofk.stopping.verdict_rule import InterimState, SettledPick, VerdictRule

# Losses that differ by less than this share of the largest are the same.
# Half, so that the noise of a mean seldom takes a tie out of the region of equivalence.
_TIED_SHARE = 0.5


def tie_width(rope: float) -> float:
    """Return the largest difference of two mean losses that counts as a tie in an adaptive plan.

    Repeats settle on which side of this two learners are, where those that are equally good keep
    changing places. In a fixed plan nothing is tied: there the best is the lowest mean.

    Parameters
    ----------
    rope : float
        Half the width of the region of practical equivalence.

    Returns
    -------
    float
        Half of that.

    Examples
    --------
    >>> tie_width(0.01)
    0.005
    """
    return _TIED_SHARE * rope


@dataclass(frozen=True, eq=False)
class RaceAnalysis:
    """Result of an interim analysis of the race.

    Parameters
    ----------
    leader : int
        The learner with the lowest mean loss of those that run and can be best.
    pick : int
        The first, in the order given, of those that lag behind the leader by no more than what
        does not matter.
    behind : ndarray of shape (n_learners,), float
        Mean loss of each learner minus that of the leader over the repeats that both have.
    p_values : ndarray of shape (n_learners,), float
        One-sided p values of not being behind the leader in the long run; nan for the leader
        and for learners that do not run.
    is_behind : ndarray of shape (n_learners,), bool
        Learners that surely are behind the leader in the long run.
    is_out : ndarray of shape (n_learners,), bool
        Learners that surely are not picked in place of the leader in the long run.
    is_settled : ndarray of shape (n_learners,), bool
        Learners that surely are not picked in place of the pick; the pick itself.
    is_tied : bool
        Whether no learner surely matters that may be picked in its place: the pick surely is
        not behind by more than what does not matter, and at least one learner would not be
        settled after the most repeats either, if mean and spread stay as they are.
    """

    leader: int
    pick: int
    behind: Floats
    p_values: Floats
    is_behind: Bools
    is_out: Bools
    is_settled: Bools
    is_tied: bool


def analyse_race(
    losses: Floats,
    runs: Bools,
    can_win: Bools,
    *,
    level: float,
    indifference: float = 0.0,
    row_step: float = 0.0,
    max_repeats: int = 0,
) -> RaceAnalysis | None:
    """Compare every learner that runs with the leader, by the repeats that they share.

    Repeats divide the same rows at random and independently of each other, so the differences
    of two learners per repeat are independent draws around their difference in the long run:
    the mean over ever more repeats. Student's t over repeats is a test about that difference,
    which another seed would approach as well; it says nothing about new rows.

    Of two learners the one with the lower mean is picked, but the one given first where they
    differ by no more than `indifference`. So one given before the leader is out once it surely
    is behind by more than that, one given after the leader once it surely is not ahead by more.

    Parameters
    ----------
    losses : ndarray of shape (n_learners, n_repeats)
        Mean loss of each repeat; nan where it is not whole.
    runs : ndarray of shape (n_learners,), bool
        Learners that were not eliminated.
    can_win : ndarray of shape (n_learners,), bool
        Learners that can be best, which baselines cannot.
    level : float in (0, 1)
        Of each one-sided test.
    indifference : float, default=0
        Long-run differences up to this do not matter.
    row_step : float, default=0
        By how much one row that changes side changes the loss of a repeat; 0 where unknown.
    max_repeats : int, default=0
        Repeats at the last analysis; those so far where they are more.

    Returns
    -------
    RaceAnalysis or None
        None where no learner that can win has a whole repeat.

    Notes
    -----
    A learner whose losses equal the leader's in every repeat is taken to do so in the long run
    once 2 to the power of minus the number of repeats is at most `level`. Other differences
    without variance, or in a single repeat, decide nothing; they are taken to vary as much as
    if one row of one repeat changed side.

    Examples
    --------
    >>> losses = np.array([[0.10, 0.12, 0.11, 0.11], [0.31, 0.29, 0.30, 0.32]])
    >>> everyone = np.array([True, True])
    >>> race = analyse_race(losses, everyone, everyone, level=0.01)
    >>> race.leader, race.pick, race.is_out.tolist()
    (0, 0, [False, True])
    """
    shared = ~np.isnan(losses[runs]).any(axis=0)
    rivals = np.flatnonzero(runs & can_win)
    if not shared.any() or not len(rivals):
        return None
    means = losses[:, shared].mean(axis=1)
    leader = int(rivals[lowest_loss(means[rivals])])
    pick = int(rivals[lowest_loss(means[rivals], indifference)])
    scale = np.abs(losses[:, shared][runs]).max()
    difference = partial(_difference, level=level, scale=scale, row_step=row_step, last=max_repeats)
    n_learners = len(losses)
    behind, p_values = np.full(n_learners, np.nan), np.full(n_learners, np.nan)
    is_behind, is_out = np.zeros((2, n_learners), dtype=bool)
    is_settled, is_harmless, stays_open = np.zeros((3, n_learners), dtype=bool)
    behind[leader] = 0.0
    for index in np.flatnonzero(runs):
        if index != leader:
            result = difference(losses[index, shared] - losses[leader, shared])
            behind[index], p_values[index] = result.mean, result.p_value
            is_behind[index] = result.p_value <= level
            if can_win[index] and index < leader:
                is_out[index] = not at_most(result.low, indifference, scale)
                stays_open[index] = at_most(result.last_low, indifference, scale)
            else:
                is_out[index] = at_most(-indifference, result.low, scale)
        is_settled[index] = is_out[index]
        if index != pick:
            result = difference(losses[index, shared] - losses[pick, shared])
            is_harmless[index] = at_most(-indifference, result.low, scale)
            if index > pick != leader:
                is_settled[index] = is_harmless[index]
    is_settled[pick] = True
    is_open = runs & can_win & ~is_settled
    is_tied = bool(is_harmless[is_open].all() and stays_open[is_open].any())
    return RaceAnalysis(leader, pick, behind, p_values, is_behind, is_out, is_settled, is_tied)


@dataclass(frozen=True)
class _Difference:
    mean: float
    p_value: float  # of a long-run difference of at most 0
    low: float  # one-sided bound of the long-run difference
    last_low: float  # the same after the most repeats, if mean and spread stay as they are


def _difference(
    differences: Floats, *, level: float, scale: float, row_step: float, last: int
) -> _Difference:
    mean, error = _mean_and_error(differences, scale)
    n_repeats = len(differences)
    counts = np.array([n_repeats, max(n_repeats, last)])
    if mean == error == 0:
        return _Difference(0.0, 1.0, *np.where(0.5**counts <= level, 0.0, -np.inf).tolist())
    error = max(error, row_step / n_repeats)
    if error == 0 or n_repeats == 1:
        return _Difference(mean, 1.0, -np.inf, -np.inf)
    p_value = float(stdtr(n_repeats - 1, -mean / error))
    errors = error * (n_repeats / counts) ** 0.5
    return _Difference(mean, p_value, *(mean - errors * stdtrit(counts - 1, 1 - level)).tolist())


def _mean_and_error(differences: Floats, scale: float) -> tuple[float, float]:
    """Return mean and standard error; both are 0 where they are rounding noise."""
    mean = float(differences.mean())
    n_repeats = len(differences)
    error = float(differences.std(ddof=1)) / n_repeats**0.5 if n_repeats > 1 else 0.0
    mean, error = np.where(is_noise([mean, error], scale), 0.0, [mean, error]).tolist()
    return mean, error


MAX_REPEATS = 20
FOLDS = 5
_FIRST, _GROWTH = 5, 1.6
# Evidence is open between the level of a test over the first, and the level times the second.
_CLEARLY_SHOWN, _CLEARLY_NOT = 2.5, 1.25
_TIED = "no other learner is better by more than a tie, and more repeats would hardly break it"
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
    chance of ever eliminating a learner that the long run would pick in place of the leader is at
    most alpha (Bonferroni; eliminated rivals can lead no more). Learners that differ by half the
    region of equivalence or less are tied, and of those that are tied with the lowest mean loss the
    first in the order given is picked. A tie ends the race as a difference does, where the lowest
    mean would be down to chance however many repeats follow. The pick is settled where no rival can
    be picked in its place. It also ends where which of several is picked does not matter, and more
    repeats would not settle it: `RaceAnalysis.is_tied`. A learner that is out stays while its
    evidence is open: the corrected t test does not clearly show it worse (p at most the Bonferroni
    level of all ordered pairs over 2.5), nor would it clearly fail to with endless repeats of the
    same mean and spread (p above 1.25 times that level). Elimination in the first analysis that
    shows it would raise the error rate of the verdict.

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
    rope : float or None, default=0
        Half the width of the region of practical equivalence, in the unit of the measure; None
        for the usual one at the losses of each analysis.
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
        rope: float | None = 0.0,
        rules: Sequence[StoppingRule | VerdictRule] = (SettledPick(),),
    ) -> None:
        self.names, self.measure = list(names), measure
        self.can_win = ~np.asarray(is_baseline, dtype=bool)
        self.alpha, self.asked_rope, self.rules = alpha, rope, tuple(rules)
        self.learner_rules = [rule for rule in rules if isinstance(rule, StoppingRule)]
        self.verdict_rules = [rule for rule in rules if isinstance(rule, VerdictRule)]
        self.is_raced = any(isinstance(rule, SettledPick) for rule in rules)
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
    def rope(self) -> float:
        """Half the width of the region of practical equivalence, by the losses so far."""
        if self.asked_rope is not None:
            return self.asked_rope
        return usual_rope(self.measure, self.measure.loss(self.values[self.can_win]))

    @property
    def indifference(self) -> float:
        """Largest difference of mean losses that counts as a tie."""
        return tie_width(self.rope) if self.is_raced else 0.0

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
            row_step=self._row_step(part) / self.n_folds, max_repeats=self.looks[-1],
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
            self.ending = self._settled(race) if self.is_settled else "the most repeats allowed"
            return [False] * len(self.names)
        for index in np.flatnonzero(self.runs & ~goes_on):
            if goes_on.any():
                self._eliminate(int(index), "the rule holds by then")
        if race is None:
            self.ending = "no learner has a score"
        elif not goes_on.any():
            self.is_settled, self.ending = True, self._settled(race)
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

    def _settled(self, race: RaceAnalysis | None) -> str:
        titles = {SettledPick.name: _TIED} if race is not None and race.is_tied else {}
        said = [titles.get(rule.name, rule.title) for rule in self.verdict_rules]
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
        is_open = np.zeros_like(race.is_settled) if race.is_tied else ~race.is_settled
        is_open |= race.is_out & with_evidence
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

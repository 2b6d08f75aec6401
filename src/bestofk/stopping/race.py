"""Race of learners over repeats: those that can still be picked, and those eliminated."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import stdtr, stdtrit

from bestofk.array_types import Bools, Floats
from bestofk.inference.many_learners.mean_losses import lowest_loss
from bestofk.measures.ties import at_most, is_noise

# Losses that differ by less than this share of the largest are the same.
# Half, so that the noise of a mean seldom takes a tie out of the region of equivalence.
_TIED_SHARE = 0.5


def tie_width(rope: float) -> float:
    """Return by how much two mean losses differ at most that an adaptive comparison takes as tied.

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
    """

    leader: int
    pick: int
    behind: Floats
    p_values: Floats
    is_behind: Bools
    is_out: Bools
    is_settled: Bools


def analyse_race(
    losses: Floats,
    runs: Bools,
    can_win: Bools,
    *,
    level: float,
    indifference: float = 0.0,
    row_step: float = 0.0,
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
    difference = partial(_difference, level=level, scale=scale, row_step=row_step)
    n_learners = len(losses)
    behind, p_values = np.full(n_learners, np.nan), np.full(n_learners, np.nan)
    is_behind, is_out = np.zeros(n_learners, dtype=bool), np.zeros(n_learners, dtype=bool)
    is_settled = np.zeros(n_learners, dtype=bool)
    behind[leader] = 0.0
    for index in np.flatnonzero(runs):
        if index != leader:
            result = difference(losses[index, shared] - losses[leader, shared])
            behind[index], p_values[index] = result.mean, result.p_value
            is_behind[index] = result.p_value <= level
            if can_win[index] and index < leader:
                is_out[index] = not at_most(result.low, indifference, scale)
            else:
                is_out[index] = at_most(-indifference, result.low, scale)
        is_settled[index] = is_out[index]
        if index > pick and pick != leader:
            result = difference(losses[index, shared] - losses[pick, shared])
            is_settled[index] = at_most(-indifference, result.low, scale)
    is_settled[pick] = True
    return RaceAnalysis(leader, pick, behind, p_values, is_behind, is_out, is_settled)


@dataclass(frozen=True)
class _Difference:
    mean: float
    p_value: float  # of a long-run difference of at most 0
    low: float  # one-sided bound of the long-run difference


def _difference(differences: Floats, *, level: float, scale: float, row_step: float) -> _Difference:
    mean, error = _mean_and_error(differences, scale)
    n_repeats = len(differences)
    if mean == error == 0:
        return _Difference(0.0, 1.0, 0.0 if 0.5**n_repeats <= level else -np.inf)
    error = max(error, row_step / n_repeats)
    if error == 0 or n_repeats == 1:
        return _Difference(mean, 1.0, -np.inf)
    p_value = float(stdtr(n_repeats - 1, -mean / error))
    return _Difference(mean, p_value, mean - error * float(stdtrit(n_repeats - 1, 1 - level)))


def _mean_and_error(differences: Floats, scale: float) -> tuple[float, float]:
    """Return mean and standard error; both are 0 where they are rounding noise."""
    mean = float(differences.mean())
    n_repeats = len(differences)
    error = float(differences.std(ddof=1)) / n_repeats**0.5 if n_repeats > 1 else 0.0
    mean, error = np.where(is_noise([mean, error], scale), 0.0, [mean, error]).tolist()
    return mean, error

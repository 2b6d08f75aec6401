"""Who can still have the lowest mean loss of many repeats, and who is out of the race."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

# Losses that differ by less than this share of the largest are the same.
_NOISE = 1e-12


@dataclass(frozen=True, eq=False)
class RaceLook:
    """What a look at the race says.

    Parameters
    ----------
    leader : int
        The learner with the lowest mean loss of those that run and can be best.
    behind : ndarray of shape (n_learners,), float
        Mean loss of each learner minus that of the leader over the repeats that both have.
    p_values : ndarray of shape (n_learners,), float
        One-sided p values of not being behind the leader in the long run; nan for the leader
        and for learners that do not run.
    is_out : ndarray of shape (n_learners,), bool
        Learners that cannot have the lowest mean loss of many repeats any more.
    is_alike : ndarray of shape (n_learners,), bool
        Learners whose long-run difference from the leader does not matter.
    """

    leader: int
    behind: NDArray[np.float64]
    p_values: NDArray[np.float64]
    is_out: NDArray[np.bool_]
    is_alike: NDArray[np.bool_]


def look_at_race(
    losses: NDArray[np.float64],
    runs: NDArray[np.bool_],
    can_win: NDArray[np.bool_],
    *,
    level: float,
    indifference: float = 0.0,
) -> RaceLook | None:
    """Compare every learner that runs with the leader, by the repeats that they share.

    Repeats divide the same rows at random and independently of each other, so the differences
    of two learners per repeat are independent draws around their difference in the long run:
    the mean over ever more repeats. Student's t over repeats is a test about that difference,
    which another seed would approach as well; it says nothing about new rows.

    Parameters
    ----------
    losses : ndarray of shape (n_learners, n_repeats)
        Mean loss of each repeat; nan where it is not whole.
    runs : ndarray of shape (n_learners,), bool
        Who has not left.
    can_win : ndarray of shape (n_learners,), bool
        Who can be best, which baselines cannot.
    level : float in (0, 1)
        Of each one-sided test.
    indifference : float, default=0
        Long-run differences up to this do not matter.

    Returns
    -------
    RaceLook or None
        None where no learner that can win has a whole repeat.

    Notes
    -----
    Where the differences do not vary, or fewer than two repeats are shared, there is no t: then
    the sign test decides, whose p value is 2 to the power of minus the number of repeats.

    Examples
    --------
    >>> losses = np.array([[0.10, 0.12, 0.11, 0.11], [0.31, 0.29, 0.30, 0.32]])
    >>> everybody = np.array([True, True])
    >>> look = look_at_race(losses, everybody, everybody, level=0.01)
    >>> look.leader, look.is_out.tolist()
    (0, [False, True])
    """
    shared = ~np.isnan(losses[runs]).any(axis=0)
    if not shared.any() or not (runs & can_win).any():
        return None
    means = np.where(runs & can_win, np.round(losses[:, shared].mean(axis=1), 12), np.inf)
    leader = int(np.argmin(means))
    n_learners = len(losses)
    behind, p_values = np.full(n_learners, np.nan), np.full(n_learners, np.nan)
    is_out, is_alike = np.zeros(n_learners, dtype=bool), np.zeros(n_learners, dtype=bool)
    is_alike[leader], behind[leader] = True, 0.0
    for rival in np.flatnonzero(runs):
        if rival == leader:
            continue
        differences = losses[rival, shared] - losses[leader, shared]
        mean, error = _mean_and_error(differences, np.abs(losses[:, shared][runs]).max())
        n_repeats, behind[rival] = len(differences), mean
        by_sign = 0.5**n_repeats
        if error == 0:
            p_values[rival] = 1.0 if mean == 0 else by_sign if mean > 0 else 1 - by_sign
            width = 0.0 if by_sign <= level else np.inf
        else:
            p_values[rival] = stdtr(n_repeats - 1, -mean / error)
            width = error * stdtrit(n_repeats - 1, 1 - level)
        is_out[rival] = p_values[rival] <= level
        is_alike[rival] = abs(mean) + width <= indifference
    return RaceLook(leader, behind, p_values, is_out, is_alike)


def _mean_and_error(differences: NDArray[np.float64], scale: float) -> tuple[float, float]:
    """Return mean and standard error; both are 0 where they are rounding noise."""
    mean = float(differences.mean())
    n_repeats = len(differences)
    error = float(differences.std(ddof=1)) / n_repeats**0.5 if n_repeats > 1 else 0.0
    noise = _NOISE * scale
    return (0.0 if abs(mean) <= noise else mean), (0.0 if error <= noise else error)

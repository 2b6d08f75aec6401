"""Robustness of a claim against the rounding of its table and the loss of a row or column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestofk.array_types import Floats
from bestofk.audits.claim import Claim
from bestofk.inference.many_data_sets.ranks import mid_ranks
from bestofk.randomness import derive_rng

_N_DRAWS = 2_000  # of values inside their rounding, where no bound is exact


@dataclass(frozen=True)
class Rounding:
    """Robustness of a claim against the rounding of the printed values.

    Parameters
    ----------
    n_moved : int
        The fewest values (for mean ranks, data sets) that must move to undo the claim; 0 where
        none can.
    share : float
        Share of draws that undo the claim, uniform inside the rounding; nan where bounds are exact.
    """

    n_moved: int
    share: float = np.nan

    @property
    def flips(self) -> bool:
        """Whether the claim can fall inside the rounding."""
        return self.n_moved > 0 or self.share > 0


def rounding(claim: Claim, losses: Floats, steps: Floats) -> Rounding:
    """Return whether values inside their rounding can undo a claim that holds.

    The bound is exact for means and mean ranks; for significance, values are drawn.

    Parameters
    ----------
    claim : Claim
        Holds for `losses`.
    losses : ndarray of shape (n_data_sets, n_learners), float
        As printed.
    steps : ndarray of the same shape, float
        The unit of the last digit of each.
    """
    half = steps / 2
    found = [_fewest_moved(claim, losses, half, rival) for rival in claim.rivals]
    n_moved = min((n for n in found if n), default=0)
    if not claim.is_significant or n_moved:
        return Rounding(n_moved)
    rng = derive_rng("rounding of a published table", claim.names, losses.shape)
    drawn = losses + rng.uniform(-1, 1, (_N_DRAWS, *losses.shape)) * half
    return Rounding(0, float(1 - claim.holds(drawn).mean()))


def _fewest_moved(claim: Claim, losses: Floats, half: Floats, rival: int) -> int:
    """Return how many values, or data sets, must move so that a rival draws level; 0 for never."""
    own = claim.learner
    if claim.by_rank:
        ranks = mid_ranks(losses)
        now = ranks[:, own] - ranks[:, rival]
        gains = np.sort(_worst_rank_differences(losses, half, own, rival) - now)[::-1]
        needed = -now.sum()
    else:
        gains = np.sort(np.concatenate([half[:, own], half[:, rival]]))[::-1]
        needed = float((losses[:, rival] - losses[:, own]).sum())
    reached = np.cumsum(gains) >= needed - 1e-12 * max(1.0, abs(needed))
    return int(np.argmax(reached)) + 1 if reached.any() else 0


def _worst_rank_differences(losses: Floats, half: Floats, own: int, rival: int) -> Floats:
    """Return how far behind the rival the learner can be on each data set, in ranks."""
    above, below = losses[:, own] + half[:, own], losses[:, rival] - half[:, rival]
    others = [i for i in range(losses.shape[1]) if i not in (own, rival)]
    low, high = losses[:, others] - half[:, others], losses[:, others] + half[:, others]
    # neighbors in print meet at the ends of their rounding, which passes nothing
    near = 1e-9 * max(1.0, float(np.abs(losses).max()))
    is_exact = half[:, own] + half[:, rival] == 0
    behind = np.where(above > below + near, 1, np.where(is_exact & (above == below), 0, -1))
    between = (low < above[:, None] - near) & (high > below[:, None] + near)
    forced = (low > above[:, None] - near) & (high < below[:, None] + near)
    moved = np.where((behind > 0)[:, None], between, -forced.astype(int)).sum(axis=1)
    return np.asarray(moved + behind)


def decisive_data_sets(claim: Claim, losses: Floats) -> list[int]:
    """Return the data sets whose removal, one at a time, undoes a claim that holds."""
    n = len(losses)
    if n < 2:
        return []
    parts = np.stack([np.delete(losses, i, axis=0) for i in range(n)])
    return np.flatnonzero(~claim.holds(parts)).tolist()


def decisive_learners(claim: Claim, losses: Floats) -> list[int]:
    """Return the other learners whose removal, one at a time, undoes a claim that holds."""
    others = [i for i in range(len(claim.names)) if i != claim.learner]
    return [
        i
        for i in others
        if (claim.without(i).rivals) and not claim.without(i).holds(np.delete(losses, i, axis=1))
    ]

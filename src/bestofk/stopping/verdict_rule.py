"""Interface of stopping rules that look at all learners, and the rule for a settled pick."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from bestofk.array_types import Floats
from bestofk.inference import PairedComparison, Sampling
from bestofk.inference.many_learners.mean_losses import lowest_loss
from bestofk.inference.many_learners.pair_evidence import compare_on_splits


@dataclass(frozen=True, eq=False)
class InterimState:
    """Evidence after an interim analysis about the learners that can be best.

    Parameters
    ----------
    losses : ndarray of shape (n_splits, n_learners)
        Lower is better; nan from where a learner was repeated no further.
    sampling : Sampling
        How the splits were made.
    alpha : float
        Level of the family of tests.
    rope : float
        Half the width of the region of practical equivalence.
    indifference : float, default=0
        Mean losses up to this above the lowest are tied with it.
    """

    losses: Floats
    sampling: Sampling
    alpha: float
    rope: float
    indifference: float = 0.0

    @property
    def repeat_losses(self) -> Floats:
        """Mean loss of each repeat, shape (n_repeats, n_learners)."""
        shape = (self.losses.shape[1], -1, self.sampling.n_folds)
        means: Floats = self.losses.T.reshape(shape).mean(axis=2).T
        return means

    @property
    def leader(self) -> int:
        """The learner with the lowest mean loss of those that were repeated to the end."""
        whole = np.flatnonzero(~np.isnan(self.losses).any(axis=0))
        return int(whole[lowest_loss(self.losses.T[whole].mean(axis=1), self.indifference)])

    @cached_property
    def compared(self) -> PairedComparison | None:
        """Corrected t test of every pair; None with a single score."""
        evidence = compare_on_splits(self.losses, "corrected-t", self.sampling, is_complete=False)
        return None if evidence is None else evidence.compared


@dataclass(frozen=True)
class VerdictRule(ABC):
    """Stopping rule that looks at all learners and continues with all of them or none.

    Attributes
    ----------
    name : str
        As users write it.
    """

    name: ClassVar[str]

    @property
    @abstractmethod
    def title(self) -> str:
        """The rule in words, with its threshold."""

    def holds(self, state: InterimState) -> bool:
        """Return whether no more repeats are wanted; one learner alone wants none."""
        if state.losses.shape[1] < 2:
            return True
        compared = state.compared
        return compared is not None and self._is_enough(state, compared)

    @abstractmethod
    def _is_enough(self, state: InterimState, compared: PairedComparison) -> bool:
        """Return whether it holds for several learners, and what the test says of them."""


@dataclass(frozen=True)
class SettledPick(VerdictRule):
    """Stopping rule that ends once no other learner can be picked; see `race.py`.

    The race eliminates learners one by one, so `AdaptiveRepeats` holds it itself.

    Examples
    --------
    >>> SettledPick().title
    'the pick is settled'
    """

    name: ClassVar[str] = "settled-pick"

    @property
    def title(self) -> str:
        """The rule in words."""
        return "the pick is settled"

    def _is_enough(self, state: InterimState, compared: PairedComparison) -> bool:
        return True  # the race says itself which learners are repeated further

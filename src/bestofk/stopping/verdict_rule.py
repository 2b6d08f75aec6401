"""Stopping rules that look at all learners: what such a rule is, and those that there are."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from bestofk.array_types import Floats
from bestofk.inference import PairedComparison, Sampling
from bestofk.inference.checks import learner_names
from bestofk.inference.many_learners.mean_losses import lowest_loss
from bestofk.inference.many_learners.pair_evidence import compare_on_splits
from bestofk.inference.many_learners.repeated_estimates import last_crossing
from bestofk.inference.many_learners.reseeding import reseed
from bestofk.stopping.rule import RepeatRule


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
class VerdictRule(RepeatRule):
    """Stopping rule that looks at all learners and continues with all of them or none.

    Attributes
    ----------
    name : str
        As users write it.
    """

    def holds(self, state: InterimState) -> bool:
        """Return whether repeating can stop; a single learner needs no repeats."""
        if state.losses.shape[1] < 2:
            return True
        compared = state.compared
        return compared is not None and self._is_enough(state, compared)

    @abstractmethod
    def _is_enough(self, state: InterimState, compared: PairedComparison) -> bool:
        """Return whether it holds for several learners, and what the test says of them."""


@dataclass(frozen=True)
class SettledPick(VerdictRule):
    """Stopping rule that ends once no other learner can be picked; see `analyse_race`.

    It also ends at a tie that does not matter and that the repeats allowed would hardly settle.
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


@dataclass(frozen=True)
class SameVerdict(VerdictRule):
    """Stopping rule that ends once another seed is likely to give the same pick and candidates.

    Parameters
    ----------
    share : float in (0, 1), default=0.9
        How likely, estimated from the repeats so far; see `bestofk.verdict.Reseeding`.

    Raises
    ------
    InvalidArgumentError
        If `share` is not inside (0, 1).

    Notes
    -----
    Learners near the border of being shown worse may keep it from ever holding: then the most
    repeats allowed end it.

    Examples
    --------
    >>> SameVerdict(0.95).title
    'another seed is at least 95% likely to give the same lowest mean and candidates'
    """

    name: ClassVar[str] = "same-verdict"
    share: float = 0.9

    @property
    def title(self) -> str:
        """The rule in words, with its threshold."""
        return (
            f"another seed is at least {100 * self.share:g}% likely to give the same lowest mean "
            "and candidates"
        )

    def _is_enough(self, state: InterimState, compared: PairedComparison) -> bool:
        reseeding = reseed(
            state.losses,
            np.arange(len(state.losses)) // state.sampling.n_folds,
            compared,
            best=state.leader,
            alpha=state.alpha,
            indifference=state.indifference,
        )
        if reseeding is None or reseeding.best is None or reseeding.candidates is None:
            return False
        return min(reseeding.best.value, reseeding.candidates.value) >= self.share


@dataclass(frozen=True)
class Precision(VerdictRule):
    """Stopping rule that ends once differences from the leader are precise to within `rope`.

    A difference is settled once its interval, by the corrected t test [1]_, lies outside or inside
    the region. For the others, half the interval must be at most half the region. More repeats
    cannot make an interval arbitrarily narrow, since they divide the same rows: it is enough to be
    near the width that endless repeats would leave.

    Parameters
    ----------
    excess : float in (0, 1), default=0.1
        How much wider than that width an interval may be.

    Raises
    ------
    InvalidArgumentError
        If `excess` is not inside (0, 1).

    References
    ----------
    .. [1] Nadeau & Bengio (2003), Inference for the generalization error, Machine Learning 52.

    Examples
    --------
    >>> Precision().title
    'every difference from the leader is as precise as repeats can make it (to 10%)'
    """

    name: ClassVar[str] = "precision"
    excess: float = 0.1

    @property
    def title(self) -> str:
        """The rule in words, with its threshold."""
        return (
            "every difference from the leader is as precise as repeats can make it (to "
            f"{100 * self.excess:g}%)"
        )

    def _is_enough(self, state: InterimState, compared: PairedComparison) -> bool:
        leader, rope = state.leader, state.rope
        low, high = (limit[:, leader] for limit in compared.confidence_interval(1 - state.alpha))
        half = (high - low) / 2
        is_decided = (low > rope) | (high < -rope) | ((low >= -rope) & (high <= rope))
        n_shared = (~np.isnan(state.losses)).sum(axis=0)
        sampling = state.sampling
        assert sampling.n_test is not None  # the corrected t test needs them
        assert sampling.n_train is not None
        ratio = sampling.n_test / sampling.n_train
        endless = -ndtri(state.alpha / 2) * compared.standard_error[:, leader]
        endless *= np.sqrt(ratio / (1 / n_shared + ratio))
        is_enough = is_decided | (half <= np.maximum(rope, (1 + self.excess) * endless))
        is_enough[leader] = True
        return bool(is_enough.all())


@dataclass(frozen=True)
class NoCrossing(VerdictRule):
    """Stopping rule that ends once no two running means crossed for a share of the repeats.

    Parameters
    ----------
    quiet_share : float in (0, 1), default=0.5
        The last share of all repeats in which no two learners changed order. It is a share
        because a running mean of r repeats moves by about 1 / r: after many repeats, a fixed
        number of quiet ones means little.

    Raises
    ------
    InvalidArgumentError
        If `quiet_share` is not inside (0, 1).

    Notes
    -----
    When not to trust it. It looks back: more repeats may bring another crossing, and the point
    where running means cross for the last time cannot be known for certain [1]_. Two learners
    with the same long-run mean cross forever, so the most repeats allowed end it; they may also
    stay apart by chance for long. Every learner that can be best counts, near the lead or not.

    References
    ----------
    .. [1] Raeder, Hoens & Chawla (2010), Consequences of variability in classifier performance
       estimates, IEEE International Conference on Data Mining, section IV.A.

    Examples
    --------
    >>> NoCrossing(0.6).title
    'no two running means crossed in the last 60% of the repeats'
    """

    name: ClassVar[str] = "no-crossing"
    quiet_share: float = 0.5

    @property
    def title(self) -> str:
        """The rule in words, with its threshold."""
        return (
            f"no two running means crossed in the last {100 * self.quiet_share:g}% of the repeats"
        )

    def holds_after(self, values: ArrayLike) -> bool:
        """Return whether the rule holds after some repeats.

        Parameters
        ----------
        values : array-like of shape (n_repeats, n_learners), float
            Mean score of each repeat.

        Returns
        -------
        bool
        """
        n_repeats, n_learners = np.shape(values)
        names = learner_names(None, n_learners)  # early on they are more than the repeats
        return bool(last_crossing(values, names=names).max() <= (1 - self.quiet_share) * n_repeats)

    def _is_enough(self, state: InterimState, compared: PairedComparison) -> bool:
        return self.holds_after(state.repeat_losses)

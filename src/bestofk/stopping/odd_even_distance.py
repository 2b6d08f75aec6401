"""Stopping rule: similar score distributions of odd and even repeats."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bestofk.array_types import Bools, Floats
from bestofk.inference.checks import check_share
from bestofk.measures.ties import is_noise
from bestofk.stopping.rule import VALUES, RuleState, StoppingRule

_EQUAL = (
    "The scores of the first two repeats are equal, which alone makes the odd-even distance 0 "
    "there: few distinct scores end it early."
)
# Scores that agree in twelve significant digits tie.


@dataclass(frozen=True)
class OddEvenDistance(StoppingRule):
    """Stopping rule that ends once odd and even repeats have nearly the same score distribution.

    The largest distance D of their two empirical distribution functions, as in the test of
    Kolmogorov and Smirnov; the rule holds at the first r >= 2 where D is below `threshold` [1]_.

    Parameters
    ----------
    threshold : float in (0, 1), default=0.1
        The paper compares 0.1 and 0.2.

    Raises
    ------
    InvalidArgumentError
        If the threshold is not inside (0, 1).

    Notes
    -----
    When not to trust it. Where no two scores are equal, the number of repeats is chance: D of two
    samples of one continuous distribution does not depend on that distribution, so steady and
    unsteady learners need as many, 48 on average at 0.2 and about 200 at 0.1. Small data sets
    give few distinct scores, and then ties end it early: with two equal scores D is 0 after two
    repeats.

    D is a ratio of whole numbers, rounded once, so D = 3/10 - 2/10 is 0.1 and not below it.
    Scores that agree in 12 significant digits tie.

    References
    ----------
    .. [1] Raeder, Hoens & Chawla (2010), Consequences of variability in classifier performance
       estimates, IEEE International Conference on Data Mining.

    Examples
    --------
    >>> state = OddEvenDistance(0.4).start()
    >>> state.add([0.7, 0.8, 0.9, 0.7, 0.8, 0.9])
    >>> state.path.round(2).tolist(), state.steady_at
    ([nan, 1.0, 0.5, 0.5, 0.33, 0.0], 5)
    """

    threshold: float = 0.1
    name: ClassVar[str] = "odd-even"
    needs: ClassVar[str] = VALUES

    def __post_init__(self) -> None:
        check_share(self.threshold, "threshold of odd-even")

    @property
    def title(self) -> str:
        """The rule in words."""
        return (
            "Kolmogorov-Smirnov distance between scores of odd and even repeats below "
            f"{self.threshold:g}"
        )

    def start(self) -> RuleState:
        """Return the state of a learner before its first repeat."""
        return _DistanceState(self.threshold)


class _DistanceState(RuleState):
    """Distinct scores of one learner in ascending order, and which of them each repeat had."""

    def __init__(self, threshold: float) -> None:
        super().__init__(threshold)
        self._ascending: list[float] = []
        self._names: list[int] = []  # of the distinct scores: how many there were before each
        self._seen: list[int] = []  # the name of the score of each repeat

    def _follow(self, values: Floats, means: Floats | None) -> tuple[Floats, Bools]:
        distances = np.full(len(values), np.nan)
        n_usable = self._before_gap(np.isfinite(values), "Scores")
        n_after = self.n_repeats + n_usable
        if n_usable:
            self._seen += [self._name(value) for value in values[:n_usable].tolist()]
            distances[:n_usable] = self._distances()
        if self.n_repeats == 0:
            distances[0] = np.nan  # no even repeat yet
        holds = distances < self._threshold
        if self.n_repeats < 2 <= n_after and holds[1 - self.n_repeats]:
            self._say(_EQUAL)
        return distances, holds

    def _name(self, value: float) -> int:
        """Return the name of a score, which is inserted in order unless it equals another."""
        index = bisect_right(self._ascending, value)
        for near in (index - 1, index):
            if 0 <= near < len(self._ascending):
                other = self._ascending[near]
                if is_noise(value - other, max(abs(value), abs(other))):
                    return self._names[near]
        self._ascending.insert(index, value)
        self._names.insert(index, len(self._names))
        return self._names[index]

    def _distances(self) -> Floats:
        """Return the distance after each repeat that was not looked at before."""
        position_of = np.argsort(self._names)
        positions = position_of[self._seen]
        n_scores, n_before = len(self._names), self.n_repeats
        # at each score, how many odd and how many even repeats are at most that
        counts = np.stack(
            [np.bincount(positions[parity:n_before:2], minlength=n_scores) for parity in (0, 1)]
        ).cumsum(axis=1)
        distances = np.empty(len(positions) - n_before)
        for k, position in enumerate(positions[n_before:].tolist()):
            n = n_before + k + 1
            n_odd, n_even = (n + 1) // 2, n // 2
            counts[(n - 1) % 2, position:] += 1
            gaps = counts[0] * n_even - counts[1] * n_odd
            distances[k] = max(int(gaps.max()), -int(gaps.min())) / (n_odd * max(n_even, 1))
        return distances

"""Stopping rule: a stable order of the rows by their mean probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bestofk.array_types import Bools, Floats, Ints
from bestofk.errors import InvalidArgumentError
from bestofk.inference.checks import check_share
from bestofk.stopping.rule import PROBABILITIES, RuleState, StoppingRule

_CONSTANT = (
    "All rows have the same mean class probabilities, so their rank correlation is undefined; "
    "they are taken as steady."
)
_NO_PROBABILITIES = (
    "means of a rule state must be probabilities, from 0 to 1; got from {low:g} to {high:g}. "
    "Give class probabilities."
)
_OTHER_ROWS = (
    "means of a rule state must have the same rows and classes in all repeats, {before}; got "
    "{now}. Follow every data set by itself."
)
# By how much a probability may be below 0 or above 1.
_ROUNDING = 1e-9
# Means are compared in twelve decimals.
_DECIMALS = 1e12


@dataclass(frozen=True)
class RankCorrelation(StoppingRule):
    """Stopping rule that ends once the running mean class probabilities keep their order.

    Spearman's rank correlation between the mean class probabilities of all rows after r and after
    r - 1 repeats; the rule holds at the first r >= 2 where it is at least `threshold` [1]_.

    Parameters
    ----------
    threshold : float in (0, 1), default=1 - 1e-4
        Of two classes the probabilities of the second are ranked, of more those of all classes
        together.

    Raises
    ------
    InvalidArgumentError
        If the threshold is not inside (0, 1).

    Notes
    -----
    When not to trust it. Each mean contains the one before, so the correlation tends to 1
    whatever the learner does: where rows differ by noise alone it is near 1 - 0.55 / r, and where
    they also differ in truth, near 1 - 0.55 w / r^2 with w the variance between repeats as a
    share of that between rows (both normal, many rows; with few it is lower). So it measures r as
    much as steadiness: it says that one more repeat changes little, not that the means are near
    their limits, and nothing of scores.

    Means are compared in 12 decimals, ties share the mean rank, and sums of ranks are exact: the
    same order gives exactly 1. If all rows tie, before and after, the correlation is undefined
    (nan): that is taken as steady, with a note. If they tie only before or only after, it is nan
    and the rule does not hold.

    References
    ----------
    .. [1] Raeder, Hoens & Chawla (2010), Consequences of variability in classifier performance
       estimates, IEEE International Conference on Data Mining.

    Examples
    --------
    >>> second = np.array([[0.1, 0.4, 0.9], [0.3, 0.2, 0.8], [0.3, 0.2, 0.8]])
    >>> state = RankCorrelation().start()
    >>> state.add([0.7, 0.8, 0.8], np.stack([1 - second, second], axis=2))
    >>> state.path.tolist(), state.steady_at
    ([nan, 1.0, 1.0], 2)
    """

    threshold: float = 1 - 1e-4
    name: ClassVar[str] = "rank-correlation"
    needs: ClassVar[str] = PROBABILITIES

    def __post_init__(self) -> None:
        check_share(self.threshold, "threshold of rank-correlation")

    @property
    def title(self) -> str:
        """The rule in words."""
        return (
            "rank correlation of successive running mean class probabilities of at least "
            f"{self.threshold:.10g}"
        )

    def start(self) -> RuleState:
        """Return the state of a learner before its first repeat."""
        return _RankState(self.threshold)


class _RankState(RuleState):
    """Sums of the probabilities of one learner, their order and their ranks."""

    def __init__(self, threshold: float) -> None:
        super().__init__(threshold)
        self._shape: tuple[int, ...] = ()
        self._square = np.nan  # of the last ranks; none before the first repeat

    def _follow(self, values: Floats, means: Floats | None) -> tuple[Floats, Bools]:
        correlations = np.full(len(values), np.nan)
        holds = np.zeros(len(values), dtype=bool)
        columns = self._usable(means, len(values))
        n = len(columns)
        if n:
            products = self._rank(columns)
            squares = np.concatenate([[self._square], products[:, 1]])
            self._square = squares[-1]
            is_constant = (squares[:-1] == 0) & (squares[1:] == 0)
            scale = np.sqrt(squares[:-1] * squares[1:])
            np.divide(products[:, 0], scale, out=correlations[:n], where=scale > 0)
            holds[:n] = (correlations[:n] >= self._threshold) | is_constant
            if is_constant.any():
                self._say(_CONSTANT)
        return correlations, holds

    def _usable(self, means: Floats | None, n_repeats: int) -> Floats:
        """Return what is ranked in each repeat, shape (n_usable, n_ranked)."""
        if means is None:
            self._before_gap(np.zeros(n_repeats, dtype=bool), "Class probabilities")
            return np.empty((0, 0))
        if self._shape not in ((), means.shape[1:]):
            raise InvalidArgumentError(_OTHER_ROWS.format(before=self._shape, now=means.shape[1:]))
        self._shape = means.shape[1:]
        ranked = means[:, :, 1] if means.shape[2] == 2 else means.reshape(n_repeats, -1)
        columns = np.ascontiguousarray(ranked)
        low, high = columns.min(), columns.max()  # nan if anything is
        if np.isnan(low) or self._gap:
            is_whole = np.asarray(~np.isnan(columns).any(axis=1))
            columns = columns[: self._before_gap(is_whole, "Class probabilities")]
            low, high = columns.min(initial=0), columns.max(initial=1)
        if low < -_ROUNDING or high > 1 + _ROUNDING:
            raise InvalidArgumentError(_NO_PROBABILITIES.format(low=low, high=high))
        return columns if low >= 0 and high <= 1 else np.clip(columns, 0, 1)

    def _rank(self, columns: Floats) -> Floats:
        """Return products of ranks with those before, and squares, of every repeat."""
        if self.n_repeats == 0:
            n = columns.shape[1]
            self._sums, self._ranks, self._order = np.zeros(n), np.zeros(n), np.arange(n)
        products = np.empty((len(columns), 2))
        for k, column in enumerate(columns):
            self._sums += column
            means = np.floor(self._sums / (self.n_repeats + k + 1) * _DECIMALS + 0.5)
            # nearly in order already, which a stable sort makes use of
            self._order = self._order[np.argsort(means[self._order], kind="stable")]
            ranks = _centered_ranks(means, self._order)
            products[k] = ranks @ self._ranks, ranks @ ranks
            self._ranks = ranks
        return products


def _centered_ranks(means: Floats, order: Ints) -> Floats:
    """Return doubled ranks less their mean: whole numbers, so that sums of them are exact."""
    ordered, n = means[order], len(means)
    starts = np.concatenate([[0], np.flatnonzero(ordered[1:] != ordered[:-1]) + 1])
    ends = np.append(starts[1:], n)
    ranks = np.empty(n)
    ranks[order] = np.repeat(starts + ends - float(n), ends - starts)
    return ranks

"""Stopping rules for the repeats of one learner: what such a rule is, and those that there are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Bools, Floats
from bestofk.checks import check_number
from bestofk.errors import InvalidArgumentError
from bestofk.inference.checks import check_share
from bestofk.measures.ties import is_noise

PROBABILITIES, VALUES = "probabilities", "values"

_MISSING = "{what} of repeat {repeat} are missing, so the rule cannot hold from there on."

_SHAPE_OF_VALUES = (
    "values of a rule state must be one number per repeat; got shape {shape}. "
    "Average the folds of each repeat."
)
_SHAPE_OF_MEANS = (
    "means of a rule state must be of shape (n_repeats, n_rows, n_classes) with n_repeats = "
    "{n_repeats}, as many as there are values, and at least one row and class; got shape {shape}. "
    "Give the class probabilities of all rows in every repeat."
)


@dataclass(frozen=True)
class RepeatRule(ABC):
    """A rule that says when repeating can stop; its thresholds are shares.

    Attributes
    ----------
    name : str
        As users write it.
    """

    name: ClassVar[str]

    def __post_init__(self) -> None:
        for item in fields(self):
            check_share(getattr(self, item.name), f"{item.name} of {self.name}")

    @property
    @abstractmethod
    def title(self) -> str:
        """The rule in words, with its threshold."""


@dataclass(frozen=True)
class StoppingRule(RepeatRule):
    """A rule that says after how many repeats one learner is steady.

    It looks at this learner alone, so its answer does not depend on which others are compared.

    Attributes
    ----------
    name : str
        As users write it.
    needs : {"probabilities", "values"}
        What it rests on: class probabilities of all rows, or the score of each repeat.
    """

    needs: ClassVar[str]

    @abstractmethod
    def start(self) -> RuleState:
        """Return the state of a learner before its first repeat."""


class RuleState(ABC):
    """State of a stopping rule for one learner; made by `StoppingRule.start`.

    What it says depends on the repeats and their order, to the last bit, and not on how many of
    them are handed over at once.

    Attributes
    ----------
    steady_at : int or None
        Number of repeats after which the rule first held; None so far. Later repeats never
        change it.
    note : str
        What a user should know; "" if nothing.
    n_repeats : int
        How many repeats it has seen.
    """

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold  # that the statistic has to reach
        self.steady_at: int | None = None
        self.note = ""
        self.n_repeats = 0
        self._statistics: list[Floats] = []
        self._gap = ""  # a sentence, from the first repeat on that is missing

    @property
    def path(self) -> Floats:
        """The statistic after each repeat, shape (n_repeats,); nan where it is undefined."""
        return np.concatenate([np.empty(0), *self._statistics])

    def add(self, values: ArrayLike, means: ArrayLike | None = None) -> None:
        """Look at the next repeats of the learner, in their order.

        Parameters
        ----------
        values : array-like of shape (n_repeats,), float
            Mean score of each repeat; nan where it is missing.
        means : array-like of shape (n_repeats, n_rows, n_classes), float, or None
            In each repeat, the class probabilities that every row was given (their mean where
            it was tested more than once); nan where they are missing. None if the learner gives
            none.

        Raises
        ------
        InvalidArgumentError
            If the shapes do not fit.
        """
        scores = np.asarray(values, dtype=float)
        if scores.ndim != 1:
            raise InvalidArgumentError(_SHAPE_OF_VALUES.format(shape=scores.shape))
        tables = None if means is None else np.asarray(means, dtype=float)
        if tables is not None and (
            tables.ndim != 3 or len(tables) != len(scores) or 0 in tables.shape[1:]
        ):
            raise InvalidArgumentError(
                _SHAPE_OF_MEANS.format(n_repeats=len(scores), shape=tables.shape)
            )
        if len(scores) == 0:
            return
        statistics, holds = self._follow(scores, tables)
        self._say(self._gap)
        if self.steady_at is None and holds.any():
            self.steady_at = self.n_repeats + int(holds.argmax()) + 1
        self._statistics.append(statistics)
        self.n_repeats += len(scores)

    @abstractmethod
    def _follow(self, values: Floats, means: Floats | None) -> tuple[Floats, Bools]:
        """Return the statistic after each of the repeats, and whether the rule holds there."""

    def _before_gap(self, is_whole: Bools, what: str) -> int:
        """Return how many of the next repeats come before the first gap ever."""
        if self._gap:
            return 0
        if is_whole.all():
            return len(is_whole)
        first = int(is_whole.argmin())
        self._gap = _MISSING.format(what=what, repeat=self.n_repeats + first + 1)
        return first

    def _say(self, sentence: str) -> None:
        """Add a sentence to the note, once."""
        if sentence not in self.note:
            self.note = f"{self.note} {sentence}".strip()


@dataclass(frozen=True)
class FixedRepeats(StoppingRule):
    """Stopping rule that ends after a fixed number of repeats.

    Parameters
    ----------
    n_repeats : int, default=10
        At least 1.

    Raises
    ------
    InvalidArgumentError
        If it is no such number.

    Notes
    -----
    It looks at nothing, so it spends as much on a learner that was steady long ago as on one that
    is not steady yet. With 10 repeats the verdicts on two similar learners were often not
    reproduced by other seeds [1]_.

    References
    ----------
    .. [1] Raeder, Hoens & Chawla (2010), Consequences of variability in classifier performance
       estimates, IEEE International Conference on Data Mining.

    Examples
    --------
    >>> state = FixedRepeats(3).start()
    >>> state.add([0.8, 0.7, 0.8, 0.9])
    >>> state.steady_at
    3
    """

    n_repeats: int = 10
    name: ClassVar[str] = "fixed"
    needs: ClassVar[str] = VALUES

    def __post_init__(self) -> None:
        check_number(
            self.n_repeats, "n_repeats of fixed", low=1, whole=True, way_out="Use 10, for example."
        )

    @property
    def title(self) -> str:
        """The rule in words."""
        return f"{self.n_repeats} repeat{'s' if self.n_repeats > 1 else ''}"

    def start(self) -> RuleState:
        """Return the state of a learner before its first repeat."""
        return _CountState(self.n_repeats)


class _CountState(RuleState):
    """Counts repeats."""

    def _follow(self, values: Floats, means: Floats | None) -> tuple[Floats, Bools]:
        counts = np.arange(self.n_repeats + 1, self.n_repeats + len(values) + 1)
        return counts.astype(float), counts >= self._threshold


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
        from scipy.stats import rankdata

        if self.n_repeats == 0:
            self._sums, self._ranks = np.zeros((2, columns.shape[1]))
        products = np.empty((len(columns), 2))
        for k, column in enumerate(columns):
            self._sums += column
            means = np.floor(self._sums / (self.n_repeats + k + 1) * _DECIMALS + 0.5)
            # doubled, less their mean: whole numbers, so that sums of them are exact
            ranks = 2 * rankdata(means) - (len(means) + 1)
            products[k] = ranks @ self._ranks, ranks @ ranks
            self._ranks = ranks
        return products

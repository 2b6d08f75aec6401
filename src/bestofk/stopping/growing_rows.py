"""Growing rows: learners of a large table are eliminated while their training rows grow."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bestofk.array_types import Floats, Ints
from bestofk.evaluation import Evaluation, RunRecord
from bestofk.evaluation.score import part_values, prediction_batch
from bestofk.evaluation.status import hit_a_limit, is_ok
from bestofk.measures import Measure
from bestofk.randomness import derive_rng
from bestofk.stopping.history import RowElimination, RowsHistory

# Rows above which training rows grow, in place of repeats: on 25,000 rows of three public tables
# that takes 2 to 6% of the time, for picks as good on unseen rows
# (`benchmarks/growing_or_repeats.py`).
LARGE = 20_000
SMALLEST, GROWTH = 1_000, 4
# A fifth tests, but no more than makes a difference precise: with 50,000 rows, learners that
# disagree on one row in ten have a standard error of 0.14 points.
TEST_SHARE, MOST_TEST_ROWS = 0.2, 50_000
N_PARTS = 50  # of the test rows, whose spread is the standard error
_ERRORS = 2.0  # standard errors that count as noise
# Without a budget, a learner stops growing where its next size takes longer than this, and so
# many times as long as all other learners together.
PATIENCE_SECONDS, PATIENCE_TIMES = 600.0, 3.0
_STEEPEST = 3.0  # power of the number of rows by which seconds grow


def row_sizes(n_train: int) -> tuple[int, ...]:
    """Return the numbers of training rows, ascending to all of them.

    Each is four times the one before, so that all sizes before the last together cost a third of
    it where the cost is linear.

    Parameters
    ----------
    n_train : int
        All training rows.

    Returns
    -------
    tuple of int
        At least 1,000, but for the last.

    Examples
    --------
    >>> row_sizes(900_000)
    (3515, 14062, 56250, 225000, 900000)
    """
    sizes = [n_train]
    while n_train // GROWTH ** len(sizes) >= SMALLEST:
        sizes.append(n_train // GROWTH ** len(sizes))
    return tuple(reversed(sizes))


@dataclass(frozen=True, eq=False)
class SizeResult:
    """Result of a learner with some number of training rows.

    Parameters
    ----------
    n_rows : int
        Training rows.
    loss : float
        On all test rows; nan where there is none.
    parts : ndarray of shape (n_parts,)
        Loss on equal parts of the test rows, the same parts for all learners and sizes.
    seconds : float
        Of training and predicting; infinite where a run was ended at its time limit.
    predictions : int
        Hash of what was predicted.
    """

    n_rows: int
    loss: float
    parts: Floats
    seconds: float = 0.0
    predictions: int = 0


def is_out_of_reach(results: Sequence[SizeResult], leader: SizeResult, n_all: int) -> bool:
    """Return whether a learner stays behind the leader's loss of today even if all goes well.

    Where the loss of a learner is convex in the logarithm of its rows, it falls ever more slowly,
    and going on as in the last step, or as in the last two, is more than it can hope for [1]_.
    Each forecast is a weighted sum of losses on the same test rows, whose parts give its
    standard error.

    Parameters
    ----------
    results : sequence of SizeResult
        Of the learner, by ascending rows.
    leader : SizeResult
        Of the learner with the lowest loss by now.
    n_all : int
        Rows to look ahead to.

    Returns
    -------
    bool
        False with fewer than two results, and where a loss is unknown.

    Notes
    -----
    Not to be trusted where losses stay flat for long and fall late.

    References
    ----------
    .. [1] Mohr & van Rijn (2023), Fast and informative model selection using learning curve
       cross-validation, IEEE Transactions on Pattern Analysis and Machine Intelligence 45(8).

    Examples
    --------
    >>> def at(n_rows, loss):
    ...     return SizeResult(n_rows, loss, np.full(50, loss))
    >>> is_out_of_reach([at(1000, 0.20), at(4000, 0.19)], at(4000, 0.10), 64_000)
    True
    >>> is_out_of_reach([at(1000, 0.25), at(4000, 0.19)], at(4000, 0.10), 64_000)
    False
    """
    if len(results) < 2:
        return False
    now = results[-1]
    weighted = [(now, 1.0), (leader, -1.0)]
    forecasts = [weighted]
    for before in results[-3:-1]:
        # steps to come, each as large as those since then
        steps = math.log(n_all / now.n_rows) / math.log(now.n_rows / before.n_rows)
        forecasts.append([*weighted, (now, steps), (before, -steps)])
    return all(_is_above_zero(forecast) for forecast in forecasts)


def _is_above_zero(forecast: Sequence[tuple[SizeResult, float]]) -> bool:
    """Return whether a weighted sum of losses is above 0 by more than noise."""
    loss = sum(weight * result.loss for result, weight in forecast)
    parts = sum((weight * result.parts for result, weight in forecast), np.zeros(1))
    known = parts[np.isfinite(parts)]
    if len(known) < len(parts) / 2 or not math.isfinite(loss):
        return False
    return bool(loss > _ERRORS * known.std(ddof=1) / len(known) ** 0.5)


def forecast_seconds(results: Sequence[SizeResult], n_rows: int) -> float:
    """Return the seconds that a learner will take with more rows.

    The seconds grow by the power of the number of rows that the last two sizes show, from 1 to 3;
    by 1 where there is one size.

    Parameters
    ----------
    results : sequence of SizeResult
        Of the learner, by ascending rows; not empty.
    n_rows : int
        Training rows.

    Examples
    --------
    >>> known = [SizeResult(1000, 0.1, np.zeros(2), 1.0), SizeResult(4000, 0.1, np.zeros(2), 16.0)]
    >>> forecast_seconds(known, 16_000)
    256.0
    """
    now, power = results[-1], 1.0
    ratio = n_rows / now.n_rows
    if len(results) > 1 and min(now.seconds, results[-2].seconds) > 0:
        growth = math.log(now.seconds / results[-2].seconds)
        power = growth / math.log(now.n_rows / results[-2].n_rows)
    return float(now.seconds * ratio ** min(max(power, 1.0), _STEEPEST))


class GrowingRows:
    """Elimination of learners on ever more training rows, tested on the same rows.

    Parameters
    ----------
    names : sequence of str
        Learners.
    is_baseline : sequence of bool
        Learners that cannot be best; they are never eliminated, for they cost nothing.
    measure : Measure
        The deciding one.
    n_train : int
        All training rows.

    Attributes
    ----------
    sizes : tuple of int
        Training rows, ascending.
    runs : ndarray of shape (n_learners,), bool
        Learners that go on.
    """

    def __init__(
        self, names: Sequence[str], is_baseline: Sequence[bool], measure: Measure, n_train: int
    ) -> None:
        self.names, self.measure = list(names), measure
        self.can_win = ~np.asarray(is_baseline, dtype=bool)
        self.sizes = row_sizes(n_train)
        self.runs = np.ones(len(self.names), dtype=bool)
        self.results: list[list[SizeResult]] = [[] for _ in self.names]
        self.stops: dict[int, RowElimination] = {}
        self.n_done = 0

    @property
    def next_size(self) -> int | None:
        """Index of the size to come; None after the last. A single candidate goes to the last."""
        last = len(self.sizes) - 1
        if self.n_done > last:
            return None
        return last if self.n_done and (self.runs & self.can_win).sum() < 2 else self.n_done

    @property
    def leader(self) -> int | None:
        """The learner with the lowest loss of those that continue; None without any."""
        return min(
            (i for i in self._candidates() if not math.isnan(self.results[i][-1].loss)),
            key=lambda i: self.results[i][-1].loss,
            default=None,
        )

    def take(self, part: Evaluation) -> None:
        """Take the runs of the next size, and eliminate the learners that can no longer win."""
        size = self.sizes[self.next_size or 0]
        rng = derive_rng(part.plan.random_state, "parts of the test rows")
        order = rng.permutation(len(part.test_rows[0]))
        for index in np.flatnonzero(self.runs):
            record = part.records[index][0]
            assert record is not None  # an unfinished size is not handed over
            self.results[index].append(self._result(part, record, order, size))
        self.n_done = self.sizes.index(size) + 1
        if self.n_done < len(self.sizes):
            self._eliminate_copies()
        self._eliminate_beaten()

    def _result(self, part: Evaluation, record: RunRecord, order: Ints, size: int) -> SizeResult:
        given = record.predictions
        seconds = float(np.nansum([record.train_seconds, record.predict_seconds]))
        seconds = math.inf if hit_a_limit(record.status) else seconds
        if not is_ok(record.status) or given is None:
            return SizeResult(size, np.nan, np.full(N_PARTS, np.nan), seconds)
        batch = prediction_batch(part.data, part.test_rows, [record])
        whole, parts = (
            self.measure.loss(part_values(self.measure, batch, order, n)) for n in (1, N_PARTS)
        )
        arrays = (given.labels, given.probabilities, given.decision)
        content = b"".join(item.tobytes() for item in arrays if item is not None)
        return SizeResult(size, float(whole[0]), parts, seconds, hash(content))

    def _candidates(self) -> list[int]:
        return np.flatnonzero(self.runs & self.can_win).tolist()

    def _eliminate_copies(self) -> None:
        """Of learners that predicted the same at the last two sizes, the first goes on."""
        first: dict[tuple[int, int], int] = {}
        for index in self._candidates():
            results = self.results[index][-2:]
            if len(results) < 2 or any(math.isnan(result.loss) for result in results):
                continue
            same = first.setdefault((results[0].predictions, results[1].predictions), index)
            if same != index:
                self._stop(index, f"predicts the same as {self.names[same]}")

    def _eliminate_beaten(self) -> None:
        leader = self.leader
        if leader is None:
            return
        best, n_all = self.results[leader][-1], self.sizes[-1]
        if best.n_rows < n_all:
            for index in self._candidates():
                if is_out_of_reach(self.results[index], best, n_all):
                    self._stop(index, "can no longer win", is_beaten=True)
        for index, stop in list(self.stops.items()):  # those that seconds have stopped
            if stop.is_open and is_out_of_reach(self.results[index], best, n_all):
                self._stop(index, "can no longer win", is_beaten=True)

    def is_hopeless(self, seconds: float) -> bool:
        """Return whether no candidate is forecast to end the next size within some seconds."""
        return all(ahead > seconds for ahead in self._forecasts().values())

    def too_slow(self, seconds_left: float | None) -> dict[str, float]:
        """Return the learners to stop because of their run time, with the forecast seconds.

        Parameters
        ----------
        seconds_left : float or None
            Of the budget; None without one.

        Returns
        -------
        dict of str to float
            Seconds that the next size would take; infinite where a run was ended at its limit of
            time or memory. Never all candidates.
        """
        if self.next_size is None:
            return {}
        ahead, slow = self._forecasts(), {}
        for index, seconds in ahead.items():
            others = sum(v for i, v in ahead.items() if i != index and math.isfinite(v))
            limit = max(PATIENCE_SECONDS, PATIENCE_TIMES * others)
            if seconds > (limit if seconds_left is None else seconds_left):
                slow[self.names[index]] = seconds
        return slow if len(slow) < len(ahead) else {}

    def _forecasts(self) -> dict[int, float]:
        """Return the seconds of the next size for every candidate."""
        n_rows = self.sizes[self.next_size or 0]
        return {i: forecast_seconds(self.results[i], n_rows) for i in self._candidates()}

    def stop_growing(self, forecasts: Mapping[str, float]) -> None:
        """Stop adding rows for some learners, because of the seconds that would take."""
        for name, seconds in forecasts.items():
            self._stop(self.names.index(name), "", seconds=float(seconds))

    def _stop(
        self, index: int, reason: str, *, is_beaten: bool = False, seconds: float = math.nan
    ) -> None:
        self.runs[index] = False
        last = self.results[index][-1]
        value = float(self.measure.loss(np.array([last.loss]))[0])  # turned back
        self.stops.pop(index, None)
        self.stops[index] = RowElimination(
            self.names[index], last.n_rows, value, reason, is_beaten, seconds
        )

    def history(self, ending: str, n_left: int) -> RowsHistory:
        """Return how it went; see `RowsHistory` for the arguments."""
        done = tuple(sorted({item.n_rows for results in self.results for item in results}))
        n_rows = done[-1] if done else self.sizes[0]
        stops = tuple(self.stops.values())
        return RowsHistory(done, n_rows, self.sizes[-1], stops, ending, n_left)

    def sentence(self) -> str:
        """Return the verdict so far: the leader, its value, and the eliminated learners."""
        leader = self.leader
        n_done = f"{self.sizes[self.n_done - 1]:,} of {self.sizes[-1]:,} training rows"
        out = ", ".join(stop.learner for stop in self.stops.values()) or "none"
        if leader is None:
            return f"After {n_done}: no learner has a score; out: {out}."
        loss = np.array([self.results[leader][-1].loss])
        value = f"{self.measure.title} {float(self.measure.loss(loss)[0]):.4g}"
        return f"After {n_done}: {self.names[leader]} leads, {value}; out: {out}."

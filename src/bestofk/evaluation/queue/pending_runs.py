"""Missing runs of a comparison: which, in which order, and how many at once."""

from collections.abc import Iterator, Sequence

import numpy as np

from bestofk.array_types import Bools, Ints
from bestofk.evaluation.batched_fit import BatchedFit
from bestofk.evaluation.queue.worker import BatchedJob, Job

# A block of repeats is about this long: what it costs to hand it out stays under 2 %, and
# what is finished is on disk within a second. Longer work waits until every learner has a run.
_BLOCK_SECONDS = 0.3
_QUICK, _UNTRIED, _LONG = range(3)
# Runs of one block, however short they are: their records are a few megabytes.
_MOST_RUNS = 1000


class PendingRuns:
    """The runs that a store lacks: whole repeats of batched learners, single runs of the others.

    Parameters
    ----------
    is_missing : sequence of ndarray of shape (n_repeats, n_folds), bool
        For every learner.
    seeds : sequence of ndarray of shape (n_repeats, n_folds)
        For every learner, the seed of every run, int64.
    fits : sequence of (BatchedFit or None)
        For every learner.
    seconds : dict of int to float
        Of one repeat of a batched learner, as far as known; more are learned.
    run_seconds : dict of int to float, optional
        Of one run of any other learner, as far as known.
    cost_ranks : sequence of int, optional
        Orders the learners of which no seconds are known; in the order given if left out.

    Attributes
    ----------
    n_missing : list of int
        Runs of every learner; a batched form does all of a repeat again where one is missing.
    """

    def __init__(
        self,
        is_missing: Sequence[Bools],
        seeds: Sequence[Ints],
        fits: Sequence[BatchedFit | None],
        seconds: dict[int, float],
        run_seconds: dict[int, float] | None = None,
        cost_ranks: Sequence[int] | None = None,
    ) -> None:
        self._is_missing, self._seeds, self._fits = is_missing, seeds, fits
        self._run_seconds = {} if run_seconds is None else run_seconds
        self._cost_ranks = cost_ranks or [0] * len(fits)
        # repeats of batched learners, runs of the others
        self._queues = [
            np.flatnonzero(item if fit is None else item.any(axis=1)).tolist()
            for item, fit in zip(is_missing, fits, strict=True)
        ]
        self.n_missing = [int(item.sum()) for item in is_missing]
        self._seconds = seconds
        self._n_folds = seeds[0].shape[1]
        self._left: list[Job] = []

    def lacking(self, turn: BatchedJob) -> Bools:
        """Return which runs of a block are missing, shape (n_repeats, n_folds)."""
        return self._is_missing[turn.learner_index][list(turn.repeats)]

    @property
    def has_turn(self) -> bool:
        """Whether `next_turn` has work to give."""
        return bool(self._left) or any(self._queues)

    @property
    def first_repeat(self) -> int:
        """The repeat of the learner that is furthest behind; 0 where all is done."""
        repeats = [
            queue[0] if fit is not None else queue[0] // self._n_folds
            for queue, fit in zip(self._queues, self._fits, strict=True)
            if queue
        ]
        return min([*repeats, *(job.repeat for job in self._left)], default=0)

    def batched_learners(self) -> list[int]:
        """Return the learners that have repeats to be done in a batch."""
        return [i for i, fit in enumerate(self._fits) if fit is not None and self._queues[i]]

    def leave(self, jobs: Sequence[Job]) -> None:
        """Add runs that a batched form has left to the plain fit; they come next."""
        self._left += jobs

    def turns(self) -> Iterator[BatchedJob | list[Job]]:
        """Give what `next_turn` returns, until all is done."""
        while (turn := self.next_turn()) is not None:
            yield turn

    def next_turn(self, block_seconds: float | None = None) -> BatchedJob | list[Job] | None:
        """Return the next work of the learner that is furthest behind; None where all is done.

        Within a repeat quick learners come first, then a single run of each that was not tried
        yet, then the others by their seconds. No number depends on that order.

        Parameters
        ----------
        block_seconds : float, optional
            How long the work should take, be it of several repeats; else it is a part of one
            repeat where runs are single.
        """
        if self._left:
            return self._next_left(block_seconds)
        waiting = [index for index, queue in enumerate(self._queues) if queue]
        if not waiting:
            return None
        return self._next(min(waiting, key=self._priority), block_seconds)

    def untried(self) -> list[int]:
        """Return learners that have work and of which no seconds are known, quick ones first."""
        waiting = [
            index
            for index, queue in enumerate(self._queues)
            if queue and (self._fits[index] is not None or index not in self._run_seconds)
        ]
        return sorted(waiting, key=self._priority)

    def first_turn(
        self, learner_index: int, block_seconds: float = 0.0
    ) -> BatchedJob | list[Job] | None:
        """Return the next work of a learner; None where none is left.

        It is a short block or one run by default, else what takes so many seconds.
        """
        if not self._queues[learner_index]:
            return None
        return self._next(learner_index, block_seconds)

    def tell_run_seconds(self, learner_index: int, seconds: float) -> None:
        """Learn how long a single run took."""
        self._run_seconds[learner_index] = seconds

    def tell_seconds(self, turn: BatchedJob, seconds: float) -> None:
        """Learn how long a block took; the first of a learner made its form and says little."""
        self._seconds[turn.learner_index] = seconds / len(turn.repeats)

    def seconds_of(self, turn: BatchedJob | Sequence[Job]) -> float:
        """Return how long a block, or one of some runs, takes; nan where that is unknown."""
        if isinstance(turn, BatchedJob):
            return self._seconds.get(turn.learner_index, float("nan")) * len(turn.repeats)
        return self._run_seconds.get(turn[0].learner_index, float("nan"))

    def expected_seconds(self) -> float:
        """Return how long what is not done will take; infinite where that is unknown."""
        known = [
            (self._run_seconds if fit is None else self._seconds).get(index, float("inf"))
            for index, fit in enumerate(self._fits)
        ]
        queues = zip(self._queues, known, strict=True)
        return sum(len(queue) * seconds for queue, seconds in queues if queue)

    def _priority(self, learner_index: int) -> tuple[int, int, float, int]:
        """Return what is compared of the next work of learners, the learner at its end."""
        repeat = self._queues[learner_index][0]
        if self._fits[learner_index] is not None:
            return repeat, _QUICK, self._seconds.get(learner_index, 0.0), learner_index
        repeat //= self._n_folds
        if learner_index not in self._run_seconds:
            return repeat, _UNTRIED, self._cost_ranks[learner_index], learner_index
        seconds = self._run_seconds[learner_index] * len(self._rest_of_repeat(learner_index))
        return repeat, _QUICK if seconds < _BLOCK_SECONDS else _LONG, seconds, learner_index

    def _next(
        self, learner_index: int, block_seconds: float | None = None
    ) -> BatchedJob | list[Job]:
        if self._fits[learner_index] is not None:
            return self._block(learner_index, block_seconds)
        if learner_index not in self._run_seconds:
            n_runs = 1
        elif block_seconds is None:
            n_runs = len(self._rest_of_repeat(learner_index))
        else:
            n_runs = self._n_plain(learner_index, block_seconds)
        taken = self._queues[learner_index][:n_runs]
        del self._queues[learner_index][:n_runs]
        return self._jobs(learner_index, taken)

    def _n_plain(self, learner_index: int, block_seconds: float | None) -> int:
        """Return how many single runs of a learner take so long."""
        wanted = _BLOCK_SECONDS if block_seconds is None else block_seconds
        seconds = self._run_seconds.get(learner_index, wanted)
        return max(1, min(int(wanted / max(seconds, 1e-6)), _MOST_RUNS))

    def _next_left(self, block_seconds: float | None) -> list[Job]:
        index = self._left[0].learner_index
        n_runs = self._n_plain(index, block_seconds)
        taken = [job for job in self._left[:n_runs] if job.learner_index == index]
        del self._left[: len(taken)]  # those of a learner stand together
        return taken

    def _rest_of_repeat(self, learner_index: int) -> list[int]:
        queue, n_folds = self._queues[learner_index], self._n_folds
        repeat = queue[0] // n_folds
        return [run for run in queue[:n_folds] if run // n_folds == repeat]

    def _jobs(self, learner_index: int, runs: Sequence[int]) -> list[Job]:
        seeds, n_folds = self._seeds[learner_index].ravel(), self._n_folds
        return [Job(learner_index, run // n_folds, run % n_folds, int(seeds[run])) for run in runs]

    def _block(self, learner_index: int, block_seconds: float | None) -> BatchedJob:
        """Take the next repeats: one first, then as many as a block is long."""
        fit, queue = self._fits[learner_index], self._queues[learner_index]
        assert fit is not None  # asked for batched learners alone
        size = 1
        if learner_index in self._seconds:
            wanted = _BLOCK_SECONDS if block_seconds is None else block_seconds
            size = int(wanted / max(self._seconds[learner_index], 1e-6))
            size = max(size, fit.smallest_block)
        taken = queue[: min(size, fit.largest_block)]
        del queue[: len(taken)]
        return BatchedJob(learner_index, tuple(taken), self._seeds[learner_index][taken])

"""Missing runs of a comparison: which, in which order, and how many at once."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from bestofk.evaluation.batched_fit import BatchedFit
from bestofk.evaluation.worker import BatchedJob, Job

# A block of repeats is about this long: what it costs to hand it out stays under 2 %, and
# what is finished is on disk within a second.
_BLOCK_SECONDS = 0.3


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

    Attributes
    ----------
    n_missing : list of int
        Runs of every learner; a batched form does all of a repeat again where one is missing.
    left : list of Job
        Runs that batched forms have left to the plain fit.
    """

    def __init__(
        self,
        is_missing: Sequence[NDArray[np.bool_]],
        seeds: Sequence[NDArray[np.int64]],
        fits: Sequence[BatchedFit | None],
        seconds: dict[int, float],
    ) -> None:
        self._is_missing, self._seeds, self._fits = is_missing, seeds, fits
        self._queues = [np.flatnonzero(item.any(axis=1)).tolist() for item in is_missing]
        self.n_missing = [int(item.sum()) for item in is_missing]
        self._seconds = seconds
        self.left: list[Job] = []

    def lacking(self, turn: BatchedJob) -> NDArray[np.bool_]:
        """Return which runs of a block are missing, shape (n_repeats, n_folds)."""
        return self._is_missing[turn.learner_index][list(turn.repeats)]

    def batched_learners(self) -> list[int]:
        """Return the learners that have repeats to be done in a batch."""
        return [i for i, fit in enumerate(self._fits) if fit is not None and self._queues[i]]

    def turns(self) -> Iterator[BatchedJob | list[Job]]:
        """Give the next work of the learner that is furthest behind, until all is done."""
        heap = [(queue[0], index) for index, queue in enumerate(self._queues) if queue]
        heapq.heapify(heap)
        while heap:
            _, index = heapq.heappop(heap)
            yield self._next(index)
            if self._queues[index]:
                heapq.heappush(heap, (self._queues[index][0], index))

    def blocks(self, learner_index: int) -> Iterator[BatchedJob]:
        """Give the blocks of one batched learner."""
        while self._queues[learner_index]:
            yield self._block(learner_index)

    def plain_jobs(self) -> list[Job]:
        """Return all single runs, repeat by repeat over the learners, then those left over."""
        jobs = [
            job
            for index, fit in enumerate(self._fits)
            if fit is None
            for repeat in self._queues[index]
            for job in self._jobs(index, repeat)
        ]
        return sorted(jobs, key=lambda job: job.repeat) + self.left

    def tell_seconds(self, turn: BatchedJob, seconds: float) -> None:
        """Learn how long a block took; the first of a learner made its form and says little."""
        self._seconds[turn.learner_index] = seconds / len(turn.repeats)

    def expected_seconds(self, learner_index: int) -> float:
        """Return how long the blocks of a learner that are not done will take."""
        return len(self._queues[learner_index]) * self._seconds.get(learner_index, 0.0)

    def _next(self, learner_index: int) -> BatchedJob | list[Job]:
        if self._fits[learner_index] is not None:
            return self._block(learner_index)
        return self._jobs(learner_index, self._queues[learner_index].pop(0))

    def _jobs(self, learner_index: int, repeat: int) -> list[Job]:
        folds = np.flatnonzero(self._is_missing[learner_index][repeat]).tolist()
        seeds = self._seeds[learner_index][repeat].tolist()
        return [Job(learner_index, repeat, fold, seeds[fold]) for fold in folds]

    def _block(self, learner_index: int) -> BatchedJob:
        """Take the next repeats: one first, then as many as a block is long."""
        fit, queue = self._fits[learner_index], self._queues[learner_index]
        assert fit is not None  # asked for batched learners alone
        size = 1
        if learner_index in self._seconds:
            size = int(_BLOCK_SECONDS / max(self._seconds[learner_index], 1e-6))
            size = max(size, fit.smallest_block)
        taken = queue[: min(size, fit.largest_block)]
        del queue[: len(taken)]
        return BatchedJob(learner_index, tuple(taken), self._seeds[learner_index][taken])

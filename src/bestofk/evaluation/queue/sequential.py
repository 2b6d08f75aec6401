"""Runs of one learner at a time, in an order decided on the way.

The runs are those of `evaluate`, under the same keys: whoever compares on the same plan
afterwards finds them.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from bestofk.evaluation.batched_fit import BlockRecords
from bestofk.evaluation.engines.choice import is_local, started_engine, uses_engine
from bestofk.evaluation.engines.engine import Engine, EngineLostError
from bestofk.evaluation.evaluation import Evaluation
from bestofk.evaluation.guarded.interrupt import noted_interrupts
from bestofk.evaluation.observer import Observer
from bestofk.evaluation.queue.handed_out import HandedOut
from bestofk.evaluation.queue.pending_runs import PendingRuns
from bestofk.evaluation.queue.run_queue import is_enough
from bestofk.evaluation.queue.run_thread import RunThread
from bestofk.evaluation.queue.runner import OutOfTimeError, Runner
from bestofk.evaluation.queue.worker import BatchedJob, Block, BlockResult, Job
from bestofk.evaluation.record import RunRecord
from bestofk.evaluation.request import EvaluationRequest, check_request
from bestofk.evaluation.status import is_out_of_time
from bestofk.evaluation.store import Store

_LOST = (
    "workers of the engine must live until a run is done; they ended several times. Call again "
    "with others, or leave out the learner."
)


class _EndedEarlyError(Exception):
    """The other runs of the learner are not worth their time."""


class SequentialEvaluation(Runner):
    """Runner that tests the learners of a request one at a time, on demand.

    Use it as a context: ``with sequential_evaluation(request, store) as tests: tests.test(3)``.

    Parameters
    ----------
    request : EvaluationRequest
        Data, plan, learners. The first run of each is done in this process; the others as well,
        unless they take so long that an engine is worth it.
    store : Store
        Where finished runs are found and put.
    observer : Observer
        Told of every run.
    thread : RunThread
        Does the runs of this process.
    """

    taken_seconds = 0.0  # the next run may not be worth it

    def __init__(
        self, request: EvaluationRequest, store: Store, observer: Observer, thread: RunThread
    ) -> None:
        super().__init__(request, store, observer)
        self.n_repeats = request.plan.n_repeats
        self.n_asked = [self.n_repeats] * len(self.identities)
        self._find()
        self._tell_outdated()
        self.thread = thread
        self._is_guarded = False
        self._goes_on: Callable[[Evaluation], bool] | None = None
        self._tested_index = 0
        self._cut_off_seconds = 0.0
        self._engine: Engine | None = None
        if uses_engine(request.engine, request.n_jobs):
            self._engine = started_engine(request.engine, request.n_jobs)
            self._out = HandedOut(self._engine)

    def close(self) -> None:
        """End the engine and the guarded process, and delete what it has read."""
        super().close()
        if self._engine is not None:
            self._engine.close()

    def expected_seconds(self, seconds: float) -> float:
        """Return how long a test takes whose runs take so many seconds one after the other."""
        n_others = len(self.request.plan) - 1
        others = seconds * n_others / (n_others + 1)
        if self._engine is None or not is_enough(others):
            return seconds
        return seconds - others + others / min(max(self._engine.n_slots // 2, 1), n_others)

    def prepare_guard(self) -> None:
        """Start the process in which long runs are done, without waiting for it."""
        self._guard.begin()

    def test(
        self,
        learner_index: int,
        *,
        is_guarded: bool = False,
        goes_on: Callable[[Evaluation], bool] | None = None,
    ) -> Evaluation:
        """Do the runs of one learner that are missing, and return all of its runs.

        Parameters
        ----------
        learner_index : int
            Its position in the request.
        is_guarded : bool, default=False
            Whether runs must be cut off when the budget is spent; they are done in a process
            of their own, which takes seconds to start. Once it is there, all runs are.
        goes_on : callable, optional
            Asked after each run, and before the first where the store has some, with what there
            is of the learner; where it answers False, its other runs are left out.

        Returns
        -------
        Evaluation
            Of this learner alone.  ``is_out_of_time`` if the budget was spent before its end; a
            run that was cut off is no record.

        Raises
        ------
        EngineLostError
            If there is no engine any more, or its workers end again and again.
        """
        self.interrupts.check()
        is_limited = self.deadline < float("inf")
        is_guarded = is_limited and (is_guarded or self._guard.is_there())
        self._is_guarded = is_guarded or not self.thread.is_here
        self._goes_on, self._tested_index = goes_on, learner_index
        self._cut_off_seconds = 0.0
        wanted = [np.zeros_like(item) for item in self.is_missing]
        wanted[learner_index] = self.is_missing[learner_index].copy()
        is_done = self.tables[learner_index].is_done
        wanted[learner_index] &= ~is_done.reshape(wanted[learner_index].shape)
        is_out_of_time = False
        try:
            if not wanted[learner_index].all():
                self._ask_whether_to_go_on()
            work = PendingRuns(wanted, self.seeds, self.payload.fits, {})
            self._note_unknown_costs(work)
            if self._engine is not None and (turn := work.first_turn(learner_index)) is not None:
                self.do_here(turn, work)
                if is_enough(work.expected_seconds()) and self._can_leave():
                    self._hand_out(work)
            for turn in work.turns():
                self.do_here(turn, work)
        except OutOfTimeError:
            is_out_of_time = self._is_incomplete(learner_index)
        except _EndedEarlyError:
            pass  # what is done is the answer
        self.store.flush()
        return self._of_one(learner_index, is_out_of_time=is_out_of_time)

    def _can_leave(self) -> bool:
        """Return whether other processes can load the learners, or must, since they are remote."""
        if True in self.is_guarded:
            self._needs_guard(self.is_guarded.index(True))  # finds out
        return not (self.is_bound and is_local(self.request.engine))

    def _hand_out(self, work: PendingRuns) -> None:
        """Let an engine do the runs of a learner, and take them in the order of the plan.

        So a test ends early after the same run as in this process.
        """
        self.work, last = work, time.perf_counter()
        waiting: deque[Job] = deque()
        results: dict[Job, tuple[Block, BlockResult | None]] = {}
        try:
            while self._fill(work, waiting) or (waiting and self._out.goes_on(self.interrupts)):
                for _, block, result in self._out.finished():
                    assert not isinstance(block.work, BatchedJob)
                    if result is None:
                        raise EngineLostError(_LOST)
                    results[block.work[0]] = block, result
                    last = time.perf_counter()
                while waiting and waiting[0] in results:
                    result_of = results.pop(waiting.popleft())
                    self.take_result(*result_of)
                self.check_time()
            self.interrupts.check()
        except OutOfTimeError:
            self._cut_off_seconds += time.perf_counter() - last if self._out.is_busy else 0.0
            raise
        finally:
            self._out.close()

    def _fill(self, work: PendingRuns, waiting: deque[Job]) -> bool:
        """Hand out as much as the engine takes; return whether there was anything."""
        is_any = False
        while self._out.has_room and not self.interrupts.is_asked:
            if (turn := work.next_turn(0.0)) is None:
                break
            assert not isinstance(turn, BatchedJob)  # all of its repeat is done first
            waiting.append(turn[0])
            self._out.hand_out(self, turn)
            is_any = True
        return is_any

    def runs_so_far(self, learner_index: int) -> Evaluation:
        """Return the runs of one learner that are there, as those of a test that was cut off."""
        return self._of_one(learner_index, is_out_of_time=True)

    def spent_seconds(self, learner_index: int) -> tuple[float, float]:
        """Return the seconds of this call that went into a learner tested last.

        Returns
        -------
        float
            Training and predicting of the runs that were finished.
        float
            The run, or block of runs, that was cut off; 0 where none was.
        """
        table, is_fresh = self.tables[learner_index], self.is_missing[learner_index].ravel()
        seconds = (table.train_seconds[is_fresh], table.predict_seconds[is_fresh])
        return float(np.nansum(seconds)), self._cut_off_seconds

    def _wait_for_guard(self) -> None:
        self.prepare_guard()
        try:
            self._guard.wait(self._seconds_left())
        except TimeoutError:
            raise OutOfTimeError from None

    def _runs(self, jobs: Sequence[Job]) -> Iterator[RunRecord]:
        """Do runs one by one, each of which may be cut off."""
        return self._one_by_one(jobs)

    def _run(self, job: Job) -> RunRecord:
        with self._cut_off_noted():
            if not (self._is_guarded or self._needs_guard(job.learner_index)):
                return self._done_here(lambda: self.payload.run(job))
            self._wait_for_guard()
            record = self._guard.run(job, timeout=self._seconds_left())
            if is_out_of_time(record.status):
                raise OutOfTimeError
        return record

    def _run_batched(self, turn: BatchedJob) -> BlockRecords:
        with self._cut_off_noted():
            if not self._is_guarded:
                return self._done_here(lambda: self.payload.run_batched(turn))
            self._wait_for_guard()
            return self._run_batched_guarded(turn)

    @contextmanager
    def _cut_off_noted(self) -> Iterator[None]:
        """Note the seconds of a run that is cut off, and of the start of its process."""
        start = time.perf_counter()
        try:
            yield
        except OutOfTimeError:
            self._cut_off_seconds += time.perf_counter() - start
            raise

    def _take(
        self,
        learner_index: int,
        indices: list[int],
        records: Sequence[Any],
        environment: dict[str, Any] | None = None,
    ) -> None:
        super()._take(learner_index, indices, records, environment)
        self._ask_whether_to_go_on()

    def _ask_whether_to_go_on(self) -> None:
        goes_on = self._goes_on
        if goes_on is None or not self._is_incomplete(self._tested_index):
            return
        if not goes_on(self._of_one(self._tested_index)):
            raise _EndedEarlyError

    def _is_incomplete(self, learner_index: int) -> bool:
        return self.n_fresh[learner_index] < int(self.is_missing[learner_index].sum())

    def _of_one(self, learner_index: int, *, is_out_of_time: bool = False) -> Evaluation:
        """Return the runs of one learner as an evaluation of its own."""
        plan, index = self.request.plan, slice(learner_index, learner_index + 1)
        wanted = [item == learner_index for item in range(len(self.identities))]
        whole = self._evaluation(plan, slice(0, len(plan)), wanted, is_interrupted=False)
        n_fitted = self.n_fresh[learner_index]
        return replace(
            whole,
            learners=whole.learners[index],
            identities=whole.identities[index],
            records=whole.records[index],
            kept_scores=whole.kept_scores[index],
            cost_runs=whole.cost_runs[index],
            n_fitted=n_fitted,
            n_reused=whole.n_done(learner_index) - n_fitted,
            is_out_of_time=is_out_of_time,
        )


@contextmanager
def sequential_evaluation(
    request: EvaluationRequest, store: Store, observer: Observer | None = None
) -> Iterator[SequentialEvaluation]:
    """Give what tests learners one at a time, and end its processes afterwards.

    Parameters
    ----------
    request : EvaluationRequest
        What can be run.
    store : Store
        Where finished runs are found and put.
    observer : Observer, optional
        Told of every run.

    Yields
    ------
    SequentialEvaluation
        Ask it to test learners.

    Raises
    ------
    InvalidArgumentError
        If what is asked for is not allowed, or the engine cannot be reached.
    """
    check_request(request)
    with (
        noted_interrupts() as interrupts,
        closing(RunThread()) as thread,
        closing(SequentialEvaluation(request, store, observer or Observer(), thread)) as tests,
    ):
        tests.interrupts = interrupts
        yield tests

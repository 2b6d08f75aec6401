"""Runner of the missing runs of one request: what comes next, doing it here, keeping results.

Work goes repeat by repeat over all learners, so that a verdict exists early; learners with a
batched form do some repeats at once.  What a run computes depends on names alone; how runs are
spread over blocks, processes and machines changes no number.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from bestofk.errors import RunError
from bestofk.evaluation.batched_fit import BlockPredictions, BlockRecords
from bestofk.evaluation.evaluation import Evaluation
from bestofk.evaluation.guarded.child import TURN_SECONDS
from bestofk.evaluation.guarded.guard import GuardedProcess
from bestofk.evaluation.guarded.interrupt import Interrupts
from bestofk.evaluation.guarded.limits import NO_LIMITS, Limits
from bestofk.evaluation.identity.requirements import is_from_outside
from bestofk.evaluation.observer import Observer
from bestofk.evaluation.options import deadline_of
from bestofk.evaluation.queue.pending_runs import PendingRuns
from bestofk.evaluation.queue.request_runs import RequestRuns
from bestofk.evaluation.queue.run_thread import RunThread, T
from bestofk.evaluation.queue.worker import BatchedJob, Block, BlockResult, Job, PayloadFile
from bestofk.evaluation.record import RunRecord
from bestofk.evaluation.request import EvaluationRequest
from bestofk.evaluation.run_table import RunTable
from bestofk.evaluation.status import LOST, is_ok, is_out_of_time
from bestofk.evaluation.store.store import ENDING, Store
from bestofk.resampling import FoldPlan

# A run that measures the cost of a learner is done so often, while that has taken no longer and
# until two are alike: what disturbs a run makes it longer, and hardly two of them by as much. What
# the first run of a process needs in addition is some ten milliseconds, little for a longer run.
_COST_TRIES, _SHORT_SECONDS, _ALIKE = 5, 0.25, 1.1
# So many runs have a median that one slow run hardly moves.
_MANY_RUNS = 3
# Runs of every learner are timed alone before others go on at the same time: so many, or those
# of a second. Learners that have had no turn after so many seconds are not waited for.
_TIMED_ALONE, _ALONE_SECONDS_EACH, _ALONE_SECONDS = 3, 1.0, 10.0
# However little a budget leaves, one learner is tried.
_FIRST_RUN_SECONDS = 5.0
_LOST_MESSAGE = "its worker ended too early several times; call again to do it"


class OutOfTimeError(Exception):
    """The budget is spent."""


class Runner(RequestRuns):
    """The runs of one request that are missing: what comes next, and what came of it.

    Parameters
    ----------
    request : EvaluationRequest
        What is to be run.
    store : Store
        Where finished runs are found and put.
    observer : Observer
        Told about progress; may show it.

    Attributes
    ----------
    work : PendingRuns or None
        What is missing up to the next interim analysis; None where all is done.
    is_bound : bool
        Whether the runs cannot leave this process, since another one cannot load the learners.
    deadline : float
        By `time.monotonic`; no run starts after it.
    interrupts : Interrupts
        Whether a signal asked for the end.
    thread : RunThread
        Does the runs of this process.
    taken_seconds : float
        Short runs of this process that end in so many seconds are taken together.
    """

    interrupts: Interrupts
    thread: RunThread
    taken_seconds = 0.25

    def __init__(self, request: EvaluationRequest, store: Store, observer: Observer) -> None:
        super().__init__(request, store)
        self.observer = observer
        self.deadline = deadline_of(request.budget)
        self.work: PendingRuns | None = None
        self.is_bound = False
        self._file = PayloadFile(self.payload)
        self._guard = GuardedProcess(self._file, request.limits)
        self._is_limited = [limits != NO_LIMITS for limits in self.payload.limits]
        outside = [is_from_outside(learner.estimator) for learner in request.learners]
        self.is_guarded = [a or b for a, b in zip(self._is_limited, outside, strict=True)]
        self._seconds_of_run: dict[int, float] = {}  # of plain runs, by learner
        self.cost_ranks = [learner.cost_rank for learner in request.learners]
        self._ended: list[tuple[Job, RunRecord]] = []  # of one learner, and not taken so far
        self.without_cost: set[int] = set()  # batched learners whose cost is to be measured

    def start(self) -> None:
        """Find out what is missing, and say that work begins."""
        self._find()
        interim = self.request.interim
        self.n_repeats = 0
        # repeats that each learner is asked for; a store may hold more of one that has left
        n_first = self.request.plan.n_repeats if interim is None else 0
        self.n_asked = [n_first if wanted else 0 for wanted in self.request.is_wanted]
        self.observer.start(
            self.request,
            self.store,
            n_reused=[int(table.is_done.sum()) for table in self.tables],
            snapshot=lambda: self.result(is_interrupted=True),
        )
        self._tell_outdated()
        if self._ends_early and self.store.decisions(self.comparison_number, ENDING):
            self.store.keep_decisions(self.comparison_number, ENDING, [])
        self._stages = self._all_stages()

    def advance(self) -> bool:
        """Go on to the next runs that are missing, beyond those of `work`, which are done.

        Returns
        -------
        bool
            Whether there are any; else all is done, and the repeats of each learner are stored.
        """
        self.work = None
        for work in self._stages:
            self.is_timed_alone = False
            if any(work.n_missing):
                self.work = work
                self._note_unknown_costs(work)
                return True
        if self._ends_early:
            ends = [n * self.request.plan.n_folds for n in self.n_asked]
            self.store.keep_decisions(self.comparison_number, ENDING, ends)
        return False

    @property
    def _ends_early(self) -> bool:
        return self.request.interim is not None or not all(self.request.is_wanted)

    def rest(self) -> None:
        """Hand back the guarded process, which another request may need."""
        self._guard.close()

    def close(self) -> None:
        """End the guarded process, and delete what it has read."""
        self._guard.close()
        self._file.close()

    def _tell_outdated(self) -> None:
        if self.n_outdated:
            self.observer.passed_over(self.n_outdated)

    def _all_stages(self) -> Iterator[PendingRuns]:
        """Give the runs that are missing up to the next look, until no learner goes on."""
        interim, plan = self.request.interim, self.request.plan
        looks = (plan.n_repeats,) if interim is None else interim.looks
        goes_on: Sequence[bool] = self.request.is_wanted
        seconds = self.shared.seconds
        start = 0
        for look in looks:
            wanted = []
            for is_missing, is_wanted in zip(self.is_missing, goes_on, strict=True):
                window = np.zeros_like(is_missing)
                if is_wanted:
                    window[start:look] = is_missing[start:look]
                wanted.append(window)
            if any(item.any() for item in wanted):
                self.store.check_writable()
            self.n_repeats = look
            if interim is not None:
                asked = zip(self.n_asked, goes_on, strict=True)
                self.n_asked = [look if further else before for before, further in asked]
            fits, ranks = self.payload.fits, self.cost_ranks
            yield PendingRuns(wanted, self.seeds, fits, seconds, self._seconds_of_run, ranks)
            if interim is not None:
                self.store.flush()
                goes_on = interim.analyse(self._part(start, look, goes_on))
                self.observer.looked(goes_on)
                if not any(goes_on):
                    return
            start = look

    def prepare_guard(self) -> None:
        """Start the guarded process if it will be needed, without waiting for it."""
        missing = [i for i, item in enumerate(self.is_missing) if item.any()]
        if any(self.is_guarded[index] for index in missing):
            with suppress(RunError):  # raised, or of no matter, where it is needed
                self._guard.begin()

    def do_next(self, work: PendingRuns) -> None:
        """Do what comes next here; a learner with a process of its own keeps that for a while."""
        end, turn = time.monotonic() + TURN_SECONDS, work.next_turn()
        while turn is not None:
            self.do_here(turn, work)
            left = end - time.monotonic()
            if isinstance(turn, BatchedJob) or left < 0:
                return
            index = turn[0].learner_index
            turn = work.first_turn(index, left) if self._needs_guard(index) else None

    def do_here(self, turn: BatchedJob | list[Job], work: PendingRuns) -> None:
        """Do the next runs of one learner in this process, or in the guarded one of it."""
        start = time.perf_counter()
        with self.interrupts.finishing(
            lambda: work.seconds_of(turn) - (time.perf_counter() - start)
        ):
            if isinstance(turn, BatchedJob):
                self.observer.running([turn.learner_index])
                records = self._run_batched(turn)
                work.tell_seconds(turn, time.perf_counter() - start)
                self._measure_costs(turn.learner_index)
                work.leave(self._take_block(turn, records, work))
                self.check_end()
                return
            self.observer.running([turn[0].learner_index])
            began, is_guarded = start, self._needs_guard(turn[0].learner_index)
            together = 0.0 if is_guarded else self.taken_seconds
            try:
                for job, record in zip(turn, self._runs(turn), strict=True):
                    self._ended.append((job, record))
                    now = time.perf_counter()
                    work.tell_run_seconds(job.learner_index, now - start)
                    start = now
                    if now - began >= together:
                        self._take_ended()
                        began = now
                    self.check_end()
            finally:
                self._take_ended()

    def seconds_of(self, work: BatchedJob | Sequence[Job]) -> float:
        """Return about how long runs that were handed out take; nan where that is unknown."""
        n_runs = 1 if isinstance(work, BatchedJob) else len(work)
        return float("nan") if self.work is None else n_runs * self.work.seconds_of(work)

    def _runs(self, jobs: Sequence[Job]) -> Iterator[RunRecord]:
        """Do runs of one learner; they have no first-call effects where few others exist."""
        if len(self.request.plan) >= _MANY_RUNS and self._needs_guard(jobs[0].learner_index):
            return self._run_guarded(jobs)
        return self._one_by_one(jobs)

    def _one_by_one(self, jobs: Sequence[Job]) -> Iterator[RunRecord]:
        is_one_of_few = len(self.request.plan) < _MANY_RUNS
        return map(self._timed_run if is_one_of_few else self._run, jobs)

    def _run(self, job: Job) -> RunRecord:
        """Do a run: here, or guarded where it is limited, may crash, or threads do runs."""
        if self._needs_guard(job.learner_index):
            return next(iter(self._run_guarded([job])))
        return self._done_here(lambda: self.payload.run(job))

    def _done_here(self, work: Callable[[], T]) -> T:
        """Return what a function gives, unless the budget ends before."""
        try:
            return self.thread.do(work, self._seconds_left(), self._take_ended)
        except TimeoutError:
            raise OutOfTimeError from None

    def _seconds_left(self) -> float:
        """Return what is left of the budget; the first run of all has some seconds anyway."""
        has_any = self.n_fitted or any(table.is_done.any() for table in self.tables)
        least = 0.001 if has_any else _FIRST_RUN_SECONDS
        return max(self.deadline - time.monotonic(), least)

    def _run_guarded(self, jobs: Sequence[Job]) -> Iterator[RunRecord]:
        """Do runs of one learner in the guarded process, within its limits and the budget."""
        limits = self.payload.limits_of(jobs[0].learner_index)
        if self.deadline == float("inf"):
            return self._guard.run_block(jobs, limits)
        return (self._guarded_in_time(job, limits) for job in jobs)

    def _guarded_in_time(self, job: Job, limits: Limits) -> RunRecord:
        left = self._seconds_left()
        is_limit = left < (limits.seconds or float("inf"))
        if is_limit:
            limits = limits._replace(seconds=left)
        record = next(self._guard.run_block([job], limits))
        if is_limit and is_out_of_time(record.status):
            raise OutOfTimeError
        return record

    def _needs_guard(self, learner_index: int) -> bool:
        """Return whether a learner is run in a process of its own.

        One that cannot be sent there is run here, unless that is impossible.
        """
        is_guarded = self.is_guarded[learner_index]
        if is_guarded and self.thread.is_here and not any(self._is_limited):
            try:
                self._guard.wait()
            except RunError:  # it cannot be pickled, or is of a module that has no file
                self.is_bound, self.is_guarded = True, [False] * len(self.is_guarded)
        return self.is_guarded[learner_index] or not self.thread.is_here

    def time_alone(self) -> None:
        """Do the first runs of every learner before others go on at the same time.

        Their seconds tell what learners cost, and how long the blocks of the others should be.
        """
        work = self.work
        if work is None or self.is_timed_alone:
            return
        self.is_timed_alone = True
        start = time.monotonic()
        for index in work.untried():
            # the first block of a batched form makes it, the second tells how long others are
            n_turns = 2 if self.payload.fits[index] else _TIMED_ALONE
            begun = time.monotonic()
            for _ in range(n_turns):
                now = time.monotonic()
                is_late = now > start + _ALONE_SECONDS or now > begun + _ALONE_SECONDS_EACH
                if is_late or (turn := work.first_turn(index)) is None:
                    break
                self.do_here(turn, work)

    def take_result(self, block: Block, result: BlockResult | None) -> None:
        """Keep what came of a block.

        Parameters
        ----------
        block : Block
            As it was handed out.
        result : BlockResult or None
            None where its workers ended again and again.
        """
        index, work = block.learner_index, self.work
        assert work is not None  # it is not left before its blocks are back
        if isinstance(block.work, BatchedJob):
            attempt = BlockPredictions(None, 0.0) if result is None else result.answer
            assert isinstance(attempt, BlockPredictions)
            records = self.payload.records(block.work, attempt)
            if result is not None:
                work.tell_seconds(block.work, attempt.seconds)
                records.runs.mark(is_crowded=True)
            environment = None if result is None else result.environment
            work.leave(self._take_block(block.work, records, work, environment))
            return
        indices = [self._index(job) for job in block.work]
        if result is None:
            nan = float("nan")
            for item in indices:
                lost = RunRecord(LOST, None, nan, nan, message=_LOST_MESSAGE)
                self.tables[index].put(item, lost)
            return
        assert isinstance(result.answer, RunTable)
        work.tell_run_seconds(index, result.seconds / len(block.work))
        result.answer.mark(is_crowded=True)
        self._take(index, indices, result.answer, result.environment)

    def _run_batched(self, turn: BatchedJob) -> BlockRecords:
        if self.thread.is_here:
            return self._done_here(lambda: self.payload.run_batched(turn))
        return self._run_batched_guarded(turn)

    def _run_batched_guarded(self, turn: BatchedJob) -> BlockRecords:
        """Do whole repeats in the guarded process; all are left to plain runs if it dies."""
        left = self._seconds_left()
        try:
            attempt = self._guard.answer(turn, timeout=None if left == float("inf") else left)
        except TimeoutError:
            raise OutOfTimeError from None
        except ChildProcessError:
            attempt = BlockPredictions(None, 0.0)
        return self.payload.records(turn, attempt)

    def _take_block(
        self,
        turn: BatchedJob,
        block: BlockRecords,
        work: PendingRuns,
        environment: dict[str, Any] | None = None,
    ) -> list[Job]:
        """Keep the runs of a block that were missing; return those left to the plain fit."""
        n_folds = self.request.plan.n_folds
        indices = (np.array(turn.repeats)[:, None] * n_folds + np.arange(n_folds)).ravel()
        is_lacking = work.lacking(turn).ravel()
        is_left = np.zeros_like(is_lacking)
        is_left[block.left] = True
        is_taken = is_lacking & ~is_left
        taken = block.runs if is_taken.all() else block.runs.take(np.flatnonzero(is_taken))
        self._take(turn.learner_index, indices[is_taken].tolist(), taken, environment)
        return [
            self._job(turn.learner_index, index) for index in indices[is_lacking & is_left].tolist()
        ]

    def _job(self, learner_index: int, index: int) -> Job:
        """Return the run of a learner on one split of the plan."""
        repeat, fold = divmod(index, self.request.plan.n_folds)
        return Job(learner_index, repeat, fold, int(self.seeds[learner_index][repeat, fold]))

    def _note_unknown_costs(self, work: PendingRuns) -> None:
        self.without_cost = {
            index for index in work.batched_learners() if self._cost_run(index) is None
        }

    def _measure_costs(self, learner_index: int) -> None:
        """Do the first run of a learner by itself, if unknown: no batched form tells what it costs.

        Done once the first block is there and before it is kept, so that no store has the block
        without the cost.
        """
        is_over = self.interrupts.is_asked or time.monotonic() > self.deadline
        if is_over or learner_index not in self.without_cost:
            return
        self.without_cost.remove(learner_index)
        with suppress(OutOfTimeError):  # the block is kept all the same
            record = self._timed_run(self._job(learner_index, 0))
            self._keep(
                self.plain_numbers[learner_index], learner_index, [0], [record], is_counted=False
            )

    def _timed_run(self, job: Job) -> RunRecord:
        """Do a run whose seconds stand for its learner.

        The first run of a process is slow for many reasons, so a short one is done again, for the
        first of the requests that share work; the shortest seconds are kept, since noise only
        ever adds to a duration.
        """
        start = time.perf_counter()
        tries = [self._run(job)]
        is_known = not is_ok(tries[0].status) or job.learner_index in self.shared.measured
        n_tries = 1 if is_known else _COST_TRIES
        self.shared.measured.add(job.learner_index)
        while len(tries) < n_tries and time.perf_counter() - start < _SHORT_SECONDS:
            try:
                tries.append(self._run(job))
            except OutOfTimeError:
                break
            tries.sort(key=lambda item: item.train_cpu_seconds)
            if tries[1].train_cpu_seconds <= _ALIKE * tries[0].train_cpu_seconds:
                break
        return tries[0]._replace(
            predict_seconds=min(item.predict_seconds for item in tries),
            predict_cpu_seconds=min(item.predict_cpu_seconds for item in tries),
        )

    def _index(self, job: Job) -> int:
        return job.repeat * self.request.plan.n_folds + job.fold

    def _take_ended(self) -> None:
        """Take the runs that ended in this process since the last time, which is no long time."""
        ended, self._ended = self._ended, []
        if ended:
            indices = [self._index(job) for job, _ in ended]
            table = RunTable.packed([record for _, record in ended])
            self._take(ended[0][0].learner_index, indices, table)

    def _take(
        self,
        learner_index: int,
        indices: list[int],
        records: Sequence[Any],
        environment: dict[str, Any] | None = None,
    ) -> None:
        """Hand runs of a learner to the store, count them, and tell about them."""
        table = RunTable.of(records)
        self._keep(
            self.learner_numbers[learner_index], learner_index, indices, table,
            environment=environment,
        )  # fmt: skip
        self.tables[learner_index].put_table(
            np.array(indices, dtype=np.int64), table.kept(self.request.keep)
        )
        self.n_fresh[learner_index] += len(records)
        self.n_fitted += len(records)
        self.observer.finished(learner_index, records, self.store)

    def check_end(self) -> None:
        """Raise KeyboardInterrupt or OutOfTimeError where no further run shall start."""
        self.interrupts.check()
        self.check_time()

    def check_time(self) -> None:
        """Raise OutOfTimeError where the budget is spent."""
        if time.monotonic() > self.deadline:
            raise OutOfTimeError

    def _part(self, start: int, stop: int, goes_on: Sequence[bool]) -> Evaluation:
        """Return the runs of some repeats, of the learners that were to do them."""
        plan = self.request.plan
        assert isinstance(plan, FoldPlan)  # checked before
        window = slice(start * plan.n_folds, stop * plan.n_folds)
        return self._evaluation(plan.repeats(start, stop), window, goes_on, is_interrupted=False)

    def result(self, *, is_interrupted: bool) -> Evaluation:
        """Return the runs that are there, up to the last repeat that was asked for."""
        plan = self.request.plan
        if self.request.interim is not None and isinstance(plan, FoldPlan):
            plan = plan.repeats(0, self.n_repeats or plan.n_repeats)
        every = [True] * len(self.identities)
        window = slice(0, len(plan))
        evaluation = self._evaluation(plan, window, every, is_interrupted=is_interrupted)
        n_asked = [min(n * plan.n_folds, len(plan)) for n in self.n_asked]
        return evaluation.cut_at(n_asked)

"""Runner of missing runs: serial, in parallel, resumed.

Work goes repeat by repeat over all learners, so that a verdict exists early; learners with a
batched form do some repeats at once.  What a run computes depends on names alone; how runs are
spread over threads, processes and blocks changes no number.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from itertools import groupby, islice
from typing import Any

import numpy as np

from bestofk.evaluation.batched_fit import BlockRecords
from bestofk.evaluation.evaluation import Evaluation
from bestofk.evaluation.guard import GuardedProcess
from bestofk.evaluation.interrupt import noted_interrupts
from bestofk.evaluation.observer import Observer
from bestofk.evaluation.options import n_workers
from bestofk.evaluation.parallel import in_parallel
from bestofk.evaluation.pending_runs import PendingRuns
from bestofk.evaluation.record import OK, RunRecord
from bestofk.evaluation.request import EvaluationRequest, check_request
from bestofk.evaluation.request_runs import RequestRuns
from bestofk.evaluation.run import runs_here
from bestofk.evaluation.run_table import RunTable
from bestofk.evaluation.store.store import ENDING, Store
from bestofk.evaluation.threads import one_thread
from bestofk.evaluation.worker import (
    BatchedJob,
    Job,
    PayloadFile,
    attempt_block,
    load_block,
    run_block,
)
from bestofk.learners import cost_rank
from bestofk.resampling import FoldPlan

# A task of a worker is this long: dispatch (some 3 ms) stays under 2 %, and what is finished
# is on disk within a second.
_TASK_SECONDS = 0.3
# A run that measures the cost of a learner is done so often, while that has taken no longer and
# until two are alike: what disturbs a run makes it longer, and hardly two of them by as much. What
# the first run of a process needs in addition is some ten milliseconds, little for a longer run.
_COST_TRIES, _SHORT_SECONDS, _ALIKE = 5, 0.25, 1.1
# So many runs have a median that one slow run hardly moves.
_MANY_RUNS = 3
# Less work than this is done faster without starting workers.
_PARALLEL_SECONDS = 3.0


class OutOfTimeError(Exception):
    """The budget is spent."""


def evaluate(
    request: EvaluationRequest, store: Store, observer: Observer | None = None
) -> Evaluation:
    """Do every run that the store does not have yet, and return all of them.

    Parameters
    ----------
    request : EvaluationRequest
        What is to be run.
    store : Store
        Where finished runs are found and put.
    observer : Observer, optional
        Told about progress; may show it.

    Returns
    -------
    Evaluation
        Runs of all learners on all splits, up to the last repeat that an interim analysis
        asked for; incomplete if it was interrupted.

    Raises
    ------
    InvalidArgumentError
        If `keep`, `timeout`, `n_jobs` or `batched` is not one of the values allowed.
    StoreError
        If the store cannot be read or written.
    """
    check_request(request)
    observer = observer or Observer()
    observer.asked(request)
    return Runner(request, store, observer).run()


class Runner(RequestRuns):
    """One call of `evaluate`: does what is missing, in order, here or in workers."""

    def __init__(self, request: EvaluationRequest, store: Store, observer: Observer) -> None:
        super().__init__(request, store)
        self.observer = observer
        self._file = PayloadFile(self.payload)
        self._guard = GuardedProcess(self._file)
        self._seconds_of_run: dict[int, float] = {}  # of plain runs, by learner
        self.cost_ranks = [cost_rank(learner.estimator) for learner in request.learners]
        self.without_cost: set[int] = set()  # batched learners whose cost is to be measured

    def run(self) -> Evaluation:
        """Do every run that is missing, and return all of them."""
        budget = self.request.budget
        self.deadline = float("inf") if budget is None else time.monotonic() + budget
        self._find()
        interim = self.request.interim
        self.n_repeats = 0
        # repeats that each learner is asked for; a store may hold more of one that has left
        n_first = self.request.plan.n_repeats if interim is None else 0
        self.n_asked = [n_first if wanted else 0 for wanted in self.request.is_wanted]
        ends_early = interim is not None or not all(self.request.is_wanted)
        self.observer.start(
            self.request,
            self.store,
            n_reused=[int((~item).sum()) for item in self.is_missing],
            snapshot=lambda: self._collect(is_interrupted=True),
        )
        self._tell_outdated()
        is_interrupted = is_out_of_time = False
        if ends_early and self.store.decisions(self.comparison_number, ENDING):
            self.store.keep_decisions(self.comparison_number, ENDING, [])
        try:
            if interim is not None or any(item.any() for item in self.is_missing):
                with noted_interrupts() as self.check_interrupt:
                    self._work()
            self.n_repeats = self.n_repeats or self.request.plan.n_repeats
        except KeyboardInterrupt:
            is_interrupted = True
        except OutOfTimeError:
            is_out_of_time = True
        finally:
            self.store.flush()
            self.observer.stop()
        if ends_early and not (is_interrupted or is_out_of_time):
            ends = [n * self.request.plan.n_folds for n in self.n_asked]
            self.store.keep_decisions(self.comparison_number, ENDING, ends)
        result = self._collect(is_interrupted=is_interrupted)
        return replace(result, is_out_of_time=is_out_of_time)

    def _tell_outdated(self) -> None:
        if self.n_outdated:
            self.observer.passed_over(self.n_outdated)

    def _stages(self) -> Iterator[PendingRuns]:
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

    def _work(self) -> None:
        with prepared_for_runs() as (self.is_here, self.hold_threads), closing(self):
            for work in self._stages():
                self._do_stage(work)

    def close(self) -> None:
        """End the guarded process, and delete what it has read."""
        self._guard.close()
        self._file.close()

    def _do_stage(self, work: PendingRuns) -> None:
        """Do the runs up to the next look."""
        self._note_unknown_costs(work)
        n_jobs = n_workers(self.request.n_jobs)
        if n_jobs == 1 or not self.is_here:
            for turn in work.turns():
                self._do_here(turn, work)
            return
        for index in work.batched_learners():
            self._first_block(index, work)
        rest = self._sample(work.plain_jobs(), work)
        self._batched_in_parallel(work, n_jobs)
        rest = work.in_order([*rest, *self._sample(work.left, work)])
        if sum(self._seconds_of_run[job.learner_index] for job in rest) > _PARALLEL_SECONDS:
            self._plain_in_parallel(rest, n_jobs)
            return
        for job in rest:
            self._run_plain(job)

    def _do_here(self, turn: BatchedJob | list[Job], work: PendingRuns) -> None:
        """Do the next runs of one learner in this process."""
        jobs = turn if isinstance(turn, list) else []
        index = turn.learner_index if isinstance(turn, BatchedJob) else turn[0].learner_index
        self.observer.running([index])
        if isinstance(turn, BatchedJob):
            start = time.perf_counter()
            records = self._run_batched(turn)
            work.tell_seconds(turn, time.perf_counter() - start)
            self._measure_costs(turn.learner_index)
            jobs = self._take_block(turn, records, work)
        for job in jobs:
            self._run_noted(job, work)

    def _run_noted(self, job: Job, work: PendingRuns) -> None:
        """Do a run and keep it; its seconds say when others of its learner have their turn."""
        start = time.perf_counter()
        self._run_plain(job)
        work.tell_run_seconds(job.learner_index, time.perf_counter() - start)

    def _run(self, job: Job) -> RunRecord:
        """Do a run: here, guarded where time is limited or other threads do runs."""
        if self.request.timeout is None and self.is_here:
            return self.payload.run(job)
        return self._guard.run(job, timeout=self.request.timeout)

    def _run_batched(self, turn: BatchedJob) -> BlockRecords:
        if self.is_here:
            return self.payload.run_batched(turn)
        return self._run_batched_guarded(turn, timeout=None)

    def _run_batched_guarded(self, turn: BatchedJob, *, timeout: float | None) -> BlockRecords:
        """Do whole repeats in the guarded process; all are left to plain runs if it dies."""
        try:
            records: BlockRecords = self._guard.answer(turn, timeout=timeout)
        except ChildProcessError:
            return BlockRecords.of(RunTable(turn.seeds.size))
        return records

    def _take_block(self, turn: BatchedJob, block: BlockRecords, work: PendingRuns) -> list[Job]:
        """Keep the runs of a block that were missing; return those left to the plain fit."""
        n_folds = self.request.plan.n_folds
        indices = (np.array(turn.repeats)[:, None] * n_folds + np.arange(n_folds)).ravel()
        is_lacking = work.lacking(turn).ravel()
        is_left = np.zeros_like(is_lacking)
        is_left[block.left] = True
        is_taken = is_lacking & ~is_left
        taken = block.runs if is_taken.all() else block.runs.take(np.flatnonzero(is_taken))
        self._take(turn.learner_index, indices[is_taken].tolist(), taken)
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
        if learner_index not in self.without_cost:
            return
        self.without_cost.remove(learner_index)
        job = self._job(learner_index, 0)
        record = self._timed_run(job)
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
        is_known = tries[0].status != OK or job.learner_index in self.shared.measured
        n_tries = 1 if is_known else _COST_TRIES
        self.shared.measured.add(job.learner_index)
        while len(tries) < n_tries and time.perf_counter() - start < _SHORT_SECONDS:
            tries.append(self._run(job))
            tries.sort(key=lambda item: item.train_seconds)
            if tries[1].train_seconds <= _ALIKE * tries[0].train_seconds:
                break
        return tries[0]._replace(predict_seconds=min(item.predict_seconds for item in tries))

    def _run_plain(self, job: Job) -> None:
        """Do a run and keep it; its seconds have no first-call effects where few others exist."""
        is_one_of_few = len(self.request.plan) < _MANY_RUNS
        self._take_run(job, self._timed_run(job) if is_one_of_few else self._run(job))

    def _sample(self, pending: list[Job], work: PendingRuns) -> list[Job]:
        """Do one run of every learner here, so that the length of the others is known."""
        rest = []
        for job in pending:
            if job.learner_index in self._seconds_of_run:
                rest.append(job)
                continue
            self.observer.running([job.learner_index])
            self._run_noted(job, work)
        return rest

    def _first_block(self, learner_index: int, work: PendingRuns) -> None:
        """Do the next block of a learner here; the first one makes its form."""
        self.observer.running([learner_index])
        for turn in islice(work.blocks(learner_index), 1):
            start = time.perf_counter()
            result = self.payload.run_batched(turn)
            work.tell_seconds(turn, time.perf_counter() - start)
            self._measure_costs(learner_index)
            work.left += self._take_block(turn, result, work)

    def _batched_in_parallel(self, work: PendingRuns, n_jobs: int) -> None:
        """Do all blocks: in threads where compiled code lets them, else in processes.

        One more block of every learner is done here, which tells how long the others are.
        """
        for index in work.batched_learners():
            self._first_block(index, work)
            blocks = work.blocks(index)
            if work.expected_seconds(index) < _PARALLEL_SECONDS:
                for turn in blocks:
                    work.left += self._take_block(turn, self.payload.run_batched(turn), work)
                continue
            fit = self.payload.fits[index]
            assert fit is not None  # learners with batched runs have one
            task: Any = self.payload.attempt
            if not fit.releases_lock:
                task = partial(attempt_block, os.fspath(self._file))
            backend = "threading" if fit.releases_lock else "loky"
            for turn, sent in in_parallel(task, blocks, backend, n_jobs):
                attempt = load_block(sent)
                work.tell_seconds(turn, attempt.seconds)
                work.left += self._take_block(turn, self.payload.records(turn, attempt), work)

    def _plain_in_parallel(self, jobs: list[Job], n_jobs: int) -> None:
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        task = partial(run_block, os.fspath(self._file), timeout=self.request.timeout)
        left = dict.fromkeys(jobs)
        self._tell_running(left, n_jobs)
        try:
            for block, records in in_parallel(task, self._blocks(jobs), "loky", n_jobs):
                for job in block:
                    del left[job]
                self._tell_running(left, n_jobs)
                self._take(block[0].learner_index, [self._index(job) for job in block], records)
        except TerminatedWorkerError:
            # a run killed its worker; alone in a process it is found out and recorded
            for job in left:
                self._take_run(job, self._guard.run(job, timeout=self.request.timeout))

    def _tell_running(self, left: Iterable[Job], n_jobs: int) -> None:
        """Tell the observer the learners of the runs that workers took first."""
        blocks = groupby(left, key=lambda job: (job.learner_index, job.repeat))
        self.observer.running(sorted({index for (index, _), _ in islice(blocks, n_jobs)}))

    def _blocks(self, jobs: Sequence[Job]) -> Iterator[list[Job]]:
        """Cut the work into tasks of one learner and one repeat, of about the wanted length."""
        for (learner_index, _), group in groupby(
            jobs, key=lambda job: (job.learner_index, job.repeat)
        ):
            size = int(_TASK_SECONDS / max(self._seconds_of_run[learner_index], 1e-4))
            block = list(group)
            for start in range(0, len(block), max(1, size)):
                yield block[start : start + max(1, size)]

    def _index(self, job: Job) -> int:
        return job.repeat * self.request.plan.n_folds + job.fold

    def _take_run(self, job: Job, record: RunRecord) -> None:
        self._take(job.learner_index, [self._index(job)], [record])

    def _take(self, learner_index: int, indices: list[int], records: Sequence[Any]) -> None:
        """Hand runs of a learner to the store, count them, and tell about them."""
        table = RunTable.of(records)
        self._keep(self.learner_numbers[learner_index], learner_index, indices, table)
        self.tables[learner_index].put_table(
            np.array(indices, dtype=np.int64), table.kept(self.request.keep)
        )
        self.n_fresh[learner_index] += len(records)
        self.n_fitted += len(records)
        self.observer.finished(learner_index, records, self.store)
        self.hold_threads()
        self.check_interrupt()
        if time.monotonic() > self.deadline:
            raise OutOfTimeError

    def _part(self, start: int, stop: int, goes_on: Sequence[bool]) -> Evaluation:
        """Return the runs of some repeats, of the learners that were to do them."""
        plan = self.request.plan
        assert isinstance(plan, FoldPlan)  # checked before
        window = slice(start * plan.n_folds, stop * plan.n_folds)
        return self._evaluation(plan.repeats(start, stop), window, goes_on, is_interrupted=False)

    def _collect(self, *, is_interrupted: bool) -> Evaluation:
        plan = self.request.plan
        if self.request.interim is not None and isinstance(plan, FoldPlan):
            plan = plan.repeats(0, self.n_repeats)
        every = [True] * len(self.identities)
        window = slice(0, len(plan))
        evaluation = self._evaluation(plan, window, every, is_interrupted=is_interrupted)
        n_asked = [min(n * plan.n_folds, len(plan)) for n in self.n_asked]
        return evaluation.cut_at(n_asked)


@contextmanager
def prepared_for_runs() -> Iterator[tuple[bool, Callable[[], None]]]:
    """Make this process ready for runs, unless another thread of it does some.

    Yields
    ------
    bool
        Whether this process may do runs; otherwise they need one of their own.
    callable
        Called after a run, it holds the libraries that were loaded meanwhile to one thread.
    """
    with runs_here() as is_here:
        if not is_here:
            yield False, lambda: None
            return
        with one_thread() as hold_threads:
            yield True, hold_threads

"""Runner of missing runs: serial, in parallel, resumed.

Work goes repeat by repeat over all learners, so that a verdict exists early; learners with a
batched form do some repeats at once.  What a run computes depends on names alone; how runs are
spread over threads, processes and blocks changes no number.
"""

from __future__ import annotations

import os
import pickle
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from itertools import compress, islice, takewhile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.data.temporary_folder import temporary_folder
from bestofk.errors import RunError
from bestofk.evaluation.batched_fit import BatchedFit, BlockPredictions, BlockRecords
from bestofk.evaluation.collector import paused_collector
from bestofk.evaluation.evaluation import Evaluation
from bestofk.evaluation.guard import GuardedProcess
from bestofk.evaluation.identity import LearnerIdentity, identify
from bestofk.evaluation.interrupt import held_interrupts, noted_interrupts
from bestofk.evaluation.n_jobs import n_workers
from bestofk.evaluation.observer import Observer
from bestofk.evaluation.parent import end_with
from bestofk.evaluation.pending_runs import PendingRuns, indices_of
from bestofk.evaluation.record import (
    KEEP_PROBABILITIES,
    KEEP_SCORES,
    OK,
    RunRecord,
    kept,
)
from bestofk.evaluation.request import EvaluationCache, EvaluationRequest, check_request
from bestofk.evaluation.run import RunnableLearner, runs_here
from bestofk.evaluation.score import score_runs
from bestofk.evaluation.store.runs import RunKey, StoredRun
from bestofk.evaluation.store.store import ENDING, Store
from bestofk.evaluation.threads import one_thread
from bestofk.evaluation.worker import (
    AttemptOnDisk,
    BatchedJob,
    Job,
    Payload,
    attempt_block,
    load_block,
    run_block,
)
from bestofk.randomness import derive_seeds
from bestofk.resampling import FoldPlan, Plan
from bestofk.trees.compiled import Stopwatch

# A task of a worker is this long: dispatch (some 3 ms) stays under 2 %, and what is finished
# is on disk within a second.
_TASK_SECONDS = 0.3
# A run that measures the cost of a learner is done so often, if that takes no longer and until
# two are alike: what disturbs a run makes it longer, and hardly two of them by as much.
_COST_TRIES, _SHORT_SECONDS, _ALIKE = 3, 0.01, 1.25
_BlockRunner = Callable[[BatchedJob], BlockPredictions | AttemptOnDisk]
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
    return Runner(request, store, observer or Observer()).run()


class Runner:
    """One call of `evaluate`: its keys, what is missing, and where results go."""

    def __init__(self, request: EvaluationRequest, store: Store, observer: Observer) -> None:
        self.request, self.store, self.observer = request, store, observer
        self.shared = request.shared or EvaluationCache()
        self.identities = self.shared.identities
        if not self.identities:
            self.identities += [
                identify(learner.name, learner.estimator) for learner in request.learners
            ]
        runnable = tuple(
            RunnableLearner(learner.name, learner.estimator, identity.unseeded)
            for learner, identity in zip(request.learners, self.identities, strict=True)
        )
        self.payload = Payload(
            request.data, request.plan, runnable, request.batched, forms=self.shared.forms
        )
        # runs of this call by learner and learner_index in the plan, and how many there are
        self.fresh: list[list[RunRecord | None]] = [
            [None] * len(request.plan) for _ in self.identities
        ]
        self.n_fresh = [0] * len(self.identities)
        self.n_fitted = 0
        self.without_cost: set[int] = set()  # batched learners whose cost is to be measured
        fits = self.payload.fits  # made before the store is held
        store.mend()
        with store.transaction():
            self._register(fits)
        self.damaged = list(store.mended)

    def _register(self, fits: Sequence[BatchedFit | None]) -> None:
        """Enter in the store what runs refer to."""
        request, store = self.request, self.store
        self.data_number = store.register_data(request.data)
        self.plain_numbers = [store.register_learner(identity) for identity in self.identities]
        self.learner_numbers = [
            number if fit is None else store.register_learner(identity.batched_identity(fit.code))
            for fit, identity, number in zip(fits, self.identities, self.plain_numbers, strict=True)
        ]
        plan_number, self.splits = store.register_plan(request.plan)
        names = [learner.name for learner in request.learners]
        learners = list(zip(names, self.learner_numbers, strict=True))
        self.comparison_number = store.register_comparison(
            self.data_number, plan_number, request.random_state, learners
        )

    def run(self) -> Evaluation:
        """Do every run that is missing, and return all of them."""
        budget, watch = self.request.budget, Stopwatch()
        self.deadline = float("inf") if budget is None else time.monotonic() + budget
        self._find()
        interim = self.request.interim
        self.n_repeats = 0
        # repeats that each learner is asked for; a store may hold more of one that has left
        self.n_asked = [self.request.plan.n_repeats if interim is None else 0] * len(self.seeds)
        self.observer.start(
            self.request,
            self.store,
            n_reused=[int((~item).sum()) for item in self.is_missing],
            snapshot=lambda: self._collect(is_interrupted=True),
        )
        self._tell_outdated()
        is_interrupted = is_out_of_time = False
        if interim is not None and self.store.decisions(self.comparison_number, ENDING):
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
        if interim is not None and not (is_interrupted or is_out_of_time):
            ends = [n * self.request.plan.n_folds for n in self.n_asked]
            self.store.keep_decisions(self.comparison_number, ENDING, ends)
        result = self._collect(is_interrupted=is_interrupted)
        compiling = watch.compiling()
        return replace(result, is_out_of_time=is_out_of_time, compile_seconds=compiling)

    def _seeds(self, identity: LearnerIdentity) -> NDArray[np.int64]:
        """Return the seed of every run of a learner, shape (n_repeats, n_folds)."""
        request = self.request
        names = (request.random_state, request.data.id, identity.stream_name)
        return derive_seeds(*names, shape=(request.plan.n_repeats, request.plan.n_folds))

    def _find(self) -> None:
        """Find out which runs the store lacks."""
        limit = self.request.timeout or float("inf")
        self.seeds = [self._seeds(identity) for identity in self.identities]
        self.is_missing: list[NDArray[np.bool_]] = []
        # runs that the store had, of learners of which it had some on this plan
        self.stored: dict[int, dict[tuple[int, int], StoredRun]] = {}
        for index, (number, seeds) in enumerate(zip(self.learner_numbers, self.seeds, strict=True)):
            entered = self.store.finished(self.data_number, number, limit_seconds=limit)
            keys = list(zip(self.splits, seeds.ravel().tolist(), strict=True)) if entered else []
            is_missing = np.ones(seeds.shape, dtype=bool)
            if not entered.isdisjoint(keys):
                result = self.store.runs(
                    self.data_number,
                    number,
                    n_classes=len(self.request.data.classes),
                    limit_seconds=limit,
                )
                self.stored[index] = result
                is_missing.ravel()[:] = [key not in result for key in keys]
                is_damaged = [key in entered and key not in result for key in keys]
                self.damaged += self._run_names(index, np.flatnonzero(is_damaged).tolist())
            self.is_missing.append(is_missing)
        self.n_outdated = self._count_outdated()

    def _run_names(self, learner: int, indices: Sequence[int]) -> list[str]:
        """Return how runs of a learner are called: by its name, repeat and fold."""
        name, n_folds = self.request.learners[learner].name, self.request.plan.n_folds
        return [f"{name}, repeat {i // n_folds}, fold {i % n_folds}" for i in indices]

    def _count_outdated(self) -> int:
        """Count the runs that are missing but that other code has left in the store."""
        current = {*self.plain_numbers, *self.learner_numbers}
        n_outdated = 0
        whose = zip(self.identities, self.payload.fits, self.seeds, self.is_missing, strict=True)
        for identity, fit, seeds, is_missing in whose:
            if not is_missing.any():
                continue
            result = self.store.finished_by_other_code(
                self.data_number, identity.stream_name, is_batched=fit is not None, current=current
            )
            if result:
                keys = zip(self.splits, seeds.ravel().tolist(), strict=True)
                missing = compress(keys, is_missing.ravel().tolist())
                n_outdated += sum(key in result for key in missing)
        return n_outdated

    def _tell_outdated(self) -> None:
        if self.n_outdated:
            self.observer.passed_over(self.n_outdated)

    def _stages(self) -> Iterator[PendingRuns]:
        """Give the runs that are missing up to the next look, until no learner goes on."""
        interim, plan = self.request.interim, self.request.plan
        looks = (plan.n_repeats,) if interim is None else interim.looks
        goes_on: Sequence[bool] = [True] * len(self.identities)
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
            yield PendingRuns(wanted, self.seeds, self.payload.fits, seconds)
            if interim is not None:
                self.store.flush()
                goes_on = interim.analyse(self._part(start, look, goes_on))
                self.observer.looked(goes_on)
                if not any(goes_on):
                    return
            start = look

    def _work(self) -> None:
        with (
            prepared_for_runs() as (self.is_here, self.hold_threads),
            temporary_folder() as folder,
        ):
            path = folder / "payload"
            seconds: dict[int, list[float]] = {}
            with self._serial_runner(path) as serial:
                for work in self._stages():
                    self._do_stage(work, serial, path, seconds)

    def _do_stage(
        self,
        work: PendingRuns,
        serial: Callable[[Job], RunRecord],
        path: Path,
        seconds: dict[int, list[float]],
    ) -> None:
        """Do the runs up to the next look; `seconds` of plain runs are learned on the fit."""
        self._note_unknown_costs(work)
        n_jobs = n_workers(self.request.n_jobs)
        if n_jobs == 1 or not self.is_here:
            for turn in work.turns():
                self._do_here(turn, work, serial)
            return
        self._batched_in_parallel(work, serial, path, n_jobs)
        rest = self._sample(work.plain_jobs(), serial, seconds)
        if _expected(rest, seconds) > _PARALLEL_SECONDS:
            self._parallel(rest, seconds, path, n_jobs)
            return
        for job in rest:
            self._take(job, serial(job))

    def _do_here(
        self, turn: BatchedJob | list[Job], work: PendingRuns, serial: Callable[[Job], RunRecord]
    ) -> None:
        """Do the next runs of one learner in this process."""
        jobs = turn if isinstance(turn, list) else []
        if isinstance(turn, BatchedJob):
            start = time.perf_counter()
            records = self._run_batched(turn)
            work.tell_seconds(turn, time.perf_counter() - start)
            self._measure_costs(turn.learner, serial)
            jobs = self._take_block(turn, records, work)
        for job in jobs:
            self._take(job, serial(job))

    def _run_batched(self, turn: BatchedJob) -> BlockRecords:
        if self.is_here:
            return self.payload.run_batched(turn)
        return run_batched_in(self._guard, turn, timeout=None)

    def _take_block(self, turn: BatchedJob, block: BlockRecords, work: PendingRuns) -> list[Job]:
        """Keep the runs of a block that were missing; return those left to the plain fit."""
        n_folds, keep = self.request.plan.n_folds, self.request.keep
        is_lacking = work.lacking(turn).ravel()
        is_left = np.zeros_like(is_lacking)
        is_left[block.left] = True
        every = (np.array(turn.repeats)[:, None] * n_folds + np.arange(n_folds)).ravel()
        seeds = turn.seeds.ravel()
        left = [
            Job(turn.learner, *divmod(index, n_folds), seed)
            for index, seed in _pairs(every, seeds, is_lacking & is_left)
        ]
        is_taken = is_lacking & ~is_left
        taken: list[Any] = block.runs
        if not is_taken.all():
            taken = list(compress(block.runs, is_taken.tolist()))
        if keep == KEEP_SCORES:
            runs = zip(_pairs(every, seeds, is_taken), taken, strict=True)
            for (index, seed), record in runs:
                self._take(Job(turn.learner, *divmod(index, n_folds), seed), record)
            return left
        indices = indices_of(every[is_taken])
        if isinstance(indices, slice):
            splits = self.splits[indices]
        else:
            splits = [self.splits[position] for position in indices]
        with paused_collector():
            self.store.add_all(
                (self.data_number, self.learner_numbers[turn.learner]), splits,
                seeds[is_taken].tolist(), taken, keep=keep,
                n_classes=len(self.request.data.classes),
            )  # fmt: skip
        self._finish(turn.learner, indices, taken)
        return left

    def _is_cost_known(self, learner_index: int) -> bool:
        return self._cost_run(learner_index, self.splits[0]) is not None

    def _note_unknown_costs(self, work: PendingRuns) -> None:
        self.without_cost = {
            index for index in work.batched_learners() if not self._is_cost_known(index)
        }

    def _measure_costs(self, learner_index: int, serial: Callable[[Job], RunRecord]) -> None:
        """Do the first run of a learner by itself, if unknown: no batched form tells what it costs.

        Done once the first block is there, whose loops are compiled by then, and before it is
        kept, so that no store has the block without the cost.  The first run of a process is
        slow for many reasons, so a short one is done again, for the first of the requests that
        share work; the shortest is kept, since noise only ever adds to a duration.
        """
        if learner_index not in self.without_cost:
            return
        self.without_cost.remove(learner_index)
        job = Job(learner_index, 0, 0, int(self.seeds[learner_index][0, 0]))
        start = time.perf_counter()
        tries = [serial(job)]
        n_tries = 1 if learner_index in self.shared.measured else _COST_TRIES
        self.shared.measured.add(learner_index)
        while len(tries) < n_tries and time.perf_counter() - start < _SHORT_SECONDS:
            tries.append(serial(job))
            tries.sort(key=lambda item: item.train_seconds)
            if tries[1].train_seconds <= _ALIKE * tries[0].train_seconds:
                break
        self._keep(job, tries[0], self.plain_numbers[learner_index], is_counted=False)

    @contextmanager
    def _serial_runner(self, path: Path) -> Iterator[Callable[[Job], RunRecord]]:
        """Yield a function that does a run: here, guarded where time is limited or threads run."""
        if self.request.timeout is None and self.is_here:
            yield self.payload.run
            return
        write_payload(path, self.payload)
        with closing(GuardedProcess(path)) as self._guard:
            yield partial(self._guard.run, timeout=self.request.timeout)

    def _sample(
        self,
        pending: list[Job],
        serial: Callable[[Job], RunRecord],
        seconds: dict[int, list[float]],
    ) -> list[Job]:
        """Do one run of every learner here, so that the length of the others is known."""
        rest = []
        for job in pending:
            if job.learner in seconds:
                rest.append(job)
                continue
            start = time.perf_counter()
            self._take(job, serial(job))
            seconds[job.learner] = [time.perf_counter() - start]
        return rest

    def _batched_in_parallel(
        self, work: PendingRuns, serial: Callable[[Job], RunRecord], path: Path, n_jobs: int
    ) -> None:
        """Do all blocks: in threads where compiled code lets them, else in processes.

        The first block of every learner is done here, which makes its form and tells how
        long the others are.
        """
        for index in work.batched_learners():
            blocks = work.blocks(index)
            for turn in islice(blocks, 2):
                start = time.perf_counter()
                result = self.payload.run_batched(turn)
                work.tell_seconds(turn, time.perf_counter() - start)
                self._measure_costs(index, serial)
                work.left += self._take_block(turn, result, work)
            if work.expected_seconds(index) < _PARALLEL_SECONDS:
                for turn in blocks:
                    work.left += self._take_block(turn, self.payload.run_batched(turn), work)
                continue
            fit = self.payload.fits[index]
            assert fit is not None  # learners with batched runs have one
            if not fit.releases_lock and not path.exists():
                write_payload(path, self.payload)
            run = self.payload.attempt if fit.releases_lock else partial(attempt_block, path)
            backend = "threading" if fit.releases_lock else "loky"
            for turn, sent in _in_parallel(run, blocks, backend, n_jobs):
                attempt = load_block(sent)
                work.tell_seconds(turn, attempt.seconds)
                work.left += self._take_block(turn, self.payload.records(turn, attempt), work)

    def _parallel(
        self, jobs: list[Job], seconds: dict[int, list[float]], path: Path, n_jobs: int
    ) -> None:
        from joblib import Parallel, delayed
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        if not path.exists():
            write_payload(path, self.payload)
        left = {(job.learner, job.repeat, job.fold): job for job in jobs}
        timeout = self.request.timeout
        with _workers(n_jobs):
            parallel = Parallel(return_as="generator_unordered", batch_size=1)
            is_over = threading.Event()
            tasks = (
                delayed(_numbered_block)(path, block, timeout)
                for block in takewhile(lambda _: not is_over.is_set(), _blocks(jobs, seconds))
            )
            with held_interrupts():
                results = parallel(tasks)
            try:
                for block, records in results:
                    for job, record in zip(block, records, strict=True):
                        self._take(job, record)
                        del left[job.learner, job.repeat, job.fold]
            except TerminatedWorkerError:
                # a run killed its worker; alone in a process it is found out and recorded
                with closing(GuardedProcess(path)) as guard:
                    for job in left.values():
                        self._take(job, guard.run(job, timeout=timeout))
            finally:
                is_over.set()  # nothing more is handed out, and what is left is not waited for
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    results.close()

    def _take(self, job: Job, record: RunRecord) -> None:
        self._keep(job, record, self.learner_numbers[job.learner])
        index = job.repeat * self.request.plan.n_folds + job.fold
        self._finish(job.learner, slice(index, index + 1), [record])

    def _finish(self, learner: int, indices: slice | list[int], records: list[RunRecord]) -> None:
        """Count runs of a learner that the store has taken over, and tell about them."""
        left, keep = records, self.request.keep
        if keep != KEEP_PROBABILITIES:
            left = [kept(record, keep) for record in records]
        fresh = self.fresh[learner]
        if isinstance(indices, slice):
            fresh[indices] = left
        else:
            for index, record in zip(indices, left, strict=True):
                fresh[index] = record
        self.n_fresh[learner] += len(records)
        self.n_fitted += len(records)
        self.observer.finished(learner, records, self.store)
        self.hold_threads()
        self.check_interrupt()
        if time.monotonic() > self.deadline:
            raise OutOfTimeError

    def _key(self, job: Job, learner: int) -> RunKey:
        split = self.splits[job.repeat * self.request.plan.n_folds + job.fold]
        return (self.data_number, learner, split, job.seed)

    def _keep(self, job: Job, record: RunRecord, learner: int, *, is_counted: bool = True) -> None:
        """Hand a run to the store under the number of a learner."""
        limit = self.request.timeout if record.status == "timeout" else None
        scores = None
        if self.request.keep == KEEP_SCORES and record.status == OK:
            index = job.repeat * self.request.plan.n_folds + job.fold
            scores = score_runs(
                self.request.measures,
                self.request.data,
                [self.request.plan.test_rows[index]],
                [record],
                self.request.positive,
            )
        self.store.add(
            self._key(job, learner),
            record,
            keep=self.request.keep,
            n_classes=len(self.request.data.classes),
            limit_seconds=limit or 0.0,
            scores=None if scores is None else {n: float(v[0]) for n, v in scores.items()},
            is_counted=is_counted,
        )

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

    def _evaluation(
        self, plan: Plan, window: slice, wanted: Sequence[bool], *, is_interrupted: bool
    ) -> Evaluation:
        """Return the runs of a part of the plan."""
        records: list[tuple[RunRecord | None, ...]] = []
        scores: list[dict[str, list[float]]] = []
        costs: list[RunRecord | None] = []
        machines: set[int] = set()
        for index in range(len(self.identities)):
            if not wanted[index]:
                records.append((None,) * len(plan))
                scores.append({})
                costs.append(None)
                continue
            row, environments_of = self._records(index, window)
            records.append(tuple(row))
            machines |= environments_of
            scores.append(self._kept_scores(index, window))
            costs.append(self._cost_run(index, self.splits[0]))
        environments = self.store.environments()
        n_done = sum(len(row) if all(row) else sum(map(bool, row)) for row in records)
        return Evaluation(
            data=self.request.data,
            plan=plan,
            learners=tuple(self.request.learners),
            identities=tuple(self.identities),
            records=tuple(records),
            kept_scores=tuple(scores),
            n_fitted=self.n_fitted,
            n_reused=n_done - self.n_fitted,
            is_interrupted=is_interrupted,
            # a damaged store may lack one; nothing but a remark on seconds rests on it
            environments=tuple(
                environments[number] for number in sorted(machines) if number in environments
            ),
            cost_runs=tuple(costs),
            damaged=tuple(self.damaged),
            n_outdated=self.n_outdated,
        )

    def _keys(self, learner_index: int, window: slice) -> Iterator[tuple[int, int]]:
        """Give (split, stream) of the runs of a learner in a part of the plan."""
        streams = self.seeds[learner_index].ravel()[window].tolist()
        return zip(self.splits[window], streams, strict=True)

    def _kept_scores(self, learner_index: int, window: slice) -> dict[str, list[float]]:
        """Return the values that were kept with the runs of a learner in a part of the plan."""
        values = self.store.scores(self.data_number, self.learner_numbers[learner_index])
        return {
            name: [
                values.get((*key, name), float("nan")) for key in self._keys(learner_index, window)
            ]
            for name in {name for _, _, name in values}
        }

    def _records(
        self, learner_index: int, window: slice
    ) -> tuple[list[RunRecord | None], set[int]]:
        """Return the runs of a learner in a part of the plan, and their machines.

        Runs of this call are at hand; what the store had before was read at the beginning.
        """
        result = self.fresh[learner_index][window]
        machines = {self.store.environment_number()} if self.n_fresh[learner_index] else set()
        if self.is_missing[learner_index].all() or all(result):  # a record is never empty
            return result, machines
        for i, key in enumerate(self._keys(learner_index, window)):
            if result[i] is None and key in self.stored[learner_index]:
                result[i] = self.stored[learner_index][key].record
                machines.add(self.stored[learner_index][key].environment)
        return result, machines

    def _cost_run(self, learner_index: int, split: int) -> RunRecord | None:
        """Return the run that measured the cost of a batched learner."""
        number = self.plain_numbers[learner_index]
        if number == self.learner_numbers[learner_index]:
            return None
        n_classes = len(self.request.data.classes)
        result = self.store.runs(self.data_number, number, n_classes=n_classes, split=split)
        run = result.get((split, int(self.seeds[learner_index][0, 0])))
        return None if run is None else run.record


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


def run_batched_in(
    guard: GuardedProcess, turn: BatchedJob, *, timeout: float | None
) -> BlockRecords:
    """Do whole repeats of one learner in a guarded process; all go the plain way if it dies."""
    try:
        records: BlockRecords = guard.answer(turn, timeout=timeout)
    except ChildProcessError:
        return BlockRecords.of([None] * turn.seeds.size)
    return records


def write_payload(path: Path, payload: Payload) -> None:
    """Write what a process of its own needs to do runs."""
    import cloudpickle

    try:
        with path.open("wb") as file:  # arrays go there without a copy
            cloudpickle.dump(payload, file)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise RunError(
            f"data and learners must be picklable for runs in other processes; got {error}. "
            "Leave out timeout and n_jobs, and compare in one thread at a time."
        ) from error


def _in_parallel(
    run: _BlockRunner, turns: Iterable[BatchedJob], backend: str, n_jobs: int
) -> Iterator[tuple[BatchedJob, BlockPredictions | AttemptOnDisk]]:
    """Do blocks in threads or processes; those under way end before an interruption goes on."""
    from joblib import Parallel, delayed, parallel_config

    is_threads = backend == "threading"
    with parallel_config(backend, n_jobs=n_jobs) if is_threads else _workers(n_jobs):
        parallel = Parallel(return_as="generator_unordered", batch_size=1)
        with held_interrupts():
            results = parallel(delayed(_with_turn)(run, turn) for turn in turns)
        try:
            yield from results
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                results.close()


def _workers(n_jobs: int) -> Any:
    """Let joblib work in processes that do one thing at a time and end with this one."""
    from joblib import parallel_config

    return parallel_config(
        "loky",
        n_jobs=n_jobs,
        inner_max_num_threads=1,
        initializer=end_with,
        initargs=(os.getpid(),),
    )


def _pairs(
    indices: NDArray[np.int64], seeds: NDArray[np.int64], is_wanted: NDArray[np.bool_]
) -> Iterator[tuple[int, int]]:
    return zip(indices[is_wanted].tolist(), seeds[is_wanted].tolist(), strict=True)


def _with_turn(
    run: _BlockRunner, turn: BatchedJob
) -> tuple[BatchedJob, BlockPredictions | AttemptOnDisk]:
    return turn, run(turn)


def _numbered_block(path: Path, block: list[Job], timeout: float | None) -> tuple[Any, Any]:
    return block, run_block(path, block, timeout)


def _blocks(jobs: Sequence[Job], seconds: dict[int, list[float]]) -> Iterator[list[Job]]:
    """Cut the work into tasks of one learner and one repeat, of about the wanted length."""
    block: list[Job] = []
    for job in jobs:
        if block:
            first = block[0]
            size = max(1, int(_TASK_SECONDS / max(float(np.mean(seconds[first.learner])), 1e-4)))
            if len(block) >= size or (job.learner, job.repeat) != (first.learner, first.repeat):
                yield block
                block = []
        block.append(job)
    if block:
        yield block


def _expected(jobs: Sequence[Job], seconds: dict[int, list[float]]) -> float:
    return float(sum(np.mean(seconds[job.learner]) for job in jobs))

"""Which runs are missing, and how are they done: serially, in parallel, resumed.

Work goes repeat by repeat over all learners, so that a verdict exists early.  What a run
computes depends on names alone; how runs are spread over processes changes no number.
"""

from __future__ import annotations

import itertools
import os
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bestofk.data import DataSet
from bestofk.design import Plan
from bestofk.errors import InvalidArgumentError
from bestofk.evaluate.evaluation import Evaluation
from bestofk.evaluate.guard import GuardedProcess
from bestofk.evaluate.identity import LearnerIdentity, identify
from bestofk.evaluate.interrupt import held_interrupts, noted_interrupts
from bestofk.evaluate.observer import Observer
from bestofk.evaluate.record import KEEP_PROBABILITIES, KEEP_SCORES, KEEPS, OK, RunRecord
from bestofk.evaluate.run import RunnableLearner, global_generators_kept
from bestofk.evaluate.score import score_runs
from bestofk.evaluate.store import Store
from bestofk.evaluate.worker import Job, Payload, run_block
from bestofk.learners import Learner
from bestofk.measures import Measure
from bestofk.randomness import derive_seed

# A task of a worker is this long: dispatch (some 3 ms) stays under 2 %, and what is finished
# is on disk within a second.
_TASK_SECONDS = 0.3
# Less work than this is done faster without starting workers.
_PARALLEL_SECONDS = 3.0


@dataclass(frozen=True, eq=False)
class EvaluationRequest:
    """What is to be run, and what is to be kept.

    Parameters
    ----------
    data : DataSet
        The rows.
    plan : Plan
        The splits.
    learners : sequence of Learner
        In the order given.
    random_state : int
        What the streams of all runs are derived from, with names.
    keep : {"probabilities", "labels", "scores"}
        How much of the predictions is stored.
    measures : sequence of Measure
        Kept as values where ``keep="scores"``.
    positive : int or None
        Position of the positive class, where there are two.
    timeout : float or None
        Seconds that a run may take.
    n_jobs : int or None
        Processes; None is 1, negative counts from the number of cores.
    """

    data: DataSet
    plan: Plan
    learners: Sequence[Learner]
    random_state: int = 0
    keep: str = KEEP_PROBABILITIES
    measures: Sequence[Measure] = ()
    positive: int | None = None
    timeout: float | None = None
    n_jobs: int | None = None


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
        Runs of all learners on all splits; incomplete if it was interrupted.

    Raises
    ------
    InvalidArgumentError
        If `keep`, `timeout` or `n_jobs` is not one of the values allowed.
    StoreError
        If the store cannot be read or written.
    """
    _check(request)
    return _Runner(request, store, observer or Observer()).run()


def run_seed(random_state: int, data_id: str, stream_name: str, repeat: int, fold: int) -> int:
    """Return the random stream of a run, which depends on names alone."""
    return derive_seed(random_state, data_id, stream_name, repeat, fold)


def _check(request: EvaluationRequest) -> None:
    if request.keep not in KEEPS:
        raise InvalidArgumentError(
            f"keep must be one of {', '.join(KEEPS)}; got {request.keep!r}. "
            "'probabilities' lets every later measure be computed."
        )
    if request.timeout is not None and not request.timeout > 0:
        raise InvalidArgumentError(
            f"timeout must be a positive number of seconds; got {request.timeout}. "
            "Leave it out for no limit."
        )
    n_jobs = request.n_jobs
    if n_jobs is not None and (isinstance(n_jobs, bool) or int(n_jobs) != n_jobs or n_jobs == 0):
        raise InvalidArgumentError(
            f"n_jobs must be a whole number other than 0; got {n_jobs!r}. Use -1 for all cores."
        )


class _Runner:
    """One call of `evaluate`: its keys, what is missing, and where results go."""

    def __init__(self, request: EvaluationRequest, store: Store, observer: Observer) -> None:
        self.request, self.store, self.observer = request, store, observer
        self.identities = [identify(one.name, one.estimator) for one in request.learners]
        data, plan = request.data, request.plan
        self.data_number = store.register_data(data)
        self.learner_numbers = [store.register_learner(one) for one in self.identities]
        plan_number, self.split_numbers = store.register_plan(plan)
        names = [
            (one.name, n) for one, n in zip(request.learners, self.learner_numbers, strict=True)
        ]
        store.register_comparison(self.data_number, plan_number, request.random_state, names)
        self.payload = Payload(
            data,
            plan,
            tuple(
                RunnableLearner(one.name, one.estimator, identity.unseeded)
                for one, identity in zip(request.learners, self.identities, strict=True)
            ),
        )
        self.n_fitted = 0

    def run(self) -> Evaluation:
        pending = self._pending()
        n_all = len(self.request.plan) * len(self.identities)
        n_reused = n_all - len(pending)
        missing = Counter(job.learner for job in pending)
        self.observer.start(
            self.request,
            self.store,
            n_reused=[len(self.request.plan) - missing[i] for i in range(len(self.identities))],
            snapshot=lambda: self._collect(n_reused, is_interrupted=True),
        )
        is_interrupted = False
        try:
            if pending:
                with noted_interrupts() as self.check_interrupt:
                    self._work(pending)
        except KeyboardInterrupt:
            is_interrupted = True
        self.store.flush()
        self.observer.stop()
        return self._collect(n_reused, is_interrupted=is_interrupted)

    def _seed(self, identity: LearnerIdentity, repeat: int, fold: int) -> int:
        names = (self.request.data.id, identity.stream_name, repeat, fold)
        return run_seed(self.request.random_state, *names)

    def _pending(self) -> list[Job]:
        """Return the missing runs: repeat by repeat, within it learner by learner."""
        limit = self.request.timeout or 0.0
        plan, jobs = self.request.plan, []
        finished = [
            self.store.finished(self.data_number, n, limit_seconds=limit or float("inf"))
            for n in self.learner_numbers
        ]
        for repeat in range(plan.n_repeats):
            for place, identity in enumerate(self.identities):
                for fold in range(plan.n_folds):
                    seed = self._seed(identity, repeat, fold)
                    split = int(self.split_numbers[repeat * plan.n_folds + fold])
                    if (split, seed) not in finished[place]:
                        jobs.append(Job(place, repeat, fold, seed))
        return jobs

    def _work(self, pending: list[Job]) -> None:
        from threadpoolctl import threadpool_limits

        folder = tempfile.TemporaryDirectory(prefix="bestofk-")
        with threadpool_limits(1), global_generators_kept(), folder as name:
            path = Path(name) / "payload"
            with self._serial_runner(path) as serial:
                n_jobs = n_workers(self.request.n_jobs)
                seconds: dict[int, list[float]] = {}
                rest = pending if n_jobs == 1 else self._sample(pending, serial, seconds)
                if n_jobs > 1 and _expected(rest, seconds) > _PARALLEL_SECONDS:
                    self._parallel(rest, seconds, path, n_jobs)
                    return
                for job in rest:
                    self._take(job, serial(job))

    @contextmanager
    def _serial_runner(self, path: Path) -> Iterator[Callable[[Job], RunRecord]]:
        """Give a function that does a run here, or guarded where there is a time limit."""
        if self.request.timeout is None:
            yield self.payload.run
            return
        _write_payload(path, self.payload)
        with closing(GuardedProcess(path)) as guard:
            yield partial(guard.run, timeout=self.request.timeout)

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

    def _parallel(
        self, jobs: list[Job], seconds: dict[int, list[float]], path: Path, n_jobs: int
    ) -> None:
        from joblib import Parallel, delayed, parallel_config
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        if not path.exists():
            _write_payload(path, self.payload)
        left = {(job.learner, job.repeat, job.fold): job for job in jobs}
        timeout = self.request.timeout
        with parallel_config(backend="loky", n_jobs=n_jobs, inner_max_num_threads=1):
            parallel = Parallel(return_as="generator_unordered", batch_size=1)
            is_over = threading.Event()
            tasks = (
                delayed(_numbered_block)(path, block, timeout)
                for block in itertools.takewhile(
                    lambda _: not is_over.is_set(), _blocks(jobs, seconds)
                )
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
                is_over.set()  # nothing more is handed out, and nobody hears of what is left
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    results.close()

    def _take(self, job: Job, record: RunRecord) -> None:
        split = int(self.split_numbers[job.repeat * self.request.plan.n_folds + job.fold])
        key = (self.data_number, self.learner_numbers[job.learner], split, job.seed)
        limit = self.request.timeout if record.status == "timeout" else None
        scores = None
        if self.request.keep == KEEP_SCORES and record.status == OK:
            split_rows = self.request.plan.split(job.repeat, job.fold).test_rows
            scores = score_runs(
                self.request.measures,
                self.request.data,
                [split_rows],
                [record],
                self.request.positive,
            )
        self.store.add(
            key,
            record,
            keep=self.request.keep,
            n_classes=len(self.request.data.classes),
            limit_seconds=limit or 0.0,
            scores=None if scores is None else {n: float(v[0]) for n, v in scores.items()},
        )
        self.n_fitted += 1
        self.observer.finished(job.learner, record, self.store)
        self.check_interrupt()

    def _collect(self, n_reused: int, *, is_interrupted: bool) -> Evaluation:
        limit = self.request.timeout or float("inf")
        plan, n_classes = self.request.plan, len(self.request.data.classes)
        records: list[list[RunRecord | None]] = []
        scores: list[dict[str, list[float]]] = []
        machines: set[int] = set()
        for number, identity in zip(self.learner_numbers, self.identities, strict=True):
            found = self.store.runs(
                self.data_number, number, n_classes=n_classes, limit_seconds=limit
            )
            kept = self.store.scores(self.data_number, number)
            keys = [
                (int(self.split_numbers[place]), self._seed(identity, *divmod(place, plan.n_folds)))
                for place in range(len(plan))
            ]
            stored = [found.get(key) for key in keys]
            records.append([None if one is None else one.record for one in stored])
            machines |= {one.environment for one in stored if one is not None}
            names = {name for _, _, name in kept}
            scores.append(
                {name: [kept.get((*key, name), float("nan")) for key in keys] for name in names}
            )
        environments = self.store.environments()
        return Evaluation(
            data=self.request.data,
            plan=plan,
            learners=tuple(self.request.learners),
            identities=tuple(self.identities),
            records=tuple(tuple(row) for row in records),
            kept_scores=tuple(scores),
            n_fitted=self.n_fitted,
            n_reused=n_reused,
            is_interrupted=is_interrupted,
            environments=tuple(environments[number] for number in sorted(machines)),
        )


def _write_payload(path: Path, payload: Payload) -> None:
    import cloudpickle

    path.write_bytes(cloudpickle.dumps(payload))


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


def n_workers(n_jobs: int | None) -> int:
    """Return the number of processes that `n_jobs` asks for."""
    if n_jobs is None:
        return 1
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)

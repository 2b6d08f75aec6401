"""Work of a comparison in other processes: data and learners are loaded once for many blocks."""

from __future__ import annotations

import atexit
import hashlib
import io
import os
import pickle
import platform
import threading
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import cloudpickle
import numpy as np
import sklearn

from bestofk.array_types import Ints
from bestofk.batched.forms import FormChoice
from bestofk.data.data_set import DataSet
from bestofk.data.temporary_folder import temporary_folder
from bestofk.errors import RunError
from bestofk.evaluation.batched_fit import (
    NEVER,
    BatchedFit,
    BlockPredictions,
    BlockRecords,
    batched_fits,
)
from bestofk.evaluation.guarded.guard import GuardedProcess
from bestofk.evaluation.guarded.limits import NO_LIMITS, Limits
from bestofk.evaluation.guarded.threads import hold_to_one_thread, one_thread
from bestofk.evaluation.identity.packages import describe_environment
from bestofk.evaluation.identity.requirements import (
    WorkerRefusedError,
    check_requirements,
    requirements_of,
)
from bestofk.evaluation.record import RunRecord
from bestofk.evaluation.run import fit_learner, run_one, runs_here
from bestofk.evaluation.run_table import RunTable
from bestofk.learners.learner import Learner
from bestofk.resampling import Plan

# A worker holds payloads that were read from so many bytes, and the last one in any case.
_HELD_BYTES = 300_000_000


class Job(NamedTuple):
    """One run to do: positions of learner and split, and the seed of the run."""

    learner_index: int
    repeat: int
    fold: int
    seed: int


class BatchedJob(NamedTuple):
    """Whole repeats of one learner: its index, the repeats, and the seeds of all runs."""

    learner_index: int
    repeats: tuple[int, ...]
    seeds: Ints  # of shape (n_repeats, n_folds)


class FitJob(NamedTuple):
    """The first learner to fit to all rows, with the seed of that."""

    seed: int


@dataclass(frozen=True, eq=False)
class Payload:
    """Data, plan, learners and settings that every run of a comparison needs.

    Parameters
    ----------
    data : DataSet
        All rows.
    plan : Plan
        All splits.
    learners : tuple of Learner
        All learners.
    batched : {"auto", "always", "never"}
        Whether batched forms are used.
    settings : dict
        Those of scikit-learn, which learners shall find the same in every process.
    forms : dict or None
        As for `batched_fits`.
    limits : tuple of Limits
        Of the plain runs of every learner; nothing where there are none.
    """

    data: DataSet
    plan: Plan
    learners: tuple[Learner, ...]
    batched: str = NEVER
    settings: dict[str, Any] = field(default_factory=sklearn.get_config)
    forms: dict[int, FormChoice | None] | None = None
    limits: tuple[Limits, ...] = ()

    def __getstate__(self) -> dict[str, Any]:
        """Return what is sent, without the batched fits that were made here."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    @property
    def estimators(self) -> list[Any]:
        """Learners whose packages and files workers must have alike."""
        return [learner.estimator for learner in self.learners]

    def limits_of(self, learner_index: int) -> Limits:
        """Return what a plain run of a learner may take."""
        return self.limits[learner_index] if self.limits else NO_LIMITS

    def run(self, job: Job) -> RunRecord:
        """Do one run; the model is measured on the first split of the plan alone."""
        return run_one(
            self.learners[job.learner_index],
            self.data,
            self.plan.split(job.repeat, job.fold),
            seed=job.seed,
            measure_size=job.repeat == 0 and job.fold == 0,
        )

    def fit(self, job: FitJob) -> Any:
        """Return the first learner fitted to all rows, or what it raised."""
        rows = np.arange(self.data.n_samples)
        try:
            return fit_learner(self.learners[0], self.data, rows, seed=job.seed)
        except Exception as error:
            return error

    def answer(self, job: Job | BatchedJob | FitJob | Block) -> Any:
        """Do a job of any kind."""
        if isinstance(job, FitJob):
            return self.fit(job)
        if isinstance(job, Job):
            return self.run(job)
        if isinstance(job, BatchedJob):
            return self.attempt(job)
        if isinstance(job.work, BatchedJob):
            return self.attempt(job.work)
        return RunTable.packed([self.run(item) for item in job.work])

    @cached_property
    def fits(self) -> list[BatchedFit | None]:
        """The batched fit of each learner; None where it goes the plain way."""
        return batched_fits(self.learners, self.data, self.plan, self.batched, forms=self.forms)

    def run_batched(self, job: BatchedJob) -> BlockRecords:
        """Do whole repeats of one learner."""
        return self.records(job, self.attempt(job))

    def attempt(self, job: BatchedJob) -> BlockPredictions:
        """Predict whole repeats of one learner."""
        return self._batched_fit(job).attempt(job.repeats, job.seeds)

    def records(self, job: BatchedJob, attempt: BlockPredictions) -> BlockRecords:
        """Return what `attempt` predicted as one record per run."""
        return self._batched_fit(job).records(job.repeats, attempt)

    def _batched_fit(self, job: BatchedJob) -> BatchedFit:
        fit = self.fits[job.learner_index]
        assert fit is not None  # jobs are made for batched fits alone
        return fit


class PayloadFile(os.PathLike[str]):
    """File with what processes of their own need to do runs, written when its path is asked for.

    Parameters
    ----------
    payload : Payload
        Data, plan and learners.
    """

    def __init__(self, payload: Payload) -> None:
        self._payload = payload
        self._folder = ExitStack()

    def __fspath__(self) -> str:
        return str(self._path)

    def close(self) -> None:
        """Delete the file."""
        self._folder.close()

    @cached_property
    def _path(self) -> Path:
        path = self._folder.enter_context(temporary_folder()) / "payload"
        with path.open("wb") as file:  # arrays go there without a copy
            write_payload(self._payload, file)
        return path


def write_payload(payload: Any, file: Any) -> None:
    """Write what a worker needs to a binary file: what it must have installed, then the payload.

    Raises
    ------
    RunError
        If data or learners cannot be pickled.
    """
    pickle.dump(requirements_of(payload.estimators), file)
    try:
        cloudpickle.dump(payload, file)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise RunError(
            f"data and learners must be picklable for runs in other processes; got {error}. "
            "Leave out timeout, memory, engine and n_jobs, and compare in one thread at a time."
        ) from error


def read_payload(file: Any) -> Any:
    """Read what `write_payload` wrote.

    Raises
    ------
    WorkerRefusedError
        If this process has other versions than the one that wrote it, or lacks a module.
    """
    wanted = pickle.load(file)
    check_requirements(wanted, ())  # before anything of other versions is imported
    try:
        payload = cloudpickle.load(file)
    except ImportError as error:
        raise WorkerRefusedError(
            f"workers must have the packages and files of all learners; got {error} on "
            f"{platform.node()}. Put them where workers can import them."
        ) from None
    check_requirements(wanted, payload.estimators)
    return payload


def load_payload(path: str) -> Any:
    """Read a payload and pin the inner threads of this process to one."""
    with open(path, "rb") as file:
        payload = read_payload(file)
    sklearn.set_config(**payload.settings)
    hold_to_one_thread()
    return payload


class BlobFile(NamedTuple):
    """A file with a payload, and the hash of its content."""

    digest: str
    path: str


def digest_of(blob: bytes) -> str:
    """Return the hash by which a `BlobFile` is called."""
    return hashlib.blake2b(blob, digest_size=16).hexdigest()


class BlobMissingError(Exception):
    """The file of a payload is not to be had on the machine of the worker."""


@dataclass(frozen=True)
class Block:  # no tuple: Dask looks for tasks in all that tuples hold
    """Runs that are handed to a worker together.

    Parameters
    ----------
    work : tuple of Job, or BatchedJob
        Runs of one learner.
    is_guarded : bool
        Whether they are done in a process of their own, which may die.
    limits : Limits
        Of each of them.
    """

    work: tuple[Job, ...] | BatchedJob
    is_guarded: bool
    limits: Limits = NO_LIMITS

    @property
    def learner_index(self) -> int:
        """Position of the learner."""
        first = self.work if isinstance(self.work, BatchedJob) else self.work[0]
        return first.learner_index


class BlockResult(NamedTuple):
    """Result of a block.

    Parameters
    ----------
    answer : RunTable or BlockPredictions
        As the work was.
    seconds : float
        How long it took, without what is done once for many blocks.
    environment : dict
        What it was done on.
    """

    answer: RunTable | BlockPredictions
    seconds: float
    environment: dict[str, Any]


class _HeldPayload:
    """A payload that was read, and the file that processes of this one read it from.

    Parameters
    ----------
    blob : bytes or BlobFile
        What it is read from.
    """

    def __init__(self, blob: bytes | BlobFile) -> None:
        self.blob = blob
        self._digest = blob.digest if isinstance(blob, BlobFile) else digest_of(blob)
        with opened_blob(blob) as file:
            self.payload = read_payload(file)
            self.n_bytes = file.tell()
        self._folder = ExitStack()
        self._path = ""

    def is_of(self, blob: bytes | BlobFile) -> bool:
        """Return whether a blob is the one that was read; a file may have come as bytes."""
        return blob.digest == self._digest if isinstance(blob, BlobFile) else blob == self.blob

    @property
    def path(self) -> str:
        """A file with the payload."""
        if isinstance(self.blob, BlobFile) and os.path.exists(self.blob.path):
            return self.blob.path
        if not self._path:
            file = Path(self._folder.enter_context(temporary_folder())) / "payload"
            with opened_blob(self.blob) as source:
                file.write_bytes(source.read())
            self._path = str(file)
        return self._path

    def close(self) -> None:
        """Delete the file."""
        self._folder.close()


class _Held:
    """The payloads that this process holds: the last ones asked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._payloads: list[_HeldPayload] = []  # the last one asked for at the end
        atexit.register(self._drop, 0)

    def of(self, blob: bytes | BlobFile) -> _HeldPayload:
        """Return the payload of a blob, which is read where it is not held."""
        with self._lock:
            same = [item for item in self._payloads if item.is_of(blob)]
            held = same[0] if same else _HeldPayload(blob)
            self._payloads = [*(item for item in self._payloads if item is not held), held]
            self._drop(_HELD_BYTES)
            return held

    def _drop(self, n_bytes: int) -> None:
        """Drop the first payloads until the others were read from so many bytes; 0 drops all."""
        held = self._payloads
        while len(held) > (n_bytes > 0) and sum(item.n_bytes for item in held) > n_bytes:
            held.pop(0).close()


def opened_blob(blob: bytes | BlobFile) -> Any:
    """Open what was put on an engine, or raise BlobMissingError."""
    if isinstance(blob, bytes):
        return io.BytesIO(blob)
    try:
        return open(blob.path, "rb")
    except OSError:
        raise BlobMissingError(blob.path) from None


def _guarded_answer(guard: GuardedProcess, block: Block) -> BlockResult:
    """Do a block in a process of its own.

    Runs without limits are done together, and one by one only where that ends the process.
    """
    guard.wait()
    start = time.perf_counter()
    answer: RunTable | BlockPredictions | None = None
    if isinstance(block.work, BatchedJob) or block.limits == NO_LIMITS:
        with suppress(ChildProcessError):
            answer = guard.answer(block, timeout=None)
    if answer is None and isinstance(block.work, BatchedJob):
        answer = BlockPredictions(None, 0.0)  # all of it is left to plain runs
    elif answer is None:
        answer = RunTable.packed(list(guard.run_block(block.work, block.limits)))
    return BlockResult(answer, time.perf_counter() - start, describe_environment())


_held = _Held()
_guards = threading.local()


def _guard_of(path: str) -> GuardedProcess:
    """Return the guarded process of this thread for a payload."""
    if getattr(_guards, "path", None) != path:
        if (last := getattr(_guards, "guard", None)) is not None:
            last.close()
        _guards.path, _guards.guard = path, GuardedProcess(path)
    guard: GuardedProcess = _guards.guard
    return guard


def held_payload(blob: bytes | BlobFile) -> Any:
    """Return the payload of a blob, which this process holds for the next block."""
    return _held.of(blob).payload


def do_block(blob: bytes | BlobFile | GuardedProcess, numbered: tuple[int, Block]) -> BlockResult:
    """Do a block of runs in a worker, which holds data and learners from block to block.

    Parameters
    ----------
    blob : bytes, BlobFile or GuardedProcess
        What `write_payload` wrote, or the process that has read it and does the runs.
    numbered : tuple of (int, Block)
        The runs, with the number that tells the block apart.

    Raises
    ------
    WorkerRefusedError
        If this worker has other versions than the process that hands out blocks.
    BlobMissingError
        If the file is not to be had here.
    """
    _, block = numbered
    if isinstance(blob, GuardedProcess):
        return _guarded_answer(blob, block)
    with runs_here() as is_here:
        held = _held.of(blob)
        if block.is_guarded or not is_here:  # other threads of this process do runs
            return _guarded_answer(_guard_of(held.path), block)
        payload = held.payload
        with sklearn.config_context(**payload.settings), one_thread() as hold_threads:
            start = time.perf_counter()
            answer = payload.answer(block)
            hold_threads()
    return BlockResult(answer, time.perf_counter() - start, describe_environment())

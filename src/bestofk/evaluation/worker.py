"""Worker processes: data, plan and learners are loaded once and serve many jobs."""

from __future__ import annotations

import functools
import mmap
import pickle
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sklearn
from numpy.typing import NDArray

from bestofk.batched import FormChoice
from bestofk.data import DataSet
from bestofk.evaluation.batched_fit import (
    NEVER,
    BatchedFit,
    BlockPredictions,
    BlockRecords,
    batched_fits,
)
from bestofk.evaluation.guard import GuardedProcess
from bestofk.evaluation.record import RunRecord
from bestofk.evaluation.run import RunnableLearner, fit_learner, run_one, runs_here
from bestofk.resampling import FoldPlan, Plan


class Job(NamedTuple):
    """One run to do: positions of learner and split, and the seed of the run."""

    learner: int
    repeat: int
    fold: int
    seed: int


class BatchedJob(NamedTuple):
    """Whole repeats of one learner: its index, the repeats, and the seeds of all runs."""

    learner: int
    repeats: tuple[int, ...]
    seeds: NDArray[np.int64]  # of shape (n_repeats, n_folds)


class FitJob(NamedTuple):
    """The first learner to fit to all rows, with the seed of that."""

    seed: int


class AttemptOnDisk(NamedTuple):
    """An attempt whose arrays lie in a file: through a pipe they would be copied four times.

    Parameters
    ----------
    pickled : bytes
        All but the arrays, which are out of band.
    path : Path
        The file, for one reader, which deletes it.
    ends : tuple of int
        Where each array ends in it; the next begins with a multiple of 64.
    """

    pickled: bytes
    path: Path
    ends: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Payload:
    """Data, plan, learners and settings that every run of a comparison needs.

    Parameters
    ----------
    data : DataSet
        All rows.
    plan : Plan
        All splits.
    learners : tuple of RunnableLearner
        All learners.
    batched : {"auto", "always", "never"}
        Whether batched forms are used.
    settings : dict
        Those of scikit-learn, which learners shall find the same in every process.
    forms : dict or None
        As for `batched_fits`.
    """

    data: DataSet
    plan: Plan
    learners: tuple[RunnableLearner, ...]
    batched: str = NEVER
    settings: dict[str, Any] = field(default_factory=sklearn.get_config)
    forms: dict[int, FormChoice | None] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Return what is sent: no batched fits, and folds in as few bytes as they take."""
        sent = {item.name: getattr(self, item.name) for item in fields(self)}
        small = np.min_scalar_type(self.plan.n_folds)
        return sent | {"plan": _with_folds_of(small, self.plan)}

    def __setstate__(self, sent: dict[str, Any]) -> None:
        self.__dict__.update(sent | {"plan": _with_folds_of(np.int32, sent["plan"])})

    def run(self, job: Job) -> RunRecord:
        """Do one run; the model is measured on the first split of the plan alone."""
        return run_one(
            self.learners[job.learner],
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

    def answer(self, job: Job | BatchedJob | FitJob) -> Any:
        """Do a job of any kind."""
        if isinstance(job, FitJob):
            return self.fit(job)
        return self.run_batched(job) if isinstance(job, BatchedJob) else self.run(job)

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
        fit = self.fits[job.learner]
        assert fit is not None  # jobs are made for batched fits alone
        return fit


def _with_folds_of(kind: Any, plan: Plan) -> Plan:
    """Return the same plan, its folds numbers of some type."""
    return replace(plan, folds=plan.folds.astype(kind)) if isinstance(plan, FoldPlan) else plan


def load_payload(path: Path) -> Payload:
    """Read a payload and pin the inner threads of this process to one."""
    import cloudpickle
    from threadpoolctl import threadpool_limits

    payload: Payload = cloudpickle.loads(path.read_bytes())
    sklearn.set_config(**payload.settings)
    threadpool_limits(1)
    return payload


@functools.lru_cache(maxsize=1)
def _cached_payload(path: Path) -> Payload:
    return load_payload(path)


@functools.lru_cache(maxsize=1)
def _cached_guard(path: Path) -> GuardedProcess:
    return GuardedProcess(path)


def run_block(path: Path, jobs: list[Job], timeout: float | None) -> list[RunRecord]:
    """Do some runs in a worker process, each guarded where there is a time limit."""
    if timeout is not None:
        return [_cached_guard(path).run(job, timeout=timeout) for job in jobs]
    payload = _cached_payload(path)
    with runs_here():
        return [payload.run(job) for job in jobs]


def attempt_block(path: Path, job: BatchedJob) -> BlockPredictions | AttemptOnDisk:
    """Predict whole repeats in a worker process, which makes the batched form once."""
    attempt = _cached_payload(path).attempt(job)
    aside = path.with_name(uuid.uuid4().hex)
    try:
        return _put_aside(attempt, aside)
    except OSError:  # no room on the disk
        aside.unlink(missing_ok=True)
        return attempt


def _put_aside(attempt: BlockPredictions, path: Path) -> AttemptOnDisk:
    arrays: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(attempt, protocol=5, buffer_callback=arrays.append)
    ends = []
    with path.open("wb") as file:
        for array in arrays:
            file.seek(_next_start(file.tell()))
            file.write(array.raw())
            ends.append(file.tell())
    return AttemptOnDisk(pickled, path, tuple(ends))


def load_block(sent: BlockPredictions | AttemptOnDisk) -> BlockPredictions:
    """Return what `attempt_block` sent; its arrays are read as they are asked for."""
    if isinstance(sent, BlockPredictions):
        return sent
    starts = map(_next_start, (0, *sent.ends[:-1]))
    arrays: Sequence[memoryview] = ()
    if sent.ends:
        with sent.path.open("rb") as file:
            content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        arrays = [content[start:end] for start, end in zip(starts, sent.ends, strict=True)]
    with suppress(OSError):  # where an open file cannot be deleted it goes with its folder
        sent.path.unlink()
    attempt: BlockPredictions = pickle.loads(sent.pickled, buffers=arrays)
    return attempt


def _next_start(end: int) -> int:
    return -(-end // 64) * 64

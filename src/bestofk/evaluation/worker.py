"""Worker processes: data, plan and learners are loaded once and serve many jobs."""

from __future__ import annotations

import functools
import os
import pickle
import uuid
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sklearn
from numpy.typing import NDArray

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
from bestofk.evaluation.guard import GuardedProcess
from bestofk.evaluation.record import RunRecord
from bestofk.evaluation.run import RunnableLearner, fit_learner, run_one, runs_here
from bestofk.resampling import Plan


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
    seeds: NDArray[np.int64]  # of shape (n_repeats, n_folds)


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
        """Return what is sent, without the batched fits that were made here."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

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
        import cloudpickle

        path = self._folder.enter_context(temporary_folder()) / "payload"
        try:
            with path.open("wb") as file:  # arrays go there without a copy
                cloudpickle.dump(self._payload, file)
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise RunError(
                f"data and learners must be picklable for runs in other processes; got {error}. "
                "Leave out timeout and n_jobs, and compare in one thread at a time."
            ) from error
        return path


def load_payload(path: str) -> Payload:
    """Read a payload and pin the inner threads of this process to one."""
    import cloudpickle
    from threadpoolctl import threadpool_limits

    payload: Payload = cloudpickle.loads(Path(path).read_bytes())
    sklearn.set_config(**payload.settings)
    threadpool_limits(1)
    return payload


@functools.lru_cache(maxsize=1)
def _cached_payload(path: str) -> Payload:
    return load_payload(path)


@functools.lru_cache(maxsize=1)
def _cached_guard(path: str) -> GuardedProcess:
    return GuardedProcess(path)


def run_block(path: str, jobs: list[Job], *, timeout: float | None) -> list[RunRecord]:
    """Do some runs in a worker process, each guarded where there is a time limit."""
    if timeout is not None:
        return [_cached_guard(path).run(job, timeout=timeout) for job in jobs]
    payload = _cached_payload(path)
    with runs_here():
        return [payload.run(job) for job in jobs]


def attempt_block(path: str, job: BatchedJob) -> BlockPredictions | Path:
    """Predict whole repeats in a worker process, which makes the batched form once.

    Returns
    -------
    BlockPredictions or Path
        A file that holds them: through a pipe arrays would be copied four times.
    """
    import joblib

    attempt = _cached_payload(path).attempt(job)
    file = Path(path).with_name(uuid.uuid4().hex)
    try:
        joblib.dump(attempt, file)
    except OSError:  # no room on the disk
        file.unlink(missing_ok=True)
        return attempt
    return file


def load_block(sent: BlockPredictions | Path) -> BlockPredictions:
    """Return what `attempt_block` sent; arrays of a file are read as they are asked for."""
    import joblib

    if isinstance(sent, BlockPredictions):
        return sent
    attempt: BlockPredictions = joblib.load(sent, mmap_mode="r")
    with suppress(OSError):  # where an open file cannot be deleted it goes with its folder
        sent.unlink()
    return attempt

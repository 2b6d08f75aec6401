"""Run the protocol on a data set, and keep every run."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from bestofk.data import DataSet, load_data
from bestofk.evaluation import EvaluationRequest, Store, evaluate
from bestofk.evaluation.identity.identity import identify
from bestofk.learners import Learner, resolve_learners
from bestofk.measures import get_measure
from bestofk.resampling import make_plan
from replications.multitest_2006 import protocol
from replications.running import find_file

# Runs that are done, read back and measured at once: their predictions are in memory together.
RUNS_AT_ONCE = 50


@dataclass(frozen=True, eq=False)
class Errors:
    """The errors of all runs on a data set.

    Parameters
    ----------
    name : str
        As in the paper.
    values : ndarray of shape (n_runs, n_learners, 10)
        Share of wrong predictions: both folds of the first repeat, of the second, and so on.
    shape : tuple of int
        Rows and columns of the data set.
    cpu_seconds : float
        What the runs took that were not in the store.
    """

    name: str
    values: NDArray[np.float64]
    shape: tuple[int, int]
    cpu_seconds: float


def find_data(name: str, folder: Path) -> Path:
    """Return the file of a data set by its name in the paper.

    Raises
    ------
    FileNotFoundError
        If it is not there.
    """
    return find_file(protocol.DATA_SETS[name], folder)


def run_data_set(name: str, data_folder: Path, work_folder: Path, n_runs: int) -> Errors | None:
    """Execute all missing runs on one data set, and return all errors.

    Parameters
    ----------
    name : str
        Of the data set, in the paper.
    data_folder : Path
        Holds ``uci/*.arff``.
    work_folder : Path
        Where runs are kept: predicted labels in a store, and errors when all are done.
    n_runs : int
        Runs of 5x2 cross-validation.

    Returns
    -------
    Errors or None
        None if it was interrupted; the runs that were done are kept.

    Raises
    ------
    RuntimeError
        If a learner failed.
    """
    entered = resolve_learners(protocol.learners(), "classification")
    path = find_data(name, data_folder)
    finished = work_folder / f"{name}.npz"
    kept = _kept(finished, name, entered, n_runs)
    if kept is not None:
        return kept
    started = time.process_time()
    data = load_data(path)
    parts = []
    with threadpool_limits(1), Store(work_folder / f"{name}.bestofk") as store:
        for first in range(0, n_runs, RUNS_AT_ONCE):
            part = _run_some(data, entered, store, first, min(RUNS_AT_ONCE, n_runs - first))
            if part is None:
                return None
            parts.append(part)
    seconds = time.process_time() - started
    errors = Errors(name, np.concatenate(parts), data.features.shape, seconds)
    np.savez_compressed(
        finished, values=errors.values, shape=errors.shape, seconds=seconds, learners=_ids(entered)
    )
    return errors


def _run_some(
    data: DataSet, entered: list[Learner], store: Store, first: int, n_runs: int
) -> NDArray[np.float64] | None:
    """Execute some runs with a plan of their own, drawn from the number of the first."""
    cv = f"{protocol.N_REPEATS * n_runs}x{protocol.N_FOLDS}"
    plan = make_plan(data, cv, stratify=False, random_state=first)
    request = EvaluationRequest(data, plan, entered, random_state=first, keep="labels")
    evaluation = evaluate(request, store)
    if evaluation.is_interrupted:
        return None
    values = evaluation.measured(get_measure("error", task=data.task, classes=data.classes)).values
    if np.isnan(values).any():
        learner = int(np.isnan(values).any(axis=1).argmax())
        _, _, status, message = evaluation.messages(learner)[0]
        raise RuntimeError(f"{data.name}: {entered[learner].name} has status {status}: {message}")
    by_run = values.reshape(len(entered), n_runs, protocol.N_REPEATS * protocol.N_FOLDS)
    return np.ascontiguousarray(by_run.swapaxes(0, 1))


def _ids(entered: list[Learner]) -> list[str]:
    return [identify(learner.name, learner.estimator).id for learner in entered]


def _kept(finished: Path, name: str, entered: list[Learner], n_runs: int) -> Errors | None:
    """Return the errors of runs that were finished before, if they are those asked for."""
    if not finished.exists():
        return None
    with np.load(finished) as kept:
        if kept["learners"].tolist() != _ids(entered) or len(kept["values"]) != n_runs:
            return None
        rows, columns = kept["shape"].tolist()
        return Errors(name, kept["values"], (rows, columns), float(kept["seconds"]))

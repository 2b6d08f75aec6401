"""Run the iterations on a data set, and keep every run."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from bestofk.data import DataSet, load_data
from bestofk.evaluation import Evaluation, EvaluationRequest, Store, evaluate
from bestofk.evaluation.identity.identity import identify
from bestofk.learners import Learner, resolve_learners
from bestofk.measures import get_measure
from bestofk.resampling import make_plan
from replications.running import find_file
from replications.variability_2010 import protocol
from replications.variability_2010.stopping import Ends, ends_of
from replications.variability_2010.true_test_sets import areas_of_test_set

Floats = NDArray[np.float64]

# Iterations that are done, read back and measured at once: their predictions are in memory.
AT_ONCE: Final = 50
# What SMO gives in Weka, 0 or 1, and what scikit-learn's gives beside it.
_BY_LABELS, MARGIN = "SMO", "SMO, decision values"
_NB = "NB"


@dataclass(frozen=True, eq=False)
class Estimates:
    """The estimates of all iterations on a data set.

    Parameters
    ----------
    name : str
        As in the paper.
    auroc : dict of str to ndarray of shape (n_designs, n_runs)
        By learner: mean over the folds of an iteration, for 2, 5 and 10 folds.
    pooled : dict of str to ndarray of shape (n_designs, n_runs)
        From the rows of all folds together, as Weka has it.
    ends : dict of str to Ends
        By ``"FOLDS LEARNER"``: where the termination criteria end; none for true test sets.
    on_test_set : dict of str to float
        By learner: AUROC on the true test set; empty where there is none.
    shape : tuple of int
        Rows and columns.
    cpu_seconds : float
        What the runs took that were not in the store.
    """

    name: str
    auroc: dict[str, Floats]
    pooled: dict[str, Floats]
    ends: dict[str, Ends]
    on_test_set: dict[str, float]
    shape: tuple[int, int]
    cpu_seconds: float

    @property
    def n_runs(self) -> int:
        """Return the number of iterations for each number of folds."""
        return len(next(iter(self.auroc.values()))[0])


@dataclass(frozen=True, eq=False)
class _Part:
    """Some iterations of one number of folds."""

    auroc: dict[str, Floats]
    pooled: dict[str, Floats]
    rows: dict[str, Floats]


def run_data_set(name: str, data_folder: Path, work_folder: Path, n_runs: int) -> Estimates | None:
    """Execute all missing iterations on one data set, and return all estimates.

    Parameters
    ----------
    name : str
        Of the data set, in the paper.
    data_folder : Path
        Holds ``uci/*.arff``.
    work_folder : Path
        Where runs are kept: probabilities in a store, and estimates when all are done.
    n_runs : int
        Iterations of every number of folds.

    Returns
    -------
    Estimates or None
        None if it was interrupted; the runs that were done are kept.

    Raises
    ------
    RuntimeError
        If a learner failed.
    """
    has_test_set = name in protocol.TRUE_TEST_SETS
    stem = (protocol.DATA_SETS | protocol.TRUE_TEST_SETS)[name]
    path = find_file(stem, data_folder)
    names = protocol.LEARNERS_OF_TRUE_TEST_SETS if has_test_set else protocol.LEARNERS
    n_runs = min(n_runs, protocol.MOST_RUNS_BEFORE_TEST) if has_test_set else n_runs
    entered = resolve_learners(protocol.learners(names), "classification")
    finished = work_folder / f"{name}.npz"
    kept = _kept(finished, name, entered, n_runs)
    if kept is not None:
        return kept
    started = time.process_time()
    data = load_data(path)
    parts: list[list[_Part]] = []
    with threadpool_limits(1), Store(work_folder / f"{name}.bestofk") as store:
        for n_folds in protocol.FOLDS:
            parts.append([])
            for first in range(0, n_runs, AT_ONCE):
                cv = f"{min(AT_ONCE, n_runs - first)}x{n_folds}"
                part = _run_some(data, entered, store, cv, first)
                if part is None:
                    return None
                parts[-1].append(part)
    result = _together(name, data, parts)
    if has_test_set:
        later = load_data(find_file(f"{stem}-test", data_folder))
        result.on_test_set.update(areas_of_test_set(data, later, names))
    seconds = time.process_time() - started
    _keep(finished, result, entered, seconds)
    return _kept(finished, name, entered, n_runs)


def _run_some(
    data: DataSet, entered: list[Learner], store: Store, cv: str, first: int
) -> _Part | None:
    """Execute some iterations with a plan of their own, drawn from the number of the first."""
    plan = make_plan(data, cv, random_state=first)
    part = _Part({}, {}, {})
    for table, some in (
        (protocol.numbers(data), [learner for learner in entered if learner.name == _NB]),
        (data, [learner for learner in entered if learner.name != _NB]),
    ):
        evaluation = evaluate(EvaluationRequest(table, plan, some, random_state=first), store)
        if evaluation.is_interrupted:
            return None
        _measure(evaluation, part)
    return part


def _measure(evaluation: Evaluation, part: _Part) -> None:
    """Add the estimates of all learners of an evaluation to a part."""
    data, plan = evaluation.data, evaluation.plan
    for index, learner in enumerate(evaluation.learners):
        failed = [message for message in evaluation.messages(index) if message[2] != "ok"]
        if failed:
            raise RuntimeError(f"{data.name}: {learner.name} has status {failed[0][2:]}")
    areas, hits = (
        evaluation.measured(get_measure(name, task=data.task, classes=data.classes)).values
        for name in ("auroc", "balanced_accuracy")
    )
    shape = (len(evaluation.learners), plan.n_repeats, plan.n_folds)
    areas, hits = (values.reshape(shape).mean(axis=2) for values in (areas, hits))
    for index, name in enumerate(evaluation.names):
        pooled = evaluation.pooled_auroc(index)
        rows = _rows(evaluation, index, by_labels=name == _BY_LABELS)
        part.auroc[name], part.pooled[name], part.rows[name] = areas[index], pooled, rows
        if name == _BY_LABELS:
            part.auroc[MARGIN], part.pooled[MARGIN] = areas[index], pooled
            # The area of two scores, 0 and 1, is the mean of both classes' shares of hits.
            part.auroc[name] = hits[index]
            shares = [(rows[:, data.y == y] == y).mean(axis=1) for y in (0, 1)]
            part.pooled[name] = np.mean(shares, axis=0)


def _rows(evaluation: Evaluation, place: int, *, by_labels: bool) -> Floats:
    """Return what every iteration gives to every row, shape (n_runs, n_samples)."""
    plan = evaluation.plan
    result = np.empty((plan.n_repeats, plan.n_samples))
    for split, record in enumerate(evaluation.records[place]):
        assert record is not None
        assert record.predictions is not None
        predictions = record.predictions
        rows = evaluation.test_rows[split]
        if by_labels:
            result[split // plan.n_folds, rows] = predictions.labels
        else:
            assert predictions.probabilities is not None  # all learners but SMO give some
            result[split // plan.n_folds, rows] = predictions.probabilities[:, 1]
    return result


def _together(name: str, data: DataSet, parts: list[list[_Part]]) -> Estimates:
    """Return the estimates of all parts, and where the criteria end."""

    def joined(kind: str, learner: str) -> Floats:
        return np.array(
            [np.concatenate([getattr(item, kind)[learner] for item in some]) for some in parts]
        )

    entries = list(parts[0][0].auroc)
    auroc = {learner: joined("auroc", learner) for learner in entries}
    pooled = {learner: joined("pooled", learner) for learner in entries}
    ends = {}
    for n_folds, *pair in protocol.COMPARED if name in protocol.DATA_SETS else ():
        design = protocol.FOLDS.index(n_folds)
        for learner in pair:
            rows = np.concatenate([part.rows[learner] for part in parts[design]])
            ends[f"{n_folds} {learner}"] = ends_of(auroc[learner][design], rows)
    return Estimates(name, auroc, pooled, ends, {}, data.features.shape, 0.0)


def _ids(entered: list[Learner]) -> list[str]:
    return [identify(learner.name, learner.estimator).id for learner in entered]


def _keep(finished: Path, found: Estimates, entered: list[Learner], seconds: float) -> None:
    arrays: dict[str, NDArray[Any]] = {}
    arrays |= {f"auroc {learner}": values for learner, values in found.auroc.items()}
    arrays |= {f"pooled {learner}": values for learner, values in found.pooled.items()}
    arrays |= {f"iterations {key}": end.iterations for key, end in found.ends.items()}
    arrays |= {f"estimates {key}": end.estimates for key, end in found.ends.items()}
    arrays |= {f"test {key}": np.array(value) for key, value in found.on_test_set.items()}
    arrays |= {"shape": np.array(found.shape), "seconds": np.array(seconds)}
    np.savez_compressed(finished, learners=np.array(_ids(entered)), **arrays)  # type: ignore[arg-type]


def _kept(finished: Path, name: str, entered: list[Learner], n_runs: int) -> Estimates | None:
    """Return the estimates of runs that were finished before, if they are those asked for."""
    if not finished.exists():
        return None
    with np.load(finished) as kept:
        if kept["learners"].tolist() != _ids(entered):
            return None
        by_kind = {kind: dict(_of_kind(kept, kind)) for kind in ("auroc", "pooled", "test")}
        estimates = dict(_of_kind(kept, "estimates"))
        ends = {key: Ends(its, estimates[key]) for key, its in _of_kind(kept, "iterations")}
        rows, columns = kept["shape"].tolist()
        seconds = float(kept["seconds"])
    on_test_set = {key: float(value) for key, value in by_kind["test"].items()}
    result = Estimates(
        name, by_kind["auroc"], by_kind["pooled"], ends, on_test_set, (rows, columns), seconds
    )
    return result if result.n_runs == n_runs else None


def _of_kind(kept: NpzFile, kind: str) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield what was kept under names that begin with a word, by the rest of the name."""
    for key in kept:
        if key.startswith(f"{kind} "):
            yield key.removeprefix(f"{kind} "), kept[key]

"""Status of a study: the runs that its store has, counted by state, and the time left."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestofk.errors import StoreError
from bestofk.evaluation.request import EvaluationRequest
from bestofk.evaluation.status import FAILURES, MISSING
from bestofk.evaluation.store import Store, check_exists
from bestofk.studies.study_data import names_in_files
from bestofk.studies.study_learners import names_in_store
from bestofk.studies.study_settings import StudySettings

STATES = ("done", *FAILURES, MISSING)


@dataclass(frozen=True)
class CellStatus:
    """Runs of one learner on one data set.

    Parameters
    ----------
    data_set, learner : str
        Their names.
    planned : int
        Runs of the plan.
    done, error, timeout, memory : int
        Runs that went well, and that failed in each way.
    seconds : float
        Of a run, on average; nan where none is timed.
    n_samples : int
        Rows of the data set.
    """

    data_set: str
    learner: str
    planned: int
    done: int
    error: int
    timeout: int
    memory: int
    seconds: float
    n_samples: int

    @property
    def missing(self) -> int:
        """Runs that are not there: not begun, or lost with their worker."""
        return self.planned - self.done - self.error - self.timeout - self.memory


@dataclass(frozen=True)
class StudyStatus:
    """Runs of a study by state, as far as its store knows them.

    Parameters
    ----------
    cells : tuple of CellStatus
        One for each data set and learner that a call has begun with.
    not_begun : tuple of str
        Data sets that no call has begun with.
    """

    cells: tuple[CellStatus, ...]
    not_begun: tuple[str, ...]

    @property
    def learners(self) -> list[str]:
        """Names of the learners, in the order of the study."""
        return list(dict.fromkeys(cell.learner for cell in self.cells))

    @property
    def data_sets(self) -> list[str]:
        """Names of the data sets that a call has begun with."""
        return list(dict.fromkeys(cell.data_set for cell in self.cells))

    def count(self, state: str, *, learner: str | None = None, data_set: str | None = None) -> int:
        """Return the number of runs in a state.

        Parameters
        ----------
        state : {"planned", "done", "error", "timeout", "memory", "missing"}
            Which runs are counted.
        learner, data_set : str, optional
            Only of this one.
        """
        return sum(
            getattr(cell, state)
            for cell in self.cells
            if learner in (None, cell.learner) and data_set in (None, cell.data_set)
        )

    @property
    def seconds_left(self) -> float:
        """Seconds of training that are left, in one process.

        A run that is missing is taken to last as long as finished ones of the same learner on
        the same data set; where there is none, as long per row as on the other data sets. Nan
        where a learner without any timed run is missing, or a data set was not begun.
        """
        if self.not_begun:
            return float("nan")
        rates = {
            name: _mean(c.seconds / c.n_samples for c in self.cells if c.learner == name)
            for name in self.learners
        }
        return sum(
            cell.missing
            * (rates[cell.learner] * cell.n_samples if np.isnan(cell.seconds) else cell.seconds)
            for cell in self.cells
            if cell.missing
        )

    def to_frame(self) -> Any:
        """Return a DataFrame with one row per data set and learner: planned runs, each state."""
        import pandas as pd

        columns = ("data_set", "learner", "planned", *STATES)
        return pd.DataFrame(
            [[getattr(cell, name) for name in columns] for cell in self.cells], columns=columns
        )

    def __repr__(self) -> str:
        counts = ", ".join(f"{self.count(state):,} {state}" for state in STATES)
        return f"<StudyStatus of {self.count('planned'):,} runs: {counts}>"


def read_status(settings: StudySettings) -> StudyStatus:
    """Count the runs of a study in its store; data are not read.

    Data sets and learners are known by their names, so what changed under a name since the last
    call is not noticed before the next.

    Parameters
    ----------
    settings : StudySettings
        Of the study.

    Raises
    ------
    StoreError
        If there is no store, or what it keeps of data sets, plans and learners is damaged.
    """
    names, is_all = names_in_files(settings)
    learners = names_in_store(settings)
    random_state = settings.options.get("random_state", 0)
    check_exists(settings.store)
    with Store(settings.store) as store:
        latest: dict[tuple[str, str], dict[str, Any]] = {}
        for row in store.overview():
            is_asked = row["data"] in names if is_all else True
            is_asked &= row["learner"] in learners if learners else True
            if is_asked and row["random_state"] == random_state:
                latest[row["data"], row["learner"]] = row
    cells = [_cell(row) for row in latest.values()]
    begun = {cell.data_set for cell in cells}
    order = {name: index for index, name in enumerate([*names, *sorted(begun - {*names})])}
    cells.sort(key=lambda cell: order[cell.data_set])
    return StudyStatus(tuple(cells), tuple(name for name in names if name not in begun))


def planned_status(requests: Mapping[str, EvaluationRequest]) -> StudyStatus:
    """Return the status of a study of which nothing is run, from the plans of its data sets."""
    cells = [
        CellStatus(
            name, learner.name, len(request.plan), 0, 0, 0, 0, float("nan"),
            request.data.n_samples,
        )
        for name, request in requests.items()
        for learner in request.learners
    ]  # fmt: skip
    return StudyStatus(tuple(cells), ())


def check_was_run(settings: StudySettings) -> None:
    """Raise StoreError unless the store of a study exists."""
    if not settings.store.exists():
        raise StoreError(
            f"a study must have been run; got no store {settings.store}. "
            f"Start it: bestofk study run {settings.folder / settings.title}"
        )
    check_exists(settings.store)


def _cell(row: dict[str, Any]) -> CellStatus:
    """Return the status of a row of `Store.overview`."""
    error, timeout, memory = row["errors"], row["timeouts"], row["memory"]
    seconds = float("nan") if row["seconds"] is None else float(row["seconds"])
    # where repeats end on the way, the plan is the most that may be needed
    planned = row["planned" if row["state"] == "unfinished" else "finished"]
    return CellStatus(
        row["data"], row["learner"], planned, row["finished"] - error - timeout - memory,
        error, timeout, memory, seconds, row["n_samples"],
    )  # fmt: skip


def _mean(values: Iterable[float]) -> float:
    """Return the mean of the values that are numbers; nan where none is."""
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")

"""ASlib scenarios: instances are the data sets, algorithms the learners.

Run times count as PAR10, the usual penalty: a run that was not solved takes ten times the cutoff.
"""

from pathlib import Path
from typing import Final

import numpy as np

from bestofk.array_types import Bools
from bestofk.data.file_errors import broken
from bestofk.score_tables.aslib_files import DESCRIPTION, OK, RUN_TIME, ScenarioRuns, read_scenario
from bestofk.score_tables.score_formats.score_format import ScoreFormat, ScoreTable, SourceTable

_PENALTY: Final = 10


def _opens(path: Path) -> bool:
    return path.is_dir() and (path / DESCRIPTION).is_file()


def _read(source: SourceTable, measure: str | None) -> ScoreTable:
    assert source.path is not None  # folders are opened here
    runs = read_scenario(source.path)
    name, is_greater = runs.description.measures[0], runs.description.maximize[0]
    given = runs.columns[name]
    is_solved = np.array([status == OK for status in runs.statuses])
    _check(runs, name, is_solved)
    n_failed = int((~is_solved).sum())
    notes = []
    if runs.description.kinds[0] == RUN_TIME:
        cutoff = runs.description.cutoff
        values = np.where(is_solved & (given <= cutoff), given, _PENALTY * cutoff).tolist()
        messages: list[str | None] = [None] * len(values)
        name, is_greater = f"PAR{_PENALTY}_{name}", False
        notes.append(
            f"{n_failed} of {len(values)} runs were not solved; they count as {_PENALTY} times "
            f"the cutoff of {cutoff:g} s."
        )
    else:
        values = [
            value if solved else None
            for value, solved in zip(given.tolist(), is_solved, strict=True)
        ]
        messages = [None if status == OK else status for status in runs.statuses]
        if n_failed:
            notes.append(f"{n_failed} of {len(values)} runs are not ok; they are missing.")
    scores = {
        "dataset": runs.instances,
        "learner": runs.algorithms,
        "repeat": runs.repetitions,
        "measure": [name] * len(values),
        "value": values,
        "greater_is_better": [is_greater] * len(values),
        "message": messages,
    }
    return source.scores(scores, notes)


def _check(runs: ScenarioRuns, name: str, is_solved: Bools) -> None:
    """Refuse a run that is ok and has no value, or a negative time."""
    values = runs.columns[name]
    is_time = runs.description.kinds[0] == RUN_TIME
    is_wrong = is_solved & (~np.isfinite(values) | (is_time & (values < 0)))
    if is_wrong.any():
        row = int(is_wrong.argmax())
        raise broken(
            runs.path,
            f"have {name} in every run that is ok{', of at least 0' if is_time else ''}",
            f"{values[row]:g} for {runs.algorithms[row]} on {runs.instances[row]}",
        )


FORMAT = ScoreFormat(lambda source: False, _read, opens=_opens)

"""Histories from algorithm selection scenarios in the ASlib format (`bestofk.data.aslib_files`)."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bestofk.array_types import Floats, Values
from bestofk.data.aslib_files import OK, RUN_TIME, ScenarioRuns, read_scenario
from bestofk.recommendation.history import History
from bestofk.recommendation.table_figures import LongRows, refuse_values


def read_aslib_scenario(folder: str | os.PathLike[str]) -> History:
    """Read the history that a scenario holds: its instances are the data sets.

    Parameters
    ----------
    folder : str or Path
        With ``description.txt`` and ``algorithm_runs.arff``.  Where there are instances in
        ``feature_values.arff`` and ``cv.arff``, they must be the same; other files are not
        read.

    Returns
    -------
    History
        The first performance measure counts.  Solution quality from 0 to 1: the mean over
        repetitions is the score, 1 minus it where less is better; nan unless all repetitions
        are ok.  Run time: the score is the share of repetitions that were solved, the seconds
        are the mean run time, none above the cutoff, and the score before any test is 0.  The
        state of a cell is ok where all repetitions are, else the first other status.

    Raises
    ------
    InvalidArgumentError
        If a needed file is missing or broken, a status is unknown, a run is there twice, a
        value is not what its kind allows, names differ between files, or PyYAML is not
        installed.

    Examples
    --------
    >>> import tempfile
    >>> about = "{performance_measures: acc, maximize: true, performance_type: solution_quality}"
    >>> head = "@relation r|@attribute instance_id string|@attribute repetition numeric|"
    >>> head += "@attribute algorithm string|@attribute acc numeric|@attribute runstatus {ok}|@data"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "description.txt").write_text(about)
    ...     runs = [*head.split("|"), "iris,1,lda,0.98,ok", "iris,1,tree,0.94,ok"]
    ...     _ = Path(folder, "algorithm_runs.arff").write_text(chr(10).join(runs))
    ...     history = read_aslib_scenario(folder)
    >>> history.learners, history.scores.tolist()
    (('lda', 'tree'), [[0.98, 0.94]])
    """
    runs = _Cells(read_scenario(Path(folder)))
    if runs.description.kinds[0] == RUN_TIME:
        return _run_time_history(runs)
    return _quality_history(runs)


class _Cells:
    """The runs of a scenario by instance and algorithm."""

    def __init__(self, runs: ScenarioRuns) -> None:
        self.path, self.columns = runs.path, runs.columns
        self.description = runs.description
        self.rows = LongRows.of(runs.instances, runs.algorithms, runs.description.algorithms)
        self.statuses = np.array(runs.statuses)
        self.is_solved = np.asarray(self.statuses == OK)
        self.n_repetitions = self.rows.summed(np.ones(len(self.statuses)))

    def means(self, values: Values) -> Floats:
        """Return the mean over the repetitions of each instance and algorithm."""
        return self.rows.means(values, self.n_repetitions, self.n_repetitions > 0)

    @property
    def states(self) -> NDArray[np.str_]:
        """Return ok where all repetitions are, else the first other status, or missing."""
        return self.rows.states(self.n_repetitions > 0, self.statuses)


def _run_time_history(runs: _Cells) -> History:
    seconds, notes = _mean_seconds(runs)
    description = runs.description
    return History.from_arrays(
        runs.means(runs.is_solved),
        seconds,
        data_sets=runs.rows.data_sets,
        learners=runs.rows.learners,
        default_scores=np.zeros(len(runs.rows.data_sets)),
        measure="share solved",
        task="run time",
        states=runs.states,
        notes=[f"Scores are shares of runs that ended ok ({description.measures[0]}).", *notes],
    )


def _quality_history(runs: _Cells) -> History:
    description = runs.description
    measure = description.measures[0]
    values = runs.columns[measure]
    refuse_values(
        runs.path, runs.is_solved & ~((values >= 0) & (values <= 1)), values, runs.rows.cells,
        rule=f"have {measure} from 0 to 1 in every run that is ok",
        way_out="Divide percentages by 100; scale other measures before.",
    )  # fmt: skip
    scores = values if description.maximize[0] else 1 - values
    seconds, notes = None, ["The scenario holds no run times."]
    if description.seconds_column is not None:
        seconds, notes = _mean_seconds(runs)
    if not description.maximize[0]:
        notes.insert(0, f"Scores are 1 - {measure}.")
    return History.from_arrays(
        runs.means(np.where(runs.is_solved, scores, np.nan)),
        seconds,
        data_sets=runs.rows.data_sets,
        learners=runs.rows.learners,
        measure=measure if description.maximize[0] else f"1 - {measure}",
        task="solution quality",
        states=runs.states,
        notes=notes,
    )


def _mean_seconds(runs: _Cells) -> tuple[Floats, list[str]]:
    """Return the mean run times of the cells, none above the cutoff, and what was changed."""
    name, cutoff = str(runs.description.seconds_column), runs.description.cutoff
    given = runs.columns[name]
    refuse_values(
        runs.path, (given < 0) | (np.isnan(given) & runs.is_solved), given, runs.rows.cells,
        rule=f"have {name} of at least 0 seconds in every run that is ok",
    )  # fmt: skip
    unknown, n_all, notes = np.isnan(given), len(given), []
    if (given > cutoff).any():
        n_above = int((given > cutoff).sum())
        notes.append(f"{n_above} of {n_all} values of {name} were above the cutoff of {cutoff:g} "
                     "s, as penalized run times are; they were set to it.")  # fmt: skip
    if unknown.any() and math.isfinite(cutoff):
        notes.append(f"{int(unknown.sum())} of {n_all} runs failed without {name}; they count as "
                     f"{cutoff:g} s.")  # fmt: skip
    if (given == 0).any():
        notes.append(f"{int((given == 0).sum())} of {n_all} values of {name} are 0.")
    known = np.where(unknown, cutoff if math.isfinite(cutoff) else np.nan, given)
    return runs.means(np.minimum(known, cutoff)), notes

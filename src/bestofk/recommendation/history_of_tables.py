"""Histories from score tables of any format, and from scenarios in the ASlib format."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bestofk.array_types import Bools, Floats, Positions, Values
from bestofk.checks import check_number
from bestofk.data.file_errors import broken
from bestofk.data.notes import named
from bestofk.data.table import first_repeated
from bestofk.evaluation.status import MISSING, OK, Meaning, is_ok
from bestofk.recommendation.history import FoldScores, History, fold_scores_of
from bestofk.recommendation.loss_time import SHORTEST_SECONDS
from bestofk.score_tables.aslib_files import RUN_TIME, ScenarioRuns, read_scenario
from bestofk.score_tables.score_column_names import SECONDS, plain_name
from bestofk.score_tables.score_formats.missing_scores import rows_of_measure
from bestofk.score_tables.score_formats.score_format import ScoreTable
from bestofk.score_tables.table_facts import direction_by_name, known_direction, known_measure


def refuse_values(
    path: Path,
    is_wrong: Bools,
    values: Floats,
    cells: Sequence[str],
    *,
    rule: str,
    way_out: str = "",
) -> None:
    """Raise if a value is wrong; `cells` says what each is about."""
    if is_wrong.any():
        index = int(is_wrong.argmax())
        raise broken(path, rule, f"{values[index]:g} for {cells[index]}", way_out)


@dataclass(frozen=True, eq=False)
class LongRows:
    """Data set and learner of each row of a long table.

    Parameters
    ----------
    data_sets, learners : tuple of str
        Rows and columns of the wide table that the rows make.
    data_set, learner : ndarray of shape (n_rows,)
        Their positions, row by row.
    """

    data_sets: tuple[str, ...]
    learners: tuple[str, ...]
    data_set: Positions
    learner: Positions

    @classmethod
    def of(
        cls, data_set: Sequence[str], learner: Sequence[str], learners: Iterable[str] = ()
    ) -> LongRows:
        """Return the rows of these names; `learners` gives the order of columns, if known."""
        rows = {name: index for index, name in enumerate(dict.fromkeys(data_set))}
        columns = {name: index for index, name in enumerate(dict.fromkeys(learners or learner))}
        return cls(
            tuple(rows), tuple(columns),
            np.array([rows[name] for name in data_set]),
            np.array([columns[name] for name in learner]),
        )  # fmt: skip

    @property
    def cells(self) -> list[str]:
        """Return what each row is about, for an error."""
        return [f"{self.learners[j]} on {self.data_sets[i]}"
                for i, j in zip(self.data_set, self.learner, strict=True)]  # fmt: skip

    def summed(self, values: Values) -> Floats:
        """Return the sum over the rows of each data set and learner."""
        total = np.zeros((len(self.data_sets), len(self.learners)))
        np.add.at(total, (self.data_set, self.learner), values)
        return total

    def means(self, values: Values, n_rows: Floats, where: Bools) -> Floats:
        """Return the mean over `n_rows` rows of some cells; nan for the others."""
        total = self.summed(values)
        return np.asarray(np.divide(total, n_rows, out=np.full(total.shape, np.nan), where=where))

    def states(self, is_ok: Bools, statuses: Iterable[str | None]) -> NDArray[np.str_]:
        """Return the first other status of each cell, else ok or missing."""
        says_no_more = Meaning(OK, MISSING)  # than whether there is a score
        states = np.where(is_ok, OK, MISSING).astype(object)
        for i, j, status in zip(self.data_set, self.learner, statuses, strict=True):
            is_other = status is not None and not says_no_more(status.casefold())
            if is_other and says_no_more(states[i, j]):
                states[i, j] = status
        return states.astype(str)


_SCORES: Final = ("score", "scores", "share_solved", "success_rate")  # higher is better
_MOST_NAMED: Final = 8  # measures that an error names


def history_of_scores(
    table: ScoreTable,
    *,
    measure: str | None = None,
    greater_is_better: bool | None = None,
    n_folds: int = 1,
) -> History:
    """Make a history of the scores of a table, and of its seconds where it has them.

    Parameters
    ----------
    table : ScoreTable
        Scores of learners on data sets, or on their folds.  Without a column of data sets all
        scores are of one, called like the file.
    measure : str, optional
        Which of several; names that of a table which does not.  Found where one alone has a
        direction that is known.
    greater_is_better : bool, optional
        The direction, where neither the table nor the name of the measure tells it.
    n_folds : int, default=1
        Where the table gives mean seconds of a fold: of how many, so that the test takes so
        many times as long.

    Returns
    -------
    History
        Scores are means over the folds, seconds their sums: training and predicting, or the
        whole where it is given.  The score is 1 minus the value where less is better; a measure
        named percent is divided by 100.  Cells without a row, or with fewer folds than others
        of their data set, are missing.  Of several states of a cell the first that is not ok.

    Raises
    ------
    InvalidArgumentError
        If a name is missing, the measure or its direction is not clear, a value is no number or
        out of range, a score has no time though others have, or a row is there twice.

    Examples
    --------
    >>> import pandas as pd
    >>> from bestofk.score_tables.score_formats.read_score_table import read_score_table
    >>> rows = [("iris", "lda", 1, 0.02, 3), ("iris", "lda", 2, 0.04, 2)]
    >>> frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "error", "time"])
    >>> history = history_of_scores(read_score_table(frame))
    >>> history.measure, history.scores.tolist(), history.seconds.tolist()
    ('1 - error', [[0.97]], [[5.0]])
    """
    path = Path(table.source or table.title)
    table = _with_data_sets(table)
    table, name = _of_one_measure(path, table, measure, greater_is_better)
    is_greater = _is_greater_better(table, name, greater_is_better)
    rows = _rows(path, table)
    values = _numbers(path, table.columns["value"], rows.cells, what=name)
    notes = [*table.notes, *table.cautions]
    if "percent" in plain_name(name).split("_"):
        values = values / 100
        notes.append(f"Values of {name} are divided by 100.")
    refuse_values(
        path, (values < 0) | (values > 1), values, rows.cells,
        rule=f"have {'scores' if is_greater else 'errors'} from 0 to 1",
        way_out="Divide percentages by 100; leave out measures of another range.",
    )  # fmt: skip
    scores = values if is_greater else 1 - values
    seconds = _seconds(path, table, rows.cells)
    check_number(
        n_folds, "n_folds", low=1, whole=True,
        way_out="It is the number of folds that seconds are means of.",
    )  # fmt: skip
    if seconds is not None:
        seconds = seconds * n_folds
    states = table.columns.get("status", [None] * len(values))
    means, times, cell_states, averaged = _averaged(rows, scores, seconds, states)
    better = "higher" if is_greater else "lower"
    notes += [f"Scores of {path.name}: {name}, {better} is better.", *averaged]
    return History.from_arrays(
        means,
        times,
        data_sets=rows.data_sets,
        learners=rows.learners,
        measure=name if is_greater else f"1 - {name}",
        states=cell_states,
        notes=[*notes, *_notes_on_times(path, rows, means, times)],
        fold_scores=_fold_scores(table, rows, scores),
    )


def _with_data_sets(table: ScoreTable) -> ScoreTable:
    if "dataset" in table.columns:
        return table
    names = {"dataset": [table.title] * len(table.columns["value"])}
    said = f"There is no column of data sets: all scores are of one, called {table.title}."
    return replace(table, columns=table.columns | names, notes=(*table.notes, said))


def _of_one_measure(
    path: Path, table: ScoreTable, wanted: str | None, greater_is_better: bool | None
) -> tuple[ScoreTable, str]:
    """Return the rows of one measure and its name."""
    measures = table.measures()
    if not measures:
        _check_learners(path, table)
        if wanted is None and greater_is_better is None:
            raise broken(
                path, "name its measure, or the caller has to", "no name",
                "Name it by --measure accuracy (measure='accuracy').",
            )  # fmt: skip
        return table, wanted or ("score" if greater_is_better else "error")
    if wanted is None and table.usual_measure in measures:
        wanted = table.usual_measure
    if wanted is None:
        told = [name for name in measures if direction_from_name(name) is not None]
        fitting = measures if len(measures) == 1 else told
        if len(fitting) != 1:
            raise broken(
                path, "have one measure, or the caller has to name one of several",
                named(measures, _MOST_NAMED),
                f"Name one by --measure {measures[0]} (measure={measures[0]!r}).",
            )  # fmt: skip
        (wanted,) = fitting
    return rows_of_measure(table, wanted), wanted


def _check_learners(path: Path, table: ScoreTable) -> None:
    """Refuse a table whose only columns are measures: it says nowhere what they are of."""
    names = list(dict.fromkeys(map(str, table.columns["learner"])))
    if any(known_measure(name) for name in names):
        raise broken(
            path, "have a column that names the learner", ", ".join(names[:_MOST_NAMED]),
            "Name it by --map learner=COLUMN (columns={'learner': ...}).",
        )  # fmt: skip


def direction_from_name(name: str) -> bool | None:
    """Return whether more of a measure is better, by its name alone; ``1 - error`` is a score."""
    if plain_name(name) in _SCORES:
        return True
    if name.startswith("1 - "):
        inner = direction_from_name(name.removeprefix("1 - "))
        return None if inner is None else not inner
    known = known_measure(name)
    return direction_by_name(name) if known is None else known.greater_is_better


def _is_greater_better(table: ScoreTable, name: str, given: bool | None) -> bool:
    said = {str(value).lower() for value in table.columns.get("greater_is_better", [])} - {"none"}
    if given is None and len(said) == 1 and said <= {"true", "false"}:
        given = said == {"true"}
    return known_direction(name, direction_from_name(name) if given is None else given)


def _rows(path: Path, table: ScoreTable) -> LongRows:
    """Return whose the rows are; each data set, learner and fold is there once."""
    columns = table.columns
    for name in ("dataset", "learner"):
        if None in columns[name]:
            row = table.row_number(columns[name].index(None))
            raise broken(path, f"have a name in every row of column {name!r}", f"none in row {row}")
    keys = [[str(value) for value in columns[name]] for name in ("dataset", "learner")]
    rows = LongRows.of(*keys)
    folds = [name for name in ("repeat", "fold") if name in columns]
    repeated = first_repeated(zip(*keys, *(columns[name] for name in folds), strict=True))
    if repeated is not None:
        row = repeated[1]
        where = "".join(f", {name} {columns[name][row]}" for name in folds)
        raise broken(
            path, "have one row per data set, learner and fold", f"two of {rows.cells[row]}{where}",
            "Name by --map fold=COLUMN (columns={'fold': ...}) what tells them apart.",
        )  # fmt: skip
    return rows


def _numbers(path: Path, values: Sequence[Any], cells: Sequence[str], *, what: str) -> Floats:
    """Return finite numbers, nan where there is none; refuse text."""
    numbers = np.full(len(values), np.nan)
    for row, value in enumerate(values):
        if value is None or value != value:
            continue
        try:
            numbers[row] = float(str(value))
        except ValueError:
            numbers[row] = np.inf
        if not np.isfinite(numbers[row]):
            raise broken(
                path, f"have plain numbers in column {what!r}", f"{value!r} for {cells[row]}",
                "Write 0.85 for 85 %, and leave a cell empty where there is none.",
            )  # fmt: skip
    return numbers


def seconds_in(path: Path, values: Sequence[Any], cells: Sequence[str], *, column: str) -> Floats:
    """Return seconds of at least 0, nan where there are none; `cells` says what each is about."""
    numbers = _numbers(path, values, cells, what=column)
    refuse_values(
        path, numbers < 0, numbers, cells,
        rule="have seconds of at least 0", way_out="Leave a cell empty where a time is not known.",
    )  # fmt: skip
    return numbers


def _seconds(path: Path, table: ScoreTable, cells: Sequence[str]) -> Floats | None:
    """Return the seconds of each row: of training and predicting, else of both together."""
    parts = {
        name: seconds_in(path, table.columns[name], cells, column=name)
        for name in SECONDS
        if name in table.columns
    }
    train, predict, whole = (parts.get(name) for name in SECONDS)
    if whole is None and (train is None or predict is None):
        if not parts:
            return None
        raise broken(
            path, "have the seconds of training and of predicting, or of both together",
            ", ".join(parts), "Name what stands for the whole test by --map seconds=COLUMN "
            "(columns={'seconds': ...}).",
        )  # fmt: skip
    if train is None or predict is None:
        return whole
    both = train + predict
    return both if whole is None else np.where(np.isnan(both), whole, both)


def _averaged(
    rows: LongRows, scores: Floats, seconds: Floats | None, states: Sequence[str | None]
) -> tuple[Floats, Floats | None, NDArray[np.str_], list[str]]:
    """Return mean scores and summed times of the cells, their states, and notes."""
    n_rows = rows.summed(np.ones(len(scores)))
    most = n_rows.max(axis=1, keepdims=True)
    is_cut = (n_rows > 0) & (n_rows < most)
    is_whole = n_rows == most
    means = rows.means(scores, n_rows, is_whole)
    times = None if seconds is None else np.where(is_whole, rows.summed(seconds), np.nan)
    notes = []
    if is_cut.any():
        notes.append(f"{int(is_cut.sum())} of {is_cut.size} cells have fewer folds than others "
                     "of their data set; they are missing.")  # fmt: skip
    if most.max() > 1:
        notes.append("Scores are means over folds, seconds their sums.")
    cell_states = np.where(is_cut, MISSING, rows.states(~np.isnan(means), states))
    return means, times, cell_states, notes


def _notes_on_times(
    path: Path, rows: LongRows, scores: Floats, seconds: Floats | None
) -> list[str]:
    """Return what to know about the times, or raise if a score has none though others have."""
    if seconds is None or np.isnan(seconds).all():
        return ["There are no times."]
    gaps = np.argwhere(np.isnan(seconds) & ~np.isnan(scores))
    if len(gaps):
        i, j = gaps[0]
        raise broken(
            path, "have the seconds of every score",
            f"none for {rows.learners[j]} on {rows.data_sets[i]}",
            "Fill them in, or leave out the score as well.",
        )  # fmt: skip
    n_zero = int((seconds == 0).sum())
    counted = f"where it matters they count as {SHORTEST_SECONDS:g} s"
    return [f"{n_zero} of {seconds.size} times are 0; {counted}."] if n_zero else []


def _fold_scores(table: ScoreTable, rows: LongRows, scores: Floats) -> FoldScores | None:
    """Return the scores of each fold, where the table has folds or repeats."""
    columns, n_rows = table.columns, len(scores)
    repeats, folds = (columns.get(name, [0] * n_rows) for name in ("repeat", "fold"))
    of_sets: list[dict[Any, float]] = [{} for _ in rows.data_sets]
    for row, (i, j) in enumerate(zip(rows.data_set.tolist(), rows.learner.tolist(), strict=True)):
        of_sets[i][j, (repeats[row], folds[row])] = float(scores[row])
    folds_known = fold_scores_of(of_sets, len(rows.learners))
    if folds_known is None or not {"n_train", "n_test"} <= set(columns):
        return folds_known
    train, test = (
        np.bincount(rows.data_set, [float(value or np.nan) for value in columns[name]])
        for name in ("n_train", "n_test")
    )
    return replace(folds_known, test_shares=test / train)


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
    facts = _run_time_facts if runs.description.kinds[0] == RUN_TIME else _quality_facts
    cells: dict[str, Any] = {"data_sets": runs.rows.data_sets, "learners": runs.rows.learners}
    return History.from_arrays(**facts(runs), **cells, states=runs.states)


class _Cells:
    """The runs of a scenario by instance and algorithm."""

    def __init__(self, runs: ScenarioRuns) -> None:
        self.path, self.columns = runs.path, runs.columns
        self.description = runs.description
        self.rows = LongRows.of(runs.instances, runs.algorithms, runs.description.algorithms)
        self.statuses = np.array(runs.statuses)
        self.is_solved = is_ok(self.statuses)
        self.n_repetitions = self.rows.summed(np.ones(len(self.statuses)))

    def means(self, values: Values) -> Floats:
        """Return the mean over the repetitions of each instance and algorithm."""
        return self.rows.means(values, self.n_repetitions, self.n_repetitions > 0)

    @property
    def states(self) -> NDArray[np.str_]:
        """Return ok where all repetitions are, else the first other status, or missing."""
        return self.rows.states(self.n_repetitions > 0, self.statuses)


def _run_time_facts(runs: _Cells) -> dict[str, Any]:
    seconds, notes = _mean_seconds(runs)
    measure = runs.description.measures[0]
    return {
        "scores": runs.means(runs.is_solved),
        "seconds": seconds,
        "default_scores": np.zeros(len(runs.rows.data_sets)),
        "measure": "share solved",
        "task": "run time",
        "notes": [f"Scores are shares of runs that ended ok ({measure}).", *notes],
    }


def _quality_facts(runs: _Cells) -> dict[str, Any]:
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
    return {
        "scores": runs.means(np.where(runs.is_solved, scores, np.nan)),
        "seconds": seconds,
        "measure": measure if description.maximize[0] else f"1 - {measure}",
        "task": "solution quality",
        "notes": notes,
    }


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

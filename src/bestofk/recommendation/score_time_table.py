"""Histories from long tables of scores and seconds, one row per data set and learner, or fold.

Whether higher is better is known from names or arguments; it is never guessed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bestofk.data.file_errors import broken
from bestofk.data.table import Table, first_repeated
from bestofk.errors import InvalidArgumentError, nearest_name
from bestofk.recommendation.history import MISSING, History
from bestofk.recommendation.table_figures import (
    Figures,
    LongRows,
    check_direction,
    check_not_negative,
    history_of_figures,
    names_in,
    plain_name,
    read_numbers,
    read_table,
    scores_in_range,
)

Source = str | os.PathLike[str]
Names = str | Sequence[str]

# Column names that tables of others use, as `plain_name` writes them; the first found counts.
USUAL_NAMES: Mapping[str, tuple[str, ...]] = {
    "data_set": ("data_set", "dataset", "data_set_name", "dataset_name", "data_name", "data_set_id",
                 "dataset_id", "openml_dataset_id", "data", "task", "task_id", "instance_id"),
    "learner": ("learner", "algorithm", "method", "classifier", "model", "framework",
                "configuration", "learner_name", "alg_name", "algorithm_name", "method_name",
                "model_name"),
    "score": ("score", "accuracy", "acc", "balanced_accuracy", "predictive_accuracy",
              "test_accuracy", "mean_accuracy", "success_rate", "auroc", "auc", "f1",
              "share_solved"),
    "error": ("error", "error_rate", "balanced_error", "balanced_error_rate", "test_error",
              "metric_error", "misclassification_rate"),
    "seconds": ("seconds", "time", "time_s", "total_seconds", "total_time", "runtime", "run_time"),
    "state": ("state", "status", "runstatus"),
}  # fmt: skip
# Times that make the whole test together, each in any of its spellings.
_TRAIN = ("train_seconds", "time_train_s", "train_time", "training_time", "fit_seconds", "fit_time")
_PREDICT = ("predict_seconds", "time_infer_s", "predict_time", "test_time", "score_time")
_MOST_NAMED = 8  # columns of a table that an error names
_FOLDS = ("repeat", "repetition", "fold", "split")


def read_long_table(
    path: Source,
    *,
    data_set: str | None = None,
    learner: str | None = None,
    score: str | None = None,
    error: str | None = None,
    seconds: Names | None = None,
    fold: Names | None = None,
    n_folds: int = 1,
) -> History:
    """Read a table with one row per data set and learner, or per fold of them.

    Parameters
    ----------
    path : str or Path
        A CSV file, gzipped or not.
    data_set, learner : str, optional
        The columns that name them; found by `USUAL_NAMES` where not given.
    score, error : str, optional
        The column of scores (higher is better) or of errors, from 0 to 1; the score is
        1 - error.  Found by `USUAL_NAMES` where there is one of them only.
    seconds : str or sequence of str, optional
        The column of times, or several to be added up, such as of training and predicting.
        A table without any has no times.
    fold : str or sequence of str, optional
        The columns that tell the rows of one data set and learner apart.  Scores are averaged
        over these rows and seconds are summed: all of them together are the test.  Found where
        they are called repeat, repetition, fold or split.
    n_folds : int, default=1
        Where the table gives mean seconds of a fold: of how many, so that the test takes so
        many times as long.

    Returns
    -------
    History
        Cells without a row, or with fewer folds than others of their data set, are missing.
        A column state, status or runstatus is taken over; of several rows, the first that is
        not ok.

    Raises
    ------
    InvalidArgumentError
        If the table cannot be read, a column is not there or not known, the direction is not
        clear, a value is no number or out of range, a score has no time, or a row is there
        twice.

    Examples
    --------
    >>> import tempfile
    >>> lines = ["dataset,algorithm,fold,error,time", "iris,lda,1,0.02,3", "iris,lda,2,0.04,2"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "results.csv")
    ...     _ = path.write_text(chr(10).join(lines))
    ...     history = read_long_table(path)
    >>> history.measure, history.scores.tolist(), history.seconds.tolist()
    ('1 - error', [[0.97]], [[5.0]])
    """
    file_path = Path(path)
    table = read_table(file_path)
    columns = _choose_columns(
        file_path, table, {"data_set": data_set, "learner": learner, "score": score, "error": error}
    )
    is_error = "error" in columns
    times = _choose_seconds(file_path, table, seconds)
    rows = _read_rows(file_path, table, columns["data_set"], columns["learner"],
                      _choose_folds(file_path, table, fold))  # fmt: skip
    cells = rows.cells
    measure = columns["error" if is_error else "score"]
    values = read_numbers(file_path, table, measure, cells)
    values = scores_in_range(file_path, values, cells, is_error=is_error)
    taken = None
    if times:
        parts = [read_numbers(file_path, table, name, cells) for name in times]
        for part in parts:
            check_not_negative(file_path, part, cells)
        taken = np.sum(parts, axis=0) * _checked_n_folds(n_folds)
    state = _usual(table, USUAL_NAMES["state"])
    states = [None] * len(cells) if state is None else table.columns[state]
    figures, cell_states, notes = _averaged(file_path, rows, values, taken, states)
    used = [columns["data_set"], columns["learner"], measure, *times]
    notes.insert(0, f"Columns of {file_path.name} that were read: {', '.join(used)}.")
    name = f"1 - {measure}" if is_error else measure
    return history_of_figures(figures, name, notes, cell_states)


def _shown(columns: Iterable[str]) -> str:
    """Return the first names of many, so that a wide table is refused in one sentence."""
    names = list(columns)
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _choose_columns(path: Path, table: Table, given: Mapping[str, str | None]) -> dict[str, str]:
    """Return the columns of data set, learner, and score or error."""
    chosen = {}
    for what in ("data_set", "learner"):
        result = given[what] or _usual(table, USUAL_NAMES[what])
        if result is None:
            raise broken(
                path, f"have a column that names the {what.replace('_', ' ')}",
                _shown(table.columns), f"Name it by {what}=.",
            )  # fmt: skip
        chosen[what] = _there(path, table, result)
    named = {what: name for what in ("score", "error") if (name := given[what]) is not None}
    if not named:
        usual = [(kind, name) for name in table.columns if (kind := _usual_direction(name))]
        named = dict(usual) if len(usual) == 1 else {}
    if len(named) != 1:
        raise broken(
            path, "have one column of scores or of errors whose direction is known",
            _shown(table.columns), "Name it by score= (higher is better) or by error=.",
        )  # fmt: skip
    ((what, name),) = named.items()
    chosen[what] = _there(path, table, name)
    check_direction(name, f"column {name!r} of {path}", "errors" if what == "error" else "scores")
    return chosen


def _usual_direction(name: str) -> str | None:
    """Return score or error for the usual names of either; 1 - error is a score."""
    plain = plain_name(name)
    if plain in USUAL_NAMES["error"]:
        return "error"
    is_score = plain in USUAL_NAMES["score"] or plain.removeprefix("1_") in USUAL_NAMES["error"]
    return "score" if is_score else None


def _choose_seconds(path: Path, table: Table, given: Names | None) -> list[str]:
    """Return the columns whose sum is the time of a row; none where there are no times."""
    if given is not None:
        return [_there(path, table, name) for name in _as_list(given)]
    total = _usual(table, USUAL_NAMES["seconds"])
    if total is not None:
        return [total]
    parts = [_usual(table, names) for names in (_TRAIN, _PREDICT)]
    if parts[0] is None and parts[1] is None:
        return []
    if None in parts:
        raise broken(
            path, "have the seconds of training and of predicting, or of both together",
            str(parts[0] or parts[1]), "Name by seconds= what stands for the whole test.",
        )  # fmt: skip
    return [name for name in parts if name is not None]


def _choose_folds(path: Path, table: Table, given: Names | None) -> list[str]:
    if given is not None:
        return [_there(path, table, name) for name in _as_list(given)]
    return [name for name in table.columns if plain_name(name) in _FOLDS]


def _read_rows(
    path: Path, table: Table, data_set: str, learner: str, folds: Sequence[str]
) -> LongRows:
    """Read whose the rows are; each data set, learner and fold is there once."""
    keys = [names_in(path, table, data_set), names_in(path, table, learner)]
    rows = LongRows.of(*keys)
    repeated = first_repeated(zip(*keys, *(table.columns[name] for name in folds), strict=True))
    if repeated is not None:
        row = repeated[1]
        where = "".join(f", {name} {table.columns[name][row]}" for name in folds)
        raise broken(
            path, "have one row per data set, learner and fold",
            f"two of {rows.cells[row]}{where}", "Name by fold= the columns that tell them apart.",
        )  # fmt: skip
    return rows


def _averaged(
    path: Path,
    rows: LongRows,
    scores: NDArray[np.float64],
    seconds: NDArray[np.float64] | None,
    states: Sequence[str | None],
) -> tuple[Figures, NDArray[np.str_], list[str]]:
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
    return Figures(path, rows.data_sets, rows.learners, means, times), cell_states, notes


def _checked_n_folds(n_folds: int) -> int:
    if isinstance(n_folds, bool) or not isinstance(n_folds, int) or n_folds < 1:
        raise InvalidArgumentError(
            f"n_folds must be a whole number from 1; got {n_folds!r}. "
            "It is the number of folds that seconds are means of."
        )
    return n_folds


def _usual(table: Table, names: Sequence[str]) -> str | None:
    """Return the first column with a usual name."""
    plain = {plain_name(column): column for column in reversed(list(table.columns))}
    return next((plain[name] for name in names if name in plain), None)


def _there(path: Path, table: Table, name: str) -> str:
    if name not in table.columns:
        raise broken(path, "have the columns that were named", f"no {name!r}",
                     nearest_name(name, table.columns))  # fmt: skip
    return name


def _as_list(names: Names) -> list[str]:
    return list(names) if isinstance(names, (list, tuple)) else [str(names)]

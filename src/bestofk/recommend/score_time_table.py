"""What do tables of scores and seconds say: a pair of wide tables, or one long table.

Wide tables have one row per data set and one column per learner; the first column names the
data sets.  Long tables have one row per data set and learner, or one per fold of them.
Whether higher is better is known from names or arguments; it is never guessed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bestofk.data.csv_file import read_csv
from bestofk.data.table import Table
from bestofk.data.text_values import number_form, read_number
from bestofk.errors import InvalidArgumentError, nearest_name
from bestofk.recommend.history import MISSING, OK, SHORTEST_SECONDS, History

Source = str | os.PathLike[str]
Names = str | Sequence[str]

# Column names that tables of others use, as `_plain` writes them; the first that is there counts.
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
_FOLDS = ("repeat", "repetition", "fold", "split")

_LESS_IS_BETTER = {"error", "errors", "err", "loss", "losses", "misclassification"}
_MORE_IS_BETTER = {"accuracy", "accuracies", "acc", "score", "scores", "auc", "auroc", "success"}
_SHOWN = 3  # names in an error


@dataclass(frozen=True, eq=False)
class _Tables:
    """Figures in the form of a history, and where they come from."""

    path: Path
    data_sets: tuple[str, ...]
    learners: tuple[str, ...]
    scores: NDArray[np.float64]
    seconds: NDArray[np.float64] | None


def read_wide_tables(
    *, scores: Source | None = None, errors: Source | None = None, seconds: Source | None = None
) -> History:
    """Read one table of scores or errors, and one of seconds beside it.

    Parameters
    ----------
    scores, errors : str or Path
        One of the two, a CSV file, gzipped or not: the first column names the data sets, each
        other column is a learner.  From 0 to 1; the score is 1 - error.  An empty cell was
        not tested.
    seconds : str or Path, optional
        The same data sets and learners in any order: seconds of the whole test.  A time
        without a score is what a failed test took.

    Returns
    -------
    History

    Raises
    ------
    InvalidArgumentError
        If a table cannot be read or names something twice, rows or columns differ, a value is
        no number or out of range, a score has no time, or the name of a file says the
        opposite direction.
    """
    if (scores is None) == (errors is None):
        raise InvalidArgumentError(
            "wide tables must be scores or errors, one of the two; got "
            f"{'neither' if scores is None else 'both'}. Say which, so that the direction is known."
        )
    path = Path(str(errors if scores is None else scores))
    _check_direction(path.name.split(".")[0], str(path), is_error=scores is None)
    rows, columns, table = _read_wide(path)
    values = _as_scores(path, rows, columns, table, is_error=scores is None)
    times = None
    if seconds is not None:
        time_rows, time_columns, given = _read_wide(Path(seconds))
        _check_same(path, "rows", rows, Path(seconds), time_rows)
        _check_same(path, "columns", columns, Path(seconds), time_columns)
        order = np.ix_([time_rows.index(row) for row in rows], [*map(time_columns.index, columns)])
        times = given[order]
        _check_seconds(Path(seconds), rows, columns, times)
    measure = "1 - error" if scores is None else "score"
    return _history(_Tables(path, rows, columns, values, times), measure, [])


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
    """
    place = Path(path)
    table = _read_table(place)
    columns = _choose_columns(
        place, table, {"data_set": data_set, "learner": learner, "score": score, "error": error}
    )
    is_error = "error" in columns
    times = _choose_seconds(place, table, seconds)
    rows = _Rows.of(place, table, columns["data_set"], columns["learner"],
                    _choose_folds(place, table, fold))  # fmt: skip
    measure = columns["error" if is_error else "score"]
    values = rows.scores(table, measure, is_error=is_error)
    taken = rows.seconds(table, times) * _checked_n_folds(n_folds) if times else None
    states = rows.states(table)
    tables, cell_states, notes = rows.averaged(values, taken, states)
    return _history(tables, f"1 - {measure}" if is_error else measure, notes, cell_states)


# -- wide --------------------------------------------------------------------------------


def _read_wide(path: Path) -> tuple[tuple[str, ...], tuple[str, ...], NDArray[np.float64]]:
    """Return the names of rows and columns, and the figures."""
    table = _read_table(path)
    first, *learners = table.columns
    if not learners:
        raise _wrong(path, "have a column of names and one per learner", "one column")
    rows = _names(path, table, first)
    twice = next((row for row in rows if rows.count(row) > 1), None)
    if twice is not None:
        raise _wrong(path, "have one row per data set", f"several of {twice}", "Average them.")
    figures = [_numbers(path, table, name, [f"{name} on {row}" for row in rows])
               for name in learners]  # fmt: skip
    return tuple(rows), tuple(learners), np.column_stack(figures)


def _check_same(
    path: Path, what: str, names: Sequence[str], other: Path, other_names: Sequence[str]
) -> None:
    here, there = set(names), set(other_names)
    if here != there:
        raise InvalidArgumentError(
            f"{what} of {path} must be those of {other}; got {_listed(here - there)} only in the "
            f"first, {_listed(there - here)} only in the second. Keep what is in both."
        )


def _listed(names: set[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(sorted(names)[:_SHOWN]) + more if names else "nothing"


# -- long --------------------------------------------------------------------------------


def _choose_columns(path: Path, table: Table, given: Mapping[str, str | None]) -> dict[str, str]:
    """Return the columns of data set, learner, and score or error."""
    chosen = {}
    for what in ("data_set", "learner"):
        found = given[what] or _usual(table, USUAL_NAMES[what])
        if found is None:
            raise _wrong(
                path, f"have a column that names the {what.replace('_', ' ')}",
                ", ".join(table.columns), f"Name it by {what}=.",
            )  # fmt: skip
        chosen[what] = _there(path, table, found)
    named = {what: name for what in ("score", "error") if (name := given[what]) is not None}
    if not named:
        named = {
            name: what
            for what in ("score", "error")
            for name in table.columns
            if _plain(name) in USUAL_NAMES[what]
        }
        named = {what: name for name, what in named.items()} if len(named) == 1 else {}
    if len(named) != 1:
        raise _wrong(
            path, "have one column of scores or of errors whose direction is known",
            ", ".join(table.columns), "Name it by score= (higher is better) or by error=.",
        )  # fmt: skip
    ((what, name),) = named.items()
    chosen[what] = _there(path, table, name)
    _check_direction(name, f"column {name!r} of {path}", is_error=what == "error")
    return chosen


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
        raise _wrong(
            path, "have the seconds of training and of predicting, or of both together",
            str(parts[0] or parts[1]), "Name by seconds= what stands for the whole test.",
        )  # fmt: skip
    return [name for name in parts if name is not None]


def _choose_folds(path: Path, table: Table, given: Names | None) -> list[str]:
    if given is not None:
        return [_there(path, table, name) for name in _as_list(given)]
    return [name for name in table.columns if _plain(name) in _FOLDS]


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows of a long table: whose they are."""

    path: Path
    data_sets: tuple[str, ...]
    learners: tuple[str, ...]
    data_set: NDArray[np.intp]
    learner: NDArray[np.intp]
    cells: list[str]

    @classmethod
    def of(
        cls, path: Path, table: Table, data_set: str, learner: str, folds: Sequence[str]
    ) -> _Rows:
        """Read whose the rows are; each data set, learner and fold is there once."""
        row_names, column_names = _names(path, table, data_set), _names(path, table, learner)
        cells = [f"{b} on {a}" for a, b in zip(row_names, column_names, strict=True)]
        keys = list(zip(row_names, column_names, *(table.columns[f] for f in folds), strict=True))
        seen: set[tuple[str | None, ...]] = set()
        for key, cell in zip(keys, cells, strict=True):
            if key in seen:
                where = "".join(f", {f} {k}" for f, k in zip(folds, key[2:], strict=True))
                raise _wrong(
                    path, "have one row per data set, learner and fold",
                    f"two of {cell}{where}", "Name by fold= the columns that tell them apart.",
                )  # fmt: skip
            seen.add(key)
        rows = {name: place for place, name in enumerate(dict.fromkeys(row_names))}
        columns = {name: place for place, name in enumerate(dict.fromkeys(column_names))}
        return cls(
            path, tuple(rows), tuple(columns),
            np.array([rows[name] for name in row_names]),
            np.array([columns[name] for name in column_names]), cells,
        )  # fmt: skip

    def scores(self, table: Table, name: str, *, is_error: bool) -> NDArray[np.float64]:
        """Return a score per row."""
        given = _numbers(self.path, table, name, self.cells)
        return _scores_in_range(self.path, given, self.cells, is_error=is_error)

    def seconds(self, table: Table, names: Sequence[str]) -> NDArray[np.float64]:
        """Return the time of each row: the sum of some columns."""
        parts = [_numbers(self.path, table, name, self.cells) for name in names]
        for part in parts:
            _check_not_negative(self.path, part, self.cells)
        return np.asarray(np.sum(parts, axis=0))

    def states(self, table: Table) -> list[str | None]:
        """Return what the table says of how each row ended."""
        name = _usual(table, USUAL_NAMES["state"])
        return [None] * len(self.cells) if name is None else list(table.columns[name])

    def averaged(
        self,
        scores: NDArray[np.float64],
        seconds: NDArray[np.float64] | None,
        states: Sequence[str | None],
    ) -> tuple[_Tables, NDArray[np.str_], list[str]]:
        """Return mean scores and summed times of the cells, their states, and notes."""
        n_rows = self._summed(np.ones(len(scores)))
        most = n_rows.max(axis=1, keepdims=True)
        is_cut = (n_rows > 0) & (n_rows < most)
        is_whole = n_rows == most
        means = np.full(n_rows.shape, np.nan)
        np.divide(self._summed(scores), n_rows, out=means, where=is_whole)
        times = None
        if seconds is not None:
            times = np.where(is_whole, self._summed(seconds), np.nan)
        notes = []
        if is_cut.any():
            notes.append(f"{int(is_cut.sum())} cells have fewer folds than others of their data "
                         "set; they are missing.")  # fmt: skip
        if most.max() > 1:
            notes.append("Scores are means over folds, seconds their sums.")
        tables = _Tables(self.path, self.data_sets, self.learners, means, times)
        return tables, self._cell_states(means, states, is_cut), notes

    def _summed(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        total = np.zeros((len(self.data_sets), len(self.learners)))
        np.add.at(total, (self.data_set, self.learner), values)
        return total

    def _cell_states(
        self, scores: NDArray[np.float64], states: Sequence[str | None], is_cut: NDArray[np.bool_]
    ) -> NDArray[np.str_]:
        found = np.where(np.isnan(scores), MISSING, OK).astype(object)
        for i, j, state in zip(self.data_set, self.learner, states, strict=True):
            if state not in (None, OK) and found[i, j] in (OK, MISSING) and not is_cut[i, j]:
                found[i, j] = state
        return found.astype(str)


# -- both --------------------------------------------------------------------------------


def _history(
    tables: _Tables, measure: str, notes: Sequence[str], states: NDArray[np.str_] | None = None
) -> History:
    """Check that scores have their times, and make the history."""
    seconds, all_notes = tables.seconds, list(notes)
    if seconds is not None and np.isnan(seconds).all():
        seconds = None
    if seconds is None:
        all_notes.append("There are no times.")
    else:
        gaps = np.argwhere(np.isnan(seconds) & ~np.isnan(tables.scores))
        if len(gaps):
            i, j = gaps[0]
            raise _wrong(
                tables.path, "have the seconds of every score",
                f"none for {tables.learners[j]} on {tables.data_sets[i]}",
                "Fill them in, or leave out the score as well.",
            )  # fmt: skip
        if (seconds == 0).any():
            all_notes.append(f"{int((seconds == 0).sum())} times are 0; where it matters they "
                             f"count as {SHORTEST_SECONDS:g} s.")  # fmt: skip
    return History.from_arrays(
        tables.scores,
        seconds,
        data_sets=tables.data_sets,
        learners=tables.learners,
        measure=measure,
        states=states,
        notes=all_notes,
    )


def _read_table(path: Path) -> Table:
    table = read_csv(path, path.name)
    for note in table.notes:
        if note.startswith("The first line looks like data"):
            raise _wrong(f"line 1 of {path}", "name the columns", "numbers", "Add a line of names.")
        if note.startswith("Column ") and ", written " in note:
            name = note.split(", written ")[1].split(", is called ")[0]
            raise _wrong(f"line 1 of {path}", "name every column once", f"{name} twice")
    return table


def _names(path: Path, table: Table, column: str) -> list[str]:
    names = list(table.columns[column])
    if None in names:
        raise _wrong(
            path, f"have a name in every row of column {column!r}",
            f"none in row {names.index(None) + 1} below the header",
        )  # fmt: skip
    return names


def _numbers(path: Path, table: Table, column: str, cells: Sequence[str]) -> NDArray[np.float64]:
    """Return a column of numbers, nan where empty; decimal commas are read."""
    texts: list[str | None] = list(table.columns[column])
    known = [text for text in texts if text is not None]
    form = number_form(known) if known else None
    if known and form is None:
        place = next(i for i, text in enumerate(texts) if text and read_number(text) is None)
        raise _wrong(
            path, f"have numbers in column {column!r}", f"{texts[place]!r} for {cells[place]}",
            "Leave a cell empty where there is none.",
        )  # fmt: skip
    read = {text: np.nan if form is None else form.read(text) for text in set(known)}
    return np.array([np.nan if text is None else read[text] for text in texts], dtype=np.float64)


def _as_scores(
    path: Path,
    rows: Sequence[str],
    columns: Sequence[str],
    values: NDArray[np.float64],
    *,
    is_error: bool,
) -> NDArray[np.float64]:
    cells = [f"{column} on {row}" for row in rows for column in columns]
    flat = _scores_in_range(path, values.ravel(), cells, is_error=is_error)
    return flat.reshape(values.shape)


def _scores_in_range(
    path: Path, values: NDArray[np.float64], cells: Sequence[str], *, is_error: bool
) -> NDArray[np.float64]:
    wrong = np.flatnonzero((values < 0) | (values > 1))
    if len(wrong):
        raise _wrong(
            path, f"have {'errors' if is_error else 'scores'} from 0 to 1",
            f"{values[wrong[0]]:g} for {cells[wrong[0]]}",
            "Divide percentages by 100; leave out measures of another range.",
        )  # fmt: skip
    return 1 - values if is_error else values


def _check_seconds(
    path: Path, rows: Sequence[str], columns: Sequence[str], values: NDArray[np.float64]
) -> None:
    cells = [f"{column} on {row}" for row in rows for column in columns]
    _check_not_negative(path, values.ravel(), cells)


def _check_not_negative(path: Path, values: NDArray[np.float64], cells: Sequence[str]) -> None:
    wrong = np.flatnonzero(values < 0)
    if len(wrong):
        raise _wrong(
            path, "have seconds of at least 0", f"{values[wrong[0]]:g} for {cells[wrong[0]]}",
            "Leave a cell empty where a time is not known.",
        )  # fmt: skip


def _check_direction(name: str, where: str, *, is_error: bool) -> None:
    """Raise if a name says the opposite of what it is handed over as."""
    words = set(_plain(name).split("_"))
    said, other = (_MORE_IS_BETTER, "scores") if is_error else (_LESS_IS_BETTER, "errors")
    own = _LESS_IS_BETTER if is_error else _MORE_IS_BETTER
    if words & said and not words & own:
        given = "errors" if is_error else "scores"
        raise _wrong(
            where, f"be named like {given} to be taken as {given}",
            " and ".join(sorted(words & said)), f"Hand it over as {other}, or rename it.",
        )  # fmt: skip


def _checked_n_folds(n_folds: int) -> int:
    if isinstance(n_folds, bool) or not isinstance(n_folds, int) or n_folds < 1:
        raise InvalidArgumentError(
            f"n_folds must be a whole number from 1; got {n_folds!r}. "
            "It is the number of folds that seconds are means of."
        )
    return n_folds


def _usual(table: Table, names: Sequence[str]) -> str | None:
    """Return the first column with a usual name."""
    plain = {_plain(column): column for column in reversed(list(table.columns))}
    return next((plain[name] for name in names if name in plain), None)


def _there(path: Path, table: Table, name: str) -> str:
    if name not in table.columns:
        raise _wrong(path, "have the columns that were named", f"no {name!r}",
                     nearest_name(name, table.columns))  # fmt: skip
    return name


def _plain(name: str) -> str:
    """Return a name in small letters, its words divided by one underscore."""
    return re.sub(r"[^a-z0-9]+", "_", name.casefold()).strip("_")


def _as_list(names: Names) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _wrong(where: Path | str, rule: str, value: str, way_out: str = "") -> InvalidArgumentError:
    return InvalidArgumentError(f"{where} must {rule}; got {value}. {way_out}".rstrip())

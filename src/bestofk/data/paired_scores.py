"""Scores of a table, and which of them pair: one per learner and split."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.data.number_forms import FileForms
from bestofk.data.score_column_names import with_known_names
from bestofk.data.table import first_repeated
from bestofk.errors import DesignError, InvalidArgumentError, nearest_name

_ABOUT_SCORES = (
    "dataset", "plan", "learner", "repeat", "fold", "measure", "value", "n_train", "n_test",
    "greater_is_better", "status", "train_seconds", "predict_seconds", "peak_bytes", "is_crowded",
    "fit_mode", "way", "message",
)  # fmt: skip
_LABELS = ("dataset", "plan", "learner", "measure", "status", "fit_mode", "way", "message")
_SIZES = ("n_train", "n_test")
_FEWEST_COUNTED = 3  # 0 and 1 alone may be scores
_Columns = Mapping[str, list[Any]]
_Split = tuple[Any, Any]  # repeat and fold
_Scores = tuple[list[str], list[list[float]], list[_Split]]  # learners, their values, splits
_TRUE, _FALSE = {"true", "1", "1.0", "yes"}, {"false", "0", "0.0", "no"}


@dataclass(frozen=True, eq=False)
class PairedScores:
    """Scores of one measure on one data set, the same splits for every learner.

    Parameters
    ----------
    names : list of str
        Learners, in order of appearance.
    values : ndarray of shape (n_learners, n_splits), float64
        Finite; splits in repeat-major order.
    repeats : ndarray of shape (n_splits,), int64
        The repeat of each split, counted from 0.
    measure : str
        Its name; "score" where neither table nor caller names it.
    direction : bool or None
        Whether greater is better, where the table says it.
    title : str
        The data set, else the file.
    sizes : tuple of (float or None, float or None)
        Mean rows trained on and tested on, where the table says it.
    notes : tuple of str
        What was guessed while reading.
    """

    names: list[str]
    values: NDArray[np.float64]
    repeats: NDArray[np.int64]
    measure: str
    direction: bool | None
    title: str
    sizes: tuple[float | None, float | None]
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ScoreColumns:
    """A score table that was read once, for as many data sets as it holds.

    Parameters
    ----------
    title : str
        The file, else "scores".
    columns : dict of str to list
        Text or numbers.
    notes : tuple of str
        What was guessed while reading.
    source : str, default=""
        The path of the file; empty for a frame.
    """

    title: str
    columns: dict[str, list[Any]]
    notes: tuple[str, ...]
    source: str = ""

    @cached_property
    def rows_of(self) -> dict[str, list[int]]:
        """Rows of each data set, in order of appearance; empty without a column dataset."""
        names = self.columns.get("dataset", [])
        return _rows_of(names, range(len(names)))

    def measures(self) -> list[str]:
        """Return the names of the measures, in order of appearance; none without that column."""
        return list(dict.fromkeys(map(str, self.columns.get("measure", []))))


def read_columns(table: Any) -> ScoreColumns:
    """Return the columns of a score table; those that were read already are returned as is.

    Parameters
    ----------
    table : str, Path, DataFrame or ScoreColumns
        Long or wide, as `bestofk.score_tables.score_table` says.

    Returns
    -------
    ScoreColumns

    Raises
    ------
    InvalidArgumentError
        If the table cannot be read or has no rows.
    """
    if isinstance(table, ScoreColumns):
        return table
    title, columns, notes = _read(table)
    columns, renamed = with_known_names(columns, _ABOUT_SCORES)
    if "learner" not in columns:
        columns, notes = _without_row_numbers(columns, notes)
    source = str(table) if isinstance(table, str | os.PathLike) else ""
    return ScoreColumns(title, columns, (*notes, *renamed), source)


def read_scores(
    table: Any, *, measure: str | None, dataset: str | None, cv: str | None
) -> PairedScores:
    """Return the paired scores of a long or wide table.

    Parameters
    ----------
    table : str, Path, DataFrame or ScoreColumns
        Long or wide, as `bestofk.score_tables.score_table` says.
    measure, dataset : str or None
        Which of several; `measure` names that of a table which does not.
    cv : str or None
        ``"RxK"``: order of the rows of a wide table without repeat and fold.

    Returns
    -------
    PairedScores

    Raises
    ------
    InvalidArgumentError
        If the table cannot be read, lacks a column, holds no number or a score twice.
    DesignError
        If a learner lacks a split that another has.
    """
    read = read_columns(table)
    columns = read.columns
    rows = list(range(len(next(iter(columns.values())))))
    rows, dataset = _chosen(read.rows_of, rows, "dataset", dataset)
    name = measure
    if "measure" in columns:
        rows, name = _chosen(_rows_of(columns["measure"], rows), rows, "measure", measure)
    names, values, splits = _paired(columns, rows, cv)
    repeats = list(dict.fromkeys(repeat for repeat, _ in splits))
    return PairedScores(
        names=names,
        values=np.array(values),
        repeats=np.array([repeats.index(repeat) for repeat, _ in splits], dtype=np.int64),
        measure=name or "score",
        direction=_direction(columns, rows),
        title=dataset or read.title,
        sizes=_column_sizes(columns, rows),
        notes=read.notes,
    )


def data_sets_of(table: Any) -> list[str]:
    """Return the names of the data sets of a score table, in order of appearance.

    Parameters
    ----------
    table : str, Path, DataFrame or ScoreColumns
        As for `read_scores`.

    Returns
    -------
    list of str
        Empty where the table has no column "dataset".

    Raises
    ------
    InvalidArgumentError
        If the table cannot be read.
    """
    return list(read_columns(table).rows_of)


def parse_cv(cv: str) -> tuple[int, int]:
    """Return repeats and folds of ``"RxK"`` or ``"K"``.

    Examples
    --------
    >>> parse_cv("5x2"), parse_cv("10")
    ((5, 2), (1, 10))
    """
    match = re.fullmatch(r"(?:(\d{1,18})x)?(\d{1,18})", str(cv).strip().lower())
    if not match or int(match[1] or 1) < 1 or int(match[2]) < 2:
        raise InvalidArgumentError(
            f"cv of a score table must be repeats x folds such as '10x10' or '5x2', or a number "
            f"of folds from 2; got {cv!r}. For other plans give n_train and n_test."
        )
    return int(match[1] or 1), int(match[2])


def _read(table: Any) -> tuple[str, dict[str, list[Any]], tuple[str, ...]]:
    """Return a title, the columns as lists of text or numbers, and what was guessed."""
    notes: tuple[str, ...] = ()
    separator = ""
    if isinstance(table, str | os.PathLike):
        from bestofk.data.spreadsheet_cells import read_guarded_csv

        path = Path(table)
        read = read_guarded_csv(path, path.stem)
        title, columns, notes, separator = path.stem, read.columns, read.notes, read.separator
    else:
        import narwhals as nw

        try:
            frame = nw.from_native(table, eager_only=True)
        except TypeError as error:
            raise InvalidArgumentError(
                "table must be a path or a DataFrame of pandas or polars; got "
                f"{type(table).__name__}. Put the scores into a DataFrame."
            ) from error
        title, columns = "scores", {str(n): frame[n].to_list() for n in frame.columns}
    named = {_plain_name(name): values for name, values in columns.items()}
    if not named or not next(iter(named.values())):
        raise InvalidArgumentError("table must hold at least one row of scores; got none.")
    return title, _without_commas(named, separator), notes


def _without_commas(columns: _Columns, separator: str) -> dict[str, list[Any]]:
    """Write numbers with commas plainly where they have one reading; leave others as they are."""
    counts = {
        name: Counter(value for value in values if isinstance(value, str))
        for name, values in columns.items()
        if name not in _LABELS
    }
    plain = dict(columns)
    if not any("," in text for texts in counts.values() for text in texts):
        return plain
    forms = FileForms(counts, separator=separator)
    for name, texts in counts.items():
        if not any("," in text for text in texts) or len(forms.numbers_of(name)) < len(texts):
            continue
        try:
            written = forms.of(name)
        except InvalidArgumentError:  # refused where such a number is asked for
            continue
        if written is not None and not written.form.unit:
            read = {text: str(written.form.read(text)) for text in texts}
            plain[name] = [read.get(value, value) for value in columns[name]]
    return plain


def _without_row_numbers(
    columns: dict[str, list[Any]], notes: tuple[str, ...]
) -> tuple[dict[str, list[Any]], tuple[str, ...]]:
    """Leave out columns that count the rows, as saved frames have them: they are no learners."""
    n_rows = len(next(iter(columns.values())))
    counts = [[str(first + row) for row in range(n_rows)] for first in (0, 1)]
    counting = [
        name
        for name, values in columns.items()
        if name not in _ABOUT_SCORES and n_rows >= _FEWEST_COUNTED and [*map(str, values)] in counts
    ]
    kept = {name: values for name, values in columns.items() if name not in counting}
    said = (f"Column {name!r} counts the rows; it is taken as no learner." for name in counting)
    return kept, (*notes, *said)


def _plain_name(name: str) -> str:
    lowered = name.strip().lower()
    return lowered if lowered in _ABOUT_SCORES else name.strip()


def _number(value: Any, column: str, row: int) -> float:
    """Return a finite number, or refuse the row."""
    try:
        number = float("nan") if value is None else float(str(value).strip())
    except ValueError:
        number = float("nan")
    if not np.isfinite(number):
        raise InvalidArgumentError(
            f"column {column!r} must hold finite numbers; got "
            f"{'nothing' if value is None else repr(value)} in row {row + 1}. Complete the scores "
            "(1234.5, without separators of thousands), or drop that split for all learners."
        )
    return number


def _paired(columns: _Columns, rows: list[int], cv: str | None) -> _Scores:
    """Return learners, values and splits; each row of a wide table is of all learners."""
    is_long = "learner" in columns
    names = [name for name in columns if name not in _ABOUT_SCORES]
    if is_long and "value" not in columns:
        raise InvalidArgumentError(
            f"a long table must have a column value; got {', '.join(columns)}. "
            "Rename the column of scores, or give one column per learner."
        )
    if not is_long and not names:
        raise InvalidArgumentError(
            "table must have a column learner, or one column per learner; got "
            f"{', '.join(columns)}. Rename the columns."
        )
    if is_long or "repeat" in columns or "fold" in columns:
        row_splits = [_split_of(columns, row) for row in rows]
    else:
        n_folds = parse_cv(cv)[1] if cv else 1
        row_splits = [divmod(i, n_folds) for i in range(len(rows))]
    owners = [str(columns["learner"][row]) if is_long else "" for row in rows]
    repeated = first_repeated(zip(owners, row_splits, strict=True))
    if repeated is not None:
        _refuse_twice(columns, rows, row_splits[repeated[0]], repeated)
    table: dict[str, dict[_Split, int]] = {}
    for owner, split, row in zip(owners, row_splits, rows, strict=True):
        table.setdefault(owner, {})[split] = row
    splits = _ordered_splits([split for at in table.values() for split in at])
    _check_pairs(table, splits)
    sources = [(owner, "value") for owner in table] if is_long else [("", name) for name in names]
    values = [
        [_number(columns[name][table[owner][split]], name, table[owner][split]) for split in splits]
        for owner, name in sources
    ]
    return list(table) if is_long else names, values, splits


def _rows_of(labels: Sequence[Any], rows: Sequence[int]) -> dict[str, list[int]]:
    """Return those of some rows that have each label, in order of appearance."""
    results: dict[str, list[int]] = {}
    for row in rows:
        results.setdefault(str(labels[row]), []).append(row)
    return results


def _chosen(
    rows_of: Mapping[str, list[int]], rows: list[int], column: str, wanted: str | None
) -> tuple[list[int], str | None]:
    """Keep the rows of one data set or measure."""
    if not rows_of:
        if wanted is not None:
            raise InvalidArgumentError(
                f"{column} must be left out where the table has no column {column}; got {wanted!r}."
            )
        return rows, None
    known = list(rows_of)
    if wanted is None and len(known) > 1:
        raise InvalidArgumentError(
            f"{column} must be named where the table has several; got none. "
            f"Known: {', '.join(known)}."
        )
    wanted = known[0] if wanted is None else str(wanted)
    if wanted not in known:
        raise InvalidArgumentError(
            f"{column} must be one of the table; got {wanted!r}. {nearest_name(wanted, known)}"
        )
    return rows_of[wanted], wanted


def _split_of(columns: _Columns, row: int) -> _Split:
    """Return repeat and fold of a row, as numbers where they are."""
    return _label(columns, "repeat", row), _label(columns, "fold", row)


def _label(columns: _Columns, column: str, row: int) -> Any:
    if column not in columns:
        return 0
    text = str(columns[column][row])
    match = re.fullmatch(r"(\d{1,18})(\.0*)?", text)  # what is longer is a name
    return int(match[1]) if match else text


def _ordered_splits(splits: list[_Split]) -> list[_Split]:
    """Return each split once: by number, then what is no number in order of appearance."""
    seen = list(dict.fromkeys(splits))
    position = [list(dict.fromkeys(index[i] for index in seen)) for i in range(2)]

    def rank(value: Any, i: int) -> tuple[int, int]:
        return (0, value) if isinstance(value, int) else (1, position[i].index(value))

    return sorted(seen, key=lambda index: (rank(index[0], 0), rank(index[1], 1)))


def _check_pairs(table: Mapping[str, Mapping[_Split, int]], splits: list[_Split]) -> None:
    for split in splits:
        missing = [name for name, rows in table.items() if split not in rows]
        if missing:
            other = next(name for name, rows in table.items() if split in rows)
            raise DesignError(
                f"scores of learners {other!r} and {missing[0]!r} do not pair: repeat {split[0]}, "
                f"fold {split[1]} is missing for {missing[0]!r}. Add that score, or drop the split "
                "for all learners."
            )


def _refuse_twice(
    columns: _Columns, rows: list[int], split: _Split, repeated: tuple[int, int]
) -> None:
    first, second = (rows[index] for index in repeated)
    owner = f"learner {str(columns['learner'][first])!r}, " if "learner" in columns else ""
    has_splits = "repeat" in columns or "fold" in columns
    way_out = "Keep one of them." if has_splits else "Add the columns repeat and fold."
    raise InvalidArgumentError(
        f"each score must be there once; got {owner}repeat {split[0]}, fold {split[1]} in rows "
        f"{first + 1} and {second + 1}. {way_out}"
    )


def _direction(columns: _Columns, rows: list[int]) -> bool | None:
    if "greater_is_better" not in columns:
        return None
    said = {str(columns["greater_is_better"][row]).strip().lower() for row in rows}
    if not (said <= _TRUE or said <= _FALSE):
        raise InvalidArgumentError(
            f"greater_is_better must be all true or all false for one measure; got "
            f"{', '.join(sorted(said))}. Correct the column."
        )
    return said <= _TRUE


def _column_sizes(columns: _Columns, rows: list[int]) -> tuple[float | None, float | None]:
    means = [
        float(np.mean([_number(columns[name][row], name, row) for row in rows]))
        if name in columns
        else None
        for name in _SIZES
    ]
    return means[0], means[1]

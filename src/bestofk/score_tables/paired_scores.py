"""Scores of a table, and which of them pair: one per learner and split."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestofk.array_types import Floats, Ints
from bestofk.checks import check_known
from bestofk.data.table import first_repeated
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.resampling.plan import FORWARD
from bestofk.score_tables.score_column_names import ROLES, hold_numbers, number_or_nan, truth
from bestofk.score_tables.score_formats.read_score_table import read_score_table
from bestofk.score_tables.score_formats.score_format import Columns, ScoreTable, rows_by_label

_Split = tuple[Any, Any]  # repeat and fold
_Scores = tuple[list[str], list[list[float]], list[_Split]]  # learners, their values, splits


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
        What was guessed or left out while reading.
    cautions : tuple of str, default=()
        What to distrust about the scores.
    """

    names: list[str]
    values: Floats
    repeats: Ints
    measure: str
    direction: bool | None
    title: str
    sizes: tuple[float | None, float | None]
    notes: tuple[str, ...]
    cautions: tuple[str, ...] = ()


def read_scores(
    table: Any, *, measure: str | None, dataset: str | None, cv: str | None
) -> PairedScores:
    """Return the paired scores of a long or wide table.

    Parameters
    ----------
    table : str, Path, DataFrame or ScoreTable
        Long or wide, as `bestofk.score_tables.score_table` says.
    measure, dataset : str or None
        Which of several; `measure` names that of a table which does not.
    cv : str or None
        ``"RxK"``: order of the rows of a wide table without repeat and fold, or of the numbers
        where one of them is there.

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
    read = read_score_table(table, measure=measure)
    columns = read.columns
    rows = list(range(len(columns["value"])))
    rows, dataset = _chosen(read.rows_of, rows, "dataset", dataset)
    name = measure
    if "measure" in columns:
        of_measure = rows_by_label(columns["measure"], rows)
        usual = read.usual_measure if read.usual_measure in of_measure else None
        rows, name = _chosen(of_measure, rows, "measure", measure or usual)
    names, values, splits = _paired(read, rows, cv)
    repeats = list(dict.fromkeys(repeat for repeat, _ in splits))
    return PairedScores(
        names=names,
        values=np.array(values),
        repeats=np.array([repeats.index(repeat) for repeat, _ in splits], dtype=np.int64),
        measure=name or "score",
        direction=_direction(columns, rows),
        title=dataset or read.title,
        sizes=(_mean_of(read, rows, "n_train"), _mean_of(read, rows, "n_test")),
        notes=read.notes,
        cautions=read.cautions,
    )


def data_sets_of(table: Any) -> list[str]:
    """Return the names of the data sets of a score table, in order of appearance.

    Parameters
    ----------
    table : str, Path, DataFrame or ScoreTable
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
    return list(read_score_table(table).rows_of)


SLIDING = "forward:sliding"  # with training parts of one length


def is_over_time(cv: str | None) -> bool:
    """Return whether scores are of periods in order of time."""
    return cv is not None and str(cv).strip().lower() in (FORWARD, SLIDING)


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
            f"cv of a score table must be repeats x folds such as '10x10' or '5x2', a number of "
            f"folds from 2, or 'forward' for periods in order of time; got {cv!r}. For other "
            "plans give n_train and n_test."
        )
    return int(match[1] or 1), int(match[2])


def _number(value: Any, what: str, row: int) -> float:
    """Return a finite number, or refuse the row."""
    number = number_or_nan(value)
    if np.isnan(number):
        raise InvalidArgumentError(
            f"{what} must hold finite numbers; got "
            f"{'nothing' if value is None else repr(value)} in row {row}. Complete the scores "
            "(1234.5, without separators of thousands), or leave out splits without one by "
            "--missing drop-split (missing='drop-split')."
        )
    return number


def _paired(read: ScoreTable, rows: list[int], cv: str | None) -> _Scores:
    """Return learners, values and splits."""
    columns = read.columns
    splits = [(_label(columns, "repeat", row), _label(columns, "fold", row)) for row in rows]
    is_numbered = ("repeat" in columns) != ("fold" in columns)  # from the first split to the last
    if read.is_in_plan_order or (cv and is_numbered):
        n_folds = parse_cv(cv)[1] if cv and not is_over_time(cv) else 1
        positions = {split: i for i, split in enumerate(_ordered_splits(splits))}
        splits = [divmod(positions[split], n_folds) for split in splits]
    owners = [str(columns["learner"][row]) for row in rows]
    repeated = first_repeated(zip(owners, splits, strict=True))
    if repeated is not None:
        _refuse_twice(read, rows, splits[repeated[0]], repeated)
    table: dict[str, dict[_Split, int]] = {}
    for owner, split, row in zip(owners, splits, rows, strict=True):
        table.setdefault(owner, {})[split] = row
    ordered = _ordered_splits([split for at in table.values() for split in at])
    _check_pairs(table, ordered)
    values = [
        [
            _number(columns["value"][at[split]], f"scores of {owner!r}", read.row_number(at[split]))
            for split in ordered
        ]
        for owner, at in table.items()
    ]
    return list(table), values, ordered


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
    check_known(wanted, column, known, rule="one of the table")
    return rows_of[wanted], wanted


def _label(columns: Columns, column: str, row: int) -> Any:
    if column not in columns:
        return 0
    text = str(columns[column][row])
    match = re.fullmatch(r"(\d{1,18})(\.0*)?", text)  # what is longer is a name
    return int(match[1]) if match else text


def _ordered_splits(splits: list[_Split]) -> list[_Split]:
    """Return each split once: numbers in order, then others in order of appearance."""
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
                f"fold {split[1]} is missing for {missing[0]!r}. Add that score, or leave out "
                "such splits for all learners by --missing drop-split (missing='drop-split')."
            )


def _refuse_twice(
    read: ScoreTable, rows: list[int], split: _Split, repeated: tuple[int, int]
) -> None:
    columns = read.columns
    first, second = (rows[index] for index in repeated)
    owner = f"learner {str(columns['learner'][first])!r}, "
    has_splits = "repeat" in columns or "fold" in columns
    way_out = "Keep one of them." if has_splits else "Add the columns repeat and fold."
    apart = [
        name for name, values in columns.items()
        if name not in ROLES and len(values) == len(columns["value"])
        and not hold_numbers(values) and values[first] != values[second]
    ]  # fmt: skip
    if apart:
        way_out = (
            f"They differ in column {apart[0]!r}: say what it is, as by --map fold={apart[0]} "
            f"(columns={{'fold': {apart[0]!r}}}), or keep the rows of one."
        )
    raise InvalidArgumentError(
        f"each score must be there once; got {owner}repeat {split[0]}, fold {split[1]} in rows "
        f"{read.row_number(first)} and {read.row_number(second)}. {way_out}"
    )


def _direction(columns: Columns, rows: list[int]) -> bool | None:
    if "greater_is_better" not in columns:
        return None
    said = {columns["greater_is_better"][row] for row in rows} - {None}
    answers = set(map(truth, said))
    if len(answers) > 1 or None in answers:
        raise InvalidArgumentError(
            f"greater_is_better must be all true or all false for one measure; got "
            f"{', '.join(sorted(map(str, said)))}. Correct the column."
        )
    return next(iter(answers), None)


def _mean_of(read: ScoreTable, rows: list[int], name: str) -> float | None:
    if name not in read.columns:
        return None
    values, what = read.columns[name], f"column {name!r}"
    return float(np.mean([_number(values[row], what, read.row_number(row)) for row in rows]))

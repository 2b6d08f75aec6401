"""Data sets made of arrays and frames, whose values are not changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import time
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from bestofk.array_types import Floats, Values
from bestofk.checks import check_flag, check_known
from bestofk.data.checks import missing_cells, missing_count
from bestofk.data.containers import as_array, checked_table, one_column
from bestofk.data.data_set import REGRESSION, DataSet, take_rows
from bestofk.data.date_parts import parts_read
from bestofk.data.notes import condensed, listed
from bestofk.data.suspicions import suspicions
from bestofk.data.table_columns import (
    BOOLEAN,
    CALENDAR,
    DATE,
    DATES,
    NOMINAL,
    NUMERIC,
    TEXT,
    column_numbers,
    column_texts,
    declared_levels,
    described_role,
    table_columns,
)
from bestofk.data.task import as_numbers, resolve_task
from bestofk.data.time_column import TimeColumn
from bestofk.errors import InvalidArgumentError
from bestofk.words import times

_MANY_UNLIKE = 0.05  # share of the rows; a smaller one is usual where inputs are few and coarse
_UNLIKE = (
    "{:,} rows have the same inputs as another row but a different class, so no learner can get "
    "both right. Look for wrong labels, or add an input that separates them."
)
_WIDE = dict.fromkeys(("Float16", "Float32", "Int128", "UInt128"), nw.Float64) | dict.fromkeys(
    ("Int8", "Int16", "Int32", "UInt8", "UInt16", "UInt32"), nw.Int64
)


def from_arrays(
    X: Any,
    y: Any,
    *,
    name: str = "data",
    task: str = "auto",
    groups: Any = None,
    sample_weight: Any = None,
    time: Any = None,
    new_groups: bool = False,
    drop_missing_target: bool = False,
) -> DataSet:
    """Make a data set from features and a target in memory.

    Nothing is filled or dropped, and learners receive the same column names and kind of table. So
    that equal values give equal results, numbers of fewer than 8 bytes become int64 or float64, a
    numeric target becomes float64, and labels that are bytes or intervals become texts. Column
    names become texts where only some of them are.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), or DataFrame of pandas, polars, ...
        The inputs: any frame that narwhals supports (lazy ones are collected). Values may be
        missing but not infinite.
    y : array-like of shape (n_samples,) or (n_samples, 1), or str
        The target without missing values, or the name of its column in `X`.
    name : str, default="data"
        Name of the data set; not part of its identity.
    task : {"auto", "classification", "regression"}, default="auto"
        Kind of target; "auto" infers it from the values and adds a note.
    groups : array-like of shape (n_samples,) or None
        Rows of one group are never split between training and test.
    sample_weight : array-like of shape (n_samples,) or None
        Weights for fitting: finite, 0 or more.
    time : array-like of shape (n_samples,) or None
        Time of each row, as dates or as numbers that grow with time; for plans in order of time.
    new_groups : bool, default=False
        Whether to test on new groups only: a tested group is left out of training.
    drop_missing_target : bool, default=False
        Whether rows without a target are left out and counted, instead of refused.

    Returns
    -------
    DataSet
        Roles follow the types (numbers are numeric, texts and categories nominal, ...). A note
        names the task; a warning counts repeated rows.

    Raises
    ------
    InvalidArgumentError
        If `X` is not a table, a column holds infinite numbers or values other than numbers, texts
        and dates, lengths differ, indexes hold the same labels in different orders, the target or
        the groups have missing values, a weight is negative or not finite, or the target does not
        suit the task.

    Examples
    --------
    >>> data = from_arrays([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], ["a", "b", "a"])
    >>> data.task, data.n_features, data.notes
    ('classification', 2, ('Task: classification, because the target holds labels.',))
    """
    check_flag(new_groups, "new_groups")
    if new_groups and groups is None:
        raise InvalidArgumentError(
            "new_groups must be False without groups; got True. Name their column: --groups."
        )
    given = {"X": X, "y": y, "groups": groups, "sample_weight": sample_weight, "time": time}
    warnings, notes = joined_rows(given), []
    features, target = _separate(X, y)
    groups, sample_weight = one_column(groups, "groups"), one_column(sample_weight, "sample_weight")
    if time is not None and not isinstance(time, TimeColumn):
        time = TimeColumn.of("time", one_column(time, "time"))
    if time is not None and len(time.values) != len(features):
        raise InvalidArgumentError(
            f"time must have as many values as X has rows ({len(features)}); got "
            f"{len(time.values)}. Hand in one per row."
        )
    if drop_missing_target:
        (features, target, groups, sample_weight, moments), n_left_out = _rows_with_target(
            features, target, groups, sample_weight, None if time is None else time.values
        )
        time = time and replace(time, values=moments)
        notes += [left_out_sentence(n_left_out)] if n_left_out else []
    roles, features = _checked_roles(features), widened(features)
    if time is not None and roles.get(time.name) == DATE:
        roles[time.name] = CALENDAR
    columns = list(zip(roles, table_columns(features), strict=True))
    if texts := [name for name, c in columns if roles[name] == TEXT != described_role(c)]:
        notes.append(f"Free text, read word by word: {listed(texts)} (category type prevents it).")
    notes += [
        f"Column {name!r}: dates; {parts_read(column_numbers(c), roles[name])}."
        for name, c in columns
        if roles[name] in DATES
    ]
    target = plain_target(target, len(features))
    task, sentence = resolve_task(task, target)
    if task == REGRESSION:
        target = widened(target, are_floats=True)
    data = DataSet(
        name=name,
        features=features,
        target=target,
        task=task,
        roles=roles,
        groups=_side_array(groups, "groups", len(features)),
        sample_weight=_checked_weights(sample_weight, len(features)),
        time=time,
        has_new_groups=new_groups,
        notes=(*notes, sentence),
    )
    repeated = _count_repeated_rows(features, data.y)
    unlike = _count_repeated_rows(features, np.zeros_like(data.y)) - repeated
    repeated = 0 if repeated and _are_coarse(features) else repeated
    is_many = data.is_classification and unlike > _MANY_UNLIKE * data.n_samples
    warnings += [
        *suspicions(data),
        *([_repeated_sentence(repeated)] if repeated else []),
        *([_UNLIKE.format(unlike)] if is_many and data.n_features > 1 else []),
        *_frame_warnings(features, roles, has_groups=groups is not None),
    ]
    return replace(data, warnings=condensed(warnings))


def widened(values: Any, *, are_floats: bool = False) -> Any:
    """Return numbers as 8-byte types, so that equal values give equal results.

    Parameters
    ----------
    values : ndarray, DataFrame or Series
        Values other than numbers are returned unchanged.
    are_floats : bool, default=False
        Whether whole numbers become floats.
    """
    if isinstance(values, np.ndarray):
        values = values.astype(values.dtype.newbyteorder("="), copy=False)
        kind = "f" if are_floats and values.dtype.kind in "iuO" else values.dtype.kind
        is_narrow = values.dtype.itemsize < 8 or kind != values.dtype.kind
        is_number = kind in "fiu" and is_narrow
        return values.astype(np.float64 if kind == "f" else np.int64) if is_number else values
    if isinstance(values, pd.DataFrame):
        plain = (dtype for dtype in values.dtypes.items() if isinstance(dtype[1], np.dtype))
        foreign = {name: dtype.newbyteorder("=") for name, dtype in plain if not dtype.isnative}
        values = values.astype(foreign) if foreign else values
    table = nw.from_native(values, eager_only=True, allow_series=True)
    if isinstance(table, nw.Series):
        is_whole = are_floats and table.dtype.is_integer()
        wide = nw.Float64 if is_whole else _WIDE.get(str(table.dtype))
        return values if wide is None else table.cast(wide).to_native()
    narrow = {name: str(kind) for name, kind in table.schema.items() if str(kind) in _WIDE}
    casts = [nw.col(name).cast(_WIDE[kind]) for name, kind in narrow.items()]
    return table.with_columns(*casts).to_native() if casts else values


def joined_rows(given: Mapping[str, Any]) -> list[str]:
    """Refuse pandas indexes in different orders; warn where their labels differ."""
    indexes = [
        (name, values.index)
        for name, values in given.items()
        if isinstance(getattr(values, "index", None), pd.Index)
    ]
    warnings = []
    for (first, rows), (name, own) in zip(indexes[:1] * len(indexes), indexes, strict=True):
        if len(rows) != len(own) or rows.equals(own):
            continue
        if Counter(rows) == Counter(own):
            by_label = f"{name}.loc[{first}.index] to join rows by label, or "
            raise InvalidArgumentError(
                f"{name} must have its rows in the order of {first}; got the same index in a "
                f"different order. Hand in {by_label if own.is_unique else ''}{name}.to_numpy() if "
                "the rows already match by position."
            )
        if not any(index.equals(pd.RangeIndex(len(index))) for index in (rows, own)):
            warnings.append(
                f"Rows of {first} and {name} are joined by position, but their indexes have "
                "different labels."
            )
    return warnings


def _frame_warnings(features: Any, roles: Mapping[str, str], *, has_groups: bool) -> list[str]:
    """Return warnings about columns that may be groups, numbers stored as texts, or mixtures."""
    if isinstance(features, np.ndarray):
        return []
    from bestofk.data.number_forms import numbers_as_texts
    from bestofk.data.roles import group_hint, may_own_rows

    warnings = []
    for column in nw.from_native(features, eager_only=True).iter_columns():
        name = str(column.name)
        if not has_groups and may_own_rows(name):
            known = column.drop_nulls()
            warnings.append(group_hint(name, known.n_unique(), len(known)))
        if column.dtype == nw.Object and roles[name] == NOMINAL:
            kinds = sorted({type(cell).__name__ for cell in column.drop_nulls().to_list()})
            if len(kinds) > 1:
                mixture = f"{' and '.join(kinds)} next to each other; kept as categories."
                warnings.append(f"Column {name!r}: {mixture}")
        if column.dtype == nw.String and (
            text := numbers_as_texts(column.drop_nulls().unique(maintain_order=True).to_list())
        ):
            warnings.append(
                f"Column {name!r}: numbers stored as texts, such as {text}; kept as categories, "
                "because types of frames are trusted."
            )
    return [warning for warning in warnings if warning]


def _are_coarse(features: Any) -> bool:
    """Tell whether the inputs have so few combinations of values that rows must repeat."""
    n_ways = 1
    for column in table_columns(features):
        cells = column.to_numpy() if isinstance(column, nw.Series) else column
        n_ways *= max(len(pd.unique(pd.Series(cells))), 1)
        if n_ways >= len(features):
            return False
    return True


def _count_repeated_rows(features: Any, target: Values) -> int:
    """Return how many rows equal an earlier row in all features and the target.

    Two missing values count as equal. A row that is unique in the first columns is not looked at
    further.
    """
    groups = pd.factorize(target)[0]
    rows = np.arange(len(groups))
    for column in table_columns(features):
        cells = column.to_numpy() if isinstance(column, nw.Series) else column
        codes, values = pd.factorize(take_rows(cells, rows))  # -1 where missing
        groups = pd.factorize(groups * (len(values) + 1) + codes + 1)[0]
        is_repeated = np.bincount(groups)[groups] > 1
        rows, groups = rows[is_repeated], groups[is_repeated]
        if not len(rows):
            return 0
    return len(rows) - len(np.unique(groups))


def _separate(X: Any, y: Any) -> tuple[Any, Any]:
    """Return features and target; a target named by a string is taken out of the frame."""
    features = checked_table(X)
    if y is None:
        raise InvalidArgumentError(
            "y must be given; got None. Hand in the target, or the name of the column of X "
            "that holds it."
        )
    if isinstance(y, str):
        if isinstance(features, np.ndarray):
            raise InvalidArgumentError(
                f"y must be an array where X is an array; got the name {y!r}. "
                "Hand in a frame, or the target itself."
            )
        frame = nw.from_native(features, eager_only=True)
        names = {str(name): name for name in frame.columns}
        check_known(y, "y", names, rule="a column of X")
        column = frame.select(nw.col(names[y])).to_native()
        return frame.drop(names[y]).to_native(), one_column(column, "y")
    return features, one_column(y, "y")


def _rows_with_target(features: Any, target: Any, *sides: Any) -> tuple[tuple[Any, ...], int]:
    """Return all parts without the rows that lack a target, and how many rows those are."""
    missing = missing_cells(target)
    if missing.shape != (len(features),) or not missing.any() or missing.all():
        return (features, target, *sides), 0
    kept = np.flatnonzero(~missing)
    taken = [side if np.shape(side) != missing.shape else np.asarray(side)[kept] for side in sides]
    return (take_rows(features, kept), take_rows(target, kept), *taken), int(missing.sum())


def plain_target(target: Any, n_samples: int) -> Any:
    """Return the target as numbers or labels that every learner accepts, or raise."""
    cells = np.asarray(target)
    if cells.ndim != 1:
        way_out = "y.ravel()" if cells.ndim else "a list of values"
        raise InvalidArgumentError(
            f"y must have 1 dimension; got {cells.ndim}. Hand in one column, as {way_out}."
        )
    if len(cells) != n_samples:
        raise InvalidArgumentError(
            f"y must have as many values as X has rows ({n_samples}); got {len(cells)}."
        )
    refuse_missing_target(missing_count(cells), "the target")
    if cells.dtype.kind not in "biufU" or not cells.dtype.isnative:
        target = cells = _plain_labels(target, cells)
    numbers = as_numbers(target)
    if numbers is not None and np.isinf(numbers).any():
        raise InvalidArgumentError(
            f"the target must be finite; got {int(np.isinf(numbers).sum())} infinite values."
        )
    if numbers is None:
        _refuse_mixture(cells, "labels of the target")
    return target


def _plain_labels(target: Any, cells: Values) -> Any:
    """Return objects that are numbers as an array of numbers, bytes and intervals as texts."""
    role = described_role(cells, "y")
    if role == DATE and set(map(type, cells.tolist())) != {time}:
        raise InvalidArgumentError(
            "y must be made of numbers or labels; got dates. Use y.astype(str) if each date is a "
            "class, or pass a number of days."
        )
    if role == NOMINAL:
        kinds = set(map(type, cells.tolist()))
        is_plain = len(kinds) > 1 or (kinds == {str} and cells.dtype.kind == "O")
        return target if is_plain else np.array(column_texts(cells).tolist())
    numbers = np.array(cells.tolist())
    is_plain = numbers.dtype.kind in "biuf" and cells.dtype.kind != "m"
    return numbers if is_plain else column_numbers(cells)


def refuse_missing(count: int, what: str) -> None:
    """Raise if any value is missing."""
    if count:
        raise InvalidArgumentError(
            f"{what} must have a value in every row; got {count} missing. "
            "Drop those rows, or choose another column."
        )


def refuse_missing_target(count: int, what: str, marks: str = "") -> None:
    """Raise if target values are missing; `marks` says which texts were read as missing."""
    if count:
        raise InvalidArgumentError(
            f"{what} must have a value in every row; got {count} missing"
            f"{f' ({marks})' if marks else ''}. Leave these rows out with "
            "drop_missing_target=True (--drop-missing-target), or choose another target."
        )


def left_out_sentence(count: int) -> str:
    """Return the sentence on how many rows were left out because they had no target."""
    return f"Left out: {times(count, 'row')} without a target, as asked for."


def _side_array(values: Any, argument: str, n_samples: int) -> Values | None:
    if values is None:
        return None
    array = as_array(values, argument)
    if array.shape != (n_samples,):
        raise InvalidArgumentError(
            f"{argument} must have one value per row, shape ({n_samples},); got {array.shape}."
        )
    refuse_missing(missing_count(array), argument)
    _refuse_mixture(array, argument)
    return array


def _refuse_mixture(values: Any, what: str) -> None:
    cells = np.asarray(values)
    kinds = set(map(type, cells.tolist())) if cells.dtype.kind == "O" else set()
    try:
        if kinds - {str}:
            np.unique(cells)
    except (TypeError, ValueError):
        names = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise InvalidArgumentError(
            f"{what} must be of one kind; got {names}. Make all of them texts."
        ) from None


def _checked_weights(values: Any, n_samples: int) -> Floats | None:
    array = _side_array(values, "sample_weight", n_samples)
    if array is None:
        return None
    weights = as_numbers(array)
    if weights is None or not (are_right := np.isfinite(weights) & (weights >= 0)).all():
        wrong = array[0] if weights is None else weights[~are_right][0]
        raise InvalidArgumentError(
            f"sample_weight must be finite numbers, 0 or more; got {str(wrong)!r}. Correct the "
            "weights, or pass none."
        )
    return weights


def _checked_roles(features: Any) -> dict[str, str]:
    """Return the role of each column, or raise where no learner can read one."""
    is_array = isinstance(features, np.ndarray)
    columns = table_columns(features)
    names = [f"x{i}" for i in range(len(columns))] if is_array else map(str, features.columns)
    roles = {}
    for name, column in zip(names, columns, strict=True):
        role = described_role(column, f"column {name!r}")
        n_infinite = int(np.isinf(column_numbers(column)).sum()) if role == NUMERIC else 0
        if n_infinite:
            raise InvalidArgumentError(
                f"column {name!r} must hold finite numbers; got "
                f"{times(n_infinite, 'infinite value')}. Make them missing values, or leave the "
                "column out."
            )
        roles[name] = NUMERIC if is_array and role == BOOLEAN else role
        if role == NOMINAL and not is_array and declared_levels(column) is None:
            from bestofk.data.roles import is_free_text

            texts = [text for text in column_texts(column).tolist() if text is not None]
            roles[name] = TEXT if is_free_text(set(texts), len(texts)) else role
    return roles


def _repeated_sentence(count: int) -> str:
    """Return the warning about repeated rows."""
    rows = "1 row equals another" if count == 1 else f"{count:,} rows equal another"
    return f"{rows}: delete true copies, which flatter scores."

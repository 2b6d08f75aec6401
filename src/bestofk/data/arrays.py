"""Data sets made of arrays and frames, without changing them."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from bestofk.array_types import Floats, Ints, Values
from bestofk.checks import check_known
from bestofk.data.checks import missing_cells, missing_count
from bestofk.data.data_set import REGRESSION, DataSet, take_rows
from bestofk.data.notes import condensed, counted
from bestofk.data.number_forms import numbers_as_texts
from bestofk.data.roles import group_hint, may_own_rows
from bestofk.data.suspicions import suspicions
from bestofk.data.table_columns import NOMINAL, NUMERIC, as_text, column_role, table_columns
from bestofk.data.task import as_numbers, resolve_task
from bestofk.errors import InvalidArgumentError

_WIDE = {"Float16": nw.Float64, "Float32": nw.Float64} | dict.fromkeys(
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
    drop_missing_target: bool = False,
) -> DataSet:
    """Make a data set of features and a target that are in memory.

    Nothing is filled or dropped, and learners receive the names and the kind of table that were
    handed in. Numbers of fewer than 8 bytes become int64 or float64, numbers to be predicted
    float64, and labels that are bytes texts, so that equal values give equal results.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), or DataFrame of pandas, polars, ...
        The inputs; any frame that narwhals knows, lazy ones are collected. Missing values may
        occur.
    y : array-like of shape (n_samples,), or str
        The target, nothing missing; or the name of the column of `X` that holds it.
    name : str, default="data"
        What to call it; not part of its identity.
    task : {"auto", "classification", "regression"}, default="auto"
        What is to be predicted; "auto" infers it from the target and notes it.
    groups : array-like of shape (n_samples,) or None
        Rows of one group are never split between training and test.
    sample_weight : array-like of shape (n_samples,) or None
        Weights for fitting: finite, 0 or more.
    drop_missing_target : bool, default=False
        Whether rows without a target are left out and counted; else they are refused.

    Returns
    -------
    DataSet
        With roles by type (numbers numeric, texts and categories nominal, ...), a note
        on the task, and a warning if rows occur more than once.

    Raises
    ------
    InvalidArgumentError
        If `X` is not a table, lengths differ, the target or the groups miss values, a
        weight is negative or not finite, or the target does not suit the task.

    Examples
    --------
    >>> data = from_arrays([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], ["a", "b", "a"])
    >>> data.task, data.n_features, data.notes
    ('classification', 2, ('Task: classification, because the target holds labels.',))
    """
    features, target = _separate(X, y)
    notes = []
    if drop_missing_target:
        given = (features, target, groups, sample_weight)
        (features, target, groups, sample_weight), n_left_out = _rows_with_target(*given)
        notes += [left_out_sentence(n_left_out)] if n_left_out else []
    _check_names(features)
    features, target = widened(features), _plain_target(target)
    _check_target(target, len(features))
    task, sentence = resolve_task(task, target)
    if task == REGRESSION:
        target = widened(target, are_floats=True)
    repeated = _count_repeated_rows(features, target)
    data = DataSet(
        name=name,
        features=features,
        target=target,
        task=task,
        roles=_roles_by_type(features),
        groups=_side_array(groups, "groups", len(features)),
        sample_weight=_checked_weights(sample_weight, len(features)),
        notes=(*notes, sentence),
    )
    warnings = [
        *_frame_warnings(features, has_groups=groups is not None),
        *([_repeated_sentence(repeated)] if repeated else []),
        *suspicions(data),
    ]
    return replace(data, warnings=condensed(warnings))


def widened(values: Any, *, are_floats: bool = False) -> Any:
    """Return numbers with 8 bytes each, so that equal values give equal results in any type.

    Parameters
    ----------
    values : ndarray, DataFrame or Series
        Whatever is no number is kept as it is.
    are_floats : bool, default=False
        Whether whole numbers become floats.
    """
    if isinstance(values, np.ndarray):
        kind = "f" if are_floats and values.dtype.kind in "iuO" else values.dtype.kind
        is_narrow = values.dtype.itemsize < 8 or kind != values.dtype.kind
        is_number = kind in "fiu" and is_narrow
        return values.astype(np.float64 if kind == "f" else np.int64) if is_number else values
    table = nw.from_native(values, eager_only=True, allow_series=True)
    if isinstance(table, nw.Series):
        is_whole = are_floats and table.dtype.is_integer()
        wide = nw.Float64 if is_whole else _WIDE.get(str(table.dtype))
        return values if wide is None else table.cast(wide).to_native()
    narrow = {name: str(kind) for name, kind in table.schema.items() if str(kind) in _WIDE}
    casts = [nw.col(name).cast(_WIDE[kind]) for name, kind in narrow.items()]
    return table.with_columns(*casts).to_native() if casts else values


def _plain_target(target: Any) -> Any:
    """Return objects that are numbers as an array of numbers, bytes as texts, all else as it is."""
    cells = np.asarray(target)
    if type(target).__module__.startswith("pyarrow."):
        target = cells
    kinds = set(map(type, cells.ravel().tolist())) if cells.dtype.kind in "SO" else set()
    if kinds == {bytes}:
        return np.array([as_text(cell) for cell in cells.ravel().tolist()]).reshape(cells.shape)
    is_number = all(issubclass(kind, numbers.Real) for kind in kinds)
    return np.array(cells.tolist()) if kinds and is_number and len({bool} | kinds) <= 2 else target


def _check_names(features: Any) -> None:
    """Raise if some names of columns are texts and others are not, which scikit-learn refuses."""
    names = list(getattr(features, "columns", ()))
    others = [name for name in names if not isinstance(name, str)]
    if others and len(others) < len(names):
        raise InvalidArgumentError(
            f"column names of X must be texts, or none of them; got {others[0]!r} next to "
            f"{next(name for name in names if isinstance(name, str))!r}. Write "
            "X.columns = X.columns.astype(str)."
        )


def _frame_warnings(features: Any, *, has_groups: bool) -> list[str]:
    """Name columns of a frame that may be groups, and texts that are numbers."""
    if isinstance(features, np.ndarray):
        return []
    warnings = []
    for column in nw.from_native(features, eager_only=True).iter_columns():
        name = str(column.name)
        if not has_groups and may_own_rows(name):
            known = column.drop_nulls()
            warnings.append(group_hint(name, known.n_unique(), len(known)))
        if column.dtype == nw.String and (
            text := numbers_as_texts(column.drop_nulls().unique(maintain_order=True).to_list())
        ):
            warnings.append(
                f"Column {name!r}: texts that are numbers, such as {text}; kept as categories, for "
                "frames are taken as they are."
            )
    return [warning for warning in warnings if warning]


def _count_repeated_rows(features: Any, target: Any) -> int:
    """Return how many rows equal an earlier row in all features and the target.

    Two missing values are equal. Values that cannot be compared (lists in cells of a
    pandas frame) count as different.
    """
    labels = np.unique(np.asarray(target), return_inverse=True)[1]
    if hasattr(features, "iloc") or getattr(features, "dtype", np.dtype("O")).kind in "biuf":
        return _repeated_in_columns(table_columns(features), labels)
    if not isinstance(features, np.ndarray):
        return _repeated_in_frame(nw.from_native(features, eager_only=True), labels)
    pairs = zip(features.tolist(), labels.tolist(), strict=True)
    return len(labels) - len({repr(pair) for pair in pairs})


def _repeated_in_columns(columns: Sequence[Any], labels: Ints) -> int:
    """Return the count by and by: a row unlike all others in the first columns needs no more."""
    rows, groups = np.arange(len(labels)), labels
    try:
        for column in columns:
            codes, values = pd.factorize(take_rows(column, rows))  # -1 where missing
            groups = pd.factorize(groups * (len(values) + 1) + codes + 1)[0]
            is_repeated = np.bincount(groups)[groups] > 1
            rows, groups = rows[is_repeated], groups[is_repeated]
            if not len(rows):
                return 0
    except TypeError:
        return 0
    return len(rows) - len(np.unique(groups))


def _repeated_in_frame(frame: nw.DataFrame[Any], labels: Ints) -> int:
    column = "target"
    while column in frame.columns:
        column += "_"
    series = nw.new_series(column, labels, backend=frame.implementation)
    try:
        return len(frame) - len(frame.with_columns(series).unique())
    except TypeError:
        return 0


def _separate(X: Any, y: Any) -> tuple[Any, Any]:
    """Return features and target; a target named by a string is taken out of the frame."""
    features = _checked_table(X)
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
        check_known(y, "y", frame.columns, rule="a column of X")
        return frame.drop(y).to_native(), frame[y].to_native()
    if isinstance(y, Sequence | np.ndarray):
        array = as_array(y, "y")
        return features, array if isinstance(y, Sequence) else y
    return features, y


def as_array(values: Any, argument: str) -> Values:
    """Return values as an array of one shape, or raise; nothing is masked or complex in it."""
    if np.ma.is_masked(values):
        raise InvalidArgumentError(
            f"{argument} must have no masked values; got {int(np.ma.getmaskarray(values).sum())}. "
            "Hand in what is to count for them, as by filled(numpy.nan)."
        )
    try:
        array = np.asarray(values)
    except ValueError:
        lengths = sorted({len(row) if isinstance(row, Sequence) else 1 for row in values})
        raise InvalidArgumentError(
            f"{argument} must have rows of one length; got rows of "
            f"{' and '.join(map(str, lengths))} values. Complete the short ones."
        ) from None
    if array.dtype.kind in "US" and isinstance(values, Sequence):
        cells = np.array(values, dtype=object)
        kinds = set(map(type, cells.ravel().tolist()))
        if len(kinds) > 1:
            return cells  # numpy has written numbers, and gaps, as texts
    if array.dtype.kind == "c":
        raise InvalidArgumentError(
            f"{argument} must be made of real numbers; got complex ones. Hand in their parts as "
            "columns."
        )
    return array


def _rows_with_target(
    features: Any, target: Any, groups: Any, weights: Any
) -> tuple[tuple[Any, Any, Any, Any], int]:
    """Return everything without the rows that miss the target, and how many these are."""
    missing = missing_cells(target)
    if missing.shape != (len(features),) or not missing.any() or missing.all():
        return (features, target, groups, weights), 0
    kept = np.flatnonzero(~missing)
    sides = [
        side if np.shape(side) != missing.shape else np.asarray(side)[kept]
        for side in (groups, weights)
    ]
    return (take_rows(features, kept), take_rows(target, kept), *sides), int(missing.sum())


def _checked_table(X: Any) -> Any:
    if hasattr(X, "tocsr"):
        raise InvalidArgumentError(
            "X must be dense; got a sparse matrix. Hand in X.toarray() if it fits in memory."
        )
    if isinstance(X, Sequence | np.ndarray):
        table = as_array(X, "X")
        if table.ndim != 2:
            raise InvalidArgumentError(
                f"X must have rows and columns (2 dimensions); got {table.ndim}. "
                "Hand in X.reshape(-1, 1) for a single column."
            )
        return table
    if hasattr(X, "to_frame"):
        raise InvalidArgumentError(
            f"X must be an array or a data frame; got {type(X).__name__}. Hand in X.to_frame() for "
            "a single column."
        )
    try:
        frame = nw.from_native(X)
        frame = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
        if frame.implementation.is_pyarrow():  # which scikit-learn does not read
            frame = nw.from_native(frame.to_pandas())
        names = list(frame.columns)
    except (TypeError, nw.exceptions.NarwhalsError) as error:
        raise InvalidArgumentError(
            f"X must be an array or a data frame with different column names; got "
            f"{type(X).__name__} ({error})."
        ) from error
    repeated = sorted({str(name) for name in names if names.count(name) > 1})
    if repeated:
        raise InvalidArgumentError(
            f"column names of X must differ; got {repeated[0]!r} more than once. Rename one."
        )
    return frame.to_native()


def _check_target(target: Any, n_samples: int) -> None:
    """Raise if the target is no column, has another length, misses values or mixes kinds."""
    values = np.asarray(target)
    if values.ndim != 1:
        raise InvalidArgumentError(
            f"y must have 1 dimension; got {values.ndim}. Hand in one column, as y.ravel()."
        )
    if len(values) != n_samples:
        raise InvalidArgumentError(
            f"y must have as many values as X has rows ({n_samples}); got {len(values)}."
        )
    numbers = as_numbers(values)
    if numbers is not None and np.isinf(numbers).any():
        raise InvalidArgumentError(
            f"the target must be finite; got {int(np.isinf(numbers).sum())} infinite values."
        )
    refuse_missing_target(missing_count(values), "the target")
    if values.dtype.kind == "O":
        kinds = sorted({type(value).__name__ for value in values.tolist()})
        if numbers is None and len(kinds) > 1:
            raise InvalidArgumentError(
                f"labels of the target must be of one kind; got {' and '.join(kinds)}. "
                "Make all of them texts."
            )


def refuse_missing(count: int, what: str) -> None:
    """Raise if values are missing where none may be."""
    if count:
        raise InvalidArgumentError(
            f"{what} must have a value in every row; got {count} missing. "
            "Drop those rows, or choose another column."
        )


def refuse_missing_target(count: int, what: str, marks: str = "") -> None:
    """Raise if the target misses values; `marks` says what was taken for missing."""
    if count:
        raise InvalidArgumentError(
            f"{what} must have a value in every row; got {count} missing"
            f"{f' ({marks})' if marks else ''}. Leave these rows out with "
            "drop_missing_target=True (--drop-missing-target), or choose another target."
        )


def left_out_sentence(count: int) -> str:
    """Say how many rows were left out for want of a target."""
    return f"Left out: {counted(count, 'row')} without a target, as asked for."


def _side_array(values: Any, argument: str, n_samples: int) -> Values | None:
    if values is None:
        return None
    array = as_array(values, argument)
    if array.shape != (n_samples,):
        raise InvalidArgumentError(
            f"{argument} must have one value per row, shape ({n_samples},); got {array.shape}."
        )
    refuse_missing(missing_count(array), argument)
    return array


def _checked_weights(values: Any, n_samples: int) -> Floats | None:
    array = _side_array(values, "sample_weight", n_samples)
    if array is None:
        return None
    weights = as_numbers(array)
    if weights is None or not (are_right := np.isfinite(weights) & (weights >= 0)).all():
        wrong = array[0] if weights is None else weights[~are_right][0]
        raise InvalidArgumentError(
            f"sample_weight must be finite numbers, 0 or more; got {str(wrong)!r}. Correct the "
            "weights, or leave them out."
        )
    return weights


def _roles_by_type(features: Any) -> dict[str, str]:
    if isinstance(features, np.ndarray):
        return {
            f"x{position}": _role_of_cells(column) for position, column in enumerate(features.T)
        }
    frame = nw.from_native(features, eager_only=True)
    return {str(column.name): _role_of_type(column.dtype) for column in frame.iter_columns()}


def _role_of_cells(column: Values) -> str:
    try:
        return NUMERIC if column_role(column) == NUMERIC else NOMINAL
    except TypeError:  # values of a kind that the learners themselves must know
        return NOMINAL


def _role_of_type(dtype: nw.dtypes.DType) -> str:
    if dtype.is_numeric():
        return "numeric"
    if dtype == nw.Boolean:
        return "boolean"
    if dtype.is_temporal():
        return "date"
    return "ordinal" if isinstance(dtype, nw.Enum) else "nominal"


def _repeated_sentence(count: int) -> str:
    """Say what repeated rows do to a comparison."""
    rows = "1 row equals" if count == 1 else f"{count} rows equal"
    return (
        f"{rows} an earlier row in all inputs and the target; such rows leak between folds, so "
        "learners that memorize look better than they are."
    )

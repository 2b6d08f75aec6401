"""Attributes of a tree: columns as numbers, levels, or ordered levels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bestofk.array_types import Floats
from bestofk.data.levels import sorted_levels
from bestofk.data.table_columns import (
    column_numbers,
    column_role,
    column_texts,
    declared_levels,
    ordered_levels,
    table_columns,
)
from bestofk.errors import InvalidArgumentError

NUMERIC: Final = "numeric"
NOMINAL: Final = "nominal"
ORDINAL: Final = "ordinal"
KINDS: Final = (NUMERIC, NOMINAL, ORDINAL)
UNSEEN: Final = -1.0  # code of a level that is not in the training table


@dataclass(frozen=True)
class Attribute:
    """One column as a tree sees it.

    Attributes
    ----------
    name : str
        Its name; `x0`, `x1`, ... if the table has none.
    kind : {"numeric", "nominal", "ordinal"}
        Numbers, levels, or levels in an order.
    levels : tuple of str
        The levels in the order of their codes; empty for numbers.
    edges : tuple of float or None, default=None
        For numbers that are read as intervals: the upper end of each but the last; an end belongs
        to its interval. The levels are the intervals.

    Examples
    --------
    >>> Attribute("wind", "nominal", ("strong", "weak")).n_levels
    2
    """

    name: str
    kind: str
    levels: tuple[str, ...] = ()
    edges: tuple[float, ...] | None = None

    @property
    def n_levels(self) -> int:
        """Number of levels; 0 for numbers."""
        return len(self.levels)


def is_plain_matrix(X: Any) -> bool:
    """Return whether a table is one array of numbers, without texts or objects."""
    return isinstance(X, np.ndarray) and _is_plain(X.dtype)


def _is_plain(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in "fiub"


def find_attributes(
    X: Any,
    names: Sequence[str],
    *,
    nominal: Sequence[bool] | None,
    ordinal: Mapping[int, Sequence[Any] | None],
    ordinal_kind: str = ORDINAL,
) -> tuple[Attribute, ...]:
    """Return the attribute of each column of a training table.

    Parameters
    ----------
    X : ndarray or DataFrame of shape (n_rows, n_columns), or list of columns
        The training table.
    names : sequence of str
        Names of its columns.
    nominal : sequence of bool or None
        Which columns are nominal; None decides by type: texts and categories are nominal, ordered
        categories are ordinal, and booleans are the numbers 0 and 1.
    ordinal : mapping of int to sequence or None
        Columns whose levels have an order, with the levels, lowest first; None uses the categories
        of the column, or its sorted values.
    ordinal_kind : {"ordinal", "nominal"}, default="ordinal"
        Kind of these columns; nominal ones keep the order of their levels.

    Returns
    -------
    tuple of Attribute
        One for each column.

    Raises
    ------
    InvalidArgumentError
        If the levels given for an ordinal column lack one of its values, or name one twice.
    """
    results = []
    for a, (name, column) in enumerate(zip(names, table_columns(X), strict=True)):
        if a in ordinal:
            given = ordinal[a]
            levels = _levels(column) if given is None else _given_levels(given, column, name)
            results.append(Attribute(name, ordinal_kind, levels))
        elif nominal is None and ordered_levels(column) is not None:
            results.append(Attribute(name, ordinal_kind, _levels(column)))
        elif nominal[a] if nominal is not None else _is_nominal(column):
            results.append(Attribute(name, NOMINAL, _levels(column)))
        else:
            results.append(Attribute(name, NUMERIC))
    return tuple(results)


def encode_column(column: Any, attribute: Attribute) -> Floats:
    """Return a column as numbers: values, or codes of levels.

    Parameters
    ----------
    column : ndarray of shape (n_rows,) or Series
        A column of a table.
    attribute : Attribute
        What it is.

    Returns
    -------
    ndarray of shape (n_rows,), float64
        Missing values are nan. Levels that the attribute does not have are -1; of ordinal
        ones nan, because their position is unknown.

    Raises
    ------
    InvalidArgumentError
        If there is a text among numbers, or a fraction among levels.
    """
    if attribute.kind == NUMERIC:
        return _numbers(column, attribute)
    if attribute.edges is not None:
        return interval_codes(_numbers(column, attribute), attribute.edges)
    unseen = np.nan if attribute.kind == ORDINAL else UNSEEN
    code_of = {level: float(code) for code, level in enumerate(attribute.levels)}
    categories = _categories(column)
    if categories is not None:
        levels = map(str, categories.tolist())  # faster for texts than one by one
        codes = np.array([*(code_of.get(level, unseen) for level in levels), np.nan])
        return np.asarray(codes[np.asarray(column.array.codes)])
    if attribute.kind == NOMINAL:
        _refuse_fractions(column, attribute)
    texts = _texts(column)
    result, inverse = np.unique(texts.astype(str), return_inverse=True)
    codes = np.array([code_of.get(text, unseen) for text in result], dtype=np.float64)[inverse]
    codes[[text is None for text in texts]] = np.nan
    return codes


def _numbers(column: Any, attribute: Attribute) -> Floats:
    try:
        return column_numbers(column)
    except (TypeError, ValueError):
        texts = [text for text in column_texts(column).tolist() if text is not None]
        text = next((text for text in texts if not _is_number(text)), texts[0])
    raise InvalidArgumentError(
        f"Column {attribute.name!r} of X must hold numbers; got {text!r}. If texts are levels, "
        "name the column in categorical_features, and include them in training."
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _refuse_fractions(column: Any, attribute: Attribute) -> None:
    cells = np.asarray(column)
    if cells.dtype.kind == "O":
        cells = np.array([x for x in cells.tolist() if isinstance(x, float)], dtype=np.float64)
    elif cells.dtype.kind != "f":
        return
    is_fraction = np.isfinite(cells) & (cells != np.floor(cells))
    if is_fraction.any():
        raise InvalidArgumentError(
            f"Column {attribute.name!r} of X must hold levels; got the fraction "
            f"{float(cells[is_fraction.argmax()])!r}. Numbers with fractions cannot be levels: "
            "remove the column from categorical_features, or turn it into texts."
        )


def interval_codes(values: Floats, edges: Sequence[float]) -> Floats:
    """Return the interval of each number.

    Parameters
    ----------
    values : ndarray of shape (n_rows,), float64
        Numbers, nan where missing.
    edges : sequence of float
        Upper ends of all intervals but the last, rising; an end belongs to its interval.

    Returns
    -------
    ndarray of shape (n_rows,), float64
        0 to the number of edges; nan where missing.
    """
    codes = np.searchsorted(np.asarray(edges, np.float64), values, side="left").astype(np.float64)
    codes[np.isnan(values)] = np.nan
    return codes


def encode_table(X: Any, attributes: Sequence[Attribute]) -> Floats:
    """Return a table as the matrix that a tree reads.

    Parameters
    ----------
    X : ndarray or DataFrame of shape (n_rows, n_columns), or list of columns
        The rows.
    attributes : sequence of Attribute
        What the columns are.

    Returns
    -------
    ndarray of shape (n_rows, n_columns), float64
        As from `encode_column`; the table itself if it already is a matrix of floats.
    """
    if all(attribute.kind == NUMERIC for attribute in attributes):
        if is_plain_matrix(X):
            return np.asarray(X, dtype=np.float64)
        if hasattr(X, "iloc") and all(_is_plain(dtype) for dtype in X.dtypes):
            return np.asarray(X.to_numpy(np.float64))
    columns = table_columns(X)
    matrix = np.empty((len(columns[0]), len(attributes)), order="F")
    for a, (column, attribute) in enumerate(zip(columns, attributes, strict=True)):
        matrix[:, a] = encode_column(column, attribute)
    return matrix


def _categories(column: Any) -> Any:
    return getattr(getattr(column, "array", None), "categories", None)


def _is_nominal(column: Any) -> bool:
    if _categories(column) is not None:  # faster than its role
        return True
    return column_role(column) != NUMERIC


def _given_levels(given: Sequence[Any], column: Any, name: str) -> tuple[str, ...]:
    """Return the levels of an ordinal column as texts, if they include all its values."""
    as_array = np.asarray(list(given))
    levels = tuple(map(str, _texts(as_array) if as_array.dtype.kind in "fiu" else given))
    twice = [level for i, level in enumerate(levels) if level in levels[:i]]
    present = {str(text) for text in _texts(column) if text is not None}
    lacking = sorted(present - set(levels))
    if not (twice or lacking):
        return levels
    result = f"{twice[0]!r} twice" if twice else f"no place for {', '.join(lacking)}"
    raise InvalidArgumentError(
        f"ordinal_features must list every level of column {name!r} once, lowest first; got "
        f"{result}. Add what is missing, or leave the column nominal."
    )


def _levels(column: Any) -> tuple[str, ...]:
    """Return the declared categories of a column, or its values: numbers by size, else sorted."""
    declared = declared_levels(column)
    if declared is not None:
        return declared
    texts = {text for text in _texts(column) if text is not None}
    return tuple(sorted_levels(texts))


def _texts(column: Any) -> NDArray[np.object_]:
    """Return values as texts: whole numbers without a point, missing ones None."""
    kind = getattr(column.dtype, "kind", "O")
    if kind in "fiu" and isinstance(column.dtype, np.dtype):
        numbers = np.asarray(column, dtype=np.float64)
        texts = [None if np.isnan(x) else f"{x:.15g}" for x in numbers.tolist()]
        return np.array(texts, dtype=np.object_)
    return column_texts(column)

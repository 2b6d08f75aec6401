"""Tables and columns in the usual containers: arrays, frames, series, lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from bestofk.array_types import Values
from bestofk.data.table_columns import table_columns
from bestofk.errors import InvalidArgumentError


def checked_table(X: Any) -> Any:
    """Return the inputs as an array or an eager frame with unique column names, or raise."""
    _refuse_sparse(X, "X")
    if isinstance(X, Sequence | np.ndarray):
        table = as_array(X, "X")
        if table.ndim != 2:
            is_records = table.dtype.names or isinstance(next(iter(X), None), dict)
            way_out = "pandas.DataFrame(X)" if is_records else "X.reshape(-1, 1)"
            raise InvalidArgumentError(
                f"X must have rows and columns (2 dimensions); got {table.ndim}. "
                f"Hand in {way_out}{'' if is_records else ' for a single column'}."
            )
        return table
    if hasattr(X, "to_frame"):
        raise InvalidArgumentError(
            f"X must be an array or a data frame; got {type(X).__name__}. Hand in X.to_frame() for "
            "a single column."
        )
    return _named(X if isinstance(X, pd.DataFrame) else _eager_frame(X))


def _named(frame: Any) -> Any:
    """Return a frame whose names are texts if of mixed types; raise if two names are equal."""
    texts = list(map(str, frame.columns))
    if repeated := [text for text, count in Counter(texts).items() if count > 1]:
        raise InvalidArgumentError(
            f"column names of X must differ; got {repeated[0]!r} {texts.count(repeated[0])} times. "
            "Rename them, or leave all but one out."
        )
    are_texts = {isinstance(name, str) for name in frame.columns}
    is_renamed = len(are_texts) > 1 or getattr(frame.columns, "nlevels", 1) > 1
    return frame.set_axis(texts, axis=1) if is_renamed else frame


def _eager_frame(X: Any) -> Any:
    try:
        frame = nw.from_native(X)
    except TypeError as error:
        raise InvalidArgumentError(
            f"X must be an array or a data frame; got {type(X).__name__}. Hand in "
            "pandas.DataFrame(X)."
        ) from error
    frame = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    is_of_arrow = frame.implementation.is_pyarrow()  # scikit-learn does not accept these
    return frame.to_pandas() if is_of_arrow else frame.to_native()


def one_column(values: Any, argument: str) -> Any:
    """Return values, one per row, as an array or a series; a frame of one column as its column."""
    _refuse_sparse(values, argument)
    if len(getattr(values, "shape", ())) == 2 and values.shape[1] == 1:
        column = table_columns(values)[0]
        values = column.to_native() if isinstance(column, nw.Series) else column
    if isinstance(values, pd.MultiIndex):
        values = values.to_flat_index()
    if isinstance(values, pd.Index | pd.api.extensions.ExtensionArray):
        return pd.Series(values)
    is_series = hasattr(values, "to_numpy") and not type(values).__module__.startswith("pyarrow.")
    return values if is_series or values is None else as_array(values, argument)


def _refuse_sparse(values: Any, argument: str) -> None:
    if hasattr(values, "tocsr"):
        raise InvalidArgumentError(
            f"{argument} must be dense; got a sparse matrix. Hand in {argument}.toarray() if it "
            "fits in memory."
        )


def as_array(values: Any, argument: str) -> Values:
    """Return values as an array of one shape, or raise; nothing is masked in it."""
    if np.ma.is_masked(values):
        raise InvalidArgumentError(
            f"{argument} must have no masked values; got {int(np.ma.getmaskarray(values).sum())}. "
            "Replace them first, for example by filled(numpy.nan)."
        )
    try:
        array = np.asarray(values)
    except ValueError:
        lengths = sorted({len(row) if isinstance(row, Sequence) else 1 for row in values})
        raise InvalidArgumentError(
            f"{argument} must have rows of one length; got rows of "
            f"{' and '.join(map(str, lengths))} values. Complete the short rows."
        ) from None
    if array.dtype.kind in "US" and isinstance(values, Sequence):
        cells = np.array(values, dtype=object)
        kinds = set(map(type, cells.ravel().tolist()))
        if len(kinds) > 1:
            return cells  # numpy has turned numbers and missing values into texts
    if array.dtype.kind == "T":  # numpy's string type, which scikit-learn does not accept
        array = array.astype(object)
    return array

"""Data that make a verdict look better than it is: leaks, order of time, outliers of the target."""

from __future__ import annotations

import shlex
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from bestofk.array_types import Floats, Ints
from bestofk.data.checks import missing_cells
from bestofk.data.data_set import DataSet
from bestofk.data.notes import counted, listed
from bestofk.data.number_forms import FEW_VALUES
from bestofk.data.table_columns import column_numbers

_FAR = 20  # interquartile ranges from the median; of a normal target none is further than 8
_ROWS_OF_A_LEVEL = 5  # on average, so that a class for each level is no accident
_SAMPLED_ROWS = 1_000
_EXACT = 1e-9


def suspicions(data: DataSet) -> list[str]:
    """Return a sentence for each thing about a data set that makes learners look too good.

    Parameters
    ----------
    data : DataSet
        Of frames the columns are looked at, of arrays the target alone.

    Returns
    -------
    list of str
        Columns that give the target exactly, rows in the order of a date, and targets far
        from all others.

    Examples
    --------
    >>> import pandas as pd
    >>> from bestofk.data import from_arrays
    >>> table = pd.DataFrame({"state": ["closed", "open"] * 10, "paid": [1.5, 1.5, 2.0, 2.0] * 5})
    >>> suspicions(from_arrays(table, ["yes", "no"] * 10))[0].partition(".")[0]
    "Column 'state' alone gives the target in every row"
    """
    return [*_leaks(data), *dates_in_order(data), *_outliers(data)]


def dates_in_order(data: DataSet) -> list[str]:
    """Return a sentence for the first column of dates that the rows are sorted by."""
    if isinstance(data.features, np.ndarray):
        return []
    for column in nw.from_native(data.features, eager_only=True).iter_columns():
        is_date = data.roles.get(str(column.name)) == "date"
        if is_date and _is_sorted(column_numbers(column.to_native())):
            return [
                f"Rows are in the order of {str(column.name)!r}. If later rows are to be "
                "predicted, random folds make learners look better than they are; in Python, "
                "give cv=TimeSeriesSplit(5)."
            ]
    return []


def _is_sorted(days: Floats) -> bool:
    steps = np.diff(days)
    if not (np.all(steps >= 0) or np.all(steps <= 0)):  # nan is neither
        return False
    return int(np.count_nonzero(steps)) >= max(FEW_VALUES, len(days) / 2)


def _leaks(data: DataSet) -> list[str]:
    if isinstance(data.features, np.ndarray):
        return []
    is_leak = _gives_class if data.is_classification else _is_linear
    columns = nw.from_native(data.features, eager_only=True).iter_columns()
    names = [str(column.name) for column in columns if is_leak(column, data.y)]
    if not names:
        return []
    subject = "Column" if len(names) == 1 else "Each of the columns"
    return [
        f"{subject} {listed(names)} alone gives the target in every row. Leave it out "
        f"(--drop {shlex.quote(names[0])}) if it is known only afterwards."
    ]


def _gives_class(column: nw.Series[Any], classes: Ints) -> bool:
    """Tell whether all rows of one level, of which there are few, have one class."""
    step = -(-len(column) // _SAMPLED_ROWS)
    rows = [slice(None, None, step), slice(None)] if step > 1 else [slice(None)]
    return all(_has_one_class_each(column[part], classes[part]) for part in rows)


def _has_one_class_each(column: nw.Series[Any], classes: Ints) -> bool:
    values = column.to_native() if column.implementation.is_pandas() else column.to_numpy()
    codes, levels = pd.factorize(values, use_na_sentinel=False)
    if len(levels) < 2 or len(levels) * _ROWS_OF_A_LEVEL > len(column):
        return False
    class_of_level = np.empty(len(levels), dtype=classes.dtype)
    class_of_level[codes] = classes
    return bool(np.array_equal(class_of_level[codes], classes))


def _is_linear(column: nw.Series[Any], target: Floats) -> bool:
    """Tell whether a column is the target in another unit."""
    if not column.dtype.is_numeric() or missing_cells(column.to_native()).any():
        return False
    values = column.to_numpy().astype(np.float64)
    with np.errstate(all="ignore"):  # what overflows or does not vary is not linear
        scaled = (values - values.mean()) / values.std()
        wanted = (target - target.mean()) / target.std()
        difference = min(np.abs(scaled - wanted).max(), np.abs(scaled + wanted).max())
    return len(values) > FEW_VALUES and bool(difference < _EXACT)


def _outliers(data: DataSet) -> list[str]:
    if data.is_classification or data.n_samples <= FEW_VALUES:
        return []
    with np.errstate(over="ignore"):
        first, median, third = np.quantile(data.y, (0.25, 0.5, 0.75))
        distances = np.abs(data.y - median)
        n_far = int(np.count_nonzero(distances > _FAR * (third - first)))
    if not n_far or third == first:
        return []
    furthest = data.y[distances.argmax()]
    lie = "lies" if n_far == 1 else "lie"
    return [
        f"{counted(n_far, 'value')} of the target {lie} far from all others, such as "
        f"{furthest:,.10g} (median {median:,.10g}). Check them: squared errors hang on them."
    ]

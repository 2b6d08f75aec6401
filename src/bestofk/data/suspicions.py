"""Checks for data that mislead a verdict: leaks, order of time, outliers of the target."""

from __future__ import annotations

import shlex
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from bestofk.array_types import Floats, Ints
from bestofk.data.checks import missing_cells
from bestofk.data.data_set import DataSet
from bestofk.data.notes import listed
from bestofk.data.table_columns import column_numbers, table_columns
from bestofk.data.text_values import FEW_VALUES
from bestofk.words import times

_FAR = 20  # interquartile ranges from the median; a normal target stays within 8
_ROWS_OF_A_LEVEL = 5  # rows per level on average, so that one class per level is not chance
_SAMPLED_ROWS = 1_000
_EXACT = 1e-9
_NEARLY = 1e-6
_ROWS_OF_A_RANGE = 25  # rows per class on average, so that separate ranges are not chance
_NARROW = 0.02  # share of the range of a column
_MOST_COMBINED = 3
_PANEL = 0.9  # share of the dates that have equally many rows
_ODD_SHARE = 0.005


def suspicions(data: DataSet) -> list[str]:
    """Return a sentence for each property of the data that misleads the comparison.

    Parameters
    ----------
    data : DataSet
        The data set. Columns are checked in frames; in arrays only the target is.

    Returns
    -------
    list of str
        Sentences on columns that determine the target (alone, or two or three together), rows
        sorted by a date, outliers of the target, and nearly constant inputs.

    Examples
    --------
    >>> import pandas as pd
    >>> from bestofk.data import from_arrays
    >>> table = pd.DataFrame({"state": ["closed", "open"] * 10, "paid": [1.5, 1.5, 2.0, 2.0] * 5})
    >>> suspicions(from_arrays(table, ["yes", "no"] * 10))[0].partition(".")[0]
    "Column 'state' alone gives the target in every row"
    """
    if isinstance(data.features, np.ndarray):
        return _outliers(data)
    with np.errstate(all="ignore"):  # overflow cannot match the target
        leaks = [*_leaks(data), *_combinations(data)]
    return [*leaks, *dates_in_order(data), *_outliers(data), *_nearly_constant(data)]


def dates_in_order(data: DataSet) -> list[str]:
    """Return a sentence for the first column of dates that the rows are sorted by."""
    if isinstance(data.features, np.ndarray):
        return []
    for column in nw.from_native(data.features, eager_only=True).iter_columns():
        name = str(column.name)
        is_date = data.roles.get(name) == "date" and data.time is None
        if is_date and _follow(column_numbers(column.to_native())):
            return [
                f"Rows are ordered in time ({name!r}). If you predict later rows, random folds "
                f"make learners look better than they are: train on earlier rows (--time "
                f"{shlex.quote(name)})."
            ]
    return []


def _follow(days: Floats) -> bool:
    """Tell whether rows are sorted by many dates, or hold equally many of each (several series)."""
    steps = np.diff(days)
    if np.all(steps >= 0) or np.all(steps <= 0):  # nan is neither larger nor smaller
        return int(np.count_nonzero(steps)) >= FEW_VALUES
    counts = np.unique(days, return_counts=True)[1]
    is_panel = len(counts) > FEW_VALUES and np.median(counts) > 1
    return bool(is_panel and np.mean(counts == np.median(counts)) > _PANEL)


def _leaks(data: DataSet) -> list[str]:
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
    """Tell whether every level (if few) or range of a column has only one class."""
    if column.dtype.is_numeric() and _has_one_range_each(column_numbers(column), classes):
        return True
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


def _has_one_range_each(values: Floats, classes: Ints) -> bool:
    """Tell whether the classes have separate ranges, without the gaps of measured values."""
    order = np.argsort(values, kind="stable")
    ordered, y = values[order], classes[order]
    bounds, n_classes = np.flatnonzero(np.diff(y)), int(y.max()) + 1
    if not len(bounds) == n_classes - 1 > 0 or len(y) < _ROWS_OF_A_RANGE * n_classes:
        return False
    gaps = ordered[bounds + 1] - ordered[bounds]
    return bool(gaps.min() > 0 and gaps.max() <= _NARROW * (ordered[-1] - ordered[0]))


def _combinations(data: DataSet) -> list[str]:
    """Return a sentence if the target is a sum, product or ratio of two or three columns."""
    if data.is_classification:
        return []
    columns = nw.from_native(data.features, eager_only=True).iter_columns()
    known = [c for c in columns if c.dtype.is_numeric() and not missing_cells(c.to_native()).any()]
    if len(known) < 2 or len(data.y) < FEW_VALUES + 2 * len(known):
        return []
    X = np.column_stack([data.y, *map(column_numbers, known)])
    logarithms = np.log(np.where((X > 0).all(axis=0), X, 1))
    for table, form in ((X, "sum or difference"), (logarithms, "product or ratio")):
        scale = table.std(axis=0)
        scaled = np.nan_to_num((table - table.mean(axis=0)) / np.where(scale > 0, scale, 1))
        target, inputs = scaled[:, 0], scaled[:, 1:]
        weights = np.linalg.lstsq(inputs[:_SAMPLED_ROWS], target[:_SAMPLED_ROWS])[0]
        names = [str(known[index].name) for index in np.flatnonzero(np.abs(weights) > _NEARLY)]
        is_exact = scale[0] > 0 and np.abs(inputs @ weights - target).max() < _NEARLY
        if is_exact and 1 < len(names) <= _MOST_COMBINED:
            return [
                f"The target is a {form} of the columns {listed(names)}. Leave one out (--drop "
                f"{shlex.quote(names[0])}) if it is known only afterwards."
            ]
    return []


def _nearly_constant(data: DataSet) -> list[str]:
    """Return a sentence on inputs with one value in nearly all rows."""
    names = []
    for name, column in zip(data.feature_names, table_columns(data.features), strict=True):
        values = column.to_numpy() if isinstance(column, nw.Series) else column
        counts = np.bincount(pd.factorize(values, use_na_sentinel=False)[0])
        if len(counts) > 1 and data.n_samples - counts.max() <= _ODD_SHARE * data.n_samples:
            names.append(name)
    drop = shlex.quote(",".join(names))
    return [f"One value in 99.5% of the rows: {listed(names)} (--drop {drop})."] if names else []


def _is_linear(column: nw.Series[Any], target: Floats) -> bool:
    """Tell whether a column is the target in another unit."""
    if not column.dtype.is_numeric() or missing_cells(column.to_native()).any():
        return False
    values = column.to_numpy().astype(np.float64)
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
        f"{times(n_far, 'value')} of the target {lie} far from all others, such as "
        f"{furthest:,.10g} (median {median:,.10g}). Check them: they dominate squared errors."
    ]

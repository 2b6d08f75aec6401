"""Columns of a table as numbers: levels 1-of-n, numbers shifted and divided by their spread."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bestofk.array_types import Bools, Floats, Ints
from bestofk.batched.preparation import ColumnSteps, Preparation
from bestofk.data.table_columns import column_numbers, column_texts, table_columns

# Mean and standard deviation of a column may be this many times the distances of its values:
# ten digits of them are then right.
_LOST_BEYOND = 1e5


@dataclass(frozen=True, eq=False)
class EncodedColumns:
    """All columns of a table as numbers, the same for every part.

    Parameters
    ----------
    matrix : ndarray of shape (n_samples, n_columns), float64, C order
        Numeric columns and one column of 0 and 1 per level of the whole table, in the order
        in which the preparation puts them out. Numeric columns that are scaled are
        standardized here over all rows; the others are as they are. 0 where a value is
        missing.
    is_missing : ndarray of shape (n_samples, n_columns), bool, or None
        Where values were missing and will be filled; None where none is.
    attribute : ndarray of shape (n_columns,), int64
        The column of the table that each comes from.
    steps : tuple of ColumnSteps
        What is done to each column, one entry per column.
    center, spread : ndarray of shape (n_columns,), float64
        What was subtracted and divided by here: 0 and 1 where a column is as it was.
    is_exact : bool, default=True
        Whether that kept some ten digits of the differences of a column's values.
    """

    matrix: Floats
    is_missing: Bools | None
    attribute: Ints
    steps: tuple[ColumnSteps, ...]
    center: Floats
    spread: Floats
    is_exact: bool = True

    @cached_property
    def filled(self) -> Ints:
        """Positions of the columns in which values are missing."""
        if self.is_missing is None:
            return np.empty(0, dtype=np.int64)
        return np.flatnonzero(self.is_missing.any(axis=0))

    @cached_property
    def standardized(self) -> Ints:
        """Positions of the columns that are moved by means or divided by deviations."""
        is_one = [step.scale is not None and step.scale != "range" for step in self.steps]
        return np.flatnonzero(is_one)

    @cached_property
    def ranged(self) -> Ints:
        """Positions of the columns that are scaled from 0 to 1."""
        return np.flatnonzero([step.scale == "range" for step in self.steps])

    @cached_property
    def gaps(self) -> tuple[Ints, Ints]:
        """Rows and columns of the missing values."""
        if self.is_missing is None:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        rows, indices = np.nonzero(self.is_missing)
        return rows, indices

    @cached_property
    def by_columns(self) -> Floats:
        """The matrix by columns, shape (n_columns, n_samples), nan where values are missing."""
        columns = np.array(self.matrix.T, order="C")
        rows, indices = self.gaps
        columns[indices, rows] = np.nan
        return columns

    @cached_property
    def varies(self) -> Bools:
        """True for each column that has at least two values, shape (n_columns,)."""
        varies: Bools = self.matrix.min(axis=0) < self.matrix.max(axis=0)
        return varies

    @cached_property
    def level_totals(self) -> Floats:
        """Rows of the table that have each level, shape (n_columns,); -1 for numbers."""
        totals = np.full(len(self.steps), -1.0)
        levels = np.flatnonzero([step.is_nominal for step in self.steps])
        totals[levels] = self.matrix[:, levels].sum(axis=0)
        return totals


def encode(features: Any, preparation: Preparation) -> EncodedColumns:
    """Return the columns that a preparation makes of a table."""
    columns = table_columns(features)
    pairs = [(column, step) for step in preparation for column in step.columns]
    blocks = [_encoded_column(columns[index], step) for index, step in pairs]
    n_samples = int(features.shape[0])
    widths = [values.shape[1] for values, _ in blocks]
    matrix = np.empty((n_samples, sum(widths)))
    is_missing = np.zeros(matrix.shape, dtype=bool)
    ends = np.cumsum(widths, dtype=np.int64)
    for end, (values, gaps) in zip(ends.tolist(), blocks, strict=True):
        here = slice(end - values.shape[1], end)
        matrix[:, here] = values
        is_missing[:, here] = gaps[:, None]
    steps = tuple(
        step for (_, step), width in zip(pairs, widths, strict=True) for _ in range(width)
    )
    center, spread = np.zeros(len(steps)), np.ones(len(steps))
    numbers = [
        index for index, step in enumerate(steps) if step.scale is not None and not step.is_nominal
    ]
    known = np.where(is_missing[:, numbers], np.nan, matrix[:, numbers]).T
    center[numbers], spread[numbers], is_exact = _standards(np.ascontiguousarray(known))
    scaled = np.flatnonzero((center != 0) | (spread != 1))
    matrix[:, scaled] = (matrix[:, scaled] - center[scaled]) / spread[scaled]
    has_missing = bool(is_missing.any())
    if has_missing:
        matrix[is_missing] = 0.0
    return EncodedColumns(
        matrix, is_missing if has_missing else None,
        np.repeat(np.array([index for index, _ in pairs], dtype=np.int64), widths),
        steps, center, spread, is_exact,
    )  # fmt: skip


def _standards(known: Floats) -> tuple[Floats, Floats, bool]:
    """Return means, standard deviations, and whether standardizing keeps some ten digits.

    Parameters
    ----------
    known : ndarray of shape (n_columns, n_samples)
        The columns, nan where values are missing.
    """
    n_known = known.shape[1] - np.isnan(known).sum(axis=1)
    n = np.maximum(n_known, 1)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        low, high = np.fmin.reduce(known, axis=1), np.fmax.reduce(known, axis=1)
        mean = np.nansum(known, axis=1) / n
        centered = known - mean[:, np.newaxis]
        deviation = np.sqrt(np.nansum(centered * centered, axis=1) / n)
        apart = np.abs(known - _medians(known)[:, np.newaxis])
        apart[apart == 0] = np.nan
        keeps_digits = np.maximum(np.abs(mean), deviation) <= _LOST_BEYOND * _medians(apart)
        is_constant = (n_known == 0) | (low == high)
        is_lost = ~(np.isfinite(mean) & (deviation > 0) & np.isfinite(deviation))
    mean = np.where(is_constant, np.where(n_known == 0, 0.0, low), np.where(is_lost, 0.0, mean))
    deviation = np.where(is_constant | is_lost, 1.0, deviation)
    return mean, deviation, bool((is_constant | (keeps_digits & ~is_lost)).all())


def _medians(rows: Floats) -> Floats:
    """Return the median of each row but for nan; nan where nothing else is there."""
    last = np.maximum(rows.shape[1] - np.isnan(rows).sum(axis=1) - 1, 0)
    ordered = np.sort(rows, axis=1)
    middle = np.column_stack([last // 2, (last + 1) // 2])
    medians: Floats = np.take_along_axis(ordered, middle, axis=1).mean(axis=1)
    return medians


def _encoded_column(column: Any, step: ColumnSteps) -> tuple[Floats, Bools]:
    """Return the numbers, shape (n_samples, 1) or (n_samples, n_levels), and what is missing."""
    is_constant = step.fill == "constant"
    if not step.is_nominal:
        numbers = column_numbers(column)
        gaps = np.isnan(numbers)
        if is_constant:
            numbers, gaps = np.where(gaps, float(step.fill_value), numbers), np.zeros_like(gaps)
        return numbers[:, None], gaps
    levels, codes = _levels(column)
    gaps = codes < 0
    if is_constant and gaps.any():
        levels, codes = _with_level(levels, codes, step.fill_value)
        gaps = np.zeros_like(gaps)
    values = np.zeros((len(codes), len(levels)))
    known = np.flatnonzero(~gaps)
    values[known, codes[known]] = 1.0
    return values, gaps


def _levels(column: Any) -> tuple[list[Any], Ints]:
    """Return the levels that occur, in order, and the number of each row's; -1 for none."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "fiub":
        numbers = column_numbers(column)
        distinct, codes = np.unique(numbers, return_inverse=True)
        codes = np.where(np.isnan(numbers), -1, codes)
        return distinct[~np.isnan(distinct)].tolist(), codes
    array: Any = getattr(column, "array", None)  # of pandas
    if hasattr(array, "categories"):
        names = [*map(str, array.categories), None]
        result = np.asarray(array.codes, dtype=np.int64)
        levels = sorted({names[code] for code in np.unique(result)} - {None})
        order = {name: number for number, name in enumerate(levels)}
        return levels, np.array([order.get(name, -1) for name in names])[result]
    texts = column_texts(column).tolist()
    levels = sorted({text for text in texts if text is not None})
    order = {name: number for number, name in enumerate(levels)}
    order[None] = -1
    return levels, np.array([order[text] for text in texts], dtype=np.int64)


def _with_level(levels: list[Any], codes: Ints, level: float | str) -> tuple[list[Any], Ints]:
    """Give a level to the rows that have none."""
    together = sorted({*levels, level})
    order = np.array([together.index(item) for item in [*levels, level]])
    return together, order[codes]  # the last is that of -1

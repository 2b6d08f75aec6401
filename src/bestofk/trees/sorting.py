"""Training tables sorted and ranked once, for any number of trees."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bestofk.array_types import Bools, Codes, Floats, Ints, Positions
from bestofk.trees._sorted_columns import (
    count_distinct,
    deal_keys,
    list_distinct,
    rank_keys,
    rank_rows,
    take_keys,
)
from bestofk.trees._split_search import MOST_ROWS
from bestofk.trees.attributes import NOMINAL, NUMERIC, ORDINAL, Attribute

# A numeric column with at most this share of distinct values is kept as ranks, which large nodes
# count and small nodes sort. Others are sorted once, and their order is passed down.
_MOST_DISTINCT: Final = 0.05


class Workspace:
    """Storage of the arrays of a training table: memory, or that of a subclass."""

    def empty(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """Return an array with undefined content."""
        return np.empty(shape, dtype)

    def sort(self, raw: Sequence[np.ndarray], a: int) -> tuple[Floats, Ints]:
        """Return the rising values of a column, missing ones last, and their rows."""
        order = np.argsort(raw[a])
        return raw[a][order].astype(np.float64, copy=False), order

    def blocks(self, n_lines: int) -> Sequence[slice]:
        """Return the lines of an array that are processed together."""
        return [slice(0, n_lines)]

    def release(self) -> None:
        """Release memory that is not needed at once."""


MEMORY: Final = Workspace()
LargestWithin = Callable[[Floats], Floats]
_BLUR: Final = 1e-6  # numbers that differ by less are equal in Weka up to 3.8.2


@dataclass(frozen=True, eq=False)
class Columns:
    """A training table, sorted and ranked.

    Attributes
    ----------
    attributes : tuple of Attribute
        What the columns are.
    raw : sequence of ndarray of shape (n_rows,)
        The original columns: numbers, or codes of levels.
    n_levels, place, value_start : ndarray of shape (n_attributes,), int64
        Number of distinct values; row of `codes` or `keys`; start of its values in `values`.
    is_listed, is_fine : ndarray of shape (n_attributes,), uint8
        Whether a column is in `keys`; whether it has neighbors nearer than the minimum gap.
    codes : ndarray of shape (n_coded, n_rows), int32
        Ranks or levels, -1 where missing.
    keys : ndarray of shape (n_listed, n_rows), int64
        Rank, class and row of each value, packed as in `_split_search`, sorted.
    fine_line : ndarray of shape (n_attributes,), int32
        Row of `reach` for a fine column, -1 for others.
    reach : ndarray of shape (n_fine, n_rows), int32
        Highest rank within the minimum gap of each rank.
    values : ndarray, float64
        Distinct values of the coded numeric columns, and values that represent intervals,
        concatenated.
    has_missing : bool
        Whether any value is missing.
    workspace : Workspace
        Storage of the arrays.
    """

    attributes: tuple[Attribute, ...]
    raw: tuple[np.ndarray, ...]
    n_levels: Ints
    code_row: Ints
    value_start: Ints
    is_listed: NDArray[np.uint8]
    is_fine: NDArray[np.uint8]
    codes: NDArray[np.int32]
    keys: Ints
    fine_line: NDArray[np.int32]
    reach: NDArray[np.int32]
    values: Floats
    has_missing: bool
    workspace: Workspace

    @property
    def n_rows(self) -> int:
        """Return the number of rows."""
        return len(self.raw[0])

    @cached_property
    def is_nominal(self) -> Bools:
        """True for each nominal column, shape (n_attributes,)."""
        return np.array([attribute.kind == NOMINAL for attribute in self.attributes], np.bool_)

    @cached_property
    def ranked(self) -> list[int]:
        """Numeric and ordinal columns that are not listed."""
        return np.flatnonzero(~self.is_nominal & (self.is_listed == 0)).tolist()

    @cached_property
    def most_levels(self) -> int:
        """Most levels of a nominal column, 0 without any."""
        return int(self.n_levels[self.is_nominal].max(initial=0))

    def take(self, rows: Positions) -> Columns:
        """Return the table of some of the rows, without sorting it again.

        Parameters
        ----------
        rows : ndarray of shape (r,), int
            Rows, each once, in ascending order.

        Returns
        -------
        Columns
            A copy, which a tree may consume. Ranks and levels are those of the whole table.
        """
        index = np.full(self.n_rows, -1, np.int32)
        index[rows] = np.arange(len(rows), dtype=np.int32)
        keys = np.empty((len(self.keys), len(rows)), np.int64)
        take_keys(self.keys, index, keys)
        raw = tuple(column[rows] for column in self.raw)
        return replace(self, raw=raw, codes=self.codes.take(rows, axis=1), keys=keys)

    def dealt(self, rows: Sequence[Positions]) -> Columns:
        """Return the tables of several parts as one, row after row, without sorting them again.

        Parameters
        ----------
        rows : sequence of ndarray of int
            Rows of each part, each once, in ascending order.

        Returns
        -------
        Columns
            As from `take`; `raw` is empty.
        """
        dealt, starts = np.concatenate(rows), np.cumsum([0, *map(len, rows)])
        by_row = np.argsort(dealt, kind="stable")
        row_start = np.searchsorted(dealt[by_row], np.arange(self.n_rows + 1))
        part = np.repeat(np.arange(len(rows)), np.diff(starts))[by_row]
        keys = np.empty((len(self.keys), len(dealt)), np.int64)
        deal_keys(self.keys, row_start, part, by_row, starts, keys)
        return replace(self, raw=(), codes=self.codes.take(dealt, axis=1), keys=keys)

    def matrix(self) -> Floats:
        """Return the table as a tree reads it, shape (n_rows, n_attributes), missing as nan."""
        if self._table is not None:
            return self._table
        matrix = np.empty((self.n_rows, len(self.raw)))
        for a, column in enumerate(self.raw):
            matrix[:, a] = column
            if self.has_missing and self.attributes[a].kind != NUMERIC:
                matrix[column < 0, a] = np.nan
        return matrix

    @cached_property
    def _table(self) -> Floats | None:
        """The matrix of which all columns are views; None if there is none."""
        base = self.raw[0].base
        if not isinstance(base, np.ndarray) or base.shape != (self.n_rows, len(self.raw)):
            return None
        for a, column in enumerate(self.raw):
            if column.base is not base or column.dtype != np.float64:
                return None
            if base[:, a].ctypes.data != column.ctypes.data:
                return None
        return np.asarray(base)

    def thresholds(
        self, a: int, cuts: np.ndarray, rule: str, largest: LargestWithin | None = None
    ) -> Floats:
        """Return the thresholds of cuts of one attribute.

        Parameters
        ----------
        a : int
            The attribute.
        cuts : ndarray of shape (n_cuts, 4)
            Rank below and above each cut, and a row with each (if listed).
        rule : {"midpoint", "value", "value-within-1e-6", "value-in-32-bits"}
            The midpoint; the largest training value not above it; the same where a difference
            below 1e-6 counts as none, also for later rows: the largest number equal to that value;
            the same in 32 bits: the largest number that is rounded to that value.
        largest : callable or None, default=None
            Takes a limit for each cut; returns the largest training value not above each. None for
            those of the whole column.

        Returns
        -------
        ndarray of shape (n_cuts,), float64
        """
        low, middle = self.middles(a, cuts)
        if rule == "midpoint":
            return np.asarray(middle)
        in_32_bits, is_blurred = rule == "value-in-32-bits", rule == "value-within-1e-6"
        limit = middle.astype(np.float32).astype(np.float64) if in_32_bits else middle
        limit = largest_equal_to(limit) if is_blurred else limit
        values = np.maximum((largest or self._largest(a))(limit), low)
        if in_32_bits:
            return largest_rounded_to(values.astype(np.float32))
        return largest_equal_to(values) if is_blurred else values

    def _largest(self, a: int) -> LargestWithin:
        values = np.sort(self.raw[a])  # missing values come last, or have codes below all others

        def largest(limit: Floats) -> Floats:
            at = np.searchsorted(values, limit, side="right") - 1
            return values[at].astype(np.float64)

        return largest

    def middles(self, a: int, cuts: np.ndarray) -> tuple[Floats, Floats]:
        """Return the values below cuts of one attribute, and the midpoints to those above."""
        if self.is_listed[a]:
            low, high = self.raw[a][cuts[:, 2]], self.raw[a][cuts[:, 3]]
        else:
            start = self.value_start[a]
            low, high = self.values[start + cuts[:, 0]], self.values[start + cuts[:, 1]]
        low = low.astype(np.float64)
        middle = low / 2 + high.astype(np.float64) / 2  # (low + high) / 2 that cannot overflow
        return low, np.where(middle >= high, low, middle)


def largest_equal_to(values: Floats) -> Floats:
    """Return the largest number that is not above each value by 1e-6 or more.

    Parameters
    ----------
    values : ndarray, float64
        Finite numbers.

    Returns
    -------
    ndarray, float64
        Of the same shape. The difference is rounded to 64 bits before it is compared, so that a
        decimal above by exactly 1e-6 may be equal.

    Examples
    --------
    >>> largest_equal_to(np.array([0.001588, 19.54])) >= [0.001589, 19.540001]
    array([ True, False])
    """
    low, high = values, values + 2 * _BLUR
    while True:
        middle = low / 2 + high / 2
        is_between = (low < middle) & (middle < high)
        if not is_between.any():
            return low
        is_equal = middle - values < _BLUR
        low = np.where(is_between & is_equal, middle, low)
        high = np.where(is_between & ~is_equal, middle, high)


def largest_rounded_to(values: NDArray[np.float32]) -> Floats:
    """Return the largest number of 64 bits that is rounded to each number of 32 bits.

    Parameters
    ----------
    values : ndarray, float32
        Finite numbers.

    Returns
    -------
    ndarray, float64
        Of the same shape.
    """
    above = np.nextafter(values, np.float32(np.inf)).astype(np.float64)
    middle = values.astype(np.float64) / 2 + above / 2
    is_below = middle.astype(np.float32) == values
    return np.where(is_below, middle, np.nextafter(middle, -np.inf))


def sort_columns(
    attributes: Sequence[Attribute],
    raw: Sequence[np.ndarray],
    y: Codes,
    *,
    gap: float = 0.0,
    may_list: bool = True,
    in_32_bits: bool = False,
    level_values: Mapping[int, Floats] | None = None,
    workspace: Workspace = MEMORY,
) -> Columns:
    """Sort and rank the columns of a training table.

    Parameters
    ----------
    attributes : sequence of Attribute
        What the columns are.
    raw : sequence of ndarray of shape (n_rows,)
        Numbers (nan where missing) or codes of levels (integers, -1 where missing).
    y : ndarray of shape (n_rows,), int16
        Classes, 0..n_classes-1.
    gap : float, default=0.0
        Values that differ by no more are not separated.
    may_list : bool, default=True
        Whether columns may be kept as sorted lists, which requires equal weights.
    in_32_bits : bool, default=False
        Whether differences of values are computed in 32 bits, like the values.
    level_values : mapping of int to ndarray of shape (n_levels,), or None, default=None
        For columns read as intervals: value that represents each.
    workspace : Workspace, default=MEMORY
        Storage of the arrays.

    Returns
    -------
    Columns
        Columns of 8 bytes per cell if listed, else 4, and 8 per distinct value.
    """
    n_rows, d = len(raw[0]), len(attributes)
    has_missing = False
    for column, attribute in zip(raw, attributes, strict=True):
        if column.dtype.kind == "f" or attribute.kind != NUMERIC:
            lowest = column.min()  # nan, if any value is
            has_missing |= bool(np.isnan(lowest) if column.dtype.kind == "f" else lowest < 0)
            workspace.release()
    n_levels, index, value_start = (np.zeros(d, np.int64) for _ in range(3))
    is_listed, is_fine = np.zeros(d, np.uint8), np.zeros(d, np.uint8)
    may_list = may_list and not has_missing and n_rows <= MOST_ROWS
    fine_line, n_fine = np.full(d, -1, np.int32), 0
    # Unused rows are never touched, so they take no memory.
    reach = workspace.empty((d if gap > 0 else 0, n_rows), np.int32)
    codes = workspace.empty((d, n_rows), np.int32)
    keys = workspace.empty((d, n_rows), np.int64)
    values: list[Floats] = []
    n_coded = n_listed = n_values = 0
    for a, (attribute, column) in enumerate(zip(attributes, raw, strict=True)):
        if attribute.kind == NUMERIC:
            workspace.release()
            ordered, order = workspace.sort(raw, a)
            n_known, n_levels[a] = count_distinct(ordered)
            ordered = ordered[:n_known]
            is_listed[a] = may_list and n_levels[a] > _MOST_DISTINCT * n_rows
            distinct = np.empty(n_levels[a] if gap > 0 or not is_listed[a] else 0)
            if distinct.size:
                list_distinct(ordered, distinct)
            if gap > 0:
                if in_32_bits:
                    distinct = distinct.astype(np.float32)
                near = np.flatnonzero(np.diff(distinct) <= gap * 1.001)
                is_fine[a] = near.size > 0
            if is_fine[a]:
                reach[n_fine, : n_levels[a]] = np.arange(n_levels[a])
                ends = np.searchsorted(distinct, distinct[near] + gap, side="right") - 1
                reach[n_fine, near] = ends
                fine_line[a], n_fine = n_fine, n_fine + 1
            if is_listed[a]:
                rank_keys(ordered, order, y, keys[n_listed])
                index[a], n_listed = n_listed, n_listed + 1
                continue
            codes[n_coded] = -1
            rank_rows(ordered, order, codes[n_coded])
        else:
            n_levels[a] = attribute.n_levels
            codes[n_coded] = column
            distinct = np.arange(n_levels[a]) if attribute.kind == ORDINAL else np.empty(0)
            if level_values and a in level_values:
                distinct = level_values[a]
        index[a], value_start[a] = n_coded, n_values
        values.append(distinct.astype(np.float64))
        n_coded += 1
        n_values += len(distinct)
    return Columns(
        attributes=tuple(attributes),
        raw=tuple(raw),
        n_levels=n_levels,
        code_row=index,
        value_start=value_start,
        is_listed=is_listed,
        is_fine=is_fine,
        codes=codes[:n_coded],
        keys=keys[:n_listed],
        fine_line=fine_line,
        reach=reach[:n_fine],
        values=np.concatenate([np.empty(0), *values]),
        has_missing=has_missing,
        workspace=workspace,
    )

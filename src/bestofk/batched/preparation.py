"""Preparation steps that training parts can share, and the columns that result."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any, Literal

import narwhals as nw
import numpy as np

from bestofk.array_types import Bools, Floats, Ints
from bestofk.data.date_parts import date_part, varying_parts
from bestofk.data.table_columns import (
    DATES,
    NOMINAL,
    NUMERIC,
    TEXT,
    column_numbers,
    column_texts,
    prepared_role,
    table_columns,
)
from bestofk.scikit_internals import column_positions

Fill = Literal["mean", "median", "most_frequent", "constant"]
Scale = Literal["standard", "center", "deviation", "range"]
# Mean and standard deviation of a column may be this many times the distances of its values, which
# keeps ten digits of them.
_LOST_BEYOND = 1e5


@dataclass(frozen=True)
class ColumnSteps:
    """Steps applied to some columns of a table, fitted to every training part separately.

    Missing values are filled first, then levels become columns, then columns are scaled.

    Parameters
    ----------
    columns : tuple of int
        Positions in the table.
    is_nominal : bool, default=False
        Whether each level becomes a column of 0 and 1, except levels that the training part lacks.
    fill : {"mean", "median", "most_frequent", "constant"} or None, default=None
        Replacement of missing values: mean, median or most frequent value of the training part (the
        first on ties; 0 for an empty numeric column), or `fill_value`.
    scale : {"standard", "center", "deviation", "range"} or None, default=None
        Mean 0 and standard deviation 1 (divisor n), only mean 0, only standard deviation 1, or from
        0 to 1, over the training part. A constant column is shifted at most.
    fill_value : float or str, default=0.0
        Value for "constant".
    part : str, default=""
        Part of dates in the column, by `bestofk.data.date_parts`; left out in training parts in
        which it does not vary.
    """

    columns: tuple[int, ...]
    is_nominal: bool = False
    fill: Fill | None = None
    scale: Scale | None = None
    fill_value: float | str = 0.0
    part: str = ""


Preparation = tuple[ColumnSteps, ...]


def split_pipeline(estimator: Any) -> tuple[list[Any], Any]:
    """Return the steps before a learner, and the learner itself."""
    from sklearn.pipeline import Pipeline

    from bestofk.learners.pipeline import LearnerPipeline

    if type(estimator) not in (Pipeline, LearnerPipeline):
        return [], estimator
    is_own = isinstance(estimator, LearnerPipeline)
    steps = [step for _, step in (estimator.unfitted_steps() if is_own else estimator.steps)]
    return [step for step in steps[:-1] if not _does_nothing(step)], steps[-1]


def read_preparation(front: list[Any], features: Any) -> Preparation | None:
    """Return the effect of some steps on a table; None if it cannot be shared.

    Parameters
    ----------
    front : list of transformers
        Steps of a pipeline, unfitted: `TablePreparer`, or of scikit-learn `StandardScaler`,
        `MinMaxScaler`, `SimpleImputer`, `OneHotEncoder`, `ColumnTransformer`, and pipelines
        of them, by these very classes.
    features : ndarray or DataFrame of shape (n_samples, n_features)
        All rows, as learners receive them.

    Returns
    -------
    tuple of ColumnSteps, or None
        In the order of the output columns. None for any other step, for unsupported settings, and
        if the learner would not receive only numbers.
    """
    table = _Table(features)
    try:
        block = table.after(front, table.start())
        is_sparse = block.is_sparse or any(not table.is_number(column) for column in block.columns)
    except (_Unshared, TypeError, ValueError, LookupError):
        return None
    if is_sparse or not block.columns:
        return None
    return tuple(
        replace(steps, columns=tuple(item.columns[0] for item in same))
        for steps, same in groupby(block.columns, lambda column: replace(column, columns=()))
    )


class _Unshared(Exception):
    """The step cannot be shared."""


@dataclass(frozen=True)
class _Block:
    """Columns between two steps, one ColumnSteps each, and whether the matrix is sparse."""

    columns: tuple[ColumnSteps, ...]
    is_sparse: bool = False
    is_whole: bool = False  # the table itself


class _Table:
    """A symbolic table, to which steps are applied."""

    def __init__(self, features: Any) -> None:
        self.features = features
        self.columns = table_columns(features)
        self.n_samples = int(features.shape[0])
        self._kinds: dict[int, str] = {}
        self._gaps: dict[int, list[Any]] = {}

    def start(self) -> _Block:
        columns = tuple(ColumnSteps((index,)) for index in range(len(self.columns)))
        return _Block(columns, is_whole=True)

    def after(self, steps: list[Any], block: _Block) -> _Block:
        """Return the columns after some steps; raises _Unshared."""
        for step in steps:
            if not _does_nothing(step):
                _require(not getattr(step, "_sklearn_output_config", None))
                reader = _readers().get(type(step))
                _require(reader is not None and not block.is_sparse)
                block = reader(self, step, block)  # type: ignore[misc]
        return block

    def is_number(self, steps: ColumnSteps) -> bool:
        """Return whether a column is numeric or encoded, without missing values."""
        if steps.is_nominal:
            return True
        return self.kind(steps) == NUMERIC and (steps.fill is not None or not self.gaps(steps))

    def kind(self, steps: ColumnSteps) -> str:
        """Return whether scikit-learn reads the column as 8-byte floats or as texts."""
        index = steps.columns[0]
        if index not in self._kinds:
            self._kinds[index] = _kind(self.columns[index])
        _require(self._kinds[index] != "")
        return self._kinds[index]

    def gaps(self, steps: ColumnSteps) -> list[Any]:
        """Return the missing cells."""
        index = steps.columns[0]
        if index not in self._gaps:
            self._gaps[index] = _missing_cells(self.columns[index], self.kind(steps))
        return self._gaps[index]

    def prepared(self, step: Any, block: _Block) -> _Block:
        """Read TablePreparer."""
        _require(block.is_whole)
        numeric, dates, nominal = [], [], []
        scale: Scale | None = "standard" if step.standardize else None
        for index, column in enumerate(self.columns):
            role = prepared_role(column)
            steps = ColumnSteps((index,))
            _require(role != TEXT)
            if role == NUMERIC:
                numeric.append(replace(steps, fill="mean", scale=scale))
            elif role in DATES:
                parts = varying_parts(column_numbers(column), role, as_pairs=step.standardize)
                dates += [replace(steps, fill="mean", scale=scale, part=part) for part in parts]
            elif role == NOMINAL:
                _require(_is_nominal_in_parts(column))
                nominal.append(replace(steps, fill="most_frequent", is_nominal=True))
        self._kinds = {item.columns[0]: NUMERIC for item in (*numeric, *dates)}
        return _Block((*numeric, *dates, *nominal))

    def standardized(self, step: Any, block: _Block) -> _Block:
        """Read StandardScaler."""
        scales: dict[tuple[bool, bool], Scale] = {
            (True, True): "standard", (True, False): "center", (False, True): "deviation",
        }  # fmt: skip
        scale = scales.get((bool(step.with_mean), bool(step.with_std)))
        return self._scaled(block, scale)

    def ranged(self, step: Any, block: _Block) -> _Block:
        """Read MinMaxScaler."""
        _require(tuple(step.feature_range) == (0, 1) and not step.clip)
        return self._scaled(block, "range")

    def _scaled(self, block: _Block, scale: Scale | None) -> _Block:
        for column in block.columns:
            _require(self.is_number(column) and column.scale is None)
        return _Block(tuple(replace(item, scale=scale) for item in block.columns))

    def filled(self, step: Any, block: _Block) -> _Block:
        """Read SimpleImputer."""
        missing = step.missing_values
        is_nan = isinstance(missing, float) and np.isnan(missing)
        fills = ("mean", "median", "most_frequent", "constant")
        _require(step.strategy in fills and not step.add_indicator and (is_nan or missing is None))
        kinds = {NUMERIC if column.is_nominal else self.kind(column) for column in block.columns}
        _require(len(kinds) == 1 and (is_nan or kinds == {NOMINAL}))
        _require(kinds == {NUMERIC} or step.strategy in fills[2:])
        _require(not any(self._is_bool(column) for column in block.columns))
        value: Any = step.fill_value
        if step.strategy == "constant":
            value = (0.0 if kinds == {NUMERIC} else "missing_value") if value is None else value
            _require(isinstance(value, int | float if kinds == {NUMERIC} else str))
            _require(not isinstance(value, float) or np.isfinite(value))
        return _Block(tuple(self._filled(column, step, value) for column in block.columns))

    def _is_bool(self, steps: ColumnSteps) -> bool:
        dtype = self.columns[steps.columns[0]].dtype
        return isinstance(dtype, np.dtype) and dtype.kind == "b" and not steps.is_nominal

    def _filled(self, steps: ColumnSteps, step: Any, value: Any) -> ColumnSteps:
        if steps.fill is not None or steps.is_nominal or not self.gaps(steps):
            return steps
        _require(steps.scale is None)
        if self.kind(steps) == NOMINAL:
            is_none = step.missing_values is None
            _require(all((cell is None) == is_none for cell in self.gaps(steps)))
        # If a part has no value, scikit-learn drops the column and warns.
        is_rare = 2 * len(self.gaps(steps)) >= self.n_samples
        _require(not is_rare or (step.keep_empty_features and self.kind(steps) == NUMERIC))
        if step.strategy != "constant":
            return replace(steps, fill=step.strategy)
        return replace(steps, fill="constant", fill_value=value)

    def encoded(self, step: Any, block: _Block) -> _Block:
        """Read OneHotEncoder."""
        _require(isinstance(step.categories, str) and step.categories == "auto")
        _require(step.drop is None and step.handle_unknown == "ignore")
        _require(step.min_frequency is None and step.max_categories is None)
        _require(np.dtype(step.dtype) == np.float64)
        for column in block.columns:
            _require(not column.is_nominal and column.scale is None)
            _require(column.fill is not None or not self.gaps(column))
            # A computed value, such as a mean, is not a level of the table.
            _require(column.fill not in ("mean", "median"))
        columns = tuple(replace(item, is_nominal=True) for item in block.columns)
        return _Block(columns, is_sparse=bool(step.sparse_output))

    def joined(self, step: Any, block: _Block) -> _Block:
        """Read ColumnTransformer."""
        from sklearn.compose import make_column_selector

        _require(block.is_whole and not step.transformer_weights)
        blocks: list[_Block] = []
        taken: set[int] = set()
        for _, part, key in step.transformers:
            if callable(key):
                _require(type(key) is make_column_selector)
                key = key(self.features)
            # A single name passes a single column, as a vector.
            _require(not isinstance(key, str | int | np.integer))
            indices = column_positions(self.features, key)
            _require(not taken.intersection(indices))
            taken.update(indices)
            blocks.append(self._branch(part, [block.columns[index] for index in indices]))
        rest = [column for column in block.columns if column.columns[0] not in taken]
        blocks.append(self._branch(step.remainder, rest))
        columns = tuple(column for each in blocks for column in each.columns)
        if any(each.is_sparse for each in blocks):
            # Share of cells that a sparse matrix would store; larger in parts that lack levels.
            n_cells = sum(self._n_out(column) for column in columns)
            _require(len(columns) / n_cells >= step.sparse_threshold)
        return _Block(columns)

    def _branch(self, part: Any, columns: list[ColumnSteps]) -> _Block:
        if isinstance(part, str) and part == "drop":
            return _Block(())
        for column in columns:
            self.kind(column)
        return self.after([part], _Block(tuple(columns))) if columns else _Block(())

    def _n_out(self, steps: ColumnSteps) -> int:
        if not steps.is_nominal:
            return 1
        column = self.columns[steps.columns[0]]
        if self.kind(steps) == NUMERIC:
            return len(np.unique(column_numbers(column)))
        return len(set(column_texts(column).tolist()))

    def piped(self, step: Any, block: _Block) -> _Block:
        """Read a pipeline of preparing steps."""
        return self.after([item for _, item in step.steps], block)


def _readers() -> dict[type, Callable[[_Table, Any, _Block], _Block]]:
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

    from bestofk.learners.preparation import TablePreparer

    return {
        TablePreparer: _Table.prepared,
        StandardScaler: _Table.standardized,
        MinMaxScaler: _Table.ranged,
        SimpleImputer: _Table.filled,
        OneHotEncoder: _Table.encoded,
        ColumnTransformer: _Table.joined,
        Pipeline: _Table.piped,
    }


def _require(is_met: bool) -> None:
    if not is_met:
        raise _Unshared


def _does_nothing(step: Any) -> bool:
    return step is None or (isinstance(step, str) and step == "passthrough")


def _kind(column: Any) -> str:
    """Return NUMERIC or NOMINAL, or "" for columns that scikit-learn reads differently."""
    dtype = column.dtype
    if isinstance(dtype, np.dtype) and dtype.kind != "O":
        return NUMERIC if dtype == np.float64 or dtype.kind in "iub" else ""
    if not isinstance(column, np.ndarray):
        wrapped = nw.from_native(column, series_only=True)
        if wrapped.dtype.is_numeric():
            return NUMERIC
        if not hasattr(column, "isna"):
            return ""  # of a frame that scikit-learn turns into an array as a whole
    if hasattr(dtype, "categories"):
        cells = list(dtype.categories)
    else:
        cells = [cell for cell in column.tolist() if not _is_gap(cell)]
    if len(cells) == len(column) and {float, int} >= set(map(type, cells)):
        return NUMERIC
    return NOMINAL if cells and all(type(cell) is str for cell in cells) else ""


def _missing_cells(column: Any, kind: str) -> list[Any]:
    if kind == NUMERIC:
        return [number for number in column_numbers(column).tolist() if number != number]
    return [cell for cell in column.tolist() if type(cell) is not str]


def _is_gap(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and bool(np.isnan(cell)))


def _is_nominal_in_parts(column: Any) -> bool:
    """Return whether every part of a nominal column is nominal too.

    The values decide for a column of objects: without texts it is numeric. So there must be more
    texts than a part can lack.
    """
    if not (isinstance(column.dtype, np.dtype) and column.dtype.kind == "O"):
        return True
    n_texts = sum(isinstance(cell, str | bytes) for cell in column.tolist())
    return 2 * n_texts > len(column)


@dataclass(frozen=True, eq=False)
class EncodedColumns:
    """All columns of a table as numbers, the same for every part.

    Parameters
    ----------
    matrix : ndarray of shape (n_samples, n_columns), float64, C order
        Numeric columns and one column of 0 and 1 per level of the whole table, in the output order
        of the preparation. Numeric columns that are scaled are standardized here over all rows; the
        others are not changed. 0 where a value is missing.
    is_missing : ndarray of shape (n_samples, n_columns), bool, or None
        Missing values that will be filled; None if there are none.
    attribute : ndarray of shape (n_columns,), int64
        The column of the table that each comes from.
    steps : tuple of ColumnSteps
        Steps of each column, one entry per column.
    center, spread : ndarray of shape (n_columns,), float64
        Shift and divisor applied here: 0 and 1 for unchanged columns.
    is_exact : bool, default=True
        Whether that kept about ten digits of the differences of a column's values.
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
        """Positions of the columns that are centered or divided by deviations."""
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
        return np.asarray(self.matrix.min(axis=0) < self.matrix.max(axis=0))

    @cached_property
    def level_totals(self) -> Floats:
        """Rows of the table that have each level, shape (n_columns,); -1 for numbers."""
        totals = np.full(len(self.steps), -1.0)
        levels = np.flatnonzero([step.is_nominal for step in self.steps])
        totals[levels] = self.matrix[:, levels].sum(axis=0)
        return totals


def encode(features: Any, preparation: Preparation) -> EncodedColumns:
    """Return the columns of a table after a preparation."""
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
    """Return means, standard deviations, and whether standardizing keeps about ten digits.

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
    """Return the median of each row, ignoring nan; nan if a row has nothing else."""
    last = np.maximum(rows.shape[1] - np.isnan(rows).sum(axis=1) - 1, 0)
    ordered = np.sort(rows, axis=1)
    middle = np.column_stack([last // 2, (last + 1) // 2])
    return np.asarray(np.take_along_axis(ordered, middle, axis=1).mean(axis=1))


def _encoded_column(column: Any, step: ColumnSteps) -> tuple[Floats, Bools]:
    """Return the numbers, shape (n_samples, 1) or (n_samples, n_levels), and the missing cells."""
    is_constant = step.fill == "constant"
    if not step.is_nominal:
        numbers = column_numbers(column)
        numbers = date_part(numbers, step.part) if step.part else numbers
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
    """Return the levels that occur, in order, and the code of each row's; -1 if missing."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "fiub":
        numbers = column_numbers(column)
        distinct, codes = np.unique(numbers, return_inverse=True)
        codes = np.where(np.isnan(numbers), -1, codes)
        return distinct[~np.isnan(distinct)].tolist(), codes
    array: Any = getattr(column, "array", None)  # from pandas
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
    """Fill in a level for the rows without one."""
    together = sorted({*levels, level})
    order = np.array([together.index(item) for item in [*levels, level]])
    return together, order[codes]  # the last entry is for -1

"""Preparation steps in front of a learner, where training parts can share their work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Literal

import narwhals as nw
import numpy as np

from bestofk.data.table_columns import (
    NOMINAL,
    NUMERIC,
    column_numbers,
    column_role,
    column_texts,
    table_columns,
)
from bestofk.scikit_internals import column_positions

Fill = Literal["mean", "median", "most_frequent", "constant"]
Scale = Literal["standard", "center", "deviation", "range"]


@dataclass(frozen=True)
class ColumnSteps:
    """Steps applied to some columns of a table, learned from every training part by itself.

    Missing values are filled first, then levels become columns, then columns are scaled.

    Parameters
    ----------
    columns : tuple of int
        Positions in the table.
    is_nominal : bool, default=False
        Whether each level becomes a column of 0 and 1; levels that the training part does
        not have get no column.
    fill : {"mean", "median", "most_frequent", "constant"} or None, default=None
        What missing values become: mean, median or most frequent value of the training part
        (ties: the first in order; 0 where a numeric column has none), or `fill_value`.
    scale : {"standard", "center", "deviation", "range"} or None, default=None
        Mean 0 and standard deviation 1 (divisor n), mean 0 alone, standard deviation 1
        alone, or from 0 to 1, over the training part. A column that is constant there is
        moved at most.
    fill_value : float or str, default=0.0
        For "constant": as if it had been in the table.
    """

    columns: tuple[int, ...]
    is_nominal: bool = False
    fill: Fill | None = None
    scale: Scale | None = None
    fill_value: float | str = 0.0


Preparation = tuple[ColumnSteps, ...]


def split_pipeline(estimator: Any) -> tuple[list[Any], Any]:
    """Return the steps in front of a learner, and the learner itself."""
    from sklearn.pipeline import Pipeline

    from bestofk.learners.pipeline import LearnerPipeline

    if type(estimator) not in (Pipeline, LearnerPipeline):
        return [], estimator
    is_own = isinstance(estimator, LearnerPipeline)
    steps = [step for _, step in (estimator.unfitted_steps() if is_own else estimator.steps)]
    return [step for step in steps[:-1] if not _does_nothing(step)], steps[-1]


def read_preparation(front: list[Any], features: Any) -> Preparation | None:
    """Return what some steps do to a table; None where it is nothing that can be shared.

    Parameters
    ----------
    front : list of transformers
        Steps of a pipeline, unfitted: `TablePreparer`, or of scikit-learn `StandardScaler`,
        `MinMaxScaler`, `SimpleImputer`, `OneHotEncoder`, `ColumnTransformer`, and pipelines
        of them, by these very classes.
    features : ndarray or DataFrame of shape (n_samples, n_features)
        All rows, as handed to learners.

    Returns
    -------
    tuple of ColumnSteps, or None
        In the order of the columns put out. None for any other step, for a setting that is
        not reproduced, and where the learner would not get numbers alone.
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
    """The step is nothing that can be shared."""


@dataclass(frozen=True)
class _Block:
    """Columns between two steps, one ColumnSteps each, and whether the matrix is sparse."""

    columns: tuple[ColumnSteps, ...]
    is_sparse: bool = False
    is_whole: bool = False  # the table itself


class _Table:
    """A table that steps are applied to, in thought."""

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
        """Return whether a column is numeric or has been encoded, no value missing."""
        if steps.is_nominal:
            return True
        return self.kind(steps) == NUMERIC and (steps.fill is not None or not self.gaps(steps))

    def kind(self, steps: ColumnSteps) -> str:
        """Return whether scikit-learn takes the column for floats of 8 bytes or for texts."""
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
        numeric, nominal = [], []
        for index, column in enumerate(self.columns):
            role = column_role(column)
            steps = ColumnSteps((index,))
            if role == NUMERIC:
                scale: Scale | None = "standard" if step.standardize else None
                numeric.append(replace(steps, fill="mean", scale=scale))
            elif role == NOMINAL:
                _require(_is_nominal_in_parts(column))
                nominal.append(replace(steps, fill="most_frequent", is_nominal=True))
        self._kinds = {item.columns[0]: NUMERIC for item in numeric}
        return _Block((*numeric, *nominal))

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
        # Where a part has no value, scikit-learn drops the column and warns.
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
            # What is computed, such as a mean, is no level of the table.
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
            # One name alone hands a single column over, as a vector.
            _require(not isinstance(key, str | int | np.integer))
            indices = column_positions(self.features, key)
            _require(not taken.intersection(indices))
            taken.update(indices)
            blocks.append(self._branch(part, [block.columns[index] for index in indices]))
        rest = [column for column in block.columns if column.columns[0] not in taken]
        blocks.append(self._branch(step.remainder, rest))
        columns = tuple(column for each in blocks for column in each.columns)
        if any(each.is_sparse for each in blocks):
            # The share of cells that are kept, were they sparse. Parts that lack levels have
            # a larger one.
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
    """Return NUMERIC or NOMINAL, or "" for what scikit-learn reads in another way."""
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

    What a column of any objects is, its values tell: without its texts it is numeric. They
    must be more than can be left out.
    """
    if not (isinstance(column.dtype, np.dtype) and column.dtype.kind == "O"):
        return True
    n_texts = sum(isinstance(cell, str | bytes) for cell in column.tolist())
    return 2 * n_texts > len(column)

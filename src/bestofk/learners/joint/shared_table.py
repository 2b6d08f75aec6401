"""What do the joint forms of all learners of a data set share: the table, read once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.learners.columns import (
    EMPTY,
    column_numbers,
    column_role,
    column_texts,
    table_columns,
)
from bestofk.learners.joint.parts import Parts, class_counts
from bestofk.learners.joint.preparation import ColumnSteps, Preparation


@dataclass(frozen=True, eq=False)
class EncodedColumns:
    """All columns of a table as numbers, the same for every part.

    Parameters
    ----------
    matrix : ndarray of shape (n_samples, n_columns), float64, C order
        Numeric columns and one column of 0 and 1 per level of the whole table, in the order
        in which the preparation puts them out. Columns that are scaled are standardized here
        over all rows; the others are as they are. 0 where a value is missing.
    is_missing : ndarray of shape (n_samples, n_columns), bool, or None
        Where values were missing and will be filled; None where none is.
    attribute : ndarray of shape (n_columns,), int64
        The column of the table that each comes from.
    steps : tuple of ColumnSteps
        What is done to each column, one entry per column.
    center, spread : ndarray of shape (n_columns,), float64
        What was subtracted and divided by here: 0 and 1 where a column is as it was.
    """

    matrix: NDArray[np.float64]
    is_missing: NDArray[np.bool_] | None
    attribute: NDArray[np.int64]
    steps: tuple[ColumnSteps, ...]
    center: NDArray[np.float64]
    spread: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SharedTable:
    """A data set as joint forms see it.

    Parameters
    ----------
    features : ndarray or DataFrame of shape (n_samples, n_features)
        As handed to learners.
    target : ndarray of shape (n_samples,)
        Labels or values, as handed to learners.
    y : ndarray of shape (n_samples,)
        int64 positions in `classes`, or float64 values.
    classes : ndarray of shape (n_classes,)
        Labels in sorted order; empty for regression.
    preparation : tuple of ColumnSteps, or None
        What stands in front of the learner; None: nothing, the learner gets the table itself.
    """

    features: Any
    target: NDArray[Any]
    y: NDArray[Any]
    classes: NDArray[Any]
    preparation: Preparation | None = None

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return len(self.y)

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 for regression."""
        return len(self.classes)

    @property
    def n_columns(self) -> int:
        """Columns of the encoded table."""
        return int(self.encoded.matrix.shape[1])

    @property
    def has_missing(self) -> bool:
        """Whether values are missing, which the preparation fills part by part."""
        return self.encoded.is_missing is not None

    @cached_property
    def is_numeric(self) -> bool:
        """Whether a learner without preparation could take the table: finite numbers alone."""
        try:
            matrix = _numeric_matrix(self.features)
        except (ValueError, TypeError):
            return False
        return matrix is not None and bool(np.isfinite(matrix).all())

    @cached_property
    def encoded(self) -> EncodedColumns:
        """The columns as numbers.

        Raises
        ------
        ValueError, TypeError
            If a column is not what the preparation takes.
        """
        if self.preparation is None:
            matrix = _numeric_matrix(self.features)
            if matrix is None:
                raise ValueError("features must be numbers where nothing prepares them")
            n_columns = matrix.shape[1]
            nothing = ColumnSteps(tuple(range(n_columns)))
            return EncodedColumns(
                matrix, None, np.arange(n_columns), (nothing,) * n_columns,
                np.zeros(n_columns), np.ones(n_columns),
            )  # fmt: skip
        return _encode(self.features, self.preparation)

    def class_counts(self, folds: NDArray[np.int32], n_folds: int) -> NDArray[np.int64]:
        """Return the rows of each class in each part, shape (n_repeats, n_folds, n_classes)."""
        return class_counts(self.y, self.n_classes, folds, n_folds)

    def parts(self, folds: NDArray[np.int32], n_folds: int) -> Parts:
        """Return what the preparation learns from every training part of some repeats.

        Parameters
        ----------
        folds : ndarray of shape (n_repeats, n_samples), int32
            The fold that tests each row.
        n_folds : int
            Folds of every repeat.
        """
        return Parts(self.encoded, self.y, self.n_classes, folds, n_folds)


def _numeric_matrix(features: Any) -> NDArray[np.float64] | None:
    if isinstance(features, np.ndarray) and features.dtype.kind in "fiub":
        return np.ascontiguousarray(features, dtype=np.float64)
    columns = table_columns(features)
    if any(not _is_plain(column) for column in columns):
        return None
    return np.ascontiguousarray(np.column_stack([column_numbers(one) for one in columns]))


def _is_plain(column: Any) -> bool:
    return isinstance(column.dtype, np.dtype) and column.dtype.kind in "fiub"


def _encode(features: Any, preparation: Preparation) -> EncodedColumns:
    columns = table_columns(features)
    values: list[NDArray[np.float64]] = []
    missing: list[NDArray[np.bool_]] = []
    attribute: list[int] = []
    steps: list[ColumnSteps] = []
    for step in preparation:
        for place in step.columns:
            for one, gaps in _encoded_column(columns[place], step):
                values.append(one)
                missing.append(gaps)
                attribute.append(place)
                steps.append(step)
    n_samples = len(features)
    matrix = np.column_stack(values) if values else np.empty((n_samples, 0))
    is_missing = np.column_stack(missing) if missing else np.zeros((n_samples, 0), dtype=bool)
    matrix[is_missing] = 0.0
    center, spread = np.zeros(len(steps)), np.ones(len(steps))
    for place, step in enumerate(steps):
        if step.scale is not None:
            known = matrix[~is_missing[:, place], place]
            center[place] = known.mean() if len(known) else 0.0
            spread[place] = (known.std() if len(known) else 0.0) or 1.0
    matrix = (matrix - center) / spread
    matrix[is_missing] = 0.0
    return EncodedColumns(
        np.ascontiguousarray(matrix), is_missing if is_missing.any() else None,
        np.array(attribute, dtype=np.int64), tuple(steps), center, spread,
    )  # fmt: skip


def _encoded_column(
    column: Any, step: ColumnSteps
) -> list[tuple[NDArray[np.float64], NDArray[np.bool_]]]:
    """Return the numbers, and where they are missing: one pair per level of a nominal column."""
    if not step.is_nominal:
        numbers = column_numbers(column)
        return [(numbers, np.isnan(numbers))]
    if column_role(column) == EMPTY:
        return []
    texts = column_texts(column)
    gaps = np.array([text is None for text in texts.tolist()])
    levels = sorted(set(texts[~gaps].tolist()))
    return [((texts == level).astype(np.float64), gaps) for level in levels]

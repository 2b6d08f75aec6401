"""Table shared by the batched forms of all learners of a data set, and subsets of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np

from bestofk.array_types import Bools, Floats, Folds, Ints, Values
from bestofk.batched.parts import Parts, class_counts
from bestofk.batched.preparation import ColumnSteps, EncodedColumns, Preparation, encode
from bestofk.data.table_columns import column_numbers, table_columns


@dataclass(frozen=True, eq=False)
class SharedTable:
    """A data set in the form for batched forms.

    Parameters
    ----------
    features : ndarray or DataFrame of shape (n_samples, n_features)
        As learners receive them.
    target : ndarray of shape (n_samples,)
        Labels or values, as learners receive them.
    y : ndarray of shape (n_samples,)
        int64 positions in `classes`, or float64 values.
    classes : ndarray of shape (n_classes,)
        Labels in sorted order; empty for regression.
    preparation : tuple of ColumnSteps, or None
        Preparation before the learner; None if the learner receives the table itself.
    """

    features: Any
    target: Values
    y: Values
    classes: Values
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
        """Whether a learner could use the table without preparation: only finite numbers."""
        try:
            matrix = _numeric_matrix(self.features)
        except (ValueError, TypeError):
            return False
        return matrix is not None and bool(np.isfinite(matrix).all())

    @cached_property
    def has_other_floats(self) -> bool:
        """Whether floats are not of 8 bytes: the plain learner may compute in their precision."""
        features = self.features
        dtypes = [features.dtype] if isinstance(features, np.ndarray) else features.dtypes
        return any(getattr(dtype, "kind", "") == "f" and dtype.itemsize != 8 for dtype in dtypes)

    @property
    def has_lasting_gaps(self) -> bool:
        """Whether values are missing that are not filled in."""
        missing = self.encoded.is_missing
        is_kept = np.array([step.fill is None for step in self.encoded.steps], dtype=bool)
        return missing is not None and bool(missing[:, is_kept].any())

    @cached_property
    def is_faithful(self) -> bool:
        """Whether parts agree with the output of the pipeline to about ten digits.

        False if the pipeline or its learner would fail, because numbers are infinite or no column
        is left in some part; and if the shift of a column is so much larger than the differences of
        its values that digits are lost: scikit-learn's own result then depends on rounding.
        """
        try:
            encoded = self.encoded
        except (ValueError, TypeError, OverflowError):
            return False
        if not np.isfinite(encoded.matrix).all():
            return False
        return encoded.is_exact and any(
            not step.is_nominal or self._is_always_there(index)
            for index, step in enumerate(encoded.steps)
        )

    def _is_always_there(self, column_index: int) -> bool:
        """Return whether an encoded column has some level in every part."""
        missing = self.encoded.is_missing
        return missing is None or 2 * int(missing[:, column_index].sum()) < self.n_samples

    @cached_property
    def encoded(self) -> EncodedColumns:
        """The columns as numbers.

        Raises
        ------
        ValueError, TypeError
            If the preparation does not accept a column.
        """
        if self.preparation is None:
            matrix = _numeric_matrix(self.features)
            if matrix is None:
                raise ValueError("features must be numbers if there is no preparation")
            n_columns = matrix.shape[1]
            nothing = ColumnSteps(tuple(range(n_columns)))
            return EncodedColumns(
                matrix, None, np.arange(n_columns), (nothing,) * n_columns,
                np.zeros(n_columns), np.ones(n_columns),
            )  # fmt: skip
        return encode(self.features, self.preparation)

    def class_counts(self, folds: Folds, n_folds: int) -> Ints:
        """Return the rows of each class in each part, shape (n_repeats, n_folds, n_classes)."""
        return class_counts(self.y, self.n_classes, folds, n_folds)

    def parts(self, folds: Folds, n_folds: int) -> Parts:
        """Return the preparation fitted to every training part of some repeats.

        Parameters
        ----------
        folds : ndarray of shape (n_repeats, n_samples), int32
            The fold that tests each row.
        n_folds : int
            Folds of every repeat.
        """
        return Parts(self.encoded, self.y, self.n_classes, folds, n_folds)


def _numeric_matrix(features: Any) -> Floats | None:
    if isinstance(features, np.ndarray):
        if features.ndim != 2 or not _is_plain(features):
            return None
        return np.ascontiguousarray(features, dtype=np.float64)
    columns = table_columns(features)
    if not columns or any(not _is_plain(column) for column in columns):
        return None
    return np.ascontiguousarray(np.column_stack([column_numbers(column) for column in columns]))


def _is_plain(column: Any) -> bool:
    """Return whether learners compute with the column in 8-byte floats."""
    dtype = column.dtype
    if isinstance(dtype, np.dtype):
        return bool(dtype == np.float64 or dtype.kind in "iub")
    kind = nw.from_native(column, series_only=True).dtype
    return bool(kind.is_integer() or kind == nw.Float64)


@dataclass(frozen=True, eq=False)
class Subsets:
    """Training rows of some models, equally many each, and the rows that each predicts.

    Parameters
    ----------
    train : ndarray of shape (n_subsets, n_train), int64
        Rows of the table, ascending, none twice.
    rows : ndarray of shape (n_predicted,), int64
        Rows to predict, subset by subset; they may be training rows.
    start : ndarray of shape (n_subsets + 1,), int64
        Rows of subset s are rows[start[s]] to rows[start[s + 1] - 1].
    """

    train: Ints
    rows: Ints
    start: Ints

    @classmethod
    def of(cls, train_rows: Sequence[Ints], test_rows: Sequence[Ints]) -> Subsets:
        """Return the subsets of some splits with equally many training rows."""
        start = np.zeros(len(test_rows) + 1, dtype=np.int64)
        np.cumsum([len(rows) for rows in test_rows], out=start[1:])
        return cls(np.array(train_rows, dtype=np.int64), np.concatenate(test_rows), start)

    def __len__(self) -> int:
        return len(self.train)

    def parts(self, table: SharedTable) -> Parts:
        """Return the preparation fitted to each subset: fold 0 of repeat s.

        Fold 1 contains the rows left out and is not used.
        """
        return table.parts(self.is_train(table.n_samples).astype(np.int32), 2)

    def is_train(self, n_samples: int) -> Bools:
        """Return a mask of the training rows of each subset, shape (n_subsets, n_samples)."""
        result = np.zeros((len(self.train), n_samples), dtype=bool)
        np.put_along_axis(result, self.train, True, axis=1)
        return result

    def class_counts(self, table: SharedTable) -> Ints:
        """Return the training rows of each class, shape (n_subsets, n_classes)."""
        cells = table.y[self.train] + np.arange(len(self.train))[:, None] * table.n_classes
        counts = np.bincount(cells.ravel(), minlength=len(self.train) * table.n_classes)
        return counts.reshape(len(self.train), table.n_classes)

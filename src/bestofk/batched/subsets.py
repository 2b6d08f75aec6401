"""Subsets of the rows of one table, each with the rows that its model predicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bestofk.array_types import Bools, Ints
from bestofk.batched.parts import Parts
from bestofk.batched.shared_table import SharedTable


@dataclass(frozen=True, eq=False)
class Subsets:
    """Rows that train some models, equally many each, and rows that each of them predicts.

    Parameters
    ----------
    train : ndarray of shape (n_subsets, n_train), int64
        Rows of the table, ascending, none twice.
    rows : ndarray of shape (n_predicted,), int64
        Rows to predict, those of one subset after those of another; they may be training rows.
    start : ndarray of shape (n_subsets + 1,), int64
        Those of subset s are rows[start[s]] to rows[start[s + 1] - 1].
    """

    train: Ints
    rows: Ints
    start: Ints

    @classmethod
    def of(cls, train_rows: Sequence[Ints], test_rows: Sequence[Ints]) -> Subsets:
        """Return the subsets of some splits, all with as many training rows."""
        start = np.zeros(len(test_rows) + 1, dtype=np.int64)
        np.cumsum([len(rows) for rows in test_rows], out=start[1:])
        return cls(np.array(train_rows, dtype=np.int64), np.concatenate(test_rows), start)

    def __len__(self) -> int:
        return len(self.train)

    def parts(self, table: SharedTable) -> Parts:
        """Return what the preparation learns from each subset: fold 0 of repeat s.

        Fold 1 is that of the rows left out, and of no use.
        """
        return table.parts(self.is_train(table.n_samples).astype(np.int32), 2)

    def is_train(self, n_samples: int) -> Bools:
        """Return which rows of the table train, shape (n_subsets, n_samples)."""
        result = np.zeros((len(self.train), n_samples), dtype=bool)
        np.put_along_axis(result, self.train, True, axis=1)
        return result

    def class_counts(self, table: SharedTable) -> Ints:
        """Return the training rows of each class, shape (n_subsets, n_classes)."""
        cells = table.y[self.train] + np.arange(len(self.train))[:, None] * table.n_classes
        counts = np.bincount(cells.ravel(), minlength=len(self.train) * table.n_classes)
        return counts.reshape(len(self.train), table.n_classes)

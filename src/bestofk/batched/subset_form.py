"""Batched forms for any subsets: one learner, one table, many subsets of its rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

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

    train: NDArray[np.int64]
    rows: NDArray[np.int64]
    start: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.train)

    def parts(self, table: SharedTable) -> Parts:
        """Return what the preparation learns from each subset: fold 0 of repeat s.

        Fold 1 is that of the rows left out, and of no use.
        """
        return table.parts(self.is_train(table.n_samples).astype(np.int32), 2)

    def is_train(self, n_samples: int) -> NDArray[np.bool_]:
        """Return which rows of the table train, shape (n_subsets, n_samples)."""
        result = np.zeros((len(self.train), n_samples), dtype=bool)
        np.put_along_axis(result, self.train, True, axis=1)
        return result

    def class_counts(self, table: SharedTable) -> NDArray[np.int64]:
        """Return the training rows of each class, shape (n_subsets, n_classes)."""
        cells = table.y[self.train] + np.arange(len(self.train))[:, None] * table.n_classes
        counts = np.bincount(cells.ravel(), minlength=len(self.train) * table.n_classes)
        return counts.reshape(len(self.train), table.n_classes)

    def some(self, first: int, last: int) -> Subsets:
        """Return the subsets from one on, up to another."""
        start = self.start[first : last + 1]
        rows = self.rows[start[0] : start[-1]]
        return Subsets(self.train[first:last], rows, start - start[0])


@dataclass(frozen=True, eq=False)
class SubsetPredictions:
    """Predictions of the models of some subsets.

    Parameters
    ----------
    labels : ndarray of shape (n_predicted,)
        int64 positions in the classes of the data set, or float64 values.
    probabilities : ndarray of shape (n_predicted, n_classes) or None
        In the order of the classes of the data set; 0 for a class that no training row has.
    decision : ndarray of shape (n_predicted,) or (n_predicted, n_classes), or None
        Decision values where the learner gives no probabilities.
    is_done : ndarray of shape (n_subsets,), bool, or None
        False where a subset must be done the plain way. None: all are done.
    messages : mapping of int to str
        What the plain learner warns of, by subset.
    """

    labels: NDArray[np.int64] | NDArray[np.float64]
    probabilities: NDArray[np.float64] | None = None
    decision: NDArray[np.float64] | None = None
    is_done: NDArray[np.bool_] | None = None
    messages: Mapping[int, str] = field(default_factory=dict)


class SubsetForm(ABC):
    """A learner in the form that trains on many subsets of one table at once.

    It is made once for a data set. What it predicts for a subset depends on that subset alone,
    to the last bit: never on the others, their number or their order. After `__init__` it
    does not change, so that threads may share it.

    Parameters
    ----------
    estimator : estimator
        The learner, unfitted, without the preparation in front of it.
    table : SharedTable
        The data and what prepares them.
    """

    #: Whether `predict` needs the random state of every fit.
    is_random: ClassVar[bool] = False
    #: Whether `predict` spends its time in compiled code that lets other threads work.
    releases_lock: ClassVar[bool] = False

    def __init__(self, estimator: Any, table: SharedTable) -> None:
        self.estimator, self.table = estimator, table

    @classmethod
    def does_itself(cls, step: Any) -> bool:
        """Return whether the form does what a step in front of the learner does."""
        return False

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether the form reproduces this learner on this table, at no greater cost."""
        return True

    @abstractmethod
    def predict(
        self, subsets: Subsets, random_states: NDArray[np.int64] | None = None
    ) -> SubsetPredictions:
        """Train on every subset and predict the rows asked for.

        Parameters
        ----------
        subsets : Subsets
            Rows that train, and rows to predict.
        random_states : ndarray of shape (n_subsets,), int64, or None
            What ``random_state`` of the plain learner would be in each fit; given where
            `is_random`.

        Returns
        -------
        SubsetPredictions
        """

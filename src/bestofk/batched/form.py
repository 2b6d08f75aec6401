"""Batched forms: one learner, one table, many training parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bestofk.batched.shared_table import SharedTable


@dataclass(frozen=True, eq=False)
class BatchedPredictions:
    """Predictions of one learner for every row of some repeats of k-fold cross-validation.

    The row i of repeat r is predicted by the model that was trained on all rows of other
    folds than ``folds[r, i]``.

    Parameters
    ----------
    labels : ndarray of shape (n_repeats, n_samples)
        int64 positions in the classes of the data set, or float64 values.
    probabilities : ndarray of shape (n_repeats, n_samples, n_classes) or None
        In the order of the classes of the data set; 0 for a class that no training row has.
    decision : ndarray of shape (n_repeats, n_samples) or (n_repeats, n_samples, n_classes), or None
        Decision values where the learner gives no probabilities: one value per row for two
        classes; minus infinity for a class that no training row has.
    is_done : ndarray of shape (n_repeats, n_folds), bool, or None
        False where a fold must be done the plain way, since the form cannot do it or since it
        fails there; its rows hold nothing of meaning. None: all are done.
    messages : mapping of (repeat, fold) to str
        What the plain learner warns of, as ``"ConvergenceWarning: ..."``.
    """

    labels: NDArray[np.int64] | NDArray[np.float64]
    probabilities: NDArray[np.float64] | None = None
    decision: NDArray[np.float64] | None = None
    is_done: NDArray[np.bool_] | None = None
    messages: Mapping[tuple[int, int], str] = field(default_factory=dict)


class BatchedForm(ABC):
    """A learner in the form that trains on many parts of one table at once.

    It is made once for a data set and a number of folds, and computes then what all repeats
    share. What it predicts for a repeat depends on that repeat alone, to the last bit:
    never on the other repeats of a block, their number or their order. After `__init__` it
    does not change, so that threads may share it.

    Parameters
    ----------
    estimator : estimator
        The learner, unfitted, without the preparation in front of it.
    table : SharedTable
        The data and what prepares them.
    n_folds : int
        Folds of every repeat.
    """

    #: Whether `predict` needs the random state of every fit.
    is_random: ClassVar[bool] = False
    #: Whether `predict` spends its time in compiled code that lets other threads work.
    releases_lock: ClassVar[bool] = False

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int) -> None:
        self.estimator, self.table, self.n_folds = estimator, table, n_folds

    @classmethod
    def does_itself(cls, step: Any) -> bool:
        """Return whether the form does what a step in front of the learner does."""
        return False

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether the form reproduces this learner on this table."""
        return True

    @classmethod
    def is_faster(cls, estimator: Any, table: SharedTable, n_folds: int) -> bool:
        """Return whether the batched fit costs no more than the plain way.

        Judged by counted operations of the table, the learner and the number of folds alone:
        never by the clock or the number of repeats.
        """
        return True

    @classmethod
    def repeats_at_once(cls, estimator: Any, table: SharedTable, n_folds: int) -> int:
        """Return up to how many repeats cost less together than one by one."""
        return 1

    @abstractmethod
    def predict(
        self, folds: NDArray[np.int32], random_states: NDArray[np.int64] | None = None
    ) -> BatchedPredictions:
        """Train on every part of some repeats and predict all rows left out.

        Parameters
        ----------
        folds : ndarray of shape (n_repeats, n_samples), int32
            The fold that tests each row.
        random_states : ndarray of shape (n_repeats, n_folds), int64, or None
            What ``random_state`` of the plain learner would be in each fit; given where
            `is_random`.

        Returns
        -------
        BatchedPredictions
        """

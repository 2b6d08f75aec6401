"""Batched forms: one learner, one table, many sets of training rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

import numpy as np

from bestofk.array_types import Bools, Floats, Folds, Ints
from bestofk.batched.shared_table import SharedTable, Subsets

# Training rows of the parts converted to subsets at once: about 30 MB.
_MOST_ROWS: Final = 4_000_000


@dataclass(frozen=True, eq=False)
class BatchedPredictions:
    """Predictions of one learner for the test rows of some splits.

    For folds (`BatchedForm.predict`), all rows of each repeat: row i of repeat r is predicted by
    the model trained on all folds other than ``folds[r, i]``. Shapes then begin with (n_repeats,
    n_samples), and runs are indexed by (n_repeats, n_folds).

    For subsets (`BatchedForm.predict_subsets`), the rows asked for, subset by subset. Shapes
    then begin with (n_predicted,), and runs are indexed by (n_subsets,).

    Parameters
    ----------
    labels : ndarray of shape (...)
        int64 positions in the classes of the data set, or float64 values.
    probabilities : ndarray of shape (..., n_classes) or None
        In the order of the classes of the data set; 0 for a class without training rows.
    decision : ndarray of shape (...) or (..., n_classes), or None
        Decision values if the learner gives no probabilities: one value per row for two classes;
        minus infinity for a class without training rows.
    is_done : ndarray of bool, indexed by run, or None
        False for runs that the plain learner must do, because the form cannot do them or fails;
        their rows are undefined. None: all are done.
    messages : mapping of run to str
        Warnings of the plain learner, such as ``"ConvergenceWarning: ..."``.
    choices : mapping of run to str
        Choices of the learner within the training rows of a run, as stored with it.
    """

    labels: Ints | Floats
    probabilities: Floats | None = None
    decision: Floats | None = None
    is_done: Bools | None = None
    messages: Mapping[Any, str] = field(default_factory=dict)
    choices: Mapping[Any, str] = field(default_factory=dict)

    def take(self, *rows: Any) -> tuple[Any, Any, Any]:
        """Return labels, probabilities and decision of some rows, by an index for each axis."""
        labels, probabilities, decision = (
            None if values is None else values[rows]
            for values in (self.labels, self.probabilities, self.decision)
        )
        return labels, probabilities, decision


class BatchedForm:
    """A form of a learner that trains on many sets of rows of one table at once.

    It is made once for a data set, and computes everything that runs share. Its predictions for a
    repeat or a subset depend only on that, to the last bit: never on the others of a block, their
    number or their order. After `__init__` its predictions are fixed, so that threads may share it.
    The "plain learner" is the estimator fitted to each set of rows separately.

    A form defines `predict_subsets`, `predict` or both. Parts of k-fold cross-validation are
    subsets, too: `predict` is for forms that do them faster together, or that do nothing else.

    Parameters
    ----------
    estimator : estimator
        The unfitted learner, without its preparation.
    table : SharedTable
        The data and their preparation.
    n_folds : int, default=0
        Folds of every repeat; 0 if only `predict_subsets` will be called.
    """

    #: Part of the key of its runs: increased with every change of its predictions.
    code_version: ClassVar[int] = 1
    #: Whether predictions need the random state of every fit.
    is_random: ClassVar[bool] = False

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int = 0) -> None:
        self.estimator, self.table, self.n_folds = estimator, table, n_folds

    @classmethod
    def does_itself(cls, step: Any) -> bool:
        """Return whether the form itself does the work of a step before the learner."""
        return False

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether the form reproduces this learner on this table."""
        return True

    @classmethod
    def supports_subsets(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether `predict_subsets` supports this learner on this table, at no greater cost.

        Called only if `supports` is true.
        """
        return cls.predict_subsets is not BatchedForm.predict_subsets

    @classmethod
    def is_faster(cls, estimator: Any, table: SharedTable, n_folds: int) -> bool:
        """Return whether the batched fit costs no more than the plain learner.

        Decided only by counted operations for the table, the learner and the number of folds, never
        by time or the number of repeats.
        """
        return True

    @classmethod
    def repeats_at_once(cls, estimator: Any, table: SharedTable, n_folds: int) -> int:
        """Return the largest number of repeats that cost less together than one by one."""
        return 1

    def predict(self, folds: Folds, random_states: Ints | None = None) -> BatchedPredictions:
        """Train on every part of some repeats and predict all rows left out.

        Parameters
        ----------
        folds : ndarray of shape (n_repeats, n_samples), int32
            The fold that tests each row.
        random_states : ndarray of shape (n_repeats, n_folds), int64, or None
            ``random_state`` of the plain learner in each fit; given if `is_random`.
        """
        return self.predict_parts(folds, list(np.ndindex(len(folds), self.n_folds)), random_states)

    def predict_parts(
        self,
        folds: Folds,
        parts: Sequence[tuple[int, int]],
        random_states: Ints | None = None,
        result: BatchedPredictions | None = None,
    ) -> BatchedPredictions:
        """Train on some parts as subsets of the rows and predict the rows left out.

        Parameters
        ----------
        folds, random_states : ndarray
            As for `predict`.
        parts : sequence of (int, int)
            Repeat and fold of each.
        result : BatchedPredictions or None
            Predictions to write into; None makes new arrays.
        """
        values: list[Any] = [None, None, None] if result is None else list(result.take())
        is_done = np.ones((len(folds), self.n_folds), dtype=bool)
        if result is not None and result.is_done is not None:
            is_done = result.is_done
        messages = {} if result is None else dict(result.messages)
        step = max(_MOST_ROWS // folds.shape[1], 1)
        for first in range(0, len(parts), step):
            some = parts[first : first + step]
            index = tuple(np.array(some).T)
            test = [np.flatnonzero(folds[repeat] == fold) for repeat, fold in some]
            own = self.predict_splits(
                [np.flatnonzero(folds[repeat] != fold) for repeat, fold in some],
                test,
                None if random_states is None else random_states[index],
            )
            rows = np.repeat(index[0], [len(item) for item in test]), np.concatenate(test)
            for i, item in enumerate(own.take()):
                if item is not None:
                    if values[i] is None:
                        values[i] = np.zeros((*folds.shape, *item.shape[1:]), item.dtype)
                    values[i][rows] = item
            is_done[index] = True if own.is_done is None else own.is_done
            messages.update({some[s]: message for s, message in own.messages.items()})
        labels, probabilities, decision = values
        return BatchedPredictions(labels, probabilities, decision, is_done, messages)

    def predict_subsets(
        self, subsets: Subsets, random_states: Ints | None = None
    ) -> BatchedPredictions:
        """Train on every subset and predict the rows asked for.

        Parameters
        ----------
        subsets : Subsets
            Training rows, and rows to predict.
        random_states : ndarray of shape (n_subsets,), int64, or None
            ``random_state`` of the plain learner in each fit; given if `is_random`.
        """
        raise NotImplementedError(f"{type(self).__name__} trains only on folds")

    def predict_splits(
        self,
        train_rows: Sequence[Ints],
        test_rows: Sequence[Ints],
        random_states: Ints | None = None,
    ) -> BatchedPredictions:
        """Call `predict_subsets` for splits that may train on different numbers of rows.

        Parameters
        ----------
        train_rows, test_rows : sequence of ndarray of int
            Rows of each split, training rows ascending.
        random_states : ndarray of shape (n_splits,), int64, or None
            As for `predict_subsets`.

        Returns
        -------
        BatchedPredictions
            Predictions of subsets, in the order of the splits.
        """
        sizes = np.array([len(rows) for rows in train_rows])
        start = np.concatenate([[0], np.cumsum([len(rows) for rows in test_rows])])
        results, groups, indices = [], [], []
        for size in np.unique(sizes):
            group = np.flatnonzero(sizes == size).tolist()
            subsets = Subsets.of([train_rows[s] for s in group], [test_rows[s] for s in group])
            states = None if random_states is None else random_states[group]
            results.append(self.predict_subsets(subsets, states))
            groups.append(group)
            indices += [np.arange(start[s], start[s + 1]) for s in group]
        if len(results) == 1:
            return results[0]
        rows, order = np.argsort(np.concatenate(indices)), np.argsort(np.concatenate(groups))
        done = [
            np.ones(len(group), dtype=bool) if result.is_done is None else result.is_done
            for group, result in zip(groups, results, strict=True)
        ]
        messages = {
            group[s]: message
            for group, result in zip(groups, results, strict=True)
            for s, message in result.messages.items()
        }
        labels, probabilities, decision = (
            None if values[0] is None else np.concatenate(values)[rows]
            for values in zip(*(result.take() for result in results), strict=True)
        )
        is_done = np.concatenate(done)[order]
        return BatchedPredictions(labels, probabilities, decision, is_done, messages)  # type: ignore[arg-type]

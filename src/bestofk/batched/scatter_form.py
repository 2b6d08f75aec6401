"""Batched forms of learners that need sums of products of columns."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from itertools import pairwise
from typing import ClassVar

import numpy as np

from bestofk.array_types import Bools, Floats, Folds, Ints
from bestofk.batched.form import BatchedForm, BatchedPredictions
from bestofk.batched.parts import class_counts
from bestofk.batched.scatter import CenteredRows, PartBlock

# Numbers that rows, and sums of products, of parts that are done at once may hold: they stay in
# the cache from one step to the next.
_CACHED = 262_144
# Rows of a fold are filled up to a multiple of this: most repeats have as many then.
_ROWS = 8


class ScatterForm(BatchedForm):
    """A learner that is trained by the sums of products of the columns of a part.

    Attributes
    ----------
    rows : CenteredRows
        The columns of the table.
    values : ndarray of shape (n_samples + 1, n_values)
        These columns, and what else is multiplied; the last row is 0.
    groups : ndarray of shape (n_samples,), int64
        Which rows are added up by themselves: the classes, or all together.
    total : ndarray of shape (n_groups, n_values, n_right)
        The sums of products over all rows of each group, of values and their first columns.
    """

    #: Whether `blocks` gives what the preparation multiplies columns by.
    needs_scales: ClassVar[bool] = False
    rows: CenteredRows
    values: Floats
    groups: Ints
    total: Floats

    def multiply(self, values: Floats, n_right: int, groups: Ints | None = None) -> None:
        """Set the attributes; without groups, all rows are one."""
        self.values = np.vstack([values, np.zeros(values.shape[1])])
        self.groups = np.zeros(len(values), dtype=np.int64) if groups is None else groups
        members = [values[self.groups == group] for group in range(self.groups.max() + 1)]
        self.total = np.stack([rows.T @ rows[:, :n_right] for rows in members])

    def blocks(self, folds: Folds) -> Iterator[PartBlock]:
        """Yield all parts of some repeats, as many at once as the cache holds.

        What a block holds is overwritten by the next.
        """
        n_groups = len(self.total)
        n_train = class_counts(self.groups, n_groups, folds, self.n_folds)
        most = (np.bincount(self.groups) - n_train).max(axis=1)
        widths = -(-most // _ROWS) * _ROWS
        is_first = (np.diff(widths, axis=0, prepend=-1) != 0).any(axis=1)
        for start, stop in pairwise([*np.flatnonzero(is_first).tolist(), len(folds)]):
            yield from self._blocks_alike(folds[start:stop], start, widths[start])

    def _blocks_alike(self, folds: Folds, start: int, widths: Ints) -> Iterator[PartBlock]:
        """Yield parts of repeats, from number `start` on, that are filled up to equal widths."""
        from bestofk.batched._scatter import sort_rows

        (n_repeats, n_samples), ends, n_folds = folds.shape, np.cumsum(widths), self.n_folds
        width, first_part = int(ends[-1]), start * n_folds
        begins = width * np.arange(n_folds)[:, None] + (ends - widths)
        order = np.full((n_repeats, n_folds * width), n_samples)
        sort_rows(np.ascontiguousarray(folds, dtype=np.int32), self.groups, begins, order)
        places = order + (n_samples + 1) * np.arange(start, start + n_repeats)[:, None]
        order, places = order.reshape(-1, width), places.reshape(-1, width)
        fill = _flat(self.rows.fill(folds, n_folds))
        scales = _flat(self.rows.scales(folds, n_folds)) if self.needs_scales else None
        n_values = self.values.shape[1]
        step = min(max(_CACHED // max(width * n_values, self.total.size), 1), len(order))
        rows = np.empty((step, width, n_values))
        products = np.empty((step, *self.total.shape))
        for first in range(0, len(order), step):
            here = slice(first, min(first + step, len(order)))
            n_here = here.stop - first
            own = np.take(self.values, order[here], axis=0, out=rows[:n_here], mode="clip")
            for group, (size, end) in enumerate(zip(widths, ends, strict=True)):
                some = own[:, end - size : end]
                right = some[..., : products.shape[-1]]
                np.matmul(some.swapaxes(1, 2), right, out=products[:n_here, group])
            np.subtract(self.total, products[:n_here], out=products[:n_here])
            yield PartBlock(
                slice(first_part + first, first_part + here.stop), places[here], own,
                products[:n_here],
                None if fill is None else self.rows.spread_fill(fill[here]),
                None if scales is None else scales[here],
            )  # fmt: skip


class DiscriminantForm(ScatterForm):
    """A classifier whose scores are those of densities with such scatter."""

    def predict(self, folds: Folds, random_states: Ints | None = None) -> BatchedPredictions:
        """Train by the scatter of every part; see `BatchedForm.predict`."""
        from bestofk.batched._scatter import share_out

        (n_repeats, n_samples), n_classes = folds.shape, self.table.n_classes
        labels = np.empty((n_repeats, n_samples + 1), dtype=np.int64)
        probabilities = np.empty((n_repeats, n_samples + 1, n_classes))
        is_done = np.empty(n_repeats * self.n_folds, dtype=bool)
        counts = self.table.class_counts(folds, self.n_folds).reshape(-1, n_classes).astype(float)
        for here in self.blocks(folds):
            scores = np.empty((len(here.rows), n_classes, here.rows.shape[1]))
            intercepts, is_done[here.parts] = self._score(here, counts[here.parts], folds, scores)
            scores += intercepts[:, :, None]
            scores -= scores.max(axis=1, keepdims=True)
            np.exp(scores, out=scores)
            share_out(scores, here.places, labels.reshape(-1), probabilities.reshape(-1, n_classes))
        return BatchedPredictions(
            labels[:, :-1], probabilities[:, :-1], is_done=is_done.reshape(n_repeats, -1)
        )

    @abstractmethod
    def _score(
        self, here: PartBlock, counts: Floats, folds: Folds, scores: Floats
    ) -> tuple[Floats, Bools]:
        """Write the score for every class of every row, but for the intercepts.

        Parameters
        ----------
        here : PartBlock
            The parts.
        counts : ndarray of shape (n_parts, n_classes)
            Their rows of each class.
        folds : ndarray of shape (n_repeats, n_samples), int32
            The folds of all repeats.
        scores : ndarray of shape (n_parts, n_classes, n_rows)
            Overwritten.

        Returns
        -------
        intercepts : ndarray of shape (n_parts, n_classes)
            To be added.
        is_done : ndarray of shape (n_parts,), bool
            Which parts are done.
        """


def _flat(stack: Floats | None) -> Floats | None:
    """Return a stack over repeats and folds as one over parts."""
    return None if stack is None else stack.reshape(-1, stack.shape[-1])

"""Batched forms of learners that need sums of products of columns."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bestofk.batched.form import BatchedForm, BatchedPredictions
from bestofk.batched.scatter import (
    CenteredRows,
    PartBlock,
    block_size,
    cross_products,
    runs_of_parts,
    sorted_by_cell,
)
from bestofk.batched.shared_table import SharedTable

# Numbers that rows, and sums of products, of parts that are done at once may hold: they stay in
# the cache from one step to the next.
_CACHED = 262_144


class ScatterForm(BatchedForm):
    """A learner that is trained by the sums of products of the columns of a part.

    Attributes
    ----------
    rows : CenteredRows
        The columns of the table.
    values : ndarray of shape (n_samples, n_values)
        These columns, and what else is multiplied.
    groups : ndarray of shape (n_samples,), int64
        Which rows are added up by themselves: the classes, or all together.
    total : ndarray of shape (..., n_values, n_values)
        The sums of products over all rows, of each class by itself where they are wanted so.
    sums : ndarray of shape (n_groups, n_values)
        The sums over the rows of each group.
    counts : ndarray of shape (n_groups,)
        Rows of each group.
    """

    #: Whether `blocks` gives what the preparation multiplies columns by.
    needs_scales: ClassVar[bool] = False
    rows: CenteredRows
    values: NDArray[np.float64]
    groups: NDArray[np.int64]
    total: NDArray[np.float64]
    sums: NDArray[np.float64]
    counts: NDArray[np.float64]

    def blocks(self, folds: NDArray[np.int32]) -> Iterator[PartBlock]:
        """Yield all parts of some repeats, as many at once as the cache holds.

        What a block holds is overwritten by the next.
        """
        n_repeats, n_samples = folds.shape
        step = block_size(8 * n_samples, n_repeats)
        for start in range(0, n_repeats, step):
            some = folds[start : start + step]
            order, bounds = sorted_by_cell(some, self.n_folds, self.groups, len(self.counts))
            fill = self.rows.fill(some, self.n_folds)
            scales = self.rows.scales(some, self.n_folds) if self.needs_scales else None
            yield from self._runs(order, bounds, start, _flat(fill), _flat(scales))

    def _runs(
        self,
        order: NDArray[np.int64],
        bounds: NDArray[np.int64],
        start: int,
        fill: NDArray[np.float64] | None,
        scales: NDArray[np.float64] | None,
    ) -> Iterator[PartBlock]:
        """Yield parts of repeats whose rows are sorted; the first of them is number `start`."""
        from bestofk.batched._scatter_kernels import add_rows

        n_groups, n_values = self.sums.shape
        n_samples, first, edges = len(self.values), start * self.n_folds, bounds[::n_groups]
        repeats = np.arange(start, start + len(order) // n_samples)
        indices = (order.reshape(-1, n_samples) + n_samples * repeats[:, None]).ravel()
        most_rows, most_parts = _CACHED // n_values, _CACHED // self.total.size
        runs = list(runs_of_parts(edges, most_rows, most_parts))
        rows = np.empty((max(edges[run.stop] - edges[run.start] for run in runs), n_values))
        n_parts = max(run.stop - run.start for run in runs)
        products = np.empty((n_parts, *self.total.shape))
        sums = np.empty((n_parts, n_groups, n_values))
        for run in runs:
            where, n_here = slice(edges[run.start], edges[run.stop]), run.stop - run.start
            cells = bounds[run.start * n_groups : run.stop * n_groups + 1] - where.start
            parts = np.ascontiguousarray(cells[::n_groups])
            some, added, multiplied = rows[: parts[-1]], sums[:n_here], products[:n_here]
            np.take(self.values, order[where], axis=0, out=some, mode="clip")
            add_rows(some, cells, added.reshape(-1, n_values))
            np.subtract(self.sums, added, out=added)
            by_cell = multiplied.reshape(-1, n_values, n_values)
            cross_products(some, cells if len(by_cell) > n_here else parts, by_cell)
            np.subtract(self.total, multiplied, out=multiplied)
            counts = self.counts - np.diff(cells).reshape(n_here, n_groups)
            yield PartBlock(
                slice(first + run.start, first + run.stop), indices[where], parts, some,
                multiplied, added, counts,
                None if fill is None else self.rows.spread_fill(fill[run]),
                None if scales is None else scales[run],
            )  # fmt: skip


class DiscriminantForm(ScatterForm):
    """A classifier whose scores are those of densities with such scatter."""

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int) -> None:
        super().__init__(estimator, table, n_folds)
        self.rows = CenteredRows(table)
        self.values, self.groups = self.rows.values, table.y
        members = [self.values[table.y == code] for code in range(table.n_classes)]
        self.total = np.stack([rows.T @ rows for rows in members])
        self.sums = np.stack([rows.sum(axis=0) for rows in members])
        self.counts = np.array([float(len(rows)) for rows in members])

    def predict(
        self, folds: NDArray[np.int32], random_states: NDArray[np.int64] | None = None
    ) -> BatchedPredictions:
        """Train by the scatter of every part; see `BatchedForm.predict`."""
        from bestofk.batched._probability_kernels import divide_by_sum, find_best

        n_classes = self.table.n_classes
        labels = np.empty(folds.shape, dtype=np.int64)
        probabilities = np.empty((*folds.shape, n_classes))
        is_done = np.empty((len(folds), self.n_folds), dtype=bool)
        flat, rest = labels.reshape(-1), probabilities.reshape(-1, n_classes)
        for here in self.blocks(folds):
            factors, intercepts, is_done.reshape(-1)[here.parts] = self._train(here, folds)
            scores = np.empty((n_classes, len(here.order)))
            self._score(here, factors, scores)
            find_best(scores, intercepts, here.bounds, here.order, flat)
            np.exp(scores, out=scores)
            divide_by_sum(scores, here.order, rest)
        return BatchedPredictions(labels, probabilities, is_done=is_done)

    @abstractmethod
    def _train(
        self, here: PartBlock, folds: NDArray[np.int32]
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_]]:
        """Return what multiplies values, the intercepts, and which parts are done."""

    @abstractmethod
    def _score(self, here: PartBlock, factors: Any, scores: NDArray[np.float64]) -> None:
        """Write the score for every class of every row, but for the intercepts."""


def _flat(stack: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    """Return a stack over repeats and folds as one over parts."""
    return None if stack is None else stack.reshape(-1, stack.shape[-1])

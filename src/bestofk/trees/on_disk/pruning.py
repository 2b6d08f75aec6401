"""Pruning by estimated errors of trees whose rows do not fit into memory."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestofk.array_types import Bools, Codes, Floats, Positions
from bestofk.trees._pruning import SLACK, Pruning, estimate
from bestofk.trees.on_disk.mapped_arrays import CHUNK_ROWS, ProgressCallback, no_progress
from bestofk.trees.prediction import leaves, reaching_weights
from bestofk.trees.pruning_methods import prune_by_estimated_errors, pruning_numbers, with_numbers
from bestofk.trees.sorting import Columns
from bestofk.trees.tree import Tree
from bestofk.trees.tree_structure import LEAF


def prune_on_disk(
    tree: Tree,
    columns: Columns,
    y: Codes,
    *,
    bound: tuple[float, float, bool],
    raises: bool,
    memory_bytes: int,
    report_progress: ProgressCallback = no_progress,
) -> Tree:
    """Prune a tree like `prune_by_estimated_errors`.

    Parameters
    ----------
    tree : Tree
        The grown tree.
    columns : Columns
        The training rows, mapped.
    y : ndarray of shape (n_rows,), int16
        Their classes.
    bound, raises
        As for `prune_by_estimated_errors`.
    memory_bytes : int
        Memory for rows: subtrees whose rows fit are pruned in memory.
    report_progress : ProgressCallback
        Called with the number of rows in pruned subtrees.

    Returns
    -------
    Tree

    Notes
    -----
    Without raising, the counts of the nodes suffice, and no row is read. Above the subtrees pruned
    in memory, every node requires one reading of the table.
    """
    if not raises:
        none = np.empty((0, len(tree.attributes)))
        return prune_by_estimated_errors(tree, none, y[:0], None, bound=bound, raises=False)
    numbers, cut, counts = pruning_numbers(tree)
    work = _Pruning(
        tree=tree,
        columns=columns,
        y=y,
        numbers=numbers,
        cut=cut,
        counts=counts,
        estimates=np.zeros(tree.n_nodes),
        bound=bound,
        most_rows=max(memory_bytes // (16 * len(tree.attributes) + 64), 1),
        report_progress=report_progress,
    )
    work.prune(0)
    return with_numbers(tree, numbers, cut, counts).compact()


@dataclass
class _Pruning:
    """A tree while it is pruned: the arrays of `_pruning`, and where the rows are."""

    tree: Tree
    columns: Columns
    y: Codes
    numbers: NDArray[np.int32]
    cut: Floats
    counts: Floats
    estimates: Floats
    bound: tuple[float, float, bool]
    most_rows: int
    report_progress: ProgressCallback

    def prune(self, root: int) -> None:
        """Prune a subtree: first below the nodes with many rows, then these."""
        large, small = self._large_and_small(root)
        for batch in self._batches(small):
            self._prune_in_memory(batch)
        for node in reversed(large):
            self._prune_node(node)

    def _large_and_small(self, root: int) -> tuple[list[int], list[int]]:
        """Return the nodes with too many rows for memory, parents first, and the topmost others."""
        large, small, todo = [], [], [root]
        for node in todo:
            is_small = self.counts[node].sum() <= self.most_rows
            if is_small or self.numbers[node, 0] == LEAF:
                small.append(node)
            else:
                large.append(node)
                first = int(self.numbers[node, 2])
                todo.extend(range(first, first + int(self.numbers[node, 3])))
        return large, small

    def _batches(self, small: list[int]) -> Iterator[Positions]:
        """Divide subtrees into batches whose rows fit into memory; leaves are not included."""
        batch: list[int] = []
        n_rows = 0.0
        for node in small:
            if self.numbers[node, 0] == LEAF:
                self.estimates[node] = estimate(self.counts[node], self.bound)
                continue
            size = float(self.counts[node].sum())
            if batch and n_rows + size > self.most_rows:
                yield np.array(batch)
                batch, n_rows = [], 0.0
            batch.append(node)
            n_rows += size
        if batch:
            yield np.array(batch)

    def _prune_in_memory(self, batch: Positions) -> None:
        chunks = zip(*self._rows_reaching(batch), strict=True)
        matrix, y, at = (np.concatenate(parts) for parts in chunks)
        rows = np.argsort(at, kind="stable").astype(np.int32)
        ends = np.searchsorted(at[rows], batch, side="right")
        begins = np.searchsorted(at[rows], batch, side="left")
        form = (self.numbers, self.cut, self.tree.lookup, matrix, y, self.bound)
        weight = np.ones(len(y))
        pruning = Pruning(form, self.counts, self.estimates)
        for node, begin, end in zip(batch.tolist(), begins, ends, strict=True):
            pruning.prune(node, rows[begin:end], weight[begin:end], True)

    def _prune_node(self, node: int) -> None:
        """Decide on a node whose branches are pruned, like `Pruning`."""
        self.report_progress(
            "pruning", float(self.y.size - self.counts[node].sum()), float(self.y.size)
        )
        first = int(self.numbers[node, 2])
        branches = slice(first, first + int(self.numbers[node, 3]))
        of_tree = float(self.estimates[branches].sum())
        largest = first + _largest_branch(self.counts[branches].sum(axis=1))
        counts, estimates, is_below = self._sent_into(largest, node)
        of_branch, of_leaf = estimates[largest], estimate(self.counts[node], self.bound)
        self.estimates[node] = of_tree
        if of_leaf <= of_tree + SLACK and of_leaf <= of_branch + SLACK:
            self.numbers[node, 0] = LEAF
            self.estimates[node] = of_leaf
        elif of_branch <= of_tree + SLACK:
            self.counts[is_below], self.estimates[is_below] = counts[is_below], estimates[is_below]
            self.numbers[node], self.cut[node] = self.numbers[largest], self.cut[largest]
            self.prune(node)

    def _sent_into(self, branch: int, node: int) -> tuple[Floats, Floats, Bools]:
        """Send all rows of a node into one of its branches; return counts and estimates there."""
        numbers, cut = self.numbers.copy(), self.cut.copy()
        numbers[0], cut[0] = numbers[branch], cut[branch]
        subtree = with_numbers(self.tree, numbers, cut, self.counts)
        counts = np.zeros_like(self.counts)
        for X, y, _ in self._rows_reaching(np.array([node])):
            counts += reaching_weights(subtree, X, y)
        counts[branch] = counts[0]
        is_below = subtree.node_depth > 0
        is_below[branch] = True
        estimates = np.zeros_like(self.estimates)
        for leaf in np.flatnonzero(is_below & subtree.is_leaf):
            estimates[leaf] = estimate(counts[leaf], self.bound)
        return counts, subtree.sum_over_leaves(estimates), is_below

    def _rows_reaching(self, goals: Positions) -> Iterator[tuple[Floats, Codes, NDArray[np.int32]]]:
        """Read the table; yield the rows that reach some nodes, their classes, and these nodes."""
        numbers = self.numbers.copy()
        numbers[goals, 0] = LEAF
        tree = with_numbers(self.tree, numbers, self.cut, self.counts)
        matrix = self.columns.matrix()
        is_goal = np.zeros(tree.n_nodes, np.bool_)
        is_goal[goals] = True
        for start in range(0, len(matrix), CHUNK_ROWS):
            X = np.ascontiguousarray(matrix[start : start + CHUNK_ROWS])
            self.columns.workspace.release()
            reached = leaves(tree, X)
            kept = np.flatnonzero(is_goal[reached] & (reached >= 0))
            yield X[kept], self.y[start + kept], reached[kept]


def _largest_branch(weight: Floats) -> int:
    """Return the branch with the largest weight, the last on ties; weight has shape (branches,)."""
    largest, highest = 0, -1.0
    for branch, here in enumerate(weight.tolist()):
        if here >= highest - 1e-6:
            largest, highest = branch, here
    return largest

"""Levels of a growing tree: the rows in each node, and the branches they are sent to."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.array_types import Bools, Codes, Floats, Ints, Positions
from bestofk.trees._sending import hand_keys, hand_parts, hand_rows
from bestofk.trees._split_search import ROW_MASK, Nodes
from bestofk.trees.sorting import Columns, Workspace


@dataclass
class Level:
    """The open nodes of one depth, and their rows.

    Attributes
    ----------
    nodes : ndarray of shape (b,), int64
        Numbers of the nodes in the tree.
    rows : ndarray of shape (r,), int32
        Training rows, node by node; a row may be split over several nodes.
    spans : ndarray of shape (b + 1,), int64
        Start of the rows of each node.
    weight : ndarray of shape (r,), float64
        Weights of the rows; of shape (0,) if each counts one.
    keys : ndarray of shape (n_listed, n), int64
        Sorted keys of each listed attribute, node by node; r of each are used.
    counts : ndarray of shape (b, c), float64
        Class weights of the nodes.
    paid : ndarray of shape (b, d) or (b, 0), bool
        Attributes tested above, if costs are paid once.
    """

    nodes: Ints
    rows: NDArray[np.int32]
    spans: Ints
    weight: Floats
    keys: Ints
    counts: Floats
    paid: Bools

    @property
    def is_counting(self) -> bool:
        """Whether every row counts one and is in one node."""
        return self.weight.size == 0

    @cached_property
    def for_loops(self) -> Any:
        """Rows, spans, weight and counts for the compiled loops: a `Nodes`."""
        return Nodes(self.rows, self.spans, self.weight, self.counts)

    def node_of_place(self) -> Positions:
        """Return the node of each row of the level, shape (r,)."""
        return np.repeat(np.arange(len(self.nodes)), np.diff(self.spans))


def first_level(
    columns: Columns, y: Codes, n_classes: int, weight: Floats | None, rows: Positions | None = None
) -> Level:
    """Return the level of the root.

    Parameters
    ----------
    columns : Columns
        The training table.
    y : ndarray of shape (n,), int16
        Classes.
    n_classes : int
        Number of classes.
    weight : ndarray of shape (n,) or None
        Weights of the rows; None if each counts one.
    rows : ndarray of shape (r,), int, or None, default=None
        The rows to use; None for all.

    Returns
    -------
    Level
    """
    keys = columns.keys
    if rows is None:
        rows = np.arange(len(y))
    else:
        is_meant = np.zeros(len(y), np.bool_)
        is_meant[rows] = True
        keys = keys[is_meant[keys & ROW_MASK]].reshape(len(keys), len(rows))
    parts = np.empty(0)
    if weight is not None or columns.has_missing:
        parts = np.ones(len(rows)) if weight is None else weight[rows]
    counts = np.bincount(y[rows], weights=parts if parts.size else None, minlength=n_classes)
    return Level(
        nodes=np.zeros(1, np.int64),
        rows=rows.astype(np.int32),
        spans=np.array([0, len(rows)]),
        weight=parts,
        keys=keys,
        counts=counts[None].astype(np.float64),
        paid=np.zeros((1, 0), np.bool_),
    )


@dataclass
class Branches:
    """The branches of all tests of a level, end to end.

    Attributes
    ----------
    side : ndarray, int16
        Branch of each row, -1 unknown: by row (shape n) if each counts one, else by place in
        the level (shape r).
    first : ndarray of shape (b,), int64
        First branch of each node, -1 for leaves.
    last : ndarray of shape (b,), int64
        End of its branches.
    known : ndarray of shape (n_branches, c), float64
        Class weights of the rows whose branch is known.
    unknown : ndarray of shape (b, c), float64
        Class weights of the others.
    """

    side: Codes
    first: Ints
    last: Ints
    known: Floats
    unknown: Floats

    def keep(self, is_kept: Bools) -> None:
        """Drop the tests of all but some nodes, shape (b,), and renumber the others."""
        sizes = np.where(self.first >= 0, self.last - self.first, 0)
        self.known = self.known[np.repeat(is_kept, sizes)]
        sizes = np.where(is_kept, sizes, 0)
        self.last = np.cumsum(sizes)
        self.first = np.where(sizes > 0, self.last - sizes, -1)

    @property
    def ends(self) -> Ints:
        """First branch of each node, and the end of its branches, shape (b, 2)."""
        return np.stack([self.first, self.last], axis=1)

    @property
    def owner(self) -> Positions:
        """Node of each branch, shape (n_branches,)."""
        sizes = np.where(self.first >= 0, self.last - self.first, 0)
        return np.repeat(np.arange(len(sizes)), sizes)

    def shares(self) -> Floats:
        """Return the part of an unknown row that each branch gets, shape (n_branches,)."""
        weight = self.known.sum(axis=1)
        total = np.bincount(self.owner, weights=weight, minlength=len(self.first))
        return np.asarray(weight / total[self.owner])

    def counts(self) -> Floats:
        """Return the class weights of the branches, parts of rows included."""
        if not self.unknown.any():
            return self.known
        shares = self.shares()
        shares[shares <= 1e-6] = 0.0
        return self.known + shares[:, None] * self.unknown[self.owner]


def next_level(
    level: Level,
    branches: Branches,
    is_open: Bools,
    numbers: Ints,
    paid: Bools,
    counts: Floats,
    workspace: Workspace,
) -> Level:
    """Pass the rows of a level down to the branches that may be split.

    Parameters
    ----------
    level : Level
        The level with the rows.
    branches : Branches
        Branches of the rows.
    is_open : ndarray of shape (n_branches,), bool
        Which branches may be split.
    numbers : ndarray of shape (n_branches,), int64
        Numbers of the branches in the tree.
    paid : ndarray of shape (n_branches, d) or (n_branches, 0), bool
        Attributes tested above.
    counts : ndarray of shape (n_branches, c), float64
        Class weights of the branches.
    workspace : Workspace
        Workspace of the keys.

    Returns
    -------
    Level
    """
    opened = np.full(len(is_open), -1, np.int32)
    opened[is_open] = np.arange(is_open.sum())
    if level.is_counting:
        sizes = branches.known.sum(axis=1).astype(np.int64)
        shares = np.empty(0)
    else:
        # Places of the known rows by branch, and of the unknown ones by node.
        at = level.node_of_place()
        tested = branches.first[at] >= 0
        is_known = branches.side >= 0
        sizes = np.bincount(
            (branches.first[at] + branches.side)[tested & is_known], minlength=len(is_open)
        )
        shares = branches.shares()
        n_unknown = np.bincount(at[tested & ~is_known], minlength=len(level.nodes))
        sizes = sizes + np.where(shares > 1e-6, n_unknown[branches.owner], 0)
    spans = np.concatenate([[0], np.cumsum(sizes[is_open])])
    filled = spans[:-1].copy()
    new_weight = np.empty(0)
    nodes, side, ends = level.for_loops, branches.side, branches.ends
    if level.is_counting:
        begins, buffer = spans[:-1], np.empty(int(np.diff(level.spans).max()), np.int64)
        handed = np.empty(int((branches.last - branches.first).max()), np.int64)
        for lines in workspace.blocks(len(level.keys)):
            keys = level.keys[lines]
            hand_keys(keys, level.spans, side, ends, opened, begins, handed, buffer)
            workspace.release()
        del buffer  # release memory before the rows need it
        new_rows = np.empty(spans[-1], np.int32)
        hand_rows(nodes, side, branches.first, opened, filled, new_rows)
    else:
        new_rows, new_weight = np.empty(spans[-1], np.int32), np.empty(spans[-1])
        hand_parts(nodes, side, ends, opened, shares, filled, new_rows, new_weight)
    return Level(
        numbers[is_open], new_rows, spans, new_weight, level.keys, counts[is_open], paid[is_open]
    )

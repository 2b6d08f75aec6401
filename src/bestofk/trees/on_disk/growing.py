"""Growth of a tree on a table on disk, level by level."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bestofk.trees.arrays import Bools, Codes, Floats
from bestofk.trees.choosing import choose
from bestofk.trees.growing import count_table, may_split, refused_nodes
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.level import Branches
from bestofk.trees.on_disk._scan import open_branches, send_rows
from bestofk.trees.on_disk.disk_table import DiskTable, ProgressCallback, no_progress
from bestofk.trees.on_disk.measuring import (
    OpenRows,
    low_bits,
    measure_on_disk,
    node_bytes,
)
from bestofk.trees.sorting import largest_rounded_to
from bestofk.trees.tree import Tree
from bestofk.trees.tree_structure import LEAF, LOOKUP, MULTIWAY, THRESHOLD

# The files are written anew without the rows of leaves once these are more than half, and there
# are so many rows that reading them takes longer than the rest.
_SMALLEST_REWRITTEN: Final = 1 << 16


def grow_on_disk(
    table: DiskTable,
    y: Codes,
    classes: np.ndarray,
    rules: GrowthRules,
    *,
    memory_bytes: int,
    report_progress: ProgressCallback = no_progress,
) -> Tree:
    """Grow a tree, breadth first, all columns being read once for each level.

    Parameters
    ----------
    table : DiskTable
        The training table, its columns sorted.
    y : ndarray of shape (n_rows,), int16
        Class of each row, 0..n_classes-1.
    classes : ndarray of shape (n_classes,)
        The labels.
    rules : GrowthRules
        How it grows.
    memory_bytes : int
        What the search may take; a level with more nodes than that is done in parts, each with
        a reading of its own.
    report_progress : ProgressCallback
        Told the level, and how many rows are in leaves by now.

    Returns
    -------
    Tree
        That of `growing.grow`: sums are taken in the same order, but for rows of equal values.
    """
    n, d = table.n_rows, len(table.attributes)
    counts = np.bincount(y, minlength=len(classes))[None].astype(np.float64)
    shift = low_bits(len(classes))
    rows = OpenRows(table, y.astype(np.int32), shift)
    is_many = table.is_nominal & (table.n_levels >= 0.3 * n - 1e-6)
    is_many &= not is_many.all()
    search = _Search(rules, count_table(n, rules.criterion), is_many, n, memory_bytes)
    nodes = np.zeros(1, np.int64)
    paid = np.zeros((1, d if rules.costs is not None and rules.costs_paid_once else 0), np.bool_)
    book = _Book([counts])
    depth = 0
    is_open = may_split(counts, depth, rules)
    while is_open.any():
        report_progress(f"level {depth + 1}, {len(nodes):,} nodes", n - float(counts.sum()), n)
        picked = search.tests(rows, counts, paid)
        first, sent = _send(rows, picked, len(classes))
        branches, kept = _settle(picked, first, sent, rules)
        numbers = book.add(nodes, picked, branches)
        depth += 1
        owner = branches.owner
        is_open = may_split(branches.known, depth, rules)
        if paid.shape[1]:
            paid = paid[owner]
            paid[np.arange(len(owner)), picked.attribute[owner]] = True
            paid = paid[is_open]
        else:
            paid = np.zeros((int(is_open.sum()), 0), np.bool_)
        nodes, counts = numbers[is_open], branches.known[is_open]
        _open(rows, len(sent), kept[is_open])
        rows = _without_leaves(rows, int(counts.sum()), table, depth)
    report_progress("thresholds", n, n)
    if rows.table is not table:
        rows.table.remove()
    return book.tree(table, classes, rules)


@dataclass
class _Picked:
    """The tests of the nodes of a level: as in memory, but cuts are between values.

    Attributes
    ----------
    attribute, n_branches, n_cuts : ndarray of shape (b,)
        Attribute (-1 for a leaf), branches (0), possible cuts.
    sides : ndarray of shape (b, 2), float64
        Values below and above a cut; nan for levels.
    lookup_start : ndarray of shape (b,), int64
        Where the branches of its levels begin; -1 where the code is the branch.
    lookup : ndarray, int16
        Branches by level.
    """

    attribute: NDArray[np.int64]
    n_branches: NDArray[np.int64]
    n_cuts: Floats
    sides: Floats
    lookup_start: NDArray[np.int64]
    lookup: Codes


@dataclass
class _Search:
    """Settings that stay the same during the search for tests."""

    rules: GrowthRules
    count_table: Floats
    is_many: Bools
    n_all: int
    memory_bytes: int

    def tests(self, rows: OpenRows, counts: Floats, paid: Bools) -> _Picked:
        """Choose a test for each node of a level, so many nodes at once as memory allows."""
        size = max(self.memory_bytes // node_bytes(rows.table, counts.shape[1]), 1)
        parts = []
        n_lookup = 0
        for start in range(0, len(counts), size):
            block = slice(start, start + size)
            parts.append(self._block(rows, counts[block], paid[block], start, n_lookup))
            n_lookup += len(parts[-1].lookup)
        names = ("attribute", "n_branches", "n_cuts", "sides", "lookup_start", "lookup")
        return _Picked(*(np.concatenate([getattr(p, name) for p in parts]) for name in names))

    def _block(
        self, rows: OpenRows, counts: Floats, paid: Bools, start: int, n_lookup: int
    ) -> _Picked:
        rules, table = self.rules, rows.table
        result = measure_on_disk(rows, counts, start, rules, self.count_table, self.n_all)
        tests = result.tests
        chosen = choose(tests, rules, self.is_many, paid)
        at = np.flatnonzero(chosen >= 0)
        if rules.min_decrease > 0:
            worth = tests.worth[at, chosen[at]] * counts[at].sum(axis=1) / self.n_all
            chosen[at[worth < rules.min_decrease]] = -1
            at = np.flatnonzero(chosen >= 0)
        n_nodes = len(counts)
        n_branches = np.zeros(n_nodes, np.int64)
        n_branches[at] = tests.n_branches[at, chosen[at]]
        sides = np.full((n_nodes, 2), np.nan)
        lookup_start = np.full(n_nodes, -1)
        lookup = [np.empty(0, np.int16)]
        for i in at:
            a = int(chosen[i])
            if not table.is_nominal[a]:
                sides[i] = result.sides[a, i]
            elif rules.nominal_splits != "multiway":
                lookup_start[i] = n_lookup
                lookup.append(tests.mappings[a][i])
                n_lookup += len(lookup[-1])
        n_cuts = tests.cuts[chosen, np.arange(n_nodes), 0]
        return _Picked(chosen, n_branches, n_cuts, sides, lookup_start, np.concatenate(lookup))


def _send(rows: OpenRows, picked: _Picked, n_classes: int) -> tuple[NDArray[np.int64], Floats]:
    """Send the rows of a level to the branches; return the first of each node, and counts."""
    last = np.cumsum(picked.n_branches)
    first = np.where(picked.n_branches > 0, last - picked.n_branches, -1)
    n_branches = int(last[-1])
    if (n_branches << rows.shift) > np.iinfo(rows.node_class.dtype).max:
        rows.node_class = rows.node_class.astype(np.int64)
    columns = np.unique(picked.attribute[picked.attribute >= 0])
    line = np.full(len(rows.table.attributes) + 1, -1)  # the last is that of leaves
    line[columns] = np.arange(len(columns))
    counts = np.zeros((n_branches, n_classes))
    tests = np.column_stack([line[picked.attribute], picked.lookup_start, first])
    low, lookup = picked.sides[:, 0], picked.lookup
    for start, values in rows.table.row_chunks([int(a) for a in columns]):
        here = rows.node_class[start : start + values.shape[1]]
        send_rows(values, here, rows.shift, tests, low, lookup, counts)
    return first, counts


def _settle(
    picked: _Picked, first: NDArray[np.int64], sent: Floats, rules: GrowthRules
) -> tuple[Branches, NDArray[np.intp]]:
    """Give up the tests whose branches break a rule; say which of the branches stay."""
    last = np.where(first >= 0, first + picked.n_branches, 0)
    unknown = np.zeros((len(first), sent.shape[1]))
    branches = Branches(np.empty(0, np.int16), first, last, sent, unknown)
    is_refused = refused_nodes(branches, rules, picked.n_cuts)
    kept = np.flatnonzero(~is_refused[branches.owner])
    if is_refused.any():
        branches.keep((first >= 0) & ~is_refused)
        picked.attribute[is_refused] = -1
    return branches, kept


def _open(rows: OpenRows, n_sent: int, opened: NDArray[np.intp]) -> None:
    """Let the branches that go on be the nodes of the next level."""
    numbers = np.full(n_sent, -1)
    numbers[opened] = np.arange(len(opened))
    open_branches(rows.node_class, rows.shift, numbers)


def _without_leaves(rows: OpenRows, n_open: int, given: DiskTable, depth: int) -> OpenRows:
    """Return the rows without those of leaves, if that saves much reading."""
    if not 0 < 2 * n_open < len(rows.node_class) or len(rows.node_class) < _SMALLEST_REWRITTEN:
        return rows
    folder = given.folder / f"level-{depth}"
    folder.mkdir()
    is_kept = rows.node_class >= 0
    table = rows.table.kept(is_kept, folder)
    if rows.table is not given:
        rows.table.remove()
    return OpenRows(table, rows.node_class[is_kept], rows.shift)


@dataclass
class _Book:
    """The nodes found so far."""

    counts: list[Floats]
    n_nodes: int = 1
    levels: list[tuple[NDArray[np.int64], _Picked, NDArray[np.int64]]] = field(default_factory=list)

    def add(
        self, nodes: NDArray[np.int64], picked: _Picked, branches: Branches
    ) -> NDArray[np.int64]:
        """Note the tests of a level; return the numbers of their branches."""
        numbers = self.n_nodes + np.arange(len(branches.known))
        self.levels.append((nodes, picked, self.n_nodes + branches.first))
        self.counts.append(branches.known)
        self.n_nodes += len(numbers)
        return numbers

    def tree(self, table: DiskTable, classes: np.ndarray, rules: GrowthRules) -> Tree:
        """Return the tree of what was noted."""
        n = self.n_nodes
        kind = np.full(n, LEAF, np.int8)
        first_child, attribute, lookup_start = (np.full(n, -1, np.int32) for _ in range(3))
        n_children = np.zeros(n, np.int32)
        sides = np.full((n, 2), np.nan)
        lookup = [np.empty(0, np.int32)]
        n_lookup = 0
        nominal_kind = MULTIWAY if rules.nominal_splits == "multiway" else LOOKUP
        for nodes, picked, first in self.levels:
            at = np.flatnonzero(picked.attribute >= 0)
            node, tested = nodes[at], picked.attribute[at]
            kind[node] = np.where(table.is_nominal[tested], nominal_kind, THRESHOLD)
            attribute[node] = tested
            first_child[node], n_children[node] = first[at], picked.n_branches[at]
            sides[node] = picked.sides[at]
            for i in at[picked.lookup_start[at] >= 0]:
                begin = int(picked.lookup_start[i])
                end = begin + int(table.n_levels[picked.attribute[i]])
                lookup_start[nodes[i]] = n_lookup
                lookup.append(picked.lookup[begin:end].astype(np.int32))
                n_lookup += end - begin
        threshold = np.full(n, np.nan)
        for a in np.unique(attribute[kind == THRESHOLD]):
            here = np.flatnonzero((attribute == a) & (kind == THRESHOLD))
            threshold[here] = _thresholds(table, int(a), sides[here], rules.threshold)
        none = np.empty((0, len(table.attributes)))
        return Tree(
            attributes=table.attributes,
            classes=classes,
            kind=kind,
            attribute=attribute,
            threshold=threshold,
            first_child=first_child,
            n_children=n_children,
            lookup_start=lookup_start,
            lookup=np.concatenate(lookup),
            class_weights=np.concatenate(self.counts),
            default_branch=np.full(n, -1, np.int32),
            directions=none,
            direction_means=none,
            direction_scales=none,
        )


def _thresholds(table: DiskTable, a: int, sides: Floats, rule: str) -> Floats:
    """Return the thresholds of cuts between two values each, as `Columns.thresholds` does."""
    low, high = sides.T
    middle = low / 2 + high / 2
    middle = np.where(middle >= high, low, middle)
    if rule == "midpoint":
        return np.asarray(middle)
    if rule == "value-in-32-bits":
        limit, side = middle.astype(np.float32).astype(np.float64), "right"
    else:
        limit, side = (middle, "right") if rule == "value" else (middle + 1e-6, "left")
    below = low.copy()
    for values, _ in table.sorted_chunks(a):
        at = np.searchsorted(values, limit, side=side) - 1  # type: ignore[call-overload]
        below = np.where(at >= 0, np.maximum(values[at], below), below)
    if rule == "value-in-32-bits":
        return largest_rounded_to(below.astype(np.float32))
    return np.asarray(below if rule == "value" else np.nextafter(below + 1e-6, -np.inf))

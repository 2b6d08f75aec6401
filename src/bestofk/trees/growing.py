"""Growth of trees and their nodes: compiled if each row counts one, else level by level."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bestofk.array_types import Bools, Codes, Floats, Ints, Positions
from bestofk.trees._growth import (
    ATTRIBUTE,
    CUT,
    FIRST_CHILD,
    LOOKUP_START,
    N_CHILDREN,
    NODE_WIDTH,
    ROOT,
    Growth,
)
from bestofk.trees._sending import send_coded, send_listed, tally
from bestofk.trees._sorted_columns import largest_within
from bestofk.trees.attributes import NOMINAL, Attribute
from bestofk.trees.choosing import choose, least_score, refused_nodes
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.level import Branches, Level, first_level, next_level
from bestofk.trees.measuring import Training, measure, modes
from bestofk.trees.oblique import Direction, better_directions
from bestofk.trees.sorting import Columns
from bestofk.trees.tree import Tree
from bestofk.trees.tree_structure import LEAF, LOOKUP, MULTIWAY, THRESHOLD, no_directions

# Nodes times attributes measured at once: their tests are in memory together.
_BLOCK: Final = 65536

Watch = Callable[[int, int, float], None]


@dataclass(frozen=True, eq=False)
class DealtRows:
    """The rows of several parts of a table, part after part.

    Attributes
    ----------
    columns : Columns
        The table.
    rows : ndarray of shape (r,), int
        Rows of the table.
    starts : ndarray of shape (n_parts + 1,), int64
        Start of each part.
    """

    columns: Columns
    rows: Positions
    starts: Ints

    def thresholds(self, a: int, part: Ints, cuts: Ints, rule: str) -> Floats:
        """Return `Columns.thresholds` for cuts of some parts."""
        cuts = cuts.copy()
        if self.columns.is_listed[a]:
            cuts[:, 2:] = self.rows[cuts[:, 2:]]
        column = np.ascontiguousarray(self.columns.raw[a], np.float64)

        def largest_of_part(limit: Floats) -> Floats:
            values = np.empty(len(limit))
            largest_within(column, self.rows, self.starts, part, limit, values)
            return values

        return self.columns.thresholds(a, cuts, rule, largest_of_part)


@dataclass
class GrownNodes:
    """Records of the nodes of a tree, or of several trees.

    Attributes
    ----------
    numbers : ndarray of shape (n_nodes, NODE_WIDTH), int32
        Record of a node from `_growth`: its test, branches, depth and root.
    counts : ndarray of shape (n_nodes, c), float64
        Class weights.
    lookup : ndarray
        Branches by level, one node after the other.
    default_branch, threshold : ndarray of shape (n_nodes,)
        As in `TreeStructure`; thresholds only for oblique tests.
    directions : list of Direction
        Oblique tests.
    """

    numbers: NDArray[np.int32]
    counts: Floats
    lookup: NDArray[Any]
    default_branch: NDArray[np.int32]
    threshold: Floats
    directions: list[Direction]

    @classmethod
    def of(cls, numbers: NDArray[np.int32], counts: Floats, lookup: NDArray[Any]) -> GrownNodes:
        """Return nodes without oblique tests that split unknown rows."""
        n = len(numbers)
        return cls(numbers, counts, lookup, np.full(n, -1, np.int32), np.full(n, np.nan), [])

    def tree(
        self, columns: Columns, classes: np.ndarray, rules: GrowthRules, dealt: DealtRows | None
    ) -> Tree:
        """Return the tree.

        Parameters
        ----------
        columns : Columns
            The table that it was grown from.
        classes : ndarray of shape (n_classes,)
            The labels.
        rules : GrowthRules
            The rules of its growth.
        dealt : DealtRows or None
            Rows of the parts, if several trees were grown together.

        Returns
        -------
        Tree
        """
        d = len(columns.attributes)
        attribute = self.numbers[:, ATTRIBUTE].copy()
        kinds = np.append(kinds_of_tests(columns, rules), np.int8(LEAF))  # -1 is a leaf
        kind = kinds[np.minimum(attribute, d)]
        nodes = np.flatnonzero((kind == THRESHOLD) & (attribute < d))
        nodes = nodes[np.argsort(attribute[nodes], kind="stable")]
        tested, begins = np.unique(attribute[nodes], return_index=True)
        for a, here in zip(tested.tolist(), np.split(nodes, begins[1:]), strict=False):
            cuts = self.numbers[here, CUT:].astype(np.int64)
            if dealt is None:
                self.threshold[here] = columns.thresholds(a, cuts, rules.threshold)
                columns.workspace.release()
            else:
                part = self.numbers[here, ROOT].astype(np.int64)
                self.threshold[here] = dealt.thresholds(a, part, cuts, rules.threshold)
        tree = Tree(
            attributes=columns.attributes,
            classes=classes,
            kind=kind,
            attribute=attribute,
            threshold=self.threshold,
            first_child=self.numbers[:, FIRST_CHILD].copy(),
            n_children=self.numbers[:, N_CHILDREN].copy(),
            lookup_start=self.numbers[:, LOOKUP_START].copy(),
            lookup=self.lookup.astype(np.int32),
            class_weights=self.counts,
            default_branch=self.default_branch,
            **no_directions(d),
        )
        if not self.directions:
            return tree
        return replace(
            tree,
            directions=np.array([x.coefficients for x in self.directions]),
            direction_means=np.array([x.means for x in self.directions]),
            direction_scales=np.array([x.scales for x in self.directions]),
        ).compact()


def kinds_of_tests(columns: Columns, rules: GrowthRules) -> NDArray[np.int8]:
    """Return the kind of test of each attribute, and last that of oblique tests."""
    kinds = [_kind_of_test(x, rules) for x in columns.attributes]
    return np.array([*kinds, THRESHOLD], np.int8)


def _kind_of_test(attribute: Attribute, rules: GrowthRules) -> int:
    if attribute.kind != NOMINAL:
        return THRESHOLD
    has_own_intervals = rules.intervals is not None and attribute.edges is not None
    return LOOKUP if rules.nominal_splits != "multiway" or has_own_intervals else MULTIWAY


@dataclass
class Picked:
    """The tests of the nodes of a level.

    Attributes
    ----------
    attribute : ndarray of shape (b,), int64
        -1 for a leaf.
    n_branches : ndarray of shape (b,), int64
        0 for a leaf.
    cuts : ndarray of shape (b, 7), float64
        Cuts found by `_split_search`.
    mapping : ndarray of shape (b, most levels), int16
        Branch of each level, -1 for none.
    default : ndarray of shape (b,), int32
        Branch of the most frequent value, -1 if unknown rows are split.
    threshold : ndarray of shape (b,), float64
        Thresholds of oblique tests; nan elsewhere.
    directions : list of Direction
        Oblique tests, in the order of their numbers: the first follows the last attribute.
    """

    attribute: Ints
    n_branches: Ints
    cuts: Floats
    mapping: Codes
    default: NDArray[np.int32]
    threshold: Floats
    directions: list[Direction]

    @classmethod
    def none(cls, n_nodes: int, n_levels: int) -> Picked:
        """Return tests that make some nodes leaves."""
        return cls(
            np.full(n_nodes, -1),
            np.zeros(n_nodes, np.int64),
            np.zeros((n_nodes, 7)),
            np.full((n_nodes, n_levels), -1, np.int16),
            np.full(n_nodes, -1, np.int32),
            np.full(n_nodes, np.nan),
            [],
        )


class NodeBook:
    """The nodes of a tree, or of several, that grows level by level."""

    def __init__(self, columns: Columns, roots: Level, rules: GrowthRules) -> None:
        self._columns = columns
        self._kinds = kinds_of_tests(columns, rules)
        self._directions: list[Direction] = []
        self._counts = [roots.counts]
        self._n_nodes = len(roots.nodes)
        self._levels: list[tuple[Ints, NDArray[np.int32], Picked]] = []
        self._lookup = [np.empty(0, np.int16)]
        self._n_lookup = 0

    def add(self, level: Level, branches: Branches, picked: Picked, counts: Floats) -> Ints:
        """Record the tests of a level and the weights of its branches; return their numbers."""
        at = np.flatnonzero(picked.attribute >= 0)
        attribute = picked.attribute[at]
        is_oblique = attribute >= len(self._columns.attributes)
        kind = self._kinds[np.where(is_oblique, -1, attribute)]
        noted = np.zeros((len(at), NODE_WIDTH), np.int32)
        noted[:, ATTRIBUTE] = attribute + np.where(is_oblique, len(self._directions), 0)
        noted[:, FIRST_CHILD] = self._n_nodes + branches.first[at]
        noted[:, N_CHILDREN] = branches.last[at] - branches.first[at]
        noted[:, LOOKUP_START] = -1
        noted[:, CUT:] = picked.cuts[at, 2:6]  # ranks and rows next to it
        for i in np.flatnonzero(kind == LOOKUP):
            n_levels = int(self._columns.n_levels[attribute[i]])
            noted[i, LOOKUP_START] = self._n_lookup
            self._lookup.append(picked.mapping[at[i], :n_levels].copy())
            self._n_lookup += n_levels
        self._directions += picked.directions
        self._levels.append((level.nodes, noted, picked))
        self._counts.append(counts)
        numbers = self._n_nodes + np.arange(len(counts))
        self._n_nodes += len(numbers)
        return numbers

    def nodes(self) -> GrownNodes:
        """Return the recorded nodes."""
        numbers = np.zeros((self._n_nodes, NODE_WIDTH), np.int32)
        numbers[:, [ATTRIBUTE, FIRST_CHILD, LOOKUP_START]] = -1
        numbers[:, ROOT] = np.arange(self._n_nodes)
        result = GrownNodes.of(numbers, np.concatenate(self._counts), np.concatenate(self._lookup))
        result.directions = self._directions
        for nodes, noted, picked in self._levels:
            at = np.flatnonzero(picked.attribute >= 0)
            noted[:, ROOT] = numbers[nodes[at], ROOT]
            numbers[nodes[at]] = noted
            result.default_branch[nodes[at]] = picked.default[at]
            result.threshold[nodes[at]] = picked.threshold[at]
            sizes = noted[:, N_CHILDREN]
            if len(at):
                begin = int(noted[0, FIRST_CHILD])
                children = slice(begin, begin + int(sizes.sum()))
                numbers[children, ROOT] = np.repeat(noted[:, ROOT], sizes)
        return result


def grow(
    columns: Columns,
    y: Codes,
    classes: np.ndarray,
    rules: GrowthRules,
    sample_weight: Floats | None = None,
    rows: Positions | None = None,
    watch: Watch | None = None,
) -> Tree:
    """Grow a tree, breadth first.

    Parameters
    ----------
    columns : Columns
        The training table, sorted.
    y : ndarray of shape (n_rows,), int16
        Class of each row, 0..n_classes-1.
    classes : ndarray of shape (n_classes,)
        The labels.
    rules : GrowthRules
        How it grows.
    sample_weight : ndarray of shape (n_rows,) or None, default=None
        Weights of the rows, above 0; None if each counts one.
    rows : ndarray of shape (r,), int, or None, default=None
        The rows to grow on; None for all. Possible thresholds, and attributes with many values, are
        those of the whole table.
    watch : callable or None, default=None
        As for `grow_by_level`; if given, no level is skipped.

    Returns
    -------
    Tree

    Notes
    -----
    Without `rows`, the sorted lists of `columns` are consumed: no second tree can be grown.
    """
    level = first_level(columns, y, len(classes), sample_weight, rows)
    table = count_table(len(y), rules.criterion) if level.is_counting else np.empty(0)
    training = Training(columns, y, rules, table)
    is_many = many_valued(columns, len(y))
    return _grow(training, level, is_many, watch).tree(columns, classes, rules, None)


def grow_together(
    columns: Columns, parts: Sequence[Positions], y: Codes, classes: np.ndarray, rules: GrowthRules
) -> list[Tree]:
    """Grow the trees of several parts of one table together, which saves work on each level.

    Parameters
    ----------
    columns : Columns
        The table, rows counting one.
    parts : sequence of ndarray of int
        Rows of each part, ascending.
    y : ndarray of shape (n_rows,), int16
        Classes of all rows.
    classes : ndarray of shape (n_classes,)
        The labels.
    rules : GrowthRules
        Rules of growth.

    Returns
    -------
    list of Tree
        The trees that `grow` gives for each part.
    """
    result = grow_forest(columns, parts, y, classes, rules)
    if result is not None:
        forest, root = result
        ends = np.cumsum(np.bincount(root, minlength=len(parts)))
        nodes = np.split(np.argsort(root, kind="stable"), ends[:-1])
        return [forest.taken(of_part) for of_part in nodes]
    is_open = may_split(_class_counts(parts, y, classes), 0, rules)
    if is_open.all() or not is_open.any():
        return [grow(columns.take(rows), y[rows], classes, rules) for rows in parts]
    some = [rows for rows, ok in zip(parts, is_open, strict=True) if ok]
    grown = iter(grow_together(columns, some, y, classes, rules))
    return [
        next(grown) if ok else grow(columns.take(rows), y[rows], classes, rules)
        for rows, ok in zip(parts, is_open, strict=True)
    ]


def grow_forest(
    columns: Columns, parts: Sequence[Positions], y: Codes, classes: np.ndarray, rules: GrowthRules
) -> tuple[Tree, Ints] | None:
    """Grow the trees of several parts as one; parameters are those of `grow_together`.

    Returns
    -------
    forest, root : Tree, ndarray of shape (n_nodes,), or None
        The nodes of all trees, and the root of each node; the root of part p is node p. None if the
        rules, or a part without any split, require that trees grow one by one.
    """
    sizes = [len(rows) for rows in parts]
    is_many = many_valued(columns, sizes[0])
    needs_many = rules.choice == "ratio-above-average"  # not used elsewhere
    if (
        len(parts) == 1
        or rules.oblique is not None
        or rules.in_32_bits
        or rules.costs_paid_once
        or rules.min_decrease > 0
        or (needs_many and any((many_valued(columns, n) != is_many).any() for n in {*sizes}))
    ):
        return None
    counts = _class_counts(parts, y, classes)
    if not may_split(counts, 0, rules).all():
        return None
    dealt = columns.dealt(parts)
    level = Level(
        nodes=np.arange(len(parts)),
        rows=np.arange(sum(sizes), dtype=np.int32),
        spans=np.cumsum([0, *sizes]),
        weight=np.ones(sum(sizes)) if columns.has_missing else np.empty(0),
        keys=dealt.keys,
        counts=counts,
        paid=np.zeros((len(parts), 0), np.bool_),
    )
    rows = np.concatenate(parts)
    table = count_table(max(sizes), rules.criterion)
    training = Training(dealt, y[rows], rules, table)
    spans = level.spans.copy()
    nodes = _grow(training, level, is_many)
    tree = nodes.tree(columns, classes, rules, DealtRows(columns, rows, spans))
    return tree, nodes.numbers[:, ROOT].astype(np.int64)


def _class_counts(parts: Sequence[Positions], y: Codes, classes: np.ndarray) -> Floats:
    return np.array([np.bincount(y[rows], minlength=len(classes)) for rows in parts], np.float64)


def many_valued(columns: Columns, n_rows: int) -> Bools:
    """Return a mask of the attributes left out of the average gain, shape (n_attributes,)."""
    is_many = columns.is_nominal & (columns.n_levels >= 0.3 * n_rows - 1e-6)
    is_many &= [attribute.edges is None for attribute in columns.attributes]
    return np.asarray(is_many & (not is_many.all()))


def _grow(
    training: Training, level: Level, is_many: Bools, watch: Watch | None = None
) -> GrownNodes:
    """Grow trees from the roots of a level."""
    if watch is not None or not _may_be_compiled(training, level):
        return grow_by_level(training, level, is_many, watch)
    growth = Growth(training, level, is_many, least_score(training.rules))
    growth.grow()
    n = growth.n_nodes
    lookup = growth.lookup[: growth.n_lookup]
    return GrownNodes.of(growth.numbers[:n], growth.counts[:n].copy(), lookup)


def _may_be_compiled(training: Training, level: Level) -> bool:
    """Return whether a tree can grow in one compiled call: common rules, and no weights."""
    rules, has_levels = training.rules, training.columns.most_levels > 0
    is_special = rules.in_32_bits or rules.criterion == "hellinger" or rules.intervals is not None
    asks_more = rules.alpha is not None or rules.costs is not None or rules.oblique is not None
    # Groups of levels, and gains rounded as in Weka, concern only nominal columns.
    divides_else = has_levels and (rules.nominal_splits == "group" or rules.tie == 0.0)
    return level.is_counting and not (is_special or asks_more or divides_else)


def grow_by_level(
    training: Training, level: Level, is_many: Bools, watch: Watch | None = None
) -> GrownNodes:
    """Grow trees level by level from their roots, by any rules.

    Parameters
    ----------
    training : Training
        Table, classes and rules.
    level : Level
        The roots.
    is_many : ndarray of shape (d,), bool
        Attributes that are left out of the average gain.
    watch : callable or None, default=None
        Called with the depth of each level, its number of nodes and the weight of its rows; last
        with a level without nodes.

    Returns
    -------
    GrownNodes
    """
    rules, columns = training.rules, training.columns
    if rules.costs is not None and rules.costs_paid_once:
        level.paid = np.zeros((1, len(columns.attributes)), np.bool_)
    total = float(level.counts.sum())
    book = NodeBook(columns, level, rules)
    depth = 0
    may_grow = bool(may_split(level.counts, depth, rules)[0])
    while may_grow and len(level.nodes):
        if watch is not None:
            watch(depth, len(level.nodes), float(level.counts.sum()))
        picked, branches = _tests_of_level(training, level, is_many, total)
        counts = branches.counts()
        numbers = book.add(level, branches, picked, counts)
        depth += 1
        paid = np.zeros((len(counts), 0), np.bool_)
        if level.paid.shape[1]:
            owner = branches.owner
            paid = level.paid[owner]
            paid[np.arange(len(owner)), picked.attribute[owner]] = True
        is_open = may_split(counts, depth, rules)
        level = next_level(level, branches, is_open, numbers, paid, counts, columns.workspace)
    if watch is not None:
        watch(depth, 0, 0.0)
    return book.nodes()


def may_split(counts: Floats, depth: int, rules: GrowthRules) -> Bools:
    """Return which nodes with these class counts are impure and large enough to split."""
    weight = counts.sum(axis=1)
    is_pure = weight - counts.max(axis=1) <= 1e-6
    return np.asarray(~is_pure & (weight >= rules.min_split - 1e-6) & (depth < rules.max_depth))


def count_table(n_rows: int, criterion: str) -> Floats:
    """Return the summand of the criterion for each number of rows, shape (n_rows + 1,)."""
    counts = np.arange(n_rows + 1, dtype=np.float64)
    if criterion == "gini":
        return counts * counts
    table = np.log2(counts, out=np.zeros(n_rows + 1), where=counts > 0)
    table *= counts
    return table


def _tests_of_level(
    training: Training, level: Level, is_many: Bools, total: float
) -> tuple[Picked, Branches]:
    """Choose a test for each node of a level, and send its rows to the branches."""
    rules, columns = training.rules, training.columns
    n_nodes, n_classes = level.counts.shape
    picked = Picked.none(n_nodes, columns.most_levels)
    side = np.zeros(len(training.y) if level.is_counting else len(level.rows), np.int16)
    n_block = max(_BLOCK // len(columns.attributes), 16)
    for start in range(0, n_nodes, n_block):
        block = slice(start, min(start + n_block, n_nodes))
        part = _part(level, block)
        tests = measure(training, part)
        chosen = choose(tests, rules, is_many, part.paid)
        at = np.flatnonzero(chosen >= 0)
        if rules.min_decrease > 0:
            worth = tests.worth[at, chosen[at]] * part.counts[at].sum(axis=1) / total
            chosen[at[worth < rules.min_decrease]] = -1
            at = np.flatnonzero(chosen >= 0)
        if rules.oblique is not None:
            directions, oblique = better_directions(training, part, tests, chosen, is_many)
            worth = oblique.worth[:, 0] * (part.counts.sum(axis=1) / total)
            directions = [x for x in directions if worth[x.node] >= rules.min_decrease]
            chosen[[x.node for x in directions]] = -1
            at = np.flatnonzero(chosen >= 0)
        picked.attribute[block] = chosen
        if rules.oblique is not None:
            _pick_directions(directions, part, start, len(columns.attributes), picked, side)
        picked.n_branches[start + at] = tests.n_branches[at, chosen[at]]
        picked.cuts[start + at] = tests.cuts[chosen[at], at]
        stand_in = np.full((len(chosen), n_classes), -1, np.int32)
        with_levels = np.unique(chosen[at]) if tests.mappings or tests.stand_ins else ()
        for a in with_levels:
            here = np.flatnonzero(chosen == a)
            if a in tests.mappings:
                picked.mapping[start + here, : columns.n_levels[a]] = tests.mappings[a][here]
            if a in tests.stand_ins:
                stand_in[here] = tests.stand_ins[a][here]
                _, mode = modes(training, part, int(a))
                branch = picked.cuts[start + here, 2] < mode[here]
                if a in tests.mappings:
                    branch = tests.mappings[a][here, mode[here]]
                picked.default[start + here] = branch
        line = np.where(chosen >= 0, columns.code_row[chosen], -1).astype(np.int32)
        is_listed = (chosen >= 0) & (columns.is_listed[chosen] == 1)
        if is_listed.any():
            listed, left = np.where(is_listed, line, -1), picked.cuts[block, 6].copy()
            send_listed(part.keys, part.spans, listed.astype(np.int32), left, side)
        if not is_listed[chosen >= 0].all():
            coded = np.where(is_listed, -1, line).astype(np.int32)
            cut = np.where(columns.is_nominal[chosen], np.nan, picked.cuts[block, 2])
            search, codes, mapping = training.for_loops, columns.codes, picked.mapping[block]
            send_coded(search, codes, part.for_loops, coded, cut, mapping, stand_in, side)
    last = np.cumsum(picked.n_branches)
    first = np.where(picked.n_branches > 0, last - picked.n_branches, -1)
    known = np.zeros((int(picked.n_branches.sum()), n_classes))
    unknown = np.zeros((n_nodes, n_classes))
    tally(training.for_loops, level.for_loops, side, first, known, unknown)
    branches = Branches(side, first, last, known, unknown)
    is_refused = refused_nodes(branches, rules, picked.cuts[:, 0])
    if is_refused.any():
        branches.keep((first >= 0) & ~is_refused)
        picked.attribute[is_refused] = -1
    return picked, branches


def _pick_directions(
    directions: list[Direction],
    level: Level,
    start: int,
    n_attributes: int,
    picked: Picked,
    side: Codes,
) -> None:
    """Record the oblique tests of a part of a level, and send the rows of their nodes."""
    for direction in directions:
        node = start + direction.node
        picked.attribute[node] = n_attributes + len(picked.directions)
        picked.n_branches[node] = 2
        picked.cuts[node] = direction.cut
        picked.threshold[node] = direction.threshold
        picked.directions.append(direction)
        here = slice(level.spans[direction.node], level.spans[direction.node + 1])
        side[level.rows[here] if level.is_counting else here] = (
            direction.projection > direction.threshold
        )


def _part(level: Level, block: slice) -> Level:
    if block.start == 0 and block.stop == len(level.nodes):
        return level
    spans = level.spans[block.start : block.stop + 1]
    nodes, counts, paid = level.nodes[block], level.counts[block], level.paid[block]
    return replace(level, nodes=nodes, spans=spans, counts=counts, paid=paid)

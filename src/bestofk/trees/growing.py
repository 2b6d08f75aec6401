"""Growth of a tree, level by level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from bestofk.trees._parts import largest_within
from bestofk.trees._sending import send_coded, send_listed, tally
from bestofk.trees.attributes import NOMINAL, Attribute
from bestofk.trees.choosing import choose
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.level import Branches, Level, first_level, next_level
from bestofk.trees.measuring import Training, measure, modes
from bestofk.trees.oblique import Direction, better_directions
from bestofk.trees.sorting import Columns
from bestofk.trees.tree import Tree
from bestofk.trees.tree_structure import LEAF, LOOKUP, MULTIWAY, THRESHOLD

if TYPE_CHECKING:
    import numpy as np

# Nodes times attributes measured at once: their tests are in memory together.
_BLOCK: Final = 65536


def grow(
    columns: Columns,
    y: NDArray[np.int16],
    classes: np.ndarray,
    rules: GrowthRules,
    sample_weight: NDArray[np.float64] | None = None,
    rows: NDArray[np.intp] | None = None,
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
        The rows to grow on; None for all. What a threshold may be, and which attributes have
        many values, is judged by the whole table.

    Returns
    -------
    Tree

    Notes
    -----
    Without `rows` the sorted lists of `columns` are used up: no second tree can be grown.
    """
    level = first_level(columns, y, len(classes), sample_weight, rows)
    table = count_table(len(y), rules.criterion) if level.is_counting else np.empty(0)
    training = Training(columns, y, rules, table)
    is_many = _many_valued(columns, len(y))
    return _grow(training, level, is_many, None).tree(classes, rules.threshold)


def grow_together(
    columns: Columns,
    parts: Sequence[NDArray[np.intp]],
    y: NDArray[np.int16],
    classes: np.ndarray,
    rules: GrowthRules,
) -> list[Tree]:
    """Grow the trees of several parts of one table together, which spares work on each level.

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
        How they grow.

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
    columns: Columns,
    parts: Sequence[NDArray[np.intp]],
    y: NDArray[np.int16],
    classes: np.ndarray,
    rules: GrowthRules,
) -> tuple[Tree, NDArray[np.int64]] | None:
    """Grow the trees of several parts as one; parameters are those of `grow_together`.

    Returns
    -------
    forest, root : Tree, ndarray of shape (n_nodes,), or None
        The nodes of all trees, and the root of each: that of part p is node p. None where
        the rules, or a part that is not split at all, ask that trees grow one by one.
    """
    sizes = [len(rows) for rows in parts]
    is_many = _many_valued(columns, sizes[0])
    needs_many = rules.choice == "ratio-above-average"  # nothing else asks for them
    if (
        len(parts) == 1
        or rules.oblique is not None
        or rules.in_32_bits
        or rules.costs_paid_once
        or rules.min_decrease > 0
        or (needs_many and any((_many_valued(columns, n) != is_many).any() for n in {*sizes}))
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
    book = _grow(training, level, is_many, _DealtRows(columns, rows, level.spans))
    return book.tree(classes, rules.threshold), book.roots()


def _class_counts(
    parts: Sequence[NDArray[np.intp]], y: NDArray[np.int16], classes: np.ndarray
) -> NDArray[np.float64]:
    return np.array([np.bincount(y[rows], minlength=len(classes)) for rows in parts], np.float64)


@dataclass(frozen=True, eq=False)
class _DealtRows:
    """The rows of several parts of a table, part after part.

    Attributes
    ----------
    columns : Columns
        The table.
    rows : ndarray of shape (r,), int
        Rows of the table.
    starts : ndarray of shape (n_parts + 1,), int64
        Where each part begins.
    """

    columns: Columns
    rows: NDArray[np.intp]
    starts: NDArray[np.int64]

    def thresholds(
        self, a: int, part: NDArray[np.int64], cuts: NDArray[np.int64], rule: str
    ) -> NDArray[np.float64]:
        """Return what `Columns.thresholds` returns for cuts of some parts."""
        cuts = cuts.copy()
        if self.columns.is_listed[a]:
            cuts[:, 2:] = self.rows[cuts[:, 2:]]
        low, middle = self.columns.middles(a, cuts)
        if rule == "midpoint":
            return middle
        column, is_blurred = self.columns.raw[a], rule == "value-within-1e-6"
        limit, known = middle + 1e-6 if is_blurred else middle, np.empty(len(cuts))
        largest_within(
            np.ascontiguousarray(column, np.float64), self.rows, self.starts, part, limit,
            is_blurred, known,
        )  # fmt: skip
        known = np.maximum(known, low)
        return np.asarray(np.nextafter(known + 1e-6, -np.inf) if is_blurred else known)


def _many_valued(columns: Columns, n_rows: int) -> NDArray[np.bool_]:
    """Return which attributes are left out of the average gain, shape (n_attributes,)."""
    is_many = columns.is_nominal & (columns.n_levels >= 0.3 * n_rows - 1e-6)
    is_many &= [attribute.edges is None for attribute in columns.attributes]
    return np.asarray(is_many & (not is_many.all()))


def _grow(
    training: Training, level: Level, is_many: NDArray[np.bool_], dealt: _DealtRows | None
) -> _Book:
    """Grow from the roots of a level; dealt are the rows of several roots."""
    rules, columns = training.rules, training.columns
    if rules.costs is not None and rules.costs_paid_once:
        level.paid = np.zeros((1, len(columns.attributes)), np.bool_)
    total = float(level.counts.sum())
    book = _Book(columns, dealt, level, rules)
    depth = 0
    if not may_split(level.counts, depth, rules)[0]:
        return book
    while len(level.nodes):
        picked, branches = _tests_of_level(training, level, is_many, total)
        numbers = book.add(level, branches, picked)
        counts = branches.counts()
        book.add_counts(counts)
        depth += 1
        paid = np.zeros((len(counts), 0), np.bool_)
        if level.paid.shape[1]:
            owner = branches.owner
            paid = level.paid[owner]
            paid[np.arange(len(owner)), picked.attribute[owner]] = True
        is_open = may_split(counts, depth, rules)
        level = next_level(level, branches, is_open, numbers, paid, counts)
    return book


def may_split(counts: NDArray[np.float64], depth: int, rules: GrowthRules) -> NDArray[np.bool_]:
    """Return which nodes with these class counts are impure and large enough to be split."""
    weight = counts.sum(axis=1)
    is_pure = weight - counts.max(axis=1) <= 1e-6
    return np.asarray(~is_pure & (weight >= rules.min_split - 1e-6) & (depth < rules.max_depth))


def count_table(n_rows: int, criterion: str) -> NDArray[np.float64]:
    """Return the summand of the criterion for each number of rows, shape (n_rows + 1,)."""
    counts = np.arange(n_rows + 1, dtype=np.float64)
    if criterion == "gini":
        return counts * counts
    table = np.log2(counts, out=np.zeros(n_rows + 1), where=counts > 0)
    table *= counts
    return table


@dataclass
class _Picked:
    """The tests of the nodes of a level.

    Attributes
    ----------
    attribute : ndarray of shape (b,), int64
        -1 for a leaf.
    n_branches : ndarray of shape (b,), int64
        0 for a leaf.
    cuts : ndarray of shape (b, 7), float64
        As `_split_search` finds them.
    mapping : ndarray of shape (b, most levels), int16
        Branch of each level, -1 for none.
    default : ndarray of shape (b,), int32
        Branch of the most frequent value, -1 where unknown rows go in parts.
    threshold : ndarray of shape (b,), float64
        Of oblique tests; nan elsewhere.
    directions : list of Direction
        Oblique tests, in the order of their numbers: the first follows the last attribute.
    """

    attribute: NDArray[np.int64]
    n_branches: NDArray[np.int64]
    cuts: NDArray[np.float64]
    mapping: NDArray[np.int16]
    default: NDArray[np.int32]
    threshold: NDArray[np.float64]
    directions: list[Direction]

    @classmethod
    def none(cls, n_nodes: int, n_levels: int) -> _Picked:
        return cls(
            np.full(n_nodes, -1),
            np.zeros(n_nodes, np.int64),
            np.zeros((n_nodes, 7)),
            np.full((n_nodes, n_levels), -1, np.int16),
            np.full(n_nodes, -1, np.int32),
            np.full(n_nodes, np.nan),
            [],
        )


def _tests_of_level(
    training: Training, level: Level, is_many: NDArray[np.bool_], total: float
) -> tuple[_Picked, Branches]:
    """Choose a test for each node of a level, and send its rows to the branches."""
    rules, columns = training.rules, training.columns
    n_nodes, n_classes = level.counts.shape
    picked = _Picked.none(n_nodes, columns.most_levels)
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
            directions, worth = better_directions(training, part, tests, chosen, is_many)
            worth *= part.counts.sum(axis=1) / total
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
    picked: _Picked,
    side: NDArray[np.int16],
) -> None:
    """Note the oblique tests of a part of a level, and send the rows of their nodes."""
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
    return Level(nodes, level.rows, spans, level.weight, level.keys, counts, paid)


def refused_nodes(
    branches: Branches, rules: GrowthRules, n_cuts: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return which tests must not stand once their branches are known."""
    n_nodes = len(branches.first)
    is_refused = np.zeros(n_nodes, np.bool_)
    if rules.checks_branch_late:
        is_small = branches.known.sum(axis=1) < rules.min_branch - 1e-6
        np.logical_or.at(is_refused, branches.owner, is_small)
    if rules.alpha is not None:
        from bestofk.trees.independence import p_values

        result = p_values(branches)
        if rules.bonferroni:
            result = np.minimum(result * np.maximum(n_cuts, 1.0), 1.0)
        is_refused |= (branches.first >= 0) & (result > rules.alpha)
    return is_refused


def _kind_of_test(attribute: Attribute, rules: GrowthRules) -> int:
    if attribute.kind != NOMINAL:
        return THRESHOLD
    has_own_intervals = rules.intervals is not None and attribute.edges is not None
    return LOOKUP if rules.nominal_splits != "multiway" or has_own_intervals else MULTIWAY


class _Book:
    """The nodes found so far."""

    def __init__(
        self, columns: Columns, dealt: _DealtRows | None, roots: Level, rules: GrowthRules
    ) -> None:
        self._dealt, self._columns = dealt, columns
        kinds = [_kind_of_test(x, rules) for x in columns.attributes]
        self._kinds = np.array([*kinds, THRESHOLD])  # the last for all oblique tests
        self._directions: list[Direction] = []
        self._counts = [roots.counts]
        self._n_nodes = len(roots.nodes)
        self._levels: list[dict[str, np.ndarray]] = []
        self._lookup: list[NDArray[np.int32]] = []
        self._n_lookup = 0

    def add(self, level: Level, branches: Branches, picked: _Picked) -> NDArray[np.int64]:
        """Note the tests of a level; return the numbers of their branches."""
        at = np.flatnonzero(picked.attribute >= 0)
        attribute = picked.attribute[at]
        is_oblique = attribute >= len(self._columns.attributes)
        kind = self._kinds[np.where(is_oblique, -1, attribute)]
        attribute = attribute + np.where(is_oblique, len(self._directions), 0)
        self._directions += picked.directions
        lookup_start = np.full(len(at), -1)
        for i in np.flatnonzero(kind == LOOKUP):
            n_levels = int(self._columns.n_levels[attribute[i]])
            lookup_start[i] = self._n_lookup
            self._lookup.append(picked.mapping[at[i], :n_levels].astype(np.int32))
            self._n_lookup += n_levels
        numbers = self._n_nodes + np.arange(len(branches.known))
        self._levels.append(
            {
                "node": level.nodes[at].astype(np.int32),
                "kind": kind.astype(np.int8),
                "attribute": attribute.astype(np.int32),
                "first_child": (self._n_nodes + branches.first[at]).astype(np.int32),
                "n_children": (branches.last[at] - branches.first[at]).astype(np.int32),
                "lookup_start": lookup_start.astype(np.int32),
                "default_branch": picked.default[at],
                "cut": picked.cuts[at, 2:6].astype(np.int32),  # ranks and rows next to it
                "threshold": picked.threshold[at],
            }
        )
        self._n_nodes += len(numbers)
        return numbers

    def add_counts(self, counts: NDArray[np.float64]) -> None:
        """Note the class weights of the branches of a level."""
        self._counts.append(counts)

    def roots(self) -> NDArray[np.int64]:
        """Return the root of each node, shape (n_nodes,)."""
        root = np.zeros(self._n_nodes, np.int64)
        if self._dealt is None:
            return root
        n_parts = len(self._dealt.starts) - 1
        root[:n_parts] = np.arange(n_parts)
        for noted in self._levels:
            sizes = noted["n_children"]
            if len(sizes):
                begin = int(noted["first_child"][0])
                root[begin : begin + int(sizes.sum())] = np.repeat(root[noted["node"]], sizes)
        return root

    def tree(self, classes: np.ndarray, threshold: str) -> Tree:
        """Return the tree of what was noted."""
        n, columns = self._n_nodes, self._columns
        kind = np.full(n, LEAF, np.int8)
        first_child, attribute, lookup_start, default = (np.full(n, -1, np.int32) for _ in range(4))
        n_children = np.zeros(n, np.int32)
        thresholds = np.full(n, np.nan)
        for noted in self._levels:
            node = noted["node"]
            kind[node] = noted["kind"]
            attribute[node] = noted["attribute"]
            first_child[node] = noted["first_child"]
            n_children[node] = noted["n_children"]
            lookup_start[node] = noted["lookup_start"]
            default[node] = noted["default_branch"]
        if self._levels:
            nodes = np.concatenate([noted["node"] for noted in self._levels])
            cuts = np.concatenate([noted["cut"] for noted in self._levels])
            thresholds[nodes] = np.concatenate([noted["threshold"] for noted in self._levels])
            is_cut = (kind[nodes] == THRESHOLD) & (attribute[nodes] < len(columns.attributes))
            at = np.flatnonzero(is_cut)
            at, root = at[np.argsort(attribute[nodes[at]], kind="stable")], self.roots()
            tested, begins = np.unique(attribute[nodes[at]], return_index=True)
            for a, here in zip(tested.tolist(), np.split(at, begins[1:]), strict=False):
                result = cuts[here].astype(np.int64)
                if self._dealt is None:
                    thresholds[nodes[here]] = columns.thresholds(a, result, threshold)
                else:
                    part = root[nodes[here]]
                    thresholds[nodes[here]] = self._dealt.thresholds(a, part, result, threshold)
        none = np.empty((0, len(columns.attributes)))
        tree = Tree(
            attributes=columns.attributes,
            classes=classes,
            kind=kind,
            attribute=attribute,
            threshold=thresholds,
            first_child=first_child,
            n_children=n_children,
            lookup_start=lookup_start,
            lookup=np.concatenate([np.empty(0, np.int32), *self._lookup]),
            class_weights=np.concatenate(self._counts),
            default_branch=default,
            directions=np.vstack([none, *(x.coefficients for x in self._directions)]),
            direction_means=np.vstack([none, *(x.means for x in self._directions)]),
            direction_scales=np.vstack([none, *(x.scales for x in self._directions)]),
        )
        return tree.compact() if self._directions else tree

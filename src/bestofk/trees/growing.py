"""Growth of trees: compiled where each row counts one, else level by level."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from bestofk.array_types import Bools, Codes, Floats, Ints, Positions
from bestofk.trees._growth import ROOT, Growth
from bestofk.trees._sending import send_coded, send_listed, tally
from bestofk.trees.choosing import choose, least_score, refused_nodes
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.level import Branches, Level, first_level, next_level
from bestofk.trees.measuring import Training, measure, modes
from bestofk.trees.node_book import DealtRows, GrownNodes, NodeBook, Picked
from bestofk.trees.oblique import Direction, better_directions
from bestofk.trees.sorting import Columns
from bestofk.trees.tree import Tree

# Nodes times attributes measured at once: their tests are in memory together.
_BLOCK: Final = 65536

Watch = Callable[[int, int, float], None]


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
        The rows to grow on; None for all. What a threshold may be, and which attributes have
        many values, is judged by the whole table.
    watch : callable or None, default=None
        As for `grow_by_level`; where it is given, no level is skipped.

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
    is_many = many_valued(columns, len(y))
    return _grow(training, level, is_many, watch).tree(columns, classes, rules, None)


def grow_together(
    columns: Columns, parts: Sequence[Positions], y: Codes, classes: np.ndarray, rules: GrowthRules
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
    columns: Columns, parts: Sequence[Positions], y: Codes, classes: np.ndarray, rules: GrowthRules
) -> tuple[Tree, Ints] | None:
    """Grow the trees of several parts as one; parameters are those of `grow_together`.

    Returns
    -------
    forest, root : Tree, ndarray of shape (n_nodes,), or None
        The nodes of all trees, and the root of each: that of part p is node p. None where
        the rules, or a part that is not split at all, ask that trees grow one by one.
    """
    sizes = [len(rows) for rows in parts]
    is_many = many_valued(columns, sizes[0])
    needs_many = rules.choice == "ratio-above-average"  # nothing else asks for them
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
    """Return which attributes are left out of the average gain, shape (n_attributes,)."""
    is_many = columns.is_nominal & (columns.n_levels >= 0.3 * n_rows - 1e-6)
    is_many &= [attribute.edges is None for attribute in columns.attributes]
    return np.asarray(is_many & (not is_many.all()))


def _grow(
    training: Training, level: Level, is_many: Bools, watch: Watch | None = None
) -> GrownNodes:
    """Grow from the roots of a level."""
    if watch is not None or not _may_be_compiled(training, level):
        return grow_by_level(training, level, is_many, watch)
    growth = Growth(training, level, is_many, least_score(training.rules))
    growth.grow()
    n = growth.n_nodes
    lookup = growth.lookup[: growth.n_lookup]
    return GrownNodes.of(growth.numbers[:n], growth.counts[:n].copy(), lookup)


def _may_be_compiled(training: Training, level: Level) -> bool:
    """Return whether a tree grows in one compiled call: by common rules, and rows counting one."""
    rules, has_levels = training.rules, training.columns.most_levels > 0
    is_special = rules.in_32_bits or rules.criterion == "hellinger" or rules.intervals is not None
    asks_more = rules.alpha is not None or rules.costs is not None or rules.oblique is not None
    # Groups of levels, and gains rounded as by Weka, are those of levels alone.
    divides_else = has_levels and (rules.nominal_splits == "group" or rules.tie == 0.0)
    return level.is_counting and not (is_special or asks_more or divides_else)


def grow_by_level(
    training: Training, level: Level, is_many: Bools, watch: Watch | None = None
) -> GrownNodes:
    """Grow from the roots of a level, level by level, by any rules.

    Parameters
    ----------
    training : Training
        Table, classes and rules.
    level : Level
        The roots.
    is_many : ndarray of shape (d,), bool
        Attributes that are left out of the average gain.
    watch : callable or None, default=None
        Told the depth of each level, how many nodes it has, and what its rows weigh; at last of
        a level without nodes.

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
    """Return which nodes with these class counts are impure and large enough to be split."""
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
    picked: Picked,
    side: Codes,
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
    return replace(level, nodes=nodes, spans=spans, counts=counts, paid=paid)

"""Best test of each attribute at each node of a level, and its worth."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bestofk.array_types import Bools, Codes, Floats, Ints
from bestofk.trees._grouping import group_levels
from bestofk.trees._nominal_tests import count_levels, measure_branches, measure_divisions
from bestofk.trees._split_search import (
    FOUND_WIDTH,
    ROW_MASK,
    Nodes,
    Search,
    cut_counted,
    cut_sorted,
    cut_weighted,
    measure_cuts,
    measure_information,
    set_needs,
    sort_level,
)
from bestofk.trees.discretization import intervals_at_nodes
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.level import Level
from bestofk.trees.sorting import Columns

PRESENT: Final = 0.5  # weight above which a level occurs at a node
Single = NDArray[np.float32]


@dataclass
class Tests:
    """The best test of each of d attributes at each of b nodes.

    Attributes
    ----------
    is_valid : ndarray of shape (b, d), bool
        Whether there is a test.
    worth : ndarray of shape (b, d), float64
        Decrease of impurity or distance, times the share of known weight, minus the penalty.
    split_info : ndarray of shape (b, d), float64
        Entropy of the branches in bits, with unknown rows as a further branch; 0 unless ratios
        decide.
    penalty : ndarray of shape (b, d), float64
        Penalty for the number of possible cuts.
    n_branches : ndarray of shape (b, d), int64
        Branches.
    cuts : ndarray of shape (d, b, 7), float64
        For numeric and ordinal attributes: cuts found by `_split_search`.
    mappings : dict of int to ndarray of shape (b, n_levels), int16
        For nominal ones: branch of each level.
    stand_ins : dict of int to ndarray of shape (b, c), int32
        Rank or level that replaces a missing one, by class; if any is missing.
    """

    is_valid: Bools
    worth: Floats
    split_info: Floats
    penalty: Floats
    n_branches: Ints
    cuts: Floats
    mappings: dict[int, Codes] = field(default_factory=dict)
    stand_ins: dict[int, NDArray[np.int32]] = field(default_factory=dict)

    @classmethod
    def none(cls, cuts: Floats) -> Tests:
        """Return tests with only the cuts found, shape (d, b, 7), not measured yet."""
        shape = cuts.shape[1::-1]
        worth, split_info, penalty = (np.zeros(shape) for _ in range(3))
        n_branches = np.full(shape, 2)
        return cls(np.zeros(shape, np.bool_), worth, split_info, penalty, n_branches, cuts)


@dataclass
class Training:
    """Data and settings that are constant while a tree grows.

    Attributes
    ----------
    columns : Columns
        The table, sorted.
    y : ndarray of shape (n,), int16
        Classes.
    rules : GrowthRules
        How the tree grows.
    table : ndarray of shape (n + 1,), float64
        k log2 k, or k squared for Gini; of shape (0,) if rows have weights.
    """

    columns: Columns
    y: Codes
    rules: GrowthRules
    table: Floats

    @cached_property
    def for_loops(self) -> Any:
        """Rules, classes and table for the compiled loops: a `Search`."""
        return Search(self.rules.for_loops, self.y, self.table)


def measure(training: Training, level: Level) -> Tests:
    """Find the best test of every attribute at each node of a level.

    Parameters
    ----------
    training : Training
        Table, classes and rules.
    level : Level
        The nodes.

    Returns
    -------
    Tests
    """
    columns, rules = training.columns, training.rules
    d, n_nodes = len(columns.attributes), len(level.nodes)
    weight = level.counts.sum(axis=1)
    cuts = np.zeros((d, n_nodes, FOUND_WIDTH))
    known = np.repeat(weight[:, None], d, axis=1)
    tests = Tests.none(cuts)
    rows = _CountedRows(training, level)
    if len(level.keys):
        is_listed = columns.is_listed == 1
        result = cuts if len(level.keys) == d else cuts[is_listed]
        for lines in columns.workspace.blocks(len(level.keys)):
            _cut_listed(training, level, rows, lines, result[lines])
            columns.workspace.release()
        if result is not cuts:
            cuts[is_listed] = result
    for a in columns.ranked:
        known[:, a] = _cut_coded(training, level, rows, a, cuts[a], tests)
        columns.workspace.release()
    if not columns.is_nominal.all():
        value_cuts(tests, known, weight, rules)
        if rules.in_32_bits and rules.missing == "fractional":
            for cut in np.flatnonzero(tests.is_valid.any(axis=0)):
                _count_cuts(training, level, int(cut), weight, tests)
    if columns.most_levels:
        for nominal in np.flatnonzero(columns.is_nominal):
            _measure_nominal(training, level, int(nominal), weight, tests)
            columns.workspace.release()
    return tests


def _count_cuts(training: Training, level: Level, a: int, weight: Floats, tests: Tests) -> None:
    """Measure the best cuts of an attribute again from the classes on both sides."""
    columns, n_classes = training.columns, level.counts.shape[1]
    middle = columns.thresholds(a, tests.cuts[a][:, 2:6].astype(np.int64), "midpoint")
    node, values = level.node_of_place(), columns.raw[a][level.rows]
    is_known = values >= 0 if values.dtype.kind == "i" else ~np.isnan(values)
    at = (2 * node + (values > middle[node])) * n_classes + training.y[level.rows]
    parts = level.weight if level.weight.size else np.ones(len(at))
    n_sides = 2 * len(middle)
    counts = np.bincount(at[is_known], parts[is_known], n_sides * n_classes)
    sides = counts.reshape(len(middle), 2, n_classes).astype(np.float64)
    gain, _ = worth_of_branches(sides, sides.sum(axis=1), weight, is_cut=True)
    tests.worth[:, a] = rounded(gain - tests.penalty[:, a])
    tests.is_valid[:, a] &= tests.worth[:, a] > 0.0


def modes(training: Training, level: Level, a: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the most frequent rank or level of a coded attribute at each node.

    Parameters
    ----------
    training, level
        As for `measure`.
    a : int
        The attribute.

    Returns
    -------
    by_class : ndarray of shape (b, c), int32
        Among the rows of each class, -1 if none is known; the lowest on ties.
    overall : ndarray of shape (b,), int32
        Among all rows.
    """
    n_nodes, n_classes = level.counts.shape
    by_class = np.full((n_nodes, n_classes), -1, np.int32)
    overall = np.full(n_nodes, -1, np.int32)
    codes = training.columns.codes[training.columns.code_row[a]]
    for node in range(n_nodes):
        here = slice(level.spans[node], level.spans[node + 1])
        rows = level.rows[here]
        known = codes[rows] >= 0
        if not known.any():
            continue
        weight = level.weight[here][known] if level.weight.size else np.ones(known.sum())
        distinct, at = np.unique(codes[rows][known], return_inverse=True)
        sums = np.zeros((len(distinct), n_classes))
        np.add.at(sums, (at, training.y[rows][known]), weight)
        overall[node] = distinct[np.argmax(np.round(sums.sum(axis=1), 9))]
        best = np.round(sums, 9).argmax(axis=0)
        by_class[node] = np.where(sums.max(axis=0) > 0, distinct[best], -1)
    return by_class, overall


def _stand_ins(training: Training, level: Level, a: int, tests: Tests) -> NDArray[np.int32]:
    """Store and return the replacement of a missing value, by node and class."""
    rule = training.rules.missing
    if rule == "fractional" or not training.columns.has_missing:
        return np.full(level.counts.shape, -1, np.int32)
    by_class, overall = modes(training, level, a)
    if rule == "most-frequent":
        by_class[:] = overall[:, None]
    tests.stand_ins[a] = np.where(by_class >= 0, by_class, overall[:, None]).astype(np.int32)
    return tests.stand_ins[a]


def value_cuts(tests: Tests, known: Floats, weight: Floats, rules: GrowthRules) -> None:
    """Set the worth of the cuts of the numeric attributes.

    Parameters
    ----------
    tests : Tests
        Tests with the cuts found, none for nominal attributes; the rest is set.
    known : ndarray of shape (b, d), float64
        Known weight.
    weight : ndarray of shape (b,), float64
        Weights of the nodes.
    rules : GrowthRules
        Penalty and ties.
    """
    if not rules.in_32_bits:
        is_valid, info = tests.is_valid, tests.split_info
        measure_cuts(
            rules.for_loops, tests.cuts, known, weight, is_valid, tests.worth, tests.penalty, info
        )
        return
    n_cuts = tests.cuts[:, :, 0].T
    worth = tests.cuts[:, :, 1].T / weight[:, None]
    is_valid = n_cuts > 0
    if not rules.takes_zero:
        is_valid &= worth > rules.tie
    if rules.numeric_penalty:
        tests.penalty[:] = rounded(np.log2(np.maximum(n_cuts, 1.0)) / weight[:, None])
        worth = rounded(worth) - tests.penalty
        is_valid &= worth > 0.0
    tests.is_valid[:] = is_valid
    tests.worth[:] = rounded(worth)
    if rules.needs_split_info:
        left = tests.cuts[:, :, 6].T
        parts = np.stack([weight[:, None] - known, left, known - left], axis=-1)
        tests.split_info[:] = split_info_in_32_bits(parts, weight[:, None])


def needs_of_cuts(known: Floats, n_known: Ints, level: Level, rules: GrowthRules) -> Floats:
    """Return the minimum weight of both sides of a cut, and the margin for a later cut.

    Parameters
    ----------
    known : ndarray of shape (b,), float64
        Known weight of each node.
    n_known : ndarray of shape (b,), int64
        Known rows.
    level : Level
        The nodes.
    rules : GrowthRules
        Minimum weights and ties.

    Returns
    -------
    ndarray of shape (b, 2), float64
    """
    needs = np.empty((len(level.counts), 2))
    set_needs(rules.for_loops, level.counts, known, n_known, needs)
    return needs


@dataclass(frozen=True, eq=False)
class _CountedRows:
    """Rows and classes shared by all attributes without missing values at a level."""

    training: Training
    level: Level

    @cached_property
    def sizes(self) -> Ints:
        """Rows of each node."""
        return np.diff(self.level.spans)

    @cached_property
    def needs(self) -> Floats:
        """Requirements of cuts if each row counts one; see `needs_of_cuts`."""
        weight = self.sizes.astype(np.float64)
        return needs_of_cuts(weight, self.sizes, self.level, self.training.rules)

    @cached_property
    def classes(self) -> Codes:
        """Class of each row of the level."""
        return self.training.y[self.level.rows]


def _cut_listed(
    training: Training, level: Level, rows: _CountedRows, lines: slice, best_cuts: Floats
) -> None:
    """Search the cuts of some listed attributes; best_cuts has shape (n_lines, b, 7)."""
    columns, search, needs = training.columns, training.for_loops, rows.needs
    if training.rules.criterion != "hellinger":
        keys, fine = level.keys[lines], columns.fine_line[columns.is_listed == 1][lines]
        cut_sorted(search, keys, level.for_loops, training.y, columns.reach, fine, needs, best_cuts)
        return
    near = np.empty(0)
    for keys, best in zip(level.keys[lines], best_cuts, strict=True):
        cut_weighted(search, keys, level.for_loops, training.y, near, needs, best)


def _cut_coded(
    training: Training, level: Level, shared: _CountedRows, a: int, best_cuts: Floats, tests: Tests
) -> Floats:
    """Search the cuts of a ranked attribute and return the known weight; best_cuts: (b, 7)."""
    columns, rules, search = training.columns, training.rules, training.for_loops
    n_nodes, n_classes = level.counts.shape
    n_levels = int(columns.n_levels[a])
    start = int(columns.value_start[a])
    is_near = bool(columns.is_fine[a]) and rules.gap > 0
    values = columns.values[start : start + n_levels] if is_near else np.empty(0)
    codes = columns.codes[columns.code_row[a]]
    sizes = shared.sizes
    is_counting = level.is_counting and rules.criterion != "hellinger"
    is_counted = np.zeros(n_nodes, np.bool_)
    if is_counting:
        weight, needs = sizes.astype(np.float64), shared.needs
        is_counted = n_levels <= 2 * sizes
        if is_counted.any():
            histogram = np.zeros((n_levels, n_classes), np.int64)
            cut_counted(
                search, codes, values, level.for_loops, needs, is_counted, histogram, best_cuts
            )
        if is_counted.all():
            return weight
    stand_in = _stand_ins(training, level, a, tests)
    keys = np.empty((1, len(level.rows)), np.int64)
    ends = np.zeros(n_nodes + 1, np.int64)
    sort_level(search, codes, n_levels, level.for_loops, stand_in, is_counted, keys[0], ends)
    classes = shared.classes
    if is_counting:
        nodes = Nodes(level.rows, ends, level.weight, level.counts)
        fine = columns.fine_line[a : a + 1]
        cut_sorted(search, keys, nodes, classes, columns.reach, fine, needs, best_cuts[None])
        return weight
    indices = keys[0, : ends[-1]] & ROW_MASK
    part = level.weight if level.weight.size else np.ones(len(level.rows))
    at = np.repeat(np.arange(n_nodes), np.diff(ends)) * n_classes + classes[indices]
    known = np.bincount(at, weights=part[indices], minlength=n_nodes * n_classes)
    known = known.reshape(n_nodes, n_classes).astype(np.float64)  # counts of empty cells
    needs = needs_of_cuts(known.sum(axis=1), np.diff(ends), level, rules)
    nodes = Nodes(level.rows, ends, part, known)
    cut_weighted(search, keys[0], nodes, classes, values, needs, best_cuts)
    return np.asarray(known.sum(axis=1))


def _measure_branches(
    counts: Floats, a: int, weight: Floats, rules: GrowthRules, tests: Tests
) -> None:
    """Measure the test whose branches have these class weights, shape (b, branches, c)."""
    known, is_valid = np.empty(len(counts)), tests.is_valid[:, a]
    worth, info = tests.worth[:, a], tests.split_info[:, a]
    measure_branches(counts, weight, rules.for_loops, is_valid, worth, info, known)
    if rules.tie == 0.0:
        worth[:] = _gain_by_formula(counts) * (known / weight)
    if rules.in_32_bits:
        tests.worth[:, a], tests.split_info[:, a] = worth_of_branches(
            counts, counts.sum(axis=1), weight, is_cut=False
        )


def _gain_by_formula(counts: Floats) -> Floats:
    """Return the gain of a branch for each level, rounded step by step as in Weka's Id3."""
    total = counts.sum(axis=(1, 2))
    gain = _entropy_by_formula(counts.sum(axis=1))
    for v in range(counts.shape[1]):
        share = counts[:, v].sum(axis=1) / np.where(total > 0, total, 1.0)
        gain -= share * _entropy_by_formula(counts[:, v])
    return gain


def _entropy_by_formula(counts: Floats) -> Floats:
    """Return log2 n - sum_k n_k log2 n_k / n for class weights of shape (b, c); 0 if n = 0."""
    total = counts.sum(axis=1)
    n = np.where(total > 0, total, 1.0)
    result = np.zeros(len(counts))
    for k in range(counts.shape[1]):
        n_k = np.where(counts[:, k] > 0, counts[:, k], 1.0)
        result -= n_k * (np.log(n_k) / np.log(2.0))
    return np.where(total > 0, result / n + np.log(n) / np.log(2.0), 0.0)


def _measure_nominal(
    training: Training, level: Level, a: int, weight: Floats, tests: Tests
) -> None:
    """Measure the best test of a nominal attribute."""
    columns, rules = training.columns, training.rules
    n_nodes, n_classes = level.counts.shape
    n_levels = int(columns.n_levels[a])
    stand_in = _stand_ins(training, level, a, tests)
    counts = np.zeros((n_nodes, n_levels, n_classes))
    codes = columns.codes[columns.code_row[a]]
    count_levels(training.for_loops, codes, level.for_loops, stand_in, counts)
    if rules.intervals is not None and columns.attributes[a].edges is not None:
        start = int(columns.value_start[a])
        values = columns.values[start : start + n_levels]
        mapping = intervals_at_nodes(counts, values, rules.intervals, rules.n_bins)
        n_branches = mapping.max(axis=1).astype(np.int64) + 1
        by_branch = np.zeros((n_nodes, int(n_branches.max()), n_classes))
        np.add.at(by_branch, (np.arange(n_nodes)[:, None], mapping), counts)
        _measure_branches(by_branch, a, weight, rules, tests)
        tests.n_branches[:, a] = n_branches
        tests.mappings[a] = mapping
        return
    if rules.nominal_splits == "multiway":
        _measure_branches(counts, a, weight, rules, tests)
        tests.n_branches[:, a] = n_levels
        identity = np.arange(n_levels, dtype=np.int16)
        tests.mappings[a] = np.broadcast_to(identity, (n_nodes, n_levels))
        return
    mapping = np.full((n_nodes, n_levels), -1, np.int16)
    if rules.nominal_splits == "group":
        _measure_groups(counts, a, weight, rules, mapping, tests)
    else:
        is_valid, info = tests.is_valid[:, a], tests.split_info[:, a]
        worth = tests.worth[:, a]
        measure_divisions(counts, weight, rules.for_loops, mapping, is_valid, worth, info)
    if rules.in_32_bits:
        by_level, n_branches = counts.sum(axis=2), tests.n_branches[:, a]
        is_counted = by_level > (PRESENT if rules.nominal_splits == "group" else 0.0)
        by_branch = np.zeros((n_nodes, int(n_branches.max()), n_classes))
        at = (np.arange(n_nodes)[:, None], np.maximum(mapping, 0))
        np.add.at(by_branch, at, np.where(is_counted[..., None], counts, 0.0))
        tests.worth[:, a], tests.split_info[:, a] = worth_of_branches(
            by_branch, counts.sum(axis=1), weight, is_cut=False
        )
    tests.mappings[a] = mapping


def _measure_groups(
    counts: Floats, a: int, weight: Floats, rules: GrowthRules, mapping: Codes, tests: Tests
) -> None:
    """Measure the best groups of levels, and write them to `mapping`."""
    worth = np.full(len(counts), np.nan)
    grouped_levels(counts, weight, rules, mapping, worth)
    is_valid = ~np.isnan(worth)
    n_branches = np.maximum(mapping.max(axis=1, initial=-1).astype(np.int64) + 1, 2)
    by_level = counts.sum(axis=2)
    parts = [np.where(mapping == v, by_level, 0.0).sum(axis=1) for v in range(n_branches.max())]
    tests.is_valid[:, a] = is_valid
    tests.worth[:, a] = np.where(is_valid, worth, 0.0) / weight
    measure_information(np.stack(parts, axis=-1), weight, tests.split_info[:, a])
    tests.n_branches[:, a] = n_branches


def grouped_levels(
    counts: Floats, weight: Floats, rules: GrowthRules, mapping: Codes, worth: Floats
) -> None:
    """Join levels step by step, two groups at a time, as long as the test improves.

    Parameters
    ----------
    counts : ndarray of shape (b, n_levels, c), float64
        Known class weights by node and level; entropy is the criterion.
    weight : ndarray of shape (b,), float64
        Weights of the nodes, unknown rows included.
    rules : GrowthRules
        Minimum weight of a branch, and whether ratios decide.
    mapping : ndarray of shape (b, n_levels), int16
        Set to the branch of each level. Levels of weight one half or less at the node share a
        further branch, the last. Two levels are not grouped.
    worth : ndarray of shape (b,), float64
        Set to worth times known weight; unchanged where there is no test.

    Notes
    -----
    Levels that contain only the same class are joined first. Then the two groups are joined whose
    union has the best ratio (or gain), as long as the ratio increases by 1e-5, down to two groups.
    While fewer than three groups are large enough for branches, the heaviest is left out; while
    fewer than two are, joining continues regardless of worth. Pairs that keep half the first gain
    precede others.

    References
    ----------
    .. [1] Quinlan (1993), C4.5: Programs for Machine Learning, section 7.2.
    """
    if counts.shape[1] > 2:
        by_ratio = rules.choice != "worth"
        group_levels(counts, weight, rules.min_branch, PRESENT, by_ratio, mapping, worth)
        return
    by_level = counts.sum(axis=2)
    is_valid = (by_level >= rules.min_branch - 1e-6).sum(axis=1) >= 2
    result = -_weighted_entropy(counts).sum(axis=1) + _weighted_entropy(counts.sum(axis=1))
    worth[is_valid] = result[is_valid]
    mapping[is_valid] = np.arange(counts.shape[1])


def _weighted_entropy(counts: Floats) -> Floats:
    """Return weight times entropy in bits of class weights of shape (..., c)."""
    parts = np.append(counts, counts.sum(axis=-1, keepdims=True), axis=-1)
    logs = np.log2(parts, out=np.zeros_like(parts), where=parts > 0)
    return np.asarray(parts[..., -1] * logs[..., -1] - (parts * logs)[..., :-1].sum(axis=-1))


def rounded(values: Floats) -> Floats:
    """Return numbers of 64 bits rounded to 32 bits, of the same shape."""
    return values.astype(np.float32).astype(np.float64)


def worth_of_branches(
    branches: Floats, known: Floats, weight: Floats, *, is_cut: bool
) -> tuple[Floats, Floats]:
    """Return gain and split information of tests.

    Parameters
    ----------
    branches : ndarray of shape (b, n_branches, c), float64
        Class weights of the branches.
    known : ndarray of shape (b, c), float64
        Class weights of the rows whose branch is known.
    weight : ndarray of shape (b,), float64
        Weight of the nodes, above 0, unknown rows included.
    is_cut : bool
        Whether a number is tested: then the entropy of the node is rounded step by step, too.

    Returns
    -------
    gain, info : ndarray of shape (b,), float64
        In bits; sums are rounded at every step. The gain is 0 if nothing is known.
    """
    total = weight.astype(np.float32)
    sizes = known.sum(axis=1).astype(np.float32)
    by_size = np.where(sizes > 0, sizes, np.float32(1))
    if is_cut:
        entropy = _sum_of_logs(known) / by_size
    else:
        logs = _times_log(sizes) - _times_log(known.astype(np.float32)).sum(axis=1)
        entropy = (logs / by_size).astype(np.float32)
    inside = np.zeros_like(entropy)
    for branch in _sum_of_logs(branches).T:
        inside = inside + branch
    unknown = np.maximum(total - sizes, 0)
    gain = (np.float32(1) - unknown / total) * (entropy - inside / by_size)
    parts = np.concatenate([unknown[:, None], branches.sum(axis=2)], axis=1)
    return gain.astype(np.float64), split_info_in_32_bits(parts, weight)


def split_info_in_32_bits(parts: Floats, weight: Floats) -> Floats:
    """Return the entropy of weights, in bits.

    Parameters
    ----------
    parts : ndarray of shape (..., n), float64
        Weights of the unknown rows, and of the branches.
    weight : ndarray of shape (...), float64
        Weights of the nodes, above 0.

    Returns
    -------
    ndarray of shape (...), float64
    """
    return (_sum_of_logs(parts) / weight.astype(np.float32)).astype(np.float64)


def _sum_of_logs(parts: Floats) -> Single:
    """Return t log2 t minus the sum of w log2 w, for weights w of shape (..., n) with sum t."""
    result = np.zeros(parts.shape[:-1], np.float32)
    total = np.zeros(parts.shape[:-1], np.float32)
    for i in range(parts.shape[-1]):
        part = parts[..., i].astype(np.float32)
        result = (result + _times_log(part)).astype(np.float32)
        total = total + part
    return (_times_log(total) - result).astype(np.float32)


def _times_log(x: Single) -> Floats:
    wide = x.astype(np.float64)
    return wide * np.log2(wide, out=np.zeros_like(wide), where=wide > 0)

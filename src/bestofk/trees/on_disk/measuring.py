"""Best test of each attribute, found by one pass over each column on disk."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestofk.trees._split_search import worth
from bestofk.trees.arrays import Floats
from bestofk.trees.growth_rules import CLASS_RULES, CRITERIA, GrowthRules
from bestofk.trees.level import Level
from bestofk.trees.measuring import Tests, Training, measure, needs_of_cuts, value_cuts
from bestofk.trees.on_disk import _scan
from bestofk.trees.on_disk.disk_table import DiskTable
from bestofk.trees.sorting import _MOST_DISTINCT, sort_columns


@dataclass
class OpenRows:
    """The rows of the nodes of a level that may still be split.

    Attributes
    ----------
    table : DiskTable
        Their table, and maybe rows of leaves.
    node_class : ndarray of shape (n_rows,), int32 or int64
        Node of each row, and its class in the low bits; -1 for rows of leaves.
    shift : int
        How many low bits.
    """

    table: DiskTable
    node_class: NDArray[np.int32] | NDArray[np.int64]
    shift: int


@dataclass
class CutTests:
    """The best tests of b nodes, and the values on the two sides of each cut.

    Attributes
    ----------
    tests : Tests
        As in memory, but the cuts have no ranks and rows.
    sides : ndarray of shape (d, b, 2), float64
        Values below and above the best cut.
    """

    tests: Tests
    sides: Floats


def node_bytes(table: DiskTable, n_classes: int) -> int:
    """Return how much memory the search takes for each node."""
    most_levels = int(table.n_levels[table.is_nominal].max(initial=0))
    d, all_levels = len(table.attributes), int(table.n_levels[table.is_nominal].sum())
    return 160 * d + 400 + 28 * n_classes + 80 * most_levels * n_classes + 2 * all_levels


def measure_on_disk(
    rows: OpenRows, counts: Floats, start: int, rules: GrowthRules, count_table: Floats, n_all: int
) -> CutTests:
    """Find the best test of every attribute at some nodes of a level.

    Parameters
    ----------
    rows : OpenRows
        Where the rows are.
    counts : ndarray of shape (b, c), float64
        Class weights of the nodes looked at.
    start : int
        The first of them.
    rules : GrowthRules
        How the tree grows.
    count_table : ndarray, float64
        k log2 k, or k squared for Gini, up to the rows of the level.
    n_all : int
        Training rows.

    Returns
    -------
    CutTests
    """
    d, n_nodes = len(rows.table.attributes), len(counts)
    weight = counts.sum(axis=1)
    tests = Tests(
        is_valid=np.zeros((n_nodes, d), np.bool_),
        worth=np.zeros((n_nodes, d)),
        split_info=np.zeros((n_nodes, d)),
        penalty=np.zeros((n_nodes, d)),
        n_branches=np.full((n_nodes, d), 2),
        cuts=np.zeros((d, n_nodes, 7)),
    )
    sides = np.zeros((d, n_nodes, 2))
    is_numeric = ~rows.table.is_nominal
    for a in np.flatnonzero(is_numeric):
        _search(rows, int(a), counts, start, rules, count_table, n_all, tests, sides)
    value_cuts(tests, np.repeat(weight[:, None], d, axis=1), weight, rules)
    for a in np.flatnonzero(~is_numeric):
        _measure_levels(rows, int(a), counts, start, rules, tests)
    return CutTests(tests, sides)


def _search(
    rows: OpenRows,
    a: int,
    counts: Floats,
    start: int,
    rules: GrowthRules,
    count_table: Floats,
    n_all: int,
    tests: Tests,
    sides: Floats,
) -> None:
    """Search the cuts of one attribute in one pass over its sorted values."""
    table = rows.table
    n_levels, is_fine = int(table.n_levels[a]), bool(table.is_fine[a])
    sizes = counts.sum(axis=1).astype(np.int64)
    is_hellinger = rules.criterion == "hellinger"
    # In memory, too, sums go value by value where that is less work: their last bits differ.
    is_listed = n_levels > max(_MOST_DISTINCT * n_all, 64)
    may_count = not is_listed and not is_hellinger
    is_counted = (n_levels <= 2 * sizes) & may_count
    state = _first_state(counts, sizes, rules, count_table)
    base = state[:, _scan.WORTH].copy()
    tallies = np.zeros((len(counts), 3, counts.shape[1]), np.int32)
    tallies[:, _scan.ON_RIGHT] = counts
    gap = rules.gap if is_fine else 0.0
    rule = (CRITERIA[rules.criterion], CLASS_RULES[rules.class_rule], gap)
    search = _scan.CutSearch(rule, count_table, is_counted.view(np.uint8), state, tallies)
    for values, order in table.sorted_chunks(a):
        _scan.find_cuts(search, values, order, rows.node_class, start, rows.shift)
    tests.cuts[a, :, 0] = state[:, _scan.CUTS]
    tests.cuts[a, :, 1] = state[:, _scan.WORTH] - base
    tests.cuts[a, :, 6] = state[:, _scan.LEFT]
    sides[a] = state[:, [_scan.LOW, _scan.HIGH]]


def _first_state(
    counts: Floats, sizes: NDArray[np.int64], rules: GrowthRules, count_table: Floats
) -> Floats:
    """Return what a search knows before the first value."""
    n_nodes = len(counts)
    empty = np.empty(0, np.int32)
    level = Level(
        np.empty(0, np.int64),
        empty,
        np.empty(0, np.int64),
        np.empty(0),
        empty.astype(np.int64),
        counts,
        np.zeros((n_nodes, 0), np.bool_),
    )
    needs = needs_of_cuts(sizes.astype(np.float64), sizes, level, rules)
    state = np.zeros((n_nodes, _scan.STATE_WIDTH))
    state[:, _scan.VALUE] = np.nan
    state[:, _scan.N_ALL] = sizes
    state[:, _scan.FIRST] = np.maximum(np.ceil(needs[:, 0] - 1e-6), 1)
    state[:, _scan.TIE] = needs[:, 1]
    if rules.criterion == "hellinger":
        both = np.zeros((2, counts.shape[1]))
        for node in range(n_nodes):
            both[1] = counts[node]
            rule = (CRITERIA[rules.criterion], CLASS_RULES[rules.class_rule], float(sizes[node]))
            state[node, _scan.SUM_LEFT] = worth(both, *rule)
        base = np.zeros(n_nodes)
    else:
        total = np.zeros(n_nodes)
        for k in range(counts.shape[1]):
            total += count_table[counts[:, k].astype(np.int64)]
        state[:, _scan.SUM_RIGHT] = total
        base = total / sizes if rules.criterion == "gini" else total - count_table[sizes]
    state[:, _scan.BEST] = -np.inf if rules.takes_zero else base + needs[:, 1]
    state[:, _scan.WORTH] = base
    return state


def _measure_levels(
    rows: OpenRows, a: int, counts: Floats, start: int, rules: GrowthRules, tests: Tests
) -> None:
    """Measure the best test of a nominal attribute from its counts.

    To the measures it is a table with one row for each level and class that counts as often as
    it occurs.
    """
    (n_nodes, n_classes), n_levels = counts.shape, int(rows.table.n_levels[a])
    by_level = np.zeros((n_nodes, n_levels, n_classes))
    for begin, (chunk,) in rows.table.row_chunks([a]):
        index = rows.node_class[begin : begin + chunk.size]
        _scan.count_codes(chunk, index, start, rows.shift, by_level)
    n_cells = n_levels * n_classes
    cells = np.arange(n_cells, dtype=np.int32)
    y = (cells % n_classes).astype(np.int16)
    attribute, codes = rows.table.attributes[a], cells // n_classes
    columns = sort_columns((attribute,), (codes,), y=y, may_list=False)
    level = Level(
        nodes=np.arange(n_nodes),
        rows=np.tile(cells, n_nodes),
        spans=np.arange(n_nodes + 1) * n_cells,
        weight=by_level.ravel(),
        keys=columns.keys,
        counts=counts,
        paid=np.zeros((n_nodes, 0), np.bool_),
    )
    result = measure(Training(columns, y, rules, np.empty(0)), level)
    tests.is_valid[:, a] = result.is_valid[:, 0]
    tests.worth[:, a] = result.worth[:, 0]
    tests.split_info[:, a] = result.split_info[:, 0]
    tests.n_branches[:, a] = result.n_branches[:, 0]
    tests.mappings[a] = result.mappings[0]


def low_bits(n_classes: int) -> int:
    """Return how many bits hold a class."""
    return max(math.ceil(math.log2(n_classes)), 1)

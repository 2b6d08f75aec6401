"""Compiled loops of growing trees, on arrays made by hand."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from bestofk.trees import C45Classifier, _split_search
from bestofk.trees._nominal_tests import measure_divisions
from bestofk.trees._sorted_columns import deal_keys, largest_within, take_keys
from bestofk.trees._split_search import (
    CLASS_BITS,
    CODE_HIGH,
    CODE_LOW,
    CUTS,
    FOUND_WIDTH,
    LEFT,
    ROW_BITS,
    ROW_MASK,
    WORTH,
    Nodes,
    Search,
    first_best,
    sort_level,
)
from bestofk.trees.growth_rules import GrowthRules


def nodes(spans, counts, rows=(), weight=()):
    """Return nodes for the loops."""
    return Nodes(
        np.array(rows, np.int32), np.array(spans), np.array(weight, float), np.array(counts, float)
    )


def search(y, table=(), **rules):
    """Return what a search needs, by these rules."""
    rules = GrowthRules(**rules).for_loops
    return Search(rules, np.array(y, np.int16), np.array(table, float))


def cut_sorted(codes: list[list[int]], y: list[int], least: float = 1.0) -> np.ndarray:
    """Return what is found for nodes with these sorted codes; y runs through all of them."""
    spans = np.cumsum([0, *map(len, codes)])
    flat = [code for node in codes for code in node]
    labels = np.array(y, dtype=np.int16)
    keys = np.array(
        [code << ROW_BITS | y[row] << CLASS_BITS | row for row, code in enumerate(flat)],
        dtype=np.int64,
    )[None]
    k = np.arange(len(flat) + 1.0)
    table = k * np.log2(np.maximum(k, 1))
    counts = np.array(
        [np.bincount(labels[a:b], minlength=2) for a, b in pairwise(spans)],
        float,
    ).reshape(-1, 2)
    needs = np.array([[least, 1e-9]] * len(codes)).reshape(-1, 2)
    looked_at = nodes(spans, counts)
    result = np.zeros((1, len(codes), FOUND_WIDTH))
    none, fine = np.empty((0, 1), np.int32), np.array([-1], np.int32)
    _split_search.cut_sorted(search(y, table), keys, looked_at, labels, none, fine, needs, result)
    return result[0]


def test_nodes_without_rows_or_cuts_are_left_alone():
    assert cut_sorted([], []).shape == (0, FOUND_WIDTH)
    assert cut_sorted([[]], []).tolist() == [[0.0] * FOUND_WIDTH]
    result = cut_sorted([[4], [2, 2, 2]], [0, 0, 1, 1])
    assert result[:, CUTS].tolist() == [0, 0]
    assert result[:, WORTH].tolist() == [0, 0]


def test_the_first_of_equal_cuts_with_enough_rows_on_both_sides_is_found():
    # Cuts after the first and before the last row are worth the same: 4 H(1/2) - 3 H(1/3).
    result = cut_sorted([[0, 1, 2, 3]], [0, 1, 1, 0])[0]
    assert result[CUTS] == 3
    assert result[[CODE_LOW, CODE_HIGH, LEFT]].tolist() == [0, 1, 1]
    assert result[WORTH] == pytest.approx(4 - 3 * 0.9182958340544896)
    result = cut_sorted([[0, 1, 2, 3]], [0, 1, 1, 1], least=2.0)[0]
    assert result[CUTS] == 1
    assert result[LEFT] == 2


@pytest.mark.parametrize(("n_rows", "n_values"), [(10, 5), (400, 90), (1500, 5000)])
def test_rows_of_a_level_are_sorted_by_rank_and_place(n_rows, n_values):
    rng = np.random.default_rng(n_rows)
    codes = rng.integers(-1, n_values, n_rows).astype(np.int32)
    rows = rng.permutation(n_rows).astype(np.int32)
    spans = np.array([0, n_rows // 3, n_rows // 3, n_rows])
    keys, ends = np.zeros(n_rows, np.int64), np.zeros(4, np.int64)
    none = np.full((3, 1), -1, np.int32)
    y, skipped = np.zeros(n_rows, np.int16), np.zeros(3, np.bool_)
    level = nodes(spans, np.zeros((3, 1)), rows)
    sort_level(search(y), codes, n_values, level, none, skipped, keys, ends)
    expected = [
        sorted((codes[rows[j]], j) for j in range(a, b) if codes[rows[j]] >= 0)
        for a, b in pairwise(spans)
    ]
    assert np.diff(ends).tolist() == list(map(len, expected))
    results = [(key >> ROW_BITS, key & ROW_MASK) for key in keys[: ends[-1]]]
    assert results == [pair for node in expected for pair in node]


def test_nothing_is_chosen_where_nothing_may_be_or_is_better_than_nothing():
    score = np.array([[1.0, 2.0], [0.0, 0.0], [0.5, 0.5 + 1e-9], [np.nan, 0.1]])
    may = np.array([[False, False], [True, True], [True, True], [True, True]])
    chosen = np.zeros(4, np.int64)
    first_best(score, may, 1e-6, 1e-6, chosen)
    assert chosen.tolist() == [-1, -1, 0, 1]


def test_rows_that_lack_a_value_are_answered_by_all_branches_with_weight():
    tree = C45Classifier(pruning=None, min_samples_leaf=1).fit(
        pd.DataFrame({"x": pd.Categorical(list("aab"), categories=list("abc"))}), [0, 0, 1]
    )
    result = tree.predict_proba(pd.DataFrame({"x": pd.Categorical([None, "c"], list("abc"))}))
    np.testing.assert_allclose(result, [[2 / 3, 1 / 3], [2 / 3, 1 / 3]])


def test_rows_of_parts_are_taken_and_dealt_out_of_sorted_keys():
    # Rows 0, 1, 2 hold the ranks 2, 1, 0; rows 0 and 2 are kept.
    keys = np.array([[0 << 32 | 2, 1 << 32 | 1, 2 << 32 | 0]])
    out = np.zeros((1, 2), np.int64)
    take_keys(keys, np.array([0, -1, 1], np.int32), out)
    assert out.tolist() == [[0 << 32 | 1, 2 << 32 | 0]]
    dealt = np.zeros((1, 3), np.int64)
    row_start, part, index = np.array([0, 1, 1, 3]), np.array([0, 0, 1]), np.array([0, 1, 2])
    deal_keys(keys, row_start, part, index, np.array([0, 2, 3]), dealt)
    assert dealt.tolist() == [[0 << 32 | 1, 2 << 32 | 0, 0 << 32 | 2]]


def test_the_largest_value_of_a_part_is_within_the_limit():
    column, limit, result = np.array([3.0, 9.0, 5.0]), np.array([4.0, 5.0, 5.0]), np.empty(3)
    rows, starts, of_part = np.array([0, 2, 2]), np.array([0, 2, 3]), np.array([0, 0, 1])
    largest_within(column, rows, starts, of_part, limit, result)
    assert result.tolist() == [3, 5, 5]
    largest_within(column, rows, starts, of_part, limit - 3, result)
    assert result.tolist() == [-np.inf] * 3


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_levels", [5, 11])
def test_the_best_subset_of_levels_is_the_best_of_all(n_classes, n_levels):
    rng = np.random.default_rng(n_classes)
    counts = rng.integers(0, 9, (4, n_levels, n_classes)).astype(float)
    counts[0, 2] = 0  # a level without rows
    weight = counts.sum(axis=(1, 2))
    mapping, is_valid = np.full((4, n_levels), -1, np.int16), np.zeros(4, np.bool_)
    worth, info = np.empty(4), np.empty(4)
    rules = GrowthRules(criterion="gini", nominal_splits="subset", choice="ratio")
    measure_divisions(counts, weight, rules.for_loops, mapping, is_valid, worth, info)
    assert is_valid.all()
    for node in range(4):
        results = {}
        for chosen in range(1, 2**n_levels - 1):
            is_in = (chosen >> np.arange(n_levels)) & 1 == 1
            sides = np.array([counts[node][is_in].sum(axis=0), counts[node][~is_in].sum(axis=0)])
            if (sides.sum(axis=1) >= 1).all():
                size, whole = sides.sum(axis=1, keepdims=True), sides.sum(axis=0)
                gain = (sides**2 / size).sum() - (whole**2).sum() / whole.sum()
                results[chosen] = gain / weight[node], (size / weight[node]).ravel()
        own, shares = results[int((mapping[node] == 0) @ (1 << np.arange(n_levels)))]
        assert worth[node] == pytest.approx(own)
        assert info[node] == pytest.approx(-(shares * np.log2(shares)).sum())
        if n_classes == 2 or n_levels <= 10:  # beyond, only some of the divisions are tried
            assert own == pytest.approx(max(gain for gain, _ in results.values()))


def test_the_level_set_apart_is_the_best_one():
    counts = np.array([[[3.0, 0], [2, 2], [0, 5]], [[1, 1], [2, 2], [0, 0]]])
    mapping, is_valid = np.full((2, 3), -1, np.int16), np.zeros(2, np.bool_)
    weight, worth, info = counts.sum(axis=(1, 2)), np.empty(2), np.empty(2)
    rules = GrowthRules(criterion="gini", nominal_splits="binary", min_branch=2.5).for_loops
    measure_divisions(counts, weight, rules, mapping, is_valid, worth, info)
    # The third level alone leaves 5 of 7 rows on the other side, which is worth most; the second
    # node has no division with 2.5 rows on both sides.
    assert is_valid.tolist() == [True, False]
    assert mapping.tolist() == [[1, 1, 0], [-1, -1, -1]]
    assert worth[0] == pytest.approx((25 / 5 + (25 + 4) / 7 - (25 + 49) / 12) / 12)

"""Groups of levels, by a slow program, and worths in numbers of 32 bits."""

import math

import numpy as np
import pandas as pd
import pytest

from bestofk.trees import C45Classifier
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.measuring import (
    grouped_levels,
    rounded,
    split_info_in_32_bits,
    worth_of_branches,
)
from bestofk.trees.pruning_methods import without_impossible_branches
from bestofk.trees.sorting import largest_rounded_to

RATIO = GrowthRules(choice="ratio-above-average", nominal_splits="group", min_branch=2, tie=1e-6)
GAIN = GrowthRules(nominal_splits="group", min_branch=2, tie=1e-6)


def group(counts, rules=RATIO, unknown=0.0):
    """Return the branch of each level at one node, and the gain in bits; None for no test."""
    counts = np.asarray(counts, dtype=float)[None]
    mapping = np.full(counts.shape[:2], -1, np.int16)
    worth = np.full(1, np.nan)
    weight = counts.sum(axis=(1, 2)) + unknown
    grouped_levels(counts, weight, rules, mapping, worth)
    return None if np.isnan(worth[0]) else (mapping[0].tolist(), worth[0] / weight[0])


def entropy(weights):
    total = sum(weights)
    return -sum(w / total * math.log2(w / total) for w in weights if w > 0)


def gain_of(blocks, unknown):
    known = sum(map(sum, blocks))
    inside = sum(sum(block) * entropy(block) for block in blocks)
    base = entropy([sum(column) for column in zip(*blocks, strict=True)])
    return (known * base - inside) / (known + unknown)


def slow_blocks(counts, least, by_ratio, unknown):
    """Return the sets of levels, joined by the letter of the rules, and what they are worth."""
    blocks = [([v], list(row)) for v, row in enumerate(counts) if sum(row) > 0.5]

    def value(rows):
        enough = sum(sum(row) >= 1 for row in rows)
        gain = np.float32(gain_of(rows, unknown)) if enough >= 2 else -1e-3
        if not by_ratio:
            return gain, gain
        info = np.float32(entropy([unknown, *map(sum, rows)]))
        return gain, np.float32(max(gain, 0) / info) if gain >= -1e-9 and info > 1e-3 else -1e-3

    def joined(blocks, a, b):
        after = [(list(levels), list(row)) for levels, row in blocks]
        after[a] = (
            after[a][0] + after[b][0],
            [x + y for x, y in zip(after[a][1], after[b][1], strict=True)],
        )
        after[b] = after[-1]
        return after[:-1]

    a = 0
    while a < len(blocks) - 1:
        b = a + 1
        while b < len(blocks):
            rows = blocks[a][1], blocks[b][1]
            k = next((k for k, w in enumerate(rows[0]) if w >= 0.1), 0)
            if all(row[k] >= sum(row) - 0.1 for row in rows):
                blocks = joined(blocks, a, b)
            else:
                b += 1
        a += 1
    gain, best = value([row for _, row in blocks])
    goal = gain / 2
    while len(blocks) > 2:
        sizes = [sum(row) for _, row in blocks]
        reasonable = sum(size >= least for size in sizes)
        barred = sizes.index(max(sizes)) if reasonable < 3 else -1
        pair, pair_gain, pair_value = None, -1e-3, 0.0
        for a in range(len(blocks) - 1):
            for b in range(a + 1, len(blocks)):
                if barred in (a, b):
                    continue
                now = value([row for _, row in joined(blocks, a, b)])
                reaches = now[0] >= goal and pair_gain < goal
                is_forced = pair is None and (reasonable < 2 or not by_ratio)
                if reaches or now[1] >= pair_value or is_forced:
                    pair, (pair_gain, pair_value) = (a, b), now
        if pair is None or (by_ratio and reasonable >= 2 and pair_value < best + 1e-5):
            break
        blocks, best = joined(blocks, *pair), pair_value
    return [levels for levels, _ in blocks], best


def test_levels_are_joined_as_by_hand():
    branches, gain = group([[5, 0], [0, 4], [3, 0], [0, 2]])
    assert branches == [0, 1, 0, 1]
    assert gain == pytest.approx(entropy([8, 6]))
    branches, gain = group([[9, 1], [8, 1], [1, 9], [1, 8]])
    assert branches == [0, 0, 1, 1]
    assert gain == pytest.approx(gain_of([[17, 2], [2, 17]], 0))
    assert group([[5, 0], [0, 0], [0, 4], [0.3, 0.1]])[0] == [0, 2, 1, 2]
    counts = [[5, 0], [0, 5], [4, 1]]
    assert group(counts, unknown=5)[1] == pytest.approx(group(counts)[1] * 15 / 20)
    branches, gain = group([[5, 1], [2, 4]])
    assert branches == [0, 1]
    assert gain == pytest.approx(gain_of([[5, 1], [2, 4]], 0))
    assert group([[4, 4], [4, 4], [4, 4]]) is None
    assert group([[0.09] * 8, [3] * 8, [0, 5] + [0] * 6])[0] == [0, 1, 2]


@pytest.mark.parametrize("counts", [[[5, 1], [1, 0]], [[9, 0], [0, 1], [0, 0]]])
def test_there_is_no_test_if_only_one_branch_is_large_enough(counts):
    assert group(counts) is None


@pytest.mark.parametrize("rules", [RATIO, GAIN], ids=["ratio", "gain"])
@pytest.mark.parametrize("seed", range(40))
def test_groups_are_those_of_the_slow_program(rules, seed):
    rng = np.random.default_rng(seed)
    shape = rng.integers(3, 9), rng.integers(2, 5)
    counts = rng.integers(0, 6, shape) * rng.integers(0, 2, shape) + 0.0
    unknown = float(rng.integers(0, 3))
    levels, value = slow_blocks(counts.tolist(), 2, rules is RATIO, unknown)
    result = group(counts, rules, unknown)
    sizes = [counts[block].sum() for block in levels]
    if value <= 1e-9 or sum(size >= 2 for size in sizes) < 2:
        assert result is None
    else:
        absent = [v for v in range(len(counts)) if counts[v].sum() <= 0.5]
        wanted = {tuple(sorted(block)) for block in [*levels, absent] if block}
        branches = np.array(result[0])
        assert {tuple(np.flatnonzero(branches == b).tolist()) for b in set(result[0])} == wanted


def table_of_levels(n_rows, seed):
    rng = np.random.default_rng(seed)
    sky, land = rng.integers(0, 6, n_rows), rng.integers(0, 5, n_rows)
    levels = {"sky": list(map(str, sky)), "land": list(map(str, land))}
    X = pd.DataFrame({name: pd.Categorical(column) for name, column in levels.items()})
    return X, (sky // 2 + (sky % 2) * (land % 3)) % 3


def test_every_level_goes_to_the_branch_of_its_group_and_branches_without_levels_are_left_out():
    X, y = table_of_levels(300, seed=0)
    learner = C45Classifier(flavor="r8", nominal_splits="group", pruning=None).fit(X, y)
    tree = learner.tree_
    branch = tree.lookup[: tree.attributes[0].n_levels]
    for v, child in enumerate(tree.children(0)):
        column = X.columns[tree.attribute[0]]
        rows = np.isin(X[column].cat.codes, np.flatnonzero(branch == v))
        assert tree.weight[child] == rows.sum()
    grown = C45Classifier(flavor="r8", nominal_splits="group", pruning=None).fit(X, y).tree_
    tree = without_impossible_branches(grown)
    assert (grown.n_nodes, tree.n_nodes) == (27, 21)
    assert tree.weight[tree.is_leaf].sum() == pytest.approx(300)
    for node in np.flatnonzero(~tree.is_leaf):
        above = tree.parent[node]
        if above >= 0 and tree.attribute[above] == tree.attribute[node]:
            here, over = (branches_of_levels(tree, at) for at in (node, above))
            is_possible = over == node - tree.first_child[above]
            assert not ((here == tree.n_children[node] - 1) & ~is_possible).any()
    tree = C45Classifier(flavor="r8", nominal_splits="group", pruning=None, max_depth=1).fit(X, y)
    assert without_impossible_branches(tree.tree_).n_nodes == tree.tree_.n_nodes


def branches_of_levels(tree, node):
    start = tree.lookup_start[node]
    return tree.lookup[start : start + tree.attributes[tree.attribute[node]].n_levels]


GOLF = np.array([[[2.0, 3.0], [4.0, 0.0], [3.0, 2.0]]])


@pytest.mark.parametrize("is_cut", [True, False])
def test_gain_and_split_information_are_those_of_the_books_to_32_bits(is_cut):
    gain, info = worth_of_branches(GOLF, GOLF.sum(axis=1), np.array([14.0]), is_cut=is_cut)
    assert gain[0] == pytest.approx(0.246750, abs=1e-6)
    assert info[0] == pytest.approx(1.577406, abs=1e-6)
    assert rounded(gain) == gain
    assert rounded(info) == info


def test_unknown_rows_lower_the_gain_and_are_a_branch_of_the_split():
    gain, info = worth_of_branches(GOLF, GOLF.sum(axis=1), np.array([28.0]), is_cut=False)
    assert gain[0] == pytest.approx(0.246750 / 2, abs=1e-6)
    assert info[0] == pytest.approx(1.577406 / 2 + 1, abs=1e-6)
    none = np.zeros((1, 3, 2))
    gain, info = worth_of_branches(none, none.sum(axis=1), np.array([7.0]), is_cut=False)
    assert gain[0] == 0.0
    assert info[0] == pytest.approx(0.0, abs=1e-6)


def test_sums_depend_on_their_order_as_in_32_bits():
    parts = np.array([[0.0, 3.0, 5.0], [0.0, 5.0, 3.0]])
    result = split_info_in_32_bits(parts, np.array([8.0, 8.0]))
    assert result[0] != result[1]
    assert result == pytest.approx([0.954434, 0.954434], abs=1e-6)


@pytest.mark.parametrize("value", [1.9, 72.64, 0.0, -14.01, 1e-40, 3e38])
def test_the_largest_number_that_is_rounded_to_a_value_is_found(value):
    single = np.float32(value)
    result = largest_rounded_to(np.array([single]))[0]
    assert np.float32(result) == single
    assert np.float32(np.nextafter(result, np.inf)) > single


def test_values_are_cut_as_in_32_bits():
    x = np.repeat([100000000.0, 100000001.0], 10)[:, None]
    y = np.repeat([0, 1], 10)
    assert C45Classifier().fit(x, y).get_n_leaves() == 2
    assert C45Classifier(flavor="r8").fit(x, y).get_n_leaves() == 1
    x = np.repeat([1.9, 14.01, 72.64], 6)[:, None]
    y = np.repeat([0, 1, 2], 6)
    learner = C45Classifier(flavor="r8", pruning=None).fit(x, y)
    assert learner.score(x, y) == 1.0
    assert sorted(learner.tree_.threshold[~learner.tree_.is_leaf]) == pytest.approx([1.9, 14.01])


def test_levels_that_are_worth_nothing_are_tested_if_nothing_is_better():
    X = pd.DataFrame({"a": list("xxyy") * 3, "b": list("uvuv") * 3})
    y = [0, 1, 1, 0] * 3
    assert C45Classifier(pruning=None).fit(X, y).get_n_leaves() == 1
    release_8 = C45Classifier(flavor="r8", pruning=None).fit(X, y)
    assert release_8.get_n_leaves() == 4
    assert release_8.score(X, y) == 1.0

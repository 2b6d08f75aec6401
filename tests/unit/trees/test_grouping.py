"""Groups of levels: what is joined, what is not, and the same by a slow program."""

import math

import numpy as np
import pandas as pd
import pytest

from bestofk.trees import C45Classifier
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.measuring import grouped_levels
from bestofk.trees.pruning_methods import without_impossible_branches

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


def test_levels_of_one_class_are_joined_first():
    branches, gain = group([[5, 0], [0, 4], [3, 0], [0, 2]])
    assert branches == [0, 1, 0, 1]
    assert gain == pytest.approx(entropy([8, 6]))


def test_levels_of_like_classes_are_joined_while_the_ratio_rises():
    branches, gain = group([[9, 1], [8, 1], [1, 9], [1, 8]])
    assert branches == [0, 0, 1, 1]
    assert gain == pytest.approx(gain_of([[17, 2], [2, 17]], 0))


def test_levels_that_are_absent_share_a_last_branch():
    assert group([[5, 0], [0, 0], [0, 4], [0.3, 0.1]])[0] == [0, 2, 1, 2]


def test_unknown_rows_lower_the_gain_by_their_share():
    counts = [[5, 0], [0, 5], [4, 1]]
    assert group(counts, unknown=5)[1] == pytest.approx(group(counts)[1] * 15 / 20)


def test_two_levels_are_tested_as_they_are():
    branches, gain = group([[5, 1], [2, 4]])
    assert branches == [0, 1]
    assert gain == pytest.approx(gain_of([[5, 1], [2, 4]], 0))


@pytest.mark.parametrize("counts", [[[5, 1], [1, 0]], [[9, 0], [0, 1], [0, 0]]])
def test_there_is_no_test_if_only_one_branch_is_large_enough(counts):
    assert group(counts) is None


def test_there_is_no_test_of_many_levels_that_is_worth_nothing():
    assert group([[4, 4], [4, 4], [4, 4]]) is None


def test_a_level_of_many_faint_classes_does_no_harm():
    assert group([[0.09] * 8, [3] * 8, [0, 5] + [0] * 6])[0] == [0, 1, 2]


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


def test_a_grown_tree_sends_every_level_to_the_branch_of_its_group():
    X, y = table_of_levels(300, seed=0)
    learner = C45Classifier(flavor="r8", nominal_splits="group", pruning=None).fit(X, y)
    tree = learner.tree_
    branch = tree.lookup[: tree.attributes[0].n_levels]
    for v, child in enumerate(tree.children(0)):
        column = X.columns[tree.attribute[0]]
        rows = np.isin(X[column].cat.codes, np.flatnonzero(branch == v))
        assert tree.weight[child] == rows.sum()


def test_branches_that_no_level_can_reach_are_left_out():
    X, y = table_of_levels(300, seed=0)
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


def branches_of_levels(tree, node):
    start = tree.lookup_start[node]
    return tree.lookup[start : start + tree.attributes[tree.attribute[node]].n_levels]


def test_a_tree_without_groups_below_groups_keeps_its_branches():
    X, y = table_of_levels(300, seed=0)
    tree = C45Classifier(flavor="r8", nominal_splits="group", pruning=None, max_depth=1).fit(X, y)
    assert without_impossible_branches(tree.tree_).n_nodes == tree.tree_.n_nodes

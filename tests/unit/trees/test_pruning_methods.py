"""Ways to prune: bottom up, by half an error, by bounds, by rows kept away, by description."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import beta
from tests.unit.trees.made_trees import (
    all_prunings,
    grown_tree,
    random_table,
    shares_of_row,
    written_tree,
)

from bestofk.errors import InvalidArgumentError
from bestofk.trees.pruning_methods import (
    added_errors,
    bound_parts,
    collapsed,
    label_bits,
    prune_bottom_up,
    prune_by_description_length,
    prune_by_estimated_errors,
    prune_by_reduced_error,
    prune_pessimistically,
    split_bits,
    split_by_folds,
    split_by_fraction,
)

NESTED = (0, 5.0, (1, 0.0, [4, 1], (2, None, [1, 0], [2, 2], [0, 3])), (1, 1.0, [1, 2], [0, 3]))


@pytest.mark.parametrize("seed", range(20))
def test_the_pruned_tree_is_the_cheapest_of_all(seed):
    rng = np.random.default_rng(seed)
    tree = written_tree(NESTED)
    leaf_costs, test_costs = rng.random(tree.n_nodes), 0.3 * rng.random(tree.n_nodes)
    test_costs[tree.is_leaf] = 0.0

    def cost(leaves):
        above = {parent for leaf in leaves for parent in _path(tree, leaf) if parent not in leaves}
        return sum(leaf_costs[node] for node in leaves) + sum(test_costs[node] for node in above)

    best = min(all_prunings(tree), key=cost)
    result = prune_bottom_up(tree, leaf_costs, test_costs)
    assert result.n_leaves == len(best)
    wanted = sorted(tree.class_weights[list(best)].tolist())
    assert sorted(result.class_weights[result.is_leaf].tolist()) == wanted


def test_of_equally_cheap_trees_the_smallest_is_made_and_a_leaf_stays():
    tree = written_tree(NESTED)
    assert prune_bottom_up(tree, tree.sum_over_leaves(np.ones(tree.n_nodes))).n_nodes == 1
    tree = written_tree([2, 1])
    assert prune_bottom_up(tree, np.zeros(1)) is tree


def _path(tree, node):
    while node >= 0:
        yield node
        node = tree.parent[node]


def test_a_split_stays_if_it_saves_more_than_half_an_error():
    tree = written_tree((0, 5.0, [5, 1], [1, 5]))
    assert prune_pessimistically(tree).n_leaves == 2
    tree = written_tree((0, 5.0, [5, 0], [0, 0.5]))
    assert prune_pessimistically(tree).n_leaves == 1


@pytest.mark.parametrize("seed", range(5))
def test_pruned_trees_are_smaller_and_no_cheaper_subtree_is_left(seed):
    tree = grown_tree(*random_table(seed))
    pruned = prune_pessimistically(tree)
    below = pruned.sum_over_leaves(pruned.leaf_errors + 0.5)
    inner = ~pruned.is_leaf
    assert pruned.n_nodes < tree.n_nodes
    assert (pruned.leaf_errors[inner] + 0.5 > below[inner]).all()


# rows, errors, added by Release 8, by J48, by the exact binomial bound; confidence 0.25
BOUNDS = [
    (1, 0, 0.75000, 0.75000, 0.75000),
    (6, 0, 1.23780, 1.23780, 1.23780),
    (2, 1, 0.79624, 0.79149, 0.73205),
    (5, 2, 1.23958, 1.22197, 1.20282),
    (14, 5, 1.79499, 1.76112, 1.76918),
    (16, 1, 1.50689, 1.47571, 1.55377),
    (30, 10, 2.36704, 2.31739, 2.33713),
    (2.5, 0.5, 1.00844, 1.00387, 1.01381),
    (10, 0.4, 1.35294, 1.34172, 1.38333),
    (4, 3.6, 0.26800, 0.40000, 0.37818),
    (100, 10, 2.81471, 2.74961, 2.82106),
    (1000, 37, 4.88700, 4.76705, 4.85197),
]


@pytest.mark.parametrize(("rows", "errors", "r8", "j48", "exact"), BOUNDS)
def test_added_errors_are_those_of_both_flavors_and_near_the_exact_bound(
    rows, errors, r8, j48, exact
):
    assert added_errors(rows, errors, flavor="r8") == pytest.approx(r8, abs=6e-6)
    assert added_errors(rows, errors) == pytest.approx(j48, abs=6e-6)
    upper = beta.isf(0.25, errors + 1, rows - errors)
    assert rows * upper - errors == pytest.approx(exact, abs=6e-6)


def test_a_smaller_confidence_adds_more_errors_and_none_to_empty_leaves():
    assert added_errors(0, 0) == 0.0
    assert added_errors(16, 1, 0.6) == 0.0
    assert added_errors(16, 1, 0.6, flavor="r8") > 0.0
    added = [added_errors(16, 3, confidence) for confidence in (0.001, 0.01, 0.1, 0.25, 0.5)]
    assert added == sorted(added, reverse=True)
    assert added[-1] > 0.0


def test_the_largest_branch_takes_the_place_of_its_parent():
    # The root sends one row away from a test that divides all others without an error.
    tree = written_tree((1, 0.0, [1, 0], (0, 5.0, [12, 0], [0, 12])))
    x = np.concatenate([[1.0], np.repeat([1.0, 6.0], 12)])
    matrix = np.column_stack([x, np.r_[-1.0, np.ones(24)], np.zeros(25)])
    y = np.r_[0, np.repeat([0, 1], 12)].astype(np.int16)
    how = {"bound": bound_parts(0.25, "j48")}
    raised = prune_by_estimated_errors(tree, matrix, y, None, raises=True, **how)
    assert raised.attribute.tolist() == [0, -1, -1]
    assert raised.class_weights.tolist() == [[13, 12], [13, 0], [0, 12]]
    kept = prune_by_estimated_errors(tree, matrix, y, None, raises=False, **how)
    assert kept.n_leaves == 3


def test_subtrees_that_save_no_training_error_collapse():
    tree = written_tree((0, 5.0, (1, 0.0, [9, 1], [1, 0]), (1, 1.0, [2, 0], [0, 7])))
    assert collapsed(tree).class_weights.tolist() == [[12, 8], [10, 1], [2, 7], [2, 0], [0, 7]]


COLORS = (2, None, [3, 0], [0, 0], [1, 3])


def rows(*colors):
    return np.array([[0.0, 0.0, color] for color in colors], dtype=np.float64)


def test_a_split_stays_if_it_saves_errors_on_the_pruning_rows():
    assert prune_by_reduced_error(written_tree(COLORS), rows(0, 2), np.array([0, 1])).n_leaves == 3
    assert prune_by_reduced_error(written_tree(COLORS), rows(0, 2), np.array([0, 0])).n_leaves == 1
    tree = written_tree((0, 5.0, (1, 0.0, [4, 0], [0, 4]), [0, 9]))
    pruned = prune_by_reduced_error(tree, np.array([[6.0, 0, 0], [1.0, 0, 0]]), np.array([1, 0]))
    assert pruned.n_leaves == 2
    pruned = prune_by_reduced_error(tree, np.array([[6.0, 0, 0]]), np.array([1]))
    assert pruned.n_nodes == 1
    # Both classes have four rows at the root: the first is its majority.
    tree = written_tree((2, None, [4, 0], [0, 0], [0, 4]))
    pruned = prune_by_reduced_error(tree, rows(1, 1, 2), np.array([0, 0, 1]))
    assert pruned.n_leaves == 3
    pruned = prune_by_reduced_error(tree, rows(1, 1, 0), np.array([1, 1, 0]))
    assert pruned.n_leaves == 1


def test_weights_of_pruning_rows_count():
    tree, given = written_tree(COLORS), rows(0, 2, 2)
    y = np.array([0, 1, 0])
    assert prune_by_reduced_error(tree, given, y, np.array([1.0, 2.0, 1.0])).n_leaves == 3
    assert prune_by_reduced_error(tree, given, y, np.array([1.0, 1.0, 2.0])).n_leaves == 1


@pytest.mark.parametrize("seed", range(6))
def test_pruning_is_that_of_the_naive_recursion(seed):
    tree = grown_tree(*random_table(seed))
    matrix, y = random_table(100 + seed, missing=0.2)
    errors = np.zeros(tree.n_nodes)
    for row, label in zip(matrix, y, strict=True):
        for node, share in shares_of_row(tree, row).items():
            errors[node] += share * (tree.majority[node] != label)

    def pruned_leaves(node):
        """Return errors and leaves of the pruned subtree."""
        if tree.is_leaf[node]:
            return errors[node], 1
        parts = [pruned_leaves(child) for child in tree.children(node)]
        below, n_leaves = np.sum(parts, axis=0)
        return (errors[node], 1) if errors[node] <= below + 1e-6 else (below, n_leaves)

    result = prune_by_reduced_error(tree, matrix, y)
    assert result.n_leaves == pruned_leaves(0)[1]
    assert result.n_leaves < tree.n_leaves


def dealt_slowly(y, n_folds):
    """Return the pruning rows of the reference, by its own loops."""
    order, i = list(range(len(y))), 1
    while i < len(y):
        label = y[order[i - 1]]
        for j in range(i, len(y)):
            if y[order[j]] == label:
                order[i], order[j] = order[j], order[i]
                i += 1
        i += 1
    dealt = [row for start in range(n_folds) for row in order[start::n_folds]]
    return sorted(dealt[len(y) - len(y) // n_folds :])


@pytest.mark.parametrize("n_folds", [2, 3, 7])
@pytest.mark.parametrize("seed", range(4))
def test_the_folds_are_those_of_the_reference(seed, n_folds):
    y = np.random.default_rng(seed).integers(0, 4, 53).astype(np.int16)
    growing, pruning = split_by_folds(y, n_folds)
    assert pruning.tolist() == dealt_slowly(y, n_folds)
    assert sorted([*growing, *pruning]) == list(range(53))


def test_folds_are_stratified_and_no_more_than_rows():
    y = np.repeat([0, 1, 2], [30, 60, 9]).astype(np.int16)
    _, pruning = split_by_folds(y, 3)
    np.testing.assert_array_equal(np.bincount(y[pruning]), [10, 20, 3])
    with pytest.raises(InvalidArgumentError, match=r"^pruning_folds must be .* \(4\); got 5\. Use"):
        split_by_folds(np.array([0, 1, 0, 1], np.int16), 5)


def test_a_fraction_is_drawn_in_each_class_and_leaves_rows_to_grow():
    y = np.repeat([0, 1], [80, 20]).astype(np.int16)
    growing, pruning = split_by_fraction(y, 0.2, 0)
    np.testing.assert_array_equal(np.bincount(y[pruning]), [16, 4])
    assert sorted([*growing, *pruning]) == list(range(100))
    assert split_by_fraction(y, 0.2, 0)[1].tolist() == pruning.tolist()
    assert split_by_fraction(y, 0.2, 1)[1].tolist() != pruning.tolist()
    growing, pruning = split_by_fraction(np.array([0] * 9 + [1], np.int16), 0.2, 0)
    assert (len(growing), len(pruning)) == (8, 2)
    with pytest.raises(InvalidArgumentError, match=r"^pruning_fraction must be .* got 0\.9\. Use"):
        split_by_fraction(np.array([0, 1], np.int16), 0.9, 0)


N_VALUES = np.array([5, 9, 3])


@pytest.mark.parametrize(
    ("counts", "chance"),
    [
        ([1, 1], 1 / 2 * 1 / 4),
        ([2, 0], 1 / 2 * 3 / 4),
        ([2, 1], 1 / 2 * 3 / 4 * 1 / 6),
        ([1, 0, 0], 1 / 3),
        ([1, 1, 1], 1 / 3 * 1 / 5 * 1 / 7),
        ([0, 0], 1),
    ],
)
def test_labels_are_told_one_after_the_other(counts, chance):
    # Each label has the chance (seen of its class + 1/2) / (seen + classes / 2).
    assert label_bits(written_tree(counts))[0] == pytest.approx(-np.log2(chance), abs=1e-9)


def test_no_label_is_free_even_with_many_classes():
    bits = label_bits(written_tree([1] + [0] * 29))
    assert bits[0] == pytest.approx(np.log2(30))


def test_tests_cost_what_tells_them():
    bits = split_bits(written_tree((0, 5.0, [1, 0], [0, 1])), N_VALUES)
    np.testing.assert_allclose(bits, [np.log2(3) + np.log2(4), 0, 0])
    bits = split_bits(written_tree((2, None, [1, 0], [0, 1], [0, 1])), N_VALUES)
    np.testing.assert_allclose(bits[0], np.log2(3))
    # Three levels: two groups have sizes 1 + 2 or 2 + 1, and the single level is one of three.
    bits = split_bits(written_tree((2, [0, 1, 1], [1, 0], [0, 1])), N_VALUES)
    np.testing.assert_allclose(bits[0], np.log2(3) + np.log2(2) + np.log2(3))
    tree = written_tree((3, 0.5, [8, 0], [0, 8]))
    tree = replace(tree, directions=np.array([[1.0, -1.0, 0.0]]))
    np.testing.assert_allclose(split_bits(tree, N_VALUES)[0], np.log2(3) + 3 * 0.5 * 4)


def test_a_split_stays_if_it_tells_more_than_it_costs():
    tree = written_tree((0, 5.0, [20, 0], [0, 20]))
    assert prune_by_description_length(tree, N_VALUES).n_leaves == 2
    tree = written_tree((0, 5.0, [10, 9], [9, 10]))
    assert prune_by_description_length(tree, N_VALUES).n_leaves == 1

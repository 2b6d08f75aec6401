"""Weakest links, against a naive search and scikit-learn, and the choice among them."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.tree import DecisionTreeClassifier
from tests.unit.trees.made_trees import grown_tree, random_table, written_tree

from bestofk.trees.attributes import Attribute
from bestofk.trees.pruning_methods import (
    choose_alpha,
    dealt_folds,
    node_risks,
    prune_path,
)

# 20 rows: 8 errors as a leaf; left 2 as a leaf and 1 in two; right 2 as a leaf and 0 in two.
NESTED = (0, 5.0, (1, 0.0, [9, 1], [1, 0]), (1, 1.0, [2, 0], [0, 7]))


def leaves_of(path):
    """Return how many leaves each tree of a path has."""
    return path.sums_at(np.ones(path.tree.n_nodes), path.alphas)


def risks_of(path, risk="errors"):
    """Return the risk of each tree of a path."""
    return path.sums_at(node_risks(path.tree, risk), path.alphas)


def test_the_weakest_link_breaks_first():
    path = prune_path(written_tree(NESTED))
    # The left test saves no error. Then (2 - 0) / 20 for one leaf on the right, and
    # (8 - 3) / 20 for one more at the root.
    np.testing.assert_allclose(path.alphas, [0.0, 0.1, 0.25])
    np.testing.assert_array_equal(leaves_of(path), [3, 2, 1])
    np.testing.assert_allclose(risks_of(path), [0.05, 0.15, 0.4])
    assert (path.tree_at(0.0).n_leaves, path.tree_at(0.1).n_leaves) == (3, 2)
    assert prune_path(written_tree(NESTED), "gini").tree_at(0.0).n_leaves == 4
    leaf = prune_path(written_tree([3, 1]))
    assert (leaf.alphas.tolist(), leaves_of(leaf).tolist()) == ([0.0], [1])


def test_each_tree_of_a_path_has_the_leaves_and_the_risk_it_says():
    path = prune_path(grown_tree(*random_table(3)), "entropy")
    risks = risks_of(path, "entropy")
    for alpha, n_leaves, risk in zip(path.alphas, leaves_of(path), risks, strict=True):
        tree = path.tree_at(alpha)
        assert tree.n_leaves == n_leaves
        result = node_risks(tree, "entropy")[tree.is_leaf].sum()
        assert result == pytest.approx(risk, abs=1e-12)


def naive_alphas(tree, risk):
    """Return alphas and leaves by searching all links again after each that breaks."""
    results, alpha = [], 0.0
    while tree.n_nodes > 1:
        own = node_risks(tree, risk)
        saved = own - tree.sum_over_leaves(own)
        strength = saved / np.maximum(tree.sum_over_leaves(np.ones(tree.n_nodes)) - 1, 1)
        strength[tree.is_leaf] = np.inf
        alpha = max(alpha, strength.min())
        tree = tree.pruned(strength <= alpha + 1e-12)
        results.append((alpha, tree.n_leaves))
    return results


@pytest.mark.parametrize("risk", ["errors", "gini", "entropy"])
@pytest.mark.parametrize("seed", range(5))
def test_the_path_is_that_of_the_naive_search(seed, risk):
    tree = grown_tree(*random_table(seed))
    path = prune_path(tree, risk)
    leaves_at = {}
    for alpha, n_leaves in naive_alphas(tree, risk):
        leaves_at[round(alpha, 10)] = n_leaves
    wanted = {0.0: tree.n_leaves, **leaves_at}
    np.testing.assert_allclose(path.alphas, sorted(wanted), atol=1e-9)
    assert leaves_of(path).tolist() == [wanted[alpha] for alpha in sorted(wanted)]


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
def test_the_path_by_gini_impurity_is_that_of_scikit_learn(load):
    X, y = load(return_X_y=True)
    fitted = DecisionTreeClassifier(random_state=0).fit(X, y)
    wanted = fitted.cost_complexity_pruning_path(X, y)
    path = prune_path(written_tree(*nested(fitted, X.shape[1])), "gini")
    alphas = np.unique(wanted.ccp_alphas.round(9))
    risks = [wanted.impurities[wanted.ccp_alphas <= alpha + 1e-8][-1] for alpha in alphas]
    np.testing.assert_allclose(path.alphas, alphas, atol=2e-9)
    np.testing.assert_allclose(risks_of(path, "gini"), risks, atol=1e-9)
    for alpha in alphas + 1e-8:
        theirs = DecisionTreeClassifier(random_state=0, ccp_alpha=alpha).fit(X, y)
        assert path.tree_at(alpha).n_leaves == theirs.get_n_leaves()


def nested(fitted, n_features):
    """Return a tree of scikit-learn as nested tuples, and its attributes."""
    tree = fitted.tree_
    counts = np.rint(tree.value[:, 0, :] * tree.n_node_samples[:, None])

    def below(node):
        left, right = tree.children_left[node], tree.children_right[node]
        if left < 0:
            return counts[node].tolist()
        return (int(tree.feature[node]), float(tree.threshold[node]), below(left), below(right))

    return below(0), tuple(Attribute(f"x{i}", "numeric") for i in range(n_features))


def test_trees_are_nested_and_shrink_to_the_root():
    path = prune_path(grown_tree(*random_table(1)))
    assert (np.diff(leaves_of(path)) < 0).all()
    assert (np.diff(path.alphas) > 0).all()
    assert leaves_of(path)[-1] == 1
    assert path.tree_at(np.inf).n_nodes == 1


def choice_on(matrix, y, n_folds=5, *weight, one_standard_error=False):
    path = prune_path(grown_tree(matrix, y))
    how = {"splits": dealt_folds(y, n_folds, 0), "one_standard_error": one_standard_error}

    def grow_on(rows):
        return grown_tree(matrix[rows], y[rows])

    return path, choose_alpha(path, grow_on, matrix, y, *weight, **how)


def step_table(seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    matrix, _ = random_table(seed, n_rows=300, missing=0.0)
    y = (matrix[:, 0] > 5).astype(np.int16)
    return matrix, np.where(rng.random(300) < noise, 1 - y, y).astype(np.int16)


def test_cross_validation_finds_the_one_split_there_is():
    path, chosen = choice_on(*step_table(), one_standard_error=True)
    assert leaves_of(path)[0] > 20
    assert path.tree_at(chosen.alpha).n_leaves == 2
    at = path.alphas.tolist().index(chosen.alpha)
    assert chosen.errors[at] == pytest.approx(0.1, abs=0.04)
    wanted = np.sqrt(chosen.errors * (1 - chosen.errors) / 300)
    np.testing.assert_allclose(chosen.standard_errors, wanted)


def test_nothing_to_learn_leaves_the_root_alone():
    matrix, _ = random_table(0)
    y = np.random.default_rng(5).permutation(np.repeat([0, 1], [50, 30])).astype(np.int16)
    path, chosen = choice_on(matrix, y, one_standard_error=True)
    assert path.tree_at(chosen.alpha).n_leaves == 1
    assert chosen.errors[-1] == pytest.approx(30 / 80)


def test_one_standard_error_never_gives_a_larger_tree():
    for seed in range(4):
        _, least = choice_on(*random_table(seed))
        _, smallest = choice_on(*random_table(seed), one_standard_error=True)
        assert smallest.alpha >= least.alpha
        assert least.errors[least.alphas.tolist().index(least.alpha)] == least.errors.min()


def test_errors_are_those_of_the_pruned_trees_of_the_folds():
    matrix, y = step_table(1, noise=0.3)
    path, chosen = choice_on(matrix, y, n_folds=2)
    drawn = np.random.RandomState(0).permutation(300)
    order = drawn[np.argsort(y[drawn], kind="stable")]
    between = np.sqrt(path.alphas[2] * path.alphas[3])
    errors = 0
    for k in range(2):
        tree = grown_tree(matrix[np.sort(order[1 - k :: 2])], y[np.sort(order[1 - k :: 2])])
        tree = prune_path(tree).tree_at(between)
        for row in order[k::2]:
            node = 0
            while not tree.is_leaf[node]:
                value = matrix[row, tree.attribute[node]]
                branch = int(value) if tree.kind[node] == 2 else value > tree.threshold[node]
                node = tree.children(node)[int(branch)]
            errors += tree.majority[node] != y[row]
    assert chosen.errors[2] == pytest.approx(errors / 300)


def test_equal_weights_choose_as_none():
    matrix, y = step_table(2, noise=0.3)
    _, wanted = choice_on(matrix, y, n_folds=3)
    _, choice = choice_on(matrix, y, 3, np.full(300, 2.0))
    np.testing.assert_allclose(choice.errors, wanted.errors)

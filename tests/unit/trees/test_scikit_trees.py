"""Trees of scikit-learn in the form of this package."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from bestofk.trees.attributes import NUMERIC, Attribute
from bestofk.trees.displays import TreeDisplay
from bestofk.trees.prediction import main_leaves, probabilities
from bestofk.trees.rule import Condition, leaf_paths, narrowest, rule_lines
from bestofk.trees.tree import tree_of_scikit


@pytest.mark.parametrize("max_depth", [1, 3, None])
@pytest.mark.parametrize("weight", [None, np.arange(150) % 3])
def test_a_classifier_answers_the_same_in_this_form(max_depth, weight):
    X, y = load_iris(return_X_y=True)
    learner = DecisionTreeClassifier(max_depth=max_depth, random_state=0).fit(X, y, weight)
    tree = tree_of_scikit(learner, list("abcd"))
    answers = probabilities(tree, X, tree.answers[False])
    np.testing.assert_allclose(answers, learner.predict_proba(X))
    assert tree.n_leaves == learner.get_n_leaves()
    assert tree.depth == learner.get_depth()
    np.testing.assert_allclose(tree.class_weights[0], np.bincount(y, weight))


@pytest.mark.parametrize("max_depth", [1, 4])
def test_a_regressor_has_its_means_at_the_nodes(max_depth):
    X, y = load_diabetes(return_X_y=True)
    learner = DecisionTreeRegressor(max_depth=max_depth, random_state=0).fit(X, y)
    tree = tree_of_scikit(learner, [f"x{a}" for a in range(10)])
    np.testing.assert_allclose(tree.means[main_leaves(tree, X)], learner.predict(X))
    assert tree.shares.min() == 0
    assert tree.shares.max() == 1
    assert tree.weight[0] == len(y)
    lines = rule_lines(tree).splitlines()
    assert len(lines) == tree.n_leaves
    leaf, path = next(leaf_paths(tree))
    assert lines[0].endswith(f"then {tree.means[leaf]:.1f} ({tree.weight[leaf]:.1f})")
    assert lines[0].startswith(f"if {path[0].attribute.name} <= ")
    assert TreeDisplay(tree).plot().figure_ is not None


def test_a_tree_without_a_test_has_one_rule_and_a_rule_the_last_limit_of_each_side():
    learner = DecisionTreeRegressor().fit([[1], [2]], [5, 5])
    tree = tree_of_scikit(learner, ["size"])
    assert rule_lines(tree) == "if any row then 5.0000 (2.0)"
    assert tree.shares.tolist() == [[0.0]]
    size, kind = Attribute("size", NUMERIC), Attribute("kind", "nominal", ("a", "b", "c"))
    path = [
        Condition(size, 0, ">", 1.0),
        Condition(kind, 1, "in", codes=(0, 1)),
        Condition(size, 0, "<=", 9.0),
        Condition(size, 0, ">", 3.0),
        Condition(kind, 1, "in", codes=(0, 2)),
    ]
    said = [str(condition) for condition in narrowest(path)]
    assert said == ["size > 3", "kind != c", "size <= 9", "kind != b"]

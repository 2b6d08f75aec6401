"""CART: best subsets, pruning at the chosen cost, and agreement with SimpleCart on request."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold

from bestofk.errors import InvalidArgumentError
from bestofk.trees import CARTClassifier
from bestofk.trees.json_form import tree_to_json
from bestofk.trees.simple_cart import principal_axis


def impurity(y: np.ndarray, criterion: str) -> float:
    share = np.bincount(y) / len(y)
    share = share[share > 0]
    return 1 - (share**2).sum() if criterion == "gini" else -(share * np.log2(share)).sum()


def best_decrease(codes: np.ndarray, y: np.ndarray, criterion: str) -> float:
    levels = np.unique(codes).tolist()
    results = []
    for size in range(1, len(levels)):
        for subset in combinations(levels, size):
            left = np.isin(codes, subset)
            below = left.mean() * impurity(y[left], criterion)
            below += (~left).mean() * impurity(y[~left], criterion)
            results.append(impurity(y, criterion) - below)
    return max(results)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_subsets_are_the_best_of_all(criterion, n_classes, seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 7, 120)
    y = (codes * 2 % 5 + rng.integers(0, 3, 120)) % n_classes
    X = pd.DataFrame({"x": [f"level{code}" for code in codes]})
    learner = CARTClassifier(criterion=criterion, pruning=None, max_depth=1).fit(X, y)
    at = learner.apply(X)
    below = sum((at == leaf).mean() * impurity(y[at == leaf], criterion) for leaf in (1, 2))
    assert impurity(y, criterion) - below == pytest.approx(best_decrease(codes, y, criterion))


def test_threshold_is_in_the_middle_and_missing_values_go_down_both_branches_in_parts():
    learner = CARTClassifier(pruning=None).fit([[1.0], [2.0], [4.0], [8.0]], [0, 0, 1, 1])
    assert learner.tree_.threshold[0] == 3.0
    X = [[1.0], [2.0], [3.0], [7.0], [8.0], [np.nan]]
    learner = CARTClassifier(pruning=None, max_depth=1).fit(X, [0, 0, 0, 1, 1, 1])
    np.testing.assert_allclose(learner.tree_.class_weights[1:], [[3, 0.6], [0, 2.4]])
    # 3.6 / 6 of the row answers as the left leaf, 2.4 / 6 as the right one.
    np.testing.assert_allclose(learner.predict_proba([[np.nan]]), [[0.5, 0.5]], rtol=1e-12)


def test_the_cost_prunes_and_is_kept_or_chosen():
    X, y = load_iris(return_X_y=True)
    sizes = [
        CARTClassifier(ccp_alpha=alpha).fit(X, y).get_n_leaves()
        for alpha in (0.0, 0.015, 0.1, 0.34)
    ]
    # Errors on all rows: 100 as one leaf, 50 with one test, 6 with two.
    assert sizes[1:] == [3, 3, 1]
    assert sizes[0] > 3
    assert CARTClassifier(ccp_alpha=0.1).fit(X, y).ccp_alpha_ == 0.1
    learner = CARTClassifier(random_state=0).fit(X, y)
    assert learner.get_n_leaves() == 3
    assert 0.0 < learner.ccp_alpha_ < 0.34
    assert learner.score(X, y) == pytest.approx(0.96)
    learner = CARTClassifier(flavor="simplecart", min_samples_leaf=2, random_state=0).fit(X, y)
    assert learner.get_n_leaves() == 3


def test_splitters_pairs_and_rows_without_weight_choose_the_same_cost():
    X, y = load_iris(return_X_y=True)
    splitter = StratifiedKFold(4, shuffle=True, random_state=0)
    by_splitter = CARTClassifier(cv=splitter).fit(X, y)
    pairs = [(a.tolist(), b.tolist()) for a, b in splitter.split(X, y)]
    by_pairs = CARTClassifier(cv=pairs).fit(X, y)
    assert by_splitter.ccp_alpha_ == by_pairs.ccp_alpha_
    assert by_splitter.to_text() == by_pairs.to_text()
    kept = np.arange(150) % 5 != 0
    splitter = StratifiedKFold(3)
    pairs = list(splitter.split(X, y))
    number = np.cumsum(kept) - 1
    among_kept = [(number[a[kept[a]]], number[b[kept[b]]]) for a, b in pairs]
    weighted = CARTClassifier(cv=pairs).fit(X, y, sample_weight=kept.astype(float))
    without = CARTClassifier(cv=among_kept).fit(X[kept], y[kept])
    assert weighted.to_text() == without.to_text()


def test_simplecart_is_a_leaf_where_a_side_of_the_best_test_is_small():
    X, y = [[1.0], [2.0], [3.0], [4.0], [5.0]], [1, 0, 0, 0, 0]
    assert CARTClassifier(pruning=None, min_samples_leaf=2).fit(X, y).get_n_leaves() == 2
    weka = CARTClassifier(flavor="simplecart", pruning=None, min_samples_leaf=2).fit(X, y)
    assert weka.get_n_leaves() == 1


def test_simplecart_sends_the_middle_to_the_right_and_absent_levels_to_the_larger_side():
    learner = CARTClassifier(flavor="simplecart", pruning=None).fit([[0.0], [2.0]], ["l", "r"])
    assert learner.predict([[0.999], [1.0]]).tolist() == ["l", "r"]
    color = pd.Categorical(list("aaab"), list("abc"))
    X = pd.DataFrame({"color": color})
    learner = CARTClassifier(flavor="simplecart", pruning=None).fit(X, [0, 0, 0, 1])
    asked = pd.DataFrame({"color": pd.Categorical(["c"], list("abc"))})
    assert learner.predict(asked).tolist() == [0]


def test_simplecart_splits_many_levels_of_many_classes_apart():
    levels = list("abcdef")
    X = pd.DataFrame({"x": levels * 4})
    y = [levels.index(level) // 2 for level in levels * 4]
    learner = CARTClassifier(flavor="simplecart", pruning=None).fit(X, y)
    assert learner.score(X, y) == 1.0
    assert learner.get_n_leaves() == 3


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        *(({"cv": cv}, "cv of .* must be a whole number from 2") for cv in (1, "five", 2.5, None)),
        ({"ccp_alpha": -0.1}, "ccp_alpha of CARTClassifier must be a number"),
        ({"flavor": "simplecart", "max_depth": 2}, "max_depth of .* must be None with"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    with pytest.raises(InvalidArgumentError, match=message):
        CARTClassifier(**parameters).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize("seed", range(5))
def test_principal_axis_is_the_eigenvector_of_the_largest_eigenvalue(seed):
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(6, 6)) * (rng.random((6, 6)) < 0.6)
    matrix = half + half.T
    values, vectors = np.linalg.eigh(matrix)
    axis = principal_axis(matrix)
    np.testing.assert_allclose(np.abs(axis @ vectors[:, -1]), 1.0, rtol=1e-10)
    np.testing.assert_allclose(matrix @ axis, values[-1] * axis, atol=1e-10)


@pytest.mark.parametrize("matrix", [np.zeros((3, 3)), np.ones((4, 4)), np.ones((1, 1))], ids=len)
def test_principal_axis_of_a_singular_matrix_has_length_one(matrix):
    axis = principal_axis(matrix)
    assert np.linalg.norm(axis) == pytest.approx(1.0)
    np.testing.assert_allclose(matrix @ axis, matrix.sum() / len(matrix) * axis, atol=1e-12)


def test_principal_axis_has_the_sign_of_eispack():
    matrix = np.array([[2.0, -1.0, 0.5], [-1.0, 3.0, 0.25], [0.5, 0.25, 1.0]])
    # As weka.core.matrix.EigenvalueDecomposition of Weka 3.6.14 has it.
    wanted = [-0.529900640516447, 0.8478182984981314, -0.0202347204574852]
    np.testing.assert_allclose(principal_axis(matrix), wanted, rtol=1e-10)


def test_entropy_is_also_called_gain():
    X, y = load_iris(return_X_y=True)
    first, second = (
        CARTClassifier(criterion=name, random_state=0).fit(X, y) for name in ("gain", "entropy")
    )
    assert tree_to_json(first.tree_) == tree_to_json(second.tree_)
    np.testing.assert_array_equal(first.feature_importances_, second.feature_importances_)

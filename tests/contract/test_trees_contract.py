"""Checks of scikit-learn's estimator contract for every tree, and tables of all kinds."""

import ast
import inspect
import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier
from tests.estimator_checks import failures

from bestofk.trees import (
    C45Classifier,
    CARTClassifier,
    ForestClassifier,
    ForestRegressor,
    HellingerTreeClassifier,
    ID3Classifier,
)

TREES = [C45Classifier, CARTClassifier, HellingerTreeClassifier, ID3Classifier]


@pytest.mark.parametrize("make", TREES)
def test_tree_passes_the_checks_of_scikit_learn(make):
    assert failures(make()) == []


@pytest.mark.parametrize(
    "learner",
    [
        CARTClassifier(pruning=None),
        CARTClassifier(flavor="simplecart", pruning=None),
        ID3Classifier(pruning="mdl"),
        HellingerTreeClassifier(multiclass="max-over-rest"),
        C45Classifier(flavor="r8", pruning=None),
    ],
    ids=str,
)
def test_other_forms_pass_the_checks_of_scikit_learn(learner):
    assert failures(learner) == []


@pytest.mark.parametrize("make", [ForestClassifier, ForestRegressor])
def test_forest_passes_the_checks_of_scikit_learn(make):
    assert failures(make(n_estimators=10, cuts="random", bootstrap=False)) == []
    # Weights change which rows are drawn, as in the forests of scikit-learn.
    (only,) = failures(make(n_estimators=10))
    assert only.startswith("check_sample_weight_equivalence_on_dense_data")


@pytest.mark.parametrize("make", [*TREES, ForestClassifier, ForestRegressor])
def test_docstring_names_every_parameter_and_its_default(make):
    entries = re.findall(r"^(\w+) : .*default=(.+)$", inspect.getdoc(make) or "", re.MULTILINE)
    parameters = inspect.signature(make).parameters.values()
    assert {name: ast.literal_eval(default) for name, default in entries} == {
        parameter.name: parameter.default for parameter in parameters
    }
    assert {parameter.kind for parameter in parameters} == {inspect.Parameter.KEYWORD_ONLY}


class EasilyPruned(C45Classifier):
    def __init__(self, *, extra: int = 1, random_state: Any = None) -> None:
        super().__init__(confidence=0.01, random_state=random_state)
        self.extra = extra


def test_subclass_may_have_its_own_constructor():
    learner = clone(EasilyPruned(extra=3)).set_params(random_state=5)
    assert learner.get_params() == {"extra": 3, "random_state": 5}
    assert (learner.confidence, learner.pruning) == (0.01, "error-based")


def frame(n: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "color": pd.Categorical(
                rng.choice(["red", "blue", "green"], n), ["red", "blue", "green"]
            ),
            "word": rng.choice(["yes", "no"], n),
            "flag": rng.random(n) < 0.5,
            "size": rng.normal(size=n),
            "count": rng.integers(0, 9, n),
        }
    )


def labels(table: pd.DataFrame) -> np.ndarray:
    is_high = (table["color"] == "red") ^ (table["word"] == "yes") | (table["size"] > 1)
    return np.where(is_high, "high", "low")


def unpruned(make: Any) -> Any:
    return make() if make is HellingerTreeClassifier else make(pruning=None)


@pytest.mark.parametrize("make", TREES)
def test_tree_learns_from_all_kinds_of_columns(make):
    table = frame()
    learner = unpruned(make).fit(table, labels(table))
    kinds = {attribute.name: attribute.kind for attribute in learner.attributes_}
    assert kinds == {
        "color": "nominal",
        "word": "nominal",
        "flag": "numeric",  # 0 and 1
        "size": "numeric",
        "count": "numeric",
    }
    assert learner.feature_names_in_.tolist() == list(table.columns)
    assert learner.score(table, labels(table)) >= 0.95
    assert learner.feature_importances_.sum() == pytest.approx(1.0)
    assert learner.feature_importances_[[0, 1]].sum() > 0.4


@pytest.mark.parametrize("make", TREES)
def test_polars_and_pandas_give_the_same_tree(make):
    table = frame()
    y = labels(table)
    words = {"color": table["color"].astype(str)}
    first = unpruned(make).fit(table.assign(**words), y)
    columns = {name: column.tolist() for name, column in table.items()}
    second = unpruned(make).fit(pl.DataFrame(columns), y)
    assert first.to_text() == second.to_text()
    np.testing.assert_array_equal(
        second.predict_proba(pl.DataFrame(columns)), first.predict_proba(table)
    )


@pytest.mark.parametrize("make", TREES)
def test_array_of_texts_and_numbers_is_read_like_a_frame(make):
    table = frame()[["word", "size"]]
    y = labels(frame())
    first = unpruned(make).fit(table, y)
    second = unpruned(make).fit(table.to_numpy(dtype=object), y)
    np.testing.assert_array_equal(
        second.predict_proba(table.to_numpy(dtype=object)), first.predict_proba(table)
    )


@pytest.mark.parametrize("make", TREES)
def test_unseen_levels_and_missing_values_get_an_answer(make):
    table = frame()
    learner = unpruned(make).fit(table, labels(table))
    asked = table[:4].astype(object)
    asked.loc[0] = [None, None, None, np.nan, np.nan]
    asked.loc[1, ["color", "word"]] = ["violet", "perhaps"]
    share = learner.predict_proba(asked)
    np.testing.assert_allclose(share.sum(axis=1), 1.0, rtol=1e-12)
    assert (share[0] > 0.1).all()
    assert set(learner.predict(asked)) <= {"high", "low"}


@pytest.mark.parametrize("make", TREES)
def test_training_with_missing_values_weighs_all_rows_once(make):
    table = frame()
    y = labels(table)
    table.loc[::5, ["color", "word"]] = None
    table.loc[::7, "size"] = np.nan
    learner = unpruned(make).fit(table, y)
    leaves = learner.tree_.class_weights[learner.tree_.is_leaf]
    assert leaves.sum() == pytest.approx(len(table), abs=1e-6)
    assert learner.score(table, y) > 0.8


@pytest.mark.parametrize("make", TREES)
def test_whole_weights_equal_repeated_rows(make):
    table = frame(120)
    y = labels(table)
    weight = np.random.default_rng(1).integers(0, 4, len(table))
    rows = np.repeat(np.arange(len(table)), weight)
    learner = unpruned(make).set_params(min_samples_leaf=1)
    if make is C45Classifier:
        learner.set_params(collapse=False, flavor="r8")
    weighted = clone(learner).fit(table, y, sample_weight=weight)
    repeated = clone(learner).fit(table.iloc[rows], y[rows])
    np.testing.assert_allclose(
        weighted.predict_proba(table), repeated.predict_proba(table), atol=1e-9
    )


@pytest.mark.parametrize("make", TREES)
def test_path_ends_in_the_leaf_and_passes_its_parents(make):
    table = frame()
    learner = unpruned(make).fit(table, labels(table))
    path, at = learner.decision_path(table), learner.apply(table)
    tree = learner.tree_
    assert tree.is_leaf[at].all()
    assert path.shape == (len(table), tree.n_nodes)
    np.testing.assert_array_equal(np.asarray(path.sum(axis=1)).ravel(), tree.node_depth[at] + 1)
    np.testing.assert_array_equal(np.asarray(path.sum(axis=0)).ravel(), tree.weight)
    np.testing.assert_array_equal(np.asarray(path[np.arange(len(at)), at]).ravel(), 1)
    assert learner.get_depth() == tree.node_depth.max()
    assert learner.get_n_leaves() == tree.is_leaf.sum()


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_cart_agrees_with_scikit_learn_where_one_test_is_best(criterion):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 1))
    y = (rng.random(300) < 1 / (1 + np.exp(-3 * X[:, 0]))).astype(int)
    ours = CARTClassifier(criterion=criterion, pruning=None, max_depth=3).fit(X, y)
    theirs = DecisionTreeClassifier(criterion=criterion, max_depth=3, random_state=0).fit(X, y)
    assert ours.get_n_leaves() == theirs.get_n_leaves()
    assert ours.get_depth() == theirs.get_depth()
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-12)
    # Leaves are numbered otherwise, and hold the same rows.
    pairs = set(zip(ours.apply(X).tolist(), theirs.apply(X).tolist(), strict=True))
    assert len(pairs) == ours.get_n_leaves()
    assert ours.decision_path(X).sum() == theirs.decision_path(X).sum()


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_importances_are_those_of_scikit_learn(criterion):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] + 0.5 * X[:, 1] > 0).astype(int)
    ours = CARTClassifier(criterion=criterion, pruning=None, max_depth=2).fit(X, y)
    theirs = DecisionTreeClassifier(criterion=criterion, max_depth=2, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, rtol=1e-9)

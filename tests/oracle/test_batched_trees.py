"""Trees grown on parts of one sorted table, held to those that `fit` grows on the same rows."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import KFold, ShuffleSplit

from bestofk.trees import (
    C45Classifier,
    CARTClassifier,
    HellingerTreeClassifier,
    ID3Classifier,
    fit_batched,
)
from bestofk.trees.json_form import tree_to_json

LEARNERS = [
    C45Classifier(),
    C45Classifier(pruning=None, threshold="midpoint"),
    C45Classifier(pruning="reduced-error"),
    C45Classifier(min_impurity_decrease=0.01),
    C45Classifier(oblique="lda"),
    CARTClassifier(criterion="entropy", pruning=None),
    CARTClassifier(random_state=0),
    CARTClassifier(pruning="mdl"),
    ID3Classifier(),
    ID3Classifier(nominal_splits="subset", pruning="pessimistic"),
    ID3Classifier(pruning="cost-complexity", random_state=0),
    ID3Classifier(ordinal_splits="multiway"),
    HellingerTreeClassifier(),
]


def mixed_table(n_rows, missing, ordered=False):
    rng = np.random.default_rng(7)
    levels = [f"v{v}" for v in range(5)]
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n_rows),
            "b": rng.integers(0, 9, n_rows).astype(float),
            "c": pd.Categorical.from_codes(rng.integers(0, 5, n_rows), levels, ordered=ordered),
        }
    )
    y = (X["a"] + (X["c"] == "v2") + 0.5 * rng.normal(size=n_rows) > 0.3).astype(int)
    if missing:
        X.loc[rng.random(n_rows) < 0.1, "a"] = np.nan
        X.loc[rng.random(n_rows) < 0.1, "c"] = None
    return X, y.to_numpy()


def tables():
    yield load_iris(return_X_y=True)
    yield load_breast_cancer(return_X_y=True)
    yield mixed_table(300, missing=False)
    yield mixed_table(300, missing=True)
    yield mixed_table(300, missing=False, ordered=True)
    yield mixed_table(300, missing=True, ordered=True)


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize("number", range(6))
def test_jointly_grown_trees_are_those_of_fit(learner, number):
    X, y = list(tables())[number]
    folds = KFold(4, shuffle=True, random_state=1)
    parts = [train for train, _ in folds.split(X)]
    parts += [train for train, _ in ShuffleSplit(2, train_size=0.3, random_state=2).split(X)]
    fitted = list(fit_batched(learner, X, y, parts))
    assert len(fitted) == len(parts)
    for batched, part in zip(fitted, parts, strict=True):
        rows = np.sort(part)
        known = X.iloc[rows] if hasattr(X, "iloc") else X[rows]
        alone = clone(learner).fit(known, y[rows])
        assert tree_to_json(batched.tree_) == tree_to_json(alone.tree_)


def test_parts_of_a_large_table_are_grown_one_after_the_other(monkeypatch):
    monkeypatch.setattr("bestofk.trees.forest._CELLS_TOGETHER", 600)
    X, y = load_iris(return_X_y=True)
    parts = [train for train, _ in KFold(5, shuffle=True, random_state=0).split(X)]
    trees = [tree.get_n_leaves() for tree in fit_batched(C45Classifier(), X, y, parts)]
    assert trees == [3, 4, 5, 5, 4]

"""Regions of the plane in which a tree answers one class."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import load_iris

from bestofk.errors import InvalidArgumentError
from bestofk.trees import C45Classifier
from bestofk.trees.displays import BoundaryDisplay


@pytest.fixture(scope="module")
def iris():
    bunch = load_iris(as_frame=True)
    return bunch.data, bunch.target_names[bunch.target]


def test_cells_lie_between_the_thresholds_of_the_tree(iris):
    X, y = iris
    tree = C45Classifier().fit(X, y)
    display = BoundaryDisplay.from_estimator(tree, X, y, columns=["petal width (cm)", 2])
    np.testing.assert_allclose(display.edges[0], [-0.02, 0.6, 1.5, 1.7, 2.62])
    np.testing.assert_allclose(display.edges[1], [1 - 0.295, 4.9, 6.9 + 0.295])
    assert display.names == ["petal width (cm)", "petal length (cm)"]
    frame = display.to_frame()
    assert frame["class"].tolist() == [
        *("setosa", "versicolor", "versicolor", "virginica"),
        *("setosa", "virginica", "versicolor", "virginica"),
    ]
    np.testing.assert_allclose(frame["share of virginica"][1], 1 / 48)


def test_the_cells_answer_as_the_tree_predicts(iris):
    X, y = iris
    X = X.iloc[:, 2:]
    tree = C45Classifier(pruning=None, min_samples_leaf=1).fit(X, y)
    frame = BoundaryDisplay.from_estimator(tree, X, columns=[0, 1]).to_frame()
    for row, answer in zip(X.to_numpy(), tree.predict(X), strict=True):
        is_in = (frame["x_low"] < row[0]) & (row[0] <= frame["x_high"])
        is_in &= (frame["y_low"] < row[1]) & (row[1] <= frame["y_high"])
        assert frame["class"][is_in].tolist() == [answer]


def test_other_columns_are_averaged_over():
    X = pd.DataFrame({"a": [0.0, 0, 0, 1, 1, 1, 1, 1], "b": [0.0, 1] * 4, "c": [0.0, 0, 1, 1] * 2})
    tree = C45Classifier(min_samples_leaf=1, pruning=None).fit(X, X["a"].astype(int))
    display = BoundaryDisplay.from_estimator(tree, X, columns=["b", "c"])
    np.testing.assert_allclose(display.shares, [[[3 / 8, 5 / 8]]])


def test_levels_are_cells_of_their_own():
    X = pd.DataFrame({"sky": ["sun", "rain", "sun", "rain"] * 2, "t": [1.0, 2, 3, 4] * 2})
    y = np.array(["no", "yes"] * 4)
    display = BoundaryDisplay.from_estimator(C45Classifier().fit(X, y), X, y, columns=["sky", "t"])
    assert display.edges[0].tolist() == [-0.5, 0.5, 1.5]
    assert display.ticks == [("rain", "sun"), None]
    assert display.to_frame()["class"].tolist() == ["yes", "no"]
    display.plot(Figure().add_subplot())
    assert [x.get_text() for x in display.ax_.get_xticklabels()] == ["rain", "sun"]


def test_oblique_tests_are_asked_on_a_fine_grid():
    X, y = np.array([[0.0, 0.0], [0.2, 0.3], [0.9, 0.8], [1.0, 1.0]]), [0, 0, 1, 1]
    learner = C45Classifier(min_samples_leaf=1).fit(X, y)
    learner.tree_ = replace(
        learner.tree_,
        attribute=np.array([2, -1, -1], np.int32),
        threshold=np.array([1.001, np.nan, np.nan]),
        directions=np.array([[1.0, 1.0]]),
        direction_means=np.zeros((1, 2)),
    )
    frame = BoundaryDisplay.from_estimator(learner, X, y, columns=[0, 1]).to_frame()
    assert len(frame) == 300 * 300
    middle = frame[["x_low", "x_high", "y_low", "y_high"]].to_numpy().sum(axis=1) / 2
    np.testing.assert_array_equal(frame["class"], (middle > 1.001).astype(int))


def test_wrong_columns_are_refused(iris):
    X, y = iris
    tree = C45Classifier().fit(X, y)
    for columns in ([0], [1, 1], [0, 1, 2]):
        with pytest.raises(InvalidArgumentError, match="columns must be two columns of X; got"):
            BoundaryDisplay.from_estimator(tree, X, columns=columns)
    with pytest.raises(InvalidArgumentError, match="columns must name columns of X; got 'petal'"):
        BoundaryDisplay.from_estimator(tree, X, columns=["petal", 0])


def test_a_column_without_values_is_refused(iris):
    X, y = iris
    tree = C45Classifier().fit(X, y)
    empty = X.assign(**{"petal width (cm)": np.nan})
    with pytest.raises(InvalidArgumentError, match="must have at least one value; got none"):
        BoundaryDisplay.from_estimator(tree, empty, columns=[2, 3])

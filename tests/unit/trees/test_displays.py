"""Pictures of trees, their regions and their errors by size: the numbers, and what is drawn."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from bestofk.data import load_data
from bestofk.errors import InvalidArgumentError
from bestofk.trees import C45Classifier
from bestofk.trees.displays import BoundaryDisplay, PruningEffectDisplay, TreeDisplay


@pytest.fixture(scope="module")
def learner():
    data = load_data("play-tennis")
    return C45Classifier().fit(data.features, data.target)


def drawn(tree):
    figure = Figure(layout="constrained")
    return TreeDisplay(tree).plot(figure.add_subplot())


def test_the_frame_has_the_numbers_of_every_node(learner):
    frame = TreeDisplay.from_estimator(learner).to_frame()
    assert frame["says"].tolist() == [
        "outlook",
        "yes (4.0)",
        "windy",
        "humidity",
        "yes (3.0)",
        "no (2.0)",
        "no (3.0)",
        "yes (2.0)",
    ]
    assert frame["branch"].tolist() == [
        "",
        "= overcast",
        "= rainy",
        "= sunny",
        "= false",
        "= true",
        "= high",
        "= normal",
    ]
    assert frame["parent"].tolist() == [-1, 0, 0, 0, 2, 2, 3, 3]
    assert frame["depth"].tolist() == [0, 1, 1, 1, 2, 2, 2, 2]
    assert frame["class"].tolist() == ["yes", "yes", "yes", "no", "yes", "no", "no", "yes"]
    assert frame["weight"].tolist() == [14, 4, 5, 5, 3, 2, 3, 2]
    assert frame["errors"].tolist() == [5, 0, 2, 2, 0, 0, 0, 0]
    np.testing.assert_allclose(frame["share of yes"], [9 / 14, 1, 0.6, 0.4, 1, 0, 0, 1])


def test_bars_are_as_long_as_the_shares(learner):
    bars = drawn(learner.tree_).ax_.containers
    assert [bar.get_label() for bar in bars[:2]] == ["no", "yes"]
    widths = np.array([[patch.get_width() for patch in bar] for bar in bars[:2]])
    np.testing.assert_allclose(widths.sum(axis=0), 0.5)
    np.testing.assert_allclose(widths[1] / 0.5, [9 / 14, 1, 0.6, 0.4, 1, 0, 0, 1])


def test_signs_of_formulas_are_drawn_as_they_are():
    X = pd.DataFrame({"$a_1$": [1.0, 2, 3, 4], "b": [0.0] * 4})
    tree = C45Classifier().fit(X, ["$x^$", "$x^$", "_{", "_{"]).tree_
    display = drawn(tree)
    display.figure_.draw_without_rendering()
    assert "$a_1$" in [text.get_text() for text in display.ax_.texts]


def test_a_learner_draws_its_regions_and_what_pruning_does():
    X, y = np.arange(16.0).reshape(8, 2), np.array([0, 0, 0, 1, 0, 1, 1, 1])
    tree = C45Classifier(pruning=None, min_samples_leaf=1).fit(X, y)
    regions = tree.plot_boundaries(X, y, columns=(0, 1))
    np.testing.assert_array_equal(
        regions.to_frame()["class"],
        BoundaryDisplay.from_estimator(tree, X, y, columns=(0, 1)).to_frame()["class"],
    )
    pruned = tree.plot_pruning({"training": (X, y)}, ax=regions.ax_)
    assert pruned.ax_ is regions.ax_
    assert pruned.to_frame()["training"].iloc[-1] == 0.5


def test_a_learner_that_is_not_fitted_has_no_picture():
    with pytest.raises(NotFittedError, match="not fitted yet"):
        TreeDisplay.from_estimator(C45Classifier())


@pytest.fixture(scope="module")
def iris():
    bunch = load_iris(as_frame=True)
    return bunch.data, bunch.target_names[bunch.target]


def test_cells_lie_between_the_thresholds_of_the_tree_and_columns_must_have_values(iris):
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
    for columns in ([0], [1, 1], [0, 1, 2]):
        with pytest.raises(InvalidArgumentError, match="columns must be two columns of X; got"):
            BoundaryDisplay.from_estimator(tree, X, columns=columns)
    with pytest.raises(InvalidArgumentError, match="columns must name columns of X; got 'petal'"):
        BoundaryDisplay.from_estimator(tree, X, columns=["petal", 0])
    empty = X.assign(**{"petal width (cm)": np.nan})
    with pytest.raises(InvalidArgumentError, match="must have at least one value; got none"):
        BoundaryDisplay.from_estimator(tree, empty, columns=[2, 3])


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


def noisy_circle(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 2))
    is_inside = np.hypot(X[:, 0] - 0.5, X[:, 1] - 0.5) < 0.4
    return X, is_inside ^ (rng.random(n) < 0.15)


@pytest.fixture(scope="module")
def display():
    X, y = noisy_circle(300, 0)
    learner = C45Classifier(
        pruning=None, collapse=False, min_samples_leaf=1, mdl_correction=False
    ).fit(X, y)
    rows = {"training": (X, y), "pruning": noisy_circle(200, 1), "test": noisy_circle(2000, 2)}
    return PruningEffectDisplay.from_estimator(learner, rows)


def test_the_first_tree_is_the_whole_one_and_test_errors_fall_before_they_rise(display):
    frame = display.to_frame()
    assert list(frame.columns) == ["n_nodes", "n_leaves", "alpha", "training", "pruning", "test"]
    assert frame["n_nodes"].is_monotonic_decreasing
    assert frame["n_nodes"].iloc[-1] == frame["n_leaves"].iloc[-1] == 1
    assert (frame["n_nodes"] == 2 * frame["n_leaves"] - 1).all()
    assert frame["alpha"].is_monotonic_increasing
    _, y = noisy_circle(300, 0)
    assert frame["training"].iloc[-1] == pytest.approx(min(y.mean(), 1 - y.mean()))
    assert frame["training"].iloc[0] == 0
    assert frame["training"].is_monotonic_increasing
    best = int(frame["test"].idxmin())
    assert 0 < best < len(frame) - 1
    assert frame["test"].iloc[0] > frame["test"][best] + 0.03


def test_errors_are_those_of_the_pruned_trees():
    X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 1, 0, 1, 1, 1])
    learner = C45Classifier(pruning=None, min_samples_leaf=1, mdl_correction=False).fit(X, y)
    rows = {"training": (X, y), "other": (np.array([[3.0], [4.0]]), np.array([0, 1]))}
    frame = PruningEffectDisplay.from_estimator(learner, rows).to_frame()
    assert frame["n_leaves"].tolist() == [4, 2, 1]
    np.testing.assert_allclose(frame["training"], [0, 1 / 8, 1 / 2])
    np.testing.assert_allclose(frame["other"], [1, 1 / 2, 1 / 2])


def test_a_subtree_that_saves_nothing_is_a_step_of_its_own():
    # Both leaves of the first split say 0: the subtree saves no errors.
    X, y = np.repeat(np.arange(4.0), 3)[:, None], np.array([0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0])
    learner = C45Classifier(
        pruning=None, collapse=False, min_samples_leaf=1, mdl_correction=False
    ).fit(X, y)
    assert learner.get_n_leaves() > 1
    frame = PruningEffectDisplay.from_estimator(learner, {"training": (X, y)}).to_frame()
    assert frame["n_leaves"].tolist() == [learner.get_n_leaves(), 1]
    assert frame["alpha"].tolist() == [0.0, 0.0]


def test_a_line_is_drawn_for_all_rows_and_a_ring_at_its_best(display):
    ax = display.plot(Figure().add_subplot()).ax_
    lines, rings = ax.get_lines()[::2], ax.get_lines()[1::2]
    assert [line.get_label() for line in lines] == ["training", "pruning", "test"]
    frame = display.to_frame()
    for name, line, ring in zip(("training", "pruning", "test"), lines, rings, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), frame[name])
        best = frame[frame[name] == frame[name].min()].iloc[-1]
        assert ring.get_xdata()[0] == best["n_nodes"]

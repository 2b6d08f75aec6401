"""Pictures of trees: the numbers they are drawn from, and what is drawn."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError

from bestofk.data import load_data
from bestofk.trees import BoundaryDisplay, C45Classifier
from bestofk.trees.displays import TreeDisplay


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

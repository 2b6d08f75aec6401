"""Errors of a tree by its size."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from bestofk.trees import C45Classifier
from bestofk.trees.displays import PruningEffectDisplay


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


def test_the_first_tree_is_the_whole_one_and_the_last_the_root(display):
    frame = display.to_frame()
    assert list(frame.columns) == ["n_nodes", "n_leaves", "alpha", "training", "pruning", "test"]
    assert frame["n_nodes"].is_monotonic_decreasing
    assert frame["n_nodes"].iloc[-1] == frame["n_leaves"].iloc[-1] == 1
    assert (frame["n_nodes"] == 2 * frame["n_leaves"] - 1).all()
    assert frame["alpha"].is_monotonic_increasing
    _, y = noisy_circle(300, 0)
    assert frame["training"].iloc[-1] == pytest.approx(min(y.mean(), 1 - y.mean()))
    assert frame["training"].iloc[0] == 0


def test_training_errors_rise_with_pruning_and_test_errors_fall_first(display):
    frame = display.to_frame()
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

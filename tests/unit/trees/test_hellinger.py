"""Hellinger trees: measures, tests and answers as in the formulas."""

import math

import numpy as np
import pandas as pd
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.trees import HellingerTreeClassifier


def worths(learner: HellingerTreeClassifier, X: pd.DataFrame, y: list[str]) -> dict[str, float]:
    """Return the worth of the best test of each column at the root."""
    result = learner.fit(X, y).node_table(0, X, y)
    return result["worth"].to_dict()


def test_growth_ends_where_nodes_are_pure_and_absent_classes_do_not_count():
    # The root parts c from the others; below only a and b are left, and are parted.
    X = [[0.0, 0], [0, 0], [0, 1], [0, 1], [9, 0], [9, 1], [9, 0], [9, 1]]
    learner = HellingerTreeClassifier(multiclass="max-over-rest").fit(X, list("aabbcccc"))
    assert learner.get_n_leaves() == 3
    assert learner.score(X, list("aabbcccc")) == 1.0
    X = pd.DataFrame({"a": list("0011"), "b": list("0101")})
    learner = HellingerTreeClassifier(min_samples_leaf=1).fit(X, [0, 1, 1, 0])
    assert learner.get_n_leaves() == 4


def test_what_is_missing_lowers_the_worth_and_ties_go_to_the_first():
    X = pd.DataFrame({"x": ["a", "a", "b", "b", None], "z": ["u"] * 5})
    result = worths(HellingerTreeClassifier(min_samples_leaf=1), X, list("ppnnn"))
    assert result["x"] == pytest.approx(0.8 * math.sqrt(2), rel=1e-12)
    X = [[1.0, 1.0], [2, 2], [3, 3], [4, 4]]
    learner = HellingerTreeClassifier(min_samples_leaf=1).fit(X, list("abab"))
    assert learner.tree_.attribute[0] == 0
    assert learner.tree_.threshold[0] == 1.5


def test_rarity_of_a_class_does_not_change_the_tests_and_one_percent_is_found():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3)).round(1)
    y = (X[:, 0] + 0.5 * rng.normal(size=400) > 0.4).astype(int)
    weight = np.where(y == 1, 1.0, 16.0)
    plain = HellingerTreeClassifier(min_samples_leaf=1e-3, max_depth=4).fit(X, y)
    rare = HellingerTreeClassifier(min_samples_leaf=1e-3, max_depth=4).fit(X, y, weight)
    np.testing.assert_array_equal(plain.tree_.attribute, rare.tree_.attribute)
    np.testing.assert_array_equal(plain.tree_.threshold, rare.tree_.threshold)
    rng = np.random.default_rng(2)
    X = rng.normal(size=(1000, 4))
    y = np.zeros(1000, int)
    y[:10] = 1
    X[:10, 2] = rng.uniform(4, 5, 10)
    learner = HellingerTreeClassifier().fit(X, y)
    assert learner.get_n_leaves() == 2
    assert learner.tree_.attribute[0] == 2
    np.testing.assert_allclose(learner.predict_proba(X)[0], [1 / 12, 11 / 12], rtol=1e-12)


def test_leaves_answer_by_laplace_or_raw():
    X, y = [[1.0], [2], [3], [4], [5]], list("aaabb")
    assert HellingerTreeClassifier().fit(X, y).predict_proba([[5.0]]).tolist() == [[0.25, 0.75]]
    raw = HellingerTreeClassifier(laplace=False).fit(X, y)
    assert raw.predict_proba([[5.0]]).tolist() == [[0.0, 1.0]]


def test_description_length_prunes_noise():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(100, 2)), rng.integers(0, 2, 100)
    assert HellingerTreeClassifier(pruning="mdl").fit(X, y).get_n_leaves() == 1


@pytest.mark.parametrize("name", ["nominal_splits", "multiclass", "pruning"])
def test_unknown_word_is_refused(name):
    learner = HellingerTreeClassifier(**{name: "subset"})
    with pytest.raises(InvalidArgumentError, match=f"{name} of HellingerTreeClassifier must be a"):
        learner.fit([[1.0], [2.0]], [0, 1])

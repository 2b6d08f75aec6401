import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm
from sklearn.datasets import load_iris, load_wine

from bestofk.learners.kernel_naive_bayes_classifier import KernelNaiveBayesClassifier


def naive_probabilities(X, y, asked):
    """Return what the definition says, kernel by kernel."""
    classes = np.unique(y)
    logs = np.empty((len(asked), len(classes)))
    for index, label in enumerate(classes):
        rows = X[y == label]
        logs[:, index] = np.log(len(rows) / len(X))
        for position in range(X.shape[1]):
            distinct = np.unique(X[:, position])
            if len(distinct) == 1:
                continue
            width = max(np.ptp(rows[:, position]) / len(rows) ** 0.5, np.diff(distinct).mean() / 6)
            kernels = norm.logpdf(asked[:, position, None], loc=rows[:, position], scale=width)
            logs[:, index] += logsumexp(kernels, axis=1) - np.log(len(rows))
    return np.exp(logs - logsumexp(logs, axis=1, keepdims=True))


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_probabilities_are_those_of_the_definition(load):
    X, y = load(return_X_y=True)
    learner = KernelNaiveBayesClassifier().fit(X[::2], y[::2])
    np.testing.assert_allclose(
        learner.predict_proba(X[1::2]), naive_probabilities(X[::2], y[::2], X[1::2]), atol=1e-12
    )


def test_widths_are_range_over_root_or_a_sixth_of_the_gap():
    # a: range 9, 9 rows; b: one value, so a sixth of the mean gap (9 - 0) / (4 - 1) = 3
    X = np.array([[0.0]] * 4 + [[9.0]] * 5 + [[3.0]] * 2 + [[6.0]])
    learner = KernelNaiveBayesClassifier().fit(X, ["a"] * 9 + ["b"] * 2 + ["c"])
    np.testing.assert_allclose(learner.widths_, [[3.0], [0.5], [0.5]], rtol=1e-15)
    np.testing.assert_allclose(learner.class_prior_, [9 / 12, 2 / 12, 1 / 12], rtol=1e-15)


def test_odds_of_two_single_kernels_are_those_of_their_distances():
    # both classes have one row, width 6 / 6 = 1: squared distances 4 and 16
    learner = KernelNaiveBayesClassifier().fit([[0.0], [6.0]], ["a", "b"])
    odds = np.exp((16 - 4) / 2)
    shares = learner.predict_proba([[2.0]])
    np.testing.assert_allclose(shares, [[odds / (1 + odds), 1 / (1 + odds)]], rtol=1e-13)


def test_value_far_from_all_kernels_goes_to_the_nearest_without_warning():
    learner = KernelNaiveBayesClassifier().fit([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1])
    np.testing.assert_array_equal(learner.predict_proba([[-1e6], [1e6]]), [[1, 0], [0, 1]])


def test_constant_column_says_nothing():
    X, y = load_iris(return_X_y=True)
    wide = np.column_stack([X, np.full(len(X), 0.1)])
    learner = KernelNaiveBayesClassifier().fit(wide, y)
    wide[:, -1] = 7.0
    np.testing.assert_array_equal(
        learner.predict_proba(wide), KernelNaiveBayesClassifier().fit(X, y).predict_proba(X)
    )
    np.testing.assert_array_equal(learner.widths_[:, -1], 0)


def test_rows_without_any_difference_get_the_priors():
    learner = KernelNaiveBayesClassifier().fit([[1.0]] * 3, ["b", "a", "b"])
    np.testing.assert_allclose(learner.predict_proba([[4.0]]), [[1 / 3, 2 / 3]], rtol=1e-15)
    assert learner.predict([[1.0]]) == ["b"]


def test_tie_goes_to_the_first_class():
    learner = KernelNaiveBayesClassifier().fit([[0.0], [2.0]], ["b", "a"])
    assert learner.predict([[1.0]]) == ["a"]


def test_many_rows_are_summed_in_blocks_alike(monkeypatch):
    X, y = load_iris(return_X_y=True)
    learner = KernelNaiveBayesClassifier().fit(X, y)
    whole = learner.predict_proba(X)
    monkeypatch.setattr("bestofk.learners.kernel_naive_bayes_classifier._BLOCK", 50)
    np.testing.assert_allclose(learner.predict_proba(X), whole, rtol=1e-13)

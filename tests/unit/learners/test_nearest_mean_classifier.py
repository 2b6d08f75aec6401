import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid

from bestofk.learners.nearest_mean_classifier import NearestMeanClassifier


def test_labels_are_those_of_nearest_centroid():
    X, y = load_wine(return_X_y=True)
    ours, theirs = NearestMeanClassifier().fit(X, y), NearestCentroid().fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.means_, theirs.centroids_, rtol=1e-13)


def test_probabilities_are_those_of_round_normal_classes():
    # Means 1 and 8, variance (1 + 1 + 1 + 1) / (4 - 2) = 2; at 4: distances 3 and 4.
    learner = NearestMeanClassifier().fit([[0.0], [2.0], [7.0], [9.0]], ["a", "a", "b", "b"])
    assert learner.variance_ == 2.0
    odds = np.exp((16 - 9) / (2 * 2.0))
    shares = learner.predict_proba([[4.0]])
    np.testing.assert_allclose(shares, [[odds / (1 + odds), 1 / (1 + odds)]], rtol=1e-14)
    np.testing.assert_allclose(learner.decision_function([[4.0]]), [(9 - 16) / 2])


def test_probabilities_are_those_of_naive_bayes_with_one_variance():
    X, y = load_wine(return_X_y=True)
    ours = NearestMeanClassifier().fit(X, y)
    theirs = GaussianNB(priors=np.full(3, 1 / 3)).fit(X, y)
    theirs.var_[:] = ours.variance_
    np.testing.assert_allclose(
        ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-8, atol=1e-12
    )


def test_tie_goes_to_the_first_class():
    learner = NearestMeanClassifier().fit([[0.0], [2.0]], ["b", "a"])
    assert learner.predict([[1.0]]) == ["a"]


def test_rows_on_their_means_give_certain_probabilities_without_warning():
    learner = NearestMeanClassifier().fit([[0.0], [0.0], [1.0]], [0, 0, 1])
    assert learner.variance_ == 0
    np.testing.assert_array_equal(learner.predict_proba([[0.2], [3.0]]), [[1, 0], [0, 1]])


def test_constant_columns_and_one_class_are_valid():
    learner = NearestMeanClassifier().fit([[1.0], [1.0]], ["a", "a"])
    assert learner.predict([[4.0]]) == ["a"]
    np.testing.assert_array_equal(learner.predict_proba([[4.0]]), [[1.0]])


def test_distances_equal_but_for_rounding_go_to_the_first_class():
    # 0.3 lies between 0.1 and 0.5; in floats it is nearer to one of them
    for low, high in (("a", "b"), ("b", "a")):
        learner = NearestMeanClassifier().fit([[0.1], [0.5], [0.0], [0.2]], [low, high, low, low])
        assert learner.predict([[0.3]]) == ["a"]
        assert learner.predict_proba([[0.3]]).tolist() == [[0.5, 0.5]]


def test_rows_that_are_all_alike_but_for_rounding_have_no_variance():
    learner = NearestMeanClassifier().fit(np.full((9, 2), 0.1), np.arange(9) % 2)
    assert (learner.variance_, learner.spread_) == (0, pytest.approx(0, abs=1e-30))
    np.testing.assert_array_equal(learner.predict_proba([[0.1, 0.1]]), [[1, 0]])

import numpy as np

from bestofk.learners.majority_classifier import MajorityClassifier

X = np.zeros((4, 1))


def test_most_frequent_class_is_predicted_with_the_shares_as_probabilities():
    learner = MajorityClassifier().fit(X, ["b", "a", "b", "b"])
    assert learner.predict(X[:2]).tolist() == ["b", "b"]
    np.testing.assert_array_equal(learner.predict_proba(X[:1]), [[0.25, 0.75]])


def test_first_class_in_sorted_order_wins_a_tie():
    assert MajorityClassifier().fit(X, ["b", "a", "b", "a"]).predict(X[:1]) == ["a"]


def test_weights_count():
    learner = MajorityClassifier().fit(X, ["b", "a", "b", "b"], sample_weight=[1, 9, 1, 1])
    assert learner.predict(X[:1]) == ["a"]

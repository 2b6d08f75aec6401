import numpy as np
import pytest

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


@pytest.mark.parametrize(
    ("y", "message"),
    [([0.5, 1.5, 2.5, 3.5], "Unknown label type: continuous"), ([0, 1, np.nan, 1], "NaN")],
)
def test_target_without_classes_is_refused(y, message):
    with pytest.raises(ValueError, match=message):
        MajorityClassifier().fit(X, y)

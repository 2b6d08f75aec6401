import numpy as np
from sklearn.datasets import load_iris

from bestofk.batched import batched_form
from bestofk.learners.majority_classifier import MajorityClassifier
from bestofk.testing import check_batched_form


def predict(y, folds, n_folds):
    X, classes = np.zeros((len(y), 1)), np.unique(y)
    form = batched_form(MajorityClassifier(), X, y, y, classes, n_folds)
    return form.predict(np.array(folds, dtype=np.int32))


def test_shares_are_those_of_the_other_folds_and_the_first_of_equal_classes_wins():
    result = predict(np.array([0, 1, 1, 2, 2]), [[0, 0, 1, 0, 1]], 2)
    # without fold 0: classes 1 and 2 once each; without fold 1: all three once
    np.testing.assert_array_equal(result.labels, [[1, 1, 0, 1, 0]])
    np.testing.assert_allclose(result.probabilities[0, 0], [0, 1 / 2, 1 / 2], rtol=1e-15)
    np.testing.assert_allclose(result.probabilities[0, 2], [1 / 3, 1 / 3, 1 / 3], rtol=1e-15)


def test_shares_are_those_of_the_plain_learner_to_the_last_bit():
    X, y = load_iris(return_X_y=True)
    assert check_batched_form(MajorityClassifier(), X, y, tolerance=0.0).n_tied == 0

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.given import data_folder

from bestofk.batched import batched_form
from bestofk.data import load_data
from bestofk.learners import learner_catalogue
from bestofk.learners.nearest_mean_classifier import NearestMeanClassifier
from bestofk.testing import batched_agreement, check_batched_form


def form_of(learner, X, y, n_folds):
    codes = np.unique(y, return_inverse=True)[1]
    return batched_form(learner, X, y, codes, np.unique(y), n_folds, even_if_slower=True)


def test_labels_and_probabilities_are_those_of_two_means_by_hand():
    # fold 1 tests the last row; the rest has means 1 and 8 and variance 2: see the plain learner
    X, y = np.array([[0.0], [2.0], [7.0], [9.0], [4.0]]), np.array([0, 0, 1, 1, 1])
    result = form_of(NearestMeanClassifier(), X, y, 2).predict(np.array([[0, 0, 0, 0, 1]]))
    odds = np.exp((16 - 9) / 4)
    assert result.labels[0, 4] == 0
    np.testing.assert_allclose(
        result.probabilities[0, 4], [odds / (1 + odds), 1 / (1 + odds)], rtol=1e-13
    )


@pytest.mark.parametrize(
    "learner", [NearestMeanClassifier(), make_pipeline(StandardScaler(), NearestMeanClassifier())]
)
@pytest.mark.parametrize("cv", ["5x2", "10"])
def test_predictions_are_those_of_the_plain_learner(learner, cv):
    X, y = load_breast_cancer(return_X_y=True)
    assert check_batched_form(learner, X, y, cv=cv, tolerance=1e-11).n_different == 0


@pytest.mark.parametrize("name", ["zoo", "horse-colic", "dermatology", "glass"])
def test_tables_with_levels_and_gaps_are_predicted_as_by_the_plain_learner(name):
    data = load_data(data_folder() / "uci" / f"{name}.arff")
    agreement = batched_agreement(learner_catalogue()["nearest-mean"].make(), data)
    assert (agreement.n_different, agreement.n_left, agreement.failures) == (0, 0, ())
    assert agreement.largest_difference < 1e-9


def test_equal_distances_go_to_the_first_class_in_both_ways():
    # on a grid whose steps are no binary fractions: every mean is rounded, many rows are tied
    grid = np.arange(12) * 0.1
    X = np.column_stack([np.tile(grid, 6), np.repeat(grid[:6], 12)])
    y = (np.arange(72) % 12 > 5).astype(int)
    agreement = check_batched_form(NearestMeanClassifier(), X, y)
    assert (agreement.n_tied, agreement.n_different) == (0, 0)
    form = form_of(NearestMeanClassifier(), [[0.1], [0.5], [0.3]] @ np.ones((1, 2)),
                   np.array([0, 1, 1]), 2)  # fmt: skip
    assert form.predict(np.array([[0, 0, 1]])).labels[0, 2] == 0


def test_rows_that_are_all_alike_go_to_the_first_class_in_both_ways():
    X, y = np.full((40, 3), 0.1), np.arange(40) % 3
    assert check_batched_form(NearestMeanClassifier(), X, y, tolerance=0.0).n_left == 0


def test_parts_where_rounding_says_whether_there_is_a_spread_are_left():
    y = np.arange(20) % 3
    X = np.column_stack([y * 0.1, y * 0.3])
    result = form_of(NearestMeanClassifier(), X, y, 2).predict(np.array([np.arange(20) // 10]))
    plain = NearestMeanClassifier().fit(X[:10], y[:10])
    for fold in range(2):
        if result.is_done[0, fold]:
            np.testing.assert_array_equal(result.labels[0, :10], plain.predict(X[:10]))
    assert np.isfinite(result.probabilities).all()


def test_class_without_training_rows_gets_probability_zero():
    X, y = load_iris(return_X_y=True)
    folds = np.array([np.where(y == 2, 0, np.arange(150) % 2)])
    result = form_of(NearestMeanClassifier(), X, y, 2).predict(folds)
    tested = folds[0] == 0
    np.testing.assert_array_equal(result.probabilities[0, tested, 2], 0)
    plain = NearestMeanClassifier().fit(X[~tested], y[~tested])
    np.testing.assert_allclose(
        result.probabilities[0, tested, :2], plain.predict_proba(X[tested]), atol=1e-12
    )


def test_block_of_repeats_gives_the_bits_of_each_repeat_by_itself():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 7)), rng.integers(0, 3, 90)
    folds = np.array([rng.permutation(np.arange(90) % 3) for _ in range(3)], dtype=np.int32)
    form = form_of(make_pipeline(StandardScaler(), NearestMeanClassifier()), X, y, 3)
    whole = form.predict(folds)
    for index in range(3):
        alone = form.predict(folds[index : index + 1])
        np.testing.assert_array_equal(whole.labels[index], alone.labels[0])
        np.testing.assert_array_equal(whole.probabilities[index], alone.probabilities[0])


@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_shares_far_from_zero_are_those_of_exact_distances(offset):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 8, (60, 3)) / 8 + offset, np.arange(60) % 4
    agreement = check_batched_form(NearestMeanClassifier(), X, y, cv="2x5", tolerance=1e-9)
    assert (agreement.n_different, agreement.n_left) == (0, 0)


@pytest.mark.parametrize("cv", ["2", "20"])
def test_folds_of_many_and_few_rows_agree(cv):
    X, y = load_iris(return_X_y=True)
    agreement = check_batched_form(NearestMeanClassifier(), X, y, cv=cv, tolerance=1e-12)
    assert (agreement.n_different, agreement.n_left) == (0, 0)

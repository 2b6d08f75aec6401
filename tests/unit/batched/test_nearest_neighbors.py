import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.given import data_folder
from tests.unit.batched.made_subsets import drawn_folds as folds_of
from tests.unit.batched.made_subsets import form_of_folds as form_of

from bestofk.batched import batched_form, nearest_neighbors
from bestofk.data import load_data
from bestofk.data.arrays import from_arrays
from bestofk.learners import learner_catalogue
from bestofk.learners.nearest_neighbors_classifier import NearestNeighborsClassifier
from bestofk.testing import batched_agreement, check_batched_form


def scaled(learner):
    return make_pipeline(StandardScaler(), learner)


def test_neighbors_are_those_by_hand():
    # fold 1 tests 1, from which 0 and the two rows at 2 are equally far
    X, y = np.array([[0.0], [2.0], [2.0], [9.0], [1.0]]), np.array(list("abbab"))
    folds = np.array([[0, 0, 0, 0, 1]], dtype=np.int32)
    ours = form_of(NearestNeighborsClassifier(1), X, y, 2).predict(folds)
    np.testing.assert_allclose(ours.probabilities[0, 4], [1 / 3, 2 / 3])
    assert ours.labels[0, 4] == 1
    theirs = form_of(KNeighborsClassifier(1), X, y, 2).predict(folds)
    np.testing.assert_array_equal(theirs.probabilities[0, 4], [1.0, 0.0])


def test_learner_of_scikit_learn_takes_the_tied_rows_that_come_first():
    X = np.array([[1.0], [-1.0], [1.0], [-1.0], [0.5], [0.0]])
    y = np.array([2, 1, 0, 0, 1, 0])
    folds = np.array([[0, 0, 0, 0, 0, 1]], dtype=np.int32)
    result = form_of(KNeighborsClassifier(3), X, y, 2).predict(folds)
    np.testing.assert_allclose(result.probabilities[0, 5], [0, 2 / 3, 1 / 3])


@pytest.mark.parametrize("make", [scaled, lambda learner: learner])
def test_columns_that_parts_scale_very_differently_are_followed(make):
    # digits: pixels that few rows have, constant in many parts; short lists leave rows to scans
    X, y = load_digits(return_X_y=True)
    X, y = X[:700], y[:700]
    learner = make(NearestNeighborsClassifier(3))
    assert check_batched_form(learner, X, y, cv="2x2", tolerance=1e-14).n_left == 0


def test_rows_that_lists_do_not_suffice_for_are_found_by_products():
    data = load_data(data_folder() / "uci" / "spambase.arff.gz")
    numbers = learner_catalogue()["5nn"].make().steps[0][1].fit_transform(data.features)
    learner = scaled(NearestNeighborsClassifier(5))
    agreement = batched_agreement(learner, from_arrays(numbers[::2], data.y[::2]), cv="1x2")
    assert (agreement.n_different, agreement.largest_difference) == (0, 0)


def test_regression_is_the_mean_of_the_neighbors():
    X, y = load_diabetes(return_X_y=True)
    for learner in (KNeighborsRegressor(5), scaled(KNeighborsRegressor(3))):
        agreement = batched_agreement(learner, from_arrays(X, y), cv="2x2")
        assert agreement.largest_difference < 1e-10


@pytest.mark.parametrize("n_columns", [2, 9, 33])
@pytest.mark.parametrize("n_levels", [2, 3])
@pytest.mark.parametrize("k", [1, 4])
def test_grids_of_ties_and_duplicates_agree(n_columns, n_levels, k):
    rng = np.random.default_rng(n_columns + k)
    X = rng.integers(0, n_levels, (90, n_columns)) * 0.3
    X[:, 0] = 0.7  # constant
    X[3, 1] = 5.0  # constant where this row is tested
    y = rng.integers(0, 3, 90)
    for prepare in (scaled, lambda learner: learner):
        learner = prepare(NearestNeighborsClassifier(k))
        agreement = check_batched_form(learner, X, y, cv="2x2", tolerance=1e-14)
        assert (agreement.n_different, agreement.n_tied, agreement.n_left) == (0, 0, 0)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 7), st.integers(1, 20))
def test_random_tables_agree(seed, k, n_columns):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(60, n_columns)) ** 3, int(rng.integers(0, 3)))
    y = np.arange(60) % 3
    learner = scaled(NearestNeighborsClassifier(k))
    assert check_batched_form(learner, X, y, cv="1x3", tolerance=1e-14).n_different == 0


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["1nn", "5nn"]), st.sampled_from(["2x2", "1x5"]))
def test_random_tables_with_gaps_and_levels_that_parts_lack_agree(seed, name, cv):
    # two levels about as frequent, so that parts fill gaps differently; levels of one row
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(40, 90))
    columns = {}
    for index in range(4):
        levels = rng.choice(["a", "b", "c", f"d{seed}"], n_rows, p=[0.44, 0.44, 0.1, 0.02])
        columns[f"level {index}"] = levels.astype(object)
        columns[f"number {index}"] = np.round(rng.normal(size=n_rows) ** 3, 1)
    X = pd.DataFrame(columns).mask(rng.random((n_rows, 8)) < rng.choice([0.02, 0.2]))
    data = from_arrays(X, np.arange(n_rows) % 2)
    agreement = batched_agreement(learner_catalogue()[name].make(), data, cv=cv)
    assert (agreement.n_different, agreement.n_tied, agreement.failures) == (0, 0, ())
    assert agreement.largest_difference == 0


def test_lists_too_short_for_any_proof_change_nothing(monkeypatch):
    X, y = load_digits(return_X_y=True)
    X, y, folds = X[:400], y[:400], folds_of(400, 2, 2)
    learner = scaled(NearestNeighborsClassifier(5))
    expected = form_of(learner, X, y, 2).predict(folds)
    monkeypatch.setattr(nearest_neighbors, "list_length", lambda *_: 5)
    result = form_of(learner, X, y, 2).predict(folds)
    np.testing.assert_array_equal(result.probabilities, expected.probabilities)
    np.testing.assert_array_equal(result.labels, expected.labels)


@pytest.mark.parametrize("tile", [1, 7, 64])
def test_tiles_of_products_change_nothing(tile, monkeypatch):
    X, y = load_digits(return_X_y=True)
    X, y, folds = X[:200], y[:200], folds_of(200, 2, 3)
    for learner in (NearestNeighborsClassifier(5), KNeighborsRegressor(5)):
        expected = form_of(scaled(learner), X, y, 3).predict(folds)
        monkeypatch.setattr("bestofk.learners.nearest_neighbors_classifier._TILE", tile)
        result = form_of(scaled(learner), X, y, 3).predict(folds)
        np.testing.assert_array_equal(result.probabilities, expected.probabilities)
        np.testing.assert_array_equal(result.labels, expected.labels)


@pytest.mark.parametrize("n_repeats", [1, 9])
@pytest.mark.parametrize("length", [3, 8, 100])
@pytest.mark.parametrize("prepare", [lambda learner: learner, scaled])
def test_lists_of_any_length_tell_what_scans_of_all_rows_tell(
    prepare, n_repeats, length, monkeypatch
):
    # ties, rows that are there twice, lists of all rows and lists too short
    rng = np.random.default_rng(length)
    X = rng.normal(size=(60, 3)).round(1)
    X[50:] = X[:10]
    folds, y = folds_of(60, n_repeats, 4), rng.integers(0, 3, 60)
    monkeypatch.setattr(nearest_neighbors, "list_length", lambda *_: length)
    for learner in (NearestNeighborsClassifier(3), KNeighborsClassifier(3)):
        form = form_of(prepare(learner), X, y, 4)
        result = form.predict(folds)
        assert form._lists is not None
        form._lists = None
        expected = form.predict(folds)
        np.testing.assert_array_equal(result.labels, expected.labels)
        np.testing.assert_array_equal(result.probabilities, expected.probabilities)


def test_rows_whose_lists_suffice_take_no_longer_ones(monkeypatch):
    X, y = load_breast_cancer(return_X_y=True)
    form = form_of(KNeighborsClassifier(5), X, y, 10)
    monkeypatch.setattr(form._search, "lists", None)
    folds = folds_of(len(y), 2, 10)
    result = form.predict(folds)
    tests = folds[1] == 3
    plain = KNeighborsClassifier(5).fit(X[~tests], y[~tests]).predict_proba(X[tests])
    np.testing.assert_array_equal(result.probabilities[1, tests], plain)


def test_parts_with_fewer_rows_than_neighbors_are_left():
    X, y = load_iris(return_X_y=True)
    folds = np.array([np.where(np.arange(150) < 147, 0, 1)], dtype=np.int32)
    result = form_of(NearestNeighborsClassifier(5), X, y, 2).predict(folds)
    np.testing.assert_array_equal(result.is_done, [[False, True]])
    np.testing.assert_allclose(result.probabilities[0, 147:].sum(axis=1), 1)


@pytest.mark.parametrize(
    "settings",
    [
        {"p": 1},
        {"metric": "manhattan"},
        {"metric": "euclidean", "metric_params": {"w": [1, 2, 3, 4]}},
    ],
)
def test_other_distances_and_weights_are_left_to_the_plain_way(settings):
    X, y = load_iris(return_X_y=True)
    assert form_of(KNeighborsClassifier(5, **settings), X, y, 2) is None


def test_single_precision_and_missing_numbers_are_left_to_the_plain_way():
    X, y = load_iris(return_X_y=True)
    assert form_of(KNeighborsClassifier(5), X.astype(np.float32), y, 2) is None
    X = X.copy()
    X[0, 0] = np.nan
    assert form_of(NearestNeighborsClassifier(5), X, y, 2) is None
    assert form_of(scaled(NearestNeighborsClassifier(5)), X, y, 2) is None


def test_very_many_columns_or_neighbors_are_left_to_the_plain_way():
    rng = np.random.default_rng(0)
    X, y, classes = rng.normal(size=(70, 1001)), np.arange(70) % 2, np.arange(2)
    for k, n_columns, is_batched in ((5, 1000, True), (5, 1001, False), (65, 9, False)):
        learner = scaled(KNeighborsClassifier(k))
        form = batched_form(learner, X[:, :n_columns], y, y, classes, 10)
        assert (form is not None) == is_batched


def test_many_rows_in_few_columns_are_found_by_a_tree():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4000, 2)), rng.integers(0, 2, 4000)
    form = form_of(scaled(NearestNeighborsClassifier(5)), X, y, 10)
    assert form._search._tree is not None
    folds = folds_of(4000, 1, 10)
    learner, is_test = scaled(KNeighborsClassifier(5)), folds[0] == 3
    expected = learner.fit(X[~is_test], y[~is_test]).predict_proba(X[is_test])
    np.testing.assert_array_equal(form.predict(folds).probabilities[0, is_test], expected)


def test_wide_ranges_and_far_clusters_raise_no_warning_and_agree():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 16))
    X[:60] += 1e7
    X[:, 3] *= 1e-160
    y = np.arange(120) % 2
    for n_folds in (2, 10):
        form = form_of(NearestNeighborsClassifier(5), X, y, n_folds)
        assert np.isfinite(form.predict(folds_of(120, 2, n_folds)).probabilities).all()
    check_batched_form(NearestNeighborsClassifier(5), X, y, tolerance=1e-14)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["1nn", "5nn"]), st.sampled_from(["3x2", "2x5"]))
def test_parts_share_lists_where_they_fill_levels_as_all_rows_do(seed, name, cv):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"even": rng.choice(["a", "b"], 60), "odd": rng.choice(["a", "b"], 60)})
    X = X.mask(rng.random(X.shape) < 0.2)
    X["number"] = rng.normal(size=60).round(1)
    data = from_arrays(X, np.arange(60) % 2)
    agreement = batched_agreement(learner_catalogue()[name].make(), data, cv=cv)
    assert (agreement.n_different, agreement.n_tied, agreement.failures) == (0, 0, ())
    assert agreement.largest_difference == 0

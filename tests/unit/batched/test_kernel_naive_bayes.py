import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm
from sklearn.datasets import load_iris, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.given import data_folder

from bestofk.batched import batched_form
from bestofk.batched._densities import add_log_densities
from bestofk.data import load_data
from bestofk.learners import learner_catalogue
from bestofk.learners.kernel_naive_bayes_classifier import KernelNaiveBayesClassifier
from bestofk.testing import batched_agreement, check_batched_form


def form_of(learner, X, y, n_folds):
    codes = np.unique(y, return_inverse=True)[1]
    return batched_form(learner, X, y, codes, np.unique(y), n_folds, even_if_slower=True)


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize(
    "learner",
    [KernelNaiveBayesClassifier(), make_pipeline(StandardScaler(), KernelNaiveBayesClassifier())],
)
def test_predictions_are_those_of_the_plain_learner(load, learner):
    X, y = load(return_X_y=True)
    assert check_batched_form(learner, X, y, tolerance=1e-11).n_left == 0


@pytest.mark.parametrize("name", ["zoo", "glass", "balance"])
def test_tables_of_real_data_are_predicted_as_by_the_plain_learner(name):
    data = load_data(data_folder() / "uci" / f"{name}.arff")
    agreement = batched_agreement(learner_catalogue()["kernel-naive-bayes"].make(), data)
    assert (agreement.n_different, agreement.n_left, agreement.failures) == (0, 0, ())
    assert agreement.largest_difference < 1e-10


def test_far_values_and_kernels_out_of_reach_change_nothing():
    # wide and narrow classes, so that windows of kernels grow and shrink along a column
    rng = np.random.default_rng(0)
    y = np.arange(240) % 3
    X = (rng.normal(size=(240, 3)) * np.array([0.01, 1.0, 30.0])[y, None]) ** 3
    assert check_batched_form(KernelNaiveBayesClassifier(), X, y).n_different == 0


def test_parts_with_rows_beyond_the_digits_of_their_logarithms_are_left():
    X = np.column_stack([np.arange(20) * 1e-6])
    X[0] = 1e3
    result = form_of(KernelNaiveBayesClassifier(), X, np.arange(20) % 2, 2)
    np.testing.assert_array_equal(
        result.predict(np.array([np.arange(20) // 10])).is_done, [[False, True]]
    )


def test_class_without_training_rows_gets_probability_zero():
    X, y = load_iris(return_X_y=True)
    folds = np.array([np.where(y == 1, 0, np.arange(150) % 2)])
    result = form_of(KernelNaiveBayesClassifier(), X, y, 2).predict(folds)
    tested = folds[0] == 0
    np.testing.assert_array_equal(result.probabilities[0, tested, 1], 0)
    plain = KernelNaiveBayesClassifier().fit(X[~tested], y[~tested]).predict_proba(X[tested])
    np.testing.assert_allclose(result.probabilities[0, tested][:, [0, 2]], plain, atol=1e-12)


def test_block_of_repeats_gives_the_bits_of_each_repeat_by_itself():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 3)), rng.integers(0, 3, 90)
    folds = np.array([rng.permutation(np.arange(90) % 3) for _ in range(3)], dtype=np.int32)
    form = form_of(KernelNaiveBayesClassifier(), X, y, 3)
    whole = form.predict(folds)
    for index in range(3):
        alone = form.predict(folds[index : index + 1])
        np.testing.assert_array_equal(whole.labels[index], alone.labels[0])
        np.testing.assert_array_equal(whole.probabilities[index], alone.probabilities[0])


def test_tables_with_gaps_are_not_taken():
    X = np.array([[1.0], [np.nan], [3.0], [4.0]])
    learner = learner_catalogue()["kernel-naive-bayes"].make()
    assert form_of(learner, X, np.array([0, 1, 0, 1]), 2) is None


@pytest.mark.parametrize("n_levels", [1, 6, 1000])
def test_log_densities_are_sums_over_all_kernels(n_levels):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, n_levels, (2, 25)) * rng.random((2, 1)), rng.integers(0, 3, 25)
    order = np.argsort(X, axis=1, kind="stable")
    folds = rng.integers(0, 2, (2, 25)).astype(np.int32)
    counts = np.array([[[((row != f) & (y == c)).sum() for c in range(3)] for f in range(2)]
                       for row in folds])  # fmt: skip
    result = np.zeros((2, 25, 3))
    columns = np.take_along_axis(X, order, axis=1)
    add_log_densities(folds, y, order.astype(np.int32), columns, counts, result)
    expected = np.zeros(result.shape)
    for repeat, row, code in np.ndindex(result.shape):
        is_train = folds[repeat] != folds[repeat, row]
        for column in X:
            distinct = np.unique(column[is_train])
            if len(distinct) > 1:
                own = column[is_train & (y == code)]
                gap = np.ptp(distinct) / (len(distinct) - 1)
                width = max(np.ptp(own) / np.sqrt(len(own)), gap / 6)
                logs = norm.logpdf(column[row], own, width)
                expected[repeat, row, code] += logsumexp(logs) - np.log(len(own))
    np.testing.assert_allclose(result, expected, rtol=1e-12)

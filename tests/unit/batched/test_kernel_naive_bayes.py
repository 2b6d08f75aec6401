import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm
from tests.unit.batched.made_subsets import form_of_folds as form_of

from bestofk.batched._densities import add_log_densities
from bestofk.learners import learner_catalogue
from bestofk.learners.kernel_naive_bayes_classifier import KernelNaiveBayesClassifier
from bestofk.testing import check_batched_form


def test_far_values_and_kernels_out_of_reach_change_nothing():
    # wide and narrow classes, so that windows of kernels grow and shrink along a column
    rng = np.random.default_rng(0)
    y = np.arange(240) % 3
    X = (rng.normal(size=(240, 3)) * np.array([0.01, 1.0, 30.0])[y, None]) ** 3
    assert check_batched_form(KernelNaiveBayesClassifier(), X, y).n_different == 0


def test_parts_with_rows_beyond_the_digits_of_their_logarithms_are_left():
    X = np.column_stack([np.arange(20) * 1e-6])
    X[0] = 1e3
    form = form_of(KernelNaiveBayesClassifier(), X, np.arange(20) % 2, 2)
    result = form.predict(np.array([np.arange(20) // 10]))
    np.testing.assert_array_equal(result.is_done, [[False, True]])


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

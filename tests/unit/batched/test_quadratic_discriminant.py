import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from tests.unit.batched.made_subsets import agreement_of, check_blocks, drawn_folds
from tests.unit.batched.made_subsets import form_of_folds as form_of

from bestofk.batched import batched_form, scatter
from bestofk.batched._scatter import factor_classes
from bestofk.batched.quadratic_discriminant import lost_degrees
from bestofk.learners import learner_catalogue

PLAIN = QuadraticDiscriminantAnalysis()


def agreement(estimator: Any, X: Any, y: Any, cv: str = "5x2") -> Any:
    result = agreement_of(estimator, X, y, cv)
    assert result.n_runs == 0 or result.largest_difference < 1e-9
    return result


def blobs(n_samples: int, n_columns: int, n_classes: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % n_classes
    mixes = rng.normal(size=(n_classes, n_columns, n_columns))
    X = np.einsum("ni,nij->nj", rng.normal(size=(n_samples, n_columns)), mixes[y])
    return X + rng.normal(size=(n_classes, n_columns))[y], y


def test_two_normal_classes_by_hand():
    # trained on 0, 2 and 10, 14: means 1 and 12, variances 1 and 4 (twice that, if n - 1 divides)
    X = np.array([[0.0], [2.0], [10.0], [14.0], [5.0], [4.0]])
    y = np.array([0, 0, 1, 1, 0, 1])
    result = form_of(PLAIN, X, y).predict(np.array([[1, 1, 1, 1, 0, 0]], dtype=np.int32))
    factor = 1 + lost_degrees()
    scores = [-0.5 * 16 / factor, -0.5 * (49 / 4 / factor + math.log(4))]
    odds = math.exp(scores[1] - scores[0])
    expected = [1 / (1 + odds), odds / (1 + odds)]
    assert result.probabilities[0, 4] == pytest.approx(expected, rel=1e-12)
    assert result.labels[0, 4] == int(odds > 1)
    assert result.is_done.tolist() == [[True, False]]  # one row per class: it raises


def test_singular_covariances_are_left_to_the_plain_learner():
    X, y = blobs(60, 3, 2)
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    folds = (np.random.default_rng(0).permutation(60) % 2).astype(np.int32)
    assert not form_of(PLAIN, X, y).predict(folds[None]).is_done.any()
    assert agreement(QuadraticDiscriminantAnalysis(reg_param=0.01), X, y).n_left == 0


def test_the_threshold_of_the_plain_learner_decides():
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = rng.normal(size=(80, 2)) * [1.0, 0.02]  # variances 1 and 4e-4, of 1e-4 at least
    assert agreement(PLAIN, X, y).n_left == 0
    folds = (rng.permutation(80) % 2).astype(np.int32)[None]
    for plain, is_done in ((PLAIN, False), (QuadraticDiscriminantAnalysis(tol=1e-6), True)):
        result = form_of(plain, X * [1.0, 0.1], y).predict(folds)
        assert (result.is_done == is_done).all()


def test_small_classes_are_left_to_the_plain_learner():
    X, y = blobs(40, 3, 2)
    y[:3] = 2
    folds = (np.arange(40) % 2).astype(np.int32)[None]
    plain = QuadraticDiscriminantAnalysis(reg_param=0.5)
    assert form_of(plain, X, y).predict(folds).is_done.tolist() == [[False, False]]
    assert batched_form(plain, X, y, y, np.arange(3), 2) is None


def test_a_repeat_is_predicted_alike_in_whatever_block(monkeypatch: pytest.MonkeyPatch):
    X, y = blobs(150, 20, 3)
    X[::7, 3] = np.nan
    form = form_of(learner_catalogue()["qda"].make(), X, y, 3)
    folds = drawn_folds(150, 3, 3)
    whole = check_blocks(form, folds)
    assert whole.is_done.all()
    # parts one by one
    monkeypatch.setattr(scatter, "_CACHED", 0)
    again = form.predict(folds)
    assert np.array_equal(again.probabilities, whole.probabilities)
    assert np.array_equal(again.is_done, whole.is_done)


def test_other_settings_go_the_plain_way():
    X, y = load_iris(return_X_y=True)
    assert form_of(QuadraticDiscriminantAnalysis(priors=[0.2, 0.3, 0.5]), X, y) is None
    assert form_of(QuadraticDiscriminantAnalysis(reg_param=1.0), X, y) is None
    assert form_of(PLAIN, X.astype(np.float32), y) is None
    if "solver" in PLAIN.get_params():
        other = QuadraticDiscriminantAnalysis().set_params(solver="eigen")
        assert form_of(other, X, y) is None


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n_columns=st.integers(1, 6),
    n_classes=st.integers(2, 3),
    share=st.sampled_from([0.0, 1e-3, 0.5]),
)
def test_any_table_agrees(seed: int, n_columns: int, n_classes: int, share: float):
    X, y = blobs(90, n_columns, n_classes, seed)
    agreement(QuadraticDiscriminantAnalysis(reg_param=share), X, y, "1x3")


@pytest.mark.parametrize(("n_columns", "n_parts", "n_classes"), [(1, 1, 2), (6, 3, 2), (9, 9, 4)])
def test_factors_make_the_columns_of_every_class_independent(
    n_columns: int, n_parts: int, n_classes: int
):
    rng = np.random.default_rng(0)
    n_matrices, shape = n_parts * n_classes, (n_parts, n_classes)
    rows = rng.normal(size=(n_matrices, 30, n_columns)) + 1.0
    rows[1] = 1.0  # no variance
    if n_columns > 5:
        rows[2, :, 5] = rows[2, :, :3].sum(axis=1)  # singular
    counts = np.full(n_matrices, 30.0)
    counts[-1] = 0.0
    scales = rng.uniform(0.5, 2.0, size=(n_parts, n_columns))
    with_ones = np.concatenate([rows, np.ones((n_matrices, 30, 1))], axis=2)
    products = np.einsum("mri,mrj->mij", with_ones, rows).reshape(*shape, -1, n_columns)
    every = np.zeros((*shape, n_columns + 1, n_columns))
    facts = np.empty((*shape, 3))
    factor_classes(products, counts.reshape(shape), scales, 0.0, lost_degrees(), every, facts)
    for m in range(n_matrices):
        index = divmod(m, n_classes)
        factors, shift = every[index][:-1], every[index][-1]
        intercept, growth, smallest = facts[index]
        if m in (1, n_matrices - 1):  # no variance, no rows
            assert not factors.any()
            assert (growth, smallest) == (np.inf, 0.0)
            continue
        if m == 2 and n_columns > 5:  # singular, but for rounding
            assert growth > 1e6
            continue
        covariance = np.atleast_2d(np.cov((rows[m] * scales[index[0]]).T, ddof=lost_degrees()))
        independent = rows[m] @ factors + shift
        assert np.allclose(np.cov(independent.T, ddof=lost_degrees()), np.eye(n_columns))
        assert np.allclose(independent.mean(axis=0), 0.0)
        assert np.array_equal(factors, np.triu(factors))
        assert intercept == pytest.approx(-0.5 * np.linalg.slogdet(covariance)[1])
        assert smallest <= np.linalg.eigvalsh(covariance)[0] * (1 + 1e-12)

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.given import data_folder
from tests.unit.batched.made_subsets import check_blocks
from tests.unit.batched.made_subsets import drawn_folds as folds_of

from bestofk.batched import batched_form, logistic
from bestofk.batched.logistic import (
    LogLosses,
    Reference,
    class_sums,
    find_optima,
    find_reference,
    hessian,
    probabilities_of,
)
from bestofk.data import load_data
from bestofk.learners.pipeline import learner_pipeline
from bestofk.testing import batched_agreement, check_batched_form

# Plain learners near the optimum; they differ from it by less than this.
TIGHT = LogisticRegression(tol=1e-8, max_iter=10_000)
NEAR = 1e-4


def scaled(estimator: Any = TIGHT) -> Any:
    return make_pipeline(StandardScaler(), estimator)


def form_of(estimator: Any, X: Any, y: Any, n_folds: int = 2, *, anyhow: bool = True) -> Any:
    target = np.asarray(y)
    classes, codes = np.unique(target, return_inverse=True)
    return batched_form(estimator, X, target, codes, classes, n_folds, even_if_slower=anyhow)


def blobs(n_samples: int, n_columns: int, n_classes: int, distance: float = 1.0) -> Any:
    rng = np.random.default_rng(0)
    y = np.arange(n_samples) % n_classes
    centers = distance * rng.normal(size=(n_classes, n_columns))
    return rng.normal(size=(n_samples, n_columns)) + centers[y], y


def test_a_constant_column_leaves_the_shares_of_the_classes():
    # part 0 trains on 1 of 4 rows of the second class, part 1 on 2 of 4
    y = np.array([0, 0, 1, 1, 0, 0, 0, 1])
    folds = np.array([[0, 0, 0, 0, 1, 1, 1, 1]], dtype=np.int32)
    result = form_of(LogisticRegression(), np.full((8, 1), 3.0), y).predict(folds)
    np.testing.assert_allclose(result.probabilities[0, :4, 1], 0.25, atol=1e-6)
    np.testing.assert_allclose(result.probabilities[0, 4:, 1], 0.5, atol=1e-6)
    assert result.labels[0, :4].tolist() == [0, 0, 0, 0]


def test_the_optimum_is_that_of_one_column_by_hand():
    # Rows -1 of the first class and 1 of the second: the slope w solves 2 C s(-w) = w, where s
    # is the logistic function, so C = w / (2 s(-w)) for the w that one likes.
    w = np.log(3.0)
    X, y = np.array([[-1.0], [1.0]] * 2), np.array([0, 1] * 2)
    folds = np.array([[0, 0, 1, 1]], dtype=np.int32)
    result = form_of(LogisticRegression(C=w / 0.5), X, y).predict(folds)
    np.testing.assert_allclose(result.probabilities[0, :, 1], [0.25, 0.75] * 2, atol=1e-5)


def digits() -> Any:
    X, y = load_digits(return_X_y=True)
    return X[:500], y[:500]


def odd_columns_and_duplicate_rows() -> Any:
    X, y = blobs(60, 3, 2)
    # constant in a part: 1 in one row alone
    lone = np.zeros((60, 1))
    lone[7] = 1e6
    X = np.hstack([X, np.full((60, 1), 5.0), lone])
    return np.vstack([X, X[:20]]), np.r_[y, y[:20]]


@pytest.mark.parametrize(
    ("estimator", "table", "cv"),
    [
        *((scaled(), load(return_X_y=True), cv)
          for load in (load_iris, load_wine, load_breast_cancer) for cv in ("3x2", "1x10")),
        (scaled(), digits(), "1x2"),  # many parameters
        (scaled(), blobs(4000, 40, 3, 0.3), "1x2"),  # rows in several blocks
        (TIGHT, blobs(200, 4, 3), "2x5"),  # numbers as they are
        (scaled(), odd_columns_and_duplicate_rows(), "3x2"),
        *((scaled(LogisticRegression(C=C, tol=1e-9, max_iter=10_000)), blobs(120, 5, n, 4.0), "2x2")
          for C in (0.01, 1.0, 100.0) for n in (2, 4)),  # nearly separable
    ],
)  # fmt: skip
def test_probabilities_are_those_of_the_optimum(estimator: Any, table: Any, cv: str):
    assert check_batched_form(estimator, *table, cv=cv, tolerance=NEAR).n_left == 0


def test_units_of_columns_do_not_matter_beyond_the_penalty():
    # a coefficient for a column in thousandths is a thousandth: C must be a millionth
    X, y = blobs(150, 4, 3)
    folds = folds_of(150, 2, 3)
    small = form_of(LogisticRegression(C=1.0), X, y, 3).predict(folds)
    large = form_of(LogisticRegression(C=1e-6, max_iter=10_000), X * 1000.0, y, 3).predict(folds)
    np.testing.assert_allclose(large.probabilities, small.probabilities, atol=1e-9)


@pytest.mark.parametrize(("n_classes", "n_rare"), [(3, 2), (4, 2), (3, 5)])
def test_a_part_without_a_class_gets_the_optimum_of_the_others(n_classes: int, n_rare: int):
    X, y = blobs(60, 3, n_classes - 1)
    rare = np.random.default_rng(1).normal(size=(n_rare, 3))
    X, y = np.vstack([X, rare]), np.append(y, [n_classes - 1] * n_rare)
    folds = folds_of(60 + n_rare, 3, 2)
    folds[0, 60:], folds[1, 60:] = 0, 1
    folds[2, 60:] = np.arange(n_rare) % 2
    result = form_of(scaled(), X, y).predict(folds)
    assert result.is_done is not None
    assert result.is_done.all()
    for repeat, fold in [(0, 0), (1, 1)]:
        train, test = folds[repeat] != fold, folds[repeat] == fold
        plain = scaled().fit(X[train], y[train])
        assert len(plain.classes_) == n_classes - 1
        shares = result.probabilities[repeat, test]
        np.testing.assert_allclose(shares[:, :-1], plain.predict_proba(X[test]), atol=NEAR)
        assert (shares[:, -1] == 0).all()
        np.testing.assert_array_equal(result.labels[repeat, test], plain.predict(X[test]))
    assert check_blocks(form_of(scaled(), X, y), folds).is_done.all()


def test_a_part_of_one_class_is_left_to_the_plain_way():
    X, y = blobs(40, 2, 2)
    folds = np.array([y, np.arange(40) // 20], dtype=np.int32)
    result = form_of(scaled(), X, y).predict(folds)
    assert result.is_done.tolist() == [[False, False], [True, True]]


def test_numbers_near_overflow_are_left_to_the_plain_way():
    X, y = blobs(40, 2, 2)
    result = form_of(LogisticRegression(max_iter=10_000), X * 1e200, y).predict(folds_of(40, 1, 2))
    assert not result.is_done.any()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_bits_do_not_depend_on_the_block_where_repeats_go_together(n_classes: int):
    X, y = blobs(90, 4, n_classes)
    assert check_blocks(form_of(scaled(), X, y, 5), folds_of(90, 3, 5)).is_done.all()


def test_bits_do_not_depend_on_the_block_where_tables_are_large():
    X, y = blobs(3500, 40, 3, 0.3)
    assert check_blocks(form_of(scaled(), X, y), folds_of(3500, 3, 2)).is_done.all()


def test_bits_do_not_depend_on_the_block_where_values_are_missing():
    data = load_data(data_folder() / "uci" / "horse-colic.arff")
    table = data.features, data.target_array, data.y, data.classes
    form = batched_form(learner_pipeline(TIGHT, standardize=True), *table, 2)
    assert form is not None
    assert check_blocks(form, folds_of(len(data.y), 3, 2)).is_done.all()


@pytest.mark.parametrize(
    ("name", "cv"),
    [("vote", "2x2"), ("horse-colic", "2x2"), ("breast-w", "1x10"), ("hepatitis", "2x2"),
     ("zoo", "2x2"), ("dermatology", "1x2"), ("labor", "1x10"), ("balance", "1x2"),
     ("tic-tac-toe", "1x2"), ("promoters", "1x2"), ("ionosphere", "1x2"), ("ecoli", "1x2")],
)  # fmt: skip
def test_given_tables_get_the_probabilities_of_the_optimum(name: str, cv: str):
    data = load_data(data_folder() / "uci" / f"{name}.arff")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        agreement = batched_agreement(learner_pipeline(TIGHT, standardize=True), data, cv=cv)
    assert agreement is not None
    assert agreement.failures == ()
    assert agreement.n_left == 0
    assert agreement.largest_difference < NEAR
    assert agreement.n_different == 0


@pytest.mark.parametrize(
    "changed",
    [{"C": np.inf}, {"C": -1.0}, {"C": "1"}, {"fit_intercept": False}, {"solver": "newton-cg"},
     {"class_weight": "balanced"}, {"max_iter": 99}, {"max_iter": 100.5}, {"tol": 0.0},
     {"l1_ratio": 0.5}, {"verbose": 1}],
)  # fmt: skip
def test_other_learners_are_left_to_the_plain_way(changed: dict[str, Any]):
    X, y = blobs(30, 2, 2)
    assert form_of(LogisticRegression(**changed), X, y) is None


def test_values_that_nothing_fills_in_are_left_to_the_plain_way():
    X, y = blobs(30, 2, 2)
    X[3, 1] = np.nan
    assert form_of(scaled(), X, y) is None


def test_the_batched_fit_is_chosen_by_size():
    X, y = load_digits(return_X_y=True)
    assert form_of(scaled(), X, y, 10, anyhow=False) is not None
    # 650 parameters on 900 rows: steps are many, and Hessians dear
    assert form_of(scaled(), X, y, 2, anyhow=False) is None
    X, y = load_iris(return_X_y=True)
    assert form_of(scaled(), X, y, 2, anyhow=False) is not None


def naive_gradient(
    X: np.ndarray, y: np.ndarray, W: np.ndarray, ridge: np.ndarray, is_train: np.ndarray
) -> np.ndarray:
    """Return the gradient row by row; W of shape (n_scores, n_columns)."""
    gradient = ridge * W
    for row, label in zip(X[is_train], y[is_train], strict=True):
        scores = W @ row if len(W) > 1 else np.array([0.0, W[0] @ row])
        shares = np.exp(scores) / np.exp(scores).sum()
        shares[label] -= 1
        gradient += np.outer(shares if len(W) > 1 else shares[1:], row)
    return gradient


@settings(deadline=None, max_examples=30)
@given(
    n_classes=st.integers(2, 4), n_folds=st.integers(2, 5), seed=st.integers(0, 99),
    is_own=st.booleans(), block=st.sampled_from([1, 10**6]),
)  # fmt: skip
def test_gradients_are_those_of_a_sum_row_by_row(
    n_classes: int, n_folds: int, seed: int, is_own: bool, block: int
):
    rng = np.random.default_rng(seed)
    X, y = blobs(75, 3, n_classes)
    target = np.array(y == np.arange(n_classes)[:, None], dtype=float)
    target = target if n_classes > 2 else target[1:]
    folds = folds_of(75, 1, n_folds)
    is_train = (folds[:, None, None] != np.arange(n_folds)[:, None, None]) * 1.0
    ridge, W = rng.uniform(size=(1, n_folds, 3)), rng.normal(size=(1, n_folds, len(target) * 3))
    rows = np.ascontiguousarray(X.T)[None]
    filled = rows + is_own * rng.normal(size=(n_folds, 3, 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bestofk.batched.logistic.BLOCK", block)
        if is_own:  # a group for each part, with rows of its own
            turn = [values.swapaxes(0, 1) for values in (ridge, is_train, W)]
            pull = class_sums(filled, target[None], turn[1])
            result = LogLosses(filled, pull, *turn[:2]).gradients(turn[2])
            result = result.swapaxes(0, 1)
        else:
            pull = class_sums(rows, target[None], is_train)
            result = LogLosses(rows, pull, ridge, is_train).gradients(W)
    for fold in range(n_folds):
        coefficients, own = W[0, fold].reshape(len(target), 3), filled[fold].T
        expected = naive_gradient(own, y, coefficients, ridge[0, fold], folds[0] != fold)
        np.testing.assert_allclose(result[0, fold], expected.ravel(), rtol=1e-9, atol=1e-9)


def test_some_groups_alone_have_the_same_gradients():
    rng = np.random.default_rng(0)
    shape = (4, 2, 3)
    is_absent = np.array([[[False, False, False], [True, False, False]]] * 4)
    losses = LogLosses(
        rng.normal(size=(4, 5, 9)), rng.normal(size=(4, 2, 15)), rng.uniform(size=(4, 2, 5)),
        rng.integers(0, 2, (4, 2, 1, 9)) * 1.0, is_absent, 0.5,
    )  # fmt: skip
    W, stays = rng.normal(size=(*shape[:2], 15)), np.array([True, False, False, True])
    with np.errstate(invalid="ignore"):
        every = losses.gradients(W)
        np.testing.assert_array_equal(losses.select(stays).gradients(W[stays]), every[stays])


@pytest.mark.parametrize("n_scores", [1, 3])
def test_probabilities_are_shares_also_of_scores_beyond_all_powers(n_scores: int):
    scores = np.random.default_rng(0).normal(size=(2, n_scores, 40)) * np.repeat([1.0, 1e3], 20)
    odds = scores if n_scores > 1 else np.concatenate([np.zeros_like(scores), scores], axis=1)
    shares = np.exp(odds - odds.max(axis=1, keepdims=True))
    expected = (shares / shares.sum(axis=1, keepdims=True))[:, -n_scores:]
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(probabilities_of(scores.copy()), expected, atol=1e-15)
        result = probabilities_of(scores.copy(), np.array([0.0, 2.0] * 20))
    np.testing.assert_allclose(result, expected * np.array([0.0, 2.0] * 20), atol=1e-15)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_hessian_is_the_slope_of_the_gradient(n_classes: int):
    X, y = blobs(40, 3, n_classes)
    n_scores = n_classes if n_classes > 2 else 1
    W, ridge = np.random.default_rng(1).normal(size=(n_scores, 3)), np.array([1.0, 2.0, 0.0])
    everyone = np.ones(40, dtype=bool)
    slopes = []
    for index in range(W.size):
        step = np.zeros(W.size)
        step[index] = 1e-5
        step = step.reshape(W.shape)
        up, down = (naive_gradient(X, y, W + sign * step, ridge, everyone) for sign in (1, -1))
        slopes.append((up - down).ravel() / 2e-5)
    result = hessian(X.T, W, ridge, 1.0).reshape(n_scores, 3, n_scores, 3)
    if n_scores > 1:
        result[:, -1, :, -1] -= 1.0
    np.testing.assert_allclose(result.reshape(W.size, W.size), slopes, atol=1e-6)


@pytest.mark.parametrize("distance", [0.3, 3.0, 30.0])
def test_the_reference_is_near_the_optimum_and_inverts_its_hessian(distance: float):
    X, y = blobs(80, 3, 2, distance)
    X[:, -1] = 1.0
    ridge = np.array([1.0, 1.0, 0.0])
    reference = find_reference(np.ascontiguousarray(X.T), (y == 1)[None] * 1.0, ridge, 1.0)
    assert reference is not None
    gradient = naive_gradient(X, y, reference.optimum[None], ridge, np.ones(80, dtype=bool))[0]
    assert gradient @ reference.inverse @ gradient < 1e-2
    product = reference.inverse @ hessian(X.T, reference.optimum[None], ridge, 1.0)
    np.testing.assert_allclose(product, np.eye(3), atol=1e-6)


class Bowls:
    """Gradients of quadratic functions, and of one that has none."""

    def __init__(self, curvature: np.ndarray) -> None:
        self.curvature = curvature

    def gradients(self, points: np.ndarray) -> np.ndarray:
        return np.einsum("gsij,gsj->gsi", self.curvature, points - 1.0)

    def select(self, groups: np.ndarray) -> Bowls:
        return Bowls(self.curvature[groups])


@pytest.mark.parametrize("is_together", [False, True])
def test_descent_finds_the_bottom_of_bowls_and_gives_up_where_there_is_none(is_together: bool):
    rng = np.random.default_rng(0)
    roots = rng.normal(size=(4, 1, 6, 6))
    curvature = roots @ roots.swapaxes(2, 3) + np.eye(6)
    curvature[2] = np.nan
    is_wanted = np.array([[True], [True], [True], [False]])
    if is_together:
        curvature, is_wanted = curvature.swapaxes(0, 1), is_wanted.T
    reference = Reference(np.zeros(6), np.eye(6))
    optima, is_done = find_optima(Bowls(curvature), reference, is_wanted, 1e-16, 100)
    assert is_done.ravel().tolist() == [True, True, False, False]
    np.testing.assert_allclose(optima.reshape(4, 6)[:2], 1.0, atol=1e-7)


def test_descent_stops_after_its_last_step():
    reference, is_wanted = Reference(np.zeros(2), np.eye(2)), np.ones((1, 1), dtype=bool)
    bowl = Bowls(np.diag([1.0, 1e6])[None, None])
    optima, is_done = find_optima(bowl, reference, is_wanted, 1e-20, 1)
    assert not is_done.any()
    assert (optima != 0.0).any()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_search_without_a_way_down_ends_and_says_so(bad: float):
    reference = Reference(np.full(2, bad), np.eye(2))
    with np.errstate(invalid="ignore"):
        _, is_done = find_optima(Bowls(np.eye(2)[None, None]), reference, np.ones((1, 1), bool))
    assert not is_done.any()


def test_parts_that_are_not_wanted_are_not_done_and_change_no_other():
    rng = np.random.default_rng(0)
    roots = rng.normal(size=(3, 2, 4, 4))
    bowls = Bowls(roots @ roots.swapaxes(2, 3) + np.eye(4))
    reference, every = Reference(np.zeros(4), np.eye(4)), np.ones((3, 2), dtype=bool)
    is_wanted = np.array([[True, False], [True, True], [False, False]])
    optima, is_done = find_optima(bowls, reference, is_wanted, 1e-12)
    expected, _ = find_optima(bowls, reference, every, 1e-12)
    np.testing.assert_array_equal(is_done, is_wanted)
    np.testing.assert_allclose(optima[is_wanted], expected[is_wanted], atol=1e-5)


def test_where_columns_are_uneven_the_plain_learner_must_be_given_steps():
    X, y = load_iris(return_X_y=True)
    assert form_of(LogisticRegression(), X, y) is None
    assert form_of(LogisticRegression(max_iter=10_000), X, y) is not None
    assert form_of(LogisticRegression(), (X - X.mean(axis=0)) / X.std(axis=0), y) is not None


def test_a_gradient_times_the_inverse_is_what_the_updates_of_bfgs_give():
    rng = np.random.default_rng(0)
    n_sets, size = 3, 7
    mixed = rng.normal(size=(size, size))
    inverse = mixed @ mixed.T
    gradient = rng.normal(size=(n_sets, 1, size))
    past = []
    expected = np.tile(inverse, (n_sets, 1, 1))
    for _ in range(4):
        step = rng.normal(size=(n_sets, size))
        change = step + 0.1 * rng.normal(size=step.shape)
        r = 1 / (step * change).sum(axis=1)
        r[1] = 0.0  # a set that is done learns nothing
        past.append((step, change, r))
        for s in range(n_sets):
            V = np.eye(size) - r[s] * np.outer(change[s], step[s])
            expected[s] = V.T @ expected[s] @ V + r[s] * np.outer(step[s], step[s])
    result = logistic._times_inverse(gradient, past, inverse)
    np.testing.assert_allclose(result[:, 0], np.einsum("sij,sj->si", expected, gradient[:, 0]))

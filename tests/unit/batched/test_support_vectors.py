from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_classification
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from tests.given import data_folder

from bestofk.batched import BatchedForm, batched_form
from bestofk.data import load_data
from bestofk.learners import learner_catalogue
from bestofk.learners.pipeline import learner_pipeline
from bestofk.testing import batched_agreement, check_batched_form


def form_of(estimator: Any, X: Any, y: Any, n_folds: int = 2, always: bool = True) -> Any:
    target = np.asarray(y)
    classes, codes = np.unique(target, return_inverse=True)
    return batched_form(estimator, X, target, codes, classes, n_folds, even_if_slower=always)


def folds_of(n_samples: int, n_repeats: int, n_folds: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    base = np.arange(n_samples) % n_folds
    return np.stack([rng.permutation(base) for _ in range(n_repeats)]).astype(np.int32)


def scaled(**parameters: Any) -> Any:
    return make_pipeline(StandardScaler(), SVC(**parameters))


@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear"])
def test_two_classes_get_the_decision_values_of_libsvm_within_its_own_error(kernel: str) -> None:
    X, y = make_classification(200, 6, n_informative=4, random_state=1)
    for cv in ("2x2", "5"):
        agreement = check_batched_form(
            scaled(kernel=kernel), X, y, cv=cv, tolerance=0.03, margin=0.03
        )
        assert agreement.n_left == 0


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_a_tight_tolerance_of_both_ways_brings_them_together(kernel: str) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    estimator = scaled(kernel=kernel, tol=1e-6)
    agreement = check_batched_form(estimator, X, y, cv="1x3", tolerance=3e-3, margin=1e-3)
    assert agreement.n_runs == 3


@pytest.mark.parametrize("parameters", [{"gamma": "auto"}, {"gamma": 0.3}, {"C": 50.0}, {"C": 0.1}])
def test_gamma_and_C_are_honored(parameters: dict[str, Any]) -> None:
    X, y = make_classification(150, 5, random_state=3)
    assert check_batched_form(scaled(**parameters), X, y, tolerance=0.02, margin=0.02).n_left == 0


def test_gamma_follows_the_variance_of_each_part_where_nothing_scales() -> None:
    X, y = load_wine(return_X_y=True)
    codes = (y == 1).astype(int)
    assert check_batched_form(SVC(), X, codes, tolerance=2e-3, margin=2e-3).n_different == 0


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_votes_of_three_classes_are_those_of_scikit_learn(kernel: str) -> None:
    X, y = load_iris(return_X_y=True)
    folds = folds_of(len(y), 1, 3)
    result = form_of(scaled(kernel=kernel), X, y, 3).predict(folds)
    for fold in range(3):
        train, test = folds[0] != fold, folds[0] == fold
        plain = scaled(kernel=kernel).fit(X[train], y[train])
        expected = plain.decision_function(X[test])
        plain.set_params(svc__decision_function_shape="ovo")
        is_clear = np.abs(plain.decision_function(X[test])).min(axis=1) > 0.01
        assert is_clear.mean() > 0.9
        np.testing.assert_allclose(
            result.decision[0, test][is_clear], expected[is_clear], atol=0.01
        )
        same = result.labels[0, test][is_clear] == plain.predict(X[test])[is_clear]
        assert same.all()


def test_a_class_that_a_part_lacks_gets_minus_infinity() -> None:
    X, y = load_iris(return_X_y=True)
    y = np.where(np.arange(150) == 0, 3, y)
    folds = folds_of(150, 1, 2)
    result = form_of(scaled(), X, y).predict(folds)
    lacks = folds[0] == folds[0, 0]
    assert result.is_done.all()
    assert (result.decision[0, lacks, 3] == -np.inf).all()
    assert (result.labels[0, lacks] != 3).all()
    assert np.isfinite(result.decision[0, ~lacks]).all()


def test_a_part_with_too_few_classes_is_left_to_the_plain_way() -> None:
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = np.r_[np.ones(20), np.zeros(20)]
    folds = np.r_[np.zeros(20), np.ones(20)].astype(np.int32)[None]
    assert not form_of(SVC(), X, y).predict(folds).is_done.any()


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_a_repeat_is_the_same_to_the_last_bit_in_any_block(kernel: str) -> None:
    X, y = make_classification(300, 8, n_informative=6, n_classes=3, random_state=2)
    form = form_of(scaled(kernel=kernel), X, y, 4)
    folds = folds_of(300, 3, 4)
    block = form.predict(folds)
    for repeat in range(3):
        alone = form.predict(folds[repeat : repeat + 1])
        assert np.array_equal(alone.decision[0], block.decision[repeat])
        assert np.array_equal(alone.labels[0], block.labels[repeat])


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_tables_with_gaps_and_levels_are_prepared_part_by_part(kernel: str) -> None:
    rng = np.random.default_rng(5)
    table = pd.DataFrame(rng.normal(size=(120, 3)), columns=["a", "b", "c"])
    table["level"] = rng.choice(["x", "y", "z"], 120)
    table.loc[:4, "level"] = "rare"
    table.loc[rng.random(120) < 0.1, "a"] = np.nan
    y = (table["b"] + (table["level"] == "x") + rng.normal(size=120) > 0.3).astype(int)
    estimator = learner_pipeline(SVC(kernel=kernel), standardize=True)
    agreement = check_batched_form(estimator, table, y, tolerance=0.02, margin=0.02)
    assert agreement.n_left == 0


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_duplicates_constants_and_separable_classes_do_no_harm(kernel: str) -> None:
    X, y = load_iris(return_X_y=True)
    X, y = X[:100], y[:100]
    X = np.column_stack([np.r_[X, X[:30]], np.ones(130)])
    y = np.r_[y, y[:30]]
    agreement = check_batched_form(scaled(kernel=kernel), X, y, cv="2x5", tolerance=0.01)
    assert (agreement.n_left, agreement.n_different) == (0, 0)


@pytest.mark.parametrize(
    "parameters",
    [
        {"class_weight": "balanced"}, {"max_iter": 100}, {"kernel": "precomputed"},
        {"kernel": "sigmoid"},
        {"decision_function_shape": "ovo"}, {"break_ties": True}, {"probability": True},
    ],
)  # fmt: skip
def test_parameters_that_change_more_than_the_solver_are_refused(parameters: Any) -> None:
    X, y = load_iris(return_X_y=True)
    assert form_of(scaled(**parameters), X, y) is None


def test_kernels_of_too_many_rows_go_the_plain_way_but_planes_do_not() -> None:
    X, y = np.zeros((7_100, 2)), np.arange(7_100) % 2
    X[:, 0] = y
    X[:, 1] = np.arange(7_100)
    assert form_of(scaled(), X, y, always=False) is None
    assert isinstance(form_of(scaled(kernel="linear"), X, y, always=False), BatchedForm)


@pytest.mark.parametrize("learner", ["svm", "linear-svm"])
@pytest.mark.parametrize("name", ["heart-statlog", "hepatitis", "labor", "promoters"])
def test_learners_of_the_catalogue_agree_on_real_data(learner: str, name: str) -> None:
    data = load_data(data_folder() / "uci" / f"{name}.arff")
    agreement = batched_agreement(learner_catalogue()[learner].make(), data, cv="1x4")
    assert agreement is not None
    assert agreement.failures == ()
    assert agreement.largest_wrong_margin < 0.05
    assert agreement.largest_difference < 0.05

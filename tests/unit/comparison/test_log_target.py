"""Learners that are trained on the logarithm of the target, and judged in its own unit."""

import json
import pickle

import numpy as np
import pytest
from sklearn.compose import TransformedTargetRegressor
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor

from bestofk import BestOfK, compare, learning_curve
from bestofk.data.arrays import from_arrays
from bestofk.errors import InvalidArgumentError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3))
Y = np.exp(X[:, 0] + 0.5 * X[:, 1] + 0.3 * RNG.normal(size=90))


def values(comparison):
    return comparison.evaluation.measured(comparison.measures[0]).values


def test_two_neighbors_predict_their_geometric_mean_and_errors_are_in_the_own_unit():
    x, y = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]]), np.array([5.0, 2.0, 8.0, 1.0, 9.0])
    splits = [([1, 2, 3, 4], [0]), ([0, 1, 2, 3], [4])]  # sqrt(2 * 8) = 4 for 5, sqrt(8) for 9
    result = compare(
        {"2nn": KNeighborsRegressor(2)}, x, y, task="regression", cv=splits, scoring="mae",
        target_transform="log",
    )  # fmt: skip
    np.testing.assert_allclose(values(result), [[1.0, 9 - 8**0.5]])


def test_scores_are_those_of_the_wrapper_of_scikit_learn():
    wrapped = TransformedTargetRegressor(Ridge(), func=np.log, inverse_func=np.exp)
    plain = compare({"wrapped": wrapped}, X, Y, cv="2x5")
    for batched, places in (("never", 15), ("always", 10)):
        own = compare({"ridge": Ridge()}, X, Y, cv="2x5", target_transform="log", batched=batched)
        np.testing.assert_allclose(values(own), values(plain), rtol=10.0**-places)


def test_baselines_see_the_target_as_it_is():
    learners = ["mean", "ridge"]
    as_it_is, logarithm = (
        values(compare(learners, X, Y, cv="2x5", target_transform=name)) for name in (None, "log")
    )
    np.testing.assert_array_equal(as_it_is[0], logarithm[0])
    assert (as_it_is[1] != logarithm[1]).all()


def test_a_store_never_mixes_scores_with_and_without_and_resumes_each(store):
    learners = ["mean", "ridge", "knn-regressor"]
    first = [
        compare(learners, X, Y, cv="2x5", store=store, target_transform=name)
        for name in (None, "log")
    ]
    again = [
        compare(learners, X, Y, cv="4x5", store=store, target_transform=name)
        for name in (None, "log")
    ]
    assert [item.evaluation.n_fitted for item in first] == [30, 30]
    assert [item.evaluation.n_reused for item in again] == [30, 30]
    for short, long in zip(first, again, strict=True):
        np.testing.assert_array_equal(values(long)[:, :10], values(short))


def test_processes_give_the_same_scores():
    here, there = (
        compare(["ridge", "cart-regressor"], X, Y, target_transform="log", engine=engine, n_jobs=2,
                max_repeats=3)
        for engine in ("serial", "processes")
    )  # fmt: skip
    np.testing.assert_array_equal(values(here), values(there))


def test_an_infinite_prediction_is_a_failed_run_whichever_way_it_was_made():
    x, y = np.arange(30.0)[:, None], np.exp(np.arange(30.0))
    x[3] = 1e5
    errors = [
        compare({"ridge": Ridge()}, x, y, cv="1x5", target_transform="log", batched=batched)
        .evaluation.failures(0)
        for batched in ("never", "always")
    ]  # fmt: skip
    assert errors[0] == errors[1]
    assert [error[-1] for error in errors[0]] == ["predict returned infinite values in 1 of 6 rows"]


def test_settings_are_chosen_in_the_unit_of_the_target():
    result = compare(["tuned(ridge)"], X, Y, cv="2x5", scoring="mae", target_transform="log")
    inner = result.evaluation.choices(0)["inner_loss"]
    ratio = inner.mean() / values(result).mean()
    assert 0.7 < ratio < 1.4  # the same loss, on fewer rows
    model = result.fit()
    own = pickle.loads(pickle.dumps(model)).predict(X)
    np.testing.assert_array_equal(own, model.predict(X))
    assert np.corrcoef(own, Y)[0, 1] > 0.9


def test_models_predict_in_the_unit_of_the_target_with_groups_and_weights():
    groups, weight = np.repeat(np.arange(30), 3), RNG.uniform(0.5, 2, 90)
    result = compare(
        ["tuned(ridge)", "ridge", "mean"], X, Y, cv="1x3", target_transform="log", groups=groups,
        sample_weight=weight,
    )  # fmt: skip
    assert not result.warnings or not any("without weights" in text for text in result.warnings)
    own = np.average(Y, weights=weight)
    np.testing.assert_allclose(result.fit("mean").predict(X[:1]), own)
    regressor = BestOfK(["ridge"], task="regression", cv="1x3", target_transform="log").fit(X, Y)
    assert isinstance(regressor.best_estimator_, TransformedTargetRegressor)
    assert (regressor.predict(X) > 0).all()


def test_reports_and_curves_say_what_learners_were_trained_on():
    said = "Learners were trained on the logarithm of the target; scores are in the original unit."
    result = compare(["ridge", "mean"], X, Y, cv="2x5", target_transform="log")
    assert said in " ".join(result.text(verbose=True).split())
    assert said in result.to_latex() or said in result.methods_paragraph()
    assert json.loads(result.to_json())["data"]["target_transform"] == "log"
    curves = learning_curve(["ridge"], X, Y, cv="2x5", train_sizes=[40], target_transform="log")
    assert said in " ".join(str(curves).split())
    logarithm = compare({"ridge": Ridge()}, X, Y, cv="2x5", target_transform="log")
    as_it_is = compare({"ridge": Ridge()}, X, Y, cv="2x5")
    assert "--log-target" in as_it_is.findings.headline
    assert logarithm.findings.headline == ""


@pytest.mark.parametrize(
    ("y", "name", "message"),
    [
        (np.where(Y > 1, Y, 0), "log", r"^target must be positive in every row for .*; got 0\."),
        (np.where(Y > 1, "a", "b"), "log", "^target_transform must be None for classification"),
        (Y, "sqrt", "^target_transform must be a known one; got 'sqrt'"),
    ],
)
def test_what_has_no_logarithm_is_refused(y, name, message):
    with pytest.raises(InvalidArgumentError, match=message):
        compare(None, X, y, target_transform=name)


def test_identity_of_the_data_holds_the_logarithm():
    data = from_arrays(X, Y)
    assert len({data.id, data.with_log_target("log").id}) == 2
    assert from_arrays(X, Y).with_log_target("log").id == data.with_log_target("log").id

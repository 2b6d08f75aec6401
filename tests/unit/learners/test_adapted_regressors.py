"""Regressors that standardize their target, or shuffle their rows."""

import numpy as np
import pytest
from sklearn.linear_model import ElasticNetCV
from sklearn.svm import SVR

from bestofk.learners import has_inner_search, learner_catalogue
from bestofk.learners.adapted_regressors import (
    ShuffledElasticNetCV,
    StandardizedMLPRegressor,
    StandardizedSVR,
)

RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 3))
y = X @ [2.0, -1.0, 0.0] + RNG.normal(size=60)
WEIGHT = RNG.integers(1, 4, 60).astype(float)


@pytest.mark.parametrize("unit", [2.0**-20, 2.0**20])
@pytest.mark.parametrize(
    "learner", [StandardizedSVR(), StandardizedMLPRegressor(max_iter=20, random_state=0)]
)
@pytest.mark.filterwarnings("ignore:Stochastic")
def test_predictions_follow_the_unit_of_the_target(learner, unit):
    usual = learner.fit(X, y, WEIGHT).predict(X)
    np.testing.assert_allclose(learner.fit(X, unit * y, WEIGHT).predict(X), unit * usual)


def test_it_is_the_machine_of_scikit_learn_on_standard_units():
    mean, spread = y.mean(), y.std()
    plain = SVR(C=3.0).fit(X, (y - mean) / spread)
    own = StandardizedSVR(C=3.0).fit(X, y)
    np.testing.assert_allclose(own.predict(X), mean + spread * plain.predict(X))


def test_weights_count_in_the_standard_units():
    learner = StandardizedSVR().fit(X, y, WEIGHT)
    assert learner.target_scaler_.mean_[0] == pytest.approx(np.average(y, weights=WEIGHT))


@pytest.mark.parametrize("learner", [StandardizedSVR(), StandardizedMLPRegressor()])
@pytest.mark.filterwarnings("ignore:Stochastic")
def test_constant_target_is_predicted(learner):
    np.testing.assert_allclose(learner.fit(X, np.full(60, 7.0)).predict(X), 7.0, atol=0.5)


def test_inner_folds_of_a_sorted_table_are_random_rows():
    x = np.linspace(0, 1, 100)
    table = np.column_stack([x, RNG.normal(size=(100, 5))])
    target = np.where(x < 0.5, 0.0, 1.0) + RNG.normal(scale=0.3, size=100)
    plain = ElasticNetCV().fit(table, target)
    own = ShuffledElasticNetCV(random_state=0).fit(table, target)
    assert own.alpha_ < plain.alpha_
    again = ShuffledElasticNetCV(random_state=0).fit(table, target, np.ones(100))
    np.testing.assert_allclose(again.coef_, own.coef_)


@pytest.mark.parametrize("name", ["ridge-cv", "elastic-net"])
def test_penalty_that_is_chosen_inside_is_an_inner_search(name):
    entry = learner_catalogue()[name]
    assert has_inner_search(entry.make())
    assert "penalty chosen inside" in entry.title

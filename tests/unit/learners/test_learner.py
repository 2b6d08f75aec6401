"""Traits of learners: unstable, baseline, tuned inside."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, RidgeCV
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

from bestofk import compare
from bestofk.learners import is_baseline, is_unstable, resolve_learners
from bestofk.learners.learner import has_inner_search, trained_class
from bestofk.learners.resolve import named_learner
from bestofk.trees import CARTClassifier

SEARCH = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5]})


@pytest.mark.parametrize(
    "learner",
    [KNeighborsClassifier(1), KNeighborsRegressor(1), DecisionTreeClassifier(),
     DecisionTreeRegressor(), ExtraTreeClassifier(),
     make_pipeline(StandardScaler(), KNeighborsClassifier(1))],
)  # fmt: skip
def test_one_neighbor_and_unpruned_trees_waver(learner):
    assert is_unstable(learner)


@pytest.mark.parametrize(
    "learner",
    [KNeighborsClassifier(5), DecisionTreeClassifier(max_depth=3),
     DecisionTreeClassifier(min_samples_leaf=5), DecisionTreeRegressor(ccp_alpha=0.01),
     RandomForestClassifier(), LogisticRegression(), "passthrough", None],
)  # fmt: skip
def test_others_are_not_known_to(learner):
    assert not is_unstable(learner)


def test_dummies_learn_nothing_also_at_the_end_of_a_pipeline():
    assert is_baseline(DummyClassifier())
    assert is_baseline(make_pipeline(StandardScaler(), DummyRegressor()))
    assert not is_baseline(make_pipeline(StandardScaler(), LogisticRegression()))


def test_a_search_tunes_itself_wherever_it_stands():
    assert has_inner_search(SEARCH)
    assert has_inner_search(make_pipeline(StandardScaler(), SEARCH))
    assert not has_inner_search(make_pipeline(StandardScaler(), KNeighborsClassifier()))


@pytest.mark.parametrize(
    ("learner", "expected"),
    [
        (named_learner("cart"), CARTClassifier),
        (named_learner("tuned(cart)"), CARTClassifier),
        (make_pipeline(StandardScaler(), SEARCH), KNeighborsClassifier),
        (LogisticRegressionCV(), LogisticRegressionCV),
        (BaggingClassifier(DecisionTreeClassifier()), BaggingClassifier),
    ],
)
def test_the_class_that_learns_is_looked_for_inside(learner, expected):
    assert trained_class(learner) is expected


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.filterwarnings("ignore:Left out because their packages")
def test_every_learner_of_the_catalogue_takes_rows_in_weighted_groups(task):
    rng = np.random.default_rng(0)
    X, groups, weights = rng.normal(size=(90, 3)), np.arange(90) // 6, rng.uniform(0.5, 2, 90)
    y = X[:, 0] + rng.normal(0, 0.1, 90)
    learners = [(item.name, item.estimator) for item in resolve_learners("all", task)]
    if task == "regression":
        learners.append(("own", RidgeCV()))  # its default scorer asks it for its routing
    else:
        y = np.where(y > 0, "a", "b")
    result = compare(learners, X, y, groups=groups, sample_weight=weights, cv="1x2")
    failures = [result.evaluation.failures(i) for i in range(len(learners))]
    assert not any(failures), failures

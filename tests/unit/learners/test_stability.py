"""Which learners waver, learn nothing or tune themselves."""

from __future__ import annotations

import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

from bestofk.learners import is_unstable, learns_nothing
from bestofk.learners.stability import tunes_itself

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
    assert learns_nothing(DummyClassifier())
    assert learns_nothing(make_pipeline(StandardScaler(), DummyRegressor()))
    assert not learns_nothing(make_pipeline(StandardScaler(), LogisticRegression()))


def test_a_search_tunes_itself_wherever_it_stands():
    assert tunes_itself(SEARCH)
    assert tunes_itself(make_pipeline(StandardScaler(), SEARCH))
    assert not tunes_itself(make_pipeline(StandardScaler(), KNeighborsClassifier()))

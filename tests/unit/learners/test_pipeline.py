import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Ridge
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

from bestofk.learners import LearnerPipeline, TablePreparer, learner_pipeline

X = np.random.default_rng(0).normal(size=(40, 3))
Y = (X[:, 0] > 0).astype(int)


def test_fit_leaves_the_parameters_as_given():
    learner = learner_pipeline(Ridge(), standardize=True)
    given = learner.get_params()
    learner.fit(X, Y)
    after = learner.get_params()
    assert all(after[name] is value for name, value in given.items())
    assert not hasattr(given["learner"], "coef_")
    assert not hasattr(clone(learner), "steps_")


def test_fitted_steps_are_found_as_in_any_pipeline():
    learner = learner_pipeline(Ridge(), standardize=True).fit(X, Y)
    assert isinstance(learner, Pipeline)
    assert "predict" not in vars(LearnerPipeline)
    assert learner[-1] is learner.named_steps["learner"] is learner.steps[-1][1]
    prepared = learner[:-1].transform(X)
    np.testing.assert_array_equal(learner[-1].predict(prepared), learner.predict(X))
    assert learner.n_features_in_ == 3


def test_predictions_are_those_of_a_plain_pipeline():
    plain = make_pipeline(StandardScaler(), Ridge()).fit(X, Y)
    learner = learner_pipeline(Ridge(), standardize=True).fit(X, Y)
    np.testing.assert_allclose(learner.predict(X), plain.predict(X), rtol=1e-12)


def test_random_state_reaches_a_step_that_has_none():
    outer = learner_pipeline(RandomForestClassifier(5)).set_params(random_state=7)
    inner = learner_pipeline(RandomForestClassifier(5, random_state=7))
    assert outer.fit(X, Y)[-1].random_state == 7
    np.testing.assert_array_equal(outer.predict_proba(X), inner.fit(X, Y).predict_proba(X))


def test_random_state_of_a_step_is_kept():
    learner = learner_pipeline(RandomForestClassifier(5, random_state=3))
    assert learner.set_params(random_state=7).fit(X, Y)[-1].random_state == 3


def test_parameters_of_steps_can_be_set_and_count_at_the_next_fit():
    learner = learner_pipeline(DecisionTreeClassifier()).fit(X, Y)
    learner.set_params(learner__max_depth=1, prepare__standardize=True)
    assert learner[-1].max_depth is None
    learner.fit(X, Y)
    assert (learner[-1].max_depth, learner[0].standardize) == (1, True)


def test_new_steps_are_not_fitted():
    learner = learner_pipeline(DecisionTreeClassifier()).fit(X, Y)
    learner.set_params(learner=Ridge())
    assert not hasattr(learner, "steps_")
    assert isinstance(learner.fit(X, Y)[-1], Ridge)


def test_step_can_be_passed_over():
    learner = learner_pipeline(DecisionTreeClassifier(random_state=0))
    assert learner.set_params(prepare="passthrough").fit(X, Y).score(X, Y) == 1.0


def test_weights_reach_the_learner():
    weight = np.where(Y == 1, 1.0, 0.0)
    learner = learner_pipeline(DecisionTreeClassifier()).fit(X, Y, learner__sample_weight=weight)
    assert set(learner.predict(X)) == {1}


def test_tags_are_those_of_the_first_step():
    assert get_tags(learner_pipeline(Ridge())).input_tags.allow_nan
    plain = LearnerPipeline([("scale", StandardScaler()), ("learner", Ridge())])
    assert get_tags(plain).input_tags.allow_nan == get_tags(StandardScaler()).input_tags.allow_nan
    assert not get_tags(LearnerPipeline([("learner", Ridge())])).input_tags.allow_nan


@pytest.mark.parametrize("standardize", [False, True])
def test_steps_have_their_names(standardize):
    learner = learner_pipeline(Ridge(), standardize=standardize)
    assert [name for name, _ in learner.steps] == ["prepare", "learner"]
    assert isinstance(learner[0], TablePreparer)
    assert learner.get_params()["prepare__standardize"] == standardize


def test_steps_that_are_none_are_refused_at_fit():
    with pytest.raises(TypeError, match="not iterable"):
        learner_pipeline(Ridge()).set_params(steps=3).fit(X, Y)

"""What tuned learners chose in a comparison, and what to distrust about it."""

import numpy as np
import pytest
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import BaggingClassifier, StackingClassifier
from sklearn.linear_model import LogisticRegressionCV, RidgeClassifierCV, RidgeCV
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from bestofk import Tuned, compare
from bestofk.data import from_arrays
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.run import run_one
from bestofk.learners.learner import Learner
from bestofk.report.sentences.details import caveats
from bestofk.resampling import make_plan

X, y = load_iris(return_X_y=True)


def codes(result):
    return [caution.code for caution in result.findings.cautions]


def test_the_default_of_a_tuned_learner_is_recognized():
    result = compare({"tuned": Tuned("5nn"), "same": "5nn", "m": "majority"}, X, y, cv="2x3")
    chosen = result.findings.learner("tuned").chosen_settings
    assert chosen.untuned == "same"
    assert sum(count.n_splits for count in chosen.counts) == 6
    choices = result.evaluation.choices(0)
    assert chosen.default_kept == pytest.approx(choices["is_default"].mean())
    assert result.findings.learner("same").chosen_settings is None
    assert "partly-tuned" not in codes(result)


def test_an_edge_is_said_with_its_value_from_three_splits_on():
    noise = np.random.default_rng(0).normal(size=(150, 3)), np.arange(150) % 3
    narrow = {"narrow": Tuned("knn", {"n_neighbors": [2, 3, 4]}, rule="best"), "m": "majority"}
    cautions = compare(narrow, *noise, cv="3x3").findings.cautions
    said = [str(item) for item in cautions if item.code == "edge-of-space"]
    assert len(said) == 1
    assert said[0].startswith("narrow chose the lowest value of n_neighbors, 2, in ")
    assert said[0].endswith("of splits; a space with lower ones may do better.")
    assert "edge-of-space" not in codes(compare(narrow, *noise, cv="1x2"))


def test_learners_without_a_space_are_not_partly_tuned():
    assert "partly-tuned" not in codes(compare("tuned(knn),nearest-mean,majority", X, y, cv="3"))
    assert "partly-tuned" in codes(compare("tuned(knn),lda,nearest-mean", X, y, cv="3"))
    own = {"tuned": Tuned("knn"), "own": KNeighborsClassifier(7)}
    assert "partly-tuned" in codes(compare(own, X, y, cv="3"))


def of_learner(learner, **options):
    """Return the caveats of a learner next to a baseline."""
    result = compare({"own": learner, "m": DummyClassifier()}, X, y, cv="1x2", **options)
    return caveats(result.findings)


@pytest.mark.parametrize(
    "learner",
    [
        make_pipeline(StandardScaler(), RidgeClassifierCV()),
        make_pipeline(StandardScaler(), Tuned("lda")),
        BaggingClassifier(make_pipeline(StandardScaler(), RidgeClassifierCV()), 2),
        Tuned(make_pipeline(StandardScaler(), RidgeClassifierCV()), {"fit_intercept": [True]}),
    ],
)
def test_a_search_behind_a_step_that_saw_all_rows_is_a_caveat(learner):
    said = "own chooses its settings after StandardScaler, fitted to all of its training rows"
    assert any(text.startswith(said) for text in of_learner(learner))


def test_a_search_behind_a_step_is_recognized_for_numbers_too_but_not_over_a_whole_pipeline():
    behind = make_pipeline(StandardScaler(), RidgeCV())
    learners = {"own": TransformedTargetRegressor(behind), "m": DummyRegressor()}
    result = compare(learners, X[:, 1:], X[:, 0], cv="1x2")
    assert any("own chooses its settings after Sta" in text for text in result.findings.warnings)
    whole = GridSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [1, 2]}, cv=2)
    assert "chooses its settings after" not in " ".join(of_learner(whole))


def test_inner_folds_that_ignore_groups_are_a_caveat():
    groups = np.arange(150) // 5
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, cv=2)
    said = "The inner folds of own ignore the groups of rows: inner scores may be too good."
    assert any(text.startswith(said) for text in of_learner(search, groups=groups))
    assert not any("inner folds" in text for text in of_learner(search))
    tuned = Tuned("knn", {"n_neighbors": [1, 5]})
    assert not any("inner folds" in text for text in of_learner(tuned, groups=groups))


def test_groups_reach_the_inner_folds_that_need_them():
    groups = np.arange(150) // 5
    data = from_arrays(X, y, groups=groups)
    split = make_plan(data, "1x3").split(0, 0)
    inner = GroupKFold(2)
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, cv=inner)
    for learner in (
        search,
        make_pipeline(StandardScaler(), search),
        LogisticRegressionCV(cv=inner),
    ):
        found = run_one(Learner("own", learner), data, split, seed=0)
        assert found.status == "ok", found.message
    rows = split.train_rows
    search.fit(X[rows], y[rows], groups=groups[rows])
    labels = run_one(Learner("own", search), data, split, seed=0).predictions.labels
    assert np.array_equal(labels, search.predict(X[split.test_rows]))
    assert not any("inner folds" in text for text in of_learner(search, groups=groups))


def test_inner_folds_that_groups_cannot_reach_are_refused():
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, cv=GroupKFold(2))
    with pytest.raises(InvalidArgumentError, match="groups of rows must be given to own, whose"):
        of_learner(search)
    stacked = StackingClassifier([("a", KNeighborsClassifier())], cv=GroupKFold(2))
    with pytest.raises(InvalidArgumentError, match="GroupKFold in a StackingClassifier"):
        of_learner(stacked, groups=np.arange(150) // 5)

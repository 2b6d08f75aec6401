"""Tuned learners in comparisons: stability, names, groups, bad input."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import loguniform, randint
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import BaggingClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    Ridge,
    RidgeClassifierCV,
)
from sklearn.model_selection import GridSearchCV, KFold, RandomizedSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from bestofk import BestOfK, Tuned, compare
from bestofk.errors import InvalidArgumentError
from bestofk.learners import has_inner_search, resolve_learners
from bestofk.tuning.inner_losses import InnerLosses
from bestofk.tuning.spaces import read_settings

SMALL = {"n_neighbors": [1, 3, 5]}


def choices_of(result, name):
    index = list(result.evaluation.names).index(name)
    return result.evaluation.choices(index)


def test_choices_are_the_same_resumed_in_processes_and_with_one_learner_less(tmp_path):
    learners = "tuned(knn,rule=best),tuned(cart)"
    whole = compare(learners, "wine", cv="2x3")
    store = tmp_path / "runs.db"
    compare(learners, "wine", cv="1x3", store=store)
    resumed = compare(learners, "wine", cv="2x3", store=store)
    assert resumed.evaluation.n_reused == 6
    processes = compare(learners, "wine", cv="2x3", engine="processes", n_jobs=2)
    fewer = compare("tuned(cart),nearest-mean", "wine", cv="2x3")
    expected = choices_of(whole, "tuned(cart)")
    for other in (resumed, processes, fewer):
        pd.testing.assert_frame_equal(choices_of(other, "tuned(cart)"), expected)
    for other in (resumed, processes):
        for name in whole.evaluation.names:
            pd.testing.assert_frame_equal(choices_of(other, name), choices_of(whole, name))
        np.testing.assert_array_equal(other.to_frame()["value"], whole.to_frame()["value"])


@pytest.mark.parametrize(
    "tuned",
    [
        Tuned(DecisionTreeClassifier(), {"ccp_alpha": [0.0, 0.01], "min_samples_leaf": [1, 5]}),
        pytest.param(
            Tuned(HistGradientBoostingClassifier(max_features=0.3), {"max_iter": [2, 6]}),
            marks=pytest.mark.slow,
        ),
    ],
    ids=["tree", "boosting"],
)
def test_learners_with_chance_of_their_own_give_the_same_numbers_again(tuned):
    learners = {"tuned": tuned, "majority": "majority"}
    first, second, plain = (
        compare(learners, "wine", cv="1x3", batched=batched)
        for batched in ("auto", "auto", "never")
    )
    for other in (second, plain):
        pd.testing.assert_frame_equal(choices_of(other, "tuned"), choices_of(first, "tuned"))
        np.testing.assert_array_equal(other.to_frame()["value"], first.to_frame()["value"])


def test_tune_tunes_every_learner_with_a_space_once():
    result = compare("1nn,5nn,nearest-mean,naive-bayes", "iris", cv="1x3", tune=True)
    assert result.evaluation.names == ["tuned(knn)", "nearest-mean", "tuned(naive-bayes)"]
    assert "ran with the settings given" not in " ".join(result.findings.notes)


def test_tuned_and_default_meet_in_one_comparison():
    result = compare(["tuned(svm(C=100),inner=3)", "svm"], "iris", cv="1x3")
    assert result.evaluation.names == ["tuned(svm(C=100),inner=3)", "svm"]
    tuned = result.evaluation.learners[0].estimator
    assert (tuned.inner, tuned.learner.get_params()["learner__C"]) == (3, 100)


def test_the_deciding_measure_chooses_where_none_is_given():
    result = compare(["tuned(lda)", "lda"], "iris", cv="1x3", scoring="log_loss")
    assert result.evaluation.learners[0].estimator.measure.name == "log_loss"
    given = compare({"t": Tuned("lda", measure="error"), "lda": "lda"}, "iris", cv="1x3")
    assert given.evaluation.learners[0].estimator.measure == "error"


def test_groups_reach_the_inner_folds():
    X, y = load_iris(return_X_y=True)
    groups = np.arange(150) // 2
    tuned = Tuned(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, random_state=0)
    parts = tuned.parts(X, y)
    folds = tuned.inner_folds(parts, np.arange(150), groups, 0)
    assert all(len(set(folds[0][groups == g])) == 1 for g in range(75))
    # the twin of each row is in its group: to see it in training would make 1 neighbor right
    twins = np.repeat(np.random.default_rng(0).normal(size=(75, 2)), 2, axis=0)
    labels = np.repeat(np.random.default_rng(1).integers(0, 2, 75), 2)
    blind = compare({"t": tuned, "m": "majority"}, twins, labels, cv="1x5")
    seeing = compare({"t": tuned, "m": "majority"}, twins, labels, cv="1x5", groups=groups)
    assert blind.evaluation.choices(0)["inner_loss"].mean() < 0.25
    assert seeing.evaluation.choices(0)["inner_loss"].mean() > 0.35


def test_weights_reach_every_inner_fit():
    X, y = load_wine(return_X_y=True)
    weight = np.where(y == 2, 1e-9, 1.0)
    learner = Tuned("cart", {"ccp_alpha": [0.0, 0.01]}, random_state=0)
    fitted = learner.fit(X, y, sample_weight=weight)
    assert not (fitted.predict(X) == 2).any()
    assert np.min(fitted.choice_["losses"]) > 0.2  # a class that weighs nothing is not learned


def test_searches_are_recognized_wherever_they_stand():
    search = GridSearchCV(SVC(), {"C": [1, 2]})
    for learner in (
        search,
        make_pipeline(StandardScaler(), search),
        BaggingClassifier(search),
        RidgeClassifierCV(),
        LogisticRegressionCV(),
        Tuned("knn"),
        BaggingClassifier(Tuned("knn")),
    ):
        assert has_inner_search(learner)
    assert not has_inner_search(make_pipeline(StandardScaler(), LogisticRegression()))
    assert not has_inner_search(CalibratedClassifierCV(SVC()))
    assert has_inner_search(CalibratedClassifierCV(search))


def test_what_a_search_of_scikit_learn_chose_is_kept():
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5, 40]})
    result = compare({"search": search, "lda": "lda"}, "iris", cv="1x3")
    chosen = choices_of(result, "search")
    assert set(chosen["n_neighbors"]) <= {1, 5, 40}
    assert chosen["default_loss"].isna().all()
    assert chosen["is_default"].isna().all()


def test_a_tuned_learner_is_tuned_once_on_all_rows():
    result = compare("tuned(knn),5nn", "iris", cv="1x3")
    fitted = result.tuned_learner("tuned(knn)")
    assert fitted.estimator_.choice_ == result.fit("tuned(knn)").estimator_.choice_
    assert fitted.predict(result.evaluation.data.features).shape == (150,)
    with pytest.raises(InvalidArgumentError, match=r"must be one that is tuned; got '5nn'\. Call"):
        result.tuned_learner("5nn")


def test_best_of_k_tunes():
    X, y = load_iris(return_X_y=True)
    model = BestOfK(["knn", "nearest-mean"], cv="1x3", tune=True).fit(X, y)
    assert "tuned(knn)" in model.comparison_.evaluation.names


def test_distributions_are_drawn_once_the_same_for_all():
    space = {"C": loguniform(1e-3, 1e3)}
    first, second = (read_settings(SVC(), space) for _ in range(2))
    assert first == second
    assert len(first) == 51  # the default, and 50 draws
    assert first[0] == {"C": 1.0}


def test_runs_of_spaces_with_whole_numbers_that_are_drawn_are_reused(tmp_path):
    learners = {
        "tuned": Tuned("5nn", {"n_neighbors": randint(1, 30)}, inner=2),
        "search": RandomizedSearchCV(
            KNeighborsClassifier(), {"n_neighbors": randint(1, 30)}, n_iter=2, cv=2
        ),
    }
    store = tmp_path / "runs.db"
    compare(learners, "iris", cv="1x2", store=store)
    again = compare(learners, "iris", cv="1x2", store=store).evaluation
    assert (again.n_fitted, again.n_reused) == (0, 4)


def test_k_above_the_inner_training_rows_is_dropped_and_said():
    X, y = load_iris(return_X_y=True)
    some = np.r_[0:10, 50:60]
    tuned = Tuned("knn", {"n_neighbors": [1, 3, 5, 18]}, inner=5, random_state=0)
    with pytest.warns(UserWarning, match="1 of 4 .* because n_neighbors exceeds the 16 inner"):
        tuned.fit(X[some], y[some])
    assert np.isnan(tuned.choice_["losses"][3]).all()
    result = compare({"t": tuned, "m": "majority"}, X[some], y[some], cv="1x4")
    (said,) = [item for item in result.findings.cautions if item.startswith("t: ")]
    assert said == (
        "t: 1 of 4 settings were dropped, because n_neighbors exceeds the 12 inner training rows."
    )


def test_classes_rarer_than_the_inner_folds_are_no_obstacle():
    X, y = load_iris(return_X_y=True)
    some = np.r_[0:20, 50:52]
    tuned = Tuned("knn", SMALL, inner=5, random_state=0).fit(X[some], y[some])
    assert tuned.classes_.tolist() == [0, 1]


class Forgetful(KNeighborsClassifier):
    """Fails in every fit."""

    def fit(self, X, y):
        raise ValueError("no memory left")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Tuned("knn", {"n_neighbours": [1]}), r"got 'n_neighbours'\. .*n_neighbors"),
        (lambda: Tuned("knn", {"n_neighbors": []}), "must be a list that is not empty"),
        (lambda: Tuned("knn", {}), "space must hold parameters and their values"),
        (lambda: Tuned("knn", inner=1), "inner must be at least 2 folds; got 1"),
        (lambda: Tuned("knn", inner="many"), "inner must be at least 2 folds; got 'many'"),
        (lambda: Tuned("knn", rule="bst"), r"rule of Tuned must be one of .*; got 'bst'"),
        (lambda: Tuned("nearest-mean"), "space of Tuned must be given"),
        (lambda: Tuned("knn", measure="acuracy"), "got 'acuracy'"),
    ],
)
def test_bad_input_is_one_sentence_before_anything_is_trained(make, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InvalidArgumentError, match=message):
        make().fit(X, y)
    with pytest.raises(InvalidArgumentError, match=message):
        compare({"t": make(), "lda": "lda"}, X, y, cv="1x3")


def test_a_learner_that_fails_in_every_setting_says_why():
    X, y = load_iris(return_X_y=True)
    with (
        pytest.warns(UserWarning, match="^2 of 2 settings were dropped: no memory left$"),
        pytest.raises(ValueError, match="no memory left"),
    ):
        Tuned(Forgetful(), {"n_neighbors": [1, 5]}).fit(X, y)


def test_failures_of_several_causes_keep_their_classes():
    reasons = {0: "ValueError: 1 is low", 1: "ValueError: 2 is low", 2: "TypeError: no"}
    text = InnerLosses(np.ones((3, 2)), reasons).message([{}, {}, {}])
    assert text.endswith("3 of 3 settings were dropped: ValueError: 1 is low; TypeError: no")


@pytest.mark.parametrize("text", ["tuned()", "tuned(knn", "tuned(knn,5)", "tuned(knn,rul=best)"])
def test_tuned_learners_that_are_written_wrongly_are_refused(text):
    with pytest.raises(InvalidArgumentError):
        resolve_learners(text, "classification")


class Study:
    """Trials that the copies of a search share."""

    def __init__(self):
        self.trials = []

    def __deepcopy__(self, memo):
        return self


class StudySearch(ClassifierMixin, BaseEstimator):
    """Chooses by what earlier fits found."""

    def __init__(self, study=None):
        self.study = study

    def fit(self, X, y):
        self.study.trials.append(len(y))
        self.best_params_ = {"n_neighbors": len(self.study.trials)}
        self.best_estimator_ = KNeighborsClassifier(**self.best_params_).fit(X, y)
        self.classes_ = self.best_estimator_.classes_
        return self

    def predict(self, X):
        return self.best_estimator_.predict(X)


def test_a_search_that_keeps_state_between_fits_is_told():
    learners = {"search": StudySearch(Study()), "majority": "majority"}
    text = "search may keep state between fits, because its copies share study"
    assert text in " ".join(compare(learners, "iris", cv="1x3").findings.warnings)
    seeded = RandomizedSearchCV(
        KNeighborsClassifier(), {"n_neighbors": [1, 3, 5]}, n_iter=2,
        random_state=np.random.RandomState(0),
    )  # fmt: skip
    apart = compare({"search": seeded, "majority": "majority"}, "iris", cv="1x3")
    assert "keep state" not in " ".join(apart.findings.warnings)


def test_a_search_with_an_iterator_of_splits_is_refused():
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(KNeighborsClassifier(), SMALL, cv=KFold(3).split(X))
    with pytest.raises(InvalidArgumentError, match="learner 's' must be copyable"):
        compare({"s": search, "majority": "majority"}, X, y, cv="1x3")


def test_a_generator_is_no_seed_of_inner_folds():
    tuned = Tuned("knn", SMALL, random_state=np.random.RandomState(0))
    with pytest.raises(InvalidArgumentError, match="random_state of Tuned must be a whole number"):
        compare({"t": tuned, "majority": "majority"}, "iris", cv="1x3")


def test_inner_test_rows_are_later_than_those_that_train_for_them():
    seen = []

    class Noting(Ridge):
        def fit(self, X, y, sample_weight=None):
            seen.append(X[:, 0].max())
            return super().fit(X, y, sample_weight)

        def predict(self, X):
            if len(X) < 60:
                assert X[:, 0].min() > seen[-1]
            return super().predict(X)

    order = np.random.default_rng(0).permutation(60)
    X, y = order[:, None] * 1.0, order % 5 * 1.0
    tuned = Tuned(Noting(), {"alpha": [0.1, 1.0]}, inner=3).fit(X, y, time=order)
    assert np.shape(tuned.choice_["losses"]) == (2, 3)
    assert len(seen) == 2 * 3 + 1

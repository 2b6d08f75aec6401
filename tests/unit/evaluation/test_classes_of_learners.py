"""Columns of probabilities and decision values follow what a learner says of its classes."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import VotingClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from bestofk import BestOfK, Tuned, compare
from bestofk.data import from_arrays
from bestofk.evaluation.run import run_one
from bestofk.learners.cost_threshold import CostThresholdClassifier
from bestofk.learners.learner import Learner
from bestofk.resampling import make_plan

LABELS = {
    "int": np.array([3, 1, 2]),
    "float": np.array([2.0, 1.0, 5.0]),
    "text": np.array(["b", "c", "a"]),
    "object": np.array(["z", "y", "x"], dtype=object),
    "bool": np.array([True, False]),
}


class Reordering(ClassifierMixin, BaseEstimator):
    """A classifier with its classes, and its columns, in another order."""

    plain = GaussianNB()

    def __init__(self, shift=0, claims="reversed"):
        self.shift = shift
        self.claims = claims

    def fit(self, X, y):
        self.plain_ = clone(self.plain).fit(X, y)
        known = self.plain_.classes_
        self.order_ = np.roll(np.arange(len(known))[::-1], self.shift)
        self.classes_ = known[self.order_] if self.claims == "reversed" else known
        return self

    def predict(self, X):
        return self.plain_.predict(X)


class Reordered(Reordering):
    """Naive Bayes."""

    def predict_proba(self, X):
        return self.plain_.predict_proba(X)[:, self.order_]


class ReorderedMargins(Reordering):
    """A linear machine with decision values."""

    plain = LinearSVC(random_state=0)

    def decision_function(self, X):
        values = self.plain_.decision_function(X)
        if values.ndim == 1:
            return values if self.order_[0] == 0 else -values
        return values[:, self.order_]


class NoClasses(Reordered):
    """A learner that does not say which classes it has."""

    def fit(self, X, y):
        super().fit(X, y)
        self.order_ = np.arange(len(self.plain_.classes_))
        del self.classes_
        return self


class Coded(Reordered):
    """A learner that names positions in place of labels."""

    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = np.arange(len(self.order_))
        return self


def rows(labels, n_classes, n_rows=60):
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(n_rows, 2))
    score = X[:, 0] + 0.5 * rng.normal(size=n_rows)
    bounds = np.quantile(score, np.arange(1, n_classes) / n_classes)
    return X, labels[np.digitize(score, bounds)]


def predicted(learner, data, plan):
    records = [run_one(Learner("own", learner), data, split, seed=0) for split in plan]
    assert [record.message for record in records] == [""] * len(records)
    return [record.predictions for record in records]


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_follow_the_classes_of_the_learner(kind, n_classes):
    labels = LABELS[kind]
    if n_classes > len(labels):
        return
    X, y = rows(labels, n_classes)
    data = from_arrays(X, y, task="classification")
    plan = make_plan(data, "1x3")
    plain = predicted(GaussianNB(), data, plan)
    for shift in range(n_classes):
        own = Reordered(shift)
        learners = (
            own,
            make_pipeline(StandardScaler(with_mean=False, with_std=False), own),
            GridSearchCV(Reordered(), {"shift": [shift]}, cv=2, scoring="neg_log_loss"),
            Tuned(own, {"shift": [shift]}, inner=2),
            VotingClassifier([("a", own)], voting="hard"),
            NoClasses(),
        )
        for learner in learners:
            for expected, found in zip(plain, predicted(learner, data, plan), strict=True):
                assert np.array_equal(expected.labels, found.labels)
                if hasattr(learner, "predict_proba"):
                    assert np.array_equal(expected.probabilities, found.probabilities)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_decision_values_follow_the_classes_of_the_learner(n_classes):
    data = from_arrays(*rows(LABELS["text"], n_classes))
    plan = make_plan(data, "1x3")
    plain = predicted(ReorderedMargins.plain, data, plan)
    for shift in range(n_classes):
        found = predicted(ReorderedMargins(shift), data, plan)
        for expected, own in zip(plain, found, strict=True):
            assert np.array_equal(expected.decision, own.decision)


def test_a_class_without_training_rows_has_no_score():
    X, y = rows(LABELS["text"], 3)
    some, lacking = np.flatnonzero(y != "a"), np.flatnonzero(y == "a")
    splits = [(some[::2], np.r_[some[1::2], lacking[:3]]), (np.arange(40), np.arange(40, 60))]
    data = from_arrays(X, y)
    plan = make_plan(data, splits)
    pairs = ((GaussianNB(), Reordered(1)), (ReorderedMargins.plain, ReorderedMargins(1)))
    for (plain, own), name, absent in zip(
        pairs, ("probabilities", "decision"), (0.0, -np.inf), strict=True
    ):
        for expected, found in zip(*(predicted(x, data, plan) for x in (plain, own)), strict=True):
            assert np.array_equal(getattr(expected, name), getattr(found, name))
        first = getattr(predicted(own, data, plan)[0], name)
        assert (first[:, 0] == absent).all()


def test_classes_that_the_data_do_not_have_fail_the_run():
    data = from_arrays(*rows(LABELS["text"], 3))
    split = make_plan(data, "1x3").split(0, 0)
    assert run_one(Learner("own", Coded()), data, split, seed=0).message == (
        "classes_ names class 0, which the data do not have, in 3 of 3 entries"
    )


def test_labels_that_contradict_the_columns_are_a_warning():
    said = []
    for n_classes, shift in ((2, 0), (3, 2)):
        X, y = rows(LABELS["text"], n_classes)
        learners = {"liar": Reordered(shift, claims="sorted"), "plain": GaussianNB()}
        result = compare(learners, X, y, cv="2x3")
        said += [text for text in result.findings.warnings if "another class" in text]
    assert len(said) == 2
    assert said[0] == (
        "liar predicts another class than the one with its highest probabilities in 120 of 120 "
        "test rows. Check that their columns follow classes_."
    )


def test_thresholds_and_calibration_are_no_contradiction():
    X, y = rows(LABELS["text"], 2)
    learners = {
        "costs": CostThresholdClassifier(GaussianNB(), [[0, 20], [1, 0]]),
        "svm": SVC(probability=True),
    }
    result = compare(learners, X, y, cv="2x3")
    assert not [text for text in result.findings.warnings if "another class" in text]


def test_costs_and_the_fitted_model_follow_the_classes_of_the_learner():
    X, y = rows(LABELS["text"], 2)
    costs = [[0, 5], [1, 0]]
    plain, own = (
        CostThresholdClassifier(learner, costs).fit(X, y)
        for learner in (GaussianNB(), Reordered(0))
    )
    assert np.array_equal(plain.predict(X), own.predict(X))
    assert np.allclose(plain.predict_proba(X), own.predict_proba(X), rtol=1e-12)
    model = BestOfK({"own": Reordered(0)}, cv="1x2").fit(X, y)
    assert model.classes_.tolist() == ["c", "b"]
    best = model.classes_[model.predict_proba(X).argmax(axis=1)]
    assert np.array_equal(best, model.predict(X))


def test_classes_whose_rows_weigh_nothing_are_never_predicted():
    X, y = rows(LABELS["text"], 3)
    weight = np.ones(len(y))
    splits = [(np.arange(40), np.arange(40, 60)), (np.arange(20, 60), np.arange(20))]
    weight[np.flatnonzero(y[:20] == "a")] = 0
    names = ["nearest-mean", "naive-bayes", "kernel-naive-bayes", "lda", "1nn", "svm", "c45rules"]
    result = compare(names, X, y, cv=splits, sample_weight=weight)
    kept = [(train[weight[train] > 0], test) for train, test in splits]
    without = compare(names, X, y, cv=kept, sample_weight=weight)
    for index in range(len(names)):
        with_zeros, left_out = (
            each.evaluation.predictions(index).labels for each in (result, without)
        )
        assert np.array_equal(with_zeros, left_out), names[index]

"""One run: whatever a learner does, it costs only its own run and leaves a record."""

import os
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bestofk import compare
from bestofk.data import from_arrays
from bestofk.evaluation.run import run_one
from bestofk.learners.learner import Learner
from bestofk.resampling import make_plan

X, y = load_iris(return_X_y=True)
DATA = from_arrays(X, y)
SPLIT = make_plan(DATA, "1x2").split(0, 0)


class Odd(ClassifierMixin, BaseEstimator):
    """Classifier with a chosen action in `fit` that predicts the first class in some form."""

    def __init__(self, act=None, form=None):
        self.act = act
        self.form = form

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        if self.act is not None:
            self.act()
        return self

    def predict(self, X):
        labels = np.full(len(X), self.classes_[0])
        return labels if self.form is None else self.form(labels)


def once(learner, data=DATA):
    return run_one(Learner("odd", learner), data, SPLIT, seed=1)


FORMS = {
    "list": lambda labels: labels.tolist(),
    "series": lambda labels: pd.Series(labels, index=range(7, 7 + len(labels))),
    "floats": lambda labels: labels.astype(float),
    "objects": lambda labels: labels.astype(object),
    "unmasked": lambda labels: np.ma.array(labels, mask=False),
}


@pytest.mark.parametrize("form", FORMS)
def test_labels_count_in_any_form(form):
    record = once(Odd(form=FORMS[form]))
    assert record.status == "ok"
    assert record.predictions.labels.tolist() == [0] * 75


WRONG = {
    "masked": (
        lambda labels: np.ma.array(labels, mask=[True] * 2 + [False] * 73),
        "predict returned masked values in 2 of 75 rows",
    ),
    "text": (
        lambda labels: labels.astype(str),
        "predict returned class '0', which the data do not have, in 75 of 75 rows",
    ),
    "nothing": (lambda labels: None, "predict must return shape (75,); got ()"),
    "column": (lambda labels: labels.reshape(-1, 1), "predict must return shape (75,)"),
    "complex": (lambda labels: labels + 0j, "predict returned complex numbers"),
    "ragged": (lambda labels: [[0], [1, 2]], "predict must return shape (75,); got rows of"),
}


@pytest.mark.parametrize("form", WRONG)
def test_labels_that_are_none_are_a_failure(form):
    make, message = WRONG[form]
    record = once(Odd(form=make))
    assert record.status == "error"
    assert record.message.startswith(message)


class Rated(Odd):
    """Gives these probabilities, or these decision values."""

    def __init__(self, probabilities=None, decision=None):
        super().__init__()
        self.probabilities = probabilities
        self.decision = decision
        if probabilities is not None:
            self.predict_proba = lambda X: self.probabilities
        else:
            self.decision_function = lambda X: self.decision


def rows_of(*values):
    return np.tile(values, (75, 1))


WRONG_VALUES = {
    "above 1": (rows_of(1.5, 0, 0), "predict_proba returned values outside [0, 1], such as 1.5"),
    "below 0": (rows_of(1, 0.5, -0.5), "predict_proba returned values outside [0, 1], such as -0."),
    "complex": (rows_of(0.5 + 1j, 0.5, 0), "predict_proba returned complex numbers"),
    "masked": (
        np.ma.array(rows_of(0.5, 0.5, 0), mask=rows_of(1, 0, 0)),
        "predict_proba returned masked values in 75 of 75 rows",
    ),
    "ragged": ([[0.5, 0.5, 0], [1.0]], "predict_proba must return shape (75, 3); got rows of"),
    "text": (rows_of("a", "b", "c"), "predict raised ValueError: could not convert string"),
}


@pytest.mark.parametrize("kind", WRONG_VALUES)
def test_probabilities_that_are_none_are_a_failure(kind):
    values, message = WRONG_VALUES[kind]
    record = once(Rated(probabilities=values))
    assert record.status == "error"
    assert record.message.startswith(message)


def test_probabilities_may_be_rounded():
    record = once(Rated(probabilities=rows_of(1 + 2e-7, -2e-7, 0)))
    assert record.status == "ok"


def test_decision_values_that_are_complex_are_a_failure():
    record = once(Rated(decision=rows_of(0.5 + 1j, 0.5, 0)))
    assert (record.status, record.message) == (
        "error",
        "decision_function returned complex numbers",
    )


class Unprintable(Exception):
    def __str__(self):
        raise ValueError("no text")


class Private(BaseException):
    pass


def raising(error):
    def act():
        raise error

    return act


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (Unprintable(), "fit raised Unprintable: (its message cannot be shown)"),
        (ValueError("lone \ud800 half"), r"fit raised ValueError: lone \ud800 half"),
        (Private("x"), "fit raised Private: x"),
        (GeneratorExit("x"), "fit raised GeneratorExit: x"),
        (MemoryError(), "fit raised MemoryError: "),
    ],
)
def test_every_error_is_a_record_that_can_be_stored(error, message):
    record = once(Odd(raising(error)))
    assert (record.status, record.message) == ("error", message)
    record.message.encode("utf-8")


def test_warnings_that_cannot_be_stored_are_made_storable():
    record = once(Odd(lambda: warnings.warn("half \ud800", stacklevel=1)))
    assert record.message == r"UserWarning: half \ud800"


def test_what_a_learner_sets_for_the_process_is_undone():
    def act():
        os.chdir("/")
        np.seterr(all="raise")
        sklearn.set_config(transform_output="pandas")

    before = os.getcwd(), np.geterr(), sklearn.get_config()
    assert once(Odd(act)).status == "ok"
    assert (os.getcwd(), np.geterr(), sklearn.get_config()) == before


def test_a_working_folder_that_was_deleted_costs_no_run(tmp_path, monkeypatch):
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    assert once(Odd(lambda: None)).status == "ok"


class NeedsPandas(ClassifierMixin, BaseEstimator):
    """Fails unless transformers put out frames."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        assert hasattr(X, "columns")
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.mark.parametrize("options", [{"timeout": 60}, {"n_jobs": 2}])
def test_other_processes_know_the_settings_of_scikit_learn(options, monkeypatch):
    monkeypatch.setattr("bestofk.evaluation.queue.run_queue._PARALLEL_SECONDS", 0.0)
    with sklearn.config_context(transform_output="pandas"):
        learner = make_pipeline(StandardScaler(), NeedsPandas())
        result = compare([("frames", learner)], X, y, cv="2x2", **options)
    assert (result.evaluation.status == "ok").all()


def test_weights_go_where_metadata_routing_leads_them():
    weights = np.where(y == 2, 100.0, 1.0)
    data = from_arrays(X[:, :1], y, sample_weight=weights)
    usual = once(make_pipeline(StandardScaler(), LogisticRegression()), data)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False),
            LogisticRegression().set_fit_request(sample_weight=True),
        )
        routed = once(asking, data)
        unasked = once(make_pipeline(StandardScaler(), LogisticRegression()), data)
    for record in (routed, unasked):
        assert (record.status, record.message) == ("ok", "")
        np.testing.assert_array_equal(
            record.predictions.probabilities, usual.predictions.probabilities
        )

"""One run: a record whatever a learner does, the same beside other threads and settings."""

import os
import random
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bestofk import BestOfK, compare, recommend
from bestofk.data import from_arrays
from bestofk.errors import RunError
from bestofk.evaluation.run import run_one, runs_here
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
    "nan": (lambda labels: labels + np.nan, "predict returned NaN in 75 of 75 rows"),
    "class": (
        lambda labels: labels + 99,
        "predict returned class 99, which the data do not have, in 75 of 75 rows",
    ),
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
    "nan": (rows_of(np.nan, 0.5, 0.5), "predict_proba returned NaN in 75 of 75 rows"),
    "narrow": (rows_of(0.5, 0.5), "predict_proba must return shape (75, 3); got (75, 2)"),
    "text": (rows_of("a", "b", "c"), "predict raised ValueError: could not convert string"),
}


@pytest.mark.parametrize("kind", WRONG_VALUES)
def test_probabilities_that_are_none_are_a_failure(kind):
    values, message = WRONG_VALUES[kind]
    record = once(Rated(probabilities=values))
    assert record.status == "error"
    assert record.message.startswith(message)


def test_decision_values_that_are_complex_are_a_failure_and_rounded_probabilities_none():
    record = once(Rated(decision=rows_of(0.5 + 1j, 0.5, 0)))
    said = "decision_function returned complex numbers"
    assert (record.status, record.message) == ("error", said)
    assert once(Rated(probabilities=rows_of(1 + 2e-7, -2e-7, 0))).status == "ok"


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


def test_what_a_learner_sets_for_the_process_is_undone_and_a_deleted_folder_costs_no_run(
    tmp_path, monkeypatch
):
    def act():
        os.chdir("/")
        np.seterr(all="raise")
        sklearn.set_config(transform_output="pandas")

    before = os.getcwd(), np.geterr(), sklearn.get_config()
    assert once(Odd(act)).status == "ok"
    assert (os.getcwd(), np.geterr(), sklearn.get_config()) == before
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    assert once(Odd(lambda: None)).status == "ok"


class NeedsPandas(DummyClassifier):
    """Fails unless transformers put out frames."""

    def fit(self, X, y, sample_weight=None):
        assert hasattr(X, "columns")
        return super().fit(X, y)


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


def drawing(between=None):
    """Return a learner that predicts a class drawn from the global generators."""

    class Drawing(DummyClassifier):
        def fit(self, X, y, sample_weight=None):
            drawn = np.random.random()  # the global generator is meant
            if between is not None:
                between()
            drawn += np.random.random() + random.random()
            self.strategy, self.constant = "constant", int(drawn * 1000) % 3
            return super().fit(X, y)

    return Drawing()


def drawn_classes(learner):
    records = compare({"drawing": learner}, X, y, cv="2x5").evaluation.records[0]
    assert [record.status for record in records] == ["ok"] * 10
    return [int(record.predictions.labels[0]) for record in records]


def in_a_thread(call, *arguments):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call, *arguments).result()


def test_a_comparison_in_another_thread_draws_the_same_numbers_and_leaves_those_of_this_one(
    in_this_process,
):
    alone = drawn_classes(drawing())
    assert len(set(alone)) > 1
    beside = []

    def compare_in_a_thread():
        if not beside:
            beside.append(in_a_thread(drawn_classes, drawing()))

    before = np.random.get_state()[1].tolist(), random.getstate()
    assert drawn_classes(drawing(compare_in_a_thread)) == alone
    assert beside == [alone]
    assert (np.random.get_state()[1].tolist(), random.getstate()) == before


def test_what_is_fitted_to_all_rows_beside_runs_of_another_thread_is_the_same():
    def constant():
        chosen = BestOfK({"drawing": drawing()}, cv="2x5").fit(X, y)
        return chosen.best_estimator_.constant

    def of_one_that_raises():
        with pytest.raises(ValueError, match="all rows"):
            BestOfK({"raising": Raising()}, cv="2x5").fit(X, y)

    class Raising(DummyClassifier):
        def fit(self, X, y, sample_weight=None):
            if len(X) == 150:
                raise ValueError("not to all rows")
            return super().fit(X, y)

    alone = constant()
    with runs_here():
        assert in_a_thread(constant) == alone
        in_a_thread(of_one_that_raises)


def test_advice_beside_runs_of_another_thread_rests_on_the_same_runs():
    def scores():
        recommendation = recommend(X, y, learners=["majority", "nearest-mean"], budget=60)
        return sorted(
            (attempt.learner, attempt.loss, attempt.state) for attempt in recommendation.tried
        )

    alone = scores()
    with runs_here():
        assert in_a_thread(scores) == alone


def test_blocks_beside_runs_of_another_thread_predict_the_same():
    def predictions():
        result = compare(["nearest-mean", "1nn"], X, y, cv="3x5", n_jobs=2).evaluation
        assert {run.fit_mode for runs in result.records for run in runs} == {"batched"}
        return [run.predictions.labels.tolist() for runs in result.records for run in runs]

    alone = predictions()
    with runs_here():
        assert in_a_thread(predictions) == alone


def test_a_learner_that_no_other_process_can_load_is_refused_beside_another_thread():
    class Locked(DummyClassifier):
        lock = threading.Lock()

    with runs_here(), pytest.raises(RunError, match=r"picklable.*one thread at a time"):
        in_a_thread(drawn_classes, Locked())


@pytest.mark.parametrize("way", ["runs", "all rows"])
def test_runs_see_no_n_jobs_of_a_setting_around_the_call(way, in_this_process):
    seen = []

    class Seeing(DummyClassifier):
        def fit(self, X, y, sample_weight=None):
            seen.append(joblib.effective_n_jobs(None))
            return super().fit(X, y)

    with joblib.parallel_config(n_jobs=2):
        if way == "runs":
            compare({"seeing": Seeing()}, X, y, cv="1x2")
        else:
            BestOfK({"seeing": Seeing()}, cv="1x2").fit(X, y)
        assert joblib.effective_n_jobs(None) == 2
    assert set(seen) == {1}

"""The runner: what is fitted, what is reused, what a failure leaves behind."""

import os
import random
import signal
import sys
import threading
import time
import types
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from tests.observers import InterruptAfter
from threadpoolctl import threadpool_info, threadpool_limits

from bestofk.data import from_arrays
from bestofk.errors import InvalidArgumentError, StoreError
from bestofk.evaluation import EvaluationRequest, Store, evaluate
from bestofk.evaluation.guarded.interrupt import GIVEN_UP, is_computing
from bestofk.evaluation.guarded.limits import Limits
from bestofk.learners import Learner
from bestofk.measures import get_measure
from bestofk.resampling import make_plan

X, y = load_iris(return_X_y=True)
DATA = from_arrays(X, y)
PLAN = make_plan(DATA, "2x2")


def error(evaluation):
    measure = get_measure("error", task="classification", classes=DATA.classes)
    return evaluation.measured(measure)


def run(learners, store=None, data=DATA, plan=PLAN, **options):
    learners = [Learner(name, estimator) for name, estimator in learners.items()]
    request = EvaluationRequest(data, plan, learners, **options)
    if store is not None:
        return evaluate(request, store)
    with Store(None) as memory:
        return evaluate(request, memory)


LEARNERS = {
    "majority": DummyClassifier(),
    "forest": RandomForestClassifier(5),
    "tree": DecisionTreeClassifier(max_features=1),
    "pipe": make_pipeline(StandardScaler(), LogisticRegression()),
}


def test_nothing_is_fitted_twice(store):
    first = run(LEARNERS, store)
    assert (first.n_fitted, first.n_reused) == (16, 0)
    again = run(LEARNERS, store)
    assert (again.n_fitted, again.n_reused) == (0, 16)
    np.testing.assert_array_equal(error(first).values, error(again).values)
    more = run({**LEARNERS, "nb": GaussianNB()}, store)
    assert (more.n_fitted, more.n_reused) == (4, 16)
    longer = run(LEARNERS, store, plan=make_plan(DATA, "3x2"))
    assert (longer.n_fitted, longer.n_reused) == (8, 16)


def test_scores_do_not_depend_on_order_company_or_processes(monkeypatch):
    monkeypatch.setattr("bestofk.evaluation.queue.run_queue._PARALLEL_SECONDS", 0.0)
    base = dict(zip(LEARNERS, error(run(LEARNERS)).values, strict=True))
    backwards = dict(reversed(LEARNERS.items()))
    for names, evaluation in (
        (list(backwards), run(backwards)),
        (["forest"], run({"forest": LEARNERS["forest"]})),
        (list(LEARNERS), run(LEARNERS, n_jobs=2)),
    ):
        for name, values in zip(names, error(evaluation).values, strict=True):
            np.testing.assert_array_equal(values, base[name])


def test_random_learners_draw_from_names_and_leave_the_global_generators_alone():
    class Coin(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            shift = random.randrange(3)
            return (np.random.randint(0, 3, len(X)) + shift) % 3

    np.random.seed(5)
    expected = np.random.random()
    np.random.seed(5)
    first, two = run({"coin": Coin()}), run({"majority": DummyClassifier(), "coin": Coin()})
    assert np.random.random() == expected
    np.testing.assert_array_equal(error(first).values[0], error(two).values[1])
    assert len(set(error(first).values[0])) > 1


def test_another_random_state_draws_other_numbers():
    first = run({"f": LEARNERS["forest"]})
    two = run({"f": LEARNERS["forest"]}, random_state=1)
    assert not np.array_equal(error(first).values, error(two).values)


def test_predictions_are_those_of_the_plain_way():
    estimator = make_pipeline(StandardScaler(), LogisticRegression())
    evaluation = run({"pipe": estimator}, batched="never")
    for split, record in zip(PLAN, evaluation.records[0], strict=True):
        estimator.fit(X[split.train_rows], y[split.train_rows])
        np.testing.assert_array_equal(
            record.predictions.probabilities, estimator.predict_proba(X[split.test_rows])
        )
        np.testing.assert_array_equal(
            record.predictions.labels, estimator.predict(X[split.test_rows])
        )


def test_decision_values_are_kept_where_there_are_no_probabilities():
    evaluation = run({"svc": SVC()})
    predictions = evaluation.records[0][0].predictions
    assert predictions.probabilities is None
    assert predictions.decision.shape == (75, 3)
    auroc = get_measure("auroc", task="classification", classes=DATA.classes)
    assert evaluation.measured(auroc).values.min() > 0.9
    log_loss = get_measure("log_loss", task="classification", classes=DATA.classes)
    missing = evaluation.measured(log_loss)
    assert np.isnan(missing.values).all()
    assert "needs probabilities" in missing.reasons["svc"]


class Faulty(DummyClassifier):
    """Learner that fails in a given way, on one given split."""

    def __init__(self, how="raise", when=0.0):
        super().__init__()
        self.how, self.when = how, when

    def fit(self, X, y, sample_weight=None):
        is_hit = abs(float(np.asarray(X)[:, 0].sum()) - self.when) < 1e-9
        if is_hit and self.how == "raise":
            raise ValueError("no fit\nfor this")
        if is_hit and self.how == "exit":
            raise SystemExit(3)
        if is_hit and self.how == "sleep":
            time.sleep(600)
        if is_hit:
            os._exit(3)
        return super().fit(X, y)


HIT = float(X[PLAN.split(1, 0).train_rows][:, 0].sum())
FAULTS = {
    "raise": "fit raised ValueError: no fit for this",
    "exit": "fit raised SystemExit: 3",
}


@pytest.mark.parametrize("how", FAULTS)
def test_a_failure_is_a_record_that_costs_only_its_run_and_is_not_tried_again(how, store):
    learners = {"faulty": Faulty(how, HIT), "majority": DummyClassifier()}
    evaluation = run(learners, store)
    assert run(learners, store).n_fitted == 0
    assert evaluation.status[0].tolist() == ["ok", "ok", "error", "ok"]
    assert evaluation.status[1].tolist() == ["ok"] * 4
    assert evaluation.messages(0)[0] == (1, 0, "error", FAULTS[how])


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_run_that_takes_too_long_or_dies_is_ended_alone(n_jobs, monkeypatch, store):
    monkeypatch.setattr("bestofk.evaluation.queue.run_queue._PARALLEL_SECONDS", 0.0)
    learners = {"slow": Faulty("sleep", HIT), "dead": Faulty("die", HIT)}
    evaluation = run(learners, store, limits=Limits(1.5), n_jobs=n_jobs)
    assert evaluation.status[0].tolist() == ["ok", "ok", "timeout", "ok"]
    assert evaluation.status[1].tolist() == ["ok", "ok", "error", "ok"]
    assert evaluation.messages(0)[0][3] == "ended after 1.5 s (timeout)"
    assert "died (exit code 3)" in evaluation.messages(1)[0][3]
    assert run(learners, store, limits=Limits(1.0)).n_fitted == 0


def test_a_time_limit_may_be_longer_than_the_system_can_wait():
    evaluation = run({"majority": DummyClassifier()}, limits=Limits(1e300))
    assert evaluation.status[0].tolist() == ["ok"] * 4


def test_warnings_of_a_learner_are_kept_with_its_run():
    evaluation = run({"short": LogisticRegression(max_iter=1)}, batched="never")
    assert "ConvergenceWarning" in evaluation.messages(0)[0][3]


def test_learners_get_frames_with_their_names_and_types(in_this_process):
    seen = []

    class Nosy(DummyClassifier):
        def fit(self, X, y, sample_weight=None):
            seen.append((type(X), dict(X.dtypes.astype(str))))
            return super().fit(X, y)

    frame = pd.DataFrame({"a": range(12), "b": pd.Categorical(list("xyz") * 4)})
    data = from_arrays(frame, pd.Series(["u", "v"] * 6))
    run({"nosy": Nosy()}, data=data, plan=make_plan(data, "1x2"))
    assert seen[0] == (pd.DataFrame, {"a": "int64", "b": "category"})


def test_a_learner_that_changes_its_input_harms_nobody():
    class Vandal(DummyClassifier):
        def fit(self, X, y):
            X[:] = 0
            return super().fit(X, y)

    before = X.copy()
    run({"vandal": Vandal(), "tree": LEARNERS["tree"]})
    np.testing.assert_array_equal(X, before)


def test_a_class_that_was_not_trained_on_has_probability_zero():
    few = from_arrays(np.arange(10.0).reshape(-1, 1), np.array([0] * 5 + [1] * 3 + [2] * 2))
    plan = make_plan(few, [(np.arange(8), np.array([8, 9])), (np.arange(2, 10), np.array([0, 1]))])
    evaluation = run({"nb": GaussianNB()}, data=few, plan=plan)
    assert evaluation.records[0][0].predictions.probabilities.shape == (2, 3)
    assert (evaluation.records[0][0].predictions.probabilities[:, 2] == 0).all()


class Loading(DummyClassifier):
    """Its first fit loads a library that takes two threads, as an import inside a fit may."""

    seen: ClassVar[list[int]] = []

    def fit(self, X, y, sample_weight=None):
        self.seen.append(max(item["num_threads"] for item in threadpool_info()))
        if len(self.seen) == 1:
            sys.modules["module_of_a_fit"] = types.ModuleType("module_of_a_fit")
            threadpool_limits(2)
        return super().fit(X, y, sample_weight)


def test_libraries_that_a_learner_loads_take_one_thread_from_its_next_run_on(
    monkeypatch, in_this_process
):
    monkeypatch.setattr(Loading, "seen", [])
    monkeypatch.delitem(sys.modules, "module_of_a_fit", raising=False)
    with threadpool_limits(1):
        run({"loading": Loading()}, batched="never")
    del sys.modules["module_of_a_fit"]
    assert Loading.seen == [1, 1, 1, 1]


def test_weights_reach_learners_that_take_them():
    weights = np.where(y == 2, 10.0, 1.0)
    data = from_arrays(X, y, sample_weight=weights)
    evaluation = run({"m": DummyClassifier(), "knn": _Unweighted()}, data=data)
    assert (evaluation.records[0][0].predictions.labels == 2).all()
    assert "takes no sample_weight" in evaluation.messages(1)[0][3]


class _Unweighted(DummyClassifier):
    def fit(self, X, y):
        return super().fit(X, y)


def test_regression_runs_keep_values():
    data = from_arrays(X[:, :3], X[:, 3], task="regression")
    evaluation = run({"ols": LinearRegression()}, data=data, plan=make_plan(data, "5"))
    r2 = get_measure("r2", task="regression", classes=[])
    assert evaluation.measured(r2).values.shape == (1, 5)
    assert evaluation.records[0][0].predictions.labels.dtype == np.float64


@pytest.mark.parametrize(("keep", "reason"), [("labels", "only labels"), ("scores", "not kept")])
def test_keeping_less_says_what_a_later_measure_cannot_use(keep, reason):
    measure = get_measure("error", task="classification", classes=DATA.classes)
    evaluation = run({"nb": GaussianNB()}, keep=keep, measures=[measure])
    assert not np.isnan(error(evaluation).values).any()
    auroc = evaluation.measured(get_measure("auroc", task="classification", classes=DATA.classes))
    assert np.isnan(auroc.values).all()
    assert reason in auroc.reasons["nb"]


def test_ctrl_c_keeps_what_is_finished(store):
    learners = [Learner(n, e) for n, e in LEARNERS.items()]
    request = EvaluationRequest(DATA, PLAN, learners, batched="never")
    evaluation = evaluate(request, store, InterruptAfter(5))
    assert evaluation.is_interrupted
    assert (evaluation.status != "missing").sum() == store.n_runs() == 5
    assert evaluate(request, store).n_fitted == 11


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"keep": "all"}, "keep must be a known one"),
        ({"limits": Limits(0)}, "timeout must be a positive number"),
        ({"n_jobs": 0}, "n_jobs must be a whole number other than 0"),
    ],
)
def test_options_that_make_no_sense_are_refused(option, message):
    with pytest.raises(InvalidArgumentError, match=message):
        run({"m": DummyClassifier()}, **option)


class Sender(DummyClassifier):
    """Its training sends this process Ctrl-C, once or twice, and then takes long or ends."""

    n_signals = 1

    def fit(self, X, y):
        for _ in range(self.n_signals):
            os.kill(os.getpid(), signal.SIGINT)
            end.wait(0.3)  # one signal at a time
        if self.n_signals > 1:
            end.wait(60)  # without hearing, as compiled code
        return super().fit(X, y)


end = threading.Event()


@pytest.fixture
def ctrl_c():
    """Let Ctrl-C raise KeyboardInterrupt: a test run in the background of a shell ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c", "in_this_process")
def test_ctrl_c_lets_the_run_in_progress_be_finished_and_says_so(capsys, store):
    evaluation = run({"sender": Sender()}, store, batched="never")
    assert evaluation.is_interrupted
    assert store.n_runs() == 1
    assert capsys.readouterr().err == (
        "Stopping after the runs in progress; press Ctrl-C again to stop at once.\n"
    )


@pytest.mark.usefixtures("ctrl_c", "in_this_process")
def test_another_ctrl_c_gives_up_the_run_in_progress(monkeypatch, store):
    monkeypatch.setattr(Sender, "n_signals", 2)
    end.clear()
    evaluation = run({"sender": Sender()}, store, batched="never")
    assert evaluation.is_interrupted
    assert store.n_runs() == 0
    assert is_computing()  # until Python gets a word in
    end.set()
    for thread in threading.enumerate():
        if thread.name == GIVEN_UP:
            thread.join(60)
    assert not is_computing()


@pytest.mark.parametrize("error", [KeyboardInterrupt, StoreError])
def test_parallel_work_that_is_ended_ends_quietly(error, monkeypatch, caplog, capfd, store):
    monkeypatch.setattr("bestofk.evaluation.queue.run_queue._PARALLEL_SECONDS", 0.0)
    monkeypatch.setattr("bestofk.evaluation.engines.engine.Engine.block_seconds", 0.001)
    ending, plan = InterruptAfter(8, error("ended")), make_plan(DATA, "20x5")
    learners = [Learner("nb", GaussianNB()), Learner("majority", DummyClassifier())]
    request = EvaluationRequest(DATA, plan, learners, n_jobs=2)
    if error is KeyboardInterrupt:
        assert evaluate(request, store, ending).is_interrupted
    else:
        with pytest.raises(StoreError, match="ended"):
            evaluate(request, store, ending)
    assert store.n_runs() >= 8
    assert evaluate(request, store).n_reused >= 8  # and work can go on
    assert caplog.records == []
    assert "Traceback" not in capfd.readouterr().err

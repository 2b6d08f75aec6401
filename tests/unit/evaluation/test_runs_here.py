"""Runs of several threads, and of calls within `joblib.parallel_config`, are those of any other."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier

from bestofk import BestOfK, compare, recommend
from bestofk.errors import RunError
from bestofk.evaluation.run import runs_here

X, y = load_iris(return_X_y=True)


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

"""Requests that share a queue: the same numbers as alone, in turns, with limits of their own."""

import time
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from tests.engines import digest

from bestofk.comparison.options import ComparisonSettings
from bestofk.comparison.prepared_comparison import prepare_comparison
from bestofk.data import load_data
from bestofk.evaluation import EvaluationRequest, Observer, Store, evaluate, evaluate_many
from bestofk.evaluation.guarded.limits import Limits
from bestofk.evaluation.queue.run_queue import RunQueue
from bestofk.learners import resolve_learners
from bestofk.resampling import make_plan

SETS = ("iris", "wine", "play-tennis")


class Sleeping(DummyClassifier):
    """Needs long for its training, in some runs forever."""

    def fit(self, X, y, sample_weight=None):
        time.sleep(60)


class Noting(Observer):
    """Keeps in one list which data set had a run, and of which repeat."""

    def __init__(self, name, events):
        self.name, self.events = name, events
        self.n_runs = {}

    def start(self, request, store, *, n_reused, snapshot):
        self.n_folds = request.plan.n_folds

    def finished(self, learner_index, records, store):
        for _ in records:
            n_runs = self.n_runs.get(learner_index, 0)
            self.n_runs[learner_index] = n_runs + 1
            self.events.append((n_runs // self.n_folds, self.name))


def request(name, learners=("linear-svm", "svm"), cv="3x2", **options):
    data = load_data(name)
    entered = resolve_learners(list(learners), data.task)
    return EvaluationRequest(data, make_plan(data, cv), entered, batched="never", **options)


def test_requests_in_one_queue_give_the_same_as_each_alone(store):
    together = evaluate_many([request(name) for name in SETS], store, [Observer()] * len(SETS))
    for name, result in zip(SETS, together, strict=True):
        with Store() as own:
            assert digest(result) == digest(evaluate(request(name), own))
        assert result.n_fitted == 12
        assert not result.is_interrupted


def test_repeats_of_all_requests_come_before_the_next_of_any(store):
    events = []
    observers = [Noting(name, events) for name in SETS]
    evaluate_many([request(name) for name in SETS], store, observers)
    repeats = [repeat for repeat, _ in events]
    assert repeats == sorted(repeats)
    assert len(events) == 3 * 12
    assert {name for repeat, name in events if repeat == 0} == set(SETS)


@pytest.mark.parametrize(
    ("first", "left"),
    [({"a": (0, 1.0), "b": (0, 3.0)}, "b"), ({"a": (0, 1.0), "b": (1, 3.0)}, "a")],
)
def test_of_the_requests_that_are_furthest_behind_the_longest_comes_next(store, first, left):
    waiting = {
        name: SimpleNamespace(
            work=SimpleNamespace(
                first_repeat=repeat, has_turn=True, expected_seconds=lambda value=seconds: value
            )
        )
        for name, (repeat, seconds) in first.items()
    }
    queue = RunQueue([SimpleNamespace(request=request("iris"))], store)
    assert queue._next(list(waiting.values())) is waiting[left]
    waiting[left].work.has_turn = False
    assert queue._next([waiting[left]]) is None


def test_interim_analyses_of_one_data_set_do_not_depend_on_the_others(store):
    settings = ComparisonSettings(max_repeats=6, stopping="settled-pick")
    learners = ["nearest-mean", "1nn", "lda"]
    entered = resolve_learners(learners, "classification")
    prepared = [prepare_comparison(entered, load_data(name), settings) for name in SETS[:2]]
    together = evaluate_many([item.request for item in prepared], store, [Observer()] * 2)
    for name, result in zip(SETS, together, strict=False):
        alone = prepare_comparison(entered, load_data(name), settings)
        with Store() as own:
            assert digest(evaluate(alone.request, own)) == digest(result)


def test_a_learner_has_limits_of_its_own(store):
    learners = {"sleeping": Sleeping(), "majority": "majority"}
    data = load_data("iris")
    entered = resolve_learners(learners, data.task)
    result = evaluate(
        EvaluationRequest(
            data, make_plan(data, "1x3"), entered, own_limits={"sleeping": Limits(seconds=0.2)}
        ),
        store,
    )
    assert result.status.tolist() == [["timeout"] * 3, ["ok"] * 3]


def test_the_budget_ends_all_requests_and_those_that_are_done_stay_whole(store):
    evaluate(request("iris"), store)
    results = evaluate_many(
        [request(name, budget=1e-9) for name in SETS[:2]], store, [Observer(), Observer()]
    )
    assert [result.is_out_of_time for result in results] == [False, True]
    assert [int(np.sum(result.status == "ok")) for result in results] == [12, 1]

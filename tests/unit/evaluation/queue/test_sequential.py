"""Learners tested one at a time: the runs of `evaluate`, ended early, cut off, and resumed."""

import io
import os
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from tests.fake_engine import FakeEngine

from bestofk.data import from_arrays
from bestofk.errors import RunError
from bestofk.evaluation import EvaluationRequest, Observer, Store, evaluate
from bestofk.evaluation.engines.engine import LOST, Done, EngineLostError
from bestofk.evaluation.identity.packages import describe_environment
from bestofk.evaluation.queue.sequential import sequential_evaluation
from bestofk.evaluation.queue.worker import BlockResult, read_payload
from bestofk.evaluation.record import RunRecord
from bestofk.evaluation.run_table import RunTable
from bestofk.learners import Learner
from bestofk.resampling import make_plan

X, y = load_iris(return_X_y=True)
DATA = from_arrays(X, y)
PLAN = make_plan(DATA, "1x5")
LEARNERS = {
    "tree": DecisionTreeClassifier(max_features=1),
    "bayes": GaussianNB(),  # has a batched form
}


class Odd(ClassifierMixin, BaseEstimator):
    """Sleeps, dies or raises in every fit."""

    def __init__(self, how="raise"):
        self.how = how

    def fit(self, X, y):
        if self.how == "sleep":
            time.sleep(600)
        if self.how == "die":
            os._exit(3)
        raise ValueError("no fit")


class Counts(Observer):
    """Observer that counts runs."""

    def __init__(self):
        self.learners = []

    def finished(self, learner, records, store):
        self.learners += [learner] * len(records)


def request(learners=LEARNERS, **options):
    listed = [Learner(name, estimator) for name, estimator in learners.items()]
    return EvaluationRequest(DATA, PLAN, listed, **options)


def stored_bytes(store):
    """Return the bytes of what was predicted in every run."""
    return {
        (learner.id, split, stream): [
            None if part is None else part.tobytes() for part in record.predictions
        ]
        for learner in store.stored_learners()
        for (split, stream), record in store.runs(
            learner.data.number, learner.number, n_classes=len(learner.data.classes)
        ).items()
    }


def test_the_runs_are_those_of_evaluate():
    with Store(None) as ours, Store(None) as theirs:
        with sequential_evaluation(request(), ours) as tests:
            result = [tests.test(index) for index in (1, 0)][::-1]
        whole = evaluate(request(), theirs)
        assert stored_bytes(ours) == stored_bytes(theirs)
        assert len(stored_bytes(ours)) >= 10
        for index, first in enumerate(result):
            assert first.names == whole.names[index : index + 1]
            assert first.identities == whole.identities[index : index + 1]
            assert first.status.tolist() == [["ok"] * 5]
            assert (first.n_fitted, first.n_reused, first.is_out_of_time) == (5, 0, False)
            for mine, other in zip(first.records[0], whole.records[index], strict=True):
                np.testing.assert_array_equal(mine.predictions.labels, other.predictions.labels)
        again = evaluate(request(), ours)
        assert (again.n_fitted, again.n_reused) == (0, 10)


def test_what_a_batched_learner_costs_by_itself_is_known_afterwards(store):
    with sequential_evaluation(request(), store) as tests:
        costs = tests.test(1).own_seconds("train_seconds")
    assert [len(seconds) for seconds in costs] == [1]
    assert len(evaluate(request(), store).own_seconds("train_seconds")[1]) == 1


def test_runs_of_evaluate_are_not_done_again_and_other_learners_are_left_alone():
    with Store(None) as store, Store(None) as other:
        whole = evaluate(request(), store)
        observer = Counts()
        with sequential_evaluation(request(), store, observer) as tests:
            result = tests.test(0, goes_on=lambda _: True)
        assert (result.n_fitted, result.n_reused) == (0, 5)
        assert observer.learners == []
        np.testing.assert_array_equal(result.train_seconds, whole.train_seconds[:1])
        with sequential_evaluation(request(), other, observer) as tests:
            tests.test(0)
        assert observer.learners == [0] * 5
        learners = other.stored_learners()
        assert [item.name for item in learners if other.has_stored_runs(item)] == ["tree"]


def test_a_test_ends_where_it_is_not_worth_going_on(store):
    asked = []

    def goes_on(found):
        asked.append(found.status[0].tolist())
        return len(asked) < 2

    observer = Counts()
    with sequential_evaluation(request(), store, observer) as tests:
        result = tests.test(0, goes_on=goes_on)
        assert asked == [["ok"] + ["missing"] * 4, ["ok"] * 2 + ["missing"] * 3]
        assert result.status[0].tolist() == asked[-1]
        assert (result.n_fitted, result.is_out_of_time) == (2, False)
        assert store.n_runs() == 2
        rest = tests.test(0)  # the others, without those done before
        assert rest.status[0].tolist() == ["ok"] * 5
    assert store.n_runs() == len(observer.learners) == 5


def test_what_was_not_worth_going_on_is_not_begun_again(store):
    with sequential_evaluation(request(), store) as tests:
        tests.test(0, goes_on=lambda result: (result.status[0] == "ok").sum() < 2)
    asked = []

    def goes_on(found):
        asked.append(found.status[0].tolist())
        return False

    with sequential_evaluation(request(), store) as tests:
        result = tests.test(0, goes_on=goes_on)
    assert asked == [["ok"] * 2 + ["missing"] * 3]
    assert (result.n_fitted, result.n_reused) == (0, 2)
    with sequential_evaluation(request(), store) as tests:
        result = tests.test(0)
    assert (result.n_fitted, result.n_reused) == (3, 2)


def test_runs_are_resumed_after_a_budget_that_was_spent(store):
    class Spends(Observer):
        def finished(self, learner, records, store):
            tests.deadline = time.monotonic()  # with the end of the first run

    with sequential_evaluation(request(budget=600.0), store, Spends()) as tests:
        result = tests.test(0)
    assert result.is_out_of_time
    assert result.status[0].tolist() == ["ok"] + ["missing"] * 4
    assert evaluate(request(), store).n_fitted == 9


@pytest.fixture(scope="module")
def guarded():
    """Give a guarded process that has started, and its store."""
    learners = {"sleep": Odd("sleep"), "die": Odd("die"), "raise": Odd(), **LEARNERS}
    with Store(None) as store, sequential_evaluation(request(learners, budget=1e6), store) as tests:
        tests.prepare_guard()
        tests._guard.wait()
        yield tests, store


def test_guarded_runs_are_the_same(guarded):
    tests, store = guarded
    for index in (3, 4):
        assert tests.test(index, is_guarded=True).status.tolist() == [["ok"] * 5]
    with Store(None) as other:
        evaluate(request(), other)
        ours, theirs = stored_bytes(store), stored_bytes(other)
        assert {key: ours[key] for key in theirs} == theirs


def test_a_learner_that_raises_or_dies_leaves_records_and_the_next_one_runs(guarded):
    tests, _ = guarded
    result = tests.test(2, is_guarded=True)
    assert result.status.tolist() == [["error"] * 5]
    assert result.messages(0)[0] == (0, 0, "error", "fit raised ValueError: no fit")
    result = tests.test(1, is_guarded=True, goes_on=lambda _: False)
    assert result.status[0].tolist() == ["error"] + ["missing"] * 4
    assert "the process of the run died (exit code 3)" in result.messages(0)[0][3]
    tests._guard.wait()
    assert tests._guard.is_there()  # another one


def test_the_end_of_the_budget_kills_a_running_fit_and_leaves_no_record(guarded):
    tests, store = guarded
    tests._guard.wait()
    before = store.n_runs()
    start = time.monotonic()
    tests.deadline = start + 0.3
    result = tests.test(0, is_guarded=True)
    assert 0.3 <= time.monotonic() - start < 300  # the fit sleeps twice as long
    assert result.is_out_of_time
    assert result.status.tolist() == [["missing"] * 5]
    assert store.n_runs() == before
    tests.deadline = start + 1e6


def test_a_budget_that_is_spent_before_the_process_is_there_is_kept():
    item = request({"sleep": Odd("sleep")}, budget=0.2)
    with Store(None) as store, sequential_evaluation(item, store) as tests:
        start = time.monotonic()
        result = tests.test(0, is_guarded=True)
        assert time.monotonic() - start < 300
        assert result.is_out_of_time
        assert store.n_runs() == 0


@pytest.fixture(autouse=True)
def _no_time_for_a_first_run(monkeypatch):
    """Let budgets end first runs, too, which have some seconds otherwise."""
    monkeypatch.setattr("bestofk.evaluation.queue.runner._FIRST_RUN_SECONDS", 0.001)


class SlowToStart:
    """A guarded process that takes ten seconds of the budget to start, and dies in every run."""

    def __init__(self, tests):
        self.tests, self.is_there, self.overtimes = tests, False, []

    def begin(self):
        return None

    def wait(self, seconds=None):
        if not self.is_there:
            self.tests.deadline -= 10.0
        self.is_there = True

    def run(self, job, *, timeout):
        self.wait()
        self.overtimes.append(timeout - (self.tests.deadline - time.monotonic()))
        self.is_there = False
        return RunRecord("error", None, 0.1, 0.1, message="died")

    def close(self):
        return None


def test_starting_a_process_again_is_part_of_the_budget():
    item = request({"die": Odd("die")}, budget=1000.0)
    with Store(None) as store, sequential_evaluation(item, store) as tests:
        tests._guard = SlowToStart(tests)
        assert tests.test(0, is_guarded=True).status.tolist() == [["error"] * 5]
        assert tests._guard.overtimes == pytest.approx([0.0] * 5, abs=5.0)


def _made_in(process):
    if os.getpid() != process:
        raise RuntimeError("not here")
    return OfOneProcess()


class OfOneProcess:
    """Cannot be loaded in another process."""

    def __reduce__(self):
        return _made_in, (os.getpid(),)


def test_learners_that_no_other_process_can_load_are_told():
    item = request({"odd": Odd(OfOneProcess())}, budget=60.0)
    with Store(None) as store, sequential_evaluation(item, store) as tests:
        with pytest.raises(RunError, match=r"must load data and learners; it died \(exit code 1"):
            tests.test(0, is_guarded=True)
        assert store.n_runs() == 0


def test_without_a_budget_nothing_is_guarded():
    with Store(None) as store, sequential_evaluation(request(), store) as tests:
        assert tests.deadline == float("inf")
        tests.test(0, is_guarded=True)
        assert tests._guard._source is None


def test_a_process_that_is_not_ready_is_ended_with_the_context(store):
    with sequential_evaluation(request(budget=60.0), store) as tests:
        tests.prepare_guard()
        pipe = tests._guard._source.pipe
        folder = Path(tests._file).parent
    assert pipe.closed
    assert not folder.exists()


def test_once_the_process_is_there_short_runs_are_cut_off_too():
    learners = {"sleeps": Odd("sleep"), "bayes": GaussianNB()}
    with (
        Store(None) as store,
        sequential_evaluation(request(learners, budget=60.0), store) as tests,
    ):
        assert not tests._guard.is_there()
        tests.prepare_guard()
        tests._guard.wait()
        tests.deadline = time.monotonic() + 0.5
        start = time.monotonic()
        assert tests.test(0).is_out_of_time
        assert time.monotonic() - start < 30


class Loops(ClassifierMixin, BaseEstimator):
    """Never ends by itself, but lets Python get a word in."""

    def fit(self, X, y):
        while True:
            time.sleep(0.01)


@pytest.mark.usefixtures("in_this_process")
def test_a_run_of_this_process_is_cut_off_too():
    with (
        Store(None) as store,
        sequential_evaluation(request({"loops": Loops()}, budget=0.3), store) as tests,
    ):
        result = tests.test(0)  # not guarded: it was expected to be short
        assert tests._guard._source is None
    assert result.is_out_of_time
    assert result.status.tolist() == [["missing"] * 5]


class Gives(ClassifierMixin, BaseEstimator):
    """Takes Ctrl-C as the end of its training, as some learners do, and predicts all the same."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        try:
            while True:
                time.sleep(0.01)
        except KeyboardInterrupt:
            return self

    def predict(self, X):
        return np.repeat(self.classes_[0], len(X))


@pytest.mark.usefixtures("in_this_process")
def test_a_training_that_was_cut_short_is_no_record():
    with (
        Store(None) as store,
        sequential_evaluation(request({"gives": Gives()}, budget=0.3), store) as tests,
    ):
        result = tests.test(0)
        assert store.n_runs() == 0
    assert result.is_out_of_time
    assert result.status.tolist() == [["missing"] * 5]


# -- engines --------------------------------------------------------------------------------


class Backwards(FakeEngine):
    """Does the last block first, and has room for all; runs are done where they are submitted."""

    n_slots = 20

    def __init__(self, *, before=lambda n_done: None):
        super().__init__()
        self.n_done, self._before = 0, before

    def wait(self, seconds):
        self._before(self.n_done)
        self.n_done += 1
        _, blob, (number, block) = self.blocks.pop()
        payload = read_payload(io.BytesIO(blob))
        table = RunTable.packed([payload.run(job) for job in block.work])
        return [Done((number, block), BlockResult(table, 0.1, describe_environment()))]


TREES = {"tree": DecisionTreeClassifier(max_features=1), "stump": DecisionTreeClassifier()}


@pytest.fixture
def elsewhere(monkeypatch):
    """Return a function that gives the tests of learners whose runs an engine does."""
    monkeypatch.setattr("bestofk.evaluation.queue.run_queue._PARALLEL_SECONDS", 0.0)

    def start(engine, store, **options):
        monkeypatch.setattr(
            "bestofk.evaluation.queue.sequential.started_engine", lambda *given: engine
        )
        asked = request(TREES, engine="processes", n_jobs=2, batched="never", **options)
        return sequential_evaluation(asked, store)

    return start


def test_runs_of_an_engine_are_those_of_this_process(elsewhere):
    with Store(None) as ours, Store(None) as theirs:
        engine = Backwards()
        with elsewhere(engine, ours) as tests:
            results = [tests.test(index) for index in (0, 1)]
        evaluate(request(TREES, batched="never"), theirs)
        assert stored_bytes(ours) == stored_bytes(theirs)
        assert len(stored_bytes(ours)) == 10
    assert [result.status.tolist() for result in results] == [[["ok"] * 5]] * 2
    assert results[0].records[0].is_crowded.tolist() == [False] + [True] * 4  # the first is alone
    assert (engine.n_done, len(engine.blobs), engine.n_drops, engine.is_closed) == (8, 1, 0, True)


def test_a_test_on_an_engine_ends_after_the_same_run_as_here(elsewhere, store):
    asked = []

    def goes_on(found):
        asked.append(found.status[0].tolist())
        return len(asked) < 3

    engine = Backwards()
    with elsewhere(engine, store) as tests:
        result = tests.test(0, goes_on=goes_on)
        assert asked == [["ok"] * n + ["missing"] * (5 - n) for n in (1, 2, 3)]
        assert result.status[0].tolist() == asked[-1]
        assert store.n_runs() == 3  # the others were done, and are of no use
        assert tests.test(1).status[0].tolist() == ["ok"] * 5
    assert len(engine.blobs) == 1


def test_the_end_of_the_budget_cuts_off_what_an_engine_has_in_hand(elsewhere, store):

    def before(n_done):
        if n_done == 2:
            tests.deadline = time.monotonic() - 1

    engine = Backwards(before=before)
    with elsewhere(engine, store, budget=600.0) as tests:
        result = tests.test(0)
        assert tests.spent_seconds(0)[1] > 0
    assert result.is_out_of_time
    assert result.status[0].tolist() == ["ok"] + ["missing"] * 4  # run 2 was not back
    assert (engine.n_drops, engine.blocks) == (1, [])


def test_the_seconds_of_a_test_are_divided_among_workers(elsewhere, monkeypatch):
    engine = Backwards()  # 10 workers; more than the 4 runs after the first are of no use
    with Store(None) as store, elsewhere(engine, store) as tests:
        assert tests.expected_seconds(50.0) == pytest.approx(10 + 10)
        engine.n_slots = 4
        assert tests.expected_seconds(50.0) == pytest.approx(10 + 20)
        monkeypatch.setattr("bestofk.evaluation.queue.run_queue._PARALLEL_SECONDS", 3.0)
        assert tests.expected_seconds(3.0) == 3.0
        assert np.isnan(tests.expected_seconds(np.nan))


def test_an_engine_that_loses_a_run_again_and_again_is_lost(elsewhere, monkeypatch):
    monkeypatch.setattr("bestofk.evaluation.queue.handed_out._PAUSES", ())

    class Losing(Backwards):
        def wait(self, seconds):
            return [Done(self.blocks.pop()[2], LOST)]

    with (
        Store(None) as store,
        elsewhere(Losing(), store) as tests,
        pytest.raises(EngineLostError, match="workers of the engine must live until a run is done"),
    ):
        tests.test(0)

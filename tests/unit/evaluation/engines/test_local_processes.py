"""Processes of this machine: one learner each, and work that is dropped at once."""

import io
import os
import time
from contextlib import closing

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier

from bestofk.data import from_arrays
from bestofk.evaluation.engines.executors import LocalProcesses
from bestofk.evaluation.engines.tasks import done_tasks
from bestofk.evaluation.queue.worker import Block, Job, Payload, do_block, write_payload
from bestofk.learners.learner import Learner
from bestofk.resampling import make_plan


class Awkward(ClassifierMixin, BaseEstimator):
    """Changes another learner while it is fitted, after what it is told to do."""

    def __init__(self, act=time.sleep, number=0):
        self.act = act
        self.number = number

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.act(self.number)
        DecisionTreeClassifier.predict = lambda tree, X: np.full(len(X), tree.classes_[0])
        return self

    def predict(self, X):
        return np.repeat(self.classes_[0], len(X))


@pytest.fixture
def engine():
    with closing(LocalProcesses(1)) as engine:
        yield engine


def payload_of(*given):
    data = from_arrays(np.arange(80.0).reshape(40, 2) % 7, np.arange(40) % 2)
    learners = [Awkward(*given), DecisionTreeClassifier(random_state=0)]
    runnable = tuple(Learner(str(i), learner) for i, learner in enumerate(learners))
    return Payload(data, make_plan(data, "2x2"), runnable)


def put(engine, payload):
    file = io.BytesIO()
    write_payload(payload, file)
    return engine.put(file.getvalue())


def result_of(engine):
    ((_, result),) = engine.wait(60)
    return result.answer


def test_a_learner_that_changes_another_changes_it_in_no_process_of_the_engine(engine):
    payload = payload_of()
    ref, job = put(engine, payload), Job(1, 0, 0, 3)
    engine.submit(do_block, ref, (1, Block((Job(0, 0, 0, 3),), is_guarded=False)))
    assert result_of(engine)[0].status == "ok"
    engine.submit(do_block, ref, (2, Block((job,), is_guarded=False)))
    record = result_of(engine)[0]
    assert record.is_isolated
    np.testing.assert_array_equal(record.predictions.labels, payload.run(job).predictions.labels)


def test_work_that_is_dropped_ends_and_other_work_is_done(engine):
    ref, block = (
        put(engine, payload_of(time.sleep, 60)),
        (1, Block((Job(0, 0, 0, 3),), is_guarded=False)),
    )
    begun = time.monotonic()
    for pause in (0.0, 1.0):
        engine.submit(do_block, ref, block)
        time.sleep(pause)  # it may be at work, or not begun
        engine.drop()
    engine.submit(do_block, ref, (1, Block((Job(1, 0, 0, 3),), is_guarded=False)))
    assert result_of(engine)[0].status == "ok"
    assert time.monotonic() < begun + 50


def test_a_run_that_ends_its_process_costs_its_own_record(engine):
    ref = put(engine, payload_of(os._exit, 3))
    engine.submit(do_block, ref, (1, Block((Job(0, 0, 0, 3), Job(0, 0, 1, 3)), is_guarded=False)))
    messages = [record.message for record in result_of(engine)]
    assert messages == ["the process of the run died (exit code 3)"] * 2


def test_tasks_are_done_by_other_processes_and_raise_what_they_raise():
    done = dict(
        done_tasks(lambda i: os.getpid(), [1, 2], engine="processes", n_jobs=2, estimators=[])
    )
    assert os.getpid() not in done.values()
    with pytest.raises(ZeroDivisionError):
        list(done_tasks(lambda i: 1 / i, [0], engine="processes", n_jobs=2, estimators=[]))

"""Executors: processes of this machine, and workers that share no disk with the caller."""

import io
import os
import sys
import time
from concurrent.futures import Executor, Future
from contextlib import closing

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

from bestofk import compare
from bestofk.data import from_arrays
from bestofk.evaluation.engines.executors import ExecutorEngine, LocalProcesses
from bestofk.evaluation.engines.tasks import done_tasks
from bestofk.evaluation.identity.requirements import WorkerRefusedError
from bestofk.evaluation.queue.worker import (
    BlobFile,
    Block,
    Job,
    Payload,
    do_block,
    read_payload,
    write_payload,
)
from bestofk.learners.learner import Learner
from bestofk.resampling import make_plan


class Awkward(DummyClassifier):
    """Changes another learner while it is fitted, after what it is told to do."""

    def __init__(self, act=time.sleep, number=0):
        super().__init__()
        self.act, self.number = act, number

    def fit(self, X, y, sample_weight=None):
        self.act(self.number)
        DecisionTreeClassifier.predict = lambda tree, X: np.full(len(X), tree.classes_[0])
        return super().fit(X, y)


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
    ref = put(engine, payload_of(time.sleep, 60))
    block = (1, Block((Job(0, 0, 0, 3),), is_guarded=False))
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


class Far(Executor):
    """Does work at once; its files are not those of the caller."""

    _max_workers = 1

    def __init__(self):
        self.sent = []

    def submit(self, function, blob, block):
        self.sent.append(type(blob))
        if isinstance(blob, BlobFile):
            blob = blob._replace(path="/nowhere/at/all")
        future = Future()
        try:
            future.set_result(function(blob, block))
        except Exception as error:
            future.set_exception(error)
        return future


def test_a_worker_without_the_file_is_sent_the_bytes_for_its_first_blocks_alone(monkeypatch):
    monkeypatch.setattr("bestofk.evaluation.queue.run_queue._PARALLEL_SECONDS", 0.0)
    monkeypatch.setattr(ExecutorEngine, "block_seconds", 0.0)
    learners = ["linear-svm", "svm"]
    far = Far()
    there = compare(learners, "iris", cv="4x2", engine=far)
    here = compare(learners, "iris", cv="4x2")
    assert there.to_frame()["value"].equals(here.to_frame()["value"])
    first = [BlobFile, BlobFile, bytes, bytes]  # two blocks are in hand at once
    assert far.sent[:4] == first
    assert set(far.sent[4:]) == {BlobFile}


def test_a_worker_that_lacks_a_module_is_refused(tmp_path, monkeypatch):
    import cloudpickle

    (tmp_path / "only_there.py").write_text("class Own:\n    pass\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import only_there

    path = tmp_path / "payload"
    with path.open("wb") as file:
        cloudpickle.dump({}, file)  # no versions asked for
        cloudpickle.dump(only_there.Own(), file)
    del sys.modules["only_there"]
    monkeypatch.undo()
    with (
        path.open("rb") as file,
        pytest.raises(
            WorkerRefusedError,
            match=r"must have the packages and files .* 'only_there' on .*Put them",
        ),
    ):
        read_payload(file)

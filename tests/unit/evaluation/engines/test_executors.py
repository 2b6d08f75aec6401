"""Executors whose workers share no disk with the caller, or lack files of it."""

import sys
from concurrent.futures import Executor, Future

import pytest

from bestofk import compare
from bestofk.evaluation.engines.executors import ExecutorEngine
from bestofk.evaluation.identity.requirements import WorkerRefusedError
from bestofk.evaluation.queue.worker import BlobFile, read_payload


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

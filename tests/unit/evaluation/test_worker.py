"""Results from workers: arrays in a file removed once read, and one answer to a run."""

from __future__ import annotations

import errno
import pickle
import tempfile
import types

import cloudpickle
import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from bestofk.batched import BatchedPredictions
from bestofk.data import from_arrays
from bestofk.evaluation import worker
from bestofk.evaluation.batched_fit import BlockPredictions
from bestofk.evaluation.guard import GuardedProcess, send
from bestofk.evaluation.run import RunnableLearner
from bestofk.resampling import make_plan

LABELS = np.array([[0, 1, 1], [1, 0, 1]])
DONE = np.array([[True], [False], [True]])  # of an odd number of bytes
SHARES = np.asfortranarray(np.linspace(0, 1, 12).reshape(2, 3, 2))


class PredictsAlways:
    def attempt(self, job):
        return BlockPredictions(
            BatchedPredictions(LABELS, probabilities=SHARES, is_done=DONE), 0.25
        )


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setattr(worker, "_cached_payload", lambda path: PredictsAlways())
    return tmp_path / "payload"


def test_what_a_worker_sends_is_taken_up_bit_by_bit_and_leaves_no_file(path):
    sent = worker.attempt_block(path, None)
    assert isinstance(sent, worker.AttemptOnDisk)
    assert len(sent.pickled) < 1_000
    predictions, seconds = worker.load_block(sent)
    assert seconds == 0.25
    np.testing.assert_array_equal(predictions.labels, LABELS)
    np.testing.assert_array_equal(predictions.probabilities, SHARES)
    np.testing.assert_array_equal(predictions.is_done, DONE)
    assert list(path.parent.iterdir()) == []


def test_a_failed_attempt_has_no_arrays_to_send(path, monkeypatch):
    monkeypatch.setattr(PredictsAlways, "attempt", lambda *_: BlockPredictions(None, 0.5))
    assert worker.load_block(worker.attempt_block(path, None)) == BlockPredictions(None, 0.5)


def test_where_no_file_can_be_written_the_arrays_go_with_the_rest(path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(worker, "_put_aside", full)
    sent = worker.attempt_block(path, None)
    assert isinstance(sent, BlockPredictions)
    assert worker.load_block(sent) is sent


def test_a_payload_is_sent_without_what_was_made_here_and_with_small_folds():
    data = from_arrays(np.arange(40.0).reshape(20, 2), np.arange(20) % 2)
    learner = RunnableLearner("nb", GaussianNB())
    payload = worker.Payload(data, make_plan(data, "500x2"), (learner,), batched="always")
    assert payload.fits[0].form is not None
    sent = pickle.dumps(payload)
    assert len(sent) < payload.plan.folds.nbytes / 2
    result = pickle.loads(sent)
    assert "fits" not in vars(result)
    assert result.plan.folds.dtype == payload.plan.folds.dtype
    assert result.plan.id == payload.plan.id
    assert result.fits[0] is not None


def test_an_answer_to_another_run_is_a_failed_run_and_ends_the_process(path, monkeypatch):
    guard = GuardedProcess(path)
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as sent:
        send(sent, cloudpickle.dumps((7, "the answer of another run")))
        sent.seek(0)
        process = types.SimpleNamespace(stdin=asked, stdout=sent, kill=int, wait=int)
        monkeypatch.setattr(guard, "_process", process)
        monkeypatch.setattr(guard, "_is_ready", True)
        record = guard.run("a job", timeout=None)
    assert record.status == "error"
    assert record.message == (
        "the process of the run must answer once; got a second answer to run 7 of it in place of "
        "one to run 1"
    )
    assert not guard.is_there()

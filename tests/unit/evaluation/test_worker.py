"""Results from workers: arrays in a file that is removed once read."""

from __future__ import annotations

import errno
import pickle
from contextlib import closing
from pathlib import Path

import joblib
import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from bestofk.batched import BatchedPredictions
from bestofk.data import from_arrays
from bestofk.evaluation import worker
from bestofk.evaluation.batched_fit import BlockPredictions
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
    return str(tmp_path / "payload")


def test_what_a_worker_sends_is_loaded_bit_by_bit_and_leaves_no_file(path, tmp_path):
    sent = worker.attempt_block(path, None)
    assert isinstance(sent, Path)
    predictions, seconds = worker.load_block(sent)
    assert seconds == 0.25
    np.testing.assert_array_equal(predictions.labels, LABELS)
    np.testing.assert_array_equal(predictions.probabilities, SHARES)
    np.testing.assert_array_equal(predictions.is_done, DONE)
    assert isinstance(predictions.probabilities, np.memmap)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_attempt_has_no_arrays_to_send(path, monkeypatch):
    monkeypatch.setattr(PredictsAlways, "attempt", lambda *_: BlockPredictions(None, 0.5))
    assert worker.load_block(worker.attempt_block(path, None)) == BlockPredictions(None, 0.5)


def test_where_no_file_can_be_written_the_arrays_go_with_the_rest(path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(joblib, "dump", full)
    sent = worker.attempt_block(path, None)
    assert isinstance(sent, BlockPredictions)
    assert worker.load_block(sent) is sent


def test_a_payload_is_written_when_its_path_is_asked_for_and_deleted_at_the_end():
    data = from_arrays(np.arange(40.0).reshape(20, 2), np.arange(20) % 2)
    payload = worker.Payload(data, make_plan(data, "5x2"), (RunnableLearner("nb", GaussianNB()),))
    with closing(worker.PayloadFile(payload)) as file:
        path = Path(file)
        assert Path(file) == path
        assert worker.load_payload(str(path)).data.id == data.id
    assert not path.parent.exists()


def test_a_payload_is_sent_without_what_was_made_here():
    data = from_arrays(np.arange(40.0).reshape(20, 2), np.arange(20) % 2)
    learner = RunnableLearner("nb", GaussianNB())
    payload = worker.Payload(data, make_plan(data, "500x2"), (learner,), batched="always")
    assert payload.fits[0].choice.form is not None
    result = pickle.loads(pickle.dumps(payload))
    assert "fits" not in vars(result)
    assert result.plan.id == payload.plan.id
    assert result.fits[0] is not None

"""Results from workers: arrays in a file that is removed once read."""

import io
import pickle
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from bestofk.data import from_arrays
from bestofk.evaluation.identity import requirements
from bestofk.evaluation.identity.packages import describe_environment
from bestofk.evaluation.identity.requirements import WorkerRefusedError
from bestofk.evaluation.queue import worker
from bestofk.learners.learner import Learner
from bestofk.resampling import make_plan

DATA = from_arrays(np.arange(80.0).reshape(40, 2) % 7, np.arange(40) % 2)
PLAN = make_plan(DATA, "2x2")
LEARNERS = (Learner("nb", GaussianNB()),)
JOBS = tuple(worker.Job(0, repeat, fold, 5) for repeat in (0, 1) for fold in (0, 1))


@pytest.fixture
def blob():
    """The bytes of a payload with one learner."""
    file = io.BytesIO()
    worker.write_payload(worker.Payload(DATA, PLAN, LEARNERS, batched="always"), file)
    return file.getvalue()


def expected():
    payload = worker.Payload(DATA, PLAN, LEARNERS)
    return [payload.run(job) for job in JOBS]


@pytest.mark.parametrize("is_guarded", [False, True])
@pytest.mark.parametrize("is_file", [False, True])
def test_a_worker_does_what_this_process_would(blob, tmp_path, is_file, is_guarded):
    (tmp_path / "payload").write_bytes(blob)
    ref = worker.BlobFile("digest of it", str(tmp_path / "payload")) if is_file else blob
    result = worker.do_block(ref, (1, worker.Block(JOBS, is_guarded)))
    for record, other in zip(result.answer, expected(), strict=True):
        np.testing.assert_array_equal(
            record.predictions.probabilities, other.predictions.probabilities
        )
        assert (record.status, record.message) == ("ok", other.message)
    assert result.seconds > 0
    assert result.environment == describe_environment()


def test_a_block_of_whole_repeats_comes_back_as_predictions(blob):
    seeds = np.zeros((2, 2), dtype=np.int64)
    result = worker.do_block(blob, (1, worker.Block(worker.BatchedJob(0, (0, 1), seeds), False)))
    labels = np.concatenate([record.predictions.labels for record in expected()])
    np.testing.assert_array_equal(result.answer.predictions.labels.ravel(), labels)


def test_a_payload_that_is_not_there_is_asked_for_and_another_version_refused(
    tmp_path, blob, monkeypatch
):
    missing = worker.BlobFile("digest of none", str(tmp_path / "nothing"))
    with pytest.raises(worker.BlobMissingError):
        worker.do_block(missing, (1, worker.Block(JOBS, is_guarded=False)))
    monkeypatch.setattr(requirements, "version_of_package", lambda name: f"0.1 of {name}")
    with pytest.raises(WorkerRefusedError, match=r"of a worker must be .*; got 0\.1 of .* on "):
        worker.read_payload(io.BytesIO(blob))


def test_a_payload_is_written_when_its_path_is_asked_for_and_deleted_at_the_end():
    payload = worker.Payload(DATA, PLAN, LEARNERS)
    with closing(worker.PayloadFile(payload)) as file:
        path = Path(file)
        assert Path(file) == path
        assert worker.load_payload(str(path)).data.id == DATA.id
    assert not path.parent.exists()


def test_a_payload_is_sent_without_what_was_made_here():
    payload = worker.Payload(DATA, make_plan(DATA, "500x2"), LEARNERS, batched="always")
    assert payload.fits[0].choice.form is not None
    result = pickle.loads(pickle.dumps(payload))
    assert "fits" not in vars(result)
    assert result.plan.id == payload.plan.id
    assert result.fits[0] is not None

"""Workers of a Dask cluster: refused ones, those that die with the data, and none at all."""

import os
import signal
from contextlib import ExitStack

import numpy as np
import pytest
import scipy
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from tests.engines import digest

from bestofk import compare
from bestofk.evaluation import Observer
from bestofk.evaluation.identity.requirements import WorkerRefusedError

pytestmark = pytest.mark.slow

distributed = pytest.importorskip("distributed")

LEARNERS = {"svm": make_pipeline(StandardScaler(), SVC()), "poly": SVC(kernel="poly")}
PLAN = {"cv": "4x5", "random_state": 3}


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Hand out everything but the first run of a learner."""
    monkeypatch.setattr("bestofk.evaluation.queue.run_queue._PARALLEL_SECONDS", 0.0)
    monkeypatch.setattr("bestofk.evaluation.queue.runner._TIMED_ALONE", 1)


@pytest.fixture(scope="module")
def expected():
    return digest(compare(LEARNERS, "iris", **PLAN).evaluation)


@pytest.fixture
def cluster():
    """Return a function that starts a cluster of so many workers, with a client."""
    with ExitStack() as at_end:

        def start(n_workers):
            started = at_end.enter_context(distributed.LocalCluster(
                n_workers=n_workers, threads_per_worker=1, dashboard_address=":0"
            ))  # fmt: skip
            return started, at_end.enter_context(distributed.Client(started))

        yield start


def test_a_worker_with_another_version_is_refused(cluster, tmp_path):
    _, client = cluster(1)
    installed = tmp_path / "scipy-0.0.1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: scipy\nVersion: 0.0.1\n")
    folder = str(tmp_path)

    def put_first():  # sent as it is: workers cannot import this file
        import sys

        sys.path.insert(0, folder)

    client.run(put_first)
    with pytest.raises(WorkerRefusedError) as refusal:
        compare(LEARNERS, "iris", engine=client, **PLAN)
    assert str(refusal.value) == (
        f"scipy of a worker must be {scipy.__version__}; got 0.0.1 on {os.uname().nodename}. "
        "Install the same versions and files for all workers."
    )


class AfterFirst(Observer):
    """Does something once, when the first run of an engine is there."""

    def __init__(self, do):
        self._do, self._n_done = do, 0

    def finished(self, learner_index, records, store):
        self._n_done += len(records)
        if self._n_done > len(LEARNERS) and self._do is not None:
            do, self._do = self._do, None
            do()


def test_data_that_died_with_all_their_workers_are_made_again(cluster, expected):
    _, client = cluster(2)
    killed = []

    def kill():
        held = client.who_has()
        data = [key for key in held if str(key).startswith("bestofk-data")]
        holders = {address for key in data for address in held[key]}
        pids = client.run(os.getpid)
        for address in holders:
            os.kill(pids[address], signal.SIGKILL)
        killed.extend(holders)

    result = compare(LEARNERS, "iris", engine=client, progress=AfterFirst(kill), **PLAN)
    assert killed
    assert digest(result.evaluation) == expected
    assert (result.evaluation.status == "ok").all()


class Says(Observer):
    """Keeps what is said of waiting, and does something then."""

    def __init__(self, do):
        self._do, self.texts = do, []

    def waiting(self, text):
        self.texts.append(text)
        self._do()


def test_without_workers_the_call_waits_until_one_joins(cluster, expected):
    started, client = cluster(0)
    says = Says(lambda: started.scale(1))
    result = compare(LEARNERS, "iris", engine=client, progress=says, **PLAN)
    assert says.texts == [
        "The engine has no workers, so runs wait until some join. Ctrl-C ends the call; what is "
        "finished is kept."
    ]
    assert digest(result.evaluation) == expected


def test_an_interruption_without_workers_can_be_resumed(cluster, expected, tmp_path):
    _, client = cluster(0)
    says = Says(lambda: os.kill(os.getpid(), signal.SIGINT))
    store = tmp_path / "runs.db"
    cut = compare(LEARNERS, "iris", engine=client, progress=says, store=store, **PLAN).evaluation
    assert cut.is_interrupted
    assert cut.n_fitted == 2  # those that were timed alone
    whole = compare(LEARNERS, "iris", store=store, **PLAN).evaluation
    assert whole.n_reused == 2
    assert digest(whole) == expected


def test_data_go_to_every_worker_once(cluster):
    _, client = cluster(2)
    X = np.random.default_rng(0).random((2000, 500))  # 8 MB
    compare({"svm": SVC(max_iter=1)}, X, np.arange(2000) % 2, engine=client, cv="6x2")

    def large(dask_worker):
        return [
            size for entry in dask_worker.transfer_incoming_log
            for size in entry["keys"].values() if size > 1e6
        ]  # fmt: skip

    came = client.run(large)
    assert len(came) == 2
    assert all(len(sizes) <= 1 for sizes in came.values())
    # one of the two made them, and the other got them from there
    assert sum(map(len, came.values())) <= 1

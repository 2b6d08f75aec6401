"""Descriptors, threads and processes that a learner leaves behind, and the learners after it."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import psutil
import pytest
from sklearn.dummy import DummyClassifier

from bestofk import compare

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs limits and files of Linux")
N_DESCRIPTORS = 10_000


class Leaving(DummyClassifier):
    """Leaves something behind in every fit."""

    def __init__(self, kind="nothing", folder=""):
        super().__init__()
        self.kind, self.folder = kind, folder

    def fit(self, X, y, sample_weight=None):
        import resource

        if self.kind == "descriptors":
            _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
            for _ in range(N_DESCRIPTORS):
                os.open(os.devnull, os.O_RDONLY)
        elif self.kind == "all descriptors":
            while True:
                os.open(os.devnull, os.O_RDONLY)
        elif self.kind == "threads":
            for _ in range(20):
                threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        elif self.kind == "process" and not os.fork():
            os.setsid()
            Path(self.folder, str(os.getpid())).touch()
            time.sleep(600)
            os._exit(0)
        return super().fit(X, y)


class Next(DummyClassifier):
    """Fails where something was left behind in its process."""

    def fit(self, X, y, sample_weight=None):
        n_open, n_threads = len(os.listdir("/proc/self/fd")), threading.active_count()
        if n_open > 100 or n_threads > 2:
            raise RuntimeError(f"{n_open} descriptors, {n_threads} threads")
        subprocess.run(["true"], check=True)
        return super().fit(X, y)


@pytest.mark.slow
@pytest.mark.parametrize("way", [{}, {"timeout": 60}, {"n_jobs": 2}])
def test_the_next_learner_is_not_touched(way, tmp_path, capfd, monkeypatch):
    import resource

    monkeypatch.setattr("bestofk.evaluation.queue.run_queue._PARALLEL_SECONDS", 0.0)
    kinds = ["descriptors", "all descriptors", "threads", "process"]
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limits[1] < 1.5 * N_DESCRIPTORS:
        pytest.skip("needs a higher limit of open files")
    learners = {kind: Leaving(kind, str(tmp_path)) for kind in kinds} | {"next": Next()}
    evaluation = compare(learners, "iris", cv="2x2", **way).evaluation
    status = dict(zip(learners, evaluation.status.tolist(), strict=True))
    assert status.pop("all descriptors") == ["error"] * 4
    assert status == dict.fromkeys(status, ["ok"] * 4)
    messages = {record.message for record in evaluation.records[kinds.index("all descriptors")]}
    assert messages == {"fit raised OSError: [Errno 24] Too many open files: '/dev/null'"}
    assert capfd.readouterr().err == ""
    started = [int(path.name) for path in tmp_path.iterdir()]
    assert len(started) == 4
    end = time.monotonic() + 10
    while any(map(psutil.pid_exists, started)):
        assert time.monotonic() < end
        time.sleep(0.01)
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == limits


HERE = """
import resource, sys, os
from sklearn.dummy import DummyClassifier
from bestofk import compare

class Here(DummyClassifier):
    def __reduce__(self):
        raise TypeError("is run in this process")

class Taking(Here):
    def fit(self, X, y, sample_weight=None):
        while True:
            os.open(os.devnull, os.O_RDONLY)

class Next(Here):
    def fit(self, X, y, sample_weight=None):
        for file in [os.open(os.devnull, os.O_RDONLY) for _ in range(100)]:
            os.close(file)
        return super().fit(X, y)

resource.setrlimit(resource.RLIMIT_NOFILE, (300, int(sys.argv[1])))
result = compare({"taking": Taking(), "next": Next()}, "iris", cv="2x2")
for records in result.evaluation.records:
    print({record.message or record.status for record in records})
print(result.text().splitlines()[0])
"""


@pytest.mark.slow
@pytest.mark.parametrize("hard", [4096, 400])
def test_in_this_process_the_limit_moves_as_far_as_the_system_lets(hard):
    """Where it cannot, runs are recorded with a plain message, and the call ends as usual."""
    done = subprocess.run(
        [sys.executable, "-c", HERE, str(hard)],
        capture_output=True, text=True, timeout=300, check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    taking, after, answer = done.stdout.splitlines()
    full = "fit raised OSError: [Errno 24] Too many open files: '/dev/null'"
    assert taking == str({full})
    if hard > 1000:
        assert after == "{'ok'}"
        assert answer.startswith("Use next")


def test_the_limit_is_put_back_after_a_run(monkeypatch):
    import resource

    class Lowering(DummyClassifier):
        def fit(self, X, y, sample_weight=None):
            resource.setrlimit(resource.RLIMIT_NOFILE, (50, before[1]))
            return super().fit(X, y)

        def __reduce__(self):
            raise TypeError("is run in this process")

    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    result = compare({"lowering": Lowering(), "majority": "majority"}, "iris", cv="2")
    assert np.unique(result.evaluation.status).tolist() == ["ok"]
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == before

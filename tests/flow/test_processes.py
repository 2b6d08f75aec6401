"""Processes that learners and comparisons start: none mixes up results or outlives its owner."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from bestofk import Store, compare

pytestmark = pytest.mark.slow

FORKING = '''
import os, sys
import numpy as np
from sklearn.dummy import DummyClassifier

class Forking(DummyClassifier):
    """Forks while it is fitted; what the forked process does is given."""

    def __init__(self, child="return", strategy="prior"):
        super().__init__(strategy=strategy)
        self.child = child

    def fit(self, X, y, sample_weight=None):
        if os.fork() == 0:
            if self.child == "exit":
                sys.exit(0)
            if self.child == "raise":
                raise ValueError("in the forked process")
        return super().fit(X, y)
'''
FORKED_RUNS = """
import json, sys
import bestofk.evaluation.queue.run_queue as run_queue
from bestofk import compare
from forking import Forking

run_queue._PARALLEL_SECONDS = 0.0
for options in json.loads(sys.argv[1]):
    learners = {"forking": Forking(options.pop("child")), "nearest-mean": "nearest-mean"}
    frame = compare(learners, "iris", cv="2x5", batched="never", **options).to_frame()
    frame = frame[frame.measure == "error"]
    forking, other = frame.learner == "forking", frame.learner == "nearest-mean"
    found = [set(frame[forking].status), set(frame[forking].message), frame[other].value.mean()]
    print(*found, sep=" | ", flush=True)
"""
TWICE = (
    "fit and predict must return once; got a second return, from a forked process, which was "
    "ended. End forked processes with os._exit."
)


@pytest.fixture
def script(tmp_path):
    """Return what runs a source in a Python of its own that finds `forking`."""
    (tmp_path / "forking.py").write_text(FORKING)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}

    def run(source, *arguments):
        command = [sys.executable, "-c", source, *arguments]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run


def test_a_fit_that_returns_twice_is_a_failed_run_and_changes_no_other(script):
    frame = compare(["nearest-mean"], "iris", cv="2x5", batched="never").to_frame()
    alone = frame[frame.measure == "error"].value.mean()
    ways = [{}, {"timeout": 60}, {"n_jobs": 2}]
    lines = script(FORKED_RUNS, json.dumps([way | {"child": "return"} for way in ways]))
    # no line more: no second process went on
    assert lines == [f"{{'error'}} | {{'{TWICE}'}} | {alone}"] * 3


def test_a_forked_process_that_raises_is_ended_and_one_that_exits_costs_nothing(script):
    raising, exiting = script(FORKED_RUNS, json.dumps([{"child": "raise"}, {"child": "exit"}]))
    assert raising.startswith(f"{{'error'}} | {{'{TWICE}'}}")
    assert exiting.startswith("{'ok'}")


WAITING = '''
import os, pathlib, sys, time
from sklearn.dummy import DummyClassifier

class Waiting(DummyClassifier):
    """Is fitted some times; every fit after those waits."""

    def __init__(self, folder=".", n_fits=1, strategy="prior"):
        super().__init__(strategy=strategy)
        self.folder = folder
        self.n_fits = n_fits

    def fit(self, X, y, sample_weight=None):
        folder = pathlib.Path(self.folder)
        (folder / f"fit-{time.monotonic_ns()}-{os.getpid()}").touch()
        if len(list(folder.glob("fit-*"))) > self.n_fits:
            (folder / f"waits-{os.getpid()}").touch()
            time.sleep(600)
        return super().fit(X, y)
'''

WORKERS_WAIT = """
import sys
import bestofk.evaluation.queue.run_queue as run_queue
from bestofk import compare
from waiting import Waiting

run_queue._PARALLEL_SECONDS = 0.0
compare(
    [("waiting", Waiting(sys.argv[1])), "majority"], "iris", cv="2x5", batched="never", n_jobs=2,
    timeout=500, store=sys.argv[1] + "/runs.db",
)
print("went on")
"""


def parents():
    """Return the parent of every process of this machine that has not ended."""
    results = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            if state != "Z":
                results[int(stat.parent.name)] = int(parent)
    return results


def descendants(process):
    results, new = set(), {process}
    while new:
        results |= new
        new = {key for key, parent in parents().items() if parent in results} - results
    return results - {process}


def wait_until(is_so, seconds=300):
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)


@pytest.fixture
def started(tmp_path):
    """Return what starts a command that finds `waiting`, and waits until some fits wait."""
    (tmp_path / "waiting.py").write_text(WAITING)
    (tmp_path / "temporary").mkdir()
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]),
        "TMPDIR": str(tmp_path / "temporary"),
    }
    processes = []

    def start(*arguments, n_waiting):
        process = subprocess.Popen(
            [sys.executable, *arguments],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        wait_until(
            lambda: process.poll() is not None or len(list(tmp_path.glob("waits-*"))) == n_waiting
        )
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs the processes of Linux")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_with_the_main_process_and_finished_runs_are_kept(started, tmp_path, number):
    process = started("-c", WORKERS_WAIT, str(tmp_path), n_waiting=2)
    workers = descendants(process.pid)
    assert {int(path.name.split("-")[1]) for path in tmp_path.glob("waits-*")} < workers
    time.sleep(1)  # a finished run is durable within a second
    process.send_signal(number)
    out, err = process.communicate(timeout=300)
    # they look for their parent twice a second; what they wait for takes ten minutes
    wait_until(lambda: not workers & parents().keys())
    assert (out, "Traceback" in err) == ("", False)
    assert process.returncode == (143 if number == signal.SIGTERM else -signal.SIGKILL)
    wait_until(lambda: not list((tmp_path / "temporary").glob("bestofk-*")))
    with Store(tmp_path / "runs.db") as store:
        assert store.n_runs() >= 2


def test_sigterm_ends_a_command_with_the_verdict_and_the_line_that_resumes(started, tmp_path):
    own = tmp_path / "own.py"
    own.write_text(f"from waiting import Waiting\nwaiting = Waiting({str(tmp_path)!r}, n_fits=4)\n")
    process = started(
        *("-m", "bestofk", "compare", "iris", "--cv", "20x2", "--n-jobs", "1", "--json"),
        *("--batched", "never", "--store", str(tmp_path / "runs.db")),
        *("--learners", f"{own}:waiting,majority"),
        n_waiting=1,
    )
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGTERM)  # as `timeout` does, to the process and to its group
    out, err = process.communicate(timeout=300)
    assert process.returncode == 143, err
    result = json.loads(out)
    assert result["best"] is not None
    assert result["runs"]["unfinished"] > 0
    assert err.splitlines()[-1].startswith("To go on, run: bestofk compare iris ")
    assert "Traceback" not in err

"""Processes that learners and comparisons start: none mixes up results or outlives its owner."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from bestofk import compare

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
import bestofk.evaluate.runner as runner
from bestofk import compare
from forking import Forking

runner._PARALLEL_SECONDS = 0.0
for options in json.loads(sys.argv[1]):
    learners = {"forking": Forking(options.pop("child")), "nearest-mean": "nearest-mean"}
    frame = compare(learners, "iris", cv="2x5", joint="never", **options).frame
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
            command, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run


def test_a_fit_that_returns_twice_is_a_failed_run_and_changes_no_other(script):
    frame = compare(["nearest-mean"], "iris", cv="2x5", joint="never").frame
    alone = frame[frame.measure == "error"].value.mean()
    ways = [{}, {"timeout": 60}, {"n_jobs": 2}]
    lines = script(FORKED_RUNS, json.dumps([way | {"child": "return"} for way in ways]))
    # no line more: no second process went on
    assert lines == [f"{{'error'}} | {{'{TWICE}'}} | {alone}"] * 3


def test_a_forked_process_that_raises_is_ended_and_one_that_exits_costs_nothing(script):
    raising, exiting = script(FORKED_RUNS, json.dumps([{"child": "raise"}, {"child": "exit"}]))
    assert raising.startswith(f"{{'error'}} | {{'{TWICE}'}}")
    assert exiting.startswith("{'ok'} | {''}")

"""A comparison is killed at random moments and started again: nothing is lost or done twice."""

import json
import multiprocessing
import os
import random
import runpy
import sqlite3
import sys
import time

import pytest

# Reports every run that is safe by then, on a line of its own.
SCRIPT = """
import json, sys, time
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier
from bestofk import compare, load_data
from bestofk.evaluation import Observer

class Slow(ClassifierMixin, BaseEstimator):
    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        time.sleep(0.01)
        self.tree_ = DecisionTreeClassifier(max_features=1, random_state=self.random_state)
        self.tree_.fit(X, y)
        self.classes_ = self.tree_.classes_
        return self

    def predict(self, X):
        return self.tree_.predict(X)

    def predict_proba(self, X):
        return self.tree_.predict_proba(X)

class Reporter(Observer):
    def start(self, request, store, *, n_reused, snapshot):
        print("reused", sum(n_reused), flush=True)

    def finished(self, learner, records, store):
        print("safe", store.n_written, flush=True)

store, out, repeats, *names = sys.argv[1:]
own = {"slow": Slow(), "tree": DecisionTreeClassifier()}
result = compare(
    [(name, own[name]) if name in own else name for name in names], load_data("iris"),
    cv=f"{repeats}x5", store=store, progress=Reporter(),
)
frame = result.to_frame().drop(
    columns=["train_seconds", "predict_seconds", "peak_bytes", "is_crowded",
        "train_cpu_seconds", "predict_cpu_seconds", "is_isolated"]
)
frame.to_csv(out + ".csv", index=False)
found = json.loads(result.to_json())
runs = found.pop("runs")
print("fitted", runs["fitted"], flush=True)
for one in found["learners"]:
    one.pop("fit_seconds"), one.pop("predict_seconds"), one.pop("peak_memory_bytes")
found.pop("cheapest_by_fit_seconds")
with open(out + ".json", "w") as file:
    json.dump(found, file, indent=1)
"""


# Processes are forked from one that has imported all of this, which takes longer than the runs.
FORKED = multiprocessing.get_context("forkserver")
IMPORTED = [
    "bestofk.comparison.entry_point",
    "bestofk.comparison.run_scores",
    "pandas",
    "sklearn.tree",
]
QUICK = ("slow", "tree", "nearest-mean")


class Started:
    """A process that runs the script, and what it prints."""

    def __init__(self, *arguments):
        reader, writer = FORKED.Pipe(duplex=False)
        self._process = FORKED.Process(target=run_script, args=(writer, arguments))
        self._process.start()
        writer.close()
        self.stdout = os.fdopen(os.dup(reader.fileno()))
        reader.close()

    def kill(self):
        self._process.kill()

    def rest(self):
        """Return what it prints until it ends."""
        with self.stdout:
            text = self.stdout.read()
        self._process.join(60)
        assert not self._process.is_alive()
        return text


def run_script(writer, arguments):
    os.dup2(writer.fileno(), 1)
    writer.close()
    sys.argv = list(arguments)
    runpy.run_path(arguments[0], run_name="__main__")


@pytest.fixture
def start(tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    FORKED.set_forkserver_preload(IMPORTED)
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)

    def begin(store, out, repeats, learners=QUICK):
        return Started(str(script), str(store), str(tmp_path / out), str(repeats), *learners)

    return begin


def results(folder, out):
    return (folder / f"{out}.csv").read_bytes(), (folder / f"{out}.json").read_bytes()


def n_stored(store):
    connection = sqlite3.connect(store)
    try:
        # without the run that measures what a batched learner costs: it has a key of its own
        query = """SELECT count(*) FROM run JOIN comparison_learner k ON k.learner = run.learner"""
        return connection.execute(query).fetchone()[0]
    finally:
        connection.close()


def number_after(word, line):
    assert line.split()[:1] == [word], line
    return int(line.split()[1])


def check_kills(start, folder, *, n_kills, repeats, seed, learners=QUICK):
    n_all = repeats * 5 * 3
    whole = start(folder / "whole.db", "whole", repeats, learners)
    assert f"fitted {n_all}\n" in whole.rest()
    rng = random.Random(seed)
    store, done = folder / "killed.db", 0
    for _ in range(n_kills):
        process = start(store, "killed", repeats, learners)
        reused = number_after("reused", process.stdout.readline())
        assert reused >= done, "a run that was stored is missing"
        # kills fall anywhere between the first run, which may take long, and the end
        first = process.stdout.readline().rstrip("\n")
        time.sleep(rng.uniform(0, 2 * (n_all - reused) * 0.006))
        process.kill()
        # the last line may be cut by the kill
        lines = [first, *process.rest().split("\n")[:-1]]
        safe = [number_after("safe", line) for line in lines if line.startswith("safe")]
        done = n_stored(store)
        assert done >= reused + max(safe, default=0), "a run that was reported is missing"
    last = start(store, "killed", repeats, learners)
    lines = last.rest().splitlines()
    assert number_after("reused", lines[0]) == done
    assert number_after("fitted", lines[-1]) == n_all - done
    assert n_stored(store) == n_all
    assert results(folder, "killed") == results(folder, "whole")
    return done


@pytest.mark.parametrize(
    "learners",
    [QUICK, pytest.param(("forest", "extra-forest", "tree"), marks=pytest.mark.slow)],
)
def test_killed_at_random_moments_it_ends_with_the_same_bytes(start, tmp_path, learners):
    done = check_kills(start, tmp_path, n_kills=3, repeats=8, seed=4, learners=learners)
    assert done > 0


@pytest.mark.slow
def test_killed_twenty_times_it_ends_with_the_same_bytes(start, tmp_path):
    assert check_kills(start, tmp_path, n_kills=20, repeats=60, seed=1) > 0


@pytest.mark.slow
def test_two_processes_on_one_store_lose_nothing(start, tmp_path):
    store = tmp_path / "shared.db"
    processes = [start(store, f"out{i}", 8) for i in range(2)]
    outputs = [process.rest() for process in processes]
    assert all("fitted" in output for output in outputs)
    assert n_stored(store) == 8 * 5 * 3
    first, second = results(tmp_path, "out0"), results(tmp_path, "out1")
    assert first == second
    assert json.loads(first[1])["best"] is not None
    again = start(store, "out2", 8).rest()
    assert "fitted 0\n" in again
    assert results(tmp_path, "out2") == first

"""Engines: what it costs to hand out runs, and how often data are sent.

Overhead: short runs, each of which burns a millisecond of CPU in its learner, through every
engine with two worker processes.  The learner is taken for one of the catalogue, so that no
guarded process counts; the side "guarded" is that of learners from outside.  Figures are CPU
seconds of this process and of all that it started, sides in turn; what a first call takes for
the start of workers is printed apart.  A million runs are estimated from it.

Payload: a data set of 100 MB, and what workers get of it: on local processes the bytes that
each of them reads, on Dask the transfers between workers and the tasks that make the data.

    OMP_NUM_THREADS=1 python benchmarks/engines.py [--rounds 5] [--runs 10000] [--only SIDE ...]
"""

from __future__ import annotations

import argparse
import platform
import statistics
import tempfile
import time
import warnings
from contextlib import ExitStack, closing
from pathlib import Path
from unittest.mock import patch

import joblib
import numpy as np
import psutil
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin

import bestofk
from bestofk.data import from_arrays
from bestofk.evaluation import EvaluationRequest, Store, evaluate
from bestofk.learners import resolve_learners
from bestofk.resampling import make_plan

try:
    import distributed
except ImportError:
    distributed = None

BOUNDS = {"processes": "at most 1.03", "dask": "at most 1.10"}
MEGABYTES = 100


class Burning(ClassifierMixin, BaseEstimator):
    """Burns CPU seconds while it is fitted, and predicts the first class."""

    def __init__(self, seconds=0.001):
        self.seconds = seconds

    def fit(self, X, y):
        """Burn the time."""
        end = time.thread_time() + self.seconds
        while time.thread_time() < end:
            pass
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        """Return the first class."""
        return np.repeat(self.classes_[0], len(X))


def request_of(data, n_runs, seconds, **options):
    """Return a request for runs of one learner in two folds."""
    learners = resolve_learners({"burning": Burning(seconds)}, data.task)
    plan = make_plan(data, f"{n_runs // 2}x2")
    return EvaluationRequest(data, plan, learners, batched="never", **options)


def used_seconds():
    """Return the CPU seconds of this process and of all processes that it started."""
    this, total = psutil.Process(), 0.0
    for process in (this, *this.children(recursive=True)):
        times = process.cpu_times()
        total += times.user + times.system
    times = this.cpu_times()  # those that have ended
    return total + times.children_user + times.children_system


def evaluated(request, *, is_outside=False):
    """Evaluate into a new store on disk; return CPU and clock seconds and bytes of the store."""
    name = "bestofk.evaluation.queue.runner.is_from_outside"
    with (
        tempfile.TemporaryDirectory() as folder,
        Store(Path(folder) / "runs.db") as store,
        patch(name, lambda _: is_outside),
    ):
        clock, start = time.perf_counter(), used_seconds()
        evaluation = evaluate(request, store)
        seconds, clock = used_seconds() - start, time.perf_counter() - clock
        assert evaluation.n_fitted == len(request.plan)
        assert not evaluation.records[0].has_failed.any()
        return seconds, clock, store.size_bytes()


def small_data():
    """Return data whose handling takes little of a run."""
    return from_arrays(np.random.default_rng(0).random((100, 4)), np.arange(100) % 2)


def show_starts(sides, data):
    """Print what the first call of each side takes in addition to the second."""
    for name, options in sides.items():
        with patch("bestofk.evaluation.queue.run_queue._PARALLEL_SECONDS", 0.0):
            first, second = (
                evaluated(request_of(data, 2000, 0.001, **options["request"]), **options["call"])[0]
                for _ in range(2)
            )
        print(f"start of {name:10s} {first - second:6.2f} CPU seconds, once per process")


def show_overhead(sides, data, n_runs, rounds):
    """Print the CPU seconds of every side, and its ratio to the first one."""
    requests = {
        name: request_of(data, n_runs, 0.001, **options["request"])
        for name, options in sides.items()
    }
    results = {name: [] for name in sides}
    for _ in range(rounds):
        for name, request in requests.items():
            results[name].append(evaluated(request, **sides[name]["call"]))
    base = [seconds for seconds, *_ in results["serial"]]
    print(f"{n_runs} runs of 1 ms, median of {rounds} rounds in turn; "
          "a million of them by these figures")  # fmt: skip
    for name, rows in results.items():
        seconds, clock, size = (statistics.median(column) for column in zip(*rows, strict=True))
        ratio = statistics.median(row[0] / of_base for row, of_base in zip(rows, base, strict=True))
        million = 1e6 / n_runs
        print(f"{name:10s} {seconds:8.2f} CPU s  {1e3 * seconds / n_runs:6.3f} ms a run  "
              f"{clock:7.1f} s by the clock  {ratio:6.3f} of serial  {BOUNDS.get(name, ''):12s}  "
              f"10^6: {seconds * million:6.0f} CPU s, {clock * million:6.0f} s, "
              f"{size * million / 1e6:6.0f} MB")  # fmt: skip


def large_request(**options):
    """Return a request for runs on data of 100 MB."""
    n_rows = MEGABYTES * 1_000_000 // 8 // 1000
    X = np.random.default_rng(0).random((n_rows, 1000))
    return request_of(from_arrays(X, np.arange(n_rows) % 2), 100, 0.05, **options)


def large_messages(dask_worker):
    """Return how often a worker got the data: from the scheduler to make them, from others."""
    # in the log of a worker: (key of the task, "compute-task", ...) for what it was sent to do
    to_make = [
        entry for entry in dask_worker.state.log
        if str(entry[0]).startswith("bestofk-data") and entry[1] == "compute-task"
    ]  # fmt: skip
    from_others = [
        size for entry in dask_worker.transfer_incoming_log
        for size in entry["keys"].values() if size > 1e6
    ]  # fmt: skip
    return len(to_make), len(from_others), sum(from_others)


def show_dask_payload(client):
    """Print how often Dask's workers were sent the data while runs on large data are done."""
    before = client.run(large_messages)
    evaluated(large_request(engine=client))
    for address, counts in client.run(large_messages).items():
        made, got, n_bytes = (now - then for now, then in zip(counts, before[address], strict=True))
        print(f"data of {MEGABYTES} MB on Dask: {address} got them {made} times from the scheduler "
              f"and {got} times from other workers ({n_bytes / 1e6:.1f} MB) for 100 runs: "
              f"{made + got}, at most 1")  # fmt: skip


def main():
    """Measure in turn and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=10_000)
    names = ["serial", "processes", "dask", "guarded"]
    parser.add_argument("--only", nargs="*", default=names[1:], choices=names[1:])
    parser.add_argument("--payload", action=argparse.BooleanOptionalAction, default=True)
    given = parser.parse_args()
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        sides = {name: {"request": {}, "call": {}} for name in ("serial", *given.only)}
        if "processes" in sides:
            sides["processes"]["request"] = {"engine": "processes", "n_jobs": 2}
        if "guarded" in sides:
            sides["guarded"]["call"] = {"is_outside": True}
        client = None
        if distributed is None:
            print("distributed is not installed: no figures of Dask")
            sides.pop("dask", None)
        elif "dask" in sides:
            cluster = stack.enter_context(distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, dashboard_address=None,
            ))  # fmt: skip
            client = stack.enter_context(closing(distributed.Client(cluster)))
            sides["dask"]["request"] = {"engine": client}
        version = "none" if distributed is None else distributed.__version__
        print(f"bestofk {bestofk.__version__}, scikit-learn {sklearn.__version__}, "
              f"numpy {np.__version__}, joblib {joblib.__version__}, distributed {version}, "
              f"python {platform.python_version()}, {platform.machine()}")  # fmt: skip
        data = small_data()
        show_starts(sides, data)
        show_overhead(sides, data, given.runs, given.rounds)
        if given.payload and client is not None:
            show_dask_payload(client)


if __name__ == "__main__":
    main()

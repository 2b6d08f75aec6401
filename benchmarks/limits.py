"""Limits of memory and guarded processes: what they hold, and what they cost.

Memory: learners under a limit of 1 GB, in one block with a learner that needs little.  Printed
are the status, the seconds from the end of the run before, the memory that the process and what
it started held at most (looked at every 5 ms from outside, above what it held before), and by
how much that is above the limit.

Costs: the start of a guarded process in the first call and in later ones; a block of short runs
in the guarded process and in this one, in turn; and the CPU time of measuring a peak.

    OMP_NUM_THREADS=1 python benchmarks/limits.py [--rounds 5] [--gigabytes 2.4]
"""

from __future__ import annotations

import argparse
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing, contextmanager
from pathlib import Path

import joblib
import numpy as np
import psutil
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

import bestofk
from bestofk.data import from_arrays
from bestofk.evaluation.guarded.guard import GuardedProcess
from bestofk.evaluation.guarded.limits import Limits
from bestofk.evaluation.guarded.process_tree import exact_memory_of
from bestofk.evaluation.guarded.resources import measured_peak
from bestofk.evaluation.queue.worker import Job, Payload, PayloadFile
from bestofk.learners import Learner
from bestofk.resampling import make_plan

LIMIT = 1_000_000_000
N_RUNS = 1000


class Taking(ClassifierMixin, BaseEstimator):
    """Takes memory in one way while it is fitted, and predicts the first class."""

    def __init__(self, how="", n_bytes=0, file=""):
        self.how, self.n_bytes, self.file = how, n_bytes, file

    def fit(self, X, y):
        """Take memory."""
        self.classes_ = np.unique(y)
        getattr(self, self.how)()
        return self

    def predict(self, X):
        """Return the first class."""
        return np.repeat(self.classes_[0], len(X))

    def at_once(self):
        """Ask for all of it."""
        np.ones(self.n_bytes, dtype=np.uint8)

    def in_pieces(self):
        """Ask for it in pieces of 10 kB, as fast as can be."""
        self.kept = [b"1" * 10_000 for _ in range(self.n_bytes // 10_000)]

    def slowly(self):
        """Ask for 10 MB every 20 ms."""
        self.kept = []
        for _ in range(self.n_bytes // 10_000_000):
            self.kept.append(np.ones(10_000_000, dtype=np.uint8))
            time.sleep(0.02)

    def in_other_processes(self):
        """Start four processes that take a quarter each."""
        source = f"x = b'1' * {self.n_bytes // 4}; import time; time.sleep(5)"
        started = [subprocess.Popen([sys.executable, "-c", source]) for _ in range(4)]
        for process in started:
            process.wait()

    def in_workers_of_joblib(self):
        """Have four workers take a quarter each."""
        held = joblib.delayed(hold)
        with joblib.parallel_config("loky", n_jobs=4):
            joblib.Parallel()(held(self.n_bytes // 4) for _ in range(4))

    def from_a_mapped_file(self):
        """Read a mapped file."""
        mapped = np.memmap(self.file, mode="r")
        if int(mapped.sum(dtype=np.int64)) != self.n_bytes:
            raise ValueError("the file was read wrongly")


def hold(n_bytes):
    """Hold memory for some seconds, in a worker."""
    held = np.ones(n_bytes, dtype=np.uint8)
    time.sleep(5)
    return held[0]


WAYS = ("at_once", "in_pieces", "slowly", "in_other_processes", "in_workers_of_joblib")


def payload_of(*estimators):
    """Return learners with data and a plan that make runs of about a millisecond."""
    rng = np.random.default_rng(0)
    data = from_arrays(rng.random((200, 4)), np.arange(200) % 2)
    runnable = (Learner(str(i), item) for i, item in enumerate(estimators))
    return Payload(data, make_plan(data, "500x2"), tuple(runnable))


@contextmanager
def watched(leader):
    """Give a list that gets the memory of a process with all that it started, every 5 ms."""
    seen, is_over = [0], threading.Event()

    def watch():
        before = exact_memory_of(leader)
        while not is_over.wait(0.005):
            seen.append(exact_memory_of(leader) - before)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        is_over.set()
        thread.join()


def show_memory(n_bytes):
    """Run each learner between two runs of another one, and print what became of it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mapped"
        with file.open("wb") as out:
            for _ in range(n_bytes // 100_000_000):
                out.write(np.ones(100_000_000, dtype=np.uint8).data)
        for how in (*WAYS, "from_a_mapped_file"):
            payload = payload_of(GaussianNB(), Taking(how, n_bytes, str(file)))
            show_way(how, payload)


def show_way(how, payload):
    """Print status, seconds and memory of one run, and whether the others are unharmed."""
    jobs = [Job(index, 1, 0, 1) for index in (0, 1, 0)]  # of which the second has a new process
    limits = Limits(n_bytes=LIMIT)
    with closing(PayloadFile(payload)) as file, closing(GuardedProcess(file, limits)) as guard:
        guard.wait()
        block = guard.run_block(jobs)
        first = next(block)
        with watched(guard._child._process.root) as seen:
            start = time.perf_counter()
            record = next(block)
            seconds = time.perf_counter() - start
        others = [first, *block]
    here = payload.run(jobs[0]).predictions
    are_unharmed = all(
        item.status == "ok" and np.array_equal(item.predictions.probabilities, here.probabilities)
        for item in others
    )
    peak, over = max(seen) / 1e6, max(0, max(seen) - LIMIT) / 1e6
    print(f"{how:22s} {record.status:7s} {seconds:6.2f} s  peak {peak:5.0f} MB  "
          f"{over:4.0f} MB above  others {'unharmed' if are_unharmed else 'harmed'}")  # fmt: skip
    if record.message:
        print(f"    {record.message}")


def show_starts(rounds):
    """Print the seconds until a guarded process is there, first and later."""
    seconds = []
    for _ in range(rounds + 1):
        with closing(PayloadFile(payload_of(GaussianNB()))) as file:
            start = time.perf_counter()
            with closing(GuardedProcess(file)) as guard:
                guard.wait()
                seconds.append(time.perf_counter() - start)
    print(f"start of a guarded process: first call {seconds[0]:.2f} s, later calls "
          f"{statistics.median(seconds[1:]):.3f} s (median of {rounds})")  # fmt: skip


def show_runs(rounds):
    """Print the CPU time of a block of runs here and in the guarded process, with its parent."""
    payload = payload_of(GaussianNB())
    jobs = [Job(0, 1, 0, seed) for seed in range(N_RUNS)]
    here, there, ratios = [], [], []
    with closing(PayloadFile(payload)) as file, closing(GuardedProcess(file)) as guard:
        next(guard.run_block(jobs[:1]))
        child = psutil.Process(guard._child._process._number)
        for _ in range(rounds):
            start = time.process_time()
            for job in jobs:
                payload.run(job)
            here.append(time.process_time() - start)
            start = time.process_time() + sum(child.cpu_times()[:2])
            for record in guard.run_block(jobs):
                assert record.status == "ok"
            there.append(time.process_time() + sum(child.cpu_times()[:2]) - start)
            ratios.append(there[-1] / here[-1])
    each = [1e3 * statistics.median(values) / N_RUNS for values in (here, there)]
    print(f"a run in a block of {N_RUNS}: {each[0]:.3f} ms here, {each[1]:.3f} ms guarded, "
          f"{statistics.median(ratios):.3f} of it")  # fmt: skip


def show_peaks(rounds):
    """Print the CPU time of measuring a peak."""
    micros = []
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(N_RUNS):
            with measured_peak() as peak:
                peak()
        micros.append(1e6 * (time.process_time() - start) / N_RUNS)
    print(f"peak memory of a run: {statistics.median(micros):.1f} us (at most 30)")


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--gigabytes", type=float, default=2.4)
    options = parser.parse_args()
    print(f"bestofk {bestofk.__version__}, scikit-learn {sklearn.__version__}, "
          f"numpy {np.__version__}, joblib {joblib.__version__}, "
          f"python {platform.python_version()}, {platform.machine()}")  # fmt: skip
    print(f"limit {LIMIT / 1e9:g} GB, demand {options.gigabytes:g} GB "
          "(bounds: 0.5 s where it is asked for at once, 100 MB above)")  # fmt: skip
    show_memory(int(options.gigabytes * 10) * 100_000_000)
    show_starts(options.rounds)
    show_runs(options.rounds)
    show_peaks(options.rounds)


if __name__ == "__main__":
    main()

"""Share of a batched run spent on handing out work and collecting its results."""

from __future__ import annotations

import functools
import gc
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

from batched_sides import data_of, lr, scaled
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from bestofk.evaluation import EvaluationRequest, Store, evaluate
from bestofk.evaluation.batched_fit import BatchedFit
from bestofk.evaluation.queue import worker
from bestofk.evaluation.queue.run_queue import RunQueue
from bestofk.learners import resolve_learners
from bestofk.resampling import make_plan

BAR, STRETCH = 0.02, 0.005
WORK = (BatchedFit, "attempt"), (BatchedFit, "records"), (worker.Payload, "run")
STORE = (Store, "add"), (Store, "flush")


class Clock:
    """CPU seconds of some methods, in whatever thread they run; inner calls count once."""

    def __init__(self, methods):
        self.methods, self.seconds = methods, 0.0
        self.lock, self.inside = threading.Lock(), threading.local()

    @property
    def is_running(self):
        """Return whether this thread is in one of the methods."""
        return getattr(self.inside, "now", False)

    def __enter__(self):
        self.kept = [getattr(owner, name) for owner, name in self.methods]
        for (owner, name), method in zip(self.methods, self.kept, strict=True):
            setattr(owner, name, self._timed(method))
        return self

    def __exit__(self, *_):
        for (owner, name), method in zip(self.methods, self.kept, strict=True):
            setattr(owner, name, method)

    def _timed(self, method):
        @functools.wraps(method)
        def timed(*args, **settings):
            if self.is_running:
                return method(*args, **settings)
            self.inside.now, start = True, time.thread_time()
            try:
                return method(*args, **settings)
            finally:
                self.inside.now = False
                with self.lock:
                    self.seconds += time.thread_time() - start

        return timed


class Collector:
    """CPU seconds of the garbage collector while no clock runs.

    It looks at all that was ever imported, some tenth of a second at a time, whenever enough
    objects were made: where that falls is chance, and may be all of what the runner takes.
    """

    def __init__(self, *clocks):
        self.clocks, self.seconds = clocks, 0.0

    def __enter__(self):
        gc.callbacks.append(self._told)
        return self

    def __exit__(self, *_):
        gc.callbacks.remove(self._told)

    def _told(self, phase, _):
        if phase == "start":
            self.start = time.thread_time()
        elif not any(clock.is_running for clock in self.clocks):
            self.seconds += time.thread_time() - self.start


class Shares(NamedTuple):
    """CPU seconds of a run in this process, and whether blocks were handed to others."""

    work: float
    store: float
    collector: float
    rest: float
    is_handed_out: bool


def shares(data, learners, cv, n_jobs):
    """Return CPU seconds of a run: forms and records, the store, the collector, the rest."""
    request = EvaluationRequest(
        data,
        make_plan(data, cv, random_state=0),
        resolve_learners(learners, data.task),
        n_jobs=n_jobs,
    )
    spent, handed_out = [], []
    run, hand_out = RunQueue.run, RunQueue._hand_out

    def timed(self):
        with collector:
            start = time.process_time()
            result = run(self)
            spent.append(time.process_time() - start)
        return result

    def noted(*arguments):
        handed_out.append(True)
        return hand_out(*arguments)

    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "s.db") as store:
        RunQueue.run, RunQueue._hand_out = timed, noted
        try:
            with Clock(WORK) as work, Clock(STORE) as stored:
                collector = Collector(work, stored)
                evaluate(request, store)
        finally:
            RunQueue.run, RunQueue._hand_out = run, hand_out
    counted = work.seconds, stored.seconds, collector.seconds
    return Shares(*counted, spent[0] - sum(counted), bool(handed_out))


def scheduler_overhead(is_quick):
    """Print the runner's time besides forms, records and store, on one core and on two.

    On two cores forms work in other processes, so their seconds are those on one core; what takes
    a few seconds in all is not handed out, and the line says so.
    """
    four = {
        "nb": GaussianNB(), "lda": LinearDiscriminantAnalysis(), "logistic": lr(),
        "5nn": scaled(KNeighborsClassifier(5)),
    }  # fmt: skip
    long = {"logistic": lr()}
    n_few, n_many = (100, 50) if is_quick else (1_000, 3_000)
    shares(data_of("bc"), four, "1x10", 1)
    for title, data, learners, cv in (
        ("four learners, bc", "bc", four, f"{n_few}x10"),
        ("logistic, B", "B", long, f"{n_many}x10"),
    ):
        for n_jobs in (1, 2):
            result = shares(data_of(data), learners, cv, n_jobs)
            if n_jobs == 1:
                alone = result.work
            work = max(result.work, alone)
            share = result.rest / (work + result.store + result.rest)
            mark = "met" if share <= BAR else "MISSED"
            where = "handed out" if result.is_handed_out else "done here"
            print(
                f"scheduler overhead at the default task size, {title}, {cv}, n_jobs={n_jobs}, "
                f"{where}: {share:.1%} ({work:.2f} s forms and records, {result.store:.2f} s "
                f"store; "
                f"{result.collector:.2f} s garbage collector apart), at most {BAR:.0%}, "
                f"stretch {STRETCH:.1%}: {mark}",
                flush=True,
            )

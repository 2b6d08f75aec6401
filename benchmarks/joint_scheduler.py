"""What share of a joint run does handing out work and taking in what comes back take."""

from __future__ import annotations

import functools
import tempfile
import threading
import time
from pathlib import Path

from joint_sides import data_of, lr, scaled
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from bestofk.design import make_plan
from bestofk.evaluate import EvaluationRequest, Store, evaluate, runner, worker
from bestofk.evaluate.joint_way import JointWay
from bestofk.learners import resolve_learners

BAR, STRETCH = 0.02, 0.005
WORK = (JointWay, "attempt"), (JointWay, "records"), (worker.Payload, "run")
STORE = (Store, "add_all"), (Store, "add"), (Store, "flush")


class Clock:
    """CPU seconds of some methods, in whatever thread they run; inner calls count once."""

    def __init__(self, methods):
        self.methods, self.seconds = methods, 0.0
        self.lock, self.inside = threading.Lock(), threading.local()

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
            if getattr(self.inside, "now", False):
                return method(*args, **settings)
            self.inside.now, start = True, time.thread_time()
            try:
                return method(*args, **settings)
            finally:
                self.inside.now = False
                with self.lock:
                    self.seconds += time.thread_time() - start

        return timed


def shares(data, learners, cv, n_jobs):
    """Return CPU seconds of a run: of forms and records, of the store, and of the rest."""
    request = EvaluationRequest(
        data,
        make_plan(data, cv, random_state=0),
        resolve_learners(learners, data.task),
        n_jobs=n_jobs,
    )
    spent = []
    run = runner.Runner.run

    def timed(self):
        start = time.process_time()
        found = run(self)
        spent.append(time.process_time() - start)
        return found

    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "s.db") as store:
        runner.Runner.run = timed
        try:
            with Clock(WORK) as work, Clock(STORE) as stored:
                evaluate(request, store)
        finally:
            runner.Runner.run = run
    return work.seconds, stored.seconds, spent[0] - work.seconds - stored.seconds


def scheduler_overhead(is_quick):
    """Print what the runner takes beside forms, records and store, once on one core, once on two.

    On two cores forms work in other processes, so their seconds are those on one core.
    """
    four = {
        "nb": GaussianNB(), "lda": LinearDiscriminantAnalysis(), "logistic": lr(),
        "5nn": scaled(KNeighborsClassifier(5)),
    }  # fmt: skip
    long = {"logistic": lr()}
    n_few, n_many = (100, 50) if is_quick else (1_000, 500)
    shares(data_of("bc"), four, "1x10", 1)
    for title, data, learners, cv in (
        ("four learners, bc", "bc", four, f"{n_few}x10"),
        ("logistic, B", "B", long, f"{n_many}x10"),
    ):
        for n_jobs in (1, 2):
            done, stored, rest = shares(data_of(data), learners, cv, n_jobs)
            if n_jobs == 1:
                alone = done
            share = rest / (max(done, alone) + stored + rest)
            mark = "met" if share <= BAR else "MISSED"
            print(
                f"scheduler overhead at the default task size, {title}, {cv}, n_jobs={n_jobs}: "
                f"{share:.1%} ({max(done, alone):.2f} s forms and records, {stored:.2f} s store), "
                f"at most {BAR:.0%}, stretch {STRETCH:.1%}: {mark}",
                flush=True,
            )

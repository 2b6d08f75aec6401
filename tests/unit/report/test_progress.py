import io

import numpy as np
import pytest
from rich.console import Console
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier

from bestofk import Store, compare
from bestofk.data import DataSet
from bestofk.evaluation import Observer
from bestofk.evaluation.queue import pending_runs
from bestofk.evaluation.queue.runner import Runner
from bestofk.report.progress import shown as progress
from bestofk.report.progress.shown import TerminalProgress

RNG = np.random.default_rng(3)
X = np.vstack([RNG.normal(0, 1, (30, 2)), RNG.normal(2, 1, (20, 2))])
ROLES = {f"x{i}": "numeric" for i in range(14)} | {"day": "date"}
DATA = DataSet(
    "two", X, np.array(["a"] * 30 + ["b"] * 20), "classification", roles=ROLES,
    notes=("Separator guessed.",), warnings=("Rows [leak].",),
)  # fmt: skip
LEARNERS = {"majority": DummyClassifier(), "near": KNeighborsClassifier(3)}


class Clock:
    """Clock that a test sets; every run takes some of its seconds."""

    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now


class Slow(TerminalProgress):
    """Progress whose runs take a number of seconds each, whatever they really take."""

    seconds = 4.0

    def finished(self, learner_index, records, store):
        self.clock.now += self.seconds * len(records)
        timed = [r._replace(train_seconds=self.seconds, predict_seconds=0.0) for r in records]
        super().finished(learner_index, timed, store)


@pytest.fixture
def clock(monkeypatch):
    """Stop the time, and let every learner end its repeat at once, as quick ones do."""
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    monkeypatch.setattr(pending_runs, "_BLOCK_SECONDS", float("inf"))
    monkeypatch.setattr(Runner, "taken_seconds", 0.0)  # each run is told at once
    return clock


def watched(clock=None, *, store=None, is_terminal=False, width=100, learners=LEARNERS, **options):
    output = io.StringIO()
    console = Console(
        file=output, force_terminal=is_terminal, width=width, height=40, highlight=False,
        color_system=None,
    )  # fmt: skip
    watcher = TerminalProgress(console) if clock is None else Slow(console)
    watcher.clock = clock
    options = {"cv": "3x2", "batched": "never", "keep": "labels", **options}
    result = compare(learners, DATA, store=store, progress=watcher, **options)
    return output.getvalue(), watcher, result


def test_quick_runs_need_no_more_than_guesses_and_the_plan():
    text, _, _ = watched()
    assert text.splitlines() == [
        "two: 50 rows, 2 numeric inputs.",
        "Separator guessed.",
        "! Rows [leak].",
        "Plan: 3 repeats of 2-fold cross-validation, stratified; 2 learners, 12 runs.",
    ]


def test_what_the_store_has_is_said():
    with Store() as store:
        watched(store=store)
        text, _, _ = watched(store=store)
        more, _, _ = watched(store=store, learners={**LEARNERS, "five": KNeighborsClassifier(5)})
    assert "12 of 12 runs found in the store." in text
    assert "12 of 18 runs found in the store." in more


def test_a_log_gets_a_line_when_every_learner_has_a_run_then_one_every_ten_seconds(clock):
    text, _, result = watched(clock)
    lines = text.splitlines()[4:]
    # a run ends every 4 s; the third one is the first of the other learner
    assert lines[0] == (
        "After 1 of 2 folds of the first repeat: leading: near, 8.0% error · too early to rule "
        "any out · running: near · 36 s left"
    )
    assert [line.split(":")[0] for line in lines] == [
        "After 1 of 2 folds of the first repeat",
        "After 1 of 3 repeats",
        "After 2 of 3 repeats",
    ]
    assert all("cannot be ruled out: majority" in line for line in lines[1:])
    assert result.best == "near"


def test_a_terminal_gets_one_table_with_the_pick_first_that_is_gone_at_the_end(clock):
    text, watcher, _ = watched(clock, is_terminal=True, width=80)
    frames = text.split("Provisional, ")[1:]
    rows = [
        [line.split()[0] for line in frame.splitlines() if line[:8] in ("near    ", "majority")]
        for frame in frames
    ]
    for frame, names in zip(frames, rows, strict=True):
        is_known = "No run yet: near." not in frame
        assert names == (["near", "majority"] if is_known else ["majority", "near"])
    assert "No run yet" in frames[0]
    assert "still running: 2 · 4 s so far" in frames[0]
    assert "still running: 1 · " in frames[-1]
    assert "· 4.0 s left" in frames[-1]
    assert watcher._live is None
    assert text.endswith("\x1b[2K")  # erased line by line


def test_no_line_of_the_table_is_wider_than_the_terminal(clock):
    for width in (60, 80):
        text, _, _ = watched(clock, is_terminal=True, width=width)
        shown = text[text.index("Provisional") :].replace("\r", "\n").splitlines()
        plain = [line.replace("\x1b[2K", "").replace("\x1b[1A", "") for line in shown]
        assert max(map(len, plain)) < width


def test_showing_takes_a_fiftieth_of_the_time_at_most(clock, monkeypatch):
    """Where weighing took 2 s, it is not done again before 100 s."""
    show = Slow.show

    def slowly(self, standings):
        show(self, standings)
        self.clock.now += 2.0

    monkeypatch.setattr(Slow, "seconds", 15.0)
    monkeypatch.setattr(Slow, "show", slowly)
    text, _, _ = watched(clock)
    # 12 runs of 15 s: after the first, after the third for all learners, and 100 s later
    assert sum(line.startswith("After ") for line in text.splitlines()) == 3


def test_an_error_ends_the_table(clock):
    class Broken(Slow):
        def finished(self, learner_index, records, store):
            super().finished(learner_index, records, store)
            if self._live is not None:
                raise RuntimeError("broken")

    console = Console(file=io.StringIO(), force_terminal=True, width=80)
    watcher = Broken(console)
    watcher.clock = clock
    with pytest.raises(RuntimeError, match="broken"):
        compare(LEARNERS, DATA, cv="3x2", batched="never", progress=watcher)
    assert watcher._live is None


def test_an_observer_learns_which_learner_is_trained():
    class Seen(Observer):
        running_learners: tuple = ()

        def running(self, learner_indices):
            self.running_learners += (tuple(learner_indices),)

    seen = Seen()
    compare(LEARNERS, DATA, cv="3x2", batched="never", progress=seen)
    assert seen.running_learners[0] == (0,)
    assert sorted(seen.running_learners) == [(0,)] * 4 + [(1,)] * 4  # a first run, 3 repeats

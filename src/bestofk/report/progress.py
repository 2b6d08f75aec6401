"""Progress of runs: bars on a terminal, single lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bestofk.evaluation import Evaluation, EvaluationRequest, Observer, RunRecord, Store
from bestofk.evaluation.evaluation import not_reused
from bestofk.evaluation.options import n_workers

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from bestofk.data import DataSet

# The leader is looked up so seldom that it costs about this share of the time.
_LEADER_SHARE = 0.02
_LEADER_SECONDS = 0.5
_DRAW_SECONDS = 0.1
_SHOWN_COLUMNS = 12
# Of the later points of a curve nothing is foretold that is over sooner.
_SHORT_SECONDS = 10.0


class TerminalProgress(Observer):
    """Progress on a terminal: guesses, completed and saved runs, time left and the leader.

    Parameters
    ----------
    console : rich.console.Console
        Bars are drawn only where it is a terminal.
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self._shown_name = ""
        self._is_first = True
        self._bars: Progress | None = None

    def asked(self, request: EvaluationRequest) -> None:
        """Say how the data were read."""
        # a curve starts again for each of its points, maybe on a copy with noise
        name = request.data.name
        self._is_first = not self._shown_name or not f"{name} with ".startswith(
            f"{self._shown_name} with "
        )
        if self._is_first:
            for line in guesses(request.data):
                self._say(line)
            self._shown_name = name

    def start(
        self,
        request: EvaluationRequest,
        store: Store,
        *,
        n_reused: Sequence[int],
        snapshot: Callable[[], Evaluation],
    ) -> None:
        """Say what is to be run and what is there; draw empty bars."""
        self._request, self._store, self._snapshot = request, store, snapshot
        self._done, is_wanted = list(n_reused), request.is_wanted
        self._n_each = len(request.plan)
        self._n_all = self._n_each * sum(is_wanted)
        self._n_reused = sum(n for n, wanted in zip(n_reused, is_wanted, strict=True) if wanted)
        self._added: list[int] = []
        self._n_pending = [
            self._n_each - n if wanted else 0 for n, wanted in zip(n_reused, is_wanted, strict=True)
        ]
        self._seconds: dict[int, list[float]] = {}
        self._has_forecast = False
        self._n_before, self._n_safe = store.n_written, 0
        self._next_draw = time.monotonic()
        self._next_leader = self._next_draw + _LEADER_SECONDS
        self._size_before = store.size_bytes()
        self._n_first = request.plan.n_folds
        self._leader = self._left = ""
        n_learners = sum(is_wanted)
        self._most = "" if request.interim is None else "at most "
        learners = f"{n_learners} learner{'s' if n_learners != 1 else ''}"
        runs = f"{learners}, {self._most}{self._n_all:,} run{'s' if self._n_all != 1 else ''}"
        title = request.title or request.plan.name
        plan = f"Plan: {self._most}{request.plan}" if self._is_first else title
        self._say(f"{plan}; {runs}.")
        if self._n_reused:
            self._say(f"{self._n_reused:,} of {self._most}{self._n_all:,} runs found in the store.")
        if self.console.is_terminal and self._n_reused < self._n_all:
            self._draw_bars()

    def passed_over(self, n_runs: int) -> None:
        """Say how many stored runs are not reused."""
        self._say(not_reused(n_runs))

    def finished(self, learner: int, records: Sequence[RunRecord], store: Store) -> None:
        """Count runs; move the bars by those that are safe by now."""
        if self._has_forecast:
            self._added += [learner] * len(records)
        else:
            for record in records:
                self._added.append(learner)
                spent = float(np.nansum([record.train_seconds, record.predict_seconds]))
                self._seconds.setdefault(learner, []).append(spent)
                if not self._has_forecast:
                    self._say_forecast()
        now = time.monotonic()
        if self._bars is not None and now >= self._next_draw:
            self._next_draw = now + _DRAW_SECONDS
            self._update()

    def looked(self, goes_on: Sequence[bool]) -> None:
        """Shorten the bars of learners that are not repeated further, and say how many are left."""
        self._left = f"{sum(goes_on)} learner{'s' if sum(goes_on) != 1 else ''} left"
        if self._bars is None:
            return
        self._update()
        for task, done, further in zip(self._tasks, self._done, goes_on, strict=True):
            if not further:
                self._bars.update(task, total=done, note="done")
        totals = [self._bars.tasks[task].total or 0 for task in self._tasks]
        self._bars.update(self._all, total=sum(totals))

    def provisional(self, verdict: str) -> None:
        """Say the verdict so far."""
        self._say(verdict)

    def stop(self) -> None:
        """Take the bars away."""
        if self._bars is not None:
            self._update()
            self._bars.stop()
            self._bars = None

    def _say(self, text: str) -> None:
        self.console.print(text, markup=False, soft_wrap=True)

    def _say_forecast(self) -> None:
        """Say once, when a repeat of every learner is done, what everything will take."""
        n_pending, pairs = sum(self._n_pending), enumerate(self._n_pending)
        if any(len(self._seconds.get(item, ())) < min(self._n_first, n) for item, n in pairs):
            return
        self._has_forecast = True
        if len(self._added) == n_pending:
            return
        share = n_pending / len(self._added)
        means = {key: float(np.mean(spent)) for key, spent in self._seconds.items()}
        seconds = sum(mean * self._n_pending[key] for key, mean in means.items())
        seconds /= n_workers(self._request.n_jobs)
        if not self._is_first and seconds < _SHORT_SECONDS:
            return
        now = self._store.size_bytes()
        size = now + max(now - self._size_before, 0) * (share - 1)
        index = "the store" if self._store.path is not None else "memory"
        self._say(
            f"Expected for {self._most or 'all '}{n_pending:,} runs: {self._most}"
            f"{_duration(seconds)}, {size / 1e6:.1f} MB in "
            f"{index}."
        )

    def _draw_bars(self) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.progress import TimeRemainingColumn as TimeLeft

        self._bars = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeLeft(),
            TextColumn("{task.fields[note]}", markup=False),
            console=self.console,
            transient=True,
        )
        n_splits = len(self._request.plan)
        self._all = self._bars.add_task(
            "runs", total=self._n_all, completed=self._n_reused, note=""
        )
        self._tasks = [
            self._bars.add_task(
                f"  {learner.name}", total=n_splits, completed=done, note="", visible=wanted
            )
            for learner, done, wanted in zip(
                self._request.learners, self._done, self._request.is_wanted, strict=True
            )
        ]
        self._bars.start()

    def _update(self) -> None:
        assert self._bars is not None
        # a block is handed over before its runs are reported
        n_safe = min(self._store.n_written - self._n_before, len(self._added))
        for learner in self._added[self._n_safe : n_safe]:
            self._done[learner] += 1
        self._n_safe = n_safe
        self._look_for_leader()
        leads = f"leader: {self._leader}" if self._leader else ""
        note = "; ".join(item for item in (leads, self._left) if item)
        self._bars.update(self._all, completed=self._n_reused + n_safe, note=note)
        for task, done in zip(self._tasks, self._done, strict=True):
            self._bars.update(task, completed=done)

    def _look_for_leader(self) -> None:
        now = time.monotonic()
        if now < self._next_leader:
            return
        self._leader = leader(self._snapshot(), self._request)
        spent = time.monotonic() - now
        self._next_leader = now + max(_LEADER_SECONDS, spent / _LEADER_SHARE)


def guesses(data: DataSet) -> list[str]:
    """Return lines that say how the data were read: roles, notes, warnings."""
    lines = [f"{data.name}: {data.n_samples:,} rows, {data.n_features} inputs, {data.task}"]
    by_role: dict[str, list[str]] = {}
    for column, role in data.roles.items():
        by_role.setdefault(role, []).append(column)
    for role, columns in by_role.items():
        more = len(columns) - _SHOWN_COLUMNS
        names = ", ".join(columns[:_SHOWN_COLUMNS]) + (f" and {more} more" if more > 0 else "")
        lines.append(f"  {role:<10}{len(columns):>4}  {names}")
    return [*lines, *(f"- {note}" for note in data.notes), *(f"! {text}" for text in data.warnings)]


def leader(evaluation: Evaluation, request: EvaluationRequest) -> str:
    """Return the learner with the lowest mean loss over the splits that all have by now.

    Empty where there is none yet; learners without any score and baselines do not lead.
    """
    losses = evaluation.measured(request.measures[0], request.positive).losses
    usable = [
        index
        for index, learner in enumerate(request.learners)
        if not learner.is_baseline and not np.isnan(losses[index]).all()
    ]
    if not usable:
        return ""
    common = losses[usable][:, ~np.isnan(losses[usable]).any(axis=0)]
    if not common.size:
        return ""
    return request.learners[usable[int(common.mean(axis=1).argmin())]].name


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"

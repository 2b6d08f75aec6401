"""Progress of runs shown: a live table on a terminal, lines elsewhere, a table in a notebook."""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import numpy as np
from rich.console import Console
from rich.live import Live
from rich.text import Text

from bestofk.data import DataSet
from bestofk.evaluation import Evaluation, EvaluationRequest, Observer, RunRecord, Store
from bestofk.evaluation.engines.choice import n_local_processes
from bestofk.evaluation.evaluation import not_reused
from bestofk.evaluation.run_table import RunTable
from bestofk.evaluation.status import is_ok
from bestofk.report.findings import Findings
from bestofk.report.formats.text import STYLES
from bestofk.report.progress.standings import (
    DONE,
    ELIMINATED,
    RUNNING,
    WAITING,
    LearnerProgress,
    Standings,
    StandingsAcross,
    mean_ranks,
    together,
)
from bestofk.words import grouped, joined_lines, printable, times

# Standings are weighed and shown so seldom that they cost at most this share of the time.
_SHARE = 0.02
# What is over sooner needs no progress.
_SHORT_SECONDS = 1.0
_TERMINAL_SECONDS, _LINE_SECONDS, _NOTEBOOK_SECONDS = 0.5, 10.0, 1.0
# So long may data sets be weighed before the table is shown; the others come next time.
_WEIGHING_SECONDS = 0.5


class CountedRuns(Observer):
    """Counts of the runs of one request, learner by learner."""

    _continues = False  # whether more rows follow
    _weigh: Callable[[Evaluation], Findings] | None = None

    def start(
        self,
        request: EvaluationRequest,
        store: Store,
        *,
        n_reused: Sequence[int],
        snapshot: Callable[[], Evaluation],
    ) -> None:
        """Count what is there already."""
        self._request, self._snapshot = request, snapshot
        self._done, self._goes_on = list(n_reused), list(request.is_wanted)
        self._spent, self._n_timed = [0.0] * len(self._done), [0] * len(self._done)
        self._running: set[int] = set()
        self._continues = False
        self._begun()

    def _begun(self) -> None:
        """Do what a display does once the runs that are there are counted."""

    def running(self, learner_indices: Sequence[int]) -> None:
        """Mark the learners that are trained now."""
        self._running = set(learner_indices)

    def finished(self, learner_index: int, records: Sequence[RunRecord], store: Store) -> None:
        """Count runs and their seconds."""
        table = RunTable.of(records)
        spent = np.nansum([table.train_seconds, table.predict_seconds])
        self._spent[learner_index] += float(spent)
        self._n_timed[learner_index] += len(records)
        self._done[learner_index] += len(records)

    def looked(self, goes_on: Sequence[bool]) -> None:
        """Mark the learners that are eliminated."""
        self._goes_on = list(goes_on)

    def stop(self) -> None:
        """Mark that no learner is trained any more."""
        self._running = set()

    def standings(self, findings: Findings | None = None) -> Standings:
        """Return the progress of the learners, with findings where they are known."""
        request, plan = self._request, self._request.plan
        return Standings(
            [self._learner(index, findings) for index in range(len(request.learners))],
            plan.n_repeats,
            plan.n_folds,
            is_adaptive=request.interim is not None,
            findings=findings,
            n_workers=max(n_local_processes(request.engine, request.n_jobs), 1),
            title=request.title or plan.name,
        )

    def _learner(self, index: int, findings: Findings | None) -> LearnerProgress:
        name = self._request.learners[index].name
        n_done, n_all = self._done[index], len(self._request.plan)
        is_wanted = self._goes_on[index] and self._request.is_wanted[index]
        continues, history = self._continues, findings.rows_history if findings else None
        if history is not None:
            is_wanted &= name not in history.reasons()
            continues |= history.n_all > self._request.plan.n_train
        if is_wanted and n_done >= n_all:
            state = WAITING if continues else DONE
        elif not is_wanted:
            state = ELIMINATED if any(self._goes_on) else DONE
        else:
            state = RUNNING if index in self._running else WAITING
        n_asked = n_all if is_wanted else n_done
        n_timed = self._n_timed[index]
        left = (n_asked - n_done) * (self._spent[index] / n_timed if n_timed else math.nan)
        return LearnerProgress(name, n_done, n_asked, state, 0.0 if n_asked == n_done else left)


class ShownProgress(CountedRuns):
    """Standings while runs are done; subclasses show them.

    Parameters
    ----------
    least_seconds : float
        Before anything is shown, unless every learner has a run, and between two showings.
    """

    def __init__(self, least_seconds: float) -> None:
        self._least_seconds = least_seconds
        self._findings: Findings | None = None
        self._is_begun = False
        self._started = self._next = 0.0
        self._across: ProgressAcross | None = None

    @abstractmethod
    def show(self, standings: Standings) -> None:
        """Show how far it is."""

    def say(self, text: str) -> None:
        """Show a line that stays, where there are such lines."""

    def update(self, standings: Standings) -> None:
        """Take over that other learners are trained now; it need not be shown at once."""

    @abstractmethod
    def close(self) -> None:
        """Take away what is shown."""

    def of_data_set(self, name: str, n_data_sets: int) -> Observer:
        """Return what counts the runs on one of several data sets; all are shown together."""
        if self._across is None:
            self._across = ProgressAcross(self, n_data_sets)
            self._restart()
        return self._across.of(name)

    def begin(self, weigh: Callable[[Evaluation], Findings]) -> None:
        """Keep how runs are weighed; one table serves until the end."""
        self._weigh, self._is_begun = weigh, True
        self._restart()

    def end(self) -> None:
        """Take the table away."""
        self._weigh, self._findings, self._is_begun = None, None, False
        self._across = None
        self.close()

    def _begun(self) -> None:
        self._has_all = False
        if not self._is_begun:
            self._restart()

    def running(self, learner_indices: Sequence[int]) -> None:
        """Mark the learners that are trained now."""
        if self._running != set(learner_indices):
            super().running(learner_indices)
            self.update(self.standings(self._findings))

    def finished(self, learner_index: int, records: Sequence[RunRecord], store: Store) -> None:
        """Count runs; show them where that is due."""
        super().finished(learner_index, records, store)
        is_first = not self._has_all and all(
            n for n, wanted in zip(self._done, self._request.is_wanted, strict=True) if wanted
        )
        self._has_all |= is_first
        self._show_if_due(is_awaited=is_first)

    def provisional(self, verdict: str) -> None:
        """Show the standings on some rows, before learners are trained on more."""
        self._continues = True
        is_first = self._findings is None and self.elapsed_seconds >= _SHORT_SECONDS
        self._show_if_due(is_awaited=is_first)

    def stop(self) -> None:
        """Take the table away, unless the comparison continues."""
        super().stop()
        if not self._is_begun:
            self.close()

    @property
    def elapsed_seconds(self) -> float:
        """Since the comparison began."""
        return time.monotonic() - self._started

    def _restart(self) -> None:
        self._started = time.monotonic()
        self._next = self._started + self._least_seconds

    def _show_if_due(self, *, is_awaited: bool) -> None:
        """Show the standings; sooner where they are awaited and much is left to be done.

        The longer that takes, the later is the next time.
        """
        is_due = self.is_due
        if not (is_due or is_awaited):
            return
        ahead = self.standings()
        is_over = not (ahead.n_running or self._continues)
        is_short = ahead.seconds_left <= _SHORT_SECONDS  # what is unknown counts as long
        if is_over or (is_short and not (is_due or self._continues)):
            return
        self.show_weighed(self._weighed)

    @property
    def is_due(self) -> bool:
        """Whether so much time has passed that the standings may be shown."""
        return time.monotonic() >= self._next

    def show_weighed(self, weighed: Callable[[], Standings]) -> None:
        """Show the standings that a function returns, the next time not before its time pays."""
        start = time.monotonic()
        self.show(weighed())
        now = time.monotonic()
        self._next = now + max(self._least_seconds, (now - start) / _SHARE)

    def _weighed(self) -> Standings:
        """Weigh the runs, where that is possible, and return how far they are."""
        if self._weigh is not None:
            self._findings = self._weigh(self._snapshot())
        return self.standings(self._findings)


class ProgressAcross:
    """Standings over several data sets, shown in the way of the progress of one.

    Parameters
    ----------
    shown : ShownProgress
        Shows what there is, and when.
    n_data_sets : int
        How many there are.
    """

    def __init__(self, shown: ShownProgress, n_data_sets: int) -> None:
        self._shown, self._n_data_sets = shown, n_data_sets
        self._parts: list[DataSetProgress] = []

    def of(self, name: str) -> DataSetProgress:
        """Return the observer of one of the data sets."""
        part = DataSetProgress(name, self)
        self._parts.append(part)
        return part

    def asked(self, name: str, request: EvaluationRequest) -> None:
        """Say in one line how a data set was read."""
        data = request.data
        target = next((column for column, role in data.roles.items() if role == "target"), "y")
        doubts = f"; {times(len(data.warnings), 'warning')}" if data.warnings else ""
        self._shown.say(
            f"{name}: {data.n_samples:,} rows, {data.n_features} inputs, {data.task} of "
            f"{target!r}{doubts}"
        )

    def started(self) -> None:
        """Say what is to be run and what is there, once all data sets have been looked at."""
        if all(part.has_started for part in self._parts) and len(self._parts) == self._n_data_sets:
            standings = self.standings()
            n_done = sum(item.n_done for item in standings.learners)
            n_asked = sum(item.n_asked for item in standings.learners)
            most = "at most " if standings.is_adaptive else ""
            stored = f"; {n_done:,} found in the store" if n_done else ""
            self._shown.say(
                f"{times(self._n_data_sets, 'data set')}, {len(standings.learners)} learners, "
                f"{most}{n_asked:,} runs{stored}."
            )

    def tell(self) -> None:
        """Show the standings where that is due."""
        if self._shown.is_due:
            self._shown.show_weighed(self._weighed)

    def _weighed(self) -> StandingsAcross:
        """Weigh data sets as long as there is time for it, and return how far it is."""
        start = time.monotonic()
        for part in self._parts:
            if time.monotonic() > start + _WEIGHING_SECONDS:
                break
            part.weigh()
        return self.standings()

    def standings(self) -> StandingsAcross:
        """Return how far it is."""
        parts = [part for part in self._parts if part.has_started]
        failures: dict[str, Counter[str]] = {}
        each = [part.standings() for part in parts]
        by_name = grouped((item.name, item) for part in each for item in part.learners)
        for part, standings in zip(parts, each, strict=True):
            for index, item in enumerate(standings.learners):
                failures.setdefault(item.name, Counter()).update(part.failures[index])
        ranks, n_ranked = mean_ranks([part.findings for part in parts])
        first = each[0]
        return StandingsAcross(
            [together(name, items) for name, items in by_name.items()],
            first.n_repeats,
            first.n_folds,
            is_adaptive=first.is_adaptive,
            n_workers=first.n_workers,
            title="",
            mean_ranks=ranks,
            n_ranked=n_ranked,
            n_data_sets=self._n_data_sets,
            n_finished=sum(not item.n_running for item in each),
            failures=failures,
            running_on=[part.name for part, item in zip(parts, each, strict=True) if _runs(item)],
        )


class DataSetProgress(CountedRuns):
    """Runs on one of several data sets, which are counted for the standings over all.

    Parameters
    ----------
    name : str
        Of the data set.
    across : ProgressAcross
        Told when something happens.
    """

    def __init__(self, name: str, across: ProgressAcross) -> None:
        self.name, self._all = name, across
        self.findings: Findings | None = None
        self._n_weighed = 0
        self.has_started = False

    def _begun(self) -> None:
        self.failures: list[Counter[str]] = [Counter() for _ in self._done]
        self.has_started = True
        self._all.started()

    def asked(self, request: EvaluationRequest) -> None:
        """Say how the data set was read."""
        self._all.asked(self.name, request)

    def finished(self, learner_index: int, records: Sequence[RunRecord], store: Store) -> None:
        """Count runs and failures."""
        status = RunTable.of(records).status
        self.failures[learner_index].update(status[~is_ok(status)].tolist())
        super().finished(learner_index, records, store)
        self._all.tell()

    def begin(self, weigh: Callable[[Evaluation], Findings]) -> None:
        """Keep how runs are weighed."""
        self._weigh = weigh

    def weigh(self) -> None:
        """Weigh the runs where every learner has more whole repeats than the last time."""
        if not self.has_started or self._weigh is None:
            return
        asked = [n for n, goes_on in zip(self._done, self._goes_on, strict=True) if goes_on]
        n_repeats = min(asked, default=0) // self._request.plan.n_folds
        if n_repeats > self._n_weighed:
            self._n_weighed = n_repeats
            self.findings = self._weigh(self._snapshot())


def _runs(standings: Standings) -> bool:
    return any(item.state == RUNNING for item in standings.learners)


class TerminalProgress(ShownProgress):
    """Guesses, the plan and the standings: a live table on a terminal, lines elsewhere.

    Parameters
    ----------
    console : rich.console.Console
        A table is drawn only where it is a terminal.
    """

    def __init__(self, console: Console) -> None:
        super().__init__(_TERMINAL_SECONDS if console.is_terminal else _LINE_SECONDS)
        self.console = console
        self._shown_name = ""
        self._is_first = True
        self._live: Live | None = None
        self._shown: Standings | None = None

    def asked(self, request: EvaluationRequest) -> None:
        """Say how the data were read."""
        # a curve starts again for each of its points, maybe on a copy with noise
        name = request.data.name
        self._is_first = not self._shown_name or not f"{name} with ".startswith(
            f"{self._shown_name} with "
        )
        if self._is_first:
            for line in guesses(request.data):
                self.say(line)
            self._shown_name = name

    def _begun(self) -> None:
        """Say what is to be run and what is there."""
        super()._begun()
        if self._is_begun and not self._is_first:
            return  # more rows, which the standings show
        request, is_wanted = self._request, self._request.is_wanted
        n_learners, n_all = sum(is_wanted), len(request.plan) * sum(is_wanted)
        n_there = sum(n for n, wanted in zip(self._done, is_wanted, strict=True) if wanted)
        most = "" if request.interim is None else "at most "
        runs = f"{times(n_learners, 'learner')}, {most}{times(n_all, 'run')}"
        plan = (
            f"Plan: {most}{request.plan.title}"
            if self._is_first
            else request.title or request.plan.name
        )
        self.say(f"{plan}; {runs}.")
        if n_there:
            self.say(f"{n_there:,} of {most}{n_all:,} runs found in the store.")

    def passed_over(self, n_runs: int) -> None:
        """Say how many stored runs are not reused."""
        self.say(not_reused(n_runs))

    def waiting(self, text: str) -> None:
        """Say why nothing happens."""
        self.say(text)

    def show(self, standings: Standings) -> None:
        """Draw the table, or say the line."""
        self._shown = standings
        if not self.console.is_terminal:
            self.say(standings.line())
        elif self._live is None:
            self._live = Live(
                console=self.console,
                get_renderable=self._drawn,
                refresh_per_second=1,
                transient=True,
            )
            self._live.start(refresh=True)
        else:
            self._live.refresh()

    def update(self, standings: Standings) -> None:
        """Let the table be drawn with other states the next time, in a second at the latest."""
        if self._live is not None:
            self._shown = standings

    def close(self) -> None:
        """Take the table away; the cursor is back where it stood."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _drawn(self) -> Text:
        """Return what stands on the terminal now; seconds pass without any run that ends."""
        assert self._shown is not None  # set before anything is drawn
        width = self.console.width - 1
        text = Text("\n")
        for index, line in enumerate(self._shown.heading(self.elapsed_seconds)):
            text.append(f"{printable(line)}\n", style="bold" if index == 1 else "")
        text.append("\n")
        for role, line in self._shown.lines(width):
            text.append(f"{line}\n", style=STYLES.get(role, ""))
        text.append(joined_lines(self._shown.notes()), style="dim")
        text.rstrip()
        return text

    def say(self, text: str) -> None:
        """Print a line above the table."""
        self.console.print(printable(text), markup=False, soft_wrap=not self.console.is_terminal)


def guesses(data: DataSet) -> list[str]:
    """Return lines that say how the data were read, and what to distrust of them."""
    return [*data.reading, *(f"! {text}" for text in data.warnings)]


class NotebookProgress(ShownProgress):
    """Standings as an HTML table in the output of a cell."""

    def __init__(self) -> None:
        super().__init__(_NOTEBOOK_SECONDS)
        self._handle: Any = None

    def show(self, standings: Standings) -> None:
        """Display the table, or update it."""
        text = joined_lines(standings.heading(self.elapsed_seconds))
        self._display({"text/html": to_html(standings, self.elapsed_seconds), "text/plain": text})

    def close(self) -> None:
        """Empty what was displayed: the result follows in its place."""
        if self._handle is not None:
            self._display({"text/html": "", "text/plain": ""})

    def _display(self, content: dict[str, str]) -> None:
        if self._handle is not None:
            self._handle.update(content, raw=True)
            return
        from IPython.display import display

        self._handle = display(content, raw=True, display_id=True)


def to_html(standings: Standings, elapsed_seconds: float) -> str:
    """Return standings as HTML: heading, table and notes.

    Parameters
    ----------
    standings : Standings
        How far it is.
    elapsed_seconds : float
        Since it began.
    """
    table = standings.table()
    lines = [f"<div>{escape(printable(line))}</div>" for line in standings.heading(elapsed_seconds)]
    heads = "".join(_cell("th", head, index, table.left) for index, head in enumerate(table.heads))
    rows = [
        "".join(
            _cell("td", cell, index, table.left)
            for index, cell in enumerate((row.name, *row.cells))
        )
        for row in table.rows
    ]
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    lines.append(f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>")
    lines += [f"<div>{escape(printable(note))}</div>" for note in standings.notes()]
    return "\n".join(lines)


def _cell(tag: str, text: str, index: int, left: Sequence[int]) -> str:
    side = "left" if index in left else "right"
    return f'<{tag} style="text-align: {side}">{escape(printable(text))}</{tag}>'

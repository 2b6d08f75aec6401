"""Progress of runs shown: a live table on a terminal, lines elsewhere, a table in a notebook."""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from bestofk.evaluation import Evaluation, EvaluationRequest, Observer, RunRecord, Store
from bestofk.evaluation.evaluation import not_reused
from bestofk.report.progress.counted_runs import CountedRuns, ProgressAcross
from bestofk.report.progress.standings import Standings
from bestofk.words import joined_lines, printable, times

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from bestofk.data import DataSet
    from bestofk.report.findings import Findings


# Standings are weighed and shown so seldom that they cost at most this share of the time.
_SHARE = 0.02
# What is over sooner needs no progress.
_SHORT_SECONDS = 1.0
_TERMINAL_SECONDS, _LINE_SECONDS = 0.5, 10.0
_SHOWN_COLUMNS = 12
_STYLES = {"best": "bold green", "candidate": "green", "left out": "dim", "baseline": "dim"}


class ShownProgress(CountedRuns):
    """Standings while runs are done; subclasses show them.

    Parameters
    ----------
    first_seconds : float
        Before anything is shown, unless every learner has a run.
    least_seconds : float
        Between two showings.
    """

    def __init__(self, first_seconds: float, least_seconds: float) -> None:
        self._first_seconds, self._least_seconds = first_seconds, least_seconds
        self._weigh: Callable[[Evaluation], Findings] | None = None
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
            self._across = ProgressAcross(
                self, n_data_sets, first_seconds=self._first_seconds,
                least_seconds=self._least_seconds, share=_SHARE,
            )  # fmt: skip
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
            self.update(self._standings(self._findings))

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
        self._next = self._started + self._first_seconds

    def _show_if_due(self, *, is_awaited: bool) -> None:
        """Show the standings; sooner where they are awaited and much is left to be done.

        The longer that takes, the later is the next time.
        """
        is_due = time.monotonic() >= self._next
        if not (is_due or is_awaited):
            return
        ahead = self._standings(None)
        is_over = not (ahead.n_running or self._continues)
        if is_over or not (is_due or self._continues or self._is_long(ahead)):
            return
        start = time.monotonic()
        if self._weigh is not None:
            self._findings = self._weigh(self._snapshot())
        self.show(self._standings(self._findings))
        now = time.monotonic()
        self._next = now + max(self._least_seconds, (now - start) / _SHARE)

    @staticmethod
    def _is_long(standings: Standings) -> bool:
        """Return whether the runs to come are worth a table."""
        return math.isnan(standings.seconds_left) or standings.seconds_left > _SHORT_SECONDS


class TerminalProgress(ShownProgress):
    """Guesses, the plan and the standings: a live table on a terminal, lines elsewhere.

    Parameters
    ----------
    console : rich.console.Console
        A table is drawn only where it is a terminal.
    """

    def __init__(self, console: Console) -> None:
        least_seconds = _TERMINAL_SECONDS if console.is_terminal else _LINE_SECONDS
        super().__init__(least_seconds, least_seconds)
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
            f"Plan: {most}{request.plan}" if self._is_first else request.title or request.plan.name
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
            from rich.live import Live

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
        from rich.text import Text

        assert self._shown is not None  # set before anything is drawn
        width = self.console.width - 1
        text = Text("\n")
        for index, line in enumerate(self._shown.heading(self.elapsed_seconds)):
            text.append(f"{printable(line)}\n", style="bold" if index == 1 else "")
        text.append("\n")
        for role, line in self._shown.lines(width):
            text.append(f"{line}\n", style=_STYLES.get(role, ""))
        text.append(joined_lines(self._shown.notes()), style="dim")
        text.rstrip()
        return text

    def say(self, text: str) -> None:
        """Print a line above the table."""
        self.console.print(printable(text), markup=False, soft_wrap=not self.console.is_terminal)


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


_FIRST_SECONDS = _SECONDS = 1.0


class NotebookProgress(ShownProgress):
    """Standings as an HTML table in the output of a cell."""

    def __init__(self) -> None:
        super().__init__(_FIRST_SECONDS, _SECONDS)
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

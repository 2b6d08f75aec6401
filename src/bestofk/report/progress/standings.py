"""Standings of a comparison while it runs: provisional means, states, and time left."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bestofk.inference.many_data_sets.ranks import rank_rows
from bestofk.measures.words import score_in_words, signed_difference
from bestofk.report.findings import Findings, LearnerFindings
from bestofk.report.formats.text import aligned
from bestofk.report.parts import Row, Table
from bestofk.report.sections import learner_table
from bestofk.report.sentences import answers
from bestofk.verdict.complete_scores import first_names
from bestofk.words import listing, seconds, times

RUNNING, WAITING, ELIMINATED, DONE = "running", "waiting", "eliminated", "done"
_ENDED = (ELIMINATED, DONE)
# Longest name, and columns that are left out, by how much room there is; the widest that fits.
_LAYOUTS: tuple[tuple[int, tuple[str, ...]], ...] = (
    (40, ()),
    (40, ("left",)),
    (40, ("left", "sd")),
    (17, ("left", "sd")),
    (12, ("left", "sd", "runs")),
    (12, ("left", "sd", "runs", "vs")),
)


@dataclass(frozen=True)
class LearnerProgress:
    """Progress of one learner.

    Parameters
    ----------
    name : str
        Its name in the comparison.
    n_done, n_asked : int
        Runs that are finished, and the most that it may be asked for.
    state : {"running", "waiting", "eliminated", "done"}
        Whether it is trained now, will be, or will not.
    seconds_left : float
        Of its runs to come; nan before one was timed.
    """

    name: str
    n_done: int
    n_asked: int
    state: str
    seconds_left: float = math.nan


@dataclass(frozen=True, eq=False)
class Standings:
    """Standings of a comparison, or of the runs of a curve, while it runs.

    Parameters
    ----------
    learners : sequence of LearnerProgress
        In the order given.
    n_repeats, n_folds : int
        Of the plan.
    is_adaptive : bool
        Whether fewer repeats may do.
    findings : Findings or None
        On the runs that are finished; None where they are not weighed.
    n_workers : int
        Processes that share the work.
    title : str
        What the runs are, where they belong to no comparison.
    """

    learners: Sequence[LearnerProgress]
    n_repeats: int
    n_folds: int
    is_adaptive: bool = False
    findings: Findings | None = None
    n_workers: int = 1
    title: str = ""

    @property
    def n_running(self) -> int:
        """Learners that are neither done nor eliminated."""
        return sum(item.state not in _ENDED for item in self.learners)

    @property
    def seconds_left(self) -> float:
        """Of all runs to come; nan where a learner was not timed yet."""
        return sum(item.seconds_left for item in self.learners) / self.n_workers

    def reached(self) -> str:
        """Return what the numbers rest on: splits that all compared learners have, or rows.

        Examples
        --------
        >>> Standings([], 20, 5, is_adaptive=True).reached()
        '0 of at most 20 repeats'
        """
        findings, most = self.findings, "at most " if self.is_adaptive else ""
        if findings is not None and findings.rows_history is not None:
            history = findings.rows_history
            return f"{history.n_rows:,} of {history.n_all:,} training rows"
        n_splits = 0 if findings is None else len(findings.repeat_of_split)
        if self.n_repeats == 1:
            return f"{n_splits} of {self.n_folds} splits"
        if 0 < n_splits < self.n_folds:
            return f"{n_splits} of {self.n_folds} folds of the first repeat"
        whole, rest = divmod(n_splits, self.n_folds)
        more = f" and {times(rest, 'fold')} of the next" if rest else ""
        return f"{whole} of {most}{self.n_repeats} repeats{more}"

    def leading(self) -> str:
        """Return the pick of the moment with its score, and what cannot be ruled out."""
        findings = self.findings
        if findings is None:
            return ""
        best, verdict = findings.verdict.best, findings.verdict
        if best is None:
            return "leading: none yet"
        score = score_in_words(findings.measure, findings.learner(best).mean)
        if not verdict.test:
            return f"leading: {best}, {score} · too early to rule any out"
        group = answers.OVERRIDDEN if verdict.has_preference else answers.PLAUSIBLE
        others = answers.names_by_group(answers.versus_pick(findings)).get(group, [])
        if not verdict.has_preference:
            others += [item.name for item in findings.learners if self._is_early(item)]
        said = f" · {answers.GROUPS[group].lower()}: {first_names(others)}" if others else ""
        return f"leading: {best}, {score}{said}"

    def time_left(self) -> str:
        """Return the time left; empty where it is unknown, or nothing is left."""
        left = self.seconds_left
        if not left > 0 or self._is_growing:
            return ""
        return f"{'at most ' if self.is_adaptive else ''}{_duration(left)} left"

    def heading(self, elapsed_seconds: float) -> list[str]:
        """Return the lines above the table.

        Parameters
        ----------
        elapsed_seconds : float
            Since the comparison began.
        """
        what = f"Provisional, after {self.reached()}" if self.findings else self.title
        elapsed = f"{elapsed_seconds:.0f} s" if elapsed_seconds < 100 else seconds(elapsed_seconds)
        state = [f"still running: {self.n_running}", f"{elapsed} so far", self.time_left()]
        lines = [what, self.leading(), " · ".join(part for part in state if part)]
        return [line for line in lines if line]

    def line(self) -> str:
        """Return everything in one line, for a log."""
        running = [item.name for item in self.learners if item.state == RUNNING]
        parts = [
            self.leading() or self.title,
            f"running: {first_names(running)}" if running else "",
            self.time_left(),
        ]
        return f"After {self.reached()}: {' · '.join(part for part in parts if part)}"

    def notes(self) -> list[str]:
        """Return the sentences below the table: gaps, and means that are not of shared splits."""
        notes = [f"{gap[0].upper()}{gap[1:]}." for gap in self.gaps()]
        if self.findings is None:
            return notes
        own = [item.name for item in self.findings.learners if self._is_early(item)]
        if own:
            notes.append(f"Not compared yet, with a mean over their own folds: {listing(own)}.")
        if any(item.state == ELIMINATED for item in self.learners) and not self._is_growing:
            notes.append("The means of eliminated learners are over their own repeats.")
        return notes

    @property
    def _is_growing(self) -> bool:
        """Whether training rows grow."""
        return self.findings is not None and self.findings.rows_history is not None

    def gaps(self) -> Iterator[str]:
        """Give which learners have no run yet, and which have part of a repeat."""
        scores = (
            {item.name: item.scores for item in self.findings.learners} if self.findings else {}
        )
        unseen = [
            item.name
            for item in self.learners
            if not (item.n_done or len(scores.get(item.name, ())) or item.state in _ENDED)
        ]
        if unseen and len(unseen) < len(self.learners):
            yield f"no run yet: {first_names(unseen)}"
        part = [
            f"{item.name} ({item.n_done % self.n_folds} of {self.n_folds} folds)"
            for item in self.learners
            if item.n_done % self.n_folds and item.state != DONE
        ]
        if part:
            yield f"part of a repeat: {first_names(part)}"

    def table(self) -> Table:
        """Return the table, the pick of the moment first.

        Returns
        -------
        Table
            Heads from learner to the time left; rows in the order of the verdict so far.
        """
        progress = {item.name: item for item in self.learners}
        if self.findings is None:
            heads, rows = ["learner"], [Row(item.name, "", ()) for item in self.learners]
        else:
            heads, rows = self._of_findings(self.findings)
        # of sizes to come no seconds are known, and each size is one run
        shown = slice(1, 2) if self._is_growing else slice(None)
        heads += ["runs", "state", "left"][shown]
        rows = [
            Row(row.name, row.role, (*row.cells, *self._cells(progress[row.name])[shown]))
            for row in rows
        ]
        left = [i for i, head in enumerate(heads) if head in ("learner", "state") or _is_vs(head)]
        return Table(heads, rows, left=tuple(left))

    def lines(self, width: int) -> list[tuple[str, str]]:
        """Return role and text of each line of the table, which is not wider than asked.

        Parameters
        ----------
        width : int
            Columns of the terminal; lines of the narrowest layout may be cut.
        """
        table, lines = self.table(), [""]
        for longest, dropped in _LAYOUTS:
            kept = [
                i
                for i, head in enumerate(table.heads)
                if head not in dropped and not ("vs" in dropped and _is_vs(head))
            ]
            cells = [(_cut(row.name, longest), *row.cells) for row in table.rows]
            left = [kept.index(i) for i in table.left if i in kept]
            lines = aligned(
                [table.heads[i] for i in kept],
                [[row[i] for i in kept] for row in cells],
                left=left,
                width=width,
            )
            if max(map(len, lines)) <= width:
                break
        roles = [""] * (len(lines) - len(table.rows)) + [row.role for row in table.rows]
        return [(role, line[:width]) for role, line in zip(roles, lines, strict=True)]

    def _of_findings(self, findings: Findings) -> tuple[list[str], list[Row]]:
        """Return the first columns of the report's table: score, spread, answer, rows."""
        report = learner_table(findings)
        heads = list(report.heads)
        kept = [
            index
            for index, head in enumerate(heads[: heads.index("train")])
            if index and head != "repeats"
        ]
        rows = [
            Row(row.name, row.role, tuple(row.cells[index - 1] for index in kept))
            for row in report.rows
        ]
        versus = next((k for k, index in enumerate(kept) if _is_vs(heads[index])), None)
        if versus is not None:
            rows = [self._with_early(row, versus, findings) for row in rows]
        return ["learner", *(heads[index] for index in kept)], rows

    def _with_early(self, row: Row, versus: int, findings: Findings) -> Row:
        """Return the row of a learner without an answer, with what can be said of it."""
        learner = findings.learner(row.name)
        if not learner.left_out or learner.n_failed or row.cells[versus] == "eliminated":
            return row
        said = ""
        if self._is_early(learner) and findings.verdict.best is not None:
            gap = findings.shared_gap(row.name, findings.verdict.best)
            said = f"too early ({signed_difference(findings.measure, gap)})"
        return Row(row.name, "", (*row.cells[:versus], said, *row.cells[versus + 1 :]))

    def _is_early(self, learner: LearnerFindings) -> bool:
        """Return whether a learner has scores, but too few to take part so far."""
        has_scores = len(learner.scores) > 0 and not self._is_growing
        return bool(learner.left_out) and has_scores and not learner.n_failed

    def _cells(self, item: LearnerProgress) -> tuple[str, str, str]:
        left = "" if item.state in _ENDED else _duration(item.seconds_left / self.n_workers)
        return f"{item.n_done}/{item.n_asked}", item.state, left


def _duration(value: float) -> str:
    return "<1 s" if value < 1 else seconds(value)


def _is_vs(head: str) -> bool:
    return head.startswith("vs ")


def _cut(name: str, longest: int) -> str:
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


@dataclass(frozen=True, eq=False)
class StandingsAcross(Standings):
    """Standings of learners over data sets while runs are done.

    Parameters
    ----------
    mean_ranks : mapping of str to float
        Of the learners that are ranked, 1 for the best.
    n_ranked : int
        Data sets that the ranks rest on.
    n_data_sets, n_finished : int
        Data sets, and those of which all is done.
    failures : mapping of str to Counter
        By learner, how many runs ended in each status but "ok".
    running_on : sequence of str
        Data sets that runs are done on.
    """

    mean_ranks: Mapping[str, float] = field(default_factory=dict)
    n_ranked: int = 0
    n_data_sets: int = 0
    n_finished: int = 0
    failures: Mapping[str, Counter[str]] = field(default_factory=dict)
    running_on: Sequence[str] = ()

    def reached(self) -> str:
        """Return how many data sets are done, and how many runs."""
        n_done = sum(item.n_done for item in self.learners)
        n_asked = sum(item.n_asked for item in self.learners)
        most = "at most " if self.is_adaptive else ""
        sets = f"{self.n_finished} of {times(self.n_data_sets, 'data set')}"
        return f"{sets} and {n_done:,} of {most}{n_asked:,} runs"

    def leading(self) -> str:
        """Return the learner of the lowest mean rank, and the next ones."""
        order = sorted(self.mean_ranks, key=lambda name: self.mean_ranks[name])
        if not order:
            return ""
        shown = ", ".join(f"{name} {self.mean_ranks[name]:.2f}" for name in order[:3])
        return f"mean ranks over {times(self.n_ranked, 'data set')}: {shown}"

    def heading(self, elapsed_seconds: float) -> list[str]:
        """Return the lines above the table."""
        on = f"on {first_names(list(self.running_on))}" if self.running_on else ""
        lines = [f"{self.reached()} done", *super().heading(elapsed_seconds), on]
        return [line for line in lines if line]

    def line(self) -> str:
        """Return everything in one line, what failed at its end."""
        return " · ".join([super().line(), *self.gaps()])

    def gaps(self) -> Iterator[str]:
        """Give what failed so far."""
        total: Counter[str] = sum(self.failures.values(), Counter())
        if total:
            yield "failed: " + ", ".join(f"{n} {status}" for status, n in sorted(total.items()))

    def table(self) -> Table:
        """Return the table, the learner of the lowest mean rank first."""
        order = sorted(
            self.learners, key=lambda item: (self.mean_ranks.get(item.name, math.inf), item.name)
        )
        rows = []
        for item in order:
            rank = self.mean_ranks.get(item.name)
            failed = sum(self.failures.get(item.name, Counter()).values())
            cells = ("" if rank is None else f"{rank:.2f}", str(failed or ""), *self._cells(item))
            rows.append(Row(item.name, "", cells))
        heads = ["learner", "mean rank", "failed", "runs", "state", "left"]
        return Table(heads, rows, left=(0, 4))


def together(name: str, items: Sequence[LearnerProgress]) -> LearnerProgress:
    """Return the progress of a learner over data sets, of which each needs a run for a time."""
    states = {item.state for item in items}
    state = RUNNING if RUNNING in states else WAITING if WAITING in states else DONE
    return LearnerProgress(
        name,
        sum(item.n_done for item in items),
        sum(item.n_asked for item in items),
        state,
        sum(item.seconds_left for item in items),
    )


def mean_ranks(findings: Sequence[Findings | None]) -> tuple[dict[str, float], int]:
    """Return the mean rank of each learner over the data sets where all have a mean."""
    losses: list[NDArray[np.float64]] = []
    names: list[str] = []
    for item in findings:
        if item is None:
            continue
        names = [learner.name for learner in item.learners]
        means = [learner.mean for learner in item.learners]
        if all(map(math.isfinite, means)):
            losses.append(item.measure.loss(np.array(means)))
    if not losses:
        return {}, 0
    ranks = rank_rows(np.array(losses), greater_is_better=False).mean(axis=0)
    return dict(zip(names, ranks.tolist(), strict=True)), len(losses)

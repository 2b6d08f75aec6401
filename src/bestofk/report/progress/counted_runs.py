"""Counts of runs while they are done, on one data set or over several."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from bestofk.evaluation import Evaluation, EvaluationRequest, Observer, RunRecord, Store
from bestofk.evaluation.engines.choice import n_local_processes
from bestofk.evaluation.run_table import RunTable
from bestofk.evaluation.status import is_ok
from bestofk.inference.many_data_sets.ranks import rank_rows
from bestofk.report.findings import Findings
from bestofk.report.parts import Row, Table
from bestofk.report.progress.standings import (
    DONE,
    ELIMINATED,
    RUNNING,
    WAITING,
    LearnerProgress,
    Standings,
)
from bestofk.verdict.complete_scores import first_names
from bestofk.words import times

if TYPE_CHECKING:
    from bestofk.report.findings import Findings


class CountedRuns(Observer):
    """Counts of the runs of one request, learner by learner."""

    _continues = False  # whether more rows follow

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

    def _standings(self, findings: Findings | None) -> Standings:
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
        return LearnerProgress(
            name,
            n_done,
            n_asked,
            state,
            0.0 if n_asked == n_done else left,
        )


# So long may data sets be weighed before the table is shown; the others come next time.
_WEIGHING_SECONDS = 0.5


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


class StandingsDisplay(Protocol):
    """Place where standings are shown, and lines that stay."""

    def show(self, standings: Standings) -> None:
        """Show how far it is."""

    def say(self, text: str) -> None:
        """Show a line that stays."""


class ProgressAcross:
    """Standings over several data sets, shown in the way of the progress of one.

    Parameters
    ----------
    shown : StandingsDisplay
        Shows what there is.
    n_data_sets : int
        How many there are.
    first_seconds, least_seconds, share : float
        Before anything is shown; between two showings; of the time that they may take.
    """

    def __init__(
        self, shown: StandingsDisplay, n_data_sets: int, *,
        first_seconds: float, least_seconds: float, share: float,
    ) -> None:  # fmt: skip
        self._shown, self._n_data_sets = shown, n_data_sets
        self._least_seconds, self._share = least_seconds, share
        self._next = time.monotonic() + first_seconds
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
        start = time.monotonic()
        if start < self._next:
            return
        for part in self._parts:
            if time.monotonic() > start + _WEIGHING_SECONDS:
                break
            part.weigh()
        self._shown.show(self.standings())
        now = time.monotonic()
        self._next = now + max(self._least_seconds, (now - start) / self._share)

    def standings(self) -> StandingsAcross:
        """Return how far it is."""
        parts = [part for part in self._parts if part.has_started]
        by_name: dict[str, list[LearnerProgress]] = {}
        failures: dict[str, Counter[str]] = {}
        each = [part.standings for part in parts]
        for part, standings in zip(parts, each, strict=True):
            for index, item in enumerate(standings.learners):
                by_name.setdefault(item.name, []).append(item)
                failures.setdefault(item.name, Counter()).update(part.failures[index])
        ranks, n_ranked = _mean_ranks([part.findings for part in parts])
        first = each[0]
        return StandingsAcross(
            [_together(name, items) for name, items in by_name.items()],
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
        self._weigh: Callable[[Evaluation], Findings] | None = None
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

    @property
    def standings(self) -> Standings:
        """Progress of the learners on this data set."""
        return self._standings(None)

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


def _together(name: str, items: Sequence[LearnerProgress]) -> LearnerProgress:
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


def _mean_ranks(findings: Sequence[Findings | None]) -> tuple[dict[str, float], int]:
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

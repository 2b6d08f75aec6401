"""Counts of runs while they are done: how far each learner is, and how long the rest may take."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bestofk.evaluation import Evaluation, EvaluationRequest, Observer, RunRecord, Store
from bestofk.evaluation.engines.choice import n_local_processes
from bestofk.evaluation.run_table import RunTable
from bestofk.report.progress.standings import (
    DONE,
    ELIMINATED,
    RUNNING,
    WAITING,
    LearnerProgress,
    Standings,
)

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

"""Comparison on a large table: one hold-out, with growing numbers of training rows."""

import math
import time
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from bestofk.comparison.options import ComparisonSettings
from bestofk.data import DataSet
from bestofk.evaluation import (
    Evaluation,
    EvaluationCache,
    EvaluationRequest,
    Observer,
    Store,
    evaluate,
)
from bestofk.evaluation.options import counted_time, deadline_of
from bestofk.evaluation.queue.request_runs import RequestRuns
from bestofk.evaluation.record import KEEP_SCORES
from bestofk.evaluation.score import score_key
from bestofk.inference.many_learners.pair_evidence import ROW_TESTS, wanted_test
from bestofk.resampling import SplitPlan, make_plan
from bestofk.resampling.partial_training import partial_hold_outs
from bestofk.stopping import growing_rows
from bestofk.stopping.growing_rows import GrowingRows
from bestofk.stopping.history import RowsHistory
from bestofk.verdict.verdict_options import VerdictOptions

_TESTS = (VerdictOptions.test, *ROW_TESTS)  # the usual one leaves the choice to the measure
INTERRUPTED, OUT_OF_TIME = "the comparison was interrupted", "the budget of time was spent"
_LOST = "runs were lost"


def has_growing_rows(settings: ComparisonSettings, data: DataSet) -> bool:
    """Return whether an adaptive comparison lets training rows grow instead of repeating.

    On more than 20,000 rows it does, unless something asks for repeats or needs them: groups, time,
    `max_repeats`, `stopping`, a preference, a test of splits, or scores without predictions.
    """
    wanted = (settings.max_repeats, settings.stopping, settings.prefer, data.groups, data.time,
              settings.window, settings.gap)  # fmt: skip
    return (
        settings.is_adaptive
        and data.n_samples > growing_rows.LARGE
        and all(item is None for item in wanted)
        and wanted_test(settings.test) in _TESTS
        and settings.keep != KEEP_SCORES
    )


def hold_out_of(data: DataSet, settings: ComparisonSettings) -> SplitPlan:
    """Return the hold-out of a large table; unstratified where a class has a single row."""
    share = min(growing_rows.TEST_SHARE, growing_rows.MOST_TEST_ROWS / data.n_samples)
    written = np.format_float_positional(share, precision=3, fractional=False, trim="-")
    is_divisible = not data.is_classification or bool(data.class_counts.min() > 1)
    plan = make_plan(
        data, f"holdout:{written}", stratify=settings.stratify and is_divisible,
        random_state=settings.random_state,
    )  # fmt: skip
    assert isinstance(plan, SplitPlan)  # hold-outs are
    return plan


class GrowingComparison:
    """Runs of a comparison on growing numbers of rows, up to those of its hold-out.

    Parameters
    ----------
    request : EvaluationRequest
        Its plan is one hold-out.
    store : Store
        Where finished runs are found and put.
    observer : Observer or None
        Receives progress, and a provisional verdict after each size.
    """

    def __init__(self, request: EvaluationRequest, store: Store, observer: Observer | None) -> None:
        self.store, self.observer = store, observer or Observer()
        self.request = request = replace(request, shared=EvaluationCache())
        plan, learners = request.plan, request.learners
        assert isinstance(plan, SplitPlan)  # a hold-out is
        self.growing = GrowingRows(
            [learner.name for learner in learners],
            [learner.is_baseline for learner in learners],
            request.measures[0], int(plan.n_train),
        )  # fmt: skip
        sizes = self.growing.sizes
        self.plans = (*partial_hold_outs(request.data, plan, sizes[:-1]), plan)
        self.deadline = deadline_of(request.budget)
        self.counts: list[Evaluation] = []  # of each size, without its runs
        self.whole: Evaluation | None = None  # of the last size that all learners finished
        # what decisions on seconds depend on, of what may differ from call to call
        seconds, n_bytes = request.limits
        limits = f"budget {request.budget}, timeout {seconds}"
        if n_bytes is not None:  # a store from before has decisions without
            limits += f", memory {n_bytes}"
        self.purpose = f"growing rows, {score_key(request.measures[0])}, {limits}"

    def run(self) -> tuple[Evaluation, RowsHistory]:
        """Train on growing numbers of rows, and return the runs of the verdict.

        Returns
        -------
        Evaluation
            The hold-out; where it was not reached, the runs with the most rows on which every
            learner that went on was trained.
        RowsHistory
            How it went.
        """
        with counted_time():  # by all sizes
            return self._run()

    def _run(self) -> tuple[Evaluation, RowsHistory]:
        self.number = RequestRuns(self.request, self.store).comparison_number
        ending, n_left, step = "", 0, 0
        while (index := self.growing.next_size) is not None:
            part = self._evaluated(index)
            runs = self.growing.runs
            n_missing = int((runs if part is None else part.is_unfinished[runs, 0]).sum())
            if n_missing:
                ending = _ending(part)
                # of the evaluation that is returned, missing runs are counted elsewhere
                n_left = 0 if self.whole is None else n_missing
                n_left += int(runs.sum()) * (len(self.plans) - index - 1)
                self.whole = self.whole or part
                break
            assert part is not None  # then all runs would be missing
            self.whole = part
            self.growing.take(part)
            self._stop_slow(step)
            if self.growing.next_size is not None:
                self.observer.provisional(self.growing.sentence())
            step += 1
        assert self.whole is not None  # the first size always begins
        return self._summed(self.whole, ending), self.growing.history(ending, n_left)

    def so_far(self, part: Evaluation) -> tuple[Evaluation, RowsHistory]:
        """Return the runs of the last finished size, or those of the first size so far."""
        return self.whole or part, self.growing.history("", 0)

    def _evaluated(self, index: int) -> Evaluation | None:
        """Return the runs of a size; None if no time is left for it."""
        left = self._seconds_left()
        if index and left is not None and self.growing.is_hopeless(left):
            return None
        request = replace(
            self.request, plan=self.plans[index], wanted=tuple(self.growing.runs.tolist()),
            title=f"{self.growing.sizes[index]:,} training rows",
        )  # fmt: skip
        part = evaluate(request, self.store, self.observer)
        self.counts.append(replace(part, records=(), kept_scores=(), cost_runs=()))
        return part

    def _seconds_left(self) -> float | None:
        return None if self.deadline == math.inf else self.deadline - time.monotonic()

    def _stop_slow(self, step: int) -> None:
        """Stop slow learners; a decision in the store is repeated."""
        kept: list[Mapping[str, float]] = self.store.decisions(self.number, self.purpose)
        if step < len(kept):
            slow = kept[step]
        else:
            slow = self.growing.too_slow(self._seconds_left())
            self.store.keep_decisions(self.number, self.purpose, [slow], start=step)
        self.growing.stop_growing(slow)

    def _summed(self, whole: Evaluation, ending: str) -> Evaluation:
        """Return the runs of a size with the counts of all sizes."""
        return replace(
            whole,
            n_fitted=sum(part.n_fitted for part in self.counts),
            n_reused=sum(part.n_reused for part in self.counts),
            n_outdated=sum(part.n_outdated for part in self.counts),
            damaged=tuple(text for part in self.counts for text in part.damaged),
            is_interrupted=ending == INTERRUPTED,
            is_out_of_time=ending == OUT_OF_TIME,
        )


def _ending(part: Evaluation | None) -> str:
    """Return the reason why a size is not finished."""
    if part is None or part.is_out_of_time:
        return OUT_OF_TIME
    return INTERRUPTED if part.is_interrupted else _LOST

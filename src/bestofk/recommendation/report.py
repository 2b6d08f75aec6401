"""Result of a recommendation: the order, each test, the pick and its evidence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from bestofk.comparison.comparison import Comparison
from bestofk.errors import InvalidArgumentError
from bestofk.measures import Measure
from bestofk.measures.words import better_side, score_in_words, value_cell, value_title
from bestofk.recommendation.loss_time import LossTimeCurve, Window, as_fraction
from bestofk.report import json_object, plots, to_text
from bestofk.report.parts import Row, Sections, Table, table_of
from bestofk.report.reported import Reported
from bestofk.report.sections import sections
from bestofk.verdict.complete_scores import first_names
from bestofk.words import grouped, joined_lines, listing, percent, seconds, times

INTERRUPTED, SPENT = "interrupted", "the budget is spent"  # why a learner was not tested
N_FOLDS = 10  # of the test of a learner
DONE = "done"
FAILED = "failed"


class Forecast(NamedTuple):
    """Expected score and time of a learner at its turn, according to the history.

    Attributes
    ----------
    learner : str
        Its name.
    gain : float
        What it is expected to add to the best score so far; of the history's measure.
    seconds : float
        How long its test is expected to take on this data set; nan if unknown.
    """

    learner: str
    gain: float
    seconds: float


class TriedLearner(NamedTuple):
    """Outcome of the test of one learner.

    Attributes
    ----------
    learner : str
        Its name.
    state : {"done", "ended early", "cut off", "failed"}
        Whether all folds were done; ended early because it could not win, or cut off because
        the budget was spent.
    loss : float
        Mean loss of the deciding measure over the folds done; nan if there is none.
    n_folds : int
        Folds done.
    seconds : float
        Fit and predict, all folds, and what went into a run that was cut off.
    expected_gain, expected_seconds : float
        What the history made expect before it.
    best_so_far : str
        The learner with the lowest mean loss after this test; "" before the first.
    """

    learner: str
    state: str
    loss: float
    n_folds: int
    seconds: float
    expected_gain: float
    expected_seconds: float
    best_so_far: str


class PlannedRow(NamedTuple):
    """Expected result of a learner before any test.

    Attributes
    ----------
    learner : str
        Its name.
    gain : float
        What it is expected to add to the best score so far, as a proportion.
    seconds : float
        Expected time of its test; nan if unknown.
    seconds_so_far : float
        The sum of those that fit into the budget, up to this one.
    fits : bool
        Whether its test is expected to end within the budget.
    """

    learner: str
    gain: float
    seconds: float
    seconds_so_far: float
    fits: bool


class SpentSeconds(NamedTuple):
    """Breakdown of the time spent on a recommendation.

    Attributes
    ----------
    earlier : float
        In earlier calls, which this one went on with.
    tests : float
        Training and predicting, runs that were cut off and earlier calls included.
    start, evidence : float
        Of this call: all before the first test, and the verdict.
    """

    earlier: float = 0.0
    tests: float = 0.0
    start: float = 0.0
    evidence: float = 0.0


NOT_MEASURED = SpentSeconds()


@dataclass(frozen=True, eq=False, repr=False)
class Recommendation(Reported):
    """Recommended order for a new data set, based on earlier ones, and its outcome.

    Made by `recommend`.

    Attributes
    ----------
    data_name, task : str
        The new data set.
    measure : Measure
        The deciding measure.
    planned : tuple of Forecast
        The order before any learner was tried.
    tried : tuple of TriedLearner
        In the order tried; empty after a dry run.
    untried : tuple of (str, str)
        Learners that were left out, each with the reason.
    comparison : Comparison or None
        The verdict among the learners tested in full; None if there are fewer than two.
    budget_seconds : float or None
        Time limit; None if there was none.
    seconds : float
        Seconds of the call, and of earlier calls that it resumed.
    notes : tuple of str
        Remarks on the history.
    n_data_sets : int or None
        Number of earlier data sets behind the order; None if unknown.
    default_loss : float
        Loss of the deciding measure without any learner; nan if unknown.
    spent : SpentSeconds
        Seconds spent on tests, start and evidence.
    guesses : tuple of str
        Assumptions made when the data were read.
    method, method_title : str
        Method that made the order, as users type it and as texts print it.
    p : float or None
        Weight of time of the method, if it has one.
    window : Window or None
        Range of seconds that count, if the method uses one.
    """

    data_name: str
    task: str
    measure: Measure
    planned: tuple[Forecast, ...]
    tried: tuple[TriedLearner, ...]
    untried: tuple[tuple[str, str], ...]
    comparison: Comparison | None
    budget_seconds: float | None
    seconds: float
    notes: tuple[str, ...]
    n_data_sets: int | None = None
    default_loss: float = math.nan
    spent: SpentSeconds = NOT_MEASURED
    guesses: tuple[str, ...] = ()
    method: str = ""
    method_title: str = ""
    p: float | None = None
    window: Window | None = None

    @property
    def best(self) -> str | None:
        """The pick; None if no learner was tested in full."""
        if self.comparison is not None:
            return str(self.comparison.best)
        return self.tried[-1].best_so_far or None if self.tried else None

    @property
    def is_dry_run(self) -> bool:
        """Whether no learner was to be tested."""
        return not self.tried and not self.untried

    @property
    def is_interrupted(self) -> bool:
        """Whether learners were left out because of Ctrl-C."""
        return any(reason == INTERRUPTED for _, reason in self.untried)

    @property
    def planned_rows(self) -> tuple[PlannedRow, ...]:
        """The order before any test, with its running time."""
        return planned_rows(self.planned, self.budget_seconds)

    @property
    def compared(self) -> Sections | None:
        """Report on the learners tested in full; None if there are fewer than two."""
        return None if self.comparison is None else sections(self.comparison.findings)

    def value(self, attempt: TriedLearner) -> float:
        """Return the mean of a learner in the unit of the deciding measure."""
        return -attempt.loss if self.measure.greater_is_better else attempt.loss

    @property
    def method_text(self) -> str:
        """Title, P and window of the method."""
        if not self.method:
            return ""
        text = self.method_title
        if self.p is not None and as_fraction(self.p) not in text:
            text += f" ({as_fraction(self.p)})"
        if self.window is None:
            return text
        first, last = map(seconds, self.window)
        return f"{text}; time counts from {first} to {last}"

    def text(self) -> str:
        """Return the answer: three lines that can be read aloud; `print` shows the whole report."""
        return joined_lines(self.answer)

    def __str__(self) -> str:
        return to_text(self.sections())

    def sections(self) -> Sections:
        """Return the report: answer, table, details, caveats and guesses."""
        compared, is_dry_run = self.compared, self.is_dry_run
        tables = [_planned_table(self)] if is_dry_run else []
        if self.tried:
            tables = [_tried_table(self)]
        return Sections(
            title=f"{self.data_name}: learners in recommended order",
            answer=_answer(self),
            tables=tables,
            details=[
                *_opening(self),
                *([] if is_dry_run else [*_left_out(self.untried), _time(self)]),
                *self.notes,
                *(compared.details if compared else ()),
            ],
            caveats=compared.caveats if compared else (),
            guessed=self.guesses,
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per learner: those tried in their order, then the others.

        Columns: learner, state ("planned" before anything was tried, "left out" afterwards),
        loss, n_folds, seconds, expected_gain, expected_seconds, best_so_far.
        """
        rows = [attempt._asdict() for attempt in self.tried]
        names = {attempt.learner for attempt in self.tried}
        state = "left out" if self.tried or self.untried else "planned"
        rows += [
            TriedLearner(
                forecast.learner, state, np.nan, 0, np.nan, forecast.gain, forecast.seconds, ""
            )._asdict()
            for forecast in self.planned
            if forecast.learner not in names
        ]
        return pd.DataFrame(rows, columns=TriedLearner._fields)

    def curve(self) -> LossTimeCurve:
        """Return the curve of the loss while learners were tested.

        Losses are of the deciding measure, against the best that was found; time is that of
        the tests, one after the other.  Only whole tests lower the loss.  Where it is unknown
        the loss without any learner, the highest of those tested in full stands in.

        Raises
        ------
        InvalidArgumentError
            If no learner was tested in full.
        """
        scores = [-attempt.loss if attempt.state == DONE else math.nan for attempt in self.tried]
        if np.isnan(scores).all():
            raise InvalidArgumentError(
                "a curve of losses must rest on at least one learner tested in full; got none. "
                f"Give more budget than {seconds(self.budget_seconds or self.seconds)}."
            )
        default = np.nanmin(scores) if math.isnan(self.default_loss) else -self.default_loss
        return LossTimeCurve.of_tests(
            scores, [attempt.seconds for attempt in self.tried], default_score=float(default)
        )

    def display(self) -> plots.Display | None:
        """Return the picture of the differences to the pick, not yet drawn; None without one."""
        if self.comparison is None or self.comparison.best is None:
            return None
        return plots.DifferencesDisplay.from_findings(self.comparison.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, as JSON has it.

        The pick first, then what was planned, tried and left out; ``comparison`` is the object
        of the comparison among those tested in full, or null.
        """
        return {
            "answer": list(self.answer),
            "best": self.best,
            "measure": {
                "name": self.measure.name,
                "greater_is_better": self.measure.greater_is_better,
            },
            "tried": [
                {
                    "learner": attempt.learner,
                    "state": attempt.state,
                    "value": self.value(attempt),
                    "n_folds": attempt.n_folds,
                    "seconds": attempt.seconds,
                    "expected_seconds": attempt.expected_seconds,
                    "best_so_far": attempt.best_so_far,
                }
                for attempt in self.tried
            ],
            "left_out": [{"learner": name, "reason": why} for name, why in self.untried],
            "planned": [row._asdict() for row in self.planned_rows],
            "data": {"name": self.data_name, "task": self.task},
            "method": self.method,
            "p": self.p,
            "window_seconds": None if self.window is None else list(self.window),
            "n_data_sets": self.n_data_sets,
            "notes": self.notes,
            "budget_seconds": self.budget_seconds,
            "seconds": self.seconds,
            "spent_seconds": self.spent._asdict(),
            "text": self.text(),
            "comparison": self.comparison and json_object(self.comparison.findings),
        }

    def __repr__(self) -> str:
        first = f"<Recommendation for {self.data_name}: best is {self.best}>"
        return joined_lines([first, *self.answer])


def planned_rows(
    forecasts: Iterable[tuple[str, float, float]], budget_seconds: float | None
) -> tuple[PlannedRow, ...]:
    """Return the planned order with its running time, and which learners the budget has room for.

    Parameters
    ----------
    forecasts : iterable of (str, float, float)
        Learner, expected gain and expected seconds, in the planned order.
    budget_seconds : float or None
        A learner that does not fit is left out, and those after it are looked at.

    Returns
    -------
    tuple of PlannedRow
        A learner whose time is unknown fits, and adds nothing.

    Examples
    --------
    >>> [row.fits for row in planned_rows([("a", 0.2, 5), ("b", 0.1, 9), ("c", 0, 4)], 10)]
    [True, False, True]
    """
    limit = math.inf if budget_seconds is None else budget_seconds
    rows, spent = [], 0.0
    for learner, gain, expected in forecasts:
        known = 0.0 if math.isnan(expected) else expected
        fits = spent + known <= limit
        spent += known if fits else 0.0
        rows.append(PlannedRow(learner, gain, expected, spent, fits))
    return tuple(rows)


def _answer(report: Recommendation) -> tuple[str, ...]:
    """Return the learner to use or try, other plausible ones, and the claim about new data.

    A learner that was not tested in full is never called worse.
    """
    if report.is_dry_run:
        return _planned_answer(report)
    full = [row for row in report.tried if row.state == DONE]
    if not full:
        return _no_pick(report)
    outside = _outside(report)
    if compared := report.compared:
        first, second, third = compared.answer
        return first, " ".join(filter(None, [second, outside])), third
    first = f"Use {full[-1].learner}: {score_in_words(report.measure, report.value(full[-1]))}."
    second = f"It is the only learner that was tested in full. {outside}".strip()
    return first, second, "No claim about new data: it was compared with no other learner."


# -- before anything is tried ------------------------------------------------------------


def _planned_table(report: Recommendation) -> Table:
    rows = [
        [
            row.learner,
            "-" if math.isnan(row.seconds) else percent(row.gain),
            seconds(row.seconds),
            seconds(row.seconds_so_far) if row.fits else "does not fit",
        ]
        for row in report.planned_rows
    ]
    heads = ["learner", "expected\ngain", "expected\ntime", "total\ntime"]
    return table_of(heads, rows, foot=_planned_legend(report))


def _planned_legend(report: Recommendation) -> str:
    texts = [
        "expected gain: percentage points that it adds to the best score so far, at first that of "
        "always naming the commonest class",
        f"expected time: {N_FOLDS} folds on these data",
    ]
    if any(math.isnan(row.seconds) for row in report.planned_rows):
        texts.append("-: not known")
    return "; ".join(texts)


def _planned_answer(report: Recommendation) -> tuple[str, ...]:
    rows = report.planned_rows
    first, *others = [row.learner for row in rows]
    then = f", then {first_names(others)}" if others else ""
    if all(math.isnan(row.seconds) for row in rows):
        return (
            f"Try {first} first{then}.",
            "It is not known what the learners gain here, nor how long they take.",
            "No claim about new data: nothing was tried yet.",
        )
    return (
        f"Try {first} first{then}.",
        _fits(report),
        "No claim about new data: nothing was tried yet, and each test may change the order.",
    )


def _fits(report: Recommendation) -> str:
    rows = report.planned_rows
    total = seconds(sum(row.seconds for row in rows if not math.isnan(row.seconds)))
    n_known = sum(not math.isnan(row.seconds) for row in rows)
    known = f"the {n_known} known of {_learners(report)}"
    if n_known == len(rows):
        known = f"all {_learners(report)}"
    expected = f"{known[0].upper()}{known[1:]} should take {total}"
    if report.budget_seconds is None:
        return f"{expected}."
    limit = seconds(report.budget_seconds)
    outside = [row.learner for row in rows if not row.fits]
    if not outside:
        return f"{expected}, within the budget of {limit}."
    return f"{expected}; beyond the budget of {limit}: {first_names(outside)}."


# -- what was tried ----------------------------------------------------------------------


def _opening(report: Recommendation) -> list[str]:
    n_known = sum(not math.isnan(row.seconds) for row in report.planned_rows)
    order = "earlier results" if n_known else "the catalogue"
    if report.is_dry_run:
        averages = ", their averages over earlier data sets" if n_known else ""
        lines = [f"{report.data_name}: {_learners(report)} in the order of {order}{averages}."]
    else:
        n_full = sum(row.state == DONE for row in report.tried)
        lines = [
            f"{report.data_name}: {len(report.tried)} of {_learners(report)} tried in the order "
            f"of {order}, {n_full} in full.",
        ]
        if report.comparison is None:
            direction = better_side(report.measure)
            lines.append(f"Measure: {report.measure.title} ({direction} is better).")
    if report.n_data_sets:
        if report.method_text:
            lines.append(f"Method: {report.method_text}.")
        known = f"{n_known} of the {_learners(report)}"
        if n_known == len(report.planned_rows):
            known = f"all {_learners(report)}"
        earlier = times(report.n_data_sets, "earlier data set")
        lines.append(f"History: {earlier}; it covers {known}.")
    return lines


def _learners(report: Recommendation) -> str:
    return times(len(report.planned_rows), "learner")


def _tried_table(report: Recommendation) -> Table:
    measure = report.measure
    title = value_title(measure)
    heads = ["learner", title, "folds", "state", "time", "expected\ntime", "best so far"]
    rows = [
        Row(
            row.learner,
            "best" if row.learner == report.best else "",
            (
                value_cell(measure, report.value(row)),
                f"{row.n_folds}/{N_FOLDS}",
                row.state,
                seconds(row.seconds),
                seconds(row.expected_seconds),
                row.best_so_far or "-",
            ),
        )
        for row in report.tried
    ]
    return Table(heads, rows, foot=_tried_legend(report), left=(0, 3, 6))


def _tried_legend(report: Recommendation) -> str:
    states = {row.state for row in report.tried}
    meanings = {
        "ended early": "could hardly win any more, by the folds done",
        "cut off": "the budget was spent",
        FAILED: "a fold raised an error or took too long",
    }
    title = f"{value_title(report.measure)}: mean over the folds done"
    ends = [f"{state}: {said}" for state, said in meanings.items() if state in states]
    return "; ".join([title, "time: training and predicting", *ends])


def _left_out(untried: Sequence[tuple[str, str]]) -> list[str]:
    """Return one sentence per reason."""
    names_of = grouped((why, name) for name, why in untried)
    return [f"Left out, {why}: {listing(names)}." for why, names in names_of.items()]


def _time(report: Recommendation) -> str:
    spent = report.spent
    parts = {
        "training and predicting": spent.tests,
        "the start": spent.start,
        "weighing the evidence": spent.evidence,
    }
    parts["the rest"] = max(report.seconds - sum(parts.values()), 0.0)
    said = listing(f"{seconds(value)} for {name}" for name, value in parts.items() if value > 0)
    earlier = f", {seconds(spent.earlier)} of it in earlier calls" if spent.earlier else ""
    text = f"Time: {seconds(report.seconds)} altogether{earlier}: {said}"
    limit = report.budget_seconds
    return f"{text}; no budget." if limit is None else f"{text}; the budget is {seconds(limit)}."


def _no_pick(report: Recommendation) -> tuple[str, ...]:
    failed = [row.learner for row in report.tried if row.state == FAILED]
    texts = [f"Failed: {first_names(failed)}."] if failed else []
    if len(failed) < len(report.planned_rows):
        expected = [(row.seconds, row.learner) for row in report.planned_rows]
        known = [item for item in expected if not math.isnan(item[0]) and item[1] not in failed]
        limit = report.budget_seconds
        need = "as much again" if limit is None else seconds(2 * limit)
        if known:
            shortest, name = min(known)
            need = (
                f"{seconds(report.spent.start + 2 * shortest)} or more. The start took "
                f"{seconds(report.spent.start)}, and {name}, the quickest, should take "
                f"{seconds(shortest)}"
            )
        texts.append(f"Give more budget: {need}.")
    return (
        f"No pick on {report.data_name}: no learner was tested in full.",
        " ".join(texts),
        "No claim about new data: there is no pick.",
    )


def _outside(report: Recommendation) -> str:
    """Return the learners that were not considered for the pick although they may be better."""
    states = grouped((row.state, row.learner) for row in report.tried)
    untested = [*states.get("cut off", []), *(name for name, _ in report.untried)]
    said = {
        "Ended early, as they could hardly win": states.get("ended early"),
        "Failed": states.get(FAILED),
        "Not tested in full, so may be better": untested,
    }
    return " ".join(f"{what}: {first_names(names)}." for what, names in said.items() if names)

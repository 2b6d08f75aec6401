"""Result of a recommendation: the order, the tests made, and the pick."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from bestofk.comparison.comparison import Comparison
from bestofk.errors import InvalidArgumentError
from bestofk.measures import Measure
from bestofk.recommendation.a3r import as_fraction
from bestofk.recommendation.loss_time import LossTimeCurve, Window
from bestofk.report import json_object
from bestofk.report.parts import Sections
from bestofk.report.recommendation_text import (
    DONE,
    NOT_MEASURED,
    RecommendationFindings,
    SpentSeconds,
    TriedRow,
    planned_rows,
    recommendation_sections,
)
from bestofk.report.reported import Reported
from bestofk.report.sections import sections
from bestofk.words import seconds as seconds_in_words

if TYPE_CHECKING:
    from bestofk.report.plots import Display

N_FOLDS = 10  # of the test of a learner


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


@dataclass(frozen=True, eq=False)
class Recommendation(Reported):
    """Recommended order for a new data set, based on earlier ones, and its outcome.

    Attributes
    ----------
    data_name, task : str
        The new data set.
    measure : Measure
        What decides.
    planned : tuple of Forecast
        The order before anything was tried.
    tried : tuple of TriedLearner
        In the order tried; empty after a dry run.
    untried : tuple of (str, str)
        Learners that were left out, and why.
    comparison : Comparison or None
        The verdict among the learners tested in full; None if there are fewer than two.
    budget_seconds : float or None
        None where there was no limit.
    seconds : float
        From the call to its end, and those of earlier calls that it went on with.
    notes : tuple of str
        What a reader should know about the history.
    n_data_sets : int or None
        Earlier data sets that the order rests on; None where that was not told.
    default_loss : float
        Loss of the deciding measure without any learner; nan where it is not known.
    spent : SpentSeconds
        Where the seconds went: tests, start and evidence.
    guesses : tuple of str
        How the data were read.
    method, method_title : str
        How the order was made, as users type it and as texts print it.
    p : float or None
        Weight of time of the method, where it has one.
    window : Window or None
        The seconds that count, where the method uses them.
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
        """Return how the loss fell while learners were tested.

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
                "Give more budget."
            )
        default = np.nanmin(scores) if math.isnan(self.default_loss) else -self.default_loss
        return LossTimeCurve.of_tests(
            scores, [attempt.seconds for attempt in self.tried], default_score=float(default)
        )

    @cached_property
    def findings(self) -> RecommendationFindings:
        """Everything that the text says, as plain numbers and sentences."""
        sign = -1 if self.measure.greater_is_better else 1
        verdict = None if self.comparison is None else self.comparison.findings
        return RecommendationFindings(
            title=self.data_name,
            measure=self.measure,
            n_data_sets=self.n_data_sets,
            n_folds=N_FOLDS,
            notes=self.notes,
            planned=planned_rows(self.planned, self.budget_seconds),
            tried=tuple(
                TriedRow(
                    attempt.learner,
                    attempt.state,
                    sign * attempt.loss,
                    attempt.n_folds,
                    attempt.seconds,
                    attempt.expected_seconds,
                    attempt.best_so_far,
                )
                for attempt in self.tried
            ),
            untried=self.untried,
            budget_seconds=self.budget_seconds,
            seconds=self.seconds,
            best=self.best,
            compared=None if verdict is None else sections(verdict),
            guesses=self.guesses,
            spent=self.spent,
            method=self._method_text(),
        )

    def _method_text(self) -> str:
        """Return title, P and window of the method."""
        if not self.method:
            return ""
        text = self.method_title
        if self.p is not None and as_fraction(self.p) not in text:
            text += f" ({as_fraction(self.p)})"
        if self.window is None:
            return text
        first, last = map(seconds_in_words, self.window)
        return f"{text}; time counts from {first} to {last}"

    def sections(self) -> Sections:
        """Return the report: answer, table, details, caveats and guesses."""
        return recommendation_sections(self.findings)

    def display(self) -> Display | None:
        """Return the picture of the differences to the pick, not yet drawn; None without one."""
        from bestofk.report.plots import DifferencesDisplay

        if self.comparison is None or self.comparison.best is None:
            return None
        return DifferencesDisplay.from_findings(self.comparison.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, as JSON has it.

        The pick first, then what was planned, tried and left out; ``comparison`` is the object
        of the comparison among those tested in full, or null.
        """
        findings = self.findings
        return {
            "answer": list(self.answer),
            "best": self.best,
            "measure": {
                "name": self.measure.name,
                "greater_is_better": self.measure.greater_is_better,
            },
            "tried": [attempt._asdict() for attempt in findings.tried],
            "left_out": [{"learner": name, "reason": why} for name, why in self.untried],
            "planned": [forecast._asdict() for forecast in findings.planned],
            "data": {"name": self.data_name, "task": self.task},
            "method": self.method,
            "p": self.p,
            "window_seconds": None if self.window is None else list(self.window),
            "n_data_sets": self.n_data_sets,
            "notes": self.notes,
            "budget_seconds": self.budget_seconds,
            "seconds": self.seconds,
            "spent_seconds": self.spent._asdict(),
            "text": "\n".join(self.answer),
            "comparison": self.comparison and json_object(self.comparison.findings),
        }

    def __repr__(self) -> str:
        first = f"<Recommendation for {self.data_name}: best is {self.best}>"
        return "\n".join([first, *self.answer])

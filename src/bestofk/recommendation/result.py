"""Result of a recommendation: the order, the tests made, and the pick."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bestofk.errors import InvalidArgumentError
from bestofk.recommendation.loss_time import LossTimeCurve
from bestofk.recommendation.report import DONE, RecommendationReport, TriedLearner
from bestofk.report import json_object
from bestofk.words import joined_lines, seconds

if TYPE_CHECKING:
    from bestofk.report.plots import Display


@dataclass(frozen=True, eq=False, repr=False)
class Recommendation(RecommendationReport):
    """Recommended order for a new data set, based on earlier ones, and its outcome.

    Made by `recommend`; attributes are those of `RecommendationReport`.
    """

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
                f"Give more budget than {seconds(self.budget_seconds or self.seconds)}."
            )
        default = np.nanmin(scores) if math.isnan(self.default_loss) else -self.default_loss
        return LossTimeCurve.of_tests(
            scores, [attempt.seconds for attempt in self.tried], default_score=float(default)
        )

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

"""Picture of what learners cost: seconds of training and of predicting."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullLocator
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.errors import InvalidArgumentError
from bestofk.report.findings import Findings
from bestofk.report.plots.base import FindingsDisplay, name_list
from bestofk.report.plots.drawing import BLUE, GRAY, SMALL, VERMILION
from bestofk.report.plots.labels import cell_inches, x_label
from bestofk.report.plots.lanes import name_lanes, write_in_lane
from bestofk.report.plots.scales import score_text


class TimesDisplay(FindingsDisplay):
    """Seconds that each learner takes for training and for predicting, next to its mean score.

    Parameters
    ----------
    names : sequence of str
        Learners, best first.
    train_seconds, predict_seconds : array-like of shape (n_learners,), float
        Medians over the runs of each; nan where unknown.
    scores : array-like of shape (n_learners,), float
        Mean of the deciding measure, in its unit.
    measure_title : str
        What the scores are.

    Raises
    ------
    InvalidArgumentError
        If there is not one number of each for every learner, a time is below 0, or none is known.

    Examples
    --------
    >>> display = TimesDisplay(
    ...     ["lda", "svm"], [0.01, 2.0], [0.001, 0.4], [0.03, 0.02], measure_title="error rate"
    ... )
    >>> display.to_frame()[["learner", "train_seconds"]].values.tolist()
    [['lda', 0.01], ['svm', 2.0]]
    """

    hidden_sides = ("top", "right", "left")

    def __init__(
        self,
        names: Sequence[str],
        train_seconds: ArrayLike,
        predict_seconds: ArrayLike,
        scores: ArrayLike,
        *,
        measure_title: str,
    ) -> None:
        self.scores = np.asarray(scores, dtype=float)
        self.names = name_list(names, len(self.scores), "learners")
        self.train_seconds = _known_seconds(train_seconds, "train_seconds", len(self.names))
        self.predict_seconds = _known_seconds(predict_seconds, "predict_seconds", len(self.names))
        self.measure_title = measure_title
        self.size = 6.4, 1.5 + 0.27 * len(self.names)

    @classmethod
    def from_findings(cls, findings: Findings) -> TimesDisplay:
        """Take the median seconds of a run, learners in the order of the verdict.

        Parameters
        ----------
        findings : Findings
            Of a comparison.

        Returns
        -------
        TimesDisplay
        """
        learners = findings.ordered()
        return cls(
            [learner.name for learner in learners],
            [learner.fit_seconds for learner in learners],
            [learner.predict_seconds for learner in learners],
            [learner.mean for learner in learners],
            measure_title=findings.measure.title,
        )

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame: learner, train_seconds, predict_seconds, score."""
        return pd.DataFrame(
            {
                "learner": self.names,
                "train_seconds": self.train_seconds,
                "predict_seconds": self.predict_seconds,
                "score": self.scores,
            }
        )

    def _draw(self, ax: Axes) -> None:
        train, predict, lanes = self.train_seconds, self.predict_seconds, range(len(self.names))
        ax.hlines(lanes, train, predict, color=GRAY, lw=1, zorder=1)
        dot: dict[str, Any] = {"ls": "", "ms": 7, "mew": 1.6}
        ax.plot(train, lanes, marker="o", color=BLUE, label="training", **dot)
        hollow = {**dot, "mec": VERMILION, "mfc": "none"}
        ax.plot(predict, lanes, marker="s", label="predicting", **hollow)
        name_lanes(ax, self.names)
        self._scale_seconds(ax)
        said = [score_text(float(score), self.measure_title) for score in self.scores]
        for lane, text in zip((-0.75, *lanes), (self.measure_title, *said), strict=True):
            write_in_lane(ax, text, 1, lane, xytext=(9, 0))
        x_label(ax, "median per run, logarithmic scale")
        ax.legend(
            loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False, fontsize=SMALL,
            borderaxespad=0, handletextpad=0, columnspacing=0.6,
        )  # fmt: skip

    def _scale_seconds(self, ax: Axes) -> None:
        """Scale the axis by whole powers of ten, each written as a time."""
        both = np.concatenate([self.train_seconds, self.predict_seconds])
        both = both[both > 0]
        low, high = (float(both.min()), float(both.max())) if len(both) else (0.001, 0.01)
        first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
        last += last == first
        ax.set_xscale("log")
        ax.set_xlim(10.0**first / 1.3, 10.0**last * 1.3)
        step = math.ceil((last - first) / max(2, cell_inches(ax)))
        powers = range(first, last + 1, step)
        ax.xaxis.set_major_locator(FixedLocator([10.0**power for power in powers]))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter(lambda value, _: _power_of_ten(value))


def _known_seconds(values: ArrayLike, what: str, count: int) -> Floats:
    array = np.asarray(values, dtype=float)
    if array.shape != (count,) or (array < 0).any() or np.isinf(array).any():
        raise InvalidArgumentError(
            f"{what} must be {count} numbers from 0, nan where unknown; got {array.tolist()}. "
            "Give the median of each learner."
        )
    return array


def _power_of_ten(value: float) -> str:
    """Return a whole power of ten seconds in µs, ms or s.

    Examples
    --------
    >>> _power_of_ten(1e-5), _power_of_ten(0.1), _power_of_ten(100.0)
    ('10 µs', '100 ms', '100 s')
    """
    for limit, factor, unit in ((0.9e-3, 1e6, "µs"), (0.9, 1e3, "ms")):
        if value < limit:
            return f"{value * factor:.0f} {unit}"
    return f"{value:,.0f} s"

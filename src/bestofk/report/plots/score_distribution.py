"""Picture of the scores of each learner over the splits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike, NDArray

from bestofk.report.findings import Findings
from bestofk.report.plots.base import FindingsDisplay
from bestofk.report.plots.drawing import GREEN, VERMILION, ink
from bestofk.report.plots.labels import name_lanes, short_name

_LANE = 0.32


class ScoreDistributionDisplay(FindingsDisplay):
    """Scores of every learner over the splits: points, box of the middle half, mean.

    Scores of one learner overlap in their training rows, so the width of a cloud is no
    measure of how sure its mean is.

    Parameters
    ----------
    scores : mapping of str to array-like of float
        One list of scores per learner, best learner first.
    measure_title : str
        What the scores are.
    greater_is_better : bool
        Direction of the measure.

    Examples
    --------
    >>> display = ScoreDistributionDisplay(
    ...     {"lda": [0.02, 0.04]}, measure_title="error rate", greater_is_better=False
    ... )
    >>> display.frame().values.tolist()
    [['lda', 0, 0.02], ['lda', 1, 0.04]]
    """

    def __init__(
        self, scores: Mapping[str, ArrayLike], *, measure_title: str, greater_is_better: bool
    ) -> None:
        self.scores: dict[str, NDArray[np.float64]] = {
            name: np.asarray(values, dtype=float) for name, values in scores.items()
        }
        self.measure_title = measure_title
        self.greater_is_better = greater_is_better

    @classmethod
    def from_findings(cls, findings: Findings) -> ScoreDistributionDisplay:
        """Take the scores of the deciding measure, learners in the order of the verdict.

        Parameters
        ----------
        findings : Findings
            What is to be reported.

        Returns
        -------
        ScoreDistributionDisplay
        """
        return cls(
            {learner.name: learner.scores for learner in findings.ordered()},
            measure_title=findings.measure.title,
            greater_is_better=findings.measure.greater_is_better,
        )

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per learner and split: learner, split, score."""
        rows = [
            (name, split, float(value))
            for name, values in self.scores.items()
            for split, value in enumerate(values)
        ]
        return pd.DataFrame(rows, columns=["learner", "split", "score"])

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches at which all of it can be read."""
        return 6.4, 1.1 + 0.42 * max(len(self.scores), 2)

    def _draw(self, ax: Axes) -> None:
        for index, values in enumerate(self.scores.values()):
            known = values[np.isfinite(values)]
            if len(known):
                _draw_learner(ax, index, known)
        name_lanes(ax, list(map(short_name, self.scores)))
        direction = "right is better" if self.greater_is_better else "left is better"
        ax.set_xlabel(
            f"{self.measure_title} per split ({direction})\nbox: middle half; diamond: mean"
        )


def _draw_learner(ax: Axes, lane: int, values: NDArray[np.float64]) -> None:
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    # low-discrepancy heights: points of one value do not hide each other, and nothing is random
    heights = lane + _LANE * 2 * ((np.arange(len(values)) * 0.618034) % 1 - 0.5)
    ax.plot(values, heights, "o", ms=4, color=GREEN, alpha=0.8, mew=0, zorder=2)
    box: dict[str, Any] = {"fill": False, "ec": ink(), "lw": 1, "zorder": 3}
    ax.add_patch(Rectangle((low, lane - _LANE), high - low, 2 * _LANE, **box))
    ax.vlines(middle, lane - _LANE, lane + _LANE, color=ink(), lw=1.6, zorder=3)
    ax.plot(values.mean(), lane, "D", ms=7, color=VERMILION, mec=ink(), mew=0.8, zorder=4)

"""Picture of the scores of each learner over the splits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike, NDArray

from bestofk.report.findings import Findings
from bestofk.report.plots.base import FindingsDisplay
from bestofk.report.plots.drawing import GREEN, VERMILION, ink
from bestofk.report.plots.labels import caption, label_scale, name_lanes, write_in_lane
from bestofk.report.plots.scales import (
    mark_outside,
    near_range,
    scale_title,
    score_text,
    show_scale,
)

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
        note = "dots: splits; box: middle half; diamond: mean"
        if self.draw_scores(ax):
            note += "; arrowhead: off the axis, with the mean"
        caption(ax, note)

    def draw_scores(self, ax: Axes) -> bool:
        """Draw lanes and their axis; return whether a learner lies outside of it."""
        known = [values[np.isfinite(values)] for values in self.scores.values()]
        limits = _limits(known)
        ax.set_xlim(*limits)
        outside = [self._draw_learner(ax, lane, values) for lane, values in enumerate(known)]
        name_lanes(ax, list(self.scores))
        show_scale(ax.xaxis, self.measure_title)
        direction = "right is better" if self.greater_is_better else "left is better"
        label_scale(ax, f"{scale_title(self.measure_title)} per split; {direction}")
        return any(outside)

    def _draw_learner(self, ax: Axes, lane: int, values: NDArray[np.float64]) -> bool:
        """Draw the scores of a learner; return whether its mean lies outside of the axis."""
        low, high = ax.get_xlim()
        if not len(values) or low <= values.mean() <= high:
            _draw_scores(ax, lane, values[(values >= low) & (values <= high)], values)
            return False
        side = 1 if values.mean() > high else -1
        mark_outside(ax, side, lane, VERMILION)
        said, away = score_text(float(values.mean()), self.measure_title), (-8 * side, 0)
        ha = "right" if side > 0 else "left"
        write_in_lane(ax, said, float(side > 0), lane, xytext=away, ha=ha)
        return True


def _limits(scores: Sequence[NDArray[np.float64]]) -> tuple[float, float]:
    """Return the ends of the axis: all scores, but not of the few learners that are far off."""
    known = [values for values in scores if len(values)]
    if not known:
        return 0.0, 1.0
    middle = float(np.median([values.mean() for values in known]))
    reaches = [float(np.abs(values - middle).max()) for values in known]
    reach = near_range(reaches) * (1 + 1e-9)
    near = [values for values, own in zip(known, reaches, strict=True) if own <= reach]
    low, high = float(min(map(np.min, near))), float(max(map(np.max, near)))
    margin = 0.04 * (high - low) or 0.05 * abs(high) or 0.05
    return low - margin, high + margin


def _draw_scores(
    ax: Axes, lane: int, shown: NDArray[np.float64], values: NDArray[np.float64]
) -> None:
    if not len(values):
        return
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    # low-discrepancy heights: points of one value do not hide each other, and nothing is random
    heights = lane + _LANE * 2 * ((np.arange(len(shown)) * 0.618034) % 1 - 0.5)
    ax.plot(shown, heights, "o", ms=4, color=GREEN, alpha=0.8, mew=0, zorder=2)
    box: dict[str, Any] = {"fill": False, "ec": ink(), "lw": 1, "zorder": 3}
    ax.add_patch(Rectangle((low, lane - _LANE), high - low, 2 * _LANE, **box))
    ax.vlines(middle, lane - _LANE, lane + _LANE, color=ink(), lw=1.6, zorder=3)
    ax.plot(values.mean(), lane, "D", ms=7, color=VERMILION, mec=ink(), mew=0.8, zorder=4)

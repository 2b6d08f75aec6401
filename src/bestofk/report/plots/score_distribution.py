"""Picture of the scores of each learner over the splits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk.report.findings import Findings
from bestofk.report.plots.rejection_graph import graph_size, short_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours of Okabe & Ito (2008) that stand out on white and on black.
_POINTS, _MEAN = "#009E73", "#D55E00"
_LANE = 0.32


class ScoreDistributionDisplay:
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

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn, after `plot`.
    figure_ : matplotlib Figure
        The figure around it.

    Examples
    --------
    >>> display = ScoreDistributionDisplay(
    ...     {"lda": [0.02, 0.04]}, measure_title="error rate", greater_is_better=False
    ... )
    >>> display.frame().values.tolist()
    [['lda', 0, 0.02], ['lda', 1, 0.04]]
    """

    ax_: Axes
    figure_: Figure

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

    @classmethod
    def from_comparison(cls, comparison: Any) -> ScoreDistributionDisplay:
        """Take the scores of a comparison.

        Parameters
        ----------
        comparison : Comparison
            Result of `bestofk.compare`.

        Returns
        -------
        ScoreDistributionDisplay
        """
        return cls.from_findings(comparison.findings)

    def frame(self) -> Any:
        """Return a DataFrame with one row per learner and split: learner, split, score."""
        import pandas as pd

        rows = [
            (name, split, float(value))
            for name, values in self.scores.items()
            for split, value in enumerate(values)
        ]
        return pd.DataFrame(rows, columns=["learner", "split", "score"])

    def plot(self, ax: Axes | None = None) -> ScoreDistributionDisplay:
        """Draw the scores.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if not given.

        Returns
        -------
        ScoreDistributionDisplay
            Itself, with `ax_` and `figure_`.
        """
        if ax is None:
            import matplotlib.pyplot as plt

            _, ax = plt.subplots(figsize=graph_size(len(self.scores)), layout="constrained")
        for index, values in enumerate(self.scores.values()):
            known = values[np.isfinite(values)]
            if len(known):
                _draw_learner(ax, index, known)
        ax.set_yticks(
            range(len(self.scores)), [short_name(name) for name in self.scores], parse_math=False
        )
        ax.set_ylim(len(self.scores) - 0.4, -0.6)
        ax.tick_params(axis="y", length=0)
        for side in ("top", "right", "left"):
            ax.spines[side].set_visible(False)
        direction = "right is better" if self.greater_is_better else "left is better"
        ax.set_xlabel(
            f"{self.measure_title} per split ({direction})\nbox: middle half; diamond: mean"
        )
        self.ax_ = ax
        self.figure_ = cast("Figure", ax.get_figure())
        return self


def _draw_learner(ax: Axes, place: int, values: NDArray[np.float64]) -> None:
    from matplotlib import rcParams
    from matplotlib.patches import Rectangle

    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    ink = rcParams["text.color"]
    # low-discrepancy heights: points of one value do not hide each other, and nothing is random
    heights = place + _LANE * 2 * ((np.arange(len(values)) * 0.618034) % 1 - 0.5)
    ax.plot(values, heights, "o", ms=4, color=_POINTS, alpha=0.8, mew=0, zorder=2)
    box = Rectangle((low, place - _LANE), high - low, 2 * _LANE, fill=False, ec=ink, lw=1, zorder=3)
    ax.add_patch(box)
    ax.vlines(middle, place - _LANE, place + _LANE, color=ink, lw=1.6, zorder=3)
    ax.plot(values.mean(), place, "D", ms=7, color=_MEAN, mec=ink, mew=0.8, zorder=4)

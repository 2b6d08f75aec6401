"""Graph of rejections: significant differences as arrows between learners, alone or with scores."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch
from matplotlib.path import Path

from bestofk.errors import InvalidArgumentError
from bestofk.report.findings import Findings
from bestofk.report.plots import drawing
from bestofk.report.plots.drawing import FindingsDisplay
from bestofk.report.plots.scores import ScoreDistributionDisplay
from bestofk.verdict import Edge

MOST_LEARNERS: Final = 8  # arrows between more cannot be followed


class RejectionGraphDisplay(FindingsDisplay):
    """Graph of rejections: an arrow leads from a learner to a significantly better one.

    Learners stand below each other in the order of the verdict. The circle of a learner that no
    arrow leaves is filled, a ring around it is the pick. No arrow means no
    significant difference. More than eight learners are refused when the graph is drawn.

    Parameters
    ----------
    names : sequence of str
        Learners, best first.
    means : sequence of float
        Mean of the deciding measure, in its unit.
    edges : sequence of Edge
        Rejected hypotheses between these learners.
    best : str or None
        The best learner.
    measure_title : str
        What the means are.

    Examples
    --------
    >>> edge = Edge("cart", "lda", 0.1, 3.0, 0.001, 0.002)
    >>> display = RejectionGraphDisplay(
    ...     ["lda", "cart"], [0.02, 0.12], [edge], "lda", measure_title="error rate"
    ... )
    >>> display.to_frame()[["worse", "better", "p_adjusted"]].values.tolist()
    [['cart', 'lda', 0.002]]
    """

    hidden_sides = ("top", "right", "bottom")

    def __init__(
        self,
        names: Sequence[str],
        means: Sequence[float],
        edges: Sequence[Edge],
        best: str | None,
        *,
        measure_title: str,
    ) -> None:
        self.names, self.means, self.edges = list(names), list(means), list(edges)
        self.best, self.measure_title = best, measure_title
        self.size = 6.4, 1.1 + 0.42 * max(len(self.names), 2)

    @classmethod
    def from_findings(cls, findings: Findings) -> RejectionGraphDisplay:
        """Take the graph of a verdict.

        Parameters
        ----------
        findings : Findings
            What is to be reported.

        Returns
        -------
        RejectionGraphDisplay
        """
        verdict, title = findings.verdict, findings.measure.title
        means = [findings.learner(name).mean for name in verdict.order]
        return cls(verdict.order, means, verdict.edges, verdict.best, measure_title=title)

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per arrow: the fields of `Edge`."""
        columns = [field.name for field in dataclasses.fields(Edge)]
        return pd.DataFrame([dataclasses.asdict(edge) for edge in self.edges], columns=columns)

    def _draw(self, ax: Axes) -> None:
        self.draw_graph(ax)
        drawing.caption(ax, self.reading)

    def draw_graph(self, ax: Axes) -> None:
        """Draw learners and arrows without saying what they mean.

        Raises
        ------
        InvalidArgumentError
            If there are more than eight learners.
        """
        if len(self.names) > MOST_LEARNERS:
            raise InvalidArgumentError(
                f"names of RejectionGraphDisplay must be {MOST_LEARNERS} learners at most; got "
                f"{len(self.names)}. Use DifferencesDisplay."
            )
        arrows = [
            (self.names.index(edge.worse), self.names.index(edge.better)) for edge in self.edges
        ]
        for worse, better in arrows:
            self._draw_arrow(ax, arrows, worse, better)
        for lane, (name, mean) in enumerate(zip(self.names, self.means, strict=True)):
            fill = "none" if lane in [worse for worse, _ in arrows] else drawing.ink()
            ax.plot(0, lane, "o", ms=8, mfc=fill, mec=drawing.ink(), mew=1.4, zorder=3)
            if name == self.best:
                ax.plot(0, lane, "o", ms=15, mfc="none", mec=drawing.BLUE, mew=1.8, zorder=3)
            drawing.write_in_lane(
                ax, drawing.score_text(float(mean), self.measure_title), 1, lane, ha="right"
            )
        drawing.name_lanes(ax, self.names)
        ax.set_xlim(-0.06, 1.1)
        ax.set_xticks([])

    @property
    def reading(self) -> str:
        """Return what arrows, colors and circles mean."""
        arrows = "No learner is significantly better than another."
        if self.edges:
            arrows = "Arrows lead from worse to better; blue: to the pick, gray: to another."
        numbers = drawing.scale_title(self.measure_title)
        return f"{arrows} Ring: pick; filled: no arrow leaves it. Numbers: {numbers}."

    def _draw_arrow(
        self, ax: Axes, arrows: Sequence[tuple[int, int]], worse: int, better: int
    ) -> None:
        start, end = _height(arrows, worse, better), _height(arrows, better, worse)
        reach = 0.2 + 1.1 * abs(worse - better) / max(len(self.names) - 1, 5)
        is_pick = self.names[better] == self.best
        corners = [
            (0.035, start), (reach, (worse + better) / 2), (0.06 if is_pick else 0.035, end),
        ]  # fmt: skip
        path = Path(corners, [Path.MOVETO, Path.CURVE3, Path.CURVE3])
        color, width = (drawing.BLUE, 1.6) if is_pick else (drawing.GRAY, 1.0)
        ax.add_patch(
            FancyArrowPatch(
                path=path, arrowstyle="-|>", mutation_scale=10, color=color, lw=width, zorder=2
            )
        )


def _height(arrows: Sequence[tuple[int, int]], lane: int, other: int) -> float:
    """Return the height at which the arrow between two learners meets the first.

    Arrows from or to above meet it in its upper half, those of below in the lower; the one with
    the shorter way is outermost, so that arrows of one learner do not cross.
    """
    side = 1 if other > lane else -1
    met = {
        worse if better == lane else better for worse, better in arrows if lane in (worse, better)
    }
    ways = sorted((side * (item - lane) for item in met if side * (item - lane) > 0), reverse=True)
    rank = ways.index(abs(other - lane))
    return lane + side * (0.04 + 0.22 * rank / max(len(ways) - 1, 1))


class RejectionsAndErrorsDisplay(FindingsDisplay):
    """Graph of rejections next to the error distributions, one line per learner in both.

    Parameters
    ----------
    graph : RejectionGraphDisplay
        Significant differences.
    scores : ScoreDistributionDisplay
        Scores of the same learners in the same order.

    Raises
    ------
    InvalidArgumentError
        If the learners of both are not the same in the same order.

    References
    ----------
    Yildiz & Alpaydin (2006), Ordering and finding the best of K > 2 supervised learning
    algorithms, IEEE Transactions on Pattern Analysis and Machine Intelligence 28(3), figures 3
    and 4.

    Examples
    --------
    >>> from bestofk.verdict import Edge
    >>> graph = RejectionGraphDisplay(
    ...     ["lda", "cart"],
    ...     [0.03, 0.12],
    ...     [Edge("cart", "lda", 0.09, 3.0, 0.001, 0.002)],
    ...     "lda",
    ...     measure_title="error rate",
    ... )
    >>> scores = ScoreDistributionDisplay(
    ...     {"lda": [0.02, 0.04], "cart": [0.11, 0.13]},
    ...     measure_title="error rate",
    ...     greater_is_better=False,
    ... )
    >>> frame = RejectionsAndErrorsDisplay(graph, scores).to_frame()
    >>> frame[["learner", "median", "worse_than"]].values.tolist()
    [['lda', 0.03, ''], ['cart', 0.12, 'lda']]
    """

    def __init__(self, graph: RejectionGraphDisplay, scores: ScoreDistributionDisplay) -> None:
        if graph.names != list(scores.scores):
            raise InvalidArgumentError(
                "graph and scores must have the same learners in the same order; got "
                f"{', '.join(graph.names)} and {', '.join(scores.scores)}. "
                "Make both from one comparison."
            )
        self.graph, self.scores = graph, scores
        longest = drawing.longest_name(self.graph.names)
        self.size = 8.5 + 0.08 * longest, self.graph.size[1] + 0.2

    @classmethod
    def from_findings(cls, findings: Findings) -> RejectionsAndErrorsDisplay:
        """Take graph and scores of a verdict.

        Parameters
        ----------
        findings : Findings
            What is to be reported.

        Returns
        -------
        RejectionsAndErrorsDisplay
        """
        return cls(
            RejectionGraphDisplay.from_findings(findings),
            ScoreDistributionDisplay.from_findings(findings),
        )

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per learner, best first.

        Returns
        -------
        DataFrame
            Columns learner, mean, lower_quartile, median, upper_quartile (of the scores over
            the splits), worse_than: learners that are significantly better.
        """
        names, edges = self.graph.names, self.graph.edges
        scores = self.scores.to_frame().groupby("learner")["score"]
        quartiles = [scores.quantile(share).reindex(names) for share in (0.25, 0.5, 0.75)]
        lower, median, upper = np.array(quartiles)
        worse_than = [
            ", ".join(edge.better for edge in edges if edge.worse == name) for name in names
        ]
        return pd.DataFrame(
            {
                "learner": names,
                "mean": self.graph.means,
                "lower_quartile": lower,
                "median": median,
                "upper_quartile": upper,
                "worse_than": worse_than,
            }
        )

    def _draw(self, ax: Axes) -> None:
        left, right = drawing.side_by_side(ax, 0.42, 0.47)
        self.graph.draw_graph(left)
        self.scores.draw_scores(right)
        drawing.hide_sides(left, "top", "right", "bottom")
        drawing.hide_sides(right, "top", "right")
        drawing.caption(ax, f"{self.graph.reading} Right: scores of the splits, box and mean.")
        right.tick_params(axis="y", labelleft=False)
        right.grid(axis="y", lw=0.4)

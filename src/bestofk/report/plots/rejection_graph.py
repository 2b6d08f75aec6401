"""Graph of rejections: significant differences as arrows between learners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch
from matplotlib.path import Path

from bestofk.errors import InvalidArgumentError
from bestofk.report.findings import Findings
from bestofk.report.plots.base import FindingsDisplay
from bestofk.report.plots.drawing import BLUE, GRAY, ink
from bestofk.report.plots.labels import caption, name_lanes, write_in_lane
from bestofk.report.plots.scales import scale_title, score_text
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
    >>> display.frame()[["worse", "better", "p_adjusted"]].values.tolist()
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
        self.names = list(names)
        self.means = list(means)
        self.edges = list(edges)
        self.best = best
        self.measure_title = measure_title

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
        verdict = findings.verdict
        means = [findings.learner(name).mean for name in verdict.order]
        return cls(
            verdict.order,
            means,
            verdict.edges,
            verdict.best,
            measure_title=findings.measure.title,
        )

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per arrow: the fields of `Edge`."""
        import dataclasses

        columns = [field.name for field in dataclasses.fields(Edge)]
        return pd.DataFrame([dataclasses.asdict(edge) for edge in self.edges], columns=columns)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches at which all of it can be read."""
        return 6.4, 1.1 + 0.42 * max(len(self.names), 2)

    def _draw(self, ax: Axes) -> None:
        self.draw_graph(ax)
        caption(ax, self.reading)

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
        for edge in self.edges:
            self._draw_arrow(ax, self.names.index(edge.worse), self.names.index(edge.better))
        self._draw_learners(ax)
        name_lanes(ax, self.names)
        ax.set_xlim(-0.06, 1.1)
        ax.set_xticks([])

    @property
    def reading(self) -> str:
        """Return what arrows, colors and circles mean."""
        arrows = "No learner is significantly better than another."
        if self.edges:
            arrows = "Arrows lead from worse to better; blue: to the pick, gray: to another."
        numbers = scale_title(self.measure_title)
        return f"{arrows} Ring: pick; filled: no arrow leaves it. Numbers: {numbers}."

    def _draw_learners(self, ax: Axes) -> None:
        worse = {edge.worse for edge in self.edges}
        for index, name in enumerate(self.names):
            fill = "none" if name in worse else ink()
            ax.plot(0, index, "o", ms=8, mfc=fill, mec=ink(), mew=1.4, zorder=3)
            if name == self.best:
                ax.plot(0, index, "o", ms=15, mfc="none", mec=BLUE, mew=1.8, zorder=3)
            said = score_text(float(self.means[index]), self.measure_title)
            write_in_lane(ax, said, 1, index, ha="right")

    def _lane(self, index: int, other: int) -> float:
        """Return the height at which the arrow between two learners meets the first.

        Arrows from or to above meet it in its upper half, those of below in the lower; the
        one with the shorter way is outermost, so that arrows of one learner do not cross.
        """
        met = {edge.better for edge in self.edges if edge.worse == self.names[index]}
        met |= {edge.worse for edge in self.edges if edge.better == self.names[index]}
        side = 1 if other > index else -1
        ways = sorted(
            abs(self.names.index(name) - index)
            for name in met
            if side * (self.names.index(name) - index) > 0
        )
        rank = ways[::-1].index(abs(other - index))
        return index + side * (0.04 + 0.22 * rank / max(len(ways) - 1, 1))

    def _draw_arrow(self, ax: Axes, worse: int, better: int) -> None:
        start, end = self._lane(worse, better), self._lane(better, worse)
        reach = 0.2 + 1.1 * abs(worse - better) / max(len(self.names) - 1, 5)
        ring = 0.06 if self.names[better] == self.best else 0.035
        path = Path(
            [(0.035, start), (reach, (worse + better) / 2), (ring, end)],
            [Path.MOVETO, Path.CURVE3, Path.CURVE3],
        )
        is_pick = self.names[better] == self.best
        color = BLUE if is_pick else GRAY
        ax.add_patch(
            FancyArrowPatch(
                path=path,
                arrowstyle="-|>",
                mutation_scale=10,
                color=color,
                lw=1.6 if is_pick else 1.0,
                zorder=2,
            )
        )

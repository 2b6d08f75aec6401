"""Graph of rejections: significant differences as arrows between learners."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch
from matplotlib.path import Path

from bestofk.report.findings import Findings
from bestofk.report.plots.base import FindingsDisplay
from bestofk.report.plots.drawing import SERIES, ink
from bestofk.report.plots.labels import name_lanes, short_name
from bestofk.report.words import number
from bestofk.verdict import Edge


class RejectionGraphDisplay(FindingsDisplay):
    """Graph of rejections: an arrow leads from a learner to a significantly better one.

    Learners stand below each other in the order of the verdict. A filled circle is a
    learner that may be best, a ring around it is the best. No arrow means no
    significant difference.

    Parameters
    ----------
    names : sequence of str
        Learners, best first.
    means : sequence of float
        Mean of the deciding measure, in its unit.
    edges : sequence of Edge
        Rejected hypotheses between these learners.
    candidates : sequence of str
        Learners that may be best.
    best : str or None
        The best learner.
    measure_title : str
        What the means are.

    Examples
    --------
    >>> edge = Edge("cart", "lda", 0.1, 3.0, 0.001, 0.002)
    >>> display = RejectionGraphDisplay(
    ...     ["lda", "cart"], [0.02, 0.12], [edge], ["lda"], "lda", measure_title="error rate"
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
        candidates: Sequence[str],
        best: str | None,
        *,
        measure_title: str,
    ) -> None:
        self.names = list(names)
        self.means = list(means)
        self.edges = list(edges)
        self.candidates = list(candidates)
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
            verdict.candidates,
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
        for edge in self.edges:
            self._draw_arrow(ax, self.names.index(edge.worse), self.names.index(edge.better))
        self._draw_learners(ax)
        labels = [
            f"{short_name(name)}  {number(mean)}"
            for name, mean in zip(self.names, self.means, strict=True)
        ]
        name_lanes(ax, labels)
        ax.set_xlim(-0.06, 1.1)
        ax.set_xticks([])
        said = "arrow: from worse to better" if self.edges else "no learner is significantly better"
        filled = "filled: may be best when all pairs are tested; ring: best"
        ax.set_xlabel(f"average {self.measure_title}; {said}\n{filled}")

    def _draw_learners(self, ax: Axes) -> None:
        for index, name in enumerate(self.names):
            fill = ink() if name in self.candidates else "none"
            ax.plot(0, index, "o", ms=8, mfc=fill, mec=ink(), mew=1.4, zorder=3)
            if name == self.best:
                ax.plot(0, index, "o", ms=15, mfc="none", mec=ink(), mew=1.4, zorder=3)

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
        reach = 0.25 + 1.75 * abs(worse - better) / max(len(self.names) - 1, 5)
        ring = 0.06 if self.names[better] == self.best else 0.035
        path = Path(
            [(0.035, start), (reach, (worse + better) / 2), (ring, end)],
            [Path.MOVETO, Path.CURVE3, Path.CURVE3],
        )
        color = SERIES[better % 4]
        ax.add_patch(
            FancyArrowPatch(
                path=path, arrowstyle="-|>", mutation_scale=10, color=color, lw=1.3, zorder=2
            )
        )

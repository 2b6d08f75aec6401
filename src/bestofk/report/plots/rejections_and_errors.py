"""Graph of rejections and error distributions of the learners in one picture."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from bestofk.errors import InvalidArgumentError
from bestofk.report.findings import Findings
from bestofk.report.plots.base import FindingsDisplay
from bestofk.report.plots.drawing import hide_sides
from bestofk.report.plots.labels import caption, short_name
from bestofk.report.plots.rejection_graph import RejectionGraphDisplay
from bestofk.report.plots.score_distribution import ScoreDistributionDisplay

# Share of the width for the graph, and where the errors begin.
_GRAPH, _ERRORS = 0.42, 0.47


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
    >>> frame = RejectionsAndErrorsDisplay(graph, scores).frame()
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
        self.graph = graph
        self.scores = scores

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

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per learner, best first.

        Returns
        -------
        DataFrame
            Columns learner, mean, lower_quartile, median, upper_quartile (of the scores over
            the splits), worse_than: learners that are significantly better.
        """
        scores = self.scores.frame().groupby("learner", sort=False)["score"]
        return pd.DataFrame(
            {
                "learner": self.graph.names,
                "mean": self.graph.means,
                "lower_quartile": scores.quantile(0.25).reindex(self.graph.names).to_numpy(),
                "median": scores.median().reindex(self.graph.names).to_numpy(),
                "upper_quartile": scores.quantile(0.75).reindex(self.graph.names).to_numpy(),
                "worse_than": [
                    ", ".join(edge.better for edge in self.graph.edges if edge.worse == name)
                    for name in self.graph.names
                ],
            }
        )

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches at which all of it can be read."""
        longest = max(len(short_name(name)) for name in self.graph.names)
        return 8.5 + 0.08 * longest, self.graph.size[1] + 0.2

    def _draw(self, ax: Axes) -> None:
        # two axes inside the given one: the lines of a learner keep one height in both
        ax.set_axis_off()
        left = ax.inset_axes((0, 0, _GRAPH, 1))
        right = ax.inset_axes((_ERRORS, 0, 1 - _ERRORS, 1))
        for part in (left, right):
            part.set_facecolor("none")
        self.graph.draw_graph(left)
        self.scores.draw_scores(right)
        hide_sides(left, "top", "right", "bottom")
        hide_sides(right, "top", "right")
        caption(ax, f"{self.graph.reading} Right: scores of the splits, box and mean.")
        right.tick_params(axis="y", labelleft=False)
        right.grid(axis="y", lw=0.4)

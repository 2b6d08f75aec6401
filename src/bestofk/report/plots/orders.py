"""Pictures of orders: arrows from worse to better learners, and bars that join those alike."""

from __future__ import annotations

import dataclasses
import math
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch
from matplotlib.path import Path

from bestofk.errors import InvalidArgumentError
from bestofk.report.findings import Findings
from bestofk.report.plots import drawing
from bestofk.report.plots.drawing import Display, FindingsDisplay, finite_list, ink, name_list
from bestofk.report.plots.scores import ScoreDistributionDisplay
from bestofk.verdict import Edge
from bestofk.words import number

# Heights below the axis, in lines of text.
_FIRST_BAR, _BAR_STEP, _ABOVE_NAMES = 0.5, 0.42, 0.6
# Height above the axis, clear of its numbers.
_REACH = -1.5
_INCHES_PER_LINE, _INCHES_PER_LETTER = 0.24, 0.08
# Letters of a name on either side, by the width of the picture.
_LETTERS_PER_INCH = 3
# Said below every diagram, whatever its numbers.
POOL_WARNING: Final = (
    "Average ranks depend on the pool: whether two learners are joined here can change when a "
    "third one is added or taken out (Benavoli, Corani & Mangili 2016). Read a pair by its own "
    "test, such as Wilcoxon's. A bar means no significant difference, not equality."
)
MEANING: Final = (
    "A bar underlines learners that do not differ significantly, which is not equality; "
    "bars may overlap."
)
FAMILY: Final = "With more than three learners Newman-Keuls does not hold the level for the family."
MOST_LEARNERS: Final = 8  # arrows between more cannot be followed


class LevelAxisDisplay(Display):
    """Base of displays of learners on an axis of levels, where bars join those alike."""

    hidden_sides = ("left", "right", "bottom")
    _columns: ClassVar[tuple[str, str]]  # of the frame: levels, and numbers of groups

    def __init__(self, names: Sequence[str], levels: Sequence[float], what: str) -> None:
        self._levels = finite_list(levels, what)
        self.names = name_list(names, len(self._levels), what.replace("_", " "), at_least=2)
        order = np.argsort(self._levels, kind="stable")
        self._ascending = {self.names[i]: float(self._levels[i]) for i in order}

    @abstractmethod
    def groups(self) -> list[list[str]]:
        """Return the learners that are joined, each group in ascending order of level."""

    @abstractmethod
    def _text(self, level: float) -> str:
        """Return a level as it is written next to its learner."""

    def _bars(self) -> list[tuple[float, float]]:
        """Return the ends of the bars."""
        ends = [(group[0], group[-1]) for group in self.groups() if len(group) > 1]
        return [(self._ascending[first], self._ascending[last]) for first, last in ends]

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per learner, smallest level first.

        Returns
        -------
        DataFrame
            Columns learner, average_rank or mean, and groups or underlines: the numbers (from 1)
            of those that the learner is in, as a text.
        """
        groups = list(enumerate(self.groups(), 1))
        rows = [
            (name, level, " ".join(str(number) for number, group in groups if name in group))
            for name, level in self._ascending.items()
        ]
        return pd.DataFrame(rows, columns=["learner", *self._columns])

    def _axis_size(self) -> tuple[float, float]:
        """Return width and height in inches for the axis, without what is written around it."""
        n_lines = (len(self.names) + 1) // 2 + _BAR_STEP * max(_floors(self._bars()), default=0)
        width = 5.8 + 2 * _INCHES_PER_LETTER * drawing.longest_name(self.names)
        return width, 1.9 + _INCHES_PER_LINE * n_lines

    def _draw_axis(self, ax: Axes, low: float, high: float, *, headroom: float = 0) -> None:
        """Draw an axis on top, bars below it, and a line from each level to its name.

        Parameters
        ----------
        ax : matplotlib Axes
            Where to draw.
        low, high : float
            Ends of the axis; the lower half of the learners is named on the left.
        headroom : float, default=0
            Lines of text that are kept free above the axis.
        """
        bars, count = self._bars(), len(self.names)
        floors = _floors(bars)
        top = _FIRST_BAR + _BAR_STEP * (max(floors, default=-1) + 1) + _ABOVE_NAMES
        n_left = (count + 1) // 2
        longest = max(6, int(_LETTERS_PER_INCH * drawing.cell_inches(ax)))
        for rank, (name, level) in enumerate(self._ascending.items()):
            is_left = rank < n_left
            height, end = (top + rank, low) if is_left else (top + (count - 1 - rank), high)
            ax.plot([level, level, end], [0, height, height], color=ink(), lw=0.9, zorder=2)
            label = [drawing.short_name(name, longest), self._text(level)]
            _write_label(ax, "  ".join(label if is_left else label[::-1]), end, height, is_left)
        reach = 0.006 * (high - low)
        bar: dict[str, Any] = {"color": ink(), "lw": 4.5, "solid_capstyle": "butt", "zorder": 3}
        for floor, (start, stop) in zip(floors, bars, strict=True):
            height = _FIRST_BAR + _BAR_STEP * floor
            ax.plot([start - reach, stop + reach], [height] * 2, **bar)
        ax.set_xlim(low, high)
        ax.set_ylim(top + n_left - 0.5, -headroom)
        ax.spines["top"].set_position(("data", 0))
        ax.xaxis.set_ticks_position("top")
        ax.set_yticks([])


def draw_reach(ax: Axes, start: float, stop: float, text: str) -> None:
    """Draw how long a difference is, from one value to another, above the axis."""
    ax.plot([start, stop], [_REACH] * 2, "|-", color=drawing.VERMILION, lw=2.5, ms=9, mew=2)
    _write_label(ax, text, stop, _REACH, is_left=False)


def _write_label(ax: Axes, text: str, x: float, y: float, is_left: bool) -> None:
    side = "right" if is_left else "left"
    drawing.write(ax, text, (x, y), xytext=(-5 if is_left else 5, 0), ha=side)


def _floors(bars: Sequence[tuple[float, float]]) -> list[int]:
    """Return for each bar the highest floor on which it meets no earlier bar."""
    gap = 0.02 * (max((stop for _, stop in bars), default=0) - min((b for b, _ in bars), default=0))
    ends: list[float] = []
    floors = []
    for start, stop in bars:
        floor = next((i for i, end in enumerate(ends) if start > end + gap), len(ends))
        ends[floor : floor + 1] = [stop]
        floors.append(floor)
    return floors


class CriticalDifferenceDisplay(LevelAxisDisplay):
    """Average ranks on an axis; bars join learners without a significant difference.

    The warning that such verdicts depend on which learners are in the pool is part of the
    picture.

    Parameters
    ----------
    names : sequence of str
        Learners, at least two.
    average_ranks : sequence of float
        One per learner; 1 is best.
    critical_difference : float
        Ranks that differ by at least this are significantly different.
    alpha : float, default=0.05
        Level of the critical difference.
    control : str, default=""
        The learner that all others are held against (Bonferroni-Dunn): one bar, as far as the
        critical difference reaches on both sides of it. Empty: all pairs (Nemenyi).
    n_data_sets : int, optional
        How many data sets were ranked, for the headline.
    warnings : sequence of str
        What else to distrust, such as which verdict changes without which learner.

    Raises
    ------
    InvalidArgumentError
        If there are fewer than two learners, numbers and names do not fit, the critical
        difference is no positive number, or the control is no learner.

    References
    ----------
    Demsar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7.
    Benavoli, Corani & Mangili (2016), Should we really use post-hoc tests based on mean-ranks?,
    JMLR 17(5).

    Examples
    --------
    The average ranks of Demsar (2006), four versions of C4.5 on 14 data sets, at level 0.1:

    >>> names = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
    >>> display = CriticalDifferenceDisplay(names, [3.143, 2.0, 2.893, 1.964], 1.12, alpha=0.1)
    >>> display.groups()
    [['C4.5+m+cf', 'C4.5+m', 'C4.5+cf'], ['C4.5+cf', 'C4.5']]
    """

    _columns = ("average_rank", "groups")

    def __init__(
        self,
        names: Sequence[str],
        average_ranks: Sequence[float],
        critical_difference: float,
        *,
        alpha: float = 0.05,
        control: str = "",
        n_data_sets: int | None = None,
        warnings: Sequence[str] = (),
    ) -> None:
        super().__init__(names, average_ranks, "average_ranks")
        self.average_ranks = self._levels
        self.critical_difference = float(critical_difference)
        self.alpha, self.control, self.n_data_sets = alpha, control, n_data_sets
        self.warnings = tuple(map(str, warnings))
        if not 0 < self.critical_difference < math.inf:
            raise InvalidArgumentError(
                f"critical_difference must be a positive number; got {self.critical_difference}. "
                "Take it from nemenyi_critical_difference."
            )
        if control and control not in self.names:
            raise InvalidArgumentError(
                f"control must be one of the learners; got {control!r}. "
                f"Known: {', '.join(self.names)}."
            )
        width, height = self._axis_size()
        n_lines = sum(len(text) // 100 + 1 for text in (POOL_WARNING, *self.warnings))
        self.size = width, height + 0.16 * n_lines

    @classmethod
    def from_result(cls, result: Any) -> CriticalDifferenceDisplay:
        """Take the result of a test by average ranks.

        Parameters
        ----------
        result : PairwiseResult
            With mean ranks as levels and a critical difference: of `nemenyi_test` or
            `bonferroni_dunn_test`.

        Returns
        -------
        CriticalDifferenceDisplay

        Raises
        ------
        InvalidArgumentError
            If the result has no critical difference.
        """
        if math.isnan(getattr(result, "critical_difference", math.nan)):
            raise InvalidArgumentError(
                f"result must have a critical difference; got {result!r}. "
                "Use nemenyi_test or bonferroni_dunn_test."
            )
        return cls(
            result.names, result.levels, result.critical_difference, alpha=result.alpha,
            control=result.control, n_data_sets=result.n,
            warnings=_warnings(result, "mean-ranks"),
        )  # fmt: skip

    def groups(self) -> list[list[str]]:
        """Return the longest groups of learners that are joined, best first.

        Returns
        -------
        list of list of str
            With a control: itself and all without a significant difference to it.
        """
        if not self.control:
            runs = drawing.joined_runs(self.average_ranks, self.critical_difference)
            return [[self.names[i] for i in run] for run in runs]
        rank, reach = self._ascending[self.control], self.critical_difference
        near = [name for name, other in self._ascending.items() if abs(other - rank) < reach]
        return [near] if len(near) > 1 else []

    def _bars(self) -> list[tuple[float, float]]:
        """Return the ends of the bars; with a control, what it is too close to."""
        if not self.control:
            return super()._bars()
        rank, reach = self._ascending[self.control], self.critical_difference
        return [(max(rank - reach, 1), min(rank + reach, len(self.names)))]

    def _text(self, level: float) -> str:
        return f"{level:.2f}"

    def _draw(self, ax: Axes) -> None:
        k, reach = len(self.names), self.critical_difference
        margin = 0.02 * (k - 1)
        self._draw_axis(ax, 1 - margin, k + margin, headroom=2.2)
        ax.set_xticks([*range(1, k + 1, -(-k // 10))])
        if reach <= k - 1:
            draw_reach(ax, 1, 1 + reach, f"critical difference {number(reach, 2)}")
        over = f" over {self.n_data_sets} data sets" if self.n_data_sets else ""
        joined = "a bar joins learners that differ by less"
        if self.control:
            joined = f"the bar ends where ranks differ from {self.control} by more"
        title = f"Average rank{over} (1 is best)"
        drawing.headline(ax, f"{title}; critical difference at {self.alpha:g}; {joined}")
        drawing.caption(ax, "\n".join([POOL_WARNING, *self.warnings]))


class NewmanKeulsDisplay(LevelAxisDisplay):
    """Means of the learners on an axis, with the underlines of Newman-Keuls as bars below.

    Parameters
    ----------
    names : sequence of str
        Learners, at least two.
    means : sequence of float
        Mean score of each, in the unit of the measure.
    underlines : iterable of sequence of str
        The longest accepted windows, each as the names in it.
    measure_title : str
        What the means are.
    alpha : float, default=0.05
        Level of each test.
    procedure : str, default="Newman-Keuls test"
        What drew the underlines.
    note : str
        What the procedure does not promise; part of the picture.

    Raises
    ------
    InvalidArgumentError
        If there are fewer than two learners, numbers and names do not fit, or an underline
        names no learner, or leaves one out that lies between its ends.

    References
    ----------
    Yildiz & Alpaydin (2006), Ordering and finding the best of K > 2 supervised learning
    algorithms, IEEE Transactions on Pattern Analysis and Machine Intelligence 28(3).

    Examples
    --------
    >>> display = NewmanKeulsDisplay(
    ...     ["nearest mean", "logistic", "cart"],
    ...     [0.20, 0.12, 0.13],
    ...     [["logistic", "cart"]],
    ...     measure_title="error rate",
    ... )
    >>> display.to_frame().values.tolist()
    [['logistic', 0.12, '1'], ['cart', 0.13, '1'], ['nearest mean', 0.2, '']]
    """

    _columns = ("mean", "underlines")

    def __init__(
        self,
        names: Sequence[str],
        means: Sequence[float],
        underlines: Iterable[Sequence[str]],
        *,
        measure_title: str,
        alpha: float = 0.05,
        procedure: str = "Newman-Keuls test",
        note: str = FAMILY,
    ) -> None:
        super().__init__(names, means, "means")
        self.means = self._levels
        rank = list(self._ascending).index
        lines = [sorted(self._checked(line), key=rank) for line in underlines]
        self.underlines = sorted(lines, key=lambda line: rank(line[0]))
        self.measure_title, self.alpha = measure_title, alpha
        self.procedure, self.note = procedure, note
        width, height = self._axis_size()
        self.size = width, height + 0.35

    def _checked(self, line: Sequence[str]) -> Sequence[str]:
        """Return an underline, or raise where it does not name neighbors."""
        means = [self._ascending[name] for name in line if name in self._ascending]
        low, high = min(means, default=0.0), max(means, default=0.0)
        between = [name for name, mean in self._ascending.items() if low < mean < high]
        if len(means) < max(len(line), 1) or not set(between) <= set(line):
            raise InvalidArgumentError(
                "underlines must name all learners between two means and no others; got "
                f"{', '.join(line) or 'none'}. Ascending means: {', '.join(self._ascending)}."
            )
        return line

    @classmethod
    def from_result(cls, result: Any, *, measure_title: str = "mean score") -> NewmanKeulsDisplay:
        """Take the result of a range test.

        Parameters
        ----------
        result : RangeTestResult
            Of `newman_keuls`, `tukey_hsd_test` or `duncan_test`.
        measure_title : str
            What the scores are.

        Returns
        -------
        NewmanKeulsDisplay
        """
        underlines = [[result.names[i] for i in line] for line in result.underlines]
        return cls(
            result.names, result.levels, underlines, measure_title=measure_title,
            alpha=result.alpha, procedure=result.procedure,
            note=" ".join(_warnings(result, "multiplicity")),
        )  # fmt: skip

    def groups(self) -> list[list[str]]:
        """Return the underlines; see `underlines`."""
        return self.underlines

    def _text(self, level: float) -> str:
        return drawing.score_text(level, self.measure_title)

    def _draw(self, ax: Axes) -> None:
        low, high = float(self.means.min()), float(self.means.max())
        margin = 0.04 * ((high - low) or abs(low) or 1.0)
        self._draw_axis(ax, low - margin, high + margin)
        ax.xaxis.set_label_position("top")
        drawing.x_label(ax, f"mean {drawing.scale_title(self.measure_title)}")
        drawing.show_scale(ax.xaxis, self.measure_title)
        said = "" if self._bars() else "No two are underlined. "
        drawing.caption(
            ax, f"{self.procedure} at {self.alpha:g}. {said}{MEANING} {self.note}".strip()
        )


def _warnings(result: Any, code: str) -> list[str]:
    """Return the warnings of a result that have a code."""
    return [item for item in result.warnings if getattr(item, "code", "") == code]


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

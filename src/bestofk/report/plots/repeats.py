"""Pictures of repeats: running means with stops, and histograms of the estimates of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from bestofk.array_types import Floats
from bestofk.errors import InvalidArgumentError
from bestofk.inference.many_learners import repeated_estimates
from bestofk.measures.ties import tied_values
from bestofk.report import axis_ranges
from bestofk.report.findings import Findings
from bestofk.report.plots import drawing
from bestofk.report.plots.drawing import BLUE, Display, name_list
from bestofk.stopping.history import StoppingHistory
from bestofk.words import listing, number, times

_LONGEST: Final = 28  # letters of a name
# Height of a histogram as a share of its lane.
_HIGHEST: Final = 0.8
_FEWEST_BINS, _MOST_BINS = 6, 30
# Scores that span more of their smallest steps are taken as continuous.
_MOST_STEPS: Final = 60


class RunningMeansDisplay(Display):
    """Running mean of every learner against the number of repeats, with bands and stops.

    A band is one standard error over repeats to both sides: how far endless repeats on these
    rows may lie, and nothing about other rows. A square is where a rule stopped a learner; its
    mean is held from its last repeat on. Learners far off the others are named with their
    means at the edge, so that the others can be distinguished. The order of all means did not
    change after the dashed line, first place not after the dotted one, or the dashed one where
    both are the same.

    Parameters
    ----------
    values : array-like of shape (n_repeats, n_learners), float
        Mean score of each repeat over its folds; nan where it was not done.
    names : sequence of str
        Learners.
    measure_title : str
        What the scores are.
    greater_is_better : bool, default=False
        Direction of the measure.
    stops : mapping of str to (int, str), optional
        For learners that a rule stopped: after how many repeats, and why in a word or two.

    Raises
    ------
    DesignError
        If the values are no table of numbers.
    InvalidArgumentError
        If there is no repeat, names do not fit, or a stop is of no learner or repeat.

    References
    ----------
    Raeder, Hoens & Chawla (2010), Consequences of variability in classifier performance
    estimates, IEEE International Conference on Data Mining, figure 1.

    Examples
    --------
    >>> display = RunningMeansDisplay(
    ...     [[0.1, 0.2], [0.3, 0.1], [0.2, 0.1]],
    ...     ["lda", "cart"],
    ...     measure_title="error rate",
    ...     stops={"lda": (2, "rank correlation")},
    ... )
    >>> frame = display.to_frame()
    >>> frame[["learner", "n_repeats", "running_mean", "stopped"]].round(3).values.tolist()[:2]
    [['lda', 1, 0.1, ''], ['lda', 2, 0.2, 'rank correlation']]
    >>> display.last_changes()
    (2, 2)
    """

    def __init__(
        self,
        values: ArrayLike,
        names: Sequence[str],
        *,
        measure_title: str,
        greater_is_better: bool = False,
        stops: Mapping[str, tuple[int, str]] | None = None,
    ) -> None:
        self.values, known = repeated_estimates.repeat_table(
            values, "values of RunningMeansDisplay", names
        )
        self.names = name_list(known, self.values.shape[1], "learners")
        if np.isnan(self.values).all():
            raise InvalidArgumentError(
                "values of RunningMeansDisplay must hold at least one repeat; got none. "
                "Resume the comparison."
            )
        self._means = repeated_estimates.running_means(self.values, names=self.names)
        self._errors = repeated_estimates.running_standard_errors(self.values, names=self.names)
        self._ends: Floats = self._means[-1]
        self._best = int(np.nanargmax(self._ends if greater_is_better else -self._ends))
        self.measure_title, self.greater_is_better = measure_title, greater_is_better
        self.stops = dict(stops or {})
        for name, (repeat, _) in self.stops.items():
            if name not in self.names or not 1 <= repeat <= len(self.values):
                raise InvalidArgumentError(
                    "stops must name a learner and a count of repeats from 1 to "
                    f"{len(self.values)}; got {name!r} after {repeat}. "
                    f"Learners are {', '.join(self.names)}."
                )
        longest = max(len(self._label(index)) for index in range(len(self.names)))
        self.size = 5.4 + drawing.LETTER_INCHES * longest, max(3.6, 1.5 + 0.21 * len(self.names))

    @classmethod
    def from_comparison(
        cls, comparison: Any, *, stops: Mapping[str, tuple[int, str]] | None = None
    ) -> RunningMeansDisplay:
        """Take the deciding measure of a comparison, learners in the order of the verdict.

        Parameters
        ----------
        comparison : Comparison
            Result of `bestofk.compare`.
        stops : mapping of str to (int, str), optional
            For learners that a rule stopped: after how many repeats, and why. Those that an
            adaptive comparison left out on its way, if not given.

        Returns
        -------
        RunningMeansDisplay
        """
        names, values = repeat_scores(comparison)
        stops = _stops(comparison.stopping_history) if stops is None else stops
        return cls(values, names, stops=stops, **drawing.score_options(comparison.findings.measure))

    @classmethod
    def from_findings(cls, findings: Findings) -> RunningMeansDisplay:
        """Take the deciding measure of findings, learners in the order of the verdict.

        Parameters
        ----------
        findings : Findings
            Of a comparison with repeats.

        Returns
        -------
        RunningMeansDisplay
            Without learners that take no part; with the stops of an adaptive comparison.

        Raises
        ------
        InvalidArgumentError
            If there is no whole repeat.
        """
        rows = {item.name: item.scores for item in findings.ordered() if not item.left_out}
        means = [_repeat_means(scores, findings.repeat_of_split) for scores in rows.values()]
        stops = _stops(findings.stopping_history)
        return cls(
            np.column_stack(means),
            list(rows),
            stops={name: stop for name, stop in stops.items() if name in rows},
            **drawing.score_options(findings.measure),
        )

    def last_changes(self) -> tuple[int, int]:
        """Return after how many repeats the first place and the order of all were final.

        Returns
        -------
        tuple of int
            0 where nothing ever changed.
        """
        crossing = repeated_estimates.last_crossing(self.values, names=self.names)
        return int(crossing[self._best].max()), int(crossing.max())

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per learner and repeat that was done.

        Returns
        -------
        DataFrame
            Columns learner, n_repeats (repeats of the plan so far), score (of this repeat),
            running_mean, standard_error (of the running mean), stopped (why, after the repeat
            at which a rule stopped the learner; empty elsewhere).
        """
        learner, repeat = np.nonzero(~np.isnan(self.values.T))
        stops = {(name, after): why for name, (after, why) in self.stops.items()}
        names = [self.names[i] for i in learner]
        return pd.DataFrame(
            {
                "learner": names,
                "n_repeats": repeat + 1,
                "score": self.values[repeat, learner],
                "running_mean": self._means[repeat, learner],
                "standard_error": self._errors[repeat, learner],
                "stopped": [
                    stops.get((name, after), "")
                    for name, after in zip(names, (repeat + 1).tolist(), strict=True)
                ],
            }
        )

    def _label(self, index: int, longest: int = _LONGEST) -> str:
        """Return a learner with what became of it, and its mean where that is not drawn."""
        name = self.names[index]
        notes = []
        if name in self.stops:
            after, why = self.stops[name]
            notes.append(f"{why} after {after}")
        if np.isnan(self.values[:, index]).all():
            notes = ["no repeat done"]
        elif not self._fits[index]:
            notes.append(drawing.score_text(float(self._ends[index]), self.measure_title))
        return drawing.short_name(name, longest) + (f" ({'; '.join(notes)})" if notes else "")

    @property
    def _fits(self) -> NDArray[np.bool_]:
        """Return which learners are near enough to the best to be drawn."""
        best = self._ends[self._best]
        off = np.abs(np.where(np.isnan(self._means), best, self._means) - best).max(axis=0)
        return np.asarray(off <= axis_ranges.near_range(off) * (1 + 1e-9))

    def _draw(self, ax: Axes) -> None:
        repeats = np.arange(1, len(self._means) + 1)
        shown = self._means[:, self._fits]
        low, high = float(np.nanmin(shown)), float(np.nanmax(shown))
        ax.set_ylim(*axis_ranges.with_margin(low, high, 0.06, 0.05 * abs(high) or 0.05))
        ax.set_xlim(0.5, len(repeats) + 0.5)
        for index in range(len(self.names)):
            self._draw_learner(ax, index, repeats)
        self._draw_changes(ax)
        self._draw_labels(ax)
        if len(repeats) > 1:
            ax.locator_params(axis="x", integer=True)
        else:
            ax.set_xticks([1])
        squares = "; square: stopped" if self.stops else ""
        most = drawing.MOST_BANDS
        of_whom = f" of the first {most}" if len(self.names) > most else ""
        note = f"bands{of_whom}: one standard error over repeats{squares}"
        drawing.x_label(ax, "repeats so far", note)
        direction = "up" if self.greater_is_better else "down"
        drawing.label_score_height(
            ax, self.measure_title, f", mean so far\n({direction} is better)"
        )

    def _draw_learner(self, ax: Axes, index: int, repeats: NDArray[np.int64]) -> None:
        means, errors = self._means[:, index], self._errors[:, index]
        done = np.flatnonzero(~np.isnan(self.values[:, index]))
        if not len(done):
            return
        style = drawing.curve_style(index)
        own = slice(done[0], done[-1] + 1)
        if index < drawing.MOST_BANDS:
            drawing.draw_band(ax, style["color"], repeats[own], means[own], errors[own])
        marker = "o" if len(done) == 1 else ""
        ax.plot(repeats[own], means[own], marker=marker, ms=4, **style)
        ax.plot(repeats[done[-1] :], means[done[-1] :], color=style["color"], lw=0.8)
        after, _ = self.stops.get(self.names[index], (0, ""))
        if after and not np.isnan(means[after - 1]):
            square: dict[str, Any] = {"ms": 6, "mec": drawing.ink(), "mew": 0.9, "zorder": 4}
            ax.plot(after, means[after - 1], "s", color=style["color"], **square)

    def _draw_changes(self, ax: Axes) -> None:
        first, order = self.last_changes()
        for repeat, dash in ((order, "--"), (first if first != order else 0, ":")):
            if repeat:
                ax.axvline(repeat, color=drawing.ink(), lw=0.9, ls=dash, zorder=1)
        if len(self.names) > 1:
            drawing.headline(ax, self._changes_said(first, order))

    def _changes_said(self, first: int, order: int) -> str:
        within = f"of {len(self.values)}"
        if not order:
            return f"The order never changed in {times(len(self.values), 'repeat')}"
        if first == order:
            return f"First place and order last changed at repeat {first} {within} (dashed)"
        last = f"order of all at repeat {order} {within} (dashed)"
        if not first:
            return f"First place never changed, {last}"
        return f"First place last changed at repeat {first} (dotted), {last}"

    def _draw_labels(self, ax: Axes) -> None:
        low, high = ax.get_ylim()
        # a learner without a mean is named at the lower edge
        wanted = np.clip(np.nan_to_num((self._ends - low) / (high - low), nan=0.0), 0, 1)
        usual = {"arrowstyle": "-", "lw": 1.2, "relpos": (0, 0.5), "shrinkA": 0, "shrinkB": 0}
        for index, height in enumerate(drawing.spread(wanted, drawing.line_share(ax))):
            line = {**usual, "color": drawing.curve_style(index)["color"]}
            drawing.write(
                ax, self._label(index, drawing.name_letters(ax)), (1.0, wanted[index]),
                xytext=(1.045, height), xycoords="axes fraction", textcoords="axes fraction",
                arrowprops=None if np.isnan(self._ends[index]) else line,
            )  # fmt: skip


def _stops(stopping_history: StoppingHistory | None) -> dict[str, tuple[int, str]]:
    """Return which learners left before the end, after how many repeats."""
    if stopping_history is None:
        return {}
    return {
        elimination.learner: (elimination.n_repeats, "out")
        for elimination in stopping_history.eliminations
        if elimination.n_repeats < stopping_history.n_repeats
    }


def _repeat_means(scores: Floats, repeat_of_split: NDArray[np.int64]) -> Floats:
    """Return the mean score of every repeat, nan where it is not whole; scores may end early."""
    n_folds = np.bincount(repeat_of_split)
    own = repeat_of_split[: len(scores)]
    sums = np.bincount(own, weights=scores, minlength=len(n_folds))
    is_whole = np.bincount(own, minlength=len(n_folds)) == n_folds.max(initial=0)
    return np.where(is_whole, sums / n_folds.max(initial=1), np.nan)


def repeat_scores(comparison: Any) -> tuple[list[str], Floats]:
    """Return the mean score of every repeat of a comparison, by the deciding measure.

    Parameters
    ----------
    comparison : Comparison
        Result of `bestofk.compare`.

    Returns
    -------
    names : list of str
        Learners in the order of the verdict.
    values : ndarray of shape (n_repeats, n_learners), float
        Mean over the folds; nan where a fold is missing or has no score.
    """
    evaluation = comparison.evaluation
    names = [learner.name for learner in comparison.findings.ordered()]
    values = comparison.scores[0].values[[evaluation.names.index(name) for name in names]]
    return names, values.reshape(len(names), -1, evaluation.plan.n_folds).mean(axis=2).T


class EstimateDistributionsDisplay(Display):
    """Histogram of the estimates of single repeats, one lane per learner, mean and median marked.

    Next to each lane: the skewness with its standard error, bold where clear. Every histogram is
    as high as its lane, so heights do not compare over learners.

    Parameters
    ----------
    values : array-like of shape (n_repeats, n_learners), float
        Mean score of each repeat over its folds; nan where it was not done.
    names : sequence of str
        Learners.
    measure_title : str
        What the scores are.
    greater_is_better : bool
        Direction of the measure.
    best_value : float
        The best that the measure can be; infinite where there is no bound.

    Attributes
    ----------
    distributions : tuple of EstimateDistribution
        One per learner.

    Raises
    ------
    DesignError
        If the values are no table of numbers.
    InvalidArgumentError
        If names do not fit.

    References
    ----------
    Raeder, Hoens & Chawla (2010), Consequences of variability in classifier performance
    estimates, IEEE International Conference on Data Mining, figure 2.

    Examples
    --------
    >>> display = EstimateDistributionsDisplay(
    ...     [[0.9, 1.0], [0.92, 1.0], [0.91, 0.7]],
    ...     ["lda", "cart"],
    ...     measure_title="accuracy",
    ...     greater_is_better=True,
    ...     best_value=1.0,
    ... )
    >>> display.to_frame()[["learner", "mean", "median", "skewness"]].round(2).values.tolist()
    [['lda', 0.91, 0.91, 0.0], ['cart', 0.9, 1.0, -1.73]]
    """

    def __init__(
        self,
        values: ArrayLike,
        names: Sequence[str],
        *,
        measure_title: str,
        greater_is_better: bool,
        best_value: float,
    ) -> None:
        self.values, known = repeated_estimates.repeat_table(
            values, "values of EstimateDistributionsDisplay", names
        )
        self.names = name_list(known, self.values.shape[1], "learners")
        self.distributions = repeated_estimates.estimate_distributions(
            self.values, self.names, greater_is_better=greater_is_better, best_value=best_value
        )
        self.measure_title, self.greater_is_better = measure_title, greater_is_better
        longest = drawing.longest_name(self.names)
        self.size = 6.2 + 0.07 * longest, 1.5 + 0.52 * len(self.names)

    @classmethod
    def from_comparison(cls, comparison: Any) -> EstimateDistributionsDisplay:
        """Take the deciding measure of a comparison, learners in the order of the verdict.

        Parameters
        ----------
        comparison : Comparison
            Result of `bestofk.compare`.

        Returns
        -------
        EstimateDistributionsDisplay
        """
        names, values = repeat_scores(comparison)
        measure = comparison.findings.measure
        best = measure.maximum if measure.greater_is_better else measure.minimum
        return cls(values, names, best_value=best, **drawing.score_options(measure))

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per learner, as `distributions_frame` makes it."""
        return repeated_estimates.distributions_frame(self.distributions)

    def _draw(self, ax: Axes) -> None:
        for index, distribution in enumerate(self.distributions):
            row = self.values[:, index]
            if distribution.n_repeats:
                _draw_lane(ax, index, row[~np.isnan(row)], distribution)
            _write_skewness(ax, index, distribution)
        drawing.name_lanes(ax, self.names, -0.75)
        ax.margins(x=0.03)
        drawing.label_scores(
            ax, self.measure_title, " of a single repeat",
            "diamond: mean; line: median; every histogram has its own height",
            greater_is_better=self.greater_is_better,
        )  # fmt: skip
        drawing.write_in_lane(ax, "skewness ± error", 1.02, -0.6)
        drawing.headline(ax, self._shapes_said())

    def _shapes_said(self) -> str:
        n_skewed = sum(distribution.is_skewed for distribution in self.distributions)
        separable = [
            drawing.short_name(item.name) for item in self.distributions if item.is_separable
        ]
        says = "No learner is clearly skewed"
        if n_skewed:
            says = f"{n_skewed} of {times(len(self.names), 'learner')} clearly skewed (bold)"
        return f"{says}; often perfect: {listing(separable)}" if separable else says


def _draw_lane(
    ax: Axes, index: int, row: Floats, distribution: repeated_estimates.EstimateDistribution
) -> None:
    """Draw a histogram that stands on its lane; the y axis points down."""
    base = index + 0.3
    if distribution.sd > 0:
        counts, edges = np.histogram(row, _edges(row))
        heights = _HIGHEST * counts / counts.max()
        ax.stairs(base - heights, edges, baseline=base, fill=True, color=BLUE, alpha=0.55, lw=0)
        ax.stairs(base - heights, edges, baseline=base, color=BLUE, lw=0.9)
    else:
        ax.vlines(distribution.mean, base - _HIGHEST, base, color=BLUE, lw=3)
    ax.hlines(base, row.min(), row.max(), color=drawing.ink(), lw=0.6)
    drawing.draw_medians(ax, distribution.median, base - _HIGHEST, base)
    drawing.draw_means(ax, distribution.mean, base)


def _edges(row: Floats) -> Floats:
    """Return edges by the rule of Freedman & Diaconis (1981), in few enough bins to be seen.

    Scores in steps, such as error rates of few rows, stand inside the bins, equally many steps
    in each: otherwise some bins would be empty by their place alone.
    """
    low, high = float(row.min()), float(row.max())
    width = 2 * float(np.subtract(*np.quantile(row, [0.75, 0.25]))) / np.cbrt(len(row))
    most_bins = (high - low) / width if width > 0 else _MOST_BINS
    n_bins = int(np.clip(np.ceil(most_bins), _FEWEST_BINS, _MOST_BINS))
    width = (high - low) / n_bins
    step = float(np.diff(np.unique(tied_values(row))).min(initial=high - low))
    if (high - low) / step <= _MOST_STEPS:
        width = step * max(1, round(width / step))
        low -= step / 2
        n_bins = int((high - low) / width) + 1
    edges = np.asarray(low + width * np.arange(n_bins + 1))
    edges[-1] = max(edges[-1], row.max())  # rounding may have left the highest outside
    return edges


def _write_skewness(
    ax: Axes, index: int, distribution: repeated_estimates.EstimateDistribution
) -> None:
    if not distribution.n_repeats:
        says = "no repeat done"
    elif np.isnan(distribution.skewness):
        says = "undefined"
    else:
        says = f"{number(distribution.skewness, 2)} ± {number(distribution.skewness_error, 2)}"
    weight = "bold" if distribution.is_skewed else "normal"
    drawing.write_in_lane(ax, says, 1.02, index, fontweight=weight)

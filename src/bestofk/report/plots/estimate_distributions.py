"""Picture of the estimates of single repeats: one histogram per learner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.inference.many_learners.repeated_estimates import (
    EstimateDistribution,
    distributions_frame,
    estimate_distributions,
    repeat_table,
)
from bestofk.measures.ties import tied_values
from bestofk.report.plots.base import Display, name_list
from bestofk.report.plots.drawing import BLUE, ink
from bestofk.report.plots.labels import headline, longest_name, short_name
from bestofk.report.plots.lanes import draw_means, draw_medians, name_lanes, write_in_lane
from bestofk.report.plots.running_means import repeat_scores
from bestofk.report.plots.scales import label_scores
from bestofk.words import listing, number, times

# Height of a histogram as a share of its lane.
_HIGHEST: Final = 0.8
_FEWEST_BINS, _MOST_BINS = 6, 30
# Scores that span more of their smallest steps are taken as continuous.
_MOST_STEPS: Final = 60


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
        self.values, known = repeat_table(values, "values of EstimateDistributionsDisplay", names)
        self.names = name_list(known, self.values.shape[1], "learners")
        self.distributions = estimate_distributions(
            self.values, self.names, greater_is_better=greater_is_better, best_value=best_value
        )
        self.measure_title, self.greater_is_better = measure_title, greater_is_better
        longest = longest_name(self.names)
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
        return cls(
            values,
            names,
            measure_title=measure.title,
            greater_is_better=measure.greater_is_better,
            best_value=measure.maximum if measure.greater_is_better else measure.minimum,
        )

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per learner, as `distributions_frame` makes it."""
        return distributions_frame(self.distributions)

    def _draw(self, ax: Axes) -> None:
        for index, distribution in enumerate(self.distributions):
            row = self.values[:, index]
            if distribution.n_repeats:
                _draw_lane(ax, index, row[~np.isnan(row)], distribution)
            _write_skewness(ax, index, distribution)
        name_lanes(ax, self.names, -0.75)
        ax.margins(x=0.03)
        label_scores(
            ax, self.measure_title, " of a single repeat",
            "diamond: mean; line: median; every histogram has its own height",
            greater_is_better=self.greater_is_better,
        )  # fmt: skip
        write_in_lane(ax, "skewness ± error", 1.02, -0.6)
        headline(ax, self._shapes_said())

    def _shapes_said(self) -> str:
        n_skewed = sum(distribution.is_skewed for distribution in self.distributions)
        separable = [short_name(item.name) for item in self.distributions if item.is_separable]
        says = "No learner is clearly skewed"
        if n_skewed:
            says = f"{n_skewed} of {times(len(self.names), 'learner')} clearly skewed (bold)"
        return f"{says}; often perfect: {listing(separable)}" if separable else says


def _draw_lane(ax: Axes, index: int, row: Floats, distribution: EstimateDistribution) -> None:
    """Draw a histogram that stands on its lane; the y axis points down."""
    base = index + 0.3
    if distribution.sd > 0:
        counts, edges = np.histogram(row, _edges(row))
        heights = _HIGHEST * counts / counts.max()
        ax.stairs(base - heights, edges, baseline=base, fill=True, color=BLUE, alpha=0.55, lw=0)
        ax.stairs(base - heights, edges, baseline=base, color=BLUE, lw=0.9)
    else:
        ax.vlines(distribution.mean, base - _HIGHEST, base, color=BLUE, lw=3)
    ax.hlines(base, row.min(), row.max(), color=ink(), lw=0.6)
    draw_medians(ax, distribution.median, base - _HIGHEST, base)
    draw_means(ax, distribution.mean, base)


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


def _write_skewness(ax: Axes, index: int, distribution: EstimateDistribution) -> None:
    if not distribution.n_repeats:
        says = "no repeat done"
    elif np.isnan(distribution.skewness):
        says = "undefined"
    else:
        says = f"{number(distribution.skewness, 2)} ± {number(distribution.skewness_error, 2)}"
    weight = "bold" if distribution.is_skewed else "normal"
    write_in_lane(ax, says, 1.02, index, fontweight=weight)

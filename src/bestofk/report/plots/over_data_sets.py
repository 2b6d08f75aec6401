"""Pictures of many data sets: the spread of ranks, and what recommending loses."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullLocator
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.many_data_sets.ranks import ranking_order, weighted_average_ranks
from bestofk.report.plots import drawing
from bestofk.report.plots.drawing import BLUE, GRAY, Display, name_list
from bestofk.words import fixed, times

LOSS_UNIT: Final = "points"
# Losses in percentage points below this are drawn in proportion, those above by their logarithm.
_LINEAR: Final = 0.1
_TICKS: Final = (0.0, 0.1, 1.0, 10.0, 100.0)
_BAND: Final = (0.25, 0.75)
_WIDEST_NAME: Final = 34  # letters in a line
_LOGARITHMIC_FROM: Final = 100  # tests
_POINTS_PER_DECADE: Final = 50
_DECADES_BEFORE: Final = 1  # of the window, so that one sees what it leaves out
# Columns of the spread of ranks, and the quantiles that they hold.
_SPREAD: Final = {
    "lowest_tenth": 0.1,
    "lower_quartile": 0.25,
    "median": 0.5,
    "upper_quartile": 0.75,
    "highest_tenth": 0.9,
}


class MeanLossesDisplay(Display):
    """Mean loss of methods along an axis, with the middle half of the data sets as a band.

    Base of the displays of losses after tests and after seconds.

    Parameters
    ----------
    losses : array-like of shape (n_methods, n_data_sets, n_points), float
        Differences of scores, at least 0.
    positions : array-like of shape (n_points,), float
        Of the points on the axis.
    names : sequence of str
        Methods.
    default_losses : array-like of shape (n_data_sets,), float
        Before any test.

    Raises
    ------
    DesignError
        If the losses have another shape, are below 0, or are no numbers.
    InvalidArgumentError
        If names do not fit.
    """

    _axis: ClassVar[str]  # of the points, in the frame

    def __init__(
        self,
        losses: ArrayLike,
        positions: ArrayLike,
        names: Sequence[str],
        *,
        default_losses: ArrayLike,
    ) -> None:
        self.positions = np.asarray(positions, dtype=float)
        self.losses = loss_table(losses, 3)
        self.default_losses = loss_table(default_losses, 1)
        shape = self.losses.shape
        if shape[1:] != (len(self.default_losses), len(self.positions)):
            raise DesignError(
                "losses must have one value for each method, data set and point of the axis; got "
                f"shape {shape} for {len(self.default_losses)} data sets and {len(self.positions)} "
                "points. Hand over one default loss per data set."
            )
        self.names = name_list(names, shape[0], "methods")
        self.size = 6.4, 3.4 + drawing.legend_inches(self._labels())

    @property
    def default_level(self) -> float:
        """Mean loss before any test, in percentage points."""
        return float(100 * self.default_losses.mean())

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per method and point.

        Returns
        -------
        DataFrame
            Columns method, n_tests or seconds, mean_loss, lower_quartile, upper_quartile (over
            data sets); losses in percentage points.
        """
        n_methods, _, n_points = self.losses.shape
        low, high = 100 * np.quantile(self.losses, _BAND, axis=1)
        return pd.DataFrame(
            {
                "method": np.repeat(self.names, n_points),
                self._axis: np.tile(self.positions, n_methods),
                "mean_loss": 100 * self.losses.mean(axis=1).ravel(),
                "lower_quartile": low.ravel(),
                "upper_quartile": high.ravel(),
            }
        )

    def _labels(self) -> list[str]:
        """Return what stands in the legend."""
        return [method_label(name) for name in self.names]

    def _draw_losses(self, ax: Axes, axis_label: str, legend_title: str | None = None) -> None:
        """Draw means and bands on a logarithmic axis, with a legend."""
        low, high = 100 * np.quantile(self.losses, _BAND, axis=1)
        means, n_sets = 100 * self.losses.mean(axis=1), self.losses.shape[1]
        has_bands = n_sets > 1 and len(means) <= drawing.MOST_BANDS
        band: dict[str, Any] = {"alpha": 0.2, "lw": 0, "step": "post"}
        for i, label in enumerate(self._labels()):
            style = drawing.curve_style(i)
            if has_bands:
                ax.fill_between(self.positions, low[i], high[i], color=style["color"], **band)
            ax.plot(self.positions, means[i], label=label, drawstyle="steps-post", **style)
        ax.axhline(self.default_level, color=drawing.ink(), lw=0.9, ls=":", zorder=1)
        text_style = {"xytext": (-2, 2), "ha": "right", "va": "bottom"}
        drawing.write_in_lane(ax, "before any test", 1, self.default_level, **text_style)
        ax.set_xscale("log")
        ax.set_xlim(self.positions[0], self.positions[-1])
        scale_losses(ax, "y", max(self.default_level, float(means.max()), float(high.max())))
        note = f"; band: middle half of {n_sets} data sets" if has_bands else ""
        drawing.x_label(ax, f"{axis_label}{note}")
        drawing.y_label(ax, f"{'mean loss' if n_sets > 1 else 'loss'} ({LOSS_UNIT})")
        drawing.legend_below(ax, title=legend_title)


class LossCurveDisplay(MeanLossesDisplay):
    """Mean loss against the number of tests, however long they take.

    The band is the middle half of the data sets.  Where the mean lies above its band, few data
    sets carry it.  Losses are drawn by their logarithm above a
    tenth of a point, and so are numbers of tests from a hundred on.

    Parameters
    ----------
    losses : array-like of shape (n_methods, n_data_sets, n_points), float
        Differences of scores.
    positions : array-like of shape (n_points,), float
        Numbers of tests, from 1.
    names : sequence of str
        Methods.
    default_losses : array-like of shape (n_data_sets,), float
        Before any test.

    Raises
    ------
    DesignError
        If the losses have another shape, are below 0, or are no numbers.
    InvalidArgumentError
        If names do not fit.

    See Also
    --------
    LossTimeCurveDisplay : Against the seconds that the tests take.

    References
    ----------
    Leite, Brazdil & Vanschoren (2012), Selecting classification algorithms with active testing,
    MLDM, LNCS 7376.

    Examples
    --------
    >>> display = LossCurveDisplay([[[0.1, 0.0], [0.3, 0.1]]], [1, 2], ["ours"],
    ...     default_losses=[0.4, 0.5])
    >>> display.to_frame()[["n_tests", "mean_loss"]].round(1).values.tolist()
    [[1.0, 20.0], [2.0, 5.0]]
    """

    _axis = "n_tests"

    @classmethod
    def from_losses(cls, losses: Any) -> LossCurveDisplay:
        """Take what methods lost on data sets that were left out in turn.

        Parameters
        ----------
        losses : RecommenderLosses
            Result of `bestofk.recommendation.leave_one_out.leave_one_out`.

        Returns
        -------
        LossCurveDisplay
            From the first test to the last; a method that was not followed beyond the window
            keeps its loss.
        """
        after = losses.losses_after_tests()
        tests = np.arange(1, after.shape[2])
        return cls(after[:, :, 1:], tests, losses.titles, default_losses=after[0, :, 0])

    def _draw(self, ax: Axes) -> None:
        self._draw_losses(ax, "number of tests")
        if self.positions[-1] < _LOGARITHMIC_FROM:
            ax.set_xscale("linear")
            ax.set_xlim(self.positions[0], self.positions[-1])
        else:
            ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")


class LossTimeCurveDisplay(MeanLossesDisplay):
    """Mean loss against seconds, the window shaded over which losses are averaged.

    The mean interval loss stands next to each method: it is the mean over the logarithm of time
    in the window.  The band is the middle half of the data sets.  Where the mean lies above its
    band, few data sets carry it.  Losses are drawn by their logarithm above a tenth of a point.

    Parameters
    ----------
    curves : mapping of str to sequence of LossTimeCurve
        By method; as many data sets for each.
    window : pair of float
        The seconds that count: first and last.

    Raises
    ------
    DesignError
        If the methods have different numbers of curves, or none.

    See Also
    --------
    LossCurveDisplay : Against the number of tests.

    References
    ----------
    Abdulrahman, Brazdil, van Rijn & Vanschoren (2018), Speeding up algorithm selection using
    average ranking and active testing by introducing runtime, Machine Learning 107, 79-108,
    figures 2 and 3.

    Examples
    --------
    >>> from bestofk.recommendation.loss_time import LossTimeCurve, Window
    >>> curve = LossTimeCurve.of_tests([0.7, 0.9], [100, 900], default_score=0.5)
    >>> display = LossTimeCurveDisplay({"ours": [curve]}, Window.of(10, 1000))
    >>> display.interval_losses().round(2).tolist(), round(display.default_level)
    ([[30.0]], 40)
    """

    _axis = "seconds"

    def __init__(self, curves: Mapping[str, Sequence[Any]], window: tuple[float, float]) -> None:
        self.window = window
        self.curves = {str(name): tuple(of_method) for name, of_method in curves.items()}
        n_sets = {name: len(of_method) for name, of_method in self.curves.items()}
        if len(set(n_sets.values())) != 1 or 0 in n_sets.values():
            raise DesignError(
                "curves must be as many for every method, one per data set; got "
                f"{', '.join(f'{count} for {name}' for name, count in n_sets.items()) or 'none'}."
                " Follow every method on the same data sets."
            )
        opening, closing = window
        first = opening / 10**_DECADES_BEFORE
        n_points = round(_POINTS_PER_DECADE * np.log10(closing / first)) + 1
        seconds = np.geomspace(first, closing, n_points)
        of_methods = list(self.curves.values())
        super().__init__(
            [[curve.at(seconds) for curve in of_method] for of_method in of_methods],
            seconds,
            list(self.curves),
            default_losses=[curve.losses[0] for curve in of_methods[0]],
        )

    @classmethod
    def from_losses(cls, losses: Any) -> LossTimeCurveDisplay:
        """Take what methods lost on data sets that were left out in turn.

        Parameters
        ----------
        losses : RecommenderLosses
            Result of `bestofk.recommendation.leave_one_out.leave_one_out`.

        Returns
        -------
        LossTimeCurveDisplay
        """
        return cls(dict(zip(losses.titles, losses.curves, strict=True)), losses.window)

    def interval_losses(self) -> Floats:
        """Return the mean interval losses in percentage points, methods by data sets."""
        return np.array(
            [
                [100 * curve.mean_interval_loss(self.window) for curve in of_method]
                for of_method in self.curves.values()
            ]
        )

    def _labels(self) -> list[str]:
        pairs = zip(self.names, self.interval_losses().mean(axis=1), strict=True)
        return [method_label(f"{name}: {fixed(mean, 2)}") for name, mean in pairs]

    def _draw(self, ax: Axes) -> None:
        label = "seconds; shaded: window of {:,.6g} to {:,.6g} s".format(*self.window)
        self._draw_losses(ax, label, "mean loss in the window")
        ax.axvspan(*self.window, color=GRAY, alpha=0.15, lw=0, zorder=0)
        ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.6g}")
        ax.set_xticks([], minor=True)


def method_label(name: str) -> str:
    """Return the title of a method in lines that fit next to a picture."""
    unbroken = name.replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")
    return textwrap.fill(unbroken, _WIDEST_NAME)


def loss_table(values: ArrayLike, n_dimensions: int) -> Floats:
    """Return losses as an array, or raise.

    Parameters
    ----------
    values : array-like of float
        Differences of scores.
    n_dimensions : int
        How many there must be.

    Returns
    -------
    ndarray of float
        None below 0: what rounding left there is 0.

    Raises
    ------
    DesignError
        If there is nothing, the dimensions are others, or a value is below 0 or no number.
    """
    table = np.asarray(values, dtype=float)
    if table.ndim != n_dimensions or not table.size or not (table >= -1e-9).all():
        raise DesignError(
            f"losses must be numbers from 0 in {n_dimensions} dimensions; got shape {table.shape}"
            f"{f', lowest {table.min():g}' if table.size else ''}. "
            "A loss is the best score minus the best so far."
        )
    return np.asarray(np.maximum(table, 0.0))


def scale_losses(ax: Axes, axis: str, highest: float) -> None:
    """Let an axis show losses of a tenth of a point and of a hundred: linear, then logarithmic."""
    (ax.set_xscale if axis == "x" else ax.set_yscale)("symlog", linthresh=_LINEAR, linscale=0.6)
    item = ax.xaxis if axis == "x" else ax.yaxis
    item.set_major_locator(FixedLocator(_TICKS))
    item.set_minor_locator(NullLocator())
    item.set_major_formatter(lambda value, _: f"{value:g}")
    (ax.set_xlim if axis == "x" else ax.set_ylim)(0, 1.4 * max(highest, _LINEAR))


class MeanRanksDisplay(Display):
    """Mean rank of each learner over data sets, best first, with the spread of its ranks.

    The spread says how ranks differ from data set to data set.  It is no interval of the mean
    and no test: see `CriticalDifferenceDisplay` for one.

    Parameters
    ----------
    ranks : array-like of shape (n_data_sets, n_learners), float
        Within each row, 1 is best; nan where a learner was not tested.
    names : sequence of str
        Learners.
    n_shown : int, default=20
        How many of the best are drawn.

    Raises
    ------
    DesignError
        If the ranks are no table.
    InvalidArgumentError
        If names do not fit, or `n_shown` is below 1.

    Notes
    -----
    A row with gaps weighs less in the mean; see `weighted_average_ranks`.

    References
    ----------
    Abdulrahman, Brazdil, van Rijn & Vanschoren (2018), Speeding up algorithm selection using
    average ranking and active testing by introducing runtime, Machine Learning 107, 79-108.

    Examples
    --------
    >>> display = MeanRanksDisplay([[2, 1, 3], [1, 2, 3], [3, 1, 2]], ["lda", "cart", "1nn"])
    >>> display.to_frame()[["learner", "mean_rank"]].round(2).values.tolist()
    [['cart', 1.33], ['lda', 2.0], ['1nn', 2.67]]
    """

    def __init__(self, ranks: ArrayLike, names: Sequence[str], *, n_shown: int = 20) -> None:
        self.ranks = np.asarray(ranks, dtype=float)
        if self.ranks.ndim != 2 or not self.ranks.size:
            raise DesignError(
                "ranks must be a table of data sets by learners; got shape "
                f"{self.ranks.shape}. Give one row per data set."
            )
        if n_shown < 1:
            raise InvalidArgumentError(f"n_shown must be at least 1; got {n_shown}. 20 fit a page.")
        self.names = name_list(names, self.ranks.shape[1], "learners")
        self.n_shown = n_shown
        shown = [drawing.short_name(name) for name in self._shown()["learner"]]
        self.size = 4.6 + 0.08 * max(map(len, shown)), 1.6 + 0.25 * len(shown)

    @classmethod
    def from_history(
        cls, history: Any, *, power: float = 0.0, n_shown: int = 20
    ) -> MeanRanksDisplay:
        """Rank the learners of a history within its data sets.

        Parameters
        ----------
        history : History
            Scores, and times unless `power` is 0.
        power : float, default=0
            P of A3R: how much time counts.
        n_shown : int, default=20
            How many of the best are drawn.

        Returns
        -------
        MeanRanksDisplay
        """
        return cls(history.ranks(power), history.learners, n_shown=n_shown)

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per learner, best first.

        Returns
        -------
        DataFrame
            Columns learner, mean_rank, lowest_tenth, lower_quartile, median, upper_quartile,
            highest_tenth (quantiles of its ranks), n_data_sets (where it was ranked).  Those
            without a rank come last.
        """
        ranks = pd.DataFrame(self.ranks, columns=self.names)
        table = pd.DataFrame(
            {
                "learner": self.names,
                "mean_rank": weighted_average_ranks(self.ranks),
                **{name: ranks.quantile(share).to_numpy() for name, share in _SPREAD.items()},
                "n_data_sets": ranks.count().to_numpy(),
            }
        )
        return table.iloc[ranking_order(table["mean_rank"].to_numpy())].reset_index(drop=True)

    def _shown(self) -> Any:
        return self.to_frame().head(self.n_shown)

    def _draw(self, ax: Axes) -> None:
        table = self._shown()
        lanes = np.arange(len(table))
        ax.hlines(lanes, table["lowest_tenth"], table["highest_tenth"], color=BLUE, lw=1.2)
        ax.hlines(
            lanes, table["lower_quartile"], table["upper_quartile"], color=BLUE, lw=6, alpha=0.45
        )
        drawing.draw_medians(ax, table["median"], lanes - 0.3, lanes + 0.3)
        drawing.draw_means(ax, table["mean_rank"], lanes)
        for lane, rank in zip(lanes, table["mean_rank"], strict=True):
            drawing.write_in_lane(ax, f"{rank:.1f}", 1.02, lane)
        drawing.name_lanes(ax, list(table["learner"]))
        ax.set_xlim(left=0)
        drawing.x_label(
            ax, "rank on a data set (1 is best)",
            "diamond and number: mean; line: median; bars: middle half, and middle 80%",
        )  # fmt: skip
        n_sets, n_learners = self.ranks.shape
        ranked = times(n_learners, "learner")
        ranked = f"The best {len(table)} of {ranked}" if len(table) < n_learners else ranked
        drawing.headline(ax, f"{ranked} on {times(n_sets, 'data set')}")


class IntervalLossesDisplay(Display):
    """Box plots of the mean interval loss, one lane per method, mean and median marked.

    A box is the middle half of the data sets, its whiskers reach the outermost losses within
    one and a half lengths of the box, and points are beyond.  Losses are drawn by their
    logarithm above a tenth of a point.

    Parameters
    ----------
    losses : array-like of shape (n_data_sets, n_methods), float
        Differences of scores.
    names : sequence of str
        Methods, or settings of one.

    Raises
    ------
    DesignError
        If the losses are no table, below 0 or no numbers.
    InvalidArgumentError
        If names do not fit.

    References
    ----------
    Abdulrahman, Brazdil, van Rijn & Vanschoren (2018), Speeding up algorithm selection using
    average ranking and active testing by introducing runtime, Machine Learning 107, 79-108,
    figure 4.

    Examples
    --------
    >>> display = IntervalLossesDisplay([[0.01, 0.1], [0.03, 0.0]], ["P = 1/4", "P = 0"])
    >>> display.to_frame()[["method", "mean", "median"]].values.tolist()
    [['P = 1/4', 2.0, 2.0], ['P = 0', 5.0, 5.0]]
    """

    def __init__(self, losses: ArrayLike, names: Sequence[str]) -> None:
        self.losses = loss_table(losses, 2)
        self.names = name_list(names, self.losses.shape[1], "methods")
        lines = "\n".join(map(method_label, self.names)).splitlines()
        self.size = 4.6 + 0.08 * max(map(len, lines)), 1.2 + 0.36 * len(self.names)

    @classmethod
    def from_losses(cls, losses: Any) -> IntervalLossesDisplay:
        """Take what methods lost on data sets that were left out in turn.

        Parameters
        ----------
        losses : RecommenderLosses
            Result of `bestofk.recommendation.leave_one_out.leave_one_out`.

        Returns
        -------
        IntervalLossesDisplay
        """
        return cls(losses.losses, losses.titles)

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per method.

        Returns
        -------
        DataFrame
            Columns method, mean, median, lower_quartile, upper_quartile, largest, n_data_sets;
            losses in percentage points.
        """
        points = 100 * self.losses
        low, middle, high = np.quantile(points, [0.25, 0.5, 0.75], axis=0)
        return pd.DataFrame(
            {
                "method": self.names,
                "mean": points.mean(axis=0),
                "median": middle,
                "lower_quartile": low,
                "upper_quartile": high,
                "largest": points.max(axis=0),
                "n_data_sets": len(points),
            }
        )

    def _draw(self, ax: Axes) -> None:
        points, lanes = 100 * self.losses, range(len(self.names))
        line = {"color": drawing.ink(), "lw": 1.0}
        ax.boxplot(
            points, positions=lanes, orientation="horizontal", widths=0.6, manage_ticks=False,
            patch_artist=True, boxprops={"facecolor": BLUE, "alpha": 0.45, "lw": 0},
            whiskerprops=line, capprops=line, medianprops={"color": drawing.ink(), "lw": 1.8},
            flierprops={"marker": "o", "ms": 3, "mew": 0, "markerfacecolor": BLUE, "alpha": 0.6},
        )  # fmt: skip
        drawing.draw_means(ax, points.mean(axis=0), lanes)
        drawing.name_lanes(ax, list(map(method_label, self.names)))
        scale_losses(ax, "x", float(points.max()))
        drawing.x_label(
            ax, f"mean interval loss on {len(points)} data sets ({LOSS_UNIT})",
            "diamond: mean; line: median; box: middle half",
        )  # fmt: skip

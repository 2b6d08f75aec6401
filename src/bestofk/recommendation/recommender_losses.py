"""Losses of recommendation methods on data sets that were left out in turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bestofk.array_types import Floats
from bestofk.checks import check_known
from bestofk.errors import InvalidArgumentError
from bestofk.measures.ties import is_noise, tied_values
from bestofk.recommendation.history import History
from bestofk.recommendation.loss_time import LossTimeCurve, Window
from bestofk.report.parts import Row, Sections, Table
from bestofk.report.reported import Reported
from bestofk.words import printable, seconds, times

if TYPE_CHECKING:
    from bestofk.report.plots import Display

_N_BOOTSTRAP = 2000


@dataclass(frozen=True, eq=False, repr=False)
class RecommenderLosses(Reported):
    """Mean interval losses of methods on data sets that were left out in turn.

    Attributes
    ----------
    history : History
        What was learned from and tested on.
    methods : tuple of str
        Names of the methods.
    titles : tuple of str
        As tables and legends print them.
    window : Window
        The seconds that count.
    data_sets : tuple of str
        The rows of `losses`.
    losses : ndarray of shape (n_data_sets, n_methods)
        Mean interval loss, as a difference of scores.
    curves : tuple of tuples of LossTimeCurve
        By method, then by data set.
    orders : tuple of tuples of tuple of int
        By method, then by data set: the learners tested until the best was found or the window
        was over.
    """

    history: History
    methods: tuple[str, ...]
    titles: tuple[str, ...]
    window: Window
    data_sets: tuple[str, ...]
    losses: Floats
    curves: tuple[tuple[LossTimeCurve, ...], ...]
    orders: tuple[tuple[tuple[int, ...], ...], ...]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per data set and method: data_set, method, mean_interval_loss."""
        n_sets, n_methods = self.losses.shape
        return pd.DataFrame(
            {
                "data_set": np.repeat(self.data_sets, n_methods),
                "method": np.tile(self.methods, n_sets),
                "mean_interval_loss": self.losses.ravel(),
            }
        )

    def summary(self, reference: str | None = None) -> pd.DataFrame:
        """Return mean, median, interval and wins of each method.

        Parameters
        ----------
        reference : str, optional
            The method that the others are compared with; the first where it is not given.

        Returns
        -------
        DataFrame
            One row per method: mean and median loss in percentage points, the difference of
            means to the reference with its bootstrap interval of 95 % over data sets, and on
            how many data sets it loses less (wins), the same (ties) and more (losses).

        Raises
        ------
        InvalidArgumentError
            If the reference is not among the methods.
        """
        against = self._position(reference if reference is not None else self.methods[0])
        points = 100 * self.losses
        differences = points - points[:, [against]]
        signs = np.where(is_noise(differences, points.max()), 0, np.sign(differences))
        low, high = _bootstrap_interval(differences)
        return pd.DataFrame(
            {
                "method": self.methods,
                "mean": points.mean(axis=0),
                "median": np.median(points, axis=0),
                "difference": differences.mean(axis=0),
                "low": low,
                "high": high,
                "wins": (signs < 0).sum(axis=0),
                "ties": (signs == 0).sum(axis=0),
                "losses": (signs > 0).sum(axis=0),
            }
        )

    def sections(self) -> Sections:
        """Return the report: the method that loses least, and the summary as a table."""
        summary = self.summary()
        best = int(np.argmin(tied_values(summary["mean"])))
        on = times(len(self.data_sets), "data set")
        least = f"{summary['mean'][best]:.3g} points"
        return Sections(
            title=f"Losses of {times(len(self.methods), 'method')} on {on}",
            answer=(f"Lowest loss: {self.titles[best]}, {least} on average over {on}.",),
            tables=[self._table(summary)],
            details=[
                f"Seconds from {seconds(self.window.first)} to {seconds(self.window.last)} count.",
                "Loss: points below the best score of the data set, a mean over these seconds.",
                f"Difference: to {self.titles[0]}, with its 95% bootstrap interval over data sets.",
            ],
        )

    def _table(self, summary: pd.DataFrame) -> Table:
        heads = ["method", "mean\nloss", "median", "difference", "from", "to", "w/t/l"]
        rows = [
            Row(
                title,
                "",
                (
                    *(f"{value:.3g}" for value in row[2:7]),
                    f"{row.wins}/{row.ties}/{row.losses}",
                ),
            )
            for title, row in zip(self.titles, summary.itertuples(), strict=True)
        ]
        foot = f"w/t/l: data sets on which less, as much and more is lost than by {self.titles[0]}"
        return Table(heads, rows, foot)

    def display(self) -> Display:
        """Return the picture of the losses by seconds, not yet drawn."""
        from bestofk.report.plots import LossTimeCurveDisplay

        return LossTimeCurveDisplay.from_losses(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the summary and every loss as plain values, as JSON has them."""
        return {**super().to_dict(), "summary": self.summary().to_dict("records")}

    def plot(self, kind: str = "seconds", *, ax: Any = None) -> Display:
        """Draw what is lost while learners are tried.

        Parameters
        ----------
        kind : {"seconds", "tests", "spread"}, default="seconds"
            The mean loss after so many seconds, or after so many tests; or how the mean interval
            loss is spread over data sets.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.

        Returns
        -------
        Display
            With `to_frame()`, the numbers that are drawn, `ax_` and `figure_`.

        Raises
        ------
        InvalidArgumentError
            If there is no such kind.
        """
        from bestofk.report import plots

        displays = {
            "seconds": plots.LossTimeCurveDisplay.from_losses,
            "tests": plots.LossCurveDisplay.from_losses,
            "spread": plots.IntervalLossesDisplay.from_losses,
        }
        check_known(kind, "kind of plot", displays)
        drawn: Display = displays[kind](self).plot(ax)
        return drawn

    def losses_after_tests(self) -> Floats:
        """Return what is lost after each number of tests.

        Returns
        -------
        ndarray of shape (n_methods, n_data_sets, n_learners + 1)
            Differences of scores; the first is the loss of the default score.  Where the window
            was over before the best was found, the last loss stays.
        """
        after = np.empty((len(self.methods), len(self.data_sets), self.history.n_learners + 1))
        for method, orders in enumerate(self.orders):
            for i, order in enumerate(orders):
                default = self.history.default_scores[i]
                reached = np.append(default, self.history.scores[i, list(order)])
                gained = np.fmax.accumulate(reached) - default
                losses = self.curves[method][i].losses[0] - gained
                after[method, i, : len(losses)] = losses
                after[method, i, len(losses) :] = losses[-1]
        return after

    def _position(self, name: str) -> int:
        if name not in self.methods:
            raise InvalidArgumentError(
                f"reference must be one of the methods compared, {', '.join(self.methods)}; got "
                f"{name!r}. Add it to the methods, or leave it out."
            )
        return self.methods.index(name)

    def __repr__(self) -> str:
        return printable(
            f"<RecommenderLosses of {', '.join(self.methods)} on {len(self.data_sets)} data sets>"
        )


def _bootstrap_interval(differences: Floats) -> tuple[Floats, Floats]:
    """Return the percentile interval of 95 % of each column's mean over data sets."""
    n = len(differences)
    rng = np.random.default_rng(n)
    counts = rng.multinomial(n, np.full(n, 1 / n), size=_N_BOOTSTRAP)
    low, high = np.quantile(counts @ differences / n, [0.025, 0.975], axis=0)
    return low, high

"""Evaluation of recommendation methods on data sets that are left out in turn.

Two figures say how good a method is: its losses over time, and the correlation of its ranking
with the true one. A high correlation says that the whole order is right, not that the first
tests are: a ranking by score alone correlates best and may wait longest.

References
----------
Abdulrahman, Brazdil, van Rijn & Vanschoren (2018), Speeding up algorithm selection using average
ranking and active testing by introducing runtime, Machine Learning 107, 79-108.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, starmap
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.stats import kendalltau, rankdata

from bestofk.array_types import Floats, Positions
from bestofk.checks import check_known, check_number
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.options import n_workers
from bestofk.inference.many_data_sets.ranks import rank_within_data_sets, weighted_average_ranks
from bestofk.measures.ties import is_noise, tied_values
from bestofk.recommendation.fixed_orders import Advisor, Recommender, a3r_ranks
from bestofk.recommendation.history import History
from bestofk.recommendation.loss_time import USUAL_WINDOW, LossTimeCurve, Window
from bestofk.report import plots
from bestofk.report.parts import Sections, Table, table_of
from bestofk.report.reported import Reported
from bestofk.words import printable, seconds, times

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
        name = self.methods[0] if reference is None else reference
        check_known(name, "reference", self.methods, rule="one of the methods compared")
        against = self.methods.index(name)
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
            [title, *(f"{value:.3g}" for value in row[2:7]), f"{row.wins}/{row.ties}/{row.losses}"]
            for title, row in zip(self.titles, summary.itertuples(), strict=True)
        ]
        foot = f"w/t/l: data sets on which less, as much and more is lost than by {self.titles[0]}"
        return table_of(heads, rows, foot)

    def display(self) -> plots.Display:
        """Return the picture of the losses by seconds, not yet drawn."""
        return plots.LossTimeCurveDisplay.from_losses(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the summary and every loss as plain values, as JSON has them."""
        return {**super().to_dict(), "summary": self.summary().to_dict("records")}

    def plot(self, kind: str = "seconds", *, ax: Any = None) -> plots.Display:
        """Draw the loss while learners are tried.

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
        displays = {
            "seconds": plots.LossTimeCurveDisplay.from_losses,
            "tests": plots.LossCurveDisplay.from_losses,
            "spread": plots.IntervalLossesDisplay.from_losses,
        }
        check_known(kind, "kind of plot", displays)
        drawn: plots.Display = displays[kind](self).plot(ax)
        return drawn

    def losses_after_tests(self) -> Floats:
        """Return the loss after each number of tests.

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


def leave_one_out(
    history: History,
    methods: Sequence[Recommender],
    *,
    window: Window = USUAL_WINDOW,
    n_folds: int | None = None,
    n_jobs: int | None = None,
    observe: Callable[[str, int], None] | None = None,
) -> RecommenderLosses:
    """Follow each method on each data set, using only the others as history.

    Parameters
    ----------
    history : History
        At least two data sets.  A learner without a time on a data set is not offered there; a
        test that failed costs its time.  If scores lack times, every test takes one second.
    methods : sequence of Recommender
        What to compare.
    window : Window, default=(10, 10000)
        The seconds that count.
    n_folds : int, optional
        Leave out this many parts in turn (data set i is in part i modulo n_folds) instead of
        one data set at a time.
    n_jobs : int, optional
        Processes that share the data sets; -1 for all cores. The losses are the same.
    observe : callable, optional
        Called with the name of a method and the number of data sets done.

    Returns
    -------
    RecommenderLosses
        Losses, curves and orders.

    Raises
    ------
    InvalidArgumentError
        If there are fewer than two data sets or parts, or no methods, or a method needs times
        that the history does not have; if `n_jobs` is 0 or no whole number.

    Examples
    --------
    >>> from bestofk.recommendation.fixed_orders import AverageRanking
    >>> scores = [[0.9, 0.85, 0.7], [0.8, 0.82, 0.6], [0.75, 0.7, 0.65]]
    >>> seconds = [[2.0, 1.0, 0.1], [5.0, 4.0, 0.2], [20.0, 8.0, 0.1]]
    >>> history = History.from_arrays(scores, seconds)
    >>> leave_one_out(history, [AverageRanking(0)]).losses.round(4).ravel().tolist()
    [0.0, 0.0, 0.01]
    """
    _check(history, methods, n_folds)
    parts = np.arange(history.n_data_sets) % (n_folds or history.n_data_sets)
    followed: list[list[tuple[LossTimeCurve, tuple[int, ...]]]] = [[] for _ in methods]
    todo = ((history, methods, parts, i, window) for i in range(history.n_data_sets))
    each: Iterable[Iterable[tuple[LossTimeCurve, tuple[int, ...]]]] = starmap(_all_followed, todo)
    if (n_processes := n_workers(n_jobs)) > 1:
        parallel = Parallel(n_jobs=n_processes, return_as="generator", inner_max_num_threads=1)
        each = parallel(delayed(_list_followed)(*arguments) for arguments in todo)
    for index, of_one in enumerate(chain.from_iterable(each)):
        followed[index % len(methods)].append(of_one)
        if observe:
            observe(methods[index % len(methods)].name, index // len(methods) + 1)
    curves = [tuple(curve for curve, _ in of_method) for of_method in followed]
    orders = [tuple(order for _, order in of_method) for of_method in followed]
    losses = [[curve.mean_interval_loss(window) for curve in of_method] for of_method in curves]
    return RecommenderLosses(
        history, tuple(m.name for m in methods), tuple(m.title for m in methods), window,
        history.data_sets, np.array(losses).T, tuple(curves), tuple(orders),
    )  # fmt: skip


def envelope_losses(history: History, window: Window = USUAL_WINDOW) -> Floats:
    """Return the mean interval losses that no order can beat.

    At each moment the best learner that alone would have ended by then is the best so far.

    Parameters
    ----------
    history : History
        Scores and times; if scores lack times, every test takes one second.
    window : Window, default=(10, 10000)
        The seconds that count.

    Returns
    -------
    ndarray of shape (n_data_sets,)
        As differences of scores.

    Examples
    --------
    >>> history = History.from_arrays([[0.9, 0.7]], [[100.0, 1.0]], default_scores=[0.5])
    >>> envelope_losses(history).round(4).tolist()
    [0.0667]
    """
    losses = []
    rows = zip(history.scores, _test_seconds(history), history.default_scores, strict=True)
    for scores, spent, default in rows:
        there = np.flatnonzero(~np.isnan(scores) & ~np.isnan(spent))
        by_time = there[np.argsort(spent[there], kind="stable")]
        # all tests start at once
        times = np.concatenate([[0.0], np.cumsum(np.diff(spent[by_time], prepend=0.0))])
        so_far = np.maximum.accumulate(np.concatenate([[float(default)], scores[by_time]]))
        losses.append(LossTimeCurve(times, so_far[-1] - so_far).mean_interval_loss(window))
    return np.array(losses)


def _list_followed(*arguments: Any) -> list[tuple[LossTimeCurve, tuple[int, ...]]]:
    return list(_all_followed(*arguments))


def _all_followed(
    history: History, methods: Sequence[Recommender], parts: Positions, i: int, window: Window
) -> Iterator[tuple[LossTimeCurve, tuple[int, ...]]]:
    """Follow the methods on data set i; they share what they compute on the others."""
    earlier = history.part(data_sets=np.flatnonzero(parts != parts[i]))
    for method in methods:
        yield _follow(method, earlier, history, i, window)


def _follow(
    method: Recommender, earlier: History, history: History, i: int, window: Window
) -> tuple[LossTimeCurve, tuple[int, ...]]:
    """Test learners of data set i as the method says, until nothing can change the loss."""
    scores, seconds = history.scores[i], _test_seconds(history)[i]
    offered = np.flatnonzero(~np.isnan(seconds))
    if len(offered) < history.n_learners:
        earlier = earlier.part(learners=offered)
    default = float(history.default_scores[i])
    best = float(np.nanmax([default, *scores[offered]]))
    order: list[int] = []
    if len(offered):
        advisor = method.start(earlier, default, window)
        order = _asked(advisor, scores[offered], seconds[offered], best, window)
    followed = offered[order]
    curve = LossTimeCurve.of_tests(
        scores[followed], seconds[followed], default_score=default, best_score=best
    )
    return curve, tuple(int(learner) for learner in followed)


def _test_seconds(history: History) -> Floats:
    """Return the seconds of each test; one second each if times are missing."""
    if history.has_seconds:
        return history.floored_seconds()
    return np.where(np.isnan(history.scores), np.nan, 1.0)


def _asked(
    advisor: Advisor, scores: Floats, seconds: Floats, best: float, window: Window
) -> list[int]:
    order: list[int] = []
    elapsed = 0.0
    while len(order) < len(scores) and elapsed <= window.last:
        learner = advisor.next()
        order.append(learner)
        if scores[learner] >= best:
            break
        elapsed += seconds[learner]
        advisor.tell(learner, float(scores[learner]), float(seconds[learner]))
    return order


def _check(history: History, methods: Sequence[Recommender], n_folds: int | None) -> None:
    if history.n_data_sets < 2:
        raise InvalidArgumentError(
            f"history must have at least two data sets to leave one out; got "
            f"{history.n_data_sets}. Add results of other data sets."
        )
    check_number(
        n_folds,
        "n_folds",
        low=2,
        high=history.n_data_sets,
        whole=True,
        or_none=True,
        way_out="Leave it out to leave out one data set at a time.",
    )
    if not methods:
        raise InvalidArgumentError(
            "methods must be at least one; got none. `RECOMMENDERS` holds all that there are."
        )
    without_times = [m.name for m in methods if m.needs_seconds and not history.has_seconds]
    if without_times:
        raise InvalidArgumentError(
            f"methods must be ones that need no times, since the history has none for some "
            f"scores; got {', '.join(without_times)}. Use average-ranking-0, or add seconds."
        )


@dataclass(frozen=True, eq=False)
class RankAgreement:
    """Correlation of the recommended with the true ranks, one value per data set left out.

    Attributes
    ----------
    data_sets : tuple of str
        What was left out in turn.
    spearman, kendall : ndarray of shape (n_data_sets,)
        Spearman's rho and Kendall's tau-b; nan where all learners score the same.
    """

    data_sets: tuple[str, ...]
    spearman: Floats
    kendall: Floats

    @property
    def n_undefined(self) -> int:
        """Return the number of data sets without a correlation, left out of the means."""
        return int(np.isnan(self.spearman).sum())

    def means(self) -> tuple[float, float]:
        """Return the means of Spearman's rho and Kendall's tau-b; nan where there is none."""
        if self.n_undefined == len(self.data_sets):
            return float("nan"), float("nan")
        return float(np.nanmean(self.spearman)), float(np.nanmean(self.kendall))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per data set: data_set, spearman, kendall."""
        return pd.DataFrame(
            {"data_set": self.data_sets, "spearman": self.spearman, "kendall": self.kendall}
        )


def rank_agreement(history: History, *, power: float) -> RankAgreement:
    """Compare average rankings of the other data sets with the ranks on the one left out.

    Parameters
    ----------
    history : History
        Scores, and times unless `power` is 0.
    power : float
        P of A3R in the average ranking; the true ranks are by score alone.

    Returns
    -------
    RankAgreement
        One correlation per data set, over the learners that were tested there.

    Examples
    --------
    >>> history = History.from_arrays([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.6, 0.7]])
    >>> rank_agreement(history, power=0).spearman.round(2).tolist()
    [0.87, 0.87, 0.5]
    """
    recommended = a3r_ranks(history, power)
    true = rank_within_data_sets(history.scores)
    pairs = [
        _correlations(weighted_average_ranks(np.delete(recommended, i, axis=0)), true[i])
        for i in range(history.n_data_sets)
    ]
    spearman, kendall = np.array(pairs).reshape(-1, 2).T
    return RankAgreement(history.data_sets, spearman, kendall)


def _correlations(mean_ranks: Floats, true_ranks: Floats) -> tuple[float, float]:
    there = ~(np.isnan(mean_ranks) | np.isnan(true_ranks))
    first, second = rankdata(mean_ranks[there]), rankdata(true_ranks[there])
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return float("nan"), float("nan")
    return float(np.corrcoef(first, second)[0, 1]), float(kendalltau(first, second).statistic)

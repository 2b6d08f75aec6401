"""Shared core of all range tests of ordered means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk.inference.adjust import reject_adjusted
from bestofk.inference.cautions import caution_if
from bestofk.inference.many_learners.anova import ASSUMPTIONS, one_way
from bestofk.inference.many_learners.shared_splits import (
    CAUTION_ALPHA,
    MeanSquares,
    cautions,
    scores_of_learners,
)
from bestofk.inference.results import PairwiseResult
from bestofk.inference.sampling import Sampling
from bestofk.inference.student import Floats, check_share
from bestofk.inference.studentized_range import studentized_range_quantile, studentized_range_tail
from bestofk.measures.ties import is_noise, tied_values

Runs = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RangeTestResult(PairwiseResult):
    """The outcome of a range test: K means in order, and which runs of them hang together.

    Parameters
    ----------
    order : tuple of int
        Learners from the best mean to the worst, counted from 0; of equal ones the first.
    underlines : tuple of tuple of int
        The longest runs of the order without a shown difference at `alpha`, each of at least
        two learners, none inside another.
    ms_error : float
        Mean square within learners.
    df : float
        Its degrees of freedom.
    """

    pictures = (("underlines", "NewmanKeulsDisplay"),)

    order: tuple[int, ...]
    underlines: Runs
    ms_error: float
    df: float

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        lines = [", ".join(self.names[i] for i in line) for line in self.underlines]
        return [
            ("order", ", ".join(self.names[i] for i in self.order)),
            *(("no significant difference", line) for line in lines),
            *super().rows(),
        ]


@dataclass(frozen=True)
class RangeMethod:
    """Settings in which range tests differ.

    Parameters
    ----------
    function : str
        That users call.
    title, correction : str
        Of the test, in reports and in tables.
    family : str
        What the test promises for all pairs together, a sentence.
    tail : callable
        (ranges, n_means, df) -> p values.
    by_all_means : bool
        Whether every range is judged as one of all means, and pairs alone as of two; if not, by
        the means that it spans.
    """

    function: str
    title: str
    correction: str
    family: str
    tail: Callable[[Floats, int, float], Floats] = studentized_range_tail
    by_all_means: bool = False


def range_test(
    method: RangeMethod,
    scores: ArrayLike,
    *,
    names: Sequence[str] | None,
    sampling: Sampling | None,
    alpha: float,
    greater_is_better: bool,
) -> RangeTestResult:
    """Return a range test of all windows of the ordered means.

    A window inside an accepted one counts as accepted, so that its adjusted p value is the
    largest of all windows around it.

    Parameters
    ----------
    method : RangeMethod
        Which range test.
    scores, names, sampling, alpha, greater_is_better
        As the user gave them.

    Returns
    -------
    RangeTestResult

    Raises
    ------
    DesignError
        If it is no regular table of finite numbers, or there are fewer than 2 learners or splits.
    InvalidArgumentError
        If names do not fit or `alpha` is not inside (0, 1).
    """
    table, labels = scores_of_learners(scores, method.function, names)
    alpha = check_share(alpha, "alpha")
    n_splits, k = table.shape
    squares = one_way(table)
    order = _best_first(table, greater_is_better)
    means = table.mean(axis=0)
    ranges = _ranges(means[order], squares.error, table)
    p_value, p_window = np.full((2, k, k), np.nan)
    for span in range(k, 1, -1):
        starts = np.arange(k - span + 1)
        window = (starts, starts + span - 1)
        of_pair, of_window = (2, k) if method.by_all_means else (span, span)
        p_value[window] = method.tail(ranges[window], of_pair, squares.df[1])
        p_window[window] = method.tail(ranges[window], of_window, squares.df[1])
    p_adjusted = _largest_around(p_window)
    back = np.ix_(np.argsort(order), np.argsort(order))
    return RangeTestResult(
        procedure=method.title,
        n=n_splits,
        names=labels,
        levels=tuple(means.tolist()),
        estimate=np.where(np.eye(k, dtype=bool), np.nan, means[:, None] - means),
        statistic=_mirrored(ranges)[back],
        p_value=_mirrored(p_value)[back],
        p_adjusted=_mirrored(p_adjusted)[back],
        symbol="q",
        correction=method.correction,
        alpha=alpha,
        order=tuple(order.tolist()),
        underlines=_underlines(order, reject_adjusted(p_adjusted, alpha)),
        ms_error=squares.error,
        df=squares.df[1],
        assumptions=ASSUMPTIONS,
        flags=() if squares.has_variance else ("zero_variance",),
        warnings=_warnings(method, squares, p_adjusted, n_splits, sampling),
    )


def _warnings(
    method: RangeMethod,
    squares: MeanSquares,
    p_adjusted: Floats,
    n_splits: int,
    sampling: Sampling | None,
) -> tuple[str, ...]:
    k = len(p_adjusted)
    shortest = k if method.by_all_means else 2
    closest = studentized_range_quantile(shortest, squares.df[1], alpha=CAUTION_ALPHA)
    closest *= float(np.sqrt(squares.error / n_splits))
    can_show = f"means closer than {closest:.3g} do not differ significantly at {CAUTION_ALPHA:g}"
    largest, has_variance = float(np.nanmax(p_adjusted)), squares.has_variance
    result = cautions(
        method.title, n_splits, sampling, largest, has_variance=has_variance, can_show=can_show
    )
    family = f"Family: all {k * (k - 1) // 2} pairs of {k} learners. {method.family}"
    return (*result, *caution_if(k > 2, "multiplicity", family))


def _best_first(table: Floats, greater_is_better: bool) -> NDArray[np.intp]:
    """Return the order from the best mean; means that differ by rounding only stay as given."""
    means = table.mean(axis=0) * (-1 if greater_is_better else 1)
    return np.argsort(tied_values(means, np.abs(table).max()), kind="stable")


def _ranges(ordered: Floats, error: float, table: Floats) -> Floats:
    """Return the studentized range between every two places of the order."""
    apart = np.abs(ordered[:, None] - ordered)
    apart[is_noise(apart, np.abs(table).max())] = 0.0
    if error == 0:
        return np.where(apart > 0, np.inf, 0.0)
    return np.asarray(apart * np.sqrt(len(table) / error))


def _largest_around(p_values: Floats) -> Floats:
    """Return, for every window (row to column), the largest p value of those that hold it."""
    down = np.fmax.accumulate(p_values, axis=0)  # windows that start no later
    return np.fmax.accumulate(down[:, ::-1], axis=1)[:, ::-1]  # and end no earlier


def _underlines(order: NDArray[np.intp], rejected: NDArray[np.bool_]) -> Runs:
    """Return the longest accepted windows, none inside another."""
    lines, reached = [], 0
    for start in range(len(order) - 1):
        # an accepted window holds accepted windows only, so those after the longest are rejected
        end = start + int(np.sum(~rejected[start, start + 1 :]))
        if end > max(start, reached):
            lines.append(tuple(order[start : end + 1].tolist()))
            reached = end
    return tuple(lines)


def _mirrored(upper: Floats) -> Floats:
    """Return a table whose lower triangle is that of the upper one, without a diagonal."""
    table = np.where(np.triu(np.ones(upper.shape, dtype=bool), 1), upper, np.nan)
    return np.fmax(table, table.T)

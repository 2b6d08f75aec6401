"""Plans in order of time: each test period is predicted from rows before it."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd

from bestofk.array_types import Floats, Ints
from bestofk.data.data_set import DataSet
from bestofk.data.time_column import Span, TimeColumn
from bestofk.errors import InvalidArgumentError
from bestofk.resampling.plan import FORWARD, SplitPlan
from bestofk.words import times

_FIRST_SHARE = 1 / 3  # share of the rows before the first test period
_FEWEST, _MOST = 10, 20  # range of the default number of test periods
_ROWS_OF_A_PERIOD = 20
_ENOUGH_ROWS = 200
ORDER = "the order of the rows"


@dataclass(frozen=True)
class ForwardOptions:
    """Window and gap of a plan in order of time.

    Parameters
    ----------
    window : str or int, optional
        Train only on so many last rows, or on those of a length of time such as ``"2Y"``.
    gap : str or int, optional
        Number of rows, or length of time such as ``"7d"``, between training and test.
    """

    window: Any = None
    gap: Any = None

    @property
    def given_names(self) -> list[str]:
        """Names of the options that are given."""
        return [item.name for item in fields(self) if getattr(self, item.name) != item.default]


@dataclass(frozen=True, eq=False, repr=False)
class ForwardPlan(SplitPlan):
    """A plan whose splits are periods: the test rows of each are later than its training rows.

    Parameters
    ----------
    time : TimeColumn
        Times of all rows.
    horizon : int
        Number of periods from the end of training to the end of a test period: 1 without a gap.
    is_sliding : bool
        Whether training parts have a window that moves forward.
    """

    time: TimeColumn
    horizon: int
    is_sliding: bool

    @property
    def title(self) -> str:
        """The kind of plan in words."""
        return f"{len(self)} periods in order of {self.time.name}"

    def __str__(self) -> str:
        first, last = self.spans["test_from"].iloc[0], self.spans["test_to"].iloc[-1]
        return (
            f"{self.title}, {first} to {last}: about {self.n_test:.0f} test rows each, predicted "
            f"from {'the last' if self.is_sliding else 'all'} rows before them, about "
            f"{self.n_train:.0f} (identifier {self.id[:8]})"
        )

    @property
    def unit(self) -> str:
        """Name of a period, such as month for calendar months."""
        form = self.name.partition(":")[2]
        span = Span.read(form, "periods of forward") if form and not form.isdecimal() else None
        return str(span).removeprefix("1 ") if span is not None and span.count == 1 else "period"

    @property
    def labels(self) -> list[str]:
        """The name of each period: its month or year, or the time of its first row."""
        letters = {"year": 4, "month": 7}.get(self.unit)
        return [text[:letters] for text in self.spans["test_from"]]

    @property
    def spans(self) -> pd.DataFrame:
        """First and last time of each training part and test period, as texts."""
        text, values = self.time.text, self.time.values
        parts = [
            [text(end(values[rows])) for rows in split for end in (np.min, np.max)]
            for split in self.rows
        ]
        return pd.DataFrame(parts, columns=["train_from", "train_to", "test_from", "test_to"])

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per period: split, numbers of rows, first and last times.

        Returns
        -------
        DataFrame
            Columns repeat, fold, split, n_train, n_test, train_from, train_to, test_from, test_to.
        """
        return pd.concat([super().to_frame(), self.spans], axis=1)

    def plot(self, ax: Any = None) -> Any:
        """Draw each period as a line, thin over training rows and thick over test rows.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
        """
        import matplotlib.pyplot as plt

        ax = ax or plt.subplots(layout="constrained")[1]
        moments = self.time.values
        if self.time.is_date:
            moments = pd.to_datetime(moments, unit="D").to_numpy()
        for number, (train, test) in enumerate(self.rows, 1):
            for rows, width, color in ((train, 1.5, "0.55"), (test, 6, "#0072b2")):
                ends = [moments[rows].min(), moments[rows].max()]
                label = ("training" if rows is train else "test") if number == 1 else None
                ax.plot(ends, [number] * 2, color=color, lw=width, label=label,
                        solid_capstyle="butt")  # fmt: skip
        ax.invert_yaxis()
        ax.set(xlabel=self.time.name, ylabel="period")
        ax.legend(frameon=False)
        return ax


def is_forward(cv: Any) -> bool:
    """Tell whether `cv` is a plan in order of time: "forward", "forward:12" or "forward:1M"."""
    return isinstance(cv, str) and cv.strip().casefold().partition(":")[0] == "forward"


def forward_plan(
    data: DataSet, cv: str, options: ForwardOptions, *, random_state: int = 0
) -> ForwardPlan:
    """Return the plan in order of time for a text.

    Parameters
    ----------
    data : DataSet
        The rows; without a time, they are in order of the table.
    cv : str
        "forward" chooses 10 to 20 test periods with equally many rows, "forward:12" uses 12,
        "forward:1M" calendar months; the first third of the rows is never tested.
    options : ForwardOptions
        Options for rows to leave out of training.
    random_state : int, default=0
        Not used for draws, but stored with the plan.

    Raises
    ------
    InvalidArgumentError
        If there are fewer than two different periods, or an option is not valid.
    """
    time = _time_of(data)
    order = np.argsort(time.values, kind="stable")
    ordered = time.values[order]
    window = _length(options.window, "window", time)
    gap = _length(options.gap, "gap", time)
    bounds, notes = _bounds(ordered, cv.strip().partition(":")[2], time)
    rows, gaps = [], []
    for start, stop in itertools.pairwise([*bounds, len(order)]):
        end = _back(ordered, start, gap)
        begin = 0 if window is None else _back(ordered, end, window)
        train, test = order[begin:end], order[start:stop]
        if data.has_new_groups and data.groups is not None:
            train = train[~np.isin(data.groups[train], data.groups[test])]
        if len(train) > 1:
            rows.append((np.sort(train), np.sort(test)))
            gaps.append(start - end)
    if len(rows) < len(bounds):
        n_out = times(len(bounds) - len(rows), "period")
        notes.append(f"{n_out} left out, because no rows are left to train on.")
    if len(rows) < 2:
        raise InvalidArgumentError(
            f"periods in order of time must be at least 2; got {len(rows)} of "
            f"{times(len(np.unique(ordered)), 'different time')} in {time.name!r}. Use shorter "
            "periods, a smaller gap, or another column."
        )
    is_sliding = window is not None
    return _plan(
        cv.strip(), data, rows, gaps, time, is_sliding, data.has_new_groups, random_state, notes
    )


def in_order_of_time(data: DataSet, plan: SplitPlan) -> SplitPlan:
    """Return the plan of a splitter as a forward plan, if all its splits go forward in time."""
    time = _time_of(data)
    tests = [(time.values[test].min(), time.values[test].max()) for _, test in plan.rows]
    ends = [time.values[train].max() for train, _ in plan.rows]
    goes_on = all(test[1] < later[0] for test, later in itertools.pairwise(tests))
    comes_after = all(end < test[0] for end, test in zip(ends, tests, strict=True))
    if len(plan) < 2 or not goes_on or not comes_after:
        return plan
    is_sliding = len({time.values[train].min() for train, _ in plan.rows}) > 1
    gaps = [
        int(np.count_nonzero((time.values > end) & (time.values < test[0])))
        for end, test in zip(ends, tests, strict=True)
    ]
    return _plan(
        plan.name, data, plan.rows, gaps, time, is_sliding, plan.is_grouped, plan.random_state
    )


def _time_of(data: DataSet) -> TimeColumn:
    """Return the time of each row; without a time, the position in the table."""
    return data.time or TimeColumn(ORDER, np.arange(data.n_samples, dtype=np.float64), False)


def _plan(
    name: str, data: DataSet, rows: Sequence[tuple[Ints, Ints]], gaps: list[int],
    time: TimeColumn, is_sliding: bool, is_grouped: bool, random_state: int,
    notes: Sequence[str] = (),
) -> ForwardPlan:  # fmt: skip
    """Return the plan of some splits; `gaps` counts rows between training and test of each."""
    n_test = float(np.median([len(test) for _, test in rows]))
    horizon = 1 + math.ceil(float(np.median(gaps)) / n_test)
    return ForwardPlan(
        name, FORWARD, data.n_samples, 1, len(rows), False, is_grouped, random_state,
        tuple(notes), tuple(rows), time, horizon, is_sliding,
    )  # fmt: skip


def _bounds(ordered: Floats, form: str, time: TimeColumn) -> tuple[list[int], list[str]]:
    """Return the starts of the test periods among rows in order of time, and notes on them."""
    n_samples = len(ordered)
    first = math.ceil(n_samples * _FIRST_SHARE)
    if form and not form.isdecimal():
        span = Span.read(form, "periods of forward")
        _check_dates(time, form)
        starts = np.flatnonzero(np.diff(span.numbers(ordered))) + 1
        return starts[starts >= first].tolist(), [
            f"Each {str(span).removeprefix('1 ')} of the calendar has the same weight, however "
            "many rows it has."
        ]
    wanted = int(form) if form else min(max(n_samples // _ROWS_OF_A_PERIOD, _FEWEST), _MOST)
    if n_samples < _ENOUGH_ROWS and not form:
        wanted = max(n_samples // _ROWS_OF_A_PERIOD, 2)
    if not 2 <= wanted <= n_samples - first:
        raise InvalidArgumentError(
            f"periods of forward must be from 2 to {n_samples - first}; got {wanted}. Write "
            "forward:12, or forward:1M for months."
        )
    even = first + (n_samples - first) * np.arange(wanted) // wanted
    low = np.searchsorted(ordered, ordered[even], "left")  # rows with the same time stay together
    high = np.searchsorted(ordered, ordered[even], "right")
    starts = np.where((even - low <= high - even) & (low > 0), low, high)
    starts = np.unique(starts[(starts > 0) & (starts < n_samples)])
    notes = []
    if len(starts) < wanted:
        notes.append(f"{len(starts)} periods, not {wanted}: rows with the same time stay together.")
    elif not form and n_samples < _ENOUGH_ROWS:
        notes.append(f"Only {wanted} periods, because there are {n_samples} rows.")
    return starts.tolist(), notes


def _length(value: Any, what: str, time: TimeColumn) -> int | Span | None:
    """Return a number of rows or a length of time; None if not given."""
    if value is None:
        return None
    text = str(value)
    if re.fullmatch(r"[1-9]\d{0,17}", text):
        return int(text)
    span = Span.read(text, what)
    _check_dates(time, text)
    return span


def _check_dates(time: TimeColumn, text: str) -> None:
    if not time.is_date:
        raise InvalidArgumentError(
            f"{text!r} must be a number of rows or periods, because {time.name} is not a date; got "
            "a length of time. Name a column of dates: --time."
        )


def _back(ordered: Floats, position: int, length: int | Span | None) -> int:
    """Return the end of the rows before a position minus a length; equal times stay together."""
    if length is None or position == 0:
        return position
    if isinstance(length, Span):
        return int(np.searchsorted(ordered, length.before(float(ordered[position])), "left"))
    return int(np.searchsorted(ordered, ordered[max(position - length, 0)], "left"))

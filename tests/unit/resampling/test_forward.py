"""Plans in order of time: what trains, what tests, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import KFold, TimeSeriesSplit

from bestofk.data import DataSet, from_arrays
from bestofk.data.time_column import Span, TimeColumn
from bestofk.errors import InvalidArgumentError
from bestofk.resampling import ForwardOptions, ForwardPlan, make_plan

_DAYS = pd.date_range("2020-01-01", periods=400, freq="D")


def _data(
    time: TimeColumn | None, n: int, groups: np.ndarray | None = None, new_groups: bool = False
) -> DataSet:
    rows = np.arange(n)
    return DataSet("rows", rows[:, None] * 1.0, rows % 7 * 1.0, "regression", time=time,
                   groups=groups, has_new_groups=new_groups)  # fmt: skip


def _of_days(days: np.ndarray) -> TimeColumn:
    return TimeColumn("day", np.asarray(days, dtype=float), is_date=True)


@settings(max_examples=60, deadline=None)
@given(
    days=st.lists(st.integers(0, 900), min_size=60, max_size=200),
    cv=st.sampled_from(["forward", "forward:3", "forward:12", "forward:1M", "forward:2w",
                        "forward:1Q", "forward:1Y", "forward:30d"]),
    window=st.sampled_from([None, 20, "6M", "1Y", "100d"]),
    gap=st.sampled_from([None, 1, 10, "7d", "1M", "36h"]),
    new_groups=st.booleans(),
    has_groups=st.booleans(),
)  # fmt: skip
def test_no_training_row_is_later_than_a_test_row_minus_the_gap(
    days: list[int], cv: str, window: object, gap: object, new_groups: bool, has_groups: bool
) -> None:
    time = _of_days(np.array(days))
    groups = np.arange(len(days)) % 5 if has_groups else None
    new_groups &= has_groups
    data = _data(time, len(days), groups, new_groups)
    options = ForwardOptions(window, gap)
    try:
        plan = make_plan(data, cv, forward=options)
    except InvalidArgumentError:  # too few periods; see the refusals below
        return
    assert isinstance(plan, ForwardPlan)
    values, tested = time.values, np.concatenate(plan.test_rows)
    assert len(np.unique(tested)) == len(tested)
    for split, later in zip(plan, [*list(plan)[1:], None], strict=True):
        train, test = split.train_rows, split.test_rows
        first = values[test].min()
        assert values[train].max() < first
        assert plan.horizon == 1 or gap is not None
        between = np.count_nonzero((values < first) & (values > values[train].max()))
        if isinstance(gap, int) and not new_groups:
            assert between >= gap
        if isinstance(gap, str):
            assert values[train].max() < Span.read(gap, "gap").before(first)
        if isinstance(window, str):
            assert values[train].min() >= Span.read(window, "window").before(first) - 2000 * (
                gap is not None
            )
        if new_groups:
            assert not set(groups[train]) & set(groups[test])
        if later is not None:  # rows of one time are never split
            assert values[test].max() < values[later.test_rows].min()
        # all rows of the times of a period are tested in it
        assert set(np.flatnonzero(np.isin(values, values[test]))) == set(test)


@pytest.mark.parametrize(("n", "wanted"), [(60, 3), (150, 7), (200, 10), (300, 15), (5_000, 20)])
def test_periods_are_chosen_by_rows_and_few_are_said(n: int, wanted: int) -> None:
    plan = make_plan(_data(None, n), "forward")
    assert len(plan) == wanted
    assert [len(rows) for rows in plan.test_rows] == pytest.approx([2 * n / 3 / wanted] * wanted,
                                                                   abs=1)  # fmt: skip
    assert any(note.startswith("Only ") for note in plan.notes) == (n < 200)


def test_months_of_the_calendar_by_hand() -> None:
    time = _of_days(np.arange(366))  # 1970-01-01 to 1971-01-01
    plan = make_plan(_data(time, 366), "forward:1M")
    assert isinstance(plan, ForwardPlan)
    assert plan.labels == ["1970-06", "1970-07", "1970-08", "1970-09", "1970-10", "1970-11",
                           "1970-12", "1971-01"]  # fmt: skip
    assert [len(rows) for rows in plan.test_rows] == [30, 31, 31, 30, 31, 30, 31, 1]
    assert plan.unit == "month"
    assert "Each month of the calendar has the same weight" in plan.notes[0]
    assert plan.spans.iloc[0].tolist() == ["1970-01-01", "1970-05-31", "1970-06-01", "1970-06-30"]


def test_a_window_and_a_gap_by_hand() -> None:
    options = ForwardOptions(window=10, gap=5)
    plan = make_plan(_data(None, 90), "forward:3", forward=options)
    assert isinstance(plan, ForwardPlan)
    first = plan.split(0, 0)
    assert (first.train_rows[0], first.train_rows[-1]) == (15, 24)
    assert (first.test_rows[0], first.test_rows[-1]) == (30, 49)
    assert (plan.is_sliding, plan.horizon) == (True, 2)


def test_fewer_periods_than_asked_for_are_said() -> None:
    plan = make_plan(_data(_of_days(np.repeat(np.arange(6), 50)), 300), "forward:12")
    assert len(plan) == 4
    assert plan.notes == ("4 periods, not 12: rows with the same time stay together.",)


@pytest.mark.parametrize("shuffled", [False, True])
def test_a_splitter_in_order_of_time_is_one_of_periods(shuffled: bool) -> None:
    rows = np.random.default_rng(0).permutation(100) if shuffled else np.arange(100)
    data = from_arrays(rows[:, None] * 1.0, rows * 1.0, time=_DAYS[rows])
    order = np.argsort(rows)
    splits = [(order[a], order[b]) for a, b in TimeSeriesSplit(4, gap=5).split(order)]
    plan = make_plan(data, splits)
    assert isinstance(plan, ForwardPlan)
    assert (plan.scheme, len(plan), plan.horizon, plan.is_sliding) == ("forward", 4, 2, False)


def test_other_splitters_stay_what_they_are() -> None:
    data = _data(None, 60)
    assert make_plan(data, KFold(5)).scheme == "k-fold"
    assert make_plan(data, "test:0.3").scheme == "test-set"
    assert make_plan(data, TimeSeriesSplit(3, max_train_size=10)).is_sliding  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("cv", "options", "message"),
    [
        ("forward:1", {}, "from 2 to"),
        ("forward:1x", {}, "must be a length of time"),
        ("forward:1M", {"gap": "7m"}, "gap must be a length of time"),
        ("forward", {"window": 0}, "window must be a length of time"),
        ("forward:100Y", {}, "periods in order of time must be at least 2"),
        ("10x10", {}, "cv must be in order of time"),
        ("10x10", {"gap": 5}, "cv must be 'forward' if 'gap' is given"),
    ],
)
def test_what_cannot_be_is_refused(cv: str, options: dict[str, object], message: str) -> None:
    data = _data(_of_days(np.arange(300)), 300)
    with pytest.raises(InvalidArgumentError, match=message):
        make_plan(data, cv, forward=ForwardOptions(**options))


def test_lengths_of_time_need_dates() -> None:
    with pytest.raises(InvalidArgumentError, match="is not a date"):
        make_plan(_data(TimeColumn("step", np.arange(90.0), is_date=False), 90), "forward:1M")


def test_the_same_rows_give_the_same_identity_and_a_picture() -> None:
    data = _data(_of_days(np.arange(120)), 120)
    plan = make_plan(data, "forward:4")
    assert isinstance(plan, ForwardPlan)
    assert plan.id == make_plan(data, "forward:4", random_state=3).id
    assert len(plan.plot().lines) == 8
    assert list(plan.to_frame().columns)[-4:] == ["train_from", "train_to", "test_from", "test_to"]


@given(days=st.floats(-20_000, 40_000), count=st.integers(1, 40))
def test_a_length_of_time_goes_back_by_the_calendar(days: float, count: int) -> None:
    for unit in ("min", "h", "d", "w", "M", "Q", "Y"):
        span = Span(count, unit)
        assert span.before(days) < days
        assert Span.read(f"{count}{unit}", "gap") == span

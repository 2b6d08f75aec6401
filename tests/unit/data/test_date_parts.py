import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestofk.data.date_parts import date_numbers, date_part, varying_dates, varying_parts
from bestofk.data.dates import day_of
from bestofk.data.table_columns import column_numbers, date_column, prepared_role, table_columns

ZONE = dt.timezone(dt.timedelta(hours=-5))
MOMENTS = st.datetimes(dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31))


def days_of(*moments):
    return np.array([np.nan if moment is None else day_of(moment) for moment in moments])


def test_parts_by_hand():
    days = days_of(
        dt.datetime(2024, 2, 29, 13, 30),  # a Thursday
        dt.date(1969, 12, 31),  # a Wednesday, the day before day 0
        dt.datetime(1900, 1, 1, 23, 59, 59),  # a Monday
        None,
    )
    parts = {
        "year": [2024, 1969, 1900],
        "month": [2, 12, 1],
        "day_of_week": [4, 3, 1],
        "hour": [13.5, 0, 23.999722],
        "elapsed_time": [19782, -1, -25567],
    }
    for name, values in parts.items():
        assert date_part(days, name)[:3].tolist() == values, name
        assert np.isnan(date_part(days, name)[3]), name


def test_pairs_by_hand():
    days = days_of(dt.datetime(2024, 12, 1, 6), dt.datetime(2024, 6, 5, 18), None)  # Sunday, ...
    half, name = [0.0, 0.0, np.nan], "month_sin"
    assert np.array_equal(date_part(days, name), half, equal_nan=True)
    assert date_part(days, "month_cos")[:2].tolist() == [1, -1]
    assert date_part(days, "hour_sin")[:2].tolist() == [1, -1]
    assert date_part(days, "day_of_week_cos")[0] == 1
    assert date_part(days, "day_of_week_sin")[1] == pytest.approx(np.sin(2 * np.pi * 3 / 7))


def test_neighbors_on_the_circle_are_equally_near():
    days = np.arange(0, 14.0)
    circle = np.column_stack([date_part(days, f"day_of_week_{wave}") for wave in ("sin", "cos")])
    apart = np.linalg.norm(np.diff(circle, axis=0), axis=1)
    assert apart == pytest.approx(np.full(13, 2 * np.sin(np.pi / 7)))


@given(st.lists(MOMENTS, min_size=1, max_size=5))
def test_parts_are_those_of_datetime_and_put_together_give_the_date(moments):
    days = days_of(*moments)
    year, month, weekday, hour, elapsed = (
        date_part(days, name) for name in ("year", "month", "day_of_week", "hour", "elapsed_time")
    )
    assert year.tolist() == [moment.year for moment in moments]
    assert month.tolist() == [moment.month for moment in moments]
    assert weekday.tolist() == [moment.isoweekday() for moment in moments]
    assert elapsed + hour / 24 == pytest.approx(days, abs=1e-7)
    for name, values in (("month", month / 12), ("day_of_week", weekday / 7), ("hour", hour / 24)):
        sine, cosine = (date_part(days, f"{name}_{wave}") for wave in ("sin", "cos"))
        turns = np.arctan2(sine, cosine) / (2 * np.pi) - values
        assert turns - np.round(turns) == pytest.approx(np.zeros(len(days)), abs=1e-9)


@pytest.mark.parametrize(
    ("moments", "role", "parts"),
    [
        ([dt.date(2024, 1, 1), dt.date(2024, 1, 8)], "date", "elapsed_time"),
        ([dt.date(2024, 1, 1), dt.date(2025, 3, 8)], "calendar", "month day_of_week"),
        ([dt.datetime(2024, 1, 1, 5), dt.datetime(2024, 1, 1, 7)], "date", "hour"),
        ([dt.datetime(1970, 1, 1, 5), dt.datetime(1970, 1, 1, 7), None], "date", "hour"),
        ([dt.datetime(2024, 1, 1, 5), dt.datetime(2025, 1, 1, 5)], "date",
         "year day_of_week elapsed_time"),
        ([dt.date(2024, 1, 1), None], "date", ""),
        ([None], "date", ""),
    ],
)  # fmt: skip
def test_only_parts_that_vary_are_read(moments, role, parts):
    assert varying_parts(days_of(*moments), role) == tuple(parts.split())


def test_columns_of_any_container_have_the_same_parts():
    moments = [dt.datetime(2024, 1, 31, 23, 15), None, dt.datetime(1965, 7, 1, 4, 0)]
    columns = {
        "pandas": pd.Series(moments),
        "pandas in nanoseconds": pd.Series(moments).astype("M8[ns]"),
        "array": np.array([m and np.datetime64(m) for m in moments], dtype="M8[s]"),
        "array of objects": np.array(moments, dtype=object),
        "objects": pd.Series(moments, dtype=object),
        "by the clock of its zone": pd.Series(
            [None if m is None else m.replace(tzinfo=ZONE) for m in moments]
        ),
        "polars": table_columns(pl.DataFrame({"a": moments}))[0],
        "days": date_column(days_of(*moments), "date"),
    }
    for what, column in columns.items():
        assert prepared_role(column) == "date", what
        dates = varying_dates([column], ["date"])
        numbers = date_numbers([column], ["a"], dates)
        assert list(numbers) == [f"a_{part}" for part in dates[0]]
        assert numbers["a_hour"][[0, 2]].tolist() == [23.25, 4.0], what
        assert numbers["a_year"][[0, 2]].tolist() == [2024, 1965], what


@given(st.lists(st.none() | MOMENTS, min_size=1, max_size=5), st.sampled_from(["date", "calendar"]))
def test_columns_of_dates_hold_their_days_and_their_role(moments, role):
    days = days_of(*moments)
    column = date_column(days, role)
    assert column_numbers(column) == pytest.approx(days, abs=1e-9, nan_ok=True)
    assert prepared_role(column) == role
    kept = column.iloc[::-1].reset_index(drop=True)
    assert prepared_role(kept) == role
    blanked = column.mask(np.arange(len(moments)) > 0)
    if moments[0] is not None:
        assert prepared_role(blanked) == role


def test_times_of_day_are_dates_and_durations_numbers():
    assert prepared_role(pd.Series([dt.time(3), None, dt.time(7)])) == "date"
    assert prepared_role(table_columns(pl.DataFrame({"a": [dt.time(3)]}))[0]) == "date"
    assert prepared_role(pd.Series(pd.to_timedelta([1, 2], unit="D"))) == "numeric"

"""Baselines of rows in time, by hand and against a loop."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestofk.learners.earlier_values import (
    LAST_OF_GROUP,
    LAST_PERIOD,
    LAST_SEASON,
    EarlierClassClassifier,
    EarlierValueRegressor,
    known_seasons,
)


def _rows(time: object, group: object = None) -> pd.DataFrame:
    columns = {"time": np.asarray(time, dtype=float)}
    return pd.DataFrame(columns if group is None else columns | {"group": group})


def test_the_mean_of_the_last_period_in_any_order_of_rows() -> None:
    model = EarlierValueRegressor(LAST_PERIOD, 2).fit(_rows([3, 0, 2, 1]), [30.0, 0, 20, 10])
    assert model.predict(_rows([9, 10])).tolist() == [25.0, 25.0]


def test_the_last_value_of_a_group_and_the_mean_for_an_unknown_one() -> None:
    X = _rows([0, 1, 2, 2], [0, 1, 0, 0])
    model = EarlierValueRegressor(LAST_OF_GROUP).fit(X, [1.0, 5.0, 2.0, 4.0])
    assert model.predict(_rows([3, 3, 3], [0, 1, 7])).tolist() == [3.0, 5.0, 3.0]


def test_the_same_day_of_the_last_week() -> None:
    days = np.arange(28)
    model = EarlierValueRegressor(LAST_SEASON, seasons=("week",))
    model.fit(_rows(days), days % 7 * 10.0 + days // 7)
    assert model.predict(_rows([28, 29, 35])).tolist() == [3.0, 13.0, 3.0]


def test_the_season_that_errs_least_is_taken() -> None:
    hours = np.arange(0, 21, 0.25)
    daily, weekly = np.mod(hours, 1), np.floor(np.mod(hours, 7))
    for values, season in ((daily, "day"), (weekly, "week")):
        model = EarlierValueRegressor(LAST_SEASON, seasons=known_seasons(hours))
        assert model.fit(_rows(hours), values).season_ == season


def test_the_season_of_a_year_by_month_and_day() -> None:
    days = pd.date_range("2019-01-01", "2021-12-31")
    time = (days - pd.Timestamp(1970, 1, 1)).days.to_numpy(dtype=float)
    model = EarlierValueRegressor(LAST_SEASON, seasons=("year",)).fit(_rows(time), days.year * 1.0)
    later = pd.to_datetime(["2022-03-01", "2024-02-29"])  # the 29th was seen in 2020
    new = (later - pd.Timestamp(1970, 1, 1)).days.to_numpy(dtype=float)
    assert model.predict(_rows(new)).tolist() == [2021.0, 2020.0]


def test_classes_and_their_shares() -> None:
    model = EarlierClassClassifier(LAST_PERIOD, 3).fit(_rows(range(5)), ["c", "c", "a", "b", "b"])
    assert model.predict(_rows([9])).tolist() == ["b"]
    assert model.predict_proba(_rows([9]))[0] == pytest.approx([1 / 3, 2 / 3, 0])


@pytest.mark.parametrize(
    ("days", "seasons"),
    [
        (np.arange(13.0), ()),
        (np.arange(15.0), ("week",)),
        (np.arange(0, 2.1, 0.1), ("day",)),
        (np.arange(800.0), ("week", "year")),
    ],
)
def test_a_season_must_have_been_seen_twice(days: np.ndarray, seasons: tuple[str, ...]) -> None:
    assert known_seasons(days) == seasons


@settings(max_examples=50, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 60), st.integers(0, 3), st.integers(0, 9)), min_size=3, max_size=60
    ),
    later=st.integers(61, 80),
)
def test_the_same_weekday_of_the_group_by_a_loop(
    rows: list[tuple[int, int, int]], later: int
) -> None:
    time, group, y = (np.array(part) for part in zip(*rows, strict=True))
    model = EarlierValueRegressor(LAST_SEASON, seasons=("week",)).fit(_rows(time, group), y)
    for own in range(4):
        alike = (group == own) & (time % 7 == later % 7)
        expected = y[alike & (time == time[alike].max())].mean() if alike.any() else y.mean()
        assert model.predict(_rows([later], [own]))[0] == pytest.approx(expected)

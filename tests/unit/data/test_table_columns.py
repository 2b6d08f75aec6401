import datetime as dt
from decimal import Decimal

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

from bestofk.data.columns import days_since_1970
from bestofk.data.table_columns import (
    cell_number,
    column_numbers,
    column_role,
    column_texts,
    table_columns,
)

DAYS = [18262.0, np.nan, 18263.5]  # 2020-01-01, missing, 2020-01-02 noon
STAMPS = [dt.datetime(2020, 1, 1), None, dt.datetime(2020, 1, 2, 12)]
SPAN = [dt.timedelta(1), None, dt.timedelta(hours=36)]


def objects(*cells):
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def wrapped(cells, dtype=None):
    return nw.from_native(pl.Series("x", cells, dtype=dtype), series_only=True)


NUMERIC = {
    "numpy floats": (np.array([1.0, np.nan]), [1.0, np.nan]),
    "numpy booleans": (np.array([True, False]), [1.0, 0.0]),
    "numpy dates": (np.array(["2020-01-01", "NaT", "2020-01-02T12"], dtype="M8[s]"), DAYS),
    "object numbers": (objects(1, None, 2.5, np.nan, True), [1, np.nan, 2.5, np.nan, 1]),
    "object decimals": (objects(Decimal("1.5"), None), [1.5, np.nan]),
    "object pandas missing": (objects(1, pd.NA, pd.NaT), [1, np.nan, np.nan]),
    "object dates": (objects(dt.date(2020, 1, 1), None, STAMPS[2]), DAYS),
    "object dates with nan": (objects(dt.date(2020, 1, 1), np.nan), DAYS[:2]),
    "object spans": (objects(*SPAN), [1.0, np.nan, 1.5]),
    "object times": (objects(dt.time(6), None, dt.time(12)), [0.25, np.nan, 0.5]),
    "object periods": (objects(pd.Period("2020-01", "M"), None), DAYS[:2]),
    "object beyond all floats": (objects(10**400, 1), [np.inf, 1]),
    "object all missing": (objects(None, None), [np.nan, np.nan]),
    "pandas integers": (pd.Series([1, 2]), [1.0, 2.0]),
    "pandas nullable": (pd.Series([1, None], dtype="Int64"), [1.0, np.nan]),
    "pandas boolean": (pd.Series([True, None], dtype="boolean"), [1.0, np.nan]),
    "pandas arrow": (pd.Series([1.5, None], dtype="float64[pyarrow]"), [1.5, np.nan]),
    "pandas sparse": (pd.Series(pd.arrays.SparseArray([0.0, 1.0])), [0.0, 1.0]),
    "pandas dates": (pd.Series(STAMPS), DAYS),
    "pandas zoned": (pd.Series(STAMPS).dt.tz_localize("Europe/Rome"), DAYS),
    "pandas spans": (pd.Series(SPAN), [1.0, np.nan, 1.5]),
    "pandas periods": (pd.Series(pd.PeriodIndex(["2020-01", None], freq="M")), DAYS[:2]),
    "pandas date objects": (pd.Series([dt.date(2020, 1, 1), None], dtype=object), DAYS[:2]),
    "polars integers": (wrapped([1, None]), [1.0, np.nan]),
    "polars booleans": (wrapped([True, None]), [1.0, np.nan]),
    "polars dates": (wrapped([dt.date(2020, 1, 1), None]), DAYS[:2]),
    "polars stamps": (wrapped(STAMPS), DAYS),
    "polars spans": (wrapped(SPAN), [1.0, np.nan, 1.5]),
    "polars times": (wrapped([dt.time(6), None]), [0.25, np.nan]),
    "polars decimals": (wrapped([Decimal("1.5"), None]), [1.5, np.nan]),
    "polars wide integers": (wrapped([2, None], pl.Int128), [2.0, np.nan]),
    "polars nothing": (wrapped([None, None]), [np.nan, np.nan]),
}


@pytest.mark.parametrize(("column", "numbers"), NUMERIC.values(), ids=NUMERIC.keys())
def test_numeric_column_is_recognized_and_read_as_floats(column, numbers):
    assert column_role(column) == "numeric"
    values = column_numbers(column)
    assert values.dtype == np.float64
    np.testing.assert_allclose(values, numbers, rtol=1e-15)


NOMINAL = {
    "numpy text": (np.array(["b", "a", "b"]), ["b", "a", "b"]),
    "object text": (objects("b", None, "a", np.nan), ["b", None, "a", None]),
    "object mixture": (objects("b", 1, True, None), ["b", "1", "True", None]),
    "pandas objects": (pd.Series(["b", None, "a"], dtype=object), ["b", None, "a"]),
    "pandas string": (pd.Series(["b", None, "a"], dtype="string"), ["b", None, "a"]),
    "pandas default text": (pd.Series(["b", None, "a"]), ["b", None, "a"]),
    "pandas categories": (pd.Series(pd.Categorical(["b", None], ["a", "b"])), ["b", None]),
    "pandas number categories": (pd.Series(pd.Categorical([2, None, 1])), ["2", None, "1"]),
    "pandas intervals": (
        pd.Series(pd.IntervalIndex.from_tuples([(0, 1), None])),
        ["(0.0, 1.0]", None],
    ),
    "object bytes": (objects(b"b", None), ["b", None]),
    "polars text": (wrapped(["b", None, "a"]), ["b", None, "a"]),
    "polars categories": (wrapped(["b", None], pl.Categorical), ["b", None]),
    "polars enum": (wrapped(["b", None], pl.Enum(["a", "b"])), ["b", None]),
}


@pytest.mark.parametrize(("column", "texts"), NOMINAL.values(), ids=NOMINAL.keys())
def test_nominal_column_is_recognized_and_read_as_texts(column, texts):
    assert column_role(column) == "nominal"
    values = column_texts(column)
    assert (values.dtype, values.shape) == (object, (len(texts),))
    assert values.tolist() == texts
    assert {type(value) for value in values} <= {str, type(None)}


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([None, None], dtype="string"),
        pd.Series(pd.Categorical([None, None], ["a", "b"])),
        wrapped([None, None], pl.String),
        wrapped([None, None], pl.Categorical),
        wrapped([None, None], pl.Enum(["a", "b"])),
    ],
)
def test_column_of_levels_without_any_is_empty(column):
    assert column_role(column) == "empty"
    assert column_texts(column).tolist() == [None, None]


def test_value_that_is_no_text_number_or_date_is_refused():
    message = r"must be made of strings, numbers, dates or durations; got dict and float"
    with pytest.raises(TypeError, match=message):
        column_role(objects(1.0, {"a": 1}))
    for column in (wrapped([[1], None]), objects(dt.time(1), 1), objects("a", dt.date(2020, 1, 1))):
        with pytest.raises(TypeError, match="must be made of"):
            column_role(column)


def test_text_in_a_numeric_column_is_refused():
    with pytest.raises(ValueError, match="could not convert string to float: 'a'"):
        column_numbers(objects(1, "a"))


@pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame, lambda d: np.array(list(d.values())).T]
)
def test_columns_of_any_table_come_in_order(make):
    columns = table_columns(make({"a": [1, 2], "b": [3, 4]}))
    assert [column_numbers(column).tolist() for column in columns] == [[1, 2], [3, 4]]


def test_a_moment_is_the_same_number_alone_and_in_a_column():
    zone = dt.timezone(dt.timedelta(hours=2))
    moments = [dt.datetime(2015, 1, 1, 22, 48, 39, 16939, tzinfo=zone)]
    for i in range(300):
        moments.append(dt.datetime(2015, 1, 1, 0, 7, 3, 123457 * i % 10**6, tzinfo=zone))
    alone = [cell_number(moment) for moment in moments]
    np.testing.assert_array_equal(alone, days_since_1970(pd.Series(moments)))
    times = [moment.time() for moment in moments]
    on_first_day = [dt.datetime.combine(dt.date(1970, 1, 1), moment) for moment in times]
    np.testing.assert_array_equal(
        [cell_number(moment) for moment in times], days_since_1970(pd.Series(on_first_day))
    )

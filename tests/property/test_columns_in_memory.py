"""Columns of any kind in memory: read, or refused in one sentence before anything is trained."""

import datetime as dt
import enum
import uuid
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestofk.comparison.input_data import as_data_set
from bestofk.errors import InvalidArgumentError
from bestofk.learners.preparation import TablePreparer
from bestofk.trees import C45Classifier

N_ROWS = 8
NUMBERS = np.arange(float(N_ROWS))
LABELS = list("abab" * 2)


class Size(enum.Enum):
    SMALL = 1
    LARGE = 2


DAYS = st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1))
READ = {
    "floats": st.floats(-1e99, 1e99) | st.just(np.nan),
    "whole numbers": st.integers(-(10**30), 10**30),
    "truth": st.booleans(),
    "decimals": st.decimals(-999, 999, places=2) | st.just(Decimal("NaN")),
    "fractions": st.fractions(-9, 9),
    "texts": st.text("abä 1", min_size=1, max_size=3),
    "bytes": st.sampled_from([b"u", b"v", b"\xff"]),
    "days": DAYS,
    "moments": st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1)),
    "zoned moments": st.datetimes(
        dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1), timezones=st.just(dt.UTC)
    ),
    "durations": st.timedeltas(dt.timedelta(-9), dt.timedelta(9)),
    "times of day": st.times(),
    "months": DAYS.map(lambda day: pd.Period(day, "M")),
    "intervals": st.integers(0, 3).map(lambda low: pd.Interval(low, low + 1)),
}
REFUSED = {
    "infinite": st.just(np.inf),
    "beyond all floats": st.just(10**400),
    "infinite decimals": st.just(Decimal("-Infinity")),
    "complex": st.complex_numbers(allow_nan=False),
    "lists": st.lists(st.integers(0, 2), max_size=2),
    "tuples": st.tuples(st.integers(0, 2)),
    "mappings": st.just({"a": 1}),
    "sets": st.just({1}),
    "arrays": st.just(np.arange(2)),
    "members": st.sampled_from(Size),
    "identifiers": st.uuids() | st.just(uuid.UUID(int=0)),
    "objects": st.builds(object),
}
GAPS = st.sampled_from([None, np.nan, pd.NA, pd.NaT])


def objects(cells):
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def array_of_objects(cells):
    table = np.empty((len(cells), 2), dtype=object)
    table[:, 0], table[:, 1] = NUMBERS, objects(cells)
    return table


TABLES = {
    "objects": lambda cells: pd.DataFrame({"x": NUMBERS, "column": pd.Series(objects(cells))}),
    "guessed": lambda cells: pd.DataFrame({"x": NUMBERS, "column": cells}),
    "nullable": lambda cells: TABLES["guessed"](cells).convert_dtypes(),
    "arrow": lambda cells: TABLES["guessed"](cells).convert_dtypes(dtype_backend="pyarrow"),
    "categories": lambda cells: pd.DataFrame({"x": NUMBERS, "column": pd.Categorical(cells)}),
    "array": array_of_objects,
    "polars": lambda cells: pl.DataFrame({"x": NUMBERS, "column": pl.Series(cells)}),
    "polars objects": lambda cells: pl.DataFrame(
        {"x": NUMBERS, "column": pl.Series(cells, dtype=pl.Object)}
    ),
}


def made(make, cells):
    """Return a table, or None where its library cannot hold such cells."""
    try:
        return make(cells)
    except (Exception, pl.exceptions.PanicException):
        return None


def data_set_or_refusal(X, **arguments):
    try:
        return as_data_set(X, **{"y": LABELS} | arguments)
    except InvalidArgumentError as error:
        return error


def check_read(data):
    """Hold that learners of the catalogue read what was not refused."""
    assert len(data.id) == 32
    assert len(data.roles) == data.n_features
    assert np.isfinite(TablePreparer().fit_transform(data.levelled)).all()
    C45Classifier().fit(data.levelled, LABELS)


def check_refusal(error, name):
    message = str(error)
    assert name in message
    assert "\n" not in message
    assert message.endswith(".")
    assert "; got " in message
    assert len(message.split()) < 60


@settings(max_examples=120)
@given(data=st.data(), container=st.sampled_from(sorted(TABLES)), has_gaps=st.booleans())
def test_a_column_is_read_or_refused_in_one_sentence(data, container, has_gaps):
    kinds = data.draw(st.lists(st.sampled_from(sorted(READ | REFUSED)), min_size=1, max_size=2))
    cell = st.one_of([(READ | REFUSED)[kind] for kind in kinds] + [GAPS] * has_gaps)
    cells = data.draw(st.lists(cell, min_size=N_ROWS, max_size=N_ROWS))
    table = made(TABLES[container], cells)
    if table is None:
        return
    result = data_set_or_refusal(table)
    is_refused = isinstance(result, InvalidArgumentError)
    if is_refused:
        check_refusal(result, "'x1'" if container == "array" else "'column'")
    else:
        check_read(result)
    if len(set(kinds)) == 1 and container in ("objects", "array") and not has_gaps:
        is_empty = pd.isna(objects(cells)).all()
        assert is_refused == (kinds[0] in REFUSED or is_empty)


@settings(max_examples=80)
@given(data=st.data(), argument=st.sampled_from(["y", "groups", "sample_weight"]))
def test_what_has_a_value_per_row_is_read_or_refused_in_one_sentence(data, argument):
    kind = data.draw(st.sampled_from(sorted(READ | REFUSED)))
    cells = data.draw(st.lists((READ | REFUSED)[kind], min_size=4, max_size=4)) * 2
    make = data.draw(st.sampled_from([list, objects, pd.Series, pd.Index, pd.Categorical]))
    values = made(make, cells)
    if values is None:
        return
    result = data_set_or_refusal(NUMBERS.reshape(-1, 1), **{argument: values})
    if isinstance(result, InvalidArgumentError):
        check_refusal(result, "target" if "target" in str(result) else argument)
    else:
        check_read(result)
        assert result.y.shape == (N_ROWS,)


@pytest.mark.parametrize("kind", READ)
@settings(max_examples=8)
@given(data=st.data())
def test_equal_values_are_one_column_in_any_container(kind, data):
    value = st.floats(-9, 9) if kind == "floats" else READ[kind]
    value = st.decimals(-9, 9, places=2) if kind == "decimals" else value
    cells = data.draw(st.lists(value, min_size=N_ROWS, max_size=N_ROWS))
    tables = {name: made(TABLES[name], cells) for name in ("objects", "guessed", "array")}
    known = {name: as_data_set(table, LABELS).id for name, table in tables.items()}
    assert len(set(known.values())) == 1, known
    if kind in ("decimals", "fractions"):
        floats = pd.DataFrame({"x": NUMBERS, "column": [float(Fraction(cell)) for cell in cells]})
        assert as_data_set(floats, LABELS).id in known.values()

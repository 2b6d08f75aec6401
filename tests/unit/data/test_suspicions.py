from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bestofk.data import from_arrays, load_data
from bestofk.data.suspicions import suspicions

N_ROWS = 60
RNG = np.random.default_rng(3)
Y = np.repeat(["a", "b", "c"], N_ROWS // 3)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_column_that_gives_the_class_is_named(frame):
    levels = [f"{label}{k % 2}" for k, label in enumerate(Y)]  # two levels for each class
    table = frame({"size": RNG.random(N_ROWS), "end state": levels})
    assert suspicions(from_arrays(table, Y)) == [
        "Column 'end state' alone gives the target in every row. Leave it out (--drop "
        "'end state') if it is known only afterwards."
    ]
    levels[7] = "b0"  # one row of class a
    assert suspicions(from_arrays(frame({"end state": levels}), Y)) == []


def test_decimals_with_a_gap_are_numbers_like_others():
    values = [None, *map(Decimal, range(79))]
    frame = pl.DataFrame({"a": values, "b": [*map(Decimal, range(80))]})
    said = suspicions(from_arrays(frame, ["no"] * 40 + ["yes"] * 40))
    assert [text.split("'")[1] for text in said] == ["b"]  # a gap is on neither side


def test_levels_of_few_rows_give_the_class_by_accident():
    table = pd.DataFrame({"name": [f"n{k // 4}" for k in range(N_ROWS)]})
    assert suspicions(from_arrays(table, Y)) == []


def test_a_leak_is_found_in_a_long_table_sorted_by_class():
    y = np.repeat(["a", "b"], 3_000)
    table = pd.DataFrame({"code": np.repeat([7, 8], 3_000)})
    assert len(suspicions(from_arrays(table, y))) == 1
    table.loc[3_500, "code"] = 7
    assert suspicions(from_arrays(table, y)) == []


def test_values_of_the_target_far_from_all_others_are_counted():
    y = np.linspace(1, 2, N_ROWS)  # the middle half is 0.5 wide
    assert suspicions(from_arrays(np.eye(N_ROWS), y)) == []
    y[5] = 11.4  # 9.9 above the median of 1.5
    assert suspicions(from_arrays(np.eye(N_ROWS), y)) == []
    y[5] = 1_200
    (sentence,) = suspicions(from_arrays(np.eye(N_ROWS), y))
    assert sentence.startswith("1 value of the target lies far from all others, such as 1,200 (med")


@pytest.mark.parametrize(("step", "is_named"), [(1, True), (-1, True), (7, False)])
def test_rows_in_the_order_of_a_date_are_named(write, step, is_named):
    days = pd.date_range("2024-01-01", periods=N_ROWS).strftime("%Y-%m-%d")
    order = np.arange(N_ROWS)[::step] if abs(step) == 1 else np.arange(N_ROWS) * step % N_ROWS
    lines = [f"{days[k]},{k % 3 * 1.5},{Y[k % 50]}" for k in order]
    read = load_data(write("day,x,kind\n" + "\n".join(lines))).warnings
    typed = suspicions(from_arrays(pd.DataFrame({"day": pd.to_datetime(days)[order]}), Y))
    for said in (read, typed):
        named = [
            warning for warning in said if warning.startswith("Rows are ordered in time ('day')")
        ]
        assert len(named) == is_named

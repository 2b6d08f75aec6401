import os
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bestofk.data import DataSet, from_arrays

FRAME = {
    "number": [1.5, None, 3.5],
    "whole": [1, 2, 3],
    "text": ["u", None, "w"],
    "flag": [True, False, True],
}


def pandas_frame(**changes):
    frame = pd.DataFrame({**FRAME, **changes})
    frame["level"] = pd.Categorical(["p", None, "q"], categories=["q", "p", "r"])
    frame["when"] = pd.to_datetime(["2020-01-01", None, "2021-01-01"])
    frame["gaps"] = pd.array([2**60 + 1, None, 3], dtype="Int64")
    frame["mixed"] = np.array([1, "x", None], dtype=object)
    return frame


def polars_frame(**changes):
    return pl.DataFrame({**FRAME, **changes}).with_columns(
        level=pl.Series(["p", None, "q"], dtype=pl.Categorical),
        choice=pl.Series(["p", None, "q"], dtype=pl.Enum(["q", "p"])),
        gaps=pl.Series([2**60 + 1, None, 3]),
    )


def identity(features, target=("a", "b", "a"), **options):
    return from_arrays(features, list(target), **options).id


@pytest.mark.parametrize("frame", [pandas_frame, polars_frame])
def test_the_identity_changes_with_values_and_their_order(frame):
    base = frame()
    names = list(base.columns)
    variants = [
        base,
        frame(number=[1.5, None, 3.25]),
        frame(number=[1.5, 2.0, 3.5]),
        frame(whole=[1, 2, 4]),
        frame(text=["u", "", "w"]),
        frame(text=["u", "w", None]),
        frame(flag=[True, True, True]),
        base[names[::-1]],
        base[names[1:]],
    ]
    results = [identity(variant) for variant in variants]
    results += [identity(base, "aba"[::-1] + ""), identity(base, "abb")]
    results += [identity(base, sample_weight=[1, 1, 2]), identity(base, [0.5, 1.5, 2.5])]
    assert len(set(results)) == len(results) - 1  # "aba" reads the same from both ends
    assert identity(frame(whole=[1.0, 2.0, 3.0])) == identity(frame(flag=[1, 0, 1])) == results[0]


def test_the_identity_of_pandas_columns_sees_categories_and_gaps():
    def with_column(column):
        return identity(pandas_frame().assign(extra=column))

    columns = [
        pd.Categorical(["p", None, "q"], categories=["p", "q"], ordered=True),
        pd.Categorical(["p", None, "q"], categories=["q", "p"], ordered=True),
        np.array(["p", None, "q"], dtype=object),
        np.array(["p", "q", None], dtype=object),
        pd.array([2**60 + 1, None, 3], dtype="Int64"),
        pd.array([2**60 + 2, None, 3], dtype="Int64"),
        pd.array([2**60 + 1, 0, 3], dtype="Int64"),
        np.array([1, "x", None], dtype=object),
        np.array([1.5, "x", None], dtype=object),
    ]
    assert len({with_column(column) for column in columns}) == len(columns)
    levels = [
        np.array(["p", None, "q"], dtype=object),
        pd.array(["p", None, "q"], dtype="string"),
        pd.Categorical(["p", None, "q"], categories=["q", "p", "unused"]),
    ]
    assert len({with_column(column) for column in levels}) == 1


def test_the_identity_does_not_see_name_index_or_memory_order():
    frame = pandas_frame()
    other = frame.set_axis([7, 7, 2])
    assert identity(frame, name="one") == identity(other, name="two")
    table = np.arange(6.0).reshape(3, 2)
    assert identity(table) == identity(np.asfortranarray(table))
    assert identity(table) == identity(table.astype(np.float32)) == identity(table.astype(int))
    thirds = table / 3
    assert identity(thirds) != identity(thirds.astype(np.float32))
    assert identity(-table) != identity(table)
    assert identity(0 * table) == identity(-0.0 * table)
    assert identity(table) != identity(table.reshape(3, 2)[:, ::-1])


def test_the_identity_is_the_same_in_every_process():
    code = (
        "import polars as pl\n"
        "kept = pl.Series(list('zqp'), dtype=pl.Categorical)\n"
        "from tests.unit.data.test_data_set import identity, pandas_frame, polars_frame\n"
        "print(identity(pandas_frame()), identity(polars_frame()))"
    )
    path = os.pathsep.join(p for p in sys.path if p)
    env = {**os.environ, "PYTHONHASHSEED": "1234567", "PYTHONPATH": path}
    command = [sys.executable, "-c", code]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, env=env).stdout
    assert printed == f"{identity(pandas_frame())} {identity(polars_frame())}\n"


def test_class_positions_and_counts_follow_sorted_labels():
    data = from_arrays(np.zeros((4, 1)), ["b", "a", "b", "c"])
    assert data.classes.tolist() == ["a", "b", "c"]
    assert data.y.tolist() == [1, 0, 1, 2]
    assert data.class_counts.tolist() == [1, 2, 1]


def test_a_regression_target_becomes_float():
    data = DataSet("tiny", np.zeros((2, 1)), np.array([1, 2]), "regression")
    assert data.y.dtype == np.float64
    assert data.classes.size == 0


def test_a_subset_has_rows_groups_and_weights_of_its_own():
    features, target = np.arange(8.0).reshape(4, 2), np.array(list("abab"))
    data = from_arrays(features, target, groups=[1, 1, 2, 2], sample_weight=[1.0, 2.0, 3.0, 4.0])
    part = data.subset(np.array([0, 3]))
    assert part.features.tolist() == [[0.0, 1.0], [6.0, 7.0]]
    assert (list(part.target), list(part.groups)) == (["a", "b"], [1, 2])
    assert part.sample_weight.tolist() == [1.0, 4.0]
    assert part.id != data.id

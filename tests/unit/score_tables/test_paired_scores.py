"""Score tables are read once, and their data sets found."""

import pandas as pd
import polars as pl
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.score_tables.paired_scores import data_sets_of, read_scores
from bestofk.score_tables.score_formats.read_score_table import read_score_table

LONG = pd.DataFrame(
    {
        "dataset": ["b", "b", "a", "a"],
        "learner": ["x", "y", "y", "x"],
        "measure": "error",
        "value": [0.1, 0.2, 0.3, 0.4],
    }
)


@pytest.mark.parametrize("make", [lambda t: t, pl.from_pandas, read_score_table])
def test_data_sets_are_named_in_order_of_appearance(make):
    assert data_sets_of(make(LONG)) == ["b", "a"]
    assert data_sets_of(LONG.drop(columns="dataset")) == []


def test_data_sets_may_be_numbers():
    numbered = LONG.assign(dataset=[7, 7, 3, 3])
    assert data_sets_of(numbered) == ["7", "3"]
    assert read_scores(numbered, measure=None, dataset=3, cv=None).title == "3"


def test_columns_that_were_read_are_not_read_again():
    columns = read_score_table(LONG)
    assert read_score_table(columns) is columns
    assert columns.rows_of == {"b": [0, 1], "a": [2, 3]}
    scores = read_scores(columns, measure=None, dataset="a", cv=None)
    assert (scores.names, scores.values.tolist(), scores.title) == (["y", "x"], [[0.3], [0.4]], "a")


def test_a_bad_cell_is_named_by_its_row_in_the_whole_table():
    holed = read_score_table(LONG.assign(value=[0.1, 0.2, 0.3, None]))
    read_scores(holed, measure=None, dataset="b", cv=None)
    with pytest.raises(InvalidArgumentError, match="in row 4"):
        read_scores(holed, measure=None, dataset="a", cv=None)


def test_a_table_without_data_sets_takes_no_name_of_one():
    with pytest.raises(InvalidArgumentError, match="dataset must be left out where the table has"):
        read_scores(LONG.drop(columns="dataset"), measure=None, dataset="a", cv=None)


@pytest.mark.parametrize("table", [None, 3, LONG.iloc[:0]])
def test_what_is_no_table_is_refused(table):
    with pytest.raises(InvalidArgumentError, match="table must"):
        data_sets_of(table)


@pytest.mark.parametrize(
    ("separator", "texts", "values"),
    [
        (";", ["0,125", "0,25", "0,5"], [0.125, 0.25, 0.5]),
        (",", ["1,234.5", "2,250", "980"], [1234.5, 2250, 980]),
        (",", ["55,425", "61,300", "7,125"], [55425, 61300, 7125]),
        (";", ["9,875", "12,5", "7,125"], [9.875, 12.5, 7.125]),
    ],
)
def test_scores_with_commas_are_read_by_the_evidence_of_the_file(
    tmp_path, separator, texts, values
):
    path = tmp_path / "scores.csv"
    rows = [[f'"{text}"', f'"{text}"'] for text in texts]
    path.write_text("\n".join(separator.join(row) for row in [["a", "b"], *rows]) + "\n")
    scores = read_scores(path, measure=None, dataset=None, cv=None)
    assert scores.values.tolist() == [values, values]


def test_scores_of_two_readings_are_refused(tmp_path):
    path = tmp_path / "scores.tsv"
    path.write_text("a\tb\n55,425\t3\n61,301\t4\n71,301\t4\n")
    with pytest.raises(InvalidArgumentError, match=r"'a' must hold finite numbers; got '55,425'"):
        read_scores(path, measure=None, dataset=None, cv=None)


def test_splits_without_numbers_come_in_the_order_of_the_first_learner():
    rows = [("a", "x"), ("b", "y"), ("a", "z"), ("a", "y"), ("b", "z"), ("b", "x")]
    table = pd.DataFrame(rows, columns=["learner", "fold"]).assign(value=range(6))
    scores = read_scores(table, measure=None, dataset=None, cv=None)
    assert scores.values.tolist() == [[0, 2, 3], [5, 4, 1]]

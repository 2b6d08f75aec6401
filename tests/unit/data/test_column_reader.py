"""New rows are read as the rows of a data set were."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bestofk import load_data
from bestofk.data.column_reader import TableReader
from bestofk.errors import InvalidArgumentError


def reader_of(tmp_path, columns, **options):
    path = tmp_path / "data.csv"
    n = len(next(iter(columns.values())))
    frame = pd.DataFrame({**columns, "target": ["a", "b"] * (n // 2)})
    frame.to_csv(path, sep=";", index=False)
    return load_data(path, **options).reader


def read_one(reader, name, values):
    return reader.read(pd.DataFrame({name: values}))[name].tolist()


def test_numbers_are_read_in_the_form_of_the_file(tmp_path):
    reader = reader_of(tmp_path, {"x": ["1,5", "2,25", "1.000,5", "7"]})
    assert read_one(reader, "x", ["3,5", " 1.200,25 ", "?", "unknown", None]) == pytest.approx(
        [3.5, 1200.25, np.nan, np.nan, np.nan], nan_ok=True
    )
    assert read_one(reader, "x", [1, 2]) == [1.0, 2.0]
    mixed = pd.Series([3.5, "4,5"], dtype=object)
    assert read_one(reader, "x", mixed) == [3.5, 4.5]
    with pytest.raises(InvalidArgumentError, match=r"'x' must hold numbers.*got 'tall'"):
        read_one(reader, "x", ["tall"])


def test_texts_that_were_taken_for_missing_still_are(tmp_path):
    column = [str(i) for i in range(38)] + ["broken", "broken"]
    reader = reader_of(tmp_path, {"x": column}, roles={"x": "numeric"})
    assert np.isnan(read_one(reader, "x", ["broken"])[0])
    with pytest.raises(InvalidArgumentError, match="got 'lost'"):
        read_one(reader, "x", ["lost"])


def test_dates_keep_the_order_that_the_whole_file_had(tmp_path):
    reader = reader_of(tmp_path, {"day": ["3/4/2024", "25/4/2024", "1/2/2024", "2/2/2024"]})
    april_fifth = (datetime.date(2024, 4, 5) - datetime.date(1970, 1, 1)).days
    # by itself 5/4 could be May the fourth
    assert read_one(reader, "day", ["5/4/2024"]) == [april_fifth]
    assert read_one(reader, "day", pd.to_datetime(["2024-04-05"])) == [april_fifth]
    assert read_one(reader, "day", [datetime.date(2024, 4, 5)]) == [april_fifth]
    assert read_one(reader, "day", [float(april_fifth)]) == [april_fifth]
    with pytest.raises(InvalidArgumentError, match=r"dates \(%d/%m/%Y\).*got '2024'"):
        read_one(reader, "day", ["2024"])


def test_categories_keep_their_levels_and_new_ones_come_last(tmp_path):
    reader = reader_of(tmp_path, {"color": ["red", "blue", "red", "blue"]})
    column = reader.read(pd.DataFrame({"color": ["green", "red ", "?", None]}))["color"]
    assert column.cat.categories.tolist() == ["blue", "red", "green"]
    assert column.isna().tolist() == [False, False, True, True]
    assert column.tolist()[:2] == ["green", "red"]


def test_codes_that_pandas_reads_as_numbers_are_their_texts(tmp_path):
    columns = {"ward": ["1", "2", "10", "2"]}
    reader = reader_of(tmp_path, columns, roles={"ward": "nominal"})
    assert read_one(reader, "ward", [1.0, 10.0]) == ["1", "10"]
    assert reader.columns[0].levels == ("1", "2", "10")


def test_words_of_yes_and_no_are_read_in_any_case(tmp_path):
    reader = reader_of(tmp_path, {"smoker": ["Yes", "no", "NO", "yes"]})
    assert read_one(reader, "smoker", ["YES", "No"]) == ["yes", "no"]


def test_empty_cells_next_to_ticks_are_a_value(tmp_path):
    reader = reader_of(tmp_path, {"paid": ["x", None, "X", None], "n": ["1", "2", "3", "5"]})
    frame = pd.DataFrame({"paid": ["X", None, ""], "n": [1, 2, 3]})
    assert reader.read(frame)["paid"].tolist() == ["x", "blank", "blank"]


@pytest.mark.parametrize("name", ["iris", "wine", "diabetes", "play-tennis"])
def test_features_of_a_data_set_are_read_as_themselves(name):
    data = load_data(name)
    pd.testing.assert_frame_equal(data.reader.read(data.features), data.features, check_dtype=False)


def test_columns_are_taken_by_name_in_the_order_of_the_features(tmp_path):
    reader = reader_of(tmp_path, {"x": ["1.5", "2.5", "3.5", "4.5"], "color": ["u", "v", "u", "v"]})
    frame = reader.read(pd.DataFrame({"color": ["v"], "more": [0], "x": [9.5]}))
    assert frame.to_dict("records") == [{"x": 9.5, "color": "v"}]
    with pytest.raises(InvalidArgumentError, match=r"'color' is missing\. Did you mean 'colour'"):
        reader.read(pd.DataFrame({"colour": ["v"], "x": [9.5]}))
    with pytest.raises(InvalidArgumentError, match="a data frame with the columns x, color"):
        reader.read([[9.5, "v"]])


def test_polars_is_read_like_pandas():
    data = load_data("play-tennis")
    frame = pl.DataFrame({n: data.features[n].astype(str) for n in data.feature_names})
    assert data.reader.read(frame).astype(str).equals(data.features.astype(str))


def test_an_empty_reader_gives_no_columns():
    assert TableReader(()).read(pd.DataFrame({"x": [1]})).shape[1] == 0


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("iris", ["<DataSet iris: 150 rows, 4 inputs>", "3 classes: setosa (50), versicolor (50)"]),
        ("diabetes", ["442 rows, 10 inputs", "10 numeric", "target: numeric, 25 to 346"]),
        ("twonorm:50:1", ["50 rows, 20 inputs"]),
    ],
)
def test_the_repr_of_a_data_set_is_short_and_says_what_it_holds(name, says):
    text = repr(load_data(name))
    assert len(text.splitlines()) <= 5
    assert all(part in text for part in says)


def test_new_rows_miss_what_the_file_missed_and_keep_its_levels(write):
    path = write("a,b,y\n1,none,p\n-99,x,q\n3,NA,p\n4,z,q\n")
    data = load_data(path, missing={"a": ["-99"], "b": ["z"]})
    for options in ({"dtype": str}, {}):
        rows = data.reader.read(pd.read_csv(path, keep_default_na=False, **options))
        assert rows["a"].fillna(0).tolist() == [1, 0, 3, 4]
        assert rows["b"].astype(object).fillna("").tolist() == ["none", "x", "NA", ""]
        assert rows.astype(str).equals(data.features.astype(str))

import datetime
import sys

import numpy as np
import pandas as pd
import pytest

from bestofk.data import load_data
from bestofk.errors import InvalidArgumentError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def path(tmp_path):
    frame = pd.DataFrame(
        {
            "id": [1, 2, 3],
            "text": ["u", None, "w"],
            "flag": [True, False, True],
            "when": pd.to_datetime(["1970-01-02", None, "1970-01-03"]),
            "gaps": pd.array([1, None, 3], dtype="Int64"),
            "kind": pd.Categorical(["p", "q", "p"]),
        }
    )
    path = tmp_path / "table.parquet"
    frame.to_parquet(path)
    return path


def test_types_of_a_parquet_file_are_trusted(path):
    data = load_data(path)
    assert data.name == "table"
    assert " ".join(data.roles.values()) == "numeric nominal boolean date numeric target"
    assert data.features["when"].tolist()[::2] == [1.0, 2.0]
    assert data.features["gaps"].dtype == "float64"
    assert data.features["text"].isna().tolist() == [False, True, False]
    assert data.target.tolist() == ["p", "q", "p"]


def without_rows(path):
    pd.read_parquet(path).iloc[:0].to_parquet(path)


def damaged(path):
    path.write_bytes(b"PAR1 nothing")


def with_damaged_remarks_of_pandas(path):
    table = pq.read_table(path)
    remarks = table.schema.metadata[b"pandas"].replace(b'"numpy_type"', b'"numpy_typo"')
    pq.write_table(table.replace_schema_metadata({b"pandas": remarks}), path)


def with_columns_of_one_name(path):
    pq.write_table(pa.Table.from_arrays([pa.array([1, 2])] * 2, names=["a", "a"]), path)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (without_rows, "must have at least one row; got none"),
        (damaged, "must be a Parquet file; got"),
        (with_damaged_remarks_of_pandas, "must be a Parquet file; got"),
        (with_columns_of_one_name, "must be a Parquet file"),
    ],
)
def test_what_is_no_table_of_parquet_is_refused(path, make, message):
    make(path)
    with pytest.raises(InvalidArgumentError, match=message):
        load_data(path)


def test_parquet_without_its_package_names_the_install_command(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InvalidArgumentError, match=r"pip install 'bestofk\[parquet\]'"):
        load_data(path)


def test_whole_numbers_beyond_64_bits_with_a_sign_stay_what_they_are(tmp_path):
    large = np.array([1, 2**63, 2**64 - 1, 2**63 + 2**20], dtype=np.uint64)
    small = np.array([1, 2, 2**63 - 1, 4], dtype=np.uint64)
    path = tmp_path / "table.parquet"
    pd.DataFrame({"large": large, "small": small, "y": large}).to_parquet(path)
    data = load_data(path, task="regression")
    assert data.features["large"].tolist() == [1.0, 2.0**63, 2.0**64, 2.0**63 + 2**20]
    assert data.features["small"].dtype == np.int64
    assert data.features["small"].tolist() == small.tolist()
    assert data.y.tolist() == large.astype(float).tolist()


@pytest.mark.parametrize("kind", ["date", "datetime64[s]", "datetime64[us]", "zoned"])
def test_dates_of_any_year_are_days(tmp_path, kind):
    texts = ["9999-12-31", "0001-01-01", None, "1970-01-02"]
    if kind == "date":
        dates = [None if text is None else datetime.date.fromisoformat(text) for text in texts]
    elif kind == "zoned":
        dates = pd.Series(np.array(texts, dtype="datetime64[us]")).dt.tz_localize("UTC")
    else:
        dates = np.array(texts, dtype=kind)
    path = tmp_path / "table.parquet"
    pd.DataFrame({"until": dates, "kind": list("abab")}).to_parquet(path)
    data = load_data(path)
    assert data.roles["until"] == "date"
    # days of the proleptic calendar: 9999-12-31 is day 3652059 counted from 0001-01-01 as day 1
    assert data.features["until"].tolist()[:2] == [3652059 - 719163, 1 - 719163]
    assert np.isnan(data.features["until"][2])
    assert data.features["until"][3] == 1


def test_texts_that_are_numbers_are_named(tmp_path):
    path = tmp_path / "table.parquet"
    prices = [f"${i},400" for i in range(30)]
    pd.DataFrame({"price": prices, "y": list("ab") * 15}).to_parquet(path)
    data = load_data(path)
    assert data.roles["price"] == "nominal"
    said = "numbers stored as texts, such as '$0,400'; nominal, as its type says"
    assert said in data.warnings[0]

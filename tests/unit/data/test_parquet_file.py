import pandas as pd
import pytest

from bestofk.data import load_data
from bestofk.errors import InvalidArgumentError


@pytest.fixture
def path(tmp_path):
    pytest.importorskip("pyarrow")
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
    assert dict(data.roles) == {
        "id": "numeric",
        "text": "nominal",
        "flag": "boolean",
        "when": "date",
        "gaps": "numeric",
        "kind": "target",
    }
    assert data.features["when"].tolist()[::2] == [1.0, 2.0]
    assert data.features["gaps"].dtype == "float64"
    assert data.features["text"].isna().tolist() == [False, True, False]
    assert data.target.tolist() == ["p", "q", "p"]


def test_a_parquet_file_without_rows_is_refused(path):
    pd.read_parquet(path).iloc[:0].to_parquet(path)
    with pytest.raises(InvalidArgumentError, match="must have at least one row; got none"):
        load_data(path)


def test_a_damaged_parquet_file_is_refused(path):
    path.write_bytes(b"PAR1 nothing")
    with pytest.raises(InvalidArgumentError, match="must be a Parquet file; got"):
        load_data(path)


def test_parquet_without_its_package_names_the_install_command(path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(InvalidArgumentError, match=r"pip install 'bestofk\[parquet\]'"):
        load_data(path)

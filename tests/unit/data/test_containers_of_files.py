"""Workbooks, databases, JSON lines, Feather and packed files give the table that a CSV gives."""

import bz2
import datetime
import gzip
import io
import json
import lzma
import sqlite3
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest

from bestofk import load_data
from bestofk.data import text_file
from bestofk.data.load import load_rows, name_of_file
from bestofk.errors import InvalidArgumentError

N = 30
TITLES = ["size", "kind", "day", "note", "y"]
CSV = "size,kind,day,note,y\n" + "".join(
    f"{i / 4},{'ab'[i % 2]},2024-01-{i + 1:02d},{'x y' * (i % 7 == 0)},{'ok' if i % 3 else 'no'}\n"
    for i in range(N)
)


@pytest.fixture
def plain(write):
    return load_data(write(CSV, "plain.csv"), target="y")


def rows():
    """Return the table as values of types: numbers, texts, dates and gaps."""
    frame = pd.read_csv(io.StringIO(CSV), parse_dates=["day"])
    return [[None if pd.isna(cell) else cell for cell in row] for row in frame.values.tolist()]


def zipped(**files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("data.csv.gz", gzip.compress),
        ("data.csv.bz2", bz2.compress),
        ("data.csv.xz", lzma.compress),
        ("data.zip", lambda content: zipped(**{"folder/data.csv": content, "__MACOSX/._d": b"?"})),
    ],
)
def test_a_packed_file_is_read_as_it_is(name, pack, plain, tmp_path, monkeypatch):
    path = tmp_path / name
    path.write_bytes(pack(CSV.encode()))
    assert load_data(path, target="y").id == plain.id
    assert name_of_file(path) == "data"
    path.write_bytes(pack(CSV.encode())[:-20])
    with pytest.raises(InvalidArgumentError, match="must be"):
        load_data(path)
    path.write_bytes(pack(b"a,y\n" + b"1,2\n" * 100_000))
    monkeypatch.setattr(text_file, "MOST_UNPACKED", 100_000)
    with pytest.raises(InvalidArgumentError, match="must unpack to at most"):
        load_data(path)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a.csv": CSV, "b.csv": CSV}, "must hold one file; got 2: a.csv, b.csv. Unpack it"),
        ({"x/": ""}, "must be a text file"),
        ({"[Content_Types].xml": "<a>", "xl/workbook.xml": "<b>"}, "a workbook ends in .xlsx"),
    ],
)
def test_a_zip_file_holds_one_file(files, message, write):
    path = write(zipped(**files), "data.zip")
    with pytest.raises(InvalidArgumentError, match=message):
        load_data(path)


def test_a_zip_file_of_another_format_is_read_by_its_ending(write):
    arff = "@relation t\n@attribute a numeric\n@attribute class {x,y}\n@data\n1,x\n2,y\n"
    path = write(zipped(**{"t.arff": arff}), "data.zip")
    assert load_data(path).target.tolist() == ["x", "y"]


def test_json_lines_are_read_as_text(plain, write):
    records = [dict(zip(TITLES, line.split(","), strict=True)) for line in CSV.splitlines()[1:]]
    for record in records:
        record["size"] = float(record["size"])
        if not record["note"]:
            del record["note"]
    path = write("\n".join(map(json.dumps, records)) + "\n\n", "data.jsonl")
    data = load_data(path, target="y")
    assert set(data.feature_names) == set(plain.feature_names)
    assert data.features[plain.feature_names].equals(plain.features)
    write('{"a": 1.10, "b": true, "y": "u"}\n{"a": 123456789012345678901, "y": "v"}\n', path.name)
    samples = [column.samples for column in load_data(path).columns]
    assert samples[:2] == [("1.10", "123456789012345678901"), ("true",)]


@pytest.mark.parametrize("line", ['{"a": [1]}', "[1, 2]", "{", "3", '{"a": {"b": 1}}'])
def test_a_line_that_is_no_plain_object_is_named(line, write):
    path = write(f'{{"a": 1, "y": 2}}\n{line}\n', "data.jsonl")
    with pytest.raises(InvalidArgumentError, match=r"line 2 of .* must be an object of JSON"):
        load_data(path)


def test_feather_keeps_types(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "data.feather"
    frame = pd.DataFrame({"a": np.arange(9.0), "y": list("uvuvuvuvu")})
    frame.to_feather(path)
    data = load_data(path)
    assert data.roles == {"a": "numeric", "y": "target"}
    assert "as Feather; its types are kept" in data.notes[0]
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(InvalidArgumentError, match="must be a Feather file"):
        load_data(path)


@pytest.mark.parametrize("source", ["https://a.b/c.csv", "http://a.b/c.csv?x=1&y=2"])
def test_an_address_is_refused_with_the_line_that_downloads_it(source):
    with pytest.raises(InvalidArgumentError, match=r"Download it first: curl -LO '?http"):
        load_data(source)


@pytest.fixture
def database(tmp_path):
    """Return a function that makes a database of tables by name."""

    def make(**tables):
        path = tmp_path / "my data.db"
        with sqlite3.connect(path) as connection:
            for name, values in tables.items():
                quoted = name.replace('"', '""')
                connection.execute(f'create table "{quoted}" (size, kind, day, note, y)')
                for row in values:
                    cells = [str(c.date()) if hasattr(c, "date") else c for c in row]
                    connection.execute(f'insert into "{quoted}" values (?, ?, ?, ?, ?)', cells)
        connection.close()
        return path

    return make


def test_the_only_table_of_a_database_is_read(database, plain):
    path = database(t=rows())
    before = path.read_bytes()
    data = load_data(path, target="y")
    assert data.id == plain.id
    assert load_rows(path, data.reader).equals(data.features)
    assert path.read_bytes() == before
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name, "plain.csv"]


def test_of_several_tables_one_is_named_or_queried(database, plain):
    path = database(**{"t": rows(), 'odd "name"': rows()[:9], "empty": []})
    with pytest.raises(InvalidArgumentError, match=r"got None\. Name one \(--table\): t, odd"):
        load_data(path)
    with pytest.raises(InvalidArgumentError, match=r"got 'u'\. Name one"):
        load_data(path, table="u")
    with pytest.raises(InvalidArgumentError, match="at least one row"):
        load_data(path, table="empty")
    assert load_data(path, table="t", target="y").id == plain.id
    assert load_data(path, table='odd "name"').n_samples == 9
    half = load_data(path, query="select size * 2 as twice, y from t where size >= 2")
    assert half.feature_names == ["twice"]
    assert half.features["twice"].min() == 4


@pytest.mark.parametrize(
    "query",
    [
        "delete from t", "drop table t", "create table u (a)", "attach 'new.db' as n",
        "vacuum into 'new.db'", "select", "select 1; select 2", "pragma user_version = 3",
        "insert into t values (1, 2, 3, 4, 5)", "update t set y = 1",
    ],
)  # fmt: skip
def test_a_query_only_reads(query, database, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = database(t=rows())
    before = path.read_bytes()
    with pytest.raises(InvalidArgumentError):
        load_data(path, query=query)
    assert path.read_bytes() == before
    assert not (tmp_path / "new.db").exists()


def test_what_is_no_database_gets_one_sentence(write):
    with pytest.raises(InvalidArgumentError, match="must be a database that SQLite reads"):
        load_data(write(CSV, "data.db"))


def test_options_of_one_kind_of_file_are_refused_for_another(tmp_path, write):
    path = write(CSV)
    for option in ({"sheet": "a"}, {"table": "a"}, {"query": "select 1"}):
        with pytest.raises(InvalidArgumentError, match="must be left out for a text file"):
            load_data(path, **option)
    with pytest.raises(InvalidArgumentError, match=r"must be left out for a file of type \.db"):
        load_data(tmp_path / "a.db", separator=";")


@pytest.fixture
def workbook(tmp_path):
    """Return a function that saves sheets of rows, and ranges to merge, as a workbook."""
    pytest.importorskip("python_calamine")
    openpyxl = pytest.importorskip("openpyxl")

    def save(merge=(), hidden=(), **sheets):
        book = openpyxl.Workbook()
        book.remove(book.active)
        for title, values in sheets.items():
            sheet = book.create_sheet(title)
            for row in values:
                sheet.append(row)
            for cells in merge:
                sheet.merge_cells(cells)
            if title in hidden:
                sheet.sheet_state = "hidden"
        path = tmp_path / "book.xlsx"
        book.save(path)
        return path

    return save


@pytest.mark.parametrize(
    ("sheets", "note"),
    [
        ({"Sheet1": [TITLES, *rows()]}, "Read book.xlsx, sheet 'Sheet1'."),
        ({"A": [[], [], ["Measured in May"], [], TITLES, *rows()]}, "above the table"),
        (  # a title merged over the table, and an empty first column
            {"merge": ["B1:F1"], "A": [[None, *row] for row in [["May"], TITLES, *rows()]]},
            "Read book.xlsx, sheet 'A'",
        ),
        ({"hidden": ["Lists"], "Lists": [["x"], [1]], "A": [TITLES, *rows()]}, "sheet 'A'"),
    ],
    ids=["plain", "empty rows", "merged title", "hidden sheet"],
)
def test_a_sheet_is_read_as_its_csv(workbook, plain, sheets, note):
    path = workbook(**sheets)
    data = load_data(path, target="y")
    assert data.id == plain.id
    assert note in " ".join(data.notes)
    assert load_rows(path, data.reader).equals(data.features)


def test_titles_merged_over_columns_stand_before_those_below(workbook):
    above = [None, "First visit", None, "Second visit", None, "y"]
    below = ["name", "weight", "pulse", "weight", "pulse", None]
    values = [[f"P{i % 5}", 60 + i, 70 + i % 9, 61 + i, 71 + i % 8, "ab"[i % 2]] for i in range(N)]
    path = workbook(merge=["B1:C1", "D1:E1", "F1:F2"], A=[above, below, *values])
    data = load_data(path)
    assert list(data.roles) == [
        "name", "First visit weight", "First visit pulse", "Second visit weight",
        "Second visit pulse", "y",
    ]  # fmt: skip
    assert data.roles["First visit weight"] == "numeric"


def test_a_value_merged_over_rows_holds_for_each(workbook):
    values = [["north", 1, "a"], [None, 2, "b"], [None, 3, "a"], ["south", 4, "b"], [None, 5, "a"]]
    path = workbook(merge=["A2:A4", "A5:A6"], A=[["region", "n", "y"], *values])
    assert load_data(path).features["region"].tolist() == ["north"] * 3 + ["south"] * 2


def test_of_two_sheets_the_first_is_read_unless_one_is_named(workbook, plain):
    path = workbook(Empty=[], A=[TITLES, *rows()], B=[["u", "v"], [1, "a"], [2, "b"]])
    data = load_data(path, target="y")
    assert data.id == plain.id
    assert data.notes[0] == "Read book.xlsx, sheet 'A'; others: 'Empty', 'B' (--sheet)."
    assert load_data(path, sheet="B").target.tolist() == ["a", "b"]
    with pytest.raises(InvalidArgumentError, match=r"sheet must be one of book\.xlsx; got 'C'"):
        load_data(path, sheet="C")
    with pytest.raises(InvalidArgumentError, match="must have a sheet with values"):
        load_data(path, sheet="Empty")
    data = load_data(path, sheet="A", target="y")
    new = path.with_name("new.csv")
    new.write_text(CSV)
    assert load_rows(new, data.reader).equals(data.features)  # the sheet is of the workbook


def test_dates_as_serial_numbers_are_numbers_and_times_are_times(workbook):
    values = [[45_000 + i, datetime.time(8, i), i % 2 == 0, "ab"[i % 2]] for i in range(N)]
    data = load_data(workbook(A=[["day", "at", "new", "y"], *values]))
    assert dict(data.roles) == {"day": "numeric", "at": "date", "new": "boolean", "y": "target"}


def test_codes_totals_and_errors_of_a_sheet_are_read_as_in_a_text_file(workbook):
    values = [[f"{i % 7:03d}", i, "#N/A" if i % 5 == 0 else i / 3, "ab"[i % 2]] for i in range(N)]
    total = ["Total", sum(range(N)), None, None]
    data = load_data(workbook(A=[["code", "n", "share", "y"], *values, total]), target="y")
    assert data.n_samples == N
    assert data.roles["code"] == "nominal"
    assert data.features["share"].isna().sum() == 6


def test_what_is_no_workbook_gets_one_sentence(workbook, tmp_path, write):
    content = workbook(A=[TITLES, *rows()]).read_bytes()
    damaged, text = write(content[:3000], "damaged.xlsx"), write(CSV, "text.xlsx")
    twisted = write(content.replace(b"PK\x01\x02", b"PK\x01\x03"), "twisted.xlsx")
    for wrong in (damaged, text, twisted):
        with pytest.raises(InvalidArgumentError, match="must be a workbook; got"):
            load_data(wrong)
    with pytest.raises(InvalidArgumentError, match="existing file"):
        load_data(tmp_path / "none.xlsx")
    with pytest.raises(InvalidArgumentError, match="must have a sheet with values; got none"):
        load_data(workbook(A=[]))


def test_a_workbook_needs_its_extra(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(InvalidArgumentError, match=r"pip install 'bestofk\[excel\]'"):
        load_data(write("PK", "a.xlsx"))


@pytest.mark.parametrize(
    "ending",
    ["csv", "csv.gz", "zip", "arff", "jsonl", "parquet", "feather", "xlsx", "xls", "ods", "db"],
)
def test_a_missing_file_is_missed_before_a_package_that_reads_it(tmp_path, ending, monkeypatch):
    for package in ("python_calamine", "pyarrow"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InvalidArgumentError, match="data must be an existing file; got"):
        load_data(tmp_path / f"none.{ending}", target="y")

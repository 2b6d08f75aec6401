import codecs
import gzip
import re
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestofk.data import csv_file, load_data, plain_rows
from bestofk.data._plain_rows import find_fields
from bestofk.data.csv_file import read_csv
from bestofk.data.written_columns import NumberColumn
from bestofk.errors import InvalidArgumentError

N_ROWS = 300  # the first 202 lines are sniffed


@pytest.fixture(params=[1 << 22, 256], ids=["one block", "many blocks"])
def write(write, monkeypatch, request):
    monkeypatch.setattr(plain_rows, "_BLOCK_BYTES", request.param)
    monkeypatch.setattr(plain_rows, "_BYTES_OF_COLUMN", 1)
    monkeypatch.setattr(plain_rows, "_FIRST_BYTES", 1)
    return write


def table(*columns, end="\n"):
    header = ",".join(f"c{k}" for k in range(len(columns)))
    return end.join([header, *map(",".join, zip(*columns, strict=True))]) + end


def cycled(*texts):
    return [texts[row % len(texts)] for row in range(N_ROWS)]


def outcome(path, **options):
    """Return everything a data set of a file is, or the sentence that refuses it."""
    try:
        data = load_data(path, **options)
    except InvalidArgumentError as error:
        return str(error)
    types = [str(dtype) for dtype in data.features.dtypes]
    target = data.target_array.dtype, data.target_array.tolist()
    return data.id, data.notes, data.warnings, dict(data.roles), types, target


def field_by_field(path, **options):
    """Return the same where no row counts as plain."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_file, "_read_plain", lambda *_: None)
        return outcome(path, **options)


def kinds(path, **options):
    columns = read_csv(path, "data", texts=(), **options).columns.values()
    return "".join("wf"[c.values.dtype.kind == "f"] if isinstance(c, NumberColumn) else "t"
                   for c in columns)  # fmt: skip


LABELS = cycled("a", "b", "b")
FLOATS = [repr(row / 7 - 9) for row in range(N_ROWS)]
WHOLE = [str(row * row % 997 - 40) for row in range(N_ROWS)]


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (FLOATS, "f"),
        (WHOLE, "w"),
        (cycled("1.5", "-2", "3e2", ".25"), "f"),
        (cycled("0.123", "12.345", "7.125"), "f"),
        (cycled("12.345", "7.125"), "t"),  # two readings
        (cycled("1.5", "", "2.25"), "f"),
        (cycled("1.5", "NaN"), "f"),
        (cycled("1.5", "NaN", "nan"), "t"),  # two marks
        (cycled("1.5", "?"), "f"),
        (cycled("1", "", "3"), "t"),  # whole numbers with gaps
        (cycled("1", "007"), "t"),
        (cycled("1", "+2"), "t"),
        (cycled("0", "-0"), "t"),
        (cycled("0.5", "-0", "-0.0"), "f"),
        (cycled("1", "12345678901234567890"), "t"),
        (cycled("9007199254740993", "12"), "w"),
        (cycled("9007199254740993.5", "12"), "f"),
        (cycled("1.5", "inf"), "t"),
        (cycled("1.5", "1e999"), "t"),
        (cycled("0x10", "1"), "t"),
        (cycled("1_0", "1.5"), "t"),
        (cycled("True", "False"), "t"),
        (cycled("1e5", "2e6"), "t"),
        (cycled('"1.5"', "2.5"), "f"),
        (cycled('"12"', " 7"), "w"),
        (cycled(" 1.5", "2.5 "), "f"),
        (cycled("ä", "größe"), "t"),
        (cycled('"x,y"', '"z"'), "t"),
        (["0"] * 250 + ["0.25"] * 50, "t"),  # fractions behind the first lines
        (["1.5"] * 250 + ["oops"] + ["2.5"] * 49, "t"),
        (["1"] * 250 + [""] + ["2"] * 49, "t"),
        (["0.5"] * 250 + ["007"] + ["2.5"] * 49, "t"),
        (["0.5"] * 250 + ["NA"] + ["2.5"] * 49, "t"),
        (["0.5"] * 250 + [""] + ["2.5"] * 49, "f"),
        (["0.5"] * 250 + ["-0"] + ["2.5"] * 49, "f"),
    ],
)
def test_a_column_is_numbers_only_where_their_form_is_beyond_doubt(write, texts, kind):
    path = write(table(FLOATS, texts, LABELS))
    assert kinds(path) == f"f{kind}t"
    assert outcome(path) == field_by_field(path)
    assert outcome(path, target="c1") == field_by_field(path, target="c1")


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: text + "\n\n",
        lambda text: text.rstrip("\n"),
        lambda text: "\n" + text,
        lambda text: ",,\n" + text,
        lambda text: text.replace("\n", "\n\n", 5),
        lambda text: text + ",,\n1.5,7,a\n",
        lambda text: text + "1.5,7\n",
        lambda text: text + "1.5,7,a,b\n1.5\n",
        lambda text: text + '1.5,7,"a\nb"\n',
        lambda text: text + '1.5,7,"a ""b"" c"\n',
        lambda text: text + '1.5,7,5" pipe\n',
        lambda text: text + '1.5,7,"a\n',
        lambda text: text + "# remark\n",
        lambda text: "a title\n" + text,
        lambda text: text.replace(",", ";"),
        lambda text: text.replace(",", "\t"),
        lambda text: text.replace(",", " "),
        lambda text: text.replace(",", ", "),
        lambda text: text.replace("\n", ",\n"),
        lambda text: text.partition("\n")[2],
        lambda text: "sep=,\n" + text,
        lambda text: text.replace("c0", "c1"),
        lambda text: text.replace("c0", ""),
        lambda text: codecs.BOM_UTF8 + text.encode(),
        lambda text: text.encode("utf-16"),
        lambda text: text.encode() + b"1.5,7,\xe4\n",
        lambda text: text.encode() + b"1.5,7,\0\n",
        lambda text: text.replace("\n", "\n\ufeff", 260),
        lambda text: text + "1.5,7," + "x" * 140_000 + "\n",
        lambda text: text.splitlines()[0],
        lambda text: "",
        lambda text: gzip.compress(text.encode(), mtime=0),
        lambda text: gzip.compress(text.encode(), mtime=0)[:-12],
    ],
)
def test_a_file_is_read_as_it_is_field_by_field(write, change):
    path = write(change(table(FLOATS, WHOLE, LABELS)))
    assert outcome(path) == field_by_field(path)


@pytest.mark.parametrize(
    "options",
    [
        {"roles": {"c0": "nominal"}},
        {"roles": {"c1": "ordinal"}},
        {"roles": {"c2": "numeric", "c1": "drop"}},
        {"target": "c0"},
        {"target": "c1", "task": "classification"},
        {"target": "c1", "roles": {"c1": "nominal"}},
        {"groups": "c1"},
        {"weights": "c3"},
        {"weights": "c0"},
        {"decimal": ","},
        {"thousands": "."},
        {"target": "c4"},
        {"target": "c4", "drop_missing_target": True},
    ],
)
def test_options_hold_for_plain_rows(write, options):
    gaps = cycled("1.5", "2.25", "")
    path = write(table(FLOATS, WHOLE, LABELS, cycled("1.5", "2"), gaps, cycled("u", "v")))
    assert outcome(path, **options) == field_by_field(path, **options)


def test_random_columns_are_read_as_they_are_field_by_field(write):
    rng = Random(24)
    texts = ["1", "0", "-7", "1.5", "0.125", "12.345", "1,5", "", "NA", "?", "nan", "red", "yes",
             "no", "007", "+3", "1e3", "-0", "2020-01-31", "31.12.2020", "$5", "7%", " 2", "9" * 20,
             "ä", "x y z", "unknown"]  # fmt: skip
    for _ in range(25):
        columns = [rng.choices(rng.sample(texts, rng.choice([1, 2, 3])), k=N_ROWS)
                   for _ in range(4)]  # fmt: skip
        for column in columns:
            if rng.random() < 0.3:
                column[rng.randrange(N_ROWS)] = rng.choice(texts)
        quoted = [[f'"{text}"' if "," in text else text for text in c] for c in columns]
        path = write(table(*quoted, LABELS))
        assert outcome(path) == field_by_field(path)


def test_floats_are_read_exactly(write):
    rng = np.random.default_rng(3)
    values = rng.integers(0, 2**63, 1000).view(np.float64)
    values = values[np.isfinite(values)]
    texts = [repr(value) for value in values.tolist()]
    path = write(table([f"{value:.25g}" for value in rng.normal(size=len(texts))], texts, texts))
    columns = read_csv(path, "data", texts=()).columns
    assert columns["c1"].values.tobytes() == values.tobytes()
    assert outcome(path) == field_by_field(path)


PLAIN_ROW = re.compile(rb"(%b),(%b)\r?\n" % ((rb'"[^"\r\n\0]*"|[^",\r\n\0]*',) * 2))


@given(st.text('ab0-7 ,"\n\r\0', max_size=40))
def test_fields_are_found_where_every_row_is_plain(text):
    lines = text.encode() + b"\n"
    starts = np.full((lines.count(b"\n"), 2), -1, np.int64)
    rows, end = [], 0
    while match := PLAIN_ROW.match(lines, end):
        rows.append([begin_of(lines, match.start(1)), begin_of(lines, match.start(2))])
        end = match.end()
    is_plain = end == len(lines)
    odd = np.zeros((2, 2), np.int64)
    assert find_fields(np.frombuffer(lines, np.uint8), ord(","), 1000, starts, odd) == is_plain
    if is_plain:
        assert starts.tolist() == rows
        begins = [[lines[start : start + 2] for start in row] for row in rows[1:]]
        assert odd.tolist() == [
            [sum(is_odd(row[k]) for row in begins) for k in (0, 1)],
            [sum(row[k] == b"-0" for row in begins) for k in (0, 1)],
        ]


def is_odd(begin: bytes) -> bool:
    return not b"-" <= begin[:1] <= b"9" or (begin[:1] == b"0" and begin[1:].isdigit())


def begin_of(lines: bytes, start: int) -> int:
    start += lines[start : start + 1] == b" "
    return start + (lines[start : start + 1] == b'"')


def test_a_field_as_long_as_the_limit_is_not_plain():
    lines = np.frombuffer(b"abc,d\n", np.uint8)
    starts = np.empty((1, 2), np.int64)
    odd = np.zeros((2, 2), np.int64)
    assert find_fields(lines, ord(","), 4, starts, odd)
    assert not find_fields(lines, ord(","), 3, starts, odd)

import contextlib
import gzip
import signal

import pytest
from tests.given import data_folder

from bestofk.data import load_data
from bestofk.data.arff_file import read_arff
from bestofk.errors import InvalidArgumentError

HEADER = """% a comment
@RELATION 'odd one'
@attribute 'a' REAL
@attribute "long name" { red, 'dark, blue', '?', 'it\\'s', groß } % levels
@attribute c integer [0, 9]
@attribute Class {no, yes}

@DATA
"""


@pytest.fixture
def write(tmp_path):
    def write_file(content, name="data.arff"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


def test_odd_declarations_and_values_are_read(write):
    rows = "1.5, red,3,no\n% between\n?,'dark, blue',?,yes\n\n2\t,?, 4 ,no\n1,'?',1,yes\n"
    rows += "1,'it\\'s',1,yes\n1,groß,1,'yes'\n"
    columns = read_arff(write(HEADER + rows), "data").columns
    assert columns["a"].tolist()[2:] == [2.0, 1.0, 1.0, 1.0]
    levels = columns["long name"]
    assert list(levels.cat.categories) == ["red", "dark, blue", "?", "it's", "groß"]
    assert levels.isna().tolist() == [False, False, True, False, False, False]
    assert levels.tolist()[3:] == ["?", "it's", "groß"]
    assert columns["c"].isna().sum() == 1
    assert columns["Class"].tolist() == ["no", "yes", "no", "yes", "yes", "yes"]


def test_values_may_be_separated_by_tabs(write):
    table = read_arff(write(HEADER + "1\tred\t3\tno\n2\t'dark, blue'\t3\tno\n"), "data")
    assert table.columns["c"].tolist() == [3.0, 3.0]


def test_the_target_is_class_or_the_last_attribute(write):
    first = "@relation r\n@attribute CLASS {a,b}\n@attribute x real\n@data\na,1\nb,2\n"
    assert load_data(write(first)).roles["CLASS"] == "target"
    last = first.replace("CLASS", "kind")
    assert load_data(write(last)).roles["x"] == "target"


def test_dates_and_strings_are_read(write):
    text = (
        "@relation r\n@attribute d date 'yyyy-MM-dd'\n@attribute s string\n"
        "@attribute w date\n@attribute k {a,b}\n@data\n"
        "1970-01-03,'some text',1970-01-02T12:00:00,a\n?,?,?,b\n"
    )
    data = load_data(write(text))
    assert data.features["d"].tolist()[0] == 2.0
    assert data.features["w"].tolist()[0] == 1.5
    assert data.features["s"].tolist()[0] == "some text"
    assert data.features.iloc[1].isna().all()
    assert data.roles["d"] == "date"


def test_declared_roles_can_be_overridden(write):
    data = load_data(write(HEADER + "1,red,3,no\n2,red,4,yes\n"), roles={"c": "nominal"})
    assert list(data.features["c"].cat.categories) == ["3", "4"]


def test_gzipped_files_are_read(write):
    path = write(gzip.compress((HEADER + "1,red,3,no\n2,red,3,yes\n").encode()), "zip.arff.gz")
    assert (load_data(path).name, load_data(path).n_samples) == ("zip", 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEADER, "must have at least one row below @data"),
        ("1,2\n3,4\n", "must hold @attribute lines and @data; got 0 attributes"),
        (HEADER + "1,red,3\n", "line 9 of .* must have 4 values; got 3"),
        (HEADER + "1,red,3,no\n1,red,3,no,5\n", "line 10 of .* must have 4 values; got 5"),
        (HEADER + "1,redd,3,no\n", "line 9 of .* 'long name'; got 'redd'. Did you mean 'red'"),
        (HEADER + "1,'red'x,3,no\n", "line 9 of .* a declared level of 'long name'; got "),
        (HEADER + "{0 1}\n", "line 9 of .* must be a dense row; got a sparse one"),
        (HEADER + "\n1,red,3,no\nx,red,3,no\n", "line 11 of .* by scipy; got: could not convert"),
        ("@attribute a\n", "line 1 of .* must be '@attribute NAME TYPE'"),
        ("@attribute a relational\n", "line 1 .* must declare numeric, .*; got 'relational'"),
        ("@attribute a real\n@attribute a real\n", "line 2 .* declare each name once; got 'a'"),
        ("@attribute d date 'yyyy z'\n@data\n1\n", "the header of .* must be readable by scipy"),
        ("@attribute d date 'yy.yy'\n@data\n2001\n", "line 3 of .* must be readable by scipy"),
    ],
)
def test_broken_files_get_a_sentence_with_file_and_line(write, text, message):
    with pytest.raises(InvalidArgumentError, match=message):
        read_arff(write(text), "data")


def documented_sets():
    """Yield the rows of the table in the README: name, n, kinds, counts, missing."""
    for line in (data_folder() / "README.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 9 and cells[1].isdecimal():
            yield cells[:5]


def test_every_documented_file_reads_with_the_documented_content():
    checked = 0
    for name, n_samples, kinds, classes, missing in documented_sets():
        path = next((data_folder() / "uci").glob(f"{name}.arff*"))
        data = load_data(path)
        dtypes = [str(dtype) for dtype in data.features.dtypes]
        assert data.n_samples == int(n_samples), name
        assert [dtypes.count("float64"), dtypes.count("category")] == [
            int(count) for count in kinds.split("/")
        ], name
        n_missing = 0 if missing == "-" else int(missing)
        assert data.features.isna().to_numpy().sum() == n_missing, name
        table = read_arff(path, name)
        counts = table.columns[table.target].value_counts(sort=False).tolist()
        declared = classes.split(": ")[1]
        if declared != "90..90":
            assert counts == [int(count) for count in declared.split("/")], name
        checked += 1
    assert checked == len(list((data_folder() / "uci").glob("*.arff*")))


def test_every_file_in_the_form_of_weka_reads_with_the_documented_rows():
    folder = data_folder() / "arff"
    rows = {}
    for line in (folder / "README.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 3 and cells[1].isdecimal():
            rows[cells[0]] = int(cells[1])
    results = {
        path.name.split(".")[0]: load_data(path).n_samples for path in folder.glob("*.arff*")
    }
    assert results == rows


@pytest.fixture
def alarm():
    """End the test where it takes minutes; it should take about a second."""

    def ring(*_):
        raise TimeoutError("the time grows faster than the file")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    "line",
    [
        "'" + "\\'" * 60_000 + "',a",
        "'" + "\\'" * 60_000 + ",a",
        "\\'" * 60_000 + ",a",
        "'" * 120_000 + ",a",
        ",'\\'" * 30_000,
        "' " * 60_000 + ",a",
    ],
    ids=["closed", "open", "bare", "quotes", "fields", "blanks"],
)
def test_a_line_of_quotes_takes_time_in_proportion_to_its_length(write, alarm, line):
    head = "@relation r\n@attribute s string\n@attribute k {a,b}\n@data\nu,b\n"
    with contextlib.suppress(InvalidArgumentError):  # not every such line has two values
        assert len(read_arff(write(head + line + "\n"), "data").columns["s"]) == 2


def test_an_undeclared_level_of_many_letters_is_cut_in_its_sentence(write):
    with pytest.raises(InvalidArgumentError, match=r"got 'x+\.\.\.'") as refusal:
        read_arff(write(HEADER + f"1,{'x' * 100_000},3,no\n"), "data")
    assert len(str(refusal.value)) < 500


def test_an_escaped_quote_is_part_of_its_value(write):
    head = "@relation r\n@attribute s string\n@attribute k {a,b}\n@data\n"
    rows = "'it\\'s, \\'so\\'',a\nit's\tb\n'x\ty'\tb\n5' long,a\n"
    columns = read_arff(write(head + rows), "data").columns
    assert columns["s"].to_list() == ["it's, 'so'", "it's", "x\ty", "5' long"]


def test_many_different_texts_take_time_in_proportion_to_their_number(write, alarm):
    head = "@relation r\n@attribute s string\n@attribute k {a,b}\n@data\n"
    path = write(head + "".join(f"text{i},a\n" for i in range(100_000)))
    columns = read_arff(path, "data").columns
    assert columns["s"].texts[99_999] == "text99999"


def test_many_attributes_take_time_in_proportion_to_their_number(write, alarm):
    head = "".join(f"@attribute a{i} real\n" for i in range(20_000))
    columns = read_arff(write(head + "@data\n" + ",".join(["1"] * 20_000) + "\n"), "data").columns
    assert len(columns) == 20_000


def test_dates_of_any_year_are_days(write):
    text = (
        "@relation r\n@attribute until date 'yyyy-MM-dd'\n@attribute k {a,b}\n@data\n"
        "9999-12-31,a\n0001-01-01,b\n?,a\n1970-01-02,b\n"
    )
    days = load_data(write(text)).features["until"].tolist()
    assert days[:2] == [3652059 - 719163, 1 - 719163]
    assert days[3] == 1


def values_both_ways(path, monkeypatch):
    """Return what is read of a file directly and by scipy, or the two refusals."""
    results = []
    for is_direct in (True, False):
        with monkeypatch.context() as patch:
            if not is_direct:
                patch.setattr("bestofk.data.arff_file._plain_values", lambda *_: None)
            try:
                columns = read_arff(path, "data").columns
                results.append({name: list(column) for name, column in columns.items()})
            except InvalidArgumentError as error:
                results.append(str(error))
    return results


PLAIN = "@attribute a real\n@attribute b {x, y,'?'}\n@data\n"


@pytest.mark.parametrize(
    "rows",
    [
        "1,x\n?,y\n-2.5e3,?\n",
        " 1 , x \n\n% no row\n\t? ,y\n",
        "1,x\n?,'?'\n",
        "nan,x\ninf,y\n1_0,x\n",
        "1,x\n2\n",
        "1,x\n2,z\n",
        "1,x\n5?,y\n",
        "1,x\n,y\n",
        "1,x\nmany,y\n",
        "{0 1}\n",
        "1\tx\n2\ty\n",
        "% nothing\n",
    ],
)
def test_plain_rows_are_read_as_by_scipy(write, monkeypatch, rows):
    direct, parsed = values_both_ways(write(PLAIN + rows), monkeypatch)
    assert repr(direct) == repr(parsed)


def test_files_of_others_are_read_directly_as_by_scipy(monkeypatch):
    for path in sorted((data_folder() / "uci").glob("*.arff"))[:20]:
        direct, parsed = values_both_ways(path, monkeypatch)
        assert repr(direct) == repr(parsed), path

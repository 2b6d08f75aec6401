import contextlib
import datetime
import gzip
import re
import shutil
import subprocess
import tempfile
from functools import partial
from pathlib import Path
from random import Random
from urllib.parse import unquote_plus

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.io.arff import loadarff
from tests.given import data_folder

from bestofk.data import load_data
from bestofk.data.arff_file import read_arff
from bestofk.data.columns import days_since_1970
from bestofk.data.text_file import read_text
from bestofk.errors import InvalidArgumentError

HEADER = """% a comment
@RELATION 'odd one'
@attribute 'a' REAL
@attribute "long name" { red, 'dark, blue', '?', 'it\\'s', groß } % levels
@attribute c integer [0, 9]
@attribute Class {no, yes}

@DATA
"""

TEXTS = "@relation r\n@attribute s string\n@attribute k {a,b}\n@data\n"


@pytest.fixture
def write(write):
    return partial(write, name="data.arff")


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


def test_dates_of_any_year_and_strings_are_read(write):
    text = (
        "@relation r\n@attribute d date 'yyyy-MM-dd'\n@attribute s string\n"
        "@attribute w date\n@attribute k {a,b}\n@data\n"
        "1970-01-03,'some text',1970-01-02T12:00:00,a\n?,?,?,b\n"
        "9999-12-31,?,?,a\n0001-01-01,?,?,b\n"
    )
    data = load_data(write(text))
    days = data.features["d"].tolist()
    assert [days[0], *days[2:]] == [2, 3652059 - 719163, 1 - 719163]
    assert data.features["w"].tolist()[0] == 1.5
    assert data.features["s"].tolist()[0] == "some text"
    assert data.features.iloc[1].isna().all()
    assert data.roles["d"] == "date"


def test_declared_roles_can_be_overridden(write):
    data = load_data(write(HEADER + "1,red,3,no\n2,red,4,yes\n"), roles={"c": "nominal"})
    assert list(data.features["c"].cat.categories) == ["3", "4"]


def test_gzipped_files_are_read(write):
    path = write(gzip.compress((HEADER + "1,red,3,no\n2,red,3,yes\n").encode()), name="zip.arff.gz")
    assert (load_data(path).name, load_data(path).n_samples) == ("zip", 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEADER, "must have at least one row below @data"),
        ("1,2\n3,4\n", "must hold @attribute lines and @data; got 0 attributes"),
        (HEADER + "1,red,3\n", "line 9 of .* must have 4 values; got 3"),
        (HEADER + "1,red,3,no\n1,red,3,no,5\n", "line 10 of .* must have 4 values; got 5"),
        (HEADER + "1,,3,no\n", "line 9 of .* must have 4 values; got 3"),
        (HEADER + "1,redd,3,no\n", "line 9 of .* 'long name'; got 'redd'. Did you mean 'red'"),
        (HEADER + "1,'red'x,3,no\n", "line 9 of .* 4 values; got 5. Blanks separate"),
        (HEADER + "1,'red,3,no\n", r"line 9 of .* must close its quotes; got \"'red,3,no\""),
        (HEADER + "\n1,red,3,no\nx,red,3,no\n", "line 11 of .* have a number in 'a'; got 'x'"),
        (HEADER + "1_0,red,3,no\n", "line 9 of .* have a number in 'a'; got '1_0'"),
        (HEADER + "1,{,3,no\n", "line 9 of .* have a declared level of 'long name'; got '{'"),
        (HEADER + "1,red,3,no,{x}\n", "line 9 of .* have a number as its weight; got 'x'"),
        (HEADER + "1,red,3,no,{2\n", "line 9 of .* must have 4 values; got 6"),
        (HEADER + "{0 1, 0 2}\n", r"line 9 of .* \(0 to 3\), each once .*; got '0 1 0 2'"),
        (HEADER + "{4 1}\n", "line 9 of .* have numbers of attributes .*; got '4 1'"),
        (HEADER + "{-1 no}\n", "line 9 of .* have numbers of attributes .*; got '-1 no'"),
        (HEADER + "{0}\n", "line 9 of .* have numbers of attributes .*; got '0'"),
        ("@attribute a\n", "line 1 of .* must be '@attribute NAME TYPE'"),
        ("@attribute a relational\n", "line 1 .* declare 'a' as numeric, .*; got 'relational'"),
        ("@attribute a {x,y\n", "line 1 .* declare the levels of 'a' as {a,b}; got 'a { x y'"),
        ("@attribute a {}\n", "line 1 .* declare the levels of 'a' as {a,b}"),
        ("@attribute a real\n@attribute a real\n", "line 2 .* declare each name once; got 'a'"),
        ("@attribute d date 'yyyy w'\n", "line 1 of .* declare the date 'd' by .*; got 'yyyy w'"),
        ("@attribute d date 'yy.yy'\n", "line 1 of .* declare the date 'd' by .*; got 'yy.yy'"),
        ("@attribute d date yyyy\n@data\nx\n", "line 3 of .* must have a date in 'd'; got 'x'"),
        ("@attribute a real\n@data 1\n", "line 2 of .* have rows below @data; got 1 value"),
    ],
)
def test_broken_files_get_a_sentence_with_file_and_line(write, text, message):
    with pytest.raises(InvalidArgumentError, match=message):
        read_arff(write(text), "data")


def rows_of_table(readme, n_cells):
    """Yield the rows of a table in a README: a name, a number of rows, and more."""
    for line in readme.read_text().splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == n_cells and cells[1].isdecimal():
            yield cells


def test_every_documented_file_reads_with_the_documented_content():
    documented = list(rows_of_table(data_folder() / "README.md", 9))
    for name, n_samples, kinds, classes, missing, *_ in documented:
        path = next((data_folder() / "uci").glob(f"{name}.arff*"))
        data = load_data(path)
        dtypes = [str(dtype) for dtype in data.features.dtypes]
        assert data.n_samples == int(n_samples), name
        n_of_kinds = [dtypes.count("float64"), dtypes.count("category")]
        assert n_of_kinds == [int(count) for count in kinds.split("/")], name
        n_missing = 0 if missing == "-" else int(missing)
        assert data.features.isna().to_numpy().sum() == n_missing, name
        table = read_arff(path, name)
        counts = table.columns[table.target].value_counts(sort=False).tolist()
        declared = classes.split(": ")[1]
        if declared != "90..90":
            assert counts == [int(count) for count in declared.split("/")], name
    assert len(documented) == len(list((data_folder() / "uci").glob("*.arff*")))


def test_every_file_in_the_form_of_weka_reads_with_the_documented_rows():
    folder = data_folder() / "arff"
    rows = {name: int(n_rows) for name, n_rows, _ in rows_of_table(folder / "README.md", 3)}
    paths = folder.glob("*.arff*")
    assert {path.name.split(".")[0]: load_data(path).n_samples for path in paths} == rows


def test_a_wrong_encoding_is_suspected_and_can_be_given(write):
    levels = "красный,синий"
    text = f"@attribute x real\n@attribute k {{{levels}}}\n@data\n1,красный\n2,синий\n"
    path = write(text.encode("cp1251"))
    assert any("--encoding" in warning for warning in load_data(path).warnings)
    data = load_data(path, encoding="cp1251")
    assert data.classes.tolist() == levels.split(",")
    assert not any("--encoding" in warning for warning in data.warnings)


@pytest.mark.seconds(60)
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
def test_a_line_of_quotes_takes_time_in_proportion_to_its_length(write, line):
    with contextlib.suppress(InvalidArgumentError):  # not every such line has two values
        path = write(f"{TEXTS}u,b\n{line}\n")
        assert len(read_arff(path, "data").columns["s"]) == 2


def test_an_undeclared_level_of_many_letters_is_cut_in_its_sentence(write):
    with pytest.raises(InvalidArgumentError, match=r"got 'x+\.\.\.'") as refusal:
        read_arff(write(HEADER + f"1,{'x' * 100_000},3,no\n"), "data")
    assert len(str(refusal.value)) < 500


def test_an_escaped_quote_is_part_of_its_value(write):
    rows = "'it\\'s, \\'so\\'',a\n\"it's\"\tb\n'x\ty'\tb\n'\\t\\101\\\\\\q\\8'a\n"
    columns = read_arff(write(TEXTS + rows), "data").columns
    assert columns["s"].to_list() == ["it's, 'so'", "it's", "x\ty", "\tA\\q8"]


@pytest.mark.seconds(60)
def test_many_different_texts_take_time_in_proportion_to_their_number(write):
    path = write(TEXTS + "".join(f"text{i},a\n" for i in range(100_000)))
    assert read_arff(path, "data").columns["s"].texts[99_999] == "text99999"


@pytest.mark.seconds(60)
def test_many_attributes_take_time_in_proportion_to_their_number(write):
    head = "".join(f"@attribute a{i} real\n" for i in range(20_000))
    columns = read_arff(write(head + "@data\n" + ",".join(["1"] * 20_000) + "\n"), "data").columns
    assert len(columns) == 20_000


def test_blanks_and_commas_separate_values_and_comments_stand_anywhere(write):
    head = "@relation r % a\n@attribute x{a,b}%{c}\n@attribute 'y z'real % [0, 1]\n@data%\n"
    rows = "a 1\n , b,,2,, % a\n%\n,\n\t'a'2% 3\n'b''3'\n"
    table = read_arff(write(head + rows), "data")
    assert table.columns["x"].to_list() == ["a", "b", "a", "b"]
    assert table.columns["y z"].to_list() == [1.0, 2.0, 2.0, 3.0]
    assert table.weights is None


def test_sparse_rows_leave_out_zeros_first_levels_and_missing_texts(write):
    head = "@relation r\n@attribute x real\n@attribute k {a,b}\n@attribute s string\n"
    rows = "@attribute d date yyyy\n@data\n{0 5, 2 'a b'}\n{}\n{1 b,3 1971}, {2}\n{ 1 ? }{3}\n"
    table = read_arff(write(head + rows), "data")
    assert table.columns["x"].to_list() == [5, 0, 0, 0]
    assert table.columns["k"].to_list()[:3] == ["a", "a", "b"]
    assert table.columns["k"].isna().tolist() == [False, False, False, True]
    assert table.columns["s"].to_list() == ["a b", None, None, None]
    assert table.columns["d"].dt.year.tolist() == [1970, 1970, 1971, 1970]
    assert table.weights.tolist() == [1, 1, 2, 3]


def test_weights_of_rows_are_those_of_the_data_set(write):
    text = "@attribute x real\n@attribute k {a,b}\n@data\n1,a,{2}\n2,?,{3}\n3,b\n4 b {0.5}\n"
    data = load_data(write(text), drop_missing_target=True)
    assert data.sample_weight.tolist() == [2, 1, 0.5]
    assert "Rows are weighted as the file says." in data.notes
    text = text.replace("?", "a")
    assert load_data(write(text), target="k").sample_weight.tolist() == [2, 3, 1, 0.5]
    with_column = load_data(write(text), weights="x", target="k")
    assert with_column.sample_weight.tolist() == [1, 2, 3, 4]
    with pytest.raises(InvalidArgumentError, match="must be finite numbers, 0 or more; got '-2"):
        load_data(write(text.replace("{2}", "{-2}")))


# -- files made with their values ----------------------------------------------------------------

EPOCH = datetime.datetime(1970, 1, 1)
DATES = {"yyyy-MM-dd": "%Y-%m-%d", "dd/MMM/yy HH:mm": "%d/%b/%y %H:%M", "yyyyMMddHH": "%Y%m%d%H"}


def made_file(rng):
    """Return an ARFF text with its values, by column and None where missing, and its weights."""
    kinds = [rng.choice(["real", "levels", "string", "date"]) for _ in range(rng.randint(1, 5))]
    levels = [some_texts(rng) for _ in kinds]
    forms = [rng.choice(list(DATES)) for _ in kinds]
    lines = [f"@RELATION {quoted(rng, 'a b')}"]
    for position, kind in enumerate(kinds):
        declared = {
            "real": rng.choice(["real", "NUMERIC", "integer"]),
            "levels": "{" + gap(rng).join(quoted(rng, level) for level in levels[position]) + "}",
            "string": "String",
            "date": f"date '{forms[position]}'",
        }[kind]
        name = quoted(rng, f"{'a' * rng.randint(0, 1)}{position}")
        lines.append(f"@attribute {name} {declared}{comment(rng)}")
    lines.append(rng.choice(["@data", "@DATA % rows"]))
    rows, weights = [], []
    for _ in range(rng.randint(1, 8)):
        values = [
            made_value(rng, kind, levels[position], forms[position])
            for position, kind in enumerate(kinds)
        ]
        if rng.random() < 0.3:
            line, values = sparse_row(rng, kinds, values, levels)
        else:
            start, end = (rng.choice(["", gap(rng)]) for _ in "ab")
            line = start + gap(rng).join(text for text, _ in values) + end
        weight = rng.choice([1.0, 1.0, 2.5, 40.0])
        if weight != 1 or rng.random() < 0.2:
            line += f"{gap(rng)}{{{weight}}}"
        lines.append(line + comment(rng))
        lines += [rng.choice(["", " ,", "% 'a"])] * rng.randint(0, 1)
        rows.append([value for _, value in values])
        weights.append(weight)
    return "\n".join(lines) + rng.choice(["", "\n"]), rows, weights


def some_texts(rng):
    letters = "abc?,'\"%{}\\ \té\u4e2d1"
    texts = ("".join(rng.choices(letters, k=rng.randint(1, 4))) for _ in range(rng.randint(1, 4)))
    return list(dict.fromkeys(texts))


def quoted(rng, text):
    """Write a text so that it is one value: bare where it can be, or in quotes."""
    if rng.random() < 0.5 and not set(text) & set(",'\"%{} \t") and text != "?":
        return text
    mark = rng.choice("'\"")
    body = text.replace("\\", "\\\\").replace(mark, "\\" + mark)
    if rng.random() < 0.5:
        body = body.replace("\t", "\\t").replace("a", "\\141").replace("%", "\\%")
    return mark + body + mark


def gap(rng):
    return rng.choice([",", ", ", " ", "\t", " ,, ", "\x01"])


def comment(rng):
    return rng.choice(["", "", "", " ", "%", " % {1} 'it", "\t%,"])


def made_value(rng, kind, levels, form):
    """Return a value as it is written, and what it is."""
    if rng.random() < 0.15:
        return "?", None
    if kind == "real":
        value = rng.choice([rng.randint(-9, 9), rng.random(), rng.random() * 1e-9, 1e300])
        return rng.choice([repr(value), f"'{value!r}'"]), float(value)
    if kind == "date":
        day = datetime.datetime(rng.randint(1960, 2030), rng.randint(1, 12), rng.randint(1, 28))
        hour = 0 if DATES[form].endswith("d") else rng.randint(0, 23)
        day = day.replace(hour=hour)
        return f"'{day.strftime(DATES[form])}'", (day - EPOCH) / datetime.timedelta(days=1)
    text = rng.choice(levels)
    return quoted(rng, text), text


def sparse_row(rng, kinds, values, levels):
    """Write some of the values of a row; return the line and the values that it stands for."""
    pairs, kept = [], []
    for position, (text, value) in enumerate(values):
        if rng.random() < 0.5:
            pairs.append(f"{position} {text}")
            kept.append((text, value))
        else:
            first = {"real": 0.0, "date": 0.0, "string": None, "levels": levels[position][0]}
            kept.append(("", first[kinds[position]]))
    return "{" + gap(rng).join(pairs) + "}", kept


def day(number):
    """Return a day, or a text for those of the Julian calendar, which is not used here."""
    return "Julian" if number < (datetime.datetime(1582, 10, 15) - EPOCH).days else number


def values_of(table):
    """Return the rows of a table, None where a value is missing, dates as days since 1970."""
    columns = []
    for column in table.columns.values():
        if getattr(column, "dtype", None) is not None and column.dtype.kind == "M":
            column = days_since_1970(column).map(day)
        columns.append([None if value != value else value for value in column.to_list()])
    return [list(row) for row in zip(*columns, strict=True)]


def weights_of(table):
    n_rows = len(next(iter(table.columns.values())))
    return [1.0] * n_rows if table.weights is None else table.weights.tolist()


@settings(max_examples=300, deadline=None)
@given(st.randoms(use_true_random=False))
def test_made_files_read_as_they_were_made(rng):
    text, rows, weights = made_file(rng)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "made.arff")
        path.write_text(text, newline="")
        table = read_arff(path, "made")
    assert values_of(table) == rows
    assert weights_of(table) == weights


def test_files_of_others_are_read_as_by_scipy():
    for path in sorted((data_folder() / "uci").glob("*.arff"))[:20]:
        rows, _ = loadarff(path)
        columns = read_arff(path, "data").columns
        for name, column in zip(rows.dtype.names, columns.values(), strict=True):
            if rows[name].dtype.kind == "f":
                assert np.array_equal(rows[name], column.to_numpy(), equal_nan=True), path
            else:
                texts = ["?" if text != text else text for text in column.to_list()]
                assert [text.decode() for text in rows[name]] == texts, path


# -- the same as Weka --------------------------------------------------------------------------

WEKA = Path("/usr/share/java/weka.jar")


@pytest.fixture(scope="module")
def weka(tmp_path_factory):
    """Return what reads files with Weka: rows and weights, or a refusal, for each."""
    if not WEKA.is_file() or shutil.which("javac") is None:
        pytest.skip(f"no {WEKA} or no javac; install weka and a JDK of Debian to run this test")
    folder = tmp_path_factory.mktemp("weka")
    source = Path(__file__).with_name("WekaValues.java")
    subprocess.run(["javac", "-cp", str(WEKA), "-d", str(folder), str(source)], check=True)

    def read_all(paths):
        command = ["java", "-Duser.timezone=UTC", "-Duser.language=en", "-Dfile.encoding=UTF-8"]
        command += ["-cp", f"{WEKA}:{folder}", "WekaValues", *map(str, paths)]
        printed = subprocess.run(command, capture_output=True, check=True, text=True).stdout
        return [weka_values(block) for block in printed.split("file\n")[1:]]

    return read_all


def weka_values(block):
    if block.startswith("refused"):
        return block
    lines = [line.split("\t") for line in block.split("\n")[1:-1]]
    rows = [[weka_value(cell) for cell in line[:-1]] for line in lines]
    return rows, [float(line[-1]) for line in lines]


def weka_value(cell):
    if cell == "?":
        return None
    if not cell.startswith("'"):
        return day(float(cell[1:]) / 86_400_000) if cell.startswith("d") else float(cell)
    text = unquote_plus(cell[1:])
    return None if text.startswith("*WEKA*DUMMY") else text


@pytest.fixture
def read_both_ways(weka, tmp_path):
    """Return pairs of what Weka and this package read of texts, a sentence where one refuses."""

    def read_texts(texts):
        paths = [tmp_path / f"{number}.arff" for number in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text, encoding="utf-8", newline="")
        return list(zip(weka(paths), map(read_here, paths), strict=True))

    return read_texts


def read_here(path):
    try:
        table = read_arff(path, "data")
    except InvalidArgumentError as error:
        return str(error).replace(str(path), "FILE")
    return values_of(table), weights_of(table)


def texts_of_others():
    folders = [data_folder() / "arff", data_folder().parent / "cases" / "files"]
    return [read_text(path)[0] for folder in folders for path in sorted(folder.glob("*.arff*"))]


def test_files_of_others_are_read_as_by_weka(read_both_ways):
    for theirs, ours in read_both_ways(texts_of_others()):
        assert theirs == ours


def test_made_files_are_read_as_by_weka(read_both_ways):
    made = [made_file(Random(seed)) for seed in range(200)]
    for (theirs, ours), (_, *expected) in zip(
        read_both_ways([text for text, *_ in made]), made, strict=True
    ):
        assert theirs == ours == tuple(expected)


# What Weka passes over: an open quote ends with the line, one value more is left out.
REFUSED_HERE = re.compile(r"close its quotes|have \d+ values|have rows below @data")


def test_mutated_files_are_read_as_by_weka_or_refused(read_both_ways):
    short = [text for text in texts_of_others() if len(text) < 9_000]
    texts = [made_file(Random(seed))[0] for seed in range(200)]
    texts += [short[seed % len(short)] for seed in range(200)]
    for theirs, ours in read_both_ways(
        [mutated(Random(seed), text) for seed, text in enumerate(texts)]
    ):
        is_read = not isinstance(theirs, str)
        if isinstance(ours, str):
            assert not is_read or REFUSED_HERE.search(ours)
        else:
            assert not is_read or theirs == ours


def mutated(rng, text):
    """Return the text with one to three characters replaced, inserted or left out."""
    pieces = list(text)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(pieces))
        piece = rng.choice([*",'\"%{}?\\ \t\n1a_", "\r\n", "{2}"])
        pieces[at] = rng.choice([piece, piece + pieces[at], ""])
    return "".join(pieces)


DATES_OF_JAVA = {
    "dd/MMMM/yy hh:mm a": "3/september/48 12:05 pm behind",
    "EEE MMM d HH:mm:ss yyyy": "Tue Mar 3 04:05:06 2020",
    "yyyy-MM-dd'T'HH:mm:ss.SSSZ": "2020-03-04T05:06:07.089+0130",
    "h 'o''clock' a": "7 o'clock PM",
    "yyyy XXX": "2020 -01:00",
    "yyyy.MM.dd G": "2020.03.04 AD",
    "yy": "1950",
    "y": "50",
    "yyyyMMdd": " 20200304",
    "yyyy MM dd": "2020  3 \t4",
    "yyyy MMM": "2020  Mar",
    "dd.MM.yyyy": "31.02.2020",
    "kk:mm": "23:59",
    "HH:mm": "24:00",
    "dMyyyy": "342020",
    "S": "1234",
}


def test_dates_are_read_as_by_java(read_both_ways):
    texts = [
        f'@relation r\n@attribute d date "{form}"\n@data\n"{text}"\n'
        for form, text in DATES_OF_JAVA.items()
    ]
    for text, (theirs, ours) in zip(texts, read_both_ways(texts), strict=True):
        is_unknown = isinstance(theirs, str) or "G" in text
        assert isinstance(ours, str) if is_unknown else theirs == ours, text

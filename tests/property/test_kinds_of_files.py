"""Files of the kinds that people have: what was written is read, by either way of cutting.

A kind is tried on a few files; `pytest -m slow tests/property/test_kinds_of_files.py` tries 200.
"""

import codecs
import csv
import io
from datetime import datetime, timedelta

import numpy as np
import pytest
from pandas.testing import assert_frame_equal

from bestofk.data import csv_file, load_data
from bestofk.data.csv_file import read_csv
from bestofk.data.dates import DATE_FORMS
from bestofk.data.file_options import FileOptions
from bestofk.data.load import load_rows
from bestofk.errors import InvalidArgumentError

WORDS = (
    "red",
    "green",
    "deep blue",
    "none",
    "total",
    "NA",
    "-",
    "x;y",
    "a|b",
    "Grund 1",
    "48.1;11",
)


class Table:
    """A random table of a number, a whole number, a text and a class, and the file of it."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.n_rows = int(self.rng.integers(24, 60))
        words = list(self.rng.choice(WORDS, 4, replace=False))
        self.names = ["size", "rooms", "kind", "y"]
        self.columns = [
            [f"{value:.2f}" for value in self.rng.normal(50, 9, self.n_rows)],
            [str(value) for value in self.rng.integers(0, 99, self.n_rows)],
            [str(word) for word in self.rng.choice(words, self.n_rows)],
            [str(label) for label in self.rng.choice(["p", "q"], self.n_rows)],
        ]

    def rows(self):
        return [list(row) for row in zip(*self.columns, strict=True)]

    def text(self, separator=",", **options):
        stream = io.StringIO()
        writer = csv.writer(stream, delimiter=separator, lineterminator="\n", **options)
        writer.writerows([self.names, *self.rows()])
        return stream.getvalue()


@pytest.fixture(params=[10, pytest.param(200, marks=pytest.mark.slow)], ids=["few", "many"])
def n_files(request):
    return request.param


def read_both_ways(path, **options):
    """Return the columns of a file as texts, notes and warnings; both ways of cutting agree."""
    read = as_texts(read_csv(path, "data", FileOptions(**options)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_file, "_read_plain", lambda *_: None)
        assert as_texts(read_csv(path, "data", FileOptions(**options))) == read
    return read


def as_texts(table):
    columns = {name: values.to_list() for name, values in table.columns.items()}
    return columns, table.notes, table.warnings


def assert_same(table, read):
    assert read[0] == dict(zip(table.names, table.columns, strict=True)), read[1:]


def files(tmp_path, n_files, make):
    """Write files and yield each with its table."""
    for seed in range(n_files):
        table = Table(seed)
        path = tmp_path / f"{seed}.csv"
        made = make(table)
        path.write_bytes(made if isinstance(made, bytes) else made.encode())
        yield table, path


@pytest.mark.parametrize(
    ("separator", "name"), [(",", "comma"), (";", "semicolon"), ("\t", "tab"), ("|", "bar")]
)
def test_marks_inside_texts_never_separate(tmp_path, n_files, separator, name):
    for table, path in files(tmp_path, n_files, lambda table: table.text(separator)):
        read = read_both_ways(path)
        assert_same(table, read)
        assert f"with separator {name}." in read[1][0]


def test_whole_numbers_may_be_names(tmp_path, n_files):
    def numbered(table):
        first = int(table.rng.integers(0, 2))
        lines = table.text().splitlines()
        return "\n".join([",".join(map(str, range(first, first + 4))), *lines[1:]]) + "\n"

    for table, path in files(tmp_path, n_files, numbered):
        assert list(read_both_ways(path)[0].values()) == table.columns


def test_a_column_that_r_leaves_without_a_name_holds_row_names(tmp_path, n_files):
    def of_r(table):
        separator = str(table.rng.choice([",", "\t", " ", ";"]))
        header, *rows = table.text(separator, quoting=csv.QUOTE_NONNUMERIC).splitlines()
        named = [f'"{k}"{separator}{row}' for k, row in enumerate(rows, start=1)]
        return "\n".join([header, *named]) + "\n"

    for table, path in files(tmp_path, n_files, of_r):
        columns = read_both_ways(path)[0]
        assert columns.pop("rownames") == [str(k + 1) for k in range(table.n_rows)]
        assert columns == dict(zip(table.names, table.columns, strict=True))


def test_no_row_is_lost_by_its_first_word(tmp_path, n_files):
    def totals_anywhere(table):
        table.columns[2] = ["total" if table.rng.random() < 0.5 else "part" for _ in
                            range(table.n_rows)]  # fmt: skip
        table.columns = [table.columns[2], *table.columns[:2], table.columns[3]]
        table.names = ["kind", "size", "rooms", "y"]
        return table.text()

    for table, path in files(tmp_path, n_files, totals_anywhere):
        assert_same(table, read_both_ways(path))


FOOTERS = (
    "Source: the office of numbers, 2020\n",
    "\n* preliminary, to be revised\nNote two.\n",
    "\n\n1) of all rooms, without kitchens\n2) see above\n\n",
    "printed on 3 May,,,\n",
)


@pytest.mark.parametrize("footer", FOOTERS)
def test_notes_below_a_table_are_left_out_and_counted(tmp_path, n_files, footer):
    for table, path in files(tmp_path, n_files, lambda table: table.text() + footer):
        read = read_both_ways(path)
        assert_same(table, read)
        assert any("Left out as not part of the table" in warning for warning in read[2])


def test_a_row_cut_short_is_refused(tmp_path, n_files):
    for table, path in files(tmp_path, n_files, lambda table: table.text()):
        lines = path.read_text().splitlines()
        n_kept = int(table.rng.integers(1, 4))
        path.write_text("\n".join([*lines[:-1], ",".join(table.rows()[-1][:n_kept])]))
        with pytest.raises(InvalidArgumentError, match="must have 4 fields"):
            read_csv(path, "data")


def test_sums_at_the_end_are_left_out_and_other_rows_of_totals_stay(tmp_path, n_files):
    def with_last(table):
        table.is_sum = bool(table.rng.random() < 0.5)
        numbers = [sum(float(v) for v in table.columns[0]), sum(map(int, table.columns[1]))]
        if not table.is_sum:
            numbers[0] += 1
        table.names = ["kind", "size", "rooms", "y"]
        table.columns = [[f"k{k % 7}" for k in range(table.n_rows)], *table.columns[:2],
                         table.columns[3]]  # fmt: skip
        return table.text() + f"Total,{numbers[0]:.2f},{numbers[1]},p\n"

    for table, path in files(tmp_path, n_files, with_last):
        columns, _, warnings = read_both_ways(path)
        assert len(columns["y"]) == table.n_rows + (not table.is_sum)
        assert len(warnings) == table.is_sum
        assert len(read_both_ways(path, skip_footer=0)[0]["y"]) == table.n_rows + 1


def test_a_row_of_units_is_left_out(tmp_path, n_files):
    def with_units(table):
        header, *rows = table.text().splitlines()
        units = str(table.rng.choice(["[m],[n],-,", "cm,number,-,-", "(m),(count),,"]))
        return "\n".join([header, units, *rows]) + "\n"

    for table, path in files(tmp_path, n_files, with_units):
        read = read_both_ways(path)
        assert_same(table, read)
        assert any("of units below the names" in warning for warning in read[2])


def test_quotes_behind_backslashes(tmp_path, n_files):
    def escaped(table):
        table.columns[2] = [f'say "{text}", {k % 3}' for k, text in enumerate(table.columns[2])]
        return table.text(quoting=csv.QUOTE_NONNUMERIC, doublequote=False, escapechar="\\")

    for table, path in files(tmp_path, n_files, escaped):
        assert_same(table, read_both_ways(path))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_ticks_are_rows_in_any_encoding(tmp_path, n_files, encoding, end):
    for seed in range(-(-n_files // 8)):
        rng = np.random.default_rng(seed)
        ticks = rng.choice(["x", ""], (40, 4))
        ticks[0], ticks[1] = "x", ""
        names = ["Müdigkeit", '"fe\nver"' if seed % 2 else "fever", "rash", "y"]
        text = end.join([",".join(names), *map(",".join, ticks.tolist())]) + end
        path = tmp_path / f"{seed}.csv"
        path.write_bytes(text.encode(encoding))
        columns = read_both_ways(path)[0].values()
        assert list(zip(*columns, strict=True)) == [
            tuple(tick or "blank" for tick in row) for row in ticks.tolist()
        ]


TEXTS = {"cp1251": "Москва", "koi8-r": "Казань", "shift_jis": "東京", "gb18030": "北京",
         "cp1253": "Αθήνα", "utf-16-le": "Łódź"}  # fmt: skip


@pytest.mark.parametrize("encoding", TEXTS)
def test_an_encoding_that_is_given_is_taken(tmp_path, n_files, encoding):
    def written(table):
        table.columns[2] = [f"{TEXTS[encoding]} {k % 3}" for k in range(table.n_rows)]
        return table.text().encode(encoding)

    for table, path in files(tmp_path, n_files, written):
        assert_same(table, read_both_ways(path, encoding=encoding))
        if encoding == "cp1251":
            warnings = read_both_ways(path)[2]
            assert any("--encoding cp1251 reads it so" in text for text in warnings), warnings


MOMENTS = {
    "%Y-%m": 31, "%b %Y": 31, "%b-%Y": 31, "%H:%M": 0.013, "%H:%M:%S": 0.013,
}  # fmt: skip
# `strptime` knows no quarters, and of a week no day
KNOWN = [form for form in DATE_FORMS if "%q" not in form and "%V" not in form]
WRITTEN = (
    *KNOWN, "%d %B %Y", "%B-%Y", "%Y%m%dT%H%M%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S",
    "%d/%m/%Y %H:%M", "%m/%d/%Y %I:%M %p",
)  # fmt: skip


@pytest.mark.parametrize("form", WRITTEN)
def test_dates_that_one_form_fits_are_dates(tmp_path, n_files, form):
    step = timedelta(days=MOMENTS.get(form, 17))
    for seed in range(-(-n_files // 20)):
        rng = np.random.default_rng(seed)
        start = datetime(2001, 1, 1) + timedelta(days=int(rng.integers(0, 4000)))
        texts = [f"{start + k * step:{form}}" for k in range(40)]
        path = tmp_path / f"{seed}.csv"
        lines = [f'"{text}",{rng.integers(9)},{"pq"[k % 2]}' for k, text in enumerate(texts)]
        path.write_text("\n".join(["when,n,y", *lines]) + "\n")
        data = load_data(path)
        assert data.roles["when"] == "date"
        if "%Y" in form:
            days = [datetime.strptime(text, form) - datetime(1970, 1, 1) for text in texts]
            assert data.features["when"].tolist() == pytest.approx(
                [item / timedelta(days=1) for item in days]
            )


@pytest.mark.parametrize("name", ["year", "age", "Time (min)", "dose", "x", "count", "n_rooms",
                                  "Number of rooms"])  # fmt: skip
def test_quantities_that_count_on_stay(tmp_path, n_files, name):
    for seed in range(-(-n_files // 8)):
        table = Table(seed)
        table.names[1] = name
        table.columns[1] = [str(value) for value in range(seed % 3, table.n_rows + seed % 3)]
        path = tmp_path / f"{seed}.csv"
        path.write_text(table.text())
        assert load_data(path).roles[name] == "numeric"


@pytest.mark.parametrize("name", ["id", "PassengerId", "customer_key", "row", "", "Nr", "index"])
def test_what_numbers_the_rows_is_dropped_with_the_way_back(tmp_path, n_files, name):
    for seed in range(-(-n_files // 8)):
        table = Table(seed)
        table.names[1] = name
        table.columns[1] = [str(value) for value in range(1, table.n_rows + 1)]
        path = tmp_path / f"{seed}.csv"
        path.write_text(table.text())
        data = load_data(path)
        dropped = name or "column2"
        assert data.roles[dropped] == "drop"
        (note,) = [text for text in data.notes if text.startswith(f"Column {dropped!r}: ")]
        assert f"--role {dropped}=numeric keeps it" in note
        assert load_data(path, roles={dropped: "numeric"}).roles[dropped] == "numeric"


@pytest.mark.parametrize("mark", ["none", "None", "NA", "-", "null", "n/a"])
def test_marks_are_missing_among_numbers_and_levels_among_texts(tmp_path, n_files, mark):
    def with_marks(table):
        table.gaps = set(table.rng.choice(table.n_rows, 5, replace=False).tolist())
        for column in (table.columns[0], table.columns[2]):
            for row in table.gaps:
                column[row] = mark
        return table.text()

    for table, path in files(tmp_path, n_files, with_marks):
        data = load_data(path)
        gaps = set(np.flatnonzero(data.features["size"].isna()).tolist())
        assert gaps == table.gaps
        assert data.features["kind"].tolist() == table.columns[2]
        assert any(note.startswith("Counted as categories of 'kind'") for note in data.notes)
        kinds = load_data(path, missing={"kind": [mark]}).features["kind"]
        assert kinds.isna().tolist() == [text == mark for text in table.columns[2]]


def test_names_in_another_form_of_unicode_are_the_same(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("Gro\u0308\u00dfe,b\n" + "p,1.5\nq,2.5\n" * 20)
    assert codecs.encode(next(iter(load_data(path).roles)), "utf-8") == "Größe".encode()
    for typed in ("Gr\u00f6\u00dfe", "Gro\u0308\u00dfe"):
        assert load_data(path, target=typed).roles["Gr\u00f6\u00dfe"] == "target"


@pytest.mark.parametrize(
    "classes", [("none", "mild"), ("+", "-"), ("1.5", "2.5"), (str(2**53), str(2**53 + 1)),
                (str(10**17), str(10**17 + 1)), (str(2**64), str(2**64 + 1))]
)  # fmt: skip
def test_classes_stay_apart_as_they_are_written(tmp_path, n_files, classes):
    def with_classes(table):
        table.columns[3] = [classes[label == "q"] for label in table.columns[3]]
        return table.text()

    for table, path in files(tmp_path, n_files, with_classes):
        data = load_data(path, task="classification")
        assert list(map(str, data.target.tolist())) == table.columns[3]


def test_a_name_of_two_columns_is_refused_as_target(tmp_path, n_files):
    def with_name_again(table):
        table.names[int(table.rng.integers(0, 3))] = "y"
        return table.text()

    for _, path in files(tmp_path, n_files, with_name_again):
        for target in ("y", None):
            with pytest.raises(InvalidArgumentError, match="the name of 2"):
                load_data(path, target=target)


def test_long_whole_numbers_among_the_inputs_stay_apart(tmp_path, n_files):
    def with_long_numbers(table):
        start = 2 ** int(table.rng.integers(54, 70))
        table.columns[1] = [str(start + k // 2) for k in range(table.n_rows)]
        return table.text()

    for table, path in files(tmp_path, n_files, with_long_numbers):
        data = load_data(path)
        assert list(map(str, data.features["rooms"])) == table.columns[1]


@pytest.mark.parametrize("kind", ["commas", "blanks", "trailing", "comments", "weights", "sparse"])
def test_forms_of_arff_hold_the_same_values(tmp_path, n_files, kind):
    def arff(table):
        lines = [
            "@relation r", "@attribute size numeric", "@attribute rooms integer",
            "@attribute kind {a, 'b c', \"d,e\",}" if kind == "trailing" else
            "@attribute kind {a, 'b c', \"d,e\"}", "@attribute y {p, q}", "@data",
        ]  # fmt: skip
        table.columns[2] = [str(text) for text in table.rng.choice(["a", "b c", "d,e"],
                                                                   table.n_rows)]  # fmt: skip
        for k, row in enumerate(table.rows()):
            fields = [*row[:2], f"'{row[2]}'", row[3]]
            if kind == "sparse":
                pairs = [f"{i} {fields[i]}" for i in range(4) if fields[i] != "0"]
                lines.append(f"{{{', '.join(pairs)}}}")
            else:
                separator = {"blanks": "  ", "trailing": ",\t"}.get(kind, ",")
                behind = {"comments": f" % row {k}", "weights": f", {{{k % 5}.5}}"}.get(kind, "")
                lines.append(separator.join(fields) + behind)
        return "\n".join(lines) + "\n"

    for table, path in files(tmp_path, n_files, arff):
        path = path.rename(path.with_suffix(".arff"))
        data = load_data(path)
        assert data.features["size"].tolist() == list(map(float, table.columns[0]))
        assert data.features["rooms"].tolist() == list(map(int, table.columns[1]))
        assert data.features["kind"].tolist() == table.columns[2]
        assert data.target.tolist() == table.columns[3]
        if kind == "weights":
            weights = [k % 5 + 0.5 for k in range(table.n_rows)]
            assert np.asarray(data.sample_weight).tolist() == weights


def test_new_rows_of_a_file_are_read_as_the_first_ones(tmp_path, n_files):
    """All of them and few of them, whose own texts would be read in another way."""

    def with_marks(table):
        table.columns[0] = [number.replace(".", ",") for number in table.columns[0]]
        table.columns[1][3] = table.columns[2][5] = "?"
        return table.text("\t")

    for table, path in files(tmp_path, n_files, with_marks):
        data = load_data(path, roles={"rooms": "nominal"})
        assert_frame_equal(load_rows(path, data.reader), data.features)
        header, *lines = path.read_text().splitlines()
        start, end = int(table.rng.integers(0, 20)), int(table.rng.integers(21, 24))
        path.write_text("\n".join([header, *lines[start:end]]))
        expected = data.features.iloc[start:end].reset_index(drop=True)
        assert_frame_equal(load_rows(path, data.reader), expected)

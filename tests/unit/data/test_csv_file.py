import codecs
import csv
import gzip
from dataclasses import replace

import pytest

from bestofk.data.csv_file import read_csv
from bestofk.data.file_options import FileOptions
from bestofk.data.text_layout import find_layout
from bestofk.errors import InvalidArgumentError


@pytest.fixture
def read(write):
    def read_fingerprint(content):
        table = read_csv(write(content), "data")
        return replace(table, columns={name: c.to_list() for name, c in table.columns.items()})

    return read_fingerprint


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n3,5;4\n", ";"),
        ("a;b;c\n1,5;2,5;1\n", ";"),
        ("a\tb\n1\t2\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ('a,b\n"x;y",2\n"z;w",3\n', ","),
        ("a,b\n1,2\n3,4,5\n", ","),
        ("a b\n1 x\n2   y \n", " "),
        ("a b\n1 x y\n", ","),
        ("# by the lab; 2020\na,b\n1,2\n", ","),
        ("a\n1\n", ","),
        ('"a\nline",b\n1,2\n', ","),
    ],
)
def test_the_separator_is_sniffed(text, separator):
    assert find_layout(text, FileOptions()).separator == separator


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("ä,b\n1,2\n".encode(), "utf-8"),
        (codecs.BOM_UTF8 + "ä,b\n1,2\n".encode(), "utf-8-sig"),
        ("ä,b\n1,2\n".encode("utf-16"), "utf-16"),
        ("ä,b\n1,2\n".encode("cp1252"), "cp1252"),
        (b"\xe4,b\n\x81,2\n", "latin-1"),
        (gzip.compress("ä,b\n1,2\n".encode(), mtime=0), "utf-8"),
    ],
)
def test_the_encoding_is_sniffed(read, content, encoding):
    table = read(content)
    assert list(table.columns) == ["ä", "b"]
    assert table.notes[0] == f"Read data.csv as {encoding} with separator comma."


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        # empty fields are missing, and marks are left to the roles
        ("a,b\n?,x\n,NaN\n n/a ,y\n", {"a": ["?", None, "n/a"], "b": ["x", "NaN", "y"]}),
        # blank lines and blanks around fields do not count
        ("a, b\n\n 1 , 2\n,\n", {"a": ["1"], "b": ["2"]}),
        # rows of one filled field are rows
        (",b\n,x\n,y\n", {"b": ["x", "y"]}),
        # quoted fields may hold separators and line ends
        ('a,b\n"1,5","x\ny"\n', {"a": ["1,5"], "b": ["x\ny"]}),
        (
            'a\tb\n"one line\nand another"\t1\nc\t2\n',
            {"a": ["one line\nand another", "c"], "b": ["1", "2"]},
        ),
        # odd line ends of Unicode stay inside their field, old ones are line ends
        ("a,b\nx\u2028y,2\n", {"a": ["x\u2028y"], "b": ["2"]}),
        ("a,b\r1,2\r3,4\r", {"a": ["1", "3"], "b": ["2", "4"]}),
        # a nul in a field harms no other field
        (codecs.BOM_UTF16_LE + "a,b\nx\0y,2\n".encode("utf-16-le"), {"a": ["x\0y"], "b": ["2"]}),
        # an odd number of quotes inside fields is no open quote
        ('a,b\n5" pipe,2\n', {"a": ['5" pipe'], "b": ["2"]}),
        # names may begin with a hash, or be years
        ("#a,b\n1,2\n3,4\n", {"#a": ["1", "3"], "b": ["2", "4"]}),
        ("2019,2020\n5,6\n7,8\n", {"2019": ["5", "7"], "2020": ["6", "8"]}),
    ],
)
def test_fields_are_read_as_they_are(read, content, columns):
    assert read(content).columns == columns


@pytest.mark.parametrize(
    ("content", "note"),
    [
        ("# made\n# today\na,b\n1,2\n3,4\n", "above the table: 2 lines, '# made' ...."),
        ("Export of the lab\na,b\n1,2\n3,4\n", "above the table: 1 line, 'Export of the lab'."),
        ("a title,\na,b\n1,2\n3,4\n", "above the table: 1 line, 'a title'."),
        ("a,b\n1,2\n# checked\n3,4\n", "as comments: 1 line, '# checked'."),
    ],
)
def test_titles_and_remarks_are_left_out_with_a_note(read, content, note):
    table = read(content)
    assert table.columns == {"a": ["1", "3"], "b": ["2", "4"]}
    assert f"Left out {note}" in table.notes + table.warnings


def test_empty_fields_behind_the_last_column_are_left_out(read):
    table = read("a,b\n1,2,\n3,4,,\n")
    assert table.columns == {"a": ["1", "3"], "b": ["2", "4"]}
    assert table.notes[1] == "Left out: empty fields after the last column in 2 rows."


def test_the_separator_that_a_spreadsheet_declares_is_taken(read):
    table = read("sep=;\r\na;b\r\n1,5;2\r\n")
    assert table.columns == {"a": ["1,5"], "b": ["2"]}
    with pytest.raises(InvalidArgumentError, match="line 3 of"):
        read("sep=;\na;b\n1;2;3\n")


def test_columns_may_be_separated_by_runs_of_blanks(read):
    table = read('  len  name\n  1.5  "a b" \n 10.5  c\n')
    assert table.columns == {"len": ["1.5", "10.5"], "name": ["a b", "c"]}
    assert table.notes == ("Read data.csv as utf-8 with separator blanks.",)


def test_a_file_without_header_gets_column_names(read):
    table = read("5.1,3.5,setosa\n4.9,3.0,setosa\n6.2,2.9,other\n")
    assert table.columns["x3"] == ["setosa", "setosa", "other"]
    assert table.notes[1] == (
        "The first line looks like data, so columns are called x1, x2, ... (--header reads it as "
        "names)."
    )


def test_names_are_made_different_and_nameless_empty_columns_left_out(read):
    table = read("a,a,,\n1,2,3,\n4,5,6,\n")
    assert list(table.columns) == ["a_1", "a_2", "column3"]
    assert table.notes[1:5] == (
        "Column 1, written 'a', is called 'a_1'.",
        "Column 2, written 'a', is called 'a_2'.",
        "Column 3 has no name; it is called 'column3'.",
        "Column 4 has neither name nor values; left out.",
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "must hold rows; got an empty file"),
        (" \n\n", "must hold rows; got an empty file"),
        ("a,b\n", "at least one row below its header; got the header only"),
        (",\n,\n", "must hold rows; got separators only"),
        ("a,b\n1,2\n\n3\n", "line 4 of .*data.csv must have 2 fields, .*; got 1"),
        ("a,b\n1,2,3\n", "line 2 of .* must have 2 fields, .*; got 3"),
        ("a,b\n3,4\n3\n", "line 3 of .* must have 2 fields, .*; got 1"),
        ("a,b,c\n1,2,3\n4,5,6\n\nSource: x\nNote: y, z, u\n", "--skip-footer 2"),
        ('a,b\n1,2\n3,"4\n5,6\n', "line 3 .* must close the quote that it opens; .* line 4"),
        ('a,b,c\n1,2,3\n3,"4\n5,6,7\n', "line 3 .* must close the quote that it opens"),
        (b"PK\x03\x04\0\0", "must be a text file; got binary content. Save the table as CSV"),
        (codecs.BOM_UTF16_LE + b"a", "must be text in utf-16"),
        (gzip.compress(b"a,b\n1,2\n", mtime=0)[:-12], "must be readable; got"),
    ],
)
def test_files_that_are_no_table_get_one_sentence(read, content, message):
    with pytest.raises(InvalidArgumentError, match=message):
        read(content)


@pytest.mark.parametrize("value", ["1.5", "red"])
@pytest.mark.parametrize("n_lines", [3, 5000])
def test_a_header_that_comes_again_is_left_out(read, value, n_lines):
    part = "a,b,y\n" + f"{value},2.5,yes\n{value}5,3.5,no\n" * n_lines
    table = read(part + part + part)
    assert list(table.columns) == ["a", "b", "y"]
    assert len(table.columns["b"]) == 6 * n_lines
    assert table.warnings == ("Left out: 2 rows that repeat the column names.",)


def test_names_among_values_are_no_header(read):
    assert len(read("a\na\nb\na\n").columns["a"]) == 3
    assert "x1" in read("a,b\n" + "a,c\nd,b\n" * 3).columns


def test_fields_beyond_the_limit_of_the_reader_get_one_sentence(read):
    limit = csv.field_size_limit(100)  # a setting of the whole process
    try:
        with pytest.raises(InvalidArgumentError, match=r"larger than .* Leave the column of"):
            read("a,b\n1," + "x" * 101)
    finally:
        csv.field_size_limit(limit)


def test_many_like_notes_are_one_with_a_count(read):
    table = read(",".join(["same"] * 2_000) + "\n" + ",".join(["1.5"] * 2_000))
    assert list(table.columns)[-1] == "same_2000"
    assert table.notes[1:] == (
        "Column 1, written 'same', is called 'same_1'; 1,999 notes like this one.",
    )


def test_lines_of_one_text_and_a_total_below_the_table_are_left_out(read):
    lines = ["a,b,c", "x,2,1", "y,4,5", "Total:,6,6", "Source: us,,", "printed today, by hand"]
    table = read("\n".join(lines))
    assert table.columns["a"] == ["x", "y"]
    assert table.warnings == (
        "Left out as not part of the table: 2 lines, such as 'Source: us'.",
        "Left out: 1 row of totals at the end ('Total:'); --skip-footer 0 keeps it.",
    )


@pytest.mark.parametrize(
    "text",
    [
        "a,b,c\n1,2,x\n5,,\n",  # a number with gaps behind it
        "a,b\nx,1\ny,\n",  # a row of one value of two
        "a,b,c\nTotal,2,x\n5,4,y\n",  # not the last row
        "a,b,c\n1,2,x\ntotal,4,y\n",  # not the sum
        "a,b,c\n1,2,x\n\n3,4,y\n",  # behind a blank line
    ],
)
def test_rows_that_may_be_data_stay(read, text):
    assert len(read(text).columns["a"]) == 2


def test_plain_files_lose_a_total_as_others_do(write):
    path = write("a,b,c\n" + "x,2.5,3\n" * 300 + "total,750.0,900\n")
    for texts in ((), None):
        assert len(read_csv(path, "data", texts=texts).columns["b"]) == 300


def test_ticks_and_empty_fields_are_two_values(read):
    table = read("a,b\nx,1\n,2\nX,3\n")
    assert table.columns["a"] == ["x", "blank", "X"]
    assert table.notes[1:] == ("Ticked or empty, an empty field read as 'blank': 'a'.",)
    assert read("a,b\nx,1\n,2\ny,3\n").columns["a"] == ["x", None, "y"]


def test_what_makes_a_cell_a_text_is_taken_away(read):
    table = read('a,b,c\n\'12,"=""007""",\'90\n\'7,"=""12""",u\n')
    assert table.columns == {"a": ["12", "7"], "b": ["007", "12"], "c": ["'90", "u"]}
    assert table.notes[1] == "Read without the apostrophe or =\"...\" around each: 'a', 'b'."


def test_one_column_behind_row_names_without_a_title_has_its_name(read):
    table = read('"","x"\n' + "".join(f'"k{k}",{k / 7:.3f}\n' for k in range(30)))
    assert list(table.columns) == ["column1", "x"]
    assert len(table.columns["x"]) == 30
    assert not table.warnings


def test_two_words_in_each_row_are_one_text_unless_the_first_names_the_row(read):
    assert read("0\n" + "Digit 2\nDigit 7\n" * 20).columns == {"0": ["Digit 2", "Digit 7"] * 20}
    named = read('"x"\n' + "".join(f'"{k}" {k / 7:.3f}\n' for k in range(30)))
    assert list(named.columns) == ["rownames", "x"]


def test_a_quote_in_a_text_closes_nothing_where_every_line_is_a_row(read):
    texts = [f"the {word} line of words" for word in ["first", "second", "third", "fourth"]]
    texts[1], texts[3] = f'"{texts[1]}', f'"quite" {texts[3]}'
    lines = [f"{text}\t{number}" for number, text in enumerate(texts)]
    lines = ["said\tn", *lines, '"a text in quotes, and more"\t4', *lines]
    table = read("\n".join(lines) + "\n")
    assert len(table.columns["n"]) == 9
    texts[3] = texts[3].replace('"', "")  # closed within its line
    assert table.columns["said"][:5] == [*texts, "a text in quotes, and more"]
    assert "quotes that span lines were read as text" in table.notes[1]


def test_a_first_line_of_a_text_and_a_label_is_data(read):
    rows = [f"this is text number {n}\t{n % 2}" for n in range(30)]
    assert list(read("\n".join(rows) + "\n").columns) == ["x1", "x2"]
    named = read("\n".join(["what do you say\tlabel", *rows]) + "\n")
    assert list(named.columns) == ["what do you say", "label"]

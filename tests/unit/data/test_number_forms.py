"""Numbers in text files, read by all evidence of the file or not at all."""

import pytest

from bestofk.data import load_data
from bestofk.data.number_forms import FileForms, possible_forms
from bestofk.errors import InvalidArgumentError


def table(separator, *columns):
    """Return a text table: a first column of labels, then the given columns of texts."""
    rows = [["label", *(f"c{i}" for i in range(len(columns)))]]
    rows += [[f"k{i % 2}", *texts] for i, texts in enumerate(zip(*columns, strict=True))]
    quoted = [[f'"{text}"' if separator in text else text for text in row] for row in rows]
    return "\n".join(separator.join(row) for row in quoted) + "\n"


@pytest.mark.parametrize(
    ("separator", "columns", "numbers"),
    [
        # what the separator of the file says
        (",", [["55,425", "61,300"]], [55425, 61300]),
        (",", [["-55,425", "+61,300"]], [-55425, 61300]),
        (";", [["55,425", "61,301"]], [55.425, 61.301]),
        (";", [["1.500", "2.250", "7.125"], ["1,5", "2", "3"]], [1500, 2250, 7125]),
        (",", [["1.500", "2.250"]], [1.5, 2.25]),
        ("\t", [["1.500", "2.250"]], [1.5, 2.25]),
        # signs of currencies and percent
        (",", [["$261,468", "$55,425"]], [261468, 55425]),
        ("\t", [["$261,468", "$55,425"]], [261468, 55425]),
        ("|", [["£261,468", "£55,425"]], [261468, 55425]),
        (";", [["12,345 %", "45,678 %"]], [12.345, 45.678]),
        ("\t", [["12,345%", "45,678%"]], [12.345, 45.678]),
        (";", [["261.468,00 €", "55.425,50 €"]], [261468, 55425.5]),
        (",", [["CHF 1'234.50", "CHF 980.00"]], [1234.5, 980]),
        # what a single value proves for its column
        (";", [["55,425", "1,261,468"]], [55425, 1261468]),
        (",", [["0,125", "55,425"]], [0.125, 55.425]),
        (",", [["55,42", "55,425"]], [55.42, 55.425]),
        (",", [["1234,567", "55,425"]], [1234.567, 55.425]),
        (";", [["1,234.5", "55,425"]], [1234.5, 55425]),
        (";", [["1.234,5", "55,425"]], [1234.5, 55.425]),
        (";", [["1.234.567", "55.425"]], [1234567, 55425]),
        (",", [["0.125", "55.425"]], [0.125, 55.425]),
        (";", [["1 234,5", "55,425"]], [1234.5, 55.425]),
        (";", [["1'234", "55.425"]], [1234, 55.425]),
        (",", [["1,2e3", "55,425"]], [1200, 55.425]),
        # a number that ends in 0 behind the comma, next to one without a comma
        ("\t", [["1,500", "900"]], [1500, 900]),
        # points of a file separated by commas, whatever stands next to them
        (",", [["1.500", "2"]], [1.5, 2]),
        # parentheses of accounts
        (",", [["(1,500)", "$2,250", "($3.50)", "4"]], [-1500, 2250, -3.5, 4]),
        # what other columns of the file prove
        (";", [["55,425", "61,300"], ["3.5", "4.25"]], [55425, 61300]),
        (",", [["55,425", "61,300"], ["3,5", "4,25"]], [55.425, 61.3]),
        ("\t", [["55,425", "61,300"], ["3,5", "4,25"]], [55.425, 61.3]),
        ("\t", [["55,425", "61,300"], ["3.5", "4.25"]], [55425, 61300]),
        ("\t", [["55.425", "61.300"], ["3,5", "4,25"]], [55425, 61300]),
        ("\t", [["55,425", "61,300"], ["1.234,5", "7"]], [55.425, 61.3]),
        ("\t", [["55,425", "61,300"], ["1,234.5", "7"]], [55425, 61300]),
        # texts prove nothing
        (",", [["55,425", "61,300"], ["v 3,5", "v 4,5"]], [55425, 61300]),
        # signs and marks of other kinds
        (",", [["-$3", "$-4"]], [-3, -4]),
        (",", [["\u22121.5", "2"]], [-1.5, 2]),
        (",", [["1\u202f500,25", "3"]], [1500.25, 3]),
        (",", [["1\u2019500", "3"]], [1500, 3]),
    ],
)
def test_numbers_are_read_by_the_evidence_of_the_file(write, separator, columns, numbers):
    data = load_data(write(table(separator, *columns)), target="label")
    n = len(numbers)
    assert data.features["c0"].tolist()[:n] == numbers


@pytest.mark.parametrize(
    ("separator", "columns", "as_decimal", "as_thousands"),
    [
        ("\t", [["55,425", "61,301"]], "55.425", "55425"),
        ("|", [["55,425", "61,301"]], "55.425", "55425"),
        (" ", [["55,425", "61,301"]], "55.425", "55425"),
        ("\t", [["55,425", "901"]], "55.425", "55425"),
        (";", [["55.425", "61.301"]], "55.425", "55425"),
        # evidence that points both ways
        (";", [["$55,425", "$61,301"]], "55.425", "55425"),
        (",", [["55,425 %", "61,301 %"]], "55.425", "55425"),
        (";", [["1,500", "900"]], "1.5", "1500"),
        ("\t", [["55,425", "61,301"], ["3.5", "4.5"], ["3,5", "4,5"]], "55.425", "55425"),
    ],
)
def test_numbers_of_two_readings_are_refused_with_both(
    write, separator, columns, as_decimal, as_thousands
):
    content = table(separator, *columns)
    sample = next(text for text in columns[0] if not text.isdecimal())
    mark = "," if "," in sample else "."
    with pytest.raises(InvalidArgumentError, match="must have one reading") as refusal:
        load_data(write(content), target="label")
    message = str(refusal.value)
    assert f"numbers of column 'c0' must have one reading; got {sample!r}, which" in message
    assert f"is {as_decimal} if the" in message
    assert f"is a decimal {'comma' if mark == ',' else 'point'}, and {as_thousands}" in message
    assert f"--decimal {mark!r} or --thousands {mark!r}" in message


def test_a_target_of_two_readings_is_refused_and_a_dropped_column_is_not(write):
    path = write(table("\t", ["55,425", "61,301"], ["1", "2"]))
    with pytest.raises(InvalidArgumentError, match="column 'c0' must have one reading"):
        load_data(path, target="c0")
    assert load_data(path, target="label", drop=["c0"]).n_features == 1
    assert load_data(path, target="label", groups="c0").groups.tolist() == ["55,425", "61,301"]
    nominal = load_data(path, target="label", roles={"c0": "nominal"}).features["c0"]
    assert nominal.tolist() == ["55,425", "61,301"]
    with pytest.raises(InvalidArgumentError, match="column 'c0' must have one reading"):
        load_data(path, target="label", roles={"c0": "numeric"})
    with pytest.raises(InvalidArgumentError, match="column 'c0' must have one reading"):
        load_data(path, target="label", weights="c0")


@pytest.mark.parametrize(
    ("options", "numbers"),
    [
        ({"decimal": ","}, [55.425, 61.301]),
        ({"decimal": "."}, [55425, 61301]),
        ({"thousands": ","}, [55425, 61301]),
        ({"thousands": "."}, [55.425, 61.301]),
        ({"thousands": "'", "decimal": ","}, [55.425, 61.301]),
    ],
)
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_an_option_settles_every_column_of_the_file(write, separator, options, numbers):
    columns = [["55,425", "61,301"], ["71,425", "81,301"], ["3.5", "4.5"]]
    data = load_data(write(table(separator, *columns)), target="label", **options)
    assert data.features["c0"].tolist() == numbers
    unit = 1 if numbers[0] < 99 else 1000
    assert data.features["c1"].tolist() == [numbers[0] + 16 * unit, numbers[1] + 20 * unit]
    assert data.features["c2"].tolist() == [3.5, 4.5]  # no other reading


def test_a_column_that_the_option_does_not_fit_is_named(write):
    path = write(table(";", ["3.5", "4.25"]))
    warned = load_data(path, target="label", decimal=",").warnings[0]
    assert warned == "Column 'c0': numbers, because a decimal comma does not fit; numeric."


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decimal": ";"}, "decimal must be one of '.', ','; got ';'"),
        ({"thousands": "x"}, "thousands must be one of ',', '.', "),
        ({"decimal": ",", "thousands": ","}, "must be different marks; got ',' for both"),
    ],
)
def test_options_that_are_no_marks_are_refused(write, options, message):
    with pytest.raises(InvalidArgumentError, match=message):
        load_data(write(table(",", ["1", "2"])), **options)


@pytest.mark.parametrize(
    ("content", "note"),
    [
        ("a,y\n1,x\n2,z\n", "Target: 'y' (by its name), read as labels."),
        ("a,y\n1,3\n2,4\n", "Target: 'y' (by its name), read as whole numbers."),
        ("a,y\n1,3.5\n2,4\n", "Target: 'y' (by its name), read as numbers."),
        (
            "a;y\n1;3,5\n2;4\n5;4,25\n",
            "Target: 'y' (by its name), read as numbers with decimal comma: '3,5' is 3.5, "
            "'4,25' is 4.25.",
        ),
        (
            'a,y\n1,"$261,468"\n2,"$55,425"\n3,"$7,400"\n',
            "Target: 'y' (by its name), read as numbers with thousands separated by ',' and the "
            "sign '$': '$261,468' is 261468, '$55,425' is 55425, because the file is separated by "
            "commas; --decimal or --thousands overrides this.",
        ),
        (
            "a;b;y\n1;1,5;1.234\n2;2,5;5.678\n",
            "Target: 'y' (by its name), read as numbers with thousands separated by '.' and "
            "decimal comma: '1.234' is 1234, '5.678' is 5678, because column 'b' uses it.",
        ),
    ],
)
def test_how_the_target_was_read_is_always_shown(write, content, note):
    assert note in load_data(write(content)).notes


def test_how_an_asked_target_was_read_is_shown(write):
    notes = load_data(write("a;b\n1;1,5\n2;2,5\n"), target="b").notes
    assert notes[1].startswith("Target: 'b' (as asked for), read as numbers with decimal comma:")


def test_what_settled_two_readings_of_an_input_is_shown(write):
    data = load_data(write(table(",", ["55,425", "61,300"])), target="label")
    assert data.warnings[0] == (
        "Column 'c0': numbers with thousands separated by ',' ('55,425' is 55425, '61,300' is "
        "61300), because the file is separated by commas; --decimal or --thousands overrides this; "
        "numeric."
    )


@pytest.mark.parametrize("mark", ["k.A.", "n/a", "-", "#NV", "n.a.", "--", "\u2013", "unknown"])
def test_a_stray_missing_mark_leaves_numbers_numbers(write, mark):
    data = load_data(write(f"a;b\n1,5;x\n{mark};y\n2,5;x\n3;y\n"))
    assert data.roles["a"] == "numeric"
    assert data.features["a"].isna().tolist() == [False, True, False, False]
    said = [note for note in data.notes if "aken as missing" in note]
    assert len(said) == 1
    assert repr(mark) in said[0]


def test_words_for_missing_stay_categories_among_texts(write):
    data = load_data(write("a,b\nred,x\nunknown,y\nblue,x\n"))
    assert data.features["a"].tolist() == ["red", "unknown", "blue"]


def test_a_stray_mark_among_dates_or_whole_numbers_is_missing(write):
    data = load_data(write("a,b,c\n31.12.2020,1,x\nfehlt,fehlt,y\n30.11.2021,3,x\n"))
    assert (data.roles["a"], data.roles["b"]) == ("date", "numeric")
    assert data.features.isna().sum().tolist() == [1, 1]
    assert "Taken as missing: 'fehlt' 2 times." in data.notes


def test_a_text_in_a_tenth_of_the_rows_is_missing_and_named(write):
    texts = [f"{i},5" for i in range(9)]
    data = load_data(write(table(";", [*texts, "pending"])), target="label")
    assert data.roles["c0"] == "numeric"
    assert "'pending' 1x, taken as missing" in data.warnings[0]


def test_a_real_mixture_keeps_its_texts(write):
    texts = [f"{i},5" for i in range(6)] * 2 + ["low", "high", "high", "low"]
    data = load_data(write(table(";", texts)), target="label")
    assert data.roles["c0"] == "nominal"
    assert data.features["c0"].tolist() == texts
    assert data.warnings[-1] == (
        "Column 'c0': numbers mixed with texts ('low' 2x, 'high' 2x; \"numeric\" takes these as "
        "missing); nominal, each number a level."
    )


def test_points_of_an_ordinary_file_need_no_reason(write):
    data = load_data(write(table(",", ["1.234", "5.678"], ["1", "2.125"])), target="label")
    assert data.notes[-1] == "Columns 'c0', 'c1': numbers; numeric."
    assert data.warnings == ()


def test_numbers_of_the_same_column_in_two_forms_are_texts_with_a_warning(write):
    data = load_data(write(table(";", ["3,5", "4.5", "3,5", "4.5"])), target="label")
    assert "numbers in several formats ('3,5' and '4.5'); nominal" in data.warnings[-1]


def test_texts_in_a_target_of_numbers_are_named_when_it_is_refused(write):
    rows = "".join(f"{i},{i}.5\n" for i in range(30))
    path = write("a,y\n" + rows + "7,pending\n8,pending\n9,unknown\n")
    message = r"'y' must have .*; got 3 missing \('pending' 2x, 'unknown' 1x\)"
    with pytest.raises(InvalidArgumentError, match=message):
        load_data(path)
    data = load_data(path, drop_missing_target=True)
    assert data.task == "regression"
    assert data.n_samples == 30
    assert load_data(path, roles={"y": "nominal"}).task == "classification"


@pytest.mark.parametrize("texts", [[], ["1e999"], ["9" * 400], ["12,34,567"], ["1.2.3"]])
def test_more_forms_do_not_fit_than_can_be_read(texts):
    assert possible_forms(texts) == ()


def test_long_fields_take_linear_time():
    forms = possible_forms(["1" * 100_000 + "x"]) or possible_forms(["1,5" + " " * 100_000 + "x"])
    assert forms == ()
    assert FileForms({"a": {"1" * 100_000 + "x": 1}}).of("a") is None

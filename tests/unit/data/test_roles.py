from collections import Counter

import pandas as pd
import pytest

from bestofk.data import check_comparable, load_data
from bestofk.data.columns import build_column, choose_column_role
from bestofk.data.load import load_rows
from bestofk.data.roles import choose_role
from bestofk.data.table_columns import FreeText
from bestofk.data.written_columns import TextColumn
from bestofk.errors import InvalidArgumentError


def spread(levels, n_rows):
    return Counter(f"level {row % levels}" for row in range(n_rows))


@pytest.mark.parametrize(
    ("name", "texts", "role", "reason"),
    [
        ("a", [], "drop", "no value at all; dropped"),
        ("a", ["1.5", "-2", "+3e4", ".5"], "numeric", "numbers; numeric"),
        ("a", ["1,5", "2"], "numeric", "numbers with decimal comma; numeric"),
        ("a", ["1,500", "2,250", "900"], "numeric", "because '1,500' stands next to '900'"),
        ("a", ["1,500", "2,250,000"], "numeric", "thousands separated by ','; numeric"),
        ("a", ["1.500.000", "2,5"], "numeric", "thousands separated by '.' and decimal comma"),
        ("a", ["1 500", "250"], "numeric", "thousands separated by blanks"),
        ("a", ["1'500.5", "250"], "numeric", "thousands separated by apostrophes"),
        ("a", ["12 %", "7.5%"], "numeric", "numbers with the sign '%'; numeric"),
        ("a", ["$1,200.50", "-$3", "$ 4"], "numeric", "by ',' and the sign '$'; numeric"),
        ("a", ["\u22121.5", "2"], "numeric", "numbers; numeric"),
        ("a", ["3 $", "4 €"], "nominal", "numbers in several formats ('3 $' and '4 €')"),
        ("a", ["1,5", "1.5 %"], "nominal", "numbers in several formats"),
        ("a", ["10.0.0.1", "10.0.0.2"], "nominal", "texts; nominal"),
        ("a", ["1e999", "2"], "nominal", "numbers mixed with texts ('1e999' 1x; "),
        ("a", [f"{v}.5" for v in range(30)] + ["unclear"] * 9, "numeric", "'unclear' 9x, taken"),
        ("a", [f"{v}.5" for v in range(30)] + ["u"], "numeric", "but for 'u' 1x, taken"),
        ("a", [f"{v}.5" for v in range(30)] + list("uvwxy"), "drop", "as missing); dropped"),
        ("a", ["Yes", "YES", "no"], "boolean", "the words no and yes; boolean"),
        ("a", ["1", "2", "2"], "numeric", "whole numbers with at most 20 different values"),
        ("a", [str(v * v) for v in range(30)], "numeric", "whole numbers; numeric"),
        ("a", ["007", "012"], "nominal", "leading zeros"),
        ("zip", ["80331", "10115"], "nominal", "named as codes"),
        ("homePlz", ["80331", "10115"], "nominal", "named as codes"),
        ("id", ["4", "9", "11"], "drop", "named as an identifier"),
        ("PatientID", ["4", "9", "11"], "drop", "named as an identifier"),
        ("row_nr", ["4", "9", "11"], "drop", "named as an identifier"),
        ("width", ["4", "9", "11"], "numeric", "whole numbers"),
        ("id", ["1.5", "2.5"], "numeric", "numbers; numeric"),
        ("id", ["4", "4", "11"], "numeric", "whole numbers"),
        ("id", [*map(str, range(0, 300, 3)), "0", "3"], "numeric", "whole numbers"),
        ("a", [str(v) for v in range(1, 40)], "drop", "that count the rows"),
        ("a", [str(v) for v in range(4)], "drop", "that count the rows"),
        ("a", [str(v) for v in range(7, 40)], "numeric", "whole numbers"),
        ("a", [str(v) for v in range(39, 0, -1)], "numeric", "whole numbers"),
        ("age", [str(v) for v in range(1, 40)], "numeric", "whole numbers"),
        ("Time (s)", [str(v) for v in range(40)], "numeric", "whole numbers"),
        ("Number of rooms", ["4", "9", "11"], "numeric", "whole numbers"),
        ("row names", ["4", "9", "11"], "numeric", "whole numbers"),
        ("a", ["20190131", "20190201"], "date", "dates, %Y%m%d"),
        ("a", ["20190131", "20190231"], "numeric", "whole numbers"),
        ("a", [str(10**18 + v) for v in range(3)], "nominal", "too long to be exact"),
        ("a", ["12345678901234567890", "12345678901234567891"], "nominal", "too long to be"),
        ("a", ["9" * 5000, "9" * 4999 + "8"], "nominal", "too long to be exact"),
        ("a", ["yes", "no", "no"], "boolean", "the words no and yes; boolean"),
        ("a", ["True", "FALSE"], "boolean", "boolean"),
        ("a", ["oui", "non"], "boolean", "boolean"),
        ("a", ["no", "no"], "nominal", "texts; nominal"),
        ("a", ["2020-02-29", "2021-12-31"], "date", "dates, %Y-%m-%d"),
        ("a", ["2020-02-29T12:00:00Z", "2021-12-31"], "date", "dates, %Y-%m-%d"),
        ("a", ["31.12.2021", "1.1.2022"], "date", "dates, %d.%m.%Y"),
        ("a", ["12/31/2021", "1/1/2022"], "date", "dates, %m/%d/%Y"),
        ("a", ["31/12/2021", "1/1/2022"], "date", "dates, %d/%m/%Y"),
        ("a", ["2021-02-30"], "nominal", "texts; nominal"),
        ("a", ["30.2.2021"], "nominal", "texts; nominal"),
        ("a", [f"t{v}" for v in range(21)], "drop", "dropped as an identifier"),
        ("a", [f"t{v}" for v in range(20)], "nominal", "texts; nominal"),
        ("a", [f"t{v}" for v in range(21)] + ["t0"], "drop", "more than half of them different; d"),
        ("a", ["red"] * 19 + ["7"], "nominal", "texts; nominal"),
        ("a", ["1", "2"] * 30 + ["none known"], "nominal", "mixed with texts ('none known' 1x; "),
    ],
)
def test_each_rule_gives_its_role(name, texts, role, reason):
    choice = choose_role(name, Counter(texts))
    assert choice.role == role
    assert reason in choice.reason


def test_many_levels_are_kept_and_warned_of():
    choice = choose_role("a", spread(51, 510))
    assert choice.role == "nominal"
    assert choice.is_warning
    assert choice.reason == (
        "51 different texts, 0 of them in one or two rows each; nominal, which becomes many columns"
    )
    assert not choose_role("a", spread(50, 500)).is_warning


def test_mostly_rare_levels_are_kept_and_warned_of():
    counts = Counter({"common": 80, "d": 9, **{f"{k}x": 1 + k % 2 for k in range(18)}})
    assert not choose_role("a", counts).is_warning  # 20 levels
    assert choose_role("a", counts + Counter("ef")).is_warning


def test_columns_are_fed_by_role():
    texts = ["2", None, "10"]
    assert build_column("a", TextColumn.of(texts), "numeric")[0].tolist()[::2] == [2.0, 10.0]
    assert build_column("a", TextColumn.of(["2", "10"]), "numeric")[0].dtype == "int64"
    nominal = build_column("a", TextColumn.of(texts), "nominal")[0]
    assert list(nominal.cat.categories) == ["2", "10"]
    assert nominal.isna().tolist() == [False, True, False]
    assert build_column("a", TextColumn.of(texts), "ordinal")[0].cat.ordered


def test_dates_are_days_since_1970_with_fractions():
    texts = ["1970-01-02", "1970-01-02T12:00:00+00:00", None]
    days = build_column("a", TextColumn.of(texts), "date")[0]
    assert days.tolist()[:2] == [1.0, 1.5]
    assert pd.isna(days[2])
    # of two readings, day first when asked for
    assert build_column("a", TextColumn.of(["2/1/1970"]), "date")[0].tolist() == [1.0]


def test_values_that_cannot_be_read_are_said_to_be_missing():
    column, sentence = build_column("a", TextColumn.of(["1", "2", "odd", "odd"]), "numeric")
    assert column.isna().sum() == 2
    assert sentence == (
        "Column 'a': 2 of 4 values cannot be read as numbers, such as 'odd'; taken as missing."
    )
    column, sentence = build_column("a", TextColumn.of(["1970-01-03", "soon"]), "date")
    assert column[0] == 2.0
    assert sentence == (
        "Column 'a': 1 of 2 values cannot be read as dates, such as 'soon'; taken as missing."
    )


def test_numbers_among_texts_keep_their_form():
    column, sentence = build_column("a", TextColumn.of(["1,5", "2,5", "unknown", None]), "numeric")
    assert column.tolist()[:2] == [1.5, 2.5]
    assert "1 of 4 values" in sentence


@pytest.mark.parametrize(
    ("role", "message"),
    [
        ("numeric", "column 'a' must hold numbers for this role; got 'u'"),
        ("date", "column 'a' must hold dates for this role; got 'u'"),
        ("boolean", "column 'a' must hold two different values to be boolean; got 3"),
    ],
)
def test_roles_that_no_value_carries_are_refused(role, message):
    with pytest.raises(InvalidArgumentError, match=message):
        build_column("a", TextColumn.of(["u", "v", "w"]), role)


@pytest.mark.parametrize(
    ("series", "role"),
    [
        (pd.Series([1, 2]), "numeric"),
        (pd.Series([1, None], dtype="Int64"), "numeric"),
        (pd.Series([True, False]), "boolean"),
        (pd.Series([True, None], dtype="boolean"), "boolean"),
        (pd.Series(["a", None]), "nominal"),
        (pd.Series(["a", 1], dtype=object), "nominal"),
        (pd.Series(pd.Categorical(["a", "b"])), "nominal"),
        (pd.Series(pd.Categorical(["a", "b"], ordered=True)), "ordinal"),
        (pd.Series(pd.to_datetime(["2020-01-01"])), "date"),
        (pd.Series([pd.Timestamp("2020-01-01").date()], dtype=object), "date"),
        (pd.Series([__import__("decimal").Decimal("1.5"), None], dtype=object), "numeric"),
    ],
)
def test_types_are_trusted(series, role):
    assert choose_column_role("a", series).role == role
    assert len(build_column("a", series, role)[0]) == len(series)


def test_typed_columns_can_be_given_another_role():
    assert build_column("a", pd.Series([1.0, 2.5]), "nominal")[0].tolist() == ["1", "2.5"]
    levels = pd.Series(pd.Categorical(["low", "high"], categories=["low", "high"]))
    ordinal = build_column("a", levels, "ordinal")[0]
    assert ordinal.cat.ordered
    assert list(ordinal.cat.categories) == ["low", "high"]
    dates = pd.Series(pd.to_datetime(["1970-01-02 06:00"]))
    assert build_column("a", dates, "date")[0].tolist() == [1.25]


def test_columns_of_other_things_are_refused():
    with pytest.raises(InvalidArgumentError, match=r"column 'a' must be made of .*; got list"):
        choose_column_role("a", pd.Series([[1], [2]]))


def test_a_column_without_values_is_dropped_with_a_note(write):
    data = load_data(write("a,b,c\n,1,x\n,2,y\n"))
    assert data.roles["a"] == "drop"
    assert "Column 'a': no value at all; dropped." in data.notes
    assert not any("'a'" in warning for warning in data.warnings)


def test_numbers_with_leading_zeros_next_to_texts_are_codes():
    choice = choose_role("departement", Counter({f"{k:02d}": 5 for k in range(1, 96)} | {"2A": 4}))
    assert (choice.role, choice.reason.partition(",")[0]) == ("nominal", "96 different texts")


def test_amounts_in_two_currencies_are_dropped_for_what_they_are():
    counts = Counter([f"${k}.50" for k in range(20)] + [f"€{k}.50" for k in range(20)])
    choice = choose_role("price", counts)
    assert choice.role == "drop"
    assert choice.reason.startswith("numbers in several formats ('$0.50' and '€9.50'); dropped")


@pytest.mark.parametrize(
    ("texts", "role", "reason"),
    [
        (["5-Jan-24", "16-Mar-24"], "date", "dates, %d-%b-%y"),
        (["Jan 5, 2024", "March 16, 2024"], "date", "dates, %b %d, %Y"),
        (["1/15/2024 2:05 PM", "3/4/2024 11:00 AM"], "date", "dates, %m/%d/%Y"),
        (["2024-01-05", "16.3.2024"], "date", "in several formats ('16.3.2024' and '2024-01-05')"),
        (["2024-01-05", "3/4/2024"], "drop", 'of two readings; dropped ("date" reads the day'),
        (["2024-01-05", "soon"], "nominal", "texts; nominal"),
    ],
)
def test_dates_in_other_forms_are_seen(texts, role, reason):
    choice = choose_role("a", Counter(texts))
    assert choice.role == role
    assert reason in choice.reason


def test_dates_of_any_year_are_days(write):
    data = load_data(write("until,kind\n9999-12-31,x\n0001-01-01,y\n1970-01-02,x\n"))
    assert data.features["until"].tolist() == [3652059 - 719163, 1 - 719163, 1]
    assert "among them '9999-12-31' 1x, which often stands for \"no end\"" in data.warnings[0]


def test_free_text_is_read_unless_it_is_left_out(write):
    rows = "".join(f"a film of about {i} words,{'ab'[i % 2]}\n" for i in range(30))
    path = write("review,kind\n" + rows)
    data = load_data(path)
    assert data.roles["review"] == "text"
    assert data.features["review"].tolist()[:2] == [
        "a film of about 0 words", "a film of about 1 words",
    ]  # fmt: skip
    assert data.reading[-1] == (
        "Column 'review': free text, read word by word (--role review=drop leaves it out)."
    )
    assert not any("review" in warning for warning in data.warnings)
    assert load_data(path, roles={"review": "nominal"}).features["review"].nunique() == 30
    with pytest.raises(InvalidArgumentError, match=r"got none \(left out: 'review'\)") as refusal:
        check_comparable(load_data(path, roles={"review": "drop"}))
    assert "nominal" not in str(refusal.value)


def test_the_role_text_holds_for_any_column_and_gaps_are_empty_texts(write):
    path = write("tag,code,y\nred wine,7,a\n,8,b\nred wine,,a\nNA,9,b\n")
    data = load_data(path, roles={"tag": "text", "code": "text"})
    assert data.features["tag"].tolist() == ["red wine", "", "red wine", "NA"]
    assert data.features["code"].tolist() == ["7", "8", "", "9"]
    assert all(type(text) is FreeText for text in data.features["tag"])
    again = load_rows(path, data.reader)
    assert again.equals(data.features)
    assert type(again["code"][2]) is FreeText


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        ([f"P{i:03d}" for i in range(30)], "texts, every one different; dropped as an identifier"),
        ([f"the {i}th of many words" for i in range(30)], "free text, read"),
        ([f"Smith, John {i}" for i in range(30)], "free text, read"),
        (["x" * 90 + str(i) for i in range(30)], "texts, every one different"),
        ([f"words and words {i // 1.3:.0f}" for i in range(30)], "free text, read"),
        ([f"P{i // 1.3:.0f}" for i in range(30)], "more than half of them different; dropped as"),
    ],
)
def test_identifiers_and_free_text_are_told_from_each_other(texts, reason):
    choice = choose_role("a", Counter(texts))
    assert choice.role == ("text" if reason.startswith("free") else "drop")
    assert not choice.is_warning
    assert reason in choice.reason


@pytest.mark.parametrize(
    ("name", "values", "is_hinted"),
    [
        ("patient_id", [str(1000 + i // 4) for i in range(40)], True),
        ("patient_id", [f"P{i // 4}" for i in range(40)], True),
        ("subject", [str(i % 5) for i in range(40)], True),
        ("SubjectNr", [f"S{i // 1.2:.0f}" for i in range(40)], True),
        ("patient_id", [str(1000 + i) for i in range(40)], False),
        ("patient_id", ["7"] * 40, False),
        ("job_nr", [str(7 * (i // 2)) for i in range(60)], True),
        ("ward", [str(i % 5) for i in range(40)], False),
        ("ring_number", [str(i % 5) for i in range(40)], False),
        ("number_of_patients", [str(i % 5) for i in range(40)], False),
        ("age_of_patient_at_start", [str(i % 30) for i in range(40)], False),
    ],
)
def test_repeated_identifiers_get_a_hint_at_groups(write, name, values, is_hinted):
    rows = "".join(f"{value},{i % 7}.5,{'ab'[i % 2]}\n" for i, value in enumerate(values))
    path = write(f"{name},x,kind\n" + rows)
    hints = [text for text in load_data(path).warnings if "--groups" in text]
    assert len(hints) == is_hinted
    assert all(f"use it as groups (--groups {name})" in hint for hint in hints)
    grouped = load_data(path, groups=name)
    assert not [text for text in grouped.warnings if "--groups" in text]


def test_like_notes_on_many_columns_are_one_with_a_count(write):
    n_columns = 300
    head = ",".join(["same"] * n_columns + ["kind"])
    mixed = ["1.5,", "low,", "2.5,", "3.5,"]
    rows = [value * n_columns + "ab"[i % 2] for i, value in enumerate(mixed)]
    data = load_data(write("\n".join([head, *rows]) + "\n"))
    assert len(data.notes) + len(data.warnings) < 12
    assert "Column 1, written 'same', is called 'same_1'; 299 notes like this one." in data.notes
    assert max(map(len, data.notes + data.warnings)) < 400


def test_dates_of_two_readings_are_asked_about(write):
    path = write("due,kind\n1/2/1970,a\n1/3/1970,b\n1/3/1970 12:00,b\n")
    message = (
        r"'due' must have one reading; got '1/2/1970', which is 1 February 1970 \(%d/%m/%Y\) "
        r"or 2 January 1970 \(%m/%d/%Y\)\. Say which: --date-format due=%d/%m/%Y"
    )
    with pytest.raises(InvalidArgumentError, match=message):
        load_data(path)
    data = load_data(path, date_format={"due": "%m/%d/%Y"})
    assert data.roles["due"] == "date"
    assert data.features["due"].tolist() == [1, 2, 2.5]
    assert load_data(path, roles={"due": "date"}).features["due"].tolist() == [31, 59, 59.5]

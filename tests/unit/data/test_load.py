import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from bestofk.data import data_set_names, load_data
from bestofk.errors import InvalidArgumentError


def messy_rows():
    rng = np.random.default_rng(5)
    rows = []
    for row in range(100):
        fields = [
            f"{rng.normal(50, 9):.2f}".replace(".", ","),
            f"{1 + row % 28}.{1 + row % 12}.2023",
            ("Ja", "nein")[row % 2],
            str(1 + row % 4),
            ("red", "green", "blue")[row % 3],
        ]
        fields = ["NA" if rng.random() < 0.05 else field for field in fields]
        rows.append([str(1000 + row), *fields, ("good", "bad")[row % 2]])
    return rows + [[str(2000 + row), *rows[row][1:]] for row in range(6)]


@pytest.fixture
def messy(write):
    header = "Kunden-Nr;Größe;Datum;Raucher;Region;Farbe;Ergebnis"
    body = "\r\n".join(";".join(row) for row in messy_rows())
    return write(f"{header}\r\n{body}\r\n".encode("cp1252"), "messy.csv")


def test_a_csv_as_people_have_them_goes_through_without_options(messy):
    data = load_data(messy)
    assert (data.name, data.task, data.n_samples) == ("messy", "classification", 106)
    assert dict(data.roles) == {
        "Kunden-Nr": "drop",
        "Größe": "numeric",
        "Datum": "date",
        "Raucher": "boolean",
        "Region": "numeric",
        "Farbe": "nominal",
        "Ergebnis": "target",
    }
    assert list(data.features) == ["Größe", "Datum", "Raucher", "Region", "Farbe"]
    assert data.features["Größe"].dtype == np.float64
    assert list(data.features["Raucher"].cat.categories) == ["Ja", "nein"]
    assert list(data.features["Farbe"].cat.categories) == ["NA", "blue", "green", "red"]
    first = pd.Timestamp(2023, 1, 1) - pd.Timestamp(1970, 1, 1)
    assert data.features["Datum"][0] == first.days
    n_missing = sum(row[:5].count("NA") for row in messy_rows())
    assert data.features.isna().sum().sum() == n_missing
    assert data.class_counts.tolist() == [53, 53]


def test_every_guess_about_a_messy_csv_is_a_sentence(messy):
    data = load_data(messy)
    n_missing = sum(row[:5].count("NA") for row in messy_rows())
    n_levels = sum(row[5] == "NA" for row in messy_rows())
    assert data.notes == (
        "Read messy.csv as cp1252 with separator semicolon.",
        f"Taken as missing: 'NA' {n_missing} times.",
        f"Counted as categories of 'Farbe': 'NA' {n_levels}x; --missing Farbe=NA makes them "
        "missing.",
        "Target: 'Ergebnis' (the last column), read as labels.",
        "Task: classification, because the target holds labels.",
        "Column 'Kunden-Nr': whole numbers that differ, in a column named as an identifier; "
        "dropped as an identifier (--role Kunden-Nr=numeric keeps it).",
        "Column 'Größe': numbers with decimal comma; numeric.",
        "Column 'Datum': dates, %d.%m.%Y; read as month, day of week and elapsed time.",
        "Column 'Raucher': the words ja and nein; boolean.",
        "Column 'Region': whole numbers with at most 20 different values; numeric "
        '("nominal" if they are codes).',
        "Column 'Farbe': texts; nominal.",
    )
    assert data.warnings == ("6 rows equal another: delete true copies, which flatter scores.",)


def test_every_guess_about_a_messy_csv_can_be_overridden(messy):
    roles = {
        "Kunden-Nr": "numeric",
        "Datum": "nominal",
        "Raucher": "nominal",
        "Region": "ordinal",
        "Farbe": "drop",
    }
    data = load_data(messy, roles=roles, name="mine")
    assert data.name == "mine"
    assert {column: data.roles[column] for column in roles} == roles
    assert data.features["Kunden-Nr"].dtype == np.int64
    assert "1.1.2023" in data.features["Datum"].cat.categories
    assert list(data.features["Raucher"].cat.categories) == ["Ja", "nein"]
    assert list(data.features["Region"].cat.categories) == ["1", "2", "3", "4"]
    assert data.features["Region"].cat.ordered
    assert "Farbe" not in data.features
    assert "Column 'Farbe': drop, as asked for." in data.notes


def test_target_groups_weights_and_dropped_columns_are_no_inputs(write):
    path = write("a,w,g,skip,t\n1.5,1,x,0,2.5\n2.5,2,x,0,3.5\n3.5,0.5,y,0,4.25\n")
    data = load_data(path, target="t", groups="g", weights="w", drop=["skip"])
    assert list(data.features) == ["a"]
    assert data.task == "regression"
    assert data.target.tolist() == [2.5, 3.5, 4.25]
    assert data.groups.tolist() == ["x", "x", "y"]
    assert data.sample_weight.tolist() == [1.0, 2.0, 0.5]
    assert dict(data.roles) == {
        "a": "numeric", "w": "weights", "g": "groups", "skip": "drop", "t": "target",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("header", "target"),
    [
        ("Outcome,y,Class,a", "Class"),
        ("Outcome,y,b,a", "y"),
        ("OUTCOME,c,b,a", "OUTCOME"),
        ("d,c,b,a", "a"),
    ],
)
def test_the_default_target_goes_by_name_then_by_place(write, header, target):
    data = load_data(write(f"{header}\n1,2,3,4\n2,3,4,5\n"))
    assert data.roles[target] == "target"
    assert data.notes[1].startswith(f"Target: '{target}' (")


@pytest.mark.parametrize(
    ("content", "options", "target"),
    [
        ("a,b\n1.5,1\n2.5,2\n", {"roles": {"b": "nominal"}}, ["1", "2"]),
        ("a,b\n1.5,007\n2.5,010\n", {}, ["007", "010"]),  # padded codes keep their zeros
        ("a;b\n1;1,5\n2;2\n", {}, [1.5, 2.0]),
        ("a,y\n1,1.5 %\n2,12 %\n", {}, [1.5, 12.0]),
    ],
)
def test_a_target_is_read_as_it_is_written(write, content, options, target):
    assert load_data(write(content), **options).target.tolist() == target


def test_the_task_can_be_overridden(write):
    path = write("a,b\n1.5,1\n2.5,2\n")
    assert load_data(path).task == "classification"
    assert load_data(path, task="regression").task == "regression"


def test_classes_that_differ_in_case_or_blanks_are_warned_of(write):
    data = load_data(write("a,y\n5,Yes\n2,yes\n3,no\n4,not  so\n1,not so\n"))
    assert data.warnings[0] == (
        "Classes 'Yes' and 'yes', 'not  so' and 'not so' differ only in case or blanks; they "
        "count as different classes."
    )


def test_sentences_name_twelve_columns_at_most(write):
    names = [f"v{i}" for i in range(14)]
    data = load_data(write(",".join([*names, "y"]) + "\n" + "1.5," * 14 + "a\n"))
    assert data.notes[-1].endswith("'v10', 'v11' and 2 more: numbers; numeric.")


def test_play_tennis_comes_along():
    data = load_data("play-tennis")
    assert data.features.iloc[0].tolist() == ["sunny", "hot", "high", "false"]
    assert data.class_counts.tolist() == [5, 9]


@pytest.mark.parametrize(
    ("name", "shape", "counts"),
    [
        ("iris", (150, 4), [50, 50, 50]),
        ("wine", (178, 13), [59, 71, 48]),
        ("breast_cancer", (569, 30), [357, 212]),
        ("digits", (1797, 64), [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]),
    ],
)
def test_built_in_sets_have_their_published_class_counts(name, shape, counts):
    data = load_data(name)
    assert data.features.shape == shape
    assert data.class_counts.tolist() == counts


def test_built_in_classes_carry_names_and_diabetes_is_a_regression_set():
    assert load_data("iris").classes.tolist() == ["setosa", "versicolor", "virginica"]
    data = load_data("diabetes")
    assert (data.task, data.n_samples) == ("regression", 442)


def test_options_hold_for_built_in_sets():
    data = load_data("iris", target="petal width (cm)", drop=["target"])
    assert data.task == "regression"
    assert data.n_features == 3


def test_every_listed_name_loads():
    for name, description in data_set_names():
        assert load_data(name).n_samples >= 14
        assert description


def test_a_generator_takes_rows_and_random_state():
    data = load_data("twonorm:40:3", name="mine")
    assert (data.name, data.n_samples) == ("mine", 40)
    assert load_data("twonorm:40").name == "twonorm:40:0"


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ("iriss", {}, "must be a file or the name of a data set; got 'iriss'. Did you mean 'iris'"),
        (Path("iris"), {}, "got 'iris'"),  # a path is never a built-in name
        ("no/such.csv", {}, "must be an existing file; got no/such.csv"),
        (".", {}, "must be a file; got the directory"),
        ("twonorm:x", {}, "NAME:ROWS:RANDOM_STATE; got twonorm:x"),
        ("twonorm:" + "9" * 5000, {}, "NAME:ROWS:RANDOM_STATE; got twonorm:9"),
        ("twonorm:" + "9" * 18, {}, "n_samples must be a whole number from 1 to 10000000; got 9"),
        ("twonorm:0", {}, "n_samples must be a whole number from 1 to 10000000; got 0"),
        ("twonorm", {"drop": ["x0"]}, "must be left out for the generator 'twonorm'"),
        ("twonorm", {"task": "regression"}, "task must be classification for the generator"),
        ("iris", {"task": "sorting"}, "task must be one of auto, classification, regression"),
        ("iris", {"task": "regression"}, "must be numbers for regression; got 'setosa'"),
        ("iris", {"target": "targets"}, "got 'targets'. Did you mean 'target'"),
        ("iris", {"groups": "g"}, "groups must be a column of iris; got 'g'"),
        ("iris", {"roles": {"z": "drop"}}, "roles must be a column of iris; got 'z'"),
        ("iris", {"roles": {"target": "drop"}, "target": "target"}, "got target and drop"),
        ("iris", {"roles": {"target": "odd"}}, "must be one of numeric, .*; got 'odd'"),
        ("iris", {"drop": "target"}, "drop must be a list of columns; got the text 'target'"),
        ("iris", {"drop": ["target"], "target": "target"}, "one part; got drop and target"),
        ("openml:iris", {}, "openml:NUMBER; got openml:iris"),
        (3, {}, "source must be a path or a name; got int"),
    ],
)
def test_bad_calls_get_one_sentence(source, options, message):
    with pytest.raises(InvalidArgumentError, match=message):
        load_data(source, **options)


def test_all_columns_dropped_leaves_no_target_and_negative_weights_are_refused(write):
    path = write("a,b,c\n1,2,3\n1,-1,4\n")
    with pytest.raises(InvalidArgumentError, match="must have a column left for the target"):
        load_data(path, drop=["a", "b", "c"])
    with pytest.raises(InvalidArgumentError, match=r"0 or more; got '-1.0'"):
        load_data(path, weights="b")


@pytest.mark.parametrize("part", ["target", "groups", "weights"])
def test_columns_with_a_part_must_have_no_gaps(write, part):
    path = write("a,b,c\n1,2,3\n1,?,4\n1,,5\n")
    with pytest.raises(InvalidArgumentError, match=r"column 'b' must have .* got 2 missing"):
        load_data(path, **{part: "b"})


def openml_that(monkeypatch, get_dataset):
    """Put a package openml in place whose data sets a function gives."""
    package = SimpleNamespace(datasets=SimpleNamespace(get_dataset=get_dataset))
    monkeypatch.setitem(sys.modules, "openml", package)


def test_openml_without_its_package_or_a_network_is_one_sentence(monkeypatch):
    def fail(_):
        raise ConnectionError("HTTPSConnectionPool(...)")

    monkeypatch.setitem(sys.modules, "openml", None)
    with pytest.raises(InvalidArgumentError, match=r"pip install 'bestofk\[openml\]'"):
        load_data("openml:61")
    openml_that(monkeypatch, fail)
    with pytest.raises(
        InvalidArgumentError, match=r"openml:61 must .* got ConnectionError\. Check"
    ):
        load_data("openml:61")


def test_openml_ignores_what_its_record_says_to_ignore(monkeypatch):
    frame = pd.DataFrame({"a": [1, 2], "b": [1, 2], "c": [0.5, 1.5], "kind": ["u", "v"]})
    record = SimpleNamespace(
        name="flowers",
        default_target_attribute="kind",
        ignore_attribute="a,b",
        row_id_attribute=None,
        get_data=lambda: (frame, None, None, list(frame)),
    )
    openml_that(monkeypatch, {61: record}.__getitem__)
    data = load_data("openml:61")
    assert (data.name, list(data.features), data.roles["kind"]) == ("flowers", ["c"], "target")


def test_a_declared_column_without_values_is_dropped_with_a_warning(write):
    rows = "".join(f"{i},?,{'yes' if i % 2 else 'no'}\n" for i in range(8))
    head = "@relation r\n@attribute a numeric\n@attribute empty numeric\n"
    path = write(head + "@attribute class {no,yes}\n@data\n" + rows, "declared.arff")
    data = load_data(path)
    assert list(data.features.columns) == ["a"]
    assert "Column 'empty': no value at all; dropped." in data.warnings


def test_rows_without_a_target_are_refused_with_the_way_out_or_left_out_and_counted(write):
    path = write("a,g,w,y\n1.5,u,1,x\n2.5,u,2,?\n3.5,v,3,z\n4.5,v,4,x\n5.5,v,5,\n")
    message = (
        r"'y' must .* got 2 missing \('\?' 1x, an empty field 1x\)\. Leave these rows out with "
        r"drop_missing_target=True \(--drop-missing-target\), or choose another target"
    )
    with pytest.raises(InvalidArgumentError, match=message):
        load_data(path)
    data = load_data(path, drop_missing_target=True, groups="g", weights="w")
    assert data.target.tolist() == ["x", "z", "x"]
    assert data.features["a"].tolist() == [1.5, 3.5, 4.5]
    assert data.groups.tolist() == ["u", "v", "v"]
    assert data.sample_weight.tolist() == [1, 3, 4]
    assert "Left out: 2 rows without a target, as asked for." in data.notes


def test_a_target_without_any_value_is_refused_all_the_same(write):
    message = r"column 'y' must hold values to be the target; got none .*Choose another target"
    for drop in (True, False):
        with pytest.raises(InvalidArgumentError, match=message):
            load_data(write("a,y\n1,?\n2,?\n"), target="y", drop_missing_target=drop)


def test_the_target_is_the_last_column_that_holds_values(write):
    data = load_data(write("a,kind,empty\n1.5,u,\n2.5,v,\n"))
    assert data.target.tolist() == ["u", "v"]
    assert dict(data.roles) == {"a": "numeric", "kind": "target", "empty": "drop"}


def test_rows_without_a_declared_target_are_left_out(write):
    head = "@relation r\n@attribute a numeric\n@attribute s string\n@attribute class {no,yes}\n"
    path = write(head + "@data\n1,u,no\n2,v,?\n3,w,yes\n", "data.arff")
    data = load_data(path, drop_missing_target=True)
    assert data.features["a"].tolist() == [1, 3]
    assert data.features["s"].tolist() == ["u", "w"]
    assert data.target.tolist() == ["no", "yes"]


@pytest.mark.parametrize("part", ["target", "groups", "weights"])
def test_parts_must_be_named_by_texts(write, part):
    with pytest.raises(InvalidArgumentError, match=f"{part} must be a column of data; got ndarray"):
        load_data(write("a,y\n1,2\n2,3\n"), **{part: np.array([1, 2])})


ARFF = "@relation r\n@attribute k {u,NA}\n@attribute n numeric\n@attribute y {p,q}\n@data\n"


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ("a.arff", {"separator": ";"}, "separator must be left out for a file of type"),
        ("a.arff", {"skip_footer": 0}, "skip_footer must be left out for a file of type"),
        ("a.parquet", {"encoding": "cp1252"}, "encoding must be left out for a file of type"),
        ("iris", {"header": True}, "header must be left out for a data set that is known"),
        ("openml:61", {"skip_rows": 1}, "skip_rows must be left out for a data set that is known"),
    ],
)
def test_an_option_without_effect_is_refused(tmp_path, source, options, message):
    (tmp_path / "a.arff").write_text(ARFF + "u,-9,p\nNA,2,q\n")
    pd.DataFrame({"a": [1, 2], "y": ["p", "q"]}).to_parquet(tmp_path / "a.parquet")
    path = tmp_path / source if "." in source else source
    with pytest.raises(InvalidArgumentError, match=message):
        load_data(path, **options)


@pytest.mark.parametrize("ending", [".arff", ".parquet"])
def test_marks_that_are_given_are_missing_in_columns_with_a_type(tmp_path, ending):
    path = tmp_path / f"a{ending}"
    if ending == ".arff":
        path.write_text(ARFF + "u,-9,p\nNA,2,q\n" * 3)
    else:
        kinds = pd.Categorical(["u", "NA"] * 3)
        frame = pd.DataFrame({"k": kinds, "n": [-9, 2] * 3, "y": ["p", "q"] * 3})
        frame.to_parquet(path)
    data = load_data(path, missing={"k": ["NA"], "n": "-9"})
    assert data.features["k"].isna().tolist() == [False, True] * 3
    assert data.features["k"].cat.categories.tolist() == ["u"]
    assert data.features["n"].fillna(0).tolist() == [0, 2] * 3
    assert "Taken as missing: 'NA' 3 times, '-9' 3 times." in data.notes


def test_a_person_called_nan_is_there(write):
    data = load_data(write("name,y\n" + "Nan,p\nNaN,q\nIda,p\n" * 9))
    assert data.features["name"].dropna().tolist() == ["Nan", "Ida"] * 9
    assert "Counted as categories of 'name': 'Nan' 9x" in " ".join(data.notes)


def test_none_is_a_class_next_to_yes_and_no(write):
    data = load_data(write("a,y\n" + "1,yes\n2,none\n3,no\n" * 9))
    assert data.classes.tolist() == ["no", "none", "yes"]
    with pytest.raises(InvalidArgumentError, match="one reading of 'NA' 9x"):
        load_data(write("a,y\n" + "1,yes\n2,NA\n3,no\n" * 9))


@pytest.mark.parametrize(("encoding", "text"), [("cp932", "東京"), ("koi8_r", "Казань")])
def test_an_encoding_that_is_not_western_is_named(write, encoding, text):
    path = write(("a,b,y\n" + f"1,{text},p\n2,{text} 2,q\n" * 20).encode(encoding))
    (warning, *_) = load_data(path).warnings
    assert f"--encoding {encoding} reads it so" in warning

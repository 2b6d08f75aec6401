"""Orders of levels: from the role, from numbers, from the source, or refused."""

import pandas as pd
import pytest

from bestofk import compare
from bestofk.data import load_data
from bestofk.data.levels import order_in_role
from bestofk.errors import InvalidArgumentError

ORDER = "ordinal:small,medium,large"


@pytest.fixture
def path(write):
    """Sizes of which those in the middle are dear, and stars."""
    rows = ["small,1,no", "medium,2,yes", "large,10,no"] * 8
    return write("\n".join(["size,stars,dear", *rows, ",1,yes"]))


def levels_of(data, column="size"):
    assert data.features[column].cat.ordered
    assert data.roles[column] == "ordinal"
    return data.features[column].cat.categories.tolist()


def test_the_role_gives_the_order_and_a_note_shows_it(path):
    data = load_data(path, roles={"size": ORDER})
    assert levels_of(data) == ["small", "medium", "large"]
    assert "Column 'size': ordinal, as asked for: small < medium < large." in data.notes
    assert data.features["size"].isna().sum() == 1
    assert data.id != load_data(path, roles={"size": "ordinal:medium,small,large"}).id


def test_levels_that_do_not_occur_are_kept_and_named(path):
    data = load_data(path, roles={"size": f"{ORDER}, huge"})
    assert levels_of(data) == ["small", "medium", "large", "huge"]
    note = "ordinal, as asked for: small < medium < large < huge ('huge' without rows)."
    assert f"Column 'size': {note}" in data.notes


def test_numbers_need_no_order(path):
    data = load_data(path, roles={"stars": "ordinal"})
    assert levels_of(data, "stars") == ["1", "2", "10"]
    assert "Column 'stars': ordinal, as asked for: 1 < 2 < 10." in data.notes


def test_of_many_levels_the_ends_are_shown(write):
    path = write("x,y\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(1, 15)))
    notes = load_data(path, roles={"x": "ordinal"}).notes
    assert "Column 'x': ordinal, as asked for: 1 < 2 < ... < 14." in notes


def test_a_declared_order_is_taken_and_shown(write):
    head = "@relation r\n@attribute size {small,medium,large}\n@attribute y {a,b}\n@data\n"
    path = write(head + "large,a\nsmall,b\nmedium,a\nsmall,b\n", "sizes.arff")
    data = load_data(path, roles={"size": "ordinal"})
    assert levels_of(data) == ["small", "medium", "large"]
    assert "Column 'size': ordinal, as asked for: small < medium < large." in data.notes
    turned = load_data(path, roles={"size": "ordinal:large,medium,small"})
    assert levels_of(turned) == ["large", "medium", "small"]
    new = turned.reader.read(pd.DataFrame({"size": ["small", "huge"]}))["size"]
    assert new.cat.categories.tolist() == ["large", "medium", "small", "huge"]


@pytest.mark.parametrize(
    ("role", "message"),
    [
        ("ordinal", r"must give the order .* for the texts 'large', 'medium', 'small'\. Write --r"),
        ("ordinal:small,large", r"must list every level once.*which lacks 'medium' 8x\. Correct"),
        (f"{ORDER},small", "which names 'small' twice"),
        ("ordinal:", "which lacks"),
        (f"none,{ORDER}", "must be one of numeric"),
        ("ordinal:none,small,medium,large", "where 'none' stands for a missing value"),
        ("ordinal:small,,medium,large", "where '' stands for a missing value"),
        ("numeric:1", "must be one of numeric, .* An order of levels is written ordinal:low,"),
        (["small", "medium", "large"], "An order of levels is written ordinal:low,middle,high"),
    ],
)
def test_a_missing_or_wrong_order_is_refused(path, role, message):
    with pytest.raises(InvalidArgumentError, match=message):
        load_data(path, roles={"size": role})


@pytest.mark.parametrize("part", ["target", "groups", "drop"])
def test_an_order_is_for_an_input(path, part):
    options = {part: ["size"] if part == "drop" else "size"}
    with pytest.raises(InvalidArgumentError, match=f"got column 'size', which is {part}"):
        load_data(path, roles={"size": ORDER}, **options)
    with pytest.raises(InvalidArgumentError, match="got column 'dear', which is target"):
        load_data(path, roles={"dear": "ordinal:no,yes"})


def test_levels_with_commas_stand_in_quotes():
    assert order_in_role('ordinal:"0,5", "1,5",2') == ("0,5", "1,5", "2")
    assert order_in_role("ordinal") is None


def test_the_order_reaches_the_trees_of_a_comparison(path):
    data = load_data(path, roles={"size": ORDER}, drop=["stars"])
    learners = ["id3(max_depth=1)", "id3(max_depth=1,ordinal_splits=multiway)"]
    frame = compare(learners, data, cv="2x2").to_frame().query("measure == 'error'")
    cut, multiway = frame.groupby("learner")["value"].mean()[learners]
    assert cut > 0.2
    assert multiway < 0.1

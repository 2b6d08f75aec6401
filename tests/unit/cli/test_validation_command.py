"""The command `curve validation`: text, JSON, picture, store, values, bad input."""

import json

import pytest
from tests.calls import printed, refused

from bestofk.cli.app import main
from bestofk.cli.curve_commands import _values
from bestofk.curves.validation import validation_curve
from bestofk.errors import InvalidArgumentError

LINE = ("curve", "validation", "iris", "--learner", "5nn", "--parameter", "n_neighbors",
        "--values", "25,1,5", "--cv", "2x3", "--n-jobs", "1")  # fmt: skip
GIVEN = {"parameter": "n_neighbors", "values": [1, 5, 25], "cv": "2x3"}


@pytest.fixture(scope="module")
def curve():
    return validation_curve("5nn", "iris", **GIVEN)


def changed(option, value):
    """Return the line with another value of an option."""
    line = list(LINE)
    line[line.index(option) + 1] = value
    return line


def test_the_text_is_that_of_the_function(capsys, curve):
    assert main(LINE) == 0
    shown = capsys.readouterr()
    assert shown.out == curve.text() + "\n"
    assert shown.err.count("iris: 150 rows") == 1
    assert shown.err.count("a third of the training rows held back for validation") == 1
    assert "5nn with n_neighbors = 25; 1 learner, 6 runs." in shown.err


def test_json_holds_every_number(capsys, curve):
    result = json.loads(printed(capsys, *LINE, "--json"))
    about = ("data", "learner", "parameter", "measure", "n_splits", "chosen")
    assert [result[name] for name in about] == [
        "iris", "5nn", "n_neighbors", "error", 6, curve.values[curve.chosen],
    ]  # fmt: skip
    assert [item["value"] for item in result["scores"]] == [1, 5, 25]
    for part in ("train", "validation", "test"):
        assert [item[part] for item in result["scores"]] == pytest.approx(
            curve.to_frame()[part].tolist()
        )
    assert [item["how"] for item in result["estimates"]] == curve.estimates()["how"].tolist()
    assert len(result["tests"]) == 2
    assert [item["end"] for item in result["sides"]] == curve.sides()["end"].tolist()
    assert result["notes"] == []


@pytest.mark.parametrize(
    ("learner", "parameter", "values", "read"),
    [
        ("c45", "pruning", "none,error-based", [None, "error-based"]),
        ("5nn", "prepare__standardize", "true,false", [True, False]),
    ],
)
def test_names_true_and_none_are_values_too(capsys, learner, parameter, values, read):
    line = [*LINE, "--learner", learner, "--parameter", parameter, "--values", values]
    result = json.loads(printed(capsys, *line, "--json"))
    assert [item["value"] for item in result["scores"]] == read
    assert result["chosen"] in read


def test_a_value_that_fails_ends_in_one(capsys):
    shown = printed(capsys, *changed("--values", "1,500"), code=1)
    assert "5nn with n_neighbors = 500 failed in 6 of 6 runs" in " ".join(shown.split())


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1, 5", [1, 5]),
        ("0.1,1e-3,inf", [0.1, 0.001, float("inf")]),
        ("true,False,none,None", [True, False, None, None]),
        ("gini,-2,1.0", ["gini", -2, 1.0]),
    ],
)
def test_values_of_the_shell(text, wanted):
    result = _values(text)
    assert result == wanted
    assert [type(item) for item in result] == [type(item) for item in wanted]


@pytest.mark.parametrize("text", ["", "1,,2", "1,"])
def test_values_that_are_none_are_told(text):
    with pytest.raises(InvalidArgumentError, match="--values must be values separated by commas"):
        _values(text)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (changed("--values", "1"), "values must be a list of at least two; got [1]"),
        (changed("--values", "1,1"), "values must differ from each other; got 1 more than once"),
        (changed("--parameter", "n_neighbours"), "Did you mean 'n_neighbors'?"),
        (changed("--learner", "5nn,1nn"), "must be exactly one; got 5nn, 1nn"),
        (changed("--learner", "6nn"), "learner must be a name of the catalogue; got '6nn'"),
    ],
)
def test_bad_input_is_one_sentence(capsys, line, message):
    assert message in refused(capsys, *line, has_notes=True)

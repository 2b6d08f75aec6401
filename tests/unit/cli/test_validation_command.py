"""The command `curve validation`: text, JSON, picture, store, values, bad input."""

import json

import pytest

from bestofk.cli.app import main
from bestofk.cli.curve_commands import _values
from bestofk.curves.validation import validation_curve
from bestofk.errors import InvalidArgumentError

LINE = ("curve", "validation", "iris", "--learner", "5nn", "--parameter", "n_neighbors",
        "--values", "25,1,5", "--cv", "2x3", "--n-jobs", "1")  # fmt: skip
GIVEN = {"parameter": "n_neighbors", "values": [1, 5, 25], "cv": "2x3"}


def changed(option, value):
    """Return the line with another value of an option."""
    line = list(LINE)
    line[line.index(option) + 1] = value
    return line


def test_the_text_is_that_of_the_function(capsys):
    assert main(LINE) == 0
    shown = capsys.readouterr()
    assert shown.out == validation_curve("5nn", "iris", **GIVEN).text() + "\n"
    assert shown.err.count("iris: 150 rows") == 1
    assert shown.err.count("a third of the training rows held back for validation") == 1
    assert "5nn with n_neighbors = 25; 1 learner, 6 runs." in shown.err


def test_json_holds_every_number(capsys):
    assert main([*LINE, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    curve = validation_curve("5nn", "iris", **GIVEN)
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


def test_names_true_and_none_are_values_too(capsys):
    line = changed("--learner", "c45")
    line[line.index("n_neighbors")] = "pruning"
    line[line.index("25,1,5")] = "none,error-based"
    assert main([*line, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [item["value"] for item in result["scores"]] == [None, "error-based"]
    line = changed("--parameter", "prepare__standardize")
    line[line.index("25,1,5")] = "true,false"
    assert main([*line, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [item["value"] for item in result["scores"]] == [True, False]
    assert result["chosen"] in (True, False)


def test_a_value_that_fails_ends_in_one(capsys):
    assert main(changed("--values", "1,500")) == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert "5nn with n_neighbors = 500 failed in 6 of 6 runs" in shown


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
        (changed("--cv", "adaptive"), "cv of a curve must be a fixed plan"),
        (LINE[:5], "--parameter must be given; got none."),
    ],
)
def test_bad_input_is_one_sentence(capsys, line, message):
    assert main(line) == 2
    error = capsys.readouterr().err.splitlines()
    assert error[-1].startswith("bestofk: ")
    assert message in error[-1]

"""Options of reading hold the same in every command that takes a data file, and in `compare`."""

import numpy as np
import pandas as pd
import pytest
from tests.calls import refused

from bestofk import compare
from bestofk.cli import main
from bestofk.data import load_data
from bestofk.errors import InvalidArgumentError

TWO = ("--learners", "nearest-mean,majority")
COMMANDS = [
    ("compare", *TWO, "--cv", "2x2", "--n-jobs", "1"),
    ("curve", "learning", *TWO, "--cv", "2x2", "--sizes", "2", "--n-jobs", "1"),
    ("curve", "noise", *TWO, "--cv", "2x2", "--fractions", "0,0.2", "--n-jobs", "1"),
    ("curve", "imbalance", *TWO, "--cv", "2x2", "--methods", "none,over", "--n-jobs", "1"),
    ("curve", "cost", *TWO, "--cv", "2x2", "--n-jobs", "1"),
    ("curve", "validation", "--learner", "cart", "--parameter", "min_samples_leaf",
     "--values", "1,5", "--cv", "2x2", "--n-jobs", "1"),
    ("recommend", "--learners", "nearest-mean,majority", "--dry-run"),
    ("calibrate", *TWO, "--cv", "2x2", "--n-data-sets", "2", "--n-rows", "30", "--n-jobs", "1"),
]  # fmt: skip


@pytest.fixture
def two_readings(tmp_path):
    """Write a table separated by tabs whose only input has two readings, one target missing."""
    rng = np.random.default_rng(3)
    rows = [f"{i % 80 + 11},{rng.integers(100, 999)}\t{'ab'[i % 2]}" for i in range(60)]
    path = tmp_path / "data.tsv"
    path.write_text("x\tkind\n" + "\n".join(["10,345\ta", *rows, "99,999\t?"]) + "\n")
    return path


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:2]))
def test_every_command_names_and_takes_the_options_of_reading(capsys, two_readings, command):
    n_words = 2 if command[0] == "curve" else 1
    line = [*command[:n_words], str(two_readings), "--target", "kind", *command[n_words:]]
    assert "--drop-missing-target" in refused(capsys, *line, has_notes=True)
    line.append("--drop-missing-target")
    error = refused(capsys, *line, has_notes=True)
    assert "got '10,345', which is 10.345 if the comma is a decimal comma, and 10345" in error
    assert "--decimal ',' or --thousands ','" in error
    assert main([*line, "--thousands", ","]) == 0
    assert main([*line, "--decimal", ","]) == 0


def test_what_was_guessed_is_shown_before_anything_is_fitted(capsys, two_readings):
    line = ["compare", str(two_readings), *TWO, "--cv", "2x2", "--drop-missing-target"]
    assert main([*line, "--decimal", ",", "--n-jobs", "1"]) == 0
    shown = capsys.readouterr().err
    assert shown.index("Left out: 1 row without a target") < shown.index("Plan: ")
    assert shown.startswith("data: 61 rows, 1 numeric input; predicting kind (2 classes).\n")


def test_compare_takes_the_target_of_a_file_and_leaves_rows_without_one_out(tmp_path):
    path = tmp_path / "data.csv"
    rows = "".join(f"{i % 7}.5,{'ab'[i % 2]},{i}.25\n" for i in range(40))
    path.write_text("x,kind,value\n" + rows + "3.5,?,1.25\n")
    learners = ["nearest-mean", "majority"]
    with pytest.raises(InvalidArgumentError, match="drop_missing_target=True"):
        compare(learners, path, target="kind", cv="2x2")
    options = {"target": "kind", "drop_missing_target": True}
    result = compare(learners, path, cv="2x2", **options)
    loaded = load_data(path, **options)
    assert result.evaluation.data.id == loaded.id
    assert result.evaluation.data.roles["kind"] == "target"
    assert "Left out: 1 row without a target, as asked for." in result.findings.notes
    frame = pd.read_csv(path, na_values="?")
    of_frame = compare(learners, frame, cv="2x2", **options)
    assert of_frame.evaluation.data.n_samples == 40


def test_a_target_is_given_once():
    with pytest.raises(InvalidArgumentError, match="target must be None where y is given; got"):
        compare(["cart"], "iris", "target", target="target")
    with pytest.raises(
        InvalidArgumentError, match="where drop_missing_target is given; got a Data"
    ):
        compare(["cart"], load_data("iris"), drop_missing_target=True)
    with pytest.raises(InvalidArgumentError, match="where y is given; got a DataSet"):
        compare(["cart"], load_data("iris"), target="target")

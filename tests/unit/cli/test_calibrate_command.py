from __future__ import annotations

import io

import pandas as pd
import pytest
import typer

from bestofk.cli.calibrate_command import calibrate_tests
from bestofk.errors import InvalidArgumentError

QUICK = ["--learners", "nearest-mean", "--n-rows", "30", "--n-data-sets", "2", "--n-jobs", "1"]


def run(*arguments):
    app = typer.Typer()
    app.command()(calibrate_tests)
    app(list(arguments), standalone_mode=False)


def test_artificial_data_need_no_file(capsys):
    run(*QUICK, "--tests", "corrected-t@2x2,mcnemar(method=exact)", "--seed", "3")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Share of rejections at 30 rows, null: design"
    assert [line.split()[1] for line in lines[2:4]] == ["corrected-t@2x2", "mcnemar(method=exact)"]


def test_a_table_can_be_read_by_programs(capsys):
    run("iris", *QUICK, "--cv", "2x2", "--format", "csv")
    table = pd.read_csv(io.StringIO(capsys.readouterr().out))
    assert table.loc[0, ["null", "n_rows", "test", "plan"]].tolist() == [
        "symmetric", 30, "corrected-t", "2x2",
    ]  # fmt: skip
    assert table.loc[0, "n_data_sets"] == 2


def test_markdown_has_one_row_per_test(capsys):
    run(*QUICK, "--cv", "2x2", "--format", "markdown")
    assert capsys.readouterr().out.count("| nearest-mean |") == 1


def test_bad_options_are_answered_with_a_sentence():
    with pytest.raises(InvalidArgumentError, match="--learners must name at least one"):
        run("iris")
    with pytest.raises(InvalidArgumentError, match="--format must be one of text, markdown, csv"):
        run(*QUICK, "--format", "pdf")

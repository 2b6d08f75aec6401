import io

import pandas as pd
import pytest
from tests.calls import printed, refused

from bestofk.cli import main
from bestofk.cli.calibrate_command import calibrate_tests

QUICK = ["--learners", "nearest-mean", "--n-rows", "30", "--n-data-sets", "2", "--n-jobs", "1"]


def run(*arguments):
    calibrate_tests.main(list(arguments), standalone_mode=False)


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


CLAIMS = ("calibrate", "claims", "twonorm:2000", "--learners", "nearest-mean,lda", "--n-rows",
          "100", "--n-subsamples", "2", "--n-jobs", "1")  # fmt: skip


def test_without_a_command_tests_are_calibrated(tmp_path, monkeypatch, capsys):
    shown = printed(capsys, "calibrate", "iris", *QUICK, "--cv", "2x2")
    assert shown.startswith("Share of rejections at 30 rows, null: symmetric")
    assert printed(capsys, "calibrate", "tests", "iris", *QUICK, "--cv", "2x2") == shown
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i % 7},{i * i % 11},{'ab'[i % 2]}\n" for i in range(90))
    (tmp_path / "claims").write_text("x,y,class\n" + rows)
    shown = printed(capsys, "calibrate", "./claims", *QUICK, "--cv", "2x2")
    assert shown.startswith("Share of rejections at 30 rows")


def test_claims_are_calibrated_and_the_same_line_goes_on(tmp_path, capsys):
    output, picture = tmp_path / "cases.jsonl", tmp_path / "claims.svg"
    line = (*CLAIMS, "--output", str(output))
    assert main([*line, "--picture", str(picture)]) == 0
    shown = capsys.readouterr()
    assert "true over 2 subsamples of twonorm:2000:0." in shown.out.splitlines()[0]
    assert "rows  claims  stated" in shown.out
    assert shown.err.startswith("twonorm:2000:0: 2,000 rows, 20 numeric inputs.\n")
    assert b"<svg" in picture.read_bytes()
    written = output.read_text()
    assert main(line) == 0
    assert capsys.readouterr().out == shown.out
    assert output.read_text() == written
    table = pd.read_csv(io.StringIO(printed(capsys, *line, "--format", "csv")))
    figures = table.loc[:1, ["n_rows", "bin", "n_claims"]].values.tolist()
    assert figures == [["all", "all", 2], ["100", "all", 2]]
    assert "| rows | claims | stated |" in printed(capsys, *line, "--format", "markdown")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("iris",), "data must have many more rows than a subsample; got 150 rows."),
        (
            ("iris", "--n-rows", "1e3"),
            "--n-rows must be whole numbers separated by commas; got '1e3'.",
        ),
        (("iris", "--format", "pdf"), "--format must be one of text, markdown, csv; got 'pdf'."),
        (("iris", "--picture", "x.doc"), "--picture must end in .png, .pdf or .svg; got x.doc."),
        ((), "DATA must be given; got none."),
    ],
)
def test_bad_input_of_claims_is_answered_with_a_sentence(capsys, arguments, sentence):
    line = ("calibrate", "claims", *arguments, "--n-jobs", "1")
    assert sentence in refused(capsys, *line, has_notes=True)


def test_results_are_not_written_over_the_data(tmp_path, capsys):
    file = tmp_path / "data.csv"
    file.write_text("x,y\n1,2\n")
    said = refused(capsys, "calibrate", "claims", file, "--output", file)
    assert "--output must be a file of its own" in said
    assert file.read_text() == "x,y\n1,2\n"

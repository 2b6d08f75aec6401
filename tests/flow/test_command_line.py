import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from tests.calls import learner_file, refused

from bestofk.cli import main

FAST = ["--learners", "majority,nearest-mean", "--cv", "5x2", "--n-jobs", "1"]


def call(capsys, *arguments, code=0):
    assert main([str(argument) for argument in arguments]) == code
    return capsys.readouterr()


def process(*words):
    """Return what came of a Python of its own."""
    command = [sys.executable, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def table(tmp_path):
    """Write a CSV file of columns and return its path."""

    def write(name="data.csv", **columns):
        path = tmp_path / name
        pd.DataFrame(columns).to_csv(path, index=False)
        return path

    return write


# -- the way through -----------------------------------------------------------------------


def test_json_is_one_object_on_standard_output_and_guesses_go_beside_it(capsys):
    out, err = call(capsys, "compare", "play-tennis", *FAST, "--json")
    result = json.loads(out)
    assert result["order"] == [result["best"], *result["order"][1:]]
    assert [item["name"] for item in result["learners"]] == ["majority", "nearest-mean"]
    assert result["runs"]["fitted"] == 20
    assert "Plan: 5 repeats of 2-fold cross-validation" in err
    assert "--store FILE" in err.splitlines()[-1]


def test_a_second_call_on_a_store_fits_nothing_and_says_the_same(capsys, tmp_path):
    store = tmp_path / "runs.db"
    first, _ = call(capsys, "compare", "iris", *FAST, "--store", store, "--format", "csv")
    second, err = call(capsys, "compare", "iris", *FAST, "--store", store, "--format", "csv")
    assert first == second
    assert "20 of 20 runs found in the store." in err
    assert "--store" not in err


def test_options_reach_the_comparison(capsys, table):
    rng = np.random.default_rng(1)
    y = np.repeat(["no", "yes"], 20)
    path = table(
        a=rng.normal(y == "yes", 1).round(3), b=rng.integers(0, 9, 40), y=y, c=rng.random(40)
    )
    options = [
        "--target", "y", "--drop", "c", "--role", "b=nominal", "--scoring", "cost,f1",
        "--cost-matrix", "0,1;5,0", "--pos-label", "no", "--prefer", "nearest-mean,majority",
        "--test", "5x2cv-t", "--correction", "bonferroni", "--alpha", "0.1", "--seed", "3",
        "--no-stratify", "--keep", "scores",
    ]  # fmt: skip
    out, err = call(capsys, "compare", path, *FAST, *options, "--json")
    result = json.loads(out)
    assert result["measure"]["name"] == "cost"
    assert (result["test"], result["correction"], result["alpha"]) == ("5x2cv-t", "bonferroni", 0.1)
    assert "nearest-mean, majority" in result["preference"]
    assert "stratified" not in result["plan"] or "not stratified" in result["plan"]
    assert "drawn with random_state=3 " in result["plan"]
    assert err.startswith(
        "data: 40 rows, 1 numeric and 1 nominal inputs; predicting y (2 classes); left out: c.\n"
    )


def test_without_a_pick_the_exit_code_is_1(capsys, tmp_path):
    bad = learner_file(tmp_path, "Bad", "raise ValueError('never')")
    out, _ = call(capsys, "compare", "iris", "--learners", bad, "--cv", "5x2", code=1)
    assert "No learner can be picked on iris." in out


def test_a_report_is_written_and_not_replaced_unasked(capsys, tmp_path):
    page = tmp_path / "report.html"
    _, err = call(capsys, "compare", "iris", *FAST, "--report", page)
    assert "<html" in page.read_text()
    assert f"Report written to {page}." in err
    page.write_text("mine")
    _, err = call(capsys, "compare", "iris", *FAST, "--report", page, code=2)
    assert "Add --force" in err
    assert page.read_text() == "mine"
    call(capsys, "compare", "iris", *FAST, "--report", page, "--force")
    assert "<html" in page.read_text()


def test_a_store_is_shown_exported_and_judged_again(capsys, tmp_path):
    store, scores = tmp_path / "runs.db", tmp_path / "scores.csv"
    first = json.loads(call(capsys, "compare", "iris", *FAST, "--store", store, "--json").out)
    status = json.loads(call(capsys, "store", "status", store, "--json").out)
    assert [
        (item["learner"], item["planned"], item["finished"]) for item in status["comparisons"]
    ] == [("majority", 10, 10), ("nearest-mean", 10, 10)]
    # ten each, and one each that measured what the learner costs by itself
    assert (status["runs"], len(status["machines"])) == (22, 1)
    assert "22 runs in 0.4 MB" in call(capsys, "store", "status", store).out
    call(capsys, "store", "export", store, "--measure", "error", "--output", scores)
    again = json.loads(call(capsys, "compare-scores", scores, "--json").out)
    assert again["edges"] == first["edges"]
    assert "Add --force" in call(capsys, "store", "export", store, "--output", scores, code=2).err
    out = call(capsys, "store", "export", store, "--shape", "wide", "--measure", "accuracy").out
    assert out.splitlines()[0] == "dataset,plan,repeat,fold,n_train,n_test,majority,nearest-mean"
    parquet = tmp_path / "scores.parquet"
    call(capsys, "store", "export", store, "--to", "parquet", "--output", parquet)
    assert len(pd.read_parquet(parquet)) == 20 * 5


def test_a_score_table_is_judged_with_its_direction(capsys, table):
    rng = np.random.default_rng(0)
    path = table(good=rng.normal(0.9, 0.02, 10), bad=rng.normal(0.5, 0.02, 10))
    out, _ = call(capsys, "compare-scores", path, "--direction", "higher", "--cv", "5x2")
    assert "Significantly worse: bad." in out
    options = ["--direction", "lower", "--n-train", 9, "--n-test", 1, "--prefer", "good,bad"]
    result = json.loads(call(capsys, "compare-scores", path, *options, "--json").out)
    assert result["best"] == "bad"


def test_data_sets_are_listed(capsys):
    assert "play-tennis" in call(capsys, "datasets").out
    listed = json.loads(call(capsys, "datasets", "--json").out)["datasets"]
    assert {"iris", "wine", "twonorm"} <= {item["name"] for item in listed}


# -- bad input: one sentence, exit code 2 --------------------------------------------------


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("compare iris --learners cart,cart", "must be different; got cart more than once"),
        ("compare iris --learners logistik", "Did you mean 'logistic'"),
        ("compare iris --cv 5y2", "cv must be one of"),
        ("compare iris --scoring eror", "Did you mean 'error'"),
        ("compare iris --alpha 2", "alpha must be a number above 0 and below 1; got 2.0"),
        ("compare iris --test z", "Known: corrected-t"),
        ("compare iris --correction hol", "Did you mean 'holm'"),
        ("compare iris --keep all", "keep must be a known one"),
        ("compare iris --timeout 0", "timeout must be"),
        ("compare iris --n-jobs 0", "n_jobs must be"),
        ("store export a.db --to xls", "--to must be one of csv, parquet, weka, amlb"),
        ("store export a.db --to parquet", "--output must name a file"),
        ("compare-scores a.csv --direction up", "--direction must be lower or higher; got 'up'"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(capsys, line, sentence):
    assert sentence in refused(capsys, *line.split())


def test_a_store_that_is_none_is_refused_and_left_alone(capsys, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("dear diary")
    for command in (
        ["store", "status", path],
        ["store", "export", path],
        ["compare", "iris", *FAST, "--store", path],
    ):
        assert "is not a store" in refused(capsys, *command)
    assert path.read_text() == "dear diary"
    assert "must be an existing file" in refused(capsys, "store", "status", tmp_path / "none.db")
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


# -- as a process --------------------------------------------------------------------------


def test_a_process_ends_with_the_exit_code():
    done = process("-m", "bestofk", "compare", "nowhere.csv")
    said = "bestofk: data must be an existing file; got nowhere.csv. Check the path.\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


def test_the_start_imports_nothing_heavy():
    code = (
        "import sys; from bestofk.cli import main; main(['--help']); "
        "heavy = {'sklearn', 'pandas', 'scipy', 'numpy', 'matplotlib'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    assert process("-c", code).stdout.splitlines()[-1] == "[]"


@pytest.mark.slow
def test_a_comparison_imports_nothing_that_it_does_not_use():
    code = (
        "import sys; from bestofk.cli import main; "
        "main('compare iris --learners majority,nearest-mean,logistic,cart,1nn'.split()); "
        "unused = {'matplotlib', 'jinja2', 'distributed', 'dask', 'IPython', 'sklearn.ensemble', "
        "'pydantic', 'bestofk.learners.calibrated', 'bestofk.inference.many_data_sets."
        "comparison_matrix', 'bestofk.cli.curve_commands'}; "
        "print(sorted(unused & set(sys.modules)))"
    )
    assert process("-c", code).stdout.splitlines()[-1] == "[]"


def slow_learner(folder):
    slow = learner_file(folder, "Slow", "time.sleep(0.05)", "return super().fit(X, y)")
    return f"{slow},majority"


def interrupted(arguments, n_runs):
    """Start a command, send Ctrl-C once some runs are stored, and return what it said."""
    command = [sys.executable, "-m", "bestofk", *map(str, arguments)]
    # a test run in the background of a shell ignores Ctrl-C, and what it starts would too
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        running = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
    finally:
        signal.signal(signal.SIGINT, before)
    heard = []
    for line in running.stderr:
        heard.append(line)
        if line.startswith(n_runs):
            break
    time.sleep(0.3)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    return running.returncode, out, "".join(heard) + err


@pytest.mark.slow
def test_ctrl_c_ends_with_the_verdict_and_the_line_that_resumes(tmp_path, capsys):
    store = tmp_path / "runs.db"
    arguments = ["compare", "iris", "--learners", slow_learner(tmp_path), "--cv", "40x2",
                 "--n-jobs", "1", "--store", store, "--json",
                 "--save-model", tmp_path / "pick.joblib"]  # fmt: skip
    code, out, err = interrupted(arguments, "After ")
    assert code == 130
    result = json.loads(out)
    assert result["best"] is not None
    assert 0 < result["runs"]["unfinished"] < 160
    assert "Interrupted. Completed runs are saved." in err.splitlines()
    assert "pick.joblib, because there is no final pick." in err
    assert not (tmp_path / "pick.joblib").exists()
    assert err.splitlines()[-1].startswith("To go on, run: bestofk compare iris --learners ")
    assert "Traceback" not in err
    done = json.loads(call(capsys, *arguments).out)["runs"]
    assert done["reused"] == result["runs"]["fitted"]
    assert done["fitted"] == result["runs"]["unfinished"]


@pytest.mark.parametrize("options", [[], ["--timeout", "60"]])
def test_a_learner_that_prints_spoils_no_result(tmp_path, capfd, options):
    loud = learner_file(
        tmp_path, "Loud", "print('hear')", "os.write(1, b'me')", "return super().fit(X, y)"
    )
    arguments = ["compare", "iris", "--learners", f"{loud},nearest-mean", "--cv", "1x2"]
    assert main([*arguments, *options, "--json"]) == 0
    out, err = capfd.readouterr()
    assert json.loads(out)["order"] == ["nearest-mean", "Loud"]
    assert "hear" in err
    assert "me" in err


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals of Unix")
def test_ctrl_c_takes_the_live_table_away_and_the_cursor_is_back(tmp_path):
    import pty

    command = [sys.executable, "-m", "bestofk", "compare", "iris", "--learners",
               slow_learner(tmp_path), "--cv", "40x2", "--n-jobs", "1",
               "--store", str(tmp_path / "runs.db")]  # fmt: skip
    process_id, terminal = pty.fork()
    if not process_id:  # the child has the terminal
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.execve(command[0], command, os.environ | {"TERM": "xterm", "COLUMNS": "80"})
    text, is_sent = "", False
    while True:
        try:
            read = os.read(terminal, 4096).decode(errors="replace")
        except OSError:  # the terminal of a process that is gone
            break
        if not read:
            break
        text += read
        if not is_sent and "still running: 2" in text:
            os.write(terminal, b"\x03")
            is_sent = True
    _, status = os.waitpid(process_id, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 130, text
    assert is_sent
    table, verdict = text.split("Interrupted. Completed runs are saved.")
    assert table.rindex("\x1b[?25h") > table.rindex("\x1b[?25l")  # the cursor is shown again
    assert table.rindex("\x1b[2K") > table.rindex("still running")  # what was drawn is erased
    assert "for now, after" in verdict
    assert "To go on, run: bestofk compare iris" in " ".join(verdict.split())
    assert "Traceback" not in text

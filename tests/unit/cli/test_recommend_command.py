import io
import json

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from tests.calls import learner_file, refused

from bestofk import recommend
from bestofk.cli import main, recommend_command
from bestofk.errors import InvalidArgumentError
from bestofk.recommendation.history import History
from bestofk.recommendation.report import Recommendation, TriedLearner

NAMES = ["nearest-mean", "lda", "majority"]
THREE = ["--learners", ",".join(NAMES)]


@pytest.fixture
def history(tmp_path):
    """Write a history of three data sets in which lda is the best, and return its path."""
    figures = {"lda": (0.9, 0.05), "nearest-mean": (0.8, 0.2), "majority": (0.5, 0.01)}
    rows = [
        {"data_set": f"d{i}", "learner": name, "accuracy": score - i / 100, "seconds": seconds}
        for i in range(3)
        for name, (score, seconds) in figures.items()
    ]
    path = tmp_path / "earlier.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


@pytest.fixture
def table(tmp_path):
    """Write a CSV file of columns and return its path."""

    def write(name="data.csv", **columns):
        path = tmp_path / name
        pd.DataFrame(columns).to_csv(path, index=False)
        return path

    return write


def call(capsys, *arguments, code=0):
    assert main(["recommend", *map(str, arguments)]) == code
    return capsys.readouterr()


# -- the way through -----------------------------------------------------------------------


def test_learners_are_tried_in_the_order_of_the_history_and_judged(capsys, history, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    out, err = call(capsys, "iris", *THREE, "--history", history, "--budget", "60s")
    lines = out.splitlines()
    assert lines[0] == "Use lda: 2.0% error (AUROC 0.999)."
    start = next(i for i, line in enumerate(lines) if line.startswith("---"))
    assert lines[start + 1].split()[:4] == ["lda", "2.0%", "10/10", "done"]
    said = "iris: 3 of 3 learners tried in the order of earlier results, 3 in full."
    assert said in " ".join(out.split())
    assert "likely to be within 1 point of the best of these three" in " ".join(out.split())
    assert "the budget is 60 s." in " ".join(out.split())
    assert "  1/3 lda: error rate 0.0200 in " in err
    assert err.splitlines()[-1].startswith("The runs were kept in memory only; add --store FILE")


def test_a_dry_run_tries_nothing(capsys, history):
    out, err = call(capsys, "iris", *THREE, "--history", history, "--budget", "10s",
                    "--dry-run")  # fmt: skip
    assert out.startswith("Try lda first, then nearest-mean, majority.\n")
    assert out.index("\nlda ") < out.index("\nnearest-mean ") < out.index("\nmajority ")
    assert err == ""


def test_a_dry_run_shows_what_does_not_fit(capsys, history):
    out, _ = call(capsys, "iris", *THREE, "--history", history, "--budget", "0.04s", "--dry-run")
    assert out.count("does not fit") == 2
    assert "beyond the budget of 40 ms: lda, nearest-mean." in " ".join(out.split())


def test_json_is_one_object_on_standard_output(capsys, history):
    out, _ = call(capsys, "iris", *THREE, "--history", history, "--json")
    result = json.loads(out)
    assert (result["best"], result["budget_seconds"]) == ("lda", None)
    assert [item["state"] for item in result["tried"]] == ["done"] * 3
    assert result["planned"][0]["learner"] == "lda"
    assert result["comparison"]["best"] == "lda"
    assert result["answer"][0] == "Use lda: 2.0% error (AUROC 0.999)."
    assert result["text"] == "\n".join(result["answer"])


def test_a_store_is_written_and_serves_as_history(capsys, tmp_path, history):
    store = tmp_path / "runs.db"
    _, err = call(capsys, "iris", *THREE, "--history", history, "--store", store)
    assert "--store" not in err
    out, _ = call(capsys, "wine", *THREE, "--history", store, "--dry-run", "--json")
    assert json.loads(out)["planned"][0]["learner"] == "lda"


# -- where it cannot be --------------------------------------------------------------------


def test_a_learner_that_fails_is_named_and_the_exit_code_is_1(capsys, tmp_path, history):
    bad = learner_file(tmp_path, "Bad", "raise ValueError('never')")
    learners = f"{bad},nearest-mean,lda"
    out, err = call(capsys, "iris", "--learners", learners, "--history", history, code=1)
    assert "Failed: Bad." in " ".join(out.split())
    assert "Bad: failed, error rate - in " in err
    assert out.startswith("Use lda: ")


def test_data_that_cannot_be_used_are_refused_in_a_sentence(capsys, table):
    assert "existing file; got missing.csv" in refused(capsys, "recommend", "missing.csv")
    assert "target must be a column of iris; got 'zzz'" in refused(
        capsys, "recommend", "iris", "--target", "zzz"
    )
    item = table(a=np.arange(30) % 7, y=["no"] * 30)
    assert "must have at least two classes; got only 'no'" in refused(
        capsys, "recommend", item, "--target", "y"
    )


@pytest.mark.parametrize("text", ["0", "abc", "-5", "1d2"])
def test_a_budget_that_is_no_time_is_refused(capsys, text):
    message = refused(capsys, "recommend", "iris", f"--budget={text}")
    assert f"--budget must be a length of time above 0; got '{text}'. Write 90s" in message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "must hold rows; got an empty file"),
        ("data_set,learner,accuracy,seconds\n", "at least one row below its header"),
        ("data_set,learner,accuracy,seconds\nx,lda,abc,1\n", "plain numbers in column 'accuracy'"),
        ("data_set,learner,accuracy,seconds\nx,lda,1.7,1\n", "scores from 0 to 1; got 1.7"),
        ("data_set,learner,accuracy,seconds\nx,lda,0.7,-1\n", "seconds of at least 0; got -1"),
    ],
)
def test_a_broken_history_is_refused_in_a_sentence(capsys, tmp_path, content, message):
    path = tmp_path / "broken.csv"
    path.write_text(content)
    assert message in refused(capsys, "recommend", "iris", "--history", path)


def test_columns_measure_and_direction_of_a_history_may_be_said(capsys, tmp_path):
    path = tmp_path / "runs.csv"
    rows = [f"d{i},{name},{fit},{1 - fit},1" for i in range(3)
            for name, fit in (("lda", 0.9), ("majority", 0.5))]  # fmt: skip
    path.write_text("where,who,fit,misfit,wall\n" + "\n".join(rows) + "\n")
    options = ["--history", path, "--map", "dataset=where", "--map", "learner=who", "--map",
               "seconds=wall", "--dry-run", "--learners", "majority,lda"]  # fmt: skip
    assert "name one of several; got fit, misfit" in refused(capsys, "recommend", "iris", *options)
    assert "direction of the measure 'fit' must be" in refused(
        capsys, "recommend", "iris", *options, "--measure", "fit"
    )
    for more in (("fit", "higher"), ("misfit", "lower")):
        both = ["--measure", more[0], "--direction", more[1]]
        out, _ = call(capsys, "iris", *options, *both, "--json")
        assert json.loads(out)["planned"][0]["learner"] == "lda"
    assert "--map must come with --history; got it without" in refused(
        capsys, "recommend", "iris", "--map", "learner=who"
    )


# -- progress ------------------------------------------------------------------------------


def test_a_terminal_shows_a_line_for_each_learner_and_who_leads():
    plan = recommend("iris", learners=NAMES, dry_run=True)
    console = Console(file=io.StringIO(), force_terminal=True, width=80, highlight=False)
    with recommend_command._progress(plan, console, quiet=False) as observe:
        observe(TriedLearner("lda", "done", 0.02, 10, 0.03, 0.1, 0.02, "lda"))
        observe(TriedLearner("majority", "cut off", 0.5, 4, 0.03, 0.1, 0.02, "lda"))
    said = console.file.getvalue()
    assert "  1/3 lda: error rate 0.0200 in 30 ms; best so far: lda" in said
    assert "  2/3 majority: cut off, error rate 0.5000 in 30 ms; best so far: lda" in said
    assert "trying the first learner" in said


# -- what a recommendation gives back ------------------------------------------------------


def found(tried, **changes):
    plan = recommend("iris", learners=NAMES, dry_run=True)
    return Recommendation(
        "iris", plan.task, plan.measure, plan.planned, tuple(tried), (), None, None, 1.0, (),
        **changes,
    )  # fmt: skip


def test_the_curve_falls_where_whole_tests_end():
    tried = [
        TriedLearner("majority", "done", 0.6, 10, 1.0, 0.0, 1.0, "majority"),
        TriedLearner("lda", "ended early", 0.05, 3, 2.0, 0.0, 1.0, "majority"),
        TriedLearner("nearest-mean", "done", 0.1, 10, 4.0, 0.0, 1.0, "nearest-mean"),
    ]
    curve = found(tried, default_loss=0.7).curve()
    assert curve.seconds.tolist() == [0.0, 1.0, 7.0]
    np.testing.assert_allclose(curve.losses, [0.6, 0.5, 0.0], rtol=1e-12)


def test_the_curve_starts_at_the_worst_where_nobody_knows_the_default():
    tried = [
        TriedLearner("majority", "done", 0.6, 10, 1.0, 0.0, 1.0, "majority"),
        TriedLearner("lda", "done", 0.1, 10, 2.0, 0.0, 1.0, "lda"),
    ]
    curve = found(tried).curve()
    assert curve.seconds.tolist() == [0.0, 3.0]
    np.testing.assert_allclose(curve.losses, [0.5, 0.0], rtol=1e-12)


def test_there_is_no_curve_without_a_whole_test():
    with pytest.raises(InvalidArgumentError, match="at least one learner tested in full"):
        found([]).curve()


def test_a_recommendation_prints_as_its_text_and_shows_as_a_line():
    history = History.from_arrays([[0.8, 0.9, 0.3]], [[1.0, 1.0, 1.0]], learners=NAMES)
    result = recommend("iris", learners=NAMES, history=history)
    first, *rest = repr(result).splitlines()
    assert first == "<Recommendation for iris: best is lda>"
    assert tuple(rest) == result.answer
    assert " ".join(result.answer) in " ".join(str(result).split())
    assert result.text() == "\n".join(result.answer)
    assert result.answer[0].startswith("Use lda: ")
    assert result.curve().losses[-1] == 0


def test_a_page_has_the_report_with_a_picture_and_is_written_once(capsys, history, tmp_path):
    page = tmp_path / "page.html"
    line = ("iris", *THREE, "--history", history, "--report", str(page), "--quiet")
    out, err = call(capsys, *line)
    html = page.read_text()
    for text in out.splitlines():
        assert f"<p>{text}</p>" in html
    assert len(out.splitlines()) == 3
    assert html.count("<svg") == 1
    assert err == ""
    call(capsys, *line, code=2)

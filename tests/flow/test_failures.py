"""Failures of a learner on one split: only that run is lost, and every report says so."""

import json
import subprocess
import sys

import pytest
from sklearn.datasets import load_iris

from bestofk import compare, load_data
from bestofk.cli import main
from bestofk.learners.from_file import learner_from_file
from bestofk.report.sections import learner_table

X, y = load_iris(return_X_y=True)
SOURCE = '''
import os, time
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

class Faulty(ClassifierMixin, BaseEstimator):
    """Goes wrong in one way on one set of training rows."""

    def __init__(self, how="raise", mark=None):
        self.how = how
        self.mark = mark

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        mark = (np.asarray(X, dtype=float) ** 3 @ [1.0, 2.0, 3.0, 4.0]).sum()
        self.is_hit_ = self.mark is None or abs(mark - self.mark) < 1e-6
        if self.is_hit_ and self.how == "raise":
            raise ValueError("no fit for this")
        if self.is_hit_ and self.how == "interrupt":
            raise KeyboardInterrupt
        if self.is_hit_ and self.how == "sleep":
            time.sleep(600)
        if self.is_hit_ and self.how == "die":
            os._exit(3)
        return self

    def predict(self, X):
        n = len(X)
        if not self.is_hit_:
            return np.repeat(self.classes_[:1], n)
        return {"nan": np.full(n, np.nan), "shape": np.zeros((n, 2)), "class": np.full(n, 99)}[
            self.how
        ]

raising, strange = Faulty(), Faulty("class")
'''
MESSAGES = {
    "raise": "fit raised ValueError: no fit for this",
    "nan": "predict returned NaN in 15 of 15 rows",
    "shape": "predict must return shape (15,); got (15, 2)",
    "class": "predict returned class 99, which the data do not have, in 15 of 15 rows",
    "sleep": "ended after 2 s (timeout)",
    "die": "the process of the run died (exit code 3)",
}


@pytest.fixture
def faulty(tmp_path):
    path = tmp_path / "faulty.py"
    path.write_text(SOURCE)
    return type(learner_from_file(f"{path}:raising")[1])


@pytest.fixture(scope="module")
def mark():
    rows = compare(["majority"], X, y, cv="1x10").evaluation.plan.split(0, 4).train_rows
    return float((X[rows] ** 3 @ [1.0, 2.0, 3.0, 4.0]).sum())


@pytest.fixture(scope="module")
def whole():
    """Return the scores of a learner in a comparison in which nothing fails."""
    frame = compare({"lda": "lda", "nearest": "nearest-mean"}, X, y, cv="1x10").to_frame()
    return frame[frame.learner == "lda"].reset_index(drop=True).value


@pytest.mark.parametrize("how", MESSAGES)
def test_one_failed_run_is_a_record_and_its_split_is_left_out_for_all(how, faulty, mark, whole):
    timeout = 2 if how in ("sleep", "die") else None
    learners = {"odd": faulty(how, mark), "lda": "lda", "nearest": "nearest-mean"}
    result = compare(learners, X, y, cv="1x10", timeout=timeout)
    status = ["timeout" if how == "sleep" else "error"]
    assert result.evaluation.status[0].tolist() == ["ok"] * 4 + status + ["ok"] * 5
    assert (result.evaluation.status[1:] == "ok").all()
    frame = result.to_frame()
    assert frame.query("learner == 'odd' and fold == 4").message.iloc[0] == MESSAGES[how]
    assert result.best == "lda"
    assert result.verdict().n_splits == 9
    warned = " ".join(result.findings.warnings)
    assert f"odd failed in 1 of 10 runs; repeat 0, fold 4: {MESSAGES[how]}." in warned
    assert (
        "The verdict rests on 9 of 10 splits, those for which every learner has a score: runs of "
        "odd failed." in warned
    )
    beside = frame[frame.learner == "lda"].reset_index(drop=True).value
    assert whole.equals(beside)  # others draw and score as if it were not there


OF_A_SCRIPT = """
from bestofk import compare
from sklearn.dummy import DummyClassifier

class Own(DummyClassifier):
    pass

print(compare(["nearest-mean", ("own", Own())], "iris", cv="2").evaluation.status.tolist())
"""


@pytest.mark.slow
def test_a_class_of_a_script_is_known_to_the_process_of_its_runs(tmp_path):
    (tmp_path / "script.py").write_text(OF_A_SCRIPT)
    command = [sys.executable, str(tmp_path / "script.py")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.stdout == "[['ok', 'ok'], ['ok', 'ok']]\n", result.stderr


def test_under_the_protocol_one_failure_leaves_out_the_learner(faulty):
    plan = compare(["majority"], X, y, protocol="multitest-2006").evaluation.plan
    rows = plan.split(2, 1).train_rows
    odd = faulty("nan", float((X[rows] ** 3 @ [1.0, 2.0, 3.0, 4.0]).sum()))
    result = compare({"odd": odd, "lda": "lda"}, X, y, protocol="multitest-2006")
    assert (result.best, result.order) == ("lda", ["lda"])
    assert result.verdict().left_out == {"odd": "1 of 10 runs failed"}
    assert result.verdict().n_splits == 10
    assert result.findings.learner("odd").n_failed == 1


@pytest.mark.parametrize("names", ["raising", "raising,strange"])
def test_the_command_line_ends_with_1_and_names_the_failure(tmp_path, capsys, names):
    (tmp_path / "faulty.py").write_text(SOURCE)
    own = ",".join(f"{tmp_path / 'faulty.py'}:{name}" for name in names.split(","))
    command = ["compare", "iris", "--learners", f"{own},lda", "--cv", "1x5", "--json"]
    assert main(command) == 1
    result = json.loads(capsys.readouterr().out)
    assert (result["best"], result["candidates"]) == ("lda", ["lda"])
    failed = {item["name"]: item["n_failed"] for item in result["learners"]}
    assert failed == {**dict.fromkeys(names.split(","), 5), "lda": 0}
    assert any(MESSAGES["raise"] in text for text in result["warnings"])


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize(("cv", "n_folds"), [("adaptive", 5), ("3x3", 3)])
def test_an_interrupted_learner_takes_no_verdict_away_from_the_others(faulty, cv, n_folds):
    learners = ["lda", "nearest-mean", ("odd", faulty("interrupt"))]
    result = compare(learners, X, y, cv=cv, batched="never")
    verdict = result.verdict()
    assert (verdict.best, verdict.order) == ("lda", ["lda", "nearest-mean"])
    assert (verdict.left_out, verdict.n_splits) == ({"odd": "no run was finished"}, n_folds)
    assert " ".join(result.answer).count("No result: odd.") == 1
    table = result.findings.learners
    assert [item.n_runs for item in table] == [n_folds, n_folds, 0]
    if cv == "adaptive":
        cells = {row.name: row.cells for row in learner_table(result.findings).rows}
        assert [cells[item.name][3] for item in table] == ["1", "1", "0"]
        assert result.stopping_history.n_folds == n_folds


@pytest.mark.usefixtures("in_this_process")
def test_without_any_finished_run_nothing_is_made_up(faulty):
    learners = [("odd", faulty("interrupt")), ("even", faulty("interrupt"))]
    result = compare(learners, X, y, cv="3x3", batched="never")
    text = result.text(verbose=True)
    assert (result.best, result.verdict().test) == (None, "")
    assert "Holm" not in text
    assert "the scores were given" not in text
    assert "- 0 runs, 18 not done." in text


def test_failures_in_a_store_are_told_again_and_not_tried_again(tmp_path, faulty, mark):
    learners = {"odd": faulty("raise", mark), "lda": "lda"}
    data = load_data("iris")
    first = compare(learners, data, cv="1x10", store=tmp_path / "s.db")
    again = compare(learners, data, cv="1x10", store=tmp_path / "s.db")
    assert (first.evaluation.n_fitted, again.evaluation.n_fitted) == (20, 0)
    assert again.findings.warnings == first.findings.warnings
    assert again.verdict().pairs == first.verdict().pairs

"""Probabilities in a comparison: calibration, miscalibration, and who is better by log loss."""

import json
import math

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import Perceptron
from sklearn.naive_bayes import GaussianNB

from bestofk import compare
from bestofk.cli import main
from bestofk.errors import InvalidArgumentError
from bestofk.learners import resolve_learners
from bestofk.report.sentences.answers import answer

RNG = np.random.default_rng(5)
X, Y = make_classification(240, 6, n_informative=3, n_redundant=3, flip_y=0.1, random_state=4)


pytestmark = pytest.mark.usefixtures("module_in_this_process")


class LabelsOnly:
    """Own learner without probabilities and without parameters."""

    def fit(self, X, y):
        self.first = y[0]
        return self

    def predict(self, X):
        return np.full(len(X), self.first)


@pytest.fixture(scope="module")
def plain():
    return compare(["naive-bayes", "1nn", "logistic"], X, Y, cv="5x4")


def test_the_answer_names_a_learner_that_is_significantly_better_by_log_loss():
    # by error 1nn wins where rows come in pairs, but its probabilities are all 0 or 1
    centers = RNG.uniform(0, 1, (60, 2))
    rows = np.repeat(centers, 4, axis=0) + RNG.normal(0, 1e-3, (240, 2))
    labels = np.repeat((centers[:, 0] > 0.5) ^ (RNG.random(60) < 0.2), 4).astype(int)
    labels[::24] ^= 1
    result = compare(["1nn", "logistic"], rows, labels, cv="5x4")
    findings = result.findings
    assert result.best == "1nn"
    assert findings.better_probabilities == "logistic"
    edges = [(e.better, e.worse) for e in result.verdict(scoring="log_loss").edges]
    assert ("logistic", "1nn") in edges
    own, other = findings.log_loss("1nn"), findings.log_loss("logistic")
    said = f"For probabilities, logistic is better: log loss {other:.3g} against {own:.3g}."
    assert answer(findings)[1].endswith(said)
    assert json.loads(result.to_json())["better_probabilities"] == "logistic"
    assert "by log loss, logistic would win" not in result.text(verbose=True)
    # the same with the switches of the page where they start
    switches = result._page_parts("").switches
    assert switches.findings[switches.start].better_probabilities == "logistic"


@pytest.mark.parametrize("options", [{"scoring": "log_loss"}, {"scoring": "brier"},
                                     {"prefer": "given"}])  # fmt: skip
def test_where_probabilities_or_a_preference_decide_nothing_is_added(options):
    result = compare(["1nn", "logistic"], X, Y, cv="5x2", **options)
    assert result.findings.better_probabilities == ""


def test_a_pick_without_better_rivals_gets_no_sentence(plain):
    edges = plain.verdict(scoring="log_loss").edges
    better = {edge.better for edge in edges if edge.worse == plain.best}
    assert (plain.findings.better_probabilities != "") == bool(better)


def test_miscalibration_is_in_table_details_and_json_once_it_is_asked_for(plain):
    text, findings = plain.text(verbose=True), plain.findings
    item = findings.learner("1nn").miscalibration
    assert f"{item.value:.3f} (" in text
    assert "Miscalibration: how much lower" in " ".join(text.split())
    learner = json.loads(plain.to_json())["learners"][1]
    assert learner["miscalibration"] == {"value": item.value, "expected": item.expected}
    assert "miscalibration" not in plain.text()
    assert item is plain.evaluation.miscalibration(1)  # computed once for all reports
    result = compare(["logistic", "cart"], X, Y, cv="3x2")
    result.text()
    item = result.findings.learner("cart").miscalibration
    assert "value" not in vars(item)
    assert item.repeat_of_run.tolist() == [0, 0, 1, 1, 2, 2]


def test_without_probabilities_there_is_none():
    learners = {"perceptron": Perceptron(), "labels": LabelsOnly(), "bayes": GaussianNB()}
    result = compare(learners, X, Y, cv="1x3")
    known = [item.miscalibration is not None for item in result.findings.learners]
    assert known == [False, False, True]
    kept = compare(learners, X, Y, cv="1x3", keep="labels")
    assert not kept.findings.has_miscalibration
    assert "miscalibration" not in kept.text(verbose=True)
    assert not compare(["ridge", "mean"], X, X[:, 0], cv="1x3").findings.has_miscalibration


def test_calibration_makes_bold_probabilities_honest(plain):
    result = compare(["1nn", "naive-bayes", "logistic"], X, Y, cv="2x4", calibrate=True)
    names = ["calibrated(1nn)", "calibrated(naive-bayes)", "calibrated(logistic)"]
    assert result.evaluation.names == names
    before, after = (r.findings.learner(n).miscalibration
                     for r, n in ((plain, "1nn"), (result, "calibrated(1nn)")))  # fmt: skip
    assert after.value < 0.1 * before.value
    ids = {identity.id for r in (plain, result) for identity in r.evaluation.identities}
    assert len(ids) == 6


def test_baselines_and_learners_without_scores_stay_as_they_are():
    learners = [("bayes", GaussianNB()), ("labels", LabelsOnly()), ("perceptron", Perceptron())]
    result = compare(learners, X, Y, cv="1x3", calibrate=True)
    assert result.evaluation.names == ["calibrated(bayes)", "labels", "calibrated(perceptron)"]
    assert any(note.startswith("Not calibrated: labels.") for note in result.notes)
    assert not math.isnan(result.findings.log_loss("calibrated(perceptron)"))
    few = "fast," + ",".join(
        f"-{item.name}" for item in resolve_learners("fast", "classification")[3:]
    )
    names = compare(few, X, Y, cv="1x2", calibrate=True).evaluation.names
    assert "majority" in names


def test_rare_classes_are_told_of_and_cost_no_run():
    y = Y.copy()
    y[np.flatnonzero(Y == 0)[:3]] = 2
    result = compare(["naive-bayes", "5nn"], X, y, cv="1x3", calibrate=True)
    assert any("has as few as 2 training rows: calibration" in note for note in result.notes)
    y[np.flatnonzero(y == 2)[2:]] = 0
    single = compare(["naive-bayes", "5nn"], X, y, cv="1x3", calibrate=True)
    assert any("as few as 1 training row:" in note for note in single.notes)
    for found in (result, single):
        assert found.findings.n_failed == 0


def test_tuned_learners_groups_and_weights_go_along():
    result = compare(["5nn", "logistic"], X, Y, cv="1x2", tune=True, calibrate=True)
    assert result.evaluation.names == ["calibrated(tuned(knn))", "calibrated(tuned(logistic))"]
    assert result.findings.n_failed == 0
    groups = np.arange(len(Y)) // 4
    result = compare(["naive-bayes", "5nn"], X, Y, cv="1x3", calibrate=True, groups=groups,
                     sample_weight=np.where(Y, 2.0, 1.0))  # fmt: skip
    assert result.findings.n_failed == 0


def test_what_cannot_be_calibrated_is_refused_in_a_sentence():
    with pytest.raises(InvalidArgumentError, match="calibrate must be False for regression"):
        compare(["ridge"], X, X[:, 0], cv="1x3", calibrate=True)
    with pytest.raises(InvalidArgumentError, match="calibrate must be True or False; got 'iso"):
        compare(["logistic"], X, Y, cv="1x3", calibrate="isotonic")


def test_the_command_line_has_it_too(capsys):
    asked = ["--cv", "1x2", "--engine", "serial", "--calibrate"]
    assert main(["compare", "iris", "--learners", "lda", *asked]) == 0
    assert capsys.readouterr().out.startswith("Use calibrated(lda): ")
    assert main(["compare", "diabetes", "--learners", "ridge", *asked]) == 2
    assert "calibrate must be False for regression; got True." in capsys.readouterr().err

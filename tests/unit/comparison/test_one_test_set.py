"""Verdicts on one test set: pairs by the rows of every measure that is a mean over rows."""

import numpy as np
import pytest

from bestofk import compare
from bestofk.data.generators import twonorm, waveform
from bestofk.inference import cv_central_limit_test
from bestofk.learners import resolve_learners

LEARNERS = ["nearest-mean", "naive-bayes", "lda"]
ROWS = waveform(300, 2)
X, Y = ROWS.features, ROWS.target


def pairs_of(scoring, **options):
    options = {"cv": "test:120", "store": None} | options
    return compare(LEARNERS, X, Y, scoring=scoring, **options).findings.verdict.pairs


def row_losses(name, scoring):
    model = resolve_learners([name], "classification")[0].estimator.fit(X[:180], Y[:180])
    chances, labels = model.predict_proba(X[180:]), model.predict(X[180:])
    true = np.searchsorted(model.classes_, Y[180:])
    if scoring == "log_loss":
        return -np.log(chances[np.arange(120), true])
    if scoring == "brier":
        return ((chances - np.eye(3)[true]) ** 2).sum(axis=1)
    return np.abs(true - np.searchsorted(model.classes_, labels)).astype(float)


@pytest.mark.parametrize("scoring", ["log_loss", "brier", "cost"])
def test_pairs_have_the_interval_of_their_row_losses(scoring):
    options = {"cost_matrix": [[0, 1, 2], [1, 0, 1], [2, 1, 0]]} if scoring == "cost" else {}
    pairs = pairs_of(scoring, **options)
    losses = {name: row_losses(name, scoring) for name in LEARNERS}
    assert len(pairs) == 3
    for pair in pairs:
        single = cv_central_limit_test(losses[pair.first], losses[pair.second])
        assert pair.difference == pytest.approx(single.estimate)
        assert (pair.low, pair.high) == pytest.approx(single.confidence_interval())
        assert pair.p_value == pytest.approx(single.p_value)
        assert pair.p_first_better + pair.p_equivalent + pair.p_second_better == pytest.approx(1)


def test_errors_have_an_interval_of_their_difference():
    for pair in pairs_of("error"):
        assert pair.low < pair.difference < pair.high
        assert np.isfinite(pair.p_first_better)


def test_losses_of_regression_and_their_roots_are_compared_on_rows():
    target = X[:, 3] + X[:, 4] ** 2
    learners = ["ridge", "cart-regressor"]
    for scoring, power in (("mse", 2), ("mae", 1)):
        result = compare(
            learners, X, target, scoring=scoring, cv="test:120", task="regression", store=None
        )
        predicted = [records[0].predictions.labels for records in result.evaluation.records]
        losses = [np.abs(values - target[180:]) ** power for values in predicted]
        (pair,) = result.findings.verdict.pairs
        single = cv_central_limit_test(*losses)
        assert (pair.low, pair.high) == pytest.approx(single.confidence_interval())
    learners, options = ["ridge", "cart-regressor"], {"cv": "test:120", "task": "regression"}
    result = compare(learners, X, target, **options)
    predicted = [records[0].predictions.labels for records in result.evaluation.records]
    squares = np.array([(values - target[180:]) ** 2 for values in predicted])
    roots = np.sqrt(squares.mean(axis=1))
    (pair,) = result.findings.verdict.pairs
    assert pair.difference == pytest.approx(roots[0] - roots[1])
    change = squares[0] / (2 * roots[0]) - squares[1] / (2 * roots[1])
    half = 1.959964 * change.std(ddof=1) / 120**0.5
    assert (pair.low, pair.high) == pytest.approx((pair.difference - half, pair.difference + half))
    assert "which are squared errors here" in " ".join(result.text(verbose=True).split())
    assert result.findings.verdict.rope == pytest.approx(0.02 * roots.min())


@pytest.mark.parametrize(
    ("scoring", "options", "reason"),
    [
        ("f1", {}, "macro F1 is not computed row by row"),
        ("mcc", {}, "is not computed row by row"),
        ("balanced_accuracy", {}, "is not computed row by row"),
        ("auroc", {}, "DeLong's test of AUROC is for two classes"),
        ("error", {"keep": "scores"}, "the predictions of its rows were not kept"),
    ],
)
def test_without_a_test_the_verdict_says_why(scoring, options, reason):
    result = compare(LEARNERS, X, Y, scoring=scoring, cv="holdout", store=None, **options)
    verdict = result.findings.verdict
    assert not verdict.pairs
    assert sorted(verdict.candidates) == sorted(LEARNERS)
    said = verdict.warnings[0]
    assert said.startswith("No test can be made from one test set, because ")
    assert said.endswith(f"{reason}: every learner stays a candidate.")


def test_areas_of_two_classes_keep_the_test_of_delong():
    data = twonorm(300, 1)
    result = compare(LEARNERS, data, scoring="auroc", cv="holdout", store=None)
    assert result.findings.verdict.test == "delong"
    assert len(result.findings.verdict.pairs) == 3


def test_a_test_of_rows_can_be_asked_for_by_its_name():
    assert len(pairs_of("brier", test="cv-central-limit")) == 3
    with pytest.raises(ValueError, match=r"cv-central-limit.*for 'error'"):
        pairs_of("error", test="cv-central-limit")

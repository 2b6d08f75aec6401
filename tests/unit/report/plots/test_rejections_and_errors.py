from types import SimpleNamespace

import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.report import RejectionGraphDisplay, ScoreDistributionDisplay
from bestofk.report.plots import RejectionsAndErrorsDisplay


def test_one_row_per_learner_says_quartiles_and_who_is_better(make):
    display = RejectionsAndErrorsDisplay.from_comparison(SimpleNamespace(findings=make()))
    frame = display.to_frame()
    assert frame["learner"].tolist() == ["logistic", "cart", "1nn", "nearest-mean", "majority"]
    assert frame["worse_than"].tolist() == ["", "", "cart", "logistic", "logistic"]
    assert frame["median"][0] == pytest.approx(0.05)
    assert frame["lower_quartile"][0] == pytest.approx(0.0375)
    assert frame["upper_quartile"][0] == pytest.approx(0.0625)


def test_other_learners_or_another_order_are_refused(make):
    findings = make()
    graph = RejectionGraphDisplay.from_findings(findings)
    scores = ScoreDistributionDisplay({"x": [0.1]}, measure_title="error", greater_is_better=False)
    with pytest.raises(InvalidArgumentError, match="graph and scores must have the same learners"):
        RejectionsAndErrorsDisplay(graph, scores)

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.patches import FancyArrowPatch

from bestofk.errors import InvalidArgumentError
from bestofk.report import RejectionGraphDisplay, ScoreDistributionDisplay
from bestofk.verdict import Edge


def test_the_graph_holds_the_edges_of_the_verdict(make):
    display = RejectionGraphDisplay.from_comparison(SimpleNamespace(findings=make()))
    assert display.names == ["logistic", "cart", "1nn", "nearest-mean", "majority"]
    pairs = [["majority", "logistic"], ["nearest-mean", "logistic"], ["1nn", "cart"]]
    assert display.to_frame()[["worse", "better"]].values.tolist() == pairs


def test_the_graph_draws_one_arrow_per_edge_and_names_every_learner(make):
    display = RejectionGraphDisplay.from_findings(make()).plot()
    arrows = [patch for patch in display.ax_.patches if isinstance(patch, FancyArrowPatch)]
    assert len(arrows) == 3
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels[0] == "logistic"
    assert display.ax_.figure is display.figure_


def full_graph(n_learners):
    names = [f"$learner_{i}" for i in range(n_learners)]
    edges = [Edge(b, a, 1, 1, 0, 0) for i, a in enumerate(names) for b in names[i + 1 :]]
    return RejectionGraphDisplay(
        names, np.linspace(0, 1, n_learners), edges, names[0], measure_title="error"
    )


def test_a_graph_of_more_than_eight_learners_keeps_its_numbers_and_names_another_picture():
    graph = full_graph(9)
    assert len(graph.to_frame()) == 36
    with pytest.raises(InvalidArgumentError, match=r"8 learners at most; got 9\. Use Differences"):
        graph.plot()


def test_scores_are_listed_by_learner_and_split(make):
    display = ScoreDistributionDisplay.from_comparison(SimpleNamespace(findings=make()))
    frame = display.to_frame()
    assert len(frame) == 20
    assert frame["learner"].iloc[0] == "logistic"
    np.testing.assert_allclose(frame["score"].iloc[:4], [0.03, 0.04, 0.06, 0.07])


def test_a_learner_without_scores_keeps_its_line():
    display = ScoreDistributionDisplay(
        {"a": [], "b": [0.1, np.nan]}, measure_title="error", greater_is_better=False
    ).plot()
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == ["a", "b"]

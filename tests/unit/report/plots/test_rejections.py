from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch
from matplotlib.text import Text
from tests.unit.report.plots.written import caption_of, labels_of

from bestofk.errors import InvalidArgumentError
from bestofk.report import RejectionGraphDisplay, ScoreDistributionDisplay
from bestofk.report.plots.drawing import BLUE, GRAY
from bestofk.verdict import Edge


def test_the_graph_holds_the_edges_of_the_verdict(make):
    display = RejectionGraphDisplay.from_comparison(SimpleNamespace(findings=make()))
    assert display.names == ["logistic", "cart", "1nn", "nearest-mean", "majority"]
    assert display.to_frame()[["worse", "better"]].values.tolist() == [
        ["majority", "logistic"],
        ["nearest-mean", "logistic"],
        ["1nn", "cart"],
    ]


def test_the_graph_draws_one_arrow_per_edge_and_names_every_learner(make):
    display = RejectionGraphDisplay.from_findings(make()).plot()
    arrows = [patch for patch in display.ax_.patches if isinstance(patch, FancyArrowPatch)]
    assert len(arrows) == 3
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels[0] == "logistic"
    assert display.ax_.figure is display.figure_


@pytest.mark.parametrize("n_learners", [1, 2, 8])
def test_the_graph_of_up_to_eight_learners_can_be_drawn(n_learners):
    display = full_graph(n_learners).plot()
    display.figure_.canvas.draw()
    texts = " ".join(text.get_text() for text in display.figure_.findobj(Text))
    assert all(f"learner_{i}" in texts for i in range(n_learners))


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


def test_arrows_to_the_pick_are_blue_and_others_gray():
    colors = [to_hex(patch.get_edgecolor()) for patch in full_graph(3).plot().ax_.patches]
    assert colors == [BLUE.lower(), BLUE.lower(), GRAY]


def test_an_arrow_against_the_order_can_be_drawn():
    edge = Edge("a", "b", 0.1, 1.0, 0.0, 0.0)
    display = RejectionGraphDisplay(["a", "b"], [0.1, 0.2], [edge], "a", measure_title="error")
    assert len(display.plot().ax_.patches) == 1


def test_scores_are_listed_by_learner_and_split(make):
    display = ScoreDistributionDisplay.from_comparison(SimpleNamespace(findings=make()))
    frame = display.to_frame()
    assert len(frame) == 20
    assert frame["learner"].iloc[0] == "logistic"
    np.testing.assert_allclose(frame["score"].iloc[:4], [0.03, 0.04, 0.06, 0.07])


def test_the_axis_says_the_direction(make):
    display = ScoreDistributionDisplay.from_findings(make()).plot()
    assert display.ax_.get_xlabel().startswith("error rate (%) per split; left is better")
    upwards = ScoreDistributionDisplay(
        {"a": [0.1]}, measure_title="AUROC", greater_is_better=True
    ).plot()
    assert upwards.ax_.get_xlabel().startswith("AUROC per split; right is better")


def test_a_learner_without_scores_keeps_its_line():
    display = ScoreDistributionDisplay(
        {"a": [], "b": [0.1, np.nan]}, measure_title="error", greater_is_better=False
    ).plot()
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == ["a", "b"]


def test_long_names_are_shortened_beside_the_axis_and_stay_different():
    display = ScoreDistributionDisplay(
        {"x" * 40 + "_1": [0.1], "x" * 40 + "_2": [0.1]},
        measure_title="error",
        greater_is_better=False,
    ).plot()
    texts = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert texts == ["x" * 11 + "…" + "x" * 10 + f"_{i}" for i in (1, 2)]


def test_the_graph_names_the_average_it_shows(make):
    display = RejectionGraphDisplay.from_findings(make()).plot()
    assert caption_of(display).endswith("Numbers: error rate (%).")
    assert [text.get_text() for text in labels_of(display)][:2] == ["5.0%", "6.0%"]


def test_a_learner_far_off_is_an_arrowhead_with_its_mean_and_does_not_squeeze_the_others():
    display = ScoreDistributionDisplay(
        {"a": [0.1, 0.12], "b": [0.11, 0.13], "c": [0.12, 0.14], "majority": [0.8, 0.9]},
        measure_title="error rate", greater_is_better=False,
    ).plot()  # fmt: skip
    assert display.ax_.get_xlim()[1] < 0.2
    assert [text.get_text() for text in labels_of(display)] == ["85.0%"]
    assert "arrowhead" in caption_of(display)

import re

import numpy as np
import pytest
from tests.unit.report.given_findings import MEANS, findings

from bestofk.report.html.drawings import Scale, difference_lanes, score_lanes
from bestofk.verdict import Pair


def pair(name: str, difference: float, low: float, high: float, answer: str) -> Pair:
    said = {"better": "logistic is better"}.get(answer, answer)
    return Pair("logistic", name, -difference, -high, -low, 1.0, 3.0, 0.1, np.nan, said, False,
                answer=answer)  # fmt: skip


@pytest.fixture
def lanes() -> list[str]:
    pairs = [
        pair("cart", 0.01, -0.02, 0.04, "undecided"),
        pair("1nn", 0.04, 0.02, 0.06, "better"),
        pair("nearest-mean", 0.08, 0.05, 0.11, "better"),
        pair("majority", 0.6, 0.55, 0.65, "better"),
    ]
    return difference_lanes(findings(verdict={"pairs": pairs, "rope": 0.01}))


def test_a_scale_puts_its_ends_near_the_edges():
    scale = Scale([0.0, 1.0, np.nan])
    assert (scale(0), scale(0.5), scale(1)) == ("3.7%", "50.0%", "96.3%")
    assert (scale.side(0.5), scale.side(2), scale.side(-2)) == (0, 1, -1)
    assert scale(2) == "100.0%"
    assert scale.ticks.tolist() == pytest.approx([0, 0.25, 0.5, 0.75, 1])


def test_the_pick_stands_at_zero_on_top(lanes):
    caption, first, *_ = lanes
    assert 'class="lane pick"' in first
    assert ">logistic</span>" in first
    zero = re.search(r'class="zero" x1="([\d.]+)%"', first)[1]
    assert f'<svg x="{zero}%" y="50%" overflow="visible"><path class="mark pick"' in first
    assert "Bars: 95% interval" in caption
    assert "within 1 point" in caption


def test_every_learner_has_a_lane_with_its_difference_in_words(lanes):
    said = [re.search(r'class="said">([^<]*)<', lane)[1] for lane in lanes[1:-1]]
    assert said == ["pick", "can&#39;t tell (+1.0)", "worse (+4.0)", "worse (+8.0)",
                    "worse (+60.0)"]  # fmt: skip


def test_a_single_learner_has_no_differences():
    only = findings(verdict={"order": ["logistic"], "pairs": [], "best": None})
    assert difference_lanes(only) == []


def test_scores_have_a_dot_each_and_their_mean_in_words():
    caption, first, *rest, axis = score_lanes(findings())
    assert len(rest) == len(MEANS) - 1
    assert first.count("h0") == 4
    assert ">5.0%</span>" in first
    assert "Error rate of each split (%); left is better." in caption
    assert "h0" not in rest[-1]  # majority is far off
    assert "<text" in axis


def test_names_are_escaped_and_whole_in_the_title():
    name = '<b>"&'
    learner = findings().learners[-1]
    changed = findings()
    changed.learners[-1] = type(learner)(**{**vars(learner), "name": name})
    text = "".join(score_lanes(type(changed)(**{
        **vars(changed),
        "verdict": type(changed.verdict)(**{**vars(changed.verdict), "order": [name]}),
    })))  # fmt: skip
    assert 'title="&lt;b&gt;&#34;&amp;"' in text
    assert "<b>" not in text

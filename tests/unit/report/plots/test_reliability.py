import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.report.plots import ReliabilityDisplay

BINS = ([0.5, 0.9], [0.4, 1.0], [0.2, 0.7], [0.6, 1.0], [20, 5])


def test_each_bin_is_drawn_where_it_is_with_its_number():
    display = ReliabilityDisplay(*BINS, event="it was near")
    assert display.to_frame().to_dict("list") == {
        "stated": [0.5, 0.9], "true": [0.4, 1.0], "low": [0.2, 0.7], "high": [0.6, 1.0],
        "claims": [20, 5],
    }  # fmt: skip
    ax = display.plot().ax_
    bars, points = ax.collections
    assert points.get_offsets().tolist() == [[0.5, 0.4], [0.9, 1.0]]
    lines = [[[0.5, 0.2], [0.5, 0.6]], [[0.9, 0.7], [0.9, 1.0]]]
    assert [line.tolist() for line in bars.get_segments()] == lines
    assert {"20", "5"} <= {text.get_text() for text in ax.texts}
    assert ax.get_xlabel() == "stated probability that it was near"


def test_shares_must_be_one_for_each_bin_and_from_0_to_1():
    with pytest.raises(InvalidArgumentError, match="true must be 2 shares from 0 to 1"):
        ReliabilityDisplay(BINS[0], [0.4], *BINS[2:], event="")
    with pytest.raises(InvalidArgumentError, match=r"high must be .* got \[0.6, 1.1\]"):
        ReliabilityDisplay(*BINS[:3], [0.6, 1.1], BINS[4], event="")

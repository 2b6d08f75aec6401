"""Histograms of the estimates of single repeats: what they say and that they can be drawn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.patches import StepPatch
from tests.unit.report.plots.written import headline_of, labels_of

from bestofk import compare
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.report.plots.repeats import EstimateDistributionsDisplay, _edges

NAN = float("nan")
SKEWED = [0.95] * 15 + [0.94] * 10 + [0.9, 0.85, 0.8]


def display(values, names, **options):
    usual = {"measure_title": "accuracy", "greater_is_better": True, "best_value": 1.0}
    return EstimateDistributionsDisplay(np.transpose(values), names, **{**usual, **options})


def beside(drawn):
    """Return the texts next to the lanes with their weight, without the heading."""
    return [(text.get_text(), text.get_fontweight()) for text in labels_of(drawn)[:-1]]


def test_the_table_is_that_of_the_distributions():
    frame = display([[0.5, 0.7, NAN], [1.0, 1.0, 0.9]], ["lda", "cart"]).to_frame()
    assert frame["learner"].tolist() == ["lda", "cart"]
    assert frame["n_repeats"].tolist() == [2, 3]
    assert frame["mean"].tolist() == pytest.approx([0.6, 2.9 / 3])
    assert frame["median"].tolist() == pytest.approx([0.6, 1.0])


def test_skewness_stands_beside_its_lane_bold_where_clear():
    rows = [SKEWED, np.linspace(0.8, 0.9, 28), [0.9] * 28, [NAN] * 28]
    drawn = display(rows, list("abcd")).plot()
    assert beside(drawn) == [
        ("-3.32 ± 0.44", "bold"),
        ("0.00 ± 0.44", "normal"),
        ("undefined", "normal"),
        ("no repeat done", "normal"),
    ]
    assert labels_of(drawn)[-1].get_text() == "skewness ± error"
    assert headline_of(drawn) == "1 of 4 learners clearly skewed (bold)"


def test_mean_and_median_are_marked_in_each_lane():
    drawn = display([SKEWED], ["lda"]).plot()
    diamonds = [line for line in drawn.ax_.lines if line.get_marker() == "D"]
    assert [diamond.get_xdata()[0] for diamond in diamonds] == pytest.approx([np.mean(SKEWED)])
    lines = [tuple(collection.get_segments()[0][:, 0]) for collection in drawn.ax_.collections]
    assert lines == [(0.8, 0.95), (0.95, 0.95)]


def test_a_histogram_counts_all_repeats_and_stays_in_its_lane():
    drawn = display([SKEWED, np.linspace(0.8, 0.9, 28)], ["a", "b"]).plot()
    steps = [patch for patch in drawn.ax_.patches if isinstance(patch, StepPatch)]
    filled = [patch for patch in steps if patch.get_fill()]
    assert len(filled) == 2
    for index, steps in enumerate(filled):
        heights, edges, base = steps.get_data()
        assert base == index + 0.3
        assert (base - heights).max() == pytest.approx(0.8)
        assert (heights <= base).all()
        assert edges[0] <= 0.8
    counts = (0.3 - filled[0].get_data().values) / 0.8 * 15
    assert counts[counts > 1e-9].round(6).tolist() == [1, 1, 1, 10, 15]


def test_bins_follow_the_middle_half_within_limits():
    row = np.linspace(0, 1, 101)
    # width 2 * 0.5 / 101^(1/3) = 0.2147: five bins, of which six are the fewest
    np.testing.assert_allclose(_edges(row), np.linspace(0, 1, 7), atol=1e-12)
    np.testing.assert_allclose(_edges(np.r_[row, 50.0]), np.linspace(0, 50, 31), atol=1e-12)


def test_scores_in_steps_stand_in_the_middle_of_their_bins():
    row = np.repeat([3, 4, 5, 6, 9], [2, 20, 5, 3, 1]) / 150
    np.testing.assert_allclose(_edges(row) * 150, np.arange(2.5, 10))
    # six bins would be 3.3 steps wide
    wide = np.repeat(np.arange(21), 5) / 150
    np.testing.assert_allclose(_edges(wide) * 150, np.arange(-0.5, 21, 3))


@given(
    st.lists(
        st.one_of(st.integers(0, 80).map(lambda i: i / 80), st.floats(0, 1)),
        min_size=2,
        max_size=40,
    )
)
def test_every_repeat_is_in_a_bin(row):
    row = np.array(row)
    if row.max() - row.min() > 1e-9:
        assert np.histogram(row, _edges(row))[0].sum() == len(row)


def test_a_comparison_gives_its_measure_and_the_best_that_it_can_be():
    result = compare(["majority", "nearest-mean"], "iris", cv="5x2", prefer="given")
    outcome = EstimateDistributionsDisplay.from_comparison(result)
    assert outcome.names == ["nearest-mean", "majority"]
    assert not outcome.greater_is_better
    assert outcome.distributions[0].n_repeats == 5
    assert outcome.distributions[1].mean == pytest.approx(2 / 3)


def test_what_is_no_table_or_not_named_is_refused():
    with pytest.raises(DesignError, match="values of EstimateDistributionsDisplay must be a table"):
        display([0.1], ["a"])
    with pytest.raises(InvalidArgumentError, match=r"names must be one per learner \(1\)"):
        display([[0.1]], ["a", "b"])

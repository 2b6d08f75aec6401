"""Differences, posteriors, accuracies, numerators and z: what they say of two learners."""

import math

import numpy as np
import pytest
from tests.unit.report.plots.written import headline_of

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import (
    bayesian_correlated_t,
    bayesian_signed_rank,
    five_by_two_cv_t_test,
    paired_t_test,
    proportion_interval,
    two_proportion_z_test,
)
from bestofk.report.plots import (
    ConfidenceTableDisplay,
    DifferenceDisplay,
    PosteriorDensityDisplay,
    PosteriorTriangleDisplay,
    TenNumeratorsDisplay,
    TwoAccuraciesDisplay,
)
from bestofk.report.plots.accuracies import NO_TEST

A, B = [0.16, 0.18, 0.20, 0.18], [0.20, 0.21, 0.25, 0.18]
FIVE = [[0.30, 0.28], [0.29, 0.31], [0.27, 0.30], [0.31, 0.29], [0.30, 0.30]]
OTHER = [[0.25, 0.26], [0.26, 0.27], [0.25, 0.24], [0.26, 0.27], [0.27, 0.25]]


def test_the_difference_has_the_interval_of_the_test():
    display = DifferenceDisplay.from_result(paired_t_test(A, B), level=0.9)
    np.testing.assert_allclose([display.low, display.high], [-0.0554, -0.0046], atol=5e-5)
    assert display.df == 3
    assert not display.contains_zero
    assert "zero lies outside" in headline_of(display.plot())
    wide = DifferenceDisplay.from_result(paired_t_test(A, B)).plot()
    assert wide.to_frame()["contains_zero"].tolist() == [True]
    assert "can't tell which is better" in headline_of(wide)


def test_a_one_sided_interval_is_open_on_one_side():
    display = DifferenceDisplay.from_result(paired_t_test(A, B, alternative="less"))
    assert display.low == -math.inf
    assert not display.contains_zero


def test_an_interval_keeps_its_own_level():
    display = DifferenceDisplay.from_result(proportion_interval(80, 100, level=0.8), level=0.5)
    assert display.level == 0.8
    assert display.estimate == 0.8


def test_the_single_differences_are_drawn_below():
    display = DifferenceDisplay(-0.03, -0.06, 0.01, differences=[-0.04, 0.0]).plot()
    assert any(len(line.get_xdata()) == 2 for line in display.ax_.lines if line.get_marker() == "o")


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((0.1, math.nan, math.nan), {}, "estimate must be finite and inside its interval"),
        ((0.1, 0.2, 0.3), {}, "estimate must be finite and inside its interval"),
        ((0.1, 0.0, 0.3), {"level": 95}, "level must be a number above 0 and below 1"),
        ((0.1, 0.0, 0.3), {"differences": [math.nan]}, "differences must be a list of finite"),
        ((0.1, 0.0, 0.3), {"names": ["a"]}, "names must be 2 different ones"),
    ],
)
def test_a_difference_that_cannot_be_drawn_is_refused(arguments, options, message):
    with pytest.raises(InvalidArgumentError, match=message):
        DifferenceDisplay(*arguments, **options)


def density(**changes):
    given = {"mean": -0.03, "scale": 0.0165, "df": 3, "rope": 0.01, "names": ("a", "b")}
    return PosteriorDensityDisplay(**{**given, "measure_title": "error rate", **changes})


def test_the_curve_holds_the_probabilities_that_are_printed():
    display = density(df=30)
    frame, regions = display.to_frame(), ("less", "rope", "greater")
    for region, probability in zip(regions, display.probabilities(), strict=True):
        part = frame[frame["region"] == region]
        area = np.trapezoid(part["density"], part["difference"])
        assert area == pytest.approx(probability, abs=0.005)


def test_the_density_has_the_probabilities_of_the_result():
    result = bayesian_correlated_t(A, B, n_train=75, n_test=25)
    display = PosteriorDensityDisplay.from_result(result)
    expected = [result.p_less, result.p_rope, result.p_greater]
    np.testing.assert_allclose(display.probabilities(), expected, atol=1e-12)
    inner = display.to_frame().iloc[1:-1]
    np.testing.assert_allclose(inner["density"], result.density(inner["difference"]), rtol=1e-9)


def test_scores_without_variance_are_a_spike():
    assert density(scale=0).probabilities() == (1, 0, 0)
    assert density(scale=0, mean=0.01).probabilities() == (0, 1, 0)
    assert density(scale=0, mean=0.02).probabilities() == (0, 0, 1)
    assert density(scale=0).to_frame()["density"].tolist() == [math.inf]


@pytest.mark.parametrize("changes", [{"scale": -1}, {"df": 0}, {"mean": math.nan}, {"rope": -0.1}])
def test_a_law_that_is_none_is_refused(changes):
    with pytest.raises(InvalidArgumentError, match="mean, scale and rope must be finite"):
        density(**changes)


def test_shares_of_the_triangle_are_the_probabilities_of_the_result():
    rng = np.random.default_rng(0)
    a = rng.uniform(0.1, 0.3, 15)
    result = bayesian_signed_rank(a, a + rng.normal(0.005, 0.02, 15), rope=0.01, n_draws=2000)
    display = PosteriorTriangleDisplay.from_result(result, names=("lda", "cart"))
    shares = [result.p_less, result.p_rope, result.p_greater]
    np.testing.assert_allclose(display.to_frame()["share"], shares, atol=1e-12)
    assert display.to_frame()["says"].tolist() == ["lda better", "about the same", "cart better"]


@pytest.mark.parametrize("draws", [[], [[0.5, 0.5]], [[0.5, 0.6, 0.2]], [[1.5, -0.5, 0]]])
def test_draws_that_are_no_probabilities_are_refused(draws):
    with pytest.raises(InvalidArgumentError, match="draws must be rows of three probabilities"):
        PosteriorTriangleDisplay(draws, rope=0.01, names=("a", "b"))


def test_intervals_that_overlap_do_not_hide_a_significant_difference():
    display = TwoAccuraciesDisplay((0.85, 0.75), (200, 200)).plot()
    assert display.overlap
    assert "intervals overlap" in headline_of(display)
    assert "a significant difference" in headline_of(display)
    assert "no significant difference" not in headline_of(display)
    assert NO_TEST in headline_of(display)


def test_the_two_models_of_the_slides_are_not_shown_to_differ():
    display = TwoAccuraciesDisplay((0.85, 0.75), (30, 5000))
    low, high = display.difference_interval()
    assert (low + high) / 2 == pytest.approx(0.1)
    assert (high - low) / 2 == pytest.approx(0.128, abs=5e-4)
    assert display.overlap
    assert "no significant difference" in display.verdict()
    assert display.to_frame()["of"].tolist() == ["first", "second", "difference"]


def test_the_curves_take_the_rates_of_the_z_test():
    result = two_proportion_z_test(0.15, 30, 0.25, 5000)
    display = TwoAccuraciesDisplay.from_result(result)
    np.testing.assert_allclose(display.accuracies, [0.85, 0.75])
    low, high = result.confidence_interval()
    np.testing.assert_allclose(display.difference_interval(), [-high, -low])


@pytest.mark.parametrize(
    ("accuracies", "rows", "message"),
    [
        ((85, 75), (30, 30), "accuracies must be two shares from 0 to 1"),
        ((0.8,), (30, 30), "accuracies must be two shares from 0 to 1"),
        ((0.8, 0.9), (30, 0), "n_rows must be two numbers of rows, at least 1"),
    ],
)
def test_accuracies_that_are_none_are_refused(accuracies, rows, message):
    with pytest.raises(InvalidArgumentError, match=message):
        TwoAccuraciesDisplay(accuracies, rows)


def test_ten_numerators_share_one_denominator_and_the_first_is_published():
    display = TenNumeratorsDisplay.from_scores(FIVE, OTHER)
    differences = np.subtract(FIVE, OTHER)
    denominator = math.sqrt(((differences[:, 0] - differences[:, 1]) ** 2 / 2).mean())
    np.testing.assert_allclose(display.statistics, differences / denominator)
    published = five_by_two_cv_t_test(FIVE, OTHER).statistic
    assert display.to_frame().query("is_published")["statistic"].tolist() == [published]


@pytest.mark.parametrize(
    ("alternative", "critical", "rejected"),
    [("two-sided", 2.571, 1), ("greater", 2.015, 5), ("less", 2.015, 0)],
)
def test_the_critical_value_belongs_to_the_side(alternative, critical, rejected):
    display = TenNumeratorsDisplay.from_scores(FIVE, OTHER, alternative=alternative)
    assert display.critical_value == pytest.approx(critical, abs=5e-4)
    assert display.n_rejected == rejected
    assert headline_of(display.plot()).startswith(f"{rejected} of 10 numerators reject")


def test_other_than_five_times_two_is_refused():
    with pytest.raises(InvalidArgumentError, match="statistics must be 5 repeats"):
        TenNumeratorsDisplay(np.zeros((10, 1)))
    with pytest.raises(DesignError, match="5 repeats"):
        TenNumeratorsDisplay.from_scores(np.zeros((2, 5)), np.ones((2, 5)))


def test_the_table_is_the_one_of_textbooks():
    frame = ConfidenceTableDisplay().to_frame()
    assert frame["z"].tolist() == [0.67, 1.00, 1.28, 1.64, 1.96, 2.33, 2.58]
    assert frame["one_sided"].tolist()[-4:] == [0.95, 0.975, 0.99, 0.995]


@pytest.mark.parametrize(
    ("z", "reached", "exact"), [(0.848, 0.5, 0.604), (1.644, 0.9, 0.900), (-0.1, 0.0, 0.080)]
)
def test_a_table_gives_only_a_lower_bound(z, reached, exact):
    display = ConfidenceTableDisplay(z)
    assert display.reached() == reached
    assert display.exact() == pytest.approx(exact, abs=5e-4)


def test_a_z_below_the_table_is_said_to_be_below():
    assert "less than its lowest level" in ConfidenceTableDisplay(0.1).says()
    assert ConfidenceTableDisplay().says() == ""
    assert math.isnan(ConfidenceTableDisplay().reached())

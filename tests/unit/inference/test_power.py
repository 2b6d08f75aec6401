"""Power, and the smallest difference that can be shown."""

import math

import numpy as np
import pytest
from scipy.stats import t as student

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.power import (
    difference_floor,
    power_at,
    power_of_comparison,
    repeats_needed,
    rows_needed,
    smallest_detectable_difference,
    smallest_difference,
)
from bestofk.inference.sampling import Sampling
from bestofk.inference.two_learners.t_tests import CorrectedT

PLAN = Sampling("k-fold", 10, 10, n_train=270, n_test=30)
PILOT = Sampling("k-fold", 1, 5, n_train=120, n_test=30)


@pytest.mark.parametrize(
    ("n", "alternative", "power"),
    # G*Power 3.1, t test of one sample, effect size 0.5, level 0.05
    [(20, "two-sided", 0.564504), (34, "two-sided", 0.807777), (27, "greater", 0.811831)],
)
def test_the_power_of_the_plain_t_test_is_that_of_the_usual_tables(n, alternative, power):
    plan = Sampling("custom", 1, n)
    result = power_at(0.5, plan, 1.0, test="paired-t", alternative=alternative)
    assert result == pytest.approx(power, abs=2e-6)


def test_no_difference_is_shown_with_the_level_and_without_scatter_any():
    assert power_at(0.0, PLAN, 0.1) == 0.05
    assert power_at(1e-9, PLAN, 0.1) == pytest.approx(0.05, abs=1e-6)
    assert power_at(1e-6, PLAN, 0.0) == 1.0
    assert smallest_difference(PLAN, 0.0) == 0.0


def test_the_smallest_difference_is_shown_with_the_wanted_power():
    for power in (0.5, 0.8, 0.95):
        result = smallest_difference(PLAN, 0.1, power=power, alpha=0.01, alternative="less")
        there = power_at(result, PLAN, 0.1, alpha=0.01, alternative="less")
        assert there == pytest.approx(power, abs=1e-6)
    assert smallest_difference(PLAN, 0.1, n_hypotheses=10) == smallest_difference(
        PLAN, 0.1, alpha=0.005
    )
    assert difference_floor(PLAN, 0.1, test="paired-t") == 0.0
    assert repeats_needed(0.001, PLAN, 0.1, test="paired-t") < math.inf


def test_power_of_the_corrected_test_is_that_of_a_simulation():
    # equally correlated differences with the correlation that the test allows for
    plan, sd, difference = Sampling("k-fold", 3, 5, n_train=80, n_test=20), 1.0, 1.3
    rho, n = 20 / 100, plan.n_scores
    rng = np.random.default_rng(20261121)
    shared = rng.standard_normal((20_000, 1)) * math.sqrt(rho)
    own = rng.standard_normal((20_000, n)) * math.sqrt(1 - rho)
    result = CorrectedT().compare(difference + sd * (shared + own), plan).p_two_sided <= 0.05
    # the sample variance leaves the shared part out: sd of the splits is sd sqrt(1 - rho)
    expected = power_at(difference, plan, sd * math.sqrt(1 - rho))
    assert 0.5 < expected < 0.95
    assert result.mean() == pytest.approx(expected, abs=3 * math.sqrt(0.25 / 20_000))


def test_more_repeats_never_go_below_the_floor():
    floor = difference_floor(PLAN, 0.1)
    z = 1.959964 + 0.841621
    assert floor == pytest.approx(z * 0.1 * math.sqrt(30 / 270), abs=1e-5)
    many = Sampling("k-fold", 1000, 10, n_train=270, n_test=30)
    assert floor < smallest_difference(many, 0.1) < 1.001 * floor
    assert repeats_needed(floor, PLAN, 0.1) == math.inf
    assert math.isfinite(repeats_needed(1.001 * floor, PLAN, 0.1))


def test_the_number_of_repeats_is_the_least_that_is_enough_and_a_hold_out_needs_two():
    needed = int(repeats_needed(0.1, PLAN, 0.1))
    sizes = {"n_train": 270, "n_test": 30}
    assert smallest_difference(Sampling("k-fold", needed, 10, **sizes), 0.1) <= 0.1
    assert smallest_difference(Sampling("k-fold", needed - 1, 10, **sizes), 0.1) > 0.1
    plan = Sampling("hold-out", 1, 1, n_train=200, n_test=100)
    assert repeats_needed(1000.0, plan, 0.1) == 2


def test_four_times_the_rows_show_half_the_difference():
    result = smallest_difference(PLAN, 0.1)
    assert rows_needed(result, PLAN, 0.1) == pytest.approx(300, abs=1)
    assert rows_needed(result / 2, PLAN, 0.1) == pytest.approx(1200, abs=1)


def test_5x2cv_rests_on_one_difference_with_5_degrees_of_freedom():
    plan = Sampling("k-fold", 5, 2, n_train=50, n_test=50)
    alone = smallest_difference(plan, 0.1, test="5x2cv-t")
    assert alone == difference_floor(plan, 0.1, test="5x2cv-t")
    assert power_at(alone, plan, 0.1, test="5x2cv-t") == pytest.approx(0.8, abs=1e-6)
    assert alone > smallest_difference(plan, 0.1)


def test_a_pilot_says_what_the_design_can_show():
    differences = [0.1, -0.1, 0.0, 0.1, -0.1]
    result = power_of_comparison(differences, PILOT, difference=0.05, n_hypotheses=3)
    sd = 0.1
    assert result.sd == pytest.approx(sd)
    assert result.alpha == pytest.approx(0.05 / 3)
    assert result.smallest == pytest.approx(smallest_difference(PILOT, sd, n_hypotheses=3))
    assert result.power_there == pytest.approx(power_at(0.05, PILOT, sd, n_hypotheses=3))
    assert result.repeats_needed == math.inf
    assert "no number is enough" in str(result)
    assert [warning.code for warning in result.warnings] == ["few-scores"]
    assert result.to_frame().loc[0, "rows_needed"] == result.rows_needed
    assert repr(result).startswith("PowerResult(corrected-t: smallest difference")


def test_a_pilot_without_scatter_or_of_5x2cv_says_what_it_cannot():
    result = power_of_comparison([0.1, 0.1, 0.1, 0.1, 0.1], PILOT, difference=0.05)
    assert result.flags == ("zero_variance",)
    assert [warning.code for warning in result.warnings] == ["degenerate"]
    plan = Sampling("k-fold", 5, 2)
    differences = np.linspace(-0.1, 0.1, 10)
    result = power_of_comparison(differences, plan, difference=0.05, test="5x2cv-t")
    assert result.repeats_needed == math.inf
    assert math.isnan(result.rows_needed)
    assert "sizes are not known" in str(result)
    assert result.warnings == ()


def test_what_cannot_be_answered_is_refused():
    with pytest.raises(DesignError, match="test of repeats_needed must be one that can be"):
        repeats_needed(0.1, Sampling("k-fold", 5, 2, 50, 50), 0.1, test="5x2cv-t")
    with pytest.raises(DesignError, match="n_train and n_test of rows_needed must be known"):
        rows_needed(0.1, Sampling("k-fold", 5, 2), 0.1)
    with pytest.raises(InvalidArgumentError, match="difference must be a number above 0"):
        repeats_needed(0.0, PLAN, 0.1)
    with pytest.raises(DesignError, match=r"must be one per split \(100\); got 3"):
        power_of_comparison([0.1, 0.2, 0.3], PLAN, difference=0.1)
    with pytest.raises(DesignError, match="must be finite"):
        power_of_comparison([0.1, math.nan, 0.3, 0.1, 0.1], PILOT, difference=0.1)


def test_each_pair_needs_the_quantile_of_its_share_of_the_level() -> None:
    result = smallest_detectable_difference([0.0, 0.01, 0.02], 9, n_hypotheses=90, alpha=0.1)
    quantile = student.ppf(1 - 0.1 / 90, 9)
    assert result == pytest.approx([0.0, 0.01 * quantile, 0.02 * quantile])


@pytest.mark.parametrize(
    ("error", "n_hypotheses", "alpha", "message"),
    [
        ([0.1, -0.1], 1, 0.05, "must not be negative or nan; got -0.1"),
        ([float("nan")], 1, 0.05, "must not be negative or nan; got nan"),
        (
            [0.1],
            0,
            0.05,
            "n_hypotheses of smallest_detectable_difference must be a number from 1 up",
        ),
        ([0.1], 1, 5, "alpha must be a number above 0"),
    ],
)
def test_bad_arguments_are_refused(
    error: list[float], n_hypotheses: int, alpha: float, message: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        smallest_detectable_difference(error, 9, n_hypotheses=n_hypotheses, alpha=alpha)

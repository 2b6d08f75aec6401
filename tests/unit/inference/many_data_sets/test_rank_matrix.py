"""Pairs by mean ranks: the figures of Nemenyi and Bonferroni-Dunn, whatever the units are."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm, rankdata, studentized_range

from bestofk.errors import DesignError
from bestofk.inference.many_data_sets.comparison_matrix import mean_rank_matrix

LOSSES = np.array(
    [[0.1, 0.2, 0.3], [20.0, 30.0, 40.0], [0.01, 0.03, 0.02], [5.0, 6.0, 6.0], [1.0, 3.0, 2.0]]
)
NAMES = ("a", "b", "c")


def test_statistics_are_those_of_nemenyi_computed_by_hand():
    matrix = mean_rank_matrix(LOSSES, names=NAMES)
    assert matrix.levels == pytest.approx((1.0, 2.5, 2.5))
    error = np.sqrt(3 * 4 / (6 * 5))
    assert matrix.statistic[0, 1] == pytest.approx(-1.5 / error)
    assert matrix.p_adjusted[0, 1] == pytest.approx(
        studentized_range.sf(1.5 / error * np.sqrt(2), 3, np.inf), abs=1e-6
    )
    assert matrix.p_greater[1, 0] == pytest.approx(norm.sf(1.5 / error))
    assert matrix.critical_difference == pytest.approx(
        studentized_range.ppf(0.95, 3, np.inf) / np.sqrt(2) * error, abs=1e-5
    )
    assert (matrix.wins[0, 1], matrix.ties[1, 2], matrix.estimate[0, 2]) == (5, 1, -1.5)


def test_a_control_is_held_against_the_others_by_bonferroni_dunn():
    matrix = mean_rank_matrix(LOSSES, names=NAMES, control="a")
    raw = 2 * norm.sf(1.5 / np.sqrt(3 * 4 / (6 * 5)))
    assert matrix.p_value[0, 1] == pytest.approx(raw)
    assert matrix.p_adjusted[0, 1] == pytest.approx(2 * raw)
    assert np.isnan(matrix.p_adjusted[1, 2])
    assert matrix.control == "a"


def test_units_of_data_sets_do_not_matter():
    rng = np.random.default_rng(3)
    losses = rng.random((12, 5))
    scaled = np.exp(losses) * rng.uniform(1, 1000, (12, 1))
    first, second = mean_rank_matrix(losses), mean_rank_matrix(scaled)
    ranks = np.array([rankdata(row) for row in losses])
    for name in ("estimate", "statistic", "p_value", "p_adjusted", "low", "high", "wins"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    np.testing.assert_allclose(first.levels, ranks.mean(axis=0))


def test_missing_scores_are_refused():
    with pytest.raises(DesignError, match="mean_rank_matrix"):
        mean_rank_matrix([[0.1, np.nan], [0.2, 0.3]])

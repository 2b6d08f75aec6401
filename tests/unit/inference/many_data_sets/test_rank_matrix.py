"""Pairs by mean ranks: the figures of Nemenyi and Bonferroni-Dunn, whatever the units are."""

import numpy as np
import pytest
from scipy.stats import norm, studentized_range

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

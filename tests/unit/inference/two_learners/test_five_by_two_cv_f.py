import math

import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import Sampling, corrected_resampled_t_test, five_by_two_cv_f_test, procedure

# Differences 4 3 / 2 2 / 3 1 / 2 2 / 3 3: sum of squares 69, s^2 = .5 0 2 0 0.
D = np.array([[4, 3], [2, 2], [3, 1], [2, 2], [3, 3]]) / 100
ZERO = np.zeros((5, 2))


def test_squares_over_twice_the_variances_within_repeats() -> None:
    result = five_by_two_cv_f_test(D, ZERO)
    assert (result.statistic, result.df) == (pytest.approx(69 / 5), (10, 5))
    assert result.p_value == pytest.approx(0.0048489, abs=1e-6)
    assert (result.symbol, result.alternative) == ("F", "two-sided")


def test_the_order_of_folds_does_not_matter() -> None:
    turned = five_by_two_cv_f_test(D[::-1, ::-1], ZERO)
    assert turned.statistic == pytest.approx(five_by_two_cv_f_test(D, ZERO).statistic)


def test_the_interval_is_that_of_the_corrected_t() -> None:
    corrected = corrected_resampled_t_test(D, ZERO, n_train=1, n_test=1)
    result = five_by_two_cv_f_test(D, ZERO)
    assert result.confidence_interval(0.9) == pytest.approx(corrected.confidence_interval(0.9))
    assert result.effect_size == pytest.approx(corrected.effect_size)


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_a_side_is_refused(alternative: str) -> None:
    with pytest.raises(DesignError, match=r"must be two-sided.*Use 5x2cv-t or corrected-t"):
        five_by_two_cv_f_test(D, ZERO, alternative=alternative)
    with pytest.raises(DesignError, match=r"alternative of 5x2cv-f must be one it can test"):
        procedure("cv52_f").check_options({"alternative": alternative})


def test_an_unknown_side_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="alternative must be one of three words"):
        five_by_two_cv_f_test(D, ZERO, alternative="bigger")


def test_repeats_without_variance_give_the_limits() -> None:
    same_within = np.repeat([[0.05], [0.02], [0.03], [0.01], [0.02]], 2, axis=1)
    result = five_by_two_cv_f_test(same_within, ZERO)
    assert (result.statistic, result.p_value, result.flags) == (math.inf, 0, ("zero_variance",))
    assert [warning.code for warning in result.warnings] == ["degenerate", "unstable-learner"]
    twins = five_by_two_cv_f_test(D, D)
    assert (twins.statistic, twins.p_value, twins.flags) == (0, 1, ("zero_variance",))


def test_another_shape_is_refused() -> None:
    with pytest.raises(DesignError, match=r"scores of five_by_two_cv_f_test.*got shape \(2, 5\)"):
        five_by_two_cv_f_test(D.T, ZERO.T)


def test_by_name_it_takes_ten_scores_in_a_row() -> None:
    sampling = Sampling("k-fold", 5, 2, 50, 50)
    result = procedure("5x2cv-f").run(D.ravel(), ZERO.ravel(), sampling=sampling)
    assert result.statistic == pytest.approx(69 / 5)
    stable = procedure("5x2cv-f").run(D, ZERO, sampling=sampling, is_unstable=False)
    assert stable.warnings == ()


def test_by_name_another_plan_is_refused() -> None:
    with pytest.raises(DesignError, match=r"5x2cv-f needs exactly 5 repeats of 2 folds"):
        procedure("5x2cv-f").run(D, ZERO, sampling=Sampling("k-fold", 2, 5))
    with pytest.raises(DesignError, match=r"scores of 5x2cv-f must be 5 repeats"):
        procedure("5x2cv-f").run([0.1, 0.2], [0.1, 0.1], sampling=Sampling("k-fold", 5, 2))
    with pytest.raises(DesignError, match="must be numbers in a regular array"):
        procedure("5x2cv-f").run([[1], [1, 2]], [1, 2], sampling=Sampling("k-fold", 5, 2))

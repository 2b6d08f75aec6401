import numpy as np
import pytest

from bestofk.errors import DesignError
from bestofk.inference import (
    Sampling,
    corrected_resampled_t_test,
    five_by_two_cv_t_test,
    paired_test,
)

# Differences 4 3 / 2 2 / 3 1 / 2 2 / 3 3: s^2 = .5 0 2 0 0, t = 4 / sqrt(2.5 / 5).
D = np.array([[4, 3], [2, 2], [3, 1], [2, 2], [3, 3]]) / 100
ZERO = np.zeros((5, 2))


def test_the_first_fold_over_the_variance_within_repeats() -> None:
    result = five_by_two_cv_t_test(D, ZERO)
    assert (result.statistic, result.df) == pytest.approx((4 / np.sqrt(0.5), 5))
    assert result.p_value == pytest.approx(0.00239885405)


def test_the_order_of_folds_matters_and_is_warned_of() -> None:
    result = five_by_two_cv_t_test(D[:, ::-1], ZERO)
    assert result.statistic == pytest.approx(3 / np.sqrt(0.5))
    assert "first of its ten differences" in result.warnings[0]


def test_the_interval_is_that_of_all_ten_with_the_corrected_t() -> None:
    corrected = corrected_resampled_t_test(D, ZERO, n_train=1, n_test=1)
    result = five_by_two_cv_t_test(D, ZERO)
    assert result.estimate == pytest.approx(0.025)
    assert result.confidence_interval() == pytest.approx(corrected.confidence_interval())


def test_repeats_without_variance_give_the_limits() -> None:
    same_within = np.repeat([[0.05], [0.02], [0.03], [0.01], [0.02]], 2, axis=1)
    result = five_by_two_cv_t_test(same_within, ZERO)
    assert (result.statistic, result.p_value, result.flags) == (np.inf, 0, ("zero_variance",))
    assert result.standard_error > 0
    assert result.warnings[0].endswith("limits, not evidence.")
    assert five_by_two_cv_t_test(ZERO, same_within, alternative="greater").p_value == 1
    assert five_by_two_cv_t_test(ZERO, ZERO).p_value == 1


def test_another_shape_is_refused() -> None:
    with pytest.raises(DesignError, match=r"5 repeats \(rows\) of 2 folds.*got shape \(2, 5\)"):
        five_by_two_cv_t_test(D.T, ZERO.T)


def test_gaps_are_refused() -> None:
    with pytest.raises(DesignError, match=r"must be ten per pair.*got 8"):
        paired_test("5x2cv-t").compare(D.ravel()[:8], Sampling("k-fold", 5, 2))


@pytest.mark.parametrize(
    "sampling", [Sampling("k-fold", 4, 2), Sampling("k-fold", 2, 5), Sampling("hold-out", 10, 1)]
)
def test_only_five_by_two_is_taken(sampling: Sampling) -> None:
    test = paired_test("5x2cv-t")
    assert "exactly 5 repeats of 2 folds" in str(test.refuse(sampling))
    assert test.refuse(Sampling("k-fold", 5, 2)) is None

"""Five repeats of two folds: the t test, the combined F test, and all ten numerators."""

import math

import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import (
    Sampling,
    corrected_resampled_t_test,
    five_by_two_cv_f_test,
    five_by_two_cv_t_numerators,
    five_by_two_cv_t_test,
    paired_test,
    procedure,
)

# Differences 4 3 / 2 2 / 3 1 / 2 2 / 3 3: s^2 = .5 0 2 0 0, t = 4 / sqrt(2.5 / 5).
D = np.array([[4, 3], [2, 2], [3, 1], [2, 2], [3, 3]]) / 100
ZERO = np.zeros((5, 2))


def test_the_first_fold_over_the_variance_within_repeats() -> None:
    result = five_by_two_cv_t_test(D, ZERO)
    assert (result.statistic, result.df) == pytest.approx((4 / np.sqrt(0.5), 5))
    assert result.p_value == pytest.approx(0.00239885405)
    corrected = corrected_resampled_t_test(D, ZERO, n_train=1, n_test=1)
    assert result.estimate == pytest.approx(0.025)
    assert result.confidence_interval() == pytest.approx(corrected.confidence_interval())
    turned = five_by_two_cv_t_test(D[:, ::-1], ZERO)
    assert turned.statistic == pytest.approx(3 / np.sqrt(0.5))
    assert "first of its ten differences" in turned.warnings[0]


def test_repeats_without_variance_give_the_limits() -> None:
    same_within = np.repeat([[0.05], [0.02], [0.03], [0.01], [0.02]], 2, axis=1)
    result = five_by_two_cv_t_test(same_within, ZERO)
    assert (result.statistic, result.p_value, result.flags) == (np.inf, 0, ("zero_variance",))
    assert result.standard_error > 0
    assert result.warnings[0].endswith("limits, not evidence.")
    assert five_by_two_cv_t_test(ZERO, same_within, alternative="greater").p_value == 1
    assert five_by_two_cv_t_test(ZERO, ZERO).p_value == 1


def test_another_shape_and_gaps_are_refused() -> None:
    with pytest.raises(DesignError, match=r"5 repeats \(rows\) of 2 folds.*got shape \(2, 5\)"):
        five_by_two_cv_t_test(D.T, ZERO.T)
    with pytest.raises(DesignError, match=r"must be ten per pair.*got 8"):
        paired_test("5x2cv-t").compare(D.ravel()[:8], Sampling("k-fold", 5, 2))


@pytest.mark.parametrize(
    "sampling", [Sampling("k-fold", 4, 2), Sampling("k-fold", 2, 5), Sampling("hold-out", 10, 1)]
)
def test_only_five_by_two_is_taken(sampling: Sampling) -> None:
    test = paired_test("5x2cv-t")
    assert "exactly 5 repeats of 2 folds" in str(test.refuse(sampling))
    assert test.refuse(Sampling("k-fold", 5, 2)) is None


def test_squares_over_twice_the_variances_within_repeats() -> None:
    result = five_by_two_cv_f_test(D, ZERO)
    assert (result.statistic, result.df) == (pytest.approx(69 / 5), (10, 5))
    assert result.p_value == pytest.approx(0.0048489, abs=1e-6)
    assert (result.symbol, result.alternative) == ("F", "two-sided")
    turned = five_by_two_cv_f_test(D[::-1, ::-1], ZERO)
    assert turned.statistic == pytest.approx(result.statistic)
    corrected = corrected_resampled_t_test(D, ZERO, n_train=1, n_test=1)
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


def test_the_limits_of_f_are_those_of_repeats_without_variance() -> None:
    same_within = np.repeat([[0.05], [0.02], [0.03], [0.01], [0.02]], 2, axis=1)
    result = five_by_two_cv_f_test(same_within, ZERO)
    assert (result.statistic, result.p_value, result.flags) == (math.inf, 0, ("zero_variance",))
    assert [warning.code for warning in result.warnings] == ["degenerate", "unstable-learner"]
    twins = five_by_two_cv_f_test(D, D)
    assert (twins.statistic, twins.p_value, twins.flags) == (0, 1, ("zero_variance",))


def test_by_name_it_takes_ten_scores_in_a_row_and_no_other_plan() -> None:
    sampling = Sampling("k-fold", 5, 2, 50, 50)
    result = procedure("5x2cv-f").run(D.ravel(), ZERO.ravel(), sampling=sampling)
    assert result.statistic == pytest.approx(69 / 5)
    stable = procedure("5x2cv-f").run(D, ZERO, sampling=sampling, is_unstable=False)
    assert stable.warnings == ()
    with pytest.raises(DesignError, match=r"5x2cv-f needs exactly 5 repeats of 2 folds"):
        procedure("5x2cv-f").run(D, ZERO, sampling=Sampling("k-fold", 2, 5))
    with pytest.raises(DesignError, match=r"scores of 5x2cv-f must be 5 repeats"):
        procedure("5x2cv-f").run([0.1, 0.2], [0.1, 0.1], sampling=Sampling("k-fold", 5, 2))
    with pytest.raises(DesignError, match="must be numbers in a regular array"):
        procedure("5x2cv-f").run([[1], [1, 2]], [1, 2], sampling=Sampling("k-fold", 5, 2))
    with pytest.raises(DesignError, match=r"scores of five_by_two_cv_f_test.*got shape \(2, 5\)"):
        five_by_two_cv_f_test(D.T, ZERO.T)


def test_the_first_is_the_test_itself() -> None:
    for side in ("two-sided", "greater", "less"):
        ten = five_by_two_cv_t_numerators(D, ZERO, alternative=side)
        result = five_by_two_cv_t_test(D, ZERO, alternative=side)
        assert (ten.statistic[0, 0], ten.p_value[0, 0]) == pytest.approx(
            (result.statistic, result.p_value)
        )


def test_all_ten_share_the_denominator_and_what_hangs_on_the_order_is_warned_of() -> None:
    ten = five_by_two_cv_t_numerators(D, ZERO)
    np.testing.assert_allclose(ten.statistic, 100 * D / np.sqrt(0.5))
    # t of 2.571 is needed for 0.05: 2 / sqrt(.5) = 2.83 is enough, 1 / sqrt(.5) = 1.41 is not
    assert ten.n_rejected(0.05) == 9
    assert [warning.code for warning in ten.warnings] == ["multiplicity", "split-seed"]
    assert ten.warnings[1].startswith("9 of the ten numerators have p at most 0.05")
    assert "9 of 10 with p at most 0.05 two-sided" in repr(ten)
    frame = ten.to_frame()
    assert list(frame.columns) == ["repeat", "fold", "difference", "statistic", "p_value"]
    assert frame["difference"].tolist() == D.ravel().tolist()
    assert frame.loc[5, ["repeat", "fold"]].tolist() == [2, 1]
    with pytest.raises(InvalidArgumentError, match="alpha must be a number above 0"):
        ten.n_rejected(5)
    twins = five_by_two_cv_t_numerators(D, D)
    assert (twins.flags, twins.n_rejected(0.05)) == (("zero_variance",), 0)
    assert [warning.code for warning in twins.warnings] == ["multiplicity", "degenerate"]


def test_bad_input_is_refused() -> None:
    with pytest.raises(DesignError, match=r"five_by_two_cv_t_numerators must be 5 repeats"):
        five_by_two_cv_t_numerators(D.T, ZERO.T)
    with pytest.raises(InvalidArgumentError, match="alternative must be one of three words"):
        five_by_two_cv_t_numerators(D, ZERO, alternative="bigger")


def test_by_name_the_numerators_take_ten_scores_in_a_row() -> None:
    ten = procedure("5x2cv-t-numerators").run(
        D.ravel(), ZERO.ravel(), sampling=Sampling("k-fold", 5, 2), alternative="greater"
    )
    assert ten.alternative == "greater"
    with pytest.raises(DesignError, match="5x2cv-t-numerators needs exactly 5 repeats"):
        procedure("5x2cv-t-numerators").run(D, ZERO, sampling=Sampling("k-fold", 10, 1))

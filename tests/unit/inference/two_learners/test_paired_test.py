"""Two learners, pair by pair, and what their result says."""

import math

import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import (
    Sampling,
    calibrated_t_test,
    corrected_resampled_t_test,
    five_by_two_cv_t_test,
    paired_t_test,
    paired_test,
)
from bestofk.inference.two_learners.paired_test import check_differences, paired_scores

SAMPLING = Sampling("k-fold", 1, 5, n_train=80, n_test=20)
# Every fold differs by exactly 5 points, but not in binary numbers.
STEP_A = np.array([0.13, 0.17, 0.12, 0.18, 0.15])
STEP_B = np.array([0.18, 0.22, 0.17, 0.23, 0.20])


@pytest.mark.parametrize("scale", [None, 0.23])
def test_zero_variance_is_seen_through_rounding_noise(scale: float | None) -> None:
    assert (STEP_A - STEP_B).std() > 0
    result = paired_test("paired-t").compare(STEP_A - STEP_B, SAMPLING, scale=scale)
    assert result.zero_variance
    assert (result.statistic, result.standard_error) == (-np.inf, 0)
    assert (result.p_greater, result.p_less, result.p_two_sided) == (1, 0, 0)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_a_small_but_real_variance_is_no_noise(unit: float) -> None:
    differences = unit * np.array([0.05, 0.05, 0.05, 0.0500001])
    result = paired_test("paired-t").compare(differences, SAMPLING)
    assert not result.zero_variance
    assert np.isfinite(result.statistic)


def test_rounding_noise_is_no_difference_and_no_width() -> None:
    noise = np.array([1e-17, 0, 2e-17, 0, -1e-17])
    result = paired_test("paired-t").compare(noise, SAMPLING, scale=0.3)
    assert (result.statistic, result.p_two_sided, result.p_greater) == (0, 1, 1)
    low, high = paired_test("corrected-t").compare(STEP_A - STEP_B, SAMPLING).confidence_interval()
    assert low == high == pytest.approx(-0.05)


def test_no_sign_test_is_named_where_differences_do_not_vary() -> None:
    plan = Sampling("k-fold", 2, 5, n_train=80, n_test=20)
    for result in (
        paired_t_test(STEP_A, STEP_B),
        paired_t_test(STEP_A, STEP_A),
        paired_test("corrected-t").result(np.tile(STEP_A, 2), np.tile(STEP_B, 2), sampling=plan),
        calibrated_t_test(np.tile(STEP_A, (10, 2)), np.tile(STEP_B, (10, 2))),
    ):
        assert result.flags == ("zero_variance",)
        assert result.warnings[0].endswith("limits, not evidence.")


def test_an_array_of_pairs_keeps_its_shape() -> None:
    differences = np.random.default_rng(0).normal(size=(2, 3, 5))
    result = paired_test("corrected-t").compare(differences, SAMPLING)
    for name in ("mean", "statistic", "df", "p_greater", "zero_variance"):
        assert getattr(result, name).shape == (2, 3)
    assert result.n_scores == 5


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_score_that_is_not_finite_is_refused(bad: float) -> None:
    with pytest.raises(DesignError, match="must be finite; got 1 of 3"):
        paired_t_test([0.1, bad, 0.2], [0.1, 0.2, 0.3])
    with pytest.raises(DesignError, match="differences of paired-t must be finite; got 1 of 2"):
        check_differences([bad, 1.0], "paired-t")


def test_scores_that_are_no_two_finite_pairs_are_refused() -> None:
    with pytest.raises(DesignError, match=r"must pair.*got shapes \(3,\) and \(2,\)"):
        paired_t_test([0.1, 0.2, 0.3], [0.1, 0.2])
    with pytest.raises(InvalidArgumentError, match="alternative must be one of three words"):
        paired_t_test(STEP_A, STEP_B, alternative="bigger")


@pytest.mark.parametrize("scores", [[0.1], []])
def test_fewer_than_two_scores_are_refused(scores: list[float]) -> None:
    with pytest.raises(DesignError, match="must be at least 2 per learner"):
        paired_t_test(scores, scores)


@pytest.mark.parametrize("differences", [0.5, [0.5], [[0.5], [0.2]]])
def test_fewer_than_two_differences_are_refused(differences: object) -> None:
    with pytest.raises(DesignError, match="must be at least 2 per pair"):
        check_differences(differences, "paired-t")  # type: ignore[arg-type]


@pytest.mark.parametrize("scores", [["a", "b"], [[0.1, 0.2], [0.3]]])
def test_scores_that_are_no_numbers_are_refused(scores: list[object]) -> None:
    with pytest.raises(DesignError, match="must be numbers in a regular array"):
        paired_scores(scores, [0.1, 0.2], "paired_t_test")  # type: ignore[arg-type]


A, B = [0.16, 0.18, 0.20, 0.18], [0.20, 0.21, 0.25, 0.18]
SAME_STEP = ([0.13, 0.17, 0.12, 0.18, 0.15], [0.18, 0.22, 0.17, 0.23, 0.20])


def codes(result) -> list[str]:
    return [getattr(warning, "code", "") for warning in result.warnings]


def test_the_effect_size_is_the_mean_over_the_standard_deviation_or_a_limit() -> None:
    result = paired_t_test(A, B)
    assert result.effect_size == pytest.approx(-0.03 / np.std([4, 3, 5, 0], ddof=1) * 100)
    assert ("d_z (mean / sd)", "-1.389") in result.rows()
    assert paired_t_test(*SAME_STEP).effect_size == -math.inf
    assert paired_t_test(A, A).effect_size == 0


def test_a_high_p_value_is_not_called_equal() -> None:
    two_sided = paired_t_test(A, B)
    assert "not-equal" in codes(two_sided)
    assert two_sided.warnings[0].startswith("Undecided at 0.05 whether they differ")
    assert "whether the first is greater" in paired_t_test(A, B, alternative="greater").warnings[0]
    assert "not-equal" not in codes(paired_t_test(A, B, alternative="less"))


def test_few_scores_say_how_large_a_difference_must_be_unless_they_do_not_vary() -> None:
    (few,) = (warning for warning in paired_t_test(A, B).warnings if "Only 4 scores" in warning)
    assert few.code == "few-scores"
    assert few.endswith("a mean difference must exceed 0.0344 to be shown at 0.05.")
    (few,) = (
        warning for warning in paired_t_test(A, B, alternative="less").warnings if "Only" in warning
    )
    assert few.endswith("must exceed 0.0254 to be shown at 0.05.")
    assert "few-scores" not in codes(paired_t_test(np.arange(10) / 7, np.zeros(10)))
    (few,) = (warning for warning in paired_t_test(*SAME_STEP).warnings if "Only" in warning)
    assert few == "Only 5 scores: small differences cannot be detected."


def test_each_warning_has_its_code_and_assumptions_are_sentences() -> None:
    assert codes(paired_t_test(*SAME_STEP)) == ["degenerate", "few-scores", "overlap"]
    corrected = corrected_resampled_t_test(A, B, n_train=75, n_test=25)
    assert codes(corrected) == ["not-equal", "", "few-scores", "unstable-learner"]
    folds = np.array([[4, 3], [2, 2], [3, 1], [2, 2], [3, 3]]) / 100
    assert codes(five_by_two_cv_t_test(folds, np.zeros((5, 2)))) == ["", "unstable-learner"]
    for result in (paired_t_test(A, B), corrected_resampled_t_test(A, B, n_train=3, n_test=1)):
        assert "same splits" in result.assumptions[0]
        assert all(assumption.endswith(".") for assumption in result.assumptions)

import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import Sampling, calibrated_t_test, paired_t_test, paired_test
from bestofk.inference.two_learners.paired_test import check_differences, paired_scores

SAMPLING = Sampling("k-fold", 1, 5, n_train=80, n_test=20)
# Every fold differs by exactly 5 points, but not in binary numbers.
A = np.array([0.13, 0.17, 0.12, 0.18, 0.15])
B = np.array([0.18, 0.22, 0.17, 0.23, 0.20])


@pytest.mark.parametrize("scale", [None, 0.23])
def test_zero_variance_is_seen_through_rounding_noise(scale: float | None) -> None:
    assert (A - B).std() > 0
    result = paired_test("paired-t").compare(A - B, SAMPLING, scale=scale)
    assert result.zero_variance
    assert (result.statistic, result.standard_error) == (-np.inf, 0)
    assert (result.p_greater, result.p_less, result.p_two_sided) == (1, 0, 0)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_a_small_but_real_variance_is_no_noise(unit: float) -> None:
    differences = unit * np.array([0.05, 0.05, 0.05, 0.0500001])
    result = paired_test("paired-t").compare(differences, SAMPLING)
    assert not result.zero_variance
    assert np.isfinite(result.statistic)


def test_differences_that_are_rounding_noise_alone_are_none() -> None:
    noise = np.array([1e-17, 0, 2e-17, 0, -1e-17])
    result = paired_test("paired-t").compare(noise, SAMPLING, scale=0.3)
    assert (result.statistic, result.p_two_sided, result.p_greater) == (0, 1, 1)


def test_an_interval_without_variance_has_no_width() -> None:
    low, high = paired_test("corrected-t").compare(A - B, SAMPLING).confidence_interval()
    assert low == high == pytest.approx(-0.05)


def test_no_sign_test_is_named_where_differences_do_not_vary() -> None:
    plan = Sampling("k-fold", 2, 5, n_train=80, n_test=20)
    for result in (
        paired_t_test(A, B),
        paired_t_test(A, A),
        paired_test("corrected-t").result(np.tile(A, 2), np.tile(B, 2), sampling=plan),
        calibrated_t_test(np.tile(A, (10, 2)), np.tile(B, (10, 2))),
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


def test_scores_that_do_not_pair_are_refused() -> None:
    with pytest.raises(DesignError, match=r"must pair.*got shapes \(3,\) and \(2,\)"):
        paired_t_test([0.1, 0.2, 0.3], [0.1, 0.2])


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


def test_an_unknown_side_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="alternative must be one of three words"):
        paired_t_test(A, B, alternative="bigger")

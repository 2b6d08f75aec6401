import math

import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import (
    Sampling,
    bayesian_correlated_t,
    corrected_resampled_t_test,
    procedure,
)

A, B = [0.16, 0.18, 0.20, 0.18], [0.20, 0.21, 0.25, 0.18]
SIZES = {"n_train": 75, "n_test": 25}


def test_it_says_what_the_corrected_t_says() -> None:
    corrected = corrected_resampled_t_test(A, B, **SIZES, alternative="less")
    result = bayesian_correlated_t(A, B, **SIZES, rope=0)
    assert (result.p_greater, result.p_rope) == (pytest.approx(corrected.p_value), 0)
    result = bayesian_correlated_t(A, B, **SIZES, level=0.9)
    two_sided = corrected_resampled_t_test(A, B, **SIZES)
    assert (result.low, result.high) == pytest.approx(two_sided.confidence_interval(0.9))
    quantiles = [result.low, result.estimate, result.high]
    assert result.quantile([0.05, 0.5, 0.95]) == pytest.approx(quantiles)
    x = np.linspace(-0.01, 0.01, 2001)
    assert np.trapezoid(result.density(x), x) == pytest.approx(result.p_rope, rel=1e-5)


def test_far_tails_and_the_edge_of_the_region_are_not_lost_to_rounding() -> None:
    d = np.linspace(0.2, 0.202, 50)
    result = bayesian_correlated_t(d, np.zeros(50), n_train=9, n_test=1, rope=0)
    assert 0 < result.p_less < 1e-30
    result = bayesian_correlated_t([0.06, 0.16, 0.26], [0.05, 0.15, 0.25], **SIZES, rope=0.01)
    assert result.p_rope == 1


def test_without_variance_all_mass_lies_at_the_mean() -> None:
    same_step = ([0.13, 0.17, 0.12], [0.18, 0.22, 0.17])
    result = bayesian_correlated_t(*same_step, **SIZES)
    assert (result.p_less, result.p_rope, result.p_greater) == (1, 0, 0)
    assert (result.flags, result.warnings[0].code) == (("zero_variance",), "degenerate")
    assert result.low == result.high == result.estimate == pytest.approx(-0.05)
    assert result.density([result.estimate, 0.0]).tolist() == [math.inf, 0]
    assert result.quantile(0.3) == result.estimate
    twins = bayesian_correlated_t(A, A, **SIZES, rope=0)
    assert (twins.p_less, twins.p_rope, twins.p_greater) == (0.5, 0, 0.5)


def test_bad_input_is_refused() -> None:
    with pytest.raises(DesignError, match="n_train and n_test of corrected-t must be known"):
        bayesian_correlated_t(A, B, n_train=None, n_test=1)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="n_train must be a number above 0 or None"):
        bayesian_correlated_t(A, B, n_train=0, n_test=1)
    with pytest.raises(InvalidArgumentError, match="level must be a number above 0"):
        bayesian_correlated_t(A, B, **SIZES, level=95)
    with pytest.raises(InvalidArgumentError, match="rope must be a number of at least 0"):
        bayesian_correlated_t(A, B, **SIZES, rope=-0.01)


def test_by_name_it_takes_the_sizes_from_the_plan() -> None:
    run = procedure("correlated_t").run
    result = run(A, B, sampling=Sampling("hold-out", 4, 1, 75, 25), rope=0.02)
    assert result.p_rope == pytest.approx(bayesian_correlated_t(A, B, **SIZES, rope=0.02).p_rope)
    assert [warning.code for warning in result.warnings] == ["few-scores", "unstable-learner"]
    with pytest.raises(DesignError, match=r"they are unknown\. Take another plan, or give"):
        run(A, B, sampling=Sampling("custom", 1, 4))

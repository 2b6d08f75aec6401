import math

import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import cv_central_limit_test, procedure

A, B = [1, 0, 1, 1, 0, 1, 0, 1], [0, 0, 1, 0, 0, 1, 0, 0]
FOLDS = ["x", "x", "x", "x", "y", "y", "y", "y"]


def test_the_variance_is_that_within_folds() -> None:
    # differences 1 0 0 1 | 0 0 0 1: variances 1/3 and 1/4, their mean 7/24
    result = cv_central_limit_test(A, B, fold_of_row=FOLDS)
    error = math.sqrt(7 / 24 / 8)
    assert (result.estimate, result.standard_error) == pytest.approx((3 / 8, error))
    assert result.statistic == pytest.approx(3 / 8 / error)
    assert result.p_value == pytest.approx(0.0495346, abs=1e-6)
    assert math.isnan(result.df)
    assert result.confidence_interval() == pytest.approx(
        (3 / 8 - 1.959964 * error, 3 / 8 + 1.959964 * error), abs=1e-7
    )


def test_one_test_set_is_one_fold() -> None:
    result = cv_central_limit_test(A, B)
    d = np.subtract(A, B)
    assert result.statistic == pytest.approx(d.mean() / (d.std(ddof=1) / math.sqrt(8)))


def test_what_is_compared_and_what_to_distrust_is_said() -> None:
    result = cv_central_limit_test(A, B, fold_of_row=FOLDS)
    assert [warning.code for warning in result.warnings] == ["unstable-learner"]
    assert any("not of all training sets" in assumption for assumption in result.assumptions)
    assert repr(result).startswith("HypothesisTestResult(cross-validation central limit test: z =")
    assert result.rows()[-1] == ("n", "8 rows")


def test_losses_that_do_not_vary_give_the_limits() -> None:
    ones, zeros = np.ones(6), np.zeros(6)
    result = cv_central_limit_test(ones, zeros)
    assert (result.statistic, result.p_value, result.flags) == (math.inf, 0, ("zero_variance",))
    assert cv_central_limit_test(zeros, ones, alternative="greater").p_value == 1
    assert cv_central_limit_test(ones, ones).p_value == 1


def test_bad_input_is_refused() -> None:
    with pytest.raises(DesignError, match="must be one number per row"):
        cv_central_limit_test([A, A], [B, B])
    with pytest.raises(DesignError, match=r"fold of each of the 8 rows; got shape \(2,\)"):
        cv_central_limit_test(A, B, fold_of_row=[0, 1])
    with pytest.raises(DesignError, match=r"at least 2 rows each; got 1 in fold z"):
        cv_central_limit_test(A, B, fold_of_row=[*FOLDS[:7], "z"])
    with pytest.raises(DesignError, match="must pair"):
        cv_central_limit_test(A, B[:4])
    with pytest.raises(InvalidArgumentError, match="alternative must be one of three words"):
        cv_central_limit_test(A, B, alternative="bigger")


def test_by_name_it_takes_the_folds() -> None:
    result = procedure("cv_clt").run(A, B, fold_of_row=FOLDS, is_unstable=False)
    assert (result.statistic, result.warnings) == (pytest.approx(1.96396, abs=1e-5), ())

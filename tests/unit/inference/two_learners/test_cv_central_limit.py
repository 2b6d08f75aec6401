import math

import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import cv_central_limit_test, procedure

A, B = [1, 0, 1, 1, 0, 1, 0, 1], [0, 0, 1, 0, 0, 1, 0, 0]
FOLDS = ["x", "x", "x", "x", "y", "y", "y", "y"]


def test_the_variance_is_that_within_folds_of_which_one_test_set_is_one() -> None:
    # differences 1 0 0 1 | 0 0 0 1: variances 1/3 and 1/4, their mean 7/24
    result = cv_central_limit_test(A, B, fold_of_row=FOLDS)
    error = math.sqrt(7 / 24 / 8)
    assert (result.estimate, result.standard_error) == pytest.approx((3 / 8, error))
    assert result.statistic == pytest.approx(3 / 8 / error)
    assert result.p_value == pytest.approx(0.0495346, abs=1e-6)
    assert math.isnan(result.df)
    limits = (3 / 8 - 1.959964 * error, 3 / 8 + 1.959964 * error)
    assert result.confidence_interval() == pytest.approx(limits, abs=1e-7)
    assert [warning.code for warning in result.warnings] == ["unstable-learner"]
    assert any("not of all training sets" in assumption for assumption in result.assumptions)
    assert repr(result).startswith("HypothesisTestResult(cross-validation central limit test: z =")
    assert result.rows()[-1] == ("n", "8 rows")
    by_name = procedure("cv_clt").run(A, B, fold_of_row=FOLDS, is_unstable=False)
    assert (by_name.statistic, by_name.warnings) == (result.statistic, ())
    d = np.subtract(A, B)
    alone = cv_central_limit_test(A, B).statistic
    assert alone == pytest.approx(d.mean() / (d.std(ddof=1) / math.sqrt(8)))


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
    with pytest.raises(InvalidArgumentError, match="alternative must be one of three words"):
        cv_central_limit_test(A, B, alternative="bigger")

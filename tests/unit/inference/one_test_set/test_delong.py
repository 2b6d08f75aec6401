import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import delong_test
from bestofk.inference.one_test_set.roc import area_losses

Y = [1, 1, 1, 0, 0, 0]
A, B = [9, 8, 4, 5, 2, 1], [7, 3, 6, 8, 5, 2]


def test_three_positive_and_three_negative_rows_by_hand_with_their_intervals() -> None:
    # V10 of A: 1, 1, 2/3; V01: 2/3, 1, 1. V10 of B: 2/3, 1/3, 2/3; V01: 0, 2/3, 1.
    result = delong_test(Y, A, B)
    assert result.areas == pytest.approx((8 / 9, 5 / 9))
    assert result.variances == pytest.approx((2 / 81, (1 / 27 + 7 / 27) / 3))
    assert result.covariance == pytest.approx((-1 / 54 + 5 / 54) / 3)
    variance = sum(result.variances) - 2 * result.covariance
    assert result.standard_error == pytest.approx(np.sqrt(variance))
    assert result.statistic == pytest.approx((1 / 3) / np.sqrt(variance))
    assert (result.n_positive, result.n_negative, result.n) == (3, 3, 6)
    losses = np.array([area_losses(np.array(Y) == 1, np.array(item, float)) for item in (A, B)])
    assert losses.mean(axis=1) == pytest.approx([1 / 9, 4 / 9])
    of_delong = np.diag(result.variances) + result.covariance * (1 - np.eye(2))
    # variances of 3 rows a class: divided by 3 here, by 2 there
    assert np.cov(losses, ddof=0) / 6 == pytest.approx(of_delong * 2 / 3)
    assert result.area_interval(0)[1] == 1
    assert result.area_interval(1, 0.5) == pytest.approx(
        (5 / 9 - 0.6744897501960817 * np.sqrt(result.variances[1]),
         5 / 9 + 0.6744897501960817 * np.sqrt(result.variances[1]))
    )  # fmt: skip
    with pytest.raises(InvalidArgumentError, match="level must be"):
        result.area_interval(0, 2)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_scores_that_rank_alike_show_nothing(alternative: str) -> None:
    result = delong_test(Y, B, np.multiply(B, 2), alternative=alternative)
    assert (result.statistic, result.p_value, result.flags) == (0, 1, ("zero_variance",))
    assert [warning.code for warning in result.warnings] == ["degenerate", "not-equal"]


def test_a_perfect_ranking_against_none_is_a_limit() -> None:
    perfect, none = [3, 3, 3, 1, 1, 1], [0] * 6
    result = delong_test(Y, perfect, none)
    assert result.areas == (1, 0.5)
    assert (result.statistic, result.p_value, result.flags) == (np.inf, 0, ("zero_variance",))
    assert delong_test(Y, perfect, none, alternative="less").p_value == 1


def test_bad_classes_and_scores_are_refused() -> None:
    with pytest.raises(DesignError, match="at least 2 rows of each class; got 1 positive and 2"):
        delong_test([1, 0, 0], [1, 2, 3], [1, 2, 3])
    with pytest.raises(DesignError, match="Without both classes there is no ROC curve"):
        delong_test([0, 0, 0], [1, 2, 3], [1, 2, 3])
    with pytest.raises(DesignError, match=r"must be true or false .* two classes"):
        delong_test([0, 1, 2], [1, 2, 3], [1, 2, 3])
    with pytest.raises(DesignError, match="with values neg, pos"):
        delong_test(["pos", "neg", "pos"], [1, 2, 3], [1, 2, 3])
    with pytest.raises(DesignError, match=r"one per row \(6 rows have a class\); got 5"):
        delong_test(Y, A[:5], B[:5])
    with pytest.raises(InvalidArgumentError, match="alternative must be one of three words"):
        delong_test(Y, A, B, alternative="larger")

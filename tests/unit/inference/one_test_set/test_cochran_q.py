import numpy as np
import pytest

from bestofk.errors import DesignError
from bestofk.inference import cochran_q_test, mcnemar_from_counts

CORRECT = [[1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 0], [1, 1, 0]]


def test_six_rows_by_hand() -> None:
    # G = 5, 4, 1, T = 10, sum R^2 = 20: Q = 2 (3 * 42 - 100) / (30 - 20).
    result = cochran_q_test(CORRECT, names=["a", "b", "c"])
    assert (result.statistic, result.df) == (5.2, 2)
    assert result.p_value == pytest.approx(np.exp(-2.6))
    assert result.levels == pytest.approx((5 / 6, 4 / 6, 1 / 6))
    assert result.effect_size == pytest.approx(5.2 / 12)
    assert [warning.code for warning in result.warnings] == ["few-scores", "not-equal"]


def test_of_two_learners_it_is_mcnemars_chi2() -> None:
    table = np.repeat([[1, 0], [0, 1], [1, 1], [0, 0]], [9, 2, 50, 39], axis=0)
    result, wanted = cochran_q_test(table), mcnemar_from_counts(2, 9, method="chi2")
    assert (result.statistic, result.p_value) == pytest.approx((wanted.statistic, wanted.p_value))


def test_rows_on_which_all_agree_show_nothing() -> None:
    result = cochran_q_test([[1, 1, 1], [0, 0, 0], [1, 1, 1]])
    assert (result.statistic, result.p_value, result.flags) == (0, 1, ("all_ties",))
    assert [warning.code for warning in result.warnings] == ["degenerate", "not-equal"]


@pytest.mark.parametrize(
    ("correct", "message"),
    [
        ([[1, 2], [0, 1]], r"must be 0 or 1 \(wrong, right\); got 2"),
        ([[1], [0]], "must have at least 2 learners; got 1"),
        ([[1, 0, 1]], "must have at least 2 rows; got 1"),
        ([[1, np.nan], [0, 1]], "got nan at row 1, learner 2"),
        ([1, 0, 1], r"got shape \(3,\)"),
    ],
)
def test_bad_tables_are_refused(correct: object, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        cochran_q_test(correct)

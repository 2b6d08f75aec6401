import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import cochran_q_test, looney_f_plus_test, looney_f_test

CORRECT = [[1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 0], [1, 1, 0]]


def test_six_rows_by_hand() -> None:
    # T = 10 of 18 cells: SSA = 42/6 - 100/18, SSB = 20/3 - 100/18, SST = 10 - 100/18.
    result = looney_f_test(CORRECT)
    assert result.ss_learners == pytest.approx(26 / 18)
    assert result.ss_rows == pytest.approx(20 / 18)
    assert result.ss_total == pytest.approx(80 / 18)
    assert result.ss_error == pytest.approx(34 / 18)
    assert result.statistic == pytest.approx((26 / 2) / (34 / 10))
    assert result.df == (2, 10)
    assert result.effect_size == pytest.approx(26 / 80)
    assert result.partial_eta_squared == pytest.approx(26 / 60)
    assert result.epsilon == 1


def test_it_orders_evidence_as_cochrans_q_does() -> None:
    q, n, k = cochran_q_test(CORRECT).statistic, 6, 3
    assert looney_f_test(CORRECT).statistic == pytest.approx((n - 1) * q / (n * (k - 1) - q))


def test_f_plus_has_less_freedom() -> None:
    plain, plus = looney_f_test(CORRECT), looney_f_plus_test(CORRECT)
    assert plus.statistic == plain.statistic
    assert plus.df == pytest.approx((2 * plus.epsilon, 10 * plus.epsilon))
    assert 0.5 <= plus.epsilon < 1
    assert plus.p_value > plain.p_value


def test_huynh_and_feldt_give_back_some_freedom() -> None:
    small = looney_f_plus_test(CORRECT).epsilon
    large = looney_f_plus_test(CORRECT, epsilon="huynh-feldt").epsilon
    assert large == pytest.approx(min(1, (6 * 2 * small - 2) / (2 * (5 - 2 * small))))
    assert small < large <= 1


@pytest.mark.parametrize("epsilon", ["greenhouse-geisser", "huynh-feldt"])
def test_epsilon_stays_between_its_limits(epsilon: str) -> None:
    assert looney_f_plus_test([[1, 0], [0, 1], [1, 1], [1, 0]], epsilon=epsilon).epsilon == 1
    two_rows = looney_f_plus_test([[1, 0, 1], [0, 1, 1]], names=list("abc"), epsilon=epsilon)
    assert two_rows.epsilon == pytest.approx(1 / 2)
    # As many rows as learners, all alike: the estimate of Huynh and Feldt has no finite value.
    three_rows = looney_f_plus_test(np.eye(3), epsilon=epsilon)
    assert three_rows.epsilon == pytest.approx(1)


def test_rows_on_which_all_agree_show_nothing() -> None:
    for run in (looney_f_test, looney_f_plus_test):
        result = run([[1, 1, 1], [0, 0, 0], [1, 1, 1]])
        assert (result.statistic, result.p_value, result.flags) == (0, 1, ("all_ties",))
        assert (result.epsilon, result.partial_eta_squared) == (1, 0)
        assert [warning.code for warning in result.warnings] == ["degenerate", "not-equal"]
    assert looney_f_test(np.ones((4, 3))).effect_size == 0


def test_the_same_difference_on_every_row_is_a_limit() -> None:
    for run in (looney_f_test, looney_f_plus_test):
        result = run([[1, 0, 1]] * 7)
        assert (result.statistic, result.p_value, result.flags) == (np.inf, 0, ("zero_variance",))
        assert [warning.code for warning in result.warnings] == ["degenerate"]


def test_equal_accuracies_are_no_degenerate_case() -> None:
    result = looney_f_test([[1, 0], [0, 1]])
    assert (result.statistic, result.p_value, result.flags) == (0, 1, ())


def test_bad_input_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="Did you mean 'huynh-feldt'"):
        looney_f_plus_test(CORRECT, epsilon="hyunh-feldt")
    with pytest.raises(DesignError, match="correct of looney_f_test must have at least 2 learners"):
        looney_f_test([[1], [0]])
    with pytest.raises(DesignError, match="correct of looney_f_plus_test must be 0 or 1"):
        looney_f_plus_test([[1, 3], [0, 1]])

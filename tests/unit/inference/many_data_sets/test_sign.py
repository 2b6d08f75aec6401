import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.inference import sign_test


def test_wins_are_counted_where_the_first_is_greater() -> None:
    result = sign_test([3, 3, 3, 1, 2], [1, 2, 2, 2, 2], alternative="greater")
    assert (result.wins, result.losses, result.ties, result.n) == (3, 1, 1, 4)
    assert result.p_value == 5 / 16
    assert (result.estimate, result.effect_size) == (0.75, 0.5)
    assert sign_test([3, 3, 3, 1], [1, 2, 2, 2], alternative="less").p_value == 15 / 16


def test_split_ties_count_half_and_an_odd_one_not() -> None:
    result = sign_test([2, 2, 2, 1, 1, 1], [1, 1, 1, 1, 1, 1], zeros="split")
    assert (result.statistic, result.n, result.ties) == (4.0, 5, 3)
    assert result.p_value == 2 * 6 / 32


def test_the_interval_of_the_share_is_clopper_pearson() -> None:
    # R 4.2.2 binom.test(5, 18)
    a, b = [1] * 5 + [0] * 13, [0] * 5 + [1] * 13
    assert sign_test(a, b).confidence_interval() == pytest.approx((0.09695, 0.53480), abs=5e-6)
    assert sign_test(a, b, alternative="less").confidence_interval()[0] == 0.0
    assert sign_test(a, b, alternative="greater").confidence_interval()[1] == 1.0
    assert sign_test([1, 1], [0, 0]).confidence_interval() == pytest.approx((0.025**0.5, 1))
    assert sign_test([0, 0], [1, 1]).confidence_interval() == pytest.approx((0, 1 - 0.025**0.5))


def test_all_ties_are_no_evidence() -> None:
    result = sign_test([0.3, 0.3], [0.1 + 0.2, 0.3])
    assert (result.p_value, result.n, result.ties, result.flags) == (1.0, 0, 2, ("all_ties",))
    assert result.confidence_interval() == (0.0, 1.0)
    assert [w.code for w in result.warnings] == ["degenerate", "not-equal"]


def test_few_wins_cannot_reach_the_level() -> None:
    assert [w.code for w in sign_test([1] * 5, [0] * 5).warnings] == ["few-scores", "not-equal"]
    assert sign_test([1] * 6, [0] * 6).warnings == ()


def test_unknown_words_are_answered_with_the_nearest() -> None:
    with pytest.raises(InvalidArgumentError, match=r"zeros of sign_test .*Did you mean 'drop'"):
        sign_test([1, 2], [2, 1], zeros="drops")

"""The signed-rank test of Wilcoxon, and the sign test."""

import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import sign_test, wilcoxon_test

# Depression scale of nine patients, the example of R's wilcox.test (Hollander & Wolfe 1973).
TIED_A = [0.81, 0.75, 0.92, 0.66, 0.7, 0.88, 0.79, 0.85, 0.9, 0.73, 0.61, 0.95]
TIED_B = [0.79, 0.75, 0.9, 0.68, 0.66, 0.86, 0.8, 0.81, 0.9, 0.7, 0.6, 0.92]


def codes(result: object) -> list[str]:
    return [warning.code for warning in result.warnings]


def test_ties_are_permuted_as_they_are_or_follow_the_normal_law() -> None:
    result = wilcoxon_test(TIED_A, TIED_B)
    assert (result.n, result.n_data_sets, result.p_value) == (10, 12, 0.03125)
    assert result.distribution == "permutations of the signs"
    # R 4.2.2 on rounded differences, without the correction: .02709.
    plain = wilcoxon_test(TIED_A, TIED_B, method="normal")
    corrected = wilcoxon_test(TIED_A, TIED_B, method="normal", continuity=True)
    assert plain.p_value == pytest.approx(0.02709, abs=5e-6)
    assert corrected.p_value == pytest.approx(0.0308642, abs=5e-8)
    assert plain.distribution == "normal"
    d = np.random.default_rng(1).normal(0.1, 1, 60)
    auto, exact = wilcoxon_test(d, 0 * d), wilcoxon_test(d, 0 * d, method="exact")
    assert auto.distribution == "normal"
    assert auto.p_value == pytest.approx(exact.p_value, abs=0.01)
    assert auto.p_value != exact.p_value


def test_zeros_are_dropped_ranked_or_split() -> None:
    a, b = [3, 5, 7, 9, 2, 2], [1, 4, 3, 10, 2, 2]  # differences 2, 1, 4, -1, 0, 0
    sums = [
        (r.w_plus, r.w_minus, r.n)
        for r in (wilcoxon_test(a, b, zeros=z) for z in ("wilcox", "pratt", "zsplit"))
    ]
    assert sums == [(8.5, 1.5, 4), (14.5, 3.5, 4), (16.0, 5.0, 4)]
    pratt, split = (wilcoxon_test(TIED_A, TIED_B, zeros=z) for z in ("pratt", "zsplit"))
    assert pratt.p_value == split.p_value


def test_all_zero_is_no_evidence_and_fewer_than_six_have_no_limits() -> None:
    result = wilcoxon_test([0.5, 0.6], [0.5, 0.6])
    assert (result.p_value, result.n, result.flags) == (1.0, 0, ("all_ties",))
    assert (result.estimate, result.effect_size) == (0.0, 0.0)
    assert result.confidence_interval() == (0.0, 0.0)
    assert codes(result) == ["degenerate", "not-equal"]
    for method in ("exact", "normal"):
        assert wilcoxon_test([1, 2], [1, 2], method=method, zeros="zsplit").p_value == 1.0
    result = wilcoxon_test([2, 3, 4, 5, 6], [1, 1, 1, 1, 1])
    assert result.p_value == 0.0625
    assert codes(result) == ["few-scores", "not-equal"]
    assert "no p value below 0.062 is possible" in result.warnings[0]
    assert result.confidence_interval() == (-np.inf, np.inf)
    assert codes(wilcoxon_test([2, 3, 4, 5, 6], [1] * 5, alternative="greater")) == []


@pytest.mark.parametrize("n", [8, 30, 80])
def test_the_interval_holds_what_the_test_does_not_reject(n: int) -> None:
    d = np.random.default_rng(n).normal(0.3, 1, n)
    low, high = wilcoxon_test(d, np.zeros(n)).confidence_interval()
    for inside, shift in ((1, low + 1e-6), (0, low - 1e-6), (1, high - 1e-6), (0, high + 1e-6)):
        assert (wilcoxon_test(d, np.full(n, shift)).p_value > 0.05) == inside


def test_what_cannot_be_computed_is_refused() -> None:
    with pytest.raises(DesignError, match="must be normal beyond 1000 differences; got exact"):
        wilcoxon_test(np.arange(1.0, 1002), np.zeros(1001), method="exact")
    with pytest.raises(InvalidArgumentError, match=r"method of wilcoxon_test .*mean 'exact'"):
        wilcoxon_test([1, 2], [2, 1], method="exakt")
    with pytest.raises(InvalidArgumentError, match=r"zeros of wilcoxon_test .*mean 'pratt'"):
        wilcoxon_test([1, 2], [2, 1], zeros="prat")
    with pytest.raises(InvalidArgumentError, match=r"alternative must be .*Did you mean 'greater'"):
        wilcoxon_test([1, 2], [2, 1], alternative="grater")
    with pytest.raises(InvalidArgumentError, match="continuity of wilcoxon_test must be True"):
        wilcoxon_test([1, 2], [2, 1], continuity="no")
    with pytest.raises(InvalidArgumentError, match="level must be a number above 0"):
        wilcoxon_test([1, 2], [2, 1]).confidence_interval(95)


def test_wins_are_counted_where_the_first_is_greater_and_split_ties_half() -> None:
    result = sign_test([3, 3, 3, 1, 2], [1, 2, 2, 2, 2], alternative="greater")
    assert (result.wins, result.losses, result.ties, result.n) == (3, 1, 1, 4)
    assert result.p_value == 5 / 16
    assert (result.estimate, result.effect_size) == (0.75, 0.5)
    assert sign_test([3, 3, 3, 1], [1, 2, 2, 2], alternative="less").p_value == 15 / 16
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


def test_all_ties_are_no_evidence_and_few_wins_cannot_reach_the_level() -> None:
    result = sign_test([0.3, 0.3], [0.1 + 0.2, 0.3])
    assert (result.p_value, result.n, result.ties, result.flags) == (1.0, 0, 2, ("all_ties",))
    assert result.confidence_interval() == (0.0, 1.0)
    assert [w.code for w in result.warnings] == ["degenerate", "not-equal"]
    assert [w.code for w in sign_test([1] * 5, [0] * 5).warnings] == ["few-scores", "not-equal"]
    assert sign_test([1] * 6, [0] * 6).warnings == ()


def test_unknown_ways_with_ties_are_answered_with_the_nearest() -> None:
    with pytest.raises(InvalidArgumentError, match=r"zeros of sign_test .*Did you mean 'drop'"):
        sign_test([1, 2], [2, 1], zeros="drops")

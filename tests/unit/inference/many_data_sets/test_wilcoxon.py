import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import wilcoxon_test

# Depression scale of nine patients, the example of R's wilcox.test (Hollander & Wolfe 1973).
TIED_A = [0.81, 0.75, 0.92, 0.66, 0.7, 0.88, 0.79, 0.85, 0.9, 0.73, 0.61, 0.95]
TIED_B = [0.79, 0.75, 0.9, 0.68, 0.66, 0.86, 0.8, 0.81, 0.9, 0.7, 0.6, 0.92]


def codes(result: object) -> list[str]:
    return [warning.code for warning in result.warnings]


def test_ties_are_permuted_as_they_are() -> None:
    result = wilcoxon_test(TIED_A, TIED_B)
    assert (result.n, result.n_data_sets, result.p_value) == (10, 12, 0.03125)
    assert result.distribution == "permutations of the signs"


def test_the_normal_law_without_and_with_continuity() -> None:
    # R 4.2.2 on rounded differences, without the correction: .02709.
    plain = wilcoxon_test(TIED_A, TIED_B, method="normal")
    corrected = wilcoxon_test(TIED_A, TIED_B, method="normal", continuity=True)
    assert plain.p_value == pytest.approx(0.02709, abs=5e-6)
    assert corrected.p_value == pytest.approx(0.0308642, abs=5e-8)
    assert plain.distribution == "normal"


def test_zeros_are_dropped_ranked_or_split() -> None:
    a, b = [3, 5, 7, 9, 2, 2], [1, 4, 3, 10, 2, 2]  # differences 2, 1, 4, -1, 0, 0
    sums = [
        (r.w_plus, r.w_minus, r.n)
        for r in (wilcoxon_test(a, b, zeros=z) for z in ("wilcox", "pratt", "zsplit"))
    ]
    assert sums == [(8.5, 1.5, 4), (14.5, 3.5, 4), (16.0, 5.0, 4)]


def test_exact_p_values_of_ranked_and_of_split_zeros_agree() -> None:
    pratt, split = (wilcoxon_test(TIED_A, TIED_B, zeros=z) for z in ("pratt", "zsplit"))
    assert pratt.p_value == split.p_value


def test_all_zero_is_no_evidence() -> None:
    result = wilcoxon_test([0.5, 0.6], [0.5, 0.6])
    assert (result.p_value, result.n, result.flags) == (1.0, 0, ("all_ties",))
    assert (result.estimate, result.effect_size) == (0.0, 0.0)
    assert result.confidence_interval() == (0.0, 0.0)
    assert codes(result) == ["degenerate", "not-equal"]
    for method in ("exact", "normal"):
        assert wilcoxon_test([1, 2], [1, 2], method=method, zeros="zsplit").p_value == 1.0


def test_fewer_than_six_cannot_reach_the_level_and_have_no_limits() -> None:
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


def test_many_differences_take_the_normal_law_unless_told() -> None:
    d = np.random.default_rng(1).normal(0.1, 1, 60)
    auto, exact = wilcoxon_test(d, 0 * d), wilcoxon_test(d, 0 * d, method="exact")
    assert auto.distribution == "normal"
    assert auto.p_value == pytest.approx(exact.p_value, abs=0.01)
    assert auto.p_value != exact.p_value


def test_exact_is_refused_where_it_takes_too_long() -> None:
    with pytest.raises(DesignError, match="must be normal beyond 1000 differences; got exact"):
        wilcoxon_test(np.arange(1.0, 1002), np.zeros(1001), method="exact")


@pytest.mark.parametrize(
    ("option", "match"),
    [
        ({"method": "exakt"}, "method of wilcoxon_test .*Did you mean 'exact'"),
        ({"zeros": "prat"}, "zeros of wilcoxon_test .*Did you mean 'pratt'"),
        ({"alternative": "grater"}, "alternative must be .*Did you mean 'greater'"),
    ],
)
def test_unknown_words_are_answered_with_the_nearest(option: dict[str, str], match: str) -> None:
    with pytest.raises(InvalidArgumentError, match=match):
        wilcoxon_test([1, 2], [2, 1], **option)


def test_a_level_outside_0_1_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="level must be a number above 0"):
        wilcoxon_test([1, 2], [2, 1]).confidence_interval(95)


def test_continuity_must_be_a_truth_value() -> None:
    with pytest.raises(InvalidArgumentError, match="continuity of wilcoxon_test must be True"):
        wilcoxon_test([0.1, 0.2, 0.3], [0.2, 0.1, 0.5], continuity="no")  # type: ignore[arg-type]

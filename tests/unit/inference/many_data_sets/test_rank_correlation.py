import math

import pytest

from bestofk.errors import DesignError
from bestofk.inference import kendall, spearman


@pytest.mark.parametrize("correlation", [spearman, kendall])
def test_orders_agree_or_are_opposite(correlation: object) -> None:
    assert correlation([1, 2, 5], [0.1, 0.2, 0.3]).value == pytest.approx(1)
    assert correlation([1, 2, 5], [3, 2, 1]).value == pytest.approx(-1)


def test_ties_are_counted_as_ties() -> None:
    assert spearman([1, 2, 2, 3], [1, 2, 3, 4]).value == pytest.approx(0.9486833)
    assert kendall([1, 2, 2, 3], [1, 2, 3, 4]).value == pytest.approx(5 / math.sqrt(30))


@pytest.mark.parametrize("correlation", [spearman, kendall])
def test_a_constant_list_has_no_order(correlation: object) -> None:
    result = correlation([1, 1, 1], [1, 2, 3])
    assert math.isnan(result.value)
    assert result.flags == ("all_ties",)
    assert [w.code for w in result.warnings] == ["degenerate"]


@pytest.mark.parametrize("correlation", [spearman, kendall])
@pytest.mark.parametrize(("a", "b"), [([1, 2], [1]), ([1], [1])])
def test_lists_that_do_not_pair_are_refused(correlation: object, a: list, b: list) -> None:
    with pytest.raises(DesignError, match="must pair, two lists of one length of at least 2"):
        correlation(a, b)


def test_a_correlation_prints_itself() -> None:
    result = kendall([1, 2, 3, 4], [1, 3, 2, 4])
    assert repr(result) == "RankCorrelation(Kendall's rank correlation: tau = 0.6667)"
    assert "4 pairs" in str(result)

import math

import pytest

from bestofk.errors import DesignError
from bestofk.inference import ks_two_sample


def test_the_distance_and_its_p_value_are_computed_by_hand() -> None:
    result = ks_two_sample([1, 2], [3, 4])
    assert (result.statistic, result.p_value) == (1.0, pytest.approx(2 / 6))
    assert [w.code for w in result.warnings] == ["not-equal"]
    assert all(math.isnan(limit) for limit in result.confidence_interval())


def test_ties_are_permuted_as_they_are() -> None:
    # Six ways to put 1, 2 | 2, 3 into two pairs; the pairs {1, 2} and {2, 3} come in four.
    result = ks_two_sample([1, 2], [2, 3])
    assert (result.statistic, result.p_value) == (0.5, pytest.approx(1.0))
    assert ks_two_sample([1, 1, 1], [2, 2, 2]).p_value == pytest.approx(0.1)


def test_one_value_alone_is_no_evidence() -> None:
    result = ks_two_sample([1, 1], [1, 1, 1])
    assert (result.statistic, result.p_value, result.flags) == (0.0, 1.0, ("all_ties",))


def test_sizes_may_differ_and_sides_do_not_matter() -> None:
    a, b = [0.1, 0.4, 0.5, 0.9, 1.3], [0.2, 0.3]
    assert ks_two_sample(a, b).p_value == pytest.approx(ks_two_sample(b, a).p_value)


def test_an_empty_sample_is_refused() -> None:
    with pytest.raises(DesignError, match="values of ks_two_sample must be a list of numbers"):
        ks_two_sample([], [1])

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestofk.errors import InvalidArgumentError
from bestofk.report.plots.drawing import better_names, finite_list, joined_runs, name_list, spread


def test_numbers_that_are_missing_are_refused():
    with pytest.raises(InvalidArgumentError, match=r"levels must be a list of finite numbers"):
        finite_list([0.1, np.nan], "levels")
    with pytest.raises(InvalidArgumentError, match=r"levels must be a list of finite numbers"):
        finite_list([], "levels")


def test_names_must_be_as_many_as_the_numbers_and_different():
    assert name_list(["a", "b"], 2, "means") == ["a", "b"]
    with pytest.raises(InvalidArgumentError, match=r"names must be 3 different ones.*got a, b"):
        name_list(["a", "b"], 3, "means")
    with pytest.raises(InvalidArgumentError, match="got a, a"):
        name_list(["a", "a"], 2, "means")


def test_runs_of_neighbors_are_the_longest_ones_and_a_difference_of_the_limit_splits():
    assert joined_runs([1, 2, 3, 4], 1) == []
    assert joined_runs([1, 2, 3, 4], 2.5) == [[0, 1, 2], [1, 2, 3]]
    assert joined_runs([4, 1, 1, 1], 2) == [[1, 2, 3]]


def test_direction_says_better_names_on_each_side_of_zero():
    assert better_names(("a", "b"), greater_is_better=False) == ("a", "b")
    assert better_names(("a", "b"), greater_is_better=True) == ("b", "a")


@given(st.lists(st.floats(0, 1), max_size=15), st.floats(0, 0.06))
def test_spread_keeps_the_order_the_gap_and_the_room(wanted, gap):
    indices = spread(wanted, gap)
    assert len(indices) == len(wanted)
    in_order = indices[np.argsort(wanted, kind="stable")]
    assert (np.diff(in_order) >= gap - 1e-12).all()
    assert ((indices >= -1e-12) & (indices <= 1 + 1e-12)).all()


def test_spread_leaves_places_that_are_apart_alone_and_centers_those_that_meet():
    np.testing.assert_allclose(spread([0.9, 0.1], 0.2), [0.9, 0.1])
    np.testing.assert_allclose(spread([0.5, 0.5, 0.5], 0.1), [0.4, 0.5, 0.6])
    np.testing.assert_allclose(spread([0.0, 0.0], 0.1), [0.0, 0.1])
    np.testing.assert_allclose(spread([1.0, 1.0], 0.1), [0.9, 1.0])
    np.testing.assert_allclose(spread([0.5, 0.5, 0.5], 0.6), [0.0, 0.6, 1.2])

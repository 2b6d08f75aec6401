"""Checks of arguments: what passes, and the message for what does not."""

import numpy as np
import pytest

from bestofk.checks import check_flag, check_known, check_number
from bestofk.errors import InvalidArgumentError


@pytest.mark.parametrize("value", ["gain", None])
def test_a_known_word_or_none_passes(value):
    assert check_known(value, "criterion", ("gain", None)) is None


@pytest.mark.parametrize("value", ["gian", 3, np.zeros(2)])
def test_an_unknown_word_is_refused_with_the_known_ones(value):
    with pytest.raises(
        InvalidArgumentError,
        match=r"^criterion must be a known one; got .* Known: gain, None\.$",
    ):
        check_known(value, "criterion", ("gain", None))


def test_the_nearest_word_is_offered():
    with pytest.raises(InvalidArgumentError, match=r"Did you mean 'gain'\?"):
        check_known("gian", "criterion", ("gain", "gain_ratio"))


@pytest.mark.parametrize("value", [True, np.False_])
def test_flags_pass(value):
    assert check_flag(value, "laplace") is None


@pytest.mark.parametrize("value", [1, "yes", None])
def test_what_is_no_flag_is_refused(value):
    with pytest.raises(InvalidArgumentError, match=r"^laplace must be True or False; got"):
        check_flag(value, "laplace")


@pytest.mark.parametrize(
    ("value", "limits"),
    [
        (2, {"low": 2, "whole": True}),
        (np.int64(2), {"low": 2, "whole": True}),
        (0.5, {"low": 0, "high": 1, "is_open": "both"}),
        (1, {"low": 0, "high": 1, "is_open": "low"}),
        (None, {"low": 0, "or_none": True}),
    ],
)
def test_numbers_in_their_range_pass(value, limits):
    assert check_number(value, "it", way_out="", **limits) is None


@pytest.mark.parametrize(
    ("value", "limits", "rule"),
    [
        (1, {"low": 2, "whole": True}, "a whole number from 2 up; got 1"),
        (2.0, {"low": 2, "whole": True}, "a whole number from 2 up; got 2.0"),
        (True, {"low": 0}, "a number from 0 up; got True"),
        (None, {"low": 0}, "a number from 0 up; got None"),
        (np.inf, {"low": 0}, "a number from 0 up; got inf"),
        (np.nan, {"low": 0}, "a number from 0 up; got nan"),
        (0, {"low": 0, "is_open": "both"}, "a number above 0; got 0"),
        (1, {"low": 0, "high": 1, "is_open": "high"}, "a number of at least 0 and below 1; got 1"),
        (0, {"low": 0, "high": 1, "is_open": "low"}, "a number above 0 and at most 1; got 0"),
        ("a", {"low": 0, "or_none": True}, "a number from 0 up or None; got 'a'"),
    ],
)
def test_numbers_out_of_their_range_are_refused(value, limits, rule):
    with pytest.raises(InvalidArgumentError, match=rf"^it must be {rule}\. Take another\.$"):
        check_number(value, "it", way_out="Take another.", **limits)

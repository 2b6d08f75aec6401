from __future__ import annotations

import numpy as np
import pytest

from bestofk.words import number, percent, seconds


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.0, "0.0000"),
        (-1.2e-17, "-1.20e-17"),
        (12.346, "12.35"),
        (123_456_789.4, "123,456,789"),
        (1.47453e20, "1.475e+20"),
        (62.0, "62.00"),
        (np.inf, "inf"),
        (-np.inf, "-inf"),
    ],
)
def test_numbers_keep_four_digits(value, said):
    assert number(value) == said


def test_numbers_of_one_column_keep_their_last_zeros():
    assert [number(value, 3) for value in (62.0, 47.4, 193.9)] == ["62.0", "47.4", "194"]


@pytest.mark.parametrize(
    ("share", "said"), [(0.00001, "0.001"), (0.0312, "3.1"), (0.005, "0.50"), (0.99996, ">99.9")]
)
def test_shares_are_said_in_percent(share, said):
    assert percent(share) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.0, "0.0 µs"), (0.0009999, "1.0 ms"), (0.9999, "1.0 s"), (99.0, "99 s"), (7300, "2.0 h")],
)
def test_seconds_change_unit_before_they_round_to_a_thousand(value, said):
    assert seconds(value) == said

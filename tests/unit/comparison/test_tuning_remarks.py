"""Sentences on what tuned learners chose."""

import pandas as pd
import pytest

from bestofk.comparison.tuning_remarks import _mostly


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([1, 2, 3], "p mostly 1-3"),
        ([5, 5, 5], "p mostly 5"),
        ([None, None, 0.1], "p mostly not set (67%)"),
        (["scale", 0.1, "scale", "scale"], "p mostly scale (75%)"),
    ],
)
def test_what_was_chosen_mostly_is_a_range_or_the_commonest_value(values, text):
    assert _mostly("p", pd.Series(values)) == text

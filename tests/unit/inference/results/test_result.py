from dataclasses import dataclass

import pytest

from bestofk.inference import Result
from bestofk.inference.results import degrees, number


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Counted(Result):
    pair: tuple[float, float] = (1.0, 2.0)

    def rows(self):
        return [("a", "1"), ("longer", "2")]


COUNTED = Counted(procedure="counting", n=3, flags=("one", "two"), warnings=("Careful.",))


def test_text_is_a_table_with_what_to_distrust_below():
    assert str(COUNTED) == "counting\n  a       1\n  longer  2\n  ! Careful."


def test_the_frame_joins_texts_and_keeps_numbers():
    frame = COUNTED.to_frame()
    assert list(frame) == ["procedure", "n", "assumptions", "flags", "warnings", "n_draws", "pair"]
    assert frame.iloc[0].tolist() == ["counting", 3, "", "one two", "Careful.", 0, (1.0, 2.0)]


def test_a_result_of_no_kind_shows_nothing():
    with pytest.raises(NotImplementedError):
        Result(procedure="x", n=1).rows()


def test_figures_have_four_digits_and_degrees_five():
    assert [number(item) for item in (0.0691412, 123456.0, float("-inf"))] == [
        "0.06914", "1.235e+05", "-inf",
    ]  # fmt: skip
    assert (degrees(1.82144), degrees((2, 362.451))) == ("1.8214", "2, 362.45")

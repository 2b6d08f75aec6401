import numpy as np
import pytest
from tests.unit.stopping.given_repeats import assert_same, watched

from bestofk.errors import InvalidArgumentError
from bestofk.stopping import FixedRepeats


def test_it_is_steady_after_its_number_whatever_the_scores() -> None:
    values = np.array([0.1, np.nan, 0.9, 0.2])
    state = watched(FixedRepeats(3), values)
    assert (state.steady_at, state.path.tolist()) == (3, [1, 2, 3, 4])
    assert_same(state, watched(FixedRepeats(3), values, chunks=(1, 1, 3)))
    assert watched(FixedRepeats(5), values).steady_at is None


@pytest.mark.parametrize("number", [0, -1, 2.0, True, "many"])
def test_what_is_no_number_of_repeats_is_refused(number: object) -> None:
    with pytest.raises(InvalidArgumentError, match="n_repeats of fixed must be a whole number"):
        FixedRepeats(number)  # type: ignore[arg-type]


def test_its_title_counts() -> None:
    assert FixedRepeats(1).title == "1 repeat"
    assert FixedRepeats(10).title == "10 repeats"

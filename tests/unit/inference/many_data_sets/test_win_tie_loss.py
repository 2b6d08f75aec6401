import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.many_data_sets.effect_sizes import win_tie_loss

LOSSES = [[0.1, 0.2, 0.1], [0.1 + 0.2, 0.3, 0.2], [0.1, 0.4, 0.5]]


def test_every_case_is_a_win_a_tie_or_a_loss() -> None:
    result = win_tie_loss(LOSSES)
    assert result.wins.tolist() == [[0, 2, 1], [0, 0, 1], [1, 2, 0]]
    assert result.ties.tolist() == [[0, 1, 1], [1, 0, 0], [1, 0, 0]]
    assert result.to_frame().columns.tolist() == ["first", "second", "wins", "ties", "losses"]
    assert result.to_frame().iloc[0].tolist() == ["learner 1", "learner 2", 2, 1, 0]


def test_shown_differences_are_counted_beside_the_raw_ones() -> None:
    shown = np.zeros((3, 3, 3), dtype=bool)
    shown[0, 1, 0] = shown[2, 1, 0] = shown[1, 0, 2] = True
    frame = win_tie_loss(LOSSES, names=["a", "b", "c"], shown_worse=shown).to_frame()
    shown_columns = frame[["shown_wins", "undecided", "shown_losses"]].values.tolist()
    assert shown_columns == [[2, 1, 0], [0, 2, 1], [0, 3, 0]]


def test_small_losses_are_told_apart_beside_large_ones() -> None:
    counted = win_tie_loss([[1e9, 2e9], [1e-5, 2e-5], [0.1 + 0.2, 0.3]])
    assert (counted.wins[0, 1], counted.ties[0, 1]) == (2, 1)


def test_losses_of_zero_are_all_tied() -> None:
    assert win_tie_loss(np.zeros((4, 2))).ties.tolist() == [[0, 4], [4, 0]]


def test_bad_input_is_refused() -> None:
    with pytest.raises(DesignError, match="must have at least 2 learners; got 1"):
        win_tie_loss([[0.1], [0.2]])
    with pytest.raises(DesignError, match="got nan at case 1, learner 2"):
        win_tie_loss([[0.1, float("nan")]])
    with pytest.raises(DesignError, match=r"must have the shape \(3, 3, 3\); got \(3, 3\)"):
        win_tie_loss(LOSSES, shown_worse=np.zeros((3, 3)))
    with pytest.raises(InvalidArgumentError, match="got a more than once"):
        win_tie_loss(LOSSES, names=["a", "a", "b"])

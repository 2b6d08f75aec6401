"""Blocks of the runs missing in a store."""

import numpy as np
import pytest

from bestofk.evaluation.pending_runs import PendingRuns


class Way:
    """A batched fit that is asked for blocks alone."""

    def __init__(self, smallest_block=1, largest_block=1000):
        self.smallest_block, self.largest_block = smallest_block, largest_block


def blocks(way, seconds_per_repeat, *, n_repeats=100):
    """Return how many repeats each block holds if each repeat takes so long."""
    is_missing = np.ones((n_repeats, 2), dtype=bool)
    work = PendingRuns([is_missing], [np.zeros((n_repeats, 2), dtype=int)], [way], {})
    sizes = []
    for turn in work.blocks(0):
        sizes.append(len(turn.repeats))
        work.tell_seconds(turn, seconds_per_repeat * len(turn.repeats))
    assert sum(sizes) == n_repeats
    return sizes


@pytest.mark.parametrize(("seconds", "size"), [(0.01, 30), (0.09, 3), (5.0, 1), (1e-9, 99)])
def test_a_block_is_as_long_as_a_task_should_be_after_a_first_repeat(seconds, size):
    sizes = blocks(Way(), seconds)
    assert sizes[:2] == [1, size]


def test_a_form_that_does_several_repeats_for_less_gets_them_at_once():
    assert blocks(Way(smallest_block=20), 5.0)[:3] == [1, 20, 20]


def test_no_block_is_larger_than_memory_allows():
    assert blocks(Way(largest_block=7), 0.001)[:3] == [1, 7, 7]

"""Blocks of the runs missing in a store."""

import numpy as np
import pytest

from bestofk.evaluation.pending_runs import PendingRuns
from bestofk.evaluation.worker import BatchedJob, Job


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


def order_of(seconds, *, batched=(), ranks=None, n_repeats=2, n_folds=3):
    """Return (learner, runs) of every turn, where a run of a learner takes some seconds."""
    is_missing = [np.ones((n_repeats, n_folds), dtype=bool) for _ in seconds]
    fits = [Way() if index in batched else None for index in range(len(seconds))]
    seeds = [np.zeros((n_repeats, n_folds), dtype=int) for _ in seconds]
    work = PendingRuns(is_missing, seeds, fits, {}, {}, ranks)
    order = []
    for turn in work.turns():
        if isinstance(turn, BatchedJob):
            order.append((turn.learner_index, list(turn.repeats)))
            work.tell_seconds(turn, seconds[turn.learner_index] * n_folds)
            continue
        (index,) = {job.learner_index for job in turn}
        order.append((index, [(job.repeat, job.fold) for job in turn]))
        work.tell_run_seconds(index, seconds[index])
    return order


def test_every_learner_has_a_run_before_a_slow_one_has_two():
    order = order_of([5.0, 0.01, 1.0], n_repeats=1)
    assert order == [
        (0, [(0, 0)]),
        (1, [(0, 0)]),
        (1, [(0, 1), (0, 2)]),  # quick: its repeat ends before another one is tried
        (2, [(0, 0)]),
        (2, [(0, 1), (0, 2)]),
        (0, [(0, 1), (0, 2)]),
    ]


def test_learners_that_were_not_tried_go_by_the_rank_of_their_family():
    order = order_of([5.0, 1.0, 2.0], ranks=[9, 1, 4], n_repeats=1)
    assert [index for index, _ in order] == [1, 2, 0, 1, 2, 0]


def test_batched_learners_are_first_and_repeats_follow_each_other():
    order = order_of([5.0, 0.01], batched=[1])
    assert order[:2] == [(1, [0]), (0, [(0, 0)])]
    assert order[2:] == [(0, [(0, 1), (0, 2)]), (1, [1]), (0, [(1, 0), (1, 1), (1, 2)])]


def test_runs_that_are_there_are_not_done_again_whatever_the_order():
    is_missing = np.array([[False, True, False], [True, False, True]])
    work = PendingRuns([is_missing], [np.arange(6).reshape(2, 3)], [None], {})
    jobs = []
    for turn in work.turns():
        jobs += turn
        work.tell_run_seconds(0, 1.0)
    assert jobs == [Job(0, 0, 1, 1), Job(0, 1, 0, 3), Job(0, 1, 2, 5)]


def test_single_runs_go_repeat_by_repeat_with_quick_learners_first():
    is_missing = [np.ones((2, 1), dtype=bool)] * 3
    seeds = [np.zeros((2, 1), dtype=int)] * 3
    known = {0: 3.0, 1: 1.0, 2: 2.0}
    work = PendingRuns(is_missing, seeds, [None] * 3, {}, known)
    jobs = work.plain_jobs()
    assert [(job.repeat, job.learner_index) for job in jobs] == [
        (0, 1), (0, 2), (0, 0), (1, 1), (1, 2), (1, 0),
    ]  # fmt: skip

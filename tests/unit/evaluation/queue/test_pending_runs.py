"""Blocks of the runs missing in a store."""

import numpy as np
import pytest

from bestofk.evaluation.queue.pending_runs import PendingRuns
from bestofk.evaluation.queue.worker import BatchedJob, Job


class Way:
    """A batched fit that is asked for blocks alone."""

    def __init__(self, smallest_block=1, largest_block=1000):
        self.smallest_block, self.largest_block = smallest_block, largest_block


def blocks(way, seconds_per_repeat, *, n_repeats=100):
    """Return how many repeats each block holds if each repeat takes so long."""
    is_missing = np.ones((n_repeats, 2), dtype=bool)
    work = PendingRuns([is_missing], [np.zeros((n_repeats, 2), dtype=int)], [way], {})
    sizes = []
    for turn in work.turns():
        sizes.append(len(turn.repeats))
        work.tell_seconds(turn, seconds_per_repeat * len(turn.repeats))
    assert sum(sizes) == n_repeats
    return sizes


@pytest.mark.parametrize(("seconds", "size"), [(0.01, 30), (0.09, 3), (5.0, 1), (1e-9, 99)])
def test_a_block_is_as_long_as_a_task_should_be_after_a_first_repeat(seconds, size):
    sizes = blocks(Way(), seconds)
    assert sizes[:2] == [1, size]


def test_a_form_gets_as_many_repeats_as_it_is_made_for_and_memory_allows():
    assert blocks(Way(smallest_block=20), 5.0)[:3] == [1, 20, 20]
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


def plain(known, *, n_repeats=2, n_folds=1):
    """Return the pending runs of plain learners of which a run takes so long."""
    is_missing = [np.ones((n_repeats, n_folds), dtype=bool) for _ in known]
    seeds = [np.zeros((n_repeats, n_folds), dtype=int) for _ in known]
    seconds = {index: value for index, value in enumerate(known) if value is not None}
    return PendingRuns(is_missing, seeds, [None] * len(known), {}, seconds)


def test_single_runs_go_repeat_by_repeat_with_quick_learners_first():
    jobs = [job for turn in plain([3.0, 1.0, 2.0]).turns() for job in turn]
    assert [(job.repeat, job.learner_index) for job in jobs] == [
        (0, 1), (0, 2), (0, 0), (1, 1), (1, 2), (1, 0),
    ]  # fmt: skip


def test_a_block_of_an_engine_spans_repeats_of_a_thousand_runs_at_most():
    work = plain([0.1, 10.0], n_repeats=4, n_folds=3)
    first, second = work.next_turn(0.5), work.next_turn(0.5)
    assert [(job.repeat, job.fold) for job in first] == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]
    assert [(job.learner_index, job.repeat, job.fold) for job in second] == [(1, 0, 0)]
    work = plain([None], n_repeats=3, n_folds=2)
    assert [len(work.next_turn(100.0)) for _ in range(2)] == [1, 1]
    work.tell_run_seconds(0, 1.0)
    assert len(work.next_turn(100.0)) == 4
    assert work.next_turn(100.0) is None
    work = plain([1e-9], n_repeats=500, n_folds=5)
    assert [len(work.next_turn(1.0)) for _ in range(3)] == [1000, 1000, 500]


def test_runs_that_a_batched_form_left_come_next_learner_by_learner():
    work = plain([1.0])
    work.leave([Job(3, 0, 0, 7), Job(3, 0, 1, 8), Job(4, 0, 0, 9)])
    work.tell_run_seconds(3, 0.1)
    assert work.next_turn(5.0) == [Job(3, 0, 0, 7), Job(3, 0, 1, 8)]
    assert work.next_turn(5.0) == [Job(4, 0, 0, 9)]
    assert work.next_turn(5.0) == [Job(0, 0, 0, 0), Job(0, 1, 0, 0)]


def test_seconds_that_are_left_are_unknown_until_every_learner_had_its_first_short_turn():
    work = plain([2.0, None], n_repeats=3)
    assert work.untried() == [1]
    assert work.expected_seconds() == float("inf")
    assert work.first_turn(1) == [Job(1, 0, 0, 0)]
    work.tell_run_seconds(1, 5.0)
    assert work.untried() == []
    assert work.expected_seconds() == 3 * 2.0 + 2 * 5.0
    work = plain([0.001], n_repeats=2)
    assert [work.first_turn(0), work.first_turn(0), work.first_turn(0)] == [
        [Job(0, 0, 0, 0)],
        [Job(0, 1, 0, 0)],
        None,
    ]

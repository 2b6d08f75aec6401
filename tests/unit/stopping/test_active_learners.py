"""ActiveLearners: a failed run is never dropped from one learner alone."""

import numpy as np
import pytest

from bestofk.stopping.active_learners import choose_active_learners

N, F = np.nan, np.inf  # a run that was not done, and one that failed
ONE_FAILED = "1 of 20 runs failed, and no other was finished"
ONE_SCORE = "only 1 of 6 runs gave a score"


def chosen_of(values, reasons=None, *, needs_all_splits=False):
    values = np.array(values, dtype=float)
    failed = np.isinf(values)
    values[failed] = np.nan
    names = [f"learner {i}" for i in range(len(values))]
    return choose_active_learners(
        names, values, failed, reasons or {}, needs_all_splits=needs_all_splits
    )


@pytest.mark.parametrize(
    ("values", "reasons", "learners", "splits", "left_out"),
    [
        ([[1] * 4] * 3, {}, [0, 1, 2], range(4), {}),
        # failures of different learners add up
        ([[F, *[1] * 19], [1, F, F, *[1] * 17], [1] * 20], {}, [0, 1, 2], range(3, 20), {}),
        # splits that one did not get to are left out for all
        ([[1, 1, 1, N], [1, 1, N, N]], {}, [0, 1], [0, 1], {}),
        # without the measure, on all splits or on one
        ([[N, N], [1, 1]], {"learner 0": "no odds"}, [1], [0, 1], {0: "no odds"}),
        ([[1, N, 1], [1, N, 1]], {"learner 0": "one class"}, [0, 1], [0, 2], {}),
        # who has hardly a run leaves the splits of the others alone
        ([[1, 1, 1, N], [N] * 4, [1] * 4], {}, [0, 2], [0, 1, 2], {1: "no run was finished"}),
        ([[1] * 20, [1] * 20, [F, *[N] * 19]], {}, [0, 1], range(20), {2: ONE_FAILED}),
        ([[1] * 6, [1, *[N] * 5], [1] * 6], {}, [0, 2], range(6), {1: ONE_SCORE}),
        # single scores are compared where no learner has more
        ([[1, N, N], [1, N, N]], {}, [0, 1], [0], {}),
        ([[N] * 3] * 2, {}, [0, 1], [], {}),
        ([[F] * 3] * 2, {}, [], range(3), dict.fromkeys((0, 1), "3 of 3 runs failed")),
    ],
)
def test_who_takes_part_on_which_splits(values, reasons, learners, splits, left_out):
    chosen = chosen_of(values, reasons)
    assert (chosen.learners, chosen.splits.tolist()) == (learners, list(splits))
    assert chosen.left_out == {f"learner {i}": why for i, why in left_out.items()}


@pytest.mark.parametrize(("n_splits", "n_failed"), [(10, 1), (100, 10), (70, 7), (19, 1)])
def test_up_to_a_tenth_the_failed_splits_are_left_out_for_all(n_splits, n_failed):
    chosen = chosen_of([[F] * n_failed + [1] * (n_splits - n_failed), [1] * n_splits])
    assert chosen.learners == [0, 1]
    assert chosen.splits.tolist() == list(range(n_failed, n_splits))
    assert chosen.warnings == (
        f"The verdict rests on {n_splits - n_failed} of {n_splits} splits, those for which every "
        "learner has a score: runs of learner 0 failed.",
    )


@pytest.mark.parametrize(("n_splits", "n_failed"), [(10, 2), (100, 11), (9, 1), (10, 10)])
def test_beyond_a_tenth_the_learner_is_left_out_and_no_split(n_splits, n_failed):
    chosen = chosen_of([[F] * n_failed + [1] * (n_splits - n_failed), [1] * n_splits])
    assert chosen.learners == [1]
    assert len(chosen.splits) == n_splits
    assert chosen.left_out == {"learner 0": f"{n_failed} of {n_splits} runs failed"}
    assert "may lack at most 10% of the splits" in chosen.warnings[0]
    assert ("Its finished runs are kept" in chosen.warnings[0]) == (n_failed < n_splits)


def test_a_test_that_needs_every_split_leaves_out_at_the_first_failure():
    chosen = chosen_of([[F, *[1] * 99], [1] * 100], needs_all_splits=True)
    assert chosen.learners == [1]
    assert len(chosen.splits) == 100
    assert "1 of 100 runs failed, and the test needs every split" in chosen.warnings[0]


def test_who_takes_no_part_and_which_splits_count_is_said():
    assert chosen_of([[1, 1, 1, N], [N] * 4, [1] * 4]).warnings == (
        "learner 1 takes no part in the verdict: no run was finished.",
        "The verdict rests on 3 of 4 splits, those for which every learner has a score.",
    )

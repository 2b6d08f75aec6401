"""ActiveLearners: a failed run is never dropped from one learner alone."""

import numpy as np
import pytest

from bestofk.stopping.active_learners import choose_active_learners


def arms(values, failed=None, reasons=None, *, needs_all_splits=False):
    values = np.array(values, dtype=float)
    failed = np.zeros(values.shape, dtype=bool) if failed is None else np.array(failed)
    names = [f"learner {i}" for i in range(len(values))]
    return choose_active_learners(
        names, values, failed, reasons or {}, needs_all_splits=needs_all_splits
    )


def with_failures(n_splits, n_failed):
    """Return values and failures of two learners; the first failed on its first splits."""
    values = np.ones((2, n_splits))
    values[0, :n_failed] = np.nan
    return values, np.isnan(values)


def test_without_failures_everybody_takes_part_on_all_splits():
    chosen = arms(np.ones((3, 4)))
    assert chosen.learners == [0, 1, 2]
    assert chosen.splits.tolist() == [0, 1, 2, 3]
    assert chosen.left_out == {}
    assert chosen.warnings == ()


@pytest.mark.parametrize(("n_splits", "n_failed"), [(10, 1), (100, 10), (70, 7), (19, 1)])
def test_up_to_a_tenth_the_failed_splits_are_left_out_for_all(n_splits, n_failed):
    chosen = arms(*with_failures(n_splits, n_failed))
    assert chosen.learners == [0, 1]
    assert chosen.splits.tolist() == list(range(n_failed, n_splits))
    assert chosen.warnings == (
        f"The verdict rests on {n_splits - n_failed} of {n_splits} splits, those for which every "
        "learner has a score: runs of learner 0 failed.",
    )


@pytest.mark.parametrize(("n_splits", "n_failed"), [(10, 2), (100, 11), (9, 1), (10, 10)])
def test_beyond_a_tenth_the_learner_is_left_out_and_no_split(n_splits, n_failed):
    chosen = arms(*with_failures(n_splits, n_failed))
    assert chosen.learners == [1]
    assert len(chosen.splits) == n_splits
    assert chosen.left_out == {"learner 0": f"{n_failed} of {n_splits} runs failed"}
    assert "may lack at most 10% of the splits" in chosen.warnings[0]
    assert ("Its finished runs are kept" in chosen.warnings[0]) == (n_failed < n_splits)


def test_a_test_that_needs_every_split_leaves_out_at_the_first_failure():
    chosen = arms(*with_failures(100, 1), needs_all_splits=True)
    assert chosen.learners == [1]
    assert len(chosen.splits) == 100
    assert "1 of 100 runs failed, and the test needs every split" in chosen.warnings[0]


def test_failures_of_different_learners_add_up():
    values = np.ones((3, 20))
    values[0, 0] = values[1, 1] = values[1, 2] = np.nan
    chosen = arms(values, np.isnan(values))
    assert chosen.splits.tolist() == list(range(3, 20))
    assert chosen.warnings[0].endswith(" has a score: runs of learner 0, learner 1 failed.")


def test_splits_that_one_learner_did_not_get_to_are_left_out_for_all():
    nan = np.nan
    chosen = arms([[1, 1, 1, nan], [1, 1, nan, nan]])
    assert chosen.learners == [0, 1]
    assert chosen.splits.tolist() == [0, 1]
    assert chosen.warnings[0].endswith("2 of 4 splits, those for which every learner has a score.")


def test_a_learner_without_the_measure_takes_no_part_and_says_why():
    nan = np.nan
    chosen = arms([[nan, nan], [1, 1]], reasons={"learner 0": "log loss needs probabilities"})
    assert chosen.learners == [1]
    assert chosen.splits.tolist() == [0, 1]
    assert chosen.left_out == {"learner 0": "log loss needs probabilities"}
    assert chosen.warnings == (
        "learner 0 takes no part in the verdict: log loss needs probabilities.",
    )


def test_a_measure_that_some_folds_do_not_give_leaves_these_out_for_all():
    chosen = arms([[1, np.nan, 1], [1, np.nan, 1]], reasons={"learner 0": "one class"})
    assert chosen.learners == [0, 1]
    assert chosen.splits.tolist() == [0, 2]


def test_nobody_may_be_left():
    values = np.full((2, 3), np.nan)
    chosen = arms(values, np.isnan(values))
    assert chosen.learners == []
    assert set(chosen.left_out) == {"learner 0", "learner 1"}


def test_a_learner_without_a_finished_run_leaves_the_splits_of_the_others_alone():
    nan = np.nan
    chosen = arms([[1, 1, 1, nan], [nan, nan, nan, nan], [1, 1, 1, 1]])
    assert chosen.learners == [0, 2]
    assert chosen.splits.tolist() == [0, 1, 2]
    assert chosen.left_out == {"learner 1": "no run was finished"}
    assert chosen.warnings == (
        "learner 1 takes no part in the verdict: no run was finished.",
        "The verdict rests on 3 of 4 splits, those for which every learner has a score.",
    )


def test_a_learner_whose_only_finished_run_failed_leaves_the_splits_of_the_others_alone():
    values = np.ones((3, 20))
    values[2] = np.nan
    failed = np.zeros(values.shape, dtype=bool)
    failed[2, 0] = True
    chosen = arms(values, failed)
    assert chosen.learners == [0, 1]
    assert len(chosen.splits) == 20
    assert chosen.left_out == {"learner 2": "1 of 20 runs failed, and no other was finished"}


def test_a_learner_with_a_single_score_takes_no_part_where_others_have_more():
    values = np.ones((3, 6))
    values[1, 1:] = np.nan
    chosen = arms(values)
    assert chosen.learners == [0, 2]
    assert chosen.splits.tolist() == list(range(6))
    assert chosen.left_out == {"learner 1": "only 1 of 6 runs gave a score"}


def test_single_scores_are_compared_where_no_learner_has_more():
    nan = np.nan
    chosen = arms([[1, nan, nan], [1, nan, nan]])
    assert chosen.learners == [0, 1]
    assert chosen.splits.tolist() == [0]


def test_without_any_score_there_is_no_split():
    chosen = arms(np.full((2, 3), np.nan))
    assert chosen.left_out == {}
    assert len(chosen.splits) == 0

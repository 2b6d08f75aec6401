"""Learners and data sets that count where scores are missing."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestofk.errors import DesignError
from bestofk.verdict.complete_scores import first_names, most_scores, other_choice
from bestofk.verdict.many_data_sets import decide_across

NAMES = ["lda", "svm", "cart", "1nn"]


def gaps(n_data_sets, n_learners, *cells):
    is_missing = np.zeros((n_data_sets, n_learners), dtype=bool)
    for row, column in cells:
        is_missing[row, column] = True
    return is_missing


def test_a_few_gaps_cost_data_sets_and_many_cost_the_learner():
    # 4 x 9 = 36 scores without one data set, 3 x 10 = 30 without the learner
    one = most_scores(gaps(10, 4, (2, 1)))
    assert (one.learners, one.data_sets) == ([0, 1, 2, 3], [0, 1, 3, 4, 5, 6, 7, 8, 9])
    # 4 x 7 = 28 without three data sets, 3 x 10 = 30 without the learner
    three = most_scores(gaps(10, 4, (2, 1), (3, 1), (4, 1)))
    assert (three.learners, three.data_sets) == ([0, 2, 3], list(range(10)))


def test_both_may_be_left_out():
    # learner 1 lacks data sets 0 to 4, learner 3 data set 9: 3 x 9 = 27, 4 x 4 = 16, 2 x 10 = 20
    chosen = most_scores(gaps(10, 4, *((row, 1) for row in range(5)), (9, 3)))
    assert (chosen.learners, chosen.data_sets) == ([0, 2, 3], list(range(9)))


def test_ties_keep_learners_and_the_control_stays():
    # 3 x 4 = 12 and 2 x 6 = 12
    tied = gaps(6, 3, (0, 1), (1, 1))
    assert most_scores(tied).learners == [0, 1, 2]
    many = gaps(6, 3, (0, 1), (1, 1), (2, 1), (3, 1))
    assert most_scores(many).learners == [0, 2]
    assert most_scores(many, control=1).learners == [0, 1, 2]


def test_a_data_set_without_any_score_costs_no_learner():
    chosen = most_scores(gaps(5, 3, *((4, column) for column in range(3))))
    assert (chosen.learners, chosen.data_sets) == ([0, 1, 2], [0, 1, 2, 3])
    assert other_choice(gaps(5, 3, (4, 0), (4, 1), (4, 2)), chosen) is None


@given(st.integers(2, 7), st.integers(2, 4), st.data())
def test_every_score_that_counts_is_there_and_one_learner_more_or_less_keeps_fewer(
    n_data_sets, n_learners, data
):
    cells = data.draw(
        st.lists(
            st.booleans(), min_size=n_data_sets * n_learners, max_size=n_data_sets * n_learners
        )
    )
    is_missing = np.reshape(cells, (n_data_sets, n_learners))
    chosen = most_scores(is_missing)
    assert not is_missing[np.ix_(chosen.data_sets, chosen.learners)].any()
    subsets = itertools.chain.from_iterable(
        itertools.combinations(range(n_learners), size) for size in range(2, n_learners + 1)
    )
    sizes = [(len(kept), int((~is_missing[:, list(kept)].any(axis=1)).sum())) for kept in subsets]
    most = max((k * n for k, n in sizes if n >= 2), default=0)
    every = n_learners * int((~is_missing.any(axis=1)).sum())
    assert chosen.n_scores <= most or not chosen.is_enough
    assert chosen.n_scores >= every
    if (is_missing.any(axis=0)).sum() <= 1 and chosen.is_enough:
        assert chosen.n_scores == most


def test_the_pick_of_the_other_choice_is_told_where_it_differs():
    losses = np.tile([0.2, 0.1, 0.3, 0.4], (10, 1)) + 0.001 * np.arange(10)[:, None]
    losses[:4, 1] = np.nan
    verdict = decide_across(
        NAMES,
        losses,
        reasons={(f"data set {i}", "svm"): "timeout" for i in (1, 2, 3)}
        | {("data set 4", "svm"): "error"},
    )
    assert (verdict.best, verdict.order) == ("lda", ["lda", "cart", "1nn"])
    assert verdict.warnings[0] == (
        "svm takes no part: no score on 4 of 10 data sets (timeout 3, error 1; data set 1, data "
        "set 2, data set 3 + 1 more)."
    )
    assert verdict.warnings[1] == (
        "With svm, on the 6 data sets that all learners have, svm would be picked."
    )
    same = np.array(losses)
    same[:, 1] += 0.5
    assert not any("would be picked" in text for text in decide_across(NAMES, same).warnings)


def test_the_other_way_round_data_sets_are_left_out_and_the_learner_would_be():
    losses = np.full((10, 4), 0.3)
    losses[:, 0], losses[:, 1] = 0.2, 0.21
    losses[0] = [0.9, 0.1, np.nan, 0.3]
    verdict = decide_across(NAMES, losses)
    assert (verdict.best, verdict.left_out) == ("lda", {"data set 1": "no score of cart"})
    assert verdict.warnings[1] == "Without cart, on 10 data sets, svm would be picked."


def test_ranks_and_critical_difference_are_those_of_what_counts():
    losses = np.array([[1.0, 2, 3], [1, 3, 2], [2, 1, 3], [1, 2, 3], [np.nan, 1, 2]])
    verdict = decide_across(["a", "b", "c"], losses)
    assert verdict.mean_ranks == {"a": 1.25, "b": 2.0, "c": 2.75}
    # Nemenyi, three learners on four data sets: 2.343 * sqrt(3 * 4 / (6 * 4))
    assert verdict.critical_difference == pytest.approx(2.3437 * np.sqrt(0.5), abs=1e-4)
    # with a control Bonferroni-Dunn: 2.241
    held = decide_across(["a", "b", "c"], losses, control="b")
    assert held.critical_difference == pytest.approx(2.2414 * np.sqrt(0.5), abs=1e-4)


def test_too_few_are_refused_with_what_is_missing():
    losses = [[0.1, np.nan], [np.nan, 0.2], [0.1, 0.2]]
    with pytest.raises(
        DesignError, match="data set 1 is left out for all learners: no score of svm"
    ):
        decide_across(["lda", "svm"], losses)


def test_at_most_three_names_are_listed():
    assert first_names(["a", "b", "c"]) == "a, b, c"
    assert first_names(list("abcde")) == "a, b, c + 2 more"

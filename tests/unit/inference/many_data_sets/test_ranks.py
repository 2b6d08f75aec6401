from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import average_ranks, friedman_test, wilcoxon_test
from bestofk.inference.many_data_sets.ranks import (
    join_differences,
    join_ties,
    mid_ranks,
    rank_rows,
)

NAN = float("nan")


def test_ties_share_the_mean_rank_in_every_row() -> None:
    values = [[0.2, 0.1, 0.2, 0.4], [1, 1, 1, 1], [4, 3, 2, 1]]
    wanted = [[2.5, 1, 2.5, 4], [2.5] * 4, [4, 3, 2, 1]]
    np.testing.assert_array_equal(mid_ranks(values), wanted)


def test_differences_that_agree_but_for_rounding_tie() -> None:
    joined = join_differences(
        [0.81 - 0.79, 0.90 - 0.92, 0.1 + 0.2 - 0.3, 0.0], [0.81, 0.92, 0.3, 0.0]
    )
    assert joined.tolist() == [joined[0], -joined[0], 0.0, 0.0]
    assert joined[0] == pytest.approx(0.02)


@pytest.mark.parametrize("factor", [1e-200, 1e-9, 1.0, 1e9, 1e200])
def test_ties_follow_the_scale_of_the_scores(factor: float) -> None:
    values = np.array([[0.3, 0.1 + 0.2, 0.31]]) * factor
    assert rank_rows(values, greater_is_better=False).tolist() == [[1.5, 1.5, 3]]


def test_equal_differences_of_small_and_of_large_scores_tie() -> None:
    third, of_large = 1 / 3, 1000 + 1 / 3 - 1000
    assert third != of_large
    a, b = join_differences([third, of_large], [1, 1000])
    assert a == b == third


def test_small_differences_stay_apart_beside_large_scores() -> None:
    # the third agrees with both others within its noise of 1e-6, and joins the nearest
    values, noise = [2e-7, 5e-7, 3e-7], [1e-12, 1e-12, 1e-6]
    assert join_ties(values, noise).tolist() == [2e-7, 5e-7, 2e-7]
    assert join_ties([[0.0, 1.0], [3.0, 2.0]], 0.0).tolist() == [[0.0, 1.0], [3.0, 2.0]]


def test_a_chain_of_neighbors_is_not_one_tie() -> None:
    assert join_ties([0.0, 1.5, 3.0, 4.5], 1.0).tolist() == [0.0, 0.0, 3.0, 3.0]
    assert join_ties([], 1.0).tolist() == []


def test_rank_one_is_the_least_loss_or_the_greatest_score() -> None:
    table = pd.DataFrame([[0.1, 0.2, 0.3], [0.2, 0.2, 0.4]], columns=["a", "b", "c"])
    assert average_ranks(table).tolist() == [1.25, 1.75, 3]
    assert average_ranks(table, greater_is_better=True).tolist() == [2.75, 2.25, 1]
    assert average_ranks([[0.3, 0.1 + 0.2]], names=["a", "b"]).tolist() == [1.5, 1.5]


def test_a_missing_cell_is_named() -> None:
    table = [[0.1, 0.2], [0.1, NAN], [float("inf"), 0.2]]
    with pytest.raises(DesignError, match=r"got nan of tree on data set 2 and 1 more\. Fill"):
        friedman_test(table, names=["knn", "tree"])


def test_one_data_set_is_refused_with_a_way_out() -> None:
    with pytest.raises(DesignError, match=r"at least 2 data sets; got 1\. With one data set take"):
        friedman_test([[0.1, 0.2, 0.3]])
    with pytest.raises(DesignError, match="at least 2 data sets; got 1"):
        wilcoxon_test([0.1], [0.2])


def test_one_learner_is_refused() -> None:
    with pytest.raises(DesignError, match="must have at least 2 learners; got 1"):
        friedman_test([[0.1], [0.2]])


@pytest.mark.parametrize("scores", [[0.1, 0.2], [[0.1, 0.2], [0.1]], "text", [["a", "b"]] * 2])
def test_what_is_no_table_is_refused(scores: object) -> None:
    with pytest.raises(DesignError, match=r"scores of friedman_test must be (numbers|a table)"):
        friedman_test(scores)


def test_names_must_fit() -> None:
    with pytest.raises(InvalidArgumentError, match="names must be one per learner"):
        friedman_test([[0.1, 0.2]] * 2, names=["one"])


@pytest.mark.parametrize(
    ("a", "b", "got"),
    [
        ([0.1, 0.2], [0.1], r"shape \(2,\) and shape \(1,\)"),
        ([[0.1], [0.2]], [[0.1], [0.2]], r"shape \(2, 1\) and shape \(2, 1\)"),
        ([0.1, "x"], [0.1, 0.2], r"no regular numbers and shape \(2,\)"),
    ],
)
def test_scores_that_do_not_pair_are_refused(a: list, b: list, got: str) -> None:
    with pytest.raises(DesignError, match=f"must pair, one number of each learner.*got {got}"):
        wilcoxon_test(a, b)


def test_a_missing_score_of_a_pair_is_named() -> None:
    with pytest.raises(DesignError, match="got nan of the second learner on data set 2"):
        wilcoxon_test([0.1, 0.2], [0.1, NAN])

import numpy as np
import pandas as pd
import pytest

from bestofk.errors import DesignError
from bestofk.inference import average_ranks, friedman_test, wilcoxon_test
from bestofk.inference.many_data_sets.ranks import (
    mid_ranks,
    rank_rows,
)


def test_ties_share_the_mean_rank_in_every_row() -> None:
    values = [[0.2, 0.1, 0.2, 0.4], [1, 1, 1, 1], [4, 3, 2, 1]]
    wanted = [[2.5, 1, 2.5, 4], [2.5] * 4, [4, 3, 2, 1]]
    np.testing.assert_array_equal(mid_ranks(values), wanted)


@pytest.mark.parametrize("factor", [1e-200, 1e-9, 1.0, 1e9, 1e200])
def test_ties_follow_the_scale_of_the_scores(factor: float) -> None:
    values = np.array([[0.3, 0.1 + 0.2, 0.31]]) * factor
    assert rank_rows(values, greater_is_better=False).tolist() == [[1.5, 1.5, 3]]


def test_rank_one_is_the_least_loss_or_the_greatest_score() -> None:
    table = pd.DataFrame([[0.1, 0.2, 0.3], [0.2, 0.2, 0.4]], columns=["a", "b", "c"])
    assert average_ranks(table).tolist() == [1.25, 1.75, 3]
    assert average_ranks(table, greater_is_better=True).tolist() == [2.75, 2.25, 1]
    assert average_ranks([[0.3, 0.1 + 0.2]], names=["a", "b"]).tolist() == [1.5, 1.5]


def test_a_missing_cell_is_named_and_one_data_set_refused_with_a_way_out() -> None:
    table = [[0.1, 0.2], [0.1, float("nan")], [float("inf"), 0.2]]
    with pytest.raises(DesignError, match=r"got nan of tree on data set 2 and 1 more\. Fill"):
        friedman_test(table, names=["knn", "tree"])
    with pytest.raises(DesignError, match=r"at least 2 data sets; got 1\. With one data set take"):
        friedman_test([[0.1, 0.2, 0.3]])
    with pytest.raises(DesignError, match="at least 2 data sets; got 1"):
        wilcoxon_test([0.1], [0.2])


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

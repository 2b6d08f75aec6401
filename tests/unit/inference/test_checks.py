"""Tables and names are what procedures can take, or the cell is named."""

import numpy as np
import pandas as pd
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.checks import check_rope, finite_table, learner_names, learner_table


def table(values, **sizes):
    return finite_table(values, "scores", row="data set", **sizes)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, None])
def test_the_first_bad_cell_is_named(bad):
    with pytest.raises(DesignError, match=r"at data set 2, learner 1\. Fill the cell"):
        table([[1, 2], [bad, 4]])


def test_further_bad_cells_are_counted():
    assert table([[1, 2], [3, 4]]).dtype == np.float64
    with pytest.raises(DesignError, match="data set 1, learner 2 and 2 more"):
        table([[1, np.nan], [np.nan, np.inf]])


@pytest.mark.parametrize("values", [[[1, 2], [3]], [["a", "b"]], [[1, {}]]])
def test_what_is_no_table_of_numbers_is_refused(values):
    with pytest.raises(DesignError, match="must be numbers in a regular table; got list"):
        table(values)


@pytest.mark.parametrize("values", [[1, 2], 3.0, [[[1]]]])
def test_other_shapes_are_refused(values):
    with pytest.raises(DesignError, match=r"one row per data set .* got shape \("):
        table(values)


def test_a_table_that_is_too_small_is_refused():
    with pytest.raises(DesignError, match="must have at least 2 data sets; got 1"):
        table([[1, 2]], min_rows=2)
    with pytest.raises(DesignError, match="must have at least 3 learners; got 2"):
        table([[1, 2]], min_columns=3)


def test_a_table_on_its_side_is_refused_with_both_readings():
    with pytest.raises(DesignError) as caught:
        learner_table(np.zeros((4, 50)), "scores of anova_test", row="split", names=None)
    assert str(caught.value) == (
        "scores of anova_test must have learners in columns; got 4 x 50, "
        "which reads as 50 learners on 4 splits. Transpose it if it is 4 learners on 50 splits. "
        "If it is not, name the learners: names=."
    )


def test_names_settle_which_way_a_table_lies_and_as_many_learners_as_splits_are_taken():
    values = np.arange(6.0).reshape(2, 3)
    for given, names in (
        (values, ["a", "b", "c"]),
        (pd.DataFrame(values, columns=list("abc")), None),
    ):
        read, labels = learner_table(given, "scores", row="split", names=names)
        assert labels == ("a", "b", "c")
        np.testing.assert_array_equal(read, values)
    with pytest.raises(DesignError, match="reads as 3 learners on 2 splits"):
        learner_table(pd.DataFrame(values), "scores", row="split", names=None)
    with pytest.raises(InvalidArgumentError, match=r"one per learner \(3\); got 2"):
        learner_table(values, "scores", row="split", names=["a", "b"])
    read, labels = learner_table([[1, 2], [3, 4]], "scores", row="split", names=None)
    assert (read[:, 0].tolist(), labels) == ([1, 3], ("learner 1", "learner 2"))


def test_names_are_counted_where_there_are_none_and_must_fit_and_differ():
    assert learner_names(None, 3) == ("learner 1", "learner 2", "learner 3")
    assert learner_names(["a", 2], 2) == ("a", "2")
    with pytest.raises(InvalidArgumentError, match=r"one per learner \(3\); got 2"):
        learner_names(["a", "b"], 3)
    with pytest.raises(InvalidArgumentError, match="must be different; got a more than once"):
        learner_names(["a", "b", "a"], 3)


@pytest.mark.parametrize("rope", [0, 0.01, 3, np.float64(0.5), np.int64(2)])
def test_a_region_from_zero_is_taken(rope):
    assert check_rope(rope) == float(rope)


@pytest.mark.parametrize("rope", [-0.01, np.nan, np.inf, "0.01", None, True, [0.1]])
def test_other_regions_are_refused(rope):
    with pytest.raises(InvalidArgumentError, match="rope must be a number of at least 0"):
        check_rope(rope)

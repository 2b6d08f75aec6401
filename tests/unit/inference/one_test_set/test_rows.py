import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import mcnemar_test, permutation_test
from bestofk.inference.one_test_set.many_classifiers import none_shown
from bestofk.inference.one_test_set.rows import POOLED, few_rows
from bestofk.inference.student import normal_quantile, tail


def test_a_bad_row_is_named() -> None:
    with pytest.raises(DesignError, match=r"must be finite; got nan at row 3\. Drop the row"):
        mcnemar_test([0, 1, 1], [0, 1, np.nan])
    with pytest.raises(DesignError, match=r"must be finite; got inf at row 1\."):
        permutation_test([np.inf, 1.0], [0.0, 1.0])


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([0, 1, 1], [0, 1], "must pair, one of each learner per test row; got 3 and 2"),
        ([[0, 1], [1, 1]], [[0, 1], [1, 1]], r"one number per test row; got shape \(2, 2\)"),
        ([0], [1], "must be at least 2; got 1. Test on more rows"),
        ([], [], "must be at least 2; got 0"),
        (["right", "wrong"], [0, 1], "one number per test row; got list that is not"),
        ([[0, 1], [1]], [0, 1], "one number per test row; got list that is not"),
        ([0, 2], [0, 1], r"must be 0 or 1 \(right, wrong\); got 2. Use permutation_test"),
    ],
)
def test_rows_that_do_not_pair_are_refused(a: object, b: object, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        mcnemar_test(a, b)


def test_cautions_are_raised_only_where_called_for() -> None:
    assert POOLED.code == "pooled-folds"
    assert "share training rows" in POOLED
    assert none_shown(0.05) == ()
    assert [caution.code for caution in none_shown(0.051)] == ["not-equal"]
    assert few_rows(0, 1.0) == few_rows(6, 0.03) == ()
    assert "cannot fall below 0.0625" in few_rows(5, 0.0625)[0]


def test_one_sided_intervals_leave_out_one_tail() -> None:
    assert tail(0.95, "less") == pytest.approx(2 * tail(0.95, "two-sided"))
    assert normal_quantile(0.95) == pytest.approx(1.959963984540054)
    assert normal_quantile(0.95, "greater") == pytest.approx(1.6448536269514722)
    with pytest.raises(InvalidArgumentError, match="level must be a number above 0 and below 1"):
        normal_quantile(95)

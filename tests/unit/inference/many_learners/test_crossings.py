"""Running means, their standard errors, and the last time two of them cross."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestofk.errors import DesignError
from bestofk.inference.many_learners.repeated_estimates import (
    last_crossing,
    running_means,
    running_standard_errors,
)

NAN = float("nan")


def naive_means(row):
    """Mean of what was done so far, repeat by repeat."""
    so_far = [[v for v in row[: i + 1] if not np.isnan(v)] for i in range(len(row))]
    return [sum(done) / len(done) if done else NAN for done in so_far]


def naive_last_crossing(a, b):
    """Walk over the repeats and note the last one at which the leader changed."""
    leader, last = 0, 0
    for repeat, (x, y) in enumerate(zip(naive_means(a), naive_means(b), strict=True), start=1):
        if np.isnan(x) or np.isnan(y) or abs(x - y) <= 1e-12 * max(abs(x), abs(y)):
            continue
        sign = 1 if x > y else -1
        if leader and sign != leader:
            last = repeat
        leader = sign
    return last


def of(*learners):
    """Return a table with a column per learner."""
    return np.transpose(learners)


scores = st.one_of(st.integers(0, 4).map(lambda i: i / 10), st.just(NAN))
tables = st.integers(1, 12).flatmap(
    lambda n: st.lists(st.lists(scores, min_size=n, max_size=n), min_size=1, max_size=4)
)


def test_the_running_mean_of_a_repeat_is_that_of_all_up_to_it():
    assert running_means(of([1, 2, 6], [4, 4, 4])).tolist() == [[1, 4], [1.5, 4], [3, 4]]


def test_a_repeat_that_was_not_done_holds_the_mean_and_one_before_the_first_has_none():
    means = running_means(of([NAN, 2, NAN, 4, NAN]))
    np.testing.assert_array_equal(means, of([NAN, 2, 2, 3, 3]))


def test_constant_scores_have_exactly_constant_means_without_error():
    values = np.full((500, 1), 0.1)
    assert set(running_means(values)[:, 0]) == {0.1}
    assert set(running_standard_errors(values)[1:, 0]) == {0.0}


def test_the_standard_error_is_that_of_the_repeats_so_far():
    row = np.random.default_rng(0).normal(0.9, 0.01, 40)
    errors = running_standard_errors(of(row))[:, 0]
    assert np.isnan(errors[0])
    expected = [row[:n].std(ddof=1) / np.sqrt(n) for n in range(2, 41)]
    np.testing.assert_allclose(errors[1:], expected, rtol=1e-9)


def test_a_repeat_that_was_not_done_holds_the_standard_error():
    errors = running_standard_errors(of([0.2, NAN, 0.4, NAN]))
    np.testing.assert_allclose(errors, of([NAN, NAN, 0.1, 0.1]))


def test_the_last_crossing_counts_repeats_from_one():
    # running means 1, 1.5, 3 against 2, 2, 2: the first is above from the third repeat on
    assert last_crossing(of([1, 2, 6], [2, 2, 2])).tolist() == [[0, 3], [3, 0]]


def test_learners_that_never_changed_order_have_zero():
    assert last_crossing(of([1, 1, 1], [2, 2, 2])).tolist() == [[0, 0], [0, 0]]


def test_means_that_meet_and_part_the_same_way_have_not_crossed():
    # 1, 2, 1.67 against 2, 2, 2
    assert last_crossing(of([1, 3, 1], [2, 2, 2]))[0, 1] == 0


def test_a_tie_counts_only_when_the_sign_has_turned():
    # 1, 2, 2, 2.5 against 2: level at the second and third repeat, above at the fourth
    assert last_crossing(of([1, 3, 2, 4], [2, 2, 2, 2]))[0, 1] == 4
    assert last_crossing(of([1, 3, 2], [2, 2, 2]))[0, 1] == 0


def test_means_that_differ_by_rounding_only_are_tied():
    assert last_crossing(of([0.3, 0.3, 0.2], [0.1 + 0.2, 0.3 - 1e-16, 0.1]))[0, 1] == 0


def test_a_learner_that_stopped_is_held_with_the_mean_it_stopped_with():
    # 2 from the first repeat on; the other has 1, 1.5, 3
    assert last_crossing(of([2, NAN, NAN], [1, 2, 6]))[0, 1] == 3


def test_a_learner_that_has_not_started_has_crossed_nobody():
    assert last_crossing(of([NAN, NAN, 1, 9], [2, 2, 2, 2]))[0, 1] == 4
    assert last_crossing(of([NAN, NAN], [2, 2]))[0, 1] == 0


def test_no_repeats_and_one_learner_have_no_crossing():
    nothing, names = np.empty((0, 2)), ["a", "b"]
    assert last_crossing(nothing, names=names).tolist() == [[0, 0], [0, 0]]
    assert running_means(nothing, names=names).shape == (0, 2)
    assert last_crossing(of([1, 2])).tolist() == [[0]]


@given(tables)
def test_every_pair_crosses_where_a_walk_over_the_repeats_says(rows):
    names = [str(i) for i in range(len(rows))]
    result = last_crossing(of(*rows), names=names)
    means = running_means(of(*rows), names=names)
    for i, a in enumerate(rows):
        np.testing.assert_allclose(means[:, i], naive_means(a), rtol=1e-12)
        for j, b in enumerate(rows):
            assert result[i, j] == naive_last_crossing(a, b)


def test_the_walk_agrees_on_many_repeats_of_close_learners():
    rows = np.random.default_rng(3).normal(0.9, 0.02, (4, 90))
    result = last_crossing(rows.T)
    expected = [[naive_last_crossing(a, b) for b in rows] for a in rows]
    assert result.tolist() == expected
    assert result.max() > 10


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0.1, 0.2], r"one row per repeat.*got shape \(2,\)\. Write nan"),
        ([[0.1, np.inf]], "got an infinite number"),
        ([[0.1], [0.2, 0.3]], "must be numbers in a regular table; got list"),
    ],
)
@pytest.mark.parametrize("function", [running_means, running_standard_errors, last_crossing])
def test_what_is_no_table_of_repeats_is_refused(function, values, message):
    with pytest.raises(DesignError, match=message):
        function(values)

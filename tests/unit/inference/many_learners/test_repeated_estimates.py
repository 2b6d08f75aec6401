"""Estimates of repeats: running means, shapes, distances, and how often a winner wins again."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import reproducibility_r
from bestofk.inference.many_learners.repeated_estimates import (
    SEPARABLE_SHARE,
    SKEW_ADVICE,
    distributions_frame,
    estimate_distributions,
    estimate_similarity,
    last_crossing,
    reproducibility_matrix,
    running_means,
    running_standard_errors,
    skewness_standard_error,
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


def test_the_running_mean_is_that_of_all_up_to_a_repeat_and_holds_where_none_was_done():
    assert running_means(of([1, 2, 6], [4, 4, 4])).tolist() == [[1, 4], [1.5, 4], [3, 4]]
    means = running_means(of([NAN, 2, NAN, 4, NAN]))
    np.testing.assert_array_equal(means, of([NAN, 2, 2, 3, 3]))


def test_constant_scores_have_exactly_constant_means_without_error():
    values = np.full((500, 1), 0.1)
    assert set(running_means(values)[:, 0]) == {0.1}
    assert set(running_standard_errors(values)[1:, 0]) == {0.0}


def test_the_standard_error_is_that_of_the_repeats_so_far_and_holds_where_none_was_done():
    row = np.random.default_rng(0).normal(0.9, 0.01, 40)
    errors = running_standard_errors(of(row))[:, 0]
    assert np.isnan(errors[0])
    expected = [row[:n].std(ddof=1) / np.sqrt(n) for n in range(2, 41)]
    np.testing.assert_allclose(errors[1:], expected, rtol=1e-9)
    errors = running_standard_errors(of([0.2, NAN, 0.4, NAN]))
    np.testing.assert_allclose(errors, of([NAN, NAN, 0.1, 0.1]))


def test_the_last_crossing_is_that_by_hand_counted_from_one():
    # running means 1, 1.5, 3 against 2, 2, 2: the first is above from the third repeat on
    assert last_crossing(of([1, 2, 6], [2, 2, 2])).tolist() == [[0, 3], [3, 0]]
    assert last_crossing(of([1, 1, 1], [2, 2, 2])).tolist() == [[0, 0], [0, 0]]
    # 1, 2, 1.67 against 2, 2, 2
    assert last_crossing(of([1, 3, 1], [2, 2, 2]))[0, 1] == 0
    # 1, 2, 2, 2.5 against 2: level at the second and third repeat, above at the fourth
    assert last_crossing(of([1, 3, 2, 4], [2, 2, 2, 2]))[0, 1] == 4
    assert last_crossing(of([1, 3, 2], [2, 2, 2]))[0, 1] == 0
    assert last_crossing(of([0.3, 0.3, 0.2], [0.1 + 0.2, 0.3 - 1e-16, 0.1]))[0, 1] == 0
    # 2 from the first repeat on; the other has 1, 1.5, 3
    assert last_crossing(of([2, NAN, NAN], [1, 2, 6]))[0, 1] == 3
    assert last_crossing(of([NAN, NAN, 1, 9], [2, 2, 2, 2]))[0, 1] == 4
    assert last_crossing(of([NAN, NAN], [2, 2]))[0, 1] == 0
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


def accuracy(*rows, names=None):
    given = np.transpose(rows)
    return estimate_distributions(given, names, greater_is_better=True, best_value=1.0)


def error(*rows):
    return estimate_distributions(np.transpose(rows), greater_is_better=False, best_value=0.0)


def test_the_numbers_of_a_small_case_are_those_by_hand():
    (item,) = accuracy([0.5, 0.5, 1.0, 0.8])
    assert (item.name, item.n_repeats) == ("learner 1", 4)
    assert item.mean == pytest.approx(0.7)
    assert item.median == pytest.approx(0.65)
    assert item.mean_minus_median == pytest.approx(0.05)
    assert item.sd == pytest.approx(math.sqrt(0.18 / 3))
    # n / ((n - 1) (n - 2)) * sum of cubes / sd^3 = 4 / 6 * 0.012 / 0.06^1.5
    assert item.skewness == pytest.approx(4 / 6 * 0.012 / 0.06**1.5)
    assert item.best_share == 0.25
    assert item.better_than_mean_share == 0.5


@given(
    st.lists(st.floats(-5, 5).map(lambda v: round(v, 3)), min_size=3, max_size=30).filter(
        lambda row: max(row) - min(row) > 0.01
    )
)
def test_the_skewness_is_that_of_scipy_and_turns_with_the_sign(row):
    first, second = accuracy(row, [-v for v in row])
    assert first.skewness == pytest.approx(stats.skew(row, bias=False), abs=1e-7)
    assert second.skewness == pytest.approx(-first.skewness, abs=1e-7)


def test_the_standard_error_is_the_published_one():
    # printed by SPSS and others as .687 for 10 values and .241 for 100
    assert skewness_standard_error(10) == pytest.approx(0.687, abs=5e-4)
    assert skewness_standard_error(100) == pytest.approx(0.2414, abs=5e-5)
    assert math.isnan(skewness_standard_error(2))


def test_clearly_skewed_is_what_one_normal_sample_in_twenty_is_and_needs_five_repeats():
    rows = np.random.default_rng(0).normal(0.8, 0.01, (1000, 50))
    share = np.mean([accuracy(row)[0].is_skewed for row in rows])
    assert 0.03 < share < 0.06
    assert not accuracy([0.9, 0.9, 0.1])[0].is_skewed
    assert not accuracy([0.9, 0.9, 0.9, 0.1])[0].is_skewed
    assert accuracy([0.9, 0.9, 0.9, 0.9, 0.1])[0].is_skewed


def test_what_is_unknown_of_few_repeats_and_of_a_constant_is_said():
    assert accuracy([0.5, NAN, 0.7, NAN]) == accuracy([0.5, 0.7])
    none, first, two = accuracy([NAN, NAN], [0.5, NAN], [0.5, 0.7], names=list("abc"))
    assert none.n_repeats == 0
    assert all(math.isnan(v) for v in (none.mean, none.median, none.best_share, none.sd))
    assert none.advice() == ("The skewness is unknown: it needs 3 repeats; 0 were done.",)
    assert (first.mean, first.median) == (0.5, 0.5)
    assert math.isnan(first.sd)
    assert two.sd == pytest.approx(math.sqrt(0.02))
    assert math.isnan(two.skewness)
    assert not two.is_skewed
    row = [0.3, 0.1 + 0.2, 0.3, 0.9 / 3]
    (item,) = accuracy(row)
    assert math.isnan(item.skewness)
    assert item.sd == 0
    assert item.better_than_mean_share == 0
    assert item.advice() == ("The skewness is undefined: all 4 repeats gave 0.3.",)


def test_a_left_skew_of_a_score_and_a_right_skew_of_a_loss_have_the_worse_tail():
    scores = np.array([0.95] * 15 + [0.94] * 10 + [0.9, 0.85, 0.8])
    (score,), (loss,) = accuracy(scores), error(1 - scores)
    assert score.skewness < 0 < loss.skewness
    assert score.has_worse_tail
    assert loss.has_worse_tail
    assert score.better_than_mean_share == loss.better_than_mean_share == 25 / 28
    for item in (score, loss):
        skewed, advised = item.advice()
        assert (
            "a tail of worse repeats pulls the mean. Compare medians as well as means; 89%"
            in skewed
        )
        assert advised == SKEW_ADVICE


def test_the_other_skew_gets_the_same_advice_and_no_skew_the_mean():
    (item,) = accuracy([0.5] * 15 + [0.51] * 10 + [0.6, 0.65, 0.7])
    assert item.is_skewed
    assert not item.has_worse_tail
    skewed, advised = item.advice()
    assert "a tail of better repeats" in skewed
    assert advised == SKEW_ADVICE
    (item,) = accuracy(0.8 + np.arange(-5, 6) / 100)
    assert item.advice() == (
        "Not clearly skewed (skewness 0.00, standard error 0.66): the mean is a fair summary.",
    )


def test_separable_is_where_one_of_two_repeats_is_perfect_every_second_time():
    neither_of_two = (1 - SEPARABLE_SHARE) ** 2
    assert neither_of_two == pytest.approx(0.5)
    many, few, all_perfect = accuracy(
        [1.0] * 3 + [0.99, 0.98, 0.97, 0.96, 0.95, 0.99, 0.98],
        [1.0] * 2 + [0.99, 0.98, 0.97, 0.96, 0.95, 0.99, 0.98, 0.97],
        [1.0] * 10,
    )
    assert many.is_separable
    assert many.advice()[-1] == (
        "30% of the repeats are perfect: one or two of them will often look better than the "
        "long run (0.982)."
    )
    assert not few.is_separable
    assert all_perfect.advice()[-1].startswith("Every repeat is perfect: these rows cannot rank")


def test_perfect_is_zero_for_a_loss_and_never_for_a_measure_without_bound():
    assert error([0.0, 0.0, 0.1])[0].best_share == pytest.approx(2 / 3)
    result = estimate_distributions([[3.0], [4.0]], greater_is_better=True, best_value=np.inf)
    assert result[0].best_share == 0


def test_the_table_has_one_row_per_learner_in_the_order_given():
    frame = distributions_frame(accuracy([0.5, 0.7], [1.0, 1.0], names=["cart", "lda"]))
    assert frame["learner"].tolist() == ["cart", "lda"]
    assert frame["best_share"].tolist() == [0, 1]
    assert frame["is_separable"].tolist() == [False, True]
    assert frame["mean_minus_median"].tolist() == pytest.approx([0, 0])
    assert len(frame.columns) == 13


def test_what_is_no_table_or_not_named_is_refused():
    with pytest.raises(DesignError, match="values of estimate_distributions must be a table"):
        accuracy(0.5)
    with pytest.raises(InvalidArgumentError, match=r"one per learner \(1\); got 2"):
        accuracy([0.5, 0.6], names=["a", "b"])


ESTIMATES = st.lists(st.floats(0, 1), min_size=2, max_size=12)


@given(ESTIMATES)
def test_distances_equal_those_of_all_pairs_of_runs(estimates):
    result = estimate_similarity([[estimate] for estimate in estimates])
    pairs = [abs(a - b) for a, b in combinations(estimates, 2)]
    np.testing.assert_allclose(result.mean_distance, np.mean(pairs), rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.largest_distance, max(pairs), rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.mean, np.mean(estimates), rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.sd, np.std(estimates, ddof=1), rtol=0, atol=1e-12)


def test_equal_estimates_are_at_no_distance_and_one_run_is_refused():
    result = estimate_similarity([[0.1 + 0.2]] * 3)
    assert (result.sd[0], result.mean_distance[0], result.largest_distance[0]) == (0, 0, 0)
    with pytest.raises(DesignError, match="estimates of estimate_similarity"):
        estimate_similarity([[0.1, 0.2]], names=["a", "b"])


# few values and sums that differ in their last bit, so that ties of both kinds occur
tied_estimates = st.sampled_from([0.1, 0.2, 0.3, 0.1 + 0.2, 0.7 - 0.4, 0.0, 1e-9])
tied_tables = st.tuples(st.integers(2, 5), st.integers(2, 9)).flatmap(
    lambda shape: st.lists(
        st.lists(tied_estimates, min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )
)


@given(tied_tables)
def test_every_cell_is_the_procedure_for_its_pair(table):
    matrix = reproducibility_matrix(np.transpose(table), names="abcde"[: len(table)])
    expected = [[reproducibility_r(a, b) for b in table] for a in table]
    np.testing.assert_allclose(matrix, expected, atol=1e-15)


def test_many_learners_and_runs_agree_with_the_procedure():
    table = np.random.default_rng(1).normal(0, 1, (12, 50)).round(1)
    matrix = reproducibility_matrix(table.T)
    np.testing.assert_allclose(
        matrix, [[reproducibility_r(a, b) for b in table] for a in table], atol=1e-15
    )


def test_winners_are_reproducible_whatever_the_direction():
    matrix = reproducibility_matrix([[1, 2, 2], [2, 3, 3], [3, 4, 4], [4, 5, 5]])
    assert matrix.tolist() == [[0, 1, 1], [1, 0, 0], [1, 0, 0]]
    table = np.random.default_rng(2).normal(0, 1, (20, 3))
    assert (reproducibility_matrix(table) == reproducibility_matrix(-table)).all()


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[0.1, np.nan], [0.1, 0.2]], "must be finite; got nan at run 1, learner 2"),
        ([[0.1], [0.2]], "at least 2 learners; got 1"),
        ([[0.1, 0.2]], "at least 2 runs; got 1"),
    ],
)
def test_missing_or_too_few_estimates_are_refused(table, message):
    with pytest.raises(DesignError, match=message):
        reproducibility_matrix(table)

"""Shape of the estimates of single repeats, and what is advised."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.many_learners.repeated_estimates import (
    SEPARABLE_SHARE,
    SKEW_ADVICE,
    distributions_frame,
    estimate_distributions,
    skewness_standard_error,
)

NAN = float("nan")


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


def test_two_standard_errors_are_left_by_one_normal_sample_in_twenty():
    rows = np.random.default_rng(0).normal(0.8, 0.01, (1000, 50))
    share = np.mean([accuracy(row)[0].is_skewed for row in rows])
    assert 0.03 < share < 0.06


def test_fewer_than_five_repeats_are_never_clearly_skewed():
    assert not accuracy([0.9, 0.9, 0.1])[0].is_skewed
    assert not accuracy([0.9, 0.9, 0.9, 0.1])[0].is_skewed
    assert accuracy([0.9, 0.9, 0.9, 0.9, 0.1])[0].is_skewed


def test_a_repeat_that_was_not_done_is_left_out():
    assert accuracy([0.5, NAN, 0.7, NAN]) == accuracy([0.5, 0.7])


def test_no_repeat_one_and_two_say_what_is_unknown():
    none, first, two = accuracy([NAN, NAN], [0.5, NAN], [0.5, 0.7], names=list("abc"))
    assert none.n_repeats == 0
    assert all(math.isnan(v) for v in (none.mean, none.median, none.best_share, none.sd))
    assert none.advice() == ("The skewness is unknown: it needs 3 repeats; 0 were done.",)
    assert (first.mean, first.median) == (0.5, 0.5)
    assert math.isnan(first.sd)
    assert two.sd == pytest.approx(math.sqrt(0.02))
    assert math.isnan(two.skewness)
    assert not two.is_skewed


def test_a_constant_has_no_skewness_and_says_so_even_where_it_differs_by_rounding():
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


def test_the_other_skew_gets_the_same_advice():
    (item,) = accuracy([0.5] * 15 + [0.51] * 10 + [0.6, 0.65, 0.7])
    assert item.is_skewed
    assert not item.has_worse_tail
    skewed, advised = item.advice()
    assert "a tail of better repeats" in skewed
    assert advised == SKEW_ADVICE


def test_a_symmetric_distribution_is_served_by_its_mean():
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

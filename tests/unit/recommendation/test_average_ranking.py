"""Average ranking: hand-computed ranks, gaps, and the choice of P against plain loops."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra.numpy import arrays
from tests.unit.recommendation.given_histories import HISTORY, SCORES

from bestofk.errors import InvalidArgumentError
from bestofk.inference.many_data_sets.ranks import (
    rank_within_data_sets,
    ranking_order,
    weighted_average_ranks,
)
from bestofk.recommendation.fixed_orders import (
    AverageRanking,
    ChosenPowerRanking,
    a3r_ranks,
    average_ranking_order,
    chosen_power,
)
from bestofk.recommendation.history import History
from bestofk.recommendation.loss_time import POWERS, LossTimeCurve, Window

NAN = float("nan")
WINDOW = Window.of(1, 1000)


def plain_ranks(row):
    """Return 1 + how many are better + half of how many are as good."""
    values = [round(value, 12) for value in row]
    return [
        NAN
        if np.isnan(own)
        else 1 + sum(v > own for v in values) + (sum(v == own for v in values) - 1) / 2
        for own in values
    ]


def plain_means(ranks):
    n_rows, n_learners = ranks.shape
    means = []
    for j in range(n_learners):
        total = weights = 0.0
        for i in range(n_rows):
            n = sum(not np.isnan(rank) for rank in ranks[i])
            if not np.isnan(ranks[i, j]) and n > 1:
                weight = (n - 1) / (n_learners - 1)
                total, weights = total + weight * ranks[i, j], weights + weight
        means.append(round(total / weights, 9) if weights else NAN)
    return means


def plain_loss(history, i, order, window):
    done = [j for j in order if not np.isnan(history.seconds[i, j])]
    curve = LossTimeCurve.of_tests(
        history.scores[i, done], history.seconds[i, done],
        default_score=history.default_scores[i],
        best_score=np.nanmax([history.default_scores[i], *history.scores[i]]),
    )  # fmt: skip
    return curve.mean_interval_loss(window)


def tables(least_rows=1, least_learners=1):
    """Return scores with ties and gaps."""
    grid = st.sampled_from([NAN, 0.1, 0.5, 0.6, 0.6000000000000001, 0.9])
    shapes = st.tuples(st.integers(least_rows, 5), st.integers(least_learners, 5))
    return shapes.flatmap(lambda shape: arrays(float, shape, elements=grid))


def test_mean_ranks_by_hand():
    ranks = rank_within_data_sets(SCORES)
    assert ranks.tolist() == [
        [2, 3.5, 3.5, 5, 1], [3, 1.5, 4, 5, 1.5], [2.5, 4, 2.5, 5, 1], [4, 1.5, 3, 1.5, 5],
    ]  # fmt: skip
    means = weighted_average_ranks(ranks)
    assert means.tolist() == [2.875, 2.625, 3.25, 4.125, 2.125]
    assert ranking_order(means).tolist() == [4, 1, 0, 2, 3]


def test_equal_mean_ranks_keep_the_order_of_the_history():
    means = weighted_average_ranks(a3r_ranks(HISTORY, 1 / 128))
    assert means.tolist() == [2.5, 2.5, 3.5, 4.0, 2.5]
    assert average_ranking_order(HISTORY, 1 / 128).tolist() == [0, 1, 4, 2, 3]


def test_a_short_row_weighs_less_and_a_row_with_one_learner_says_nothing():
    # 4th among 6 weighs 1, 1st among 2 weighs 1/5: (4 + 0.2) / 1.2
    means = weighted_average_ranks([[4, 1, 2, 3, 5, 6], [1, 2, NAN, NAN, NAN, NAN]])
    assert means[:2] == pytest.approx([3.5, (1 + 0.2 * 2) / 1.2], abs=1e-9)
    means = weighted_average_ranks([[1, NAN, NAN], [NAN, 2, 1]])
    np.testing.assert_array_equal(means, [NAN, 2, 1])


def test_learners_that_were_never_ranked_come_last():
    history = History.from_arrays([[NAN, 0.5, 0.6], [NAN, 0.5, 0.6]])
    assert average_ranking_order(history, 0).tolist() == [2, 1, 0]


@pytest.mark.parametrize("shape", [(0, 3), (3, 1), (1, 1), (3, 0)])
def test_a_ranking_of_next_to_nothing_is_the_order_given(shape):
    history = History.from_arrays(np.full(shape, 0.5), np.ones(shape))
    assert average_ranking_order(history, 0.25).tolist() == list(range(shape[1]))


@given(tables())
def test_ranks_and_means_are_those_of_plain_loops(scores):
    ranks = rank_within_data_sets(scores)
    np.testing.assert_array_equal(ranks, [plain_ranks(row) for row in scores])
    np.testing.assert_allclose(weighted_average_ranks(ranks), plain_means(ranks), rtol=0, atol=1e-9)


@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_columns_changes_no_mean_rank(scores, random):
    indices = list(range(scores.shape[1]))
    random.shuffle(indices)
    means = weighted_average_ranks(rank_within_data_sets(scores))
    again = weighted_average_ranks(rank_within_data_sets(scores[:, indices]))
    np.testing.assert_array_equal(again, means[indices])


@settings(max_examples=30)
@given(tables(least_rows=2), st.integers(0, 1000))
def test_p_is_chosen_by_leaving_each_data_set_out(scores, seed):
    rng = np.random.default_rng(seed)
    history = History.from_arrays(scores, 10 ** rng.uniform(-1, 3, scores.shape))
    means = []
    for power in POWERS:
        losses = [
            plain_loss(history, i, average_ranking_order(history.without(i), power), WINDOW)
            for i in range(history.n_data_sets)
        ]
        means.append(round(float(np.mean(losses)), 9))
    chosen = chosen_power(history, WINDOW)
    assert means[POWERS.index(chosen)] == pytest.approx(min(means), abs=2e-9)
    clear = [power for power, mean in zip(POWERS, means, strict=True) if mean < min(means) + 1e-6]
    assert chosen == clear[0]  # equal losses go to the larger P


def test_p_is_chosen_where_a_data_set_has_no_score_at_all():
    history = History.from_arrays([[NAN, NAN], [0.5, 0.9], [0.6, 0.9]], [[NAN] * 2, [1, 9], [1, 9]])
    advisor = ChosenPowerRanking().start(history, 0.5, WINDOW)
    assert sorted([advisor.next(), 1 - advisor.next()]) == [0, 1]


@pytest.mark.parametrize("data_sets", [[], [0]])
def test_one_data_set_says_nothing_about_p_and_the_largest_is_taken(data_sets):
    assert chosen_power(HISTORY.part(data_sets=data_sets), WINDOW) == POWERS[0]


@pytest.mark.parametrize(
    ("power", "name"),
    [(0.0, "0"), (1 / 64, "1/64"), (0.3, "0.3"), (1, "1"), (2.0, "2"), (1e10, "1e+10")],
)
def test_a_ranking_is_named_by_its_power(power, name):
    method = AverageRanking(power)
    assert method.name == f"average-ranking-{name}"
    assert method.title == f"average ranking, P = {name}"
    assert method.needs_seconds == (power > 0)


@pytest.mark.parametrize("power", [-0.5, NAN, "1/4"])
def test_a_ranking_refuses_what_is_no_power(power):
    with pytest.raises(InvalidArgumentError, match="power of A3R must be a number from 0 up"):
        AverageRanking(power)

"""Nearest data sets: hand-made neighbors, a plain version as oracle, gaps and failures."""

from __future__ import annotations

import time

import numpy as np
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.recommendation.adaptive_orders import NearestDataSets
from bestofk.recommendation.fixed_orders import average_ranking_order, chosen_power
from bestofk.recommendation.history import History
from bestofk.recommendation.loss_time import USUAL_WINDOW


def random_history(seed, shape=(15, 7), missing=0.0):
    rng = np.random.default_rng(seed)
    scores = rng.integers(40, 80, shape) / 100
    scores[rng.random(shape) < missing] = np.nan
    return History.from_arrays(scores, np.exp(rng.normal(0, 2, shape)))


def follow(advisor, scores):
    order = []
    for _ in scores:
        order.append(advisor.next())
        advisor.tell(order[-1], float(scores[order[-1]]), 1.0)
    return order


def plain_order(history, scores, default, power, n_nearest):
    """Return the order by loops over data sets and learners."""
    ranking = average_ranking_order(history, power).tolist()
    values = history.scores / np.maximum(history.seconds, 0.001) ** power
    order = [ranking[0]]
    while len(order) < len(scores):
        distances = []
        for d in range(history.n_data_sets):
            gains = history.scores[d] - history.default_scores[d]
            squares = [
                (gains[j] - (scores[j] - default)) ** 2
                for j in order
                if not np.isnan(gains[j] - scores[j])
            ]
            distances.append(np.mean(squares) if squares else np.inf)
        nearest = sorted(range(len(distances)), key=distances.__getitem__)[:n_nearest]
        means = {}
        for j in ranking:
            if j not in order:
                shares = [values[d, j] / np.nanmax(values[d]) for d in nearest]
                known = [share for share in shares if not np.isnan(share)]
                means[j] = round(float(np.mean(known)), 12) if known else -np.inf
        order.append(max(means, key=means.__getitem__))
    return order


def test_the_nearest_data_set_decides_after_the_first_test():
    history = History.from_arrays(
        [[0.9, 0.6, 0.7], [0.9, 0.6, 0.7], [0.5, 0.9, 0.6]], default_scores=[0.5] * 3
    )
    method = NearestDataSets(0, n_nearest=1)
    assert follow(method.start(history, 0.5, USUAL_WINDOW), [0.89, 0.7, 0.7]) == [0, 2, 1]
    assert follow(method.start(history, 0.5, USUAL_WINDOW), [0.52, 0.7, 0.7]) == [0, 1, 2]


def test_likeness_is_in_gains_over_the_default():
    history = History.from_arrays([[0.9, 0.3, 0.4], [0.5, 0.4, 0.3]], default_scores=[0.8, 0.1])
    advisor = NearestDataSets(0, n_nearest=1).start(history, 0.4, USUAL_WINDOW)
    advisor.tell(0, 0.5, 1.0)  # a gain of 0.1, as on the first data set
    assert advisor.next() == 2


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("power", [0.0, 1 / 4])
@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_the_order_is_that_of_plain_loops(seed, power, missing):
    history = random_history(seed, missing=missing)
    scores = np.random.default_rng(seed + 100).integers(40, 80, 7) / 100
    advisor = NearestDataSets(power, n_nearest=4).start(history, 0.45, USUAL_WINDOW)
    assert follow(advisor, scores) == plain_order(history, scores, 0.45, power, 4)


def test_a_failed_test_brings_no_data_set_nearer():
    history = random_history(2)
    advisor = NearestDataSets(0).start(history, 0.5, USUAL_WINDOW)
    order = follow(advisor, np.full(7, np.nan))
    assert sorted(order) == list(range(7))
    assert order[0] == average_ranking_order(history, 0)[0]


def test_without_power_it_is_chosen_on_the_history():
    history = random_history(4)
    power = chosen_power(history, USUAL_WINDOW)
    scores = np.random.default_rng(0).random(7)
    chosen = follow(NearestDataSets().start(history, 0.5, USUAL_WINDOW), scores)
    assert chosen == follow(NearestDataSets(power).start(history, 0.5, USUAL_WINDOW), scores)


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (5, 1)])
def test_one_data_set_or_one_learner_is_enough(shape):
    advisor = NearestDataSets(1 / 4).start(random_history(0, shape), 0.5, USUAL_WINDOW)
    assert sorted(follow(advisor, np.full(shape[1], 0.5))) == list(range(shape[1]))


def test_constant_and_empty_rows_do_no_harm():
    nan = np.nan
    history = History.from_arrays([[0.0, 0.0, 0.0], [nan, nan, nan], [0.6, 0.7, 0.8]])
    advisor = NearestDataSets(0).start(history, 0.5, USUAL_WINDOW)
    assert follow(advisor, [0.6, 0.6, 0.6]) == [2, 1, 0]


def test_the_name_says_whether_time_counts():
    assert NearestDataSets().name == "nearest-data-sets"
    assert NearestDataSets(0).name == "nearest-data-sets-by-score"
    assert NearestDataSets().needs_seconds
    assert not NearestDataSets(0).needs_seconds


def test_wrong_arguments_are_refused():
    with pytest.raises(InvalidArgumentError, match=r"^power of NearestDataSets must be a number"):
        NearestDataSets(-0.5)
    with pytest.raises(
        InvalidArgumentError, match=r"^n_nearest of NearestDataSets must be a number"
    ):
        NearestDataSets(n_nearest=0)


def test_a_step_on_a_large_history_is_short():
    advisor = NearestDataSets(1 / 4).start(random_history(0, (500, 500)), 0.5, USUAL_WINDOW)
    waits = []
    for _ in range(12):
        begun = time.process_time()
        advisor.tell(advisor.next(), 0.6, 1.0)
        waits.append(time.process_time() - begun)
    assert np.median(waits) < 0.05

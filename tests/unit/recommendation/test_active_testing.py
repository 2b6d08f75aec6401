"""Active testing: hand-computed gains, a plain tournament as oracle, gaps and failures."""

import time
from itertools import product

import numpy as np
import pytest
from tests.unit.recommendation.given_histories import HISTORY, follow

from bestofk.errors import InvalidArgumentError
from bestofk.recommendation.adaptive_orders import ActiveTesting
from bestofk.recommendation.fixed_orders import average_ranking_order
from bestofk.recommendation.history import History
from bestofk.recommendation.loss_time import USUAL_WINDOW


def left_out(method, history, row):
    advisor = method.start(history.without(row), 0.5, USUAL_WINDOW)
    return follow(advisor, history.scores[row], history.seconds[row]), advisor.trace


def plain_tournament(history, row, power, by_duels=False):
    """Return the order by loops over data sets, learners and pairs."""
    others = [d for d in range(history.n_data_sets) if d != row]
    scores, seconds = history.scores, np.maximum(history.seconds, 0.001)
    ranking = average_ranking_order(history.without(row), 1 / 64).tolist()
    order, best = [ranking[0]], ranking[0]
    while len(order) < history.n_learners:
        gains = {}
        for learner in ranking:
            if learner in order:
                continue
            gain = 0.0
            for d in others:
                ratio = scores[d, learner] / max(scores[d, best], 0.001)
                ratio /= (seconds[d, learner] / seconds[d, best]) ** power
                if ratio > 1:  # False where a figure is missing
                    gain += plain_share(scores, row, d, order, by_duels) * (ratio - 1)
            gains[learner] = round(gain, 12)
        candidate = max(gains, key=gains.__getitem__)
        order.append(candidate)
        if scores[row, candidate] > scores[row, best]:
            best = candidate
    return order


def plain_share(scores, row, d, tested, by_duels):
    pairs = [
        np.sign(scores[row, i] - scores[row, j]) == np.sign(scores[d, i] - scores[d, j])
        for i in tested
        for j in tested
        if i < j and not np.isnan(scores[d, i] - scores[d, j])
    ]
    return float(np.mean(pairs)) if pairs and by_duels else 1.0


def random_history(seed, shape=(12, 8), missing=0.0):
    rng = np.random.default_rng(seed)
    scores = rng.integers(50, 70, shape) / 100
    scores[rng.random(shape) < missing] = np.nan
    return History.from_arrays(scores, np.exp(rng.normal(0, 2, shape)))


def test_the_gains_of_a_hand_made_table_are_those_computed_by_hand():
    order, trace = left_out(ActiveTesting(1 / 4), HISTORY, 0)
    assert [(duel.current_best, duel.candidate) for duel in trace] == [(0, j) for j in order[1:]]
    assert [duel.gain for duel in trace] == pytest.approx([2.544443, 0.728689, 0, 0], abs=1e-6)
    leads = [0.6 / 0.8 * 25**0.25, 0.65 / 0.75 * 10**0.25, 0.66 / 0.6 * 20**0.25]
    assert trace[0].gain == pytest.approx(sum(lead - 1 for lead in leads), abs=1e-12)


def test_every_data_set_left_out_has_the_known_order():
    orders = [left_out(ActiveTesting(1 / 4), HISTORY, row)[0] for row in range(4)]
    assert orders == [[0, 3, 1, 2, 4], [0, 3, 1, 2, 4], [1, 3, 0, 2, 4], [0, 3, 1, 4, 2]]


def test_the_current_best_changes_on_a_strictly_higher_score_only():
    history = History.from_arrays([[0.9, 0.8, 0.7]], default_scores=[0.5])
    advisor = ActiveTesting(0, start_power=0).start(history, 0.5, USUAL_WINDOW)
    assert follow(advisor, [0.6, 0.6, 0.7], [1, 1, 1]) == [0, 1, 2]
    assert [duel.current_best for duel in advisor.trace] == [0, 0]
    assert advisor.current_best == 2


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weights", ["equal", "duels"])
@pytest.mark.parametrize("power", [0.0, 1 / 16, 1 / 4])
def test_the_order_is_that_of_plain_loops(seed, weights, power):
    history = random_history(seed)
    method = ActiveTesting(power, weights=weights)
    for row in range(3):
        expected = plain_tournament(history, row, power, weights == "duels")
        assert left_out(method, history, row)[0] == expected


def test_missing_scores_of_earlier_data_sets_add_nothing():
    complete, gaps = random_history(3), random_history(3, missing=0.3)
    for row, weights in product(range(4), ("equal", "duels")):
        scores = gaps.scores.copy()
        scores[row] = complete.scores[row]
        history = History.from_arrays(scores, gaps.seconds)
        expected = plain_tournament(history, row, 1 / 16, weights == "duels")
        assert left_out(ActiveTesting(1 / 16, weights=weights), history, row)[0] == expected


def test_duels_with_other_outcomes_weigh_less():
    scores = [[0.9, 0.8, 0.4, 0.85], [0.9, 0.95, 0.97, 0.4], [0.9, 0.7, 0.5, 0.4]]
    history = History.from_arrays(scores)
    gains = {}
    for weights in ("equal", "duels"):
        advisor = ActiveTesting(0, start_power=0, weights=weights).start(history, 0.5, USUAL_WINDOW)
        # the first two as on the first and the third data set
        for test in [(0, 0.8, 1.0), (1, 0.7, 1.0), (2, 0.1, 1.0)]:
            advisor.tell(*test)
        gains[weights] = advisor.trace[-1].gain
    assert gains == {"equal": pytest.approx(0.97 / 0.9 - 1), "duels": 0.0}


def test_a_failed_first_test_leaves_room_for_any_score():
    advisor = ActiveTesting(1 / 4).start(HISTORY, 0.5, USUAL_WINDOW)
    first = advisor.next()
    advisor.tell(first, float("nan"), 3.0)
    second = advisor.next()
    advisor.tell(second, 0.2, 3.0)
    assert advisor.current_best == second != first


def test_constant_rows_give_no_gain():
    history = History.from_arrays(np.full((3, 4), 0.5), np.ones((3, 4)))
    assert left_out(ActiveTesting(1 / 4), history, 0)[0] == [0, 1, 2, 3]


def test_names_say_what_is_not_usual():
    by_score, by_duels = ActiveTesting(0, start_power=0), ActiveTesting(1 / 16, weights="duels")
    assert ActiveTesting(1 / 4).name == "active-testing-1/4"
    assert by_score.name == "active-testing-0-start-0"
    assert by_duels.title == "active testing, P = 1/16, weighted by duels"
    assert (by_score.needs_seconds, ActiveTesting(0).needs_seconds) == (False, True)


def test_wrong_arguments_are_refused():
    with pytest.raises(InvalidArgumentError, match=r"^power of ActiveTesting must be a number"):
        ActiveTesting(-1)
    with pytest.raises(InvalidArgumentError, match=r"^start_power of ActiveTesting must be"):
        ActiveTesting(0, start_power=float("nan"))
    with pytest.raises(InvalidArgumentError, match=r"got 'all'\. .*Known: equal, duels"):
        ActiveTesting(0, weights="all")


@pytest.mark.parametrize("weights", ["equal", "duels"])
def test_a_step_on_a_large_history_is_short(weights):
    history = random_history(0, (500, 500))
    advisor = ActiveTesting(1 / 4, weights=weights).start(history, 0.5, USUAL_WINDOW)
    waits = []
    for i in range(12):
        begun = time.process_time()
        learner = advisor.next()
        advisor.tell(learner, 0.5 + i / 100, 1.0)  # every test changes the current best
        waits.append(time.process_time() - begun)
    assert np.median(waits) < 0.05

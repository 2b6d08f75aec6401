"""Random order: names alone decide."""

import numpy as np
from scipy.stats import chisquare

from bestofk.recommendation.fixed_orders import RandomOrder
from bestofk.recommendation.history import History
from bestofk.recommendation.loss_time import USUAL_WINDOW


def order(random_state, learners, n_data_sets=2):
    history = History.from_arrays(np.full((n_data_sets, len(learners)), 0.5), learners=learners)
    advisor = RandomOrder(random_state).start(history, 0.5, USUAL_WINDOW)
    results = []
    for _ in learners:
        results.append(learners[advisor.next()])
        advisor.tell(learners.index(results[-1]), 0.5, 1.0)
    return results


def test_data_sets_and_the_order_of_columns_do_not_matter():
    assert order(1, list("abcdef")) == order(1, list("fedcba"), n_data_sets=7)


def test_another_random_state_gives_another_order():
    assert order(0, list("abcdefgh")) != order(1, list("abcdefgh"))


def test_without_one_learner_the_others_keep_their_order():
    full = order(3, list("abcdef"))
    assert order(3, list("abcef")) == [name for name in full if name != "d"]


def test_over_random_states_every_learner_is_first_equally_often():
    firsts = [order(state, list("abcd"))[0] for state in range(400)]
    counts = [firsts.count(name) for name in "abcd"]
    assert chisquare(counts).pvalue > 0.001


def test_the_name_says_the_random_state_and_no_times_are_needed():
    assert RandomOrder(7).name == "random-order-7"
    assert not RandomOrder().needs_seconds

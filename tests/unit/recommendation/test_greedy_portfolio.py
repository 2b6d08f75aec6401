"""Greedy portfolio: hand-made tables, plain loops as oracle, gaps and constant rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bestofk.recommendation.fixed_orders import (
    GreedyPortfolio,
    greedy_portfolio_order,
    usual_ranking_order,
)
from bestofk.recommendation.history import History
from bestofk.recommendation.loss_time import USUAL_WINDOW


def plain_order(history):
    """Return the portfolio by loops, ties by place in the average ranking."""
    ranking = usual_ranking_order(history).tolist()
    best, order = list(history.default_scores), []
    while len(order) < history.n_learners:
        gains = {}
        for learner in ranking:
            if learner not in order:
                leads = history.scores[:, learner] - best
                gains[learner] = round(float(np.nansum(np.maximum(leads, 0))), 12)
        learner = max(gains, key=gains.__getitem__)
        if gains[learner] <= 0:
            return order + list(gains)
        order.append(learner)
        best = np.fmax(best, history.scores[:, learner])
    return order


def test_the_second_covers_what_the_first_does_not():
    scores = [[0.9, 0.85, 0.3], [0.9, 0.85, 0.3], [0.4, 0.45, 0.9]]
    history = History.from_arrays(scores, default_scores=[0.3, 0.3, 0.3])
    assert greedy_portfolio_order(history).tolist() == [0, 2, 1]


def test_time_does_not_matter_for_gains():
    scores = [[0.9, 0.8], [0.9, 0.8]]
    history = History.from_arrays(scores, [[1e5, 0.01]] * 2, default_scores=[0.5, 0.5])
    assert greedy_portfolio_order(history).tolist() == [0, 1]


def test_learners_without_gain_go_by_the_average_ranking_with_time():
    scores = [[0.9, 0.7, 0.7, 0.6]] * 3
    history = History.from_arrays(scores, [[1.0, 5.0, 1.0, 1.0]] * 3)
    assert greedy_portfolio_order(history).tolist() == [0, 2, 1, 3]


def test_without_times_they_go_by_the_ranking_by_score():
    history = History.from_arrays([[0.6, 0.9, 0.7]] * 2)
    assert greedy_portfolio_order(history).tolist() == [1, 2, 0]


def test_constant_rows_and_empty_rows_add_nothing():
    nan = np.nan
    history = History.from_arrays([[0.5, 0.5, 0.5], [nan, nan, nan], [0.6, 0.7, 0.8]])
    assert greedy_portfolio_order(history).tolist() == [2, 1, 0]


@given(
    arrays(
        float,
        st.tuples(st.integers(1, 6), st.integers(1, 6)),
        elements=st.one_of(st.integers(0, 10).map(lambda n: n / 10), st.just(np.nan)),
    )
)
def test_the_order_is_that_of_plain_loops(scores):
    history = History.from_arrays(scores)
    assert greedy_portfolio_order(history).tolist() == plain_order(history)


@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (4, 1)])
def test_the_method_follows_the_order_whatever_it_is_told(shape):
    rng = np.random.default_rng(0)
    history = History.from_arrays(rng.random(shape))
    advisor = GreedyPortfolio().start(history, 0.1, USUAL_WINDOW)
    for learner in greedy_portfolio_order(history):
        assert advisor.next() == learner
        advisor.tell(int(learner), 0.0, 1.0)

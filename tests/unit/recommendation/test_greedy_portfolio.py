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


@pytest.mark.parametrize(
    ("scores", "seconds", "defaults", "order"),
    [
        # the second covers what the first does not
        ([[0.9, 0.85, 0.3], [0.9, 0.85, 0.3], [0.4, 0.45, 0.9]], None, [0.3] * 3, [0, 2, 1]),
        # time does not matter for gains
        ([[0.9, 0.8]] * 2, [[1e5, 0.01]] * 2, [0.5, 0.5], [0, 1]),
        # without gain the average ranking counts, with time where there are times
        ([[0.9, 0.7, 0.7, 0.6]] * 3, [[1.0, 5.0, 1.0, 1.0]] * 3, None, [0, 2, 1, 3]),
        ([[0.6, 0.9, 0.7]] * 2, None, None, [1, 2, 0]),
        # constant rows and empty rows add nothing
        ([[0.5] * 3, [np.nan] * 3, [0.6, 0.7, 0.8]], None, None, [2, 1, 0]),
    ],
)
def test_orders_by_hand(scores, seconds, defaults, order):
    history = History.from_arrays(scores, seconds, default_scores=defaults)
    assert greedy_portfolio_order(history).tolist() == order


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

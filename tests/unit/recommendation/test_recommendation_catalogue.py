"""Recommenders of the catalogue: each learner once, on any history, from reported results alone."""

import numpy as np
import pytest
from tests.unit.recommendation import given_histories

from bestofk.errors import InvalidArgumentError
from bestofk.recommendation.catalogue import DEFAULT_RECOMMENDER, RECOMMENDERS, get_recommender
from bestofk.recommendation.fixed_orders import FixedOrder, Recommender
from bestofk.recommendation.history import History
from bestofk.recommendation.loss_time import USUAL_WINDOW

NAN = float("nan")
NAN = float("nan")
RNG = np.random.default_rng(7)
SCORES, SECONDS = RNG.uniform(0.4, 1, (7, 6)), RNG.lognormal(2, 2, (7, 6))
HISTORY = History.from_arrays(SCORES, SECONDS)
GAPS = RNG.uniform(size=SCORES.shape) < 0.3


def without(lacks):
    return History.from_arrays(np.where(lacks, NAN, SCORES), np.where(lacks, NAN, SECONDS))


HISTORIES = {
    "whole": HISTORY,
    "one data set": HISTORY.part(data_sets=[3]),
    "two data sets": HISTORY.part(data_sets=[3, 4]),
    "one learner": HISTORY.part(learners=[2]),
    "one cell": HISTORY.part(data_sets=[0], learners=[0]),
    "constant rows": History.from_arrays(np.tile([[0.5], [0.7], [1.0]], 4), np.ones((3, 4))),
    "zeros": History.from_arrays(np.zeros((3, 4)), np.zeros((3, 4))),
    "perfect": History.from_arrays(np.ones((3, 4)), SECONDS[:3, :4]),
    "same columns": History.from_arrays(np.tile(SCORES[:, :1], 4), np.tile(SECONDS[:, :1], 4)),
    "gaps": without(GAPS),
    "failures with times": History.from_arrays(np.where(GAPS, NAN, SCORES), SECONDS),
    "an empty column": without(np.arange(6) == 2),
    "an empty row": without(np.arange(7)[:, None] == 2),
    "nothing at all": History.from_arrays(np.full((2, 3), NAN), np.full((2, 3), NAN)),
}


def follow(method, history, scores, seconds):
    advisor = method.start(history, 0.4, USUAL_WINDOW)
    return given_histories.follow(advisor, scores, seconds)


@pytest.mark.parametrize("history", HISTORIES.values(), ids=HISTORIES)
@pytest.mark.parametrize("name", RECOMMENDERS)
def test_each_learner_comes_once(name, history):
    n = history.n_learners
    for scores in (SCORES[0, :n], np.full(n, 0.5), np.full(n, NAN), np.where(GAPS[0, :n], NAN, 1)):
        order = follow(RECOMMENDERS[name], history, scores, SECONDS[0, :n])
        assert sorted(order) == list(range(n))
        assert all(isinstance(learner, int) for learner in order)


@pytest.mark.parametrize("name", RECOMMENDERS)
def test_only_tests_that_were_told_are_known(name):
    earlier, scores, seconds = HISTORY.without(0), SCORES[0], SECONDS[0]
    order = follow(RECOMMENDERS[name], earlier, scores, seconds)
    for n_told in range(len(order)):
        is_told = np.isin(np.arange(6), order[:n_told])
        garbage = np.where(is_told, scores, 1 - scores), np.where(is_told, seconds, 1e3 / seconds)
        again = follow(RECOMMENDERS[name], earlier, *garbage)
        assert again[: n_told + 1] == order[: n_told + 1]


@pytest.mark.parametrize("name", RECOMMENDERS)
def test_the_same_history_gives_the_same_order_every_time(name):
    copied = History.from_arrays(SCORES.copy(), SECONDS.copy())
    orders = [follow(RECOMMENDERS[name], item, SCORES[1], SECONDS[1]) for item in (HISTORY, copied)]
    assert orders[0] == orders[1]


@pytest.mark.parametrize("name", RECOMMENDERS)
def test_to_ask_changes_nothing(name):
    advisor = RECOMMENDERS[name].start(HISTORY, 0.4, USUAL_WINDOW)
    for step in range(6):
        learner = advisor.next()
        assert advisor.next() == learner
        advisor.tell(learner, float(SCORES[step, learner]), 3.0)


@pytest.mark.parametrize(
    "name", [name for name, recommender in RECOMMENDERS.items() if not recommender.needs_seconds]
)
def test_a_method_that_needs_no_times_works_without(name):
    history = History.from_arrays(SCORES)
    assert sorted(follow(RECOMMENDERS[name], history, SCORES[0], SECONDS[0])) == list(range(6))


def test_every_method_is_found_by_its_name():
    assert next(iter(RECOMMENDERS)) == DEFAULT_RECOMMENDER == "blended-gain"
    for name, method in RECOMMENDERS.items():
        assert isinstance(method, Recommender)
        assert get_recommender(name) is method
        assert method.name == name
    assert len({method.title for method in RECOMMENDERS.values()}) == len(RECOMMENDERS)


@pytest.mark.parametrize("name", ["average-ranking-1/63", "", None, ["random"]])
def test_an_unknown_method_is_told(name):
    with pytest.raises(InvalidArgumentError, match="recommender must be a known one"):
        get_recommender(name)


def test_a_fixed_order_passes_over_what_was_tested_otherwise():
    advisor = FixedOrder(np.array([2, 0, 1]))
    advisor.tell(2, 0.5, 1.0)
    assert advisor.next() == 0
    advisor.tell(0, NAN, 1.0)
    assert advisor.next() == 1

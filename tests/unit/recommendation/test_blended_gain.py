"""Gain per log-delay by two models: plain loops that must agree, few data sets, what is unknown."""

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given, settings
from scipy.special import expit
from scipy.stats import norm
from tests.unit.recommendation.given_histories import follow
from tests.unit.recommendation.test_gain_per_log_delay import PlainAdaptive, cases

from bestofk.recommendation.adaptive_orders import LowRankCompletion
from bestofk.recommendation.fixed_orders import average_ranking_order
from bestofk.recommendation.gain_per_log_delay import AdaptiveGainPerLogDelay, BlendedGain
from bestofk.recommendation.history import History
from bestofk.recommendation.latent_factors import NewRow, logit_scores
from bestofk.recommendation.leave_one_out import leave_one_out
from bestofk.recommendation.loss_time import USUAL_WINDOW, Window

NAN = float("nan")


class PlainBlended(PlainAdaptive):
    """The mean of two models in loops; the normal one by 21 nodes of Gauss and Hermite."""

    def __init__(self, history, default_score, window):
        super().__init__(history, default_score, window)
        self.scores_here = NewRow(logit_scores(history.scores))
        self.times_here = NewRow(np.log(np.maximum(history.seconds, 0.001)))
        self.best_here = default_score

    def mean_over(self, center, spread, function):
        nodes, weights = np.polynomial.hermite.hermgauss(21)  # of the other convention
        far = [max(-50, min(50, center + spread * math.sqrt(2) * node)) for node in nodes]
        values = [function(value) for value in far]
        return sum(w * v for w, v in zip(weights, values, strict=True)) / math.sqrt(math.pi)

    def normal_gain(self, j):
        if self.is_new(j):
            return sum(map(self.normal_gain, self.known)) / len(self.known)
        return self.mean_over(
            self.scores_here.expected()[j], self.scores_here.spread()[j],
            lambda value: max(0.0, expit(value) - self.best_here),
        )  # fmt: skip

    def ratio(self, j):
        center, spread = self.times_here.expected()[j], self.times_here.spread()[j]
        first, last = self.window.first, self.window.last
        delay = self.mean_over(
            center, spread,
            lambda log: math.log10(
                max(self.elapsed + math.exp(log), first) / max(self.elapsed, first)
            ),
        )  # fmt: skip
        share = self.mean_over(
            center, spread, lambda log: float(self.elapsed + math.exp(log) <= last)
        )
        gain, alike_delay = self.gain_and_delay(j)
        return (gain + share * self.normal_gain(j)) / (alike_delay + delay + 0.002)

    def tell(self, learner, score, seconds):
        super().tell(learner, score, seconds)
        if not self.is_new(learner):
            self.times_here.tell(learner, math.log(max(seconds, 0.001)))
        if not math.isnan(score):
            if not self.is_new(learner):
                self.scores_here.tell(learner, float(logit_scores(score)))
            self.best_here = max(self.best_here, score)


@st.composite
def enough(draw):
    """A case of at least five data sets: what a smaller one has, over and over."""
    history, results, window = draw(cases())
    rows = np.arange(5 + history.n_data_sets) % history.n_data_sets
    return history.part(data_sets=rows), results, window


@settings(max_examples=40, deadline=None)
@given(enough())
def test_each_step_is_that_of_plain_loops(case):
    history, results, window = case
    assume(not np.isnan(history.scores).all())
    advisor = BlendedGain().start(history, 0.4, window)
    loops = PlainBlended(history, 0.4, window)
    for _ in range(history.n_learners):
        learner = advisor.next()
        assert loops.agrees(learner)
        for item in (advisor, loops):
            item.tell(learner, *results[learner])


@pytest.mark.parametrize("n_learners", [3, 40])
def test_each_step_on_larger_tables_is_that_of_plain_loops(n_learners):
    rng = np.random.default_rng(5)
    shape = (15, n_learners)
    scores = np.where(rng.uniform(size=shape) < 0.2, NAN, rng.uniform(0.4, 1, shape))
    seconds = np.where(np.isnan(scores), NAN, rng.lognormal(2, 2, shape))
    history = History.from_arrays(scores, seconds)
    advisor = BlendedGain().start(history, 0.4, USUAL_WINDOW)
    loops = PlainBlended(history, 0.4, USUAL_WINDOW)
    for step in range(min(n_learners, 12)):
        learner = advisor.next()
        assert loops.agrees(learner)
        result = (NAN if step % 4 == 3 else rng.uniform(0.4, 1), rng.lognormal(2, 2))
        advisor.tell(learner, *result)
        loops.tell(learner, *result)


def correlated_history(n_sets, seed=0):
    """Scores of eight learners by one hidden cause: what is good here is bad there."""
    rng = np.random.default_rng(seed)
    cause = rng.normal(size=(n_sets, 1))
    slopes = np.array([2.0, -2.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5])
    scores = expit(cause * slopes + 0.1 * rng.normal(size=(n_sets, 8)))
    return History.from_arrays(scores, np.tile(np.linspace(20, 90, 8), (n_sets, 1)))


def test_one_test_tells_of_learners_that_go_with_it():
    advisor = BlendedGain().start(correlated_history(200), 0.5, USUAL_WINDOW)
    before = advisor.expected_gain(0), advisor.expected_gain(1)
    advisor.tell(2, float(expit(-1.5)), 40.0)  # a bad day for it: good for those against it
    assert advisor.expected_gain(1) > before[1]
    assert advisor.expected_gain(0) < before[0] / 10
    assert advisor.next() in (1, 7)


def with_a_new_learner():
    """A history in which the second learner has neither scores nor times."""
    history = correlated_history(12)
    scores, seconds = history.scores.copy(), history.seconds.copy()
    scores[:, 1] = seconds[:, 1] = NAN
    return History.from_arrays(scores, seconds)


def test_it_interpolates_where_no_data_set_is_alike():
    methods = [BlendedGain(), AdaptiveGainPerLogDelay(), LowRankCompletion()]
    losses = leave_one_out(correlated_history(40), methods).losses.mean(axis=0)
    assert losses[0] < losses[1]


def test_the_expected_gain_is_the_mean_of_both_models():
    history = correlated_history(30)
    advisor = BlendedGain().start(history, 0.6, USUAL_WINDOW)
    alike = AdaptiveGainPerLogDelay().start(history, 0.6, USUAL_WINDOW)
    row = NewRow(logit_scores(history.scores))
    draws = norm.ppf((np.arange(20_000) + 0.5) / 20_000)
    scores = expit(row.expected()[3] + row.spread()[3] * draws)
    by_normal = np.maximum(scores - 0.6, 0).mean()
    assert advisor.expected_gain(3) == pytest.approx(
        (alike.expected_gain(3) + by_normal) / 2, rel=0.02
    )


def test_expected_seconds_follow_the_pace_of_the_new_data_set():
    history = correlated_history(30)
    advisor = BlendedGain().start(history, 0.5, USUAL_WINDOW)
    assert advisor.expected_seconds(7) == pytest.approx(90.0)
    rng = np.random.default_rng(0)
    paces = np.exp(rng.normal(size=(30, 1)))
    of_paces = History.from_arrays(history.scores, history.seconds * paces)
    advisor = BlendedGain().start(of_paces, 0.5, USUAL_WINDOW)
    advisor.tell(0, 0.5, 60.0)  # three times as long as usual
    assert advisor.expected_seconds(7) == pytest.approx(270.0, rel=0.1)
    advisor.tell(1, NAN, 1.0, whole_seconds=NAN)  # died: says nothing
    assert advisor.expected_seconds(7) == pytest.approx(270.0, rel=0.1)


def test_with_fewer_than_five_data_sets_only_alike_ones_count():
    history = correlated_history(4)
    orders = [
        follow(method.start(history, 0.5, USUAL_WINDOW), [0.6] * 8, [30.0] * 8)
        for method in (BlendedGain(), AdaptiveGainPerLogDelay())
    ]
    assert orders[0] == orders[1]


def test_learners_without_any_score_are_expected_to_do_as_the_others_do_on_average():
    history = with_a_new_learner()
    advisor = BlendedGain().start(history, 0.5, USUAL_WINDOW)
    others = [advisor.expected_gain(learner) for learner in range(8) if learner != 1]
    assert advisor.expected_gain(1) == pytest.approx(np.mean(others))
    lowest, highest = np.nanmin(history.seconds), np.nanmax(history.seconds)
    assert lowest < advisor.expected_seconds(1) < highest
    assert follow(advisor, [0.6] * 8, [30.0] * 8).index(1) < 6


def test_the_result_of_a_new_learner_moves_no_other_but_the_best_so_far():
    history = with_a_new_learner()
    advisor, other = (BlendedGain().start(history, 0.5, USUAL_WINDOW) for _ in range(2))
    advisor.tell(1, 0.4, 1000.0)
    other.skip(1)
    for learner in (0, 2, 3):
        assert advisor.expected_gain(learner) == pytest.approx(other.expected_gain(learner))
        assert advisor.expected_seconds(learner) == pytest.approx(other.expected_seconds(learner))
    advisor.tell(1, 1.0, 1.0)
    assert advisor.expected_gain(0) < other.expected_gain(0)


def test_where_nothing_fits_into_the_window_the_average_ranking_is_followed():
    history = correlated_history(12)
    window = Window.of(0.001, 0.002)
    advisor = BlendedGain().start(history, 0.5, window)
    assert advisor.next() == average_ranking_order(history, 1 / 64)[0]


def test_a_learner_left_out_never_comes():
    advisor = BlendedGain().start(correlated_history(12), 0.5, USUAL_WINDOW)
    first = advisor.next()
    advisor.skip(first)
    assert advisor.next() != first

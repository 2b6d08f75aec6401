"""Gain per log-delay: hand-computed first steps, and plain loops that must agree step by step."""

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra.numpy import arrays
from tests.unit.recommendation.given_histories import HISTORY, SCORES, SECONDS, follow

from bestofk.recommendation.fixed_orders import average_ranking_order
from bestofk.recommendation.gain_per_log_delay import AdaptiveGainPerLogDelay, GainPerLogDelay
from bestofk.recommendation.history import History
from bestofk.recommendation.latent_factors import fill_gaps
from bestofk.recommendation.loss_time import USUAL_WINDOW, Window

NAN = float("nan")
BOTH = [GainPerLogDelay(), AdaptiveGainPerLogDelay()]


class PlainGreedy:
    """The definition in loops: mean gain over mean decades of waiting + 0.001."""

    def __init__(self, history, window):
        self.history, self.window = history, window
        self.rows = range(history.n_data_sets)
        self.best = list(history.default_scores)
        self.weights = [1 / history.n_data_sets] * history.n_data_sets
        self.open = list(range(history.n_learners))
        is_scored = ~np.isnan(history.scores)
        self.known = [j for j in self.open if is_scored[:, j].any()]
        self.seconds = np.maximum(history.seconds, 0.001)
        filled = np.exp(fill_gaps(np.log(self.seconds)))
        for j in filter(self.is_new, self.open):
            self.seconds[:, j] = filled[:, j]

    def is_new(self, j):
        return bool(self.known) and j not in self.known

    def gain(self, i, j):
        """Return what a learner adds on a data set; a new one what the others add on average."""
        scores = [self.history.scores[i, k] for k in (self.known if self.is_new(j) else [j])]
        gains = [max(0.0, score - self.best[i]) for score in scores if not math.isnan(score)]
        return sum(gains) / len(gains) if gains else NAN

    def clock(self, i):
        raise NotImplementedError

    def end(self, i, j):
        raise NotImplementedError

    def gain_and_delay(self, j):
        gain = gain_weight = delay = delay_weight = 0.0
        for i in self.rows:
            here, end, weight = self.gain(i, j), self.end(i, j), self.weights[i]
            if not math.isnan(here):
                gain_weight += weight
                if end <= self.window.last:
                    gain += weight * here
            if not math.isnan(end):
                first = self.window.first
                delay_weight += weight
                delay += weight * math.log10(max(end, first) / max(self.clock(i), first))
        if gain == 0:
            return 0.0, delay / max(delay_weight, 1e-300)
        return gain / gain_weight, delay / delay_weight

    def ratio(self, j):
        gain, delay = self.gain_and_delay(j)
        return gain / (delay + 0.001)

    def agrees(self, learner):
        """Return whether a learner is next by the definition, the earliest of equals."""
        ratios = {j: self.ratio(j) for j in self.open}
        highest = max(ratios.values())
        if highest < 1e-9:
            ranked = [j for j in average_ranking_order(self.history, 1 / 64) if j in self.open]
            return learner == next((j for j in ranked if self.is_new(j)), ranked[0])
        equal = [j for j in self.open if ratios[j] > highest - 1e-9 * max(1, highest)]
        surely = [j for j in self.open if ratios[j] > highest - 1e-12 * max(1, highest)]
        return learner in equal and learner <= surely[0]

    def tell(self, learner, score, seconds):
        self.open.remove(learner)
        for i in self.rows:
            there = self.history.scores[i, learner]
            if there > self.best[i]:
                self.best[i] = there


class PlainFixed(PlainGreedy):
    """Time goes by on the earlier data sets."""

    def __init__(self, history, default_score, window):
        super().__init__(history, window)
        self.clocks = [0.0 for _ in self.rows]

    def clock(self, i):
        return self.clocks[i]

    def end(self, i, j):
        return self.clocks[i] + self.seconds[i, j]

    def tell(self, learner, score, seconds):
        super().tell(learner, score, seconds)
        for i in self.rows:
            if not math.isnan(self.seconds[i, learner]):
                self.clocks[i] += self.seconds[i, learner]


class PlainAdaptive(PlainGreedy):
    """Time goes by on the new data set; earlier ones weigh by likeness, with their own pace."""

    def __init__(self, history, default_score, window):
        super().__init__(history, window)
        self.default_score, self.elapsed = default_score, 0.0
        self.squares = [[] for _ in self.rows]
        self.log_ratios = [[] for _ in self.rows]

    def clock(self, i):
        return self.elapsed

    def pace(self, i):
        ratios = sorted(self.log_ratios[i])
        if not ratios:
            return 0.0
        half = len(ratios) // 2
        return ratios[half] if len(ratios) % 2 else (ratios[half - 1] + ratios[half]) / 2

    def end(self, i, j):
        return self.elapsed + self.seconds[i, j] * math.exp(self.pace(i))

    def tell(self, learner, score, seconds):
        super().tell(learner, score, seconds)
        self.elapsed += max(seconds, 0.001)
        alike = []
        for i in self.rows:
            there = self.history.seconds[i, learner]
            if not math.isnan(there):
                self.log_ratios[i].append(math.log(max(seconds, 0.001) / max(there, 0.001)))
            gain = score - self.default_score
            past = self.history.scores[i, learner] - self.history.default_scores[i]
            if not math.isnan(gain - past):
                self.squares[i].append((gain - past) ** 2)
            mean = sum(self.squares[i]) / max(len(self.squares[i]), 1)
            alike.append(mean / (2 * 0.2**2) + self.pace(i) ** 2 / (2 * 2**2))
        alike = [math.exp(min(alike) - item) for item in alike]
        n = len(alike)
        self.weights = [0.9 * item / sum(alike) + 0.1 / n for item in alike]


each_with_its_loops = pytest.mark.parametrize(
    ("method", "plain"),
    [(BOTH[0], PlainFixed), (BOTH[1], PlainAdaptive)],
    ids=["fixed", "adaptive"],
)


@st.composite
def cases(draw):
    shape = (draw(st.integers(1, 4)), draw(st.integers(1, 5)))
    scores = draw(arrays(float, shape, elements=st.sampled_from([0.3, 0.5, 0.7, 0.71, 0.9])))
    seconds = draw(arrays(float, shape, elements=st.sampled_from([0.0, 0.5, 3.0, 40.0, 700.0])))
    lacks = draw(arrays(np.int8, shape, elements=st.sampled_from([0, 0, 0, 0, 1, 2, 3])))
    defaults = draw(arrays(float, shape[0], elements=st.sampled_from([NAN, 0.2, 0.6])))
    history = History.from_arrays(
        np.where(lacks & 1, NAN, scores), np.where(lacks & 2, NAN, seconds), default_scores=defaults
    )
    here = st.tuples(st.sampled_from([NAN, 0.3, 0.6, 0.9]), st.sampled_from([0.0, 1.0, 50.0]))
    results = draw(st.lists(here, min_size=shape[1], max_size=shape[1]))
    window = Window.of(*draw(st.sampled_from([(10, 1e4), (0.1, 100), (1, 10), (0.001, 1)])))
    return history, results, window


@each_with_its_loops
@settings(max_examples=60, deadline=None)
@given(cases())
def test_each_step_is_that_of_plain_loops(method, plain, case):
    history, results, window = case
    advisor, loops = method.start(history, 0.4, window), plain(history, 0.4, window)
    for _ in range(history.n_learners):
        learner = advisor.next()
        assert loops.agrees(learner)
        for item in (advisor, loops):
            item.tell(learner, *results[learner])


@each_with_its_loops
def test_each_step_on_larger_tables_is_that_of_plain_loops(method, plain):
    rng = np.random.default_rng(5)
    scores = np.where(rng.uniform(size=(15, 12)) < 0.2, NAN, rng.uniform(0.4, 1, (15, 12)))
    seconds = np.where(np.isnan(scores), NAN, rng.lognormal(2, 2, (15, 12)))
    history = History.from_arrays(scores, seconds)
    advisor, loops = method.start(history, 0.4, USUAL_WINDOW), plain(history, 0.4, USUAL_WINDOW)
    for step in range(12):
        learner = advisor.next()
        assert loops.agrees(learner)
        result = (NAN if step % 4 == 3 else rng.uniform(0.4, 1), rng.lognormal(2, 2))
        advisor.tell(learner, *result)
        loops.tell(learner, *result)
        assert getattr(loops, "weights", None) == pytest.approx(advisor._weights, rel=1e-12)


@pytest.mark.parametrize("method", BOTH)
def test_the_first_step_by_hand(method):
    # gains over 0.55, 0.5, 0.4 and 0.45; 0: .35 + .3 + .35 + .15, 1: .3 + .32 + .3 + .21 ...
    # until 10 seconds nobody waits, so 0, 1 and 3 cost 0.001 decades; 4 has more, and is slow
    advisor = method.start(HISTORY, 0.5, USUAL_WINDOW)
    assert [advisor.expected_gain(j) for j in range(5)] == pytest.approx(
        [0.2875, 0.2825, 0.28, 0.1775, 0.2925]
    )
    assert advisor.expected_seconds(0) == pytest.approx(100**0.25)  # of 2, 5, 1 and 10
    assert advisor.next() == 0


def test_the_second_step_of_the_fixed_order_by_hand():
    advisor = GainPerLogDelay().start(HISTORY, 0.5, USUAL_WINDOW)
    advisor.tell(0, 0.9, 2.0)
    # what is left over 0.9, 0.8, 0.75 and 0.6
    assert [advisor.expected_gain(j) for j in range(1, 5)] == pytest.approx(
        [(0.02 + 0.06) / 4, 0.04 / 4, 0.06 / 4, (0.05 + 0.02 + 0.05) / 4]
    )
    # 1 waits from 10 to 12 seconds on the last alone: 0.0792 / 4 decades; 3 from 10 to 10.5
    ratios = {1: 0.02 / (math.log10(1.2) / 4 + 0.001), 3: 0.015 / (math.log10(1.05) / 4 + 0.001)}
    assert ratios[1] < ratios[3]
    assert advisor.next() == 3


def test_a_gain_after_the_window_is_none():
    history = History.from_arrays([[0.9, 0.6]], [[20_000.0, 9_000.0]], default_scores=[0.5])
    for method in BOTH:
        assert method.start(history, 0.5, USUAL_WINDOW).next() == 1


@pytest.mark.parametrize("method", BOTH)
def test_equal_ratios_go_to_the_earlier_learner(method):
    rng = np.random.default_rng(0)
    for n_sets, n_learners in rng.integers(2, 30, (20, 2)):
        scores, seconds = rng.uniform(size=(2, n_sets, n_learners))
        history = History.from_arrays(np.hstack([scores] * 2), np.hstack([seconds] * 2))
        advisor = method.start(history, 0.4, USUAL_WINDOW)
        for _ in range(min(4, n_learners)):
            learner = advisor.next()
            assert learner < n_learners
            advisor.tell(learner, 0.5, 1.0)
            advisor.skip(learner + n_learners)


@pytest.mark.parametrize("method", BOTH)
def test_without_gain_the_average_ranking_is_followed(method):
    history = History.from_arrays(SCORES, SECONDS, default_scores=[1.0] * 4)
    order = follow(method.start(history, 0.5, USUAL_WINDOW), [0.5] * 5, [1.0] * 5)
    assert order == average_ranking_order(history, 1 / 64).tolist()


@pytest.mark.parametrize("method", BOTH)
def test_a_learner_left_out_never_comes_and_gains_stay(method):
    advisor = method.start(HISTORY, 0.5, USUAL_WINDOW)
    before = advisor.expected_gain(1)
    advisor.skip(0)
    assert advisor.expected_gain(1) == before
    assert advisor.next() == 1


@pytest.mark.parametrize("method", BOTH)
def test_no_data_sets_give_the_order_of_the_columns(method):
    advisor = method.start(HISTORY.part(data_sets=[]), 0.5, USUAL_WINDOW)
    for learner in range(5):
        assert advisor.next() == learner
        assert advisor.expected_gain(learner) == 0
        assert math.isnan(advisor.expected_seconds(learner))
        advisor.tell(learner, 0.5, 1.0)


def test_expected_seconds_follow_the_pace_of_whole_tests_of_the_new_data_set():
    advisor = AdaptiveGainPerLogDelay().start(HISTORY.part(data_sets=[0]), 0.5, USUAL_WINDOW)
    assert advisor.expected_seconds(2) == pytest.approx(20.0)
    advisor.tell(0, 0.9, 1.8, whole_seconds=6.0)  # three times as long, ended early
    assert advisor.expected_seconds(2) == pytest.approx(60.0)
    advisor.tell(1, 0.9, 3.0)
    advisor.tell(3, 0.9, 50.0)  # an odd one moves no median
    advisor.tell(4, NAN, 0.0, whole_seconds=NAN)  # died
    assert advisor.expected_seconds(2) == pytest.approx(60.0)


def test_a_short_test_after_a_long_time_is_still_expected_to_be_short():
    history = History.from_arrays([[0.5, 0.6]] * 2, [[1e5, 0.001]] * 2)
    advisor = GainPerLogDelay().start(history, 0.5, USUAL_WINDOW)
    advisor.tell(0, 0.5, 1e5)
    assert advisor.expected_seconds(1) == pytest.approx(0.001, rel=1e-12)


def test_data_sets_that_are_alike_weigh_more():
    scores = [[0.5, 0.9, 0.6], [0.9, 0.6, 0.9]]
    history = History.from_arrays(scores, [[20.0, 30.0, 30.0]] * 2, default_scores=[0.5, 0.5])
    gains = []
    for score in (0.5, 0.9):
        advisor = AdaptiveGainPerLogDelay().start(history, 0.5, USUAL_WINDOW)
        advisor.tell(0, score, 20.0)
        assert advisor.next() == 1
        gains.append(advisor.expected_gain(1))
    like = math.exp(-(0.4**2) / (2 * 0.2**2))
    shares = [0.9 * item / (1 + like) + 0.05 for item in (1, like)]
    assert gains == pytest.approx([0.4 * share for share in shares])


def test_a_failed_test_says_nothing_about_scores_and_all_about_time():
    advisor = AdaptiveGainPerLogDelay().start(HISTORY, 0.5, USUAL_WINDOW)
    advisor.tell(0, NAN, 4.0)
    assert advisor.expected_seconds(1) == pytest.approx(
        np.exp(advisor._weights @ np.log(4.0 * np.array([0.5, 0.8, 8.0, 0.2])))
    )

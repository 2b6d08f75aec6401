"""Leaving data sets out: hand-computed losses, laws, and what is never looked at."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from tests.unit.recommendation.given_histories import HISTORY

from bestofk.errors import InvalidArgumentError
from bestofk.inference.many_data_sets.ranks import weighted_average_ranks
from bestofk.recommendation.catalogue import RECOMMENDERS
from bestofk.recommendation.fixed_orders import (
    AverageRanking,
    FixedOrder,
    GreedyPortfolio,
    Recommender,
    a3r_ranks,
)
from bestofk.recommendation.gain_per_log_delay import AdaptiveGainPerLogDelay, GainPerLogDelay
from bestofk.recommendation.history import History
from bestofk.recommendation.leave_one_out import envelope_losses, leave_one_out
from bestofk.recommendation.loss_time import USUAL_WINDOW, Window

NAN = float("nan")
TRIED = [AverageRanking(1 / 4), GainPerLogDelay(), AdaptiveGainPerLogDelay(), GreedyPortfolio()]


class Noted(Recommender):
    """Notes what it is started with; goes through the columns from the left."""

    name, title, needs_seconds = "noted", "noted", False

    def __init__(self):
        self.calls = []

    def start(self, history, default_score, window):
        self.calls.append((history, default_score, window))
        return FixedOrder(range(history.n_learners))


def random_history(seed, n_sets=6, n_learners=5, missing=0.0):
    rng = np.random.default_rng(seed)
    scores = rng.uniform(0.4, 0.9, (n_sets, n_learners))
    seconds = 10 ** rng.uniform(-1, 3.5, scores.shape)
    lacks = rng.uniform(size=scores.shape) < missing
    return History.from_arrays(
        np.where(lacks, NAN, scores),
        np.where(lacks, NAN, seconds),
        default_scores=rng.uniform(0.3, 0.5, n_sets),
    )


def test_losses_by_hand():
    # orders by score alone: (1, 4, 0, 2, 3), (4, 0, 1, 2, 3), (1, 4, 0, 2, 3), (4, 0, 1, 2, 3)
    losses = leave_one_out(HISTORY, [AverageRanking(0)])
    assert losses.orders[0] == ((1, 4), (4,), (1, 4), (4, 0, 1))
    log = np.log10
    expected = [
        0.1 * log(200.1) / 3,  # until 2001 s the best is 0.1 above 0.85
        0.32 * log(80) / 3,  # until 800 s nothing is tested
        0.1 * log(30.8) / 3,  # until 308 s
        (0.21 * log(500) + 0.16 * log(5010 / 5000) + 0.06 * log(5012 / 5010)) / 3,
    ]
    np.testing.assert_allclose(losses.losses[:, 0], expected, rtol=0, atol=1e-12)
    assert losses.losses[0, 0] == pytest.approx(0.076708, abs=5e-7)


def test_a_method_gets_the_others_the_default_and_the_window():
    method, window = Noted(), Window.of(1, 1000)
    leave_one_out(HISTORY, [method], window=window)
    for i, (history, default, given_window) in enumerate(method.calls):
        assert history.data_sets == HISTORY.without(i).data_sets
        assert default == HISTORY.default_scores[i]
        assert given_window == window


def test_parts_are_left_out_in_turn():
    method = Noted()
    leave_one_out(HISTORY, [method], n_folds=2)
    names = [history.data_sets for history, _, _ in method.calls]
    first, second = ("data set 1", "data set 3"), ("data set 2", "data set 4")
    assert names == [second, first, second, first]


def test_progress_is_told_after_every_data_set():
    told = []
    leave_one_out(HISTORY, [Noted()], observe=lambda name, n: told.append((name, n)))
    assert told == [("noted", 1), ("noted", 2), ("noted", 3), ("noted", 4)]


def test_a_learner_without_a_time_is_not_offered_and_a_test_that_failed_costs_its_time():
    scores = [[NAN, 0.9], [0.7, 0.8]]
    timed = [[90.0, 10.0], [20.0, 30.0]]
    method, orders = Noted(), []
    for seconds in ([[NAN, 50.0], timed[1]], timed):
        history = History.from_arrays(scores, seconds, default_scores=[0.5, 0.5])
        losses = leave_one_out(history, [method])
        orders.append(losses.orders[0])
    assert method.calls[0][0].learners == ("learner 2",)
    assert orders == [((1,), (0, 1)), ((0, 1), (0, 1))]
    assert losses.losses[0, 0] == pytest.approx(0.4 / 3)  # until 100 seconds


def test_a_data_set_without_any_result_has_no_loss_and_no_order():
    history = History.from_arrays([[NAN, NAN], [0.6, 0.9], [0.5, 0.8]], [[NAN] * 2, [1, 9], [1, 9]])
    methods = list(RECOMMENDERS.values())
    losses = leave_one_out(history, methods)
    assert losses.losses[0].tolist() == [0.0] * len(methods)
    assert all(orders[0] == () for orders in losses.orders)


def test_without_times_every_test_of_a_learner_with_a_score_counts_as_a_second():
    history = History.from_arrays([[0.6, 0.7, 0.9]] * 2, default_scores=[0.5, 0.5])
    losses = leave_one_out(history, [Noted()], window=Window.of(1, 10))
    pieces = 0.3 * np.log10(2) + 0.2 * np.log10(3 / 2)  # 0.6 after one test, 0.7 after two
    assert losses.losses[:, 0] == pytest.approx([pieces] * 2)
    lacking = History.from_arrays([[0.6, NAN, 0.9], [0.5, 0.6, 0.7]])
    assert leave_one_out(lacking, [Noted()]).orders[0][0] == (0, 2)


def test_the_envelope_by_hand():
    # 0.7 after 0.1 s, 0.85 after 1 s, 0.9 after 2 s, 0.95 after 2000 s
    assert envelope_losses(HISTORY)[0] == pytest.approx(0.05 * np.log10(200) / 3)
    tied = History.from_arrays([[0.9, 0.9]], [[100.0, 1000.0]], default_scores=[0.5])
    assert envelope_losses(tied) == pytest.approx([0.4 / 3])


def test_the_envelope_without_times_is_the_best_after_one_second_and_of_nothing_no_loss():
    history = History.from_arrays([[0.6, 0.7, 0.9]], default_scores=[0.5])
    assert envelope_losses(history, Window.of(0.1, 10)) == pytest.approx([0.2])
    history = History.from_arrays([[NAN, NAN], [0.5, NAN]], [[NAN, 1.0], [NAN, NAN]])
    assert envelope_losses(history).tolist() == [0.0, 0.0]


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.2]))
def test_no_method_beats_the_envelope(seed, missing):
    history = random_history(seed, missing=missing)
    losses = leave_one_out(history, TRIED).losses
    assert (losses >= envelope_losses(history)[:, None] - 1e-12).all()


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.permutations(range(5)))
def test_the_order_of_learners_changes_no_loss_where_nothing_is_tied(seed, places):
    history = random_history(seed)
    before = leave_one_out(history, TRIED).losses
    after = leave_one_out(history.part(learners=places), TRIED).losses
    is_tied = np.zeros(history.n_data_sets, dtype=bool)
    for i in range(history.n_data_sets):
        for power in (1 / 4, 1 / 64):  # of the ranking tried, and of what follows the last gain
            is_tied[i] |= len(set(weighted_average_ranks(a3r_ranks(history.without(i), power)))) < 5
    np.testing.assert_allclose(after[~is_tied], before[~is_tied], rtol=0, atol=1e-12)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 5), st.sampled_from([-0.25, 0.0625]))
def test_a_constant_added_to_all_scores_of_a_data_set_changes_no_loss(seed, row, constant):
    history = random_history(seed)
    scores, defaults = history.scores.copy(), history.default_scores.copy()
    scores[row] += constant
    defaults[row] += constant
    moved = History.from_arrays(scores, history.seconds, default_scores=defaults)
    before, after = (leave_one_out(item, [AverageRanking(0)]).losses for item in (history, moved))
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-9)
    # the others divide scores where no gain is left; up to there they must agree
    endless = Window.of(10, 1e9)
    for method in (GainPerLogDelay(), AdaptiveGainPerLogDelay()):
        for i in range(history.n_data_sets):
            first, second = (
                method.start(item.without(i), float(item.default_scores[i]), endless)
                for item in (history, moved)
            )
            for _ in range(history.n_learners):
                learner = first.next()
                if first.expected_gain(learner) < 1e-9:
                    break
                assert second.next() == learner
                for advisor, item in ((first, history), (second, moved)):
                    advisor.tell(learner, item.scores[i, learner], item.seconds[i, learner])


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.25, 8.0]))
def test_a_factor_of_all_times_and_the_window_changes_no_loss(seed, factor):
    history = random_history(seed)
    other = History.from_arrays(
        history.scores, history.seconds * factor, default_scores=history.default_scores
    )
    window = Window.of(USUAL_WINDOW.first * factor, USUAL_WINDOW.last * factor)
    before, after = leave_one_out(history, TRIED), leave_one_out(other, TRIED, window=window)
    np.testing.assert_allclose(after.losses, before.losses, rtol=0, atol=1e-9)
    assert after.orders == before.orders


def test_a_summary_counts_and_compares():
    history = History.from_arrays(
        [[0.9, 0.6], [0.9, 0.6], [0.5, 0.8]],
        [[100.0, 1000.0], [100.0, 1000.0], [100.0, 20.0]],
        default_scores=[0.4] * 3,
    )

    class Backwards(Noted):
        name = title = "backwards"

        def start(self, history, default_score, window):
            return FixedOrder([1, 0])

    losses = leave_one_out(history, [Noted(), Backwards()])
    summary = losses.summary().set_index("method")
    points = 100 * losses.losses
    assert summary.loc["noted", "mean"] == pytest.approx(points[:, 0].mean())
    assert summary.loc["backwards", "median"] == pytest.approx(np.median(points[:, 1]))
    difference = points[:, 1] - points[:, 0]
    assert summary.loc["backwards", "difference"] == pytest.approx(difference.mean())
    assert summary.loc["backwards", ["wins", "ties", "losses"]].tolist() == [1, 0, 2]
    assert summary.loc["noted", ["difference", "low", "high"]].tolist() == [0, 0, 0]
    low, high = summary.loc["backwards", ["low", "high"]]
    assert difference.min() <= low <= difference.mean() <= high <= difference.max()
    turned = losses.summary("backwards").set_index("method")
    assert turned.loc["noted", ["wins", "ties", "losses"]].tolist() == [2, 0, 1]
    assert turned.loc["noted", "low"] == pytest.approx(-high)


def test_a_frame_has_one_row_per_data_set_and_method():
    frame = leave_one_out(HISTORY, [AverageRanking(0), AverageRanking(1 / 4)]).to_frame()
    assert list(frame.columns) == ["data_set", "method", "mean_interval_loss"]
    assert frame["method"].tolist()[:2] == ["average-ranking-0", "average-ranking-1/4"]
    assert frame["data_set"].tolist()[:3] == ["data set 1", "data set 1", "data set 2"]
    assert frame["mean_interval_loss"][0] == pytest.approx(0.076708, abs=5e-7)


TIMELESS = History.from_arrays([[0.5, 0.6]] * 2)


@pytest.mark.parametrize(
    ("history", "options", "message"),
    [
        (HISTORY.part(data_sets=[0]), {}, "history must have at least two data sets .* got 1"),
        (HISTORY, {"n_folds": 1}, "n_folds must be a whole number from 2 to 4 or None; got 1"),
        (HISTORY, {"n_folds": 5}, "got 5"),
        (HISTORY, {"n_folds": 2.5}, "n_folds must be a whole number"),
        (HISTORY, {"n_folds": "2"}, "n_folds must be a whole number"),
        (TIMELESS, {}, "methods must be ones that need no times.* got average-ranking-1/4"),
        (HISTORY, {"methods": []}, "methods must be at least one"),
    ],
)
def test_what_cannot_be_left_out_is_told(history, options, message):
    with pytest.raises(InvalidArgumentError, match=message):
        leave_one_out(history, options.pop("methods", [AverageRanking(1 / 4)]), **options)


def test_a_reference_must_be_among_the_methods():
    with pytest.raises(InvalidArgumentError, match=r"reference must be one of .* got 'best'"):
        leave_one_out(HISTORY, [AverageRanking(0)]).summary("best")


def test_losses_and_their_history_draw_themselves():
    lost = leave_one_out(HISTORY, [AverageRanking(0)])
    drawn = [type(lost.plot(kind)).__name__ for kind in ("seconds", "tests", "spread")]
    assert drawn == ["LossTimeCurveDisplay", "LossCurveDisplay", "IntervalLossesDisplay"]
    assert type(HISTORY.plot(n_shown=2)).__name__ == "MeanRanksDisplay"
    with pytest.raises(InvalidArgumentError, match=r"got 'test'\. Did you mean 'tests'"):
        lost.plot("test")


@pytest.mark.slow
def test_processes_change_nothing():
    first, two = (leave_one_out(HISTORY, TRIED, n_jobs=n_jobs) for n_jobs in (None, 2))
    np.testing.assert_array_equal(first.losses, two.losses)
    assert first.orders == two.orders


@pytest.mark.parametrize("n_jobs", [0, 1.5, "all", True])
def test_a_wrong_number_of_processes_is_told(n_jobs):
    with pytest.raises(InvalidArgumentError, match="n_jobs must be a whole number other than 0"):
        leave_one_out(HISTORY, TRIED, n_jobs=n_jobs)

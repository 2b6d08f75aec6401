"""The elimination rule of growing rows, on results made by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestofk.data import load_data
from bestofk.evaluation import RunRecord
from bestofk.evaluation.status import MEMORY, TIMEOUT
from bestofk.measures import get_measure
from bestofk.resampling import make_plan
from bestofk.resampling.partial_training import partial_hold_outs
from bestofk.stopping import growing_rows
from bestofk.stopping.growing_rows import (
    N_PARTS,
    GrowingRows,
    SizeResult,
    forecast_seconds,
    is_out_of_reach,
    row_sizes,
)

ERROR = get_measure("error", task="classification", classes=["a", "b"])


def at(n_rows, loss, *, spread=0.0, seconds=0.0, predictions=0):
    """Return a result whose parts lie evenly around its loss, half of them above."""
    parts = loss + spread * np.where(np.arange(N_PARTS) % 2, 1, -1)
    return SizeResult(n_rows, loss, parts, seconds, predictions)


@pytest.mark.parametrize(
    ("n_train", "sizes"),
    [
        (900_000, (3_515, 14_062, 56_250, 225_000, 900_000)),
        (40_001, (2_500, 10_000, 40_001)),
        (4_000, (1_000, 4_000)),
        (3_999, (3_999,)),
        (10, (10,)),
    ],
)
def test_each_size_is_a_quarter_of_the_next(n_train, sizes):
    assert row_sizes(n_train) == sizes


@pytest.mark.parametrize(
    ("losses", "is_out"),
    [
        # two steps are to come: 0.20 - 2 x 0.05 = 0.10 reaches the leader exactly
        ([0.25, 0.20], False),
        ([0.2499, 0.20], True),  # 0.1002 is behind 0.10
        ([0.18, 0.20], True),  # it got worse: no further step helps it
        # by the mean of the last two steps, 0.06, it may reach 0.08
        ([0.32, 0.21, 0.20], False),
        ([0.24, 0.21, 0.20], True),
        ([0.20], False),  # of one size nothing is forecast
        ([np.nan, 0.20], False),
        ([0.20, np.nan], False),
    ],
)
def test_a_learner_is_out_where_equal_steps_do_not_reach_the_leader(losses, is_out):
    sizes = [1_000, 4_000] if len(losses) < 3 else [250, 1_000, 4_000]
    results = [at(n, loss) for n, loss in zip(sizes, losses, strict=False)]
    assert is_out_of_reach(results, at(results[-1].n_rows, 0.10), 64_000) == is_out


def test_noise_of_two_standard_errors_keeps_a_learner_in():
    # the forecast of no further step has the spread of the learner alone: 7 sqrt(50 / 49)
    error = 0.07 * math.sqrt(50 / 49) / math.sqrt(50)
    leader, now = at(4_000, 0.1), at(4_000, 0.13, spread=0.07)
    before = at(1_000, 0.13, spread=0.07)  # no step, and the same rows are wrong
    assert 2 * error == pytest.approx(0.02)
    assert is_out_of_reach([before, now], leader, 16_000)
    close = at(4_000, 0.1199, spread=0.07)
    assert not is_out_of_reach([at(1_000, 0.1199, spread=0.07), close], leader, 16_000)


def test_where_half_of_the_parts_have_no_value_no_learner_is_out():
    parts = np.where(np.arange(N_PARTS) < 26, np.nan, 0.3)
    results = [SizeResult(n, 0.3, parts) for n in (1_000, 4_000)]
    assert not is_out_of_reach(results, at(4_000, 0.1), 16_000)


@given(
    st.floats(0.01, 0.4), st.floats(0.01, 0.9), st.floats(0.05, 1.5), st.floats(0.0, 0.5),
    st.integers(2, 4),
)  # fmt: skip
def test_a_learner_that_follows_a_power_law_is_never_out_if_it_wins(
    final, scale, power, lead, n_known
):
    sizes = row_sizes(256_000)
    curve = [final + scale * (n / 256_000) ** -power for n in sizes]
    leader_now = curve[-1] + lead  # the learner ends at or below the leader of today
    results = [at(n, loss) for n, loss in zip(sizes[:n_known], curve, strict=False)]
    assert not is_out_of_reach(results, at(sizes[n_known - 1], leader_now), sizes[-1])


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ([2.0], 8.0),  # one size: as the rows
        ([1.0, 4.0], 16.0),
        ([1.0, 16.0], 256.0),  # as their square
        ([1.0, 2.0], 8.0),  # what the first run needs in addition does not go on
        ([1.0, 1_000.0], 64_000.0),  # at most as their cube
        ([0.0, 1.0], 4.0),
        ([1.0, math.inf], math.inf),
    ],
)
def test_seconds_are_forecast_by_the_power_of_the_last_step(seconds, expected):
    sizes = [1_000, 4_000] if len(seconds) == 2 else [4_000]
    results = [at(n, 0.1, seconds=s) for n, s in zip(sizes, seconds, strict=True)]
    assert forecast_seconds(results, 16_000) == pytest.approx(expected)


class Race(GrowingRows):
    """Growing rows whose results are given."""

    def __init__(self, losses, *, baselines=(), seconds=None, predictions=None):
        names = list(losses)
        super().__init__(names, [name in baselines for name in names], ERROR, 64_000)
        self.given, self.seconds = losses, seconds or {}
        self.predictions = predictions or {name: index for index, name in enumerate(names)}

    def step(self):
        index = self.next_size
        for k, name in enumerate(self.names):
            if self.runs[k]:
                took = self.seconds.get(name, [0.0] * 9)[index]
                result = at(
                    self.sizes[index], self.given[name][index], seconds=took,
                    predictions=self.predictions[name],
                )  # fmt: skip
                self.results[k].append(result)
        self.n_done = index + 1
        if self.n_done < len(self.sizes):
            self._eliminate_copies()
        self._eliminate_beaten()
        return [name for name, runs in zip(self.names, self.runs, strict=True) if runs]


def test_baselines_neither_lead_nor_leave():
    race = Race(
        {"zero": [0.0] * 4, "a": [0.3] * 4, "b": [0.1] * 4, "bad": [0.9] * 4},
        baselines=("zero", "bad"),
    )
    assert race.sizes == (1_000, 4_000, 16_000, 64_000)
    race.step()
    assert race.names[race.leader] == "b"
    assert race.step() == ["zero", "b", "bad"]
    assert race.next_size == 3  # a single candidate goes on to all rows at once


def test_ties_and_learners_without_score_go_on_to_all_rows():
    race = Race({"a": [0.1] * 4, "b": [0.1] * 4, "fails": [np.nan] * 4})
    for _ in range(4):
        assert race.step() == ["a", "b", "fails"]
    assert race.next_size is None
    assert race.names[race.leader] == "a"


def test_of_learners_with_the_same_predictions_twice_the_first_goes_on():
    race = Race({"a": [0.1] * 4, "b": [0.1] * 4}, predictions={"a": 7, "b": 7})
    assert race.step() == ["a", "b"]
    assert race.step() == ["a"]
    (stop,) = race.history("", 0).eliminations
    assert (stop.learner, stop.n_rows, stop.value) == ("b", 4_000, 0.1)
    assert stop.reason == "predicts the same as a"
    assert not stop.is_beaten
    assert not stop.is_open


def test_a_value_is_kept_in_the_unit_of_the_measure():
    accuracy = get_measure("accuracy", task="classification", classes=["a", "b"])
    race = Race({"a": [-0.9] * 4, "b": [-0.4] * 4})
    race.measure = accuracy
    race.step()
    race.step()
    assert [stop.value for stop in race.stops.values()] == [0.4]


def test_without_a_budget_the_slowest_of_all_stops(monkeypatch):
    monkeypatch.setattr(growing_rows, "PATIENCE_SECONDS", 30.0)
    seconds = {"a": [1.0, 4.0], "b": [2.0, 32.0], "c": [0.1, 0.4]}
    race = Race({name: [0.1] * 4 for name in seconds}, seconds=seconds)
    race.step()
    assert race.too_slow(None) == {}  # 8 s are few
    race.step()
    assert race.too_slow(None) == {"b": 512.0}  # of 16 s and 1.6 s of the others, thrice
    monkeypatch.setattr(growing_rows, "PATIENCE_SECONDS", 513.0)
    assert race.too_slow(None) == {}


def test_a_budget_stops_those_that_do_not_fit_and_ends_where_none_does():
    seconds = {"a": [1.0], "b": [5.0], "c": [9.0]}
    race = Race({name: [0.1] * 4 for name in seconds}, seconds=seconds)
    race.step()
    assert race.too_slow(10.0) == {"b": 20.0, "c": 36.0}
    assert race.too_slow(3.0) == {}  # then nothing is left to say
    assert race.is_hopeless(3.0)
    assert not race.is_hopeless(10.0)


def test_a_learner_that_ran_out_of_time_stops_and_another_one_does_not_hide_it():
    seconds = {"a": [1.0], "b": [math.inf], "c": [math.inf]}
    race = Race({"a": [0.1] * 4, "b": [np.nan] * 4, "c": [np.nan] * 4}, seconds=seconds)
    race.step()
    assert race.too_slow(None) == {"b": math.inf, "c": math.inf}
    race.stop_growing(race.too_slow(None))
    assert [stop.is_open for stop in race.stops.values()] == [True, True]
    assert race.history("", 0).reasons()["b"] == (
        "trained on 1,000 rows at most, because a run reached its limit of time or memory"
    )


def test_a_run_that_failed_has_no_loss_and_one_without_end_no_seconds():
    race = Race({"a": [0.1] * 4})
    late, greedy = (
        race._result(None, RunRecord(status, None, 1.0, np.nan), None, 1_000)
        for status in (TIMEOUT, MEMORY)
    )
    failed = race._result(None, RunRecord("error", None, 1.0, np.nan), None, 1_000)
    assert (late.seconds, greedy.seconds, failed.seconds) == (math.inf, math.inf, 1.0)
    assert math.isnan(late.loss)
    assert math.isnan(failed.loss)


def test_a_slow_learner_is_out_once_the_leader_has_left_it_behind():
    race = Race({"slow": [0.4, 0.2], "a": [0.3, 0.19, 0.11, 0.05], "b": [0.3, 0.19, 0.11, 0.05]})
    race.step()
    race.step()
    race.stop_growing({"slow": 1e6})
    assert race.stops[0].is_open
    race.step()  # 0.2 - 2 x 0.2 is below 0.11
    assert race.stops[0].is_open
    race.given["slow"] = []
    race.results[0][0] = at(1_000, 0.24)
    race.step()  # 0.2 - 2 x 0.04 is behind 0.05
    assert race.stops[0].is_beaten
    assert race.stops[0].n_rows == 4_000


def test_parts_of_a_hold_out_are_nested_stratified_and_tested_on_the_same_rows():
    data = load_data("iris")
    plan = make_plan(data, "holdout:0.2")
    small, large = partial_hold_outs(data, plan, [30, 90])
    (train, test), (more, same) = small.rows[0], large.rows[0]
    assert np.array_equal(test, same)
    assert np.array_equal(test, plan.rows[0][1])
    assert set(train) < set(more) < set(plan.rows[0][0])
    assert np.array_equal(train, np.sort(train))
    assert np.bincount(data.y[train]).tolist() == [10, 10, 10]
    assert small.title == "one hold-out, stratified, trained on 30 of 120 rows"
    assert len({small.id, large.id, plan.id}) == 3
    assert partial_hold_outs(data, plan, [30])[0].id == small.id

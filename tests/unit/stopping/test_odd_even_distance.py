import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ks_2samp
from tests.unit.stopping.given_repeats import (
    LEARNERS,
    assert_same,
    naive_distances,
    stored_repeats,
    watched,
)

from bestofk.errors import InvalidArgumentError
from bestofk.stopping import OddEvenDistance

RULE = OddEvenDistance()


def naive_stop(path: np.ndarray, threshold: float) -> int | None:
    holds = np.flatnonzero(path < threshold)
    return int(holds[0]) + 1 if len(holds) else None


def test_the_distance_of_five_scores_is_that_by_hand() -> None:
    # odd .1 .3 .5 and even .2 .4: at .1 the distributions are 1/3 and 0
    state = watched(OddEvenDistance(0.4), np.array([0.1, 0.2, 0.3, 0.4, 0.5]))
    np.testing.assert_array_equal(state.path, [np.nan, 1.0, 0.5, 0.5, 1 / 3])
    assert state.steady_at == 5


def test_a_distance_at_the_threshold_is_not_below_it() -> None:
    scores = np.empty(20)
    scores[::2], scores[1::2] = np.arange(10), np.arange(10) + 0.5
    # 1/10 after 19 and 20 of them, which plain differences like 0.3 - 0.2 fall below
    state = watched(RULE, scores)
    assert state.path[-1] == 0.1
    assert state.steady_at is None
    assert watched(OddEvenDistance(0.1 + 1e-15), scores).steady_at == 19


def test_scores_that_agree_in_twelve_digits_tie() -> None:
    state = watched(RULE, np.array([0.81 - 0.79, 0.92 - 0.90, 0.02, 0.020000001]))
    np.testing.assert_array_equal(state.path, [np.nan, 0.0, 0.0, 0.5])


@pytest.mark.parametrize("name", ["iris", "breast_cancer"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_stored_scores_give_the_distances_of_a_naive_loop(name: str, learner: str) -> None:
    values = np.round(stored_repeats(name)[learner][0], 12)
    path = naive_distances(values)
    for threshold in (0.1, 0.2, 0.5):
        rule = OddEvenDistance(threshold)
        state = watched(rule, values)
        np.testing.assert_array_equal(state.path, path)
        assert state.steady_at == naive_stop(path, threshold)
        assert_same(state, watched(rule, values, chunks=(1, 2, 7, 9)))


def test_made_up_scores_give_the_distances_of_scipy() -> None:
    for values in (np.random.default_rng(3).normal(size=80), np.arange(80.0) % 7):
        path = [
            ks_2samp(values[:r:2], values[1:r:2], method="asymp").statistic for r in range(6, 81)
        ]
        np.testing.assert_allclose(watched(RULE, values).path[5:], path, rtol=0, atol=1e-12)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.integers(-3, 3) | st.integers(-1000, 1000), min_size=1, max_size=25),
    st.lists(st.integers(0, 25), max_size=3),
    st.sampled_from([0.1, 0.2, 0.25, 0.5]),
)
def test_ties_constants_and_chunks(numbers: list[int], ends: list[int], threshold: float) -> None:
    values = np.array(numbers) / 8
    rule, path = OddEvenDistance(threshold), naive_distances(values)
    state = watched(rule, values)
    np.testing.assert_array_equal(state.path, path)
    assert state.steady_at == naive_stop(path, threshold)
    chunks = tuple(sorted(min(end, len(values)) for end in ends))
    assert_same(state, watched(rule, values, chunks=chunks))


def test_two_equal_scores_end_it_with_a_note() -> None:
    state = RULE.start()
    state.add([0.3])
    assert (state.steady_at, state.note) == (None, "")
    state.add([0.3])
    assert state.steady_at == 2
    assert "first two repeats are equal" in state.note


def test_a_missing_score_ends_the_watch_with_a_note() -> None:
    state = watched(RULE, np.array([0.1, 0.2, np.nan, 0.2, 0.2]), chunks=(4,))
    np.testing.assert_array_equal(state.path, [np.nan, 1.0, *[np.nan] * 3])
    assert state.steady_at is None
    expected = "Scores of repeat 3 are missing, so the rule cannot hold from there on."
    assert state.note == expected


@pytest.mark.parametrize(("threshold", "n_expected", "error"), [(0.2, 48, 3), (0.1, 203, 12)])
def test_distinct_scores_need_as_many_repeats_as_were_published(threshold, n_expected, error):
    # 47.9 and 207.7 are the means of Table III (a) of the paper
    rng, stops = np.random.default_rng(4), []
    for _ in range(200):
        state = OddEvenDistance(threshold).start()
        while state.steady_at is None:
            state.add(rng.normal(size=20))
        stops.append(state.steady_at)
    assert abs(np.mean(stops) - n_expected) < 3 * error


@pytest.mark.parametrize("threshold", [0, 1, "low"])
def test_a_threshold_outside_its_range_is_refused(threshold: object) -> None:
    with pytest.raises(InvalidArgumentError, match="threshold of odd-even must be"):
        OddEvenDistance(threshold)  # type: ignore[arg-type]


def test_its_title_shows_the_threshold() -> None:
    assert OddEvenDistance(0.2).title.endswith("repeats below 0.2")

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr
from tests.unit.stopping.given_repeats import (
    LEARNERS,
    assert_same,
    naive_correlations,
    stored_repeats,
    two_classes,
    watched,
)

from bestofk.errors import InvalidArgumentError
from bestofk.stopping import RankCorrelation, RuleState

RULE = RankCorrelation()
ROUNDING = 1e-12


def watch_means(means: np.ndarray, rule: RankCorrelation = RULE, **options: object) -> RuleState:
    return watched(rule, np.zeros(len(means)), means, **options)


def assert_naive(
    state: RuleState, path: np.ndarray, threshold: float, constant: bool = False
) -> None:
    np.testing.assert_allclose(state.path, path, rtol=0, atol=ROUNDING)
    if not constant and not np.any(np.abs(path - threshold) < ROUNDING):
        holds = np.flatnonzero(path >= threshold)
        assert state.steady_at == (holds[0] + 1 if len(holds) else None)


def test_the_correlation_of_four_rows_is_that_by_hand() -> None:
    second = np.array([[0.1, 0.2, 0.3, 0.4], [0.4, 0.2, 0.3, 0.4]])
    # means after two: .25, .2, .3, .4, ranks 2 1 3 4; before 1 2 3 4: 1 - 6 * 2 / (4 * 15)
    state = watch_means(two_classes(second), RankCorrelation(0.8))
    np.testing.assert_allclose(state.path, [np.nan, 0.8], rtol=1e-15)
    assert watch_means(two_classes(second), RankCorrelation(0.81)).steady_at is None
    assert watch_means(two_classes(second), RankCorrelation(0.79)).steady_at == 2


def test_sums_in_another_order_tie() -> None:
    second = np.array([[0.1, 0.3, 0.9], [0.2, 0.2, 0.9], [0.3, 0.1, 0.9]])
    assert 0.1 + 0.2 + 0.3 != 0.3 + 0.2 + 0.1
    # ranks before 1 2 3, then 1.5 1.5 3
    np.testing.assert_allclose(watch_means(two_classes(second)).path[2], np.sqrt(0.75), rtol=1e-15)


def test_the_same_order_gives_exactly_one() -> None:
    second = np.tile(np.random.default_rng(0).random(997), (3, 1))
    assert watch_means(two_classes(second)).path[1:].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("name", ["iris", "breast_cancer"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_stored_probabilities_give_the_correlations_of_a_naive_loop(name, learner):
    values, means = stored_repeats(name)[learner]
    for threshold in (1 - 1e-4, 0.999, 0.99):
        state = watched(RankCorrelation(threshold), values, means)
        assert_naive(state, naive_correlations(means), threshold)
    assert_same(state, watched(RankCorrelation(threshold), values, means, chunks=(1, 2, 7, 9)))


def test_made_up_probabilities_give_the_correlations_of_scipy() -> None:
    rng = np.random.default_rng(1)
    second = np.clip(rng.random(300) + rng.normal(0, 0.2, (60, 300)), 0, 1)
    totals = [np.round(second[: r + 1].sum(axis=0) / (r + 1), 12) for r in range(60)]
    scipy_path = [np.nan, *(spearmanr(totals[r - 1], totals[r])[0] for r in range(1, 60))]
    assert_naive(watch_means(two_classes(second)), np.array(scipy_path), RULE.threshold)


@st.composite
def tables(draw: st.DrawFn) -> np.ndarray:
    n_repeats, n_rows, n_classes = draw(st.tuples(*(st.integers(1, top) for top in (8, 60, 4))))
    levels = draw(st.sampled_from([1, 2, 3, 10, 10_000]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shares = rng.integers(0, levels, (n_repeats, n_rows, n_classes)) + draw(st.sampled_from([0, 1]))
    total = shares.sum(axis=2, keepdims=True)
    return np.where(total > 0, shares / np.maximum(total, 1), 1 / n_classes)


@settings(max_examples=150, deadline=None)
@given(tables(), st.sampled_from([0.9, 0.99, 1 - 1e-4]), st.data())
def test_ties_constants_few_rows_many_classes_and_chunks(means, threshold, data):
    rule = RankCorrelation(threshold)
    state, path = watch_means(means, rule), naive_correlations(means)
    assert_naive(state, path, threshold, constant=bool(np.isnan(path[1:]).any()))
    ends = data.draw(st.lists(st.integers(0, len(means)), max_size=3))
    assert_same(state, watch_means(means, rule, chunks=tuple(sorted(ends))))


def test_constant_probabilities_are_steady_with_a_note() -> None:
    state = watch_means(np.full((3, 10, 2), 0.5))
    assert state.steady_at == 2
    assert np.isnan(state.path).all()
    assert "undefined" in state.note
    assert watch_means(np.full((1, 10, 2), 0.5)).steady_at is None
    one_row = watch_means(two_classes(np.array([[0.2], [0.9]])))
    assert one_row.steady_at == 2


def test_probabilities_that_are_constant_only_at_first_are_not_steady() -> None:
    second = np.array([[0.5, 0.5, 0.5], [0.1, 0.5, 0.9], [0.1, 0.5, 0.9]])
    state = watch_means(two_classes(second))
    np.testing.assert_array_equal(state.path, [np.nan, np.nan, 1.0])
    assert (state.steady_at, state.note) == (3, "")


def test_later_repeats_do_not_change_when_it_was_steady() -> None:
    rising = np.linspace(0, 1, 50)
    state = watch_means(two_classes(np.array([rising, rising, rising[::-1], rising[::-1]])))
    assert state.steady_at == 2
    assert state.path[2] == 1.0
    assert np.isnan(state.path[3])


@pytest.mark.parametrize("missing", ["one row", "all"])
def test_missing_probabilities_end_the_watch_with_a_note(missing: str) -> None:
    means = two_classes(np.tile([0.1, 0.5, 0.9], (4, 1)))
    state = RULE.start()
    state.add([0.5], means[:1])
    means[2, 1] = np.nan
    state.add(np.zeros(3), means[1:] if missing == "one row" else None)
    state.add(np.zeros(1), means[:1])
    assert state.steady_at == (2 if missing == "one row" else None)
    assert np.isnan(state.path[2 if missing == "one row" else 1 :]).all()
    repeat = 3 if missing == "one row" else 2
    assert state.note == (
        f"Class probabilities of repeat {repeat} are missing, so the rule cannot hold from there "
        "on."
    )


def test_notes_do_not_depend_on_chunks() -> None:
    means = np.full((4, 3, 2), 0.5)
    means[3] = np.nan
    state = watch_means(means)
    assert state.note.startswith("All rows")
    assert "of repeat 4 are missing" in state.note
    assert_same(state, watch_means(means, chunks=(1, 2, 3)))


def test_rounding_at_the_ends_of_probability_is_allowed() -> None:
    means = two_classes(np.array([[-1e-17, 1 + 1e-12, 0.5]] * 2))
    assert watch_means(means).path[1] == 1.0


def test_what_is_no_probability_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="must be probabilities, from 0 to 1; got from"):
        watch_means(np.full((2, 3, 2), 7.0))
    state = watch_means(np.full((2, 3, 2), 0.5))
    with pytest.raises(InvalidArgumentError, match=r"the same rows and classes .*\(3, 2\); got"):
        state.add(np.zeros(1), np.full((1, 4, 2), 0.5))


@pytest.mark.parametrize("threshold", [0, 1, -0.1, "high", np.nan])
def test_a_threshold_outside_its_range_is_refused(threshold: object) -> None:
    with pytest.raises(InvalidArgumentError, match="threshold of rank-correlation must be"):
        RankCorrelation(threshold)  # type: ignore[arg-type]


def test_its_title_shows_the_threshold() -> None:
    assert RULE.title.endswith("of at least 0.9999")


def test_the_correlation_of_noise_approaches_one_by_construction() -> None:
    # Pearson sqrt((r - 1) / r), which falls short of 1 by 1 / (2 r); Spearman 6 / pi asin(half)
    rng = np.random.default_rng(2)
    path = watch_means(two_classes(rng.random((200, 2_000)))).path[49:]
    np.testing.assert_allclose((1 - path) * np.arange(50, 201), 0.55, rtol=0.15)


def test_noise_and_true_differences_of_rows_tell_when_it_stops() -> None:
    # 1 - 0.55 w / r^2 with w = 1 reaches 1 - 1e-3 at 23.5
    rng = np.random.default_rng(3)
    second = 0.5 + 0.08 * (rng.normal(size=2_000) + rng.normal(size=(60, 2_000)))
    means = two_classes(np.clip(second, 0, 1))
    assert watch_means(means, RankCorrelation(0.999)).steady_at == pytest.approx(23.5, abs=2)

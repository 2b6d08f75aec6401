"""The race against Student's t, a naive loop, ties and constant scores."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bestofk.stopping.adaptive_repeats import analyse_race


def look(losses, runs=None, can_win=None, *, level=0.01, **options):
    """Analyse a race in which everybody runs and can win unless told otherwise."""
    everybody = np.ones(len(losses), dtype=bool)
    runs, can_win = (everybody if given is None else given for given in (runs, can_win))
    return analyse_race(losses, runs, can_win, level=level, **options)


def test_a_learner_far_behind_is_out_and_the_leader_is_not():
    losses = np.array([[0.10, 0.12, 0.11, 0.11], [0.31, 0.29, 0.30, 0.32]])
    race = look(losses)
    assert (race.leader, race.is_out.tolist()) == (0, [False, True])
    assert race.behind.tolist() == pytest.approx([0, 0.195])


def test_p_values_are_those_of_the_paired_t_test_over_repeats():
    rng = np.random.default_rng(0)
    losses = rng.normal([[0.2], [0.22], [0.21]], 0.01, size=(3, 12))
    race = look(losses)
    for rival in {0, 1, 2} - {race.leader}:
        wanted = stats.ttest_rel(losses[rival], losses[race.leader], alternative="greater")
        assert race.p_values[rival] == pytest.approx(wanted.pvalue, rel=1e-10)


def test_a_baseline_does_not_lead_but_can_be_out():
    losses = np.array([[0.1] * 4, [0.3, 0.31, 0.29, 0.3], [0.5, 0.52, 0.5, 0.51]])
    can_win = np.array([False, True, True])
    race = look(losses, can_win=can_win)
    assert (race.leader, race.is_out.tolist()) == (1, [False, False, True])


def test_learners_that_have_left_are_not_looked_at():
    losses = np.array([[0.1, 0.1, 0.11], [0.3, 0.31, 0.29], [0.05, np.nan, np.nan]])
    runs = np.array([True, True, False])
    race = look(losses, runs, level=0.05)
    assert race.leader == 0
    assert np.isnan(race.p_values[2])


def test_differences_that_never_vary_decide_nothing_by_their_signs():
    losses = np.full((2, 12), 0.25)
    losses[1] = 0.3
    race = look(losses)
    assert race.is_out.tolist() == [False, False]
    assert race.p_values[1] == 1


def test_differences_that_never_vary_are_taken_to_vary_by_one_row():
    losses = np.full((2, 5), 0.25)
    losses[1] = 0.26
    for n_rows, is_out in ((1000, True), (100, False)):
        race = look(losses, level=0.001, row_step=1 / n_rows)
        assert race.is_out.tolist() == [False, is_out]
        one_row = losses[1] - losses[0] + [0, 0, 0, 0, 1 / n_rows]
        t = 0.01 / stats.sem(one_row)
        assert race.p_values[1] == pytest.approx(stats.t.sf(t, 4), rel=1e-6)


def test_of_learners_with_the_same_scores_the_first_stays_once_that_is_no_accident():
    few, many = np.full((2, 4), 0.25), np.full((2, 12), 0.25)
    looks = [look(few), look(many)]
    assert [race.is_out.tolist() for race in looks] == [[False, False], [False, True]]
    assert [race.is_settled.tolist() for race in looks] == [[True, False], [True, True]]
    assert not looks[1].is_behind.any()


def tied(first, second, noise=1e-4):
    rng = np.random.default_rng(1)
    return 0.2 + np.array([[first], [second]]) + rng.normal(0, noise, size=(2, 20))


def test_one_listed_after_the_leader_is_out_when_it_is_surely_not_ahead_by_more_than_a_tie():
    losses = tied(0.0, 0.001)
    for level, is_sure in ((1e-40, False), (1e-4, True)):
        race = look(losses, level=level, indifference=0.0025)
        assert (race.leader, race.pick) == (0, 0)
        assert race.is_out.tolist() == [False, is_sure]


def test_one_listed_before_the_leader_is_the_pick_while_it_is_tied():
    losses = tied(0.001, 0.0)
    race = look(losses, level=1e-4, indifference=0.0025)
    assert (race.leader, race.pick) == (1, 0)
    assert not race.is_out.any()
    assert race.is_behind.tolist() == [True, False]
    assert race.is_settled.tolist() == [True, True]


def test_one_listed_before_the_leader_is_out_when_it_is_surely_behind_by_more_than_a_tie():
    losses = tied(0.004, 0.0)
    for tie, out in ((0.0025, [True, False]), (0.00399, [False, False])):
        race = look(losses, level=1e-4, indifference=tie)
        assert (race.leader, race.is_out.tolist()) == (1, out)


def test_a_difference_of_exactly_a_tie_is_one():
    losses = np.array([[0.255] * 12, [0.25] * 12])
    race = look(losses, indifference=0.005)
    assert (race.leader, race.pick) == (1, 0)
    assert not race.is_out.any()


def test_without_a_whole_repeat_there_is_no_look():
    losses = np.array([[np.nan, 0.1], [0.2, np.nan]])
    assert look(losses, level=0.05) is None


def test_repeats_that_one_learner_lacks_count_for_none():
    losses = np.array([[0.1, 0.1, 0.12, 0.1], [0.3, np.nan, 0.3, 0.29]])
    race = look(losses, level=0.05)
    assert race.behind[1] == pytest.approx(np.mean([0.2, 0.18, 0.19]))


@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 5),
    st.integers(2, 8),
    st.integers(0, 2**31),
    st.sampled_from([1e-6, 0.01, 0.2]),
    st.booleans(),
)
def test_looks_equal_a_naive_loop(n_learners, n_repeats, seed, level, is_coarse):
    rng = np.random.default_rng(seed)
    losses = rng.uniform(size=(n_learners, n_repeats))
    if is_coarse:
        losses = np.round(losses, 1)
    can_win = rng.uniform(size=n_learners) < 0.7
    can_win[rng.integers(n_learners)] = True
    tie = 0.05
    race = look(losses, can_win=can_win, level=level, indifference=tie)
    winners = [i for i in range(n_learners) if can_win[i]]
    leader = min(winners, key=lambda i: (round(losses[i].mean(), 12), i))
    pick = min(i for i in winners if losses[i].mean() <= losses[leader].mean() + tie + 1e-12)
    assert (race.leader, race.pick) == (leader, pick)
    for rival in range(n_learners):
        if rival != leader:
            p, low = p_and_low(losses[rival] - losses[leader], level)
            assert race.p_values[rival] == pytest.approx(p, abs=1e-9)
            assert race.is_behind[rival] == (p <= level)
            is_before = can_win[rival] and rival < leader
            is_out = low > tie + 1e-9 if is_before else low >= -tie - 1e-9
            assert race.is_out[rival] == is_out
        if rival == pick:
            assert race.is_settled[rival]
        elif rival > pick:
            assert race.is_settled[rival] == (
                p_and_low(losses[rival] - losses[pick], level)[1] >= -tie - 1e-9
            )
        else:
            assert race.is_settled[rival] == race.is_out[rival]


def p_and_low(differences, level):
    """Return the p value of not being behind, and the lower bound of being behind."""
    n_repeats, mean = len(differences), differences.mean()
    if np.ptp(differences) < 1e-12:
        mean = 0 if abs(mean) < 1e-12 else mean
        return 1.0, -np.inf if mean or 0.5**n_repeats > level else mean
    p = stats.ttest_1samp(differences, 0, alternative="greater").pvalue
    return p, stats.t.interval(1 - 2 * level, n_repeats - 1, mean, stats.sem(differences))[0]


def tied_race(gap, spread, **options):
    """Return the analysis of 8 repeats in which the second of two is ahead by `gap`."""
    noise = spread * np.array([1, -1, 1, -1, 1, -1, 1, -1]) * (7 / 8) ** 0.5  # its own spread
    losses = np.vstack([0.1 + gap + noise, np.full(8, 0.1)])
    options = {"level": 0.00625, "indifference": 0.005, "max_repeats": 20, **options}
    return look(losses, **options)


@pytest.mark.parametrize(
    ("gap", "spread", "options", "is_tied"),
    [
        # bounds of the gap after 20 repeats: +- 2.76 x 0.0029 / 20**0.5 = 0.0018
        (0.0057, 0.0029, {}, True),
        (0.0069, 0.0029, {}, False),
        (0.0057, 0.0029, {"max_repeats": 200}, False),
        (0.0057, 0.0029, {"indifference": 0.0}, False),
        # the pick may be behind by more than a tie: 0.0057 - 3.32 x 0.01 / 8**0.5 = -0.006
        (0.0057, 0.01, {}, False),
        # the first is picked, and may not surely be: nothing says that it is not behind by more
        (0.0045, 0.0029, {}, False),
    ],
)
def test_a_tie_that_repeats_would_not_settle_is_one_if_the_pick_loses_nothing(
    gap, spread, options, is_tied
):
    race = tied_race(gap, spread, **options)
    assert race.is_tied == is_tied
    assert race.pick == int(gap > options.get("indifference", 0.005))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(3, 12), st.floats(0.001, 0.02))
def test_ties_are_those_of_a_plain_recount(seed, n_learners, n_repeats, spread):
    rng = np.random.default_rng(seed)
    means = 0.1 + rng.uniform(0, 0.012, size=n_learners)
    losses = rng.normal(means[:, None], spread, size=(n_learners, n_repeats))
    level, tie, last = 0.01, 0.005, 20

    def bound(first, second, n):
        differences = losses[first] - losses[second]
        error = differences.std(ddof=1) / n**0.5
        return differences.mean() - stats.t(n - 1).ppf(1 - level) * error

    race = look(losses, level=level, indifference=tie, max_repeats=last)
    doubtful = [index for index in range(n_learners) if not race.is_settled[index]]
    is_harmless = all(bound(index, race.pick, n_repeats) >= -tie for index in doubtful)
    stays_open = [index < race.leader and bound(index, race.leader, last) <= tie
                  for index in doubtful]  # fmt: skip
    assert race.is_tied == (is_harmless and any(stays_open))

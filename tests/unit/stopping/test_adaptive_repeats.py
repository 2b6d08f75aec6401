"""Adaptive repetition: eliminations after interim analyses, and the end of a comparison."""

import numpy as np
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.measures import get_measure
from bestofk.stopping import FixedRepeats, stopping_rule
from bestofk.stopping.adaptive_repeats import MAX_REPEATS, AdaptiveRepeats, interim_repeats

ERROR = get_measure("error", task="classification", classes=["a", "b"])


class Plan:
    """As much of a plan as is asked for: 100 rows train and 25 test in every fold."""

    scheme = "k-fold"
    sizes = np.array([100]), np.array([25])


class Part:
    """As much of an evaluation as an interim analysis asks for."""

    def __init__(self, values, n_folds):
        self._values = values
        self.status = np.where(np.isnan(values), "missing", "ok")
        self.plan = Plan()
        self.plan.n_repeats, self.plan.n_folds = values.shape[1] // n_folds, n_folds

    def measured(self, measure):
        return type("Scores", (), {"values": self._values})

    def repeat_probabilities(self, learner):
        return None


def run(values, n_folds=5, n_baselines=0, **options):
    """Run every interim analysis as a runner does; runs of eliminated learners are left out."""
    n_learners = len(values)
    names = [f"learner {i}" for i in range(n_learners)]
    is_baseline = [i >= n_learners - n_baselines for i in range(n_learners)]
    adaptive = AdaptiveRepeats(names, is_baseline, ERROR, **options)
    goes_on, start = [True] * n_learners, 0
    for look in adaptive.looks:
        part = np.where(
            np.array(goes_on)[:, None], values[:, start * n_folds : look * n_folds], np.nan
        )
        goes_on = adaptive.analyse(Part(part, n_folds))
        start = look
        if not any(goes_on):
            break
    return adaptive.stopping_history()


def scores(means, spread=0.02, n_splits=100, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(np.array(means)[:, None], spread, size=(len(means), n_splits))


def test_looks_grow_and_end_at_the_most_repeats():
    assert interim_repeats(MAX_REPEATS) == (5, 8, 13, 20)
    assert interim_repeats(50) == (5, 8, 13, 21, 34, 50)
    assert interim_repeats(3) == (3,)
    assert interim_repeats(1) == (1,)
    assert interim_repeats(9) == (5, 9)
    for most in range(1, 200):
        looks = interim_repeats(most)
        assert looks[-1] == most
        assert list(looks) == sorted(set(looks))


def test_it_ends_at_the_first_look_where_one_learner_is_far_ahead():
    stopping_history = run(scores([0.1, 0.3, 0.5]))
    assert stopping_history.n_repeats == 5
    assert stopping_history.is_settled
    assert [elimination.learner for elimination in stopping_history.eliminations] == [
        "learner 1",
        "learner 2",
    ]


def test_lost_runs_end_it_without_a_decision():
    names = ["a", "b", "c"]
    adaptive = AdaptiveRepeats(names, [False] * 3, ERROR)
    part = Part(scores([0.1, 0.3, 0.5], n_splits=25), 5)
    part.status[1, 7] = "lost"
    assert adaptive.analyse(part) == [False] * 3
    history = adaptive.stopping_history()
    assert (history.n_repeats, history.is_settled, history.eliminations) == (5, False, ())
    assert history.ending == "runs were lost"


def test_runs_of_eliminated_learners_are_not_waited_for():
    adaptive = AdaptiveRepeats(["a", "b", "c"], [False] * 3, ERROR)
    values = scores([0.2, 0.208, 0.5], n_splits=40)
    assert adaptive.analyse(Part(values[:, :25], 5)) == [True, True, False]
    part = Part(values[:, 25:], 5)
    part.status[2] = "lost"
    adaptive.analyse(part)
    assert adaptive.ending != "runs were lost"


def test_learners_close_to_each_other_go_on_while_the_others_leave():
    stopping_history = run(scores([0.2, 0.208, 0.5]))
    assert stopping_history.n_repeats > 5
    assert stopping_history.eliminations[0].learner == "learner 2"
    assert stopping_history.eliminations[0].n_repeats == 5


def test_who_is_out_stays_while_its_evidence_is_open():
    """Open is what is near the critical value, 1.96 of endless scores; the pick is settled."""
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 0.01, size=100)
    # the same in every repeat: the race sees little of it
    folds = np.tile([0.05, 0.025, 0.0, -0.025, -0.05], 20)
    spread = (noise + folds).std()
    values = np.vstack([np.full(100, 0.2), 0.2 + folds + noise])
    n_repeats = {}
    for wanted in (1.0, 2.1, 4.0):  # the statistic with endless repeats
        shifted = values.copy()
        shifted[1] += wanted * spread * 0.25**0.5
        stopping_history = run(shifted)
        assert stopping_history.is_settled
        n_repeats[wanted] = stopping_history.n_repeats
    assert n_repeats == {1.0: 5, 2.1: 20, 4.0: 5}


def test_the_most_repeats_end_it_unsettled():
    stopping_history = run(scores([0.2, 0.2], spread=0.05), max_repeats=20)
    assert (stopping_history.n_repeats, stopping_history.is_settled) == (20, False)


@pytest.mark.parametrize("behind", [0.0, 0.0001, -0.0001])
def test_a_tie_settles_it_and_who_is_listed_first_stays(behind):
    values = scores([0.2, 0.2 + behind], spread=0.002)
    assert not run(values, max_repeats=8, rope=0.0).is_settled
    stopping_history = run(values, rope=0.02)
    assert stopping_history.is_settled
    assert "learner 0" not in [elimination.learner for elimination in stopping_history.eliminations]


def test_who_is_surely_tied_and_listed_later_leaves():
    stopping_history = run(scores([0.2, 0.2001, 0.21], spread=0.002), rope=0.02)
    reasons = {
        elimination.learner: elimination.reason for elimination in stopping_history.eliminations
    }
    assert reasons == {
        "learner 1": "learner 0, listed before, stays ahead or tied in the long run",
        "learner 2": "learner 0 stays ahead in the long run",
    }


def test_a_gap_of_about_a_tie_ends_it_where_the_pick_surely_loses_nothing():
    values = scores([0.2058, 0.2, 0.4], spread=0.003)
    ended = run(values, rope=0.01)
    assert (ended.n_repeats, ended.is_settled) == (5, True)
    assert ended.ending.startswith("no other learner is better by more than a tie")
    assert [elimination.learner for elimination in ended.eliminations] == ["learner 2"]
    # a wider gap, and the same gap in a comparison where nothing is tied
    for settled in (scores([0.21, 0.2, 0.4], spread=0.003), values):
        assert run(settled, rope=0.01 if settled is not values else 0).ending == (
            "the pick is settled"
        )


@pytest.mark.parametrize("means", [[0.2, 0.2052], [0.2052, 0.2], [0.2, 0.206, 0.206], [0.2] * 3])
def test_a_tie_hardly_ever_ends_with_a_pick_that_matters(means):
    n_bad, n_runs = 0, 250
    for seed in range(n_runs):
        values = scores(means, spread=0.006, seed=seed)
        ended = run(values, rope=0.01)
        repeated = values[:, : 5 * ended.n_repeats].mean(axis=1)
        pick = int(np.flatnonzero(repeated <= repeated.min() + 0.005)[0])
        n_bad += ended.is_settled and means[pick] > min(means) + 0.005
    assert n_bad / n_runs <= 0.05 + 2 * (0.05 * 0.95 / n_runs) ** 0.5


def test_a_baseline_that_stays_close_does_not_keep_it_going():
    stopping_history = run(scores([0.2, 0.4, 0.2]), n_baselines=1)
    assert stopping_history.n_repeats == 5
    assert stopping_history.is_settled


def test_a_learner_without_scores_leaves_at_once():
    values = scores([0.2, 0.3, 0.1])
    values[2] = np.nan
    stopping_history = run(values)
    assert stopping_history.eliminations[0].learner == "learner 2"
    assert "no score" in stopping_history.eliminations[0].reason
    assert stopping_history.is_settled


def test_a_failed_run_costs_its_repeat_alone():
    values = scores([0.2, 0.3, 0.5])
    values[1, 4] = np.nan
    stopping_history = run(values)
    assert stopping_history.is_settled
    assert len(stopping_history.eliminations) == 2


def test_where_nobody_has_a_score_it_ends_without_a_settled_pick():
    stopping_history = run(np.full((2, 100), np.nan))
    assert (stopping_history.n_repeats, stopping_history.is_settled) == (5, False)


def test_the_same_scores_do_not_end_it_before_that_is_no_accident():
    values = scores([0.2])
    stopping_history = run(np.vstack([values, values]))
    assert stopping_history.is_settled
    assert 8 <= stopping_history.n_repeats <= 13


@pytest.mark.parametrize("behind", [[0], [0, 0, 0], [0, 0.02, 0.02, 0.03], [0.004] * 4])
def test_the_best_of_the_long_run_hardly_ever_leaves(behind):
    """The error of the race over looks and learners; 3 to 4 % in long simulations."""
    left, n_runs = 0, 250
    for seed in range(n_runs):
        stopping_history = run(scores([0.2, *(0.2 + d for d in behind)], seed=seed))
        left += any(
            elimination.learner == "learner 0" for elimination in stopping_history.eliminations
        )
    assert left / n_runs <= 0.05 + 2 * (0.05 * 0.95 / n_runs) ** 0.5


def test_a_rule_of_one_learner_does_not_look_at_the_others():
    rule = FixedRepeats(7)
    alone = run(scores([0.2]), rules=[rule])
    beside = run(scores([0.2, 0.5]), rules=[rule])
    assert (alone.n_repeats, beside.n_repeats) == (7, 7)
    assert alone.is_settled
    assert beside.is_settled


def test_learners_leave_when_their_own_rule_holds():
    values = np.vstack([np.full(100, 0.25), scores([0.3], spread=0.1)[0]])
    stopping_history = run(values, rules=[stopping_rule("odd-even", threshold=0.3)])
    assert stopping_history.eliminations[0].learner == "learner 0"
    assert stopping_history.eliminations[0].n_repeats == 2


def test_splits_asked_for_are_those_before_a_learner_left():
    stopping_history = run(scores([0.2, 0.208, 0.5]))
    names = ["learner 0", "learner 1", "learner 2"]
    assert stopping_history.splits_asked_for(names, 90)[0] == 90
    assert stopping_history.splits_asked_for(names, 90)[2] == 25
    assert stopping_history.splits_asked_for(names, 6) == [6, 6, 6]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"max_repeats": 0}, "max_repeats must be"),
        ({"budget": "10m"}, "budget must be"),
        ({"stopping": []}, "stopping must name"),
        ({"stopping": 5}, "stopping rule must be"),
        ({"cv": "5x2", "max_repeats": 5}, "cv must be 'adaptive'"),
        ({"cv": "5x2", "stopping": "odd-even"}, "cv must be 'adaptive'"),
        ({"budget": 0}, "budget must be"),
    ],
)
def test_bad_input_gets_a_sentence(options, text):
    from bestofk import compare

    with pytest.raises(InvalidArgumentError, match=text):
        compare(["majority", "nearest-mean"], "iris", progress=False, **options)

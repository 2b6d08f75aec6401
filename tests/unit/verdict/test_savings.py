"""Clearly cheaper learners: what their runs show, and where they show nothing."""

import numpy as np
import pytest

from bestofk.verdict.preference import savings

NAN = float("nan")


def runs(train, predict=0.001, n=5):
    """Return so many equal runs, or the seconds given."""
    return np.column_stack(np.broadcast_arrays(np.ones(n) * train, predict)).astype(float)


def test_less_than_half_is_cheaper_and_half_is_not():
    assert savings(runs(0.999, 0.0), runs(2.0, 0.0)) == ("training",)
    assert savings(runs(1.0, 0.0), runs(2.0, 0.0)) == ()


def test_a_learner_that_saves_in_training_what_it_loses_in_predicting_is_not_cheaper():
    assert savings(runs(0.0018, 1.0), runs(0.0087, 0.001)) == ()


@pytest.mark.parametrize(
    ("one", "uses"),
    [
        (runs(1.0, 0.9), ("training",)),
        (runs(9.0, 0.01), ()),  # little of the whole
        (runs(1.0, 0.01), ("training", "predicting")),
    ],
)
def test_what_is_cheaper_is_named(one, uses):
    assert savings(one, runs(10.0, 1.0)) == uses


def test_single_slow_runs_are_outside_the_middle_but_spread_is_not():
    steady, usual = runs(np.r_[np.ones(19), 50.0], n=20), runs(5.0, n=20)
    assert savings(steady, usual) == ("training",)
    scattered = runs(np.linspace(1.0, 4.0, 20), n=20)
    assert savings(scattered, usual) == ()


@pytest.mark.parametrize("n", [1, 4])
def test_few_runs_may_be_off_by_a_factor_of_three_either_way(n):
    assert savings(runs(1.0, 0.0, n=n), runs(18.1, 0.0, n=n)) == ("training",)
    assert savings(runs(1.0, 0.0, n=n), runs(17.9, 0.0, n=n)) == ()


def test_parts_that_vary_against_each_other_are_named_together():
    turns = np.tile([0.1, 0.9], 3)
    assert savings(runs(turns, turns[::-1], n=6), runs(1.1, 1.1, n=6)) == (
        "training", "predicting",
    )  # fmt: skip


def test_unknown_seconds_show_nothing():
    known = runs(9.0)
    assert savings(np.empty((0, 2)), known) == ()
    assert savings(known / 100, np.full((5, 2), NAN)) == ()
    partly = np.vstack([known / 100, [[NAN, NAN]]])
    assert savings(partly, known) == ("training", "predicting")

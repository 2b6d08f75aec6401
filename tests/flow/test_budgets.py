"""Budgets count from the call, end what is in progress, and leave time for one run at least.

No test depends on how fast the machine is: budgets were spent before, or end what never ends.
"""

import time

import pytest
from sklearn.svm import SVC

from bestofk import compare, recommend
from bestofk.cli import main
from bestofk.evaluation.options import counted_time, deadline_of

QUICK = ["logistic", "nearest-mean", "majority"]


@pytest.fixture
def spent():
    """Let the call have begun long ago."""
    with counted_time(time.monotonic() - 1000.0):
        yield


class Endless(SVC):
    """Trains until it is ended."""

    def fit(self, X, y, sample_weight=None):
        while True:
            time.sleep(0.01)


def test_a_budget_counts_from_the_beginning_of_the_outermost_call():
    with counted_time(5.0), counted_time(7.0):
        assert deadline_of(10.0) == 15.0
    assert deadline_of(None) == float("inf")
    assert deadline_of(10.0) > time.monotonic()


@pytest.mark.usefixtures("spent")
def test_one_run_is_done_although_reading_took_the_whole_budget():
    result = compare(QUICK, "iris", cv="2x5", budget=60.0, batched="never")
    assert result.evaluation.n_fitted == 1
    assert result.evaluation.is_out_of_time
    assert "The budget of time is spent: 29 of 30 runs were not done." in str(result.warnings)


def test_a_guarded_run_in_progress_is_ended_with_the_budget():
    learners = ["nearest-mean", ("endless", Endless())]
    result = compare(learners, "iris", cv="1x5", budget=5.0, batched="never")
    assert result.evaluation.is_out_of_time
    assert result.evaluation.status[0][0] == "ok"
    assert result.evaluation.status[1].tolist() == ["missing"] * 5


def test_a_run_of_this_process_is_given_up_with_the_budget(in_this_process):
    learners = ["nearest-mean", ("endless", Endless())]
    result = compare(learners, "iris", cv="1x5", budget=5.0, batched="never")
    assert result.evaluation.is_out_of_time
    assert result.evaluation.status[1].tolist() == ["missing"] * 5


@pytest.mark.usefixtures("spent")
def test_the_quickest_learner_is_tried_however_little_time_is_left():
    recommendation = recommend("iris", learners=["logistic", "nearest-mean"], budget=60.0)
    assert [item.learner for item in recommendation.tried] == ["nearest-mean"]
    assert recommendation.tried[0].n_folds > 0
    assert recommendation.untried == (("logistic", "the budget is spent"),)


@pytest.mark.parametrize("command", ["compare", "recommend"])
def test_a_budget_without_a_unit_is_refused(command, capsys):
    assert main([command, "iris", "--budget", "30"]) == 2
    assert capsys.readouterr().err == (
        "bestofk: --budget must have a unit; got '30'. Write 30s, 30m or 2h.\n"
    )

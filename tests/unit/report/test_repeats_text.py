"""Sentences on repeats and eliminations."""

from __future__ import annotations

from tests.unit.report.given_findings import MEANS

from bestofk.report.sentences.details import repeats_details
from bestofk.stopping.history import Elimination, RowElimination, RowsHistory, StoppingHistory


def raced(*eliminations, is_settled=True, n_repeats=3, max_repeats=50):
    return StoppingHistory(
        n_repeats, max_repeats, 2, (2, 3), eliminations, "the pick is settled", is_settled, 0.05
    )


def details(findings):
    return [text for text in repeats_details(findings) if text]


def test_a_plan_that_is_not_adaptive_has_the_number_of_runs(make):
    assert details(make()) == ["20 runs."]
    failed = make(n_unfinished=3, n_reused=8, learners={"1nn": {"n_failed": 2}})
    assert details(failed) == ["20 runs, 8 of them found in the store, 2 failed, 3 not done."]


def test_scores_were_given_where_there_are_no_runs(make):
    without = {name: {"n_runs": 0} for name in MEANS}
    assert details(make(learners=without)) == ["No runs: the scores were given."]


def test_the_ending_and_the_eliminated_are_named(make):
    out = [Elimination("cart", 1, "behind", True), Elimination("1nn", 2, "behind", True)]
    assert details(make(stopping_history=raced(*out))) == [
        "Stopped after 3 repeats: the pick is settled. 20 runs; early elimination saved 10 of 30.",
        "Eliminated early because they could no longer win on these rows: cart (after 1 repeat), "
        "1nn (2). At most a 5% chance that more repeats would pick one of them instead.",
    ]


def test_the_most_repeats_without_a_settled_pick_are_named(make):
    history = raced(is_settled=False, n_repeats=3, max_repeats=3)
    assert details(make(stopping_history=history, n_reused=4)) == [
        "Not settled after 3 repeats, the most allowed: more repeats could change the pick. "
        "20 runs, 4 of them found in the store; early elimination saved 10 of 30."
    ]


def test_nothing_is_saved_by_an_interruption(make):
    history = raced(is_settled=False)
    assert details(make(stopping_history=history, n_unfinished=3)) == ["20 runs, 3 not done."]


def test_other_reasons_are_said_as_they_are(make):
    failed = Elimination("1nn", 2, "too many runs gave no score")
    assert details(make(stopping_history=raced(failed)))[1:] == [
        "Repeated no further, because too many runs gave no score: 1nn (after 2 repeats)."
    ]


def test_growing_rows_name_the_eliminated_and_those_without_time(make):
    gone = RowElimination("cart", 500, 0.06, "could no longer win", is_beaten=True)
    slow = RowElimination("1nn", 100, 0.09, "", seconds=600.0)
    history = RowsHistory((100, 500), 500, 2000, (gone, slow), "the budget was spent", 2)
    assert details(make(rows_history=history))[1:] == [
        "Provisional: the budget was spent after 500 of 2,000 training rows. With all of them "
        "another learner may win.",
        "Eliminated early because it could no longer win: cart (after 500 rows).",
        "1nn was trained on 100 rows at most, as more rows were forecast to take 600 s. It may "
        "still be the best: a larger budget or time limit lets it grow.",
    ]

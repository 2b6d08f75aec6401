"""Standings of a comparison while it runs."""

import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier

from bestofk import compare
from bestofk.report.progress.standings import (
    DONE,
    ELIMINATED,
    RUNNING,
    WAITING,
    LearnerProgress,
    Standings,
)

RNG = np.random.default_rng(3)
X = np.vstack([RNG.normal(0, 1, (30, 2)), RNG.normal(2, 1, (20, 2))])
Y = np.array(["a"] * 30 + ["b"] * 20)
LEARNERS = {
    "majority": DummyClassifier(),
    "a-learner-with-a-very-long-name": KNeighborsClassifier(3),
    "near": KNeighborsClassifier(1),
}


@pytest.fixture(scope="module")
def findings():
    return compare(LEARNERS, X, Y, cv="4x5").findings


def standings(findings=None, **options):
    learners = [
        LearnerProgress("majority", 20, 20, DONE, 0.0),
        LearnerProgress("a-learner-with-a-very-long-name", 7, 20, RUNNING, 130.0),
        LearnerProgress("near", 10, 20, WAITING, 0.5),
    ]
    return Standings(learners, 4, 5, findings=findings, **options)


def test_seconds_left_are_those_of_all_learners_by_the_processes_that_share_them():
    assert standings().seconds_left == 130.5
    assert standings(n_workers=2).seconds_left == 65.25
    assert standings(n_workers=2).time_left() == "65 s left"
    assert standings(is_adaptive=True).time_left() == "at most 2.2 min left"
    unknown = Standings([LearnerProgress("near", 0, 20, WAITING)], 4, 5)
    assert math.isnan(unknown.seconds_left)
    assert unknown.time_left() == ""


@pytest.mark.parametrize(
    ("n_splits", "text"),
    [
        (0, "0 of at most 4 repeats"),
        (3, "3 of 5 folds of the first repeat"),
        (5, "1 of at most 4 repeats"),
        (11, "2 of at most 4 repeats and 1 fold of the next"),
    ],
)
def test_what_the_numbers_rest_on_is_said_in_repeats_and_folds(findings, n_splits, text):
    some = replace(findings, repeat_of_split=findings.repeat_of_split[:n_splits])
    assert standings(some, is_adaptive=True).reached() == text


def test_heading_and_line_name_pick_others_and_learners_at_work(findings):
    heading = standings(findings).heading(12.4)
    pick = findings.verdict.best
    others = [name for name in findings.verdict.candidates if name != pick]
    assert heading[0] == "Provisional, after 4 of 4 repeats"
    assert heading[1].startswith(f"leading: {pick}, ")
    assert heading[1].endswith(f"cannot be ruled out: {', '.join(others)}")
    assert heading[2] == "still running: 2 · 12 s so far · 2.2 min left"
    line = standings(findings).line()
    at_work = "running: a-learner-with-a-very-long-name · 2.2 min left"
    assert line == f"After 4 of 4 repeats: {heading[1]} · {at_work}"
    part = "Part of a repeat: a-learner-with-a-very-long-name (2 of 5 folds)."
    assert standings(findings).notes()[0] == part


def test_rows_begin_with_the_pick_and_end_with_runs_state_and_time(findings):
    table = standings(findings).table()
    assert table.heads[:3] == ["learner", "error", "sd"]
    assert list(table.heads[-3:]) == ["runs", "state", "left"]
    assert table.rows[0].name == findings.verdict.best
    cells = {row.name: row.cells[-3:] for row in table.rows}
    assert cells["majority"] == ("20/20", "done", "")
    assert cells["a-learner-with-a-very-long-name"] == ("7/20", "running", "2.2 min")
    assert cells["near"] == ("10/20", "waiting", "<1 s")


@pytest.mark.parametrize("width", [40, 50, 60, 80, 120])
def test_the_table_leaves_columns_out_where_the_terminal_is_narrow(findings, width):
    lines = [line for _, line in standings(findings).lines(width)]
    assert max(map(len, lines)) <= width
    head = lines[next(i for i, line in enumerate(lines) if set(line) == {"-"}) - 1]
    assert "error" in head
    assert ("left" in head) == (width >= 120)
    name = "a-learner-with-a-very-long-name"
    assert any(line.startswith(name if width >= 80 else name[:11]) for line in lines)


def test_a_title_of_two_lines_stands_above_the_rows():
    findings = compare(["ridge", "mean"], X, X[:, 0] + X[:, 1] ** 2, cv="2x5").findings
    learners = [LearnerProgress(name, 10, 10, DONE, 0.0) for name in ("ridge", "mean")]
    lines = Standings(learners, 2, 5, findings=findings).lines(100)
    assert [role for role, _ in lines] == ["", "", "", "best", "candidate"]
    assert "root mean" in lines[0][1]


def test_eliminated_learners_are_marked_and_their_means_explained(findings):
    learners = [LearnerProgress("majority", 5, 5, ELIMINATED, 0.0)]
    learners += [LearnerProgress(name, 20, 20, DONE, 0.0) for name in list(LEARNERS)[1:]]
    shown = Standings(learners, 4, 5, findings=findings)
    assert shown.n_running == 0
    assert shown.notes() == ["The means of eliminated learners are over their own repeats."]


def test_runs_that_belong_to_no_comparison_have_no_scores():
    shown = standings(title="20% noise")
    assert shown.heading(3.0)[0] == "20% noise"
    assert list(shown.table().heads) == ["learner", "runs", "state", "left"]
    assert shown.leading() == ""

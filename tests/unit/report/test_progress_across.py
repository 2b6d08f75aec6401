"""Standings over several data sets while they run, counted and ranked by hand."""

import io
import re
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

from bestofk import compare
from bestofk.evaluation.queue.runner import Runner
from bestofk.measures import get_measure
from bestofk.report.progress.shown import TerminalProgress, to_html
from bestofk.report.progress.standings import LearnerProgress, StandingsAcross, mean_ranks

DATA = {"iris": "iris", "wine": "wine", "tennis": "play-tennis"}


def weighed(means, measure="error"):
    return SimpleNamespace(
        measure=get_measure(measure, task="classification", classes=["x", "y"]),
        learners=[SimpleNamespace(name=name, mean=mean) for name, mean in means.items()],
    )


def test_mean_ranks_are_over_the_data_sets_where_all_have_a_mean():
    parts = [
        weighed({"a": 0.1, "b": 0.2, "c": 0.3}),
        None,
        weighed({"a": 0.2, "b": 0.1, "c": 0.2}),
        weighed({"a": 0.2, "b": np.nan, "c": 0.2}),
    ]
    assert mean_ranks(parts) == ({"a": 1.75, "b": 1.5, "c": 2.75}, 2)
    assert mean_ranks([None]) == ({}, 0)


def test_a_measure_of_which_more_is_better_ranks_the_other_way():
    parts = [weighed({"a": 0.9, "b": 0.8}, "auroc")]
    assert mean_ranks(parts) == ({"a": 1.0, "b": 2.0}, 1)


@pytest.fixture
def standings():
    learners = [
        LearnerProgress("a", 10, 30, "running", 40.0),
        LearnerProgress("b", 30, 30, "done", 0.0),
    ]
    return StandingsAcross(
        learners, 5, 2, mean_ranks={"a": 1.75, "b": 1.25}, n_ranked=2, n_data_sets=3, n_finished=1,
        failures={"a": Counter(), "b": Counter(error=2, timeout=1)}, running_on=["iris"],
    )  # fmt: skip


def test_standings_say_what_is_done_who_leads_and_what_failed(standings):
    assert standings.heading(12.0) == [
        "1 of 3 data sets and 40 of 60 runs done",
        "mean ranks over 2 data sets: b 1.25, a 1.75",
        "still running: 1 · 12 s so far · 40 s left",
        "on iris",
    ]
    assert standings.notes() == ["Failed: 2 error, 1 timeout."]
    assert [text for _, text in standings.lines(80)][2:] == [
        "b             1.25       3  30/30  done",
        "a             1.75          10/30  running  40 s",
    ]
    assert '<td style="text-align: right">1.25</td>' in to_html(standings, 1.0)


def test_lines_in_a_log_tell_how_each_data_set_was_read_and_how_far_all_are(monkeypatch):
    monkeypatch.setattr("bestofk.report.progress.shown._LINE_SECONDS", 0.0)
    monkeypatch.setattr("bestofk.report.progress.shown._SHARE", 1e9)
    monkeypatch.setattr(Runner, "taken_seconds", 0.0)  # each run is told at once
    console = Console(file=io.StringIO(), width=200)
    compare(["linear-svm", "svm"], DATA, cv="2x2", progress=TerminalProgress(console))
    lines = console.file.getvalue().splitlines()
    assert lines[:4] == [
        "iris: 150 rows, 4 inputs, classification of 'target'; 1 warning",
        "wine: 178 rows, 13 inputs, classification of 'target'",
        "tennis: 14 rows, 4 inputs, classification of 'play'",
        "3 data sets, 2 learners, 24 runs.",
    ]
    n_done = [int(re.search(r"and (\d+) of 24 runs", line)[1]) for line in lines[4:]]
    assert n_done == list(range(1, 25))
    ranked = [re.search(r"ranks over (\d) data sets?: (.*?) ·", line) for line in lines[4:]]
    assert ranked[-2][1] == "3"
    assert {part.split()[0] for part in ranked[-2][2].split(", ")} == {"linear-svm", "svm"}

"""Comparing as a user sees it: progress where it is asked for, a word where nothing is learned."""

import pytest

from bestofk import compare

ASKED = {"learners": ["majority", "nearest-mean"], "X": "play-tennis", "cv": "1x2"}


def test_progress_is_shown_on_standard_error_where_it_is_asked_for(capsys):
    compare(**ASKED, progress=True)
    shown = capsys.readouterr()
    assert "Plan: 2-fold cross-validation" in shown.err
    assert shown.out == ""


@pytest.mark.parametrize("progress", ["auto", False])
def test_nothing_is_shown_without_a_terminal(progress, capsys):
    compare(**ASKED, progress=progress)
    assert capsys.readouterr() == ("", "")


def test_a_pick_that_does_not_look_at_the_inputs_is_warned_of():
    picked = compare(["majority", "nearest-mean"], "iris", cv="1x5", prefer="given")
    alone = compare(["majority"], "iris", cv="1x5")
    warning = (
        "majority, which ignores the inputs, was picked: no learner found anything useful in them."
    )
    assert picked.best == "nearest-mean"
    assert warning not in picked.findings.warnings
    assert warning in alone.findings.warnings

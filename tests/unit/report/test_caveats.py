"""Caveats with their codes."""

from __future__ import annotations

from bestofk.inference import Caution
from bestofk.inference.two_learners.t_tests import OVERLAP
from bestofk.report.sentences.details import caveats

STANDING = "As in nearly every comparison: winners-curse, multiplicity."


def test_every_caveat_has_a_code_and_standing_ones_are_named_last(make):
    warnings = ("Two rows are equal.", "Seconds vary.", Caution("few-scores", "Only 3 scores."))
    verdict = make().verdict
    found = caveats(
        make(warnings=(*warnings, *verdict.warnings), data_warnings=("Two rows are equal.",))
    )
    assert found == [
        "Two rows are equal. [data]",
        "Seconds vary. [runs]",
        "Only 3 scores. [few-scores]",
        STANDING,
    ]


def test_what_holds_for_every_repeated_plan_is_no_caveat(make):
    assert caveats(make(warnings=(OVERLAP,))) == []


def test_the_way_to_go_on_is_the_last_but_the_standing_ones(make):
    assert caveats(make(warnings=(), resume="Call it again.")) == ["Call it again."]


def test_codes_of_notes_count_too(make):
    untuned = Caution("untuned", "Every learner ran with the settings given.")
    assert caveats(make(warnings=(), notes=(untuned,))) == [
        "As in nearly every comparison: untuned."
    ]

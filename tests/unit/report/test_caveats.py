"""Caveats with their codes."""

from bestofk.inference import Caution
from bestofk.inference.two_learners.t_tests import OVERLAP
from bestofk.report.sentences.details import caveats


def test_every_caveat_has_a_code_and_standing_ones_are_left_out(make):
    data = ("Two rows are equal.",)
    warnings = (*data, "Seconds vary.", Caution("few-scores", "Only 3 scores."))
    verdict = make().verdict
    assert [item.code for item in verdict.warnings] == ["winners-curse", "multiplicity"]
    found = caveats(make(warnings=(*warnings, *verdict.warnings), data_warnings=data))
    said = ["Two rows are equal. [data]", "Seconds vary. [runs]", "Only 3 scores. [few-scores]"]
    assert found == said


def test_what_holds_for_every_repeated_plan_is_no_caveat(make):
    assert caveats(make(warnings=(OVERLAP,))) == []


def test_the_way_to_go_on_is_the_last(make):
    found = caveats(make(resume="Call it again."))
    assert found == ["Look out. [runs]", "Call it again."]


def test_codes_of_notes_count_too(make):
    notes = (
        Caution("untuned", "Every learner ran."),
        Caution("partly-tuned", "Only cart was tuned."),
    )
    assert caveats(make(warnings=(), notes=notes)) == ["Only cart was tuned. [partly-tuned]"]

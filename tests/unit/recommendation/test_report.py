from dataclasses import replace
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestofk.measures import get_measure
from bestofk.recommendation.report import (
    Forecast,
    Recommendation,
    SpentSeconds,
    TriedLearner,
    planned_rows,
)
from bestofk.report import to_text
from bestofk.report.parts import Sections

NAN = float("nan")
ERROR = get_measure("error", task="classification", classes=["a", "b"])
AUROC = get_measure("auroc", task="classification", classes=["a", "b"], pos_label="b")
PLANNED = (Forecast("lda", 0.2, 0.02), Forecast("svm", 0.01, 3.0), Forecast("new", 0.0, NAN))


def tried(learner, state, loss, n_folds, seconds, expected_seconds, best_so_far):
    return TriedLearner(learner, state, loss, n_folds, seconds, 0.0, expected_seconds, best_so_far)


LDA = tried("lda", "done", 0.1, 10, 0.03, 0.02, "lda")
SVM = tried("svm", "ended early", 0.4, 3, 0.9, 3.0, "lda")


def findings(**changes):
    plain = Recommendation(
        data_name="tea",
        task="classification",
        measure=ERROR,
        n_data_sets=4,
        notes=("Not in the history: new.",),
        planned=PLANNED,
        tried=(LDA, SVM),
        untried=(("new", "the budget is spent"),),
        budget_seconds=10.0,
        seconds=10.2,
        comparison=None,
    )
    return replace(plain, **changes)


def lines(found, width=None):
    return to_text(found.sections(), width).splitlines()


def answer(found):
    return " ".join(found.answer)


# -- the planned order ---------------------------------------------------------------------


def test_a_learner_that_does_not_fit_leaves_its_time_to_those_after_it():
    rows = planned_rows([("a", 0.2, 5.0), ("b", 0.1, 9.0), ("c", 0.0, 4.0)], 10.0)
    assert [row.fits for row in rows] == [True, False, True]
    assert [row.seconds_so_far for row in rows] == [5.0, 5.0, 9.0]


def test_a_time_that_nobody_knows_fits_and_adds_nothing():
    rows = planned_rows([("a", 0.0, NAN), ("b", 0.1, 2.0)], 2.0)
    assert [(row.fits, row.seconds_so_far) for row in rows] == [(True, 0.0), (True, 2.0)]


@given(st.lists(st.floats(0.001, 100), max_size=8), st.floats(0.01, 200))
def test_what_fits_never_takes_more_than_the_budget(times, budget):
    rows = planned_rows([(str(i), 0.0, time) for i, time in enumerate(times)], budget)
    assert all(row.seconds_so_far <= budget for row in rows)
    assert sum(row.seconds for row in rows if row.fits) == pytest.approx(
        rows[-1].seconds_so_far if rows else 0.0, rel=1e-9, abs=0
    )


def test_without_a_budget_everything_fits():
    assert all(row.fits for row in planned_rows([("a", 0.0, 1e9), ("b", 0.0, NAN)], None))


def test_a_dry_run_shows_the_order_with_gains_times_and_their_sum():
    planned = (PLANNED[0], Forecast("svm", 0.01, 30.0), PLANNED[2])
    dry = findings(planned=planned, tried=(), untried=())
    report = dry.sections()
    assert report.answer == (
        "Try lda first, then svm, new.",
        "The 2 known of 3 learners should take 30 s; beyond the budget of 10 s: svm.",
        "No claim about new data: nothing was tried yet, and each test may change the order.",
    )
    assert [(row.name, row.cells) for row in report.tables[0].rows] == [
        ("lda", ("20.0", "20 ms", "20 ms")),
        ("svm", ("1.0", "30 s", "does not fit")),
        ("new", ("-", "-", "20 ms")),
    ]
    assert report.details == [
        "tea: 3 learners in the order of earlier results, their averages over earlier data sets.",
        "History: 4 earlier data sets; it covers 2 of the 3 learners.",
        "Not in the history: new.",
    ]


def test_a_dry_run_says_whether_everything_fits():
    dry = findings(tried=(), untried=())
    assert "known of 3 learners should take 3.0 s, within the budget of 10 s." in answer(dry)
    unlimited = replace(dry, budget_seconds=None).answer
    assert unlimited[1] == "The 2 known of 3 learners should take 3.0 s."


def test_a_dry_run_without_knowledge_claims_none():
    planned = (Forecast("a", 0.0, NAN),)
    dry = findings(planned=planned, tried=(), untried=(), n_data_sets=0, notes=())
    report = dry.sections()
    assert report.details == ["tea: 1 learner in the order of the catalogue."]
    assert report.answer[:2] == (
        "Try a first.",
        "It is not known what the learners gain here, nor how long they take.",
    )


# -- what was tried ------------------------------------------------------------------------


def test_the_table_stands_in_the_order_tried():
    report = findings().sections()
    assert report.details[:2] == [
        "tea: 2 of 3 learners tried in the order of earlier results, 1 in full.",
        "Measure: error rate (lower is better).",
    ]
    assert [(row.name, row.role, row.cells) for row in report.tables[0].rows] == [
        ("lda", "best", ("10.0%", "10/10", "done", "30 ms", "20 ms", "lda")),
        ("svm", "", ("40.0%", "3/10", "ended early", "900 ms", "3.0 s", "lda")),
    ]


def test_only_states_that_occur_are_explained():
    text = " ".join(lines(findings()))
    assert "ended early: could hardly win any more" in text
    assert "cut off:" not in text
    assert "failed:" not in text


def test_learners_left_out_are_listed_by_reason():
    untried = (("a", "the budget is spent"), ("b", "expected 9 s, 2 s left"),
               ("c", "the budget is spent"))  # fmt: skip
    details = findings(untried=untried).sections().details
    assert [text for text in details if text.startswith("Left out")] == [
        "Left out, the budget is spent: a and c.",
        "Left out, expected 9 s, 2 s left: b.",
    ]


def test_the_time_is_told_with_the_budget():
    spent = SpentSeconds(tests=6.0, start=3.0, evidence=0.5)
    text = " ".join(findings(spent=spent).sections().details)
    assert (
        "Time: 10 s altogether: 6.0 s for training and predicting, 3.0 s for the "
        "start, 500 ms for weighing the evidence and 700 ms for the rest; the budget is "
        "10 s." in text
    )
    earlier = findings(spent=SpentSeconds(earlier=4.0, tests=10.2))
    resumed = " ".join(earlier.sections().details)
    assert (
        "Time: 10 s altogether, 4.0 s of it in earlier calls: 10 s for training and predicting; "
        "the budget is 10 s." in resumed
    )
    nothing = findings(tried=(), budget_seconds=None)
    assert "Time: 10 s altogether: 10 s for the rest; no budget." in " ".join(lines(nothing))


def test_an_only_learner_in_full_is_the_pick_without_a_claim():
    assert findings().answer == (
        "Use lda: 10.0% error.",
        "It is the only learner that was tested in full. Ended early, as they could hardly win: "
        "svm. Not tested in full, so may be better: new.",
        "No claim about new data: it was compared with no other learner.",
    )


def test_a_measure_of_which_more_is_better_is_told_in_its_own_unit():
    said = findings(measure=AUROC, tried=(LDA._replace(loss=-0.9),), untried=())
    assert said.answer[0] == "Use lda: AUROC 0.900."
    assert "higher is better" in " ".join(lines(said))


def test_the_answer_of_the_comparison_is_quoted_and_the_untested_are_added():
    svm = tried("svm", "done", 0.2, 10, 0.9, 3.0, "lda")
    compared = Sections(
        "tea", ("Use lda: 10.0% error.", "Cannot be ruled out: svm.", "No claim."), [],
        details=["A fact."], caveats=["Beware. [runs]"],
    )  # fmt: skip
    comparison = SimpleNamespace(findings=compared, best="lda")
    result = findings(tried=(LDA, svm), untried=(), comparison=comparison)
    report = result.sections()
    assert report.answer == compared.answer
    assert report.caveats == ["Beware. [runs]"]
    assert report.details[-1] == "A fact."
    untested = findings(tried=(LDA, svm), comparison=comparison)
    assert untested.answer[1] == (
        "Cannot be ruled out: svm. Not tested in full, so may be better: new."
    )


def test_without_a_test_in_full_the_way_out_is_more_budget():
    cut = tried("lda", "cut off", NAN, 0, 0.0, 0.02, "")
    assert findings(tried=(cut,)).answer == (
        "No pick on tea: no learner was tested in full.",
        "Give more budget: 40 ms or more. The start took 0.0 µs, and lda, the quickest, should "
        "take 20 ms.",
        "No claim about new data: there is no pick.",
    )


def test_where_all_failed_no_budget_helps():
    failed = tuple(tried(row.learner, "failed", NAN, 0, 0.1, 1.0, "") for row in PLANNED)
    said = findings(tried=failed, untried=()).answer
    assert said[1] == "Failed: lda, svm, new."


def test_failed_ones_are_named_beside_a_pick():
    failed = tried("svm", "failed", NAN, 2, 0.1, 3.0, "lda")
    assert "Failed: svm." in findings(tried=(LDA, failed)).answer[1]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_sentences_are_wrapped_to_the_width(width):
    result = lines(findings(notes=("word " * 60,)), width)
    rule = next(line for line in result if line.startswith("---"))
    assert max(map(len, result)) <= max(width, len(rule))

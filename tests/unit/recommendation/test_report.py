"""Reports of recommendations; run as a script (`python -m`), it writes the golden text anew."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import golden

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


def failed(learner, n_folds=0):
    return tried(learner, "failed", NAN, n_folds, 0.1, 1.0, "")


def compared(**changes):
    """Return findings of learners that a comparison has judged."""
    judged = Sections(
        "tea", ("Use lda: 10.0% error.", "Cannot be ruled out: svm.", "No claim."), [],
        details=["A fact."], caveats=["Beware. [runs]"],
    )  # fmt: skip
    svm = tried("svm", "done", 0.2, 10, 0.9, 3.0, "lda")
    return findings(
        tried=(LDA, svm), comparison=SimpleNamespace(findings=judged, best="lda"), **changes
    )


DRY = {"tried": (), "untried": ()}
SITUATIONS = {
    "one learner in full": findings(),
    "a dry run": findings(**DRY),
    "a dry run beyond the budget": findings(
        planned=(PLANNED[0], Forecast("svm", 0.01, 30.0), PLANNED[2]), **DRY
    ),
    "a dry run without a budget": findings(budget_seconds=None, **DRY),
    "a dry run without knowledge": findings(
        planned=(Forecast("a", 0.0, NAN),), n_data_sets=0, notes=(), **DRY
    ),
    "some are left out": findings(
        untried=(("a", "the budget is spent"), ("b", "expected 9 s, 2 s left"),
                 ("c", "the budget is spent"))
    ),
    "its time is known": findings(spent=SpentSeconds(tests=6.0, start=3.0, evidence=0.5)),
    "some of it was in earlier calls": findings(spent=SpentSeconds(earlier=4.0, tests=10.2)),
    "nothing tried, no budget": findings(tried=(), budget_seconds=None),
    "a measure that shall be high": findings(
        measure=AUROC, tried=(LDA._replace(loss=-0.9),), untried=()
    ),
    "a comparison": compared(untried=()),
    "a comparison, one not tested": compared(),
    "none in full": findings(tried=(tried("lda", "cut off", NAN, 0, 0.0, 0.02, ""),)),
    "all failed": findings(tried=tuple(failed(row.learner) for row in PLANNED), untried=()),
    "one failed": findings(tried=(LDA, failed("svm", 2))),
}  # fmt: skip
TEXTS = {
    name: lambda found=found: to_text(found.sections(), 10_000).splitlines()
    for name, found in SITUATIONS.items()
}
FILE = Path(__file__).with_name("texts.txt")


@pytest.mark.parametrize("name", TEXTS)
def test_a_recommendation_says_what_it_said(name):
    golden.check(FILE, TEXTS, name)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_sentences_are_wrapped_to_the_width(width):
    result = lines(findings(notes=("word " * 60,)), width)
    rule = next(line for line in result if line.startswith("---"))
    assert max(map(len, result)) <= max(width, len(rule))


if __name__ == "__main__":
    golden.write(FILE, TEXTS)

"""The three lines of the answer."""

from __future__ import annotations

import pytest
from tests.unit.report.given_findings import MEANS, edge, pair

from bestofk.inference.new_data import ShipClaim
from bestofk.measures import get_measure
from bestofk.report import answer
from bestofk.report.sentences.details import details
from bestofk.stopping.history import RowElimination, RowsHistory
from bestofk.verdict import NOT_BETTER
from bestofk.verdict.complete_scores import first_names

CLAIM = ShipClaim("logistic", 0.01, 0.86, 0.0012, 0.038, 0.081, n_shared_splits=15)
PREFERRED = {
    "best": "cart",
    "order": ["cart", "logistic", "1nn", "nearest-mean", "majority"],
    "has_preference": True,
    "preference": "Preference as given: majority, cart, logistic, 1nn, nearest-mean.",
    "alternative": None,
    "reversed_best": "logistic",
}


def test_the_lines_name_the_pick_the_others_and_the_claim(make):
    assert answer(make(claim=CLAIM)) == (
        "Use logistic: 5.0% error (AUROC 0.900).",
        "Cannot be ruled out: cart. Significantly worse than another learner: 1nn. "
        "Significantly worse: nearest-mean, majority.",
        "On new data like these, logistic is about 85% likely to be within 1 point of the best of "
        "these five; expect a 4-8% error rate.",
    )


def test_a_table_of_scores_has_no_claim(make):
    assert answer(make())[2] == "No claim about new data: only scores were given."


def test_a_pick_that_beats_all_others_says_so(make):
    pairs = [pair("logistic", name, "better") for name in MEANS if name != "logistic"]
    lines = answer(make(verdict={"pairs": pairs, "candidates": ["logistic"]}))
    assert lines[1] == "All others are significantly worse: cart, 1nn, nearest-mean + 1 more."


def test_practical_equivalence_is_no_doubt(make):
    pairs = [pair("logistic", "cart", "practically equivalent"), pair("logistic", "1nn")]
    lines = answer(make(verdict={"pairs": pairs, "edges": [], "candidates": list(MEANS)}))
    assert lines[1] == ("About the same: cart. Cannot be ruled out: 1nn, nearest-mean, majority.")


def test_nothing_is_ever_called_equal(make):
    for findings in (make(), make(verdict=PREFERRED)):
        assert "equal" not in " ".join(answer(findings))


def test_where_a_preference_decides_its_tests_are_the_answers(make):
    pairs = [
        pair("majority", "cart", NOT_BETTER),
        *(pair("cart", name, NOT_BETTER) for name in ("logistic", "1nn", "nearest-mean")),
    ]
    changes = {"pairs": pairs, "edges": [edge("majority", "logistic")]}
    lines = answer(make(verdict=PREFERRED | changes))
    assert lines[0] == "Use cart: 6.0% error (AUROC 0.900)."
    assert lines[1] == (
        "Preferred but significantly worse: majority. Less preferred and not significantly better: "
        "logistic, 1nn, nearest-mean."
    )
    findings = make(verdict=PREFERRED | changes)
    assert "Overridden: majority by logistic (p < 0.001); p values adjusted." in details(findings)


@pytest.mark.parametrize(("is_beaten", "n_sentences"), [(True, 0), (False, 1)])
def test_a_pick_that_does_not_beat_the_baseline_says_so(make, is_beaten, n_sentences):
    lines = answer(make(verdict={"baselines": {"mean": {"logistic": is_beaten}}}))
    said = "It is not significantly better than mean, which ignores the inputs."
    assert lines[0].count(said) == n_sentences


def test_a_measure_that_is_no_share_is_a_number(make):
    auroc = get_measure("auroc", task="classification", classes=["a", "b"])
    assert answer(make(measure=auroc, shown=[]))[0] == "Use logistic: AUROC 0.050."


def test_without_a_test_all_others_stay_plausible(make):
    changes = {"test": "", "pairs": [], "candidates": list(MEANS), "alternative": None}
    assert answer(make(verdict=changes))[1] == (
        "No test is possible with this plan. Cannot be ruled out: cart, 1nn, nearest-mean + 1 more."
    )


def test_one_learner_was_compared_with_none(make):
    changes = {"order": ["logistic"], "candidates": ["logistic"], "pairs": []}
    findings = make(verdict=changes)
    del findings.learners[:-1]
    assert answer(findings)[1] == "No other learner took part."


def test_a_learner_without_a_result_is_named(make):
    order = [name for name in MEANS if name != "1nn"]
    left_out = {"1nn": {"left_out": "no run was finished"}}
    lines = answer(make(verdict={"order": order}, learners=left_out))
    assert lines[1].endswith("Significantly worse: nearest-mean, majority. Without a result: 1nn.")


def test_an_unfinished_comparison_says_how_far_it_is(make):
    assert answer(make(n_unfinished=3))[0] == (
        "Use logistic for now, after 20 of 23 runs: 5.0% error (AUROC 0.900)."
    )


def test_a_large_table_names_those_that_did_not_grow(make):
    gone = RowElimination("cart", 500, 0.06, "could no longer win", is_beaten=True)
    slow = RowElimination("1nn", 100, 0.09, "", seconds=600.0)
    history = RowsHistory((100, 500), 500, 2000, (gone, slow), "the budget was spent", 2)
    changes = {"order": ["logistic"], "candidates": ["logistic"], "pairs": []}
    left_out = {name: {"left_out": "trained on fewer rows"} for name in MEANS if name != "logistic"}
    lines = answer(make(verdict=changes, learners=left_out, rows_history=history))
    assert lines[0] == (
        "Use logistic for now, after 500 of 2,000 training rows: 5.0% error (AUROC 0.900)."
    )
    assert lines[1] == (
        "Cannot be ruled out, for lack of time: 1nn. Eliminated on fewer rows: cart."
    )


def test_without_a_pick_the_lines_say_so(make):
    assert answer(make(verdict={"best": None, "order": [], "candidates": []})) == (
        "No learner can be picked on tea.",
        "No learner has a score to be judged by.",
        "No claim about new data: there is no pick.",
    )


def test_at_most_three_names_are_given():
    assert first_names(["a", "b", "c"]) == "a, b, c"
    assert first_names(["a", "b", "c", "d"]) == "a, b, c + 1 more"

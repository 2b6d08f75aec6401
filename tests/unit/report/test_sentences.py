from __future__ import annotations

import pytest
from tests.unit.report.given_findings import MEANS, edge

from bestofk.measures import get_measure
from bestofk.report import paragraph
from bestofk.stopping.history import Elimination, StoppingHistory
from bestofk.verdict import Alternative

PREFERRED = {
    "best": "cart",
    "order": ["cart", "logistic", "1nn", "nearest-mean", "majority"],
    "has_preference": True,
    "preference": "Preference as given: majority, cart, logistic, 1nn, nearest-mean.",
    "alternative": None,
    "edges": [],
    "reversed_best": "logistic",
    "first_test_best": None,
    "correction": "bonferroni",
    "test": "5x2cv-t",
}


def test_without_preference_the_paragraph_says_best_rivals_price_and_limits(make):
    assert paragraph(make()) == (
        "Of 5 learners on tea, logistic has the lowest error rate: 5.0 % of the rows wrong on "
        "average. The best average is no proof of being the best, and because logistic was chosen "
        "for it, expect somewhat worse on new data. logistic is significantly better than "
        "nearest-mean and majority. It is not significantly better than cart, which may still be "
        "the best. 1nn is not shown to be worse than logistic, but shown to be worse than another "
        "learner. If the time for training matters, consider cart, which cannot be ruled out. "
        "With it training takes 2.6 ms instead of 6.6 ms; of 100 rows it got 1.0 more wrong on "
        "average, and with 95 % confidence at most 3.2 more. logistic had the lowest "
        "error rate in 1 of 2 repeats (ties counted). Another measure would pick another learner: "
        "by AUROC, cart. As far as the assumptions of the corrected resampled t test hold, the "
        "chance that even one "
        '"shown" is wrong is at most 5 % (20 one-sided tests taken together, Holm correction).'
    )


def test_with_a_preference_the_paragraph_says_why_the_pick_stands(make):
    assert paragraph(make(verdict=PREFERRED)) == (
        "Of 5 learners on tea, the pick is cart. Its error rate: 6.0 % of the rows wrong on "
        "average. Preference as given: majority, cart, logistic, 1nn, nearest-mean. cart stands"
        " because it was preferred and is not shown to be worse than a learner preferred less; "
        "that is no proof of being the best. logistic has the lowest error rate: 5.0 % of the "
        "rows wrong on average. Without the preference, logistic may also be the best. With the"
        " preference reversed the pick would be logistic. TestFirst, which asks whether the "
        "best average beats all learners preferred more, names none. cart had the lowest error "
        "rate in 1 of 2 repeats (ties counted). Another measure would pick another learner: by "
        "accuracy, logistic. As far as the assumptions of the 5x2cv paired t test hold, the "
        'chance that even one "shown" is wrong is at most 5 % (10 one-sided tests taken together, '
        "Bonferroni correction). The candidates come from 20 tests of their own, by Holm."
    )


def test_a_pick_outside_the_candidates_does_not_count_as_one(make):
    text = paragraph(make(verdict=PREFERRED | {"candidates": ["logistic"]}))
    assert "Without the preference, logistic may be the best." in text


def test_the_pick_of_first_test_and_a_stable_reversal_are_named(make):
    text = paragraph(make(verdict=PREFERRED | {"first_test_best": "lda", "reversed_best": "cart"}))
    assert "With the preference reversed the pick would also be cart." in text
    assert "names lda." in text


def test_nothing_is_ever_called_equal(make):
    for findings in (make(), make(verdict=PREFERRED)):
        assert "equal" not in paragraph(findings)


def test_a_best_that_beats_all_others_says_so(make):
    edges = [edge(name, "logistic") for name in MEANS if name != "logistic"]
    changes = {"edges": edges, "candidates": ["logistic"], "alternative": None}
    text = paragraph(make(verdict=changes))
    assert (
        "logistic is significantly better than every other learner: cart, 1nn, nearest-mean and "
        "majority." in text
    )
    assert "may still" not in text


def test_a_learner_shown_to_beat_the_lowest_average_is_named(make):
    text = paragraph(make(verdict={"edges": [edge("logistic", "cart")]}))
    assert "cart is significantly better than logistic." in text
    assert "cart, which may still" not in text


def test_a_best_that_is_shown_to_beat_nobody_is_said_in_a_few_words(make):
    changes = {"edges": [], "candidates": list(MEANS), "alternative": None}
    assert (
        "logistic is not significantly better than any other learner, each of which may still be "
        "the best." in paragraph(make(verdict=changes))
    )


def test_ties_of_the_average_are_said(make):
    means = {"logistic": 0.05, "cart": 0.05, "1nn": 0.09, "nearest-mean": 0.13, "majority": 0.66}
    assert "cart has the same average." in paragraph(make(verdict={"means": means}))


def raced():
    left = Elimination("cart", 2, "1nn, listed before, stays ahead or tied in the long run", True)
    return StoppingHistory(3, 50, 2, (2, 3), (left,), "the pick is settled", True, 0.05)


def test_a_pick_that_is_tied_with_lower_means_says_so(make):
    means = MEANS | {"cart": 0.048, "1nn": 0.046}
    tied = make(verdict={"means": means, "indifference": 0.005}, stopping_history=raced())
    assert tied.ahead == ["cart", "1nn"]
    assert tied.why_best == "tied with the best average, listed first"
    text = paragraph(tied)
    assert "Another measure" not in text
    assert text.startswith(
        "Of 5 learners on tea, the pick is logistic. Its error rate: 5.0 % of the rows wrong on "
        "average. cart and 1nn have a lower one, by 0.4 in 100 rows at most: of learners tied like "
        "that the one listed first is picked. "
    )
    assert (
        "Repeated no further, because 1nn, listed before, stays ahead or tied in the long run: "
        "cart after 2." in text
    )
    assert "; the chance that the long run would rather name one of them is at most 5 %." in text


def test_a_pick_with_the_lowest_mean_is_said_to_have_it_after_a_race_too(make):
    result = make(verdict={"indifference": 0.005}, stopping_history=raced())
    assert (result.ahead, result.why_best) == ([], "best average")
    text = paragraph(result)
    assert text.startswith("Of 5 learners on tea, logistic has the lowest error rate: 5.0 %")


def test_a_cheaper_learner_with_a_lower_mean_is_better_and_not_worse(make):
    text = paragraph(make(verdict={"alternative": Alternative("cart", -0.002, 0.01)}))
    assert (
        "of 100 rows it got 0.20 fewer wrong on average, and with 95 % confidence at most 1.0 more"
    ) in text
    growing = make(
        measure=get_measure("auroc", task="classification", classes=["a", "b"]),
        verdict={"alternative": Alternative("cart", -0.002, 0.01)},
    )
    assert "its AUROC is higher by 0.002 on average" in paragraph(growing)


def test_a_best_that_is_cheap_already_is_said(make):
    text = paragraph(make(verdict={"alternative": None}))
    assert (
        "No other learner that may be the best is clearly cheaper: none takes less than half the "
        "time of logistic for training and predicting." in text
    )


def test_the_use_that_a_cheaper_learner_saves_time_in_is_said(make):
    both = Alternative("cart", 0.01, 0.032, ("training", "predicting"))
    quick = {"cart": {"predict_seconds": 2e-4}}
    text = paragraph(make(verdict={"alternative": both}, learners=quick))
    assert (
        "If the time for training and predicting matters, consider cart, which cannot be "
        "ruled out. With it training takes 2.6 ms instead of 6.6 ms and predicting takes 200 µs "
        "instead of 1.0 ms; of 100 rows" in text
    )


def test_unknown_seconds_are_not_spoken_of(make):
    nan = {"fit_seconds": float("nan")}
    text = paragraph(make(verdict={"alternative": None}, learners={"logistic": nan}))
    assert "half the time" not in text


def test_a_measure_that_grows_is_highest_and_its_price_is_points_lost(make):
    auroc = get_measure("auroc", task="classification", classes=["a", "b"])
    text = paragraph(make(measure=auroc))
    assert (
        "logistic has the highest AUROC: 0.050 on average (1 is perfect, 0.5 is guessing)." in text
    )
    assert "AUROC is lower by 0.010 on average, and with 95 % confidence at most 0.032." in text


def test_a_bound_without_limit_is_said(make):
    text = paragraph(make(verdict={"alternative": Alternative("cart", 0.01, float("inf"))}))
    assert "of 100 rows it got 1.0 more wrong on average; no bound can be given." in text


@pytest.mark.parametrize(
    ("beaten", "sentence"),
    [
        ({"cart": True, "1nn": True}, "Every learner is shown to beat mean,"),
        ({"cart": True}, "cart is shown to beat mean,"),
        ({"cart": False, "1nn": False}, "No learner is shown to beat mean,"),
        ({"cart": False, "1nn": True}, "cart is not shown to beat mean,"),
    ],
)
def test_the_baseline_is_held_against_every_learner(make, beaten, sentence):
    assert sentence in paragraph(make(verdict={"baselines": {"mean": beaten}}))


def test_tests_against_a_baseline_are_said_to_be_another_family(make):
    text = paragraph(make(verdict={"baselines": {"mean": {"cart": True}}}))
    assert "Holm correction; those against mean on their own)." in text


def test_without_a_test_every_learner_stays_possible(make):
    changes = {"test": "", "edges": [], "pairs": [], "alternative": None}
    text = paragraph(make(verdict=changes))
    assert "No test was possible with this plan, so every learner may be the best." in text
    assert "one-sided" not in text
    preferred = paragraph(make(verdict=PREFERRED | {"test": ""}))
    assert "No test was possible with this plan, so cart, preferred most, stands." in preferred


def test_one_learner_is_compared_with_none(make):
    assert paragraph(make(verdict={"order": ["logistic"]})) == (
        "logistic is the only learner that takes part on tea, so it was compared with no other. "
        "Its error rate: 5.0 % of the rows wrong on average."
    )


def test_no_verdict_is_said_with_the_failures(make):
    changes = {"best": None, "order": [], "candidates": []}
    text = paragraph(make(verdict=changes, learners={"1nn": {"left_out": "4 of 4 runs failed"}}))
    assert text == (
        "No verdict is possible on tea: no learner has a score to be judged by. 1nn takes no part "
        "in the verdict: 4 of 4 runs failed."
    )


def test_failed_runs_are_counted_and_their_treatment_is_said(make):
    text = paragraph(make(learners={"1nn": {"n_failed": 1}}))
    assert "1 of 4 runs of 1nn failed; the splits concerned count for no learner." in text


def test_the_first_message_of_failed_runs_stands_in_the_text(make):
    failed = {"n_failed": 1, "failure": "fit raised ValueError: singular."}
    out = {"left_out": "4 of 4 runs failed", "failure": f"fit raised {'x' * 100} {'y' * 100}"}
    text = paragraph(make(learners={"1nn": failed, "majority": out}))
    assert (
        "1 of 4 runs of 1nn failed (first message: fit raised ValueError: singular); the splits "
        "concerned count for no learner." in text
    )
    assert f"4 of 4 runs failed (first message: fit raised {'x' * 100} ...)." in text


def test_what_an_early_end_saved_is_said_once_it_is_over(make):
    early = Elimination("1nn", 1, "logistic stays ahead in the long run", is_beaten=True)
    stopping_history = StoppingHistory(2, 5, 2, (1, 2), (early,), "", is_settled=False, level=0.05)
    assert "That saved 0 of 20 runs" in paragraph(make(stopping_history=stopping_history))
    assert "That saved" not in paragraph(make(stopping_history=stopping_history, n_unfinished=3))


def test_an_interruption_ends_with_the_way_to_go_on(make):
    text = paragraph(make(n_unfinished=3, resume="Call it again."))
    assert text.endswith("The comparison was interrupted: 3 runs not done yet. Call it again.")

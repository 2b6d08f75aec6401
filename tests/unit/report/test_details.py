"""Details below the table, one fact each."""

from __future__ import annotations

import numpy as np
import pytest
from tests.unit.report.given_findings import MEANS

from bestofk.inference import Caution
from bestofk.inference.many_learners.reseeding import Chance, Reseeding
from bestofk.report.sentences.details import details
from bestofk.verdict import Alternative


def reseeding(*stated):
    """Return what other seeds would say, with the probabilities that are stated."""
    chances = [p if p is None else Chance(p, p, p) for p in (*stated, None, None)[:3]]
    return Reseeding(*chances, np.zeros((5, 5)), 10)


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ((0.86,), "Another random seed is 86% likely to give the same pick. This is about"),
        ((0.986,), "Another random seed would almost surely (99%) give the same pick. This is"),
        ((1.0,), "Another random seed would almost surely (99%) give the same pick. This is"),
        (
            (0.95, 0.646),
            "(95%) give the same pick. It is 65% likely to give the same plausible learners.",
        ),
        (
            (0.9, 0.97, 0.6),
            "It would almost surely (97%) give the same plausible learners and is 60% like",
        ),
    ],
)
def test_what_another_seed_would_say_is_said_in_per_cent(make, stated, said):
    findings = make(reseeding=reseeding(*stated))
    assert said in " ".join(details(findings))


def test_nothing_is_said_of_other_seeds_where_the_pick_is_not_stated(make):
    assert "random seed" not in " ".join(details(make(reseeding=reseeding(None))))


def test_plan_and_test_come_first(make):
    plan, test, *_ = details(make())
    assert plan == "150 rows, 4 inputs, 2 classes. 2 repeats of 2-fold cross-validation."
    assert test == (
        "Measure: error rate (lower is better). Test: corrected resampled t test, 20 one-sided "
        "tests at a nominal 5% family-wise level (Holm)."
    )


def test_differences_on_shared_splits_are_explained_where_splits_differ(make):
    short = make(learners={"cart": {"scores": np.array([0.05, 0.06])}})
    assert details(short)[0].endswith(
        "Differences use only shared splits, so they may not equal the gap between means."
    )


def test_the_headline_is_the_first_detail(make):
    assert details(make(headline="AUROC decides."))[0] == "AUROC decides."


def test_the_region_of_equivalence_is_named(make):
    assert details(make(verdict={"rope": 0.01}))[1].endswith(
        '"About the same": within 1 point, with at least 95% probability.'
    )


def test_a_cheaper_learner_has_its_price(make):
    said = (
        "If time for training matters, consider cart: training takes 2.6 ms instead of 6.6 ms, "
        "and it is 1 point worse on average (at most 3.2 points with 95% confidence)."
    )
    assert said in details(make())


def test_a_cheaper_learner_may_be_better_on_average(make):
    both = Alternative("cart", -0.002, 0.01, ("training", "predicting"))
    quick = {"cart": {"predict_seconds": 2e-4}}
    said = (
        "If time for training and predicting matters, consider cart: training takes 2.6 ms instead "
        "of 6.6 ms and predicting takes 200 µs instead of 1.0 ms, and it is 0.2 points better on "
        "average (at most 1 point worse with 95% confidence)."
    )
    assert said in details(make(verdict={"alternative": both}, learners=quick))


def test_a_price_without_a_bound_ends_early(make):
    found = details(make(verdict={"alternative": Alternative("cart", 0.01, float("inf"))}))
    assert any(text.endswith("and it is 1 point worse on average.") for text in found)


def test_a_pick_that_is_cheap_already_is_named(make):
    said = (
        "No other plausible learner takes less than half the time of logistic to train and predict."
    )
    alike = {"cart": {"fit_seconds": 5e-3}}
    assert said in details(make(verdict={"alternative": None}, learners=alike))
    for changed in (
        {"logistic": {"fit_seconds": float("nan")}},
        {"cart": {"fit_seconds": 1e-3, "predict_seconds": 1e-3}},  # which runs do not show
    ):
        assert said not in details(make(verdict={"alternative": None}, learners=alike | changed))


def test_ties_are_won_by_the_first_listed(make):
    means = MEANS | {"cart": 0.048, "1nn": 0.046}
    tied = make(verdict={"means": means, "indifference": 0.005})
    assert (
        "cart and 1nn are 0.4 points lower at most, which counts as a tie; the first in your list "
        "wins ties." in details(tied)
    )
    assert not any("By " in text for text in details(tied))


def test_other_measures_name_their_winner(make):
    picks = {"error": "logistic", "accuracy": "logistic", "auroc": "cart"}
    assert "By AUROC, cart would win." in details(make(picks=picks))


def test_a_preference_says_what_its_reverse_would_pick(make):
    changes = {
        "best": "cart",
        "has_preference": True,
        "preference": "Preference as given: cart, logistic.",
        "reversed_best": "logistic",
        "correction": "bonferroni",
    }
    found = details(make(verdict=changes))
    assert (
        "Preference as given: cart, logistic. logistic has the lowest error rate: 5.0% error."
        in found
    )
    assert any(
        text.startswith("With the preference reversed, logistic would be the pick.")
        and text.endswith("picks no learner.")
        for text in found
    )
    assert "10 one-sided tests at a nominal 5% family-wise level (Bonferroni)." in found[1]


def test_what_can_be_detected_is_named(make):
    said = "With this plan and 5 learners, only gaps above 15.1 points can be detected."
    assert said in details(make(verdict={"smallest_difference": 0.151}))


def test_the_share_of_repeats_is_a_count(make):
    assert "logistic had the lowest error rate in 1 of 2 repeats (ties counted)." in details(make())


def test_notes_that_are_neither_guesses_nor_caveats_come_last(make):
    caveat = Caution("untuned", "Every learner ran with the settings given.")
    found = details(make(notes=("A guess.", "A note.", caveat)))
    assert found[-1] == "A note."
    assert "A guess." not in found


def test_what_would_win_by_other_measures_is_among_the_first_facts(make):
    picks = {"error": "logistic", "accuracy": "cart", "auroc": "cart", "log_loss": "1nn"}
    assert "cart would win" in details(make(picks=picks, headline=""))[2]

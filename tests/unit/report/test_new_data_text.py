"""Sentences about new data: how they are rounded, and where they stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.report.given_findings import measure

from bestofk.inference.new_data import MoreNeeded, ShipClaim
from bestofk.measures import get_measure
from bestofk.report import answer, to_html_fragment, to_latex, to_markdown, to_text
from bestofk.report.sentences.answers import (
    claim_sentence,
    prices_of_plausible,
    what_would_help,
)
from bestofk.report.sentences.details import details
from bestofk.words import interval_in_words

CLAIM = ShipClaim("logistic", 0.01, 0.86, 0.0012, 0.038, 0.081, n_shared_splits=15)
CART = ShipClaim("cart", 0.01, 0.8, 0.0041, 0.048, 0.09, n_shared_splits=15)
SAID = (
    "On new data like these, logistic is about 85% likely to be within 1 point of the best of "
    "these five; expect a 4-8% error rate."
)


def on_new_data(findings):
    """Return the details about new data: prices of candidates, and what would help."""
    own = (prices_of_plausible(findings), what_would_help(findings))
    return [text for text in details(findings) if text in own]


def claiming(make, **changes):
    claim = ShipClaim(**{**vars(CLAIM), **changes})
    return make(claim=claim, other_claims={"cart": CART})


def test_the_claim_says_probability_distance_and_interval(make):
    assert claim_sentence(claiming(make)) == SAID


def test_a_probability_measured_to_be_too_low_is_rounded_down_to_a_bound(make):
    findings = make(claim=ShipClaim(**{**vars(CLAIM), "probability": 0.89}), is_claim_at_least=True)
    assert "logistic is at least 85% likely to be within" in claim_sentence(findings)


def test_it_is_the_third_line_of_the_answer(make):
    assert answer(claiming(make))[2] == SAID


@pytest.mark.parametrize(
    ("probability", "said"),
    [
        (1.0, "about 95% likely"),
        (0.93, "about 95% likely"),
        (0.924, "about 90% likely"),
        (0.625, "about 65% likely"),
        (0.05, "about 5% likely"),
        (0.0499, "is less than 5% likely"),
        (0.0, "is less than 5% likely"),
    ],
)
def test_probabilities_are_rounded_to_five_per_cent_and_never_above_95(make, probability, said):
    assert said in claim_sentence(claiming(make, probability=probability))


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.0, 0.03, "0-3%"),
        (0.0512, 0.0731, "5.1-7.3%"),
        (0.00104, 0.00138, "0.10-0.14%"),
        (0.0, 2.7e-6, "0.00000-0.00027%"),
        (0.1, 0.1000001, "10.000000-10.000010%"),
    ],
)
def test_bounds_have_decimals_enough_to_differ(low, high, said):
    assert interval_in_words(low, high) == said
    first, second = said[:-1].split("-")
    assert first != second


@given(st.floats(0, 0.999), st.floats(1e-6, 1))
def test_rounding_moves_no_bound_by_more_than_a_sixth_of_the_width(low, width):
    high = min(low + width, 1.0)
    bounds = [float(bound.strip("<>")) for bound in interval_in_words(low, high)[:-1].split("-")]
    most = 100 * (high - low) / 6 + 1e-9
    assert abs(bounds[0] - 100 * low) <= most
    assert abs(bounds[1] - 100 * high) <= most
    assert bounds[0] < bounds[1]


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.081, 0.123, "expect an 8-12% error rate"),
        (0.111, 0.152, "expect an 11-15% error rate"),
        (0.183, 0.24, "expect an 18-24% error rate"),
        (0.0183, 0.024, "expect a 1.8-2.4% error rate"),
        (0.17, 0.21, "expect a 17-21% error rate"),
    ],
)
def test_the_article_is_that_of_the_first_number(make, low, high, said):
    assert said in claim_sentence(claiming(make, loss_low=low, loss_high=high))


def test_an_accuracy_has_bounds_of_its_own(make):
    text = claim_sentence(make(claim=CLAIM, measure=measure("accuracy")))
    assert text.endswith("within 1 point of the best of these five; expect a 92-96% accuracy.")


@pytest.mark.parametrize(
    ("name", "within", "low", "high", "said"),
    [
        ("auroc", 0.01, 0.02, 0.0512, "within 0.01 of the best of these five; expect an AUROC of "
         "0.949 to 0.980."),
        ("log_loss", 0.001, 0.2, 0.883, "within 2% of the best of these five; expect a log loss "
         "of 0.200 to 0.883."),
    ],
)  # fmt: skip
def test_other_measures_are_claimed_in_their_own_unit(make, name, within, low, high, said):
    """The lowest mean is .05."""
    claim = ShipClaim("logistic", within, 0.86, 0.0001, low, high, n_shared_splits=15)
    assert claim_sentence(make(claim=claim, measure=measure(name))).endswith(said)


def test_a_regret_is_a_share_of_a_loss_without_bound(make):
    one = ShipClaim("logistic", 0.001, 0.86, 1e-6, 0.03, 0.05, n_shared_splits=15)
    other = ShipClaim("cart", 0.001, 0.8, 0.0025, 0.03, 0.05, n_shared_splits=15)
    findings = make(claim=one, other_claims={"cart": other}, measure=measure("log_loss"))
    assert "within 2% of the best on new data" in prices_of_plausible(findings)
    assert prices_of_plausible(findings).endswith(
        "logistic about 85%, less than 0.1%; cart about 80%, 5.0%."
    )


def test_a_single_learner_has_the_interval_alone(make):
    alone = ShipClaim("logistic", 0.01, loss_low=0.038, loss_high=0.081, reason="only one")
    said = "On new data like these, expect a 4-8% error rate."
    assert claim_sentence(make(verdict={"order": ["logistic"]}, claim=alone)) == said
    # a baseline is a rival, but not a learner that could be picked
    assert claim_sentence(make(verdict={"order": ["logistic"]}, claim=CLAIM)) == said


def test_where_none_is_made_it_says_why(make):
    silent = ShipClaim("logistic", 0.01, reason="rows come in 12 groups")
    findings = make(claim=silent, other_claims={"cart": silent})
    assert claim_sentence(findings) == "No claim about new data: rows come in 12 groups."
    assert on_new_data(findings) == []


def test_without_a_pick_nothing_is_said(make):
    changes = {"best": None, "order": [], "candidates": [], "alternative": None}
    none = ShipClaim(None, 0.01, reason="no learner was picked")
    assert claim_sentence(make(verdict=changes, claim=none)) == ""
    assert on_new_data(make(verdict=changes, claim=none)) == []


def test_another_distance_is_said_in_points(make):
    assert "within 0.5 points of" in claim_sentence(claiming(make, within=0.005))
    assert "within 2 points of" in claim_sentence(claiming(make, within=0.02))
    auroc = get_measure("auroc", task="classification", classes=["a", "b"])
    claim = ShipClaim("logistic", 0.02, 0.86, 0.001)
    said = claim_sentence(make(measure=auroc, claim=claim))
    assert said.endswith("is about 85% likely to be within 0.02 of the best of these five.")


def test_a_small_loss_is_less_than_a_tenth_of_a_point(make):
    free = ShipClaim("cart", 0.01, 0.99, 0.0004)
    said = prices_of_plausible(make(claim=CLAIM, other_claims={"cart": free}))
    assert said.endswith("cart about 95%, less than 0.1 points.")


def test_a_learner_below_five_per_cent_is_not_listed(make):
    worse = ShipClaim("cart", 0.01, 0.049, 0.02)
    assert prices_of_plausible(make(claim=CLAIM, other_claims={"cart": worse})) == ""


def test_all_candidates_have_their_price_below_the_verdict(make):
    assert on_new_data(claiming(make))[0] == (
        "Probability of being within 1 point of the best on new data, and expected loss against "
        "it: logistic about 85%, 0.1 points; cart about 80%, 0.4 points."
    )
    assert on_new_data(make(claim=CLAIM)) == []


RAISED = "raise the claim about logistic to 95%"


@pytest.mark.parametrize(
    ("needed", "said"),
    [
        (
            MoreNeeded(n_repeats=12, endless_repeats_would=True),
            f"About 12 repeats would {RAISED}, if mean losses stay as they are.",
        ),
        (
            MoreNeeded(row_factor=3),
            f"More repeats would not {RAISED}; it takes about 3 times the rows, if mean "
            "losses stay as they are.",
        ),
        (
            MoreNeeded(endless_repeats_would=True),
            f"More repeats, up to 100 fits, would not {RAISED}; it takes more than 20 times the "
            "rows, if mean losses stay as they are.",
        ),
        (
            MoreNeeded(is_behind=True),
            "Neither more repeats nor more rows would raise the claim about logistic, if mean "
            "losses stay as they are: its error rate is already more than 1 point from the lowest.",
        ),
    ],
)
def test_what_would_help_is_said_below_the_verdict(make, needed, said):
    assert on_new_data(make(claim=CLAIM, more_needed=needed)) == [said]


def test_for_a_single_test_set_it_is_test_rows_that_help(make):
    findings = make(claim=CLAIM, verdict={"n_splits": 1}, more_needed=MoreNeeded(row_factor=2))
    said = f"It takes about 2 times the test rows to {RAISED}, if mean losses stay as they are."
    assert on_new_data(findings) == [said]


def test_a_claim_that_is_a_bound_is_printed_as_one_everywhere(make):
    claim = ShipClaim("logistic", 0.01, 0.93, 0.001, 0.03, 0.07)
    findings = make(
        claim=claim,
        is_claim_at_least=True,
        other_claims={"cart": CART},
        more_needed=MoreNeeded(row_factor=2),
    )
    assert "logistic is at least 90% likely" in claim_sentence(findings)
    prices, help_needed = on_new_data(findings)
    assert "logistic at least 90%, 0.1 points; cart at least 80%, 0.4 points." in prices
    assert "about 2 times the rows" in help_needed


def test_nothing_would_help_what_is_said_to_be_95_per_cent(make):
    claim = ShipClaim("logistic", 0.01, 0.93, 0.001, 0.03, 0.07)
    assert on_new_data(make(claim=claim, more_needed=MoreNeeded(row_factor=2))) == []


@pytest.mark.parametrize("written", [to_text, to_markdown, to_html_fragment, to_latex])
def test_every_format_has_the_claim(make, written):
    words = " ".join(written(claiming(make)).replace("\\", "").split())
    assert SAID in words

"""Sentences about new data: how they are rounded, and where they stand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestofk.inference.new_data import ShipClaim
from bestofk.report import to_html_fragment, to_latex, to_markdown, to_text
from bestofk.report.sentences.answers import claim_sentence
from bestofk.words import interval_in_words

CLAIM = ShipClaim("logistic", 0.01, 0.86, 0.0012, 0.038, 0.081, n_shared_splits=15)
CART = ShipClaim("cart", 0.01, 0.8, 0.0041, 0.048, 0.09, n_shared_splits=15)
SAID = (
    "On new data like these, logistic is about 85% likely to be within 1 point of the best of "
    "these five; expect a 4-8% error rate."
)


def claiming(make, **changes):
    claim = ShipClaim(**{**vars(CLAIM), **changes})
    return make(claim=claim, other_claims={"cart": CART})


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


@pytest.mark.parametrize("written", [to_text, to_markdown, to_html_fragment, to_latex])
def test_every_format_has_the_claim(make, written):
    words = " ".join(written(claiming(make)).replace("\\", "").split())
    assert SAID in words

"""Answers about learners against the pick."""

import math

import numpy as np
import pytest
from tests.unit.report.given_findings import measure, pair

from bestofk.report.sentences.answers import VersusPick, versus_pick


def test_answers_and_differences_are_those_of_the_pairs(make):
    answers = versus_pick(make())
    assert list(answers) == ["logistic", "cart", "1nn", "nearest-mean", "majority"]
    said = [item.answer for item in answers.values()]
    assert said == ["pick", "undecided", "undecided", "worse", "worse"]
    differences = [item.difference for item in answers.values()]
    np.testing.assert_allclose(differences, [0, 0.01, 0.04, 0.08, 0.6167], atol=1e-12)
    # pairs have the difference of the first minus the second, within -0.05 to 0.03
    assert (answers["cart"].low, answers["cart"].high) == (-0.03, 0.05)
    assert (answers["1nn"].low, answers["1nn"].high) == (-0.05, 0.03)


def test_a_test_that_does_not_rest_on_the_mean_may_decide_against_it(make):
    decided = pair("logistic", "cart", "better")
    against = [type(decided)(**{**vars(decided), "finding": "cart is better"})]
    assert versus_pick(make(verdict={"pairs": against}))["cart"].answer == "better"


def test_a_baseline_is_compared_on_the_splits_that_both_have(make):
    short = {"is_baseline": True, "scores": np.array([0.7, 0.6])}
    order = ["logistic", "cart", "1nn", "nearest-mean"]
    changes = {"order": order, "means": dict.fromkeys(order, 0.05), "pairs": []}
    changes["baselines"] = {"majority": {"logistic": True}}
    versus = versus_pick(make(verdict=changes, learners={"majority": short}))["majority"]
    # logistic has 0.03 and 0.04 on these two splits
    assert versus.answer == "worse"
    assert versus.difference == pytest.approx((0.67 + 0.56) / 2)


def test_a_learner_that_takes_no_part_has_no_answer(make):
    versus = versus_pick(make(learners={"1nn": {"left_out": "4 of 4 runs failed"}}))["1nn"]
    assert versus.answer == ""
    assert math.isnan(versus.difference)
    assert versus.in_words(measure("error")) == ""


def test_without_a_pick_there_are_no_answers(make):
    assert versus_pick(make(verdict={"best": None, "order": []})) == {}


@pytest.mark.parametrize(
    ("name", "said"),
    [("error", "worse (+1.2)"), ("accuracy", "worse (-1.2)"), ("auroc", "worse (-0.012)")],
)
def test_the_difference_is_printed_in_the_unit_of_the_measure(name, said):
    assert VersusPick("cart", "worse", 0.012).in_words(measure(name)) == said


def test_a_small_difference_of_percentages_keeps_a_digit():
    small = VersusPick("cart", "undecided", 0.0002)
    assert small.in_words(measure("error")) == "can't tell (+0.02)"

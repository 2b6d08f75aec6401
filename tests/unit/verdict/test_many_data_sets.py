"""The verdict over many data sets."""

import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.verdict.many_data_sets import decide_across
from bestofk.verdict.verdict_options import VerdictOptions

NAMES = ["lda", "cart", "1nn"]
RNG = np.random.default_rng(11)
BASE = 0.1 + 0.2 * RNG.random(12)
NOISE = 0.002 * RNG.normal(size=(12, 3))
LOSSES = BASE[:, None] + NOISE + [0.0, 0.001, 0.05]


def pair(verdict, first, second):
    return next(p for p in verdict.pairs if (p.first, p.second) == (first, second))


def codes(verdict):
    return [getattr(text, "code", "") for text in verdict.warnings]


def test_every_pair_has_one_of_three_answers():
    verdict = decide_across(NAMES, LOSSES, VerdictOptions(rope=0.01))
    assert pair(verdict, "lda", "1nn").answer == "better"
    assert pair(verdict, "lda", "1nn").finding == "lda is better"
    assert pair(verdict, "lda", "cart").answer == "practically equivalent"
    plain = decide_across(NAMES, LOSSES)
    assert pair(plain, "lda", "cart").answer == "undecided"
    assert np.isnan(pair(plain, "lda", "cart").p_equivalent)
    assert "not-equal" in codes(plain)


def test_without_preference_the_order_is_by_mean_loss_and_candidates_are_unbeaten():
    verdict = decide_across(NAMES, LOSSES)
    means = LOSSES.mean(axis=0)
    assert verdict.order == [NAMES[i] for i in np.argsort(means)]
    assert verdict.candidates == ["lda", "cart"]
    assert {(e.worse, e.better) for e in verdict.edges} == {("1nn", "lda"), ("1nn", "cart")}
    assert "winners-curse" in codes(verdict)
    assert verdict.means["1nn"] == pytest.approx(means[2])
    assert verdict.mean_ranks["1nn"] == 3


def test_with_a_preference_multitest_decides():
    verdict = decide_across(NAMES, LOSSES, VerdictOptions(prefer=["cart", "1nn", "lda"]))
    assert (verdict.best, verdict.order) == ("cart", ["cart", "lda", "1nn"])
    assert [(e.worse, e.better) for e in verdict.edges] == [("1nn", "lda")]
    assert verdict.edges[0].p_value == pytest.approx(0.5**12)
    assert verdict.edges[0].p_adjusted == pytest.approx(3 * 0.5**12)
    assert "Preference as listed" in verdict.preference
    assert "winners-curse" not in codes(verdict)


def test_a_preference_by_cost_takes_the_costs_of_those_that_take_part():
    costs = {"fit-time": [3.0, 1.0, 100.0]}
    verdict = decide_across(NAMES, LOSSES, VerdictOptions(prefer="fit-time"), costs=costs)
    assert verdict.best == "cart"


def test_nothing_rejected_follows_the_preference():
    alike = BASE[:, None] + NOISE
    verdict = decide_across(NAMES, alike, VerdictOptions(prefer=["1nn", "cart", "lda"]))
    assert (verdict.order, verdict.candidates) == (["1nn", "cart", "lda"], NAMES)


def test_a_control_makes_the_family_smaller_and_leaves_other_pairs_untested():
    verdict = decide_across(NAMES, LOSSES, VerdictOptions(correction="bonferroni"), control="lda")
    assert pair(verdict, "cart", "1nn").answer == "not tested"
    assert pair(verdict, "lda", "1nn").p_adjusted == pytest.approx(2 * 2 * 0.5**12)


def test_the_omnibus_line_is_there_for_more_than_two():
    assert decide_across(NAMES, LOSSES).omnibus.p_value < 0.001
    assert decide_across(NAMES[:2], LOSSES[:, :2]).omnibus is None


def test_a_data_set_with_a_gap_is_left_out_for_all_alike():
    losses = LOSSES.copy()
    losses[3, 1] = np.nan
    verdict = decide_across(NAMES, losses)
    expected = decide_across(NAMES, np.delete(LOSSES, 3, axis=0))
    assert verdict.left_out == {"data set 4": "no score of cart"}
    assert len(verdict.data_sets) == 11
    assert verdict.means == expected.means
    assert verdict.warnings[0] == "data set 4 is left out for all learners: no score of cart."
    assert codes(verdict)[0] == "incomplete"


def test_a_learner_that_lacks_most_data_sets_takes_no_part():
    losses = LOSSES.copy()
    losses[:7, 1] = np.nan
    verdict = decide_across(NAMES, losses)
    assert verdict.order == ["lda", "1nn"]
    assert verdict.left_out == {"cart": "no score on 7 of 12 data sets"}
    assert len(verdict.data_sets) == 12


def test_a_best_mean_that_hangs_on_one_data_set_is_said_to():
    losses = [[0.9, 0.1], [0.10, 0.11], [0.10, 0.12], [0.10, 0.11], [0.1, 0.12], [0.1, 0.12]]
    verdict = decide_across(["lda", "cart"], losses, data_sets=list("ABCDEF"))
    assert verdict.best == "cart"
    assert any("without A, lda has it" in text for text in verdict.warnings)


def test_a_best_mean_that_ranks_speak_against_is_no_candidate():
    losses = np.column_stack([np.full(12, 0.10), np.full(12, 0.11)])
    losses[:, 1] += 0.001 * np.arange(12)
    losses[0, 0] = 1.5
    verdict = decide_across(["lda", "cart"], losses)
    assert (verdict.best, verdict.candidates) == ("cart", ["lda"])
    assert any("not among the candidates" in text for text in verdict.warnings)


def test_the_order_of_the_learners_changes_no_answer():
    turned = decide_across(NAMES[::-1], LOSSES[:, ::-1], VerdictOptions(rope=0.01))
    straight = decide_across(NAMES, LOSSES, VerdictOptions(rope=0.01))
    assert turned.order == straight.order
    assert sorted(turned.candidates) == sorted(straight.candidates)
    assert pair(turned, "1nn", "lda").p_adjusted == pair(straight, "lda", "1nn").p_adjusted


@pytest.mark.parametrize(
    ("names", "losses", "message"),
    [
        (["lda"], [[0.1], [0.2]], "at least 2 learners .* got 1 and 2"),
        (NAMES, LOSSES[:1], "got 3 and 1"),
        (NAMES, LOSSES[:, :2], r"a column per learner \(3\); got shape \(12, 2\)"),
        (["lda", "cart"], [[0.1, np.inf], [0.2, 0.3]], "got inf of cart on data set 1"),
        (["lda", "cart"], [[0.1, np.nan], [0.2, 0.3]], "data set 1 is left out"),
    ],
)
def test_what_carries_no_verdict_is_refused(names, losses, message):
    with pytest.raises(DesignError, match=message):
        decide_across(names, losses)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"data_sets": ["a"] * 12}, "12 different names"),
        ({"control": "ldaa"}, "Did you mean 'lda'"),
        ({"rope": -1}, "rope must be"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message):
    asked = {n: options[n] for n in ("data_sets", "control") if n in options}
    settings = {n: value for n, value in options.items() if n not in asked}
    with pytest.raises(InvalidArgumentError, match=message):
        decide_across(NAMES, LOSSES, VerdictOptions(**settings), **asked)


def test_few_data_sets_show_no_pair_to_be_equivalent():
    losses = [[0.2, 0.2, 0.3]] * 4
    verdict = decide_across(NAMES, losses, VerdictOptions(rope=0.01))
    assert pair(verdict, "lda", "cart").p_equivalent == 1
    assert pair(verdict, "lda", "cart").answer == "undecided"
    assert any("Only 4 data sets: no pair is called practically" in w for w in verdict.warnings)
    assert pair(
        decide_across(NAMES, losses, VerdictOptions(rope=0.01, alpha=0.1)), "lda", "cart"
    ).answer == ("practically equivalent")
    five = decide_across(NAMES, [*losses, losses[0]], VerdictOptions(rope=0.01))
    assert pair(five, "lda", "cart").answer == "practically equivalent"
    assert not any("no pair is called" in w for w in five.warnings)


def test_a_preference_has_a_family_of_its_own_and_no_other_one():
    verdict = decide_across(NAMES, LOSSES, VerdictOptions(prefer="given"))
    families = [w for w in verdict.warnings if getattr(w, "code", "") == "multiplicity"]
    assert len(families) == 1
    assert "3 one-sided tests at a nominal 5% family-wise level (Holm)" in families[0]
    assert verdict.n_tests == len(verdict.pairs) == 3
    plain = decide_across(NAMES, LOSSES)
    assert not any("one-sided" in w for w in plain.warnings)

"""Verdicts: evidence and preference joined, computed by hand."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import Sampling
from bestofk.verdict import Evidence, decide, needs_all_splits
from bestofk.verdict.verdict_options import VerdictOptions

TEN_FOLDS = Sampling("k-fold", 10, 10, n_train=90, n_test=10)
FIVE_BY_TWO = Sampling("k-fold", 5, 2, n_train=50, n_test=50)


def evidence(losses, sampling=TEN_FOLDS, baselines=(), **costs):
    losses = {name: np.array(values, dtype=float) for name, values in losses.items()}
    n_splits = len(next(iter(losses.values())))
    return Evidence(
        names=list(losses),
        losses=np.column_stack(list(losses.values())),
        sampling=sampling,
        is_baseline=[name in baselines for name in losses],
        costs={kind.replace("_", "-"): values for kind, values in costs.items()},
        repeat_of_split=np.arange(n_splits) // sampling.n_folds,
        run_seconds=[np.tile([seconds, 0.01], (5, 1)) for seconds in costs.get("fit_time", ())],
    )


def noisy(means, n_splits=100, sd=0.01, seed=0):
    """Return losses whose means are those given, so far as the noise of each pair allows."""
    noise = np.random.default_rng(seed).normal(scale=sd, size=(len(means), n_splits))
    noise -= noise.mean(axis=1, keepdims=True)
    return dict(zip(means, np.array(list(means.values()))[:, None] + noise, strict=True))


CLEAR = {"plain": 0.30, "middle": 0.20, "rich": 0.10}  # far apart against the noise
CLOSE = {"plain": 0.1001, "middle": 0.1002, "rich": 0.1}  # not to be told apart


# -- without preference ---------------------------------------------------------------------


def test_without_preference_the_lowest_mean_is_best():
    verdict = decide(evidence(noisy(CLEAR)))
    assert (verdict.best, verdict.order) == ("rich", ["rich", "middle", "plain"])
    assert verdict.candidates == ["rich"]
    assert not verdict.has_preference
    assert {(edge.worse, edge.better) for edge in verdict.edges} == {
        ("plain", "middle"), ("plain", "rich"), ("middle", "rich"),
    }  # fmt: skip


def test_of_learners_tied_with_the_lowest_mean_the_first_is_best():
    tied = replace(
        evidence(noisy({"a": 0.21, "b": 0.204, "c": 0.2, "d": 0.202})), indifference=0.005
    )
    verdict = decide(tied)
    assert (verdict.best, verdict.order) == ("b", ["b", "c", "d", "a"])
    assert verdict.means["c"] < verdict.means["b"]
    beaten = replace(tied, is_beaten=[False, True, False, False])
    assert decide(beaten).best == "c"


def test_a_cheaper_candidate_may_be_better_than_a_best_that_is_tied_with_it():
    given = evidence(noisy({"slow": 0.204, "fast": 0.2}), fit_time=[8.0, 1.0])
    verdict = decide(replace(given, indifference=0.005))
    assert (verdict.best, verdict.alternative.name) == ("slow", "fast")
    assert verdict.alternative.difference == pytest.approx(-0.004)


def test_learners_not_shown_to_differ_all_stay_candidates():
    verdict = decide(evidence(noisy(CLOSE)))
    assert (verdict.best, verdict.candidates) == ("rich", ["plain", "middle", "rich"])
    assert verdict.edges == []
    assert {pair.finding for pair in verdict.pairs} == {"undecided"}


def test_two_learners_are_compared_by_the_plain_formula():
    first, second = [0.3, 0.3, 0.4, 0.4], [0.1, 0.2, 0.1, 0.2]
    sampling = Sampling("k-fold", 1, 4, n_train=75, n_test=25)
    verdict = decide(evidence({"a": first, "b": second}, sampling))
    # differences .2 .1 .3 .2: mean .2, variance .02/3, four scores, test to train 1/3
    error = np.sqrt((1 / 4 + 1 / 3) * 0.02 / 3)
    (pair,) = verdict.pairs
    assert pair.difference == pytest.approx(0.2)
    assert (pair.statistic, pair.df) == (pytest.approx(0.2 / error), 3)
    assert pair.p_value == pytest.approx(2 * student.sf(0.2 / error, 3))
    assert pair.low == pytest.approx(0.2 - student.ppf(0.975, 3) * error)
    assert pair.high == pytest.approx(0.2 + student.ppf(0.975, 3) * error)
    # one family of both one-sided tests
    assert pair.p_adjusted == pytest.approx(2 * student.sf(0.2 / error, 3))


def test_the_price_of_the_cheaper_candidate_is_its_difference_and_one_sided_bound():
    first, second = [0.2, 0.1, 0.3, 0.2], [0.1, 0.2, 0.1, 0.2]
    sampling = Sampling("hold-out", 4, 1, n_train=60, n_test=30)
    given = evidence({"cheap": first, "dear": second}, sampling, fit_time=[1.0, 9.0])
    verdict = decide(given, VerdictOptions(alpha=0.1))
    # differences .1 -.1 .2 0: mean .05, sum of squared deviations .05
    error = np.sqrt((1 / 4 + 1 / 2) * 0.05 / 3)
    assert (verdict.best, verdict.alternative.name) == ("dear", "cheap")
    assert verdict.alternative.difference == pytest.approx(0.05)
    assert verdict.alternative.upper_bound == pytest.approx(0.05 + student.ppf(0.9, 3) * error)


@pytest.mark.parametrize("seconds", [[1.0, 1.0, 1.9], [9.0, 9.0, 1.0]])
def test_no_price_is_named_where_the_best_is_as_cheap_as_any(seconds):
    assert decide(evidence(noisy(CLOSE), fit_time=seconds)).alternative is None


def test_of_several_cheaper_candidates_the_one_with_the_lowest_mean_is_named():
    verdict = decide(evidence(noisy(CLOSE), fit_time=[2.0, 1.0, 9.0]))
    assert verdict.best == "rich"
    assert verdict.alternative.name == "plain"  # twice as dear as the middle one, and better
    assert verdict.alternative.saves == ("training",)


def test_a_cheap_learner_that_is_beaten_is_no_alternative():
    assert decide(evidence(noisy(CLEAR), fit_time=[0.1, 0.1, 9.0])).alternative is None


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("prefer", [None, ["c", "a", "d", "b"]])
def test_the_order_of_input_does_not_matter(seed, prefer):
    rng = np.random.default_rng(seed)
    losses = noisy(dict(zip("abcd", rng.uniform(0.10, 0.12, 4), strict=True)), sd=0.02, seed=seed)
    whole = decide(evidence(losses, fit_time=[1.0, 5.0, 20.0, 90.0]), VerdictOptions(prefer=prefer))
    order = rng.permutation(4)
    names = [list(losses)[i] for i in order]
    mixed = decide(
        evidence(
            {name: losses[name] for name in names},
            fit_time=np.array([1.0, 5.0, 20.0, 90.0])[order],
        ),
        VerdictOptions(prefer=prefer),
    )
    assert (mixed.best, mixed.order) == (whole.best, whole.order)
    assert set(mixed.candidates) == set(whole.candidates)
    assert (mixed.reversed_best, mixed.first_test_best) == (
        whole.reversed_best,
        whole.first_test_best,
    )
    assert mixed.alternative == whole.alternative
    assert {(e.worse, e.better): e.p_adjusted for e in mixed.edges} == pytest.approx(
        {(e.worse, e.better): e.p_adjusted for e in whole.edges}
    )


# -- with preference ------------------------------------------------------------------------


def test_the_preference_is_followed_when_nothing_is_rejected():
    verdict = decide(evidence(noisy(CLOSE)), VerdictOptions(prefer=["middle", "rich", "plain"]))
    assert (verdict.best, verdict.order) == ("middle", ["middle", "rich", "plain"])
    assert verdict.reversed_best == "plain"
    assert verdict.first_test_best is None
    assert verdict.edges == []
    assert verdict.alternative is None
    assert verdict.preference == "Preference as listed: middle, rich, plain."


def test_the_preference_gives_way_to_evidence():
    verdict = decide(
        evidence(noisy({"plain": 0.3, "middle": 0.1001, "rich": 0.1})),
        VerdictOptions(prefer="given"),
    )
    assert (verdict.best, verdict.order) == ("middle", ["middle", "rich", "plain"])
    assert verdict.reversed_best == "rich"
    assert verdict.first_test_best is None  # middle is not shown to be worse than rich
    assert [(edge.worse, edge.better) for edge in verdict.edges] == [
        ("plain", "middle"), ("plain", "rich"),
    ]  # fmt: skip


def test_clear_evidence_makes_every_procedure_agree():
    verdict = decide(evidence(noisy(CLEAR)), VerdictOptions(prefer="given"))
    assert verdict.best == verdict.reversed_best == verdict.first_test_best == "rich"
    assert verdict.order == ["rich", "middle", "plain"]


def test_edges_hold_the_one_sided_test_and_its_correction():
    losses = {"plain": [0.30, 0.32, 0.28, 0.30], "rich": [0.10, 0.11, 0.10, 0.09]}
    sampling = Sampling("hold-out", 4, 1, n_train=60, n_test=30)
    verdict = decide(
        evidence(losses, sampling), VerdictOptions(prefer="given", correction="bonferroni")
    )
    differences = np.subtract(losses["plain"], losses["rich"])
    error = np.sqrt((1 / 4 + 1 / 2) * differences.var(ddof=1))
    (edge,) = verdict.edges
    assert edge.difference == pytest.approx(0.2)
    assert edge.statistic == pytest.approx(differences.mean() / error)
    assert edge.p_value == pytest.approx(student.sf(differences.mean() / error, 3))
    assert edge.p_adjusted == edge.p_value  # a family of one


def test_a_lowest_mean_that_the_test_holds_to_be_beaten_is_warned_of():
    # the 5x2cv t rests on the first difference, and here that speaks against the mean
    low = np.full(10, 0.2) + np.tile([0.0, 0.001], 5)
    low[:2] = 0.5
    high = np.full(10, 0.3)
    high[:2] = 0.2
    verdict = decide(
        evidence({"low": low, "high": high}, FIVE_BY_TWO), VerdictOptions(test="5x2cv-t")
    )
    assert (verdict.best, verdict.candidates) == ("low", ["high"])
    assert [(edge.worse, edge.better) for edge in verdict.edges] == [("low", "high")]
    assert verdict.pairs[0].finding == "high is better"
    assert verdict.pairs[0].p_adjusted <= 0.05
    assert any("which does not use the mean" in text for text in verdict.warnings)


# -- degenerate cases -----------------------------------------------------------------------


@pytest.mark.parametrize("prefer", [None, "given", ["only"]])
def test_one_learner_is_best_without_edges_and_with_a_warning(prefer):
    verdict = decide(evidence({"only": np.linspace(0, 1, 100)}), VerdictOptions(prefer=prefer))
    assert verdict.best == "only"
    assert (verdict.order, verdict.candidates) == (["only"], ["only"])
    assert (verdict.edges, verdict.pairs, verdict.alternative) == ([], [], None)
    assert verdict.warnings == ("only is the only learner, so it was compared with none.",)


def test_identical_learners_are_told_to_be_the_same_on_every_split():
    values = np.linspace(0.1, 0.2, 100)
    verdict = decide(evidence({"a": values, "b": values}))
    assert (verdict.best, verdict.candidates) == ("a", ["a", "b"])
    (pair,) = verdict.pairs
    assert (pair.statistic, pair.p_value, pair.zero_variance) == (0.0, 1.0, True)
    assert (pair.finding, pair.answer) == ("same scores", "practically equivalent")
    assert "a and b: the same scores on all 100 splits." in verdict.warnings


@pytest.mark.parametrize("settings", [VerdictOptions(), VerdictOptions(prefer="given", rope=0.5)])
def test_differences_that_do_not_vary_are_no_evidence(settings):
    values = np.linspace(0.1, 0.2, 100)
    verdict = decide(evidence({"a": values + 0.1, "b": values}), settings)
    assert verdict.best == ("b" if settings.prefer is None else "a")
    assert (verdict.candidates, verdict.edges) == (["a", "b"], [])
    (pair,) = verdict.pairs
    assert pair.answer == ("undecided" if settings.prefer is None else "not tested")
    assert np.isnan([pair.p_value, pair.p_adjusted, pair.low, pair.p_equivalent]).all()
    said = "the differences hardly vary over 100 splits, and a test needs variance"
    assert pair.no_test == said
    assert f"a and b: {said}." in verdict.warnings


def test_a_single_split_carries_no_test():
    single = Sampling("test-set", 1, 1, n_train=70, n_test=30)
    verdict = decide(evidence({"a": [0.3], "b": [0.1]}, single, fit_time=[1.0, 9.0]))
    assert (verdict.best, verdict.candidates) == ("b", ["a", "b"])
    assert (verdict.test, verdict.pairs, verdict.edges) == ("", [], [])
    assert verdict.alternative is None
    assert np.isnan(verdict.same_pick_share)
    assert verdict.warnings[0] == (
        "No test can be made from 1 split: every learner stays a candidate."
    )


def test_a_single_split_leaves_the_preference_as_it_is():
    single = Sampling("test-set", 1, 1, n_train=70, n_test=30)
    verdict = decide(evidence({"a": [0.3], "b": [0.1]}, single), VerdictOptions(prefer="given"))
    assert (verdict.best, verdict.reversed_best, verdict.first_test_best) == ("a", "b", None)


def test_a_test_that_misses_splits_is_not_made_and_another_is_named():
    sampling = Sampling("k-fold", 3, 2, n_train=50, n_test=50)
    given = evidence(noisy(CLEAR, 6), sampling)
    verdict = decide(
        replace(given, is_complete=False), VerdictOptions(test="5x2cv-t", prefer="given")
    )
    assert (verdict.best, verdict.test) == ("plain", "")
    assert verdict.candidates == ["plain", "middle", "rich"]
    assert verdict.warnings == (
        "5x2cv-t cannot be made from the 6 splits that all learners have finished: every learner "
        "stays a candidate. Usable here: corrected-t.",
    )


def test_a_plan_that_cannot_carry_the_test_is_refused_naming_those_that_can():
    with pytest.raises(DesignError, match="Usable here: corrected-t"):
        decide(evidence(noisy(CLEAR)), VerdictOptions(test="5x2cv-t"))


def test_unknown_tests_are_refused_even_where_no_test_is_possible():
    single = Sampling("test-set", 1, 1, n_train=70, n_test=30)
    with pytest.raises(InvalidArgumentError, match="test must be a known name"):
        decide(evidence({"a": [0.3], "b": [0.1]}, single), VerdictOptions(test="f-test"))


@pytest.mark.parametrize("prefer", [None, "given"])
@pytest.mark.parametrize(
    ("options", "message"), [({"correction": "none"}, "none"), ({"alpha": 2}, "alpha must be")]
)
def test_a_correction_or_level_that_is_not_allowed_is_refused(prefer, options, message):
    for losses in (noisy(CLEAR), {"only": np.ones(100)}):
        with pytest.raises(InvalidArgumentError, match=message):
            decide(evidence(losses), VerdictOptions(prefer=prefer, **options))


def test_only_the_5x2cv_t_test_needs_all_splits():
    assert needs_all_splits("cv52_t")
    assert not needs_all_splits("corrected-t")
    assert not needs_all_splits("paired-t")


# -- baselines ------------------------------------------------------------------------------


def test_a_baseline_is_never_best_and_never_a_candidate():
    losses = noisy({"majority": 0.05, **CLEAR})
    for prefer in (None, "given", ["plain", "middle", "rich"]):
        verdict = decide(evidence(losses, baselines=["majority"]), VerdictOptions(prefer=prefer))
        assert verdict.best == "rich"
        assert "majority" not in [*verdict.order, *verdict.candidates]
        assert verdict.baselines == {"majority": {"plain": False, "middle": False, "rich": False}}
        assert verdict.means["majority"] == pytest.approx(0.05)
        assert any(
            "rich is not significantly better than majority" in text for text in verdict.warnings
        )


def test_learners_are_held_against_the_baseline_as_one_family():
    losses = noisy({"majority": 0.2, "worse": 0.25, "better": 0.1, "same": 0.2001})
    verdict = decide(evidence(losses, baselines=["majority"]))
    assert verdict.baselines["majority"] == {"worse": False, "better": True, "same": False}
    assert not any("not significantly better than majority" in text for text in verdict.warnings)


def test_a_baseline_changes_nothing_between_the_others():
    losses = noisy(CLEAR)
    alone = decide(evidence(losses))
    beside = decide(evidence({**losses, "majority": np.ones(100)}, baselines=["majority"]))
    assert (beside.pairs, beside.edges) == (alone.pairs, alone.edges)


def test_baselines_alone_give_no_verdict():
    with pytest.raises(InvalidArgumentError, match="must hold a learner that is no baseline"):
        decide(evidence({"majority": np.ones(100)}, baselines=["majority"]))


# -- how sure ------------------------------------------------------------------------------


def test_the_share_of_repeats_with_the_same_pick_is_told():
    sampling = Sampling("k-fold", 4, 2, n_train=50, n_test=50)
    losses = {"a": [1, 1, 1, 1, 1, 1, 9, 9], "b": [2, 2, 2, 2, 1, 1, 8, 8]}
    # a is lowest in the first two repeats, as low in the third, not in the fourth
    verdict = decide(evidence(losses, sampling), VerdictOptions(prefer="given"))
    assert (verdict.best, verdict.same_pick_share) == ("a", 0.75)


@pytest.mark.parametrize("correction", ["holm", "bonferroni"])
def test_a_level_of_its_own_decides_each_family(correction):
    # one-sided p of the pair is about 0.03
    losses = {"a": [0.3, 0.3, 0.4, 0.4], "b": [0.1, 0.2, 0.1, 0.3]}
    given = evidence(losses, Sampling("k-fold", 1, 4, n_train=75, n_test=25))
    strict = decide(given, VerdictOptions(alpha=0.01, correction=correction, prefer="given"))
    lenient = decide(given, VerdictOptions(alpha=0.2, correction=correction, prefer="given"))
    assert (strict.best, lenient.best) == ("a", "b")

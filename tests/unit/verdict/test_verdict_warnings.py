"""Warnings about a verdict on one data set, and cases without them."""

import numpy as np
import pytest

from bestofk.inference import Caution, Sampling
from bestofk.inference.many_learners.mean_losses import repeat_means
from bestofk.inference.many_learners.pair_evidence import compare_on_rows
from bestofk.verdict import Evidence, decide
from bestofk.verdict.verdict import family_caution, n_tests
from bestofk.verdict.verdict_options import VerdictOptions

TEN_FOLDS = Sampling("k-fold", 10, 10, n_train=90, n_test=10)
FIVE_BY_TWO = Sampling("k-fold", 5, 2, n_train=50, n_test=50)


def decided(means, *, sd=0.01, sampling=TEN_FOLDS, baselines=(), unstable=(), on_rows=None,
            no_row_test="", **options):  # fmt: skip
    n = sampling.n_scores
    noise = np.random.default_rng(0).normal(scale=sd, size=(len(means), n))
    evidence = Evidence(
        names=list(means),
        losses=np.array(list(means.values())) + noise.T,
        sampling=sampling,
        is_baseline=[name in baselines for name in means],
        costs={},
        repeat_of_split=np.arange(n) // sampling.n_folds,
        unstable=tuple(unstable),
        on_rows=on_rows,
        no_row_test=no_row_test,
    )
    return decide(evidence, VerdictOptions(**options))


def codes(verdict):
    return [warning.code for warning in verdict.warnings if isinstance(warning, Caution)]


FAR = {"a": 0.1, "b": 0.3}
NEAR = {"a": 0.1, "b": 0.1001}


def test_a_clear_verdict_says_the_family_and_that_the_best_was_chosen():
    verdict = decided(FAR)
    assert codes(verdict) == ["winners-curse", "multiplicity"]
    assert "2 one-sided tests at a nominal 5% family-wise level (Holm)" in verdict.warnings[-1]


def test_an_undecided_pair_is_not_equal():
    assert "not-equal" in codes(decided(NEAR))
    assert "not-equal" not in codes(decided(FAR))


def test_a_pair_that_is_practically_equivalent_is_decided():
    verdict = decided(NEAR, sd=0.001, rope=0.05)
    assert verdict.pairs[0].answer == "practically equivalent"
    assert "not-equal" not in codes(verdict)


def test_differences_that_do_not_vary_are_named():
    verdict = decided(FAR | {"c": 0.1}, sd=0)
    vary = "the differences hardly vary over 100 splits, and a test needs variance."
    assert f"a and b; b and c: {vary}" in verdict.warnings
    assert "a and c: the same scores on all 100 splits." in verdict.warnings
    assert codes(verdict).count("degenerate") == 2


def test_unstable_learners_are_named():
    first = decided(FAR, unstable=["a"]).warnings
    two = decided(FAR, unstable=["a", "b"]).warnings
    assert any(text.startswith("a depends strongly on") for text in first)
    assert any(text.startswith("a, b depend strongly on") for text in two)
    assert "unstable-learner" not in codes(decided(FAR))


def many(k):
    return {f"m{index}": 0.1 + index / 100 for index in range(k)}


@pytest.mark.parametrize(
    ("k", "test", "is_warned"),
    [(12, "5x2cv-t", True), (10, "5x2cv-t", False), (12, "corrected-t", False)],
)
def test_5x2cv_t_of_more_than_ten_learners_is_warned_of(k, test, is_warned):
    verdict = decided(many(k), sampling=FIVE_BY_TWO, test=test)
    text = "5x2cv-t has 5 degrees of freedom; corrected for 66 pairs"
    assert any(warning.startswith(text) for warning in verdict.warnings) == is_warned


def test_the_smallest_difference_is_told_with_more_than_ten_learners():
    assert decided(many(10)).smallest_difference is None
    verdict = decided(many(12))
    difference = verdict.smallest_difference
    shown = [pair for pair in verdict.pairs if abs(pair.difference) > 2 * difference]
    assert difference > 0
    assert all(pair.answer == "better" for pair in shown)


def test_a_pick_by_preference_names_one_family_of_tests():
    means = {"a": 0.30, "b": 0.299, "c": 0.298}
    verdict = decided(means, sd=0.0005, prefer="given", alpha=0.05)
    assert verdict.best == "c"
    assert "winners-curse" not in codes(verdict)
    assert codes(verdict).count("multiplicity") == 1
    assert "3 one-sided tests at a nominal 5% family-wise level (Holm)" in verdict.warnings[-1]


def test_a_baseline_that_is_not_beaten_is_told():
    verdict = decided(NEAR | {"majority": 0.1}, baselines=["majority"])
    text = f"{verdict.best} is not significantly better than majority, which ignores the inputs."
    assert text in verdict.warnings
    assert "separately against majority" in " ".join(verdict.warnings)
    beaten = decided(FAR | {"majority": 0.9}, baselines=["majority"]).warnings
    assert not any("not significantly better than" in item for item in beaten)


def test_the_dependence_on_the_seed_is_told_only_where_repeats_disagree():
    assert "split-seed" in codes(decided(NEAR))
    assert "split-seed" not in codes(decided(FAR))
    (text,) = [
        warning
        for warning in decided(NEAR).warnings
        if getattr(warning, "code", "") == "split-seed"
    ]
    assert "of 10 repeats" in text


def test_a_single_split_makes_no_test_and_says_so():
    sampling = Sampling("test-set", 1, 1, n_train=70, n_test=30)
    verdict = decided(FAR, sampling=sampling)
    assert (
        verdict.warnings[0] == "No test can be made from 1 split: every learner stays a candidate."
    )
    said = decided(FAR, sampling=sampling, no_row_test="F1 is not computed row by row").warnings[0]
    assert said.startswith("No test can be made from one test set, because F1 is not computed row")
    needing = decided(FAR, sampling=sampling, test="delong").warnings[0]
    assert needing.startswith("delong needs two classes, and kept probabilities")
    assert (
        decided(FAR, sampling=sampling, test="mcnemar").warnings[0].startswith("mcnemar needs the")
    )


def test_rows_of_a_test_set_take_the_place_of_splits():
    wrong = np.array([[0] * 20, [1] * 10 + [0] * 10], dtype=float)
    rows = compare_on_rows("mcnemar", "error", losses=wrong.T, rankings=None, is_positive=None)
    sampling = Sampling("test-set", 1, 1, n_train=70, n_test=20)
    verdict = decided(FAR, sampling=sampling, on_rows=rows, sd=0)
    assert (verdict.test, verdict.candidates) == ("mcnemar", ["a"])
    assert verdict.pairs[0].p_value == pytest.approx(1 / 1024)


def test_families_are_counted_one_way_with_a_preference_and_both_ways_without():
    assert n_tests(4, has_preference=False) == 12
    assert n_tests(2, has_preference=True) == 1
    said = family_caution("test", 12, "holm", 0.1)
    assert "12 one-sided tests at a nominal 10% family-wise level (Holm)" in said
    said = family_caution("test", 1, "bonferroni", 0.05)
    assert "1 one-sided test at a nominal 5% family-wise level (Bonferroni)" in said


def test_means_of_repeats_may_have_different_numbers_of_splits():
    means = repeat_means(np.array([[1.0], [3.0], [5.0]]), np.array([0, 0, 4]))
    assert means.tolist() == [[2.0], [5.0]]

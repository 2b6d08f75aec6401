import math

import numpy as np
import pytest

from bestofk.inference import corrected_resampled_t_test, five_by_two_cv_t_test, paired_t_test

A, B = [0.16, 0.18, 0.20, 0.18], [0.20, 0.21, 0.25, 0.18]
SAME_STEP = ([0.13, 0.17, 0.12, 0.18, 0.15], [0.18, 0.22, 0.17, 0.23, 0.20])


def codes(result) -> list[str]:
    return [getattr(warning, "code", "") for warning in result.warnings]


def test_the_effect_size_is_the_mean_over_the_standard_deviation() -> None:
    result = paired_t_test(A, B)
    assert result.effect_size == pytest.approx(-0.03 / np.std([4, 3, 5, 0], ddof=1) * 100)
    assert ("d_z (mean / sd)", "-1.389") in result.rows()


def test_the_effect_size_of_scores_that_do_not_vary_is_a_limit() -> None:
    assert paired_t_test(*SAME_STEP).effect_size == -math.inf
    assert paired_t_test(A, A).effect_size == 0


def test_a_high_p_value_is_not_called_equal() -> None:
    two_sided = paired_t_test(A, B)
    assert "not-equal" in codes(two_sided)
    assert two_sided.warnings[0].startswith("Undecided at 0.05 whether they differ")
    assert "whether the first is greater" in paired_t_test(A, B, alternative="greater").warnings[0]
    assert "not-equal" not in codes(paired_t_test(A, B, alternative="less"))


def test_few_scores_say_how_large_a_difference_must_be() -> None:
    (few,) = (warning for warning in paired_t_test(A, B).warnings if "Only 4 scores" in warning)
    assert few.code == "few-scores"
    assert few.endswith("a mean difference must exceed 0.0344 to be shown at 0.05.")
    (few,) = (
        warning for warning in paired_t_test(A, B, alternative="less").warnings if "Only" in warning
    )
    assert few.endswith("must exceed 0.0254 to be shown at 0.05.")
    assert "few-scores" not in codes(paired_t_test(np.arange(10) / 7, np.zeros(10)))


def test_few_scores_that_do_not_vary_can_show_nothing_in_particular() -> None:
    (few,) = (warning for warning in paired_t_test(*SAME_STEP).warnings if "Only" in warning)
    assert few == "Only 5 scores: small differences cannot be detected."


def test_each_warning_has_its_code_where_it_has_one() -> None:
    assert codes(paired_t_test(*SAME_STEP)) == ["degenerate", "few-scores", "overlap"]
    corrected = corrected_resampled_t_test(A, B, n_train=75, n_test=25)
    assert codes(corrected) == ["not-equal", "", "few-scores", "unstable-learner"]
    folds = np.array([[4, 3], [2, 2], [3, 1], [2, 2], [3, 3]]) / 100
    assert codes(five_by_two_cv_t_test(folds, np.zeros((5, 2)))) == ["", "unstable-learner"]


def test_assumptions_are_sentences() -> None:
    for result in (paired_t_test(A, B), corrected_resampled_t_test(A, B, n_train=3, n_test=1)):
        assert "same splits" in result.assumptions[0]
        assert all(assumption.endswith(".") for assumption in result.assumptions)

import numpy as np
import pytest

from bestofk.inference import paired_t_test, repeated_measures_anova_test

SCORES = np.array([[0.20, 0.22, 0.21, 0.24], [0.25, 0.24, 0.26, 0.27], [0.21, 0.24, 0.22, 0.23]])


def test_two_learners_give_the_square_of_the_paired_t() -> None:
    result, t = repeated_measures_anova_test(SCORES[:2].T), paired_t_test(SCORES[0], SCORES[1])
    assert result.statistic == pytest.approx(t.statistic**2)
    assert result.p_value == pytest.approx(t.p_value)
    assert (result.epsilon_gg, result.epsilon_hf) == (1, 1)
    assert result.p_gg == pytest.approx(result.p_value)


def test_epsilon_is_that_of_the_eigenvalues_of_contrasts() -> None:
    contrasts = np.array([[1, -1, 0], [1, 1, -2]]) / np.sqrt([[2], [6]])
    eigenvalues = np.linalg.eigvalsh(contrasts @ np.cov(SCORES) @ contrasts.T)
    wanted = eigenvalues.sum() ** 2 / (2 * (eigenvalues**2).sum())
    result = repeated_measures_anova_test(SCORES.T)
    assert result.epsilon_gg == pytest.approx(wanted)
    assert result.p_value <= result.p_hf <= result.p_gg


def test_differences_that_do_not_vary_give_limits() -> None:
    splits = np.array([0.1, 0.2, 0.4])
    same = repeated_measures_anova_test(np.transpose([splits, splits]))
    assert (same.statistic, same.p_value, same.p_gg, same.p_hf) == (0, 1, 1, 1)
    apart = repeated_measures_anova_test(np.transpose([splits, splits + 0.1, splits]))
    assert (apart.statistic, apart.p_value, apart.p_gg) == (np.inf, 0, 0)
    assert same.flags == apart.flags == ("zero_variance",)
    assert (apart.epsilon_gg, apart.epsilon_hf) == (1, 1)


def test_scores_that_are_all_the_same_have_no_effect() -> None:
    assert repeated_measures_anova_test(np.full((4, 3), 0.2)).effect_size == 0


def test_few_splits_of_many_learners_have_the_smallest_epsilon_or_more() -> None:
    result = repeated_measures_anova_test(
        np.random.default_rng(3).normal(size=(2, 6)), names=list("abcdef")
    )
    assert result.epsilon_gg == pytest.approx(1 / 5)
    assert 1 / 5 <= result.epsilon_hf <= 1


def test_the_result_reads_as_a_table() -> None:
    assert "p value, Greenhouse-Geisser  0.01669 (0.7665)" in str(
        repeated_measures_anova_test(SCORES.T)
    )

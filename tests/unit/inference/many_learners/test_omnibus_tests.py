"""Analyses of variance, and the test of Kruskal and Wallis."""

import numpy as np
import pytest

from bestofk.inference import (
    Sampling,
    anova_test,
    kruskal_wallis_test,
    paired_t_test,
    repeated_measures_anova_test,
)

SCORES = [[0.20, 0.25], [0.22, 0.24], [0.21, 0.26]]


def codes(warnings: tuple[str, ...]) -> list[str]:
    return [warning.code for warning in warnings]  # type: ignore[attr-defined]


def test_mean_squares_and_f_are_those_by_hand_and_read_as_a_table() -> None:
    result = anova_test(SCORES)
    assert result.ms_learners == pytest.approx(0.0024)
    assert result.ms_error == pytest.approx(0.0001)
    assert result.statistic == pytest.approx(24)
    assert result.df == (1, 4)
    assert result.effect_size == pytest.approx(0.0024 / 0.0028)
    assert result.levels == pytest.approx((0.21, 0.25))
    assert result.names == ("learner 1", "learner 2")
    result = anova_test(SCORES, names=["cart", "1nn"])
    assert "mean square of error     0.0001" in str(result)
    assert result.to_frame()["ms_learners"][0] == pytest.approx(0.0024)


def test_what_does_not_vary_gives_limits() -> None:
    result = anova_test(np.transpose([[0.1 + 0.2] * 3, [0.3] * 3]))
    assert (result.statistic, result.p_value, result.flags) == (0, 1, ("zero_variance",))
    assert result.effect_size == 0
    assert codes(result.warnings) == ["degenerate", "overlap", "not-equal"]
    result = anova_test([[0.1, 0.3], [0.1, 0.3], [0.1, 0.3]])
    assert (result.statistic, result.p_value, result.flags) == (np.inf, 0, ("zero_variance",))
    assert result.effect_size == 1
    result = anova_test([[0.1, 0.3], [0.3, 0.1]])
    assert (result.statistic, result.p_value, result.flags) == (0, 1, ())


def test_cautions_come_from_data_that_call_for_them_and_say_what_can_be_shown() -> None:
    assert codes(anova_test(SCORES).warnings) == ["overlap", "few-scores"]
    halves = Sampling("k-fold", 1, 2)
    assert codes(anova_test([[0.1, 0.7], [0.2, 0.8]], sampling=halves).warnings) == ["few-scores"]
    ten = [[0.2, 0.25], [0.3, 0.26]] * 5
    assert codes(anova_test(ten).warnings) == ["overlap", "not-equal"]
    repeated = Sampling("hold-out", 10, 1)
    assert codes(anova_test(ten, sampling=repeated).warnings) == ["overlap", "not-equal"]
    # F(0.95; 1, 4) = 7.709: 7.709 / (7.709 + 4) = 0.658
    warning = anova_test(SCORES).warnings[1]
    assert warning == (
        "Only 3 scores of each learner: learners differ significantly at 0.05 only if they explain "
        "at least 66% of the variance."
    )


OF_LEARNERS = np.array(
    [[0.20, 0.22, 0.21, 0.24], [0.25, 0.24, 0.26, 0.27], [0.21, 0.24, 0.22, 0.23]]
)


def test_two_learners_give_the_square_of_the_paired_t() -> None:
    result, t = (
        repeated_measures_anova_test(OF_LEARNERS[:2].T),
        paired_t_test(OF_LEARNERS[0], OF_LEARNERS[1]),
    )
    assert result.statistic == pytest.approx(t.statistic**2)
    assert result.p_value == pytest.approx(t.p_value)
    assert (result.epsilon_gg, result.epsilon_hf) == (1, 1)
    assert result.p_gg == pytest.approx(result.p_value)


def test_epsilon_is_that_of_the_eigenvalues_of_contrasts() -> None:
    contrasts = np.array([[1, -1, 0], [1, 1, -2]]) / np.sqrt([[2], [6]])
    eigenvalues = np.linalg.eigvalsh(contrasts @ np.cov(OF_LEARNERS) @ contrasts.T)
    wanted = eigenvalues.sum() ** 2 / (2 * (eigenvalues**2).sum())
    result = repeated_measures_anova_test(OF_LEARNERS.T)
    assert result.epsilon_gg == pytest.approx(wanted)
    assert result.p_value <= result.p_hf <= result.p_gg
    result = repeated_measures_anova_test(
        np.random.default_rng(3).normal(size=(2, 6)), names=list("abcdef")
    )
    assert result.epsilon_gg == pytest.approx(1 / 5)
    assert 1 / 5 <= result.epsilon_hf <= 1
    assert "p value, Greenhouse-Geisser  0.01669 (0.7665)" in str(
        repeated_measures_anova_test(OF_LEARNERS.T)
    )


def test_scores_that_do_not_vary_give_limits() -> None:
    splits = np.array([0.1, 0.2, 0.4])
    same = repeated_measures_anova_test(np.transpose([splits, splits]))
    assert (same.statistic, same.p_value, same.p_gg, same.p_hf) == (0, 1, 1, 1)
    apart = repeated_measures_anova_test(np.transpose([splits, splits + 0.1, splits]))
    assert (apart.statistic, apart.p_value, apart.p_gg) == (np.inf, 0, 0)
    assert same.flags == apart.flags == ("zero_variance",)
    assert (apart.epsilon_gg, apart.epsilon_hf) == (1, 1)
    assert repeated_measures_anova_test(np.full((4, 3), 0.2)).effect_size == 0


def test_complete_separation_is_that_by_hand() -> None:
    # ranks 1 2 3 against 4 5 6: H = 12 / 42 * 3 * (1.5^2 + 1.5^2)
    scores = [[0.20, 0.25], [0.22, 0.24], [0.21, 0.26]]
    result = kruskal_wallis_test(scores)
    assert result.statistic == pytest.approx(27 / 7)
    assert result.effect_size == pytest.approx(27 / 35)
    assert result.levels == (2, 5)
    assert result.warnings[1] == (
        "Only 3 scores of each learner: even learners without any overlap of their scores reach "
        "no smaller p value than 0.05."
    )
    turned = kruskal_wallis_test(scores, greater_is_better=True)
    assert (turned.levels, turned.statistic) == ((5, 2), pytest.approx(27 / 7))


def test_ties_survive_rounding_and_show_nothing_where_all_tie() -> None:
    result = kruskal_wallis_test(np.transpose([[0.1 + 0.2, 0.5], [0.3, 0.6]]))
    assert result.levels == (2.25, 2.75)
    for value in (0.0, 0.3):
        result = kruskal_wallis_test(np.full((4, 3), value))
        assert (result.statistic, result.p_value, result.flags) == (0, 1, ("all_ties",))

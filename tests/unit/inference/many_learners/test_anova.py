import numpy as np
import pytest

from bestofk.errors import DesignError
from bestofk.inference import Sampling, anova_test

SCORES = [[0.20, 0.25], [0.22, 0.24], [0.21, 0.26]]


def codes(warnings: tuple[str, ...]) -> list[str]:
    return [warning.code for warning in warnings]  # type: ignore[attr-defined]


def test_mean_squares_and_f_are_those_by_hand() -> None:
    result = anova_test(SCORES)
    assert result.ms_learners == pytest.approx(0.0024)
    assert result.ms_error == pytest.approx(0.0001)
    assert result.statistic == pytest.approx(24)
    assert result.df == (1, 4)
    assert result.effect_size == pytest.approx(0.0024 / 0.0028)
    assert result.levels == pytest.approx((0.21, 0.25))
    assert result.names == ("learner 1", "learner 2")


def test_scores_that_are_all_the_same_show_nothing() -> None:
    result = anova_test(np.transpose([[0.1 + 0.2] * 3, [0.3] * 3]))
    assert (result.statistic, result.p_value, result.flags) == (0, 1, ("zero_variance",))
    assert result.effect_size == 0
    assert codes(result.warnings) == ["degenerate", "overlap", "not-equal"]


def test_constant_learners_that_differ_give_limits() -> None:
    result = anova_test([[0.1, 0.3], [0.1, 0.3], [0.1, 0.3]])
    assert (result.statistic, result.p_value, result.flags) == (np.inf, 0, ("zero_variance",))
    assert result.effect_size == 1


def test_means_that_agree_give_zero_without_a_flag() -> None:
    result = anova_test([[0.1, 0.3], [0.3, 0.1]])
    assert (result.statistic, result.p_value, result.flags) == (0, 1, ())


def test_cautions_come_from_data_that_calls_for_them() -> None:
    assert codes(anova_test(SCORES).warnings) == ["overlap", "few-scores"]
    halves = Sampling("k-fold", 1, 2)
    assert codes(anova_test([[0.1, 0.7], [0.2, 0.8]], sampling=halves).warnings) == ["few-scores"]
    ten = [[0.2, 0.25], [0.3, 0.26]] * 5
    assert codes(anova_test(ten).warnings) == ["overlap", "not-equal"]
    repeated = Sampling("hold-out", 10, 1)
    assert codes(anova_test(ten, sampling=repeated).warnings) == ["overlap", "not-equal"]


def test_few_scores_say_what_they_can_show() -> None:
    # F(0.95; 1, 4) = 7.709: 7.709 / (7.709 + 4) = 0.658
    warning = anova_test(SCORES).warnings[1]
    assert warning == (
        "Only 3 scores of each learner: learners differ significantly at 0.05 only if they explain "
        "at least 66% of the variance."
    )


def test_the_result_reads_as_a_table() -> None:
    result = anova_test(SCORES, names=["cart", "1nn"])
    assert "mean square of error     0.0001" in str(result)
    assert result.to_frame()["ms_learners"][0] == pytest.approx(0.0024)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([[0.1], [0.2]], "must have at least 2 learners; got 1"),
        ([[0.1, 0.2]], "must have at least 2 splits; got 1"),
        ([[0.1, 0.2], [0.1]], "must be numbers in a regular table"),
        ([[0.1, 0.2], [0.1, float("nan")]], "got nan at split 2, learner 2"),
        ([0.1, 0.2], "must be a table of one row per split"),
    ],
)
def test_scores_that_are_no_table_are_refused(scores: object, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        anova_test(scores)  # type: ignore[arg-type]

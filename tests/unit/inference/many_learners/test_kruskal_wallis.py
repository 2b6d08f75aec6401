import numpy as np
import pytest

from bestofk.inference import kruskal_wallis_test


def test_complete_separation_is_that_by_hand() -> None:
    # ranks 1 2 3 against 4 5 6: H = 12 / 42 * 3 * (1.5^2 + 1.5^2)
    result = kruskal_wallis_test([[0.20, 0.25], [0.22, 0.24], [0.21, 0.26]])
    assert result.statistic == pytest.approx(27 / 7)
    assert result.effect_size == pytest.approx(27 / 35)
    assert result.levels == (2, 5)
    assert result.warnings[1] == (
        "Only 3 scores of each learner: even learners without any overlap of their scores reach "
        "no smaller p value than 0.05."
    )


def test_ties_survive_rounding() -> None:
    result = kruskal_wallis_test(np.transpose([[0.1 + 0.2, 0.5], [0.3, 0.6]]))
    assert result.levels == (2.25, 2.75)


def test_all_ties_show_nothing() -> None:
    for value in (0.0, 0.3):
        result = kruskal_wallis_test(np.full((4, 3), value))
        assert (result.statistic, result.p_value, result.flags) == (0, 1, ("all_ties",))


def test_the_direction_turns_the_ranks_and_nothing_else() -> None:
    scores = [[0.20, 0.25], [0.22, 0.24], [0.21, 0.26]]
    result = kruskal_wallis_test(scores, greater_is_better=True)
    assert result.levels == (5, 2)
    assert result.statistic == pytest.approx(27 / 7)

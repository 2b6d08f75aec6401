import numpy as np
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.inference import (
    aligned_ranks_test,
    friedman_test,
    iman_davenport_test,
    quade_test,
)

LOSSES = [[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.1, 0.3, 0.2], [0.1, 0.2, 0.4]]
OMNIBUS = [friedman_test, iman_davenport_test, quade_test, aligned_ranks_test]


def codes(result: object) -> list[str]:
    return [warning.code for warning in result.warnings]


def test_friedman_is_computed_by_hand_also_of_two_learners_and_ties() -> None:
    result = friedman_test(LOSSES, names=["a", "b", "c"])
    assert result.statistic == pytest.approx(12 / 12 * (1 + 81 / 16 + 121 / 16) * 4 - 48)
    assert result.p_value == pytest.approx(np.exp(-6.5 / 2))
    assert result.levels == (1.0, 2.25, 2.75)
    assert result.effect_size == pytest.approx(6.5 / 8)
    assert result.names == ("a", "b", "c")
    result = friedman_test([[1, 2], [1, 2], [2, 1], [1, 2]])
    assert (result.statistic, result.df) == (1.0, 1.0)
    assert result.p_value == pytest.approx(0.31731, rel=1e-4)
    result = friedman_test([[1, 1, 2], [1, 2, 3]], names=["a", "b", "c"])
    assert result.statistic == pytest.approx(2 * (1.5**2 + 0.5**2 + 2**2) / (1.5 + 2))


def test_figures_of_papers_that_do_not_correct_for_ties_can_be_had() -> None:
    # ranks of the 14 data sets of Demsar (2006), table 6, which prints 9.28 and 3.69
    ranks = [
        [4, 3, 2, 1], [1, 2, 3, 4], [4, 1, 2, 3], [4, 1, 3, 2], [4, 2, 3, 1], [1, 2.5, 4, 2.5],
        [3, 2, 4, 1], [2.5, 2.5, 4, 1], [4, 3, 2, 1], [2.5] * 4, [4, 2.5, 1, 2.5], [3, 2, 4, 1],
        [4, 1, 2, 3], [3, 1, 4, 2],
    ]  # fmt: skip
    chi2 = friedman_test(ranks, correct_ties=False)
    assert round(chi2.statistic, 2) == 9.28
    assert round(iman_davenport_test(ranks, correct_ties=False).statistic, 2) == 3.69
    assert round(friedman_test(ranks).statistic, 2) == 10.23
    assert "not corrected for ties" in str(chi2)
    untied = [row for row in ranks if len({*row}) == 4]
    assert friedman_test(untied, correct_ties=False).statistic == pytest.approx(
        friedman_test(untied).statistic
    )
    with pytest.raises(InvalidArgumentError, match="correct_ties must be True or False; got 'no'"):
        friedman_test(ranks, correct_ties="no")


@pytest.mark.parametrize("test", [aligned_ranks_test, quade_test])
@pytest.mark.parametrize("level", [0.0, 0.25, 1.0, 1000.0])
def test_scores_that_agree_but_for_their_level_tie_across_data_sets(
    test: object, level: float
) -> None:
    # every data set has deviations or a range in thirds that two others have too
    table = np.array([[0, 0.04, 0.06], [0.1, 0, 0], [0.04, 0.06, 0], [0, 0, 0.1], [0, 0.1, 0]])
    moved = table + np.array([0, 1, 0.3, 7, 20])[:, np.newaxis] * level
    assert test(moved).statistic == pytest.approx(test(table).statistic, rel=1e-9)
    assert test(moved).levels == test(table).levels


@pytest.mark.parametrize("test", OMNIBUS)
def test_ties_the_direction_and_few_data_sets_are_taken_as_stated(test: object) -> None:
    result = test(np.full((7, 3), 0.1 + 0.2))
    assert (result.statistic, result.p_value, result.flags) == (0.0, 1.0, ("all_ties",))
    assert codes(result) == ["degenerate", "not-equal"]
    scores = np.random.default_rng(3).normal(size=(8, 4))
    losses = test(scores)
    turned = test(scores, greater_is_better=True)
    assert turned.p_value == pytest.approx(losses.p_value)
    np.testing.assert_allclose(np.add(losses.levels, turned.levels), 2 * np.mean(losses.levels))
    assert codes(test([[1, 2, 3], [3, 2, 1.5], [2, 1, 3]])) == ["few-scores", "not-equal"]
    shown = np.random.default_rng(3).normal([0, 0, 0, 3], 1, (30, 4))
    assert codes(test(shown)) == []


def test_one_order_everywhere_is_a_limit() -> None:
    table = np.arange(3) + np.arange(7)[:, np.newaxis]
    iman, quade = iman_davenport_test(table), quade_test(table)
    assert (iman.statistic, iman.p_value, iman.flags) == (np.inf, 0.0, ("zero_variance",))
    assert quade.statistic == np.inf
    assert quade.p_value == pytest.approx(6.0**-6)
    assert codes(iman) == codes(quade) == ["degenerate"]

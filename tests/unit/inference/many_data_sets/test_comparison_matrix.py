"""Matrices of pairs: each pair alone, or by mean ranks whatever the units are."""

import numpy as np
import pytest
from scipy import stats
from scipy.stats import norm, studentized_range

from bestofk.errors import InvalidArgumentError
from bestofk.inference.many_data_sets.comparison_matrix import (
    mean_rank_matrix,
    multi_comparison_matrix,
)
from bestofk.inference.many_data_sets.posteriors import bayesian_signed_rank

NAMES = ["lda", "cart", "1nn"]
RNG = np.random.default_rng(7)
LOSSES = np.round(0.2 + 0.05 * RNG.random((12, 3)) + [0, 0.01, 0.1], 3)


def test_a_pair_is_judged_as_if_it_were_alone():
    matrix = multi_comparison_matrix(LOSSES, names=NAMES, rope=0.01, n_draws=50_000)
    a, b = LOSSES[:, 0], LOSSES[:, 1]
    interval = stats.ttest_rel(a, b).confidence_interval()
    assert matrix.estimate[0, 1] == pytest.approx(np.mean(a - b))
    assert (matrix.low[0, 1], matrix.high[0, 1]) == pytest.approx(tuple(interval))
    assert matrix.p_value[0, 1] == pytest.approx(stats.wilcoxon(a, b, method="exact").pvalue)
    assert matrix.p_greater[0, 1] == pytest.approx(
        stats.wilcoxon(a, b, method="exact", alternative="greater").pvalue
    )
    alone = bayesian_signed_rank(a, b, rope=0.01)
    result = matrix.p_below[0, 1], matrix.p_equivalent[0, 1], matrix.p_above[0, 1]
    assert result == pytest.approx((alone.p_less, alone.p_rope, alone.p_greater))
    two = multi_comparison_matrix(LOSSES[:, :2], names=NAMES[:2])
    assert two.p_value[0, 1] == matrix.p_value[0, 1]


def test_wins_ties_and_losses_are_counted_in_the_direction_of_the_measure():
    scores = [[0.1, 0.2], [0.3, 0.2], [0.5, 0.9], [0.4, 0.4], [0.81 - 0.79, 0.92 - 0.90]]
    lower = multi_comparison_matrix(scores)
    assert (lower.wins[0, 1], lower.ties[0, 1], lower.wins[1, 0]) == (2, 2, 1)
    higher = multi_comparison_matrix(scores, greater_is_better=True)
    assert (higher.wins[0, 1], higher.ties[0, 1], higher.wins[1, 0]) == (1, 2, 2)
    assert lower.levels == (1.4, 1.6)
    assert higher.levels == (1.6, 1.4)


def test_the_family_is_all_pairs_or_the_control_against_the_others():
    everyone = multi_comparison_matrix(LOSSES, names=NAMES, correction="bonferroni")
    raw = everyone.p_value[np.triu_indices(3, 1)]
    np.testing.assert_allclose(everyone.p_adjusted[np.triu_indices(3, 1)], np.minimum(1, 3 * raw))
    control = multi_comparison_matrix(LOSSES, names=NAMES, correction="bonferroni", control="cart")
    assert control.n_hypotheses == 2
    assert control.p_adjusted[1, 2] == pytest.approx(min(1, 2 * everyone.p_value[1, 2]))
    assert np.isnan(control.p_adjusted[0, 2])
    assert control.to_frame()["first"].tolist() == ["cart", "cart"]
    assert any("cart against the others" in text for text in control.warnings)


def test_the_table_has_one_row_per_pair_and_columns_mirror_rows():
    frame = multi_comparison_matrix(LOSSES, names=NAMES).to_frame()
    assert "p_equivalent" not in frame
    assert frame[["wins", "ties", "losses"]].sum(axis=1).tolist() == [12, 12, 12]
    matrix = multi_comparison_matrix(LOSSES, names=NAMES, rope=0.01, n_draws=100)
    text = str(matrix)
    assert "lda - 1nn" in text
    assert "12/0/0 won/tied/lost" in text
    assert "equivalent" in text
    np.testing.assert_array_equal(matrix.estimate, -matrix.estimate.T)
    np.testing.assert_array_equal(matrix.low, -matrix.high.T)
    np.testing.assert_array_equal(matrix.p_below[0, 1], matrix.p_above[1, 0])
    assert matrix.statistic[0, 1] + matrix.statistic[1, 0] == 12 * 13 / 2


def codes(matrix):
    return [warning.code for warning in matrix.warnings]


def test_what_to_distrust_is_said_where_the_data_call_for_it():
    alike = np.column_stack([LOSSES[:, 0], LOSSES[::-1, 0], LOSSES[:, 2]])
    matrix = multi_comparison_matrix(alike, names=NAMES)
    assert matrix.p_adjusted[0, 1] > 0.05
    assert codes(matrix) == ["multiplicity", "not-equal"]
    assert "few-scores" in codes(multi_comparison_matrix(LOSSES[:5]))
    clear = multi_comparison_matrix(LOSSES[:, [0, 2]])
    assert clear.warnings == ()


def test_learners_that_tie_everywhere_are_flagged_by_name():
    twins = np.column_stack([LOSSES, LOSSES[:, 0]])
    matrix = multi_comparison_matrix(twins, names=[*NAMES, "twin"], rope=0.01, n_draws=100)
    assert matrix.flags == ("all_ties",)
    assert matrix.p_value[0, 3] == 1
    assert matrix.p_equivalent[0, 3] == 1
    assert "lda and twin" in next(w for w in matrix.warnings if w.code == "degenerate")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"control": "crat"}, "control must be one of the learners.*Did you mean 'cart'"),
        ({"correction": "holms"}, "correction must be a known one"),
        ({"rope": -0.1}, "rope must be a number of at least 0"),
        ({"alpha": 5}, "alpha must be a number above 0 and below 1"),
    ],
)
def test_unknown_words_and_levels_are_refused(options, message):
    with pytest.raises(InvalidArgumentError, match=message):
        multi_comparison_matrix(LOSSES, names=NAMES, **options)


IN_OTHER_UNITS = np.array(
    [[0.1, 0.2, 0.3], [20.0, 30.0, 40.0], [0.01, 0.03, 0.02], [5.0, 6.0, 6.0], [1.0, 3.0, 2.0]]
)
LETTERS = ("a", "b", "c")


def test_statistics_are_those_of_nemenyi_computed_by_hand():
    matrix = mean_rank_matrix(IN_OTHER_UNITS, names=LETTERS)
    assert matrix.levels == pytest.approx((1.0, 2.5, 2.5))
    error = np.sqrt(3 * 4 / (6 * 5))
    assert matrix.statistic[0, 1] == pytest.approx(-1.5 / error)
    assert matrix.p_adjusted[0, 1] == pytest.approx(
        studentized_range.sf(1.5 / error * np.sqrt(2), 3, np.inf), abs=1e-6
    )
    assert matrix.p_greater[1, 0] == pytest.approx(norm.sf(1.5 / error))
    assert matrix.critical_difference == pytest.approx(
        studentized_range.ppf(0.95, 3, np.inf) / np.sqrt(2) * error, abs=1e-5
    )
    assert (matrix.wins[0, 1], matrix.ties[1, 2], matrix.estimate[0, 2]) == (5, 1, -1.5)


def test_a_control_is_held_against_the_others_by_bonferroni_dunn():
    matrix = mean_rank_matrix(IN_OTHER_UNITS, names=LETTERS, control="a")
    raw = 2 * norm.sf(1.5 / np.sqrt(3 * 4 / (6 * 5)))
    assert matrix.p_value[0, 1] == pytest.approx(raw)
    assert matrix.p_adjusted[0, 1] == pytest.approx(2 * raw)
    assert np.isnan(matrix.p_adjusted[1, 2])
    assert matrix.control == "a"

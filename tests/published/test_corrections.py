"""Corrections of printed results: tests for each row of docs/papers/corrections.md."""

import re
from functools import cache

import numpy as np
import pandas as pd
import pytest
from replications.average_ranking_2018.meta_data import tabzilla
from scipy.special import fdtrc, ndtr, stdtrit
from tests.given import ROOT, data_folder
from tests.published.printed_tables import printed_areas, printed_table

from bestofk.errors import InvalidArgumentError
from bestofk.inference import (
    anova_test,
    average_ranks,
    bonferroni_dunn_critical_difference,
    corrected_resampled_t_test,
    five_by_two_cv_t_numerators,
    five_by_two_cv_t_test,
    friedman_test,
    looney_f_plus_test,
    looney_f_test,
    mcnemar_from_counts,
    newman_keuls,
    paired_t_test,
    proportion_interval,
    reproducibility_r,
    sign_test,
    studentized_range_quantile,
    two_proportion_z_test,
    wilcoxon_test,
)
from bestofk.measures import get_measure
from bestofk.measures.measure import PredictionBatch
from bestofk.recommendation.fixed_orders import AverageRanking
from bestofk.recommendation.leave_one_out import leave_one_out
from bestofk.recommendation.loss_time import POWERS, a3r
from bestofk.trees import entropy, information_gain
from bestofk.verdict import multitest_edges, multitest_order
from bestofk.verdict.classical_rules import newman_keuls_best
from bestofk.verdict.rules import five_by_two_edges, multitest_best

# Errors of two classifiers in the first four-fold example of the lecture slides.
FIRST, SECOND = [0.16, 0.18, 0.20, 0.18], [0.20, 0.21, 0.25, 0.18]
CORRECT = np.array(
    [[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 1, 0], [1, 1, 1], [1, 0, 1], [1, 1, 0], [0, 0, 0]]
)


# Yildiz & Alpaydin (2006)


def test_the_root_of_the_paired_t_stands_over_the_number_of_folds_alone() -> None:
    differences = np.subtract(SECOND, FIRST)
    mean, sd = differences.mean(), differences.std(ddof=1)
    result = paired_t_test(SECOND, FIRST)
    assert result.statistic == pytest.approx(np.sqrt(4) * mean / sd)
    assert result.statistic != pytest.approx(np.sqrt(4 * mean) / sd)
    assert result.df == 3


def test_mcnemar_rejects_above_the_quantile_and_not_below() -> None:
    clear = mcnemar_from_counts(20, 5, n=100, method="chi2-corrected")
    assert clear.statistic == pytest.approx((15 - 1) ** 2 / 25)
    assert clear.statistic > 3.841
    assert clear.reject(0.05)
    unclear = mcnemar_from_counts(9, 2, n=100, method="chi2-corrected")
    assert unclear.statistic < 3.841
    assert not unclear.reject(0.05)


def test_mcnemar_corrected_is_0_where_both_err_alone_equally_often() -> None:
    result = mcnemar_from_counts(6, 6, n=100, method="chi2-corrected")
    assert (result.statistic, result.p_value) == (0.0, 1.0)


def test_alpha_is_the_level_and_p_equal_to_alpha_rejects() -> None:
    result = mcnemar_from_counts(5, 0, n=50, method="exact")
    assert result.p_value == 2 / 2**5
    assert result.reject(2 / 2**5)
    assert not result.reject(0.06)
    low, high = paired_t_test(SECOND, FIRST).confidence_interval(0.90)
    assert low > 0
    assert paired_t_test(SECOND, FIRST).reject(0.10)
    assert high - low == pytest.approx(
        2 * stdtrit(3, 0.95) * paired_t_test(SECOND, FIRST).standard_error
    )


def test_rows_are_replications_and_columns_are_folds() -> None:
    d = np.array([[0.02, 0.03], [0.01, 0.04], [0.03, 0.02], [0.02, 0.02], [0.00, 0.03]])
    zero = np.zeros((5, 2))
    by_hand = 0.02 / np.sqrt(np.sum((d - d.mean(axis=1, keepdims=True)) ** 2) / 5)
    assert five_by_two_cv_t_test(d, zero).statistic == pytest.approx(by_hand)
    in_a_row = five_by_two_cv_t_numerators(d, zero)
    np.testing.assert_allclose(np.ravel(in_a_row.difference), d.ravel())


def test_the_terms_of_anova_are_mean_squares() -> None:
    scores = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.4]])
    result = anova_test(scores.T)
    assert result.ms_learners == pytest.approx(3 * 2 * 0.05**2 / 1)
    assert result.ms_error == pytest.approx((0.02 + 0.02) / 4)
    assert result.statistic == pytest.approx(0.015 / 0.01)


def test_a_studentized_range_has_a_number_of_means_and_degrees_of_freedom_of_error() -> None:
    assert studentized_range_quantile(3, 45, alpha=0.05) == pytest.approx(3.428, abs=5e-4)
    assert studentized_range_quantile(45, 3, alpha=0.05) > 10
    scores = np.array(
        [[0.20, 0.22, 0.21, 0.23], [0.30, 0.33, 0.32, 0.33], [0.21, 0.21, 0.22, 0.24]]
    )
    result = newman_keuls(scores.T)
    assert result.df == 3 * (4 - 1)
    by_hand = (0.320 - 0.215) * np.sqrt(4 / result.ms_error)
    assert abs(result.statistic[0, 1]) == pytest.approx(by_hand)


def test_the_error_of_looney_is_divided_by_both_degrees_of_freedom() -> None:
    n, k = CORRECT.shape
    result = looney_f_test(CORRECT)
    assert result.df == (k - 1, (k - 1) * (n - 1))
    by_hand = (result.ss_learners / (k - 1)) / (result.ss_error / ((k - 1) * (n - 1)))
    assert result.statistic == pytest.approx(by_hand)
    assert result.p_value == pytest.approx(fdtrc(*result.df, result.statistic))
    wrong = fdtrc(k - 1, (k - 1) * n, result.statistic)
    assert result.p_value != pytest.approx(wrong, rel=1e-3)


def test_looney_f_plus_multiplies_both_degrees_of_freedom_and_names_its_estimator() -> None:
    plain, adjusted = looney_f_test(CORRECT), looney_f_plus_test(CORRECT)
    assert adjusted.df == pytest.approx(tuple(adjusted.epsilon * df for df in plain.df))
    assert 0.5 <= adjusted.epsilon < 1
    assert adjusted.statistic == plain.statistic
    other = looney_f_plus_test(CORRECT, epsilon="huynh-feldt")
    assert adjusted.epsilon <= other.epsilon <= 1


def test_a_preferred_learner_stands_where_nothing_is_rejected() -> None:
    p_values = np.array([[1.0, 0.4], [1.0, 1.0]])
    edges, _ = multitest_edges(p_values, alpha=0.05, correction="holm")
    assert not edges.any()
    assert multitest_order(edges)[0] == 0
    p_values[0, 1] = 0.01
    edges, _ = multitest_edges(p_values, alpha=0.05, correction="holm")
    assert multitest_order(edges)[0] == 1


def test_multitest_returns_the_first_node_without_an_edge_and_not_1() -> None:
    graph = np.zeros((4, 4), dtype=bool)
    for worse, better in [(1, 2), (1, 3), (1, 4), (2, 3)]:
        graph[worse - 1, better - 1] = True
    assert [index + 1 for index in multitest_order(graph)] == [3, 2, 4, 1]


def test_underlines_are_intervals_of_the_ascending_order() -> None:
    rng = np.random.default_rng(0)
    result = newman_keuls(0.2 + rng.normal(scale=0.01, size=(6, 10)).T + 0.006 * np.arange(6))
    order = list(result.order)
    assert result.underlines
    for line in result.underlines:
        start = order.index(line[0])
        assert order[start : start + len(line)] == list(line)
    with pytest.raises(InvalidArgumentError, match="must be runs of at least two of the order"):
        newman_keuls_best([5, 2, 4, 3, 1], [[5, 4]])


@pytest.mark.parametrize(
    ("order", "underlines", "best"),
    [
        ([3, 5, 4, 2, 1], [[5, 4, 2]], 3),
        ([5, 4, 3, 2, 1], [[5, 4, 3]], 3),
        ([2, 4, 5, 3, 1], [[2, 4, 5], [5, 3]], 2),
        ([5, 2, 4, 3, 1], [[5, 2, 4], [4, 3]], 2),
        ([5, 4, 2, 1, 3], [[5, 4, 2], [2, 1]], None),
    ],
)
def test_the_examples_of_the_underline_rules_come_out(order, underlines, best):
    assert newman_keuls_best(order, underlines) == best


@cache
def selected(data_set: str, learner: str, alpha: float) -> tuple[float, float]:
    """Return in percent how often TestFirst and MultiTest name a learner, folds taken as normal."""
    names = ["MAX", "NMC", "LGC", "C4.5", "NN"]
    printed = printed_table("multitest_2006", "table_1").set_index(["data_set", "learner"])
    mean, sd = printed.loc[data_set].loc[names, ["mean", "sd"]].to_numpy().T[:, :, None]
    losses = mean + sd * np.random.default_rng(0).normal(size=(5_000, 5, 10))
    edges, k = five_by_two_edges(losses.transpose(0, 2, 1), alpha=alpha), names.index(learner)
    is_first = losses.mean(axis=2).argmin(axis=1) == k
    first_test = is_first & edges[:, :k, k].all(axis=1)
    return 100 * first_test.mean(), 100 * (multitest_best(edges) == k).mean()


@pytest.mark.parametrize(
    ("data_set", "percent"), [("cmc", 31), ("horse", 32), ("wave", 92), ("yeast", 44)]
)
def test_testfirst_of_table_2_used_a_tenth_of_the_level(data_set: str, percent: float) -> None:
    # a critical value of 4.03 on 5 degrees of freedom, one-sided
    assert stdtrit(5, 1 - 0.05 / 10) == pytest.approx(4.03, abs=0.005)
    assert selected(data_set, "LGC", 0.05)[0] == pytest.approx(percent, abs=3)


def test_multitest_of_table_2_does_not_come_out_at_that_level() -> None:
    for data_set, learner, percent in [("yeast", "LGC", 22), ("optdigits", "NN", 11)]:
        assert selected(data_set, learner, 0.05)[1] > 1.8 * percent
        assert selected(data_set, learner, 0.025)[1] == pytest.approx(percent, abs=7)


# Lecture slides on decision trees and evaluation


def test_a_gain_is_over_the_known_records_alone() -> None:
    children = 0.3 * entropy([0, 3]) + 0.6 * entropy([2, 4])
    assert entropy([3, 7]) - children == pytest.approx(0.3303, abs=5e-5)
    assert 0.9 * (entropy([3, 7]) - children) == pytest.approx(0.2973, abs=5e-5)
    assert 0.9 * entropy([2, 7]) - children == pytest.approx(0.1368, abs=5e-5)
    assert information_gain([[0, 3], [2, 4]], unknown=1) == pytest.approx(0.1368, abs=5e-5)


def test_the_interval_of_two_error_rates_is_unpooled_and_says_so() -> None:
    result = two_proportion_z_test(0.25, 5000, 0.15, 30)
    assert result.statistic == pytest.approx(1.527, abs=5e-4)
    low, high = result.confidence_interval()
    assert (low, high) == pytest.approx((0.1 - 0.128, 0.1 + 0.128), abs=5e-4)
    assert "unpooled" in result.procedure
    pooled = two_proportion_z_test(0.25, 5000, 0.15, 30, variance="pooled")
    assert pooled.statistic == pytest.approx(1.262, abs=5e-4)


def test_two_intervals_may_overlap_where_the_difference_is_shown() -> None:
    result, other = proportion_interval(60, 300), proportion_interval(84, 300)
    assert other.low < result.high
    assert two_proportion_z_test(0.28, 300, 0.20, 300).reject(0.05)


def test_a_decimal_comma_was_read_as_a_factor() -> None:
    result = paired_t_test(SECOND, FIRST)
    assert result.standard_error == pytest.approx(0.0108, abs=5e-5)
    low, high = result.confidence_interval(0.95)
    assert (high - low) / 2 == pytest.approx(0.0108 * 3.182, abs=2e-4)
    assert low < 0 < high


@pytest.mark.parametrize(("repeats", "folds"), [(1, 4), (2, 4), (10, 10)])
def test_repeated_cross_validation_has_one_degree_less_than_scores(repeats, folds):
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.2, 0.02, size=(2, repeats * folds))
    result = corrected_resampled_t_test(a, b, n_train=75, n_test=25)
    assert result.df == repeats * folds - 1


def test_the_variance_of_repeated_splits_grows_by_the_ratio_of_test_to_training_rows() -> None:
    result = corrected_resampled_t_test(SECOND, FIRST, n_train=75, n_test=25)
    sd = np.subtract(SECOND, FIRST).std(ddof=1)
    assert result.standard_error == pytest.approx(sd * np.sqrt(1 / 4 + 25 / 75))
    assert result.statistic == pytest.approx(1.8183, abs=5e-5)


# Course notes on decision trees and evaluation


def test_a_z_of_0848_is_60_percent_and_not_50() -> None:
    result = two_proportion_z_test(0.25, 100, 0.20, 100)
    assert result.statistic == pytest.approx(0.848, abs=5e-4)
    two_sided = 1 - result.p_value
    one_sided = 1 - two_proportion_z_test(0.25, 100, 0.20, 100, alternative="greater").p_value
    assert two_sided == pytest.approx(0.604, abs=5e-4)
    assert one_sided == pytest.approx(0.802, abs=5e-4)
    assert one_sided == pytest.approx(1 - (1 - two_sided) / 2)
    assert one_sided == pytest.approx(float(ndtr(result.statistic)))


# Raeder, Hoens & Chawla (2010)


def test_table_2_has_18_data_sets() -> None:
    assert printed_areas(216).shape == printed_areas(459).shape == (18, 2)


def test_iteration_459_is_not_significant_by_wilcoxon() -> None:
    c45, hddt = printed_areas(459).T
    result = wilcoxon_test(c45, hddt)
    assert (result.w_plus, result.w_minus) == (57, 114)
    assert result.p_value == pytest.approx(0.2288, abs=5e-5)
    assert wilcoxon_test(c45, hddt, alternative="less").p_value == pytest.approx(0.1144, abs=5e-5)


def test_iteration_459_is_significant_by_a_one_sided_sign_test_alone() -> None:
    c45, hddt = printed_areas(459).T
    assert sign_test(c45, hddt, alternative="less").p_value == pytest.approx(0.0481, abs=5e-5)
    assert sign_test(c45, hddt).p_value == pytest.approx(0.0963, abs=5e-5)
    ranks = friedman_test(printed_areas(459), greater_is_better=True)
    assert ranks.p_value == pytest.approx(0.0593, abs=1e-4)


def test_iteration_216_is_significant_and_both_mean_ranks_come_out() -> None:
    c45, hddt = printed_areas(216).T
    result = wilcoxon_test(c45, hddt)
    assert (result.w_plus, result.w_minus) == (155, 16)
    assert result.p_value == pytest.approx(0.00129, abs=5e-6)
    for iteration, ranks in [(216, (1.11, 1.89)), (459, (1.72, 1.28))]:
        found_ranks = average_ranks(printed_areas(iteration), greater_is_better=True)
        np.testing.assert_allclose(found_ranks, ranks, atol=5e-3)


def printed_ranks(kind: str) -> pd.DataFrame:
    """Return the mean ranks of Table I: a row for each number of folds, a column per learner."""
    table = printed_table("variability_2010", "table_1")
    return table[table["kind"] == kind].pivot(index="n_folds", columns="learner", values="rank")


def test_only_three_of_six_differences_of_table_1_exceed_the_critical_one() -> None:
    critical = bonferroni_dunn_critical_difference(3, 20)
    assert critical == pytest.approx(0.709, abs=5e-4)  # as printed

    def above(kind: str, n_folds: int) -> set[str]:
        ranks = printed_ranks(kind)
        return set(ranks.columns[ranks.loc[2] - ranks.loc[n_folds] > critical])

    assert above("canonical", 5) == {"C4.5", "5-NN", "SMO"}
    assert above("canonical", 10) == {"MLP", "5-NN", "NB", "SMO"}
    assert len(above("steady", 5)) == 6


def test_rank_1_of_table_1_is_the_highest_estimate_and_one_row_does_not_add_up() -> None:
    estimates = pd.DataFrame([[0.80, 0.85, 0.90], [0.70, 0.75, 0.80]], columns=["a", "b", "c"])
    assert average_ranks(estimates, greater_is_better=True).tolist() == [3, 2, 1]
    sums = printed_ranks("steady").sum()
    assert sums.index[(sums - 6).abs() > 0.03].tolist() == ["5-NN"]
    assert sums["5-NN"] == pytest.approx(5.90)


@pytest.mark.parametrize(
    ("table", "folds", "means"),
    [
        ("table_4", "2", (0.040, 0.045, 0.079)),
        ("table_4", "5", (0.031, 0.038, 0.073)),
        ("table_4", "10", (0.034, 0.038, 0.074)),
        ("table_5", "2", (0.044, 0.049, 0.077)),
        ("table_5", "5", (0.033, 0.038, 0.075)),
        ("table_5", "10", (0.032, 0.038, 0.073)),
    ],
)
def test_the_row_called_mse_holds_mean_absolute_errors(table, folds, means):
    printed = printed_table("variability_2010", table)
    areas = printed.pivot(index="data_set", columns=["n_folds", "learner"], values="auroc")
    for learner, mean in zip(("HDDT", "C4.5", "NB"), means, strict=True):
        actual = areas["test set", learner].to_numpy()
        estimate = areas[folds, learner].to_numpy()
        assert error_of(estimate, actual, "mae") == pytest.approx(mean, abs=1e-3)
        assert error_of(estimate, actual, "mse") < 0.02


def error_of(estimate: np.ndarray, actual: np.ndarray, name: str) -> float:
    batch = PredictionBatch(
        y_true=actual, labels=estimate, starts=np.array([0, len(actual)]), classes=np.array([])
    )
    measure = get_measure(name, task="regression", classes=batch.classes)
    return float(measure.compute(batch)[0])


def test_r_is_the_size_of_the_mean_sign_of_paired_runs() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.normal(0.8, 0.02, size=(2, 50)).round(2)
    wins = np.mean(a > b) + 0.5 * np.mean(a == b)
    printed_form = max(2 * wins - 1, 2 * (1 - wins) - 1)
    assert reproducibility_r(a, b) == pytest.approx(printed_form)
    assert reproducibility_r(a, b) == pytest.approx(abs(np.mean(np.sign(a - b))))


# Abdulrahman, Brazdil, van Rijn & Vanschoren (2018)


def test_a_thousandfold_time_is_worth_a_ratio_of_scores_and_not_a_difference() -> None:
    for score, slower in [(0.5, 0.5137), (0.9, 0.9246)]:
        values = a3r([score, slower], [1, 1000], power=1 / 256)
        assert values[0] == pytest.approx(values[1], abs=5e-5)
        assert slower / score == pytest.approx(1.0274, abs=2e-4)


def test_no_power_is_best_everywhere_but_score_alone_is_worst() -> None:
    if not (data_folder() / "meta" / "tabzilla_accuracy_traintime.csv.gz").is_file():
        pytest.skip("no times of TabZilla")
    losses = leave_one_out(tabzilla(data_folder()), [AverageRanking(power) for power in POWERS])
    means = dict(zip(POWERS, 100 * losses.losses.mean(axis=0), strict=True))
    assert means[1 / 64] == pytest.approx(3.08, abs=5e-3)
    assert means[1 / 16] == pytest.approx(0.84, abs=5e-3)
    assert min(means, key=means.__getitem__) == 1 / 16
    assert max(means, key=means.__getitem__) == 0
    assert means[0] == pytest.approx(5.43, abs=5e-3)


def test_every_row_of_the_page_names_a_test_that_exists() -> None:
    page = (ROOT / "docs" / "papers" / "corrections.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(test_\w+)`", page))
    here = {name for name in globals() if name.startswith("test_")}
    assert named <= here
    assert here - named == {test_every_row_of_the_page_names_a_test_that_exists.__name__}

"""One function for each line of the list of sources whose number can be computed.

The name of a function is that of its line with `_` for `-`. What it returns stands next to the
printed number on docs/papers/from-the-sources.md, below the expression itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit
from tests.published.printed_tables import printed_areas, printed_table
from tests.published.source_data import (
    BRANDS,
    CHEAT,
    DAYS,
    DEVIATIONS,
    EXPERIMENT_1,
    EXPERIMENT_2,
    FIRST,
    LABELS,
    M1,
    M2,
    M3,
    M4,
    MARITAL_FIRST,
    MEANS,
    NOISY_DAY,
    NOISY_PLAY,
    PEOPLE,
    PLAY,
    PLAYED,
    PRICES,
    RARE,
    RECORDS,
    REFUND_FIRST,
    SECOND,
    SUNNY,
    TAX,
    TEMPERATURES,
    THIRTY,
    absolute_errors,
    edges,
    grown,
    kept,
    predictions,
    printed_auroc,
    printed_means,
    rings,
    tested,
    value,
)

from bestofk.data import load_data
from bestofk.inference import (
    average_ranks,
    bonferroni_dunn_critical_difference,
    corrected_resampled_t_test,
    newman_keuls,
    paired_t_test,
    permutation_test,
    proportion_interval,
    reproducibility_r,
    two_proportion_z_test,
    wilcoxon_test,
)
from bestofk.learners import n_parameters
from bestofk.measures import confusion_matrix
from bestofk.recommendation import USUAL_WINDOW
from bestofk.recommendation.a3r import a3r, a3r_against
from bestofk.report.plots import ConfidenceTableDisplay
from bestofk.resampling import make_plan
from bestofk.stopping import RankCorrelation
from bestofk.trees import (
    C45Classifier,
    ID3Classifier,
    entropy,
    gain_ratio,
    information_gain,
    split_table,
)
from bestofk.verdict import (
    first_test_best,
    multitest_edges,
    multitest_order,
    newman_keuls_best,
)

# Yildiz & Alpaydin (2006)


def multitest_5x2_pairs() -> Any:
    return len(make_plan(load_data("iris"), "5x2").split_ids)


def multitest_newman_keuls() -> Any:
    return [
        "".join(str(k + 1) for k in line)
        for line in newman_keuls(np.add.outer(DEVIATIONS, MEANS)).underlines
    ]


def multitest_randomizations() -> Any:
    return 1 / permutation_test(np.arange(1, 31), np.zeros(30), n_draws=99).p_value


def multitest_fig_1() -> Any:
    return multitest_order(edges("1-2 1-3 1-4 2-3", 4))[0] + 1


def multitest_fig_2_tests() -> Any:
    return (
        multitest_edges(np.full((4, 4), 0.01), alpha=0.05, correction="bonferroni")[1][0, 1] / 0.01
    )


def multitest_fig_2() -> Any:
    return [k + 1 for k in multitest_order(edges("1-2 1-3 1-4 2-3", 4))]


def multitest_parameters() -> Any:
    return [
        n_parameters(name, 75, 4, 3) for name in ("majority", "nearest-mean", "logistic", "1nn")
    ]


def multitest_underlines_1() -> Any:
    return newman_keuls_best([3, 5, 4, 2, 1], [[5, 4, 2]])


def multitest_underlines_2() -> Any:
    return newman_keuls_best([5, 4, 3, 2, 1], [[5, 4, 3]])


def multitest_underlines_3() -> Any:
    return newman_keuls_best([2, 4, 5, 3, 1], [[2, 4, 5], [5, 3]])


def multitest_underlines_4() -> Any:
    return newman_keuls_best([5, 2, 4, 3, 1], [[5, 2, 4], [4, 3]])


def multitest_underlines_none() -> Any:
    return newman_keuls_best([5, 4, 2, 1, 3], [[5, 4, 2], [2, 1]])


def multitest_testfirst() -> Any:
    return [
        None if best is None else best + 1
        for best in (
            first_test_best([0.3, 0.4, 0.1, 0.2, 0.5], np.full((5, 5), p), alpha=0.05)
            for p in (0.001, 0.4)
        )
    ]


def multitest_hepatitis() -> Any:
    return [
        *(k + 1 for k in multitest_order(np.zeros((5, 5), dtype=bool))),
        first_test_best(printed_means("hepatitis"), np.ones((5, 5)), alpha=0.05),
    ]


def multitest_pendigits() -> Any:
    return [
        *(k + 1 for k in multitest_order(edges("1-2 1-3 1-4 1-5 2-3 2-4 2-5 3-5 4-5", 5))),
        *np.argsort(printed_means("pendigits")) + 1,
        1 + first_test_best(printed_means("pendigits"), np.zeros((5, 5)), alpha=0.05),
    ]


def multitest_table_3_percent() -> Any:
    return (
        printed_table("multitest_2006", "table_3").set_index("procedure").loc["MultiTest"] / 300
    ).tolist()


def multitest_anova_share() -> Any:
    table = printed_table("multitest_2006", "table_3").set_index("procedure")
    return [100 - table.loc["Anova", "*"] / 300, table.loc["TestFirst", "*"] / 300]


def multitest_same_best() -> Any:
    picks = printed_table("multitest_2006", "table_2").pivot(
        index="data_set", columns="procedure", values="first"
    )
    return (picks["Newman-Keuls"] == picks["MultiTest"]).sum()


# Slides on decision trees and evaluation


def slides_43() -> Any:
    X, y = rings(np.random.default_rng(0))
    is_ring = (np.hypot(*X.T) >= 0.5) & (np.hypot(*X.T) <= 1)
    return (y[is_ring] == "circle").sum(), (y[~is_ring] == "triangle").sum()


def slides_6() -> Any:
    return tested(grown(TAX, CHEAT, costs=REFUND_FIRST, nominal_splits="binary"), TAX, CHEAT)


def slides_7() -> Any:
    return tested(grown(TAX, CHEAT, costs=MARITAL_FIRST, nominal_splits="binary"), TAX, CHEAT)


def slides_9() -> Any:
    return grown(TAX, CHEAT, costs=REFUND_FIRST, nominal_splits="binary").predict(
        pd.DataFrame({"refund": ["no"], "marital": ["married"], "income": [80.0]})
    )


def slides_27() -> Any:
    return entropy([10, 10])


def slides_33_0() -> Any:
    return entropy([0, 6])


def slides_33_1() -> Any:
    return entropy([1, 5])


def slides_33_2() -> Any:
    return entropy([2, 4])


def slides_36() -> Any:
    return entropy([[0, 1], [1, 1]]), entropy([1, 1, 1, 1])


def slides_36_log() -> Any:
    return entropy([1, 1, 1, 1, 1, 1])


def slides_37_gain() -> Any:
    return [
        information_gain(pd.crosstab(PEOPLE[name], np.array(BRANDS)))
        for name in ("city", "car", "age")
    ]


def slides_37_split() -> Any:
    return [entropy(PEOPLE[name].value_counts()) for name in ("city", "car", "age")]


def slides_37_by_gain() -> Any:
    return average_ranks(
        [
            [
                information_gain(pd.crosstab(PEOPLE[name], np.array(BRANDS)))
                for name in ("age", "car", "city")
            ]
        ],
        names=("age", "car", "city"),
        greater_is_better=True,
    )


def slides_37_by_ratio() -> Any:
    return sorted(PEOPLE, key=lambda name: -gain_ratio(pd.crosstab(PEOPLE[name], np.array(BRANDS))))


def slides_51_training() -> Any:
    tree = grown(THIRTY, LABELS).tree_
    return tree.leaf_errors[0], tree.leaf_errors[1:].sum()


def slides_51_pessimistic() -> Any:
    tree = grown(THIRTY, LABELS).tree_
    pruned = C45Classifier(pruning="pessimistic", collapse=False).fit(THIRTY, LABELS)
    return (
        tree.leaf_errors[0] + 0.5,
        tree.leaf_errors[1:].sum() + 0.5 * tree.n_leaves,
        pruned.get_n_leaves() == 1,
    )


def slides_53_entropy() -> Any:
    return entropy([3, 7]), entropy([2, 4]), 0.3 * entropy([0, 3]) + 0.6 * entropy([2, 4])


def slides_53_gain() -> Any:
    return 0.9 * (entropy([3, 7]) - 0.3 * entropy([0, 3]) - 0.6 * entropy([2, 4]))


def slides_54() -> Any:
    tree = grown(RECORDS, CHEAT, costs={"refund": 1, "married": 100}).tree_
    no, yes = tree.children(0)
    return tree.weight[yes] - 3, tree.weight[no] - 6


def slides_55() -> Any:
    tree = grown(RECORDS, CHEAT, costs={"refund": 1, "married": 100}).tree_
    no = tree.children(0)[0]
    single, married = tree.children(no)
    return tree.weight[[married, single]] / tree.weight[no]


def slides_64() -> Any:
    return confusion_matrix(predictions(FIRST))


def slides_66() -> Any:
    return 100 * value("accuracy", RARE)


def slides_68_accuracy() -> Any:
    return [100 * value("accuracy", counts) for counts in (FIRST, SECOND)]


def slides_68_cost() -> Any:
    return [500 * value("cost", counts, cost_matrix=PRICES) for counts in (FIRST, SECOND)]


def slides_73() -> Any:
    plan = make_plan(load_data("iris"), "1xholdout")
    return plan.n_train / 150, plan.n_test / 150


def slides_75() -> Any:
    return two_proportion_z_test(0.15, 30, 0.25, 5000).reject(0.05)


def slides_76() -> Any:
    interval = proportion_interval(25, 50)
    return 50 * (interval.low + interval.high) / 2


def slides_79_z() -> Any:
    return ConfidenceTableDisplay(levels=[0.95]).frame()["z"]


def slides_79() -> Any:
    return [
        bound
        for n in (50, 100, 500, 1000, 5000)
        for bound in (
            proportion_interval(8 * n // 10, n).low,
            proportion_interval(8 * n // 10, n).high,
        )
    ]


def slides_82() -> Any:
    return two_proportion_z_test(0.25, 5000, 0.15, 30).estimate


def slides_82_interval() -> Any:
    low, high = two_proportion_z_test(0.25, 5000, 0.15, 30).confidence_interval()
    return (high - low) / 2, low < 0 < high


def slides_84() -> Any:
    return stdtrit(3, [0.95, 0.975])


def slides_86_mean() -> Any:
    return paired_t_test(M1, M2).estimate


def slides_86_reject() -> Any:
    return paired_t_test(M1, M2).reject(0.10), paired_t_test(M1, M2).reject(0.05)


def slides_86_interval() -> Any:
    result = paired_t_test(M1, M2)
    low, high = result.confidence_interval(0.95)
    return result.standard_error, (high - low) / 2


def slides_88() -> Any:
    return paired_t_test(M1, M2).statistic


def slides_89_mean() -> Any:
    return paired_t_test(M3, M4).estimate


def slides_89() -> Any:
    return paired_t_test(M3, M4).reject(0.10)


def slides_92() -> Any:
    corrected = corrected_resampled_t_test(M1, M2, n_train=75, n_test=25)
    plain = paired_t_test(M1, M2)
    sd = (M1 - M2).std(ddof=1)
    return corrected.statistic, plain.statistic * sd / plain.estimate


# Notes on decision trees and evaluation


def notes_classify() -> Any:
    return ID3Classifier().fit(DAYS, PLAY).predict(DAYS[:2])[1]


def notes_disjunction() -> Any:
    return ID3Classifier().fit(DAYS, PLAY).to_text().count(": yes")


def notes_entropy_bounds() -> Any:
    return entropy([14, 0]), entropy([7, 7])


def notes_entropy() -> Any:
    return entropy([9, 5])


def notes_gain_wind() -> Any:
    return entropy([6, 2]), entropy([3, 3]), information_gain([[6, 2], [3, 3]])


def notes_humidity_wind() -> Any:
    return [information_gain(pd.crosstab(DAYS[name], PLAY)) for name in ("humidity", "windy")]


def notes_humidity_counts() -> Any:
    return pd.crosstab(DAYS["humidity"], PLAY)[["yes", "no"]].loc[["high", "normal"]].to_numpy()


def notes_table() -> Any:
    return [(answer == PLAY).sum() for answer in ("yes", "no")]


def notes_gains() -> Any:
    return [
        information_gain(pd.crosstab(DAYS[name], PLAY))
        for name in ("outlook", "humidity", "windy", "temperature")
    ]


def notes_sunny() -> Any:
    return [
        information_gain(pd.crosstab(DAYS[name][SUNNY], PLAY[SUNNY]))
        for name in ("humidity", "temperature", "windy")
    ]


def notes_overcast() -> Any:
    return pd.crosstab(DAYS["outlook"], PLAY).loc["overcast", ["yes", "no"]]


def notes_id3() -> Any:
    return sorted(
        tested(ID3Classifier().fit(DAYS, PLAY), DAYS, PLAY), key="outlook humidity windy".find
    )


def notes_final_tree() -> Any:
    tree = ID3Classifier().fit(DAYS, PLAY)
    return tree.get_n_leaves(), (tree.predict(DAYS) != PLAY).sum()


def notes_noisy_day() -> Any:
    return [
        ID3Classifier().fit(X, y).get_n_leaves() for X, y in ((DAYS, PLAY), (NOISY_DAY, NOISY_PLAY))
    ]


def notes_rules() -> Any:
    return ID3Classifier().fit(DAYS, PLAY).get_n_leaves()


def notes_ratio_weakness() -> Any:
    rare, outlook = [[9, 4], [0, 1]], pd.crosstab(DAYS["outlook"], PLAY)
    return (
        information_gain(rare) < information_gain(outlook),
        gain_ratio(rare) > gain_ratio(outlook),
    )


def notes_temperature() -> Any:
    table = split_table(TEMPERATURES, PLAYED)
    best = table["information_gain"].idxmax()
    return *table["threshold"], table["threshold"][best]


def notes_confidence_table() -> Any:
    return ConfidenceTableDisplay().frame()["z"]


def notes_one_tailed() -> Any:
    return 100 * ConfidenceTableDisplay(levels=[0.90]).frame()["one_sided"]


def notes_z_1() -> Any:
    result = two_proportion_z_test(0.30, 100, 0.20, 100)
    reached = ConfidenceTableDisplay(result.statistic).reached()
    return result.standard_error, result.statistic, 100 * reached, 50 + 50 * reached


def notes_z_2() -> Any:
    result = two_proportion_z_test(0.25, 100, 0.20, 100)
    reached = ConfidenceTableDisplay(result.statistic).reached()
    return result.standard_error, result.statistic, 100 * reached, 50 + 50 * reached


def notes_experiment_1() -> Any:
    return [*100 * EXPERIMENT_1.mean(axis=1), 100 * paired_t_test(*EXPERIMENT_1).estimate]


def notes_experiment_2() -> Any:
    return [*100 * EXPERIMENT_2.mean(axis=1), 100 * paired_t_test(*EXPERIMENT_2).estimate]


def notes_better_evidence() -> Any:
    return 1 + np.argmin(
        [paired_t_test(*trials).p_value for trials in (EXPERIMENT_1, EXPERIMENT_2)]
    )


# Raeder, Hoens & Chawla (2010)


def variability_critical_distance() -> Any:
    return bonferroni_dunn_critical_difference(3, 20)


def variability_table_1_canonical() -> Any:
    ranks = printed_table("variability_2010", "table_1").query("kind == 'canonical'")
    by_folds = ranks.pivot(index="n_folds", columns="learner", values="rank")
    critical = bonferroni_dunn_critical_difference(3, 20)
    return [(by_folds.loc[2] - by_folds.loc[folds] > critical).sum() for folds in (5, 10)]


def variability_table_2_ranks() -> Any:
    return [average_ranks(printed_areas(i), greater_is_better=True) for i in (216, 459)]


def variability_table_2_216() -> Any:
    return [wilcoxon_test(*printed_areas(216).T).reject(alpha) for alpha in (0.10, 0.05)]


def variability_table_2_459() -> Any:
    return [wilcoxon_test(*printed_areas(459).T).reject(alpha) for alpha in (0.10, 0.05)]


def variability_overlap() -> Any:
    ties, wins = [0.8, 0.9], [0.81, 0.91]
    both = reproducibility_r(ties, ties), reproducibility_r(wins, ties)
    return *((1 + r) / 2 for r in both), *both


def variability_threshold() -> Any:
    return RankCorrelation().threshold


def variability_table_4_mse() -> Any:
    return absolute_errors(4)


def variability_table_5_mse() -> Any:
    return absolute_errors(5)


def variability_ten_folds() -> Any:
    return np.array([2, 5, 10])[absolute_errors(5).argmin(axis=0)]


def variability_compustat() -> Any:
    return [
        average_ranks(printed_auroc(5, folds).loc[["compustat"]], greater_is_better=True)[-1]
        for folds in ("10", "test set")
    ]


# Abdulrahman, Brazdil, van Rijn & Vanschoren (2018)


def ranking_ties() -> Any:
    return average_ranks([[0.9, 0.8, 0.7, 0.7]], names="abcd", greater_is_better=True)[2:]


def ranking_window() -> Any:
    return USUAL_WINDOW.first, USUAL_WINDOW.last, USUAL_WINDOW.last / 3600


def ranking_1000() -> Any:
    return 1 / a3r(1.0, 1000.0, power=1 / 256)


def ranking_table_1() -> Any:
    return [1 / a3r(1.0, 1000.0, power=1 / root) for root in (4, 16, 64, 128, 256)]


def ranking_same_ranking() -> Any:
    scores, seconds = np.random.default_rng(0).random((2, 100))
    return (
        a3r_against(scores, seconds, 0, power=1 / 64).argsort()
        == a3r(scores, seconds, power=1 / 64).argsort()
    ).all()


def ranking_power_0() -> Any:
    return 1 / a3r(1.0, 1000.0, power=0)


def ranking_hyp_1() -> Any:
    return (
        kept("average_ranking_2018", "hypotheses").query("hypothesis == 'Hyp1'")["high"] < 0
    ).all()


def ranking_hyp_2() -> Any:
    return (
        kept("average_ranking_2018", "hypotheses").query("hypothesis == 'Hyp2'")["high"] < 0
    ).all()


LINES: dict[str, Callable[[], Any]] = {
    name.replace("_", "-"): item
    for name, item in list(globals().items())
    if callable(item) and getattr(item, "__module__", "") == __name__
}

"""Lines of the course notes."""

from typing import Any

import numpy as np
import pandas as pd
from tests.published.source_data import (
    ANSWERS,
    COSTS,
    DAYS,
    EXPERIMENT_1,
    EXPERIMENT_2,
    IRIS,
    NOISY_DAY,
    NOISY_PLAY,
    PLAY,
    PLAYED,
    SPECIES,
    SUNNY,
    TEMPERATURES,
    UNKNOWN,
    A,
    B,
    dated,
    grown,
    questions,
)

from bestofk import compare, learning_curve
from bestofk.inference import (
    paired_t_test,
    two_proportion_z_test,
)
from bestofk.report.plots import ConfidenceTableDisplay
from bestofk.trees import (
    ID3Classifier,
    entropy,
    gain_ratio,
    information_gain,
    split_table,
)


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
        questions(ID3Classifier().fit(DAYS, PLAY), DAYS, PLAY), key="outlook humidity windy".find
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


def notes_date() -> Any:
    few, many = (ID3Classifier().fit(*dated(n)).node_table(0, *dated(n)) for n in (1, 8))
    return [table[by].idxmax() for table in (few, many) for by in ("gain", "ratio")]


def notes_unknown() -> Any:
    ways = "most-frequent", "most-frequent-in-class", "fractional"
    trees = [grown(UNKNOWN, ANSWERS, missing_values=way) for way in ways]
    return [tree.tree_.weight[tree.tree_.children(0)[0]] for tree in trees]


def notes_costs() -> Any:
    trees = [ID3Classifier(costs=COSTS, cost_rule=rule) for rule in ("tan-schlimmer", "nunez")]
    tables = [tree.fit(DAYS, PLAY).node_table(0, DAYS, PLAY) for tree in trees]
    scores = [table["score"][["outlook", "humidity"]] for table in tables]
    return scores, [table["chosen"].idxmax() for table in tables]


def notes_two_hypotheses() -> Any:
    errors = np.random.default_rng(0).binomial(100, [0.2, 0.25], (1000, 2)) / 100
    reversed_ = errors[errors[:, 0] > errors[:, 1]]
    rejected = [two_proportion_z_test(a, 100, b, 100).reject(0.05) for a, b in reversed_]
    return len(reversed_) / 1000, np.sum(rejected) / 1000


def notes_k_fold() -> Any:
    result = compare([A, B], IRIS, SPECIES, cv=10, progress=False)
    differences = np.subtract(*result.scores[0].values)
    return len(differences), differences.mean()


def notes_cv_learning_curve() -> Any:
    curve = learning_curve(
        ["nearest-mean", "c45"], "iris", train_sizes=[15, 45, 135], cv=10, test="paired-t",
        test_seconds=True, progress=False,
    )  # fmt: skip
    averages = curve.to_frame()[["train_seconds", "test_seconds", "train", "test", "complexity"]]
    return averages.notna().to_numpy().all(), curve.means(), curve.pairs()["p_value"]


def notes_confidence_table() -> Any:
    return ConfidenceTableDisplay().to_frame()["z"]


def notes_one_tailed() -> Any:
    return 100 * ConfidenceTableDisplay(levels=[0.90]).to_frame()["one_sided"]


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

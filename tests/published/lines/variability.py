"""Lines of Raeder, Hoens & Chawla (2010)."""

from typing import Any

import numpy as np
from tests.published.printed_tables import printed_areas, printed_table
from tests.published.source_data import (
    absolute_errors,
    printed_auroc,
)

from bestofk.inference import (
    average_ranks,
    bonferroni_dunn_critical_difference,
    reproducibility_r,
    wilcoxon_test,
)
from bestofk.stopping import RankCorrelation


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

"""Lines of Yildiz & Alpaydin (2006)."""

from typing import Any

import numpy as np
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from tests.published.printed_tables import printed_table
from tests.published.source_data import (
    DEVIATIONS,
    M1,
    M2,
    MEANS,
    edges,
    posteriors,
    printed_means,
)

from bestofk.data import load_data
from bestofk.inference import (
    multinomial_selection,
    newman_keuls,
    paired_t_test,
    permutation_test,
)
from bestofk.learners import n_parameters
from bestofk.resampling import make_plan
from bestofk.verdict import (
    first_test_best,
    multitest_edges,
    multitest_order,
    newman_keuls_best,
)


def multitest_5x2_pairs() -> Any:
    return len(make_plan(load_data("iris"), "5x2").split_ids)


def multitest_mean_test() -> Any:
    one, pair = paired_t_test(M1, np.full(4, 0.75)), paired_t_test(M1, M2)
    one_sided = paired_t_test(M1, M2, alternative="greater")
    return one.statistic, pair.statistic, pair.reject(0.05), one_sided.reject(0.05)


def multitest_newman_keuls() -> Any:
    return [
        "".join(str(k + 1) for k in line)
        for line in newman_keuls(np.add.outer(DEVIATIONS, MEANS)).underlines
    ]


def multitest_randomizations() -> Any:
    return 1 / permutation_test(np.arange(1, 31), np.zeros(30), n_draws=99).p_value


def multitest_coarse_posteriors() -> Any:
    coarse, fine = posteriors(KNeighborsClassifier(5)), posteriors(GaussianNB())
    is_multiple = [np.allclose(5 * values, np.round(5 * values)) for values in (coarse, fine)]
    return *is_multiple, multinomial_selection(np.transpose([coarse, fine])).warnings[0].code


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

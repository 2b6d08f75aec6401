"""Adapters of the cases about K learners on one data set."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from tests.published.cases import Case, by_pair, numbers, of_result

from bestofk.inference import (
    OmnibusResult,
    anova_test,
    duncan_test,
    kruskal_wallis_test,
    newman_keuls,
    repeated_measures_anova_test,
    studentized_range_quantile,
    tukey_hsd_test,
)
from bestofk.verdict.classical_rules import newman_keuls_best


def scores(case: Case) -> NDArray[np.float64]:
    """Return the scores of a case, which has a row per learner, with a column per learner."""
    return np.array(numbers(case["input"]["scores"])).T


def ordered(case: Case) -> Case:
    """Give what decides which end of the order comes first, and the level."""
    options = case["options"]
    return {
        "greater_is_better": bool(options.get("higher_is_better")),
        "alpha": numbers(options.get("alpha", 0.05)),
    }


def omnibus(test: Callable[..., OmnibusResult]) -> Callable[[Case], Case]:
    return lambda case: of_result(test(scores(case)), case["options"])


def quantile(case: Case) -> Case:
    n_means, df = numbers(case["input"]["p"]), numbers(case["input"]["df"])
    alpha = numbers(case["options"].get("alpha", 0.05))
    return {"q": studentized_range_quantile(n_means, df, alpha=alpha)}


def newman_keuls_order(case: Case) -> Case:
    result = newman_keuls(scores(case), **ordered(case))
    best = newman_keuls_best(result.order, result.underlines)
    return of_result(result, case["options"]) | {
        "order": [i + 1 for i in result.order],
        "underlines": [[i + 1 for i in line] for line in result.underlines],
        "best": None if best is None else best + 1,
    }


def newman_keuls_pairs(case: Case) -> Case:
    result = newman_keuls(scores(case))
    return {"pairwise_p": by_pair(result.p_value), "degenerate": result.flags}


def best_by_rules(case: Case) -> Case:
    given = case["input"]
    underlines = [[i - 1 for i in line] for line in given["underlines"]]
    best = newman_keuls_best([i - 1 for i in given["order"]], underlines)
    return {"best": None if best is None else best + 1}


def tukey(case: Case) -> Case:
    result = tukey_hsd_test(scores(case))
    low, high = result.confidence_interval(numbers(case["options"].get("confidence", 0.95)))
    later, first = np.tril_indices(len(result.names), -1)
    # by first learner, then by second, each pair written second-first
    by_first = np.lexsort((later, first))
    pairs = (later[by_first], first[by_first])
    return {
        "pairs": [f"{i + 1}-{j + 1}" for i, j in zip(*pairs, strict=True)],
        "difference": result.estimate[pairs].tolist(),
        "p": result.p_adjusted[pairs].tolist(),
        "ci_low": low[pairs].tolist(),
        "ci_high": high[pairs].tolist(),
        "degenerate": result.flags,
    }


def duncan(case: Case) -> Case:
    result = duncan_test(scores(case), **ordered(case))
    return {"pairwise_p": by_pair(result.p_value), "degenerate": result.flags}


PROCEDURES = {
    "anova": omnibus(anova_test),
    "rm_anova": omnibus(repeated_measures_anova_test),
    "kruskal_wallis": omnibus(kruskal_wallis_test),
    "studentized_range_quantile": quantile,
    "newman_keuls": newman_keuls_order,
    "newman_keuls_pairwise": newman_keuls_pairs,
    "newman_keuls_best": best_by_rules,
    "tukey_hsd": tukey,
    "duncan": duncan,
}

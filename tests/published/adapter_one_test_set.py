"""Adapters of the cases about fitted learners on one test set."""

from collections.abc import Callable

import numpy as np
from tests.published.cases import Case, numbers, of_result

from bestofk.inference import (
    cochran_q_test,
    delong_test,
    looney_f_plus_test,
    looney_f_test,
    mcnemar_from_counts,
    mcnemar_test,
    multinomial_selection,
    proportion_interval,
    roc_convex_hull,
    two_proportion_z_test,
)

MCNEMAR = {"midp": "mid-p", "mid_p": "mid-p"}


def word(options: Case, key: str, default: str) -> str:
    return str(options.get(key, default)).replace("_", "-")


def mcnemar(case: Case) -> Case:
    options, given = case["options"], case["input"]
    method = str(options.get("method", "midp"))
    chosen = {
        "method": MCNEMAR.get(method, method.replace("_", "-")),
        "alternative": options.get("alternative", "two-sided"),
    }
    if "a" in given:
        result = mcnemar_test(numbers(given["a"]), numbers(given["b"]), **chosen)
    else:
        counts = {"n01": given.get("n01"), "n10": given.get("n10")}
        if "table" in given:
            table = np.array(numbers(given["table"]))
            counts = {"n01": table[0, 1], "n10": table[1, 0]} | {
                k: v for k, v in counts.items() if v is not None
            }
            counts |= {"n": table.sum(), "n_both_wrong": table[1, 1]}
        result = mcnemar_from_counts(**{k: numbers(v) for k, v in counts.items()}, **chosen)
    level = numbers(options.get("confidence", 0.95))
    return of_result(result, options) | {
        "odds_ratio_ci": list(result.odds_interval(level)),
        "difference_ci": list(result.confidence_interval(level)),
    }


def two_proportion_z(case: Case) -> Case:
    options, given = case["options"], case["input"]
    result = two_proportion_z_test(
        *(numbers(given[key]) for key in ("e1", "n1", "e2", "n2")),
        variance=word(options, "variance", "unpooled"),
        interval=word(options, "interval", "wald"),
        alternative=options.get("alternative", "two-sided"),
    )
    return of_result(result, options)


def proportion(case: Case) -> Case:
    options, given = case["options"], case["input"]
    result = proportion_interval(
        numbers(given["successes"]),
        numbers(given["n"]),
        method=word(options, "method", "wilson"),
        level=numbers(options.get("confidence", 0.95)),
    )
    return of_result(result, options) | {"ci": [result.low, result.high]}


def delong(case: Case) -> Case:
    options, given = case["options"], case["input"]
    result = delong_test(
        *(numbers(given[key]) for key in ("y", "s1", "s2")),
        alternative=options.get("alternative", "two-sided"),
    )
    level = numbers(options.get("confidence", 0.95))
    return of_result(result, options) | {
        "auc": result.areas,
        "var": result.variances,
        "cov": result.covariance,
        "ci1": result.area_interval(0, level),
        "ci2": result.area_interval(1, level),
    }


def cochran_q(case: Case) -> Case:
    return of_result(cochran_q_test(numbers(case["input"]["correct"])), case["options"])


def looney(case: Case) -> Case:
    options, correct = case["options"], numbers(case["input"]["correct"])
    if case["test"] == "looney_f":
        result = looney_f_test(correct)
    else:
        result = looney_f_plus_test(correct, epsilon=word(options, "epsilon", "greenhouse-geisser"))
    return of_result(result, options)


def hull(case: Case) -> Case:
    points = [(p["name"], numbers(p["fpr"]), numbers(p["tpr"])) for p in case["input"]["points"]]
    result = roc_convex_hull(points)
    slope = case["options"].get("slope")
    names = [point.name for point in result.vertices]
    outcome: Case = {"hull": names, "area": result.area, "slopes": result.slopes}
    if slope is not None:
        outcome["optimal"] = result.optimal(numbers(slope)).name
    return outcome


def selection(case: Case) -> Case:
    level = numbers(case["options"].get("confidence", 0.95))
    result = multinomial_selection(numbers(case["input"]["posterior_true"]), level=level)
    return {
        "wins": result.wins,
        "share": result.shares,
        "best": result.names.index(result.best) + 1,
        "ci": np.transpose([result.low, result.high]),
        "degenerate": result.flags,
    }


PROCEDURES: dict[str, Callable[[Case], Case]] = {
    "mcnemar": mcnemar,
    "two_proportion_z": two_proportion_z,
    "proportion_ci": proportion,
    "delong": delong,
    "cochran_q": cochran_q,
    "looney_f": looney,
    "looney_f_plus": looney,
    "rocch": hull,
    "multinomial_selection": selection,
}

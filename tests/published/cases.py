"""Conversion of the cases in tests.json: numbers, losses, pairs of learners."""

from typing import Any

import numpy as np

Case = dict[str, Any]
# Attributes of results by the keys that cases use for them.
_OF_THE_SAME_NAME = (
    "statistic df n w_plus w_minus wins losses ties critical_difference epsilon epsilon_gg "
    "epsilon_hf p_gg p_hf"
)
_EFFECT_SIZES = "effect_size kendall_w W eta_squared eta2 rank_biserial odds_ratio"
ATTRIBUTES = {
    **{name: name for name in _OF_THE_SAME_NAME.split()},
    **dict.fromkeys(_EFFECT_SIZES.split(), "effect_size"),
    **dict.fromkeys(("estimate", "difference", "mean_difference"), "estimate"),
    **dict.fromkeys(("means", "mean_ranks"), "levels"),
    "p": "p_value",
    "degenerate": "flags",
    "mst": "ms_learners",
    "mse": "ms_error",
    "ssa": "ss_learners",
    "ssb": "ss_rows",
    "ssab": "ss_error",
    "sst": "ss_total",
    "partial_eta2": "partial_eta_squared",
}


def numbers(values: Any) -> Any:
    """Read "inf", "-inf" and "nan", which stand as strings in the cases, and null as nan."""
    if isinstance(values, list):
        return [numbers(value) for value in values]
    return float("nan" if values is None else values)


def losses(values: Any, options: Case) -> Any:
    """Turn scores into losses; lists may be ragged, which is for the procedure to refuse."""
    if isinstance(values, list):
        return [losses(value, options) for value in values]
    return -numbers(values) if options.get("higher_is_better") else numbers(values)


def pair(key: str) -> tuple[int, int]:
    i, j = key.split("-")
    return int(i) - 1, int(j) - 1


def of_result(result: Any, options: Case) -> Case:
    """Give a result under every key that cases use for what it has."""
    found = {
        key: getattr(result, name) for key, name in ATTRIBUTES.items() if hasattr(result, name)
    }
    if hasattr(result, "reject"):
        found["reject"] = result.reject(options.get("alpha", 0.05))
    if hasattr(result, "confidence_interval"):
        found["ci"] = result.confidence_interval(numbers(options.get("confidence", 0.95)))
    return found


def taken(options: Case, *names: str) -> Case:
    """Return the options of a case that a procedure takes by the same names."""
    return {name: options[name] for name in names if name in options}


def by_pair(values: np.ndarray) -> dict[str, float]:
    return {
        f"{i + 1}-{j + 1}": float(values[i, j])
        for i, j in np.argwhere(~np.eye(len(values), dtype=bool))
    }


def given_p(p_of_pairs: dict[str, Any], n_learners: int) -> np.ndarray:
    p = np.full((n_learners, n_learners), np.nan)
    for key, value in p_of_pairs.items():
        p[pair(key)] = numbers(value)
    return p

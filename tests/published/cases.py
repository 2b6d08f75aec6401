"""Conversion of the cases in tests.json: numbers, losses, pairs of learners."""

from typing import Any

import numpy as np

Case = dict[str, Any]


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

"""Labels of parameter values: short and distinct."""

import math
from collections.abc import Sequence
from typing import Any

_DIGITS = 4


def is_number(value: Any) -> bool:
    """Return whether a value has a place on an axis: finite, and neither True nor False."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value)


def value_labels(values: Sequence[Any]) -> list[str]:
    """Return short labels of values, all different.

    Parameters
    ----------
    values : sequence of object
        Plain values: numbers, names, True, False, None or others.

    Returns
    -------
    list of str
        Numbers with four digits, or as many as it takes to tell them apart.

    Examples
    --------
    >>> value_labels([1, 0.1, 1 / 3, "gini", None])
    ['1', '0.1', '0.3333', 'gini', 'None']
    >>> value_labels([0.100001, 0.100002])
    ['0.100001', '0.100002']
    """
    short = [_label(value, exact=False) for value in values]
    if len(set(short)) == len(short):
        return short
    return [_label(value, exact=True) for value in values]


def _label(value: Any, *, exact: bool) -> str:
    if isinstance(value, str) and not exact:
        return value
    if isinstance(value, float) and not exact:
        return f"{value:.{_DIGITS}g}"
    return " ".join(repr(value).split())

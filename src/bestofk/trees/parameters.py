"""Checks of the parameters of tree learners.

Every check takes keywords, returns what the parameter means, and ends a wrong call with
`{what} must be {rule}; got {value}. {way_out}`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any, Final

import numpy as np

from bestofk.checks import nearest_name
from bestofk.errors import InvalidArgumentError
from bestofk.trees.arrays import Floats

# What all learners ask of the numbers that they share.
GROWTH_NUMBERS: Final[dict[str, dict[str, Any]]] = {
    "max_depth": {
        "low": 1,
        "is_whole": True,
        "or_none": True,
        "way_out": "Use None for a depth without a limit.",
    },
    "min_samples_leaf": {
        "low": 0,
        "closed": "neither",
        "way_out": "It is the weight of rows that a branch needs, no share of them: use 1 for any.",
    },
    "min_samples_split": {
        "low": 0,
        "closed": "neither",
        "or_none": True,
        "way_out": "It is the weight of rows that a node needs, no share of them: use None for "
        "twice that of a branch.",
    },
    "min_impurity_decrease": {"low": 0, "way_out": "Use 0 for no limit."},
    "chi_squared_alpha": {
        "low": 0,
        "high": 1,
        "closed": "right",
        "or_none": True,
        "way_out": "Use a level such as 0.01, or None to grow without the test.",
    },
    "cost_weight": {"low": 0, "high": 1, "way_out": "0 ignores costs, 1 counts them in full."},
}
GROWTH_CHOICES: Final[dict[str, tuple[str | None, ...]]] = {
    "missing_values": ("fractional", "most-frequent", "most-frequent-in-class"),
    "cost_rule": ("tan-schlimmer", "nunez", "idx"),
}
_ZERO_COST: Final = "The rule divides by the cost: give it a small cost, or use cost_rule='nunez'."


def check_choice(*, what: str, value: Any, allowed: Sequence[str | None]) -> None:
    """Hold a parameter to one of some words.

    Parameters
    ----------
    what : str
        Parameter to blame.
    value : object
        What it is.
    allowed : sequence of str or None
        What it may be.

    Raises
    ------
    InvalidArgumentError
        If it is none of them.
    """
    if (value is None or isinstance(value, str)) and value in allowed:
        return
    way_out = nearest_name(repr(value), [repr(item) for item in allowed])
    raise InvalidArgumentError(f"{what} must be a known choice; got {value!r}. {way_out}")


def check_flag(*, what: str, value: Any) -> None:
    """Hold a parameter to True or False.

    Parameters
    ----------
    what : str
        Parameter to blame.
    value : object
        What it is.

    Raises
    ------
    InvalidArgumentError
        If it is neither.
    """
    if not isinstance(value, bool | np.bool_):
        raise InvalidArgumentError(
            f"{what} must be True or False; got {value!r}. Texts and numbers are not taken for it."
        )


def check_number(
    *,
    what: str,
    value: Any,
    low: float,
    high: float = np.inf,
    closed: str = "both",
    is_whole: bool = False,
    or_none: bool = False,
    way_out: str,
) -> None:
    """Hold a parameter to a number of a range.

    Parameters
    ----------
    what : str
        Parameter to blame.
    value : object
        What it is.
    low : float
        Lower end.
    high : float, default=inf
        Upper end; an infinite one is never in the range.
    closed : {"both", "left", "right", "neither"}, default="both"
        Which ends are in the range.
    is_whole : bool, default=False
        Whether it must be an integer.
    or_none : bool, default=False
        Whether None will do.
    way_out : str
        What to do instead: a sentence.

    Raises
    ------
    InvalidArgumentError
        If it is anything else; booleans are no numbers.
    """
    if value is None and or_none:
        return
    has_low, has_high = closed in ("both", "left"), closed in ("both", "right")
    if isinstance(value, Integral if is_whole else Real) and not isinstance(value, bool | np.bool_):
        number = float(value)
        is_above = number >= low if has_low else number > low
        is_below = number <= high if has_high else number < high
        if is_above and is_below and np.isfinite(number):
            return
    rule = "an integer " if is_whole else "a number "
    if high == np.inf:
        rule += f"from {low:g} upwards" if has_low else f"above {low:g}"
    else:
        rule += f"{'from' if has_low else 'above'} {low:g} {'to' if has_high else 'below'} {high:g}"
    rule += " or None" * or_none
    raise InvalidArgumentError(f"{what} must be {rule}; got {value!r}. {way_out}")


def cost_array(*, what: str, value: Any, names: Sequence[str], may_be_zero: bool) -> Floats | None:
    """Return what it costs to measure each attribute.

    Parameters
    ----------
    what : str
        Parameter to blame.
    value : mapping of str to float, sequence of float, or None
        Costs by name, or in the order of the columns; None for none.
    names : sequence of str
        Names of the columns.
    may_be_zero : bool
        Whether the cost rule can do with costs of 0.

    Returns
    -------
    ndarray of shape (n_attributes,), float64, or None

    Raises
    ------
    InvalidArgumentError
        If a cost is missing, not a number, negative, infinite, 0 where it may not be, or for no
        column.
    """
    if value is None:
        return None
    costs = _costs_by_name(what, value, names)
    for name, cost in costs.items():
        is_number = isinstance(cost, Real) and not isinstance(cost, bool | np.bool_)
        lowest = "0 or more" if may_be_zero else "above 0"
        if not (is_number and np.isfinite(cost) and (cost >= 0 if may_be_zero else cost > 0)):
            raise InvalidArgumentError(
                f"{what} must be {lowest} for every column; got {cost!r} for column {name!r}. "
                + ("Costs are finite numbers." if may_be_zero else _ZERO_COST)
            )
    return np.array([float(costs[name]) for name in names])


def _costs_by_name(what: str, value: Any, names: Sequence[str]) -> dict[str, Any]:
    if isinstance(value, Mapping):
        unknown = [name for name in value if name not in names]
        if unknown:
            raise InvalidArgumentError(
                f"{what} must name columns of X; got {unknown[0]!r}. "
                + nearest_name(str(unknown[0]), names)
            )
        missing = [name for name in names if name not in value]
        if missing:
            raise InvalidArgumentError(
                f"{what} must have a cost for every column; got none for {', '.join(missing)}. "
                "Add them: what costs nothing extra can be given the lowest cost of all."
            )
        return {name: value[name] for name in names}
    costs = [] if isinstance(value, str) or not np.iterable(value) else list(value)
    if len(costs) != len(names):
        raise InvalidArgumentError(
            f"{what} must be a mapping or one cost for each of {len(names)} columns; got "
            f"{value!r}. Give costs by name: a mapping."
        )
    return dict(zip(names, costs, strict=True))


def check_parameters(
    learner: Any,
    *,
    choices: Mapping[str, Sequence[str | None]],
    flags: Sequence[str],
    numbers: Mapping[str, Mapping[str, Any]],
) -> None:
    """Hold the parameters of a learner to their rules.

    Parameters
    ----------
    learner : object
        Parameters are its attributes.
    choices : mapping of str to sequence of str or None
        Parameters that are one of some words.
    flags : sequence of str
        Parameters that are True or False.
    numbers : mapping of str to mapping
        Parameters that are numbers, with the arguments of `check_number`.

    Raises
    ------
    InvalidArgumentError
        If one breaks its rule.
    """
    kind = type(learner).__name__
    for name, allowed in choices.items():
        check_choice(what=f"{name} of {kind}", value=getattr(learner, name), allowed=allowed)
    for name in flags:
        check_flag(what=f"{name} of {kind}", value=getattr(learner, name))
    for name, limits in numbers.items():
        check_number(what=f"{name} of {kind}", value=getattr(learner, name), **limits)

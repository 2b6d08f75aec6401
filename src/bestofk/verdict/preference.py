"""Preference among learners: given or by cost before any score is seen; and clear savings."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.checks import check_different, check_known, check_number
from bestofk.errors import InvalidArgumentError

# Costs within this factor of each other count as equal: timing noise decides nothing.
COST_FACTOR = 2.0
# How each cost is called in a sentence.
COST_KINDS = {
    "fit-time": "measured fit time",
    "predict-time": "measured predict time",
    "size": "size of the fitted learner",
    "parameters": "number of parameters",
    "feature-cost": "cost of the features used",
}
# Costs that are counted, not measured: they are compared as they are.
EXACT_KINDS = ("parameters", "feature-cost")
_COARSELY = (
    f"cheapest first (costs within a factor of {COST_FACTOR:g} count as equal and keep their order)"
)
_EXACTLY = "cheapest first (equal costs keep their order)"
TRAINING, PREDICTING = "training", "predicting"
# The middle 80 % of the runs stand for a learner; with fewer than five runs there is no middle.
_QUANTILES, _FEWEST_RUNS = (0.1, 0.9), 5
# Few runs may be off by this factor either way: first calls load libraries, machines are busy.
_FACTOR_OF_FEW = 3.0


def coarse_order(costs: ArrayLike, *, factor: float = COST_FACTOR) -> list[int]:
    """Return positions from cheapest to most expensive, on a scale coarse enough to ignore noise.

    The cheapest that remains opens a group; whatever costs at most `factor` times as much
    joins it. Within a group the given order stays.

    Parameters
    ----------
    costs : array-like of shape (n_learners,)
        Not negative, any unit; nan (unknown) comes last.
    factor : float, at least 1, default=2.0
        Width of a group.

    Returns
    -------
    list of int
        Indices from 0, each once.

    Raises
    ------
    InvalidArgumentError
        If a cost is negative, the array is not one-dimensional, or `factor` is below 1.

    Examples
    --------
    >>> coarse_order([0.9, 5.0, 0.5, 0.4, float("nan"), 3.0])
    [2, 3, 0, 1, 5, 4]
    """
    values = np.asarray(costs, dtype=float)
    if values.ndim != 1 or (values < 0).any():
        raise InvalidArgumentError(
            f"costs must be one number per learner, none negative; got {values.tolist()}. "
            "Use nan for an unknown cost."
        )
    check_number(factor, "factor of coarse_order", low=1, way_out="Use 1 for exact costs.")
    order: list[int] = []
    remaining = [int(i) for i in np.argsort(values, kind="stable") if not np.isnan(values[i])]
    while remaining:
        limit = factor * values[remaining[0]]
        group = [i for i in remaining if values[i] <= limit]
        order += sorted(group)
        remaining = remaining[len(group) :]
    return order + [int(i) for i in np.flatnonzero(np.isnan(values))]


def order_by_preference(
    names: Sequence[str],
    prefer: str | Sequence[str] | Mapping[str, float],
    costs: Mapping[str, ArrayLike] | None = None,
) -> tuple[list[int], str]:
    """Return the learners in decreasing preference, and a sentence about its source.

    Parameters
    ----------
    names : sequence of str
        Learners as given.
    prefer : {"given", "fit-time", "predict-time", "size", "parameters", "feature-cost"}, \
            sequence of str or mapping of str to float
        The order as given; by a cost, cheapest first (underscores do for hyphens); all names,
        most preferred first; or a table with the cost of every learner.
        Measured costs (times, size) are compared by `coarse_order`, counted ones and those of
        the table as they are.
    costs : mapping of str to array-like of shape (n_learners,), optional
        Costs under the names above, as far as they are known; nan for an unknown one.

    Returns
    -------
    order : list of int
        Positions in `names`, most preferred first.
    sentence : str
        Says what was used.

    Raises
    ------
    InvalidArgumentError
        If the word is unknown, its cost is not known, the sequence does not hold every name
        exactly once, or the table is not one finite cost, not negative, of every name.

    Examples
    --------
    >>> order_by_preference(["cart", "majority"], ["majority", "cart"])
    ([1, 0], 'Preference as listed: majority, cart.')
    >>> order_by_preference(["cart", "majority"], {"cart": 7, "majority": 2})[0]
    [1, 0]
    """
    if isinstance(prefer, Mapping):
        order = coarse_order(_tabled(names, prefer), factor=1)
        return _told(names, order, f"by a table of costs, {_EXACTLY}")
    if not isinstance(prefer, str):
        return _told(names, _listed(names, prefer), "as listed")
    if prefer == "given":
        return _told(names, list(range(len(names))), "as given")
    kind, values = _known(names, prefer, costs or {})
    is_exact = kind in EXACT_KINDS
    order, sentence = _told(
        names,
        coarse_order(values, factor=1 if is_exact else COST_FACTOR),
        f"by {COST_KINDS[kind]}, {_EXACTLY if is_exact else _COARSELY}",
    )
    unknown = [name for name, value in zip(names, values, strict=True) if np.isnan(value)]
    missing = "Not known" if is_exact else "Not measured"
    return order, sentence + (f" {missing}, so last: {', '.join(unknown)}." if unknown else "")


def ranked_only(prefer: Any, names: Sequence[str], ranked: Sequence[str]) -> Any:
    """Drop from a listed preference the learners that are compared but cannot be best."""
    if prefer is None or isinstance(prefer, str):
        return prefer
    if isinstance(prefer, Mapping):
        return {n: cost for n, cost in prefer.items() if n in ranked or n not in names}
    return [name for name in prefer if name in ranked or name not in names]


def _told(names: Sequence[str], order: list[int], source: str) -> tuple[list[int], str]:
    return order, f"Preference {source}: {', '.join(names[i] for i in order)}."


def _listed(names: Sequence[str], prefer: Sequence[str]) -> list[int]:
    wanted = [str(name) for name in prefer]
    _check_compared(names, wanted)
    check_different(wanted, "learners of prefer", "Keep the first place of each.")
    missing = [name for name in names if name not in wanted]
    if missing:
        raise InvalidArgumentError(
            f"prefer must list every learner; got a list without {', '.join(missing)}. "
            "Add them at the end if they are wanted least."
        )
    return [list(names).index(name) for name in wanted]


def _tabled(names: Sequence[str], prefer: Mapping[str, float]) -> list[float]:
    _check_compared(names, [str(name) for name in prefer])
    missing = [name for name in names if name not in prefer]
    if missing:
        raise InvalidArgumentError(
            f"prefer must give a cost of every learner; got a table without {', '.join(missing)}. "
            "Give those a high cost if they are wanted least."
        )
    for name, cost in prefer.items():
        check_number(cost, f"prefer of {name!r}", low=0, way_out="Costs have any unit.")
    return [float(prefer[name]) for name in names]


def _check_compared(names: Sequence[str], wanted: Sequence[str]) -> None:
    for name in wanted:
        check_known(name, "name in prefer", names, rule="a learner that is compared")


def _known(names: Sequence[str], prefer: str, costs: Mapping[str, ArrayLike]) -> tuple[str, Floats]:
    kind, rule = prefer.replace("_", "-"), "a known word or a list of all learners"
    check_known(kind, "prefer", ["given", *COST_KINDS], rule=rule, got=prefer)
    if kind not in costs:
        told = "say feature_costs, " if kind == "feature-cost" else ""
        raise InvalidArgumentError(
            f"prefer must be a cost that was measured; got {prefer!r}, which was not. "
            f"Use 'given', {told}list the learners, or give a table of costs."
        )
    values = np.asarray(costs[kind], dtype=float)
    if values.shape != (len(names),):
        raise InvalidArgumentError(
            f"costs of {kind!r} must be one number per learner; got shape {values.shape} for "
            f"{len(names)} learners. Use nan for an unknown cost."
        )
    return kind, values


def savings(first: Floats, other: Floats) -> tuple[str, ...]:
    """Return the steps in which a learner takes less than half the seconds of another.

    Parameters
    ----------
    first, other : ndarray of shape (n_runs, 2)
        Seconds of training and of predicting, of each run of the two learners; nan where unknown.

    Returns
    -------
    tuple of str
        "training", "predicting" or both; empty unless training and predicting together take less
        than half.

    Examples
    --------
    >>> quick, slow = np.array([[0.1, 0.2]] * 5), np.array([[5.0, 0.1]] * 5)
    >>> savings(quick, slow), savings(slow, quick)
    (('training',), ())
    """
    if not _is_cheaper(first.sum(axis=1), other.sum(axis=1)):
        return ()
    uses = (TRAINING, PREDICTING)
    shown = tuple(
        use for index, use in enumerate(uses) if _is_cheaper(first[:, index], other[:, index])
    )
    return shown or uses  # together alone, where each varies too much


def _is_cheaper(first: Floats, other: Floats) -> bool:
    """Return whether the high end of some seconds, doubled, is below the low end of others."""
    first, other = first[~np.isnan(first)], other[~np.isnan(other)]
    if not len(first) or not len(other):
        return False
    return COST_FACTOR * _ends(first)[1] < _ends(other)[0]


def _ends(seconds: Floats) -> tuple[float, float]:
    """Return between which seconds a usual run takes."""
    if len(seconds) < _FEWEST_RUNS:
        return float(seconds.min() / _FACTOR_OF_FEW), float(seconds.max() * _FACTOR_OF_FEW)
    low, high = np.quantile(seconds, _QUANTILES)
    return float(low), float(high)

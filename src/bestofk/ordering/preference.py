"""Which learner is wanted most before any score is seen: as given, or by measured cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk.errors import InvalidArgumentError, nearest_name

# Costs within this factor of each other are not told apart: timing noise decides nothing.
COST_FACTOR = 2.0
# How each measured preference is called in a sentence.
COST_KINDS = {
    "fit-time": "measured fit time",
    "predict-time": "measured predict time",
    "size": "size of the fitted learner",
}


def coarse_order(costs: ArrayLike, *, factor: float = COST_FACTOR) -> list[int]:
    """Return positions from cheapest to dearest, on a scale so coarse that noise ties.

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
    if not factor >= 1:
        raise InvalidArgumentError(
            f"factor of coarse_order must be at least 1; got {factor}. Use 1 for exact costs."
        )
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
    prefer: str | Sequence[str],
    costs: Mapping[str, ArrayLike] | None = None,
) -> tuple[list[int], str]:
    """Return the learners in decreasing preference, and a sentence about its source.

    Parameters
    ----------
    names : sequence of str
        Learners as given.
    prefer : {"given", "fit-time", "predict-time", "size"} or sequence of str
        The order as given, by measured cost (`coarse_order`; underscores do for hyphens),
        or all names, most preferred first.
    costs : mapping of str to array-like of shape (n_learners,), optional
        Measured costs under the three names above, as far as they are known.

    Returns
    -------
    order : list of int
        Positions in `names`, most preferred first.
    sentence : str
        Says what was used.

    Raises
    ------
    InvalidArgumentError
        If the word is unknown, its cost was not measured, or the sequence does not hold
        every name exactly once.

    Examples
    --------
    >>> order_by_preference(["cart", "majority"], ["majority", "cart"])
    ([1, 0], 'Preference as listed: majority, cart.')
    """
    if not isinstance(prefer, str):
        return _told(names, _listed(names, prefer), "as listed")
    if prefer == "given":
        return _told(names, list(range(len(names))), "as given")
    kind, values = _measured(names, prefer, costs or {})
    order, sentence = _told(
        names,
        coarse_order(values),
        f"by {COST_KINDS[kind]}, cheapest first (costs within a factor of {COST_FACTOR:g} count "
        "as equal and stay as given)",
    )
    unknown = [name for name, value in zip(names, values, strict=True) if np.isnan(value)]
    return order, sentence + (f" Not measured, so last: {', '.join(unknown)}." if unknown else "")


def _told(names: Sequence[str], order: list[int], source: str) -> tuple[list[int], str]:
    return order, f"Preference {source}: {', '.join(names[i] for i in order)}."


def _listed(names: Sequence[str], prefer: Sequence[str]) -> list[int]:
    wanted = [str(name) for name in prefer]
    for name in wanted:
        if name not in names:
            raise InvalidArgumentError(
                f"prefer must list learners that are compared; got {name!r}. "
                + nearest_name(name, names)
            )
    twice = [name for name, count in Counter(wanted).items() if count > 1]
    if twice:
        raise InvalidArgumentError(
            f"prefer must list each learner once; got {', '.join(twice)} more than once. "
            "Keep the first place of each."
        )
    missing = [name for name in names if name not in wanted]
    if missing:
        raise InvalidArgumentError(
            f"prefer must list every learner; got a list without {', '.join(missing)}. "
            "Add them at the end if they are wanted least."
        )
    return [list(names).index(name) for name in wanted]


def _measured(
    names: Sequence[str], prefer: str, costs: Mapping[str, ArrayLike]
) -> tuple[str, NDArray[np.float64]]:
    kind = prefer.replace("_", "-")
    if kind not in COST_KINDS:
        raise InvalidArgumentError(
            f"prefer must be a known word or a list of all learners; got {prefer!r}. "
            + nearest_name(prefer, ["given", *COST_KINDS])
        )
    if kind not in costs:
        raise InvalidArgumentError(
            f"prefer must be a cost that was measured; got {prefer!r}, which was not. "
            "Use 'given' or list the learners."
        )
    values = np.asarray(costs[kind], dtype=float)
    if values.shape != (len(names),):
        raise InvalidArgumentError(
            f"costs of {kind!r} must be one number per learner; got shape {values.shape} for "
            f"{len(names)} learners. Use nan for an unknown cost."
        )
    return kind, values

"""Selection and order of rules by the shortest description of the classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from scipy.special import gammaln

from bestofk.array_types import Bools, Floats, Positions
from bestofk.trees.attributes import NOMINAL, Attribute
from bestofk.trees.rule import Rule

# Constants of Release 8.
_RULE_WEIGHT: Final = 0.5  # bits of rules count half: they are redundant
_MOST_FOR_ALL_SUBSETS: Final = 10
_N_STARTS: Final = 11
_NEVER_BITS: Final = 1e6
_TIE: Final = 1e-6


def rule_bits(
    rules: Sequence[Rule], attributes: Sequence[Attribute], matrix: Floats, weight: Floats
) -> Floats:
    """Return how many bits it takes to write down each rule.

    Parameters
    ----------
    rules : sequence of Rule
        The rules.
    attributes : sequence of Attribute
        What the columns are.
    matrix : ndarray of shape (n_rows, n_attributes), float64
        The training rows.
    weight : ndarray of shape (n_rows,), float64
        What they count.

    Returns
    -------
    ndarray of shape (n_rules,), float64
        Which column and which outcome each condition is about, how many conditions there are,
        less the bits of their order.
    """
    outcome = np.array([_outcome_bits(a, matrix[:, k], weight) for k, a in enumerate(attributes)])
    shares = outcome[outcome > 0] / outcome.sum() if outcome.any() else np.ones(1)
    column = float(-(shares * np.log2(shares)).sum())
    bits = []
    for rule in rules:
        tests = [
            condition.attribute.n_levels
            if condition.operator == "in"
            else outcome[condition.column]
            for condition in rule.conditions
        ]
        n = len(tests)
        bits.append(n * column + sum(tests) + np.log2(n) - _log2_factorial(n))
    return np.array(bits, dtype=np.float64)


def select_for_class(
    holds: Bools, is_class: Bools, weight: Floats, bits: Floats, rng: Any
) -> Bools:
    """Return which rules of a class describe it best.

    Parameters
    ----------
    holds : ndarray of shape (n_rules, n_rows), bool
        Which rows meet each rule of the class.
    is_class : ndarray of shape (n_rows,), bool
        Which rows are of the class.
    weight : ndarray of shape (n_rows,), float64
        What the rows count.
    bits : ndarray of shape (n_rules,), float64
        As `rule_bits` returns them.
    rng : Generator or RandomState
        Draws the rules that the search begins with, if there are more than 10.

    Returns
    -------
    ndarray of shape (n_rules,), bool
        May be none.
    """
    search = _Search(holds, is_class, weight, bits)
    k = len(bits)
    if k <= _MOST_FOR_ALL_SUBSETS:
        subsets = (np.arange(2**k)[:, None] >> np.arange(k)) % 2 == 1
        return np.asarray(subsets[search.values(subsets).argmin()])
    best, best_value = np.zeros(k, np.bool_), np.inf
    for start in range(_N_STARTS):
        subset = np.asarray(rng.random(k)) < start / (_N_STARTS - 1)
        value = search.climb(subset)
        if value < best_value - _TIE:
            best, best_value = subset, value
    return best


def order_by_class(
    rules: Sequence[Rule], holds: Bools, y: Positions, weight: Floats, n_classes: int
) -> list[int]:
    """Return the rules class by class, the classes with the least false alarms first.

    Parameters
    ----------
    rules : sequence of Rule
        The rules.
    holds : ndarray of shape (n_rules, n_rows), bool
        Which rows meet them.
    y : ndarray of shape (n_rows,), intp
        Classes of the rows.
    weight : ndarray of shape (n_rows,), float64
        What the rows count.
    n_classes : int
        How many classes there are.

    Returns
    -------
    list of int
        Positions of rules, within a class by pessimistic error.
    """
    of_class = np.array([rule.class_number for rule in rules], dtype=np.intp)
    by_error = order_by_accuracy(rules)
    is_left = np.ones(len(y), np.bool_)
    classes, order = list(range(n_classes)), []
    met = {c: holds[of_class == c].any(axis=0) for c in classes}
    while classes:
        alarms = [weight[met[c] & is_left & (y != c)].sum() for c in classes]
        c = classes.pop(int(np.argmin(alarms)))
        is_left &= ~met[c]
        order += [r for r in by_error if of_class[r] == c]
    return order


def order_by_accuracy(rules: Sequence[Rule]) -> list[int]:
    """Return the positions of rules by pessimistic error, the first of equals first."""
    return sorted(range(len(rules)), key=lambda r: rules[r].pessimistic_error)


def default_class(holds: Bools, y: Positions, weight: Floats, n_classes: int) -> int:
    """Return the class of most rows that meet no rule; of equals the more frequent, the first.

    Parameters
    ----------
    holds : ndarray of shape (n_rules, n_rows), bool
        Which rows meet each rule.
    y : ndarray of shape (n_rows,), intp
        Classes of the rows.
    weight : ndarray of shape (n_rows,), float64
        What the rows count.
    n_classes : int
        How many classes there are.

    Returns
    -------
    int
    """
    everywhere = np.bincount(y, weight, n_classes)
    left = np.bincount(y, weight * ~holds.any(axis=0), n_classes)
    return max(range(n_classes), key=lambda c: (left[c], everywhere[c], -c))


def without_harmful(
    holds: Bools, of_class: Positions, y: Positions, weight: Floats, default: int
) -> list[int]:
    """Return the rules but those without which the list errs less on the training rows.

    Parameters
    ----------
    holds : ndarray of shape (n_rules, n_rows), bool
        Which rows meet the rules, in their order.
    of_class : ndarray of shape (n_rules,), intp
        Classes of the rules.
    y : ndarray of shape (n_rows,), intp
        Classes of the rows.
    weight : ndarray of shape (n_rows,), float64
        What the rows count.
    default : int
        Class of rows that meet no rule.

    Returns
    -------
    list of int
        Positions of the rules that stay; one is dropped at a time, the first that harms.
    """
    kept = list(range(len(holds)))
    while kept:
        first, second = _first_two(holds[kept])
        named = np.append(of_class[kept], default)
        gain = weight * (
            (named[first] == y).astype(np.float64) - (named[second] == y).astype(np.float64)
        )
        gains = np.bincount(first, gain, len(kept) + 1)[:-1]
        harmful = np.flatnonzero(gains < -_TIE)
        if not harmful.size:
            break
        kept.pop(int(harmful[0]))
    return kept


def _first_two(holds: Bools) -> tuple[Positions, Positions]:
    """Return the first and the second rule that each row meets, n_rules for none."""
    closed = np.vstack([holds, np.ones((2, holds.shape[1]), np.bool_)])
    first = closed.argmax(axis=0)
    closed[first, np.arange(len(first))] = False
    return first, np.minimum(closed.argmax(axis=0), len(holds))


def _outcome_bits(attribute: Attribute, values: Floats, weight: Floats) -> float:
    """Return the bits of an outcome: entropy of the levels, half the bits of a cut and a side."""
    if attribute.kind == NOMINAL:
        codes = values[values >= 0].astype(np.intp)
        shares = np.bincount(codes, weight[values >= 0], attribute.n_levels) / weight.sum()
        shares = shares[shares > 0]
        return float(-(shares * np.log2(shares)).sum())
    n_distinct = len(np.unique(values))  # a missing value counts as one more
    return 1.0 + float(np.log2(n_distinct)) / 2 if n_distinct > 1 else 0.0


def _log2_factorial(n: Any) -> Any:
    return gammaln(np.asarray(n) + 1.0) / np.log(2.0)


class _Search:
    """Search for a better subset of the rules of a class, with its worth.

    Rows that meet the same rules are one pattern: `meets` float64 (n_rules, n_patterns); `sides`
    float64 (n_patterns, 2) is the weight of their rows inside the class and outside.
    """

    def __init__(self, holds: Bools, is_class: Bools, weight: Floats, bits: Floats) -> None:
        packed = np.ascontiguousarray(np.packbits(holds, axis=0).T)
        keys = packed.view(np.dtype((np.void, packed.shape[1])))[:, 0]
        _, rows, pattern = np.unique(keys, return_index=True, return_inverse=True)
        by_pattern = np.ascontiguousarray(holds[:, rows].T, dtype=np.float64)
        self.meets = by_pattern.T  # columns are read most
        self.sides = np.column_stack(
            [np.bincount(pattern, weight * side, len(rows)) for side in (is_class, ~is_class)]
        )
        self.total = float(weight.sum())
        self.bits = bits

    def values(self, subsets: Bools) -> Floats:
        """Return the bits of each subset, shape (n_subsets,): of rules and exceptions."""
        is_met = (subsets.astype(np.float64) @ self.meets) > 0
        caught, alarms = (is_met @ self.sides).T
        missed = self.sides[:, 0].sum() - caught
        written = subsets @ self.bits - _log2_factorial(subsets.sum(axis=1))
        bits = _RULE_WEIGHT * written + _exception_bits(self.total, caught + alarms, alarms, missed)
        return np.asarray(np.round(bits, 6))  # so that ties do not hang on the last digit

    def climb(self, subset: Bools) -> float:
        """Add or drop the rule that saves most, as long as one does; return the bits reached."""
        times = subset @ self.meets
        # Invariant: row r is the weight, inside the class and outside, of the rows that rule r
        # wins when added (no rule of the subset meets them) or loses when dropped (no other does).
        free, sole = (self.sides * (times == t)[:, None] for t in (0, 1))
        if_added, if_dropped = self.meets @ free, self.meets @ sole
        while True:
            met = self.sides[times > 0].sum(axis=0)
            value, changed = self._neighbors(subset, met, if_added, if_dropped)
            best = int(changed.argmin())
            if changed[best] >= value - _TIE:
                return value
            rows = np.flatnonzero(self.meets[best])
            before = times[rows]
            after = before + (-1.0 if subset[best] else 1.0)
            meets, sides = self.meets.T[rows].T, self.sides[rows]
            if_added += meets @ (sides * ((after == 0) * 1.0 - (before == 0))[:, None])
            if_dropped += meets @ (sides * ((after == 1) * 1.0 - (before == 1))[:, None])
            times[rows] = after
            subset[best] = not subset[best]

    def _neighbors(
        self, subset: Bools, met: Floats, if_added: Floats, if_dropped: Floats
    ) -> tuple[float, Floats]:
        """Return the bits of a subset, and of the subset with each rule added or dropped."""
        sign = np.append(np.where(subset, -1.0, 1.0), 0.0)
        moved = np.vstack([np.where(subset[:, None], if_dropped, if_added), np.zeros(2)])
        caught, alarms = (met + sign[:, None] * moved).T
        missed = self.sides[:, 0].sum() - caught
        written = self.bits[subset].sum() + sign * np.append(self.bits, 0.0)
        written -= _log2_factorial(subset.sum() + sign)
        bits = _RULE_WEIGHT * written
        bits += _exception_bits(self.total, caught + alarms, alarms, missed)
        return float(bits[-1]), bits[:-1]


def _exception_bits(total: float, met: Floats, alarms: Floats, missed: Floats) -> Floats:
    """Return the bits of naming the rows that the rules get wrong (Quinlan 1995).

    Errors among the fewer rows, met or not met, are expected as often as they are; those among the
    others half as often as all errors together: rules that err on one side only are dear.
    """
    half = 0.5 * (alarms + missed)
    is_most = met > 0.5 * total
    expected_alarms = np.where(is_most, half, alarms)
    expected_missed = np.where(is_most, missed, half)
    return np.asarray(
        np.log2(total)
        + _biased_bits(met, alarms, expected_alarms)
        + _biased_bits(total - met, missed, expected_missed)
    )


def _biased_bits(total: Floats, errors: Floats, expected: Floats) -> Floats:
    is_none, is_all = expected <= _TIE, expected >= total - _TIE
    rate = np.where(is_none | is_all, 0.5, expected / np.maximum(total, _TIE))
    bits = -errors * np.log2(rate) - (total - errors) * np.log2(1.0 - rate)
    bits = np.where(is_all, np.where(errors >= total - _TIE, 0.0, _NEVER_BITS), bits)
    return np.where(is_none, np.where(errors <= _TIE, 0.0, _NEVER_BITS), bits)

"""Rules made from the leaves of a tree: pruned one by one, selected and ordered."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, Final

import numpy as np
from scipy.special import gammaln
from sklearn.utils import check_random_state

from bestofk.array_types import Bools, Floats, Positions
from bestofk.randomness import derive_rng
from bestofk.trees._pruning import added_errors
from bestofk.trees.attributes import NOMINAL, Attribute
from bestofk.trees.pruning_methods import bound_parts
from bestofk.trees.rule import Condition, Rule, first_met, leaf_paths, narrowest, rows_met
from bestofk.trees.text_form import leaf_class
from bestofk.trees.tree import Tree

# Rules with a larger expected error are never used (Release 8).
_LARGEST_ERROR: Final = 0.7

ErrorBound = Callable[[float, float], float]
# Constants of Release 8.
_RULE_WEIGHT: Final = 0.5  # bits of rules count half, because rules are redundant
_MOST_FOR_ALL_SUBSETS: Final = 10
_N_STARTS: Final = 11
_NEVER_BITS: Final = 1e6
_TIE: Final = 1e-6
# Rules, default class, and weight of each class decided by each rule (last: by the default).
MadeRules = tuple[list[Rule], int, Floats]


def rules_of_leaves(tree: Tree, bound: ErrorBound) -> tuple[list[Rule], Floats]:
    """Return one rule for each leaf with training rows, with the counts of the tree.

    Parameters
    ----------
    tree : Tree
        A tree without oblique tests.
    bound : callable
        Result of `error_bound`.

    Returns
    -------
    rules : list of Rule
        None for a tree without tests.
    counts : ndarray of shape (n_rules, n_classes), float64
        Training weight of each class.
    """
    rules, leaves = [], []
    for leaf, conditions in leaf_paths(tree):
        weight = float(tree.weight[leaf])
        if conditions and weight > 0:
            c = leaf_class(tree, leaf)
            errors = weight - float(tree.class_weights[leaf, c])
            label, error = tree.classes[c], bound(weight, errors)
            rules.append(Rule(_by_column(narrowest(conditions)), c, label, weight, errors, error))
            leaves.append(leaf)
    return rules, tree.class_weights[leaves]


def rules_of_rows(
    tree: Tree,
    matrix: Floats,
    y: Positions,
    weight: Floats,
    bound: ErrorBound,
    *,
    prunes: bool,
    fisher_alpha: float | None,
) -> list[Rule]:
    """Return the rules of the leaves, counted on whole rows and pruned one by one.

    Parameters
    ----------
    tree : Tree
        A tree without oblique tests.
    matrix : ndarray of shape (n_rows, n_attributes), float64
        The training rows.
    y : ndarray of shape (n_rows,), intp
        Their classes.
    weight : ndarray of shape (n_rows,), float64
        Their weights, above 0.
    bound : callable
        Result of `error_bound`.
    prunes : bool
        Whether to drop conditions, and then rules that are no better than the share of their class.
    fisher_alpha : float or None
        A condition must also be significant at this level by Fisher's exact test.

    Returns
    -------
    list of Rule
        Rules in the order of the leaves, without duplicates.
    """
    results: dict[tuple[frozenset[Condition], int], Rule] = {}
    total = float(weight.sum())
    holds_of = cache(lambda condition: condition.holds(matrix))
    for leaf, conditions in leaf_paths(tree):
        # Release 8 makes no rule of less than one row; 1e-6 allows for sums of parts.
        if not conditions or tree.weight[leaf] <= (1 - 1e-6 if prunes else 0):
            continue
        c = leaf_class(tree, leaf)
        is_wrong = y != c
        target = float(weight[~is_wrong].sum())
        worst = 1.0 - (target + 1.0) / (total + 2.0)
        counts = _Counts(
            np.array([~holds_of(condition) for condition in conditions]),
            weight,
            np.where(is_wrong, weight, 0.0),
        )
        if prunes:
            _drop_conditions(counts, bound, worst, fisher_alpha)
        coverage, errors = counts.now()
        if not counts.kept or coverage <= 0:
            continue
        error = bound(coverage, errors)
        if prunes and (error >= worst or error > _LARGEST_ERROR):
            continue
        kept = _by_column(conditions[k] for k in counts.kept)
        rule = Rule(kept, c, tree.classes[c], coverage, errors, error)
        results.setdefault((frozenset(kept), c), rule)
    return list(results.values())


def error_bound(confidence: float, flavor: str) -> ErrorBound:
    """Return the function from weight and errors to the upper bound of the share of errors.

    Parameters
    ----------
    confidence : float
        As for `added_errors`.
    flavor : {"j48", "r8"}
        As for `added_errors`.

    Returns
    -------
    callable
    """
    limits = bound_parts(confidence, flavor)

    @cache
    def bound(weight: float, errors: float) -> float:
        return float((errors + added_errors(weight, errors, limits)) / weight)

    return bound


def _by_column(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    """Return conditions with those on the same column together, for readability."""
    return tuple(sorted(conditions, key=lambda c: (c.column, c.threshold or 0.0)))


class _Counts:
    """Counts of rows that meet all kept conditions, or all but one of them."""

    def __init__(self, fails: Bools, weight: Floats, wrong: Floats) -> None:
        self.fails = fails
        self.weight = weight
        self.wrong = wrong
        self.kept = list(range(len(fails)))
        self.n_failed = fails.sum(axis=0, dtype=np.int32)

    def now(self) -> tuple[float, float]:
        """Return weight and errors of the current rule."""
        rows = np.flatnonzero(self.n_failed == 0)
        return float(self.weight[rows].sum()), float(self.wrong[rows].sum())

    def without_each(self) -> tuple[Floats, Floats]:
        """Return the weight and errors that each kept condition excludes."""
        rows = np.flatnonzero(self.n_failed == 1)
        fails = self.fails[np.ix_(np.asarray(self.kept), rows)]
        return fails @ self.weight[rows], fails @ self.wrong[rows]

    def drop(self, index: int) -> None:
        """Drop one of the kept conditions."""
        self.n_failed -= self.fails[self.kept.pop(index)]


def _drop_conditions(
    counts: _Counts, bound: ErrorBound, worst: float, fisher_alpha: float | None
) -> None:
    """Drop conditions as long as that does not make the rule worse."""
    while counts.kept:
        coverage, errors = counts.now()
        more, more_errors = counts.without_each()
        weights, wrong = coverage + more, errors + more_errors
        bounds = np.array(
            [bound(n, e) if n > 0 else worst for n, e in zip(weights, wrong, strict=True)]
        )
        here = bound(coverage, errors) if coverage > 0 else worst
        shares = np.divide(wrong, weights, out=np.zeros_like(wrong), where=weights > 0)
        is_idle = (bounds <= here) | (shares <= (errors / coverage if coverage > 0 else 0.0))
        if fisher_alpha is not None:
            is_idle |= _chance_of_as_few(errors, wrong, coverage, weights) > fisher_alpha
        if not is_idle.any():
            return
        # Any of them triggers a drop; the last one with the lowest bound is dropped.
        counts.drop(len(bounds) - 1 - int(bounds[::-1].argmin()))


def _chance_of_as_few(errors: float, wrong: Floats, coverage: float, weights: Floats) -> Floats:
    """Return the probability of so few errors if the rows met were drawn at random (Fisher)."""
    from scipy.stats import hypergeom

    n, e = np.rint(weights), np.rint(wrong)
    return np.asarray(hypergeom.cdf(round(errors), n, e, round(coverage)))


def rule_bits(
    rules: Sequence[Rule], attributes: Sequence[Attribute], matrix: Floats, weight: Floats
) -> Floats:
    """Return the bits that encode each rule.

    Parameters
    ----------
    rules : sequence of Rule
        The rules.
    attributes : sequence of Attribute
        What the columns are.
    matrix : ndarray of shape (n_rows, n_attributes), float64
        The training rows.
    weight : ndarray of shape (n_rows,), float64
        Their weights.

    Returns
    -------
    ndarray of shape (n_rules,), float64
        Bits of column and outcome of each condition, plus those of their number, minus those of
        their order.
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
        Weights of the rows.
    bits : ndarray of shape (n_rules,), float64
        As `rule_bits` returns them.
    rng : Generator or RandomState
        Generator for the start of the search, if there are more than 10 rules.

    Returns
    -------
    ndarray of shape (n_rules,), bool
        The selected rules, perhaps none.
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
    """Return the rules class by class, classes with the fewest false alarms first.

    Parameters
    ----------
    rules : sequence of Rule
        The rules.
    holds : ndarray of shape (n_rules, n_rows), bool
        Which rows meet them.
    y : ndarray of shape (n_rows,), intp
        Classes of the rows.
    weight : ndarray of shape (n_rows,), float64
        Weights of the rows.
    n_classes : int
        Number of classes.

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
    """Return the positions of rules by pessimistic error, keeping the order of ties."""
    return sorted(range(len(rules)), key=lambda r: rules[r].pessimistic_error)


def default_class(holds: Bools, y: Positions, weight: Floats, n_classes: int) -> int:
    """Return the majority class of rows that meet no rule; ties go to the more frequent class.

    Parameters
    ----------
    holds : ndarray of shape (n_rules, n_rows), bool
        Which rows meet each rule.
    y : ndarray of shape (n_rows,), intp
        Classes of the rows.
    weight : ndarray of shape (n_rows,), float64
        Weights of the rows.
    n_classes : int
        Number of classes.

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
    """Return the rules without those whose removal reduces training errors.

    Parameters
    ----------
    holds : ndarray of shape (n_rules, n_rows), bool
        Which rows meet the rules, in order.
    of_class : ndarray of shape (n_rules,), intp
        Classes of the rules.
    y : ndarray of shape (n_rows,), intp
        Classes of the rows.
    weight : ndarray of shape (n_rows,), float64
        Weights of the rows.
    default : int
        Class of rows that meet no rule.

    Returns
    -------
    list of int
        Positions of the kept rules; harmful ones are dropped one at a time, the first one first.
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
    """Return the first and the second rule that each row meets; n_rules if there is none."""
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
    n_distinct = len(np.unique(values))  # a missing value counts as a further level
    return 1.0 + float(np.log2(n_distinct)) / 2 if n_distinct > 1 else 0.0


def _log2_factorial(n: Any) -> Any:
    return gammaln(np.asarray(n) + 1.0) / np.log(2.0)


class _Search:
    """Search for the best subset of the rules of a class.

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
        return np.asarray(np.round(bits, 6))  # rounded, so that ties are stable

    def climb(self, subset: Bools) -> float:
        """Add or drop the rule that saves most bits, as long as one does; return the final bits."""
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
    """Return the bits that encode the rows that the rules get wrong (Quinlan 1995).

    Errors among the fewer rows, met or not met, are expected as often as they are; those among the
    others half as often as all errors together: rules that err on only one side are costly.
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


def rules_as_grown(tree: Tree, bound: ErrorBound, *, order: str) -> MadeRules:
    """Return the rules of the leaves, of which each row meets exactly one.

    Parameters
    ----------
    tree : Tree
        A tree without oblique tests.
    bound : callable
        Result of `error_bound`.
    order : {"class", "accuracy"}
        As for `RuleSet.from_tree`.

    Returns
    -------
    tuple of list of Rule, int, and ndarray of shape (n_rules + 1, n_classes)
    """
    rules, counts = rules_of_leaves(tree, bound)
    indices = order_by_accuracy(rules)
    if order == "class":
        alarms = np.zeros(tree.n_classes)
        for rule in rules:
            alarms[rule.class_number] += rule.errors
        named = [rule.class_number for rule in rules]
        indices.sort(key=lambda r: (alarms[named[r]], named[r]))
    left = np.maximum(tree.class_weights[0] - counts.sum(axis=0), 0.0)
    decided = np.vstack([counts[indices], left])
    return [rules[r] for r in indices], int(tree.majority[0]), decided


def rules_of_training(
    tree: Tree,
    matrix: Floats,
    y: Positions,
    weight: Floats,
    bound: ErrorBound,
    *,
    prunes: bool,
    order: str,
    selects: bool,
    fisher_alpha: float | None,
    random_state: Any,
) -> MadeRules:
    """Return the rules after pruning, selection, ordering and removal of harmful rules.

    Parameters
    ----------
    tree : Tree
        A tree without oblique tests.
    matrix : ndarray of shape (n_rows, n_attributes), float64
        The training rows.
    y : ndarray of shape (n_rows,), intp
        Their classes.
    weight : ndarray of shape (n_rows,), float64
        Their weights, above 0.
    bound : callable
        Result of `error_bound`.
    prunes, order, selects, fisher_alpha, random_state
        As for `RuleSet.from_tree`.

    Returns
    -------
    tuple of list of Rule, int, and ndarray of shape (n_rules + 1, n_classes)
    """
    rules = rules_of_rows(tree, matrix, y, weight, bound, prunes=prunes, fisher_alpha=fisher_alpha)
    holds = rows_met(rules, matrix)
    if selects:
        bits = rule_bits(rules, tree.attributes, matrix, weight)
        kept = _selected(rules, holds, y, weight, bits, random_state)
        rules, holds = [rules[r] for r in kept], holds[kept]
    if order == "class":
        indices = order_by_class(rules, holds, y, weight, tree.n_classes)
    else:
        indices = order_by_accuracy(rules)
    rules, holds = [rules[r] for r in indices], holds[indices]
    default = default_class(holds, y, weight, tree.n_classes)
    if selects:
        kept = without_harmful(holds, _classes_of(rules), y, weight, default)
        rules, holds = [rules[r] for r in kept], holds[kept]
    decided = np.zeros((len(rules) + 1, tree.n_classes))
    np.add.at(decided, (first_met(holds), y), weight)
    return rules, default, decided


def _classes_of(rules: list[Rule]) -> Positions:
    return np.array([rule.class_number for rule in rules], dtype=np.intp)


def _selected(
    rules: list[Rule], holds: Bools, y: Positions, weight: Floats, bits: Floats, random_state: Any
) -> list[int]:
    """Return the rules that describe their classes in the fewest bits."""
    of_class = _classes_of(rules)
    kept: list[int] = []
    for c in np.unique(of_class).tolist():
        indices = np.flatnonzero(of_class == c)
        rng: Any = (
            derive_rng(int(random_state), "rule selection", c)
            if isinstance(random_state, int | np.integer)
            else check_random_state(random_state)
        )
        chosen = select_for_class(holds[indices], y == c, weight, bits[indices], rng)
        kept += indices[chosen].tolist()
    return sorted(kept)

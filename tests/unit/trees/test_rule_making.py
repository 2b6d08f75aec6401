"""Rules: conditions dropped, subsets selected, and their order, against plain loops and by hand."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest

from bestofk.trees import C45Classifier
from bestofk.trees.attributes import Attribute
from bestofk.trees.pruning_methods import added_errors
from bestofk.trees.rule import Condition, Rule, leaf_paths
from bestofk.trees.rule_making import (
    _Search,
    default_class,
    error_bound,
    order_by_accuracy,
    order_by_class,
    rule_bits,
    rules_of_leaves,
    rules_of_rows,
    select_for_class,
    without_harmful,
)


def naive_pruned(conditions, matrix, is_wrong, bound, worst, alpha=None):
    """Return the conditions that stay, found by counting again and again."""

    def counted(conditions):
        met = np.ones(len(matrix), bool)
        for condition in conditions:
            met &= condition.holds(matrix)
        return met.sum(), (met & is_wrong).sum()

    kept = list(conditions)
    while kept:
        n, e = counted(kept)
        here = bound(float(n), float(e)) if n else worst
        rest = [counted(kept[:k] + kept[k + 1 :]) for k in range(len(kept))]
        bounds = [bound(float(m), float(f)) if m else worst for m, f in rest]
        shares = [f / m if m else 0.0 for m, f in rest]
        share = e / n if n else 0.0
        if not any(b <= here or s <= share for b, s in zip(bounds, shares, strict=True)):
            break
        kept.pop(max(k for k in range(len(kept)) if bounds[k] == min(bounds)))
    return kept


def made_rows(seed, n=120):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.integers(0, 6, n).astype(float),
            "b": rng.normal(size=n).round(1),
            "c": pd.Categorical(rng.choice(list("uvw"), n)),
        }
    )
    X.loc[::11, "a"] = np.nan
    y = (X["a"].fillna(2) + (X["c"] == "u") * 2 + rng.normal(size=n) > 3).astype(int).to_numpy()
    return X, y


def leaf_rules(X, y, *, prunes=True, fisher_alpha=None):
    learner = C45Classifier(pruning=None).fit(X, y)
    matrix, bound = learner._read(X), error_bound(0.25, "j48")
    rules = rules_of_rows(
        learner.tree_,
        matrix,
        y.astype(np.intp),
        np.ones(len(y)),
        bound,
        prunes=prunes,
        fisher_alpha=fisher_alpha,
    )
    return learner.tree_, matrix, bound, rules


@pytest.mark.parametrize("seed", range(5))
def test_rules_are_those_of_the_plain_loop(seed):
    X, y = made_rows(seed)
    tree, matrix, bound, rules = leaf_rules(X, y)
    expected = {}
    for leaf, conditions in leaf_paths(tree):
        if not conditions or tree.weight[leaf] < 1 - 1e-6:
            continue
        c = tree.majority[leaf]
        worst = 1 - ((y == c).sum() + 1) / (len(y) + 2)
        kept = naive_pruned(conditions, matrix, y != c, bound, worst)
        met = np.ones(len(y), bool)
        for condition in kept:
            met &= condition.holds(matrix)
        n, e = float(met.sum()), float((met & (y != c)).sum())
        if kept and n and bound(n, e) < min(worst, 0.7):
            expected[frozenset(kept), int(c)] = (n, e)
    results = {(frozenset(r.conditions), r.class_number): (r.coverage, r.errors) for r in rules}
    assert results == expected
    assert len(results) == len(rules) >= 2


def test_unpruned_rules_keep_the_whole_path_of_which_missing_values_meet_nothing():
    X, y = made_rows(1)
    tree, _, _, rules = leaf_rules(X, y, prunes=False)
    paths = {frozenset(path) for _, path in leaf_paths(tree)}
    assert {frozenset(rule.conditions) for rule in rules} <= paths
    X, y = made_rows(2)
    matrix, rules = leaf_rules(X, y, prunes=False)[1::2]
    assert sum(rule.coverage for rule in rules) <= len(y)
    on_a = [r for r in rules if any(c.attribute.name == "a" for c in r.conditions)]
    assert on_a
    assert not any(rule.holds(matrix)[X["a"].isna()].any() for rule in on_a)


def test_fishers_test_drops_more_conditions():
    X, y = made_rows(3)
    plain = sum(len(rule.conditions) for rule in leaf_rules(X, y)[-1])
    strict = leaf_rules(X, y, fisher_alpha=1e-6)[-1]
    assert sum(len(rule.conditions) for rule in strict) < plain


def test_leaves_are_counted_with_parts_of_rows_and_conditions_stand_side_by_side():
    X, y = made_rows(0)
    tree, _, bound, _ = leaf_rules(X, y)
    rules, counts = rules_of_leaves(tree, bound)
    assert sum(rule.coverage for rule in rules) == pytest.approx(len(y))
    assert counts.sum(axis=0) == pytest.approx(np.bincount(y))
    assert [r.coverage for r in rules] == pytest.approx(counts.sum(axis=1))
    X, y = made_rows(4)
    for rule in leaf_rules(X, y, prunes=False)[-1]:
        columns = [condition.column for condition in rule.conditions]
        assert columns == sorted(columns)


@pytest.mark.parametrize("flavor", ["j48", "r8"])
def test_the_bound_is_that_of_error_based_pruning(flavor):
    bound = error_bound(0.1, flavor)
    assert bound(16.0, 1.0) == pytest.approx((1 + added_errors(16, 1, 0.1, flavor=flavor)) / 16)


SIZE = Attribute("size", "numeric")
COLOR = Attribute("color", "nominal", ("red", "green", "blue"))


def named(class_number, error):
    return Rule((), class_number, class_number, 1.0, 0.0, error)


def code(total, errors, expected):
    if expected <= 1e-6:
        return 0.0 if errors == 0 else 1e6
    if expected >= total - 1e-6:
        return 0.0 if errors == total else 1e6
    rate = expected / total
    return -errors * math.log2(rate) - (total - errors) * math.log2(1 - rate)


def naive_value(subset, holds, is_class, bits):
    """Return the bits of a subset by the formula, row by row."""
    n = len(is_class)
    met = [any(holds[r][i] for r in subset) for i in range(n)]
    alarms = sum(met[i] and not is_class[i] for i in range(n))
    missed = sum(is_class[i] and not met[i] for i in range(n))
    half, fires = (alarms + missed) / 2, sum(met)
    is_most = fires > n / 2
    return (
        0.5 * (sum(bits[r] for r in subset) - math.log2(math.factorial(len(subset))))
        + math.log2(n)
        + code(fires, alarms, half if is_most else alarms)
        + code(n - fires, missed, missed if is_most else half)
    )


def made_rules(seed, k, n=60):
    rng = np.random.default_rng(seed)
    is_class = rng.random(n) < 0.4
    holds = rng.random((k, n)) < np.where(is_class, 0.3, 0.05)
    return holds, is_class, rng.uniform(3, 9, k)


@pytest.mark.parametrize("seed", range(4))
def test_of_few_rules_the_subset_of_fewest_bits_is_chosen(seed):
    holds, is_class, bits = made_rules(seed, 6)
    subsets = [s for m in range(7) for s in itertools.combinations(range(6), m)]
    values = {s: naive_value(s, holds, is_class, bits) for s in subsets}
    chosen = select_for_class(holds, is_class, np.ones(60), bits, None)
    assert values[tuple(np.flatnonzero(chosen))] == pytest.approx(min(values.values()), abs=1e-6)


def test_a_subset_is_worth_what_the_formula_says():
    holds, is_class, bits = made_rules(7, 5)
    subsets = np.array(list(itertools.product([False, True], repeat=5)))
    expected = [naive_value(np.flatnonzero(s), holds, is_class, bits) for s in subsets]
    result = _Search(holds, is_class, np.ones(60), bits).values(subsets)
    assert result == pytest.approx(expected, abs=1e-5)


def test_the_climb_ends_where_no_single_change_saves_bits_and_repeats_itself():
    holds, is_class, bits = made_rules(8, 14)
    search = _Search(holds, is_class, np.ones(60), bits)
    subset = np.zeros(14, bool)
    value = search.climb(subset)
    assert value == pytest.approx(naive_value(np.flatnonzero(subset), holds, is_class, bits))
    for r in range(14):
        other = subset.copy()
        other[r] = not other[r]
        assert naive_value(np.flatnonzero(other), holds, is_class, bits) >= value - 1e-5
    holds, is_class, bits = made_rules(9, 14)
    draws = [
        select_for_class(holds, is_class, np.ones(60), bits, np.random.default_rng(0))
        for _ in range(2)
    ]
    assert draws[0].tolist() == draws[1].tolist()
    assert draws[0].any()


def test_rows_that_weigh_two_are_as_good_as_two_rows():
    holds, is_class, bits = made_rules(10, 6)
    twice = select_for_class(
        np.hstack([holds, holds]), np.tile(is_class, 2), np.ones(120), bits, None
    )
    assert select_for_class(holds, is_class, np.full(60, 2.0), bits, None).tolist() == (
        twice.tolist()
    )


def test_bits_of_a_rule_count_columns_outcomes_and_conditions():
    # size: 4 distinct values, 1 + log2(4) / 2 = 2 bits; color: half, quarter, quarter, 1.5 bits.
    matrix = np.array([[1.0, 0], [2, 0], [3, 1], [4, 2]])
    rules = [
        Rule((Condition(SIZE, 0, "<=", 2.0), Condition(COLOR, 1, "=", codes=(0,))), 0, 0, 1, 0, 0),
        Rule((Condition(COLOR, 1, "in", codes=(0, 2)),), 0, 0, 1, 0, 0),
    ]
    column = -sum(p * math.log2(p) for p in (2 / 3.5, 1.5 / 3.5))
    result = rule_bits(rules, (SIZE, COLOR), matrix, np.ones(4))
    # two conditions: log2(2) for their number, less log2(2!) for their order
    assert result == pytest.approx([2 * column + 2 + 1.5, column + 3])
    rules = [Rule((Condition(SIZE, 0, "<=", 2.0),), 0, 0, 1, 0, 0)]
    assert rule_bits(rules, (SIZE,), np.ones((3, 1)), np.ones(3)).tolist() == [0.0]


def test_rules_go_by_class_or_by_their_error():
    rules = [named(0, 0.1), named(1, 0.4), named(1, 0.2)]
    holds = np.array([[1, 1, 1, 0], [0, 0, 1, 1], [0, 0, 0, 1]], bool)
    y = np.array([0, 0, 1, 1])
    # class 0 has an alarm on row 2, class 1 has none; by error within class 1
    assert order_by_class(rules, holds, y, np.ones(4), 2) == [2, 1, 0]
    assert order_by_accuracy([named(0, 0.3), named(1, 0.1), named(0, 0.1)]) == [1, 2, 0]


@pytest.mark.parametrize(
    ("met", "default"),
    [
        ([1, 1, 1, 0, 0], 1),  # one of class 1 and one of class 2 left; class 1 has more rows
        ([0, 1, 1, 1, 1], 0),
        ([1, 1, 1, 1, 1], 1),  # none left: the most frequent
    ],
)
def test_the_default_is_the_class_of_most_rows_left(met, default):
    y = np.array([0, 1, 1, 1, 2])
    assert default_class(np.array([met], bool), y, np.ones(5), 3) == default
    assert default_class(np.empty((0, 5), bool), y, np.ones(5), 3) == 1  # the majority


def test_the_first_rule_that_costs_more_rows_than_it_saves_is_dropped_and_others_stay():
    holds = np.array([[1, 1, 1, 0], [0, 0, 1, 1]], bool)
    y = np.array([1, 1, 0, 1])
    # without rule 0 (class 0) rows 0 and 1 would get the default 1, row 2 rule 1's class
    assert without_harmful(holds, np.array([0, 1]), y, np.ones(4), 1) == [1]
    holds = np.array([[1, 1, 0], [0, 0, 1]], bool)
    kept = without_harmful(holds, np.array([0, 1]), np.array([0, 0, 1]), np.ones(3), 1)
    assert kept == [0, 1]

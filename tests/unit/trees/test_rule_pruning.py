"""Dropping conditions of a rule: against a plain loop, and on rows counted by hand."""

import numpy as np
import pandas as pd
import pytest

from bestofk.trees import C45Classifier
from bestofk.trees.pruning_methods import added_errors
from bestofk.trees.rule import leaf_paths
from bestofk.trees.rule_making import error_bound, rules_of_leaves, rules_of_rows


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


def test_unpruned_rules_keep_the_whole_path():
    X, y = made_rows(1)
    tree, _, _, rules = leaf_rules(X, y, prunes=False)
    paths = {frozenset(path) for _, path in leaf_paths(tree)}
    assert {frozenset(rule.conditions) for rule in rules} <= paths


def test_rows_with_a_missing_value_meet_no_condition_on_it():
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


def test_leaves_are_counted_by_the_tree_with_parts_of_rows():
    X, y = made_rows(0)
    tree, _, bound, _ = leaf_rules(X, y)
    rules, counts = rules_of_leaves(tree, bound)
    assert sum(rule.coverage for rule in rules) == pytest.approx(len(y))
    assert counts.sum(axis=0) == pytest.approx(np.bincount(y))
    assert [r.coverage for r in rules] == pytest.approx(counts.sum(axis=1))


@pytest.mark.parametrize("flavor", ["j48", "r8"])
def test_the_bound_is_that_of_error_based_pruning(flavor):
    bound = error_bound(0.1, flavor)
    assert bound(16.0, 1.0) == pytest.approx((1 + added_errors(16, 1, 0.1, flavor=flavor)) / 16)


def test_conditions_on_the_same_column_stand_side_by_side():
    X, y = made_rows(4)
    for rule in leaf_rules(X, y, prunes=False)[-1]:
        columns = [condition.column for condition in rule.conditions]
        assert columns == sorted(columns)

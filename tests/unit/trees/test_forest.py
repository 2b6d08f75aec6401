"""Trees of many parts grown as one: node by node and answer by answer those of each part alone."""

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris

from bestofk.trees import (
    C45Classifier,
    CARTClassifier,
    HellingerTreeClassifier,
    ID3Classifier,
)
from bestofk.trees._sorted_columns import largest_within
from bestofk.trees._split_search import CLASS_BITS, ROW_BITS, ROW_MASK
from bestofk.trees.attributes import Attribute, encode_table
from bestofk.trees.forest import forest_answers, is_forest_learner
from bestofk.trees.growing import DealtRows, grow, grow_forest, grow_together
from bestofk.trees.sorting import Columns, sort_columns
from bestofk.trees.tree import Tree

SEEDS = st.integers(0, 2**32 - 1)
LEARNERS = [
    C45Classifier(),
    C45Classifier(pruning=None),
    C45Classifier(pruning=None, collapse=False, laplace=True),
    C45Classifier(subtree_raising=False, confidence=0.4),
    C45Classifier(collapse=False, min_samples_leaf=1, threshold="midpoint", laplace=True),
    C45Classifier(criterion="gain", pruning=None, max_depth=3),
    CARTClassifier(pruning=None),
    CARTClassifier(pruning=None, criterion="entropy", max_depth=4),
    HellingerTreeClassifier(),
    HellingerTreeClassifier(laplace=False),
]
RULES = ["midpoint", "value", "value-within-1e-6"]


def random_numbers(rng: np.random.Generator, n_samples: int) -> Any:
    """Return columns of few values, many, values nearer than 1e-6, and a constant."""
    columns = [
        rng.integers(0, 3, n_samples).astype(float),
        rng.normal(size=n_samples),
        rng.integers(0, 12, n_samples) * 4e-7,
        np.round(rng.normal(size=n_samples), 1),
        np.full(n_samples, 2.5),
    ]
    return np.column_stack([columns[c] for c in rng.permutation(5)[: rng.integers(1, 6)]])


def random_parts(rng: np.random.Generator, y: Any, n_parts: int) -> list[Any]:
    """Return rows of parts that have all classes, of any size; rows may be in several."""
    first = [rng.choice(np.flatnonzero(y == c), size=2) for c in np.unique(y)]
    rest = [np.flatnonzero(rng.random(len(y)) < rng.uniform(0.1, 1)) for _ in range(n_parts)]
    return [np.unique(np.concatenate([*first, item])) for item in rest]


def read(learner: Any, X: Any, y: Any) -> tuple[Any, Columns, Any, Any, Any]:
    """Return a learner that knows the table, and the table as it grows on it."""
    whole = clone(learner)
    rules = whole.growth_rules()
    X, codes, _ = whole._read_training(X, y, None)
    rules = whole.completed_rules(rules)
    columns = whole._sort(X, codes, rules, may_list=True)
    return whole, columns, encode_table(X, whole.attributes_), codes, rules


def same_trees(first: Tree, other: Tree) -> bool:
    arrays = [(getattr(first, each.name), getattr(other, each.name)) for each in fields(Tree)]
    pairs = [pair for pair in arrays if isinstance(pair[0], np.ndarray)]
    return (
        all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in pairs)
        and len(pairs) > 8
    )


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@settings(max_examples=10)
@given(SEEDS)
def test_a_forest_answers_as_the_trees_of_fit(learner, seed):
    rng = np.random.default_rng(seed)
    n_samples = int(rng.integers(20, 70))
    X, y = random_numbers(rng, n_samples), np.arange(n_samples) % int(rng.integers(2, 4))
    parts = random_parts(rng, y, int(rng.integers(2, 6)))
    asked = [rng.permutation(n_samples)[: rng.integers(n_samples)] for _ in parts]
    whole, columns, matrix, codes, rules = read(learner, X, y)
    assert is_forest_learner(whole, columns)
    result = forest_answers(whole, columns, matrix, codes, rules, parts, asked)
    if result is None:  # a part is too small for a test
        assert min(len(rows) for rows in parts) < rules.min_split
        return
    for rows, here, answers in zip(parts, asked, result, strict=True):
        fitted = clone(learner).fit(X[rows], y[rows])
        wanted = fitted.predict_proba(X[here]) if len(here) else np.empty((0, len(np.unique(y))))
        assert np.array_equal(answers, wanted)


@pytest.mark.parametrize("learner", [LEARNERS[0], LEARNERS[6], LEARNERS[8]], ids=str)
@settings(max_examples=10)
@given(SEEDS)
def test_the_trees_of_a_forest_are_those_that_grow_alone(learner, seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(50) % 3)
    whole, columns, _, codes, rules = read(learner, random_numbers(rng, 50), y)
    parts = random_parts(rng, y, 4)
    alone = [grow(columns.take(rows), codes[rows], whole.classes_, rules) for rows in parts]
    together = grow_together(columns, parts, codes, whole.classes_, rules)
    assert all(same_trees(*pair) for pair in zip(together, alone, strict=True))


def test_a_forest_numbers_its_roots_first_and_knows_the_root_of_each_node():
    X, y = load_iris(return_X_y=True)
    whole, columns, _, codes, rules = read(C45Classifier(), X, y)
    parts = [np.arange(0, 150, 2), np.arange(1, 150, 2), np.arange(0, 150, 3)]
    forest, root = grow_forest(columns, parts, codes, whole.classes_, rules)
    assert root[:3].tolist() == [0, 1, 2]
    assert forest.class_weights[:3].sum(axis=1).tolist() == [75, 75, 50]
    for node in np.flatnonzero(forest.first_child >= 0):
        first = forest.first_child[node]
        assert (root[first : first + forest.n_children[node]] == root[node]).all()


@pytest.mark.parametrize("learner", [C45Classifier(), HellingerTreeClassifier()], ids=str)
def test_a_part_that_cannot_be_split_makes_trees_grow_one_by_one(learner):
    X, y = load_iris(return_X_y=True)
    whole, columns, matrix, codes, rules = read(learner, X, y)
    parts = [np.arange(0, 150, 2), np.arange(50), np.array([3, 140]), np.arange(0, 150, 3)]
    table = columns, matrix, codes, rules
    assert grow_forest(columns, parts, codes, whole.classes_, rules) is None
    assert forest_answers(whole, *table, parts, [np.arange(150)] * 4) is None
    trees = grow_together(columns, parts, codes, whole.classes_, rules)
    for rows, tree in zip(parts, trees, strict=True):
        assert same_trees(tree, grow(columns.take(rows), codes[rows], whole.classes_, rules))
    assert trees[1].n_nodes == 1
    some = [parts[0], parts[3]]
    assert len(forest_answers(whole, *table, some, [np.arange(4)] * 2)) == 2


@pytest.mark.parametrize(
    ("learner", "n_parts"),
    [
        (CARTClassifier(pruning=None), 1),
        (C45Classifier(flavor="r8"), 2),  # sums in 32 bits
        (C45Classifier(min_impurity_decrease=0.01), 2),  # a share of the rows of one tree
    ],
    ids=["one part", "r8", "least decrease"],
)
def test_what_no_forest_can_tell_grows_one_by_one(learner, n_parts):
    X, y = load_iris(return_X_y=True)
    whole, columns, _, codes, rules = read(learner, X, y)
    parts = [np.arange(p, 150, 2) for p in range(n_parts)]
    assert grow_forest(columns, parts, codes, whole.classes_, rules) is None
    trees = grow_together(columns, parts, codes, whole.classes_, rules)
    for rows, tree in zip(parts, trees, strict=True):
        assert same_trees(tree, grow(columns.take(rows), codes[rows], whole.classes_, rules))


@pytest.mark.parametrize(
    ("learner", "is_known"),
    [
        (C45Classifier(), True),
        (C45Classifier(pruning=None), True),
        (C45Classifier(pruning="reduced-error"), False),
        (C45Classifier(pruning="pessimistic"), False),
        (CARTClassifier(pruning=None), True),
        (CARTClassifier(), False),
        (HellingerTreeClassifier(), True),
        (HellingerTreeClassifier(pruning="mdl"), False),
        (ID3Classifier(), False),
    ],
    ids=str,
)
def test_only_learners_whose_pruning_is_known_are_grown_as_a_forest(learner, is_known):
    whole, columns, *_ = read(learner, *load_iris(return_X_y=True))
    assert is_forest_learner(whole, columns) == is_known


def test_missing_values_and_levels_are_for_trees_one_by_one():
    X, y = load_iris(return_X_y=True)
    X[3, 1] = np.nan
    assert not is_forest_learner(*read(C45Classifier(), X, y)[:2])
    X[:, 1] = np.arange(150) % 4
    levels = C45Classifier(categorical_features=[1])
    assert not is_forest_learner(*read(levels, X, y)[:2])


def unpacked(keys: Any) -> list[tuple[int, int, int]]:
    """Return rank, class and row of keys."""
    rank, rest = keys >> ROW_BITS, keys & ((1 << ROW_BITS) - 1)
    kind, row = rest >> CLASS_BITS, rest & ROW_MASK
    return [*zip(rank.tolist(), kind.tolist(), row.tolist(), strict=True)]


@settings(max_examples=30)
@given(SEEDS)
def test_rows_are_dealt_as_they_are_taken_part_by_part(seed):
    rng = np.random.default_rng(seed)
    n_samples = int(rng.integers(2, 40))
    X, y = random_numbers(rng, n_samples), rng.integers(0, 3, n_samples).astype(np.int16)
    attributes = [Attribute(f"x{a}", "numeric") for a in range(X.shape[1])]
    columns = sort_columns(attributes, [*X.T], y)
    parts = [np.flatnonzero(rng.random(n_samples) < rng.random()) for _ in range(4)]
    dealt, starts = columns.dealt(parts), np.cumsum([0, *map(len, parts)])
    assert dealt.keys.shape[1] == dealt.codes.shape[1] == starts[-1]
    for rows, begin in zip(parts, starts[:-1].tolist(), strict=True):
        here, taken = slice(begin, begin + len(rows)), columns.take(rows)
        assert np.array_equal(dealt.codes[:, here], taken.codes)
        for a in np.flatnonzero(columns.is_listed):
            keys = unpacked(dealt.keys[columns.code_row[a], here])
            assert [(rank, kind, row - begin) for rank, kind, row in keys] == unpacked(
                taken.keys[columns.code_row[a]]
            )
            values, ranks = np.unique(X[:, a], return_inverse=True)
            assert len(values) == columns.n_levels[a]
            assert sorted((rank, row) for rank, _, row in keys) == sorted(
                (ranks[row], begin + index) for index, row in enumerate(rows.tolist())
            )
            assert all(y[rows[row - begin]] == kind for _, kind, row in keys)
            assert [rank for rank, *_ in keys] == sorted(rank for rank, *_ in keys)


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=30)
@given(SEEDS)
def test_thresholds_of_all_parts_are_those_of_each(rule, seed):
    rng = np.random.default_rng(seed)
    n_samples = int(rng.integers(6, 40))
    X, y = random_numbers(rng, n_samples), rng.integers(0, 2, n_samples).astype(np.int16)
    attributes = [Attribute(f"x{a}", "numeric") for a in range(X.shape[1])]
    columns = sort_columns(attributes, [*X.T], y)
    parts = [np.sort(rng.permutation(n_samples)[: rng.integers(2, n_samples)]) for _ in range(3)]
    starts = np.cumsum([0, *map(len, parts)])
    together = DealtRows(columns, np.concatenate(parts), starts)
    for a in range(X.shape[1]):
        cuts, of_part, wanted = [], [], []
        for p, rows in enumerate(parts):
            ranks = np.unique(X[:, a], return_inverse=True)[1][rows]
            pairs = [(i, j) for i in range(len(rows)) for j in range(len(rows))]
            pairs = [(i, j) for i, j in pairs if ranks[i] < ranks[j]][:5]
            if not pairs:
                continue
            alone = np.array([(ranks[i], ranks[j], i, j) for i, j in pairs])
            wanted.append(columns.take(rows).thresholds(a, alone, rule))
            cuts.append(alone + np.array([0, 0, starts[p], starts[p]]))
            of_part += [p] * len(pairs)
        if cuts:
            result = together.thresholds(a, np.array(of_part), np.concatenate(cuts), rule)
            assert np.array_equal(result, np.concatenate(wanted))


@settings(max_examples=30)
@given(SEEDS)
def test_the_largest_value_within_a_limit_is_that_of_a_search(seed):
    rng = np.random.default_rng(seed)
    column = rng.integers(-3, 4, 12).astype(float)
    column[rng.random(12) < 0.2] = np.nan
    parts = [rng.permutation(12)[: rng.integers(0, 6)] for _ in range(3)]
    starts = np.cumsum([0, *map(len, parts)])
    of_part, limit, result = rng.integers(0, 3, 9), rng.integers(-4, 5, 9) / 1.0, np.zeros(9)
    given_rows = np.concatenate(parts).astype(np.int64)
    largest_within(column, given_rows, starts, of_part, limit, result)
    for p, most, value in zip(of_part, limit, result, strict=True):
        here = column[parts[p]]
        assert value == here[here <= most].max(initial=-np.inf)

"""Properties of every tree, and changes of the data that leave it as it is.

Ties that are documented, and so allowed for here: among equals the first class, the first level
and the last of the largest branches (the one that may be raised) are taken; whoever changes the
order of classes or levels changes who is first. Rules that count rows, not weight: a nominal
attribute with as many levels as 0.3 times the rows is not in C4.5's average.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.tree_tables import LEVELS, TreeTable, make_frame, tree_tables

from bestofk.trees import (
    C45Classifier,
    CARTClassifier,
    HellingerTreeClassifier,
    ID3Classifier,
)
from bestofk.trees.attributes import UNSEEN, encode_table
from bestofk.trees.base import TreeClassifier
from bestofk.trees.tree import Tree
from bestofk.trees.tree_structure import MULTIWAY, THRESHOLD

Maker = Callable[[], TreeClassifier]

MAKERS: dict[str, Maker] = {
    "c45": C45Classifier,
    "c45 unpruned": lambda: C45Classifier(pruning=None, collapse=False, min_samples_leaf=1),
    "c45 one against rest": lambda: C45Classifier(nominal_splits="binary", pruning=None),
    "c45 most frequent": lambda: C45Classifier(missing_values="most-frequent", pruning=None),
    "id3": ID3Classifier,
    "cart": lambda: CARTClassifier(pruning=None),
    "hddt": HellingerTreeClassifier,
}
# Of these the order of levels decides nothing: no binary test, no largest branch to be raised.
FREE_OF_LEVEL_ORDER = {
    "c45": lambda: C45Classifier(subtree_raising=False),
    "c45 unpruned": MAKERS["c45 unpruned"],
    "id3": MAKERS["id3"],
    "hddt": lambda: HellingerTreeClassifier(nominal_splits="multiway"),
}
# Of these no rule counts rows once 4 levels are fewer than 0.3 times the rows.
FREE_OF_ROW_COUNTS = {name: MAKERS[name] for name in ("c45", "id3", "cart", "hddt")}

every = pytest.mark.parametrize("make", MAKERS.values(), ids=list(MAKERS))
# The same examples in every run: sums of parts of rows differ in their last bits, and somewhere a
# near tie would turn on them.
LAW = settings(deadline=None, max_examples=10, derandomize=True)


def fit(make: Maker, table: TreeTable) -> TreeClassifier:
    return make().fit(table.frame, table.y, table.weight)


def branches_of(tree: Tree, node: int) -> list[list[int]]:
    """Return the levels that go down each branch of a nominal test."""
    n_levels = tree.attributes[tree.attribute[node]].n_levels
    if tree.kind[node] == MULTIWAY:
        return [[level] for level in range(n_levels)]
    start = int(tree.lookup_start[node])
    branch_of = tree.lookup[start : start + n_levels]
    return [np.flatnonzero(branch_of == branch).tolist() for branch in range(tree.n_children[node])]


def same(
    item: Tree,
    other: Tree,
    *,
    classes: np.ndarray | None = None,
    levels: np.ndarray | None = None,
    nodes: tuple[int, int] = (0, 0),
) -> bool:
    """Return whether two trees agree, class and level i of one being those of the other."""
    at, there = nodes
    order = np.arange(item.n_classes) if classes is None else classes
    if not np.allclose(item.class_weights[at], other.class_weights[there][order], atol=1e-9):
        return False
    children = list(zip(item.children(at), other.children(there), strict=False))
    if item.n_children[at] != other.n_children[there] or not children:
        return bool(item.n_children[at] == other.n_children[there])
    if item.attribute[at] != other.attribute[there]:
        return False
    if item.kind[at] == THRESHOLD:
        if item.threshold[at] != other.threshold[there]:
            return False
    elif levels is not None:
        renamed = [sorted(levels[level] for level in part) for part in branches_of(item, at)]
        index = {tuple(part): b for b, part in enumerate(branches_of(other, there))}
        if any(tuple(part) not in index for part in renamed):
            return False
        first = int(other.first_child[there])
        children = [
            (child, first + index[tuple(part)])
            for child, part in zip(item.children(at), renamed, strict=True)
        ]
    elif branches_of(item, at) != branches_of(other, there):
        return False
    return all(same(item, other, classes=classes, levels=levels, nodes=pair) for pair in children)


def shows(first: TreeClassifier, other: TreeClassifier) -> str:
    return f"{first.to_text()}\n{other.to_text()}"


@every
@LAW
@given(table=tree_tables(), data=st.data())
def test_the_order_of_the_rows_does_not_matter(make, table, data):
    order = np.array(data.draw(st.permutations(range(len(table.y)))))
    weight = None if table.weight is None else table.weight[order]
    first = fit(make, table)
    other = fit(make, replace(table, codes=table.codes[order], y=table.y[order], weight=weight))
    assert same(first.tree_, other.tree_), shows(first, other)


@every
@LAW
@given(table=tree_tables())
def test_names_of_classes_in_the_same_order_do_not_matter(make, table):
    first = fit(make, table)
    names = np.array(["ant", "bee", "cat"])
    other = make().fit(table.frame, names[table.y], table.weight)
    assert same(first.tree_, other.tree_)
    assert other.predict(table.frame).tolist() == names[first.predict(table.frame)].tolist()


@every
@LAW
@given(table=tree_tables(), order=st.permutations(range(3)))
def test_the_order_of_the_classes_changes_no_test(make, table, order):
    if make is MAKERS["cart"]:  # which subset is the first, and where absent levels go, is a tie
        table = replace(table, is_nominal=(False,) * len(table.is_nominal))
    names = np.array(order)
    first = fit(make, table)
    other = make().fit(table.frame, names[table.y], table.weight)
    indices = np.array([other.classes_.tolist().index(names[label]) for label in first.classes_])
    assert same(first.tree_, other.tree_, classes=indices), shows(first, other)
    np.testing.assert_allclose(
        first.predict_proba(table.frame), other.predict_proba(table.frame)[:, indices], atol=1e-12
    )


@every
@LAW
@given(table=tree_tables())
def test_names_of_levels_in_the_same_order_do_not_matter(make, table):
    first = fit(make, table)
    renamed = table.frame.copy()
    for name, column in renamed.items():
        if isinstance(column.dtype, pd.CategoricalDtype):
            renamed[name] = column.cat.rename_categories(dict(zip(LEVELS, "pqrs", strict=True)))
    other = make().fit(renamed, table.y, table.weight)
    assert same(first.tree_, other.tree_)
    assert first.predict(table.frame).tolist() == other.predict(renamed).tolist()


@pytest.mark.parametrize("make", FREE_OF_LEVEL_ORDER.values(), ids=list(FREE_OF_LEVEL_ORDER))
@LAW
@given(table=tree_tables(), order=st.permutations(range(len(LEVELS))))
def test_the_order_of_the_levels_changes_no_test_with_a_branch_for_each(make, table, order):
    codes, indices = table.codes.copy(), np.array([*order, -1])
    for a in np.flatnonzero(table.is_nominal):
        codes[:, a] = indices[table.codes[:, a]]
    first = fit(make, table)
    other = fit(make, replace(table, codes=codes))
    assert same(first.tree_, other.tree_, levels=indices), shows(first, other)


@pytest.mark.parametrize("make", FREE_OF_ROW_COUNTS.values(), ids=list(FREE_OF_ROW_COUNTS))
@LAW
@given(table=tree_tables(has_weight=False))
def test_rows_twice_at_half_the_weight_give_the_same_tree(make, table):
    assume(len(table.y) >= 14)
    first = fit(make, table)
    twice = replace(
        table,
        codes=np.repeat(table.codes, 2, axis=0),
        y=np.repeat(table.y, 2),
        weight=np.full(2 * len(table.y), 0.5),
    )
    other = fit(make, twice)
    assert same(first.tree_, other.tree_), shows(first, other)


@LAW
@given(
    table=tree_tables(),
    pruning=st.sampled_from(["error-based", "pessimistic", "mdl"]),
    collapse=st.booleans(),
    raises=st.booleans(),
    confidence=st.sampled_from([0.01, 0.25, 0.9]),
)
def test_a_pruned_tree_is_never_larger(table, pruning, collapse, raises, confidence):
    grown = fit(lambda: C45Classifier(pruning=None, collapse=False), table)
    pruned = fit(
        lambda: C45Classifier(
            pruning=pruning, collapse=collapse, subtree_raising=raises, confidence=confidence
        ),
        table,
    )
    assert pruned.tree_.n_nodes <= grown.tree_.n_nodes
    assert pruned.get_n_leaves() <= grown.get_n_leaves()
    assert pruned.get_depth() <= grown.get_depth()


@LAW
@given(table=tree_tables())
def test_the_higher_the_price_of_a_leaf_the_smaller_the_tree(table):
    sizes = [
        fit(lambda a=alpha: CARTClassifier(ccp_alpha=a), table).tree_.n_nodes
        for alpha in (0.0, 0.01, 0.1, 1.0)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] <= fit(MAKERS["cart"], table).tree_.n_nodes
    assert sizes[-1] == 1


@LAW
@given(table=tree_tables(has_missing=False))
def test_the_lower_the_confidence_the_smaller_the_tree_without_raising(table):
    sizes = [
        fit(lambda c=c: C45Classifier(confidence=c, subtree_raising=False), table).tree_.n_nodes
        for c in (0.5, 0.25, 0.1, 0.01)
    ]
    assert sizes[0] >= sizes[-1]


@every
@LAW
@given(table=tree_tables())
def test_the_weights_of_the_branches_sum_to_that_of_the_node(make, table):
    tree = fit(make, table).tree_
    weight = np.ones(len(table.y)) if table.weight is None else table.weight
    counts = np.bincount(table.y, weights=weight, minlength=tree.n_classes)
    np.testing.assert_allclose(tree.class_weights[0], counts, atol=1e-9)
    for node in np.flatnonzero(~tree.is_leaf):
        below = tree.class_weights[list(tree.children(node))].sum(axis=0)
        # A raised test that no row of its new node knows has empty branches only.
        if below.any():
            np.testing.assert_allclose(below, tree.class_weights[node], rtol=1e-5, atol=1e-9)


@every
@LAW
@given(table=tree_tables(), data=st.data())
def test_probabilities_sum_to_one_and_the_answer_is_the_first_largest(make, table, data):
    learner = fit(make, table)
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    n_values = np.where(table.is_nominal, len(LEVELS), len(table.numbers))
    X = make_frame(rng.integers(-1, n_values, (20, len(n_values))), table.is_nominal, table.numbers)
    result = learner.predict_proba(X)
    np.testing.assert_allclose(result.sum(axis=1), 1.0, atol=1e-12)
    assert result.min() >= 0
    assert learner.predict(X).tolist() == learner.classes_[result.argmax(axis=1)].tolist()


def naive_answer(tree: Tree, answers: np.ndarray, x: np.ndarray, node: int = 0) -> np.ndarray:
    """Return the answer to one row by walking down every branch that it may belong to."""
    if tree.is_leaf[node]:
        return answers[node]
    value, branch = x[tree.attribute[node]], -1
    if tree.kind[node] == THRESHOLD:
        branch = -1 if np.isnan(value) else int(value > tree.threshold[node])
    elif value >= 0:
        levels = branches_of(tree, node)
        branch = next((b for b, part in enumerate(levels) if int(value) in part), -1)
    branch = int(tree.default_branch[node]) if branch < 0 else branch
    children = list(tree.children(node))
    if branch >= 0:
        return naive_answer(tree, answers, x, children[branch])
    weight = tree.weight[children]
    parts = [naive_answer(tree, answers, x, child) for child in children]
    return np.asarray(weight @ np.array(parts) / weight.sum())


@every
@LAW
@given(table=tree_tables(), data=st.data())
def test_rows_in_parts_are_answered_as_by_a_plain_walk(make, table, data):
    learner = fit(make, table)
    asked = encode_table(table.frame, learner.attributes_)
    n_gaps = data.draw(st.integers(0, asked.size))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    gaps = rng.choice(asked.size, n_gaps, replace=False)
    is_nominal = np.broadcast_to(table.is_nominal, asked.shape).ravel()
    values = asked.ravel().copy()
    values[gaps] = np.where(is_nominal[gaps] & (rng.random(n_gaps) < 0.5), UNSEEN, np.nan)
    asked = values.reshape(asked.shape)
    frame = table.frame
    for a, name in enumerate(frame):
        column = asked[:, a]
        if table.is_nominal[a]:
            words = np.array([*LEVELS, "new"], dtype=object)
            texts = words[np.where(np.isnan(column), 0, column).astype(int)]
            frame[name] = pd.Categorical(np.where(np.isnan(column), None, texts))
        else:
            frame[name] = column
    answers = learner.tree_.probabilities(laplace=bool(getattr(learner, "laplace", False)))
    expected = [naive_answer(learner.tree_, answers, x) for x in asked]
    np.testing.assert_allclose(learner.predict_proba(frame), expected, atol=1e-12)


@every
@LAW
@given(table=tree_tables(has_missing=False))
def test_leaves_hold_the_training_rows_that_apply_sends_there(make, table):
    learner = fit(make, table)
    tree, at = learner.tree_, learner.apply(table.frame)
    assert tree.is_leaf[at].all()
    weight = np.ones(len(table.y)) if table.weight is None else table.weight
    counts = np.zeros((tree.n_nodes, tree.n_classes))
    np.add.at(counts, (at, table.y), weight)
    np.testing.assert_allclose(
        counts[tree.is_leaf], tree.class_weights[tree.is_leaf], rtol=0, atol=1e-9
    )
    path = learner.decision_path(table.frame).toarray()
    assert path.sum(axis=1).tolist() == (tree.node_depth[at] + 1).tolist()
    assert (path[np.arange(len(at)), at] == 1).all()

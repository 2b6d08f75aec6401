"""Trees written down by hand, or grown on random tables, and rows to send down."""

from typing import Any

import numpy as np

from bestofk.trees.attributes import Attribute
from bestofk.trees.growing import grow
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.sorting import sort_columns
from bestofk.trees.tree import Tree
from bestofk.trees.tree_structure import LEAF, LOOKUP, MULTIWAY, THRESHOLD

ATTRIBUTES = (
    Attribute("x", "numeric"),
    Attribute("z", "numeric"),
    Attribute("color", "nominal", ("red", "green", "blue")),
)


def written_tree(root: Any, attributes: tuple[Attribute, ...] = ATTRIBUTES) -> Tree:
    """Return a tree from nested tuples, numbered breadth first.

    A leaf is a list of class weights; a threshold (attribute, threshold, left, right); a test of
    levels (attribute, None, child, ...); of groups (attribute, [branch of each level], ...).
    """
    queue, nodes = [root], []
    lookup: list[int] = []
    at = 0
    while at < len(queue):
        item, first, start = queue[at], len(queue), -1
        kind, attribute, cut, children = LEAF, -1, np.nan, ()
        if isinstance(item, tuple):
            attribute, test, *children = item
            kind = THRESHOLD
            if test is None:
                kind = MULTIWAY
            elif isinstance(test, list):
                kind, start = LOOKUP, len(lookup)
                lookup += test
            else:
                cut = test
            queue += children
        nodes.append((kind, attribute, cut, first if children else -1, len(children), start))
        at += 1
    kind, attribute, cut, first, n_children, start = map(np.array, zip(*nodes, strict=True))
    weights = np.array([_weights(item) for item in queue], dtype=np.float64)
    none = np.empty((0, len(attributes)))
    return Tree(
        attributes=attributes,
        classes=np.arange(weights.shape[1]),
        kind=kind.astype(np.int8),
        attribute=attribute.astype(np.int32),
        threshold=cut.astype(np.float64),
        first_child=first.astype(np.int32),
        n_children=n_children.astype(np.int32),
        lookup_start=start.astype(np.int32),
        lookup=np.array(lookup, np.int32),
        class_weights=weights,
        default_branch=np.full(len(nodes), -1, np.int32),
        directions=none,
        direction_means=none,
        direction_scales=none,
    )


def _weights(item: Any) -> np.ndarray:
    if isinstance(item, list):
        return np.array(item, dtype=np.float64)
    return np.sum([_weights(child) for child in item[2:]], axis=0)


def random_table(
    seed: int, n_rows: int = 80, n_classes: int = 3, missing: float = 0.1
) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of ATTRIBUTES with missing values, and classes that depend on them a little."""
    rng = np.random.default_rng(seed)
    matrix = np.column_stack(
        [rng.integers(0, 12, n_rows), rng.normal(size=n_rows), rng.integers(0, 3, n_rows)]
    ).astype(np.float64)
    y = ((matrix[:, 0] > 5) + rng.integers(0, n_classes, n_rows)) % n_classes
    matrix[rng.random(matrix.shape) < missing] = np.nan
    return matrix, y.astype(np.int16)


def grown_tree(matrix: np.ndarray, y: np.ndarray, n_classes: int = 3, **rules: Any) -> Tree:
    """Return the tree of most nodes on a random table."""
    raw = [
        column if attribute.kind == "numeric" else np.nan_to_num(column, nan=-1).astype(np.int32)
        for column, attribute in zip(matrix.T, ATTRIBUTES, strict=True)
    ]
    columns = sort_columns(ATTRIBUTES, [np.ascontiguousarray(column) for column in raw], y)
    return grow(columns, y, np.arange(n_classes), GrowthRules(takes_zero=True, **rules))


def shares_of_row(tree: Tree, row: np.ndarray, node: int = 0) -> dict[int, float]:
    """Return how much of a row reaches each node that it reaches: by recursion."""
    results = {node: 1.0}
    if tree.is_leaf[node]:
        return results
    value = row[tree.attribute[node]]
    branch = -1
    if tree.kind[node] == THRESHOLD:
        branch = -1 if np.isnan(value) else int(value > tree.threshold[node])
    elif value >= 0:
        branch = int(value)
        if tree.kind[node] == LOOKUP:
            branch = int(tree.lookup[tree.lookup_start[node] + branch])
    children = list(tree.children(node))
    shares = {children[branch]: 1.0} if branch >= 0 else {}
    if branch < 0:
        total = sum(tree.weight[child] for child in children)
        shares = {child: tree.weight[child] / total for child in children if tree.weight[child] > 0}
    for child, share in shares.items():
        for below, part in shares_of_row(tree, row, child).items():
            results[below] = share * part
    return results


def all_prunings(tree: Tree, node: int = 0) -> list[frozenset[int]]:
    """Return the leaves of every tree that pruning can make of a small tree."""
    results = [frozenset([node])]
    if tree.is_leaf[node]:
        return results
    combined: list[frozenset[int]] = [frozenset()]
    for child in tree.children(node):
        combined = [item | two for item in combined for two in all_prunings(tree, child)]
    return results + combined

"""Grouping of the levels of a nominal attribute into branches, as in C4.5."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from bestofk.array_types import Bools, Codes, Floats
from bestofk.trees._grouping import group_levels
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.tree import Tree
from bestofk.trees.tree_structure import LOOKUP

PRESENT: Final = 0.5  # weight above which a level is at a node


def grouped_levels(
    counts: Floats, weight: Floats, rules: GrowthRules, mapping: Codes, worth: Floats
) -> None:
    """Join levels step by step, two groups at a time, as long as the test gets better.

    Parameters
    ----------
    counts : ndarray of shape (b, n_levels, c), float64
        Known class weights by node and level; entropy is the criterion.
    weight : ndarray of shape (b,), float64
        Weights of the nodes, unknown rows included.
    rules : GrowthRules
        Least weight of a branch, and whether ratios decide.
    mapping : ndarray of shape (b, n_levels), int16
        Set to the branch of each level. Levels that weigh no more than a half at the node share
        one more branch, the last. Two levels are not grouped.
    worth : ndarray of shape (b,), float64
        Set to worth times known weight; left alone where there is no test.

    Notes
    -----
    Levels of one and the same class are joined first. Then the two groups are whose joining
    leaves the best ratio (or gain), as long as the ratio rises by 1e-5, down to two groups. While
    fewer than three groups are large enough for branches, the heaviest is left out; while fewer
    than two are, joining goes on whatever it is worth. A pair that leaves half the first gain goes
    before pairs that do not.

    References
    ----------
    .. [1] Quinlan (1993), C4.5: Programs for Machine Learning, section 7.2.
    """
    if counts.shape[1] > 2:
        by_ratio = rules.choice != "worth"
        group_levels(counts, weight, rules.min_branch, PRESENT, by_ratio, mapping, worth)
        return
    by_level = counts.sum(axis=2)
    is_valid = (by_level >= rules.min_branch - 1e-6).sum(axis=1) >= 2
    result = -_weighted_entropy(counts).sum(axis=1) + _weighted_entropy(counts.sum(axis=1))
    worth[is_valid] = result[is_valid]
    mapping[is_valid] = np.arange(counts.shape[1])


def without_impossible_branches(tree: Tree) -> Tree:
    """Return the tree without the branches of groups that no level can reach.

    Parameters
    ----------
    tree : Tree
        A tree of grouped levels.

    Returns
    -------
    Tree
        Without the last branch of a node, where the nodes above that group the same attribute
        leave none of its levels. Levels that they rule out have no branch any more.
    """
    first_child, n_children = tree.first_child, tree.n_children.copy()
    lookup = tree.lookup.copy()
    possible: list[dict[int, Bools]] = [{} for _ in range(tree.n_nodes)]
    for node in np.flatnonzero(~tree.is_leaf):
        a = int(tree.attribute[node])
        here = possible[node]
        is_grouped = tree.kind[node] == LOOKUP and tree.attributes[a].n_levels > 2
        branch = lookup[:0]
        if is_grouped:
            start = int(tree.lookup_start[node])
            branch = lookup[start : start + tree.attributes[a].n_levels]
            is_last = branch == n_children[node] - 1
            branch[is_last & ~here.get(a, is_last)] = -1
            n_children[node] -= not (branch == n_children[node] - 1).any()
        for v in range(n_children[node]):
            possible[first_child[node] + v] = {**here, a: branch == v} if is_grouped else here
    return replace(tree, n_children=n_children, lookup=lookup).compact()


def _weighted_entropy(counts: Floats) -> Floats:
    """Return weight times entropy in bits of class weights of shape (..., c)."""
    parts = np.append(counts, counts.sum(axis=-1, keepdims=True), axis=-1)
    logs = np.log2(parts, out=np.zeros_like(parts), where=parts > 0)
    return np.asarray(parts[..., -1] * logs[..., -1] - (parts * logs)[..., :-1].sum(axis=-1))

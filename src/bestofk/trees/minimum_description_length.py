"""Minimum description length pruning: tree and training labels encoded in the fewest bits."""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy.special import gammaln

from bestofk.array_types import Floats, Ints
from bestofk.trees.bottom_up_pruning import prune_bottom_up
from bestofk.trees.tree import Tree
from bestofk.trees.tree_structure import LOOKUP, THRESHOLD

_NODE_BITS: Final = 1.0  # leaf or test


def prune_by_description_length(tree: Tree, n_values: Ints) -> Tree:
    """Return the pruned tree of the least description length, the smallest of equals.

    Parameters
    ----------
    tree : Tree
        As it has grown.
    n_values : ndarray of shape (n_attributes,), int
        Distinct values of each attribute in the training table.

    Returns
    -------
    Tree

    See Also
    --------
    label_bits : Length of the labels at each node.
    split_bits : Length of the test of each node.

    Notes
    -----
    A node is encoded by one bit (leaf or test), and then by its test, or by the labels of its
    rows. Rows in parts count as parts.

    References
    ----------
    .. [1] Mehta, Rissanen and Agrawal (1995), MDL-based decision tree pruning, KDD-95.
    .. [2] Quinlan and Rivest (1989), Inferring decision trees using the minimum description
       length principle, Information and Computation 80.
    """
    as_leaf = _NODE_BITS + label_bits(tree)
    return prune_bottom_up(tree, as_leaf, _NODE_BITS + split_bits(tree, n_values))


def label_bits(tree: Tree) -> Floats:
    """Return the bits that tell the training labels at each node.

    Parameters
    ----------
    tree : Tree
        The tree.

    Returns
    -------
    ndarray of shape (n_nodes,), float64
        0 for empty nodes.

    Notes
    -----
    The code is the mixture over all class shares with Dirichlet weights of one half each: with
    n rows of which n_k are of class k, of K classes,
    -log2[ G(K/2) prod G(n_k + 1/2) / (G(1/2)^K G(n + K/2)) ], G the gamma function.
    DEVIATION: [1] has an approximation of it for large n, which falls below 0 for few rows of
    many classes.

    References
    ----------
    .. [1] Mehta, Rissanen and Agrawal (1995), MDL-based decision tree pruning, KDD-95.
    .. [2] Krichevsky and Trofimov (1981), The performance of universal encoding, IEEE
       Transactions on Information Theory 27.
    """
    half, n_classes = 0.5, tree.n_classes
    told = gammaln(tree.class_weights + half).sum(axis=1) - n_classes * gammaln(half)
    told += gammaln(n_classes * half) - gammaln(tree.weight + n_classes * half)
    return np.asarray(-told / np.log(2.0))


def split_bits(tree: Tree, n_values: Ints) -> Floats:
    """Return the bits that tell the test of each node.

    Parameters
    ----------
    tree : Tree
        The tree.
    n_values : ndarray of shape (n_attributes,), int
        Distinct values of each attribute in the training table.

    Returns
    -------
    ndarray of shape (n_nodes,), float64
        0 for leaves.

    Notes
    -----
    log2 of the number of attributes tells which; a threshold is one of the gaps between the
    values; a branch for each level needs no more; levels in b groups need
    log2 C(v - 1, b - 1) for the sizes, v levels in all, and log2 of the ways to fill them. An
    oblique test needs half of log2 n for its threshold and for each coefficient (n rows).
    """
    inner = np.flatnonzero(~tree.is_leaf)
    attribute, d = tree.attribute[inner], len(tree.attributes)
    bits = np.zeros(tree.n_nodes)
    bits[inner] = np.log2(d)
    is_cut = (tree.kind[inner] == THRESHOLD) & (attribute < d)
    bits[inner[is_cut]] += np.log2(np.maximum(n_values[attribute[is_cut]] - 1, 1))
    for node in inner[tree.kind[inner] == LOOKUP]:
        bits[node] += _group_bits(tree, int(node))
    for node in inner[attribute >= d]:
        n_numbers = 1 + np.count_nonzero(tree.directions[tree.attribute[node] - d])
        bits[node] += n_numbers * 0.5 * np.log2(max(tree.weight[node], 1.0))
    return bits


def _group_bits(tree: Tree, node: int) -> float:
    start = int(tree.lookup_start[node])
    branch = tree.lookup[start : start + tree.attributes[tree.attribute[node]].n_levels]
    sizes = np.bincount(branch[branch >= 0])
    sizes = sizes[sizes > 0]
    n_levels, n_groups = sizes.sum(), len(sizes)
    ways = gammaln(n_levels) - gammaln(n_groups) - gammaln(n_levels - n_groups + 1)
    ways += gammaln(n_levels + 1) - gammaln(sizes + 1).sum()
    return float(ways / np.log(2.0))

"""Pessimistic pruning: every leaf is charged half an error more than it makes."""

from __future__ import annotations

from typing import Final

from bestofk.trees.bottom_up_pruning import prune_bottom_up
from bestofk.trees.tree import Tree

_ADDED_ERRORS: Final = 0.5  # continuity correction of the binomial distribution


def prune_pessimistically(tree: Tree) -> Tree:
    """Prune a tree where a leaf is no worse, half an error added for each leaf.

    A subtree with e training errors and L leaves becomes a leaf with e' training errors if
    e' + 0.5 <= e + 0.5 L. Empty leaves are leaves.

    Parameters
    ----------
    tree : Tree
        As it has grown.

    Returns
    -------
    Tree

    Notes
    -----
    DEVIATION: the original compares with the subtree's errors plus their standard error, and
    from the top; here the plain comparison is made from the bottom, so that the result is the
    pruned tree with the least corrected errors.

    References
    ----------
    .. [1] Quinlan (1987), Simplifying decision trees, International Journal of Man-Machine
       Studies 27.
    """
    return prune_bottom_up(tree, tree.leaf_errors + _ADDED_ERRORS)

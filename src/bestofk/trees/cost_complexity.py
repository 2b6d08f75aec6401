"""Cost-complexity pruning: the sequence of weakest links, and the choice of alpha."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestofk.array_types import Codes, Floats, Ints, Positions
from bestofk.trees._pruning import Links, break_links
from bestofk.trees.reaching import reaching_weights
from bestofk.trees.tree import Tree


@dataclass(frozen=True, eq=False)
class PruningPath:
    """All trees that cost-complexity pruning makes of one tree.

    Attributes
    ----------
    tree : Tree
        The whole tree.
    node_alphas : ndarray of shape (n_nodes,), float64
        From which alpha on each node is a leaf, if it is still there; -inf for leaves.
    gone_alphas : ndarray of shape (n_nodes,), float64
        From which alpha on each node is gone; inf for the root.
    alphas : ndarray of shape (n_steps,), float64
        From which alpha on each of the trees is best, rising, 0 first: cost per leaf in the
        unit of the risk, which is a share of all weight.
    n_leaves : ndarray of shape (n_steps,), int64
        Leaves of each tree, falling to 1.
    risks : ndarray of shape (n_steps,), float64
        Risk of each tree on its training rows.
    """

    tree: Tree
    node_alphas: Floats
    gone_alphas: Floats
    alphas: Floats
    n_leaves: Ints
    risks: Floats

    def tree_at(self, alpha: float) -> Tree:
        """Return the smallest tree of the least risk + alpha * leaves."""
        return self.tree.pruned(self.node_alphas <= alpha)

    def sums_at(self, values: Floats, alphas: Floats) -> Floats:
        """Return the sum of a value over the leaves of the trees at some alphas.

        Parameters
        ----------
        values : ndarray of shape (n_nodes,), float64
            A value for each node of the whole tree.
        alphas : ndarray of shape (n_alphas,), float64
            Costs per leaf, finite.

        Returns
        -------
        ndarray of shape (n_alphas,), float64
        """
        # A node is a leaf from its own alpha on until it is gone.
        result = np.zeros(len(alphas))
        for begins, sign in ((self.node_alphas, 1.0), (self.gone_alphas, -1.0)):
            order = np.argsort(begins, kind="stable")
            summed = np.concatenate([[0.0], np.cumsum(values[order])])
            result += sign * summed[np.searchsorted(begins[order], alphas, side="right")]
        return result


@dataclass(frozen=True, eq=False)
class AlphaChoice:
    """Choice of a tree of a pruning path by cross-validation, with the reasons.

    Attributes
    ----------
    alpha : float
        The chosen alpha: one of the path's.
    alphas : ndarray of shape (n_steps,), float64
        Those of the path.
    errors : ndarray of shape (n_steps,), float64
        Cross-validated error rate at each, 0 to 1.
    standard_errors : ndarray of shape (n_steps,), float64
        Of these rates, as of a share of the weight of the rows.
    """

    alpha: float
    alphas: Floats
    errors: Floats
    standard_errors: Floats


def node_risks(tree: Tree, risk: str = "errors") -> Floats:
    """Return what each node adds to the risk as a leaf.

    Parameters
    ----------
    tree : Tree
        The tree.
    risk : {"errors", "gini", "entropy"}, default="errors"
        Errors on training rows (Breiman et al. 1984), or impurity (entropy in bits), as
        scikit-learn has it.

    Returns
    -------
    ndarray of shape (n_nodes,), float64
        Shares of all training weight.
    """
    if risk == "errors":
        return np.asarray(tree.leaf_errors / tree.weight[0])
    return np.asarray(tree.impurities(risk) * tree.weight / tree.weight[0])


def prune_path(tree: Tree, risk: str = "errors") -> PruningPath:
    """Return the trees that remain as ever stronger links of a tree break.

    The link of an inner node t is as strong as g(t) = (R(t) - R(T_t)) / (leaves of T_t - 1):
    the risk that its subtree T_t saves per leaf. The weakest breaks first.

    Parameters
    ----------
    tree : Tree
        As it has grown.
    risk : {"errors", "gini", "entropy"}, default="errors"
        As for `node_risks`.

    Returns
    -------
    PruningPath
        Its first tree has lost the subtrees that save nothing.

    References
    ----------
    .. [1] Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees,
       chapter 3.
    """
    own = node_risks(tree, risk)
    below, leaves_below = (tree.sum_over_leaves(x) for x in (own, np.ones(tree.n_nodes)))
    strength = (own - below) / np.maximum(leaves_below - 1, 1)
    node_alphas, gone = np.where(tree.is_leaf, -np.inf, np.inf), np.empty(tree.n_nodes)
    links = Links(np.flatnonzero(~tree.is_leaf), strength)
    break_links(links, tree.parent, own, below, leaves_below, node_alphas, gone)
    # A node that is gone before its link breaks never becomes a leaf.
    node_alphas = np.where(node_alphas < gone, node_alphas, gone)
    broken = node_alphas[(node_alphas < gone) & ~tree.is_leaf]
    alphas = np.unique(np.concatenate([[0.0], broken]))
    path = PruningPath(tree, node_alphas, gone, alphas, np.empty(0, np.int64), np.empty(0))
    n_leaves = np.rint(path.sums_at(np.ones(tree.n_nodes), alphas)).astype(np.int64)
    return PruningPath(tree, node_alphas, gone, alphas, n_leaves, path.sums_at(own, alphas))


def prune_to_alpha(tree: Tree, alpha: float, risk: str = "errors") -> Tree:
    """Return the smallest pruned tree of the least risk + alpha * leaves.

    Parameters
    ----------
    tree : Tree
        As it has grown.
    alpha : float
        What a leaf costs, 0 or more, in the unit of the risk.
    risk : {"errors", "gini", "entropy"}, default="errors"
        As for `node_risks`.

    Returns
    -------
    Tree
    """
    return prune_path(tree, risk).tree_at(alpha)


def choose_alpha(
    path: PruningPath,
    grow_on: Callable[[Positions], Tree],
    matrix: Floats,
    y: Codes,
    weight: Floats | None = None,
    *,
    one_standard_error: bool,
    n_folds: int = 5,
    splits: Iterable[tuple[Positions, Positions]] | None = None,
    risk: str = "errors",
    random_state: Any = None,
) -> AlphaChoice:
    """Choose among the trees of a path by cross-validation.

    Parameters
    ----------
    path : PruningPath
        Of the tree grown on all rows.
    grow_on : callable
        Takes rows (ndarray of int), returns the tree grown on them.
    matrix : ndarray of shape (n_rows, n_attributes), float64
        All rows, as `encode_table` gives them.
    y : ndarray of shape (n_rows,), int16
        Their classes.
    weight : ndarray of shape (n_rows,) or None, default=None
        Their weights; None if each counts one.
    one_standard_error : bool
        Whether the smallest tree within one standard error of the least error is chosen, not
        the one of the least error (of equals the smallest).
    n_folds : int, default=5
        How many stratified folds; no more are made than there are rows.
    splits : iterable of pairs of ndarray of int, or None, default=None
        Training and test rows of each split, instead of folds.
    risk : {"errors", "gini", "entropy"}, default="errors"
        That of the path.
    random_state : int, RandomState or None, default=None
        Seed of the folds.

    Returns
    -------
    AlphaChoice

    Notes
    -----
    The tree of each fold is pruned at the geometric means of neighboring alphas of the path,
    and all the way at the last. Rows with a missing value count in parts where their parts end.

    References
    ----------
    .. [1] Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees,
       section 3.4.
    """
    if splits is None:
        splits = _dealt_folds(y, min(n_folds, len(y)), random_state)
    at = np.append(np.sqrt(path.alphas[:-1] * path.alphas[1:]), np.finfo(np.float64).max)
    errors, total = np.zeros(len(at)), 0.0
    for growing, held in splits:
        grown = prune_path(grow_on(growing), risk)
        part = None if weight is None else weight[held]
        reached = reaching_weights(grown.tree, matrix[held], y[held], part)
        right = reached[np.arange(grown.tree.n_nodes), grown.tree.majority]
        errors += grown.sums_at(reached.sum(axis=1) - right, at)
        total += len(held) if part is None else float(part.sum())
    rate = np.clip(errors / total, 0.0, 1.0)
    spread = np.sqrt(rate * (1.0 - rate) / total)
    least = int(rate.argmin())
    limit = rate[least] + (spread[least] if one_standard_error else 0.0) + 1e-12
    chosen = np.flatnonzero(rate <= limit)[-1]
    return AlphaChoice(float(path.alphas[chosen]), path.alphas, rate, spread)


def _dealt_folds(y: Codes, n_folds: int, random_state: Any) -> list[tuple[Positions, Positions]]:
    """Return growing and held rows: shuffled, grouped by class, then dealt out in turn."""
    from sklearn.utils import check_random_state

    drawn = check_random_state(random_state).permutation(len(y))
    order = drawn[np.argsort(y[drawn], kind="stable")]
    fold = np.empty(len(y), np.int64)
    fold[order] = np.arange(len(y)) % n_folds
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_folds)]

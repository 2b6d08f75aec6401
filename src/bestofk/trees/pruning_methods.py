"""Pruning of a grown tree: bottom-up by costs, by costs of leaves, and by estimated errors."""

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, ndtri

from bestofk.array_types import Bools, Codes, Floats, Ints, Positions
from bestofk.errors import InvalidArgumentError
from bestofk.trees import _pruning
from bestofk.trees._pruning import Links, break_links, prune_costly
from bestofk.trees.prediction import reaching_weights, with_directions
from bestofk.trees.tree import Tree
from bestofk.trees.tree_structure import LOOKUP, THRESHOLD

_ADDED_ERRORS: Final = 0.5  # continuity correction of the binomial distribution
_NODE_BITS: Final = 1.0  # bits for leaf or test
# Normal deviates by confidence, as in the original program, with linear interpolation.
_TABLE_CONFIDENCE: Final = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
_TABLE_DEVIATE: Final = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)


def prune_bottom_up(tree: Tree, leaf_costs: Floats, test_costs: Floats | None = None) -> Tree:
    """Return the cheapest pruned tree, the smallest on ties.

    Parameters
    ----------
    tree : Tree
        The tree.
    leaf_costs : ndarray of shape (n_nodes,), float64
        Cost of each node as a leaf.
    test_costs : ndarray of shape (n_nodes,), float64, or None, default=None
        Cost of each node as a test, in addition to its branches; None for 0.

    Returns
    -------
    Tree
    """
    below = np.zeros(tree.n_nodes) if test_costs is None else test_costs.copy()
    is_pruned = np.empty(tree.n_nodes, np.uint8)
    prune_costly(tree.first_child, tree.n_children, leaf_costs, below, is_pruned)
    return tree.pruned(is_pruned.view(np.bool_))


def prune_pessimistically(tree: Tree) -> Tree:
    """Prune a tree wherever a leaf is no worse, counting half an error more per leaf.

    A subtree with e training errors and L leaves becomes a leaf with e' training errors if
    e' + 0.5 <= e + 0.5 L. Empty leaves are leaves.

    Parameters
    ----------
    tree : Tree
        The grown tree.

    Returns
    -------
    Tree

    Notes
    -----
    DEVIATION: the original adds the standard error of the subtree's errors, and starts at the top;
    here the plain comparison starts at the bottom, so the result is the pruned tree with the fewest
    corrected errors.

    References
    ----------
    .. [1] Quinlan (1987), Simplifying decision trees, International Journal of Man-Machine
       Studies 27.
    """
    return prune_bottom_up(tree, tree.leaf_errors + _ADDED_ERRORS)


def prune_by_description_length(tree: Tree, n_values: Ints) -> Tree:
    """Return the pruned tree with the shortest description, the smallest on ties.

    Parameters
    ----------
    tree : Tree
        The grown tree.
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
    rows. Fractional rows count in part.

    References
    ----------
    .. [1] Mehta, Rissanen and Agrawal (1995), MDL-based decision tree pruning, KDD-95.
    .. [2] Quinlan and Rivest (1989), Inferring decision trees using the minimum description
       length principle, Information and Computation 80.
    """
    as_leaf = _NODE_BITS + label_bits(tree)
    return prune_bottom_up(tree, as_leaf, _NODE_BITS + split_bits(tree, n_values))


def label_bits(tree: Tree) -> Floats:
    """Return the bits that encode the training labels at each node.

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
    DEVIATION: [1] uses an approximation for large n, which is negative for few rows of many
    classes.

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
    """Return the bits that encode the test of each node.

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
    The attribute needs log2 of the number of attributes; a threshold is one of the gaps between the
    values; a branch for each level needs no further bits; levels in b groups need log2 C(v - 1, b -
    1) for the sizes, v levels in all, and log2 of the ways to fill them. An oblique test needs half
    of log2 n for its threshold and for each coefficient (n rows).
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


def prune_by_reduced_error(
    tree: Tree, matrix: Floats, y: Codes, weight: Floats | None = None
) -> Tree:
    """Return the pruned tree with the fewest errors on pruning rows, the smallest on ties.

    Parameters
    ----------
    tree : Tree
        A tree grown on other rows.
    matrix : ndarray of shape (n_rows, n_attributes), float64
        The pruning rows from `encode_table`.
    y : ndarray of shape (n_rows,), int16
        Their classes, 0..n_classes-1.
    weight : ndarray of shape (n_rows,) or None, default=None
        Their weights; None if each counts one.

    Returns
    -------
    Tree
        The tree keeps the class weights of growing. A node that no pruning row reaches becomes a
        leaf.

    Notes
    -----
    Leaves predict the majority of their growing rows, empty ones that of their parent. Rows with a
    missing value count in part in each of their leaves. The greedy version, which removes the most
    harmful subtree first (Mitchell 1997, section 3.7.1.1), leads to equally few errors; this one
    needs a single pass.

    References
    ----------
    .. [1] Quinlan (1987), Simplifying decision trees, International Journal of Man-Machine
       Studies 27.
    """
    return prune_bottom_up(tree, _errors_at_nodes(tree, matrix, y, weight))


def _errors_at_nodes(tree: Tree, matrix: Floats, y: Codes, weight: Floats | None) -> Floats:
    """Return the weight of the rows at each node that are not of its majority class."""
    reached = reaching_weights(tree, matrix, y, weight)
    return np.asarray(reached.sum(axis=1) - reached[np.arange(tree.n_nodes), tree.majority])


def split_by_folds(y: Codes, n_folds: int) -> tuple[Positions, Positions]:
    """Split rows into the last stratified fold and all others, without randomness.

    Parameters
    ----------
    y : ndarray of shape (n_rows,), int16
        Classes.
    n_folds : int
        Number of folds, at least 2.

    Returns
    -------
    growing_rows, pruning_rows : ndarray of int
        Sorted; the same parts as in Weka's J48 (3.6).

    Raises
    ------
    InvalidArgumentError
        If there are fewer rows than folds.
    """
    n_rows = len(y)
    if n_rows < n_folds:
        raise InvalidArgumentError(
            f"pruning_folds must be an integer up to the number of rows ({n_rows}); got "
            f"{n_folds}. Use fewer folds, or another pruning."
        )
    order = list(range(n_rows))
    start = 1
    while start < n_rows:
        label = y[order[start - 1]]
        # Rows of this class move forward; the rows they displace take the free places.
        for index in (start + np.flatnonzero(y[order[start:]] == label)).tolist():
            order[start], order[index] = order[index], order[start]
            start += 1
        start += 1
    dealt = np.concatenate([order[fold::n_folds] for fold in range(n_folds)])
    n_growing = n_rows - n_rows // n_folds
    return np.sort(dealt[:n_growing]), np.sort(dealt[n_growing:])


def split_by_fraction(y: Codes, fraction: float, random_state: Any) -> tuple[Positions, Positions]:
    """Split rows at random, in each class by the same proportion if possible.

    Parameters
    ----------
    y : ndarray of shape (n_rows,), int16
        Classes.
    fraction : float
        Share of the pruning rows, above 0 and below 1.
    random_state : int, RandomState or None
        Seed of the draw.

    Returns
    -------
    growing_rows, pruning_rows : ndarray of int
        Sorted.

    Raises
    ------
    InvalidArgumentError
        If one of the parts would be empty.
    """
    from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

    n_pruning = int(np.ceil(fraction * len(y)))
    if not 0 < n_pruning < len(y):
        raise InvalidArgumentError(
            f"pruning_fraction must be a share that leaves both parts of the {len(y)} rows "
            "non-empty; got "
            f"{fraction:g}. Use a smaller fraction, or another pruning."
        )
    sizes = np.bincount(y)
    n_present = np.count_nonzero(sizes)
    can_stratify = sizes[sizes > 0].min() > 1 and n_present <= min(n_pruning, len(y) - n_pruning)
    n_growing = len(y) - n_pruning
    splitter = (StratifiedShuffleSplit if can_stratify else ShuffleSplit)(
        1, test_size=n_pruning, train_size=n_growing, random_state=random_state
    )
    growing, pruning = next(splitter.split(np.empty((len(y), 0)), y))
    return np.sort(growing), np.sort(pruning)


@dataclass(frozen=True, eq=False)
class PruningPath:
    """All trees that cost-complexity pruning makes from one tree.

    Attributes
    ----------
    tree : Tree
        The whole tree.
    node_alphas : ndarray of shape (n_nodes,), float64
        Alpha from which on each node is a leaf, unless it was removed before; -inf for leaves.
    gone_alphas : ndarray of shape (n_nodes,), float64
        Alpha from which on each node is removed; inf for the root.
    alphas : ndarray of shape (n_steps,), float64
        Alpha from which on each tree is best, ascending from 0: cost per leaf in the unit of the
        risk, which is a share of all weight.
    """

    tree: Tree
    node_alphas: Floats
    gone_alphas: Floats
    alphas: Floats

    def tree_at(self, alpha: float) -> Tree:
        """Return the smallest tree with the lowest risk + alpha * leaves."""
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
        # A node is a leaf from its own alpha on until it is removed.
        result = np.zeros(len(alphas))
        for begins, sign in ((self.node_alphas, 1.0), (self.gone_alphas, -1.0)):
            order = np.argsort(begins, kind="stable")
            summed = np.concatenate([[0.0], np.cumsum(values[order])])
            result += sign * summed[np.searchsorted(begins[order], alphas, side="right")]
        return result


@dataclass(frozen=True, eq=False)
class AlphaChoice:
    """Choice of a tree of a pruning path by cross-validation, with the errors behind it.

    Attributes
    ----------
    alpha : float
        The chosen alpha of the path.
    alphas : ndarray of shape (n_steps,), float64
        All alphas of the path.
    errors : ndarray of shape (n_steps,), float64
        Cross-validated error rate at each, 0 to 1.
    standard_errors : ndarray of shape (n_steps,), float64
        Standard errors of these rates, as shares of the weight of the rows.
    """

    alpha: float
    alphas: Floats
    errors: Floats
    standard_errors: Floats


def node_risks(tree: Tree, risk: str = "errors") -> Floats:
    """Return the risk of each node as a leaf.

    Parameters
    ----------
    tree : Tree
        The tree.
    risk : {"errors", "gini", "entropy"}, default="errors"
        Errors on training rows (Breiman et al. 1984), or impurity (entropy in bits), as in
        scikit-learn.

    Returns
    -------
    ndarray of shape (n_nodes,), float64
        Shares of all training weight.
    """
    if risk == "errors":
        return np.asarray(tree.leaf_errors / tree.weight[0])
    return np.asarray(tree.impurities(risk) * tree.weight / tree.weight[0])


def prune_path(tree: Tree, risk: str = "errors") -> PruningPath:
    """Return the nested trees of weakest-link pruning.

    The strength of an inner node t is g(t) = (R(t) - R(T_t)) / (leaves of T_t - 1): the risk that
    its subtree T_t saves per leaf. The weakest node is pruned first.

    Parameters
    ----------
    tree : Tree
        The grown tree.
    risk : {"errors", "gini", "entropy"}, default="errors"
        As for `node_risks`.

    Returns
    -------
    PruningPath
        The path; its first tree is without the subtrees that save nothing.

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
    # A node that is removed before its own alpha never becomes a leaf.
    node_alphas = np.where(node_alphas < gone, node_alphas, gone)
    broken = node_alphas[(node_alphas < gone) & ~tree.is_leaf]
    alphas = np.unique(np.concatenate([[0.0], broken]))
    return PruningPath(tree, node_alphas, gone, alphas)


def choose_alpha(
    path: PruningPath,
    grow_on: Callable[[Positions], Tree],
    matrix: Floats,
    y: Codes,
    weight: Floats | None = None,
    *,
    splits: Iterable[tuple[Positions, Positions]],
    one_standard_error: bool,
) -> AlphaChoice:
    """Choose among the trees of a path by cross-validation.

    Parameters
    ----------
    path : PruningPath
        Path of the tree grown on all rows.
    grow_on : callable
        Takes rows (ndarray of int), returns the tree grown on them.
    matrix : ndarray of shape (n_rows, n_attributes), float64
        All rows from `encode_table`.
    y : ndarray of shape (n_rows,), int16
        Their classes.
    weight : ndarray of shape (n_rows,) or None, default=None
        Their weights; None if each counts one.
    splits : iterable of pairs of ndarray of int
        Training and test rows of each split, as from `dealt_folds`.
    one_standard_error : bool
        Whether to choose the smallest tree within one standard error of the smallest error, instead
        of the one with the smallest error (the smallest tree on ties).

    Returns
    -------
    AlphaChoice

    Notes
    -----
    The tree of each fold is pruned at the geometric means of neighboring alphas of the path, and
    completely at the last. Rows with a missing value count in part in each of their leaves.

    References
    ----------
    .. [1] Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees,
       section 3.4.
    """
    at = np.append(np.sqrt(path.alphas[:-1] * path.alphas[1:]), np.finfo(np.float64).max)
    errors, total = np.zeros(len(at)), 0.0
    for growing, held in splits:
        grown = prune_path(grow_on(growing))
        part = None if weight is None else weight[held]
        at_nodes = _errors_at_nodes(grown.tree, matrix[held], y[held], part)
        errors += grown.sums_at(at_nodes, at)
        total += len(held) if part is None else float(part.sum())
    rate = np.clip(errors / total, 0.0, 1.0)
    spread = np.sqrt(rate * (1.0 - rate) / total)
    least = int(rate.argmin())
    limit = rate[least] + (spread[least] if one_standard_error else 0.0) + 1e-12
    chosen = np.flatnonzero(rate <= limit)[-1]
    return AlphaChoice(float(path.alphas[chosen]), path.alphas, rate, spread)


def dealt_folds(y: Codes, n_folds: int, random_state: Any) -> list[tuple[Positions, Positions]]:
    """Return growing and held-out rows: shuffled, grouped by class, then dealt to folds in turn."""
    from sklearn.utils import check_random_state

    drawn = check_random_state(random_state).permutation(len(y))
    order = drawn[np.argsort(y[drawn], kind="stable")]
    fold = np.empty(len(y), np.int64)
    fold[order] = np.arange(len(y)) % n_folds
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_folds)]


def added_errors(
    weight: float, errors: float, confidence: float = 0.25, *, flavor: str = "j48"
) -> float:
    """Return the errors that the upper confidence bound of an error rate adds.

    Parameters
    ----------
    weight : float
        Training weight at a leaf, above 0.
    errors : float
        Weight of other classes than its majority.
    confidence : float, default=0.25
        Probability of more errors than the bound; smaller values prune more.
    flavor : {"j48", "r8"}, default="j48"
        Exact normal quantile, or the table of Release 8.

    Returns
    -------
    float
        Added errors.

    References
    ----------
    .. [1] Quinlan (1993), C4.5: Programs for Machine Learning, section 4.2.

    Examples
    --------
    >>> round(added_errors(16, 1), 5), round(added_errors(16, 1, flavor="r8"), 5)
    (1.47571, 1.50689)
    """
    return float(_pruning.added_errors(weight, errors, bound_parts(confidence, flavor)))


def prune_by_estimated_errors(
    tree: Tree,
    matrix: Floats,
    y: Codes,
    sample_weight: Floats | None,
    *,
    bound: tuple[float, float, bool],
    raises: bool,
    parts: Sequence[Positions] | None = None,
) -> Tree:
    """Prune a tree bottom-up if the bound of the error increases by at most 0.1.

    Parameters
    ----------
    tree : Tree
        The grown tree.
    matrix : ndarray of shape (n_rows, n_attributes), float64
        The training rows from `encode_table`.
    y : ndarray of shape (n_rows,), int16
        Their classes.
    sample_weight : ndarray of shape (n_rows,) or None
        Their weights.
    bound : tuple
        Result of `bound_parts`.
    raises : bool
        Whether the largest branch (the last on ties) may replace its parent, with all rows sent
        into it.
    parts : sequence of ndarray of int, or None, default=None
        For several trees in one: training rows of each, whose root is node 0, 1, ....

    Returns
    -------
    Tree
    """
    if tree.n_nodes == 1:
        return tree
    numbers, cut, counts = pruning_numbers(tree)
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    form = (numbers, cut, tree.lookup, with_directions(tree, matrix), y, bound)
    pruning = _pruning.Pruning(form, counts, np.zeros(tree.n_nodes))
    parts = [np.arange(len(y))] if parts is None else parts
    for root, rows in enumerate(parts):
        pruning.prune(root, rows.astype(np.int32), weight[rows], raises)
    return with_numbers(tree, numbers, cut, counts).compact(n_roots=len(parts))


def pruning_numbers(tree: Tree) -> tuple[NDArray[np.int32], Floats, Floats]:
    """Return numbers, cuts and class weights of the nodes, for `Pruning` to change."""
    columns: tuple[np.ndarray, ...] = (
        tree.kind,
        tree.attribute,
        tree.first_child,
        tree.n_children,
        tree.lookup_start,
        tree.default_branch,
    )
    numbers = np.empty((tree.n_nodes, len(columns)), np.int32)
    for index, column in enumerate(columns):
        numbers[:, index] = column
    return numbers, tree.threshold.copy(), tree.class_weights.copy()


def with_numbers(tree: Tree, numbers: NDArray[np.int32], cut: Floats, counts: Floats) -> Tree:
    """Return the tree after `Pruning`, including unreachable nodes."""
    is_leaf = numbers[:, 0] == 0
    return replace(
        tree,
        kind=numbers[:, 0].astype(np.int8),
        attribute=np.where(is_leaf, -1, numbers[:, 1]).astype(np.int32),
        threshold=cut,
        first_child=np.where(is_leaf, -1, numbers[:, 2]).astype(np.int32),
        n_children=np.where(is_leaf, 0, numbers[:, 3]).astype(np.int32),
        lookup_start=numbers[:, 4].copy(),
        default_branch=numbers[:, 5].copy(),
        class_weights=counts,
    )


def collapsed(tree: Tree, *, n_roots: int = 1) -> Tree:
    """Return the tree without subtrees that make as many training errors as a leaf.

    Parameters
    ----------
    tree : Tree
        The grown tree.
    n_roots : int, default=1
        Number of trees in one; so many first nodes are roots.

    Returns
    -------
    Tree
    """
    below = tree.sum_over_leaves(tree.leaf_errors)
    return tree.pruned(below >= tree.leaf_errors - 1e-3, n_roots=n_roots)


def without_impossible_branches(tree: Tree) -> Tree:
    """Return the tree without the branches of groups that no level can reach.

    Parameters
    ----------
    tree : Tree
        A tree of grouped levels.

    Returns
    -------
    Tree
        Without the last branch of a node, if nodes above that group the same attribute leave none
        of its levels. Levels that they exclude have no branch.
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


@functools.lru_cache
def bound_parts(confidence: float, flavor: str) -> tuple[float, float, bool]:
    """Return confidence, normal deviate and flavor for `_pruning`."""
    if flavor == "r8":
        z = float(np.interp(confidence, _TABLE_CONFIDENCE, _TABLE_DEVIATE))
    else:
        z = -float(ndtri(confidence)) if confidence > 0 else np.inf
    return float(confidence), z, flavor == "r8"

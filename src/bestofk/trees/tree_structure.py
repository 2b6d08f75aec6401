"""Structure of grown trees, used by pruning, rules, displays and files."""

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from bestofk.array_types import Bools, Floats, Ints, Positions
from bestofk.trees._leaves import NodeTests, add_up
from bestofk.trees.attributes import Attribute

LEAF: Final = 0
THRESHOLD: Final = 1
MULTIWAY: Final = 2
LOOKUP: Final = 3


@dataclass(frozen=True, eq=False)
class TreeStructure:
    """A decision tree as arrays, one entry per node; node 0 is the root.

    The children of a node are neighbors: branch b of node i leads to `first_child[i] + b`,
    and every node has a higher number than its parent.

    Attributes
    ----------
    attributes : tuple of Attribute
        What the columns are.
    classes : ndarray of shape (n_classes,)
        The labels.
    kind : ndarray of shape (n_nodes,), int8
        0 leaf; 1 threshold: branch 0 if value <= threshold, else branch 1; 2 multiway:
        branch = code of the level; 3 lookup: branch = `lookup[lookup_start + code]`.
    attribute : ndarray of shape (n_nodes,), int32
        Tested attribute; -1 for leaves; `n_attributes + k` for direction k.
    threshold : ndarray of shape (n_nodes,), float64
        Threshold of a numeric test; for an ordinal attribute, in codes; nan elsewhere.
    first_child, n_children : ndarray of shape (n_nodes,), int32
        Children; -1 and 0 for leaves.
    lookup_start : ndarray of shape (n_nodes,), int32
        Start of the branches of the levels in `lookup`; -1 for other kinds.
    lookup : ndarray, int32
        Branches by level, -1 for none.
    class_weights : ndarray of shape (n_nodes, n_classes), float64
        Weight of the training rows of each class that reached a node, including parts of rows; all
        0 for an empty branch.
    default_branch : ndarray of shape (n_nodes,), int32
        Branch of rows with a missing value; -1: all branches, in parts.
    directions, direction_means, direction_scales : ndarray of shape \
(n_directions, n_attributes), float64
        Oblique tests: coefficients, replacements of missing values, and standard deviations at the
        node.
    """

    attributes: tuple[Attribute, ...]
    classes: np.ndarray
    kind: NDArray[np.int8]
    attribute: NDArray[np.int32]
    threshold: Floats
    first_child: NDArray[np.int32]
    n_children: NDArray[np.int32]
    lookup_start: NDArray[np.int32]
    lookup: NDArray[np.int32]
    class_weights: Floats
    default_branch: NDArray[np.int32]
    directions: Floats
    direction_means: Floats
    direction_scales: Floats

    def __getstate__(self) -> dict[str, Any]:
        """Return only the fields, so that a used tree is stored like a new one."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def n_nodes(self) -> int:
        """Number of nodes, including leaves."""
        return len(self.kind)

    @property
    def n_leaves(self) -> int:
        """Number of leaves, including empty ones."""
        return int(self.is_leaf.sum())

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def is_leaf(self) -> Bools:
        """True for each node that is a leaf, shape (n_nodes,)."""
        return np.asarray(self.kind == LEAF)

    @cached_property
    def weight(self) -> Floats:
        """Training weight of each node, shape (n_nodes,)."""
        return np.asarray(self.class_weights.sum(axis=1))

    @property
    def shares(self) -> Floats:
        """Shares of the classes in the weight of each node; zeros if it has no weight."""
        return np.asarray(self.class_weights / np.where(self.weight > 0, self.weight, 1.0)[:, None])

    @cached_property
    def parent(self) -> NDArray[np.int32]:
        """Parent of each node, -1 for the root, shape (n_nodes,)."""
        parent = np.full(self.n_nodes, -1, np.int32)
        inner = np.flatnonzero(~self.is_leaf)
        counts = self.n_children[inner]
        parent[_spans(self.first_child[inner], counts)] = np.repeat(inner, counts)
        return parent

    @cached_property
    def node_depth(self) -> NDArray[np.int32]:
        """Number of tests above each node, shape (n_nodes,)."""
        depth = np.zeros(self.n_nodes, np.int32)
        level = np.array([0])
        while level.size:
            inner = level[~self.is_leaf[level]]
            counts = self.n_children[inner]
            level = _spans(self.first_child[inner], counts)
            depth[level] = np.repeat(depth[inner], counts) + 1
        return depth

    @property
    def depth(self) -> int:
        """Largest number of tests above a leaf."""
        return int(self.node_depth.max())

    @cached_property
    def tests(self) -> NodeTests:
        """The tests in the form for compiled loops."""
        return NodeTests(self)

    @cached_property
    def answering(self) -> NDArray[np.int32]:
        """Node whose training rows decide for each node: itself, or the nearest above with rows."""
        answering = np.arange(self.n_nodes, dtype=np.int32)
        for node in np.flatnonzero(self.weight <= 0):
            if node:
                answering[node] = answering[self.parent[node]]
        return answering

    @cached_property
    def majority(self) -> Positions:
        """Class with the largest weight at each node, the first on ties, shape (n_nodes,)."""
        return np.asarray(self.class_weights[self.answering].argmax(axis=1))

    @cached_property
    def leaf_errors(self) -> Floats:
        """Training weight of other classes than a node's majority, shape (n_nodes,)."""
        return np.asarray(self.weight - self.class_weights.max(axis=1))

    @cached_property
    def _lookup_ends(self) -> Ints:
        """Starts of the parts of nodes in the lookup table, ascending, and the end of the last."""
        return np.sort(np.append(self.lookup_start[self.kind == LOOKUP], len(self.lookup)))

    def probabilities(self, *, laplace: bool) -> Floats:
        """Return the probabilities of each node as a leaf.

        Parameters
        ----------
        laplace : bool
            Whether to add one row of each class to the counts.

        Returns
        -------
        ndarray of shape (n_nodes, n_classes), float64
            Rows sum to one.
        """
        counts = self.class_weights[self.answering]
        if laplace:
            counts = counts + 1.0
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    @cached_property
    def answers(self) -> dict[bool, Floats]:
        """Probabilities of each node, raw and with Laplace's correction; see `probabilities`."""
        return {laplace: self.probabilities(laplace=laplace) for laplace in (False, True)}

    @cached_property
    def best_answers(self) -> dict[bool, Positions]:
        """Most probable class of each node, the first on ties, raw and corrected like `answers`."""
        return {laplace: table.argmax(axis=1) for laplace, table in self.answers.items()}

    def impurities(self, criterion: str) -> Floats:
        """Return the impurity of each node: entropy in bits, or Gini impurity with "gini"."""
        shares = self.shares
        if criterion == "gini":
            return np.asarray(1.0 - (shares**2).sum(axis=1))
        logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
        return np.asarray(-(shares * logs).sum(axis=1))

    def importances(self, criterion: str) -> Floats:
        """Return the share of each attribute in the decrease of impurity.

        Parameters
        ----------
        criterion : {"entropy", "gini"}
            Impurity.

        Returns
        -------
        ndarray of shape (n_attributes,), float64
            Sums to one; zeros for a tree of one leaf. Oblique tests are divided by the size of
            their coefficients in standard units.
        """
        total = self.impurities(criterion) * self.weight
        inner = np.flatnonzero(~self.is_leaf)
        below = np.bincount(self.parent[1:], weights=total[1:], minlength=self.n_nodes)
        decrease = np.maximum(total - below, 0.0)[inner]
        d = len(self.attributes)
        by_test = np.bincount(
            self.attribute[inner], weights=decrease, minlength=d + len(self.directions)
        )
        result = by_test[:d].astype(np.float64)
        sizes = np.abs(self.directions) * self.direction_scales
        for size, worth in zip(sizes, by_test[d:], strict=True):
            result += worth * size / size.sum()
        return result / result.sum() if result.sum() > 0 else result

    def sum_over_leaves(self, values: Floats) -> Floats:
        """Return for each node the sum of a value over the leaves below it.

        Parameters
        ----------
        values : ndarray of shape (n_nodes,), float64
            A value for each node; those of inner nodes are not used.

        Returns
        -------
        ndarray of shape (n_nodes,), float64
        """
        result = np.where(self.is_leaf, values, 0.0)
        add_up(self.first_child, self.n_children, result)
        return result

    def children(self, node: int) -> range:
        """Return the numbers of the children of a node; empty for a leaf."""
        first = int(self.first_child[node])
        return range(first, first + int(self.n_children[node]))

    def pruned(self, is_pruned: Bools, *, n_roots: int = 1) -> Self:
        """Return the tree with some nodes turned into leaves.

        Parameters
        ----------
        is_pruned : ndarray of shape (n_nodes,), bool
            Nodes that become leaves; everything below them is removed.
        n_roots : int, default=1
            As for `compact`.

        Returns
        -------
        Tree
            A new tree with renumbered nodes; this one if nothing changes.
        """
        if not (is_pruned & ~self.is_leaf).any():
            return self
        kind = np.where(is_pruned, LEAF, self.kind).astype(np.int8)
        first_child = np.where(is_pruned, -1, self.first_child).astype(np.int32)
        n_children = np.where(is_pruned, 0, self.n_children).astype(np.int32)
        return replace(self, kind=kind, first_child=first_child, n_children=n_children).compact(
            n_roots=n_roots
        )

    def compact(self, *, n_roots: int = 1) -> Self:
        """Return the tree of the reachable nodes, numbered breadth-first.

        Parameters
        ----------
        n_roots : int, default=1
            Number of trees in one; so many first nodes are roots.
        """
        kept = [np.arange(n_roots)]
        while kept[-1].size:
            inner = kept[-1][~self.is_leaf[kept[-1]]]
            kept.append(_spans(self.first_child[inner], self.n_children[inner]))
        return self.taken(np.concatenate(kept))

    def taken(self, nodes: Positions) -> Self:
        """Return the tree of some nodes.

        Parameters
        ----------
        nodes : ndarray of shape (n_kept,), int
            A node and all below it, breadth-first.

        Returns
        -------
        Tree
            The nodes are numbered in that order.
        """
        number = np.empty(self.n_nodes, np.int32)  # of kept nodes; others stay unset
        number[nodes] = np.arange(nodes.size)
        is_leaf = self.kind[nodes] == LEAF
        attribute = np.where(is_leaf, -1, self.attribute[nodes]).astype(np.int32)
        kept_directions = np.empty(0, np.intp)
        if len(self.directions):
            d = len(self.attributes)
            is_oblique = attribute >= d
            kept_directions, index = np.unique(attribute[is_oblique] - d, return_inverse=True)
            attribute[is_oblique] = d + index
        first_child = self.first_child[nodes]
        first_child[~is_leaf] = number[first_child[~is_leaf]]
        lookup_start = np.full(nodes.size, -1, np.int32)
        kept_lookup = np.empty(0, np.intp)
        if len(self.lookup):
            looked_up = np.flatnonzero(self.kind[nodes] == LOOKUP)
            begins = self.lookup_start[nodes[looked_up]]
            ends = self._lookup_ends
            sizes = ends[np.searchsorted(ends, begins, side="right")] - begins
            lookup_start[looked_up] = np.cumsum(sizes) - sizes
            kept_lookup = _spans(begins, sizes)
        return replace(
            self,
            kind=self.kind[nodes],
            attribute=attribute,
            threshold=np.where(is_leaf, np.nan, self.threshold[nodes]),
            first_child=first_child,
            n_children=self.n_children[nodes],
            lookup_start=lookup_start,
            lookup=self.lookup[kept_lookup],
            class_weights=self.class_weights[nodes],
            default_branch=np.where(is_leaf, -1, self.default_branch[nodes]).astype(np.int32),
            directions=self.directions[kept_directions],
            direction_means=self.direction_means[kept_directions],
            direction_scales=self.direction_scales[kept_directions],
        )


@dataclass(frozen=True, eq=False)
class RegressionTree(TreeStructure):
    """Tree whose leaves predict a number; its only class contains all training rows.

    Attributes
    ----------
    means : ndarray of shape (n_nodes,), float64
        Mean target of the training rows at each node.
    """

    means: Floats

    @property
    def shares(self) -> Floats:
        """Place of each mean between the lowest and the highest one, 0 to 1."""
        low = self.means.min()
        return np.asarray((self.means - low)[:, None] / (np.ptp(self.means) or 1.0))


def no_directions(n_attributes: int) -> dict[str, Floats]:
    """Return the three fields of a tree without oblique tests, by name."""
    names = ("directions", "direction_means", "direction_scales")
    return dict.fromkeys(names, np.empty((0, n_attributes)))


def _spans(starts: np.ndarray, counts: np.ndarray) -> Positions:
    """Return start, start + 1, ... for each start, as many as its count."""
    if not counts.size:
        return np.empty(0, np.intp)
    ends = np.cumsum(counts)
    return np.asarray(np.arange(ends[-1]) + np.repeat(starts - (ends - counts), counts))

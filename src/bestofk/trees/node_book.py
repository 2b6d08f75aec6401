"""Nodes of a grown tree: what was noted of each, and the tree that they make."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestofk.array_types import Codes, Floats, Ints, Positions
from bestofk.trees._sorted_columns import largest_within
from bestofk.trees.attributes import NOMINAL, Attribute
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.level import Branches, Level
from bestofk.trees.oblique import Direction
from bestofk.trees.sorting import Columns
from bestofk.trees.tree import Tree
from bestofk.trees.tree_structure import LEAF, LOOKUP, MULTIWAY, THRESHOLD


@dataclass(frozen=True, eq=False)
class DealtRows:
    """The rows of several parts of a table, part after part.

    Attributes
    ----------
    columns : Columns
        The table.
    rows : ndarray of shape (r,), int
        Rows of the table.
    starts : ndarray of shape (n_parts + 1,), int64
        Where each part begins.
    """

    columns: Columns
    rows: Positions
    starts: Ints

    def thresholds(self, a: int, part: Ints, cuts: Ints, rule: str) -> Floats:
        """Return what `Columns.thresholds` returns for cuts of some parts."""
        cuts = cuts.copy()
        if self.columns.is_listed[a]:
            cuts[:, 2:] = self.rows[cuts[:, 2:]]
        low, middle = self.columns.middles(a, cuts)
        if rule == "midpoint":
            return middle
        column, is_blurred = self.columns.raw[a], rule == "value-within-1e-6"
        limit, known = middle + 1e-6 if is_blurred else middle, np.empty(len(cuts))
        largest_within(
            np.ascontiguousarray(column, np.float64), self.rows, self.starts, part, limit,
            is_blurred, known,
        )  # fmt: skip
        known = np.maximum(known, low)
        return np.asarray(np.nextafter(known + 1e-6, -np.inf) if is_blurred else known)


@dataclass
class GrownNodes:
    """Notes of the nodes of a tree, or of several trees.

    Attributes
    ----------
    attribute, first_child, n_children, lookup_start, lookup, default_branch, threshold
        As of `TreeStructure`; the threshold of oblique tests alone.
    cut : ndarray of shape (n_nodes, 4), int32
        Ranks and rows next to the cut.
    counts : ndarray of shape (n_nodes, c), float64
        Class weights.
    root : ndarray of shape (n_nodes,), int32
        The root of each node.
    directions, direction_means, direction_scales
        As of `TreeStructure`.
    """

    attribute: NDArray[np.int32]
    first_child: NDArray[np.int32]
    n_children: NDArray[np.int32]
    lookup_start: NDArray[np.int32]
    lookup: NDArray[np.int32]
    default_branch: NDArray[np.int32]
    cut: NDArray[np.int32]
    threshold: Floats
    counts: Floats
    root: NDArray[np.int32]
    directions: Floats
    direction_means: Floats
    direction_scales: Floats

    def tree(
        self, columns: Columns, classes: np.ndarray, rules: GrowthRules, dealt: DealtRows | None
    ) -> Tree:
        """Return the tree.

        Parameters
        ----------
        columns : Columns
            The table that it has grown from.
        classes : ndarray of shape (n_classes,)
            The labels.
        rules : GrowthRules
            How it has grown.
        dealt : DealtRows or None
            Whose rows they are, where several trees have grown together.

        Returns
        -------
        Tree
        """
        d = len(columns.attributes)
        kinds = np.append(kinds_of_tests(columns, rules), np.int8(LEAF))  # -1 is a leaf
        kind = kinds[np.minimum(self.attribute, d)]
        nodes = np.flatnonzero((kind == THRESHOLD) & (self.attribute < d))
        nodes = nodes[np.argsort(self.attribute[nodes], kind="stable")]
        tested, begins = np.unique(self.attribute[nodes], return_index=True)
        for a, here in zip(tested.tolist(), np.split(nodes, begins[1:]), strict=False):
            cuts = self.cut[here].astype(np.int64)
            if dealt is None:
                self.threshold[here] = columns.thresholds(a, cuts, rules.threshold)
                columns.workspace.release()
            else:
                part = self.root[here].astype(np.int64)
                self.threshold[here] = dealt.thresholds(a, part, cuts, rules.threshold)
        tree = Tree(
            attributes=columns.attributes,
            classes=classes,
            kind=kind,
            attribute=self.attribute,
            threshold=self.threshold,
            first_child=self.first_child,
            n_children=self.n_children,
            lookup_start=self.lookup_start,
            lookup=self.lookup,
            class_weights=self.counts,
            default_branch=self.default_branch,
            directions=self.directions,
            direction_means=self.direction_means,
            direction_scales=self.direction_scales,
        )
        return tree.compact() if len(self.directions) else tree


def kinds_of_tests(columns: Columns, rules: GrowthRules) -> NDArray[np.int8]:
    """Return the kind of the tests of each attribute, and last of those that none has."""
    kinds = [_kind_of_test(x, rules) for x in columns.attributes]
    return np.array([*kinds, THRESHOLD], np.int8)


def _kind_of_test(attribute: Attribute, rules: GrowthRules) -> int:
    if attribute.kind != NOMINAL:
        return THRESHOLD
    has_own_intervals = rules.intervals is not None and attribute.edges is not None
    return LOOKUP if rules.nominal_splits != "multiway" or has_own_intervals else MULTIWAY


@dataclass
class Picked:
    """The tests of the nodes of a level.

    Attributes
    ----------
    attribute : ndarray of shape (b,), int64
        -1 for a leaf.
    n_branches : ndarray of shape (b,), int64
        0 for a leaf.
    cuts : ndarray of shape (b, 7), float64
        As `_split_search` finds them.
    mapping : ndarray of shape (b, most levels), int16
        Branch of each level, -1 for none.
    default : ndarray of shape (b,), int32
        Branch of the most frequent value, -1 where unknown rows go in parts.
    threshold : ndarray of shape (b,), float64
        Of oblique tests; nan elsewhere.
    directions : list of Direction
        Oblique tests, in the order of their numbers: the first follows the last attribute.
    """

    attribute: Ints
    n_branches: Ints
    cuts: Floats
    mapping: Codes
    default: NDArray[np.int32]
    threshold: Floats
    directions: list[Direction]

    @classmethod
    def none(cls, n_nodes: int, n_levels: int) -> Picked:
        """Return no test for each of some nodes."""
        return cls(
            np.full(n_nodes, -1),
            np.zeros(n_nodes, np.int64),
            np.zeros((n_nodes, 7)),
            np.full((n_nodes, n_levels), -1, np.int16),
            np.full(n_nodes, -1, np.int32),
            np.full(n_nodes, np.nan),
            [],
        )


class NodeBook:
    """The nodes of a tree, or of several, that grows level by level."""

    def __init__(self, columns: Columns, roots: Level, rules: GrowthRules) -> None:
        self._columns = columns
        self._kinds = kinds_of_tests(columns, rules)
        self._directions: list[Direction] = []
        self._counts = [roots.counts]
        self._n_nodes = len(roots.nodes)
        self._levels: list[tuple[NDArray[np.int32], dict[str, np.ndarray]]] = []
        self._lookup: list[NDArray[np.int32]] = []
        self._n_lookup = 0

    def add(self, level: Level, branches: Branches, picked: Picked) -> Ints:
        """Note the tests of a level; return the numbers of their branches."""
        at = np.flatnonzero(picked.attribute >= 0)
        attribute = picked.attribute[at]
        is_oblique = attribute >= len(self._columns.attributes)
        kind = self._kinds[np.where(is_oblique, -1, attribute)]
        attribute = attribute + np.where(is_oblique, len(self._directions), 0)
        self._directions += picked.directions
        lookup_start = np.full(len(at), -1)
        for i in np.flatnonzero(kind == LOOKUP):
            n_levels = int(self._columns.n_levels[attribute[i]])
            lookup_start[i] = self._n_lookup
            self._lookup.append(picked.mapping[at[i], :n_levels].astype(np.int32))
            self._n_lookup += n_levels
        numbers = self._n_nodes + np.arange(len(branches.known))
        noted: dict[str, np.ndarray] = {
            "attribute": attribute.astype(np.int32),
            "first_child": (self._n_nodes + branches.first[at]).astype(np.int32),
            "n_children": (branches.last[at] - branches.first[at]).astype(np.int32),
            "lookup_start": lookup_start.astype(np.int32),
            "default_branch": picked.default[at],
            "cut": picked.cuts[at, 2:6].astype(np.int32),  # ranks and rows next to it
            "threshold": picked.threshold[at],
        }
        self._levels.append((level.nodes[at].astype(np.int32), noted))
        self._n_nodes += len(numbers)
        return numbers

    def add_counts(self, counts: Floats) -> None:
        """Note the class weights of the branches of a level."""
        self._counts.append(counts)

    def nodes(self) -> GrownNodes:
        """Return what was noted."""
        n = self._n_nodes
        notes = {
            "attribute": np.full(n, -1, np.int32),
            "first_child": np.full(n, -1, np.int32),
            "n_children": np.zeros(n, np.int32),
            "lookup_start": np.full(n, -1, np.int32),
            "default_branch": np.full(n, -1, np.int32),
            "cut": np.zeros((n, 4), np.int32),
            "threshold": np.full(n, np.nan),
        }
        root = np.arange(n, dtype=np.int32)
        for node, noted in self._levels:
            for name, values in noted.items():
                notes[name][node] = values
            sizes = noted["n_children"]
            if len(sizes):
                begin = int(noted["first_child"][0])
                root[begin : begin + int(sizes.sum())] = np.repeat(root[node], sizes)
        none = np.empty((0, len(self._columns.attributes)))
        return GrownNodes(
            **notes,
            lookup=np.concatenate([np.empty(0, np.int32), *self._lookup]),
            counts=np.concatenate(self._counts),
            root=root,
            directions=np.vstack([none, *(x.coefficients for x in self._directions)]),
            direction_means=np.vstack([none, *(x.means for x in self._directions)]),
            direction_scales=np.vstack([none, *(x.scales for x in self._directions)]),
        )

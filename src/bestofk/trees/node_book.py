"""Nodes of a grown tree: what was noted of each, and the tree that they make."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.array_types import Codes, Floats, Ints, Positions
from bestofk.trees._growth import (
    ATTRIBUTE,
    CUT,
    FIRST_CHILD,
    LOOKUP_START,
    N_CHILDREN,
    NODE_WIDTH,
    ROOT,
)
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
        column = np.ascontiguousarray(self.columns.raw[a], np.float64)

        def largest_of_part(limit: Floats, is_strict: bool) -> Floats:
            values = np.empty(len(limit))
            largest_within(column, self.rows, self.starts, part, limit, is_strict, values)
            return values

        return self.columns.thresholds(a, cuts, rule, largest_of_part)


@dataclass
class GrownNodes:
    """Notes of the nodes of a tree, or of several trees.

    Attributes
    ----------
    numbers : ndarray of shape (n_nodes, NODE_WIDTH), int32
        What `_growth` notes of a node: its test, branches, depth and root.
    counts : ndarray of shape (n_nodes, c), float64
        Class weights.
    lookup : ndarray
        Branches by level, one node after the other.
    default_branch, threshold : ndarray of shape (n_nodes,)
        As of `TreeStructure`; the threshold of oblique tests alone.
    directions : list of Direction
        Oblique tests.
    """

    numbers: NDArray[np.int32]
    counts: Floats
    lookup: NDArray[Any]
    default_branch: NDArray[np.int32]
    threshold: Floats
    directions: list[Direction]

    @classmethod
    def of(cls, numbers: NDArray[np.int32], counts: Floats, lookup: NDArray[Any]) -> GrownNodes:
        """Return nodes without oblique tests that send unknown rows in parts."""
        n = len(numbers)
        return cls(numbers, counts, lookup, np.full(n, -1, np.int32), np.full(n, np.nan), [])

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
        attribute = self.numbers[:, ATTRIBUTE].copy()
        kinds = np.append(kinds_of_tests(columns, rules), np.int8(LEAF))  # -1 is a leaf
        kind = kinds[np.minimum(attribute, d)]
        nodes = np.flatnonzero((kind == THRESHOLD) & (attribute < d))
        nodes = nodes[np.argsort(attribute[nodes], kind="stable")]
        tested, begins = np.unique(attribute[nodes], return_index=True)
        for a, here in zip(tested.tolist(), np.split(nodes, begins[1:]), strict=False):
            cuts = self.numbers[here, CUT:].astype(np.int64)
            if dealt is None:
                self.threshold[here] = columns.thresholds(a, cuts, rules.threshold)
                columns.workspace.release()
            else:
                part = self.numbers[here, ROOT].astype(np.int64)
                self.threshold[here] = dealt.thresholds(a, part, cuts, rules.threshold)
        none = np.empty((0, d))
        tree = Tree(
            attributes=columns.attributes,
            classes=classes,
            kind=kind,
            attribute=attribute,
            threshold=self.threshold,
            first_child=self.numbers[:, FIRST_CHILD].copy(),
            n_children=self.numbers[:, N_CHILDREN].copy(),
            lookup_start=self.numbers[:, LOOKUP_START].copy(),
            lookup=self.lookup.astype(np.int32),
            class_weights=self.counts,
            default_branch=self.default_branch,
            directions=none,
            direction_means=none,
            direction_scales=none,
        )
        if not self.directions:
            return tree
        return replace(
            tree,
            directions=np.array([x.coefficients for x in self.directions]),
            direction_means=np.array([x.means for x in self.directions]),
            direction_scales=np.array([x.scales for x in self.directions]),
        ).compact()


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
        self._levels: list[tuple[Ints, NDArray[np.int32], Picked]] = []
        self._lookup = [np.empty(0, np.int16)]
        self._n_lookup = 0

    def add(self, level: Level, branches: Branches, picked: Picked, counts: Floats) -> Ints:
        """Note the tests of a level and the weights of its branches; return their numbers."""
        at = np.flatnonzero(picked.attribute >= 0)
        attribute = picked.attribute[at]
        is_oblique = attribute >= len(self._columns.attributes)
        kind = self._kinds[np.where(is_oblique, -1, attribute)]
        noted = np.zeros((len(at), NODE_WIDTH), np.int32)
        noted[:, ATTRIBUTE] = attribute + np.where(is_oblique, len(self._directions), 0)
        noted[:, FIRST_CHILD] = self._n_nodes + branches.first[at]
        noted[:, N_CHILDREN] = branches.last[at] - branches.first[at]
        noted[:, LOOKUP_START] = -1
        noted[:, CUT:] = picked.cuts[at, 2:6]  # ranks and rows next to it
        for i in np.flatnonzero(kind == LOOKUP):
            n_levels = int(self._columns.n_levels[attribute[i]])
            noted[i, LOOKUP_START] = self._n_lookup
            self._lookup.append(picked.mapping[at[i], :n_levels].copy())
            self._n_lookup += n_levels
        self._directions += picked.directions
        self._levels.append((level.nodes, noted, picked))
        self._counts.append(counts)
        numbers = self._n_nodes + np.arange(len(counts))
        self._n_nodes += len(numbers)
        return numbers

    def nodes(self) -> GrownNodes:
        """Return what was noted."""
        numbers = np.zeros((self._n_nodes, NODE_WIDTH), np.int32)
        numbers[:, [ATTRIBUTE, FIRST_CHILD, LOOKUP_START]] = -1
        numbers[:, ROOT] = np.arange(self._n_nodes)
        result = GrownNodes.of(numbers, np.concatenate(self._counts), np.concatenate(self._lookup))
        result.directions = self._directions
        for nodes, noted, picked in self._levels:
            at = np.flatnonzero(picked.attribute >= 0)
            noted[:, ROOT] = numbers[nodes[at], ROOT]
            numbers[nodes[at]] = noted
            result.default_branch[nodes[at]] = picked.default[at]
            result.threshold[nodes[at]] = picked.threshold[at]
            sizes = noted[:, N_CHILDREN]
            if len(at):
                begin = int(noted[0, FIRST_CHILD])
                children = slice(begin, begin + int(sizes.sum()))
                numbers[children, ROOT] = np.repeat(noted[:, ROOT], sizes)
        return result

"""C4.5 against a plain recursion over lists of weighted rows.

Nothing is shared with the package: no level, no sorting, no array of nodes. The rules are those of
Quinlan (1993; 1996) in the form of J48; see the notes of `C45Classifier`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from tests.tree_tables import LEVELS, TreeTable, tree_tables

from bestofk.trees import C45Classifier
from bestofk.trees.tree import Tree
from bestofk.trees.tree_structure import LOOKUP, THRESHOLD

Rows = list[tuple[int, float]]  # number of a training row, and the weight of its part


@dataclass(frozen=True)
class Options:
    least: float = 2.0
    by_gain: bool = False
    has_penalty: bool = True
    is_midpoint: bool = False
    is_binary: bool = False
    collapses: bool = True
    prunes: bool = True
    raises: bool = True
    confidence: float = 0.25
    max_depth: float = math.inf


@dataclass
class Node:
    counts: list[float]
    column: int = -1
    threshold: float = math.nan
    one: int = -1  # the level that a binary nominal test sets apart
    children: list[Node] = field(default_factory=list)

    @property
    def weight(self) -> float:
        return sum(self.counts)

    @property
    def errors(self) -> float:
        return self.weight - max(self.counts)

    def branch(self, value: float) -> int:
        if math.isnan(value):
            return -1
        if not math.isnan(self.threshold):
            return 0 if value <= self.threshold else 1
        if self.one >= 0:
            return 0 if value == self.one else 1
        return int(value)

    def become(self, other: Node) -> None:
        self.column, self.threshold, self.one = other.column, other.threshold, other.one
        self.children = other.children


@dataclass
class Candidate:
    gain: float
    ratio: float
    test: Node
    is_many: bool


def entropy(counts: Sequence[float]) -> float:
    """Return bits times weight."""
    total = sum(counts)
    return -sum(c * math.log2(c / total) for c in counts if c > 1e-12)


class Oracle:
    """C4.5 in plain Python."""

    def __init__(self, table: TreeTable, options: Options) -> None:
        self.x, self.y, self.o = table.values, table.y, options
        self.is_nominal, self.n_classes = table.is_nominal, int(table.y.max()) + 1
        weight = np.ones(len(table.y)) if table.weight is None else table.weight
        rows = list(enumerate(weight.tolist()))
        self.root = self.grow(rows, 0)
        if options.collapses:
            self.collapse(self.root)
        if options.prunes:
            self.prune(self.root, rows)

    def counts(self, rows: Rows) -> list[float]:
        result = [0.0] * self.n_classes
        for row, weight in rows:
            result[self.y[row]] += weight
        return result

    def divide(self, test: Node, n_branches: int, rows: Rows) -> list[Rows]:
        """Send rows to branches, the unknown ones to all that have weight, in parts."""
        parts: list[Rows] = [[] for _ in range(n_branches)]
        unknown = []
        for row, weight in rows:
            branch = test.branch(self.x[row, test.column])
            (unknown if branch < 0 else parts[branch]).append((row, weight))
        sizes = [sum(weight for _, weight in part) for part in parts]
        for part, size in zip(parts, sizes, strict=True):
            share = size / sum(sizes) if sum(sizes) > 0 else 0.0
            if share > 1e-6:
                part += [(row, weight * share) for row, weight in unknown]
        return parts

    def grow(self, rows: Rows, depth: int) -> Node:
        node = Node(self.counts(rows))
        is_small = node.weight < 2 * self.o.least - 1e-6
        if is_small or node.errors <= 1e-6 or depth >= self.o.max_depth:
            return node
        chosen = self.choose(rows)
        if chosen is None:
            return node
        node.become(chosen)
        n_branches = 2
        if self.is_nominal[node.column] and node.one < 0:
            n_branches = len(LEVELS)
        for part in self.divide(node, n_branches, rows):
            node.children.append(self.grow(part, depth + 1))
        return node

    def choose(self, rows: Rows) -> Node | None:
        results = [self.candidate(column, rows) for column in range(self.x.shape[1])]
        valid = [candidate for candidate in results if candidate is not None]
        if self.o.by_gain:
            return self.first_best(valid, [candidate.gain for candidate in valid])
        of_average = [candidate.gain for candidate in valid if not candidate.is_many]
        if not of_average:
            return None
        average = sum(of_average) / len(of_average)
        valid = [candidate for candidate in valid if candidate.gain >= average - 1e-3]
        return self.first_best(valid, [candidate.ratio for candidate in valid])

    @staticmethod
    def first_best(candidates: list[Candidate], scores: list[float]) -> Node | None:
        best, chosen = 0.0, None
        for candidate, score in zip(candidates, scores, strict=True):
            if score > best + 1e-6:
                best, chosen = score, candidate.test
        return chosen

    def candidate(self, column: int, rows: Rows) -> Candidate | None:
        known = [(row, weight) for row, weight in rows if not math.isnan(self.x[row, column])]
        if not known:
            return None
        if not self.is_nominal[column]:
            return self.cut(column, rows, known)
        if not self.o.is_binary:
            return self.measured(Node([], column), len(LEVELS), rows, known)
        best = None
        for level in range(len(LEVELS)):
            result = self.measured(Node([], column, one=level), 2, rows, known)
            if result is not None and (
                best is None
                or (
                    result.gain > best.gain + 1e-6
                    if self.o.by_gain
                    else result.ratio > best.ratio + 1e-6
                )
            ):
                best = result
        return best

    def measured(self, test: Node, n_branches: int, rows: Rows, known: Rows) -> Candidate | None:
        parts = [self.counts(part) for part in self.divide(test, n_branches, known)]
        sizes = [sum(part) for part in parts]
        if sum(size > 0 and size >= self.o.least - 1e-6 for size in sizes) < 2:
            return None
        total = sum(weight for _, weight in rows)
        gain = (entropy(self.counts(known)) - sum(map(entropy, parts))) / total
        outcomes = [*sizes, total - sum(sizes)]
        info = entropy([size for size in outcomes if size > 1e-9]) / total
        is_many = self.many(test.column) and not all(
            self.many(column) for column in range(self.x.shape[1])
        )
        return Candidate(gain, gain / info if info > 1e-6 else 0.0, test, is_many)

    def many(self, column: int) -> bool:
        return self.is_nominal[column] and len(LEVELS) >= 0.3 * len(self.y) - 1e-6

    def cut(self, column: int, rows: Rows, known: Rows) -> Candidate | None:
        total = sum(weight for _, weight in rows)
        weight_known = sum(weight for _, weight in known)
        tenth = 0.1 * weight_known / self.n_classes
        least = self.o.least if tenth <= self.o.least + 1e-6 else min(tenth, 25.0)
        if len(known) < 2 * least - 1e-6:
            return None
        best, n_cuts, chosen = 0.0, 0, None
        values = sorted({self.x[row, column] for row, _ in known})
        for low, high in pairwise(values):
            left = [(row, weight) for row, weight in known if self.x[row, column] <= low]
            right = [(row, weight) for row, weight in known if self.x[row, column] > low]
            on_left, on_right = (sum(weight for _, weight in part) for part in (left, right))
            if high - low <= 1e-5 or min(on_left, on_right) < least - 1e-6:
                continue
            n_cuts += 1
            parts = entropy(self.counts(left)) + entropy(self.counts(right))
            gain = (entropy(self.counts(known)) - parts) / total
            if gain > best + 1e-6:
                best, chosen = gain, (low, high, on_left, on_right)
        if chosen is None:
            return None
        if self.o.has_penalty:
            best -= math.log2(n_cuts) / total
            if best <= 1e-6:
                return None
        low, high, on_left, on_right = chosen
        outcomes = [on_left, on_right, total - on_left - on_right]
        info = entropy([size for size in outcomes if size > 1e-9]) / total
        threshold = (low + high) / 2
        if not self.o.is_midpoint:
            threshold = max(x for x in self.x[:, column] if x <= threshold)
        test = Node([], column, threshold)
        return Candidate(best, best / info if info > 1e-6 else 0.0, test, False)

    def leaf_errors(self, node: Node) -> float:
        if not node.children:
            return node.errors
        return sum(self.leaf_errors(child) for child in node.children)

    def collapse(self, node: Node) -> None:
        if node.children and self.leaf_errors(node) >= node.errors - 1e-3:
            node.children = []
        for child in node.children:
            self.collapse(child)

    def bound(self, weight: float, errors: float) -> float:
        """Return what is added to the errors of a leaf."""
        if self.o.confidence > 0.5 or weight <= 0:
            return 0.0
        base = weight * (1 - self.o.confidence ** (1 / weight))
        if errors < 1e-6:
            return base
        if errors < 1:
            return base + errors * (self.bound(weight, 1) - base)
        if errors + 0.5 >= weight:
            return max(weight - errors, 0.0)
        z = norm.isf(self.o.confidence)
        f = (errors + 0.5) / weight
        root = math.sqrt(f / weight - f * f / weight + z * z / (4 * weight * weight))
        upper = (f + z * z / (2 * weight) + z * root) / (1 + z * z / weight)
        return float(weight * upper - errors)

    def of_leaf(self, counts: list[float]) -> float:
        weight = sum(counts)
        errors = weight - max(counts)
        return errors + self.bound(weight, errors) if weight > 1e-6 else 0.0

    def estimate(self, node: Node, rows: Rows) -> float:
        """Return the estimated errors of a subtree, were these its rows."""
        if not node.children:
            return self.of_leaf(self.counts(rows))
        parts = self.divide(node, len(node.children), rows)
        return sum(map(self.estimate, node.children, parts))

    def recount(self, node: Node, rows: Rows) -> None:
        node.counts = self.counts(rows)
        parts = self.divide(node, len(node.children), rows) if node.children else []
        for child, part in zip(node.children, parts, strict=True):
            self.recount(child, part)

    def prune(self, node: Node, rows: Rows) -> None:
        if not node.children:
            return
        for child, part in zip(
            node.children, self.divide(node, len(node.children), rows), strict=True
        ):
            self.prune(child, part)
        largest = node.children[0]
        for child in node.children[1:]:
            if child.weight >= largest.weight - 1e-6:
                largest = child
        of_tree = self.estimate(node, rows)
        of_branch = self.estimate(largest, rows) if self.o.raises else math.inf
        of_leaf = self.of_leaf(node.counts)
        slack = 0.1 + 1e-6
        if of_leaf <= of_tree + slack and of_leaf <= of_branch + slack:
            node.children = []
        elif of_branch <= of_tree + slack:
            node.become(largest)
            self.recount(node, rows)
            self.prune(node, rows)

    def answer(self, node: Node, x: np.ndarray, above: list[float], *, laplace: bool) -> np.ndarray:
        counts = node.counts if node.weight > 0 else above
        if not node.children:
            added = np.array(counts) + laplace
            return added / added.sum()
        branch = node.branch(x[node.column])
        if branch >= 0:
            return self.answer(node.children[branch], x, counts, laplace=laplace)
        weights = [child.weight for child in node.children]
        return sum(
            weight / sum(weights) * self.answer(child, x, counts, laplace=laplace)
            for weight, child in zip(weights, node.children, strict=True)
            if weight > 0
        )


def same(tree: Tree, number: int, node: Node) -> bool:
    """Return whether a node of the package and all below it are those of the oracle."""
    if not np.allclose(tree.class_weights[number], node.counts, rtol=1e-9, atol=1e-9):
        return False
    if len(tree.children(number)) != len(node.children):
        return False
    if not node.children:
        return True
    if tree.attribute[number] != node.column:
        return False
    if tree.kind[number] == THRESHOLD and float(tree.threshold[number]) != float(node.threshold):
        return False
    order = list(range(len(node.children)))
    if tree.kind[number] == LOOKUP:
        order = [int(tree.lookup[tree.lookup_start[number] + node.one])]
        order.append(1 - order[0])
    first = int(tree.first_child[number])
    return all(
        same(tree, first + branch, child)
        for branch, child in zip(order, node.children, strict=True)
    )


def text(node: Node) -> str:
    if not node.children:
        return str(np.round(node.counts, 4).tolist())
    inner = ", ".join(text(child) for child in node.children)
    return f"x{node.column} {node.threshold} {node.one} ({inner})"


def fitted(table: TreeTable, o: Options, *, laplace: bool = False) -> C45Classifier:
    return C45Classifier(
        criterion="gain" if o.by_gain else "gain_ratio",
        nominal_splits="binary" if o.is_binary else "multiway",
        min_samples_leaf=o.least,
        max_depth=None if o.max_depth == math.inf else int(o.max_depth),
        mdl_correction=o.has_penalty,
        threshold="midpoint" if o.is_midpoint else "value",
        collapse=o.collapses,
        pruning="error-based" if o.prunes else None,
        confidence=o.confidence,
        subtree_raising=o.raises,
        laplace=laplace,
        classes=tuple(range(int(table.y.max()) + 1)),
    ).fit(table.frame, table.y, table.weight)


# The same examples in every run: sums of parts of rows differ in their last bits, and somewhere a
# near tie would turn on them.
SAME = settings(deadline=None, max_examples=30, derandomize=True)
OPTIONS = st.builds(
    Options,
    least=st.sampled_from([1.0, 2.0, 3.0]),
    by_gain=st.booleans(),
    has_penalty=st.booleans(),
    is_midpoint=st.booleans(),
    is_binary=st.booleans(),
    collapses=st.booleans(),
    max_depth=st.sampled_from([math.inf, 2]),
    prunes=st.just(False),
)


@SAME
@given(table=tree_tables(), options=OPTIONS)
def test_the_grown_tree_is_that_of_the_recursion(table, options):
    oracle = Oracle(table, options)
    result = fitted(table, options)
    assert same(result.tree_, 0, oracle.root), f"{result.to_text()}\n{text(oracle.root)}"


@SAME
@given(
    table=tree_tables(),
    options=OPTIONS,
    raises=st.booleans(),
    confidence=st.sampled_from([0.05, 0.25, 0.5, 0.9]),
)
def test_the_pruned_tree_is_that_of_the_recursion(table, options, raises, confidence):
    options = replace(options, prunes=True, raises=raises, confidence=confidence)
    oracle = Oracle(table, options)
    result = fitted(table, options)
    assert same(result.tree_, 0, oracle.root), f"{result.to_text()}\n{text(oracle.root)}"


@SAME
@given(table=tree_tables(has_missing=True), options=OPTIONS, laplace=st.booleans())
def test_answers_to_rows_with_gaps_are_those_of_the_recursion(table, options, laplace):
    oracle = Oracle(table, options)
    result = fitted(table, options, laplace=laplace).predict_proba(table.frame)
    expected = [
        oracle.answer(oracle.root, x, oracle.root.counts, laplace=laplace) for x in table.values
    ]
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-12)


def test_the_oracle_tells_trees_apart():
    table = TreeTable(np.array([[0], [1]] * 4), (True,), np.array([0, 1] * 4), None)
    root = Oracle(table, Options(prunes=False)).root
    other = TreeTable(table.codes, table.is_nominal, 1 - table.y, None)
    assert same(fitted(table, Options(prunes=False)).tree_, 0, root)
    assert not same(fitted(other, Options(prunes=False)).tree_, 0, root)
    assert root.children[0].counts == pytest.approx([4, 0])

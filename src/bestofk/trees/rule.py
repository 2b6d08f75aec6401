"""Rules: conditions, the predicted class, and the estimated accuracy."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestofk.array_types import Bools, Floats, Positions
from bestofk.errors import InvalidArgumentError
from bestofk.trees.attributes import ORDINAL, Attribute
from bestofk.trees.text_form import cut_words, leaf_words, level_words, number_text
from bestofk.trees.tree_structure import MULTIWAY, THRESHOLD, TreeStructure
from bestofk.words import joined_lines


@dataclass(frozen=True)
class Condition:
    """A test of one column with the outcome that a rule requires.

    Attributes
    ----------
    attribute : Attribute
        What the column is.
    column : int
        Its number.
    operator : {"<=", ">", "=", "in"}
        Comparison of its value; a missing value, or a level that is not in the training table,
        meets no condition.
    threshold : float or None
        Threshold of the first two; for an ordinal column, in codes.
    codes : tuple of int
        Codes of the levels that meet the other two.

    Examples
    --------
    >>> print(Condition(Attribute("size", "numeric"), 0, "<=", 2.5))
    size <= 2.5
    """

    attribute: Attribute
    column: int
    operator: str
    threshold: float | None = None
    codes: tuple[int, ...] = ()

    def __str__(self) -> str:
        if self.threshold is not None:
            words = cut_words(self.attribute, self.threshold)[self.operator == ">"]
        else:
            n_levels = self.attribute.n_levels
            is_rest = 2 < n_levels == len(self.codes) + 1
            absent = 1 if is_rest else -1
            branches = [0 if code in self.codes else absent for code in range(n_levels)]
            words = level_words(self.attribute, branches)[0]
        return f"{self.attribute.name} {words}"

    def holds(self, matrix: Floats) -> Bools:
        """Return which rows meet the condition.

        Parameters
        ----------
        matrix : ndarray of shape (n_rows, n_attributes), float64
            Rows from `encode_table`.

        Returns
        -------
        ndarray of shape (n_rows,), bool
        """
        values = matrix[:, self.column]
        if self.threshold is None:
            return np.isin(values, self.codes)
        is_known = values >= 0 if self.attribute.kind == ORDINAL else ~np.isnan(values)
        is_below: Bools = values <= self.threshold
        return is_known & (is_below if self.operator == "<=" else ~is_below)


@dataclass(frozen=True)
class Rule:
    """Conditions that must all hold, and the predicted class.

    Attributes
    ----------
    conditions : tuple of Condition
        The conditions, column by column.
    class_number : int
        Position of the class among those of the tree.
    label : object
        The class.
    coverage : float
        Weight of the training rows that meet all conditions (without weights, their number).
    errors : float
        Weight of these rows that are of another class.
    pessimistic_error : float
        Upper bound of the share of errors, 0 to 1.

    Examples
    --------
    >>> size = Attribute("size", "numeric")
    >>> rule = Rule((Condition(size, 0, ">", 2.5),), 1, "large", 16.0, 1.0, 0.15473)
    >>> print(rule)
    if size > 2.5
    then large  (16 rows, 1 wrong; accuracy at least 84.5%)
    """

    conditions: tuple[Condition, ...]
    class_number: int
    label: Any
    coverage: float
    errors: float
    pessimistic_error: float

    def __str__(self) -> str:
        lines = [f"if {self.conditions[0]}"] if self.conditions else ["always"]
        lines += [f"and {condition}" for condition in self.conditions[1:]]
        least = f"accuracy at least {100 * self.accuracy_bound:.1f}%"
        counts = row_counts(self.coverage, self.errors)
        return joined_lines([*lines, f"then {self.label}  ({counts}; {least})"])

    @property
    def accuracy_bound(self) -> float:
        """Lower bound of the accuracy: 1 minus the pessimistic error."""
        return 1.0 - self.pessimistic_error

    def holds(self, matrix: Floats) -> Bools:
        """Return which rows meet all conditions.

        Parameters
        ----------
        matrix : ndarray of shape (n_rows, n_attributes), float64
            Rows from `encode_table`.

        Returns
        -------
        ndarray of shape (n_rows,), bool
        """
        holds = np.ones(len(matrix), np.bool_)
        for condition in self.conditions:
            holds &= condition.holds(matrix)
        return holds


def row_counts(weight: float, errors: float) -> str:
    """Return words on the rows that meet a rule, and on those of another class.

    Examples
    --------
    >>> row_counts(61.743725, 2.0)
    '61.74 rows, 2 wrong'
    """
    return f"{number_text(round(weight, 2))} rows, {number_text(round(errors, 2))} wrong"


def narrowest(path: Sequence[Condition]) -> tuple[Condition, ...]:
    """Return the conditions on a path without those implied by a later one on the same side.

    Examples
    --------
    >>> size = Attribute("size", "numeric")
    >>> path = [Condition(size, 0, ">", 1.0), Condition(size, 0, ">", 3.0)]
    >>> [str(condition) for condition in narrowest(path)]
    ['size > 3']
    """
    return tuple({(item.column, item.operator, item.codes): item for item in path}.values())


def rows_met(rules: Sequence[Rule], matrix: Floats) -> Bools:
    """Return which rows meet each rule.

    Parameters
    ----------
    rules : sequence of Rule
        The rules.
    matrix : ndarray of shape (n_rows, n_attributes), float64
        Rows from `encode_table`.

    Returns
    -------
    ndarray of shape (n_rules, n_rows), bool
    """
    holds = np.empty((len(rules), len(matrix)), np.bool_)
    for r, rule in enumerate(rules):
        holds[r] = rule.holds(matrix)
    return holds


def first_met(holds: Bools) -> Positions:
    """Return the first rule that each row meets.

    Parameters
    ----------
    holds : ndarray of shape (n_rules, n_rows), bool
        As `rows_met` returns it.

    Returns
    -------
    ndarray of shape (n_rows,), intp
        The number of rules if a row meets none.
    """
    closed = np.vstack([holds, np.ones((1, holds.shape[1]), np.bool_)])
    return np.asarray(closed.argmax(axis=0), dtype=np.intp)


def leaf_paths(tree: TreeStructure) -> Iterator[tuple[int, tuple[Condition, ...]]]:
    """Yield each leaf with the conditions that lead to it, first branches first.

    Parameters
    ----------
    tree : TreeStructure
        A tree without oblique tests.

    Yields
    ------
    tuple of int and tuple of Condition

    Raises
    ------
    InvalidArgumentError
        If the tree has oblique tests.
    """
    if len(tree.directions):
        raise InvalidArgumentError(
            f"a tree to convert to rules must test single columns; got {len(tree.directions)} "
            "oblique tests. Grow it with oblique=None."
        )
    stack: list[tuple[int, tuple[Condition, ...]]] = [(0, ())]
    while stack:
        node, path = stack.pop()
        if tree.is_leaf[node]:
            yield node, path
        for branch, child in reversed(list(enumerate(tree.children(node)))):
            stack.append((child, (*path, _branch_condition(tree, node, branch))))


def rule_lines(tree: TreeStructure) -> str:
    """Return the rules of a tree as text, one line per leaf.

    Parameters
    ----------
    tree : TreeStructure
        A tree without oblique tests.

    Returns
    -------
    str

    Examples
    --------
    >>> from bestofk.trees import C45Classifier
    >>> tree = C45Classifier(min_samples_leaf=1).fit([[1], [2], [8], [9]], list("aabb")).tree_
    >>> print(rule_lines(tree))
    if x0 <= 2 then a (2.0)
    if x0 > 2 then b (2.0)
    """
    return joined_lines(
        f"if {' and '.join(map(str, narrowest(path))) or 'any row'} then {leaf_words(tree, leaf)}"
        for leaf, path in leaf_paths(tree)
    )


def _branch_condition(tree: TreeStructure, node: int, branch: int) -> Condition:
    column = int(tree.attribute[node])
    attribute = tree.attributes[column]
    if tree.kind[node] == THRESHOLD:
        return Condition(attribute, column, ("<=", ">")[branch], float(tree.threshold[node]))
    if tree.kind[node] == MULTIWAY:
        return Condition(attribute, column, "=", codes=(branch,))
    start = int(tree.lookup_start[node])
    branches = tree.lookup[start : start + attribute.n_levels]
    codes = np.flatnonzero(branches == branch).tolist()
    return Condition(attribute, column, "in", codes=tuple(codes))

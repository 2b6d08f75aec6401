"""Oblique tests: directions that separate the classes of a node better than any column."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Final

import numpy as np

from bestofk.array_types import Bools, Codes, Floats, Ints, Positions
from bestofk.trees._split_search import (
    CODE_HIGH,
    CUTS,
    FOUND_WIDTH,
    ROW_BITS,
    Nodes,
    Search,
    cut_weighted,
)
from bestofk.trees.attributes import NUMERIC
from bestofk.trees.choosing import least_score, least_worth, scores
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.level import Level
from bestofk.trees.measuring import Tests, Training, needs_of_cuts, value_cuts
from bestofk.trees.prediction import projected

# Projections have a standard deviation of 1: those that differ by less than this are equal.
_SAME: Final = 1e-9
# Above this share of rows on the wrong side, no separating direction is searched.
_MOST_WRONG: Final = 0.1
# Rows of the first linear program, and the number of further rounds with more rows.
_FIRST_ROWS: Final = 200
_MOST_PROGRAMS: Final = 20


@dataclass
class Direction:
    """An oblique test of a node: a row goes left if its projection is at most the threshold.

    Attributes
    ----------
    node : int
        Number of the node in the level.
    coefficients : ndarray of shape (d,), float64
        Factor of each column; 0 for unused ones.
    means : ndarray of shape (d,), float64
        Replacements of missing values: the means of the node.
    scales : ndarray of shape (d,), float64
        Standard deviations of the columns at the node.
    projection : ndarray of shape (n_node_rows,), float64
        Projections of the rows of the node.
    cut : ndarray of shape (7,), float64
        Cuts found by `_split_search`.
    threshold : float
        The midpoint between two neighboring projections.
    """

    node: int
    coefficients: Floats
    means: Floats
    scales: Floats
    projection: Floats
    cut: Floats
    threshold: float


def better_directions(
    training: Training, level: Level, tests: Tests, chosen: Ints, is_many: Bools
) -> tuple[list[Direction], Tests]:
    """Return the oblique tests that beat the best tests of single columns.

    At each node, linear discriminant analysis or logistic regression on the standardized numeric
    columns separates two classes; more than two are first grouped around the two whose means are
    farthest apart. If at most a tenth of the rows are on the wrong side of the best cut, linear
    programming searches a direction without errors. The cut follows the rules for a numeric column,
    and is kept if its score is better, by more than the tie, than that of the best test so far.

    Parameters
    ----------
    training : Training
        Table, classes and rules.
    level : Level
        The nodes. Those with no more than twice as many rows as coefficients are skipped, because
        most labelings of so few rows are separable (Cover 1965).
    tests : Tests
        The best tests of the columns.
    chosen : ndarray of shape (b,), int64
        The column that each node would test, -1 for none.
    is_many : ndarray of shape (d,), bool
        Columns left out of the average worth.

    Returns
    -------
    directions : list of Direction
        At most one for each node.
    oblique : Tests
        Worth of the oblique tests of all nodes, as for a further column.

    References
    ----------
    .. [1] Loh and Vanichsetakul (1988), Tree-structured classification via generalized
       discriminant analysis, JASA 83.
    .. [2] Bennett and Mangasarian (1992), Robust linear programming discrimination of two
       linearly inseparable sets, Optimization Methods and Software 1.
    .. [3] Cover (1965), Geometrical and statistical properties of systems of linear
       inequalities, IEEE Trans. Electronic Computers 14.
    """
    rules, weight = training.rules, level.counts.sum(axis=1)
    columns = training.columns.attributes
    numeric = np.flatnonzero([attribute.kind == NUMERIC for attribute in columns])
    needs = needs_of_cuts(weight, np.diff(level.spans), level, rules)
    results = []
    for node in range(len(level.nodes)):
        direction = _Node.of(training, level, node, numeric, needs[node]).best()
        if direction is not None:
            results.append(direction)
    oblique = _measured(results, weight, rules)
    no_costs = np.zeros((len(weight), 0), np.bool_)
    at = np.arange(len(weight))
    best_of_columns = scores(tests, rules, no_costs)[at, chosen] + rules.tie
    rival = np.where(chosen >= 0, best_of_columns, least_score(rules))
    is_better = oblique.is_valid[:, 0] & (scores(oblique, rules, no_costs)[:, 0] > rival)
    if rules.choice == "ratio-above-average":
        bar = least_worth(tests, rules, is_many)
        is_better &= (chosen < 0) | (oblique.worth[:, 0] >= bar)
    return [direction for direction in results if is_better[direction.node]], oblique


def _measured(directions: list[Direction], weight: Floats, rules: GrowthRules) -> Tests:
    """Return the worth of directions, as tests of a further column."""
    tests = Tests.none(np.zeros((1, len(weight), FOUND_WIDTH)))
    for direction in directions:
        tests.cuts[0, direction.node] = direction.cut
    value_cuts(tests, weight[:, None], weight, rules)
    return tests


@dataclass
class _Node:
    """The rows of a node, in standard units.

    Attributes
    ----------
    node : int
        Its number in the level.
    rules : GrowthRules
        Rules for cuts.
    table : ndarray of shape (r, d), float64
        Its rows; unused columns are nan.
    means : ndarray of shape (d,), float64
        Weighted means.
    deviations : ndarray of shape (d,), float64
        Weighted standard deviations; 0 for unused columns.
    y : ndarray of shape (r,), int16
        Classes.
    weight : ndarray of shape (r,), float64
        Weights.
    counts : ndarray of shape (c,), float64
        Class weights.
    needs : ndarray of shape (2,), float64
        Minimum weight of both sides of a cut, and the margin for a later cut.
    """

    node: int
    rules: GrowthRules
    table: Floats
    means: Floats
    deviations: Floats
    y: Codes
    weight: Floats
    counts: Floats
    needs: Floats

    @classmethod
    def of(
        cls, training: Training, level: Level, node: int, numeric: Positions, needs: Floats
    ) -> _Node:
        here = slice(level.spans[node], level.spans[node + 1])
        rows = level.rows[here]
        weight = level.weight[here] if level.weight.size else np.ones(len(rows))
        table = np.full((len(rows), len(training.columns.attributes)), np.nan)
        for a in numeric:
            table[:, a] = training.columns.raw[a][rows]
        parts = np.where(np.isnan(table), 0.0, weight[:, None])
        total = np.maximum(parts.sum(axis=0), 1e-300)
        means = (parts * np.nan_to_num(table)).sum(axis=0) / total
        spread = (parts * np.nan_to_num(table - means) ** 2).sum(axis=0)
        deviations = np.sqrt(spread / weight.sum())
        deviations[deviations <= _SAME * np.abs(means)] = 0.0
        y, counts = training.y[rows], level.counts[node]
        return cls(node, training.rules, table, means, deviations, y, weight, counts, needs)

    def best(self) -> Direction | None:
        """Return the best cut along the best direction; None if there is none."""
        used = np.flatnonzero(self.deviations)
        is_small = len(self.y) <= 2 * (len(used) + 1)
        if len(used) < 2 or is_small or (self.y == self.y[0]).all():
            return None
        points = np.nan_to_num((self.table[:, used] - self.means[used]) / self.deviations[used])
        is_high = self._is_high(points)
        side_by = _by_logistic_regression if self.rules.oblique == "logistic" else _by_discriminant
        direction = self._along(side_by(points, is_high, self.weight), used)
        if direction is None:
            return None
        is_wrong = (direction.projection > direction.threshold) != is_high
        if not 0 < self.weight[is_wrong].sum() <= _MOST_WRONG * self.weight.sum():
            return direction
        distance = np.abs(direction.projection - direction.threshold)
        separating = _by_linear_program(points, is_high, distance)
        other = None if separating is None else self._along(separating, used)
        return (
            direction
            if other is None or other.cut[1] <= direction.cut[1] + self.needs[1]
            else other
        )

    def _is_high(self, points: Floats) -> Bools:
        """Return a mask of the rows in the second of two groups of classes."""
        present = np.unique(self.y)
        means = np.array(
            [
                np.average(points[self.y == k], axis=0, weights=self.weight[self.y == k])
                for k in present
            ]
        )
        apart = ((means[:, None] - means[None]) ** 2).sum(axis=2)
        first, second = np.unravel_index(apart.argmax(), apart.shape)
        is_high = np.zeros(len(self.counts), np.bool_)
        is_high[present] = apart[:, second] < apart[:, first]
        return np.asarray(is_high[self.y])

    def _along(self, direction: Floats, used: Positions) -> Direction | None:
        """Return the best cut along a direction of the columns used, in standard units."""
        largest = np.abs(direction).max()
        if not 0 < largest < np.inf:
            return None
        # Rounded, so that the last bits of a solver do not matter.
        direction = np.round(direction / largest, 9)
        coefficients = np.zeros(len(self.means))
        coefficients[used] = direction / self.deviations[used]
        along = projected(self.table, coefficients, self.means)
        spread = np.sqrt(np.average((along - along.mean()) ** 2, weights=self.weight))
        if not spread > 0:
            return None
        coefficients /= spread
        along = projected(self.table, coefficients, self.means)
        order = np.argsort(along, kind="stable")
        ordered = along[order]
        rank = np.concatenate(
            [[0], np.cumsum(np.diff(ordered) > _SAME * max(1, abs(ordered).max()))]
        )
        cut = np.zeros((1, FOUND_WIDTH))
        keys, span = (rank.astype(np.int64) << ROW_BITS) | order, [0, len(order)]
        nodes = Nodes(np.empty(0, np.int32), np.array(span), self.weight, self.counts[None])
        search = Search(self.rules.for_loops, self.y, np.empty(0))
        needs, none = self.needs[None], np.empty(0)
        cut_weighted(search, keys, nodes, self.y, none, needs, cut)
        if not cut[0, CUTS]:
            return None
        at = int(np.searchsorted(rank, cut[0, CODE_HIGH]))
        threshold = float(ordered[at - 1] + (ordered[at] - ordered[at - 1]) / 2)
        return Direction(
            self.node, coefficients, self.means, self.deviations, along, cut[0], threshold
        )


def _by_discriminant(points: Floats, is_high: Bools, weight: Floats) -> Floats:
    """Return the direction of linear discriminant analysis (Fisher 1936) of weighted rows."""
    centered = points.copy()
    means = []
    for group in (~is_high, is_high):
        means.append(np.average(points[group], axis=0, weights=weight[group]))
        centered[group] -= means[-1]
    within = (centered * weight[:, None]).T @ centered / weight.sum()
    difference = means[1] - means[0]
    direction = np.linalg.lstsq(within, difference, rcond=1e-9)[0]
    return np.asarray(direction if direction @ difference > 0 else difference)


def _by_logistic_regression(points: Floats, is_high: Bools, weight: Floats) -> Floats:
    """Return the direction of logistic regression with scikit-learn's penalty."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    with warnings.catch_warnings():
        # Any direction is valid: its cut is judged separately.
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = LogisticRegression().fit(points, is_high, sample_weight=weight)
    return np.asarray(fitted.coef_[0], dtype=np.float64)


def _by_linear_program(points: Floats, is_high: Bools, distance: Floats) -> Floats | None:
    """Return the separating direction with the smallest coefficients; None if there is none.

    The program starts with the rows nearest to a cut, and adds those that its solution puts on the
    wrong side.
    """
    from scipy.optimize import linprog

    sign = np.where(is_high, 1.0, -1.0)
    # Of the form A x <= -1 with x the positive parts, the negative parts, and the threshold.
    rows = -sign[:, None] * np.hstack([points, -points, -np.ones((len(points), 1))])
    d = points.shape[1]
    is_in = np.zeros(len(points), np.bool_)
    is_in[np.argsort(distance, kind="stable")[:_FIRST_ROWS]] = True
    bounds = [(0, None)] * (2 * d) + [(None, None)]
    for _ in range(_MOST_PROGRAMS):
        known = rows[is_in]
        price = np.append(np.ones(2 * d), 0.0)
        answer = linprog(price, A_ub=known, b_ub=-np.ones(len(known)), bounds=bounds)
        if answer.status != 0:
            return None
        left = rows @ answer.x
        is_wrong = left > -0.5
        if not (is_wrong & ~is_in).any():
            return np.asarray(answer.x[:d] - answer.x[d : 2 * d])
        worst = np.argsort(-left, kind="stable")[:_FIRST_ROWS]
        is_in[worst] = True
    return None

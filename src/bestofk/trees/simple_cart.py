"""Trees as grown by Weka's SimpleCart, including its bugs and rounding.

Node by node in numpy, much slower than the core: only for comparisons with Weka.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np

from bestofk.array_types import Bools, Codes, Floats, Positions, Values
from bestofk.trees.attributes import NOMINAL, Attribute
from bestofk.trees.tree import Tree
from bestofk.trees.tree_structure import LEAF, LOOKUP, THRESHOLD, no_directions

_EPSILON: Final = 2.0**-52
# Maximum levels divided in all ways with more than two classes.
_MOST_EXHAUSTIVE: Final = 4

_Rows = tuple[Values, Floats]  # classes and weights


def principal_axis(matrix: Floats) -> Floats:
    """Return the eigenvector of the largest eigenvalue.

    Its sign decides ties in `simple_cart`, and LAPACK's sign differs.

    Parameters
    ----------
    matrix : ndarray of shape (n, n), float64
        Symmetric.

    Returns
    -------
    ndarray of shape (n,), float64
        Of length 1.

    References
    ----------
    .. [1] Bowdler, Martin, Reinsch and Wilkinson (1968), The QR and QL algorithms for
       symmetric matrices, Numerische Mathematik 11 (procedures tred2 and tql2).

    Examples
    --------
    >>> import numpy as np
    >>> principal_axis(np.diag([1.0, 3.0, 2.0])).tolist()
    [0.0, 1.0, 0.0]
    """
    vectors, diagonal, off_diagonal = _tridiagonal(matrix)
    for low in range(len(diagonal)):
        _diagonalize(vectors, diagonal, off_diagonal, low)
    return vectors[:, int(diagonal.argmax())]


def _tridiagonal(matrix: Floats) -> tuple[Floats, Floats, Floats]:
    """Return transformation, diagonal and what is below the diagonal (last entry 0): tred2."""
    n, v = len(matrix), matrix.copy()
    d, e = v[n - 1].copy(), np.zeros(n + 1)
    for i in range(n - 1, 0, -1):
        scale, size = float(np.abs(d[:i]).sum()), 0.0
        if scale == 0.0:
            e[i] = d[i - 1]
            v[:i, i] = 0.0
        else:
            u = d[:i] / scale
            size = float(u @ u)
            turn = -np.copysign(np.sqrt(size), u[i - 1]) if u[i - 1] else np.sqrt(size)
            e[i] = scale * turn
            size -= float(u[i - 1] * turn)
            u[i - 1] -= turn
            v[:i, i] = u
            lower = np.tril(v[:i, :i])
            p = (lower + np.tril(lower, -1).T) @ u / size
            p -= (p @ u) / (2.0 * size) * u
            v[:i, :i] -= np.tril(np.outer(u, p) + np.outer(p, u))
        d[:i] = v[i - 1, :i]
        v[i, :i] = 0.0
        d[i] = size
    for i in range(n - 1):
        v[n - 1, i], v[i, i] = v[i, i], 1.0
        if d[i + 1] != 0.0:
            u = v[: i + 1, i + 1].copy()
            v[: i + 1, : i + 1] -= np.outer(u / d[i + 1], u @ v[: i + 1, : i + 1])
        v[: i + 1, i + 1] = 0.0
    d[:], v[n - 1], v[n - 1, n - 1] = v[n - 1], 0.0, 1.0
    return v, d, e[1:]


def _diagonalize(v: Floats, d: Floats, e: Floats, low: int) -> None:
    """Reduce the entries next to entry `low` of the diagonal to 0 by QL steps (tql2), in place."""
    while True:
        limit = _EPSILON * (np.abs(d).max() + np.abs(e).max())
        high = low
        while high < len(d) - 1 and abs(e[high]) > limit:
            high += 1
        if high == low:
            return
        half = (d[low + 1] - d[low]) / (2.0 * e[low])
        shift = d[low] - e[low] / (half + np.copysign(np.hypot(half, 1.0), half))
        p, c, s = d[high] - shift, 1.0, 0.0
        for i in range(high - 1, low - 1, -1):
            g, h = c * e[i], c * p
            r = np.hypot(p, e[i])
            e[i + 1] = s * r
            s, c = e[i] / r, p / r
            p = c * (d[i] - shift) - s * g
            d[i + 1] = shift + h + s * (c * g + s * (d[i] - shift))
            above = v[:, i + 1].copy()
            v[:, i + 1] = s * v[:, i] + c * above
            v[:, i] = c * v[:, i] - s * above
        e[low] = s * p
        d[low] = shift + c * p


@dataclass(frozen=True)
class _Test:
    """A division of rows into left and right.

    Attributes
    ----------
    gain : float
        Decrease of the Gini impurity.
    class_weights : ndarray of shape (2, n_classes)
        Weights of the rows that go left and right, including parts of unknown ones.
    cut : float
        Values below go left; nan for levels.
    is_left : ndarray of shape (n_levels,), bool
        Which levels go left; of shape (0,) for numbers.
    """

    gain: float
    class_weights: Floats
    cut: float
    is_left: Bools

    @property
    def shares(self) -> Floats:
        """Parts of an unknown row that go left and right."""
        weights = _sum(self.class_weights)
        return np.asarray(weights / (weights[0] + weights[1]))


def grow_simple_cart(
    matrix: Floats,
    attributes: Sequence[Attribute],
    y: Codes,
    classes: np.ndarray,
    weight: Floats | None = None,
    *,
    min_rows: float,
) -> Tree:
    """Grow a tree as Weka 3.6's SimpleCart does, unpruned.

    Parameters
    ----------
    matrix : ndarray of shape (n_rows, n_attributes), float64
        Training rows as `encode_table` gives them, nan where missing.
    attributes : sequence of Attribute
        What the columns are.
    y : ndarray of shape (n_rows,), int16
        Class of each row.
    classes : ndarray of shape (n_classes,)
        Labels.
    weight : ndarray of shape (n_rows,) or None, default=None
        Weights of the rows.
    min_rows : float
        Minimum rows of each side, with parts counted in full; half of the minimum weight of a node.

    Returns
    -------
    Tree

    Notes
    -----
    The best test is found first, including small sides; the node is a leaf if a side of it is too
    small. Unknown rows count on both sides in the shares of the known ones. Ties go to the first
    test, compared as doubles in the order of Weka's operations. Two classes order the levels of a
    nominal attribute by the share of the first among rows, not weights; more classes try all
    divisions of up to 4 levels, and those along the principal component of the class shares [1]_ of
    more: computed from the whole training table, where rows with levels absent at the node count as
    the first level there.

    References
    ----------
    .. [1] Coppersmith, Hong and Hosking (1999), Partitioning nominal attributes in decision
       trees, Data Mining and Knowledge Discovery 3.
    """
    grower = _Grower(matrix, attributes, y, len(classes), min_rows)
    parts = np.ones(len(y)) if weight is None else weight
    tests: list[_Test | None] = []
    numbers, first_child = [], []
    class_weights = [np.bincount(y, parts, len(classes)).astype(np.float64)]
    waiting = [(np.arange(len(y)), parts)]
    while len(tests) < len(waiting):
        rows, held = waiting[len(tests)]
        waiting[len(tests)] = (rows[:0], held[:0])
        a, test = grower.best_test(rows, held, float(_sum(class_weights[len(tests)][None])[0]))
        sides = grower.divide(a, test, rows, held) if test else []
        tests.append(test if sides else None)
        numbers.append(a if sides else -1)
        first_child.append(len(waiting) if sides else -1)
        waiting += sides
        if test and sides:
            class_weights += [*test.class_weights]
    kind = np.array([_kind(test) for test in tests], np.int8)
    first = np.array(first_child, np.int32)
    lookups = [test.is_left for test in tests if test and len(test.is_left)]
    ends = np.cumsum([0, *(len(is_left) for is_left in lookups)])
    lookup_start = np.full(len(kind), -1, np.int32)
    lookup_start[kind == LOOKUP] = ends[:-1]
    return Tree(
        attributes=tuple(attributes),
        classes=classes,
        kind=kind,
        attribute=np.array(numbers, np.int32),
        # Weka sends x < cut to the left, we x <= threshold.
        threshold=np.nextafter([test.cut if test else np.nan for test in tests], -np.inf),
        first_child=first,
        n_children=np.where(first >= 0, 2, 0).astype(np.int32),
        lookup_start=lookup_start,
        lookup=np.concatenate([[], *(~is_left for is_left in lookups)]).astype(np.int32),
        class_weights=np.array(class_weights),
        default_branch=np.full(len(kind), -1, np.int32),
        **no_directions(len(attributes)),
    )


def _kind(test: _Test | None) -> int:
    if test is None:
        return LEAF
    return LOOKUP if len(test.is_left) else THRESHOLD


class _Grower:
    """The search for tests, on one training table."""

    def __init__(
        self,
        matrix: Floats,
        attributes: Sequence[Attribute],
        y: Codes,
        n_classes: int,
        min_rows: float,
    ) -> None:
        self._matrix, self._attributes, self._y = matrix, attributes, y
        self._n_classes, self._min_rows = n_classes, min_rows
        # Order in which each attribute sums the rows: it affects the last bits of sums of parts,
        # which decide between tests without gain.
        self._rank = np.empty(matrix.shape, np.intp)
        for a, attribute in enumerate(attributes):
            missing = np.isnan(matrix[:, a])
            if attribute.kind == NOMINAL:
                order = np.argsort(missing, kind="stable")
            else:
                order = _quick_sort(np.where(missing, np.finfo(float).max, matrix[:, a]))
            self._rank[order, a] = np.arange(len(order))

    def _sums(self, y: np.ndarray, weights: Floats) -> Floats:
        return np.bincount(y, weights, self._n_classes).astype(np.float64)

    def best_test(self, rows: Positions, held: Floats, weight: float) -> tuple[int, _Test | None]:
        """Return the first attribute with the largest gain and its test; None for a leaf."""
        if weight < 2 * self._min_rows:
            return -1, None
        result, best = -1, None
        for a, attribute in enumerate(self._attributes):
            order = np.argsort(self._rank[rows, a])
            values, y, weights = self._matrix[rows[order], a], self._y[rows[order]], held[order]
            n_known = len(values) - int(np.isnan(values).sum())
            missing = (y[n_known:], weights[n_known:])
            values, y, weights = values[:n_known], y[:n_known], weights[:n_known]
            if attribute.kind == NOMINAL:
                test = self._divide_levels(a, values.astype(int), y, weights, missing)
            else:
                test = self._cut(values, y, weights, missing)
            if test and (best is None or test.gain > best.gain):
                result, best = a, test
        if best is None or best.gain <= 0 or min(best.shares) == 0:
            return -1, None
        return result, best

    def divide(
        self, a: int, test: _Test, rows: Positions, held: Floats
    ) -> list[tuple[Positions, Floats]]:
        """Return rows and weights of both sides; none if one has too few rows."""
        values = self._matrix[rows, a]
        missing = np.isnan(values)
        if len(test.is_left):
            is_left = test.is_left[np.where(missing, 0, values).astype(int)]
        else:
            is_left = values < test.cut
        sides = []
        for here, share in zip((is_left, ~is_left), test.shares, strict=True):
            picked = here | missing
            sides.append((rows[picked], np.where(missing, held * share, held)[picked]))
        return sides if min(len(picked) for picked, _ in sides) >= self._min_rows else []

    def _cut(self, values: Floats, y: np.ndarray, weights: Floats, missing: _Rows) -> _Test | None:
        at = np.flatnonzero(np.diff(values) > 0) + 1
        if not len(at):
            return None
        by_class = np.zeros((len(y), self._n_classes))
        by_class[np.arange(len(y)), y] = weights
        total = self._sums(y, weights)
        left = np.cumsum(by_class, axis=0)[at - 1]
        right = np.cumsum(np.vstack([total, -by_class]), axis=0)[at]
        counts = self._sums(np.append(y, missing[0]), np.append(weights, missing[1]))
        gains = _gains(counts, left, right, missing)
        i = int(gains.argmax())
        cut = float((values[at[i]] + values[at[i] - 1]) / 2)
        return _Test(float(gains[i]), np.stack([left[i], right[i]]), cut, np.empty(0, np.bool_))

    def _divide_levels(
        self, a: int, codes: Positions, y: np.ndarray, weights: Floats, missing: _Rows
    ) -> _Test | None:
        n_levels = self._attributes[a].n_levels
        n_rows = np.bincount(codes, minlength=n_levels)
        present = np.flatnonzero(n_rows)
        if len(present) < 2:
            return None
        if self._n_classes == 2 or len(present) > _MOST_EXHAUSTIVE:
            if self._n_classes == 2:
                score = np.bincount(codes, y == 0, n_levels)[present] / n_rows[present]
            else:
                score = self._principal_scores(a, present)
            index = np.argsort(np.argsort(score, kind="stable"), kind="stable")
            goes_left = index[None, :] <= np.arange(len(present) - 1)[:, None]
        else:
            ways = np.arange(2 ** (len(present) - 1))
            bits = np.arange(len(present) - 1, -1, -1)
            goes_left = (ways[:, None] >> bits & 1) == 1
        index = np.zeros(n_levels, np.intp)
        index[present] = np.arange(len(present))
        sides = [goes[index[codes]] for goes in goes_left]
        left = np.array([self._sums(y[is_in], weights[is_in]) for is_in in sides])
        right = np.array([self._sums(y[~is_in], weights[~is_in]) for is_in in sides])
        counts = self._sums(np.append(y, missing[0]), np.append(weights, missing[1]))
        gains = _gains(counts, left, right, missing)
        i = int(gains.argmax())
        test = _Test(float(gains[i]), np.stack([left[i], right[i]]), np.nan, np.empty(0, np.bool_))
        # Levels that are absent at the node go to the larger side.
        is_left = np.full(n_levels, test.shares[0] >= test.shares[1])
        is_left[present] = goes_left[i]
        return replace(test, is_left=is_left)

    def _principal_scores(self, a: int, present: Positions) -> Floats:
        """Return the place of each level on the principal component of the class shares."""
        values = self._matrix[:, a]
        level = np.zeros(len(values), np.intp)
        for i, code in enumerate(present):
            level[values == code] = i
        counts = np.zeros((len(present), self._n_classes))
        np.add.at(counts, (level, self._y), 1.0)
        n = counts.sum(axis=1)
        shares = counts / np.where(n > 0, n, 1.0)[:, None]
        apart = shares - counts.sum(axis=0) / len(values)
        products = apart[:, :, None] * apart[:, None, :] * n[:, None, None]
        return np.asarray(shares @ principal_axis(products.sum(axis=0)))


def _quick_sort(values: Floats) -> Positions:
    """Return the order of ascending values, with ties in the order of Weka's quicksort.

    The pivot is the median of the first, middle and last value; equal values change sides.
    """
    keys = values.tolist()
    index = list(range(len(keys)))

    def order(*positions: int) -> None:
        """Swap neighbors among some positions until the values there ascend."""
        for left, right in combinations(positions, 2):
            if keys[index[left]] > keys[index[right]]:
                index[left], index[right] = index[right], index[left]

    open_parts = [(0, len(keys) - 1)]
    while open_parts:
        left, right = open_parts.pop()
        if right - left < 3:
            order(*range(left, right + 1))
            continue
        middle, last = (left + right) // 2, right - 1
        order(left, middle, right)
        index[middle], index[last] = index[last], index[middle]
        pivot = keys[index[last]]
        low, high = left + 1, last - 1
        while True:
            while keys[index[low]] < pivot:
                low += 1
            while keys[index[high]] > pivot:
                high -= 1
            if low >= high:
                break
            index[low], index[high] = index[high], index[low]
            low, high = low + 1, high - 1
        index[low], index[last] = index[last], index[low]
        open_parts += [(left, low - 1), (low + 1, right)]
    return np.array(index, np.intp)


def _gains(counts: Floats, left: Floats, right: Floats, missing: _Rows) -> Floats:
    """Return the gain of divisions (n, c), with the unknown rows added to their sides."""
    both = _sum(left) + _sum(right)
    part_left, part_right = _sum(left) / both, _sum(right) / both
    for k, weight in zip(*missing, strict=True):
        left[:, k] += part_left * weight
        right[:, k] += part_right * weight
    total = _sum(counts[None])
    gains = _gini(counts[None]) - _sum(left) / total * _gini(left)
    return np.asarray(gains - _sum(right) / total * _gini(right))


def _gini(counts: Floats) -> Floats:
    total = _sum(counts)
    shares = counts / np.where(total > 0, total, 1.0)[:, None]
    return np.where(total > 0, 1.0 - _sum(shares * shares), 0.0)


def _sum(counts: Floats) -> Floats:
    """Return the sums over classes, added one after the other."""
    return np.asarray(np.add.accumulate(counts, axis=1)[:, -1])

"""Discretization of numeric columns, once for the table or anew at each node."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from bestofk.array_types import Codes, Floats, Positions
from bestofk.data.table_columns import column_numbers, table_columns
from bestofk.trees.attributes import NOMINAL, NUMERIC, ORDINAL, Attribute, interval_codes

# Maximum fine intervals of the whole table, if nodes choose their own intervals.
MOST_FINE: Final = 256
_MOST_ROUNDS: Final = 300  # iterations of k-means, as in scikit-learn
_SAME: Final = 1e-9  # bits per row that count as rounding


def equal_width(values: Floats, counts: Floats, n_bins: int) -> Floats:
    """Return the edges of intervals of equal width.

    Parameters
    ----------
    values : ndarray of shape (m,), float64
        Distinct values, rising.
    counts : ndarray of shape (m, n_classes), float64
        Class weights of each value.
    n_bins : int
        Maximum number of intervals, at least 2.

    Returns
    -------
    ndarray of shape (n_intervals - 1,), float64
        Upper ends of all intervals but the last; an end belongs to its interval. Empty if
        there is one interval.

    Examples
    --------
    >>> import numpy as np
    >>> equal_width(np.array([0.0, 1.0, 8.0]), np.ones((3, 1)), 4).tolist()
    [2.0, 4.0, 6.0]
    """
    if len(values) < 2:
        return np.empty(0)
    return np.linspace(values[0], values[-1], n_bins + 1)[1:-1]


def equal_frequency(values: Floats, counts: Floats, n_bins: int) -> Floats:
    """Return the edges of intervals of nearly equal weight.

    Parameters
    ----------
    values, counts, n_bins
        As for `equal_width`.

    Returns
    -------
    ndarray of shape (n_intervals - 1,), float64
        As for `equal_width`. Equal values stay together, so there may be fewer intervals; each edge
        is the midpoint between two values.

    Examples
    --------
    >>> import numpy as np
    >>> equal_frequency(np.array([0.0, 1.0, 4.0, 8.0]), np.ones((4, 1)), 2).tolist()
    [2.5]
    """
    below = np.cumsum(counts.sum(axis=1))
    targets = below[-1] * np.arange(1, n_bins) / n_bins
    after = np.searchsorted(below, targets)
    before = np.maximum(after - 1, 0)
    is_nearer = targets - below[before] < below[after] - targets
    at = np.unique(np.where(is_nearer, before, after))
    return middles(values, at[at < len(values) - 1])


def k_means(values: Floats, counts: Floats, n_bins: int) -> Floats:
    """Return the edges between clusters found by Lloyd's algorithm from evenly spaced centers.

    Parameters
    ----------
    values, counts, n_bins
        As for `equal_width`.

    Returns
    -------
    ndarray of shape (n_intervals - 1,), float64
        As for `equal_width`.

    References
    ----------
    .. [1] Lloyd (1982), Least Squares Quantization in PCM, IEEE Trans. Information Theory 28(2).

    Examples
    --------
    >>> import numpy as np
    >>> k_means(np.array([0.0, 1.0, 8.0, 9.0]), np.ones((4, 1)), 2).tolist()
    [4.5]
    """
    if len(values) <= n_bins:
        return middles(values, np.arange(len(values) - 1))
    weight = counts.sum(axis=1)
    width = values[-1] - values[0]
    centers = values[0] + width * (np.arange(n_bins) + 0.5) / n_bins
    for _ in range(_MOST_ROUNDS):
        cluster = np.searchsorted((centers[1:] + centers[:-1]) / 2, values, side="left")
        size = np.bincount(cluster, weights=weight, minlength=n_bins)
        total = np.bincount(cluster, weights=weight * values, minlength=n_bins)
        moved = np.divide(total, size, out=centers.copy(), where=size > 0)
        if (moved == centers).all():
            break
        centers = moved
    kept = centers[size > 0]
    return np.asarray((kept[1:] + kept[:-1]) / 2)


def minimum_description_length(values: Floats, counts: Floats, n_bins: int = 0) -> Floats:
    """Return the edges that shorten the description of the classes: recursive entropy cuts.

    Parameters
    ----------
    values, counts
        As for `equal_width`.
    n_bins : int, default=0
        Not used; the classes decide.

    Returns
    -------
    ndarray of shape (n_intervals - 1,), float64
        Midpoints between neighbors. A cut of N rows is kept if its gain exceeds
        (log2(N - 1) + delta) / N, where delta = log2(3^k - 2) - (k H - k1 H1 - k2 H2) and k
        counts classes, H is their entropy, of both sides and of each.

    References
    ----------
    .. [1] Fayyad and Irani (1993), Multi-interval discretization of continuous-valued
       attributes for classification learning, IJCAI.

    Examples
    --------
    >>> import numpy as np
    >>> classes = np.repeat([[1.0, 0.0], [0.0, 1.0]], 6, axis=0)
    >>> minimum_description_length(np.arange(12.0), classes).tolist()
    [5.5]
    """
    cuts: list[int] = []
    spans = [(0, len(values))]
    while spans:
        begin, end = spans.pop()
        at = _cut_that_pays(counts[begin:end])
        if at:
            cuts.append(begin + at - 1)
            spans += [(begin, begin + at), (begin + at, end)]
    return middles(values, np.array(sorted(cuts), dtype=np.intp))


METHODS: Final[dict[str, Callable[[Floats, Floats, int], Floats]]] = {
    "equal-width": equal_width,
    "equal-frequency": equal_frequency,
    "kmeans": k_means,
    "mdl": minimum_description_length,
}


def with_intervals(
    attributes: Sequence[Attribute],
    X: Any,
    y: Codes,
    sample_weight: Floats | None,
    *,
    method: str,
    n_bins: int,
    is_fine: bool,
    keeps_order: bool,
) -> tuple[Attribute, ...]:
    """Return the attributes of a training table, with numeric ones as intervals.

    Parameters
    ----------
    attributes : sequence of Attribute
        What the columns are.
    X : ndarray or DataFrame of shape (n_rows, n_columns)
        The training table.
    y : ndarray of shape (n_rows,), int16
        Classes.
    sample_weight : ndarray of shape (n_rows,) or None
        Weights of the rows; None if each counts one.
    method : {"equal-width", "equal-frequency", "kmeans", "mdl"}
        Method of discretization.
    n_bins : int
        Maximum number of intervals; no effect for "mdl".
    is_fine : bool
        Whether nodes choose their own intervals: then up to 256 fine ones are made here, or one per
        distinct value if there are fewer.
    keeps_order : bool
        Whether intervals are cut like ordinal levels; else they are nominal levels.

    Returns
    -------
    tuple of Attribute
        The attributes; columns without values, or with infinite ones, are not changed.
    """
    results = []
    for attribute, column in zip(attributes, table_columns(X), strict=True):
        numbers = column_numbers(column) if attribute.kind == NUMERIC else np.empty(0)
        is_known = ~np.isnan(numbers)
        if not is_known.any() or np.isinf(numbers).any():
            results.append(attribute)
            continue
        weight = None if sample_weight is None else sample_weight[is_known]
        values, counts = _class_counts(numbers[is_known], y[is_known], weight)
        edges = METHODS[method](values, counts, n_bins)
        if is_fine:
            edges = equal_frequency(values, counts, MOST_FINE)
            if len(values) <= MOST_FINE:
                edges = middles(values, np.arange(len(values) - 1))
        kind = ORDINAL if keeps_order and not is_fine else NOMINAL
        levels = interval_words(edges.tolist())
        results.append(replace(attribute, kind=kind, levels=levels, edges=tuple(edges.tolist())))
    return tuple(results)


def interval_words(edges: Sequence[float]) -> tuple[str, ...]:
    """Return the intervals between edges as text, such as `(2.5, 4]`.

    Parameters
    ----------
    edges : sequence of float
        Upper ends of all intervals but the last.

    Returns
    -------
    tuple of str
        One more than edges; with six digits, or all digits if six do not distinguish them.

    Examples
    --------
    >>> interval_words([2.5, 4.0])
    ('(-inf, 2.5]', '(2.5, 4]', '(4, inf)')
    """
    words = [f"{edge:.6g}" for edge in edges]
    if len(set(words)) < len(words):
        words = [repr(float(edge)) for edge in edges]
    lows, highs = ["-inf", *words], [*(f"{word}]" for word in words), "inf)"]
    return tuple(f"({low}, {high}" for low, high in zip(lows, highs, strict=True))


def level_means(column: Any, attribute: Attribute) -> Floats:
    """Return the mean of the training values in each interval.

    Parameters
    ----------
    column : ndarray of shape (n_rows,) or Series
        A column of the training table.
    attribute : Attribute
        Its intervals, none of them empty.

    Returns
    -------
    ndarray of shape (n_intervals,), float64
    """
    assert attribute.edges is not None
    numbers = column_numbers(column)
    numbers = numbers[~np.isnan(numbers)]
    codes = interval_codes(numbers, attribute.edges).astype(np.intp)
    return np.asarray(np.bincount(codes, weights=numbers) / np.bincount(codes))


def intervals_at_nodes(counts: Floats, values: Floats, method: str, n_bins: int) -> Codes:
    """Return the interval of each node that contains each fine interval of the table.

    Parameters
    ----------
    counts : ndarray of shape (b, m, c), float64
        Class weights by node and fine interval.
    values : ndarray of shape (m,), float64
        Value that represents each fine interval.
    method, n_bins
        As for `with_intervals`.

    Returns
    -------
    ndarray of shape (b, m), int16
        Number of the interval; fine intervals without rows at the node have one, too. None is
        empty.
    """
    result = np.zeros(counts.shape[:2], np.int16)
    for node, here in enumerate(counts):
        is_present = here.sum(axis=1) > 0
        if is_present.sum() > 1:
            edges = METHODS[method](values[is_present], here[is_present], n_bins)
            interval = np.searchsorted(edges, values, side="left")
            result[node] = np.unique(interval, return_inverse=True)[1]
    return result


def _class_counts(numbers: Floats, y: Codes, weight: Floats | None) -> tuple[Floats, Floats]:
    """Return the distinct values, rising, and their class weights."""
    values, at = np.unique(numbers, return_inverse=True)
    n_classes = int(y.max()) + 1
    flat = np.bincount(at * n_classes + y, weights=weight, minlength=len(values) * n_classes)
    return values, flat.reshape(len(values), n_classes).astype(np.float64)


def middles(values: Floats, at: Positions) -> Floats:
    """Return the midpoint between each value and its successor; the value if they touch."""
    low, high = values[at], values[at + 1]
    middle = low + (high - low) / 2
    return np.asarray(np.where(middle >= high, low, middle), dtype=np.float64)


def _cut_that_pays(counts: Floats) -> int:
    """Return the number of values below the best cut; 0 if no cut shortens the description."""
    if len(counts) < 2:
        return 0
    left = np.cumsum(counts, axis=0)
    total = left[-1]
    left = left[:-1]
    right = total - left
    n = total.sum()
    after = left.sum(axis=1) * _entropy(left) + right.sum(axis=1) * _entropy(right)
    at = int(np.argmax(after <= after.min() + _SAME * n))  # the lowest on ties
    base = _entropy(total)
    gain = base - after[at] / n
    k, k_left, k_right = (int((x > 1e-9).sum()) for x in (total, left[at], right[at]))
    change = k * base - k_left * _entropy(left[at]) - k_right * _entropy(right[at])
    delta = np.log2(3.0**k - 2.0) if k < 600 else k * np.log2(3.0)
    price = (np.log2(max(n - 1.0, 1.0)) + delta - change) / n
    return at + 1 if gain > price + _SAME else 0


def _entropy(counts: Floats) -> Any:
    """Return the entropy in bits of class weights along the last axis."""
    total = counts.sum(axis=-1, keepdims=True)
    shares = counts / np.where(total > 0, total, 1.0)
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 1e-12)
    return -(shares * logs).sum(axis=-1)

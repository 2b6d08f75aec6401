"""Subsamples of a data set that share as few rows as possible."""

from __future__ import annotations

import numpy as np

from bestofk.array_types import Ints
from bestofk.data import DataSet
from bestofk.randomness import derive_rng

_LEAST_PER_CLASS = 2  # one to learn from and one to test on


def class_sizes(counts: Ints, n_rows: int) -> Ints:
    """Return how many rows of each class stand in a subsample.

    Parameters
    ----------
    counts : ndarray of shape (n_classes,), int64
        Rows of each class.
    n_rows : int
        Rows of the subsample, at most all.

    Returns
    -------
    ndarray of shape (n_classes,), int64
        As in the data, rounded by the largest remainders; 0 for a class too rare for two rows.

    Examples
    --------
    >>> class_sizes(np.array([500, 300, 199, 1]), 20).tolist()
    [10, 6, 4, 0]
    """
    kept = np.where(n_rows * counts >= _LEAST_PER_CLASS * counts.sum(), counts, 0)
    if not kept.any():
        return np.zeros_like(counts)
    exact = n_rows * kept / kept.sum()
    sizes: Ints = np.floor(exact).astype(np.int64)
    left = n_rows - int(sizes.sum())
    sizes[np.argsort(sizes - exact, kind="stable")[:left]] += 1
    return sizes


def subsample_rows(data: DataSet, n_rows: int, number: int, random_state: int = 0) -> Ints:
    """Return the rows of a subsample.

    Subsamples of one size share no row until the rows of a class are used up; then all rows are
    drawn anew.

    Parameters
    ----------
    data : DataSet
        Classes are spread as in all rows.
    n_rows : int
        Rows of the subsample.
    number : int
        Counted from 0.
    random_state : int, default=0
        What the draws are derived from.

    Returns
    -------
    ndarray of shape (n_rows,), int64
        Positions in ascending order.

    Examples
    --------
    >>> from bestofk.data import load_data
    >>> iris = load_data("iris")
    >>> first, second = (subsample_rows(iris, 75, number) for number in (0, 1))
    >>> len(first), len({*first, *second}), np.bincount(iris.y[first]).tolist()
    (75, 150, [25, 25, 25])
    """
    strata = data.y if data.is_classification else np.zeros(data.n_samples, dtype=np.int64)
    counts = np.bincount(strata)
    sizes = class_sizes(counts, n_rows)
    n_disjoint = int((counts[sizes > 0] // sizes[sizes > 0]).min())
    draw, position = divmod(number, n_disjoint)
    rng = derive_rng(random_state, "subsample", n_rows, draw)
    parts = []
    for stratum, size in enumerate(sizes):
        drawn = rng.permutation(np.flatnonzero(strata == stratum))
        parts.append(drawn[position * size : (position + 1) * size])
    return np.sort(np.concatenate(parts))

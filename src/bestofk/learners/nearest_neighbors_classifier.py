"""Nearest-neighbors classifier with deterministic handling of ties."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KDTree
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from bestofk.errors import InvalidArgumentError

if TYPE_CHECKING:
    import numpy as np

# Squared distances this near, relative to one another, are equal: their rounding differs.
TIE: Final = 1e-10
# A squared distance this small compared with the squared length of the row is rounding alone.
ZERO: Final = 1e-28
# Beyond that many columns a tree reads nearly all rows (the rule of scikit-learn).
_MOST_TREE_COLUMNS: Final = 15
# Neighbors asked of the tree beyond the k-th, to see that no other row is tied with it.
_SPARE: Final = 3
# Distances held at a time, and numbers held while some are computed exactly.
_BLOCK: Final = 2**18
# Sums of that many products of whole numbers are exact.
_MOST_EXACT: Final = 2.0**52


class NearestNeighborsClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predict the most frequent class among the nearest training rows, all ties counted.

    The neighbors of a row are all training rows that are no farther (Euclidean distance)
    than the k-th nearest: more than k where several are as far as the k-th. Each has one
    vote. So the prediction does not depend on the order of the training rows, as it does
    with scikit-learn's `KNeighborsClassifier`, which takes some of the tied rows.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many neighbors vote at least (k).

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.
    n_samples_fit_ : int
        Number of training rows.

    Notes
    -----
    Distances are computed from differences; squared distances that differ by less than
    1e-10 of their size are equal, and so are those below 1e-28 of the squared length of the
    row: duplicates, but for rounding.

    Examples
    --------
    >>> learner = NearestNeighborsClassifier(1).fit([[0], [2], [2], [9]], ["a", "b", "b", "a"])
    >>> learner.predict_proba([[1]])  # as far from the first row as from the next two
    array([[0.33333333, 0.66666667]])
    """

    classes_: np.ndarray
    n_samples_fit_: int
    _codes: NDArray[np.intp]
    _rows: NDArray[np.float64]
    _tree: KDTree | None
    _is_whole: bool
    _center: NDArray[np.float64]
    _factors: NDArray[np.float64]

    def __init__(self, n_neighbors: int = 5) -> None:
        self.n_neighbors = n_neighbors

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the training rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.
        y : array-like of shape (n_samples,)
            Labels. One class is valid.

        Returns
        -------
        NearestNeighborsClassifier
            Itself.

        Raises
        ------
        ValueError
            If a number is missing or infinite, `y` holds no classes, or `n_neighbors` is no
            positive integer.
        """
        if not isinstance(self.n_neighbors, Integral) or self.n_neighbors < 1:
            raise InvalidArgumentError(
                "n_neighbors of NearestNeighborsClassifier must be an integer of at least 1; "
                f"got {self.n_neighbors!r}. One neighbor is the least that can vote."
            )
        X, y = validate_data(self, X, y, dtype=np.float64, order="C")
        check_classification_targets(y)
        self.classes_, self._codes = np.unique(y, return_inverse=True)
        self.n_samples_fit_ = len(X)
        self._rows = X
        self._tree = KDTree(X) if X.shape[1] <= _MOST_TREE_COLUMNS else None
        self._is_whole = self._tree is None and _is_whole(X)
        self._center = np.zeros(X.shape[1]) if self._is_whole else X.mean(axis=0)
        known = X - self._center
        self._factors = np.vstack([-2 * known.T, np.einsum("ij,ij->i", known, known)])
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the class with most votes; the first in sorted order on ties.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.

        Raises
        ------
        ValueError
            If there are fewer training rows than neighbors, or a number is missing.
        """
        codes = self._votes(X).argmax(axis=1)  # first: it says if nothing was fitted
        labels: np.ndarray = self.classes_[codes]
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the share of the votes that each class has.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to 1.

        Raises
        ------
        ValueError
            As `predict`.
        """
        votes = self._votes(X)
        shares: NDArray[np.float64] = votes / votes.sum(axis=1, keepdims=True)
        return shares

    def _votes(self, X: Any) -> NDArray[np.int64]:
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        if self.n_neighbors > self.n_samples_fit_:
            raise InvalidArgumentError(
                f"n_neighbors must be at most the number of training rows ({self.n_samples_fit_}); "
                f"got {self.n_neighbors}. Ask for fewer neighbors, or train on more rows."
            )
        zero = ZERO * np.einsum("ij,ij->i", X, X)
        if self._tree is not None:
            return self._votes_by_tree(self._tree, X, zero)
        size = max(1, _BLOCK // self.n_samples_fit_)
        blocks = [slice(start, start + size) for start in range(0, len(X), size)]
        return np.concatenate([self._votes_by_scan(X[block], zero[block]) for block in blocks])

    def _votes_by_tree(
        self, tree: KDTree, X: NDArray[np.float64], zero: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        k = self.n_neighbors
        distances, neighbors = tree.query(X, min(k + _SPARE, self.n_samples_fit_))
        squares = distances**2
        limits = np.maximum(squares[:, k - 1] * (1 + TIE), zero)
        is_near = squares <= limits[:, np.newaxis]
        n_classes = len(self.classes_)
        cells = np.arange(len(X))[:, np.newaxis] * n_classes + self._codes[neighbors]
        votes = np.bincount(cells[is_near], minlength=len(X) * n_classes)
        votes = votes.reshape(len(X), n_classes)
        # where even the last one asked for is tied there may be more
        open_rows = np.flatnonzero(is_near[:, -1])
        if len(open_rows) and is_near.shape[1] < self.n_samples_fit_:
            result = tree.query_radius(X[open_rows], np.sqrt(limits[open_rows]) * (1 + 1e-15))
            for row, members in zip(open_rows, result, strict=True):
                votes[row] = np.bincount(self._codes[members], minlength=n_classes)
        return votes

    def _votes_by_scan(
        self, X: NDArray[np.float64], zero: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """Find candidates by the fast formula of products, then compute their distances."""
        k, rows = self.n_neighbors, self._rows
        query = X - self._center
        # squared distances but for the squared length of the tested row
        nearness = np.column_stack([query, np.ones(len(query))]) @ self._factors
        limits = kth_smallest(nearness, k)
        is_exact = self._is_whole and _is_whole(X)
        if not is_exact:
            # what the formula may be wrong by, for the k-th and for one tied with it
            lengths = np.einsum("ij,ij->i", query, query)
            error = 8 * (2 * TIE + 4e-16 * (rows.shape[1] + 8))
            limits = limits + error * (np.abs(limits) + 2 * lengths) + zero
        tested, near = np.divmod(np.flatnonzero(nearness <= limits[:, np.newaxis]), len(rows))
        exact = nearness[tested, near] if is_exact else squared_distances(X, rows, tested, near)
        order = np.lexsort((exact, tested))
        first = np.searchsorted(tested, np.arange(len(X)))
        kth = exact[order[first + k - 1]]
        if not is_exact:
            kth = np.maximum(kth * (1 + TIE), zero)
        keep = exact <= kth[tested]
        tested, near = tested[keep], near[keep]
        n_classes = len(self.classes_)
        votes = np.bincount(tested * n_classes + self._codes[near], minlength=len(X) * n_classes)
        return votes.reshape(len(X), n_classes)


def _is_whole(X: NDArray[np.float64]) -> bool:
    """Return whether products of rows are sums of whole numbers, small enough to be exact."""
    largest = (_MOST_EXACT / (8 * X.shape[1])) ** 0.5
    return bool(np.abs(X).max() < largest and (np.rint(X) == X).all())


def kth_smallest(squares: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Return a number per row that at least k of its entries do not exceed.

    The k-th smallest of the minima of some groups of columns: hardly more entries than k lie
    below it, and it costs a pass without branches.
    """
    n_groups = min(squares.shape[1], max(16 * k, 64))
    n_each = squares.shape[1] // n_groups
    whole = squares[:, : n_each * n_groups].reshape(len(squares), n_each, n_groups)
    minima = whole.min(axis=1)
    kth: NDArray[np.float64] = np.partition(minima, k - 1, axis=1)[:, k - 1]
    return kth


def squared_distances(
    X: NDArray[np.float64],
    rows: NDArray[np.float64],
    tested: NDArray[np.int64],
    near: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the squared distances of pairs of rows from their differences."""
    squares = np.empty(len(tested))
    size = max(1, _BLOCK // X.shape[1])
    for start in range(0, len(tested), size):
        part = slice(start, start + size)
        differences = X[tested[part]] - rows[near[part]]
        squares[part] = np.einsum("ij,ij->i", differences, differences)
    return squares

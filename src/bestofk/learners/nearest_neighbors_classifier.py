"""Nearest-neighbors classifier that counts all ties, and the search for near rows."""

from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from bestofk.array_types import Bools, Floats, Positions
from bestofk.checks import check_known, check_number
from bestofk.errors import InvalidArgumentError
from bestofk.learners._neighbors import NeighborVotes, keep_nearest
from bestofk.learners.fitted_predictions import HighestScore

# Up to this many columns, a tree may read only some of the rows.
_MOST_TREE_COLUMNS: Final = 15
# With fewer known rows, products are faster than building a tree.
_FEWEST_TREE_ROWS: Final = 2000
# Rows used to test how many others the tree reads.
_N_TRIED: Final = 50
# Time of a tree per row that it reads, relative to the product of two rows.
_TREE_COST: Final = 4.0
# Rows on each side of a product, so that it fits into the cache.
_TILE: Final = 512
# Fourth powers of larger numbers may overflow.
_LARGEST: Final = 1e70
# Factor by which lists are extended if they are too short.
_GROWTH: Final = 8
# Bounds are relaxed by this share, so that rounding never makes them wrong.
SLACK: Final = 1e-9
WEIGHTS: Final = ("uniform", "distance")


@dataclass(frozen=True, eq=False)
class NearLists:
    """Lists of the nearest known rows of some rows.

    Parameters
    ----------
    near : ndarray of shape (n_lists, n_listed), intp
        Indices of known rows, nearest first up to rounding.
    floors : ndarray of shape (n_lists, n_listed + 1), float64
        Lower bound of the squared distance of all rows from this place of the list on, including
        unlisted rows.
    """

    near: Positions
    floors: Floats

    @classmethod
    def of_all(cls, n_known: int) -> Self:
        """Return a single list of all rows, shared by every row."""
        floors = np.zeros((1, n_known + 1))
        floors[:, -1] = np.inf
        return cls(np.arange(n_known, dtype=np.intp)[None], floors)


class NearRows:
    """Known rows, with a search for those near to other rows.

    The search uses a tree if it reads few of the rows in a trial; otherwise products.

    Parameters
    ----------
    X : ndarray of shape (n_known, n_columns), float64
        The known rows; finite.
    scale : ndarray of shape (n_columns,), float64, or None
        Factors of the columns.
    """

    def __init__(self, X: Floats, scale: Floats | None = None) -> None:
        self._scale = scale
        self._X = X = X if scale is None else X * scale
        self._largest = _largest(X)
        self._tree: Any = None
        n_known, n_columns = X.shape
        if n_known >= _FEWEST_TREE_ROWS and n_columns <= _MOST_TREE_COLUMNS:
            from sklearn.neighbors import KDTree

            tree = KDTree(X)
            some = X[:: -(-n_known // _N_TRIED)]
            tree.query(some, 5)
            self._tree = tree if tree.get_n_calls() * _TREE_COST < n_known * len(some) else None
        if self._tree is None and self._largest <= _LARGEST:
            self._known, self._center = X, X.mean(axis=0)
            self._halves = 0.5 * np.einsum("ij,ij->i", X, X)
            if self._center @ self._center > self._halves.mean():
                # products would lose digits far from the mean
                self._known = X - self._center
                self._halves = 0.5 * np.einsum("ij,ij->i", self._known, self._known)
            else:
                self._center[:] = 0.0

    @property
    def n_known(self) -> int:
        """Number of known rows."""
        return len(self._X)

    def lists(self, asked: Floats, length: int) -> NearLists | None:
        """Return the known rows nearest to each row asked; None if numbers are too large to square.

        Parameters
        ----------
        asked : ndarray of shape (n_asked, n_columns), float64, C-contiguous
            Finite numbers; known rows are near to themselves.
        length : int
            Length of the lists, at most the number of known rows.
        """
        n_known = self.n_known
        asked = asked if self._scale is None else asked * self._scale
        if max(self._largest, _largest(asked)) > _LARGEST:
            return None
        n_wanted = min(length + 1, n_known)  # one more bounds the distance of the others
        search = self._by_products if self._tree is None else self._by_tree
        near, floors = search(asked, n_wanted)
        if length < n_known:
            return NearLists(np.ascontiguousarray(near[:, :-1]), floors)
        return NearLists(near, np.column_stack([floors, np.full(len(asked), np.inf)]))

    def _by_tree(self, asked: Floats, n_wanted: int) -> tuple[Positions, Floats]:
        # in the order of the tree, so that consecutive rows read the same part of it
        order = np.asarray(type(self._tree)(asked).get_arrays()[1])
        distances, members = self._tree.query(asked[order], n_wanted)
        near, floors = np.empty_like(members, dtype=np.intp), np.empty_like(distances)
        near[order], floors[order] = members, distances**2
        return near, floors

    def _by_products(self, asked: Floats, n_wanted: int) -> tuple[Positions, Floats]:
        asked = asked - self._center
        lengths = np.einsum("ij,ij->i", asked, asked)[:, None]
        near = np.zeros((len(asked), n_wanted), dtype=np.intp)
        keys = np.full((len(asked), n_wanted), np.inf)
        tile = np.empty(min(_TILE, len(asked)) * min(_TILE, self.n_known))
        for top in range(0, len(asked), _TILE):
            rows = slice(top, top + _TILE)
            for first in range(0, self.n_known, _TILE):
                some = slice(first, first + _TILE)
                known = self._known[some]
                products = tile[: len(asked[rows]) * len(known)].reshape(-1, len(known))
                np.matmul(asked[rows], known.T, out=products)
                keep_nearest(products, self._halves[some], first, near[rows], keys[rows])
        rounding = 8 * (asked.shape[1] + 8) * np.finfo(np.float64).eps
        return near, 2 * keys + lengths - rounding * (2 * np.abs(keys) + 2 * lengths)


def _largest(X: Floats) -> float:
    """Return the largest absolute value; unlike `np.abs`, without a copy."""
    return max(float(X.max(initial=0.0)), -float(X.min(initial=0.0)))


@dataclass(frozen=True, eq=False)
class Asks:
    """Rows to predict, each from one or several subsets of the known rows.

    Parameters
    ----------
    row : ndarray of shape (n_asks,), intp
        Index of the row to predict.
    part : ndarray of shape (n_asks,), intp
        Index of the subset.
    bounds : ndarray of shape (n_asks, 2), float64
        If the squared distance of a row in the lists is at least f, that in the subset is at least
        ``bounds[0] * f + bounds[1]``.
    is_train : ndarray of shape (n_parts, n_known), bool
        Which rows are training rows of each subset.
    weights : ndarray of shape (n_parts, n_columns), float64
        Weights of squared differences.
    """

    row: Positions
    part: Positions
    bounds: Floats
    is_train: Bools
    weights: Floats

    @classmethod
    def of_one_part(cls, asked: Floats, n_known: int) -> Self:
        """Return asks for all rows, with all known rows as training rows."""
        n_rows, n_columns = asked.shape
        bounds = np.tile([1.0 - SLACK, 0.0], (n_rows, 1))
        is_train, weights = np.ones((1, n_known), dtype=bool), np.ones((1, n_columns))
        return cls(np.arange(n_rows), np.zeros(n_rows, np.intp), bounds, is_train, weights)


def count_votes(
    votes: NeighborVotes,
    asked: Floats,
    asks: Asks,
    search: NearRows,
    lists: NearLists | None,
    n_shares: int,
) -> Floats:
    """Count the votes of the nearest training rows, extending lists that are too short.

    Parameters
    ----------
    votes : NeighborVotes
        The known rows and their votes.
    asked : ndarray of shape (n_asked, n_columns), float64, C-contiguous
        Rows to predict.
    asks : Asks
        Pairs of row and subset.
    search : NearRows
        The known rows, for longer lists.
    lists : NearLists or None
        Lists of each row to predict; None to search all known rows.
    n_shares : int
        Number of classes; 1 for means.

    Returns
    -------
    ndarray of shape (n_asks, n_ks, n_shares), float64
        Shares of the classes, or means, for every number of neighbors; nan if there are fewer
        training rows than the largest number.
    """
    shares = np.empty((len(asks.row), votes.n_ks, n_shares))
    left, line = np.arange(len(asks.row)), asks.row
    while len(left):
        bounds = asks.bounds[left]
        if lists is None:
            lists, line = NearLists.of_all(search.n_known), np.zeros(len(left), dtype=np.intp)
            bounds = np.tile([1.0, 0.0], (len(left), 1))
        counted = np.empty((len(left), votes.n_ks, n_shares))
        table = np.column_stack([asks.row[left], line, asks.part[left]])
        votes.count(
            asked, lists.near, lists.floors, asks.is_train.view(np.uint8), asks.weights, table,
            bounds, counted,
        )  # fmt: skip
        shares[left] = counted
        left = left[np.isnan(counted[:, 0, 0])]
        n_listed = lists.near.shape[1]
        if n_listed == search.n_known or not len(left):
            break
        rows, line = np.unique(asks.row[left], return_inverse=True)
        lists = None
        if 2 * _GROWTH * n_listed < search.n_known:
            lists = search.lists(asked[rows], _GROWTH * n_listed)
    return shares


class NearestNeighborsClassifier(HighestScore):
    """Predict the most frequent class among the nearest training rows, all ties counted.

    The neighbors of a row are all training rows that are no farther (Euclidean distance) than the
    k-th nearest: more than k if several tie with the k-th. Each has one vote. So the prediction
    does not depend on the order of the training rows, unlike that of scikit-learn's
    `KNeighborsClassifier`, which uses only some of the tied rows.

    Parameters
    ----------
    n_neighbors : int, default=5
        Minimum number of neighbors that vote (k).
    weights : {"uniform", "distance"}, default="uniform"
        Whether all votes count equally, or by the inverse of the distance; rows at distance 0 then
        outvote all others.

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
    row: duplicates up to rounding.

    Examples
    --------
    >>> learner = NearestNeighborsClassifier(1).fit([[0], [2], [2], [9]], ["a", "b", "b", "a"])
    >>> learner.predict_proba([[1]])  # as far from the first row as from the next two
    array([[0.33333333, 0.66666667]])
    """

    code_version = 1

    classes_: np.ndarray
    n_samples_fit_: int
    _codes: Positions
    _rows: Floats
    _search: NearRows

    def __init__(self, n_neighbors: int = 5, weights: str = "uniform") -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights

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
            If a number is missing or infinite, `y` holds no classes, `n_neighbors` is not a
            positive integer, or `weights` is unknown.
        """
        own = "of NearestNeighborsClassifier"
        way_out = "At least one neighbor must vote."
        check_number(self.n_neighbors, f"n_neighbors {own}", low=1, whole=True, way_out=way_out)
        check_known(self.weights, f"weights {own}", WEIGHTS)
        X, y = validate_data(self, X, y, dtype=np.float64, order="C")
        check_classification_targets(y)
        self.classes_, self._codes = np.unique(y, return_inverse=True)
        self.n_samples_fit_ = len(X)
        self._rows = X
        self._search = NearRows(X)
        return self

    def _class_scores(self, X: Any) -> Floats:
        """Return the share of the votes for each class; see `predict_proba`."""
        return self.predict_proba(X)

    def predict_proba(self, X: Any) -> Floats:
        """Return the share of the votes for each class.

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
            As for `predict`.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        k, n_known = self.n_neighbors, self.n_samples_fit_
        if k > n_known:
            raise InvalidArgumentError(
                f"n_neighbors must be at most the number of training rows ({n_known}); "
                f"got {k}. Use fewer neighbors, or train on more rows."
            )
        votes = NeighborVotes(
            self._rows, self._codes, np.ones(n_known), np.array([k]), True,
            np.array([self.weights == "distance"], dtype=np.uint8),
        )  # fmt: skip
        asks, lists = Asks.of_one_part(X, n_known), self._search.lists(X, k)
        return count_votes(votes, X, asks, self._search, lists, len(self.classes_))[:, 0]

"""Nearest-neighbors classifier with deterministic handling of ties."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Final, Self

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from bestofk.array_types import Floats, Positions
from bestofk.checks import check_known
from bestofk.errors import InvalidArgumentError
from bestofk.learners._neighbors import NeighborVotes
from bestofk.learners.fitted_predictions import HighestScore
from bestofk.learners.near_rows import Asks, NearRows, count_votes

WEIGHTS: Final = ("uniform", "distance")


class NearestNeighborsClassifier(HighestScore):
    """Predict the most frequent class among the nearest training rows, all ties counted.

    The neighbors of a row are all training rows that are no farther (Euclidean distance)
    than the k-th nearest: more than k where several are as far as the k-th. Each has one
    vote. So the prediction does not depend on the order of the training rows, as it does
    with scikit-learn's `KNeighborsClassifier`, which takes some of the tied rows.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many neighbors vote at least (k).
    weights : {"uniform", "distance"}, default="uniform"
        Whether all votes count alike, or by the inverse of the distance; then rows at the very
        place of a test row outvote all others.

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
            If a number is missing or infinite, `y` holds no classes, `n_neighbors` is no
            positive integer, or `weights` is unknown.
        """
        if not isinstance(self.n_neighbors, Integral) or self.n_neighbors < 1:
            raise InvalidArgumentError(
                "n_neighbors of NearestNeighborsClassifier must be an integer of at least 1; "
                f"got {self.n_neighbors!r}. One neighbor is the least that can vote."
            )
        check_known(self.weights, "weights of NearestNeighborsClassifier", WEIGHTS)
        X, y = validate_data(self, X, y, dtype=np.float64, order="C")
        check_classification_targets(y)
        self.classes_, self._codes = np.unique(y, return_inverse=True)
        self.n_samples_fit_ = len(X)
        self._rows = X
        self._search = NearRows(X)
        return self

    def _class_scores(self, X: Any) -> Floats:
        """Return the share of the votes that each class has; see `predict_proba`."""
        return self.predict_proba(X)

    def predict_proba(self, X: Any) -> Floats:
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
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        k, n_known = self.n_neighbors, self.n_samples_fit_
        if k > n_known:
            raise InvalidArgumentError(
                f"n_neighbors must be at most the number of training rows ({n_known}); "
                f"got {k}. Ask for fewer neighbors, or train on more rows."
            )
        votes = NeighborVotes(
            self._rows, self._codes, np.ones(n_known), np.array([k]), True,
            np.array([self.weights == "distance"], dtype=np.uint8),
        )  # fmt: skip
        asks, lists = Asks.of_one_part(X, n_known), self._search.lists(X, k)
        return count_votes(votes, X, asks, self._search, lists, len(self.classes_))[:, 0]

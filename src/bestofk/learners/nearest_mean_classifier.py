"""How far is a row from the mean of each class, and how probable does that make the class."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data


class NearestMeanClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predict the class whose mean is nearest in Euclidean distance.

    Probabilities and decision values are those of the model behind this rule [1]_: normal
    classes, equally frequent, with one covariance matrix that is a multiple of the identity.
    So the most probable class is always the predicted one. (`NearestCentroid` of
    scikit-learn predicts by plain distances, but its probabilities weigh the columns.)

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.
    means_ : ndarray of shape (n_classes, n_features)
        Mean of each class.
    variance_ : float
        Mean squared distance to the own class mean per column and degree of freedom; 0 if
        every row lies on its mean, then probabilities are 0 and 1.

    References
    ----------
    .. [1] Yildiz and Alpaydin (2006), Ordering and finding the best of K > 2 supervised
       learning algorithms, IEEE TPAMI 28(3).

    Examples
    --------
    >>> learner = NearestMeanClassifier().fit([[0.0], [2.0], [7.0], [9.0]], ["a", "a", "b", "b"])
    >>> learner.predict([[4.0], [5.0]])
    array(['a', 'b'], dtype='<U1')
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Compute the means.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.
        y : array-like of shape (n_samples,)
            Labels. One class is valid.

        Returns
        -------
        NearestMeanClassifier
            Itself.

        Raises
        ------
        ValueError
            If a number is missing or infinite, or `y` holds no classes.
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        counts = np.bincount(codes)
        is_member = codes == np.arange(len(counts))[:, np.newaxis]
        self.means_ = (is_member @ X) / counts[:, np.newaxis]
        n_free = max(len(X) - len(counts), 1)
        self.variance_ = float(((X - self.means_[codes]) ** 2).sum() / (n_free * X.shape[1]))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the nearest mean; the first in sorted order on ties.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        closeness = self._closeness(X)  # first: it says if nothing was fitted
        labels: NDArray[Any] = self.classes_[closeness.argmax(axis=1)]
        return labels

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return how near the mean of each class is, larger is nearer.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            Minus half the squared distance up to a constant of each row; for two classes
            the value of the second minus that of the first.
        """
        closeness = self._closeness(X)
        if len(self.classes_) == 2:
            return closeness[:, 1] - closeness[:, 0]
        return closeness

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class under the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to 1. Where `variance_` is 0, 1 for the predicted class.
        """
        closeness = self._closeness(X)
        if self.variance_ == 0:
            shares = np.eye(len(self.classes_))[closeness.argmax(axis=1)]
        else:
            shares = np.exp((closeness - closeness.max(axis=1, keepdims=True)) / self.variance_)
        probabilities: NDArray[np.float64] = shares / shares.sum(axis=1, keepdims=True)
        return probabilities

    def _closeness(self, X: Any) -> NDArray[np.float64]:
        """Return x.m - m.m/2 for each mean m: -|x - m|^2 / 2 without the term of x alone."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        closeness: NDArray[np.float64] = X @ self.means_.T - (self.means_**2).sum(axis=1) / 2
        return closeness

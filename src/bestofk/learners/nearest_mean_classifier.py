"""Classifier by distance to the class means, with probabilities."""

from typing import Any, Self

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from bestofk.array_types import Floats
from bestofk.learners.fitted_predictions import HighestScore

# Share of squared distances, and of the spread of all rows, that counts as rounding.
EQUAL = 1e-12
# Share of the spread of all rows below which the spread within classes counts as rounding.
NO_SPREAD = 1e-24


class NearestMeanClassifier(HighestScore):
    """Predict the class whose mean is nearest in Euclidean distance.

    Squared distances are equal if they differ by no more than 1e-12 of the smallest one and of the
    mean squared distance of the training rows from their common mean, because such a difference is
    rounding. Equal distances give equal probabilities; ties go to the class that is first in sorted
    order.

    Probabilities and decision values are those of the model behind this rule [1]_: normal
    classes, equally frequent, with one covariance matrix that is a multiple of the identity.
    So the most probable class is always the predicted one. (scikit-learn's `NearestCentroid`
    predicts by plain distances, but its probabilities weight the columns.)

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.
    means_ : ndarray of shape (n_classes, n_features)
        Mean of each class.
    variance_ : float
        Mean squared distance to the mean of the row's class, per column and degree of freedom; 0 if
        every row equals its mean up to rounding; probabilities are then 0 and 1.
    spread_ : float
        Mean squared distance of the training rows from their common mean.

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

    code_version = 1

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
        # relative to the first row, so that a common offset is exact
        self.means_ = X[0] + (is_member @ (X - X[0])) / counts[:, np.newaxis]
        within = float(((X - self.means_[codes]) ** 2).sum())
        self.spread_ = float(X.var(axis=0).sum())
        if within <= NO_SPREAD * self.spread_ * len(X):
            within = 0.0
        self.variance_ = within / (max(len(X) - len(counts), 1) * X.shape[1])
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return the closeness to the mean of each class; larger is nearer.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            Minus half the squared distance; for two classes the value of the second minus
            that of the first.
        """
        closeness = self._class_scores(X)
        if len(self.classes_) == 2:
            return closeness[:, 1] - closeness[:, 0]
        return closeness

    def predict_proba(self, X: Any) -> Floats:
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
        closeness = self._class_scores(X)
        if self.variance_ == 0:
            shares = np.eye(len(self.classes_))[closeness.argmax(axis=1)]
        else:
            shares = np.exp((closeness - closeness.max(axis=1, keepdims=True)) / self.variance_)
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def _class_scores(self, X: Any) -> Floats:
        """Return -|x - m|^2 / 2 for each mean m, equal for all nearest ones."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        squares = cdist(X, self.means_, "sqeuclidean")
        nearest = squares.min(axis=1, keepdims=True)
        is_nearest = squares <= nearest + EQUAL * (nearest + self.spread_)
        return np.asarray(np.where(is_nearest, nearest, squares) / -2)

"""Naive Bayes classifier with a kernel density for every class and column."""

import math
from typing import Any, Self

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from bestofk.array_types import Floats, Ints
from bestofk.learners.fitted_predictions import HighestScore

# Numbers held at once while kernels are summed.
_BLOCK = 2**18


class KernelNaiveBayesClassifier(HighestScore):
    """Predict by naive Bayes with a kernel density for every class and column.

    The density of a column in a class is the mean of normal densities, one around each
    training value of the class (flexible naive Bayes [1]_). All have one standard deviation:
    the range of the class's values over the square root of their number, but at least a
    sixth of the mean gap between neighboring distinct values of the column over all classes.
    Columns that are constant in the training rows carry no information and are left out. The prior
    of a class is its share of the training rows. Logarithms are summed, so a value far from all
    kernels still favors the class whose kernels are nearest relative to their widths.

    DEVIATION from [1]_, where the standard deviation is 1 / sqrt(n): the width follows Weka's
    kernel estimator, so that it has the unit of the column. Unlike Weka, values are not rounded to
    the gap, densities are taken at the value instead of averaged over one gap, and priors are not
    smoothed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.
    class_prior_ : ndarray of shape (n_classes,)
        Share of the training rows.
    widths_ : ndarray of shape (n_classes, n_features)
        Standard deviation of the kernels; 0 in columns that are left out.

    References
    ----------
    .. [1] John and Langley (1995), Estimating continuous distributions in Bayesian
       classifiers, Conference on Uncertainty in Artificial Intelligence 11.

    Examples
    --------
    Two clusters with another class between them, which one normal density per class could not
    separate:

    >>> X, y = [[0.0], [1.0], [4.0], [5.0], [8.0], [9.0]], ["a", "a", "b", "b", "a", "a"]
    >>> KernelNaiveBayesClassifier().fit(X, y).predict([[0.5], [4.5], [8.5]])
    array(['a', 'b', 'a'], dtype='<U1')
    """

    code_version = 1

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the distinct values of each class, and compute the widths.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.
        y : array-like of shape (n_samples,)
            Labels. One class is valid.

        Returns
        -------
        KernelNaiveBayesClassifier
            Itself.

        Raises
        ------
        ValueError
            If a number is missing or infinite, or `y` holds no classes.
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
        self.class_prior_ = counts / len(codes)
        self.widths_ = np.zeros((len(counts), X.shape[1]))
        self._kernels: list[list[tuple[Floats, Ints]]] = []
        members = [X[codes == index] for index in range(len(counts))]
        for index in range(X.shape[1]):
            known = [np.unique(rows[:, index], return_counts=True) for rows in members]
            self._kernels.append(known)
            distinct = np.unique(np.concatenate([values for values, _ in known]))
            if len(distinct) > 1:
                gap = (distinct[-1] - distinct[0]) / (len(distinct) - 1)
                ranges = np.array([values[-1] - values[0] for values, _ in known])
                self.widths_[:, index] = np.maximum(ranges / np.sqrt(counts), gap / 6)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to 1.
        """
        logs = self._class_scores(X)
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def _class_scores(self, X: Any) -> Floats:
        """Return the logarithm of prior times densities, shape (n_samples, n_classes)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        logs = np.tile(np.log(self.class_prior_), (len(X), 1))
        for index in np.flatnonzero(self.widths_.any(axis=0)):
            asked, position = np.unique(X[:, index], return_inverse=True)
            for item, (values, counts) in enumerate(self._kernels[index]):
                width = self.widths_[item, index]
                logs[:, item] += _log_density(asked, values, counts, width)[position]
        return logs


def _log_density(asked: Floats, values: Floats, counts: Ints, width: float) -> Floats:
    """Return the logarithm of the mean of normal densities at each number."""
    sums = np.empty(len(asked))
    step = max(1, _BLOCK // len(values))
    for start in range(0, len(asked), step):
        some = slice(start, start + step)
        halves = ((asked[some, np.newaxis] - values) / width) ** 2 / 2
        nearest = halves.min(axis=1)
        sums[some] = np.log(np.exp(nearest[:, np.newaxis] - halves) @ counts) - nearest
    return sums - math.log(counts.sum() * width * math.sqrt(2 * math.pi))

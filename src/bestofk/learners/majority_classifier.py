"""Classifier that predicts the most frequent class."""

from typing import Any, Self

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets


class MajorityClassifier(DummyClassifier):  # type: ignore[misc]
    """Predict the most frequent class, with the class shares as probabilities.

    Like `DummyClassifier(strategy="prior")`, but targets that are missing, infinite or continuous
    are refused, as by other classifiers.

    Examples
    --------
    >>> MajorityClassifier().fit([[0], [0], [0]], ["b", "a", "b"]).predict([[1]])
    array(['b'], dtype='<U1')
    """

    code_version = 1

    def __init__(self) -> None:
        super().__init__(strategy="prior")

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Not used.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the rows.

        Returns
        -------
        MajorityClassifier
            Itself.

        Raises
        ------
        ValueError
            If a target is missing or infinite, or `y` holds no classes.
        """
        assert_all_finite(np.asarray(y), input_name="y")
        check_classification_targets(y)
        super().fit(X, y, sample_weight)
        return self

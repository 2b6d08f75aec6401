"""Base classes for predictions: wrappers of a learner, and classifiers that score every class."""

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from bestofk.array_types import Floats


def inside_has(method: str) -> Any:
    """Return a decorator of methods that exist only if the wrapped learner has a named method."""
    return available_if(lambda self: hasattr(self._inside, method))


class FittedPredictions:
    """Base of wrappers that predict by their fitted learner.

    Attributes
    ----------
    _inside_name : str
        Name of the parameter with the learner; with an underscore appended, that of the fitted
        learner.
    """

    _inside_name: ClassVar[str] = "estimator"

    @property
    def _inside(self) -> Any:
        """The fitted learner; before `fit` the given one."""
        return vars(self).get(f"{self._inside_name}_", getattr(self, self._inside_name))

    def _fitted_for(self, X: Any) -> Any:
        """Return the fitted learner for predictions of some rows, or raise."""
        check_is_fitted(self, f"{self._inside_name}_")
        return self._inside

    def predict(self, X: Any) -> Any:
        """Return the predictions of the fitted learner, shape (n_samples,)."""
        return self._fitted_for(X).predict(X)

    @inside_has("predict_proba")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """Return its class probabilities, shape (n_samples, n_classes)."""
        return self._fitted_for(X).predict_proba(X)

    @inside_has("decision_function")  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        """Return its decision values, in the shape of scikit-learn."""
        return self._fitted_for(X).decision_function(X)


class HighestScore(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base of classifiers that predict the class with the highest score."""

    classes_: np.ndarray

    @abstractmethod
    def _class_scores(self, X: Any) -> Floats:
        """Return a score of every class, shape (n_samples, n_classes)."""

    def predict(self, X: Any) -> np.ndarray:
        """Return the class with the highest score; ties go to the first in sorted order.

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
            If a number is missing, or the classifier is not fitted.
        """
        scores = self._class_scores(X)  # first, because it raises if nothing was fitted
        return np.asarray(self.classes_[scores.argmax(axis=1)])

"""A learner that predicts one class, to be made to fail, stop or remember."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class FirstClass(ClassifierMixin, BaseEstimator):
    """Predicts the first class that it knows."""

    def fit(self, X: Any, y: Any) -> FirstClass:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[0])

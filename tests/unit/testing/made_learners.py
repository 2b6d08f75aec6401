"""Learners of which tests make right and wrong batched forms."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from bestofk.batched import BatchedForm


class Shares(ClassifierMixin, BaseEstimator):
    """Predicts the class shares of the training rows, and the last class that it knows."""

    def __init__(self, form: type[BatchedForm] | None = None) -> None:
        self.form = form

    def batched_form(self) -> type[BatchedForm] | None:
        return self.form

    def fit(self, X: Any, y: Any) -> Shares:
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares_ = counts / len(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[-1])

    def predict_proba(self, X: Any) -> Any:
        return np.tile(self.shares_, (len(X), 1))


class Mean(RegressorMixin, BaseEstimator):
    """Predicts the mean, or fails."""

    def __init__(self, form: type[BatchedForm], fails: bool = False) -> None:
        self.form = form
        self.fails = fails

    def batched_form(self) -> type[BatchedForm]:
        return self.form

    def fit(self, X: Any, y: Any) -> Mean:
        if self.fails:
            raise ValueError("no mean today")
        self.mean_ = y.mean()
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.mean_)

"""XGBoost with class labels of any kind."""

from typing import Any, Self

import numpy as np
from xgboost import XGBClassifier

from bestofk.array_types import Values


class XGBoostClassifier(XGBClassifier):  # type: ignore[misc]
    """`xgboost.XGBClassifier`, whose labels need not be 0, 1, 2, ...

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.
    """

    code_version = 1

    _labels: Values | None = None

    def fit(self, X: Any, y: Any, **params: Any) -> Self:
        """Fit on positions of labels; arguments are those of `XGBClassifier.fit`."""
        labels, positions = np.unique(np.asarray(y), return_inverse=True)
        self._labels = None
        super().fit(X, positions, **params)
        self._labels = labels
        return self

    @property
    def classes_(self) -> Values:
        """The labels in sorted order."""
        positions: Values = super().classes_  # what XGBoost sees during its own fit
        return positions if self._labels is None else self._labels

    def predict(self, X: Any, **params: Any) -> Values:
        """Return the label of each row; arguments are those of `XGBClassifier.predict`."""
        return self.classes_[np.asarray(super().predict(X, **params), dtype=np.intp)]

"""Regressors of scikit-learn with a standardized target, or with shuffled rows."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.linear_model import ElasticNetCV
from sklearn.neural_network import MLPRegressor
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from sklearn.utils import column_or_1d, shuffle

from bestofk.array_types import Floats


class _StandardizedTarget(BaseEstimator):  # type: ignore[misc]
    """Standardize the target before `fit` of the parent class, and predict in its original unit.

    `TransformedTargetRegressor` would hide the parameters, and would not pass row weights to `fit`.

    Attributes
    ----------
    target_scaler_ : StandardScaler
        The scaler of the target.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit on the standardized target, shape (n_samples,), with optional weights of rows."""
        column = column_or_1d(y, warn=True)[:, None]
        self.target_scaler_ = StandardScaler().fit(column, sample_weight=sample_weight)
        super().fit(X, self.target_scaler_.transform(column)[:, 0], sample_weight)
        return self

    def predict(self, X: Any) -> Floats:
        """Return values in the unit of the target, shape (n_samples,)."""
        values = super().predict(X)
        return np.asarray(self.target_scaler_.inverse_transform(values[:, None])[:, 0])


class StandardizedSVR(_StandardizedTarget, SVR):  # type: ignore[misc]
    """`sklearn.svm.SVR` whose target is standardized: C and epsilon mean the same in any unit.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(20.0)[:, None]
    >>> cents, euros = (StandardizedSVR().fit(X, unit * X[:, 0]).predict(X) for unit in (100, 1))
    >>> bool(np.allclose(cents, 100 * euros))
    True
    """

    code_version = 1


class StandardizedMLPRegressor(_StandardizedTarget, MLPRegressor):  # type: ignore[misc]
    """`sklearn.neural_network.MLPRegressor` whose target is standardized.

    In other units the network may need many more passes, or may not converge.
    """

    code_version = 1


class ShuffledElasticNetCV(ElasticNetCV):  # type: ignore[misc]
    """`sklearn.linear_model.ElasticNetCV` whose inner folds are random rows.

    scikit-learn's folds are consecutive rows: if these are sorted by the target, every fold has
    target values that the others lack.
    """

    code_version = 1
    #: Attribute that `has_inner_search` reads.
    chooses_settings = True

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit on shuffled rows; arguments are those of `ElasticNetCV.fit`."""
        target = column_or_1d(y, warn=True)
        weights = [] if sample_weight is None else [np.asarray(sample_weight)]
        super().fit(*shuffle(X, target, *weights, random_state=self.random_state))
        return self

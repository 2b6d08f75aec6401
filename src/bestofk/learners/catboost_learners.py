"""CatBoost with parameters that scikit-learn can read, including the seed."""

import inspect
from typing import Any, Self

import numpy as np
from catboost import CatBoostClassifier, CatBoostRegressor

from bestofk.array_types import Values


class _SeenParameters:
    """Mixin whose unset parameters are None, not absent, so that a run can set the seed."""

    code_version = 1

    _init_params: dict[str, Any]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return all parameters by name, None if not set; `deep` has no effect."""
        names = inspect.signature(type(self)).parameters
        return {**dict.fromkeys(names), **self._init_params}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; None unsets one."""
        for name, value in params.items():
            self._init_params.pop(name, None)
            if value is not None:
                super().set_params(**{name: value})  # type: ignore[misc]
        return self


class CatBoostSeededClassifier(_SeenParameters, CatBoostClassifier):  # type: ignore[misc]
    """`catboost.CatBoostClassifier` that scikit-learn can seed."""

    def predict(self, X: Any) -> Values:
        """Return the most probable class of each row, shape (n_samples,)."""
        best = np.asarray(self.predict_proba(X)).argmax(axis=1)
        return np.asarray(np.asarray(self.classes_)[best])


class CatBoostSeededRegressor(_SeenParameters, CatBoostRegressor):  # type: ignore[misc]
    """`catboost.CatBoostRegressor` that scikit-learn can seed."""

"""Wrapper that adds noise to training rows only."""

from __future__ import annotations

import copy
import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_regressor
from sklearn.utils import check_array, check_random_state, get_tags

from bestofk.errors import BestofkWarning, InvalidArgumentError
from bestofk.learners.fitted_predictions import FittedPredictions, inside_has
from bestofk.learners.noise import (
    CLASS,
    check_noise_fraction,
    check_noise_kind,
    is_frame,
    with_noise,
)
from bestofk.learners.weight_parameter import weight_parameter

_LEARNED = ("classes_", "n_features_in_", "feature_names_in_")


class NoisyTraining(FittedPredictions, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Add noise to the rows that an estimator is fitted to, and to no others.

    In a cross-validation the training part of every split is noisy and the test part clean.

    Parameters
    ----------
    estimator : estimator
        A classifier or regressor; a clone of it is fitted.
    kind : {"class", "random-class", "feature", "missing"}, default="class"
        What is wrong in the training rows.

        - "class": so many rows get another class, each of the others equally likely [1]_.
        - "random-class": so many rows get a class drawn from all, each equally likely, so that
          about one in K of K classes keeps its own [1]_.
        - "feature": in every column so many values are replaced [1]_, [2]_. Numbers: by a number
          drawn evenly between smallest and largest, a whole one in a column of whole numbers;
          anything else: by another value of the column, each equally likely.
        - "missing": in every column so many values become missing, completely at random [3]_.
    fraction : float in [0, 1), default=0.1
        Share of the rows, or of the values of each column that are not missing. Exactly
        ``fraction * n`` of them, rounded half up.
    random_state : int, RandomState or None, default=None
        What the noise is derived from, together with the rows themselves: the same rows get
        the same noise whatever the estimator is. A larger fraction adds to the noise of a
        smaller.

    Attributes
    ----------
    estimator_ : estimator
        Fitted to the noisy rows.
    is_noisy_ : ndarray of bool
        Of the last fit: rows with another class, or with one drawn at random, shape
        (n_samples,), or cells with another or no value, shape (n_samples, n_features).
    classes_, n_features_in_, feature_names_in_
        Those of `estimator_`, where it has them.

    Notes
    -----
    Columns without two different values keep theirs under "feature". Types of columns stay,
    but types without a missing value (plain whole numbers and booleans, texts of an array)
    become floats or objects under "missing".

    References
    ----------
    .. [1] Saez (2022), Noise models in classification: unified nomenclature, extended taxonomy
       and pragmatic categorization, Mathematics 10(20): symmetric uniform and
       completely-uniform label noise, symmetric uniform attribute noise.
    .. [2] Zhu & Wu (2004), Class noise vs. attribute noise: a quantitative study, Artificial
       Intelligence Review 22.
    .. [3] Rubin (1976), Inference and missing data, Biometrika 63(3).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NoisyTraining(GaussianNB(), fraction=0.2, random_state=0).fit(X, y)
    >>> int(model.is_noisy_.sum())
    30
    """

    code_version = 1

    def __init__(
        self,
        estimator: BaseEstimator,
        *,
        kind: str = CLASS,
        fraction: float = 0.1,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.kind = kind
        self.fraction = fraction
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit a clone of the estimator to a noisy copy of the rows.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)
            Inputs; never changed.
        y : array-like of shape (n_samples,)
            Target; never changed.
        sample_weight : array-like of shape (n_samples,), optional
            Handed on to an estimator that takes weights.

        Returns
        -------
        NoisyTraining
            Itself.

        Raises
        ------
        InvalidArgumentError
            If `kind` or `fraction` breaks its rule, classes of a regressor are to be changed,
            or there is one class only.
        """
        check_noise_kind(self.kind)
        fraction = check_noise_fraction(self.fraction, "fraction of NoisyTraining")
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None."
            )
        if self.kind == CLASS and is_regressor(self):
            raise InvalidArgumentError(
                f"kind of NoisyTraining must be 'feature' or 'missing' for a regressor; got "
                f"{self.kind!r}. Numbers to be predicted have no other class."
            )
        if not is_frame(X):
            X = check_array(X, dtype=None, ensure_all_finite=False, input_name="X")
        X, y, self.is_noisy_ = with_noise(
            X, y, kind=self.kind, fraction=fraction, seed=_seed(self.random_state)
        )
        estimator = clone(self.estimator, safe=False)
        self.estimator_ = estimator.fit(X, y, **_weights(estimator, sample_weight))
        for name in _LEARNED:
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    @inside_has("score")  # type: ignore[untyped-decorator]
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the score that the fitted estimator gives itself on clean rows."""
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self._fitted_for(X).score(X, y, **weights))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if hasattr(self.estimator, "__sklearn_tags__"):
            inner = copy.deepcopy(get_tags(self.estimator))
            tags.estimator_type = inner.estimator_type
            tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
            tags.input_tags, tags.target_tags = inner.input_tags, inner.target_tags
        tags.input_tags.sparse = False
        tags.target_tags.required = True
        return tags


def _seed(random_state: Any) -> int:
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))


def _weights(estimator: BaseEstimator, sample_weight: Any) -> dict[str, Any]:
    """Return weights under the name that the estimator has for them, if it takes any."""
    if sample_weight is None:
        return {}
    name = weight_parameter(estimator)
    if name is None:
        text = "the learner takes no sample_weight; fitted without weights"
        warnings.warn(text, BestofkWarning, stacklevel=3)
        return {}
    return {name: sample_weight}

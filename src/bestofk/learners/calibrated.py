"""Wrapper that calibrates the probabilities of a classifier within its training rows."""

import warnings
from typing import Any, ClassVar, Final, Self

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.utils import assert_all_finite, column_or_1d, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from bestofk.learners.fitted_predictions import FittedPredictions
from bestofk.learners.learner import UNWEIGHTED, weight_parameter

N_FOLDS: Final = 5


class Calibrated(FittedPredictions, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Calibrate the probabilities of a classifier by cross-validation within its training rows.

    It uses scikit-learn's `CalibratedClassifierCV` with its defaults: for each of five stratified
    folds, a clone is trained on the others, a sigmoid maps its scores on the fold to probabilities
    [1]_, and the five are averaged. This takes five fits, each on four fifths of the rows.

    Parameters
    ----------
    estimator : classifier
        Has `predict_proba` or `decision_function`; cloned before it is fitted.

    Attributes
    ----------
    estimator_ : classifier
        A `CalibratedClassifierCV`, or the plain classifier if calibration was not possible.
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.

    Notes
    -----
    If the rarest class has fewer than five rows (or groups), there are as many folds as these. If
    there is only one, or a fold would contain all rows of a class, nothing is calibrated: the plain
    classifier is fitted to all rows.

    References
    ----------
    .. [1] Platt (1999), Probabilistic outputs for support vector machines and comparisons to
       regularized likelihood methods, Advances in Large Margin Classifiers.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import LinearSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> Calibrated(LinearSVC()).fit(X, y).predict_proba(X[:1]).shape
    (1, 3)
    """

    code_version = 1

    #: Whether `fit` takes the groups of rows.
    takes_groups: ClassVar[bool] = True

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    @property
    def _inside(self) -> Any:
        """The fitted learner; before `fit` a stand-in that has only `predict_proba`."""
        return vars(self).get("estimator_", CalibratedClassifierCV(self.estimator))

    def fit(self, X: Any, y: Any, *, groups: Any = None, sample_weight: Any = None) -> Self:
        """Fit the classifier in every fold, and calibrate it there.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Labels.
        groups : array-like of shape (n_samples,), optional
            Rows of a group stay in one fold.
        sample_weight : array-like of shape (n_samples,), optional
            Weights for training and for calibration.

        Returns
        -------
        Calibrated
            Itself.

        Raises
        ------
        ValueError, TypeError
            Errors of the classifier.
        """
        validate_data(self, X, y, skip_check_array=True)
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        given: dict[str, Any] = {}
        if groups is not None and getattr(self.estimator, "takes_groups", False):
            given["groups"] = groups
        if sample_weight is not None and (name := weight_parameter(self.estimator)):
            given[name] = sample_weight
        elif sample_weight is not None:
            warnings.warn(UNWEIGHTED, stacklevel=2)
            sample_weight = None
        splits = _splits(y, groups)
        with config_context(enable_metadata_routing=False), warnings.catch_warnings():
            # a pipeline receives its weights under another name
            warnings.filterwarnings("ignore", "Since .* does not appear to accept sample_weight")
            if splits:
                given.setdefault("sample_weight", sample_weight)
                calibrated = CalibratedClassifierCV(self.estimator, cv=splits)
                self.estimator_ = calibrated.fit(X, y, **given)
            else:
                self.estimator_ = clone(self.estimator, safe=False).fit(X, y, **given)
        self.classes_ = np.asarray(getattr(self.estimator_, "classes_", np.unique(y)))
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags


def _splits(y: Any, groups: Any) -> list[Any]:
    """Return training and test rows of each fold; none if a fold contains a whole class."""
    classes, codes = np.unique(y, return_inverse=True)
    if groups is None:
        counts, folds = np.bincount(codes), StratifiedKFold
    else:
        kept = np.unique([codes, np.unique(groups, return_inverse=True)[1]], axis=1)
        counts, folds = np.bincount(kept[0]), StratifiedGroupKFold
    n_folds = min(N_FOLDS, int(counts.min()))
    if n_folds < 2:
        return []
    splits = list(folds(n_folds).split(codes, codes, groups))
    is_whole = all(len(np.unique(codes[train])) == len(classes) for train, _ in splits)
    return splits if is_whole else []

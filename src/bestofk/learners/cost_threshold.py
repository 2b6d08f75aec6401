"""Classifier that predicts the class of lowest expected cost."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.metrics import make_scorer
from sklearn.model_selection import StratifiedKFold, TunedThresholdClassifierCV
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from bestofk.array_types import Floats, Ints
from bestofk.checks import check_known
from bestofk.errors import InvalidArgumentError
from bestofk.measures.predicted_classes import checked_cost_matrix
from bestofk.measures.ties import at_most

BAYES, TUNED = "bayes", "tuned"

# Thresholds tried: steps of 0.1 in log odds, from 0.005 % to 99.995 %.
_LOG_ODDS = np.linspace(-10, 10, 201)
# Above every probability, so that the first class is always predicted.
_NEVER = 2.0
_MOST_FOLDS = 5


class CostThresholdClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predict the class of lowest expected cost, instead of the most probable one.

    Parameters
    ----------
    estimator : classifier
        Has `predict_proba`; cloned before it is fitted.
    cost_matrix : array-like of shape (n_classes, n_classes), float
        Cost of predicting the column's class where the row's class is true, classes in
        sorted order, as in `bestofk.compare`. Negative entries are gains; the diagonal may
        hold costs.
    threshold : {"bayes", "tuned"}, default="bayes"
        "bayes" relies on the probabilities and predicts the class of lowest expected cost; ties go
        to the first in sorted order. "tuned", for two classes, uses only the order of the
        probabilities: the second class is predicted above the threshold that cost least in a
        cross-validation of the training rows.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.
    cost_matrix_ : ndarray of shape (n_classes, n_classes), float64
        The costs.
    estimator_ : classifier
        Fitted on all training rows.
    threshold_ : float
        Tuned threshold: the smallest probability of the second class at which it is predicted. 0
        means always, 2 never.

    Notes
    -----
    Row i, column j of the matrix is C(i, j). The expected cost of class j is the sum of
    P(i) C(i, j) over the true classes i [1]_. With two classes the second one is cheaper
    above the probability a / (a + b), where a = C(0, 1) - C(0, 0) is the added cost of a false
    alarm and b = C(1, 0) - C(1, 1) that of a miss.

    Tuning uses scikit-learn's `TunedThresholdClassifierCV` with at most five stratified folds,
    unshuffled, on a fixed grid that includes the threshold of "bayes". Ties go to the threshold
    nearest to that one in log odds. Do not trust it with few rows of a class: there are few errors
    to tune on.

    References
    ----------
    .. [1] Elkan (2001), The foundations of cost-sensitive learning, IJCAI.
    .. [2] Sheng & Ling (2006), Thresholding for making classifiers cost-sensitive, AAAI.

    Examples
    --------
    A class with one row in four is predicted if missing it costs ten times a false alarm:

    >>> from bestofk.learners.majority_classifier import MajorityClassifier
    >>> X, y = [[0], [0], [0], [0]], ["no", "no", "no", "yes"]
    >>> learner = CostThresholdClassifier(MajorityClassifier(), [[0, 1], [10, 0]]).fit(X, y)
    >>> learner.predict_proba(X[:1]).tolist(), learner.predict(X[:1]).tolist()
    ([[0.75, 0.25]], ['yes'])
    """

    code_version = 1

    def __init__(
        self, estimator: BaseEstimator, cost_matrix: ArrayLike, *, threshold: str = BAYES
    ) -> None:
        self.estimator = estimator
        self.cost_matrix = cost_matrix
        self.threshold = threshold

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the classifier and, if asked for, tune the threshold.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Input of the classifier.
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        CostThresholdClassifier
            Itself.

        Raises
        ------
        InvalidArgumentError
            If the costs are not a table of finite numbers for the classes of `y`, the classifier
            has no probabilities, or `threshold` is unknown. For "tuned" also if there are not two
            classes with two rows each, or an error does not cost more than the right answer.
        """
        check_classification_targets(y)
        self._check_options()
        self.classes_, counts = np.unique(y, return_counts=True)
        self.cost_matrix_ = checked_cost_matrix(self.cost_matrix, len(counts))
        if self.threshold == TUNED:
            self._tune(X, y, counts)
        else:
            self.estimator_ = clone(self.estimator).fit(X, y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the class with the lowest expected cost.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Input of the classifier.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        probabilities = self.predict_proba(X)
        if self.threshold == TUNED:
            chosen = (probabilities[:, 1] >= self.threshold_).astype(np.int64)
        else:
            chosen = (probabilities @ self.cost_matrix_).argmin(axis=1)
        return np.asarray(self.classes_[chosen])

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of the classifier, columns in the order of `classes_`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Input of the classifier.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        known = np.searchsorted(self.classes_, self.estimator_.classes_)
        probabilities: Floats = self.estimator_.predict_proba(X)
        return probabilities[:, np.argsort(known)]

    def _check_options(self) -> None:
        check_known(self.threshold, "threshold", (BAYES, TUNED), rule="one of two words")
        if not hasattr(self.estimator, "predict_proba"):
            raise InvalidArgumentError(
                "estimator of CostThresholdClassifier must have predict_proba; got "
                f"{self.estimator!r}. Wrap it in scikit-learn's CalibratedClassifierCV."
            )

    def _tune(self, X: Any, y: Any, counts: Ints) -> None:
        """Fit, and choose the cheapest threshold; ties go to the one nearest to theory."""
        theory = self._threshold_of_theory(counts)
        cheapest = TunedThresholdClassifierCV(
            self.estimator,
            scoring=make_scorer(
                _mean_cost, greater_is_better=False, classes=self.classes_, costs=self.cost_matrix_
            ),
            response_method="predict_proba",
            thresholds=np.unique([0.0, *expit(_LOG_ODDS), theory, _NEVER]),
            cv=StratifiedKFold(min(_MOST_FOLDS, int(counts.min()))),
            store_cv_results=True,
        ).fit(X, y)
        self.estimator_ = cheapest.estimator_
        tried, gains = (cheapest.cv_results_[name] for name in ("thresholds", "scores"))
        equal = tried[at_most(gains.max(), gains)]
        distance = np.abs(logit(np.minimum(equal, 1)) - logit(theory))
        self.threshold_ = float(equal[distance.argmin()])

    def _threshold_of_theory(self, counts: Ints) -> float:
        if len(counts) != 2 or counts.min() < 2:
            raise InvalidArgumentError(
                "classes of a tuned threshold must be two with at least two rows each; got "
                f"{dict(zip(self.classes_.tolist(), counts.tolist(), strict=True))}. "
                f"Use threshold={BAYES!r}."
            )
        costs = self.cost_matrix_
        # added cost of an error on the first class, and on the second
        alarm, miss = (float(costs[k, 1 - k] - costs[k, k]) for k in (0, 1))
        if not (alarm > 0 and miss > 0):
            raise InvalidArgumentError(
                "cost_matrix of a tuned threshold must charge more for an error than for the right "
                f"answer; got {self.cost_matrix_.tolist()}. Use threshold={BAYES!r}."
            )
        return alarm / (alarm + miss)


def _mean_cost(y_true: Any, y_pred: Any, *, classes: np.ndarray, costs: Floats) -> float:
    true, predicted = (np.searchsorted(classes, np.asarray(y)) for y in (y_true, y_pred))
    return float(costs[true, predicted].mean())

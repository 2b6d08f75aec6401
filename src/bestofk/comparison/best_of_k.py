"""The comparison as a scikit-learn estimator: fit compares, predict uses the best."""

from __future__ import annotations

from typing import Any, Unpack

import narwhals as nw
import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, is_regressor
from sklearn.utils import ClassifierTags, RegressorTags, check_array, column_or_1d
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from bestofk.comparison.options import OPTIONS, ComparisonSettings, RunArguments
from bestofk.comparison.prepared_comparison import prepare_comparison, run_comparison
from bestofk.data import from_arrays
from bestofk.data.arrays import joined_rows, plain_target
from bestofk.data.containers import checked_table, one_column
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.fit import fit_on_all
from bestofk.learners import (
    base_name,
    is_group,
    learner_catalogue,
    resolve_learners,
    split_at_commas,
)
from bestofk.options import with_options


def _best_has(method: str) -> Any:
    def check(self: BestOfK) -> bool:
        if hasattr(self, "best_estimator_"):
            return hasattr(self.best_estimator_, method)
        # before fitting: only what every learner offers
        entered = resolve_learners(self.learners, self._task())
        return all(hasattr(item.estimator, method) for item in entered)

    return available_if(check)


class _Arguments(RunArguments, total=False):
    cv: Any
    stratify: bool
    tune: bool
    average: bool
    target_transform: str | None
    keep: str
    timeout: float | None
    test: str
    correction: str
    alpha: float
    prefer: Any
    protocol: str | None


@with_options(_Arguments, OPTIONS)
class BestOfK(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Estimator that compares K learners in `fit` and predicts with the best.

    Parameters
    ----------
    learners : list, dict or None
        As in `bestofk.compare`.
    task : {"auto", "classification", "regression"}, default="auto"
        Type of target; auto takes the task of the learners, and classification if none are
        given.
    **options
        As in `bestofk.compare`.

    Attributes
    ----------
    best_estimator_ : estimator
        The best learner, fitted to all rows.
    best_name_ : str
        Its name.
    order_ : list of str
        All learners, best first.
    comparison_ : Comparison
        The verdict and everything behind it.
    classes_ : ndarray of shape (n_classes,)
        Class labels; only for classification.
    n_features_in_ : int
        Number of inputs seen in `fit`.
    feature_names_in_ : ndarray of str
        Names of the inputs, if all have one.

    Notes
    -----
    The mean score of the best learner is optimistic, because the learner was chosen by it.  For an
    honest estimate, cross-validate the BestOfK itself.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bestofk import BestOfK
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BestOfK(["nearest-mean", "logistic"], cv="5x2").fit(X, y)
    >>> model.best_name_, model.predict(X[:2]).tolist()
    ('logistic', [0, 0])
    """

    task: str
    random_state: int

    def __init__(self, learners: Any = None, **options: Unpack[_Arguments]) -> None:
        self.learners = learners
        for name, value in options.items():
            setattr(self, name, value)

    def fit(self, X: Any, y: Any, **params: Any) -> BestOfK:
        """Compare the learners, and fit the best one to all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Inputs.
        y : array-like of shape (n_samples,)
            Target.
        **params : groups, sample_weight
            As in `bestofk.compare`.

        Returns
        -------
        BestOfK
            Itself.

        Raises
        ------
        InvalidArgumentError
            If an argument breaks its rule, or no learner finished.
        """
        X, y = self._checked(X, y)
        options = self.get_params(deep=False)
        learners, store, task = options.pop("learners"), options.pop("store"), self._task()
        cells = np.asarray(y)
        if task == "classification" and cells.dtype.kind == "f" and not np.isnan(cells).any():
            check_classification_targets(cells)
        del options["task"]
        data = from_arrays(X, y, task=task, **params)
        if task == "classification":
            self.classes_ = data.classes
            if len(self.classes_) < 2:
                raise InvalidArgumentError(
                    f"y must have at least two classes; got one class, {self.classes_[0]!s}. "
                    "There is nothing to choose between."
                )
        entered = resolve_learners(learners, data.task)
        prepared = prepare_comparison(entered, data, ComparisonSettings(**options))
        comparison = run_comparison(prepared, store)
        if comparison.best is None:
            failure = next(
                (learner.failure for learner in comparison.findings.learners if learner.failure), ""
            )
            raise InvalidArgumentError(
                f"at least one of the learners must finish; none did. First failure: {failure}"
            )
        self.comparison_ = comparison
        self.best_name_ = comparison.best
        self.order_ = comparison.order
        evaluation = comparison.evaluation
        index = evaluation.names.index(comparison.best)
        self.best_estimator_ = fit_on_all(evaluation, index, random_state=self.random_state)
        if task == "classification":
            self.classes_ = np.asarray(getattr(self.best_estimator_, "classes_", self.classes_))
        return self

    def predict(self, X: Any) -> Any:
        """Predict with the best learner.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Inputs.

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes or values.
        """
        X = self._seen(X)
        return self.best_estimator_.predict(X)

    @_best_has("predict_proba")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """Return class probabilities of the best learner, shape (n_samples, n_classes)."""
        X = self._seen(X)
        return self.best_estimator_.predict_proba(X)

    @_best_has("decision_function")  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        """Return decision values of the best learner."""
        X = self._seen(X)
        return self.best_estimator_.decision_function(X)

    def score(self, X: Any, y: Any) -> float:
        """Return accuracy, or the coefficient of determination for regression."""
        from sklearn.metrics import accuracy_score, r2_score

        metric = r2_score if self._task() == "regression" else accuracy_score
        joined_rows({"X": X, "y": y})
        predicted = self.predict(X)
        return float(metric(plain_target(one_column(y, "y"), len(predicted)), predicted))

    def _checked(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Turn lists into arrays; leave frames and arrays unchanged."""
        X = _table(X, min_samples=2)
        validate_data(self, X, y, skip_check_array=True)
        return X, y if hasattr(y, "to_numpy") else column_or_1d(y, warn=True)

    def _seen(self, X: Any) -> Any:
        check_is_fitted(self, "best_estimator_")
        X = _table(X, min_samples=1)
        validate_data(self, X, reset=False, skip_check_array=True)
        return X

    def _task(self) -> str:
        if self.task != "auto":
            return str(self.task)
        given = self.learners
        if given is None:
            return "classification"
        given = list(given.values()) if isinstance(given, dict) else given
        given = split_at_commas(given) if isinstance(given, str) else given
        given = given if isinstance(given, list | tuple) else [given]
        given = [item[1] if isinstance(item, tuple) else item for item in given]
        given = [item for item in given if not is_group(item)]
        regressors = learner_catalogue("regression", optional=True)
        are_regressors = [
            base_name(item) in regressors if isinstance(item, str) else is_regressor(item)
            for item in given
        ]
        return "regression" if given and all(are_regressors) else "classification"

    def __sklearn_tags__(self) -> Any:

        tags = super().__sklearn_tags__()
        task = self._task()
        tags.estimator_type = "regressor" if task == "regression" else "classifier"
        tags.classifier_tags = ClassifierTags() if task == "classification" else None
        tags.regressor_tags = RegressorTags() if task == "regression" else None
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def _table(X: Any, *, min_samples: int) -> Any:
    """Return frames as learners read them, all else as a two-dimensional array, or refuse it."""
    if nw.from_native(X, pass_through=True) is not X:
        return checked_table(X)
    return check_array(
        X, dtype=None, ensure_all_finite=False, ensure_min_samples=min_samples, input_name="X"
    )

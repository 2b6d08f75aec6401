"""Fitted learner that takes rows with the original columns, and predicts labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_regressor
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from bestofk.checks import check_known
from bestofk.data import DataSet
from bestofk.data.arrays import joined_rows, plain_target
from bestofk.data.column_reader import TableReader, selected_columns
from bestofk.data.containers import checked_table, one_column
from bestofk.data.load import load_rows
from bestofk.data.table_columns import date_column
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation import Evaluation
from bestofk.evaluation.fit import fit_on_all
from bestofk.evaluation.score import missing_reason
from bestofk.learners.pipeline import reads_levels
from bestofk.measures import Measure, PredictionBatch


def _has(method: str) -> Any:
    def check(self: FittedLearner) -> bool:
        return hasattr(getattr(self, "estimator_", self.estimator), method)

    return available_if(check)


class FittedLearner(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Fitted learner that reads new rows like those of its comparison, and predicts.

    Made by `Comparison.fit`.

    Parameters
    ----------
    estimator : estimator
        The learner, not fitted.
    columns : TableReader, tuple of column names, or None
        How features are read from a source; their names in a frame; None for arrays.

    Attributes
    ----------
    estimator_ : estimator
        The learner, fitted.

    Examples
    --------
    >>> import pandas as pd
    >>> from bestofk import compare
    >>> frame = pd.DataFrame({"id": range(40), "size": [1, 2] * 20, "kind": ["a", "b"] * 20})
    >>> model = compare(["1nn", "majority"], frame, target="kind", cv="2x2").fit()
    >>> model.predict(frame.head(2)).tolist()
    ['a', 'b']
    """

    def __init__(self, estimator: Any, columns: Any = None) -> None:
        self.estimator = estimator
        self.columns = columns

    @classmethod
    def of(cls, fitted: Any, data: DataSet) -> FittedLearner:
        """Wrap an estimator that was fitted to the features of a data set."""
        columns: Any = data.reader
        if columns is None and hasattr(data.features, "columns"):
            columns = tuple(data.features.columns)
        learner = cls(clone(fitted, safe=False), columns)
        learner.estimator_ = fitted
        return learner

    def fit(self, X: Any, y: Any, **params: Any) -> FittedLearner:
        """Fit the learner to other rows.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Rows with the columns of the comparison.
        y : array-like of shape (n_samples,)
            Target.
        **params
            As for the learner.

        Returns
        -------
        FittedLearner
            Itself.
        """
        features = self.features_of(X)
        if isinstance(self.columns, TableReader) and reads_levels(self.estimator):
            dates = self.columns.dates.items()
            features = features.assign(**{c: date_column(features[c], role) for c, role in dates})
        self.estimator_ = clone(self.estimator, safe=False).fit(features, y, **params)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict labels or values.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features), str or Path
            New rows, with the columns of the comparison by their names; others are ignored. A
            file or a name that `load_data` takes, where the comparison was on one.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels as in the target, or numbers.

        Raises
        ------
        InvalidArgumentError
            If a column is missing, or a value cannot be read.
        """
        return np.asarray(self.estimator_.predict(self.features_of(X)))

    @_has("predict_proba")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """Return class probabilities, shape (n_samples, n_classes), in the order of `classes_`."""
        return self.estimator_.predict_proba(self.features_of(X))

    @_has("decision_function")  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        """Return decision values of the learner."""
        return self.estimator_.decision_function(self.features_of(X))

    def score(self, X: Any, y: Any) -> float:
        """Return accuracy, or the coefficient of determination for regression."""
        from sklearn.metrics import accuracy_score, r2_score

        metric = r2_score if is_regressor(self.estimator_) else accuracy_score
        return float(metric(y, self.predict(X)))

    @property
    def classes_(self) -> NDArray[Any]:
        """Class labels; only for classification."""
        return np.asarray(self.estimator_.classes_)

    def features_of(self, X: Any) -> Any:
        """Return the features of new rows as the learner was trained on them."""
        is_source = isinstance(X, str | Path)
        if isinstance(self.columns, TableReader):
            return load_rows(X, self.columns) if is_source else self.columns.read(X)
        if is_source:
            raise InvalidArgumentError(
                f"X must be an array or a frame, as the learner was trained on; got {X}. Read it "
                "first."
            )
        if self.columns is not None:
            return selected_columns(X, self.columns)
        features = X if hasattr(X, "shape") else np.asarray(X)
        n_features = getattr(getattr(self, "estimator_", None), "n_features_in_", None)
        if len(features.shape) != 2 or n_features not in (None, features.shape[1]):
            raise InvalidArgumentError(
                f"X must have rows of {n_features} values, as the learner was trained on; got "
                f"shape {features.shape}. Hand over the same columns in the same order."
            )
        return features

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimator_")

    def __sklearn_tags__(self) -> Any:
        tags = get_tags(self.estimator)
        tags.input_tags.allow_nan = tags.input_tags.string = True
        return tags

    def __repr__(self, **_: Any) -> str:
        return f"<FittedLearner of {self.estimator!r}>"


def fit_on_all_rows(evaluation: Evaluation, learner: str, random_state: int) -> FittedLearner:
    """Return a learner of a comparison, trained on all rows; see `Comparison.fit`."""
    index = evaluation.names.index(learner)
    fitted = fit_on_all(evaluation, index, random_state=random_state)
    return FittedLearner.of(fitted, evaluation.data)


def held_out_scores(
    learner: FittedLearner, X: Any, y: Any, *, data: DataSet, measures: tuple[Measure, ...]
) -> pd.Series:
    """Return measures of a fitted learner on rows that it has not seen; see `Comparison.score`."""
    joined_rows({"X_test": X, "y_test": y})
    true = _known_targets(_column(X, y) if isinstance(y, str) else y, data)
    labels = learner.predict(X)
    if len(labels) != len(true):
        raise InvalidArgumentError(
            f"y_test must have as many values as X_test has rows ({len(labels)}); got {len(true)}. "
            "Hand over rows and targets in the same order."
        )
    batch = prediction_batch_of(learner, X, labels, true, data)
    values = {measure.name: _value(measure, batch) for measure in measures}
    return pd.Series(values, dtype=float)


def _column(X: Any, name: str) -> Any:
    """Return the column of a frame that holds the target, or raise."""
    columns = [str(column) for column in getattr(checked_table(X), "columns", ())]
    check_known(name, "y_test", columns, rule="a column of X_test")
    return selected_columns(X, [name])


def _value(measure: Measure, batch: PredictionBatch) -> float:
    return float("nan") if missing_reason(measure, batch) else float(measure.compute(batch)[0])


def prediction_batch_of(
    learner: Any, X: Any, labels: NDArray[Any], true: NDArray[Any], data: DataSet
) -> PredictionBatch:
    """Return the predictions of a fitted estimator for some rows, for measures."""
    starts = np.array([0, len(true)], dtype=np.int64)
    if not data.is_classification:
        return PredictionBatch(true, labels.astype(np.float64), starts, data.classes)
    probabilities = decision = None
    if hasattr(learner, "predict_proba"):
        given = np.asarray(learner.predict_proba(X), dtype=np.float64)
        probabilities = np.zeros((len(true), len(data.classes)))
        probabilities[:, np.searchsorted(data.classes, learner.classes_)] = given
    elif hasattr(learner, "decision_function"):
        decision = np.asarray(learner.decision_function(X), dtype=np.float64)
    codes = np.searchsorted(data.classes, labels).astype(np.int64)
    return PredictionBatch(
        true, codes, starts, data.classes, probabilities, decision, data.positive
    )


def _known_targets(y: Any, data: DataSet) -> NDArray[Any]:
    """Return the target of new rows in the form that measures take, or raise."""
    values = np.asarray(one_column(y, "y_test"))
    if values.ndim != 1 or not len(values):
        raise InvalidArgumentError(
            f"y_test must have one value for each row of X_test; got shape {values.shape}. Hand "
            "over one column."
        )
    if values.dtype.kind in "mS":  # durations, and bytes
        values = plain_target(values, len(values))
    if data.is_classification:
        codes = {label: code for code, label in enumerate(data.classes.tolist())}
        as_text = {str(label): code for label, code in codes.items()}
        indices = [codes.get(value, as_text.get(str(value))) for value in values.tolist()]
        if None in indices:
            wrong = values.tolist()[indices.index(None)]
            raise InvalidArgumentError(
                f"y_test must hold classes that the learner was trained on; got {wrong!r}. "
                f"Known: {', '.join(as_text)}."
            )
        return np.array(indices, dtype=np.int64)
    try:
        numbers = values.astype(np.float64)
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if not np.isfinite(numbers).all():
        raise InvalidArgumentError(
            "y_test must be finite numbers; got "
            f"{'others' if len(numbers) < len(values) else 'some that are not'}. Leave out rows "
            "without a target."
        )
    return numbers

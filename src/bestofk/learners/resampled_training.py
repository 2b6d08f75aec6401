"""Wrapper that balances or weights the classes of training rows."""

from datetime import date
from typing import Any, Final, Self

import narwhals as nw
import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import (
    assert_all_finite,
    check_array,
    check_consistent_length,
    check_random_state,
    column_or_1d,
    get_tags,
)
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from bestofk.array_types import Bools, Floats, Ints
from bestofk.checks import check_known, optional_package
from bestofk.data.table_columns import NUMERIC, column_numbers, column_texts, prepared_role
from bestofk.data.table_columns import table_columns as columns_of
from bestofk.errors import InvalidArgumentError
from bestofk.learners.fitted_predictions import FittedPredictions
from bestofk.learners.learner import weight_parameter
from bestofk.learners.preparation import is_frame
from bestofk.randomness import derive_rng
from bestofk.scikit_internals import rows_of

OVER: Final = "over"
UNDER: Final = "under"
SMOTE: Final = "smote"
WEIGHTS: Final = "weights"
RESAMPLING_METHODS: Final = (OVER, UNDER, SMOTE, WEIGHTS)

# Chawla et al. (2002) draw the partner of a row from its five nearest ones.
_N_NEIGHBORS: Final = 5


class ResampledTraining(FittedPredictions, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Fit a classifier to training rows with classes of equal size or equal weight.

    Only `fit` resamples, and only its own rows. In cross-validation these are the training rows of
    a fold, so no copy of a test row is used for training, and test rows keep their class shares.
    Predictions of the fitted classifier are not changed: its probabilities refer to the class
    shares that it was trained with.

    Parameters
    ----------
    estimator : classifier
        Cloned before it is fitted. A pipeline is fitted as a whole to the resampled rows.
    method : {"over", "under", "smote", "weights"}, default="over"
        "over": rows of every smaller class are drawn with replacement and added, until it is
        as large as the largest. "under": rows of every larger class are drawn without
        replacement, as many as the smallest has, and keep their order. "smote": every smaller
        class gets synthetic rows between one of its rows and one of the five nearest of the
        same class [1]_; see Notes. "weights": all rows are kept, with weights inversely
        proportional to the size of their class, whose sum is the number of rows.
    random_state : int, RandomState or None, default=None
        Seed of the draws; the estimator keeps its own.

    Attributes
    ----------
    estimator_ : classifier
        Fitted to the resampled rows.
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.
    n_features_in_ : int
        Columns of the training table.
    feature_names_in_ : ndarray of str
        Their names, if the table had any.

    Notes
    -----
    Classes of equal size, or a single one, are not changed. Added rows follow the given ones, class
    by class.

    SMOTE is that of imbalanced-learn: SMOTE for columns of numbers, SMOTEN for nominal ones,
    SMOTENC for both; booleans are nominal. It measures distances in the units of the columns, so
    scale columns of different units first: put the scaler in a pipeline before a
    `ResampledTraining`. Columns of integers become floats.

    References
    ----------
    .. [1] Chawla, Bowyer, Hall and Kegelmeyer (2002), SMOTE: synthetic minority over-sampling
       technique, Journal of Artificial Intelligence Research 16.

    Examples
    --------
    >>> from bestofk.learners.majority_classifier import MajorityClassifier
    >>> X, y = [[0], [1], [2], [3]], ["a", "a", "a", "b"]
    >>> MajorityClassifier().fit(X, y).predict_proba([[0]]).tolist()
    [[0.75, 0.25]]
    >>> ResampledTraining(MajorityClassifier(), random_state=0).fit(X, y).predict_proba([[0]])
    array([[0.5, 0.5]])
    """

    code_version = 1

    def __init__(
        self, estimator: BaseEstimator, method: str = OVER, random_state: Any = None
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Balance the classes and fit a clone of the estimator.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Training rows; never changed.
        y : array-like of shape (n_samples,)
            Their labels; never changed. The estimator gets them as an array.

        Returns
        -------
        ResampledTraining
            Itself.

        Raises
        ------
        InvalidArgumentError
            If the method is unknown, the estimator is not a classifier, or takes no weights for
            "weights"; for "smote" also if imbalanced-learn is not installed, a value is
            missing, a column is neither numbers nor levels, or a class is too small.
        ValueError
            If X and y do not fit together, or y holds no classes.
        """
        self._check_parameters()
        X = _table(X)
        validate_data(self, X, y, skip_check_array=True)
        labels = column_or_1d(y, warn=True)
        check_consistent_length(X, labels)
        assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
        estimator = clone(self.estimator, safe=False)
        if self.method == WEIGHTS:
            name = weight_parameter(estimator) or ""  # not None, as checked above
            weights = compute_sample_weight("balanced", labels)
            with config_context(enable_metadata_routing=False):
                self.estimator_ = estimator.fit(X, labels, **{name: weights})
        else:
            self.estimator_ = estimator.fit(*self._resampled(X, labels))
        self.classes_ = np.asarray(getattr(self.estimator_, "classes_", np.unique(labels)))
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if hasattr(self.estimator, "__sklearn_tags__"):
            inner = get_tags(self.estimator)
            tags.input_tags = inner.input_tags
            tags.classifier_tags = inner.classifier_tags or tags.classifier_tags
        tags.classifier_tags.multi_label = False
        if self.method == SMOTE:
            tags.input_tags.allow_nan = tags.input_tags.sparse = False
        return tags

    def _check_parameters(self) -> None:
        check_known(self.method, "method of ResampledTraining", RESAMPLING_METHODS)
        name = type(self.estimator).__name__
        has_tags = hasattr(self.estimator, "__sklearn_tags__")
        if has_tags and get_tags(self.estimator).estimator_type == "regressor":
            raise InvalidArgumentError(
                f"estimator of ResampledTraining must be a classifier; got the regressor {name}. "
                "A numeric target has no classes."
            )
        if self.method == WEIGHTS and weight_parameter(self.estimator) is None:
            raise InvalidArgumentError(
                f"estimator of ResampledTraining must take sample_weight in fit for method "
                f"'weights'; got {name}, which does not. Use method 'over'."
            )

    def _resampled(self, X: Any, labels: np.ndarray) -> tuple[Any, np.ndarray]:
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        if self.method == SMOTE:
            return _with_synthetic_rows(X, labels, seed)
        choose = _oversampled_rows if self.method == OVER else _undersampled_rows
        rows = choose(labels, derive_rng(self.method, seed))
        return rows_of(X, rows), labels[rows]

    def _fitted_for(self, X: Any) -> Any:
        """Return the fitted estimator if it can read the rows; see `FittedPredictions`."""
        fitted = super()._fitted_for(X)
        validate_data(self, _table(X), reset=False, skip_check_array=True)
        return fitted


def import_over_sampling() -> Any:
    """Return imbalanced-learn's module of oversampling, or raise."""
    what = "imbalanced-learn must be installed for method 'smote'; it is not"
    return optional_package("imblearn.over_sampling", what, "imbalance")


def _table(X: Any) -> Any:
    """Return frames unchanged and anything else as a two-dimensional array, or raise."""
    if is_frame(X):
        return X
    return check_array(X, accept_sparse="csr", dtype=None, ensure_all_finite=False, input_name="X")


def _oversampled_rows(labels: np.ndarray, rng: np.random.Generator) -> Ints:
    _, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    added = [
        rng.choice(np.flatnonzero(codes == code), counts.max() - count)
        for code, count in enumerate(counts)
    ]
    return np.concatenate([np.arange(len(labels)), *added])


def _undersampled_rows(labels: np.ndarray, rng: np.random.Generator) -> Ints:
    _, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    kept = [
        rng.choice(np.flatnonzero(codes == code), counts.min(), replace=False)
        for code in range(len(counts))
    ]
    return np.sort(np.concatenate(kept))


def _with_synthetic_rows(X: Any, labels: np.ndarray, seed: int) -> tuple[Any, np.ndarray]:
    """Return the rows with the synthetic ones of imbalanced-learn after them."""
    over_sampling = import_over_sampling()
    classes, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if counts.min() == counts.max():
        return X, labels
    _check_class_sizes(classes, counts)
    if hasattr(X, "tocsr"):
        raise InvalidArgumentError(
            "X must be a frame or a dense array for method 'smote'; got a sparse matrix. "
            "Use method 'over'."
        )
    columns = columns_of(X)
    is_nominal = np.array([_is_nominal(column) for column in columns])
    matrix = np.column_stack(
        [_level_codes(column)[0] if nominal else column_numbers(column)
         for column, nominal in zip(columns, is_nominal, strict=True)]
    ).astype(np.float64)  # fmt: skip
    _check_complete(matrix)
    options: dict[str, Any] = {"random_state": check_random_state(seed)}
    name = "SMOTEN" if is_nominal.all() else "SMOTE"
    if is_nominal.any() and not is_nominal.all():
        name, options = (
            "SMOTENC",
            {"categorical_features": np.flatnonzero(is_nominal).tolist(), **options},
        )
    sampler = getattr(over_sampling, name)(k_neighbors=_N_NEIGHBORS, **options)
    extended, extended_codes = sampler.fit_resample(matrix, codes)
    return _as_given(X, extended, is_nominal), classes[extended_codes]


def _check_class_sizes(classes: np.ndarray, counts: Ints) -> None:
    smallest = int(counts.argmin())
    if counts[smallest] <= _N_NEIGHBORS:
        raise InvalidArgumentError(
            f"smaller classes must have at least {_N_NEIGHBORS + 1} training rows for method "
            f"'smote', which takes {_N_NEIGHBORS} nearest rows; got {counts[smallest]} of class "
            f"{classes[smallest]!s}. Use method 'over', or folds with more training rows."
        )


def _check_complete(matrix: Floats) -> None:
    n_bad = int((~np.isfinite(matrix)).sum())
    if n_bad:
        raise InvalidArgumentError(
            f"X must be free of missing and infinite values (NaN, inf) for method 'smote'; got "
            f"{n_bad}. Fill them in a pipeline before ResampledTraining, or use method 'over'."
        )


def _is_nominal(column: Any) -> bool:
    """Return whether a column has levels, not numbers to interpolate; raise for other columns."""
    dtype = column.dtype
    kind = getattr(dtype, "kind", None)  # of numpy and pandas
    if kind == "b" or (kind is None and dtype == nw.Boolean) or prepared_role(column) != NUMERIC:
        return True
    if kind == "O":
        cells = column.tolist()
        if all(isinstance(cell, bool) for cell in cells):
            return True
        is_number = not any(isinstance(cell, date) for cell in cells)
    else:
        is_number = kind in ("f", "i", "u") if kind is not None else dtype.is_numeric()
    if not is_number:
        raise InvalidArgumentError(
            f"columns of X must be numbers or levels for method 'smote'; got one of type {dtype}. "
            "Turn it into numbers, or use method 'over'."
        )
    return False


def _level_codes(column: Any) -> tuple[Floats, Ints]:
    """Return the level of each row as a number, nan where missing, and a row of each level."""
    texts = column_texts(column)
    is_known = np.array([text is not None for text in texts])
    codes = np.full(len(texts), np.nan)
    _, first, codes[is_known] = np.unique(
        texts[is_known].astype(str), return_index=True, return_inverse=True
    )
    return codes, np.flatnonzero(is_known)[first]


def _as_given(X: Any, extended: Floats, is_nominal: Bools) -> Any:
    """Return a matrix of numbers and codes as a table like X, with the original levels."""
    cells = [
        _with_drawn_levels(column, extended[len(X) :, index]) if nominal else extended[:, index]
        for index, (column, nominal) in enumerate(zip(columns_of(X), is_nominal, strict=True))
    ]
    if isinstance(X, np.ndarray):
        array = np.empty(extended.shape, np.float64 if X.dtype.kind in "iu" else X.dtype)
        for index, cell in enumerate(cells):
            array[:, index] = cell
        return array
    frame = type(X)(
        {str(position): item for position, item in enumerate(cells)}
    )  # names may repeat
    frame.columns = X.columns
    return frame


def _with_drawn_levels(column: Any, codes: Floats) -> Any:
    """Return the cells of a nominal column, followed by the drawn levels."""
    _, row_of_level = _level_codes(column)
    rows = np.concatenate([np.arange(len(column)), row_of_level[codes.astype(np.int64)]])
    if hasattr(column, "iloc"):
        return column.iloc[rows].array
    return column[rows] if isinstance(column, np.ndarray) else column[rows.tolist()].to_native()

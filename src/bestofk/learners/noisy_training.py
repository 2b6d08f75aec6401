"""Noise in inputs and targets of training rows, and the wrapper that adds it."""

import copy
import hashlib
import warnings
from typing import Any, Final, Self

import narwhals as nw
import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_regressor
from sklearn.utils import check_array, check_random_state, column_or_1d, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length

from bestofk.array_types import Bools, Floats, Ints
from bestofk.checks import check_known, check_number
from bestofk.data.table_columns import column_numbers, column_texts, table_columns
from bestofk.errors import BestofkWarning, InvalidArgumentError
from bestofk.learners.fitted_predictions import FittedPredictions, inside_has
from bestofk.learners.learner import UNWEIGHTED, weight_parameter
from bestofk.learners.preparation import is_frame
from bestofk.randomness import derive_rng

CLASS: Final = "class"
RANDOM_CLASS: Final = "random-class"
FEATURE: Final = "feature"
MISSING: Final = "missing"
NOISE_KINDS: Final = (CLASS, RANDOM_CLASS, FEATURE, MISSING)
CLASS_KINDS: Final = (CLASS, RANDOM_CLASS)

# 0.29 * 50 is 14.499999999999998 in floats; half up means 15.
_DECIMALS = 9
_LEARNED = ("classes_", "n_features_in_", "feature_names_in_")


def with_noise(X: Any, y: Any, *, kind: str, fraction: float, seed: int) -> tuple[Any, Any, Bools]:
    """Return noisy copies of inputs and target, and a mask of the noise.

    Parameters
    ----------
    X : DataFrame or ndarray of shape (n_samples, n_features)
        Inputs; never changed.
    y : array-like of shape (n_samples,)
        Target; never changed.
    kind : {"class", "random-class", "feature", "missing"}
        Kind of noise; see `bestofk.learners.noisy_training.NoisyTraining`.
    fraction : float in [0, 1)
        Share of the rows, or of the values of each column that are not missing: exactly
        ``fraction * n`` of them, rounded half up.
    seed : int
        Seed of the noise, which also depends on the rows. A larger fraction
        adds to the noise of a smaller.

    Returns
    -------
    X, y
        In their original types; unaffected ones are the same objects.
    is_noisy : ndarray of bool, shape (n_samples,) or (n_samples, n_features)
        Rows with another or a random class; cells with another or no value.

    Raises
    ------
    InvalidArgumentError
        If classes are to be changed but there is only one.

    Examples
    --------
    >>> X, y = np.arange(10.0)[:, np.newaxis], np.array(list("ab") * 5)
    >>> _, noisy, is_noisy = with_noise(X, y, kind="class", fraction=0.3, seed=0)
    >>> int(is_noisy.sum()), bool(((noisy != y) == is_noisy).all())
    (3, True)
    """
    check_consistent_length(X, y)
    if fraction == 0:
        return X, y, np.zeros(X.shape[: 1 if kind in CLASS_KINDS else 2], dtype=bool)
    names = (seed, "noise", kind, _digest(X, y))
    if kind in CLASS_KINDS:
        may_stay = kind == RANDOM_CLASS
        y, is_noisy = _with_drawn_classes(y, fraction, derive_rng(*names), may_stay=may_stay)
        return X, y, is_noisy
    X, is_noisy = _with_noisy_columns(X, kind, fraction, names)
    return X, y, is_noisy


def check_noise_kind(kind: Any) -> str:
    """Return a kind of noise, or raise."""
    check_known(kind, "kind of noise", NOISE_KINDS)
    return str(kind)


def check_noise_fraction(fraction: Any, what: str) -> float:
    """Return a share of noise as a float, or raise; `what` names it in the message."""
    check_number(
        fraction, what, low=0, high=1, is_open="high", way_out="0.1 changes one in ten, 0 none."
    )
    return float(fraction)


def _n_noisy(fraction: float, n: int) -> int:
    return int(np.floor(round(fraction * n, _DECIMALS) + 0.5))


def _digest(X: Any, y: Any) -> str:
    """Return a digest of the rows, so that every training part has different noise."""
    digest = hashlib.sha256()
    for column in (*table_columns(X), np.asarray(y)):
        if _holds_numbers(column):
            digest.update(column_numbers(column).tobytes())
        else:
            digest.update("\x1f".join(map(repr, column_texts(column).tolist())).encode())
    return digest.hexdigest()[:32]


def _with_drawn_classes(
    y: Any, fraction: float, rng: np.random.Generator, *, may_stay: bool
) -> tuple[Any, Bools]:
    check_classification_targets(y)
    y = y if hasattr(y, "to_numpy") else column_or_1d(y, warn=True)
    classes, first, codes = np.unique(np.asarray(y), return_index=True, return_inverse=True)
    n_noisy = _n_noisy(fraction, len(codes))
    if n_noisy and len(classes) < 2 and not may_stay:
        raise InvalidArgumentError(
            f"y must hold at least two classes, as some rows get another class; got one class, "
            f"{classes[0]!s}. Train on rows of several classes."
        )
    order, draws = rng.permutation(len(codes)), rng.random(len(codes))
    noisy = order[:n_noisy]
    is_noisy = np.zeros(len(codes), dtype=bool)
    is_noisy[noisy] = True
    donors = _donors(codes, first, noisy, draws, may_stay=may_stay)
    if hasattr(y, "iloc"):
        return y.iloc[donors].set_axis(y.index), is_noisy
    return y[donors], is_noisy


def _donors(
    codes: Ints, first: Ints, noisy: Ints, draws: Any,
    *, may_stay: bool = False
) -> Ints:  # fmt: skip
    """Return the row from which each takes its value: itself, or a drawn row if noisy.

    Parameters
    ----------
    codes : ndarray of shape (n,), int64
        Code of the value of each row.
    first : ndarray of shape (n_values,), int64
        A row that has the value.
    noisy : ndarray of int64
        Rows that get another value.
    draws : ndarray of shape (n,), float in [0, 1)
        One for each row, so that the draw of a row does not depend on how many are noisy.
    may_stay : bool, default=False
        Whether a row may also draw its own value.
    """
    donors = np.arange(len(codes))
    least = 0 if may_stay else 1
    steps = least + np.floor(draws[noisy] * (len(first) - least)).astype(np.int64)
    donors[noisy] = first[(codes[noisy] + steps) % max(len(first), 1)]
    return donors


def _with_noisy_columns(
    X: Any, kind: str, fraction: float, names: tuple[object, ...]
) -> tuple[Any, Bools]:
    make = _blanked if kind == MISSING else _with_other_values
    if is_frame(X):
        frame = nw.from_native(X, eager_only=True)
        columns: list[Any] = list(frame.iter_columns())
    else:
        table = _with_room_for_missing(X) if kind == MISSING else X
        columns = list(table.T)
    is_noisy = np.zeros(X.shape, dtype=bool)
    noisy_columns = []
    for index, column in enumerate(columns):
        rng = derive_rng(*names, index)
        present = np.flatnonzero(~_is_missing(column))
        order, draws = rng.permutation(present), rng.random(len(column))
        noisy = order[: _n_noisy(fraction, len(present))]
        changed, cells = make(column, present, noisy, draws)
        is_noisy[cells, index] = True
        noisy_columns.append(changed)
    if not is_frame(X):
        return np.stack(noisy_columns, axis=1), is_noisy
    return frame.with_columns(*noisy_columns).to_native(), is_noisy


def _with_other_values(column: Any, present: Ints, noisy: Ints, draws: Any) -> tuple[Any, Ints]:
    """Return the column with other values in the noisy cells, and a mask of the changed cells."""
    nothing = column, noisy[:0]
    if not _holds_numbers(column):
        texts = column_texts(column)
        values, first, codes = np.unique(
            texts[present].astype(str), return_index=True, return_inverse=True
        )
        if len(values) < 2:
            return nothing
        all_codes = np.zeros(len(texts), dtype=np.int64)
        all_codes[present] = codes
        return column[_donors(all_codes, present[first], noisy, draws)], noisy
    numbers = column_numbers(column)
    finite = numbers[np.isfinite(numbers)]
    if not len(finite) or finite.min() == finite.max():
        return nothing
    low, width = finite.min(), finite.max() - finite.min()
    if (finite == np.floor(finite)).all():
        drawn = low + np.floor(draws[noisy] * width)
        drawn += drawn >= numbers[noisy]
    else:
        drawn = low + draws[noisy] * width
    return _with_numbers(column, noisy, drawn), noisy


def _with_numbers(column: Any, cells: Ints, values: Floats) -> Any:
    if isinstance(column, np.ndarray):
        changed = column.copy()
        changed[cells] = values
        return changed
    held: type[Any] = np.int64 if column.dtype.is_integer() else np.float64
    if column.dtype == nw.Float32:
        held = np.float32  # pandas refuses values that it would have to round
    return column.scatter(cells, values.astype(held).tolist())


def _blanked(column: Any, present: Ints, noisy: Ints, draws: Any) -> tuple[Any, Ints]:
    """Return the column with the noisy cells missing, and a mask of these."""
    if isinstance(column, np.ndarray):
        changed = column.copy()
        changed[noisy] = "NaT" if column.dtype.kind in "mM" else np.nan
        return changed, noisy
    native = column.to_native()
    if not hasattr(native, "mask"):
        return column.scatter(noisy, [None] * len(noisy)), noisy
    is_blank = np.zeros(len(column), dtype=bool)
    is_blank[noisy] = True
    return nw.from_native(native.mask(is_blank), series_only=True), noisy


def _with_room_for_missing(X: np.ndarray) -> np.ndarray:
    if X.dtype.kind in "iub":
        return X.astype(np.float64)
    return X.astype(object) if X.dtype.kind in "US" else X


def _holds_numbers(column: Any) -> bool:
    if isinstance(column.dtype, np.dtype):
        return bool(column.dtype.kind in "iuf")
    dtype = nw.from_native(column, series_only=True).dtype
    return bool(dtype.is_integer() or dtype.is_float())


def _is_missing(column: Any) -> Bools:
    if _holds_numbers(column):
        return np.isnan(column_numbers(column))
    return np.array([text is None for text in column_texts(column)], dtype=bool)


class NoisyTraining(FittedPredictions, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Add noise to the rows that an estimator is fitted to, and to no others.

    In a cross-validation the training part of every split is noisy and the test part clean.

    Parameters
    ----------
    estimator : estimator
        A classifier or regressor; a clone of it is fitted.
    kind : {"class", "random-class", "feature", "missing"}, default="class"
        Kind of noise in the training rows.

        - "class": the chosen rows get another class, each of the others equally likely [1]_.
        - "random-class": the chosen rows get a class drawn from all K, each equally likely, so
        about one row in K keeps its class [1]_. - "feature": in every column the chosen values are
        replaced [1]_, [2]_. Numbers are replaced by a uniform draw between smallest and largest, a
        whole one in a column of whole numbers; anything else by another value of the column, each
        equally likely. - "missing": in every column the chosen values become missing, completely at
        random [3]_.
    fraction : float in [0, 1), default=0.1
        Share of the rows, or of the values of each column that are not missing. Exactly
        ``fraction * n`` of them, rounded half up.
    random_state : int, RandomState or None, default=None
        What the noise is derived from, together with the rows themselves: the same rows get the
        same noise for every estimator. A larger fraction adds to the noise of a smaller.

    Attributes
    ----------
    estimator_ : estimator
        Fitted to the noisy rows.
    is_noisy_ : ndarray of bool
        Noise of the last fit: rows with another or a random class, shape (n_samples,), or cells
        with another or no value, shape (n_samples, n_features).
    classes_, n_features_in_, feature_names_in_
        Those of `estimator_`, if it has them.

    Notes
    -----
    Columns without two different values are not changed by "feature". Types of columns are kept,
    except that types without a missing value (plain whole numbers and booleans, texts of an array)
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
            Passed to the estimator if it takes weights.

        Returns
        -------
        NoisyTraining
            Itself.

        Raises
        ------
        InvalidArgumentError
            If `kind` or `fraction` breaks its rule, a regressor is to get noisy classes, or there
            is only one class.
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
                f"{self.kind!r}. Numeric targets have no classes."
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
        """Return the estimator's own `score` on clean rows."""
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
    """Return weights under the estimator's name for them, if it takes any."""
    if sample_weight is None:
        return {}
    name = weight_parameter(estimator)
    if name is None:
        warnings.warn(UNWEIGHTED, BestofkWarning, stacklevel=3)
        return {}
    return {name: sample_weight}

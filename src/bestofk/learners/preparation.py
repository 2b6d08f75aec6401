"""How does a table become the numbers that a learner can use, as part of the learner."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from bestofk.learners.columns import (
    NOMINAL,
    NUMERIC,
    column_codes,
    column_numbers,
    column_role,
    table_columns,
)

Codes = tuple[NDArray[np.int64], list[str]]


class TablePreparer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn a table with any mixture of columns into a matrix of finite floats.

    Everything is learned from the rows it is fitted on. Numeric columns (booleans are 0
    and 1, dates are days since 1970-01-01) come first, in their order: missing values
    become the mean of the training rows (0 where all are missing). Then come the nominal
    columns, one output column of 0 and 1 per level seen in the training rows, levels in
    alphabetical order: missing values become the most frequent level (ties: the first of
    the alphabet), a level never seen gets 0 everywhere, a column all of whose values are
    missing gets no output column.

    Written in plain numpy rather than from imputer, scaler and encoder of scikit-learn:
    on small data their checks would cost more than many a learner (a test holds that the
    numbers are the same).

    Parameters
    ----------
    standardize : bool, default=False
        Whether numeric columns are scaled to mean 0 and standard deviation 1 (divisor n,
        missing values left out); a constant column becomes 0. Output columns of levels stay
        0 and 1.

    Attributes
    ----------
    n_features_in_ : int
        Columns of the training table.
    feature_names_in_ : ndarray of str
        Their names, if the table had any.
    roles_ : tuple of {"numeric", "nominal"}
        What each column is.
    means_ : ndarray of shape (n_numeric,)
        What replaces a missing number.
    scales_ : ndarray of shape (n_numeric,)
        What numbers are divided by; 1 for all unless `standardize`.
    levels_ : tuple of tuple of str
        The levels of each nominal column.
    fills_ : tuple of int
        For each nominal column the position of the level that replaces a missing value.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"size": [1.0, None, 3.0], "color": ["red", "blue", "red"]})
    >>> preparer = TablePreparer().fit(table)
    >>> preparer.transform(table)
    array([[1., 0., 1.],
           [2., 1., 0.],
           [3., 0., 1.]])
    >>> list(preparer.get_feature_names_out())
    ['size', 'color_blue', 'color_red']
    """

    roles_: tuple[str, ...]

    def __init__(self, *, standardize: bool = False) -> None:
        self.standardize = standardize

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn means, scales and levels.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_samples, n_features)
            Training rows: numbers, objects, or a frame of pandas or polars.
        y : ignored
            Here for the interface of scikit-learn.

        Returns
        -------
        TablePreparer
            Itself.

        Raises
        ------
        ValueError
            If the table is empty, sparse, complex, not two-dimensional, or a number is infinite.
        TypeError
            If a value is neither text, number nor date.
        """
        self._learn(*self._read(X, is_training=True))
        return self

    def fit_transform(self, X: Any, y: Any = None) -> NDArray[np.float64]:
        """Learn from a table and return its matrix; as `fit`, then `transform`, read once."""
        values, codes = self._read(X, is_training=True)
        self._learn(values, codes)
        return self._apply(values, codes)

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return the matrix of a table with the columns it was fitted on.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_samples, n_features)
            The rows; never changed.

        Returns
        -------
        ndarray of shape (n_samples, n_features_out), float64
            A new matrix without missing values.

        Raises
        ------
        ValueError
            If number or names of the columns differ from those fitted, a numeric column holds
            text, or one of the reasons of `fit` applies.
        """
        check_is_fitted(self)
        return self._apply(*self._read(X, is_training=False))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the output columns: the name, or name_level.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of the columns if the training table had none; `x0`, `x1`, ... otherwise.

        Returns
        -------
        ndarray of shape (n_features_out,), object
            The names.
        """
        from sklearn.utils.validation import _check_feature_names_in

        check_is_fitted(self)
        names = list(zip(_check_feature_names_in(self, input_features), self.roles_, strict=True))
        numeric = [name for name, role in names if role == NUMERIC]
        nominal = [name for name, role in names if role == NOMINAL]
        pairs = zip(nominal, self.levels_, strict=True)
        coded = [f"{name}_{level}" for name, levels in pairs for level in levels]
        return np.array([*numeric, *coded], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        # Texts and categories are read too, but the tags `string` and `categorical` promise
        # more: that any object is a value, and that every column is a category.
        return tags

    def _read(self, X: Any, *, is_training: bool) -> tuple[NDArray[np.float64], list[Codes]]:
        """Return the numeric columns as one matrix, and each nominal column as codes."""
        table = X if _is_frame(X) else _as_array(X)
        self._check_columns(table, is_training=is_training)
        if is_training or NOMINAL not in self.roles_:
            matrix = _plain_numbers(table)
            if matrix is not None:
                self.roles_ = (NUMERIC,) * matrix.shape[1]
                return matrix, []
        columns = table_columns(table)
        if is_training:
            self.roles_ = tuple(column_role(column) for column in columns)
        pairs = list(zip(columns, self.roles_, strict=True))
        numeric = [column_numbers(column) for column, role in pairs if role == NUMERIC]
        matrix = _checked(np.column_stack(numeric)) if numeric else np.empty((len(table), 0))
        return matrix, [column_codes(column) for column, role in pairs if role == NOMINAL]

    def _check_columns(self, table: Any, *, is_training: bool) -> None:
        """Hold number and names of the columns; the usual case of equal names goes fast."""
        if 0 in table.shape:
            raise ValueError(
                f"X of TablePreparer must be a table with at least 1 row and 1 column; got shape "
                f"{table.shape} (0 sample(s) or 0 feature(s)). Hand over rows with features."
            )
        if not is_training and _is_frame(table) and hasattr(self, "feature_names_in_"):
            names = np.asarray(table.columns, dtype=object)
            if np.array_equal(names, self.feature_names_in_):
                return
        validate_data(self, table, reset=is_training, skip_check_array=True)

    def _learn(self, matrix: NDArray[np.float64], coded: list[Codes]) -> None:
        self.means_, self.scales_ = _means_and_scales(matrix)
        if not self.standardize:
            self.scales_ = np.ones_like(self.scales_)
        found = [_levels_and_fill(*codes) for codes in coded]
        self.levels_ = tuple(levels for levels, _ in found)
        self.fills_ = tuple(fill for _, fill in found)

    def _apply(self, matrix: NDArray[np.float64], coded: list[Codes]) -> NDArray[np.float64]:
        numbers = np.where(np.isnan(matrix), self.means_, matrix)
        if self.standardize:
            numbers -= self.means_
            numbers /= self.scales_
        if not coded:
            return numbers
        known = zip(coded, self.levels_, self.fills_, strict=True)
        return np.hstack(
            [numbers, *(_one_of_n(codes, levels, fill) for codes, levels, fill in known)]
        )


def _is_frame(X: Any) -> bool:
    return hasattr(X, "columns") and hasattr(X, "shape")


def _as_array(X: Any) -> NDArray[Any]:
    """Return a two-dimensional array: float64 if it can only be numbers, else as it is."""
    if not hasattr(X, "dtype"):
        array = np.asarray(X)
        X = np.asarray(X, dtype=object) if array.dtype.kind in "US" else array
    if getattr(X.dtype, "kind", "f") in "OUSmM":
        return np.asarray(check_array(X, dtype=None, ensure_all_finite=False, input_name="X"))
    return _checked(X)


def _checked(matrix: Any) -> NDArray[np.float64]:
    """Return finite or missing floats in C order: the same bits for frames and arrays."""
    checked: NDArray[np.float64] = check_array(
        matrix, dtype=np.float64, order="C", ensure_all_finite="allow-nan", input_name="X"
    )
    return checked


def _plain_numbers(table: Any) -> NDArray[np.float64] | None:
    """Return the whole table as one matrix, where its type alone says that it is one."""
    if isinstance(table, np.ndarray):
        return table if table.dtype == np.float64 else None
    types = getattr(table, "dtypes", ())
    if all(isinstance(dtype, np.dtype) and dtype.kind in "fiu" for dtype in types):
        return _checked(table.to_numpy())
    return None


def _means_and_scales(
    matrix: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and standard deviation of what is not missing.

    Mean 0 where all is missing. The deviation of a constant column is infinite, so that
    division gives exactly 0 for whatever value comes later.
    """
    is_there = ~np.isnan(matrix)
    counts = np.maximum(is_there.sum(axis=0), 1)
    means = np.where(is_there, matrix, 0.0).sum(axis=0) / counts
    deviations = np.where(is_there, matrix - means, 0.0)
    variances = (deviations * deviations).sum(axis=0) / counts
    # Below this bound the variance is rounding error of the sums (as in scikit-learn).
    rounding = counts * np.finfo(np.float64).eps
    is_constant = variances <= rounding * variances + (rounding * means) ** 2
    return means, np.where(is_constant, np.inf, np.sqrt(variances))


def _levels_and_fill(codes: NDArray[np.int64], labels: list[str]) -> tuple[tuple[str, ...], int]:
    """Return the labels that occur, sorted, and the position of the most frequent one."""
    counts = np.bincount(codes[codes >= 0], minlength=len(labels))
    seen: dict[str, int] = {}
    for label, count in zip(labels, counts.tolist(), strict=True):
        if count:
            seen[label] = seen.get(label, 0) + count
    levels = tuple(sorted(seen))
    fill = max(range(len(levels)), key=lambda k: seen[levels[k]], default=-1)
    return levels, fill


def _one_of_n(codes: Codes, levels: tuple[str, ...], fill: int) -> NDArray[np.float64]:
    positions, labels = codes
    level_of = {level: k for k, level in enumerate(levels)}
    # The last entry answers to the code -1 of a missing value.
    lookup = np.array([*(level_of.get(label, -1) for label in labels), fill], dtype=np.int64)
    columns = lookup[positions]
    rows = np.flatnonzero(columns >= 0)
    coded = np.zeros((len(positions), len(levels)))
    coded[rows, columns[rows]] = 1.0
    return coded

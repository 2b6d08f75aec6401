"""Conversion of mixed tables to numeric matrices, as part of the learner."""

from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from bestofk.array_types import Floats
from bestofk.data.date_parts import date_numbers, varying_dates
from bestofk.data.table_columns import (
    NOMINAL,
    NUMERIC,
    TEXT,
    column_numbers,
    column_texts,
    prepared_role,
    table_columns,
)
from bestofk.data.word_columns import N_TOPICS, WordColumns
from bestofk.scikit_internals import feature_names_in

# For the inner transformers: their input was checked when the table was read.
_INSIDE: Final = {
    "assume_finite": True,
    "skip_parameter_validation": True,
    "transform_output": "default",
}


class TablePreparer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn a table with any mixture of columns into a matrix of finite floats.

    Everything is learned from the rows it is fitted on, by scikit-learn's imputer, scaler and
    encoder. Numeric columns (booleans are 0 and 1) come first, in their order: missing values
    become the mean of the training rows (0 where all are missing). The parts of dates that vary, by
    `bestofk.data.date_parts`, follow and are treated as numbers. Then come the nominal columns, one
    output column of 0 and 1 per level seen in the training rows, levels in alphabetical order:
    missing values become the most frequent level (ties: the first of the alphabet), a new level
    gets 0 everywhere, and a column without any value gets no output column. Columns of free text
    come last, turned into numbers by `bestofk.data.word_columns.WordColumns`.

    Parameters
    ----------
    standardize : bool, default=False
        Whether numeric columns, once filled, are scaled to mean 0 and standard deviation 1
        (divisor n); a constant column is only centered. Output columns of levels stay 0 and 1.
        Month, day of week and hour then become sine and cosine, so that December is as near to
        January as to November.
    texts : {"words", "topics"} or None, default=None
        Conversion of free texts: one column per word in a sparse matrix, or some topics in a dense
        one. None leaves the choice to the pipeline, which depends on its learner; without a
        pipeline, topics.

    Attributes
    ----------
    n_features_in_ : int
        Columns of the training table.
    feature_names_in_ : ndarray of str
        Their names, if the table had any.
    roles_ : tuple of {"numeric", "date", "calendar", "nominal", "text", "empty"}
        Role of each column; empty is a nominal column without any value.
    dates_ : dict of int to tuple of str
        The parts of each column of dates.
    parts_ : dict of str to list of transformers
        Fitted transformers by role, for roles that occur: numeric (`SimpleImputer`, and
        `StandardScaler` with `standardize`), nominal (`SimpleImputer`, `OneHotEncoder`) and text
        (`WordColumns`).

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

    code_version = 1
    later_parameters: ClassVar = {"texts": None}

    roles_: tuple[str, ...]

    def __init__(self, *, standardize: bool = False, texts: str | None = None) -> None:
        self.standardize = standardize
        self.texts = texts

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit means, scales and levels.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_samples, n_features)
            Training rows: numbers, objects, or a frame of pandas or polars.
        y : ignored
            Present for scikit-learn's interface.

        Returns
        -------
        TablePreparer
            Itself.

        Raises
        ------
        ValueError
            If the table is empty, sparse, complex, not two-dimensional, or a number is infinite.
        TypeError
            If a value is not a text, number or date.
        """
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fit to a table and return its matrix; like `fit` and `transform` in one reading."""
        blocks = self._read(X, is_training=True)
        self.parts_ = {role: self._new_steps(role) for role in blocks if blocks[role].shape[1]}
        with config_context(**_INSIDE):
            for role, steps in self.parts_.items():
                for step in steps:
                    blocks[role] = step.fit_transform(blocks[role])
        return _joined(list(blocks.values()))

    def transform(self, X: Any) -> Any:
        """Return the matrix of a table with the columns it was fitted on.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_samples, n_features)
            The rows; never changed.

        Returns
        -------
        ndarray of shape (n_samples, n_features_out), float64
            A new matrix without missing values; a sparse one (CSR) with words of texts.

        Raises
        ------
        ValueError
            If number or names of the columns differ from those fitted, a numeric column holds
            text, or one of the reasons of `fit` applies.
        """
        check_is_fitted(self)
        blocks = self._read(X, is_training=False)
        with config_context(**_INSIDE):
            for role, steps in self.parts_.items():
                for step in steps:
                    blocks[role] = step.transform(blocks[role])
        return _joined(list(blocks.values()))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the output columns: the name, name_part or name_level.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of the columns if the training table had none; `x0`, `x1`, ... otherwise.

        Returns
        -------
        ndarray of shape (n_features_out,), object
            The names.
        """
        check_is_fitted(self)
        names = np.asarray(feature_names_in(self, input_features), dtype=object)
        roles = np.array(self.roles_)
        inputs = {role: names[roles == role] for role in self.parts_}
        dates = [f"{names[at]}_{part}" for at, parts in self.dates_.items() for part in parts]
        if dates:
            inputs[NUMERIC] = np.array([*inputs[NUMERIC], *dates], dtype=object)
        results = [
            steps[-1].get_feature_names_out(inputs[role]) for role, steps in self.parts_.items()
        ]
        return np.hstack([np.empty(0, dtype=object), *results])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        # Texts and categories are read too, but the tags `string` and `categorical` promise more:
        # that any object is a value, and that every column is a category.
        return tags

    def _new_steps(self, role: str) -> list[Any]:
        """Return the transformers of the columns of a role, in order.

        They are not a pipeline, which costs as much as a step on small tables. The imputer is
        always included, because values may be missing later.
        """
        if role == NOMINAL:
            return [
                SimpleImputer(missing_values=None, strategy="most_frequent"),
                OneHotEncoder(handle_unknown="ignore", sparse_output=False),
            ]
        if role == TEXT:
            return [WordColumns(n_topics=None if self.texts == "words" else N_TOPICS)]
        imputer = SimpleImputer(strategy="mean", keep_empty_features=True)
        return [imputer, StandardScaler(copy=False)] if self.standardize else [imputer]

    def _read(self, X: Any, *, is_training: bool) -> dict[str, np.ndarray]:
        """Return one matrix for the columns of each role: floats, or texts and None."""
        table = X if is_frame(X) else _as_array(X)
        self._check_columns(table, is_training=is_training)
        if is_training or set(self.roles_) == {NUMERIC}:
            matrix = _plain_numbers(table)
            if matrix is not None:
                self.roles_, self.dates_ = (NUMERIC,) * matrix.shape[1], {}
                return {NUMERIC: matrix}
        columns = table_columns(table)
        if is_training:
            self.roles_ = tuple(map(prepared_role, columns))
            self.dates_ = varying_dates(columns, self.roles_, as_pairs=self.standardize)
        pairs = list(zip(columns, self.roles_, strict=True))
        numeric = [column_numbers(column) for column, role in pairs if role == NUMERIC]
        numeric += date_numbers(columns, range(len(columns)), self.dates_).values()
        matrix = _checked(np.column_stack(numeric)) if numeric else np.empty((len(table), 0))
        blocks = {NUMERIC: matrix}
        for kind in (NOMINAL, TEXT):
            texts = [column_texts(column) for column, role in pairs if role == kind]
            blocks |= {kind: np.column_stack(texts)} if texts else {}
        return blocks

    def _check_columns(self, table: Any, *, is_training: bool) -> None:
        """Check number and names of the columns, fast if the names are equal."""
        if 0 in table.shape:
            raise ValueError(
                f"X of TablePreparer must be a table with at least 1 row and 1 column; got shape "
                f"{table.shape} (0 sample(s) or 0 feature(s)). Pass rows with features."
            )
        if not is_training and is_frame(table) and hasattr(self, "feature_names_in_"):
            names = np.asarray(table.columns, dtype=object)
            if np.array_equal(names, self.feature_names_in_):
                return
        validate_data(self, table, reset=is_training, skip_check_array=True)


def _joined(blocks: list[Any]) -> Any:
    """Return blocks side by side: sparse rows if one is sparse."""
    return sparse.hstack(blocks, "csr") if any(map(sparse.issparse, blocks)) else np.hstack(blocks)


def is_frame(X: Any) -> bool:
    """Return whether a table has named columns, as in pandas and polars."""
    return hasattr(X, "columns") and hasattr(X, "shape")


def _as_array(X: Any) -> np.ndarray:
    """Return a two-dimensional array: float64 if it can only be numbers, else unchanged."""
    if not hasattr(X, "dtype"):
        array = np.asarray(X)
        X = np.asarray(X, dtype=object) if array.dtype.kind in "US" else array
    if getattr(X.dtype, "kind", "f") in "OUSmM":
        return np.asarray(check_array(X, dtype=None, ensure_all_finite=False, input_name="X"))
    return _checked(X)


def _checked(matrix: Any) -> Floats:
    """Return finite or missing floats in C order: the same bits for frames and arrays."""
    checked: Floats = check_array(
        matrix, dtype=np.float64, order="C", ensure_all_finite="allow-nan", input_name="X"
    )
    return checked


def _plain_numbers(table: Any) -> Floats | None:
    """Return the whole table as one matrix, if its type alone shows that it is one."""
    if isinstance(table, np.ndarray):
        return table if table.dtype == np.float64 else None
    types = getattr(table, "dtypes", ())
    if all(isinstance(dtype, np.dtype) and dtype.kind in "fiu" for dtype in types):
        return _checked(table.to_numpy())
    return None

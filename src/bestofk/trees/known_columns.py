"""Removal of the columns of a table that have no value in the training rows."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from bestofk.data.table_columns import EMPTY, NUMERIC, column_numbers, column_role, table_columns
from bestofk.trees.reading import checked_table


class KnownColumns(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Leave out the columns that have no value in the training rows, and nothing else.

    A tree refuses such columns, because the user should know of them; but in a fold of a
    cross-validation a column may lack all its few values by chance.

    Attributes
    ----------
    is_known_ : ndarray of shape (n_features,), bool
        Which columns are kept.

    Examples
    --------
    >>> KnownColumns().fit_transform([[1.0, float("nan")], [2.0, float("nan")]])
    array([[1.],
           [2.]])
    """

    code_version = 1

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the columns with values.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_samples, n_features)
            Training rows.
        y : ignored
            Here for the interface of scikit-learn.

        Returns
        -------
        KnownColumns
            Itself.

        Raises
        ------
        ValueError
            If the table is empty or no table.
        """
        table = checked_table(self, X, reset=True)
        known = [not _is_empty(column) for column in table_columns(table)]
        self.is_known_ = np.array(known, dtype=np.bool_)
        return self

    def transform(self, X: Any) -> Any:
        """Return the columns with values.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_samples, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        ndarray or DataFrame of shape (n_samples, n_known)
            The table itself if nothing is left out; frames of pandas and polars stay frames.
        """
        check_is_fitted(self)
        table = checked_table(self, X, reset=False)
        if self.is_known_.all() or not self.is_known_.any():
            return table
        if isinstance(table, np.ndarray):
            return table[:, self.is_known_]
        kept = [name for name, known in zip(table.columns, self.is_known_, strict=True) if known]
        return table[kept]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _is_empty(column: Any) -> bool:
    role = column_role(column)
    return role == EMPTY or (role == NUMERIC and bool(np.isnan(column_numbers(column)).all()))

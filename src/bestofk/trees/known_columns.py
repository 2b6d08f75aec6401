"""Tables as trees read them: without empty columns, and with numbers for free texts and dates."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from bestofk.data.date_parts import date_numbers, varying_dates
from bestofk.data.table_columns import (
    EMPTY,
    MARKED,
    NUMERIC,
    TEXT,
    column_numbers,
    column_texts,
    prepared_role,
    table_columns,
)
from bestofk.data.word_columns import N_TOPICS, WordColumns
from bestofk.trees.reading import checked_table


class KnownColumns(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Leave out columns without a value in the training rows; convert texts and dates to numbers.

    A tree refuses columns without values, because the user should know of them; but in a fold of a
    cross-validation, a column may be empty by chance. Other columns are not changed, except that
    dates and free texts become numbers in the last columns: the parts of dates by
    `bestofk.data.date_parts`, topics by `bestofk.data.word_columns.WordColumns`.

    Attributes
    ----------
    is_known_ : ndarray of shape (n_features,), bool
        Which columns are kept.
    texts_ : list of int
        Which columns are free texts.
    dates_ : dict of int to tuple of str
        The parts of each column of dates that vary.
    words_ : WordColumns
        The fitted conversion of texts; only with texts.

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
            Present for scikit-learn's interface.

        Returns
        -------
        KnownColumns
            Itself.

        Raises
        ------
        ValueError
            If the table is empty or not a table.
        """
        table = checked_table(self, X, reset=True)
        columns = table_columns(table)
        roles = list(map(prepared_role, columns))
        known = [_is_kept(*pair) for pair in zip(columns, roles, strict=True)]
        self.is_known_ = np.array(known, dtype=np.bool_)
        self.texts_ = [index for index, role in enumerate(roles) if role == TEXT]
        self.dates_ = varying_dates(columns, roles)
        if self.texts_:
            self.words_ = WordColumns(n_topics=N_TOPICS).fit(self._texts_of(columns))
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
            The table itself if nothing changes; frames of pandas and polars stay frames. With
            numbers from dates and texts, a pandas frame.
        """
        check_is_fitted(self)
        table = checked_table(self, X, reset=False)
        if self.texts_ or self.dates_:
            return self._with_numbers(table)
        if self.is_known_.all() or not self.is_known_.any():
            return table
        if isinstance(table, np.ndarray):
            return table[:, self.is_known_]
        kept = [name for name, known in zip(table.columns, self.is_known_, strict=True) if known]
        return table[kept]

    def _texts_of(self, columns: Sequence[Any]) -> np.ndarray:
        return np.column_stack([column_texts(columns[index]) for index in self.texts_])

    def _with_numbers(self, table: Any) -> Any:
        table = table.to_pandas() if hasattr(table, "to_pandas") else pd.DataFrame(table)
        columns = table_columns(table)
        dates = pd.DataFrame(date_numbers(columns, table.columns, self.dates_))
        blocks = [table.loc[:, self.is_known_].reset_index(drop=True), dates]
        if self.texts_:
            names = self.words_.get_feature_names_out(table.columns[self.texts_])
            topics = self.words_.transform(self._texts_of(columns))
            blocks.append(pd.DataFrame(topics, columns=names))
        return pd.concat(blocks, axis=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _is_kept(column: Any, role: str) -> bool:
    if role == NUMERIC:
        return not np.isnan(column_numbers(column)).all()
    return role not in (EMPTY, *MARKED)

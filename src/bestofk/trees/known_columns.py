"""Tables as trees read them: without columns that have no value, and without free texts."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from bestofk.data.table_columns import (
    EMPTY,
    NUMERIC,
    TEXT,
    column_numbers,
    column_role,
    column_texts,
    table_columns,
)
from bestofk.data.word_columns import N_TOPICS, WordColumns
from bestofk.trees.reading import checked_table


class KnownColumns(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Leave out the columns that have no value in the training rows; make topics of free texts.

    A tree refuses columns without values, because the user should know of them; but in a fold of
    a cross-validation a column may lack all its few values by chance. All other columns stay as
    they are, but for free texts: `bestofk.data.word_columns.WordColumns` sums each up in
    numbers, which come last.

    Attributes
    ----------
    is_known_ : ndarray of shape (n_features,), bool
        Which columns are kept.
    texts_ : list of int
        Which are free texts.
    words_ : WordColumns
        What was learned from the texts; only with texts.

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
        columns = table_columns(table)
        roles = list(map(column_role, columns))
        known = [_is_kept(*pair) for pair in zip(columns, roles, strict=True)]
        self.is_known_ = np.array(known, dtype=np.bool_)
        self.texts_ = [index for index, role in enumerate(roles) if role == TEXT]
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
            The table itself if nothing is left out; frames of pandas and polars stay frames. A
            frame of pandas with the topics of texts.
        """
        check_is_fitted(self)
        table = checked_table(self, X, reset=False)
        if self.texts_:
            return self._with_topics(table)
        if self.is_known_.all() or not self.is_known_.any():
            return table
        if isinstance(table, np.ndarray):
            return table[:, self.is_known_]
        kept = [name for name, known in zip(table.columns, self.is_known_, strict=True) if known]
        return table[kept]

    def _texts_of(self, columns: Sequence[Any]) -> np.ndarray:
        return np.column_stack([column_texts(columns[index]) for index in self.texts_])

    def _with_topics(self, table: Any) -> Any:
        import pandas as pd

        table = table.to_pandas() if hasattr(table, "to_pandas") else pd.DataFrame(table)
        topics = self.words_.transform(self._texts_of(table_columns(table)))
        names = self.words_.get_feature_names_out(table.columns[self.texts_])
        kept = table.loc[:, self.is_known_].reset_index(drop=True)
        return pd.concat([kept, pd.DataFrame(topics, columns=names)], axis=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _is_kept(column: Any, role: str) -> bool:
    if role == NUMERIC:
        return not np.isnan(column_numbers(column)).all()
    return role not in (EMPTY, TEXT)

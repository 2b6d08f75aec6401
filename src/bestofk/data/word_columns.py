"""Columns of numbers from the words of free texts."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted

N_TOPICS = 100


class WordColumns(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn texts into numbers: one column per word, or a few columns that summarize the words.

    Each column of texts is read separately by scikit-learn's `TfidfVectorizer`: words of two
    characters or more, in lower case, weigh more if fewer texts contain them, and the weights of a
    text have length 1. Words that do not occur in the rows it is fitted on are ignored.

    Parameters
    ----------
    n_topics : int or None, default=None
        Columns made from each column of texts by scikit-learn's `TruncatedSVD`, scaled to length 1;
        fewer if words or rows do not suffice. None keeps a column per word.

    Attributes
    ----------
    parts_ : list of (TfidfVectorizer, TruncatedSVD or None)
        Fitted transformers of each column of texts; None without topics, or with a single word.

    Examples
    --------
    >>> texts = [["good soup"], ["bad soup"], ["good bread"]]
    >>> words = WordColumns().fit(texts)
    >>> list(words.get_feature_names_out(["review"]))
    ['review_bad', 'review_bread', 'review_good', 'review_soup']
    >>> WordColumns(n_topics=2).fit_transform(texts).shape
    (3, 2)
    """

    code_version = 1

    def __init__(self, *, n_topics: int | None = None) -> None:
        self.n_topics = n_topics

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn words and topics.

        Parameters
        ----------
        X : array-like of str of shape (n_samples, n_columns)
            Texts; None counts as an empty one.
        y : ignored
            Present for scikit-learn's interface.

        Returns
        -------
        WordColumns
            Itself.
        """
        self.parts_ = [self._fitted(texts) for texts in _columns(X)]
        return self

    def transform(self, X: Any) -> Any:
        """Return the word or topic columns of texts.

        Parameters
        ----------
        X : array-like of str of shape (n_samples, n_columns)
            Texts in the same columns as in `fit`.

        Returns
        -------
        csr_matrix or ndarray of shape (n_samples, n_features_out), float64
            Sparse with a column per word; an array of topics.
        """
        check_is_fitted(self)
        pairs = zip(self.parts_, _columns(X), strict=True)
        blocks = [self._read(*part, texts) for part, texts in pairs]
        return sparse.hstack(blocks, "csr") if self.n_topics is None else np.hstack(blocks)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the output columns: column_word, or column_topic1.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of the columns of texts; `x0`, `x1`, ... by default.
        """
        check_is_fitted(self)
        given = input_features
        columns = [f"x{i}" for i in range(len(self.parts_))] if given is None else given
        names = []
        for column, (vectorizer, topics) in zip(columns, self.parts_, strict=True):
            words = sorted(vectorizer.vocabulary_)
            if self.n_topics is not None:
                n_out = len(words) if topics is None else topics.n_components
                words = [f"topic{number}" for number in range(1, n_out + 1)]
            names += [f"{column}_{word}" for word in words]
        return np.array(names, dtype=object)

    def _fitted(self, texts: list[str]) -> tuple[Any, Any]:
        vectorizer = TfidfVectorizer()
        try:
            weights = vectorizer.fit_transform(texts)
        except ValueError:  # no text contains a word
            return TfidfVectorizer(vocabulary={"": 0}).fit([""]), None
        most = min(self.n_topics or 0, weights.shape[0], weights.shape[1] - 1)
        if most < 1:
            return vectorizer, None
        return vectorizer, TruncatedSVD(most, random_state=0).fit(weights)

    def _read(self, vectorizer: Any, topics: Any, texts: list[str]) -> Any:
        weights = vectorizer.transform(texts)
        if topics is not None:
            return normalize(topics.transform(weights))
        return weights if self.n_topics is None else weights.toarray()


def _columns(X: Any) -> list[list[str]]:
    return [["" if text is None else text for text in column] for column in zip(*X, strict=True)]

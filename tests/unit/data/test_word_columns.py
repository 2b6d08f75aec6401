import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from bestofk.data.word_columns import WordColumns

TEXTS = ["good soup", "bad soup", None, "good, good bread", "BAD bread and soup"]


def test_words_are_those_of_scikit_learn_column_by_column():
    pairs = np.array([TEXTS, TEXTS[::-1]], dtype=object).T
    words = WordColumns().fit(pairs[:3])
    plain = [[text or "" for text in column] for column in pairs.T]
    expected = [TfidfVectorizer().fit(column[:3]).transform(column).toarray() for column in plain]
    assert np.array_equal(words.transform(pairs).toarray(), np.hstack(expected))
    names = words.get_feature_names_out(["a", "b"]).tolist()
    expected = "a_bad a_good a_soup b_and b_bad b_bread b_good b_soup"
    assert names == expected.split()


def test_topics_keep_the_angles_between_texts_where_nothing_is_left_out():
    texts = [[text] for text in TEXTS]
    words = WordColumns().fit_transform(texts).toarray()
    topics = WordColumns(n_topics=4).fit_transform(texts)  # five words; "and" stands in one text
    assert topics.shape == (5, 4)
    assert topics @ topics.T == pytest.approx(words @ words.T, abs=0.15)


@pytest.mark.parametrize("n_topics", [None, 3])
def test_texts_without_a_word_give_a_column_of_zeros(n_topics):
    words = WordColumns(n_topics=n_topics).fit([["?"], ["a"], [None]])
    values = words.transform([["some words"], ["!"]])
    values = values if isinstance(values, np.ndarray) else values.toarray()
    assert values.tolist() == [[0.0], [0.0]]
    assert len(words.get_feature_names_out()) == 1


def test_the_same_texts_give_the_same_bits():
    rng = np.random.default_rng(1)
    words = [f"w{i}" for i in range(200)]
    texts = [[" ".join(rng.choice(words, 8))] for _ in range(150)]
    first, again = (WordColumns(n_topics=20).fit_transform(texts) for _ in range(2))
    assert np.array_equal(first, again)
    assert np.linalg.norm(first, axis=1) == pytest.approx(np.ones(150))
    assert pd.DataFrame(first).nunique().gt(1).all()

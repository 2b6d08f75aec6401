"""Free texts as inputs of the catalogue, alone and next to other columns."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from bestofk import compare, load_data
from bestofk.batched.forms import batched_form
from bestofk.learners import learner_catalogue
from bestofk.learners.preparation import TablePreparer
from bestofk.trees.known_columns import KnownColumns

GOOD = ["great", "lovely", "tasty", "fresh", "friendly", "warm"]
BAD = ["awful", "bland", "slow", "rude", "cold", "stale"]


def reviews(n=120, seed=0):
    """Return reviews in which words tell the class, and numbers nearly so."""
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 2, n)
    texts = [
        " ".join(["the food was", *rng.choice(GOOD if kind else BAD, 3), f"table {i}"])
        for i, kind in enumerate(kinds)
    ]
    titles = [f"visit number {i} on a {'good' if rng.random() < 0.5 else 'bad'} day" for i in kinds]
    return pd.DataFrame(
        {
            "review": texts,
            "stars": (kinds + rng.normal(0, 0.3, n)).round(2),
            "title": [f"{title} {i}" for i, title in enumerate(titles)],
            "city": rng.choice(["Bonn", "Ulm"], n),
            "kind": np.where(kinds, "good", "bad"),
        }
    )


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "reviews.csv"
    reviews().to_csv(path, index=False)
    return load_data(path)


def test_roles_and_first_lines_say_that_texts_are_read(data):
    assert dict(data.roles) == {
        "review": "text", "stars": "numeric", "title": "text", "city": "nominal", "kind": "target",
    }  # fmt: skip
    assert data.reading[0].startswith("reviews: 120 rows, 2 text, 1 numeric and 1 nominal inputs")
    assert "Columns 'review', 'title': free text, read word by word" in data.reading[-1]


# fewer rows than topics and classes: what they are for is another kind of table
CROWDED = {"kernel-naive-bayes", "lda", "qda"}


@pytest.mark.parametrize("name", sorted(learner_catalogue().keys() - CROWDED))
def test_every_learner_reads_texts(data, name):
    entry = learner_catalogue()[name]
    y = data.features["stars"] if entry.task == "regression" else data.target_array
    learner = entry.make()
    train, test = data.levelled[:90], data.levelled[90:]
    predicted = learner.fit(train, y[:90]).predict(test)
    assert len(predicted) == 30
    if not entry.is_baseline and entry.task == "classification":
        assert np.mean(predicted == y[90:]) > 0.7, name


def test_sparse_rows_go_to_learners_that_read_them_and_topics_to_others(data):
    for name, is_sparse in (("logistic", True), ("bernoulli-naive-bayes", True), ("5nn", False)):
        learner = learner_catalogue()[name].make().fit(data.levelled, data.target)
        prepared = learner[:-1].transform(data.levelled)
        assert hasattr(prepared, "tocsr") == is_sparse, name
        names = learner[:-1].get_feature_names_out()
        assert len(names) == prepared.shape[1]
        assert names[:3].tolist() == ["stars", "city_Bonn", "city_Ulm"]
        assert ("review_awful" in names, "review_topic1" in names) == (is_sparse, not is_sparse)


def test_words_are_learned_from_training_rows_alone(data):
    prepare = TablePreparer(texts="words").fit(data.levelled[:60])
    seen = {name.removeprefix("review_") for name in prepare.get_feature_names_out()}
    assert {"great", "17"} <= seen
    assert "117" not in seen
    tree = KnownColumns().fit(data.levelled[:60])
    assert "117" not in tree.words_.parts_[0][0].vocabulary_


def test_one_column_of_texts_is_what_scikit_learn_makes_of_it():
    data = load_data_of(reviews(60)[["review", "kind"]])
    plain = make_pipeline(
        ColumnTransformer([("words", TfidfVectorizer(), "review")]), LogisticRegression()
    )
    result = compare({"plain": plain, "logistic": "logistic"}, data, cv="2x5")
    by_learner = result.to_frame().groupby("learner")
    plain, ours = (by_learner.get_group(name)["value"] for name in ("plain", "logistic"))
    assert plain.to_numpy() == pytest.approx(ours.to_numpy(), abs=1e-4)


def load_data_of(frame):
    from bestofk.data import from_arrays

    return from_arrays(frame.drop(columns="kind"), frame["kind"])


def test_frames_give_the_numbers_of_files(data):
    names = ["logistic", "5nn", "cart"]
    frame = load_data_of(reviews())
    assert frame.roles["review"] == "text"
    assert frame.notes[0].startswith("Free text, read word by word: 'review', 'title'")
    assert frame.id == data.id
    from_file, in_memory = (
        compare(names, source, cv="1x3").to_frame()[["learner", "measure", "value"]]
        for source in (data, frame)
    )
    assert from_file.equals(in_memory)
    as_categories = load_data_of(reviews().astype({"review": "category", "title": "category"}))
    assert as_categories.roles["review"] == "nominal"


@pytest.mark.parametrize("name", ["logistic", "naive-bayes", "c45"])
def test_tables_with_texts_are_trained_split_by_split(data, name):
    learner = learner_catalogue()[name].make()
    table = (data.levelled, data.target_array, data.y, data.classes)
    assert batched_form(learner, *table, 3, even_if_slower=True) is None
    numbers = data.levelled[["stars"]]
    assert batched_form(learner, numbers, *table[1:], 3, even_if_slower=True) is not None


@pytest.mark.parametrize("name", ["logistic", "cart"])
@pytest.mark.parametrize("in_memory", [True, False])
def test_a_fitted_learner_reads_texts_of_new_rows(data, name, in_memory, tmp_path):
    model = compare([name], load_data_of(reviews()) if in_memory else data, cv="1x3").fit()
    new = reviews(40, seed=1)
    new.loc[0, "review"] = None
    assert np.mean(model.predict(new.drop(columns="kind")) == new["kind"]) > 0.8

"""Learners of groups that cannot run on a table are left out; named ones are tried."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestofk import compare
from bestofk.comparison.members_of_groups import without_hopeless
from bestofk.comparison.options import ComparisonSettings
from bestofk.comparison.prepared_comparison import prepare_comparison
from bestofk.data import DataSet, load_data
from bestofk.learners import learner_catalogue, resolve_learners
from bestofk.learners.operations import MOST_OPERATIONS, TableShape
from bestofk.measures import get_measure

WITH_COUNTS = [entry for entry in learner_catalogue(optional=True).values() if entry.n_operations]


def table(n_rows, n_columns):
    rng = np.random.default_rng(0)
    features = np.broadcast_to(rng.normal(size=(n_rows, 1)), (n_rows, n_columns))
    target = rng.permutation(np.arange(n_rows) % 2)
    return DataSet("made", features, target, "classification")


def names_and_notes(learners, data, measure="error", **options):
    judged = get_measure(measure, task="classification", classes=["a", "b"])
    resolved = resolve_learners(learners, data.task)
    kept, notes = without_hopeless(resolved, data, judged, **options)
    return [item.name for item in kept], notes


@pytest.mark.parametrize("name", ["iris", "play-tennis", "wine"])
def test_the_default_set_is_tried_whole_on_small_tables(name):
    data = load_data(name)
    names, notes = names_and_notes(None, data)
    assert names == [item.name for item in resolve_learners(None, data.task)]
    assert notes == ()


def test_a_covariance_of_more_columns_than_rows_is_not_tried_unless_named_and_that_is_said():
    data = table(100, 60)
    names, notes = names_and_notes("fast", data)
    assert "qda" not in names
    assert "lda" in names
    assert notes == (
        "Not tried: qda, which would fail: the rarest class has 40 rows to train on for "
        "60 columns.",
    )
    for written in ("fast,qda", "qda,fast"):
        names, notes = names_and_notes(written, data)
        assert "qda" in names
        assert notes == ()
    result = compare("nearest-mean,linear,fast,-trees,-1nn,-svm", data, cv="1x2")
    assert "qda" not in result.table["learner"].tolist()
    assert result.notes[0].startswith("Not tried: qda, which would fail")


def test_kernels_on_a_hundred_thousand_rows_are_not_tried_unless_named():
    data = table(100_000, 20)
    names, notes = names_and_notes("fast", data)
    assert not {"svm", "linear-svm"} & set(names)
    assert "logistic" in names
    assert notes == (
        "Not tried: svm and linear-svm, as a fit on 80,000 rows and 20 columns takes long; name a "
        "learner to try it.",
    )
    assert "svm" in names_and_notes("fast", data, is_growing=True)[0]
    assert "svm" in names_and_notes("fast,svm", data)[0]
    assert names_and_notes("svm", data) == (["svm"], ())


def prepared(learners, data, cv="adaptive"):
    made = prepare_comparison(
        resolve_learners(learners, data.task), data, ComparisonSettings(cv=cv)
    )
    return [item.name for item in made.request.learners], made.notes


def test_boosting_is_raced_on_few_rows_only_if_it_is_named():
    iris = load_data("iris")
    default = [item.name for item in resolve_learners(None, iris.task)]
    names, notes = prepared(None, iris)
    assert names == [name for name in default if name != "gradient-boosting"]
    assert notes == (
        "Not tried: gradient-boosting, which on fewer than 250 rows takes most of the time and is "
        "seldom best; name it to try it.",
    )
    assert prepared("default,gradient-boosting", iris) == (default, ())


@pytest.mark.parametrize(("cv", "n_rows"), [("2x5", 150), ("adaptive", 250), ("adaptive", 2999)])
def test_boosted_trees_of_a_group_are_shallow_on_few_rows(cv, n_rows):
    data = table(n_rows, 4)
    default = [item.name for item in resolve_learners(None, data.task)]
    names, notes = prepared(None, data, cv)
    assert names == [*default[:-1], "shallow-boosting"]
    assert notes == (
        "On fewer than 3,000 rows shallow-boosting takes the place of gradient-boosting; name "
        "that to try it.",
    )
    assert prepared("default,gradient-boosting", data, cv) == (default, ())
    both = "default,shallow-boosting"
    assert prepared(both, data, cv) == ([*default, "shallow-boosting"], ())


def test_boosted_trees_of_a_group_are_deep_on_many_rows():
    default = [item.name for item in resolve_learners(None, "classification")]
    assert prepared(None, table(3000, 4)) == (default, ())


def test_what_gives_no_probabilities_is_not_tried_where_they_are_needed_unless_named():
    data = load_data("iris")
    names, notes = names_and_notes(None, data, "log_loss")
    assert "svm" not in names
    assert notes == ("Not tried: svm, without the probabilities that log_loss needs.",)
    assert "svm" in names_and_notes("default,svm", data, "log_loss")[0]


def test_all_are_tried_where_none_would_be_and_nominal_columns_count_by_their_levels():
    assert names_and_notes("slow,-catboost", table(200_000, 60)) == (["mlp"], ())
    frame = pd.DataFrame({"a": list("abcde") * 20, "b": np.arange(100.0)})
    data = DataSet("made", frame, np.arange(100) % 2, "classification")
    assert TableShape.of(data) == (80, 6, 2, 40)


@given(
    entry=st.sampled_from(WITH_COUNTS),
    rows=st.integers(4, 10**7),
    columns=st.integers(1, 10**5),
    classes=st.integers(1, 100),
)
def test_counts_grow_with_the_table(entry, rows, columns, classes):
    rarest = rows // classes
    count = entry.n_operations(TableShape(rows, columns, classes, rarest))
    assert 0 < count <= entry.n_operations(TableShape(rows, columns + 1, classes, rarest))
    wider = entry.n_operations(TableShape(rows * 2, columns, classes, rarest))
    assert count <= wider


@pytest.mark.parametrize("entry", WITH_COUNTS, ids=lambda entry: entry.name)
def test_every_learner_is_tried_on_a_thousand_rows_of_twenty_columns(entry):
    n_classes = 1 if entry.task == "regression" else 3
    assert entry.n_operations(TableShape(800, 20, n_classes, 250)) < MOST_OPERATIONS / 5

"""Training rows of tuned learners: what is refused, and what few of them allow."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier

from bestofk import compare
from bestofk.tuning import Tuned

X, Y = load_iris(return_X_y=True)
SMALL = {"n_neighbors": [1, 3]}


@pytest.mark.parametrize("name", ["knn", "lda", "logistic", "ridge"])
@pytest.mark.parametrize(
    ("features", "target", "others", "message"),
    [
        (X, Y[:149], {}, r"inconsistent numbers of samples: \[150, 149\]"),
        (X, Y, {"groups": Y[:149]}, r"inconsistent numbers of samples: \[150, 150, 149\]"),
        (X, Y, {"sample_weight": Y[:9]}, r"inconsistent numbers of samples: \[150, 150, 9\]"),
        (X, np.column_stack([Y, Y]), {}, r"y should be a 1d array, got .* \(150, 2\)"),
        (X, np.where(Y == 2, np.nan, Y), {}, r"y must be free of missing values; got 50\. "),
        (X, np.array(["a", None, "b"] * 50), {}, r"y must be free of missing values; got 50\. "),
        (X * np.nan, Y, {}, "X must have at least one value; got only missing values"),
        (X[:, 0], Y, {}, "Expected 2D array, got 1D array"),
    ],
)
def test_rows_that_cannot_be_trained_are_refused_in_one_sentence(
    name, features, target, others, message
):
    with pytest.raises(ValueError, match=message):
        Tuned(name).fit(features, target, **others)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match=r"y must hold at least 2 classes; got only 'a'\."):
        Tuned("knn").fit(X, ["a"] * 150)


@pytest.mark.parametrize("batched", ["always", "never"])
def test_a_part_with_one_class_fails_in_either_form(batched):
    target = np.where(np.arange(150) < 148, "a", "b")
    learners = {"t": Tuned("knn", SMALL, inner=2), "m": "majority"}
    result = compare(
        learners, X, target, cv="4x2", stratify=False, scoring="accuracy", batched=batched
    )
    messages = result.to_frame().query("learner == 't' and measure == 'accuracy'")["message"]
    assert any("2 classes" in message for message in messages)


def test_inner_splits_without_a_second_class_are_left_out():
    target = np.where(np.arange(150) < 75, "a", np.where(np.arange(150) < 80, "b", "a"))
    groups = np.arange(150) // 5
    tuned = Tuned("lda", inner=3, measure="auroc")
    with pytest.warns(UserWarning, match="settings were dropped"):
        tuned.fit(X, target, groups=groups)
    losses = np.array(tuned.choice_["losses"])
    assert np.isnan(losses).all(axis=0).any()


def test_inner_folds_are_at_most_as_many_as_groups():
    groups = np.arange(150) % 3
    tuned = Tuned("lda").fit(X, Y, groups=groups)
    assert np.shape(tuned.choice_["losses"])[1] == 3
    learners = {"t": Tuned(KNeighborsClassifier(), SMALL), "m": "majority"}
    result = compare(learners, X, Y, cv="1x4", groups=np.arange(150) % 4)
    assert (result.to_frame()["status"] == "ok").all()


def test_inner_folds_are_at_most_as_many_as_rows():
    tuned = Tuned(KNeighborsClassifier(1), {"n_neighbors": [1, 2]}).fit(X[48:52], Y[48:52])
    assert np.shape(tuned.choice_["losses"])[1] == 4


def test_the_standard_error_is_that_of_the_folds_there_are(monkeypatch):
    asked = []
    monkeypatch.setattr(
        "bestofk.tuning.tuned.choose_setting", lambda losses, default, n, **_: asked.append(n) or 0
    )
    Tuned("lda").fit(X, Y, groups=np.arange(150) % 3)
    assert asked == [3]


@pytest.mark.parametrize(
    ("inner", "groups", "message"),
    [
        (500, None, r"inner must be at most the number of training rows \(150\) folds; got 500. G"),
        ("2x4", Y, r"training groups \(3\) folds; got '2x4'\. Give inner=3 or less\."),
        ("auto", Y * 0, r"training groups must be at least 2; got 1\."),
    ],
)
def test_too_many_inner_folds_are_refused_with_a_way_out(inner, groups, message):
    with pytest.raises(ValueError, match=message):
        Tuned("lda", inner=inner).fit(X, Y, groups=groups)


def test_lists_are_read_as_arrays():
    tuned = Tuned(KNeighborsClassifier(), SMALL).fit(X.tolist(), Y.tolist())
    assert tuned.predict(X.tolist()).shape == (150,)

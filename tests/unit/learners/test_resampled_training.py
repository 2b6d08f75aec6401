"""Classes of one size in the training rows, and nothing else changed."""

import importlib.util
import sys
import warnings
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from bestofk.data import DataSet
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.run import run_one
from bestofk.learners import learner_catalogue
from bestofk.learners.learner import Learner
from bestofk.learners.majority_classifier import MajorityClassifier
from bestofk.learners.resampled_training import (
    RESAMPLING_METHODS,
    ResampledTraining,
    weight_parameter,
)
from bestofk.resampling import make_plan

Y = np.array(list("aabbbbbccc"))
X = np.arange(10.0)[:, np.newaxis]

needs_imbalanced_learn = pytest.mark.skipif(
    importlib.util.find_spec("imblearn") is None,
    reason="imbalanced-learn is not installed: pip install 'bestofk[imbalance]'",
)


class Recorder(BaseEstimator):
    """Keeps what it is fitted to, and gives as first probability the class share."""

    def fit(self, X, y, sample_weight=None):
        self.X, self.y, self.sample_weight = X, y, sample_weight
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        self.seen = X
        return np.full(len(X), self.classes_[0])


def recorded(X, y, method="over", random_state=0):
    return ResampledTraining(Recorder(), method, random_state).fit(X, y).estimator_


def naively_resampled(labels, method):
    """Return how often each class is to occur, counted one label at a time."""
    counts = Counter(labels)
    target = max(counts.values()) if method == "over" else min(counts.values())
    return dict.fromkeys(counts, target)


@pytest.mark.parametrize(("method", "size"), [("over", 5), ("under", 2)])
def test_every_class_gets_the_size_of_the_largest_or_of_the_smallest(method, size):
    seen = recorded(X, Y, method)
    assert Counter(seen.y) == {"a": size, "b": size, "c": size}


def test_oversampling_keeps_all_rows_in_place_and_adds_rows_of_smaller_classes():
    seen = recorded(X, Y, "over")
    np.testing.assert_array_equal(seen.X[:10], X)
    np.testing.assert_array_equal(seen.y[:10], Y)
    assert seen.y[10:].tolist() == ["a"] * 3 + ["c"] * 2
    assert set(seen.X[10:13, 0]) <= {0.0, 1.0}
    assert set(seen.X[13:, 0]) <= {7.0, 8.0, 9.0}


def test_undersampling_draws_without_replacement_and_keeps_the_order():
    seen = recorded(X, Y, "under")
    rows = seen.X[:, 0].astype(int)
    assert rows.tolist() == sorted(set(rows))
    np.testing.assert_array_equal(seen.y, Y[rows])
    assert rows[:2].tolist() == [0, 1]


def test_weights_are_inversely_proportional_to_class_sizes():
    seen = recorded(X, Y, "weights")
    # 10 rows, 3 classes: 10 / (3 * 2), 10 / (3 * 5), 10 / (3 * 3)
    expected = [10 / 6] * 2 + [10 / 15] * 5 + [10 / 9] * 3
    np.testing.assert_allclose(seen.sample_weight, expected, rtol=1e-15)
    np.testing.assert_array_equal(seen.X, X)


def test_weights_reach_the_last_step_of_a_pipeline():
    seen = ResampledTraining(make_pipeline(StandardScaler(), Recorder()), "weights").fit(X, Y)
    assert seen.estimator_.steps[-1][1].sample_weight[0] == pytest.approx(10 / 6)
    assert weight_parameter(make_pipeline(StandardScaler(), KNeighborsClassifier())) is None
    assert weight_parameter(learner_catalogue()["logistic"].make()) == "learner__sample_weight"


def test_weighing_logistic_regression_equals_its_own_balanced_weights():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 2)), np.repeat([0, 1], [60, 20])
    ours = ResampledTraining(LogisticRegression(), "weights").fit(X, y)
    theirs = LogisticRegression(class_weight="balanced").fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-6)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-6)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=30),
    st.sampled_from(["over", "under"]),
    st.integers(0, 2**31 - 1),
)
def test_sizes_are_those_of_a_naive_count_and_every_row_is_a_given_one(labels, method, seed):
    labels, rows = np.array(labels), np.arange(len(labels))[:, np.newaxis]
    seen = recorded(rows, labels, method, seed)
    assert dict(Counter(seen.y)) == naively_resampled(labels.tolist(), method)
    np.testing.assert_array_equal(labels[seen.X[:, 0]], seen.y)


@pytest.mark.parametrize("method", ["over", "under", "weights"])
def test_classes_of_one_size_and_a_single_class_stay_as_they_are(method):
    for labels in (np.array([1, 0, 1, 0]), np.array([1, 1, 1, 1])):
        seen = recorded(X[:4], labels, method)
        np.testing.assert_array_equal(seen.X, X[:4])
        np.testing.assert_array_equal(seen.y, labels)


def test_the_draw_follows_from_the_random_state_alone():
    y = np.repeat([0, 1], [8, 92])
    rows = np.arange(100)[:, np.newaxis]
    first, again, other = (recorded(rows, y, "under", seed).X.ravel() for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert first.tolist() != other.tolist()
    unseeded = Learner("r", ResampledTraining(LogisticRegression())).unseeded
    assert unseeded == ("estimator__random_state", "random_state")


@pytest.mark.parametrize("method", ["over", "under", "weights"])
@pytest.mark.parametrize("kind", ["array", "objects", "pandas", "polars"])
def test_tables_keep_their_kind_and_what_was_given_is_not_changed(method, kind):
    frame = pd.DataFrame({"n": range(10), "c": pd.Categorical(list("uvuvuvuvuv"))})
    table = {
        "array": X.copy(),
        "objects": frame.to_numpy(),
        "pandas": frame,
        "polars": pl.from_pandas(frame),
    }[kind]
    before, labels = table.copy() if kind != "polars" else table.clone(), Y.copy()
    seen = recorded(table, labels, method)
    assert type(seen.X) is type(table)
    assert [str(item) for item in getattr(seen.X, "dtypes", [])] == [
        str(item) for item in getattr(table, "dtypes", [])
    ]
    if kind == "polars":
        assert table.equals(before)
    else:
        np.testing.assert_array_equal(np.asarray(table), np.asarray(before))
    np.testing.assert_array_equal(labels, Y)


@pytest.mark.parametrize("method", ["over", "under"])
def test_a_run_learns_from_training_rows_alone_and_predicts_every_test_row_once(method):
    labels = np.array(["rare", "common"])[(np.arange(60) % 6 > 0).astype(int)]
    data = DataSet("d", np.arange(60)[:, np.newaxis], labels, "classification")
    kept = []

    class Keeping(Recorder):
        def predict(self, X):
            kept.append((self.X[:, 0], X[:, 0]))
            return super().predict(X)

    model = ResampledTraining(Keeping(), method)
    runnable = Learner("r", model)
    for split in make_plan(data, "2x3"):
        record = run_one(runnable, data, split, seed=7)
        assert record.status == "ok", record.message
        trained, tested = kept.pop()
        np.testing.assert_array_equal(tested, split.test_rows)
        assert set(trained) <= set(split.train_rows)
        n_rare, n_common = Counter(labels[trained])["rare"], Counter(labels[trained])["common"]
        assert n_rare == n_common


def test_predictions_and_tags_are_those_of_the_estimator():
    y = np.repeat([0, 1], 5)
    model = ResampledTraining(LogisticRegression()).fit(X, y)
    plain = LogisticRegression().fit(X, y)  # equal sizes: nothing is drawn
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(X))
    assert model.classes_.tolist() == [0, 1]
    assert model.score(X, y) == plain.score(X, y)
    assert not hasattr(ResampledTraining(LinearSVC()), "predict_proba")
    assert not hasattr(ResampledTraining(MajorityClassifier()), "decision_function")


@parametrize_with_checks(
    [ResampledTraining(LogisticRegression(), method) for method in ("over", "under", "weights")]
)
def test_scikit_learns_checks_pass(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks provoke warnings on purpose
        check(estimator)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (ResampledTraining(LogisticRegression(), "ove"), r"got 'ove'\. Did you mean 'over'\?"),
        (ResampledTraining(LogisticRegression(), 3), r"must be a known one; got 3\."),
        (ResampledTraining(Ridge()), "must be a classifier; got the regressor Ridge"),
        (
            ResampledTraining(KNeighborsClassifier(), "weights"),
            "must take sample_weight in fit for method 'weights'; got KNeighborsClassifier",
        ),
    ],
)
def test_what_cannot_work_is_refused(model, message):
    with pytest.raises(InvalidArgumentError, match=message):
        model.fit(X, Y)


def test_without_imbalanced_learn_smote_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "imblearn", None)
    monkeypatch.setitem(sys.modules, "imblearn.over_sampling", None)
    with pytest.raises(InvalidArgumentError, match=r"pip install 'bestofk\[imbalance\]'"):
        ResampledTraining(Recorder(), "smote").fit(X, Y)


def test_parameters_survive_cloning():
    model = clone(ResampledTraining(Recorder(), "under", 3))
    assert (model.method, model.random_state) == ("under", 3)
    assert RESAMPLING_METHODS == ("over", "under", "smote", "weights")


def mixed_table():
    y = np.array(["a"] * 8 + ["b"] * 22)
    frame = pd.DataFrame(
        {
            "n": np.arange(30),
            "f": np.linspace(0, 1, 30),
            "c": pd.Categorical(list("uvw") * 10),
            "b": [True, False, False] * 10,
        },
        index=range(100, 130),
    )
    return frame, y


@needs_imbalanced_learn
def test_smote_gives_the_rows_of_imbalanced_learn():
    from imblearn.over_sampling import SMOTE

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.repeat(["a", "b", "c"], [8, 20, 12])
    seen = recorded(X, y, "smote", 5)
    seed = np.random.RandomState(5).randint(np.iinfo(np.int32).max)
    expected = SMOTE(random_state=np.random.RandomState(seed)).fit_resample(X, y)
    np.testing.assert_array_equal(seen.X, expected[0])
    np.testing.assert_array_equal(seen.y, expected[1])
    assert Counter(seen.y) == {"a": 20, "b": 20, "c": 20}


@needs_imbalanced_learn
@pytest.mark.parametrize("kind", ["pandas", "polars", "objects", "nominal"])
def test_synthetic_rows_lie_between_numbers_and_have_known_levels(kind):
    frame, y = mixed_table()
    frame = frame[["c", "b"]] if kind == "nominal" else frame
    table = {"polars": pl.from_pandas(frame), "objects": frame.to_numpy()}.get(kind, frame)
    seen = recorded(table, y, "smote")
    assert Counter(seen.y) == {"a": 22, "b": 22}
    result = seen.X if kind == "objects" else seen.X.to_numpy()
    assert (result[:30] == frame.to_numpy()).all()
    added = pd.DataFrame(result[30:], columns=frame.columns)
    assert set(added["c"]) <= {"u", "v", "w"}
    assert {type(item) for item in added["b"]} == {bool}
    if kind != "nominal":
        assert added["f"].astype(float).between(0, 7 / 29).all()  # the eight rows of class a
    if kind in ("pandas", "nominal"):
        assert seen.X["c"].dtype == frame["c"].dtype


@needs_imbalanced_learn
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: (X.assign(f=np.nan), y), r"missing and infinite values .* got 30\."),
        (lambda X, y: (X.assign(c=None), y), r"missing and infinite values .* got 30\."),
        (
            lambda X, y: (X.assign(d=pd.timedelta_range("1D", periods=30)), y),
            "must be numbers or levels for method 'smote'; got one of type timedelta64",
        ),
        (lambda X, y: (X, np.repeat(["a", "b"], [5, 25])), r"at least 6 .* got 5 of class a\."),
    ],
)
def test_smote_refuses_what_it_cannot_draw_between(change, message):
    with pytest.raises(InvalidArgumentError, match=message):
        ResampledTraining(Recorder(), "smote").fit(*change(*mixed_table()))


@needs_imbalanced_learn
def test_smote_leaves_equal_classes_as_they_are_and_refuses_sparse_tables():
    from scipy.sparse import csr_array

    seen = recorded(X, np.repeat([0, 1], 5), "smote")
    np.testing.assert_array_equal(seen.X, X)
    with pytest.raises(InvalidArgumentError, match="got a sparse matrix"):
        recorded(csr_array(np.eye(30)), mixed_table()[1], "smote")

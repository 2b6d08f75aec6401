import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from bestofk.errors import BestofkWarning, InvalidArgumentError
from bestofk.learners import learner_catalogue
from bestofk.learners.noisy_training import NoisyTraining


class Keeper(ClassifierMixin, BaseEstimator):
    """Keeps what it is given."""

    def fit(self, X, y):
        self.X_, self.y_, self.classes_ = X, y, np.unique(np.asarray(y))
        return self

    def predict(self, X):
        self.seen_ = X
        return np.full(len(X), self.classes_[0])


def fitted(X, y, **options):
    return NoisyTraining(Keeper(), **({"random_state": 0} | options)).fit(X, y)


def mixed_frame(n=20):
    rng = np.random.default_rng(0)
    index = np.arange(n) * 3 + 7
    return pd.DataFrame(
        {
            "float": rng.normal(size=n),
            "single": rng.normal(size=n).astype(np.float32),
            "whole": rng.integers(0, 9, n),
            "nullable": pd.array([1, 2, None, 4] * (n // 4), dtype="Int64"),
            "text": list("abcd" * (n // 4)),
            "object": np.array(list("xy" * (n // 2)), dtype=object),
            "category": pd.Categorical(list("uv" * (n // 2))),
            "flag": [True, False] * (n // 2),
            "date": pd.date_range("2020-01-01", periods=n),
            "constant": np.ones(n),
            "empty": np.full(n, np.nan),
        },
        index=index,
    )


def differs(before, after):
    """Return which cells of two frames differ; two missing ones do not."""
    unequal = (before.astype(object) != after.astype(object)).to_numpy(dtype=bool)
    return unequal & ~(before.isna() & after.isna()).to_numpy()


@pytest.mark.parametrize(
    ("fraction", "n", "n_noisy"),
    [(0.1, 150, 15), (0.25, 10, 3), (0.29, 50, 15), (0.1, 4, 0), (0.999, 10, 10), (0.35, 10, 4)],
)
def test_share_of_wrong_classes_is_exact_to_the_row_and_rounded_half_up(fraction, n, n_noisy):
    X, y = make_classification(n, n_classes=2, random_state=1)
    learner = fitted(X, y, fraction=fraction)
    is_wrong = learner.estimator_.y_ != y
    assert is_wrong.sum() == n_noisy
    np.testing.assert_array_equal(is_wrong, learner.is_noisy_)
    assert learner.estimator_.X_.tobytes() == X.tobytes()


def test_noise_adds_exactly_to_noise_that_is_known():
    # 100 rows of which the first 20 are known to be wrong: 30 more get another class
    truth = np.repeat([0, 1], 50)
    given_classes = truth.copy()
    given_classes[:20] = 1
    learner = fitted(np.arange(100.0)[:, None], given_classes, fraction=0.3)
    corrected = int(learner.is_noisy_[:20].sum())
    assert (learner.estimator_.y_ != truth).sum() == 20 + (30 - corrected) - corrected


def test_every_other_class_is_equally_likely():
    y = np.repeat([0, 1, 2, 3], 3000)
    learner = fitted(np.arange(12_000.0)[:, None], y, fraction=0.5)
    for label in range(4):
        wrong = learner.estimator_.y_[(y == label) & learner.is_noisy_]
        shares = np.bincount(wrong, minlength=4) / len(wrong)
        assert shares[label] == 0
        # about 1,500 rows: five standard deviations of a share are 0.06
        np.testing.assert_allclose(np.delete(shares, label), 1 / 3, atol=0.06)


def test_a_random_class_is_any_of_all_its_own_included():
    y = np.repeat([0, 1, 2, 3], 3000)
    learner = fitted(np.arange(12_000.0)[:, None], y, fraction=0.5, kind="random-class")
    drawn = learner.is_noisy_
    assert drawn.sum() == 6000
    np.testing.assert_array_equal(learner.estimator_.y_[~drawn], y[~drawn])
    for label in range(4):
        given_classes = learner.estimator_.y_[(y == label) & drawn]
        shares = np.bincount(given_classes, minlength=4) / len(given_classes)
        # about 1,500 rows: five standard deviations of a share are 0.056
        np.testing.assert_allclose(shares, 1 / 4, atol=0.056)
    # a single class is drawn again, which "class" must refuse
    single = fitted(np.eye(4), np.ones(4), fraction=0.5, kind="random-class")
    assert set(single.estimator_.y_) == {1}


@pytest.mark.parametrize("kind", ["class", "random-class", "feature", "missing"])
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_larger_fraction_keeps_all_noise_of_a_smaller_one(kind, data):
    shares = st.floats(0, 0.99)
    low, high = sorted((data.draw(shares), data.draw(shares)))
    seed, n = data.draw(st.integers(0, 2**32 - 1)), data.draw(st.integers(4, 30))
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, 2)), rng.permutation(np.arange(n) % 3)
    less, more = (fitted(X, y, kind=kind, fraction=f, random_state=seed) for f in (low, high))
    noisy = less.is_noisy_
    assert more.is_noisy_[noisy].all()
    before, after = less.estimator_, more.estimator_
    values = (before.y_, after.y_) if "class" in kind else (before.X_, after.X_)
    np.testing.assert_array_equal(values[0][noisy], values[1][noisy])


@pytest.mark.parametrize("kind", ["feature", "missing"])
def test_noise_in_columns_is_exact_to_the_cell_and_keeps_types(kind):
    X, y = mixed_frame(), np.arange(20) % 2
    before = X.copy(deep=True)
    learner = fitted(X, y, kind=kind, fraction=0.25)
    noisy = learner.estimator_.X_
    pd.testing.assert_frame_equal(X, before)
    np.testing.assert_array_equal(differs(X, noisy), learner.is_noisy_)
    # a quarter of 20 cells, and of the 15 of `nullable` that hold a value: 3.75
    constant = 5 if kind == "missing" else 0
    assert learner.is_noisy_.sum(axis=0).tolist() == [5, 5, 5, 4, 5, 5, 5, 5, 5, constant, 0]
    assert noisy.index.equals(X.index)
    assert noisy.columns.equals(X.columns)
    turned = {"whole": "float64", "flag": "object"} if kind == "missing" else {}
    assert {name: str(dtype) for name, dtype in noisy.dtypes.items()} == {
        name: str(dtype) for name, dtype in X.dtypes.items()
    } | turned
    assert noisy.isna().to_numpy()[learner.is_noisy_].all() == (kind == "missing")


def test_replaced_values_come_from_the_domain_of_their_column():
    n = 2000
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"real": rng.normal(size=n), "whole": rng.integers(2, 6, n).astype(float),
                      "level": rng.choice(list("abc"), n)})  # fmt: skip
    learner = fitted(X, np.arange(n) % 2, kind="feature", fraction=0.5)
    noisy = learner.estimator_.X_
    real, whole, level = (noisy[name][learner.is_noisy_[:, index]]
                          for index, name in enumerate(X))  # fmt: skip
    low, high = X["real"].min(), X["real"].max()
    assert real.between(low, high).all()
    # evenly drawn: five standard deviations of the mean of 1,000 values
    assert real.mean() == pytest.approx((low + high) / 2, abs=5 * (high - low) / np.sqrt(12_000))
    assert set(whole) == {2, 3, 4, 5}
    assert set(level) == set("abc")
    of_a = noisy["level"][learner.is_noisy_[:, 2] & (X["level"] == "a").to_numpy()]
    assert of_a.eq("b").mean() == pytest.approx(0.5, abs=0.15)


@pytest.mark.parametrize(
    ("values", "type_with_gaps"),
    [
        (np.arange(20.0).reshape(10, 2), "float64"),
        (np.arange(20, dtype=np.float32).reshape(10, 2), "float32"),
        (np.arange(20).reshape(10, 2), "float64"),
        (np.array([[True, False]] * 5 + [[False, True]] * 5), "float64"),
        (np.array([list("ab")] * 5 + [list("cd")] * 5), "object"),
        (np.array([["a", 1]] * 5 + [["b", 2.5]] * 5, dtype=object), "object"),
    ],
)
def test_arrays_of_every_type_get_noise_in_each_column(values, type_with_gaps):
    y, before = np.arange(10) % 2, values.copy()
    for kind, dtype in (("feature", values.dtype), ("missing", type_with_gaps)):
        learner = fitted(values, y, kind=kind, fraction=0.3)
        assert learner.estimator_.X_.dtype == dtype
        assert learner.is_noisy_.sum(axis=0).tolist() == [3, 3]
        changed = differs(pd.DataFrame(values), pd.DataFrame(learner.estimator_.X_))
        np.testing.assert_array_equal(changed, learner.is_noisy_)
        np.testing.assert_array_equal(values, before)


def test_frames_of_polars_and_their_targets_stay_so():
    X = pl.DataFrame({"real": np.arange(10.0), "whole": range(10), "level": list("abcde") * 2})
    y = pl.Series(["p", "q"] * 5)
    for kind in ("feature", "missing"):
        learner = fitted(X, y, kind=kind, fraction=0.3)
        noisy = learner.estimator_.X_
        assert noisy.schema == X.schema
        assert learner.is_noisy_.sum(axis=0).tolist() == [3, 3, 3]
        gaps = sum(noisy.null_count().row(0))
        assert gaps == (9 if kind == "missing" else 0)
    learner = fitted(X, y, fraction=0.3)
    assert (learner.estimator_.y_ != y).sum() == 3


def test_series_of_classes_keeps_index_type_and_values_of_the_caller():
    y = pd.Series(pd.Categorical(list("abc") * 4), index=np.arange(12) + 5, name="target")
    before = y.copy(deep=True)
    learner = fitted(np.arange(12.0)[:, None], y, fraction=0.5)
    pd.testing.assert_series_equal(y, before)
    noisy = learner.estimator_.y_
    assert (noisy.dtype, noisy.name) == (y.dtype, "target")
    assert noisy.index.equals(y.index)
    assert (noisy.astype(str) != y.astype(str)).sum() == 6


def test_rows_to_predict_reach_the_estimator_untouched():
    X, y = mixed_frame(), np.arange(20) % 2
    for kind in ("class", "feature", "missing"):
        learner = fitted(X[:12], y[:12], kind=kind, fraction=0.5)
        test, before = X[12:], X[12:].copy(deep=True)
        learner.predict(test)
        assert learner.estimator_.seen_ is test
        pd.testing.assert_frame_equal(test, before)


def test_test_parts_of_a_cross_validation_are_byte_identical_to_the_data():
    X, y = load_iris(return_X_y=True)
    splits = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    done = cross_validate(NoisyTraining(Keeper(), kind="feature", fraction=0.4, random_state=1),
                          X, y, cv=splits, return_estimator=True, scoring="accuracy")  # fmt: skip
    for learner, (train, test) in zip(done["estimator"], splits, strict=True):
        assert learner.estimator_.seen_.tobytes() == X[test].tobytes()
        assert (X[train] != learner.estimator_.X_).sum() == learner.is_noisy_.sum() == 4 * 40


def test_same_rows_get_the_same_noise_whatever_the_estimator_and_others_get_other_noise():
    X, y = load_iris(return_X_y=True)
    train = [np.arange(150) % 50 % 3 != fold for fold in range(2)]  # same classes in both
    first = fitted(X[train[0]], y[train[0]], fraction=0.2)
    other = NoisyTraining(KNeighborsClassifier(), fraction=0.2, random_state=0)
    other.fit(pd.DataFrame(X[train[0]]), list(y[train[0]]))
    np.testing.assert_array_equal(first.is_noisy_, other.is_noisy_)
    assert (y[train[0]] == y[train[1]]).all()
    assert (fitted(X[train[1]], y[train[1]], fraction=0.2).is_noisy_ != first.is_noisy_).any()
    again = fitted(X[train[0]], y[train[0]], fraction=0.2, random_state=1)
    assert (again.is_noisy_ != first.is_noisy_).any()


def test_fraction_zero_is_the_bare_estimator_bit_for_bit():
    X, y = load_iris(return_X_y=True)
    bare = learner_catalogue()["logistic"].make().fit(X, y).predict_proba(X)
    for kind, shape in (("class", (150,)), ("feature", (150, 4)), ("missing", (150, 4))):
        made = learner_catalogue()["logistic"].make()
        learner = NoisyTraining(made, kind=kind, fraction=0).fit(X, y)
        assert learner.predict_proba(X).tobytes() == bare.tobytes()
        assert learner.is_noisy_.shape == shape
        assert not learner.is_noisy_.any()


def test_what_the_estimator_can_is_offered_and_nothing_else():
    X, y = load_iris(return_X_y=True)
    logistic = NoisyTraining(LogisticRegression(max_iter=500), random_state=0).fit(X, y)
    assert logistic.classes_.tolist() == [0, 1, 2]
    assert logistic.n_features_in_ == 4
    inner = logistic.estimator_
    np.testing.assert_array_equal(logistic.decision_function(X), inner.decision_function(X))
    assert logistic.score(X, y) == inner.score(X, y)
    assert not hasattr(NoisyTraining(KNeighborsClassifier()), "decision_function")
    assert not hasattr(NoisyTraining(Ridge()), "predict_proba")


def test_weights_reach_estimators_that_take_them_and_others_are_told_of():
    X, y = load_iris(return_X_y=True)
    weight = np.linspace(0.1, 3, 150)
    made = learner_catalogue()["logistic"].make()
    learner = NoisyTraining(made, fraction=0, random_state=0).fit(X, y, sample_weight=weight)
    bare = learner_catalogue()["logistic"].make().fit(X, y, learner__sample_weight=weight)
    np.testing.assert_array_equal(learner.predict_proba(X), bare.predict_proba(X))
    with pytest.warns(BestofkWarning, match="takes no sample_weight; fitted without weights"):
        NoisyTraining(KNeighborsClassifier()).fit(X, y, sample_weight=weight)


def test_own_learners_without_tags_can_be_wrapped():
    class Plain:
        def fit(self, X, y):
            self.label = y[0]
            return self

        def predict(self, X):
            return np.full(len(X), self.label)

    learner = NoisyTraining(Plain(), random_state=0).fit(np.eye(4), [0, 1, 0, 1])
    assert learner.predict(np.eye(2)).shape == (2,)


@pytest.mark.parametrize("fraction", [1, -0.1, 1.5, np.nan, "a", None, True])
def test_fraction_outside_zero_to_one_is_refused(fraction):
    with pytest.raises(InvalidArgumentError, match="must be a number of at least 0 and below 1"):
        fitted(np.eye(4), [0, 1, 0, 1], fraction=fraction)


def test_unknown_kind_classes_of_numbers_and_a_single_class_are_refused():
    with pytest.raises(InvalidArgumentError, match="Did you mean 'feature'"):
        fitted(np.eye(4), [0, 1, 0, 1], kind="features")
    with pytest.raises(InvalidArgumentError, match="'feature' or 'missing' for a regressor"):
        NoisyTraining(Ridge()).fit(np.eye(4), [0.1, 1, 0, 1])
    with pytest.raises(InvalidArgumentError, match="at least two classes, as some rows"):
        fitted(np.eye(4), [1, 1, 1, 1], fraction=0.5)


@parametrize_with_checks(
    [
        NoisyTraining(LogisticRegression(), random_state=0),
        NoisyTraining(LogisticRegression(), kind="feature", random_state=0),
        NoisyTraining(learner_catalogue()["ridge"].make(), kind="missing", random_state=0),
    ],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": "other rows get other noise",
    },
)
def test_checks_of_scikit_learn_hold(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)

"""Noise in all rows: a noisy row is noisy wherever it is used, whoever learns."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.impute import SimpleImputer
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from tests.unit.curves.given_learners import FirstClass

from bestofk import compare
from bestofk.curves import curve
from bestofk.curves.noise import noise_curve
from bestofk.data import from_arrays
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation import Observer, Store
from bestofk.learners.noisy_training import with_noise
from bestofk.randomness import derive_seed
from bestofk.resampling import make_plan

pytestmark = pytest.mark.usefixtures("in_this_process")

SEED = derive_seed(5, "noise")
KINDS = ["class", "feature", "missing"]


class Requests(Observer):
    """Keeps what was asked for at each fraction, and counts runs found and done."""

    def __init__(self):
        self.requests, self.n_reused, self.n_done = [], 0, 0

    def start(self, request, store, *, n_reused, snapshot):
        self.requests.append(request)
        self.n_reused += sum(n_reused)

    def finished(self, learner, records, store):
        self.n_done += len(records)


def rows(n=60):
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(150)[:n]
    return X[order], y[order]


def table(n=40):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n),
            "count": rng.integers(0, 9, n),
            "color": rng.choice(["red", "green", "blue"], n),
            "grade": pd.Categorical(rng.choice(["low", "high"], n)),
        },
        index=np.arange(n) * 2 + 3,
    )
    target = pd.Series(np.where(frame["size"] > 0, "yes", "no"), index=frame.index, name="y")
    return frame, target


def copies(X, y, kind, fractions=(0.0, 0.1, 0.4), **options):
    """Return the data set of every fraction, and all that was asked for."""
    seen = Requests()
    noise_curve(["majority"], X, y, kind=kind, fractions=fractions, noisy="both", cv="2x3",
                random_state=5, progress=seen, **options)  # fmt: skip
    return [request.data for request in seen.requests], seen.requests


def cells(data):
    """Return all inputs as texts, whole numbers as floats, missing ones as 'nan'."""
    frame = pd.DataFrame(data.features)
    whole = frame.select_dtypes("int").columns
    return frame.astype(dict.fromkeys(whole, float)).astype(object).astype(str).to_numpy()


@pytest.mark.parametrize("kind", KINDS)
def test_share_of_noisy_rows_or_cells_is_exact_over_all_rows_and_larger_noise_adds(kind):
    for X, y in (rows(), table()):
        n = len(y)
        (clean, *noisy), _ = copies(X, y, kind, (0.0, 0.1, 0.27, 0.4))
        before = np.zeros((), dtype=bool)
        for fraction, data in zip((0.1, 0.27, 0.4), noisy, strict=True):
            if kind == "class":
                struck = data.target_array != clean.target_array
                assert struck.sum() == np.floor(fraction * n + 0.5)
                np.testing.assert_array_equal(cells(data), cells(clean))
            else:
                struck = cells(data) != cells(clean)
                wanted = np.floor(fraction * n + 0.5)
                np.testing.assert_array_equal(struck.sum(axis=0), np.full(X.shape[1], wanted))
                np.testing.assert_array_equal(data.target_array, clean.target_array)
            assert (struck | ~before).all()
            before = struck


@pytest.mark.parametrize("kind", KINDS)
def test_curve_is_that_of_a_plain_loop_over_a_noisy_copy(kind):
    X, y = rows()
    learners = {
        "bayes": make_pipeline(SimpleImputer(), GaussianNB()),
        "5nn": make_pipeline(SimpleImputer(), KNeighborsClassifier(5)),
    }
    result = noise_curve(learners, X, y, kind=kind, noisy="both", fractions=[0, 0.3], cv="2x3",
                        scoring="accuracy", random_state=5)  # fmt: skip
    plan = make_plan(from_arrays(X, y), "2x3", random_state=5)
    noisy_X, noisy_y, _ = with_noise(X, y, kind=kind, fraction=0.3, seed=SEED)
    for k, estimator in enumerate(learners.values()):
        for index, split in enumerate(plan):
            model = clone(estimator).fit(noisy_X[split.train_rows], noisy_y[split.train_rows])
            right = model.predict(noisy_X[split.test_rows]) == noisy_y[split.test_rows]
            assert result.values[1, k, index] == pytest.approx(right.mean(), rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_splits_are_those_of_the_clean_classes_at_every_fraction(kind):
    X, y = rows()
    plan = make_plan(from_arrays(X, y), "2x3", random_state=5)
    data, requests = copies(X, y, kind)
    assert {request.plan.id for request in requests} == {plan.id}
    assert len({item.id for item in data}) == 3


class Remembers(FirstClass):
    """Keeps the rows that it is to predict."""

    seen = ()

    def predict(self, X):
        type(self).seen += (np.sort(X[:, 0]).tobytes(),)
        return super().predict(X)


class RemembersToo(Remembers):
    seen = ()


def test_all_learners_meet_the_same_noisy_test_rows():
    X, y = rows()
    learners = {"first": Remembers(), "second": RemembersToo()}
    noise_curve(learners, X, y, kind="feature", noisy="both", fractions=[0.3], cv="2x3")
    assert len(Remembers.seen) >= 6
    assert Remembers.seen == RemembersToo.seen


def test_scores_of_a_learner_and_a_fraction_depend_on_no_other():
    X, y = rows()
    asked = {"noisy": "both", "cv": "2x3"}
    all_of_them = noise_curve(["5nn", "lda"], X, y, fractions=[0, 0.1, 0.3], **asked)
    alone = noise_curve(["lda"], X, y, fractions=[0.3], **asked)
    assert alone.values[0, 0].tobytes() == all_of_them.values[2, 1].tobytes()


def test_runs_without_noise_are_those_of_a_comparison_and_no_run_is_done_twice():
    X, y = rows()
    learners, cv = ["5nn", "lda"], "2x3"
    with Store(None) as store:
        compare(learners, X, y, cv=cv, store=store, progress=False)
        first, again = Requests(), Requests()
        asked = {"noisy": "both", "fractions": [0, 0.2], "cv": cv, "store": store}
        before = noise_curve(learners, X, y, progress=first, **asked)
        after = noise_curve(learners, X, y, progress=again, **asked)
    assert (first.n_reused, first.n_done) == (12, 12)
    assert (again.n_reused, again.n_done) == (24, 0)
    assert before.values.tobytes() == after.values.tobytes()


def test_noise_in_training_rows_alone_is_the_default_and_keeps_its_numbers():
    X, y = rows()
    asked = {"fractions": [0, 0.3], "cv": "2x3"}
    usual = noise_curve(["5nn"], X, y, **asked)
    train = noise_curve(["5nn"], X, y, noisy="train", **asked)
    both = noise_curve(["5nn"], X, y, noisy="both", **asked)
    assert (usual.noisy, both.noisy) == ("train", "both")
    assert usual.values.tobytes() == train.values.tobytes()
    assert usual.values[0].tobytes() == both.values[0].tobytes()
    assert both.values[1].mean() > usual.values[1].mean() + 0.05


def test_nobody_agrees_with_noisy_classes_more_than_they_are_right():
    # two classes far apart: whoever finds them errs exactly where a test row is noisy
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], 100)
    X = np.where(y == "a", 0.0, 100.0)[:, np.newaxis] + rng.normal(size=(200, 1))
    result = noise_curve(["nearest-mean"], X, y, noisy="both", fractions=[0, 0.25], cv="3x4")
    np.testing.assert_allclose(result.means()[:, 0], [0, 0.25], atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_frames_with_nominal_columns_keep_their_types_and_what_belongs_to_a_row(kind):
    X, y = table()
    groups, weights = np.arange(40) // 2, np.linspace(1, 2, 40)
    data, _ = copies(X, y, kind, groups=groups, sample_weight=weights)
    for item in data:
        assert item.features.index.equals(X.index)
        assert str(item.features["grade"].dtype) == "category"
        assert item.groups.tolist() == groups.tolist()
        assert item.sample_weight.tolist() == weights.tolist()
    names = [element.name for element in data[1:]]
    assert names == [f"data with {share} % {kind} noise" for share in (10, 40)]


@pytest.mark.parametrize("kind", KINDS)
def test_catalogue_learners_run_on_noisy_frames_of_polars(kind):
    X, y = table()
    frame = pl.DataFrame({name: X[name].astype(str).tolist() if name in ("color", "grade")
                          else X[name].tolist() for name in X})  # fmt: skip
    result = noise_curve(["naive-bayes", "c45"], frame, y.to_numpy(), kind=kind, noisy="both",
                        fractions=[0, 0.3], cv="1x3")  # fmt: skip
    assert np.isfinite(result.values).all()
    assert result.notes == ()


def test_numbers_are_predicted_from_noisy_features():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(90, 1))
    y = 3 * X[:, 0] + rng.normal(scale=0.1, size=90)
    asked = {"kind": "feature", "fractions": [0, 0.3], "cv": "2x3"}
    train = noise_curve(["ridge"], X, y, **asked).means()[1, 0]
    both = noise_curve(["ridge"], X, y, noisy="both", **asked).means()[1, 0]
    assert both**2 > 1.5 * train**2
    with pytest.raises(InvalidArgumentError, match="'feature' or 'missing' for regression"):
        noise_curve(["ridge"], X, y, noisy="both")


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("class", "30% of all rows, for training and for testing, got another class. Scores are "
                  "agreement with these partly wrong classes."),
        ("feature", "30% of the values in every column of all rows, for training and for "
                    "testing, were replaced. Learners predicted from such values."),
        ("missing", "30% of the values in every column of all rows, for training and for "
                    "testing, were removed. Learners predicted with such gaps."),
    ],
)  # fmt: skip
def test_text_says_that_rows_for_testing_were_noisy_too(kind, said):
    result = noise_curve(["majority"], *rows(), kind=kind, noisy="both", fractions=[0.3], cv="1x3")
    assert result.sections().details[1] == said


def test_a_class_that_noise_leaves_no_row_is_told_before_anything_is_trained(monkeypatch):
    X, y = np.arange(12.0)[:, np.newaxis], np.repeat(["a", "b", "c"], [5, 5, 2])
    for random_state in range(1000):
        seed = derive_seed(random_state, "noise")
        if "c" not in with_noise(X, y, kind="class", fraction=0.2, seed=seed)[1]:
            break
    monkeypatch.setattr(curve, "evaluate", None)
    with pytest.raises(InvalidArgumentError, match=r"none of class 'c' at 20% noise\. Merge it"):
        noise_curve(["majority"], X, y, noisy="both", fractions=[0, 0.2], cv="1x2",
                    random_state=random_state)  # fmt: skip


@pytest.mark.parametrize("noisy", ["test", "Both", None, True, ["both"]])
def test_other_parts_are_refused(noisy):
    with pytest.raises(InvalidArgumentError, match="noisy must be 'train' or 'both', which"):
        noise_curve(["5nn"], *rows(), noisy=noisy)

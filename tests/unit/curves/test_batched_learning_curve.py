"""Learning curves of learners that are trained on many parts at once: scores, store, failures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.unit.curves.given_learners import FirstClass

from bestofk import learning_curve
from bestofk.batched import BatchedForm, BatchedPredictions
from bestofk.data import from_arrays
from bestofk.evaluation import EvaluationCache, EvaluationRequest, Observer, Store, evaluate
from bestofk.evaluation.batched_fit import ALWAYS, batched_fits
from bestofk.learners import Learner
from bestofk.learners.majority_classifier import MajorityClassifier
from bestofk.learners.nearest_mean_classifier import NearestMeanClassifier
from bestofk.learners.nearest_neighbors_classifier import NearestNeighborsClassifier
from bestofk.resampling import make_plan
from bestofk.resampling.partial_training import PrefixPlan, prefix_orders
from bestofk.trees import C45Classifier, HellingerTreeClassifier

pytestmark = pytest.mark.usefixtures("module_in_this_process")

X, y = load_iris(return_X_y=True)
DATA = from_arrays(X, y)
EXACT = {
    "majority": MajorityClassifier(),
    "3nn": NearestNeighborsClassifier(3),
    "c45": C45Classifier(),
    "hddt": HellingerTreeClassifier(),
}
NEAR = {"means": NearestMeanClassifier(), "bayes": make_pipeline(StandardScaler(), GaussianNB())}
SIZES = [6, 20, 60]


def curve(learners: Any, features: Any = X, target: Any = y, **options: Any) -> Any:
    given = {"train_sizes": SIZES, "cv": "2x3", "scoring": "error", "progress": False} | options
    return learning_curve(learners, features, target, **given)


def of_size(size: int, cv: Any = "2x3") -> PrefixPlan:
    base = make_plan(DATA, cv)
    return PrefixPlan.of(base, prefix_orders(DATA, base), size)


def run(learners: Any, store: Store, plan: PrefixPlan, observer: Any = None, **options: Any) -> Any:
    entered = [Learner(name, estimator) for name, estimator in learners.items()]
    request = EvaluationRequest(DATA, plan, entered, shared=EvaluationCache(), **options)
    return evaluate(request, store, observer)


def predicted(evaluation: Any, place: int = 0) -> list[bytes]:
    """Return everything that runs predicted, as bytes."""
    results = [record.predictions for record in evaluation.records[place]]
    return [item.labels.tobytes() + item.probabilities.tobytes() for item in results]


def ways(evaluation: Any, place: int = 0) -> set[str]:
    return {record.fit_mode for record in evaluation.records[place]}


@pytest.mark.parametrize(
    ("learners", "tolerance"), [(EXACT, 0.0), (NEAR, 1e-9)], ids=["exact", "near"]
)
def test_scores_are_those_of_the_plain_way(learners, tolerance):
    with Store(None) as store:
        for scoring in ("log_loss", "error"):
            given = {"scoring": scoring, "store": store}
            auto, never = curve(learners, **given), curve(learners, **given, batched="never")
            rtol = tolerance if scoring == "log_loss" else 0.0
            for name in ("test_values", "train_values"):
                wanted = getattr(never, name)
                np.testing.assert_allclose(getattr(auto, name), wanted, rtol=rtol, atol=0)


def test_a_regressor_has_the_scores_of_the_plain_way():
    learner = {"neighbors": make_pipeline(StandardScaler(), KNeighborsRegressor(3))}
    options = {"features": X[:, :3], "target": X[:, 3] * 1.0, "task": "regression"}
    options |= {"scoring": "mse", "train_sizes": [12, 40]}
    rng = np.random.default_rng(0)  # no two rows equally far
    options["features"] = options["features"] + rng.normal(scale=1e-3, size=(150, 3))
    auto, never = curve(learner, **options), curve(learner, **options, batched="never")
    np.testing.assert_allclose(auto.test_values, never.test_values, rtol=1e-12)
    np.testing.assert_allclose(auto.train_values, never.train_values, rtol=1e-12)


def test_the_store_keeps_both_ways_and_a_second_call_fits_nothing(tmp_path):
    options = {"store": tmp_path / "runs.db", "scoring": "log_loss"}

    def n_runs() -> int:
        with Store(options["store"]) as store:
            return store.n_runs()

    first = curve(NEAR, **options)
    n_batched = n_runs()
    plain = curve(NEAR, **options, batched="never")
    n_both = n_runs()
    assert n_batched == 2 * 3 * 7  # with the plain run of each size that tells the cost
    assert n_both == 2 * 3 * 12  # which is one of the plain runs
    again, plain_again = curve(NEAR, **options), curve(NEAR, **options, batched="never")
    assert n_runs() == n_both
    assert first.test_values.tobytes() == again.test_values.tobytes()
    assert plain.test_values.tobytes() == plain_again.test_values.tobytes()
    with Store(options["store"]) as store:
        for size in SIZES:
            results = [run(NEAR, store, of_size(size), batched=way) for way in ("auto", "never")]
            assert [item.n_fitted for item in results] == [0, 0]
            assert [ways(item) for item in results] == [{"batched"}, {"plain"}]


def test_two_processes_give_the_bytes_of_one(monkeypatch):
    monkeypatch.setattr("bestofk.evaluation.queue.run_queue._PARALLEL_SECONDS", 0.0)
    monkeypatch.setattr("bestofk.evaluation.queue.pending_runs._BLOCK_SECONDS", 0.0)
    learners, results = {**NEAR, "c45": C45Classifier()}, []
    for n_jobs in (1, 2):
        with Store(None) as store:
            results.append(run(learners, store, of_size(20, "16x3"), n_jobs=n_jobs))
    for index in range(len(learners)):
        assert ways(results[0], index) == ways(results[1], index) == {"batched"}
        assert predicted(results[0], index) == predicted(results[1], index)


class Impatient(Observer):
    """Interrupts after so many runs."""

    def __init__(self, n_left: int) -> None:
        self.n_left = n_left

    def finished(self, learner: Any, records: Any, store: Any) -> None:
        for _ in records:
            self.n_left -= 1
            if not self.n_left:
                raise KeyboardInterrupt


@pytest.mark.parametrize("n_left", [1, 3, 8])
def test_of_runs_that_were_cut_what_is_missing_is_done_to_the_same_bytes(n_left, tmp_path):
    path = tmp_path / "runs.db"
    plan = of_size(20)
    with Store(path) as store:
        assert run(NEAR, store, plan, Impatient(n_left)).is_interrupted
        resumed = run(NEAR, store, plan)
        assert resumed.n_fitted < 12
    with Store(None) as store:
        whole = run(NEAR, store, plan)
    for index in range(2):
        assert ways(resumed, index) == {"batched"}
        assert predicted(resumed, index) == predicted(whole, index)


def test_a_curve_that_was_cut_goes_on_to_the_same_values(tmp_path, monkeypatch):
    path = tmp_path / "runs.db"
    monkeypatch.setattr("bestofk.curves.curve.observer_of", lambda _: Impatient(20))
    cut = curve(NEAR, store=path, scoring="log_loss")
    assert len(cut.sizes) < len(SIZES)
    assert "Interrupted with" in cut.notes[-1]
    monkeypatch.undo()
    resumed, whole = curve(NEAR, store=path, scoring="log_loss"), curve(NEAR, scoring="log_loss")
    assert resumed.test_values.tobytes() == whole.test_values.tobytes()
    assert resumed.train_values.tobytes() == whole.train_values.tobytes()


class First(FirstClass):
    """Has a batched form, or none."""

    def __init__(self, form: Any = None) -> None:
        self.form = form

    def batched_form(self) -> Any:
        return self.form


class FirstForm(BatchedForm):
    """Batched form of First."""

    def predict_subsets(self, subsets: Any, random_states: Any = None) -> BatchedPredictions:
        first = (subsets.class_counts(self.table) > 0).argmax(axis=1)
        return BatchedPredictions(np.repeat(first, np.diff(subsets.start)))


class Fails(FirstForm):
    """Raises at one size."""

    def predict_subsets(self, subsets: Any, random_states: Any = None) -> BatchedPredictions:
        if subsets.train.shape[1] == 20:
            raise RuntimeError("a bug of its own")
        return super().predict_subsets(subsets, random_states)


class CannotBeMade(FirstForm):
    """Raises before it is asked."""

    def __init__(self, *given: Any) -> None:
        raise RuntimeError("no such luck")


class LeavesOne(FirstForm):
    """Leaves subsets with an odd number of rows of class 0 to the plain way, warns of others."""

    def predict_subsets(self, subsets: Any, random_states: Any = None) -> BatchedPredictions:
        is_done = subsets.class_counts(self.table)[:, 0] % 2 == 0
        labels = np.where(np.repeat(is_done, np.diff(subsets.start)), 0, -7)
        messages = {s: "UserWarning: even" for s in np.flatnonzero(is_done).tolist()}
        return BatchedPredictions(labels, is_done=is_done, messages=messages)


@pytest.mark.parametrize(
    ("form", "said"), [(Fails, "a bug of its own"), (CannotBeMade, "no such luck")]
)
def test_a_learner_whose_form_raises_goes_the_plain_way_with_a_warning(form, said):
    wanted = curve({"first": First()}, batched="never")
    with pytest.warns(UserWarning, match=f"first: its batched form failed, .*{said}"):
        result = curve({"first": First(form)})
    np.testing.assert_array_equal(result.test_values, wanted.test_values)
    if form is Fails:  # at another size
        silent = curve({"first": First(form)}, train_sizes=[6])
        np.testing.assert_array_equal(silent.test_values, wanted.test_values[:1])


def test_subsets_that_a_form_leaves_are_done_the_plain_way():
    plan = of_size(20)
    with Store(None) as store:
        result = run({"first": First(LeavesOne)}, store, plan)
    records = result.records[0]
    is_even = [(y[rows] == 0).sum() % 2 == 0 for rows in plan.train_rows]
    assert sorted({*is_even}) == [False, True]
    modes = ["batched" if even else "plain" for even in is_even]
    assert [record.fit_mode for record in records] == modes
    assert [bool(record.message) for record in records] == is_even
    assert all((record.predictions.labels == 0).all() for record in records)
    assert [len(record.predictions.labels) for record in records] == [70] * 6


@pytest.mark.parametrize(
    ("form", "batched", "is_batched"),
    [
        (FirstForm, "auto", True),
        (FirstForm, "always", True),
        (FirstForm, "never", False),
        (None, "always", False),
        (int, "always", False),
    ],
)
def test_the_way_is_chosen_by_form_and_wish(form, batched, is_batched):
    result = batched_fits([Learner("first", First(form))], DATA, of_size(20), batched)
    assert (result[0] is not None) == is_batched


def test_one_form_serves_all_sizes():
    forms: dict[int, Any] = {}
    learners = [Learner("first", First(FirstForm))]
    results = [batched_fits(learners, DATA, of_size(size), forms=forms)[0] for size in SIZES]
    assert {id(item.choice) for item in results} == {id(forms[0])}


def test_with_weights_learners_go_the_plain_way():
    weighted = from_arrays(X, y, sample_weight=np.ones(len(y)))
    learner = Learner("first", First(FirstForm))
    assert batched_fits([learner], weighted, of_size(20), ALWAYS) == [None]


TWICE = [(np.repeat(np.arange(0, 150, 3), 2), np.arange(1, 150, 3))]


@pytest.mark.parametrize(
    ("cv", "is_batched"),
    [
        ("3xbootstrap", False),
        (TWICE, False),
        ("3xholdout", True),
        ("test:0.3", True),
        ([(np.arange(0, 150, 2), [1, 3])], True),
    ],
    ids=["bootstrap", "twice", "hold-out", "test", "given"],
)
def test_splits_are_batched_unless_rows_train_twice(cv, is_batched):
    learner = Learner("5nn", NearestNeighborsClassifier(5))
    assert (batched_fits([learner], DATA, of_size(30, cv), ALWAYS) != [None]) == is_batched
    auto, never = (
        curve({"5nn": learner.estimator}, train_sizes=[30], cv=cv, batched=way)
        for way in ("auto", "never")
    )
    np.testing.assert_array_equal(auto.test_values, never.test_values)

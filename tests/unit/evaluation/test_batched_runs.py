"""Whole repeats done in a batch: the same runs however they are asked for, kept like any other."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.linear_model import Lars
from tests.observers import InterruptAfter

from bestofk import compare
from bestofk.batched import BatchedForm, BatchedPredictions
from bestofk.data import from_arrays
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation import EvaluationRequest, Store, evaluate
from bestofk.evaluation.batched_fit import batched_fits
from bestofk.evaluation.queue.worker import Payload
from bestofk.evaluation.store import export_scores
from bestofk.learners import Learner
from bestofk.resampling import make_plan

pytestmark = pytest.mark.usefixtures("in_this_process")

X, y = load_iris(return_X_y=True)
DATA = from_arrays(X, y)


class CountsForm(BatchedForm):
    """Shares of classes, as many digits as the random state has; knows nothing of `X`."""

    is_random = True

    def predict(self, folds, random_states=None):
        counts = self.table.class_counts(folds, self.n_folds)
        shares = counts / counts.sum(axis=2, keepdims=True)
        repeats = np.arange(len(folds))[:, None]
        labels = (random_states % 3)[repeats, folds]
        return BatchedPredictions(labels, probabilities=shares[repeats, folds])


class Counts(ClassifierMixin, BaseEstimator):
    def __init__(self, form=CountsForm, random_state=None):
        self.form = form
        self.random_state = random_state

    def batched_form(self):
        return self.form

    def fit(self, X, y):
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares_ = counts / counts.sum()
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[self.random_state % 3])

    def predict_proba(self, X):
        return np.tile(self.shares_, (len(X), 1))


def run(learners, store, cv="4x3", data=DATA, observer=None, **options):
    plan = make_plan(data, cv)
    entered = [Learner(name, estimator) for name, estimator in learners.items()]
    return evaluate(EvaluationRequest(data, plan, entered, **options), store, observer)


def frame(evaluation, place=0):
    """Everything that runs predicted, as bytes."""
    return [
        b"" if record is None else record.predictions.labels.tobytes()
        + record.predictions.probabilities.tobytes()
        for record in evaluation.records[place]
    ]  # fmt: skip


def ways(evaluation, place=0):
    return [record.fit_mode for record in evaluation.records[place]]


def test_batched_runs_predict_what_plain_runs_do_random_states_included(store):
    batched = run({"counts": Counts()}, store)
    plain = run({"counts": Counts()}, store, batched="never")
    fixed = run({"counts": Counts(random_state=4)}, store)
    assert set(ways(batched)) == {"batched"}
    assert set(ways(plain)) == {"plain"}
    assert frame(batched) == frame(plain)
    assert plain.n_reused == 1, "the run that measured the cost is one of them"
    assert all((record.predictions.labels == 1).all() for record in fixed.records[0])


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_runs_do_not_depend_on_processes_or_blocks(n_jobs, monkeypatch):
    monkeypatch.setattr("bestofk.evaluation.queue.run_queue._PARALLEL_SECONDS", 0.0)
    monkeypatch.setattr("bestofk.evaluation.queue.pending_runs._BLOCK_SECONDS", 0.0)
    with Store(None) as store, Store(None) as other:
        blocks = run({"counts": Counts()}, store, "20x3", n_jobs=n_jobs)
        monkeypatch.setattr("bestofk.evaluation.queue.pending_runs._BLOCK_SECONDS", 1e9)
        once = run({"counts": Counts()}, other, "20x3")
    assert frame(blocks) == frame(once)


def test_more_repeats_leave_the_earlier_ones_as_they_were():
    with Store(None) as store, Store(None) as other:
        few = run({"counts": Counts()}, store, "2x3")
        more = run({"counts": Counts()}, store, "5x3")
        assert (more.n_reused, more.n_fitted) == (6, 9)
        assert frame(more) == frame(run({"counts": Counts()}, other, "5x3"))
        assert frame(more)[:6] == frame(few)


def test_of_a_repeat_that_was_cut_only_what_is_missing_is_kept(store):
    first = run({"counts": Counts()}, store, observer=InterruptAfter(5))
    assert first.is_interrupted
    n_kept = store.n_runs() - 1  # but for the one of the cost
    second = run({"counts": Counts()}, store)
    assert (second.n_reused, second.n_fitted) == (n_kept, 12 - n_kept)
    assert not (second.status == "missing").any()


class LeavesOne(CountsForm):
    def predict(self, folds, random_states=None):
        result = super().predict(folds, random_states)
        is_done = np.ones((len(folds), self.n_folds), dtype=bool)
        is_done[:, 1] = False
        labels = np.where(folds == 1, -7, result.labels)
        return BatchedPredictions(
            labels, result.probabilities, is_done=is_done, messages={(0, 0): "UserWarning: odd"}
        )


class Fails(CountsForm):
    def predict(self, folds, random_states=None):
        raise RuntimeError("a bug of its own")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_folds_that_a_form_leaves_are_done_the_plain_way(n_jobs):
    with Store(None) as store, Store(None) as other:
        left = run({"counts": Counts(LeavesOne)}, store, "2x3", n_jobs=n_jobs)
        plain = run({"counts": Counts(LeavesOne)}, other, "2x3", batched="never")
        assert run({"counts": Counts(LeavesOne)}, store, "2x3").n_fitted == 0
    assert ways(left) == ["batched", "plain", "batched"] * 2
    assert frame(left) == frame(plain)
    assert "UserWarning: odd" in {record.message for record in left.records[0]}


def test_a_form_that_fails_is_told_and_costs_nothing_but_time():
    failed = pytest.warns(UserWarning, match="counts: its batched form failed, .*a bug of its own")
    with Store(None) as store, failed:
        evaluation = run({"counts": Counts(Fails)}, store, "2x3")
    assert ways(evaluation) == ["plain"] * 6
    assert (evaluation.status == "ok").all()


class Never(CountsForm):
    @classmethod
    def is_faster(cls, estimator, table, n_folds):
        return False


class Unable(CountsForm):
    @classmethod
    def supports(cls, estimator, table):
        return False


@pytest.mark.parametrize(
    ("form", "batched", "is_batched"),
    [
        (CountsForm, "auto", True),
        (CountsForm, "never", False),
        (Never, "auto", False),
        (Never, "always", True),
        (Unable, "always", False),
        (int, "always", False),
    ],
)
def test_the_way_is_chosen_by_form_and_wish(form, batched, is_batched):
    learner = Learner("counts", Counts(form))
    result = batched_fits([learner], DATA, make_plan(DATA, "3x2"), batched)
    assert (result[0] is not None) == is_batched


WEIGHTED = from_arrays(X, y, sample_weight=np.ones(len(y)))


@pytest.mark.parametrize(
    ("cv", "data"),
    [*((cv, DATA) for cv in ("3xholdout", "3xbootstrap", "test:0.3")), ("4x3", WEIGHTED)],
)
def test_plans_that_do_not_test_every_row_once_and_weights_go_the_plain_way(cv, data, store):
    assert set(ways(run({"counts": Counts()}, store, cv, data=data))) == {"plain"}


def test_a_learner_without_a_form_goes_the_plain_way_and_batched_is_one_of_three():
    data = from_arrays(X, X[:, 0] * 2.0, task="regression")
    learner = Learner("least angle", Lars())
    assert batched_fits([learner], data, make_plan(data, "3x2")) == [None]
    with pytest.raises(InvalidArgumentError, match="batched must be one of auto, always, never"):
        compare({"counts": Counts()}, X, y, cv="3x4", batched="sometimes")


@pytest.mark.parametrize("keep", ["labels", "scores"])
def test_what_is_kept_is_what_a_second_call_finds(keep, store):
    first = run({"counts": Counts()}, store, keep=keep)
    second = run({"counts": Counts()}, store, keep=keep)
    assert (second.n_fitted, second.n_reused) == (0, 12)
    for record, two in zip(first.records[0], second.records[0], strict=True):
        assert (record.predictions is None) == (two.predictions is None) == (keep == "scores")
        if keep == "labels":
            assert record.predictions.probabilities is None
            assert np.array_equal(record.predictions.labels, two.predictions.labels)


@pytest.mark.parametrize(
    ("spent", "kept", "n_tries"),
    [((3.0, 1.0, 1.05), 1.0, 3), ((1.05, 1.0, 0.5), 1.0, 2), ((6.0, 4.0, 3.0, 2.0, 1.5), 1.5, 5)],
)
@pytest.mark.parametrize(("cv", "batched"), [("3x4", "auto"), ("holdout", "never")])
def test_a_short_run_is_done_again_for_its_cost_until_two_are_alike(
    monkeypatch, spent, kept, n_tries, cv, batched
):
    seconds = iter(spent)
    monkeypatch.setattr("bestofk.evaluation.queue.runner._SHORT_SECONDS", 60.0)
    done = Payload.run

    def told(*arguments):
        took = next(seconds)
        return done(*arguments)._replace(train_cpu_seconds=took, predict_cpu_seconds=7 - took)

    monkeypatch.setattr(Payload, "run", told)
    with Store(None) as store:
        evaluation = run({"counts": Counts()}, store, cv, batched=batched)
    assert evaluation.own_seconds("train_cpu_seconds")[0].tolist() == [kept]
    assert evaluation.own_seconds("predict_cpu_seconds")[0].tolist() == [7 - max(spent[:n_tries])]
    assert len(list(seconds)) == len(spent) - n_tries


def test_seconds_of_a_learner_are_the_median_of_its_runs(monkeypatch):
    seconds, done = iter([9.0, 1.0, 3.0, 2.0]), Payload.run
    monkeypatch.setattr(
        Payload, "run", lambda *a: done(*a)._replace(train_cpu_seconds=next(seconds))
    )
    result = compare({"counts": Counts()}, X, y, cv="2x2", batched="never")
    assert result.evaluation.median_seconds["train_cpu_seconds"].tolist() == [2.5]
    assert result.costs([0])["fit-time"].tolist() == [2.5]


def test_costs_are_those_of_the_learner_by_itself_and_runs_exported_like_any_other(store):
    result = compare({"counts": Counts()}, X, y, cv="3x4", store=store)
    table = export_scores(store, ["error"])
    own = result.to_frame().query("measure == 'error'")
    pd.testing.assert_series_equal(table["value"], own["value"].reset_index(drop=True))
    assert set(table["fit_mode"]) == {"batched"}
    evaluation = result.evaluation
    cost = evaluation.cost_runs[0]
    assert (cost.fit_mode, cost.status) == ("plain", "ok")
    assert evaluation.own_seconds("train_cpu_seconds")[0].tolist() == [cost.train_cpu_seconds]
    assert evaluation.size_bytes[0] == cost.size_bytes > 0
    assert set(result.to_frame()["fit_mode"]) == {"batched"}


def test_the_cost_of_a_batched_learner_is_measured_after_its_first_block(monkeypatch):
    done = []
    for name in ("run", "attempt"):
        work = getattr(Payload, name)

        def told(self, job, name=name, work=work):
            done.append((name, job.learner_index))
            return work(self, job)

        monkeypatch.setattr(Payload, name, told)
    result = compare([("a", Counts()), ("b", Counts(random_state=3))], X, y, cv="2x5")
    for learner in (0, 1):
        own = [name for name, which in done if which == learner]
        assert own[:2] == ["attempt", "run"]
        assert own.count("attempt") == 2
    assert all(cost_run is not None for cost_run in result.evaluation.cost_runs)


def test_a_block_is_not_kept_where_its_cost_could_not_be_measured(tmp_path):
    class Ends(Counts):
        def fit(self, X, y):
            raise KeyboardInterrupt

    first = compare([("counts", Ends())], X, y, cv="2x5", store=tmp_path / "s.db")
    assert first.evaluation.is_interrupted
    with Store(tmp_path / "s.db") as store:
        assert store.n_runs() == 0

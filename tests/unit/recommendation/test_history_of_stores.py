import json
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.neighbors import KNeighborsClassifier
from tests.edited_stores import edit

from bestofk.comparison.entry_point import compare
from bestofk.data import DataSet
from bestofk.errors import InvalidArgumentError, StoreError
from bestofk.evaluation import Store
from bestofk.recommendation.history_of_stores import read_stores

pytestmark = pytest.mark.usefixtures("module_in_this_process")

RNG = np.random.default_rng(3)
X = np.vstack([RNG.normal(0, 1, (30, 2)), RNG.normal(1, 1, (20, 2))])
Y = np.array([2] * 30 + [10] * 20)
DATA = DataSet("two", X, Y, "classification")
OTHER = DataSet("other", -X, Y, "classification")
LEARNERS = {"near": KNeighborsClassifier(3), "five": KNeighborsClassifier(5)}


class Picky(DummyClassifier):
    def fit(self, X, y, sample_weight=None):
        if X[:, 0].sum() > X[:, 1].sum():
            raise ValueError("no, thanks")
        return super().fit(X, y)


def compared(store, learners=LEARNERS, data=DATA, cv="3x2", batched="never", **options):
    return compare(learners, data, cv=cv, store=store, batched=batched, **options)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    path = tmp_path_factory.mktemp("stores") / "runs.db"
    compared(str(path))
    return path


@pytest.fixture
def path(made, tmp_path):
    """A store of its own with the runs of the usual comparison."""
    return Path(shutil.copy(made, tmp_path))


def test_scores_are_means_and_seconds_those_of_one_repeat():
    with Store() as store:
        result = compared(store)
        history = read_stores(store)
    frame = result.to_frame().query("measure == 'error'")
    for j, learner in enumerate(history.learners):
        own = frame[frame["learner"] == learner]
        seconds = own["train_seconds"] + own["predict_seconds"]
        assert history.scores[0, j] == pytest.approx(1 - own["value"].mean())
        assert history.seconds[0, j] == pytest.approx(seconds.sum() / 3)
    assert history.data_sets == ("two",)
    assert history.learners == ("near", "five")
    assert history.states.tolist() == [["ok", "ok"]]
    assert history.default_scores.tolist() == [pytest.approx(0.6)]
    assert history.shapes[0, 0] == 50
    assert len(history.machines) == 1
    assert history.notes == ()


@pytest.mark.parametrize(
    ("measure", "default", "name"),
    [
        ("balanced_accuracy", 0.5, "balanced_accuracy"),
        ("auroc", 0.5, "auroc"),
        ("error", 0.6, "1 - error"),
    ],
)
def test_other_measures_have_their_own_scores_before_any_test(measure, default, name):
    with Store() as store:
        result = compared(store, scoring=[measure, "error"] if measure != "error" else "error")
        history = read_stores(store, measure=measure)
    values = result.to_frame().query(f"measure == '{measure}' and learner == 'near'")["value"]
    expected = 1 - values.mean() if measure == "error" else values.mean()
    assert history.scores[0, 0] == pytest.approx(expected)
    assert history.default_scores[0] == pytest.approx(default)
    assert history.measure == name


def test_the_majority_learner_gives_the_score_before_any_test():
    with Store() as store:
        compared(store, ["majority", "nearest-mean"], batched="always")
        history = read_stores(store)
    assert history.default_scores[0] == history.scores[0, history.learners.index("majority")]
    assert history.has_seconds
    assert "Trained on all folds at once" in history.notes[0]
    assert "majority, nearest-mean" in history.notes[0]


@pytest.mark.parametrize("measure", ["accuracy", "error"])
def test_scores_that_were_kept_without_predictions_are_taken(measure):
    with Store() as full, Store() as bare:
        compared(full)
        compared(bare, keep="scores")
        np.testing.assert_allclose(
            read_stores(bare, measure=measure).scores, read_stores(full, measure=measure).scores
        )


def test_failed_runs_give_their_state_and_no_score(tmp_path):
    path = tmp_path / "runs.db"
    compared(str(path), {"picky": Picky(), "near": KNeighborsClassifier()} | LEARNERS, cv="2x2")
    of_five = "(SELECT learner FROM comparison_learner WHERE name = 'five')"
    columns = "status = 'timeout', limit_seconds = 7, predictions = NULL, train_seconds = NULL"
    edit(path, [f"UPDATE run SET {columns} WHERE learner = {of_five}"])
    history = read_stores(path)
    assert history.learners == ("picky", "near", "five")
    assert history.states.tolist() == [["error", "ok", "timeout"]]
    assert np.isnan(history.scores[0, [0, 2]]).all()
    assert history.seconds[0, 2] == 14


def test_a_run_out_of_memory_is_a_failed_one(path):
    edit(path, ["UPDATE run SET status = 'memory', limit_bytes = 7, predictions = NULL "
                "WHERE rowid = 1"])  # fmt: skip
    history = read_stores(path)
    assert history.states.tolist() == [["memory", "ok"]]
    assert np.isnan(history.scores[0, 0])


def test_seconds_are_those_of_runs_timed_alone_where_every_learner_has_one(path):
    set_seconds = "UPDATE run SET train_seconds = ?, predict_seconds = ?, is_crowded = ?"
    edit(
        path,
        [set_seconds, 8.0, 1.0, 1],
        [f"{set_seconds} WHERE rowid IN (SELECT min(rowid) FROM run GROUP BY learner)", 2, 0.5, 0],
    )
    history = read_stores(path)
    assert history.seconds.tolist() == [[5.0, 5.0]]  # two folds of 2.5 s
    assert history.notes == ()
    edit(path, ["UPDATE run SET is_crowded = 1 WHERE rowid = 1"])
    history = read_stores(path)
    np.testing.assert_allclose(history.seconds, [[(2.5 + 5 * 9) / 3] * 2])
    assert history.notes == ("Times on two are longer than alone: other runs went on meanwhile.",)


def test_a_learner_without_a_whole_repeat_is_missing(path):
    with sqlite3.connect(path) as connection:
        for name, repeats in (("near", "(0, 1, 2)"), ("five", "(0, 2)")):
            connection.execute(
                "DELETE FROM run WHERE learner = (SELECT learner FROM comparison_learner WHERE "
                "name = ?) AND split IN (SELECT split FROM plan_split WHERE fold = 1 AND repeat "
                f"IN {repeats})",
                (name,),
            )
    connection.close()
    history = read_stores(path)
    assert history.states.tolist() == [["missing", "ok"]]
    with Store() as store:
        frame = compared(store).to_frame().query("measure == 'error' and learner == 'five'")
    expected = 1 - frame[frame["repeat"] == 1]["value"].mean()
    assert history.scores[0, 1] == pytest.approx(expected)


def test_several_stores_make_one_history(tmp_path, path):
    paths = [path, tmp_path / "b.db"]
    compared(str(paths[1]), {"five": KNeighborsClassifier(5), "one": KNeighborsClassifier(1)})
    compared(str(paths[1]), {"one": KNeighborsClassifier(1)} | LEARNERS, data=OTHER, cv="2x5")
    history = read_stores(*paths)
    assert history.data_sets == ("two", "other")
    assert history.learners == ("near", "five", "one")
    assert (history.states == "ok").all()
    with Store(paths[1]) as store:
        alone = read_stores(store)
    order = [history.learners.index(name) for name in alone.learners]
    np.testing.assert_array_equal(alone.scores[1], history.scores[1, order])
    np.testing.assert_array_equal(alone.seconds[1], history.seconds[1, order])


def test_the_plan_with_most_runs_counts():
    with Store() as store:
        compared(store, cv="1x2")
        compared(store, cv="3x2", random_state=7)
        history = read_stores(store)
    with Store() as store:
        compared(store, cv="3x2", random_state=7)
        np.testing.assert_array_equal(history.scores, read_stores(store).scores)
    assert history.notes == ("two has runs of 2 plans; 3x2, random state 7, counts, with 12 runs.",)


def test_learners_of_one_name_are_told_apart_by_their_identity():
    with Store() as store:
        compared(store)
        compared(store, {"near": KNeighborsClassifier(9)}, data=OTHER)
        history = read_stores(store)
    assert sorted(name.split(" (")[0] for name in history.learners) == ["five", "near", "near"]
    assert len(set(history.learners)) == 3
    assert (history.states == "missing").sum() == 3


def test_several_machines_are_noted(path):
    entry = {"machine": "far", "processor": "z80", "cores": 1}
    edit(path, ["INSERT INTO environment (id, description) VALUES ('x', ?)", json.dumps(entry)])
    history = read_stores(path)
    assert history.machines[1] == "far (z80, 1 cores)"
    assert "Times come from 2 machines and may not compare." in history.notes


def test_regressions_are_left_out_and_nothing_else_is_an_error():
    values = DataSet("values", X, X[:, 0], "regression")
    with Store() as store:
        compared(store, {"mean": DummyRegressor(), "median": DummyRegressor(strategy="median")},
                 data=values)  # fmt: skip
        with pytest.raises(InvalidArgumentError, match="runs on data sets with classes; got none"):
            read_stores(store)
        compared(store)
        assert read_stores(store).data_sets == ("two",)


@pytest.mark.parametrize("measure", ["mcc", "log_loss", "cost"])
def test_a_measure_must_reach_from_0_to_1(measure):
    with pytest.raises(InvalidArgumentError, match=f"that needs no costs; got {measure}"):
        read_stores(measure=measure)


def test_a_measure_that_no_run_kept_the_figures_for_is_an_error():
    with Store() as store:
        compared(store, keep="labels")
        with pytest.raises(InvalidArgumentError, match="hold what auroc needs; got missing for"):
            read_stores(store, measure="auroc")


def test_a_file_that_is_no_store_is_an_error_and_stays_as_it_is(tmp_path):
    path = tmp_path / "notes.db"
    path.write_text("hello, this is no store")
    with pytest.raises(StoreError, match="is not a store"):
        read_stores(path)
    assert path.read_text() == "hello, this is no store"
    with pytest.raises(StoreError, match="must be an existing file"):
        read_stores(tmp_path / "nothing.db")
    assert not (tmp_path / "nothing.db").exists()

"""Model sizes: measured once, kept in the store, and added to older stores."""

from __future__ import annotations

import sqlite3
import threading
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from tests.old_stores import make_older

from bestofk import compare
from bestofk.data import from_arrays
from bestofk.evaluation import Store
from bestofk.evaluation.run import RunnableLearner, run_one
from bestofk.evaluation.store import export_scores, file, schema
from bestofk.learners import learner_catalogue
from bestofk.resampling import make_plan

pytestmark = pytest.mark.usefixtures("in_this_process")

X, y = load_iris(return_X_y=True)
DATA = from_arrays(X, y)
SPLIT = make_plan(DATA, "1x2").split(0, 0)
LEARNERS = ["nearest-mean", "logistic"]

RUN_COLUMNS_2 = (
    "data_set, learner, split, stream, limit_seconds, status, predictions, train_seconds, "
    "predict_seconds, size_bytes, message, environment, way"
)


def compared(store, learners=LEARNERS, batched="never"):
    return compare(learners, "iris", cv="2x3", store=store, batched=batched).evaluation


def rows_of(path):
    """Every run of a store file, but for what version 2 did not have."""
    connection = sqlite3.connect(path)
    try:
        query = f"SELECT {RUN_COLUMNS_2} FROM run ORDER BY learner, split"
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def version_of(path):
    return int.from_bytes(path.read_bytes()[60:64], "big")


@pytest.fixture
def old(tmp_path):
    """A store as version 2 wrote it, and its runs."""
    path = tmp_path / "old.db"
    with Store(path) as store:
        compared(store)
    make_older(path, 2)
    return path


def test_a_run_counts_its_model_where_it_is_asked_to():
    learner = RunnableLearner("logistic", learner_catalogue()["logistic"].make())
    record = run_one(learner, DATA, SPLIT, seed=1, measure_size=True)
    assert (record.complexity, record.complexity_unit) == (15, "parameters")
    record = run_one(learner, DATA, SPLIT, seed=1)
    assert (record.complexity, record.complexity_unit) == (None, "")


class Awkward(ClassifierMixin, BaseEstimator):
    """Model that raises, and warns, when its coefficients are read."""

    def __init__(self, error=None):
        self.error = error

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    @property
    def coef_(self):
        warnings.warn("coef_ is deprecated", FutureWarning, stacklevel=2)
        if self.error is not None:
            raise self.error
        return np.zeros(3)

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.mark.parametrize("error", [RuntimeError("no"), AttributeError("no"), None])
def test_a_model_that_cannot_be_counted_is_no_failure(error):
    learner = RunnableLearner("awkward", Awkward(error))
    record = run_one(learner, DATA, SPLIT, seed=1, measure_size=True)
    assert (record.status, record.message) == ("ok", "")
    expected = (3, "parameters") if error is None else (None, "")
    assert (record.complexity, record.complexity_unit) == expected


@pytest.mark.parametrize("batched", ["never", "auto"])
def test_what_was_counted_is_found_again(tmp_path, batched):
    learners = [*LEARNERS, "5nn", ("awkward", Awkward(RuntimeError))]  # its content can be read
    with Store(tmp_path / "s.db") as store:
        first = compared(store, learners, batched)
    with Store(tmp_path / "s.db") as store:
        second = compared(store, learners, batched)
    assert second.n_fitted == 0
    for item in (first, second):
        np.testing.assert_array_equal(item.complexity, [12, 15, 100, np.nan])
        assert item.complexity_units == ["parameters", "parameters", "rows kept", ""]


def test_batched_runs_have_the_count_of_the_run_that_measured_the_costs():
    result = compared(None, ["nearest-mean"], "always")
    assert {record.fit_mode for record in result.records[0]} == {"batched"}
    assert all(record.complexity is None for record in result.records[0])
    assert result.complexity.tolist() == [result.cost_runs[0].complexity] == [12]


def test_a_store_of_version_2_loses_nothing_and_goes_on(old):
    assert version_of(old) == 2
    before = rows_of(old)
    assert len(before) == 12
    with Store(old) as store:
        again = compared(store)
        assert (again.n_fitted, again.n_reused) == (0, 12)
        assert np.isnan(again.complexity).all()  # nobody counted then
        assert again.complexity_units == ["", ""]
        assert (again.size_bytes > 0).all()
        more = compared(store, [*LEARNERS, "1nn"])
        assert (more.n_fitted, more.n_reused) == (6, 12)
        assert more.complexity[2] == 100
    assert version_of(old) == schema.SCHEMA_VERSION
    assert rows_of(old)[:12] == before
    assert len(rows_of(old)) == 18


def test_several_may_bring_up_an_old_store_at_once(old):
    before, failures = rows_of(old), []

    def opened():
        try:
            Store(old).close()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=opened) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert rows_of(old) == before


def test_a_store_that_is_brought_up_is_one_that_is_new(old, tmp_path):
    Store(old).close()
    with Store(tmp_path / "new.db") as store:
        compared(store)
    connection = sqlite3.connect(old)
    connection.execute("ATTACH ? AS new", (str(tmp_path / "new.db"),))
    columns = [
        connection.execute(f"PRAGMA {name}.table_info(run)").fetchall() for name in ("main", "new")
    ]
    connection.close()
    assert columns[0] == columns[1]


@pytest.fixture
def read_only(monkeypatch):
    """No file may be written from now on."""
    return lambda: monkeypatch.setattr(file, "is_writable", lambda path: False)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_store_of_an_earlier_version_that_must_not_be_written_is_read(
    tmp_path, read_only, version
):
    path = tmp_path / "old.db"
    with Store(path) as store:
        compared(store)
    make_older(path, version)
    before = path.read_bytes()
    read_only()
    with Store(path) as store:
        assert [row["finished"] for row in store.overview()] == [6, 6]
        assert len(export_scores(store, ["error"])) == 12
        assert compared(store).n_reused == 12
        counts = [run.complexity for run in store.runs(1, 1, n_classes=3).values()]
        assert counts == ([12] if version == 3 else [None]) + [None] * 5
    assert path.read_bytes() == before

"""One bit of a store flips: the same numbers as before, or a sentence, never another number."""

import random
import sqlite3
from contextlib import closing

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from tests.edited_stores import edit

from bestofk import compare
from bestofk.data import from_arrays
from bestofk.errors import StoreError
from bestofk.evaluation import Store
from bestofk.evaluation.store import export_scores, file
from bestofk.recommendation.history_of_stores import read_stores

RNG = np.random.default_rng(5)
DATA = from_arrays(RNG.normal(size=(40, 2)).round(2), np.arange(40) % 2, name="two")
MEASURED = [
    "train_seconds",
    "predict_seconds",
    "peak_bytes",
    "is_crowded",
    "train_cpu_seconds",
    "predict_cpu_seconds",
    "is_isolated",
]


class Near(ClassifierMixin, BaseEstimator):
    """Probabilities from the distance to a point: many different values, and fast."""

    def __init__(self, point=0.0):
        self.point = point

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.center_ = X[y == self.classes_[0]].mean(axis=0) + self.point
        return self

    def predict_proba(self, X):
        p = np.exp(-((X - self.center_) ** 2).sum(axis=1))
        return np.column_stack([p, 1 - p])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


LEARNERS = {"near": Near(), "far": Near(1.0)}
KEPT = {"kept": Near(0.5), "labels": Near(-0.5)}  # less is kept of these


def compared(path):
    """Return the comparisons of which the store holds the runs."""
    return [
        compare(LEARNERS, DATA, cv="3x2", store=path),
        compare({"kept": KEPT["kept"]} | LEARNERS, DATA, cv="2x2", store=path, keep="scores"),
        compare({"labels": KEPT["labels"]} | LEARNERS, DATA, cv="2x2", store=path, keep="labels"),
    ]


def numbers(results):
    """Return every score and, where a run is the one of the store, its seconds."""
    frames = [
        result.to_frame().set_index(["learner", "repeat", "fold", "measure"]) for result in results
    ]
    return [frame["value"] for frame in frames]


def seconds(results):
    return {
        (i, j, k): (item.train_seconds, item.predict_seconds)
        for i, result in enumerate(results)
        for j, row in enumerate(result.evaluation.records)
        for k, item in enumerate(row)
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The bytes of a store, and all numbers that come out of it."""
    path = tmp_path_factory.mktemp("whole") / "s.db"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file, "_PAGE_BYTES", 512)  # so that few bytes of the file are empty
        compared(path)
        # every kind of value that a run may have
        edit(path, ["UPDATE run SET peak_bytes = 9000 * rowid, is_crowded = 1 WHERE rowid % 2"])
        results = compared(path)
    with Store(path) as store:
        table = export_scores(store)
    return path.read_bytes(), numbers(results), seconds(results), table, read_stores(path)


def same_history(a, b):
    return (
        (a.data_sets, a.learners, a.states.tolist()) == (b.data_sets, b.learners, b.states.tolist())
        and np.array_equal(a.scores, b.scores, equal_nan=True)
        and np.array_equal(a.seconds, b.seconds, equal_nan=True)
        and np.array_equal(a.default_scores, b.default_scores)
    )


def outcome(path, whole):
    """Say what came of a damaged store: "refused", "fitted again", "same", or raise."""
    _, scores, times, table, history = whole
    damage = None
    try:
        with Store(path) as store:
            store.overview()
            damage = store.check()
            try:
                again = export_scores(store)
                assert again.drop(columns="message").equals(table.drop(columns="message"))
            except StoreError:
                assert damage
            try:
                assert same_history(read_stores(store), history)
            except StoreError:
                assert damage
    except StoreError:
        return "refused"
    try:
        results = compared(path)
    except StoreError:
        return "refused"
    for number, other in zip(numbers(results), scores, strict=True):
        assert number.equals(other)
    is_fitted = sum(result.evaluation.n_fitted for result in results) > 0
    if is_fitted:
        named = [note for result in results for note in result.notes if "damaged" in note]
        assert named
        assert damage
        with Store(path) as store:
            kept = [*MEASURED, "message"]
            again = export_scores(store)
            assert again.drop(columns=kept).equals(table.drop(columns=kept))
        return "fitted again"
    assert seconds(results) == times
    return "same"


@pytest.mark.parametrize("n_flips", [25, pytest.param(500, marks=pytest.mark.slow)])
def test_no_flipped_bit_of_a_store_gives_another_number(tmp_path, whole, n_flips):
    rng, content = random.Random(20), whole[0]
    counts = {"refused": 0, "fitted again": 0, "same": 0}
    for flip in range(n_flips):
        bit = rng.randrange(8 * len(content))
        damaged = bytearray(content)
        damaged[bit // 8] ^= 1 << bit % 8
        path = tmp_path / f"{flip}.db"
        path.write_bytes(damaged)
        try:
            counts[outcome(path, whole)] += 1
        except Exception as error:
            raise AssertionError(f"bit {bit % 8} of byte {bit // 8} of {len(content)}") from error
        path.unlink()
    assert counts["fitted again"] > 0


def test_a_run_whose_values_are_of_other_kinds_is_damaged(tmp_path, whole):
    path = tmp_path / "s.db"
    path.write_bytes(whole[0])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "UPDATE run SET predictions = 4.0, checksum = NULL WHERE rowid IN (1, 7)"
        )
    assert outcome(path, whole) == "fitted again"


@pytest.mark.parametrize("most_bytes", [0, 20_000_000])
@pytest.mark.parametrize(
    "change",
    ["learner = learner + 50", "value = value + 1", "split = split + 100", "measure = 'other'"],
)
def test_a_damaged_score_costs_one_run_in_a_store_of_any_size(
    tmp_path, monkeypatch, most_bytes, change
):
    monkeypatch.setattr("bestofk.evaluation.store.store._READ_BYTES", most_bytes)
    path = tmp_path / "scores.db"

    def compared():
        options = {"cv": "2x5", "store": path, "keep": "scores", "progress": False}
        return compare(["majority", "nearest-mean"], "iris", **options)

    before = compared()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            f"UPDATE score SET {change} WHERE measure = 'error' AND learner = "
            "(SELECT max(learner) - 1 FROM score) AND split = (SELECT max(split) FROM score)"
        )
        assert connection.total_changes == 1
    after = compared()
    assert after.evaluation.damaged == ("kept scores",)
    assert (after.evaluation.n_fitted, after.evaluation.n_reused) == (1, 19)
    np.testing.assert_array_equal(after.scores[0].values, before.scores[0].values)
    assert compared().evaluation.n_fitted == 0

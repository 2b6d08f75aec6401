"""Failures of the store: reported at once, without loss of what was written."""

import multiprocessing
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import bestofk
from bestofk import compare
from bestofk.errors import StoreError
from bestofk.evaluation import Observer, Store
from bestofk.evaluation.record import Predictions, RunRecord
from bestofk.evaluation.store.schema import SCHEMA

RECORD = RunRecord("ok", Predictions(np.zeros(20, dtype=np.int64)), 0.5, 0.25)


def add(store, split):
    store.add((1, 1), [split], [1], [RECORD], keep="labels", n_classes=2)


def n_stored(path):
    connection = sqlite3.connect(path)
    try:
        return connection.execute("SELECT count(*) FROM run").fetchone()[0]
    finally:
        connection.close()


class Failing:
    """A connection that fails on some statements, as a full disk makes it."""

    def __init__(self, connection, *words):
        self._connection = connection
        self._words = words

    def __getattr__(self, name):
        return getattr(self._connection, name)

    def _check(self, statement):
        if statement.startswith(self._words):
            raise sqlite3.OperationalError("database or disk is full")

    def execute(self, statement, *values):
        self._check(statement)
        return self._connection.execute(statement, *values)

    def executemany(self, statement, values):
        self._check(statement)
        return self._connection.executemany(statement, values)


@pytest.mark.parametrize("words", ["BEGIN", "INSERT OR IGNORE INTO run", "COMMIT"])
def test_a_full_disk_is_told_and_takes_nothing_with_it(tmp_path, words):
    store = Store(tmp_path / "s.db")
    store._closing.set()  # no background writing in this test
    store._writer.join()
    add(store, 1)
    store.flush()
    connection = store._connection
    add(store, 2)
    store._connection = Failing(connection, words)
    with pytest.raises(StoreError, match=r"s.db could not \(database or disk is full\)"):
        store.flush()
    store._connection = connection  # somebody made room
    assert not connection.in_transaction
    store.flush()
    assert n_stored(tmp_path / "s.db") == 2
    connection.close()


def test_the_next_run_ends_the_work_when_the_disk_is_full(tmp_path):
    class Filling(Observer):
        n_finished = 0

        def start(self, request, store, *, n_reused, snapshot):
            store._connection = Failing(store._connection, "COMMIT")

        def finished(self, learner, records, store):
            self.n_finished += len(records)
            time.sleep(0.05 * len(records))

    watch = Filling()
    with pytest.raises(StoreError, match="disk is full"):
        compare(["majority"], "iris", cv="20x10", store=tmp_path / "s.db", progress=watch)
    assert watch.n_finished < 100


@pytest.mark.parametrize("how", ["deleted", "moved", "replaced"])
def test_a_store_that_is_taken_away_while_in_use_is_missed(tmp_path, how):
    path = tmp_path / "s.db"
    store = Store(path)
    if how == "deleted":
        path.unlink()
    else:
        path.rename(tmp_path / "other.db")
    if how == "replaced":
        path.write_bytes((tmp_path / "other.db").read_bytes())
    add(store, 1)
    with pytest.raises(StoreError, match="was moved, deleted or replaced"):
        store.close()


def test_a_new_store_is_not_put_beside_the_log_of_an_old_one(tmp_path):
    (tmp_path / "s.db-wal").write_bytes(b"log")
    with pytest.raises(StoreError, match="must not stand next to the log of another"):
        Store(tmp_path / "s.db")
    assert not (tmp_path / "s.db").exists()
    assert (tmp_path / "s.db-wal").read_bytes() == b"log"


NAMES = ["a b.db", "ü ñ.db", "x#y.db", "x?mode=ro.db", "100%.db", "50%20.db", "it's.db", "-a.db"]


@pytest.mark.parametrize("name", [*NAMES, ":memory:"])
def test_a_store_may_have_any_name(tmp_path, name, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Store(name) as store:
        add(store, 1)
    with Store(name) as store:
        assert store.n_runs() == 1
    assert os.listdir(tmp_path) == [name]


def _open_and_add(path, split, barrier):
    barrier.wait()
    with Store(path) as store:
        add(store, split)


def _open_all(paths, split, barrier):
    for path in paths:
        _open_and_add(path, split, barrier)


def _open_in_processes(paths):
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(4, timeout=60)
    workers = [
        context.Process(target=_open_all, args=(paths, split, barrier)) for split in range(4)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4


def _open_in_threads(paths):
    barrier = threading.Barrier(4, timeout=60)
    with ThreadPoolExecutor(4) as pool:
        opened = [pool.submit(_open_all, paths, split, barrier) for split in range(4)]
    assert [future.exception() for future in opened] == [None] * 4  # one that fails stops all


@pytest.mark.parametrize("opened", [_open_in_processes, _open_in_threads])
def test_four_that_create_one_store_at_once_make_one(tmp_path, opened):
    paths = [tmp_path / f"{attempt}.db" for attempt in range(100)]
    for path in paths[:5]:
        path.touch()  # an empty file is one to be filled
    opened(paths)
    assert [n_stored(path) for path in paths] == [4] * 100
    assert len(os.listdir(tmp_path)) == 100


def test_an_empty_file_whose_filling_was_killed_is_filled(tmp_path):
    path, other = tmp_path / "s.db", tmp_path / "other.db"
    connection = sqlite3.connect(other, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")  # the journal counts from its first byte
    connection.execute("BEGIN EXCLUSIVE")
    for statement in SCHEMA.split(";"):
        connection.execute(statement)
    Path(f"{path}-journal").write_bytes(Path(f"{other}-journal").read_bytes())
    connection.execute("COMMIT")
    connection.close()
    content = other.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with Store(path) as store:
        add(store, 1)
    assert n_stored(path) == 1
    assert sorted(os.listdir(tmp_path)) == ["other.db", "s.db"]


def test_a_log_that_is_deleted_while_the_store_is_in_use_is_missed(tmp_path):
    path = tmp_path / "s.db"
    store = Store(path)
    add(store, 1)
    store.flush()
    Path(f"{path}-wal").unlink()
    add(store, 2)
    with pytest.raises(StoreError, match="log of the store must stay where it is"):
        store.close()
    with Store(path) as store:
        assert store.n_runs() == 1  # what was written before is there


def test_a_link_to_nowhere_is_no_store(tmp_path):
    path = tmp_path / "s.db"
    path.symlink_to(tmp_path / "none.db")
    with pytest.raises(StoreError, match=r"a link to .*none\.db, which does not exist"):
        Store(path)
    assert os.listdir(tmp_path) == ["s.db"]


def test_an_interrupt_inside_a_transaction_leaves_none_open(tmp_path):
    with Store(tmp_path / "s.db") as store:
        with pytest.raises(KeyboardInterrupt), store.transaction():
            raise KeyboardInterrupt
        assert not store._connection.in_transaction
        add(store, 1)
    assert n_stored(tmp_path / "s.db") == 1


def test_a_store_that_lost_what_its_seconds_were_measured_on_keeps_its_runs(tmp_path):
    path = tmp_path / "s.db"
    first = compare(["majority", "nearest-mean"], "iris", cv="2x2", store=path)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("DELETE FROM environment")
    connection.close()
    again = compare(["majority", "nearest-mean"], "iris", cv="2x2", store=path)
    assert again.evaluation.n_fitted == 0
    assert again.to_frame().equals(first.to_frame())


READER = """
import os, sys
from bestofk import compare
from bestofk.evaluation import Store
from bestofk.evaluation.store import export_scores
with Store() as store:  # imports what is needed while it may be read
    compare(["majority"], "iris", cv="2x2", store=store)
    export_scores(store, ["error"])
if os.getuid() == 0:
    os.setuid(65534)  # to whom rights mean something
with Store(sys.argv[1]) as store:
    print(store.overview()[0]["finished"], len(export_scores(store, ["error"])))
print(compare(["majority"], "iris", cv="2x2", store=sys.argv[1]).evaluation.n_reused)
try:
    compare(["majority"], "iris", cv="3x2", store=sys.argv[1])
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="users and their rights are those of Unix")
@pytest.mark.parametrize(("of_file", "of_folder"), [(0o444, 0o777), (0o666, 0o555)])
def test_a_store_that_may_only_be_read_serves_all_that_fits_nothing(of_file, of_folder):
    homes = [folder for file in (sys.prefix, bestofk.__file__) for folder in Path(file).parents]
    if os.getuid() == 0 and not all(folder.stat().st_mode & 0o001 for folder in homes):
        pytest.skip("a user without rights cannot reach this installation")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.db"
        compare(["majority"], "iris", cv="2x2", store=path)
        before = path.read_bytes()
        path.chmod(of_file)
        Path(folder).chmod(of_folder)
        answer = subprocess.run(
            [sys.executable, "-c", READER, str(path)], capture_output=True, text=True, check=True
        )
        Path(folder).chmod(0o777)
        assert os.listdir(folder) == ["s.db"]
        assert path.read_bytes() == before
    lines = answer.stdout.splitlines()
    assert lines[:2] == ["4 4", "4"]
    assert lines[2].startswith("StoreError store must be a file that can be written where runs")

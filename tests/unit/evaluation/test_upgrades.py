"""Stores of earlier versions: brought up without losing a run or trusting a damaged one."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from tests.old_stores import edit, make_older

from bestofk import compare
from bestofk.evaluation import Store
from bestofk.evaluation.store.checksum import COVERED
from bestofk.evaluation.store.file import read_only_copy
from bestofk.evaluation.store.schema import SCHEMA_VERSION

LEARNERS = ["nearest-mean", "cart"]
NEW = {"limit_bytes": 0, "peak_bytes": None, "is_crowded": 0}


def compared(store):
    return compare(LEARNERS, "iris", cv="2x3", store=store, batched="never", progress=False)


def query(path, text, *values):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        return connection.execute(text, values).fetchall()


def kept_columns(path):
    """Return every run, but for what version 5 has added, with its checksum."""
    names = [name for name in COVERED["run"] if name not in NEW]
    return query(path, f"SELECT rowid, {', '.join(names)}, checksum FROM run ORDER BY rowid")


def version_of(path):
    return int.from_bytes(path.read_bytes()[60:64], "big")


@pytest.fixture
def path(tmp_path):
    """A store in which no run has values that only version 5 has."""
    path = tmp_path / "s.db"
    compared(path)
    edit(path, [f"UPDATE run SET {', '.join(f'{name} = ?' for name in NEW)}", *NEW.values()])
    return path


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5, 6])
def test_an_old_store_loses_nothing_and_gets_new_columns(path, version):
    before = kept_columns(path)
    make_older(path, version)
    assert version_of(path) == version
    with Store(path) as store:
        assert store.check() == []
        again = compared(store).evaluation
        assert (again.n_fitted, again.n_reused) == (0, 12)
    assert version_of(path) == SCHEMA_VERSION == 7
    after = kept_columns(path)
    if version >= 3:
        assert after == before
    assert [row[:13] for row in after] == [row[:13] for row in before]
    assert set(query(path, f"SELECT {', '.join(NEW)} FROM run")) == {(0, None, 0)}
    [(index,)] = query(path, "SELECT sql FROM sqlite_master WHERE name = 'run_key'")
    assert index.endswith("limit_seconds, limit_bytes)")


def test_a_row_that_was_damaged_before_is_damaged_after(path):
    make_older(path, 4)
    query(path, "UPDATE run SET train_seconds = train_seconds + 1 WHERE rowid = 3")
    query(path, "UPDATE run SET checksum = NULL WHERE rowid = 7")
    with Store(path) as store:
        assert len(store.check()) == 2
        again = compared(store).evaluation
        assert (again.n_fitted, again.n_reused) == (2, 10)
        assert store.check() == []


def test_of_two_runs_of_one_key_that_damage_left_at_most_both_are_done_again(path):
    make_older(path, 4)
    query(path, "DROP INDEX run_key")
    query(path, "UPDATE run SET split = 1 WHERE split = 2 AND learner = 1")
    with Store(path) as store:
        again = compared(store).evaluation
        assert 0 < again.n_fitted <= 2
        assert store.check() == []
        assert store.n_runs() == 12


def test_an_old_store_that_may_only_be_read_is_brought_up_in_a_copy(path):
    make_older(path, 4)
    with closing(read_only_copy(path)) as copy:
        assert copy.execute("SELECT count(*), max(limit_bytes) FROM run").fetchone() == (12, 0)
    assert version_of(path) == 4

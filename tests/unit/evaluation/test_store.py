"""The store: nothing lost, nothing twice, nothing touched that is not its own."""

import multiprocessing
import sqlite3
import zlib
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.edited_stores import edit

from bestofk import compare
from bestofk.data import from_arrays
from bestofk.errors import StoreError
from bestofk.evaluation.guarded.limits import Limits
from bestofk.evaluation.identity.identity import identify
from bestofk.evaluation.record import Predictions, RunRecord
from bestofk.evaluation.store import Store, check_exists, file
from bestofk.evaluation.store.checksum import COVERED
from bestofk.evaluation.store.entries import _compressed, packed_rows, unpacked_rows
from bestofk.evaluation.store.runs import NO_LIMITS
from bestofk.resampling import make_plan

COUNTED = ["planned", "finished", "errors", "timeouts", "memory"]


def record(label=0, status="ok", seconds=0.5):
    predictions = Predictions(np.full(20, label)) if status == "ok" else None
    return RunRecord(status, predictions, seconds, 0.25, 100, "")


def add(store, split, stream=1, label=0, status="ok", limits=NO_LIMITS, **fields):
    store.add(
        (1, 1), [split], [stream], [record(label, status)._replace(**fields)],
        keep="labels", n_classes=2, limits=limits,
    )  # fmt: skip


@pytest.fixture
def data():
    return from_arrays(np.arange(80.0).reshape(40, 2), np.array([0, 1] * 20))


@pytest.fixture
def store(tmp_path, data):
    with prepared(tmp_path / "s.db", data) as store:
        yield store


def prepared(path, data):
    """Return a store in which data, plan and learner have the number 1."""
    store = Store(path)
    assert store.register_data(data) == 1
    number, splits = store.register_plan(make_plan(data, "2x2"))
    assert (number, splits) == (1, [1, 2, 3, 4])
    assert store.register_learner(identify("x", object())) == 1
    return store


def test_what_is_written_is_read_back(tmp_path, data):
    with prepared(tmp_path / "s.db", data) as store:
        add(store, 1, label=1)
    with Store(tmp_path / "s.db") as store:
        runs = store.runs(1, 1, n_classes=2)
        (stored,) = runs.values()
        assert list(runs) == [(1, 1)]
        assert stored.predictions.labels.tolist() == [1] * 20
        assert (stored.train_seconds, stored.size_bytes) == (0.5, 100)
        [some] = store.read_runs(1, 1, n_classes=2)
        assert store.environments()[some.environments[0]]["threads_per_run"] == 1


@pytest.mark.parametrize("keep", ["labels", "scores"])
@pytest.mark.parametrize(
    "others",
    [{"status": "error", "predictions": None}, {"message": "warned"}, {"size_bytes": 9},
     {"complexity": 3, "complexity_unit": "nodes"}],
)  # fmt: skip
def test_usual_runs_are_read_in_bulk_and_the_others_row_by_row(store, monkeypatch, keep, others):
    nan = float("nan")
    usual = [
        RunRecord("ok", Predictions(np.full(20, i % 2)), 0.5, *some, fit_mode=mode, peak_bytes=peak,
                  is_crowded=i < 2, is_isolated=i % 2 == 1)
        for i, (some, mode, peak) in enumerate(
            [((0.25,), "plain", 7), ((nan,), "batched", None), ((0.0,), "plain", 2**50),
             ((1e-300,), "batched", 0)]
        )
    ]  # fmt: skip
    records = [*usual, usual[0]._replace(**others)]
    queries = []
    store.add((1, 1), [1, 2, 3, 4, 1], [5, 2**32 - 1, 0, 9, 6], records, keep=keep, n_classes=2)
    rows = store.rows
    monkeypatch.setattr(store, "rows", lambda *query: queries.append(query) or rows(*query))
    stored = store.runs(1, 1, n_classes=2)
    [numbers] = [text.split("(")[1] for text, *_ in queries if "rowid IN" in text]
    assert numbers == "5)"
    stored = [stored[key] for key in [(1, 5), (2, 2**32 - 1), (3, 0), (4, 9), (1, 6)]]
    for added, read in zip(records, stored, strict=True):
        labels = added.predictions if keep == "labels" else None
        assert repr(read._replace(predictions=None)) == repr(added._replace(predictions=None))
        assert (read.predictions is None) == (labels is None)
        assert labels is None or read.predictions.labels.tolist() == labels.labels.tolist()


def test_registering_again_gives_the_same_numbers(data, store):
    plan = make_plan(data, "2x2")
    assert store.register_data(data) == 1
    assert store.register_plan(plan)[1] == [1, 2, 3, 4]
    longer = store.register_plan(make_plan(data, "3x2"))
    assert longer[1] == [1, 2, 3, 4, 5, 6]
    assert store.register_comparison(1, 1, 0, [("x", 1)]) == 1
    assert store.register_comparison(1, 1, 0, [("x", 1)]) == 1
    assert store.register_comparison(1, 1, 1, [("x", 1)]) == 2


def test_the_first_record_of_a_run_stays(store):
    add(store, 1, label=0)
    add(store, 1, label=1)
    assert store.n_runs() == 1
    assert store.runs(1, 1, n_classes=2)[1, 1].predictions.labels[0] == 0


def served(store, *asked):
    """Return whether a stored run counts under some limits."""
    return [bool(store.runs(1, 1, n_classes=2, limits=limits)) for limits in asked]


def test_a_timeout_counts_only_where_it_was_given_at_least_as_long(store):
    add(store, 1, status="timeout", limits=Limits(5.0))
    assert served(store, Limits(5.0), Limits(2.0, 1)) == [True, True]
    assert served(store, Limits(10.0, 1), Limits(None, 1)) == [False, False]
    assert set(store.runs(1, 1, n_classes=2)) == {(1, 1)}


def test_a_run_out_of_memory_counts_only_where_it_was_given_at_least_as_much(store):
    add(store, 1, status="memory", limits=Limits(5.0, 1000), peak_bytes=1040)
    assert served(store, Limits(10.0, 1000), Limits(None, 999)) == [True, True]
    assert served(store, Limits(1.0, 1001), Limits(1.0)) == [False, False]
    stored = store.runs(1, 1, n_classes=2)[1, 1]
    assert (stored.status, stored.peak_bytes) == ("memory", 1040)


def test_a_run_may_run_into_several_limits_before_it_ends(store):
    for status, limits in [
        ("timeout", Limits(5.0, 10**9)),
        ("timeout", Limits(5.0, 10**9)),
        ("memory", Limits(9.0, 10**9)),
        ("memory", Limits(9.0, 2 * 10**9)),
    ]:
        add(store, 1, status=status, limits=limits)
    assert store.n_runs() == 3
    assert set(store.runs(1, 1, n_classes=2, limits=Limits(9.0, 3 * 10**9))) == set()
    add(store, 1)
    assert store.n_runs() == 4
    assert store.runs(1, 1, n_classes=2, limits=Limits())[1, 1].status == "ok"
    [some] = store.read_runs(1, 1, n_classes=2)
    assert some.table.status.tolist() == ["ok", "memory", "memory", "timeout"]
    assert some.damaged == []


def test_peak_memory_and_company_of_runs_are_read_back(tmp_path, data):
    with prepared(tmp_path / "s.db", data) as store:
        add(store, 1, peak_bytes=3_000_000_000, is_crowded=True)
        add(store, 2, message="warned", peak_bytes=0)
        add(store, 3, size_bytes=None, is_crowded=True)
        add(store, 4, size_bytes=None, peak_bytes=7)
    with Store(tmp_path / "s.db") as store:
        runs = store.runs(1, 1, n_classes=2)
        [some] = store.read_runs(1, 1, n_classes=2)
        assert store.check() == []
    told = [(run.peak_bytes, run.is_crowded) for run in runs.values()]
    assert told == [(3_000_000_000, True), (0, False), (None, True), (7, False)]
    np.testing.assert_array_equal(some.table.peak_bytes, [3e9, 0, np.nan, 7])
    assert some.table.is_crowded.tolist() == [True, False, True, False]


@pytest.mark.parametrize(
    "change", ["limit_bytes = 1", "limit_bytes = x'00'", "peak_bytes = 1", "peak_bytes = 'x'",
               "peak_bytes = NULL", "is_crowded = 0", "is_crowded = 2"],
)  # fmt: skip
@pytest.mark.parametrize("split", [1, 2])
def test_a_run_whose_memory_is_damaged_is_a_damaged_run(tmp_path, data, split, change):
    path = tmp_path / "s.db"
    with prepared(path, data) as store:
        add(store, 1, size_bytes=None)
        add(store, 2, peak_bytes=70, is_crowded=True)
        add(store, 3)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        before = connection.execute("SELECT * FROM run").fetchall()
        connection.execute(f"UPDATE run SET {change} WHERE split = {split}")
        is_changed = connection.execute("SELECT * FROM run").fetchall() != before
    with Store(path) as store:
        expected = {(1, 1), (2, 1), (3, 1)} - ({(split, 1)} if is_changed else set())
        assert len(store.check()) == is_changed
        assert set(store.runs(1, 1, n_classes=2)) == expected


def test_a_lost_run_is_not_stored(store):
    with pytest.raises(ValueError, match="got a lost one"):
        add(store, 1, status="lost")
    assert store.n_runs() == 0


def test_failures_that_are_forgotten_are_done_again(tmp_path, data):
    with prepared(tmp_path / "s.db", data) as store:
        add(store, 1, status="error")
        add(store, 1, stream=2, status="error")
        add(store, 2, status="timeout", limits=Limits(5.0))
        add(store, 2, status="memory", limits=Limits(5.0, 10))
        add(store, 3, status="timeout", limits=Limits(5.0))
        add(store, 3)
        add(store, 4, status="memory", limits=Limits(5.0, 10))
        store.forget_failed(1, 1, [(1, 1), (2, 1), (3, 1)])
        [some] = store.read_runs(1, 1, n_classes=2)
    assert list(zip(some.splits, some.streams, some.table.status.tolist(), strict=True)) == [
        (1, 2, "error"), (3, 1, "ok"), (4, 1, "memory"),
    ]  # fmt: skip


def test_decisions_are_kept_in_order_and_replaced_from_a_place_on(tmp_path):
    with Store(tmp_path / "s.db") as store:
        store.keep_decisions(1, "order", [{"learner": "a"}, {"learner": "b"}])
        store.keep_decisions(1, "order", [{"learner": "c"}], start=2)
        store.keep_decisions(2, "order", ["another comparison"])
        store.keep_decisions(1, "end", [3])
    with Store(tmp_path / "s.db") as store:
        assert [decision["learner"] for decision in store.decisions(1, "order")] == ["a", "b", "c"]
        store.keep_decisions(1, "order", ["d"], start=1)
        assert store.decisions(1, "order") == [{"learner": "a"}, "d"]
        assert (store.decisions(1, "end"), store.decisions(3, "end")) == ([3], [])


def test_decisions_end_before_one_that_is_damaged(tmp_path):
    path = tmp_path / "s.db"
    with Store(path) as store:
        store.keep_decisions(1, "order", ["a", "b", "c"])
    with sqlite3.connect(path) as other:
        other.execute("UPDATE decision SET content = '\"x\"' WHERE place = 1")
    other.close()
    with Store(path) as store:
        assert store.decisions(1, "order") == ["a"]


def test_runs_are_durable_within_a_second_without_being_told(tmp_path, data):
    import time

    store = prepared(tmp_path / "s.db", data)
    add(store, 1)
    deadline = time.monotonic() + 20
    while store.n_written < 1 and time.monotonic() < deadline:
        time.sleep(0.01)
    with sqlite3.connect(tmp_path / "s.db") as other:
        assert other.execute("SELECT count(*) FROM run").fetchone() == (1,)
    other.close()
    store.close()
    store.close()  # closing twice does no harm


def test_memory_serves_as_a_store(data):
    with prepared(None, data) as store:
        add(store, 2)
        assert store.n_runs() == 1
        assert store.size_bytes() > 0


def _write(path, first):
    with Store(path) as store:
        for split in range(first, first + 200):
            add(store, split)


def test_two_processes_on_one_store_lose_nothing(tmp_path, data):
    prepared(tmp_path / "s.db", data).close()
    context = multiprocessing.get_context("spawn")
    workers = [
        context.Process(target=_write, args=(tmp_path / "s.db", start)) for start in (10, 110)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    with Store(tmp_path / "s.db") as store:
        assert store.n_runs() == 300


def test_what_is_no_store_is_refused_and_left_untouched(tmp_path, data):
    text = tmp_path / "text.db"
    text.write_text("hello")
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE t (a)")
    connection.close()
    version = tmp_path / "version.db"
    prepared(version, data).close()
    content = bytearray(version.read_bytes())
    content[60:64] = (99).to_bytes(4, "big")
    version.write_bytes(content)
    expected = {text: "is not a store", other: "database of another program", version: "has 99"}
    for path, message in expected.items():
        before, files = path.read_bytes(), sorted(tmp_path.iterdir())
        with pytest.raises(StoreError, match=message):
            Store(path)
        assert path.read_bytes() == before
        assert sorted(tmp_path.iterdir()) == files


def test_a_damaged_store_is_refused_and_left_untouched(tmp_path, data):
    path = tmp_path / "s.db"
    with prepared(path, data) as store:
        for split in range(500):
            add(store, split)
    content = bytearray(path.read_bytes())
    content[4096 : 4096 * 12] = bytes([255]) * (4096 * 11)
    path.write_bytes(content)
    with pytest.raises(StoreError, match="is damaged"):
        Store(path)
    assert path.read_bytes() == bytes(content)
    path.write_bytes(content[:5000])  # cut short
    with pytest.raises(StoreError, match="is damaged"):
        Store(path)


@pytest.mark.parametrize(
    ("table", "change"),
    [("learner", "class = x'ff'"), ("plan", "n_repeats = 1e308"), ("data_set", "task = x'00'")],
)
def test_an_overview_of_damaged_entries_is_refused(tmp_path, table, change):
    path = tmp_path / "s.db"
    compare(["majority", "nearest-mean"], "iris", cv="1x2", store=path)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"UPDATE OR IGNORE {table} SET {change}")
    connection.close()
    with Store(path) as store, pytest.raises(StoreError, match=f"an entry of its table {table}"):
        store.overview()


def test_a_directory_and_a_missing_folder_are_refused(tmp_path):
    with pytest.raises(StoreError, match="got the directory"):
        Store(tmp_path)
    with pytest.raises(StoreError, match="folder of the store must exist"):
        Store(tmp_path / "no" / "s.db")
    with pytest.raises(StoreError, match="must be an existing file"):
        check_exists(tmp_path / "none.db")


def test_a_network_file_system_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(file, "_file_system", lambda folder: "nfs4")
    with pytest.raises(StoreError, match=r"network file system \(nfs4\)"):
        Store(tmp_path / "s.db")
    assert not list(tmp_path.iterdir())


def test_scores_kept_with_runs_are_read_back(store):
    store.add((1, 1), [1], [1], [record()], keep="scores", n_classes=2,
              scores={"error": np.array([0.25]), "auroc": np.array([np.nan])})  # fmt: skip
    kept = store.scores(1, 1)
    assert [column.tolist() for column in kept["error"]] == [[1], [1], [0.25]]
    assert np.isnan(kept["auroc"].values).tolist() == [True]
    assert store.runs(1, 1, n_classes=2)[1, 1].predictions is None


@pytest.mark.parametrize("size", [0, 1, 57, 4096])
def test_rows_of_small_splits_are_kept_as_zlib_would_keep_them_uncompressed(size):
    body = np.random.default_rng(0).bytes(size)
    assert _compressed(body) == zlib.compress(body, 0)


def test_rows_of_large_splits_are_compressed():
    body = np.arange(5000, dtype=np.uint16).tobytes()
    assert len(_compressed(body)) < len(body)
    assert zlib.decompress(_compressed(body)) == body


def test_rows_of_a_split_take_a_bit_for_each_row_of_the_data_if_that_is_shorter():
    rows = np.array([0, 2, 3, 9])
    assert zlib.decompress(packed_rows(rows, 10)) == bytes([0b10110000, 0b01000000])
    assert zlib.decompress(packed_rows(rows, 70)) == rows.astype(np.uint16).tobytes()  # 8 < 9


@given(st.data())
def test_rows_of_splits_come_back_as_they_were(data):
    n_samples = data.draw(st.sampled_from([1, 7, 8, 100, 700]))
    splits = []
    for drawn in data.draw(st.lists(st.lists(st.integers(0, n_samples - 1), max_size=60))):
        splits += [sorted(set(drawn)), sorted(drawn), sorted({*range(n_samples)} - set(drawn))]
    packed = [packed_rows(np.array(rows, dtype=np.int64), n_samples) for rows in splits]
    unpacked = unpacked_rows(packed, n_samples, list(map(len, splits)))
    assert [rows.tolist() for rows in unpacked] == splits


@pytest.mark.parametrize("step", [2, 1000])
def test_rows_of_splits_of_large_data_come_back_as_they_were(step):
    rows = np.arange(0, 70_001, step)
    (unpacked,) = unpacked_rows([packed_rows(rows, 70_001)], 70_001, [len(rows)])
    assert (unpacked == rows).all()


def test_rows_of_splits_as_earlier_versions_packed_them_are_read():
    for rows, n_samples, size in (([0, 2, 3, 9], 10, "<u2"), ([5, 65_536], 65_537, "<u4")):
        packed = zlib.compress(np.array(rows, dtype=size).tobytes())
        (unpacked,) = unpacked_rows([packed], n_samples, [len(rows)])
        assert unpacked.tolist() == rows


def test_a_store_with_pages_of_another_size_is_read_and_written_further(
    tmp_path, data, monkeypatch
):
    path = tmp_path / "s.db"
    monkeypatch.setattr(file, "_PAGE_BYTES", 4096)
    with prepared(path, data) as store:
        add(store, 1)
        before = store.size_bytes()
    monkeypatch.undo()
    with Store(path) as store:
        add(store, 2)
        assert set(store.runs(1, 1, n_classes=2)) == {(1, 1), (2, 1)}
        assert store.size_bytes() == before


def test_an_overview_counts_every_failed_run_once(tmp_path):
    path = tmp_path / "s.db"
    compare(["majority", "nearest-mean"], "iris", cv="1x4", store=path, batched="never")
    changes = {
        1: "status = 'error'",
        2: "status = 'timeout', limit_seconds = 5",
        3: "status = 'memory', limit_bytes = 1000",
    }
    edit(path, *([f"UPDATE run SET {text} WHERE rowid = {row}"] for row, text in changes.items()))
    copied = ", ".join(COVERED["run"])
    again = copied.replace("status", "'timeout'").replace("limit_seconds", "9.0")
    rows = "rowid IN (3, 4)"  # one ran out of memory as well, the other one was finished
    edit(path, [f"INSERT INTO run ({copied}) SELECT {again} FROM run WHERE {rows}"])
    with Store(path) as store:
        first, second = store.overview()
        assert store.check() == []
    counts = [[row[key] for key in COUNTED] for row in (first, second)]
    assert counts == [[4, 4, 1, 1, 1], [4, 4, 0, 0, 0]]

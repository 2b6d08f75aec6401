"""Merges of stores that comparisons wrote: what is reused, what is preferred, what is left out."""

import os
import random
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pytest
from tests.store_content import content_of, write_store

from bestofk import Store, compare, merge_stores
from bestofk.errors import ContradictionError, InvalidArgumentError, StoreError
from bestofk.evaluation.store import file, store_copy
from bestofk.evaluation.store.blobs import is_same_content
from bestofk.evaluation.store.checksum import COVERED

LEARNERS = ["majority", "nearest-mean", "cart"]
# What differs from call to call.
COSTS = [
    "train_seconds",
    "predict_seconds",
    "train_cpu_seconds",
    "predict_cpu_seconds",
    "peak_bytes",
]


def compared(learners, path, cv="3x2", **options):
    return compare(learners, "iris", cv=cv, store=path, **options)


def without_costs(content):
    """Return content without seconds and peaks of memory, and with a count of machines."""
    names = COVERED["run"]
    drop = [names.index(name) for name in (*COSTS, "environment")]
    runs = [tuple(v for i, v in enumerate(row) if i not in drop) for row in content["run"]]
    return content | {"run": sorted(runs, key=repr), "environment": len(content["environment"])}


def change(path, statement):
    """Change rows without their checksums."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement)


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    """Return three stores: of other learners, of more repeats, of values of measures alone."""
    folder = tmp_path_factory.mktemp("stores")
    paths = [folder / f"{name}.db" for name in "abc"]
    compared(["cart", "majority"], paths[0], cv="2x2")
    compared(["cart", "nearest-mean"], paths[1], cv="3x2", batched="never")
    compared(["lda"], paths[2], keep="scores")
    return paths


def test_a_comparison_on_a_merged_store_fits_nothing_and_gives_the_same_numbers(three, tmp_path):
    merge_stores(three, tmp_path / "all.db")
    here = compared(["majority", "cart"], tmp_path / "all.db", cv="2x2")
    there = compared(["majority", "cart"], three[0], cv="2x2")
    assert (here.findings.n_fitted, here.findings.n_reused) == (0, 8)
    assert here.to_frame().equals(there.to_frame())
    plain = compared(["nearest-mean", "cart"], tmp_path / "all.db", batched="never")
    assert plain.findings.n_fitted == 0
    scores = compared(["lda"], tmp_path / "all.db", keep="scores")
    assert scores.findings.n_fitted == 0
    assert scores.to_frame().equals(compared(["lda"], three[2], keep="scores").to_frame())


def test_stores_of_parts_merge_to_the_store_of_the_whole(tmp_path):
    whole = compared(LEARNERS, tmp_path / "whole.db", cv="3x2")
    for learner in LEARNERS:
        compared([learner], tmp_path / f"{learner}.db", cv="3x2")
    merge_stores([tmp_path / f"{name}.db" for name in LEARNERS], tmp_path / "all.db")
    again = compared(LEARNERS, tmp_path / "all.db", cv="3x2")
    assert again.findings.n_fitted == 0
    assert again.to_frame().drop(columns=COSTS).equals(whole.to_frame().drop(columns=COSTS))
    merge_stores([tmp_path / "all.db"], tmp_path / "whole.db")
    expected = without_costs(content_of(tmp_path / "all.db"))
    assert without_costs(content_of(tmp_path / "whole.db")) == expected


def test_numbers_that_mean_other_things_in_each_store_are_told_from_one_another(tmp_path):
    compared(["cart", "majority"], tmp_path / "a.db", cv="2x2")
    with Store(tmp_path / "b.db") as store:
        compare(["majority"], "wine", cv="2x3", store=store)
        compared(["majority", "cart"], store, cv="2x2", random_state=1)
    merge_stores([tmp_path / "a.db", tmp_path / "b.db"], tmp_path / "all.db")
    a, b, merged = (content_of(tmp_path / f"{name}.db") for name in ("a", "b", "all"))
    # no run of one is a run of the other, so that the merged store has just both
    assert merged["run"] == sorted(a["run"] + b["run"], key=repr)
    assert merged["comparison"] == sorted(a["comparison"] + b["comparison"], key=repr)
    assert merged["plan_split"] == sorted(a["plan_split"] + b["plan_split"], key=repr)
    with Store(tmp_path / "all.db") as store:
        assert [row["finished"] for row in store.overview()] == [4, 4, 6, 4, 4]


def test_an_adaptive_comparison_goes_on_where_it_got_further(tmp_path):
    whole = compare(LEARNERS, "iris", store=tmp_path / "whole.db")
    compare(LEARNERS[:2], "iris", store=tmp_path / "other.db")
    begun = tmp_path / "begun.db"
    begun.write_bytes((tmp_path / "whole.db").read_bytes())
    change(begun, "DELETE FROM decision")
    change(begun, "DELETE FROM run WHERE split > 30")
    others = [tmp_path / "other.db", begun]
    merge_stores(others, tmp_path / "some.db")
    merge_stores([*others, tmp_path / "whole.db"], tmp_path / "all.db")

    n_runs = whole.findings.n_fitted
    for name, n_fitted in (("all", 0), ("some", n_runs - 25 - 2 * 30), ("some", 0)):
        again = compare(LEARNERS, "iris", store=tmp_path / f"{name}.db")
        assert (again.findings.n_fitted, again.findings.n_reused) == (n_fitted, n_runs - n_fitted)
        assert again.best == whole.best
        assert again.to_frame().drop(columns=COSTS).equals(whole.to_frame().drop(columns=COSTS))
    expected = ["ended early after 25 runs", "finished", "finished"]
    for name in ("all", "some"):
        with Store(tmp_path / f"{name}.db") as store:
            states = {}
            for row in store.overview():
                states.setdefault(row["comparison"], []).append(row["state"])
            assert sorted(states.values()) == [expected[:2], expected]
            assert store.check() == []


BASE = {
    "data_set": "d", "learner": "l", "split": "s", "stream": 1, "limit_seconds": 0.0,
    "status": "ok", "predictions": b"p0\x01\x02", "train_seconds": 0.5, "predict_seconds": 0.5,
    "size_bytes": None, "message": "", "way": "plain", "complexity": None,
    "complexity_unit": "", "limit_bytes": 0, "peak_bytes": None, "is_crowded": 0,
    "train_cpu_seconds": 0.5, "predict_cpu_seconds": 0.5, "is_isolated": 0, "environment": "e",
}  # fmt: skip
FAILED = {"status": "error", "predictions": None}
PREFERENCES = {
    "probabilities before labels": (
        {"is_crowded": 1, "train_seconds": 0.9}, {"predictions": b"n0\x01"}
    ),
    "labels before scores": ({"predictions": b"n0\x01", "is_crowded": 1}, {"predictions": None}),
    "alone before crowded": ({"train_seconds": 0.9}, {"is_crowded": 1, "size_bytes": 10}),
    "measured before not": ({"size_bytes": 10, "train_seconds": 0.9}, {}),
    "a peak before none": ({"peak_bytes": 10, "train_seconds": 0.9}, {}),
    "fewer seconds": ({"train_seconds": 0.4}, {"predict_seconds": 0.1}),
    "a known before an unknown": ({"train_seconds": 0.9}, {"train_seconds": None}),
    "one message": ({"message": "a"}, {"message": "b"}),
    "one machine": ({"environment": "d"}, {"environment": "e"}),
    "one failure": (FAILED | {"message": "a"}, FAILED | {"message": "b"}),
}  # fmt: skip


def of_one_run(changes):
    """Return the content of a store with one run."""
    return {
        "data_set": [("d", "d", "classification", 2, 1, "[]", b"")],
        "learner": [("l", "c", "1", "{}", "n")], "plan": [], "split": [("s", 1, 1, b"")],
        "environment": [("e", "{}"), ("d", "{}")], "comparison": [], "plan_split": [],
        "score": [], "decision": [], "run": [tuple((BASE | changes).values())],
    }  # fmt: skip


@pytest.mark.parametrize("name", PREFERENCES)
@pytest.mark.parametrize("is_first", [True, False])
def test_of_two_runs_of_one_key_the_better_one_is_kept(tmp_path, name, is_first):
    for path, changes in zip("ab", PREFERENCES[name], strict=True):
        write_store(tmp_path / path, of_one_run(changes))
    paths = [tmp_path / path for path in ("ab" if is_first else "ba")]
    counts = merge_stores(paths, tmp_path / "all.db")
    assert content_of(tmp_path / "all.db") == content_of(tmp_path / "a")
    assert (counts.n_runs, counts.n_repeated) == (1, 1)
    merge_stores(paths[:1], paths[1])
    assert content_of(paths[1]) == content_of(tmp_path / "a")


SCORE = ("d", "l", "s", 1, "error", 0.25)
CONTRADICTIONS = {
    "status": (BASE, BASE | FAILED, []),
    "another failure": (BASE | FAILED, BASE | FAILED | {"status": "timeout"}, []),
    "labels": (BASE | {"predictions": b"n0\x01"}, BASE | {"predictions": b"n0\x02"}, []),
    "labels and probabilities": (BASE | {"predictions": b"n0\x07"}, BASE, []),
    "probabilities": (BASE, BASE | {"predictions": b"p0\x01\x03"}, []),
    "kinds": (BASE, BASE | {"predictions": b"d0\x01\x02"}, []),
    "scores": (BASE | {"predictions": None}, BASE | {"predictions": None}, [0.25, 0.5]),
    "no score": (BASE | {"predictions": None}, BASE | {"predictions": None}, [None, 0.5]),
}


def write_pair(folder, first, second, scores=()):
    """Write two stores with one run each; return their paths."""
    paths = [folder / "a", folder / "b"]
    for index, (path, run) in enumerate(zip(paths, (first, second), strict=True)):
        content = of_one_run(run)
        if scores:
            content["score"] = [(*SCORE[:-1], scores[index])]
        write_store(path, content)
    return paths


@pytest.mark.parametrize("name", CONTRADICTIONS)
@pytest.mark.parametrize("is_first", [True, False])
def test_runs_of_one_key_with_other_contents_are_named_and_nothing_is_written(
    tmp_path, name, is_first
):
    paths = write_pair(tmp_path, *CONTRADICTIONS[name])
    before = [content_of(path) for path in paths]
    given = paths if is_first else paths[::-1]
    with pytest.raises(ContradictionError, match="content of each run; got 1 run with") as told:
        merge_stores(given, tmp_path / "all.db")
    assert told.value.args[1].startswith("a run of a learner of no comparison")
    assert told.value.args[1].endswith(f": {given[0]}, {given[1]}")
    with pytest.raises(ContradictionError, match="got 1 run"):
        merge_stores(given[:1], given[1])
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]
    assert [content_of(path) for path in paths] == before
    with Store(given[0]) as store:
        assert store.check(given[1]) == list(told.value.args[1:])
        assert store.check(given[0]) == []


@pytest.mark.parametrize("name", CONTRADICTIONS)
@pytest.mark.parametrize("kept", [0, 1])
def test_the_content_of_the_store_that_is_to_be_kept_holds_in_any_order(tmp_path, name, kept):
    paths = write_pair(tmp_path, *CONTRADICTIONS[name])
    expected = content_of(paths[kept])
    for output, given in (("x", paths), ("y", paths[::-1])):
        counts = merge_stores(given, tmp_path / output, keep=paths[kept])
        assert content_of(tmp_path / output) == expected
        said = f"with another content, of which that of {paths[kept]} is kept."
        assert (counts.n_runs, counts.notes) == (1, (f"Other stores have 1 run {said}",))
    merge_stores([paths[kept]], paths[1 - kept], keep=paths[kept])
    assert content_of(paths[1 - kept]) == expected


def test_what_is_kept_says_nothing_of_runs_that_it_does_not_have(tmp_path):
    first, second = write_pair(tmp_path, *CONTRADICTIONS["labels"])
    third = tmp_path / "c"
    write_store(third, of_one_run({"stream": 2}))
    limited = tmp_path / "d"
    write_store(limited, of_one_run(FAILED | {"status": "timeout", "limit_seconds": 5.0}))
    for keep in (third, limited):
        with pytest.raises(ContradictionError, match="got 1 run") as told:
            merge_stores([first, keep, second], tmp_path / "all.db", keep=keep)
        assert told.value.args[1].endswith(f": {first}, {second}")
    merge_stores([keep], tmp_path / "out.db")
    merge_stores([first], tmp_path / "out.db")
    with pytest.raises(ContradictionError, match="got 1 run"):
        merge_stores([keep, second], tmp_path / "out.db", keep=keep)


def test_predictions_that_are_packed_otherwise_are_the_same():
    labels, values = b"\x01\x00" * 4000, b"\x00" * 9000
    packed = b"p1" + zlib.compress(labels + values)
    for other in (b"p0" + labels + values, b"n0" + labels, b"n1" + zlib.compress(labels), None):
        assert is_same_content(packed, other)
        assert is_same_content(other, packed)
    for other in (b"p0" + labels + values[1:], b"d0" + labels + values, b"n0\x02", b"n1x"):
        assert not is_same_content(packed, other)


def test_runs_under_other_limits_are_kept_with_the_one_that_ended(tmp_path):
    limits = [{}, FAILED | {"status": "timeout", "limit_seconds": 5.0},
              FAILED | {"status": "memory", "limit_bytes": 10}]  # fmt: skip
    for index, changes in enumerate(limits):
        write_store(tmp_path / f"{index}.db", of_one_run(changes))
    counts = merge_stores([tmp_path / f"{index}.db" for index in range(3)], tmp_path / "all.db")
    assert (counts.n_runs, counts.n_repeated) == (3, 0)


def test_a_run_whose_machine_is_not_known_is_kept(tmp_path):
    write_store(tmp_path / "a.db", of_one_run({}))
    with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as connection:
        connection.execute("DELETE FROM environment")
    for output in ("b.db", "b.db", "c.db"):
        counts = merge_stores([tmp_path / "a.db"], tmp_path / output)
        assert (counts.n_runs, counts.n_left_out, counts.damaged) == (1, 0, ())
    assert content_of(tmp_path / "b.db")["run"][0][-1] is None
    with Store(tmp_path / "b.db") as store:
        assert store.check() == []


def test_a_store_in_use_is_read_with_what_is_in_its_log(three, tmp_path):
    path = tmp_path / "used.db"
    with Store(path) as store:
        compared(["majority"], store, cv="2x2")
        assert file.log_of(path).stat().st_size > 0
        counts = merge_stores([path, three[1]], tmp_path / "all.db")
        before = sorted(os.listdir(tmp_path))
        n_runs = store.n_runs()
    assert before == ["all.db", "used.db", "used.db-shm", "used.db-wal"]
    assert counts.n_runs == n_runs + len(content_of(three[1])["run"])
    assert compared(["majority"], tmp_path / "all.db", cv="2x2").findings.n_fitted == 0


def test_a_store_whose_process_was_killed_is_read_with_its_log(tmp_path):
    killed = tmp_path / "killed"
    killed.mkdir()
    with Store(tmp_path / "used.db") as store:
        compared(["majority"], store, cv="2x2")
        for name in ("used.db", "used.db-wal"):
            (killed / name).write_bytes((tmp_path / name).read_bytes())
    before = [(killed / name).read_bytes() for name in ("used.db", "used.db-wal")]
    merge_stores([killed / "used.db"], tmp_path / "all.db")
    assert [(killed / name).read_bytes() for name in ("used.db", "used.db-wal")] == before
    assert content_of(tmp_path / "all.db") == content_of(tmp_path / "used.db")


def test_an_output_in_use_loses_nothing(three, tmp_path):
    output = tmp_path / "used.db"
    with Store(output) as store:
        compared(["majority"], store, cv="2x2")
        merge_stores(three[1:], output)
        compared(["majority", "lda"], store, cv="4x2")
        assert compared(["nearest-mean", "cart"], store, batched="never").findings.n_fitted == 0
    with Store(output) as store:
        assert store.check() == []
    assert compared(["majority", "lda"], output, cv="4x2").findings.n_fitted == 0


def test_a_store_that_changes_while_it_is_read_is_read_again(three, tmp_path, monkeypatch):
    path = tmp_path / "a.db"
    path.write_bytes(three[0].read_bytes())
    calls = []

    class Disturbed(store_copy.StoreCopy):
        def copy(self):
            super().copy()
            if not calls:
                compared(["lda"], path, cv="2x2")  # of another process, say
            calls.append(self.n_runs)

    monkeypatch.setattr(store_copy, "StoreCopy", Disturbed)
    counts = merge_stores([path], tmp_path / "all.db")
    assert len(calls) == 2
    assert counts.n_runs == calls[1] > calls[0]
    assert content_of(tmp_path / "all.db") == content_of(path)


@pytest.mark.parametrize("sources", ["aa", "aab", "aba"])
def test_a_source_that_is_named_twice_counts_once(three, tmp_path, sources, monkeypatch):
    monkeypatch.chdir(three[0].parent)
    os.link(three[0], tmp_path / "link.db")
    (tmp_path / "symbolic.db").symlink_to(three[0])
    paths = [f"{name}.db" for name in sources]
    others = [tmp_path / "link.db", tmp_path / "symbolic.db", Path.cwd() / "a.db"]
    counts = merge_stores([*paths, *others], tmp_path / "all.db")
    alone = merge_stores(sorted(set(paths)), tmp_path / "alone.db")
    assert counts.n_stores == alone.n_stores == len(set(sources))
    assert (counts.n_runs, counts.n_repeated) == (alone.n_runs, alone.n_repeated)


def test_an_output_that_is_a_source_too_is_merged_with_the_others(three, tmp_path):
    output = tmp_path / "a.db"
    output.write_bytes(three[0].read_bytes())
    merge_stores(three, tmp_path / "all.db")
    counts = merge_stores([three[1], output, three[2]], output)
    assert counts.n_stores == 3
    assert content_of(output) == content_of(tmp_path / "all.db")
    before = output.read_bytes()
    merge_stores([output], output)
    assert output.read_bytes() == before


def test_an_output_made_by_another_process_meanwhile_is_a_source(three, tmp_path, monkeypatch):
    output = tmp_path / "all.db"

    class Slow(store_copy.StoreCopy):
        def copy(self):
            super().copy()
            if not output.exists():
                output.write_bytes(three[1].read_bytes())

    monkeypatch.setattr(store_copy, "StoreCopy", Slow)
    counts = merge_stores(three[:1], output)
    assert counts.n_stores == 2
    merge_stores(three[:2], tmp_path / "both.db")
    assert content_of(output) == content_of(tmp_path / "both.db")


DAMAGES = {
    "run": ("UPDATE run SET train_seconds = 99 WHERE learner = 1 AND split = 2", 1,
            "a run of cart, repeat 0, fold 1"),
    "learner": ("UPDATE learner SET class = 'x' WHERE number = 1", 6,
                "an entry of the table learner"),
    "split": ("UPDATE split SET n_test = 1 WHERE number = 3", 2, "an entry of the table split"),
    "plan_split": ("UPDATE plan_split SET split = 1 WHERE repeat = 1 AND fold = 1", 0,
                   "an entry of the table plan_split"),
    "data_set": ("UPDATE data_set SET name = 'x'", 12, "an entry of the table data_set"),
    "plan": ("UPDATE plan SET title = 'x'", 0, "an entry of the table plan"),
    "environment": ("UPDATE environment SET description = 'x'", 0,
                    "an entry of the table environment"),
    "comparison": ("UPDATE comparison SET random_state = 5", 0,
                   "an entry of the table comparison"),
    "comparison_learner": ("UPDATE comparison_learner SET name = 'x' WHERE position = 1", 0,
                           "an entry of the table comparison_learner"),
}  # fmt: skip


@pytest.mark.parametrize("table", DAMAGES)
def test_what_is_damaged_is_named_left_out_and_fitted_again(tmp_path, table):
    statement, n_left_out, name = DAMAGES[table]
    path = tmp_path / "a.db"
    whole = compared(["cart", "majority"], path, batched="never")
    change(path, statement)
    counts = merge_stores([path], tmp_path / "all.db")
    assert counts.damaged == (f"{path}: {name}",)
    assert counts.n_left_out == n_left_out
    assert (counts.n_runs, counts.n_repeated) == (12 - n_left_out, 0)
    assert str(counts).startswith(f"{path}: {name}\n1 damaged row, for which {n_left_out} run")
    with Store(tmp_path / "all.db") as store:
        assert store.check() == []
    again = compared(["cart", "majority"], tmp_path / "all.db", batched="never")
    assert (again.findings.n_fitted, again.evaluation.damaged) == (n_left_out, ())
    assert again.to_frame().drop(columns=COSTS).equals(whole.to_frame().drop(columns=COSTS))


def test_a_run_that_lost_one_of_its_scores_is_left_out(tmp_path):
    path = tmp_path / "a.db"
    whole = compared(["cart"], path, keep="scores", batched="never")
    change(path, "UPDATE score SET value = 0.99 WHERE measure = "
                 "(SELECT min(measure) FROM score) AND split = 2")  # fmt: skip
    counts = merge_stores([path], tmp_path / "all.db")
    assert counts.damaged == (f"{path}: an entry of the table score",)
    assert (counts.n_runs, counts.n_left_out) == (5, 1)
    again = compared(["cart"], tmp_path / "all.db", keep="scores", batched="never")
    assert again.findings.n_fitted == 1
    assert again.to_frame().drop(columns=COSTS).equals(whole.to_frame().drop(columns=COSTS))


def test_a_run_that_is_whole_in_another_store_is_not_lost(tmp_path):
    for name in "ab":
        compared(["cart"], tmp_path / name, batched="never")
    change(tmp_path / "a", "UPDATE run SET train_seconds = 0.0 WHERE rowid < 4")
    counts = merge_stores([tmp_path / "a", tmp_path / "b"], tmp_path / "all.db")
    assert (counts.n_runs, counts.n_repeated, counts.n_left_out) == (6, 3, 3)
    assert compared(["cart"], tmp_path / "all.db", batched="never").findings.n_fitted == 0


def test_a_place_of_a_damaged_split_is_left_out_whatever_the_order(tmp_path):
    compared(["cart"], tmp_path / "a", cv="2x2")
    compare(["cart"], "iris", cv="3x2", store=tmp_path / "b")  # has the same splits, and more
    change(tmp_path / "a", "UPDATE split SET n_test = 1 WHERE number = 2")
    for output, names in (("ab", "ab"), ("ba", "ba")):
        merge_stores([tmp_path / name for name in names], tmp_path / output)
    assert content_of(tmp_path / "ab") == content_of(tmp_path / "ba")
    assert len(content_of(tmp_path / "ab")["plan_split"]) == 3 + 6


def test_decisions_after_a_damaged_one_are_left_out(tmp_path):
    for name, decided in (("a", [1, 2, 3]), ("b", [5, 6])):
        compared(["cart"], tmp_path / name, cv="2x2")
        with Store(tmp_path / name) as store:
            store.keep_decisions(1, "rows", decided)
            store.keep_decisions(1, name, ["x"])
    merge_stores([tmp_path / "a", tmp_path / "b"], tmp_path / "further.db")
    change(tmp_path / "a", "UPDATE decision SET content = '9' WHERE place = 1")
    merge_stores([tmp_path / "a", tmp_path / "b"], tmp_path / "all.db")
    for path, expected in (("further.db", [1, 2, 3]), ("all.db", [5, 6])):
        with Store(tmp_path / path) as store:
            assert store.decisions(1, "rows") == expected
            assert store.decisions(1, "a") == store.decisions(1, "b") == ["x"]


def test_one_flipped_bit_gives_a_sentence_or_rows_as_they_were(three, tmp_path):
    rng = random.Random(3)
    whole = three[0].read_bytes()
    expected = {table: set(rows) for table, rows in content_of(three[0]).items()}
    n_refused = 0
    for index in range(60):
        damaged = bytearray(whole)
        damaged[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
        path, output = tmp_path / f"{index}.db", tmp_path / f"all{index}.db"
        path.write_bytes(damaged)
        try:
            merge_stores([path], output)
        except StoreError:
            n_refused += 1
            assert not output.exists()
            continue
        for table, rows in content_of(output).items():
            known = {row[:-1] for row in expected[table]} if table == "run" else expected[table]
            rows = [row[:-1] for row in rows] if table == "run" else rows  # but for the machine
            assert set(rows) <= known
        with Store(output) as store:
            assert store.check() == []
    assert n_refused < 20


def test_what_sources_and_the_store_to_be_kept_must_be_is_said(three, tmp_path):
    for sources in ([], (), "a.db", three[0]):
        with pytest.raises(InvalidArgumentError, match="must be a list of stores; got"):
            merge_stores(sources, tmp_path / "all.db")
    with pytest.raises(InvalidArgumentError, match="keep of merge_stores must be one of"):
        merge_stores(three[:2], tmp_path / "all.db", keep=three[2])


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("missing.db", "store must be an existing file; got "),
        ("folder", "store must be a file; got the directory "),
        ("text.db", "text.db is not a store. Name another file"),
        ("other.db", "other.db is a database of another program"),
        ("cut.db", "cut.db is damaged"),
        ("empty.db", "empty.db is not a store. Name another file"),
    ],
)
@pytest.mark.parametrize("has_output", [True, False])
def test_a_source_that_is_no_store_is_refused_before_anything_is_written(
    three, tmp_path, name, sentence, has_output
):
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.db").write_text("dataset,learner\n" * 100)
    (tmp_path / "empty.db").write_bytes(b"")
    (tmp_path / "cut.db").write_bytes(three[0].read_bytes()[:200_000])
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        connection.execute("CREATE TABLE run (x)")
    output = tmp_path / "all.db"
    if has_output:
        output.write_bytes(three[1].read_bytes())
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    with pytest.raises(StoreError, match=sentence):
        merge_stores([three[0], tmp_path / name], output)
    after = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    assert after == before


def test_a_damaged_output_is_refused_and_serves_as_a_source(three, tmp_path):
    output = tmp_path / "old.db"
    output.write_bytes(three[1].read_bytes())
    change(output, "UPDATE run SET train_seconds = 99 WHERE rowid = 2")
    before = content_of(output)
    with pytest.raises(StoreError, match=r"output that exists must be undamaged; .* 1 damaged row"):
        merge_stores(three[:1], output)
    assert content_of(output) == before
    assert merge_stores([three[0], output], tmp_path / "new.db").n_left_out == 1


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("missing/all.db", "folder of the store must exist; got "),
        ("folder", "store must be a file; got the directory "),
        ("dangling.db", "a link to nothing.db, which does not exist"),
        ("left.db", "store must not stand next to the log of another"),
    ],
)
def test_an_output_that_cannot_be_is_refused(three, tmp_path, name, sentence):
    (tmp_path / "folder").mkdir()
    (tmp_path / "dangling.db").symlink_to("nothing.db")
    (tmp_path / "left.db-wal").write_bytes(b"log")
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(StoreError, match=sentence):
        merge_stores(three, tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == before


def test_an_empty_file_may_be_the_output_and_a_link_stays_a_link(three, tmp_path):
    output = tmp_path / "all.db"
    output.touch()
    merge_stores(three[:1], output)
    assert content_of(output) == content_of(three[0])
    (tmp_path / "real.db").write_bytes(three[1].read_bytes())
    (tmp_path / "link.db").symlink_to("real.db")
    merge_stores(three[:1], tmp_path / "link.db")
    assert (tmp_path / "link.db").is_symlink()
    merge_stores(three[:2], tmp_path / "all.db")
    assert content_of(tmp_path / "real.db") == content_of(tmp_path / "all.db")


def test_stores_at_rest_may_be_read_from_a_network_file_system(three, tmp_path, monkeypatch):
    path = tmp_path / "share" / "a.db"
    path.parent.mkdir()
    path.write_bytes(three[0].read_bytes())
    kind = file._file_system
    monkeypatch.setattr(
        file, "_file_system", lambda folder: "nfs4" if folder.name == "share" else kind(folder)
    )
    merge_stores([path, three[1]], tmp_path / "all.db")
    merge_stores(three[:2], tmp_path / "local.db")
    assert content_of(tmp_path / "all.db") == content_of(tmp_path / "local.db")
    with pytest.raises(StoreError, match=r"must be on a local disk; got .*share"):
        merge_stores(three, path.parent / "all.db")
    file.log_of(path).touch()
    with pytest.raises(
        StoreError, match=r"file system \(nfs4\) must not be in use when it is read"
    ):
        merge_stores([path], tmp_path / "other.db")
    assert not (tmp_path / "other.db").exists()

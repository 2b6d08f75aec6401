"""Runs as columns: each record is that of a plain list, and blobs give the same bits back."""

import numpy as np
import pytest

from bestofk.evaluation.record import Predictions, RunRecord, kept
from bestofk.evaluation.run_table import PredictionColumns, RunTable
from bestofk.evaluation.store.blobs import decode, encode
from bestofk.evaluation.store.checksum import (
    row_checksum,
    row_checksums,
    run_checksum,
    run_checksums,
)

RNG = np.random.default_rng(2)


def predicted(n_rows):
    return Predictions(RNG.integers(0, 3, n_rows), probabilities=RNG.random((n_rows, 3)))


def columns_of(given):
    starts = np.concatenate([[0], np.cumsum([len(item.labels) for item in given])])
    labels, probabilities = (np.concatenate(part) for part in list(zip(*given, strict=True))[:2])
    return PredictionColumns(starts, labels, probabilities)


@pytest.fixture
def both():
    """A table, and the same runs as a list."""
    table, given = RunTable(9), [predicted(n) for n in (2, 1, 4)]
    table.put_block(
        np.array([6, 1, 3]), columns_of(given), train_seconds=np.array([0.1, 0.2, 0.3]),
        is_batched=True, peak_bytes=np.array([np.nan, 5, 6]),
        is_crowded=np.array([True, False, True]), messages={2: "slow"},
    )  # fmt: skip
    table.put_block(np.array([8]), None, train_seconds=0.7, predict_seconds=0.8)
    alone = RunRecord("ok", predicted(3), 0.4, 0.5, 100, "", complexity=7, complexity_unit="nodes")
    failed = RunRecord("error", None, 0.6, float("nan"), message="fit raised", peak_bytes=9)
    table.put(0, alone)
    table.put(5, failed)
    records = [None] * 9
    nan = float("nan")
    for index, item, *rest in zip(
        (6, 1, 3), given, (0.1, 0.2, 0.3), (None, 5, 6), (True, False, True), strict=True
    ):
        seconds, peak, is_crowded = rest
        records[index] = RunRecord(
            "ok", item, seconds, nan, fit_mode="batched", peak_bytes=peak, is_crowded=is_crowded
        )
    records[3] = records[3]._replace(message="slow")
    records[8] = RunRecord("ok", None, 0.7, 0.8)
    records[0], records[5] = alone, failed
    return table, records


def as_text(records):
    return [None if item is None else (repr(item[2:]), repr(item[:2])) for item in records]


def test_records_columns_selections_and_predictions_are_those_of_the_list(both):
    table, records = both
    assert as_text(table) == as_text(records)
    assert as_text(RunTable.of(records)) == as_text(records)
    assert table.is_done.tolist() == [item is not None for item in records]
    has = [item is not None and item.predictions is not None for item in records]
    assert table.has_predictions.tolist() == has
    assert [index for index, _ in table.noted()] == [0, 3, 5]
    with pytest.raises(IndexError):
        table[9]
    known = [item is not None and item.peak_bytes for item in records]
    np.testing.assert_array_equal(table.peak_bytes, [item or np.nan for item in known])
    crowded = [item is not None and item.is_crowded for item in records]
    assert table.is_crowded.tolist() == crowded
    assert sum(crowded) == 2
    assert as_text(table[2:7]) == as_text(records[2:7])
    assert as_text(table.first(4)) == as_text(records[:4] + [None] * 5)
    order = [8, 3, 0, 6]
    assert as_text(table.take(np.array(order))) == as_text([records[i] for i in order])
    joined = RunTable(12)
    joined.put_table(np.array([11, 2, 0, 4]), table.take(np.array(order)))
    joined.put_table(np.array([7, 8]), table.take(np.array([1, 5])))
    expected = [None] * 12
    for index, source in zip((11, 2, 0, 4, 7, 8), (*order, 1, 5), strict=True):
        expected[index] = records[source]
    assert as_text(joined) == as_text(expected)
    parts = list(table.parts())
    for name in ("labels", "probabilities"):
        expected = [getattr(item.predictions, name) for item in records
                    if item is not None and item.predictions is not None]  # fmt: skip
        outcome = np.concatenate([getattr(part, name) for part in parts])
        np.testing.assert_array_equal(outcome, np.concatenate(expected))
    assert list(RunTable(3).parts()) == []


def test_a_lost_run_is_not_done_and_no_failure_of_its_learner():
    nan = float("nan")
    table = RunTable.of(
        [RunRecord(status, None, nan, nan) for status in ("ok", "error", "timeout", "memory")]
        + [RunRecord("lost", None, nan, nan, message="its worker ended"), None]
    )
    assert table.is_done.tolist() == [True] * 4 + [False] * 2
    assert table.has_failed.tolist() == [False, True, True, True, False, False]
    assert table[4].message == "its worker ended"


def test_all_runs_of_a_table_are_marked_as_crowded(both):
    table, records = both
    table.mark(is_crowded=True)
    expected = [None if item is None else item._replace(is_crowded=True) for item in records]
    assert as_text(table) == as_text(expected)
    assert table.is_crowded.tolist() == table.is_done.tolist()


@pytest.mark.parametrize("keep", ["probabilities", "labels", "scores"])
def test_what_is_kept_is_what_is_kept_of_each_record(both, keep):
    table, records = both
    expected = [None if item is None else kept(item, keep) for item in records]
    assert as_text(table.kept(keep)) == as_text(expected)


@pytest.mark.parametrize("n_classes", [0, 3, 300])
def test_blobs_unpacked_together_are_those_unpacked_alone(n_classes):
    labels = [RNG.integers(0, 3, n) for n in (4, 1, 4, 700, 2, 3)]
    given = [Predictions(item.astype(float)) for item in labels]
    if n_classes:
        values = [RNG.random((len(item), n_classes)) for item in labels]
        given = [
            Predictions(labels[0], values[0]),
            Predictions(labels[1], values[1]),
            Predictions(labels[2], None, values[2]),
            Predictions(labels[3], np.round(values[3])),  # compressed
            Predictions(labels[4]),
            Predictions(labels[5], None, values[5][:, 0]),
        ]
    each = map(PredictionColumns.of, given)
    blobs = [encode(item, keep="probabilities", n_classes=n_classes)[0] for item in each]
    blobs.insert(2, blobs[0][:-1])
    sizes = np.array([4, 1, 4, 4, 700, 2, 3])
    if n_classes == 0:
        blobs[2] = b""
    groups, damaged = decode(blobs, sizes, n_classes=n_classes)
    assert damaged == [2]
    given.insert(2, None)
    seen = set()
    for positions, columns in groups:
        for i, position in enumerate(positions.tolist()):
            outcome, expected = columns.of_run(i), given[position]
            seen.add(position)
            for a, b in zip(outcome, expected, strict=True):
                assert (a is None) == (b is None)
                assert a is None or (a.dtype == b.dtype and np.array_equal(a, b))
    assert seen == {0, 1, 3, 4, 5, 6}


def test_checksums_of_many_rows_are_those_of_each():
    rows = [
        (1, 2, split, 10 + split, 0.0, "ok", blob, 0.5, None, None, text, "joint", None, "",
         *memory, 0.25, None, 1, 1)
        for split, blob, text, memory in (
            (1, b"n0\x01", "", (0, None, 0)), (2, None, "slow", (0, None, 0)),
            (3, b"", "ü", (0, None, 0)), (4, None, "", (5, None, 0)), (5, None, "", (0, 9, 0)),
            (6, None, "", (0, None, 1)),
        )
    ]  # fmt: skip
    for n_rows in (3, 6):
        some = rows[:n_rows]
        for damage in (None, "text", 2.5):
            if damage is not None:
                some.append((*rows[0][:2], damage, *rows[0][3:]))
            columns = list(zip(*some, strict=True))
            assert run_checksums(columns) == [run_checksum(row) for row in some]
    assert run_checksums([()] * 21) == []


def test_every_value_of_a_run_is_covered_by_its_checksum():
    row = (1, 2, 3, 4, 9.5, "timeout", b"n0", 0.5, 0.25, 100, "", "plain", 7, "nodes", 1, 2, 0,
           0.1, 0.2, 0, 1)  # fmt: skip
    others = [
        (*row[:i], "other" if isinstance(x, str) else b"n1" if isinstance(x, bytes) else x + 1,
         *row[i + 1 :])
        for i, x in enumerate(row)
    ]  # fmt: skip
    assert len({run_checksum(item) for item in (row, *others)}) == len(row) + 1
    scores = [(1, 2, 3, 4, "error", 0.1), (1, 2, 3, 4, "auroc\udcff", None)]
    assert row_checksums(scores, 6) == [row_checksum(item) for item in scores]


def test_packed_runs_are_the_records_that_were_given(both):
    plain = [RunRecord("ok", predicted(n), 0.1 * n, 0.2, peak_bytes=n) for n in (3, 1, 2)]
    labels = RunRecord("ok", Predictions(np.array([0, 1])), 0.1, 0.2)
    marked = [plain[0]._replace(message="slow"), plain[1]._replace(is_crowded=True)]
    others = [item for item in both[1] if item is not None]
    records = [others[0], plain[0], labels, *marked, plain[1], *others, plain[2]]
    table = RunTable.packed(records)
    assert as_text(table) == as_text(records)
    assert len(list(table.noted())) == len(records) - len(plain)
    only = RunTable.packed(plain)
    assert as_text(only) == as_text(plain)
    assert len(list(only.parts())) == 1


def test_packed_runs_of_values_and_decisions_keep_theirs():
    values = [RunRecord("ok", Predictions(RNG.random(n)), 0.1, 0.2) for n in (2, 3)]
    decisions = [
        RunRecord("ok", Predictions(RNG.integers(0, 2, n), decision=RNG.random(n)), 0.1, 0.2)
        for n in (2, 3)
    ]
    for records in (values, decisions, []):
        table = RunTable.packed(records)
        assert as_text(table) == as_text(records)
        assert not list(table.noted())


GENERATOR = np.random.default_rng(0)
labels = GENERATOR.integers(0, 3, 20)


def packed(given, **how):
    [blob] = encode(PredictionColumns.of(given), **how)
    return blob


def unpacked(blob, n_test, n_classes):
    [(positions, columns)], damaged = decode([blob], np.array([n_test]), n_classes=n_classes)
    assert positions.tolist() == [0]
    assert not damaged
    return columns.of_run(0)


@pytest.mark.parametrize(
    "given",
    [
        Predictions(labels),
        Predictions(labels, probabilities=GENERATOR.random((20, 3))),
        Predictions(labels, decision=GENERATOR.normal(size=(20, 3))),
        Predictions(labels % 2, decision=GENERATOR.normal(size=20)),
    ],
)
def test_predictions_survive_the_store_to_the_last_bit(given):
    blob = packed(given, keep="probabilities", n_classes=3)
    back = unpacked(blob, 20, 3)
    for name in ("labels", "probabilities", "decision"):
        first, two = getattr(given, name), getattr(back, name)
        assert (first is None) == (two is None)
        if first is not None:
            np.testing.assert_array_equal(first, two)
            assert first.dtype == two.dtype


def test_values_and_more_than_256_classes_survive_and_nothing_can_be_kept():
    for labels, n_classes in ((GENERATOR.normal(size=7), 0), (np.arange(300), 300)):
        blob = packed(Predictions(labels), keep="labels", n_classes=n_classes)
        back = unpacked(blob, len(labels), n_classes)
        np.testing.assert_array_equal(back.labels, labels)
    given = Predictions(labels % 3, probabilities=GENERATOR.random((300, 3)))
    kept = unpacked(packed(given, keep="labels", n_classes=3), 300, 3)
    assert kept.probabilities is None
    np.testing.assert_array_equal(kept.labels, given.labels)
    assert packed(given, keep="scores", n_classes=3) is None


@pytest.mark.parametrize("n_rows", [3, 3000])
@pytest.mark.parametrize("n_digits", [0, 9])
def test_runs_packed_together_are_those_packed_alone(n_rows, n_digits):
    starts = np.array([0, n_rows, n_rows + 1, 3 * n_rows])
    decision = np.round(GENERATOR.normal(size=(starts[-1], 3)), n_digits)
    columns = PredictionColumns(starts, GENERATOR.integers(0, 3, starts[-1]), None, decision)
    together = encode(columns, keep="probabilities", n_classes=3)
    given = [columns.of_run(index) for index in range(3)]
    assert together == [packed(item, keep="probabilities", n_classes=3) for item in given]
    for item, blob in zip(given, together, strict=True):
        back = unpacked(blob, len(item.labels), 3)
        np.testing.assert_array_equal(back.labels, item.labels)
        np.testing.assert_array_equal(back.decision, item.decision)


@pytest.mark.parametrize("n_rows", [20, 3000])
def test_what_does_not_fit_its_rows_is_damaged_and_the_others_are_not(n_rows):
    given = Predictions(np.zeros(n_rows, dtype=int), probabilities=np.ones((n_rows, 3)))
    blob = packed(given, keep="probabilities", n_classes=3)
    blobs = [
        blob[:-1],
        blob,
        blob[:1] + b"1" + blob[9:],
        b"",
        packed(given, keep="labels", n_classes=3),
    ]
    groups, damaged = decode(blobs, np.full(5, n_rows), n_classes=3)
    assert sorted(damaged) == [0, 2, 3]
    assert sorted(int(i) for positions, _ in groups for i in positions) == [1, 4]

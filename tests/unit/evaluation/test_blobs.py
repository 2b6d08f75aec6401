"""Records: the blob gives the same bits back."""

import numpy as np
import pytest

from bestofk.evaluation.record import Predictions
from bestofk.evaluation.run_table import PredictionColumns
from bestofk.evaluation.store.blobs import decode, encode

rng = np.random.default_rng(0)
labels = rng.integers(0, 3, 20)


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
        Predictions(labels, probabilities=rng.random((20, 3))),
        Predictions(labels, decision=rng.normal(size=(20, 3))),
        Predictions(labels % 2, decision=rng.normal(size=20)),
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


def test_regression_values_survive_to_the_last_bit():
    values = rng.normal(size=7)
    blob = packed(Predictions(values), keep="labels", n_classes=0)
    back = unpacked(blob, 7, 0)
    np.testing.assert_array_equal(back.labels, values)


def test_labels_alone_and_nothing_can_be_kept():
    given = Predictions(labels, probabilities=rng.random((20, 3)))
    blob = packed(given, keep="labels", n_classes=3)
    kept = unpacked(blob, 20, 3)
    assert kept.probabilities is None
    np.testing.assert_array_equal(kept.labels, labels)
    assert packed(given, keep="scores", n_classes=3) is None


def test_more_than_256_classes_are_kept():
    many = np.arange(300)
    blob = packed(Predictions(many), keep="labels", n_classes=300)
    back = unpacked(blob, 300, 300)
    np.testing.assert_array_equal(back.labels, many)


@pytest.mark.parametrize("n_rows", [3, 3000])
@pytest.mark.parametrize("n_digits", [0, 9])
def test_runs_packed_together_are_those_packed_alone(n_rows, n_digits):
    starts = np.array([0, n_rows, n_rows + 1, 3 * n_rows])
    decision = np.round(rng.normal(size=(starts[-1], 3)), n_digits)
    columns = PredictionColumns(starts, rng.integers(0, 3, starts[-1]), None, decision)
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

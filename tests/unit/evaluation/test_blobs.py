"""Records: the blob gives the same bits back."""

from __future__ import annotations

import numpy as np
import pytest

from bestofk.evaluation.record import Predictions
from bestofk.evaluation.store.blobs import decode, encode

rng = np.random.default_rng(0)
labels = rng.integers(0, 3, 20)


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
    [blob] = encode([given], keep="probabilities", n_classes=3)
    back = decode(blob, n_test=20, n_classes=3)
    for name in ("labels", "probabilities", "decision"):
        first, two = getattr(given, name), getattr(back, name)
        assert (first is None) == (two is None)
        if first is not None:
            np.testing.assert_array_equal(first, two)
            assert first.dtype == two.dtype


def test_regression_values_survive_to_the_last_bit():
    values = rng.normal(size=7)
    [blob] = encode([Predictions(values)], keep="labels", n_classes=0)
    back = decode(blob, n_test=7, n_classes=0)
    np.testing.assert_array_equal(back.labels, values)


def test_labels_alone_and_nothing_can_be_kept():
    given = Predictions(labels, probabilities=rng.random((20, 3)))
    [blob] = encode([given], keep="labels", n_classes=3)
    kept = decode(blob, n_test=20, n_classes=3)
    assert kept.probabilities is None
    np.testing.assert_array_equal(kept.labels, labels)
    assert encode([given], keep="scores", n_classes=3) == [None]
    assert encode([None], keep="labels", n_classes=3) == [None]
    assert decode(None, n_test=20, n_classes=3) is None


def test_more_than_256_classes_are_kept():
    many = np.arange(300)
    [blob] = encode([Predictions(many)], keep="labels", n_classes=300)
    back = decode(blob, n_test=300, n_classes=300)
    np.testing.assert_array_equal(back.labels, many)


@pytest.mark.parametrize("n_rows", [3, 3000])
def test_runs_packed_together_are_those_packed_alone(n_rows):
    some = rng.integers(0, 3, n_rows)
    given = [
        Predictions(some[:1], probabilities=rng.random((1, 3))),
        None,
        Predictions(some, decision=np.round(rng.normal(size=(n_rows, 3)))),
        Predictions(some[::-1]),
    ]
    together = encode(given, keep="probabilities", n_classes=3)
    alone = [encode([item], keep="probabilities", n_classes=3)[0] for item in given]
    assert together == alone
    for item, blob in zip(given, together, strict=True):
        if item is None:
            assert blob is None
            continue
        back = decode(blob, n_test=len(item.labels), n_classes=3)
        np.testing.assert_array_equal(back.labels, item.labels)
        if item.decision is not None:
            np.testing.assert_array_equal(back.decision, item.decision)

"""Records: the blob gives the same bits back."""

from __future__ import annotations

import numpy as np
import pytest

from bestofk.evaluate.record import Predictions, decode, encode

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
    blob = encode(given, keep="probabilities", n_classes=3)
    back = decode(blob, n_test=20, n_classes=3)
    for name in ("labels", "probabilities", "decision"):
        one, two = getattr(given, name), getattr(back, name)
        assert (one is None) == (two is None)
        if one is not None:
            np.testing.assert_array_equal(one, two)
            assert one.dtype == two.dtype


def test_regression_values_survive_to_the_last_bit():
    values = rng.normal(size=7)
    back = decode(encode(Predictions(values), keep="labels", n_classes=0), n_test=7, n_classes=0)
    np.testing.assert_array_equal(back.labels, values)


def test_labels_alone_and_nothing_can_be_kept():
    given = Predictions(labels, probabilities=rng.random((20, 3)))
    kept = decode(encode(given, keep="labels", n_classes=3), n_test=20, n_classes=3)
    assert kept.probabilities is None
    np.testing.assert_array_equal(kept.labels, labels)
    assert encode(given, keep="scores", n_classes=3) is None
    assert encode(None, keep="labels", n_classes=3) is None
    assert decode(None, n_test=20, n_classes=3) is None


def test_more_than_256_classes_are_kept():
    many = np.arange(300)
    back = decode(
        encode(Predictions(many), keep="labels", n_classes=300), n_test=300, n_classes=300
    )
    np.testing.assert_array_equal(back.labels, many)

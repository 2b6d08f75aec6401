"""Sums and counts over concatenated runs without a loop over them.

Every sum is taken within one run in a fixed order, so that a value does not depend on
the batch its run travels in.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bestofk.array_types import Floats, Ints
from bestofk.measures.confusion import confusion_matrix
from bestofk.measures.measure import PredictionBatch


class ClassTallies(NamedTuple):
    """Counts per run and class, each of shape (n_runs, n_classes), int64."""

    hits: Ints
    true: Ints
    predicted: Ints


def run_means(batch: PredictionBatch, values: np.ndarray) -> Floats:
    """Return the mean of the values of each run; shape (n,) to (n_runs,)."""
    means: Floats = np.add.reduceat(values, batch.starts[:-1]) / batch.lengths
    return means


def row_means(table: Floats, counts: np.ndarray | int) -> Floats:
    """Return the sum of each row over its count, added in an order that no layout changes."""
    n_rows, n_columns = table.shape
    sums = np.add.reduceat(table.ravel(), np.arange(n_rows) * n_columns)
    means: Floats = sums / counts
    return means


def class_tallies(batch: PredictionBatch) -> ClassTallies:
    """Count the hits, true rows and predicted rows of every class in every run."""
    n_classes = len(batch.classes)
    if batch.n_runs * n_classes**2 <= len(batch.y_true):
        # one count instead of three where pairs of classes are no more than rows
        pairs = confusion_matrix(batch)
        hits = np.diagonal(pairs, axis1=1, axis2=2)
        return ClassTallies(hits, pairs.sum(axis=2), pairs.sum(axis=1))
    shape = (batch.n_runs, n_classes)
    offsets = batch.run_of_row * n_classes
    cells = (
        (offsets + batch.y_true)[batch.is_hit],
        offsets + batch.y_true,
        offsets + batch.labels,
    )
    size = shape[0] * shape[1]
    return ClassTallies(*(np.bincount(cell, minlength=size).reshape(shape) for cell in cells))

"""Counts of classes in every run, whichever way they are counted."""

import itertools

import numpy as np
import pytest

from bestofk.measures import PredictionBatch
from bestofk.measures.predicted_classes import class_tallies


@pytest.mark.parametrize("n_classes", [2, 3, 40])
def test_tallies_are_those_of_a_loop_over_runs_and_classes(n_classes):
    rng = np.random.default_rng(n_classes)
    starts = np.array([0, 1, 30, 31, 200])
    y, labels = rng.integers(0, n_classes, (2, 200))
    tallies = class_tallies(PredictionBatch(y, labels, starts, np.arange(n_classes)))
    for run, (start, stop) in enumerate(itertools.pairwise(starts)):
        true, given = y[start:stop].tolist(), labels[start:stop].tolist()
        for c in range(n_classes):
            assert tallies.true[run, c] == true.count(c)
            assert tallies.predicted[run, c] == given.count(c)
            both = list(zip(true, given, strict=True))
            assert tallies.hits[run, c] == both.count((c, c))

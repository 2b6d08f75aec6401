"""What tuned learners chose in a comparison, and what to distrust about it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier

from bestofk import Tuned, compare

X, y = load_iris(return_X_y=True)


def codes(result):
    return [caution.code for caution in result.findings.cautions]


def test_the_default_of_a_tuned_learner_is_recognized():
    result = compare({"tuned": Tuned("5nn"), "same": "5nn", "m": "majority"}, X, y, cv="2x3")
    chosen = result.findings.learner("tuned").chosen_settings
    assert chosen.untuned == "same"
    assert sum(count.n_splits for count in chosen.counts) == 6
    choices = result.evaluation.choices(0)
    assert chosen.default_kept == pytest.approx(choices["is_default"].mean())
    assert result.findings.learner("same").chosen_settings is None
    assert "partly-tuned" not in codes(result)


def test_an_edge_is_said_with_its_value_from_three_splits_on():
    noise = np.random.default_rng(0).normal(size=(150, 3)), np.arange(150) % 3
    narrow = {"narrow": Tuned("knn", {"n_neighbors": [2, 3, 4]}, rule="best"), "m": "majority"}
    cautions = compare(narrow, *noise, cv="3x3").findings.cautions
    said = [str(item) for item in cautions if item.code == "edge-of-space"]
    assert len(said) == 1
    assert said[0].startswith("narrow chose the lowest value of n_neighbors, 2, in ")
    assert said[0].endswith("of splits; a space with lower ones may do better.")
    assert "edge-of-space" not in codes(compare(narrow, *noise, cv="1x2"))


def test_learners_without_a_space_are_not_partly_tuned():
    assert "partly-tuned" not in codes(compare("tuned(knn),nearest-mean,majority", X, y, cv="3"))
    assert "partly-tuned" in codes(compare("tuned(knn),lda,nearest-mean", X, y, cv="3"))
    own = {"tuned": Tuned("knn"), "own": KNeighborsClassifier(7)}
    assert "partly-tuned" in codes(compare(own, X, y, cv="3"))

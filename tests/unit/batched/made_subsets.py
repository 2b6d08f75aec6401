"""Subsets and folds of the rows of a table, forms for them, and what must hold of all forms."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from bestofk.batched import BatchedForm, BatchedPredictions, Subsets, batched_form
from bestofk.data.arrays import from_arrays
from bestofk.testing import BatchedAgreement, batched_agreement

PARTS = ("labels", "probabilities", "decision")


def form_of_folds(estimator: Any, X: Any, y: Any, n_folds: int = 2) -> BatchedForm | None:
    """Return the form of a classifier for folds of a table, None where there is none."""
    target = np.asarray(y)
    classes, codes = np.unique(target, return_inverse=True)
    return batched_form(estimator, X, target, codes, classes, n_folds, even_if_slower=True)


def drawn_folds(n_samples: int, n_repeats: int, n_folds: int, seed: int = 0) -> np.ndarray:
    """Return the fold of every row in every repeat."""
    rng = np.random.default_rng(seed)
    folds = np.arange(n_samples) % n_folds
    return np.array([rng.permutation(folds) for _ in range(n_repeats)], dtype=np.int32)


def agreement_of(estimator: Any, X: Any, y: Any, cv: str = "5x2") -> BatchedAgreement:
    """Return how a form agrees with its plain learner; no run may differ or fail."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = batched_agreement(estimator, from_arrays(X, y), cv=cv)
    assert result is not None
    assert (result.n_different, result.failures) == (0, ())
    return result


def check_blocks(form: BatchedForm, folds: np.ndarray) -> BatchedPredictions:
    """Assert that each repeat has the same bits alone and among others; return the predictions."""
    together = form.predict(folds)
    for repeat in range(len(folds)):
        alone = form.predict(folds[repeat : repeat + 1])
        np.testing.assert_array_equal(alone.labels[0], together.labels[repeat])
        np.testing.assert_array_equal(alone.probabilities[0], together.probabilities[repeat])
    return together


def form_of(estimator: Any, X: Any, y: Any, task: str = "auto") -> BatchedForm | None:
    """Return the form of a learner for subsets of a table, None where there is none."""
    data = from_arrays(X, y, task=task)
    return batched_form(estimator, data.features, data.target_array, data.y, data.classes)


def made_subsets(train: Sequence[Any], asked: Sequence[Any]) -> Subsets:
    """Return subsets from their training rows and the rows that each predicts."""
    start = np.cumsum([0, *map(len, asked)]).astype(np.int64)
    rows = np.concatenate([np.empty(0, np.int64), *asked]).astype(np.int64)
    return Subsets(np.sort(np.array(train, dtype=np.int64), axis=1), rows, start)


def drawn_subsets(
    rng: np.random.Generator, n_samples: int, n_train: int, n_subsets: int, most_asked: int = 12
) -> tuple[list[Any], list[Any]]:
    """Return training rows, and rows to predict: any, none or some of them twice."""
    train = [np.sort(rng.permutation(n_samples)[:n_train]) for _ in range(n_subsets)]
    asked = [rng.integers(n_samples, size=rng.integers(most_asked + 1)) for _ in train]
    return train, asked


def answers(form: BatchedForm, train: Sequence[Any], asked: Sequence[Any]) -> list[dict[str, Any]]:
    """Return what is predicted for each subset, in bytes; is_done False where nothing is."""
    states = np.array([int(np.sum(rows)) for rows in train]) if form.is_random else None
    with np.errstate(all="ignore"):
        result = form.predict_subsets(made_subsets(train, asked), states)
    ends = np.cumsum([0, *map(len, asked)])
    return [_answer(result, s, slice(ends[s], ends[s + 1])) for s in range(len(train))]


def _answer(found: BatchedPredictions, s: int, here: slice) -> dict[str, Any]:
    if found.is_done is not None and not found.is_done[s]:
        return {"is_done": False}
    given = {part: getattr(found, part) for part in PARTS}
    return {part: values[here].tobytes() for part, values in given.items() if values is not None}

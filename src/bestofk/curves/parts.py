"""Predictions of single parts of a split: test rows, validation rows, training rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bestofk.data import DataSet
from bestofk.evaluation import Evaluation
from bestofk.evaluation.record import Predictions, RunRecord
from bestofk.resampling.plan import CUSTOM, Plan, SplitPlan


def by_parts(found: Evaluation, parts: Sequence[Sequence[NDArray[np.int64]]]) -> list[Evaluation]:
    """Return the runs once for each part, as if its rows alone had been predicted.

    Parameters
    ----------
    found : Evaluation
        Runs that predicted the rows of all parts of a split, end to end.
    parts : sequence of sequence of ndarray
        Rows of each part of each split; every split has as many parts.

    Returns
    -------
    list of Evaluation
        One per part.
    """
    edges = [np.cumsum([0, *(len(rows) for rows in split)]).tolist() for split in parts]
    slices = [[slice(*edge) for edge in pairwise(of_split)] for of_split in edges]
    train_rows = found.plan.train_rows
    return [
        _of_part(found, train_rows, [split[k] for split in parts], [split[k] for split in slices])
        for k in range(len(parts[0]))
    ]


def _of_part(
    found: Evaluation,
    train_rows: Sequence[NDArray[np.int64]],
    rows: Sequence[NDArray[np.int64]],
    places: Sequence[slice],
) -> Evaluation:
    plan = found.plan
    shown = SplitPlan(
        plan.name, CUSTOM, plan.n_samples, plan.n_repeats, plan.n_folds, plan.is_stratified,
        plan.is_grouped, plan.random_state, plan.notes, tuple(zip(train_rows, rows, strict=True)),
    )  # fmt: skip
    records = tuple(
        tuple(
            None if item is None else _cut(item, index)
            for item, index in zip(row, places, strict=True)
        )
        for row in found.records
    )
    return replace(found, plan=shown, records=records, kept_scores=({},) * len(records))


def _cut(record: RunRecord, place: slice) -> RunRecord:
    """Return what a measure needs of a run: its status, and what it predicted of some rows."""
    given = record.predictions
    if given is None:
        return record
    predictions = Predictions(
        given.labels[place],
        None if given.probabilities is None else given.probabilities[place],
        None if given.decision is None else given.decision[place],
    )
    return RunRecord(record.status, predictions, record.train_seconds, record.predict_seconds)


def vanished(data: DataSet, plan: Plan, size: str = "") -> list[str]:
    """Say which classes have no row in some training parts of a plan, of some size."""
    if not data.is_classification:
        return []
    counts = [np.bincount(data.y[rows], minlength=len(data.classes)) for rows in plan.train_rows]
    return [
        f"class {data.classes[index]} has no row in {count} of {len(plan)} training parts{size}."
        for index, count in enumerate((np.array(counts) == 0).sum(axis=0))
        if count
    ]


def own_seconds(found: Evaluation, name: str) -> NDArray[np.float64]:
    """Return seconds of runs timed alone, (n_learners, n_splits); one run for batched learners."""
    seconds = np.full((len(found.names), len(found.plan)), np.nan)
    for row, own in zip(seconds, found.own_seconds(name), strict=True):
        row[: len(own)] = own[: len(row)]
    return seconds

"""Scores of runs: measures computed from stored predictions, all splits at once."""

import uuid
from collections.abc import Sequence
from typing import Any

import numpy as np

from bestofk.array_types import Floats, Ints
from bestofk.data.data_set import DataSet
from bestofk.evaluation.identity.fingerprint import UnreadableError, fingerprint
from bestofk.evaluation.record import RunRecord
from bestofk.evaluation.run_table import RunTable
from bestofk.measures.measure import Measure, PredictionBatch


def prediction_batch(
    data: Any, test_rows: Sequence[Ints], records: Sequence[RunRecord | None]
) -> PredictionBatch:
    """Lay the predictions of runs that have some end to end.

    Parameters
    ----------
    data : DataSet or StoredData
        Holds the true classes or values, and which class is the positive one.
    test_rows : sequence of ndarray
        Test rows of each run.
    records : sequence of RunRecord
        Runs with predictions in the same order, and any without.

    Returns
    -------
    PredictionBatch
    """
    starts = np.concatenate([[0], np.cumsum([len(rows) for rows in test_rows])]).astype(np.int64)
    rows = np.concatenate(test_rows)
    parts = list(RunTable.of(records).parts())
    probabilities = [part.probabilities for part in parts if part.probabilities is not None]
    decision = [part.decision for part in parts if part.decision is not None]
    return PredictionBatch(
        y_true=data.y[rows],
        labels=_joined([part.labels for part in parts]),
        starts=starts,
        classes=data.classes,
        probabilities=_joined(probabilities) if len(probabilities) == len(parts) else None,
        decision=_joined(decision) if len(decision) == len(parts) else None,
        positive=data.positive,
    )


def _joined(parts: Sequence[np.ndarray]) -> np.ndarray:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def score_runs(
    measures: Sequence[Measure],
    data: DataSet,
    test_rows: Sequence[Ints],
    records: Sequence[RunRecord | None],
) -> dict[str, Floats]:
    """Return the values of measures per run by `score_key`, nan where a run does not allow one.

    Parameters and shapes are those of `prediction_batch`.
    """
    batch = prediction_batch(data, test_rows, records)
    nothing = np.full(len(records), np.nan)
    return {
        score_key(measure): nothing if missing_reason(measure, batch) else measure.compute(batch)
        for measure in measures
    }


def part_values(measure: Measure, batch: PredictionBatch, order: Ints, n_parts: int) -> Floats:
    """Return a measure of equal parts of the rows of one run, whose spread says how sure it is.

    Parameters
    ----------
    measure : Measure
        What to compute.
    batch : PredictionBatch
        Predictions of the run.
    order : ndarray of shape (n_rows,), int64
        Rows in the order in which they are dealt to the parts.
    n_parts : int
        How many, at most the number of rows.

    Returns
    -------
    ndarray of shape (n_parts,)
        nan where the measure is undefined, or cannot be computed from the predictions.
    """
    if missing_reason(measure, batch):
        return np.full(n_parts, np.nan)
    starts = np.linspace(0, len(order), n_parts + 1).astype(np.int64)
    return measure.compute(batch.of_rows(order, starts))


def score_key(measure: Measure) -> str:
    """Return what values of a measure are kept under: its name and all of its settings.

    A cost matrix, a positive class or a function of one's own makes another key.
    """
    if not vars(measure):
        return measure.name
    try:
        digest = fingerprint(vars(measure))
    except UnreadableError:  # a function without source is never the same again
        digest = uuid.uuid4().hex
    return f"{measure.name}#{digest[:16]}"


def missing_reason(measure: Measure, batch: PredictionBatch) -> str | None:
    """Say why a measure cannot be computed from what the runs gave, or None."""
    return measure.missing_reason(
        has_probabilities=batch.probabilities is not None, has_decision=batch.decision is not None
    )

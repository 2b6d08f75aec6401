"""Measures of a comparison: the deciding one, others that were chosen, and those always shown."""

from typing import Any

import numpy as np

from bestofk.data import DataSet
from bestofk.errors import InvalidArgumentError
from bestofk.measures import (
    Measure,
    PredictionBatch,
    choose_scoring,
    get_measure,
    is_usual_pair,
    resolve_pos_label,
    shown_measures,
)


def with_positive_class(data: DataSet, pos_label: Any) -> DataSet:
    """Return a data set with its positive class, and a note if it is a guess, or raise."""
    given = data.pos_label if pos_label is None else pos_label
    if not data.is_classification:
        if given is not None:
            raise InvalidArgumentError(
                f"pos_label must be None for regression; got {given!r}. Leave it out."
            )
        return data
    labels, counts = data.classes.tolist(), data.class_counts.tolist()
    positive = resolve_pos_label(labels, counts, given)
    if positive is None:
        return data
    if given is not None:
        return data.with_pos_label(labels[positive])
    if is_usual_pair(labels):
        why = f"the usual one of {labels[positive]} and {labels[1 - positive]}"
    elif counts[0] == counts[1]:
        why = "the second of two equally frequent classes"
    else:
        why = f"the rarer one, {counts[positive]:,} of {data.n_samples:,} rows"
    note = f"Positive class: {labels[positive]!r} ({why}); pos_label (--pos-label) changes it."
    return data.with_pos_label(labels[positive], note)


def resolve_measure(scoring: Any, data: DataSet, cost_matrix: Any) -> Measure:
    """Return the measure of a name, a function or a measure for a data set, or raise."""
    return get_measure(
        scoring,
        task=data.task,
        classes=data.classes,
        pos_label=data.pos_label,
        cost_matrix=cost_matrix,
    )


def asked_measures(
    scoring: Any, data: DataSet, cost_matrix: Any
) -> tuple[tuple[Measure, ...], str]:
    """Return the chosen measures, the deciding one first, and why an unusual one decides."""
    if cost_matrix is not None and data.is_classification:
        resolve_measure("cost", data, cost_matrix)  # raises where it is no cost matrix
    headline = ""
    if scoring is None and cost_matrix is not None and data.is_classification:
        scoring, headline = "cost", "The mean cost per row decides, because a cost matrix is given."
    if scoring is None:
        scoring, headline = choose_scoring(
            data.task,
            data.class_counts if data.is_classification else [],
            [] if data.is_classification or data.target_transform else data.y,
        )
    wanted = list(scoring) if isinstance(scoring, list | tuple) else [scoring]
    if not wanted:
        raise InvalidArgumentError("scoring must name at least one measure; got none. Try 'error'.")
    first: dict[str, Measure] = {}
    for item in wanted:
        measure = resolve_measure(item, data, cost_matrix)
        first.setdefault(measure.name, measure)
    if cost_matrix is not None and "cost" not in first:
        raise InvalidArgumentError(
            f"scoring must name 'cost' where a cost matrix is given; got {', '.join(first)}. Name "
            "it too, first if costs decide, or leave the matrix out."
        )
    deciding = next(iter(first.values()))
    if not data.is_classification and deciding.has_row_losses:
        _check_defined(deciding, data)
    return tuple(first.values()), headline


def _check_defined(measure: Measure, data: DataSet) -> None:
    """Raise if a measure of a numeric target is undefined for some rows, whatever is predicted."""
    rows = np.arange(data.n_samples + 1)
    right = PredictionBatch(data.y, data.y, rows, np.array([]))
    n_undefined = int(np.isnan(measure.compute(right)).sum())
    if n_undefined:
        raise InvalidArgumentError(
            f"scoring must have a value for every row; got {measure.name!r}, and "
            f"{measure.undefined} in {n_undefined:,} of {data.n_samples:,} rows. Take rmse or mae."
        )


def with_shown_measures(
    measures: tuple[Measure, ...], data: DataSet, cost_matrix: Any
) -> tuple[Measure, ...]:
    """Return measures and those that are always shown."""
    names = {measure.name for measure in measures}
    shown = [resolve_measure(n, data, cost_matrix) for n in shown_measures(data.task)]
    return (*measures, *(measure for measure in shown if measure.name not in names))

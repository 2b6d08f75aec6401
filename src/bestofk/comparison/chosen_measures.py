"""Measures of a comparison: the deciding one, the others asked for, and those always shown."""

from __future__ import annotations

from typing import Any

from bestofk.data import DataSet
from bestofk.errors import InvalidArgumentError
from bestofk.measures import Measure, choose_scoring, get_measure, resolve_pos_label, shown_measures


def positive_class(data: DataSet, pos_label: Any) -> int | None:
    """Return the position of the positive class; None where there are not two classes."""
    if not data.is_classification:
        if pos_label is not None:
            raise InvalidArgumentError(
                f"pos_label must be None for regression; got {pos_label!r}. Leave it out."
            )
        return None
    return resolve_pos_label(data.classes, data.class_counts, pos_label)


def resolve_measure(scoring: Any, data: DataSet, positive: int | None, cost_matrix: Any) -> Measure:
    """Return the measure of a name, a function or a measure for a data set, or raise."""
    label = None if positive is None else data.classes[positive]
    return get_measure(
        scoring, task=data.task, classes=data.classes, pos_label=label, cost_matrix=cost_matrix
    )


def asked_measures(
    scoring: Any, data: DataSet, positive: int | None, cost_matrix: Any
) -> tuple[tuple[Measure, ...], str]:
    """Return the measures asked for, the deciding one first, and why an unusual one decides."""
    if cost_matrix is not None and data.is_classification:
        resolve_measure("cost", data, positive, cost_matrix)  # raises where it is no cost matrix
    headline = ""
    if scoring is None and cost_matrix is not None and data.is_classification:
        scoring, headline = "cost", "The mean cost per row decides, as a cost matrix is given."
    if scoring is None:
        scoring, headline = choose_scoring(
            data.task, data.class_counts if data.is_classification else []
        )
    wanted = list(scoring) if isinstance(scoring, list | tuple) else [scoring]
    if not wanted:
        raise InvalidArgumentError("scoring must name at least one measure; got none. Try 'error'.")
    first: dict[str, Measure] = {}
    for item in wanted:
        measure = resolve_measure(item, data, positive, cost_matrix)
        first.setdefault(measure.name, measure)
    if cost_matrix is not None and "cost" not in first:
        raise InvalidArgumentError(
            f"scoring must name 'cost' where a cost matrix is given; got {', '.join(first)}. Name "
            "it too, first if costs decide, or leave the matrix out."
        )
    return tuple(first.values()), headline


def with_shown_measures(
    measures: tuple[Measure, ...], data: DataSet, positive: int | None, cost_matrix: Any
) -> tuple[Measure, ...]:
    """Return measures and those that are always shown."""
    names = {measure.name for measure in measures}
    shown = [resolve_measure(n, data, positive, cost_matrix) for n in shown_measures(data.task)]
    return (*measures, *(measure for measure in shown if measure.name not in names))

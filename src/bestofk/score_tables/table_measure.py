"""Measures of score tables: known by their names, or by their values alone."""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np

from bestofk.array_types import Floats
from bestofk.data.paired_scores import PairedScores
from bestofk.errors import InvalidArgumentError
from bestofk.measures import Measure, get_measure, is_measure_name, measure_names

_DIRECTION = (
    "Say greater_is_better (--direction lower or higher), add a column greater_is_better, or "
    "name a known measure"
)

# Words of names of measures, by whether greater values are better.
_WORDS_OF_DIRECTION: Final = {
    True: re.compile(
        r"acc|bac$|auc|auroc|roc$|f1$|r2$|kappa|mcc|precision|recall|sensitivity|specificity|correct"
    ).match,
    False: re.compile(r"err|loss|logloss|rmse|mse$|mae$|mape|brier|cost|deviance|ce$|mmce").match,
}


class TableMeasure(Measure):
    """A measure that is known by its values alone.

    Parameters
    ----------
    name : str
        As the table calls it.
    greater_is_better : bool
        The direction.
    """

    needs = "values"
    task = None
    minimum = float("-inf")
    maximum = float("inf")

    def __init__(self, name: str, *, greater_is_better: bool) -> None:
        self.name = self.title = name
        self.greater_is_better = greater_is_better

    def _values(self, batch: Any) -> Floats:
        raise InvalidArgumentError(
            f"measure must be one that can be computed; got {self.name!r}, of which a table has "
            "the values alone."
        )


def direction_by_name(name: str) -> bool | None:
    """Return whether greater values of a measure are better, by words of its name.

    Parameters
    ----------
    name : str
        As others call it.

    Returns
    -------
    bool or None
        None where the words say nothing, or both.

    Examples
    --------
    >>> [direction_by_name(name) for name in ("test_acc", "classif.ce", "RMSE", "score")]
    [True, False, False, None]
    """
    words = re.findall(r"[a-z]+\d?", name.casefold())
    answers = {better for better, starts in _WORDS_OF_DIRECTION.items() if any(map(starts, words))}
    return answers.pop() if len(answers) == 1 else None


def known_direction(measure: str, said: bool | None) -> bool:
    """Return whether greater values of a measure are better.

    Parameters
    ----------
    measure : str
        Its name.
    said : bool or None
        What the caller or the table says; the name tells otherwise.

    Raises
    ------
    InvalidArgumentError
        If it is not known, or not that of the measure of this name.
    """
    known = known_measure(measure)
    if known is None:
        direction = direction_by_name(measure) if said is None else said
        if direction is None:
            names = [*measure_names("classification"), *measure_names("regression")]
            raise InvalidArgumentError(
                f"direction of the measure {measure!r} must be known; got none. "
                f"{_DIRECTION} ({', '.join(names)})."
            )
        return direction
    if said is not None and said != known.greater_is_better:
        better = "higher" if known.greater_is_better else "lower"
        raise InvalidArgumentError(
            f"direction of {measure!r} must be that of the measure, {better} is better; got the "
            "opposite. Rename the measure if it is another one."
        )
    return known.greater_is_better


def known_measure(name: str) -> Measure | None:
    """Return the measure of the catalogue with a name; None where there is none."""
    for task in ("classification", "regression"):
        if is_measure_name(name, task):
            classes = [0, 1] if task == "classification" else []
            return get_measure(name, task=task, classes=classes, cost_matrix=np.zeros((2, 2)))
    return None


def judged_measure(scores: PairedScores, greater_is_better: bool | None) -> Measure:
    """Return the measure of a table with its direction.

    Parameters
    ----------
    scores : PairedScores
        Of one measure.
    greater_is_better : bool or None
        The direction, as far as it was given.

    Returns
    -------
    Measure
        One of the catalogue, or one that is known by its values alone.

    Raises
    ------
    InvalidArgumentError
        If the direction is not known, or not that of the measure.
    """
    return measure_of_scores(scores, greater_is_better)[0]


def measure_of_scores(scores: PairedScores, given: bool | None) -> tuple[Measure, list[str]]:
    """Return the measure with its direction, and what to distrust about its values."""
    known = known_measure(scores.measure)
    direction = known_direction(scores.measure, scores.direction if given is None else given)
    if known is None:
        return TableMeasure(scores.measure, greater_is_better=direction), []
    low, high = float(scores.values.min()), float(scores.values.max())
    if low >= known.minimum and high <= known.maximum:
        return known, []
    warning = (
        f"Values of {known.name} reach from {low:g} to {high:g}, beyond {known.minimum:g} to "
        f"{known.maximum:g}; they are taken as they are."
    )
    title = f"{known.name} (as given)"
    return TableMeasure(title, greater_is_better=known.greater_is_better), [warning]


def direction_of(scores: PairedScores) -> bool | None:
    """Return whether greater scores are better, as far as the table tells."""
    known = known_measure(scores.measure)
    if known is not None:
        return known.greater_is_better
    said = scores.direction
    return direction_by_name(scores.measure) if said is None else said

"""Remarks on tuned learners: what they chose, and where their space may be too narrow."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Real
from typing import Any, Final

import numpy as np

from bestofk.evaluation import Evaluation
from bestofk.inference import Caution
from bestofk.learners import has_inner_search, is_baseline
from bestofk.tuning import Tuned
from bestofk.tuning.settings import short_names

# Share of choices at an edge of a space beyond which it may be too narrow.
_MUCH: Final = 0.1
# Values of a parameter that an edge of its space needs.
_FEWEST: Final = 3


def tuning_notes(evaluation: Evaluation) -> list[str]:
    """Return what tuned learners chose, and what to distrust about it."""
    notes: list[str] = []
    tuned: list[str] = []
    for index, learner in enumerate(evaluation.learners):
        if not isinstance(learner.estimator, Tuned):
            tuned += [learner.name] if has_inner_search(learner.estimator) else []
            notes += _behind_a_step(learner.name, learner.estimator)
            continue
        tuned.append(learner.name)
        choices = evaluation.choices(index)
        if len(choices):
            notes.append(_choices_text(learner.name, choices))
            notes += _edges(learner.name, learner.estimator, choices)
    if notes:
        notes.append(
            "Tuned learners chose anew in every training set: their scores are those of tuning, "
            "not of one setting."
        )
    untuned = [
        learner.name
        for learner in evaluation.learners
        if not (learner.is_baseline or is_baseline(learner.estimator)) and learner.name not in tuned
    ]
    if tuned and untuned:
        notes.append(
            Caution(
                "partly-tuned",
                f"{', '.join(untuned)} ran with the settings given and other learners were tuned; "
                "tuning all of them could change the order.",
            )
        )
    return notes


def _behind_a_step(name: str, estimator: Any) -> list[str]:
    """Say where a search stands behind steps that were fitted to the rows of its inner folds."""
    steps = getattr(estimator, "steps", None)
    if not steps or not has_inner_search(steps[-1][1]):
        return []
    before = [type(step).__name__ for _, step in steps[:-1] if step not in (None, "passthrough")]
    if not before:
        return []
    return [
        f"{name} chooses its settings behind {', '.join(before)}, fitted to all of its training "
        "rows: inner scores may be too good. Search over the whole pipeline."
    ]


def _choices_text(name: str, choices: Any) -> str:
    """Return which values were chosen mostly, and how often the default stayed."""
    parts = [_mostly(column, choices[column]) for column in _parameters(choices)]
    kept = choices["is_default"].mean()
    if kept == 1:
        return f"{name} kept its default in all splits."
    return f"{name}: {', '.join(parts)}; the default stayed in {kept:.0%} of splits."


def _mostly(name: str, values: Any) -> str:
    known = values.dropna()
    if len(known) == len(values) and all(_is_number(value) for value in values):
        low, high = np.quantile(values.astype(float), [0.25, 0.75], method="nearest")
        return f"{name} mostly {low:g}" + (f"-{high:g}" if high > low else "")
    texts = values.astype(object).where(values.notna(), "not set").map(str)
    most = texts.mode()[0]
    return f"{name} mostly {most} ({(texts == most).mean():.0%})"


def _edges(name: str, estimator: Tuned, choices: Any) -> Iterator[str]:
    """Give a caution for each parameter that is chosen at an edge of its space too often."""
    settings = [short_names(estimator.learner, setting) for setting in estimator.settings()]
    for parameter in _parameters(choices):
        values = {setting.get(parameter) for setting in settings}
        numbers = sorted(
            float(value) for value in values if value is not None and _is_number(value)
        )
        if len(numbers) < _FEWEST:
            continue
        # 0 and 1 are where many parameters end by themselves
        edges = [value for value in (numbers[0], numbers[-1]) if value not in (0, 1)]
        at_edge = choices[parameter].isin(edges) & ~choices["is_default"].astype(bool)
        if at_edge.mean() > _MUCH:
            yield Caution(
                "edge-of-space",
                f"{name} chose {parameter} at an edge of its space ({numbers[0]:g} to "
                f"{numbers[-1]:g}) in {at_edge.mean():.0%} of splits; a wider one may do better.",
            )


def _parameters(choices: Any) -> list[str]:
    known = ("repeat", "fold", "index", "is_default", "inner_loss", "default_loss", "losses")
    return [column for column in choices.columns if column not in known]


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and value == value

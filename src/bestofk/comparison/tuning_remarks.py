"""Remarks on tuned learners: what to distrust about their choices."""

import re
from collections.abc import Iterator
from typing import Any, Final

from sklearn.pipeline import Pipeline

from bestofk.checks import is_number
from bestofk.evaluation import Evaluation
from bestofk.inference import Caution
from bestofk.learners.learner import Learner, has_inner_search
from bestofk.report.findings.one_data_set import chosen_settings
from bestofk.tuning import Tuned
from bestofk.tuning.spaces import catalogue_space, short_names
from bestofk.words import fixed

# Share and number of splits from which on choices at an edge say that a space may be too narrow.
_MUCH: Final = 0.1
_FEWEST_SPLITS: Final = 3
# Values of a parameter that an edge of its space needs.
_FEWEST_VALUES: Final = 3
# What a run says of settings that failed; see `bestofk.tuning.inner_losses`.
_DROPPED: Final = re.compile(r"(\d+) of \d+ settings were dropped.*")
# Where many parameters end by themselves.
_ENDS: Final = (0, 1)


def tuning_notes(evaluation: Evaluation) -> list[str]:
    """Return what to distrust about tuned learners."""
    notes: list[str] = []
    tuned: list[str] = []
    for index, learner in enumerate(evaluation.learners):
        if not isinstance(learner.estimator, Tuned):
            tuned += [learner.name] if learner.is_tuned else []
            continue
        chosen = chosen_settings(evaluation, index)
        tuned += [learner.name, *([chosen.untuned] if chosen else [])]
        notes += _dropped(evaluation, index)
        notes += _edges(learner.name, learner.estimator, evaluation.choices(index))
    untuned = [
        learner.name
        for learner in evaluation.learners
        if learner.name not in tuned and catalogue_space(learner.estimator) is not None
    ]
    if tuned and untuned:
        notes.append(
            Caution(
                "partly-tuned",
                f"{', '.join(untuned)} ran with the settings given and other learners were tuned; "
                "tuning all of them, as tuned(NAME), could change the order.",
            )
        )
    return notes


def search_warnings(evaluation: Evaluation) -> list[str]:
    """Return why the inner scores of searches may be too good."""
    has_groups = evaluation.data.groups is not None
    texts: list[str] = []
    for learner in filter(lambda item: item.is_tuned, evaluation.learners):
        texts += _behind_a_step(learner)
        is_own = isinstance(learner.estimator, Tuned) or learner.splitters_by_groups
        if has_groups and not is_own:
            texts.append(
                f"The inner folds of {learner.name} ignore the groups of rows: inner scores may be "
                "too good. Use bestofk.Tuned, whose inner folds keep groups together."
            )
    return texts


def _behind_a_step(learner: Learner) -> list[str]:
    """Say where a search stands behind steps that were fitted to the rows of its inner folds."""
    for part in learner.parts:
        steps = part.steps if isinstance(part, Pipeline) else []
        *before, last = [step for _, step in steps] or [None]
        seen = [type(step).__name__ for step in before if step not in (None, "passthrough")]
        if seen and has_inner_search(last):
            return [
                f"{learner.name} chooses its settings behind {', '.join(seen)}, fitted to all of "
                "its training rows: inner scores may be too good. Search over the whole pipeline."
            ]
    return []


def _dropped(evaluation: Evaluation, learner_index: int) -> list[str]:
    """Say how many settings were dropped, in the run that dropped most."""
    messages = [message for *_, message in evaluation.messages(learner_index)]
    dropped = [match for match in map(_DROPPED.search, messages) if match]
    if not dropped:
        return []
    most = max(dropped, key=lambda match: int(match[1]))
    n_runs = len(evaluation.chosen(learner_index))
    where = f" (in {len(dropped)} of {n_runs} runs)" if len(dropped) < n_runs else ""
    text = f"{evaluation.names[learner_index]}: {most[0].rstrip('.')}{where}."
    return [Caution("incomplete", text)]


def _edges(name: str, estimator: Tuned, choices: Any) -> Iterator[str]:
    """Give a caution for each edge of the space that is chosen too often."""
    settings = [short_names(estimator.learner, setting) for setting in estimator.settings()]
    for parameter in _parameters(choices):
        values: list[Any] = [setting.get(parameter) for setting in settings]
        numbers = sorted({float(value) for value in values if is_number(value) and value == value})
        if len(numbers) < _FEWEST_VALUES:
            continue
        for edge, which, wider in (
            (numbers[0], "lowest", "lower"), (numbers[-1], "highest", "higher"),
        ):  # fmt: skip
            is_chosen = (choices[parameter] == edge) & ~choices["is_default"].astype(bool)
            is_often = is_chosen.sum() >= _FEWEST_SPLITS and is_chosen.mean() > _MUCH
            if is_often and edge not in _ENDS:
                yield Caution(
                    "edge-of-space",
                    f"{name} chose the {which} value of {parameter}, {edge:g}, in "
                    f"{fixed(100 * is_chosen.mean(), 0, whole=100)}% of splits; a space with "
                    f"{wider} ones may do better.",
                )


def _parameters(choices: Any) -> list[str]:
    known = ("repeat", "fold", "index", "is_default", "inner_loss", "default_loss", "losses")
    return [column for column in choices.columns if column not in known]

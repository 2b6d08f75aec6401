"""Remarks on the runs of a comparison: notes, warnings of failures and gaps, tuned choices."""

import functools
import re
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any, Final

import numpy as np
from sklearn.pipeline import Pipeline

from bestofk.checks import is_number
from bestofk.data import DataSet
from bestofk.evaluation import Evaluation
from bestofk.evaluation.status import is_lost, is_missing
from bestofk.evaluation.timing import CROWDED
from bestofk.inference import Caution
from bestofk.learners import groups_of, learner_catalogue
from bestofk.learners.entry import CLASSIFICATION
from bestofk.learners.learner import UNWEIGHTED, Learner, has_inner_search
from bestofk.resampling import Plan
from bestofk.resampling.make_plan import untrained_classes
from bestofk.tuning import Tuned
from bestofk.tuning.spaces import catalogue_space, short_names
from bestofk.words import fixed, times

# Maximum number of damaged runs that a note names.
_SHOWN_DAMAGED = 5
# Test rows of a class that are needed to compare labels with scores.
_FEWEST_ROWS = 10
_FEWEST_SHARED = 0.1  # share of them that labels and scores both assign to the class
_PIECES = 5  # of a batch, one of which is usually enough to see that


def run_notes(evaluation: Evaluation) -> tuple[str, ...]:
    """Return notes on learners and on damaged parts of the store."""
    notes: list[str] = [*_untuned_text(evaluation.learners), *_offered_booster(evaluation)]
    for learner, identity in zip(evaluation.learners, evaluation.identities, strict=True):
        if identity.reason:
            notes.append(
                f"{learner.name} cannot be read ({identity.reason}), so its runs are never reused."
            )
    return (*notes, *_damage_note(evaluation.damaged))


def _damage_note(damaged: Sequence[str]) -> list[str]:
    """Name what was damaged in the store, the first few of many."""
    if not damaged:
        return []
    shown = "; ".join(damaged[:_SHOWN_DAMAGED])
    more = len(damaged) - _SHOWN_DAMAGED
    rest = f"; and {more} more" if more > 0 else ""
    return [f"Parts of the store were damaged; runs among them were fitted again: {shown}{rest}."]


def cost_notes(cost_matrix: Any) -> tuple[str, ...]:
    """Return a note if right decisions have a cost too, which is allowed but easily a mistake."""
    if cost_matrix is None or not np.diagonal(np.asarray(cost_matrix, dtype=float)).any():
        return ()
    return ("The cost matrix has entries on its diagonal, so right decisions cost or gain, too.",)


def run_warnings(evaluation: Evaluation, n_asked: Sequence[int]) -> tuple[str, ...]:
    """Return warnings of fixed seeds, failures, several machines, and runs that were not done."""
    texts: list[str] = untrained_warnings(evaluation.data, evaluation.plan)
    for index, (learner, identity) in enumerate(
        zip(evaluation.learners, evaluation.identities, strict=True)
    ):
        if identity.fixed:
            texts.append(
                f"{learner.name} has a fixed {', '.join(identity.fixed)}: every run draws the same "
                "numbers, so its variation is understated."
            )
        shared = learner.shared_by_copies
        if shared:
            texts.append(
                f"{learner.name} may keep state between fits, because its copies share "
                f"{', '.join(shared)}: what a run gives may depend on the runs before it."
            )
        texts += _failure_texts(evaluation, index)
        texts += [] if learner.is_baseline else _contradiction(evaluation, index)
    texts += [*lost_runs(evaluation), *_unweighted_text(evaluation)]
    machines = {
        (environment["machine"], environment["processor"])
        for environment in evaluation.environments
    }
    if len(machines) > 1:
        texts.append(f"Seconds come from {len(machines)} machines and should not be compared.")
    texts += crowded_seconds(evaluation)
    if evaluation.is_interrupted or evaluation.is_out_of_time:
        asked = np.arange(len(evaluation.plan)) < np.array(n_asked)[:, None]
        missing = int((is_missing(evaluation.status) & asked).sum())
        why = "Interrupted" if evaluation.is_interrupted else "The budget of time is spent"
        if evaluation.engine_loss:
            why = "The engine was lost"
            texts.append(evaluation.engine_loss)
        if missing:
            texts.append(f"{why}: {missing} of {int(asked.sum())} runs were not done.")
    return tuple(texts)


def untrained_warnings(data: DataSet, plan: Plan, size: str = "") -> list[str]:
    """Return a warning for each class that is missing from the training rows of some splits."""
    counts = untrained_classes(data, plan).sum(axis=0)
    way_out = "" if size else " Stratify, or shuffle the rows."
    return [
        Caution(
            "incomplete",
            f"class {data.classes[index]} has no row in {counts[index]} of {len(plan)} training "
            f"parts{size}, so it cannot be predicted there.{way_out}",
        )
        for index in np.flatnonzero(counts)
    ]


def _failure_texts(evaluation: Evaluation, learner_index: int) -> list[str]:
    failed, name = evaluation.failures(learner_index), evaluation.names[learner_index]
    if not failed:
        return []
    repeat, fold, message = failed[0]
    n_runs = int((~evaluation.is_unfinished[learner_index]).sum())
    return [
        Caution(
            "incomplete",
            f"{name} failed in {len(failed)} of {n_runs} runs; repeat {repeat}, "
            f"fold {fold}: {message.rstrip('.')}.",
        )
    ]


def _contradiction(evaluation: Evaluation, learner_index: int) -> list[str]:
    """Return a warning if the labels of a learner contradict its scores of classes.

    Thresholds and calibration move labels from one class to another.  Wrong columns take nearly
    all of its rows from a class, and give it rows that are not predicted as it.
    """
    n_classes = len(evaluation.data.classes)
    n_labels, n_highest, n_same = np.zeros((3, n_classes), dtype=np.int64)
    what, batches = "", evaluation.batches(learner_index) if n_classes else []
    n_labels += sum(np.bincount(batch.labels, minlength=n_classes) for batch in batches)
    for batch in batches:
        what = "decision values" if batch.probabilities is None else "probabilities"
        of_all = batch.decision if batch.probabilities is None else batch.probabilities
        if of_all is None:
            return []
        pieces = (np.array_split(values, _PIECES) for values in (batch.labels, of_all))
        for labels, scores in zip(*pieces, strict=True):
            if scores.ndim == 1:
                scores = np.column_stack([-scores, scores])
            of_label = np.take_along_axis(scores, labels[:, None], axis=1)
            differs = functools.reduce(np.maximum, scores.T) > of_label[:, 0]
            highest = labels.copy()
            highest[differs] = scores[differs].argmax(axis=1)
            n_highest += np.bincount(highest, minlength=n_classes)
            n_same += np.bincount(labels[~differs], minlength=n_classes)
            if (n_same >= _FEWEST_SHARED * n_labels).all():  # whatever the others say
                return []
    n_fewer = np.minimum(n_labels, n_highest)
    if not ((n_fewer >= _FEWEST_ROWS) & (n_same < _FEWEST_SHARED * n_fewer)).any():
        return []
    return [
        f"{evaluation.names[learner_index]} predicts another class than the one with its highest "
        f"{what} in {n_labels.sum() - n_same.sum():,} of {n_labels.sum():,} test rows. Check that "
        "their columns follow classes_."
    ]


def lost_runs(evaluation: Evaluation) -> list[str]:
    """Return a caution with the number of lost runs, which the next call does."""
    n_lost = int(is_lost(evaluation.status).sum())
    if not n_lost:
        return []
    were, them = ("was", "it") if n_lost == 1 else ("were", "them")
    text = (
        f"{times(n_lost, 'run')} {were} lost, because the processes that did {them} ended. "
        f"Call again to do {them}."
    )
    return [Caution("incomplete", text)]


def crowded_seconds(evaluation: Evaluation) -> list[str]:
    """Return a caution if the compared times come from runs that shared the machine."""
    if evaluation.timing != CROWDED:
        return []
    text = (
        "Seconds are longer than alone, because other runs shared the machine. Not every learner "
        "has a run that was timed alone."
    )
    return [Caution("crowded", text)]


def _unweighted_text(evaluation: Evaluation) -> list[str]:
    names = [
        name
        for index, name in enumerate(evaluation.names)
        if any(UNWEIGHTED in message for *_, message in evaluation.messages(index))
    ]
    if not names:
        return []
    return [f"{', '.join(names)}: fitted without the weights, because such learners accept none."]


def _offered_booster(evaluation: Evaluation) -> list[str]:
    """Suggest LightGBM if it is installed: the default set is the same on every machine."""
    task = evaluation.data.task
    entries = learner_catalogue(task).values()
    default = [entry.name for entry in entries if "default" in groups_of(entry)]
    names = [name for name in evaluation.names if name != "median"]
    if names != default or find_spec("lightgbm") is None:
        return []
    name = "lightgbm" if task == CLASSIFICATION else "lightgbm-regressor"
    return [f"LightGBM is installed: --learners default,{name} compares it, too."]


def _untuned_text(learners: Sequence[Learner]) -> list[str]:
    can_win = [learner for learner in learners if not learner.is_baseline]
    untuned = [learner.name for learner in can_win if not learner.is_tuned]
    if len(untuned) < len(can_win):
        return []  # `tuning_notes` names them
    text = "Every learner ran with the settings given; tuning could change the order."
    return [Caution("untuned", text)]


# A space may be too narrow if a value at its edge is chosen in more splits than both of these.
_MUCH: Final = 0.1
_FEWEST_SPLITS: Final = 3
# Only a parameter with at least so many values has an edge.
_FEWEST_VALUES: Final = 3
# Message of a run on failed settings; see `bestofk.tuning.inner_losses`.
_DROPPED: Final = re.compile(r"(\d+) of \d+ settings were dropped.*")
# Natural bounds of many parameters.
_ENDS: Final = (0, 1)


def tuning_notes(evaluation: Evaluation) -> list[str]:
    """Return cautions on tuned learners."""
    notes: list[str] = []
    tuned: list[str] = []
    for index, learner in enumerate(evaluation.learners):
        if not isinstance(learner.estimator, Tuned):
            tuned += [learner.name] if learner.is_tuned else []
            continue
        from bestofk.report.findings.one_data_set import chosen_settings

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
    """Return warnings of searches whose inner scores may be too good."""
    has_groups = evaluation.data.groups is not None
    texts: list[str] = []
    for learner in filter(lambda item: item.is_tuned, evaluation.learners):
        texts += _behind_a_step(learner)
        has_tuned = any(isinstance(part, Tuned) for part in learner.parts)
        is_own = has_tuned or learner.splitters_by_groups
        if has_groups and not is_own:
            texts.append(
                f"The inner folds of {learner.name} ignore the groups of rows: inner scores may be "
                "too good. Use bestofk.Tuned, whose inner folds keep groups together."
            )
    return texts


def _behind_a_step(learner: Learner) -> list[str]:
    """Return a warning if a search follows steps fitted to all rows of its inner folds."""
    for part in learner.parts:
        steps = part.steps if isinstance(part, Pipeline) else []
        *before, last = [step for _, step in steps] or [None]
        seen = [type(step).__name__ for step in before if step not in (None, "passthrough")]
        if seen and has_inner_search(last):
            return [
                f"{learner.name} chooses its settings after {', '.join(seen)}, fitted to all of "
                "its training rows: inner scores may be too good. Search over the whole pipeline."
            ]
    return []


def _dropped(evaluation: Evaluation, learner_index: int) -> list[str]:
    """Return how many settings were dropped, from the run that dropped most."""
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
    """Yield a caution for each edge of the space that is chosen too often."""
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

"""Remarks on the runs of a comparison: notes, and warnings of failures and gaps."""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from bestofk.data import DataSet
from bestofk.evaluation import Evaluation
from bestofk.evaluation.status import is_lost, is_missing
from bestofk.evaluation.timing import CROWDED
from bestofk.inference import Caution
from bestofk.learners import Learner, resolve_learners
from bestofk.learners.entry import CLASSIFICATION
from bestofk.learners.learner import UNWEIGHTED
from bestofk.resampling import Plan
from bestofk.resampling.make_plan import untrained_classes
from bestofk.stopping.history import RowsHistory, StoppingHistory
from bestofk.words import times

# Damaged runs that a note names.
_SHOWN_DAMAGED = 5
# Test rows of a class from which labels and scores are held against each other.
_FEWEST_ROWS = 10
_FEWEST_SHARED = 0.1  # share of them that both give to the class


def run_notes(evaluation: Evaluation) -> tuple[str, ...]:
    """Return notes on the learners and on damaged parts of the store."""
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
    """Say where right decisions have a price too, which is allowed and easily a mistake."""
    if cost_matrix is None or not np.diagonal(np.asarray(cost_matrix, dtype=float)).any():
        return ()
    return ("The cost matrix has entries on its diagonal: right decisions cost, or gain, too.",)


def run_warnings(
    evaluation: Evaluation, stopping_history: StoppingHistory | RowsHistory | None
) -> tuple[str, ...]:
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
        n_splits = len(evaluation.plan)
        n_asked = [n_splits] * len(evaluation.names)
        if stopping_history is not None:
            n_asked = stopping_history.splits_asked_for(evaluation.names, n_splits)
        asked = np.arange(n_splits) < np.array(n_asked)[:, None]
        missing = int((is_missing(evaluation.status) & asked).sum())
        why = "Interrupted" if evaluation.is_interrupted else "The budget of time is spent"
        if evaluation.engine_loss:
            why = "The engine was lost"
            texts.append(evaluation.engine_loss)
        if missing:
            texts.append(f"{why}: {missing} of {int(asked.sum())} runs were not done.")
    return tuple(texts)


def untrained_warnings(data: DataSet, plan: Plan, size: str = "") -> list[str]:
    """Say which classes some splits of a plan, of some training size, test without a row of it."""
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
    """Say where the labels of a learner and its scores of classes cannot be meant alike.

    Thresholds and calibration move labels from one class to another.  Wrong columns take nearly
    all of its rows from a class, and give it rows that are not predicted as it.
    """
    batch = evaluation.predictions(learner_index)
    if batch is None:
        return []
    what = "decision values" if batch.probabilities is None else "probabilities"
    scores = batch.decision if batch.probabilities is None else batch.probabilities
    if scores is None:
        return []
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    labels, n_classes = batch.labels, len(batch.classes)
    differs = scores.max(axis=1) > scores[np.arange(len(labels)), labels]
    highest = np.where(differs, scores.argmax(axis=1), labels)
    n_same = np.bincount(labels[~differs], minlength=n_classes)
    n_fewer = np.minimum(*(np.bincount(x, minlength=n_classes) for x in (labels, highest)))
    if not ((n_fewer >= _FEWEST_ROWS) & (n_same < _FEWEST_SHARED * n_fewer)).any():
        return []
    return [
        f"{evaluation.names[learner_index]} predicts another class than the one with its highest "
        f"{what} in {int(differs.sum()):,} of {len(labels):,} test rows. Check that their columns "
        "follow classes_."
    ]


def lost_runs(evaluation: Evaluation) -> list[str]:
    """Return how many runs were lost, and that the next call does them."""
    n_lost = int(is_lost(evaluation.status).sum())
    if not n_lost:
        return []
    were, them, they = ("was", "it", "it is") if n_lost == 1 else ("were", "them", "they are")
    text = (
        f"{times(n_lost, 'run')} {were} lost, because the processes that did {them} ended. "
        f"Call again: {they} done then."
    )
    return [Caution("incomplete", text)]


def crowded_seconds(evaluation: Evaluation) -> list[str]:
    """Return that costs are compared by runs that took longer than alone, if they are."""
    if evaluation.timing != CROWDED:
        return []
    text = (
        "Seconds are longer than alone, because other runs went on meanwhile and not every "
        "learner has a run that was timed alone."
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
    return [f"{', '.join(names)}: fitted without the weights, which such a learner does not take."]


def _offered_booster(evaluation: Evaluation) -> list[str]:
    """Offer LightGBM next to the default set, which never depends on what is installed."""
    task = evaluation.data.task
    default = [item.name for item in resolve_learners(None, task)]
    names = [name for name in evaluation.names if name != "median"]
    if names != default or find_spec("lightgbm") is None:
        return []
    name = "lightgbm" if task == CLASSIFICATION else "lightgbm-regressor"
    return [f"LightGBM is installed: --learners default,{name} compares it, too."]


def _untuned_text(learners: Sequence[Learner]) -> list[str]:
    can_win = [learner for learner in learners if not learner.is_baseline]
    untuned = [learner.name for learner in can_win if not learner.is_tuned]
    if len(untuned) < len(can_win):
        return []  # `tuning_remarks` names them
    text = "Every learner ran with the settings given; tuning could change the order."
    return [Caution("untuned", text)]

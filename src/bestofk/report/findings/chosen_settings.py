"""Settings that a learner chose inside its training sets, counted over the splits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from bestofk.evaluation import Evaluation
from bestofk.evaluation.identity.identity import bare_id, identify
from bestofk.measures.words import short_title
from bestofk.tuning import Tuned
from bestofk.tuning.inner_folds import read_inner
from bestofk.tuning.inner_losses import inner_measure
from bestofk.tuning.rules import ANCHORED


class SettingCount(NamedTuple):
    """A setting, and how many splits chose it.

    Parameters
    ----------
    setting : mapping of str to value
        Parameters that were tuned.
    n_splits : int
        At least 1.
    is_default : bool or None
        None where the learner has no default, as a search of scikit-learn.
    """

    setting: Mapping[str, Any]
    n_splits: int
    is_default: bool | None


@dataclass(frozen=True, eq=False)
class ChosenSettings:
    """Choices of one learner.

    Parameters
    ----------
    counts : tuple of SettingCount
        The most frequent first.
    untuned : str
        Name of the same learner with its default in the comparison; empty where it is not there.
    how : str
        How they were chosen: inner folds, measure and rule; empty for a search of scikit-learn.
    """

    counts: tuple[SettingCount, ...]
    untuned: str = ""
    how: str = ""

    @property
    def default_kept(self) -> float | None:
        """Share of splits that kept the default; None where there is none."""
        if any(count.is_default is None for count in self.counts):
            return None
        kept = sum(count.n_splits for count in self.counts if count.is_default)
        return kept / sum(count.n_splits for count in self.counts)


def chosen_settings(evaluation: Evaluation, learner_index: int) -> ChosenSettings | None:
    """Return what a learner chose; None for one that chooses nothing.

    Parameters
    ----------
    evaluation : Evaluation
        All runs.
    learner_index : int
        Position of the learner.
    """
    counts: dict[str, SettingCount] = {}
    for choice in evaluation.chosen(learner_index).values():
        setting, default = choice["setting"], choice["default"]
        is_default = None if default is None else choice["index"] == default
        before = counts.get(repr(setting), SettingCount(setting, 0, is_default))
        counts[repr(setting)] = before._replace(n_splits=before.n_splits + 1)
    if not counts:
        return None
    ordered = tuple(sorted(counts.values(), key=lambda count: -count.n_splits))
    estimator = evaluation.learners[learner_index].estimator
    if not isinstance(estimator, Tuned):
        return ChosenSettings(ordered)
    return ChosenSettings(ordered, _untuned(evaluation, estimator), _how(evaluation, estimator))


def _untuned(evaluation: Evaluation, tuned: Tuned) -> str:
    """Return the name of the learner that is the default of a tuned one; empty where none is."""
    own = identify("", tuned.learner).id
    ids = [bare_id(identity.id) for identity in evaluation.identities]
    return evaluation.names[ids.index(own)] if own in ids else ""


def _how(evaluation: Evaluation, tuned: Tuned) -> str:
    groups, rows = evaluation.data.groups, next(iter(evaluation.plan)).train_rows
    own = None if groups is None else groups[rows]
    plan = read_inner(tuned.inner, int(evaluation.plan.n_train), own)
    repeats = f"{plan.n_repeats} repeats of " if plan.n_repeats > 1 else ""
    title = short_title(inner_measure(tuned.measure, evaluation.data.classes))
    rule = "the lowest mean loss"
    if tuned.rule == ANCHORED:
        rule = "the default unless another setting is better by more than one standard error"
    return f"{repeats}{plan.n_folds}-fold cross-validation ({title}; {rule})"

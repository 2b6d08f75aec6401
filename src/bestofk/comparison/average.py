"""The average of the plausible learners as one more learner, from stored predictions.

Nothing is fitted. The average of a split is the mean of the numbers or probabilities that its
members predict. They are chosen on the other repeats, so that no score chooses its own members.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.ensemble import VotingClassifier, VotingRegressor

from bestofk.array_types import Floats
from bestofk.comparison.comparison import Comparison
from bestofk.comparison.evidence import active_learners
from bestofk.evaluation import Evaluation, Predictions, RunRecord
from bestofk.evaluation.identity.identity import identify
from bestofk.evaluation.record import BATCHED
from bestofk.evaluation.status import OK
from bestofk.learners import Learner
from bestofk.measures.equivalence import lowest_above_perfect
from bestofk.measures.ties import at_most
from bestofk.measures.words import best_side, short_title, size_in_words
from bestofk.verdict import needs_all_splits
from bestofk.verdict.complete_scores import first_names
from bestofk.words import listing

# Position of the members by all repeats, after those of every repeat; no repeat has this index.
_ALL = -1
# A member may be behind by this share of the lowest loss: a few learners that are a little worse
# gave a better average than those that are about the same.
_SHARE_OF_LOSS = 0.1
_SECONDS = ("train_seconds", "predict_seconds", "train_cpu_seconds", "predict_cpu_seconds")


def with_average(comparison: Comparison) -> Comparison:
    """Add the average of the plausible learners to those of a comparison, as the last one.

    Plausible are learners whose mean loss is at most a tenth above the lowest, or within the region
    of practical equivalence of it. Baselines take no part, nor do learners that were eliminated
    early or, where classes are predicted, give no probabilities.

    Parameters
    ----------
    comparison : Comparison
        With the predictions of its runs.

    Returns
    -------
    Comparison
        With a note that names the members, or a warning that says why there is no average.
    """
    evaluation, deciding = comparison.evaluation, comparison.scores[0]
    history = comparison.stopping_history or comparison.rows_history
    needs_all = needs_all_splits(comparison.settings.test)
    active = active_learners(evaluation, deciding, history, needs_all_splits=needs_all)
    losses, repeats = deciding.losses[:, active.splits], active.splits // evaluation.plan.n_folds
    rivals = [
        index
        for index in active.learners
        if not evaluation.learners[index].is_baseline and not np.isnan(losses[index]).any()
    ]
    mute = [index for index in rivals if not _gives_means(evaluation, index)]
    measure = deciding.measure
    width = max(
        comparison.settings.rope_of(measure, losses[rivals]),
        _SHARE_OF_LOSS * lowest_above_perfect(measure, losses[rivals]),
    )
    members_of = [
        [i for i in _plausible(losses[:, repeats != repeat], rivals, width) if i not in mute]
        for repeat in (*range(evaluation.plan.n_repeats), _ALL)
    ]
    near = f"within {size_in_words(measure, width)} of the {best_side(measure)} "
    near += short_title(measure)
    reason = ""
    if (evaluation.is_unfinished & active.was_asked).any():
        reason = "runs are missing"
    elif len(np.unique(repeats)) < 2:
        reason = "its members are chosen on other repeats, and there is only one"
    elif min(map(len, members_of)) == 0 or len(members_of[_ALL]) < 2:
        reason = f"fewer than two learners are {near}"
    silent = first_names([evaluation.names[index] for index in mute])
    said = f" Without probabilities, so no member: {silent}." if mute else ""
    if reason:
        warning = f"No average of learners: {reason}.{said}"
        return replace(comparison, warnings=(*comparison.warnings, warning))
    averaged = _averaged(evaluation, members_of)
    average = averaged.learners[-1]
    note = (
        f"{average.name}: the mean of what {listing(average.members)} predict. For each repeat its "
        f"members are those {near} on the other repeats.{said}"
    )
    return replace(comparison, evaluation=averaged, notes=(*comparison.notes, note))


def _gives_means(evaluation: Evaluation, learner_index: int) -> bool:
    """Return whether the predictions of a learner are numbers or probabilities."""
    batch = evaluation.predictions(learner_index)
    has_probabilities = batch is not None and batch.probabilities is not None
    return has_probabilities or not evaluation.data.is_classification


def _plausible(losses: Floats, learners: Sequence[int], width: float) -> list[int]:
    """Return the learners whose mean loss is at most a width above the lowest."""
    if not learners or not losses.shape[1]:
        return []
    means = losses[learners].mean(axis=1)
    is_plausible = at_most(means, means.min() + width)
    return [learner for learner, chosen in zip(learners, is_plausible, strict=True) if chosen]


def _averaged(evaluation: Evaluation, members_of: Sequence[Sequence[int]]) -> Evaluation:
    """Return an evaluation with one more learner, the average of the members of each repeat."""
    is_classification, n_folds = evaluation.data.is_classification, evaluation.plan.n_folds
    members = [evaluation.learners[index] for index in members_of[_ALL]]
    pairs = [(member.name, member.estimator) for member in members]
    average = Learner(
        f"average of {len(members)} learners",
        VotingClassifier(pairs, voting="soft") if is_classification else VotingRegressor(pairs),
        members=tuple(member.name for member in members),
    )
    runs = [
        _average_of([evaluation.records[i][split] for i in members_of[split // n_folds]])
        for split in range(len(evaluation.plan))
    ]
    cpu_seconds: dict[str, Any] = {
        name: float(seconds[members_of[_ALL]].sum())
        for name, seconds in evaluation.median_seconds.items()
    }
    cost = RunRecord(OK, None, np.nan, np.nan, **cpu_seconds)
    costs = evaluation.cost_runs or (None,) * len(evaluation.learners)
    return replace(
        evaluation,
        learners=(*evaluation.learners, average),
        identities=(*evaluation.identities, identify(average.name, average.estimator)),
        records=(*evaluation.records, runs),
        kept_scores=(*evaluation.kept_scores, {}),
        cost_runs=(*costs, cost),
    )


def _average_of(runs: Sequence[RunRecord | None]) -> RunRecord | None:
    """Return the mean of the predictions of some runs on one split, with all their seconds."""
    done = [run for run in runs if run is not None and run.predictions is not None]
    if not done:
        return runs[0]
    made = [run.predictions for run in done if run.predictions is not None]
    probabilities = [item.probabilities for item in made if item.probabilities is not None]
    if probabilities:
        mean = np.mean(probabilities, axis=0)
        predictions = Predictions(mean.argmax(axis=1), mean)
    else:
        predictions = Predictions(np.mean([item.labels for item in made], axis=0))
    seconds: dict[str, Any] = {name: sum(getattr(run, name) for run in done) for name in _SECONDS}
    return RunRecord(OK, predictions, fit_mode=BATCHED, **seconds)

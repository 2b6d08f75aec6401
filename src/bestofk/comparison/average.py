"""Average of the plausible learners as another learner, from stored predictions.

Nothing is fitted. The average of a split is the mean of the numbers or probabilities that its
members predict. They are chosen on the other repeats, so that no score chooses its own members.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bestofk.array_types import Floats
from bestofk.comparison.comparison import Comparison
from bestofk.evaluation import Evaluation, Predictions, RunRecord
from bestofk.evaluation.identity.identity import identify
from bestofk.evaluation.record import BATCHED
from bestofk.evaluation.status import OK
from bestofk.learners import Learner
from bestofk.measures.equivalence import lowest_above_perfect
from bestofk.measures.ties import at_most
from bestofk.measures.words import best_side, short_title, size_in_words
from bestofk.words import listing

# Position of the members by all repeats, after those of every repeat; no repeat has this index.
_ALL = -1
# A member may be behind by this share of the lowest loss: a few learners that are a little worse
# gave a better average than those that are about the same.
_SHARE_OF_LOSS = 0.1


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
    evaluation, deciding, active = comparison.evaluation, comparison.scores[0], comparison.active
    losses, repeats = deciding.losses[:, active.splits], active.splits // evaluation.plan.n_folds
    rivals = [index for index in active.learners if _can_be_member(evaluation, index)]
    measure = deciding.measure
    width = max(
        comparison.settings.rope_of(measure, losses[rivals]),
        _SHARE_OF_LOSS * lowest_above_perfect(measure, losses[rivals]),
    )
    members_of = [
        _plausible(losses[:, repeats != repeat], rivals, width)
        for repeat in (*range(evaluation.plan.n_repeats), _ALL)
    ]
    near = "that predict probabilities and " if evaluation.data.is_classification else "that "
    near += f"are within {size_in_words(measure, width)} of the {best_side(measure)} "
    near += short_title(measure)
    is_complete = not (evaluation.is_unfinished & active.was_asked).any()
    if not (is_complete and all(members_of) and len(members_of[_ALL]) > 1):
        warning = (
            "No average of learners: it takes all planned runs, at least two repeats, and two "
            f"learners {near} and were not eliminated early."
        )
        return replace(comparison, warnings=(*comparison.warnings, warning))
    averaged = _averaged(evaluation, members_of)
    average = averaged.learners[-1]
    note = (
        f"{average.name} is the mean of what {listing(average.members)} predict. For each repeat, "
        f"its members are the learners {near} on the other repeats."
    )
    return replace(comparison, evaluation=averaged, notes=(*comparison.notes, note))


def _can_be_member(evaluation: Evaluation, learner_index: int) -> bool:
    """Return whether a learner is no baseline and predicts numbers or probabilities."""
    batch = evaluation.predictions(learner_index)
    is_classification = evaluation.data.is_classification
    has_means = batch is not None and (batch.probabilities is not None) == is_classification
    return has_means and not evaluation.learners[learner_index].is_baseline


def _plausible(losses: Floats, learners: Sequence[int], width: float) -> list[int]:
    """Return the learners whose mean loss is at most a width above the lowest."""
    if not learners or not losses.shape[1]:
        return []
    means = losses[learners].mean(axis=1)
    is_near = at_most(means, means.min() + width)
    return [learner for learner, near in zip(learners, is_near, strict=True) if near]


def _averaged(evaluation: Evaluation, members_of: Sequence[Sequence[int]]) -> Evaluation:
    """Return an evaluation with one more learner, the average of the members of each repeat."""
    from sklearn.ensemble import VotingClassifier, VotingRegressor

    chosen = list(members_of[_ALL])
    members = [evaluation.learners[index] for index in chosen]
    # A voting estimator refuses some names, such as "weights"; no learner is called like these.
    pairs = [(f"member_{i}", member.estimator) for i, member in enumerate(members, 1)]
    is_classification, n_folds = evaluation.data.is_classification, evaluation.plan.n_folds
    average = Learner(
        f"average-of-{len(members)}",
        VotingClassifier(pairs, voting="soft") if is_classification else VotingRegressor(pairs),
        members=tuple(member.name for member in members),
    )
    runs = [
        _average_of([evaluation.records[i][split] for i in members_of[split // n_folds]])
        for split in range(len(evaluation.plan))
    ]
    seconds = {name: values[chosen].sum() for name, values in evaluation.median_seconds.items()}
    costs = evaluation.cost_runs or (None,) * len(evaluation.learners)
    return replace(
        evaluation,
        learners=(*evaluation.learners, average),
        identities=(*evaluation.identities, identify(average.name, average.estimator)),
        records=(*evaluation.records, runs),
        kept_scores=(*evaluation.kept_scores, {}),
        cost_runs=(*costs, RunRecord(OK, None, np.nan, np.nan, **seconds)),
    )


def _average_of(runs: Sequence[RunRecord | None]) -> RunRecord | None:
    """Return the mean of the predictions of some runs on one split; nothing is trained."""
    made = [run.predictions for run in runs if run is not None and run.predictions is not None]
    if not made:
        return None
    values = [item.labels if item.probabilities is None else item.probabilities for item in made]
    mean = np.mean(values, axis=0)
    labels, probabilities = (mean, None) if mean.ndim == 1 else (mean.argmax(axis=1), mean)
    return RunRecord(OK, Predictions(labels, probabilities), 0.0, 0.0, fit_mode=BATCHED)

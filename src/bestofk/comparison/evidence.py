"""Scores and costs from stored runs, as evidence for the verdict of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bestofk.errors import DesignError
from bestofk.evaluation import row_predictions
from bestofk.inference import Sampling
from bestofk.inference.pair_evidence import PairEvidence
from bestofk.inference.row_evidence import compare_on_rows
from bestofk.learners import feature_cost, is_unstable, n_parameters
from bestofk.stopping.active_learners import ActiveLearners, choose_active_learners
from bestofk.verdict import Evidence
from bestofk.verdict.verdict_settings import tie_width

if TYPE_CHECKING:
    from bestofk.comparison.comparison import Comparison
    from bestofk.evaluation import Evaluation


def arms_of(comparison: Comparison, *, needs_all_splits: bool) -> ActiveLearners:
    """Return the learners and the splits that a verdict is based on.

    Parameters
    ----------
    comparison : Comparison
        Gives the values of the deciding measure, and what failed.
    needs_all_splits : bool
        Whether a learner that lacks a split takes no part.

    Returns
    -------
    ActiveLearners
    """
    evaluation, deciding = comparison.evaluation, comparison.scores[0]
    return choose_active_learners(
        evaluation.names,
        deciding.values,
        (evaluation.status == "error") | (evaluation.status == "timeout"),
        deciding.reasons,
        needs_all_splits=needs_all_splits,
        n_splits_of=splits_asked_for(comparison),
    )


def splits_asked_for(comparison: Comparison) -> list[int] | None:
    """Return the splits that each learner was to be run on; None where that is all of them."""
    if comparison.stopping_history is None:
        return None
    evaluation = comparison.evaluation
    return comparison.stopping_history.splits_asked_for(evaluation.names, len(evaluation.plan))


def evidence_of(comparison: Comparison, arms: ActiveLearners) -> Evidence:
    """Return the evidence about the learners in a verdict.

    Parameters
    ----------
    comparison : Comparison
        Gives runs, costs and settings.
    arms : ActiveLearners
        Who takes part, on which splits.

    Returns
    -------
    Evidence
    """
    evaluation, plan = comparison.evaluation, comparison.evaluation.plan
    stopping_history = comparison.stopping_history
    eliminations = () if stopping_history is None else stopping_history.eliminations
    beaten = {elimination.learner for elimination in eliminations if elimination.is_beaten}
    learners, splits = arms.learners, arms.splits
    return Evidence(
        names=[evaluation.names[i] for i in learners],
        losses=comparison.scores[0].losses[learners][:, splits],
        sampling=_sampling(plan, splits),
        is_baseline=[evaluation.learners[i].is_baseline for i in learners],
        costs=costs_of(comparison, learners),
        repeat_of_split=splits // plan.n_folds,
        is_complete=len(splits) == len(plan),
        on_rows=_on_rows(comparison, learners) if len(plan) == 1 else None,
        unstable=tuple(
            evaluation.names[i] for i in learners if is_unstable(evaluation.learners[i].estimator)
        ),
        is_beaten=[evaluation.names[i] in beaten for i in learners],
        indifference=_tied_up_to(comparison),
        run_seconds=_run_seconds(evaluation, learners),
    )


def _run_seconds(evaluation: Evaluation, learners: Sequence[int]) -> list[NDArray[np.float64]]:
    """Return the seconds of training and predicting of every run that a learner did by itself."""
    parts = [evaluation.own_seconds(f"{kind}_seconds") for kind in ("train", "predict")]
    return [np.column_stack([part[i] for part in parts]) for i in learners]


def _tied_up_to(comparison: Comparison) -> float:
    """Return what counts as a tie of two means: nothing where no race has settled it."""
    stopping_history = comparison.stopping_history
    if stopping_history is None or not stopping_history.level:
        return 0.0
    return tie_width(comparison.settings.rope_of(comparison.measures[0]))


def scores_on_shared_splits(
    comparison: Comparison, places: Sequence[int], test: str, *, needs_all_splits: bool
) -> tuple[NDArray[np.float64], Sampling]:
    """Return values on the splits that some learners share; see the method of `Comparison`."""
    evaluation, deciding = comparison.evaluation, comparison.scores[0]
    arms = arms_of(comparison, needs_all_splits=needs_all_splits)
    out = [evaluation.names[i] for i in places if i not in arms.learners]
    if out or not len(arms.splits):
        said = "; ".join(f"{name}: {arms.left_out[name]}" for name in out)
        raise DesignError(
            f"learners of {test} must have scores on shared splits; got "
            f"{said or 'no split that all have finished'}. Resume the run or leave one out."
        )
    values = deciding.values[list(places)][:, arms.splits]
    shared = ~np.isnan(values).any(axis=0)  # a learner may have left earlier than others
    return values[:, shared], _sampling(evaluation.plan, arms.splits[shared])


def costs_of(comparison: Comparison, learners: Sequence[int]) -> dict[str, NDArray[np.float64]]:
    """Return what some learners cost, by kind; see `Comparison.costs`."""
    evaluation, data = comparison.evaluation, comparison.evaluation.data
    estimators = [evaluation.learners[i].estimator for i in learners]
    train, predict = (evaluation.own_seconds(f"{kind}_seconds") for kind in ("train", "predict"))
    n_classes = max(1, len(data.classes))
    costs = {
        "fit-time": shortest_seconds([train[i] for i in learners]),
        "predict-time": shortest_seconds([predict[i] for i in learners]),
        "size": evaluation.size_bytes[list(learners)],
        "parameters": np.array(
            [
                n_parameters(estimator, data.n_samples, data.n_features, n_classes)
                for estimator in estimators
            ]
        ),
    }
    told = comparison.settings.feature_costs
    if told is not None:
        names = data.feature_names
        costs["feature-cost"] = np.array([feature_cost(e, names, told) for e in estimators])
    return costs


def shortest_seconds(seconds: Any) -> NDArray[np.float64]:
    """Return the shortest run of each learner: noise only ever adds to a duration."""
    return np.array(
        [row[~np.isnan(row)].min() if (~np.isnan(row)).any() else np.nan for row in seconds]
    )


def _sampling(plan: Any, splits: Any) -> Sampling:
    """Say how the scores were made; splits that are left out make the folds uneven."""
    n_repeats, n_folds = plan.n_repeats, plan.n_folds
    if n_repeats == 1:
        n_folds = len(splits)
    elif len(splits) < len(plan):
        n_repeats, n_folds = len(splits), 1
        whole = len(np.unique(splits // plan.n_folds)) * plan.n_folds == len(splits)
        if whole:
            n_repeats, n_folds = len(splits) // plan.n_folds, plan.n_folds
    train, test = plan.sizes
    return Sampling(
        plan.scheme,
        n_repeats,
        n_folds,
        n_train=float(train[splits].mean()),
        n_test=float(test[splits].mean()),
    )


def _on_rows(comparison: Comparison, learners: list[int]) -> PairEvidence | None:
    """Compare on the rows of a single test set, where their predictions were kept."""
    evaluation = comparison.evaluation
    if any(evaluation._record(i, 0).predictions is None for i in learners):
        return None
    rows = row_predictions(evaluation, learners, [0], comparison.positive)
    return compare_on_rows(
        comparison.settings.test,
        comparison.measures[0].name,
        losses=rows.losses() if evaluation.data.is_classification else None,
        rankings=rows.rankings() if evaluation.data.is_classification else None,
        is_positive=rows.is_positive if len(evaluation.data.classes) == 2 else None,
    )

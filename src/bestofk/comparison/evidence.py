"""Scores and costs from stored runs, as evidence for the verdict of a comparison."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bestofk.comparison.planned_splits import sampling_of, splits_asked_for
from bestofk.evaluation import Evaluation, MeasuredScores, row_predictions
from bestofk.inference.many_learners.pair_evidence import PairEvidence, compare_on_rows
from bestofk.learners import feature_cost, n_parameters
from bestofk.measures import Measure
from bestofk.stopping.active_learners import ActiveLearners, choose_active_learners
from bestofk.stopping.adaptive_repeats import tie_width
from bestofk.stopping.history import RowsHistory, StoppingHistory
from bestofk.verdict import Evidence
from bestofk.verdict.verdict_options import VerdictOptions


def active_learners(
    evaluation: Evaluation,
    deciding: MeasuredScores,
    history: StoppingHistory | RowsHistory | None,
    *,
    needs_all_splits: bool,
) -> ActiveLearners:
    """Return the learners and the splits that a verdict is based on.

    Parameters
    ----------
    evaluation : Evaluation
        All runs, and what failed.
    deciding : MeasuredScores
        Values of the deciding measure.
    history : StoppingHistory, RowsHistory or None
        Of an adaptive comparison.
    needs_all_splits : bool
        Whether a learner that lacks a split takes no part.

    Returns
    -------
    ActiveLearners
    """
    return choose_active_learners(
        evaluation.names,
        deciding.values,
        evaluation.has_failed,
        deciding.reasons | (history.reasons() if isinstance(history, RowsHistory) else {}),
        needs_all_splits=needs_all_splits,
        n_splits_of=None if history is None else splits_asked_for(evaluation, history),
    )


def rope_of(
    evaluation: Evaluation,
    deciding: MeasuredScores,
    active: ActiveLearners,
    settings: VerdictOptions,
) -> float:
    """Return half the width of the region of practical equivalence, in the deciding measure."""
    can_win = [i for i in active.learners if not evaluation.learners[i].is_baseline]
    return settings.rope_of(deciding.measure, deciding.losses[can_win][:, active.splits])


def evidence_of(
    evaluation: Evaluation,
    deciding: MeasuredScores,
    active: ActiveLearners,
    settings: VerdictOptions,
    history: StoppingHistory | RowsHistory | None,
) -> Evidence:
    """Return the evidence about the learners in a verdict.

    Parameters
    ----------
    evaluation : Evaluation
        All runs.
    deciding : MeasuredScores
        Values of the deciding measure.
    active : ActiveLearners
        The learners that take part, and on which splits.
    settings : VerdictOptions
        Test, region of equivalence and costs of features.
    history : StoppingHistory, RowsHistory or None
        Of an adaptive comparison.

    Returns
    -------
    Evidence
    """
    plan, learners, splits = evaluation.plan, active.learners, active.splits
    eliminations = () if history is None else history.eliminations
    beaten = {elimination.learner for elimination in eliminations if elimination.is_beaten}
    is_raced = history is not None and bool(history.level)
    on_rows, no_row_test = None, ""
    if len(plan) == 1:
        on_rows = _on_rows(evaluation, learners, settings.test, deciding.measure)
        no_row_test = _no_row_test(evaluation, learners, deciding.measure)
    return Evidence(
        names=[evaluation.names[i] for i in learners],
        losses=deciding.losses[learners][:, splits].T,
        sampling=sampling_of(plan, splits, deciding.measure),
        is_baseline=[evaluation.learners[i].is_baseline for i in learners],
        costs=costs_of(evaluation, learners, settings.feature_costs),
        repeat_of_split=splits // plan.n_folds,
        is_complete=len(splits) == len(plan),
        on_rows=on_rows,
        no_row_test=no_row_test,
        unstable=tuple(evaluation.names[i] for i in learners if evaluation.learners[i].is_unstable),
        is_beaten=[evaluation.names[i] in beaten for i in learners],
        # where no race has settled it, means do not tie
        indifference=tie_width(rope_of(evaluation, deciding, active, settings))
        if is_raced
        else 0.0,
        run_seconds=[evaluation.run_seconds[i] for i in learners],
        row_losses=lambda chosen: _row_losses(
            evaluation, [learners[i] for i in chosen], splits, deciding.measure
        ),
    )


def _row_losses(
    evaluation: Evaluation, learners: list[int], splits: NDArray[np.int64], measure: Measure
) -> NDArray[np.float64] | None:
    """Return the losses on the rows of the first repeat; None where they are not known."""
    repeats = splits // evaluation.plan.n_folds
    first = splits[repeats == repeats[0]].tolist()
    rows = np.concatenate([evaluation.test_rows[split] for split in first])
    if len(np.unique(rows)) < len(rows) or not has_test_rows(evaluation, learners, first):
        return None
    losses = row_predictions(evaluation, learners, first).losses_of(measure)
    return None if losses is None else losses.T


def costs_of(
    evaluation: Evaluation, learners: Sequence[int], feature_costs: Mapping[str, float] | None
) -> dict[str, NDArray[np.float64]]:
    """Return the costs of some learners by kind; see `Comparison.costs`."""
    data = evaluation.data
    estimators = [evaluation.learners[i].estimator for i in learners]
    n_classes = max(1, len(data.classes))
    costs = {
        "fit-time": evaluation.median_seconds["train_cpu_seconds"][list(learners)],
        "predict-time": evaluation.median_seconds["predict_cpu_seconds"][list(learners)],
        "size": evaluation.size_bytes[list(learners)],
        "parameters": np.array(
            [
                n_parameters(estimator, data.n_samples, data.n_features, n_classes)
                for estimator in estimators
            ]
        ),
    }
    if feature_costs is not None:
        costs["feature-cost"] = np.array(
            [feature_cost(item, data.feature_names, feature_costs) for item in estimators]
        )
    return costs


def _on_rows(
    evaluation: Evaluation, learners: list[int], test: str, measure: Measure
) -> PairEvidence | None:
    """Compare on the rows of a single test set, if their predictions were kept."""
    if not has_test_rows(evaluation, learners):
        return None
    rows = row_predictions(evaluation, learners, [0])
    losses = rows.losses_of(measure)
    rankings = rows.rankings() if evaluation.data.is_classification else None
    return compare_on_rows(
        test,
        measure.name,
        losses=None if losses is None else losses.T,
        rankings=None if rankings is None else rankings.T,
        is_positive=rows.is_positive if len(evaluation.data.classes) == 2 else None,
        names=[evaluation.names[i] for i in learners],
    )


def has_test_rows(
    evaluation: Evaluation, learners: Sequence[int], splits: Sequence[int] = (0,)
) -> bool:
    """Return whether predictions of learners on the first, or other, test sets were kept."""
    records = [evaluation.records[i][split] for i in learners for split in splits]
    return all(record is not None and record.predictions is not None for record in records)


def _no_row_test(evaluation: Evaluation, learners: Sequence[int], measure: Measure) -> str:
    """Return why no test on the rows of a single test set is possible; empty if one is."""
    if not has_test_rows(evaluation, learners):
        return "the predictions of its rows were not kept"
    if measure.name == "auroc" and len(evaluation.data.classes) > 2:
        return "DeLong's test of AUROC is for two classes"
    if measure.name != "auroc" and not measure.is_row_mean:
        return f"{measure.title} is not computed row by row"
    return ""

"""Prepared comparison: checked and planned before anything is trained, then executed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bestofk.comparison.average import with_average
from bestofk.comparison.call_context import opened_store, resume_line
from bestofk.comparison.chosen_measures import (
    asked_measures,
    with_positive_class,
    with_shown_measures,
)
from bestofk.comparison.comparison import Comparison
from bestofk.comparison.members_of_groups import learners_to_try
from bestofk.comparison.options import ComparisonSettings
from bestofk.comparison.planned_splits import sampling_of, splits_asked_for
from bestofk.comparison.run_remarks import (
    cost_notes,
    run_notes,
    run_warnings,
    search_warnings,
    tuning_notes,
)
from bestofk.comparison.tuned_learners import tuned_learners
from bestofk.data import DataSet
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation import (
    Evaluation,
    EvaluationRequest,
    Observer,
    Store,
    evaluate,
    evaluate_many,
)
from bestofk.inference.many_learners.pair_evidence import check_plan, check_row_test, wanted_test
from bestofk.inference.two_learners.over_time import OVER_TIME
from bestofk.learners import Learner, feature_cost, named_learner
from bestofk.learners.earlier_values import (
    LAST_OF_GROUP,
    LAST_PERIOD,
    LAST_SEASON,
    EarlierClassClassifier,
    EarlierValueRegressor,
    known_seasons,
)
from bestofk.measures import Measure
from bestofk.resampling import ForwardPlan, Plan, make_plan
from bestofk.verdict.preference import COST_KINDS, order_by_preference, ranked_only
from bestofk.verdict.verdict_options import VerdictOptions

if TYPE_CHECKING:
    from bestofk.report.findings import Findings
    from bestofk.stopping.adaptive_repeats import AdaptiveRepeats
    from bestofk.stopping.history import RowsHistory, StoppingHistory

_ABSOLUTE_ERRORS = ("mae", "median_absolute_error")


@dataclass(frozen=True, eq=False)
class PreparedComparison:
    """Comparison that is checked and planned, but not yet run.

    Parameters
    ----------
    request : EvaluationRequest
        What is to be run.
    measures : tuple of Measure
        The deciding one first.
    settings : ComparisonSettings
        As given.
    headline : str
        Why the measure decides, if it is not the usual one.
    is_growing : bool
        Whether training rows grow up to those of the plan, a hold-out.
    notes : tuple of str
        What was made of the learners as entered.
    """

    request: EvaluationRequest
    measures: tuple[Measure, ...]
    settings: ComparisonSettings
    headline: str
    is_growing: bool = False
    notes: tuple[str, ...] = ()


def prepare_comparison(
    learners: Sequence[Learner], data: DataSet, settings: ComparisonSettings
) -> PreparedComparison:
    """Check and plan a comparison of learners on a data set."""
    if settings.average and (settings.prefer is not None or settings.keep != "probabilities"):
        raise InvalidArgumentError(
            "average must be False where a preference decides, or where probabilities are not "
            "kept; got True. Leave out prefer and keep, or the average."
        )
    if settings.feature_costs is not None:
        feature_cost(None, data.feature_names, settings.feature_costs)  # raises where it is none
    if data.time is not None and settings.is_adaptive:
        settings = replace(settings, cv="forward")
    data = with_positive_class(data, settings.pos_label)
    if settings.target_transform is not None:
        data = data.with_log_target(settings.target_transform)
    scoring = settings.scoring_of(data.task)
    measures, headline = asked_measures(scoring, data, settings.cost_matrix)
    learners = _with_median(learners, measures[0])
    is_growing = False
    if settings.is_adaptive:
        from bestofk.comparison.growing_comparison import has_growing_rows, hold_out_of

        is_growing = has_growing_rows(settings, data)
    learners, left_out = learners_to_try(
        learners, data, measures[0], is_growing=is_growing, is_raced=settings.is_adaptive
    )
    learners, notes = tuned_learners(learners, measures[0], data, tune=settings.tune)
    if settings.calibrate:
        from bestofk.comparison.calibrated_learners import calibrated_learners, rare_class_note

        learners, not_calibrated = calibrated_learners(learners, data)
        notes += not_calibrated
    cv, interim = settings.cv, None
    if settings.is_adaptive and not is_growing and not settings.forward.given_names:
        interim = adaptive_repeats(learners, measures[0], settings)
        cv = f"{interim.looks[-1]}x{adaptive_folds(data)}"
    stratify, random_state = settings.stratify, settings.random_state
    if is_growing:
        plan: Plan = hold_out_of(data, settings)
    else:
        plan = make_plan(
            data, cv, stratify=stratify, random_state=random_state, forward=settings.forward
        )
    if isinstance(plan, ForwardPlan):
        if data.time is not None:
            learners = [*learners, *time_baselines(data, plan, learners)]
        data = replace(data, time=plan.time)  # rows as they stand, where no column says more
        if settings.test == VerdictOptions.test:
            settings = replace(settings, test=OVER_TIME)
    notes += rare_class_note(data, plan) if settings.calibrate else ()
    _check_verdict(settings, plan, learners, measures[0])
    request = EvaluationRequest(
        data,
        plan,
        learners,
        int(settings.random_state),
        settings.keep,
        with_shown_measures(measures, data, settings.cost_matrix),
        settings.limits,
        settings.engine,
        settings.n_jobs,
        settings.part,
        settings.retry_failed,
        settings.batched,
        interim,
        settings.budget,
    )
    return PreparedComparison(
        request, measures, settings, headline, is_growing, (*left_out, *notes)
    )


def run_comparison(
    prepared: PreparedComparison,
    store: str | os.PathLike[str] | Store | None,
    progress: Observer | None = None,
) -> Comparison:
    """Execute the runs missing in the store, and weigh all of them."""
    observer = progress or Observer()
    rows_history: RowsHistory | None = None
    with opened_store(store) as opened, ExitStack() as at_end:
        at_end.callback(observer.end)
        if prepared.is_growing:
            from bestofk.comparison.growing_comparison import GrowingComparison

            growing = GrowingComparison(prepared.request, opened, observer)
            observer.begin(lambda part: _comparison_of(prepared, *growing.so_far(part)).findings)
            evaluation, rows_history = growing.run()
        else:
            observer.begin(partial(_provisional, prepared))
            evaluation = evaluate(prepared.request, opened, observer)
    comparison = _comparison_of(prepared, evaluation, rows_history, resume=resume_line(store))
    return with_average(comparison) if prepared.settings.average else comparison


def run_comparisons(
    prepared: Mapping[str, PreparedComparison],
    store: str | os.PathLike[str] | Store | None,
    progress: Observer | None = None,
) -> dict[str, Comparison]:
    """Execute the runs missing in the store on several data sets, which take turns.

    Parameters
    ----------
    prepared : mapping of str to PreparedComparison
        By the name of the data set; they share engine, number of jobs and budget.
    store : str, Path, Store or None
        One for all.
    progress : Observer, optional
        Receives the events.

    Returns
    -------
    dict of str to Comparison
        Without the data sets of which an interruption left no run.
    """
    observer = progress or Observer()
    together = {name: each for name, each in prepared.items() if not each.is_growing}
    observers = {name: observer.of_data_set(name, len(together)) for name in together}
    for name, each in together.items():
        observers[name].begin(partial(_provisional, each))
    results: dict[str, Comparison] = {}
    with opened_store(store) as opened, ExitStack() as at_end:
        at_end.callback(observer.end)
        requests = [each.request for each in together.values()]
        evaluations = evaluate_many(requests, opened, list(observers.values()))
        for (name, each), evaluation in zip(together.items(), evaluations, strict=True):
            if evaluation.n_fitted or evaluation.n_reused or not evaluation.is_interrupted:
                results[name] = _comparison_of(each, evaluation, resume=resume_line(store))
    if any(item.evaluation.is_interrupted for item in results.values()):
        return results
    for name, each in prepared.items():
        if each.is_growing:  # more rows follow on decisions, and leave no turn to others
            results[name] = run_comparison(each, store, progress)
    return {name: results[name] for name in prepared if name in results}


def _provisional(prepared: PreparedComparison, part: Evaluation) -> Findings:
    return provisional_findings(_comparison_of(prepared, part))


def _comparison_of(
    prepared: PreparedComparison,
    evaluation: Evaluation,
    rows_history: RowsHistory | None = None,
    *,
    resume: str = "",
) -> Comparison:
    """Return the comparison based on some runs."""
    interim: Any = prepared.request.interim
    stopping_history: StoppingHistory | None = None
    if interim is not None:  # it knows its folds from the first analysis on
        stopping_history = replace(interim.stopping_history(), n_folds=evaluation.plan.n_folds)
    n_asked = splits_asked_for(evaluation, stopping_history or rows_history)
    return Comparison(
        evaluation=evaluation,
        measures=prepared.measures,
        settings=prepared.settings,
        headline=prepared.headline,
        notes=(
            *prepared.notes,
            *run_notes(evaluation),
            *tuning_notes(evaluation),
            *cost_notes(prepared.settings.cost_matrix),
            *(() if stopping_history is None else stopping_history.notes),
        ),
        warnings=(
            *run_warnings(evaluation, n_asked),
            *search_warnings(evaluation),
        ),
        resume=resume,
        stopping_history=stopping_history,
        rows_history=rows_history,
    )


def time_baselines(
    data: DataSet, plan: ForwardPlan, learners: Sequence[Learner]
) -> Iterator[Learner]:
    """Yield the baselines that repeat earlier values of the target, without those named already."""
    kind = EarlierClassClassifier if data.is_classification else EarlierValueRegressor
    made = {LAST_PERIOD: kind(LAST_PERIOD, round(plan.n_test))}
    seasons = known_seasons(plan.time.values[plan.train_rows[0]]) if plan.time.is_date else ()
    if seasons:
        made[LAST_SEASON] = kind(LAST_SEASON, seasons=seasons)
    if data.groups is not None and not plan.is_grouped:
        made[LAST_OF_GROUP] = kind(LAST_OF_GROUP)
    taken = {learner.name for learner in learners}
    for name, estimator in made.items():
        if name not in taken:
            yield Learner(name, estimator, is_baseline=True)


def _with_median(learners: Sequence[Learner], measure: Measure) -> Sequence[Learner]:
    """Return learners with the median added, if the mean is the baseline.

    By absolute errors, because no constant has a lower one on the training rows.
    """
    baselines = {learner.name: learner.is_baseline for learner in learners}
    if not baselines.get("mean") or "median" in baselines or measure.name not in _ABSOLUTE_ERRORS:
        return learners
    return [Learner("median", named_learner("median"), is_baseline=True), *learners]


def _check_verdict(
    settings: VerdictOptions, plan: Plan, entered: Sequence[Learner], measure: Measure
) -> None:
    """Raise errors of the verdict before anything is trained."""
    test = wanted_test(settings.test)
    ranked = [learner.name for learner in entered if not learner.is_baseline]
    if settings.prefer is not None:
        prefer = ranked_only(settings.prefer, [learner.name for learner in entered], ranked)
        known = {kind: [1.0] * len(ranked) for kind in COST_KINDS}
        if settings.feature_costs is None:
            del known["feature-cost"]
        order_by_preference(ranked, prefer, known)
    check_plan(test, sampling_of(plan, np.arange(len(plan)), measure))
    check_row_test(test, measure.name, is_row_mean=measure.is_row_mean)


def adaptive_folds(data: DataSet) -> int:
    """Return the folds of a repeat that adaptive comparisons take: 5, or as many as groups."""
    from bestofk.stopping.adaptive_repeats import FOLDS

    n_units = data.n_samples if data.groups is None else len(np.unique(data.groups))
    return min(FOLDS, max(n_units, 2))


def adaptive_repeats(
    learners: Sequence[Learner], measure: Measure, settings: ComparisonSettings
) -> AdaptiveRepeats:
    """Return the interim analysis that decides which learners are repeated further, or raise."""
    from bestofk.stopping import SameVerdict, SettledPick, stopping_rule
    from bestofk.stopping.adaptive_repeats import MAX_REPEATS, AdaptiveRepeats

    stopping = settings.stopping
    if stopping is None:
        # MultiTest weighs evidence, of which a race would leave less for eliminated learners
        stopping = SettledPick() if settings.prefer is None else SameVerdict()
    is_single = isinstance(stopping, str) or not hasattr(stopping, "__iter__")
    rules = [stopping] if is_single else list(stopping)
    if not rules:
        raise InvalidArgumentError(
            "stopping must name at least one rule; got none. Leave it out for 'settled-pick'."
        )
    return AdaptiveRepeats(
        [learner.name for learner in learners],
        [learner.is_baseline for learner in learners],
        measure,
        max_repeats=MAX_REPEATS if settings.max_repeats is None else int(settings.max_repeats),
        alpha=settings.alpha,
        rope=settings.rope,
        rules=[stopping_rule(rule) for rule in rules],
    )


def provisional_findings(comparison: Comparison) -> Findings:
    """Return the findings on a comparison that is not finished.

    Learners are compared on splits that they share. One that has fewer than two of them is left
    out, so that a slow learner takes no evidence from the others. But where it is ahead of the
    pick on the splits of both, the splits that every learner has are the only fair ones.

    Parameters
    ----------
    comparison : Comparison
        With the runs that are finished.

    Returns
    -------
    Findings
    """
    findings, evaluation = comparison.findings, comparison.evaluation
    if findings.verdict.best is None:
        return findings
    losses = comparison.scores[0].losses
    of_pick = losses[evaluation.names.index(findings.verdict.best)]
    for index, learner in enumerate(findings.learners):
        is_shared = ~np.isnan(losses[index] + of_pick)
        if not learner.left_out or learner.is_baseline or not is_shared.any():
            continue
        if losses[index][is_shared].mean() < of_pick[is_shared].mean():
            counts = [evaluation.n_done(i) for i in range(len(losses))]
            fewest = min(count for count in counts if count)
            cut = evaluation.cut_at([fewest] * len(counts))
            return replace(comparison, evaluation=cut).findings
    return findings

"""Learning curves: training on growing parts of the rows, with a test of every pair."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.comparison.call_context import observer_of, opened_store, resume_line
from bestofk.comparison.comparison_settings import ComparisonSettings
from bestofk.comparison.input_data import as_data_set
from bestofk.comparison.prepared_comparison import PreparedComparison, prepare_comparison
from bestofk.comparison.run_remarks import cost_notes
from bestofk.curves.learning_curves import LearningCurves
from bestofk.curves.parts import by_parts, own_seconds, vanished
from bestofk.curves.points import CORRECTION, TEST, check_fixed, failures, interruption
from bestofk.data import check_comparable
from bestofk.evaluation import Evaluation, EvaluationCache, Observer, Store, evaluate
from bestofk.inference import Sampling
from bestofk.measures import Measure
from bestofk.report.words import times
from bestofk.resampling.plan import Plan
from bestofk.resampling.prefixes import PrefixPlan, curve_sizes, prefix_orders


def learning_curve(
    learners: Any,
    X: Any,
    y: Any = None,
    *,
    train_sizes: Any = 8,
    schedule: str = "geometric",
    cv: Any = "10x3",
    stratify: bool = True,
    task: str = "auto",
    groups: Any = None,
    sample_weight: Any = None,
    scoring: Any = None,
    pos_label: Any = None,
    cost_matrix: Any = None,
    alpha: float = 0.05,
    store: str | os.PathLike[str] | Store | None = None,
    timeout: float | None = None,
    n_jobs: int | None = None,
    batched: str = "auto",
    random_state: int = 0,
    progress: Any = "auto",
) -> LearningCurves:
    """Train learners on growing parts of the training rows of each split, and test every pair.

    Parameters
    ----------
    learners : list, dict, str or estimator
        As for `bestofk.compare`.
    X, y, task, groups, sample_weight
        The data set, as for `bestofk.compare`.
    train_sizes : int or sequence of int or float, default=8
        How many sizes, up to all training rows, or the sizes: whole numbers of rows or shares
        in (0, 1] of the training rows of the smallest split, ascending.
    schedule : {"geometric", "arithmetic"}, default="geometric"
        How so many sizes are spread.
    cv, stratify
        The splits, as for `bestofk.compare`, but for "adaptive". Each size trains on the first
        rows of the same random order of the training rows, so that parts are nested; with
        `stratify` every part has the shares of the classes.
    scoring, pos_label, cost_matrix
        What is measured, as for `bestofk.compare`; the first where there are several.
    alpha : float, default=0.05
        Level of the tests of all pairs at all sizes together.
    store, timeout, n_jobs, batched, random_state, progress
        As for `bestofk.compare`.

    Returns
    -------
    LearningCurves
        Scores of test and training rows by size, tests, and where orders change.

    Raises
    ------
    InvalidArgumentError
        If an argument breaks its rule, or the data cannot be compared on.

    Notes
    -----
    A learner is fitted once per size and split; it predicts the test rows and the rows that
    trained it.

    Examples
    --------
    >>> from bestofk import learning_curve
    >>> curves = learning_curve(["nearest-mean", "1nn"], "iris", train_sizes=[10, 30, 90], cv="2x3")
    >>> curves.frame().query("learner == '1nn'")["test"].round(3).tolist()
    [0.12, 0.083, 0.05]
    """
    check_fixed(cv)
    data = as_data_set(X, y, task=task, groups=groups, sample_weight=sample_weight)
    check_comparable(data)
    settings = ComparisonSettings(
        cv=cv, stratify=stratify, scoring=scoring, pos_label=pos_label, cost_matrix=cost_matrix,
        test=TEST, correction=CORRECTION, alpha=alpha, timeout=timeout, n_jobs=n_jobs,
        random_state=random_state, batched=batched,
    )  # fmt: skip
    prepared = prepare_comparison(learners, data, settings)
    base, measure = prepared.request.plan, prepared.measures[0]
    sizes = curve_sizes(
        train_sizes, int(base.sizes[0].min()), n_classes=len(data.classes), schedule=schedule
    )
    with opened_store(store) as opened:
        parts, is_interrupted = _evaluated(
            prepared, sizes, opened, observer_of(progress), resume_line(store)
        )
    test, train, fit_seconds, predict_seconds, model_bytes, complexity, units, notes = zip(
        *parts, strict=True
    )
    entered = prepared.request.learners
    return LearningCurves(
        data_name=data.name,
        learners=tuple(item.name for item in entered),
        is_baseline=tuple(item.is_baseline for item in entered),
        sizes=sizes[: len(parts)],
        measure=measure,
        test_values=np.array(test),
        train_values=np.array(train),
        train_seconds=np.array(fit_seconds),
        predict_seconds=np.array(predict_seconds),
        model_bytes=np.array(model_bytes),
        complexity=np.array(complexity),
        complexity_unit=np.array(units),
        sampling=_sampling(base),
        alpha=prepared.settings.alpha,
        random_state=random_state,
        notes=(*cost_notes(cost_matrix), *(note for of_size in notes for note in of_size)),
        is_interrupted=is_interrupted,
    )


def _evaluated(
    prepared: PreparedComparison,
    sizes: NDArray[np.int64],
    store: Store,
    observer: Observer | None,
    resume: str,
) -> tuple[list[tuple[Any, ...]], bool]:
    """Execute the runs size by size; return the kept results, and whether they were interrupted."""
    request = replace(prepared.request, measures=(), shared=EvaluationCache())
    measure = prepared.measures[0]
    orders = prefix_orders(request.data, request.plan)
    parts: list[tuple[Any, ...]] = []
    for size in sizes:
        plan = PrefixPlan.of(request.plan, orders, int(size))
        evaluation = evaluate(
            replace(request, plan=plan, title=times(int(size), "row")), store, observer
        )
        is_first = not parts
        if is_first or not evaluation.is_interrupted:
            parts.append(_measured(evaluation, plan, measure, request.positive))
        if evaluation.is_interrupted:
            where = f"with {times(int(size), 'row')}"
            parts[-1][-1].append(interruption(where, resume, is_first=is_first))
            return parts, True
    return parts, False


def _sampling(base: Plan) -> Sampling:
    return Sampling(
        base.scheme, base.n_repeats, base.n_folds, n_train=base.n_train, n_test=base.n_test
    )


def _measured(
    found: Evaluation, plan: PrefixPlan, measure: Measure, positive: int | None
) -> tuple[Any, ...]:
    """Return what is kept of the runs of one size."""
    parts = list(zip(plan.base.test_rows, plan.train_rows, strict=True))
    test, train = (
        evaluation.measured(measure, positive).values for evaluation in by_parts(found, parts)
    )
    seconds = (own_seconds(found, name) for name in ("train_seconds", "predict_seconds"))
    size = times(plan.size, "row")
    return (
        test, train, *seconds, found.size_bytes, found.complexity, found.complexity_units,
        [*failures(found, f"with {size}"), *vanished(found.data, plan, f" of {size}")],
    )  # fmt: skip

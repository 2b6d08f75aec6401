"""Learning curves: training on growing parts of the rows, with a test of every pair."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from bestofk.comparison.options import OPTIONS, CurveArguments
from bestofk.comparison.run_remarks import crowded_seconds, untrained_warnings
from bestofk.curves.curve import TEST
from bestofk.curves.learning_curves import LearningCurves
from bestofk.curves.levels import (
    by_parts,
    curve_data,
    evaluate_levels,
    failures,
    own_seconds,
    prepare_curve,
)
from bestofk.evaluation import Evaluation, EvaluationCache, EvaluationRequest
from bestofk.learners import resolve_learners
from bestofk.options import with_options
from bestofk.resampling.prefixes import PrefixPlan, curve_sizes, prefix_orders
from bestofk.words import times


class _Arguments(CurveArguments, total=False):
    test: str
    batched: str


@with_options(_Arguments, OPTIONS, cv="10x3", test=TEST)
def learning_curve(
    learners: Any,
    X: Any,
    y: Any = None,
    *,
    train_sizes: Any = 8,
    schedule: str = "geometric",
    test_seconds: bool = False,
    **options: Unpack[_Arguments],
) -> LearningCurves:
    """Train learners on growing parts of the training rows of each split, and test every pair.

    Parameters
    ----------
    learners : list, dict, str or estimator
        As for `bestofk.compare`.
    X, y
        The data set, as for `bestofk.compare`.
    train_sizes : int or sequence of int or float, default=8
        How many sizes, up to all training rows, or the sizes: whole numbers of rows or shares
        in (0, 1] of the training rows of the smallest split, ascending.
    schedule : {"geometric", "arithmetic"}, default="geometric"
        How so many sizes are spread.
    test_seconds : bool, default=False
        Whether to time how long predicting the test rows alone takes: one more fit per learner
        and size, on the first split. `predict_seconds` are of test and training rows together.
    cv, stratify
        The splits, as for `bestofk.compare`, but for "adaptive". Each size trains on the first
        rows of the same random order of the training rows, so that parts are nested; with
        `stratify` every part has the shares of the classes.
    scoring, pos_label, cost_matrix
        What is measured, as for `bestofk.compare`; the first where there are several.
    test : str, default="corrected-t"
        Of every pair: "corrected-t", "paired-t" (one repeat of folds, as the classroom has it),
        "5x2cv-t" (with cv="5x2"), "calibrated-t" or "sorted-runs-t" (with cv="10x10").
    alpha : float, default=0.05
        Level of the tests of all pairs at all sizes together.
    **options
        As for `bestofk.compare`.

    Returns
    -------
    LearningCurves
        Scores of test and training rows by size, tests, and where orders change.

    Raises
    ------
    InvalidArgumentError
        If an argument breaks its rule, or the data cannot be compared on.
    DesignError
        If the plan cannot carry the test.

    Notes
    -----
    A learner is fitted once per size and split; it predicts the test rows and the rows that
    trained it.

    Examples
    --------
    >>> from bestofk import learning_curve
    >>> curves = learning_curve(["nearest-mean", "1nn"], "iris", train_sizes=[10, 30, 90], cv="2x3")
    >>> curves.to_frame().query("learner == '1nn'")["test"].round(3).tolist()
    [0.12, 0.083, 0.05]
    """
    data = curve_data(X, y, options)
    prepared = prepare_curve(resolve_learners(learners, data.task), data, options)
    request, measure = prepared.request, prepared.measures[0]
    sizes = curve_sizes(
        train_sizes, int(request.plan.sizes[0].min()), n_classes=len(data.classes),
        schedule=schedule,
    ).tolist()  # fmt: skip
    shared, orders = EvaluationCache(), prefix_orders(data, request.plan)
    plans = [PrefixPlan.of(request.plan, orders, size) for size in sizes]

    def requests() -> Iterator[tuple[str, EvaluationRequest]]:
        of_all = replace(request, measures=(), shared=shared)
        for plan in plans:
            rows = times(plan.size, "row")
            yield f"with {rows}", replace(of_all, plan=plan, title=rows)
        for plan in plans if test_seconds else ():
            rows, alone = times(plan.size, "row"), plan.first_hold_out
            titled = replace(of_all, plan=alone, title=f"{rows}, test rows timed")
            yield f"while timing with {rows}", replace(titled, batched="never")

    def measured(evaluation: Evaluation, where: str) -> tuple[dict[str, Any], list[str]]:
        """Return what is kept of the runs of one size."""
        if not isinstance(evaluation.plan, PrefixPlan):
            return {"test_seconds": own_seconds(evaluation, "predict_cpu_seconds")[:, 0]}, []
        plan = evaluation.plan
        parts = list(zip(plan.base.test_rows, plan.train_rows, strict=True))
        test, train = (part.measured(measure).values for part in by_parts(evaluation, parts))
        of_size = f" of {times(plan.size, 'row')}"
        notes = [*failures(evaluation, where), *crowded_seconds(evaluation)]
        notes += untrained_warnings(data, plan, of_size)
        return {
            "test_values": test,
            "train_values": train,
            "train_seconds": own_seconds(evaluation, "train_cpu_seconds"),
            "predict_seconds": own_seconds(evaluation, "predict_cpu_seconds"),
            "model_bytes": evaluation.size_bytes,
            "complexity": evaluation.complexity,
            "complexity_unit": evaluation.complexity_units,
        }, notes

    kept, facts = evaluate_levels(prepared, requests(), options, measured)
    timed = [part["test_seconds"] for part in kept[len(sizes) :]]
    kept = kept[: len(sizes)]
    facts |= {name: np.array([of_size[name] for of_size in kept]) for name in kept[0]}
    untimed = [np.full(len(request.learners), np.nan)] * (len(kept) - len(timed))
    return LearningCurves(
        **facts,
        learners=tuple(learner.name for learner in request.learners),
        is_baseline=tuple(learner.is_baseline for learner in request.learners),
        test=prepared.settings.test,
        levels=tuple(sizes[: len(kept)]),
        test_seconds=np.array([*timed, *untimed]),
        random_state=request.random_state,
    )

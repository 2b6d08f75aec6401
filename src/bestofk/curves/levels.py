"""Runs of a curve: level by level under one plan, and predictions of parts of a split."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from bestofk.array_types import Floats, Ints
from bestofk.comparison.call_context import observer_of, opened_store, resume_line
from bestofk.comparison.input_data import as_data_set
from bestofk.comparison.options import ComparisonSettings, ReadOptions
from bestofk.comparison.prepared_comparison import PreparedComparison, prepare_comparison
from bestofk.comparison.run_remarks import cost_notes, lost_runs
from bestofk.curves.curve import CORRECTION, TEST
from bestofk.data import DataSet
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation import Evaluation, EvaluationRequest, evaluate
from bestofk.evaluation.record import Predictions, RunRecord
from bestofk.inference import Caution, Sampling
from bestofk.inference.two_learners.catalogue import paired_test
from bestofk.learners import Learner
from bestofk.options import chosen
from bestofk.resampling.plan import CUSTOM, SplitPlan

_Kept = TypeVar("_Kept")


def check_fixed(cv: Any) -> None:
    """Refuse plans that end at different repeats at different levels of a curve."""
    if isinstance(cv, str) and cv.strip().lower() == "adaptive":
        raise InvalidArgumentError(
            "cv of a curve must be a fixed plan; got 'adaptive'. Every point needs the same "
            "splits; write '10x3'."
        )


def curve_data(X: Any, y: Any, options: Mapping[str, object]) -> DataSet:
    """Return the data set of a curve, or raise if it, or the plan, does not fit one."""
    check_fixed(options["cv"])
    return as_data_set(X, y, **chosen(ReadOptions, options))


def prepare_curve(
    learners: Sequence[Learner], data: DataSet, options: Mapping[str, object]
) -> PreparedComparison:
    """Check and plan the runs of a curve; options are those of `bestofk.compare`."""
    wanted = {"test": TEST} | chosen(ComparisonSettings, options)
    wanted["test"] = paired_test(wanted["test"]).name
    return prepare_comparison(learners, data, ComparisonSettings(correction=CORRECTION, **wanted))


def evaluate_levels(
    prepared: PreparedComparison,
    requests: Iterable[tuple[str, EvaluationRequest]],
    options: Mapping[str, object],
    kept: Callable[[Evaluation, str], tuple[_Kept, list[str]]],
) -> tuple[list[_Kept], dict[str, Any]]:
    """Execute the runs of a curve level by level.

    A level that is not finished is left out, since learners whose runs are missing would look
    like losers; but the first is kept, for there is no other.

    Parameters
    ----------
    prepared : PreparedComparison
        Plan and settings of all runs.
    requests : iterable of (str, EvaluationRequest)
        Of each level, where it is ("at 10 % noise") and its runs.
    options : mapping of str to value
        As for `bestofk.compare`.
    kept : callable
        Makes what is kept of the runs of a level, and notes on them; a note stands once.

    Returns
    -------
    list
        What is kept of each level.
    dict
        Fields of `ScoreCurve` but for learners and levels.
    """
    levels: list[_Kept] = []
    notes = [*cost_notes(prepared.settings.cost_matrix)]
    store = options["store"]
    observer = observer_of(options["progress"])
    with opened_store(store) as opened:
        for where, request in requests:
            evaluation = evaluate(request, opened, observer)
            is_first = not levels
            if is_first or not evaluation.is_interrupted:
                values, remarks = kept(evaluation, where)
                levels.append(values)
                notes += remarks
            if evaluation.is_interrupted:
                left_out = "" if is_first else "; what was done there is left out"
                text = f"Interrupted {where}{left_out}. {resume_line(store)}"
                notes.append(Caution("incomplete", text))
                break
    plan, test = prepared.request.plan, prepared.settings.test
    sampling = Sampling(plan.scheme, plan.n_repeats, plan.n_folds, plan.n_train, plan.n_test)
    if test != TEST:
        notes += paired_test(test).warnings(sampling)
    return levels, {
        "data_name": prepared.request.data.name,
        "measure": prepared.measures[0],
        "sampling": sampling,
        "alpha": prepared.settings.alpha,
        "notes": tuple(dict.fromkeys(notes)),
        "is_interrupted": evaluation.is_interrupted,
        "guessed": prepared.request.data.notes,
    }


def failures(evaluation: Evaluation, where: str) -> list[str]:
    """Return of each learner how many of its runs failed at a level, and the first reason."""
    notes: list[str] = []
    for index, name in enumerate(evaluation.names):
        failed = evaluation.failures(index)
        if failed:
            why, n_runs = failed[0][-1].rstrip("."), len(evaluation.plan)
            text = f"{name} failed in {len(failed)} of {n_runs} runs {where}: {why}."
            notes.append(Caution("incomplete", text))
    return [*notes, *lost_runs(evaluation)]


def without_value(reasons: dict[str, str]) -> list[str]:
    """Return why learners have no value of the measure."""
    return [
        Caution("incomplete", f"{name}: {reason.rstrip('.')}.") for name, reason in reasons.items()
    ]


def by_parts(evaluation: Evaluation, parts: Sequence[Sequence[Ints]]) -> list[Evaluation]:
    """Return the runs once for each part, as if its rows alone had been predicted.

    Parameters
    ----------
    evaluation : Evaluation
        Runs that predicted the rows of all parts of a split, end to end.
    parts : sequence of sequence of ndarray
        Rows of each part of each split; every split has as many parts.

    Returns
    -------
    list of Evaluation
        One per part.
    """
    edges = [np.cumsum([0, *(len(rows) for rows in split)]).tolist() for split in parts]
    slices = [[slice(*edge) for edge in pairwise(of_split)] for of_split in edges]
    train_rows = evaluation.plan.train_rows
    return [
        _of_part(
            evaluation, train_rows, [split[k] for split in parts], [split[k] for split in slices]
        )
        for k in range(len(parts[0]))
    ]


def _of_part(
    evaluation: Evaluation,
    train_rows: Sequence[Ints],
    rows: Sequence[Ints],
    slices: Sequence[slice],
) -> Evaluation:
    plan = evaluation.plan
    shown = SplitPlan(
        plan.name, CUSTOM, plan.n_samples, plan.n_repeats, plan.n_folds, plan.is_stratified,
        plan.is_grouped, plan.random_state, plan.notes, tuple(zip(train_rows, rows, strict=True)),
    )  # fmt: skip
    records = tuple(
        tuple(
            None if item is None else _cut(item, index)
            for item, index in zip(row, slices, strict=True)
        )
        for row in evaluation.records
    )
    return replace(evaluation, plan=shown, records=records, kept_scores=({},) * len(records))


def _cut(record: RunRecord, rows: slice) -> RunRecord:
    """Return what a measure needs of a run: its status, and what it predicted of some rows."""
    given = record.predictions
    if given is None:
        return record
    predictions = Predictions(
        given.labels[rows],
        None if given.probabilities is None else given.probabilities[rows],
        None if given.decision is None else given.decision[rows],
    )
    return RunRecord(
        record.status, predictions, record.train_seconds, record.predict_seconds,
        train_cpu_seconds=record.train_cpu_seconds, predict_cpu_seconds=record.predict_cpu_seconds,
    )  # fmt: skip


def own_seconds(evaluation: Evaluation, name: str) -> Floats:
    """Return seconds of runs timed alone, (n_learners, n_splits); one run for batched learners."""
    seconds = np.full((len(evaluation.names), len(evaluation.plan)), np.nan)
    for row, own in zip(seconds, evaluation.own_seconds(name), strict=True):
        row[: len(own)] = own[: len(row)]
    return seconds

"""Histories from the stores of earlier comparisons."""

import functools
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bestofk.array_types import Floats, Ints
from bestofk.comparison.call_context import opened_store
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.identity.identity import bare_id
from bestofk.evaluation.score import prediction_batch
from bestofk.evaluation.status import MISSING, OK, is_ok, is_out_of_time
from bestofk.evaluation.store import Store, check_exists
from bestofk.evaluation.store.runs import StoredRuns, kept_values
from bestofk.evaluation.store.store import StoredData, StoredLearner, StoredSplits
from bestofk.evaluation.timing import ALONE, CROWDED, timing_of
from bestofk.measures import Measure, PredictionBatch, get_measure
from bestofk.measures.measure import CLASSIFICATION
from bestofk.recommendation.history import History, fold_scores_of

BASELINE = "majority"

SHORT_IDENTITY = 8  # letters of an identity that tell apart what shares a name
_Identity = tuple[str, str]  # name and identity, of a data set or a learner
_Plan = tuple[str, str, int]  # name, identity, random state


@dataclass(frozen=True)
class _Run:
    """Part of a run that a history needs; the score is nan if there is none."""

    status: str
    score: float
    seconds: float
    is_batched: bool
    is_crowded: bool


_Runs = dict[tuple[int, int], _Run]  # by repeat and fold


@dataclass(eq=False)
class _Collected:
    """The runs of all stores: by data set, plan and learner."""

    runs: dict[_Identity, dict[_Plan, dict[_Identity, _Runs]]] = field(default_factory=dict)
    truths: dict[str, StoredData] = field(default_factory=dict)
    machines: list[str] = field(default_factory=list)


def read_stores(*stores: str | os.PathLike[str] | Store, measure: str = "accuracy") -> History:
    """Read the history that comparisons left in stores.

    Parameters
    ----------
    *stores : str, Path or Store
        Files that comparisons wrote, or open stores.  A data set that is in several is one row.
    measure : str, default="accuracy"
        A measure of classification with values from 0 to 1; where less is better, the score is
        1 minus it.  Data sets without classes are left out.

    Returns
    -------
    History
        Scores are means over the runs of a learner.  Seconds are those of training and
        predicting, summed over the folds of a repeat and averaged over whole repeats; of a data
        set with crowded runs those of runs timed alone, if every learner has one.  A learner
        with a failed run has its status as state and no score; one without a whole repeat is
        missing.  Of several plans of a data set the one with most runs counts.  The score before
        any test is that of the learner ``majority``, else that of always predicting the
        commonest class.

    Raises
    ------
    StoreError
        If a file is missing or no store.
    InvalidArgumentError
        If there are no runs on data sets with classes, the measure is unknown or not one from
        0 to 1, or no run kept what it needs.

    Examples
    --------
    >>> from bestofk import Store, compare
    >>> with Store() as store:
    ...     _ = compare(["majority", "nearest-mean"], "iris", cv="5x2", store=store)
    ...     history = read_stores(store)
    >>> history.data_sets, history.learners, history.default_scores.round(2).tolist()
    (('iris',), ('majority', 'nearest-mean'), [0.33])
    """
    _check_measure(measure)
    collected = _Collected()
    for source in stores:
        if not isinstance(source, Store):
            check_exists(Path(source))
        with opened_store(source) as store:
            _collect(store, measure, collected)
    if not collected.runs:
        names = ", ".join(str(getattr(item, "path", item)) for item in stores) or "no store"
        raise InvalidArgumentError(
            f"stores of a history must hold runs on data sets with classes; got none in {names}. "
            "Compare classifiers with store= first."
        )
    return _history(collected, measure)


def _check_measure(name: str) -> None:
    measure = get_measure(name, task=CLASSIFICATION, classes=["a", "b"], cost_matrix=np.eye(2))
    if name == "cost" or measure.minimum < 0 or measure.maximum > 1:
        raise InvalidArgumentError(
            f"measure of a history must be one from 0 to 1 that needs no costs; got {name}. "
            "Take accuracy, balanced_accuracy, f1 or auroc."
        )


# -- out of the stores -------------------------------------------------------------------


def _collect(store: Store, measure: str, collected: _Collected) -> None:
    """Score the runs of a store and put them with the others."""
    splits_of = functools.cache(store.stored_splits)
    for learner in store.stored_learners():
        data = learner.data
        if data.task != CLASSIFICATION:
            continue
        splits = splits_of(learner.plan_number, data.n_samples)
        parts = list(store.runs_of(learner, splits))
        if not parts:
            continue
        truth = collected.truths.setdefault(data.id, data)
        plans = collected.runs.setdefault((data.name, data.id), {})
        plan = (learner.plan, learner.plan_id, learner.random_state)
        identity = (learner.name, bare_id(learner.id))
        runs = plans.setdefault(plan, {}).setdefault(identity, {})
        scores = _scores(learner, splits, parts, measure, truth, store)
        for (indices, some), values in zip(parts, scores, strict=True):
            seconds, is_batched = _seconds(some), some.table.is_batched.tolist()
            status, is_crowded = some.table.status.tolist(), some.table.is_crowded.tolist()
            for i, index in enumerate(indices.tolist()):
                key = (int(splits.repeat[index]), int(splits.fold[index]))
                if key not in runs or not is_ok(runs[key].status):
                    runs[key] = _Run(
                        status[i], float(values[i]), seconds[i], is_batched[i], is_crowded[i]
                    )
    described = "{machine} ({processor}, {cores} cores)"
    machines = [described.format(**environment) for environment in store.environments().values()]
    collected.machines += [machine for machine in machines if machine not in collected.machines]


def _seconds(runs: StoredRuns) -> list[float]:
    """Return what each run took: the limit that it ran into, nan where it is not known."""
    table = runs.table
    both = table.train_seconds + table.predict_seconds
    spent = np.where(table.is_batched, table.train_seconds, both)
    seconds: list[float] = np.where(is_out_of_time(table.status), runs.limits, spent).tolist()
    return seconds


def _scores(
    learner: StoredLearner,
    splits: StoredSplits,
    parts: Sequence[tuple[Ints, StoredRuns]],
    name: str,
    truth: StoredData,
    store: Store,
) -> Iterator[Floats]:
    """Give the scores of the runs of one learner on one data set; nan where there is none."""
    measure = truth.measure(name)
    kept = store.scores(learner.data.number, learner.number)
    batches = [_batch(indices, runs, splits, truth) for indices, runs in parts]
    known = [batch for batch in batches if batch is not None]
    has_none = measure.missing_reason(
        has_probabilities=all(batch.probabilities is not None for batch in known),
        has_decision=all(batch.decision is not None for batch in known),
    )
    for (_, runs), batch in zip(parts, batches, strict=True):
        values = kept_values(kept, measure.name, runs.splits, runs.streams)
        if measure.name == "accuracy":  # the error is what comparisons keep with runs
            errors = kept_values(kept, "error", runs.splits, runs.streams)
            values = np.where(np.isnan(values), 1 - errors, values)
        if batch is not None and not has_none:
            values[runs.table.has_predictions] = measure.compute(batch)
        yield _as_scores(measure, values)


def _as_scores(measure: Measure, values: Floats) -> Floats:
    return values if measure.greater_is_better else 1 - values


def _batch(
    indices: Ints, runs: StoredRuns, splits: StoredSplits, truth: StoredData
) -> PredictionBatch | None:
    """Return the predictions of runs laid end to end; None where there are none."""
    have = indices[runs.table.has_predictions]
    if not len(have):
        return None
    rows = [splits.test_rows[index] for index in have]
    return prediction_batch(truth, rows, runs.table)


# -- into a history ----------------------------------------------------------------------


def _history(collected: _Collected, measure: str) -> History:
    notes = _notes(collected)
    chosen: dict[_Identity, dict[_Identity, _Runs]] = {
        data_set: max(plans.values(), key=_n_runs) for data_set, plans in collected.runs.items()
    }
    learners = _labels(learner for runs in chosen.values() for learner in runs)
    data_sets = _labels(chosen)
    shape = (len(data_sets), len(learners))
    scores, seconds = np.full(shape, np.nan), np.full(shape, np.nan)
    states = np.full(shape, MISSING, dtype=object)
    defaults, sizes = np.full(shape[0], np.nan), np.full((shape[0], 2), np.nan)
    crowded: list[str] = []
    of_folds: list[dict[Any, float]] = [{} for _ in data_sets]
    for i, (data_set, runs_of) in enumerate(chosen.items()):
        n_folds = 1 + max(fold for runs in runs_of.values() for _, fold in runs)
        timing = timing_of(
            (
                [run.is_crowded for run in runs.values()],
                [is_ok(run.status) for run in runs.values()],
            )
            for runs in runs_of.values()
        )
        if timing == CROWDED:
            crowded.append(data_sets[data_set])
        truth = collected.truths[data_set[1]]
        sizes[i] = len(truth.y), truth.n_features
        defaults[i] = _constant_score(measure, truth)
        for j, learner in enumerate(learners):
            cell = _cell(runs_of.get(learner, {}), n_folds, is_alone=timing == ALONE)
            scores[i, j], seconds[i, j], states[i, j] = cell
            if is_ok(states[i, j]):
                runs = runs_of[learner]
                of_folds[i].update({(j, split): run.score for split, run in runs.items()})
            if learner[0] == BASELINE and is_ok(states[i, j]):
                defaults[i] = scores[i, j]
    if np.isnan(scores).all():
        ((commonest, _),) = Counter(states.ravel().tolist()).most_common(1)
        raise InvalidArgumentError(
            f"stores of a history must hold what {measure} needs; got {commonest} for "
            "every learner. Take another measure, or compare with keep='probabilities'."
        )
    if crowded:
        notes.append(
            f"Times on {', '.join(crowded)} are longer than alone: other runs went on meanwhile."
        )
    is_better = next(iter(collected.truths.values())).measure(measure).greater_is_better
    return History.from_arrays(
        scores,
        seconds,
        data_sets=list(data_sets.values()),
        learners=list(learners.values()),
        default_scores=defaults,
        measure=measure if is_better else f"1 - {measure}",
        task=CLASSIFICATION,
        shapes=sizes,
        states=states,
        machines=collected.machines,
        notes=notes,
        fold_scores=fold_scores_of(of_folds, len(learners)),
    )


def _cell(runs: _Runs, n_folds: int, *, is_alone: bool) -> tuple[float, float, str]:
    """Return score, seconds and state of a learner on a data set."""
    failed = [run.status for _, run in sorted(runs.items()) if not is_ok(run.status)]
    per_repeat = Counter(repeat for repeat, _ in runs)
    whole = [repeat for repeat, count in per_repeat.items() if count == n_folds]
    times = [run.seconds for (repeat, _), run in runs.items() if repeat in whole]
    seconds = float(np.sum(times)) / len(whole) if whole else float("nan")
    alone = [run.seconds for run in runs.values() if not run.is_crowded]
    if is_alone and alone:
        seconds = float(np.mean(alone)) * n_folds
    if failed:
        return float("nan"), seconds, failed[0]
    values = [run.score for (repeat, _), run in runs.items() if repeat in whole]
    score = float(np.mean(values)) if values else float("nan")
    return score, seconds, MISSING if np.isnan(score) else OK


def _constant_score(name: str, truth: StoredData) -> float:
    """Return the score of always predicting the commonest class, and the shares of all."""
    counts = np.bincount(truth.y, minlength=len(truth.classes))
    n_rows = len(truth.y)
    batch = PredictionBatch(
        truth.y,
        np.full(n_rows, counts.argmax()),
        np.array([0, n_rows]),
        truth.classes,
        probabilities=np.tile(counts / n_rows, (n_rows, 1)),
        positive=truth.positive,
    )
    measure = truth.measure(name)
    return float(_as_scores(measure, measure.compute(batch))[0])


def _n_runs(runs_of: dict[_Identity, _Runs]) -> int:
    return sum(map(len, runs_of.values()))


def _labels(identities: Iterable[_Identity]) -> dict[_Identity, str]:
    """Return a name for each; what shares one carries the start of its identity too."""
    known = list(dict.fromkeys(identities))
    shared = Counter(name for name, _ in known)
    return {
        (name, identity): name if shared[name] == 1 else f"{name} ({identity[:SHORT_IDENTITY]})"
        for name, identity in known
    }


def _notes(collected: _Collected) -> list[str]:
    notes = []
    for (name, _), plans in collected.runs.items():
        if len(plans) > 1:
            most = max(plans, key=lambda plan: _n_runs(plans[plan]))
            notes.append(f"{name} has runs of {len(plans)} plans; {most[0]}, random state "
                         f"{most[2]}, counts, with {_n_runs(plans[most])} runs.")  # fmt: skip
    if len(collected.machines) > 1:
        notes.append(f"Times come from {len(collected.machines)} machines and may not compare.")
    batched = {
        learner[0]
        for plans in collected.runs.values()
        for runs_of in plans.values()
        for learner, runs in runs_of.items()
        if any(run.is_batched for run in runs.values())
    }
    if batched:
        names = ", ".join(sorted(batched))
        notes.append(f"Trained on all folds at once, in the seconds that this took: {names}.")
    return notes

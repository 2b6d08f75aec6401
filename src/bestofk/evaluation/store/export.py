"""Export of a store as one table of scores that any program can read."""

import functools
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from bestofk.array_types import Floats, Ints
from bestofk.checks import check_known, nearest_name
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.record import BATCHED, KEEP_SCORES, PLAIN
from bestofk.evaluation.run_table import RUN_FACTS, RunTable
from bestofk.evaluation.score import missing_reason, prediction_batch
from bestofk.evaluation.status import OK, is_done, is_ok
from bestofk.evaluation.store.runs import KeptScores, kept_values
from bestofk.evaluation.store.store import Store, StoredLearner, StoredSplits
from bestofk.evaluation.text_column import coded_texts, text_column
from bestofk.measures import choose_scoring, is_measure_name, measure_names, shown_measures

SHAPES = ("long", "wide")
_LONG = [
    "dataset", "plan", "learner", "repeat", "fold", "measure", "value", "n_train", "n_test",
    "status", *RUN_FACTS, "fit_mode", "chosen_settings", "message",
]  # fmt: skip
_SPLIT = ["dataset", "plan", "repeat", "fold", "n_train", "n_test"]
_TABLE_ROWS = 1 << 14  # of a table of runs that is not held as a whole


def export_scores(
    store: Store, measures: Sequence[str] | None = None, *, shape: str = "long"
) -> Any:
    """Return the scores of all runs of a store, computed from the stored predictions.

    Parameters
    ----------
    store : Store
        All its comparisons are taken; a run that several of them share is there once.
    measures : sequence of str, optional
        Names of measures, each taken for the data sets of its task.  By default error (root mean
        squared error for regression) and those that every report shows; the first of them
        for the wide shape, which takes one.
    shape : {"long", "wide"}, default="long"
        One row per run and measure, or one row per split and one column per learner.

    Returns
    -------
    DataFrame
        Long: dataset, plan, learner, repeat, fold, measure, value (in the unit of the
        measure; nan where there is none), n_train, n_test, status, train_seconds and
        predict_seconds (by the clock), train_cpu_seconds and predict_cpu_seconds (of the
        processor), peak_bytes (of memory; nan where unknown), is_crowded (whether other runs went
        on meanwhile), is_isolated (whether its process did runs of no other learner), fit_mode
        (plain or batched), chosen_settings (of a tuned learner, as JSON), message (of the run, or
        why there is no value).
        Wide: dataset, plan, repeat, fold, n_train, n_test, then the learners.
        What shares a name but is not the same carries the start of its identity too.

    Raises
    ------
    InvalidArgumentError
        If a name is unknown, or the wide shape is asked for more than one measure.

    Notes
    -----
    Two classes: the positive one is the usual or the rarer one, whatever class a comparison
    used; see `bestofk.measures.resolve_pos_label`.
    Where predictions were not kept, values stored with the runs are used.

    Examples
    --------
    >>> from bestofk import Store, compare
    >>> with Store() as store:
    ...     _ = compare(["majority", "nearest-mean"], "iris", cv="5x2", store=store)
    ...     export_scores(store, ["error"], shape="wide").columns[-2:].tolist()
    ['majority', 'nearest-mean']
    """
    tables = list(score_tables(store, measures, shape=shape))
    return pd.concat(tables, ignore_index=True)


def score_tables(
    store: Store, measures: Sequence[str] | None = None, *, shape: str = "long"
) -> Iterator[Any]:
    """Give the table of `export_scores` in parts, so that it need not be held as a whole.

    Yields
    ------
    DataFrame
        The long shape: runs of one learner on one plan with one measure. The wide shape:
        all at once. At least one table, which may be empty.
    """
    _check(measures, shape)
    learners = labelled_learners(store)
    if measures is None and shape == "wide":
        tasks = {item.learner.data.task for item in learners}
        measures = [choose_scoring(task, [1, 1])[0][0] for task in sorted(tasks)][:1]
    tables = _long_tables(learners, store, measures)
    if shape == "wide":
        yield _wide_table(tables)
        return
    yield from tables if learners else [_no_rows()]


def _check(measures: Sequence[str] | None, shape: str) -> None:
    check_known(shape, "shape", SHAPES, rule="long or wide")
    if shape == "wide" and measures is not None and len(measures) != 1:
        raise InvalidArgumentError(
            f"measures must be one for the wide shape; got {', '.join(measures)}. "
            "Use the long shape for several."
        )
    known = [name for task in ("classification", "regression") for name in measure_names(task)]
    for name in measures or ():
        if not any(is_measure_name(name, task) for task in ("classification", "regression")):
            raise InvalidArgumentError(
                f"measures must be names of measures; got {name!r}. {nearest_name(name, known)}"
            )


class LabelledLearner(NamedTuple):
    """A learner of a comparison, and the names that tell it from others."""

    learner: StoredLearner
    dataset: str
    plan: str
    name: str


def labelled_learners(store: Store) -> list[LabelledLearner]:
    """Return the learners with runs; names of data sets, plans and learners tell them apart."""
    learners = [item for item in store.stored_learners() if store.has_stored_runs(item)]
    data = _labels({(item.data.name, item.data.id) for item in learners})
    names = _labels({(item.name, item.id) for item in learners})
    plans: dict[tuple[str, str], set[tuple[str, int]]] = defaultdict(set)
    for item in learners:
        plans[item.data.id, item.plan].add((item.plan_id, item.random_state))
    labelled = []
    for item in learners:
        plan = item.plan
        if len(plans[item.data.id, plan]) > 1:
            plan = f"{plan} (random_state {item.random_state}, {item.plan_id[:8]})"
        of_data = data[item.data.name, item.data.id]
        labelled.append(LabelledLearner(item, of_data, plan, names[item.name, item.id]))
    return labelled


def _labels(pairs: set[tuple[str, str]]) -> dict[tuple[str, str], str]:
    names = [name for name, _ in pairs]
    return {
        (name, identity): name if names.count(name) == 1 else f"{name} ({identity[:8]})"
        for name, identity in pairs
    }


def _long_tables(
    learners: Sequence[LabelledLearner], store: Store, measures: Sequence[str] | None
) -> Iterator[Any]:
    splits_of = functools.lru_cache(maxsize=1)(store.stored_splits)
    for item in learners:
        data = item.learner.data
        splits = splits_of(item.learner.plan_number, data.n_samples)
        names = _names_for(data.task, measures)
        yield from _scored(item, splits, names, store)


def _no_rows() -> Any:

    return pd.DataFrame([], columns=_LONG)


def _names_for(task: str, measures: Sequence[str] | None) -> list[str]:
    if measures is None:
        return list(dict.fromkeys([*choose_scoring(task, [1, 1])[0], *shown_measures(task)]))
    return [name for name in measures if is_measure_name(name, task)]


def _scored(
    item: LabelledLearner, splits: StoredSplits, names: Sequence[str], store: Store
) -> Iterator[Any]:
    """Give the table of one learner on one plan for each measure."""
    learner, n_splits = item.learner, len(splits.number)
    data = item.learner.data
    measures = {name: None if name == "cost" else data.measure(name) for name in names}
    values = {name: np.full(n_splits, np.nan) for name in names}
    runs = RunTable(n_splits)  # without predictions, but for those of runs with a message
    gives = {"has_probabilities": True, "has_decision": True}
    streams = np.zeros(n_splits, dtype=np.int64)
    is_predicted = np.zeros(n_splits, dtype=bool)
    for indices, some in store.runs_of(learner, splits):
        chosen = _first_per_split(indices, runs)
        indices, table = indices[chosen], some.table.take(chosen)
        runs.put_table(indices, table.kept(KEEP_SCORES))
        streams[indices] = some.streams[chosen]
        is_predicted[indices] = table.has_predictions
        have = indices[table.has_predictions]
        if not len(have):
            continue
        batch = prediction_batch(data, [splits.test_rows[index] for index in have], table)
        gives["has_probabilities"] &= batch.probabilities is not None
        gives["has_decision"] &= batch.decision is not None
        for name, measure in measures.items():
            if measure is not None and not missing_reason(measure, batch):
                values[name][have] = measure.compute(batch)
    done = np.flatnonzero(runs.is_done)
    messages = {index: record.message for index, record in runs.noted()}
    texts = {
        "status": coded_texts(
            {i: str(runs.status[i]) for i in done[~is_ok(runs.status[done])].tolist()}, n_splits, OK
        ),
        "chosen_settings": coded_texts(
            {
                index: json.dumps(json.loads(record.choice)["setting"])
                for index, record in runs.noted()
                if record.choice
            },
            n_splits,
        ),
    }
    kept: dict[str, KeptScores] | None = None
    for name, measure in measures.items():
        reason = "" if is_predicted.any() else "predictions were not kept"
        if measure is not None and is_predicted.any():
            reason = measure.missing_reason(**gives) or ""
            if reason:
                values[name][is_predicted] = np.nan
        shown = dict(messages)
        gaps = done[np.isnan(values[name][done])]
        if len(gaps):
            if kept is None:
                kept = store.scores(learner.data.number, learner.number)
            values[name][gaps] = kept_values(kept, name, splits.number[gaps], streams[gaps])
        for index in gaps[np.isnan(values[name][gaps]) & is_ok(runs.status[gaps])].tolist():
            shown[index] = reason or (
                measure.undefined if measure is not None else "costs are not in a store"
            )
        texts["message"] = coded_texts(shown, n_splits)
        for start in range(0, max(1, len(done)), _TABLE_ROWS):
            part = done[start : start + _TABLE_ROWS]
            yield _table(item, splits, runs, part, name, values[name], texts)


def _first_per_split(indices: Ints, known: RunTable) -> Ints:
    """Return which runs count: one that ran into no limit comes before those that did."""
    first = np.sort(np.unique(indices, return_index=True)[1])
    return first[~is_done(known.status[indices[first]])]


def _table(
    item: LabelledLearner,
    splits: StoredSplits,
    runs: RunTable,
    done: Ints,
    measure: str,
    values: Floats,
    texts: Mapping[str, tuple[list[str], Ints]],
) -> Any:
    same = np.zeros(len(done), dtype=np.int64)
    each = {name: text_column(known, codes[done]) for name, (known, codes) in texts.items()}
    columns = {
        "dataset": text_column([item.dataset], same),
        "plan": text_column([item.plan], same),
        "learner": text_column([item.name], same),
        "repeat": splits.repeat[done],
        "fold": splits.fold[done],
        "measure": text_column([measure], same),
        "value": values[done],
        "n_train": splits.n_train[done],
        "n_test": splits.n_test[done],
        "status": each["status"],
        **{name: getattr(runs, name)[done] for name in RUN_FACTS},
        "fit_mode": text_column([PLAIN, BATCHED], runs.is_batched[done].astype(int)),
        "chosen_settings": each["chosen_settings"],
        "message": each["message"],
    }
    return pd.DataFrame(columns)


def _wide_table(tables: Iterable[Any]) -> Any:

    parts = [table[[*_SPLIT, "learner", "value"]] for table in tables]
    table = pd.concat(parts or [_no_rows()], ignore_index=True)
    names = list(dict.fromkeys(table["learner"]))
    wide = table.pivot(index=_SPLIT, columns="learner", values="value")
    wide = wide.reindex(columns=names).reset_index()
    wide.columns.name = None
    return wide

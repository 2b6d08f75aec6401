"""Predictions of fitted learners for the rows of test sets, from a table or a store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final

import numpy as np
import pandas as pd

from bestofk.checks import check_known
from bestofk.data.score_column_names import hold_numbers, number_or_nan, with_known_names
from bestofk.data.score_formats.source_table import open_table
from bestofk.data.task import resolve_task
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.evaluation import RowPredictions
from bestofk.evaluation.score import prediction_batch
from bestofk.evaluation.store import Store, labelled_learners
from bestofk.inference import Procedure
from bestofk.inference.catalogue import ON_ROWS, ProcedureInput, input_of_rows
from bestofk.measures import PredictionBatch, resolve_pos_label

COLUMNS: Final = ("row", "learner", "truth", "prediction", "repeat", "fold")
Split = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Predicted:
    """Predictions of one learner.

    Parameters
    ----------
    batch : PredictionBatch
        Of its runs, one after the other.
    splits : list of (int, int)
        Repeat and fold of each run.
    rows : ndarray of shape (n_rows,)
        What names the rows; within a run always in the same order.
    """

    batch: PredictionBatch
    splits: list[Split]
    rows: np.ndarray

    def of_splits(self, splits: Iterable[Split]) -> tuple[PredictionBatch, np.ndarray]:
        """Return the predictions on some splits, in their order, and the rows."""
        runs = [self.splits.index(split) for split in splits]
        starts = np.concatenate([[0], np.cumsum(self.batch.lengths[runs])])
        edges = self.batch.starts
        positions = np.concatenate([np.arange(edges[run], edges[run + 1]) for run in runs])
        return self.batch.of_rows(positions, starts), self.rows[positions]


@dataclass(frozen=True, eq=False)
class PredictionSource:
    """Source of predictions that procedures of test rows can be applied to.

    Parameters
    ----------
    predicted : dict of str to Predicted
        By learner.
    notes : tuple of str
        What was guessed while reading.
    """

    predicted: dict[str, Predicted]
    notes: tuple[str, ...] = ()

    @property
    def learners(self) -> list[str]:
        """Names of all learners."""
        return list(self.predicted)

    contenders = learners

    def refusal(self, chosen: Procedure) -> str:
        """Return why a procedure cannot be applied; empty for those of test rows."""
        if chosen.takes in ON_ROWS:
            return ""
        return (
            f"procedure must be one of the rows of a test set; got {chosen.name!r}, which takes "
            "scores. Give a table of scores."
        )

    def input_of(self, chosen: Procedure, learners: Sequence[str]) -> ProcedureInput:
        """Return predictions of the rows of the first repeat, or of all shared splits."""
        named = [self.predicted[name] for name in learners]
        splits = sorted({split for item in named for split in item.splits})
        n_repeats = len({repeat for repeat, _ in splits})
        first = [split for split in splits if split[0] == splits[0][0]]
        if chosen.takes == "losses-on-rows":
            splits = [split for split in splits if all(split in item.splits for item in named)]
        else:
            splits = first
        for name, item in zip(learners, named, strict=True):
            lacking = [split for split in {*splits, *first} if split not in item.splits]
            if lacking:
                raise DesignError(
                    f"predictions must be kept for every row; got none of {name} for repeat "
                    f"{lacking[0][0]}, fold {lacking[0][1]}. Leave it out, or predict them."
                )
        parts = [item.of_splits(splits) for item in named]
        (batch, rows), *others = parts
        for name, (other, rows_of) in zip(learners[1:], others, strict=True):
            if not np.array_equal(rows, rows_of) or not np.array_equal(batch.y_true, other.y_true):
                raise DesignError(
                    f"learners of {chosen.name} must predict the same rows with the same truth; "
                    f"got others of {name} than of {learners[0]}. Give one row per learner and row."
                )
        predictions = RowPredictions(tuple(batch for batch, _ in parts))
        return input_of_rows(
            chosen, predictions.arguments(chosen.takes, chosen.name), learners,
            fold_of_row=predictions.fold_of_row, n_folds=len(first), n_repeats=n_repeats,
            rows=np.unique(rows, return_inverse=True)[1], positive=predictions.positive_label,
        )  # fmt: skip


def read_predictions(
    table: Any,
    *,
    columns: Mapping[str, str] | None = None,
    task: str = "auto",
    pos_label: Any = None,
    dataset: str | None = None,
    cv: str | None = None,
) -> PredictionSource:
    """Return the predictions of a table or of a store.

    Parameters
    ----------
    table : str, Path, DataFrame of pandas or polars, or Store
        One row per learner and test row: columns row, learner, truth, and prediction or one
        column of probabilities (0-1) per class, named as the class; repeat and fold where there
        are several test sets.  Without a prediction the most probable class is taken.
    columns : mapping of str to str, optional
        Column of a role, such as ``{"truth": "y_true"}``.
    task : {"auto", "classification", "regression"}, default="auto"
        What the truth is, in a table.
    pos_label : object, optional
        The positive class of two; by default as for `bestofk.compare`.
    dataset, cv : str, optional
        Data set and plan of a store that holds several.

    Returns
    -------
    PredictionSource

    Raises
    ------
    InvalidArgumentError
        If the table lacks a column or a value, a learner has a row twice, or a store holds several
        comparisons of which none is named.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "row": [1, 2, 1, 2], "learner": ["a", "a", "b", "b"],
    ...     "truth": ["no", "yes"] * 2, "prediction": ["no", "no", "no", "yes"],
    ... })
    >>> read_predictions(table).learners
    ['a', 'b']
    """
    if isinstance(table, Store):
        return _of_store(table, dataset, cv, pos_label)
    return _of_table(table, columns or {}, task, pos_label)


def _of_table(
    table: Any, columns: Mapping[str, str], task: str, pos_label: Any
) -> PredictionSource:
    named, notes = _named_columns(table, columns)
    others = [name for name in named if name not in COLUMNS]
    is_predicted = "prediction" in named
    known = ("truth", "prediction") if is_predicted else ("truth",)
    # without predictions every other column is a class
    labels = [*chain(*(named[name] for name in known)), *(() if is_predicted else others)]
    is_numeric = hold_numbers(labels)
    values = {name: _values(named[name], is_numeric) for name in known}
    classes = np.unique(_values(labels, is_numeric))
    titles = [title for title in map(_title, classes) if title in others]
    if titles and task == "auto":
        task = "classification"
    chosen, sentence = resolve_task(task, classes)
    if is_numeric and task == "auto":
        notes.append(sentence)
    if chosen == "regression":
        classes, titles = classes[:0], []
    else:
        values = {name: np.searchsorted(classes, cells) for name, cells in values.items()}
    lacking = [title for title in map(_title, classes) if title not in others]
    if lacking and (titles or not is_predicted):
        raise InvalidArgumentError(
            "predictions must have a column prediction, and a column of probabilities for every "
            f"class or for none; got {', '.join(named)}. Add {', '.join(lacking)}."
        )
    unused = [name for name in others if name not in titles]
    if unused:
        notes.append(f"Not used: {', '.join(unused)}.")
    shares = np.array([[number_or_nan(cell) for cell in named[title]] for title in titles]).T
    keys = pd.DataFrame({name: _keys(named[name]) for name in ("repeat", "fold", "row")})
    learner_of_row = np.array([str(name) for name in named["learner"]])
    predicted = {}
    for learner in dict.fromkeys(learner_of_row.tolist()):
        part = keys[learner_of_row == learner].sort_values(["repeat", "fold", "row"])
        rows, names = part.index.to_numpy(), part["row"].to_numpy()
        twice = names[part.duplicated()]
        if len(twice):
            raise InvalidArgumentError(
                f"rows of {learner} must be there once; got {twice[0]} again. Name their test "
                "sets in columns repeat and fold."
            )
        given = shares[rows] if titles else np.empty((len(rows), 0))
        is_gap = np.isnan(given).any(axis=1)
        has_shares = bool(titles) and not (is_gap.all() and is_predicted)
        if has_shares and is_gap.any():
            raise InvalidArgumentError(
                f"probabilities of {learner} must be numbers on all rows or on none; got none for "
                f"row {names[is_gap][0]}. Add them."
            )
        sizes = part.groupby(["repeat", "fold"]).size()
        batch = PredictionBatch(
            values["truth"][rows],
            values["prediction"][rows] if is_predicted else given.argmax(axis=1),
            np.append(0, np.cumsum(sizes)),
            classes,
            given if has_shares else None,
        )
        predicted[learner] = Predicted(_with_positive(batch, pos_label), list(sizes.index), names)
    return PredictionSource(predicted, tuple(notes))


def _named_columns(
    table: Any, columns: Mapping[str, str]
) -> tuple[dict[str, list[Any]], list[str]]:
    """Return the columns by their roles, without gaps, and what was guessed."""
    source = open_table(table, fills_row=lambda header, row: False)
    for role, name in columns.items():
        check_known(role, "role of a column", COLUMNS)
        check_known(name, f"column of the role {role!r}", source.columns, rule="one of the table")
    roles = {name: role for role, name in columns.items()}
    named, notes = with_known_names({roles.get(n, n): c for n, c in source.columns.items()})
    for role in ("row", "learner", "truth"):
        if role not in named:
            raise InvalidArgumentError(
                f"predictions must have a column {role}; got {', '.join(named)}. Name it: --map "
                f"{role}=COLUMN (columns={{{role!r}: 'COLUMN'}})."
            )
    n_rows = len(named["row"])
    named = {"repeat": [1] * n_rows, "fold": [1] * n_rows} | named
    for role in COLUMNS:
        if None in named.get(role, ()):
            raise InvalidArgumentError(
                f"column {role} of predictions must be filled; got nothing in line "
                f"{named[role].index(None) + 1} of {n_rows}. Fill it or leave its row out of all "
                "learners."
            )
    return named, notes


def _values(cells: Sequence[Any], is_numeric: bool) -> np.ndarray:
    return np.array(
        [float(cell) for cell in cells] if is_numeric else [str(cell) for cell in cells]
    )


def _keys(cells: Sequence[Any]) -> list[Any]:
    """Return what names rows or test sets, as numbers where all are."""
    return _values(cells, hold_numbers(cells)).tolist()


def _title(label: Any) -> str:
    return f"{label:g}" if isinstance(label, float) else str(label)


def _with_positive(batch: PredictionBatch, pos_label: Any) -> PredictionBatch:
    """Return predictions with the positive class of two, which is that of the truth."""
    counts = (
        np.bincount(batch.y_true, minlength=len(batch.classes)) if batch.is_classification else []
    )
    return replace(batch, positive=resolve_pos_label(batch.classes, counts, pos_label))


def _of_store(
    store: Store, dataset: str | None, cv: str | None, pos_label: Any
) -> PredictionSource:
    learners = [
        item
        for item in labelled_learners(store)
        if dataset in (None, item.dataset) and cv in (None, item.plan)
    ]
    for what, option, found in (
        ("data set", "--dataset", {item.dataset: 0 for item in learners}),
        ("plan", "--cv", {item.plan: 0 for item in learners}),
    ):
        if len(found) != 1:
            raise InvalidArgumentError(
                f"{what} of the store must be one; got {', '.join(found) or 'none of that name'}. "
                f"Name one by {option}."
            )
    data = learners[0].learner.data
    splits = store.stored_splits(learners[0].learner.plan_number, data.n_samples)
    predicted = {}
    for item in learners:
        records = {}
        for indices, some in store.runs_of(item.learner, splits):
            for position in np.flatnonzero(some.table.has_predictions).tolist():
                records.setdefault(int(indices[position]), some.table[position])
        runs = sorted(records)
        if not runs:
            raise InvalidArgumentError(
                f"predictions of {item.name} must be kept; got none. Compare with --keep labels."
            )
        rows = [splits.test_rows[run] for run in runs]
        batch = prediction_batch(data, rows, [records[run] for run in runs])
        keys = [(splits.repeat[run], splits.fold[run]) for run in runs]
        predicted[item.name] = Predicted(
            _with_positive(batch, pos_label), keys, np.concatenate(rows)
        )
    return PredictionSource(predicted)

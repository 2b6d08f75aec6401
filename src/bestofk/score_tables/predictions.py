"""Predictions of fitted learners for the rows of test sets, from a table or a store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

import numpy as np
import pandas as pd

from bestofk.checks import check_known
from bestofk.data.task import resolve_task
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.evaluation import RowPredictions
from bestofk.evaluation.score import prediction_batch
from bestofk.evaluation.store import Store, labelled_learners
from bestofk.inference import Procedure
from bestofk.inference.catalogue import ProcedureInput, input_of_rows
from bestofk.measures import PredictionBatch, resolve_pos_label
from bestofk.score_tables.score_column_names import hold_numbers, number_or_nan, with_known_names
from bestofk.score_tables.score_formats.source_table import open_table

_SPLIT: Final = ["repeat", "fold"]
_ROLES: Final = ("row", "learner", "truth", "prediction", *_SPLIT)
_DECISION: Final = "decision value"


@dataclass(frozen=True, eq=False)
class PredictionSource:
    """Source of predictions that procedures of test rows can be applied to.

    Parameters
    ----------
    frame : DataFrame
        One row per learner and test row: learner, repeat, fold, row, truth and prediction
        (positions in `classes`, or values), a column of probabilities per class, decision value.
    classes : ndarray
        Class labels in sorted order; empty for regression.
    pos_label : object, default=None
        The positive class of two; by default as for `bestofk.compare`.
    notes : tuple of str, default=()
        What was guessed while reading.
    """

    frame: pd.DataFrame
    classes: np.ndarray
    pos_label: Any = None
    notes: tuple[str, ...] = ()

    @property
    def learners(self) -> list[str]:
        """Names of all learners."""
        return list(dict.fromkeys(self.frame["learner"]))

    contenders = learners

    def refusal(self, chosen: Procedure) -> str:
        """Return why a procedure cannot be applied: always empty, for procedures of test rows."""
        return ""

    def input_of(self, chosen: Procedure, learners: Sequence[str]) -> ProcedureInput:
        """Return predictions of the rows of the first repeat, or of all splits that are shared."""
        parts = [self.frame[self.frame["learner"] == name] for name in learners]
        repeats = sorted({repeat for part in parts for repeat in part["repeat"]})
        if chosen.takes == "losses-on-rows":
            splits = [pd.MultiIndex.from_frame(part[_SPLIT]) for part in parts]
            parts = [
                part[np.all([own.isin(other) for other in splits], axis=0)]
                for part, own in zip(parts, splits, strict=True)
            ]
        else:
            parts = [part[part["repeat"] == repeats[0]] for part in parts]
        parts = [part.sort_values([*_SPLIT, "row"], ignore_index=True) for part in parts]
        same = [*_SPLIT, "row", "truth"]
        is_other = [part.empty or not part[same].equals(parts[0][same]) for part in parts]
        if any(is_other):
            raise DesignError(
                f"learners of {chosen.name} must predict the same rows with the same truth; got "
                f"others of {learners[is_other.index(True)]}. Leave it out."
            )
        rows = RowPredictions(tuple(map(self._batch, parts)))
        n_folds = len(parts[0]["fold"].unique())
        row_numbers = np.unique(parts[0]["row"], return_inverse=True)[1]
        return input_of_rows(chosen, rows, learners, row_numbers, n_folds, len(repeats))

    def _batch(self, part: pd.DataFrame) -> PredictionBatch:
        """Return the predictions of one learner, whose rows are sorted by test set."""
        truth = part["truth"].to_numpy()
        shares = part[_share_columns(self.classes)].to_numpy()
        decision = part[_DECISION].to_numpy()
        positive = None
        if len(self.classes):
            counts = np.bincount(self.frame["truth"], minlength=len(self.classes)).tolist()
            positive = resolve_pos_label(self.classes, counts, self.pos_label)
        return PredictionBatch(
            truth,
            part["prediction"].to_numpy(),
            np.append(0, np.cumsum(part.groupby(_SPLIT).size())),
            self.classes,
            None if not shares.size or np.isnan(shares).any() else shares,
            None if np.isnan(decision).any() else decision,
            positive,
        )


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
    named, notes = _named_columns(table, columns or {})
    others = [name for name in named if name not in _ROLES]
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
            "predictions must have a column prediction, one of probabilities for every class, or "
            f"both; got {', '.join(named)}. Add {', '.join(lacking)}."
        )
    unused = [name for name in others if name not in titles]
    if unused:
        notes.append(f"Not used: {', '.join(unused)}.")
    gaps = [None] * len(named["row"])
    shares = np.array([[*map(number_or_nan, named.get(_title(c), gaps))] for c in classes]).T
    names = pd.Series([*map(str, named["learner"])])
    lacks = pd.Series(np.isnan(shares).any(axis=1) if titles else np.ones(len(names), bool))
    # a learner without any probability is one that gives none
    is_gap = lacks & ~(lacks.groupby(names).transform("all") & is_predicted)
    if is_gap.any():
        raise InvalidArgumentError(
            "probabilities must be numbers on every row of a learner, or on none where there is a "
            f"prediction; got others in row {int(is_gap.argmax()) + 1} of the table. Mend it."
        )
    if not is_predicted:
        values["prediction"] = shares.argmax(axis=1)
    keys = {name: _values(named[name], hold_numbers(named[name])) for name in (*_SPLIT, "row")}
    facts = {"learner": names, **keys, **values, _DECISION: np.nan}
    frame = pd.DataFrame(facts | dict(zip(_share_columns(classes), shares.T, strict=True)))
    twice = frame[frame.duplicated(["learner", *keys])]
    if len(twice):
        raise InvalidArgumentError(
            f"rows of {twice['learner'].iloc[0]} must be there once; got {twice['row'].iloc[0]} "
            "again. Name their test sets in columns repeat and fold."
        )
    return PredictionSource(frame, classes, pos_label, tuple(notes))


def _named_columns(
    table: Any, columns: Mapping[str, str]
) -> tuple[dict[str, list[Any]], list[str]]:
    """Return the columns by their roles, which have no gaps, and what was guessed."""
    source = open_table(table, fills_row=lambda header, row: False)
    for role, name in columns.items():
        check_known(role, "role of a column", _ROLES)
        check_known(name, f"column of the role {role!r}", source.columns, rule="one of the table")
    roles = {name: role for role, name in columns.items()}
    named, notes = with_known_names({roles.get(n, n): c for n, c in source.columns.items()})
    for role in ("row", "learner", "truth"):
        if role not in named:
            raise InvalidArgumentError(
                f"predictions must have a column {role}; got {', '.join(named)}. Name it: --map "
                f"{role}=COLUMN (columns={{{role!r}: 'COLUMN'}})."
            )
    named = {name: [1] * len(named["row"]) for name in _SPLIT} | named
    for role in _ROLES:
        if None in named.get(role, ()):
            line = named[role].index(None) + 1
            raise InvalidArgumentError(
                f"column {role} of predictions must be filled; got nothing in row {line} of the "
                "table. Fill it, or leave that test row out for all learners."
            )
    return named, notes


def _values(cells: Sequence[Any], is_numeric: bool) -> np.ndarray:
    return np.array([*map(float if is_numeric else str, cells)])


def _title(label: Any) -> str:
    return f"{label:g}" if isinstance(label, float) else str(label)


def _share_columns(classes: np.ndarray) -> list[str]:
    """Return names for the columns of probabilities that no other column can have."""
    return [f"P({_title(label)})" for label in classes]


def _of_store(
    store: Store, dataset: str | None, cv: str | None, pos_label: Any
) -> PredictionSource:
    """Return the predictions of one data set and plan; refuse several."""
    learners = [
        item
        for item in labelled_learners(store)
        if dataset in (None, item.dataset) and cv in (None, item.plan)
    ]
    places = sorted({(item.dataset, item.plan) for item in learners})
    if len(places) != 1:
        listed = "; ".join(f"{name}, {plan}" for name, plan in places)
        raise InvalidArgumentError(
            "data set and plan of the store must be one each; got "
            f"{listed or 'none of that name'}. Name them by --dataset and --cv."
        )
    data = learners[0].learner.data
    splits = store.stored_splits(learners[0].learner.plan_number, data.n_samples)
    places_of = {name: np.array(getattr(splits, name)) for name in _SPLIT}
    columns = _share_columns(data.classes)
    parts = []
    for item in learners:
        for indices, runs in store.runs_of(item.learner, splits):
            have = indices[runs.table.has_predictions]
            if not len(have):
                continue
            rows = [splits.test_rows[index] for index in have]
            batch = prediction_batch(data, rows, runs.table)
            facts = {name: values[have][batch.run_of_row] for name, values in places_of.items()}
            part = pd.DataFrame({"learner": item.name, "row": np.concatenate(rows), **facts})
            part = part.assign(truth=batch.y_true, prediction=batch.labels)
            part[columns] = np.nan if batch.probabilities is None else batch.probabilities
            has_decision = batch.decision is not None and len(columns) == 2
            part[_DECISION] = batch.decision if has_decision else np.nan
            parts.append(part)
    if not parts:
        raise InvalidArgumentError(
            "predictions must be kept in the store; got scores alone. Compare with --keep labels "
            "or probabilities."
        )
    frame = pd.concat(parts).drop_duplicates(["learner", *_SPLIT, "row"])
    if pos_label is None and data.positive is not None:
        pos_label = data.classes[data.positive]
    return PredictionSource(frame, data.classes, pos_label)

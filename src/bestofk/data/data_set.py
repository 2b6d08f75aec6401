"""Data sets: features, target, roles, and an identity derived from the content."""

from __future__ import annotations

import copy
import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import pandas as pd

from bestofk.array_types import Floats, Ints, Values
from bestofk.checks import check_known
from bestofk.data.notes import named
from bestofk.data.table_columns import MARKED, hash_column, table_columns, with_levels
from bestofk.data.text_values import TRUTH
from bestofk.errors import InvalidArgumentError
from bestofk.words import joined_lines, listing

if TYPE_CHECKING:
    from bestofk.data.column_reader import TableReader
    from bestofk.data.summaries import ColumnSummary
    from bestofk.data.time_column import TimeColumn

CLASSIFICATION = "classification"
REGRESSION = "regression"
_SHOWN_CLASSES = 3
_SHOWN_NAMES = 6
# Notes that only repeat the first line on how data were read, or report the usual case.
_USUAL = re.compile(
    r"Columns? .*: (texts|(whole )?numbers( with at most \d+ different values)?|the words [^;]*);"
    r"|Columns? .*(dropped|as asked for)|Target: |Task: |Positive class: "
    r"|Taken as missing: an empty field [\d,]+ times?\.$"
    r"|Read .+ as (utf-8(-sig)? with separator comma\.$|ARFF \(utf-8\))|.+ as in scikit-learn"
)
TASKS = (CLASSIFICATION, REGRESSION)


@dataclass(frozen=True, eq=False)
class DataSet:
    """A data set as learners receive it.

    Parameters
    ----------
    name : str
        Name for people; not part of the identity.
    features : DataFrame of pandas or polars, or ndarray of shape (n_samples, n_features)
        The inputs exactly as learners receive them (some rows at a time): names, types and missing
        values are kept.
    target : array-like of shape (n_samples,)
        Class labels, or numbers for regression, without missing values.
    task : {"classification", "regression"}
        What is predicted.
    roles : mapping of str to str
        Role of every column of the source, including dropped ones.
    groups : ndarray of shape (n_samples,) or None
        Rows of one group are never split between training and test.
    sample_weight : ndarray of shape (n_samples,) or None
        Weights that learners receive when they are fitted.
    time : TimeColumn or None
        Time of each row, for plans in order of time.
    has_new_groups : bool
        Whether to test on new groups only: a tested group is left out of training.
    notes : tuple of str
        Every guess made while reading, one sentence each.
    warnings : tuple of str
        Every reason to distrust the data, one sentence each.
    reader : TableReader or None
        Reader of further rows of the same source; None for features passed in memory.
    pos_label : label, optional
        The positive class of two, as asked for or chosen.
    columns : tuple of ColumnSummary
        Content and role of each column of a file; empty for data in memory.
    target_guess : str
        Sentence on which column was guessed to be the target; empty if one was named.
    target_transform : {"", "log"}
        Whether learners are trained on the logarithm of the target; see `with_log_target`.

    Examples
    --------
    >>> import numpy as np
    >>> features, target = np.arange(8.0).reshape(4, 2), np.array(list("abab"))
    >>> data = DataSet("tiny", features, target, "classification")
    >>> data.n_samples, data.n_features, data.classes.tolist()
    (4, 2, ['a', 'b'])
    """

    name: str
    features: Any
    target: Any
    task: str
    roles: Mapping[str, str] = field(default_factory=dict)
    groups: Values | None = None
    sample_weight: Floats | None = None
    time: TimeColumn | None = None
    has_new_groups: bool = False
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    reader: TableReader | None = None
    pos_label: Any = None
    columns: tuple[ColumnSummary, ...] = ()
    target_guess: str = ""
    target_transform: str = ""

    def __repr__(self) -> str:
        kinds = Counter(
            role for column, role in self.roles.items() if column in set(self.feature_names)
        )
        inputs = ", ".join(f"{count} {role}" for role, count in kinds.most_common())
        if self.is_classification:
            counts = sorted(zip(self.class_counts, self.classes, strict=True), key=lambda c: -c[0])
            shown = [f"{label} ({count:,})" for count, label in counts[:_SHOWN_CLASSES]]
            more = len(counts) - len(shown)
            target = f"{len(counts)} classes: {', '.join(shown)}{f' + {more} more' if more else ''}"
        else:
            y = self.y
            target = f"numeric, {y.min():.6g} to {y.max():.6g}"
        lines = [
            f"<DataSet {self.name}: {self.n_samples:,} rows, {self.n_features} inputs>",
            f"  inputs: {inputs or self.n_features}",
            f"  target: {target}",
        ]
        if self.groups is not None:
            lines.append(f"  groups: {len(np.unique(self.groups)):,}")
        if self.warnings:
            lines.append(f"  warnings: {len(self.warnings)}")
        return joined_lines(lines)

    @property
    def reading(self) -> tuple[str, ...]:
        """Lines on how it was read: first rows, inputs, target and left out columns, then guesses.

        Examples
        --------
        >>> import numpy as np
        >>> DataSet("tiny", np.eye(2), np.array([1.5, 2.5]), "regression").reading
        ('tiny: 2 rows, 2 inputs.',)
        """
        inputs_by_name = dict.fromkeys(self.feature_names)
        kinds = Counter(role for name, role in self.roles.items() if name in inputs_by_name)
        said = [f"{count} {role}" for role, count in kinds.items()]
        inputs = listing(said) if said else self.n_features
        plural = "" if self.n_features == 1 else "s"
        parts = [f"{self.name}: {self.n_samples:,} rows, {inputs} input{plural}"]
        by_role = {role: name for name, role in self.roles.items()}
        if "target" in by_role:
            kind = f"{len(self.classes)} classes" if self.is_classification else "numbers"
            parts.append(f"predicting {by_role['target']} ({kind})")
        if left_out := [name for name, role in self.roles.items() if role == "drop"]:
            parts.append(f"left out: {named(left_out, _SHOWN_NAMES)}")
        return f"{'; '.join(parts)}.", *(note for note in self.notes if not _USUAL.match(note))

    @property
    def is_classification(self) -> bool:
        """True if the target is a class."""
        return self.task == CLASSIFICATION

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.features.shape[0])

    @property
    def n_features(self) -> int:
        """Number of input columns."""
        return int(self.features.shape[1])

    @property
    def feature_names(self) -> list[str]:
        """Names of the input columns; x0, x1 ... for an array."""
        columns = getattr(self.features, "columns", None)
        if columns is None:
            return [f"x{i}" for i in range(self.n_features)]
        return [str(column) for column in columns]

    @cached_property
    def target_array(self) -> Values:
        """The target as a numpy array, labels or numbers unchanged."""
        return np.asarray(self.target)

    @cached_property
    def classes(self) -> Values:
        """The class labels in sorted order; empty for regression."""
        return np.unique(self.target_array) if self.is_classification else np.empty(0)

    @cached_property
    def y(self) -> Values:
        """The target as measures use it: int64 positions in `classes`, or float64 values."""
        if self.is_classification:
            return np.searchsorted(self.classes, self.target_array).astype(np.int64)
        return self.target_array.astype(np.float64)

    @cached_property
    def class_counts(self) -> Ints:
        """Rows of each class, in the order of `classes`."""
        return np.bincount(self.y, minlength=len(self.classes)).astype(np.int64)

    @property
    def positive(self) -> int | None:
        """Position of the positive class of two; None if it is not chosen yet."""
        labels = self.classes.tolist()
        return labels.index(self.pos_label) if self.pos_label in labels else None

    @cached_property
    def id(self) -> str:
        """Identity of the content: task, and values, roles and levels of all columns in order.

        Names, types and the kind of table do not matter: see `hash_column`.
        """
        digest = hashlib.sha256(f"bestofk data 2 {self.task} {self.n_samples}".encode())
        columns = zip(self.feature_names, table_columns(self.features), strict=True)
        for name, column in columns:
            hash_column(digest, column, self.marked.get(name, ""))
        if self.is_classification:
            digest.update("\x1f".join(map(_label_text, self.classes.tolist())).encode())
        digest.update(np.ascontiguousarray(self.y + 0).tobytes())
        if self.sample_weight is not None:
            digest.update(b"weight" + self.sample_weight.tobytes())
        if self.time is not None:  # inner folds follow it
            digest.update(b"time" + self.time.values.tobytes())
        digest.update(self.target_transform.encode())
        return digest.hexdigest()[:32]

    @cached_property
    def form(self) -> str:
        """Hash of what learners see besides the content: kind of table, names, types."""
        types = [str(getattr(column, "dtype", "")) for column in table_columns(self.features)]
        kinds = [type(part).__qualname__ for part in (self.features, self.target)]
        known = (kinds, self.feature_names, types, str(self.target_array.dtype))
        return hashlib.sha256(repr(known).encode()).hexdigest()[:16]

    @cached_property
    def levelled(self) -> Any:
        """The features as built-in learners receive them: see `with_levels`."""
        return with_levels(self.features, self.feature_names, self.marked)

    @cached_property
    def times(self) -> Any:
        """Time and, where there are groups, number of the group of each row, as a frame."""
        assert self.time is not None  # used only by baselines for rows in time
        columns = {"time": self.time.values}
        if self.groups is not None:
            columns["group"] = pd.factorize(self.groups)[0]
        return pd.DataFrame(columns)

    @property
    def marked(self) -> dict[str, str]:
        """Roles of the columns that are read as words or as parts of dates."""
        return {name: role for name, role in self.roles.items() if role in MARKED}

    def with_pos_label(self, pos_label: Any, *notes: str) -> DataSet:
        """Return the data set with a positive class and further notes."""
        changed = copy.copy(self)  # cached values of the content stay valid
        vars(changed).update(pos_label=pos_label, notes=(*self.notes, *notes))
        return changed

    def with_log_target(self, target_transform: str) -> DataSet:
        """Return the data set with the logarithm of the target for training (baselines excepted).

        Parameters
        ----------
        target_transform : {"log"}
            The transform; only "log" is available.

        Raises
        ------
        InvalidArgumentError
            If the transform is unknown, the target holds classes, or a value is not positive.
        """
        check_known(target_transform, "target_transform", ("log",))
        if self.is_classification:
            raise InvalidArgumentError(
                f"target_transform must be None for classification; got {target_transform!r}. "
                "Classes have no logarithm: leave it out (--log-target)."
            )
        lowest = self.y.min()
        if lowest <= 0:
            raise InvalidArgumentError(
                f"target must be positive in every row for target_transform={target_transform!r}; "
                f"got {lowest:g}. Leave it out (--log-target), or predict another column."
            )
        return replace(self, target_transform=target_transform)

    @cached_property
    def training_target(self) -> Any:
        """The target that learners are trained on: the original, or its logarithm."""
        return np.log(self.y) if self.target_transform else self.target

    def predicted_values(self, predictions: Floats) -> Floats:
        """Return predictions of `training_target` in the unit of the target."""
        return np.exp(predictions) if self.target_transform else predictions

    def feature_rows(self, rows: Ints) -> Any:
        """Return a copy of the features of some rows, in their original type."""
        return take_rows(self.features, rows)

    def target_rows(self, rows: Ints) -> Any:
        """Return a copy of the target of some rows, in their original type."""
        return take_rows(self.target, rows)

    def subset(self, rows: Ints) -> DataSet:
        """Return some rows as a new data set in memory.

        Parameters
        ----------
        rows : ndarray of int64
            Row numbers, from 0.
        """
        return replace(
            self,
            features=self.feature_rows(rows),
            target=self.target_rows(rows),
            groups=None if self.groups is None else self.groups[rows],
            sample_weight=None if self.sample_weight is None else self.sample_weight[rows],
            time=None if self.time is None else self.time.taken(rows),
            reader=None,
        )


def take_rows(values: Any, rows: Ints) -> Any:
    """Return a copy of some rows of an array, a frame or a series, of the same type."""
    if isinstance(values, np.ndarray):
        return values[rows]
    if hasattr(values, "iloc"):
        return values.take(rows)
    return nw.from_native(values, eager_only=True, allow_series=True)[rows].to_native()


def _label_text(label: Any) -> str:
    """Return the text of a class: the same for 1 and 1.0, as for True and "true"."""
    text = str(int(label) if isinstance(label, float) and label.is_integer() else label)
    return text.casefold() if text.casefold() in TRUTH else text

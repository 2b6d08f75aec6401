"""Conversion of a file of rows to one file of numbers per column, in chunks."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from bestofk.array_types import Codes, Floats
from bestofk.checks import check_known, nearest_name
from bestofk.data.table_columns import column_numbers
from bestofk.errors import InvalidArgumentError
from bestofk.trees._split_search import MOST_ROWS
from bestofk.trees.attributes import (
    NOMINAL,
    NUMERIC,
    ORDINAL,
    Attribute,
    encode_column,
    find_attributes,
)
from bestofk.trees.base import TreeClassifier
from bestofk.trees.on_disk.mapped_arrays import (
    CHUNK_ROWS,
    MappedArrays,
    ProgressCallback,
    no_progress,
)
from bestofk.trees.reading import checked_table, chosen_columns, coded_labels, ordinal_columns

PARQUET_ENDINGS: Final = (".parquet", ".pq")
CSV_ENDINGS: Final = (".csv", ".csv.gz")
_MOST_ROWS: Final[int] = MOST_ROWS


def read_table(
    path: Path,
    target: str,
    learner: TreeClassifier,
    workspace: MappedArrays,
    *,
    in_32_bits: bool = False,
    report_progress: ProgressCallback = no_progress,
) -> tuple[Floats, Codes]:
    """Read a file into a mapped table; set the columns and classes of the learner.

    Parameters
    ----------
    path : Path
        A Parquet or CSV file.
    target : str
        The column of the classes; all others are features.
    learner : TreeClassifier
        Not fitted; its classes, attributes and names are set.
    workspace : MappedArrays
        Workspace of the table.
    in_32_bits : bool, default=False
        Whether numbers are rounded to 32 bits.
    report_progress : ProgressCallback
        Called with the number of rows read.

    Returns
    -------
    table : ndarray of shape (n_rows, n_columns), float64
        Numbers, and codes of levels.
    y : ndarray of shape (n_rows,), int16
        Class of each row.

    Raises
    ------
    InvalidArgumentError
        If the file, its columns or a value are not valid.
    """
    frames, n_expected = _open_frames(path, target)
    labels = _Labels(target)
    columns: list[_Numbers | _Levels] = []
    n_rows = 0
    with ExitStack() as opened:
        files: list[Any] = []
        for frame in frames:
            X = frame.drop(columns=target)
            if not columns:
                checked_table(learner, X, reset=True)
                columns = _column_readers(X, learner, in_32_bits)
                paths = [workspace.folder / f"{a}.rows" for a in range(len(columns))]
                files = [opened.enter_context(item.open("wb")) for item in paths]
            labels.take(frame[target])
            for a, (column, file) in enumerate(zip(columns, files, strict=True)):
                file.write(column.take(X.iloc[:, a], n_rows).data)
            n_rows += len(X)
            report_progress("reading", n_rows, n_expected)
            if n_rows > _MOST_ROWS:
                raise InvalidArgumentError(
                    f"The rows of {path} must be at most {_MOST_ROWS:,}; got more. Take a sample."
                )
    if not n_rows:
        raise InvalidArgumentError(f"{path} must have rows; got none. Write rows into it first.")
    table = workspace.empty((n_rows, len(columns)), np.float64, order="F")
    attributes = []
    for a, (reader, item) in enumerate(zip(columns, paths, strict=True)):
        attribute, numbers = reader.finish()
        _check_levels(attribute, learner.max_categories)
        attributes.append(attribute)
        _move(item, table[:, a], numbers)
        workspace.release()
    learner.attributes_ = tuple(attributes)
    check_classification_targets(labels.levels)
    learner.classes_, codes = coded_labels(labels.levels, learner.classes)
    learner.n_classes_ = len(learner.classes_)
    return table, labels.classes(codes)


def _move(path: Path, column: Floats, numbers: Floats | None) -> None:
    """Move the numbers of a file to a column, with new codes of levels if given."""
    with path.open("rb") as file:
        start = 0
        while start < len(column):
            part = np.fromfile(file, np.float64, CHUNK_ROWS)
            stop = start + len(part)
            column[start:stop] = part if numbers is None else numbers[part.astype(np.intp)]
            start = stop
    path.unlink()


class _Labels:
    """The labels read so far."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.levels: np.ndarray = np.empty(0, object)
        self._number: dict[Any, int] = {}
        self._codes: list[NDArray[np.int32]] = []

    def take(self, column: Any) -> None:
        """Add the labels of a chunk, numbered by first occurrence."""
        codes, distinct = pd.factorize(column)
        if (codes < 0).any():
            row = sum(map(len, self._codes)) + int(np.flatnonzero(codes < 0)[0])
            raise InvalidArgumentError(
                f"Target {self._name!r} must have a label in every row; got none in row {row:,}. "
                "Drop the rows without a label."
            )
        labels = np.asarray(distinct)
        is_new = np.array([label not in self._number for label in labels.tolist()], np.bool_)
        for label in labels[is_new].tolist():
            self._number[label] = len(self._number)
        new = labels[is_new]
        self.levels = np.concatenate([self.levels, new]) if self.levels.size else new
        numbers = np.array([self._number[label] for label in labels.tolist()], np.int32)
        self._codes.append(numbers[codes])

    def classes(self, codes: Codes) -> Codes:
        """Return the class of each row, given the class of each label."""
        return np.concatenate([codes[part] for part in self._codes])


class _Numbers:
    """A numeric column."""

    def __init__(self, name: str, in_32_bits: bool) -> None:
        self._name, self._in_32_bits = name, in_32_bits

    def take(self, column: Any, n_before: int) -> Floats:
        """Return the numbers of a chunk."""
        try:
            values = column_numbers(column)
        except ValueError as error:
            raise InvalidArgumentError(
                f"Column {self._name!r} must hold numbers in all rows, as in the first; got "
                f"{error}. Name it in categorical_features, or clean it."
            ) from error
        is_wrong = ~np.isfinite(values)
        if is_wrong.any():
            row = int(np.flatnonzero(is_wrong)[0])
            _refuse_value(self._name, values[row], n_before + row)
        return values.astype(np.float32).astype(np.float64) if self._in_32_bits else values

    def finish(self) -> tuple[Attribute, None]:
        """Return the attribute of the column; its numbers do not change."""
        return Attribute(self._name, NUMERIC), None


class _Levels:
    """A column of levels, numbered by first occurrence, and renumbered when all are known."""

    def __init__(self, name: str, kind: str, levels: Sequence[str] | None, first: Any) -> None:
        self._name, self._kind = name, kind
        self._is_given = levels is not None
        self._is_declared = self._is_given or hasattr(first.array, "categories")
        self._number = {level: i for i, level in enumerate(levels or ())}

    def take(self, column: Any, n_before: int) -> Floats:
        """Return the numbers of the levels of a chunk."""
        codes, distinct = pd.factorize(column)
        if (codes < 0).any():
            _refuse_value(self._name, None, n_before + int(np.flatnonzero(codes < 0)[0]))
        result = pd.Series(distinct)
        (attribute,) = find_attributes(
            pd.DataFrame({self._name: result}), [self._name], nominal=[True], ordinal={}
        )
        inside = encode_column(result, attribute).astype(np.int64)
        if self._is_given:
            for i in inside:
                if (level := attribute.levels[i]) not in self._number:
                    raise InvalidArgumentError(
                        f"Column {self._name!r} must hold the levels of ordinal_features; got "
                        f"{level!r}. {nearest_name(level, self._number)}"
                    )
            numbers = [self._number.get(level, -1) for level in attribute.levels]
        else:
            numbers = [
                self._number.setdefault(level, len(self._number)) for level in attribute.levels
            ]
        return np.asarray(np.array(numbers, np.float64)[inside][codes])

    def finish(self) -> tuple[Attribute, Floats | None]:
        """Return the attribute of the column, and the new numbers of its sorted levels."""
        if self._is_declared:
            return Attribute(self._name, self._kind, tuple(self._number)), None
        frame = pd.DataFrame({self._name: list(self._number)})
        (result,) = find_attributes(frame, [self._name], nominal=[True], ordinal={})
        index = {level: i for i, level in enumerate(result.levels)}
        numbers = np.array([index[level] for level in self._number], np.float64)
        return Attribute(self._name, self._kind, result.levels), numbers


def _refuse_value(name: str, value: Any, row: int) -> None:
    what = "a missing value" if value is None or np.isnan(value) else repr(float(value))
    raise InvalidArgumentError(
        f"Column {name!r} must have a finite value in every row; got {what} in row {row:,}. Fill "
        "or drop such rows: growth from files does not support missing values."
    )


def _check_levels(attribute: Attribute, max_categories: int) -> None:
    if attribute.n_levels > max_categories:
        raise InvalidArgumentError(
            f"Column {attribute.name!r} must have at most max_categories={max_categories} levels; "
            f"got {attribute.n_levels}. If it identifies rows, drop it from the file; else make it "
            "numeric, or raise max_categories."
        )


def _column_readers(X: Any, learner: TreeClassifier, in_32_bits: bool) -> list[_Numbers | _Levels]:
    """Return the reader of each column, by the learner's parameters and the first rows."""
    names = [str(name) for name in X.columns]
    nominal = chosen_columns(learner.categorical_features, names, "categorical_features")
    ordinal = ordinal_columns(learner.ordinal_features, names)
    guessed = find_attributes(X, names, nominal=nominal, ordinal={})
    readers: list[_Numbers | _Levels] = []
    for a, attribute in enumerate(guessed):
        has_order = a in ordinal or attribute.kind == ORDINAL
        if attribute.kind == NUMERIC and not has_order:
            readers.append(_Numbers(attribute.name, in_32_bits))
            continue
        given = ordinal.get(a, attribute.levels if attribute.kind == ORDINAL else None)
        levels = None if given is None else [str(level) for level in given]
        kind = learner.ordinal_kind if has_order else NOMINAL
        readers.append(_Levels(attribute.name, kind, levels, X.iloc[:, a]))
    return readers


def _open_frames(path: Path, target: str) -> tuple[Iterator[Any], float]:
    """Return the frames of a file and its number of rows (nan if unknown)."""
    if not path.is_file():
        raise InvalidArgumentError(f"path must be a file; got {str(path)!r}. Check the name.")
    name = path.name.lower()
    if name.endswith(PARQUET_ENDINGS):
        return _parquet_frames(path, target)
    if name.endswith(CSV_ENDINGS):
        return _csv_frames(path, target), np.nan
    raise InvalidArgumentError(
        f"path must end in one of {', '.join((*PARQUET_ENDINGS, *CSV_ENDINGS))}; got "
        f"{path.name!r}. Write the table to such a file, or rename it."
    )


def _check_target(path: Path, target: str, names: Sequence[str]) -> None:
    check_known(target, "target", names, rule=f"a column of {path}")
    if len(names) < 2:
        raise InvalidArgumentError(
            f"{path} must have a feature besides the target; got only {target!r}. Add columns."
        )


def _parquet_frames(path: Path, target: str) -> tuple[Iterator[Any], float]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise InvalidArgumentError(
            "pyarrow must be installed to read parquet; it is not. Run: "
            "pip install 'bestofk[parquet]'."
        ) from error
    try:
        # Pages are read when needed, not a whole group of rows at once.
        file = pq.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False)
    except pa.ArrowInvalid as error:
        raise InvalidArgumentError(
            f"{path} must be a Parquet file; got {error}. Was it written completely?"
        ) from error
    _check_target(path, target, file.schema_arrow.names)
    batches = file.iter_batches(batch_size=CHUNK_ROWS)
    return (batch.to_pandas() for batch in batches if batch.num_rows), file.metadata.num_rows


def _csv_frames(path: Path, target: str) -> Iterator[Any]:
    """Read a CSV file; the types of all rows are those of the first."""
    try:
        first = pd.read_csv(path, nrows=CHUNK_ROWS)
    except (ValueError, pd.errors.ParserError) as error:
        raise InvalidArgumentError(
            f"{path} must be a CSV file with a header; got {error}. Check the file."
        ) from error
    _check_target(path, target, [str(name) for name in first.columns])
    if first.empty:
        return
    dtypes = _fixed_types(first, target)
    try:
        with pd.read_csv(path, chunksize=CHUNK_ROWS, dtype=dtypes) as frames:
            yield from frames
    except (ValueError, pd.errors.ParserError) as error:
        raise InvalidArgumentError(
            f"Columns of {path} must keep the type of their first {CHUNK_ROWS:,} rows; got: "
            f"{error}. Clean the file, or write it as Parquet, which states its types."
        ) from error


def _fixed_types(frame: Any, target: str) -> Mapping[str, Any]:
    """Return the types of all chunks: integer features may become floats."""
    types: dict[str, Any] = {}
    for name, dtype in frame.dtypes.items():
        if getattr(dtype, "kind", "O") in "iu" and name != target:
            types[name] = np.dtype(np.float64)
        elif getattr(dtype, "kind", "O") in "iufb":
            types[name] = dtype
        else:
            types[name] = str
    return types

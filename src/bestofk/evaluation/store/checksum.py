"""Checksums of the rows of a store: damage of the file is noticed, not computed with."""

import functools
import operator
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any

import numpy as np

from bestofk.array_types import Bools, Ints

# Columns that the checksum of a row of each table covers, in this order; runs end with their
# environment. A position in a plan is bound to the content of its split, not to a number.
COVERED = {
    "data_set": ("id", "name", "task", "n_samples", "n_features", "classes", "y"),
    "learner": ("id", "class", "version", "parameters", "stream_name"),
    "plan": ("id", "name", "scheme", "title", "n_repeats", "n_folds", "random_state"),
    "split": ("id", "n_train", "n_test", "test_rows"),
    "plan_split": ("plan", "repeat", "fold", "(SELECT id FROM split WHERE number = split)"),
    "environment": ("id", "description"),
    "comparison": ("id", "data_set", "plan", "random_state"),
    "comparison_learner": ("comparison", "position", "name", "learner"),
    "run": (
        "data_set", "learner", "split", "stream", "limit_seconds", "status", "predictions",
        "train_seconds", "predict_seconds", "size_bytes", "message", "way", "complexity",
        "complexity_unit", "limit_bytes", "peak_bytes", "is_crowded", "train_cpu_seconds",
        "predict_cpu_seconds", "is_isolated", "environment",
    ),
    "score": ("data_set", "learner", "split", "stream", "measure", "value"),
    "decision": ("comparison", "purpose", "place", "content"),
}  # fmt: skip
# Those columns as SQL has them, with that of the checksum at the end.
SEALED = {table: ", ".join((*names, "checksum")) for table, names in COVERED.items()}
_NAN = float("nan")
_TEXTS = ["\x1f".join(["%s"] * n) for n in range(1 + max(map(len, COVERED.values())))]
# split, stream; limits of memory and its peak; whether crowded, and isolated; seconds of the limit
# and of both stages, by the clock and of the processor
_NUMBERS = struct.Struct("<6q5d")
_NO_PEAK = -(2**63)


def row_checksum(values: Sequence[Any]) -> int:
    """Return the CRC-32 of the values of a row: of their text, and of a blob at its end.

    Examples
    --------
    >>> row_checksum(("iris", 150, None)) == row_checksum(("iris", 151, None))
    False
    """
    blob = b""
    if type(values[-1]) is bytes:
        values, blob = values[:-1], values[-1]
    text = _TEXTS[len(values)] % tuple(values)
    return zlib.crc32(blob, zlib.crc32(text.encode("utf-8", "surrogateescape")))


def sealed(rows: Iterable[Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
    """Give rows with their checksums at the end."""
    return ((*row, row_checksum(row)) for row in rows)


def insertion(table: str, how: str = "INSERT") -> str:
    """Return the statement that enters sealed rows in a table."""
    marks = ", ".join("?" * (1 + len(COVERED[table])))
    return f"{how} INTO {table} ({SEALED[table]}) VALUES ({marks})"


def row_checksums(
    rows: Iterable[tuple[Any, ...]], n_values: int, first: tuple[Any, ...] = ()
) -> list[int]:
    """Return `row_checksum` of rows of so many values of which none is a blob.

    Values that all rows share at their beginning may be given once, as `first`.
    """
    start = repeat(zlib.crc32("".join(f"{value}\x1f" for value in first).encode()))
    texts = list(map(_TEXTS[n_values].__mod__, rows))
    try:
        return list(map(zlib.crc32, map(str.encode, texts), start))
    except UnicodeEncodeError:  # text that is damaged
        encoded = (text.encode("utf-8", "surrogateescape") for text in texts)
        return list(map(zlib.crc32, encoded, start))


def run_checksum(row: Sequence[Any]) -> float:
    """Return the CRC-32 of a row of runs; nan, which equals nothing, where a value is of no use."""
    try:
        return _run_checksums([(value,) for value in row])[0]
    except (struct.error, TypeError):  # of a kind that no run has
        return _NAN


def run_checksums(columns: Sequence[Sequence[Any]]) -> Sequence[float]:
    """Return `run_checksum` of many rows, whose values are given column by column.

    What many runs share is taken once: a block of runs is written in microseconds per run.
    """
    try:
        return _run_checksums(columns)
    except (struct.error, TypeError):  # a value is damaged, the others may be sound
        return [run_checksum(row) for row in zip(*columns, strict=True)]


def _run_checksums(columns: Sequence[Sequence[Any]]) -> list[int]:
    (data_set, learner, split, stream, limit, status, blob, train, predict, size, message, mode,
     complexity, unit, limit_bytes, peak, is_crowded, train_cpu, predict_cpu, is_isolated,
     environment) = columns  # fmt: skip
    shared = (data_set, learner, status, size, message, mode, complexity, unit, environment)
    of_shared = map(_shared_checksum, zip(*shared, strict=True))
    seconds = (
        [_NAN if x is None or x != x else x for x in of_kind]
        for of_kind in (train, predict, train_cpu, predict_cpu)
    )
    peaks = [_NO_PEAK if x is None else x for x in peak]
    whole = (split, stream, limit_bytes, peaks, is_crowded, is_isolated)
    numbers = map(_NUMBERS.pack, *whole, limit, *seconds)
    bodies = [x or b"" for x in blob]
    return list(map(zlib.crc32, bodies, map(zlib.crc32, numbers, of_shared)))


def usual_checksums(
    shared: Iterable[int], whole: Sequence[Any], seconds: Sequence[Any], blobs: Sequence[Any]
) -> Ints:
    """Return `run_checksum` of many runs, from the checksum of what they share.

    Parameters
    ----------
    shared : iterable of int
        Of each run, `row_checksum` of its values that are no numbers of its own.
    whole, seconds : sequence of ndarray of shape (n_runs,), or numbers that all runs share
        The numbers in the order of `_NUMBERS`; peaks and seconds may be nan.
    blobs : sequence of (bytes or None)
        Predictions.
    """
    numbers = np.empty(len(blobs), dtype=[("whole", "<i8", 6), ("seconds", "<f8", 5)])
    for index, column in enumerate(whole):
        numbers["whole"][:, index] = np.nan_to_num(column, nan=_NO_PEAK)
    for index, column in enumerate(seconds):
        numbers["seconds"][:, index] = column
    packed = numbers.view(f"V{_NUMBERS.size}").tolist()
    bodies = [x or b"" for x in blobs] if None in blobs else blobs
    sums = map(zlib.crc32, bodies, map(zlib.crc32, packed, shared))
    return np.fromiter(sums, dtype=np.int64, count=len(blobs))


def checksum_of(table: str, values: Sequence[Any]) -> float:
    """Return the checksum of a row: the values of the columns in `COVERED`."""
    return run_checksum(values) if table == "run" else row_checksum(values)


def checksums_of(table: str, columns: Sequence[Sequence[Any]]) -> Sequence[float]:
    """Return `checksum_of` many rows, whose values are given column by column."""
    if table == "run":
        return run_checksums(columns)
    if table in ("score", "plan_split"):  # of which none is a blob
        return row_checksums(zip(*columns, strict=True), len(columns))
    try:
        texts = row_checksums(zip(*columns[:-1], strict=True), len(columns) - 1)
        return list(map(zlib.crc32, columns[-1], texts))
    except TypeError:  # the last value is no blob
        return list(map(row_checksum, zip(*columns, strict=True)))


def are_sound(table: str, columns: Sequence[Sequence[Any]], checksums: Sequence[Any]) -> Bools:
    """Return which rows have their checksums; their values are given column by column."""
    return np.fromiter(map(operator.eq, checksums_of(table, columns), checksums), dtype=bool)


_shared_checksum = functools.lru_cache(maxsize=256)(row_checksum)

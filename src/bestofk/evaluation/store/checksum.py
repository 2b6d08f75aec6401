"""Checksums of the rows of a store: damage of the file is noticed, not computed with."""

from __future__ import annotations

import functools
import operator
import struct
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

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
        "complexity_unit", "limit_bytes", "peak_bytes", "is_crowded", "environment",
    ),
    "score": ("data_set", "learner", "split", "stream", "measure", "value"),
    "decision": ("comparison", "purpose", "place", "content"),
}  # fmt: skip
_NAN = float("nan")
_TEXTS = ["\x1f".join(["%s"] * n) for n in range(1 + max(map(len, COVERED.values())))]
# split, stream; seconds of the limit, of training and of predicting
_NUMBERS = struct.Struct("<2q3d")
# limit and peak of memory, whether it was crowded; and all three as in rows older than they are
_MEMORY = struct.Struct("<3q")
_NO_PEAK = -(2**63)
_WITHOUT_MEMORY = _MEMORY.pack(0, _NO_PEAK, 0)


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


def row_checksums(rows: Iterable[tuple[Any, ...]], n_values: int) -> list[int]:
    """Return `row_checksum` of rows of so many values of which none is a blob."""
    texts = list(map(_TEXTS[n_values].__mod__, rows))
    try:
        return list(map(zlib.crc32, map(str.encode, texts)))
    except UnicodeEncodeError:  # text that is damaged
        return [zlib.crc32(text.encode("utf-8", "surrogateescape")) for text in texts]


def run_checksum(row: Sequence[Any]) -> float:
    """Return the CRC-32 of a row of runs; nan, which equals nothing, where a value is of no use.

    What many runs share is taken once: a block of runs is written in microseconds per run.
    """
    (data_set, learner, split, stream, limit, status, blob, train, predict, size, message, mode,
     complexity, unit, limit_bytes, peak, is_crowded, environment) = row  # fmt: skip
    start = _shared_checksum(
        (data_set, learner, status, size, message, mode, complexity, unit, environment)
    )
    if train is None or train != train:
        train = _NAN
    if predict is None or predict != predict:
        predict = _NAN
    try:
        numbers = _NUMBERS.pack(split, stream, limit, train, predict)
        numbers += _packed_memory([limit_bytes], [peak], [is_crowded])[0]
        return zlib.crc32(blob or b"", zlib.crc32(numbers, start))
    except (struct.error, TypeError):  # of a kind that no run has
        return _NAN


def run_checksums(columns: Sequence[Sequence[Any]]) -> Sequence[float]:
    """Return `run_checksum` of many rows, whose values are given column by column."""
    (data_set, learner, split, stream, limit, status, blob, train, predict, size, message, mode,
     complexity, unit, limit_bytes, peak, is_crowded, environment) = columns  # fmt: skip
    shared = zip(
        data_set, learner, status, size, message, mode, complexity, unit, environment, strict=True
    )
    seconds = (
        [_NAN if x is None or x != x else x for x in of_kind] for of_kind in (train, predict)
    )
    try:
        numbers = list(map(_NUMBERS.pack, split, stream, limit, *seconds))
        if any(
            column.count(default) < len(column)
            for column, default in ((limit_bytes, 0), (peak, None), (is_crowded, 0))
        ):
            memory = _packed_memory(limit_bytes, peak, is_crowded)
            numbers = list(map(operator.add, numbers, memory))
        starts = map(_shared_checksum, shared)
        bodies = [x or b"" for x in blob]
        return list(map(zlib.crc32, bodies, map(zlib.crc32, numbers, starts)))
    except (struct.error, TypeError):  # a value is damaged, the others may be sound
        return [run_checksum(row) for row in zip(*columns, strict=True)]


def _packed_memory(
    limit_bytes: Sequence[Any], peak: Sequence[Any], is_crowded: Sequence[Any]
) -> list[bytes]:
    """Return bytes of each row, none where all have their defaults, as in rows before them."""
    peaks = [_NO_PEAK if item is None else item for item in peak]
    packed = map(_MEMORY.pack, limit_bytes, peaks, is_crowded)
    return [b"" if item == _WITHOUT_MEMORY else item for item in packed]


def checksum_of(table: str, values: Sequence[Any]) -> float:
    """Return the checksum of a row: the values of the columns in `COVERED`."""
    return run_checksum(values) if table == "run" else row_checksum(values)


def checksums_of(table: str, columns: Sequence[Sequence[Any]]) -> Sequence[float]:
    """Return `checksum_of` many rows, whose values are given column by column."""
    if table == "run":
        return run_checksums(columns)
    rows = zip(*columns, strict=True)
    if table == "score":
        return row_checksums(rows, len(columns))
    return list(map(row_checksum, rows))


_shared_checksum = functools.lru_cache(maxsize=256)(row_checksum)

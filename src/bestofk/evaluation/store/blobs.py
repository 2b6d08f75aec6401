"""Predictions packed into compact blobs, which give the same bits back."""

import itertools
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from bestofk.array_types import Ints
from bestofk.data.text_file import MOST_UNPACKED, inflated
from bestofk.evaluation.record import KEEP_PROBABILITIES, KEEP_SCORES
from bestofk.evaluation.run_table import PredictionColumns

# First byte of a stored blob: what stands behind the labels; second: how it is packed.
LABELS_ONLY, _PROBABILITIES, _DECISION, _REGRESSION = b"n", b"p", b"d", b"r"
_PLAIN, _DEFLATED = b"0", b"1"
_HEAD_BYTES = 2
_ONE_BYTE, _FOUR_BYTES = np.dtype(np.uint8), np.dtype(np.uint32)  # of a label
_EIGHT_BYTES = np.dtype(np.float64)  # of everything else
# Values are worth compressing if they repeat: at most half of the first so many are distinct.
# (Compressing what does not repeat takes ten times as long as all else and saves nothing.)
_SAMPLE = 64
# A blob of fewer bytes is kept as it is: to compress it takes longer than to train.
_WORTH_BYTES = 4096


def encode(columns: PredictionColumns, *, keep: str, n_classes: int) -> Sequence[bytes | None]:
    """Pack the predictions of each run into a compact blob that gives the same bits back.

    Parameters
    ----------
    columns : PredictionColumns
        Of runs on one data set.
    keep : {"probabilities", "labels", "scores"}
        How much is kept; ``"scores"`` keeps nothing.
    n_classes : int
        0 for regression.

    Returns
    -------
    list of (bytes or None)
    """
    edges = columns.starts.tolist()
    if keep == KEEP_SCORES:
        return [None] * (len(edges) - 1)
    if n_classes == 0:
        kind, labels, values = _REGRESSION, np.empty(0, dtype=_ONE_BYTE), columns.labels
    else:
        kind, labels, values = LABELS_ONLY, columns.labels.astype(_label_type(n_classes)), None
        if keep == KEEP_PROBABILITIES:
            if columns.probabilities is not None:
                kind, values = _PROBABILITIES, columns.probabilities
            elif columns.decision is not None:
                kind, values = _DECISION, columns.decision
    if values is not None:
        values = np.ascontiguousarray(values, dtype=_EIGHT_BYTES)
    body, rest = labels.tobytes(), b"" if values is None else values.tobytes()
    n_rows = max(edges[-1], 1)
    size, width = len(body) // n_rows, len(rest) // n_rows
    plain = kind + _PLAIN
    if (size + width) * int(np.diff(columns.starts).max(initial=0)) < _WORTH_BYTES:
        return [
            plain + body[size * start : size * stop] + rest[width * start : width * stop]
            for start, stop in itertools.pairwise(edges)
        ]
    return [
        _blob(
            kind, body[size * start : size * stop], None if values is None else values[start:stop]
        )
        for start, stop in itertools.pairwise(edges)
    ]


def is_same_content(first: Any, second: Any) -> bool:
    """Return whether predictions of one run, or scores, are the same as far as both are kept."""
    if first is None or second is None or first == second:
        return True
    if not (isinstance(first, bytes) and isinstance(second, bytes)):
        return False
    short, long = sorted((first, second), key=lambda blob: blob[:1] != LABELS_ONLY)
    labels, whole = _body(short), _body(long)
    if labels is None or whole is None:
        return False
    if short[:1] == LABELS_ONLY:
        return whole.startswith(labels)
    return (short[:1], labels) == (long[:1], whole)


def decode(
    blobs: Sequence[bytes], sizes: Ints, *, n_classes: int
) -> tuple[list[tuple[Ints, PredictionColumns]], list[int]]:
    """Unpack the predictions of many runs at once.

    Parameters
    ----------
    blobs : sequence of bytes
        What `encode` packed.
    sizes : ndarray of shape (n_blobs,), int64
        Test rows of each run.
    n_classes : int
        0 for regression.

    Returns
    -------
    list of (ndarray, PredictionColumns)
        Runs whose predictions are of one kind, by their positions among the blobs.
    list of int
        Positions of blobs that are damaged: they cannot be unpacked, or do not fit their rows.
    """
    heads = {blob[:_HEAD_BYTES] for blob in blobs}
    if any(head[1:] != _PLAIN for head in heads):
        n_bytes = _FOUR_BYTES.itemsize + _EIGHT_BYTES.itemsize * max(n_classes, 1)  # of a row
        packed = zip(blobs, sizes.tolist(), strict=True)
        blobs = [a if a[1:2] == _PLAIN else _unpacked(a, n * n_bytes) for a, n in packed]
        heads = {blob[:_HEAD_BYTES] for blob in blobs}
    groups, damaged = [], []
    kinds = {head[:1] for head in heads}
    for kind in sorted(kinds):
        positions, some = np.arange(len(blobs)), blobs
        if len(kinds) > 1:
            positions = positions[[blob[:1] == kind for blob in blobs]]
            some = [blobs[i] for i in positions.tolist()]
        columns = _decode_alike(kind, some, sizes[positions], n_classes)
        if columns is not None:
            groups.append((positions, columns))
            continue
        for position in positions.tolist():
            columns = _decode_alike(kind, [blobs[position]], sizes[[position]], n_classes)
            if columns is None:
                damaged.append(position)
            else:
                groups.append((np.array([position]), columns))
    return groups, damaged


def _body(blob: bytes, most: int = MOST_UNPACKED) -> bytes | None:
    """Return labels and values of a blob as bytes; None where they cannot be unpacked."""
    if blob[1:2] != _DEFLATED:
        return blob[2:]
    try:
        return inflated(blob[2:], most)
    except zlib.error:
        return None


def _unpacked(blob: bytes, most: int) -> bytes:
    """Return a blob whose body is not compressed; empty where it cannot be unpacked."""
    body = _body(blob, most)
    return b"" if body is None else blob[:1] + _PLAIN + body


def _decode_alike(
    kind: bytes, blobs: Sequence[bytes], sizes: Ints, n_classes: int
) -> PredictionColumns | None:
    """Decode plain blobs of one kind; None where they are not alike, or do not fit."""
    label = _label_type(n_classes)
    if kind not in (LABELS_ONLY, _PROBABILITIES, _DECISION, _REGRESSION):
        return None
    label_bytes = sizes * (0 if kind == _REGRESSION else label.itemsize)
    lengths = np.fromiter(map(len, blobs), dtype=np.int64, count=len(blobs)) - _HEAD_BYTES
    n_values, rest = np.divmod(lengths - label_bytes, _EIGHT_BYTES.itemsize)
    n_columns = {LABELS_ONLY: 0, _REGRESSION: 1}.get(kind, n_classes)
    if kind == _DECISION and n_values[0] == sizes[0]:
        n_columns = 1
    if rest.any() or (n_values != n_columns * sizes).any():
        return None
    starts = np.concatenate([[0], np.cumsum(sizes)])
    labels = np.empty(starts[-1], dtype=np.int64)
    values = np.empty((starts[-1], n_columns), dtype=np.float64)
    for size in np.unique(sizes).tolist():
        runs = np.flatnonzero(sizes == size)
        packed = np.dtype([
            ("head", np.uint8, (_HEAD_BYTES,)),
            ("labels", label, (0 if kind == _REGRESSION else size,)),
            ("values", _EIGHT_BYTES, (size, n_columns)),
        ])  # fmt: skip
        given = np.frombuffer(b"".join([blobs[i] for i in runs.tolist()]), dtype=packed)
        rows: Any = slice(None)
        if len(runs) < len(sizes):
            rows = (starts[runs][:, None] + np.arange(size)).ravel()
        if kind != _REGRESSION:
            labels[rows] = given["labels"].ravel()
        values[rows] = given["values"].reshape(len(runs) * size, n_columns)
    shown = values.ravel() if n_columns == 1 else values
    if kind == _REGRESSION:
        return PredictionColumns(starts, shown)
    if kind == LABELS_ONLY:
        return PredictionColumns(starts, labels)
    if kind == _PROBABILITIES:
        return PredictionColumns(starts, labels, probabilities=shown)
    return PredictionColumns(starts, labels, decision=shown)


def _blob(kind: bytes, labels: bytes, values: np.ndarray | None) -> bytes:
    rest = b"" if values is None else values.tobytes()
    if len(labels) + len(rest) >= _WORTH_BYTES:
        sample = [] if values is None else values.ravel()[:_SAMPLE].tolist()
        if 2 * len(set(sample)) <= len(sample):
            return kind + _DEFLATED + zlib.compress(labels + rest, 1)
    return b"".join((kind, _PLAIN, labels, rest))


def _label_type(n_classes: int) -> np.dtype[np.unsignedinteger]:
    return _ONE_BYTE if n_classes <= 256 else _FOUR_BYTES

"""Predictions packed into compact blobs, which give the same bits back."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bestofk.evaluation.record import KEEP_PROBABILITIES, KEEP_SCORES, Predictions

if TYPE_CHECKING:
    import numpy as np

# First byte of a stored blob: what stands behind the labels; second: how it is packed.
_NOTHING, _PROBABILITIES, _DECISION, _REGRESSION = b"n", b"p", b"d", b"r"
_PLAIN, _DEFLATED = b"0", b"1"
_ONE_BYTE, _FOUR_BYTES = np.dtype(np.uint8), np.dtype(np.uint32)  # of a label
_EIGHT_BYTES = np.dtype(np.float64)  # of everything else
# Values are worth compressing if they repeat: at most half of the first so many are distinct.
# (Compressing what does not repeat takes ten times as long as all else and saves nothing.)
_SAMPLE = 64
# A blob of fewer bytes is kept as it is: to compress it takes longer than to train.
_WORTH_BYTES = 4096


def encode(
    predictions: Sequence[Predictions | None], *, keep: str, n_classes: int
) -> list[bytes | None]:
    """Pack the predictions of each run into a compact blob that gives the same bits back.

    Parameters
    ----------
    predictions : sequence of (Predictions or None)
        Of runs on one data set; None stays None.
    keep : {"probabilities", "labels", "scores"}
        How much is kept; ``"scores"`` keeps nothing.
    n_classes : int
        0 for regression.

    Returns
    -------
    list of (bytes or None)
    """
    if keep == KEEP_SCORES:
        return [None] * len(predictions)
    if n_classes == 0:
        return [
            None if prediction is None else _blob(_REGRESSION, b"", prediction.labels)
            for prediction in predictions
        ]
    rows = [prediction.labels for prediction in predictions if prediction is not None]
    # cast at once: one call for all runs instead of one for each
    every = rows[0] if len(rows) == 1 else np.concatenate(rows or [np.empty(0)])
    labels = every.astype(_label_type(n_classes)).tobytes()
    size, stop = _label_type(n_classes).itemsize, 0
    blobs: list[bytes | None] = []
    for prediction in predictions:
        if prediction is None:
            blobs.append(None)
            continue
        start, stop = stop, stop + size * len(prediction.labels)
        kind, values = _NOTHING, None
        if keep == KEEP_PROBABILITIES:
            if prediction.probabilities is not None:
                kind, values = _PROBABILITIES, prediction.probabilities
            elif prediction.decision is not None:
                kind, values = _DECISION, prediction.decision
        blobs.append(_blob(kind, labels[start:stop], values))
    return blobs


def decode(blob: bytes | None, *, n_test: int, n_classes: int) -> Predictions | None:
    """Unpack what `encode` packed.

    Raises
    ------
    ValueError
        If the blob is damaged: it cannot be unpacked, or does not fit the number of rows.
    """
    if blob is None:
        return None
    kind, body = blob[:1], blob[2:]
    if blob[1:2] == _DEFLATED:
        try:
            body = zlib.decompress(body)
        except zlib.error as error:
            raise ValueError(str(error)) from error
    if kind == _REGRESSION:
        return Predictions(np.frombuffer(body, dtype=np.float64))
    size = n_test * _label_type(n_classes).itemsize
    if len(body) < size:
        raise ValueError(f"{len(body)} bytes cannot hold the labels of {n_test} rows")
    labels = np.frombuffer(body[:size], dtype=_label_type(n_classes)).astype(np.int64)
    if kind == _NOTHING:
        return Predictions(labels)
    values = np.frombuffer(body[size:], dtype=np.float64)
    if len(values) != n_test:
        values = values.reshape(n_test, n_classes)
    if kind == _PROBABILITIES:
        return Predictions(labels, probabilities=values)
    return Predictions(labels, decision=values)


def _blob(kind: bytes, labels: bytes, values: np.ndarray | None) -> bytes:
    if values is None:
        rest = b""
    else:
        rest = (values if values.dtype == _EIGHT_BYTES else values.astype(_EIGHT_BYTES)).tobytes()
    if len(labels) + len(rest) >= _WORTH_BYTES:
        sample = [] if values is None else values.ravel()[:_SAMPLE].tolist()
        if 2 * len(set(sample)) <= len(sample):
            return kind + _DEFLATED + zlib.compress(labels + rest, 1)
    return b"".join((kind, _PLAIN, labels, rest))


def _label_type(n_classes: int) -> np.dtype[np.unsignedinteger]:
    return _ONE_BYTE if n_classes <= 256 else _FOUR_BYTES

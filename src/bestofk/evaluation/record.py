"""Records of runs: status, predictions, seconds, messages."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

OK = "ok"
ERROR = "error"
TIMEOUT = "timeout"

PLAIN = "plain"
BATCHED = "batched"

KEEP_PROBABILITIES = "probabilities"
KEEP_LABELS = "labels"
KEEP_SCORES = "scores"
KEEPS = (KEEP_PROBABILITIES, KEEP_LABELS, KEEP_SCORES)

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


class Predictions(NamedTuple):
    """Predictions of one run on its test rows.

    Parameters
    ----------
    labels : ndarray of shape (n_test,)
        int64 positions in the classes of the data set, or float64 values.
    probabilities : ndarray of shape (n_test, n_classes) or None
        Class probabilities in the order of the classes of the data set.
    decision : ndarray of shape (n_test,) or (n_test, n_classes), or None
        Decision values where the learner gives no probabilities.
    """

    labels: NDArray[np.int64] | NDArray[np.float64]
    probabilities: NDArray[np.float64] | None = None
    decision: NDArray[np.float64] | None = None


class RunRecord(NamedTuple):
    """One learner trained and tested on one split.

    Parameters
    ----------
    status : {"ok", "error", "timeout"}
        How the run ended.
    predictions : Predictions or None
        None where the run failed, or where predictions were not kept.
    train_seconds, predict_seconds : float
        Wall-clock seconds without those of compiling loops, which only the first runs of a
        process need; nan where the run did not get there.
    size_bytes : int or None
        Length of the pickled model; measured once per learner and plan.
    message : str
        Why the run failed, or what the learner warned of; empty otherwise.
    fit_mode : {"plain", "batched"}
        Whether a clone was fitted for this run alone, or a batched form did the whole repeat;
        then `train_seconds` is an equal share of it, predicting included.
    complexity : int or None
        How large the model is, as `bestofk.learners.model_complexity` counts it; measured
        where `size_bytes` is. None too where that cannot be counted.
    complexity_unit : {"nodes", "parameters", "rows kept", ""}
        Of what; empty where there is no count.
    """

    status: str
    predictions: Predictions | None
    train_seconds: float
    predict_seconds: float
    size_bytes: int | None = None
    message: str = ""
    fit_mode: str = PLAIN
    complexity: int | None = None
    complexity_unit: str = ""


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


def kept(record: RunRecord, keep: str) -> RunRecord:
    """Return what is left of a record once it went through a store."""
    predictions = record.predictions
    if predictions is None or keep == KEEP_PROBABILITIES or predictions.labels.dtype.kind == "f":
        return record if keep != KEEP_SCORES else record._replace(predictions=None)
    left = Predictions(predictions.labels) if keep == KEEP_LABELS else None
    return record._replace(predictions=left)


def _blob(kind: bytes, labels: bytes, values: NDArray[Any] | None) -> bytes:
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

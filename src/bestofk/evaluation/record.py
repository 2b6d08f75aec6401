"""Records of runs: status, predictions, seconds, messages."""

from typing import NamedTuple

from bestofk.array_types import Floats, Ints

PLAIN = "plain"
BATCHED = "batched"

KEEP_PROBABILITIES = "probabilities"
KEEP_LABELS = "labels"
KEEP_SCORES = "scores"
KEEPS = (KEEP_PROBABILITIES, KEEP_LABELS, KEEP_SCORES)


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

    labels: Ints | Floats
    probabilities: Floats | None = None
    decision: Floats | None = None


class RunRecord(NamedTuple):
    """One learner trained and tested on one split.

    Parameters
    ----------
    status : {"ok", "error", "timeout", "memory", "lost"}
        How the run ended; "lost" if its workers ended too early several times.
    predictions : Predictions or None
        None if the run failed or predictions were not kept.
    train_seconds, predict_seconds : float
        Wall-clock seconds; nan if the run did not get that far.
    size_bytes : int or None
        Bytes of the pickled model; measured once per learner and plan.
    message : str
        Reason of the failure, or warnings of the learner; else empty.
    fit_mode : {"plain", "batched"}
        Whether a clone was fitted for this run, or a batched form did the whole repeat. In the
        second case `train_seconds` is an equal share of it, including prediction.
    complexity : int or None
        Size of the model by `bestofk.learners.model_complexity`; measured where `size_bytes` is.
        None also if it cannot be counted.
    complexity_unit : {"nodes", "parameters", "rows kept", ""}
        Unit of `complexity`; empty if there is none.
    peak_bytes : int or None
        Peak memory of the run, on top of what its process held before; None if not measured.
    is_crowded : bool
        Whether other runs shared the machine, which makes its seconds longer.
    choice : str
        Choices of the learner inside its training rows, as text of `bestofk.learners.learner`;
        empty if there are none.
    train_cpu_seconds, predict_cpu_seconds : float
        Processor seconds of all threads of the process and of processes started by the run; nan
        if not measured.
    is_isolated : bool
        Whether the process of the run did only runs of this learner and call.
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
    peak_bytes: int | None = None
    is_crowded: bool = False
    choice: str = ""
    train_cpu_seconds: float = float("nan")
    predict_cpu_seconds: float = float("nan")
    is_isolated: bool = False


def kept(record: RunRecord, keep: str) -> RunRecord:
    """Return the part of a record that a store keeps."""
    predictions = record.predictions
    if predictions is None or keep == KEEP_PROBABILITIES or predictions.labels.dtype.kind == "f":
        return record if keep != KEEP_SCORES else record._replace(predictions=None)
    left = Predictions(predictions.labels) if keep == KEEP_LABELS else None
    return record._replace(predictions=left)

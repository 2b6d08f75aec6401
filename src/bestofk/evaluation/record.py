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
        How the run ended; "lost" if its workers ended before it did, again and again.
    predictions : Predictions or None
        None where the run failed, or where predictions were not kept.
    train_seconds, predict_seconds : float
        Seconds of the clock on the wall; nan where the run did not get there.
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
    peak_bytes : int or None
        Memory that the run took at its peak, above what its process held before; None where that
        was not measured.
    is_crowded : bool
        Whether other runs went on meanwhile, which makes its seconds longer.
    choice : str
        What a learner chose inside its training rows, as `bestofk.learners.learner` writes
        it; empty where it chose nothing.
    train_cpu_seconds, predict_cpu_seconds : float
        Seconds of the processor, of all threads of the process, and of the processes that the run
        has started; nan where they were not measured.
    is_isolated : bool
        Whether the process of the run has done runs of no other learner and no other call.
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

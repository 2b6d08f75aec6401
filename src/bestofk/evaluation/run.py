"""A single run: one learner trained and tested on one split."""

import contextlib
import functools
import inspect
import math
import os
import pickle
import random
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn import get_config, set_config
from sklearn.pipeline import Pipeline

from bestofk.array_types import Floats, Ints, Values
from bestofk.data.data_set import DataSet, take_rows
from bestofk.errors import RunError
from bestofk.evaluation.guarded.forks import returning_once
from bestofk.evaluation.guarded.interrupt import is_computing
from bestofk.evaluation.guarded.processor_time import measured
from bestofk.evaluation.guarded.resources import (
    above_limit,
    measured_peak,
    memory_limit,
    spared_descriptors,
)
from bestofk.evaluation.guarded.surroundings import working_folder
from bestofk.evaluation.record import Predictions, RunRecord
from bestofk.evaluation.status import ERROR, MEMORY, OK
from bestofk.learners.learner import (
    UNWEIGHTED,
    Learner,
    choice_text,
    consumes_in_fit,
    weight_parameter,
)
from bestofk.learners.model_complexity import model_complexity
from bestofk.learners.pipeline import reads_levels
from bestofk.resampling import Split

_MESSAGE_LENGTH = 500
_MESSAGES_KEPT = 3
_doing_runs = threading.RLock()
_ROUNDING = 1e-6  # by which probabilities of single precision may be outside [0, 1]

# Part of the key of every run: raised with every change of what a run predicts, apart from what
# learners declare themselves.
CODE_VERSION = 1


def run_one(
    learner: Learner, data: DataSet, split: Split, *, seed: int, measure_size: bool = False
) -> RunRecord:
    """Train a learner on the training rows, predict the test rows, and record the result.

    Parameters
    ----------
    learner : Learner
        A clone of its estimator is fitted.
    data : DataSet
        The learner gets rows of the features and the target as they were handed in; one of the
        catalogue gets texts as categories.
    split : Split
        Training and test rows.
    seed : int
        All randomness of the run comes from it: ``random_state`` parameters that are None,
        and the global generators of numpy and Python, which stay where the run left them
        (`global_generators_kept` puts them back).
    measure_size : bool, default=False
        Whether to pickle the model for its size, and to count how large it is.

    Returns
    -------
    RunRecord
        Whatever the learner raises becomes a record with status ``"error"``; a MemoryError under
        a limit of memory becomes one with status ``"memory"``.
    """
    predictions, size, status, message = None, None, OK, ""
    complexity, unit, choice = None, "", ""
    progress = _Progress()
    with (
        _surroundings_kept(),
        measured_peak() as peak,
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        try:
            with returning_once():
                predictions = _predictions(learner, data, split, seed, progress)
                peak_bytes = peak()  # that of measuring the model is none of its own
                choice = choice_text(progress.estimator)
                if measure_size:
                    size = _size_of(progress.estimator)
                    complexity, unit = _complexity_of(progress.estimator)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            peak_bytes, predictions = peak(), None
            status, message = _failure(error, progress.stage, peak_bytes)
    wall, cpu, nan = progress.seconds, progress.cpu_seconds, math.nan
    return RunRecord(
        status, predictions, wall.get("fit", nan), wall.get("predict", nan), size,
        message or _summary(caught), train_cpu_seconds=cpu.get("fit", nan),
        predict_cpu_seconds=cpu.get("predict", nan),
        complexity=complexity, complexity_unit=unit, peak_bytes=peak_bytes,
        choice=choice,
    )  # fmt: skip


@dataclass
class _Progress:
    """Partial results of a run, available even if it fails."""

    stage: str = "fit"
    estimator: Any = None
    seconds: dict[str, float] = field(default_factory=dict)
    cpu_seconds: dict[str, float] = field(default_factory=dict)

    def timed(self, stage: str, work: Callable[..., Any], *args: Any) -> Any:
        """Return what a stage gives, and measure its seconds."""
        self.stage = stage
        result, self.seconds[stage], self.cpu_seconds[stage] = measured(work, *args)
        return result


def _predictions(
    learner: Learner, data: DataSet, split: Split, seed: int, progress: _Progress
) -> Predictions:
    """Train on the training rows and predict the test rows; see `CODE_VERSION`."""
    seed_global_generators(seed)
    progress.estimator = estimator = learner.clone(seed)
    rows = _weighing(data, split.train_rows)
    table = _table(learner, data)
    seen = _seen_by(learner, data)
    features, target = take_rows(table, rows), take_rows(seen.training_target, rows)
    with spared_descriptors():
        progress.timed("fit", _fit, estimator, features, target, data, rows)
        features = take_rows(table, split.test_rows)
        raw = progress.timed("predict", _predict, estimator, features, data.is_classification)
    return _checked(raw, seen, split, estimator, rows)


@contextlib.contextmanager
def _surroundings_kept() -> Iterator[None]:
    """Undo process-wide settings of a learner, so that they affect no other run."""
    folder = working_folder()
    with np.errstate(), _settings_kept():
        try:
            yield
        finally:
            if folder is not None and working_folder() != folder:
                os.chdir(folder)


@contextlib.contextmanager
def _settings_kept() -> Iterator[None]:
    """Put back settings of scikit-learn that have changed; `config_context` sets all again."""
    settings = get_config()
    try:
        yield
    finally:
        if get_config() != settings:
            set_config(**settings)


def fit_learner(learner: Learner, data: DataSet, rows: Ints, *, seed: int) -> Any:
    """Return a clone of a learner fitted to some rows, as a run would fit it.

    Parameters
    ----------
    learner : Learner
        What to fit.
    data : DataSet
        All rows.
    rows : ndarray of int64
        Rows to train on.
    seed : int
        All randomness comes from it.

    Returns
    -------
    estimator
        Fitted; whatever the learner raises is not caught. Of a learner that is trained on a
        logarithm, a `TransformedTargetRegressor` of scikit-learn, which predicts in the unit of
        the target.
    """
    from sklearn.compose import TransformedTargetRegressor

    with runs_here(waits=True), returning_once(), spared_descriptors():
        seed_global_generators(seed)
        estimator, rows = learner.clone(seed), _weighing(data, rows)
        model = estimator
        if _seen_by(learner, data).target_transform:
            model = TransformedTargetRegressor(estimator, func=np.log, inverse_func=np.exp)
        is_frame = not isinstance(data.features, np.ndarray)
        table = _table(learner, data) if data.marked and is_frame else data.features
        _fit(model, take_rows(table, rows), data.target_rows(rows), data, rows, inner=estimator)
    return model


def _table(learner: Learner, data: DataSet) -> Any:
    """Return the features as a learner receives them, or the times of rows."""
    if learner.reads_times:
        return data.times
    return data.levelled if reads_levels(learner.estimator) else data.features


def _seen_by(learner: Learner, data: DataSet) -> DataSet:
    """Return the training data of a learner: baselines see the target untransformed."""
    is_plain = learner.ignores_inputs and data.target_transform
    return replace(data, target_transform="") if is_plain else data


def seed_global_generators(seed: int) -> None:
    """Seed the global generators of numpy and Python, for learners that draw from them."""
    np.random.seed(seed)  # noqa: NPY002  # the global generator is meant
    random.seed(seed)


@contextlib.contextmanager
def global_generators_kept() -> Iterator[None]:
    """Restore the global generators of numpy and Python after the block."""
    numpy_state, python_state = np.random.get_state(), random.getstate()  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(numpy_state)  # noqa: NPY002
        random.setstate(python_state)


@contextlib.contextmanager
def runs_here(*, waits: bool = False) -> Iterator[bool]:
    """Let one thread at a time do runs in this process, with the same results as elsewhere.

    Runs seed the global generators, which are put back afterwards, and do not see the `n_jobs`
    of a `joblib.parallel_config` around the call.

    Parameters
    ----------
    waits : bool, default=False
        Whether to wait until no other thread does runs.

    Yields
    ------
    bool
        Whether this thread may; otherwise its runs need a process of their own.
    """
    from joblib import parallel_config

    is_taken = is_computing() and not waits
    if is_taken or not _doing_runs.acquire(blocking=waits):
        yield False
        return
    try:
        with global_generators_kept(), parallel_config(n_jobs=1):
            _import_what_fits_import()
            yield True
    finally:
        _doing_runs.release()


@functools.cache
def _import_what_fits_import() -> None:
    """Trigger the imports of scikit-learn's first fit, which draw from Python's generator.

    Otherwise the first run of a process would draw other numbers than the same run elsewhere.
    """
    from sklearn.dummy import DummyClassifier

    DummyClassifier().fit([[0.0], [1.0]], [0, 1])


def _fit(
    model: Any, features: Any, target: Any, data: DataSet, rows: Ints, *, inner: Any = None
) -> None:
    """Fit, with groups and weights if the model, or the learner inside it, accepts them."""
    estimator = model if inner is None else inner
    given: dict[str, Any] = {}
    is_routed = bool(get_config()["enable_metadata_routing"])
    groups, is_own = _groups_of(data, rows), getattr(estimator, "takes_groups", False)
    if groups is not None and (is_own or consumes_in_fit(estimator, "groups")):
        given["groups"] = groups
        is_routed |= not is_own
    if data.time is not None and getattr(estimator, "takes_time", False):
        given["time"] = data.time.values[rows]
    if data.sample_weight is not None:
        name: str | None = "sample_weight"
        if not (is_routed and consumes_in_fit(estimator, "sample_weight")):
            is_routed = "groups" in given and not is_own
            name = None if is_routed else weight_parameter(estimator)
        if name is None:
            warnings.warn(UNWEIGHTED, stacklevel=1)
        else:
            given[name] = data.sample_weight[rows]
    with _settings_kept():
        set_config(enable_metadata_routing=is_routed)
        model.fit(features, target, **given)


def _weighing(data: DataSet, rows: Ints) -> Ints:
    """Return the rows without those of weight 0, which have no effect in training."""
    return rows if data.sample_weight is None else rows[data.sample_weight[rows] > 0]


def _groups_of(data: DataSet, rows: Ints) -> Values | None:
    """Return the groups of training rows; None if every row is its own group.

    Copies of a row in a bootstrap sample belong together.
    """
    if data.groups is not None:
        return np.asarray(data.groups[rows])
    return rows if np.bincount(rows).max(initial=0) > 1 else None


def _predict(estimator: Any, features: Any, is_classifier: bool) -> tuple[Any, Any, Any]:
    """Return labels, probabilities and decision values as returned by the learner."""
    last = estimator
    if isinstance(estimator, Pipeline) and _predicts_as_pipeline(estimator.__class__):
        # transform once for all predictions, with the steps of Pipeline.predict
        last = estimator.steps[-1][1]
        if last is None or isinstance(last, str):
            last = estimator
        else:
            for _, step in estimator.steps[:-1]:
                if step is not None and step != "passthrough":
                    features = step.transform(features)
    labels = last.predict(features)
    if not is_classifier:
        return labels, None, None
    if hasattr(last, "predict_proba"):
        return labels, last.predict_proba(features), None
    if hasattr(last, "decision_function"):
        return labels, None, last.decision_function(features)
    return labels, None, None


@functools.cache
def _predicts_as_pipeline(cls: type) -> bool:
    """Return whether a pipeline class uses scikit-learn's own methods of prediction."""
    methods = ("predict", "predict_proba", "decision_function")
    return all(
        inspect.getattr_static(cls, name) is inspect.getattr_static(Pipeline, name)
        for name in methods
    )


def _checked(
    raw: tuple[Any, Any, Any], data: DataSet, split: Split, estimator: Any, train_rows: Ints
) -> Predictions:
    labels, probabilities, decision = raw
    n_test = len(split.test_rows)
    labels = _as_array("predict", labels, (n_test,))
    if not data.is_classification:
        values = data.predicted_values(labels.astype(np.float64))
        _check_finite("predict", values)
        return Predictions(values)
    codes = _codes(labels, data.classes, "predict returned", "rows")
    if probabilities is None and decision is None:
        return Predictions(codes)
    known = getattr(estimator, "classes_", None)
    known = np.unique(data.target_array[train_rows]) if known is None else np.ravel(known)
    shape = (n_test, len(known))
    columns = _codes(known, data.classes, "classes_ names", "entries")
    if len(set(columns.tolist())) < len(columns):
        raise RunError(f"classes_ must name every class once; got {known.tolist()}")
    if probabilities is not None:
        probabilities = _as_array("predict_proba", probabilities, shape).astype(np.float64)
        _check_probabilities(probabilities)
        full = np.zeros((n_test, len(data.classes)))
        full[:, columns] = probabilities
        return Predictions(codes, probabilities=full)
    decision = _as_array("decision_function", decision, shape, is_exact=False).astype(np.float64)
    _check_finite("decision_function", decision)
    if decision.shape == (n_test,) and len(known) == 2:
        decision = np.column_stack([-decision / 2, decision / 2])  # positive: the second class
    if decision.shape != shape:
        warnings.warn(f"decision_function of shape {decision.shape} is not kept", stacklevel=1)
        return Predictions(codes)
    full = np.full((n_test, len(data.classes)), -np.inf)
    full[:, columns] = decision
    return Predictions(codes, decision=full[:, 1] - full[:, 0] if len(full[0]) == 2 else full)


def _as_array(
    method: str, values: Any, shape: tuple[int, ...], *, is_exact: bool = True
) -> np.ndarray:
    """Return the result of a method as an array of a shape, or raise if it has masked values."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise RunError(
            f"{method} must return shape {shape}; got rows of different lengths"
        ) from None
    if np.ma.is_masked(values):
        mask = np.ma.getmaskarray(values)
        rows = int(mask.reshape(len(mask), -1).any(axis=1).sum())
        raise RunError(f"{method} returned masked values in {rows} of {len(mask)} rows")
    if array.dtype.kind == "c":
        raise RunError(f"{method} returned complex numbers")
    if is_exact and array.shape != shape:
        raise RunError(f"{method} must return shape {shape}; got {array.shape}")
    return array


def _check_probabilities(values: Floats) -> None:
    # nan, if any value is
    if values.min(initial=0) >= -_ROUNDING and values.max(initial=0) <= 1 + _ROUNDING:
        return
    _check_finite("predict_proba", values)
    wrong = values[(values < -_ROUNDING) | (values > 1 + _ROUNDING)]
    raise RunError(f"predict_proba returned values outside [0, 1], such as {wrong[0]:g}")


def _check_finite(method: str, values: Floats) -> None:
    is_finite = np.isfinite(values)
    if not is_finite.all():
        rows = int((~is_finite).reshape(len(values), -1).any(axis=1).sum())
        kind = "NaN" if np.isnan(values).any() else "infinite values"
        raise RunError(f"{method} returned {kind} in {rows} of {len(values)} rows")


def _codes(labels: np.ndarray, classes: np.ndarray, said: str, unit: str) -> Ints:
    """Return the positions of labels among the classes of the data, or raise.

    Equal labels of another type are the same class, as 1.0, 1 and True.
    """
    try:
        codes = np.minimum(classes.searchsorted(labels), len(classes) - 1)
        is_wrong = classes[codes] != labels
    except TypeError:
        position = {label: code for code, label in enumerate(classes.tolist())}
        codes = np.array([position.get(label, -1) for label in labels.tolist()], dtype=np.int64)
        is_wrong = codes < 0
    if is_wrong.any():
        label = labels[is_wrong.argmax()]
        shown = repr(str(label)) if isinstance(label, str) else str(label)
        text = "NaN" if label != label else f"class {shown}, which the data do not have,"
        raise RunError(f"{said} {text} in {is_wrong.sum()} of {len(labels)} {unit}")
    return codes.astype(np.int64)


def _size_of(estimator: Any) -> int | None:
    try:
        return len(pickle.dumps(estimator, protocol=5))
    except Exception:  # a model that cannot be pickled has no size; that is no failure
        return None


def _complexity_of(estimator: Any) -> tuple[int | None, str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what the learner warns of are its own runs
            complexity = model_complexity(estimator)
    except Exception:  # a model that cannot be counted is no failure either
        complexity = None
    return (None, "") if complexity is None else (complexity.count, complexity.unit)


def _failure(error: BaseException, stage: str, peak_bytes: int | None) -> tuple[str, str]:
    """Return the status and the message of a run that raised."""
    limit = memory_limit()
    if limit is None or not isinstance(error, MemoryError):
        return ERROR, _describe(error, stage)
    detail = f": {text}" if (text := _one_line(error)) else ""
    return MEMORY, f"{stage} {above_limit(limit, peak_bytes)}{detail}"


def _describe(error: BaseException, stage: str) -> str:
    if isinstance(error, RunError):
        return str(error)
    return f"{stage} raised {type(error).__name__}: {_one_line(error)}"


def _one_line(message: Any) -> str:
    """Return the text of an error or warning, whatever it is, in one line that can be stored."""
    try:
        text = " ".join(str(message).split())[:_MESSAGE_LENGTH]
    except Exception:
        return "(its message cannot be shown)"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _summary(caught: list[warnings.WarningMessage]) -> str:
    texts: list[str] = []
    for warning in caught:
        text = f"{warning.category.__name__}: {_one_line(warning.message)}"
        if text not in texts:
            texts.append(text)
    return " | ".join(texts[:_MESSAGES_KEPT])

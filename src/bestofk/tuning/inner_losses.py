"""Inner cross-validation: folds, losses of settings, and rules of choice."""

import math
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final, NamedTuple

import numpy as np
from sklearn.base import clone

from bestofk.array_types import Floats, Folds, Values
from bestofk.checks import is_whole
from bestofk.errors import InvalidArgumentError
from bestofk.learners.entry import entry_of_class
from bestofk.learners.learner import weight_parameter
from bestofk.measures import PredictionBatch, get_measure
from bestofk.measures.measure import CLASSIFICATION, REGRESSION, Measure
from bestofk.measures.ties import is_noise, tied_values
from bestofk.resampling.drawn_rows import fold_assignment
from bestofk.scikit_internals import are_valid
from bestofk.tuning.paths.catalogue import SETTING_PATHS
from bestofk.tuning.spaces import fresh_setting
from bestofk.tuning.training_parts import (
    Rows,
    SettingPath,
    SettingPredictions,
    TrainingParts,
    spread,
)

AUTO: Final = "auto"
# Below this many training rows, one assignment to folds is mostly chance, so three are used.
_FEW_ROWS: Final = 150
_AUTO_FOLDS: Final = 5
_WAY_OUT = "Give a number of folds such as 5, repeats and folds such as '3x5', or 'auto'."


class InnerPlan(NamedTuple):
    """Repeats and folds of inner cross-validation."""

    n_repeats: int
    n_folds: int

    def __str__(self) -> str:
        """Return the plan as text: 3x5, or 5 for one repeat."""
        return f"{self.n_repeats}x{self.n_folds}" if self.n_repeats > 1 else str(self.n_folds)


def read_inner(inner: Any, n_rows: int, groups: Values | None = None) -> InnerPlan:
    """Return the inner plan for some training rows.

    Parameters
    ----------
    inner : int, str or "auto"
        Folds; repeats and folds, such as "3x5"; or "auto": 5, or 3x5 below 150 rows, with at most
        as many folds as rows or groups.
    n_rows : int
        Training rows.
    groups : ndarray of shape (n_rows,), optional
        Groups, each kept in one fold.

    Raises
    ------
    InvalidArgumentError
        If `inner` is none of these, or has more folds than there are rows or groups.

    Examples
    --------
    >>> read_inner("auto", 100), str(read_inner(5, 100))
    (InnerPlan(n_repeats=3, n_folds=5), '5')
    """
    unit, n_units = ("rows", n_rows) if groups is None else ("groups", len(np.unique(groups)))
    if n_units < 2:
        raise InvalidArgumentError(
            f"training {unit} must be at least 2; got {n_units}. Tune on more training data."
        )
    if isinstance(inner, str) and inner == AUTO:
        n_folds = min(_AUTO_FOLDS, n_units)
        # folds of a single row or group are the same in all repeats
        return InnerPlan(3 if n_folds < n_units and n_rows < _FEW_ROWS else 1, n_folds)
    plan = _written_plan(inner)
    if plan.n_folds > n_units:
        raise InvalidArgumentError(
            f"inner must be at most the number of training {unit} ({n_units}) folds; got "
            f"{inner!r}. Give inner={n_units} or less."
        )
    return plan


def check_inner(inner: Any) -> None:
    """Raise unless an inner plan has a form that `read_inner` reads."""
    if not (isinstance(inner, str) and inner == AUTO):
        _written_plan(inner)


def _written_plan(inner: Any) -> InnerPlan:
    match = re.fullmatch(r"(?:([1-9]\d*)x)?([1-9]\d*)", str(inner))
    if not (match and (isinstance(inner, str) or is_whole(inner))) or int(match[2]) < 2:
        raise InvalidArgumentError(f"inner must be at least 2 folds; got {inner!r}. {_WAY_OUT}")
    return InnerPlan(int(match[1] or 1), int(match[2]))


def inner_folds(
    plan: InnerPlan, y: Values, n_classes: int, groups: Values | None, seed: int
) -> Folds:
    """Return the inner fold of every training row, shape (n_repeats, n_rows).

    Parameters
    ----------
    plan : InnerPlan
        Repeats and folds.
    y : ndarray of shape (n_rows,)
        Positions of classes, spread evenly over the folds; or values.
    n_classes : int
        0 for regression.
    groups : ndarray of shape (n_rows,) or None
        Rows of a group stay in one fold.
    seed : int
        Seed of all draws.
    """
    strata = y.astype(np.int64) if n_classes else None
    numbers = None if groups is None else np.unique(groups, return_inverse=True)[1]
    return fold_assignment(len(y), numbers, random_state=seed, strata=strata, **plan._asdict())


def forward_folds(time: Floats, n_folds: int) -> Folds:
    """Return the inner fold of every training row in order of time, shape (1, n_rows).

    Rows with the same time stay together; the first part, -1, is never tested. Raises
    InvalidArgumentError if there is nothing to train on before any fold.

    Examples
    --------
    >>> forward_folds(np.array([3.0, 1.0, 2.0, 2.0, 4.0, 5.0]), 2).tolist()
    [[0, -1, -1, -1, 1, 1]]
    """
    first = np.searchsorted(np.sort(time), time)  # position of the first row of the same time
    parts = np.unique(first * (n_folds + 1) // len(time), return_inverse=True)[1] - 1
    if parts.max() < 0:
        raise InvalidArgumentError(
            "time must differ among training rows, for inner folds; got too few times. Use a "
            "longer window, or learners that are not tuned."
        )
    return parts.astype(np.int32)[None]


ANCHORED: Final = "anchored"
BEST: Final = "best"
RULES: Final = (ANCHORED, BEST)


def choose_setting(losses: Floats, default: int, n_folds: int, *, rule: str = ANCHORED) -> int:
    """Return the position of the chosen setting.

    Parameters
    ----------
    losses : ndarray of shape (n_settings, n_inner), float64
        Smaller is better. Settings with nan are never chosen; inner splits in which the default has
        nan are ignored.
    default : int
        Position of the default setting.
    n_folds : int
        Folds of one repeat of the inner cross-validation.
    rule : {"anchored", "best"}, default="anchored"
        "best" chooses the lowest mean, the first on ties, like `GridSearchCV`. "anchored" replaces
        the default only by a setting that beats it by more than one standard error of the
        differences in inner splits, sd * sqrt(1 / n_inner + 1 / (n_folds - 1)), corrected for
        overlapping training rows (Nadeau and Bengio 2003).

    Returns
    -------
    int
        The default if no setting has losses or, for "anchored", if the differences do not vary; the
        best if the default has no losses.

    Examples
    --------
    >>> losses = np.array([[0.30, 0.31, 0.29, 0.33, 0.32], [0.29, 0.31, 0.30, 0.32, 0.31]])
    >>> choose_setting(losses, 0, 5), choose_setting(losses, 0, 5, rule="best")
    (0, 1)
    """
    is_known, has_default = np.isfinite(losses[default]), True
    if not is_known.any():
        is_known, has_default = np.isfinite(losses).any(axis=0), False
    if not is_known.any():
        return default
    losses = losses[:, is_known]
    with np.errstate(invalid="ignore"):
        means = losses.mean(axis=1)
    means[~np.isfinite(means)] = np.inf
    best = int(np.argmin(tied_values(means)))
    if rule == BEST or best == default or not has_default:
        return best
    n_inner = losses.shape[1]
    differences = losses[default] - losses[best]
    spread = differences.std(ddof=1) if n_inner > 1 else 0.0
    error = spread * math.sqrt(1 / n_inner + 1 / (n_folds - 1))
    is_flat = is_noise(error, np.abs(losses[[default, best]]).max())
    is_better = not is_flat and differences.mean() > error
    return best if is_better else default


def setting_path(parts: TrainingParts, settings: Sequence[Mapping[str, Any]]) -> SettingPath | None:
    """Return the shared computation of some settings; None if there is none.

    Parameters
    ----------
    parts : TrainingParts
        The learner and its table.
    settings : sequence of mapping
        Full names of parameters.
    """
    path = entry_of_class(SETTING_PATHS, type(parts.learner))
    own = parts.own_settings(settings)
    if path is None or own is None or not are_valid(parts.learner, own):
        return None  # separate training drops settings that scikit-learn refuses
    return path(parts.learner, own) if path.supports(parts, own) else None


def try_settings(
    parts: TrainingParts,
    settings: Sequence[Mapping[str, Any]],
    train_rows: Sequence[Rows],
    asked_rows: Sequence[Rows],
    *,
    path: SettingPath | None,
    weight: Floats | None = None,
) -> Iterator[SettingPredictions]:
    """Yield the predictions of every setting, part by part.

    Parameters
    ----------
    parts : TrainingParts
        The learner and its table.
    settings : sequence of mapping
        Full names of parameters.
    train_rows, asked_rows : sequence of ndarray of int
        Rows of each part; training rows ascending.
    path : SettingPath or None
        Result of `setting_path`; None to train every model separately.
    weight : ndarray of shape (n_samples,), optional
        Weights of the rows; only without a path.
    """
    if path is None:
        for rows, asked in zip(train_rows, asked_rows, strict=True):
            yield _plain(parts, settings, rows, asked, weight)
        return
    shared = path.predict_parts(parts, train_rows, asked_rows)
    for rows, asked, predictions in zip(train_rows, asked_rows, shared, strict=True):
        yield _plain(parts, settings, rows, asked, None) if predictions is None else predictions


def _plain(
    parts: TrainingParts,
    settings: Sequence[Mapping[str, Any]],
    rows: Rows,
    asked: Rows,
    weight: Floats | None,
) -> SettingPredictions:
    """Return the predictions of every setting, each trained separately on rows prepared once."""
    own = parts.own_settings(settings)
    estimator, front = (parts.pipeline, []) if own is None else (parts.learner, parts.front)
    prepared: tuple[Any, Any] | None = None
    n_asked, n_classes = len(asked), parts.n_classes
    labels = np.zeros((len(settings), n_asked), np.int64 if n_classes else np.float64)
    probabilities, decision = np.zeros((2, len(settings), n_asked, n_classes))
    failures: dict[int, str] = {}
    kinds = set()
    for index, setting in enumerate(settings if own is None else own):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                prepared = prepared or parts.prepared_by(front, rows, asked)
                X, others = deepcopy(prepared)  # learners may overwrite their input
                own_weight = None if weight is None else weight[rows]
                fitted = fitted_with(estimator, setting, X, parts.target[rows], own_weight)
            labels[index], kind, scores = _predicted(fitted, parts, others)
        except Exception as error:
            failures[index] = f"{type(error).__name__}: {error}"
            continue
        kinds.add(kind)
        if scores is not None:
            (probabilities if kind == "probabilities" else decision)[index] = scores
    if kinds == {"probabilities", "decision"}:  # needed for probabilities, too
        decision += probabilities
    if n_classes == 2:
        decision = decision[..., 1] - decision[..., 0]
    return SettingPredictions(
        labels,
        probabilities if kinds == {"probabilities"} else None,
        decision if "decision" in kinds and "labels" not in kinds else None,
        failures,
    )


def fitted_with(
    estimator: Any, setting: Mapping[str, Any], X: Any, target: Values, weight: Floats | None
) -> Any:
    """Return a fitted clone of an estimator with a setting; weights are passed if it takes any."""
    fitted = clone(estimator, safe=False).set_params(**fresh_setting(setting))
    name = weight_parameter(fitted) if weight is not None else None
    return fitted.fit(X, target, **({} if name is None else {name: weight}))


def _predicted(fitted: Any, parts: TrainingParts, X: Any) -> tuple[Values, str, Floats | None]:
    """Return labels, and scores of all classes with their kind."""
    labels = np.asarray(fitted.predict(X))
    if not parts.n_classes:
        values = labels.astype(np.float64)
        if not np.isfinite(values).all():
            raise ValueError("predictions are not finite")
        return values, "labels", None
    codes = np.searchsorted(parts.classes, labels)
    known = np.searchsorted(parts.classes, getattr(fitted, "classes_", parts.classes))
    if hasattr(fitted, "predict_proba"):
        shares = spread(np.asarray(fitted.predict_proba(X)), known, parts.n_classes, 0.0)
        return codes, "probabilities", shares
    if hasattr(fitted, "decision_function"):
        values = np.asarray(fitted.decision_function(X))
        if values.ndim == 1:
            values = np.column_stack([np.zeros(len(values)), values])
        if values.shape[1] != len(known):  # one column for each pair of classes
            return codes, "labels", None
        return codes, "decision", spread(values, known, parts.n_classes, -np.inf)
    return codes, "labels", None


# Maximum numbers in the predictions of all settings at once: about 60 MB.
_MOST_NUMBERS = 8_000_000
# Number of causes listed in a message.
_MOST_SHOWN = 2
# Parts in which failures of one cause differ, and the class of an error before its text.
_NUMBER = re.compile(r"\d+")
_ERROR = re.compile(r"^\w+: ")


@dataclass(frozen=True, eq=False)
class InnerLosses:
    """Losses of every setting on one training set.

    Parameters
    ----------
    losses : ndarray of shape (n_settings, n_inner), float64
        Smaller is better; nan if a setting failed or the measure is undefined.
    failures : mapping of int to str
        Reason of each failed setting, by position: an error after its class, or a plain reason.
    """

    losses: Floats
    failures: Mapping[int, str]

    def message(self, settings: Sequence[Mapping[str, Any]]) -> str:
        """Return a sentence on the settings that were dropped; empty if none was."""
        if not self.failures:
            return ""
        start = f"UserWarning: {len(self.failures)} of {len(settings)} settings were dropped"
        causes: dict[str, str] = {}
        for reason in self.failures.values():
            causes.setdefault(_NUMBER.sub("", reason), reason)
        first, *others = list(causes.values())[:_MOST_SHOWN]
        if others:
            return f"{start}: {'; '.join([first, *others])}"
        error = _ERROR.sub("", first)
        return f"{start}, because {first}" if error == first else f"{start}: {error}"


def inner_measure(measure: Any, classes: Values) -> Measure:
    """Return the measure for the choice of settings, by default error or squared error.

    Raises
    ------
    InvalidArgumentError
        If the measure is unknown.
    """
    task = CLASSIFICATION if len(classes) else REGRESSION
    usual = "error" if len(classes) else "mse"
    try:
        return get_measure(usual if measure is None else measure, task=task, classes=classes)
    except InvalidArgumentError as error:
        text = str(error).replace("scoring must", "measure of Tuned must", 1)
        raise InvalidArgumentError(text) from error


class MeasureOfLogarithms(Measure):
    """A measure of values that receives their logarithms."""

    code_version = 1

    def __init__(self, measure: Measure) -> None:
        self.measure = measure
        self.name, self.title, self.task = measure.name, measure.title, measure.task
        self.greater_is_better, self.needs = measure.greater_is_better, measure.needs
        self.minimum, self.maximum = measure.minimum, measure.maximum

    def _values(self, batch: PredictionBatch) -> Floats:
        values, labels = np.exp(batch.y_true), np.exp(batch.labels)
        return self.measure.compute(replace(batch, y_true=values, labels=labels))


def inner_losses(
    parts: TrainingParts,
    settings: Sequence[Mapping[str, Any]],
    measure: Measure,
    splits: Sequence[tuple[Rows, Folds]],
    *,
    path: SettingPath | None,
    weight: Floats | None = None,
) -> list[InnerLosses]:
    """Return the losses of settings on several training sets.

    Parameters
    ----------
    parts : TrainingParts
        The learner and its table.
    settings : sequence of mapping
        Full names of parameters.
    measure : Measure
        Measure for the choice of settings.
    splits : sequence of (ndarray of int, ndarray of shape (n_repeats, n_rows), int32)
        Training rows, ascending, and their inner folds in every repeat; if some folds are -1, each
        fold is trained only on earlier ones.
    path : SettingPath or None
        Result of `setting_path` for the settings; None to train every model separately.
    weight : ndarray of shape (n_samples,), optional
        Weights of the rows of the table, for training without a path.
    """
    n_numbers = len(settings) * len(parts.y) * max(parts.n_classes, 1)
    step = max(_MOST_NUMBERS // n_numbers, 1)
    results: list[InnerLosses] = []
    for start in range(0, len(splits), step):
        some = splits[start : start + step]
        inner = [
            (rows[repeat < fold if repeat.min() < 0 else repeat != fold], rows[repeat == fold])
            for rows, folds in some
            for repeat in folds
            for fold in range(int(repeat.max()) + 1)
        ]
        train_rows, asked_rows = zip(*inner, strict=True)
        tried = try_settings(parts, settings, train_rows, asked_rows, path=path, weight=weight)
        columns = (
            _losses_of(parts, measure, rows, predictions)
            for rows, predictions in zip(asked_rows, tried, strict=True)
        )
        for _, folds in some:
            n_inner = sum(int(repeat.max()) + 1 for repeat in folds)
            results.append(_side_by_side(list(islice(columns, n_inner))))
    return results


def _side_by_side(columns: Sequence[tuple[Floats, Mapping[int, str]]]) -> InnerLosses:
    failures = {k: v for _, failed in reversed(columns) for k, v in failed.items()}
    losses = np.column_stack([values for values, _ in columns])
    return InnerLosses(losses, dict(sorted(failures.items())))


def _losses_of(
    parts: TrainingParts, measure: Measure, rows: Rows, predictions: SettingPredictions
) -> tuple[Floats, Mapping[int, str]]:
    labels, failures = predictions.labels, predictions.failures
    if len(failures) == len(labels):
        return np.full(len(labels), np.nan), failures
    if measure.name == "error":  # the usual case, computed directly
        losses = (labels != parts.y[rows]).mean(axis=1)
    else:
        losses = measure.loss(measure.compute(_batch(parts, rows, predictions))).copy()
    losses[list(failures)] = np.nan
    return losses, failures


def _batch(parts: TrainingParts, rows: Rows, predictions: SettingPredictions) -> PredictionBatch:
    """Return the predictions of all settings as runs."""
    n_settings, n_rows = predictions.labels.shape

    def flat(values: Values | None) -> Values | None:
        return None if values is None else values.reshape(-1, *values.shape[2:])

    return PredictionBatch(
        np.tile(parts.y[rows], n_settings),
        predictions.labels.ravel(),
        n_rows * np.arange(n_settings + 1),
        parts.classes,
        flat(predictions.probabilities),
        flat(predictions.decision),
    )

"""Catalogue of measures, and their lookup by name, scorer or function."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, NoReturn

from numpy.typing import ArrayLike

from bestofk.checks import nearest_name
from bestofk.errors import InvalidArgumentError
from bestofk.measures.auroc import Auroc, AurocWeighted
from bestofk.measures.average_precision import AveragePrecision
from bestofk.measures.balanced_accuracy import BalancedAccuracy
from bestofk.measures.brier import Brier
from bestofk.measures.choice import check_task, position_of
from bestofk.measures.class_shares import F1, Precision, Recall, Specificity
from bestofk.measures.cost import Cost
from bestofk.measures.error import Accuracy, Error
from bestofk.measures.function import measure_of_function
from bestofk.measures.log_loss import LogLoss
from bestofk.measures.mcc import Mcc
from bestofk.measures.measure import CLASSIFICATION, REGRESSION, Measure
from bestofk.measures.r2 import R2
from bestofk.measures.regression_error import (
    MaximumError,
    MeanAbsoluteError,
    MeanAbsolutePercentageError,
    MeanSquaredError,
    PinballLoss,
    RootMeanSquaredError,
)
from bestofk.measures.scorer import REFUSED, SCORERS, ScorerMeasure
from bestofk.measures.top_k_accuracy import TopKAccuracy


class _Setting(NamedTuple):
    """Properties of the data that a measure may need."""

    n_classes: int
    cost_matrix: ArrayLike | None


def _cost(setting: _Setting) -> Measure:
    if setting.cost_matrix is None:
        raise InvalidArgumentError(
            "cost_matrix must be given for the measure 'cost'; got None. "
            "Pass a table of the cost of each [true, predicted] pair of classes."
        )
    return Cost(setting.cost_matrix, setting.n_classes)


_MEASURES: dict[str, dict[str, Callable[[_Setting], Measure]]] = {
    CLASSIFICATION: {
        "error": lambda setting: Error(),
        "accuracy": lambda setting: Accuracy(),
        "balanced_accuracy": lambda setting: BalancedAccuracy(),
        "auroc": lambda setting: Auroc(setting.n_classes),
        "auroc_weighted": lambda setting: AurocWeighted(setting.n_classes),
        "log_loss": lambda setting: LogLoss(),
        "brier": lambda setting: Brier(setting.n_classes),
        "f1": lambda setting: F1(setting.n_classes),
        "mcc": lambda setting: Mcc(),
        "precision": lambda setting: Precision(setting.n_classes),
        "recall": lambda setting: Recall(setting.n_classes),
        "specificity": lambda setting: Specificity(setting.n_classes),
        "average_precision": lambda setting: AveragePrecision(setting.n_classes),
        "top_k_accuracy": lambda setting: TopKAccuracy(setting.n_classes),
        "cost": _cost,
    },
    REGRESSION: {
        "mse": lambda setting: MeanSquaredError(),
        "mae": lambda setting: MeanAbsoluteError(),
        "r2": lambda setting: R2(),
        "rmse": lambda setting: RootMeanSquaredError(),
        "mape": lambda setting: MeanAbsolutePercentageError(),
        "pinball": lambda setting: PinballLoss(),
        "max_error": lambda setting: MaximumError(),
    },
}

# Names with a number in them, such as top_3_accuracy and pinball_0.9.
_NUMBERED: dict[str, tuple[re.Pattern[str], Callable[[_Setting, str, str], Measure]]] = {
    CLASSIFICATION: (
        re.compile(r"top_(\d+)_accuracy"),
        lambda setting, number, name: TopKAccuracy(setting.n_classes, int(number), name),
    ),
    REGRESSION: (
        re.compile(r"pinball_(\d*\.?\d+)"),
        lambda setting, number, name: PinballLoss(float(number), name),
    ),
}

# scikit-learn's names of the measures above; the sign stays that of the measure.
_SCORER_NAMES = {
    "f1_macro": "f1",
    "matthews_corrcoef": "mcc",
    "neg_brier_score": "brier",
    "neg_log_loss": "log_loss",
    "roc_auc": "auroc",
    "roc_auc_ovr": "auroc",
    "roc_auc_ovr_weighted": "auroc_weighted",
    "neg_mean_squared_error": "mse",
    "neg_mean_absolute_error": "mae",
    "neg_root_mean_squared_error": "rmse",
    "neg_mean_absolute_percentage_error": "mape",
    "neg_max_error": "max_error",
}


def measure_names(task: str) -> tuple[str, ...]:
    """Return the names of the measures of a task.

    Parameters
    ----------
    task : {"classification", "regression"}
        What is predicted.

    Returns
    -------
    tuple of str
        The names that `get_measure` knows, scikit-learn's scorers aside.

    Raises
    ------
    InvalidArgumentError
        If there is no such task.

    Examples
    --------
    >>> measure_names("regression")
    ('mse', 'mae', 'r2', 'rmse', 'mape', 'pinball', 'max_error')
    """
    check_task(task)
    return tuple(_MEASURES[task])


def is_measure_name(name: str, task: str) -> bool:
    """Return whether a measure of a task has a name: of `measure_names`, or with a number.

    Parameters
    ----------
    name : str
        Such as "error" or "pinball_0.9", in any case; scikit-learn's scorers are other names.
    task : {"classification", "regression"}
        What is predicted.

    Returns
    -------
    bool

    Examples
    --------
    >>> [is_measure_name(name, "regression") for name in ("mae", "pinball_0.9", "top_3_accuracy")]
    [True, True, False]
    """
    name = _spelled(name)
    return name in _MEASURES[task] or _NUMBERED[task][0].fullmatch(name) is not None


def register_measure(measure: Measure) -> None:
    """Add a measure, of this package or of another, to those that can be asked for by name.

    Parameters
    ----------
    measure : Measure
        Its name must be new; without a task it is added to both.

    Raises
    ------
    InvalidArgumentError
        If there is a measure or a scorer of scikit-learn of that name.

    Examples
    --------
    >>> register_measure(get_measure("r2", task="regression", classes=[]))
    Traceback (most recent call last):
        ...
    bestofk.errors.InvalidArgumentError: name of a measure must be new; got 'r2'. Choose another.
    """
    own = {name for names in _MEASURES.values() for name in names}
    if measure.name in own | {*_SCORER_NAMES, *SCORERS, *REFUSED}:
        raise InvalidArgumentError(
            f"name of a measure must be new; got {measure.name!r}. Choose another."
        )
    for task in _MEASURES if measure.task is None else (measure.task,):
        _MEASURES[task][measure.name] = lambda setting: measure


def get_measure(
    scoring: object,
    *,
    task: str,
    classes: Iterable[Any],
    pos_label: object = None,
    cost_matrix: ArrayLike | None = None,
) -> Measure:
    """Return the measure that is meant.

    Parameters
    ----------
    scoring : str, Measure or callable
        A name of `measure_names` in any case, or one with a number such as top_3_accuracy
        and pinball_0.9; the name of a scikit-learn scorer; a measure; or a
        function `(y_true, y_pred) -> float` of labels or values that says its direction
        by an attribute `greater_is_better` or by a name that ends in score, loss or error.
    task : {"classification", "regression"}
        What is predicted.
    classes : array-like of shape (n_classes,)
        Class labels in sorted order; empty for regression.
    pos_label : object, optional
        The positive class where there are two, named by the title of a measure that depends
        on it; a measure that has one keeps it. By default that of the predictions.
    cost_matrix : array-like of shape (n_classes, n_classes), optional
        Needed by `cost` alone: the cost of each [true, predicted] pair, classes sorted.

    Returns
    -------
    Measure
        A scorer that is one of `measure_names` under another name comes back as that
        measure, with its sign: "neg_log_loss" gives "log_loss", where lower is better.

    Raises
    ------
    InvalidArgumentError
        If the name is unknown or of the other task, the scorer cannot be computed from
        predictions, a function does not say its direction, `pos_label` is not a class,
        or a cost matrix is missing or of the wrong shape.

    Examples
    --------
    >>> get_measure("neg_log_loss", task="classification", classes=["a", "b"])
    <measure log_loss: lower is better, 0 to inf, needs probabilities>
    >>> get_measure("r2", task="regression", classes=[])
    <measure r2: higher is better, -inf to 1, needs values>
    """
    check_task(task)
    labels = list(classes)
    measure = _measure_of(scoring, task, _Setting(len(labels), cost_matrix))
    label = pos_label if measure.pos_label is None else measure.pos_label
    if label is None:
        return measure
    positive = position_of(label, labels)
    chosen = labels[positive]
    return measure.of_class(positive, chosen.item() if hasattr(chosen, "item") else chosen)


def _measure_of(scoring: object, task: str, setting: _Setting) -> Measure:
    if isinstance(scoring, Measure):
        if scoring.task not in (None, task):
            _refuse_other_task(scoring.name, task)
        return scoring
    if isinstance(scoring, str):
        return _measure_by_name(scoring, task, setting)
    if callable(scoring):
        return measure_of_function(scoring)
    raise InvalidArgumentError(
        "scoring must be the name of a measure, a measure or a function (y_true, y_pred); "
        f"got {scoring!r}. {nearest_name(str(scoring), measure_names(task))}"
    )


def _measure_by_name(name: str, task: str, setting: _Setting) -> Measure:
    name = _spelled(name)
    own_name = _SCORER_NAMES.get(name, name)
    if own_name in _MEASURES[task]:
        if name == "f1_macro" and setting.n_classes == 2:
            return F1(2, is_mean=True)
        return _MEASURES[task][own_name](setting)
    for of_task, (pattern, make) in _NUMBERED.items():
        if match := pattern.fullmatch(name):
            return (
                make(setting, match[1], name) if of_task == task else _refuse_other_task(name, task)
            )
    if name in REFUSED:
        raise InvalidArgumentError(
            f"scorer {name!r} must be computable from stored predictions; {REFUSED[name]}. "
            f"{nearest_name(name, measure_names(task))}"
        )
    if name in SCORERS and SCORERS[name].task == task:
        if SCORERS[name].is_binary and setting.n_classes != 2:
            raise InvalidArgumentError(
                f"classes of the scorer {name!r} must be two; got {setting.n_classes}. "
                "Use a measure of all classes, such as 'f1' or 'balanced_accuracy'."
            )
        return ScorerMeasure(name)
    if name in SCORERS or any(own_name in names for names in _MEASURES.values()):
        _refuse_other_task(name, task)
    raise InvalidArgumentError(
        f"scoring must be the name of a measure of {task}; got {name!r}. "
        f"{nearest_name(name, measure_names(task))}"
    )


def _spelled(name: str) -> str:
    """Return the spelling of a known measure; other names as they are."""
    known = {*_SCORER_NAMES, *SCORERS, *REFUSED}.union(*_MEASURES.values())
    plain = {other.lower(): other for other in known}
    words = re.sub(r"[\s-]+", "_", name.strip().lower())
    is_numbered = any(pattern.fullmatch(words) for pattern, _ in _NUMBERED.values())
    return words if is_numbered else plain.get(words, name)


def _refuse_other_task(name: str, task: str) -> NoReturn:
    other = REGRESSION if task == CLASSIFICATION else CLASSIFICATION
    raise InvalidArgumentError(
        f"scoring must be a measure of {task}; got {name!r}, a measure of {other}. "
        f"Known: {', '.join(_MEASURES[task])}."
    )

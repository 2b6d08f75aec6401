"""Catalogue of measures: lookup by name, scorer or function, and the defaults."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.checks import nearest_name
from bestofk.errors import InvalidArgumentError
from bestofk.measures.class_scores import TopKAccuracy
from bestofk.measures.given_measures import REFUSED, SCORERS, ScorerMeasure, measure_of_function
from bestofk.measures.measure import CLASSIFICATION, REGRESSION, Measure
from bestofk.measures.predicted_classes import F1
from bestofk.measures.regression import PinballLoss
from bestofk.registry import Registry, check_new
from bestofk.words import significant

# Labels of two classes as returned by `_plain`, the positive one first.
_KNOWN_PAIRS = (
    *(("1", "0"), ("1", "-1"), ("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f")),
    *(("positive", "negative"), ("+", "-")),
)
# From this ratio of the largest to the smallest positive target, relative errors are suggested.
_WIDE = 100
# From this skewness of a positive target, its logarithm is suggested if that halves the skewness.
_SKEWED = 1.0
_SHOWN = {
    CLASSIFICATION: ("accuracy", "balanced_accuracy", "auroc", "log_loss"),
    REGRESSION: ("rmse", "mae", "r2"),
}


def shown_measures(task: str) -> tuple[str, ...]:
    """Return the names of the measures that are always shown.

    Parameters
    ----------
    task : {"classification", "regression"}
        What is predicted.

    Returns
    -------
    tuple of str
        Names for `get_measure`.

    Raises
    ------
    InvalidArgumentError
        If the task is unknown.

    Examples
    --------
    >>> shown_measures("classification")
    ('accuracy', 'balanced_accuracy', 'auroc', 'log_loss')
    """
    check_task(task)
    return _SHOWN[task]


def choose_scoring(
    task: str, class_counts: Iterable[int], target: ArrayLike = ()
) -> tuple[tuple[str, ...], str]:
    """Choose the deciding measure if none was asked for.

    Error, or root mean squared error for regression. Where the largest class holds more than
    75 % of the rows, AUROC: predicting that class always would already have a low error.

    Parameters
    ----------
    task : {"classification", "regression"}
        What is predicted.
    class_counts : array-like of shape (n_classes,), int
        Rows of each class; empty for regression.
    target : array-like of shape (n_samples,), optional
        Values to be predicted by regression.

    Returns
    -------
    names : tuple of str
        Names for `get_measure`, with the deciding one first.
    sentence : str
        A sentence on the choice, or empty. For a positive target whose largest value is at least a
        hundred times its smallest, it suggests another measure. If its skewness is above 1 and that
        of its logarithm less than half, it suggests training on the logarithm. Neither is applied.

    Raises
    ------
    InvalidArgumentError
        If the task is unknown.

    Examples
    --------
    >>> choose_scoring("classification", [50, 50])
    (('error',), '')
    >>> choose_scoring("classification", [94, 6])[0]
    ('auroc',)
    """
    check_task(task)
    if task == REGRESSION:
        return ("rmse",), " ".join(_suggestions(np.asarray(target, dtype=float)))
    counts = [int(count) for count in class_counts]
    largest, n_rows = max(counts), sum(counts)
    if 4 * largest <= 3 * n_rows:
        return ("error",), ""
    sentence = f"{largest:,} of {n_rows:,} rows are of one class, so AUROC decides, not error."
    return ("auroc",), sentence


def _suggestions(target: Floats) -> Iterator[str]:
    """Suggest relative errors for a positive target of wide range, its logarithm if skewed."""
    if not target.size or target.min() <= 0:
        return
    low, high = target.min(), target.max()
    if high >= _WIDE * low:
        yield (
            f"The target ranges from {significant(low)} to {significant(high)}: scoring='rmsle' "
            "(--scoring rmsle) weighs relative errors."
        )
    skewness = _skewness(target)
    if skewness > max(_SKEWED, 2 * abs(_skewness(np.log(target)))):
        yield (
            "The target is skewed: target_transform='log' (--log-target) trains on its logarithm."
        )


def _skewness(values: Floats) -> float:
    """Return the mean cube of the standard scores; 0 for a constant."""
    scores = (values - values.mean()) / (values.std() or 1.0)
    return float((scores**3).mean())


def resolve_pos_label(
    classes: Iterable[Any], class_counts: Iterable[int], pos_label: object = None
) -> int | None:
    """Return the position of the positive class of two.

    It is the one asked for; else the usual one of a known pair (1 against 0 or -1, yes, y, true, t,
    positive, +; in any case, as text, number or boolean); else the rarer one.

    Parameters
    ----------
    classes : array-like of shape (n_classes,)
        Class labels in sorted order.
    class_counts : array-like of shape (n_classes,), int
        Rows of each class.
    pos_label : object, optional
        A class, or its text (as the command line gives it).

    Returns
    -------
    int or None
        Position in `classes`; the second of equally frequent classes. None unless there are two
        classes.

    Raises
    ------
    InvalidArgumentError
        If `pos_label` is not a class, or there are not two classes.

    Examples
    --------
    >>> resolve_pos_label(["no", "yes"], [30, 70])
    1
    >>> resolve_pos_label(["no", "yes"], [30, 70], "no")
    0
    >>> resolve_pos_label(["left", "right"], [30, 70])
    0
    """
    labels = list(classes)
    if pos_label is not None:
        return position_of(pos_label, labels)
    if len(labels) != 2:
        return None
    if is_usual_pair(labels):
        return 0 if tuple(map(_plain, labels)) in _KNOWN_PAIRS else 1
    first, second = class_counts
    return 0 if first < second else 1


def is_usual_pair(labels: Iterable[Any]) -> bool:
    """Return whether two class labels are a known pair, one of which is usually positive.

    Parameters
    ----------
    labels : iterable of label
        The classes.

    Examples
    --------
    >>> is_usual_pair(["No", "Yes"]), is_usual_pair([-1.0, 1.0]), is_usual_pair(["ill", "well"])
    (True, True, False)
    """
    said = tuple(map(_plain, labels))
    return said in _KNOWN_PAIRS or said[::-1] in _KNOWN_PAIRS


def _plain(label: Any) -> str:
    """Return a label in lower case; a whole number without decimals or a plus."""
    text = str(label).strip().casefold()
    try:
        number = float(text)
    except ValueError:
        return text
    return str(int(number)) if number.is_integer() else text


def position_of(pos_label: Any, labels: list[Any]) -> int:
    """Return the position of the class asked for, out of two."""
    if len(labels) != 2:
        raise InvalidArgumentError(
            f"pos_label must be None unless there are two classes; got {pos_label!r} for "
            f"{len(labels)} classes."
        )
    for read in (lambda label: label, str, _plain):
        same = [np.ndim(pos_label) == 0 and read(label) == read(pos_label) for label in labels]
        if any(same):
            return same.index(True)
    raise InvalidArgumentError(
        f"pos_label must be one of the classes, {labels[0]!s} or {labels[1]!s}; got {pos_label!r}."
    )


def check_task(task: str) -> None:
    """Raise if the name of a task is unknown."""
    if task not in (CLASSIFICATION, REGRESSION):
        raise InvalidArgumentError(f"task must be {CLASSIFICATION} or {REGRESSION}; got {task!r}.")


# Classes are instantiated for the data; registered measures are used as they are.
MEASURES: Registry[type[Measure] | Measure] = Registry(
    "measure",
    {
        "error": "bestofk.measures.predicted_classes.Error",
        "accuracy": "bestofk.measures.predicted_classes.Accuracy",
        "balanced_accuracy": "bestofk.measures.predicted_classes.BalancedAccuracy",
        "auroc": "bestofk.measures.class_scores.Auroc",
        "auroc_weighted": "bestofk.measures.class_scores.AurocWeighted",
        "log_loss": "bestofk.measures.class_scores.LogLoss",
        "brier": "bestofk.measures.class_scores.Brier",
        "f1": "bestofk.measures.predicted_classes.F1",
        "mcc": "bestofk.measures.predicted_classes.Mcc",
        "precision": "bestofk.measures.predicted_classes.Precision",
        "recall": "bestofk.measures.predicted_classes.Recall",
        "specificity": "bestofk.measures.predicted_classes.Specificity",
        "average_precision": "bestofk.measures.class_scores.AveragePrecision",
        "top_k_accuracy": "bestofk.measures.class_scores.TopKAccuracy",
        "cost": "bestofk.measures.predicted_classes.Cost",
        "mse": "bestofk.measures.regression.MeanSquaredError",
        "mae": "bestofk.measures.regression.MeanAbsoluteError",
        "r2": "bestofk.measures.regression.R2",
        "rmse": "bestofk.measures.regression.RootMeanSquaredError",
        "rmsle": "bestofk.measures.regression.RootMeanSquaredLogError",
        "median_absolute_error": "bestofk.measures.regression.MedianAbsoluteError",
        "mape": "bestofk.measures.regression.MeanAbsolutePercentageError",
        "pinball": "bestofk.measures.regression.PinballLoss",
        "max_error": "bestofk.measures.regression.MaximumError",
    },
)

# Names with a number in them, such as top_3_accuracy and pinball_0.9.
_NUMBERED: dict[str, tuple[re.Pattern[str], Callable[[int, str, str], Measure]]] = {
    CLASSIFICATION: (
        re.compile(r"top_(\d+)_accuracy"),
        lambda n_classes, number, name: TopKAccuracy(n_classes, int(number), name),
    ),
    REGRESSION: (
        re.compile(r"pinball_(\d*\.?\d+)"),
        lambda n_classes, number, name: PinballLoss(float(number), name),
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
    "neg_root_mean_squared_log_error": "rmsle",
    "neg_median_absolute_error": "median_absolute_error",
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
        If the task is unknown.

    Examples
    --------
    >>> measure_names("regression")
    ('mse', 'mae', 'r2', 'rmse', 'rmsle', 'median_absolute_error', 'mape', 'pinball', 'max_error')
    """
    check_task(task)
    return tuple(name for name, entry in MEASURES.items() if entry.task in (None, task))


def is_measure_name(name: str, task: str) -> bool:
    """Return whether a name is that of a measure: one of `measure_names`, or one with a number.

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
    return name in measure_names(task) or _NUMBERED[task][0].fullmatch(name) is not None


def register_measure(measure: Measure) -> None:
    """Register a measure, so that it can be asked for by name.

    Parameters
    ----------
    measure : Measure
        Its name must be new; without a task it is added to both.

    Raises
    ------
    InvalidArgumentError
        If a measure or a scorer of scikit-learn already has that name.

    Examples
    --------
    >>> register_measure(get_measure("r2", task="regression", classes=[]))
    Traceback (most recent call last):
        ...
    bestofk.errors.InvalidArgumentError: name of a measure must be new; got 'r2'. Choose another.
    """
    check_new(measure.name, "measure", {*_SCORER_NAMES, *SCORERS, *REFUSED})
    MEASURES.register(measure.name, measure)


def get_measure(
    scoring: object,
    *,
    task: str,
    classes: Iterable[Any],
    pos_label: object = None,
    cost_matrix: ArrayLike | None = None,
) -> Measure:
    """Return the measure for a name, scorer or function.

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
        A scorer that is one of `measure_names` under another name gives that measure, with its
        sign: "neg_log_loss" gives "log_loss", where lower is better.

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
    measure = _measure_of(scoring, task, len(labels), cost_matrix)
    label = pos_label if measure.pos_label is None else measure.pos_label
    if label is None:
        return measure
    positive = position_of(label, labels)
    chosen = labels[positive]
    return measure.of_class(positive, chosen.item() if hasattr(chosen, "item") else chosen)


def _measure_of(
    scoring: object, task: str, n_classes: int, cost_matrix: ArrayLike | None
) -> Measure:
    if isinstance(scoring, Measure):
        if scoring.task not in (None, task):
            _refuse_other_task(scoring.name, task)
        return scoring
    if isinstance(scoring, str):
        return _measure_by_name(scoring, task, n_classes, cost_matrix)
    if callable(scoring):
        return measure_of_function(scoring)
    raise InvalidArgumentError(
        "scoring must be the name of a measure, a measure or a function (y_true, y_pred); "
        f"got {scoring!r}. {nearest_name(str(scoring), measure_names(task))}"
    )


def _measure_by_name(
    name: str, task: str, n_classes: int, cost_matrix: ArrayLike | None
) -> Measure:
    name = _spelled(name)
    own_name = _SCORER_NAMES.get(name, name)
    if own_name in measure_names(task):
        if name == "f1_macro" and n_classes == 2:
            return F1(2, is_mean=True)
        entry = MEASURES[own_name]
        return entry if isinstance(entry, Measure) else entry.of_data(n_classes, cost_matrix)
    for of_task, (pattern, make) in _NUMBERED.items():
        if match := pattern.fullmatch(name):
            if of_task != task:
                _refuse_other_task(name, task)
            return make(n_classes, match[1], name)
    if name in REFUSED:
        raise InvalidArgumentError(
            f"scorer {name!r} must be computable from stored predictions; {REFUSED[name]}. "
            f"{nearest_name(name, measure_names(task))}"
        )
    if name in SCORERS and SCORERS[name].task == task:
        if SCORERS[name].is_binary and n_classes != 2:
            raise InvalidArgumentError(
                f"classes of the scorer {name!r} must be two; got {n_classes}. "
                "Use a measure of all classes, such as 'f1' or 'balanced_accuracy'."
            )
        return ScorerMeasure(name)
    if name in SCORERS or own_name in MEASURES:
        _refuse_other_task(name, task)
    raise InvalidArgumentError(
        f"scoring must be the name of a measure of {task}; got {name!r}. "
        f"{nearest_name(name, measure_names(task))}"
    )


def _spelled(name: str) -> str:
    """Return a known name as the catalogue spells it; other names unchanged."""
    known = {*_SCORER_NAMES, *SCORERS, *REFUSED, *MEASURES}
    plain = {other.lower(): other for other in known}
    words = re.sub(r"[\s-]+", "_", name.strip().lower())
    is_numbered = any(pattern.fullmatch(words) for pattern, _ in _NUMBERED.values())
    return words if is_numbered else plain.get(words, name)


def _refuse_other_task(name: str, task: str) -> NoReturn:
    other = REGRESSION if task == CLASSIFICATION else CLASSIFICATION
    raise InvalidArgumentError(
        f"scoring must be a measure of {task}; got {name!r}, a measure of {other}. "
        f"Known: {', '.join(measure_names(task))}."
    )

"""Validation curves: under- and overfitting of a learner by the value of one parameter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from bestofk.checks import nearest_name
from bestofk.comparison.options import OPTIONS, CurveArguments
from bestofk.comparison.run_remarks import crowded_seconds, untrained_warnings
from bestofk.curves.levels import (
    by_parts,
    curve_data,
    evaluate_levels,
    failures,
    own_seconds,
    prepare_curve,
    without_value,
)
from bestofk.curves.validation_curves import ValidationCurve
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation import Evaluation
from bestofk.learners import Learner, resolve_learners
from bestofk.options import with_options
from bestofk.report.value_labels import is_number, value_labels
from bestofk.resampling.validation import ValidationPlan


class _Arguments(CurveArguments, total=False):
    batched: str


@with_options(_Arguments, OPTIONS, cv="10x3")
def validation_curve(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    parameter: str,
    values: Sequence[Any],
    **options: Unpack[_Arguments],
) -> ValidationCurve:
    """Give one parameter of a learner several values; score training, validation and test rows.

    Parameters
    ----------
    learner : str, estimator, (name, estimator) pair
        One learner, as `bestofk.compare` takes many.
    X, y
        The data set, as for `bestofk.compare`.
    parameter : str
        A parameter of the learner, of a pipeline one of its last step; or its full path, such
        as "learner__n_neighbors".
    values : sequence
        At least two: numbers, names, True, False, None, or others that the parameter takes.
        Numbers alone are sorted; others keep their order.
    cv, stratify
        The splits, as for `bestofk.compare`, but for "adaptive". One in three training rows of
        each is held back for validation; with `stratify` the classes are spread evenly.
    scoring, pos_label, cost_matrix
        What is measured, as for `bestofk.compare`; the first where there are several.
    alpha : float, default=0.05
        Level of the tests of all values against the chosen one.
    **options
        As for `bestofk.compare`.

    Returns
    -------
    ValidationCurve
        Scores by value, the value chosen, what it does on test rows, and tests.

    Raises
    ------
    InvalidArgumentError
        If an argument breaks its rule, or the data cannot be compared on.
    DesignError
        If the plan cannot carry the test.

    Notes
    -----
    The learner is fitted once per value and split; it predicts the rows that trained it, the
    validation rows and the test rows.  A value that the learner refuses when it is fitted is a
    failed run.

    Examples
    --------
    >>> from bestofk import validation_curve
    >>> curve = validation_curve(
    ...     "5nn", "iris", parameter="n_neighbors", values=[1, 5, 25, 45], cv="2x3"
    ... )
    >>> curve.to_frame()["train"].round(3).tolist()
    [0.0, 0.033, 0.109, 0.306]
    """
    data = curve_data(X, y, options)
    wanted = _checked_values(values)
    name, variants = _variants(learner, data.task, parameter, wanted)
    prepared = prepare_curve(variants[:1], data, options)
    request, measure = prepared.request, prepared.measures[0]
    plan = ValidationPlan.of(data, request.plan)
    parts, gone = list(plan.all_parts()), untrained_warnings(data, plan)
    requests = [
        (
            f"at {variant.name}",
            replace(request, plan=plan, learners=[variant], measures=(), title=variant.name),
        )
        for variant in variants
    ]

    def measured(evaluation: Evaluation, where: str) -> tuple[tuple[Any, ...], list[str]]:
        scores = [part.measured(measure) for part in by_parts(evaluation, parts)]
        reasons = {note for part in scores for note in without_value(part.reasons)}
        seconds = own_seconds(evaluation, "train_cpu_seconds")[0]
        notes = [*gone, *failures(evaluation, "of this value"), *sorted(reasons)]
        notes += crowded_seconds(evaluation)
        return (*(part.values[0] for part in scores), seconds), notes

    kept, facts = evaluate_levels(prepared, requests, options, measured)
    test, validation, train, seconds = (np.array(part) for part in zip(*kept, strict=True))
    return ValidationCurve(
        **facts,
        learners=(name,),
        parameter=parameter,
        levels=wanted[: len(kept)],
        train_values=train,
        validation_values=validation,
        test_values=test,
        train_seconds=seconds,
        n_train=plan.n_train,
        n_validation=plan.n_validation,
    )


def _checked_values(values: Any) -> tuple[Any, ...]:
    """Return plain values, numbers sorted, or raise."""
    is_list = hasattr(values, "__iter__") and not isinstance(values, str | bytes | dict)
    items = list(values) if is_list else []
    given = [item.item() if isinstance(item, np.generic) else item for item in items]
    if len(given) < 2:
        raise InvalidArgumentError(
            f"values must be a list of at least two; got {given if is_list else values!r}. "
            "A curve has two ends: write [1, 5, 25]."
        )
    for index, value in enumerate(given):
        if any(_is_same(value, other) for other in given[:index]):
            raise InvalidArgumentError(
                f"values must differ from each other; got {value_labels([value])[0]} more than "
                "once. Name each once."
            )
    return tuple(sorted(given) if all(map(is_number, given)) else given)


def _is_same(value: Any, other: Any) -> bool:
    if isinstance(value, bool) != isinstance(other, bool):
        return False  # True is no 1
    try:
        return value is other or bool(value == other)
    except (TypeError, ValueError):  # such as arrays, which compare element by element
        return False


def _variants(
    learner: Any, task: str, parameter: Any, values: Sequence[Any]
) -> tuple[str, list[Learner]]:
    """Return the name of the learner, and it with each of the values."""
    from sklearn.base import clone

    is_pair = isinstance(learner, tuple) and len(learner) == 2 and not isinstance(learner[1], str)
    entered = [] if learner is None else resolve_learners([learner] if is_pair else learner, task)
    if len(entered) != 1:
        names = ", ".join(item.name for item in entered) or "none"
        raise InvalidArgumentError(
            f"learner of a validation curve must be exactly one; got {names}. Call it once for "
            "each."
        )
    item = entered[0]
    path = _path(item, parameter)
    variants = []
    for value, label in zip(values, value_labels(values), strict=True):
        try:
            variant = clone(item.estimator, safe=False).set_params(**{path: value})
        except Exception as error:  # whatever a learner of one's own raises
            raise InvalidArgumentError(
                f"values of {parameter} must be ones that {item.name} can be given; got {label} "
                f"({type(error).__name__}: {error}). Leave it out."
            ) from error
        variants.append(Learner(f"{item.name} with {parameter} = {label}", variant))
    return item.name, variants


def _path(learner: Learner, parameter: Any) -> str:
    """Return the full name of a parameter, which may be one of the last step of a pipeline."""
    estimator = learner.estimator
    if not (hasattr(estimator, "get_params") and hasattr(estimator, "set_params")):
        raise InvalidArgumentError(
            f"learner {learner.name!r} must have get_params and set_params where a parameter takes "
            f"several values; got {type(estimator).__name__}. Derive it from scikit-learn's "
            "BaseEstimator."
        )
    known = set(estimator.get_params(deep=True))
    prefix = _prefix_of_last_step(estimator)
    own = sorted(name.removeprefix(prefix) for name in known if name.startswith(prefix))
    if parameter in known:
        return str(parameter)
    if parameter in own:
        return f"{prefix}{parameter}"
    raise InvalidArgumentError(
        f"parameter must be one of {learner.name}; got {parameter!r}. "
        + nearest_name(str(parameter), own or sorted(known))
    )


def _prefix_of_last_step(estimator: Any) -> str:
    """Return what stands before the parameters of the last step; nothing if there are no steps."""
    from sklearn.pipeline import Pipeline

    prefix = ""
    while isinstance(estimator, Pipeline) and estimator.steps:
        name, estimator = estimator.steps[-1]
        prefix += f"{name}__"
    return prefix

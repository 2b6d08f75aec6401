"""Pictures of a comparison: of its findings, and of the classes that were predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from bestofk.errors import InvalidArgumentError, nearest_name
from bestofk.evaluation import Evaluation
from bestofk.measures import PredictionBatch
from bestofk.report.pictures import KINDS, check_kind, picture, refuse_kind
from bestofk.report.prediction_curves import GRID, mean_roc

if TYPE_CHECKING:
    from bestofk.report import Findings
    from bestofk.report.plots import Display

_OF_CLASSES: Final = ("roc", "calibration", "confusion")
_MOST_CURVES: Final = 7


def comparison_picture(
    kind: str,
    findings: Findings,
    evaluation: Evaluation,
    *,
    positive: int | None,
    learner: str | None,
    label: Any,
) -> Display:
    """Return a display of a comparison, not drawn yet; see `Comparison.plot`."""
    check_kind(kind)
    if learner is not None and learner not in evaluation.names:
        raise InvalidArgumentError(
            f"learner must be one of those compared; got {learner!r}. "
            + nearest_name(learner, evaluation.names)
        )
    if kind not in _OF_CLASSES:
        return picture(findings, kind)
    if not evaluation.data.is_classification:
        fitting = [item for item in KINDS if item not in _OF_CLASSES]
        refuse_kind(kind, "is for classes, and the target is a number", fitting)
    from bestofk.report import plots

    if kind == "confusion":
        return plots.ConfusionDisplay.from_findings(findings, learner=learner)
    names = [learner] if learner else [item.name for item in findings.ordered()]
    class_index = _class_index(evaluation, positive, label)
    predictions = _predictions(evaluation, names)
    if kind == "calibration":
        known = {n: item for n, item in predictions.items() if item.probabilities is not None}
        first = dict(list(known.items())[:_MOST_CURVES])
        return plots.CalibrationDisplay.from_predictions(first, class_index)
    rates = {name: mean_roc(item, class_index) for name, item in predictions.items()}
    curves = {
        name: np.column_stack([np.append(0.0, GRID), rate])
        for name, rate in rates.items()
        if rate is not None
    }
    label = str(evaluation.data.classes[class_index])
    return plots.RocHullDisplay(dict(list(curves.items())[:_MOST_CURVES]), positive=label)


def _class_index(evaluation: Evaluation, positive: int | None, label: Any) -> int:
    """Return the position of a class: the one named, else the positive, else the rarest."""
    labels = [str(item) for item in evaluation.data.classes]
    if label is None:
        rarest = int(np.argmin(evaluation.data.class_counts))
        return rarest if positive is None else positive
    if str(label) not in labels:
        raise InvalidArgumentError(
            f"label must be a class of the target; got {label!r}. "
            + nearest_name(str(label), labels)
        )
    return labels.index(str(label))


def _predictions(evaluation: Evaluation, names: list[str]) -> dict[str, PredictionBatch]:
    """Return all predictions of the learners that have some."""
    predictions = {}
    for name in names:
        batch = evaluation.predictions_of(evaluation.names.index(name))
        if batch is not None:
            predictions[name] = batch
    return predictions

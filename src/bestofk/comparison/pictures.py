"""Plots of a comparison: of its findings and of its predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from bestofk.checks import check_known
from bestofk.evaluation import Evaluation, row_predictions
from bestofk.evaluation.run import fit_learner
from bestofk.measures import PredictionBatch
from bestofk.measures.words import short_title
from bestofk.randomness import derive_seed
from bestofk.report.pictures import KINDS, check_kind, picture, refuse_kind
from bestofk.report.prediction_curves import curves_of, mean_roc
from bestofk.tuning import Tuned
from bestofk.tuning.spaces import index_of_default, short_names

if TYPE_CHECKING:
    from bestofk.report import Findings
    from bestofk.report.plots import Display

_OF_CLASSES: Final = ("roc", "calibration", "confusion")
_OF_NUMBERS: Final = ("predicted", "residuals")
_MOST_CURVES: Final = 7
_SHUFFLES: Final = 10  # of each input


def comparison_picture(
    kind: str,
    findings: Findings,
    evaluation: Evaluation,
    *,
    learner: str | None,
    label: Any,
    random_state: int,
) -> Display:
    """Return the display of a plot, not drawn yet; see `Comparison.plot`."""
    check_kind(kind)
    if learner is not None:
        check_known(learner, "learner", evaluation.names, rule="one of those compared")
    if kind == "tuning":
        return tuning_picture(evaluation, learner)
    if kind == "importance":
        return importance_picture(findings, evaluation, learner, random_state)
    if kind not in (*_OF_CLASSES, *_OF_NUMBERS):
        return picture(findings, kind)
    is_of_numbers = kind in _OF_NUMBERS
    if is_of_numbers == evaluation.data.is_classification:
        others = _OF_NUMBERS if is_of_numbers else _OF_CLASSES
        reason = "is for classes, and the target is a number"
        if is_of_numbers:
            reason = "is for numbers, and the target is a class"
        refuse_kind(kind, reason, [item for item in KINDS if item not in others])
    from bestofk.report import plots

    if is_of_numbers:
        name = learner or findings.verdict.best or evaluation.names[0]
        first_repeat = range(evaluation.plan.n_folds)
        rows = row_predictions(evaluation, [evaluation.names.index(name)], first_repeat)
        display = plots.PredictedValuesDisplay if kind == "predicted" else plots.ResidualsDisplay
        return display.from_predictions(rows.batches[0], learner=name)
    if kind == "confusion":
        return plots.ConfusionDisplay.from_findings(findings, learner=learner)
    names = [learner] if learner else [item.name for item in findings.ordered()]
    class_index = _class_index(evaluation, label)
    predictions = predictions_of(evaluation, names)
    if kind == "calibration":
        known = {n: item for n, item in predictions.items() if item.probabilities is not None}
        first = dict(list(known.items())[:_MOST_CURVES])
        return plots.CalibrationDisplay.from_predictions(first, class_index)
    curves = curves_of(predictions, mean_roc, class_index)
    label = str(evaluation.data.classes[class_index])
    return plots.RocHullDisplay(dict(list(curves.items())[:_MOST_CURVES]), positive=label)


def importance_picture(
    findings: Findings, evaluation: Evaluation, learner: str | None, random_state: int
) -> Display:
    """Return the importance of each input for a learner, the pick if none is named.

    It is trained on the training rows of the first split, and its inputs are shuffled in the test
    rows of that split, which it has not seen, by `sklearn.inspection.permutation_importance`.
    """
    from sklearn.inspection import permutation_importance

    from bestofk.comparison.fitted_learner import prediction_batch_of
    from bestofk.report import plots

    name = learner or findings.verdict.best or evaluation.names[0]
    index, data, measure = evaluation.names.index(name), evaluation.data, findings.measure
    if evaluation.learners[index].members:
        reason = f"needs one trained learner, and {name} is an average"
        refuse_kind("importance", reason, [kind for kind in KINDS if kind != "importance"])
    split = next(iter(evaluation.plan))
    seed = derive_seed(
        random_state, data.id, evaluation.identities[index].stream_name, "importance"
    )
    fitted = fit_learner(evaluation.learners[index], data, split.train_rows, seed=seed)

    def gain(model: Any, X: Any, y: Any) -> float:
        batch = prediction_batch_of(model, X, model.predict(X), y, data)
        return -float(measure.loss(measure.compute(batch)[0]))

    test = split.test_rows
    importances = permutation_importance(
        fitted, data.feature_rows(test), data.y[test], scoring=gain, n_repeats=_SHUFFLES,
        random_state=seed,
    )  # fmt: skip
    rows = (
        f"On the {len(test):,} test rows of the first split, which {name}, trained on "
        f"{len(split.train_rows):,} others, has not seen. "
    )
    return plots.ImportanceDisplay(
        importances.importances, data.feature_names, learner=name, rows=rows,
        measure_title=short_title(measure),
    )  # fmt: skip


def tuning_picture(evaluation: Evaluation, learner: str | None) -> Display:
    """Return the tuning plot of one tuned learner, the first if none is named."""
    from bestofk.report import plots

    tuned = [item.name for item in evaluation.learners if isinstance(item.estimator, Tuned)]
    name = learner or next(iter(tuned), "")
    if name not in tuned:
        refuse_kind(
            "tuning", "needs a learner that is tuned, as 'tuned(knn)'",
            [kind for kind in KINDS if kind != "tuning"],
        )  # fmt: skip
    estimator = evaluation.learners[evaluation.names.index(name)].estimator
    choices = evaluation.choices(evaluation.names.index(name))
    settings = [short_names(estimator.learner, setting) for setting in estimator.settings()]
    return plots.TuningDisplay(
        settings,
        np.array([[np.nan if loss is None else loss for loss in row] for row in choices["losses"]]),
        choices["index"],
        index_of_default(estimator.learner, estimator.settings()),
        measure_title="error" if estimator.measure is None else estimator.measure.title,
    )


def _class_index(evaluation: Evaluation, label: Any) -> int:
    """Return the position of a class: the one named, else the positive, else the rarest."""
    labels = [str(item) for item in evaluation.data.classes]
    positive = evaluation.data.positive
    if label is None:
        rarest = int(np.argmin(evaluation.data.class_counts))
        return rarest if positive is None else positive
    check_known(str(label), "label", labels, rule="a class of the target", got=label)
    return labels.index(str(label))


def predictions_of(evaluation: Evaluation, names: list[str]) -> dict[str, PredictionBatch]:
    """Return the predictions of all learners that have any."""
    batches = {name: evaluation.predictions(evaluation.names.index(name)) for name in names}
    return {name: batch for name, batch in batches.items() if batch is not None}

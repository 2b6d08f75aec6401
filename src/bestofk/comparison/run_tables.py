"""Tables of the runs of a comparison: scores, confusions, pooled AUROC."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from bestofk.checks import check_known
from bestofk.comparison.evidence import splits_asked_for
from bestofk.errors import BestofkWarning, InvalidArgumentError
from bestofk.evaluation import Evaluation, MeasuredScores
from bestofk.inference import Caution

if TYPE_CHECKING:
    from bestofk.stopping.history import RowsHistory, StoppingHistory

POOLED_WARNING = Caution(
    "pooled-folds",
    "A pooled AUROC ranks scores of different models against each other; do not compare learners "
    "by it. The mean of the folds does not have this fault.",
)


def score_frame(
    evaluation: Evaluation,
    scores: Sequence[MeasuredScores],
    history: StoppingHistory | RowsHistory | None,
) -> pd.DataFrame:
    """Return the long score table of the planned runs; see `Comparison.to_frame`."""
    frame: pd.DataFrame = evaluation.to_frame(scores)
    asked = splits_asked_for(evaluation, history)
    if asked is None:
        return frame
    limits = frame["learner"].map(dict(zip(evaluation.names, asked, strict=True)))
    index = frame["repeat"] * evaluation.plan.n_folds + frame["fold"]
    return frame[index < limits].reset_index(drop=True)


def confusion_frame(evaluation: Evaluation, learner: str) -> pd.DataFrame:
    """Return the confusion matrix of a learner; see `Comparison.confusion_matrix`."""
    names = evaluation.names
    check_known(learner, "learner", names, rule="one of those compared")
    if not evaluation.data.is_classification:
        raise InvalidArgumentError(
            "task must be classification for a confusion matrix; got regression. "
            "Look at 'mae' and 'r2'."
        )
    classes = evaluation.data.classes
    counts = evaluation.confusion(names.index(learner))
    index = pd.Index(classes, name="true")
    return pd.DataFrame(counts, index=index, columns=pd.Index(classes, name="predicted"))


def pooled_frame(evaluation: Evaluation, auroc: MeasuredScores) -> pd.DataFrame:
    """Return the AUROC of whole repeats next to that of folds; see `Comparison.pooled_auroc`."""
    plan = evaluation.plan
    warnings.warn(POOLED_WARNING, BestofkWarning, stacklevel=3)
    parts = []
    for index, name in enumerate(evaluation.names):
        folds = auroc.values[index].reshape(plan.n_repeats, plan.n_folds)
        pooled = evaluation.pooled_auroc(index)
        columns = {"learner": name, "repeat": range(plan.n_repeats), "pooled": pooled}
        parts.append(pd.DataFrame(columns | {"mean_of_folds": folds.mean(axis=1)}))
    return pd.concat(parts, ignore_index=True)

"""Tables of the runs of a comparison: scores, confusions, pooled AUROC."""

import warnings
from collections.abc import Sequence

import pandas as pd

from bestofk.checks import check_known
from bestofk.errors import BestofkWarning, InvalidArgumentError
from bestofk.evaluation import Evaluation, MeasuredScores
from bestofk.inference import Caution

POOLED_WARNING = Caution(
    "pooled-folds",
    "A pooled AUROC ranks scores of different models against each other; do not compare learners "
    "by it. The mean of the folds does not have this fault.",
)


def score_frame(
    evaluation: Evaluation, scores: Sequence[MeasuredScores], asked: Sequence[int]
) -> pd.DataFrame:
    """Return the long score table of the planned runs; see `Comparison.to_frame`."""
    frame: pd.DataFrame = evaluation.to_frame(scores)
    if min(asked) == len(evaluation.plan):
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

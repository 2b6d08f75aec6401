"""Table of the learners with numbers, as the printed one has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestofk.report.findings import Findings, LearnerFindings
from bestofk.report.sentences.versus_pick import VersusPick, versus_pick

if TYPE_CHECKING:
    import pandas as pd


def learner_frame(findings: Findings) -> pd.DataFrame:
    """Return one row per learner, the pick first, as the printed table has them.

    Parameters
    ----------
    findings : Findings
        What is to be reported.

    Returns
    -------
    DataFrame
        Columns learner; the deciding measure by its name, its mean, and sd over splits;
        versus_pick ("pick", "better", "about the same", "can't tell", "worse", or why it takes
        no part); difference to the pick on the splits that both have, score minus score of the
        pick, with its interval low and high, all in the unit of the measure; repeats;
        train_seconds and predict_seconds, medians per run; n_failed runs; then the means of the
        other measures.
    """
    import pandas as pd

    answers = versus_pick(findings)
    n_folds = _n_folds(findings)
    shown = {item.name: item.name for item in findings.shown if item.name != findings.measure.name}
    columns = [
        "learner", findings.measure.name, "sd", "versus_pick", "difference", "low", "high",
        "repeats", "train_seconds", "predict_seconds", "n_failed", *shown,
    ]  # fmt: skip
    rows = [
        [
            item.name, item.mean, item.sd, *_versus(findings, item, answers.get(item.name)),
            item.n_runs / n_folds, item.fit_seconds, item.predict_seconds, item.n_failed,
            *(item.shown.get(name, float("nan")) for name in shown),
        ]
        for item in findings.ordered()
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=columns)


def _versus(
    findings: Findings, learner: LearnerFindings, answer: VersusPick | None
) -> tuple[str, float, float, float]:
    """Return the answer in words, and the difference with its limits in the unit of the measure."""
    if answer is None or not answer.answer:
        return learner.left_out, float("nan"), float("nan"), float("nan")
    ends = answer.difference, answer.low, answer.high
    if findings.measure.greater_is_better:
        # 0.0 is no -0.0
        ends = -ends[0] + 0.0, -ends[2] + 0.0, -ends[1] + 0.0
    return answer.words, *ends


def _n_folds(findings: Findings) -> int:
    """Return the folds of a repeat; 1 for scores whose folds are not known."""
    if findings.stopping_history is not None:
        return findings.stopping_history.n_folds
    repeats = findings.repeat_of_split.tolist()
    return max(1, repeats.count(repeats[0])) if repeats else 1

"""Pictures of findings by what they show."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

import numpy as np

from bestofk.checks import check_known
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.report.findings import Findings, FindingsAcross

if TYPE_CHECKING:
    from bestofk.report.plots import Display

# What a picture shows -> what it is, as far as one data set has it.
KINDS: Final = {
    "pairs": "difference of every learner to the pick, with its interval",
    "scores": "scores of every split",
    "ranking": "order of the verdict, and which learner is better than which",
    "rejections": "which learner is better than which, next to the scores of every split",
    "running-means": "means of the repeats so far, and where learners were eliminated",
    "periods": "score of every learner in each test period, in order of time",
    "lead": "lead of the pick over the next learner by period, with the mean so far",
    "other-seeds": "how surely another seed orders each pair the same way",
    "repeats": "how the estimates of single repeats are spread",
    "time": "seconds of training and predicting, next to the mean score",
    "roc": "ROC curves for one class",
    "calibration": "predicted probabilities of one class against how often they came true",
    "confusion": "which classes one learner confuses",
    "predicted": "true against predicted values of one learner",
    "residuals": "residuals of one learner, by prediction and by tenth of the target",
    "importance": "how much one learner loses on unseen rows when an input is shuffled",
    "tuning": "inner losses of the settings of one tuned learner, and its choices",
}


def picture(findings: Findings | FindingsAcross, kind: str) -> Display:
    """Return a display of findings, not drawn yet.

    Parameters
    ----------
    findings : Findings or FindingsAcross
        Of one data set, or over many.
    kind : str
        A key of `KINDS`.

    Returns
    -------
    Display

    Raises
    ------
    InvalidArgumentError
        If there is no such kind, or findings do not have what it shows.
    DesignError
        If there are too few learners or data sets for it.
    """
    check_kind(kind)
    if isinstance(findings, FindingsAcross):
        return _picture_across(findings, kind)
    makers = _makers()
    if kind not in makers:
        refuse_kind(kind, "needs the runs of a comparison, not scores alone", makers)
    if kind == "time" and all(math.isnan(item.fit_seconds) for item in findings.learners):
        refuse_kind(kind, "needs measured seconds", [name for name in makers if name != kind])
    return makers[kind](findings)


def check_kind(kind: str) -> None:
    """Raise if there is no such kind of picture."""
    check_known(kind, "kind of plot", KINDS)


def refuse_kind(kind: str, reason: str, fitting: Mapping[str, object] | list[str]) -> None:
    """Raise because a kind of picture does not fit."""
    raise InvalidArgumentError(
        f"kind of plot must fit the comparison; got {kind!r}, which {reason}. "
        f"Take one of {', '.join(fitting)}."
    )


def display_class(name: str) -> type[Display]:
    """Return the display of a name, as results of procedures give that of theirs."""
    from bestofk.report import plots

    display: type[Display] = getattr(plots, name)
    return display


def _makers() -> dict[str, Callable[[Findings], Display]]:
    from bestofk.report import plots

    return {
        "pairs": plots.DifferencesDisplay.from_findings,
        "scores": plots.ScoreDistributionDisplay.from_findings,
        "ranking": plots.RejectionGraphDisplay.from_findings,
        "rejections": plots.RejectionsAndErrorsDisplay.from_findings,
        "running-means": plots.RunningMeansDisplay.from_findings,
        "periods": plots.PeriodScoresDisplay.from_findings,
        "lead": plots.LeadDisplay.from_findings,
        "other-seeds": plots.ReproducibilityMatrixDisplay.from_findings,
        "time": plots.TimesDisplay.from_findings,
    }


def _picture_across(findings: FindingsAcross, kind: str) -> Display:
    """Return the matrix of all pairs, or the mean ranks with their critical difference.

    Where a preference decides: the graph of what its tests reject.
    """
    from bestofk.inference import multi_comparison_matrix, nemenyi_test
    from bestofk.report import plots

    names = list(findings.verdict.order) if findings.verdict else []
    if kind not in ("pairs", "ranking"):
        refuse_kind(kind, "is of one data set, such as result['NAME'].plot()", ["pairs", "ranking"])
    if findings.verdict is None or len(names) < 2:
        raise DesignError(
            f"learners of a plot must be at least two; got {', '.join(names) or 'none'}. "
            "Finish the comparison first."
        )
    verdict, alpha = findings.verdict, findings.verdict.alpha
    if verdict.has_preference:  # it has tests of its own
        means = [findings.mean(name) for name in names]
        title = findings.measure.title
        return plots.RejectionGraphDisplay(
            names, means, verdict.edges, verdict.best, measure_title=title
        )
    rows = [findings.data_sets.index(name) for name in verdict.data_sets]
    scores = np.column_stack([findings.column(name)[rows] for name in names])
    better = findings.measure.greater_is_better
    if kind == "ranking":
        ranks = nemenyi_test(scores, names=names, greater_is_better=better, alpha=alpha)
        return plots.CriticalDifferenceDisplay.from_result(ranks)
    correction = "holm" if verdict.is_by_ranks else verdict.correction
    matrix = multi_comparison_matrix(
        scores, names=names, greater_is_better=better, alpha=alpha, correction=correction
    )
    return plots.MultiComparisonMatrixDisplay.from_result(
        matrix, measure_title=findings.measure.title, greater_is_better=better
    )

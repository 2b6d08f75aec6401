"""Answer over many data sets in three lines."""

from __future__ import annotations

from collections.abc import Iterator

from bestofk.measures.ties import at_most
from bestofk.measures.words import best_side, score_in_words, value_title
from bestofk.report.answer import Answer
from bestofk.report.findings_across import FindingsAcross
from bestofk.report.versus_pick import group_sentences, versus_pick_across
from bestofk.verdict.complete_scores import first_names
from bestofk.verdict.many_data_sets import VerdictAcross
from bestofk.words import number, times


def answer_across(findings: FindingsAcross) -> Answer:
    """Return what to use over many data sets, what else is plausible, and what is not claimed.

    Parameters
    ----------
    findings : FindingsAcross
        What is to be reported.

    Returns
    -------
    tuple of three str
        At most 60 words together, as long as names have no blanks.
    """
    verdict = findings.verdict
    if verdict is None:
        return (
            "No learner can be picked over the data sets.",
            f"{findings.reason[:1].upper()}{findings.reason[1:]}",
            "No claim about a further data set: there is no pick.",
        )
    return (
        " ".join(_pick(findings, verdict)),
        " ".join(_others(findings, verdict)),
        _claim(findings, verdict),
    )


def _pick(findings: FindingsAcross, verdict: VerdictAcross) -> Iterator[str]:
    said = score_in_words(findings.measure, findings.mean(verdict.best))
    rank = number(verdict.mean_ranks.get(verdict.best, float("nan")), 2)
    n_sets = times(len(verdict.data_sets), "data set")
    now = " for now" if findings.n_unfinished else ""
    if verdict.is_by_ranks:
        yield f"Use {verdict.best}{now}: mean rank {rank} over {n_sets}."
    else:
        yield f"Use {verdict.best}{now}: {said} on average over {n_sets} (mean rank {rank})."


def _others(findings: FindingsAcross, verdict: VerdictAcross) -> Iterator[str]:
    yield from group_sentences(versus_pick_across(findings))
    if left_out := [name for name in findings.ordered if name in verdict.left_out]:
        yield f"Left out for missing results: {first_names(left_out)}."


def _claim(findings: FindingsAcross, verdict: VerdictAcross) -> str:
    rows = [findings.data_sets.index(name) for name in verdict.data_sets]
    losses = findings.measure.loss(findings.values[rows])
    own = findings.learners.index(verdict.best)
    others = [findings.learners.index(name) for name in verdict.order]
    n_won = int(at_most(losses[:, own], losses[:, others].min(axis=1)).sum())
    return (
        f"No claim about a further data set: {verdict.best} had the {best_side(findings.measure)} "
        f"{value_title(findings.measure)} on {n_won} of these {len(rows)}."
    )

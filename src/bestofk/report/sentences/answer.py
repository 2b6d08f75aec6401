"""Answer in three lines: the pick, the other plausible learners, and what to expect of new data."""

from __future__ import annotations

import math
from collections.abc import Iterator

from bestofk.measures.ties import at_most
from bestofk.measures.words import best_side, score_in_words, value_title
from bestofk.report.findings import Findings
from bestofk.report.findings.many_data_sets import FindingsAcross
from bestofk.report.sentences.new_data import claim_sentence
from bestofk.report.sentences.versus_pick import group_sentences, versus_pick
from bestofk.verdict.complete_scores import first_names
from bestofk.verdict.many_data_sets import VerdictAcross
from bestofk.words import listing, number, times

_SECOND = ("auroc", "r2")  # measures that stand next to the deciding one

Answer = tuple[str, str, str]


def answer(findings: Findings | FindingsAcross) -> Answer:
    """Return what to use, what else is plausible, and the claim about new data or data sets.

    Parameters
    ----------
    findings : Findings or FindingsAcross
        What is to be reported.

    Returns
    -------
    tuple of three str
        At most 60 words together, as long as names have no blanks.

    Examples
    --------
    >>> from bestofk.measures import get_measure
    >>> from bestofk.verdict import Verdict
    >>> error = get_measure("error", task="classification", classes=["a", "b"])
    >>> for line in answer(Findings("tea", "", "", "", error, [], [], Verdict(), {})):
    ...     print(line)
    No learner can be picked on tea.
    No learner has a score to be judged by.
    No claim about new data: there is no pick.
    """
    if isinstance(findings, FindingsAcross):
        return _over_data_sets(findings)
    best = findings.verdict.best
    if best is None:
        return (
            f"No learner can be picked on {findings.title}.",
            "No learner has a score to be judged by.",
            "No claim about new data: there is no pick.",
        )
    claim = claim_sentence(findings) or "No claim about new data: only scores were given."
    return " ".join(_pick(findings, best)), " ".join(_others(findings)), claim


def _pick(findings: Findings, best: str) -> Iterator[str]:
    measure, learner = findings.measure, findings.learner(best)
    said = score_in_words(measure, learner.mean)
    second = [
        score_in_words(shown, learner.shown[shown.name])
        for shown in findings.shown
        if shown.name in _SECOND and not math.isnan(learner.shown[shown.name])
    ]
    aside = second[:1]
    if findings.verdict.center == "median":
        n_repeats = len(set(findings.repeat_of_split.tolist()))
        median = score_in_words(measure, findings.median(best))
        aside = [f"mean {said}", *aside]
        said = f"{median}, the median of {times(n_repeats, 'repeat')}"
    said += f" ({', '.join(aside)})" if aside else ""
    yield f"Use {best}{_until_now(findings)}: {said}."
    held = [name for name, beaten in findings.verdict.baselines.items() if not beaten.get(best)]
    if held:
        yield f"It is not significantly better than {listing(held)}, which ignores the inputs."


def _until_now(findings: Findings) -> str:
    """Return that an answer is provisional, and after how much; empty for a finished one."""
    history = findings.rows_history
    if history is not None and history.ending:
        return f" for now, after {history.n_rows:,} of {history.n_all:,} training rows"
    if not findings.n_unfinished:
        return ""
    n_done = sum(learner.n_runs for learner in findings.learners)
    return f" for now, after {n_done:,} of {times(n_done + findings.n_unfinished, 'run')}"


def _others(findings: Findings) -> Iterator[str]:
    verdict, answers = findings.verdict, versus_pick(findings)
    if len(verdict.order) > 1 and not verdict.test:
        yield "No test is possible with this plan."
    yield from group_sentences(answers)
    yield from _eliminated(findings)
    left_out = [item.learner for item in answers.values() if not item.answer]
    if left_out and findings.rows_history is None:
        yield f"Without a result: {first_names(left_out)}."
    elif len(verdict.order) == 1 and findings.rows_history is None:
        yield "No other learner took part."


def _eliminated(findings: Findings) -> Iterator[str]:
    """Report the learners of a large table that were not trained on all rows."""
    history = findings.rows_history
    if history is None:
        return
    open_names = [item.learner for item in history.eliminations if item.is_open]
    beaten = [item.learner for item in history.eliminations if item.is_beaten]
    if open_names:
        yield f"Cannot be ruled out, for lack of time: {first_names(open_names)}."
    if beaten:
        yield f"Eliminated on fewer rows: {first_names(beaten)}."


# -- over many data sets -----------------------------------------------------------------


def _over_data_sets(findings: FindingsAcross) -> Answer:
    verdict = findings.verdict
    if verdict is None:
        return (
            "No learner can be picked over the data sets.",
            f"{findings.reason[:1].upper()}{findings.reason[1:]}",
            "No claim about a further data set: there is no pick.",
        )
    return (
        " ".join(_pick_across(findings, verdict)),
        " ".join(_others_across(findings, verdict)),
        _claim_across(findings, verdict),
    )


def _pick_across(findings: FindingsAcross, verdict: VerdictAcross) -> Iterator[str]:
    said = score_in_words(findings.measure, findings.mean(verdict.best))
    rank = number(verdict.mean_ranks.get(verdict.best, float("nan")), 2)
    n_sets = times(len(verdict.data_sets), "data set")
    now = " for now" if findings.n_unfinished else ""
    if verdict.is_by_ranks:
        yield f"Use {verdict.best}{now}: mean rank {rank} over {n_sets}."
    else:
        yield f"Use {verdict.best}{now}: {said} on average over {n_sets} (mean rank {rank})."


def _others_across(findings: FindingsAcross, verdict: VerdictAcross) -> Iterator[str]:
    yield from group_sentences(versus_pick(findings))
    if left_out := [name for name in findings.ordered if name in verdict.left_out]:
        yield f"Left out for missing results: {first_names(left_out)}."


def _claim_across(findings: FindingsAcross, verdict: VerdictAcross) -> str:
    rows = [findings.data_sets.index(name) for name in verdict.data_sets]
    losses = findings.measure.loss(findings.values[rows])
    own = findings.learners.index(verdict.best)
    others = [findings.learners.index(name) for name in verdict.order]
    n_won = int(at_most(losses[:, own], losses[:, others].min(axis=1)).sum())
    return (
        f"No claim about a further data set: {verdict.best} had the {best_side(findings.measure)} "
        f"{value_title(findings.measure)} on {n_won} of these {len(rows)}."
    )

"""First screen of a verdict: cautions that could change the decision, and what it rests on."""

import math
from collections.abc import Iterator, Mapping
from typing import Final

from bestofk.measures.words import short_title
from bestofk.report.findings import Findings, FindingsAcross
from bestofk.report.sentences.answers import UNDECIDED, WORSE, VersusPick
from bestofk.report.sentences.details import coded_warnings, other_measures
from bestofk.report.sentences.details_across import family_line
from bestofk.words import seconds, times

OF_DATA, OF_RUNS, OTHER_MEASURE, RESUME = "data", "runs", "other measure", "resume"
# Kinds of cautions, from what most changes a decision; those about data come in the order of
# `bestofk.data`: lost rows, leaks, rows that are not independent, doubtful readings.
RANKS: Final = (
    RESUME, "incomplete", OF_DATA, "degenerate", "few-scores", OTHER_MEASURE, OF_RUNS,
    "split-seed", "unstable-learner", "different-test-sets", "overlap", "pooled-folds",
    "mean-ranks", "partly-tuned", "edge-of-space", "crowded",
)  # fmt: skip


def ranked_cautions(findings: Findings | FindingsAcross) -> list[str]:
    """Return what could change the decision, the most serious first.

    Parameters
    ----------
    findings : Findings or FindingsAcross
        What is to be reported.

    Returns
    -------
    list of str
        A sentence each, without what holds for nearly every comparison.
    """
    said = [(RESUME, findings.resume)] if findings.resume else []
    said += coded_warnings(findings)
    if isinstance(findings, Findings) and findings.verdict.best is not None:
        said.append((OTHER_MEASURE, other_measures(findings, findings.verdict.best)))
    ranked = sorted((item for item in said if item[1]), key=lambda item: RANKS.index(item[0]))
    return [text for _, text in ranked]


def gaps_explained(answers: Mapping[str, VersusPick]) -> str:
    """Explain why a learner is worse while another with a larger gap is not, where both occur.

    Parameters
    ----------
    answers : mapping of str to VersusPick
        Of all learners.

    Returns
    -------
    str
        Empty where the answers follow the gaps.
    """
    shown = [item.difference for item in answers.values() if item.answer == WORSE]
    larger = [item.difference for item in answers.values() if item.answer == UNDECIDED]
    if not shown or not larger or max(larger) <= min(shown):
        return ""
    return "A larger gap can be less certain: it varies more, or rests on fewer repeats."


def facts(findings: Findings | FindingsAcross) -> str:
    """Return what the verdict rests on in a line: rows, plan, measure, test, runs, their time.

    Parameters
    ----------
    findings : Findings or FindingsAcross
        What is to be reported.

    Returns
    -------
    str
        The time is that of training and predicting, all runs together.
    """
    if isinstance(findings, Findings):
        headline = f"{findings.headline} " if findings.headline else ""
        text = ", ".join(_facts(findings))
        return f"{headline}{text[0].upper()}{text[1:]}."
    parts = [findings.title, findings.plan_sentence, short_title(findings.measure)]
    if findings.verdict is not None:
        parts.append(family_line(findings.verdict))
    n_runs = findings.n_fitted + findings.n_reused
    return f"{', '.join([*parts, *([times(n_runs, 'run')] if n_runs else [])])}."


def _facts(findings: Findings) -> Iterator[str]:
    verdict, history = findings.verdict, findings.stopping_history
    if not findings.reading:
        yield findings.data_sentence.partition(",")[0]
    plan = findings.plan_sentence.partition(": ")[0].removesuffix(", stratified")
    if history is not None and history.is_settled and history.n_repeats < history.max_repeats:
        plan += f" (of at most {history.max_repeats})"
    elif history is not None and not history.is_settled and not findings.n_unfinished:
        plan += " (not settled)"
    yield plan
    yield short_title(findings.measure)
    if verdict.test and len(verdict.order) > 1:
        yield f"{verdict.test_title.removeprefix('the ')} ({verdict.correction.capitalize()})"
    trained = [item for item in findings.learners if item.n_runs and not item.members]
    if not trained:
        return
    n_runs = findings.n_fitted + findings.n_reused  # of all sizes, where rows grow
    yield times(n_runs or sum(item.n_runs for item in trained), "run")
    timed = [item for item in trained if not math.isnan(item.fit_seconds)]
    spent = sum(item.n_runs * (item.fit_seconds + item.predict_seconds) for item in timed)
    if timed:
        yield f"{seconds(spent)} CPU"

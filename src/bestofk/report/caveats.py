"""Caveats of a comparison: what could change the decision, each with its code."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from bestofk.inference.two_learners.corrected_resampled_t import OVERLAP
from bestofk.report.findings import Findings, LearnerFindings
from bestofk.report.findings_across import FindingsAcross

# Codes of cautions that hold for nearly every comparison; docs/warnings.md explains them.
STANDING = ("winners-curse", "multiplicity", "not-equal", "untuned")
# Characters of the message of a failed run that a sentence repeats; the list of warnings has all.
_MESSAGE_WIDTH = 160


def caveats(findings: Findings | FindingsAcross) -> list[str]:
    """Return what could change the decision, each with its code in brackets.

    Parameters
    ----------
    findings : Findings or FindingsAcross
        What is to be reported.

    Returns
    -------
    list of str
        Learners that take no part first; then the warnings of data, runs and verdict, but for
        those that hold for nearly every comparison, whose codes stand in the last line.
    """
    texts: list[str] = []
    about_data: tuple[str, ...] = ()
    if isinstance(findings, Findings):
        texts, about_data = [*_left_out(findings)], findings.data_warnings
    warnings = [*findings.warnings, *(note for note in findings.notes if _code(note))]
    for warning in warnings:
        code = _code(warning)
        if code not in STANDING and warning != OVERLAP:
            origin = "data" if warning in about_data else "runs"
            texts.append(f"{warning} [{code or origin}]")
    texts += [findings.resume] if findings.resume else []
    standing = list(dict.fromkeys(code for code in map(_code, warnings) if code in STANDING))
    if standing:
        texts.append(f"As in nearly every comparison: {', '.join(standing)}.")
    return texts


def _code(warning: str) -> str:
    return getattr(warning, "code", "")


def _left_out(findings: Findings) -> Iterator[str]:
    history = findings.rows_history
    eliminated = set() if history is None else history.reasons().keys()
    for learner in findings.learners:
        if learner.left_out and learner.name not in eliminated:
            yield (
                f"{learner.name} takes no part in the verdict: {learner.left_out}"
                f"{_first_failure(learner)}. [incomplete]"
            )


def _first_failure(learner: LearnerFindings) -> str:
    """Return the message of the first failed run in brackets; empty where none failed."""
    if not learner.failure:
        return ""
    message = textwrap.shorten(learner.failure.rstrip("."), _MESSAGE_WIDTH, placeholder=" ...")
    return f" (first message: {message})"

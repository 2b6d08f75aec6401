"""Caveats of a comparison: what could change the decision, each with its code."""

from __future__ import annotations

from bestofk.inference.two_learners.t_tests import OVERLAP
from bestofk.report.findings import Findings
from bestofk.report.findings.many_data_sets import FindingsAcross

# Codes of cautions that hold for nearly every comparison; docs/warnings.md explains them.
STANDING = ("winners-curse", "multiplicity", "not-equal", "untuned")


def caveats(findings: Findings | FindingsAcross) -> list[str]:
    """Return what could change the decision, each with its code in brackets.

    Parameters
    ----------
    findings : Findings or FindingsAcross
        What is to be reported.

    Returns
    -------
    list of str
        The warnings of data, runs and verdict, but for those that hold for nearly every
        comparison, whose codes stand in the last line.
    """
    texts: list[str] = []
    about_data = findings.warnings
    if isinstance(findings, Findings):
        about_data = findings.data_warnings
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

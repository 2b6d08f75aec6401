"""Output of a verdict over many data sets: text, tables, methods paragraph, references."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from bestofk.cli.terminal import result_console, write_result

if TYPE_CHECKING:
    from bestofk.report.findings_across import FindingsAcross

ACROSS_FORMATS = ("text", "markdown", "latex", "methods", "bibtex")


def write_across(findings: FindingsAcross, kind: str, *, within: str) -> None:
    """Write a verdict over many data sets to standard output.

    Parameters
    ----------
    findings : FindingsAcross
        What is to be written.
    kind : str
        One of `ACROSS_FORMATS`, or "json".
    within : str
        Name of the test within data sets, for the paragraph on methods.
    """
    from bestofk import __version__
    from bestofk.report import to_json, to_latex, to_markdown, to_text
    from bestofk.report.methods import bibtex, methods_paragraph

    writers: dict[str, Callable[[], str]] = {
        "text": lambda: to_text(findings, result_console().width),
        "json": lambda: to_json(findings),
        "markdown": lambda: to_markdown(findings),
        "latex": lambda: to_latex(findings),
        "methods": lambda: methods_paragraph(
            findings, within=within, made_with=f"bestofk {__version__}"
        ),
        "bibtex": lambda: bibtex(findings, within=within),
    }
    write_result(writers[kind]())

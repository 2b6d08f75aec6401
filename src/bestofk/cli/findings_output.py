"""Output of a verdict on one data set or several, in every format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bestofk.cli.options import Output
from bestofk.cli.terminal import result_console, write_lines, write_result

if TYPE_CHECKING:
    from bestofk.report.reported import ReportedVerdict
    from bestofk.report.sections import Reportable

FORMATS: Final = ("text", "markdown", "latex", "methods", "bibtex")
_METHODS: Final = {
    "json": "to_json",
    "markdown": "to_markdown",
    "latex": "to_latex",
    "methods": "methods_paragraph",
    "bibtex": "bibtex",
}


def write_text(report: Reportable, output: Output) -> None:
    """Write the answer alone, or a report with some or all details, to standard output."""
    if output.quiet:
        from bestofk.report.sections import sections

        write_lines(*sections(report).answer)
    else:
        from bestofk.report import render

        render(report, result_console(), verbose=output.verbose)


def write_verdict(result: ReportedVerdict, output: Output) -> None:
    """Write a result with a verdict to standard output: as JSON, or in one of `FORMATS`."""
    kind = "json" if output.json else output.format
    if kind == "text":
        write_text(result.findings, output)
    else:
        write_result(getattr(result, _METHODS[kind])())

"""Output of a verdict on one data set or on many, in every format."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from bestofk.cli.options import Output
from bestofk.cli.terminal import result_console, write_result

if TYPE_CHECKING:
    from bestofk.report import Findings
    from bestofk.report.findings.many_data_sets import FindingsAcross
    from bestofk.report.sections import Reportable

FORMATS: Final = ("text", "markdown", "latex", "methods", "bibtex")


def write_text(report: Reportable, output: Output) -> None:
    """Write the answer alone, or a report with some or all details, to standard output."""
    if output.quiet:
        from bestofk.report.sections import sections

        write_result("\n".join(sections(report).answer))
    else:
        from bestofk.report import render

        render(report, result_console(), verbose=output.verbose)


def write_findings(
    findings: Findings | FindingsAcross, output: Output, *, within: str = ""
) -> None:
    """Write a verdict to standard output.

    Parameters
    ----------
    findings : Findings or FindingsAcross
        What is to be written.
    output : Output
        How: as JSON, in one of `FORMATS`, short or long.
    within : str, default=""
        Name of the test within data sets, for the paragraph on methods.
    """
    from bestofk import __version__, report

    kind = "json" if output.json else output.format
    if kind == "text":
        write_text(findings, output)
    elif kind in ("methods", "bibtex"):
        from bestofk.report.sentences.methods import bibtex, methods_paragraph

        made_with = f"bestofk {__version__}"
        write_result(
            bibtex(findings, within=within)
            if kind == "bibtex"
            else methods_paragraph(findings, within=within, made_with=made_with)
        )
    else:
        writers: dict[str, Callable[[Any], str]]
        writers = {"json": report.to_json, "markdown": report.to_markdown, "latex": report.to_latex}
        write_result(writers[kind](findings))

"""Reports: findings become tables, sentences, pictures and pages.

`gather` collects plain numbers in a `Findings`; everything else is written from it.
"""

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from bestofk.report.findings import Findings, LearnerFindings, gather, plain
    from bestofk.report.html_page import to_html_fragment, write_html
    from bestofk.report.json_text import json_object, result_json, to_json
    from bestofk.report.latex import to_latex
    from bestofk.report.markdown import to_markdown
    from bestofk.report.plots import RejectionGraphDisplay, ScoreDistributionDisplay
    from bestofk.report.sentences import paragraph
    from bestofk.report.tables import pairs_frame, summary_frame
    from bestofk.report.terminal import render, to_text

__all__ = [
    "Findings",
    "LearnerFindings",
    "RejectionGraphDisplay",
    "ScoreDistributionDisplay",
    "gather",
    "json_object",
    "pairs_frame",
    "paragraph",
    "plain",
    "render",
    "result_json",
    "summary_frame",
    "to_html_fragment",
    "to_json",
    "to_latex",
    "to_markdown",
    "to_text",
    "write_html",
]

__getattr__, __dir__, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "findings": ["Findings", "LearnerFindings", "gather", "plain"],
        "html_page": ["to_html_fragment", "write_html"],
        "json_text": ["json_object", "result_json", "to_json"],
        "latex": ["to_latex"],
        "markdown": ["to_markdown"],
        "plots": ["RejectionGraphDisplay", "ScoreDistributionDisplay"],
        "sentences": ["paragraph"],
        "tables": ["pairs_frame", "summary_frame"],
        "terminal": ["render", "to_text"],
    },
)

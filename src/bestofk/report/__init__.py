"""Station 7: findings become tables, sentences, pictures and pages.

`gather` collects plain numbers in a `Findings`; everything else is written from it.
"""

from bestofk.report.findings import Findings, LearnerFindings, gather, plain
from bestofk.report.html_page import to_html_fragment, write_html
from bestofk.report.json_object import json_object, to_json
from bestofk.report.latex import to_latex
from bestofk.report.markdown import to_markdown
from bestofk.report.plots.rejection_graph import RejectionGraphDisplay
from bestofk.report.plots.score_distribution import ScoreDistributionDisplay
from bestofk.report.result_json import result_json
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

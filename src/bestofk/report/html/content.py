"""Content of the templates: everything that a page or a fragment says, as text and pictures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Any

import numpy as np
from markupsafe import Markup

from bestofk.inference.cautions import CAUTIONS
from bestofk.measures.words import short_title
from bestofk.report import plots
from bestofk.report.findings import Findings, LearnerFindings
from bestofk.report.findings.many_data_sets import FindingsAcross
from bestofk.report.html.charts import class_charts, legend, value_charts
from bestofk.report.html.data_set_sections import across_page
from bestofk.report.html.lanes import difference_lanes, score_lanes
from bestofk.report.html.page_parts import PageParts
from bestofk.report.html.views import cell, controls, head_cells, name_cell, view_of, views_as_json
from bestofk.report.parts import Sections
from bestofk.report.sections import Reportable, behind, sections
from bestofk.report.sentences import methods
from bestofk.report.svg import inline_svg
from bestofk.words import memory, number, seconds

MOST_IN_GRAPH = 8  # learners; arrows between more cannot be followed
MOST_IN_MATRIX = 12  # learners over many data sets; more cells cannot be read
MOST_CLASSES = 30  # in a confusion matrix
_WIDE, _NARROW = 7.0, 3.1  # inches: letters of a phone's picture are not scaled down


def page_content(findings: Findings, parts: PageParts) -> dict[str, Any]:
    """Return the content of a page about one data set.

    Parameters
    ----------
    findings : Findings
        What is to be reported.
    parts : PageParts
        What it shows beyond them.

    Returns
    -------
    dict of str to object
        By the names of `one_data_set.html`.
    """
    switches = parts.switches
    return {
        **_common(findings, parts),
        "view": view_of(findings),
        "views": views_as_json(switches) if switches else "",
        "controls": controls(switches) if switches else [],
        "graph": _graph(findings),
        "scores": score_lanes(findings),
        "classes": findings.classes,
        "confusions": _confusions(findings),
        "curves": [
            {"label": item.label, "legend": legend(item), "charts": class_charts(item)}
            for item in parts.curves
        ],
        "values": [
            {"name": name, "charts": value_charts(name, values)}
            for name, values in parts.values.items()
        ],
        "history": _running_means(findings),
        "eliminations": findings.stopping_history.eliminations if findings.stopping_history else (),
        "seeds": _seeds(findings),
        "costs_head": head_cells(
            ["learner", "train", "predict", *["memory"] * findings.has_memory, "size", "model"],
            (0,),
        ),
        "has_memory": findings.has_memory,
        "costs": _costs(findings),
    }


def fragment_content(findings: Reportable) -> dict[str, Any]:
    """Return the content of a fragment for a notebook."""
    return {
        "report": sections(findings),
        "css": Markup(_text("fragment.css")),
        "lanes": difference_lanes(findings) if isinstance(findings, Findings) else [],
        "matrix": _across_matrix(findings) if isinstance(findings, FindingsAcross) else "",
    }


def across_content(findings: FindingsAcross, parts: PageParts) -> dict[str, Any]:
    """Return the content of a page over many data sets."""
    lists = behind(findings, pairs=False)
    return {
        **_common(findings, parts),
        **across_page(findings),
        "matrix": _across_matrix(findings),
        "lists": [(title, texts) for title, texts in lists if texts],
    }


def sections_content(report: Sections, display: plots.Display | None) -> dict[str, Any]:
    """Return the content of a page of a report that has no verdict, and of its picture."""
    picture = ""
    if display is not None:
        picture = Markup(inline_svg(display, prefix="picture", title=report.title))
    codes = [code for code in CAUTIONS if any(f"[{code}]" in text for text in report.caveats)]
    return {**_of_every_page(report, codes), "picture": picture}


def _of_every_page(report: Sections, codes: Iterable[str]) -> dict[str, Any]:
    """Return what every page says."""
    from bestofk import __version__

    return {
        "title": report.title,
        "answer": report.answer,
        "report": report,
        "codes": [(code, CAUTIONS[code]) for code in codes],
        "commands": {},
        "methods": "",
        "bibtex": "",
        "made_with": f"bestofk {__version__}",
        "css": Markup(_text("page.css")),
        "js": Markup(_text("page.js")),
    }


def _common(findings: Findings | FindingsAcross, parts: PageParts) -> dict[str, Any]:
    """Return what pages with a verdict say."""
    warnings = (*findings.warnings, *findings.notes)
    codes = dict.fromkeys(code for text in warnings if (code := getattr(text, "code", "")))
    page = _of_every_page(sections(findings), codes)
    commands = {"On a command line": parts.command, "In Python": parts.python}
    return page | {
        "commands": {shell: line for shell, line in commands.items() if line},
        "methods": methods.methods_paragraph(
            findings, within=parts.within, made_with=page["made_with"]
        ),
        "bibtex": methods.bibtex(findings, within=parts.within).strip(),
    }


def _text(name: str) -> str:
    return files("bestofk.report.html").joinpath(name).read_text(encoding="utf-8").strip()


def _graph(findings: Findings) -> Markup:
    """Draw the significant differences; empty where that cannot be read."""
    if not 2 <= len(findings.verdict.order) <= MOST_IN_GRAPH:
        return Markup()
    display = plots.RejectionGraphDisplay.from_findings(findings)
    title = "Significant differences: arrows lead from worse to better learners"
    return _twice(display, "graph", title)


def _twice(display: Any, prefix: str, title: str) -> Markup:
    """Draw a picture for a wide page and for a phone; style sheets choose."""
    drawn = [
        Markup('<div class="{}">{}</div>').format(
            kind, Markup(inline_svg(display, prefix=f"{prefix}-{kind}", title=title, width=width))
        )
        for kind, width in (("wide", _WIDE), ("narrow", _NARROW))
    ]
    return drawn[0] + drawn[1]


def _running_means(findings: Findings) -> Markup:
    """Draw how an adaptive comparison went; empty for others, and without a whole repeat."""
    history = findings.stopping_history
    if history is None or not history.n_repeats:
        return Markup()
    if not 1 <= len(findings.learners) <= MOST_IN_GRAPH or not findings.verdict.order:
        return Markup()
    display = plots.RunningMeansDisplay.from_findings(findings)
    return _twice(display, "course", "Running mean of every learner over the repeats")


def _seeds(findings: Findings) -> Markup:
    """Draw how surely other seeds order each pair alike; empty where it cannot be read."""
    if findings.reseeding is None or len(findings.verdict.order) > MOST_IN_GRAPH:
        return Markup()
    display = plots.ReproducibilityMatrixDisplay.from_findings(findings)
    return _twice(display, "seeds", "Reproducibility of every pair of learners")


def _across_matrix(findings: FindingsAcross) -> Markup:
    """Draw all pairs; empty where not all pairs were tested, or where there are too many."""
    verdict = findings.verdict
    if (
        verdict is None
        or verdict.control
        or verdict.has_preference
        or not 2 <= len(verdict.order) <= MOST_IN_MATRIX
    ):
        return Markup()
    display = plots.MultiComparisonMatrixDisplay.from_result(
        verdict.matrix, measure_title=f"loss by {short_title(findings.measure)}"
    )
    return _twice(display, "matrix", "All pairs of learners")


def _confusions(findings: Findings) -> list[dict[str, Any]]:
    """Return rows of the confusion matrices of the pick and the other plausible learners."""
    if not 2 <= len(findings.classes) <= MOST_CLASSES:
        return []
    shown = [
        learner
        for learner in findings.ordered()
        if learner.confusion is not None
        and learner.confusion.any()
        and (learner.is_candidate or learner.name == findings.verdict.best)
    ]
    return [{"name": item.name, "rows": _class_rows(findings, item)} for item in shown]


def _class_rows(findings: Findings, learner: LearnerFindings) -> list[dict[str, Any]]:
    counts = learner.confusion
    assert counts is not None
    with np.errstate(invalid="ignore"):
        precision = np.diag(counts) / counts.sum(axis=0)
        recall = np.diag(counts) / counts.sum(axis=1)
    f1 = 2 * np.diag(counts) / np.maximum(counts.sum(axis=0) + counts.sum(axis=1), 1)
    return [
        {
            "label": label,
            "index": index,
            "counts": counts[index].tolist(),
            "precision": number(float(precision[index]), 3),
            "recall": number(float(recall[index]), 3),
            "f1": number(float(f1[index]), 3),
        }
        for index, label in enumerate(findings.classes)
    ]


def _costs(findings: Findings) -> list[Sequence[Markup]]:
    """Return a row per learner whose seconds are known."""
    return [
        [
            Markup("<tr>"),
            name_cell(item.name),
            cell(seconds(item.fit_seconds)),
            cell(seconds(item.predict_seconds)),
            *[cell(memory(item.peak_bytes), value=item.peak_bytes)] * findings.has_memory,
            cell(memory(item.size_bytes), value=item.size_bytes),
            cell(_model(item), value=item.complexity),
        ]
        for item in findings.ordered()
        if not math.isnan(item.fit_seconds)
    ]


def _model(learner: LearnerFindings) -> str:
    if math.isnan(learner.complexity):
        return "-"
    return f"{learner.complexity:,.0f} {learner.complexity_unit}"

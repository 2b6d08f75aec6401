"""Page of a report as HTML, and a fragment for notebooks: what their templates say."""

from __future__ import annotations

import io
import math
import os
import re
import warnings
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from bestofk.checks import wrong_source
from bestofk.errors import InvalidArgumentError
from bestofk.inference.cautions import CAUTIONS
from bestofk.measures.words import is_share, short_title
from bestofk.report import plots
from bestofk.report.findings import Findings, FindingsAcross, LearnerFindings
from bestofk.report.html import drawings, views
from bestofk.report.html.views import PageParts
from bestofk.report.parts import Sections
from bestofk.report.sections import Reportable, behind, sections
from bestofk.report.sentences import methods
from bestofk.words import memory, number, printable, seconds

if TYPE_CHECKING:
    from bestofk.report.plots import Display

MOST_IN_COURSE = 8  # learners; lines of more cannot be followed
MOST_IN_MATRIX = 12  # learners over many data sets; more cells cannot be read
MOST_CLASSES = 30  # in a confusion matrix
_WIDE, _NARROW = 7.0, 3.1  # inches: letters of a phone's picture are not scaled down
# Stands for the colour of the text around the picture until the drawing is done.
_INK = "#010203"
_READABLE = 12.0  # pixels
_LETTERS = re.compile(r"font(?:-size)?: (?:[a-z]+ )?([\d.]+)px")
_WIDTH = re.compile(r'viewBox="0 0 ([\d.]+) ')
_TAG = re.compile(r"<[^!?>][^>]*>")
_DROPPED = re.compile(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<metadata>.*?</metadata>|<!--.*?-->", re.DOTALL)


def to_html_fragment(findings: Reportable) -> str:
    """Return answer, table, differences and details for a notebook.

    Parameters
    ----------
    findings : Findings, FindingsAcross or Sections
        What is to be reported.

    Returns
    -------
    str
        HTML without scripts, in the colors of its surroundings; of more than ten data sets
        without the table of the data sets.
    """
    return _filled("fragment.html", fragment_content(findings))


def write_html(
    findings: Findings | FindingsAcross,
    path: str | os.PathLike[str],
    overwrite: bool = False,
    parts: PageParts | None = None,
) -> None:
    """Write one page that holds everything and loads nothing.

    Parameters
    ----------
    findings : Findings or FindingsAcross
        What is to be reported.
    path : str or Path
        The file.
    overwrite : bool, default=False
        Whether an existing file may be replaced. It is replaced as a whole or not at all.
    parts : PageParts, optional
        Everything that the page shows beyond the findings.

    Raises
    ------
    InvalidArgumentError
        If the file exists and may not be replaced, its folder does not exist, or it
        cannot be written.
    """
    target = new_file(path, overwrite=overwrite)
    if isinstance(findings, FindingsAcross):
        page = _filled("many_data_sets.html", across_content(findings, parts or PageParts()))
    else:
        page = _filled("one_data_set.html", page_content(findings, parts or PageParts()))
    _replace(target, page)


def write_sections(
    report: Sections,
    path: str | os.PathLike[str],
    overwrite: bool = False,
    display: Display | None = None,
) -> None:
    """Write one page of a report that has no verdict, such as that of a curve.

    Parameters
    ----------
    report : Sections
        What the page says.
    path, overwrite
        As for `write_html`.
    display : Display, optional
        Its picture.

    Raises
    ------
    InvalidArgumentError
        As `write_html`.
    """
    target = new_file(path, overwrite=overwrite)
    _replace(target, _filled("sections.html", sections_content(report, display)))


def new_file(path: str | os.PathLike[str], *, overwrite: bool) -> Path:
    """Return the path of a file that may be written, or raise.

    Parameters
    ----------
    path : str or Path
        The file.
    overwrite : bool
        Whether an existing file may be replaced.

    Returns
    -------
    Path
        The same.

    Raises
    ------
    InvalidArgumentError
        If the file exists and may not be replaced, or its folder does not exist.
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise InvalidArgumentError(
            f"path must be in an existing folder; got {str(target)!r}. Make the folder first."
        )
    if target.exists() and (problem := wrong_source(target, "path")):
        raise InvalidArgumentError(problem)
    if target.exists() and not overwrite:
        raise InvalidArgumentError(
            f"path must be a new file; got {str(target)!r}, which exists. "
            "Choose another name or allow overwriting."
        )
    return target


def _replace(target: Path, text: str) -> None:
    """Write a temporary file next to the target first, so that no partial page is ever seen."""
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        draft.write_text(text, encoding="utf-8")
        os.replace(draft, target)
    except OSError as error:
        raise InvalidArgumentError(
            f"path must be a file that can be written; got {str(target)!r} ({error.strerror}). "
            "Choose another place."
        ) from error
    finally:
        draft.unlink(missing_ok=True)


def _filled(template: str, content: dict[str, Any]) -> str:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("bestofk.report", "html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return printable(environment.get_template(template).render(content), keep="\n")


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
    switches, view = parts.switches, views.view_of(findings)
    return {
        **_common(findings, parts),
        "view": view,
        "learners": views.rows_of(view.learners),
        "pairs": views.rows_of(view.pairs),
        "views": views.views_as_json(switches) if switches else "",
        "controls": views.controls(switches) if switches else [],
        "answers": views.answer_matrix(findings),
        "in_points": is_share(findings.measure),
        "scores": drawings.score_lanes(findings),
        "classes": findings.classes,
        "confusions": _confusions(findings),
        "curves": [
            {
                "label": item.label,
                "legend": drawings.legend(item),
                "charts": drawings.class_charts(item),
            }
            for item in parts.curves
        ],
        "values": [
            {"name": name, "charts": drawings.value_charts(name, values)}
            for name, values in parts.values.items()
        ],
        "history": _running_means(findings),
        "periods": _periods(findings),
        "eliminations": findings.stopping_history.eliminations if findings.stopping_history else (),
        "seeds": views.seeds_matrix(findings),
        "costs_head": views.head_cells(
            ("learner", "train", "predict", *["memory"] * findings.has_memory, "size", "model"),
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
        "lanes": drawings.difference_lanes(findings) if isinstance(findings, Findings) else [],
        "matrix": _across_matrix(findings) if isinstance(findings, FindingsAcross) else "",
    }


def across_content(findings: FindingsAcross, parts: PageParts) -> dict[str, Any]:
    """Return the content of a page over many data sets."""
    lists = behind(findings, pairs=False)
    return {
        **_common(findings, parts),
        **views.across_page(findings),
        "matrix": _across_matrix(findings),
        "lists": [(title, texts) for title, texts in lists if texts],
    }


def sections_content(report: Sections, display: Display | None) -> dict[str, Any]:
    """Return the content of a page of a report that has no verdict, and of its picture."""
    picture = ""
    if display is not None:
        picture = Markup(inline_svg(display, prefix="picture", title=report.title))
    codes = [code for code in CAUTIONS if any(f"[{code}]" in text for text in report.caveats)]
    return {**_common_values(report, codes), "picture": picture}


def _common_values(report: Sections, codes: Iterable[str]) -> dict[str, Any]:
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
    page = _common_values(sections(findings), codes)
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


def _twice(display: Any, prefix: str, title: str) -> Markup:
    """Draw a picture for a wide page and for a phone; style sheets choose."""
    return Markup().join(
        Markup('<div class="{}">{}</div>').format(
            kind, Markup(inline_svg(display, prefix=f"{prefix}-{kind}", title=title, width=width))
        )
        for kind, width in (("wide", _WIDE), ("narrow", _NARROW))
    )


def _running_means(findings: Findings) -> Markup:
    """Draw how an adaptive comparison went; empty for others, and without a whole repeat."""
    history = findings.stopping_history
    if history is None or not history.n_repeats:
        return Markup()
    if not 1 <= len(findings.learners) <= MOST_IN_COURSE or not findings.verdict.order:
        return Markup()
    display = plots.RunningMeansDisplay.from_findings(findings)
    return _twice(display, "course", "Running mean of every learner over the repeats")


def _periods(findings: Findings) -> list[Markup]:
    """Draw score and lead by period, where splits are periods; empty for others."""
    if findings.periods is None or len(findings.verdict.order) < 2:
        return []
    scores = plots.PeriodScoresDisplay.from_findings(findings)
    lead = plots.LeadDisplay.from_findings(findings)
    return [
        _twice(scores, "periods", "Score of every learner in each test period"),
        _twice(lead, "lead", "Lead of the pick over the next learner, by period"),
    ]


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
        and learner.name in {*findings.verdict.candidates, findings.verdict.best}
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


def _costs(findings: Findings) -> list[Sequence[str]]:
    """Return a row per learner whose seconds are known."""
    return [
        [
            "<tr>",
            views.name_cell(item.name),
            views.cell(seconds(item.fit_seconds)),
            views.cell(seconds(item.predict_seconds)),
            *[views.cell(memory(item.peak_bytes), item.peak_bytes)] * findings.has_memory,
            views.cell(memory(item.size_bytes), item.size_bytes),
            views.cell(_model(item), item.complexity),
        ]
        for item in findings.ordered()
        if not math.isnan(item.fit_seconds)
    ]


def _model(learner: LearnerFindings) -> str:
    if math.isnan(learner.complexity):
        return "-"
    return f"{learner.complexity:,.0f} {learner.complexity_unit}"


def inline_svg(display: Display, *, prefix: str, title: str, width: float | None = None) -> str:
    """Return a picture as SVG that can stand inside HTML.

    Parameters
    ----------
    display : Display
        What to draw.
    prefix : str
        Makes the ids of this picture unlike those of others on the page.
    title : str
        What a screen reader says; plain words without markup.
    width : float, optional
        In inches, in place of the one that the picture asks for.

    Returns
    -------
    str
        Transparent; lines and text have the colour of the text around it.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    inks = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    settings: dict[Any, Any] = {
        **dict.fromkeys(inks, _INK),
        "svg.fonttype": "none",
        "svg.hashsalt": prefix,
    }
    buffer = io.StringIO()
    with mpl.rc_context({**settings, "font.family": "sans-serif", "font.size": 10}):
        usual, height = display.size
        figure = Figure(figsize=(width or usual, height), layout="constrained")
        ax = figure.add_subplot()
        ax.set_facecolor("none")
        display.plot(ax)
        with warnings.catch_warnings():
            # the browser has its own fonts
            warnings.filterwarnings("ignore", message="Glyph .* missing")
            figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    return _embedded(buffer.getvalue(), prefix, title)


def _least_width(svg: str) -> str:
    """Return the width in pixels from which on the smallest letters can be read."""
    (width,) = _WIDTH.findall(svg)[:1]
    smallest = min(map(float, _LETTERS.findall(svg)), default=_READABLE)
    return f"{math.ceil(float(width) * _READABLE / smallest)}px"


def _embedded(svg: str, prefix: str, title: str) -> str:
    def changed(match: re.Match[str]) -> str:
        tag = match.group().replace(_INK, "currentColor").replace("xlink:href", "href")
        tag = tag.replace(' id="', f' id="{prefix}-').replace("url(#", f"url(#{prefix}-")
        tag = tag.replace('href="#', f'href="#{prefix}-')
        tag = re.sub(r' (?:xmlns(?::\w+)?|version)="[^"]*"', "", tag)
        if tag.startswith("<svg"):
            tag = re.sub(r' (?:width|height)="[^"]*"', "", tag)
            said = f'role="img" aria-label="{escape(title)}" style="min-width: {_least_width(svg)}"'
            tag = tag.replace("<svg", f"<svg {said}", 1)
        return tag

    return _TAG.sub(changed, _DROPPED.sub("", svg)).strip()

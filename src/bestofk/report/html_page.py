"""Report as an HTML page, and as a fragment for notebooks."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from bestofk.errors import InvalidArgumentError
from bestofk.report import plots
from bestofk.report.findings import Findings
from bestofk.report.findings_across import FindingsAcross
from bestofk.report.sections import sections
from bestofk.report.svg import inline_svg
from bestofk.report.words import number, probability, short_title

MOST_DRAWN = 12  # learners over many data sets; more cells cannot be read
_WIDTH = 7.0  # inches: letters are as large as those of other pictures of the page


def to_html_fragment(findings: Findings | FindingsAcross) -> str:
    """Return tables, verdict and the picture of pairs for a notebook.

    Parameters
    ----------
    findings : Findings or FindingsAcross
        What is to be reported.

    Returns
    -------
    str
        HTML without scripts, in the colors of its surroundings; at most 40 data sets.
    """
    if isinstance(findings, FindingsAcross):
        return _filled("many_data_sets.html", {**_across(findings), "is_page": False})
    return _filled("fragment.html", _content(findings, "cell"))


def write_html(
    findings: Findings | FindingsAcross, path: str | os.PathLike[str], overwrite: bool = False
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

    Raises
    ------
    InvalidArgumentError
        If the file exists and may not be replaced, its folder does not exist, or it
        cannot be written.
    """
    target = new_file(path, overwrite=overwrite)
    if isinstance(findings, FindingsAcross):
        page = _filled("many_data_sets.html", {**_across(findings), "is_page": True})
    else:
        page = _filled("page.html", _page(findings))
    _replace(target, page)


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
    if target.is_dir():
        raise InvalidArgumentError(
            f"path must be a file; got the folder {str(target)!r}. Add a name such as report.html."
        )
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
        loader=PackageLoader("bestofk", "report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(content)


def _content(findings: Findings, prefix: str) -> dict[str, Any]:
    """Return what page and fragment have in common."""
    graph = plots.RejectionGraphDisplay.from_findings(findings)
    has_graph = len(findings.verdict.order) > 1
    title = "graph of rejections: arrows lead from worse to better learners"
    return {
        "findings": findings,
        "report": sections(findings, verbose=True),
        "graph": inline_svg(graph, prefix=f"{prefix}-graph", title=title) if has_graph else "",
    }


def _page(findings: Findings) -> dict[str, Any]:
    scores = plots.ScoreDistributionDisplay.from_findings(findings)
    title = "scores of every learner over the splits"
    return {
        **_content(findings, "page"),
        "scores": inline_svg(scores, prefix="scores", title=title),
        "stopping_history": _stopping_history(findings),
        "seeds": _seeds(findings),
        "number": number,
        "probability": probability,
        "level": f"{100 * (1 - findings.verdict.alpha):g} %",
        "confusions": [learner for learner in findings.ordered() if learner.confusion is not None],
    }


def _stopping_history(findings: Findings) -> str:
    """Draw how an adaptive comparison went; empty for others, and without a whole repeat."""
    if (
        findings.stopping_history is None
        or not findings.stopping_history.n_repeats
        or not findings.verdict.order
    ):
        return ""
    running = plots.RunningMeansDisplay.from_findings(findings)
    title = "running mean of every learner over the repeats"
    return inline_svg(running, at_least=_WIDTH, prefix="course", title=title)


def _seeds(findings: Findings) -> str:
    """Draw how surely other seeds order each pair alike; empty where that is not known."""
    if findings.reseeding is None:
        return ""
    matrix = plots.ReproducibilityMatrixDisplay.from_findings(findings)
    title = "reproducibility of every pair of learners"
    return inline_svg(matrix, at_least=_WIDTH, prefix="seeds", title=title)


def _across(findings: FindingsAcross) -> dict[str, Any]:
    """Return the content of page and fragment over many data sets."""
    report = sections(findings, verbose=True)
    return {
        "report": report,
        "matrix": _matrix(findings),
    }


def _matrix(findings: FindingsAcross) -> str:
    """Draw all pairs; empty where not all pairs were tested, or where there are too many."""
    verdict = findings.verdict
    if verdict is None or verdict.control or not 2 <= len(verdict.order) <= MOST_DRAWN:
        return ""
    display = plots.MultiComparisonMatrixDisplay.from_result(
        verdict.matrix, measure_title=f"loss by {short_title(findings.measure)}"
    )
    return inline_svg(display, prefix="across-matrix", title="All pairs of learners")

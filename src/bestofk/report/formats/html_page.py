"""Report as an HTML page, and as a fragment for notebooks."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from bestofk.errors import InvalidArgumentError
from bestofk.report.findings import Findings
from bestofk.report.findings.many_data_sets import FindingsAcross
from bestofk.report.html.content import (
    across_content,
    fragment_content,
    page_content,
    sections_content,
)
from bestofk.report.html.page_parts import PageParts
from bestofk.report.parts import Sections
from bestofk.report.plots import Display
from bestofk.report.sections import Reportable


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
        loader=PackageLoader("bestofk.report", "html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(content)

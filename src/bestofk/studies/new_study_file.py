"""New study files: every key with a comment, ready to be run."""

import json
import os
import re
import tomllib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from bestofk.comparison.options import OPTIONS
from bestofk.errors import InvalidArgumentError

_RESULTS = re.compile(r"^results\s*=\s*\[[^\]]*\]", re.MULTILINE)
_COMMENTS = re.compile(r"([ \t]*#[^\n]*\n)*")
_USUAL = ("iris", "wine", "breast_cancer")


def new_study_file(name: str, data: Sequence[str] = ()) -> str:
    """Return the text of a study file that can be run as it is.

    Parameters
    ----------
    name : str
        What the file will be called.
    data : sequence of str, optional
        Its data sets; three that come along if none is given.

    Examples
    --------
    >>> print(new_study_file("trees.toml").splitlines()[0])
    # A study: many learners on many data sets. Run it: bestofk study run trees.toml
    """
    # a text of JSON without characters beyond ASCII is one of TOML, too
    lines = "".join(f"    {json.dumps(item)},\n" for item in data or _USUAL)
    examples = {key: json.dumps(option.example) for key, option in OPTIONS.items() if option.rule}
    text = files("bestofk.studies").joinpath("new_study.txt").read_text(encoding="utf-8")
    return text.format(name=name, stem=Path(name).stem, data=lines, **examples)


def relative_sources(data: Sequence[str], folder: Path) -> list[str]:
    """Return names as they are, and paths of files as they are seen from a folder."""
    from bestofk.data.load import is_known_name

    here = Path.cwd()
    return [
        item
        if is_known_name(item) or Path(item).is_absolute()
        else os.path.relpath(here / item, folder.absolute())
        for item in data
    ]


def with_result(text: str, result: str) -> str:
    r"""Return the text of a study file with one more table of results; all else stays.

    Parameters
    ----------
    text : str
        Of the file.
    result : str
        The table to add.

    Raises
    ------
    InvalidArgumentError
        If the list stands in the file in a way that cannot be replaced.

    Examples
    --------
    >>> print(with_result('# Mine.\ndata = ["iris", "wine"]', "a.csv"))
    # Mine.
    results = ["a.csv"]
    data = ["iris", "wine"]
    """
    table = tomllib.loads(text)
    results = [*table.get("results", []), result]
    line = f"results = {json.dumps(results)}"
    if "results" in table:
        new = _RESULTS.sub(lambda _: line, text, count=1)
    else:  # keys stand before tables, and comments on all of the file before them
        start = _COMMENTS.match(text)
        index = start.end() if start else 0
        new = f"{text[:index]}{line}\n{text[index:]}"
    try:
        is_right = tomllib.loads(new) == {**table, "results": results}
    except tomllib.TOMLDecodeError:
        is_right = False
    if not is_right:
        raise InvalidArgumentError(
            f"results of a study file must be one list on lines of its own; got another form. "
            f"Write there: {line}"
        )
    return new

"""Lists of evaluations as the REST API of OpenML sends them, in XML or JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from bestofk.data.table import Table
from bestofk.data.text_file import read_text
from bestofk.errors import InvalidArgumentError

_NAMESPACE = "{http://openml.org/openml}"
_RULE = "{} must hold a list of evaluations of OpenML; got {}. Save the reply of evaluation/list."


def read_evaluations_xml(path: Path, name: str) -> Table:
    """Read the XML reply of ``evaluation/list``.

    Raises
    ------
    InvalidArgumentError
        If the file cannot be read, is not XML, or holds something else.
    """
    text, encoding = read_text(path)
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InvalidArgumentError(_RULE.format(path, f"no XML ({error})")) from error
    if root.tag != f"{_NAMESPACE}evaluations":
        raise InvalidArgumentError(_RULE.format(path, root.tag.removeprefix(_NAMESPACE)))
    rows = [
        {field.tag.removeprefix(_NAMESPACE): (field.text or "").strip() or None for field in item}
        for item in root
    ]
    return _table(path, name, rows, encoding)


def read_evaluations_json(path: Path, name: str) -> Table:
    """Read the JSON reply of ``evaluation/list``.

    Raises
    ------
    InvalidArgumentError
        If the file cannot be read, is not JSON, or holds something else.
    """
    text, encoding = read_text(path)
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidArgumentError(_RULE.format(path, f"no JSON ({error})")) from error
    listed = entries.get("evaluations") if isinstance(entries, Mapping) else None
    rows = listed.get("evaluation") if isinstance(listed, Mapping) else None
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise InvalidArgumentError(_RULE.format(path, f"a {type(entries).__name__} without one"))
    return _table(path, name, rows, encoding)


def _table(path: Path, name: str, rows: Sequence[Mapping[str, Any]], encoding: str) -> Table:
    """Return a column for every field that occurs; None for rows without it."""
    names = dict.fromkeys(field for row in rows for field in row)
    columns = {field: [row.get(field) for row in rows] for field in names}
    return Table(name, columns, notes=(f"Read {path.name} as {encoding}.",))

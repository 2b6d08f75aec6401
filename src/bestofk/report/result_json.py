"""A result of a procedure as JSON."""

from __future__ import annotations

import json
from dataclasses import fields

from bestofk.inference import Result
from bestofk.report.findings import plain


def result_json(result: Result) -> str:
    """Return a result of a statistical procedure as one JSON object.

    Parameters
    ----------
    result : Result
        Of any procedure.

    Returns
    -------
    str
        One object with an entry per field, ending with a line break. Infinite numbers are the
        strings "inf" and "-inf", nan is null.
    """
    content = {field.name: plain(getattr(result, field.name)) for field in fields(result)}
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

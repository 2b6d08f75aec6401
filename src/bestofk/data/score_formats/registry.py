"""Formats that score tables are recognized by, in the order in which they are asked."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Final

from bestofk.data.score_formats.score_format import ScoreFormat

# Files of this package; the last one takes any table.
_FILES: Final = (
    "weka_experimenter",
    "amlb",
    "tabarena",
    "mlr3",
    "scikit_learn",
    "openml_evaluations",
    "aslib",
    "baycomp",
    "data_set_rows",
    "long_table",
    "wide_table",
)


@cache
def score_formats() -> tuple[ScoreFormat, ...]:
    """Return every format; the first that recognizes a table reads it.

    Examples
    --------
    >>> [form.name for form in score_formats()][-2:]
    ['long', 'wide']
    """
    package = __name__.rpartition(".")[0]
    return tuple(import_module(f"{package}.{name}").FORMAT for name in _FILES)

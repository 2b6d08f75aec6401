"""Protection of CSV cells that a spreadsheet would read as a formula."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bestofk.data.csv_file import read_csv
from bestofk.data.table import Table
from bestofk.data.text_values import is_missing
from bestofk.words import printable

# Cells with apostrophes are guarded too, so that reading restores what was written.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def guarded(value: Any) -> Any:
    """Return a cell as printable text, after an apostrophe if it begins like a formula.

    Examples
    --------
    >>> guarded("=1+1"), guarded("cart"), guarded(-1.5)
    ("'=1+1", 'cart', -1.5)
    """
    if not isinstance(value, str):
        return value
    return f"'{printable(value)}" if _FORMULA.match(value) else printable(value)


def unguarded(value: Any) -> Any:
    """Return a cell without the apostrophe of `guarded`.

    Examples
    --------
    >>> unguarded("'=1+1"), unguarded("'cart'")
    ('=1+1', "'cart'")
    """
    is_guarded = isinstance(value, str) and value[:1] == "'" and _FORMULA.match(value)
    return value[1:] if is_guarded else value


def read_guarded_csv(path: Path, name: str, **options: Any) -> Table:
    """Read a CSV file like `read_csv`, with the apostrophes of `guarded` removed.

    The columns are lists of text, None where missing.
    """
    table = read_csv(path, name, **options)
    columns = {
        unguarded(title): column.replaced(map(_known_text, column.texts)).to_list()
        for title, column in table.columns.items()
    }
    return replace(table, columns=columns)


def _known_text(text: str) -> str | None:
    return None if is_missing(text) else str(unguarded(text))


def csv_text(frame: pd.DataFrame, *, header: bool = True) -> str:
    """Return a table as CSV that a spreadsheet reads without formulas; numbers stay unchanged."""
    parts: list[Iterable[str]] = []
    columns = (_cells(column) for _, column in frame.items())
    for is_same, some in itertools.groupby(columns, lambda cells: len(cells[1]) == 1):
        if is_same:  # neighboring constant columns are joined once
            parts.append(itertools.repeat(",".join([texts[0] for _, texts in some]), len(frame)))
        else:
            parts += [map(texts.__getitem__, codes.tolist()) for codes, texts in some]
    rows = zip(*parts, strict=True)
    names = [tuple(map(_cell, frame.columns))] if header else []
    return "".join([f"{','.join(row)}\n" for row in itertools.chain(names, rows)])


def _cells(column: pd.Series) -> tuple[np.ndarray, list[str]]:
    """Return the CSV texts of a column: a code for each cell, and the text of each code."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf":
        # compared by bits, because those of 0 and -0 differ
        codes, bits = pd.factorize(column.to_numpy().view(f"i{column.dtype.itemsize}"))
        numbers = bits.view(column.dtype).tolist()
        texts = ["" if value != value else str(value) for value in numbers]
    else:
        codes, values = column.factorize(use_na_sentinel=False)
        pairs = zip(values, values.isna(), strict=True)
        texts = ["" if is_missing else _cell(value) for value, is_missing in pairs]
    return codes, texts


def _cell(value: Any) -> str:
    """Return the text of a cell that is not empty, without line breaks."""
    text = str(guarded(value))
    return '"' + text.replace('"', '""') + '"' if "," in text or '"' in text else text

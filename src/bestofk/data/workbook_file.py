"""Sheets of workbooks, read like the CSV file that a spreadsheet would save."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bestofk.checks import check_known, optional_package, wrong_source
from bestofk.data.csv_file import cell_text, read_written
from bestofk.data.file_options import FileOptions
from bestofk.data.number_forms import is_number
from bestofk.data.table import Table
from bestofk.data.text_file import MOST_UNPACKED, too_large, zipped_size
from bestofk.errors import InvalidArgumentError

Rows = list[list[str]]


def read_workbook(path: Path, name: str, options: FileOptions) -> Table:
    """Read a sheet of a workbook of Excel or LibreOffice.

    The value of a merged cell applies to all its cells; titles merged over several columns are put
    before the titles below them.

    Parameters
    ----------
    path : Path
        The file: .xlsx, .xlsm, .xlsb, .xls or .ods.
    name : str
        What to call the table.
    options : FileOptions
        Options that replace guesses: the sheet, and those for text files except separator and
        encoding. Default sheet: the first visible one with a value.

    Raises
    ------
    InvalidArgumentError
        If python-calamine is missing, the file is damaged, locked by a password or unpacks to too
        much, there is no such sheet, or it holds no table.
    """
    if problem := wrong_source(path, "data"):
        raise InvalidArgumentError(problem)
    what = "python-calamine must be installed to read workbooks; got none"
    calamine = optional_package("python_calamine", what, extra="excel")
    if zipped_size(path) > MOST_UNPACKED:
        raise too_large(path, "Save the sheet as CSV")
    try:
        with calamine.load_workbook(path) as book:
            return _read_sheet(path, name, options, book)
    except (calamine.CalamineError, OSError) as error:
        raise InvalidArgumentError(
            f"{path} must be a workbook; got: {error}. Save the sheet as CSV."
        ) from error


def _read_sheet(path: Path, name: str, options: FileOptions, book: Any) -> Table:
    title = options.sheet
    if title is not None:
        check_known(title, "sheet", book.sheet_names, rule=f"one of {path.name}")
    shown = [
        sheet.name for sheet in book.sheets_metadata if str(sheet.visible).endswith(".Visible")
    ]
    sheets = map(book.get_sheet_by_name, [title] if title else shown)
    sheet = next((known for known in sheets if known.height), None)
    if sheet is None:
        raise InvalidArgumentError(f"{path} must have a sheet with values; got none.")
    others = [other for other in book.sheet_names if other != sheet.name]
    more = f"; others: {', '.join(map(repr, others))} (--sheet)" if others else ""
    rows = [list(map(cell_text, row)) for row in sheet.to_python(skip_empty_area=False)]
    rows = _without_merged_cells(rows, sheet.merged_cell_ranges or [])
    options = replace(options, separator=",")
    return read_written(path, name, rows, options, f"sheet {sheet.name!r}{more}")


def _without_merged_cells(rows: Rows, merged: Sequence[Any]) -> Rows:
    """Return rows with the value of merged cells in all of them, and titles in one row."""
    n_columns = len(rows[0])
    first = next(k for k, row in enumerate(rows) if sum(map(bool, row)) > 1 or n_columns == 1)
    is_grouped = False
    for (top, left), (bottom, right) in merged:
        if right > left and top != first:
            continue  # a remark above, below or within the table
        is_grouped |= right > left
        for row in rows[top : bottom + 1]:
            row[left : right + 1] = [rows[top][left]] * (right + 1 - left)
    titles, below = rows[first], rows[first + 1 : first + 2]
    if not is_grouped or not below or any(map(is_number, below[0])):
        return rows
    pairs = zip(titles, below[0], strict=True)
    joined = [" ".join(dict.fromkeys(filter(None, pair))) for pair in pairs]
    return [*rows[:first], joined, *rows[first + 2 :]]

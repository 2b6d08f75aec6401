"""Tables in files and frames, read as far as no format needs to be known."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bestofk.data.arff_file import read_arff
from bestofk.data.csv_file import FillsRow
from bestofk.data.number_forms import FileForms
from bestofk.data.parquet_file import read_parquet
from bestofk.data.spreadsheet_cells import read_guarded_csv
from bestofk.errors import InvalidArgumentError
from bestofk.score_tables.score_column_names import LABELS, known_spelling
from bestofk.score_tables.score_formats.score_format import Columns, SourceTable

_FOLDER: Final = Path(__file__).with_name("examples")
# Tables that are there by name.
EXAMPLES: Final = tuple(sorted(file.stem for file in _FOLDER.glob("*.csv")))
_TYPED = {".arff": read_arff, ".parquet": read_parquet}


def open_table(table: Any, *, fills_row: FillsRow) -> SourceTable:
    """Return a file, folder or frame as a table whose format is to be found.

    Parameters
    ----------
    table : str, Path, or DataFrame of pandas or polars
        A path is a CSV, ARFF or Parquet file, gzipped or not, or a name of `EXAMPLES`.
    fills_row : callable
        As for `read_csv`.

    Returns
    -------
    SourceTable

    Raises
    ------
    InvalidArgumentError
        If the table cannot be read or has no rows.
    """
    if not isinstance(table, str | os.PathLike):
        return SourceTable("scores", _checked(_frame_columns(table)))
    path = Path(table)
    if str(path) in EXAMPLES and not path.exists():
        path = _FOLDER / f"{path}.csv"
    ending = Path(path.name.casefold().removesuffix(".gz")).suffix
    if ending in _TYPED:
        typed = _TYPED[ending](path, path.stem)
        columns = {name: _plain_values(column.to_list()) for name, column in typed.columns.items()}
        return SourceTable(path.stem, _checked(columns), typed.notes, path)
    read = read_guarded_csv(path, path.stem, fills_row=fills_row)
    columns = _without_commas(_checked(read.columns), read.separator)
    return SourceTable(path.stem, columns, read.notes, path)


def _frame_columns(table: Any) -> Columns:
    import narwhals as nw

    try:
        frame = nw.from_native(table, eager_only=True)
    except TypeError as error:
        raise InvalidArgumentError(
            "table must be a path or a DataFrame of pandas or polars; got "
            f"{type(table).__name__}. Put the scores into a DataFrame."
        ) from error
    columns = {str(name): _plain_values(frame[name].to_list()) for name in frame.columns}
    index = nw.maybe_get_index(frame)
    if index is None or not len(index) or not all(isinstance(name, str) for name in index):
        return columns
    title = str(index.name or "index")
    return columns if title in columns else {title: list(index)} | columns


def _plain_values(values: Sequence[Any]) -> list[Any]:
    """Return values with None for those that are missing: only they differ from themselves."""
    return [value if value == value else None for value in values]


def _checked(columns: Mapping[str, Any]) -> Columns:
    """Return columns with known names as `ROLES` spells them; refuse an empty table."""
    named: Columns = {}
    for name, values in columns.items():
        role = known_spelling(name)
        is_taken = role in named or (role != name and role in columns)
        named[name.strip() if is_taken else role] = list(values)
    if not named or not next(iter(named.values())):
        raise InvalidArgumentError("table must hold at least one row of scores; got none.")
    return named


def _without_commas(columns: Columns, separator: str) -> Columns:
    """Write numbers with commas plainly where they have one reading; leave others as they are."""
    counts = {
        name: Counter(value for value in values if isinstance(value, str))
        for name, values in columns.items()
        if name not in LABELS
    }
    plain = dict(columns)
    if not any("," in text for texts in counts.values() for text in texts):
        return plain
    forms = FileForms(counts, separator=separator)
    for name, texts in counts.items():
        if not any("," in text for text in texts) or len(forms.numbers_of(name)) < len(texts):
            continue
        try:
            written = forms.of(name)
        except InvalidArgumentError:  # refused where such a number is asked for
            continue
        if written is not None and not written.form.unit:
            read = {text: str(written.form.read(text)) for text in texts}
            plain[name] = [read.get(value, value) for value in columns[name]]
    return plain

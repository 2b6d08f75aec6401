"""Readers of columns: convert new rows to features as the rows of a data set were converted."""

from __future__ import annotations

import datetime
import numbers
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from bestofk.checks import nearest_name
from bestofk.data import text_values
from bestofk.data.columns import as_texts, days_since_1970, is_category
from bestofk.data.containers import checked_table
from bestofk.data.dates import COMPACT_DATES, date_forms, day_of, read_date
from bestofk.data.file_options import FileOptions
from bestofk.data.levels import order_in_role
from bestofk.data.number_forms import FileForms, NumberForm, shown
from bestofk.data.roles import plain_role
from bestofk.data.table_columns import TEXT, cell_number, free_texts
from bestofk.data.written_columns import NumberColumn, TextColumn
from bestofk.errors import InvalidArgumentError


@dataclass(frozen=True)
class ColumnReader:
    """Reader of the values of one column.

    Parameters
    ----------
    name : str
        Name of the column.
    role : {"numeric", "nominal", "ordinal", "boolean", "date", "text"}
        The role of the column.
    is_written : bool, default=False
        Whether it was read from text, in which marks such as "?" mean a missing value.
    form : NumberForm
        How numbers are written.
    date_form : str, default=""
        Format of the dates, as in `bestofk.data.dates`; empty where it varies.
    missing : frozenset of str
        Texts that were taken for missing values.
    levels : tuple of str
        Categories in their order; empty for numbers, truth values, and a column of category type.
    has_any_case : bool, default=False
        Whether the texts are words such as yes and no, in any case.
    """

    name: str
    role: str
    is_written: bool = False
    form: NumberForm = field(default_factory=NumberForm)
    date_form: str = ""
    missing: frozenset[str] = frozenset()
    levels: tuple[str, ...] = ()
    has_any_case: bool = False

    @classmethod
    def of(
        cls,
        name: str,
        values: Any,
        role: str,
        built: pd.Series,
        forms: FileForms | None = None,
        marks: Collection[str] = (),
    ) -> ColumnReader:
        """Return the reader for a column that was built.

        Parameters
        ----------
        name, values, role, forms
            As handed to `build_column`.
        built : pandas Series
            The column that `build_column` returned.
        marks : collection of str
            Texts that were taken for missing values.

        Returns
        -------
        ColumnReader
        """
        is_written = isinstance(values, TextColumn | NumberColumn)
        reader = cls(name, plain_role(role), is_written, missing=frozenset(marks) - {""})
        if is_category(built):
            is_declared = not is_written and is_category(values) and order_in_role(role) is None
            levels = () if is_declared else built.cat.categories
            is_pair = isinstance(values, TextColumn) and text_values.are_booleans(values.texts)
            return replace(reader, levels=tuple(levels), has_any_case=is_pair and role == "boolean")
        if isinstance(values, NumberColumn) and role == "date":
            return replace(reader, date_form=COMPACT_DATES)
        if not isinstance(values, TextColumn) or role == TEXT:
            return reader
        if plain_role(role) == "date":
            form = role.removeprefix("date").removeprefix(":")
            form = form or next(iter(date_forms(values.texts)), "")
            reader = replace(reader, date_form=form)
        elif written := (forms or FileForms({name: values.counts})).of(name):
            reader = replace(reader, form=written.form)
        unread = (text for text in values.texts if reader._number_of(text) is None)
        return replace(reader, missing=reader.missing.union(unread))

    def read(self, values: pd.Series) -> pd.Series:
        """Return new values of the column as learners receive them.

        Parameters
        ----------
        values : pandas Series
            Texts as written, or values that already have the type of the column.

        Returns
        -------
        pandas Series
            With a new index. A category that is new becomes a further level.

        Raises
        ------
        InvalidArgumentError
            If a text cannot be read as a number or a date.
        """
        values = values.reset_index(drop=True)
        if self.levels or self.role in ("nominal", "ordinal"):
            return self._categories(values)
        if self.role == TEXT:
            return free_texts(map(self._text_of, as_texts(values).to_list()))
        if self.role == "date" and pd.api.types.is_datetime64_any_dtype(values.dtype):
            return days_since_1970(values)
        if pd.api.types.is_numeric_dtype(values.dtype) and self.date_form != COMPACT_DATES:
            read = values.to_numpy(dtype=np.float64, na_value=np.nan)
            return pd.Series(np.where(np.isin(read, self._marked_numbers()), np.nan, read))
        known: dict[Any, float] = {}
        for value in values.unique().tolist():
            known[value] = np.nan if pd.isna(value) else self._value_of(value)
        return pd.Series([known.get(value, np.nan) for value in values.tolist()], dtype=np.float64)

    def _value_of(self, value: Any) -> float:
        if isinstance(value, numbers.Number) and self.date_form != COMPACT_DATES:
            number = float(value)  # type: ignore[arg-type]
            return np.nan if number in self._marked_numbers() else number
        if self.role == "date" and isinstance(value, datetime.date):
            return day_of(value)
        if isinstance(value, datetime.timedelta | datetime.time):
            return cell_number(value)
        text = str(value).strip()
        if self._is_mark(text) or text_values.missing_words_among([text]):
            return float("nan")
        read = self._number_of(text)
        if read is None:
            dates = f"dates ({self.date_form})" if self.date_form else "dates"
            what = {"date": dates, "boolean": "true and false"}.get(self.role, self.form)
            raise InvalidArgumentError(
                f"column {self.name!r} must hold {what}, as it did before; got {shown(text)}. "
                "Correct it, or make it missing."
            )
        return read

    def _text_of(self, text: str | None) -> str:
        return "" if text is None or self._is_mark(text.strip()) else text.strip()

    def _marked_numbers(self) -> list[float]:
        """Return the numbers, such as -99, that mean a missing value."""
        numbers = map(self.form.read, self.missing)
        return [number for number in numbers if number is not None]

    def _number_of(self, text: str) -> float | None:
        if self.role == "boolean":
            return text_values.TRUTH.get(text.casefold())
        if self.role != "date":
            return self.form.read(text)
        return read_date(text, self.date_form)

    def _is_mark(self, text: str) -> bool:
        if text in self.missing or text in self.levels or not self.is_written:
            return text in self.missing
        is_text = self.role == TEXT or (self.levels and not self.has_any_case)
        is_missing = text_values.is_certainly_missing if is_text else text_values.is_missing
        return is_missing(text)

    def _categories(self, values: pd.Series) -> pd.Series:
        if not self.levels:
            return values.astype("category")
        texts: list[str | None] = as_texts(values).to_list()
        if self.is_written:
            stripped = [text if text is None else text.strip() for text in texts]
            texts = [None if text is None or self._is_mark(text) else text for text in stripped]
        if self.has_any_case:
            # in a column of ticks an empty cell is a value
            blank = text_values.BLANK if text_values.BLANK in self.levels else None
            known = {level.casefold(): level for level in self.levels}
            texts = [blank if text is None else known.get(text.casefold(), text) for text in texts]
        new = sorted({text for text in texts if text is not None} - set(self.levels))
        categories = [*self.levels, *new]
        return pd.Series(pd.Categorical(texts, categories, ordered=self.role == "ordinal"))


@dataclass(frozen=True)
class TableReader:
    """Reader of the rows of a source: its columns, and how to read each.

    Parameters
    ----------
    columns : tuple of ColumnReader
        Readers of the features, in their order.
    options : FileOptions, optional
        Format of a text file of such rows, where it is not guessed.
    dates : mapping of str to {"date", "calendar"}, optional
        Columns of days from which built-in learners use parts such as the month.

    Examples
    --------
    >>> import pandas as pd
    >>> reader = TableReader((ColumnReader("size", "numeric", form=NumberForm(",")),))
    >>> reader.read(pd.DataFrame({"id": [7, 8], "size": ["1,5", "2"]}))["size"].tolist()
    [1.5, 2.0]
    """

    columns: tuple[ColumnReader, ...]
    options: FileOptions = field(default_factory=FileOptions)
    dates: Mapping[str, str] = field(default_factory=dict)

    def read(self, frame: Any, source: str = "X") -> pd.DataFrame:
        """Return new rows as learners receive them.

        Parameters
        ----------
        frame : DataFrame of pandas, polars, ...
            Rows with at least the columns of the features, in any order.
        source : str, default="X"
            What a message calls it.

        Returns
        -------
        pandas DataFrame
            The features alone.

        Raises
        ------
        InvalidArgumentError
            If `frame` is not a frame, a column is missing, or a value cannot be read.
        """
        names = [column.name for column in self.columns]
        rows = selected_columns(frame, names, source)
        if not isinstance(rows, pd.DataFrame):
            rows = nw.from_native(rows, eager_only=True).to_pandas()
        rows.columns = pd.Index(names)
        return pd.DataFrame(
            {column.name: column.read(rows[column.name]) for column in self.columns}
        )


def selected_columns(frame: Any, names: Collection[Any], source: str = "X") -> Any:
    """Return some columns of a frame in the order of their names, or raise.

    Parameters
    ----------
    frame : DataFrame of pandas, polars, ...
        A frame; it may have other columns as well.
    names : collection of column names
        Names to select; other types of names are also found by their text.
    source : str, default="X"
        What a message calls the frame.

    Returns
    -------
    DataFrame
        Of the same library.

    Raises
    ------
    InvalidArgumentError
        If `frame` is not a frame, or a column is missing.
    """
    rows = checked_table(frame)
    if isinstance(rows, np.ndarray):
        raise InvalidArgumentError(
            f"X must be a data frame with the columns {', '.join(map(str, names))}; got "
            f"{type(frame).__name__}. Name its columns."
        )
    table = nw.from_native(rows, eager_only=True)
    own = {str(name): name for name in table.columns}
    missing = [name for name in names if str(name) not in own]
    if missing:
        more = f" and {len(missing) - 1} more are" if len(missing) > 1 else " is"
        raise InvalidArgumentError(
            f"{source} must have the columns that the learner was trained on; {missing[0]!r}{more} "
            f"missing. {nearest_name(str(missing[0]), list(own))}"
        )
    return table.select([nw.col(own[str(name)]) for name in names]).to_native()

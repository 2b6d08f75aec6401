"""Options for the format of a text file, each replacing a guess."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypedDict

from bestofk.checks import is_whole
from bestofk.data import text_values
from bestofk.data.number_forms import check_marks
from bestofk.errors import InvalidArgumentError
from bestofk.options import declared_options, option

SEPARATORS: Final = {"\t": "tab", ";": "semicolon", "|": "bar", ",": "comma", " ": "blanks"}
_SEPARATOR_NAMES = {**{name: mark for mark, name in SEPARATORS.items()}, r"\t": "\t", "blank": " "}


@dataclass(frozen=True, kw_only=True)
class FileOptions:
    r"""Options for the format of a text file; each one given replaces a guess.

    Parameters
    ----------
    separator : str, optional
        Separator of fields: one character, or a name: tab, semicolon, bar, comma or blanks.
    header : bool, optional
        Whether the first line names the columns.
    encoding : str, optional
        Python's name of the encoding: utf-8, utf-16, utf-32, cp1252, cp1251, shift_jis ...
    missing : str, sequence of str, or mapping of str to (str or sequence of str), optional
        Texts that stand for a missing value, in all columns, or by column; they replace the
        usual marks. An empty field is missing in any case.
    decimal : {".", ","}, optional
        Decimal mark of all columns that can be read with it; columns that still have two readings
        are refused.
    thousands : {",", ".", "'", " "}, optional
        Separator of groups of three digits; a comma or a point also settles `decimal`.
    date_format : mapping of str to str, optional
        Date format by column, such as ``{"day": "%d/%m/%Y"}``.
    skip_rows : int, default=0
        Lines above the table that do not count.
    skip_footer : int, optional
        Lines below the table that do not count; 0 keeps all of them.
    sheet : str, optional
        Sheet of a workbook.
    table, query : str, optional
        Table of a database, or what to select from it.

    Raises
    ------
    InvalidArgumentError
        If an option breaks its rule.
    """

    separator: str | None = option(
        None, "Separator of fields: a character, tab or blanks.",
        rule="a text", example=";",
    )  # fmt: skip
    header: bool | None = option(
        None, "Whether the first line names the columns.", rule="true or false", example=True
    )
    encoding: str | None = option(
        None, "Encoding of a text file: utf-8, cp1252, cp1251, shift_jis ...",
        rule="a text", example="cp1251",
    )  # fmt: skip
    missing: Any = option(
        None, "Texts that mean a missing value, such as NA,?; for one column: COLUMN=NA.",
        rule="a text, a list of texts or a table of them", example=["NA", "?"],
    )  # fmt: skip
    decimal: str | None = option(
        None, "Decimal mark of a text file: point or comma (. or ,).", rule="a text", example=","
    )
    thousands: str | None = option(
        None, "Separator of thousands in a text file: , . ' or a blank.",
        rule="any text", example=".",
    )  # fmt: skip
    date_format: Any = option(
        None, "Date format of a column, such as day=%d/%m/%Y.",
        rule="a table of texts by column", example={"day": "%d/%m/%Y"},
    )  # fmt: skip
    skip_rows: int = option(
        0, "Lines above the table that do not count.", rule="a whole number", example=2
    )
    skip_footer: int | None = option(
        None, "Lines below the table that do not count; 0 keeps all.",
        rule="a whole number", example=1,
    )  # fmt: skip

    sheet: str | None = option(None, "Sheet of a workbook.", rule="a text", example="May")
    table: str | None = option(None, "Table of a database.", rule="a text", example="visits")
    query: str | None = option(None, "Query of a database.", rule="a text", example="select 1")

    def __post_init__(self) -> None:
        check_marks(self.decimal, self.thousands)
        for name in ("skip_rows", "skip_footer"):
            value = getattr(self, name)
            if value is not None and (not is_whole(value) or value < 0):
                raise InvalidArgumentError(
                    f"{name} must be a whole number of lines; got {value!r}. 0 skips none."
                )
        if self.header not in (None, True, False):
            raise InvalidArgumentError(f"header must be True or False; got {self.header!r}.")
        if self.encoding is not None:
            _check_encoding(self.encoding)
        if self.separator is not None and self.mark is None:
            raise InvalidArgumentError(
                "separator must be one character, or tab, semicolon, bar, comma or blanks; got "
                f"{self.separator!r}."
            )
        _ = self.marks
        for column, form in (self.date_format or {}).items():
            if not isinstance(form, str) or "%" not in form:
                raise InvalidArgumentError(
                    f"date format of column {column!r} must be written as %d/%m/%Y; got {form!r}. "
                    "%d is the day, %m the month, %Y the year, %H:%M the time."
                )

    @property
    def mark(self) -> str | None:
        """The character that separates fields; None if not given."""
        mark = _SEPARATOR_NAMES.get(self.separator or "", self.separator)
        return mark if isinstance(mark, str) and len(mark) == 1 and mark not in '"\r\n' else None

    @property
    def marks(self) -> Mapping[str | None, frozenset[str]]:
        """Texts that mean a missing value, by column; under None those of all other columns."""
        given = self.missing
        if given is None:
            return {}
        by_column = given if isinstance(given, Mapping) else {None: given}
        return {column: _marks(marks) for column, marks in by_column.items()}

    def marks_of(self, column: str) -> frozenset[str] | None:
        """Return the texts that mean a missing value in a column; None for the usual ones."""
        marks = self.marks
        return marks.get(column, marks.get(None))

    def is_missing(self, column: str, *, is_text: bool = False) -> Callable[[str], bool]:
        """Return a function that tells whether a text of a column means a missing value.

        Parameters
        ----------
        column : str
            Its name.
        is_text : bool, default=False
            Whether the column holds texts; fewer of them then mean a missing value.
        """
        given = self.marks_of(column)
        if given is not None:
            return given.__contains__
        return text_values.is_certainly_missing if is_text else text_values.is_missing


class FileArguments(TypedDict, total=False):
    """Options for the format of a text file."""

    separator: str | None
    header: bool | None
    encoding: str | None
    missing: str | Sequence[str] | Mapping[str, str | Sequence[str]] | None
    decimal: str | None
    thousands: str | None
    date_format: Mapping[str, str] | None
    skip_rows: int
    skip_footer: int | None
    sheet: str | None
    table: str | None
    query: str | None


FILE_OPTIONS: Final = declared_options(FileOptions)


def _marks(given: Any) -> frozenset[str]:
    texts = [given] if isinstance(given, str) else list(given)
    if not all(isinstance(text, str) for text in texts):
        raise InvalidArgumentError(
            f"missing must be texts; got {texts!r}. Write missing=['NA', '-99']."
        )
    return frozenset((*(text.strip() for text in texts), ""))


def _check_encoding(encoding: str) -> None:
    try:
        "".encode(encoding)
    except (LookupError, TypeError, ValueError) as error:
        raise InvalidArgumentError(
            f"encoding must be one that Python knows; got {encoding!r}. Usual ones are utf-8, "
            "utf-16, cp1252, cp1251 and shift_jis."
        ) from error

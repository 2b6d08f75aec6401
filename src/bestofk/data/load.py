"""Data sets from files, or by name."""

from __future__ import annotations

import functools
import re
import shlex
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

import pandas as pd

from bestofk.checks import nearest_name
from bestofk.data.assemble import assemble
from bestofk.data.built_in import BUILT_IN, read_built_in
from bestofk.data.column_reader import TableReader
from bestofk.data.data_set import DataSet
from bestofk.data.file_options import FILE_OPTIONS, FileArguments, FileOptions
from bestofk.data.generators import GENERATORS
from bestofk.data.open_ml import read_openml
from bestofk.data.table import Table
from bestofk.data.text_file import zipped_member, zipped_size
from bestofk.data.written_columns import plain_values
from bestofk.errors import BestofkWarning, InvalidArgumentError
from bestofk.options import with_options
from bestofk.registry import Registry

_WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
_DATABASES = (".db", ".sqlite", ".sqlite3")
# By the ending of a file; files with other endings are read as separated values.
READERS: Registry[Callable[..., Table]] = Registry(
    "reader of files",
    {
        ".arff": "bestofk.data.arff_file.read_arff",
        ".parquet": "bestofk.data.parquet_file.read_parquet",
        ".feather": "bestofk.data.parquet_file.read_feather",
        ".jsonl": "bestofk.data.record_files.read_json_lines",
        ".ndjson": "bestofk.data.record_files.read_json_lines",
    }
    | dict.fromkeys(_DATABASES, "bestofk.data.record_files.read_sqlite")
    | dict.fromkeys(_WORKBOOKS, "bestofk.data.workbook_file.read_workbook"),
)
_DEFAULTS = {name: item.parameter.default for name, item in FILE_OPTIONS.items()}
# Options for the layout of a text file; other formats define it themselves.
_LAYOUT = ("header", "skip_rows", "skip_footer")
_PLACES = ("sheet", "table", "query")  # of the rows in a file that may hold others
_OF_FILES = ("separator", "encoding", *_LAYOUT, *_PLACES)
_TAKEN: dict[str, tuple[str, ...]] = {
    ".arff": ("encoding",),
    **dict.fromkeys(_WORKBOOKS, (*_LAYOUT, "sheet")),
    **dict.fromkeys(_DATABASES, ("table", "query")),
}
_KNOWN = "|".join(ending.removeprefix(".") for ending in READERS)
_ENDINGS = re.compile(rf"(\.(csv|tsv|txt|data|{_KNOWN}))?(\.(gz|bz2|xz|zip))?$", re.IGNORECASE)


@with_options(FileArguments, FILE_OPTIONS)
def load_data(
    source: str | Path,
    *,
    target: str | None = None,
    task: str = "auto",
    roles: Mapping[str, str] | None = None,
    drop: Sequence[str] = (),
    groups: str | None = None,
    weights: str | None = None,
    time: str | None = None,
    new_groups: bool = False,
    drop_missing_target: bool = False,
    name: str | None = None,
    pos_label: object = None,
    **options: Unpack[FileArguments],
) -> DataSet:
    """Load a data set from a file, or a built-in or generated one by name.

    Parameters
    ----------
    source : str or Path
        A file: .csv, .tsv, .txt, .data, .arff, .jsonl, .parquet, .feather, each also packed
        (.gz, .bz2, .xz, .zip); .xlsx, .xls, .ods; .db, .sqlite (files of other endings are read
        as CSV if they are text); a name of `data_set_names`;
        ``twonorm:300:1`` (generator, rows, random state); ``openml:61`` (OpenML number).
    target : str or None
        Column to predict. Default: the target that the source declares; else the column called
        class, target, y, label or outcome, in this order and any case; else the last.
    task : {"auto", "classification", "regression"}, default="auto"
        What is to be predicted; "auto" infers it from the target.
    roles : mapping of str to str or None
        Roles that replace guessed ones, by column: numeric, nominal, boolean, date, calendar,
        number, text, drop, or ordinal with the levels from the lowest:
        "ordinal:small,medium,large". Without levels, ordinal uses the order of numbers, or the one
        that the file declares.
    drop : sequence of str
        Columns to leave out.
    groups : str or None
        Column of groups: rows with the same value are never split between training and test.
    weights : str or None
        Column of weights for fitting, finite and 0 or more. Default: the weights of the rows of an
        ARFF file, or none.
    time : str or None
        Column of dates, times of day or numbers for plans in order of time; known in every row.
        Dates stay an input unless they are in `drop`; numbers do not. The column of groups is an
        input, too, unless groups are new.
    new_groups : bool, default=False
        With a time and groups: whether to test on new groups only.
    drop_missing_target : bool, default=False
        Whether rows without a target are left out and counted, instead of refused.
    name : str or None
        Name of the data set; default: the file name without its endings.
    pos_label : label or None
        The positive class of two, or its text. `bestofk.compare` checks it; if None,
        `bestofk.measures.resolve_pos_label` chooses.
    **options
        Format of a text file, replacing guesses: see `FileOptions`.

    Returns
    -------
    DataSet
        Features are a pandas frame (ndarray for generators); `notes` lists every guess, `warnings`
        every reason for distrust. The rules are in `bestofk.data.roles` and, for numbers,
        `bestofk.data.number_forms`.

    Raises
    ------
    InvalidArgumentError
        If the source is neither a readable table nor a known name, a column is unknown or has two
        parts, target values are missing or do not suit the task, or numbers have two readings.

    Examples
    --------
    >>> data = load_data("play-tennis")
    >>> data.name, data.n_samples, dict(data.roles)["windy"]
    ('play-tennis', 14, 'nominal')
    >>> load_data("twonorm:100:7").n_samples
    100
    """
    if not isinstance(source, str | Path):
        raise InvalidArgumentError(
            f"source must be a path or a name; got {type(source).__name__}. "
            "Use from_arrays for data in memory."
        )
    text = str(source)
    kind, _, rest = text.partition(":")
    if kind in GENERATORS and not isinstance(source, Path):
        given = (target, roles, drop, groups, weights, time)
        has_options = any(given) or options != _DEFAULTS
        data = _generate(kind, rest, name=name, task=task, has_options=has_options)
        return data.with_pos_label(pos_label)
    as_text = {column for column, role in (roles or {}).items() if role != "numeric"}
    as_text |= {groups} if isinstance(groups, str) else set()
    written = FileOptions(**options)
    table = _read(source, name, written, as_text)
    data = assemble(
        table,
        target=target,
        task=task,
        roles=roles or {},
        drop=drop,
        groups=groups,
        weights=weights,
        time=time,
        new_groups=new_groups,
        options=written,
        drop_missing_target=drop_missing_target,
    )
    return data.with_pos_label(pos_label)


def load_rows(source: str | Path, reader: TableReader) -> pd.DataFrame:
    """Load new rows from a file as learners receive them.

    Parameters
    ----------
    source : str or Path
        As for `load_data`. Options of the first file apply, a sheet, table or query of it only
        if this file can have one.
    reader : TableReader
        Reader of the data set that learners were trained on.

    Returns
    -------
    pandas DataFrame
        The features alone.

    Raises
    ------
    InvalidArgumentError
        If the file cannot be read, a column is missing, or a value cannot be read.

    Warns
    -----
    BestofkWarning
        For every kind of lines that are left out.

    Examples
    --------
    >>> data = load_data("play-tennis")
    >>> load_rows("play-tennis", data.reader).equals(data.features)
    True
    """
    as_text = {column.name for column in reader.columns if column.role != "numeric"}
    elsewhere = set(_PLACES).difference(_TAKEN.get(_ending(Path(source)), ()))
    options = replace(reader.options, **{place: _DEFAULTS[place] for place in elsewhere})
    table = _read(source, None, options, as_text)
    for sentence in table.warnings:
        warnings.warn(sentence, BestofkWarning, stacklevel=2)
    columns = {name: plain_values(values) for name, values in table.columns.items()}
    return reader.read(pd.DataFrame(columns), str(source))


def data_set_names() -> list[tuple[str, str]]:
    """Return the names that `load_data` knows without a file, each with a description.

    Examples
    --------
    >>> [name for name, _ in data_set_names()][:3]
    ['play-tennis', 'iris', 'wine']
    """
    sets = [(name, entry.description) for name, entry in BUILT_IN.items()]
    generators = [
        (name, f"Breiman's generator, 300 rows; {name}:1000:7 draws 1000 rows with random state 7")
        for name in GENERATORS
    ]
    return sets + generators


def is_known_name(text: str) -> bool:
    """Return whether `load_data` reads a text as a name, not as a file.

    Examples
    --------
    >>> [is_known_name(text) for text in ("iris", "twonorm:100:7", "openml:61", "iris.csv")]
    [True, True, True, False]
    """
    kind = text.partition(":")[0]
    return text in BUILT_IN or kind in GENERATORS or kind.casefold() == "openml"


def _read(
    source: str | Path, name: str | None, options: FileOptions, as_text: Collection[str]
) -> Table:
    text = str(source)
    is_settled = options.decimal is not None or options.thousands is not None
    texts = None if is_settled else as_text
    if not isinstance(source, Path) and is_known_name(text):
        _refuse(options, _OF_FILES, "a data set that is known by its name")
        if text in BUILT_IN:
            return read_built_in(text, name or text)
        return read_openml(text[len("openml:") :], name)
    if re.match(r"(https?|ftp)://", text):
        raise InvalidArgumentError(
            f"data must be a file on this machine; got the address {text}. Download it first: "
            f"curl -LO {shlex.quote(text)}"
        )
    path = Path(source)
    if not (path.exists() or path.suffix or {"/", "\\"} & set(text)):
        known = [known_name for known_name, _ in data_set_names()]
        raise InvalidArgumentError(
            f"data must be a file or the name of a data set; got {text!r}. "
            f"{nearest_name(text, known)}"
        )
    return _reader(path, options, texts)(path, name or name_of_file(path))


def name_of_file(path: Path) -> str:
    """Return the default name of a data set: the file name without its endings."""
    return _ENDINGS.sub("", path.name) or path.name


def _ending(path: Path) -> str:
    """Return the ending that says how a file is read, without that of its packing."""
    packing = path.suffix.casefold()
    name = path.stem if packing in (".gz", ".bz2", ".xz") else path.name
    if packing == ".zip" and zipped_size(path):
        name = zipped_member(path)
    return Path(name.casefold()).suffix


def _reader(
    path: Path, options: FileOptions, texts: Collection[str] | None
) -> Callable[[Path, str], Table]:
    ending = _ending(path)
    if ending in READERS:
        taken = _TAKEN.get(ending, ())
        _refuse(options, [n for n in _OF_FILES if n not in taken], f"a file of type {ending}")
        if ending == ".arff":
            return functools.partial(READERS[ending], encoding=options.encoding)
        return functools.partial(READERS[ending], **{"options": options} if taken else {})
    from bestofk.data.csv_file import read_csv

    _refuse(options, _PLACES, "a text file")
    return functools.partial(read_csv, options=options, texts=texts)


def _refuse(options: FileOptions, names: Sequence[str], what: str) -> None:
    """Raise if an option is given that would have no effect."""
    for name in names:
        value = getattr(options, name)
        if value != _DEFAULTS[name]:
            raise InvalidArgumentError(f"{name} must be left out for {what}; got {value!r}.")


def _generate(kind: str, rest: str, *, name: str | None, task: str, has_options: bool) -> DataSet:
    if has_options:
        raise InvalidArgumentError(
            "target, roles, drop, groups, weights, time and file options must be left out for the "
            f"generator {kind!r}; got at least one of them. It has numeric inputs and a class."
        )
    if task == "regression":
        raise InvalidArgumentError(
            f"task must be classification for the generator {kind!r}; got {task!r}."
        )
    if not re.fullmatch(r"(\d{1,18}(:\d{1,18})?)?", rest):
        raise InvalidArgumentError(
            f"a generator must be written NAME:ROWS:RANDOM_STATE; got {kind}:{rest}. "
            f"Write {kind}:300:1."
        )
    data = GENERATORS[kind](*map(int, filter(None, rest.split(":"))))
    return replace(data, name=name) if name else data

"""Parts and roles of the columns of a table, with a note on every guess."""

from __future__ import annotations

import shlex
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from bestofk.array_types import Bools, Values
from bestofk.checks import nearest_name
from bestofk.data import text_values
from bestofk.data.arrays import (
    from_arrays,
    left_out_sentence,
    refuse_missing,
    refuse_missing_target,
)
from bestofk.data.checks import missing_cells, with_guess
from bestofk.data.column_reader import ColumnReader, TableReader
from bestofk.data.columns import (
    as_texts,
    build_column,
    choose_column_role,
    is_category,
)
from bestofk.data.data_set import REGRESSION, DataSet
from bestofk.data.date_parts import parts_read
from bestofk.data.file_options import FileOptions
from bestofk.data.levels import order_in_role
from bestofk.data.missing_marks import MissingMarks
from bestofk.data.notes import condensed, listed
from bestofk.data.number_forms import FileForms
from bestofk.data.roles import (
    READ_AS_DATES,
    ROLES,
    RoleChoice,
    are_too_long,
    group_hint,
    numbered_hint,
    plain_role,
    reading_role,
    with_an_input,
)
from bestofk.data.summaries import ColumnSummary, target_candidates
from bestofk.data.suspicions import dates_in_order
from bestofk.data.table import Table
from bestofk.data.table_columns import CALENDAR, DATE, DATES, NUMERIC
from bestofk.data.time_column import TimeColumn
from bestofk.data.written_columns import NumberColumn, TextColumn
from bestofk.errors import InvalidArgumentError

_SHOWN_LEVELS = 8
_LARGE = 50_000  # rows
TARGET_NAMES = ("class", "target", "y", "label", "outcome")


def assemble(
    table: Table,
    *,
    target: str | None,
    task: str,
    roles: Mapping[str, str],
    drop: Sequence[str],
    groups: str | None,
    weights: str | None,
    time: str | None,
    new_groups: bool,
    options: FileOptions,
    drop_missing_target: bool = False,
) -> DataSet:
    """Make a data set from a table: choose parts and roles, build columns, note each choice.

    Parameters are those of `bestofk.data.load_data`.
    """
    named = {"groups": groups, "weights": weights, "target": target, "time": time}
    named = {part: _spelled(table, column) for part, column in named.items()}
    groups, weights, target, time = named.values()
    drop = drop if isinstance(drop, str) else [_spelled(table, name) for name in drop]
    is_left_out = not isinstance(drop, str) and time in drop  # then the time is not an input
    drop = [name for name in drop if name != time] if is_left_out else drop
    roles = {_spelled(table, name): role for name, role in roles.items()}
    for column, form in (options.date_format or {}).items():
        role = _date_role(column, roles, time)
        roles[column] = f"{role if role in READ_AS_DATES else DATE}:{form}"
    parts = _choose_parts(table, named, roles, drop)
    if time and groups and not new_groups:  # known from earlier rows
        del parts[groups]
        roles = {groups: "nominal"} | roles
    target_column = next(column for column, part in parts.items() if part == "target")
    for column in options.marks:
        if column is not None:
            _check_column(table, "missing", column)
    marks = MissingMarks.of(table, parts, roles, options)
    is_guess = not target and target_column != table.target
    why = "as asked for" if target else why_target(target_column, table.target)
    try:
        marks.ask(target_column)
        table, left_out = _with_target(
            marks.table, target_column, marks.missing_words(target_column), drop=drop_missing_target
        )
    except InvalidArgumentError as error:
        columns = _summaries(table, dict.fromkeys(table.columns, "numeric") | parts)
        guess = _target_guess(target_column, why, columns) if is_guess else ""
        raise InvalidArgumentError(with_guess(guess, str(error))) from error
    table = _with_target_as_texts(table, target_column)
    written = (TextColumn, NumberColumn)
    counts = {c: v.counts for c, v in table.columns.items() if isinstance(v, written)}
    forms = FileForms(
        counts,
        separator=table.separator,
        decimal=options.decimal,
        thousands=options.thousands,
    )
    choices = _role_choices(table, parts, roles, forms)
    if time and choices[time].role == "drop" and choices[time].otherwise:
        choices[time] = RoleChoice(choices[time].otherwise, "")
    kept = {column: choice.role for column, choice in choices.items() if choice.role != "drop"}
    features, lost = _build_features(table, kept, forms)
    when = TimeColumn.of(time, features[time], plain_role(kept[time])) if time in kept else None
    if when is not None and (is_left_out or not when.is_date):
        del features[when.name], kept[when.name], choices[when.name]
        parts[when.name] = "time"
    choices |= _as_built(features, kept, choices, roles, time)
    readers = (
        ColumnReader.of(
            column,
            table.columns[column],
            role,
            features[column],
            forms,
            marks.taken.get(column, ()),
        )
        for column, role in kept.items()
    )
    values, how = _target_values(table, target_column, roles.get(target_column), task, forms)
    data = from_arrays(
        features,
        values,
        name=table.name,
        task=task,
        groups=_labels(table, groups) if groups else None,
        sample_weight=_numbers(table, weights, forms) if weights else table.weights,
        time=when,
        new_groups=new_groups,
    )
    all_roles = {c: parts[c] if c in parts else choices[c].role for c in table.columns}
    data = replace(data, roles={c: plain_role(role) for c, role in all_roles.items()})
    reasons = {column: _with_name(choice.reason, column) for column, choice in choices.items()}
    columns = _summaries(table, data.roles, reasons)
    dates = {column: role for column, role in data.roles.items() if role in DATES}
    return replace(
        data,
        columns=columns,
        target_guess=_target_guess(target_column, why, columns) if is_guess else "",
        reader=TableReader(tuple(readers), options, dates),
        notes=condensed(
            (
                *table.notes,
                *marks.notes(),
                *left_out,
                f"Target: {target_column!r} ({why}), read as {how}.",
                *data.notes,
                *_sentences(choices, warnings=False),
            )
        ),
        warnings=condensed(
            (
                *table.warnings,
                *(sentence for column, sentence in lost.items() if column in roles),
                *data.warnings,
                *dates_in_order(data),
                *(() if groups else _group_hints(table, choices)),
                *_alike(data),
                *_sentences(choices, warnings=True),
            )
        ),
    )


def _role_choices(
    table: Table, parts: Mapping[str, str], roles: Mapping[str, str], forms: FileForms
) -> dict[str, RoleChoice]:
    """Return the role of each input column, as asked for or chosen."""
    choices = {
        column: RoleChoice(reading_role(role), f"{plain_role(role)}, as asked for")
        if (role := roles.get(column))
        else choose_column_role(column, values, forms)
        for column, values in table.columns.items()
        if column not in parts
    }
    return with_an_input(choices)


def _date_role(column: str, roles: Mapping[str, str], time: str | None) -> str:
    """Return the role of dates: as asked for; by default calendar for the time of rows."""
    return plain_role(roles.get(column, CALENDAR if column == time else DATE))


def _as_built(
    features: Any,
    kept: Mapping[str, str],
    choices: Mapping[str, RoleChoice],
    roles: Mapping[str, str],
    time: str | None,
) -> dict[str, RoleChoice]:
    """Return the choices with the reasons that are known only after building: orders and dates."""
    built = {}
    for column, role in kept.items():
        choice = choices[column]
        if column in roles and plain_role(roles[column]) == "ordinal":
            built[column] = replace(choice, reason=_order_taken(features[column]))
        elif plain_role(role) == DATE:
            own = _date_role(column, roles, time)
            reason = f"{choice.reason}; {parts_read(features[column].to_numpy(), own)}"
            own = own if own in DATES else NUMERIC
            built[column] = replace(choice, role=own, reason=reason)
    return built


def _with_target(table: Table, target: str, marks: str, *, drop: bool) -> tuple[Table, list[str]]:
    """Leave out rows without a target, or refuse them; `marks` says what was read as missing."""
    missing = _are_missing(table.columns[target])
    n_missing = int(missing.sum())
    if not n_missing:
        return table, []
    if n_missing == len(missing):
        raise InvalidArgumentError(
            f"column {target!r} must hold values to be the target; got none"
            f"{f' ({marks})' if marks else ''}. Choose another target (--target)."
        )
    if not drop:
        refuse_missing_target(n_missing, f"column {target!r}", marks)
    rows = np.flatnonzero(~missing)
    columns = {
        column: values.take(rows)
        if isinstance(values, TextColumn | NumberColumn)
        else values.iloc[rows].reset_index(drop=True)
        for column, values in table.columns.items()
    }
    row_weights = None if table.weights is None else table.weights[rows]
    return replace(table, columns=columns, weights=row_weights), [left_out_sentence(n_missing)]


def _with_target_as_texts(table: Table, target: str) -> Table:
    """Return the table with labels of the target as texts, whatever their declared type."""
    values = table.columns[target]
    if isinstance(values, TextColumn | NumberColumn) or _are_typed_numbers(values):
        return table
    return replace(table, columns={**table.columns, target: as_texts(values)})


def _are_typed_numbers(values: Any) -> bool:
    return not is_category(values) and values.dtype.kind in "biuf"


def _are_missing(values: Any) -> Bools:
    if isinstance(values, TextColumn | NumberColumn):
        return values.missing
    return missing_cells(values)


def _choose_parts(
    table: Table, named: Mapping[str, str | None], roles: Mapping[str, str], drop: Sequence[str]
) -> dict[str, str]:
    """Return the part of every column that is not an input: target, groups, weights, drop."""
    if isinstance(drop, str):
        raise InvalidArgumentError(f"drop must be a list of columns; got the text {drop!r}.")
    asked = [(column, "drop") for column in drop]
    asked += [(column, part) for part, column in named.items() if column is not None]
    parts: dict[str, str] = {}
    for column, part in asked:
        _check_column(table, part, column)
        if parts.setdefault(column, part) != part:
            raise InvalidArgumentError(
                f"column {column!r} must play one part; got {parts[column]} and {part}."
            )
    _check_roles(table, roles, parts)
    if named["target"] is None:
        parts[_default_target(table, {*parts, *(c for c in roles if roles[c] == "drop")})] = (
            "target"
        )
    if named["time"] is not None:
        del parts[named["time"]]  # a date stays an input
    for column, part in parts.items():
        if order_in_role(roles.get(column, "")) is not None:
            raise InvalidArgumentError(
                f"an order of levels must belong to an input; got column {column!r}, which is "
                f"{part}. Leave out the order or the other part."
            )
    return parts


def _spelled(table: Table, name: Any) -> Any:
    """Return a column's name as the table spells it: Unicode forms of a letter count as equal."""
    if not isinstance(name, str) or name in table.columns:
        return name
    composed = unicodedata.normalize("NFC", name)
    return composed if composed in table.columns else name


def _check_column(table: Table, argument: str, column: str) -> None:
    if isinstance(column, str) and column in table.repeated:
        names = table.repeated[column]
        raise InvalidArgumentError(
            f"{argument} must be one column of {table.name}; got {column!r}, the name of "
            f"{len(names)}. They are called {listed(names)} here."
        )
    if not isinstance(column, str) or column not in table.columns:
        given = repr(column) if isinstance(column, str) else type(column).__name__
        raise InvalidArgumentError(
            f"{argument} must be a column of {table.name}; got {given}. "
            f"{nearest_name(str(column), table.columns)}"
        )


def _check_roles(table: Table, roles: Mapping[str, str], parts: Mapping[str, str]) -> None:
    for column, role in roles.items():
        _check_column(table, "roles", column)
        if not isinstance(role, str) or plain_role(role) not in ROLES:
            raise InvalidArgumentError(
                f"role of column {column!r} must be one of {', '.join(ROLES)}; got {role!r}. "
                "An order of levels is written ordinal:low,middle,high."
            )
        if role == "drop" and parts.get(column) == "target":
            raise InvalidArgumentError(
                f"column {column!r} must play one part; got target and drop."
            )


def _default_target(table: Table, taken: Collection[str]) -> str:
    free = {name: values for name, values in table.columns.items() if name not in taken}
    if table.target in free:
        return str(table.target)
    for title, names in table.repeated.items():
        if title.casefold() in TARGET_NAMES and set(names) & set(free):
            _check_column(table, "target", title)
    return guessed_target(free, table.name)


def guessed_target(columns: Mapping[str, Any], source: str) -> str:
    """Return the column with a usual name of targets, else the last one that holds a value."""
    if not columns:
        raise InvalidArgumentError(
            f"{source} must have a column left for the target; got another part for every column."
        )
    backwards = list(columns)[::-1]
    by_name = {column.casefold(): column for column in backwards}
    named = next((by_name[name] for name in TARGET_NAMES if name in by_name), None)
    filled = (column for column in backwards if not _are_missing(columns[column]).all())
    return named or next(filled, backwards[0])


def _summaries(
    table: Table, roles: Mapping[str, str], reasons: Mapping[str, str] | None = None
) -> tuple[ColumnSummary, ...]:
    return tuple(
        ColumnSummary.of(column, values, roles[column], (reasons or {}).get(column, ""))
        for column, values in table.columns.items()
    )


def _target_guess(target: str, why: str, columns: tuple[ColumnSummary, ...]) -> str:
    other = shlex.quote(next(iter(target_candidates(columns)), "COLUMN"))
    return guess_sentence(target, why, f"--target {other}")


def guess_sentence(target: str, why: str, other: str) -> str:
    """Return the sentence on which target was guessed, and how to choose another."""
    taken = f"the last column {target!r}" if why == "the last column" else f"{target!r}, {why},"
    return f"No target given: {taken} was taken. To predict another: {other}"


def why_target(column: str, declared: str | None = None) -> str:
    """Return the reason why a column was guessed to be the target."""
    if column == declared:
        return "as the source declares"
    return "by its name" if column.casefold() in TARGET_NAMES else "the last column"


def _build_features(
    table: Table, roles: Mapping[str, str], forms: FileForms
) -> tuple[Any, dict[str, str]]:

    columns, lost = {}, {}
    for column, role in roles.items():
        columns[column], sentence = build_column(column, table.columns[column], role, forms)
        if sentence:
            lost[column] = sentence
    n_samples = len(next(iter(table.columns.values())))
    # rows are selected faster from one block of columns; for a large table the copy costs too much
    is_copied = n_samples < _LARGE
    return pd.DataFrame(columns, index=pd.RangeIndex(n_samples), copy=is_copied), lost


def _order_taken(values: Any) -> str:
    """Return the sentence on the order of levels, and on levels that do not occur."""
    levels = list(values.cat.categories)
    present = set(values)
    unused = [level for level in levels if level not in present]
    shown = levels if len(levels) <= _SHOWN_LEVELS else [*levels[:2], "...", levels[-1]]
    reason = f"ordinal, as asked for: {' < '.join(map(str, shown))}"
    return f"{reason} ({listed(unused)} without rows)" if unused else reason


def _target_values(
    table: Table, column: str, role: str | None, task: str, forms: FileForms
) -> tuple[Values, str]:
    """Return the target as int64 or float64 numbers, or labels as text, and how it was read."""
    values = table.columns[column]
    if isinstance(values, NumberColumn):
        return values.values, "whole numbers" if values.is_whole else "numbers"
    if not isinstance(values, TextColumn):
        if role in (None, "numeric"):
            return np.array(values.tolist()), f"{values.dtype}, its type in the source"
        return _as_array(as_texts(values)), "labels"
    is_code = role is None and text_values.is_zero_padded(values.texts)
    if (is_code or role in ("nominal", "ordinal", "boolean")) and task != REGRESSION:
        return _as_array(values), "labels"
    if text_values.are_whole(values.texts):
        return _as_array(values, np.int64), "whole numbers"
    if role is None and task != REGRESSION and are_too_long(values.texts):
        return _as_array(values), "labels, whole numbers too long to be exact as floats"
    if len(forms.numbers_of(column)) == len(values.texts) and (written := forms.of(column)):
        samples = written.form.samples(values.texts)
        how = f"{written.form}{f': {samples}' if samples else ''}"
        if written.why:
            how += f", because {written.why}"
        numbers = [written.form.read(text) for text in values.texts]
        return values.spread(numbers, np.nan, np.float64), how
    return _as_array(values), "labels"


def _as_array(column: TextColumn, dtype: Any = np.str_) -> Values:
    """Return a column without missing values as numbers, if it was read as such, else as texts."""
    return np.array(column.texts, dtype=dtype)[column.codes]


def _labels(table: Table, column: str) -> Values:
    """Return a column without missing values as labels: whole numbers, or the texts as written."""
    values = table.columns[column]
    refuse_missing(int(_are_missing(values).sum()), f"column {column!r}")
    if not isinstance(values, TextColumn):
        if _are_typed_numbers(values):
            return np.array(values.tolist())
        values = as_texts(values)
    is_number = text_values.are_whole(values.texts)
    is_number = is_number and not text_values.is_zero_padded(values.texts)
    return _as_array(values, np.int64 if is_number else np.str_)


def _numbers(table: Table, column: str, forms: FileForms) -> Values:
    """Return a column without missing values as numbers, or as texts where one is no number."""
    values = table.columns[column]
    refuse_missing(int(_are_missing(values).sum()), f"column {column!r}")
    if isinstance(values, NumberColumn):
        return values.values.astype(np.float64)
    if not isinstance(values, TextColumn):
        return np.array(values.tolist())
    written = forms.of(column)
    if written is None or len(forms.numbers_of(column)) < len(values.texts):
        return _as_array(values)
    numbers = [written.form.read(text) for text in values.texts]
    return values.spread(numbers, np.nan, np.float64)


def _group_hints(table: Table, choices: Mapping[str, RoleChoice]) -> list[str]:
    """Return warnings about dropped columns that may name groups of rows."""
    hints = []
    for column, choice in choices.items():
        if choice.role != "drop":  # the hints for inputs come with the frame
            continue
        values = table.columns[column]
        if isinstance(values, TextColumn | NumberColumn):
            n_distinct, n_present = values.n_distinct, len(values) - values.n_missing
        else:
            n_distinct, n_present = int(values.nunique()), int(values.notna().sum())
        hint = group_hint(column, n_distinct, n_present, is_input=False)
        if not hint and isinstance(values, TextColumn) and not values.n_missing:
            hint = numbered_hint(column, values.texts)
        hints += [hint] if hint else []
    return hints


def _alike(data: DataSet) -> list[str]:
    """Warn about classes that may be spellings of the same class."""
    if not data.is_classification:
        return []
    spellings: dict[str, list[str]] = {}
    for label in map(str, data.classes):
        spellings.setdefault(" ".join(label.casefold().split()), []).append(repr(label))
    alike = [" and ".join(labels) for labels in spellings.values() if len(labels) > 1]
    if not alike:
        return []
    return [
        f"Classes {', '.join(alike)} differ only in case or blanks; they count as different "
        "classes."
    ]


def _with_name(reason: str, column: str) -> str:
    """Return a reason in which the suggested option names the column."""
    return reason.replace("--role COL=", f"--role {shlex.quote(column)}=")


def _sentences(choices: Mapping[str, RoleChoice], *, warnings: bool) -> list[str]:
    """Return one sentence per reason, with the names of all its columns."""
    columns: dict[str, list[str]] = {}
    for column, choice in choices.items():
        if choice.reason and choice.is_warning == warnings:
            columns.setdefault(choice.reason, []).append(column)
    return [
        f"Column{'s' if len(names) > 1 else ''} {listed(names)}: {_with_name(reason, names[0])}."
        for reason, names in columns.items()
    ]

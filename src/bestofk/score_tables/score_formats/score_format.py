"""Records of a table before and after its format is known, and of a format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from bestofk.checks import check_known
from bestofk.errors import InvalidArgumentError
from bestofk.score_tables.score_column_names import (
    ROLES,
    hold_numbers,
    known_spelling,
    with_known_names,
)
from bestofk.words import grouped

Columns = dict[str, list[Any]]


@dataclass(frozen=True, eq=False)
class SourceTable:
    """A table as it was found, before its format is known.

    Parameters
    ----------
    title : str
        The file, else "scores".
    columns : dict of str to list
        Text or numbers by name, None where missing; those that the caller named are under
        their roles.  Empty for a folder.
    notes : tuple of str, default=()
        What was guessed while reading the file.
    path : Path or None, default=None
        The file or folder; None for a frame.
    roles : mapping of str to str
        The column of each role that the caller named.
    learners : tuple of str, default=()
        The columns that the caller named as learners.
    """

    title: str
    columns: Columns
    notes: tuple[str, ...] = ()
    path: Path | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    learners: tuple[str, ...] = ()

    def scores(self, columns: Columns, notes: Iterable[str] = (), **facts: Any) -> ScoreTable:
        """Return the scores that were found here, with this title and these notes."""
        return ScoreTable(self.title, columns, (*self.notes, *notes), **facts)

    def with_roles(self, roles: Mapping[str, str]) -> SourceTable:
        """Return the table with columns under the roles that the caller gives them."""
        roles = {
            role: name if name in self.columns else known_spelling(name)
            for role, name in roles.items()
        }
        for role, name in roles.items():
            check_known(role, "role of a column", ROLES)
            what = f"column of the role {role!r}"
            check_known(name, what, self.columns, rule="one of the table")
        named = {role: self.columns[name] for role, name in roles.items()}
        others = {n: v for n, v in self.columns.items() if n not in {*roles, *roles.values()}}
        return replace(self, columns=named | others, roles=dict(roles))

    def with_learners(self, learners: Sequence[str]) -> SourceTable:
        """Return the table with the columns of some learners alone, if learners are its columns.

        Columns with a role stay, and a first one of text, which may name data sets.
        """
        others = {name: v for name, v in self.columns.items() if name not in learners}
        if not learners or len(others) + len(learners) > len(self.columns):
            return self
        named, notes = with_known_names(others)
        if "learner" in named:
            return self
        kept = {name: values for name, values in named.items() if name in ROLES}
        first = next(iter(others), "")
        if first in named and "dataset" not in kept and not hold_numbers(others[first]):
            kept[first] = others[first]
        left_out = [name for name in named if name not in kept]
        if left_out:
            notes.append(f"Left out, as no chosen learner: {', '.join(left_out)}.")
        chosen = {name: self.columns[name] for name in learners}
        return replace(
            self, columns=kept | chosen, notes=(*self.notes, *notes), learners=tuple(learners)
        )


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores in long form: one row per data set, learner, split and measure.

    Parameters
    ----------
    title : str
        The file, else "scores".
    columns : dict of str to list
        ``learner`` and ``value``, and those of `ROLES` that the table has.  A value is a number
        or its text; None where there is none, with the reason in ``message``.
    notes : tuple of str, default=()
        What was guessed or left out while reading.
    cautions : tuple of str, default=()
        What to distrust about the scores.
    source : str, default=""
        The path of the file; empty for a frame.
    rows : sequence of int, default=()
        The row of the source that each row comes from, counted from 1; the same rows if empty.
    usual_measure : str or None, default=None
        What decides if several measures are there and none is named.
    is_in_plan_order : bool, default=False
        Whether repeats count the rows of a table that has neither repeat nor fold.
    has_learner_columns : bool, default=False
        Whether each learner is a column of the source that was not named as one.
    """

    title: str
    columns: Columns
    notes: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    source: str = ""
    rows: Sequence[int] = ()
    usual_measure: str | None = None
    is_in_plan_order: bool = False
    has_learner_columns: bool = False

    @cached_property
    def rows_of(self) -> dict[str, list[int]]:
        """Rows of each data set, in order of appearance; empty without a column dataset."""
        names = self.columns.get("dataset", [])
        return rows_by_label(names, range(len(names)))

    def measures(self, dataset: str | None = None) -> list[str]:
        """Return the measures of a data set, or of all, in order; none without that column."""
        names = self.columns.get("measure", [])
        rows = self.rows_of.get(str(dataset), ()) if dataset is not None else range(len(names))
        return list(dict.fromkeys(str(names[row]) for row in rows)) if names else []

    def row_number(self, row: int) -> int:
        """Return the row of the source, counted from 1, that a row comes from."""
        return self.rows[row] if self.rows else row + 1

    def part(self, rows: Sequence[int]) -> ScoreTable:
        """Return some of the rows."""
        columns = {name: [values[row] for row in rows] for name, values in self.columns.items()}
        numbers = [self.row_number(row) for row in rows]
        return replace(self, columns=columns, rows=numbers)


@dataclass(frozen=True)
class ScoreFormat:
    """A form that tables of scores come in.

    Parameters
    ----------
    recognizes : callable
        Given a `SourceTable`, tells whether it has this form.
    read : callable
        Given a `SourceTable` and the measure that is wanted, or None, returns a `ScoreTable`.
    fills_row : callable or None, default=None
        Given a row that is too short, by names of columns, tells whether the fields that it lacks
        are those at its end, which are missing then.
    opens : callable or None, default=None
        Given a path, tells whether it is a file or folder that this format reads by itself,
        because it is no table.
    """

    recognizes: Callable[[SourceTable], bool]
    read: Callable[[SourceTable, str | None], ScoreTable]
    fills_row: Callable[[Mapping[str, str]], bool] | None = None
    opens: Callable[[Path], bool] | None = None


def rows_by_label(labels: Sequence[Any], rows: Sequence[int]) -> dict[str, list[int]]:
    """Return those of some rows that have each label, in order of appearance.

    Examples
    --------
    >>> rows_by_label(["a", "b", "a"], range(3))
    {'a': [0, 2], 'b': [1]}
    """
    return grouped((str(labels[row]), row) for row in rows)


def check_filled(columns: Mapping[str, Sequence[Any]]) -> None:
    """Refuse columns that lack a value: nothing tells what the row is about."""
    for name, values in columns.items():
        if None in values:
            raise InvalidArgumentError(
                f"column {name} must be filled in every row; got nothing in row "
                f"{values.index(None) + 1}. Complete the file, or delete that row."
            )


def by_column(
    columns: Columns, scored: Sequence[str], role: str = "measure"
) -> tuple[Columns, list[int]]:
    """Write columns of scores as a column value and one of their names.

    Parameters
    ----------
    columns : dict of str to list
        All of a table.
    scored : sequence of str
        Those that hold scores.
    role : {"measure", "learner"}, default="measure"
        What their names are.

    Returns
    -------
    columns : dict of str to list
        One row per row and measure.
    rows : list of int
        The row, counted from 1, that each comes from.

    Examples
    --------
    >>> by_column({"learner": ["a"], "acc": [0.9], "auc": [0.8]}, ["acc", "auc"])
    ({'learner': ['a', 'a'], 'value': [0.9, 0.8], 'measure': ['acc', 'auc']}, [1, 1])
    """
    n_rows, n_copies = len(next(iter(columns.values()))), len(scored)
    long = {name: values * n_copies for name, values in columns.items() if name not in scored}
    long["value"] = [value for name in scored for value in columns[name]]
    long[role] = [name for name in scored for _ in range(n_rows)]
    return long, list(range(1, n_rows + 1)) * n_copies

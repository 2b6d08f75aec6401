"""Published tables: means of learners on data sets, and everything else that was printed."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from bestofk.array_types import Bools, Floats
from bestofk.audits.printed_grid import DECIMAL, Cell, Grid, read_grid
from bestofk.errors import InvalidArgumentError
from bestofk.score_tables.score_column_names import (
    OTHER_NAMES,
    is_no_score,
    plain_name,
    same_name,
)
from bestofk.score_tables.score_formats.read_score_table import read_score_table
from bestofk.score_tables.table_facts import direction_by_name, known_direction
from bestofk.words import listing, times

_PRINTED: Final = (".tex", ".md", ".markdown", ".rst", ".txt", ".csv", ".tsv", "")
# Lines and columns that sum up the others, by what their names begin with or are.
_SUMMARIES: Final = {
    "mean": re.compile(
        r"(overall_|total_)?(mean|avg|average)(_(acc\w*|error\w*|score|auc))?|macro_avg"
    ),
    "rank": re.compile(r"(mean|avg|average|overall|friedman)?_?(rank|ranks|ranking)(_\w+)?"),
    "other": re.compile(
        r"(wins?|significance|significant|p_?values?|std|sd)(_\w+)?|loss(es)?|ties?|draws?|w_[td]_l"
        r"|median|sum|total|best|geometric_mean|geomean|count"
        r"|(params|parameters|flops|time|runtime)(_\w)?"
    ),
}  # fmt: skip
_SIZES: Final = re.compile(
    r"n|rows|n_rows|inst|instances|n_instances|samples|n_samples|examples|size|cases"
)
_KEEP_ONE: Final = (
    "Keep one measure: learners in columns, or a CSV file with the columns dataset, method and the "
    "measure."
)
_MOSTLY: Final = 0.75  # of the rows must agree where bold face tells the direction
_LEARNERS: Final = ("learner", "approach", "technique", *OTHER_NAMES["learner"])
_DATA_SETS: Final = ("dataset", "domain", *OTHER_NAMES["dataset"])
# Words of texts that name a measure, and words beside them.
_OF_MEASURE: Final = re.compile(
    r"acc|accurac\w+|auc|auroc|roc|f1|f1_score|r2|kappa|mcc|recall|precision|sensitivity|specificity"
    r"|correct|errors?|(log)?loss|rmse|mse|mae|mape|brier|cost|deviance|incorrect|misclassif\w+"
)
_BESIDE: Final = re.compile(
    r"mean|avg|average|test|cv|train|val|valid\w*|score|rate|macro|micro|weighted|balanced|roc|pr|log"
    r"|root|squared|absolute|percent|in|of|the|std|standard|deviation"
)
_BETTER: Final = re.compile(
    r"(?:(higher|larger|greater|more)|lower|smaller|less)(?: values?)?[ :=]*(?:is|are|the|mean)? ?"
    r"(?:the )?better|(↑)|↓", re.I,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class PublishedTable:
    """A table of results as it was printed.

    Parameters
    ----------
    title : str
        The file, else "table".
    data_sets, learners : tuple of str
        Names; all different.
    values : ndarray of shape (n_data_sets, n_learners), float
        As printed, in the unit of the measure.
    steps : ndarray of the same shape, float
        The unit of the last printed digit; 0 where a value was not rounded.
    greater_is_better : bool
        The direction of the measure.
    measure : str
        Its name, as far as it is known; else "score".
    spreads : ndarray of the same shape, or None
        Printed standard deviations of the scores behind each value.
    is_bold : ndarray of the same shape, bool
        Values in bold face.
    ranks : ndarray of the same shape, or None
        Printed ranks within data sets.
    summaries : mapping of str to ndarray of shape (2, n_learners)
        Printed "mean" and "rank" over data sets, and the unit of their last digit.
    n_rows : ndarray of shape (n_data_sets,), float, or None
        Rows of each data set.
    notes : tuple of str
        What was guessed or left out while reading.
    """

    title: str
    data_sets: tuple[str, ...]
    learners: tuple[str, ...]
    values: Floats
    steps: Floats
    greater_is_better: bool
    measure: str = "score"
    spreads: Floats | None = None
    is_bold: Bools = field(default_factory=lambda: np.zeros((0, 0), dtype=bool))
    ranks: Floats | None = None
    summaries: Mapping[str, Floats] = field(default_factory=dict)
    n_rows: Floats | None = None
    notes: tuple[str, ...] = ()

    @property
    def losses(self) -> Floats:
        """Values with the sign changed if needed, so that lower is better."""
        return -self.values if self.greater_is_better else self.values


def read_published(
    table: Any,
    *,
    measure: str | None = None,
    greater_is_better: bool | None = None,
    rows: str | None = None,
    learners: Sequence[str] = (),
) -> PublishedTable:
    """Return a table of results as it was printed.

    Parameters
    ----------
    table : str, Path, DataFrame of pandas or polars, or PublishedTable
        LaTeX, Markdown, CSV or text as printed (``0.91 ± 0.02 (3)``, bold face), learners by
        data sets either way round; or runs in any format of `bestofk.compare_scores`, whose
        means and standard deviations are taken.
    measure : str, optional
        Name of the measure; its direction follows from it.
    greater_is_better : bool, optional
        The direction; else that of the measure, of the caption, or of the values in bold face.
    rows : {"data-sets", "learners"}, optional
        What the rows of the table are, if neither the first cell nor summaries say it.
    learners : sequence of str, optional
        Learners to keep; default: all.

    Returns
    -------
    PublishedTable

    Raises
    ------
    InvalidArgumentError
        If the table cannot be read, has fewer than two learners, or leaves open what its rows
        are or which values are better.
    """
    if isinstance(table, PublishedTable):
        return table
    is_path = isinstance(table, str | os.PathLike)
    path = Path(table) if is_path else None
    if path is not None and path.suffix.casefold() in _PRINTED and path.is_file():
        grid = read_grid(path)
        if not _is_long(grid):
            return _of_grid(grid, path.stem, measure, greater_is_better, rows, learners)
        if path.suffix.casefold() not in (".csv", ".tsv"):
            raise InvalidArgumentError(
                "table must have a row per data set and a column per learner, or be a CSV file "
                f"with a row per value; got a row per value in {path.name}. Save it as CSV."
            )
    return _of_runs(table, measure, greater_is_better, learners)


def _is_long(grid: Grid) -> bool:
    """Return whether the rows are runs: a column of learners, and one of their scores."""
    names = {plain_name(cell.text) for cell in grid.rows[0]}
    has_learner = bool(names & {"learner", *OTHER_NAMES["learner"]})
    return has_learner and bool(names & {"dataset", "repeat", "fold", *OTHER_NAMES["dataset"]})


def _of_runs(
    table: Any, measure: str | None, greater_is_better: bool | None, learners: Sequence[str]
) -> PublishedTable:
    read = read_score_table(table, measure=measure, learners=learners)
    columns, n = read.columns, len(read.columns["value"])
    names = tuple(dict.fromkeys(map(str, columns["learner"])))
    data_sets = tuple(read.rows_of) or (read.title,)
    measures = read.measures()
    if len(measures) > 1:
        raise InvalidArgumentError(
            f"measure must be one of the table; got none of {listing(measures)}. Name one by "
            "--measure (measure=...)."
        )
    chosen = measure or next(iter(measures), "score")
    frame = pd.DataFrame({
        "data set": columns.get("dataset", [read.title] * n),
        "learner": columns["learner"],
        "value": pd.to_numeric(pd.Series(columns["value"], dtype=object), errors="coerce"),
    }).astype({"data set": str, "learner": str})  # fmt: skip
    cells = frame.groupby(["data set", "learner"])["value"]
    means, spreads = (
        table.unstack().reindex(index=data_sets, columns=names).to_numpy()
        for table in (cells.mean(), cells.std())
    )
    steps = np.zeros_like(means)
    printed = [value for value in columns["value"] if isinstance(value, str)]
    if len(cells) == len(printed) == n:  # a printed value in each row
        steps[:] = 10.0 ** -max(_n_decimals(value) for value in printed)
    return _whole(
        PublishedTable(
            read.title, data_sets, names, means, steps,
            known_direction(chosen, greater_is_better), chosen,
            None if np.isnan(spreads).all() else spreads,
            np.zeros(means.shape, dtype=bool), notes=read.notes,
        )
    )  # fmt: skip


def _of_grid(
    grid: Grid,
    title: str,
    measure: str | None,
    greater_is_better: bool | None,
    rows: str | None,
    wanted: Sequence[str],
) -> PublishedTable:
    notes = [*grid.notes]
    _check_one_measure([cell.text for cell in grid.rows[0][1:]])
    _check_one_measure([row[0].text for row in grid.rows[1:]])
    cells = _with_data_sets_in_rows(grid.rows, rows, wanted)
    header, body = cells[0], [row for row in cells[1:] if row != cells[0] and _has_values(row)]
    sums = {i: kind for i, row in enumerate(body) if (kind := _summary(row[0].text))}
    kept = [row for i, row in enumerate(body) if i not in sums]
    if not kept:
        raise InvalidArgumentError(
            "table must have rows of data sets; got summaries alone. Add the values they sum up."
        )
    data_sets = [row[0].text for row in kept]
    if "" in data_sets:
        raise InvalidArgumentError(
            f"rows of numbers must have names; got none for number {data_sets.index('') + 1}. "
            "Write one before it, or leave it out."
        )
    _check_different(data_sets, "data sets")
    columns = _learner_columns(header, body, wanted, notes)
    names = [header[column].text for column in columns]
    _check_different(names, "learners")
    parts = [[row[column] for column in columns] for row in kept]
    matches = [[cell.match() for cell in row] for row in parts]
    values = _numbers(matches, "value")
    spreads, brackets = _numbers(matches, "spread"), _numbers(matches, "bracket")
    ranks = None
    if _are_ranks(brackets):
        ranks = brackets
    elif np.isnan(spreads).all() and np.any(brackets % 1 > 0):
        spreads = brackets
    elif not np.isnan(brackets).all():
        notes.append("Numbers in brackets are neither ranks nor spreads and are not used.")
    sizes = [i for i, cell in enumerate(header) if _SIZES.fullmatch(plain_name(cell.text) or "-")]
    n_rows = _numbers([[row[sizes[0]].match()] for row in kept], "value")[:, 0] if sizes else None
    summaries = {}
    for i, kind in sums.items():
        of_row = [[body[i][column].match() for column in columns]]
        if kind != "other" and not np.isnan(found := _numbers(of_row, "value")).any():
            summaries[kind] = np.vstack([found[0], _steps(of_row)[0]])
    is_bold = np.array([[cell.is_bold for cell in row] for row in parts])
    in_all = set.intersection(*({*plain_name(name).split("_")} for name in names))
    texts = [grid.caption, grid.rows[0][0].text, *in_all]
    name, direction = _measure(texts, measure, greater_is_better, values, is_bold, notes)
    return _whole(
        PublishedTable(
            title, tuple(data_sets), tuple(names), values, _steps(matches), direction, name,
            None if np.isnan(spreads).all() else spreads, is_bold, ranks, summaries, n_rows,
            tuple(notes),
        )
    )  # fmt: skip


def _has_values(row: Sequence[Cell]) -> bool:
    return any(cell.is_missing or re.search(r"\d", cell.text) for cell in row[1:])


def _check_one_measure(names: Sequence[str]) -> None:
    """Refuse rows or columns that are measures."""
    for name in names:
        words = [word for word in plain_name(name).split("_") if not _BESIDE.fullmatch(word)]
        if words and not _summary(name) and all(_OF_MEASURE.fullmatch(word) for word in words):
            raise InvalidArgumentError(
                f"table must have learners and data sets as rows and columns; got the measure "
                f"{name!r}. {_KEEP_ONE}"
            )


def _with_data_sets_in_rows(
    cells: list[list[Cell]], rows: str | None, wanted: Sequence[str]
) -> list[list[Cell]]:
    """Return the cells turned so that each row is a data set."""
    transposed = [list(column) for column in zip(*cells, strict=True)]
    if rows is not None:
        if rows not in ("data-sets", "learners"):
            raise InvalidArgumentError(f"rows must be data-sets or learners; got {rows!r}.")
        return cells if rows == "data-sets" else transposed
    first = plain_name(cells[0][0].text).split("_")
    labels = [row[0].text for row in cells[1:]], [cell.text for cell in cells[0][1:]]
    # evidence that rows are data sets, and that columns are
    signs = [
        [
            any(word.startswith(_DATA_SETS if is_row else _LEARNERS) for word in first),
            any(_summary(label) for label in own),
            any(same_name(name, other) for name in wanted),
            any(is_no_score(name) for name in other),
        ]
        for is_row, own, other in ((True, *labels), (False, *labels[::-1]))
    ]
    said = next((both for both in zip(*signs, strict=True) if sum(both) == 1), None)
    if said is not None:
        return cells if said[0] else transposed
    raise InvalidArgumentError(
        f"rows of the table must be known as data sets or learners; got {labels[0][0]!r} and "
        f"{labels[1][0]!r}, which may be either. Say --rows data-sets or --rows learners "
        "(rows=...), or put 'dataset' or 'method' into the first cell."
    )


def _learner_columns(
    header: Sequence[Cell], body: Sequence[Sequence[Cell]], wanted: Sequence[str], notes: list[str]
) -> list[int]:
    """Return the columns of learners; others are left out with a note."""
    numeric = [
        column
        for column in range(1, len(header))
        if sum(row[column].match() is not None for row in body) > len(body) / 2
        or any(DECIMAL.match(row[column].text) for row in body)
    ]
    whole = [c for c in numeric if not any(DECIMAL.match(row[c].text) for row in body)]
    is_count = whole if len(whole) < len(numeric) / 2 and len(body) > 2 else []
    columns = []
    for column in numeric:
        name = header[column].text
        cells = [row[column].text for row in body if not row[column].match()]
        odd = next((text for text in cells if DECIMAL.match(text)), None)
        if odd is not None or not name:
            raise InvalidArgumentError(
                f"columns of numbers must have names and values such as 0.91, 0.91 ± 0.02 or 0.91 "
                f"(3); got {odd or 'no name'!r} in column {column + 1}. Mend it, or leave it out."
            )
        is_other = is_no_score(name) or _summary(name) or column in is_count
        if not (is_other or name.startswith("#")):
            columns.append(column)
    others = [column for column in range(1, len(header)) if column not in columns]
    if wanted:
        names = [header[column].text for column in columns]
        for name in wanted:
            if same_name(name, names) not in names:
                raise InvalidArgumentError(
                    f"learners must be learners of the table, {listing(names)}; got {name!r}. "
                    "Write them as the table does."
                )
        chosen = {same_name(name, names) for name in wanted}
        columns = [column for column in columns if header[column].text in chosen]
    if left_out := [header[column].text for column in others if header[column].text]:
        notes.append(f"Columns that are no learners: {listing(left_out)}.")
    if len(columns) < 2:
        raise InvalidArgumentError(
            f"table must have at least two learners; got {len(columns)}. If rows are learners, "
            "say --rows learners (rows='learners')."
        )
    return columns


def _summary(name: str) -> str:
    """Return the type of a summary line or column: "mean", "rank", "other"; empty for data sets."""
    plain = plain_name(name)
    return next((kind for kind, names in _SUMMARIES.items() if names.fullmatch(plain)), "")


def _numbers(matches: Sequence[Sequence[re.Match[str] | None]], part: str) -> Floats:
    return np.array([[float(text) for text in row] for row in _texts(matches, part)])


def _texts(matches: Sequence[Sequence[re.Match[str] | None]], part: str) -> list[list[str]]:
    """Return numbers with points before decimals, "nan" where there is none."""
    texts = [[(match and match[part]) or "nan" for match in row] for row in matches]
    every = [text for row in texts for text in row]
    divides_thousands = any("." in text or text.count(",") > 1 for text in every) and all(
        re.fullmatch(r"-?[1-9]\d?\d?(,\d{3})+(\.\d+)?", text) for text in every if "," in text
    )
    comma = "" if divides_thousands else "."
    return [[text.replace(",", comma).replace("\u2212", "-") for text in row] for row in texts]


def _steps(matches: Sequence[Sequence[re.Match[str] | None]]) -> Floats:
    """Return the unit of the last digit: the finest of each row, as zeros may not be printed."""
    digits = [max(map(_n_decimals, row)) for row in _texts(matches, "value")]
    return np.repeat(10.0 ** -np.array([digits]).T, len(matches[0]), axis=1)


def _n_decimals(text: str) -> int:
    return len(text.casefold().split("e")[0].partition(".")[2])


def _are_ranks(brackets: Floats) -> bool:
    """Return whether the numbers in brackets are the ranks of each row that has them all."""
    whole = brackets[np.isfinite(brackets).all(axis=1)]
    n = brackets.shape[1]
    are_halves = bool(np.all(whole * 2 % 1 == 0)) and bool(np.all(whole >= 1))
    return len(whole) > 0 and are_halves and bool(np.all(whole.sum(axis=1) == n * (n + 1) / 2))


def _measure(
    texts: Sequence[str],
    measure: str | None,
    said: bool | None,
    values: Floats,
    is_bold: Bools,
    notes: list[str],
) -> tuple[str, bool]:
    """Return the name and the direction of the measure: given, in a text, or by bold face."""
    if measure is not None or said is not None:
        return measure or "score", known_direction(measure or "score", said)
    found = next((found for text in texts if (found := _said_direction(text))), None)
    with_bold = is_bold.any(axis=1) & ~is_bold.all(axis=1)
    marks = [
        bool(with_bold.any()) and np.mean([
            bool(np.all(row[bold] == best(row)))
            for row, bold in zip(values[with_bold], is_bold[with_bold], strict=True)
        ]) >= _MOSTLY
        for best in (np.nanmin, np.nanmax)
    ]  # fmt: skip
    if found is not None and not (sum(marks) == 1 and not marks[found[1]]):
        notes.append(f"Measure: {found[0]!r}, as the text says; --direction says otherwise.")
        return found
    if found is None and sum(marks) == 1:
        side = "higher" if marks[1] else "lower"
        notes.append(f"Taken as {side} is better, as bold face marks the {side} values.")
        return "score", bool(marks[1])
    got = "neither a measure nor bold face" if found is None else f"{found[0]!r}, but bold others"
    raise InvalidArgumentError(
        f"direction of the values must be known; got {got}. Say --direction higher or --direction "
        "lower (greater_is_better=...), or --measure error."
    )


def _said_direction(text: str) -> tuple[str, bool] | None:
    """Return the measure that a text names and whether more is better; None unless it is clear."""
    spreads = r"_|/loss|(standard|std\.?) errors?|error bars?"
    written = re.findall(r"[a-z][a-z0-9]*", re.sub(spreads, " ", text.casefold()))
    words = [word for word in written if _OF_MEASURE.fullmatch(word)]
    ways = {bool(match[1] or match[2]) for match in _BETTER.finditer(text)} or {
        bool(direction_by_name(word)) for word in words
    }
    return (words[0] if words else "score", ways.pop()) if len(ways) == 1 else None


def _check_different(names: Sequence[str], what: str) -> None:
    for name in names:
        if names.count(name) > 1:
            raise InvalidArgumentError(
                f"names of {what} must differ; got {name!r} twice. {_KEEP_ONE}"
            )


def _whole(table: PublishedTable) -> PublishedTable:
    """Leave out data sets that lack a value, and say so."""
    has_all = [bool(np.isfinite(row).all()) for row in table.values]
    if all(has_all):
        return table
    if not any(has_all):
        raise InvalidArgumentError(
            "table must have a value of every learner on a data set at least; got gaps in all "
            f"{len(has_all)} rows. Name learners that have them all by --learners (learners=...)."
        )
    lacking = [
        name for name, is_whole in zip(table.data_sets, has_all, strict=True) if not is_whole
    ]
    note = (
        f"Left out, as values are missing: {times(len(lacking), 'data set')}, {listing(lacking)}."
    )
    return replace(
        table,
        data_sets=tuple(compress(table.data_sets, has_all)),
        values=table.values[has_all],
        steps=table.steps[has_all],
        is_bold=table.is_bold[has_all],
        spreads=None if table.spreads is None else table.spreads[has_all],
        ranks=None if table.ranks is None else table.ranks[has_all],
        n_rows=None if table.n_rows is None else table.n_rows[has_all],
        summaries={},
        notes=(*table.notes, note),
    )

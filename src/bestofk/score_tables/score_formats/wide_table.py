"""Wide tables: one row per split, one column per learner."""

from collections.abc import Mapping
from typing import Any

from bestofk.errors import InvalidArgumentError
from bestofk.score_tables.score_column_names import (
    ROLES,
    plain_name,
    starts_like_a_number,
    with_known_names,
)
from bestofk.score_tables.score_formats.score_format import (
    Columns,
    ScoreFormat,
    ScoreTable,
    SourceTable,
    by_column,
    rows_by_label,
)

_ROUNDS = ("epoch", "epochs", "step", "steps", "global_step", "round", "boosting_round")
_FEWEST_COUNTED = 3  # 0 and 1 alone may be scores


def _read(source: SourceTable, measure: str | None) -> ScoreTable:
    columns, renamed = with_known_names(source.columns)
    rounds = [name for name in columns if plain_name(name) in _ROUNDS]
    if rounds and not source.learners:
        raise InvalidArgumentError(
            f"rows of a score table must be splits or data sets; got the column {rounds[0]!r}, as "
            "in a log of training. Keep one row per split, of the round that is used."
        )
    columns, counting = (columns, []) if source.learners else _without_row_numbers(columns)
    names = [name for name in columns if name not in ROLES]
    if not names:
        raise InvalidArgumentError(
            "table must have a column learner, or one column per learner; got "
            f"{', '.join(columns)}. Name columns by --map learner=COLUMN "
            "(columns={'learner': ...})."
        )
    _check_learners(columns, names)
    n_rows = len(columns[names[0]])
    about = {name: values for name, values in columns.items() if name in ROLES}
    is_ordered = "repeat" not in about and "fold" not in about
    if is_ordered:
        about["repeat"] = _positions(about, n_rows)
    long, rows = by_column(about | {name: columns[name] for name in names}, names, "learner")
    facts = {"is_in_plan_order": is_ordered, "has_learner_columns": not source.learners}
    return source.scores(long, (*renamed, *counting), rows=rows, **facts)


def _check_learners(columns: Mapping[str, list[Any]], names: list[str]) -> None:
    """Refuse columns of text: they are no scores of a learner."""
    for name in names:
        present = [value for value in columns[name] if value is not None]
        if present and not any(map(starts_like_a_number, map(str, present))):
            raise InvalidArgumentError(
                f"column {name!r} must hold scores of a learner; got text such as "
                f"{present[0]!r}. Say what it is by --map ROLE={name} (columns={{ROLE: {name!r}}}),"
                f" the role one of {', '.join(ROLES[:6])}, or choose learners by --learners."
            )


def _positions(about: Mapping[str, list[Any]], n_rows: int) -> list[int]:
    """Return the position of each row among those of its data set and measure."""
    positions = [0] * n_rows
    labels = list(
        zip(*(about.get(name, [""] * n_rows) for name in ("dataset", "measure")), strict=True)
    )
    for rows in rows_by_label(labels, range(n_rows)).values():
        for position, row in enumerate(rows):
            positions[row] = position
    return positions


def _without_row_numbers(columns: Columns) -> tuple[Columns, list[str]]:
    """Leave out columns that count the rows, as saved frames have them: they are no learners."""
    n_rows = len(next(iter(columns.values())))
    counts = [[str(first + row) for row in range(n_rows)] for first in (0, 1)]
    counting = [
        name
        for name, values in columns.items()
        if name not in ROLES and n_rows >= _FEWEST_COUNTED and [*map(str, values)] in counts
    ]
    kept = {name: values for name, values in columns.items() if name not in counting}
    return kept, [
        f"Column {name!r} counts the rows; it is taken as no learner." for name in counting
    ]


FORMAT = ScoreFormat(lambda source: True, _read)

"""Missing scores, and the splits or data sets that are then left out for all learners."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from bestofk.checks import check_known, nearest_name
from bestofk.data.notes import named
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.score_tables.score_formats.score_format import ScoreTable

MISSING: Final = ("refuse", "drop-split", "drop-data")
_SHOWN = 3  # learners, data sets and measures that a sentence names
_Split = tuple[str, str]  # repeat and fold
_Cells = dict[str, dict[_Split, dict[str, int]]]  # row of each data set, split and learner


def with_scores_of_all(
    table: ScoreTable, *, measure: str | None, dataset: str | None, missing: str
) -> ScoreTable:
    """Return the scores of one measure, without splits or data sets that a learner lacks.

    Parameters
    ----------
    table : ScoreTable
        As it was read.
    measure, dataset : str or None
        Which of several; None for all.
    missing : {"refuse", "drop-split", "drop-data"}
        Keep all, so that what is missing is refused; or leave out the split, or the data set,
        where any learner lacks a score, for all learners.  A data set without splits is left
        out.

    Returns
    -------
    ScoreTable
        With a caution on what was left out, and which learners lack it.

    Raises
    ------
    InvalidArgumentError
        If `missing` is none of its values, or no data set has the measure.
    DesignError
        If nothing is left.
    """
    check_known(missing, "missing", MISSING)
    table = rows_of_measure(table, measure)
    if missing == "refuse" or (table.is_in_plan_order and "dataset" not in table.columns):
        return table
    if dataset is not None and dataset in table.rows_of:
        table = table.part(table.rows_of[dataset])
    cells = _cells(table)
    learners = list(dict.fromkeys(map(str, table.columns["learner"])))
    gaps = _gaps(table, cells, learners)
    if not gaps:
        return table
    n_splits = sum(map(len, cells.values()))
    whole = {
        name: [split for split in splits if (name, split) not in gaps]
        for name, splits in cells.items()
    }
    kept = {
        name: splits
        for name, splits in whole.items()
        if splits and (missing == "drop-split" or len(splits) == len(cells[name]))
    }
    lacking = _lacking(gaps.values())
    if not kept:
        raise DesignError(
            f"a {'split' if missing == 'drop-split' else 'data set'} must have scores of every "
            f"learner; got none of {n_splits if missing == 'drop-split' else len(cells)}. Leave "
            f"out learners that lack many: {lacking}."
        )
    table = _with_sizes(table, cells)
    rows = sorted(
        row for name, splits in kept.items() for split in splits
        for row in cells[name][split].values()
    )  # fmt: skip
    left_out = [name for name in cells if name not in kept]
    n_kept = sum(map(len, kept.values()))
    said = (
        f"{n_splits - n_kept} of {n_splits} splits are left out for all learners, since some lack "
        f"a score there: {lacking}."
    )
    if left_out:
        shown = named(left_out, _SHOWN)
        said += f" That leaves out {len(left_out)} of {len(cells)} data sets: {shown}."
    return replace(table.part(rows), cautions=(*table.cautions, said))


def rows_of_measure(table: ScoreTable, measure: str | None) -> ScoreTable:
    """Keep the rows of a measure, all if None; say how many data sets do not have it."""
    names = table.columns.get("measure")
    if measure is None or names is None or set(map(str, names)) == {measure}:
        return table
    rows = [row for row, name in enumerate(names) if str(name) == measure]
    if not rows:
        known = table.measures()
        raise InvalidArgumentError(
            f"measure must be one of the table; got {measure!r}. {nearest_name(measure, known)} "
            f"It has {named(known, 10)}."
        )
    part = table.part(rows)
    left_out = [name for name in table.rows_of if name not in part.rows_of]
    if not left_out:
        return part
    said = f"Left out, without {measure}: {len(left_out)} data sets ({named(left_out, _SHOWN)})."
    return replace(part, notes=(*part.notes, said))


def _cells(table: ScoreTable) -> _Cells:
    columns = table.columns
    n_rows = len(columns["value"])
    keys = zip(
        *(columns.get(n, [0] * n_rows) for n in ("dataset", "repeat", "fold", "learner")),
        strict=True,
    )
    cells: _Cells = {}
    for row, (name, repeat, fold, learner) in enumerate(keys):
        splits = cells.setdefault(str(name), {})
        at = splits.setdefault((str(repeat), str(fold)), {})
        if at.setdefault(str(learner), row) != row:
            raise InvalidArgumentError(
                f"each score must be there once; got learner {learner!r} on {name}, repeat "
                f"{repeat}, fold {fold} in rows {table.row_number(at[str(learner)])} and "
                f"{table.row_number(row)}. Keep one of them."
            )
    return cells


def _gaps(
    table: ScoreTable, cells: _Cells, learners: list[str]
) -> dict[tuple[str, _Split], list[tuple[str, str]]]:
    """Return the learners that lack a score, and why, for each split that is not complete."""
    values = table.columns["value"]
    reasons = table.columns.get("message", [None] * len(values))
    gaps: dict[tuple[str, _Split], list[tuple[str, str]]] = {}
    for name, splits in cells.items():
        for split, at in splits.items():
            for learner in learners:
                row = at.get(learner)
                if row is None or values[row] is None:
                    reason = "" if row is None or reasons[row] is None else str(reasons[row])
                    gaps.setdefault((name, split), []).append((learner, reason))
    return gaps


def _lacking(gaps: Iterable[list[tuple[str, str]]]) -> str:
    """Return how many scores each learner lacks, with the most frequent reason of the worst."""
    lacks = [(learner, reason) for gap in gaps for learner, reason in gap]
    texts: list[str] = []
    for learner, count in Counter(learner for learner, _ in lacks).most_common():
        reasons = Counter(why for name, why in lacks if name == learner and why)
        why = (
            f", such as {reasons.most_common(1)[0][0]!r}" if reasons and len(texts) < _SHOWN else ""
        )
        texts.append(f"{learner} lacks {count}{why}")
    more = f"; {len(texts) - 2 * _SHOWN} more learners" if len(texts) > 2 * _SHOWN else ""
    return "; ".join(texts[: 2 * _SHOWN]) + more


def _with_sizes(table: ScoreTable, cells: Mapping[str, Mapping[_Split, Any]]) -> ScoreTable:
    """Give each row the ratio of sizes that its folds have before any is left out."""
    columns = table.columns
    if "fold" not in columns or "n_train" in columns:
        return table
    n_folds = {name: len({fold for _, fold in splits}) for name, splits in cells.items()}
    if min(n_folds.values()) < 2:
        return table
    names = columns.get("dataset", [0] * len(columns["value"]))
    sizes = {
        "n_train": [n_folds[str(name)] - 1 for name in names],
        "n_test": [1] * len(names),
    }
    return replace(table, columns=columns | sizes)

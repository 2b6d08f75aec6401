"""Columns of a score table that are no learners: left out, or asked about."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from bestofk.array_types import Floats
from bestofk.data.score_column_names import is_no_score, number_or_nan, plain_name
from bestofk.data.score_formats.read_score_table import read_score_table
from bestofk.data.score_formats.score_format import ScoreTable, rows_by_label
from bestofk.errors import InvalidArgumentError
from bestofk.measures import Measure
from bestofk.score_tables.table_measure import known_measure

_Scores = Mapping[str, Floats]  # of each column; nan where there is no number
_APART: Final = 50  # times: scores of one measure are nearer to each other
_FEWEST_WHOLE: Final = 3  # values; fewer may be whole by chance
_EXTREMES: Final = (0, 1, 100)  # a learner may have them on every split
_FEWEST_ROUNDS: Final = 20  # of a log
_TOTALS: Final = (
    "mean", "average", "avg", "median", "total", "sum", "std", "average_rank", "mean_rank",
    "avg_rank", "rank",
)  # fmt: skip
_MEASURE: Final = re.compile(
    r"((train|training|val|valid|validation|valid_\d|test|eval|mean|avg|cv)_)?(m?error|err|loss|"
    r"m?log_?loss|accuracy|acc|auc|roc_auc|pr_auc|aucpr|f1|f1_score|precision|recall|kappa|r2|"
    r"r_squared|rmse|mse|mae|mape|balanced_accuracy|adjusted_r_squared|sensitivity|specificity)"
)


def read_learners(
    table: Any, measure: str | None, columns: Mapping[str, str] | None, learners: Sequence[str]
) -> ScoreTable:
    """Return the scores of learners from a table, without columns that are none.

    Parameters
    ----------
    table : str, Path, DataFrame or ScoreTable
        As for `bestofk.compare_scores`.
    measure, columns, learners
        As for `bestofk.compare_scores`.

    Returns
    -------
    ScoreTable
        With a caution on each column that lies outside the range of the measure.

    Raises
    ------
    InvalidArgumentError
        If the table cannot be read, or it does not tell which columns are learners.
    """
    read = _without_totals(
        read_score_table(table, columns=columns, measure=measure, learners=learners)
    )
    if not read.has_learner_columns:
        return read
    scores = _scores(read)
    _refuse_measures(list(scores))
    if "dataset" not in read.columns and all(map(_is_log, scores.values())):
        raise InvalidArgumentError(
            "rows of a score table must be splits or data sets; got rows that hardly differ from "
            "the one before, as in a log of training. Keep one row per split."
        )
    names = [measure] if measure else read.measures()
    known = known_measure(names[0]) if len(names) == 1 else None
    outside = _outside(scores, known)
    kept = {name: values for name, values in scores.items() if name not in outside}
    if odd := _odd(kept):
        _ask(kept, odd)
    if known is not None and outside:
        said = [
            f"Column {name!r} is left out as no learner: its values reach {_span(scores, [name])}, "
            f"{known.name} from {known.minimum:g} to {known.maximum:g}. --learners chooses columns."
            for name in outside
        ]
        rows = [row for row, name in enumerate(read.columns["learner"]) if str(name) in kept]
        read = replace(read.part(rows), cautions=(*read.cautions, *said))
    return replace(read, has_learner_columns=False)


def _scores(table: ScoreTable) -> dict[str, Floats]:
    owners = table.columns["learner"]
    values = np.array([number_or_nan(value) for value in table.columns["value"]])
    return {name: values[rows] for name, rows in rows_by_label(owners, range(len(owners))).items()}


def _without_totals(table: ScoreTable) -> ScoreTable:
    """Leave out rows that sum up the data sets: they are none."""
    totals = [name for name in table.rows_of if plain_name(name) in _TOTALS]
    if not totals or len(table.rows_of) - len(totals) < 2:
        return table
    rows = [row for name, at in table.rows_of.items() if name not in totals for row in at]
    said = f"{', '.join(map(repr, totals))} is left out as no data set: it sums up the others."
    return replace(table.part(sorted(rows)), cautions=(*table.cautions, said))


def _is_log(values: Floats) -> bool:
    """Return whether the ranks of successive values are near: those of splits are not."""
    if len(values) < _FEWEST_ROUNDS or np.isnan(values).any():
        return False
    ranks = np.unique(values, return_inverse=True)[1]
    return bool((np.diff(ranks) ** 2).sum() < ranks.var() * len(ranks) / 10)


def _refuse_measures(names: Sequence[str]) -> None:
    """Refuse columns that are measures, as in a table with a row per learner."""
    wrong = [name for name in names if _MEASURE.fullmatch(plain_name(name)) or known_measure(name)]
    if wrong:
        raise InvalidArgumentError(
            "columns must be learners where no column names them; got measures "
            f"({', '.join(wrong[:3])}). Name the column of learners by --map learner=COLUMN "
            "(columns={'learner': ...}); a log of training has none."
        )
    words = [[w for w in plain_name(name).split("_") if _MEASURE.fullmatch(w)] for name in names]
    measures = [own[-1] for own in words if own]
    if len(measures) == len(names) and len(set(measures)) > 1:
        chosen = [n for n, own in zip(names, measures, strict=True) if own == measures[0]]
        raise InvalidArgumentError(
            "columns of learners must hold one measure; got "
            f"{', '.join(dict.fromkeys(measures))}. Choose those of one: --learners "
            f"{shlex.quote(','.join(chosen))} (learners={chosen!r})."
        )


def _outside(scores: _Scores, measure: Measure | None) -> list[str]:
    """Return the columns beyond the range of a measure, also as percent, if others are within."""
    if measure is None:
        return []
    low, high = 100 * measure.minimum, 100 * measure.maximum
    outside = [name for name, values in scores.items() if ((values < low) | (values > high)).any()]
    return outside if len(scores) - len(outside) > 1 else []


def _odd(scores: _Scores) -> list[str]:
    """Return the columns that do not look like scores of the measure of the others."""
    counts = [name for name in scores if is_no_score(name)]
    rest = {name: values for name, values in scores.items() if name not in counts}
    whole = [name for name, values in rest.items() if _is_whole(values)]
    if whole and len(rest) - len(whole) > 1:
        extreme = [name for name in rest if np.isin(rest[name], _EXTREMES).all()]
        counts += [name for name in whole if name not in extreme]
    rest = {name: values for name, values in scores.items() if name not in counts}
    return counts + _apart(rest)


def _is_whole(values: Floats) -> bool:
    present = values[~np.isnan(values)]
    return len(present) >= _FEWEST_WHOLE and bool((present % 1 == 0).all())


def _apart(scores: _Scores) -> list[str]:
    """Return the columns that are orders of magnitude away from the others, in every row."""
    sizes = {name: np.abs(values) for name, values in scores.items()}
    if len({len(values) for values in sizes.values()}) > 1:
        return []
    sizes = {name: values for name, values in sizes.items() if not np.isnan(values).all()}
    names = sorted(sizes, key=lambda name: float(np.nanmedian(sizes[name])))
    for n_small in range(1, len(names)):
        small, large = (np.array([sizes[n] for n in p]) for p in (names[:n_small], names[n_small:]))
        most, least = np.fmax.reduce(small), np.fmin.reduce(large)
        if (small > 0).all() and (most * _APART <= least).all() and (least > 1).any():
            return names[n_small:] if 2 * n_small >= len(names) else names[:n_small]
    return []


def _ask(scores: _Scores, odd: Sequence[str]) -> None:
    """Refuse a table with columns that may be no learners, with the option that chooses them."""
    others = [name for name in scores if name not in odd]
    chosen = others if len(others) > 1 else list(scores)
    listed = ",".join(chosen)
    raise InvalidArgumentError(
        "columns of learners must hold scores of one measure; got "
        f"{', '.join(f'{name!r} ({_span(scores, [name])})' for name in odd)} next to values "
        f"{_span(scores, others)}. Add --learners {shlex.quote(listed)} (learners={chosen!r}); "
        "add others that are learners to it."
    )


def _span(scores: _Scores, names: Sequence[str]) -> str:
    values = np.concatenate([scores[name] for name in names] or [np.array([np.nan])])
    if np.isnan(values).all():
        return "without numbers"
    return f"from {np.nanmin(values):g} to {np.nanmax(values):g}"

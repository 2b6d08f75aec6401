"""Columns of a score table that are no learners: left out, or asked about."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bestofk.data.score_column_names import is_no_score, plain_name
from bestofk.data.score_formats.missing_scores import check_missing, with_scores_of_all
from bestofk.data.score_formats.read_score_table import read_score_table
from bestofk.data.score_formats.score_format import ScoreTable, rows_by_label
from bestofk.errors import InvalidArgumentError
from bestofk.measures import Measure
from bestofk.score_tables.table_measure import known_measure

_Scores = Mapping[str, NDArray[np.float64]]  # of each column; nan where there is no number
_APART: Final = 100  # times: scores of one measure are nearer to each other
_FEWEST_WHOLE: Final = 3  # values; fewer may be whole by chance
_EXTREMES: Final = (0, 1, 100)  # a learner may have them on every split
_MEASURE: Final = re.compile(
    r"((train|training|val|valid|validation|valid_\d|test|eval|mean|avg|cv)_)?(m?error|err|loss|"
    r"m?log_?loss|accuracy|acc|auc|roc_auc|pr_auc|aucpr|f1|f1_score|precision|recall|kappa|r2|"
    r"r_squared|rmse|mse|mae|mape|balanced_accuracy|adjusted_r_squared|sensitivity|specificity)"
)


def read_learners(
    table: Any,
    *,
    measure: str | None,
    columns: Mapping[str, str] | None,
    learners: Sequence[str],
    missing: str,
) -> ScoreTable:
    """Return the scores of learners from a table, without columns that are none.

    Parameters
    ----------
    table : str, Path, DataFrame or ScoreTable
        As for `bestofk.compare_scores`.
    measure, columns, learners, missing
        As for `bestofk.compare_scores`; `missing` is checked alone.

    Returns
    -------
    ScoreTable
        With a caution on each column that lies outside the range of the measure.

    Raises
    ------
    InvalidArgumentError
        If the table cannot be read, or it does not tell which columns are learners.
    """
    check_missing(missing)
    read = read_score_table(table, columns=columns, measure=measure, learners=learners)
    if not read.has_learner_columns:
        return read
    scores = _scores(read)
    _refuse_measures(list(scores))
    names = [measure] if measure else read.measures()
    known = known_measure(names[0]) if len(names) == 1 else None
    outside = _outside(scores, known)
    kept = {name: values for name, values in scores.items() if name not in outside}
    if odd := _odd(kept):
        _ask(kept, odd)
    if known is not None and outside:
        said = [
            f"{name!r} is no learner and left out: its values reach {_span(scores, [name])}, those "
            f"of {known.name} from {known.minimum:g} to {known.maximum:g}. --learners chooses."
            for name in outside
        ]
        rows = [row for row, name in enumerate(read.columns["learner"]) if str(name) in kept]
        read = replace(read.part(rows), cautions=(*read.cautions, *said))
    return replace(read, has_learner_columns=False)


def complete_scores(
    table: Any,
    *,
    measure: str | None,
    columns: Mapping[str, str] | None,
    learners: Sequence[str],
    missing: str,
    dataset: str | None,
) -> ScoreTable:
    """Return the scores of learners as `read_learners` does, complete as `missing` says."""
    read = read_learners(
        table, measure=measure, columns=columns, learners=learners, missing=missing
    )
    return with_scores_of_all(read, measure=measure, dataset=dataset, missing=missing)


def _scores(table: ScoreTable) -> dict[str, NDArray[np.float64]]:
    owners = table.columns["learner"]
    values = np.array([_number(value) for value in table.columns["value"]])
    return {name: values[rows] for name, rows in rows_by_label(owners, range(len(owners))).items()}


def _number(value: Any) -> float:
    """Return a number; nan where it is none or infinite, which is refused later."""
    try:
        number = float(str(value))
    except ValueError:
        return float("nan")
    return number if np.isfinite(number) else float("nan")


def _refuse_measures(names: Sequence[str]) -> None:
    """Refuse columns that are measures, as in a table with a row per learner."""
    found = [name for name in names if _MEASURE.fullmatch(plain_name(name)) or known_measure(name)]
    if found:
        raise InvalidArgumentError(
            f"columns must be learners where no column names them; got {', '.join(found[:3])}, "
            "names of measures. Name the column of learners by --map learner=COLUMN "
            "(columns={'learner': ...}); a log of training has none."
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


def _is_whole(values: NDArray[np.float64]) -> bool:
    present = values[~np.isnan(values)]
    return len(present) >= _FEWEST_WHOLE and bool((present % 1 == 0).all())


def _apart(scores: _Scores) -> list[str]:
    """Return the columns that are orders of magnitude away from the others, in every row."""
    sizes = {name: np.abs(values) for name, values in scores.items()}
    if len({len(values) for values in sizes.values()}) > 1:
        return []
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

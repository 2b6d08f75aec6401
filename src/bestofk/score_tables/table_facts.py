"""Measure and learners of a score table, inferred from names and values."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from bestofk.array_types import Floats
from bestofk.errors import InvalidArgumentError
from bestofk.measures import Measure, get_measure, is_measure_name, measure_names
from bestofk.score_tables.paired_scores import PairedScores
from bestofk.score_tables.score_column_names import is_no_score, number_or_nan, plain_name
from bestofk.score_tables.score_formats.read_score_table import read_score_table
from bestofk.score_tables.score_formats.score_format import ScoreTable, rows_by_label

_DIRECTION = (
    "Say greater_is_better (--direction lower or higher), add a column greater_is_better, or "
    "name a known measure"
)

# Words of names of measures, by whether greater values are better.
_WORDS_OF_DIRECTION: Final = {
    True: re.compile(
        r"acc|bac$|auc|auroc|roc$|f1$|r2$|kappa|mcc|precision|recall|sensitivity|specificity|correct"
    ).match,
    False: re.compile(r"err|loss|logloss|rmse|mse$|mae$|mape|brier|cost|deviance|ce$|mmce").match,
}


class TableMeasure(Measure):
    """Measure of which only values are known.

    Parameters
    ----------
    name : str
        As the table calls it.
    greater_is_better : bool
        The direction.
    """

    needs = "values"
    task = None
    minimum = float("-inf")
    maximum = float("inf")

    def __init__(self, name: str, *, greater_is_better: bool) -> None:
        self.name = self.title = name
        self.greater_is_better = greater_is_better

    def _values(self, batch: Any) -> Floats:
        raise InvalidArgumentError(
            f"measure must be one that can be computed; got {self.name!r}, of which a table has "
            "the values alone."
        )


def direction_by_name(name: str) -> bool | None:
    """Return whether greater values of a measure are better, by words of its name.

    Parameters
    ----------
    name : str
        As others call it.

    Returns
    -------
    bool or None
        None where the words say nothing, or both.

    Examples
    --------
    >>> [direction_by_name(name) for name in ("test_acc", "classif.ce", "RMSE", "score")]
    [True, False, False, None]
    """
    words = re.findall(r"[a-z]+\d?", name.casefold())
    answers = {better for better, starts in _WORDS_OF_DIRECTION.items() if any(map(starts, words))}
    return answers.pop() if len(answers) == 1 else None


def known_direction(measure: str, said: bool | None) -> bool:
    """Return whether greater values of a measure are better.

    Parameters
    ----------
    measure : str
        Its name.
    said : bool or None
        What the caller or the table says; the name tells otherwise.

    Raises
    ------
    InvalidArgumentError
        If it is not known, or not that of the measure of this name.
    """
    known = known_measure(measure)
    if known is None:
        direction = direction_by_name(measure) if said is None else said
        if direction is None:
            names = [*measure_names("classification"), *measure_names("regression")]
            raise InvalidArgumentError(
                f"direction of the measure {measure!r} must be known; got none. "
                f"{_DIRECTION} ({', '.join(names)})."
            )
        return direction
    if said is not None and said != known.greater_is_better:
        better = "higher" if known.greater_is_better else "lower"
        raise InvalidArgumentError(
            f"direction of {measure!r} must be that of the measure, {better} is better; got the "
            "opposite. Rename the measure if it is another one."
        )
    return known.greater_is_better


def known_measure(name: str) -> Measure | None:
    """Return the measure of the catalogue with a name; None where there is none."""
    for task in ("classification", "regression"):
        if is_measure_name(name, task):
            classes = [0, 1] if task == "classification" else []
            return get_measure(name, task=task, classes=classes, cost_matrix=np.zeros((2, 2)))
    return None


def judged_measure(scores: PairedScores, greater_is_better: bool | None) -> Measure:
    """Return the measure of a table with its direction.

    Parameters
    ----------
    scores : PairedScores
        Of one measure.
    greater_is_better : bool or None
        The direction, as far as it was given.

    Returns
    -------
    Measure
        One of the catalogue, or one that is known by its values alone.

    Raises
    ------
    InvalidArgumentError
        If the direction is not known, or not that of the measure.
    """
    return measure_of_scores(scores, greater_is_better)[0]


def measure_of_scores(scores: PairedScores, given: bool | None) -> tuple[Measure, list[str]]:
    """Return the measure with its direction, and warnings about its values."""
    known = known_measure(scores.measure)
    direction = known_direction(scores.measure, scores.direction if given is None else given)
    if known is None:
        return TableMeasure(scores.measure, greater_is_better=direction), []
    low, high = float(scores.values.min()), float(scores.values.max())
    if low >= known.minimum and high <= known.maximum:
        return known, []
    warning = (
        f"Values of {known.name} reach from {low:g} to {high:g}, beyond {known.minimum:g} to "
        f"{known.maximum:g}; they are taken as they are."
    )
    title = f"{known.name} (as given)"
    return TableMeasure(title, greater_is_better=known.greater_is_better), [warning]


def direction_of(scores: PairedScores) -> bool | None:
    """Return whether greater scores are better, as far as the table tells."""
    known = known_measure(scores.measure)
    if known is not None:
        return known.greater_is_better
    said = scores.direction
    return direction_by_name(scores.measure) if said is None else said


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
    """Return the scores of a table, without columns that are not learners.

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
    """Leave out summary rows, which are not data sets."""
    totals = [name for name in table.rows_of if plain_name(name) in _TOTALS]
    if not totals or len(table.rows_of) - len(totals) < 2:
        return table
    rows = [row for name, at in table.rows_of.items() if name not in totals for row in at]
    said = f"{', '.join(map(repr, totals))} is left out as no data set: it sums up the others."
    return replace(table.part(sorted(rows)), cautions=(*table.cautions, said))


def _is_log(values: Floats) -> bool:
    """Return whether successive values have similar ranks, as in a log; scores of splits do not."""
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

"""Which learner is best by a table of scores that somebody else made.

Long tables have one row per score (columns dataset, learner, repeat, fold, measure, value,
n_train, n_test, greater_is_better; learner and value are needed), wide ones one column per
learner beside dataset, repeat, fold, n_train and n_test.  Direction of the measure and sizes
of training and test sets come from columns, names or arguments; they are never guessed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.errors import DesignError, InvalidArgumentError, nearest_name
from bestofk.inference import ADJUSTMENTS, Sampling, check_test, paired_test
from bestofk.measures import Measure, get_measure, measure_names
from bestofk.ordering import Evidence, Verdict, decide
from bestofk.report import Findings, LearnerFindings

_ABOUT_SCORES = (
    "dataset", "plan", "learner", "repeat", "fold", "measure", "value", "n_train", "n_test",
    "greater_is_better", "status", "train_seconds", "predict_seconds", "message",
)  # fmt: skip
_SIZES = ("n_train", "n_test")
_TRUE, _FALSE = {"true", "1", "1.0", "yes"}, {"false", "0", "0.0", "no"}
_DIRECTION = (
    "Say greater_is_better (--direction lower or higher), add a column greater_is_better, or "
    "name a known measure"
)


class TableMeasure(Measure):
    """A measure that is known by its values alone.

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

    def _values(self, batch: Any) -> NDArray[np.float64]:
        raise InvalidArgumentError(
            f"measure must be one that can be computed; got {self.name!r}, of which a table has "
            "the values alone."
        )


def judge_scores(
    table: Any,
    *,
    measure: str | None = None,
    greater_is_better: bool | None = None,
    cv: str | None = None,
    n_train: float | None = None,
    n_test: float | None = None,
    dataset: str | None = None,
    test: str = "corrected-t",
    correction: str = "holm",
    alpha: float = 0.05,
    prefer: str | Sequence[str] | None = None,
) -> Findings:
    """Find out which learner to use from scores that are already there.

    Parameters
    ----------
    table : str, Path or DataFrame of pandas or polars
        Long or wide scores; a path is a CSV file.
    measure : str, optional
        Which measure decides; needed where the table has several.  Names the measure of a
        table that does not.
    greater_is_better : bool, optional
        The direction; needed unless the measure is one of this package or the table says it.
    cv : str, optional
        ``"RxK"`` or ``"K"``: the scores come from R repeats of K folds, in this order where
        the table has neither repeat nor fold.  Gives the ratio of the sizes.
    n_train, n_test : float, optional
        Mean number of rows trained on and tested on; win over columns of these names.
    dataset : str, optional
        Which data set; needed where the table has several.
    test, correction, alpha, prefer
        As for `bestofk.compare`; `prefer` is "given" or a list of learners.

    Returns
    -------
    Findings
        What a report is written from; ``findings.verdict.best`` is the pick.

    Raises
    ------
    InvalidArgumentError
        If the table cannot be read, a value is missing or infinite, a score is there twice,
        or the direction or the sizes are not known.
    DesignError
        If the scores of the learners do not pair, or cannot carry the test.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"tree": [0.21, 0.25, 0.19, 0.22], "lda": [0.11, 0.14, 0.12, 0.1]})
    >>> judge_scores(table, measure="error", cv="2x2").verdict.best
    'lda'
    """
    paired_test(test)
    _check_settings(correction, alpha)
    title, columns, notes = _read(table)
    scores = _long(columns, measure, dataset) if "learner" in columns else _wide(
        columns, measure, dataset, cv
    )  # fmt: skip
    sampling = _sampling(scores, cv, (n_train, n_test), test)
    judged, warnings = _measure(scores, greater_is_better)
    losses = judged.loss(scores.values)
    n_learners = len(scores.names)
    evidence = Evidence(
        names=scores.names,
        losses=losses,
        sampling=sampling,
        is_baseline=[False] * n_learners,
        costs={},
        repeat_of_split=scores.repeats,
    )
    verdict = decide(evidence, test=test, correction=correction, alpha=alpha, prefer=prefer)
    return Findings(
        title=scores.dataset or title,
        headline="",
        data_sentence=f"{scores.values.shape[1]} given scores of each of {n_learners} learners",
        plan_sentence=_plan_sentence(sampling),
        measure=judged,
        shown=[],
        learners=_learner_findings(scores, verdict),
        verdict=verdict,
        picks={judged.name: verdict.order[int(np.argmin(_means(verdict)))]},
        repeat_of_split=scores.repeats,
        notes=notes,
        warnings=(*warnings, *verdict.warnings),
    )


@dataclass(frozen=True, eq=False)
class _Scores:
    """Paired scores of one measure on one data set."""

    names: list[str]
    values: NDArray[np.float64]  # one row per learner, splits in repeat-major order
    repeats: NDArray[np.int64]  # the repeat of each split, counted from 0
    measure: str
    direction: bool | None  # what the table itself says
    dataset: str
    sizes: tuple[float | None, float | None]


# -- reading -------------------------------------------------------------------------------


def _check_settings(correction: str, alpha: float) -> None:
    if correction not in ADJUSTMENTS:
        raise InvalidArgumentError(
            f"correction must be a known one; got {correction!r}. "
            + nearest_name(correction, ADJUSTMENTS)
        )
    if not 0 < alpha < 1:
        raise InvalidArgumentError(f"alpha must be inside (0, 1); got {alpha}. The usual is 0.05.")


def _read(table: Any) -> tuple[str, dict[str, list[Any]], tuple[str, ...]]:
    """Return a title, the columns as lists of text or numbers, and what was guessed."""
    notes: tuple[str, ...] = ()
    if isinstance(table, str | os.PathLike):
        from bestofk.data.csv_file import read_csv

        path = Path(table)
        read = read_csv(path, path.stem)
        title, columns, notes = path.stem, {n: list(c) for n, c in read.columns.items()}, read.notes
    else:
        import narwhals as nw

        try:
            frame = nw.from_native(table, eager_only=True)
        except TypeError as error:
            raise InvalidArgumentError(
                "table must be a path or a DataFrame of pandas or polars; got "
                f"{type(table).__name__}. Put the scores into a DataFrame."
            ) from error
        title, columns = "scores", {str(n): frame[n].to_list() for n in frame.columns}
    named = {_plain_name(name): values for name, values in columns.items()}
    if not named or not next(iter(named.values())):
        raise InvalidArgumentError("table must hold at least one row of scores; got none.")
    return title, named, notes


def _plain_name(name: str) -> str:
    lowered = name.strip().lower()
    return lowered if lowered in _ABOUT_SCORES else name.strip()


def _number(value: Any, column: str, row: int) -> float:
    """Return a finite number, or refuse the row."""
    try:
        number = float("nan") if value is None else float(str(value).strip().replace(",", "."))
    except ValueError:
        number = float("nan")
    if not np.isfinite(number):
        raise InvalidArgumentError(
            f"{column} must be a finite number; got {'nothing' if value is None else value} in "
            f"row {row + 1}. Complete the scores, or drop that split for all learners."
        )
    return number


def _long(columns: dict[str, list[Any]], measure: str | None, dataset: str | None) -> _Scores:
    if "value" not in columns:
        raise InvalidArgumentError(
            f"a long table must have a column value; got {', '.join(columns)}. "
            "Rename the column of scores, or give one column per learner."
        )
    rows = list(range(len(columns["value"])))
    rows, dataset = _chosen(columns, rows, "dataset", dataset)
    name = measure
    if "measure" in columns:
        rows, name = _chosen(columns, rows, "measure", measure)
    table: dict[str, dict[tuple[Any, Any], int]] = {}
    for row in rows:
        learner, place = str(columns["learner"][row]), _place(columns, row)
        found = table.setdefault(learner, {})
        if place in found:
            _refuse_twice(columns, learner, place, found[place], row)
        found[place] = row
    places = _places([place for found in table.values() for place in found])
    _check_pairs(table, places)
    values = [
        [_number(columns["value"][found[place]], "value", found[place]) for place in places]
        for found in table.values()
    ]
    sizes = _column_sizes(columns, rows)
    return _scores(list(table), values, places, name, _direction(columns, rows), dataset, sizes)


def _wide(
    columns: dict[str, list[Any]], measure: str | None, dataset: str | None, cv: str | None
) -> _Scores:
    names = [name for name in columns if name not in _ABOUT_SCORES]
    if not names:
        raise InvalidArgumentError(
            f"table must have a column learner, or one column per learner; got "
            f"{', '.join(columns)}. Rename the columns."
        )
    rows = list(range(len(columns[names[0]])))
    rows, dataset = _chosen(columns, rows, "dataset", dataset)
    if "repeat" in columns or "fold" in columns:
        found: dict[tuple[Any, Any], int] = {}
        for row in rows:
            place = _place(columns, row)
            if place in found:
                _refuse_twice(columns, None, place, found[place], row)
            found[place] = row
        places = _places(list(found))
        rows = [found[place] for place in places]
    else:
        n_folds = _parsed(cv)[1] if cv else 1
        places = [divmod(i, n_folds) for i in range(len(rows))]
    values = [[_number(columns[name][row], name, row) for row in rows] for name in names]
    sizes = _column_sizes(columns, rows)
    return _scores(names, values, places, measure, _direction(columns, rows), dataset, sizes)


def _scores(
    names: list[str],
    values: list[list[float]],
    places: list[tuple[Any, Any]],
    measure: str | None,
    direction: bool | None,
    dataset: str | None,
    sizes: tuple[float | None, float | None],
) -> _Scores:
    repeats = list(dict.fromkeys(repeat for repeat, _ in places))
    codes = np.array([repeats.index(repeat) for repeat, _ in places], dtype=np.int64)
    called = measure or "score"
    return _Scores(names, np.array(values), codes, called, direction, dataset or "", sizes)


def _chosen(
    columns: Mapping[str, list[Any]], rows: list[int], column: str, wanted: str | None
) -> tuple[list[int], str | None]:
    """Keep the rows of one data set or measure."""
    if column not in columns:
        if wanted is not None:
            raise InvalidArgumentError(
                f"{column} must be left out where the table has no column {column}; got {wanted!r}."
            )
        return rows, None
    known = list(dict.fromkeys(str(columns[column][row]) for row in rows))
    if wanted is None and len(known) > 1:
        raise InvalidArgumentError(
            f"{column} must be named where the table has several; got none. "
            f"Known: {', '.join(known)}."
        )
    wanted = known[0] if wanted is None else wanted
    if wanted not in known:
        raise InvalidArgumentError(
            f"{column} must be one of the table; got {wanted!r}. {nearest_name(wanted, known)}"
        )
    return [row for row in rows if str(columns[column][row]) == wanted], wanted


def _place(columns: Mapping[str, list[Any]], row: int) -> tuple[Any, Any]:
    """Return repeat and fold of a row, as numbers where they are."""
    return _label(columns, "repeat", row), _label(columns, "fold", row)


def _label(columns: Mapping[str, list[Any]], column: str, row: int) -> Any:
    if column not in columns:
        return 0
    text = str(columns[column][row])
    return int(float(text)) if re.fullmatch(r"\d+(\.0*)?", text) else text


def _places(places: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Return each place once: by number, then what is no number in order of appearance."""
    seen = list(dict.fromkeys(places))
    position = [list(dict.fromkeys(place[i] for place in seen)) for i in range(2)]

    def rank(value: Any, i: int) -> tuple[int, int]:
        return (0, value) if isinstance(value, int) else (1, position[i].index(value))

    return sorted(seen, key=lambda place: (rank(place[0], 0), rank(place[1], 1)))


def _check_pairs(
    table: Mapping[str, Mapping[tuple[Any, Any], int]], places: list[tuple[Any, Any]]
) -> None:
    for place in places:
        have = [name for name, found in table.items() if place in found]
        for name in table:
            if name not in have:
                raise DesignError(
                    f"scores of learners {have[0]!r} and {name!r} do not pair: repeat {place[0]}, "
                    f"fold {place[1]} is missing for {name!r}. Add that score, or drop the split "
                    "for all learners."
                )


def _refuse_twice(
    columns: Mapping[str, list[Any]], learner: str | None, place: tuple[Any, Any], a: int, b: int
) -> None:
    who = f"learner {learner!r}, " if learner is not None else ""
    has_places = "repeat" in columns or "fold" in columns
    way_out = "Keep one of them." if has_places else "Add the columns repeat and fold."
    raise InvalidArgumentError(
        f"each score must be there once; got {who}repeat {place[0]}, fold {place[1]} in rows "
        f"{a + 1} and {b + 1}. {way_out}"
    )


# -- what the scores mean ------------------------------------------------------------------


def _direction(columns: Mapping[str, list[Any]], rows: list[int]) -> bool | None:
    if "greater_is_better" not in columns:
        return None
    said = {str(columns["greater_is_better"][row]).strip().lower() for row in rows}
    if not (said <= _TRUE or said <= _FALSE):
        raise InvalidArgumentError(
            f"greater_is_better must be all true or all false for one measure; got "
            f"{', '.join(sorted(said))}. Correct the column."
        )
    return said <= _TRUE


def _measure(scores: _Scores, given: bool | None) -> tuple[Measure, list[str]]:
    """Return the measure with its direction, and what to distrust about its values."""
    known = _known_measure(scores.measure)
    said = scores.direction if given is None else given
    if known is None:
        if said is None:
            names = [*measure_names("classification"), *measure_names("regression")]
            raise InvalidArgumentError(
                f"direction of the measure {scores.measure!r} must be known; got none. "
                f"{_DIRECTION} ({', '.join(names)})."
            )
        return TableMeasure(scores.measure, greater_is_better=said), []
    if said is not None and said != known.greater_is_better:
        better = "higher" if known.greater_is_better else "lower"
        raise InvalidArgumentError(
            f"direction of {scores.measure!r} must be that of the measure, {better} is better; "
            "got the opposite. Rename the measure if it is another one."
        )
    low, high = float(scores.values.min()), float(scores.values.max())
    if low >= known.minimum and high <= known.maximum:
        return known, []
    warning = (
        f"Values of {known.name} reach from {low:g} to {high:g}, beyond {known.minimum:g} to "
        f"{known.maximum:g}; they are taken as they are."
    )
    title = f"{known.name} (as given)"
    return TableMeasure(title, greater_is_better=known.greater_is_better), [warning]


def _known_measure(name: str) -> Measure | None:
    for task in ("classification", "regression"):
        if name in measure_names(task):
            classes = [0, 1] if task == "classification" else []
            return get_measure(name, task=task, classes=classes, cost_matrix=np.zeros((2, 2)))
    return None


def _column_sizes(
    columns: Mapping[str, list[Any]], rows: list[int]
) -> tuple[float | None, float | None]:
    means = [
        float(np.mean([_number(columns[name][row], name, row) for row in rows]))
        if name in columns
        else None
        for name in _SIZES
    ]
    return means[0], means[1]


def _sampling(
    scores: _Scores, cv: str | None, given: tuple[float | None, float | None], test: str
) -> Sampling:
    """Say how the scores were made, from the table and from what was told."""
    n_repeats, n_folds = _shape(scores.repeats)
    if cv is not None and _parsed(cv) != (n_repeats, n_folds):
        raise InvalidArgumentError(
            f"cv must fit the scores; got {cv}, and the table has {n_repeats} repeats of "
            f"{n_folds} folds ({scores.values.shape[1]} scores of each learner)."
        )
    n_train, n_test = (
        said if said is not None else found for said, found in zip(given, scores.sizes, strict=True)
    )
    if (n_train is None) != (n_test is None):
        raise InvalidArgumentError(
            "n_train and n_test must be given together; got one of them. Add the other."
        )
    # the test itself says that halves were trained on and tested on
    is_halves = paired_test(test).name == "5x2cv-t" and (n_repeats, n_folds) == (5, 2)
    if n_train is None and (cv is not None or is_halves):
        n_train, n_test = n_folds - 1.0, 1.0
    if n_train is None and scores.values.shape[1] > 1 and paired_test(test).name == "corrected-t":
        raise InvalidArgumentError(
            "sizes of training and test sets must be known for repeated scores; got none. Give "
            "n_train and n_test (--n-train, --n-test), columns of these names, or cv (--cv) as "
            "RxK."
        )
    scheme = "k-fold" if n_folds > 1 else "hold-out"
    sampling = Sampling(scheme, n_repeats, n_folds, n_train=n_train, n_test=n_test)
    if sampling.n_scores > 1:
        check_test(test, sampling)
    return sampling


def _shape(repeats: NDArray[np.int64]) -> tuple[int, int]:
    """Return repeats and folds; uneven repeats count as so many single splits."""
    counts = np.bincount(repeats)
    if all(a == b for a, b in pairwise(counts)):
        return len(counts), int(counts[0])
    return len(repeats), 1


def _parsed(cv: str) -> tuple[int, int]:
    match = re.fullmatch(r"(?:(\d+)x)?(\d+)", str(cv).strip().lower())
    if not match or int(match[1] or 1) < 1 or int(match[2]) < 2:
        raise InvalidArgumentError(
            f"cv of a score table must be repeats x folds such as '10x10' or '5x2', or a number "
            f"of folds from 2; got {cv!r}. For other plans give n_train and n_test."
        )
    return int(match[1] or 1), int(match[2])


# -- what is reported ----------------------------------------------------------------------


def _plan_sentence(sampling: Sampling) -> str:
    if sampling.n_folds > 1:
        how = f"{sampling.n_repeats} x {sampling.n_folds} folds"
    else:
        how = f"{sampling.n_repeats} splits"
    if sampling.n_train is None or sampling.n_test is None:
        return f"{how}, sizes unknown, as the table says"
    return f"{how}, {sampling.n_train / sampling.n_test:.3g} training rows per test row"


def _means(verdict: Verdict) -> list[float]:
    return [verdict.means[name] for name in verdict.order]


def _learner_findings(scores: _Scores, verdict: Verdict) -> list[LearnerFindings]:
    return [
        LearnerFindings(
            name=name,
            mean=float(values.mean()),
            sd=float(values.std(ddof=1)) if len(values) > 1 else float("nan"),
            scores=values,
            n_runs=len(values),
            is_candidate=name in verdict.candidates,
        )
        for name, values in zip(scores.names, scores.values, strict=True)
    ]

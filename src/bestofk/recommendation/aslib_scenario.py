"""Histories from algorithm selection scenarios in the ASlib format.

A scenario is a folder: ``description.txt`` (YAML) says what was measured, and
``algorithm_runs.arff`` holds one row per instance, algorithm and repetition.

References
----------
Bischl et al. (2016), ASlib: A benchmark library for algorithm selection, Artificial
Intelligence 237, 41-58.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.data.arff_file import read_arff
from bestofk.data.table import Table, first_repeated
from bestofk.data.text_file import read_text
from bestofk.data.written_columns import TextColumn
from bestofk.errors import InvalidArgumentError
from bestofk.recommendation.history import OK, History
from bestofk.recommendation.table_figures import LongRows, broken, check_same, refuse_values

DESCRIPTION = "description.txt"
RUNS = "algorithm_runs.arff"
STATUSES = (OK, "timeout", "memout", "not_applicable", "crash", "other")
RUN_TIME, QUALITY = "runtime", "solution_quality"

_KEYS = ("instance_id", "repetition", "algorithm", "runstatus")
_WITH_INSTANCES = ("feature_values.arff", "cv.arff")  # they may be left out
_UNKNOWN = ("?", "", "null", "~")


@dataclass(frozen=True)
class _Description:
    """Description of a scenario, as far as a history needs it."""

    measures: tuple[str, ...]
    kinds: tuple[str, ...]
    maximize: tuple[bool, ...]
    cutoff: float  # seconds; infinite where there is none
    algorithms: tuple[str, ...]  # empty where it names none

    @property
    def seconds_column(self) -> str | None:
        """The first measure that is a run time."""
        pairs = zip(self.measures, self.kinds, strict=True)
        return next((measure for measure, kind in pairs if kind == RUN_TIME), None)


@dataclass(frozen=True, eq=False)
class _Runs:
    """The rows of the file of runs; one entry of each array per row."""

    path: Path
    rows: LongRows
    statuses: NDArray[np.str_]
    columns: dict[str, NDArray[np.float64]]

    @property
    def is_solved(self) -> NDArray[np.bool_]:
        """Return which runs ended successfully."""
        return np.asarray(self.statuses == OK)

    @property
    def n_repetitions(self) -> NDArray[np.float64]:
        """Return the number of repetitions of each instance and algorithm."""
        return self.rows.summed(np.ones(len(self.statuses)))

    def means(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return the mean over the repetitions of each instance and algorithm."""
        return self.rows.means(values, self.n_repetitions, self.n_repetitions > 0)

    @property
    def states(self) -> NDArray[np.str_]:
        """Return ok where all repetitions are, else the first other status, or missing."""
        return self.rows.states(self.n_repetitions > 0, self.statuses)


def read_aslib_scenario(folder: str | os.PathLike[str]) -> History:
    """Read the history that a scenario holds: its instances are the data sets.

    Parameters
    ----------
    folder : str or Path
        With ``description.txt`` and ``algorithm_runs.arff``.  Where there are instances in
        ``feature_values.arff`` and ``cv.arff``, they must be the same; other files are not
        read.

    Returns
    -------
    History
        The first performance measure counts.  Solution quality from 0 to 1: the mean over
        repetitions is the score, 1 minus it where less is better; nan unless all repetitions
        are ok.  Run time: the score is the share of repetitions that were solved, the seconds
        are the mean run time, none above the cutoff, and the score before any test is 0.  The
        state of a cell is ok where all repetitions are, else the first other status.

    Raises
    ------
    InvalidArgumentError
        If a needed file is missing or broken, a status is unknown, a run is there twice, a
        value is not what its kind allows, names differ between files, or PyYAML is not
        installed.

    Examples
    --------
    >>> import tempfile
    >>> about = "{performance_measures: acc, maximize: true, performance_type: solution_quality}"
    >>> head = "@relation r|@attribute instance_id string|@attribute repetition numeric|"
    >>> head += "@attribute algorithm string|@attribute acc numeric|@attribute runstatus {ok}|@data"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "description.txt").write_text(about)
    ...     runs = [*head.split("|"), "iris,1,lda,0.98,ok", "iris,1,tree,0.94,ok"]
    ...     _ = Path(folder, "algorithm_runs.arff").write_text(chr(10).join(runs))
    ...     history = read_aslib_scenario(folder)
    >>> history.learners, history.scores.tolist()
    (('lda', 'tree'), [[0.98, 0.94]])
    """
    path = Path(folder)
    for name in (DESCRIPTION, RUNS):
        if not (path / name).is_file():
            raise InvalidArgumentError(
                f"ASlib scenario must hold {DESCRIPTION} and {RUNS}; got {path} without {name}. "
                "Name the folder of a scenario."
            )
    description = _read_description(path / DESCRIPTION)
    runs = _read_runs(path / RUNS, description)
    _check_instances(path, runs)
    if description.kinds[0] == RUN_TIME:
        return _run_time_history(runs, description)
    return _quality_history(runs, description)


# -- the description ---------------------------------------------------------------------


def _read_description(path: Path) -> _Description:
    entries = _parse_yaml(path)
    measures = _words(entries.get("performance_measures"))
    kinds = _words(entries.get("performance_type"))
    maximize = _words(entries.get("maximize"))
    for key, words in (("performance_type", kinds), ("maximize", maximize)):
        if not measures or len(words) != len(measures):
            raise broken(
                path, f"have one entry of {key} for each of performance_measures",
                f"{len(words)} for {len(measures)}", "Add what is missing.",
            )  # fmt: skip
    for kind in kinds:
        if kind not in (RUN_TIME, QUALITY):
            raise broken(path, f"have performance_type {RUN_TIME} or {QUALITY}", repr(kind))
    named = _words(entries.get("metainfo_algorithms")) or (
        *_words(entries.get("algorithms_deterministic")),
        *_words(entries.get("algorithms_stochastic")),
    )
    cutoff = _read_cutoff(path, entries.get("algorithm_cutoff_time"))
    if kinds[0] == RUN_TIME and math.isinf(cutoff):
        raise broken(
            path, "give algorithm_cutoff_time in seconds, as it is about run time",
            repr(entries.get("algorithm_cutoff_time")), "Say when runs were ended.",
        )  # fmt: skip
    directions = tuple(_read_bool(path, word) for word in maximize)
    return _Description(measures, kinds, directions, cutoff, named)


def _parse_yaml(path: Path) -> Mapping[str, Any]:
    """Return the entries of a YAML file; every value is text, so 1.0 and no stay names."""
    try:
        import yaml
    except ImportError as error:
        raise InvalidArgumentError(
            "pyyaml must be installed for scenarios of ASlib; it is not. "
            "Run: pip install 'bestofk[aslib]'."
        ) from error
    text, _ = read_text(path)
    try:
        entries = yaml.load(text, Loader=yaml.BaseLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = path if mark is None else f"line {mark.line + 1} of {path}"
        problem = getattr(error, "problem", None) or "characters that are not allowed"
        raise broken(where, "be YAML", problem) from error
    except RecursionError:
        raise broken(path, "be YAML", "too many levels, one inside another") from None
    if not isinstance(entries, Mapping):
        raise broken(path, "hold entries of the form 'name: value'", type(entries).__name__)
    return entries


def _words(entry: Any) -> tuple[str, ...]:
    """Return a list of names, however it is written: list, mapping or text with commas."""
    parts = entry.split(",") if isinstance(entry, str) else entry or ()
    words = (part.strip() for part in parts if isinstance(part, str))
    return tuple(word for word in words if word not in _UNKNOWN)


def _read_cutoff(path: Path, entry: Any) -> float:
    if entry is None or entry in _UNKNOWN:
        return math.inf
    try:
        seconds = float(entry)
    except (TypeError, ValueError):
        seconds = math.nan
    if not seconds >= 0:
        raise broken(path, "give algorithm_cutoff_time in seconds, or ?", repr(entry))
    return seconds or math.inf  # 0 is written where nothing was cut off


def _read_bool(path: Path, word: str) -> bool:
    if word.casefold() not in ("true", "false"):
        raise broken(path, "say true or false for maximize", repr(word))
    return word.casefold() == "true"


# -- the runs ----------------------------------------------------------------------------


def _read_runs(path: Path, description: _Description) -> _Runs:
    table = read_arff(path, path.stem)
    used = (description.measures[0], description.seconds_column)
    for name in (*_KEYS, *filter(None, used)):
        if name not in table.columns:
            raise broken(path, f"have an attribute {name}", ", ".join(table.columns))
    instance, repetition, algorithm, statuses = (_texts(path, table, key) for key in _KEYS)
    unknown = [status for status in dict.fromkeys(statuses) if status not in STATUSES]
    if unknown:
        row = statuses.index(unknown[0])
        raise broken(
            path, f"have runstatus {', '.join(STATUSES)}",
            f"{unknown[0]!r} for {algorithm[row]} on {instance[row]}",
        )  # fmt: skip
    repeated = first_repeated(zip(instance, algorithm, repetition, strict=True))
    if repeated is not None:
        row = repeated[1]
        raise broken(
            path, "have one row per instance, algorithm and repetition",
            f"two of {algorithm[row]} on {instance[row]}, repetition {repetition[row]}",
            "Drop one.",
        )  # fmt: skip
    if description.algorithms:
        check_same("algorithms", path, algorithm, path.with_name(DESCRIPTION),
                   description.algorithms)  # fmt: skip
    return _Runs(
        path,
        LongRows.of(instance, algorithm, description.algorithms),
        np.array(statuses),
        {name: _numbers(path, table, name) for name in used if name},
    )


def _texts(path: Path, table: Table, name: str) -> list[str]:
    """Return a column as text; whole numbers without a fraction."""
    texts = []
    for row, value in enumerate(_values(table, name)):
        if value is None or value != value:
            raise broken(path, f"have {name} in every row", f"none in row {row + 1} below @data")
        is_whole = isinstance(value, float) and value.is_integer()
        texts.append(str(int(value)) if is_whole else str(value).strip())
    return texts


def _values(table: Table, name: str) -> Any:
    """Return the values of a column, texts as a list."""
    column = table.columns[name]
    return column.to_list() if isinstance(column, TextColumn) else column


def _numbers(path: Path, table: Table, name: str) -> NDArray[np.float64]:
    try:
        return np.asarray(_values(table, name), dtype=np.float64)
    except ValueError as error:
        raise broken(path, f"declare {name} numeric", "text", "Missing values are ?.") from error


def _check_instances(folder: Path, runs: _Runs) -> None:
    for name in _WITH_INSTANCES:
        path = folder / name
        if path.is_file():
            table = read_arff(path, path.stem)
            if "instance_id" not in table.columns:
                raise broken(path, "have an attribute instance_id", ", ".join(table.columns))
            others = dict.fromkeys(_texts(path, table, "instance_id"))
            check_same("instances", runs.path, runs.rows.data_sets, path, others)


# -- the history -------------------------------------------------------------------------


def _run_time_history(runs: _Runs, description: _Description) -> History:
    seconds, notes = _mean_seconds(runs, description)
    return History.from_arrays(
        runs.means(runs.is_solved),
        seconds,
        data_sets=runs.rows.data_sets,
        learners=runs.rows.learners,
        default_scores=np.zeros(len(runs.rows.data_sets)),
        measure="share solved",
        task="run time",
        states=runs.states,
        notes=[f"Scores are shares of runs that ended ok ({description.measures[0]}).", *notes],
    )


def _quality_history(runs: _Runs, description: _Description) -> History:
    measure = description.measures[0]
    values = runs.columns[measure]
    refuse_values(
        runs.path, runs.is_solved & ~((values >= 0) & (values <= 1)), values, runs.rows.cells,
        rule=f"have {measure} from 0 to 1 in every run that is ok",
        way_out="Divide percentages by 100; scale other measures before.",
    )  # fmt: skip
    scores = values if description.maximize[0] else 1 - values
    seconds, notes = None, ["The scenario holds no run times."]
    if description.seconds_column is not None:
        seconds, notes = _mean_seconds(runs, description)
    if not description.maximize[0]:
        notes.insert(0, f"Scores are 1 - {measure}.")
    return History.from_arrays(
        runs.means(np.where(runs.is_solved, scores, np.nan)),
        seconds,
        data_sets=runs.rows.data_sets,
        learners=runs.rows.learners,
        measure=measure if description.maximize[0] else f"1 - {measure}",
        task="solution quality",
        states=runs.states,
        notes=notes,
    )


def _mean_seconds(runs: _Runs, description: _Description) -> tuple[NDArray[np.float64], list[str]]:
    """Return the mean run times of the cells, none above the cutoff, and what was changed."""
    name, cutoff = str(description.seconds_column), description.cutoff
    given = runs.columns[name]
    refuse_values(
        runs.path, (given < 0) | (np.isnan(given) & runs.is_solved), given, runs.rows.cells,
        rule=f"have {name} of at least 0 seconds in every run that is ok",
    )  # fmt: skip
    unknown, n_all, notes = np.isnan(given), len(given), []
    if (given > cutoff).any():
        n_above = int((given > cutoff).sum())
        notes.append(f"{n_above} of {n_all} values of {name} were above the cutoff of {cutoff:g} "
                     "s, as penalized run times are; they were set to it.")  # fmt: skip
    if unknown.any() and math.isfinite(cutoff):
        notes.append(f"{int(unknown.sum())} of {n_all} runs failed without {name}; they count as "
                     f"{cutoff:g} s.")  # fmt: skip
    if (given == 0).any():
        notes.append(f"{int((given == 0).sum())} of {n_all} values of {name} are 0.")
    known = np.where(unknown, cutoff if math.isfinite(cutoff) else np.nan, given)
    return runs.means(np.minimum(known, cutoff)), notes

"""Files of an algorithm selection scenario in the ASlib format.

A scenario is a folder: ``description.txt`` (YAML) says what was measured, and
``algorithm_runs.arff`` holds one row per instance, algorithm and repetition.

References
----------
Bischl et al. (2016), ASlib: A benchmark library for algorithm selection, Artificial
Intelligence 237, 41-58.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bestofk.array_types import Floats
from bestofk.checks import optional_package
from bestofk.data.arff_file import read_arff
from bestofk.data.file_errors import broken, check_same
from bestofk.data.table import Table, first_repeated
from bestofk.data.text_file import read_text
from bestofk.errors import InvalidArgumentError

DESCRIPTION = "description.txt"
RUNS = "algorithm_runs.arff"
OK = "ok"
STATUSES = (OK, "timeout", "memout", "not_applicable", "crash", "other")
RUN_TIME, QUALITY = "runtime", "solution_quality"

_KEYS = ("instance_id", "repetition", "algorithm", "runstatus")
_WITH_INSTANCES = ("feature_values.arff", "cv.arff")  # they may be left out
_MOST_ALIASES = 8  # each of them can double what a file of YAML stands for
_UNKNOWN = ("?", "", "null", "~")


@dataclass(frozen=True)
class Description:
    """Description of a scenario, as far as its runs need it."""

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
class ScenarioRuns:
    """The rows of the file of runs; one entry of each list per row.

    Parameters
    ----------
    path : Path
        The file.
    description : Description
        What was measured.
    instances, repetitions, algorithms, statuses : list of str
        Of each run.
    columns : dict of str to ndarray of shape (n_runs,)
        The first measure, and the run time where there is one; nan where missing.
    """

    path: Path
    description: Description
    instances: list[str]
    repetitions: list[str]
    algorithms: list[str]
    statuses: list[str]
    columns: dict[str, Floats]


def read_scenario(folder: Path) -> ScenarioRuns:
    """Read the runs of a scenario and what its description says of them.

    Parameters
    ----------
    folder : Path
        With ``description.txt`` and ``algorithm_runs.arff``.  Where there are instances in
        ``feature_values.arff`` and ``cv.arff``, they must be the same; other files are not
        read.

    Returns
    -------
    ScenarioRuns

    Raises
    ------
    InvalidArgumentError
        If a needed file is missing or broken, a status is unknown, a run is there twice, names
        differ between files, or PyYAML is not installed.
    """
    for name in (DESCRIPTION, RUNS):
        if not (folder / name).is_file():
            raise InvalidArgumentError(
                f"ASlib scenario must hold {DESCRIPTION} and {RUNS}; got {folder} without {name}. "
                "Name the folder of a scenario."
            )
    description = _read_description(folder / DESCRIPTION)
    runs = _read_runs(folder / RUNS, description)
    _check_instances(folder, runs)
    return runs


# -- the description ---------------------------------------------------------------------


def _read_description(path: Path) -> Description:
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
    return Description(measures, kinds, directions, cutoff, named)


def _parse_yaml(path: Path) -> Mapping[str, Any]:
    """Return the entries of a YAML file; every value is text, so 1.0 and no stay names."""
    what = "pyyaml must be installed for scenarios of ASlib; it is not"
    yaml = optional_package("yaml", what, extra="aslib")
    text, _ = read_text(path)
    try:
        n_aliases = sum(isinstance(token, yaml.AliasToken) for token in yaml.scan(text))
        if n_aliases > _MOST_ALIASES:
            what = f"be YAML with at most {_MOST_ALIASES} aliases"
            raise broken(path, what, str(n_aliases), "Write what they stand for.")
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


def _read_runs(path: Path, description: Description) -> ScenarioRuns:
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
    columns = {name: _numbers(path, table, name) for name in used if name}
    return ScenarioRuns(path, description, instance, repetition, algorithm, statuses, columns)


def _texts(path: Path, table: Table, name: str) -> list[str]:
    """Return a column as text; whole numbers without a fraction."""
    texts = []
    for row, value in enumerate(table.columns[name].to_list()):
        if value is None or value != value:
            raise broken(path, f"have {name} in every row", f"none in row {row + 1} below @data")
        is_whole = isinstance(value, float) and value.is_integer()
        texts.append(str(int(value)) if is_whole else str(value).strip())
    return texts


def _numbers(path: Path, table: Table, name: str) -> Floats:
    try:
        return np.asarray(table.columns[name].to_list(), dtype=np.float64)
    except ValueError as error:
        raise broken(path, f"declare {name} numeric", "text", "Missing values are ?.") from error


def _check_instances(folder: Path, runs: ScenarioRuns) -> None:
    for name in _WITH_INSTANCES:
        path = folder / name
        if path.is_file():
            table = read_arff(path, path.stem)
            if "instance_id" not in table.columns:
                raise broken(path, "have an attribute instance_id", ", ".join(table.columns))
            others = dict.fromkeys(_texts(path, table, "instance_id"))
            check_same("instances", runs.path, runs.instances, path, others)

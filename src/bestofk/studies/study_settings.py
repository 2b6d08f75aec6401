"""Settings of a study: its data sets, its learners, and how they are compared."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bestofk.evaluation.guarded.limits import NO_LIMITS, Limits

# What `source` of a `DataItem` is: a file, pattern or name; a number of OpenML.
FILE, OPENML_TASK, OPENML_SUITE = "file", "openml_task", "openml_suite"


@dataclass(frozen=True)
class DataItem:
    """One entry of the list of data sets: a data set, or several by a pattern or a suite.

    Parameters
    ----------
    source : str or int
        A file, a pattern such as ``"sets/*.arff"``, a name that `load_data` knows; or the number
        of a task or a suite of OpenML.
    kind : {"file", "openml_task", "openml_suite"}
        Which of them it is.
    reading : mapping of str to value
        Arguments of `load_data` for all data sets of the entry, such as target.
    """

    source: str | int
    kind: str = FILE
    reading: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class LearnerItem:
    """One entry of the list of learners.

    Parameters
    ----------
    learner : str
        A name of the catalogue or ``FILE.py:NAME``, perhaps with settings in brackets.
    name : str
        What it is called in results; empty for the learner's own name.
    limits : Limits
        Of its runs, in place of those of the study; None where there is none.
    """

    learner: str
    name: str = ""
    limits: Limits = NO_LIMITS


@dataclass(frozen=True, kw_only=True)
class StudySettings:
    """Everything that a study file says, checked as far as that needs no data.

    Parameters
    ----------
    data : tuple of DataItem
        At least one.
    learners : tuple of LearnerItem
        Empty for the default set of the task.
    options : mapping of str to value
        Arguments of `bestofk.compare` that decide what is run and how it is weighed.
    engine : str
        Where runs are done unless a call says otherwise.
    n_jobs : int
        Processes; -1 is all cores.
    budget : float or None
        Seconds after which a call starts no run.
    retries : int
        How often runs that failed are tried again at the end of a call.
    results : tuple of Path
        Tables of scores made elsewhere that join the verdict.
    store : Path
        File that keeps every run.
    folder : Path
        What relative paths of the file start from.
    title : str
        What messages call the study.
    """

    data: tuple[DataItem, ...]
    learners: tuple[LearnerItem, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    engine: str = "processes"
    n_jobs: int = -1
    budget: float | None = None
    retries: int = 0
    results: tuple[Path, ...] = ()
    store: Path = Path("study.db")
    folder: Path = Path()
    title: str = "study"

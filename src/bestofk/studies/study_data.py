"""Data sets of a study: patterns and suites written out, all read and checked."""

import glob
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bestofk.data import DataSet, check_comparable, load_data
from bestofk.data.load import is_known_name, name_of_file
from bestofk.data.notes import named
from bestofk.data.open_ml import openml_suite, openml_task
from bestofk.errors import InvalidArgumentError
from bestofk.studies.problems import Problems
from bestofk.studies.study_settings import FILE, OPENML_SUITE, OPENML_TASK, DataItem, StudySettings
from bestofk.words import grouped

_PATTERN = frozenset("*?[")
_MOST_NAMED = 8  # data sets of a task


@dataclass(frozen=True)
class DataSource:
    """One data set that a study names, before it is read.

    Parameters
    ----------
    source : str or Path
        For `load_data`.
    written : str
        How the study names it; distinguishes files of one name in several folders.
    reading : mapping of str to value
        Arguments of `load_data`.
    where : str
        Where the study names it.
    """

    source: str | Path
    written: str
    reading: Mapping[str, Any]
    where: str

    @property
    def name(self) -> str:
        """Name of the data set, where no other has it, too."""
        if "name" in self.reading:
            return str(self.reading["name"])
        return name_of_file(self.source) if isinstance(self.source, Path) else self.source


def data_sources(settings: StudySettings, problems: Problems) -> list[DataSource]:
    """Return every data set that a study names, patterns and suites written out.

    Nothing is read but lists of files, and tasks and suites of OpenML.

    Parameters
    ----------
    settings : StudySettings
        Of the study.
    problems : Problems
        Gets what cannot be used: patterns without a file, files that do not exist.

    Returns
    -------
    list of DataSource
        In the order of the study; files of a pattern by name.
    """
    sources: list[DataSource] = []
    for number, item in enumerate(settings.data, start=1):
        where = f"data, item {number}"
        with problems.noted(where):
            sources += _written_out(item, settings.folder, where)
    return sources


def load_data_sets(settings: StudySettings, problems: Problems) -> dict[str, DataSet]:
    """Read and check every data set of a study.

    Parameters
    ----------
    settings : StudySettings
        Of the study.
    problems : Problems
        Gets everything that is wrong with any of them.

    Returns
    -------
    dict of str to DataSet
        By the names that results use: those of the data sets, or as written where two files
        have one name.
    """
    loaded: list[tuple[DataSource, DataSet]] = []
    for source in data_sources(settings, problems):
        with problems.noted(f"{source.where} ({source.written})"):
            data = load_data(source.source, **source.reading)
            check_comparable(data)
            loaded.append((source, data))
    results: dict[str, DataSet] = {}
    names = _distinct([(data.name, source.written) for source, data in loaded])
    for (source, data), name in zip(loaded, names, strict=True):
        if name in results:
            problems.note(
                f"{source.where}: names of data sets must differ; got {name} twice. "
                f'Give one another: {{file = "{source.written}", name = "..."}}.'
            )
        results[name] = replace(data, name=name)
    _check_together(results, problems)
    return results


def names_in_files(settings: StudySettings) -> tuple[list[str], bool]:
    """Return what results call the data sets of a study, as far as its file says.

    Nothing is read or fetched.

    Returns
    -------
    names : list of str
        Of files and of names; entries that cannot be used have none.
    is_all : bool
        Whether there are no others, since those of OpenML have names that only it knows.
    """
    here = tuple(item for item in settings.data if item.kind == FILE)
    sources = data_sources(replace(settings, data=here), Problems(settings.title))
    is_all = len(here) == len(settings.data) and not any(_is_openml(s.source) for s in sources)
    known = [
        source for source in sources if "name" in source.reading or not _is_openml(source.source)
    ]
    return _distinct([(source.name, source.written) for source in known]), is_all


def _is_openml(source: str | Path) -> bool:
    return isinstance(source, str) and source.casefold().startswith("openml:")


def _distinct(names: Sequence[tuple[str, str]]) -> list[str]:
    """Return names, or what is written where two have one name."""
    counts = Counter(name for name, _ in names)
    return [name if counts[name] == 1 else written for name, written in names]


def _check_together(data_sets: Mapping[str, DataSet], problems: Problems) -> None:
    by_content = grouped((data.id, name) for name, data in data_sets.items())
    by_task = grouped((data.task, name) for name, data in data_sets.items())
    for names in by_content.values():
        if len(names) > 1:
            problems.note(
                f"data: data sets must be different; got the same rows as {' and '.join(names)}. "
                "Leave all but one out: they would count more than once."
            )
    if len(by_task) > 1:
        said = "; ".join(f"{task}: {named(names, _MOST_NAMED)}" for task, names in by_task.items())
        problems.note(
            f"data: data sets must have one task; got {said}. Write a study of each kind; both "
            'may share a store. Where a target was misread, say {task = "classification"}.'
        )
    if len(data_sets) == 1 and not problems.texts:
        problems.note(
            f"data: a study must have at least two data sets; got {next(iter(data_sets))} alone. "
            "Use bestofk compare for a single one."
        )


def _written_out(item: DataItem, folder: Path, where: str) -> Iterator[DataSource]:
    if item.kind == OPENML_SUITE:
        _refuse_shared_name(item, where)
        for task in openml_suite(int(item.source)):
            yield _task_source(task, item.reading, where)
    elif item.kind == OPENML_TASK:
        yield _task_source(int(item.source), item.reading, where)
    else:
        yield from _files(item, folder, where)


def _task_source(number: int, reading: Mapping[str, Any], where: str) -> DataSource:
    source, target = openml_task(number)
    return DataSource(source, f"openml_task {number}", {"target": target, **reading}, where)


def _files(item: DataItem, folder: Path, where: str) -> Iterator[DataSource]:
    text = str(item.source)
    path = folder / text
    if is_known_name(text) or path.exists():
        source: str | Path = text if is_known_name(text) else path
        reading = item.reading if _is_openml(source) else {"name": text, **item.reading}
        yield DataSource(source, text, reading if source == text else item.reading, where)
        return
    if not _PATTERN & set(text):
        if "/" in text or path.suffix:
            raise InvalidArgumentError(
                f"file of a data set must exist; got {text}, and no file {path}. Put it there, "
                "or leave it out."
            )
        yield DataSource(text, text, item.reading, where)  # told with the nearest name
        return
    _refuse_shared_name(item, where)
    paths = sorted(glob.glob(text, root_dir=folder, recursive=True))
    files = [name for name in paths if (folder / name).is_file()]
    if not files:
        raise InvalidArgumentError(
            f"pattern of data sets must fit a file; got {text} in {folder.absolute()}. "
            "Check it; ** stands for folders."
        )
    for name in files:
        yield DataSource(folder / name, name, item.reading, where)


def _refuse_shared_name(item: DataItem, where: str) -> None:
    if "name" in item.reading:
        raise InvalidArgumentError(
            f"name must be left out where an entry stands for several data sets; got "
            f"{item.reading['name']!r}. Each has its own."
        )

"""Study: many learners on many data sets, run in parts, resumed, and compared together."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from bestofk.comparison.call_context import observer_of, resume_line
from bestofk.comparison.comparison import Comparison
from bestofk.comparison.comparison_across import ComparisonAcross
from bestofk.comparison.data_set_mapping import check_ranked, with_shared_measure
from bestofk.comparison.options import ComparisonSettings
from bestofk.comparison.prepared_comparison import (
    PreparedComparison,
    prepare_comparison,
    run_comparisons,
)
from bestofk.evaluation import Observer, Store
from bestofk.evaluation.engines.choice import check_engine
from bestofk.evaluation.options import counted_time
from bestofk.evaluation.queue.shards import NO_SHARD, Shard
from bestofk.options import chosen
from bestofk.studies.added_results import AddedResults, StudyComparison, check_joining, read_results
from bestofk.studies.problems import Problems
from bestofk.studies.study_data import load_data_sets
from bestofk.studies.study_file import read_study_file
from bestofk.studies.study_learners import made_learners, own_limits
from bestofk.studies.study_settings import StudySettings
from bestofk.studies.study_status import StudyStatus, check_was_run, planned_status, read_status
from bestofk.words import printable


@dataclass(frozen=True, eq=False)
class PreparedStudy:
    """A study that was checked and planned.

    Parameters
    ----------
    parts : mapping of str to PreparedComparison
        One for each data set.
    settings : ComparisonSettings
        Of each of them, but for what a call decides.
    control : str or None
        Learner that all others are held against.
    notes : tuple of str
        About the measure.
    added : tuple of AddedResults
        Results made elsewhere.
    """

    parts: Mapping[str, PreparedComparison]
    settings: ComparisonSettings
    control: str | None
    notes: tuple[str, ...]
    added: tuple[AddedResults, ...] = ()

    def run(
        self, store: Store, observer: Observer | None, names: Sequence[str], **call: Any
    ) -> dict[str, Comparison]:
        """Do the missing runs of some data sets.

        Parameters
        ----------
        store : Store
            Where runs are found and put.
        observer : Observer or None
            Receives the events.
        names : sequence of str
            Of the data sets.
        **call
            What a request for runs has in addition: engine, n_jobs, budget, shard, retry_failed.

        Returns
        -------
        dict of str to Comparison
            By data set; without those that an interruption left without any run.
        """
        parts = {
            name: replace(self.parts[name], request=replace(self.parts[name].request, **call))
            for name in names
        }
        return run_comparisons(parts, store, observer)

    def weighed(self, results: Mapping[str, Comparison], store: Store) -> StudyComparison:
        """Return the comparison over the data sets that have results."""
        return StudyComparison(
            comparisons=results,
            settings=self.settings,
            control=self.control,
            notes=self.notes,
            not_begun=tuple(name for name in self.parts if name not in results),
            resume=resume_line(store),
            added=self.added,
        )


def prepare_study(settings: StudySettings) -> PreparedStudy:
    """Read all data, make all learners and draw all plans; report every mistake at once.

    Parameters
    ----------
    settings : StudySettings
        What the study says.

    Raises
    ------
    InvalidArgumentError
        Names every problem of every data set and learner.
    """
    problems = Problems(settings.title)
    with problems.noted("engine"):
        check_engine(settings.engine, settings.n_jobs)
    data = load_data_sets(settings, problems)
    tasks = {item.task for item in data.values()}
    if len(tasks) != 1:
        problems.refuse()
    learners = made_learners(settings, tasks.pop(), problems)
    problems.refuse()
    options = chosen(ComparisonSettings, {"cv": "auto", **settings.options})
    given, notes = with_shared_measure(
        ComparisonSettings(
            **options, engine=settings.engine, n_jobs=settings.n_jobs, budget=settings.budget
        ),
        data,
    )
    own = own_limits(settings, given.limits)
    parts: dict[str, PreparedComparison] = {}
    for name, data_set in data.items():
        with problems.noted(name):
            part = prepare_comparison(learners, data_set, given)
            parts[name] = replace(part, request=replace(part.request, own_limits=own))
    problems.refuse()
    control = settings.options.get("control")
    with problems.noted("learners"):
        check_ranked(next(iter(parts.values())), control)
    measure = next(iter(parts.values())).measures[0]
    added = []
    for number, path in enumerate(settings.results, start=1):
        with problems.noted(f"results, item {number}"):
            added.append(read_results(path, measure))
            names = [learner.name for learner in part.request.learners]
            check_joining(added[-1], parts, names, given.prefer)
    problems.refuse()
    return PreparedStudy(parts, given, control, notes, tuple(added))


class Study:
    """Comparison of many learners on many data sets with one plan and one store.

    Every finished run is kept in the store, so a study can be interrupted at any moment, and
    each call does only what is missing. Engine, number of processes and budget change no score.

    Parameters
    ----------
    settings : StudySettings
        From `bestofk.studies.read_study_file`, or built in Python.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "trees.toml")
    >>> _ = path.write_text('''
    ... data = ["iris", "wine", "play-tennis"]
    ... learners = ["cart", "nearest-mean", "majority"]
    ... cv = "2x2"
    ... ''')
    >>> study = Study.read(path)
    >>> result = study.run(engine="serial", progress=False)
    >>> result.best, result.findings.n_fitted, result["iris"].best
    ('nearest-mean', 36, 'cart')
    >>> study.run(engine="serial", progress=False).findings.n_fitted
    0
    """

    def __init__(self, settings: StudySettings) -> None:
        self.settings = settings

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Study:
        """Read a study file.

        Parameters
        ----------
        path : str or Path
            A TOML file; see `bestofk.studies.read_study_file`.

        Raises
        ------
        InvalidArgumentError
            If keys or values break their rules; the message names all of them.
        """
        return cls(read_study_file(path))

    def __repr__(self) -> str:
        return printable(f"<Study {self.settings.title}, runs in {self.settings.store}>")

    def check(self) -> None:
        """Check a study: read all data, and make all learners and plans; nothing is trained.

        Raises
        ------
        InvalidArgumentError
            If something cannot be used; the message names every problem.
        """
        _ = self._prepared

    @counted_time()
    def run(
        self,
        shard: str | None = None,
        *,
        engine: Any = None,
        n_jobs: int | None = None,
        budget: float | None = None,
        progress: bool | str | Observer = "auto",
    ) -> ComparisonAcross:
        """Do the missing runs, and compare over all runs.

        Parameters
        ----------
        shard : str, optional
            The part of all runs that is done here, as ``"3/10"``: into a store of its own, next
            to that of the study, to be merged by `bestofk.merge_stores`.
        engine : str, concurrent.futures.Executor or distributed.Client, optional
            Where runs are done, in place of what the study says; see `bestofk.compare`.
        n_jobs : int, optional
            Processes, in place of what the study says.
        budget : float, optional
            Seconds after which no run starts, in place of what the study says.
        progress : {"auto", True, False} or Observer, default="auto"
            As for `bestofk.compare`.

        Returns
        -------
        ComparisonAcross
            Verdict on all runs done so far. Runs that failed are tried again as often as `retries`
            of the study says, where this call did any.

        Raises
        ------
        InvalidArgumentError, DesignError
            Before anything is trained, if something cannot be used.
        StoreError
            If the store cannot be used.
        """
        call = _given(engine=engine, n_jobs=n_jobs, budget=budget)
        if shard is not None:
            call["shard"] = Shard.parse(shard)
        prepared, observer = self._prepared, observer_of(progress)
        with Store(self.store_of(shard)) as store:
            results = prepared.run(store, observer, list(prepared.parts), **call)
            for _ in range(self.settings.retries):
                failed = [name for name in results if _has_new_failures(results[name])]
                if not failed:
                    break
                results |= prepared.run(store, observer, failed, retry_failed=True, **call)
            return prepared.weighed(results, store)

    def store_of(self, shard: str | None = None) -> Path:
        """Return the file that keeps the runs of a shard, by default those of the study.

        Examples
        --------
        >>> Study(StudySettings(data=(), store=Path("trees.db"))).store_of("2/3").name
        'trees.shard-2-of-3.db'
        """
        store = self.settings.store
        if shard is None:
            return store
        part = Shard.parse(shard)
        name = f"{store.stem}.shard-{part.number}-of-{part.n_shards}{store.suffix}"
        return store.with_name(name)

    @counted_time()
    def retry(
        self,
        *,
        engine: Any = None,
        n_jobs: int | None = None,
        budget: float | None = None,
        progress: bool | str | Observer = "auto",
    ) -> ComparisonAcross:
        """Repeat failed runs, and do the missing ones.

        Parameters
        ----------
        engine, n_jobs, budget, progress
            As for `run`.

        Returns
        -------
        ComparisonAcross
            Verdict on all runs done so far.
        """
        call = _given(engine=engine, n_jobs=n_jobs, budget=budget)
        return self._run_all(observer_of(progress), retry_failed=True, **call)

    def result(self) -> ComparisonAcross:
        """Compare over the runs in the store; nothing is trained.

        Returns
        -------
        ComparisonAcross
            Data sets with missing runs take no part in its verdict.

        Raises
        ------
        StoreError
            If there is no store yet.
        """
        check_was_run(self.settings)
        return self._run_all(None, shard=NO_SHARD)

    def _run_all(self, observer: Observer | None, **call: Any) -> ComparisonAcross:
        """Run all data sets in the store of the study, and return the verdict."""
        prepared = self._prepared
        with Store(self.settings.store) as store:
            results = prepared.run(store, observer, list(prepared.parts), **call)
            return prepared.weighed(results, store)

    def add(self, source: str | os.PathLike[str]) -> Study:
        """Return the study with results from elsewhere added to its verdict.

        Their means per data set join as further learners or further data sets; nothing is
        paired by splits. Learners that lack a data set are treated as any missing results.

        Parameters
        ----------
        source : str or Path
            A table of scores with data sets, as `bestofk.compare_scores_across` takes it. Data
            sets and learners are those of the study where they have the same names.

        Raises
        ------
        InvalidArgumentError, DesignError
            If the table cannot be read, or lacks the measure of the study.
        """
        path = Path(os.path.relpath(source, self.settings.folder))
        results = (*self.settings.results, self.settings.folder / path)
        study = Study(replace(self.settings, results=results))
        study.check()
        return study

    def status(self) -> StudyStatus:
        """Count the runs in the store; nothing is trained.

        It can be asked for while the study runs.  Data are read only where there is no store yet,
        to count the runs of the plans.

        Returns
        -------
        StudyStatus
            With a count of each state per data set and learner, and the time left.
        """
        if self.settings.store.exists():
            return read_status(self.settings)
        return planned_status({name: part.request for name, part in self._prepared.parts.items()})

    def report(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> ComparisonAcross:
        """Write the HTML report on the runs in the store; nothing is trained.

        Parameters
        ----------
        path : str or Path
            The page.
        overwrite : bool, default=False
            Whether an existing file may be replaced.

        Returns
        -------
        ComparisonAcross
            What the report is on.
        """
        result = self.result()
        result.to_html(path, overwrite=overwrite)
        return result

    @cached_property
    def _prepared(self) -> PreparedStudy:
        return prepare_study(self.settings)


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _has_new_failures(comparison: Comparison) -> bool:
    """Return whether runs that this call did may have failed, and nothing asked for an end."""
    evaluation = comparison.evaluation
    is_cut_off = evaluation.is_interrupted or evaluation.is_out_of_time
    return bool(evaluation.n_fitted and evaluation.has_failed.any() and not is_cut_off)

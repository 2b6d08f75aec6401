"""Prepared study: data read, learners made and plans drawn, before anything is trained."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bestofk.comparison.call_context import resume_line
from bestofk.comparison.comparison import Comparison
from bestofk.comparison.data_set_mapping import check_ranked, with_shared_measure
from bestofk.comparison.options import ComparisonSettings
from bestofk.comparison.prepared_comparison import (
    PreparedComparison,
    prepare_comparison,
    run_comparisons,
)
from bestofk.evaluation import Observer, Store
from bestofk.evaluation.engines.choice import check_engine
from bestofk.options import chosen
from bestofk.studies.added_results import AddedResults, StudyComparison, check_joining, read_results
from bestofk.studies.problems import Problems
from bestofk.studies.study_data import load_data_sets
from bestofk.studies.study_learners import made_learners, own_limits
from bestofk.studies.study_settings import StudySettings


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
    """Read all data, make all learners and draw all plans; refuse everything that is wrong.

    Parameters
    ----------
    settings : StudySettings
        What the study says.

    Raises
    ------
    InvalidArgumentError
        With every problem of every data set and learner.
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

"""Learners of a study: names of the catalogue, and learners of Python files."""

from collections.abc import Mapping
from typing import Any

from bestofk.evaluation.guarded.limits import Limits
from bestofk.learners import Learner, is_group, learner_catalogue, resolve_learners
from bestofk.learners.from_file import is_of_file, learner_from_file, name_in_results
from bestofk.studies.problems import Problems
from bestofk.studies.study_settings import LearnerItem, StudySettings
from bestofk.tuning.spaces import tuned_entry


def learner_name(item: LearnerItem) -> str:
    """Return what a learner is called in results, without making it.

    Examples
    --------
    >>> [learner_name(LearnerItem(text)) for text in ("tuned( svm )", "mine.py:Mine")]
    ['tuned(svm)', 'Mine']
    """
    return item.name or name_in_results(item.learner)


def made_learners(settings: StudySettings, task: str, problems: Problems) -> list[Learner]:
    """Return the learners of a study, as far as they can be made.

    Parameters
    ----------
    settings : StudySettings
        Of the study.
    task : {"classification", "regression"}
        What they predict.
    problems : Problems
        Gets what is wrong with each of them.

    Returns
    -------
    list of Learner
        Those of the default set where it names none.
    """
    learners: list[Any] = []
    entered: list[Learner] = []
    for number, item in enumerate(settings.learners, start=1):
        with problems.noted(f"learners, item {number}"):
            learner = _made(item, settings)
            if not is_group(learner):  # which depends on the others
                resolve_learners([learner], task)
            learners.append(learner)
    if not problems.texts:
        with problems.noted("learners"):
            entered = resolve_learners(learners or None, task)
    return entered


def _made(item: LearnerItem, settings: StudySettings) -> Any:
    if not is_of_file(item.learner):
        return (item.name, item.learner) if item.name else item.learner
    name, estimator = learner_from_file(item.learner, settings.folder)
    return item.name or name, estimator


def names_in_store(settings: StudySettings) -> list[str]:
    """Return what the learners of a study may be called in its store; empty where groups say so."""
    names = [learner_name(item) for item in settings.learners]
    if any(map(is_group, names)):
        return []
    return [*names, *map(tuned_name, names)] if settings.options.get("tune") else names


def tuned_name(name: str) -> str:
    """Return what a learner is called once it is tuned, with ``tune = true``.

    Examples
    --------
    >>> tuned_name("5nn"), tuned_name("mine")
    ('tuned(knn)', 'tuned(mine)')
    """
    entry = learner_catalogue(optional=True).get(name)
    tuned = None if entry is None else tuned_entry(entry.make())
    return f"tuned({name if tuned is None else tuned.tuned_name or tuned.name})"


def own_limits(settings: StudySettings, limits: Limits) -> Mapping[str, Limits]:
    """Return the limits of learners that have their own, by name.

    Parameters
    ----------
    settings : StudySettings
        Of the study.
    limits : Limits
        Of all others; hold where a learner has no own one of a kind.
    """
    own = {
        learner_name(item): Limits(
            limits.seconds if item.limits.seconds is None else item.limits.seconds,
            limits.n_bytes if item.limits.n_bytes is None else item.limits.n_bytes,
        )
        for item in settings.learners
        if item.limits != Limits()
    }
    if settings.options.get("tune"):
        own |= {tuned_name(name): value for name, value in own.items()}
    return own

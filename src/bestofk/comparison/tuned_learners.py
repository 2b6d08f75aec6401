"""Learners of a comparison that tune themselves: which, by what measure, and under which names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sklearn.base import clone

from bestofk.learners import Learner, has_inner_search, learner_catalogue
from bestofk.measures import Measure
from bestofk.tuning import Tuned
from bestofk.tuning.spaces import tuned_entry


def tuned_learners(learners: Sequence[Learner], measure: Measure, *, tune: bool) -> list[Learner]:
    """Return the learners of a comparison, with those tuned that are to be.

    Parameters
    ----------
    learners : sequence of Learner
        As entered.
    measure : Measure
        The deciding measure, by which settings are chosen where a learner names none.
    tune : bool
        Whether every learner with a space in the catalogue is tuned, once for every space.

    Returns
    -------
    list of Learner
        A learner of the catalogue has the name of the first entry with its space, so that 1nn
        and 5nn are both ``tuned(knn)``, and come once.

    Raises
    ------
    InvalidArgumentError
        If a learner has no space, or a setting of `Tuned` breaks its rule.
    """
    result: dict[str, Learner] = {}
    for learner in learners:
        own = _tuned(learner) if tune else learner
        if isinstance(own.estimator, Tuned):
            own.estimator.settings()  # raises where it cannot be tuned
            if own.estimator.measure is None:
                own = replace(own, estimator=clone(own.estimator).set_params(measure=measure))
        result.setdefault(own.name, own)
    return list(result.values())


def merged_notes(learners: Sequence[Learner]) -> tuple[str, ...]:
    """Return a sentence for learners that are one once they are tuned."""
    merged: dict[str, list[str]] = {}
    for learner in learners:
        merged.setdefault(_tuned(learner).name, []).append(learner.name)
    return tuple(
        f"{', '.join(names)} are tuned over the same space, so they are one learner, {name}."
        for name, names in merged.items()
        if len(names) > 1
    )


def _tuned(learner: Learner) -> Learner:
    if learner.is_baseline or has_inner_search(learner.estimator):
        return learner
    entry = tuned_entry(learner.estimator)
    if entry is None:
        return learner
    estimator, name = learner.estimator, learner.name
    if learner.name in learner_catalogue(optional=True):
        estimator, name = entry.make(), entry.tuned_name or entry.name
    return replace(learner, name=f"tuned({name})", estimator=Tuned(estimator))

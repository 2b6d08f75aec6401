"""Tuned learners of a comparison: choice, measure and names."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sklearn.base import clone

from bestofk.data import DataSet
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.identity.identity import identify
from bestofk.learners import Learner, is_learner_name, learner_catalogue
from bestofk.learners.resolve import named_learner
from bestofk.measures import Measure
from bestofk.tuning import Tuned
from bestofk.tuning.inner_losses import MeasureOfLogarithms, inner_measure
from bestofk.tuning.spaces import is_tuned_by_default, tuned_entry
from bestofk.words import listing


def tuned_learners(
    learners: Sequence[Learner], measure: Measure, data: DataSet, *, tune: bool
) -> tuple[list[Learner], tuple[str, ...]]:
    """Return the learners of a comparison, tuned where requested.

    Parameters
    ----------
    learners : sequence of Learner
        As entered.
    measure : Measure
        The deciding measure, by which settings are chosen where a learner names none.
    data : DataSet
        Its classes, and the unit of its target, in which settings are chosen.
    tune : bool
        Whether every learner is tuned that the catalogue has a space for and tunes by default.

    Returns
    -------
    learners : list of Learner
        Once for every tuned learner. One that is as the catalogue has it gets the name of the
        first entry with its space, so that 1nn and 5nn are both ``tuned(knn)``.
    notes : tuple of str
        Sentences on learners that are one once they are tuned, and on those left as they are.

    Raises
    ------
    InvalidArgumentError
        If a learner has no space, a setting of `Tuned` breaks its rule, or two learners would
        have one name.
    """
    kept: dict[str, Learner] = {}
    merged: dict[str, list[str]] = {}
    for learner in learners:
        own = _with_measure(_tuned(learner) if tune else learner, measure, data)
        # what the user named stays apart
        is_written = isinstance(own.estimator, Tuned) and own.name.startswith("tuned(")
        key = identify(own.name, own.estimator).id if is_written else own.name
        _check_name(own, [other for k, other in kept.items() if k != key])
        merged.setdefault(kept.setdefault(key, own).name, []).append(learner.name)
    notes = tuple(
        f"{', '.join(names)} are tuned over the same space, so they count as one learner, {name}."
        for name, names in merged.items()
        if len(names) > 1
    )
    return list(kept.values()), (*notes, *(_left_text(learners) if tune else ()))


def _with_measure(learner: Learner, measure: Measure, data: DataSet) -> Learner:
    """Return a learner that is tuned by a measure if it names none itself."""
    if not isinstance(learner.estimator, Tuned):
        return learner
    learner.estimator.settings()  # raises where it cannot be tuned
    if learner.estimator.measure is not None:
        measure = inner_measure(learner.estimator.measure, data.classes)  # raises where it is none
        if not data.target_transform:
            return learner
    if data.target_transform:
        measure = MeasureOfLogarithms(measure)
    return replace(learner, estimator=clone(learner.estimator).set_params(measure=measure))


def _check_name(learner: Learner, others: Sequence[Learner]) -> None:
    if learner.name in [other.name for other in others]:
        raise InvalidArgumentError(
            f"names of learners must differ once they are tuned; got {learner.name!r} more than "
            "once. Give each a name of its own in a dict."
        )


def _tuned(learner: Learner) -> Learner:
    if learner.is_baseline or learner.inner_searches:
        return learner
    entry = tuned_entry(learner.estimator)
    if entry is None or not is_tuned_by_default(entry):
        return learner
    if not _is_as_in_catalogue(learner):
        return replace(learner, name=f"tuned({learner.name})", estimator=Tuned(learner.estimator))
    return replace(
        learner, name=f"tuned({entry.tuned_name or entry.name})", estimator=Tuned(entry.make())
    )


def _left_text(learners: Sequence[Learner]) -> Iterator[str]:
    """Return a note on learners that have a tuning space but are left untuned."""
    left = [
        learner.name
        for learner in learners
        if not learner.inner_searches
        and (entry := tuned_entry(learner.estimator)) is not None
        and not is_tuned_by_default(entry)
    ]
    if left:
        yield (
            f"Left untuned: {listing(left)}. Tests of them, once tuned, are not known to be wrong "
            "in about as many cases as their level says. Write tuned(NAME) to tune one all the "
            "same."
        )


def _is_as_in_catalogue(learner: Learner) -> bool:
    """Return whether a learner equals the catalogue's learner of the same name."""
    name = learner.name
    if name not in learner_catalogue(optional=True) or not is_learner_name(name):
        return False
    return identify(name, named_learner(name)).id == identify(name, learner.estimator).id

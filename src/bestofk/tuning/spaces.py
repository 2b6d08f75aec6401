"""Spaces of the catalogue, found by the class of a learner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from bestofk.batched.preparation import split_pipeline
from bestofk.errors import InvalidArgumentError
from bestofk.learners.catalogue import learner_catalogue, traits_of
from bestofk.learners.entry import NO_TRAITS, LearnerEntry, class_in_memory
from bestofk.tuning.paths.catalogue import SETTING_PATHS

# Shares of wrong rejections at a level of 5 % that count as holding it.
HELD_LEVELS: Final = (0.03, 0.07)
Space = Mapping[str, Any] | Sequence[Mapping[str, Any]]


def space_of(learner: Any, space: Any = None) -> Any:
    """Return the space that is tuned over: the given one, or that of the catalogue.

    Parameters
    ----------
    learner : estimator
        Of a pipeline the last step counts.
    space : dict, list of dict or None, default=None
        As for `bestofk.tuning.Tuned`.

    Raises
    ------
    InvalidArgumentError
        If no space is given and the catalogue has none for the class.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> space_of(Ridge())["alpha"][:3]
    [0.001, 0.01, 0.1]
    """
    if space is not None:
        return space
    own = catalogue_space(learner)
    if not own:
        cls = type(split_pipeline(learner)[1]).__name__
        raise InvalidArgumentError(
            f"space of Tuned must be given for a learner without one in the catalogue; got None "
            f"for {cls}. Write Tuned(learner, {{'parameter': [values]}})."
        )
    return own


def catalogue_space(learner: Any) -> Space | None:
    """Return the space that the catalogue has for a learner; None where it has none."""
    entry = tuned_entry(learner)
    return None if entry is None else entry.space


def tuned_entry(learner: Any) -> LearnerEntry | None:
    """Return the entry of the catalogue whose space a learner is tuned over.

    Parameters
    ----------
    learner : estimator
        Of a pipeline the last step counts: its class and settings decide, or else its family.

    Returns
    -------
    LearnerEntry or None
        Of those with equal spaces the one with a `tuned_name`, else the first. None where nothing
        is to be tuned.

    Examples
    --------
    >>> from bestofk.learners import learner_catalogue
    >>> tuned_entry(learner_catalogue()["1nn"].make()).tuned_name
    'knn'
    """
    last = split_pipeline(learner)[1]
    entries = list(learner_catalogue(optional=True).values())
    same = [entry for entry in entries if class_in_memory(entry.estimator) is type(last)]
    if not same:
        traits = traits_of(last)
        family = [entry for entry in entries if entry.traits == traits != NO_TRAITS and entry.space]
        return next((entry for entry in family if _fits(entry.space, last)), None)
    known = last.get_params(deep=False)
    # several entries may make one class, such as support vectors with two kernels
    nearest = min(
        same,
        key=lambda entry: (
            sum(known[name] != value for name, value in entry.settings.items()),
            -len(entry.settings),
        ),
    )
    equal = [entry for entry in same if entry.space and entry.space == nearest.space]
    return max(equal, key=lambda entry: bool(entry.tuned_name), default=None)


def _fits(space: Space, learner: Any) -> bool:
    grids = [space] if isinstance(space, Mapping) else space
    return all(name in learner.get_params() for grid in grids for name in grid)


def is_tuned_by_default(entry: LearnerEntry) -> bool:
    """Return whether ``tune=True`` tunes it: with shared work only if tests were found to hold."""
    low, high = HELD_LEVELS
    return entry.estimator not in SETTING_PATHS or low <= (entry.tuned_level or 0.0) <= high

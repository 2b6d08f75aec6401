"""Spaces of the catalogue, found by the class of a learner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bestofk.batched.preparation import split_pipeline
from bestofk.errors import InvalidArgumentError
from bestofk.learners.catalogue import learner_catalogue

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
    """Return the space that the catalogue has for the class of a learner; None where none."""
    last = split_pipeline(learner)[1]
    cls = type(last)
    for entry in learner_catalogue(optional=True).values():
        module, _, name = entry.estimator.rpartition(".")
        if entry.space and cls.__name__ == name and cls.__module__.startswith(module):
            return entry.space
    return None

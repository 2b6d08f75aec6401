"""Spaces of the catalogue, found by the class of a learner."""

from __future__ import annotations

import sys
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
    entries = [
        entry
        for entry in learner_catalogue(optional=True).values()
        if entry.space and _is_path_of(entry.estimator, cls)
    ]
    known = last.get_params(deep=False) if entries else {}
    # several entries may make one class, such as support vectors with two kernels
    entries.sort(
        key=lambda entry: (
            sum(known[name] != value for name, value in entry.settings.items()),
            -len(entry.settings),
        )
    )
    return entries[0].space if entries else None


def _is_path_of(path: str, cls: type) -> bool:
    module, _, name = path.rpartition(".")
    loaded = sys.modules.get(module)
    return loaded is not None and getattr(loaded, name, None) is cls

"""Is this the same learner as one that ran before: identity from class, parameters and code.

Classes and functions of installed packages are known by name and version.  Those of a
notebook, a script or an editable checkout are known by their source and compiled code,
and by everything of the kind that they refer to.  What cannot be read has no identity
and is never reused.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import inspect
import json
import sys
import sysconfig
import textwrap
import types
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class LearnerIdentity:
    """What a learner is known by in a store.

    Parameters
    ----------
    id : str
        32 hexadecimal digits; random where the learner cannot be read.
    is_reusable : bool
        Whether the same learner will get the same id again.
    stream_name : str
        What its random streams are derived from.
    class_name, version, parameters : str
        For people: the class, the version of its package, the settings as JSON.
    unseeded : tuple of str
        Parameters named ``random_state`` (nested ones too) that are None; a run fills them.
    fixed : tuple of str
        Parameters named ``random_state`` that hold an integer; a run keeps them.
    reason : str
        Why the learner cannot be read; empty where it can.
    """

    id: str
    is_reusable: bool
    stream_name: str
    class_name: str
    version: str
    parameters: str
    unseeded: tuple[str, ...]
    fixed: tuple[str, ...]
    reason: str


def identify(name: str, estimator: Any) -> LearnerIdentity:
    """Return what a learner is known by.

    Parameters
    ----------
    name : str
        Its name in the comparison; used only where the content cannot be read.
    estimator : object
        A scikit-learn estimator, or anything with `fit` and `predict`.

    Returns
    -------
    LearnerIdentity
        Equal ids mean: same class, same code, same parameters.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> a = identify("a", DecisionTreeClassifier(max_depth=3))
    >>> b = identify("b", DecisionTreeClassifier(max_depth=3))
    >>> a.id == b.id, a.unseeded
    (True, ('random_state',))
    """
    cls = type(estimator)
    states = _random_states(estimator)
    try:
        learner_id, reason = content_id(estimator), ""
    except UnreadableError as error:
        learner_id, reason = uuid.uuid4().hex, str(error)
    return LearnerIdentity(
        id=learner_id,
        is_reusable=not reason,
        stream_name=f"unreadable {name}" if reason else learner_id,
        class_name=f"{cls.__module__}.{cls.__qualname__}",
        version=_version_of(cls.__module__) or "own code",
        parameters=_parameter_text(estimator),
        unseeded=tuple(key for key, value in states.items() if value is None),
        fixed=tuple(k for k, v in states.items() if isinstance(v, int | np.integer)),
        reason=reason,
    )


def _random_states(estimator: Any) -> dict[str, Any]:
    if not hasattr(estimator, "get_params"):
        return {}
    parameters = estimator.get_params(deep=True)
    return {k: parameters[k] for k in sorted(parameters) if k.split("__")[-1] == "random_state"}


def _parameter_text(estimator: Any) -> str:
    if not hasattr(estimator, "get_params"):
        return "{}"
    parameters = estimator.get_params(deep=True)
    return json.dumps({k: repr(parameters[k])[:500] for k in sorted(parameters)})

"""Identity of a learner, from its class, parameters and code.

The content of the learner decides (`fingerprint`), with the settings of scikit-learn that change
what learners do and the number of the code that does runs.  What cannot be read has no identity
and is never reused.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bestofk.evaluation.identity.fingerprint import UnreadableError, fingerprint
from bestofk.evaluation.identity.packages import package_version
from bestofk.evaluation.identity.stream import stream_name
from bestofk.evaluation.run import CODE_VERSION
from bestofk.learners.learner import parameters_of

# Stands in the ids of learners whose runs a batched form does, between the learner's and its own.
BATCHED_MARK = "-joint-"
# Stands before the form of the table, in ids of learners that may see more of it than its content.
TABLE_MARK = "-table-"


@dataclass(frozen=True)
class LearnerIdentity:
    """Identity of a learner in a store.

    Parameters
    ----------
    id : str
        32 hexadecimal digits; random where the learner cannot be read.
    stream_name : str
        What its random streams are derived from; see `bestofk.evaluation.identity.stream`.
    class_name, version, parameters : str
        For people: the class, the version of its package, the settings as JSON.
    fixed : tuple of str
        Parameters named ``random_state`` that hold an integer or a generator; a run keeps them.
    reason : str
        Why the learner cannot be read; empty where it can.
    """

    id: str
    stream_name: str
    class_name: str
    version: str
    parameters: str
    fixed: tuple[str, ...]
    reason: str

    @property
    def is_batched(self) -> bool:
        """True if the runs were done in batched form."""
        return BATCHED_MARK in self.id

    def on_table(self, form: str) -> LearnerIdentity:
        """Return what the learner is known by on tables of one form, see `DataSet.form`."""
        return replace(self, id=f"{self.id}{TABLE_MARK}{form}")

    def batched_identity(self, code: Sequence[Any]) -> LearnerIdentity:
        """Return what the learner is known by where a batched form does its runs.

        Parameters
        ----------
        code : sequence of classes and functions
            What decides what the form predicts. Folds that it leaves are done the plain way, so
            the id of the learner itself stays a part.

        Returns
        -------
        LearnerIdentity
        """
        try:
            digits = fingerprint(list(code))[:16]
        except UnreadableError:
            digits = uuid.uuid4().hex[:16]
        return replace(self, id=f"{self.id}{BATCHED_MARK}{digits}")


def bare_id(learner_id: str) -> str:
    """Return the id of a learner by itself, whatever table it saw and however it was trained."""
    return learner_id.split(TABLE_MARK)[0].split(BATCHED_MARK)[0]


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
    >>> a.id == b.id, a.version == b.version
    (True, True)
    """
    cls = type(estimator)
    parameters = parameters_of(estimator)
    states = {k: v for k, v in parameters.items() if k.split("__")[-1] == "random_state"}
    settings = _settings()
    reason = ""
    try:
        learner_id = fingerprint([estimator, settings, CODE_VERSION])
    except UnreadableError as error:
        learner_id, reason = uuid.uuid4().hex, str(error)
    return LearnerIdentity(
        id=learner_id,
        stream_name=stream_name(estimator),
        class_name=f"{cls.__module__}.{cls.__qualname__}",
        version=package_version(cls.__module__) or "own code",
        parameters=json.dumps({name: repr(value)[:500] for name, value in parameters.items()}),
        fixed=tuple(key for key, value in states.items() if _is_fixed(value)),
        reason=reason,
    )


def _settings() -> dict[str, Any]:
    """Return what is set for all of scikit-learn and not as usual."""
    from sklearn import get_config

    usual = {"enable_metadata_routing": False, "transform_output": "default"}
    config = get_config()
    return {name: config[name] for name in usual if config.get(name) != usual[name]}


def _is_fixed(random_state: Any) -> bool:
    kinds = int | np.integer | np.random.RandomState | np.random.Generator
    return isinstance(random_state, kinds)

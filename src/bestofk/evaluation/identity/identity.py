"""Identity of a learner, from its class, parameters and code.

The content of the learner decides (`fingerprint`), with the settings of scikit-learn that change
what learners do and the number of the code that does runs.  What cannot be read has no identity
and is never reused.  The names of random streams leave the code out, so that the numbers that a
learner draws stay the same when its code is edited, or its package is updated.
"""

from __future__ import annotations

import functools
import inspect
import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bestofk.evaluation.identity.fingerprint import UnreadableError, fingerprint
from bestofk.evaluation.identity.packages import package_version
from bestofk.evaluation.run import CODE_VERSION
from bestofk.learners.learner import parameters_of

# Settings nested deeper than this are not distinguished (nor are loops followed).
_DEPTH = 20


def stream_name(value: Any) -> str:
    """Return a name made of classes and of settings that differ from the defaults.

    Parameters
    ----------
    value : object
        An estimator, or a value of a parameter.

    Returns
    -------
    str
        Two learners may share a name where they differ in what has no short text, such as
        functions; they then draw the same numbers, which harms neither.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> stream_name(DecisionTreeClassifier(max_depth=3))
    'DecisionTreeClassifier(max_depth=3)'
    """
    return _name(value, 0)


def _name(value: Any, depth: int) -> str:
    if value is None or isinstance(value, bool | int | float | str | bytes | np.generic):
        return repr(value)
    if depth > _DEPTH:
        return "..."
    if isinstance(value, list | tuple):
        return f"[{', '.join(_name(item, depth + 1) for item in value)}]"
    if isinstance(value, dict):
        pairs = [f"{_name(k, depth + 1)}: {_name(v, depth + 1)}" for k, v in value.items()]
        return f"{{{', '.join(sorted(pairs))}}}"
    own_name = getattr(value, "__name__", None) if callable(value) else None
    if isinstance(own_name, str):
        return own_name
    name = type(value).__name__
    if not hasattr(value, "get_params"):
        return name
    settings = [f"{key}={text}" for key, text in _unusual(value, depth + 1).items()]
    return f"{name}({', '.join(settings)})"


def _unusual(estimator: Any, depth: int) -> dict[str, str]:
    """Return the parameters of an estimator that differ from the defaults of its class."""
    try:
        parameters = estimator.get_params(deep=False)
        cls: Any = type(estimator)
        defaults = _usual_values(cls)
    except Exception:  # no parameters that could be asked for
        return {}
    texts = {key: _name(parameters[key], depth) for key in sorted(parameters)}
    usual = {key: _name(value, depth) for key, value in defaults.items()}
    return {key: text for key, text in texts.items() if usual.get(key) != text}


@functools.cache
def _usual_values(cls: Any) -> dict[str, Any]:
    """Return the parameters of a class that have a default, and the default."""
    parameters = inspect.signature(cls).parameters
    empty = inspect.Parameter.empty
    return {key: item.default for key, item in parameters.items() if item.default is not empty}


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
        What its random streams are derived from; see `stream_name`.
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
        """Return the identity of the learner on tables of one form, see `DataSet.form`."""
        return replace(self, id=f"{self.id}{TABLE_MARK}{form}")

    def batched_identity(self, code: Sequence[Any]) -> LearnerIdentity:
        """Return the identity of the learner for runs in batched form.

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
    """Return the identity of a learner.

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
    """Return the global settings of scikit-learn that differ from the defaults."""
    from sklearn import get_config

    usual = {"enable_metadata_routing": False, "transform_output": "default"}
    config = get_config()
    return {name: config[name] for name in usual if config.get(name) != usual[name]}


def _is_fixed(random_state: Any) -> bool:
    kinds = int | np.integer | np.random.RandomState | np.random.Generator
    return isinstance(random_state, kinds)

"""Names of the random streams of a learner, from its class and settings, not its code.

So the numbers that a learner draws stay the same when its code is edited, its package is
updated or installed in another way; only its identity in a store changes then.
"""

import functools
import inspect
from typing import Any

import numpy as np

# Settings nested deeper than this are not distinguished (nor are loops followed).
_DEPTH = 20


def stream_name(value: Any) -> str:
    """Return a name made of classes and of the settings that are not their usual ones.

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

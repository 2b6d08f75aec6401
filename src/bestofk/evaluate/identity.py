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


class UnreadableError(Exception):
    """Something has no readable content, so it cannot be recognised later."""


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


def content_id(value: Any) -> str:
    """Return 32 hexadecimal digits that depend on the content of an object alone.

    Raises
    ------
    UnreadableError
        If something in it cannot be read.
    """
    content = json.dumps(_Reader().read(value), sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:32]


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


@functools.cache
def _installed_roots() -> tuple[Path, ...]:
    keys = ("stdlib", "platstdlib", "purelib", "platlib")
    return tuple({Path(sysconfig.get_path(key)).resolve() for key in keys})


@functools.lru_cache(maxsize=4096)
def _version_of(module_name: str) -> str:
    """Return the version of the installed package that a module belongs to, or ''."""
    module = sys.modules.get(module_name)
    if module is None or module_name == "__main__":
        return ""
    root = module_name.split(".")[0]
    file = getattr(module, "__file__", None)
    if file is None:
        return f"python {sys.version_info.major}.{sys.version_info.minor}"
    path = Path(file).resolve()
    if not any(path.is_relative_to(folder) for folder in _installed_roots()):
        return ""
    if not ({"site-packages", "dist-packages"} & set(path.parts)):
        return f"python {sys.version_info.major}.{sys.version_info.minor}"
    version = getattr(sys.modules.get(root), "__version__", None)
    if version is None:
        names = importlib.metadata.packages_distributions().get(root, [root])
        version = importlib.metadata.version(names[0])
    return f"{root} {version}"


class _Reader:
    """Turn an object into plain nested lists that say all that matters about it."""

    def __init__(self) -> None:
        self.known: dict[int, Any] = {}  # code that was read before, kept alive
        self.open: set[int] = set()  # objects being read

    def read(self, value: Any) -> Any:
        if value is None or isinstance(value, bool | int | str):
            return (
                value
                if type(value) in (type(None), bool, int, str)
                else [str(type(value)), str(value)]
            )
        if isinstance(value, float):
            return ["float", value.hex() if np.isfinite(value) else str(value)]
        if isinstance(value, complex | bytes | type(Ellipsis) | range | slice):
            return [type(value).__name__, repr(value)]
        if isinstance(value, np.generic):
            return ["numpy", str(value.dtype), repr(value.item())]
        if isinstance(value, type | types.FunctionType | types.ModuleType):
            if id(value) in self.known:
                return ["again", getattr(value, "__qualname__", value.__name__)]
            self.known[id(value)] = value
            return self._read_object(value)
        if id(value) in self.open:
            raise UnreadableError(f"{type(value).__qualname__} object that contains itself")
        self.open.add(id(value))
        content = self._read_object(value)
        self.open.discard(id(value))
        return content

    def _read_object(self, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [type(value).__name__, [self.read(item) for item in value]]
        if isinstance(value, set | frozenset):
            return [type(value).__name__, sorted(json.dumps(self.read(item)) for item in value)]
        if isinstance(value, Mapping):
            items = [(json.dumps(self.read(k)), self.read(v)) for k, v in value.items()]
            return [type(value).__name__, sorted(items, key=lambda item: item[0])]
        if isinstance(value, np.ndarray):
            return self._read_array(value)
        if isinstance(value, type):
            return self._read_class(value)
        if isinstance(value, types.ModuleType):
            return self._read_module(value)
        if isinstance(value, functools.partial):
            return [
                "partial",
                self.read(value.func),
                self.read(value.args),
                self.read(value.keywords),
            ]
        if isinstance(value, types.MethodType):
            return ["method", self.read(value.__self__), value.__name__]
        if callable(value) and hasattr(value, "__code__"):
            return self._read_function(value)
        if isinstance(value, types.BuiltinFunctionType) or type(value).__name__ == "ufunc":
            return ["builtin", getattr(value, "__module__", None), value.__name__]
        if isinstance(value, classmethod | staticmethod):
            return [type(value).__name__, self.read(value.__func__)]
        if isinstance(value, property):
            return ["property", [self.read(f) for f in (value.fget, value.fset, value.fdel)]]
        if isinstance(value, functools.cached_property):
            return ["property", self.read(value.func)]
        if hasattr(value, "get_params") and not isinstance(value, type):
            return self._read_estimator(value)
        return self._read_state(value)

    def _read_array(self, value: np.ndarray[Any, Any]) -> Any:
        head = ["array", list(value.shape), str(value.dtype)]
        if value.dtype.hasobject:
            return [*head, [self.read(item) for item in value.ravel().tolist()]]
        return [*head, hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()]

    def _read_estimator(self, value: Any) -> Any:
        from sklearn.base import BaseEstimator

        content = ["estimator", self.read(type(value)), self.read(value.get_params(deep=False))]
        own_clone = getattr(type(value), "__sklearn_clone__", None)
        if own_clone not in (None, getattr(BaseEstimator, "__sklearn_clone__", None)):
            content.append(self._read_state(value))  # frozen: its fitted state is what it is
        return content

    def _read_state(self, value: Any) -> Any:
        try:
            parts = value.__reduce_ex__(4)
        except Exception as error:
            raise UnreadableError(f"{type(value).__qualname__} object: {error}") from error
        if isinstance(parts, str):
            return ["global", self.read(type(value)), parts]
        make, arguments, *rest = parts
        state = [list(part) if hasattr(part, "__next__") else part for part in rest]
        return ["object", self.read(make), self.read(arguments), self.read(state)]

    def _read_class(self, cls: type) -> Any:
        version = _version_of(cls.__module__)
        if version:
            return ["class", f"{cls.__module__}.{cls.__qualname__}", version]
        content = []
        for name, attribute in sorted(vars(cls).items()):
            if not _is_put_there(name, attribute):
                content.append([name, self.read(attribute)])
        bases = [self.read(base) for base in cls.__bases__]
        return ["own class", cls.__qualname__, bases, content]

    def _read_module(self, module: types.ModuleType) -> Any:
        version = _version_of(module.__name__)
        if version:
            return ["module", module.__name__, version]
        try:
            return ["own module", module.__name__, inspect.getsource(module)]
        except (OSError, TypeError) as error:
            raise UnreadableError(f"module {module.__name__}: {error}") from error

    def _read_function(self, function: Any) -> Any:
        function = inspect.unwrap(function)
        version = _version_of(getattr(function, "__module__", None) or "")
        if version or not hasattr(function, "__code__"):
            return ["function", f"{function.__module__}.{function.__qualname__}", version]
        try:
            source = _source_of(function.__code__)
        except (OSError, TypeError, IndexError) as error:
            raise UnreadableError(
                f"source of {function.__qualname__}: {error or 'not available'}"
            ) from error
        cells = [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
        outside = {
            name: function.__globals__[name]
            for name in sorted(_names_of(function.__code__))
            if name in function.__globals__
        }
        return [
            "own function",
            source,
            self._read_code(function.__code__),
            self.read([function.__defaults__, function.__kwdefaults__]),
            [self.read(cell) for cell in cells],
            [[name, self.read(value)] for name, value in outside.items()],
        ]

    def _read_code(self, code: types.CodeType) -> Any:
        constants = [
            self._read_code(item) if isinstance(item, types.CodeType) else self.read(item)
            for item in code.co_consts
        ]
        return [code.co_code.hex(), list(code.co_names), list(code.co_varnames), constants]


def _is_put_there(name: str, attribute: Any) -> bool:
    """Return whether Python or scikit-learn, not the author, put an attribute on a class.

    Some come and go while a program runs, as the list of slots that copying leaves behind.
    """
    if name.startswith("__") and name.endswith("__"):
        return not isinstance(attribute, types.FunctionType | classmethod | staticmethod | property)
    is_request = name.startswith("set_") and name.endswith("_request")
    return is_request or name in ("_abc_impl", "_sklearn_auto_wrap_output_keys")


@functools.lru_cache(maxsize=4096)
def _source_of(code: types.CodeType) -> str:
    return textwrap.dedent(inspect.getsource(code))


def _names_of(code: types.CodeType) -> set[str]:
    names = set(code.co_names)
    for item in code.co_consts:
        if isinstance(item, types.CodeType):
            names |= _names_of(item)
    return names


def _is_filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018  # raises where the cell is empty
    except ValueError:
        return False
    return True

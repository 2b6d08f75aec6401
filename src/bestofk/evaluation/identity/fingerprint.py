"""Fingerprints of objects and their code, which change when anything that matters changes.

Classes and functions of installed packages are known by name and version.  Those of a user are
known by the files of their module (`user_code`), in a notebook by the source of each function;
by their compiled code, for a file may have changed since; and by what they refer to.  Those of
this package are known by their names without modules and the number that they declare as
`code_version`, which is raised with every change of what they compute; without a number by the
version of the package.
"""

import copyreg
import functools
import hashlib
import inspect
import json
import os
import sys
import types
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from bestofk.evaluation.identity.packages import (
    PACKAGE,
    is_ours,
    package_version,
    version_of_package,
)
from bestofk.evaluation.identity.user_code import global_names, user_module

_WORDS = (type(None), bool, int, str)
_LITERALS = (complex, bytes, range, slice, type(Ellipsis), type(NotImplemented))
_MAPPINGS = (dict, OrderedDict, types.MappingProxyType)
# What wraps functions in a class, and the attributes that hold what it wraps.
_WRAPPERS = (
    classmethod, staticmethod, property, functools.partialmethod, functools.cached_property
)  # fmt: skip
_WRAPPED = ("__func__", "fget", "fset", "fdel", "func", "args", "keywords")
_PUT_THERE = ("_abc_impl", "_sklearn_auto_wrap_output_keys")
# Packages that what is ours computes with.
_COMPUTING = ("numpy", "scipy", "sklearn")
# What scikit-learn's clone takes along with the parameters.
_CLONED_TOO = ("_metadata_request", "_sklearn_output_config")


class UnreadableError(Exception):
    """Something has no readable content, so it cannot be recognised later."""


def fingerprint(value: Any) -> str:
    """Return 32 hexadecimal digits that depend on the content of an object alone.

    Parameters
    ----------
    value : object
        Plain values, arrays, estimators, functions, classes, modules or anything that can
        be pickled, in any combination.

    Returns
    -------
    str
        Differs where a parameter, the code, what the code refers to, or the version of an
        installed package differs.

    Raises
    ------
    UnreadableError
        If something in it cannot be read.

    Examples
    --------
    >>> fingerprint([1, "a"]) == fingerprint([1, "a"]), fingerprint([1]) == fingerprint([1.0])
    (True, False)
    """
    return hashlib.sha256(_text(value).encode()).hexdigest()[:32]


def _text(value: Any) -> str:
    reader = _Reader()
    try:
        content = reader.read(value)
    except RecursionError as error:
        raise UnreadableError("parts nested too deeply") from error
    if reader.has_ours:
        content = [content, [[name, version_of_package(name)] for name in _COMPUTING]]
    return json.dumps(content)


class _Reader:
    """Turn an object into plain nested lists that say all that matters about it."""

    def __init__(self) -> None:
        self.known: dict[int, tuple[int, Any]] = {}  # code read before: its number, kept alive
        self.open: set[int] = set()  # objects being read
        self.n_generating = 0  # classes being read some of whose methods have no source
        self.has_ours = False  # whether something of this package was read

    def read(self, value: Any) -> Any:
        kind = type(value)
        if kind in _WORDS:
            return value
        if kind is float or kind is np.float64:
            return ["float", value.hex() if np.isfinite(value) else str(value)]
        if kind in _LITERALS:
            return [kind.__name__, repr(value)]
        if isinstance(value, np.generic):
            return ["numpy", str(value.dtype), repr(value.item())]
        if isinstance(value, type | types.FunctionType | types.ModuleType):
            if id(value) in self.known:
                return ["again", self.known[id(value)][0]]
            self.known[id(value)] = len(self.known), value
            return self._read_object(value)
        if id(value) in self.open:
            raise UnreadableError(f"{kind.__qualname__} object that contains itself")
        self.open.add(id(value))
        content = self._read_object(value)
        self.open.discard(id(value))
        return content

    def _read_object(self, value: Any) -> Any:
        kind = type(value)
        if kind in (list, tuple):
            return [kind.__name__, self._read_all(value)]
        if kind in (set, frozenset):
            # in the order of their content: that of the set is another in each process
            return [kind.__name__, self._read_all(sorted(value, key=_text))]
        if kind in _MAPPINGS:
            return [kind.__name__, [self._read_all(item) for item in value.items()]]
        if kind is np.ndarray:
            return self._read_array(value)
        if isinstance(value, type):
            return self._read_class(value)
        if isinstance(value, types.ModuleType):
            return self._read_module(value)
        if value is np.random.mtrand._rand:  # seeded anew for every run
            return ["global generator"]
        if kind is types.CellType:  # empty until its variable is assigned
            return self._read_all([value.cell_contents] if value != types.CellType() else [])
        if isinstance(value, _WRAPPERS):
            return [kind.__name__, self._read_all(getattr(value, p, None) for p in _WRAPPED)]
        if isinstance(value, types.FunctionType):
            return self._global_name(value) or self._read_function(value)
        if hasattr(value, "get_params"):
            return self._read_estimator(value)
        if kind.__module__.startswith("scipy.stats."):
            return self._read_distribution(value) or self._read_state(value)
        return self._read_state(value)

    def _read_all(self, values: Iterable[Any]) -> list[Any]:
        return [self.read(value) for value in values]

    def _read_array(self, value: np.ndarray[Any, Any]) -> Any:
        head = ["array", list(value.shape), str(value.dtype)]
        if value.dtype.hasobject:
            return [*head, self._read_all(value.ravel().tolist())]
        return [*head, hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()]

    def _read_distribution(self, value: Any) -> Any:
        """Read a distribution that scipy offers by name, frozen or not; None for others."""
        dist = getattr(value, "dist", value)
        name = getattr(dist, "name", None)
        offered = getattr(sys.modules.get("scipy.stats"), str(name), None)
        if offered is None or type(offered) is not type(dist):
            return None
        given = [getattr(value, part, None) for part in ("args", "kwds", "a", "b")]
        version = package_version("scipy.stats")
        return ["distribution", name, version, self._read_all(given)]

    def _read_estimator(self, value: Any) -> Any:
        from sklearn.base import BaseEstimator

        try:
            parameters = value.get_params(deep=False)
        except Exception as error:
            raise UnreadableError(f"parameters of {type(value).__qualname__}: {error}") from error
        content = ["estimator", self.read(type(value))]
        later = getattr(type(value), "later_parameters", {})  # without effect where not set
        parameters = {n: v for n, v in parameters.items() if n not in later or v != later[n]}
        content += [[name, self.read(parameters[name])] for name in sorted(parameters)]
        state = getattr(value, "__dict__", {})
        content += [[name, str(state[name])] for name in _CLONED_TOO if name in state]
        own_clone = getattr(type(value), "__sklearn_clone__", None)
        if own_clone not in (None, getattr(BaseEstimator, "__sklearn_clone__", None)):
            content.append(self._read_state(value))  # frozen: its fitted state is what it is
        return content

    def _read_state(self, value: Any) -> Any:
        """Read an object by what it is pickled as, or by the function that it wraps."""
        kind = type(value)
        name = self._global_name(value)
        if name:
            return name
        if hasattr(value, "__wrapped__") and _package(kind.__module__):
            return ["wrapped", self.read(kind), self.read(value.__wrapped__)]
        try:
            reduce = copyreg.dispatch_table.get(kind)
            parts = value.__reduce_ex__(4) if reduce is None else reduce(value)
        except Exception as error:
            raise UnreadableError(f"{kind.__qualname__} object: {error}") from error
        if isinstance(parts, str):
            raise UnreadableError(f"{kind.__qualname__} {parts}: it has no readable source")
        make, arguments, *rest = parts
        state = [list(part) if isinstance(part, Iterator) else part for part in rest]
        return ["object", self._read_all([make, arguments, state])]

    def _read_class(self, cls: type) -> Any:
        if _package(cls.__module__):
            return ["class", *self._offered(cls.__module__, cls.__qualname__)]
        is_generating = hasattr(cls, "__dataclass_fields__") or hasattr(cls, "_fields")
        self.n_generating += is_generating
        module = user_module(cls.__module__)
        # what a file assigns to a class is in its text, unless a function makes the class
        has_text = module is not None and "<locals>" not in cls.__qualname__
        content = [
            [name, self.read(attribute)]
            for name, attribute in sorted(vars(cls).items())
            if not name.endswith("_request") and name not in _PUT_THERE
            if _is_code(name, attribute) or not (has_text or name.startswith("__"))
        ]
        self.n_generating -= is_generating
        bases = self._read_all([type(cls), cls.__bases__])
        return ["own class", cls.__qualname__, module and module.digest, bases, content]

    def _read_module(self, module: types.ModuleType) -> Any:
        if is_ours(module.__name__):
            return ["module", PACKAGE, version_of_package(PACKAGE)]
        version = package_version(module.__name__)
        if version:
            return ["module", module.__name__, version]
        names = [module.__name__, *(name for name in sorted(sys.modules)
                                    if name.startswith(f"{module.__name__}."))]  # fmt: skip
        modules = [user_module(name) for name in names]
        return ["own module", [item and [item.digest, item.packages] for item in modules]]

    def _read_function(self, function: types.FunctionType) -> Any:
        home = str(function.__globals__.get("__name__"))
        if _package(home):  # made by a package: what it closes over may be one's own
            name = self._offered(home, function.__code__.co_qualname)
            held = [function.__closure__, function.__defaults__, function.__kwdefaults__]
            return ["made", *name, self.read(held)]
        code, space = function.__code__, function.__globals__
        module = user_module(home)
        is_in_file = module is not None and os.path.realpath(code.co_filename) == str(module.file)
        held = [function.__defaults__, function.__kwdefaults__, vars(function)]
        return [
            "own function",
            [module.digest, module.packages] if module and is_in_file else self._source_of(code),
            _read_code(code),
            self._read_all([*held, function.__closure__]),
            [[name, self.read(space[name])] for name in sorted(global_names(code) & space.keys())],
        ]

    def _source_of(self, code: types.CodeType) -> str:
        if self.n_generating and code.co_filename.startswith("<string"):
            return ""  # written by a dataclass or a named tuple
        try:
            return inspect.getsource(code)
        except (OSError, TypeError, IndexError) as error:
            raise UnreadableError(f"source of {code.co_qualname}: {error}") from error

    def _global_name(self, value: Any) -> Any:
        """Read what a package offers by name; return None for anything else."""
        module = getattr(value, "__module__", None)
        name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
        modules = ("numpy", "scipy.special") if isinstance(value, np.ufunc) else (module,)
        for item in modules:
            if not (isinstance(item, str) and isinstance(name, str) and _package(item)):
                continue
            if _found(item, name) is value:
                return ["global", *self._offered(item, name)]
        return None

    def _offered(self, module: str, name: str) -> list[Any]:
        """Return name and version of what a package offers."""
        if not is_ours(module):
            return [f"{module}.{name}", package_version(module)]
        self.has_ours = True
        number = getattr(_found(module, name), "code_version", None)
        return [name, PACKAGE, number or version_of_package(PACKAGE)]


def _found(module: str, name: str) -> Any:
    """Return what an imported module has under a name, with points in it or not."""
    result: Any = sys.modules.get(module)
    for part in name.split("."):
        result = getattr(result, part, None)
    return result


@functools.lru_cache(maxsize=4096)
def _read_code(code: types.CodeType) -> Any:
    """Read compiled code; its constants are plain values, so that it is read once."""
    constants = [
        _read_code(item) if isinstance(item, types.CodeType) else _Reader().read(item)
        for item in code.co_consts
    ]
    counts = [code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags]
    names = [code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars]
    exceptions = code.co_exceptiontable.hex()
    return [code.co_code.hex(), exceptions, counts, [list(name) for name in names], constants]


def _package(module_name: str) -> str:
    """Return the package that a module belongs to, '' for code of one's own."""
    return PACKAGE if is_ours(module_name) else package_version(module_name)


def _is_code(name: str, attribute: Any) -> bool:
    """Return whether an attribute of a class is code that the author put there."""
    is_code = callable(attribute) or isinstance(attribute, _WRAPPERS)
    return is_code and not name.startswith("__annotate")

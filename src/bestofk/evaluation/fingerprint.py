"""Fingerprints of objects and their code, which change when anything that matters changes.

Classes and functions of installed packages are known by name and version.  Those of a
notebook, a script or an editable checkout are known by their source and compiled code,
and by everything of the kind that they refer to.  Those of this package are known by their
names without modules, and together by one digest of all code that they reach.
"""

from __future__ import annotations

import copyreg
import enum
import functools
import hashlib
import importlib
import inspect
import json
import operator
import sys
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from bestofk.evaluation.code_digests import (
    PACKAGE,
    UnknownCodeError,
    digest_of,
    is_ours,
)
from bestofk.evaluation.references import (
    References,
    package_version,
    references_of,
    version_of_package,
)
from bestofk.evaluation.sources import source_of

_WORDS = (type(None), bool, int, str)
_LITERALS = (complex, bytes, range, slice, type(Ellipsis), type(NotImplemented))
_MAPPINGS = (dict, OrderedDict, types.MappingProxyType)
_CODE = (classmethod, staticmethod, property, functools.partialmethod)
# Of these kinds are counters and logs; what is only written to cannot change a learner.
_COUNTERS = (int, float, list, dict, set, deque, Counter, defaultdict)
# What scikit-learn's clone takes along beside the parameters.
_CLONED_TOO = ("_metadata_request", "_sklearn_output_config")


class UnreadableError(Exception):
    """Something has no readable content, so it cannot be recognised later."""


class Content(NamedTuple):
    """The content of an object.

    Parameters
    ----------
    id : str
        32 hexadecimal digits.
    code : frozenset of (str, str)
        Modules and names of the classes and functions of this package in it.
    """

    id: str
    code: frozenset[tuple[str, str]]


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
    return read_fingerprint(value).id


def read_fingerprint(value: Any) -> Content:
    """Return the content of an object; see `fingerprint`."""
    reader = _Reader()
    text = _text(value, reader)
    return Content(hashlib.sha256(text.encode()).hexdigest()[:32], frozenset(reader.ours))


def _text(value: Any, reader: _Reader | None = None) -> str:
    reader = reader or _Reader()
    try:
        content = reader.read(value)
    except RecursionError as error:
        raise UnreadableError("parts nested too deeply") from error
    if reader.ours:
        try:  # what one's own code calls of ours by attribute is not known
            digest = digest_of(frozenset(reader.ours), every_method=reader.has_own_code)
        except UnknownCodeError as error:
            raise UnreadableError(f"source of {error}: not available") from error
        versions = [[name, version_of_package(name)] for name in digest.packages]
        content = [content, digest.text, versions]
    return json.dumps(content)


class _Reader:
    """Turn an object into plain nested lists that say all that matters about it."""

    def __init__(self) -> None:
        self.known: dict[int, tuple[int, Any]] = {}  # code read before: its number, kept alive
        self.open: set[int] = set()  # objects being read
        self.classes: list[type] = []  # own classes being read, subclasses first
        self.n_generating = 0  # classes being read some of whose methods have no source
        self.ours: set[tuple[str, str]] = set()  # modules and names of this package
        self.has_own_code = False

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
        if isinstance(value, enum.Enum):
            return ["enum", self.read(kind), value.name]
        if isinstance(value, types.MethodType):
            return ["method", self.read(value.__self__), self.read(value.__func__)]
        if isinstance(value, classmethod | staticmethod):
            return [kind.__name__, self.read(value.__func__)]
        if isinstance(value, property):
            return ["property", self._read_all([value.fget, value.fset, value.fdel])]
        if kind is functools.cached_property:
            return ["cached property", self.read(value.func)]
        if isinstance(value, types.FunctionType):
            return self._global_name(value) or self._read_function(value)
        if hasattr(value, "get_params"):
            return self._read_estimator(value)
        return self._read_state(value)

    def _read_all(self, values: Iterable[Any]) -> list[Any]:
        return [self.read(value) for value in values]

    def _read_array(self, value: np.ndarray[Any, Any]) -> Any:
        head = ["array", list(value.shape), str(value.dtype)]
        if value.dtype.hasobject:
            return [*head, self._read_all(value.ravel().tolist())]
        return [*head, hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()]

    def _read_estimator(self, value: Any) -> Any:
        from sklearn.base import BaseEstimator

        try:
            parameters = value.get_params(deep=False)
        except Exception as error:
            raise UnreadableError(f"parameters of {type(value).__qualname__}: {error}") from error
        content = ["estimator", self.read(type(value))]
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
        self.has_own_code = True
        is_generating = hasattr(cls, "__dataclass_fields__") or hasattr(cls, "_fields")
        self.n_generating += is_generating
        self.classes.append(cls)
        uses = functools.reduce(operator.or_, map(_uses_of, self._family()))
        content = [
            [name, self.read(attribute)]
            for name, attribute in sorted(vars(cls).items())
            if not _is_put_there(cls, name, attribute)
            and not _is_counter(attribute, name, uses.updated, uses.attributes)
        ]
        bases = self._read_all([type(cls), cls.__bases__])
        self.classes.pop()
        self.n_generating -= is_generating
        if issubclass(cls, enum.Enum):
            content += [[member.name, self.read(member.value)] for member in cls]
        return ["own class", cls.__qualname__, bases, content]

    def _family(self) -> list[type]:
        """Return the own classes whose code may use an attribute of the class being read."""
        classes = dict.fromkeys(base for cls in self.classes for base in cls.__mro__)
        return [label for label in classes if not _package(label.__module__)]

    def _read_module(self, module: types.ModuleType) -> Any:
        if is_ours(module.__name__):
            self.ours.add((module.__name__, ""))
            return ["module", PACKAGE]
        version = package_version(module.__name__)
        if version:
            return ["module", module.__name__, version]
        self.has_own_code = True
        has_file = getattr(module, "__file__", None) is not None
        try:
            source = inspect.getsource(module) if has_file or not _is_folder(module) else ""
        except (OSError, TypeError) as error:
            raise UnreadableError(f"module {module.__name__}: {error}") from error
        names = [
            name
            for name, value in sorted(vars(module).items())
            if not _is_dunder(name)
            # there only if something has imported it, and read where the code imports it
            and getattr(value, "__name__", "") != f"{module.__name__}.{name}"
        ]
        return ["own module", source, [[name, self.read(vars(module)[name])] for name in names]]

    def _read_function(self, function: types.FunctionType) -> Any:
        home = str(function.__globals__.get("__name__"))
        if _package(home):  # made by a package: what it closes over may be one's own
            name = self._offered(home, function.__code__.co_qualname)
            held = [_cells(function.__closure__), function.__defaults__, function.__kwdefaults__]
            return ["made", *name, self.read(held)]
        self.has_own_code = True
        return ["own function", self._read_source(function), self._read_parts(function)]

    def _read_source(self, function: types.FunctionType) -> str:
        code = function.__code__
        if self.n_generating and code.co_filename.startswith("<string"):
            return ""  # written by a dataclass or a named tuple
        try:
            return source_of(code)
        except (OSError, TypeError, IndexError) as error:
            reason = error or "not available"
            raise UnreadableError(f"source of {function.__qualname__}: {reason}") from error

    def _read_parts(self, function: types.FunctionType) -> Any:
        code, space = function.__code__, function.__globals__
        references = references_of(code)
        names = {name for name, _ in references.names}
        logs = {(name, ()) for name in references.updated if name in space
                and not _is_counter(space[name], name, references.updated, names)}  # fmt: skip
        cells = dict(zip(code.co_freevars, _cells(function.__closure__), strict=True))
        return [
            _read_code(code),
            self.read([function.__defaults__, function.__kwdefaults__, vars(function)]),
            [
                [name, self.read(content)]
                for name, content in cells.items()
                if not (
                    content and _is_counter(content[0], name, references.updated, references.cells)
                )
            ],
            [
                [name, *chain, self._read_reference(space[name], chain)]
                for name, chain in sorted(references.names | logs)
                if name in space
            ],
            [self._read_import(space, *item) for item in sorted(references.imports)],
        ]

    def _read_reference(self, value: Any, chain: tuple[str, ...]) -> Any:
        """Read what code takes from a module of one's own, or the object itself."""
        for name in chain:
            if not isinstance(value, types.ModuleType) or _is_foreign(value.__name__):
                break
            if not hasattr(value, name):
                return ["missing", name]
            value = getattr(value, name)
        return self.read(value)

    def _read_import(
        self, space: dict[str, Any], name: str, level: int, taken: tuple[str, ...]
    ) -> Any:
        if not level and _is_foreign(name):
            return ["module", name, package_version(name), list(taken)]
        try:
            module = importlib.import_module("." * level + name, space.get("__package__"))
            for item in taken:
                if not hasattr(module, item) and item != "*":
                    importlib.import_module(f"{module.__name__}.{item}")
        except Exception:  # not there: the code must do without it
            return ["missing", name, level, list(taken)]
        if not taken or "*" in taken:
            return self.read(module)
        return [[element, self.read(getattr(module, element))] for element in taken]

    def _global_name(self, value: Any) -> Any:
        """Read what a package offers by name; return None for anything else."""
        module = getattr(value, "__module__", None)
        name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
        modules = ("numpy", "scipy.special") if isinstance(value, np.ufunc) else (module,)
        for item in modules:
            if isinstance(item, str) and isinstance(name, str) and _package(item):
                result: Any = sys.modules.get(item)
                for part in name.split("."):
                    result = getattr(result, part, None)
                if result is value:
                    if is_ours(item):
                        return ["global", *self._offered(item, name)]
                    return ["global", item, name, package_version(item)]
        return None

    def _offered(self, module: str, name: str) -> list[str]:
        """Return name and version of what a package offers; what is ours is digested later."""
        if not is_ours(module):
            return [f"{module}.{name}", package_version(module)]
        self.ours.add((module, name))
        return [name, PACKAGE]


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


def _is_foreign(module_name: str) -> bool:
    return not is_ours(module_name) and bool(package_version(module_name))


def _is_put_there(cls: type, name: str, attribute: Any) -> bool:
    """Return whether Python or scikit-learn, not the author, put an attribute on a class.

    Some come and go while a program runs, as the list of slots that copying leaves behind.
    """
    is_code = callable(attribute) or isinstance(attribute, _CODE)
    if _is_dunder(name):
        return not is_code or name.startswith("__annotate")
    if issubclass(cls, enum.Enum) and (name in cls.__members__ or name.endswith("_")):
        return not isinstance(attribute, types.FunctionType | classmethod | staticmethod)
    is_request = name.startswith("set_") and name.endswith("_request")
    return is_request or name in ("_abc_impl", "_sklearn_auto_wrap_output_keys")


def _is_counter(
    value: Any, name: str, updated: frozenset[str], read: frozenset[str] | set[str]
) -> bool:
    """Return whether code only ever counts up or adds to what has this name."""
    return type(value) in _COUNTERS and name in updated and name not in read


def _uses_of(cls: type) -> References:
    """Return what the functions of a class refer to."""
    functions = [getattr(attribute, "__func__", attribute) for attribute in vars(cls).values()]
    functions += [function.fget for function in functions if isinstance(function, property)]
    codes = [
        function.__code__ for function in functions if isinstance(function, types.FunctionType)
    ]
    return functools.reduce(operator.or_, map(references_of, codes), References())


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _is_folder(module: types.ModuleType) -> bool:
    return hasattr(module, "__path__")


def _cells(closure: tuple[types.CellType, ...] | None) -> list[Any]:
    contents = []
    for cell in closure or ():
        try:
            contents.append([cell.cell_contents])
        except ValueError:  # not filled yet
            contents.append([])
    return contents

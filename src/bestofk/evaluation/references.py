"""References in a piece of code, and the installed package that a module belongs to."""

from __future__ import annotations

import dis
import functools
import importlib.metadata
import importlib.util
import itertools
import sys
import sysconfig
import types
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any, NamedTuple

_GLOBALS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
_CELLS = {"LOAD_DEREF", "LOAD_FROM_DICT_OR_DEREF"}
_ATTRIBUTES = {"LOAD_ATTR", "LOAD_METHOD"}
# Methods of containers that change them and return nothing.
_UPDATES = {"add", "append", "appendleft", "clear", "discard", "extend", "insert", "update"}
# Packages that are not called as what installs them; any other is looked up.
_DISTRIBUTIONS = {"sklearn": "scikit-learn"}
_PYTHON = f"python {sys.version_info.major}.{sys.version_info.minor}"
_Steps = list[dis.Instruction]


class References(NamedTuple):
    """Names that a function reads from outside, and names that it only writes to.

    Parameters
    ----------
    names : frozenset of (str, tuple of str)
        Global names that are read, each with the attributes that are taken of it in turn:
        ``helper.K`` is ``("helper", ("K",))``.
    cells, attributes : frozenset of str
        Names of enclosing functions, and attributes of any object, that are read.
    updated : frozenset of str
        Names and attributes that are counted up or added to somewhere (``n += 1``,
        ``calls.append(x)``, ``times[name] = t``), which is not to read them.
    imports : frozenset of (str, int, tuple of str)
        Imports inside the function: module, level (0 is absolute), names taken from it.
    """

    names: frozenset[tuple[str, tuple[str, ...]]] = frozenset()
    cells: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    updated: frozenset[str] = frozenset()
    imports: frozenset[tuple[str, int, tuple[str, ...]]] = frozenset()

    def __or__(self, other: tuple[Any, ...]) -> References:
        return References(*(mine | its for mine, its in zip(self, other, strict=True)))


@functools.lru_cache(maxsize=4096)
def references_of(code: types.CodeType) -> References:
    """Return what a function and all functions inside it refer to.

    Examples
    --------
    >>> sorted(references_of((lambda x: math.floor(x)).__code__).names)
    [('math', ('floor',))]
    """
    results: dict[str, set[Any]] = {name: set() for name in References._fields}
    steps = list(dis.get_instructions(code))
    for index, step in enumerate(steps):
        name = step.argval
        if step.opname == "IMPORT_NAME":
            level, taken = steps[index - 2].argval, steps[index - 1].argval
            results["imports"].add((name, int(level), tuple(taken or ())))
        elif step.opname not in _GLOBALS | _CELLS | _ATTRIBUTES:
            continue
        elif _is_updated(steps, index):
            results["updated"].add(name)
        elif step.opname in _GLOBALS:
            results["names"].add((name, _chain(steps, index)))
        else:
            results["cells" if step.opname in _CELLS else "attributes"].add(name)
    references = References(**{name: frozenset(values) for name, values in results.items()})
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            references |= references_of(inner)
    return references


def _chain(steps: _Steps, place: int) -> tuple[str, ...]:
    attributes = itertools.takewhile(lambda step: step.opname in _ATTRIBUTES, steps[place + 1 :])
    return tuple(step.argval for step in attributes)


def _is_updated(steps: _Steps, place: int) -> bool:
    """Return whether what is loaded here is added to or counted up, and not used otherwise."""
    name, following = steps[place].argval, steps[place + 1 :]
    if following and following[0].opname in _ATTRIBUTES and following[0].argval in _UPDATES:
        return True
    loads = list(itertools.takewhile(lambda step: step.opname.startswith("LOAD_"), following))
    n_pushed = sum(step.opname not in _ATTRIBUTES for step in loads)
    n_pushed += sum(step.opname.count("_LOAD_") for step in loads)  # two in one
    if n_pushed != 1:  # a key, or what is added
        return False
    after = following[len(loads) : len(loads) + 4]
    names = [step.opname for step in after]
    if names[:1] == ["STORE_SUBSCR"] or names[:2] == ["COPY", "COPY"]:
        return True
    is_in_place = names[:1] == ["BINARY_OP"] and after[0].argrepr.endswith("=")
    stores = [step.argval for step in after[1:3] if step.opname.startswith("STORE_")]
    return is_in_place and stores[:1] == [name]


@functools.lru_cache(maxsize=4096)
def package_version(module_name: str) -> str:
    """Return the installed package that a module belongs to with its version, or ''.

    Examples
    --------
    >>> package_version("numpy.linalg").split()[0], package_version("__main__")
    ('numpy', '')
    """
    root = module_name.partition(".")[0]
    if root in ("", "__main__"):
        return ""
    index = _place_of(module_name)
    if index is None:
        return _PYTHON if root in sys.builtin_module_names else ""
    if {"site-packages", "dist-packages"} & set(index.parts):
        return _distribution(root)
    if any(index.is_relative_to(folder) for folder in _standard_library()):
        return _PYTHON
    return ""


def _place_of(module_name: str) -> Path | None:
    """Return the file of a module, or the folder of a package without one."""
    module = sys.modules.get(module_name)
    spec = getattr(module, "__spec__", None) or _spec_of(module_name)
    file = getattr(module, "__file__", None) or getattr(spec, "origin", None)
    if file in (None, "built-in", "frozen"):
        folders = list(getattr(spec, "submodule_search_locations", None) or ())
        file = getattr(getattr(spec, "loader_state", None), "filename", None)
        file = file or (folders[0] if folders else None)
    return None if file is None else Path(file).resolve()


def _spec_of(module_name: str) -> ModuleSpec | None:
    """Find a module that is not imported yet, without importing its package either."""
    try:
        return importlib.util.find_spec(module_name.partition(".")[0])
    except (ImportError, ValueError):
        return None


@functools.cache
def _standard_library() -> tuple[Path, ...]:
    return tuple({Path(sysconfig.get_path(key)).resolve() for key in ("stdlib", "platstdlib")})


def _distribution(root: str) -> str:
    version: Any = getattr(sys.modules.get(root), "__version__", None)
    if version is None:
        version = _installed_version(root)
        if version is None:  # a file that somebody put there
            return ""
    return f"{root} {version}"


@functools.cache
def version_of_package(name: str) -> str:
    """Return the version of an installed package, imported or not, or ''.

    Examples
    --------
    >>> import numpy
    >>> version_of_package("numpy") == numpy.__version__
    True
    """
    try:
        return importlib.metadata.version(_DISTRIBUTIONS.get(name, name))
    except importlib.metadata.PackageNotFoundError:
        return _installed_version(name) or ""


@functools.cache
def _installed_version(root: str) -> str | None:
    """Return the version of the first distribution that installed a module or package."""
    for distribution in importlib.metadata.distributions():
        declared = distribution.read_text("top_level.txt")
        if root in (declared.split() if declared else _installed_names(distribution, root)):
            return distribution.version
    try:
        return importlib.metadata.version(root)
    except importlib.metadata.PackageNotFoundError:
        return None


def _installed_names(distribution: importlib.metadata.Distribution, root: str) -> set[str]:
    """Return what a distribution installed, or nothing where its list does not have the name."""
    listed = distribution.read_text("RECORD") or distribution.read_text("SOURCES.txt") or ""
    if root not in listed:
        return set()
    files = [file for file in distribution.files or () if file.suffix == ".py"]
    return {file.parts[0] if len(file.parts) > 1 else file.stem for file in files}

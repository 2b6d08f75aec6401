"""What does a piece of code refer to, and which installed package does a module belong to."""

from __future__ import annotations

import dis
import functools
import importlib.metadata
import importlib.util
import sys
import sysconfig
import types
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any, NamedTuple

_LOADS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
_ATTRIBUTES = {"LOAD_ATTR", "LOAD_METHOD"}
_PYTHON = f"python {sys.version_info.major}.{sys.version_info.minor}"


class References(NamedTuple):
    """What a function reads from outside.

    Parameters
    ----------
    names : tuple of (str, tuple of str)
        Global names, each with the attributes that are taken of it in turn: ``helper.K`` is
        ``("helper", ("K",))``.
    imports : tuple of (str, int, tuple of str)
        Imports inside the function: module, level (0 is absolute), names taken from it.
    """

    names: tuple[tuple[str, tuple[str, ...]], ...]
    imports: tuple[tuple[str, int, tuple[str, ...]], ...]


@functools.lru_cache(maxsize=4096)
def references_of(code: types.CodeType) -> References:
    """Return the global names and the imports of a function and of all functions inside it.

    Examples
    --------
    >>> references_of((lambda x: math.floor(x)).__code__).names
    (('math', ('floor',)),)
    """
    names: set[tuple[str, tuple[str, ...]]] = set()
    imports: set[tuple[str, int, tuple[str, ...]]] = set()
    steps = list(dis.get_instructions(code))
    for place, step in enumerate(steps):
        if step.opname in _LOADS:
            chain = []
            for following in steps[place + 1 :]:
                if following.opname not in _ATTRIBUTES:
                    break
                chain.append(str(following.argval))
            names.add((str(step.argval), tuple(chain)))
        elif step.opname == "IMPORT_NAME":
            level, taken = steps[place - 2].argval, steps[place - 1].argval
            imports.add((str(step.argval), int(level), tuple(taken or ())))
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            found = references_of(inner)
            names |= set(found.names)
            imports |= set(found.imports)
    return References(tuple(sorted(names)), tuple(sorted(imports)))


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
    place = _place_of(module_name)
    if place is None:
        return _PYTHON if root in sys.builtin_module_names else ""
    if {"site-packages", "dist-packages"} & set(place.parts):
        return _distribution(root)
    if any(place.is_relative_to(folder) for folder in _standard_library()):
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
        names = importlib.metadata.packages_distributions().get(root, [root])
        try:
            version = importlib.metadata.version(names[0])
        except importlib.metadata.PackageNotFoundError:  # a file that somebody put there
            return ""
    return f"{root} {version}"

"""Files of code from outside installed packages: learners that a user wrote."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import linecache
import os
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bestofk.evaluation.identity.packages import (
    PACKAGE,
    is_ours,
    package_version,
    version_of_package,
)

# Methods of containers that change them and return nothing.
_UPDATES = {"add", "append", "appendleft", "clear", "discard", "extend", "insert", "update"}


class UserModule(NamedTuple):
    """A module of a user with all modules of the user that it imports, directly or not.

    Parameters
    ----------
    file : Path
        The file of the module.
    digest : str
        SHA-256 of the content of all files.
    packages : tuple of str
        The installed packages that they import, with their versions, sorted.
    """

    file: Path
    digest: str
    packages: tuple[str, ...]


class _Import(NamedTuple):
    """An import statement: how many packages it goes up, the module, and the names taken."""

    level: int
    module: str
    names: tuple[str, ...]


def user_module(name: str) -> UserModule | None:
    """Return the files of an imported module; None where it has none.

    Parameters
    ----------
    name : str
        Name of the module.

    Returns
    -------
    UserModule or None

    Examples
    --------
    >>> user_module("nowhere_at_all") is None
    True
    """
    module = sys.modules.get(name)
    file = getattr(module, "__file__", None)
    if file is None or not os.path.isfile(file):
        return None
    package = str(getattr(module, "__package__", None) or "")
    first = Path(file).resolve()
    pending = [(first, package)]
    digests: dict[Path, str] = {}
    packages: set[str] = set()
    while pending:
        path, package = pending.pop(0)
        if path in digests:
            continue
        digests[path], imports = _read(path, path.stat().st_mtime_ns)
        for item in imports:
            for target in _targets(item, package):
                if is_ours(target):
                    packages.add(f"{PACKAGE} {version_of_package(PACKAGE)}")
                elif version := package_version(target):
                    packages.add(version)
                else:
                    pending += _files(target)
    digest = hashlib.sha256("".join(digests.values()).encode()).hexdigest()
    return UserModule(first, digest, tuple(sorted(packages)))


def global_names(code: types.CodeType) -> set[str]:
    """Return the names that a function, or one in it, reads and that may be global.

    Attributes may be among them where the text of the function is not to be had.

    Examples
    --------
    >>> global_names(user_module.__code__) >= {"sys", "UserModule"}
    True
    """
    linecache.checkcache(code.co_filename)
    known = _names_by_line("".join(linecache.getlines(code.co_filename)))
    inner = [global_names(item) for item in code.co_consts if isinstance(item, types.CodeType)]
    names = set(code.co_names).union(*inner)
    return names & known.get(code.co_firstlineno, names)


@functools.lru_cache(maxsize=64)
def _names_by_line(source: str) -> dict[int, set[str]]:
    """Return the names that the functions of a file read, by the first line of each."""
    names: dict[int, set[str]] = {}
    for node in ast.walk(_parsed(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            first = min(item.lineno for item in (node, *getattr(node, "decorator_list", ())))
            collecting = {id(name) for item in ast.walk(node) for name in _collectors(item)}
            names.setdefault(first, set()).update(
                item.id
                for item in ast.walk(node)
                if isinstance(item, ast.Name)
                and isinstance(item.ctx, ast.Load)
                and id(item) not in collecting
            )
    return names


def _collectors(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the containers that a statement only adds to: ``calls.append(x)``, ``t[name] = s``."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        function = node.value.func
        if isinstance(function, ast.Attribute) and function.attr in _UPDATES:
            yield function.value
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        yield node.value


@functools.lru_cache(maxsize=4096)
def _read(path: Path, modified: int) -> tuple[str, tuple[_Import, ...]]:
    """Return the digest of a file and the imports in it; those of compiled code are unknown."""
    content = path.read_bytes()
    imports = []
    for node in ast.walk(_parsed(content)):
        if isinstance(node, ast.Import):
            imports += [_Import(0, name.name, ()) for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = tuple(name.name for name in node.names)
            imports.append(_Import(node.level, node.module or "", names))
    return hashlib.sha256(content).hexdigest(), tuple(imports)


def _parsed(source: str | bytes) -> ast.Module:
    """Return the syntax tree of a file, which is empty where it is no Python code."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _targets(item: _Import, package: str) -> Iterator[str]:
    """Give the modules that an import may load."""
    module = item.module
    if item.level:
        folders = package.split(".")[: len(package.split(".")) - item.level + 1]
        module = ".".join([*folders, module] if module else folders)
    yield module
    if not is_ours(module) and not package_version(module):
        yield from (f"{module}.{name}" for name in item.names)


def _files(module_name: str) -> list[tuple[Path, str]]:
    """Return the file of a module, if there is one, with the package that it stands in."""
    try:
        spec = sys.modules[module_name].__spec__ if module_name in sys.modules else None
        spec = spec or importlib.util.find_spec(module_name)
    except (ImportError, ValueError, AttributeError):
        return []  # not there: the code must do without it
    if spec is None or not spec.origin or not os.path.isfile(spec.origin):
        return []
    return [(Path(spec.origin).resolve(), spec.parent or "")]

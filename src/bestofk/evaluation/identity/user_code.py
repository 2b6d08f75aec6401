"""Files of code from outside installed packages: learners that a user wrote."""

import ast
import dis
import functools
import hashlib
import importlib.util
import os
import sys
import types
from itertools import pairwise
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
        digests[path], imports = _read(path, package, path.stat().st_mtime_ns)
        for target in imports:
            if is_ours(target):
                packages.add(f"{PACKAGE} {version_of_package(PACKAGE)}")
            elif version := package_version(target):
                packages.add(version)
            else:
                pending += _files(target)
    digest = hashlib.sha256("".join(digests.values()).encode()).hexdigest()
    return UserModule(first, digest, tuple(sorted(packages)))


def global_names(code: types.CodeType) -> set[str]:
    """Return the names of globals that a function, or one in it, reads.

    What it only adds to is no part of what it computes: ``calls.append(x)``,
    ``seconds["last"] = s``, ``n_calls += 1``.

    Examples
    --------
    >>> global_names(user_module.__code__) >= {"sys", "UserModule"}
    True
    """
    steps = list(dis.get_instructions(code))
    stored = {_start(step) for step in steps if step.opname in ("STORE_SUBSCR", "STORE_GLOBAL")}
    stored.discard(None)  # Python was told to keep no columns
    names = {
        step.argval
        for step, after in pairwise(steps)
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")
        and after.argval not in _UPDATES
        and _start(step) not in stored
    }
    inner = [item for item in code.co_consts if isinstance(item, types.CodeType)]
    return names.union(*map(global_names, inner))


def _start(step: dis.Instruction) -> tuple[int, int] | None:
    """Return line and column of the text of an instruction; of a target where it stores."""
    line, _, column, _ = step.positions or (None,) * 4
    return None if line is None or column is None else (line, column)


@functools.lru_cache(maxsize=4096)
def _read(path: Path, package: str, modified: int) -> tuple[str, list[str]]:
    """Return the digest of a file of a package and the modules that it may load.

    What compiled code loads is unknown, and so is what a file loads that is no Python.
    """
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    try:
        nodes = list(ast.walk(ast.parse(content)))
    except (SyntaxError, ValueError):
        return digest, []
    targets: list[str] = []
    for node in nodes:
        if isinstance(node, ast.Import):
            targets += [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            module = ".".join(filter(None, [*(above if node.level else ()), node.module]))
            targets.append(module)
            if not is_ours(module) and not package_version(module):
                targets += [f"{module}.{name.name}" for name in node.names]
    return digest, targets


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

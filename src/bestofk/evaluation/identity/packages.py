"""Installed packages: which one a module belongs to, in which version, on what machine."""

import functools
import hashlib
import importlib.metadata
import importlib.util
import os
import platform
import re
import sys
import sysconfig
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

# This package; its code is known by numbers that it declares, see `fingerprint`.
PACKAGE = "bestofk"
# Packages that are not called as what installs them; any other is looked up.
_DISTRIBUTIONS = {"sklearn": "scikit-learn"}
# Their versions stand with the seconds of runs.
_MEASURED_WITH = ("bestofk", "numpy", "scipy", "scikit-learn", "pandas", "joblib")
_PYTHON = f"python {sys.version_info.major}.{sys.version_info.minor}"


def is_ours(module_name: str) -> bool:
    """Return whether a module belongs to this package."""
    return module_name.partition(".")[0] == PACKAGE


@functools.cache
def source_digest() -> str:
    """Return the hash of all source files of this package."""
    folder = Path(__file__).parents[2]
    digest = hashlib.sha256()
    for path in sorted([*folder.rglob("*.py"), *folder.rglob("*.pyx"), *folder.rglob("*.pxd")]):
        digest.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


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
    file = module_file(module_name)
    if file is None:
        return _PYTHON if root in sys.builtin_module_names else ""
    if {"site-packages", "dist-packages"} & set(file.parts):
        version: Any = getattr(sys.modules.get(root), "__version__", None)
        version = _installed_version(root) if version is None else version
        return "" if version is None else f"{root} {version}"  # a file that was put there by hand
    is_standard = any(file.is_relative_to(folder) for folder in _standard_library())
    return _PYTHON if is_standard else ""


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
        return read_version(_DISTRIBUTIONS.get(name, name))
    except importlib.metadata.PackageNotFoundError:
        return _installed_version(name) or ""


def read_version(distribution: str) -> str:
    """Return the version of an installed distribution, without reading its description.

    Raises
    ------
    PackageNotFoundError
        If it is not installed.
    """
    installed = importlib.metadata.distribution(distribution)
    head = (installed.read_text("METADATA") or "").partition("\n\n")[0]
    version = re.search(r"^Version: *(.+?) *$", head, re.MULTILINE)
    return version[1] if version else installed.version


def module_file(module_name: str) -> Path | None:
    """Return the file of a module, or the folder of a package without one."""
    module = sys.modules.get(module_name)
    spec = getattr(module, "__spec__", None) or _root_spec(module_name)
    file = getattr(module, "__file__", None) or getattr(spec, "origin", None)
    if file in (None, "built-in", "frozen"):
        folders = list(getattr(spec, "submodule_search_locations", None) or ())
        file = getattr(getattr(spec, "loader_state", None), "filename", None)
        file = file or (folders[0] if folders else None)
    return None if file is None else Path(file).resolve()


def _root_spec(module_name: str) -> ModuleSpec | None:
    """Find a module that is not imported yet, without importing its package either."""
    try:
        return importlib.util.find_spec(module_name.partition(".")[0])
    except (ImportError, ValueError):
        return None


@functools.cache
def _standard_library() -> tuple[Path, ...]:
    return tuple({Path(sysconfig.get_path(key)).resolve() for key in ("stdlib", "platstdlib")})


@functools.cache
def _installed_version(root: str) -> str | None:
    """Return the version of the first distribution that installed a module or package."""
    names = _installed_modules().get(root, (root,))
    try:
        return read_version(names[0])
    except importlib.metadata.PackageNotFoundError:
        return None


_installed_modules = functools.cache(importlib.metadata.packages_distributions)


@functools.cache
def describe_environment() -> dict[str, Any]:
    """Return the machine, its processor, the threads of a run and the versions in use.

    Returns
    -------
    dict
        Plain values, the same in every process on one machine and installation.

    Examples
    --------
    >>> sorted(describe_environment())
    ['cores', 'machine', 'processor', 'python', 'system', 'threads_per_run', 'versions']
    """
    return {
        "machine": platform.node(),
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "threads_per_run": 1,
        "versions": {name: read_version(name) for name in _MEASURED_WITH},
    }

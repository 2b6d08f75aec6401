"""Build backend: that of setuptools, with a C compiler as a wheel where there is none."""

from __future__ import annotations

import functools
import importlib.util
import os
import shlex
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import (  # noqa: F401  # hooks that stay as they are
    build_editable,
    build_sdist,
    build_wheel,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

# A C compiler that pip can install; pinned, for its flags and its defaults change.
COMPILER_WHEEL = "ziglang==0.17.1"
_HAS_WHEEL = sys.platform in ("linux", "darwin")


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """Return what setuptools asks for, and a compiler where there is none."""
    return build_meta.get_requires_for_build_wheel(config_settings) + _compiler_wheel()


def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    """Return what setuptools asks for, and a compiler where there is none."""
    return build_meta.get_requires_for_build_editable(config_settings) + _compiler_wheel()


def _compiler_wheel() -> list[str]:
    return [] if has_compiler() or not _HAS_WHEEL else [COMPILER_WHEEL]


@functools.cache
def has_compiler() -> bool:
    """Return whether the compiler that setuptools would call compiles an empty file."""
    if sys.platform == "win32":
        return True  # setuptools finds it in the registry, or says what to install
    command = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "empty.c")
        source.write_text("int empty;\n", encoding="utf-8")
        command += ["-c", str(source), "-o", str(source.with_suffix(".o"))]
        try:
            return subprocess.run(command, capture_output=True, check=False).returncode == 0
        except OSError:
            return False


def wheel_command() -> list[str] | None:
    """Return the command of the compiler that came as a wheel; None if another is used.

    It would compile for this very processor and check for undefined behavior unless told not to.
    """
    if has_compiler() or importlib.util.find_spec("ziglang") is None:
        return None
    return [sys.executable, "-m", "ziglang", "cc", "-mcpu=baseline", "-fno-sanitize=undefined"]

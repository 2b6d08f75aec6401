"""Build of the package: what pyproject.toml says, its loops, and the page on PyPI."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

_ROOT = Path(__file__).parent
sys.path.insert(0, str(_ROOT / "build_backend"))
from build_backend import has_compiler, wheel_command  # noqa: E402

# What memory views need is compiled once, for all loops.
_MEMORY_VIEWS = "bestofk._cyutility"
# Sums keep their order, and products their rounding: so results are the same everywhere.
_C_FLAGS = ["-O3", "-g0", "-ffp-contract=off"] if sys.platform != "win32" else ["/O2"]
_DIRECTIVES = {
    "language_level": 3,
    "boundscheck": bool(os.environ.get("BESTOFK_CHECK_BOUNDS")),
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
    "freethreading_compatible": True,
}
_FILES = "Files named in square brackets are part of the source distribution.\n"
_PICTURE = re.compile(r"^!\[.*\]\([^:)]*\)\n+", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\(([^:)#]+)(#[^)]*)?\)")  # to a file of this folder


def _page() -> str:
    """Return the README for a place without the other files: links to them become their names."""
    text = _PICTURE.sub("", (_ROOT / "README.md").read_text(encoding="utf-8"))
    text = _LINK.sub(lambda link: link[1] if link[1] == link[2] else f"{link[1]} [{link[2]}]", text)
    return f"{text}\n{_FILES}"


def _loops() -> list[Extension]:
    files = sorted((_ROOT / "src").rglob("*.pyx"))
    names = [".".join(path.relative_to(_ROOT / "src").with_suffix("").parts) for path in files]
    sources = [path.relative_to(_ROOT).as_posix() for path in files]
    extensions = [
        Extension(name, [source], extra_compile_args=_C_FLAGS)
        for name, source in zip(names, sources, strict=True)
    ]
    return [Extension(_MEMORY_VIEWS, [], extra_compile_args=_C_FLAGS), *extensions]


class BuildLoops(build_ext):
    """Compiles loops: Cython writes C next to the objects, several files at a time."""

    def finalize_options(self) -> None:
        """Use all processors."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def build_extensions(self) -> None:
        """Check what is needed, choose the compiler, and compile."""
        folder = sysconfig.get_path("include")
        if not Path(folder, "Python.h").exists():
            sys.exit(
                f"The header files of Python must be installed; got none in {folder}. "
                "Install python3-dev (Debian, Ubuntu) or python3-devel (Fedora), or use a wheel."
            )
        command = wheel_command()
        if command:
            linker = [*command, "-shared", "-s"]
            if sys.platform == "darwin":
                linker = [*command, "-bundle", "-undefined", "dynamic_lookup"]
            self.compiler.set_executables(
                compiler=command, compiler_so=[*command, "-fPIC", "-DNDEBUG"], linker_so=linker
            )
        elif not has_compiler():
            sys.exit("A C compiler must be installed; got none. Install gcc or clang.")
        super().build_extensions()

    def build_extension(self, extension: Extension) -> None:
        """Translate to C what changed, and compile it."""
        c_file = Path(self.build_temp, f"{extension.name}.c")
        c_file.parent.mkdir(parents=True, exist_ok=True)
        if extension.name == _MEMORY_VIEWS:
            options = [f"--generate-shared={c_file}"]
        else:
            options = [extension.sources[0], "-o", str(c_file), f"--shared={_MEMORY_VIEWS}"]
            options += [f"-X{name}={value}" for name, value in _DIRECTIVES.items()]
        shared = (_ROOT / "src").rglob("*.pxd")  # what loops declare for each other
        is_new = not c_file.exists() or any(
            Path(source).stat().st_mtime > c_file.stat().st_mtime
            for source in [*extension.sources, *shared]
        )
        if is_new or self.force:
            subprocess.run([sys.executable, "-m", "cython", *options], check=True)
        extension.sources = [str(c_file)]
        super().build_extension(extension)


class BuildAnew(build_py):
    """Copies the modules into an empty folder: those of an earlier build may have moved."""

    def run(self) -> None:
        """Build."""
        shutil.rmtree(Path(self.build_lib) / "bestofk", ignore_errors=True)
        super().run()


setup(
    cmdclass={"build_py": BuildAnew, "build_ext": BuildLoops},
    ext_modules=_loops(),
    long_description=_page(),
    long_description_content_type="text/markdown",
)

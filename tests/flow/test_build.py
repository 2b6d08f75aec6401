"""The build of compiled loops where something that it needs is missing."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tests.given import ROOT

pytest.importorskip("setuptools", minversion="77.0.3")
pytest.importorskip("Cython", minversion="3.1")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has its own compiler")

REQUIRE = (
    "import sys; sys.path.insert(0, 'build_backend'); import build_backend;"
    "print(build_backend.get_requires_for_build_wheel())"
)
NO_HEADERS = (
    "import runpy, sys, sysconfig; sysconfig.get_path = lambda name: 'nowhere';"
    "sys.argv = ['setup.py', '-q', 'build_ext']; runpy.run_path('setup.py', run_name='__main__')"
)
LOOP = """
def total(const double[::1] values):
    cdef double result = 0.0
    cdef Py_ssize_t i
    for i in range(values.shape[0]):
        result += values[i] * values[i]
    return result
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a copy of what a build needs, with one loop."""
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE", "MANIFEST.in"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "build_backend", tmp_path / "build_backend")
    package = tmp_path / "src" / "bestofk"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('__version__ = "0"\n', encoding="utf-8")
    (package / "_total.pyx").write_text(LOOP, encoding="utf-8")
    return tmp_path


def run(project: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=project,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def last_words(project, *arguments, **environment):
    """Return the last line that a call says which ends in an error."""
    ended = run(project, *arguments, **environment)
    assert ended.returncode != 0
    return ended.stderr.strip().splitlines()[-1]


def test_a_compiler_is_asked_for_only_where_there_is_none(project: Path) -> None:
    with_one = run(project, "-c", REQUIRE, CC=f"{sys.executable} -c 0").stdout
    without = run(project, "-c", REQUIRE, CC="no-such-compiler").stdout
    assert "ziglang" not in with_one
    assert re.search(r"'ziglang==[\d.]+'\]$", without.strip())


def test_without_a_compiler_one_sentence_says_what_to_install(project: Path) -> None:
    if run(project, "-c", "import ziglang").returncode == 0:
        pytest.skip("the compiler wheel is installed")
    said = last_words(project, "setup.py", "-q", "build_ext", CC="no-such-compiler")
    assert said == "A C compiler must be installed; got none. Install gcc or clang."


def test_without_the_headers_of_python_one_sentence_names_their_package(project: Path) -> None:
    assert last_words(project, "-c", NO_HEADERS) == (
        "The header files of Python must be installed; got none in nowhere. "
        "Install python3-dev (Debian, Ubuntu) or python3-devel (Fedora), or use a wheel."
    )


@pytest.mark.slow
def test_a_loop_is_compiled_again_when_it_changed(project: Path) -> None:
    command = ("setup.py", "-q", "build_ext", "--inplace")
    call = "import sys; sys.path.insert(0, 'src'); import array; from bestofk._total import total;"
    call += "print(total(array.array('d', [1.0, 2.0])))"
    assert run(project, *command).returncode == 0
    assert run(project, "-c", call).stdout == "5.0\n"
    source = project / "src" / "bestofk" / "_total.pyx"
    source.write_text(LOOP.replace("* values[i]", "+ values[i]"), encoding="utf-8")
    os.utime(source, (later := source.stat().st_mtime + 60, later))
    assert run(project, *command).returncode == 0
    assert run(project, "-c", call).stdout == "6.0\n"


@pytest.mark.slow
def test_a_wheel_is_built_by_pip_alone_for_any_processor(project: Path) -> None:
    """pip installs the compiler; what it makes has no instruction that some processors lack."""
    if shutil.which("objdump") is None:
        pytest.skip("objdump is not installed")
    (project / "bin").mkdir()
    output = project / "out"
    options = ("-m", "pip", "wheel", "--no-deps", "--wheel-dir", str(output), ".")
    ended = run(project, *options, PATH=str(project / "bin"))  # no program at all
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (wheel,) = output.iterdir()
    with zipfile.ZipFile(wheel) as file:
        file.extractall(project / "unpacked")
    (library,) = (project / "unpacked").rglob("_total.*.so")
    code = subprocess.run(
        ["objdump", "--disassemble", str(library)], capture_output=True, text=True, check=True
    ).stdout
    assert "mulsd" in code or "fmul" in code
    assert re.findall(r"%[yz]mm\d+|\bvfm\w+|\bfmadd\b", code) == []

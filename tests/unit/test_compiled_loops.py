"""Compiled loops stay small: arguments, lines, and what stands above them."""

import re
from pathlib import Path

import pytest

import bestofk

PACKAGE = Path(bestofk.__file__).parent
FILES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.pyx"))
MOST_ARGUMENTS, MOST_LINES = 8, 60
LOOP = re.compile(
    r"^(?P<above>[^\n]*\n)(?P<kind>cpdef|cdef|def) (?!class)[^(=\n:]*?(?P<name>\w+)"
    r"\((?P<arguments>[^)]*)\)[^\n]*:\n(?P<body>(?:[ \t]+[^\n]*\n|\n)*)",
    re.MULTILINE,
)


def faults(text: str) -> list[str]:
    """Return what is wrong with the functions of a file of loops."""
    result = []
    for loop in LOOP.finditer(text):
        arguments = re.sub(r"\[[^\]]*\]", "", loop["arguments"])  # the axes of memory views
        n_arguments = len([part for part in arguments.split(",") if part.strip()])
        n_lines = len(loop["body"].rstrip().splitlines())
        if n_arguments > MOST_ARGUMENTS:
            result.append(f"{loop['name']} has {n_arguments} arguments")
        if n_lines > MOST_LINES:
            result.append(f"{loop['name']} has {n_lines} lines")
        if loop["kind"] == "def" and not loop["above"].startswith("#"):
            result.append(f"{loop['name']} has no comment above it")
    return result


@pytest.mark.parametrize("file", FILES)
def test_a_compiled_loop_is_small_and_says_what_it_takes(file: str) -> None:
    assert faults((PACKAGE / file).read_text(encoding="utf-8")) == []


def test_faults_of_loops_are_found() -> None:
    many = ", ".join(f"const double[:, ::1] a{i}" for i in range(9))
    long = "    x = 1\n" * 61
    text = (
        f"\n\ndef wide({many}) noexcept:\n    pass\n\n\n# Long.\ncdef int long(\n    int x,\n):\n"
        f"{long}\n\n# Fine.\ndef fine(double[::1] x):\n    return x\n"
    )
    assert faults(text) == [
        "wide has 9 arguments",
        "wide has no comment above it",
        "long has 61 lines",
    ]

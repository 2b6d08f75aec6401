"""The walk from a fold score to the verdict in ARCHITECTURE.md names what there is."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

import bestofk

ARCHITECTURE = Path(__file__).resolve().parents[2] / "ARCHITECTURE.md"
TITLE = "## From a fold score to the verdict"
MOST_FILES, MOST_TYPES = 12, 6


def section() -> str:
    text = ARCHITECTURE.read_text(encoding="utf-8")
    assert TITLE in text
    return text.split(TITLE)[1].split("\n## ")[0]


def rows() -> list[tuple[str, str, str]]:
    """Return file, function and type of each row of the table; the type may be empty."""
    cells = [line.strip("|").split("|") for line in section().splitlines() if "|" in line]
    return [tuple(cell.strip(" `") for cell in row[1:]) for row in cells[2:]]


def test_the_walk_passes_few_files_and_types():
    files, types = {row[0] for row in rows()}, {row[2] for row in rows() if row[2]}
    assert 8 <= len(files) == len(rows()) <= MOST_FILES
    assert 4 <= len(types) <= MOST_TYPES


@pytest.mark.parametrize("row", rows())
def test_every_file_and_name_of_the_walk_is_there(row):
    file, function, carrier = row
    assert (Path(bestofk.__file__).parent / file).is_file()
    module = importlib.import_module("bestofk." + file.removesuffix(".py").replace("/", "."))
    assert callable(getattr(module, function))
    if carrier:
        assert isinstance(getattr(module, carrier), type)


def test_files_named_below_the_table_are_there():
    named = re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.py)`", section())
    assert len(named) > len(rows())
    for file in named:
        assert (Path(bestofk.__file__).parent / file).is_file()

"""The ways of a score, of learners and of data in ARCHITECTURE.md are those that they go."""

import importlib
import re
from pathlib import Path

import pytest
from tests.walk import n_names, n_returns, way_of_data, way_of_file, way_of_learners

import bestofk

ARCHITECTURE = Path(__file__).resolve().parents[2] / "ARCHITECTURE.md"
TITLE = "## From a fold score to the verdict"
MOST_FILES, MOST_TYPES = 12, 6
WAYS = "## From learners and data to their runs"
MOST_STEPS, MOST_RETURNS, MOST_NAMES = 30, 8, 40
MOST_STEPS_OF_FILES = 26  # one of them tells free texts from levels


def section(title: str = TITLE) -> str:
    text = ARCHITECTURE.read_text(encoding="utf-8")
    assert title in text
    return text.split(title)[1].split("\n## ")[0]


def table(text: str) -> list[tuple[str, str, str]]:
    """Return file, function and type of each row of a table; the type may be empty."""
    cells = [line.strip("|").split("|") for line in text.splitlines() if "|" in line]
    return [tuple(cell.strip(" `") for cell in row[-3:]) for row in cells[2:]]


def rows() -> list[tuple[str, str, str]]:
    return table(section())


def stations(name: str) -> list[tuple[str, str, str]]:
    """Return the rows of the table of learners or of data."""
    (text,) = [text for text in section(WAYS).split("\n\n") if text.startswith(f"| {name}: file")]
    return table(text)


def test_the_walk_passes_few_files_and_types():
    files, types = {row[0] for row in rows()}, {row[2] for row in rows() if row[2]}
    assert 8 <= len(files) == len(rows()) <= MOST_FILES
    assert 4 <= len(types) <= MOST_TYPES


@pytest.mark.parametrize("row", [*rows(), *stations("learners"), *stations("data")])
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


@pytest.mark.parametrize(("name", "way"), [("learners", way_of_learners), ("data", way_of_data)])
def test_learners_and_data_go_straight(name, way):
    steps = way()
    assert len(steps) <= MOST_STEPS
    assert n_returns(steps) <= MOST_RETURNS
    assert n_names(steps) <= MOST_NAMES
    passed = [(step.file, step.function) for step in steps]
    listed = [(file, function) for file, function, _ in stations(name)]
    assert [place for place in passed if place in listed] == listed


def test_files_go_straight():
    steps = way_of_file(Path(__file__).resolve().parents[2] / "docs" / "patients.csv")
    assert len(steps) <= MOST_STEPS_OF_FILES
    assert n_returns(steps) <= MOST_RETURNS


def test_learners_that_are_tuned_hardly_make_a_longer_way():
    steps = way_of_learners(tune=True)
    assert len(steps) <= MOST_STEPS + 3
    assert n_returns(steps) <= MOST_RETURNS

"""Tutorials of the documentation: they run, and show what they promise to show."""

import ast
import json
from pathlib import Path

import pytest

import bestofk

TUTORIALS = sorted(Path(__file__).parents[2].joinpath("docs", "tutorials").glob("*.ipynb"))


def _shows_something(source: str) -> bool:
    """Return whether code prints, or ends in a value that a notebook shows."""
    statements = ast.parse(source).body
    calls = [node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    prints = any(isinstance(call, ast.Name) and call.id == "print" for call in calls)
    return prints or isinstance(statements[-1], ast.Expr)


def test_a_cell_shows_something_if_it_prints_or_ends_in_a_value():
    assert _shows_something("x = 1\nx")
    assert _shows_something("for x in range(3):\n    print(x)")
    assert not _shows_something("x = f(1)")


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_is_kept_without_outputs(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert [cell for cell in code if cell["outputs"] or cell["execution_count"]] == []
    assert cells[0]["source"][0].startswith("# ")
    assert "".join(cells[0]["source"]).partition("\n\n")[2].startswith("For readers ")
    assert any("## When not to use this" in "".join(cell["source"]) for cell in cells)


@pytest.mark.slow
@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_runs_and_every_result_is_shown(path, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PYTHONPATH", str(Path(bestofk.__file__).parents[1]))
    monkeypatch.delenv("MPLBACKEND", raising=False)  # a kernel draws into its notebook
    book = nbformat.read(path, as_version=4)
    folder = {"metadata": {"path": str(path.parent)}}
    nbclient.NotebookClient(book, timeout=300, resources=folder).execute()
    empty = [
        cell.source
        for cell in book.cells
        if cell.cell_type == "code" and _shows_something(cell.source) and not cell.outputs
    ]
    assert empty == []
    errors = [
        output.text
        for cell in book.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.get("name") == "stderr"
    ]
    assert errors == []

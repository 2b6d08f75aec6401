"""Architecture: imports between packages, and the cost of importing."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import grimp
import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from tests.architecture import PAGE, ROOT, layers, with_picture

import bestofk

SOURCE = Path(bestofk.__file__).parent


def parts():
    return {path.stem if path.is_file() else path.name for path in SOURCE.iterdir()
            if path.suffix == ".py" or (path / "__init__.py").exists()}  # fmt: skip


def test_every_part_has_a_layer():
    assert parts() == {"__init__", "__main__", *" ".join(layers()).split()}


def test_no_file_imports_one_that_imports_it():
    graph = grimp.build_graph("bestofk", cache_dir=None)
    modules = sorted(graph.modules)
    imports = np.zeros((len(modules), len(modules)), dtype=bool)
    for index, module in enumerate(modules):
        for imported in graph.find_modules_directly_imported_by(module):
            imports[index, modules.index(imported)] = True
    n_components, component = connected_components(imports, connection="strong")
    circles = [np.flatnonzero(component == i) for i in range(n_components)]
    assert [[modules[i] for i in circle] for circle in circles if len(circle) > 1] == []


def test_the_layers_hold():
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_the_picture_of_the_layers_is_that_of_the_contract():
    text = PAGE.read_text(encoding="utf-8")
    assert with_picture(text) == text


def test_every_file_says_what_it_answers():
    for path in SOURCE.rglob("*.py"):
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        assert docstring, path


def test_public_names_can_be_imported_and_do_not_look_like_tests():
    for name in bestofk.__all__:
        assert getattr(bestofk, name) is not None
        assert not name.lower().startswith("test")
    assert dir(bestofk) == sorted(bestofk.__all__)
    with pytest.raises(AttributeError, match=r"attribute '?nothing"):
        _ = bestofk.nothing


def test_importing_the_package_loads_nothing_heavy():
    code = (
        "import sys, bestofk\n"
        "heavy = {'numpy', 'pandas', 'sklearn', 'scipy', 'matplotlib', 'rich', 'typer'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "[]"


def test_no_part_hides_a_public_name_of_the_package():
    assert not parts() & set(bestofk.__all__)

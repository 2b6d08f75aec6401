"""Architecture: imports between packages, and the cost of importing."""

import ast
import importlib.util
import math
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import grimp
import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from tests.architecture import PAGE, ROOT, layers, with_picture

import bestofk

SOURCE = Path(bestofk.__file__).parent
TEXT = re.compile(r"bestofk(\.\w+)+\.?")


@cache
def sources() -> dict[Path, ast.Module]:
    """Return the parsed files of the package."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py")}


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


def upward_texts(source: ast.Module, package: str) -> list[str]:
    """Return the texts in a file that name a module which its package may not import."""
    lines = [line.split() for line in layers()]
    level = {name: number for number, line in enumerate(lines) for name in line}
    texts = [node.value for node in ast.walk(source) if isinstance(node, ast.Constant)]
    named = [text.split(".")[1] for text in texts if isinstance(text, str) and TEXT.fullmatch(text)]
    return [
        name for name in named if name != package and level.get(name, math.inf) <= level[package]
    ]


def test_texts_name_modules_of_lower_lines_only():
    for path, source in sources().items():
        first = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        if first not in ("__init__", "__main__"):  # they are above all layers
            assert upward_texts(source, first) == [], path


@pytest.mark.parametrize(
    "source",
    [
        "import_module('bestofk.tuning').Tuned",
        "Traits(form='bestofk.tuning.paths.closed_forms.RidgePath')",
        "import_module(f'bestofk.tuning.{name}')",
    ],
)
def test_a_text_that_points_upward_is_found(source):
    for package in ("learners", "resampling", "tuning", "comparison"):
        is_below = package in ("learners", "resampling")
        assert upward_texts(ast.parse(source), package) == ["tuning"] * is_below


def test_an_import_within_a_function_counts(tmp_path, monkeypatch):
    files = {"__init__": "", "high": "", "low": "def f():\n    import house_of_test.high\n"}
    (tmp_path / "house_of_test").mkdir()
    for name, text in files.items():
        (tmp_path / "house_of_test" / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    graph = grimp.build_graph("house_of_test", cache_dir=None)
    assert graph.find_modules_directly_imported_by("house_of_test.low") == {"house_of_test.high"}


def private_names(source: ast.Module) -> list[str]:
    """Return what a file imports, or names in texts, that scikit-learn keeps to itself."""
    named = []
    for node in ast.walk(source):
        if isinstance(node, ast.ImportFrom):
            named += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            named += [alias.name for alias in node.names]
        elif isinstance(node, ast.Constant):
            named += [str(node.value)]
    return [name for name in named if re.fullmatch(r"sklearn(\.\w+)*\._[\w.]+", name)]


def test_private_names_of_scikit_learn_stand_in_one_file():
    named = [path.name for path, source in sources().items() if private_names(source)]
    assert named == ["scikit_internals.py"]


def test_the_picture_of_the_layers_is_that_of_the_contract():
    text = PAGE.read_text(encoding="utf-8")
    assert with_picture(text) == text


def test_every_file_says_what_it_answers():
    assert [path for path, source in sources().items() if not ast.get_docstring(source)] == []


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
        "heavy = {'numpy', 'pandas', 'sklearn', 'scipy', 'matplotlib', 'rich', 'click'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "[]"


def test_no_part_hides_a_public_name_of_the_package():
    assert not parts() & set(bestofk.__all__)


@pytest.mark.parametrize("folder", ["benchmarks", "examples", "replications"])
def test_scripts_import_names_that_are_there(folder):
    missing = []
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bestofk"):
                module = importlib.import_module(node.module)
                missing += [
                    f"{path.name}: {node.module}.{item.name}"
                    for item in node.names
                    if not hasattr(module, item.name)
                    and importlib.util.find_spec(f"{node.module}.{item.name}") is None
                ]
    assert missing == []


def test_files_named_on_the_page_are_there_and_the_page_stays_short():
    text = PAGE.read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w/.-]+(?:\.py|/))`", text))
    places = [f"/{path.relative_to(ROOT)}" for path in ROOT.glob("tests/**/*.py")]
    places += [f"/{path.relative_to(SOURCE.parent)}" for path in SOURCE.rglob("*")]
    places += [f"/{path.relative_to(ROOT)}" for path in (ROOT / "docs").iterdir()]
    missing = [
        name
        for name in sorted(named)
        if not {"NAME", "FOLDER"} & set(re.split(r"[/_.]", name))
        and not any(place.endswith(f"/{name.rstrip('/')}") for place in places)
    ]
    assert missing == []
    assert len(text.splitlines()) <= 200
    assert len(text.split()) <= 2000


def test_every_guarantee_names_tests_that_hold_it():
    rows = re.findall(r"^\| (\d) \| .* \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [number for number, _ in rows][:9] == [str(number) for number in range(1, 10)]
    for _, held_by in rows[:9]:
        files = re.findall(r"`(tests/[\w/]+/test_\w+\.py)`", held_by)
        assert files
        assert all((ROOT / file).is_file() for file in files)

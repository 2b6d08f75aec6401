"""The layout: who imports whom, and what importing costs."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import bestofk

SOURCE = Path(bestofk.__file__).parent
STATIONS = ["data", "design", "evaluate", "inference", "ordering", "recommend", "report"]
CATALOGUES = ["learners", "measures"]
TOOLS = ["durations", "errors", "n_jobs", "randomness", "temporary_folder"]
FACES = [
    "__init__",
    "__main__",
    "best_of_k",
    "calibrating",
    "cli",
    "comparing",
    "comparing_across",
    "comparison",
    "comparison_across",
    "comparison_evidence",
    "comparison_findings",
    "comparison_tables",
    "comparison_tests",
    "curves",
    "recommendation",
    "recommending",
    "score_table",
    "score_table_across",
    "score_table_tests",
    "testing",
]


def imported_parts(path):
    """Return the parts of the package that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import in {path}"
            names = [node.module]
            if node.module == "bestofk":
                names = [f"bestofk.{alias.name}" for alias in node.names]
        for name in names:
            if name.startswith("bestofk."):
                yield name.split(".")[1]


def parts():
    return {path.stem if path.is_file() else path.name for path in SOURCE.iterdir()
            if path.suffix == ".py" or (path / "__init__.py").exists()}  # fmt: skip


def test_every_part_is_a_station_a_catalogue_a_tool_or_a_face():
    assert parts() == {*STATIONS, *CATALOGUES, *TOOLS, *FACES}


def test_the_stations_stand_in_the_order_of_the_alphabet():
    assert sorted(STATIONS) == STATIONS


@pytest.mark.parametrize("station", STATIONS)
def test_a_station_imports_only_stations_before_it_and_the_catalogues(station):
    allowed = {*STATIONS[: STATIONS.index(station) + 1], *CATALOGUES, *TOOLS}
    for path in (SOURCE / station).rglob("*.py"):
        assert set(imported_parts(path)) <= allowed, path


@pytest.mark.parametrize("catalogue", CATALOGUES)
def test_a_catalogue_imports_no_station(catalogue):
    for path in (SOURCE / catalogue).rglob("*.py"):
        assert set(imported_parts(path)) <= {catalogue, *TOOLS}, path


def test_inference_takes_plain_arrays():
    for path in (SOURCE / "inference").rglob("*.py"):
        assert set(imported_parts(path)) <= {"inference", *TOOLS}, path


def test_every_file_says_what_it_answers():
    for path in SOURCE.rglob("*.py"):
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        assert docstring, path


def test_public_names_can_be_imported_and_do_not_look_like_tests():
    for name in bestofk.__all__:
        assert getattr(bestofk, name) is not None
        assert not name.lower().startswith("test")
    assert dir(bestofk) == sorted(bestofk.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
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
    # importing a part binds its name on the package, whatever stood there before; for the one
    # name that is both a folder and a function the package sees to it
    assert parts() & set(bestofk.__all__) <= {"recommend"}


@pytest.mark.parametrize(
    "lines",
    [
        "import bestofk.recommendation.history",
        "from bestofk.recommendation.history import History",
        "from bestofk import recommend; import bestofk.recommendation.loss_time",
    ],
)
def test_the_function_recommend_is_there_whoever_imports_the_folder_first(lines):
    code = f"{lines}\nimport bestofk\nprint(bestofk.recommendation.__module__)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "bestofk.recommendation.session"

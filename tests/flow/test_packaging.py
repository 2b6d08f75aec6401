"""The source distribution has all of the project, and the wheel has all that the package needs."""

import re
import runpy
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from email import message_from_string
from pathlib import Path

import pytest
from tests.given import ROOT

import bestofk

pytest.importorskip("setuptools", minversion="77.0.3")
pytest.importorskip("Cython", minversion="3.1")

pytestmark = pytest.mark.slow  # builds the package

LEFT_OUT = shutil.ignore_patterns(
    *(".git", "__pycache__", "*.egg-info", "build", "dist", ".*_cache", ".hypothesis", ".venv"),
    *("*.db", "*.db-wal", "*.db-shm", "*.so", "*.pyd"),
)
FOLDERS = (
    *(".ci", ".github", "benchmarks", "build_backend", "changelog.d", "docs", "examples"),
    *("replications", "src/bestofk", "tests"),
)
BUILD = (
    "import sys; sys.path.insert(0, 'build_backend'); import build_backend;"
    "build_backend.build_{}(sys.argv[1])"
)
# Libraries that the package uses: those of this environment, which may be a virtual one.
_PACKAGES = sysconfig.get_path("purelib")
LIBRARY = re.compile(r"\.(so|pyd)$")  # a compiled loop


def files_below(folder: Path, *, names: tuple[str, ...]) -> set[str]:
    paths = (path for name in names for path in (folder / name).rglob("*"))
    return {
        path.relative_to(folder).as_posix()
        for path in paths
        if path.is_file() and "__pycache__" not in path.parts and not LIBRARY.search(path.name)
    }


def build(kind: str, project: Path, output: Path) -> Path:
    output.mkdir()
    command = [sys.executable, "-c", BUILD.format(kind), str(output)]
    ended = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    (built,) = output.iterdir()
    return built


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the unpacked source distribution."""
    work = tmp_path_factory.mktemp("build")
    shutil.copytree(ROOT, work / "project", ignore=LEFT_OUT)
    archive = build("sdist", work / "project", work / "sdist")
    with tarfile.open(archive) as file:
        file.extractall(work / "unpacked", filter="data")
    return work / "unpacked" / f"bestofk-{bestofk.__version__}"


@pytest.fixture(scope="module")
def wheel(unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the wheel, built from the source distribution and unpacked."""
    work = tmp_path_factory.mktemp("wheel")
    stale = unpacked / "build" / "lib" / "bestofk" / "moved.py"
    stale.parent.mkdir(parents=True)
    stale.write_text("", encoding="utf-8")
    with zipfile.ZipFile(build("wheel", unpacked, work / "wheel")) as file:
        file.extractall(work / "unpacked")
    return work / "unpacked"


def test_the_source_distribution_has_every_file_of_the_project(unpacked: Path) -> None:
    assert files_below(unpacked, names=FOLDERS) == files_below(ROOT, names=FOLDERS)
    pages = {path.name for path in ROOT.glob("*.md")}
    assert pages | {"LICENSE", "pyproject.toml", "setup.py", "MANIFEST.in"} <= {
        path.name for path in unpacked.iterdir()
    }


def test_the_wheel_has_every_file_of_the_package_and_nothing_else(wheel: Path) -> None:
    built = files_below(wheel, names=("bestofk",))
    assert built == files_below(ROOT / "src", names=("bestofk",))
    assert {path.name for path in wheel.iterdir()} == {
        "bestofk",
        f"bestofk-{bestofk.__version__}.dist-info",
    }


def test_the_wheel_has_a_library_for_every_file_of_loops(wheel: Path) -> None:
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    built = {path.relative_to(wheel).as_posix() for path in wheel.rglob(f"*{suffix}")}
    loops = files_below(wheel, names=("bestofk",))
    names = {name.removesuffix(".pyx") for name in loops if name.endswith(".pyx")}
    assert built == {f"{name}{suffix}" for name in {*names, "bestofk/_cyutility"}}


def test_the_package_of_the_wheel_runs_by_itself(wheel: Path, tmp_path: Path) -> None:
    code = (
        "import bestofk, sys; from bestofk.cli import main; print(bestofk.__file__);"
        "sys.exit(main(['compare', 'play-tennis', '--learners', 'majority,naive-bayes',"
        " '--cv', '2']))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(wheel), "PATH": "", "HOME": str(tmp_path), "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    first, _, rest = ended.stdout.partition("\n")
    assert Path(first).parent == wheel / "bestofk"
    assert "naive-bayes" in rest


def test_a_new_environment_without_a_compiler_goes_from_the_wheel_to_a_verdict(unpacked, tmp_path):
    wheel = build("wheel", unpacked, tmp_path / "wheel")
    folder = tmp_path / "environment"
    venv.create(folder, with_pip=True, system_site_packages=True)
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    rest = {"HOME": str(tmp_path), "MPLBACKEND": "Agg", "PYTHONPATH": _PACKAGES}
    for command in (
        ["python", "-m", "pip", "install", "--no-deps", "--no-index", "--force-reinstall", wheel],
        ["bestofk", "compare", "iris", "--learners", "naive-bayes,c45,5nn"],
    ):
        ended = subprocess.run(
            [programs / command[0], *command[1:]],
            cwd=tmp_path,
            env={**rest, "PATH": str(programs)},  # no compiler there
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
    assert "\nUse " in f"\n{ended.stdout}"


def test_the_page_on_pypi_names_files_where_the_readme_links_to_them(wheel: Path) -> None:
    (path,) = wheel.glob("*.dist-info/METADATA")
    metadata = message_from_string(path.read_text(encoding="utf-8"))
    assert metadata["Description-Content-Type"] == "text/markdown"
    page = str(metadata.get_payload())
    assert re.findall(r"\]\((?!https?:|#)[^)]*\)", page) == []
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"(?<!!)\[[^\]]+\]\(([^):#]+)", readme)
    named = [link for link in links if not (link in page and (ROOT / link).is_file())]
    assert named == []
    assert len(links) > 10
    fenced = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
    assert fenced.findall(page) == fenced.findall(readme)


def test_the_oldest_versions_are_the_lower_bounds_of_the_project_and_its_extras() -> None:
    constraints = runpy.run_path(str(ROOT / ".ci" / "oldest.py"))["constraints"]
    extras = {"all": ["this[some]", "c[fast]>=3"], "some": ["a-b>=1.2"]}
    project = {"name": "this", "dependencies": ["a-b>=1.2"], "optional-dependencies": extras}
    assert constraints(project) == ["a-b==1.2", "c==3"]
    with pytest.raises(ValueError, match=r"a requirement must be NAME>=VERSION; got 'd<2'"):
        constraints({**project, "dependencies": ["d<2"]})

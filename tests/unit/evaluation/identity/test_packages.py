"""Installed packages: which one a module belongs to, and in which version."""

import importlib.metadata
import sys
from pathlib import Path

import numpy as np
import pytest

import bestofk
from bestofk.evaluation.identity.packages import package_version, read_version, source_digest

PYTHON = f"python {sys.version_info.major}.{sys.version_info.minor}"


def test_installed_packages_and_the_standard_library_have_a_version_and_nothing_else():
    assert package_version("numpy.linalg") == f"numpy {np.__version__}"
    assert package_version("sklearn.svm").startswith("sklearn 1.")
    assert package_version("PIL").startswith("PIL ")  # not imported: found all the same
    names = ("builtins", "math", "json.decoder", "sys", "os")
    assert {package_version(name) for name in names} == {PYTHON}
    assert package_version("__main__") == ""
    assert package_version(__name__) == ""
    assert package_version("nowhere_at_all") == ""


def test_a_file_put_by_hand_among_the_packages_has_none(tmp_path, monkeypatch):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "put_there_by_hand.py").write_text("x = 1\n")
    monkeypatch.syspath_prepend(str(folder))
    assert package_version("put_there_by_hand") == ""


def test_versions_are_read_as_by_the_standard_library():
    names = {item.name for item in importlib.metadata.distributions()}
    assert {name: read_version(name) for name in names} == {
        name: importlib.metadata.version(name) for name in names
    }
    with pytest.raises(importlib.metadata.PackageNotFoundError):
        read_version("nowhere-at-all")


def test_the_digest_is_of_the_sources_of_the_whole_package(monkeypatch):
    seen = set()
    read_bytes = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: seen.add(path) or read_bytes(path))
    source_digest.__wrapped__()
    folder = Path(bestofk.__file__).parent
    assert {folder / "learners" / "catalogue.py", folder / "trees" / "c45.py"} <= seen

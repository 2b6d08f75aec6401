"""Folders of the data sets and reference cases for the tests."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FIGURES = ROOT / "tests" / "published" / "figures"


def _folder(variable: str, default: str) -> Path:
    return Path(os.environ.get(variable, ROOT.parent / "shared" / default))


def data_folder() -> Path:
    """Return the folder of data sets (`BESTOFK_DATA`), or skip the test."""
    folder = _folder("BESTOFK_DATA", "data")
    if not folder.is_dir():
        pytest.skip(
            f"no folder {folder}; set BESTOFK_DATA to run this test", allow_module_level=True
        )
    return folder


def reference_file(name: str) -> Path:
    """Return a file of reference cases (`BESTOFK_REFERENCE`), or the part of it kept here."""
    path = _folder("BESTOFK_REFERENCE", "reference") / name
    return path if path.is_file() else FIGURES / name


def reported_file(name: str) -> Path:
    """Return a small file that people had trouble with (`BESTOFK_CASES`), or skip the test."""
    path = _folder("BESTOFK_CASES", "cases") / "files" / name
    if not path.is_file():
        pytest.skip(f"no file {path}; set BESTOFK_CASES to run this test")
    return path

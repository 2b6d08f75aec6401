"""Folders of the data sets and reference cases for the tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def _folder(variable: str, default: str) -> Path:
    folder = Path(os.environ.get(variable, ROOT.parent / "shared" / default))
    if not folder.is_dir():
        pytest.skip(f"no folder {folder}; set {variable} to run this test", allow_module_level=True)
    return folder


def data_folder() -> Path:
    """Return the folder of data sets (`BESTOFK_DATA`), or skip the test."""
    return _folder("BESTOFK_DATA", "data")


def reference_folder() -> Path:
    """Return the folder of reference cases (`BESTOFK_REFERENCE`), or skip the test."""
    return _folder("BESTOFK_REFERENCE", "reference")

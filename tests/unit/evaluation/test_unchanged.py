"""Imported files and surroundings that a process must find as they were."""

from __future__ import annotations

import importlib
import os
import sys
import time

import pytest

from bestofk.evaluation.unchanged import ImportedFiles, Surroundings


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Return the file of an imported module of a user."""
    file = tmp_path / "of_a_user.py"
    file.write_text("VALUE = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    time.sleep(0.05)
    importlib.import_module("of_a_user")
    yield file
    del sys.modules["of_a_user"]


def noted():
    files = ImportedFiles(time.time_ns())
    files.note()
    return files


def test_what_was_not_touched_has_not_changed(module):
    assert not noted().have_changed()


def test_another_content_is_a_change_even_with_the_old_time(module):
    files = noted()
    before = module.stat()
    module.write_text("VALUE = 2\n")
    os.utime(module, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert files.have_changed()


def test_a_file_that_is_gone_is_a_change(module):
    files = noted()
    module.unlink()
    assert files.have_changed()


def test_a_file_that_was_written_before_it_was_imported_is_known(module):
    files = ImportedFiles(0)
    files.note()  # of_a_user is not known, all others are
    assert files.have_changed()
    files._states.clear()
    files.note()
    assert not files.have_changed()


def test_a_file_that_was_written_after_the_start_may_be_another_one_than_was_imported(module):
    files = ImportedFiles(time.time_ns() - 10**9)
    os.utime(module)
    files.note()
    assert files.have_changed()


def test_a_module_without_a_file_of_its_own_on_disk_may_have_changed(module, monkeypatch):
    monkeypatch.setattr(sys.modules["of_a_user"], "__file__", "/nowhere/archive.zip/of_a_user.py")
    assert noted().have_changed()


def test_installed_packages_and_the_standard_library_are_not_looked_at():
    files = noted()
    assert not any("site-packages" in file or "/json/" in file for file in files._states)


def test_surroundings_are_paths_folder_and_environment(monkeypatch, tmp_path):
    here = Surroundings.here()
    assert Surroundings.here() == here
    monkeypatch.setenv("OF_A_TEST", "1")
    assert Surroundings.here() != here
    monkeypatch.undo()
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    assert Surroundings.here() != here
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert Surroundings.here() != here


def test_a_folder_that_was_deleted_is_none(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    tmp_path.rmdir()
    assert Surroundings.here().folder is None

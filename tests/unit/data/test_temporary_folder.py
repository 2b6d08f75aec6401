"""Folders of processes that were killed are removed by the next; those of living ones never."""

from __future__ import annotations

import fcntl
import os
import signal

import pytest

from bestofk.data import temporary_folder as module
from bestofk.data.temporary_folder import temporary_folder


@pytest.fixture
def next_start():
    """Return what makes this process look for folders as a new one does."""
    yield module._remove_left_over.cache_clear
    module._remove_left_over.cache_clear()


# Python 3.12 and later warn where a process with threads forks.
FORKS = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")


def killed_in_its_folder(parent):
    """Let another process make a folder and be killed in it."""
    reader, writer = os.pipe()
    process = os.fork()
    if not process:
        with temporary_folder(parent) as folder:
            (folder / "payload").write_bytes(b"1")
            os.write(writer, os.fsencode(folder))
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(process, 0)
    result = os.fsdecode(os.read(reader, 1000))
    os.close(reader)
    os.close(writer)
    return result


def names(parent):
    return sorted(path.name for path in parent.iterdir())


def test_a_folder_is_gone_after_its_block_with_all_that_is_in_it(tmp_path):
    with temporary_folder(tmp_path) as folder:
        (folder / "payload").write_bytes(b"1")
        assert folder.name.startswith("bestofk-")
        assert folder.parent == tmp_path
    assert names(tmp_path) == []


@FORKS
def test_the_folder_of_a_killed_process_is_removed_at_the_next_start(tmp_path, next_start):
    left = killed_in_its_folder(tmp_path)
    assert os.path.exists(f"{left}/payload")
    next_start()
    with temporary_folder(tmp_path) as folder:
        assert names(tmp_path) == [folder.name]


def test_folders_in_use_are_kept(tmp_path, next_start):
    with temporary_folder(tmp_path) as first:
        next_start()
        with temporary_folder(tmp_path) as second:
            assert names(tmp_path) == sorted([first.name, second.name])
            assert first != second


def test_folders_that_nobody_ever_owned_are_kept(tmp_path, next_start):
    (tmp_path / "bestofk-results").mkdir()
    (tmp_path / "bestofk-runs.db").touch()
    (tmp_path / "other").mkdir()
    (tmp_path / "bestofk-link").symlink_to(tmp_path / "other")
    (tmp_path / "other" / ".owner").touch()
    before = names(tmp_path)
    next_start()
    with temporary_folder(tmp_path):
        pass
    assert names(tmp_path) == before


def test_where_nothing_can_be_locked_a_folder_is_made_and_removed_all_the_same(
    tmp_path, next_start, monkeypatch
):
    def no_locks(handle, operation):
        raise OSError

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with temporary_folder(tmp_path) as folder:
        next_start()
        with temporary_folder(tmp_path):
            assert folder.exists()
    assert names(tmp_path) == []

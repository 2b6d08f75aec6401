"""Temporary folders: none is left behind, not even by a process that is killed."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from bestofk import compare
from bestofk.data.temporary_folder import remove_left_folders, temporary_folder

KILLED = """
import os, signal, sys
from bestofk.data.temporary_folder import temporary_folder
with temporary_folder(sys.argv[1]) as folder:
    (folder / "payload").write_bytes(b"1")
    print(len(list(folder.parent.iterdir())), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def names(parent):
    return sorted(path.name for path in parent.iterdir())


def test_a_folder_is_gone_after_its_block_with_all_that_is_in_it(tmp_path):
    with temporary_folder(tmp_path) as folder:
        (folder / "payload").write_bytes(b"1")
        assert folder.name.startswith("bestofk-")
        assert folder.parent == tmp_path
    assert names(tmp_path) == []


def test_the_folder_of_a_killed_process_is_removed_and_no_other(tmp_path):
    (tmp_path / "bestofk-results").mkdir()
    with temporary_folder(tmp_path) as own:
        command = [sys.executable, "-c", KILLED, str(tmp_path)]
        process = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (process.returncode, process.stdout) == (-signal.SIGKILL, "3\n")
        end = time.monotonic() + 60
        while len(names(tmp_path)) > 2:
            assert time.monotonic() < end, "the folder was not removed"
            time.sleep(0.05)
        assert names(tmp_path) == sorted(["bestofk-results", own.name])


GROUP = KILLED.replace("os.kill(os.getpid()", "os.killpg(0")


@pytest.fixture
def left(tmp_path):
    """A folder that a killed group of processes left behind."""
    command = [sys.executable, "-c", GROUP, str(tmp_path)]
    process = subprocess.run(command, start_new_session=True, check=False, capture_output=True)
    assert process.returncode == -signal.SIGKILL
    (name,) = names(tmp_path)
    assert (tmp_path / name / "payload").stat().st_size == 1
    return tmp_path / name


def test_what_a_killed_group_left_is_removed_by_the_next_folder(left, tmp_path):
    assert left.stat().st_mode & 0o777 == 0o700
    with temporary_folder(tmp_path) as own:
        assert names(tmp_path) == [own.name]


def test_what_a_killed_group_left_is_removed_by_the_next_call(left, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    compare(["majority", "nearest-mean"], "iris", cv="2")
    assert names(tmp_path) == []


def test_folders_that_are_in_use_or_of_others_stay(left, tmp_path):
    """Those of living processes, of other machines and users, and what only looks like one."""

    def like_it(name):
        return Path(shutil.copytree(left, tmp_path / name))

    other, elsewhere, opened = map(like_it, ["bestofk-machine", "elsewhere", "bestofk-opened"])
    (other / "owner").write_text("another machine")
    (tmp_path / "bestofk-link").symlink_to(elsewhere)
    opened.chmod(0o755)  # others could have put something there
    linked, pipe, own = (tmp_path / f"bestofk-{name}" for name in ("linked", "pipe", "results"))
    for folder in (linked, pipe, own):
        folder.mkdir(0o700)
    (linked / "owner").symlink_to(left / "owner")
    os.mkfifo(pipe / "owner")
    with temporary_folder(tmp_path) as first, temporary_folder(tmp_path):
        remove_left_folders(tmp_path)
        assert not left.exists()
        assert first.exists()
    kept = [other, elsewhere, tmp_path / "bestofk-link", opened, linked, pipe, own]
    assert names(tmp_path) == sorted(path.name for path in kept)
    assert (elsewhere / "payload").exists()

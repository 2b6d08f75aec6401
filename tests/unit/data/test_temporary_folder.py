"""Temporary folders: none is left behind, not even by a process that is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

from bestofk.data.temporary_folder import temporary_folder

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

"""Merges that end half way: killed, on a full disk, while others write."""

import os
import signal
import subprocess
import sys
import threading

import pytest
from tests.store_content import content_of

from bestofk import Store, compare, merge_stores
from bestofk.errors import StoreError
from bestofk.evaluation.record import RunRecord

# Merges, and stops where it is told to: before the copy of the last source, before its end, or
# before the file gets its name.
MERGE = """
import os, sys, time
from bestofk.evaluation.store import file, merge_stores, store_copy

where, output, *sources = sys.argv[1:]

def stop():
    print("there", flush=True)
    time.sleep(60)

class Stopped(store_copy.StoreCopy):
    def copy(self):
        if where == "copy" and str(self._path) == sources[-1]:
            stop()
        super().copy()
        if where == "end" and str(self._path) == sources[-1]:
            stop()

store_copy.StoreCopy = Stopped
link = os.link
os.link = lambda *names: stop() if where == "link" else link(*names)
merge_stores(sources, output)
"""
# Merges where files may not become larger than so many bytes.
CRAMPED = """
import resource, signal, sys
from bestofk import merge_stores
from bestofk.errors import StoreError

n_bytes, output, *sources = sys.argv[1:]
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(n_bytes), int(n_bytes)))
try:
    merge_stores(sources, output)
except StoreError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stores")
    paths = [folder / f"{name}.db" for name in "ab"]
    compare(["majority", "cart"], "iris", cv="10x10", store=paths[0])
    compare(["majority", "lda"], "iris", cv="10x10", store=paths[1])
    return paths


@pytest.fixture
def kept(sources):
    """Return the content of the sources; check that it is the same afterwards."""
    before = [path.read_bytes() for path in sources]
    yield [content_of(path) for path in sources]
    assert [path.read_bytes() for path in sources] == before
    assert sorted(os.listdir(sources[0].parent)) == ["a.db", "b.db"]


@pytest.mark.parametrize(
    ("where", "has_output"),
    [
        ("link", False),
        ("end", True),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (("copy", False), ("end", False), ("copy", True))
        ),
    ],
)
@pytest.mark.usefixtures("kept")
def test_a_killed_merge_leaves_the_output_as_it_was(sources, tmp_path, where, has_output):
    output = tmp_path / "all.db"
    if has_output:
        output.write_bytes(sources[0].read_bytes())
        before = content_of(output)
    command = [sys.executable, "-c", MERGE, where, str(output), *map(str, sources)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        os.kill(process.pid, signal.SIGKILL)
    if has_output:
        assert content_of(output) == before
        with Store(output) as store:
            assert store.check() == []
    else:
        assert not output.exists()
    counts = merge_stores(sources, output)
    assert counts.n_runs == 303
    merge_stores(sources, tmp_path / "other.db")
    assert content_of(output) == content_of(tmp_path / "other.db")


@pytest.mark.skipif(sys.platform == "win32", reason="limits of files are those of Unix")
@pytest.mark.parametrize(
    ("has_output", "n_bytes"),
    [(True, "60000"), pytest.param(False, "300000", marks=pytest.mark.slow)],
)
@pytest.mark.usefixtures("kept")
def test_a_full_disk_leaves_the_output_as_it_was(sources, tmp_path, has_output, n_bytes):
    output = tmp_path / "all.db"
    if has_output:
        output.write_bytes(sources[0].read_bytes())
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    answer = subprocess.run(
        [sys.executable, "-c", CRAMPED, n_bytes, str(output), *map(str, sources)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert answer.stdout.startswith("store must be a ")
    assert str(output) in answer.stdout
    assert len(answer.stdout.splitlines()) == 1
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert merge_stores(sources, output).n_runs == 303


def test_runs_that_others_write_meanwhile_are_all_there(sources, tmp_path):
    paths = [tmp_path / "all.db", tmp_path / "source.db"]

    def write(path, start):
        for index in range(20):
            with Store(path) as store:  # its log comes and goes
                streams = range(start + 10 * index, start + 10 * (index + 1))
                record = RunRecord("ok", None, 0.5, 0.25)
                store.add((1, 1), [1] * 10, streams, [record] * 10, keep="labels", n_classes=3)

    threads = []
    for path, start in zip(paths, (1000, 2000), strict=True):
        path.write_bytes(sources[0].read_bytes())
        threads.append(threading.Thread(target=write, args=(path, start)))
        threads[-1].start()
    while any(thread.is_alive() for thread in threads):
        merge_stores([paths[1], *sources], paths[0])
    assert merge_stores([paths[1], *sources], paths[0]).n_runs == 303 + 400
    streams = {row[3] for row in content_of(paths[0])["run"] if row[3] < 3000}
    assert streams == {*range(1000, 1200), *range(2000, 2200)}
    with Store(paths[0]) as store:
        assert store.check() == []


def test_an_output_that_another_program_holds_is_waited_for_and_refused(
    sources, tmp_path, monkeypatch
):
    output = tmp_path / "all.db"
    output.write_bytes(sources[0].read_bytes())
    monkeypatch.setattr("bestofk.evaluation.store.entries._BUSY_SECONDS", 0.2)
    refused = pytest.raises(StoreError, match=r"could not \(database is locked\)")
    with Store(output) as store, store.transaction(), refused:
        merge_stores(sources, output)
    assert merge_stores(sources, output).n_runs == 303

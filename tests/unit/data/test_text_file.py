import gzip
import os
import tracemalloc

import pytest

from bestofk.cli import main
from bestofk.data import load_data, text_file
from bestofk.data.text_file import MOST_UNPACKED, read_bytes
from bestofk.errors import InvalidArgumentError


@pytest.mark.parametrize("name", ["data.csv", "data.arff", "data.parquet", "data.csv.gz"])
def test_a_pipe_is_refused_at_once(tmp_path, capsys, name):
    path = tmp_path / name
    os.mkfifo(path)  # nothing ever writes to it: opening it would wait forever
    with pytest.raises(InvalidArgumentError, match="must be an ordinary file; got the pipe or"):
        load_data(path)
    assert main(["compare", str(path)]) == 2
    assert "Save its output to a file first." in capsys.readouterr().err


def test_a_device_is_refused():
    with pytest.raises(InvalidArgumentError, match="got the pipe or device /dev/zero"):
        read_bytes(type(text_file.Path())("/dev/zero"))


def test_a_file_that_unpacks_beyond_the_limit_is_refused_without_being_held(tmp_path):
    path = tmp_path / "bomb.csv.gz"
    packed = gzip.compress(b"1,2\n" * (1 << 20), mtime=0)
    n_members = MOST_UNPACKED // (4 << 20) + 1
    path.write_bytes(packed * n_members)
    tracemalloc.start()
    try:
        with pytest.raises(InvalidArgumentError, match=r"at most 500 MB; got more\. Unpack it"):
            read_bytes(path)
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()


def test_a_packed_file_at_the_limit_is_read(write, monkeypatch):
    path = write(gzip.compress(b"a,b\n1,2\n", mtime=0), "data.csv.gz")
    monkeypatch.setattr(text_file, "MOST_UNPACKED", 8)
    assert read_bytes(path) == b"a,b\n1,2\n"
    monkeypatch.setattr(text_file, "MOST_UNPACKED", 7)
    with pytest.raises(InvalidArgumentError, match="Unpack it first"):
        read_bytes(path)
    assert len(read_bytes(write(b"a,b\n1,2\n"))) == 8

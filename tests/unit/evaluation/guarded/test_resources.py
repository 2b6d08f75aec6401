"""Peak of the memory of a block, and a limit that makes allocations fail."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from bestofk.evaluation.guarded.resources import (
    above_limit,
    limited_memory,
    measured_peak,
    memory_limit,
)

MB = 1_000_000
on_linux = pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="needs the memory figures of Linux"
)


@on_linux
def test_the_peak_is_what_a_block_held_at_most_above_what_there_was_before():
    kept = np.ones(60 * MB, dtype=np.uint8)
    with measured_peak() as peak:
        assert peak() < 5 * MB
        freed = np.ones(80 * MB, dtype=np.uint8)
        del freed
        assert 75 * MB < peak() < 90 * MB
    with measured_peak() as peak:  # an earlier, higher peak does not count
        small = np.ones(50 * MB, dtype=np.uint8)  # more than is taken from what was freed
        assert 45 * MB < peak() < 60 * MB
    assert kept[0] == small[0]


@on_linux
def test_a_block_within_another_is_part_of_it_and_has_no_figure_of_its_own():
    with measured_peak() as outer:
        with measured_peak() as inner:
            np.ones(60 * MB, dtype=np.uint8)
            assert inner() is None
        assert outer() > 55 * MB


@on_linux
def test_beside_a_block_that_is_measured_other_threads_have_no_figure():
    def figure():
        with measured_peak() as peak:
            return peak()

    with ThreadPoolExecutor(1) as pool:
        with measured_peak():
            assert pool.submit(figure).result() is None
        assert pool.submit(figure).result() >= 0


def test_where_the_peak_cannot_be_set_back_there_is_none(monkeypatch):
    monkeypatch.setattr("builtins.open", lambda *_, **__: (_ for _ in ()).throw(FileNotFoundError))
    with measured_peak() as peak:
        assert peak() is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux refuses memory")
def test_memory_above_the_limit_is_refused_until_the_block_ends(tmp_path):
    np.ones(200 * MB, dtype=np.uint8).tofile(tmp_path / "mapped")
    source = """if True:
        import numpy as np, sys
        from bestofk.evaluation.guarded.resources import limited_memory, memory_limit
        with limited_memory(100_000_000):
            assert memory_limit() == 100_000_000
            np.ones(80_000_000, dtype=np.uint8)
            try:
                np.ones(120_000_000, dtype=np.uint8)
            except MemoryError:
                print("refused")
            mapped = np.memmap(sys.argv[1], mode="r")
            print(int(mapped.sum(dtype=np.int64)))
        assert memory_limit() is None
        print(len(np.ones(120_000_000, dtype=np.uint8)))
    """
    result = subprocess.run(
        [sys.executable, "-c", source, str(tmp_path / "mapped")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert result.stdout.split() == ["refused", "200000000", "120000000"]


def test_without_a_limit_there_is_none():
    with limited_memory(None):
        assert memory_limit() is None


@pytest.mark.parametrize(
    ("limit", "peak", "text"),
    [
        (10**9, None, "needed more memory than the limit of 1 GB"),
        (
            4 * 10**9,
            4_212_345_678,
            "needed more memory than the limit of 4 GB (peak 4.21 GB in use)",
        ),
        (50 * MB, 17_654_321, "needed more memory than the limit of 50 MB (peak 18 MB in use)"),
    ],
)
def test_the_message_names_limit_and_peak(limit, peak, text):
    assert above_limit(limit, peak) == text

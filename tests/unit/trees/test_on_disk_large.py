"""Trees of large tables: the same tree, and bounded memory."""

import re
import subprocess
import sys

import pytest
from tests.given import ROOT

pytest.importorskip("pyarrow")
pytestmark = pytest.mark.slow


def benchmark(*options):
    command = [sys.executable, str(ROOT / "benchmarks" / "trees_large.py"), *options]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("learner", ["c45", "id3"])
def test_a_million_rows_give_the_same_tree_as_in_memory(learner):
    assert "same tree" in benchmark("--rows", "1000000", "--learner", learner, "--compare")


def test_ten_million_rows_take_less_than_one_and_a_half_gigabytes():
    printed = benchmark("--rows", "10000000", "--learner", "c45")
    assert float(re.search(r"(\d+) MB peak", printed)[1]) < 1500

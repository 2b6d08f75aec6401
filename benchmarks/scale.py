"""CPU seconds and memory at the ends of the scale, each step in a process of its own.

stores   a store of a million runs (four light learners, 25,000 repeats of 10 folds of iris):
         writing it (30 s), its status (2 s), its export as CSV (30 s and 500 MB) and a verdict
         from it (5 s), for all that can be kept

    OMP_NUM_THREADS=1 python benchmarks/scale.py [--repeats 25000] [--keep probabilities ...]
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn

import bestofk

_COMPARE = """
import sys
from bestofk import compare
learners = ["majority", "nearest-mean", "naive-bayes", "lda"]
path, n_repeats, keep = sys.argv[1:]
result = compare(learners, "iris", cv=f"{n_repeats}x10", store=path, keep=keep, progress=False)
print(result.best, result.evaluation.n_fitted, result.evaluation.n_reused)
"""


def measured(arguments: Sequence[str]) -> tuple[float, float, str]:
    """Return CPU seconds and peak memory in MB of a fresh interpreter, and what it printed."""
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{arguments[:4]} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000, printed


def stores(n_repeats: int, keep: str) -> None:
    """Print what the four steps on one store take."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.db"
        compare = ["-c", _COMPARE, str(path), str(n_repeats), keep]
        table = str(path.with_suffix(".csv"))
        steps = {
            "write": compare,
            "status": ["-m", "bestofk", "status", str(path)],
            "export": ["-m", "bestofk", "export", str(path), "--output", table],
            "verdict": compare,
        }
        for name, arguments in steps.items():
            seconds, memory, printed = measured(arguments)
            shown = printed.strip() if arguments is compare else ""
            print(f"{keep:14}{name:9}{seconds:8.2f} s {memory:7.0f} MB  {shown}", flush=True)
        print(f"{keep:14}{'file':9}{path.stat().st_size / 1e6:17.0f} MB")


def main() -> None:
    """Print the figures of all subjects."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=25_000)
    parser.add_argument("--keep", nargs="+", default=["probabilities", "labels", "scores"])
    given = parser.parse_args()
    print(
        f"bestofk {bestofk.__version__}, Python {platform.python_version()}, numpy "
        f"{np.__version__}, pandas {pd.__version__}, scikit-learn {sklearn.__version__}"
    )
    for keep in given.keep:
        stores(given.repeats, keep)


if __name__ == "__main__":
    main()

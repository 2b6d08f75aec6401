"""CPU seconds from the start of `bestofk compare FILE` to its first number.

Every figure is user and system time of a fresh process and its children, at the moment when the
first line about scores is on standard error; the median over the rounds, files in turn.

vowel   a file with 990 rows and 11 classes, default call (at most 5 s to a provisional table)
large   200,000 rows, 17 numeric and 3 nominal columns, 3 classes, default call (at most 15 s)
imports `import bestofk.comparison.entry_point`, which every call needs

    OMP_NUM_THREADS=1 python benchmarks/first_number.py --vowel FILE [--rounds 5]
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
import sklearn
from sklearn.datasets import make_classification

import bestofk

FIRST = "After "  # how lines with standings begin
NOMINAL = {3: 4, 9: 6, 15: 10}  # columns and their numbers of levels
N_ROWS = 200_000


def write_large(path: Path) -> None:
    """Write the large table, the same every time."""
    X, y = make_classification(
        N_ROWS, 20, n_informative=12, n_redundant=4, n_classes=3, random_state=0
    )
    table = pd.DataFrame(X.round(4), columns=[f"x{index}" for index in range(X.shape[1])])
    for index, n_levels in NOMINAL.items():
        labels = [f"level {level}" for level in range(n_levels)]
        table[f"x{index}"] = pd.qcut(X[:, index], n_levels, labels=labels).astype(str)
    table["class"] = np.array(["low", "middle", "high"])[y]
    table.to_csv(path, index=False)


def used_seconds(process: psutil.Process) -> float:
    """Return the CPU seconds of a process and of all processes that it started."""
    used = process.cpu_times()
    total = used.user + used.system + used.children_user + used.children_system
    for child in process.children(recursive=True):
        times = child.cpu_times()
        total += times.user + times.system
    return float(total)


def seconds_to_first_number(arguments: Sequence[str]) -> tuple[float, str]:
    """Start a process, and return its CPU seconds at the first number, and the line with it."""
    child = subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert child.stderr is not None  # a pipe was asked for
    process, seen = psutil.Process(child.pid), []
    try:
        for line in child.stderr:
            seen.append(line)
            if line.startswith(FIRST):
                return used_seconds(process), line.strip()
    finally:
        child.kill()
        child.wait()
        child.stderr.close()
    raise SystemExit(f"{' '.join(arguments)} ended without a number:\n{''.join(seen)}")


def import_seconds() -> float:
    """Return the CPU seconds of a process that imports what a call needs, and ends."""
    before = os.times()
    subprocess.run([sys.executable, "-c", "import bestofk.comparison.entry_point"], check=True)
    after = os.times()
    return (
        after.children_user + after.children_system
        - before.children_user - before.children_system
    )  # fmt: skip


def main() -> None:
    """Measure in turn and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vowel", type=Path, required=True, help="vowel.arff of the UCI")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    versions = ", ".join(f"{item.__name__} {item.__version__}" for item in (
        bestofk, np, sklearn, pd))  # fmt: skip
    print(f"{versions}, python {platform.python_version()}, {platform.machine()}; "
          f"{given.rounds} rounds in turn")  # fmt: skip
    seconds: dict[str, list[float]] = {"imports": [], "vowel": [], "large": []}
    with tempfile.TemporaryDirectory() as folder:
        large = Path(folder) / "large.csv"
        write_large(large)
        files = {"vowel": given.vowel, "large": large}
        lines = {}
        for _ in range(given.rounds):
            seconds["imports"].append(import_seconds())
            for name, path in files.items():
                used, lines[name] = seconds_to_first_number(["-m", "bestofk", "compare", str(path)])
                seconds[name].append(used)
    for name, values in seconds.items():
        all_of_them = ", ".join(f"{value:.2f}" for value in values)
        print(f"{name:8s} {statistics.median(values):5.2f} s CPU  ({all_of_them})")
        if name in lines:
            print(f"         {lines[name]}")


if __name__ == "__main__":
    started = time.perf_counter()
    main()
    print(f"took {time.perf_counter() - started:.0f} s")

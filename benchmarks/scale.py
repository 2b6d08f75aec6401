"""CPU seconds and memory at the ends of the scale.

stores   each step in a process of its own: a store of a million runs (four light learners,
         25,000 repeats of 10 folds of iris): writing it (30 s), its status (2 s), its export as
         CSV (30 s and 500 MB) and a verdict from it (5 s), for all that can be kept
reading  CSV files of 20 columns (16 of numbers, 4 of texts, gaps): `load_data` against
         `pandas.read_csv` in turn in one process
arff     an ARFF file of 100,000 rows and 21 numeric columns: `read_arff` against
         `scipy.io.arff.loadarff` in turn in one process, first fresh, then warm

    OMP_NUM_THREADS=1 python benchmarks/scale.py [--repeats 25000] [--keep probabilities ...]
    OMP_NUM_THREADS=1 python benchmarks/scale.py --keep --rows 100000 1000000
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn

import bestofk

_COMPARE = """
import sys
from bestofk import compare
from bestofk.evaluation.guarded.resources import measured_peak
learners = ["majority", "nearest-mean", "naive-bayes", "lda"]
path, n_repeats, keep = sys.argv[1:]
with measured_peak():  # or the first run would set the peak of the process back
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


def reading(n_rows: int) -> None:
    """Print what reading a CSV file takes, next to the parser of pandas on the same file."""
    rng = np.random.default_rng(0)
    columns = {f"x{k}": rng.normal(size=n_rows).round(4) for k in range(11)}
    columns |= {f"gaps{k}": np.where(rng.random(n_rows) < 0.03, np.nan, rng.random(n_rows))
                for k in range(2)}  # fmt: skip
    columns |= {f"whole{k}": rng.integers(0, 50**k, n_rows) for k in range(1, 4)}
    columns |= {f"level{k}": rng.choice(["red", "green", "dark red"], n_rows) for k in range(3)}
    columns["class"] = rng.choice(["good", "bad"], n_rows)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.csv"
        pd.DataFrame(columns).to_csv(path, index=False)
        sides = {"pandas": pd.read_csv, "bestofk": bestofk.load_data}
        seconds: dict[str, list[float]] = {name: [] for name in sides}
        for _ in range(5):
            for name, read in sides.items():
                start = time.process_time()
                read(path)
                seconds[name].append(time.process_time() - start)
    peer, ours = (float(np.median(taken)) for taken in seconds.values())
    print(f"reading {n_rows} rows: pandas {peer:.3f} s, bestofk {ours:.3f} s, {ours / peer:.2f} x")


_ARFF_TURNS = """
import sys, time
def ours(path):
    from pathlib import Path
    from bestofk.data.arff_file import read_arff
    read_arff(Path(path), "data")
def peer(path):
    from scipy.io import arff
    arff.loadarff(path)
sides = [ours, peer] if sys.argv[2] == "ours" else [peer, ours]
for turn in range(4):
    taken = {}
    for read in sides:
        start = time.process_time()
        read(sys.argv[1])
        taken[read] = time.process_time() - start
    print(f"{taken[peer]:.3f} {taken[ours]:.3f}")
"""


def arff(n_rows: int = 100_000, n_columns: int = 21) -> None:
    """Print what reading an ARFF file takes, next to scipy on the same file."""
    values = np.random.default_rng(0).normal(size=(n_rows, n_columns))
    head = [f"@attribute x{k} numeric" for k in range(n_columns)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.arff"
        with path.open("w") as file:
            file.write("\n".join(["@relation r", *head, "@data\n"]))
            np.savetxt(file, values, fmt="%.6g", delimiter=",")
        printed = [measured(["-c", _ARFF_TURNS, str(path), first])[2] for first in ("ours", "peer")]
    turns = [[tuple(map(float, line.split())) for line in text.splitlines()] for text in printed]
    for name, pairs in (
        ("fresh", [side[0] for side in turns]),
        ("warm", [pair for side in turns for pair in side[1:]]),
    ):
        peer, ours = (float(np.median(taken)) for taken in zip(*pairs, strict=True))
        print(f"arff, {name}: scipy {peer:.3f} s, bestofk {ours:.3f} s, {ours / peer:.2f} x")


def main() -> None:
    """Print the figures of all subjects."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=25_000)
    parser.add_argument("--rows", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--keep", nargs="*", default=["probabilities", "labels", "scores"])
    given = parser.parse_args()
    print(
        f"bestofk {bestofk.__version__}, Python {platform.python_version()}, numpy "
        f"{np.__version__}, pandas {pd.__version__}, scikit-learn {sklearn.__version__}"
    )
    for keep in given.keep:
        stores(given.repeats, keep)
    arff()
    for n_rows in given.rows:
        reading(n_rows)


if __name__ == "__main__":
    main()

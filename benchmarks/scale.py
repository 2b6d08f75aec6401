"""CPU seconds and memory at the ends of the scale.

stores   each step in a process of its own: a store of a million runs (four light learners,
         25,000 repeats of 10 folds of iris): writing it (30 s), its status (2 s), its export as
         CSV (30 s and 500 MB) and a verdict from it (5 s), for all that can be kept
reading  ARFF, CSV and Parquet files of 21 columns (numbers, texts, gaps), and CSV of 1,000: against
         scipy and pandas, the sides in turn in one process, first fresh, then warm; and the peak
         memory of each side alone

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
            "status": ["-m", "bestofk", "store", "status", str(path)],
            "export": ["-m", "bestofk", "store", "export", str(path), "--output", table],
            "verdict": compare,
        }
        for name, arguments in steps.items():
            seconds, memory, printed = measured(arguments)
            shown = printed.strip() if arguments is compare else ""
            print(f"{keep:14}{name:9}{seconds:8.2f} s {memory:7.0f} MB  {shown}", flush=True)
        print(f"{keep:14}{'file':9}{path.stat().st_size / 1e6:17.0f} MB")


def csv_table(n_rows: int, n_columns: int = 21) -> pd.DataFrame:
    """Return numbers, some with gaps, whole numbers, texts and a class."""
    rng = np.random.default_rng(0)
    columns = {f"x{k}": rng.normal(size=n_rows).round(4) for k in range(n_columns - 9)}
    columns |= {f"gaps{k}": np.where(rng.random(n_rows) < 0.03, np.nan, rng.random(n_rows))
                for k in range(2)}  # fmt: skip
    columns |= {f"whole{k}": rng.integers(0, 50**k, n_rows) for k in range(1, 4)}
    columns |= {f"level{k}": rng.choice(["red", "green", "dark red"], n_rows) for k in range(3)}
    columns["class"] = rng.choice(["good", "bad"], n_rows)
    return pd.DataFrame(columns)


# What each side reads; `id` is a hash of the content.
_SIDES = {
    "csv": ("pandas", "pandas.read_csv(path)", "bestofk.load_data(path)"),
    "parquet": ("pandas", "pandas.read_parquet(path)", "bestofk.load_data(path).id"),
    "arff": ("scipy", "loadarff(path)", "read_arff(Path(path), 'data')"),
}
_TURNS = """
import sys, time
from pathlib import Path
import pandas
from scipy.io.arff import loadarff
import bestofk
from bestofk.data.arff_file import read_arff
def ours(path):
    return OURS
def peer(path):
    return PEER
for turn in range(int(sys.argv[3])):
    taken = {}
    for read in [ours, peer] if sys.argv[2] == "ours" else [peer, ours]:
        start = time.process_time()
        read(sys.argv[1])
        taken[read] = time.process_time() - start
    print(f"{taken[peer]:.3f} {taken[ours]:.3f}")
"""
_ALONE = (
    _TURNS.partition("for turn")[0]
    + """
(ours if sys.argv[2] == "ours" else peer)(sys.argv[1])
status = Path("/proc/self/status").read_text()  # the peak of getrusage is one of the parent too
print(int(status.partition("VmHWM:")[2].split()[0]) / 1000)
"""
)


def reading(what: str, path: Path) -> None:
    """Print CPU seconds and peak memory of reading a file, next to another package."""
    kind = path.suffix[1:]
    name, peer_reads, ours_reads = _SIDES[kind]

    def script(text: str) -> str:
        return text.replace("OURS", ours_reads).replace("PEER", peer_reads)

    printed = [
        measured(["-c", script(_TURNS), str(path), first, "4"])[2] for first in ("ours", "peer")
    ]
    turns = [[tuple(map(float, line.split())) for line in text.splitlines()] for text in printed]
    for when, pairs in (
        ("fresh", [side[0] for side in turns]),
        ("warm", [pair for side in turns for pair in side[1:]]),
    ):
        peer, ours = (float(np.median(taken)) for taken in zip(*pairs, strict=True))
        print(f"{what}, {when}: {name} {peer:.3f} s, bestofk {ours:.3f} s, {ours / peer:.2f} x")
    memory = [
        float(measured(["-c", script(_ALONE), str(path), side])[2]) for side in ("peer", "ours")
    ]
    print(f"{what}, peak memory: {name} {memory[0]:.0f} MB, bestofk {memory[1]:.0f} MB", flush=True)


def readings(rows: Sequence[int]) -> None:
    """Print what reading files of several kinds takes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.arff"
        values = np.random.default_rng(0).normal(size=(100_000, 21))
        with path.open("w") as file:
            head = [f"@attribute x{k} numeric" for k in range(21)]
            file.write("\n".join(["@relation r", *head, "@data\n"]))
            np.savetxt(file, values, fmt="%.6g", delimiter=",")
        reading("arff, 100,000 x 21", path)
        for n_rows, n_columns in [*((n, 21) for n in rows), (2_000, 1_000)]:
            table = csv_table(n_rows, n_columns)
            table.to_csv(Path(folder) / "data.csv", index=False)
            reading(f"csv, {n_rows:,} x {n_columns}", Path(folder) / "data.csv")
            table.to_parquet(Path(folder) / "data.parquet")
            reading(f"parquet, {n_rows:,} x {n_columns}", Path(folder) / "data.parquet")


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
    readings(given.rows)


if __name__ == "__main__":
    main()

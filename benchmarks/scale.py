"""CPU seconds and memory at the ends of the scale.

stores   each step in a process of its own: a store of a million runs (four light learners,
         25,000 repeats of 10 folds of iris): writing it (30 s), its status (2 s), its export as
         CSV (20 s and 300 MB) and a verdict from it (5 s), for all that can be kept
growth   the printed answer of a comparison, and of a study, while rows, columns, learners, splits,
         classes or data sets double four times: CPU seconds of a process that has made such a call
         before, median of three, and the slope of their logarithms. The fixed part, which is the
         seconds of the smallest size, is taken off, as the smallest size is
reading  ARFF, CSV and Parquet files of 21 columns (numbers, texts, gaps), and CSV of 1,000: against
         scipy and pandas, the sides in turn in one process, first fresh, then warm; and the peak
         memory of each side alone

    OMP_NUM_THREADS=1 python benchmarks/scale.py [--repeats 25000] [--keep probabilities ...]
    OMP_NUM_THREADS=1 python benchmarks/scale.py --keep --rows 100000 1000000
    OMP_NUM_THREADS=1 python benchmarks/scale.py --keep --rows --grow rows columns learners
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from sklearn.naive_bayes import GaussianNB

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


_LIGHT = ["majority", "nearest-mean", "naive-bayes"]


def made_table(n_rows: int, n_columns: int, n_classes: int = 2) -> tuple[Any, Any]:
    """Return numbers and classes that they say something of."""
    rng = np.random.default_rng(0)
    y = np.arange(n_rows) % n_classes
    return rng.normal(size=(n_rows, n_columns)) + 0.1 * y[:, None], y.astype(str)


@contextmanager
def study_of(n_data: int) -> Iterator[Callable[[], Any]]:
    """Give what runs a study of so many CSV files in a new folder."""
    with tempfile.TemporaryDirectory() as folder:
        for index in range(n_data):
            x, y = made_table(200 + index, 5)
            table = pd.DataFrame(x, columns=list("abcde")).assign(target=y)
            table.to_csv(Path(folder) / f"data{index}.csv", index=False)
        text = f'data = ["{folder}/*.csv"]\nlearners = {_LIGHT}\ncv = "5x2"\n'
        (Path(folder) / "study.toml").write_text(text.replace("'", '"'))
        yield lambda: bestofk.Study.read(Path(folder) / "study.toml").run(progress=False)


@contextmanager
def comparison_of(
    n_rows: int = 200, n_columns: int = 5, n_classes: int = 2, n_more: int = 0, cv: str = "2x5"
) -> Iterator[Callable[[], Any]]:
    """Give what compares light learners, and so many variants of one, on a table."""
    x, y = made_table(n_rows, n_columns, n_classes)
    more = {f"nb{k}": GaussianNB(var_smoothing=10.0**-k) for k in range(n_more)}
    learners = dict(zip(_LIGHT, _LIGHT, strict=True)) | more
    yield lambda: bestofk.compare(learners, x, y, cv=cv, progress=False)


# What grows: the smallest size, the first of five that double, and the call of a size.
_GROWTH: dict[str, tuple[int, int, Callable[[int], Any]]] = {
    "rows": (200, 5_000, lambda n: comparison_of(n_rows=n, n_columns=10)),
    "columns": (5, 100, lambda n: comparison_of(n_rows=1000, n_columns=n)),
    "learners": (1, 8, lambda n: comparison_of(n_more=n)),
    "splits": (10, 2_000, lambda n: comparison_of(cv=f"{n // 10}x10")),
    "classes": (2, 8, lambda n: comparison_of(n_rows=5_000, n_classes=n)),
    "data-sets": (2, 8, study_of),
}


def growth(name: str) -> None:
    """Print what a call takes while one size grows, and the slope of the logarithms."""
    smallest, first, call_of = _GROWTH[name]
    sizes, seconds = [smallest, *(first * 2**k for k in range(5))], []
    for size in (first, *sizes):
        taken = []
        for _ in range(3):
            with call_of(size) as call:
                start = time.process_time()
                str(call())
                taken.append(time.process_time() - start)
        seconds.append(np.median(taken))
    fixed, *rest = seconds[1:]  # before the first, what is prepared once was prepared
    more = np.log(np.array(sizes[1:]) - smallest)
    slope = np.polyfit(more, np.log(np.maximum(np.array(rest) - fixed, 1e-9)), 1)[0]
    shown = " ".join(f"{n:,}: {taken:.2f}" for n, taken in zip(sizes[1:], rest, strict=True))
    load = os.getloadavg()[0]
    print(f"{name:10}{slope:6.2f}   fixed {fixed:.2f} s   {shown}   load {load:.1f}", flush=True)


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
    parser.add_argument("--grow", nargs="*", choices=_GROWTH, default=list(_GROWTH))
    given = parser.parse_args()
    print(
        f"bestofk {bestofk.__version__}, Python {platform.python_version()}, numpy "
        f"{np.__version__}, pandas {pd.__version__}, scikit-learn {sklearn.__version__}"
    )
    for keep in given.keep:
        stores(given.repeats, keep)
    for name in given.grow:
        growth(name)
    if given.rows:
        readings(given.rows)


if __name__ == "__main__":
    main()

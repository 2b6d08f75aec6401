"""Memory and time of a tree grown from a file, compared with one grown in memory.

Writes normal columns (five of them informative, a tenth of the labels wrong) to a Parquet file,
chunk by chunk, and grows one tree from it in a process of its own. Peak memory is the largest
resident set of that process (`getrusage`), the interpreter, all imports and the pages of mapped
files that are in use included. With
--compare the same table is fitted in memory too, in another process, and the trees are compared
array by array.

Throughput is values (rows times columns) by CPU seconds of the process; wall time
tells more of a disk, and of who else uses the machine.

    OMP_NUM_THREADS=1 python benchmarks/trees_large.py [--rows 1000000] [--columns 10]
        [--learner c45] [--memory-mb 256] [--compare] [--folder DIR]
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from bestofk.trees import C45Classifier, CARTClassifier, ID3Classifier

LEARNERS = {
    "c45": C45Classifier(),
    "c45-unpruned": C45Classifier(pruning=None, collapse=False),
    "id3": ID3Classifier(min_samples_leaf=2),
    "cart": CARTClassifier(pruning=None),
}
ARRAYS = ("kind", "attribute", "threshold", "first_child", "n_children", "class_weights")
CHUNK = 250_000


def write_table(path: Path, n_rows: int, n_columns: int) -> None:
    """Write the synthetic table."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    names = [f"x{i}" for i in range(n_columns)]
    schema = pa.schema([*((name, pa.float64()) for name in names), ("y", pa.int64())])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, n_rows, CHUNK):
            n = min(CHUNK, n_rows - start)
            X = rng.normal(size=(n, n_columns))
            y = (X[:, :5].sum(axis=1) + X[:, 0] * X[:, 1] > 0).astype(np.int64)
            y ^= rng.random(n) < 0.1
            writer.write_table(pa.table([*map(pa.array, X.T), pa.array(y)], schema=schema))


def measure(way: str, path: Path, learner: str, memory_mb: int, arrays: Path) -> dict:
    """Fit in this process; return seconds, peak memory and the size of the tree."""
    if way == "file":
        from bestofk.trees.on_disk import grow_from_file

        start, cpu_start = time.perf_counter(), time.process_time()
        fitted = grow_from_file(
            path,
            "y",
            learner=LEARNERS[learner],
            working_folder=path.parent,
            memory_bytes=memory_mb << 20,
        )
    else:
        import pandas as pd

        table = pd.read_parquet(path)
        start, cpu_start = time.perf_counter(), time.process_time()
        fitted = LEARNERS[learner].fit(table.drop(columns="y"), table["y"])
    seconds = time.perf_counter() - start
    cpu_seconds = time.process_time() - cpu_start
    np.savez(arrays, **{name: getattr(fitted.tree_, name) for name in ARRAYS})
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "peak_mb": peak / 2**20,
        "nodes": fitted.tree_.n_nodes,
        "depth": fitted.tree_.depth,
    }


def in_child(way: str, given: argparse.Namespace, path: Path, arrays: Path) -> dict:
    """Measure in a process of its own."""
    command = [sys.executable, __file__, "--way", way, "--path", str(path)]
    command += ["--arrays", str(arrays), "--learner", given.learner]
    command += ["--memory-mb", str(given.memory_mb)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def main() -> None:
    """Write the table, grow, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=10)
    parser.add_argument("--learner", choices=LEARNERS, default="c45")
    parser.add_argument("--memory-mb", type=int, default=256)
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--way", help=argparse.SUPPRESS)
    parser.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--arrays", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.way:
        result = measure(given.way, given.path, given.learner, given.memory_mb, given.arrays)
        print(json.dumps(result))
        return
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        path = Path(folder, "table.parquet")
        write_table(path, given.rows, given.columns)
        values = given.rows * given.columns
        for way in ("file", "memory") if given.compare else ("file",):
            result = in_child(way, given, path, Path(folder, f"{way}.npz"))
            print(
                f"{way:<7}{given.learner:<13}{given.rows:>11,} x {given.columns:<4}"
                f"{result['seconds']:8.1f} s {result['cpu_seconds']:7.1f} s CPU"
                f"{result['peak_mb']:7.0f} MB peak"
                f"{result['nodes']:>9,} nodes, depth {result['depth']:>3}"
                f"{values / result['cpu_seconds'] / 1e6:8.2f} million values per CPU second",
                flush=True,
            )
        if given.compare:
            trees = [np.load(Path(folder, f"{way}.npz")) for way in ("file", "memory")]
            equal = all(np.array_equal(*(t[n] for t in trees), equal_nan=True) for n in ARRAYS)
            print("same tree" if equal else "OTHER TREE")


if __name__ == "__main__":
    main()
